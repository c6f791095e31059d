// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeededHash: a hash under a secret key, for keys from sources that may try to make them collide.
#ifndef SLOTWISE_CORE_SEEDED_HASH_HPP
#define SLOTWISE_CORE_SEEDED_HASH_HPP

#include "hash.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

// Avoids <random>, which is slow to include, and <unistd.h>, which declares many global names, where another header suffices.
#if defined(__linux__)
#include <sys/random.h>
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
#include <stdlib.h>
#else
#include <random>
#endif

SLOTWISE_BEGIN
namespace detail {

/// 64 random bits of the system's generator: one system call. A constant in constant expressions.
constexpr std::uint64_t random_bits() noexcept {
    if (std::is_constant_evaluated()) return 0x9E37'79B9'7F4A'7C15u;
#if defined(__linux__)
    const auto draw = [] {
        std::uint64_t bits = 0, refused = 0;
        auto drawn = ::getrandom(&bits, sizeof bits, 0); // musl has getentropy() in <unistd.h> only
        for (int tries = 0; drawn < 0 && tries != 8; ++tries) drawn = ::getrandom(&bits, sizeof bits, 0); // a signal came
        if (drawn != sizeof bits) refused = reinterpret_cast<std::uintptr_t>(&bits);                      // by a sandbox
        return bits ^ refused;
    };
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
    const auto draw = [] {
        std::uint64_t bits = 0;
        ::arc4random_buf(&bits, sizeof bits);
        return bits;
    };
#else
    const auto draw = [] {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    };
#endif
    return draw();
}

/// Maps hashes to other hashes by a secret: the upper half of a product with a random odd number of 128 bits, plus a random
/// number, mixed as MurmurHash3 does at its end. Two different hashes that were chosen without knowing the secret agree in n
/// low bits of the results with a probability of about 2^(1-n), like random ones. (Multiply-shift: M. Dietzfelbinger et al., "A
/// reliable randomized algorithm for the closest-pair problem", 1997. Without the mixing, one seed in fifteen sent hashes on a
/// grid to few groups.)
class IndexSeed {
public:
    constexpr IndexSeed() = default;
    static constexpr IndexSeed random() noexcept {
        IndexSeed seed;
        seed.low_ = random_bits() | 1u;
        seed.high_ = random_bits();
        seed.plus_ = random_bits();
        return seed;
    }
    constexpr explicit operator bool() const noexcept { return low_ != 0; }
    constexpr std::uint64_t operator()(std::uint64_t hash) const noexcept {
        std::uint64_t x = wide_product(hash, low_).high + hash * high_ + plus_;
        x = (x ^ x >> 33) * 0xFF51'AFD7'ED55'8CCDu;
        x = (x ^ x >> 33) * 0xC4CE'B9FE'1A85'EC53u;
        return x ^ x >> 33;
    }

private:
    std::uint64_t low_ = 0, high_ = 0, plus_ = 0;
};

} // namespace detail

/// SipHash-1-3 under a key of 128 bits (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; one round
/// a word and three at the end, as Rust's and Python's tables use it). Without the key, colliding inputs cannot be chosen.
/// SeededHash derives from it. A hash for your own type can derive from it too and hash the bytes that decide about equality.
struct SipHash13 {
    /// Draws a random key, which copies share. Costs one or two system calls. The key is constant in constant expressions.
    constexpr SipHash13() noexcept : SipHash13(detail::random_bits(), detail::random_bits()) {}
    /// Uses this key, for hashes that must be reproducible.
    constexpr SipHash13(std::uint64_t key_low, std::uint64_t key_high) noexcept : low_(key_low), high_(key_high) {}

    /// The hash of `count` characters or bytes, each read from its lowest byte on. @complexity O(count)
    template <class Unit>
    constexpr std::uint64_t hash_units(const Unit* units, std::size_t count) const noexcept {
        static_assert(std::is_integral_v<Unit> || std::is_enum_v<Unit>,
                      "SipHash13::hash_units: the units are integers, characters or std::byte");
        State state(low_, high_);
        const std::size_t bytes = count * sizeof(Unit), whole = bytes / 8 * 8;
        for (std::size_t at = 0; at != whole; at += 8) state.word(detail::read_units<8>(units, at));
        return state.finish(detail::read_units(units, whole, bytes - whole) | std::uint64_t{bytes} << 56);
    }
    /// The hash of an integer, an enumeration, or of another trivially copyable value by its bytes.
    /// @pre two values are equal exactly when their bytes are
    template <class T>
    constexpr std::uint64_t hash_value(const T& value) const noexcept {
        static_assert(
            std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
            "SipHash13: equal values of this type may differ in their bytes (padding, floating point, pointers to text); "
            "hash the members that decide about equality with hash_units or hash_value");
        if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(std::uint64_t)) {
            using Bits = std::conditional_t<std::is_same_v<T, bool>, std::type_identity<unsigned char>, std::make_unsigned<T>>;
            State state(low_, high_);
            const auto bits = static_cast<std::uint64_t>(static_cast<typename Bits::type>(value));
            if constexpr (sizeof(T) == 8) state.word(bits);
            return state.finish((sizeof(T) == 8 ? 0 : bits) | std::uint64_t{sizeof(T)} << 56);
        } else {
            const auto bytes = std::bit_cast<std::array<unsigned char, sizeof(T)>>(value);
            return hash_units(bytes.data(), bytes.size());
        }
    }

private:
    class State {
    public:
        constexpr State(std::uint64_t low, std::uint64_t high) noexcept
            : a_(low ^ 0x736F'6D65'7073'6575u), b_(high ^ 0x646F'7261'6E64'6F6Du), c_(low ^ 0x6C79'6765'6E65'7261u),
              d_(high ^ 0x7465'6462'7974'6573u) {}
        constexpr void word(std::uint64_t word) noexcept {
            d_ ^= word;
            sip_round();
            a_ ^= word;
        }
        constexpr std::uint64_t finish(std::uint64_t last) noexcept {
            word(last);
            c_ ^= 0xFFu;
            sip_round();
            sip_round();
            sip_round();
            return a_ ^ b_ ^ c_ ^ d_;
        }

    private:
        constexpr void sip_round() noexcept {
            a_ += b_;
            b_ = std::rotl(b_, 13) ^ a_;
            a_ = std::rotl(a_, 32);
            c_ += d_;
            d_ = std::rotl(d_, 16) ^ c_;
            a_ += d_;
            d_ = std::rotl(d_, 21) ^ a_;
            c_ += b_;
            b_ = std::rotl(b_, 17) ^ c_;
            c_ = std::rotl(c_, 32);
        }
        std::uint64_t a_, b_, c_, d_;
    };

    std::uint64_t low_, high_;
};

/// A hash that differs in every container, for keys from outside that may be chosen to collide. A default-constructed object
/// draws a key (SipHash13). Copies and moves keep it, so that a copied container finds its elements.
///     MapStorage<std::string, Session, HashBy<SeededHash<std::string>>> sessions;
/// Integers, enumerations, strings, and other trivially copyable types whose bytes are equal exactly when they are (handles,
/// PublicId). For another type specialise it, or write a hash that derives from SipHash13.
template <class K>
struct SeededHash : SipHash13 {
    using is_avalanching = void;
    using SipHash13::SipHash13;
    constexpr SeededHash() noexcept = default;
    /// The hash under this object's key.
    constexpr std::size_t operator()(const K& key) const noexcept { return static_cast<std::size_t>(hash_value(key)); }
};

/// Transparent: whatever converts to a string view is looked up without making a string.
template <class Char, class Traits>
struct SeededHash<std::basic_string_view<Char, Traits>> : SipHash13 {
    using is_avalanching = void;
    using is_transparent = void;
    using SipHash13::SipHash13;
    constexpr SeededHash() noexcept = default;
    /// The hash under this object's key.
    constexpr std::size_t operator()(std::basic_string_view<Char, Traits> key) const noexcept {
        return static_cast<std::size_t>(hash_units(key.data(), key.size()));
    }
};
/// Strings are hashed as the views of them, so either finds the other.
template <class Char, class Traits, class Allocator>
struct SeededHash<std::basic_string<Char, Traits, Allocator>> : SeededHash<std::basic_string_view<Char, Traits>> {
    using SeededHash<std::basic_string_view<Char, Traits>>::SeededHash;
    constexpr SeededHash() noexcept = default;
};

SLOTWISE_END

#endif
