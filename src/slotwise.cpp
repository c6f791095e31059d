// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The compiled library: the bodies of what is no template, and templates over types of the library alone, whose headers have
// `extern template` for each of them.
#ifndef SLOTWISE_COMPILED
#error "src/slotwise.cpp is compiled with -DSLOTWISE_COMPILED, as are the files that call it"
#endif
#define SLOTWISE_BODIES 1

#include <slotwise/slotwise.hpp>

namespace slotwise {
inline namespace SLOTWISE_ABI {

template class detail::PlainMemory<std::allocator<std::byte>>;
template class GroupIndex<std::allocator<std::byte>, detail::NativeFingerprints>;
template class SlotDirectory<HandleLayout{32, 32}, Exhaustion::retire, Reuse::lowest>;
template class detail::PendingSlots<std::allocator<std::byte>>;
template class DeltaTracker<std::int64_t>;
template class detail::AnyColumns<std::allocator<std::byte>>;
template class BasicAnyRows<>;
template class BasicBitColumn<>;
template class BasicTickColumn<>;
template class EntityIndex<Entity, EntityLocation>;
template class ArchetypeGraph<Table, ComponentId, ColumnMapping, detail::ComponentRules>;
template class ComponentIndex<Table*, ComponentId>;
template class detail::DirtySet<>;
template class detail::TopologicalOrder<>;

} // namespace SLOTWISE_ABI
} // namespace slotwise
