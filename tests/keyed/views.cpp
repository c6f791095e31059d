// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetView and MapView: functions that are no templates read sets and maps of every kind.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/map_view.hpp>
#include <slotwise/keyed/set_view.hpp>

#include <stdexcept>

using namespace test;

namespace {

//=== what a user writes: no templates ===//

std::size_t letters(SetView<std::string> names) {
    std::size_t total = 0;
    for (const std::string& name : names) total += name.size();
    return total;
}
int total(MapView<std::string, int> stock) {
    int sum = 0;
    stock.for_each([&](const std::string&, const int& count) { sum += count; });
    return sum;
}
int of(MapView<std::string, int> stock, const std::string& name) { return stock.at(name); }
bool knows(SetView<std::string> names, const std::string& name) { return names.contains(name); }

struct ConstantHash {
    std::size_t operator()(const std::string&) const noexcept { return 1; }
};
constexpr KeySetOptions deferring{
    .deferred_erase = true, .reuse = Reuse::fifo, .handle = {.index_bits = 16, .version_bits = 16}};

using Plain = MapStorage<std::string, int>;
using Deferring = MapStorage<std::string, int, Options<deferring>>;
using OtherIndex = MapStorage<std::string, int, HashBy<ConstantHash>, IndexBy<PortableHashIndex>>;
using OtherAllocator = MapStorage<std::string, int, Options<KeySetOptions{.page_slots = 64}>,
                                  AllocBy<StatefulAllocator<std::string>>, ValueArray<double>, ValueArray<char>>;

template <class Map>
Map stock() {
    Map map;
    map["nails"] = 100;
    map["gone"] = 1000;
    map["screws"] = 20;
    map["glue"] = 3;
    map.erase("gone"); // a hole, or pending
    return map;
}

} // namespace

TEST_CASE("views are two words, copied as such", "[views]") {
    STATIC_REQUIRE(sizeof(SetView<std::string>) == 2 * sizeof(void*));
    STATIC_REQUIRE(sizeof(MapView<std::string, int>) == 2 * sizeof(void*));
    STATIC_REQUIRE(std::is_trivially_copyable_v<SetView<std::string>>);
    STATIC_REQUIRE(std::is_trivially_copyable_v<MapView<std::string, int>>);
    STATIC_REQUIRE_FALSE(std::is_default_constructible_v<SetView<int>>);
}

TEMPLATE_TEST_CASE("one function reads maps of any options, index, allocator and columns", "[views]", Plain, Deferring,
                   OtherIndex, OtherAllocator) {
    const TestType map = stock<TestType>();
    REQUIRE(total(map) == 123);
    REQUIRE(of(map, "screws") == 20);
    REQUIRE(letters(map) == 5 + 6 + 4); // a map's keys are a set
    REQUIRE(letters(map.as_set()) == 15);
    REQUIRE(letters(MapView(map)) == 15);
    REQUIRE(letters(MapView(map).as_set()) == 15);
    REQUIRE(knows(map, "glue"));
    REQUIRE_FALSE(knows(map, "gone"));
}

TEST_CASE("one function reads sets of any kind", "[views]") {
    const SetStorage<std::string> set{"ada", "grace"};
    const KeySet<std::string, HashBy<ConstantHash>, Options<deferring>, IndexBy<PortableHashIndex>, Column<int>> keys{"alan"};
    REQUIRE(letters(set) == 8);
    REQUIRE(letters(keys) == 4);
    REQUIRE(knows(set, "ada"));
    REQUIRE_FALSE(knows(keys, "ada"));
    REQUIRE(letters(SetStorage<std::string>()) == 0);
}

TEMPLATE_TEST_CASE("a view answers as its map does", "[views]", Plain, Deferring, OtherIndex, OtherAllocator) {
    const TestType map = stock<TestType>();
    const MapView view(map); // deduced
    STATIC_REQUIRE(std::is_same_v<decltype(view), const MapView<std::string, int>>);
    const SetView set(map.as_set());
    STATIC_REQUIRE(std::is_same_v<decltype(set), const SetView<std::string>>);
    REQUIRE(view.size() == 3);
    REQUIRE_FALSE(view.empty());
    REQUIRE(set.size() == 3);
    for (const char* name : {"nails", "screws", "glue", "gone", "unheard of"}) {
        CAPTURE(name);
        REQUIRE(view.contains(name) == map.contains(name));
        REQUIRE(view.slot_of(name) == map.slot_of(name));
        REQUIRE(view.get(name) == map.get(name));
        REQUIRE(set.contains(name) == map.contains(name));
        REQUIRE(set.slot_of(name) == map.slot_of(name));
        REQUIRE((view.find(name) == view.end()) == !map.contains(name));
        REQUIRE((set.find(name) == set.end()) == !map.contains(name));
        REQUIRE(view.find(name).slot() == map.slot_of(name));
        REQUIRE(set.find(name).slot() == map.slot_of(name));
        if (!map.contains(name)) continue;
        const slot_t slot = map.slot_of(name);
        REQUIRE(&view.at(name) == map.get(name));
        REQUIRE(&view.key(slot) == &map.key(slot));
        REQUIRE(&set.key(slot) == &map.key(slot));
        REQUIRE(&view.value(slot) == &map.value(slot));
        REQUIRE(view.find(name)->key == name);
        REQUIRE(&view.find(name)->value == map.get(name));
        REQUIRE(&*set.find(name) == &map.key(slot));
        REQUIRE(&view.keys()[slot] == &map.key(slot));
        REQUIRE(&view.values()[slot] == &map.value(slot));
    }
    for (slot_t slot = 0; slot != map.capacity() + 2; ++slot) {
        if (view.state(slot) != map.state(slot) || set.state(slot) != map.state(slot)) FAIL("slot " << slot);
        if (view.occupancy().test(slot) != (map.state(slot) == SlotState::live)) FAIL("slot " << slot);
    }
    REQUIRE_THROWS_AS(view.at("gone"), std::out_of_range);
}

TEST_CASE("a view reads removed elements by slot while they are pending", "[views]") {
    const Deferring map = stock<Deferring>();
    const MapView<std::string, int> view = map;
    const slot_t slot = map.slot_of_any("gone");
    REQUIRE(view.state(slot) == SlotState::pending);
    REQUIRE(view.key(slot) == "gone");
    REQUIRE(view.value(slot) == 1000);
    REQUIRE(view.as_set().key(slot) == "gone");
}

TEST_CASE("a view walks live elements in slot order, over holes and whole empty words", "[views]") {
    MapStorage<int, int> map;
    for (int i = 0; i != 1000; ++i) map[i] = 2 * i;
    map.erase_if([](int key, int) { return key % 7 != 0 || (key > 100 && key < 600); });
    std::vector<int> expected;
    for (const auto& [key, value] : map) expected.push_back(key);
    REQUIRE(expected.front() == 0);

    const MapView<int, int> view = map;
    const SetView<int> set = view;
    std::vector<int> items, arrows, each, keys, keys_each, by_slot;
    for (const auto [key, value] : view) {
        REQUIRE(value == 2 * key);
        items.push_back(key);
    }
    for (auto it = view.begin(); it != view.end(); ++it) {
        REQUIRE(it->value == 2 * it->key);
        REQUIRE(it.slot() == map.slot_of(it->key));
        arrows.push_back((*it).key);
    }
    view.for_each([&](const int& key, const int& value) {
        REQUIRE(value == 2 * key);
        each.push_back(key);
    });
    for (const int key : set) keys.push_back(key);
    set.for_each([&](const int& key) { keys_each.push_back(key); });
    for (const slot_t slot : set.slots()) by_slot.push_back(set.key(slot));
    for (const auto& seen : {items, arrows, each, keys, keys_each, by_slot}) REQUIRE(seen == expected);
    int sum = 0;
    for (const slot_t slot : view.slots()) sum += view.value(slot);
    for (const int value : view.values()) sum -= value;
    REQUIRE(sum == 0);
}

TEST_CASE("a view stays good while its container changes", "[views]") {
    MapStorage<int, int> map;
    const MapView<int, int> view = map;
    const SetView<int> set = map;
    REQUIRE(view.empty());
    REQUIRE(set.empty());
    REQUIRE(view.begin() == view.end());
    REQUIRE(set.begin() == set.end());
    REQUIRE(view.get(1) == nullptr);
    for (int i = 0; i != 5000; ++i) map[i] = i;
    REQUIRE(view.size() == 5000);
    REQUIRE(view.at(4321) == 4321);
    REQUIRE(set.contains(4999));
    map.clear();
    REQUIRE(view.empty());
    map.reset();
    REQUIRE(set.begin() == set.end());
    REQUIRE(view.state(3) == SlotState::free);
    map[7] = 8;
    REQUIRE(view.find(7)->value == 8);
    MapView<int, int> other = view;
    MapStorage<int, int> elsewhere;
    elsewhere[1] = 1;
    other = elsewhere;
    REQUIRE(other.contains(1));
    REQUIRE_FALSE(view.contains(1));
}

TEST_CASE("a map of maps is read through views of views", "[views]") {
    MapStorage<std::string, MapStorage<std::string, int>> shelves;
    shelves["left"]["nails"] = 1;
    shelves["left"]["screws"] = 2;
    shelves["right"]["glue"] = 4;
    int sum = 0;
    const MapView view = shelves;
    for (const auto [name, shelf] : view) sum += total(shelf);
    REQUIRE(sum == 7);
}

TEST_CASE("what hash and equality throw comes through a view", "[views]") {
    struct Throws {
        std::size_t operator()(int key) const {
            if (key == 13) TEST_THROW(InjectedFailure());
            return static_cast<std::size_t>(key);
        }
    };
    SetStorage<int, HashBy<Throws>> keys;
    keys.insert(1);
    const SetView<int> view = keys;
    REQUIRE(view.contains(1));
    REQUIRE_THROWS_AS(view.contains(13), InjectedFailure);
}
