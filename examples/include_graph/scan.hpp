// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Finds and reads the source files under a few directories, whatever state these are in.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace include_graph {

/// What can be wrong with a thing found on a disk. None of it stops a scan; all of it is counted.
enum class Trouble : std::uint8_t {
    binary,              ///< holds a NUL byte
    too_large,           ///< larger than max_file_bytes
    unreadable_file,     ///< exists, but opening or reading it failed
    vanished,            ///< was listed, was gone when it was its turn to be read
    special_file,        ///< named like a source, but a pipe, a socket or a device
    broken_link,         ///< leads nowhere, or in a circle through links only
    repeated_directory,  ///< a link to a directory that is read anyway, often the one it lies in
    unreadable_directory ///< could not be listed, or not to its end
};
inline constexpr std::size_t trouble_kinds = 8;

/// Nobody writes 32 MiB of source; data in source form of that size would only slow the scan down.
inline constexpr std::size_t max_file_bytes = std::size_t{32} << 20U;

/// How often each kind of trouble was met, and where first.
class Troubles {
public:
    void add(Trouble kind, std::string_view where);
    [[nodiscard]] std::size_t count(Trouble kind) const { return counts_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const std::string& first(Trouble kind) const { return firsts_[static_cast<std::size_t>(kind)]; }

private:
    std::array<std::size_t, trouble_kinds> counts_{};
    std::array<std::string, trouble_kinds> firsts_;
};

/// Other names of directories and files: a link's path -> the path under which its target was read.
using Aliases = std::unordered_map<std::string, std::string>;

struct Listing {
    std::vector<std::string> files; ///< sorted; absolute, with '/' between the parts
    Aliases aliases;
    std::size_t directories = 0;
};

/// True when the path `inner` is `outer` or lies below it.
[[nodiscard]] bool is_within(std::string_view inner, std::string_view outer);

/// Lists the files below the roots that have the name of a C or C++ source or no extension at all.
/// Hidden directories are left out. Links are followed last, so that a file keeps its real name, and
/// no directory is read twice, so that links in a circle end.
/// @param roots canonical directories; one that lies inside another is not read twice
[[nodiscard]] Listing list_sources(const std::vector<std::string>& roots, Troubles& troubles);

/// True for the name of a file that is read only if it starts like a source (see starts_with_directive).
[[nodiscard]] bool needs_a_look_inside(std::string_view path);

/// The text of a file, or what was wrong with it, counted in troubles.
[[nodiscard]] std::optional<std::string> read_source(const std::string& path, Troubles& troubles);

/// The canonical path of a directory that can be listed, or what is wrong with it.
struct Root {
    std::string path;
    std::string error;
};
[[nodiscard]] Root open_root(const std::filesystem::path& directory);

} // namespace include_graph
