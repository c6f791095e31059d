// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A file of its own: where g++ can inline these it takes free() for the wrong end of operator new, and warns.

#include "heap.hpp"

#include <cstdlib>
#include <new>

namespace {

std::size_t calls = 0;

void* from_heap(std::size_t bytes, std::size_t alignment) {
    ++calls;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (void* place = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return place;
    throw std::bad_alloc();
}

} // namespace

std::size_t engine::heap_calls() noexcept { return calls; }

// The other forms call these.
void* operator new(std::size_t bytes) { return from_heap(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return from_heap(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
