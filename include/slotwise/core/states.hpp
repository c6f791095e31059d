// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a slot is, how an element came into it, and why a handle does or does not resolve.
#ifndef SLOTWISE_CORE_STATES_HPP
#define SLOTWISE_CORE_STATES_HPP

#include "../config/abi.hpp"

#include <cstdint>

SLOTWISE_BEGIN

/// What a slot is at the moment.
enum class SlotState : std::uint8_t {
    free,     ///< vacant, may be handed out
    live,     ///< holds an element
    pending,  ///< removed, but key and columns are still readable (deferred erase)
    reserved, ///< a handle was handed out, the element comes later
    retired   ///< its versions are used up; never handed out again
};

/// How an element came into its slot.
enum class InsertKind : std::uint8_t {
    fresh,      ///< as a new element
    resurrected ///< it was pending under the same key, and lives again
};

/// Why a handle does or does not resolve, for diagnostics.
enum class HandleStatus : std::uint8_t {
    null,         ///< it names nothing
    out_of_range, ///< there never was such a slot, or its memory was freed
    live,         ///< its element is there
    stale,        ///< its element was erased, or never existed
    pending,      ///< its element was removed, but is still readable (deferred erase)
    reserved,     ///< its element comes later
    retired       ///< the slot has used up its versions
};

SLOTWISE_END

#endif
