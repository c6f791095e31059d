// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The include graph: files and groups in two slot maps that point at each other with handles, and a cost for
// each group that is kept up to date by comparing integers.

#pragma once

#include "facts.hpp"
#include "scan.hpp"

#include <slotwise/core/versioned.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace include_graph {

struct File;
struct Group;
using Files = slotwise::SlotMap<File>;
using Groups = slotwise::SlotMap<Group>;
using FileHandle = slotwise::HandleOf<Files>; // both maps are of incomplete elements here
using GroupHandle = slotwise::HandleOf<Groups>;
using Mark = slotwise::change_t;

/// One source file. Three stages, each with its own change counter: an edit that a stage does not notice goes no further.
struct File {
    slotwise::Versioned<std::uint64_t> content;            ///< hash of the text
    slotwise::Versioned<Facts> facts;                      ///< derived from the text
    slotwise::Versioned<std::vector<FileHandle>> includes; ///< derived from the facts and the set of files; sorted
    std::uint32_t outside = 0;                             ///< directives that lead to no known file
    std::uint32_t by_macro = 0;                            ///< directives that only a preprocessor could resolve
    bool resolve_due = false;
    GroupHandle group;
};

/// What including a file costs a compiler, each file being read once (include guards).
/// Sets of handles, not of slots: when a file goes and another one takes its slot, a set of slots would look unchanged.
struct Cost {
    std::vector<FileHandle> reach; ///< every file that is read, itself included; sorted
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::uint32_t depth = 0; ///< steps of the longest chain of includes from here; a cycle counts as one place

    friend bool operator==(const Cost&, const Cost&) = default;
};

/// Files that include each other, directly or in a circle; most groups hold one file. All members cost the same.
struct Group {
    /// The inputs of the last computation. A mark alone may repeat when a group is replaced by another one that has changed
    /// as often; handle and mark together never do.
    struct Own {
        FileHandle file;
        Mark facts;
        Mark includes;
    };
    struct Below {
        GroupHandle group;
        Mark cost;
    };

    std::vector<FileHandle> members;
    slotwise::Versioned<Cost> cost;
    std::vector<Own> own;
    std::vector<Below> below;
    std::uint64_t seen_in_order = 0; ///< the ordering that has confirmed this group
};

/// What one refresh() or rebuild() had to do.
struct Pass {
    std::size_t files_resolved = 0; ///< whose directives were looked up again
    bool ordered = false;           ///< whether the groups had to be found again
    std::size_t marks_compared = 0;
    std::size_t files_recomputed = 0;
    double microseconds = 0;
};

class IncludeGraph {
public:
    /// @param roots canonical directories, searched in this order
    IncludeGraph(std::vector<std::string> roots, Aliases aliases);
    IncludeGraph(const IncludeGraph&) = delete; // the identity map watches this graph's files
    IncludeGraph& operator=(const IncludeGraph&) = delete;
    ~IncludeGraph() = default;

    /// Adds a file under its absolute path. When the path is known this is an edit of that file.
    FileHandle add(const std::string& path, std::string_view text);

    /// Gives a file a new text; nothing is recomputed before the next refresh().
    /// @return true when its facts have changed; false when not, or when the handle is stale
    bool edit(FileHandle handle, std::string_view text);

    /// Removes a file. Whoever includes it is resolved again by the next refresh().
    /// @return false when the handle is stale
    bool remove(FileHandle handle);

    /// Brings every cost up to date and recomputes only what an edit, an addition or a removal has affected.
    Pass refresh();

    /// Forgets every derived value but the facts and computes all of them again.
    Pass rebuild();

    /// Keeps a column of the caller's in step with the files: what it holds for a file goes when the file goes.
    template <class Column>
    void keep_in_step(Column& column) {
        column.attach_to(files_);
    }

    [[nodiscard]] const Files& files() const { return files_; }
    [[nodiscard]] const Groups& groups() const { return groups_; }
    /// The groups so that each stands behind those it includes.
    [[nodiscard]] const std::vector<GroupHandle>& order() const { return order_; }
    [[nodiscard]] const std::vector<std::string>& roots() const { return roots_; }

    /// The file of this path, null when there is none.
    [[nodiscard]] FileHandle find(const std::string& path) const { return paths_.handle_of(path); }
    /// The path of a file, empty when the handle is stale.
    [[nodiscard]] const std::string& path(FileHandle handle) const;
    /// @pre the handle is live and refresh() was called since the last change
    [[nodiscard]] const Cost& cost(FileHandle handle) const { return groups_[files_[handle].group].cost.get(); }

private:
    void watch(FileHandle handle, const Facts& facts, const Facts* before);
    void resolve_again(FileHandle handle);
    void resolve_watchers_again(std::string_view path);
    std::size_t resolve_pending();
    void resolve(FileHandle handle, File& file);
    [[nodiscard]] FileHandle target_of(const std::string& from, const Directive& directive) const;
    [[nodiscard]] FileHandle look_up(const std::string& path) const;
    [[nodiscard]] std::size_t root_behind(std::string_view path) const;

    void order_groups();
    [[nodiscard]] GroupHandle group_for(const std::vector<FileHandle>& members);
    [[nodiscard]] bool is_outdated(const Group& group, std::size_t& marks_compared) const;
    void recompute(GroupHandle handle);

    std::vector<std::string> roots_;
    Aliases aliases_;
    Files files_;
    Groups groups_;
    slotwise::IdentityMap<std::string, FileHandle> paths_; // declared behind files_, which it observes

    // Last part of a path -> files with a directive that ends in it. Nobody takes out the files that are removed: their
    // handles go stale and are dropped when met.
    std::unordered_map<std::string, std::vector<FileHandle>> watchers_;
    std::vector<FileHandle> pending_;
    std::vector<GroupHandle> order_;
    std::vector<std::uint64_t> stamps_; // by slot of a file: the recomputation that has seen it last
    std::uint64_t stamp_ = 0;
    std::uint64_t orderings_ = 0;
    bool order_due_ = false;
};

} // namespace include_graph
