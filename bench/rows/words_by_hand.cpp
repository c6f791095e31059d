// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;

class Bits {
public:
    void push(bool bit) {
        if (size_ % 64 == 0) words_.push_back(0);
        words_.back() |= std::uint64_t{bit} << (size_++ % 64);
    }
    template <class F>
    SLOTWISE_BENCH_STEP void for_each_run(F&& f) const {
        std::size_t start = 0;
        bool open = false;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            std::uint64_t word = words_[w];
            std::size_t at = w * 64;
            for (int left = 64; left > 0;) {
                const int same = open ? std::countr_one(word) : std::countr_zero(word);
                if (same >= left) break;
                at += static_cast<std::size_t>(same);
                word >>= same;
                left -= same;
                if (open)
                    f(start, at);
                else
                    start = at;
                open = !open;
            }
        }
        if (open) f(start, size_);
    }

private:
    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
};

const Registered registered([] { rows::add_runs<Bits>("words_by_hand", Role::rival); });

} // namespace
