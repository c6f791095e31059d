// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The lines of a feed as events, and numbers as text. A line that is no event has a reason.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ticker {

enum class Kind : std::uint8_t { list, delist, halt, resume, quote, trade };
inline constexpr std::array<std::string_view, 6> kind_names = {"list", "delist", "halt", "resume", "quote", "trade"};
inline constexpr std::string_view header = "time_ms,event,instrument,price,size";

struct Event {
    std::int64_t time = 0; ///< milliseconds since midnight
    Kind kind = Kind::list;
    std::string_view name; ///< of the instrument; points into the line
    double price = 0;      ///< of a quote, a trade, and a list that has one; else 0
    std::int64_t size = 0; ///< of a trade; else 0
};

/// The event of a line without its end, or nothing, and then `why` says what is wrong with it.
std::optional<Event> parse(std::string_view line, std::string& why);

/// In quotes, at most so many bytes; those that could move the cursor of a terminal, or are no ASCII, as \xNN.
std::string quoted(std::string_view bytes, std::size_t most = 24);
/// 09:00:01.250
std::string clock(std::int64_t time);
/// The fewest digits that read back as the same number.
std::string digits(double number);

} // namespace ticker
