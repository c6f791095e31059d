// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What include_graph prints, and the Graphviz file it writes.

#pragma once

#include "simulation.hpp"
#include "survey.hpp"

#include <iosfwd>
#include <string>

namespace include_graph {

struct ScanTimes {
    std::size_t directories = 0;
    double milliseconds = 0; ///< listing, reading and lexing
};

/// The path without the first root: what a person would call the file.
[[nodiscard]] std::string short_name(const IncludeGraph& graph, FileHandle handle);

void print_scan(std::ostream& out, const IncludeGraph& graph, const Troubles& troubles, const ScanTimes& times);
void print_survey(std::ostream& out, const IncludeGraph& graph, const Survey& survey);
/// @param first the pass that made the graph @param rebuilt a full pass over the finished one
void print_simulation(std::ostream& out, const Simulation& simulation, const Pass& first, const Pass& rebuilt);

/// The graph in the DOT language; files in cycles stand out. Labels are escaped.
void write_dot(std::ostream& out, const IncludeGraph& graph);

} // namespace include_graph
