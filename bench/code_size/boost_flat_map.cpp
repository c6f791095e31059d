// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include <slotwise/core/hash.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

template struct bench::code_size::KeyedFunctions<
    boost::unordered_flat_map<std::uint64_t, std::uint64_t, slotwise::DefaultHash<std::uint64_t>>>;
