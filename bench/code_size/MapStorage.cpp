// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// ours
#include "workload.hpp"

#include <slotwise/keyed/map_storage.hpp>

template struct bench::code_size::KeyedFunctions<slotwise::MapStorage<std::uint64_t, std::uint64_t>>;
