// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is listed and what may be traded, over time, and what a tick changes of it.

#pragma once

#include <slotwise/series/capture.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ticker {

using namespace slotwise;

struct Quote {
    double price = 0;        ///< the last one quoted or traded; 0: none yet
    std::int64_t volume = 0; ///< traded since it was listed
    friend bool operator==(const Quote&, const Quote&) = default;
};
using Instruments = TSDStorage<std::string, Quote>;
using Active = TSSStorage<std::string>;
using Time = Instruments::time_type;

/// What a tick has changed: values that outlive the window, to be kept and sent.
struct Change {
    Instruments::delta_type instruments;
    Active::delta_type active;
    friend bool operator==(const Change&, const Change&) = default;
};
inline Change composed(const Change& first, const Change& second) {
    return {compose(first.instruments, second.instruments), compose(first.active, second.active)};
}

struct Market {
    Instruments instruments;
    Active active;

    [[nodiscard]] Change change_at(Time time) const { return {capture(instruments, time), capture(active, time)}; }
    /// @throws std::invalid_argument if the change does not fit what is here
    void apply(const Change& change) {
        instruments.write(change.instruments.time).apply(change.instruments);
        active.write(change.active.time).apply(change.active);
    }
    /// Members and values, and which members have a value at all.
    [[nodiscard]] bool same_as(const Market& other) const;
};

/// Waits for one instrument, whether it is listed or not, and is notified of every tick that touches it.
class Watch final : public SeriesSubscriber<Time> {
public:
    Watch(const Instruments& instruments, const std::string& name)
        : instruments_(instruments), subscription_(instruments.subscribe(name, *this)) {}
    std::size_t ticks = 0;
    Time first = Instruments::never, last = Instruments::never;
    double low = 0, high = 0;

private:
    void on_tick(const SeriesTick<Time>& tick) noexcept override {
        if (ticks++ == 0) first = tick.time;
        last = tick.time;
        const double price = instruments_.value(tick.slot).price; // also when it has just been delisted
        if (price > 0) {
            low = low > 0 ? std::min(low, price) : price;
            high = std::max(high, price);
        }
    }

    const Instruments& instruments_;
    Subscription<Time> subscription_; // last: subscribed when all else is there
};

/// What the open window has changed, in a line.
std::string text_of(TSDView<std::string, Quote> instruments, TSSView<std::string> active, Time time);
/// The market as it is now, a line for each instrument.
void print(const Market& market);

} // namespace ticker
