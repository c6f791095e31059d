// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// xxh3: XXH3-64, the checksum of snapshots and of Arrow streams.
#ifndef SLOTWISE_CORE_DETAIL_XXH3_HPP
#define SLOTWISE_CORE_DETAIL_XXH3_HPP

#include "../hash.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__SSE2__) || defined(_M_X64)
#define SLOTWISE_XXH3_SSE2 1
#include <emmintrin.h>
#else
#define SLOTWISE_XXH3_SSE2 0
#endif

SLOTWISE_BEGIN
namespace detail {

/// XXH3 with 64 bits and seed 0, by Y. Collet's specification (github.com/Cyan4973/xxHash, doc/xxhash_spec.md, "XXH3 Algorithm
/// Overview"; identifiers as there). The result is the same on every machine. It detects accidents, not forgery.
/// Bytes may come in parts.
class Xxh3 {
    using u64 = std::uint64_t;

public:
    constexpr Xxh3() noexcept = default;

    /// Takes bytes that follow those before. @complexity linear in `size`
    constexpr void add(const std::byte* data, std::size_t size) noexcept {
        total_ += size;
        if (size <= room - held_) return hold(data, size); // also at its end: finish() needs the last stripe
        if (held_ != 0) {
            const std::size_t missing = room - held_;
            hold(data, missing);
            data += missing;
            size -= missing;
            take(held_bytes_.data(), stripes);
            held_ = 0;
        }
        const std::byte* last = held_bytes_.data() + room;
        while (size > room) {
            take(data, stripes);
            data += room;
            size -= room;
            last = data;
        }
        // The last stripe ends with the last byte, and so may begin in what was taken before.
        copy(last - stripe, held_bytes_.data() + room - stripe, stripe);
        hold(data, size);
    }
    constexpr void add(std::span<const std::byte> bytes) noexcept { add(bytes.data(), bytes.size()); }
    /// Takes a number as its bytes, lowest first.
    constexpr void number(u64 value) noexcept {
        std::array<std::byte, sizeof(u64)> bytes{};
        for (std::size_t i = 0; i != bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
        add(bytes.data(), bytes.size());
    }
    /// The checksum of all bytes until now. @complexity O(1)
    constexpr u64 finish() const noexcept {
        if (total_ <= longest_short) return of_short(held_bytes_.data(), static_cast<std::size_t>(total_));
        Xxh3 rest = *this;
        const std::size_t whole = (held_ - 1) / stripe;
        rest.take(held_bytes_.data(), whole);
        std::array<std::byte, stripe> last{};
        const std::size_t fresh = held_ < stripe ? held_ : stripe;
        copy(held_bytes_.data() + room - (stripe - fresh), last.data(), stripe - fresh);
        copy(held_bytes_.data() + held_ - fresh, last.data() + (stripe - fresh), fresh);
        return rest.finish_long(last.data());
    }
    /// The checksum of these bytes.
    static constexpr u64 of(const std::byte* data, std::size_t size) noexcept {
        if (size <= longest_short) return of_short(data, size);
        Xxh3 state;
        state.total_ = size;
        state.take(data, (size - 1) / stripe);
        return state.finish_long(data + size - stripe);
    }
    static constexpr u64 of(std::span<const std::byte> bytes) noexcept { return of(bytes.data(), bytes.size()); }

private:
    static constexpr std::size_t stripe = 64, stripes = 4, room = stripe * stripes, longest_short = 240;
    static constexpr u64 prime32_1 = 0x9E37'79B1, prime32_2 = 0x85EB'CA77, prime32_3 = 0xC2B2'AE3D;
    static constexpr u64 prime64_1 = 0x9E37'79B1'85EB'CA87, prime64_2 = 0xC2B2'AE3D'27D4'EB4F,
                         prime64_3 = 0x1656'67B1'9E37'79F9, prime64_4 = 0x85EB'CA77'C2B2'AE63,
                         prime64_5 = 0x27D4'EB2F'1656'67C5;
    static constexpr u64 prime_mx1 = 0x1656'6791'9E37'79F9, prime_mx2 = 0x9FB2'1C65'1E98'DF25;
    // The 192 bytes of the default secret, as words, lowest byte first.
    static constexpr std::array<u64, 24> secret_words = {
        0xBE4B'A423'396C'FEB8, 0x1CAD'21F7'2C81'017C, 0xDB97'9083'E96D'D4DE, 0x1F67'B3B7'A4A4'4072, 0x78E5'C0CC'4EE6'79CB,
        0x2172'FFCC'7DD0'5A82, 0x8E24'43F7'7446'08B8, 0x4C26'3A81'E690'35E0, 0xCB00'C391'BB52'283C, 0xA32E'531B'8B65'D088,
        0x4EF9'0DA2'9748'6471, 0xD8AC'DEA9'46EF'1938, 0x3F34'9CE3'3F76'FAA8, 0x1D4F'0BC7'C7BB'DCF9, 0x3159'B4CD'4BE0'518A,
        0x6473'78D9'C97E'9FC8, 0xC3EB'D334'83AC'C5EA, 0xEB63'13FA'FFA0'81C5, 0x49DA'F0B7'51DD'0D17, 0x9E68'D429'2655'16D3,
        0xFCA1'477D'58BE'162B, 0xCE31'D07A'D1B8'F88F, 0x2804'1695'8F3A'CB45, 0x7E40'4BBB'CAFB'D7AF};
    static constexpr std::size_t secret_bytes = std::size_t{8} * 24, least_secret = 136;

    // Eight (or four) bytes as a number, lowest first.
    SLOTWISE_ALWAYS_INLINE static constexpr u64 read64(const std::byte* at) noexcept {
        u64 value = 0;
        if (std::endian::native == std::endian::little && !SLOTWISE_IN_CONSTANT)
            std::memcpy(&value, at, sizeof value);
        else
            for (unsigned i = 0; i != 8; ++i) value |= std::to_integer<u64>(at[i]) << (8 * i);
        return value;
    }
    SLOTWISE_ALWAYS_INLINE static constexpr u64 read32(const std::byte* at) noexcept {
        u64 value = 0;
        for (unsigned i = 0; i != 4; ++i) value |= std::to_integer<u64>(at[i]) << (8 * i);
        return value;
    }
    // Of the secret, from byte `at` on.
    SLOTWISE_ALWAYS_INLINE static constexpr u64 secret(std::size_t at) noexcept {
        const std::size_t word = at / 8, shift = 8 * (at % 8);
        if (shift == 0) return secret_words[word];
        return secret_words[word] >> shift | secret_words[word + 1] << (64 - shift);
    }
    static constexpr u64 fold(u64 a, u64 b) noexcept {
        const WideProduct product = wide_product(a, b);
        return product.low ^ product.high;
    }
    static constexpr u64 avalanche(u64 h) noexcept {
        h = (h ^ h >> 37) * prime_mx1;
        return h ^ h >> 32;
    }
    static constexpr u64 avalanche64(u64 h) noexcept {
        h = (h ^ h >> 33) * prime64_2;
        h = (h ^ h >> 29) * prime64_3;
        return h ^ h >> 32;
    }
    static constexpr u64 swapped(u64 value) noexcept {
        u64 result = 0;
        for (unsigned i = 0; i != 8; ++i) result |= (value >> (8 * i) & 0xFFu) << (56 - 8 * i);
        return result;
    }
    static constexpr u64 mix16(const std::byte* at, std::size_t of_secret) noexcept {
        return fold(read64(at) ^ secret(of_secret), read64(at + 8) ^ secret(of_secret + 8));
    }

    static constexpr u64 of_short(const std::byte* in, std::size_t size) noexcept {
        const u64 length = size;
        if (size == 0) return avalanche64(secret(56) ^ secret(64));
        if (size <= 3) {
            const u64 joined = std::to_integer<u64>(in[0]) << 16 | std::to_integer<u64>(in[size / 2]) << 24 |
                               std::to_integer<u64>(in[size - 1]) | length << 8;
            return avalanche64(joined ^ ((secret(0) ^ secret(0) >> 32) & 0xFFFF'FFFFu));
        }
        if (size <= 8) {
            u64 h = (read32(in + size - 4) + (read32(in) << 32)) ^ (secret(8) ^ secret(16));
            h ^= std::rotl(h, 49) ^ std::rotl(h, 24);
            h *= prime_mx2;
            h ^= (h >> 35) + length;
            h *= prime_mx2;
            return h ^ h >> 28;
        }
        if (size <= 16) {
            const u64 low = read64(in) ^ (secret(24) ^ secret(32)), high = read64(in + size - 8) ^ (secret(40) ^ secret(48));
            return avalanche(length + swapped(low) + high + fold(low, high));
        }
        u64 acc = length * prime64_1;
        if (size <= 128) {
            for (std::size_t i = (size - 1) / 32 + 1; i-- != 0;)
                acc += mix16(in + 16 * i, 32 * i) + mix16(in + size - 16 * (i + 1), 32 * i + 16);
            return avalanche(acc);
        }
        for (std::size_t i = 0; i != 8; ++i) acc += mix16(in + 16 * i, 16 * i);
        acc = avalanche(acc);
        for (std::size_t i = 8; i != size / 16; ++i) acc += mix16(in + 16 * i, 16 * (i - 8) + 3);
        return avalanche(acc + mix16(in + size - 16, least_secret - 17));
    }

    // Two accumulators at a time, each index a constant: so they stay in registers. Loops over all eight kept them in memory.
    SLOTWISE_ALWAYS_INLINE static constexpr void accumulate_two(u64& first, u64& second, const std::byte* in,
                                                                std::size_t of_secret) noexcept {
        const u64 a = read64(in), b = read64(in + 8);
        const u64 key_a = a ^ secret(of_secret), key_b = b ^ secret(of_secret + 8);
        first += b + (key_a & 0xFFFF'FFFFu) * (key_a >> 32);
        second += a + (key_b & 0xFFFF'FFFFu) * (key_b >> 32);
    }
    SLOTWISE_ALWAYS_INLINE static constexpr void accumulate(std::array<u64, 8>& acc, const std::byte* in,
                                                            std::size_t of_secret) noexcept {
        accumulate_two(acc[0], acc[1], in, of_secret);
        accumulate_two(acc[2], acc[3], in + 16, of_secret + 16);
        accumulate_two(acc[4], acc[5], in + 32, of_secret + 32);
        accumulate_two(acc[6], acc[7], in + 48, of_secret + 48);
    }
    template <std::size_t Lane>
    SLOTWISE_ALWAYS_INLINE static constexpr void scramble(std::array<u64, 8>& acc) noexcept {
        acc[Lane] = (acc[Lane] ^ acc[Lane] >> 47 ^ secret(secret_bytes - stripe + 8 * Lane)) * prime32_1;
    }
    SLOTWISE_ALWAYS_INLINE static constexpr void scramble_all(std::array<u64, 8>& acc) noexcept {
        [&]<std::size_t... Lanes>(std::index_sequence<Lanes...>) {
            (scramble<Lanes>(acc), ...);
        }(std::make_index_sequence<8>());
    }
#if SLOTWISE_XXH3_SSE2
    // The same, two lanes an instruction: neither g++ 12 nor clang 16 makes it of the loop at -O2.
    SLOTWISE_ALWAYS_INLINE static __m128i load(const void* at) noexcept {
        return _mm_loadu_si128(static_cast<const __m128i*>(at));
    }
    SLOTWISE_ALWAYS_INLINE static __m128i accumulate_lanes(__m128i acc, const std::byte* in, const u64* words) noexcept {
        const __m128i data = load(in), key = _mm_xor_si128(data, load(words));
        const __m128i product = _mm_mul_epu32(key, _mm_shuffle_epi32(key, _MM_SHUFFLE(0, 3, 0, 1)));
        return _mm_add_epi64(acc, _mm_add_epi64(product, _mm_shuffle_epi32(data, _MM_SHUFFLE(1, 0, 3, 2))));
    }
    // Stripes of one block, from the one in place `place` on.
    static void accumulate_run(std::array<u64, 8>& acc, const std::byte* in, std::size_t count, std::size_t place) noexcept {
        __m128i a = load(acc.data()), b = load(acc.data() + 2), c = load(acc.data() + 4), d = load(acc.data() + 6);
        for (const u64* words = secret_words.data() + place; count != 0; --count, ++words, in += stripe) {
            a = accumulate_lanes(a, in, words);
            b = accumulate_lanes(b, in + 16, words + 2);
            c = accumulate_lanes(c, in + 32, words + 4);
            d = accumulate_lanes(d, in + 48, words + 6);
        }
        __m128i* const to = static_cast<__m128i*>(static_cast<void*>(acc.data()));
        _mm_storeu_si128(to, a);
        _mm_storeu_si128(to + 1, b);
        _mm_storeu_si128(to + 2, c);
        _mm_storeu_si128(to + 3, d);
    }
#endif
    constexpr void take(const std::byte* in, std::size_t count) noexcept {
        constexpr std::size_t in_block = (secret_bytes - stripe) / 8;
#if SLOTWISE_XXH3_SSE2
        if (!SLOTWISE_IN_CONSTANT) {
            for (;;) {
                const std::size_t run = count < in_block - in_block_ ? count : in_block - in_block_;
                accumulate_run(acc_, in, run, in_block_);
                in += run * stripe;
                count -= run;
                in_block_ += run;
                if (in_block_ != in_block) return;
                scramble_all(acc_);
                in_block_ = 0;
            }
        }
#endif
        std::array<u64, 8> acc = acc_;
        std::size_t place = in_block_;
        for (; count != 0; --count, in += stripe) {
            accumulate(acc, in, 8 * place);
            if (++place != in_block) continue;
            place = 0;
            scramble_all(acc);
        }
        in_block_ = place;
        acc_ = acc;
    }
    constexpr u64 finish_long(const std::byte* last) noexcept {
        accumulate(acc_, last, secret_bytes - stripe - 7);
        u64 result = total_ * prime64_1;
        for (std::size_t i = 0; i != 4; ++i)
            result += fold(acc_[2 * i] ^ secret(11 + 16 * i), acc_[2 * i + 1] ^ secret(11 + 16 * i + 8));
        return avalanche(result);
    }
    constexpr void hold(const std::byte* data, std::size_t size) noexcept {
        copy(data, held_bytes_.data() + held_, size);
        held_ += size;
    }
    static constexpr void copy(const std::byte* from, std::byte* to, std::size_t size) noexcept {
        if (SLOTWISE_IN_CONSTANT)
            for (std::size_t i = 0; i != size; ++i) to[i] = from[i];
        else if (size != 0)
            std::memmove(to, from, size);
    }

    std::array<u64, 8> acc_ = {prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1};
    std::array<std::byte, room> held_bytes_{}; // not taken yet; its end: the last stripe taken, where fewer than that are held
    std::size_t held_ = 0, in_block_ = 0;
    u64 total_ = 0;
};

} // namespace detail

SLOTWISE_END

#endif
