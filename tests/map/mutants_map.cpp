// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Behaviour that no other test of this folder would miss if it went: found by tools/verify/mutate.py.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace test;

using H = SlotMap<int>::handle_type;

struct DenselyUsed {
    template <class T, class A = std::allocator<T>>
    using of = SecondaryMap<H, T, AllocBy<A>>;
};
struct SparselyUsed {
    template <class T, class A = std::allocator<T>>
    using of = SparseSecondaryMap<H, T, AllocBy<A>>;
};

/// Does something to the map when it is notified of an insert; once, or it would be notified of its own.
class Meddler final : public SlotObserver {
public:
    void on_insert(slot_t, InsertKind) override {
        if (const auto now = std::exchange(act, nullptr)) now();
    }
    std::function<void()> act;
};

/// A static observer that says it is quiet, and counts.
struct QuietCounter {
    using is_trivial_observer = void;
    void on_insert(slot_t, InsertKind) noexcept { ++inserts; }
    void on_erase(slot_t) noexcept { ++erases; }
    int inserts = 0, erases = 0;
};

} // namespace

TEMPLATE_TEST_CASE("an observer that changes the map which is telling it stops with a message, whatever it calls",
                   "[mutants][death]", ALL_STORAGES) {
    using Map = typename TestType::template map<int>;
    const auto stops = [](auto change) {
        return dies_saying("an observer changes the container", [&] {
            Map map;
            const auto first = put(map, 1), later = map.reserve_handle(), gone = put(map, 3);
            map.erase(gone);
            const auto bytes = map.snapshot();
            Meddler meddler;
            const auto token = map.attach(meddler);
            meddler.act = [&] { change(map, first, later, gone, bytes); };
            put(map, 4);
        });
    };
    CHECK(stops([](Map& map, auto...) { put_in_place(map, 5); }));
    CHECK(stops([](Map& map, auto...) { put_with(map, 5, [](auto) {}); }));
    CHECK(stops([](Map& map, auto...) { map.reserve_handle(); }));
    CHECK(stops([](Map& map, auto, auto later, auto...) { fulfill(map, later, 5); }));
    CHECK(stops([](Map& map, auto, auto, auto gone, auto...) { put_at(map, gone, 5); }));
    CHECK(stops([](Map& map, auto first, auto...) { map.erase(first); }));
    CHECK(stops([](Map& map, auto...) { map.clear(); }));
    CHECK(stops([](Map& map, auto...) { map.shrink_to_fit(); }));
    CHECK(stops([](Map& map, auto, auto, auto, const auto& bytes) { map.restore(bytes); }));
}

TEMPLATE_TEST_CASE("clear called by a destructor during clear removes what was inserted meanwhile at once", "[mutants]",
                   test::Paged, test::Reserved, test::Dense) {
    NothingLeaks objects;
    using Map = typename TestType::template map<CallsOnDestroy>;
    typename Map::handle_type first, last;
    int cleared = 0;
    Map map;
    for (int i = 0; i != 70; ++i)
        map.insert(CallsOnDestroy(i, [&] {
            first = map.insert(CallsOnDestroy(100)), last = map.insert(CallsOnDestroy(101));
            map.clear();
            cleared += !map.contains(first) && !map.contains(last) && map.empty();
        }));
    map.clear();
    CHECK(cleared == 70);
    CHECK(map.empty());
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("swap(a, b) exchanges slot maps as a.swap(b) does", "[mutants]", ALL_STORAGES) {
    typename TestType::template map<int> a, b;
    const auto one = put(a, 1);
    const auto two = put(b, 2), three = put(b, 3);
    swap(a, b);
    CHECK(a.size() == 2);
    CHECK(number_of(a, two) == 2);
    CHECK(number_of(a, three) == 3);
    CHECK(b.size() == 1);
    CHECK(number_of(b, one) == 1);
}

TEMPLATE_TEST_CASE("reserve(max_size()) is not too much", "[mutants]", ALL_STORAGES) {
    typename TestType::template map<int, SlotMapOptions{.handle = {.index_bits = 8, .version_bits = 8}}> map;
    map.reserve(map.max_size());
    CHECK(map.capacity() == map.max_size());
    CHECK_THROWS_AS(map.reserve(map.max_size() + 1), std::length_error);
}

TEMPLATE_TEST_CASE("end() names no slot", "[mutants]", test::Paged, test::Reserved) {
    typename TestType::template map<int> map;
    CHECK(map.end().slot() == no_slot);
    map.insert(1);
    CHECK(map.end().slot() == no_slot);
    CHECK(std::next(map.begin()).slot() == no_slot);
}

TEST_CASE("erase_if asks once for each element, also when destructors erase others meanwhile", "[mutants]") {
    NothingLeaks objects;
    using Map = DenseSlotMap<CallsOnDestroy>;
    std::vector<Map::handle_type> handles;
    std::map<int, int> asked;
    Map map;
    for (int i = 0; i != 40; ++i)
        handles.push_back(map.insert(CallsOnDestroy(i, [&, i] {
            if (i >= 20) map.erase(handles[static_cast<std::size_t>(i - 20)]);
        })));
    map.erase_if([&](const CallsOnDestroy& value) {
        ++asked[value.value()];
        return value.value() % 2 == 1;
    });
    for (const auto& [value, times] : asked) {
        CAPTURE(value);
        CHECK(times == 1);
    }
    CHECK(map.size() == 20);
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("erase from packed storage keeps every other value when moves may throw", "[mutants]", test::Dense,
                   test::Soa) {
    NothingLeaks objects;
    typename TestType::template map<Throwing> map;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 10; ++i) handles.push_back(put(map, i));
    CHECK(map.erase(handles[3]));
    CHECK(map.extract(handles[0]).has_value());
    CHECK(map.erase(handles[9]));
    for (const int i : {1, 2, 4, 5, 6, 7, 8}) CHECK(number_of(map, handles[static_cast<std::size_t>(i)]) == i);
    CHECK(map.size() == 7);
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("a trivial static observer is notified of each insert and each erase", "[mutants]",
                   (SlotMap<int, QuietCounter>), (DenseSlotMap<int, QuietCounter>)) {
    TestType map;
    const auto a = map.insert(1), b = map.insert(2);
    map.insert(3);
    CHECK(map.template observer<0>().inserts == 3);
    CHECK(map.template observer<0>().erases == 0);
    map.erase(a);
    CHECK(map.extract(b).has_value());
    CHECK(map.template observer<0>().erases == 2);
}

TEMPLATE_TEST_CASE("insert_at goes up to slot 65,535 from an empty map and not beyond", "[mutants]", test::Paged, test::Dense) {
    typename TestType::template map<int> map;
    using Handle = typename decltype(map)::handle_type;
    CHECK(map.insert_at(Handle(65536, 1), 1) == nullptr);
    CHECK(map.capacity() == 0);
    REQUIRE(map.insert_at(Handle(65535, 1), 2) != nullptr);
    CHECK(map[Handle(65535, 1)] == 2);
}

//=== maps keyed by another map's handles ===//

TEMPLATE_TEST_CASE("for_each of a secondary map passes each handle with its value, const or not", "[mutants]", DenselyUsed,
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

TEMPLATE_TEST_CASE("secondary maps are equal when the same handles have equal values, and not otherwise", "[mutants]",
                   DenselyUsed, SparselyUsed) {
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

TEST_CASE("a newer handle's value takes the place of an older one in a SecondaryMap, also when moves may throw", "[mutants]") {
    NothingLeaks objects;
    SecondaryMap<H, Throwing> map;
    map.try_emplace(H(5, 1), 1);
    REQUIRE(map.try_emplace(H(5, 3), 2).second);
    CHECK_FALSE(map.contains(H(5, 1)));
    REQUIRE(map.contains(H(5, 3)));
    CHECK(map[H(5, 3)].value() == 2);
    CHECK(map.size() == 1);
}

TEST_CASE("a walk over a SecondaryMap that erases the last entry of a page goes on at the begin of the next page",
          "[mutants]") {
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

TEMPLATE_TEST_CASE("swap of secondary maps with unequal allocators takes both attachments along", "[mutants]", DenselyUsed,
                   SparselyUsed) {
    using A = StatefulAllocator<int>;
    SlotMap<int> red, blue;
    const H in_red = red.insert(1), in_blue = blue.insert(2), also_blue = blue.insert(3);
    typename TestType::template of<int, A> a{A(1)}, b{A(2)};
    a.attach_to(red);
    b.attach_to(blue);
    a.insert(in_red, 1);
    b.insert(in_blue, 2);
    b.insert(also_blue, 3);
    a.swap(b);
    CHECK(a.size() == 2);
    CHECK(b.size() == 1);
    CHECK(a.attached());
    CHECK(b.attached());
    blue.erase(also_blue);
    CHECK(a.size() == 1);
    CHECK(b.size() == 1);
    red.clear();
    CHECK(b.empty());
    CHECK(a.size() == 1);
}

TEST_CASE("swap of IdentityMaps exchanges the pairs, both ways of asking", "[mutants]") {
    IdentityMap<std::string, H> a, b;
    REQUIRE(a.insert("one", H(1, 1)));
    REQUIRE(b.insert("two", H(2, 1)));
    REQUIRE(b.insert("three", H(3, 1)));
    a.swap(b);
    CHECK(a.size() == 2);
    CHECK(a.handle_of("two") == H(2, 1));
    REQUIRE(a.id_of(H(3, 1)) != nullptr);
    CHECK(*a.id_of(H(3, 1)) == "three");
    CHECK(a.id_of(H(1, 1)) == nullptr);
    swap(a, b);
    CHECK(a.size() == 1);
    CHECK(a.handle_of("one") == H(1, 1));
    CHECK(b.id_of(H(1, 1)) == nullptr);
    CHECK(a.check_invariants());
    CHECK(b.check_invariants());
}
