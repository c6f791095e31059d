// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SameValue: whether a new value of a pin is a change. As EqualTo, except that NaN equals itself.
#ifndef SLOTWISE_GRAPH_SAME_VALUE_HPP
#define SLOTWISE_GRAPH_SAME_VALUE_HPP

#include "../core/hash.hpp"

#include <bit>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

/// Whether == of T would say that a value differs from itself: T is a floating-point number, or has some that can be seen.
template <class T>
struct HasFloats : std::is_floating_point<T> {};
template <class T>
concept FloatRange = requires(const T& range) {
    typename T::value_type;
    range.begin() != range.end();
    range.size();
} && HasFloats<typename T::value_type>::value;
template <FloatRange T>
struct HasFloats<T> : std::true_type {};
template <class T>
concept FloatOptional = requires(const T& value) {
    typename T::value_type;
    value.has_value();
    *value;
} && HasFloats<typename T::value_type>::value;
template <FloatOptional T>
struct HasFloats<T> : std::true_type {};
template <template <class...> class V, class... Ts>
    requires(requires(const V<Ts...>& value) { value.valueless_by_exception(); } && (HasFloats<Ts>::value || ...))
struct HasFloats<V<Ts...>> : std::true_type {
    static constexpr std::size_t alternatives = sizeof...(Ts);
};

/// Whether the sign bit is set.
template <class T>
constexpr bool is_negative(T number) noexcept {
    if constexpr (sizeof(T) == sizeof(std::uint32_t))
        return std::bit_cast<std::uint32_t>(number) >> 31 != 0;
    else if constexpr (sizeof(T) == sizeof(std::uint64_t))
        return std::bit_cast<std::uint64_t>(number) >> 63 != 0;
    else
        return number < 0; // of a long double: both zeros are equal
}

template <class T>
constexpr bool is_no_number(const T& number) noexcept {
    return !(number <= T(0) || number > T(0));
}

/// Whether a and b are equal. A NaN equals any NaN: "no number" again is no change. A float of another sign is a change, also
/// if both are zero, because 1 / x differs. Ranges, optionals and variants of floats are compared by their parts; in any other
/// type == decides, and a NaN inside of it counts as a change: that may be a false alarm, the contrary would be a lost change.
template <class T>
constexpr bool same_value(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) {
        // Without ==, because strict users have -Wfloat-equal.
        if (!(a <= b && a >= b)) return is_no_number(a) && is_no_number(b);
        return a < T(0) || a > T(0) || is_negative(a) == is_negative(b);
    } else if constexpr (requires { HasFloats<T>::alternatives; }) {
        if (a.index() != b.index()) return false;
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            bool same = true; // two without a value are equal
            (..., (Nth == a.index() ? static_cast<void>(same = same_value(get<Nth>(a), get<Nth>(b))) : static_cast<void>(0)));
            return same;
        }(std::make_index_sequence<HasFloats<T>::alternatives>());
    } else if constexpr (FloatRange<T>) {
        if (a.size() != b.size()) return false;
        auto other = b.begin();
        for (const auto& each : a)
            if (!same_value<typename T::value_type>(each, *other++)) return false;
        return true;
    } else if constexpr (FloatOptional<T>) {
        return a.has_value() == b.has_value() && (!a.has_value() || same_value<typename T::value_type>(*a, *b));
    } else
        return EqualTo()(a, b);
}

/// Compares values of pins by Equal.
template <class Equal, class T>
constexpr bool pin_equal(const Equal& equal, const T& a, const T& b) {
    if constexpr (std::is_same_v<Equal, EqualTo>)
        return same_value(a, b);
    else
        return static_cast<bool>(equal(a, b));
}

} // namespace detail
SLOTWISE_END

#endif
