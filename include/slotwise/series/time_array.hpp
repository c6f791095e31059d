// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TimeArray: when each slot was last written. TimeTraits: what may be a time.
#ifndef SLOTWISE_SERIES_TIME_ARRAY_HPP
#define SLOTWISE_SERIES_TIME_ARRAY_HPP

#include "../slots/value_array.hpp"

#include <limits>

SLOTWISE_BEGIN

/// What a series needs to know of a time: which value means "never". Numbers have one here (the lowest: for std::int64_t that
/// is what NumPy shows as NaT; for floating point a finite one too, because -ffast-math knows no infinity), and so has every
/// type with a static min(), like std::chrono::time_point and duration. Specialise it for others; there to_string(time) may say
/// how messages name a time.
template <class Time>
struct TimeTraits {
    static_assert(
        std::numeric_limits<Time>::is_specialized || requires { Time::min(); },
        "TimeTraits<Time>: this type has no lowest value; specialise TimeTraits with never()");
    /// Before every time; no write happens then.
    static constexpr Time never() noexcept {
        if constexpr (std::numeric_limits<Time>::is_specialized)
            return std::numeric_limits<Time>::lowest();
        else
            return Time::min();
    }
};

namespace detail {

/// Whether a number of this format is a NaN, by its bits: under -ffast-math comparisons may say anything.
template <class Bits, class Time>
constexpr bool is_nan_by_bits(const Time& time) noexcept {
    const Bits infinity = ((Bits{1} << (sizeof(Bits) * 8 - std::numeric_limits<Time>::digits)) - 1)
                          << (std::numeric_limits<Time>::digits - 1);
    return (std::bit_cast<Bits>(time) & (static_cast<Bits>(-1) >> 1)) > infinity;
}
/// A value that a write may happen at: later than never. (Not a NaN.)
template <class Time>
constexpr bool is_time(const Time& time) noexcept {
    if constexpr (std::is_same_v<Time, double>) {
        if (is_nan_by_bits<std::uint64_t>(time)) return false;
    } else if constexpr (std::is_same_v<Time, float>) {
        if (is_nan_by_bits<std::uint32_t>(time)) return false;
    }
    return TimeTraits<Time>::never() < time;
}

} // namespace detail

/// A time stamp for every live slot: `never` when an element arrives, what stamp() says from then on. A static observer of any
/// container, and a column like any other: contiguous runs, which export as they are.
/// @tparam Time ordered, trivially copyable, with a TimeTraits
template <class Time, class Allocator>
class TimeArray : public ValueArray<Time, Allocator> {
    using Base = ValueArray<Time, Allocator>;
    static_assert(std::is_trivially_copyable_v<Time> && std::totally_ordered<Time>,
                  "TimeArray<Time>: Time must be trivially copyable and ordered");

public:
    /// The stamp of what was never written.
    static constexpr Time never = TimeTraits<Time>::never();

    using Base::Base;

    /// The stamp of `slot`. @pre an element lives there, or is removed and not yet erased
    constexpr Time at(slot_t slot) const noexcept { return (*this)[slot]; }
    /// Written at `time`. @pre as at()
    constexpr void stamp(slot_t slot, Time time) noexcept { (*this)[slot] = time; }
    /// Whether it was ever written.
    constexpr bool valid(slot_t slot) const noexcept { return at(slot) != never; }
    /// Whether the last write was at exactly `time`; false for never.
    constexpr bool modified(slot_t slot, Time time) const noexcept { return at(slot) == time && time != never; }

    /// Hook: an element that arrives, or lives again, was never written.
    constexpr void on_insert(slot_t slot, InsertKind kind) noexcept {
        if (kind == InsertKind::fresh)
            this->construct(slot, never);
        else
            stamp(slot, never);
    }
};

SLOTWISE_END

#endif
