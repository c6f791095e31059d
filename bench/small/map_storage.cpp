// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// ours
#include "types.hpp"

#include <slotwise/keyed/map_storage.hpp>

namespace {

struct Contender {
    template <class T>
    static std::uint64_t run(std::uint64_t key) {
        return bench::small::use_keyed<slotwise::MapStorage<std::uint64_t, T>, T>(key);
    }
};

} // namespace

std::uint64_t run_all(std::uint64_t key) { return bench::small::run_all<Contender>(key, bench::small::types); }
