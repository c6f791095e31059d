// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what do rows cost whose members lie in an array each?
//
// update            of eight floats a row one is increased by another: the walk over two of eight columns ("bytes": 32)
// push, push_grows  a row of four members of 4, 4, 4 and 8 bytes appended, with and without reserve ("bytes": 20)
// sort              such rows in the order of one float
// erase_if          a random tenth of such rows removed, the others keep their order
//
// Times are per row.
//
// plain_arrays      limit: arrays from new, by hand
// vectors           a std::vector a member, kept in step by hand; sort: an index is sorted, each vector permuted into a new one
// vector_of_struct  what one has without columns
// SoaVector         ours
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

} // namespace bench::rows
