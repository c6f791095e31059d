// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Ticks: logical times of 32 bits that wrap, and TickLane: one for each row, with the newest of each page and group of pages.
#ifndef SLOTWISE_ROWS_TICK_LANE_HPP
#define SLOTWISE_ROWS_TICK_LANE_HPP

#include "../core/bits.hpp"
#include "../fwd.hpp"
#include "../memory/allocator.hpp"

#include <span>

SLOTWISE_BEGIN
namespace detail {

/// Whether a - b, as a signed number of as many bits, is positive: a is newer than b if their difference is less than half of
/// all ticks. A template, so that tests can look at every pair of 8 bits.
template <class U>
constexpr bool is_newer(U a, U b) noexcept {
    return static_cast<std::make_signed_t<U>>(static_cast<U>(a - b)) > 0;
}
/// A quarter of all ticks.
template <class U>
inline constexpr U max_tick_age = static_cast<U>(U{1} << (sizeof(U) * 8 - 2));
template <class U>
constexpr U clamp_tick(U tick, U now) noexcept {
    const bool old = !is_newer(tick, now) && static_cast<U>(now - tick) > max_tick_age<U>;
    return old ? static_cast<U>(now - max_tick_age<U>) : tick;
}

} // namespace detail

/// How old a tick may be and still compare with all others: 2^30. See clamp_tick.
inline constexpr tick_t max_tick_age = detail::max_tick_age<tick_t>;

/// Whether `tick` came after `than`. Ticks wrap: of two that are less than 2^31 apart the later one is newer.
constexpr bool is_newer(tick_t tick, tick_t than) noexcept { return detail::is_newer(tick, than); }

/// `tick`, or now - max_tick_age where it is older than that. If every tick that is kept is clamped at least once in 2^30
/// ticks, those of columns (TickColumn::clamp) and those of readers (when a system ran last), all of them compare as they
/// should: one that was older stays older than what is newer than max_tick_age.
constexpr tick_t clamp_tick(tick_t tick, tick_t now) noexcept { return detail::clamp_tick(tick, now); }

namespace detail {

/// A tick for each row. A page is 64 rows, a group 64 pages. For both it has a bound of their ticks: no row there is newer. Two
/// levels, because 10 changed of 1e6 rows then cost a look at 245 groups and 20 times 64 ticks.
template <class Allocator>
class TickLane {
public:
    static constexpr std::size_t page_rows = 64, group_rows = 64 * page_rows;

    constexpr TickLane() = default;
    constexpr explicit TickLane(const Allocator& alloc) noexcept : rows_(alloc), pages_(alloc), groups_(alloc) {}

    /// A copy with room for `rows`, which drops the rows beyond. @throws what the allocator throws
    constexpr TickLane resized(std::size_t rows, const Allocator& alloc) const {
        TickLane fresh(alloc);
        exchange(fresh.rows_, rows_.resized(rows, 0, alloc));
        exchange(fresh.pages_, pages_.resized(pages_for(rows), 0, alloc));
        exchange(fresh.groups_, groups_.resized(groups_for(rows), 0, alloc));
        return fresh;
    }
    constexpr void swap(TickLane& other) noexcept {
        rows_.swap(other.rows_);
        pages_.swap(other.pages_);
        groups_.swap(other.groups_);
    }
    constexpr std::size_t capacity() const noexcept { return rows_.size(); }
    constexpr std::size_t memory_usage() const noexcept { return memory_of(rows_, pages_, groups_); }
    constexpr Allocator get_allocator() const noexcept { return Allocator(rows_.get_allocator()); }
    constexpr const tick_t* data() const noexcept { return rows_.data(); }
    constexpr tick_t operator[](std::size_t row) const noexcept { return rows_[row]; }

    /// Row `row` gets this tick. @pre there is such a row
    constexpr void put(std::size_t row, tick_t tick) noexcept {
        rows_[row] = tick;
        raise(pages_[row / page_rows], tick);
        raise(groups_[row / group_rows], tick);
    }
    /// Rows first to last - 1 get this tick: each page and group is looked at once. @pre there are such rows
    constexpr void put(std::size_t first, std::size_t last, tick_t tick) noexcept {
        if (first == last) return;
        for (std::size_t row = first; row != last; ++row) rows_[row] = tick;
        for (std::size_t page = first / page_rows; page <= (last - 1) / page_rows; ++page) raise(pages_[page], tick);
        for (std::size_t group = first / group_rows; group <= (last - 1) / group_rows; ++group) raise(groups_[group], tick);
    }
    /// The same of the row behind the last one. In a page or group without rows an old bound is forgotten: it may be so old
    /// that it would not compare.
    constexpr void add(std::size_t row, tick_t tick) noexcept {
        if (row % page_rows == 0) pages_[row / page_rows] = tick;
        if (row % group_rows == 0) groups_[row / group_rows] = tick;
        put(row, tick);
    }
    constexpr void swap_rows(std::size_t a, std::size_t b) noexcept {
        const tick_t of_a = rows_[a];
        put(a, rows_[b]);
        put(b, of_a);
    }
    /// Clamps the ticks of the first `rows` rows and computes the bounds anew, from the rows there are.
    constexpr void clamp(std::size_t rows, tick_t now) noexcept {
        for (std::size_t row = 0; row != rows; ++row) add(row, slotwise::clamp_tick(rows_[row], now));
    }

    /// Calls f(row) for each of the first `rows` rows whose tick is newer than `since`, until f returns true; returns whether
    /// it did.
    template <class F>
    constexpr bool find_newer(std::size_t rows, tick_t since, F&& f) const {
        for (std::size_t group = 0; group * group_rows < rows; ++group) {
            if (!is_newer(groups_[group], since)) continue;
            const std::size_t in_group = rows - group * group_rows;
            const std::size_t end = in_group < group_rows ? rows : (group + 1) * group_rows;
            for (std::size_t first = group * group_rows; first < end; first += page_rows) {
                if (!is_newer(pages_[first / page_rows], since)) continue;
                const std::size_t last = end - first < page_rows ? end : first + page_rows;
                for (std::size_t row = first; row != last; ++row)
                    if (is_newer(rows_[row], since) && f(row)) return true;
            }
        }
        return false;
    }
    /// Whether no row is newer than the bounds of its page and group.
    constexpr bool bounded(std::size_t rows) const noexcept {
        for (std::size_t row = 0; row != rows; ++row)
            if (is_newer(rows_[row], pages_[row / page_rows]) || is_newer(rows_[row], groups_[row / group_rows])) return false;
        return true;
    }

private:
    using Ticks = FlatArray<tick_t, Allocator>;

    static constexpr std::size_t pages_for(std::size_t rows) noexcept { return rows / page_rows + (rows % page_rows != 0); }
    static constexpr std::size_t groups_for(std::size_t rows) noexcept { return rows / group_rows + (rows % group_rows != 0); }
    static constexpr void exchange(Ticks& ticks, Ticks fresh) noexcept { ticks.swap(fresh); }
    static constexpr void raise(tick_t& bound, tick_t tick) noexcept {
        if (is_newer(tick, bound)) bound = tick;
    }

    Ticks rows_{};
    Ticks pages_{};
    Ticks groups_{};
};

} // namespace detail
SLOTWISE_END

#endif
