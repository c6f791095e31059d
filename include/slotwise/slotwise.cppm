// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The front door as a module: `import slotwise;`. Written by tools/module.py, which also tells when it is out of date.
// Macros stay behind: what SLOTWISE_CHECK_LEVEL and the others are, is settled where this file is compiled.
module;
#include "slotwise.hpp"

export module slotwise;

export namespace slotwise {
using slotwise::AlignedArray;
using slotwise::AllocBy;
using slotwise::AnyHandle;
using slotwise::AnyId;
using slotwise::AnyMapItem;
using slotwise::AnyMapStorage;
using slotwise::AnySetStorage;
using slotwise::Avalanching;
using slotwise::BasicAnyMapStorage;
using slotwise::BasicAnySetStorage;
using slotwise::BasicBitColumn;
using slotwise::BasicObserverToken;
using slotwise::BasicSoaSlotMap;
using slotwise::BitColumn;
using slotwise::BitSource;
using slotwise::BitTerms;
using slotwise::ByteReader;
using slotwise::ByteWriter;
using slotwise::CodecFor;
using slotwise::Column;
using slotwise::ColumnChunk;
using slotwise::ColumnView;
using slotwise::DefaultCodec;
using slotwise::DefaultHash;
using slotwise::DeltaRange;
using slotwise::DeltaRepresentation;
using slotwise::DeltaTracker;
using slotwise::DenseSlotMap;
using slotwise::DictDelta;
using slotwise::DroppingCodec;
using slotwise::DynamicColumn;
using slotwise::EnumCodec;
using slotwise::EqualBy;
using slotwise::EqualTo;
using slotwise::Exhaustion;
using slotwise::GroupIndex;
using slotwise::Growth;
using slotwise::Handle;
using slotwise::HandleLayout;
using slotwise::HandleOf;
using slotwise::HandleStatus;
using slotwise::HashBy;
using slotwise::HashIndex;
using slotwise::IdTraits;
using slotwise::IdentityMap;
using slotwise::IndexBy;
using slotwise::InsertKind;
using slotwise::InsertResult;
using slotwise::KeySet;
using slotwise::KeySetCore;
using slotwise::KeySetOptions;
using slotwise::MapItem;
using slotwise::MapStorage;
using slotwise::MapView;
using slotwise::MemberCodec;
using slotwise::Members;
using slotwise::ObserverArray;
using slotwise::ObserverToken;
using slotwise::Occupancy;
using slotwise::Options;
using slotwise::PagedArray;
using slotwise::PortableHashIndex;
using slotwise::PublicId;
using slotwise::RawCodec;
using slotwise::ReservedArray;
using slotwise::Reuse;
using slotwise::RowObserver;
using slotwise::RowToken;
using slotwise::ScopeGuard;
using slotwise::SecondaryMap;
using slotwise::SeededHash;
using slotwise::SeriesLevel;
using slotwise::SeriesOptions;
using slotwise::SeriesSubscriber;
using slotwise::SeriesTick;
using slotwise::SetDelta;
using slotwise::SetStorage;
using slotwise::SetView;
using slotwise::SipHash13;
using slotwise::SlotDirectory;
using slotwise::SlotMap;
using slotwise::SlotMapCore;
using slotwise::SlotMapItem;
using slotwise::SlotMapOptions;
using slotwise::SlotObserver;
using slotwise::SlotRange;
using slotwise::SlotRun;
using slotwise::SlotState;
using slotwise::Snapshotable;
using slotwise::SoaPointer;
using slotwise::SoaRow;
using slotwise::SoaSlotMap;
using slotwise::SparseSecondaryMap;
using slotwise::StaticObserver;
using slotwise::Storable;
using slotwise::Strictness;
using slotwise::Subscription;
using slotwise::TSDStorage;
using slotwise::TSDView;
using slotwise::TSDWriter;
using slotwise::TSSStorage;
using slotwise::TSSView;
using slotwise::TSSWriter;
using slotwise::Tag;
using slotwise::TimeArray;
using slotwise::TimeBy;
using slotwise::TimeTraits;
using slotwise::TypeDescriptor;
using slotwise::ValueArray;
using slotwise::Versioned;
using slotwise::capture;
using slotwise::change_t;
using slotwise::collect_changed_into;
using slotwise::compose;
using slotwise::dropping;
using slotwise::equal_deltas;
using slotwise::erase_if;
using slotwise::exclude;
using slotwise::for_each_run;
using slotwise::include;
using slotwise::mix_bits;
using slotwise::no_slot;
using slotwise::operator<<;
using slotwise::slot_t;
using slotwise::to_string;
using slotwise::zip_columns;
} // namespace slotwise

export namespace slotwise::bits {
using slotwise::bits::bit_of;
using slotwise::bits::count;
using slotwise::bits::for_each;
using slotwise::bits::full_word;
using slotwise::bits::highest;
using slotwise::bits::low_mask;
using slotwise::bits::lowest;
using slotwise::bits::round_up;
using slotwise::bits::to_size;
using slotwise::bits::walk;
using slotwise::bits::word_bits;
using slotwise::bits::word_count;
using slotwise::bits::word_of;
using slotwise::bits::word_t;
} // namespace slotwise::bits

export namespace slotwise::pmr {
using slotwise::pmr::DenseSlotMap;
using slotwise::pmr::IdentityMap;
using slotwise::pmr::KeySet;
using slotwise::pmr::MapStorage;
using slotwise::pmr::SecondaryMap;
using slotwise::pmr::SetStorage;
using slotwise::pmr::SlotMap;
using slotwise::pmr::SoaSlotMap;
using slotwise::pmr::SparseSecondaryMap;
} // namespace slotwise::pmr
