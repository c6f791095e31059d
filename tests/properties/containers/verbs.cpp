// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The verbs of containers.hpp do what the property tests take for granted.
#include "properties/containers.hpp"

#include "support/catch.hpp"

namespace {
using namespace test::every;

struct Verbs {
    template <class Entry, class C>
    static void run() {
        C c = made<C>();
        const auto first = Entry::insert(c, 1), second = Entry::insert(c, 2);
        CHECK(first != second);
        CHECK(Entry::contains(c, first));
        CHECK(c.size() == 2);
        CHECK(Entry::erase(c, first));
        CHECK_FALSE(Entry::erase(c, first));
        CHECK_FALSE(Entry::contains(c, first));
        CHECK(Entry::contains(c, second));
        CHECK(c.check_invariants());
        Entry::clear(c);
        CHECK(c.size() == 0);
        CHECK_FALSE(Entry::contains(c, second));
        CHECK(c.check_invariants());
    }
};
} // namespace

TEST_CASE("every container takes an element, finds it by its name, and forgets the name with the element", "[properties]") {
    CHECK(for_each_container<Verbs>() >= 40);
}
