// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what do notifications cost?
//
// observe   n live elements of 16 bytes in a SlotMap; erase one at random, insert one; time per pair
//
// no_observers      the same code with the question "is anybody attached?" compiled out
// none_attached     a SlotMap as it comes: one branch
// column_by_hand    a second array that the caller writes
// static_column     a ValueArray named as template argument, called inline
// dynamic_column    the same column attached at run time, called virtually
// dynamic_observer  an observer that counts, attached at run time
#pragma once

#include "../support/contender.hpp"
#include "../support/sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench::observers {

inline constexpr std::size_t sizes[] = {1'000, 100'000};
inline constexpr std::size_t pairs = 100'000;

// Setup holds a map and its observers: setup.map. seen() is called at the end and must be true.
template <class Setup>
void add_contender(const std::string& name, Role role) {
    for (const std::size_t n : sizes) {
        add({"observe", sizeof(Element16), n}, name, role, 10, [n](benchmark::State& state) {
            Setup setup;
            using Handle = decltype(setup.map.insert(values<Element16>()[0]));
            std::vector<Handle> handles;
            for (std::size_t i = 0; i < n; ++i) handles.push_back(setup.map.insert(values<Element16>()[i]));
            const std::vector<std::uint32_t> positions = random_positions(pairs, n, 7);
            timed_batches(
                state, [] {}, [&] { churn(setup.map, handles.data(), positions.data(), pairs); });
            if (!setup.seen(n)) state.SkipWithError("the observer was not told");
            std::uint64_t sum = setup.map.size();
            for (const Handle handle : handles) sum += setup.map[handle].field;
            return Measured{pairs, sum};
        });
    }
}

} // namespace bench::observers
