// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TimeArray: when each slot was last written. TimeTraits: the requirements on a time.
#ifndef SLOTWISE_SERIES_TIME_ARRAY_HPP
#define SLOTWISE_SERIES_TIME_ARRAY_HPP

#include "../slots/value_array.hpp"

#include <limits>

SLOTWISE_BEGIN

/// The value of a time type that means "never". For numbers it is the lowest value (NumPy shows that of std::int64_t as NaT;
/// for floating point it is finite too, because -ffast-math has no infinity). For types with a static min(), like
/// std::chrono::time_point and duration, it is that. Specialise it for other types. An optional to_string(time) formats a time
/// in messages.
template <class Time>
struct TimeTraits {
    static_assert(
        std::numeric_limits<Time>::is_specialized || requires { (Time::min)(); },
        "TimeTraits<Time>: this type has no lowest value; specialise TimeTraits with never()");
    /// The lowest value; no write has this time.
    static constexpr Time never() noexcept {
        if constexpr (std::numeric_limits<Time>::is_specialized)
            return (std::numeric_limits<Time>::lowest)();
        else
            return (Time::min)();
    }
};

namespace detail {

/// Whether a number of this format is a NaN, by its bits: under -ffast-math comparisons with a NaN are unspecified.
template <class Bits, class Time>
constexpr bool is_nan_by_bits(const Time& time) noexcept {
    const Bits infinity = ((Bits{1} << (sizeof(Bits) * 8 - std::numeric_limits<Time>::digits)) - 1)
                          << (std::numeric_limits<Time>::digits - 1);
    return (std::bit_cast<Bits>(time) & (static_cast<Bits>(-1) >> 1)) > infinity;
}
/// Whether a write may have this time: later than never and not a NaN.
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

/// A time stamp for every live slot: `never` when an element is inserted, then the last stamp(). A static observer of any
/// container, and a column with contiguous runs for export.
/// @tparam Time ordered, trivially copyable, with a TimeTraits @tparam G as ValueArray's @tparam MaxSlots as ValueArray's
template <class Time, class Allocator, Growth G, std::size_t MaxSlots>
class TimeArray : public ValueArray<Time, Allocator, G, MaxSlots> {
    using Base = ValueArray<Time, Allocator, G, MaxSlots>;
    static_assert(std::is_trivially_copyable_v<Time> && std::totally_ordered<Time>,
                  "TimeArray<Time>: Time must be trivially copyable and ordered");

public:
    /// The stamp of an element that was never written.
    static constexpr Time never = TimeTraits<Time>::never();

    using Base::Base;

    /// The stamp of `slot`. @pre the slot is live or pending
    constexpr Time at(slot_t slot) const noexcept { return (*this)[slot]; }
    /// Written at `time`. @pre as at()
    constexpr void stamp(slot_t slot, Time time) noexcept { (*this)[slot] = time; }
    /// Whether it was ever written.
    constexpr bool valid(slot_t slot) const noexcept { return at(slot) != never; }
    /// Whether the last write was at exactly `time`; false for never.
    constexpr bool modified(slot_t slot, Time time) const noexcept { return at(slot) == time && time != never; }

    /// Hook: an inserted or resurrected element was never written.
    constexpr void on_insert(slot_t slot, InsertKind kind) noexcept {
        if (kind == InsertKind::fresh)
            this->construct(slot, never);
        else
            stamp(slot, never);
    }
};

SLOTWISE_END

#endif
