// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "lamp.hpp"

#include <concepts>

namespace engine {
namespace {

template <class T>
concept complete = requires { sizeof(T); };

} // namespace

// This file is the test of its headers: were one of them to drag a container in, it would not compile.
#ifndef SLOTWISE_MAP_SLOT_MAP_HPP // the single header has everything
static_assert(!complete<Light> && !complete<Lights>, "names.hpp and lamp.hpp must not define a container");
#endif
static_assert(complete<LightHandle> && sizeof(LightHandle) == 8);

void Lamp::on(int lumen) {
    off();
    light_ = add_light(*lights_, lumen);
}
void Lamp::off() {
    remove_light(*lights_, light_); // false if it was gone already, which is just as well
    light_ = {};
}
int Lamp::lumen() const { return lumen_of(*lights_, light_); }

} // namespace engine
