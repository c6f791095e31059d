// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Composed deltas against a twin to which the operations of all windows happened in one.
#ifndef SLOTWISE_TESTS_SERIES_COMPOSE_HPP
#define SLOTWISE_TESTS_SERIES_COMPOSE_HPP

#include "replica.hpp"

namespace test {

/// Rounds of two to four random windows each.
template <class Series>
void compose_like_one_window(std::uint64_t seed, std::size_t keys, int rounds) {
    rounds = rounds_of(rounds);
    Random random(seed);
    Series source, twin;
    Time time = 0;
    std::size_t undone = 0;
    for (int round = 0; round != rounds; ++round) {
        INFO("seed " << seed << ", round " << round);
        const int windows = 2 + static_cast<int>(random.below(3));
        const Time last = time + windows;
        std::vector<typename Series::delta_type> deltas;
        for (int i = 0; i != windows; ++i) {
            Random same = random; // both draw the same operations
            random_tick(source, ++time, random, keys);
            random_tick(twin, last, same, keys);
            deltas.push_back(capture(source, time));
        }
        const auto expected = capture(twin, last);
        auto from_left = deltas[0];
        for (std::size_t i = 1; i != deltas.size(); ++i) {
            undone += from_left.added.size() + from_left.removed.size() + deltas[i].added.size() + deltas[i].removed.size();
            from_left = compose(from_left, deltas[i]);
            undone -= from_left.added.size() + from_left.removed.size();
        }
        auto from_right = deltas.back();
        for (std::size_t i = deltas.size() - 1; i-- != 0;) from_right = compose(deltas[i], from_right);
        std::string wrong;
        if (!(from_left == expected)) wrong += "; it is not what one window captures";
        if (!(from_right == from_left)) wrong += "; not associative";
        if (const auto how = difference(source, twin, false); !how.empty()) wrong += "; the twin differs: " + how;
        if (!all_sound(twin) || !all_sound(source)) wrong += "; not sound";
        if (!wrong.empty()) FAIL(wrong);
    }
    REQUIRE(undone > static_cast<std::size_t>(rounds)); // there was something to net out
}

} // namespace test

#endif
