// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Bits that nobody can foresee, from the system: seeds of hash functions.
#ifndef SLOTWISE_CORE_ENTROPY_HPP
#define SLOTWISE_CORE_ENTROPY_HPP

#include "../fwd.hpp"

#include <type_traits>

// Neither <random>, which is dear to include, nor <unistd.h>, whose names are everybody's, where there is something else.
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

} // namespace detail
SLOTWISE_END

#endif
