// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "types.hpp"

#include <unordered_map>

namespace {

struct Contender {
    template <class T>
    static std::uint64_t run(std::uint64_t key) {
        return bench::small::use_keyed<std::unordered_map<std::uint64_t, T>, T>(key);
    }
};

} // namespace

std::uint64_t run_all(std::uint64_t key) { return bench::small::run_all<Contender>(key, bench::small::types); }
