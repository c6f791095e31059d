// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What operator new of this program has counted; main.cpp replaces it.
#pragma once

#include <cstddef>

namespace bench::memory {

struct Counts {
    std::size_t calls = 0; // of operator new
    std::size_t bytes = 0; // given out now, malloc's headers included
    std::size_t peak = 0;  // the most that bytes ever was
};

inline Counts counts;

} // namespace bench::memory
