// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The options of exports.
#ifndef SLOTWISE_ARROW_OPTIONS_HPP
#define SLOTWISE_ARROW_OPTIONS_HPP

#include "../config/abi.hpp"

#include <cstddef>
#include <cstdint>

SLOTWISE_BEGIN

/// Which rows an export has.
enum class Rows : std::uint8_t {
    live,                   ///< those of live elements, in slot order
    all_slots,              ///< one for each slot in use, which is null where no element lives
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    slots = all_slots ///< the same; all_slots also compiles where Qt defines `slots`
#pragma pop_macro("slots")
};

/// The options of an export. Designated initialisers name them: ExportOptions{.handles = true}.
struct ExportOptions {
    Rows rows = Rows::live;
    bool handles = false;              ///< whether there is a column `handle` (uint64), the last one
    bool time = false;                 ///< whether a series has a column `time`, which is null where a value was never written
    std::size_t least_shared = 4096;   ///< adjacent rows that are shared in place; shorter runs are gathered
    std::size_t most_gathered = 65536; ///< rows in a batch of gathered rows
    const char* names = nullptr;       ///< of the columns but handle and time, separated by commas; null: see export_schema()
};

/// What Exportable::write() does while an export shares the container.
enum class OnWrite : std::uint8_t {
    refuse, ///< it returns null
    detach  ///< it replaces the container by a copy with the same slots and handles, and leaves the old one to the export
};

SLOTWISE_END

#endif
