// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Questions about a finished graph: cycles, chains, dependents, and a slow answer to check the fast one against.

#pragma once

#include "graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace include_graph {

struct Survey {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::size_t edges = 0;   ///< file includes file, each pair once
    std::size_t outside = 0; ///< directives that lead to no known file
    std::size_t by_macro = 0;
    std::vector<GroupHandle> cycles; ///< groups of several files, largest first
    std::size_t self_includes = 0;   ///< files that include themselves
    std::size_t files_in_cycles = 0;
    GroupHandle deepest;
    FileHandle heaviest; ///< whose cost has the most lines
};

/// @pre refresh() was called since the last change
[[nodiscard]] Survey survey(const IncludeGraph& graph);

/// The longest chain of includes from a group downwards, one file for each place on it.
[[nodiscard]] std::vector<FileHandle> chain_from(const IncludeGraph& graph, GroupHandle top);

/// A shortest way from a member of a group back to itself. @pre the group has several members
[[nodiscard]] std::vector<FileHandle> shortest_cycle(const IncludeGraph& graph, const Group& group);

/// Every file that reads this one, directly or not, and the file itself; sorted.
[[nodiscard]] std::vector<FileHandle> dependents(const IncludeGraph& graph, FileHandle handle);

/// How many files have a cost that differs from what a plain search of the graph gives, which knows of no groups, no order
/// and no marks.
/// @complexity files times edges in the worst case
[[nodiscard]] std::size_t wrong_costs(const IncludeGraph& graph);

/// Rebuilds the graph from its facts and tells how many files have other includes or another cost than before.
struct Rebuilt {
    Pass pass;
    std::size_t different = 0;
};
[[nodiscard]] Rebuilt rebuild_and_compare(IncludeGraph& graph);

} // namespace include_graph
