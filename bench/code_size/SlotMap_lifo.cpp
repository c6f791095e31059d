// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// ours
#include "workload.hpp"

#include "../support/slot_map.hpp"

template struct bench::code_size::Functions<bench::SlotMapLifo<bench::Element16>>;
