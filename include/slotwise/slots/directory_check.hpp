// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a SlotDirectory is asked when something is wrong: whether it is consistent, for check_invariants() of every container,
// why a handle does not resolve, and whether it was issued, for the text of at().
#ifndef SLOTWISE_SLOTS_DIRECTORY_CHECK_HPP
#define SLOTWISE_SLOTS_DIRECTORY_CHECK_HPP

#include "absence.hpp"
#include "slot_directory.hpp"

#include <algorithm>

SLOTWISE_BEGIN

template <HandleLayout L, Exhaustion E, Reuse R, class Allocator, std::size_t S, bool A>
constexpr bool SlotDirectory<L, E, R, Allocator, S, A>::check_invariants() const noexcept {
    if (n_.capacity > versions_.size() || n_.cursor > n_.capacity) return false;
    std::size_t live = 0, blocked = 0, reserved = 0, retired = 0;
    for (slot_t slot = 0; slot < versions_.size(); ++slot) {
        const bool is_odd = (versions_[slot] & 1u) != 0, is_blocked = bit(blocked_, slot), is_promised = bit(reserved_, slot);
        if (versions_[slot] > max_version || is_odd != bit(live_, slot)) return false;
        if ((is_odd && is_blocked) || (is_promised && !is_blocked)) return false;
        if (slot >= n_.cursor && (is_odd || is_blocked)) return false;
        live += is_odd;
        blocked += is_blocked;
        reserved += is_promised;
        retired += is_blocked && !is_promised && versions_[slot] == 0;
    }
    if (!summary_.is_sound(live_, n_.cursor)) return false;
    if (live != size() || blocked != n_.blocked || reserved != n_.reserved) return false; // then free_.size() of them are free
    if (retired < n_.retired) return false; // an acquired slot at version 0 looks like a retired one
    if constexpr (R == Reuse::lowest)
        return free_.is_sound(live_.size(), [this](std::size_t w) { return w <= bits::word_of(n_.cursor) ? vacant()(w) : 0; });
    else
        return free_.is_sound([this](slot_t slot) { return slot < n_.cursor && state(slot) == SlotState::free; });
}

template <HandleLayout L, Exhaustion E, Reuse R, class Allocator, std::size_t S, bool A>
constexpr bool SlotDirectory<L, E, R, Allocator, S, A>::same_handles(const SlotDirectory& other) const noexcept {
    return n_.cursor == other.n_.cursor && n_.blocked == other.n_.blocked && n_.capacity == other.n_.capacity &&
           std::equal(versions_.data(), versions_.data() + n_.cursor, other.versions_.data());
}

template <HandleLayout L, Exhaustion E, Reuse R, class Allocator, std::size_t S, bool A>
constexpr std::size_t SlotDirectory<L, E, R, Allocator, S, A>::memory_usage() const noexcept {
    return detail::memory_of(block_, versions_, kept_, reserved_, floors_, free_);
}

template <HandleLayout L, Exhaustion E, Reuse R, class Allocator, std::size_t S, bool A>
constexpr HandleStatus SlotDirectory<L, E, R, Allocator, S, A>::explain(slot_t slot, std::uint32_t version) const noexcept {
    if (slot >= n_.capacity) return HandleStatus::out_of_range;
    if (is_live(slot, version)) return HandleStatus::live;
    if (is_reserved(slot, version)) return HandleStatus::reserved;
    const SlotState now = state(slot);
    if (now == SlotState::pending && versions_[slot] == traits::wrapped(version + 1u)) return HandleStatus::pending;
    return now == SlotState::retired ? HandleStatus::retired : HandleStatus::stale;
}

template <HandleLayout L, Exhaustion E, Reuse R, class Allocator, std::size_t S, bool A>
const char* SlotDirectory<L, E, R, Allocator, S, A>::absence(slot_t slot, std::uint32_t version) const noexcept {
    if (is_reserved(slot, version)) return detail::is_reserved;
    if ((version & 1u) == 0 || version > max_version) return detail::never_issued;
    const std::uint32_t last = slot < versions_.size() ? this->version(slot) : floors_.of(slot);
    // A wrapped version is no longer ordered, and a retired slot has version 0.
    const bool unordered = E == Exhaustion::wrap || state(slot) == SlotState::retired;
    return (unordered ? last != 0 || slot < n_.cursor : version <= last) ? detail::is_stale : detail::never_issued;
}

SLOTWISE_END

#endif
