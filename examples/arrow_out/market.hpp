// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The market: prices by name over time, and one day of trade after the other.
#ifndef SLOTWISE_EXAMPLES_ARROW_OUT_MARKET_HPP
#define SLOTWISE_EXAMPLES_ARROW_OUT_MARKET_HPP

#include <slotwise/series/tsd_storage.hpp>

#include <cstdint>
#include <string>

namespace arrow_out {

using Market = slotwise::TSDStorage<std::string, double>;

class Random {
public:
    std::uint64_t below(std::uint64_t bound) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % bound;
    }

private:
    std::uint64_t state_ = 2024;
};

inline std::string name_of(std::uint64_t number) { return "XS" + std::to_string(100'000 + number); }

// The first window: each costs 100.
inline void list(Market& market, std::uint64_t instruments) {
    auto window = market.write(1);
    for (std::uint64_t i = 0; i != instruments; ++i) window.set(name_of(i), 100.0);
}
// A tenth of all trade, one leaves, one comes.
inline void trade(Market& market, std::int64_t time, std::uint64_t instruments, Random& random) {
    auto window = market.write(time);
    for (std::uint64_t i = 0; i != instruments / 10 + 1; ++i)
        window.set(name_of(random.below(instruments)), 90 + static_cast<double>(random.below(2000)) / 100);
    window.remove(name_of(random.below(instruments)));
    window.create(name_of(instruments + static_cast<std::uint64_t>(time))); // listed, not traded yet: its price is null
}

} // namespace arrow_out

#endif
