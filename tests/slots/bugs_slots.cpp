// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases that tests/bugs/slots.txt asked for: without them a bug described there was not seen.
#include "directory.hpp"

using slotwise::Reuse;
using slotwise::slot_t;
using test::Full;
using test::grow;
using test::insert;

TEST_CASE("the floor is the highest version given up, wherever it was") {
    for (const slot_t often : {0u, 100u, 199u}) {
        Full<Reuse::lowest> directory;
        grow(directory, 200);
        for (int i = 0; i != 200; ++i) insert(directory);
        for (slot_t slot = 0; slot != 200; ++slot) directory.erase(slot);
        for (std::uint32_t version = 3; version != 9; version += 2) { // one slot had four elements, the others one
            directory.take(often, version);
            directory.commit(often);
            directory.erase(often);
        }
        test::shrink(directory);
        REQUIRE(directory.capacity() == 0);
        grow(directory, 200);
        for (int i = 0; i != 200; ++i) {
            const slot_t slot = insert(directory);
            REQUIRE(directory.version(slot) > 7);
        }
        CHECK(directory.check_invariants());
    }
}
