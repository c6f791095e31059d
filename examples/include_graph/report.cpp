// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "report.hpp"

#include "text.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string_view>

namespace include_graph {
namespace {

constexpr std::size_t longest_list = 40;

constexpr std::array<std::string_view, trouble_kinds> trouble_words = {"binary file",
                                                                       "file over 32 MiB",
                                                                       "unreadable file",
                                                                       "file that vanished",
                                                                       "special file",
                                                                       "broken link",
                                                                       "link to a directory already read",
                                                                       "unreadable directory"};

constexpr std::array<std::string_view, edit_kinds> edit_words = {"saved, unchanged", "comment reworded", "line added",
                                                                 "include added", "include removed"};

/// "  label .......... value", so that a column of numbers can be read and searched.
std::ostream& row(std::ostream& out, std::string_view label) {
    return out << "  " << std::left << std::setw(20) << label << std::right;
}

std::string fixed(double number, int digits) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << number;
    return text.str();
}

double per(double total, std::size_t count) { return count == 0 ? 0.0 : total / static_cast<double>(count); }

/// A list with one file a line, cut in the middle when it is long: both ends say most.
void print_chain(std::ostream& out, const IncludeGraph& graph, const std::vector<FileHandle>& chain) {
    const std::size_t left_out = chain.size() > longest_list + 4 ? chain.size() - longest_list : 0;
    for (std::size_t at = 0; at < chain.size(); ++at) {
        if (left_out > 0 && at == longest_list / 2) {
            out << "      ... " << left_out << " more ...\n";
            at += left_out;
        }
        out << "      " << printable(short_name(graph, chain[at]));
        const std::size_t others = graph.groups()[graph.files()[chain[at]].group].members.size() - 1;
        if (others > 0) out << "  (in a cycle with " << others << " other" << (others == 1 ? "" : "s") << ")";
        out << '\n';
    }
}

void print_biggest_cycle(std::ostream& out, const IncludeGraph& graph, const Survey& survey) {
    if (survey.cycles.empty()) return;
    const Group& biggest = graph.groups()[survey.cycles.front()];
    row(out, "biggest cycle") << biggest.members.size()
                              << " files include each other; the shortest way round from the first:\n";
    for (const FileHandle file : shortest_cycle(graph, biggest)) {
        out << "      " << printable(short_name(graph, file)) << " ->\n";
    }
    out << "      " << printable(short_name(graph, biggest.members.front())) << '\n';
}

} // namespace

std::string short_name(const IncludeGraph& graph, FileHandle handle) {
    const std::string& path = graph.path(handle);
    const std::string& root = graph.roots().front();
    if (path.size() <= root.size() + 1 || !is_within(path, root)) return path;
    return path.substr(root.ends_with('/') ? root.size() : root.size() + 1);
}

void print_scan(std::ostream& out, const IncludeGraph& graph, const Troubles& troubles, const ScanTimes& times) {
    out << "include graph of " << printable(graph.roots().front()) << "\n\n";
    for (std::size_t at = 1; at < graph.roots().size(); ++at) row(out, "also searched") << printable(graph.roots()[at]) << '\n';
    row(out, "directories") << grouped(times.directories) << '\n';
    row(out, "read and lexed in") << fixed(times.milliseconds, 1) << " ms\n";
    for (std::size_t at = 0; at < trouble_kinds; ++at) {
        const auto kind = static_cast<Trouble>(at);
        const std::size_t count = troubles.count(kind);
        if (count == 0) continue;
        row(out, "left out") << grouped(count) << " x " << trouble_words[at] << ", first: " << printable(troubles.first(kind))
                             << '\n';
    }
}

void print_survey(std::ostream& out, const IncludeGraph& graph, const Survey& survey) {
    row(out, "files") << grouped(graph.files().size()) << '\n';
    row(out, "lines") << grouped(survey.lines) << '\n';
    row(out, "bytes") << grouped(survey.bytes) << '\n';
    row(out, "edges") << grouped(survey.edges) << "  (file includes file, each pair once)\n";
    row(out, "unresolved") << grouped(survey.outside + survey.by_macro) << "  (" << grouped(survey.outside) << " external, "
                           << grouped(survey.by_macro) << " by macro)\n";
    const Cost& heaviest = graph.cost(survey.heaviest);
    row(out, "heaviest file") << printable(short_name(graph, survey.heaviest)) << " reads " << grouped(heaviest.reach.size())
                              << " files, " << grouped(heaviest.lines) << " lines, " << grouped(heaviest.bytes) << " bytes\n";
    row(out, "cycles") << grouped(survey.cycles.size()) << "  (" << grouped(survey.files_in_cycles) << " files; "
                       << grouped(survey.self_includes) << " files include themselves)\n";
    print_biggest_cycle(out, graph, survey);
    row(out, "deepest chain") << graph.groups()[survey.deepest].cost->depth << " steps  (a cycle counts as one place)\n";
    print_chain(out, graph, chain_from(graph, survey.deepest));
}

void print_simulation(std::ostream& out, const Simulation& simulation, const Pass& first, const Pass& rebuilt) {
    out << "\n  " << std::left << std::setw(20) << "pass" << std::right << std::setw(8) << "passes" << std::setw(14)
        << "recomputed" << std::setw(10) << "most" << std::setw(12) << "marks" << std::setw(12) << "us\n";
    const auto line = [&out](std::string_view name, const EditTotals& totals) {
        const auto mean = [&totals](std::size_t total) { return fixed(per(static_cast<double>(total), totals.edits), 1); };
        out << "  " << std::left << std::setw(20) << name << std::right << std::setw(8) << totals.edits << std::setw(14)
            << mean(totals.recomputed) << std::setw(10) << totals.most_recomputed << std::setw(12)
            << mean(totals.marks_compared) << std::setw(11) << fixed(per(totals.microseconds, totals.edits), 1) << '\n';
    };
    const auto totals_of = [](const Pass& pass) {
        return EditTotals{1, pass.files_recomputed, pass.files_recomputed, pass.marks_compared, pass.microseconds};
    };
    line("full, first", totals_of(first));
    line("full, again", totals_of(rebuilt));
    EditTotals all;
    for (std::size_t at = 0; at < edit_kinds; ++at) {
        const EditTotals& totals = simulation.edits(static_cast<EditKind>(at));
        line(edit_words[at], totals);
        all.edits += totals.edits;
        all.recomputed += totals.recomputed;
        all.most_recomputed = std::max(all.most_recomputed, totals.most_recomputed);
        all.marks_compared += totals.marks_compared;
        all.microseconds += totals.microseconds;
    }
    line("incremental", all);
    out << "  recomputed (files), marks (compared) and us are means of one pass\n";
    const double files = per(static_cast<double>(all.recomputed), all.edits) / static_cast<double>(rebuilt.files_recomputed);
    out << "  an incremental pass recomputes " << fixed(100 * files, 2) << " % of the files in "
        << fixed(100 * per(all.microseconds, all.edits) / rebuilt.microseconds, 2) << " % of the time of a full one\n\n";

    const DeletionTotals& gone = simulation.deletions();
    row(out, "files deleted") << gone.erased << "; " << gone.without.files_recomputed << " files recomputed in "
                              << fixed(gone.without.microseconds, 1) << " us\n";
    row(out, "handles gone stale") << gone.stale << "\n";
    row(out, "files restored") << gone.restored << ", " << gone.slots_reused << " of them in a slot of a deleted file; "
                               << gone.again.files_recomputed << " files recomputed in " << fixed(gone.again.microseconds, 1)
                               << " us\n";
    row(out, "handles still stale") << gone.still_stale << '\n';
}

void write_dot(std::ostream& out, const IncludeGraph& graph) {
    out << "digraph includes {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n";
    for (const auto& [handle, file] : graph.files().items()) {
        out << "  n" << handle.index() << " [label=\"" << dot_label(short_name(graph, handle)) << '"';
        if (graph.groups()[file.group].members.size() > 1) out << ", color=red";
        out << "];\n";
    }
    for (const auto& [handle, file] : graph.files().items()) {
        for (const FileHandle target : file.includes.get()) {
            out << "  n" << handle.index() << " -> n" << target.index();
            if (graph.files()[target].group == file.group) out << " [color=red]";
            out << ";\n";
        }
    }
    out << "}\n";
}

} // namespace include_graph
