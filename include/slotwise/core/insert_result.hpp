// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// InsertResult: the result of an insert by key or handle: auto [it, inserted] = map.insert(key, value).
#ifndef SLOTWISE_CORE_INSERT_RESULT_HPP
#define SLOTWISE_CORE_INSERT_RESULT_HPP

#include "../fwd.hpp"

#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

/// Whether `to = from` may leave half a value where it throws, and a T that is built first can be moved there without throwing.
/// Strings assign as a whole, and into memory that they have.
template <class T, class U>
inline constexpr bool assigns_by_parts = !std::is_nothrow_assignable_v<T&, U> && std::is_nothrow_move_assignable_v<T> &&
                                         std::is_constructible_v<T, U> && !requires { typename T::traits_type; };
/// to = from. If that throws, `to` is as it was wherever T's move assignment does not throw.
SLOTWISE_CONVERSIONS_BEGIN
template <class T, class U>
constexpr void assign_whole(T& to, U&& from) {
    if constexpr (assigns_by_parts<T, U>)
        to = T(std::forward<U>(from));
    else
        to = std::forward<U>(from);
}
SLOTWISE_CONVERSIONS_END

} // namespace detail

/// Where the element is, and whether it was inserted. Binds as auto [it, inserted] and converts to a std::pair of the two.
template <class Iterator>
struct InsertResult {
    Iterator it;           ///< at the element with this key: it.slot(), it.handle(); end() when the insert was refused
    bool inserted = false; ///< false: the key is a member already, or the insert was refused
    InsertKind kind = InsertKind::fresh; ///< of the insert; fresh when nothing was inserted

    /// As std::pair has them.
    constexpr operator std::pair<Iterator, bool>() const { return {it, inserted}; }
    template <class Other>
        requires(!std::is_same_v<Other, Iterator> && std::is_convertible_v<const Iterator&, Other>)
    constexpr operator InsertResult<Other>() const {
        return {it, inserted, kind};
    }
    /// For structured bindings.
    template <std::size_t Nth>
    constexpr const auto& get() const& noexcept {
        if constexpr (Nth == 0)
            return it;
        else
            return inserted;
    }
    template <std::size_t Nth>
    constexpr auto& get() & noexcept {
        if constexpr (Nth == 0)
            return it;
        else
            return inserted;
    }
    template <std::size_t Nth>
    constexpr auto&& get() && noexcept {
        if constexpr (Nth == 0)
            return std::move(it);
        else
            return static_cast<bool&&>(inserted);
    }
};

namespace detail {

/// The same for internal steps, without an iterator.
struct InsertOutcome {
    slot_t slot;
    bool inserted;
    InsertKind kind;
};

} // namespace detail
SLOTWISE_END

/// InsertResult binds to two names.
template <class Iterator>
struct std::tuple_size<slotwise::InsertResult<Iterator>> : std::integral_constant<std::size_t, 2> {};
template <class Iterator>
struct std::tuple_element<0, slotwise::InsertResult<Iterator>> {
    using type = Iterator;
};
template <class Iterator>
struct std::tuple_element<1, slotwise::InsertResult<Iterator>> {
    using type = bool;
};

#endif
