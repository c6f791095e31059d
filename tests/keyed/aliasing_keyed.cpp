// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Arguments that refer to what the container owns: keys and values of its own, live and pending, also while it grows, assigns,
// erases and merges.
#include "scene.hpp"

#include <algorithm>
#include <string>

using namespace test;

namespace {

constexpr KeySetOptions small_pages{.page_slots = 64};

using Names = SetStorage<std::string, Options<small_pages>>;
using Book = MapStorage<std::string, std::string, Options<small_pages>>;
using DeferredBook = MapStorage<std::string, std::string, Options<deferred>>;
using DeferredNames = SetStorage<std::string, Options<deferred>>;

/// Longer than any small string buffer.
std::string name(int n) { return "a name that is not stored inside the string object, number " + std::to_string(n); }
std::string text(int n) { return "a text that is not stored inside the string object, number " + std::to_string(n); }

template <class Map>
auto contents_of(const Map& map) {
    std::vector<std::tuple<typename Map::handle_type, std::string, std::string>> all;
    for (auto it = map.begin(); it != map.end(); ++it) all.emplace_back(it.handle(), it->key, it->value);
    return all;
}
template <class Map>
Map book(int count) {
    Map map;
    for (int n = 0; n != count; ++n) map.try_emplace(name(n), text(n));
    return map;
}

} // namespace

TEMPLATE_TEST_CASE("m[k1] = m[k2] takes the value of k2, also when either adds and the map grows", "[aliasing]", Book,
                   DeferredBook) {
    for (int count = 0; count != 200; ++count) {
        auto map = book<TestType>(count);
        map[name(1000)] = map[name(count / 2)];
        REQUIRE(map.at(name(1000)) == (count == 0 ? std::string() : text(count / 2)));
        map[name(0)] = map[name(2000)];
        REQUIRE(map.at(name(0)).empty());
        REQUIRE(map.check_invariants());
    }
}

TEMPLATE_TEST_CASE("a new element may be made of references to keys and values of the map, also while it grows", "[aliasing]",
                   Book, DeferredBook) {
    for (const int count : {1, 63, 64, 65, 127, 128, 10, 11, 639, 640, 641}) {
        auto map = book<TestType>(count);
        const auto before = map.size();
        const auto& first_key = map.begin()->key;
        const auto& first_value = map.begin()->value;
        REQUIRE(map.try_emplace(first_value, first_key).inserted); // the other way round
        REQUIRE(map.at(first_value) == first_key);
        REQUIRE(map.insert(map.at(first_key) + "!", map.at(first_value)).inserted);
        REQUIRE(map.insert_or_assign(first_key + "?", first_value).inserted);
        REQUIRE(map.emplace(first_value + "?", first_value).inserted);
        REQUIRE(first_value == text(0)); // never moved from, never moved away
        REQUIRE(first_key == name(0));
        REQUIRE(map.size() == before + 4);
        REQUIRE(map.check_invariants());
    }
}

TEMPLATE_TEST_CASE("inserting a reference to an own key, and assigning a reference to the own value, change nothing",
                   "[aliasing]", Book, DeferredBook) {
    auto map = book<TestType>(100);
    const auto before = contents_of(map);
    for (slot_t slot = 0; slot != 100; ++slot) {
        REQUIRE_FALSE(map.try_emplace(map.key(slot), map.value(slot)).inserted);
        REQUIRE_FALSE(map.insert(map.key(slot), map.value(slot)).inserted);
        REQUIRE(map.insert_or_assign(map.key(slot), map.value(slot)).it.slot() == slot);
        REQUIRE(&map[map.key(slot)] == &map.value(slot));
    }
    REQUIRE(contents_of(map) == before);
    REQUIRE(map.check_invariants());
    const auto& self = map;
    map = self;
    REQUIRE(contents_of(map) == before);
    map.merge(map);
    REQUIRE(contents_of(map) == before);
}

TEMPLATE_TEST_CASE("an insert whose key is moved from an argument that is a member's value takes that value", "[aliasing]",
                   Book, DeferredBook) {
    auto map = book<TestType>(64);
    const auto result = map.try_emplace(std::move(map.value(3)), "new");
    REQUIRE(result.inserted);
    REQUIRE(map.at(text(3)) == "new");
    REQUIRE(map.check_invariants());
    // A member as the key: nothing is moved from.
    REQUIRE_FALSE(map.try_emplace(std::string(map.key(7)), std::move(map.value(9))).inserted);
    REQUIRE(map.value(9) == text(9));
}

TEMPLATE_TEST_CASE("erase by a reference to the erased key, and by one to a value", "[aliasing]", Book, DeferredBook) {
    auto map = book<TestType>(130);
    for (slot_t slot = 0; slot < 130; slot += 2) {
        const auto handle = map.handle_at(slot);
        REQUIRE(map.erase(map.key(slot)));
        REQUIRE_FALSE(map.contains(handle));
    }
    REQUIRE(map.size() == 65);
    REQUIRE(map.check_invariants());
    map.value(1) = name(3);
    REQUIRE(map.erase(map.value(1)));
    REQUIRE_FALSE(map.contains(name(3)));
    map.value(1) = name(1);
    REQUIRE(map.erase(map.value(1))); // the value dies with its own key
    REQUIRE(map.check_invariants());
    map.flush_removed();
    REQUIRE(map.size() == 63);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("extract by a reference to the extracted key gives key and value", "[aliasing]", Book, DeferredBook) {
    auto map = book<TestType>(70);
    const auto pair = map.extract(map.key(40));
    REQUIRE(pair.has_value());
    REQUIRE(pair->first == name(40));
    REQUIRE(pair->second == text(40));
    REQUIRE_FALSE(map.contains(name(40)));
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("sets: insert and erase by references to own keys", "[aliasing]", Names, DeferredNames) {
    TestType set;
    for (int n = 0; n != 128; ++n) set.insert(name(n));
    for (const std::string& key : set) REQUIRE_FALSE(set.insert(key).inserted);
    REQUIRE(set.size() == 128);
    for (auto it = set.begin(); it != set.end();) {
        const auto next = std::next(it);
        REQUIRE(set.erase(*it));
        it = next;
    }
    REQUIRE(set.empty());
    REQUIRE(set.check_invariants());
    set.flush_removed();
    REQUIRE(set.check_invariants());
    set.insert(name(5));
    REQUIRE(set.extract(*set.begin()) == name(5));
    REQUIRE(set.empty());
}

TEST_CASE("a removed key may be brought back by a reference to itself, with a value made of its own old value", "[aliasing]") {
    auto map = book<DeferredBook>(20);
    for (const slot_t slot : {slot_t{4}, slot_t{0}, slot_t{19}}) {
        map.erase(map.key(slot));
        const auto result = map.try_emplace(map.key(slot), map.value(slot));
        REQUIRE((result.it.slot() == slot && result.inserted && result.kind == InsertKind::resurrected));
        REQUIRE(map.value(slot) == text(static_cast<int>(slot)));
        REQUIRE(map.key(slot) == name(static_cast<int>(slot)));
        map.erase(map.key(slot));
        REQUIRE(map.insert_or_assign(map.key(slot), std::move(map.value(slot))).inserted);
        REQUIRE(map.value(slot) == text(static_cast<int>(slot)));
        map.erase(map.key(slot));
        REQUIRE(map.try_emplace(map.key(slot), map.value(slot), 0u, 6u).inserted); // a part of it
        REQUIRE(map.value(slot) == "a text");
        REQUIRE(map.check_invariants());
    }
    DeferredNames set{name(1), name(2)};
    set.erase(set.key(0));
    REQUIRE(set.insert(set.key(0)).kind == InsertKind::resurrected);
    REQUIRE(set.check_invariants());
}

TEMPLATE_TEST_CASE("what a pending element holds may be used for others", "[aliasing]", DeferredBook) {
    auto map = book<TestType>(64);
    map.erase(name(10));
    const slot_t gone = map.slot_of_any(name(10));
    REQUIRE(map.try_emplace(map.value(gone), map.key(gone)).inserted); // grows
    REQUIRE(map.at(text(10)) == name(10));
    map[map.key(3)] = map.value(gone);
    REQUIRE(map.at(name(3)) == text(10));
    REQUIRE_FALSE(map.erase(map.key(gone)));
    map.flush_removed();
    REQUIRE(map.at(name(3)) == text(10));
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("erase_if and for_each give references that may be used to erase and insert", "[aliasing]", Book,
                   DeferredBook) {
    auto map = book<TestType>(100);
    std::size_t seen = 0;
    map.for_each([&](auto handle, const std::string& key, std::string& value) {
        ++seen;
        if (value == text(50))
            map.erase(key);
        else if (value == text(51))
            map.erase(handle);
    });
    REQUIRE(seen == 100);
    REQUIRE(map.size() == 98);
    const auto count = map.erase_if([&](const std::string& key, std::string& value) {
        value = key; // its own
        return value.back() == '7';
    });
    REQUIRE(count == 10);
    for (const auto [key, value] : map) REQUIRE(key == value);
    REQUIRE(map.check_invariants());
}

TEST_CASE("pairs in a range that refer to the map itself are inserted", "[aliasing]") {
    auto map = book<Book>(60);
    std::vector<std::pair<const std::string&, const std::string&>> swapped;
    for (const auto [key, value] : map) swapped.emplace_back(value, key);
    for (const auto& [key, value] : swapped) map.insert(key, value);
    REQUIRE(map.size() == 120);
    for (int n = 0; n != 60; ++n) REQUIRE(map.at(map.at(name(n))) == name(n));
    REQUIRE(map.check_invariants());
    Names set;
    for (int n = 0; n != 60; ++n) set.insert(name(n));
    const Names same(set.begin(), set.end());
    REQUIRE(same == set);
}
