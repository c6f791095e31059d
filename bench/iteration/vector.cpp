// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The limit: the live elements, or their summed field, packed.
#include "workload.hpp"

#include "../support/vector.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    iteration::add_contender<Vector>("vector.dense", Role::limit);
    iteration::add_contender<FieldVector>("vector_of_field.dense", Role::limit);
});

} // namespace
