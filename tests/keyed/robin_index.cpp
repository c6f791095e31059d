// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RobinIndex does what is asked of every index policy, where <tsl/robin_set.h> is installed.
#if __has_include(<tsl/robin_set.h>)
#include <slotwise/keyed/robin_index.hpp>

namespace {

struct OverRobin {
    template <class Allocator>
    using index = slotwise::RobinIndex<Allocator>;
};

} // namespace

#define TESTED_INDEX OverRobin
#include "adapters.hpp"
#endif
