// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseEntries: the rows of ids, in pages found by the ids' indices.
#ifndef SLOTWISE_SPARSE_SPARSE_ENTRIES_HPP
#define SLOTWISE_SPARSE_SPARSE_ENTRIES_HPP

#include "../core/id_traits.hpp"
#include "../memory/sparse_pages.hpp"

#include <bit>

SLOTWISE_BEGIN
namespace detail {

/// An entry has the row of an id and the id's version, so that lookups read no other array (as in EnTT's sparse_set). It takes
/// 32 bits where index and version do, else 64. A lookup is one comparison: entry ^ version < size holds for a row that is in
/// use and for no other entry, because the row of an empty entry has all bits set. A page is 4 KiB, so that a far id costs one
/// such page.
template <class Id, class Allocator>
class SparseEntries {
    using Traits = IdTraits<Id>;
    static constexpr unsigned row_bits = std::bit_width(Traits::max_index);

public:
    using Entry = std::conditional_t<(row_bits + std::bit_width(Traits::max_version) <= 32), std::uint32_t, std::uint64_t>;
    static constexpr std::size_t page_entries = 4096 / sizeof(Entry);
    static constexpr Entry none = static_cast<Entry>(~Entry{0});

    struct Page {
        Entry entry[page_entries];
        unsigned used = 0;
        bool listed = false; // see SparsePages::emptied
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
    /// The same for whatever version the entry has. @return 64 bits, for a row beyond the last one even if 2^32 are in use
    SLOTWISE_ALWAYS_INLINE static std::size_t any_row(const Page& page, Id id) noexcept {
        return static_cast<std::size_t>(page.entry[place(id)] & row_mask);
    }
    SLOTWISE_ALWAYS_INLINE static bool vacant(const Page& page, Id id) noexcept { return page.entry[place(id)] == none; }
    SLOTWISE_ALWAYS_INLINE Page* find(Id id) const noexcept { return pages_.find(number(id)); }
    /// The page of the id, made if it is not there. Throws what the allocator throws; nothing has changed then
    std::size_t memory_usage() const noexcept { return pages_.memory_usage(); }
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
    /// Frees the page of the id some time later if it is there and empty.
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

} // namespace detail
SLOTWISE_END

#endif
