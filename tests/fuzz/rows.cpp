// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "rows_body.hpp"

namespace {

std::uint64_t fuzz_one(Input& in) {
    const NothingLeft objects;
    return Table().run(in);
}

} // namespace

#include "driver.hpp"
