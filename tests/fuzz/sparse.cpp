// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "sparse_body.hpp"

namespace {

std::uint64_t fuzz_one(Input& in) {
    const NothingLeft objects;
    if (in.flip()) return World<Handle<struct Wide>>(in).run(in);
    return World<Handle<struct Narrow, HandleLayout{12, 4, 0, true}>>(in).run(in);
}

} // namespace

#include "driver.hpp"
