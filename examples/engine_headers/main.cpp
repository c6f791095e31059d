// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// How an engine keeps what it compiles small: names.hpp declares containers and handles without a container, lamp.hpp keeps a
// handle, lights.hpp has the container, whose code is in lights.cpp alone (check.py asks the object files).

#include "containers.hpp"
#include "lamp.hpp"
#include "lights.hpp"

#include <iostream>

namespace {

int failures = 0;
void check(bool holds, const char* promise) {
    std::cout << (holds ? "  holds   " : "  FAILED  ") << promise << '\n';
    failures += !holds;
}

} // namespace

int main() {
    engine::Lights lights;
    engine::Lamp desk(lights), ceiling(lights);
    desk.on(400);
    ceiling.on(1200);
    int sum = 0;
    for (const engine::Light& light : lights) sum += light.lumen;
    check(sum == 1600 && lights.size() == 2, "what is added through the door is in the container");

    const engine::LightHandle first = lights.handle_at(*lights.live_slots().begin());
    check(lights.erase(first) && desk.lumen() == 0, "a lamp whose light another has removed is dark");
    const engine::LightHandle other = lights.insert({90});
    check(other.index() == first.index() && desk.lumen() == 0, "also when another light has come into its slot");
    desk.off();
    check(lights.get(other) != nullptr && ceiling.lumen() == 1200, "and switching it off leaves that one alone");

    const engine::Lights copy = lights;
    lights.shrink_to_fit(); // too long to be inlined: without `extern template` this file would have code of it
    check(copy == lights && lights.check_invariants(), "a copy is equal, however much memory each has");

    slotwise::HandlePool<engine::Body> ids;
    slotwise::MapStorage<int, engine::Body> bodies;
    slotwise::SparseMap<std::uint32_t, engine::Body> sparse;
    const auto id = ids.create();
    bodies.try_emplace(7, engine::Body{3});
    sparse.try_emplace(id.index(), engine::Body{4});
    ids.shrink_to_fit();
    bodies.shrink_to_fit();
    check(ids.contains(id) && bodies.at(7).mass + sparse.at(id.index()).mass == 7, "containers whose code is elsewhere work");
    std::cout << "check: " << (failures == 0 ? "passed" : "FAILED") << std::endl;
    return failures == 0 ? 0 : 1;
}
