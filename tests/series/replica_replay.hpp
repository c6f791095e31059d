// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Replays of a random history: each captured delta applied to a replica at once, and composed ones to others.
#ifndef SLOTWISE_TESTS_SERIES_REPLICA_REPLAY_HPP
#define SLOTWISE_TESTS_SERIES_REPLICA_REPLAY_HPP

#include "replica.hpp"

namespace test {

/// A replica that is told of several windows at once.
template <class Series>
class Late {
public:
    explicit Late(int every) : every_(every) {}

    /// What is wrong; "" when nothing is.
    std::string hear(const typename Series::delta_type& delta, const Series& source) {
        all_ = heard_ == 0 ? delta : compose(all_, delta);
        if (++heard_ != every_) return "";
        heard_ = 0;
        const Time whole = series_.last_modified();
        series_.write(all_.time).apply(all_);
        if (!all_sound(series_)) return "not sound";
        if (series_.last_modified() != (all_.ticked ? all_.time : whole)) return "last_modified() of the whole";
        if (!(capture(series_, all_.time) == all_)) return "its own capture is another delta";
        return difference(source, series_, false);
    }

private:
    int every_, heard_ = 0;
    Series series_{};
    typename Series::delta_type all_{};
};

/// Thousands of windows over `keys` keys. @param composed how many of them go to the late replicas too, which cost the most
template <class Series>
void replay(std::uint64_t seed, std::size_t keys, int ticks, int composed) {
    ticks = rounds_of(ticks);
    composed = rounds_of(composed);
    Random random(seed);
    Series source, replica;
    Late<Series> pairs(2), fives(5);
    int changes = 0, quiet = 0;
    for (Time time = 1; time <= ticks; ++time) {
        INFO("seed " << seed << ", window " << time);
        const Before<Series> before(source);
        random_tick(source, time, random, keys);
        const auto delta = capture(source, time);
        replica.write(time).apply(delta);
        // One assertion a window: they are slow.
        std::string wrong = before.judge(source, time);
        if (!all_sound(source)) wrong += "; the source is not sound";
        if (!all_sound(replica)) wrong += "; the replica is not sound";
        if (const auto how = difference(source, replica); !how.empty()) wrong += "; the replica differs: " + how;
        if (!(capture(replica, time) == delta)) wrong += "; the replica's own capture is another delta";
        if (time <= composed) {
            if (const auto how = pairs.hear(delta, source); !how.empty()) wrong += "; two at once: " + how;
            if (const auto how = fives.hear(delta, source); !how.empty()) wrong += "; five at once: " + how;
        }
        if (!wrong.empty()) FAIL(wrong);
        ++(delta.empty() ? quiet : changes);
    }
    REQUIRE(changes > ticks / 2);
    REQUIRE(quiet > 0);
}

} // namespace test

#endif
