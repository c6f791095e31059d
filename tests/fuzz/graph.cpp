// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "graph_body.hpp"

namespace {

std::uint64_t fuzz_one(Input& in) {
    const std::size_t alive = Counted::alive();
    std::uint64_t operations = 0;
    {
        Dataflow body;
        operations = body.run(in);
    }
    FUZZ_CHECK(Counted::alive() == alive);
    return operations;
}

} // namespace

#include "driver.hpp"
