// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowGraph with polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_GRAPH_PMR_HPP
#define SLOTWISE_GRAPH_PMR_HPP

#include "dataflow_graph.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

namespace pmr {

/// DataflowGraph with memory from a std::pmr::memory_resource.
template <class Node, class Value, class Equal = EqualTo>
using DataflowGraph = slotwise::DataflowGraph<Node, Value, Equal, AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;

} // namespace pmr
SLOTWISE_END

#endif
