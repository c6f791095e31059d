// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// MapStorage element by element: iterators and items, views of the columns, values that cannot move.
#include "keys.hpp"
#include "support/catch.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <iterator>
#include <memory>

namespace {

using namespace test;

template <class Key, class T, KeySetOptions O = small_pages, class... Columns>
using MapOf = MapStorage<Key, T, HashBy<HashOf<Key>>, EqualBy<EqualOf<Key>>, Options<O>, Columns...>;

std::string key_text(int i) { return make_key<std::string>(i); }

} // namespace

TEST_CASE("iterators yield items that bind as key and value and know slot and handle", "[map_items]") {
    using Map = MapOf<std::string, int>;
    static_assert(std::forward_iterator<Map::iterator> && std::forward_iterator<Map::const_iterator>);
    static_assert(std::is_convertible_v<Map::iterator, Map::const_iterator>);
    static_assert(!std::is_convertible_v<Map::const_iterator, Map::iterator>);
    static_assert(std::is_same_v<decltype(Map::iterator()->value), int&>);
    static_assert(std::is_same_v<decltype(Map::const_iterator()->value), const int&>);
    static_assert(std::is_same_v<decltype(Map::iterator()->key), const std::string&>);
    Map map;
    for (int i = 0; i != 130; ++i) map[key_text(i)] = i;
    for (int i = 20; i != 90; ++i) map.erase(key_text(i));
    int count = 0;
    for (auto [key, value] : map) {
        REQUIRE(map.get(key) == &value);
        value += 1000;
        ++count;
    }
    REQUIRE(count == 60);
    const Map& constant = map;
    slot_t last = 0;
    for (auto it = constant.begin(); it != constant.end(); ++it) {
        REQUIRE(it->value == number_of_key(it->key) + 1000);
        REQUIRE((it.slot() > last || it == constant.begin()));
        REQUIRE(constant.handle_of(it->key) == it.handle());
        REQUIRE(&constant.value(it.slot()) == &it->value);
        last = it.slot();
    }
    auto it = map.find(key_text(19));
    REQUIRE((it++)->value == 1019);
    REQUIRE((*it).value == 1090);
    const Map::const_iterator const_it = it;
    REQUIRE(const_it != map.cbegin());
    it->value = 5;
    REQUIRE(const_it->value == 5);
    REQUIRE(std::distance(map.begin(), map.end()) == 60);
}

TEST_CASE("items is the same walk as a range with a size", "[map_items]") {
    MapOf<int, std::string> map{{1, "a"}, {2, "b"}, {3, "c"}};
    map.erase(2);
    REQUIRE(map.items().size() == 2);
    for (auto [key, value] : map.items()) value += std::to_string(key);
    REQUIRE(map.at(1) == "a1");
    REQUIRE(map.at(3) == "c3");
    const auto& constant = map;
    std::string all;
    for (const auto& item : constant.items()) all += item.value;
    REQUIRE(all == "a1c3");
    REQUIRE_FALSE(constant.items().empty());
}

TEST_CASE("pairs come by iterators, and a predicate may take the item as auto&", "[map_items]") {
    const std::vector<std::pair<int, std::string>> pairs{{1, "one"}, {2, "two"}, {1, "again"}};
    MapStorage<int, std::string> map;
    map.insert(pairs.begin(), pairs.end());
    REQUIRE(map.size() == 2);
    REQUIRE(map.at(1) == "one");
    REQUIRE(erase_if(map, [](auto& item) { return item.value == "two"; }) == 1);
    REQUIRE_FALSE(map.contains(2));
}

TEST_CASE("map iterators survive growth and the erase of any element", "[map_items]") {
    MapOf<int, int> map;
    for (int i = 0; i != 200; ++i) map[i] = i;
    auto it = map.find(60);
    int& value = it->value;
    for (int i = 1000; i != 5000; ++i) map[i] = i;
    REQUIRE(&it->value == &value);
    for (int i = 60; i != 130; ++i) map.erase(i);
    REQUIRE((++it)->value == 130);
    std::size_t visited = 0;
    for (auto at = map.begin(); at != map.end(); ++visited) at = at->key % 7 == 0 ? map.erase(at) : std::next(at);
    REQUIRE(visited == 4130);
    REQUIRE(map.check_invariants());
}

TEST_CASE("for_each, values, keys, slots and occupancy of a map agree", "[map_items]") {
    MapOf<int, int> map;
    for (int i = 0; i != 400; ++i) map[i] = 10 * i;
    for (int i = 64; i != 128; ++i) map.erase(i);
    for (int i = 200; i < 400; i += 3) map.erase(i);
    const auto& constant = map;
    std::vector<int> expected, by_pair, by_handle, by_values, by_slot;
    for (const auto [key, value] : constant) expected.push_back(value);
    map.for_each([&](const int& key, int& value) {
        REQUIRE(value == 10 * key);
        by_pair.push_back(value);
    });
    constant.for_each([&](auto handle, const int& key, const int& value) {
        REQUIRE(constant.get(handle) == &value);
        REQUIRE(constant.key(handle) == &key);
        by_handle.push_back(value);
    });
    static_assert(std::is_same_v<decltype(map.values()), ColumnView<int>>);
    static_assert(std::is_same_v<decltype(constant.values()), ColumnView<const int>>);
    static_assert(std::is_same_v<decltype(map.keys()), ColumnView<const int>>);
    for (const int value : constant.values()) by_values.push_back(value);
    for (const slot_t slot : map.slots()) by_slot.push_back(constant.values()[slot]);
    REQUIRE(by_pair == expected);
    REQUIRE(by_handle == expected);
    REQUIRE(by_values == expected);
    REQUIRE(by_slot == expected);
    REQUIRE(map.occupancy().count() == map.size());
    for (int& value : map.values()) ++value;
    zip_columns([](slot_t, const int& key, const int& value) { REQUIRE(value == 10 * key + 1); }, map.keys(), map.values());
    REQUIRE(map.values().get(map.handle_of(5)) == map.get(5));
    std::size_t visited = 0;
    map.for_each([&](auto handle, const int&, int&) { visited += map.erase(handle); });
    REQUIRE(visited == expected.size());
    REQUIRE(map.empty());
    REQUIRE(map.check_invariants());
}

TEST_CASE("further columns are counted from 0, the values are not one of them", "[map_items]") {
    NothingLeaks objects;
    using Map = MapOf<std::string, Tracked, small_pages, ValueArray<std::string>, ValueArray<int>>;
    Map map;
    for (int i = 0; i != 200; ++i) {
        const slot_t slot = map.try_emplace(key_text(i), i).it.slot();
        REQUIRE(map.observer<0>()[slot].empty());
        REQUIRE(map.observer<1>()[slot] == 0);
        map.observer<0>()[slot] = key_text(-i);
        map.column<1>()[slot] = 2 * i;
    }
    for (int i = 0; i < 200; i += 2) map.erase(key_text(i));
    const Map copy = map;
    static_assert(std::is_same_v<decltype(copy.column<1>()), ColumnView<const int>>);
    static_assert(std::is_same_v<decltype(map.column<1>()), ColumnView<int>>);
    int seen = 0;
    zip_columns(
        [&](slot_t slot, const std::string& key, const Tracked& value, const std::string& text, const int& number) {
            REQUIRE(value.value() == number_of_key(key));
            REQUIRE(text == key_text(-value.value()));
            REQUIRE(number == 2 * value.value());
            REQUIRE(copy.observer<1>()[slot] == number);
            ++seen;
        },
        copy.keys(), copy.values(), copy.column<0>(), copy.column<1>());
    REQUIRE(seen == 100);
    const slot_t slot = map.try_emplace("into a hole", 5).it.slot();
    REQUIRE(map.observer<0>()[slot].empty());
    REQUIRE(map.observer<1>()[slot] == 0);
}

TEST_CASE("merge value-initialises further columns", "[map_items]") {
    using Map = MapOf<int, int, small_pages, ValueArray<int>>;
    Map a, b;
    b.observer<0>()[b.try_emplace(1, 10).it.slot()] = 99;
    a.merge(b);
    REQUIRE(a.at(1) == 10);
    REQUIRE(a.observer<0>()[a.slot_of(1)] == 0);
}

TEST_CASE("values may be built in place and never moved: a map of sets and a map of maps", "[map_items]") {
    MapOf<std::string, SetStorage<int>> sets;
    for (int i = 0; i != 500; ++i) sets["set " + std::to_string(i % 50)].insert(i);
    REQUIRE(sets.size() == 50);
    REQUIRE(sets.at("set 7").size() == 10);
    REQUIRE(sets.at("set 7").contains(57));
    const int* const address = &*sets.at("set 7").find(57);
    for (int i = 0; i != 1000; ++i) sets["more " + std::to_string(i)].insert(i);
    REQUIRE(&*sets.at("set 7").find(57) == address);
    const auto copy = sets;
    REQUIRE(copy == sets);
    sets.at("set 7").insert(-1);
    REQUIRE(copy != sets);

    MapOf<std::string, MapOf<std::string, std::string>> maps;
    maps["de"]["one"] = "eins";
    maps["de"]["two"] = "zwei";
    maps["fr"]["one"] = "un";
    maps["fr"]["two"] = maps["it"]["two"] = maps["de"]["two"];
    REQUIRE(maps.at("de").size() == 2);
    REQUIRE(maps.at("it").at("two") == "zwei");
    REQUIRE(maps.erase("de"));
    for (const auto [language, words] : maps) REQUIRE(words.contains("two"));
    for (const auto [language, words] : maps) REQUIRE(words.check_invariants());
    REQUIRE(maps.check_invariants());
}

TEST_CASE("values that can neither be copied nor moved, and keys too", "[map_items]") {
    NothingLeaks objects;
    MapOf<NonMovable, NonMovable> map;
    for (int i = 0; i != 200; ++i) REQUIRE(map.try_emplace(i, 2 * i).inserted);
    REQUIRE_FALSE(map.try_emplace(3, 0).inserted);
    REQUIRE(map[500].value() == 0);
    const NonMovable* const address = map.get(77);
    for (int i = 0; i < 200; i += 2) map.erase(i);
    auto moved = std::move(map);
    REQUIRE(moved.get(77) == address);
    REQUIRE(moved.at(77).value() == 154);
    REQUIRE(moved.check_invariants());
    moved.shrink_to_fit();
    moved.reset();
    REQUIRE(objects.alive() == 0);
}

TEMPLATE_TEST_CASE("values of every kind are built, found, replaced and destroyed", "[map_items]", std::string, test::Throwing,
                   test::MoveOnly, test::OverAligned<128>, test::Big, test::Empty) {
    NothingLeaks objects;
    MapOf<int, TestType> map;
    for (int i = 0; i != 200; ++i) map.insert(i, make_key<TestType>(i));
    for (int i = 0; i < 200; i += 3) map.erase(i);
    for (int i = 0; i != 200; ++i) {
        REQUIRE((map.get(i) != nullptr) == (i % 3 != 0));
        if (i % 3 == 0) continue;
        if constexpr (!std::is_empty_v<TestType>) REQUIRE(number_of_key(map.at(i)) == i);
        REQUIRE(reinterpret_cast<std::uintptr_t>(map.get(i)) % alignof(TestType) == 0);
    }
    map.insert_or_assign(1, make_key<TestType>(7));
    if constexpr (!std::is_empty_v<TestType>) REQUIRE(number_of_key(map.extract(1)->second) == 7);
    REQUIRE(map.check_invariants());
    auto moved = std::move(map);
    moved.clear();
    REQUIRE(moved.check_invariants());
    moved.insert(1, make_key<TestType>(1)); // dies with the map
}
