// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyCodec: how values of types that are known only at run time become bytes, and how they are read back.
#ifndef SLOTWISE_ROWS_ANY_CODEC_HPP
#define SLOTWISE_ROWS_ANY_CODEC_HPP

#include "../core/detail/seal.hpp"
#include "../core/type_descriptor.hpp"

SLOTWISE_BEGIN

/// Writes and reads values by their descriptors, for the types that it was given:
///     AnyCodec codec;
///     codec.add<Position>().add<std::string>();
///     const auto bytes = rows.snapshot(codec);
/// A type is recognised by the id of its descriptor.
class AnyCodec {
public:
    AnyCodec() = default;
    /// Values of type T are written and read as DefaultCodec does it, or by another codec without state.
    /// @throws std::bad_alloc; strong
    template <class T, class Codec = DefaultCodec>
    AnyCodec& add() {
        types_.push_back({TypeDescriptor::id_of<T>(), detail::size_check_of<T>(), detail::type_tag<Codec, T>(),
                          [](const void* value, ByteWriter& out) { Codec().write(*static_cast<const T*>(value), out); },
                          [](void* to, ByteReader& in) { ::new (to) T(Codec().template read<T>(in)); }});
        return *this;
    }

    /// Whether values of this type can be written and read.
    bool covers(const TypeDescriptor& type) const noexcept { return find(type) != nullptr; }
    /// What a snapshot has to tell types apart beside tag(): the size of a type that is written as its bytes; 0 of one that is
    /// written as its parts. @pre covers(type)
    std::uint32_t size_check(const TypeDescriptor& type) const noexcept { return find(type)->size_check; }
    /// The tag of the type in snapshots: the one that containers of T write with the same codec. @pre covers(type)
    std::uint64_t tag(const TypeDescriptor& type) const noexcept { return find(type)->tag; }
    /// Appends a value. @pre covers(type) @throws what the codec of the type throws
    void write(const TypeDescriptor& type, const void* value, ByteWriter& out) const { find(type)->write(value, out); }
    /// Builds a value at `to`, any value when the bytes are wrong; in.error() says what is. @pre covers(type)
    /// @throws what the codec of the type throws
    void read(const TypeDescriptor& type, void* to, ByteReader& in) const { find(type)->read(to, in); }

private:
    struct Entry {
        TypeId id;
        std::uint32_t size_check;
        std::uint64_t tag;
        void (*write)(const void* value, ByteWriter& out);
        void (*read)(void* to, ByteReader& in);
    };

    const Entry* find(const TypeDescriptor& type) const noexcept {
        for (const Entry& each : types_)
            if (type.id && each.id == type.id) return &each;
        return nullptr;
    }

    std::vector<Entry> types_;
};

SLOTWISE_END

#endif
