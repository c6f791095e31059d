// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: how many bytes does an element take, at a million elements, and how often is the allocator asked?
//
// memory_grown          bytes an element, after n insertions into an empty container
// memory_reserved       the same after reserve(n)
// peak_grown            the peak of bytes an element during those insertions: a container that copies has both arrays
// allocations_grown     calls of operator new during those insertions, in all
// allocations_reserved  the same, reserve(n) and the insertions after it
//
// support/memory_use.hpp says which bytes are meant; they are divided by n, and the payload is part of them. Grown numbers of
// contenders that double their capacity depend on where n falls: 1e6 is just below 2^20, the kindest place. Storage that comes
// from the system is in no number of allocations.
#pragma once

#include "../support/memory_use.hpp"
#include "counting_new.hpp"

#include <cstddef>
#include <string>
#include <type_traits>

namespace bench::memory {

inline constexpr std::size_t elements = 1'000'000;

enum class What { bytes, peak, allocations };

// A contender has size().
template <class C>
Measured fill(benchmark::State& state, What what, bool reserved) {
    using T = typename C::value_type;
    const ValueTable<T>& table = values<T>();
    std::size_t size = 0;
    for (auto _ : state) {
        const MemoryUse<C> use;
        counts.peak = counts.bytes;
        const Counts before = counts;
        C contender;
        if constexpr (can_reserve<C>) {
            if (reserved) contender.reserve(elements);
        }
        for (std::size_t i = 0; i < elements; ++i) benchmark::DoNotOptimize(contender.insert(table[i]));
        const std::size_t bytes = what == What::bytes ? use.bytes() : counts.peak - before.bytes + use.resident();
        size = contender.size();
        report_value(state, what == What::allocations ? static_cast<double>(counts.calls - before.calls)
                                                      : static_cast<double>(bytes) / static_cast<double>(elements));
    }
    return {elements, size};
}

template <template <class> class Contender>
SLOTWISE_BENCH_PER_FILE void add_contender(const std::string& name, Role role) {
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        using C = Contender<T>;
        const auto add_row = [&](const char* operation, What what, bool reserved) {
            if (what != What::allocations && malloc_bytes() == 0) return; // a C library that does not tell
            add({operation, sizeof(T), elements}, name, role, 1,
                [what, reserved](benchmark::State& state) { return fill<C>(state, what, reserved); });
        };
        add_row("memory_grown", What::bytes, false);
        add_row("peak_grown", What::peak, false);
        add_row("allocations_grown", What::allocations, false);
        if constexpr (can_reserve<C>) {
            add_row("memory_reserved", What::bytes, true);
            add_row("allocations_reserved", What::allocations, true);
        }
    };
    for_each_element_type(add_type);
}

} // namespace bench::memory
