// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/column_view.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/catch.hpp"
#include "support/death.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <vector>

using namespace slotwise;

namespace {

template <Growth G, std::size_t PageSlots = 0>
using Map = SlotMap<int,
                    Options<SlotMapOptions{
                        .growth = SLOTWISE_VIRTUAL_MEMORY ? G : Growth::pages, .page_slots = PageSlots, .max_slots = 1 << 20}>,
                    Column<double>, Column<short>>;
using Small = Map<Growth::pages, 64>;

static_assert(std::forward_iterator<ColumnView<int>::iterator>);
static_assert(std::forward_iterator<ColumnView<int>::chunk_iterator>);
static_assert(std::is_convertible_v<ColumnView<int>, ColumnView<const int>>);
static_assert(!std::is_convertible_v<ColumnView<const int>, ColumnView<int>>);
static_assert(ColumnView<int>().begin() == ColumnView<int>().end() && ColumnView<int>().chunks().empty());

/// Fills with value == slot, then erases so that runs, single slots and full words of both kinds appear.
template <class M>
std::map<slot_t, int> fill(M& map, std::size_t count, unsigned percent) {
    std::mt19937 random(11);
    for (std::size_t i = 0; i < count; ++i) {
        const auto handle = map.insert(0);
        map[handle] = static_cast<int>(handle.index());
        map.template observer<0>()[handle.index()] = handle.index() * 0.5;
        map.template observer<1>()[handle.index()] = static_cast<short>(handle.index() % 1000);
    }
    map.erase_if([&](int slot) { return slot / 256 % 2 == 1 ? random() % 100 >= percent : percent == 0; });
    std::map<slot_t, int> expected;
    for (slot_t slot = 0; slot < count; ++slot)
        if (map.state(slot) == SlotState::live) expected[slot] = static_cast<int>(slot);
    return expected;
}

constexpr bool constant_use() {
    SlotMap<int> map;
    map.insert(3);
    const auto gone = map.insert(4);
    map.insert(5);
    map.erase(gone);
    int sum = 0;
    map.values().for_each([&](slot_t slot, int& value) { sum += static_cast<int>(slot) * 10 + value; });
    for (const int value : map.values()) sum += value;
    return sum == 3 + 25 + 8;
}
static_assert(constant_use());

/// check(map, what lives in it) for maps of many sizes, from empty to full.
template <class Map, class Check>
void at_every_density(Check check) {
    for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 700u, 5000u})
        for (const unsigned percent : {0u, 1u, 50u, 100u}) {
            CAPTURE(count, percent);
            Map map;
            check(map, fill(map, count, percent));
        }
}

} // namespace

TEMPLATE_TEST_CASE("every way through a column visits exactly the live slots, in slot order", "", Small, (Map<Growth::pages>),
                   (Map<Growth::reserve>)) {
    at_every_density<TestType>([](TestType& map, const std::map<slot_t, int>& expected) {
        const ColumnView<int> view = map.values();
        std::map<slot_t, int> seen;
        slot_t last = 0;
        bool ascending = true;
        const auto note = [&](slot_t slot, int value) {
            ascending = ascending && (seen.empty() || slot > last);
            last = slot;
            seen[slot] = value;
        };

        for (auto it = view.begin(); it != view.end(); ++it) note(it.slot(), *it);
        CHECK(seen == expected);
        seen.clear();
        view.for_each([&](slot_t slot, int& value) { note(slot, value); });
        CHECK(seen == expected);
        seen.clear();
        view.for_each([&](const int& value) { note(static_cast<slot_t>(value), value); });
        CHECK(seen == expected);
        seen.clear();
        for (const slot_t slot : view.slots()) note(slot, view[slot]);
        CHECK(seen == expected);
        seen.clear();
        for (const auto chunk : view.chunks())
            for (std::size_t i = 0; i < chunk.values.size(); ++i)
                if (chunk.live.test(i)) note(static_cast<slot_t>(chunk.first + i), chunk.values[i]);
        CHECK(seen == expected);
        CHECK(ascending);

        double sum = 0, right = 0;
        std::as_const(map).template column<0>().for_each([&](const double& value) { sum += value; });
        for (const auto& [slot, value] : expected) right += slot * 0.5;
        CHECK(sum == right);
    });
}

TEMPLATE_TEST_CASE("chunks cover all slots in use without gap, each contiguous and starting at a multiple of 64", "", Small,
                   (Map<Growth::pages>), (Map<Growth::reserve>)) {
    TestType map;
    fill(map, 5000, 50);
    const auto view = map.values();
    CHECK(view.slot_end() == 5000);
    std::size_t next = 0, count = 0;
    for (const auto chunk : view.chunks()) {
        CHECK(chunk.first == next);
        CHECK(chunk.first % 64 == 0);
        CHECK(chunk.values.size() == chunk.live.size());
        bool right = !chunk.values.empty();
        for (std::size_t i = 0; i < chunk.values.size(); ++i)
            if (chunk.live.test(i)) right = right && &chunk.values[i] == &view[static_cast<slot_t>(chunk.first + i)];
        CHECK(right);
        next += chunk.values.size();
        ++count;
    }
    CHECK(next == view.slot_end());
    CHECK(view.chunks().size() == count);
    if (TestType::options.growth == Growth::reserve) CHECK(count == 1); // one span over every slot
    if (std::is_same_v<TestType, Small>) CHECK(count < 5000 / 64);      // neighbouring pages of one piece of memory are joined
    const auto first = *view.chunks().begin();
    CHECK(first.live.words().data() == map.occupancy().words().data()); // the mask is the map's own
}

TEST_CASE("get answers for any handle: the value, or null when it is stale, foreign or made up") {
    Small map;
    const auto a = map.insert(10), b = map.insert(20);
    map.erase(a);
    const auto c = map.insert(30);
    REQUIRE(c.index() == a.index());
    const auto view = map.values();
    const auto reals = map.column<0>();
    using Handle = Small::handle_type;
    CHECK(view.get(b) == map.get(b));
    CHECK(view.get(c) == map.get(c));
    CHECK(reals.get(b) == &map.observer<0>()[b.index()]);
    CHECK(view.get(a) == nullptr);
    CHECK(reals.get(a) == nullptr);
    CHECK(view.get(Handle()) == nullptr);
    std::mt19937_64 random(2);
    std::size_t found = 0;
    for (int i = 0; i < 20'000; ++i) {
        // Half of them aim at the slots in use, with small versions, even ones too.
        const auto bits = i % 2 == 0 ? random() : (random() % 4) | (random() % 6) << 32;
        const auto handle = Handle::from_bits(bits);
        found += view.get(handle) != nullptr;
        CHECK(view.get(handle) == map.get(handle));
    }
    CHECK(found > 0);
    map.erase(b);
    CHECK(view.get(b) == nullptr);                                                     // erases show through
    CHECK(view.get(Handle::from_bits(b.index() | std::uint64_t{2} << 32)) == nullptr); // the even version that the slot has now
    CHECK_FALSE(view.contains(b.index()));
}

TEST_CASE("a view writes through, a read-only view of it does not") {
    Small map;
    const auto a = map.insert(1);
    const ColumnView<int> view = map.values();
    view[a.index()] = 7;
    CHECK(map[a] == 7);
    const ColumnView<const int> reader = view;
    CHECK(reader[a.index()] == 7);
    STATIC_REQUIRE(std::is_same_v<decltype(reader[0]), const int&>);
    STATIC_REQUIRE(std::is_same_v<decltype(reader.get(a)), const int*>);
    for (int& value : view) ++value;
    CHECK(map[a] == 8);
    std::replace(view.begin(), view.end(), 8, 9);
    CHECK(*reader.get(a) == 9);
}

TEST_CASE("erases show through a view, and so do inserts into slots it covers") {
    Small map;
    for (int i = 0; i < 100; ++i) map.insert(i);
    const auto view = map.values();
    map.erase(map.handle_at(slot_t{40}));
    CHECK(view.occupancy().count() == 99);
    CHECK_FALSE(view.contains(40));
    CHECK(map.insert(5).index() == 40);
    CHECK(view[40] == 5);
    CHECK(std::distance(view.begin(), view.end()) == 100);
}

TEMPLATE_TEST_CASE("columns of one map are walked together, whatever their page sizes", "", Small, (Map<Growth::pages>),
                   (Map<Growth::reserve>)) {
    // Small: pages of 64 ints beside pages of 512 doubles and 2048 shorts.
    at_every_density<TestType>([](TestType& map, const std::map<slot_t, int>& expected) {
        auto next = expected.begin();
        bool right = true;
        zip_columns(
            [&](slot_t slot, int& value, double& real, const short& small) {
                right = right && next != expected.end() && slot == next->first && value == next->second && real == slot * 0.5 &&
                        small == static_cast<short>(slot % 1000) && &value == &map.values()[slot] &&
                        &small == &map.template observer<1>()[slot];
                ++next;
                real = -real;
            },
            map.values(), map.template column<0>(), ColumnView<const short>(map.template column<1>()));
        CHECK(right);
        CHECK(next == expected.end());
        std::size_t visited = 0;
        zip_columns(
            [&](slot_t slot, const double& real) {
                right = right && real == slot * -0.5;
                ++visited;
            },
            std::as_const(map).template column<0>());
        CHECK(right);
        CHECK(visited == expected.size());
    });
}

#if defined(__cpp_exceptions)
TEST_CASE("a walk over columns ends where f throws, and what it has changed stays changed") {
    Small map;
    fill(map, 300, 50);
    for (const slot_t last : {slot_t{0}, slot_t{100}, map.occupancy().find_next(256)}) { // in full words, and in one with holes
        std::vector<slot_t> seen;
        const auto walk = [&] {
            zip_columns(
                [&](slot_t slot, int& value, double& real) {
                    if (slot == last) throw slot;
                    seen.push_back(slot);
                    value = -1;
                    real = last;
                },
                map.values(), map.column<0>());
        };
        CHECK_THROWS_AS(walk(), slot_t);
        const auto met = [&](slot_t slot) { return std::ranges::find(seen, slot) != seen.end(); };
        bool right = true;
        for (const slot_t slot : map.slots())
            right =
                right && met(slot) == (slot < last) && (map.column<0>()[slot] == last) == (slot < last || last == slot * 0.5);
        CHECK(right);
    }
}
#endif

TEST_CASE("in a walk over columns f may erase what it is given, and what it inserts behind the view's end is not met") {
    Small map;
    const auto expected = fill(map, 200, 50);
    const auto view = map.values();
    std::vector<slot_t> seen;
    zip_columns(
        [&](slot_t slot, int&, double&) {
            seen.push_back(slot);
            if (slot % 3 == 0) map.erase(map.handle_at(slot));
        },
        view, map.column<0>());
    CHECK(seen.size() == expected.size());
    CHECK(std::ranges::is_sorted(seen));
    seen.clear();
    zip_columns([&](slot_t slot, int&) { seen.push_back(slot); }, view);
    CHECK(seen.size() == expected.size() - static_cast<std::size_t>(std::ranges::count_if(
                                               expected, [](const auto& slot) { return slot.first % 3 == 0; })));
    // Filled up, and three more in the word that the view ends in.
    while (map.size() != 203) map.insert(1000);
    const auto below_end = [&](slot_t slot) { return slot < 200; };
    seen.clear();
    zip_columns([&](slot_t slot, int&, double&) { seen.push_back(slot); }, view, map.column<0>());
    CHECK(seen.size() == 200);
    CHECK(std::ranges::all_of(seen, below_end));
    seen.clear();
    view.for_each([&](slot_t slot, int&) { seen.push_back(slot); });
    CHECK(seen.size() == 200);
    CHECK(std::ranges::all_of(seen, below_end));
}

TEST_CASE("one chunk is walked as the whole column is") {
    Map<Growth::pages> map;
    const auto expected = fill(map, 5000, 50);
    std::map<slot_t, int> seen;
    const auto note = [&](slot_t slot, int& value) { seen[slot] = value; };
    for (const auto& chunk : map.chunks()) ColumnView<int>::for_each_in_chunk(chunk, note);
    CHECK(seen == expected);
    int sum = 0, right = 0;
    const auto add = [&](const int& value) { sum += value; };
    for (const auto& chunk : map.chunks()) ColumnView<int>::for_each_in_chunk(chunk, add);
    for (const auto& [slot, value] : expected) right += value;
    CHECK(sum == right);
}

TEST_CASE("an iterator of a view goes from page to page, past what is erased meanwhile") {
    Small map; // pages of 64 ints: each word of slots is on a page of its own
    for (int i = 0; i < 400; ++i) map.insert(i);
    const auto view = map.values();
    auto it = view.begin();
    CHECK(&*it == &view[0]);
    for (slot_t slot = 1; slot < 300; ++slot) map.erase(map.handle_at(slot)); // the rest of this page, four pages, a part
    CHECK(*++it == 300);
    CHECK(&*it == &view[300]);
    const auto here = it++;
    CHECK(*here == 300);
    CHECK(*it == 301);
    map.erase_if([](int value) { return value > 301; });
    CHECK(++it == view.end());
    CHECK(*map.values().begin() == 0);
    for (int& value : map.values()) value += 7;
    CHECK(map.values()[300] == 307);
}

TEST_CASE("views of a map with 8-bit and 16-bit versions compare the right bytes") {
    SlotMap<int, Options<SlotMapOptions{.handle = {8, 8, 0}}>> eight;
    SlotMap<int, Options<SlotMapOptions{.handle = {16, 16, 0}}>> sixteen;
    const auto check = [](auto& map) {
        std::vector<std::remove_cvref_t<decltype(map.insert(0))>> old, now;
        for (int i = 0; i < 100; ++i) old.push_back(map.insert(i));
        for (std::size_t i = 0; i < 100; i += 2) map.erase(old[i]);
        for (int i = 0; i < 50; ++i) now.push_back(map.insert(i));
        const auto view = map.values();
        bool right = true;
        for (std::size_t i = 0; i < 100; ++i) right = right && (view.get(old[i]) != nullptr) == (i % 2 == 1);
        for (const auto handle : now) right = right && view.get(handle) == map.get(handle) && view.get(handle) != nullptr;
        return right;
    };
    CHECK(check(eight));
    CHECK(check(sixteen));
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("asking a view for a slot that is not live, or zipping views of two maps, is a failed check") {
    Small map, other;
    map.erase(map.insert(1));
    other.insert(1);
    map.insert(1);
    map.erase(map.insert(2));
    CHECK(test::dies_saying("the slot is not live", [&] { static_cast<void>(map.values()[1] + 1); }));
    CHECK(test::dies_saying("the slot is not live", [&] { static_cast<void>(map.values()[no_slot] + 1); }));
    CHECK(test::dies_saying("different containers",
                            [&] { zip_columns([](slot_t, int&, int&) {}, map.values(), other.values()); }));
}
#endif

#if SLOTWISE_CHECK_LEVEL >= 2
TEST_CASE("erasing an element ahead in a walk over columns is a failed check") {
    Small map;
    fill(map, 10, 50);
    CHECK(test::dies_saying("erased an element ahead",
                            [&] { zip_columns([&](slot_t, int&) { map.erase(map.handle_at(slot_t{9})); }, map.values()); }));
}
#endif

TEST_CASE("a handle of a wider or narrower layout reads no version beyond the array") {
    // The version's width is the map's, not the handle's: the last slots of a small map would otherwise be read past their end.
    SlotMap<int, Options<SlotMapOptions{.handle = {8, 8, 0}}>> map;
    for (int i = 0; i != 64; ++i) map.insert(i);
    const auto view = map.values();
    for (slot_t slot = 0; slot != 64; ++slot) {
        const int* const found = view.get(Handle<void>(slot, 1));
        REQUIRE(found != nullptr);
        CHECK(*found == static_cast<int>(slot));
        CHECK(view.get(Handle<void>(slot, 0x0101)) == nullptr);
        CHECK(view.get(Handle<void>(slot, 3)) == nullptr);
    }
    CHECK(view.get(Handle<void>(64, 1)) == nullptr);
    CHECK(view.get(Handle<void>(0xFFFF'FFFF, 1)) == nullptr);
}
