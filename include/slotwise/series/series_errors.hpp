// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The errors of write() and create() of a series. The messages have the times.
#ifndef SLOTWISE_SERIES_SERIES_ERRORS_HPP
#define SLOTWISE_SERIES_SERIES_ERRORS_HPP

#include "time_array.hpp"

#include <cstdio>
#include <string>

SLOTWISE_BEGIN
namespace detail {

/// A time as text, with as many digits as identify it.
template <class Time>
std::string time_text(const Time& time) {
    if constexpr (requires { TimeTraits<Time>::to_string(time); })
        return TimeTraits<Time>::to_string(time);
    else if constexpr (requires { time.time_since_epoch().count(); })
        return time_text(time.time_since_epoch().count());
    else if constexpr (requires { time.count(); })
        return time_text(time.count());
    else if constexpr (std::is_floating_point_v<Time>) {
        char digits[32]{};
        std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(time));
        return digits;
    } else if constexpr (std::is_integral_v<Time>) {
        if constexpr (std::is_signed_v<Time>)
            return std::to_string(static_cast<long long>(time));
        else
            return std::to_string(static_cast<unsigned long long>(time));
    } else
        return "(a time)";
}
/// @throws std::invalid_argument with both times
template <class Time>
[[noreturn]] SLOTWISE_COLD void throw_late(const Time& time, const Time& window) {
    throw_invalid_argument(("series write(time): time " + time_text(time) + " is older than the open window " +
                            time_text(window) + "; write_late(time) joins that window")
                               .c_str());
}

[[noreturn]] SLOTWISE_COLD inline void throw_newer(const char* than) {
    throw_invalid_argument((std::string("series write(time): time is newer than ") + than).c_str());
}
[[noreturn]] SLOTWISE_COLD inline void throw_never() {
    throw_invalid_argument(
        "series write(time): time is \"never\", the lowest value of its type, at which nothing can be written; give a "
        "later one");
}
[[noreturn]] SLOTWISE_COLD inline void throw_removed_but_written() {
    throw_invalid_argument(
        "series create(key): the nested series that was removed under this key in this window still has an open "
        "writer; close it first");
}

} // namespace detail
SLOTWISE_END

#endif
