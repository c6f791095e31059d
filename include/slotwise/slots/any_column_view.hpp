// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BasicAnyColumnView: a view of a column whose type is described at run time, indexed by slot, and its runs in memory.
#ifndef SLOTWISE_SLOTS_ANY_COLUMN_VIEW_HPP
#define SLOTWISE_SLOTS_ANY_COLUMN_VIEW_HPP

#include "../core/any_value.hpp"
#include "../core/call_form.hpp"
#include "column_view.hpp"

SLOTWISE_BEGIN

/// A run of consecutive slots whose values are contiguous: pointer (values.data()), stride (values.stride()) and mask (live).
/// values[i] belongs to slot first + i and is alive where live.test(i).
template <class Void>
struct AnyColumnChunk {
    slot_t first;              ///< a multiple of 64, or any slot where values lie apart: see ColumnChunk
    BasicAnySpan<Void> values; ///< touch only live ones
    Occupancy live;            ///< one bit a value; live.words() is the mask, lowest bit = values[0]
};

namespace detail {

/// How the pages of a column are read, which are arrays of T or of bytes.
struct AnyPageCalls {
    void* (*ptr)(const void* pages, unsigned shift, const TypeDescriptor& type, std::size_t slot) noexcept;
};
/// Pages of a described type: a table of std::byte*.
inline void* described_ptr(const void* pages, unsigned shift, const TypeDescriptor& type, std::size_t slot) noexcept {
    return static_cast<std::byte* const*>(pages)[slot >> shift] + (slot & ((std::size_t{1} << shift) - 1)) * type.size;
}
/// Pages of Ts: a table of T*.
template <class T>
void* typed_ptr(const void* pages, unsigned shift, const TypeDescriptor&, std::size_t slot) noexcept {
    return const_cast<std::remove_const_t<T>*>(PageView<T>{static_cast<T* const*>(pages), shift}.ptr(slot)); // views restore it
}
template <auto Ptr>
inline constexpr AnyPageCalls page_calls = {Ptr};

/// Where the values of a column lie.
struct AnyPages {
    const TypeDescriptor* type = nullptr;
    const AnyPageCalls* calls = nullptr;
    const void* pages = nullptr;
    unsigned shift = 0;

    void* ptr(std::size_t slot) const noexcept { return calls->ptr(pages, shift, *type, slot); }
    /// As those of PageView. @pre of run: first is the start of a page, or a slot where values may lie apart
    std::size_t apart() const noexcept { return shift < 6 ? slots_apart(std::size_t{1} << shift, type->size) : 0; }
    std::size_t run(std::size_t first, std::size_t end) const noexcept {
        if (first < apart()) return 1;
        const std::size_t grain = std::size_t{1} << shift;
        const auto* const begin = static_cast<const std::byte*>(ptr(first));
        std::size_t next = first + grain;
        while (next < end && ptr(next) == begin + (next - first) * type->size) next += grain;
        return (next < end ? next : end) - first;
    }
};

} // namespace detail

/// One column of a container: a described value for every live slot. A few words wide; passed by value. Also made of the
/// ColumnView of any container, so that one function serves types that are known and types that are not.
/// @tparam Void void or const void @invalidates itself when the container grows, shrinks, moves or dies
template <class Void>
class BasicAnyColumnView {
    template <class T>
    using like = std::conditional_t<std::is_const_v<Void>, const T, T>;

public:
    class iterator;
    class chunk_iterator;

    /// For containers: a view of these pages under this directory.
    BasicAnyColumnView(const detail::AnyPages& pages, detail::DirectoryView directory) noexcept
        : pages_(pages), directory_(directory) {}
    /// The view of a column of Ts.
    template <class T>
        requires(std::is_const_v<Void> || !std::is_const_v<T>)
    BasicAnyColumnView(const ColumnView<T>& view) noexcept
        : pages_{&TypeDescriptor::of<std::remove_const_t<T>>(), &detail::page_calls<&detail::typed_ptr<T>>, view.pages().pages,
                 view.pages().shift},
          directory_(view.directory()) {}
    /// From one whose values may be changed.
    operator BasicAnyColumnView<const void>() const noexcept { return {pages_, directory_}; }

    const TypeDescriptor& type() const noexcept { return *pages_.type; }
    /// The address of the value of `slot`: one indirect call. @pre slot is live (checked at level fast)
    Void* operator[](slot_t slot) const noexcept {
        SLOTWISE_EXPECT(contains(slot), "AnyColumnView[slot]: the slot is not live; ask contains(slot) first");
        return pages_.ptr(slot);
    }
    /// The address of the value of the element that `handle` names, or null when it was erased. Any bit pattern is allowed.
    template <AnyHandle H>
    Void* get(H handle) const noexcept {
        return contains(handle) ? pages_.ptr(handle.index()) : nullptr;
    }
    bool contains(slot_t slot) const noexcept { return directory_.live.test(slot); }
    template <AnyHandle H>
    bool contains(H handle) const noexcept {
        return contains(slot_t{handle.index()}) && directory_.version(handle.index()) == handle.version();
    }
    /// Whether no slot is live.
    bool empty() const noexcept { return directory_.live.none(); }
    /// One past the highest slot in use.
    std::size_t slot_end() const noexcept { return directory_.live.size(); }
    Occupancy occupancy() const noexcept { return directory_.live; }
    SlotRange live_slots() const noexcept { return SlotRange(directory_.live); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    /// The address of the value in `slot`, live or removed and still readable. @pre its slot is one of the container
    Void* ptr(slot_t slot) const noexcept { return pages_.ptr(slot); }

    /// Where the values lie, including those of removed elements.
    const detail::AnyPages& pages() const noexcept { return pages_; }

    /// Addresses of live values, in slot order.
    iterator begin() const noexcept { return {*this, directory_.live.find_next(0)}; }
    iterator end() const noexcept { return {*this, no_slot}; }
    /// Runs of consecutive slots whose values are contiguous; adjacent pages are one run.
    detail::IteratorRange<chunk_iterator> chunks() const noexcept;
    /// Calls f(address) or f(slot, address) for every live value in slot order. f may erase the element it is given.
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : live_slots()) {
            if constexpr (detail::takes_name<F, slot_t, Void*>())
                f(slot, static_cast<Void*>(pages_.ptr(slot)));
            else
                f(static_cast<Void*>(pages_.ptr(slot)));
        }
    }

private:
    detail::AnyPages pages_;
    detail::DirectoryView directory_;
};

template <class Void>
class BasicAnyColumnView<Void>::iterator
    : public detail::IteratorFacade<iterator, Void*, Void*, std::bidirectional_iterator_tag> {
public:
    iterator() noexcept = default;
    /// For views: at `slot`, which is live, or at the end (no_slot).
    iterator(const BasicAnyColumnView& view, slot_t slot) noexcept
        : pages_(view.pages_), live_(view.directory_.live), at_(slot) {}
    slot_t slot() const noexcept { return at_.slot(); }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend detail::IteratorFacade<iterator, Void*, Void*, std::bidirectional_iterator_tag>;
    Void* dereference() const noexcept { return pages_.ptr(at_.slot()); }
    void increment() noexcept { at_.advance(live_); }
    void decrement() noexcept { at_.step_back(live_); }

    detail::AnyPages pages_{};
    Occupancy live_{};
    detail::LiveCursor at_{};
};

template <class Void>
class BasicAnyColumnView<Void>::chunk_iterator
    : public detail::IteratorFacade<chunk_iterator, AnyColumnChunk<Void>, AnyColumnChunk<Void>> {
public:
    chunk_iterator() noexcept = default;
    /// For views: at the chunk that begins with slot `first`.
    chunk_iterator(const BasicAnyColumnView& view, std::size_t first) noexcept
        : pages_(view.pages_), live_(view.directory_.live), first_(first) {}
    friend bool operator==(const chunk_iterator& a, const chunk_iterator& b) noexcept { return a.first_ == b.first_; }

private:
    friend detail::IteratorFacade<chunk_iterator, AnyColumnChunk<Void>, AnyColumnChunk<Void>>;
    AnyColumnChunk<Void> dereference() const noexcept {
        const auto first = static_cast<slot_t>(first_);
        const std::size_t slot_count = pages_.run(first_, live_.size());
        return {first,
                {*pages_.type, pages_.ptr(first_), slot_count},
                detail::chunk_live(first_, slot_count, pages_.apart(), live_)};
    }
    void increment() noexcept { first_ = detail::chunk_from(first_ + pages_.run(first_, live_.size()), pages_.apart(), live_); }

    detail::AnyPages pages_{};
    Occupancy live_{};
    std::size_t first_ = 0;
};

template <class Void>
detail::IteratorRange<typename BasicAnyColumnView<Void>::chunk_iterator> BasicAnyColumnView<Void>::chunks() const noexcept {
    const chunk_iterator first(*this, detail::chunk_from(0, pages_.apart(), directory_.live)), last(*this, slot_end());
    std::size_t count = 0;
    for (chunk_iterator it = first; it != last; ++it) ++count;
    return {first, last, count};
}

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Void>
inline constexpr bool std::ranges::enable_view<slotwise::BasicAnyColumnView<Void>> = true;
template <class Void>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::BasicAnyColumnView<Void>> = true;

#endif
