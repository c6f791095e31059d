// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The options of exports. fwd.hpp has those of every other folder.
#ifndef SLOTWISE_ARROW_OPTIONS_HPP
#define SLOTWISE_ARROW_OPTIONS_HPP

#include "../config/abi.hpp"

#include <cstddef>
#include <cstdint>

SLOTWISE_BEGIN

/// Which rows an export has.
enum class Rows : std::uint8_t {
    live,                   ///< those of live elements, in slot order
    all_slots,              ///< one for each slot in use, null where no element lives
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    slots = all_slots ///< the same; all_slots also compiles where Qt defines `slots`
#pragma pop_macro("slots")
};

/// The options of an export. Designated initialisers name them: ExportOptions{.handles = true}.
struct ExportOptions {
    Rows rows = Rows::live;
    bool handles = false;            ///< a column `handle` (uint64) at the end
    bool time = false;               ///< a column `time` of a series, null where a value was never written
    std::size_t least_shared = 4096; ///< rows side by side that are shared where they lie; fewer are copied, with what is near
    std::size_t most_gathered = 65536; ///< rows in a batch that is copied
    const char* names = nullptr;       ///< of the columns but handle and time, separated by commas; null: see export_schema()
};

/// What Exportable::write() does while an export refers to the container.
enum class OnWrite : std::uint8_t {
    refuse, ///< it gives null
    detach  ///< it makes a copy, with the same slots and handles, which the program goes on with
};

SLOTWISE_END

#endif
