// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random bits from the system, and hash table seeds made of them.
#ifndef SLOTWISE_CORE_ENTROPY_HPP
#define SLOTWISE_CORE_ENTROPY_HPP

#include "hash.hpp"

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
        if (::getentropy(&bits, sizeof bits) != 0) refused = reinterpret_cast<std::uintptr_t>(&bits); // by a sandbox
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
SLOTWISE_END

#endif
