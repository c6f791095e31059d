// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The front door: every public header.
#ifndef SLOTWISE_SLOTWISE_HPP
#define SLOTWISE_SLOTWISE_HPP

#include "config/version.hpp"
#include "core/format.hpp"
#include "core/handle.hpp"
#include "core/hash.hpp"
#include "core/public_id.hpp"
#include "core/versioned.hpp"
#include "fwd.hpp"
#include "keyed/any_storage.hpp"
#include "keyed/hash_index.hpp"
#include "keyed/key_set.hpp"
#include "keyed/map_storage.hpp"
#include "keyed/map_view.hpp"
#include "keyed/pmr.hpp"
#include "keyed/set_storage.hpp"
#include "keyed/set_view.hpp"
#include "keyed/type_descriptor.hpp"
#include "map/dense_slot_map.hpp"
#include "map/identity_map.hpp"
#include "map/pmr.hpp"
#include "map/secondary_map.hpp"
#include "map/slot_map.hpp"
#include "map/soa_slot_map.hpp"
#include "map/sparse_secondary_map.hpp"
#include "memory/aligned_array.hpp"
#include "memory/occupancy.hpp"
#include "memory/paged_array.hpp"
#include "memory/reserved_array.hpp"
#include "slots/column_view.hpp"
#include "slots/slot_directory.hpp"
#include "slots/slot_observer.hpp"
#include "slots/slot_range.hpp"
#include "slots/snapshot.hpp"
#include "slots/value_array.hpp"

#endif
