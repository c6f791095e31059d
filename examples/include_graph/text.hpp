// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// File names are bytes. These make them fit for a terminal and for a Graphviz label.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace include_graph {

/// Valid UTF-8 stays as it is; control characters and bytes that are no UTF-8 become \xNN, so that a
/// hostile file name can neither move the cursor of a terminal nor produce an invalid report.
[[nodiscard]] std::string printable(std::string_view bytes);

/// printable(), then quotes and backslashes escaped: fit to stand between the quotes of a DOT label.
[[nodiscard]] std::string dot_label(std::string_view bytes);

/// 1234567 -> "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

} // namespace include_graph
