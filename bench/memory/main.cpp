// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// operator new and delete count. The forms that are not here call these.
#include "../support/main.hpp"

#include "counting_new.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// 0 where it is unknown; the workload then leaves the peak out.
std::size_t bytes_at(void* memory) noexcept {
#if defined(__GLIBC__)
    return malloc_usable_size(memory) + sizeof(std::size_t);
#else
    static_cast<void>(memory);
    return 0;
#endif
}

void* counted(void* memory) {
    using bench::memory::counts;
    if (memory == nullptr) throw std::bad_alloc();
    ++counts.calls;
    counts.bytes += bytes_at(memory);
    counts.peak = std::max(counts.peak, counts.bytes);
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) bench::memory::counts.bytes -= bytes_at(memory);
    std::free(memory);
}

} // namespace

void* operator new(std::size_t bytes) { return counted(std::malloc(std::max<std::size_t>(bytes, 1))); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto aligned = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(aligned, (std::max<std::size_t>(bytes, 1) + aligned - 1) / aligned * aligned));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
