// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseEngine: the state of sparse containers, ids and values by row and rows by id, and the steps that change it. Before it
// stand its parts: SparseEntries, the rows of ids, and PagedValues or EmptyValues, the values by row.
#ifndef SLOTWISE_SPARSE_DETAIL_SPARSE_ENGINE_HPP
#define SLOTWISE_SPARSE_DETAIL_SPARSE_ENGINE_HPP

#include "../../config/error.hpp"
#include "../../core/id_traits.hpp"
#include "../../memory/paged_array.hpp"
#include "../../memory/sparse_pages.hpp"
#include "../row_observer.hpp"

#include <algorithm>
#include <bit>

SLOTWISE_BEGIN
namespace detail {

//=== the rows of ids ===//

/// The entries of ids, in pages that are found by the ids' indices. An entry has the row of an id and the id's version, so that
/// a lookup reads no other array (as in EnTT's sparse_set). It takes 32 bits if index and version fit into them, else 64. A
/// lookup is one comparison: entry ^ version < size holds for a row that is in use and for no other entry, because the row of
/// an empty entry has all bits set. A page is 4 KiB, so that a far id costs one such page.
template <class Id, class Allocator>
class SparseEntries {
    using Traits = IdTraits<Id>;
    static constexpr unsigned row_bits = std::bit_width(Traits::max_index);

public:
    using Entry = std::conditional_t<(row_bits + std::bit_width(Traits::max_version) <= 32), std::uint32_t, std::uint64_t>;
    static constexpr std::size_t page_entries = 4096 / sizeof(Entry);
    static constexpr Entry none = static_cast<Entry>(~Entry{0});

    struct Page : PageLink<Page> {
        Entry entry[page_entries];
        unsigned used = 0;
        Page() noexcept {
            for (Entry& each : entry) each = none;
        }
    };

    SparseEntries() = default;
    explicit SparseEntries(const Allocator& alloc) : pages_(alloc) {}
    void swap(SparseEntries& other) noexcept { pages_.swap(other.pages_); }

    /// The row of exactly this id if it is less than the number of rows; else the id has none.
    SLOTWISE_ALWAYS_INLINE Entry row(Id id) const noexcept {
        const Page* const page = find(id);
        return page == nullptr ? none : row(*page, id);
    }
    SLOTWISE_ALWAYS_INLINE static Entry row(const Page& page, Id id) noexcept {
        return static_cast<Entry>(page.entry[place(id)] ^ version(id));
    }
    /// The row of an id of the same index, whatever its version. @return 64 bits: the row of an empty entry lies beyond the
    /// last row even if 2^32 rows are in use
    SLOTWISE_ALWAYS_INLINE static std::size_t any_row(const Page& page, Id id) noexcept {
        return static_cast<std::size_t>(page.entry[place(id)] & row_mask);
    }
    SLOTWISE_ALWAYS_INLINE static bool vacant(const Page& page, Id id) noexcept { return page.entry[place(id)] == none; }
    SLOTWISE_ALWAYS_INLINE Page* find(Id id) const noexcept { return pages_.find(number(id)); }
    std::size_t memory_usage() const noexcept { return pages_.memory_usage(); }
    /// The page of the id, which is made if it is not there. Throws what the allocator throws; nothing has changed then
    Page& make(Id id) { return pages_.make(number(id)); }

    /// @pre the entry is empty
    SLOTWISE_ALWAYS_INLINE void link(Page& page, Id id, std::size_t row) noexcept {
        page.entry[place(id)] = static_cast<Entry>(version(id) | static_cast<Entry>(row));
        ++page.used;
    }
    /// @pre the id has an entry
    SLOTWISE_ALWAYS_INLINE void set_row(Id id, std::size_t row) noexcept {
        find(id)->entry[place(id)] = static_cast<Entry>(version(id) | static_cast<Entry>(row));
    }
    /// @pre the id has an entry in this page
    SLOTWISE_ALWAYS_INLINE void unlink(Page& page, Id id) noexcept {
        page.entry[place(id)] = none;
        if (--page.used == 0) emptied(page, id);
    }
    /// If the page of the id is there and empty, it is used for other ids; see SparsePages::emptied.
    void release(Id id) noexcept {
        if (Page* const page = find(id); page != nullptr && page->used == 0) emptied(*page, id);
    }
    /// Frees every empty page.
    void shrink() noexcept {
        pages_.clear_if([](const Page& page) { return page.used == 0; });
    }
    void clear() noexcept { pages_.clear(); }
    Allocator get_allocator() const noexcept { return pages_.get_allocator(); }
    std::size_t pages() const noexcept { return pages_.size(); }

    /// Whether the pages have `rows` entries, and few pages are empty; for tests.
    bool is_sound(std::size_t rows) const noexcept {
        std::size_t linked = 0, empty = 0;
        bool sound = true;
        pages_.for_each([&](std::uint32_t, const Page& page) {
            unsigned used = 0;
            for (const Entry each : page.entry) used += each != none;
            sound = sound && used == page.used;
            linked += used;
            empty += used == 0;
        });
        return sound && linked == rows && empty <= SparsePages<Page, Allocator>::kept;
    }

private:
    void emptied(Page& page, Id id) noexcept {
        pages_.emptied(number(id), page, [](const Page& each) { return each.used == 0; });
    }
    static constexpr Entry row_mask = static_cast<Entry>(~std::uint64_t{0} >> (64 - row_bits));

    static std::uint32_t number(Id id) noexcept {
        return static_cast<std::uint32_t>(Traits::index(id) / static_cast<std::uint32_t>(page_entries));
    }
    static std::size_t place(Id id) noexcept { return Traits::index(id) % page_entries; }
    static Entry version(Id id) noexcept {
        if constexpr (Traits::versioned)
            return static_cast<Entry>(std::uint64_t{Traits::version(id)} << row_bits);
        else
            return 0;
    }

    SparsePages<Page, Allocator> pages_{};
};

//=== the values by row ===//

/// Whether one object stands for all values of T.
template <class T>
inline constexpr bool takes_no_memory =
    std::is_empty_v<T> && std::is_trivially_copyable_v<T> && std::is_move_constructible_v<T>;

/// Values of T in pages that never move. The owner knows how many rows are alive; they are always the first ones.
template <class T, class Allocator>
class PagedValues {
    using allocator = rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    /// Moves and destruction call no user code.
    static constexpr bool trivial = std::is_trivially_copyable_v<T>;
    /// A value changes rows without throwing.
    static constexpr bool nothrow_move = std::is_nothrow_move_constructible_v<T>;
    static constexpr bool movable = std::is_move_constructible_v<T>;
    /// A value can take the place of another one.
    static constexpr bool relocatable = nothrow_move || (movable && std::is_move_assignable_v<T>);
    /// Whether a value is built from Args in its row: its constructor cannot change the map. (A move must not, see SparseMap.)
    template <class... Args>
    static constexpr bool in_place = (std::is_trivially_constructible_v<T, Args...> && trivial) ||
                                     (sizeof...(Args) == 1 && (std::is_same_v<Args, T> && ...));

    /// Consecutive rows from a multiple of this on have their values side by side.
    static constexpr std::size_t page_rows = PagedArray<T, Allocator>::page_slots;
    /// A value in memory of its own that the allocator builds.
    using Temporary = TemporaryElement<T, allocator>;

    PagedValues() = default;
    explicit PagedValues(const Allocator& alloc) : pages_(allocator(alloc)) {}
    void swap(PagedValues& other) noexcept { pages_.swap(other.pages_); }

    std::size_t capacity() const noexcept { return pages_.capacity(); }
    std::size_t memory_usage() const noexcept { return pages_.memory_usage(); }
    std::size_t grown_capacity() const noexcept { return pages_.grown_capacity(); }
    void reserve(std::size_t rows) { pages_.reserve(rows); }
    void shrink(std::size_t rows) noexcept { pages_.shrink(rows); }
    allocator get_allocator() const noexcept { return pages_.get_allocator(); }

    SLOTWISE_ALWAYS_INLINE T* at(std::size_t row) const noexcept { return pages_.places()(static_cast<slot_t>(row)); }
    std::size_t run_count() const noexcept { return pages_.run_count(); }
    SlotRun<T> run(std::size_t i) const noexcept { return pages_.run(i); }

    template <class... Args>
    void construct(std::size_t row, Args&&... args) {
        allocator alloc = get_allocator();
        traits::construct(alloc, at(row), std::forward<Args>(args)...);
    }
    void destroy(std::size_t row) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            allocator alloc = get_allocator();
            traits::destroy(alloc, at(row));
        }
    }
    /// The value of `from` takes the place of the one in `to`. Not by assignment, so that T need not be assignable.
    void relocate(std::size_t from, std::size_t to) noexcept {
        destroy(to);
        construct(to, std::move(*at(from)));
        destroy(from);
    }
    /// Throws what moves throw; each row has a value then
    void exchange(std::size_t a, std::size_t b) noexcept(nothrow_move) {
        Temporary kept(get_allocator(), std::move(*at(a)));
        if constexpr (nothrow_move) {
            destroy(a);
            construct(a, std::move(*at(b)));
            destroy(b);
            construct(b, kept.take());
        } else {
            *at(a) = std::move(*at(b));
            *at(b) = kept.take();
        }
    }

private:
    PagedArray<T, Allocator> pages_{};
};

/// Values of an empty type: one object stands for all of them, and no memory is taken.
template <class T>
class EmptyValues {
public:
    static constexpr bool trivial = true, nothrow_move = true, movable = true, relocatable = true;
    template <class... Args>
    static constexpr bool in_place = std::is_trivially_constructible_v<T, Args...>;
    using Temporary = TemporaryElement<T, std::allocator<T>>;

    EmptyValues() noexcept {}
    template <class Allocator>
    explicit EmptyValues(const Allocator&) noexcept {}
    void swap(EmptyValues&) noexcept {}

    static std::size_t capacity() noexcept { return static_cast<std::size_t>(-1); }
    static std::size_t memory_usage() noexcept { return 0; }
    static std::size_t grown_capacity() noexcept { return capacity(); }
    void reserve(std::size_t) noexcept {}
    void shrink(std::size_t) noexcept {}
    static std::allocator<T> get_allocator() noexcept { return {}; }

    T* at(std::size_t) const noexcept { return std::addressof(one_); }
    template <class... Args>
    void construct(std::size_t, Args&&... args) {
        std::construct_at(std::addressof(one_), std::forward<Args>(args)...);
    }
    void destroy(std::size_t) noexcept {}
    void relocate(std::size_t, std::size_t) noexcept {}
    void exchange(std::size_t, std::size_t) noexcept {}

private:
    union {
        mutable T one_;
    };
};

/// What a set has instead of values.
struct WithoutValue {};

template <class T, class Allocator>
using SparseValues = std::conditional_t<takes_no_memory<T>, EmptyValues<T>, PagedValues<T, Allocator>>;

//=== the engine ===//

/// State and steps of a sparse container, without an interface. An entry is not found before its value is built, nor once its
/// destructor runs. While ids, values and entries disagree, no user code runs but moves of values.
template <class Id, class Values, class Allocator>
class SparseEngine {
protected:
    using Traits = IdTraits<Id>;
    using Entries = SparseEntries<Id, Allocator>;
    using Page = typename Entries::Page;
    using Value = std::remove_pointer_t<decltype(std::declval<Values&>().at(0))>;
    using size_type = std::size_t;
    static constexpr size_type no_row = static_cast<size_type>(-1);

    SparseEngine() = default;
    explicit SparseEngine(const Allocator& alloc) : entries_(alloc), ids_(alloc), values_(alloc) {}
    SparseEngine(const SparseEngine&) = delete;
    SparseEngine& operator=(const SparseEngine&) = delete;
    ~SparseEngine() = default;

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
        static_assert(
            Values::relocatable,
            "SparseMap<Id, T>: erase fills the gap with the last value, and T cannot be moved, or may throw and cannot be "
            "assigned; use SecondaryMap, whose values never move");
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
    /// one, and only afterwards are they notified of the end of the older one. So an observer that throws leaves the older
    /// entry as it was, and no observer was notified of its end. Meanwhile the older row has no entry. The older row moves to
    /// the end before it is removed, so that the new one stays last; not in a group, which has an order of its own.
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
        explicit LastRow(SparseEngine& rows) noexcept : rows_(rows) {
            SLOTWISE_EXPECT(!rows.busy_,
                            "SparseMap: the constructor or destructor of a value whose moves may throw, or that has "
                            "none, inserts into the map; declare the moves noexcept, then it may");
            rows.busy_ = true;
        }
        LastRow(const LastRow&) = delete;
        LastRow& operator=(const LastRow&) = delete;
        ~LastRow() { rows_.busy_ = false; }

    private:
        SparseEngine& rows_;
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
    void take_rows(const SparseEngine& other, As as) {
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
    void adopt(SparseEngine& fresh) {
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
    void swap_rows_with(SparseEngine& other) noexcept {
        entries_.swap(other.entries_);
        ids_.swap(other.ids_);
        values_.swap(other.values_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }
    void take_observers(SparseEngine& other) noexcept {
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
