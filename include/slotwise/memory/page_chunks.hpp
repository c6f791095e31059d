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
    std::size_t first_page;
    std::size_t pages;
};

/// How many pages the chunk that begins with page `first` has, where the last one is page `want` - 1: see PageChunks::add.
constexpr std::size_t chunk_pages(std::size_t first, std::size_t want, std::size_t most, std::size_t word) noexcept {
    const std::size_t room = most - first % word;
    return want - first < room ? want - first : room;
}

/// The page table and the chunks of an array while they change. Its entries are pointers of any object type, which are copied
/// as bytes.
/// @tparam Bytes an allocator of bytes
template <class Bytes>
struct PageChunks {
    Bytes allocator;
    std::byte* table;
    PageChunk* chunks;
    std::size_t chunk_count;
    std::size_t pages;
    std::size_t page_bytes;

    /// Adds chunks of at most `most` pages, which end with a whole word of slots, until there are `want`. @pre table and chunks
    /// have room, and `most` is a multiple of `word`, the pages of a word
    /// Throws what the allocator throws; nothing has changed then
    SLOTWISE_NEVER_INLINE void add(std::size_t want, std::size_t most, std::size_t word) {
        const std::size_t pages_before = pages;
        ScopeGuard undo([&]() noexcept { release(pages_before); });
        while (pages < want) {
            const std::size_t more = chunk_pages(pages, want, most, word);
            auto* data = static_cast<std::byte*>(allocate_lines(allocator, more, page_bytes));
            chunks[chunk_count++] = {pages, more};
            for (std::size_t i = 0; i != more; ++i, data += page_bytes)
                std::memcpy(table + pages++ * sizeof data, &data, sizeof data);
        }
        undo.dismiss();
    }
    /// Frees the chunks from page `keep` on. @pre a chunk begins there
    SLOTWISE_NEVER_INLINE void release(std::size_t keep) noexcept {
        for (; chunk_count != 0 && chunks[chunk_count - 1].first_page >= keep; --chunk_count) {
            const PageChunk& chunk = chunks[chunk_count - 1];
            std::byte* data = nullptr;
            std::memcpy(&data, table + chunk.first_page * sizeof data, sizeof data);
            deallocate_lines(allocator, data, chunk.pages, page_bytes);
        }
        pages = keep;
    }
};

} // namespace detail
SLOTWISE_END

#endif
