// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The global heap, counted.

#pragma once

#include <cstddef>

namespace engine {

/// How often the program has called operator new.
std::size_t heap_calls() noexcept;

} // namespace engine
