// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What bench/support names of Google Benchmark, where no time is taken: nothing of it is called.
#pragma once

#include <map>
#include <string>

namespace benchmark {

struct State {
    std::map<std::string, double> counters{};
    void SetIterationTime(double) {}
    void SetLabel(const char*) {}
    const int* begin() const { return nullptr; }
    const int* end() const { return nullptr; }
};
struct Benchmark {
    Benchmark* UseManualTime() { return this; }
    Benchmark* Iterations(int) { return this; }
    void Unit(int) {}
};
inline constexpr int kNanosecond = 0;
template <class T>
void DoNotOptimize(const T&) {}
inline void ClobberMemory() {}
template <class F>
Benchmark* RegisterBenchmark(const char*, F) {
    return nullptr;
}

} // namespace benchmark
