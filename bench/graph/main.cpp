// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// operator new counts. The forms that are not here call these.
#include "../support/main.hpp"

#include "workload.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t bytes) {
    ++bench::graph::allocation_calls;
    if (void* const memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
