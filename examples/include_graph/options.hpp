// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The command line of include_graph.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace include_graph {

struct Options {
    std::filesystem::path directory;
    std::vector<std::filesystem::path> search; ///< -I, in the order given
    std::filesystem::path dot;
    std::filesystem::path folders; ///< none when empty
    std::uint32_t edits = 100;
    std::uint32_t seed = 1;
};

struct HelpWanted {};

/// What is wrong with the command line, in words for the person who typed it.
struct UsageError {
    std::string text;
};

[[nodiscard]] std::variant<Options, HelpWanted, UsageError> parse_options(int argc, char** argv);

[[nodiscard]] std::string help_text();

} // namespace include_graph
