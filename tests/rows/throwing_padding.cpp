// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is promised to be zero bytes stays so, whichever step throws: undo brings values back, and the bytes behind them.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/rows/bit_column.hpp>
#include <slotwise/rows/soa_struct.hpp>
#include <slotwise/rows/soa_vector.hpp>

#include <tuple>
#include <utility>

#if defined(__cpp_exceptions) // without them nothing is undone: each step would end a process of its own
using namespace slotwise;
using namespace test;

namespace {

/// Plain bytes whose constructor throws.
struct Picky {
    Picky() : Picky(1) {}
    Picky(int to) : number(to) { Budget::spend(); }
    int number = 0;
};
static_assert(std::is_trivially_copyable_v<Picky>);
/// The same without an assignment.
struct Fixed {
    Fixed(int to = 1) : number(to) { Budget::spend(); }
    const long long number;
};

/// Whether column Nth has zero bytes from its last value to the end of the line.
template <std::size_t Nth, class Rows>
bool ends_in_zeros(const Rows& rows) {
    using T = std::tuple_element_t<Nth, typename Rows::value_type>;
    if constexpr (std::is_trivially_copyable_v<T> && !std::is_empty_v<T>) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(rows.template padded_data<Nth>());
        for (std::size_t i = rows.size() * sizeof(T); i < rows.template padded_size<Nth>() * sizeof(T); ++i)
            if (bytes[i] != 0) return false;
    }
    return true;
}
template <class Rows>
bool is_padded(const Rows& rows) {
    return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
        return rows.check_invariants() && (ends_in_zeros<Nth>(rows) && ...);
    }(std::make_index_sequence<std::tuple_size_v<typename Rows::value_type>>());
}

std::size_t failures = 0;

/// act(rows) fails at each of its steps, on rows of several lengths, with and without room for more.
template <class Rows, class Act>
void sweep(const char* function, Act&& act) {
    constexpr std::size_t width = std::tuple_size_v<typename Rows::value_type>;
    for (const std::size_t size : {0u, 1u, 2u, 7u, 15u, 16u, 17u, 31u, 63u, 64u, 65u, 100u, 128u})
        for (const bool room : {false, true}) {
            INFO(function << " of " << size << " rows" << (room ? ", with room" : ""));
            failures += fail_at_every_step(swept<Rows>(function), [&](auto&& attempt) {
                Rows rows;
                if (room) rows.reserve(size + 70);
                for (std::size_t i = 0; i != size; ++i)
                    [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
                        rows.push_back((static_cast<void>(Nth), static_cast<int>(i) + 1)...);
                    }(std::make_index_sequence<width>());
                attempt([&] { act(rows); });
                REQUIRE(is_padded(rows));
                // What is added later lies on bytes that were undone.
                [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
                    rows.push_back((static_cast<void>(Nth), 9)...);
                }(std::make_index_sequence<width>());
                REQUIRE(is_padded(rows));
            });
        }
}

template <class Rows, std::size_t... Nth>
void sweep_all(std::index_sequence<Nth...>) {
    const auto number = [](auto) { return 0x5A5A5A5A; };
    sweep<Rows>("push_back", [&](Rows& rows) { rows.push_back(number(Nth)...); });
    sweep<Rows>("emplace_back", [&](Rows& rows) { rows.emplace_back(number(Nth)...); });
    sweep<Rows>("insert", [&](Rows& rows) { rows.insert(rows.size() / 2, number(Nth)...); });
    sweep<Rows>("insert", [&](Rows& rows) { rows.insert(rows.size(), number(Nth)...); });
    sweep<Rows>("resize", [&](Rows& rows) { rows.resize(rows.size() + 3); });
    sweep<Rows>("resize", [&](Rows& rows) { rows.resize(rows.size() + 66); });
    sweep<Rows>("resize", [&](Rows& rows) { rows.resize(rows.size() / 2); });
    sweep<Rows>("reserve", [&](Rows& rows) { rows.reserve(rows.capacity() + 1); });
    sweep<Rows>("shrink_to_fit", [&](Rows& rows) { rows.shrink_to_fit(); });
    sweep<Rows>("operator=(other)", [&](Rows& rows) {
        Rows other;
        for (int i = 0; i != 5; ++i) other.push_back(number(Nth)...);
        rows = other;
    });
    sweep<Rows>("operator=(moved)", [&](Rows& rows) {
        Rows copy(rows);
        copy.push_back(number(Nth)...);
        rows = std::move(copy);
    });
    sweep<Rows>("erase_if", [&](Rows& rows) {
        std::size_t seen = 0;
        rows.erase_if([&](const auto&) {
            Budget::spend();
            return ++seen % 3 != 0;
        });
    });
    sweep<Rows>("erase", [&](Rows& rows) {
        if (!rows.empty()) rows.erase(rows.size() / 2);
    });
    sweep<Rows>("swap_erase", [&](Rows& rows) {
        if (!rows.empty()) rows.swap_erase(rows.size() / 2);
    });
    sweep<Rows>("sort", [&](Rows& rows) {
        std::size_t left = 3; // of the comparisons that may throw
        rows.sort([&](const auto&, const auto&) {
            if (left != 0) --left, Budget::spend();
            return false;
        });
    });
}
template <class Rows>
void sweep_all() {
    sweep_all<Rows>(std::make_index_sequence<std::tuple_size_v<typename Rows::value_type>>());
}

struct Particle {
    short kind = 0;
    Picky mass{};
    ThrowingCopy name{};
};

} // namespace

TEST_CASE("SoaVector: the bytes behind the last row are zero, whichever step of whichever function throws", "[rows][throws]") {
    failures = 0;
    sweep_all<SoaVector<int, Picky>>();
    sweep_all<SoaVector<Picky, char, Picky>>();
    sweep_all<SoaVector<char, long long, ThrowingCopy>>();
    sweep_all<SoaVector<short, Throwing, Picky>>();
    CHECK(failures > 5'000);
}

TEST_CASE("SoaVector: members without assignment, and copies into other memory, are padded too", "[rows][throws]") {
    using Rows = BasicSoaVector<Members<int, Fixed>, AllocBy<StatefulAllocator<std::byte, Propagation{.throws = true}>>>;
    std::size_t thrown = 0;
    for (const int size : {1, 5, 63, 64, 65})
        thrown += fail_at_every_step(swept<Rows>("(other, alloc)"), [&](auto&& attempt) {
            Rows rows{Rows::allocator_type(1)};
            for (int i = 0; i != size; ++i) rows.push_back(i + 1, i + 1);
            Rows other{Rows::allocator_type(2)};
            attempt([&] {
                other.push_back(3, 3);
                Rows there(rows, Rows::allocator_type(3));
                REQUIRE(is_padded(there));
                other.swap(there);
                rows.swap(other);
            });
            REQUIRE((is_padded(rows) && is_padded(other)));
        });
    CHECK(thrown > 20);
}

TEST_CASE("SoaStruct: the bytes behind the last row are zero, whichever step throws", "[rows][throws]") {
    using Rows = SoaStruct<&Particle::kind, &Particle::mass, &Particle::name>;
    failures = 0;
    sweep<Rows>("push_back", [](Rows& rows) { rows.push_back(Particle{}); });
    sweep<Rows>("push_back", [](Rows& rows) {
        const Particle particle;
        rows.push_back(particle);
    });
    sweep<Rows>("insert", [](Rows& rows) { rows.insert(rows.size() / 2, Particle{}); });
    sweep<Rows>("resize", [](Rows& rows) { rows.resize(rows.size() + 9); });
    sweep<Rows>("resize", [](Rows& rows) { rows.resize(rows.size() + 9, Particle{}); });
    CHECK(failures > 500);
}

TEST_CASE("BitColumn: no bit beyond the last row is set when memory runs out", "[rows][throws]") {
    using Column = BasicBitColumn<AllocBy<ThrowingAllocator<bits::word_t>>>;
    std::size_t thrown = 0;
    for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 200u}) {
        const auto step = [&](const char* function, auto&& act) {
            thrown += fail_at_every_step(swept<Column>(function), [&](auto&& attempt) {
                Column column(size, true);
                attempt([&] { act(column); });
                REQUIRE(column.check_invariants());
                column.push_back(true);
                REQUIRE(column.check_invariants());
            });
        };
        step("push_back", [](Column& column) { column.push_back(true); });
        step("append", [](Column& column) { column.append(1000, true); });
        step("resize", [](Column& column) { column.resize(column.size() + 70, true); });
        step("insert", [](Column& column) { column.insert(column.size() / 2, true); });
        step("reserve", [](Column& column) { column.reserve(column.capacity() + 1); });
        step("operator=(other)", [](Column& column) {
            const Column other(77, true);
            column = other;
        });
    }
    CHECK(thrown > 20);
}
#endif
