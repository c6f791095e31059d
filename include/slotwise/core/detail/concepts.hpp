// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What users of the library provide, as concepts whose names appear in error messages.
#ifndef SLOTWISE_CORE_DETAIL_CONCEPTS_HPP
#define SLOTWISE_CORE_DETAIL_CONCEPTS_HPP

#include "../../config/abi.hpp"
#include "../handle.hpp"

#include <concepts>

SLOTWISE_BEGIN

/// The free function that the standard's containers have: container.erase_if(pred). Removes every element for which `pred`
/// holds; returns how many. @throws what pred throws; the elements erased before stay erased
template <class Container, class Pred>
    requires requires(Container& container, Pred& pred) { container.erase_if(pred); }
constexpr auto erase_if(Container& container, Pred pred) {
    return container.erase_if(pred);
}

/// Any Handle<Tag, L>.
template <class H>
concept AnyHandle = detail::is_handle<H>;

/// What an element may be: an object type, not const, not an array.
template <class T>
concept Storable = std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T> &&
                   std::is_nothrow_destructible_v<T>;

SLOTWISE_END

#endif
