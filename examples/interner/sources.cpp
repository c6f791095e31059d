// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <system_error>
#include <utility>

namespace interner {

namespace fs = std::filesystem;

std::string printable(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F)
            out += c;
        else
            out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    }
    return out;
}

std::vector<fs::path> list_sources(std::vector<fs::path> folders, std::vector<std::string>& left_out) {
    constexpr std::string_view endings = " .h .hh .hpp .hxx .c .cc .cpp .cxx .inc .inl .ipp .tpp ";
    std::vector<fs::path> sources;
    while (!folders.empty()) {
        const fs::path folder = std::move(folders.back());
        folders.pop_back();
        std::error_code error, ignored;
        for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
            const std::string ending = at->path().extension().string();
            const bool is_source = !ending.empty() && endings.find(' ' + ending + ' ') != std::string_view::npos;
            if (!at->is_symlink(ignored) && at->is_directory(ignored)) folders.push_back(at->path());
            if (is_source && at->is_regular_file(ignored)) sources.push_back(at->path());
        }
        if (error) left_out.push_back(folder.string() + ": " + error.message());
    }
    std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.native() < b.native(); });
    return sources;
}

std::optional<std::string> read_source(const fs::path& path, std::vector<std::string>& left_out) {
    constexpr std::uintmax_t limit = 32U << 20U;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    const bool too_large = !error && size > limit;
    std::string text(error || too_large ? 0 : static_cast<std::size_t>(size), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount())); // shorter when the file has just shrunk
    if (!error && !too_large && in.is_open() && !in.bad()) return text;
    left_out.push_back(path.string() + (too_large ? ": over 32 MiB" : ": cannot be read"));
    return std::nullopt;
}

} // namespace interner
