// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// How packed maps move rows: whole, as they are, once each; and copies that fail halfway.
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/slotwise.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

/// Neither assignable nor default constructible, and it counts its moves.
struct Pinned {
    const int value;
    explicit Pinned(int v) : value(v) {}
    Pinned(Pinned&& other) noexcept : value(other.value) { ++moves; }
    Pinned& operator=(Pinned&&) = delete;
    ~Pinned() = default;
    static inline std::size_t moves = 0;
};

/// Swapped or not at all: the swap spends the budget first.
struct Swaps {
    int value = 0;
    Swaps(int v) : value(v) {}
    Swaps(Swaps&& other) noexcept(false) : value(other.value) {}
    Swaps& operator=(Swaps&& other) noexcept(false) {
        value = other.value;
        return *this;
    }
    ~Swaps() = default;
    friend void swap(Swaps& a, Swaps& b) {
        Budget::spend();
        std::swap(a.value, b.value);
    }
};

/// Its copy spends the budget.
struct Mark {
    Mark() = default;
    Mark(const Mark&) { Budget::spend(); }
    Mark& operator=(const Mark&) = default;
    ~Mark() {} // not trivial: a column keeps count of those that live
};

} // namespace

TEST_CASE("a row that is relocated keeps its counter: its readers miss no change", "[packed]") {
    using Value = Versioned<int>;
    SoaSlotMap<Value, int> map;
    std::vector<SoaSlotMap<Value, int>::handle_type> handles;
    std::vector<change_t> seen, marks;
    for (int i = 0; i != 20; ++i) {
        handles.push_back(map.insert(Value(i), i));
        auto& value = map[handles.back()].get<0>();
        for (int n = 0; n != (i * 7) % 5; ++n) value.touch();
        seen.push_back(value.mark());
        value.set(100 + i);
        marks.push_back(value.mark());
    }
    const auto all_carried = [&] {
        for (std::size_t i = 0; i != handles.size(); ++i)
            if (const auto row = map.get(handles[i]);
                row && (row->get<0>().mark() != marks[i] || !row->get<0>().changed_since(seen[i])))
                return false;
        return true;
    };
    for (std::size_t i = 0; i < 20; i += 3) map.erase(handles[i]);
    REQUIRE(all_carried());
    map.sort<1>(std::greater<>());
    REQUIRE(all_carried());
    // Values that are exchanged under their handles: for readers of either handle that is a change.
    const auto a = handles[1], b = handles[2];
    const change_t seen_a = map[a].get<0>().mark(), seen_b = map[b].get<0>().mark();
    REQUIRE(map.swap_values(a, b));
    REQUIRE(map[a].get<0>().changed_since(seen_a));
    REQUIRE(map[b].get<0>().changed_since(seen_b));
}

TEST_CASE("elements that cannot be assigned can be packed, erased and sorted", "[packed]") {
    DenseSlotMap<Pinned> map;
    const auto a = map.emplace(3), b = map.emplace(1), c = map.emplace(2);
    static_assert(noexcept(map.erase(a)));
    map.sort([](const Pinned& x, const Pinned& y) { return x.value < y.value; });
    REQUIRE(map.values()[0].value == 1);
    REQUIRE(map.erase(b));
    REQUIRE(map[a].value == 3);
    REQUIRE(map[c].value == 2);
    REQUIRE(map.extract(c)->value == 2);
    REQUIRE(map.check_invariants());
}

TEST_CASE("sort moves each row once and one of each cycle twice, whatever the order was", "[packed]") {
    constexpr int n = 3000;
    const auto moves_for = [](auto&& value_at) {
        DenseSlotMap<Pinned> map;
        std::vector<DenseSlotMap<Pinned>::handle_type> handles;
        map.reserve(n);
        for (int i = 0; i != n; ++i) handles.push_back(map.emplace(value_at(i)));
        Pinned::moves = 0;
        map.sort([](const Pinned& a, const Pinned& b) { return a.value < b.value; });
        const std::size_t moves = Pinned::moves;
        REQUIRE(std::is_sorted(map.begin(), map.end(), [](const Pinned& a, const Pinned& b) { return a.value < b.value; }));
        for (int i = 0; i != n; ++i) REQUIRE(map[handles[static_cast<std::size_t>(i)]].value == value_at(i));
        REQUIRE(map.check_invariants());
        return moves;
    };
    REQUIRE(moves_for([](int i) { return i; }) == 0);
    REQUIRE(moves_for([](int i) { return (i + 1) % n; }) == n + 1);        // the last one to the front
    REQUIRE(moves_for([](int i) { return (i + n / 3 * 2) % n; }) > n);     // rotated by a third
    REQUIRE(moves_for([](int i) { return n - i; }) == n / 2 * 3);          // pairs
    REQUIRE(moves_for([](int i) { return (i * 7919) % n; }) <= n / 2 * 3); // scattered
}

TEST_CASE("a sort by swaps that may throw swaps less often than there are rows, for a rotated order too", "[packed]") {
    constexpr int n = 2000;
    DenseSlotMap<Swaps> map;
    for (int i = 1; i <= n; ++i) map.emplace(i % n);
    std::size_t before = Budget::calls(), compares = 0;
    map.sort([&](const Swaps& a, const Swaps& b) { return ++compares, a.value < b.value; });
    REQUIRE(Budget::calls() - before < n);
    REQUIRE(map.values()[0].value == 0);
    REQUIRE(compares < 60 * n);
}

TEST_CASE("a swap that throws in sort, erase or swap_values leaves every row whole", "[packed][throws]") {
    using Map = SoaSlotMap<int, Swaps, std::string, Swaps>;
    std::size_t moved = 0;
    const auto sweep = [&](const char* function, auto act) {
        const auto failures = fail_at_every_step(swept<Map>(function), [&](auto&& attempt) {
            Map map;
            std::vector<Map::handle_type> handles;
            for (int i = 0; i != 9; ++i) handles.push_back(map.insert((i * 4) % 9, i, std::to_string(i), i));
            const bool threw = attempt([&] { act(map, handles); });
            REQUIRE(map.check_invariants());
            REQUIRE((!threw || map.size() == 9));
            for (auto [number, swaps, text, again] : map.rows()) {
                REQUIRE(number == (swaps.value * 4) % 9);
                REQUIRE(text == std::to_string(swaps.value));
                REQUIRE(again.value == swaps.value);
            }
            for (std::size_t i = 0; threw && i != 9; ++i) {
                REQUIRE(map[handles[i]].get<1>().value == static_cast<int>(i));
                moved += map.index_of(handles[i]) != i;
            }
        });
        REQUIRE(failures >= 2);
    };
    sweep("erase", [](Map& map, auto& handles) { map.erase(handles[3]); });
    sweep("extract", [](Map& map, auto& handles) { static_cast<void>(map.extract(handles[3]).has_value()); });
    sweep("swap_values", [](Map& map, auto& handles) { map.swap_values(handles[3], handles[5]); });
    REQUIRE(moved == 0);
    sweep("sort", [](Map& map, auto&) { map.sort<0>(std::less<>()); });
#if defined(__cpp_exceptions)
    REQUIRE(moved > 0); // some order: not the one of before, either
#endif
}

TEMPLATE_TEST_CASE("a copy of a slot map whose column's copy throws leaks nothing", "[packed][throws]",
                   (SlotMap<ThrowingCopy, Column<int>, Column<Mark>>),
                   (DenseSlotMap<std::string, Column<ThrowingCopy>, Column<Mark>>)) {
    NothingLeaks objects;
    const auto sweep = [](const char* function, auto act) {
        const auto failures = fail_at_every_step(swept<TestType>(function), [&](auto&& attempt) {
            TestType map, target;
            for (int i = 0; i != 3; ++i) map.emplace();
            static_cast<void>(target.emplace());
            const bool threw = attempt([&] { act(map, target); });
            REQUIRE(map.size() == 3);
            REQUIRE((!threw || target.size() == 1));
        });
        REQUIRE(failures >= 6); // elements or one column, and the marks
    };
    sweep("(copy)", [](TestType& map, TestType&) { const TestType copy(map); });
    sweep("(copy, allocator)", [](TestType& map, TestType&) { const TestType copy(map, map.get_allocator()); });
    sweep("operator=(copy)", [](TestType& map, TestType& target) { target = map; });
}
