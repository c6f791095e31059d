// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what do rows cost whose members lie in an array each, and the bits and ticks that follow them?
//
// update            of eight floats a row one is increased by another: the walk over two of eight columns ("bytes": 32)
// push, push_grows  a row of four members of 4, 4, 4 and 8 bytes appended, with and without reserve ("bytes": 20)
// sort              such rows in the order of one float
// erase_if          a random tenth of such rows removed, the others keep their order
//
// runs              random bits, of which so many percent are set, walked as runs ("bytes": 1)
// changed_10        ten random rows were changed: they are found ("bytes": 8)
// add_remove        a row gets a member of 4 bytes and loses it again: moves between two tables, random rows ("bytes": 28)
//
// Times are per row, of changed_10 per changed row.
//
// plain_arrays      limit: arrays from new, by hand
// vectors           a std::vector a member, kept in step by hand; sort: an index is sorted, each vector permuted into a new one
// vector_of_struct  what one has without columns
// SoaVector         ours
//
// words_by_hand     runs of words: the next set bit, then the next clear one
// vector_bool       what one has for bits: a look at each row
// tick_scan         what one has for changes: a look at each row
// BitColumn, TickColumn, AnyRows: ours. AnyRows knows its columns at run time only, vectors when it is compiled
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench::rows {

inline constexpr std::size_t sizes[] = {10'000, 100'000, 1'000'000};

using Eight = std::array<float, 8>;
struct Four {
    float key; // no two rows have the same
    float value;
    std::uint32_t id;
    std::uint64_t payload;
};
inline constexpr std::size_t four_bytes = 20;

[[nodiscard]] inline std::vector<Four> four_rows(std::size_t n) {
    std::vector<Four> rows;
    for (const std::uint32_t number : shuffled(n, 9))
        rows.push_back({static_cast<float>(number), static_cast<float>(number) / 2, number, std::uint64_t{number} * 3});
    return rows;
}
// Depends on the order.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t sum, const Four& row) noexcept {
    return sum * 31 + std::bit_cast<std::uint32_t>(row.key) + std::bit_cast<std::uint32_t>(row.value) + row.id + row.payload;
}
// Whether erase_if removes this row.
[[nodiscard]] inline bool is_erased(float value) noexcept { return static_cast<std::uint32_t>(value) % 10 == 0; }

template <class C>
SLOTWISE_BENCH_LOOP void update(C& columns) {
    columns.update();
}
template <class C>
SLOTWISE_BENCH_LOOP void push_all(C& columns, const Four* rows, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) columns.push(rows[i]);
}

// C: push(Eight), update(), first(row): the float that was increased.
template <class C>
void add_update(const std::string& name, Role role) {
    for (const std::size_t n : sizes)
        add({"update", sizeof(Eight), n}, name, role, 9, [n](benchmark::State& state) {
            C columns;
            for (std::size_t i = 0; i < n; ++i) {
                Eight row{};
                for (std::size_t k = 0; k < row.size(); ++k) row[k] = static_cast<float>((i * 7 + k) % 100);
                columns.push(row);
            }
            const std::size_t passes = std::max<std::size_t>(1, 1'000'000 / n);
            static_cast<void>(timed_passes(state, passes, columns, [&] { return update(columns), 0; }));
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum = sum * 31 + std::bit_cast<std::uint32_t>(columns.first(i));
            return Measured{n * passes, sum};
        });
}
// C: reserve(n), push(Four), sort(), erase_if(), size(), row(i) -> Four.
template <class C>
void add_rows(const std::string& name, Role role) {
    const auto add_row = [&](const char* operation, std::size_t n, auto prepare, auto run) {
        add({operation, four_bytes, n}, name, role, 9, [=](benchmark::State& state) {
            const std::vector<Four> rows = four_rows(n);
            C columns;
            timed_batches(
                state, [&] { prepare(columns, rows); }, [&] { run(columns, rows); });
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < columns.size(); ++i) sum = mixed(sum, columns.row(i));
            return Measured{n, sum};
        });
    };
    const auto fill = [](C& columns, const std::vector<Four>& rows) {
        columns = C();
        columns.reserve(rows.size());
        push_all(columns, rows.data(), rows.size());
    };
    const auto push = [](C& columns, const std::vector<Four>& rows) { push_all(columns, rows.data(), rows.size()); };
    for (const std::size_t n : sizes) {
        add_row(
            "push", n, [](C& columns, const auto& rows) { columns = C(), columns.reserve(rows.size()); }, push);
        add_row(
            "push_grows", n, [](C& columns, const auto&) { columns = C(); }, push);
        add_row("sort", n, fill, [](C& columns, const auto&) { columns.sort(); });
        add_row("erase_if", n, fill, [](C& columns, const auto&) { columns.erase_if(); });
    }
}

inline constexpr std::size_t bit_sizes[] = {100'000, 1'000'000};

// C: push(bool), for_each_run(f(first, last)).
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t walk_runs(const C& bits) {
    std::uint64_t sum = 0;
    bits.for_each_run([&](std::size_t first, std::size_t last) { sum += (last - first) ^ first; });
    return sum;
}
template <class C>
void add_runs(const std::string& name, Role role) {
    for (const std::size_t n : bit_sizes)
        for (const int percent : {1, 50, 99})
            add({"runs", 1, n, percent}, name, role, 9, [n, percent](benchmark::State& state) {
                C bits;
                for (const std::uint32_t number : shuffled(n, 3)) bits.push(number % 100 < static_cast<std::uint32_t>(percent));
                const std::size_t passes = 10'000'000 / n;
                const std::uint64_t sum = timed_passes(state, passes, bits, [&] { return walk_runs(bits); });
                return Measured{n * passes, sum};
            });
}
// C: C(n), mark(row, tick), for_each_changed(since, f(row)).
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t find_changed(const C& ticks, std::uint32_t since) {
    std::uint64_t sum = 0;
    ticks.for_each_changed(since, [&](std::size_t row) { sum += row; });
    return sum;
}
template <class C>
void add_changes(const std::string& name, Role role) {
    for (const std::size_t n : bit_sizes)
        add({"changed_10", 8, n}, name, role, 9, [n](benchmark::State& state) {
            C ticks(n);
            const std::vector<std::uint32_t> order = shuffled(n, 5);
            std::size_t next = 0;
            std::uint32_t now = 1;
            std::uint64_t sum = 0;
            constexpr std::size_t passes = 100;
            const auto mark = [&] { // all passes of a batch look for the same rows, as one of ten readers would
                ++now;
                for (int i = 0; i < 10; ++i) ticks.mark(order[next++ % n], now);
            };
            timed_batches(state, mark, [&] {
                for (std::size_t pass = 0; pass < passes; ++pass) {
                    benchmark::ClobberMemory();
                    sum += find_changed(ticks, now - 1);
                }
            });
            return Measured{10 * passes, sum};
        });
}
// C: push(id), add(row) and remove(row) -> what id is now in that row's place, at(row): the sum of its members, of the rows
// without the member.
template <class C>
void add_moves(const std::string& name, Role role) {
    for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}})
        add({"add_remove", 28, n}, name, role, 9, [n](benchmark::State& state) {
            C tables;
            std::vector<std::uint32_t> row_of(n);
            for (std::size_t i = 0; i < n; ++i)
                tables.push(static_cast<std::uint32_t>(i)), row_of[i] = static_cast<std::uint32_t>(i);
            const std::vector<std::uint32_t> order = shuffled(n, 7);
            const std::size_t passes = std::max<std::size_t>(1, 100'000 / n);
            timed_batches(
                state, [] {},
                [&] {
                    for (std::size_t pass = 0; pass < passes; ++pass)
                        for (const std::uint32_t id : order) {
                            row_of[tables.add(row_of[id])] = row_of[id];
                            row_of[id] = tables.remove(0);
                        }
                });
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum = sum * 31 + tables.at(row_of[i]);
            return Measured{n * passes, sum};
        });
}

} // namespace bench::rows
