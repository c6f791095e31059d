// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases for faults that a person could write in these headers and that no other case sees.
#include "directory.hpp"

using slotwise::Reuse;
using slotwise::slot_t;
using test::Full;
using test::grow;
using test::insert;

TEMPLATE_TEST_CASE(
    "shrinking ages the slots of the block in which one was used more than others, wherever it was, and no other", "",
    (test::Narrow<6, slotwise::Exhaustion::retire, Reuse::lowest>),
    (slotwise::SlotDirectory<slotwise::HandleLayout{16, 16, 0}>), Full<Reuse::lowest>) {
    constexpr slot_t block = 8 * sizeof(typename TestType::version_type);
    for (const slot_t often : {0u, 63u, 64u, 127u, 128u, 200u, 319u}) {
        CAPTURE(often);
        TestType directory;
        grow(directory, 320);
        for (int shrinks = 0; shrinks != 3; ++shrinks) {
            for (int i = 0; i != 320; ++i) insert(directory);
            for (slot_t slot = 0; slot != 320; ++slot) directory.erase(slot);
            for (int again = 0; again != 3; ++again) { // one slot had four elements, the others one
                directory.take(often, directory.version(often) + 1);
                directory.commit(often);
                directory.erase(often);
            }
            test::shrink(directory);
            REQUIRE(directory.capacity() == 0);
            REQUIRE(directory.check_invariants());
            TestType copy(directory, {});
            grow(directory, 320);
            grow(copy, 320);
            for (slot_t slot = 0; slot != 320; ++slot) {
                const bool aged = slot == often || (often >= 64 && slot >= 64 && slot / block == often / block);
                REQUIRE(directory.version(slot) == (aged ? 8u : 2u) * static_cast<unsigned>(shrinks + 1));
                REQUIRE(copy.version(slot) == directory.version(slot));
            }
        }
    }
}
