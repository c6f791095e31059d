// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "versions_keyed.hpp"

using namespace test;

namespace {

template <Reuse R, Exhaustion E, bool Deferred>
void narrow_versions() {
#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
    explore_keyed<1, R, E, 3, Deferred, 4>();
    explore_keyed<3, R, E, 2, Deferred, 2>();
#else
    explore_keyed<2, R, E, 2, Deferred, 3>();
    explore_keyed<2, R, E, 2, Deferred, 2, true>();
#endif
}
template <Exhaustion E>
void four_bits() {
#if defined(SLOTWISE_TEST_REST)
    explore_keyed<4, Reuse::lowest, E, 2, false, 2>(); // half of the time of all that is here
    explore_keyed<4, Reuse::lowest, E, 2, true, 1>();
#else
    explore_keyed<4, Reuse::lowest, E, 1, false, 2>();
    explore_keyed<4, Reuse::lowest, E, 1, true, 2>();
#endif
}
template <Reuse R, Exhaustion E, bool Deferred> // not options: in an alias of such, g++ 12 for Windows crashes
using Wandering = MapStorage<int, int, Options<narrow_keyed<4, R, E, 6, Deferred>>>;

} // namespace

TEMPLATE_TEST_CASE_SIG("with 1- to 3-bit versions, no stale handle of a set ever resolves, whatever was done before",
                       "[versions]", ((Reuse R), R), Reuse::lifo, Reuse::fifo, Reuse::lowest) {
    SECTION("erased at once") { narrow_versions<R, Exhaustion::retire, false>(); }
    SECTION("with deferred erase") { narrow_versions<R, Exhaustion::retire, true>(); }
}

TEMPLATE_TEST_CASE_SIG("with 1- to 3-bit versions, wrap loses no slot of a set and finds exactly the live handles",
                       "[versions]", ((Reuse R), R), Reuse::lifo, Reuse::fifo, Reuse::lowest) {
    SECTION("erased at once") { narrow_versions<R, Exhaustion::wrap, false>(); }
    SECTION("with deferred erase") { narrow_versions<R, Exhaustion::wrap, true>(); }
}

TEST_CASE("with 4-bit versions, no stale handle of a set ever resolves, whatever was done before", "[versions]") {
    four_bits<Exhaustion::retire>();
}
TEST_CASE("with 4-bit versions, wrap loses no slot of a set and finds exactly the live handles", "[versions]") {
    four_bits<Exhaustion::wrap>();
}

TEMPLATE_TEST_CASE_SIG("long histories of a map with 4-bit versions: no stale handle ever resolves", "[versions]",
                       ((Reuse R), R), Reuse::lifo, Reuse::fifo, Reuse::lowest) {
#if defined(SLOTWISE_TEST_REST)
    wander<Wandering<R, Exhaustion::retire, false>>(1, 6000);
#else
    wander<Wandering<R, Exhaustion::retire, true>>(11, 6000);
#endif
}

TEMPLATE_TEST_CASE_SIG("long histories of a map with 4-bit versions that wrap find exactly the live handles", "[versions]",
                       ((Reuse R), R), Reuse::lifo, Reuse::fifo, Reuse::lowest) {
#if defined(SLOTWISE_TEST_REST)
    wander<Wandering<R, Exhaustion::wrap, true>>(12, 6000);
#else
    wander<Wandering<R, Exhaustion::wrap, false>>(2, 6000);
#endif
}
