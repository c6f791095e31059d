// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BitColumn: a bit for each row. for_each_run: the runs of rows that are set in some columns of bits and clear in others.
#ifndef SLOTWISE_ROWS_BIT_COLUMN_HPP
#define SLOTWISE_ROWS_BIT_COLUMN_HPP

#include "../config/assert.hpp"
#include "../core/detail/bits.hpp"
#include "../core/detail/seal.hpp"
#include "detail/row_container.hpp"

#include <array>
#include <span>

SLOTWISE_BEGIN

//=== several columns of bits ===//

/// The bits of a column, read-only. It is made of any class with words() and size(). @invalidates itself as the column's
/// words() do
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
        // A bit for each row at which a run begins or ends, in turns. A search for the next set and the next clear bit, with
        // masks for the part that is done, took a third longer at 50 % set.
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

//=== one column of bits ===//

/// A bit for each row of a packed container, 64 in a word, the lowest bit first, as in an Arrow validity bitmap. Its owner
/// calls push_back, swap_erase and swap_rows as those of the rows. Bits from size() on are zero, also in memory that is
/// reserved. Several columns are combined by for_each_run(rows, include(...), exclude(...), f).
/// @tparam With AllocBy<A>
template <class... With>
class BasicBitColumn {
    using Args = detail::RowArguments<bits::word_t, With...>;
    using word_t = bits::word_t;

public:
    using value_type = bool;
    using size_type = std::size_t;
    using allocator_type = typename Args::allocator;

    constexpr BasicBitColumn() = default;
    constexpr explicit BasicBitColumn(const allocator_type& alloc) noexcept : words_(alloc) {}
    /// `rows` bits, all of them `value`. @throws what the allocator throws
    constexpr explicit BasicBitColumn(size_type rows, bool value = false, const allocator_type& alloc = allocator_type())
        : BasicBitColumn(alloc) {
        append(rows, value);
    }
    /// Copies `rows` bits of these words, the lowest first; what the last word has beyond them is ignored.
    /// @pre the words have as many bits @throws what the allocator throws
    constexpr BasicBitColumn(std::span<const word_t> words, size_type rows, const allocator_type& alloc = allocator_type())
        : words_(alloc) {
        SLOTWISE_EXPECT(rows / bits::word_bits + (rows % bits::word_bits != 0) <= words.size(),
                        "BitColumn(words, rows): the words have fewer bits than that");
        take(words.data(), rows);
    }
    /// @throws what the allocator throws
    constexpr BasicBitColumn(const BasicBitColumn& other)
        : BasicBitColumn(other,
                         std::allocator_traits<allocator_type>::select_on_container_copy_construction(other.get_allocator())) {}
    constexpr BasicBitColumn(const BasicBitColumn& other, const allocator_type& alloc) : words_(alloc) {
        take(other.words_.data(), other.size_);
    }
    /// Leaves `other` empty.
    constexpr BasicBitColumn(BasicBitColumn&& other) noexcept
        : words_(std::move(other.words_)), size_(std::exchange(other.size_, 0)) {}
    /// The same into memory of `alloc`: copies if the allocators differ. @throws what the allocator throws
    constexpr BasicBitColumn(BasicBitColumn&& other, const allocator_type& alloc) : words_(alloc) {
        if (alloc != other.get_allocator()) {
            take(other.words_.data(), other.size_);
            other.words_.free();
            other.size_ = 0;
        } else
            swap_contents(other);
    }
    /// @throws what the allocator throws; strong
    constexpr BasicBitColumn& operator=(const BasicBitColumn& other) {
        detail::RowRules::assign_copy(*this, other);
        return *this;
    }
    /// Leaves `other` empty. @throws what the allocator throws if it must copy
    constexpr BasicBitColumn& operator=(BasicBitColumn&& other) noexcept(detail::RowRules::nothrow_move<BasicBitColumn>) {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    constexpr ~BasicBitColumn() = default;
    constexpr void swap(BasicBitColumn& other) noexcept(detail::RowRules::nothrow_swap<BasicBitColumn>) {
        detail::RowRules::swap(*this, other);
    }
    friend constexpr void swap(BasicBitColumn& a, BasicBitColumn& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    //=== capacity ===//

    constexpr allocator_type get_allocator() const noexcept { return allocator_type(words_.get_allocator()); }
    /// Rows there are.
    constexpr size_type size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// Rows there is memory for.
    constexpr size_type capacity() const noexcept { return words_.size() * bits::word_bits; }
    /// Bytes held on the heap. @complexity O(1)
    constexpr size_type memory_usage() const noexcept { return words_.memory_usage(); }
    /// Room for `rows` rows: no more if there was none, else at least a quarter more than there was. @throws what the allocator
    /// throws; strong @invalidates words(), when it grows
    constexpr void reserve(size_type rows) {
        if (const size_type words = bits::word_count(rows); words > words_.size())
            resize_words(detail::reserved_capacity(words, words_.size()));
    }
    /// Frees the memory that is not needed. @throws what the allocator throws; strong @invalidates words()
    constexpr void shrink_to_fit() {
        if (bits::word_count(size_) < words_.size()) resize_words(bits::word_count(size_));
    }

    //=== rows ===//

    /// Whether the bit of `row` is set. @pre row < size() (checked at level fast)
    constexpr bool test(size_type row) const noexcept {
        expect_row(row);
        return (words_[bits::word_of(row)] & bits::bit_of(row)) != 0;
    }
    constexpr bool operator[](size_type row) const noexcept { return test(row); }
    /// Sets the bit of `row`, or makes it `value`. @pre row < size() (checked at level fast)
    constexpr void set(size_type row) noexcept {
        expect_row(row);
        words_[bits::word_of(row)] |= bits::bit_of(row);
    }
    constexpr void set(size_type row, bool value) noexcept {
        expect_row(row);
        put(row, value);
    }
    /// Clears the bit of `row`. @pre row < size() (checked at level fast)
    constexpr void reset(size_type row) noexcept {
        expect_row(row);
        words_[bits::word_of(row)] &= ~bits::bit_of(row);
    }
    /// Inverts the bit of `row`. @pre row < size() (checked at level fast)
    constexpr void flip(size_type row) noexcept {
        expect_row(row);
        words_[bits::word_of(row)] ^= bits::bit_of(row);
    }
    /// Exchanges the bits of two rows. @pre both < size() (checked at level fast)
    constexpr void swap_rows(size_type a, size_type b) noexcept {
        const bool of_a = test(a);
        set(a, test(b));
        put(b, of_a);
    }

    /// Adds a row. @throws what the allocator throws; strong @complexity amortised O(1) @invalidates words(), when it grows
    constexpr void push_back(bool value) {
        if (size_ == capacity()) grow(1);
        ++size_;
        put(size_ - 1, value);
    }
    /// Adds `rows` rows of this value, word by word. @throws as push_back @invalidates words(), when it grows
    constexpr void append(size_type rows, bool value) {
        if (rows > capacity() - size_) grow(rows);
        const size_type first = size_;
        size_ += rows;
        if (value) fill(first);
    }
    /// Makes it `rows` rows; those it adds are `value`. @throws as append @invalidates words(), when it grows
    constexpr void resize(size_type rows, bool value = false) {
        if (rows > size_)
            append(rows - size_, value);
        else
            drop_from(rows);
    }
    /// Adds a row before `row`; the later ones move up. @pre row <= size() (checked at level fast) @throws as push_back
    /// @invalidates words(), when it grows
    constexpr void insert(size_type row, bool value) {
        SLOTWISE_EXPECT(row <= size_, "BitColumn::insert(row, value): row is beyond size()");
        if (size_ == capacity()) grow(1);
        ++size_;
        const word_t below = bits::bit_of(row) - 1;
        word_t carry = 0;
        for (size_type w = bits::word_of(row), end = bits::word_count(size_); w != end; ++w) {
            const word_t word = words_[w], kept = w == bits::word_of(row) ? word & below : 0;
            words_[w] = kept | (word & ~(w == bits::word_of(row) ? below : 0)) << 1 | carry;
            carry = word >> (bits::word_bits - 1);
            if (w == bits::word_of(row)) put(row, value);
        }
    }
    /// Removes the last row. @pre not empty() (checked at level fast)
    constexpr void pop_back() noexcept {
        SLOTWISE_EXPECT(size_ != 0, "BitColumn::pop_back(): there is no row");
        put(size_ - 1, false);
        --size_;
    }
    /// Removes `row`; the last row comes in its place. @pre row < size() (checked at level fast)
    constexpr void swap_erase(size_type row) noexcept {
        expect_row(row);
        put(row, test(size_ - 1));
        pop_back();
    }
    /// Removes `row`; the later ones move down. @pre row < size() (checked at level fast)
    /// @complexity linear in the words behind it
    constexpr void erase(size_type row) noexcept {
        expect_row(row);
        const word_t below = bits::bit_of(row) - 1;
        const size_type end = bits::word_count(size_);
        size_type w = bits::word_of(row);
        words_[w] = (words_[w] & below) | (words_[w] >> 1 & ~below);
        for (; w + 1 != end; words_[++w] >>= 1) words_[w] |= words_[w + 1] << (bits::word_bits - 1);
        --size_;
    }
    /// Removes all rows, word by word; the memory stays.
    constexpr void clear() noexcept { drop_from(0); }

    //=== all rows ===//

    /// Makes every bit `value`, word by word.
    constexpr void assign_all(bool value) noexcept {
        const size_type rows = std::exchange(size_, 0);
        for (size_type w = 0; w != bits::word_count(rows); ++w) words_[w] = 0;
        size_ = rows;
        if (value) fill(0);
    }
    /// How many bits are set. @complexity linear in words
    constexpr size_type count() const noexcept {
        size_type total = 0;
        for (const word_t word : words()) total += bits::count(word);
        return total;
    }
    /// The bits, 64 rows a word, the lowest first; those from size() on are zero.
    constexpr std::span<const word_t> words() const noexcept { return {words_.data(), bits::word_count(size_)}; }
    /// Calls f(first, last) for each maximal run of rows whose bit is set, in ascending order; see slotwise::for_each_run.
    template <class F>
    constexpr void for_each_run(F&& f) const {
        slotwise::for_each_run(size_, include(*this), exclude(), f);
    }

    /// Equal when the same rows are set, and there are as many.
    friend constexpr bool operator==(const BasicBitColumn& a, const BasicBitColumn& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (size_type w = 0; w != bits::word_count(a.size_); ++w)
            if (a.words_[w] != b.words_[w]) return false;
        return true;
    }

    /// The state as bytes, the same on every machine. @throws what the allocator throws
    std::vector<std::byte> snapshot() const {
        ByteWriter out;
        out.number(snapshot_kind);
        out.number(std::uint64_t{size_});
        for (const word_t word : words()) out.number(word);
        return detail::Seal::close(out, {});
    }
    /// Replaces the rows by a snapshot's. Bytes that snapshot() would not write are refused.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    void restore(std::span<const std::byte> bytes) {
        if (const char* error = try_restore(bytes)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws; strong
    const char* try_restore(std::span<const std::byte> bytes) {
        if (const char* const wrong = detail::Seal::open(bytes, snapshot_kind, {})) return wrong;
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != snapshot_kind) return "snapshot: these bytes are no snapshot of a BitColumn";
        const auto rows = in.number<std::uint64_t>();
        const std::uint64_t words = rows / bits::word_bits + (rows % bits::word_bits != 0);
        if (in.error() != nullptr || rows > static_cast<size_type>(-1) / 2 || in.left() % sizeof(word_t) != 0 ||
            words != in.left() / sizeof(word_t))
            return "snapshot: the bytes of a BitColumn are not as many as its rows need";
        BasicBitColumn fresh(get_allocator());
        fresh.append(bits::to_size(rows), false);
        for (size_type w = 0; w != bits::to_size(words); ++w) fresh.words_[w] = in.number<word_t>();
        if (!fresh.check_invariants()) return "snapshot: a BitColumn has bits beyond its last row";
        swap_contents(fresh);
        return nullptr;
    }

    /// Whether the bits beyond the last row are zero; for tests.
    constexpr bool check_invariants() const noexcept {
        if (size_ > capacity()) return false;
        word_t beyond = 0;
        for (size_type w = bits::word_of(size_); w < words_.size(); ++w)
            beyond |= words_[w] & ~(w == bits::word_of(size_) ? bits::bit_of(size_) - 1 : 0);
        return beyond == 0;
    }

private:
    friend detail::RowRules;
    static constexpr std::uint32_t snapshot_kind = 0x4254'4C53; // "SLTB"

    constexpr void expect_row([[maybe_unused]] size_type row) const noexcept {
        SLOTWISE_EXPECT(row < size_, "BitColumn: row is not below size()");
    }
    constexpr void put(size_type row, bool value) noexcept {
        word_t& word = words_[bits::word_of(row)];
        word = (word & ~bits::bit_of(row)) | word_t{value} << (row % bits::word_bits);
    }
    /// Sets the bits from `first` on.
    constexpr void fill(size_type first) noexcept {
        for (size_type w = bits::word_of(first), end = bits::word_count(size_); w < end; ++w) {
            word_t added = bits::full_word;
            if (w == bits::word_of(first)) added = ~(bits::bit_of(first) - 1);
            if (size_ - w * bits::word_bits < bits::word_bits) added &= bits::bit_of(size_) - 1;
            words_[w] |= added;
        }
    }
    constexpr void drop_from(size_type rows) noexcept {
        for (size_type w = bits::word_of(rows), end = bits::word_count(size_); w < end; ++w)
            words_[w] &= w == bits::word_of(rows) ? bits::bit_of(rows) - 1 : 0;
        size_ = rows;
    }
    /// Memory for `more` rows beyond size(), at least twice what there is.
    SLOTWISE_COLD constexpr void grow(size_type more) {
        if (more > static_cast<size_type>(-1) / 2 - size_)
            detail::throw_length_error("BitColumn: so many rows do not fit; add fewer");
        const size_type wanted = bits::word_count(size_ + more), twice = 2 * words_.size();
        resize_words(wanted < twice ? twice : wanted);
    }
    constexpr void resize_words(size_type words) {
        auto fresh = words_.resized(words, 0);
        words_.swap(fresh);
    }
    constexpr void take(const word_t* words, size_type rows) {
        auto fresh = words_.resized(bits::word_count(rows), 0);
        for (size_type w = 0; w != fresh.size(); ++w) fresh[w] = words[w];
        if (rows % bits::word_bits != 0) fresh[fresh.size() - 1] &= bits::bit_of(rows) - 1;
        words_.swap(fresh);
        size_ = rows;
    }
    constexpr void swap_contents(BasicBitColumn& other) noexcept {
        words_.swap(other.words_);
        std::swap(size_, other.size_);
    }

    detail::FlatArray<word_t, allocator_type> words_{};
    size_type size_ = 0;
};

#ifdef SLOTWISE_COMPILED
extern template class BasicBitColumn<>;
#endif

SLOTWISE_END

#endif
