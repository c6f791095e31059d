// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does it cost to hand a container to a reader of Arrow, and to take one back?
//
// shared_slot_map, shared_map, shared_soa   n numbers, n keys and numbers, four columns of n rows, without holes, as batches that the
//               container is not changed under; time per row
// copy_slot_map, copy_map, copy_soa, copy_text   the same as batches that do not depend on the container; texts of 1 to 6 characters
// holes_live, holes_slots   n slots of which every tenth is free, at random: live rows gathered; a row a slot with validity
// import        n rows of keys and numbers, keys in random order, into a fresh map
// upsert        the same into a map that has the keys
// delta_20000   20,000 of n values of a dictionary over time are written in a window; pack it, read it, apply it to a replica; time per
//               change
//
// memcpy        (limit) plain arrays of the same data copied into fresh ones; for rows that share, their addresses
// original_writes (limit of delta_20000) the writes that made the window
// loop          a loop over the container, or into it, that someone writes who has no export: values pushed into vectors, then the
//               structs of the interface around them
// slotwise      export_stream, import_stream, export_delta and apply_delta
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <slotwise/arrow/c_data.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench::arrow {

using Key = std::uint64_t;

// Bijective, so distinct numbers give distinct keys.
[[nodiscard]] constexpr Key key_of(std::uint64_t number) noexcept { return (number + 1) * 0x9E37'79B9'7F4A'7C15ull; }
[[nodiscard]] constexpr double number_of(std::uint64_t number) noexcept { return static_cast<double>(number) * 0.5; }
[[nodiscard]] inline std::string text_of(std::uint64_t number) { return std::to_string(number % 1'000'000); }
[[nodiscard]] constexpr bool is_hole(std::uint64_t number) noexcept { return (key_of(number) >> 32) % 10 == 0; }

// A batch around columns that someone else owns.
class Batch {
public:
    explicit Batch(std::size_t rows, std::size_t columns) : columns_(columns) {
        whole_.length = static_cast<std::int64_t>(rows);
        for (Column& column : columns_) pointers_.push_back(&column.array);
    }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    void set(std::size_t column, const void* values, const void* texts = nullptr, const void* validity = nullptr) {
        columns_[column].buffers[0] = validity;
        columns_[column].buffers[1] = values;
        columns_[column].buffers[2] = texts;
        columns_[column].array.length = whole_.length;
        columns_[column].array.buffers = columns_[column].buffers;
    }
    [[nodiscard]] const ArrowArray& get() {
        whole_.n_children = static_cast<std::int64_t>(columns_.size());
        whole_.children = pointers_.data();
        return whole_;
    }

private:
    struct Column {
        ArrowArray array{};
        const void* buffers[3] = {};
    };
    ArrowArray whole_{};
    std::vector<Column> columns_;
    std::vector<ArrowArray*> pointers_{};
};

// Sums what batches say, however the rows are split. `formats` has a letter a column, as the interface has them.
class Reader {
public:
    explicit Reader(const char* formats) : formats_(formats), sums_(formats_.size()) {}
    void operator()(const ArrowArray& batch) {
        for (std::size_t column = 0; column != formats_.size(); ++column)
            for (std::size_t row = 0; row != static_cast<std::size_t>(batch.length); ++row)
                sums_[column] = sums_[column] * 31 + value(*batch.children[column], formats_[column], row);
    }
    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t column : sums_) sum = sum * 1'000'003 + column;
        return sum;
    }

private:
    static std::uint64_t value(const ArrowArray& column, char format, std::size_t row) {
        const auto* const validity = static_cast<const unsigned char*>(column.buffers[0]);
        if (validity != nullptr && (validity[row / 8] >> (row % 8) & 1u) == 0) return 0x5555;
        const auto* const values = static_cast<const char*>(column.buffers[1]);
        std::uint64_t bits = 1;
        if (format == 'u') {
            std::int32_t ends[2];
            std::memcpy(ends, values + row * sizeof(std::int32_t), sizeof ends);
            const auto* const texts = static_cast<const unsigned char*>(column.buffers[2]);
            for (std::int32_t i = ends[0]; i != ends[1]; ++i) bits = bits * 257 + texts[i];
        } else {
            const std::size_t width = format == 'f' || format == 'i' ? 4 : 8;
            std::memcpy(&bits, values + row * width, width);
        }
        return bits;
    }

    std::string_view formats_;
    std::vector<std::uint64_t> sums_;
};

inline constexpr std::size_t sizes[] = {100'000, 1'000'000};

struct Table {
    const char* operation;
    std::size_t bytes;
    const char* formats;
    std::size_t rows = 10'000'000; // in a timed batch, about
};
inline constexpr Table shared_slot_map{"shared_slot_map", 8, "g", 100'000'000}, shared_map{"shared_map", 16, "Lg", 100'000'000},
    shared_soa{"shared_soa", 24, "gfli", 100'000'000}, copy_slot_map{"copy_slot_map", 8, "g"}, copy_map{"copy_map", 16, "Lg"},
    copy_soa{"copy_soa", 24, "gfli"}, copy_text{"copy_text", 32, "u", 1'000'000}, holes_live{"holes_live", 8, "g"},
    holes_slots{"holes_slots", 8, "g"};

// make(n): the container, and how it is exported: give(visit) calls visit(batch) for each batch and releases it.
template <class Make>
void add_export(const Table& table, const std::string& name, Role role, Make make) {
    for (const std::size_t n : sizes)
        add({table.operation, table.bytes, n}, name, role, 9, [=](benchmark::State& state) {
            const auto give = make(n);
            const std::size_t passes = table.rows / n;
            timed_passes(state, passes, give, [&] {
                std::int64_t rows = 0;
                give([&](const ArrowArray& batch) {
                    rows += batch.length;
                    benchmark::DoNotOptimize(batch.children[0]->buffers[1]);
                });
                return rows;
            });
            Reader reader(table.formats);
            std::int64_t rows = 0;
            give([&](const ArrowArray& batch) {
                reader(batch);
                rows += batch.length;
            });
            return Measured{static_cast<std::size_t>(rows) * passes, reader.sum()};
        });
}

// C: C(keys, values) knows where the rows come from; clear(), fill() writes them, sum().
template <class C>
void add_import(const std::string& name, Role role) {
    const auto add_row = [&](const char* operation, bool fresh) {
        for (const std::size_t n : sizes)
            add({operation, 16, n}, name, role, 5, [=](benchmark::State& state) {
                std::vector<Key> keys;
                std::vector<double> values;
                for (const std::uint32_t number : shuffled(n, 11)) {
                    keys.push_back(key_of(number));
                    values.push_back(number_of(number));
                }
                C to(std::move(keys), std::move(values));
                timed_batches(
                    state,
                    [&] {
                        if (fresh) to.clear();
                    },
                    [&] { to.fill(); });
                return Measured{n, to.sum()};
            });
    };
    add_row("import", true);
    add_row("upsert", false);
}

inline constexpr std::size_t changes = 20'000;

// C: C(n) has the keys key_of(0) ... key_of(n - 1); prepare(numbers, time), run(numbers, time), sum().
template <class C>
void add_delta(const std::string& name, Role role) {
    for (const std::size_t n : sizes)
        add({"delta_20000", 16, n}, name, role, 9, [n](benchmark::State& state) {
            C series(n);
            const std::vector<std::uint32_t> order = shuffled(n, 5);
            std::size_t window = 0;
            const auto numbers = [&] { return order.data() + window % (n / changes) * changes; };
            timed_batches(
                state,
                [&] {
                    ++window;
                    series.prepare(numbers(), static_cast<std::int64_t>(window + 1));
                },
                [&] { series.run(numbers(), static_cast<std::int64_t>(window + 1)); });
            return Measured{changes, series.sum()};
        });
}

} // namespace bench::arrow
