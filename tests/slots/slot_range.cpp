// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/slot_range.hpp>

#include "directory.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

using namespace slotwise;

namespace {

constexpr bits::word_t words[] = {0b1001, 0, 1};
constexpr std::size_t sum(SlotRange range) {
    std::size_t total = 0;
    for (const slot_t slot : range) total += slot;
    return total;
}
static_assert(sum(SlotRange(Occupancy(words, 192))) == 131);
static_assert(SlotRange().empty() && SlotRange().begin() == SlotRange().end());
static_assert(std::forward_iterator<SlotRange::iterator>);
static_assert(std::is_same_v<std::iter_value_t<SlotRange::iterator>, slot_t>);

std::vector<slot_t> listed(SlotRange range) { return {range.begin(), range.end()}; }

using Directory = SlotDirectory<>;

Directory with(std::vector<slot_t> live) {
    Directory directory;
    test::grow(directory, 300);
    for (int i = 0; i < 300; ++i) test::insert(directory);
    for (slot_t slot = 0; slot < 300; ++slot)
        if (std::find(live.begin(), live.end(), slot) == live.end()) directory.erase(slot);
    return directory;
}

} // namespace

TEST_CASE("a slot range lists exactly the live slots, in ascending order") {
    for (const std::vector<slot_t>& live :
         {std::vector<slot_t>{}, {0}, {299}, {0, 63, 64, 127, 128, 299}, {64}, {62, 63}, {5, 200}}) {
        const auto directory = with(live);
        const SlotRange range(directory.occupancy());
        CHECK(listed(range) == live);
        CHECK(range.empty() == live.empty());
    }
}

TEST_CASE("every full word is listed too") {
    Directory directory;
    test::grow(directory, 128);
    for (slot_t slot = 0; slot < 128; ++slot) test::insert(directory);
    const auto all = listed(SlotRange(directory.occupancy()));
    REQUIRE(all.size() == 128);
    for (slot_t slot = 0; slot < 128; ++slot) CHECK(all[slot] == slot);
}

TEST_CASE("a slot erased ahead of the walk is skipped, also the current one may go, and one inserted behind is missed") {
    auto directory = with({1, 5, 9, 70, 71});
    std::vector<slot_t> visited;
    const SlotRange range(directory.occupancy());
    for (const slot_t slot : range) {
        visited.push_back(slot);
        if (slot == 5) {
            directory.erase(5);
            directory.erase(70);
            CHECK(directory.acquire_live() == 0); // lowest: behind
        }
    }
    CHECK(visited == std::vector<slot_t>{1, 5, 9, 71});
    CHECK(listed(range) == std::vector<slot_t>{0, 1, 9, 71});
}

TEST_CASE("iterators of a slot range are equal when they are at the same slot") {
    const auto directory = with({1, 5});
    const SlotRange range(directory.occupancy());
    auto it = range.begin();
    const auto first = it++;
    CHECK(*first == 1);
    CHECK(*it == 5);
    CHECK(it != first);
    CHECK(++it == range.end());
    CHECK(SlotRange::iterator() == range.end());
}
