// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseRows: ids and values by row, rows by id, and the steps in which these change together.
#ifndef SLOTWISE_SPARSE_SPARSE_ROWS_HPP
#define SLOTWISE_SPARSE_SPARSE_ROWS_HPP

#include "../config/error.hpp"
#include "row_observer.hpp"
#include "sparse_entries.hpp"
#include "sparse_values.hpp"

#include <algorithm>

SLOTWISE_BEGIN
namespace detail {

/// The storage of SparseCore. An entry is not found before its value is built, nor once its destructor runs; no user code but
/// moves of values runs while ids, values and entries disagree.
template <class Id, class Values, class Allocator>
class SparseRows {
protected:
    using Traits = IdTraits<Id>;
    using Entries = SparseEntries<Id, Allocator>;
    using Page = typename Entries::Page;
    using Value = std::remove_pointer_t<decltype(std::declval<Values&>().at(0))>;
    using size_type = std::size_t;
    static constexpr size_type no_row = static_cast<size_type>(-1);

    SparseRows() = default;
    explicit SparseRows(const Allocator& alloc) : entries_(alloc), ids_(alloc), values_(alloc) {}
    SparseRows(const SparseRows&) = delete;
    SparseRows& operator=(const SparseRows&) = delete;
    ~SparseRows() = default;

    SLOTWISE_ALWAYS_INLINE size_type do_row_of(Id id) const noexcept {
        if (const Page* const page = entries_.find(id); page != nullptr) [[likely]]
            if (const auto row = Entries::row(*page, id); row < size_) return static_cast<size_type>(row);
        return no_row;
    }
    bool do_erase(Id id) noexcept(Values::nothrow_move) {
        Page* const page = entries_.find(id);
        if (page == nullptr) return false;
        const auto row = Entries::row(*page, id);
        if (!(row < size_)) return false;
        erase_row(*page, id, static_cast<size_type>(row));
        return true;
    }
    void do_reserve(size_type count) {
        if (count != 0 && count - 1 > Traits::max_index)
            throw_length_error("sparse container reserve(count): ids have fewer indices; reserve max_index + 1 at most");
        if (count > ids_.size()) ids_.resized(reserved_capacity(count, ids_.size()), Id{}).swap(ids_);
        if (count > values_.capacity()) values_.reserve(count);
        room_ = room();
    }
    /// The row of the id, and whether it was inserted. no_row: the id is refused, or its element was erased meanwhile.
    template <class... Args>
    SLOTWISE_ALWAYS_INLINE std::pair<size_type, bool> do_try_emplace(Id id, Args&&... args) {
        if constexpr (Values::template in_place<Args...>)
            if (Page* const page = entries_.find(id); page != nullptr) [[likely]]
                if (Entries::vacant(*page, id) && size_ < room_ && Traits::can_live(id)) [[likely]] {
                    values_.construct(size_, std::forward<Args>(args)...);
                    return {append(*page, id), true};
                }
        return emplace_slowly(id, std::forward<Args>(args)...);
    }
    Value& value(size_type row) const noexcept { return *values_.at(row); }
    /// @pre the entry is in this page
    void erase_row(Page& page, Id id, size_type row) noexcept(Values::nothrow_move) {
        static_assert(Values::relocatable,
                      "SparseMap<Id, T>: erase fills the gap with the last value, and T cannot be moved; use "
                      "SecondaryMap, whose values never move");
        if constexpr (!Values::nothrow_move) { // what may throw comes before anything is said
            do_swap_rows(row, size_ - 1);
            row = size_ - 1;
        }
        if (hub_.attached()) [[unlikely]]
            row = notify_erase(id);
        if constexpr (Values::trivial || !Values::nothrow_move) {
            remove(page, id, row);
        } else {
            // Destroyed when the container is consistent again.
            [[maybe_unused]] const typename Values::Temporary erased(values_.get_allocator(), std::move(value(row)));
            remove(page, id, row);
        }
    }
    void erase_row(size_type row) noexcept(Values::nothrow_move) { erase_row(*entries_.find(ids_[row]), ids_[row], row); }
    /// Removes the entries for which pred(row) holds, from the last to the first.
    template <class Pred>
    size_type erase_rows_if(Pred pred) {
        size_type erased = 0;
        for (size_type row = size_; row-- != 0;) {
            if (row >= size_) continue; // a destructor has erased more
            const Id id = ids_[row];
            if (pred(row) && do_erase(id)) ++erased;
        }
        return erased;
    }
    /// Orders rows 0 to count - 1 by less(id, id).
    template <class Less>
    void sort_rows(size_type count, Less& less) {
        auto order = ids_.resized(size_, Id{}); // of ids: it is sorted before a row moves, so that less may throw
        std::sort(order.data(), order.data() + count, [&](Id a, Id b) { return static_cast<bool>(less(a, b)); });
        for (size_type row = 0; row != count; ++row) do_swap_rows(do_row_of(order[row]), row);
    }
    void expect_no_owner() const noexcept {
        SLOTWISE_EXPECT(!hub_.owned(), "sparse container: a group owns it and keeps its rows in order; sort the group instead");
    }

    size_type room() const noexcept { return ids_.size() < values_.capacity() ? ids_.size() : values_.capacity(); }
    void grow() {
        if (ids_.size() <= size_) ids_.resized(size_ < 8 ? 16 : 2 * size_, Id{}).swap(ids_);
        if (values_.capacity() <= size_) values_.reserve(values_.grown_capacity());
        room_ = room();
    }

    // The value in row size_ becomes an entry.
    SLOTWISE_ALWAYS_INLINE size_type append(Page& page, Id id) {
        const size_type row = size_;
        ids_[row] = without_user_bits(id);
        entries_.link(page, id, row);
        size_ = row + 1;
        return hub_.attached() ? notify_insert(id) : row;
    }
    template <class... Args>
    SLOTWISE_NEVER_INLINE std::pair<size_type, bool> emplace_slowly(Id id, Args&&... args) {
        if (!Traits::can_live(id)) return {do_row_of(id), false};
        Page& page = entries_.make(id);
        ScopeGuard undo([&]() noexcept { entries_.release(id); });
        if (const size_type there = Entries::any_row(page, id); there < size_) {
            if (Traits::version(ids_[there]) >= Traits::version(id)) return {do_row_of(id), false};
        } else if constexpr (Values::template in_place<Args...>) {
            if (size_ >= room_) grow();
            values_.construct(size_, std::forward<Args>(args)...);
            undo.dismiss();
            return {append(page, id), true};
        }
        if constexpr (Values::movable) {
            bool inserted = false;
            {
                if (size_ >= room_) grow(); // before an argument is moved from
                // Built apart, because an argument may refer to a value that is replaced, and the constructor may insert.
                typename Values::Temporary value(values_.get_allocator(), std::forward<Args>(args)...);
                undo.dismiss();
                inserted = place(id, value.take());
            }
            const size_type row = do_row_of(id); // not earlier, because destructors have run since
            return {row, inserted && row != no_row};
        } else {
            static_assert(
                Values::movable || !Traits::versioned,
                "SparseMap<Id, T>: an id with a newer version replaces the entry of an older one, which moves values, "
                "and T cannot be moved; use SecondaryMap, whose values never move, or ids without versions");
            undo.dismiss();
            return {place(id, std::forward<Args>(args)...), true};
        }
    }
    // Whether the value was inserted. An older entry of the index goes first.
    template <class... Args>
    auto place(Id id, Args&&... args) {
        for (;;) {
            expect_not_notifying();
            Page& page = entries_.make(id);
            ScopeGuard undo([&]() noexcept { entries_.release(id); });
            if (size_ >= room_) grow();
            const size_type there = Entries::any_row(page, id);
            if (there >= size_) {
                {
                    const LastRow busy(*this);
                    values_.construct(size_, std::forward<Args>(args)...);
                }
                undo.dismiss();
                if constexpr (Values::movable)
                    return append(page, id), true;
                else
                    return append(page, id);
            }
            undo.dismiss();
            if constexpr (Values::relocatable && Values::movable) {
                if (Traits::version(ids_[there]) >= Traits::version(id)) return false;
                if (hub_.attached())
                    replace_notified(id, there, std::forward<Args>(args)...);
                else
                    replace(id, there, std::forward<Args>(args)...);
                return true;
            }
        }
    }
    /// An older entry of the index goes, and the new one comes behind the last row. Values whose moves may throw take the row
    /// of the older one instead, by one assignment. @throws what that throws; the older value is then as it left it
    template <class V>
    void replace(Id id, size_type row, V&& by) noexcept(Values::nothrow_move) {
        if constexpr (!Values::nothrow_move) {
            value(row) = std::forward<V>(by);
            ids_[row] = without_user_bits(id);
            entries_.set_row(id, row);
        } else {
            const auto exchange = [&]() noexcept {
                const size_type last = size_ - 1;
                if (row != last) {
                    ids_[row] = ids_[last];
                    entries_.set_row(ids_[row], row);
                    values_.relocate(last, row);
                } else
                    values_.destroy(last);
                values_.construct(last, std::forward<V>(by));
                ids_[last] = without_user_bits(id);
                entries_.set_row(id, last);
            };
            if constexpr (Values::trivial) {
                exchange();
            } else { // destroyed when the container is consistent again
                [[maybe_unused]] const typename Values::Temporary older(values_.get_allocator(), std::move(value(row)));
                exchange();
            }
        }
    }
    /// The same with observers. All that can throw comes first: both rows are there while observers are notified of the new
    /// one, and only then of the end of the older one. So one that refuses leaves the older entry as it was, and nobody was
    /// notified of its end. Meanwhile the older row has no entry. It goes to the end first, so that the new one stays last; but
    /// the rows of a group are in an order of its own.
    /// @throws what moves of values and observers throw; when a move throws, the older value is as that move left it
    template <class V>
    SLOTWISE_COLD void replace_notified(Id id, size_type row, V&& by) {
        const Id older = ids_[row];
        {
            const LastRow busy(*this);
            values_.construct(size_, std::forward<V>(by));
        }
        ids_[size_] = without_user_bits(id);
        entries_.set_row(id, size_++);
        replaced_ = row;
        const auto row_of_new = [&] { return do_row_of(id); };
        ScopeGuard undo([&]() noexcept {
            const size_type added = do_row_of(id);
            entries_.set_row(older, std::exchange(replaced_, no_row));
            remove_unnamed(added);
        });
        hub_.insert(row_of_new);
        if constexpr (!Values::nothrow_move) { // what may throw comes before anything is said
            ScopeGuard take_back([&]() noexcept { hub_.erase(row_of_new); });
            do_swap_rows(size_ - 1, replaced_);
            take_back.dismiss();
        }
        undo.dismiss();
        if constexpr (Values::nothrow_move)
            if (!hub_.owned()) do_swap_rows(replaced_, size_ - 2);
        hub_.erase([&] { return replaced_; });
        remove_unnamed(std::exchange(replaced_, no_row));
    }
    // Removes a row without entry; the last one takes its place.
    void remove_unnamed(size_type row) noexcept {
        const auto take_place = [&]() noexcept {
            const size_type last = --size_;
            if (row != last) {
                ids_[row] = ids_[last];
                entries_.set_row(ids_[row], row);
                if constexpr (Values::nothrow_move) values_.relocate(last, row);
            } else if constexpr (Values::nothrow_move) {
                values_.destroy(last);
            } else {
                const LastRow busy(*this);
                values_.destroy(last);
            }
        };
        if constexpr (Values::trivial || !Values::nothrow_move) {
            take_place();
        } else { // destroyed when the container is consistent again
            [[maybe_unused]] const typename Values::Temporary erased(values_.get_allocator(), std::move(value(row)));
            take_place();
        }
    }
    SLOTWISE_COLD size_type notify_insert(Id id) {
        ScopeGuard undo([&]() noexcept {
            Page& page = *entries_.find(id);
            const size_type row = do_row_of(id);
            if constexpr (Values::trivial || !Values::nothrow_move) {
                remove(page, id, row);
            } else {
                [[maybe_unused]] const typename Values::Temporary erased(values_.get_allocator(), std::move(value(row)));
                remove(page, id, row);
            }
        });
        expect_not_notifying();
        hub_.insert([&] { return do_row_of(id); });
        undo.dismiss();
        return do_row_of(id);
    }
    SLOTWISE_COLD size_type notify_erase(Id id) noexcept {
        expect_not_notifying();
        hub_.erase([&] { return do_row_of(id); });
        return do_row_of(id);
    }
    // The value in `row` is moved-from or trivial, or the row is the last.
    SLOTWISE_ALWAYS_INLINE void remove(Page& page, Id id, size_type row) noexcept {
        const size_type last = size_ - 1;
        if (row != last) {
            const Id moved = ids_[last];
            ids_[row] = moved;
            entries_.set_row(moved, row);
            if constexpr (Values::nothrow_move) values_.relocate(last, row);
            size_ = last;
            entries_.unlink(page, id);
        } else {
            size_ = last;
            entries_.unlink(page, id);
            if constexpr (Values::nothrow_move) {
                values_.destroy(last);
            } else {
                const LastRow busy(*this);
                values_.destroy(last);
            }
        }
    }
    // Row size_ is in use by a value that is being built or destroyed there.
    class LastRow {
    public:
        explicit LastRow(SparseRows& rows) noexcept : rows_(rows) {
            SLOTWISE_EXPECT(!rows.busy_,
                            "SparseMap: the constructor or destructor of a value whose moves may throw, or that has "
                            "none, inserts into the map; declare the moves noexcept, then it may");
            rows.busy_ = true;
        }
        LastRow(const LastRow&) = delete;
        LastRow& operator=(const LastRow&) = delete;
        ~LastRow() { rows_.busy_ = false; }

    private:
        SparseRows& rows_;
    };
    void do_swap_rows(size_type a, size_type b) noexcept(Values::nothrow_move) {
        if (a == b) return;
        values_.exchange(a, b);
        std::swap(ids_[a], ids_[b]);
        if (replaced_ != no_row) [[unlikely]] // an observer swaps rows while an entry is replaced
            replaced_ = replaced_ == a ? b : replaced_ == b ? a : replaced_;
        if (a != replaced_) entries_.set_row(ids_[a], a);
        if (b != replaced_) entries_.set_row(ids_[b], b);
        hub_.swapped(a, b);
    }
    // The container is empty before a destructor runs.
    void drop_all() noexcept {
        Values values(entries_.get_allocator());
        values.swap(values_);
        const size_type count = std::exchange(size_, 0);
        entries_.clear();
        room_ = 0;
        for (size_type row = 0; row != count; ++row) values.destroy(row);
        if (values_.capacity() == 0) values.swap(values_);
        room_ = room();
    }
    template <class As>
    void take_rows(const SparseRows& other, As as) {
        ScopeGuard undo([this]() noexcept { drop_all(); });
        do_reserve(other.size_);
        for (size_type row = 0; row != other.size_; ++row) {
            if constexpr (std::is_same_v<Value, WithoutValue>)
                do_try_emplace(other.ids_[row]);
            else
                do_try_emplace(other.ids_[row], as(other.value(row)));
        }
        undo.dismiss();
    }
    // Takes the entries of `fresh`, which has no observers.
    void adopt(SparseRows& fresh) {
        expect_not_notifying();
        hub_.clear();
        swap_rows_with(fresh);
        if (!hub_.attached()) return;
        ScopeGuard undo([this]() noexcept {
            hub_.clear();
            drop_all();
        });
        for (size_type row = 0; row != size_; ++row) hub_.insert([this, id = ids_[row]] { return do_row_of(id); });
        undo.dismiss();
    }
    void swap_rows_with(SparseRows& other) noexcept {
        entries_.swap(other.entries_);
        ids_.swap(other.ids_);
        values_.swap(other.values_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }
    void take_observers(SparseRows& other) noexcept {
        hub_.swap(other.hub_);
        hub_.moved(&other, this);
    }
    void expect_not_notifying() const noexcept {
        SLOTWISE_EXPECT(!hub_.notifying(),
                        "sparse container: an observer changes the container that notifies it; change it later");
    }

    Entries entries_{};
    FlatArray<Id, Allocator> ids_{}; // by row
    Values values_{};                // by row
    size_type size_ = 0;
    size_type room_ = 0;          // rows that fit before an insert has to grow
    size_type replaced_ = no_row; // the row without entry while an entry is replaced
    RowHub hub_{};
    bool busy_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
