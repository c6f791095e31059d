// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// MapStorage: insert, lookup and erase. The map as a whole is in map_whole.cpp, its items and columns in map_items.cpp.
#include "keys.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <stdexcept>

namespace {

using namespace test;
using namespace std::string_view_literals;

template <class Key, class T, KeySetOptions O = small_pages>
using MapOf = MapStorage<Key, T, HashBy<HashOf<Key>>, EqualBy<EqualOf<Key>>, Options<O>>;

std::string key_text(int i) { return make_key<std::string>(i); }

} // namespace

TEST_CASE("try_emplace, emplace and insert add where the key is new and make nothing of the arguments where it is not",
          "[map_storage]") {
    NothingLeaks objects;
    MapOf<std::string, MoveOnly> map;
    const auto first = map.try_emplace("one", 1);
    REQUIRE(first.inserted);
    REQUIRE(first.kind == InsertKind::fresh);
    REQUIRE(map.value(first.it.slot()).value() == 1);
    MoveOnly value(11);
    REQUIRE_FALSE(map.try_emplace("one", std::move(value)).inserted);
    REQUIRE_FALSE(map.emplace("one"sv, std::move(value)).inserted);
    REQUIRE_FALSE(map.insert(std::string("one"), std::move(value)).inserted);
    REQUIRE_FALSE(value.moved_from()); // NOLINT(bugprone-use-after-move): that is what is asked
    REQUIRE(map.try_emplace("one", 12).it.slot() == first.it.slot());
    REQUIRE(map.emplace("two", 2).inserted);
    REQUIRE(map.insert("three"sv, MoveOnly(3)).inserted);
    const std::string key = "four";
    REQUIRE(map.insert(key, 4).inserted);
    REQUIRE(key == "four");
    REQUIRE(map.try_emplace("zero").inserted); // MoveOnly()
    REQUIRE(map.size() == 5);
    REQUIRE(map.at("one").value() == 1);
    REQUIRE(map.at("four").value() == 4);
    REQUIRE(map.at("zero").value() == 0);
    REQUIRE(map.check_invariants());
}

TEST_CASE("a key is moved in when it is new, and left alone when it is there", "[map_storage]") {
    MapOf<std::string, int> map;
    std::string key = key_text(1);
    map.insert(std::move(key), 1);
    REQUIRE(key.empty()); // NOLINT(bugprone-use-after-move): that is what is asked
    key = key_text(1);
    map.insert(std::move(key), 2);
    REQUIRE(key == key_text(1)); // NOLINT(bugprone-use-after-move)
    REQUIRE(map.at(key) == 1);
    MapStorage<long, int> converting;
    converting.try_emplace(5, 6); // an int becomes a long
    REQUIRE(converting.at(5L) == 6);
}

TEST_CASE("insert_or_assign assigns in place where the key is a member", "[map_storage]") {
    MapOf<int, std::string> map;
    const auto first = map.insert_or_assign(1, "a");
    REQUIRE(first.inserted);
    const std::string* const address = map.get(1);
    const auto second = map.insert_or_assign(1, std::string("b"));
    REQUIRE_FALSE(second.inserted);
    REQUIRE(second.it.slot() == first.it.slot());
    REQUIRE(map.get(1) == address);
    REQUIRE(*address == "b");
    map.insert_or_assign(1, map.at(1)); // its own value
    REQUIRE(*address == "b");
    REQUIRE(map.check_invariants());
}

TEST_CASE("operator[] adds a default value, and m[k1] = m[k2] holds while the map grows", "[map_storage]") {
    MapOf<int, std::string> map;
    REQUIRE(map[5].empty());
    REQUIRE(map.size() == 1);
    map[5] = "five";
    REQUIRE(map[5] == "five");
    std::size_t grown = 0;
    for (int i = 0; i != 2000; ++i) {
        const auto before = map.capacity();
        map[1000 + i] = map[5];
        map[5000 + i] = std::move(map[1000 + i]);
        grown += map.capacity() != before;
    }
    REQUIRE(grown > 3);
    for (int i = 0; i != 2000; ++i) REQUIRE(map.at(5000 + i) == "five");
    MapOf<int, int> numbers;
    REQUIRE(numbers[7] == 0); // T(), not an uninitialised int
    for (int i = 0; i != 1000; ++i) ++numbers[i % 10];
    REQUIRE(numbers.at(3) == 100);
    REQUIRE(map.check_invariants());
}

TEST_CASE("keys and values of the map itself may be arguments of an insert that grows it", "[map_storage]") {
    MapOf<std::string, std::string> map;
    map.insert("first", key_text(0));
    while (map.size() != map.capacity()) {
        const auto& last = map.value(static_cast<slot_t>(map.size() - 1));
        map.insert(last, last + "!");
    }
    const auto before = map.capacity();
    const std::string expected = map.value(static_cast<slot_t>(before - 1));
    REQUIRE(map.insert(map.value(static_cast<slot_t>(before - 1)), map.value(static_cast<slot_t>(before - 1))).inserted);
    REQUIRE(map.capacity() > before);
    REQUIRE(map.at(expected) == expected);
    REQUIRE_FALSE(map.insert(map.key(slot_t{3}), map.value(4)).inserted);
    REQUIRE_FALSE(map.insert_or_assign(map.key(slot_t{3}), map.value(4)).inserted);
    REQUIRE(map.value(3) == map.value(4));
    REQUIRE(map.check_invariants());
}

TEST_CASE("every way to ask for a value agrees", "[map_storage]") {
    MapOf<std::string, int> map;
    for (int i = 0; i < 600; i += 2) map.insert(key_text(i), i);
    const auto& constant = map;
    for (int i = 0; i != 600; ++i) {
        const auto key = key_text(i);
        const bool member = i % 2 == 0;
        REQUIRE(map.contains(key) == member);
        REQUIRE((map.get(key) != nullptr) == member);
        REQUIRE((map.find(key) != map.end()) == member);
        REQUIRE((constant.find(std::string_view(key)) != constant.end()) == member);
        if (!member) {
            REQUIRE_THROWS_AS(map.at(key), std::out_of_range);
            REQUIRE_THROWS_AS(constant.at(key.c_str()), std::out_of_range);
            continue;
        }
        const auto handle = map.handle_of(key);
        int* const value = map.get(key);
        REQUIRE(*value == i);
        REQUIRE(constant.get(key) == value);
        REQUIRE(map.get(handle) == value);
        REQUIRE(constant.get(handle) == value);
        REQUIRE(&map.at(key) == value);
        REQUIRE(&constant.at(std::string_view(key)) == value);
        REQUIRE(&map.at(handle) == value);
        REQUIRE(&constant.at(handle) == value);
        REQUIRE(&map[key] == value);
        REQUIRE(&map.value(map.slot_of(key)) == value);
        REQUIRE(&constant.value(handle.index()) == value);
        REQUIRE(&map.find(key)->value == value);
        REQUIRE(*map.key(handle) == key);
        REQUIRE(map.key(handle.index()) == key);
        REQUIRE(map.handle_at(handle.index()) == handle);
        REQUIRE(map.slot_of_any(key) == handle.index());
        REQUIRE(map.state(handle.index()) == SlotState::live);
        REQUIRE(map.explain(handle) == HandleStatus::live);
    }
    const auto gone = map.handle_of(key_text(0));
    REQUIRE(map.erase(gone));
    REQUIRE(map.get(gone) == nullptr);
    REQUIRE(map.key(gone) == nullptr);
    REQUIRE_THROWS_AS(map.at(gone), std::out_of_range);
    REQUIRE(map.explain(gone) == HandleStatus::stale);
}

TEST_CASE("erase takes a key, also the map's own, a handle or an iterator of either kind", "[map_storage]") {
    MapOf<std::string, int> map;
    for (int i = 0; i != 100; ++i) map.insert(key_text(i), i);
    static_assert(noexcept(map.erase(map.begin()))&& noexcept(map.erase(map.cbegin())));
    REQUIRE(map.erase(key_text(0)));
    REQUIRE_FALSE(map.erase(key_text(0)));
    REQUIRE(map.erase(map.key(slot_t{1})));
    REQUIRE(map.erase(map.find(key_text(2))->key));
    REQUIRE(map.erase(map.handle_of(key_text(3))));
    REQUIRE(map.erase(map.begin())->value == 5);
    REQUIRE(map.erase(map.cbegin())->value == 6);
    REQUIRE(map.erase(map.find(key_text(99))) == map.end());
    for (auto it = map.begin(); it != map.end();) it = it->value % 2 == 0 ? map.erase(it) : std::next(it);
    for (const auto [key, value] : map) REQUIRE(value % 2 == 1);
    REQUIRE(map.size() == 46);
    REQUIRE(map.check_invariants());
}

TEST_CASE("erase_if asks by key and value or by handle, key and value, and may change values", "[map_storage]") {
    MapOf<int, int> map;
    for (int i = 0; i != 300; ++i) map[i] = 10 * i;
    REQUIRE(map.erase_if([](const int& key, int& value) {
        value += 1;
        return key % 3 == 0;
    }) == 100);
    REQUIRE(map.erase_if([&](auto handle, const int& key, const int& value) {
        REQUIRE(value == 10 * key + 1);
        REQUIRE(map.get(handle) == &value);
        return key % 3 == 1;
    }) == 100);
    REQUIRE(map.size() == 100);
    REQUIRE(map.at(2) == 21);
    REQUIRE(map.check_invariants());
}

TEST_CASE("extract moves key and value out, also when it is asked with the map's own key", "[map_storage]") {
    NothingLeaks objects;
    MapOf<MoveOnly, MoveOnly> map;
    for (int i = 0; i != 10; ++i) map.try_emplace(MoveOnly(i), 100 + i);
    auto [key, value] = *map.extract(4);
    REQUIRE(key.value() == 4);
    REQUIRE(value.value() == 104);
    REQUIRE(map.extract(map.key(slot_t{5}))->second.value() == 105);
    REQUIRE_FALSE(map.extract(4).has_value());
    REQUIRE(map.size() == 8);
    REQUIRE(map.check_invariants());
}

TEST_CASE("asking for the value of a slot without one, and erasing the end, stop the program", "[map_storage]") {
    MapOf<int, int> map{{1, 10}, {2, 20}};
    map.erase(1);
    REQUIRE(dies_saying("no value is there", [&] { static_cast<void>(map.value(0)); }));
    REQUIRE(dies_saying("no key is there", [&] { static_cast<void>(map.key(slot_t{0})); }));
    REQUIRE(dies_saying("was erased, or it is the end", [&] { map.erase(map.end()); }));
}

TEST_CASE("for_each walks values although the first of 64 slots is vacant", "[map_storage]") {
    MapStorage<int, std::string> map;
    for (int i = 0; i != 3; ++i) map.insert(i, std::to_string(i));
    map.erase(0);
    std::string seen;
    map.for_each([&](int, const std::string& value) { seen += value; });
    REQUIRE(seen == "12");
}
