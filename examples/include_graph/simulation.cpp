// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "simulation.hpp"

#include "survey.hpp"

#include <algorithm>

namespace include_graph {
namespace {

/// Changes one blank in a comment. A text without a fitting comment stays as it is; the edit is then one more touch.
std::string reworded(std::string text) {
    const std::size_t end = text.rfind("*/");
    if (end == std::string::npos || end == 0) return text;
    char& blank = text[end - 1];
    if (blank == ' ') {
        blank = '\t';
    } else if (blank == '\t') {
        blank = ' ';
    }
    return text;
}

/// Takes out the first line that is an include directive.
std::string without_first_include(std::string text) {
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size() - 1);
        const std::string_view line(text.data() + start, end - start);
        const std::size_t hash = line.find_first_not_of(" \t");
        if (hash != std::string_view::npos && line[hash] == '#' && line.find("include", hash) != std::string_view::npos) {
            return text.erase(start, end + 1 - start);
        }
        start = end + 1;
    }
    return text;
}

/// What must be the same before files are deleted and after they were restored. Handles may differ, so none is kept.
struct Summary {
    std::size_t files = 0;
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::uint32_t depth = 0;
    friend bool operator==(const Summary&, const Summary&) = default;
};

std::vector<std::pair<std::string, Summary>> summary_of(const IncludeGraph& graph) {
    std::vector<std::pair<std::string, Summary>> all;
    for (const FileHandle handle : graph.files().handles()) {
        const Cost& cost = graph.cost(handle);
        all.emplace_back(graph.path(handle), Summary{cost.reach.size(), cost.lines, cost.bytes, cost.depth});
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
}

} // namespace

Simulation::Simulation(IncludeGraph& graph, Troubles& troubles, std::uint32_t seed)
    : graph_(graph), troubles_(troubles), random_(seed) {
    for (const FileHandle handle : graph.files().handles()) ledger_.push_back(handle);
    graph.keep_in_step(edited_);
}

FileHandle Simulation::any_file() {
    // Nothing is deleted while files are edited, so most tries hit; a plain remainder keeps runs the same everywhere.
    for (;;) {
        const FileHandle handle = ledger_[random_() % ledger_.size()];
        if (graph_.files().contains(handle)) return handle;
    }
}

/// The edited text, or the one on the disk; nothing when the file has gone in the meantime.
std::optional<std::string> Simulation::text_of(FileHandle handle) {
    if (const std::string* text = edited_.get(handle)) return *text;
    return read_source(graph_.path(handle), troubles_);
}

std::string Simulation::edited(EditKind kind, std::string text) {
    switch (kind) {
    case EditKind::touch:
        return text;
    case EditKind::reword:
        return reworded(std::move(text));
    case EditKind::grow:
        return std::move(text) + "\n// one more line\n";
    case EditKind::link:
        return "#include \"" + graph_.path(any_file()) + "\"\n" + text;
    case EditKind::unlink:
        return without_first_include(std::move(text));
    }
    return text;
}

void Simulation::expect(bool holds, std::string_view promise) {
    if (!holds) failures_.emplace_back(promise);
}

void Simulation::edit_one(EditKind kind) {
    const FileHandle handle = any_file();
    std::optional<std::string> text = text_of(handle);
    if (!text) return;
    if (graph_.edit(handle, *text)) graph_.refresh(); // somebody else has changed it on the disk since the scan
    std::vector<FileHandle> affected = dependents(graph_, handle);
    std::string now = edited(kind, std::move(*text));
    const bool noticed = graph_.edit(handle, now);
    const Pass pass = graph_.refresh();
    edited_.insert(handle, std::move(now));

    EditTotals& totals = edits_[static_cast<std::size_t>(kind)];
    ++totals.edits;
    totals.recomputed += pass.files_recomputed;
    totals.most_recomputed = std::max(totals.most_recomputed, pass.files_recomputed);
    totals.marks_compared += pass.marks_compared;
    totals.microseconds += pass.microseconds;

    if (kind == EditKind::touch || kind == EditKind::reword) {
        expect(kind == EditKind::reword || !noticed, "a file saved without a change has changed no fact");
        expect(noticed || pass.files_recomputed == 0, "an edit that changes no fact recomputes nothing");
    } else if (kind == EditKind::grow) {
        expect(pass.files_recomputed == affected.size(), "a longer file recomputes those who read it, and nobody else");
    } else {
        // The links have moved: only readers of the file, before or now, may be affected.
        const std::vector<FileHandle> after = dependents(graph_, handle);
        affected.insert(affected.end(), after.begin(), after.end());
        std::sort(affected.begin(), affected.end());
        const auto end = std::unique(affected.begin(), affected.end());
        expect(pass.files_recomputed <= static_cast<std::size_t>(end - affected.begin()),
               "another include recomputes none but those who read the file before or after");
    }
}

void Simulation::edit_files(std::size_t count) {
    for (std::size_t edit = 0; edit < count; ++edit) edit_one(static_cast<EditKind>(edit % edit_kinds));
}

/// A few per cent of the files, with the texts they will be restored from.
std::vector<Simulation::Chosen> Simulation::choose_files() {
    const std::size_t files = graph_.files().size();
    const std::size_t count = std::min({files, files / 50 + 3, std::size_t{200}});
    std::vector<Chosen> chosen;
    // Bounded, because all files may have vanished from the disk meanwhile.
    for (std::size_t tries = 0; chosen.size() < count && tries < 20 * count; ++tries) {
        const FileHandle handle = any_file();
        const auto is_same = [handle](const Chosen& other) { return other.handle == handle; };
        if (std::any_of(chosen.begin(), chosen.end(), is_same)) continue;
        std::optional<std::string> text = text_of(handle);
        if (!text) continue;
        graph_.edit(handle, *text); // somebody else may have changed it on the disk since the scan
        chosen.push_back({handle, graph_.path(handle), std::move(*text)});
    }
    return chosen;
}

void Simulation::delete_and_restore() {
    const std::vector<Chosen> deleted = choose_files();
    graph_.refresh();
    const auto before = summary_of(graph_);
    for (const Chosen& file : deleted) {
        expect(graph_.remove(file.handle), "a live handle can be removed");
        expect(!graph_.remove(file.handle), "a stale handle removes nothing");
    }
    deletions_.erased = deleted.size();
    deletions_.without = graph_.refresh();

    const auto is_stale = [this](FileHandle handle) { return !graph_.files().contains(handle); };
    const auto count_stale = [&] { return static_cast<std::size_t>(std::count_if(ledger_.begin(), ledger_.end(), is_stale)); };
    deletions_.stale = count_stale();
    expect(deletions_.stale == deletions_.erased, "exactly the handles of the deleted files are stale");
    expect(std::all_of(deleted.begin(), deleted.end(),
                       [&](const Chosen& file) {
                           return graph_.files().get(file.handle) == nullptr && graph_.find(file.path).is_null() &&
                                  edited_.get(file.handle) == nullptr;
                       }),
           "a deleted file is found neither by handle nor by path, and its edited text is gone");
    expect(wrong_costs(graph_) == 0, "costs are right without the deleted files");

    const std::size_t ledger_before = ledger_.size();
    for (const Chosen& file : deleted) {
        const FileHandle handle = graph_.add(file.path, file.text);
        ledger_.push_back(handle);
        const auto same_slot = [handle](const Chosen& old) { return old.handle.index() == handle.index(); };
        if (std::any_of(deleted.begin(), deleted.end(), same_slot)) ++deletions_.slots_reused;
        edited_.insert(handle, file.text);
    }
    deletions_.restored = ledger_.size() - ledger_before;
    deletions_.again = graph_.refresh();
    deletions_.still_stale = count_stale();
    expect(deletions_.still_stale == deletions_.stale, "handles stay stale when their slots and paths come back");
    expect(summary_of(graph_) == before, "restoring the deleted files restores every cost");
}

} // namespace include_graph
