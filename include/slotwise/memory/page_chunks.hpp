// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The steps by which pages come and go, without the type of what lies in them: a program with a hundred element types has them
// once.
#ifndef SLOTWISE_MEMORY_PAGE_CHUNKS_HPP
#define SLOTWISE_MEMORY_PAGE_CHUNKS_HPP

#include "../core/bits.hpp"
#include "../core/scope_guard.hpp"
#include "../fwd.hpp"
#include "allocator.hpp"

#include <cstring>

SLOTWISE_BEGIN
namespace detail {

/// Pages of a PagedArray that were allocated together.
struct PageChunk {
    std::uint32_t first_page;
    std::uint32_t pages;
};

/// How many pages the chunk that begins with page `first` has, where the last one is page `want` - 1: see PageTable::reserve.
constexpr std::size_t chunk_pages(std::size_t first, std::size_t want, std::size_t most, std::size_t word) noexcept {
    const std::size_t room = most - first % word;
    return want - first < room ? want - first : room;
}

/// What the pages of an array are like. All element types of one size and alignment share what is made of it.
/// @tparam Bytes an allocator of bytes
template <class Bytes>
struct PageLayout {
    std::size_t page_slots;
    std::size_t page_bytes;
    std::size_t max_chunk_pages; ///< a multiple of word_pages
    std::size_t word_pages;      ///< that come together after the first word
    std::size_t line;            ///< chunks are whole lines of so many bytes, and begin with one
    void* (*obtain)(const Bytes&, std::size_t count, std::size_t size);
    void (*give_back)(const Bytes&, void* data, std::size_t count, std::size_t size) noexcept;
};

/// What a PagedArray knows of its pages but the page table's address, which has a type: its owner keeps it and passes it in.
/// The list of chunks follows the table. The entries of the table are pointers of any object type, which are copied as bytes.
/// Both lie behind the values of the first chunk while they are as short as there is room: an array of one page is one
/// allocation. Otherwise they have an allocation of their own. In constants bytes cannot become a T: the owner does the work.
/// @tparam Bytes an allocator of bytes
template <class Bytes>
struct PageTable {
    /// Room behind the first chunk, in entries of the table and of the list.
    static constexpr std::uint32_t few = 2;

    constexpr PageTable() noexcept(noexcept(Bytes())) = default;
    constexpr explicit PageTable(const Bytes& alloc) noexcept : allocator(alloc) {}
    constexpr PageTable(PageTable&& other) noexcept
        : allocator(other.allocator), entries(std::exchange(other.entries, 0)),
          more_chunks(std::exchange(other.more_chunks, 0)), pages(std::exchange(other.pages, 0)),
          chunk_count(std::exchange(other.chunk_count, 0)) {}
    PageTable(const PageTable&) = delete;
    PageTable& operator=(const PageTable&) = delete;
    PageTable& operator=(PageTable&&) = delete;
    SLOTWISE_NEVER_INLINE constexpr ~PageTable() {} // NOLINT(modernize-use-equals-default): out of line, one for all types
    SLOTWISE_NEVER_INLINE constexpr void swap(PageTable& other) noexcept {
        exchange_allocators(allocator, other.allocator);
        std::swap(entries, other.entries);
        std::swap(more_chunks, other.more_chunks);
        std::swap(pages, other.pages);
        std::swap(chunk_count, other.chunk_count);
    }

    /// The chunk with number i. @pre there is one
    PageChunk chunk(const void* table, std::size_t i) const noexcept {
        PageChunk found;
        std::memcpy(&found, static_cast<const std::byte*>(table) + bytes_of(entries, i), sizeof found);
        return found;
    }
    /// The pages that shrink(slots) keeps.
    SLOTWISE_NEVER_INLINE std::size_t kept_pages(const void* table, std::size_t slot_count,
                                                 std::size_t page_slots) const noexcept {
        std::size_t keep = chunk_count;
        while (keep != 0 && chunk(table, keep - 1).first_page * page_slots >= slot_count) --keep;
        return keep == 0 ? 0 : std::size_t{chunk(table, keep - 1).first_page} + chunk(table, keep - 1).pages;
    }
    /// Bytes that chunks, table and list take of the allocator.
    SLOTWISE_NEVER_INLINE std::size_t memory_usage(const void* table, const PageLayout<Bytes>& layout) const noexcept {
        std::size_t bytes = entries <= few ? 0 : bytes_of(entries, more_chunks), counted = 0;
        for (std::size_t i = 0; i != chunk_count && counted < layout.word_pages; ++i) { // those of the first word
            const PageChunk here = chunk(table, i);
            bytes += bits::round_up(chunk_bytes(here.first_page, here.pages, layout), layout.line);
            counted += here.pages;
        }
        return counted == pages ? bytes : bytes + chunk_bytes(counted, pages - counted, layout); // the others are whole lines
    }

    /// Adds chunks of at most `max_chunk_pages` pages, which end with a whole word of slots, until there are `want`. Returns
    /// the new address of the table, which doubles, as the list does, so that copying them is amortised.
    /// Throws what the allocator throws; nothing has changed then
    SLOTWISE_NEVER_INLINE void* reserve(void* table, std::size_t want, const PageLayout<Bytes>& layout) {
        if (want <= pages) return table;
        static_cast<void>(checked_bytes(want, layout.page_bytes)); // before pages are allocated in vain
        if (want > no_slot) throw_bad_array_new_length("PagedArray::reserve(slots): more pages than there are slots");
        const std::size_t whole = want - pages / layout.word_pages * layout.word_pages; // the first may begin inside of a word
        const std::size_t chunks = chunk_count + (whole + layout.max_chunk_pages - 1) / layout.max_chunk_pages;
        const Room before{entries, more_chunks};
        const std::uint32_t pages_before = pages;
        void* const grown = grown_tables(table, want, chunks);
        void* result = grown;
        ScopeGuard undo([&]() noexcept {
            release(result, pages_before, layout);
            if (grown != table) free_tables(grown);
            entries = before.entries;
            more_chunks = before.chunks;
        });
        while (pages < want) {
            const auto more = static_cast<std::uint32_t>(chunk_pages(pages, want, layout.max_chunk_pages, layout.word_pages));
            const std::size_t bytes = chunk_bytes(pages, more, layout);
            auto* data = static_cast<std::byte*>(layout.obtain(allocator, 1, bytes));
            if (entries == 0) {
                result = data + more * layout.page_bytes + padding(more * layout.page_bytes);
                entries = more_chunks = few;
            }
            auto* const places = static_cast<std::byte*>(result);
            const PageChunk here{pages, more};
            std::memcpy(places + bytes_of(entries, chunk_count++), &here, sizeof here);
            for (std::uint32_t i = 0; i != more; ++i, data += layout.page_bytes)
                std::memcpy(places + pages++ * sizeof data, &data, sizeof data);
        }
        undo.dismiss();
        if (grown != table && before.entries > few) free_tables(table, before);
        return result;
    }
    /// Frees every chunk that lies wholly at or above `slots`. Returns the table's address, null when no page is left.
    SLOTWISE_NEVER_INLINE void* shrink(void* table, std::size_t slot_count, const PageLayout<Bytes>& layout) noexcept {
        if (pages == 0) return table;
        release(table, kept_pages(table, slot_count, layout.page_slots), layout);
        if (pages != 0) return table;
        free_tables(table);
        entries = more_chunks = 0;
        return nullptr;
    }

    SLOTWISE_NO_UNIQUE_ADDRESS Bytes allocator{};
    std::uint32_t entries = 0;     ///< room in the table
    std::uint32_t more_chunks = 0; ///< room in the list
    std::uint32_t pages = 0, chunk_count = 0;

private:
    struct Room {
        std::uint32_t entries, chunks;
    };
    static constexpr std::size_t bytes_of(std::size_t entries, std::size_t chunks) noexcept {
        return entries * sizeof(void*) + chunks * sizeof(PageChunk);
    }
    static std::size_t padding(std::size_t bytes) noexcept {
        return (alignof(void*) - bytes % alignof(void*)) % alignof(void*);
    }
    /// After the first word chunks are whole lines: their pages are those of whole words, or else take a line more each than
    /// they may need. So memory_usage() need not look at each.
    static std::size_t chunk_bytes(std::size_t first_page, std::size_t pages, const PageLayout<Bytes>& layout) noexcept {
        const std::size_t bytes = pages * layout.page_bytes;
        if (first_page == 0) return bytes + padding(bytes) + bytes_of(few, few);
        return layout.word_pages > 1 ? bytes : pages * bits::round_up(layout.page_bytes, layout.line);
    }
    static std::uint32_t room_for(std::size_t want, std::size_t now) noexcept {
        const std::size_t twice = 2 * (now > few ? now : few);
        return static_cast<std::uint32_t>(want > twice || want > no_slot / 2 ? want : twice);
    }
    /// A table and a list with room for so many pages and chunks: these where they have it, else copies, or null when they will
    /// lie behind the first chunk.
    void* grown_tables(void* table, std::size_t want, std::size_t chunks) {
        if (entries == 0 && want <= few && chunks <= few) return table;
        if (want <= entries && chunks <= more_chunks) return table;
        const Room room{room_for(want, entries), room_for(chunks, more_chunks)};
        rebind_t<Bytes, void*> pointers(allocator);
        auto* const fresh =
            reinterpret_cast<std::byte*>(allocate_raw(pointers, bytes_of(room.entries, room.chunks) / sizeof(void*)));
        if (entries != 0) {
            const auto* const old = static_cast<const std::byte*>(table);
            std::memcpy(fresh, old, pages * sizeof(void*));
            std::memcpy(fresh + bytes_of(room.entries, 0), old + bytes_of(entries, 0), chunk_count * sizeof(PageChunk));
        }
        entries = room.entries;
        more_chunks = room.chunks;
        return fresh;
    }
    void free_tables(void* table) noexcept { free_tables(table, {entries, more_chunks}); }
    void free_tables(void* table, Room room) noexcept {
        if (room.entries <= few) return;
        rebind_t<Bytes, void*> pointers(allocator);
        deallocate_raw(pointers, static_cast<void**>(table), bytes_of(room.entries, room.chunks) / sizeof(void*));
    }
    /// Frees the chunks from page `keep` on, and what lies behind them. @pre a chunk begins there
    SLOTWISE_NEVER_INLINE void release(void* table, std::size_t keep, const PageLayout<Bytes>& layout) noexcept {
        while (chunk_count != 0) {
            const PageChunk last = chunk(table, chunk_count - 1);
            if (last.first_page < keep) break;
            --chunk_count;
            std::byte* data = nullptr;
            std::memcpy(&data, static_cast<std::byte*>(table) + last.first_page * sizeof data, sizeof data);
            layout.give_back(allocator, data, 1, chunk_bytes(last.first_page, last.pages, layout));
        }
        pages = static_cast<std::uint32_t>(keep);
    }
};

} // namespace detail
SLOTWISE_END

#endif
