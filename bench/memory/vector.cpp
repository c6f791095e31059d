// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/vector.hpp"

namespace {

using namespace bench;

const Registered registered([] { memory::add_contender<Vector>("vector", Role::limit); });

} // namespace
