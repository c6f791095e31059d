// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The include graph seen from further away: a node for each folder, in layers, as a picture.

#pragma once

#include "graph.hpp"

#include <slotwise/map/slot_map.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace include_graph {

struct Folder;
using Folders = slotwise::SlotMap<Folder>;
using FolderHandle = slotwise::HandleOf<Folders>;

/// What stands directly below the first root: a folder with all that is in it, or a single file.
struct Folder {
    std::string name;
    std::size_t files = 0;  ///< all that is in it
    std::size_t nested = 0; ///< those of them that are in folders of this folder
    std::uint64_t lines = 0;
    std::map<FolderHandle, std::size_t> includes; ///< how many pairs of files lead to each other folder
    std::vector<FolderHandle> below;              ///< the keys of includes
    std::size_t layer = 0;                        ///< steps of the longest chain from here; a cycle counts as one place
    std::size_t cycle = 0; ///< the same number for folders that include each other, in a circle or directly
};

/// The folders of a graph with their layers. Files outside of the first root are left out.
/// @pre refresh() was called since the last change
[[nodiscard]] Folders folders_of(const IncludeGraph& graph);

/// How many layers there are, and how many folders include each other in a circle.
struct Layers {
    std::size_t count = 0;
    std::size_t folders_in_cycles = 0;
};
[[nodiscard]] Layers layers_of(const Folders& folders);

/// A picture: each layer above those it includes. A line that other lines imply is left out; includes in a circle are red.
void write_svg(std::ostream& out, const Folders& folders);

} // namespace include_graph
