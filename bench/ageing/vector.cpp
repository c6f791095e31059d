// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The survivors, packed in the order of their insertion: no age shows.
#include "workload.hpp"

#include "../support/vector.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    ageing::add_contender<Vector>("vector", Role::limit, ageing::iterate_rows);
    ageing::add_contender<Vector>("vector_unchecked", Role::limit, ageing::lookup_rows);
});

} // namespace
