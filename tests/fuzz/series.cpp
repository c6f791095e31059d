// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "any_series_body.hpp"
#include "series_body.hpp"

namespace {

constexpr std::uint64_t (*bodies[])(Input&) = {
    &run<Set<U32, with(by_list)>, 128>,
    &run<Set<std::string, worn(by_both, Reuse::fifo)>, 128>,
    &run<Set<U64, with(by_bits, Reuse::lifo), HighHash<U64>, U32>, 128>,
    &run<Dict<U32, U32, with(by_list)>, 128>,
    &run<Dict<std::string, Counted, worn(by_bits, Reuse::lowest)>, 128>,
    &run<Dict<U64, std::string, worn(by_both, Reuse::lifo, Exhaustion::wrap), FourHash<U64>>, 128>,
    &run<Dict<U32, Set<U32, with(by_both)>, with(by_both)>, 16>,
    &run<Dict<std::string, Set<std::string, worn(by_list, Reuse::lowest)>, worn(by_list, Reuse::fifo)>, 16>,
    &run<Dict<U32, Dict<U32, U32, with(by_bits)>, with(by_bits)>, 16>,
    &run<Dict<U32, Dict<std::string, Counted, worn(by_both, Reuse::lifo)>, with(by_list)>, 16>,
    &run<Dict<U32, Dict<U32, Set<U32, with(by_list)>, with(by_both)>, worn(by_both, Reuse::lowest)>, 16>,
    &run_any<std::string, Counted, worn(by_both, Reuse::lifo)>,
    &run_any<U32, std::string, with(by_bits)>,
    &run_any<std::string, void, worn(by_list, Reuse::lowest)>,
};

std::uint64_t fuzz_one(Input& input) { return bodies[input.below(std::size(bodies))](input); }

} // namespace

#include "driver.hpp"
