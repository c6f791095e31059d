// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "survey.hpp"

#include <algorithm>
#include <utility>

namespace include_graph {
namespace {

/// Visits every file reachable from `start`, nearest first, each once. visit(file, came_from) returns false to stop.
class Search {
public:
    explicit Search(const IncludeGraph& graph) : graph_(graph) {}

    template <class Visit>
    void run(FileHandle start, Visit visit) {
        ++run_;
        waiting_.clear();
        reach(start);
        for (std::size_t at = 0; at < waiting_.size(); ++at) {
            const FileHandle from = waiting_[at];
            for (const FileHandle to : graph_.files()[from].includes.get()) {
                if (!visit(to, from)) return;
                reach(to);
            }
        }
    }

    /// What the last run has reached, its start first.
    [[nodiscard]] const std::vector<FileHandle>& reached() const { return waiting_; }

private:
    void reach(FileHandle file) {
        if (file.index() >= seen_.size()) seen_.resize(std::max<std::size_t>(file.index() + std::size_t{1}, seen_.size() * 2));
        if (std::exchange(seen_[file.index()], run_) != run_) waiting_.push_back(file);
    }

    const IncludeGraph& graph_;
    std::vector<FileHandle> waiting_;
    std::vector<std::uint64_t> seen_; // by slot: the run that reached it last
    std::uint64_t run_ = 0;
};

} // namespace

Survey survey(const IncludeGraph& graph) {
    Survey result;
    const auto& files = graph.files();
    for (const auto& [handle, file] : files.items()) {
        result.lines += file.facts->lines;
        result.bytes += file.facts->bytes;
        result.edges += file.includes->size();
        result.outside += file.outside;
        result.by_macro += file.by_macro;
        if (std::binary_search(file.includes->begin(), file.includes->end(), handle)) ++result.self_includes;
        if (result.heaviest.is_null() || graph.cost(handle).lines > graph.cost(result.heaviest).lines) result.heaviest = handle;
    }
    const auto& groups = graph.groups();
    for (const auto& [handle, group] : groups.items()) {
        if (group.members.size() > 1) {
            result.cycles.push_back(handle);
            result.files_in_cycles += group.members.size();
        }
        if (result.deepest.is_null() || group.cost->depth > groups[result.deepest].cost->depth) result.deepest = handle;
    }
    std::stable_sort(result.cycles.begin(), result.cycles.end(),
                     [&](GroupHandle a, GroupHandle b) { return groups[a].members.size() > groups[b].members.size(); });
    return result;
}

std::vector<FileHandle> chain_from(const IncludeGraph& graph, GroupHandle top) {
    const auto& groups = graph.groups();
    std::vector<FileHandle> chain;
    for (GroupHandle at = top; groups.contains(at);) {
        const Group& group = groups[at];
        chain.push_back(group.members.front());
        const std::uint32_t depth = group.cost->depth;
        const auto next = std::find_if(group.below.begin(), group.below.end(),
                                       [&](const Group::Below& input) { return groups[input.group].cost->depth + 1 == depth; });
        at = next == group.below.end() ? GroupHandle() : next->group;
    }
    return chain;
}

std::vector<FileHandle> shortest_cycle(const IncludeGraph& graph, const Group& group) {
    const FileHandle start = group.members.front();
    std::unordered_map<FileHandle, FileHandle> came_from;
    FileHandle last;
    Search(graph).run(start, [&](FileHandle to, FileHandle from) {
        if (to == start && from != start) last = from;
        if (to != start) came_from.try_emplace(to, from);
        return last.is_null();
    });
    std::vector<FileHandle> cycle{start};
    for (FileHandle at = last; !at.is_null() && at != start; at = came_from[at]) cycle.push_back(at);
    std::reverse(cycle.begin() + 1, cycle.end());
    return cycle;
}

std::vector<FileHandle> dependents(const IncludeGraph& graph, FileHandle handle) {
    std::vector<FileHandle> result;
    for (const Group& group : graph.groups()) {
        if (std::binary_search(group.cost->reach.begin(), group.cost->reach.end(), handle)) {
            result.insert(result.end(), group.members.begin(), group.members.end());
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::size_t wrong_costs(const IncludeGraph& graph) {
    Search search(graph);
    std::size_t wrong = 0;
    for (const FileHandle handle : graph.files().handles()) {
        search.run(handle, [](FileHandle, FileHandle) { return true; });
        std::vector<FileHandle> reach = search.reached();
        std::sort(reach.begin(), reach.end());
        const Cost& cost = graph.cost(handle);
        std::uint64_t lines = 0;
        std::uint64_t bytes = 0;
        for (const FileHandle file : reach) {
            lines += graph.files()[file].facts->lines;
            bytes += graph.files()[file].facts->bytes;
        }
        if (reach != cost.reach || lines != cost.lines || bytes != cost.bytes) ++wrong;
    }
    return wrong;
}

Rebuilt rebuild_and_compare(IncludeGraph& graph) {
    struct Before {
        FileHandle file;
        std::vector<FileHandle> includes;
        Cost cost;
    };
    std::vector<Before> all;
    for (const auto& [handle, file] : graph.files().items()) all.push_back({handle, file.includes.get(), graph.cost(handle)});
    Rebuilt result;
    result.pass = graph.rebuild();
    result.different = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Before& before) {
        return graph.files()[before.file].includes.get() != before.includes || graph.cost(before.file) != before.cost;
    }));
    return result;
}

} // namespace include_graph
