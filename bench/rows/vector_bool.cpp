// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;

class Bits {
public:
    void push(bool bit) { bits_.push_back(bit); }
    template <class F>
    SLOTWISE_BENCH_STEP void for_each_run(F&& f) const {
        const std::size_t n = bits_.size();
        std::size_t first = n;
        for (std::size_t i = 0; i < n; ++i)
            if (bits_[i]) {
                if (first == n) first = i;
            } else if (first != n) {
                f(first, i);
                first = n;
            }
        if (first != n) f(first, n);
    }

private:
    std::vector<bool> bits_;
};

const Registered registered([] { rows::add_runs<Bits>("vector_bool", Role::rival); });

} // namespace
