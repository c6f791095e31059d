// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include <slotwise/core/hash.hpp>

#include <unordered_map>

template struct bench::code_size::KeyedFunctions<
    std::unordered_map<std::uint64_t, std::uint64_t, slotwise::DefaultHash<std::uint64_t>>>;
