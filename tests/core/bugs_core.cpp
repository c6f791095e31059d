// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases that tests/bugs/core.txt asked for: without them a bug described there was not seen.
#include <slotwise/core/versioned.hpp>

#include "support/catch.hpp"

using slotwise::Versioned;

TEST_CASE("an assigned value counts on from its own changes, however often the source has changed") {
    Versioned<int> target(1), source(2);
    for (int i = 0; i != 10; ++i) source.touch();
    const auto mark = target.mark();
    target = source;
    CHECK(target.mark() == mark + 1);
    Versioned<int> other(3);
    for (int i = 0; i != 10; ++i) other.touch();
    target = static_cast<Versioned<int>&&>(other);
    CHECK(target.mark() == mark + 2);
    CHECK(target.changed_since(mark));
}
