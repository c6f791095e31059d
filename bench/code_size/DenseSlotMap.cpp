// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// ours
#include "workload.hpp"

#include "../support/dense_slot_map.hpp"

template struct bench::code_size::Functions<bench::DenseSlotMap<bench::Element16>>;
