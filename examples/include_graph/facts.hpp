// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What one source file says about itself: its size and its include directives.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace include_graph {

enum class Spelling : std::uint8_t {
    quote, ///< #include "name"
    angle, ///< #include <name>
    macro  ///< #include NAME: only a preprocessor could say which file that is
};

struct Directive {
    Spelling spelling = Spelling::quote;
    bool next = false; ///< #include_next: the search starts behind the root of the including file
    std::string name;

    friend bool operator==(const Directive&, const Directive&) = default;
};

struct Facts {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    std::vector<Directive> directives;

    friend bool operator==(const Facts&, const Facts&) = default;
};

/// Reads the directives outside comments, strings and raw strings; continued lines are joined.
/// Conditions are not evaluated: an include counts whichever branch of an #if it stands in, so the
/// graph holds what could be included, not what one configuration includes.
/// @complexity linear in the text.
[[nodiscard]] Facts read_facts(std::string_view text);

/// True when the first thing in the text, comments aside, is a preprocessor directive. Tells the
/// standard headers without an extension (`vector`) from a LICENSE or a Makefile.
[[nodiscard]] bool starts_with_directive(std::string_view text);

/// Stands for the content when asking "did it change?". 64 bits: two versions of one file meet by
/// chance once in 1.8e19 edits, so the text itself need not be kept.
[[nodiscard]] std::uint64_t content_hash(std::string_view text);

} // namespace include_graph
