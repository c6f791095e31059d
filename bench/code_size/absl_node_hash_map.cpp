// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include <slotwise/core/hash.hpp>

#include <absl/container/node_hash_map.h>

template struct bench::code_size::KeyedFunctions<
    absl::node_hash_map<std::uint64_t, std::uint64_t, slotwise::DefaultHash<std::uint64_t>>>;
