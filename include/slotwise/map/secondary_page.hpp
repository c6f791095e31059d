// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The pages of a SecondaryMap, and the walks over them: entry by entry and chunk by chunk.
#ifndef SLOTWISE_MAP_SECONDARY_PAGE_HPP
#define SLOTWISE_MAP_SECONDARY_PAGE_HPP

#include "../memory/sparse_pages.hpp"
#include "../slots/column_view.hpp"
#include "map_iterator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Entries of some slots: liveness, versions, raw memory for values.
template <class H, class T>
struct SecondaryPage {
    // A far handle claims one page. 10,000 of them with values of 256 bytes claim 12 MB; pages of 64 slots claimed 167.
    static constexpr unsigned page_slots = sizeof(T) >= 1024 ? 1 : sizeof(T) <= 16 ? 64 : std::bit_floor(1024u / sizeof(T));
    using version_type = typename HandleTraits<H::layout>::version_type;

    bits::word_t live = 0;
    bits::word_t busy = 0;  // a constructor, a destructor or hold() runs there: the place is not vacant
    bits::word_t dying = 0; // dropped, but not destroyed yet
    bool listed = false;    // see SparsePages::emptied
    version_type versions[page_slots] = {};
    alignas(T) std::byte memory[page_slots * sizeof(T)];

    SecondaryPage() noexcept {} // the memory is not initialised
    bool holds(unsigned i) const noexcept { return (live >> i & 1u) != 0; }
    bool in_use(unsigned i) const noexcept { return ((busy | dying) >> i & 1u) != 0; } // although there is no entry
    bool idle() const noexcept { return live == 0 && (busy | dying) == 0; }
    T* address(unsigned i) noexcept { return reinterpret_cast<T*>(memory + i * sizeof(T)); }
    T* value(unsigned i) noexcept { return std::launder(address(i)); }
    H handle(slot_t slot) const noexcept { return H(slot, versions[place(slot)]); }

    /// The number of a slot's page, and the slot's place there.
    static std::uint32_t number(slot_t slot) noexcept { return slot / page_slots; }
    static unsigned place(slot_t slot) noexcept { return slot % page_slots; }
};

/// SparsePages of SecondaryPage, walked. A place is a slot number, or end.
template <class H, class T, class Allocator>
struct SecondaryWalk {
    using Page = SecondaryPage<H, T>;
    using Pages = SparsePages<Page, Allocator>;
    static constexpr std::uint64_t end = std::uint64_t{1} << 33; // beyond every handle's slot

    /// Advances `at` to the first slot with an entry at or after it. Returns its page, or null.
    static Page* next(const Pages& pages, std::uint64_t& at) noexcept {
        const std::uint64_t first = at / Page::page_slots;
        const bits::word_t of_first = bits::full_word << (at % Page::page_slots);
        std::uint64_t page_number = first;
        return pages.next_where(page_number, [&](std::uint64_t number, const Page& page) {
            const bits::word_t rest = page.live & (number == first ? of_first : bits::full_word);
            if (rest == 0) return false;
            at = number * Page::page_slots + bits::lowest(rest);
            return true;
        });
    }
    /// To the last entry before slot `at`. @pre there is one
    static void previous(const Pages& pages, std::uint64_t& at) noexcept {
        std::uint64_t page_number = at / Page::page_slots;
        auto places = static_cast<unsigned>(at % Page::page_slots);
        for (std::uint64_t wanted = page_number; Page* page = pages.previous(page_number); wanted = --page_number) {
            if (page_number != wanted) places = bits::word_bits;
            const bits::word_t before = page->live & bits::low_mask(places);
            if (before != 0) {
                at = page_number * Page::page_slots + bits::highest(before);
                return;
            }
            places = bits::word_bits;
            if (page_number == 0) return;
        }
    }
};

/// A place in a SecondaryMap: slot order, in both directions.
template <class H, class T, class Allocator, bool Const>
class SecondaryIterator
    : public IteratorFacade<SecondaryIterator<H, T, Allocator, Const>, SlotMapItem<H, std::conditional_t<Const, const T&, T&>>,
                            SlotMapItem<H, std::conditional_t<Const, const T&, T&>>, std::bidirectional_iterator_tag> {
    using Item = SlotMapItem<H, std::conditional_t<Const, const T&, T&>>;
    using Facade = IteratorFacade<SecondaryIterator, Item, Item, std::bidirectional_iterator_tag>;
    using Walk = SecondaryWalk<H, T, Allocator>;
    using Pages = typename Walk::Pages;
    using Page = typename Walk::Page;

public:
    SecondaryIterator() noexcept = default;
    /// For the map: at the entry in slot `at`, or at the end; and at the first entry in slot `at` or after it.
    SecondaryIterator(const Pages* pages, std::uint64_t at) noexcept : pages_(pages), next_(at) {}
    static SecondaryIterator from(const Pages* pages, std::uint64_t at) noexcept { return {pages, place_from(pages, at)}; }
    /// iterator to const_iterator.
    operator SecondaryIterator<H, T, Allocator, true>() const noexcept
        requires(!Const)
    {
        return {pages_, next_};
    }
    friend bool operator==(const SecondaryIterator& a, const SecondaryIterator& b) noexcept { return a.next_ == b.next_; }
    /// The slot of the entry here. @pre not at the end
    slot_t slot() const noexcept { return static_cast<slot_t>(next_); }
    /// Its handle. @pre not at the end
    H handle() const noexcept { return dereference().handle; }

private:
    friend Facade;

    Item dereference() const noexcept {
        const auto slot = static_cast<slot_t>(next_);
        Page* page = pages_->find(Page::number(slot));
        SLOTWISE_EXPECT_DEBUG(page != nullptr && page->holds(Page::place(slot)),
                              "SecondaryMap iterator: the entry here was erased");
        return {page->handle(slot), *page->value(Page::place(slot))};
    }
    // The next entry of a near page is found inline: a search from the page table on for each entry took five times as long.
    void increment() noexcept {
        const std::uint64_t at = next_ + 1;
        if (const Page* const page = pages_->find_near(at / Page::page_slots); page != nullptr) {
            if (const bits::word_t rest = page->live >> (at % Page::page_slots); rest != 0) {
                next_ = at + bits::lowest(rest);
                return;
            }
        }
        next_ = place_from(pages_, at);
    }
    void decrement() noexcept { Walk::previous(*pages_, next_); }
    // Of the first entry in slot `at` or after it, or the end.
    SLOTWISE_NEVER_INLINE static std::uint64_t place_from(const Pages* pages, std::uint64_t at) noexcept {
        return Walk::next(*pages, at) == nullptr ? Walk::end : at;
    }

    const Pages* pages_ = nullptr;
    std::uint64_t next_ = Walk::end; // slot number
};

/// The pages of a SecondaryMap that have entries, in slot order. @tparam Value T or const T
template <class H, class Value, class Allocator>
class SecondaryChunkIterator
    : public IteratorFacade<SecondaryChunkIterator<H, Value, Allocator>, ColumnChunk<Value>, ColumnChunk<Value>> {
    using Walk = SecondaryWalk<H, std::remove_const_t<Value>, Allocator>;
    using Pages = typename Walk::Pages;
    using Page = typename Walk::Page;

public:
    SecondaryChunkIterator() noexcept = default;
    /// For the map: at the first page with an entry in slot `at` or after it.
    SecondaryChunkIterator(const Pages* pages, std::uint64_t at) noexcept : pages_(pages), at_(at) { skip_to_page(); }
    friend bool operator==(const SecondaryChunkIterator& a, const SecondaryChunkIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<SecondaryChunkIterator, ColumnChunk<Value>, ColumnChunk<Value>>;
    ColumnChunk<Value> dereference() const noexcept {
        const auto first = static_cast<slot_t>(at_);
        Page& page = *pages_->find(Page::number(first));
        return {first, {page.address(0), Page::page_slots}, Occupancy(&page.live, Page::page_slots)};
    }
    void increment() noexcept {
        at_ += Page::page_slots;
        skip_to_page();
    }
    void skip_to_page() noexcept {
        at_ = Walk::next(*pages_, at_) == nullptr ? Walk::end : at_ / Page::page_slots * Page::page_slots;
    }

    const Pages* pages_ = nullptr;
    std::uint64_t at_ = Walk::end; // first slot of the page
};

} // namespace detail
SLOTWISE_END

#endif
