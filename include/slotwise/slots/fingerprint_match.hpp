// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Compares the twelve fingerprints of an index group with one fingerprint at once: by SSE2, by NEON, and by two 64-bit words
// elsewhere.
#ifndef SLOTWISE_SLOTS_FINGERPRINT_MATCH_HPP
#define SLOTWISE_SLOTS_FINGERPRINT_MATCH_HPP

#include "../config/config.hpp"
#include "../core/bits.hpp"

#include <cstring>
#include <type_traits>

#if defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#define SLOTWISE_FINGERPRINTS_SSE2 1
#include <emmintrin.h>
#else
#define SLOTWISE_FINGERPRINTS_SSE2 0
#endif
#if (defined(__ARM_NEON) && defined(__aarch64__)) || defined(_M_ARM64)
#define SLOTWISE_FINGERPRINTS_NEON 1
#include <arm_neon.h>
#else
#define SLOTWISE_FINGERPRINTS_NEON 0
#endif

SLOTWISE_BEGIN
namespace detail {

/// Fingerprints in a group; 0 = empty place. The four bytes after them are readable: the group's overflow counts.
inline constexpr unsigned group_size = 12;

/// What the lowest byte of a hash says to an index.
struct HashByte {
    std::uint32_t fingerprint; ///< the byte, but 1 for 0, in all four bytes
    std::uint32_t counts;      ///< the bits of its class's count in a group: 15 at one of eight places
};
/// Of each byte. The table, 2 KiB that stay in the cache, saves ten instructions (5 % of a hit, a quarter of a miss;
/// boost::unordered_flat_map has two such tables).
struct HashBytes {
    HashByte of[256];
    constexpr HashBytes() noexcept : of{} {
        for (std::uint32_t byte = 0; byte != 256; ++byte) of[byte] = {0x0101'0101u * (byte + (byte == 0)), 15u << byte % 8 * 4};
    }
};
inline constexpr HashBytes hash_bytes{};

/// Which of the twelve fingerprints matched: one bit each, 2^Shift bits apart. 32 bits where they suffice, for shorter code.
template <class Word, unsigned Shift>
class FingerprintMask {
public:
    constexpr explicit FingerprintMask(Word bits) noexcept : bits_(bits) {}
    constexpr explicit operator bool() const noexcept { return bits_ != 0; }
    /// The first match. @pre there is one
    constexpr std::size_t first() const noexcept {
#if defined(__GNUC__)
        if constexpr (sizeof(Word) == 4) return std::size_t{static_cast<unsigned>(__builtin_ctz(bits_))} >> Shift;
#endif
        return bits::lowest(bits_) >> Shift;
    }
    constexpr void drop_first() noexcept { bits_ &= bits_ - 1; }

private:
    Word bits_;
};

/// 64-bit arithmetic, for every machine and for constant expressions. The second argument of every match() is a word of four
/// equal bytes: a fingerprint, or 0 for empty places.
struct PortableFingerprints {
    using mask = FingerprintMask<std::uint32_t, 0>;

    static constexpr mask match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        return mask(static_cast<std::uint32_t>(marks(load(fingerprints, 8), fingerprint) |
                                               marks(load(fingerprints + 8, 4), fingerprint) << 8) &
                    0xFFFu);
    }

private:
    // fingerprints[0] in the lowest byte, whatever the byte order.
    static constexpr std::uint64_t load(const std::uint8_t* fingerprints, unsigned count) noexcept {
        std::uint64_t word = 0;
        if (std::endian::native == std::endian::little && !SLOTWISE_IN_CONSTANT)
            std::memcpy(&word, fingerprints, count);
        else
            for (unsigned i = 0; i != count; ++i) word |= std::uint64_t{fingerprints[i]} << (8 * i);
        return word;
    }
    // One bit for each byte of `word` that equals the bytes of `fingerprint`. Exact: no carry crosses a byte.
    static constexpr std::uint64_t marks(std::uint64_t word, std::uint32_t fingerprint) noexcept {
        constexpr std::uint64_t low7 = 0x7F7F'7F7F'7F7F'7F7Fu;
        const std::uint64_t differ = word ^ (std::uint64_t{fingerprint} << 32 | fingerprint);
        const std::uint64_t equal = ~(((differ & low7) + low7) | differ | low7); // 0x80 in every byte that is zero
        return ((equal >> 7) * 0x0102'0408'1020'4080u) >> 56;                    // gathers the eight bits
    }
};

#if SLOTWISE_FINGERPRINTS_SSE2
struct Sse2Fingerprints {
    using mask = FingerprintMask<std::uint32_t, 0>;

    SLOTWISE_ALWAYS_INLINE static constexpr mask match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        if (SLOTWISE_IN_CONSTANT) return PortableFingerprints::match(fingerprints, fingerprint);
        const __m128i bytes = _mm_load_si128(static_cast<const __m128i*>(static_cast<const void*>(fingerprints)));
        const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi32(static_cast<int>(fingerprint)));
        return mask(static_cast<unsigned>(_mm_movemask_epi8(equal)) & 0xFFFu);
    }
};
using NativeFingerprints = Sse2Fingerprints;
#elif SLOTWISE_FINGERPRINTS_NEON
struct NeonFingerprints {
    using mask = FingerprintMask<std::uint64_t, 2>;

    SLOTWISE_ALWAYS_INLINE static constexpr mask match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        if (SLOTWISE_IN_CONSTANT) {
            std::uint64_t bits = 0;
            for (unsigned i = 0; i != group_size; ++i)
                bits |= std::uint64_t{fingerprints[i] == static_cast<std::uint8_t>(fingerprint)} << (4 * i);
            return mask(bits);
        }
        // No movemask: a narrowing shift leaves four bits a byte (D. Kutenin, "Porting x86 vector bitmask
        // optimizations to Arm NEON").
        const uint8x16_t equal = vceqq_u8(vld1q_u8(fingerprints), vreinterpretq_u8_u32(vdupq_n_u32(fingerprint)));
        const uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(equal), 4);
        return mask(vget_lane_u64(vreinterpret_u64_u8(narrow), 0) & 0x1111'1111'1111u);
    }
};
using NativeFingerprints = NeonFingerprints;
#else
using NativeFingerprints = PortableFingerprints;
#endif

} // namespace detail
SLOTWISE_END

#endif
