// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The container itself, for those who walk it. Its code is made once, in lights.cpp: `extern template` keeps every other file
// from making it again for the linker to throw away.

#pragma once

#include "names.hpp"

#include <slotwise/map/slot_map.hpp>

#include <utility>

namespace engine {

struct Light {
    int lumen = 0;
    friend bool operator==(const Light&, const Light&) = default;
};

// The members of a map that are not its own are its base's, SlotMapInterface's, and a template's base has to be named by itself. Its
// first argument, where values lie, is nothing to write down: it is asked for.
template <class Store, class... Rest, slotwise::SlotMapOptions O>
Store store_of(const slotwise::SlotMapInterface<Store, LightHandle::tag_type, O, Rest...>&);
using LightStore = decltype(store_of(std::declval<const Lights&>()));
using LightAllocator = Lights::allocator_type;

} // namespace engine

extern template class slotwise::SlotMap<engine::Light>;
extern template class slotwise::SlotMapInterface<engine::LightStore, engine::LightHandle::tag_type, engine::Lights::options,
                                                 engine::LightAllocator>;
