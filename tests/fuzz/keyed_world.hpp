// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the families with keys share (keyed, series): keys and values made of numbers, hashes that tables dislike, bytes of
// them.
#ifndef SLOTWISE_TESTS_FUZZ_KEYED_WORLD_HPP
#define SLOTWISE_TESTS_FUZZ_KEYED_WORLD_HPP

#include "world.hpp"

#include <slotwise/slots/snapshot.hpp>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace test {

inline constexpr unsigned key_count = 256;

//=== keys and values ===//

/// Two of three strings are too long for the small string buffer, so that a leak or a use after free is seen.
template <class T>
T made_from(unsigned number) {
    if constexpr (std::is_same_v<T, std::string>)
        return (number % 3 == 0 ? "" : "what lives on the heap, number ") + std::to_string(number);
    else
        return T(static_cast<std::conditional_t<std::is_same_v<T, Counted>, int, T>>(number));
}
template <class T>
unsigned number_of(const T& made) {
    if constexpr (std::is_same_v<T, std::string>) {
        unsigned number = 0, power = 1;
        for (std::size_t i = made.size(); i-- != 0 && made[i] >= '0' && made[i] <= '9'; power *= 10)
            number += power * static_cast<unsigned>(made[i] - '0');
        return number;
    } else if constexpr (std::is_same_v<T, Counted>)
        return static_cast<unsigned>(made.value());
    else
        return static_cast<unsigned>(made);
}

/// Integer keys lie far apart, as keys in real use do: table code must not live off their being small.
template <class Key>
inline constexpr unsigned key_shift = !std::is_unsigned_v<Key> ? 0
                                      : sizeof(Key) == 8       ? 48
                                                               : 12;
template <class Key>
const Key& key_of(unsigned id) {
    static const std::vector<Key> keys = [] {
        std::vector<Key> all;
        for (unsigned i = 0; i != key_count; ++i)
            if constexpr (std::is_unsigned_v<Key>)
                all.push_back(static_cast<Key>(Key{i} << key_shift<Key>));
            else
                all.push_back(made_from<Key>(i));
        return all;
    }();
    return keys[id];
}
template <class Key>
unsigned id_of(const Key& key) {
    if constexpr (std::is_unsigned_v<Key>)
        return static_cast<unsigned>(key >> key_shift<Key>);
    else
        return number_of(key);
}

//=== hashes ===//

/// Four hashes in all: long chains of equal fingerprints. Declared avalanching, so that nothing mixes them.
template <class Key>
struct FourHash {
    using is_avalanching = void;
    std::size_t operator()(const Key& key) const noexcept { return id_of(key) & 3u; }
};
/// The key's number as it is: nothing in the high bits.
template <class Key>
struct LowHash {
    using is_avalanching = void;
    std::size_t operator()(const Key& key) const noexcept { return id_of(key); }
};
/// Nothing in the low bits.
template <class Key>
struct HighHash {
    using is_avalanching = void;
    std::size_t operator()(const Key& key) const noexcept { return std::size_t{id_of(key)} << (8 * sizeof(std::size_t) - 8); }
};
/// Of its own in each container that is not a copy.
template <class Key>
class OwnHash {
public:
    OwnHash() noexcept : seed_(++made_) {}
    std::size_t operator()(const Key& key) const noexcept {
        return static_cast<std::size_t>((std::uint64_t{id_of(key)} + seed_) * 0x9E37'79B9'7F4A'7C15u);
    }

private:
    static inline std::uint64_t made_ = 0;
    std::uint64_t seed_;
};
/// Of strings, transparent: a handful of lengths.
struct LengthHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return text.size(); }
};
/// Of Counted, transparent: an int is asked without making a key.
struct CountedHash {
    using is_transparent = void;
    std::size_t operator()(int number) const noexcept { return static_cast<std::size_t>(number); }
    std::size_t operator()(const Counted& key) const noexcept { return static_cast<std::size_t>(key.value()); }
};

//=== bytes ===//

/// The same bytes on every machine.
struct ByteCodec {
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        if constexpr (std::is_same_v<T, std::string>) {
            out.number(static_cast<std::uint32_t>(value.size()));
            out.raw(value.data(), value.size());
        } else if constexpr (std::is_same_v<T, Counted>)
            out.number(static_cast<std::uint32_t>(value.value()));
        else
            out.number(static_cast<std::make_unsigned_t<T>>(value));
    }
    template <class T>
    static T read(ByteReader& in) {
        if constexpr (std::is_same_v<T, std::string>) {
            const auto bytes = in.raw(in.number<std::uint32_t>());
            return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        } else if constexpr (std::is_same_v<T, Counted>) {
            // Every number but that of a moved-from one.
            return Counted(static_cast<int>(in.number<std::uint32_t>() & 0x7FFF'FFFFu));
        } else
            return static_cast<T>(in.number<std::make_unsigned_t<T>>());
    }
};

/// What try_restore answers must be a reason.
inline bool is_reason(const char* error) { return std::string_view(error).starts_with("snapshot: "); }

} // namespace test

/// Described keys are hashed by it.
template <>
struct slotwise::DefaultHash<test::Counted> {
    std::size_t operator()(const test::Counted& key) const noexcept { return static_cast<std::size_t>(key.value()); }
};

#endif
