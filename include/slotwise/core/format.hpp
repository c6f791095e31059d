// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// std::formatter for handles: "12v5", "12v5#3", "null". Empty where the standard library has no <format> (g++ 12).
// A header of its own because <format> costs more to include than all slot maps together.
#ifndef SLOTWISE_CORE_FORMAT_HPP
#define SLOTWISE_CORE_FORMAT_HPP

#include "handle.hpp"

#include <version>

#ifdef __cpp_lib_format
#include <format>

/// Formats as operator<< writes. Takes no format specification: "{}".
template <class Tag, slotwise::HandleLayout L>
struct std::formatter<slotwise::Handle<Tag, L>> {
    constexpr auto parse(std::format_parse_context& context) { return context.begin(); }
    template <class Context>
    auto format(slotwise::Handle<Tag, L> handle, Context& context) const {
        if (handle.is_null()) return std::format_to(context.out(), "null");
        auto out = std::format_to(context.out(), "{}v{}", handle.index(), handle.version());
        return handle.user_bits() == 0 ? out : std::format_to(out, "#{}", handle.user_bits());
    }
};
#endif

#endif
