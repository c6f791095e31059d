// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Random orders, the same ones for every contender: a fixed seed and a generator of our own, because the standard's
// shuffle may differ between standard libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace bench {

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    [[nodiscard]] std::uint32_t below(std::size_t bound) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

private:
    std::uint64_t state_;
};

// The numbers 0..n-1 in random order. The order depends on n and purpose only, not on who asks or when.
[[nodiscard]] inline std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t purpose) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    Random random(n * 31 + purpose);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

// count random numbers below n, with repetition.
[[nodiscard]] inline std::vector<std::uint32_t> random_positions(std::size_t count, std::size_t n, std::uint64_t purpose) {
    std::vector<std::uint32_t> positions(count);
    Random random(n * 37 + purpose);
    for (std::uint32_t& position : positions) position = random.below(n);
    return positions;
}

} // namespace bench
