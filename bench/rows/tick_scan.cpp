// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;

class Ticks {
public:
    explicit Ticks(std::size_t n) : ticks_(n, 1) {}
    void mark(std::size_t row, std::uint32_t tick) { ticks_[row] = tick; }
    template <class F>
    SLOTWISE_BENCH_STEP void for_each_changed(std::uint32_t since, F&& f) const {
        for (std::size_t row = 0; row < ticks_.size(); ++row)
            if (static_cast<std::int32_t>(ticks_[row] - since) > 0) f(row);
    }

private:
    std::vector<std::uint32_t> ticks_;
};

const Registered registered([] { rows::add_changes<Ticks>("tick_scan", Role::rival); });

} // namespace
