// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandArena: memory that is taken piece by piece and given back all at once.
#ifndef SLOTWISE_ECS_COMMAND_ARENA_HPP
#define SLOTWISE_ECS_COMMAND_ARENA_HPP

#include "../memory/allocator.hpp"

#include <cstdint>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Chunks of raw memory, each twice as large as the one before, from 4 KiB up to 1 MiB. Pieces never move. It destroys nothing:
/// the owner knows what it has built.
class CommandArena {
public:
    CommandArena() = default;
    CommandArena(const CommandArena&) = delete;
    CommandArena& operator=(const CommandArena&) = delete;
    ~CommandArena() { free(); }
    void swap(CommandArena& other) noexcept {
        chunks_.swap(other.chunks_);
        std::swap(chunk_, other.chunk_);
        std::swap(next_, other.next_);
        std::swap(left_, other.left_);
    }

    /// `bytes` at an address that is a multiple of `align`, a power of two. @throws what the allocator throws; strong
    /// @complexity amortised O(1)
    SLOTWISE_ALWAYS_INLINE void* take(std::size_t bytes, std::size_t align) {
        const std::size_t skip = gap(align);
        if (skip > left_ || bytes > left_ - skip) [[unlikely]]
            return take_from_next(bytes, align);
        return cut(skip, bytes);
    }
    /// All pieces are given back. The memory stays.
    void reset() noexcept {
        chunk_ = 0;
        begin_chunk();
    }
    /// All pieces are given back, and the memory is freed.
    void free() noexcept {
        std::allocator<std::byte> alloc;
        for (const Chunk& chunk : chunks_) deallocate_on_line(alloc, chunk.data, chunk.bytes);
        chunks_.clear();
        reset();
    }
    std::size_t memory_usage() const noexcept {
        std::size_t sum = memory_of_vector(chunks_);
        for (const Chunk& chunk : chunks_) sum += line_bytes<std::byte>(chunk.bytes);
        return sum;
    }
    /// Bytes of all chunks.
    std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const Chunk& chunk : chunks_) sum += chunk.bytes;
        return sum;
    }

private:
    struct Chunk {
        std::byte* data;
        std::size_t bytes;
    };
    static constexpr std::size_t first_bytes = std::size_t{1} << 12, most_bytes = std::size_t{1} << 20;

    // `align` is a power of two.
    std::size_t gap(std::size_t align) const noexcept {
        return (align - 1) & (std::size_t{0} - reinterpret_cast<std::uintptr_t>(next_));
    }
    void* cut(std::size_t skip, std::size_t bytes) noexcept {
        std::byte* const piece = next_ + skip;
        next_ = piece + bytes;
        left_ -= skip + bytes;
        return piece;
    }
    void begin_chunk() noexcept {
        const bool any = chunk_ < chunks_.size();
        next_ = any ? chunks_[chunk_].data : nullptr;
        left_ = any ? chunks_[chunk_].bytes : 0;
    }
    SLOTWISE_COLD void* take_from_next(std::size_t bytes, std::size_t align) {
        const std::size_t needed = checked_bytes(1, bytes, align);
        std::size_t next = chunks_.empty() ? 0 : chunk_ + 1;
        while (next < chunks_.size() && chunks_[next].bytes < needed) ++next; // skipped until all is given back
        if (next >= chunks_.size()) {
            std::size_t size = chunks_.empty() ? first_bytes : chunks_.back().bytes;
            size = chunks_.empty() ? size : size < most_bytes / 2 ? 2 * size : most_bytes;
            if (size < needed) size = needed;
            if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 8);
            std::allocator<std::byte> alloc;
            chunks_.push_back({allocate_on_line(alloc, size), size});
            next = chunks_.size() - 1;
        }
        chunk_ = next;
        begin_chunk();
        return cut(gap(align), bytes);
    }

    std::vector<Chunk> chunks_{};
    std::size_t chunk_ = 0; // pieces are taken from it
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
