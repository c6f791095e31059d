// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: how many bytes does an element take, at a million elements?
//
// memory_grown      n insertions into an empty container
// memory_reserved   n insertions after reserve(n)
//
// Bytes are what malloc has given out, its own headers included, divided by n; the payload is part of them. Storage that does not
// come from malloc (Growth::reserve) is counted as growth of the resident set. Grown numbers of contenders that double their
// capacity depend on where n falls: 1e6 is just below 2^20, the kindest place.
#pragma once

#include "../support/element.hpp"
#include "../support/harness.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bench::memory {

inline constexpr std::size_t elements = 1'000'000;

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

// A contender has value_type, insert(const T&), size() and perhaps reserve(n).
template <class C>
Measured fill(benchmark::State& state, bool reserved, bool from_system) {
    using T = typename C::value_type;
    const ValueTable<T>& table = values<T>();
    std::size_t size = 0;
    for (auto _ : state) {
        const std::size_t resident = from_system ? resident_bytes() : 0;
        const std::size_t allocated = malloc_bytes();
        C contender;
        if constexpr (requires { contender.reserve(elements); }) {
            if (reserved) contender.reserve(elements);
        }
        for (std::size_t i = 0; i < elements; ++i) benchmark::DoNotOptimize(contender.insert(table[i]));
        std::size_t bytes = malloc_bytes() - allocated;
        if (from_system) bytes += resident_bytes() - resident;
        size = contender.size();
        state.SetIterationTime(1e-3); // nothing is timed here
        state.counters["value"] = static_cast<double>(bytes) / static_cast<double>(elements);
    }
    return {elements, size};
}

template <template <class> class Contender>
void add_contender(const std::string& name, Role role, bool from_system = false) {
    if (malloc_bytes() == 0) return; // a C library that does not tell
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        using C = Contender<T>;
        add({"memory_grown", sizeof(T), elements}, name, role, 1,
            [from_system](benchmark::State& state) { return fill<C>(state, false, from_system); });
        if constexpr (requires(C& contender) { contender.reserve(elements); }) {
            add({"memory_reserved", sizeof(T), elements}, name, role, 1,
                [from_system](benchmark::State& state) { return fill<C>(state, true, from_system); });
        }
    };
    add_type(std::type_identity<Element4>{});
    add_type(std::type_identity<Element16>{});
    add_type(std::type_identity<Element64>{});
}

} // namespace bench::memory
