// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "versions_keyed.hpp"

TEMPLATE_TEST_CASE_SIG("long histories of a map with 4-bit versions: no stale handle ever resolves", "[versions]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    using namespace test;
    wander<MapStorage<int, int, DefaultHash<int>, EqualTo, narrow_keyed<4, R, Exhaustion::retire, 6, false>>>(1, 6000);
    wander<MapStorage<int, int, DefaultHash<int>, EqualTo, narrow_keyed<4, R, Exhaustion::retire, 6, true>>>(11, 6000);
}

TEMPLATE_TEST_CASE_SIG("long histories of a map with 4-bit versions that wrap find exactly the live handles", "[versions]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    using namespace test;
    wander<MapStorage<int, int, DefaultHash<int>, EqualTo, narrow_keyed<4, R, Exhaustion::wrap, 6, false>>>(2, 6000);
    wander<MapStorage<int, int, DefaultHash<int>, EqualTo, narrow_keyed<4, R, Exhaustion::wrap, 6, true>>>(12, 6000);
}
