// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Whether bytes are UTF-8, as texts of Arrow and of Python must be, and Utf8Codec, which asks it of strings that are read.
#ifndef SLOTWISE_CORE_UTF8_HPP
#define SLOTWISE_CORE_UTF8_HPP

#include "codec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

SLOTWISE_BEGIN
namespace detail {

/// Whether all bytes are below 0x80. Most texts are ASCII, which is asked first.
inline bool is_ascii(std::string_view bytes) noexcept {
    constexpr std::uint64_t high = 0x8080808080808080;
    std::size_t at = 0;
    // Four words in a step: the loads do not wait for each other, and a step has one branch.
    for (std::uint64_t words[4]; bytes.size() - at >= sizeof words; at += sizeof words) {
        std::memcpy(words, bytes.data() + at, sizeof words);
        if (((words[0] | words[1] | words[2] | words[3]) & high) != 0) return false;
    }
    while (at != bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
    return at == bytes.size();
}

/// Whether bytes are well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF, no part of a character.
/// By table 3-7 of The Unicode Standard: only the second byte has bounds that depend on the first.
inline bool is_utf8(std::string_view bytes) noexcept {
    const auto byte = [&](std::size_t at) -> unsigned { return static_cast<unsigned char>(bytes[at]); };
    for (std::size_t at = 0; at != bytes.size();) {
        const unsigned first = byte(at);
        if (first < 0x80) {
            const std::size_t block = bytes.size() - at >= 32 && is_ascii({bytes.data() + at, 32}) ? 32 : 1;
            at += block;
            continue;
        }
        const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        if (first < 0xc2 || first > 0xf4 || bytes.size() - at <= more) return false;
        const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (byte(at + 1) < least || byte(at + 1) > most) return false;
        for (std::size_t i = 2; i <= more; ++i)
            if ((byte(at + i) & 0xc0) != 0x80) return false;
        at += more + 1;
    }
    return true;
}

template <class T>
inline constexpr bool is_text_of_char = [] {
    if constexpr (form_of<T>() == Form::text)
        return std::is_same_v<typename T::value_type, char>;
    else
        return false;
}();
/// Whether a value has no text of char that is no UTF-8, wherever in it the text is.
template <class T>
bool texts_are_utf8([[maybe_unused]] const T& value) noexcept {
    constexpr Form form = coding<T>.block ? Form::custom : form_of<T>(); // a block has no text in it
    if constexpr (is_text_of_char<T>)
        return is_utf8({value.data(), value.size()});
    else if constexpr (form == Form::optional)
        return !value || texts_are_utf8(*value);
    else if constexpr (form == Form::variant) {
        bool result = true;
        visit_held(value, [&](const auto& held) { result = texts_are_utf8(held); });
        return result;
    } else if constexpr (form == Form::array || form == Form::sequence) {
        if constexpr (!std::is_same_v<T, std::vector<bool>>)
            for (const auto& each : value)
                if (!texts_are_utf8(each)) return false;
        return true;
    } else if constexpr (form == Form::tuple)
        return std::apply([](const auto&... each) { return (texts_are_utf8(each) && ... && true); }, value);
    else if constexpr (form == Form::members)
        return visit_members<count_members<T>()>(value,
                                                 [](const auto&... each) { return (texts_are_utf8(each) && ... && true); });
    else
        return true;
}

} // namespace detail

/// DefaultCodec, but strings of char that are not UTF-8 are refused when they are read, also within other values. The bytes are
/// those of DefaultCodec. For programs whose strings become those of Python, Java or JSON:
///     names.restore(bytes, Utf8Codec());
struct Utf8Codec {
    /// Appends the bytes of the value.
    template <class T>
        requires Snapshotable<T>
    static void write(const T& value, ByteWriter& out) {
        DefaultCodec::write(value, out);
    }
    /// The value of the next bytes. When they are wrong, in.error() is set and any value is returned. @throws what T's
    /// functions throw
    template <class T>
        requires Snapshotable<T>
    static T read(ByteReader& in) {
        T value = DefaultCodec::read<T>(in);
        if (in.error() == nullptr && !detail::texts_are_utf8(value)) in.fail("snapshot: a text is not UTF-8");
        return value;
    }
};

SLOTWISE_END

#endif
