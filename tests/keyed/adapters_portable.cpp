// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PortableHashIndex does what is asked of every index policy.
#include <slotwise/keyed/hash_index.hpp>

namespace {

struct OverPortable {
    template <class Allocator>
    using index = slotwise::PortableHashIndex<Allocator>;
};

} // namespace

#define TESTED_INDEX OverPortable
#include "adapters.hpp"
