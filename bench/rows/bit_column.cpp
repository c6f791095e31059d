// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/rows/bit_column.hpp>

namespace {

using namespace bench;

class Bits {
public:
    void push(bool bit) { bits_.push_back(bit); }
    template <class F>
    SLOTWISE_BENCH_STEP void for_each_run(F&& f) const {
        bits_.for_each_run(f);
    }

private:
    slotwise::BitColumn bits_;
};

const Registered registered([] { rows::add_runs<Bits>("BitColumn", Role::ours); });

} // namespace
