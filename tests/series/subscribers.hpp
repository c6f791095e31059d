// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Subscribers that log their notifications, one string a tick, all into one log: "a whole 5", "b keys 5", "c element 3 5".
#ifndef SLOTWISE_TESTS_SERIES_SUBSCRIBERS_HPP
#define SLOTWISE_TESTS_SERIES_SUBSCRIBERS_HPP

#include <slotwise/series/tsd_storage.hpp>

#include "support/catch.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace test {

using namespace slotwise;

using Ticks = std::vector<std::string>;

/// The one log of a test program. Begin a test with TickLog::take().
class TickLog {
public:
    static void add(std::string tick) { ticks().push_back(std::move(tick)); }
    /// What was logged since the last take.
    static Ticks take() { return std::exchange(ticks(), {}); }

private:
    static Ticks& ticks() {
        static Ticks all;
        return all;
    }
};

/// The callback runs after the tick was logged.
template <class Time = std::int64_t>
class BasicListener final : public SeriesSubscriber<Time> {
public:
    explicit BasicListener(std::string name) : name_(std::move(name)) {}
    void on_tick(const SeriesTick<Time>& tick) noexcept override {
        ++told;
        last = tick;
        std::string text = name_;
        switch (tick.level) {
        case SeriesLevel::whole:
            text += " whole";
            CHECK(tick.slot == no_slot);
            break;
        case SeriesLevel::keys:
            text += " keys";
            CHECK(tick.slot == no_slot);
            break;
        case SeriesLevel::element:
            text += " element " + std::to_string(tick.slot);
            break;
        }
        TickLog::add(text + " " + std::to_string(tick.time));
        kinds.push_back(tick.kind);
        CHECK(tick.removed() == (tick.kind == TickKind::removed));
        if (during) during(tick);
    }
    void on_end(const SeriesTick<Time>& tick) noexcept override {
        CHECK(tick.kind == TickKind::ended);
        ++ended;
        last = tick;
        if (at_end) at_end(tick);
    }
    /// What it was notified of since the last call.
    std::vector<TickKind> take_kinds() { return std::exchange(kinds, {}); }

    std::function<void(const SeriesTick<Time>&)> during{};
    std::function<void(const SeriesTick<Time>&)> at_end{};
    std::size_t told = 0, ended = 0;
    SeriesTick<Time> last{};
    std::vector<TickKind> kinds{};

private:
    std::string name_;
};
using Listener = BasicListener<>;

} // namespace test

#endif
