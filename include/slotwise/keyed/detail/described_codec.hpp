// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DescribedCodec: the codec of a container of described types. DescribedHash, DescribedEqual: its hash and equality.
#ifndef SLOTWISE_KEYED_DETAIL_DESCRIBED_CODEC_HPP
#define SLOTWISE_KEYED_DETAIL_DESCRIBED_CODEC_HPP

#include "../../rows/any_codec.hpp"
#include "../../rows/described_value.hpp"
#include "../../slots/snapshot.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Two codecs: an AnyCodec for keys and values, and one for static columns and times.
template <class Described, class Typed>
struct DescribedCodec {
    const Described& described;
    Typed& typed;

    template <class Column>
    static constexpr bool drops = drops_column<Typed, Column>;
    template <bool Reads, class T>
    static consteval bool covers() noexcept {
        return detail::covers<Reads, Typed, T>();
    }
    static constexpr bool writes_a_part = detail::writes_a_part<Typed>;
    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return detail::type_tag<Typed, T>();
    }
    std::uint64_t tag(const TypeDescriptor& type) const noexcept { return described_tag(described, type); }
    void write(const TypeDescriptor& type, const void* value, ByteWriter& out) { described.write(type, value, out); }
    void read(const TypeDescriptor& type, void* to, ByteReader& in) { described.read(type, to, in); }
    template <class T>
    void write(const T& value, ByteWriter& out) {
        typed.write(value, out);
    }
    template <class T>
    T read(ByteReader& in) {
        return typed.template read<T>(in);
    }
};

template <class>
inline constexpr bool is_described_codec = false;
template <class Described, class Typed>
inline constexpr bool is_described_codec<DescribedCodec<Described, Typed>> = true;

/// @throws std::invalid_argument when the codec cannot write and read values of the type
template <class Described>
void expect_covered(const Described& codec, const TypeDescriptor& type) {
    if (!codec.covers(type))
        throw_invalid_argument("described container snapshot: the codec lacks the type of its keys, or of its values; "
                               "codec.add<T>(), and describe it with its id");
}

/// The hash of the keys of a described type, given by address.
struct DescribedHash {
    using is_transparent = void;
    const TypeDescriptor* type = nullptr; ///< of the keys
    std::size_t operator()(const void* key) const { return type->hash(key); }
};

/// Their equality.
struct DescribedEqual {
    using is_transparent = void;
    const TypeDescriptor* type = nullptr; ///< of the keys
    bool operator()(const void* a, const void* b) const { return type->equal(a, b); }
};

} // namespace detail

SLOTWISE_END

#endif
