// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// How many bytes a container takes: what malloc has given out, its own headers included; for storage that does not come from
// malloc (Growth::reserve) the growth of the resident set on top of it.
#pragma once

#include "contender.hpp"

#include <cstddef>
#include <cstdio>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bench {

// 0 with a C library that does not tell.
[[nodiscard]] inline std::size_t malloc_bytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

// Exact, unlike /proc/self/statm, which lags behind by up to 64 pages a thread.
[[nodiscard]] inline std::size_t resident_bytes() {
    std::size_t kilobytes = 0;
    if (std::FILE* file = std::fopen("/proc/self/smaps_rollup", "r")) {
        char line[256];
        while (std::fgets(line, sizeof line, file) != nullptr) {
            if (std::sscanf(line, "Rss: %zu kB", &kilobytes) == 1) break;
        }
        std::fclose(file);
    }
    return kilobytes * 1024;
}

// To be made before the container.
template <class C>
class MemoryUse {
public:
    // Bytes from the system since then.
    [[nodiscard]] std::size_t resident() const {
        if constexpr (from_system<C>) {
            return resident_bytes() - resident_;
        } else {
            return 0;
        }
    }
    // Bytes from malloc and from the system since then.
    [[nodiscard]] std::size_t bytes() const { return malloc_bytes() - allocated_ + resident(); }

private:
    std::size_t resident_ = from_system<C> ? resident_bytes() : 0;
    std::size_t allocated_ = malloc_bytes();
};

// A row that is a number and no time.
inline void report_value(benchmark::State& state, double value) {
    state.SetIterationTime(1e-3); // nothing is timed here
    state.counters["value"] = value;
}

} // namespace bench
