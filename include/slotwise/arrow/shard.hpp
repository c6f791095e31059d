// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// stable_hash and shard_of: which shard a key belongs to. Their results are part of the interface and never change.
#ifndef SLOTWISE_ARROW_SHARD_HPP
#define SLOTWISE_ARROW_SHARD_HPP

#include "../config/assert.hpp"
#include "../core/public_id.hpp"

#include <bit>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

SLOTWISE_BEGIN

/// The version of stable_hash. The definition of version 1 is at stable_hash() and never changes; another definition would have
/// another number and another name. Store the version with data that was partitioned by the hash.
inline constexpr unsigned stable_hash_version = 1;

namespace detail {

/// One step of SplitMix64 from the state `x`: a bijection (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
/// number generators", 2014; the finaliser is variant 13 of D. Stafford, "Better bit mixing", 2011).
constexpr std::uint64_t split_mix(std::uint64_t x) noexcept {
    x += 0x9E37'79B9'7F4A'7C15u;
    x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9u;
    x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EBu;
    return x ^ x >> 31;
}

/// XXH64 (Y. Collet, "xxHash fast digest algorithm", doc/xxhash_spec.md, version 0.1.1).
class XxHash64 {
public:
    /// The hash of `size` bytes, or characters of one byte.
    template <class Byte>
    static constexpr std::uint64_t of(const Byte* bytes, std::size_t size, std::uint64_t seed = 0) noexcept {
        static_assert(sizeof(Byte) == 1, "XXH64 reads bytes");
        std::size_t at = 0;
        std::uint64_t hash = seed + prime5;
        if (size >= 32) {
            std::uint64_t lanes[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
            for (; size - at >= 32; at += 32)
                for (std::size_t lane = 0; lane != 4; ++lane)
                    lanes[lane] = xxh_round(lanes[lane], load<8>(bytes + at + 8 * lane));
            hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
            for (const std::uint64_t lane : lanes) hash = (hash ^ xxh_round(0, lane)) * prime1 + prime4;
        }
        hash += size;
        for (; size - at >= 8; at += 8) hash = std::rotl(hash ^ xxh_round(0, load<8>(bytes + at)), 27) * prime1 + prime4;
        if (size - at >= 4) {
            hash = std::rotl(hash ^ load<4>(bytes + at) * prime1, 23) * prime2 + prime3;
            at += 4;
        }
        for (; at != size; ++at) hash = std::rotl(hash ^ load<1>(bytes + at) * prime5, 11) * prime1;
        hash = (hash ^ hash >> 33) * prime2;
        hash = (hash ^ hash >> 29) * prime3;
        return hash ^ hash >> 32;
    }
    /// The hash of numbers, 8 bytes each. @tparam LowestFirst whether the lowest byte of each comes first, or the highest
    template <bool LowestFirst, std::size_t N>
    static constexpr std::uint64_t of_numbers(const std::uint64_t (&numbers)[N]) noexcept {
        unsigned char bytes[8 * N]{};
        for (std::size_t i = 0; i != 8 * N; ++i) {
            const std::size_t place = LowestFirst ? i % 8 : 7 - i % 8;
            bytes[i] = static_cast<unsigned char>(numbers[i / 8] >> 8 * place & 0xFFu);
        }
        return of(bytes, 8 * N);
    }

private:
    static constexpr std::uint64_t prime1 = 0x9E37'79B1'85EB'CA87u, prime2 = 0xC2B2'AE3D'27D4'EB4Fu;
    static constexpr std::uint64_t prime3 = 0x1656'67B1'9E37'79F9u, prime4 = 0x85EB'CA77'C2B2'AE63u;
    static constexpr std::uint64_t prime5 = 0x27D4'EB2F'1656'67C5u;

    static constexpr std::uint64_t xxh_round(std::uint64_t lane, std::uint64_t input) noexcept {
        return std::rotl(lane + input * prime2, 31) * prime1;
    }
    // A number of so many bytes in little-endian order, on every machine.
    template <std::size_t Bytes, class Byte>
    static constexpr std::uint64_t load(const Byte* from) noexcept {
        std::uint64_t word = 0;
        if (std::endian::native == std::endian::little && !std::is_constant_evaluated())
            std::memcpy(&word, from, Bytes);
        else
            for (std::size_t i = 0; i != Bytes; ++i) word |= std::uint64_t{static_cast<unsigned char>(from[i])} << 8 * i;
        return word;
    }
};

template <class K>
inline constexpr bool is_stable_tuple = false;
template <class K, class... Ks>
inline constexpr bool is_stable_tuple<std::tuple<K, Ks...>> = true;
template <class A, class B>
inline constexpr bool is_stable_tuple<std::pair<A, B>> = true;

template <class K>
concept StableNumber = (std::is_integral_v<K> || std::is_enum_v<K>)&&sizeof(K) <= 8 && !std::is_same_v<K, wchar_t>;

} // namespace detail

/// A hash of the key that is the same on every machine, in every release and in every program that follows this definition:
/// - an integer, bool or enumeration: its value as 64 bits (negative ones in two's complement, so that the width of the type
///   does not matter; a char from 0 to 255), through one step of SplitMix64;
/// - text of char or char8_t: its bytes through XXH64 with seed 0;
/// - a PublicId: the 16 bytes of its text in their order through the same;
/// - a pair or tuple: the hashes of its members, 8 bytes each with the lowest first, through the same. For a struct, pass
///   std::tie(key.a, key.b).
/// Use it for partitions and not for hash tables: it has no secret, so keys can be chosen to collide. Floating-point numbers,
/// wide text and other types do not compile, because equal values may have different bytes, or differ from machine to machine.
/// @complexity linear in the bytes of the key
template <class K>
constexpr std::uint64_t stable_hash(const K& key) noexcept {
    if constexpr (detail::StableNumber<K>) {
        if constexpr (std::is_enum_v<K>)
            return stable_hash(static_cast<std::underlying_type_t<K>>(key));
        else if constexpr (std::is_same_v<K, char>) // signed on some machines
            return detail::split_mix(static_cast<unsigned char>(key));
        else
            return detail::split_mix(static_cast<std::uint64_t>(key));
    } else if constexpr (std::is_convertible_v<const K&, std::string_view>) {
        const std::string_view text = key;
        return detail::XxHash64::of(text.data(), text.size());
    } else if constexpr (std::is_convertible_v<const K&, std::u8string_view>) {
        const std::u8string_view text = key;
        return detail::XxHash64::of(text.data(), text.size());
    } else if constexpr (std::is_same_v<K, PublicId>) {
        return detail::XxHash64::of_numbers<false>({key.high, key.low});
    } else if constexpr (detail::is_stable_tuple<K>) {
        return std::apply(
            [](const auto&... parts) { return detail::XxHash64::of_numbers<true>({slotwise::stable_hash(parts)...}); }, key);
    } else {
        static_assert(detail::StableNumber<K>,
                      "stable_hash(key): the key is an integer of at most 64 bits, an enumeration, text of char or char8_t, a "
                      "PublicId, or a pair or tuple of such; pass std::tie(key.a, key.b) for a struct");
        return 0;
    }
}

/// The shard of a hash, from 0 to n - 1: n * hash / 2^64, of which the upper 32 bits of the hash are used. Each shard has an
/// equal share of the hashes. When n is doubled, shard s splits into 2s and 2s + 1, and no key moves between other shards.
/// @param hash as stable_hash() returns it @param n shards, not 0 (checked at level fast)
constexpr std::uint32_t shard_of(std::uint64_t hash, std::uint32_t n) noexcept {
    SLOTWISE_EXPECT(n != 0, "shard_of(hash, n): n is 0; there is at least one shard");
    return static_cast<std::uint32_t>((hash >> 32) * n >> 32);
}

SLOTWISE_END

#endif
