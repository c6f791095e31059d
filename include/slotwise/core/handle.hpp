// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Handle: a name for one insertion of one element, for ever. {index, version, user bits} in one integer.
#ifndef SLOTWISE_CORE_HANDLE_HPP
#define SLOTWISE_CORE_HANDLE_HPP

#include "../config/assert.hpp"
#include "../fwd.hpp"
#include "detail/bits.hpp"
#include "with.hpp"

#include <compare>
#include <optional>
#include <type_traits>
#include <typeindex> // the cheapest standard header that declares std::hash (<functional> costs ten times as much)

SLOTWISE_BEGIN
namespace detail {

template <unsigned Bits>
using uint_of_bits = std::conditional_t<
    Bits <= 8, std::uint8_t,
    std::conditional_t<Bits <= 16, std::uint16_t, std::conditional_t<Bits <= 32, std::uint32_t, std::uint64_t>>>;

template <HandleLayout L>
struct HandleTraits {
    static constexpr unsigned total_bits = L.index_bits + L.version_bits + L.user_bits;
    static_assert(total_bits == 16 || total_bits == 32 || total_bits == 64,
                  "HandleLayout: index_bits + version_bits + user_bits must be 16, 32 or 64");
    static_assert(L.index_bits >= 1 && L.index_bits <= 32, "HandleLayout: index_bits must be 1 to 32");
    static_assert(L.version_bits >= 1 && L.version_bits <= 32, "HandleLayout: version_bits must be 1 to 32");
    static_assert(L.version_bits <= 31 || !L.dense_versions, "HandleLayout: dense_versions needs version_bits of at most 31");
    static_assert(L.user_bits <= 62, "HandleLayout: user_bits must leave room for index and version");

    using bits_type = uint_of_bits<total_bits>;
    using version_type = uint_of_bits<L.version_bits + (L.dense_versions ? 1 : 0)>; ///< what a container stores per slot

    static constexpr std::uint32_t index_mask = static_cast<std::uint32_t>((std::uint64_t{1} << L.index_bits) - 1);
    /// Of the bits that a handle has for it: a version, or a generation.
    static constexpr std::uint32_t version_mask = static_cast<std::uint32_t>((std::uint64_t{1} << L.version_bits) - 1);
    static constexpr std::uint32_t max_version = L.dense_versions ? 2 * version_mask - 1 : version_mask;
    static constexpr std::uint64_t user_mask = (std::uint64_t{1} << L.user_bits) - 1;
    static constexpr unsigned user_shift = L.user_bits == 0 ? 0 : L.index_bits + L.version_bits; // a shift by 64 is no shift
    static constexpr bits_type null_bits = static_cast<bits_type>(L.null_is_ones ? ~std::uint64_t{0} : 0);
    /// Slots a handle can name; no_slot is never one of them, and a null handle of ones names none either.
    static constexpr std::size_t max_slots =
        index_mask == no_slot || L.null_is_ones ? std::size_t{index_mask} : std::size_t{index_mask} + 1;
    /// What snapshots note of the version's bits.
    static constexpr std::uint8_t version_stamp =
        static_cast<std::uint8_t>(L.version_bits + (L.dense_versions ? 128 : 0) + (L.null_is_ones ? 64 : 0));

    /// A version that was counted up by 1 or 2: after the last one comes 0.
    SLOTWISE_ALWAYS_INLINE static constexpr std::uint32_t wrapped(std::uint32_t version) noexcept {
        if constexpr (L.dense_versions)
            return version > max_version ? 0 : version;
        else
            return version & max_version;
    }
    /// The version of a vacant slot one use before.
    static constexpr std::uint32_t one_use_before(std::uint32_t version) noexcept {
        if constexpr (L.dense_versions)
            return version == 0 ? max_version - 1 : version - 2;
        else
            return (version - 2u) & max_version;
    }
    /// The bits for a version, and back.
    SLOTWISE_ALWAYS_INLINE static constexpr std::uint32_t to_field(std::uint32_t version) noexcept {
        if constexpr (L.dense_versions)
            return (version & 1u) != 0 ? version / 2 + 1 : 0;
        else
            return version;
    }
    SLOTWISE_ALWAYS_INLINE static constexpr std::uint32_t from_field(std::uint32_t field) noexcept {
        if constexpr (L.dense_versions)
            return 2 * field - (field != 0 ? 1 : 0);
        else
            return field;
    }
};

/// Whether a container never issued the handle: its version is even, or its slot is that of a null handle of ones.
template <class Tag, HandleLayout L>
SLOTWISE_ALWAYS_INLINE constexpr bool never_live(const Handle<Tag, L>& handle) noexcept {
    if constexpr (L.null_is_ones)
        return (handle.version() & 1u) == 0 || handle.index() == handle.max_index;
    else
        return (handle.version() & 1u) == 0;
}

/// A short zero-terminated text without allocation.
struct HandleText {
    char chars[48]{};
    unsigned size = 0;

    constexpr void append(const char* text) noexcept {
        for (; *text != '\0'; ++text) chars[size++] = *text;
    }
    constexpr void append(std::uint64_t number) noexcept {
        char digits[20]{};
        unsigned count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        while (count != 0) chars[size++] = digits[--count];
    }
};

/// Reads what HandleText::append(number) writes.
/// @param at where to begin; then where the number ended @return false: there is none, or it is written another way
constexpr bool read_number(const char*& at, const char* end, std::uint64_t& number) noexcept {
    const char* const begin = at;
    number = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
        const auto digit = static_cast<unsigned>(*at - '0');
        if (number > (~std::uint64_t{0} - digit) / 10) return false;
        number = number * 10 + digit;
    }
    return at != begin && (*begin != '0' || at - begin == 1);
}

/// Whether the character may be part of a handle's text.
constexpr bool in_handle_text(char c) noexcept {
    return (c >= '0' && c <= '9') || c == 'v' || c == '#' || c == 'n' || c == 'u' || c == 'l';
}

} // namespace detail

/// Refers to one insertion of one element. Handles of different tags or layouts are different types and do not compare. A
/// value-initialised handle is null: all bits zero, or one (HandleLayout::null_is_ones), resolves nowhere. A live element's
/// version is odd. Any bit pattern is a valid Handle object: the lookup of an untrusted one finds nothing.
/// @tparam Tag names what the handle refers to; may be an incomplete type
/// @tparam L how the bits are divided: index lowest, then version (or generation, see dense_versions), then user bits
template <class Tag, HandleLayout L>
class Handle {
    using traits = detail::HandleTraits<L>;
    static_assert(
        !requires { typename detail::HandlesOf<Tag>::type; },
        "Handle<Container>: the handle type of a container has another name; write HandleOf<Container>");

public:
    /// What the handle refers to.
    using tag_type = Tag;
    /// The integer that holds a handle.
    using bits_type = typename traits::bits_type;
    /// The type of version(), for any number of bits.
    using version_type = std::uint32_t;
    /// How the bits are divided.
    static constexpr HandleLayout layout = L;
    /// The highest slot number that fits.
    static constexpr std::uint32_t max_index = traits::index_mask;
    /// The highest version that fits.
    static constexpr std::uint32_t max_version = traits::max_version;

    /// The highest generation that fits: how often a slot can be used. With dense_versions all bits count.
    static constexpr std::uint32_t max_generation = traits::max_version / 2 + 1;

    /// The null handle.
    constexpr Handle() noexcept = default;

    /// A handle of these parts. With dense_versions an even version, which no container issues, becomes 0.
    /// @pre each part fits its bits (checked at level fast)
    SLOTWISE_ALWAYS_INLINE constexpr Handle(slot_t index, version_type version, std::uint64_t user_bits = 0) noexcept
        : bits_(static_cast<bits_type>(std::uint64_t{index} | std::uint64_t{traits::to_field(version)} << L.index_bits |
                                       (user_bits & traits::user_mask) << traits::user_shift)) {
        SLOTWISE_EXPECT(index <= max_index, "Handle: index does not fit index_bits");
        SLOTWISE_EXPECT(version <= max_version, "Handle: version does not fit version_bits");
        SLOTWISE_EXPECT(user_bits <= traits::user_mask, "Handle: user bits do not fit user_bits");
    }

    /// The handle whose bits are `bits`; every pattern is accepted and kept as it is. to_bits(from_bits(b)) == b.
    static constexpr Handle from_bits(bits_type bits) noexcept {
        Handle handle;
        handle.bits_ = bits;
        return handle;
    }
    /// All bits, to be stored or sent.
    constexpr bits_type to_bits() const noexcept { return bits_; }

    /// The slot. It is 0 for null and for slot 0 (max_index for a null handle of ones); call is_null() first.
    SLOTWISE_ALWAYS_INLINE constexpr slot_t index() const noexcept { return static_cast<slot_t>(bits_ & traits::index_mask); }
    /// The version of the slot at the insertion; odd for every handle that a container has issued.
    SLOTWISE_ALWAYS_INLINE constexpr version_type version() const noexcept {
        return traits::from_field(static_cast<version_type>((std::uint64_t{bits_} >> L.index_bits) & traits::version_mask));
    }
    /// Which use of the slot it names, as engines count: 1 for the first element in it, 2 for the second. 0 for null and every
    /// other handle that no container issues.
    constexpr version_type generation() const noexcept { return detail::never_live(*this) ? 0 : version() / 2 + 1; }
    /// The handle of this use of the slot: from_generation(h.index(), h.generation(), h.user_bits()) == h for each h that a
    /// container has issued. @pre each part fits: generation at most max_generation (checked at level fast)
    static constexpr Handle from_generation(slot_t index, version_type generation, std::uint64_t user_bits = 0) noexcept {
        SLOTWISE_EXPECT(generation <= max_generation, "Handle: generation does not fit version_bits");
        return Handle(index, 2 * generation - (generation != 0 ? 1 : 0), user_bits);
    }
    /// The caller's bits: carried along, ignored by every lookup, part of equality.
    constexpr std::uint64_t user_bits() const noexcept {
        return (std::uint64_t{bits_} >> traits::user_shift) & traits::user_mask;
    }
    /// The same handle with other user bits. @pre user_bits fits
    constexpr Handle with_user_bits(std::uint64_t user_bits) const noexcept { return Handle(index(), version(), user_bits); }

    /// The null handle, by name.
    static constexpr Handle null() noexcept { return Handle(); }
    /// Whether it names nothing: all bits are zero, or one (HandleLayout::null_is_ones).
    constexpr bool is_null() const noexcept { return bits_ == null_bits; }
    constexpr explicit operator bool() const noexcept { return bits_ != null_bits; }

    /// Equal when all bits are equal. Ordered by index, then version, then user bits: sorted handles visit memory in order.
    friend constexpr bool operator==(Handle, Handle) noexcept = default;
    friend constexpr std::strong_ordering operator<=>(Handle a, Handle b) noexcept {
        if (a.index() != b.index()) return a.index() <=> b.index();
        if (a.version() != b.version()) return a.version() <=> b.version(); // user bits lie above the version
        return a.bits_ <=> b.bits_;
    }

    /// Whether it is null.
    friend constexpr bool operator==(Handle handle, std::nullptr_t) noexcept { return handle.is_null(); }

    /// "12v5", "12v5#3" with user bits, or "null". Include <string> to call it.
    template <class String = std::string> // a parameter: the type is only declared here
    friend constexpr String to_string(Handle handle) {
        const auto text = handle.to_text();
        return String(text.chars, text.size);
    }
    /// Reads the text that to_string() writes. Empty for any other text, for example when a part does not fit its bits.
    /// @param text a string, a string view, or zero-terminated characters
    template <class Text>
        requires requires(const Text& text) { static_cast<const char*>(text.data()) + text.size(); }
    static constexpr std::optional<Handle> from_string(const Text& text) noexcept {
        return parse(text.data(), text.data() + text.size());
    }
    static constexpr std::optional<Handle> from_string(const char* text) noexcept {
        const char* end = text;
        while (*end != '\0') ++end;
        return parse(text, end);
    }

    /// Writes to_string(handle). Width and fill apply.
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, Handle handle) {
        return out << static_cast<const char*>(handle.to_text().chars);
    }
    /// Reads what operator<< writes, up to the first character that cannot belong to a handle. Sets failbit on other text and
    /// leaves the handle unchanged.
    template <class Char, class Traits>
    friend std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& in, Handle& handle) {
        const typename std::basic_istream<Char, Traits>::sentry ready(in);
        if (!ready) return in;
        detail::HandleText text;
        for (auto next = in.peek(); next != Traits::eof() && text.size != sizeof text.chars; next = in.peek()) {
            const char c = in.narrow(Traits::to_char_type(next), '\0');
            if (!detail::in_handle_text(c)) break;
            text.chars[text.size++] = c;
            in.ignore();
        }
        if (const auto read = parse(text.chars, text.chars + text.size))
            handle = *read;
        else
            in.setstate(std::basic_ios<Char, Traits>::failbit);
        return in;
    }

    /// The characters of to_string() without allocation: {chars, size}, zero-terminated.
    constexpr detail::HandleText to_text() const noexcept {
        detail::HandleText text;
        if (is_null()) {
            text.append("null");
            return text;
        }
        text.append(index());
        text.append("v");
        text.append(version());
        if (user_bits() == 0) return text;
        text.append("#");
        text.append(user_bits());
        return text;
    }

private:
    static constexpr std::optional<Handle> parse(const char* at, const char* end) noexcept {
        const auto skip = [&](char c) {
            if (at == end || *at != c) return false;
            ++at;
            return true;
        };
        if (end - at == 4 && skip('n') && skip('u') && skip('l') && skip('l')) return Handle();
        std::uint64_t index = 0, version = 0, user = 0;
        if (!detail::read_number(at, end, index) || !skip('v') || !detail::read_number(at, end, version)) return std::nullopt;
        if (skip('#') && (!detail::read_number(at, end, user) || user == 0)) return std::nullopt;
        if (at != end || index > max_index || version > max_version || user > traits::user_mask) return std::nullopt;
        if (L.dense_versions && version != 0 && version % 2 == 0) return std::nullopt;
        const Handle handle(static_cast<slot_t>(index), static_cast<version_type>(version), user);
        if (handle.is_null()) return std::nullopt; // written "null"
        return handle;
    }

    static constexpr bits_type null_bits = traits::null_bits;
    using null_type = std::integral_constant<bits_type, null_bits>; // a constant that is used is known to debuggers

    bits_type bits_ = null_bits;
};

namespace detail {

template <class H>
inline constexpr bool is_handle = false;
template <class Tag, HandleLayout L>
inline constexpr bool is_handle<Handle<Tag, L>> = true;

constexpr const char* name_of(SlotState state) noexcept {
    constexpr const char* names[] = {"free", "live", "pending", "reserved", "retired"};
    return names[static_cast<unsigned>(state)];
}
constexpr const char* name_of(InsertKind kind) noexcept { return kind == InsertKind::fresh ? "fresh" : "resurrected"; }
constexpr const char* name_of(HandleStatus status) noexcept {
    constexpr const char* names[] = {"null", "out_of_range", "live", "stale", "pending", "reserved", "retired"};
    return names[static_cast<unsigned>(status)];
}

/// An enumeration whose values are printed by name.
template <class E>
concept NamedEnum = std::is_same_v<E, HandleStatus> || std::is_same_v<E, SlotState> || std::is_same_v<E, InsertKind>;

} // namespace detail

/// Writes the name of a HandleStatus, a SlotState or an InsertKind, such as "stale". Width and fill apply.
template <class Char, class Traits, detail::NamedEnum E>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, E value) {
    return out << detail::name_of(value);
}
/// The name of a HandleStatus, a SlotState or an InsertKind, such as "stale". Include <string> to call it.
template <detail::NamedEnum E, class String = std::string>
constexpr String to_string(E value) {
    return String(detail::name_of(value));
}
SLOTWISE_END

/// Mixes all bits (the two-round xorshift-multiply of C. Rettig, https://mostlymangling.blogspot.com), so that tables which
/// take low bits spread slots and versions.
template <class Tag, slotwise::HandleLayout L>
struct std::hash<slotwise::Handle<Tag, L>> {
    constexpr std::size_t operator()(slotwise::Handle<Tag, L> handle) const noexcept {
        std::uint64_t x = handle.to_bits();
        x = (x ^ (x >> 32)) * 0xD6E8'FEB8'6659'FD93u;
        x = (x ^ (x >> 32)) * 0xD6E8'FEB8'6659'FD93u;
        return slotwise::bits::to_size(x ^ (x >> 32));
    }
};

#endif
