// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What views, iterators and addresses of keyed containers survive, and what a new one shows where they do not.
#include "scene.hpp"

#include "support/death.hpp"

#include <slotwise/keyed/map_view.hpp>
#include <slotwise/keyed/set_view.hpp>

#include <iterator>

using namespace test;

namespace {

constexpr KeySetOptions lowest{.reuse = Reuse::lowest, .page_slots = 64};

/// Erases below slot_end() and inserts into those slots show; after growth a new view sees the same keys at the same addresses.
template <class C, class ViewOf>
void follows(ViewOf view_of) {
    C c;
    c.reserve(200);
    for (int n = 0; n != 100; ++n) enter(c, n);
    const auto view = view_of(c);
    leave(c, 7);
    REQUIRE_FALSE(view.contains(7));
    REQUIRE(std::distance(view.begin(), view.end()) == 99);
    REQUIRE(enter(c, 777).it.slot() == 7);
    REQUIRE(view.contains(7));
    std::vector<const void*> before;
    std::vector<int> numbers;
    for (slot_t slot = 0; slot != 100; ++slot) {
        before.push_back(&view[slot]);
        numbers.push_back(number(view[slot]));
    }
    c.reserve(100'000);
    for (int n = 1000; n != 3000; ++n) enter(c, n);
    const auto now = view_of(c); // the old one may look where the container no longer is
    bool same = true;
    for (slot_t slot = 0; slot != 100; ++slot) same = same && &now[slot] == before[slot] && number(now[slot]) == numbers[slot];
    REQUIRE(same);
    REQUIRE(std::distance(now.begin(), now.end()) == 2100);
}

using Set = SetStorage<Tracked, HashBy<NumberHash>, Options<lowest>>;
using Map = MapStorage<int, Tracked, HashBy<NumberHash>, Options<lowest>>;

} // namespace

TEST_CASE("keys() and values() show inserts and erases while nothing grows; new ones show the same at the same addresses",
          "[promises]") {
    NothingLeaks objects;
    follows<Set>([](const Set& set) { return set.keys(); });
    follows<Set>([](const Set& set) { return SetView<Tracked>(set).keys(); });
    follows<Map>([](const Map& map) { return map.keys(); });
    follows<Map>([](const Map& map) { return map.values(); });
    follows<Map>([](const Map& map) { return MapView<int, Tracked>(map).keys(); });
    follows<Map>([](const Map& map) { return MapView<int, Tracked>(map).values(); });
}

TEMPLATE_TEST_CASE("slots() and occupancy() show inserts and erases while nothing grows, and new ones everything", "[promises]",
                   Set, Map) {
    TestType c;
    c.reserve(200);
    for (int n = 0; n != 100; ++n) enter(c, n);
    const auto slots = c.slots();
    const Occupancy occupancy = c.occupancy();
    leave(c, 7);
    REQUIRE(std::distance(slots.begin(), slots.end()) == 99);
    REQUIRE(occupancy.count() == 99);
    REQUIRE_FALSE(occupancy.test(7));
    enter(c, 777);
    REQUIRE(std::distance(slots.begin(), slots.end()) == 100);
    REQUIRE(occupancy.test(7));
    for (int n = 1000; n != 3000; ++n) enter(c, n);
    REQUIRE(c.occupancy().count() == 2100);
    const auto all = c.slots();
    REQUIRE(std::distance(all.begin(), all.end()) == 2100);
}

TEMPLATE_TEST_CASE(
    "a removed element is readable at its address until the flush, no walk meets it, and its handle is stale at once",
    "[promises]", (SetStorage<Tracked, HashBy<NumberHash>, Options<deferred>>),
    (MapStorage<int, Tracked, HashBy<NumberHash>, Options<deferred>>)) {
    NothingLeaks objects;
    TestType c;
    for (int n = 0; n != 100; ++n) enter(c, n);
    const auto handle = c.handle_at(40);
    const auto at_39 = std::next(c.begin(), 39), at_40 = std::next(c.begin(), 40);
    const void* const where = &c.key(40);
    const auto alive = objects.alive();
    REQUIRE(c.remove(handle));
    REQUIRE_FALSE(c.contains(handle));
    REQUIRE(c.explain(handle) == HandleStatus::pending);
    REQUIRE(std::next(at_39).slot() == 41);
    REQUIRE(std::next(at_40).slot() == 41);
    REQUIRE(std::distance(c.begin(), c.end()) == 99);
    for (int n = 100; n != 2000; ++n) enter(c, n); // also while it grows
    REQUIRE(&c.key(40) == where);
    REQUIRE(number(c.key(40)) == 40);
    if constexpr (is_keyed_map<TestType>) REQUIRE(number(c.value(40)) == 400);
    REQUIRE(objects.alive() == alive + 1900);
    c.flush_removed();
    REQUIRE(objects.alive() == alive + 1899);
    REQUIRE(c.explain(handle) == HandleStatus::stale);
}

TEMPLATE_TEST_CASE("erase(key): only the erased address, iterator and handle are gone", "[promises]", Set, Map) {
    TestType c;
    std::vector<typename TestType::handle_type> handles;
    for (int n = 0; n != 100; ++n) handles.push_back(c.handle_at(enter(c, n).it.slot()));
    std::vector<decltype(c.begin())> all;
    std::vector<const void*> before;
    for (auto it = c.begin(); it != c.end(); ++it) {
        all.push_back(it);
        before.push_back(&c.key(it.slot()));
    }
    REQUIRE(leave(c, 40));
    for (slot_t slot = 0; slot != 100; ++slot) {
        REQUIRE(c.contains(handles[slot]) == (slot != 40));
        if (slot == 40) continue;
        REQUIRE(&c.key(slot) == before[slot]);
        REQUIRE(all[slot].handle() == handles[slot]);
    }
    REQUIRE(std::next(all[39]) == all[41]);
    REQUIRE(c.explain(handles[40]) == HandleStatus::stale);
}

TEMPLATE_TEST_CASE("after clear no iterator leads to an element", "[promises][death]", Set, Map) {
    TestType c;
    for (int n = 0; n != 100; ++n) enter(c, n);
    [[maybe_unused]] const auto it = c.begin();
    c.clear();
    REQUIRE(c.begin() == c.end());
    REQUIRE(std::next(it) == c.end());
    REQUIRE(dies_saying("erase(it)", [&] { c.erase(it); }));
}

TEMPLATE_TEST_CASE("iterators stay with their element while a container shrinks", "[promises]", Set, Map) {
    TestType c;
    for (int n = 0; n != 3000; ++n) enter(c, n);
    std::vector<decltype(c.begin())> all;
    for (auto it = c.begin(); it.slot() != 10; ++it) all.push_back(it);
    for (int n = 10; n != 3000; ++n) leave(c, n);
    const auto capacity = c.capacity();
    c.shrink_to_fit();
    REQUIRE(c.capacity() < capacity);
    REQUIRE(all.size() == 10);
    for (slot_t slot = 0; slot != 10; ++slot) {
        REQUIRE(all[slot].slot() == slot);
        REQUIRE(all[slot].handle() == c.handle_at(slot));
        REQUIRE(std::next(all[slot]) == (slot == 9 ? c.end() : all[slot + 1]));
    }
}
