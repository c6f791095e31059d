// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TableList: tables in the order of their creation, each with some values. To erase one is O(log n), amortised: its place stays
// until half of the places are such, because a crowd that is despawned erases thousands of tables one by one.
#ifndef SLOTWISE_ECS_TABLE_LIST_HPP
#define SLOTWISE_ECS_TABLE_LIST_HPP

#include "../core/iterator_facade.hpp"
#include "id_set.hpp"

#include <type_traits>

SLOTWISE_BEGIN
namespace detail {

/// @tparam Item what a walk gives: Item::of(table, pointer to the values of the table)
template <class TableRef, class Value, class Item>
class TableList {
    static_assert(std::is_trivially_copyable_v<TableRef> && std::is_trivially_copyable_v<Value>,
                  "tables are named by what is trivially copyable: a pointer, a number, a handle");
    struct Row {
        std::uint64_t age; // twice the number of the table, and 1 if it was erased
        TableRef table;
    };

public:
    class iterator : public IteratorFacade<iterator, Item, Item> {
    public:
        constexpr iterator() noexcept = default;
        iterator(const Row* row, const Row* end, const Value* values, std::size_t stride) noexcept
            : row_(row), end_(end), values_(values), stride_(stride) {
            skip();
        }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.row_ == b.row_; }

    private:
        friend IteratorFacade<iterator, Item, Item>;
        Item dereference() const noexcept { return Item::of(row_->table, values_); }
        void increment() noexcept {
            next();
            skip();
        }
        void next() noexcept {
            ++row_;
            values_ += stride_;
        }
        void skip() noexcept {
            while (row_ != end_ && row_->age % 2 != 0) next();
        }

        const Row* row_ = nullptr;
        const Row* end_ = nullptr;
        const Value* values_ = nullptr;
        std::size_t stride_ = 0;
    };
    using Range = IteratorRange<iterator>;

    /// @param stride values a table
    explicit TableList(std::size_t stride) noexcept : stride_(stride) {}

    std::size_t size() const noexcept { return rows_.size() - erased_; }
    bool empty() const noexcept { return size() == 0; }
    Range range() const noexcept {
        const Row* const end = rows_.data() + rows_.size();
        return Range(iterator(rows_.data(), end, values_.data(), stride_),
                     iterator(end, end, values_.data() + values_.size(), stride_), size());
    }

    /// Room for one more table, or no change.
    void reserve_one() {
        if (rows_.size() == rows_.capacity()) rows_.reserve(rows_.size() + rows_.size() / 2 + 4);
        if (values_.capacity() - values_.size() < stride_) values_.reserve(rows_.capacity() * stride_);
    }
    /// Adds the table with this number, and its values. @pre there is room, and the number is higher than those before
    template <class ValueOf>
    void append(TableRef table, std::uint64_t number, ValueOf&& value_of) noexcept {
        rows_.push_back({2 * number, table});
        for (std::size_t i = 0; i != stride_; ++i) values_.push_back(value_of(i));
    }
    /// Removes the table with this number; false when it is not there.
    bool erase(std::uint64_t number) noexcept {
        const std::size_t first =
            IdSets::partition_point(rows_.size(), [&](std::size_t place) { return rows_[place].age < 2 * number; });
        if (first == rows_.size() || rows_[first].age != 2 * number) return false;
        ++rows_[first].age;
        if (2 * ++erased_ > rows_.size()) compact();
        return true;
    }
    /// Gives each table the number number_of(table), and orders tables by it: O(n log n), O(n) if they are in order.
    template <class NumberOf>
    void renumber(NumberOf&& number_of) noexcept {
        compact();
        bool sorted = true;
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            rows_[i].age = 2 * number_of(rows_[i].table);
            sorted = sorted && (i == 0 || rows_[i - 1].age < rows_[i].age);
        }
        if (sorted) return;
        std::size_t heap = rows_.size(); // heap sort, because it needs no memory: R. W. Floyd, Algorithm 245
        for (std::size_t root = heap / 2; root-- != 0;) sift(root, heap);
        while (heap > 1) {
            swap_rows(0, --heap);
            sift(0, heap);
        }
    }
    std::size_t memory_usage() const noexcept { return memory_of(rows_, values_); }
    /// Whether the order and the counts are right; for tests.
    bool check_invariants() const noexcept {
        std::size_t erased = 0;
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            erased += rows_[i].age % 2 != 0;
            if (i != 0 && rows_[i - 1].age / 2 >= rows_[i].age / 2) return false;
        }
        return erased == erased_ && values_.size() == stride_ * rows_.size() && 2 * erased_ <= rows_.size();
    }

private:
    void swap_rows(std::size_t a, std::size_t b) noexcept {
        std::swap(rows_[a], rows_[b]);
        for (std::size_t value = 0; value != stride_; ++value)
            std::swap(values_[a * stride_ + value], values_[b * stride_ + value]);
    }
    void sift(std::size_t root, std::size_t heap) noexcept {
        for (std::size_t child; (child = 2 * root + 1) < heap; root = child) {
            if (child + 1 < heap && rows_[child].age < rows_[child + 1].age) ++child;
            if (rows_[child].age <= rows_[root].age) return;
            swap_rows(root, child);
        }
    }
    void compact() noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            if (rows_[i].age % 2 != 0) continue;
            rows_[kept] = rows_[i];
            for (std::size_t value = 0; value != stride_; ++value)
                values_[kept * stride_ + value] = values_[i * stride_ + value];
            ++kept;
        }
        rows_.truncate(kept);
        values_.truncate(kept * stride_);
        erased_ = 0;
    }

    std::size_t stride_;
    PlainVector<Row> rows_{};
    PlainVector<Value> values_{};
    std::size_t erased_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
