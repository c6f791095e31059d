// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/rows/tick_column.hpp>

namespace {

using namespace bench;

class Ticks {
public:
    explicit Ticks(std::size_t n) : ticks_(n, 1) {}
    void mark(std::size_t row, std::uint32_t tick) { ticks_.mark(row, tick); }
    template <class F>
    SLOTWISE_BENCH_STEP void for_each_changed(std::uint32_t since, F&& f) const {
        ticks_.for_each_changed(since, f);
    }

private:
    slotwise::TickColumn ticks_;
};

const Registered registered([] { rows::add_changes<Ticks>("TickColumn", Role::ours); });

} // namespace
