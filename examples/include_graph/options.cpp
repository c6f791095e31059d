// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace include_graph {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> known_options = {"-I", "--dot", "--folders", "--edits", "--seed", "--help"};

/// The library's own headers. The build passes their path; a program built by hand looks in the current directory.
fs::path default_directory() {
#if defined(SLOTWISE_INCLUDE_DIR)
    return SLOTWISE_INCLUDE_DIR;
#elif defined(SLOTWISE_SOURCE_DIR)
    // Both readings of the definition work: the folder with the headers, or the top of the repository.
    const fs::path given = SLOTWISE_SOURCE_DIR;
    std::error_code ignored;
    return fs::is_directory(given / "include", ignored) ? given / "include" : given;
#else
    return "include";
#endif
}

/// Beside the program when it was started by a path (a build folder), so that running it from the top
/// of a source tree leaves nothing there; in the current directory otherwise.
fs::path default_dot(std::string_view program) {
    const fs::path folder = fs::path(program).parent_path();
    return folder / "include_graph.dot";
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

/// The option the user probably meant: the longest common beginning wins ("--edit", "--dots").
std::string hint_for(std::string_view unknown) {
    std::string_view best;
    std::size_t best_length = 2; // "--" alone says nothing
    for (const std::string_view option : known_options) {
        std::size_t same = 0;
        while (same < option.size() && same < unknown.size() && option[same] == unknown[same]) ++same;
        if (same > best_length) {
            best = option;
            best_length = same;
        }
    }
    if (best.empty()) return "; --help lists the options";
    return "; did you mean " + std::string(best) + "? (--help lists the options)";
}

using Complaint = std::optional<UsageError>;

Complaint set_directory(Options& options, std::string_view word) {
    if (word.empty()) return UsageError{"the directory is an empty word"};
    if (!options.directory.empty()) {
        return UsageError{"two directories given, '" + options.directory.string() + "' and '" + std::string(word) +
                          "'; write further search directories as -I DIR"};
    }
    options.directory = word;
    return std::nullopt;
}

Complaint set_option(Options& options, std::string_view option, std::string_view value) {
    if (value.empty()) return UsageError{std::string(option) + " needs a value behind it"};
    if (option == "-I") {
        options.search.emplace_back(value);
    } else if (option == "--dot") {
        options.dot = value;
    } else if (option == "--folders") {
        options.folders = value;
    } else if (const std::optional<std::uint32_t> number = parse_number(value)) {
        (option == "--edits" ? options.edits : options.seed) = *number;
    } else {
        return UsageError{std::string(option) + " needs a whole number from 0 to 4294967295, not '" + std::string(value) + "'"};
    }
    return std::nullopt;
}

} // namespace

std::variant<Options, HelpWanted, UsageError> parse_options(int argc, char** argv) {
    const std::vector<std::string_view> words(argv, argv + argc);
    Options options;
    options.dot = default_dot(words.empty() ? std::string_view() : words.front());
    bool only_names = false; // after "--", so that a directory may start with a dash

    for (std::size_t at = 1; at < words.size(); ++at) {
        const std::string_view word = words[at];
        Complaint complaint;
        if (only_names || !word.starts_with('-')) {
            complaint = set_directory(options, word);
        } else if (word == "--") {
            only_names = true;
        } else if (word == "--help" || word == "-h") {
            return HelpWanted{};
        } else if (word.starts_with("-I") && word.size() > 2) {
            complaint = set_option(options, "-I", word.substr(2));
        } else if (std::find(known_options.begin(), known_options.end(), word) != known_options.end()) {
            ++at;
            complaint = set_option(options, word, at < words.size() ? words[at] : std::string_view());
        } else {
            complaint = UsageError{"unknown option '" + std::string(word) + "'" + hint_for(word)};
        }
        if (complaint) return *complaint;
    }
    if (options.directory.empty()) options.directory = default_directory();
    return options;
}

std::string help_text() {
    return "usage: include_graph [DIR] [-I DIR]... [--dot FILE] [--folders FILE] [--edits N] [--seed N]\n"
           "\n"
           "Builds the include graph of the C and C++ files under DIR, reports its cycles and its deepest\n"
           "chain, then simulates edits and deletions in memory and recomputes only what they affect.\n"
           "Nothing under DIR is written to.\n"
           "\n"
           "  DIR         directory of sources (default: the headers of this library)\n"
           "  -I DIR      further directory to search, in this order; it is read as well when it lies\n"
           "              outside of DIR\n"
           "  --dot FILE  Graphviz file to write (default: include_graph.dot beside this program)\n"
           "  --folders FILE  picture (SVG) to write: the folders of DIR in layers, each above those it\n"
           "              includes; a circle of folders is red\n"
           "  --edits N   simulated edits (default 100)\n"
           "  --seed N    chooses the files to edit and to delete (default 1)\n"
           "  --help      this text\n"
           "\n"
           "exit code: 0 all checks passed, 1 a check failed or a file could not be written,\n"
           "           2 wrong usage or no sources to read\n";
}

} // namespace include_graph
