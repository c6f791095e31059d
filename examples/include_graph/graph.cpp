// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "graph.hpp"

#include "components.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace include_graph {
namespace {

class Stopwatch {
public:
    [[nodiscard]] double microseconds() const {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

std::string_view folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// folder/name without "." and ".." parts.
std::string joined(std::string_view folder, std::string_view name) {
    std::string path(folder);
    if (!path.ends_with('/')) path += '/';
    path += name;
    const bool plain = name.find("./") == std::string_view::npos && name.find("//") == std::string_view::npos;
    return plain ? path : std::filesystem::path(path).lexically_normal().generic_string();
}

template <class T>
void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

IncludeGraph::IncludeGraph(std::vector<std::string> roots, Aliases aliases)
    : roots_(std::move(roots)), aliases_(std::move(aliases)) {
    paths_.attach_to(files_);
}

const std::string& IncludeGraph::path(FileHandle handle) const {
    static const std::string none;
    const std::string* const path = paths_.id_of(handle);
    return path == nullptr ? none : *path;
}

//=== changes ===//

FileHandle IncludeGraph::add(const std::string& path, std::string_view text) {
    if (const FileHandle known = find(path)) {
        edit(known, text);
        return known;
    }
    const FileHandle handle = files_.emplace();
    paths_.insert(path, handle);
    File& file = files_[handle];
    file.content.set(content_hash(text));
    file.facts.set(read_facts(text));
    watch(handle, file.facts.get(), nullptr);
    resolve_again(handle);
    resolve_watchers_again(path);
    order_due_ = true;
    return handle;
}

bool IncludeGraph::edit(FileHandle handle, std::string_view text) {
    File* const file = files_.get(handle);
    if (file == nullptr || !file->content.set(content_hash(text))) return false;
    Facts facts = read_facts(text);
    if (facts.directives != file->facts->directives) {
        watch(handle, facts, &file->facts.get());
        resolve_again(handle);
    }
    return file->facts.set(std::move(facts));
}

bool IncludeGraph::remove(FileHandle handle) {
    if (!files_.contains(handle)) return false;
    const std::string gone = path(handle);
    files_.erase(handle); // paths_ drops its entry by itself
    resolve_watchers_again(gone);
    order_due_ = true;
    return true;
}

//=== resolving: directive -> file ===//

/// Notes that a file has directives that end in these names; those it had before are known already.
void IncludeGraph::watch(FileHandle handle, const Facts& facts, const Facts* before) {
    std::vector<std::string_view> names;
    for (const Directive& directive : facts.directives) {
        const auto same_name = [&](const Directive& old) { return old.name == directive.name; };
        const bool known = before != nullptr && std::any_of(before->directives.begin(), before->directives.end(), same_name);
        if (directive.spelling != Spelling::macro && !known) names.push_back(last_part(directive.name));
    }
    sort_unique(names);
    for (const std::string_view name : names) watchers_[std::string(name)].push_back(handle);
}

void IncludeGraph::resolve_again(FileHandle handle) {
    File& file = files_[handle];
    if (file.resolve_due) return;
    file.resolve_due = true;
    pending_.push_back(handle);
}

/// A file was added or removed: a name like it may now mean another file, or none.
void IncludeGraph::resolve_watchers_again(std::string_view path) {
    const auto found = watchers_.find(std::string(last_part(path)));
    if (found == watchers_.end()) return;
    std::erase_if(found->second, [this](FileHandle watcher) { return !files_.contains(watcher); });
    for (const FileHandle watcher : found->second) resolve_again(watcher);
}

std::size_t IncludeGraph::resolve_pending() {
    std::size_t resolved = 0;
    for (const FileHandle handle : pending_) {
        File* const file = files_.get(handle);
        if (file == nullptr) continue; // removed since
        resolve(handle, *file);
        ++resolved;
    }
    pending_.clear();
    return resolved;
}

void IncludeGraph::resolve(FileHandle handle, File& file) {
    const std::string& from = path(handle);
    std::vector<FileHandle> includes;
    file.outside = 0;
    file.by_macro = 0;
    for (const Directive& directive : file.facts->directives) {
        if (directive.spelling == Spelling::macro) {
            ++file.by_macro;
        } else if (const FileHandle target = target_of(from, directive)) {
            includes.push_back(target);
        } else {
            ++file.outside;
        }
    }
    sort_unique(includes);
    file.resolve_due = false;
    if (file.includes.set(std::move(includes))) order_due_ = true;
}

/// Quotes: beside the including file, then the roots. Angles: the roots.
FileHandle IncludeGraph::target_of(const std::string& from, const Directive& directive) const {
    const std::filesystem::path name(directive.name);
    if (name.is_absolute()) return look_up(name.lexically_normal().generic_string());
    if (directive.spelling == Spelling::quote && !directive.next) {
        if (const FileHandle beside = look_up(joined(folder_of(from), directive.name))) return beside;
    }
    for (std::size_t at = directive.next ? root_behind(from) : 0; at < roots_.size(); ++at) {
        if (const FileHandle found = look_up(joined(roots_[at], directive.name))) return found;
    }
    return {};
}

/// The file of a path, also when the path leads through a link.
FileHandle IncludeGraph::look_up(const std::string& path) const {
    if (const FileHandle found = find(path)) return found;
    if (aliases_.empty()) return {};
    std::string real = path;
    for (int links = 0; links < 8; ++links) { // links may lead to links, but not for ever
        std::size_t end = real.size();
        auto alias = aliases_.find(real);
        while (alias == aliases_.end()) {
            end = end == 0 ? std::string::npos : real.rfind('/', end - 1);
            if (end == std::string::npos) return {};
            alias = aliases_.find(real.substr(0, end));
        }
        real.replace(0, end, alias->second);
        if (const FileHandle found = find(real)) return found;
    }
    return {};
}

/// Where #include_next goes on: behind the innermost root that holds the including file.
std::size_t IncludeGraph::root_behind(std::string_view path) const {
    std::size_t behind = 0;
    std::size_t longest = 0;
    for (std::size_t at = 0; at < roots_.size(); ++at) {
        const std::string& root = roots_[at];
        if (root.size() > longest && is_within(path, root)) {
            longest = root.size();
            behind = at + 1;
        }
    }
    return behind;
}

//=== ordering: files -> groups ===//

void IncludeGraph::order_groups() {
    ++orderings_;
    order_.clear();
    for_each_component(
        files_, [](const File& file) -> const std::vector<FileHandle>& { return file.includes.get(); },
        [this](const std::vector<FileHandle>& members) {
            const GroupHandle handle = group_for(members);
            groups_[handle].seen_in_order = orderings_;
            order_.push_back(handle);
        });
    groups_.erase_if([this](const Group& group) { return group.seen_in_order != orderings_; });
    order_due_ = false;
}

/// The group of exactly these files: the one they already form, or a new one. Keeping groups that are the same keeps their
/// costs; a group whose members have changed goes, and its handle goes stale in all who have computed with it.
GroupHandle IncludeGraph::group_for(const std::vector<FileHandle>& members) {
    const GroupHandle old = files_[members.front()].group;
    const Group* const group = groups_.get(old);
    const auto is_in_old = [&](FileHandle member) { return files_[member].group == old; };
    if (group != nullptr && group->members.size() == members.size() && std::all_of(members.begin(), members.end(), is_in_old)) {
        return old;
    }
    const GroupHandle handle = groups_.emplace();
    groups_[handle].members = members;
    for (const FileHandle member : members) files_[member].group = handle;
    return handle;
}

//=== computing: groups -> costs ===//

/// The gate. Integers only: no set, no list and no text is looked at.
bool IncludeGraph::is_outdated(const Group& group, std::size_t& marks_compared) const {
    if (group.own.empty()) return true; // never computed
    for (const Group::Own& input : group.own) {
        marks_compared += 2;
        const File& file = files_[input.file];
        if (file.facts.changed_since(input.facts) || file.includes.changed_since(input.includes)) return true;
    }
    for (const Group::Below& input : group.below) {
        ++marks_compared;
        const Group* const below = groups_.get(input.group);
        if (below == nullptr || below->cost.changed_since(input.cost)) return true;
    }
    return false;
}

/// The cost of a group out of its members' facts and the costs of the groups right below it, which are up to date.
void IncludeGraph::recompute(GroupHandle handle) {
    Group& group = groups_[handle];
    group.own.clear();
    group.below.clear();
    ++stamp_;
    Cost cost;
    const auto read_once = [&](FileHandle file) {
        if (file.index() >= stamps_.size())
            stamps_.resize(std::max<std::size_t>(file.index() + std::size_t{1}, stamps_.size() * 2));
        std::uint64_t& stamp = stamps_[file.index()];
        if (stamp == stamp_) return;
        stamp = stamp_;
        const Facts& facts = files_[file].facts.get();
        cost.reach.push_back(file);
        cost.lines += facts.lines;
        cost.bytes += facts.bytes;
    };

    std::vector<GroupHandle> below;
    for (const FileHandle member : group.members) {
        const File& file = files_[member];
        group.own.push_back({member, file.facts.mark(), file.includes.mark()});
        read_once(member);
        for (const FileHandle target : file.includes.get()) below.push_back(files_[target].group);
    }
    sort_unique(below);
    for (const GroupHandle under : below) {
        if (under == handle) continue;
        const slotwise::Versioned<Cost>& input = groups_[under].cost;
        group.below.push_back({under, input.mark()});
        for (const FileHandle file : input->reach) read_once(file);
        cost.depth = std::max(cost.depth, input->depth + 1);
    }
    std::sort(cost.reach.begin(), cost.reach.end());
    group.cost.set(std::move(cost)); // moves the mark only when something came out differently
}

Pass IncludeGraph::refresh() {
    const Stopwatch stopwatch;
    Pass pass;
    pass.files_resolved = resolve_pending();
    pass.ordered = order_due_;
    if (order_due_) order_groups();
    for (const GroupHandle handle : order_) {
        if (!is_outdated(groups_[handle], pass.marks_compared)) continue;
        recompute(handle);
        pass.files_recomputed += groups_[handle].members.size();
    }
    pass.microseconds = stopwatch.microseconds();
    return pass;
}

Pass IncludeGraph::rebuild() {
    const Stopwatch stopwatch;
    for (const FileHandle handle : files_.handles()) resolve_again(handle);
    groups_.clear();
    order_due_ = true;
    Pass pass = refresh();
    pass.microseconds = stopwatch.microseconds();
    return pass;
}

} // namespace include_graph
