// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TickColumn beside pairs of 64-bit times, of which it has the lower half.
#include <slotwise/rows/tick_column.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"

#include <random>
#include <vector>

using namespace slotwise;

namespace {

static_assert(is_newer(1, 0) && !is_newer(0, 1) && !is_newer(7, 7) && is_newer(0, 0xFFFF'FFFFu) && is_newer(5, 0x8000'0006u));
static_assert(!is_newer(0x8000'0000u, 0) && is_newer(0x7FFF'FFFFu, 0) && max_tick_age == 0x4000'0000u);
static_assert(clamp_tick(5, 7) == 5 && clamp_tick(0, max_tick_age + 1) == 1 && clamp_tick(9, 7) == 9);

/// Times that do not wrap.
struct Model {
    std::vector<std::uint64_t> added{}, changed{};
};
bool same(const TickColumn& column, const Model& model, std::uint64_t since) {
    if (!column.check_invariants() || column.size() != model.added.size()) return false;
    std::vector<std::size_t> changed, added, expected_changed, expected_added;
    const auto tick = static_cast<tick_t>(since);
    column.for_each_changed(tick, [&](std::size_t row) { changed.push_back(row); });
    column.for_each_added(tick, [&](std::size_t row) { added.push_back(row); });
    for (std::size_t row = 0; row != column.size(); ++row) {
        if (model.changed[row] > since) expected_changed.push_back(row);
        if (model.added[row] > since) expected_added.push_back(row);
        if (column.changed_since(row, tick) != (model.changed[row] > since)) return false;
        if (column.added_since(row, tick) != (model.added[row] > since)) return false;
    }
    return changed == expected_changed && added == expected_added && column.any_changed(tick) == !changed.empty() &&
           column.any_added(tick) == !added.empty();
}

} // namespace

TEST_CASE("of any two ticks less than half of all apart the later one is newer, whatever wraps", "[tick_column]") {
    using byte = std::uint8_t; // 8 bits: every pair
    std::size_t wrong = 0;
    for (int from = 0; from != 256; ++from)
        for (int later = 0; later != 256; ++later)
            wrong += slotwise::detail::is_newer(static_cast<byte>(from + later), static_cast<byte>(from)) !=
                     (later > 0 && later < 128);
    CHECK(wrong == 0);
}

TEST_CASE("clamped ticks compare as the times did, for every age and every wrap", "[tick_column]") {
    using byte = std::uint8_t;
    std::size_t wrong = 0;
    for (int now = 0; now != 256; ++now)
        for (int age = -127; age <= 128; ++age) { // up to half of all: ticks are clamped once in a quarter
            const byte tick = static_cast<byte>(now - age);
            const byte clamped = slotwise::detail::clamp_tick(tick, static_cast<byte>(now));
            wrong += clamped != (age <= 64 ? tick : static_cast<byte>(now - 64));
            for (int since = 0; age >= 0 && since <= 64; ++since) // a reader's tick, clamped too
                wrong += slotwise::detail::is_newer(clamped, static_cast<byte>(now - since)) != (age < since);
        }
    CHECK(wrong == 0);
}

TEST_CASE("a range is marked as its rows one by one are, whatever pages and groups it meets", "[tick_column]") {
    constexpr std::size_t rows = 3 * 4'096 + 100;
    std::mt19937 random(11);
    std::vector<std::size_t> edges{0, 1, 63, 64, 65, 4'095, 4'096, 4'097, 8'192, rows - 1, rows};
    for (int i = 0; i != 12; ++i) edges.push_back(random() % rows);
    for (const std::size_t first : edges)
        for (const std::size_t last : edges) {
            if (first > last) continue;
            TickColumn ranged(rows, 1), single(rows, 1);
            ranged.mark(first, last, 7);
            for (std::size_t row = first; row != last; ++row) single.mark(row, 7);
            REQUIRE(ranged.check_invariants());
            REQUIRE(ranged == single);
            std::size_t met = 0, expected = first;
            ranged.for_each_changed(1, [&](std::size_t row) { met += row == expected++; });
            REQUIRE((met == last - first && ranged.any_changed(1) == (first != last)));
            REQUIRE_FALSE(ranged.any_added(1));
        }
    TickColumn wrapped(rows, 0xFFFF'FFF0u);
    wrapped.mark(10, 5'000, 3); // behind the wrap
    CHECK((wrapped.any_changed(0xFFFF'FFFFu) && !wrapped.any_changed(3) && wrapped.check_invariants()));
}

TEST_CASE("a column does what times of 64 bits do, in any order of operations, while ticks wrap", "[tick_column]") {
    std::mt19937 random(1);
    for (const std::uint64_t start : {std::uint64_t{1} << 33, (std::uint64_t{1} << 32) - 400, (std::uint64_t{1} << 31) - 300}) {
        TickColumn column;
        Model model;
        std::uint64_t now = start;
        for (int step = 0; step != 1500; ++step) {
            now += random() % 3;
            const auto tick = static_cast<tick_t>(now);
            const std::size_t n = model.added.size(), row = n == 0 ? 0 : random() % n, other = n == 0 ? 0 : random() % n;
            const auto operation = random() % 10;
            CAPTURE(start, step, operation, n, row);
            if (operation < 3 || n == 0) {
                column.push_back(tick), model.added.push_back(now), model.changed.push_back(now);
            } else if (operation < 5) {
                column.mark(row, tick), model.changed[row] = now;
            } else if (operation == 5) {
                column.swap_rows(row, other);
                std::swap(model.added[row], model.added[other]), std::swap(model.changed[row], model.changed[other]);
            } else if (operation == 6) {
                column.swap_erase(row);
                model.added[row] = model.added.back(), model.changed[row] = model.changed.back();
                model.added.pop_back(), model.changed.pop_back();
            } else if (operation == 7) {
                const auto was = now - random() % 50; // a row that comes from elsewhere with its ticks
                column.push_back(static_cast<tick_t>(was), tick), model.added.push_back(was), model.changed.push_back(now);
            } else if (operation == 8 && random() % 30 == 0) {
                const std::size_t rows = random() % 300;
                column.resize(rows, tick), model.added.resize(rows, now), model.changed.resize(rows, now);
            } else if (random() % 20 == 0) {
                const auto what = random() % 4;
                if (what == 0) column.clear(), model.added.clear(), model.changed.clear();
                if (what == 1) column.shrink_to_fit();
                if (what == 2) column.clamp(tick); // nothing is that old
                if (what == 3) column.pop_back(), model.added.pop_back(), model.changed.pop_back();
            }
            REQUIRE(same(column, model, now - random() % 60));
        }
    }
}

TEST_CASE("old rows stay old through many wraps, if they are clamped in time", "[tick_column]") {
    TickColumn column(70, 0);
    tick_t now = 0, last_run = 0;
    for (int round = 0; round != 12; ++round) { // three times round
        now += max_tick_age;
        column.clamp(now);
        last_run = clamp_tick(last_run, now);
        REQUIRE(column.check_invariants());
        REQUIRE_FALSE(column.any_changed(last_run));
        column.mark(69, now);
        std::size_t met = 0;
        column.for_each_changed(last_run, [&](std::size_t row) { met += row; });
        REQUIRE(met == 69);
        REQUIRE_FALSE(column.changed_since(3, last_run));
        last_run = now;
    }
}

TEST_CASE("a page whose rows are gone forgets what was its newest tick", "[tick_column]") {
    TickColumn column(64, 100);
    column.push_back(5);
    column.pop_back();              // the second page is empty
    column.push_back(0x8000'0040u); // 5 would seem newer than that, and hide it
    CHECK(column.any_changed(0x8000'003Fu));
    CHECK(column.check_invariants());
    column.clear();
    column.push_back(7);
    CHECK_FALSE(column.any_changed(7)); // a cleared column remembers nothing
}

TEST_CASE("ticks follow their row when the last row comes in the place of another", "[tick_column]") {
    TickColumn column;
    column.push_back(1), column.push_back(2), column.push_back(3);
    column.mark(2, 9);
    column.swap_erase(0);
    CHECK((column.size() == 2 && column.added(0) == 3 && column.changed(0) == 9 && column.changed(1) == 2));
    column.swap_erase(1); // the last: nothing moves
    CHECK((column.size() == 1 && column.changed(0) == 9));
}

TEST_CASE("a walk over what changed may mark rows, and meets those ahead", "[tick_column]") {
    TickColumn column(200, 1);
    column.mark(0, 2);
    std::vector<std::size_t> met;
    column.for_each_changed(1, [&](std::size_t row) {
        met.push_back(row);
        if (row + 70 < column.size()) column.mark(row + 70, 3);
    });
    CHECK(met == std::vector<std::size_t>{0, 70, 140});
}

TEST_CASE("a snapshot of ticks is restored exactly, and bytes it would not have are refused", "[tick_column]") {
    TickColumn column(66, 0xFFFF'FFF0u);
    column.mark(65, 4);
    const auto bytes = column.snapshot();
    TickColumn other(3, 1);
    other.restore(bytes);
    REQUIRE(other == column);
    REQUIRE((other.check_invariants() && other.any_changed(3) && !other.any_added(3)));
    for (std::size_t cut = 0; cut != bytes.size(); ++cut) REQUIRE(other.try_restore(std::span(bytes).first(cut)) != nullptr);
    auto wrong = test::forged(bytes, [](auto& state) { state.push_back(std::byte{}); });
    CHECK_THROWS_AS(other.restore(wrong), std::invalid_argument);
    wrong = test::forged(bytes, [](auto& state) {
        for (std::size_t i = 4; i != 12; ++i) state[i] = std::byte{0xFF}; // more rows than memory
    });
    CHECK_THROWS_AS(other.restore(wrong), std::invalid_argument);
    wrong = test::forged(wrong, [](auto& state) { state[0] = std::byte{}; });
    CHECK(other.try_restore(wrong) != nullptr);
    CHECK(other == column);
}

TEST_CASE("ticks are as before when memory runs out", "[tick_column]") {
    using Column = BasicTickColumn<AllocBy<test::ThrowingAllocator<int>>>;
    const test::EveryByteReturned returned;
    const auto sweep = [](const char* function, auto&& act) {
        const auto failures = test::fail_at_every_step(test::swept<Column>(function), [&](auto&& attempt) {
            Column column(64, 3), other(70, 4);
            const Column before(column);
            const bool threw = attempt([&] { act(column, other); });
            if (threw) CHECK((column == before && column.check_invariants()));
        });
        REQUIRE(failures > 0);
    };
    sweep("push_back", [](Column& column, Column&) { column.push_back(1); });
    sweep("append", [](Column& column, Column&) { column.append(100, 1); });
    sweep("resize", [](Column& column, Column&) { column.resize(100, 1); });
    sweep("reserve", [](Column& column, Column&) { column.reserve(100); });
    sweep("shrink_to_fit", [](Column& column, Column&) { column.reserve(200), column.shrink_to_fit(); });
    sweep("operator=(copy)", [](Column& column, Column& other) { column = other; });
    sweep("(copy)", [](Column& column, Column&) { Column copy(column); });
    sweep("(...)", [](Column&, Column&) { Column fresh(64, 3); });
    sweep("restore", [](Column& column, Column& other) { column.restore(other.snapshot()); });
}

TEST_CASE("ticks stay where they are until memory is exchanged", "[tick_column]") {
    TickColumn column;
    column.reserve(1000);
    const tick_t* const changed = column.changed_ticks().data();
    column.push_back(1), column.append(900, 2), column.reserve(900);
    CHECK(column.changed_ticks().data() == changed);
    column.reserve(2000);
    column.shrink_to_fit();
    CHECK((column.capacity() == 901 && column.changed(0) == 1 && column.added(900) == 2));
}

TEST_CASE("more rows of ticks than can be are refused", "[tick_column]") {
    TickColumn column(3, 1);
    CHECK_THROWS_AS(column.append(static_cast<std::size_t>(-1) - 2, 2), std::length_error);
    CHECK(column == TickColumn(3, 1));
}

TEST_CASE("ticks move between unequal allocators", "[tick_column]") {
    using Column = BasicTickColumn<AllocBy<test::StatefulAllocator<int>>>;
    using Memory = test::StatefulAllocator<int>;
    const test::EveryByteReturned returned;
    Column a(70, 1, Memory(1)), b(3, 2, Memory(2));
    swap(a, b);
    CHECK((a.size() == 3 && b.size() == 70 && a.get_allocator() == Memory(1)));
    a = std::move(b);
    CHECK((a.size() == 70 && b.empty() && a.changed(69) == 1));
    b.push_back(3);
    const Column c(std::move(a), Memory(2));
    CHECK((c.size() == 70 && a.empty() && c.get_allocator() == Memory(2)));
}
