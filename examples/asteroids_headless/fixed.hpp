// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Numbers that are the same on every machine: 16.16 fixed point, vectors of them on a field whose edges meet, and random ones.

#pragma once

#include <compare>
#include <cstdint>

namespace asteroids {

/// A number with 16 bits behind the point. Sums and products are exact or rounded down, on every processor.
struct Fixed {
    std::int32_t raw = 0;

    constexpr Fixed() = default;
    constexpr explicit Fixed(std::int32_t whole) : raw(whole * one_raw) {}
    static constexpr Fixed from_raw(std::int64_t raw) {
        Fixed result;
        result.raw = static_cast<std::int32_t>(raw);
        return result;
    }
    static constexpr Fixed ratio(std::int64_t a, std::int64_t b) { return from_raw(a * one_raw / b); }
    static constexpr std::int32_t one_raw = 1 << 16;

    friend constexpr auto operator<=>(Fixed, Fixed) = default;
    friend constexpr Fixed operator+(Fixed a, Fixed b) { return from_raw(std::int64_t{a.raw} + b.raw); }
    friend constexpr Fixed operator-(Fixed a, Fixed b) { return from_raw(std::int64_t{a.raw} - b.raw); }
    friend constexpr Fixed operator*(Fixed a, Fixed b) { return from_raw((std::int64_t{a.raw} * b.raw) >> 16); }
    friend constexpr Fixed operator/(Fixed a, Fixed b) { return from_raw(std::int64_t{a.raw} * one_raw / b.raw); }
    constexpr int whole() const { return raw >> 16; }
};

/// The largest number whose square is not above `square`.
constexpr std::uint32_t root(std::uint64_t square) {
    std::uint64_t result = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1)
        if ((result + bit) * (result + bit) <= square) result += bit;
    return static_cast<std::uint32_t>(result);
}

struct Vec {
    Fixed x, y;
    friend constexpr bool operator==(Vec, Vec) = default;
    friend constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
    friend constexpr Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
    friend constexpr Vec operator*(Vec a, Fixed by) { return {a.x * by, a.y * by}; }
};
constexpr Fixed dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
constexpr Fixed length(Vec v) {
    const std::int64_t x = v.x.raw, y = v.y.raw;
    return Fixed::from_raw(root(static_cast<std::uint64_t>(x * x + y * y)));
}
/// Of length one; east when `v` has no direction.
constexpr Vec unit(Vec v) {
    const Fixed l = length(v);
    return l.raw == 0 ? Vec{Fixed(1), Fixed()} : Vec{v.x / l, v.y / l};
}
constexpr Vec at_most(Vec v, Fixed limit) { return length(v) > limit ? unit(v) * limit : v; }

/// Sine of an angle of which 65536 make a turn, by Bhaskara's formula of the seventh century: off by less than 0.002.
constexpr Fixed sine(std::uint16_t angle) {
    constexpr std::int64_t half = 32768;
    const std::int64_t x = angle % half, hill = x * (half - x);
    const Fixed s = Fixed::ratio(16 * hill, 5 * half * half - 4 * hill);
    return angle < half ? s : Fixed() - s;
}
constexpr Vec direction(std::uint16_t angle) { return {sine(static_cast<std::uint16_t>(angle + 16384)), sine(angle)}; }

/// The field: what leaves it on one side comes back on the other. Powers of two, so that wrapping is a mask.
inline constexpr std::int32_t field_width = 1024, field_height = 512;

constexpr Fixed wrapped(Fixed v, std::int32_t size) { return Fixed::from_raw(v.raw & (size * Fixed::one_raw - 1)); }
constexpr Vec wrapped(Vec v) { return {wrapped(v.x, field_width), wrapped(v.y, field_height)}; }
/// The shortest way from a to b, across an edge if that is shorter.
constexpr Vec way(Vec a, Vec b) {
    const Vec half{Fixed(field_width / 2), Fixed(field_height / 2)};
    return wrapped(b - a + half) - half;
}

/// xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators"): eight bytes of state, saved with
/// the world.
struct Random {
    std::uint64_t state = 1; ///< never zero

    constexpr std::uint32_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return static_cast<std::uint32_t>((state * 0x2545'F491'4F6C'DD1Du) >> 32);
    }
    constexpr int below(int limit) {
        return static_cast<int>((std::uint64_t{next()} * static_cast<std::uint32_t>(limit)) >> 32);
    }
    constexpr Vec any_direction() { return direction(static_cast<std::uint16_t>(next() >> 16)); }
    constexpr Vec any_place() { return {Fixed(below(field_width)), Fixed(below(field_height))}; }
};

} // namespace asteroids
