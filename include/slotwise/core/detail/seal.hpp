// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every snapshot ends with: the types of its elements and a checksum. type_tag: a type as a number.
#ifndef SLOTWISE_CORE_DETAIL_SEAL_HPP
#define SLOTWISE_CORE_DETAIL_SEAL_HPP

#include "../codec.hpp"
#include "xxh3.hpp"

#include <initializer_list>

SLOTWISE_BEGIN
namespace detail {

/// What a type is to a codec. The numbers are in the bytes of snapshots.
enum class TypeKind : std::uint8_t {
    left_out = 0, // a column that a dropping codec left out
    boolean = 1,
    unsigned_integer = 2,
    signed_integer = 3,
    floating = 4,
    character = 5,
    handle = 6,
    block = 7, // its bytes: size and alignment
    own = 8,   // a codec of its own: the size, where values are trivially copyable
    text = 9,
    sequence = 10,
    array = 11,
    record = 12, // pairs, tuples, and the members of a struct
    optional = 13,
    duration = 14,
    time_point = 15,
    empty = 16,
    series = 17,
    variant = 18
};

/// Kind and details in one number, the same on every machine where the values have the same bytes.
constexpr std::uint64_t make_tag(TypeKind kind, std::uint64_t details) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 | (details & ~std::uint64_t{0} >> 8);
}
/// The tag of what consists of others: the checksum of the numbers.
constexpr std::uint64_t make_tag(TypeKind kind, std::initializer_list<std::uint64_t> parts) noexcept {
    Xxh3 all;
    for (const std::uint64_t part : parts) all.number(part);
    return make_tag(kind, all.finish());
}

template <class T>
consteval std::uint64_t tag_of() noexcept;

/// Of a type whose codec says nothing: its size, where that is its bytes.
template <class T>
consteval std::uint64_t opaque_tag() noexcept {
    return make_tag(TypeKind::own, std::is_trivially_copyable_v<T> ? sizeof(T) : 0);
}
template <class T>
consteval std::uint64_t custom_tag() noexcept {
    using Codec = CodecFor<T>;
    if constexpr (requires { static_cast<std::uint64_t>(Codec::type_tag); })
        return make_tag(TypeKind::own, Codec::type_tag);
    else if constexpr (std::is_enum_v<T>)
        return tag_of<std::underlying_type_t<T>>();
    else if constexpr (requires { typename Codec::parts; })
        return
            []<class... Ps>(TypeList<Ps...>) { return make_tag(TypeKind::record, {tag_of<Ps>()...}); }(typename Codec::parts{});
    else if constexpr (raw_by_choice<T>)
        return make_tag(TypeKind::block, sizeof(T) | std::uint64_t{alignof(T)} << 32);
    else
        return opaque_tag<T>();
}

/// The tag of a type as DefaultCodec writes it. Numbers are told apart by kind and size, enumerations are their underlying
/// types, handles their layouts; what has parts is its parts. `long` of 64 bits is what `long long` is.
template <class T>
consteval std::uint64_t tag_of() noexcept {
    constexpr Form form = form_of<T>();
    constexpr auto all = []<class... Ps>(TypeKind kind, TypeList<Ps...>) { return make_tag(kind, {tag_of<Ps>()...}); };
    if constexpr (form == Form::custom)
        return custom_tag<T>();
    else if constexpr (form == Form::boolean)
        return make_tag(TypeKind::boolean, 1);
    else if constexpr (std::is_floating_point_v<T>)
        return make_tag(TypeKind::floating, sizeof(T));
    else if constexpr (is_character<T>)
        return make_tag(TypeKind::character, sizeof(T));
    else if constexpr (std::is_integral_v<T>)
        return make_tag(std::is_signed_v<T> ? TypeKind::signed_integer : TypeKind::unsigned_integer, sizeof(T));
    else if constexpr (std::is_same_v<T, std::byte>)
        return make_tag(TypeKind::unsigned_integer, 1);
    else if constexpr (AnyHandle<T>)
        return make_tag(TypeKind::handle, T::layout.index_bits | std::uint64_t{HandleTraits<T::layout>::version_stamp} << 8 |
                                              std::uint64_t{T::layout.user_bits} << 16);
    else if constexpr (form == Form::array) {
        constexpr std::size_t count = [] {
            if constexpr (std::is_array_v<T>)
                return std::extent_v<T>;
            else
                return std::tuple_size_v<T>;
        }();
        return []<class P>(TypeList<P>) {
            return make_tag(TypeKind::array, {std::uint64_t{count}, tag_of<P>()});
        }(parts_of<T>());
    } else if constexpr (form == Form::tuple || form == Form::members)
        return all(TypeKind::record, parts_of<T>());
    else if constexpr (form == Form::optional)
        return all(TypeKind::optional, parts_of<T>());
    else if constexpr (form == Form::variant)
        return all(TypeKind::variant, parts_of<T>());
    else if constexpr (form == Form::text)
        return all(TypeKind::text, parts_of<T>());
    else if constexpr (form == Form::sequence)
        return all(TypeKind::sequence, parts_of<T>());
    else if constexpr (form == Form::count)
        return make_tag(TypeKind::duration,
                        {tag_of<typename T::rep>(), std::uint64_t{T::period::num}, std::uint64_t{T::period::den}});
    else if constexpr (form == Form::since)
        return all(TypeKind::time_point, parts_of<T>());
    else if constexpr (form == Form::empty)
        return make_tag(TypeKind::empty, 0);
    else
        return opaque_tag<T>();
}

/// The tag of a T that `Codec` writes. A codec may have `template <class T> static consteval std::uint64_t type_tag()`; codecs
/// that delegate do. Otherwise the type decides, whatever the codec does with it.
template <class Codec, class T>
consteval std::uint64_t type_tag() noexcept {
    if constexpr (requires { Codec::template type_tag<T>(); })
        return Codec::template type_tag<T>();
    else if constexpr (coding<T>.known)
        return tag_of<T>();
    else
        return opaque_tag<T>();
}

/// What snapshots have in front of values: the size of a number, of what its author calls raw bytes, and of what nothing else
/// is known of. Otherwise 0: the tag has the parts, and the size in memory is that of a platform. A struct of int32_t and
/// double has 12 bytes on i686 and 16 elsewhere, one with a pointer has two sizes.
template <class T, class Codec = DefaultCodec>
consteval std::uint32_t size_check_of() noexcept {
    constexpr Form form = form_of<T>();
    bool tagged = form != Form::none && form != Form::raw && !raw_by_choice<T> && tag_of<T>() != opaque_tag<T>();
    if constexpr (requires { Codec::template type_tag<T>(); })
        tagged = tagged || Codec::template type_tag<T>() == 0; // what it is a part of has the tags
    return std::is_trivially_copyable_v<T> && !tagged ? static_cast<std::uint32_t>(sizeof(T)) : 0;
}
/// The same of a type that is known at run time. A class with the functions of AnyCodec need not have size_check().
template <class Codec, class Descriptor>
std::uint32_t described_size_check(const Codec& codec, const Descriptor& type) noexcept {
    if constexpr (requires { codec.size_check(type); })
        return codec.size_check(type);
    else
        return type.trivial ? static_cast<std::uint32_t>(type.size) : 0;
}

/// The tag of a type that is known at run time, which the codec covers. A class with the functions of AnyCodec need not have
/// tag().
template <class Codec, class Descriptor>
std::uint64_t described_tag(const Codec& codec, const Descriptor& type) noexcept {
    if constexpr (requires { codec.tag(type); })
        return codec.tag(type);
    else
        return make_tag(TypeKind::own, type.trivial ? type.size : 0);
}

/// What the elements of one type are to their container.
enum class ElementRole : std::uint8_t { key, value, column, id, location, node, time, component };

/// One type of a snapshot.
struct ElementTag {
    ElementRole role;
    std::uint64_t tag;
};

/// The error for bytes with elements of another type: which elements these are, and of what type.
class TypeMismatch {
public:
    static const char* text(ElementRole role, std::uint64_t found, std::uint64_t wanted) noexcept {
        std::size_t name = name_of(found);
        if (found >> 56 == wanted >> 56) { // tags of what has parts are checksums: the parts are not known
            const auto kind = static_cast<TypeKind>(found >> 56);
            if (kind == TypeKind::record) name = other_members;
            if (kind == TypeKind::own) name = other_codec;
        }
        return texts[static_cast<std::size_t>(role)][name];
    }

private:
    static constexpr std::size_t other_members = 28, other_codec = 29;

    static std::size_t name_of(std::uint64_t tag) noexcept {
        const auto sized = [&](std::size_t first, std::initializer_list<std::uint64_t> sizes) {
            std::size_t at = first;
            for (const std::uint64_t size : sizes) {
                if ((tag & 0xFFu) == size) return at;
                ++at;
            }
            return std::size_t{0};
        };
        switch (static_cast<TypeKind>(tag >> 56)) {
        case TypeKind::boolean:
            return 1;
        case TypeKind::unsigned_integer:
            return sized(2, {1, 2, 4, 8});
        case TypeKind::signed_integer:
            return sized(6, {1, 2, 4, 8});
        case TypeKind::floating:
            return sized(10, {4, 8});
        case TypeKind::character:
            return sized(12, {1, 2, 4});
        case TypeKind::handle:
            return 15;
        case TypeKind::block:
            return 16;
        case TypeKind::own:
            return 17;
        case TypeKind::text:
            return 18;
        case TypeKind::sequence:
            return 19;
        case TypeKind::array:
            return 20;
        case TypeKind::record:
            return 21;
        case TypeKind::optional:
            return 22;
        case TypeKind::duration:
            return 23;
        case TypeKind::time_point:
            return 24;
        case TypeKind::empty:
            return 25;
        case TypeKind::series:
            return 26;
        case TypeKind::variant:
            return 27;
        case TypeKind::left_out:
            break;
        }
        return 0;
    }
// Literals, because joining them in a constant expression took 0.4 s of every file that includes this header.
#define SLOTWISE_TEXT(role, name) "snapshot: its " role " are " name ", and those of this container are of another type"
#define SLOTWISE_TEXTS(role)                                                                                                   \
    {                                                                                                                          \
        SLOTWISE_TEXT(role, "of another type"), SLOTWISE_TEXT(role, "bool"), SLOTWISE_TEXT(role, "uint8"),                     \
            SLOTWISE_TEXT(role, "uint16"), SLOTWISE_TEXT(role, "uint32"), SLOTWISE_TEXT(role, "uint64"),                       \
            SLOTWISE_TEXT(role, "int8"), SLOTWISE_TEXT(role, "int16"), SLOTWISE_TEXT(role, "int32"),                           \
            SLOTWISE_TEXT(role, "int64"), SLOTWISE_TEXT(role, "float32"), SLOTWISE_TEXT(role, "float64"),                      \
            SLOTWISE_TEXT(role, "char"), SLOTWISE_TEXT(role, "char16"), SLOTWISE_TEXT(role, "char32"),                         \
            SLOTWISE_TEXT(role, "handles"), SLOTWISE_TEXT(role, "blocks of bytes"),                                            \
            SLOTWISE_TEXT(role, "of a type with a codec of its own"), SLOTWISE_TEXT(role, "texts"),                            \
            SLOTWISE_TEXT(role, "sequences"), SLOTWISE_TEXT(role, "arrays"), SLOTWISE_TEXT(role, "pairs, tuples or structs"),  \
            SLOTWISE_TEXT(role, "optional"), SLOTWISE_TEXT(role, "durations"), SLOTWISE_TEXT(role, "time points"),             \
            SLOTWISE_TEXT(role, "empty"), SLOTWISE_TEXT(role, "series"), SLOTWISE_TEXT(role, "variants"),                      \
            "snapshot: its " role " are structs, pairs or tuples with other members than those of this container",             \
            "snapshot: its " role " have a codec with another type_tag or size than those of this container"                   \
    }
    static constexpr const char* texts[][30] = {SLOTWISE_TEXTS("keys"),          SLOTWISE_TEXTS("values"),
                                                SLOTWISE_TEXTS("column values"), SLOTWISE_TEXTS("ids"),
                                                SLOTWISE_TEXTS("locations"),     SLOTWISE_TEXTS("nodes"),
                                                SLOTWISE_TEXTS("times"),         SLOTWISE_TEXTS("component values")};
#undef SLOTWISE_TEXTS
#undef SLOTWISE_TEXT
};

/// The errors for a column that only one of the two codecs drops: the one that reads, or the one that wrote.
inline constexpr const char* restore_drops =
    "snapshot: it has a column that this restore drops; restore it without dropping<Column>()";
inline constexpr const char* was_dropped =
    "snapshot: a column was dropped when it was made; restore it with the same dropping<Column>()";

/// Whether what a codec writes is a part of other bytes, which have the checksum of all.
template <class Codec>
inline constexpr bool writes_a_part = requires { requires Codec::writes_a_part; };

/// Whether a codec writes (or reads) a T, according to its declarations.
template <bool Reads, class Codec, class T>
consteval bool covers() noexcept {
    if constexpr (std::is_same_v<Codec, DefaultCodec>)
        return Snapshotable<T>;
    else if constexpr (requires { Codec::template covers<Reads, T>(); }) // it delegates to the inner codec
        return Codec::template covers<Reads, T>();
    else if constexpr (Reads)
        return requires(Codec& codec, ByteReader& in) {
            { codec.template read<T>(in) } -> std::same_as<T>;
        };
    else
        return requires(Codec& codec, const T& value, ByteWriter& out) { codec.write(value, out); };
}

/// Delegates to another codec, for a container that is written as a part of another one.
template <class Codec>
struct PartCodec {
    Codec& codec;
    static constexpr bool writes_a_part = true;
    template <class Column>
    static constexpr bool drops = requires { requires Codec::template drops<Column>; };
    template <bool Reads, class T>
    static consteval bool covers() noexcept {
        return detail::covers<Reads, Codec, T>();
    }
    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return detail::type_tag<Codec, T>();
    }
    template <class T>
    void write(const T& value, ByteWriter& out) {
        codec.write(value, out);
    }
    template <class T>
    T read(ByteReader& in) {
        return codec.template read<T>(in);
    }
};
/// The codec itself, if it writes parts.
template <class Codec>
auto as_part(Codec& codec) noexcept {
    if constexpr (writes_a_part<Codec>)
        return codec;
    else
        return PartCodec<Codec>{codec};
}

/// The end of every snapshot: the tags of the types of its elements, how many these are, a mark, and the XXH3-64 of all bytes
/// before. The outermost snapshot() closes, and the outermost try_restore() opens before it reads. What a container writes as a
/// part of another one ends with its tags and their number.
struct Seal {
    static constexpr std::uint32_t mark = 0x3245'4C53; // "SLE2"
    /// The error for bytes without the mark.
    static constexpr const char* unmarked =
        "snapshot: these bytes are not a slotwise snapshot, are cut off, or are of version 0.2 or earlier";
    static constexpr std::size_t room = 1024; // for it, and for what is in front of the elements
    static constexpr std::size_t least = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t); // bytes it takes

    /// Ends the bytes.
    template <class Codec = DefaultCodec>
    static std::vector<std::byte> close(ByteWriter& out, std::span<const ElementTag> tags) {
        append<Codec>(out, tags, 0);
        return out.take();
    }
    /// Ends the bytes from number `first` on.
    template <class Codec = DefaultCodec>
    static void append(ByteWriter& out, std::span<const ElementTag> tags, std::size_t first) {
        out.reserve(tags.size() * sizeof(std::uint64_t) + least);
        for (const ElementTag& each : tags) out.number(each.tag);
        out.number(static_cast<std::uint32_t>(tags.size()));
        if constexpr (!writes_a_part<Codec>) {
            out.number(mark);
            out.number(Xxh3::of(out.written().subspan(first)));
        }
    }
    template <class Codec = DefaultCodec>
    static std::vector<std::byte> close(ByteWriter& out, std::initializer_list<ElementTag> tags) {
        return close<Codec>(out, std::span<const ElementTag>(tags.begin(), tags.size()));
    }
    /// Checks the end of `bytes` and removes it. Returns what is wrong with them; null on success.
    /// @param kind what the bytes of such a container begin with: if these do not, their reader says what they are not
    template <class Codec = DefaultCodec>
    static const char* open(std::span<const std::byte>& bytes, std::uint32_t kind, std::span<const ElementTag> tags) noexcept {
        if constexpr (!writes_a_part<Codec>)
            if (const char* const error = checked(bytes)) return error;
        return compare(bytes, kind, tags);
    }
    template <class Codec = DefaultCodec>
    static const char* open(std::span<const std::byte>& bytes, std::uint32_t kind,
                            std::initializer_list<ElementTag> tags) noexcept {
        return open<Codec>(bytes, kind, std::span<const ElementTag>(tags.begin(), tags.size()));
    }
    /// The first of the open's two steps: mark and checksum, which are removed. Nothing else of the bytes is looked at before.
    static const char* checked(std::span<const std::byte>& bytes) noexcept {
        constexpr std::size_t end = sizeof mark + sizeof(std::uint64_t);
        if (bytes.size() < end) return "snapshot: the bytes end too early";
        if (number_at(bytes, bytes.size() - end, sizeof mark) != mark) return unmarked;
        const std::size_t body = bytes.size() - sizeof(std::uint64_t);
        if (Xxh3::of(bytes.first(body)) != number_at(bytes, body, sizeof(std::uint64_t)))
            return "snapshot: the bytes are damaged: their checksum is another one";
        bytes = bytes.first(bytes.size() - end);
        return nullptr;
    }

private:
    // The tags, which are removed.
    static const char* compare(std::span<const std::byte>& bytes, std::uint32_t kind,
                               std::span<const ElementTag> tags) noexcept {
        if (bytes.size() < sizeof(std::uint32_t)) return "snapshot: the bytes end too early";
        const auto ended = bytes.first(bytes.size() - sizeof(std::uint32_t));
        const std::uint64_t count = number_at(bytes, ended.size(), sizeof(std::uint32_t));
        if (count > ended.size() / sizeof(std::uint64_t)) return "snapshot: the bytes end too early";
        std::size_t at = ended.size() - static_cast<std::size_t>(count) * sizeof(std::uint64_t);
        bytes = ended.first(at);
        if (at < sizeof kind || number_at(bytes, 0, sizeof kind) != kind) return nullptr;
        for (const ElementTag& each : tags) {
            if (at == ended.size()) break;
            const std::uint64_t found = number_at(ended, at, sizeof(std::uint64_t));
            if (found != each.tag)
                return each.tag == 0 ? restore_drops
                       : found == 0  ? was_dropped
                                     : TypeMismatch::text(each.role, found, each.tag);
            at += sizeof found;
        }
        if (count != tags.size()) return "snapshot: it was made by a container with other columns";
        return nullptr;
    }
    static std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t size) noexcept {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i != size; ++i) value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
        return value;
    }
};

/// Lets a container without a codec write its bytes as a part of another one's, and read them back.
struct Unsealed {
    template <class Container>
    static std::vector<std::byte> snapshot(const Container& container) {
        ByteWriter out;
        container.write_state(out);
        return out.take();
    }
    template <class Container>
    static const char* try_restore(Container& container, std::span<const std::byte> bytes) {
        return container.read_state(bytes);
    }
};
/// The number that begins with the first four bytes of a header, lowest first.
template <class Bytes>
std::uint32_t number_of(const Bytes& header) noexcept {
    std::uint32_t number = 0;
    unsigned at = 0;
    for (const std::uint8_t byte : header)
        if (at != 4) number |= std::uint32_t{byte} << (8 * at++);
    return number;
}
/// One list of tags behind the other.
template <std::size_t... Ns>
constexpr auto join_tags(const std::array<ElementTag, Ns>&... lists) noexcept {
    std::array<ElementTag, (Ns + ... + 0)> all{};
    std::size_t at = 0;
    const auto append = [&](const auto& list) {
        for (const ElementTag& each : list) all[at++] = each;
    };
    (append(lists), ...);
    return all;
}

} // namespace detail

SLOTWISE_END

#endif
