// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Include graph of a tree of C and C++ sources: cycles, deepest chain, and what an edit costs when only the files that it
// affects are computed again. --folders draws the folders in layers: docs/design.md shows the library's. See help_text() in
// options.cpp.

#include "folders.hpp"
#include "options.hpp"
#include "report.hpp"
#include "text.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>

namespace {

using namespace include_graph;

enum ExitCode : int { all_well = 0, check_failed = 1, cannot_start = 2 };

int refuse(const std::string& reason) {
    std::cerr << "include_graph: " << printable(reason) << '\n';
    return cannot_start;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The directory and each -I, canonical, each once.
std::optional<std::vector<std::string>> open_roots(const Options& options, std::string& error) {
    std::vector<std::string> roots;
    std::vector<std::filesystem::path> wanted{options.directory};
    wanted.insert(wanted.end(), options.search.begin(), options.search.end());
    for (const std::filesystem::path& directory : wanted) {
        Root root = open_root(directory);
        if (!root.error.empty()) {
            error = root.error;
            return std::nullopt;
        }
        if (std::find(roots.begin(), roots.end(), root.path) == roots.end()) roots.push_back(std::move(root.path));
    }
    return roots;
}

void read_files(IncludeGraph& graph, const std::vector<std::string>& files, Troubles& troubles) {
    for (const std::string& path : files) {
        const std::optional<std::string> text = read_source(path, troubles);
        if (!text || (needs_a_look_inside(path) && !starts_with_directive(*text))) continue;
        graph.add(path, *text);
    }
}

/// @param option the one that names the file @param write write(stream) writes its contents
template <class Write>
bool write_file(const std::filesystem::path& path, std::string_view option, Write write) {
    std::ofstream file(path, std::ios::binary);
    write(file);
    file.close();
    if (file.fail()) {
        std::cerr << "include_graph: cannot write '" << printable(path.string()) << "'; " << option
                  << " FILE names another file\n";
    }
    return !file.fail();
}

/// Draws the folders, when that was asked for. @return false when the file could not be written
bool draw_folders(const std::filesystem::path& path, const IncludeGraph& graph) {
    if (path.empty()) return true;
    const Folders folders = folders_of(graph);
    const Layers layers = layers_of(folders);
    std::cout << "  folders             " << grouped(folders.size()) << " in " << layers.count << " layers, "
              << layers.folders_in_cycles << " of them in cycles\n";
    return write_file(path, "--folders", [&](std::ostream& out) { write_svg(out, folders); });
}

/// Prints each promise that was broken. @return whether all were kept
bool check(const Simulation& simulation, std::size_t wrong, const Rebuilt& rebuilt, std::size_t files) {
    for (const std::string& failure : simulation.failures()) std::cout << "  FAILED: " << failure << '\n';
    if (wrong != 0) std::cout << "  FAILED: " << wrong << " costs differ from a plain search\n";
    if (rebuilt.different != 0) std::cout << "  FAILED: " << rebuilt.different << " files differ from a full recomputation\n";
    const bool passed = simulation.failures().empty() && wrong == 0 && rebuilt.different == 0 && files != 0;
    std::cout << "\ncheck: incremental == full recomputation == plain search for " << grouped(files)
              << " files: " << (passed ? "passed" : "FAILED") << '\n';
    return passed;
}

int run(const Options& options) {
    std::string error;
    const std::optional<std::vector<std::string>> roots = open_roots(options, error);
    if (!roots) return refuse(error);

    const auto start = std::chrono::steady_clock::now();
    Troubles troubles;
    Listing listing = list_sources(*roots, troubles);
    IncludeGraph graph(*roots, std::move(listing.aliases));
    read_files(graph, listing.files, troubles);
    const ScanTimes times{listing.directories, milliseconds_since(start)};
    print_scan(std::cout, graph, troubles, times);
    if (graph.files().empty()) return refuse("no readable C or C++ source under '" + roots->front() + "'");

    const Pass first = graph.refresh(); // nothing is known yet, so it is a full pass
    print_survey(std::cout, graph, survey(graph));
    const bool written = write_file(options.dot, "--dot", [&](std::ostream& out) { write_dot(out, graph); });
    if (written) std::cout << "  Graphviz file       " << printable(options.dot.string()) << '\n';

    const bool drawn = draw_folders(options.folders, graph);

    Simulation simulation(graph, troubles, options.seed);
    simulation.edit_files(options.edits);
    simulation.delete_and_restore();
    const std::size_t wrong = wrong_costs(graph);
    const Rebuilt rebuilt = rebuild_and_compare(graph);
    print_simulation(std::cout, simulation, first, rebuilt.pass);
    const bool passed = check(simulation, wrong, rebuilt, graph.files().size());
    return passed && written && drawn ? all_well : check_failed;
}

} // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    const auto options = parse_options(argc, argv);
    if (std::holds_alternative<HelpWanted>(options)) {
        std::cout << help_text();
        return all_well;
    }
    if (const auto* usage = std::get_if<UsageError>(&options)) return refuse(usage->text);
    return run(std::get<Options>(options));
}
