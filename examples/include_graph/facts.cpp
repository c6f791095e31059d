// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "facts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace include_graph {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

/// Just enough of a preprocessor's lexer to know what is a comment, a string or a directive.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3; // a byte order mark is not part of line one
        join_lines();
    }

    void read(std::vector<Directive>& out);
    bool starts_with_directive();

private:
    [[nodiscard]] bool done() const { return at_ >= text_.size(); }
    [[nodiscard]] char current() const { return done() ? '\n' : text_[at_]; }

    void move_to(std::size_t offset) {
        at_ = std::min(offset, text_.size());
        join_lines();
    }
    void advance() { move_to(at_ + 1); }

    /// Steps over backslash + end of line: the language joins such lines before it does anything else.
    void join_lines() {
        while (at_ < text_.size() && text_[at_] == '\\') {
            const std::string_view rest = text_.substr(at_ + 1, 2);
            if (rest.starts_with('\n')) {
                at_ += 2;
            } else if (rest == "\r\n") {
                at_ += 3;
            } else {
                return;
            }
        }
    }

    /// At a slash: true when it opened a comment, which is then behind us. A lone slash is consumed too.
    bool skip_comment();
    void skip_blanks();
    void skip_literal(char quote);
    void skip_raw_string();
    std::string_view skip_word();
    std::string read_word();
    void read_directive(std::vector<Directive>& out);

    std::string_view text_;
    std::size_t at_ = 0;
};

bool Lexer::skip_comment() {
    advance();
    if (current() == '*') {
        const std::size_t end = text_.find("*/", at_ + 1);
        move_to(end == std::string_view::npos ? text_.size() : end + 2);
        return true;
    }
    if (current() != '/') return false;
    // A continued // comment goes on in the next line.
    std::size_t end = text_.find('\n', at_);
    while (end != std::string_view::npos) {
        const std::size_t before = text_[end - 1] == '\r' ? end - 2 : end - 1;
        if (text_[before] != '\\') break;
        end = text_.find('\n', end + 1);
    }
    at_ = end == std::string_view::npos ? text_.size() : end;
    return true;
}

/// Blanks and comments that stand where a directive allows blanks.
void Lexer::skip_blanks() {
    while (!done()) {
        if (is_blank(current())) {
            advance();
        } else if (current() != '/' || !skip_comment()) {
            return;
        }
    }
}

/// A literal never crosses the end of a line, so an apostrophe in the words of an #error costs one line.
void Lexer::skip_literal(char quote) {
    advance();
    while (!done() && current() != '\n') {
        const char c = current();
        advance();
        if (c == quote) return;
        if (c == '\\' && current() != '\n') advance();
    }
}

void Lexer::skip_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) { // a delimiter has at most 16 characters
        skip_literal('"');
        return;
    }
    std::string close(1, ')'); // not ")" + ...: g++ 12 warns of an overlap there at -O3 (its bug 105651)
    close += text_.substr(at_ + 1, open - at_ - 1);
    close += '"';
    const std::size_t end = text_.find(close, open);
    move_to(end == std::string_view::npos ? text_.size() : end + close.size());
}

/// A name or a number. Numbers take their digit separators along: the ' of 1'000 opens no literal.
/// The view spans the raw text, a continuation inside of the word included.
std::string_view Lexer::skip_word() {
    const std::size_t start = at_;
    const bool number = is_digit(current());
    while (!done() && (is_word(current()) || (number && current() == '\''))) advance();
    return text_.substr(start, at_ - start);
}

/// As skip_word(), with continued lines joined.
std::string Lexer::read_word() {
    std::string word;
    for (; !done() && is_word(current()); advance()) word += current();
    return word;
}

void Lexer::read_directive(std::vector<Directive>& out) {
    advance();
    skip_blanks();
    const std::string keyword = read_word();
    const bool next = keyword == "include_next";
    if (!next && keyword != "include" && keyword != "import") return;
    skip_blanks();

    const char open = current();
    if (open != '"' && open != '<') {
        std::string name = read_word();
        if (!name.empty()) out.push_back({Spelling::macro, next, std::move(name)});
        return;
    }
    const char close = open == '<' ? '>' : '"';
    std::string name;
    for (advance(); !done() && current() != '\n' && current() != close; advance()) name += current();
    if (done() || current() != close || name.empty()) return; // not a directive any compiler takes
    advance();
    out.push_back({open == '<' ? Spelling::angle : Spelling::quote, next, std::move(name)});
}

void Lexer::read(std::vector<Directive>& out) {
    bool line_start = true;
    while (!done()) {
        const char c = current();
        if (c == '\n') {
            line_start = true;
            advance();
        } else if (is_blank(c)) {
            advance();
        } else if (c == '/') {
            if (!skip_comment()) line_start = false;
        } else if (c == '#' && line_start) {
            line_start = false;
            read_directive(out);
        } else {
            line_start = false;
            if (c == '"' || c == '\'') {
                skip_literal(c);
            } else if (is_word(c)) {
                const std::string_view word = skip_word();
                const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
                if (raw && current() == '"') skip_raw_string();
            } else {
                advance();
            }
        }
    }
}

bool Lexer::starts_with_directive() {
    while (!done() && (is_blank(current()) || current() == '\n' || current() == '/')) {
        if (current() != '/') {
            advance();
        } else if (!skip_comment()) {
            return false;
        }
    }
    if (current() != '#') return false;
    advance();
    skip_blanks();
    constexpr std::array<std::string_view, 10> keywords = {"if",     "ifdef", "ifndef", "include", "include_next",
                                                           "define", "undef", "pragma", "error",   "import"};
    return std::find(keywords.begin(), keywords.end(), read_word()) != keywords.end();
}

} // namespace

Facts read_facts(std::string_view text) {
    Facts facts;
    facts.bytes = text.size();
    facts.lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (!text.empty() && text.back() != '\n') ++facts.lines;
    Lexer(text).read(facts.directives);
    return facts;
}

bool starts_with_directive(std::string_view text) { return Lexer(text).starts_with_directive(); }

std::uint64_t content_hash(std::string_view text) {
    // Eight bytes a step, multiply and fold: a byte at a time would cost more than the lexer.
    std::uint64_t hash = 0x9E3779B97F4A7C15U ^ text.size();
    while (!text.empty()) {
        std::uint64_t word = 0;
        const std::size_t taken = std::min(text.size(), sizeof word);
        std::memcpy(&word, text.data(), taken);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93U;
        hash ^= hash >> 32U;
        text.remove_prefix(taken);
    }
    return hash;
}

} // namespace include_graph
