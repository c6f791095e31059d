// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SecondaryMap and SparseSecondaryMap: one interface, two storages, the same promises.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace test;

using H = SlotMap<int>::handle_type;

struct DenselyUsed {
    template <class T, class Handle = H, class A = std::allocator<T>>
    using of = SecondaryMap<Handle, T, AllocBy<A>>;
};
struct SparselyUsed {
    template <class T, class Handle = H, class A = std::allocator<T>>
    using of = SparseSecondaryMap<Handle, T, AllocBy<A>>;
};

} // namespace

TEMPLATE_TEST_CASE("A secondary map keeps a value for exactly the handle it was given", "[map]", DenselyUsed, SparselyUsed) {
    typename TestType::template of<std::string> more;
    const H handle(3, 5);
    const auto [it, inserted] = more.insert(handle, "five");
    REQUIRE(inserted);
    REQUIRE((it->value == "five" && it.handle() == handle && it == more.find(handle)));
    CHECK(more.size() == 1);
    CHECK(more.at(handle) == "five");
    CHECK(more[handle] == "five");
    CHECK_FALSE(more.contains(H(3, 7)));
    CHECK_FALSE(more.contains(H(3, 3)));
    CHECK_FALSE(more.contains(H(4, 5)));
    CHECK_FALSE(more.contains(H()));
    CHECK_THROWS_AS(more.at(H(3, 7)), std::out_of_range);

    SECTION("insert leaves an existing value, insert_or_assign replaces it") {
        CHECK_FALSE(more.insert(handle, "again").inserted);
        CHECK(more[handle] == "five");
        CHECK_FALSE(more.insert_or_assign(handle, "again").inserted);
        CHECK(more[handle] == "again");
        CHECK(more.size() == 1);
    }
    SECTION("user bits of the handle are ignored") {
        typename TestType::template of<int, Handle<int, HandleLayout{16, 12, 4}>> tagged;
        const Handle<int, HandleLayout{16, 12, 4}> plain(9, 1), marked = plain.with_user_bits(11);
        tagged.insert(marked, 1);
        CHECK(tagged.contains(plain));
        CHECK_FALSE(tagged.insert(plain, 2).inserted);
        CHECK(tagged[marked] == 1);
    }
    SECTION("erase and extract take it away") {
        CHECK_FALSE(more.erase(H(3, 3)));
        CHECK(more.extract(handle) == "five");
        CHECK_FALSE(more.extract(handle).has_value());
        CHECK_FALSE(more.erase(handle));
        CHECK(more.empty());
    }
    CHECK(more.check_invariants());
}

TEMPLATE_TEST_CASE("A newer handle replaces an older entry of its slot, an older one is refused", "[map]", DenselyUsed,
                   SparselyUsed) {
    NothingLeaks leaks;
    {
        typename TestType::template of<Tracked> more;
        more.insert(H(70, 5), Tracked(5));
        const auto [newer, replaced] = more.insert(H(70, 9), Tracked(9));
        REQUIRE(replaced);
        CHECK(newer->value.value() == 9);
        CHECK(more.size() == 1);
        CHECK_FALSE(more.contains(H(70, 5)));
        const auto [older, done] = more.insert(H(70, 7), Tracked(7));
        CHECK(older == more.end());
        CHECK_FALSE(done);
        CHECK(more[H(70, 9)].value() == 9);
        CHECK(more.check_invariants());
    }
}

TEMPLATE_TEST_CASE("Null handles and handles that were never live are refused", "[map]", DenselyUsed, SparselyUsed) {
    typename TestType::template of<int> more;
    CHECK(more.insert(H(), 1).it == more.end());
    CHECK(more.insert(H(5, 4), 1).it == more.end());
    CHECK(more.insert_or_assign(H(5, 0), 1).it == more.end());
    CHECK(more.empty());
    CHECK(more.check_invariants());
}

// Rust slotmap 1.x: SecondaryMap::entry returns None for a vacant slot once the key's version exceeds 2^31, while insert
// accepts it.
TEMPLATE_TEST_CASE("Peer defect 8: a vacant slot accepts versions above 2^31", "[map][peer]", DenselyUsed, SparselyUsed) {
    typename TestType::template of<int> more;
    const H late(0, 0xFFFF'FFFF);
    REQUIRE(more.try_emplace(late, 1).inserted);
    CHECK(more.contains(late));
    CHECK_FALSE(more.insert(H(0, 0x7FFF'FFFF), 2).inserted);
    REQUIRE(more.erase(late));
    CHECK(more.try_emplace(H(0, 0x8000'0001), 3).inserted);
    CHECK(more.check_invariants());
}

// Rust slotmap: SecondaryMap::insert with one far index allocates up to it, 10 million slots for one entry.
TEMPLATE_TEST_CASE("Peer defect 9: one far handle does not allocate its range", "[map][peer]", DenselyUsed, SparselyUsed) {
    using A = StatefulAllocator<int>;
    Ledger::forget_errors();
    const EveryByteReturned balance;
    {
        const std::size_t before = Ledger::live_bytes();
        typename TestType::template of<int, H, A> more{A(7)};
        REQUIRE(more.insert(H(0xFFFF'FFF0, 1), 1).inserted);
        REQUIRE(more.insert(H(10'000'000, 1), 2).inserted);
        CHECK(Ledger::live_bytes() > before);
        CHECK(Ledger::live_bytes() - before < 16'384);
        CHECK(more[H(0xFFFF'FFF0, 1)] == 1);
        CHECK(more[H(10'000'000, 1)] == 2);
        CHECK_FALSE(more.contains(H(10'000'001, 1)));
        // Near and far entries are walked, each once.
        REQUIRE(more.insert(H(1, 1), 3).inserted);
        int sum = 0;
        more.for_each([&](H, int value) { sum += value; });
        CHECK(sum == 6);
        CHECK(more.check_invariants());
    }
}

// Rust slotmap: secondary maps keep answering for removed keys until the slot is reused.
TEMPLATE_TEST_CASE("Peer defect 10: an attached secondary map forgets an element when it goes", "[map][peer]", DenselyUsed,
                   SparselyUsed) {
    SlotMap<int> map;
    typename TestType::template of<int> more;
    const H early = map.insert(1);
    more.insert(early, 10);
    map.erase(early);
    more.attach_to(map); // what has gone before goes now
    CHECK(more.empty());
    const H a = map.insert(1), b = map.insert(2), c = map.insert(3);
    for (const H handle : {a, b, c}) more.insert(handle, 7);
    map.erase(b);
    CHECK_FALSE(more.contains(b));
    CHECK(more.size() == 2);
    map.extract(a);
    CHECK_FALSE(more.contains(a));
    map.clear();
    CHECK(more.empty());
    const H d = map.insert(4);
    more.insert(d, 1);
    more.detach();
    map.erase(d);
    CHECK(more.contains(d)); // unattached: compares versions only
    CHECK_FALSE(more.attached());
    CHECK(more.check_invariants());
}

TEMPLATE_TEST_CASE("An attached secondary map follows its map through move, swap and death", "[map]", DenselyUsed,
                   SparselyUsed) {
    typename TestType::template of<int> more;
    {
        SlotMap<int> first;
        const H a = first.insert(1), b = first.insert(2), c = first.insert(3);
        more.attach_to(first);
        for (const H handle : {a, b, c}) more.insert(handle, 1);
        SlotMap<int> second(std::move(first));
        second.erase(a);
        CHECK_FALSE(more.contains(a));
        SlotMap<int> third;
        third.insert(0);
        swap(second, third);
        third.erase(b);
        CHECK_FALSE(more.contains(b));
        second.clear(); // holds another map's elements now
        CHECK(more.contains(c));
        SlotMap<int> fourth;
        fourth = std::move(third);
        CHECK(more.contains(c));
        CHECK(more.attached());
    }
    CHECK(more.empty());
    CHECK_FALSE(more.attached());
}

TEMPLATE_TEST_CASE("A throw while inserting leaves a secondary map as it was", "[map][throws]", DenselyUsed, SparselyUsed) {
    NothingLeaks leaks;
    using Map = typename TestType::template of<ThrowingCopy, H, ThrowingAllocator<ThrowingCopy>>;
    const std::size_t failures = fail_at_every_step(swept<Map>("insert"), [](auto&& attempt) {
        Map more;
        more.insert(H(1, 1), ThrowingCopy(1));
        const ThrowingCopy value(2);
        const bool threw = attempt([&] { more.insert(H(700, 1), value); });
        REQUIRE(more.check_invariants());
        CHECK(more.size() == (threw ? 1 : 2));
        CHECK(more.contains(H(700, 1)) == !threw);
        CHECK(more[H(1, 1)].value() == 1);
    });
    CHECK(failures >= 2);
    const std::size_t copies = fail_at_every_step(swept<Map>("operator=(copy)"), [](auto&& attempt) {
        Map more;
        for (slot_t slot = 0; slot != 5; ++slot) more.insert(H(slot * 100, 1), ThrowingCopy(1));
        Map target;
        target.insert(H(1, 1), ThrowingCopy(1));
        const bool threw = attempt([&] { target = more; });
        REQUIRE(target.check_invariants());
        CHECK(target.size() == (threw ? 1 : 5));
    });
    CHECK(copies >= 5);
}

TEMPLATE_TEST_CASE("erase_if and clear visit each entry once", "[map]", DenselyUsed, SparselyUsed) {
    NothingLeaks leaks;
    typename TestType::template of<Tracked> more;
    for (slot_t slot = 0; slot != 1000; ++slot) more.insert(H(slot, 1), Tracked(static_cast<int>(slot)));
    std::size_t visits = 0;
    const std::size_t erased = more.erase_if([&](H handle, const Tracked& value) {
        ++visits;
        REQUIRE(static_cast<int>(handle.index()) == value.value());
        return value.value() % 3 == 0;
    });
    CHECK(visits == 1000);
    CHECK(erased == 334);
    CHECK(more.size() == 666);
    CHECK(more.check_invariants());
    more.clear();
    CHECK(more.empty());
    CHECK(leaks.alive() == 0);
    CHECK(more.insert(H(5, 1), Tracked(1)).inserted);
}

TEST_CASE("Values of a SecondaryMap never move, also those that cannot", "[map]") {
    NothingLeaks leaks;
    SecondaryMap<H, NonMovable> more;
    NonMovable* const first = &more.try_emplace(H(0, 1), 1).it->value;
    for (slot_t slot = 1; slot != 2000; ++slot) REQUIRE(more.try_emplace(H(slot * 7, 1), 2).inserted);
    CHECK(more.get(H(0, 1)) == first);
    CHECK(first->value() == 1);
    REQUIRE(more.try_emplace(H(0, 3), 9).inserted); // a newer element of the slot
    CHECK(more[H(0, 3)].value() == 9);
    SecondaryMap<H, OverAligned<128>> aligned;
    for (slot_t slot = 0; slot != 100; ++slot) aligned.try_emplace(H(slot * 50, 1), 1); // the census checks addresses
}

TEST_CASE("A SecondaryMap is walked in slot order, and survives the erase of what is visited", "[map]") {
    SecondaryMap<H, int> more;
    for (const slot_t slot : {900u, 3u, 64u, 63u, 4'000'000'000u, 70'000u})
        more.insert(H(slot, 1), static_cast<int>(slot % 1000));
    std::vector<slot_t> order;
    for (auto [handle, value] : more) {
        order.push_back(handle.index());
        value = 1;
        if (handle.index() == 64) more.erase(handle);
    }
    CHECK(order == std::vector<slot_t>{3, 63, 64, 900, 70'000, 4'000'000'000u});
    CHECK(more.size() == 5);
    const auto& constant = more;
    std::size_t count = 0;
    for (const auto [handle, value] : constant) count += value == 1;
    CHECK(count == 5);
    CHECK(SecondaryMap<H, int>().begin() == SecondaryMap<H, int>().end());
}

TEMPLATE_TEST_CASE("Secondary maps move and swap exactly between unequal allocators that do not propagate", "[map]",
                   DenselyUsed, SparselyUsed) {
    NothingLeaks leaks;
    Ledger::forget_errors();
    const EveryByteReturned balance;
    using A = StatefulAllocator<Tracked>;
    using Map = typename TestType::template of<Tracked, H, A>;
    SlotMap<int> owner;
    const H a = owner.insert(1), b = owner.insert(2);
    Map first{A(1)}, second{A(2)};
    first.attach_to(owner);
    first.insert(a, Tracked(10));
    second.insert(b, Tracked(20));
    first.swap(second);
    CHECK(first[b].value() == 20);
    CHECK(second[a].value() == 10);
    CHECK(second.attached());
    CHECK_FALSE(first.attached());
    first = std::move(second);
    CHECK(first.size() == 1);
    CHECK(first[a].value() == 10);
    CHECK(first.attached());
    CHECK(second.empty());
    second = first;
    CHECK(second == first);
    owner.erase(a);
    CHECK(first.empty());
    CHECK(second.size() == 1);
    CHECK(first.check_invariants());
    CHECK(second.check_invariants());
}

TEMPLATE_TEST_CASE("for_each of a secondary map passes each handle with its value, const or not", "[map]", DenselyUsed,
                   SparselyUsed) {
    typename TestType::template of<int> map;
    std::map<slot_t, int> expected, seen, seen_const;
    for (slot_t slot = 0; slot < 300; slot += 7) map.insert(H(slot, 3), expected[slot] = static_cast<int>(slot) + 1);
    map.for_each([&](H handle, int& value) {
        CHECK(handle.version() == 3);
        seen[handle.index()] = value++;
    });
    std::as_const(map).for_each([&](H handle, const int& value) { seen_const[handle.index()] = value - 1; });
    CHECK(seen == expected);
    CHECK(seen_const == expected);
}

TEMPLATE_TEST_CASE("secondary maps are equal when the same handles have equal values, and not otherwise", "[map]", DenselyUsed,
                   SparselyUsed) {
    typename TestType::template of<int> a, b, other_value, other_version, other_slot;
    for (slot_t slot = 0; slot != 5; ++slot) {
        a.insert(H(slot, 1), 1);
        b.insert(H(4 - slot, 1), 1);
        other_value.insert(H(slot, 1), slot == 4 ? 2 : 1);
        other_version.insert(H(slot, slot == 4 ? 3 : 1), 1);
        other_slot.insert(H(slot == 4 ? 9 : slot, 1), 1);
    }
    CHECK(a == b);
    CHECK_FALSE(a == other_value);
    CHECK_FALSE(a == other_version);
    CHECK_FALSE(a == other_slot);
    b.erase(H(0, 1));
    CHECK_FALSE(a == b);
}

TEST_CASE("a newer handle's value takes the place of an older one in a SecondaryMap, also when moves may throw", "[map]") {
    NothingLeaks objects;
    SecondaryMap<H, Throwing> map;
    map.try_emplace(H(5, 1), 1);
    REQUIRE(map.try_emplace(H(5, 3), 2).inserted);
    CHECK_FALSE(map.contains(H(5, 1)));
    REQUIRE(map.contains(H(5, 3)));
    CHECK(map[H(5, 3)].value() == 2);
    CHECK(map.size() == 1);
}

TEST_CASE("a walk over a SecondaryMap that erases the last entry of a page goes on at the begin of the next page", "[map]") {
    SecondaryMap<H, int> map;
    for (const slot_t slot : {10u, 63u, 64u + 3, 64u * 5 + 2, 64u * 5 + 40}) map.insert(H(slot, 1), static_cast<int>(slot));
    std::vector<int> seen;
    map.for_each([&](H handle, int value) {
        seen.push_back(value);
        map.erase(handle);
    });
    CHECK(seen == std::vector<int>{10, 63, 67, 322, 360});
    CHECK(map.empty());
}
TEMPLATE_TEST_CASE("a secondary map is made, filled and emptied by pairs and iterators", "[secondary_map]",
                   (SecondaryMap<SlotMap<int>::handle_type, std::string>),
                   (SparseSecondaryMap<SlotMap<int>::handle_type, std::string>)) {
    SlotMap<int> elements;
    const auto a = elements.insert(1), b = elements.insert(2), c = elements.insert(3);
    TestType map{{a, "a"}, {b, "b"}};
    const std::vector<std::pair<decltype(a), std::string>> more{{b, "not inserted"}, {c, "c"}};
    map.insert(more.begin(), more.end());
    map.insert_range(more);
    REQUIRE((map.size() == 3 && map[b] == "b" && map.at(c) == "c"));
    CHECK_FALSE(map.emplace(c, "d").inserted);
    CHECK(erase_if(map, [&](const auto& item) { return item.handle == b; }) == 1);
    std::size_t steps = 0;
    for (auto it = map.begin(); it != map.end(); ++steps) it = map.erase(it);
    CHECK((steps == 2 && map.empty() && map.check_invariants()));
}

TEST_CASE("a SecondaryMap walks backwards from its end, however many pages its table has", "[secondary_map]") {
    SlotMap<int> map;
    SecondaryMap<H, int> more;
    std::vector<int> expected;
    for (int i = 0; i != 5000; ++i) {
        more.try_emplace(map.insert(i), i);
        expected.push_back(i);
        if (i % 61 != 0) continue;
        std::vector<int> met;
        for (auto it = more.end(); it != more.begin();) met.push_back((--it)->value);
        std::reverse(met.begin(), met.end());
        REQUIRE(met == expected);
    }
}

TEMPLATE_TEST_CASE("erase_if asks of no entry that its predicate has erased", "[secondary_map]", DenselyUsed, SparselyUsed) {
    SlotMap<int> map;
    typename TestType::template of<Tracked> more;
    std::vector<H> handles;
    for (int i = 0; i != 6; ++i) more.try_emplace(handles.emplace_back(map.insert(i)), i);
    int asked = 0;
    const std::size_t erased = more.erase_if([&](H handle, const Tracked& value) {
        CHECK((more.contains(handle) && more[handle].value() == value.value()));
        ++asked;
        more.erase(handle);
        for (const H other : handles)
            if (more.size() % 2 != 0) more.erase(other);
        return false;
    });
    CHECK((erased == 0 && asked == 3 && more.empty() && more.check_invariants()));
}
