// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BitColumn beside std::vector<bool>, and its runs beside a loop over rows.
#include <slotwise/memory/occupancy.hpp>
#include <slotwise/rows/bit_column.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"

#include <random>
#include <vector>

using namespace slotwise;

namespace {

using Model = std::vector<bool>;
using Runs = std::vector<std::pair<std::size_t, std::size_t>>;
constexpr std::size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 300};

bool same(const BitColumn& column, const Model& model) {
    if (!column.check_invariants() || column.size() != model.size()) return false;
    for (std::size_t i = 0; i != model.size(); ++i)
        if (column[i] != model[i]) return false;
    return true;
}
BitColumn column_of(const Model& model) {
    BitColumn column;
    for (const bool bit : model) column.push_back(bit);
    return column;
}
Model random_bits(std::size_t rows, unsigned percent, std::mt19937& random) {
    Model model(rows);
    for (std::size_t i = 0; i != rows; ++i) model[i] = random() % 100 < percent;
    return model;
}
template <class Holds>
Runs expected_runs(std::size_t rows, Holds&& holds) {
    Runs runs;
    for (std::size_t i = 0; i != rows; ++i) {
        if (!holds(i)) continue;
        if (runs.empty() || runs.back().second != i) runs.emplace_back(i, i);
        ++runs.back().second;
    }
    return runs;
}
template <class With, class Without>
Runs runs_of(std::size_t rows, const With& with, const Without& without) {
    Runs runs;
    for_each_run(rows, with, without, [&](std::size_t first, std::size_t last) { runs.emplace_back(first, last); });
    return runs;
}

} // namespace

TEST_CASE("words have the lowest bit first and no bit beyond the last row", "[bit_column]") {
    std::mt19937 random(1);
    for (const std::size_t rows : sizes)
        for (const unsigned percent : {0u, 50u, 100u}) {
            CAPTURE(rows, percent);
            const Model model = random_bits(rows, percent, random);
            const BitColumn column = column_of(model);
            REQUIRE(same(column, model));
            REQUIRE(column.words().size() == bits::word_count(rows));
            std::size_t count = 0;
            for (std::size_t i = 0; i != rows; ++i) {
                count += model[i];
                REQUIRE((column.words()[i / 64] >> (i % 64) & 1) == model[i]);
            }
            REQUIRE(column.count() == count);
            const BitColumn whole(rows, percent == 100);
            if (percent != 50) REQUIRE(whole == column);
        }
}

TEST_CASE("what words from elsewhere have beyond the last row is dropped", "[bit_column]") {
    const bits::word_t garbage[] = {~bits::word_t{0}, ~bits::word_t{0}, 7};
    for (const std::size_t rows : {0u, 1u, 63u, 64u, 65u, 127u, 128u}) {
        const BitColumn column(garbage, rows);
        REQUIRE(column.check_invariants());
        REQUIRE(column == BitColumn(rows, true));
        // In what for_each_run is given, garbage beyond its rows is no row either.
        REQUIRE(runs_of(rows, include(BitSource(garbage, rows)), exclude()) == (rows == 0 ? Runs{} : Runs{{0, rows}}));
        REQUIRE(runs_of(rows, include(), exclude(BitSource(garbage, rows))) == Runs{});
    }
}

TEST_CASE("a column does what a vector of bool does, in any order of operations", "[bit_column]") {
    std::mt19937 random(2);
    BitColumn column;
    Model model;
    for (int step = 0; step != 6000; ++step) {
        const auto n = static_cast<std::ptrdiff_t>(model.size());
        const bool value = random() % 2 != 0;
        const std::size_t row = n == 0 ? 0 : random() % model.size(), other = n == 0 ? 0 : random() % model.size();
        const auto operation = random() % 14;
        CAPTURE(step, operation, n, row);
        if (operation < 3 || n == 0) {
            column.push_back(value), model.push_back(value);
        } else if (operation == 3) {
            const std::size_t more = random() % 100;
            column.append(more, value), model.insert(model.end(), more, value);
        } else if (operation == 4) {
            column.set(row, value), model[row] = value;
        } else if (operation == 5) {
            column.set(row), column.reset(other), model[row] = true, model[other] = false;
        } else if (operation == 6) {
            column.flip(row), model[row] = !model[row];
        } else if (operation == 7) {
            column.swap_rows(row, other), Model::swap(model[row], model[other]);
        } else if (operation == 8) {
            column.swap_erase(row), model[row] = model.back(), model.pop_back();
        } else if (operation == 9) {
            column.erase(row), model.erase(model.begin() + static_cast<std::ptrdiff_t>(row));
        } else if (operation == 10) {
            const std::size_t at = random() % (model.size() + 1);
            column.insert(at, value), model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), value);
        } else if (operation == 11) {
            column.pop_back(), model.pop_back();
        } else if (operation == 12 && random() % 8 == 0) {
            const std::size_t rows = random() % 200;
            column.resize(rows, value), model.resize(rows, value);
        } else if (random() % 40 == 0) {
            const auto what = random() % 4;
            if (what == 0) column.clear(), model.clear();
            if (what == 1) column.shrink_to_fit();
            if (what == 2) column.reserve(model.size() + 100);
            if (what == 3) column.assign_all(value), model.assign(model.size(), value);
        }
        REQUIRE(same(column, model));
    }
}

TEST_CASE("a bit follows its row when the last row comes in the place of another", "[bit_column]") {
    BitColumn column;
    for (const bool bit : {false, false, true}) column.push_back(bit);
    column.swap_erase(0); // row 2 is row 0 now
    CHECK((column.size() == 2 && column[0] && !column[1]));
    column.swap_erase(1); // the last: nothing moves
    CHECK((column.size() == 1 && column[0]));
    column.clear();
    column.push_back(false); // a cleared column remembers nothing
    CHECK_FALSE(column[0]);
}

TEST_CASE("runs are maximal, also across words", "[bit_column]") {
    std::mt19937 random(3);
    for (const std::size_t rows : sizes)
        for (const unsigned percent : {0u, 1u, 50u, 99u, 100u}) {
            CAPTURE(rows, percent);
            const Model model = random_bits(rows, percent, random);
            const BitColumn column = column_of(model);
            const Runs expected = expected_runs(rows, [&](std::size_t i) { return bool{model[i]}; });
            REQUIRE(runs_of(rows, include(column), exclude()) == expected);
            Runs own;
            column.for_each_run([&](std::size_t first, std::size_t last) { own.emplace_back(first, last); });
            REQUIRE(own == expected);
            // Fewer rows than bits.
            if (rows > 2)
                REQUIRE(runs_of(rows - 2, include(column), exclude()) ==
                        expected_runs(rows - 2, [&](std::size_t i) { return bool{model[i]}; }));
        }
}

TEST_CASE("every edge of a run is found, at each place of two words", "[bit_column]") {
    for (std::size_t first = 0; first <= 128; ++first)
        for (std::size_t last = first + 1; last <= 128; ++last) {
            BitColumn column(first);
            column.append(last - first, true);
            column.resize(128);
            REQUIRE(runs_of(128, include(column), exclude()) == Runs{{first, last}});
        }
}

TEST_CASE("several columns are combined: set in all that are included and in none that are excluded", "[bit_column]") {
    std::mt19937 random(4);
    for (const std::size_t rows : sizes) {
        const Model a = random_bits(rows, 80, random), b = random_bits(rows, 70, random), c = random_bits(rows, 30, random),
                    d = random_bits(rows, 10, random);
        const BitColumn ca = column_of(a), cb = column_of(b), cc = column_of(c), cd = column_of(d);
        const auto expected = [&](bool has_a, bool has_b, bool not_c, bool not_d) {
            return expected_runs(rows, [&](std::size_t i) {
                return (!has_a || a[i]) && (!has_b || b[i]) && !(not_c && c[i]) && !(not_d && d[i]);
            });
        };
        CHECK(runs_of(rows, include(), exclude()) == expected(false, false, false, false));
        CHECK(runs_of(rows, include(ca, cb), exclude()) == expected(true, true, false, false));
        CHECK(runs_of(rows, include(), exclude(cc, cd)) == expected(false, false, true, true));
        CHECK(runs_of(rows, include(ca, cb), exclude(cc, cd)) == expected(true, true, true, true));
        // Known at run time, and bits of another class.
        const BitSource with[] = {ca, Occupancy(cb.words().data(), rows)}, without[] = {cc};
        CHECK(runs_of(rows, include(std::span<const BitSource>(with)), exclude(std::span<const BitSource>(without))) ==
              expected(true, true, true, false));
        CHECK(runs_of(rows, include(std::span<const BitSource>()), exclude(std::span<const BitSource>())) ==
              expected(false, false, false, false));
    }
}

TEST_CASE("the walk goes on through its 64 rows as they were, whatever f does to the bits", "[bit_column]") {
    BitColumn column;
    for (int i = 0; i != 32; ++i) column.push_back(true), column.push_back(false);
    std::size_t runs = 0;
    column.for_each_run([&](std::size_t first, std::size_t) {
        column.reset(first);
        if (first + 2 < column.size()) column.reset(first + 2);
        ++runs;
    });
    CHECK(runs == 32);
    CHECK(column.count() == 0);
}

TEST_CASE("a snapshot of bits is restored exactly, and bytes it would not have are refused", "[bit_column]") {
    std::mt19937 random(5);
    for (const std::size_t rows : sizes) {
        const BitColumn column = column_of(random_bits(rows, 50, random));
        const auto bytes = column.snapshot();
        BitColumn other(3, true);
        other.restore(bytes);
        REQUIRE(other == column);
        REQUIRE(other.check_invariants());
        for (std::size_t cut = 0; cut != bytes.size(); ++cut)
            REQUIRE(BitColumn().try_restore(std::span(bytes).first(cut)) != nullptr);
        const auto more = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
        REQUIRE(BitColumn().try_restore(more) != nullptr);
    }
    auto bytes = BitColumn(3, true).snapshot();
    bytes = test::forged(bytes, [](auto& state) { state[12] = std::byte{0xFF}; }); // bits of rows there are not
    BitColumn kept(2, true);
    CHECK_THROWS_AS(kept.restore(bytes), std::invalid_argument);
    bytes = test::forged(bytes, [](auto& state) {
        state[12] = std::byte{0x07};
        for (std::size_t i = 4; i != 12; ++i) state[i] = std::byte{0xFF}; // more rows than memory
    });
    CHECK_THROWS_AS(kept.restore(bytes), std::invalid_argument);
    bytes = test::forged(bytes, [](auto& state) { state[0] = std::byte{}; });
    CHECK(kept.try_restore(bytes) != nullptr);
    CHECK(kept == BitColumn(2, true));
}

TEST_CASE("bits are as before when memory runs out", "[bit_column]") {
    using Column = BasicBitColumn<AllocBy<test::ThrowingAllocator<int>>>;
    const test::EveryByteReturned returned;
    const auto sweep = [](const char* function, auto&& act) {
        const auto failures = test::fail_at_every_step(test::swept<Column>(function), [&](auto&& attempt) {
            Column column(64, true), other(70, true);
            const bool threw = attempt([&] { act(column, other); });
            if (threw) CHECK((column.size() == 64 && column.count() == 64 && column.check_invariants()));
        });
        REQUIRE(failures > 0);
    };
    sweep("push_back", [](Column& column, Column&) { column.push_back(true); });
    sweep("append", [](Column& column, Column&) { column.append(100, true); });
    sweep("insert", [](Column& column, Column&) { column.insert(3, true); });
    sweep("resize", [](Column& column, Column&) { column.resize(100); });
    sweep("reserve", [](Column& column, Column&) { column.reserve(100); });
    sweep("shrink_to_fit", [](Column& column, Column&) {
        column.pop_back(), column.push_back(true);
        column.reserve(200), column.shrink_to_fit();
    });
    sweep("operator=(copy)", [](Column& column, Column& other) { column = other; });
    sweep("(copy)", [](Column& column, Column&) { Column copy(column); });
    sweep("(...)", [](Column& column, Column&) { Column copy(column.words(), 64); });
    sweep("restore", [](Column& column, Column& other) { column.restore(other.snapshot()); });
}

TEST_CASE("words stay where they are until memory is exchanged", "[bit_column]") {
    BitColumn column;
    column.reserve(1000);
    const auto* const words = column.words().data();
    column.push_back(true), column.append(500, true), column.resize(900), column.insert(3, false), column.reserve(900);
    CHECK((column.words().data() == words && column.count() == 501));
    column.reserve(2000);
    column.shrink_to_fit();
    CHECK(column.capacity() < 1000);
    CHECK(column.count() == 501);
}

TEST_CASE("more rows than can be are refused", "[bit_column]") {
    BitColumn column(3, true);
    CHECK_THROWS_AS(column.append(static_cast<std::size_t>(-1) - 2, true), std::length_error);
    CHECK(column == BitColumn(3, true));
}

TEST_CASE("bits move between unequal allocators", "[bit_column]") {
    using Column = BasicBitColumn<AllocBy<test::StatefulAllocator<int>>>;
    using Memory = test::StatefulAllocator<int>;
    const test::EveryByteReturned returned;
    Column a(70, true, Memory(1)), b(3, false, Memory(2));
    swap(a, b);
    CHECK((a.size() == 3 && b.size() == 70 && a.get_allocator() == Memory(1)));
    a = std::move(b);
    CHECK((a.count() == 70 && b.empty()));
    b.push_back(true);
    const Column c(std::move(a), Memory(2));
    CHECK((c.count() == 70 && a.empty() && c.get_allocator() == Memory(2)));
}
