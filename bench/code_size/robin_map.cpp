// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include <slotwise/core/hash.hpp>

#include <tsl/robin_map.h>

template struct bench::code_size::KeyedFunctions<
    tsl::robin_map<std::uint64_t, std::uint64_t, slotwise::DefaultHash<std::uint64_t>>>;
