// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnkerlIndex does what is asked of every index policy, where <ankerl/unordered_dense.h> is installed.
#if __has_include(<ankerl/unordered_dense.h>)
#include <slotwise/keyed/ankerl_index.hpp>

namespace {

struct OverAnkerl {
    template <class Allocator>
    using index = slotwise::AnkerlIndex<Allocator>;
};

} // namespace

#define TESTED_INDEX OverAnkerl
// Its values are a std::vector, whose shrink_to_fit() asks for memory and goes on without it.
#define TESTED_INDEX_KEEPS_MEMORY_IT_CANNOT_SHRINK
// Older ones lose entries when the memory to grow is not there.
#if ANKERL_UNORDERED_DENSE_VERSION_MAJOR * 100 + ANKERL_UNORDERED_DENSE_VERSION_MINOR < 409
#define TESTED_INDEX_LOSES_ENTRIES_WITHOUT_MEMORY
#endif
#include "adapters.hpp"
#endif
