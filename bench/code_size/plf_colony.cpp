// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include "../support/hive.hpp"

template struct bench::code_size::Functions<bench::Colony<bench::Element16>>;
