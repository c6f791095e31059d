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

/// A static observer: has at least one of the hooks of SlotObserver.
template <class O>
concept StaticObserver =
    requires(O o, slot_t slot) { o.on_capacity(slot, slot); } ||
    requires(O o, slot_t slot) { o.on_insert(slot, InsertKind::fresh); } || requires(O o, slot_t slot) { o.on_remove(slot); } ||
    requires(O o, slot_t slot) { o.on_erase(slot); } ||
    requires { &O::on_clear; } || // no call: Occupancy is incomplete on this floor
    requires(O o) { o.on_reset(); };

SLOTWISE_END

#endif
