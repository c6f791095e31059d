// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs_body.hpp"

namespace {

std::uint64_t fuzz_one(Input& in) {
    const NothingLeft objects;
    return World(in).run(in);
}

} // namespace

#include "driver.hpp"
