// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// std::formatter for handles ("12v5", "12v5#3", "null") and for HandleStatus, SlotState and InsertKind. Empty where the
// standard library has no <format> (g++ 12). A separate header because <format> costs more to include than all slot maps
// together.
#ifndef SLOTWISE_CORE_FORMAT_HPP
#define SLOTWISE_CORE_FORMAT_HPP

#include "handle.hpp"

#include <version>

#ifdef __cpp_lib_format
#include <format>
#include <string_view>

/// Formats as to_string() writes, with the specification of a string: "{}", "{:>8}", "{:*^12}".
template <class Tag, slotwise::HandleLayout L>
struct std::formatter<slotwise::Handle<Tag, L>> : std::formatter<std::string_view> {
    template <class Context>
    auto format(slotwise::Handle<Tag, L> handle, Context& context) const {
        const auto text = handle.to_text();
        return std::formatter<std::string_view>::format({text.chars, text.size}, context);
    }
};
/// Formats the name, with the specification of a string.
template <slotwise::detail::NamedEnum E>
struct std::formatter<E> : std::formatter<std::string_view> {
    template <class Context>
    auto format(E value, Context& context) const {
        return std::formatter<std::string_view>::format(slotwise::detail::name_of(value), context);
    }
};
#endif

#endif
