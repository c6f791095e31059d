// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ValueArray as a static column of a slot map and, through DynamicColumn, as one attached at run time.
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/event_log.hpp"
#include "support/tracked.hpp"

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

template <class... Columns>
using Map = SlotMap<int, Columns...>;

constexpr int constant_use() {
    ValueArray<int> column;
    column.on_capacity(0, 100);
    column.on_insert(3, InsertKind::fresh);
    column[3] += 7;
    column.construct(4, 5);
    const int sum = column[3] + column[4];
    column.on_erase(3);
    column.on_reset();
    return sum;
}
static_assert(constant_use() == 12);
static_assert(StaticObserver<ValueArray<int>>);
static_assert(!std::is_copy_constructible_v<ValueArray<int>>, "which slots have values, only the container knows");
static_assert(noexcept(std::declval<ValueArray<int>&>().on_insert(0, InsertKind::fresh)));
static_assert(!noexcept(std::declval<ValueArray<test::Throwing>&>().on_insert(0, InsertKind::fresh)));

} // namespace

TEST_CASE("a static column has a value-initialised value for every live slot") {
    Map<ValueArray<int>> map;
    const auto a = map.insert(1), b = map.insert(2);
    auto& column = map.observer<0>();
    CHECK(column[a.index()] == 0);
    column[a.index()] = 10;
    column[b.index()] = 20;
    map.erase(a);
    const auto c = map.insert(3);
    REQUIRE(c.index() == a.index());
    CHECK(column[c.index()] == 0); // not the old value
    CHECK(column[b.index()] == 20);
}

TEMPLATE_TEST_CASE("values of a column live exactly as long as the elements, and never move", "", test::Tracked, test::MoveOnly,
                   test::NonMovable, test::Big, test::OverAligned<64>, test::OverAligned<4096>) {
    test::NothingLeaks objects;
    Map<ValueArray<TestType>> map;
    std::vector<typename Map<ValueArray<TestType>>::handle_type> handles;
    std::vector<const TestType*> addresses;
    for (int i = 0; i < 300; ++i) {
        handles.push_back(map.insert(i));
        auto& value = map.template observer<0>()[handles.back().index()];
        value.set(i);
        addresses.push_back(&value);
        CHECK(objects.alive() == map.size());
    }
    for (std::size_t i = 0; i < 300; i += 3) map.erase(handles[i]);
    CHECK(objects.alive() == map.size());
    bool kept = true;
    for (std::size_t i = 0; i < 300; ++i)
        if (i % 3 != 0) {
            const auto& value = map.template observer<0>()[handles[i].index()];
            kept = kept && &value == addresses[i] && value.value() == static_cast<int>(i);
        }
    CHECK(kept);
    map.clear();
    CHECK(objects.alive() == 0);
    map.insert(1);
    CHECK(objects.alive() == 1);
}

TEST_CASE("when a column's constructor or its memory throws, the insert has not happened", "[throws]") {
    test::NothingLeaks objects;
    test::EveryByteReturned bytes;
    using Column = ValueArray<test::Throwing, test::ThrowingAllocator<test::Throwing>>;
    const auto failures = test::fail_at_every_step(test::swept<SlotMap<int>>("insert"), [](auto&& attempt) {
        Map<Column, Column> map;
        const bool threw = attempt([&] { map.insert(1); });
        CHECK(map.size() == (threw ? 0 : 1));
        CHECK(map.check_invariants());
        map.insert(2);
        CHECK(map.size() == (threw ? 1 : 2));
        CHECK(map.observer<1>()[0].value() == 0);
    });
    CHECK(failures >= 6); // each column: pages, liveness, and then two constructors
}

TEST_CASE("a dynamic column gets values for elements that are there already, and follows from then on") {
    test::NothingLeaks objects;
    Map<> map;
    const auto a = map.insert(1), b = map.insert(2);
    map.erase(a);
    DynamicColumn<ValueArray<test::Tracked>> age;
    {
        const auto token = map.attach(age);
        CHECK(objects.alive() == 1);
        age.column()[b.index()].set(5);
        const auto c = map.insert(3);
        CHECK(objects.alive() == 2);
        CHECK(age.column()[c.index()].value() == 0);
        map.erase(c);
        CHECK(objects.alive() == 1);
        map.reserve(100'000);
        CHECK(age.column()[b.index()].value() == 5);
        map.clear();
        CHECK(objects.alive() == 0);
        map.insert(4);
    }
    CHECK(objects.alive() == 1); // detached, still holding its values
}

TEST_CASE("when a value of a dynamic column throws while attaching, the column is not attached and holds nothing", "[throws]") {
    test::NothingLeaks objects;
    Map<> map;
    for (int i = 0; i < 5; ++i) map.insert(i);
    const auto failures = test::fail_at_every_step(test::swept<SlotMap<int>>("attach"), [&](auto&& attempt) {
        test::NothingLeaks inside;
        DynamicColumn<ValueArray<test::Throwing>> column;
        ObserverToken token;
        const bool threw = attempt([&] { token = map.attach(column); });
        CHECK(token.attached() == !threw);
        CHECK(inside.alive() == (threw ? 0u : 5u));
        map.erase(map.insert(7)); // and the map is as before
    });
    CHECK(failures == 5);
}

TEST_CASE("a dynamic column of a container that died is empty and can be attached again") {
    test::NothingLeaks objects;
    DynamicColumn<ValueArray<test::Tracked>> column;
    ObserverToken token;
    {
        Map<> map;
        map.insert(1);
        token = map.attach(column);
        CHECK(objects.alive() == 1);
    }
    CHECK(objects.alive() == 0);
    CHECK_FALSE(token.attached());
    Map<> other;
    other.insert(1);
    other.insert(2);
    token = other.attach(column);
    CHECK(objects.alive() == 2);
    CHECK(column.column()[1].value() == 0);
    token.detach();
}

TEST_CASE("a dynamic column passes every event on to a column that has all hooks, and splits a clear for one that has not") {
    Map<> map;
    DynamicColumn<test::StaticLogger<7>> all;
    struct OnlyErase {
        void on_erase(slot_t slot) noexcept { test::EventLog::add("only erase " + std::to_string(slot)); }
    };
    DynamicColumn<OnlyErase> some{OnlyErase{}};
    const auto of_all = map.attach(all);
    const auto of_some = map.attach(some);
    map.reserve(1);
    test::EventLog::take();
    const auto first = map.insert(1);
    map.insert(2);
    map.erase(first);
    CHECK(test::EventLog::take() == test::Events{"s7 insert 0", "s7 insert 1", "s7 remove 0", "only erase 0", "s7 erase 0"});
    map.clear();
    CHECK(test::EventLog::take() == test::Events{"only erase 1", "s7 clear 1"});
}

TEST_CASE("a column uses the container's allocator when it can, and any other of its own") {
    test::EveryByteReturned bytes;
    using Allocator = test::StatefulAllocator<int>;
    using OfFour = SlotMap<int, AllocBy<Allocator>, ValueArray<double, test::StatefulAllocator<double>>>;
    {
        OfFour map(Allocator(4));
        map.insert(1);
        CHECK(test::Ledger::live_bytes(0) == 0);
        CHECK(test::Ledger::live_bytes(4) >= 64 * (sizeof(int) + sizeof(double)));
    }
    SlotMap<int, ValueArray<double, test::FancyAllocator<double>>> fancy;
    fancy.insert(1);
    fancy.observer<0>()[0] = 2.5;
    CHECK(fancy.observer<0>()[0] == 2.5);
}

TEMPLATE_TEST_CASE("a column moves into memory of another allocator, with the values that are there", "", int, test::Tracked) {
    test::EveryByteReturned bytes;
    test::NothingLeaks objects;
    using Allocator = test::StatefulAllocator<TestType>;
    using Column = ValueArray<TestType, Allocator>;
    const auto filled = [] {
        Column column(Allocator(1));
        column.on_capacity(0, 128);
        for (const slot_t slot : {3u, 64u, 100u}) column.construct(slot, static_cast<int>(slot));
        column.destroy(64);
        return column;
    };
    for (const int id : {1, 2}) {
        CAPTURE(id);
        Column from = filled();
        const TestType* const before = from.ptr(3);
        Column into(std::move(from), Allocator(id));
        CHECK(into.get_allocator() == Allocator(id));
        CHECK((into.ptr(3) == before) == (id == 1)); // of an equal allocator the memory itself is taken over
        CHECK(into[3] == TestType(3));
        CHECK(into[100] == TestType(100));
        from = filled(); // what was moved from is empty and usable
        CHECK(from[100] == TestType(100));
        if constexpr (!std::is_trivially_destructible_v<TestType>) {
            CHECK(objects.alive() == 4);
            from.on_reset();
            CHECK(objects.alive() == 2);
        }
    }
}

TEST_CASE("a column of values without a default constructor is filled by its owner") {
    struct NoDefault {
        explicit NoDefault(int v) : value(v) {}
        test::Tracked value;
    };
    test::NothingLeaks objects;
    ValueArray<NoDefault> column;
    column.on_capacity(0, 64);
    column.construct(7, 42);
    column.construct(9, 43);
    CHECK(column[7].value.value() == 42);
    column.destroy(7);
    CHECK(objects.alive() == 1); // the other one goes with the column
}

#if SLOTWISE_CHECK_LEVEL >= 2
TEST_CASE("asking a column for a slot that is not live is a failed check where the column knows") {
    Map<ValueArray<std::string>> map;
    map.erase(map.insert(1));
    CHECK(test::dies_saying("no value lives there", [&] { static_cast<void>(map.observer<0>()[0].size()); }));
    CHECK(test::dies_saying("no value lives there", [&] { static_cast<void>(map.observer<0>()[100'000].size()); }));
}
#endif
