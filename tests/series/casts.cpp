// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A series is its map and its set: casts that copy nothing, walks, and further columns.
#include "semantics.hpp"

using namespace test;

namespace {

template <class Map>
concept mutating = requires(Map& map) { map.clear(); } || requires(Map& map) { map.insert(1); } || requires(Map& map) {
    map.erase(1);
} || requires(Map& map) { map.flush_removed(); } || requires(Map& map) { map.reserve(1); };

int total(MapView<std::string, int> map) {
    int sum = 0;
    map.for_each([&](const std::string&, int value) { sum += value; });
    return sum;
}
std::size_t count(SetView<std::string> set) { return set.size(); }

/// A further column that counts what it is notified of.
struct Events {
    std::size_t inserted = 0, resurrected = 0, removed = 0, erased = 0;
    void on_insert(slot_t, InsertKind kind) noexcept { ++(kind == InsertKind::fresh ? inserted : resurrected); }
    void on_remove(slot_t) noexcept { ++removed; }
    void on_erase(slot_t) noexcept { ++erased; }
    void on_clear(Occupancy slots) noexcept {
        slots.for_each([this](slot_t) { ++removed, ++erased; });
    }
};

} // namespace

//=== casts ===//

TEST_CASE("a dictionary is its map is its set: the same object", "[series][casts]") {
    auto dict = dict_of<Adaptive>({{"a", 1}, {"b", 2}, {"gone", 3}});
    dict.write(2).remove("gone");
    const auto& map = dict.as_map();
    const auto& set = dict.as_set();
    STATIC_REQUIRE(std::is_same_v<decltype(dict.as_map()), const Prices<Adaptive>::map_type&>);
    STATIC_REQUIRE(std::is_same_v<decltype(dict.as_set()), const Prices<Adaptive>::set_type&>);
    STATIC_REQUIRE(std::is_same_v<decltype(map.as_set()), const Prices<Adaptive>::set_type&>);
    STATIC_REQUIRE_FALSE(mutating<std::remove_reference_t<decltype(dict.as_map())>>);
    STATIC_REQUIRE_FALSE(mutating<std::remove_reference_t<decltype(dict.as_set())>>);
    CHECK(&map == &dict.as_map());
    CHECK(static_cast<const void*>(&map) == static_cast<const void*>(&set));
    CHECK(&map.as_set() == &set);
    const char *const begin = reinterpret_cast<const char*>(&dict), *const inside = reinterpret_cast<const char*>(&map);
    CHECK(inside >= begin);
    CHECK(inside + sizeof map <= begin + sizeof dict);
    for (const auto [key, value] : dict) {
        const slot_t slot = dict.slot_of(key);
        CHECK(&map.key(slot) == &key);
        CHECK(&set.key(slot) == &key);
        CHECK(&map.value(slot) == &value);
        CHECK(map.get(key) == &value);
        CHECK(map.handle_of(key) == dict.handle_of(key));
        CHECK(set.handle_of(key) == dict.handle_of(key));
    }
    CHECK(map.size() == 2);
    CHECK(set.size() == 2);
    CHECK(map.pending() == 1);
    CHECK(total(map) == 3);
    CHECK(count(map) == 2);
    CHECK(count(set) == 2);
    {
        auto w = dict.write(3);
        for (int i = 0; i != 1'000; ++i) w.set("new " + std::to_string(i), i);
    }
    CHECK(map.size() == 1'002); // seen through the references at once
    CHECK(set.contains("new 999"));
    CHECK(map.at("new 999") == 999);
    CHECK(&map == &dict.as_map());
}

TEST_CASE("a set over time is its set: the same object", "[series][casts]") {
    auto series = set_of<Adaptive>({"a", "b"});
    const auto& set = series.as_set();
    STATIC_REQUIRE(std::is_same_v<decltype(series.as_set()), const Names<Adaptive>::set_type&>);
    STATIC_REQUIRE_FALSE(mutating<std::remove_reference_t<decltype(series.as_set())>>);
    CHECK(&set == &series.as_set());
    CHECK(&set.key(series.slot_of("a")) == &series.key(series.slot_of("a")));
    CHECK(count(set) == 2);
    series.write(2).add("c");
    CHECK(count(set) == 3);
    CHECK(&set == &series.as_set());
    CHECK(count(series) == 3);
    CHECK(sorted(series.keys()) == keys{"a", "b", "c"});
}

TEST_CASE("the keys of a dictionary over time show the dictionary's own keys", "[series][casts]") {
    auto dict = dict_of<Adaptive>({{"a", 1}, {"gone", 3}});
    const slot_t slot = dict.slot_of("gone");
    {
        auto w = dict.write(2);
        w.remove("gone"), w.set("b", 2);
    }
    const TSSView<std::string> view = dict.keys();
    CHECK(&view.key(dict.slot_of("a")) == &dict.key(dict.slot_of("a")));
    CHECK(&*view.removed(2).begin() == &dict.key(slot));
    CHECK(view.removed(2).begin().slot() == slot);
    CHECK(&*view.added(2).begin() == &dict.key(dict.slot_of("b")));
    CHECK(&view.as_set().key(slot) == &dict.key(slot));
    CHECK(&dict.view().as_map().value(slot) == &dict.value(slot));
    CHECK(&dict.view().as_set().key(slot) == &dict.key(slot));
}

TEST_CASE("a dictionary is walked by items, by slots, by columns and by a function", "[series][casts]") {
    auto dict = dict_of<Adaptive>({{"a", 1}, {"b", 2}, {"gone", 4}, {"c", 8}});
    dict.write(2).remove("gone");
    const items expected{{"a", 1}, {"b", 2}, {"c", 8}};
    items seen, each, handles, slots;
    for (const auto [key, value] : dict) seen.emplace_back(key, value);
    dict.for_each([&](const std::string& key, const int& value) { each.emplace_back(key, value); });
    dict.for_each([&](auto handle, const std::string& key, const int&) { handles.emplace_back(key, dict.at(handle)); });
    for (const slot_t slot : dict.slots()) slots.emplace_back(dict.key(slot), dict.value(slot));
    for (const auto* walk : {&seen, &each, &handles, &slots}) {
        CHECK(sorted(dict) == expected);
        CHECK(*walk == seen); // all in slot order
    }
    int sum = 0;
    for (const int value : dict.values()) sum += value;
    CHECK(sum == 11);
    const auto found = std::find_if(dict.begin(), dict.end(), [](const auto& item) { return item.value == 2; });
    REQUIRE(found != dict.end());
    CHECK(found->key == "b");
    STATIC_REQUIRE(std::is_same_v<decltype(dict.begin()->value), const int&>); // read-only: writers write
}

TEST_CASE("count_valid counts members that were ever written", "[series][casts]") {
    auto dict = dict_of<Adaptive>({{"a", 1}, {"b", 2}});
    CHECK(dict.count_valid() == 2);
    auto w = dict.write(2);
    w.create("c");
    CHECK(dict.size() == 3);
    CHECK(dict.count_valid() == 2);
    w.set("c", 0);
    CHECK(dict.count_valid() == 3);
    w.remove("a"); // still readable, but no member
    CHECK(dict.count_valid() == 2);
    w.create("a");
    CHECK(dict.count_valid() == 2);
    CHECK(dict.view().count_valid() == 2);
    w.clear();
    CHECK(dict.count_valid() == 0);
    CHECK(Prices<Adaptive>().count_valid() == 0);
}

//=== further columns ===//

TEMPLATE_TEST_CASE("further columns follow the slots beside the three that a series has", "[series][casts]",
                   ALL_REPRESENTATIONS) {
    using Dict = TSDStorage<std::string, int, Options<with<TestType>>, Column<double>, Events>;
    Dict dict;
    {
        auto w = dict.write(1);
        w.set("a", 1), w.set("b", 2), w.create("c");
    }
    CHECK(dict.template observer<1>().inserted == 3);
    for (const slot_t slot : dict.slots()) {
        CHECK(dict.template observer<0>()[slot] == 0.0);
        dict.template observer<0>()[slot] = 0.5 * slot;
    }
    double sum = 0;
    for (const double x : std::as_const(dict).template column<0>()) sum += x;
    CHECK(sum == 1.5);
    const slot_t a = dict.slot_of("a"), b = dict.slot_of("b");
    {
        auto w = dict.write(2);
        w.remove("b"), w.remove("a"), w.set("a", 5);
    }
    const auto& events = std::as_const(dict).template observer<1>();
    CHECK(events.removed == 2);
    CHECK(events.resurrected == 1);
    CHECK(events.erased == 0);
    CHECK(dict.template observer<0>()[b] == 0.5 * b); // readable as key and value are
    CHECK(dict.template column<0>()[a] == 0.0);       // a resurrected element starts again
    dict.write(3).close();
    CHECK(events.erased == 1);
    const Dict copy = dict;
    CHECK(copy.template observer<0>()[dict.slot_of("c")] == dict.template observer<0>()[dict.slot_of("c")]);
    CHECK(dict.check_invariants());

    TSSStorage<int, Options<with<TestType>>, Events, Column<char>> set;
    {
        auto w = set.write(1);
        for (int i = 0; i != 500; ++i) w.add(i);
        w.clear();
        w.add(7);
    }
    CHECK(set.template observer<0>().inserted == 500);
    CHECK(set.template observer<0>().removed == 500);
    CHECK(set.template observer<0>().resurrected == 1);
    set.template observer<1>()[set.slot_of(7)] = 'x';
    CHECK(std::as_const(set).template column<1>()[set.slot_of(7)] == 'x');
}
