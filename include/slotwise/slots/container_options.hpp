// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotContainerOptions: what a face chooses of a SlotContainer.
#ifndef SLOTWISE_SLOTS_CONTAINER_OPTIONS_HPP
#define SLOTWISE_SLOTS_CONTAINER_OPTIONS_HPP

#include "../fwd.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The options of a SlotContainer.
struct SlotContainerOptions {
    HandleLayout handle{};
    Exhaustion exhaustion = Exhaustion::retire;
    Reuse reuse = Reuse::lowest;
    std::size_t max_slots = 0;            ///< 0: what handle and store allow
    bool deferred_erase = false;          ///< erased slots are pending until do_flush_removed()
    bool columns_share_allocator = false; ///< static columns take the container's allocator; otherwise they have their own
    slot_t first_slot = 0;                ///< 1: slot 0 is retired as soon as it has memory
    bool atomic_versions = false;         ///< lookups of any issued handle may run beside one writer
};

} // namespace detail
SLOTWISE_END

#endif
