// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "states.hpp"

namespace {

using namespace bench;

// The same by hand, without versions, for states and indices that are known to be small.
class Lists {
    struct Place {
        std::uint32_t state, row;
    };

public:
    SLOTWISE_BENCH_STEP void set(std::uint32_t index, std::uint16_t state) {
        if (index == places_.size()) {
            places_.push_back({state, static_cast<std::uint32_t>(lists_[state].size())});
            lists_[state].push_back(index);
            return;
        }
        Place& place = places_[index];
        if (place.state == state) return;
        std::vector<std::uint32_t>& from = lists_[place.state];
        const std::uint32_t last = from.back();
        from[place.row] = last;
        places_[last].row = place.row;
        from.pop_back();
        place = {state, static_cast<std::uint32_t>(lists_[state].size())};
        lists_[state].push_back(index);
    }
    SLOTWISE_BENCH_STEP std::uint64_t sum_of(std::uint16_t state) const {
        std::uint64_t sum = 0;
        for (const std::uint32_t index : lists_[state]) sum += index;
        return sum;
    }
    std::size_t count(std::uint16_t state) const { return lists_[state].size(); }

private:
    std::vector<Place> places_;
    std::vector<std::vector<std::uint32_t>> lists_ = std::vector<std::vector<std::uint32_t>>(4096);
};

// One array of states: setting is a store, and finding those in a state looks at all.
class Array {
public:
    SLOTWISE_BENCH_STEP void set(std::uint32_t index, std::uint16_t state) {
        if (index == states_.size()) states_.push_back(state);
        states_[index] = state;
    }
    SLOTWISE_BENCH_STEP std::uint64_t sum_of(std::uint16_t state) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i != states_.size(); ++i) sum += states_[i] == state ? i : 0;
        return sum;
    }
    std::size_t count(std::uint16_t state) const {
        return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), state));
    }

private:
    std::vector<std::uint16_t> states_;
};

const Registered registered([] {
    sparse::add_states<Lists>("lists_by_hand", Role::limit);
    sparse::add_states<Array>("array_of_states", Role::rival);
});

} // namespace
