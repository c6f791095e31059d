// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// main() of a bench program, to be included by one file of each question.
#pragma once

#include <benchmark/benchmark.h>

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bench {

// Memory given back to the system and faulted in again costs 0.4 ns a byte, the same for every container; keep it out of the
// rows. Only storage that comes straight from the system (Growth::reserve) still pays it, and the tables say so.
inline void keep_memory_warm() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, 64 << 20);
#endif
    constexpr std::size_t bytes = std::size_t{128} << 20;
    if (void* memory = std::malloc(bytes)) {
        std::memset(memory, 1, bytes);
        benchmark::DoNotOptimize(memory);
        std::free(memory);
    }
}

} // namespace bench

int main(int argc, char** argv) {
    bench::keep_memory_warm();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
#if defined(__clang__)
    benchmark::AddCustomContext("compiler", "clang++ " __clang_version__);
#elif defined(__GNUC__)
    benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
#endif
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
