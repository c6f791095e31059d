// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What users of the library provide, as concepts whose names appear in error messages.
#ifndef SLOTWISE_CORE_CONCEPTS_HPP
#define SLOTWISE_CORE_CONCEPTS_HPP

#include "handle.hpp"

#include <concepts>

SLOTWISE_BEGIN

/// Any Handle<Tag, L>.
template <class H>
concept AnyHandle = detail::is_handle<H>;

/// What an element may be: an object type, not const, not an array.
template <class T>
concept Storable = std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T> &&
                   std::is_nothrow_destructible_v<T>;

SLOTWISE_END

#endif
