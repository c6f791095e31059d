// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BoostIndex does what is asked of every index policy, where <boost/unordered/unordered_flat_set.hpp> is installed.
#if __has_include(<boost/unordered/unordered_flat_set.hpp>)
#include <slotwise/keyed/boost_index.hpp>

namespace {

struct OverBoost {
    template <class Allocator>
    using index = slotwise::BoostIndex<Allocator>;
};

} // namespace

#define TESTED_INDEX OverBoost
#include "adapters.hpp"
#endif
