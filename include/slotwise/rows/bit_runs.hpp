// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// for_each_run: rows that are set in some columns of bits and not in others, as maximal runs, 64 rows at a step.
#ifndef SLOTWISE_ROWS_BIT_RUNS_HPP
#define SLOTWISE_ROWS_BIT_RUNS_HPP

#include "../config/assert.hpp"
#include "../core/bits.hpp"

#include <array>
#include <span>

SLOTWISE_BEGIN

/// The bits of a column, read-only: anything with words() and size(). @invalidates itself as the column's words() do
class BitSource {
public:
    constexpr BitSource() noexcept = default;
    /// The bits of a BitColumn, an Occupancy, or another class with words(), a span of 64-bit words, and size().
    template <class Column>
        requires requires(const Column& column) {
            column.words().data();
            column.size();
        }
    constexpr BitSource(const Column& column) noexcept : words_(column.words().data()), rows_(column.size()) {}
    /// `rows` bits at `words`, the lowest bit first.
    constexpr BitSource(const bits::word_t* words, std::size_t rows) noexcept : words_(words), rows_(rows) {}

    /// Bits there are.
    constexpr std::size_t size() const noexcept { return rows_; }
    /// Word `i`. Bits from size() on count for nothing. @pre 64 * i < size()
    constexpr bits::word_t word(std::size_t i) const noexcept { return words_[i]; }

private:
    const bits::word_t* words_ = nullptr;
    std::size_t rows_ = 0;
};

/// Columns of bits that a row must have, or must not have; made by include() and exclude(). @tparam Columns a range of
/// BitSource
template <bool Has, class Columns>
struct BitTerms {
    Columns columns{};

    /// Whether each column has at least `rows` bits.
    constexpr bool cover(std::size_t rows) const noexcept {
        for (const BitSource& column : columns)
            if (column.size() < rows) return false;
        return true;
    }
    /// The rows of word `i` that satisfy all terms.
    constexpr bits::word_t word(std::size_t i) const noexcept {
        bits::word_t result = bits::full_word;
        for (const BitSource& column : columns) result &= Has ? column.word(i) : ~column.word(i);
        return result;
    }
};

/// The rows that are set in each of these columns; without a column every row.
template <class... Columns>
constexpr auto include(const Columns&... columns) noexcept {
    return BitTerms<true, std::array<BitSource, sizeof...(Columns)>>{{BitSource(columns)...}};
}
/// The same of columns whose number is known at run time. They must outlive the result.
constexpr auto include(std::span<const BitSource> columns) noexcept {
    return BitTerms<true, std::span<const BitSource>>{columns};
}
/// The rows that are set in none of these columns; without a column every row.
template <class... Columns>
constexpr auto exclude(const Columns&... columns) noexcept {
    return BitTerms<false, std::array<BitSource, sizeof...(Columns)>>{{BitSource(columns)...}};
}
/// The same of columns whose number is known at run time. They must outlive the result.
constexpr auto exclude(std::span<const BitSource> columns) noexcept {
    return BitTerms<false, std::span<const BitSource>>{columns};
}

/// Calls f(first, last) for each maximal run of rows below `rows` that satisfy both terms, in ascending order:
///     for_each_run(table.size(), include(enabled), exclude(stunned, frozen), [&](std::size_t first, std::size_t last) {...});
/// A word of each column is read once: f may change bits without effect on the walk through the 64 rows it is in.
/// @pre each column has at least `rows` bits @complexity linear in words, plus one call a run
template <class With, class Without, class F>
constexpr void for_each_run(std::size_t rows, const BitTerms<true, With>& with, const BitTerms<false, Without>& without,
                            F&& f) {
    SLOTWISE_EXPECT(with.cover(rows) && without.cover(rows),
                    "for_each_run: a column has fewer bits than there are rows; keep it in step with the others");
    std::size_t start = 0; // of the run that the last word has left open
    bits::word_t open = 0; // 1 if there is one
    const std::size_t end = bits::word_count(rows);
    for (std::size_t w = 0; w != end; ++w) {
        bits::word_t word = with.word(w) & without.word(w);
        const std::size_t first = w * bits::word_bits;
        if (rows - first < bits::word_bits) word &= bits::low_mask(static_cast<unsigned>(rows - first));
        // A bit for each row at which a run begins or ends, in turns. Asking for the next set and the next clear bit instead,
        // with masks for the part that is done, took a third longer at 50 % set.
        bits::word_t edges = word ^ (word << 1 | open);
        if (edges == 0) continue;
        if (open != 0) {
            f(start, first + bits::lowest(edges));
            edges &= edges - 1;
        }
        open = word >> (bits::word_bits - 1);
        for (; edges != 0; edges &= edges - 1) {
            start = first + bits::lowest(edges);
            edges &= edges - 1;
            if (edges == 0) break; // open
            f(start, first + bits::lowest(edges));
        }
    }
    if (open != 0) f(start, rows);
}

SLOTWISE_END

#endif
