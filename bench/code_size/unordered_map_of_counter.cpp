// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include "../support/unordered_map.hpp"

template struct bench::code_size::Functions<bench::UnorderedMap<bench::Element16>>;
