// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases for faults that a person could write in these headers and that no other case sees.
#include <slotwise/core/versioned.hpp>

#include "support/catch.hpp"

using slotwise::Versioned;

TEST_CASE("an assigned value counts on from the higher counter of both, so that no reader of either misses the change") {
    Versioned<int> target(1), source(2);
    for (int i = 0; i != 10; ++i) source.touch();
    const auto mark = target.mark();
    target = source;
    CHECK(target.mark() == source.mark()); // 11, of 1 here: it has the value that readers of the source saw at 11
    CHECK(target.changed_since(mark));
    const Versioned<int> few(3);
    const auto seen = target.mark();
    target = few;
    CHECK(target.mark() == seen + 1);
    Versioned<int> other(4);
    for (int i = 0; i != 10; ++i) other.touch();
    target = static_cast<Versioned<int>&&>(other);
    CHECK(target.mark() == seen + 2);
}
