// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Whole runs, and what must hold of them.

#pragma once

#include "world.hpp"

#include <cstdint>
#include <ostream>

namespace asteroids {

struct Outcome {
    World world;
    std::uint64_t checksum; ///< of every hundredth tick, of the last one, and of the order they came in
};

/// Runs `ticks` ticks from a seed. With a `break_at` the world is saved there, thrown away, and another made from the bytes
/// goes on.
Outcome run(std::uint64_t seed, std::uint32_t ticks, std::uint32_t break_at = 0);

/// Says what holds and what does not; true if all of it holds.
bool check(const Outcome& straight, std::uint64_t seed, std::ostream& out);

} // namespace asteroids
