// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "archetypes_body.hpp"

namespace {

std::uint64_t fuzz_one(Input& in) { return Archetypes().run(in); }

} // namespace

#include "driver.hpp"
