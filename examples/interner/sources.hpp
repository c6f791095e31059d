// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Finds and reads sources. What cannot be read is left out and listed.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interner {

/// File names are bytes: those that could move the cursor of a terminal, or are no ASCII, become \xNN.
std::string printable(std::string_view bytes);

/// C and C++ sources below the folders, sorted. Links to folders are not followed: no circles.
std::vector<std::filesystem::path> list_sources(std::vector<std::filesystem::path> folders, std::vector<std::string>& left_out);

/// The bytes of a file of at most 32 MiB.
std::optional<std::string> read_source(const std::filesystem::path& path, std::vector<std::string>& left_out);

} // namespace interner
