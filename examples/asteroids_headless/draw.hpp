// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The world as text.

#pragma once

#include <string>

namespace asteroids {

class World;

/// A frame of lines: rocks as discs, `^>v<` the ship, `T` turrets, `:` bullets, dots for particles.
std::string picture(const World& world);

} // namespace asteroids
