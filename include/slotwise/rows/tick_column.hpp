// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TickColumn: when each row was added and when it was last changed. Ticks are logical times of 32 bits that wrap.
#ifndef SLOTWISE_ROWS_TICK_COLUMN_HPP
#define SLOTWISE_ROWS_TICK_COLUMN_HPP

#include "../core/detail/bits.hpp"
#include "../core/detail/seal.hpp"
#include "../fwd.hpp"
#include "../memory/allocator.hpp"
#include "detail/row_container.hpp"

#include <span>

SLOTWISE_BEGIN
namespace detail {

/// Whether a - b, as a signed number of as many bits, is positive: a is newer than b if their difference is less than half of
/// all ticks. It is a template, so that tests can try every pair of 8 bits.
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

/// A tick for each row. A page is 64 rows, a group 64 pages. Each page and each group has a bound: no row there is newer. With
/// two levels, finding 10 changed of 1e6 rows takes a look at 245 groups and 20 times 64 ticks.
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
    /// The same for the row behind the last one. It forgets the old bound of a page or group that has no rows, which may be too
    /// old to compare.
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
        for (std::size_t row = 0; row != rows; ++row) add(row, clamp_tick(rows_[row], now));
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

/// How old a tick may be and still compare with all others: 2^30. See clamp_tick.
inline constexpr tick_t max_tick_age = detail::max_tick_age<tick_t>;

/// Whether `tick` came after `than`. Ticks wrap: of two that are less than 2^31 apart the later one is newer.
constexpr bool is_newer(tick_t tick, tick_t than) noexcept { return detail::is_newer(tick, than); }

/// `tick`, or now - max_tick_age where it is older than that. If every tick that is kept is clamped at least once in 2^30
/// ticks, those of columns (TickColumn::clamp) and those of readers (when a system ran last), all of them compare as they
/// should: one that was older stays older than what is newer than max_tick_age.
constexpr tick_t clamp_tick(tick_t tick, tick_t now) noexcept { return detail::clamp_tick(tick, now); }

/// Two ticks for each row of a packed container: when it was added, and when it was last changed. Ticks count up and wrap;
/// is_newer compares them. A reader keeps the tick at which it ran last, and walks the rows that are newer.
///     changes.mark(row, now);
///     changes.for_each_changed(last_run, [&](std::size_t row) {...});
/// Its owner calls push_back, swap_erase and swap_rows as those of the rows. The newest tick of every 64 and every 4,096 rows
/// is kept, so that a walk skips what did not change. Where a row was erased or moved away, it is only an upper bound until
/// clamp(): a walk may look at a page for nothing, and never misses a row.
/// Ticks compare as long as they are less than 2^31 apart: call clamp(now) at least once in 2^30 ticks, and clamp_tick for
/// those of readers. @tparam With AllocBy<A>
template <class... With>
class BasicTickColumn {
    using Args = detail::RowArguments<tick_t, With...>;

public:
    using size_type = std::size_t;
    using allocator_type = typename Args::allocator;

    constexpr BasicTickColumn() = default;
    constexpr explicit BasicTickColumn(const allocator_type& alloc) noexcept : added_(alloc), changed_(alloc) {}
    /// `rows` rows that were added and changed at `tick`. @throws what the allocator throws
    constexpr BasicTickColumn(size_type rows, tick_t tick, const allocator_type& alloc = allocator_type())
        : BasicTickColumn(alloc) {
        append(rows, tick);
    }
    /// @throws what the allocator throws
    constexpr BasicTickColumn(const BasicTickColumn& other)
        : BasicTickColumn(other,
                          std::allocator_traits<allocator_type>::select_on_container_copy_construction(other.get_allocator())) {
    }
    constexpr BasicTickColumn(const BasicTickColumn& other, const allocator_type& alloc)
        : added_(other.added_.resized(other.size_, alloc)), changed_(other.changed_.resized(other.size_, alloc)),
          size_(other.size_) {}
    /// Leaves `other` empty.
    constexpr BasicTickColumn(BasicTickColumn&& other) noexcept
        : added_(std::move(other.added_)), changed_(std::move(other.changed_)), size_(std::exchange(other.size_, 0)) {}
    /// The same into memory of `alloc`: copies if the allocators differ. @throws what the allocator throws
    constexpr BasicTickColumn(BasicTickColumn&& other, const allocator_type& alloc) : BasicTickColumn(alloc) {
        if (alloc != other.get_allocator()) {
            resize_memory(other, other.size_);
            BasicTickColumn(other.get_allocator()).swap_contents(other);
        } else
            swap_contents(other);
    }
    /// @throws what the allocator throws; strong
    constexpr BasicTickColumn& operator=(const BasicTickColumn& other) {
        detail::RowRules::assign_copy(*this, other);
        return *this;
    }
    /// Leaves `other` empty. @throws what the allocator throws if it must copy
    constexpr BasicTickColumn& operator=(BasicTickColumn&& other) noexcept(detail::RowRules::nothrow_move<BasicTickColumn>) {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    constexpr ~BasicTickColumn() = default;
    constexpr void swap(BasicTickColumn& other) noexcept(detail::RowRules::nothrow_swap<BasicTickColumn>) {
        detail::RowRules::swap(*this, other);
    }
    friend constexpr void swap(BasicTickColumn& a, BasicTickColumn& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    //=== capacity ===//

    constexpr allocator_type get_allocator() const noexcept { return added_.get_allocator(); }
    /// Rows there are.
    constexpr size_type size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// Rows there is memory for.
    constexpr size_type capacity() const noexcept { return changed_.capacity(); }
    /// Bytes held on the heap. @complexity O(1)
    constexpr size_type memory_usage() const noexcept { return detail::memory_of(added_, changed_); }
    /// Room for `rows` rows: exactly that if there was none, else at least a quarter more than there was. @throws what the
    /// allocator throws; strong @invalidates added_ticks() and changed_ticks(), when it grows
    constexpr void reserve(size_type rows) {
        if (rows > capacity()) resize_memory(*this, detail::reserved_capacity(rows, capacity()));
    }
    /// Frees the memory that is not needed. @throws what the allocator throws; strong @invalidates added_ticks() and
    /// changed_ticks()
    constexpr void shrink_to_fit() {
        if (size_ < capacity()) resize_memory(*this, size_);
    }

    //=== rows ===//

    /// When `row` was added. @pre row < size() (checked at level fast)
    constexpr tick_t added(size_type row) const noexcept {
        expect_row(row);
        return added_[row];
    }
    /// When `row` was last changed. @pre row < size() (checked at level fast)
    constexpr tick_t changed(size_type row) const noexcept {
        expect_row(row);
        return changed_[row];
    }
    /// Whether `row` was added after `since`. @pre row < size() (checked at level fast)
    constexpr bool added_since(size_type row, tick_t since) const noexcept { return is_newer(added(row), since); }
    /// Whether `row` was changed after `since`; a row that was added was changed. @pre row < size() (checked at level fast)
    constexpr bool changed_since(size_type row, tick_t since) const noexcept { return is_newer(changed(row), since); }
    /// `row` was changed at `tick`. @pre row < size() (checked at level fast)
    constexpr void mark(size_type row, tick_t tick) noexcept {
        expect_row(row);
        changed_.put(row, tick);
    }
    /// Rows `first` to last - 1 were changed at `tick`, as by mark() of each. Disjoint ranges may be marked by several threads
    /// at once if they have no group of 4,096 rows in common.
    /// @pre first <= last <= size() (checked at level fast) @complexity linear in the rows, a store each
    constexpr void mark(size_type first, size_type last, tick_t tick) noexcept {
        SLOTWISE_EXPECT(first <= last && last <= size_, "TickColumn::mark(first, last, tick): the range is not there");
        changed_.put(first, last, tick);
    }
    /// Exchanges the ticks of two rows. @pre both < size() (checked at level fast)
    constexpr void swap_rows(size_type a, size_type b) noexcept {
        expect_row(a);
        expect_row(b);
        added_.swap_rows(a, b);
        changed_.swap_rows(a, b);
    }
    /// Adds a row that was added and changed at `tick`.
    /// @throws what the allocator throws; strong @complexity amortised O(1) @invalidates added_ticks() and changed_ticks(),
    /// when it grows
    constexpr void push_back(tick_t tick) { push_back(tick, tick); }
    /// Adds a row that has these ticks, as one that comes from another table. @throws as push_back(tick)
    constexpr void push_back(tick_t added, tick_t changed) {
        if (size_ == capacity()) grow(1);
        added_.add(size_, added);
        changed_.add(size_, changed);
        ++size_;
    }
    /// Adds `rows` rows that were added and changed at `tick`. @throws as push_back
    constexpr void append(size_type rows, tick_t tick) {
        if (rows > capacity() - size_) grow(rows);
        for (; rows != 0; --rows) push_back(tick);
    }
    /// Makes it `rows` rows; those it adds were added and changed at `tick`. @throws as append
    constexpr void resize(size_type rows, tick_t tick) {
        if (rows > size_)
            append(rows - size_, tick);
        else
            size_ = rows;
    }
    /// Removes the last row. @pre not empty() (checked at level fast)
    constexpr void pop_back() noexcept {
        SLOTWISE_EXPECT(size_ != 0, "TickColumn::pop_back(): there is no row");
        --size_;
    }
    /// Removes `row`; the last row comes in its place with its ticks. @pre row < size() (checked at level fast)
    constexpr void swap_erase(size_type row) noexcept {
        expect_row(row);
        --size_;
        added_.put(row, added_[size_]);
        changed_.put(row, changed_[size_]);
    }
    /// Removes all rows; the memory stays.
    constexpr void clear() noexcept { size_ = 0; }

    //=== all rows ===//

    /// Calls f(row) for each row that was changed after `since`, in ascending order. f may mark rows; it meets those ahead.
    /// @complexity linear in rows / 4,096, plus 64 for each group of 4,096 rows and for each 64 rows in which one changed
    template <class F>
    constexpr void for_each_changed(tick_t since, F&& f) const {
        changed_.find_newer(size_, since, [&](size_type row) { return f(row), false; });
    }
    /// The same for rows that were added after `since`.
    template <class F>
    constexpr void for_each_added(tick_t since, F&& f) const {
        added_.find_newer(size_, since, [&](size_type row) { return f(row), false; });
    }
    /// Whether a row was changed after `since`; ends at the first.
    constexpr bool any_changed(tick_t since) const noexcept {
        return changed_.find_newer(size_, since, [](size_type) { return true; });
    }
    /// Whether a row was added after `since`; ends at the first.
    constexpr bool any_added(tick_t since) const noexcept {
        return added_.find_newer(size_, since, [](size_type) { return true; });
    }
    /// Makes what is older than max_tick_age that old, see clamp_tick. `now` is the newest tick. @complexity linear
    constexpr void clamp(tick_t now) noexcept {
        added_.clamp(size_, now);
        changed_.clamp(size_, now);
    }
    /// When each row was added.
    constexpr std::span<const tick_t> added_ticks() const noexcept { return {added_.data(), size_}; }
    /// When each row was last changed.
    constexpr std::span<const tick_t> changed_ticks() const noexcept { return {changed_.data(), size_}; }

    /// Equal when there are as many rows, with the same ticks.
    friend constexpr bool operator==(const BasicTickColumn& a, const BasicTickColumn& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (size_type row = 0; row != a.size_; ++row)
            if (a.added_[row] != b.added_[row] || a.changed_[row] != b.changed_[row]) return false;
        return true;
    }

    /// The state as bytes, the same on every machine. @throws what the allocator throws
    std::vector<std::byte> snapshot() const {
        ByteWriter out;
        write_state(out);
        return detail::Seal::close(out, {});
    }
    /// Replaces the rows by a snapshot's. Bytes that snapshot() would not write are refused.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    void restore(std::span<const std::byte> bytes) {
        if (const char* error = try_restore(bytes)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws; strong
    const char* try_restore(std::span<const std::byte> bytes) {
        const char* const wrong = detail::Seal::open(bytes, snapshot_kind, {});
        return wrong != nullptr ? wrong : read_state(bytes);
    }

    /// Whether no row is newer than what is kept of its page, if all ticks compare with each other; for tests.
    constexpr bool check_invariants() const noexcept {
        return size_ <= capacity() && added_.capacity() == capacity() && added_.bounded(size_) && changed_.bounded(size_);
    }

private:
    friend detail::RowRules;
    friend detail::Unsealed;
    static constexpr std::uint32_t snapshot_kind = 0x4B54'4C53; // "SLTK"

    void write_state(ByteWriter& out) const {
        out.number(snapshot_kind);
        out.number(std::uint64_t{size_});
        for (size_type row = 0; row != size_; ++row) {
            out.number(added_[row]);
            out.number(changed_[row]);
        }
    }
    const char* read_state(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != snapshot_kind) return "snapshot: these bytes are no snapshot of a TickColumn";
        const auto rows = in.number<std::uint64_t>();
        constexpr std::size_t row_bytes = 2 * sizeof(tick_t);
        if (in.error() != nullptr || in.left() % row_bytes != 0 || rows != in.left() / row_bytes)
            return "snapshot: the bytes of a TickColumn are not as many as its rows need";
        BasicTickColumn fresh(get_allocator());
        fresh.reserve(bits::to_size(rows));
        while (fresh.size_ != rows) {
            const auto added = in.number<tick_t>();
            fresh.push_back(added, in.number<tick_t>());
        }
        swap_contents(fresh);
        return nullptr;
    }

    constexpr void expect_row([[maybe_unused]] size_type row) const noexcept {
        SLOTWISE_EXPECT(row < size_, "TickColumn: row is not below size()");
    }
    SLOTWISE_COLD constexpr void grow(size_type more) {
        if (more > static_cast<size_type>(-1) / (2 * sizeof(tick_t)) - size_)
            detail::throw_length_error("TickColumn: so many rows do not fit; add fewer");
        const size_type least = detail::TickLane<allocator_type>::page_rows, twice = 2 * capacity();
        const size_type wanted = size_ + more < twice ? twice : size_ + more;
        resize_memory(*this, wanted < least ? least : wanted);
    }
    /// Takes the rows of `of`, which may be this one, into memory for `rows` rows.
    constexpr void resize_memory(const BasicTickColumn& of, size_type rows) {
        auto added = of.added_.resized(rows, get_allocator()), changed = of.changed_.resized(rows, get_allocator());
        added_.swap(added);
        changed_.swap(changed);
        size_ = of.size_;
    }
    constexpr void swap_contents(BasicTickColumn& other) noexcept {
        added_.swap(other.added_);
        changed_.swap(other.changed_);
        std::swap(size_, other.size_);
    }

    detail::TickLane<allocator_type> added_{};
    detail::TickLane<allocator_type> changed_{};
    size_type size_ = 0;
};

#ifdef SLOTWISE_COMPILED
extern template class BasicTickColumn<>;
#endif

SLOTWISE_END

#endif
