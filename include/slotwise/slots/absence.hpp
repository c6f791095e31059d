// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Why at(handle) finds no element, in words.
#ifndef SLOTWISE_SLOTS_ABSENCE_HPP
#define SLOTWISE_SLOTS_ABSENCE_HPP

#include "../config/error.hpp"
#include "../core/handle.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Why a handle or an id has no element, as the end of a sentence.
inline constexpr const char* was_erased = "was erased";
inline constexpr const char* never_issued = "was never issued here";
inline constexpr const char* is_reserved = "is reserved, and its element comes later";

/// Throws std::out_of_range with a text like "slot map at(handle): no element has this handle; ask get(handle) (12v5 was
/// erased)". The text is built without an allocator.
[[noreturn]] SLOTWISE_COLD inline void throw_absent(const char* message, const HandleText& handle, const char* why) {
    char text[240];
    unsigned size = 0;
    for (const char* part : {message, " (", static_cast<const char*>(handle.chars), " ", why, ")"})
        for (; *part != '\0' && size != sizeof text - 1; ++part) text[size++] = *part;
    text[size] = '\0';
    throw_out_of_range(text);
}

} // namespace detail
SLOTWISE_END

#endif
