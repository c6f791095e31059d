// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A day of work on the files of a graph, in memory: edits, deletions, restored files. Counts what it cost and what was wrong.

#pragma once

#include "graph.hpp"

#include <slotwise/map/sparse_secondary_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace include_graph {

enum class EditKind : std::uint8_t {
    touch,  ///< saved without a change: nothing is computed
    reword, ///< a comment changes, no size does: the file is read again, nothing is computed
    grow,   ///< a line more: only readers of the file are recomputed
    link,   ///< one more include, now and then one that closes a cycle
    unlink  ///< the first include goes
};
inline constexpr std::size_t edit_kinds = 5;

struct EditTotals {
    std::size_t edits = 0;
    std::size_t recomputed = 0;
    std::size_t most_recomputed = 0;
    std::size_t marks_compared = 0;
    double microseconds = 0; ///< of refresh() alone, as for a full pass
};

struct DeletionTotals {
    std::size_t erased = 0;
    std::size_t stale = 0; ///< handles of the ledger that do not resolve any more
    std::size_t restored = 0;
    std::size_t slots_reused = 0; ///< restored files that live in the slot of a deleted one
    std::size_t still_stale = 0;  ///< stale handles that still do not resolve after that
    Pass without;                 ///< the pass after the deletions
    Pass again;                   ///< the pass after restoring
};

class Simulation {
public:
    Simulation(IncludeGraph& graph, Troubles& troubles, std::uint32_t seed);

    /// Edits `count` files, one after the other, each followed by a refresh() whose extent is checked.
    void edit_files(std::size_t count);

    /// Deletes a part of the files, then restores them under the same paths with the same texts.
    void delete_and_restore();

    [[nodiscard]] const EditTotals& edits(EditKind kind) const { return edits_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const DeletionTotals& deletions() const { return deletions_; }
    /// What did not come out as it must, in words; empty when all is well.
    [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

private:
    struct Chosen {
        FileHandle handle;
        std::string path;
        std::string text;
    };
    [[nodiscard]] FileHandle any_file();
    [[nodiscard]] std::vector<Chosen> choose_files();
    [[nodiscard]] std::optional<std::string> text_of(FileHandle handle);
    [[nodiscard]] std::string edited(EditKind kind, std::string text);
    void edit_one(EditKind kind);
    void expect(bool holds, std::string_view promise);

    IncludeGraph& graph_;
    Troubles& troubles_;
    std::mt19937 random_;
    std::vector<FileHandle> ledger_; // every handle given out so far, stale ones too
    // Texts that differ from the disk. Watches the files: a deleted file's text goes with it.
    slotwise::SparseSecondaryMap<FileHandle, std::string> edited_;
    std::array<EditTotals, edit_kinds> edits_{};
    DeletionTotals deletions_;
    std::vector<std::string> failures_;
};

} // namespace include_graph
