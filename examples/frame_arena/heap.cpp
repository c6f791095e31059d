// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A file of its own: where g++ can inline these it takes free() for the wrong end of operator new, and warns.

#include "heap.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace {

std::size_t calls = 0;

#if defined(_WIN32) // has no std::aligned_alloc
void* take(std::size_t bytes, std::size_t alignment) { return ::_aligned_malloc(bytes, alignment); }
void give_back(void* place) noexcept { ::_aligned_free(place); }
#else
void* take(std::size_t bytes, std::size_t alignment) { return std::aligned_alloc(alignment, bytes); }
void give_back(void* place) noexcept { std::free(place); }
#endif

void* from_heap(std::size_t bytes, std::size_t alignment) {
    ++calls;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (void* place = take(rounded == 0 ? alignment : rounded, alignment)) return place;
    throw std::bad_alloc();
}

} // namespace

std::size_t engine::heap_calls() noexcept { return calls; }

// The other forms call these.
void* operator new(std::size_t bytes) { return from_heap(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return from_heap(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept { give_back(place); }
void operator delete(void* place, std::size_t) noexcept { give_back(place); }
void operator delete(void* place, std::align_val_t) noexcept { give_back(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { give_back(place); }
