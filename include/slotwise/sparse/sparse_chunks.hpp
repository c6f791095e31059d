// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The rows of a sparse map as runs of contiguous memory, and its values one by one.
#ifndef SLOTWISE_SPARSE_SPARSE_CHUNKS_HPP
#define SLOTWISE_SPARSE_SPARSE_CHUNKS_HPP

#include "../core/iterator_facade.hpp"
#include "../fwd.hpp"
#include "sparse_values.hpp"

#include <span>

SLOTWISE_BEGIN

/// Consecutive rows whose values lie side by side in memory.
template <class Id, class T>
struct SparseChunk {
    std::size_t first;       ///< number of the first row
    std::span<const Id> ids; ///< one a row
    T* data;                 ///< the value of the first row; for an empty T the one object that stands for all
    /// Of values in memory: 0 for an empty T, one otherwise.
    static constexpr std::size_t step = detail::takes_no_memory<std::remove_const_t<T>> ? 0 : 1;

    /// How many rows.
    std::size_t size() const noexcept { return ids.size(); }
    /// One a row. An empty T has no memory and no span.
    std::span<T> values() const noexcept
        requires(step == 1)
    {
        return {data, ids.size()};
    }
    /// Calls f(id, value) in row order.
    template <class F>
    void for_each(F&& f) const {
        const Id* const id = ids.data();
        const std::size_t rows = ids.size();
        for (std::size_t i = 0; i != rows; ++i) f(id[i], data[i * step]);
    }
};

namespace detail {

/// How chunks read a map's core: its friend.
struct SparseRuns {
    template <class T, class Core>
    static SparseChunk<typename Core::id_type, T> at(const Core& core, std::size_t run, std::size_t limit) noexcept {
        const auto& values = core.values_;
        if constexpr (requires { values.run(run); }) {
            const auto here = values.run(run);
            const std::size_t left = limit - here.first;
            return {here.first, core.ids().subspan(here.first, here.slot_count < left ? here.slot_count : left), here.data};
        } else
            return {0, core.ids().first(limit), values.at(0)};
    }
    /// How many runs there are in the first `rows` rows.
    template <class Core>
    static std::size_t count(const Core& core, std::size_t rows) noexcept {
        const auto& values = core.values_;
        if constexpr (requires { values.run_count(); }) {
            std::size_t runs = values.run_count();
            while (runs != 0 && values.run(runs - 1).first >= rows) --runs;
            return runs;
        } else
            return rows != 0;
    }
    template <class T, class Core>
    static T* value(const Core& core, std::size_t row) noexcept {
        return core.values_.at(row);
    }
    /// Consecutive rows with values side by side, as many as are certain.
    template <class Core>
    static std::size_t page() noexcept {
        using Values = std::remove_cvref_t<decltype(std::declval<const Core&>().values_)>;
        if constexpr (requires { Values::page_rows; })
            return Values::page_rows;
        else
            return 1;
    }
};

/// A range of SparseChunk.
template <class Core, class Id, class T>
class SparseChunks {
public:
    class iterator : public IteratorFacade<iterator, SparseChunk<Id, T>, SparseChunk<Id, T>, std::forward_iterator_tag> {
    public:
        iterator() noexcept = default;
        iterator(const Core& core, std::size_t run) noexcept : core_(&core), run_(run) {}
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.run_ == b.run_; }

    private:
        friend IteratorFacade<iterator, SparseChunk<Id, T>, SparseChunk<Id, T>, std::forward_iterator_tag>;
        SparseChunk<Id, T> dereference() const noexcept { return SparseRuns::at<T>(*core_, run_, core_->size()); }
        void increment() noexcept { ++run_; }

        const Core* core_ = nullptr;
        std::size_t run_ = 0;
    };

    explicit SparseChunks(const Core& core) noexcept : core_(&core) {}
    iterator begin() const noexcept { return {*core_, 0}; }
    iterator end() const noexcept { return {*core_, size()}; }
    std::size_t size() const noexcept { return SparseRuns::count(*core_, core_->size()); }
    bool empty() const noexcept { return core_->empty(); }

private:
    const Core* core_;
};

/// The values in row order. An iterator is a pointer into a page and the row.
template <class Core, class T>
class SparseValueRange {
public:
    class iterator : public IteratorFacade<iterator, std::remove_const_t<T>, T&, std::bidirectional_iterator_tag> {
    public:
        iterator() noexcept = default;
        iterator(const Core& core, std::size_t row) noexcept : core_(&core), row_(row) { find(); }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.row_ == b.row_; }
        /// The row of the value.
        std::size_t row() const noexcept { return row_; }

    private:
        friend IteratorFacade<iterator, std::remove_const_t<T>, T&, std::bidirectional_iterator_tag>;
        T& dereference() const noexcept { return *value_; }
        void increment() noexcept {
            ++value_;
            if (++row_ % SparseRuns::page<Core>() == 0) find();
        }
        void decrement() noexcept {
            --row_;
            find();
        }
        void find() noexcept { value_ = row_ < core_->size() ? SparseRuns::value<T>(*core_, row_) : nullptr; }

        const Core* core_ = nullptr;
        std::size_t row_ = 0;
        T* value_ = nullptr;
    };

    explicit SparseValueRange(const Core& core) noexcept : core_(&core) {}
    iterator begin() const noexcept { return {*core_, 0}; }
    iterator end() const noexcept { return {*core_, core_->size()}; }
    std::size_t size() const noexcept { return core_->size(); }
    bool empty() const noexcept { return core_->empty(); }
    /// The value in a row. @pre row < size()
    T& operator[](std::size_t row) const noexcept { return *SparseRuns::value<T>(*core_, row); }

private:
    const Core* core_;
};

} // namespace detail
SLOTWISE_END

template <class Core, class Id, class T>
inline constexpr bool std::ranges::enable_view<slotwise::detail::SparseChunks<Core, Id, T>> = true;
template <class Core, class Id, class T>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::SparseChunks<Core, Id, T>> = true;
template <class Core, class T>
inline constexpr bool std::ranges::enable_view<slotwise::detail::SparseValueRange<Core, T>> = true;
template <class Core, class T>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::SparseValueRange<Core, T>> = true;

#endif
