// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/plain_arrays.hpp"

namespace {

using namespace bench;

const Registered registered([] { memory::add_contender<PlainArrays>("plain_arrays", Role::rival); });

} // namespace
