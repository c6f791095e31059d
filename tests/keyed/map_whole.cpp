// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// MapStorage as a whole: construction, copies, memory, relations, the map as a set.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <map>
#include <stdexcept>
#include <unordered_map>

namespace {

using namespace test;

template <class Key, class T, KeySetOptions O = small_pages>
using MapOf = MapStorage<Key, T, HashBy<HashOf<Key>>, EqualBy<EqualOf<Key>>, Options<O>>;

template <class Map>
auto pairs(const Map& map) {
    std::map<std::remove_cvref_t<decltype(map.begin()->key)>, typename Map::mapped_type> result;
    for (const auto [key, value] : map) result.emplace(key, value);
    return result;
}

std::string key_text(int i) { return make_key<std::string>(i); }

} // namespace

TEST_CASE("a new map is empty", "[map_storage]") {
    MapStorage<int, std::string> map;
    const auto& constant = map;
    REQUIRE(map.empty());
    REQUIRE(map.size() == 0);
    REQUIRE(map.capacity() == 0);
    REQUIRE(map.begin() == map.end());
    REQUIRE(constant.begin() == constant.end());
    REQUIRE(map.cbegin() == map.cend());
    REQUIRE(map.find(1) == map.end());
    REQUIRE(map.get(1) == nullptr);
    REQUIRE(constant.get(1) == nullptr);
    REQUIRE(map.get(decltype(map)::handle_type()) == nullptr);
    REQUIRE_THROWS_AS(map.at(1), std::out_of_range);
    REQUIRE_THROWS_AS(constant.at(decltype(map)::handle_type()), std::out_of_range);
    REQUIRE_FALSE(map.extract(1).has_value());
    REQUIRE_FALSE(map.erase(1));
    REQUIRE(map.items().empty());
    REQUIRE(map.values().slot_end() == 0);
    REQUIRE(map == MapStorage<int, std::string>());
    REQUIRE(map.as_set().empty());
    REQUIRE(map.check_invariants());
}

TEST_CASE("a map is made of a list or a range of pairs; of several with one key the first", "[map_storage]") {
    const MapStorage<std::string, int> list{{"a", 1}, {"b", 2}, {"a", 3}};
    REQUIRE(pairs(list) == std::map<std::string, int>{{"a", 1}, {"b", 2}});
    const std::unordered_map<std::string, int> hashed{{"a", 1}, {"b", 2}};
    const MapStorage<std::string, int> range(hashed.begin(), hashed.end());
    REQUIRE(range == list);
    const MapStorage<std::string, int> again(list.begin(), list.end()); // items are pairs too
    REQUIRE(again == list);
    REQUIRE(again.check_invariants());
}

TEST_CASE("a map keeps the allocator it was made with", "[map_storage]") {
    const EveryByteReturned bytes;
    using Alloc = StatefulAllocator<std::string>;
    using Map = MapStorage<std::string, Tracked, AllocBy<Alloc>>;
    NothingLeaks objects;
    Map map(Alloc(7));
    for (int i = 0; i != 100; ++i) map.try_emplace(key_text(i), i);
    REQUIRE(Ledger::live_bytes(7) == bytes.live_bytes());
    REQUIRE(Map({{"a", 1}}, Alloc(9)).get_allocator().id() == 9);
    REQUIRE(Map(map).get_allocator().id() == 7 + Alloc::copied_by);
    const Map copy(map, Alloc(11));
    REQUIRE(copy.get_allocator().id() == 11);
    REQUIRE(copy == map);
    const Map moved(std::move(map), Alloc(12));
    REQUIRE(moved == copy);
    REQUIRE(moved.check_invariants());
    REQUIRE(map.empty()); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
    map["x"] = 1;
    REQUIRE(map.at("x").value() == 1);
    REQUIRE(map.check_invariants());
}

TEST_CASE("maps are equal when they have the same keys with equal values, in whatever slots", "[map_storage]") {
    MapOf<int, int> a{{1, 10}, {2, 20}}, b{{2, 20}, {1, 10}};
    REQUIRE(a == b);
    b[2] = 21;
    REQUIRE(a != b);
    b[2] = 20;
    b[3];
    REQUIRE(a != b);
    b.erase(3);
    REQUIRE(a == b);
    b.erase(1);
    b[3] = 10;
    REQUIRE_FALSE(a == b);
}

TEST_CASE("merge takes the elements whose keys are not here, and leaves the others there", "[map_storage]") {
    NothingLeaks objects;
    MapOf<MoveOnly, MoveOnly> a, b;
    for (int i = 0; i != 100; ++i) a.try_emplace(MoveOnly(i), i);
    for (int i = 50; i != 200; ++i) b.try_emplace(MoveOnly(i), 1000 + i);
    const auto taken = b.handle_of(150);
    a.merge(b);
    REQUIRE(a.size() == 200);
    REQUIRE(b.size() == 50);
    REQUIRE(a.at(60).value() == 60);
    REQUIRE(a.at(160).value() == 1160);
    REQUIRE(b.at(60).value() == 1060);
    REQUIRE_FALSE(b.contains(taken));
    a.merge(a);
    REQUIRE(a.size() == 200);
    decltype(a) c;
    c.merge(std::move(a));
    REQUIRE(c.at(7).value() == 7);
    REQUIRE(a.empty()); // NOLINT(bugprone-use-after-move)
    for (auto* each : {&a, &b, &c}) REQUIRE(each->check_invariants());
}

TEST_CASE("as_set is the map itself seen as a set, not a copy", "[map_storage]") {
    MapOf<std::string, int> map{{"a", 1}, {"b", 2}};
    const auto& set = map.as_set();
    static_assert(std::is_same_v<decltype(map.as_set()), const decltype(map)::set_type&>);
    REQUIRE(static_cast<const void*>(&set) == static_cast<const void*>(&map));
    REQUIRE(set.size() == 2);
    REQUIRE(set.contains("a"));
    REQUIRE(&set.key(set.slot_of("a")) == &map.key(map.slot_of("a")));
    map["c"] = 3;
    REQUIRE(set.contains("c"));
    REQUIRE(set.includes(SetStorage<std::string>{"a", "c"}));
    REQUIRE(set.handle_of("c") == map.handle_of("c"));
    int seen = 0;
    for (const auto& key : set) seen += map.contains(key);
    REQUIRE(seen == 3);
    REQUIRE(&set == &map.as_set());
}

TEST_CASE("reserve, length_error, clear, shrink_to_fit and reset act on keys and values", "[map_storage]") {
    NothingLeaks objects;
    MapOf<int, Tracked, KeySetOptions{.page_slots = 64, .max_slots = 200}> map;
    static_assert(decltype(map)::max_size() == 200);
    REQUIRE_THROWS_AS(map.reserve(201), std::length_error);
    std::vector<decltype(map)::handle_type> old;
    for (int i = 0; i != 200; ++i) old.push_back(map.handle_at(map.try_emplace(i, i).it.slot()));
    REQUIRE_THROWS_AS(map.try_emplace(200, 1), std::length_error);
    REQUIRE_THROWS_AS(map[200], std::length_error);
    REQUIRE_FALSE(map.try_emplace(5, 1).inserted);
    REQUIRE(map.check_invariants());
    map.clear();
    REQUIRE(objects.alive() == 0);
    for (int i = 0; i != 60; ++i) map.try_emplace(i, i);
    map.shrink_to_fit();
    REQUIRE(map.capacity() < 200); // the first page has 64 slots, and the second chunk of keys the others
    REQUIRE(map.at(59).value() == 59);
    map.reset();
    REQUIRE(map.capacity() == 0);
    REQUIRE(objects.alive() == 0);
    for (int i = 0; i != 200; ++i) map.try_emplace(i, i);
    for (const auto handle : old) REQUIRE(map.get(handle) == nullptr);
    REQUIRE(map.retired() == 0);
    REQUIRE(map.recycle_retired() == 0);
    REQUIRE(map.check_invariants());
}
