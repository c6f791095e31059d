// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The steps by which pages come and go, without the type of what lies in them: a program with a hundred element types has them
// once.
#ifndef SLOTWISE_MEMORY_PAGE_CHUNKS_HPP
#define SLOTWISE_MEMORY_PAGE_CHUNKS_HPP

#include "../core/scope_guard.hpp"
#include "allocator.hpp"

#include <cstring>

SLOTWISE_BEGIN
namespace detail {

/// Pages of a PagedArray that were allocated together.
struct PageChunk {
    std::uint32_t first_page;
    std::uint32_t pages;
};

/// How many pages the chunk that begins with page `first` has, where the last one is page `want` - 1: see PageChunks::add.
constexpr std::size_t chunk_pages(std::size_t first, std::size_t want, std::size_t most, std::size_t word) noexcept {
    const std::size_t room = most - first % word;
    return want - first < room ? want - first : room;
}

/// The page table of an array and the list of its chunks, which follows the table, while they change. The entries of the table
/// are pointers of any object type, which are copied as bytes. Both lie behind the values of the first chunk while they are as
/// short as there is room: an array of one page is one allocation. Otherwise they have an allocation of their own.
/// @tparam Bytes an allocator of bytes; @tparam Line what is asked for, see LineOf
template <class Bytes, class Line = CacheLine>
struct PageChunks {
    Bytes allocator;
    std::byte* table;
    std::uint32_t entries;     ///< room in the table
    std::uint32_t more_chunks; ///< room in the list
    std::uint32_t pages, chunk_count;
    std::size_t page_bytes;

    /// Room behind the first chunk, in entries of the table and of the list.
    static constexpr std::uint32_t few = 2;
    static constexpr std::size_t bytes_of(std::size_t entries, std::size_t chunks) noexcept {
        return entries * sizeof(void*) + chunks * sizeof(PageChunk);
    }
    /// The chunk with number i. @pre there is one
    static PageChunk chunk(const void* table, std::uint32_t entries, std::size_t i) noexcept {
        PageChunk found;
        std::memcpy(&found, static_cast<const std::byte*>(table) + bytes_of(entries, i), sizeof found);
        return found;
    }
    /// Bytes that this chunk takes of the allocator.
    static std::size_t memory_of_chunk(PageChunk chunk, std::size_t page_bytes) noexcept {
        return lines_needed(1, chunk_bytes(chunk.first_page, chunk.pages, page_bytes), sizeof(Line)) * sizeof(Line);
    }
    /// Bytes of the table and the list, if they have an allocation of their own.
    static std::size_t memory_of_tables(std::uint32_t entries, std::uint32_t chunks) noexcept {
        return entries <= few ? 0 : bytes_of(entries, chunks);
    }

    /// Makes room for so many pages and chunks in the table and in the list, which double, so that copying them is amortised.
    /// Throws what the allocator throws; nothing has changed then
    SLOTWISE_NEVER_INLINE void grow(std::size_t want, std::size_t chunks) {
        if (entries == 0 && want <= few && chunks <= few) return; // they will lie behind the first chunk
        if (want <= entries && chunks <= more_chunks) return;
        const std::uint32_t more = room_for(want, entries), list = room_for(chunks, more_chunks);
        rebind_t<Bytes, void*> pointers(allocator);
        auto* const fresh = reinterpret_cast<std::byte*>(allocate_raw(pointers, bytes_of(more, list) / sizeof(void*)));
        if (entries != 0) {
            std::memcpy(fresh, table, pages * sizeof(void*));
            std::memcpy(fresh + bytes_of(more, 0), table + bytes_of(entries, 0), chunk_count * sizeof(PageChunk));
        }
        free_tables();
        table = fresh;
        entries = more;
        more_chunks = list;
    }
    /// Adds chunks of at most `most` pages, which end with a whole word of slots, until there are `want`. @pre table and list
    /// have room, and `most` is a multiple of `word`, the pages of a word
    /// Throws what the allocator throws; nothing has changed then
    SLOTWISE_NEVER_INLINE void add(std::size_t want, std::size_t most, std::size_t word) {
        const std::uint32_t pages_before = pages;
        ScopeGuard undo([&]() noexcept { release(pages_before); });
        while (pages < want) {
            const auto more = static_cast<std::uint32_t>(chunk_pages(pages, want, most, word));
            const std::size_t bytes = chunk_bytes(pages, more, page_bytes);
            auto* data = static_cast<std::byte*>(allocate_lines<Line>(allocator, 1, bytes));
            if (entries == 0) {
                table = data + more * page_bytes + padding(more * page_bytes);
                entries = more_chunks = few;
            }
            const PageChunk here{pages, more};
            std::memcpy(table + bytes_of(entries, chunk_count++), &here, sizeof here);
            for (std::uint32_t i = 0; i != more; ++i, data += page_bytes)
                std::memcpy(table + pages++ * sizeof data, &data, sizeof data);
        }
        undo.dismiss();
    }
    /// Frees the chunks from page `keep` on, and what lies behind them. @pre a chunk begins there
    SLOTWISE_NEVER_INLINE void release(std::uint32_t keep) noexcept {
        while (chunk_count != 0) {
            const PageChunk last = chunk(table, entries, chunk_count - 1);
            if (last.first_page < keep) break;
            --chunk_count;
            std::byte* data = nullptr;
            std::memcpy(&data, table + last.first_page * sizeof data, sizeof data);
            deallocate_lines<Line>(allocator, data, 1, chunk_bytes(last.first_page, last.pages, page_bytes));
        }
        pages = keep;
        if (keep != 0 || entries > few) return;
        table = nullptr;
        entries = more_chunks = 0;
    }
    /// Frees table and list. @pre there are no chunks
    void free_tables() noexcept {
        if (entries <= few) return;
        rebind_t<Bytes, void*> pointers(allocator);
        deallocate_raw(pointers, reinterpret_cast<void**>(table), bytes_of(entries, more_chunks) / sizeof(void*));
        table = nullptr;
        entries = more_chunks = 0;
    }

private:
    static std::size_t padding(std::size_t bytes) noexcept {
        return (alignof(void*) - bytes % alignof(void*)) % alignof(void*);
    }
    static std::size_t chunk_bytes(std::size_t first_page, std::size_t pages, std::size_t page_bytes) noexcept {
        const std::size_t bytes = pages * page_bytes;
        return first_page != 0 ? bytes : bytes + padding(bytes) + bytes_of(few, few);
    }
    static std::uint32_t room_for(std::size_t want, std::size_t now) noexcept {
        const std::size_t twice = 2 * now > 2 * few ? 2 * now : 2 * few;
        return static_cast<std::uint32_t>(want > twice || want > no_slot / 2 ? want : twice);
    }
};

} // namespace detail
SLOTWISE_END

#endif
