// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Memory for what lives no longer than a frame: allocated from the front, freed all at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace engine {

class FrameArena {
public:
    explicit FrameArena(std::size_t bytes) : memory_(std::make_unique<std::byte[]>(bytes)), bytes_(bytes) {}

    /// @throws std::bad_alloc when the frame's memory is used up: an arena that grows in secret is a leak with a delay
    void* allocate(std::size_t bytes, std::size_t alignment) {
        void* place = memory_.get() + used_;
        std::size_t left = bytes_ - used_;
        if (std::align(alignment, bytes, place, left) == nullptr) throw std::bad_alloc();
        used_ = bytes_ - left + bytes;
        peak_ = used_ > peak_ ? used_ : peak_;
        ++live_;
        return place;
    }
    /// Takes nothing back before reset(), unless it was the last to be given out.
    void deallocate(void* place, std::size_t bytes) noexcept {
        --live_;
        if (static_cast<std::byte*>(place) + bytes == memory_.get() + used_) used_ -= bytes;
    }
    /// The frame is over. False, and nothing happens, while something still lives in it.
    bool reset() noexcept {
        if (live_ == 0) used_ = 0;
        return live_ == 0;
    }
    std::size_t used() const noexcept { return used_; }
    std::size_t peak() const noexcept { return peak_; }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t bytes_, used_ = 0, peak_ = 0, live_ = 0;
};

/// The arena as an allocator. It has no default constructor: a container needs an arena, and one that asks for memory it was
/// not given does not compile.
template <class T>
class ArenaAllocator {
public:
    using value_type = T;

    ArenaAllocator(FrameArena& arena) noexcept : arena_(&arena) {} // not explicit: SlotMap<...> map(arena) reads well
    template <class U>
    ArenaAllocator(const ArenaAllocator<U>& other) noexcept : arena_(other.arena()) {}

    T* allocate(std::size_t count) {
        if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(arena_->allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* place, std::size_t count) noexcept { arena_->deallocate(place, count * sizeof(T)); }
    FrameArena* arena() const noexcept { return arena_; }

    template <class U>
    friend bool operator==(const ArenaAllocator& a, const ArenaAllocator<U>& b) noexcept {
        return a.arena() == b.arena();
    }

private:
    FrameArena* arena_;
};

} // namespace engine
