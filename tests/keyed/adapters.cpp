// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HashIndex does what is asked of every index policy.
#include <slotwise/keyed/hash_index.hpp>

namespace {

struct OverHash {
    template <class Allocator>
    using index = slotwise::HashIndex<Allocator>;
};

} // namespace

#define TESTED_INDEX OverHash
#include "adapters.hpp"
