// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ColumnView: a view of a column, indexed by slot, for job systems, SIMD loops and exporters.
#ifndef SLOTWISE_SLOTS_COLUMN_VIEW_HPP
#define SLOTWISE_SLOTS_COLUMN_VIEW_HPP

#include "../config/error.hpp"
#include "../core/detail/call_form.hpp"
#include "../core/detail/concepts.hpp"
#include "../core/detail/iterators.hpp"
#include "../memory/reserved_array.hpp"
#include "detail/absence.hpp"
#include "slot_range.hpp"

#include <span>
#include <tuple>

SLOTWISE_BEGIN

/// A run of consecutive slots whose values are contiguous. `values[i]` belongs to slot first + i and is alive where
/// live.test(i).
template <class T>
struct ColumnChunk {
    slot_t first;        ///< a multiple of 64; below 64 where T has 256 bytes or more, and always where it has more than
                         ///< 16 KiB, it may be any slot: a chunk is then one live value
    std::span<T> values; ///< touch only live ones
    Occupancy live;      ///< one bit a value; live.words() is the mask, lowest bit = values[0]
};

namespace detail {

/// What every view of one directory shares.
struct DirectoryView {
    Occupancy live;
    const void* versions = nullptr;
    unsigned version_bytes = 0; ///< of one version: 1, 2 or 4

    constexpr std::uint32_t version(slot_t slot) const noexcept {
        switch (version_bytes) {
        case 1:
            return static_cast<const std::uint8_t*>(versions)[slot];
        case 2:
            return static_cast<const std::uint16_t*>(versions)[slot];
        default:
            return static_cast<const std::uint32_t*>(versions)[slot];
        }
    }
    /// Why {slot, version} has no element. Slots that were not in use when the view was made are beyond it.
    const char* absence(slot_t slot, std::uint32_t version) const noexcept {
        if ((version & 1u) == 0) return never_issued;
        if (slot >= live.size()) return "was erased or never issued";
        return this->version(slot) == 0 || version <= this->version(slot) ? is_stale : never_issued; // 0: or retired
    }
    /// The slot of the handle as far as the view reaches: version 0 may be that of a retired slot, and is not named.
    SlotNow now(slot_t slot) const noexcept {
        if (slot >= live.size() || version(slot) == 0) return {};
        return {slot, version(slot), live.test(slot) ? SlotState::live : SlotState::free, true};
    }
};

/// 64 slots whose values need not be adjacent; indexed like a pointer. `Source` has ptr(slot), which is called each time.
template <class T, class Source>
struct ScatteredBlock {
    const Source* source;
    std::size_t first;
    constexpr T& operator[](std::size_t i) const noexcept { return *source->ptr(static_cast<slot_t>(first + i)); }
};
/// The values of 64 slots from `first` on: the address of the first. Scattered values are looked up one by one.
template <class T, class Source>
constexpr auto block_of(const Source& source, std::size_t first) noexcept {
    if constexpr (scattered<T>)
        return ScatteredBlock<T, Source>{&source, first};
    else if constexpr (requires { source.block(static_cast<slot_t>(first)); }) // of a column: the first slot may be vacant
        return static_cast<T*>(source.block(static_cast<slot_t>(first)));
    else
        return static_cast<T*>(source.ptr(static_cast<slot_t>(first)));
}

// A chunk of a view is one live value where values lie apart, which is below slot `apart`, and a run of values from there on.
inline constexpr bits::word_t one_live = 1;
/// The first slot of the chunk that begins with `slot` or with a live slot after it.
constexpr std::size_t chunk_from(std::size_t slot, std::size_t apart, const Occupancy& live) noexcept {
    if (slot >= apart) return slot;
    const std::size_t next = live.find_next(slot), end = apart < live.size() ? apart : live.size();
    return next < end ? next : end;
}
/// Liveness of a chunk.
constexpr Occupancy chunk_live(std::size_t first, std::size_t slot_count, std::size_t apart, const Occupancy& live) noexcept {
    return first < apart ? Occupancy(&one_live, 1) : live.part(first, slot_count);
}

/// Where a column's values lie: page p of 2^shift slots at pages[p].
template <class T>
struct PageView {
    T* const* pages = nullptr;
    unsigned shift = 0;

    constexpr T* ptr(std::size_t slot) const noexcept {
        return pages[slot >> shift] + (slot & ((std::size_t{1} << shift) - 1));
    }
    /// The slots below which a chunk is one value.
    constexpr std::size_t apart() const noexcept {
        if constexpr (!scattered<T>) return 0;
        return shift < 6 ? slots_apart(std::size_t{1} << shift, sizeof(T)) : 0;
    }
    /// Slots from `first` on that are contiguous in memory, below `end`; one where values may lie apart.
    constexpr std::size_t run(std::size_t first, std::size_t end) const noexcept {
        if (first < apart()) return 1;
        std::size_t page = first >> shift;
        const std::size_t last = (end - 1) >> shift, grain = std::size_t{1} << shift;
        if (!SLOTWISE_IN_CONSTANT && page != last) // no pages of two arrays are compared there
            for (T* next = pages[page] + grain; page != last && pages[page + 1] == next; next += grain) ++page;
        return page == last ? end - first : ((page + 1) << shift) - first;
    }
};

template <class T, class A, std::size_t P>
constexpr PageView<T> page_view(const PagedArray<T, A, P>& array) noexcept {
    return {array.pages(), static_cast<unsigned>(std::countr_zero(PagedArray<T, A, P>::page_slots))};
}
#if SLOTWISE_VIRTUAL_MEMORY
template <class T, class A, std::size_t M>
auto page_view(const ReservedArray<T, A, M>& array) noexcept {
    // One page: every slot below max_slots, which is less than half of the address space.
    return PageView<T>{array.pages(), sizeof(std::size_t) * 8 - 1};
}
#endif

/// Where the slots of these columns end whose values may lie apart.
template <class... T>
constexpr std::size_t apart_in(const PageView<T>&... columns) noexcept {
    std::size_t end = 0;
    ((end = columns.apart() > end ? columns.apart() : end), ...);
    return end;
}
/// Calls f(slot, values...) for every slot in `word`, where `blocks` are the values of its 64 slots from `first` on.
template <class F, class... Blocks>
constexpr void visit_word(bits::word_t word, slot_t first, F& f, Blocks... blocks) {
    bits::walk(word, [&](unsigned i) { f(first + i, blocks[i]...); });
}

/// The same for every live slot. A word is read once: f may change it without effect on the walk.
template <class F, class... T>
constexpr void visit_columns(Occupancy live, F& f, PageView<T>... columns) {
    // Word by word: finding the ends of chunks first costs 10 % more than a page table lookup each 64 values.
    const bits::word_t* const words = live.words().data();
    const std::size_t apart = apart_in(columns...); // 0, as a constant, where no type of value lies apart
    EmptyWords empty;
    for (std::size_t w = 0, end = live.words().size(); w != end;) {
        const std::size_t first = w * bits::word_bits;
        bits::word_t word = words[w++];
        if (w == end) word &= bits::low_mask(static_cast<unsigned>(live.size() - first));
        if (const auto slot = static_cast<slot_t>(first); word != 0) {
            if (first < apart)
                visit_word(word, slot, f, block_of<T>(columns, first)...);
            else
                visit_word(word, slot, f, columns.ptr(first)...);
        }
        if (empty.many(word)) w = Occupancy::next_word(live, w);
    }
}

} // namespace detail

/// One column of a container: a value for every live slot. A few words wide; passed by value.
/// @tparam T const for a read-only view
/// @invalidates itself when the container grows, shrinks, moves or dies; erases and inserts below slot_end() show through
template <class T>
class ColumnView {
public:
    using value_type = std::remove_const_t<T>;
    class chunk_iterator;
    class iterator;

    constexpr ColumnView() noexcept = default;
    /// For containers: a view of these pages under this directory.
    constexpr ColumnView(detail::PageView<T> values, detail::DirectoryView directory) noexcept
        : values_(values), directory_(directory) {}
    /// A read-only view of a mutable one.
    constexpr operator ColumnView<const T>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {{values_.pages, values_.shift}, directory_};
    }

    /// The value of `slot`. @pre slot is live (checked at level fast) @complexity O(1)
    constexpr T& operator[](slot_t slot) const noexcept {
        SLOTWISE_EXPECT(directory_.live.test(slot), "ColumnView[slot]: the slot is not live; ask contains(slot) first");
        return *values_.ptr(slot);
    }
    /// The value of the element that `handle` names. @pre it is there (checked at level fast)
    template <AnyHandle H>
    constexpr T& operator[](H handle) const noexcept {
        T* const value = get(handle);
        SLOTWISE_EXPECT(value != nullptr, "ColumnView[handle]: the element is gone; ask get(handle)");
        return *value;
    }
    /// The value of the element that `handle` names. @throws std::out_of_range that says whether it was erased or the handle
    /// never issued, as far as the view reaches
    template <AnyHandle H>
    constexpr T& at(H handle) const {
        T* const value = get(handle);
        if (value == nullptr)
            detail::throw_absent("ColumnView at(handle): the element is gone; ask get(handle)", handle.to_text(),
                                 directory_.absence(handle.index(), handle.version()), directory_.now(handle.index()));
        return *value;
    }
    /// The value of the element that `handle` names, or null when it was erased. Any bit pattern is allowed.
    template <AnyHandle H>
    constexpr T* get(H handle) const noexcept {
        const slot_t slot = handle.index();
        const bool here = directory_.live.test(slot) && directory_.version(slot) == handle.version();
        return here ? values_.ptr(slot) : nullptr;
    }
    constexpr bool contains(slot_t slot) const noexcept { return directory_.live.test(slot); }
    template <AnyHandle H>
    constexpr bool contains(H handle) const noexcept {
        return get(handle) != nullptr;
    }

    /// Whether no slot is live. @complexity linear in slots / 64
    constexpr bool empty() const noexcept { return begin() == end(); }
    /// One past the highest slot in use.
    constexpr std::size_t slot_end() const noexcept { return directory_.live.size(); }
    constexpr Occupancy occupancy() const noexcept { return directory_.live; }
    constexpr SlotRange live_slots() const noexcept { return SlotRange(directory_.live); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    /// Where the values lie, including those of removed elements.
    constexpr detail::PageView<T> pages() const noexcept { return values_; }
    /// Liveness and versions of the slots, for other views.
    constexpr detail::DirectoryView directory() const noexcept { return directory_; }

    /// Live values in slot order.
    constexpr iterator begin() const noexcept { return {*this, detail::LiveCursor::first(directory_.live)}; }
    constexpr iterator end() const noexcept { return {*this, detail::LiveCursor()}; }

    /// Calls f(value) or f(slot, value) for every live slot; full words run as a plain loop that vectorises.
    template <class F>
    constexpr void for_each(F&& f) const {
        const auto visit = [&](slot_t slot, T& value) {
            SLOTWISE_EXPECT_DEBUG(contains(slot), "ColumnView::for_each: f erased an element ahead of the one it was given");
            call(f, slot, value);
        };
        detail::visit_columns(directory_.live, visit, values_);
    }

    /// The column as contiguous chunks in slot order: the unit for jobs and SIMD loops.
    constexpr detail::IteratorRange<chunk_iterator> chunks() const noexcept {
        const chunk_iterator first(*this, detail::chunk_from(0, values_.apart(), directory_.live)), last(*this, slot_end());
        std::size_t count = 0;
        for (chunk_iterator at = first; at != last; ++at) ++count;
        return {first, last, count};
    }

    /// The chunk loop of for_each, for one chunk: f(value) or f(slot, value).
    template <class F>
    static constexpr void for_each_in_chunk(const ColumnChunk<T>& chunk, F& f) {
        T* const values = chunk.values.data();
        const auto visit = [&](slot_t slot, T& value) {
            SLOTWISE_EXPECT_DEBUG(chunk.live.test(slot),
                                  "for_each_in_chunk: f erased an element ahead of the one it was given");
            call(f, chunk.first + slot, value);
        };
        detail::visit_columns(chunk.live, visit, detail::PageView<T>{&values, sizeof(std::size_t) * 8 - 1});
    }

private:
    template <class>
    friend class ColumnView;

    template <class F>
    static constexpr void call(F& f, [[maybe_unused]] slot_t slot, T& value) {
        if constexpr (detail::takes_name<F, slot_t, T&>())
            f(slot, value);
        else
            f(value);
    }

    detail::PageView<T> values_{};
    detail::DirectoryView directory_{};
};

template <class T>
class ColumnView<T>::chunk_iterator : public detail::IteratorFacade<chunk_iterator, ColumnChunk<T>, ColumnChunk<T>> {
public:
    constexpr chunk_iterator() noexcept = default;
    /// For views: at the chunk that begins with slot `first`.
    constexpr chunk_iterator(const ColumnView& view, std::size_t first) noexcept : view_(view), first_(first) { measure(); }
    friend constexpr bool operator==(const chunk_iterator& a, const chunk_iterator& b) noexcept { return a.first_ == b.first_; }

private:
    friend detail::IteratorFacade<chunk_iterator, ColumnChunk<T>, ColumnChunk<T>>;
    constexpr void measure() noexcept {
        if (first_ < view_.slot_end()) slots_ = view_.values_.run(first_, view_.slot_end());
    }
    constexpr ColumnChunk<T> dereference() const noexcept {
        return {static_cast<slot_t>(first_),
                {view_.values_.ptr(first_), slots_},
                detail::chunk_live(first_, slots_, view_.values_.apart(), view_.directory_.live)};
    }
    constexpr void increment() noexcept {
        first_ = detail::chunk_from(first_ + slots_, view_.values_.apart(), view_.directory_.live);
        measure();
    }

    ColumnView view_{};
    std::size_t first_ = 0;
    std::size_t slots_ = 0; // found once a chunk: it takes a step a page
};

template <class T>
class ColumnView<T>::iterator
    : public detail::IteratorFacade<iterator, std::remove_const_t<T>, T&, std::bidirectional_iterator_tag> {
public:
    constexpr iterator() noexcept = default;
    /// For views: at `slot`, which is live, or at the end (no_slot).
    constexpr iterator(const ColumnView& view, slot_t slot) noexcept : iterator(view, detail::LiveCursor(slot)) {}
    /// For views: at this place.
    constexpr iterator(const ColumnView& view, detail::LiveCursor at) noexcept
        : values_(view.values_), live_(view.directory_.live), at_(at) {
        find_block();
    }
    constexpr slot_t slot() const noexcept { return at_.slot(); }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend detail::IteratorFacade<iterator, std::remove_const_t<T>, T&, std::bidirectional_iterator_tag>;
    constexpr T& dereference() const noexcept {
        if constexpr (detail::scattered<T>)
            return *values_.ptr(at_.slot());
        else
            return block_[at_.bit];
    }
    constexpr void increment() noexcept {
        if (!at_.step(live_.word(at_.word)) && at_.next_word(live_)) block_ = values_.ptr(at_.first_slot());
    }
    constexpr void decrement() noexcept {
        at_.step_back(live_);
        find_block();
    }
    constexpr void find_block() noexcept {
        if (!at_.at_end()) block_ = values_.ptr(at_.first_slot());
    }

    detail::PageView<T> values_{};
    T* block_ = nullptr; // the values of the current word: a page table lookup for each of them costs a third more
    Occupancy live_{};
    detail::LiveCursor at_{};
};

/// Several columns of one directory, walked together: f(slot, a, b, ...) for every live slot, in slot order; full words run as
/// a plain loop that vectorises. f may erase the element it is given.
/// @pre all views are of one container (checked at level fast); f erases no element ahead of it (checked at level debug)
template <class F, class First, class... Rest>
constexpr void zip_columns(F&& f, ColumnView<First> first, ColumnView<Rest>... rest) {
    SLOTWISE_EXPECT(((first.occupancy().words().data() == rest.occupancy().words().data()) && ... && true),
                    "zip_columns: the views belong to different containers");
    const auto visit = [&](slot_t slot, First& a, Rest&... b) {
        SLOTWISE_EXPECT_DEBUG(first.contains(slot), "zip_columns: f erased an element ahead of the one it was given");
        f(slot, a, b...);
    };
    detail::visit_columns(first.occupancy(), visit, first.pages(), rest.pages()...);
}

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class T>
inline constexpr bool std::ranges::enable_view<slotwise::ColumnView<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::ColumnView<T>> = true;

#endif
