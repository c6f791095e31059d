// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Strings in snapshots.
#ifndef SLOTWISE_TESTS_KEYED_TEXT_CODEC_HPP
#define SLOTWISE_TESTS_KEYED_TEXT_CODEC_HPP

#include "keys.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"

namespace test {

/// Keys that are not trivially copyable as text, values as numbers.
struct TextCodec {
    static void write(const std::string& text, ByteWriter& out) {
        out.number(static_cast<std::uint32_t>(text.size()));
        out.raw(text.data(), text.size());
    }
    static void write(std::uint64_t number, ByteWriter& out) { out.number(number); }
    template <std::same_as<std::uint32_t> I>
    static void write(I number, ByteWriter& out) {
        NumberCodec::write(number, out);
    }
    static void write(const Tracked& value, ByteWriter& out) { NumberCodec::write(value, out); }
    template <class T>
    static T read(ByteReader& in) {
        if constexpr (std::is_same_v<T, std::string>) {
            const auto bytes = in.raw(in.number<std::uint32_t>());
            return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        } else if constexpr (std::is_same_v<T, std::uint64_t>)
            return in.number<std::uint64_t>();
        else
            return NumberCodec::read<T>(in);
    }
};

} // namespace test

#endif
