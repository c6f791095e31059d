// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The sweep of the strong guarantee: after a failure at any step a container is what it was.
#ifndef SLOTWISE_TESTS_SUPPORT_TWINS_HPP
#define SLOTWISE_TESTS_SUPPORT_TWINS_HPP

#include "allocators.hpp"
#include "tracked.hpp"

#include <initializer_list>

namespace test {

/// Runs act(scene), which calls `function` of C, with a failure at every step, for a Scene(count) of each count. A scene that an
/// act did not change is the twin of a fresh one: require_twins(scene, twin).
template <class C, class Scene, class Act>
void strong_beside_twins(const char* function, Act act, std::size_t least_failures, std::initializer_list<int> counts) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t failures = 0;
    for (const int count : counts)
        failures += fail_at_every_step(swept<C>(function), [&](auto&& attempt) {
            Scene scene(count), twin(count);
            INFO("elements " << count);
            if (attempt([&] { act(scene); }))
                require_twins(scene, twin);
            else
                REQUIRE(scene.sound());
        });
    REQUIRE(failures >= least_failures);
}

} // namespace test

#endif
