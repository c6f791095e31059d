// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage element by element: keys of every kind, erase, iteration, columns.
#include "keys.hpp"
#include "support/catch.hpp"

#include <slotwise/slots/value_array.hpp>

#include <iterator>
#include <set>

namespace {

using namespace test;

struct NoHash {
    std::size_t operator()(test::Empty) const noexcept { return 0; }
};

} // namespace

//=== keys of every kind ===//

TEMPLATE_TEST_CASE("any key is inserted, found, walked, erased and destroyed", "[set_storage]", int, std::string, test::Tracked,
                   test::Throwing, test::ThrowingCopy, test::MoveOnly, test::ThrowingMoveOnly, test::OverAligned<128>,
                   test::Big) {
    NothingLeaks objects;
    using Key = TestType;
    SetOf<Key, small_pages> set;
    for (int round = 0; round != 2; ++round) {
        for (int i = 0; i != 150; ++i) {
            if (i % 2 == 0)
                REQUIRE(set.insert(make_key<Key>(i)).inserted);
            else
                REQUIRE(set.emplace(make_key<Key>(i)).inserted);
            REQUIRE_FALSE(set.insert(make_key<Key>(i)).inserted);
        }
        REQUIRE(set.check_invariants());
        REQUIRE(sorted_numbers(set) == up_to(150));
        for (int i = 0; i < 150; i += 3) REQUIRE(set.erase(make_key<Key>(i)));
        for (int i = 0; i != 150; ++i) {
            REQUIRE(set.contains(make_key<Key>(i)) == (i % 3 != 0));
            if (i % 3 != 0) REQUIRE(number_of_key(*set.find(make_key<Key>(i))) == i);
        }
        const auto taken = set.extract(make_key<Key>(7));
        REQUIRE(number_of_key(*taken) == 7);
        REQUIRE_FALSE(set.contains(*taken));
        set.shrink_to_fit();
        REQUIRE(set.check_invariants());
        for (const auto& key : set) REQUIRE(reinterpret_cast<std::uintptr_t>(&key) % alignof(Key) == 0);
        SetOf<Key, small_pages> moved(std::move(set));
        REQUIRE(moved.size() == 99);
        set = std::move(moved);
        if (round == 0)
            set.clear();
        else
            set.reset();
        REQUIRE(set.empty());
        REQUIRE(set.check_invariants());
    }
    set.insert(make_key<Key>(1)); // dies with the set
}

TEST_CASE("a key that can neither be copied nor moved is built in its slot from what a transparent hash takes",
          "[set_storage]") {
    NothingLeaks objects;
    SetOf<NonMovable, small_pages> set;
    for (int i = 0; i != 200; ++i) REQUIRE(set.insert(i).inserted);
    REQUIRE_FALSE(set.insert(77).inserted);
    const auto* const address = &*set.find(77);
    for (int i = 0; i < 200; i += 2) REQUIRE(set.erase(i));
    REQUIRE(&set.key(set.slot_of(77)) == address);
    auto moved = std::move(set);
    REQUIRE(&*moved.find(77) == address);
    REQUIRE(moved.size() == 100);
    REQUIRE(moved.erase_if([](const NonMovable& key) { return key.value() % 4 == 1; }) == 50);
    REQUIRE(moved.check_invariants());
    moved.shrink_to_fit();
    moved.clear();
    REQUIRE(moved.empty());
}

TEST_CASE("a set of a class without state has at most one member", "[set_storage]") {
    SetStorage<test::Empty, HashBy<NoHash>> set;
    REQUIRE(set.insert(test::Empty()).inserted);
    REQUIRE_FALSE(set.insert(test::Empty()).inserted);
    REQUIRE_FALSE(set.emplace(5).inserted);
    REQUIRE(set.size() == 1);
    REQUIRE(set.contains(test::Empty()));
    REQUIRE(set.erase(test::Empty()));
    REQUIRE(set.empty());
    REQUIRE(set.check_invariants());
}

TEST_CASE("keys never move: addresses hold while the set grows, shrinks and erases", "[set_storage]") {
    SetOf<Tracked, small_pages> set;
    std::vector<const Tracked*> addresses;
    for (int i = 0; i != 3000; ++i) addresses.push_back(&set.key(set.insert(Tracked(i)).it.slot()));
    for (int i = 0; i != 3000; ++i) REQUIRE(&set.key(set.slot_of(i)) == addresses[static_cast<std::size_t>(i)]);
    for (int i = 0; i != 3000; ++i)
        if (i % 10 != 0) set.erase(i);
    for (int i = 2000; i != 3000; ++i) set.erase(i);
    set.shrink_to_fit();
    set.reserve(5000);
    for (int i = 0; i < 2000; i += 10) REQUIRE(&*set.find(i) == addresses[static_cast<std::size_t>(i)]);
    REQUIRE(set.check_invariants());
}

//=== erase ===//

TEST_CASE("erase takes a key, a handle or an iterator; each works once", "[set_storage]") {
    SetOf<Tracked> set;
    for (int i = 0; i != 10; ++i) set.insert(i);
    static_assert(noexcept(set.erase(set.handle_of(1))) || noexcept(set.erase(set.handle_at(1))));
    static_assert(noexcept(set.erase(set.begin())));
    const auto two = set.handle_of(2);
    REQUIRE(set.erase(Tracked(1)));
    REQUIRE_FALSE(set.erase(Tracked(1)));
    REQUIRE(set.erase(two));
    REQUIRE_FALSE(set.erase(two));
    REQUIRE_FALSE(set.contains(two));
    REQUIRE(set.key(two) == nullptr);
    REQUIRE(set.explain(two) == HandleStatus::stale);
    REQUIRE(set.state(2) == SlotState::free);
    REQUIRE(set.handle_at(2).is_null());
    const auto next = set.erase(set.find(3));
    REQUIRE(next->value() == 4);
    REQUIRE(set.erase(set.find(9)) == set.end());
    REQUIRE(set.size() == 6);
    REQUIRE_FALSE(set.erase(decltype(set)::handle_type()));
    REQUIRE(set.check_invariants());
}

TEMPLATE_TEST_CASE("erase and extract take a reference to the very key that goes", "[set_storage]", int, std::string,
                   test::Tracked) {
    NothingLeaks objects;
    SetOf<TestType, small_pages> set;
    for (int i = 0; i != 100; ++i) set.insert(make_key<TestType>(i));
    for (slot_t slot = 0; slot != 50; ++slot) REQUIRE(set.erase(set.key(slot)));
    for (slot_t slot = 50; slot != 100; ++slot) {
        const auto taken = set.extract(set.key(slot));
        REQUIRE(taken.has_value());
        REQUIRE(number_of_key(*taken) == static_cast<int>(slot));
    }
    REQUIRE(set.empty());
    REQUIRE(set.check_invariants());
}

TEST_CASE("erasing every element while iterating visits each once", "[set_storage]") {
    SetOf<std::string, small_pages> set;
    for (int i = 0; i != 300; ++i) set.insert(make_key<std::string>(i));
    std::multiset<int> seen;
    for (auto it = set.begin(); it != set.end();) {
        seen.insert(number_of_key(*it));
        it = number_of_key(*it) % 2 == 0 ? set.erase(it) : std::next(it);
    }
    REQUIRE(seen.size() == 300);
    REQUIRE(std::set<int>(seen.begin(), seen.end()).size() == 300);
    REQUIRE(set.size() == 150);
    for (auto it = set.begin(); it != set.end();) it = set.erase(it);
    REQUIRE(set.empty());
    REQUIRE(set.check_invariants());
}

TEST_CASE("an iterator to an erased element still goes on to the next live one", "[set_storage]") {
    SetOf<int, small_pages> set;
    for (int i = 0; i != 200; ++i) set.insert(i);
    auto it = set.find(60);
    for (int i = 60; i != 130; ++i) set.erase(i);
    ++it;
    REQUIRE(*it == 130);
    for (int i = 1000; i != 4000; ++i) set.insert(i); // fills the holes, then grows
    REQUIRE(*it == 130);
    auto first = set.begin();
    set.clear();
    REQUIRE(++first == set.end());
}

TEST_CASE("erase_if asks for every key once, by key or by handle and key", "[set_storage]") {
    SetOf<std::string, small_pages> set;
    for (int i = 0; i != 500; ++i) set.insert(make_key<std::string>(i));
    int asked = 0;
    REQUIRE(set.erase_if([&](const std::string& key) { return ++asked, number_of_key(key) % 3 == 0; }) == 167);
    REQUIRE(asked == 500);
    REQUIRE(set.erase_if([&](auto handle, const std::string& key) {
        REQUIRE(set.key(handle) == &key);
        return number_of_key(key) % 3 == 1;
    }) == 167);
    REQUIRE(set.size() == 166);
    for (const auto& key : set) REQUIRE(number_of_key(key) % 3 == 2);
    REQUIRE(set.erase_if([](const std::string&) { return false; }) == 0);
    REQUIRE(set.check_invariants());
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("a predicate that throws leaves erased what it has chosen, and the rest", "[set_storage]") {
    SetOf<int> set{0, 1, 2, 3, 4, 5};
    const auto throws_at_4 = [](int key) {
        if (key == 4) TEST_THROW(InjectedFailure());
        return key % 2 == 0;
    };
    REQUIRE_THROWS_AS(erase_if(set, throws_at_4), InjectedFailure);
    REQUIRE(numbers(set) == std::vector{1, 3, 4, 5});
    REQUIRE(set.check_invariants());
}
#endif

TEST_CASE("extract moves the key out where it can", "[set_storage]") {
    NothingLeaks objects;
    SetOf<MoveOnly> set;
    set.insert(MoveOnly(5));
    const auto handle = set.handle_of(5);
    const auto taken = set.extract(5);
    REQUIRE(taken->value() == 5);
    REQUIRE_FALSE(set.contains(handle));
    REQUIRE_FALSE(set.extract(5).has_value());
    REQUIRE(set.check_invariants());
}

//=== iteration ===//

TEST_CASE("iterators are forward iterators over keys in slot order", "[set_storage]") {
    using Set = SetOf<std::string, small_pages>;
    static_assert(std::forward_iterator<Set::iterator>);
    static_assert(std::is_same_v<Set::iterator, Set::const_iterator>);
    static_assert(std::is_same_v<decltype(*std::declval<Set::iterator>()), const std::string&>);
    static_assert(std::is_same_v<Set::value_type, std::string> && std::is_same_v<Set::key_type, std::string>);
    Set set;
    for (int i = 0; i != 150; ++i) set.insert(make_key<std::string>(i));
    for (int i = 10; i != 100; ++i) set.erase(make_key<std::string>(i));
    const auto seen = numbers(set);
    REQUIRE(seen.size() == 60);
    REQUIRE(std::is_sorted(seen.begin(), seen.end()));
    auto it = set.begin();
    REQUIRE(number_of_key(*it++) == 0);
    REQUIRE(it->size() == make_key<std::string>(1).size());
    REQUIRE(it.slot() == 1);
    REQUIRE(it.handle() == set.handle_at(1));
    REQUIRE(set.end().slot() == no_slot);
    REQUIRE(std::distance(set.cbegin(), set.cend()) == 60);
    REQUIRE(Set::iterator() == Set::iterator());
    const slot_t hole = set.insert("lands in a hole ahead").it.slot(); // may be met or not
    std::size_t rest = 0;
    for (; it != set.end(); ++it) rest += it.slot() != hole;
    REQUIRE(rest == 59);
}

TEST_CASE("an iterator goes on to the end, or to what was inserted since, after everything was erased and memory given back",
          "[set_storage]") {
    SetOf<int, small_pages> set;
    for (int i = 0; i != 1000; ++i) set.insert(i);
    auto last = set.find(999), first = set.begin();
    for (int i = 0; i != 1000; ++i) set.erase(i);
    set.shrink_to_fit();
    REQUIRE(++last == set.end());
    REQUIRE(++first == set.end());
}

TEST_CASE("for_each, keys, slots and occupancy show the same elements in the same order", "[set_storage]") {
    SetOf<int, small_pages> set;
    for (int i = 0; i != 400; ++i) set.insert(i);
    for (int i = 64; i != 128; ++i) set.erase(i); // an empty word; the first stays full
    for (int i = 200; i < 400; i += 3) set.erase(i);
    const auto expected = numbers(set);
    std::vector<int> by_key, by_handle, by_slot, by_column, by_chunk;
    set.for_each([&](int key) { by_key.push_back(key); });
    set.for_each([&](auto handle, int key) {
        REQUIRE(*set.key(handle) == key);
        by_handle.push_back(key);
    });
    for (const slot_t slot : set.slots()) by_slot.push_back(set.key(slot));
    const auto keys = set.keys();
    static_assert(std::is_same_v<decltype(keys), const ColumnView<const int>>);
    for (const int& key : keys) by_column.push_back(key);
    keys.for_each([&](slot_t slot, const int& key) {
        REQUIRE(&key == &set.key(slot));
        REQUIRE(&keys[slot] == &key);
        REQUIRE(keys.get(set.handle_at(slot)) == &key);
        by_chunk.push_back(key);
    });
    REQUIRE(by_key == expected);
    REQUIRE(by_handle == expected);
    REQUIRE(by_slot == expected);
    REQUIRE(by_column == expected);
    REQUIRE(by_chunk == expected);
    REQUIRE(set.occupancy().count() == set.size());
}

TEST_CASE("for_each may erase the key it is given", "[set_storage]") {
    SetOf<int, small_pages> set;
    for (int i = 0; i != 200; ++i) set.insert(i);
    int visited = 0;
    set.for_each([&](auto handle, int key) {
        ++visited;
        if (key % 2 == 0) set.erase(handle);
    });
    REQUIRE(visited == 200);
    REQUIRE(set.size() == 100);
    REQUIRE(set.check_invariants());
}

//=== columns ===//

TEST_CASE("columns follow the keys by slot", "[set_storage]") {
    SetOf<int, small_pages, ValueArray<std::string>, ValueArray<double>> set;
    for (int i = 0; i != 200; ++i) {
        const slot_t slot = set.insert(i).it.slot();
        REQUIRE(set.observer<0>()[slot].empty());
        REQUIRE(set.observer<1>()[slot] == 0.0);
        set.observer<0>()[slot] = "column of " + std::to_string(i);
        set.column<1>()[slot] = i;
    }
    for (int i = 0; i < 200; i += 2) set.erase(i);
    const auto& constant = set;
    static_assert(std::is_same_v<decltype(set.column<0>()), ColumnView<std::string>>);
    static_assert(std::is_same_v<decltype(constant.column<0>()), ColumnView<const std::string>>);
    int seen = 0;
    zip_columns(
        [&](slot_t, const int& key, const std::string& text, double& number) {
            REQUIRE(text == "column of " + std::to_string(key));
            REQUIRE(number == key);
            ++seen;
        },
        constant.keys(), constant.column<0>(), set.column<1>());
    REQUIRE(seen == 100);
    REQUIRE(constant.observer<0>()[set.slot_of(7)] == "column of 7");
    const auto copy = set;
    REQUIRE(copy.observer<0>()[copy.slot_of(7)] == "column of 7");
    const slot_t slot = set.insert(0).it.slot(); // a hole
    REQUIRE(set.observer<0>()[slot].empty());
    REQUIRE(set.observer<1>()[slot] == 0.0);
    auto moved = std::move(set);
    REQUIRE(moved.column<0>()[moved.slot_of(7)] == "column of 7");
    REQUIRE(moved.check_invariants());
}
