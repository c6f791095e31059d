// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Why at() finds no element, in words: which handle, id or key it was, and what is in the slot now. Texts are put together by
// functions that are no templates, so that a container's type costs one call.
#ifndef SLOTWISE_SLOTS_DETAIL_ABSENCE_HPP
#define SLOTWISE_SLOTS_DETAIL_ABSENCE_HPP

#include "../../config/error.hpp"
#include "../../core/id_traits.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Why a handle or an id has no element, as the end of a sentence.
inline constexpr const char* is_stale = "is stale";
inline constexpr const char* never_issued = "was never issued here";
inline constexpr const char* is_reserved = "is reserved, and its element comes later";
inline constexpr const char* is_pending = "was erased, and its element is pending";
inline constexpr const char* has_no_value = "has no value here";

/// What a slot is now, for the text.
struct SlotNow {
    slot_t slot = no_slot;
    std::uint32_t version = 0;
    SlotState state = SlotState::free;
    bool known = false; ///< otherwise the text does not mention the slot
};

/// The text of an error, built without an allocation. What does not fit is cut.
class ErrorText {
public:
    const char* chars() const noexcept { return chars_; }
    void add(char c) noexcept {
        if (size_ != sizeof chars_ - 1) chars_[size_++] = c;
    }
    SLOTWISE_COLD void add(const char* text) noexcept {
        for (; *text != '\0'; ++text) add(*text);
    }
    void add(std::uint64_t number) noexcept {
        HandleText digits;
        digits.append(number);
        add(static_cast<const char*>(digits.chars));
    }
    /// Nine digits are written, the last one rounded: enough to recognise the key.
    SLOTWISE_COLD void add(double number) noexcept {
        if (number != number) return add("nan");
        if (number < 0) add('-'), number = -number;
        if (number > 1.7976931348623157e308) return add("inf");
        int exponent = 0;
        for (; number >= 1e9; number /= 10) ++exponent;
        for (; number > 0 && number < 1e8; number *= 10) --exponent;
        auto rounded = static_cast<std::uint64_t>(number);
        if (number - static_cast<double>(rounded) >= 0.5) ++rounded;
        for (; rounded != 0 && rounded % 10 == 0; rounded /= 10) ++exponent;
        HandleText digits;
        digits.append(rounded);
        exponent += static_cast<int>(digits.size) - 1; // that of the first digit
        if (exponent >= -4 && exponent < 0) {
            add("0.");
            for (int zeros = exponent + 1; zeros != 0; ++zeros) add('0');
            return add(static_cast<const char*>(digits.chars));
        }
        const unsigned whole = exponent >= 0 && exponent < 9 ? static_cast<unsigned>(exponent) + 1 : 1;
        for (unsigned i = 0; i < digits.size || i < whole; ++i) {
            if (i == whole) add('.');
            add(i < digits.size ? digits.chars[i] : '0');
        }
        if (exponent >= 0 && exponent < 9) return;
        add(exponent < 0 ? "e-" : "e");
        add(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
    }
    /// In quotes. Of a long text the beginning; control bytes and quotes are escaped.
    SLOTWISE_COLD void add(const char* text, std::size_t size) noexcept {
        constexpr std::size_t most = 48;
        std::size_t end = size < most ? size : most;
        if (end != size) // not within a character of UTF-8
            for (unsigned step = 0; step != 3 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80; ++step) --end;
        add('"');
        for (std::size_t i = 0; i != end; ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            if (byte < 0x20 || byte == 0x7F) {
                add("\\x");
                add("0123456789abcdef"[byte >> 4]);
                add("0123456789abcdef"[byte & 15u]);
            } else {
                if (byte == '"' || byte == '\\') add('\\');
                add(text[i]);
            }
        }
        add(end != size ? "...\"" : "\"");
    }

private:
    char chars_[320]{};
    unsigned size_ = 0;
};

/// Throws std::out_of_range with a text like "slot map at(handle): no element has this handle; ask get(handle) (12v5 is stale:
/// slot 12 is at version 9)".
[[noreturn]] SLOTWISE_COLD inline void throw_absent(const char* message, const HandleText& id, const char* why,
                                                    SlotNow now = {}) {
    ErrorText text;
    text.add(message);
    text.add(" (");
    const bool is_null = id.chars[0] == 'n';
    text.add(is_null ? "the handle is null" : static_cast<const char*>(id.chars));
    if (!is_null) {
        text.add(" ");
        text.add(why);
    }
    if (now.known && !is_null) {
        text.add(": slot ");
        text.add(std::uint64_t{now.slot});
        if (now.state == SlotState::retired)
            text.add(" is retired");
        else {
            text.add(" is at version ");
            text.add(std::uint64_t{now.version});
            if (now.state != SlotState::live) {
                text.add(" and ");
                text.add(name_of(now.state));
            }
        }
    }
    text.add(")");
    throw_out_of_range(text.chars());
}

/// The text of an id that a user brings: as a handle where it has a version, else a number.
template <class Id>
HandleText text_of_id(Id id) noexcept {
    if constexpr (AnyHandle<Id>)
        return id.to_text();
    else {
        HandleText text;
        text.append(std::uint64_t{IdTraits<Id>::index(id)});
        if constexpr (IdTraits<Id>::versioned) {
            text.append("v");
            text.append(std::uint64_t{IdTraits<Id>::version(id)});
        }
        return text;
    }
}

//=== keys ===//

/// How long a text of type K may be: an array need not end with a zero.
template <class K>
inline constexpr std::size_t most_of = std::is_array_v<K> ? std::extent_v<K> : ~std::size_t{0};

[[noreturn]] SLOTWISE_COLD inline void throw_no_key(const char* message) { throw_out_of_range(message); }
template <class... Key>
[[noreturn]] SLOTWISE_COLD void throw_no_key_of(const char* message, const char* sign, Key... key) {
    ErrorText text;
    text.add(message);
    text.add(" (the key is ");
    text.add(sign);
    text.add(key...);
    text.add(")");
    throw_out_of_range(text.chars());
}

/// Throws std::out_of_range that names the key, if it is a number, an enumerator, a handle or a text.
/// @tparam Key of the container: where it is a pointer, what it points to may be gone
template <class Key, class K>
[[noreturn]] SLOTWISE_COLD void throw_no_key(const char* message, const K& key) {
    using Number = typename UnderlyingOf<K>::type;
    if constexpr (std::integral<Number> && sizeof(Number) <= 8) {
        const auto number = static_cast<std::uint64_t>(static_cast<Number>(key));
        const bool negative = std::signed_integral<Number> && static_cast<std::int64_t>(number) < 0;
        throw_no_key_of(message, negative ? "-" : "", negative ? 0 - number : number);
    } else if constexpr (std::floating_point<K>)
        throw_no_key_of(message, "", static_cast<double>(key));
    else if constexpr (AnyHandle<K>)
        throw_no_key_of(message, "", static_cast<const char*>(key.to_text().chars));
    else if constexpr (std::same_as<K, PublicId>) {
        const auto text = key.to_text();
        throw_no_key_of(message, "", static_cast<const char*>(text.chars), sizeof text.chars);
    } else if constexpr (requires {
                             { key.data() } -> std::convertible_to<const char*>;
                             { key.size() } -> std::convertible_to<std::size_t>;
                         })
        throw_no_key_of(message, "", static_cast<const char*>(key.data()), static_cast<std::size_t>(key.size()));
    else if constexpr (std::is_convertible_v<const K&, const char*> && !std::is_pointer_v<Key>) {
        const char* const text = key;
        std::size_t size = 0;
        while (size != most_of<K> && text[size] != '\0') ++size;
        throw_no_key_of(message, "", text, size);
    } else
        throw_no_key(message);
}

} // namespace detail

SLOTWISE_END

#endif
