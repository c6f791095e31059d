// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// absl::flat_hash_map: open addressing, groups of slots compared at once; its elements move when it grows. absl::node_hash_map:
// the same with every element in a node of its own, so that it never moves.
#if SLOTWISE_BENCH_HAS_ABSEIL

#include "standard_map.hpp"

#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>

#include <functional>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using FlatHashMap = keyed::StandardMap<
    Kind, absl::flat_hash_map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                              Allocator<std::pair<const typename Kind::Key, keyed::Value>>>>;
template <class Kind, template <class> class Allocator>
using NodeHashMap = keyed::StandardMap<
    Kind, absl::node_hash_map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                              Allocator<std::pair<const typename Kind::Key, keyed::Value>>>>;

const Registered registered([] {
    keyed::add_contender<FlatHashMap>("absl_flat_hash_map", Role::rival);
    keyed::add_contender<NodeHashMap>("absl_node_hash_map", Role::rival);
});

} // namespace

#endif
