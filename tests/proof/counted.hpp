// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Costs without a clock: in a program compiled with -fsanitize-coverage=trace-pc this counts the basic blocks that an operation
// executes, what memcpy, memmove and memset do in its place, and allocations. Each run counts the same. For one source of a
// program: it defines the function that coverage calls, and operator new.
//
//     row("SlotMapInterface::get complexity", "elements", constant, [](std::size_t n) { ...; return worst(100, [&](std::size_t i) { ...; }); });
//
// A constant cost may be half as much again at the largest size as at the smallest; a linear one has to be three to five times
// as much at four times the size: something that is said to be linear and is not is refused as well.
#ifndef SLOTWISE_TESTS_PROOF_COUNTED_HPP
#define SLOTWISE_TESTS_PROOF_COUNTED_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <type_traits>

//=== what is counted ===//

#if defined(__clang__)
#define SLOTWISE_TEST_NOT_COUNTED __attribute__((no_sanitize("coverage"), noinline))
#define SLOTWISE_TEST_OPAQUE __attribute__((noinline))
#else
#define SLOTWISE_TEST_NOT_COUNTED __attribute__((no_sanitize_coverage, noinline))
#define SLOTWISE_TEST_OPAQUE __attribute__((noipa))
#endif

namespace counted {

// Changed by calls that the compiler adds after it has optimised.
inline volatile std::uint64_t blocks = 0, allocations = 0;

} // namespace counted

extern "C" {

void __sanitizer_cov_trace_pc();
SLOTWISE_TEST_NOT_COUNTED void __sanitizer_cov_trace_pc() { counted::blocks = counted::blocks + 1; }

// Those of the C library are not compiled here, so they would cost nothing. A byte at a time, and volatile: the compiler must
// not see that this is memcpy. 64 bytes count as a block.
SLOTWISE_TEST_NOT_COUNTED void* memcpy(void* to, const void* from, std::size_t bytes) {
    counted::blocks = counted::blocks + bytes / 64;
    auto* out = static_cast<volatile unsigned char*>(to);
    const auto* in = static_cast<const volatile unsigned char*>(from);
    for (std::size_t i = 0; i != bytes; ++i) out[i] = in[i];
    return to;
}
SLOTWISE_TEST_NOT_COUNTED void* memmove(void* to, const void* from, std::size_t bytes) {
    if (std::less<const void*>()(to, from)) return memcpy(to, from, bytes);
    counted::blocks = counted::blocks + bytes / 64;
    auto* out = static_cast<volatile unsigned char*>(to);
    const auto* in = static_cast<const volatile unsigned char*>(from);
    for (std::size_t i = bytes; i-- != 0;) out[i] = in[i];
    return to;
}
SLOTWISE_TEST_NOT_COUNTED void* memset(void* to, int value, std::size_t bytes) {
    counted::blocks = counted::blocks + bytes / 64;
    auto* out = static_cast<volatile unsigned char*>(to);
    for (std::size_t i = 0; i != bytes; ++i) out[i] = static_cast<unsigned char>(value);
    return to;
}

} // extern "C"

SLOTWISE_TEST_NOT_COUNTED void* operator new(std::size_t bytes) {
    counted::allocations = counted::allocations + 1;
    if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
}
SLOTWISE_TEST_NOT_COUNTED void* operator new(std::size_t bytes, std::align_val_t align) {
    counted::allocations = counted::allocations + 1;
    const auto to = static_cast<std::size_t>(align);
    if (void* memory = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return memory;
    throw std::bad_alloc();
}
SLOTWISE_TEST_NOT_COUNTED void operator delete(void* memory) noexcept { std::free(memory); }
SLOTWISE_TEST_NOT_COUNTED void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
SLOTWISE_TEST_NOT_COUNTED void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
SLOTWISE_TEST_NOT_COUNTED void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace counted {

//=== measuring ===//

/// What one row measures: blocks, and the most allocations of one call.
struct Cost {
    double blocks = 0;
    std::uint64_t allocations = 0;
};

inline volatile std::uint64_t sink = 0;
/// The result is used.
template <class T>
void keep(const T& value) {
    if constexpr (std::is_pointer_v<T>)
        sink = sink + (value != nullptr);
    else
        sink = sink + static_cast<std::uint64_t>(value);
}

/// Not inlined, so that no part of f is done before or after it.
template <class F>
SLOTWISE_TEST_OPAQUE void call(F& f) {
    f();
}
template <class F>
Cost once(F&& f) {
    const std::uint64_t before = blocks, memory = allocations;
    call(f);
    return {static_cast<double>(blocks - before), allocations - memory};
}
/// The most that one of `times` calls f(i) costs.
template <class F>
Cost worst(std::size_t times, F&& f) {
    Cost most;
    for (std::size_t i = 0; i != times; ++i) {
        const Cost cost = once([&] { f(i); });
        most.blocks = std::max(most.blocks, cost.blocks);
        most.allocations = std::max(most.allocations, cost.allocations);
    }
    return most;
}
/// What one of `times` calls f(i) costs on average: what is expected, or amortised.
template <class F>
Cost mean(std::size_t times, F&& f) {
    Cost all = once([&] {
        for (std::size_t i = 0; i != times; ++i) f(i);
    });
    all.blocks /= static_cast<double>(times);
    return all;
}

enum Claim { constant, linear, linearithmic };
enum Memory { may_allocate, never_allocates };

inline constexpr std::size_t points = 4;
inline constexpr std::size_t base[points] = {1'000, 4'000, 16'000, 64'000};

inline bool fits(Claim claim, const double (&cost)[points]) {
    if (claim == constant) {
        const auto [least, most] = std::minmax_element(cost, cost + points);
        return *most <= 1.5 * *least + 12;
    }
    const double few = cost[2] / cost[1], many = cost[3] / cost[2];
    const auto between = [](double ratio, double low, double high) { return ratio >= low && ratio <= high; };
    if (claim == linear) return between(few, 2.5, 5.5) && between(many, 3, 5);
    return between(few, 3, 7) && between(many, 3.5, 6.5);
}
inline const char* name_of(Claim claim) { return claim == constant ? "constant" : claim == linear ? "linear" : "n log n"; }

inline std::size_t rows = 0, failures = 0;

/// Counts op(n) and prints a line. @param of what n counts @param scale sizes are as many times larger
template <class Op>
bool measure(const char* promise, const char* of, Claim claim, Memory memory, std::size_t scale, Op&& op,
             bool expected = true) {
    double cost[points];
    std::uint64_t most_allocations = 0;
    for (std::size_t i = 0; i != points; ++i) {
        const Cost measured = op(base[i] * scale);
        cost[i] = measured.blocks;
        most_allocations = std::max(most_allocations, measured.allocations);
    }
    const bool counted = cost[points - 1] >= 1; // the call alone is a block: nothing was compiled with coverage
    const bool frugal = memory == may_allocate || most_allocations == 0;
    const bool right = counted && (fits(claim, cost) == expected) && frugal;
    std::printf("%s %-46s | %-8s in %-28s |", right ? "ok  " : "FAIL", promise, name_of(claim), of);
    for (const double each : cost) std::printf(" %11.1f", each);
    std::printf("%s\n", !frugal ? "  it allocates" : memory == never_allocates ? "  no allocation" : "");
    return right;
}
template <class Op>
void row(const char* promise, const char* of, Claim claim, Op&& op, Memory memory = may_allocate, std::size_t scale = 1) {
    ++rows;
    failures += !measure(promise, of, claim, memory, scale, op);
}

/// The last line of a program; its exit code.
inline int finish(std::size_t controls) {
    std::printf("complexity: %zu rows, %zu controls, %zu failures\n", rows, controls, failures);
    return failures != 0 || rows == 0 ? 1 : 0;
}

} // namespace counted

#endif
