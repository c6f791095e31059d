// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The version of the library. It is written nowhere else; CMake reads these three lines.
#ifndef SLOTWISE_CONFIG_VERSION_HPP
#define SLOTWISE_CONFIG_VERSION_HPP

#define SLOTWISE_VERSION_MAJOR 0
#define SLOTWISE_VERSION_MINOR 3
#define SLOTWISE_VERSION_PATCH 0

#endif
