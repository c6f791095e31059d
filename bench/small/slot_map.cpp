// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// ours
#include "types.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

struct Contender {
    template <class T>
    static std::uint64_t run(std::uint64_t key) {
        return bench::small::use<slotwise::SlotMap<T>, T>(key);
    }
};

} // namespace

std::uint64_t run_all(std::uint64_t key) { return bench::small::run_all<Contender>(key, bench::small::types); }
