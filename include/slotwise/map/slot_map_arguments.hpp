// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapArguments: the result of the named template arguments of a slot map, and its core.
#ifndef SLOTWISE_MAP_SLOT_MAP_ARGUMENTS_HPP
#define SLOTWISE_MAP_SLOT_MAP_ARGUMENTS_HPP

#include "../slots/arguments.hpp"
#include "../slots/value_array.hpp"
#include "slot_map_core.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class T, class... With>
using SlotMapArguments = Arguments<with_options | with_tag | with_alloc | with_observers, SlotMapOptions, T, NoKey, With...>;

template <class Map, class Args, class Store, class Observers = typename Args::observers>
struct SlotMapCoreOf;
template <class Map, class Args, class Store, class... Observers>
struct SlotMapCoreOf<Map, Args, Store, TypeList<Observers...>> {
    using type = SlotMapCore<Store, typename Of<Map>::element, Args::options, typename Args::allocator, Observers...>;
};
/// The core of Map with the arguments Args.
template <class Map, class Args, class Store>
using slot_map_core = typename SlotMapCoreOf<Map, Args, Store>::type;

} // namespace detail
SLOTWISE_END

#endif
