// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What every question shares: the clock, the name of a row, the registration of a contender and its checksum.
//
// A benchmark is named <operation>/bytes:<b>/n:<n>[/live:<percent>]/<contender>; bench/run.py takes everything before the
// last slash as the row. Each reports two counters: "items" (elements or operations in one timed batch, so that time /
// items is the number in the table) and "checksum" (must be equal for all contenders of a row).
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

// For the functions that hold a measured loop: never inlined, so that each is a whole loop over a container the compiler knows
// nothing about and can be found in a disassembly; and with aligned loops, because a loop of five instructions runs at half its
// speed when it happens to end on a 32-byte boundary: equal code differed by 2x between two contenders.
#if defined(__GNUC__) && !defined(__clang__)
#define SLOTWISE_BENCH_LOOP [[gnu::noinline, gnu::optimize("align-loops=64")]]
#else
#define SLOTWISE_BENCH_LOOP [[gnu::noinline]]
#endif
// For the one-line members between a measured loop and the container, which else decide what is called and what is inlined:
// with one contender more in a file g++ called one of them out of line, and its lookups took 15 % longer.
#define SLOTWISE_BENCH_STEP [[gnu::always_inline]]

namespace bench {

// limit: what the hardware allows, with promises left out. rival: something one could use instead. ours: slotwise.
enum class Role { limit, rival, ours };

[[nodiscard]] inline const char* to_string(Role role) noexcept {
    switch (role) {
    case Role::limit:
        return "limit";
    case Role::rival:
        return "rival";
    case Role::ours:
        return "ours";
    }
    return "";
}

struct Row {
    std::string operation;
    std::size_t bytes = 0;
    std::size_t n = 0;
    int live = -1; // percent; -1 when the row has no such column

    [[nodiscard]] std::string name(const std::string& contender) const {
        std::string text = operation + "/bytes:" + std::to_string(bytes) + "/n:" + std::to_string(n);
        if (live >= 0) text += "/live:" + std::to_string(live);
        return text + "/" + contender;
    }
};

// CPU time of this thread: a machine that is shared or that the host deschedules must not add to the result.
[[nodiscard]] inline double thread_seconds() noexcept {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// JSON numbers are doubles: keep the checksum exact.
[[nodiscard]] inline double printable(std::uint64_t checksum) noexcept {
    return static_cast<double>((checksum ^ (checksum >> 52)) & ((std::uint64_t{1} << 52) - 1));
}

struct Measured {
    std::size_t items = 0;
    std::uint64_t checksum = 0;
};

// One timed batch: prepare() and finish() are outside the clock, run() inside. run must do at least 50 us of work.
template <class Prepare, class Run>
void timed_batches(benchmark::State& state, Prepare prepare, Run run) {
    prepare();
    run(); // warm-up: memory is faulted in and the code is cached before the clock starts
    for (auto _ : state) {
        prepare();
        const double start = thread_seconds();
        run();
        state.SetIterationTime(thread_seconds() - start);
    }
}

// The same with so many calls of run() in a batch, which reads `what` and returns what it saw there; that of the last call.
template <class What, class Run>
auto timed_passes(benchmark::State& state, std::size_t passes, const What& what, Run run) {
    decltype(run()) seen{};
    timed_batches(
        state, [] {},
        [&] {
            for (std::size_t pass = 0; pass < passes; ++pass) {
                benchmark::DoNotOptimize(&what);
                benchmark::ClobberMemory();
                seen = run();
                benchmark::DoNotOptimize(seen);
            }
        });
    return seen;
}

inline void report(benchmark::State& state, Role role, const Measured& measured) {
    state.counters["items"] = static_cast<double>(measured.items);
    state.counters["checksum"] = printable(measured.checksum);
    state.SetLabel(to_string(role));
}

// For the add_contender() of a question whose argument is a template. GCC 12 gives a function the linkage of its arguments'
// names only where these are types: two files, each with a template of this name in its unnamed namespace, would share one
// function, and both contenders measure the same container.
#define SLOTWISE_BENCH_PER_FILE static

// body(state) -> Measured. The number of batches is fixed, not searched for, so that every contender does the same work and
// ends in the same state.
template <class Body>
void add(const Row& row, const std::string& contender, Role role, int batches, Body body) {
    benchmark::RegisterBenchmark(row.name(contender).c_str(),
                                 [role, body](benchmark::State& state) { report(state, role, body(state)); })
        ->UseManualTime()
        ->Iterations(batches)
        ->Unit(benchmark::kNanosecond);
}

// A contender registers itself from its own file: static const Registered registered([] { ... });
class Registered {
public:
    template <class Function>
    explicit Registered(Function function) {
        std::move(function)();
    }
};

} // namespace bench
