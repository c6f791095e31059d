// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Windows: slots that wear out within one, because their handles have few bits for versions.
#include "semantics.hpp"

#include <set>

using namespace test;

namespace {

std::vector<int> numbers(int first, int last) {
    std::vector<int> all;
    for (int i = first; i != last; ++i) all.push_back(i);
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("a key that comes back in another slot, because its own is exhausted, is still the same key",
                   "[series][windows]", ALL_REPRESENTATIONS) {
    // Two bits of version: a slot is good for few stays and then retires.
    static constexpr SeriesOptions few{.delta = TestType::representation, .handle = {.index_bits = 14, .version_bits = 2}};
    using Dict = TSDStorage<int, int, Options<few>>;
    Dict start;
    {
        auto w = start.write(1);
        w.set(1, 10), w.set(2, 20);
    }
    std::size_t moved = 0;
    for (const bool value : {false, true})
        for (int stays = 1; stays != 12; ++stays) {
            CAPTURE(value, stays);
            auto dict = start;
            const slot_t slot = dict.slot_of(1);
            {
                auto w = dict.write(2);
                for (int i = 0; i != stays; ++i) {
                    REQUIRE(w.remove(1));
                    if (value)
                        w.set(1, i);
                    else
                        w.create(1);
                    REQUIRE(dict.check_invariants());
                }
            }
            moved += dict.slot_of(1) != slot ? 1u : 0u;
            CHECK(dict.added_keys(2).empty());
            CHECK(dict.removed_keys(2).empty());
            CHECK(dict.removed_items(2).empty());
            CHECK_FALSE(dict.was_added(1, 2));
            CHECK_FALSE(dict.was_removed(1, 2));
            CHECK(sorted(dict.modified_keys(2)) == (value ? std::vector{1} : std::vector<int>{}));
            CHECK(sorted(dict.reset_keys(2)) == (value ? std::vector<int>{} : std::vector{1}));
            auto replica = start;
            replica.write(2).apply(capture(dict, 2));
            CHECK(replica == dict);
            CHECK(replica.valid(1) == value);
            auto gone = dict;
            gone.write(2).remove(1);
            CHECK(sorted(gone.removed_keys(2)) == std::vector{1});
            CHECK(gone.was_removed(1, 2));
            CHECK(gone.removed_items(2).size() == 1);
            CHECK(gone.check_invariants());
            auto fresh = dict;
            fresh.write(2).clear();
            CHECK(sorted(fresh.removed_keys(2)) == std::vector{1, 2});
            dict.write(3).set(1, 3);
            CHECK(sorted(dict.modified_items(3)) == std::vector<std::pair<int, int>>{{1, 3}});
            CHECK(dict.check_invariants());
        }
    REQUIRE(moved > 0); // else nothing was tested
}

TEMPLATE_TEST_CASE("a set's member that comes back keeps its time, though its slots are exhausted", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    static constexpr SeriesOptions few{.delta = TestType::representation, .handle = {.index_bits = 14, .version_bits = 2}};
    TSSStorage<int, Options<few>> set;
    set.write(1).assign(numbers(0, 3));
    std::set<slot_t> slots;
    for (int time = 2; time != 6; ++time) {
        auto w = set.write(time);
        for (int i = 0; i != 20; ++i) {
            CAPTURE(time, i);
            REQUIRE(w.remove(1));
            REQUIRE(sorted(set.removed(time)) == std::vector{1});
            REQUIRE(set.was_removed(1, time));
            REQUIRE(w.add(1));
            slots.insert(set.slot_of(1));
            REQUIRE(set.last_modified(1) == 1);
            REQUIRE(set.added(time).empty());
            REQUIRE(set.removed(time).empty());
            REQUIRE_FALSE(set.was_removed(1, time));
            REQUIRE(set.check_invariants());
        }
        CHECK(set.size() == 3);
    }
    REQUIRE(slots.size() > 1);
}
TEMPLATE_TEST_CASE("a key new in the window is added once, though its slots are exhausted in it", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    static constexpr SeriesOptions few{.delta = TestType::representation, .handle = {.index_bits = 14, .version_bits = 2}};
    TSSStorage<int, Options<few>> set;
    set.write(1).add(0);
    auto w = set.write(2);
    std::set<slot_t> slots;
    for (int i = 0; i != 20; ++i) {
        REQUIRE(w.add(1));
        slots.insert(set.slot_of(1));
        REQUIRE(sorted(set.added(2)) == std::vector{1});
        REQUIRE(set.removed(2).empty());
        REQUIRE(w.remove(1));
        REQUIRE(set.added(2).empty());
        REQUIRE(set.removed(2).empty());
        REQUIRE_FALSE(set.was_removed(1, 2));
        REQUIRE(set.check_invariants());
    }
    REQUIRE(slots.size() > 1);
}
