// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "text.hpp"

#include <cstddef>

namespace include_graph {
namespace {

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

/// Length of the valid UTF-8 character at the front, 0 when there is none. Overlong forms, surrogates
/// and anything above U+10FFFF are refused (table 3-7 of the Unicode standard).
std::size_t utf8_length(std::string_view bytes) {
    const unsigned first = byte_at(bytes, 0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xC2 ? 0U : first < 0xE0 ? 2U : first < 0xF0 ? 3U : first < 0xF5 ? 4U : 0U;
    if (length == 0 || bytes.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte_at(bytes, at) & 0xC0U) != 0x80U) return 0;
    }
    const unsigned second = byte_at(bytes, 1);
    if (first == 0xC2 && second < 0xA0) return 0; // C1 controls: terminals obey some of them
    if (first == 0xE0 && second < 0xA0) return 0;
    if (first == 0xED && second > 0x9F) return 0;
    if (first == 0xF0 && second < 0x90) return 0;
    if (first == 0xF4 && second > 0x8F) return 0;
    return length;
}

} // namespace

std::string printable(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const unsigned first = byte_at(bytes, 0);
        const bool control = first < 0x20 || first == 0x7F;
        const std::size_t length = control ? 0 : utf8_length(bytes);
        if (length == 0) {
            out += "\\x";
            out += digits[first >> 4U];
            out += digits[first & 15U];
            bytes.remove_prefix(1);
        } else {
            out += bytes.substr(0, length);
            bytes.remove_prefix(length);
        }
    }
    return out;
}

std::string dot_label(std::string_view bytes) {
    std::string out;
    for (const char c : printable(bytes)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string grouped(std::uint64_t number) {
    std::string out = std::to_string(number);
    for (std::size_t from_end = 3; from_end < out.size(); from_end += 4) {
        out.insert(out.size() - from_end, 1, ',');
    }
    return out;
}

} // namespace include_graph
