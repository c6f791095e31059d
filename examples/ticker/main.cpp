// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Replays a feed of market events. What is listed is a dictionary over time, what may be traded a set over time; each time
// stamp is a window, and each window knows what it has changed. In the end those changes alone make the same market again,
// elsewhere.

#include "feed.hpp"
#include "market.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <istream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using namespace ticker;

/// Turns lines into windows. A line that is refused leaves no trace, not even on the clock.
class Replay {
public:
    static constexpr std::string_view watched = "EURUSD";

    std::vector<std::string> ticks; // one line each
    std::vector<Change> changes;    // one each
    std::size_t lines = 0, headers = 0, applied = 0, skipped = 0, watched_ticks = 0;
    std::array<std::size_t, kind_names.size()> kinds{};
    std::int64_t traded = 0, traded_in_delisted = 0;

    [[nodiscard]] const Market& market() const { return market_; }
    [[nodiscard]] const Watch& watch() const { return watch_; }

    /// False when the stream fails; what was read until then is replayed.
    bool read(std::istream& in) {
        for (std::string line; std::getline(in, line);) accept(line);
        close_tick();
        return !in.bad();
    }

private:
    struct Tick {
        Instruments::writer instruments;
        Active::writer active;
    };

    void accept(std::string_view line) {
        ++lines;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (lines == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3); // a byte order mark
        if (lines == 1 && line == header) {
            ++headers;
            return;
        }
        std::string why;
        const std::optional<Event> event = parse(line, why);
        if (event) why = objection(*event);
        if (!event || !why.empty()) {
            ++skipped;
            std::cerr << "line " << lines << " skipped: " << why << '\n';
            return;
        }
        if (tick_ && tick_->instruments.time() < event->time) close_tick();
        const auto open = [&] { return Tick{market_.instruments.write(event->time), market_.active.write(event->time)}; };
        apply(*event, tick_ ? *tick_ : tick_.emplace(open()));
    }

    /// Why the event cannot happen now; empty if it can.
    [[nodiscard]] std::string objection(const Event& event) const {
        const auto& [instruments, active] = market_;
        if (event.time < instruments.window()) return clock(event.time) + " is before " + clock(instruments.window());
        const std::string name(event.name);
        const bool listed = instruments.contains(name), halted = listed && !active.contains(name);
        if (listed == (event.kind == Kind::list)) return name + (listed ? " is listed already" : " is not listed");
        if (event.kind == Kind::resume && !halted) return name + " is not halted";
        if ((event.kind == Kind::halt || event.kind == Kind::trade) && halted) return name + " is halted";
        return {};
    }

    void apply(const Event& event, Tick& tick) {
        auto& [instruments, active] = tick;
        ++applied;
        ++kinds[static_cast<std::size_t>(event.kind)];
        const bool is_status = event.kind == Kind::halt || event.kind == Kind::resume;
        watching_ = watching_ || (event.name == watched && !is_status);
        switch (event.kind) {
        case Kind::list:
            if (event.price > 0)
                instruments.set(event.name, Quote{event.price});
            else
                instruments.create(event.name); // a member without a value
            [[fallthrough]];
        case Kind::resume:
            active.add(event.name);
            break;
        case Kind::delist:
            traded_in_delisted += market_.instruments.at(event.name).volume;
            instruments.remove(event.name);
            [[fallthrough]];
        case Kind::halt:
            active.remove(event.name); // no member if it was halted before: then nothing happens
            break;
        case Kind::quote:
        case Kind::trade:
            Quote& quote = instruments.modify(event.name);
            quote.price = event.price;
            quote.volume += event.size;
            traded += event.size;
        }
    }

    /// The writers close, and subscribers are notified. The window stays open for readers until the next one opens.
    void close_tick() {
        if (!tick_) return;
        tick_.reset();
        const Time time = market_.instruments.window();
        ticks.push_back(text_of(market_.instruments, market_.active, time));
        changes.push_back(market_.change_at(time));
        watched_ticks += std::exchange(watching_, false) ? 1U : 0U;
    }

    Market market_;
    Watch watch_{market_.instruments, std::string(watched)}; // nothing is listed yet
    std::optional<Tick> tick_;
    bool watching_ = false; // this tick has touched the watched instrument
};

bool check(bool holds, std::string_view promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n';
    return holds;
}

/// Applies the changes, `step` of them composed into one, to an empty market: that is then the same one.
bool proven(const Replay& replay, std::size_t step, std::string_view how) {
    const std::vector<Change>& changes = replay.changes;
    Market replica;
    std::size_t deltas = 0;
    bool ok = true;
    for (std::size_t at = 0; at < changes.size(); ++deltas) {
        Change change = changes[at++];
        for (; at % step != 0 && at < changes.size(); ++at) change = composed(change, changes[at]);
        replica.apply(change); // strict: throws if anything does not fit
        ok &= check(replica.change_at(change.instruments.time) == change, "the replica's own delta is the one it was given");
    }
    ok &= check(replica.same_as(replay.market()), "the replica is the market");
    std::cout << std::setw(6) << deltas << how << (ok ? ": the same market\n" : ": ANOTHER market\n");
    return ok;
}

bool check_counts(const Replay& replay) {
    std::int64_t volume = replay.traded_in_delisted;
    for (const Quote& quote : replay.market().instruments.values()) volume += quote.volume;
    bool ok = check(replay.lines == replay.headers + replay.applied + replay.skipped, "every line is applied or skipped");
    ok &= check(std::accumulate(replay.kinds.begin(), replay.kinds.end(), std::size_t{0}) == replay.applied,
                "every applied line is an event of one kind");
    ok &= check(volume == replay.traded, "what was traded is in the volumes");
    ok &=
        check(replay.watch().ticks == replay.watched_ticks, "the watch was told once of each tick it waited for, and no other");
    return ok && check(replay.market().instruments.check_invariants() && replay.market().active.check_invariants(),
                       "the market is sound");
}

int refuse(const std::string& reason) {
    std::cerr << "ticker: " << reason << '\n';
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
    const bool verbose = !arguments.empty() && arguments.front() == "-v";
    if (verbose) arguments.erase(arguments.begin());
    if (arguments.size() > 1 || (!arguments.empty() && (arguments[0].empty() || arguments[0][0] == '-')))
        return refuse("usage: ticker [-v] [FILE]: replays a feed of lines '" + std::string(header) + "'; -v shows every tick");
    const std::string path = arguments.empty() ? SLOTWISE_SOURCE_DIR "/examples/ticker/ticks.csv" : arguments[0];
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    Replay replay;
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) errno = EISDIR; // libc++ opens it, and reads nothing without a complaint
    if (errno == EISDIR || !file.is_open() || !replay.read(file))
        return refuse("cannot read " + quoted(path, path.size()) + ": " +
                      (errno != 0 ? std::generic_category().message(errno) : "read error"));

    std::cout << "+listed -delisted ~emptied name=price:volume [+active -halted], a line for each time stamp\n\n";
    constexpr std::size_t head = 8, tail = 4;
    const std::size_t count = replay.ticks.size(), hidden = verbose || count <= head + tail + 1 ? 0 : count - head - tail;
    for (std::size_t at = 0; at != count; ++at) {
        if (hidden != 0 && at == head) {
            std::cout << "  ... " << hidden << " more, shown with -v ...\n";
            at += hidden;
        }
        std::cout << replay.ticks[at] << '\n';
    }

    const Market& market = replay.market();
    std::cout << "\nlines " << replay.lines << " = " << replay.headers << " header + " << replay.applied << " applied + "
              << replay.skipped << " skipped, in " << count << " ticks\napplied:";
    for (std::size_t kind = 0; kind != kind_names.size(); ++kind)
        std::cout << ' ' << kind_names[kind] << ' ' << replay.kinds[kind];
    std::cout << "\n\nat the end " << market.instruments.size() << " are listed, " << market.active.size()
              << " of them active\n";
    if (!market.instruments.empty()) print(market);
    const Watch& watch = replay.watch();
    std::cout << '\n' << Replay::watched << ", watched since before it was listed: ";
    std::cout << "told " << watch.ticks << " times";
    if (watch.ticks != 0) std::cout << ", " << clock(watch.first) << " to " << clock(watch.last);
    if (watch.high > 0) std::cout << ", low " << digits(watch.low) << ", high " << digits(watch.high);
    std::cout << '\n';

    bool ok = check_counts(replay);
    std::cout << "\ndeltas alone, applied strictly to an empty market:\n";
    ok &= proven(replay, 1, " of one tick each");
    ok &= proven(replay, 10, " composed of ten ticks each");
    ok &= proven(replay, count, " composed of all ticks");
    std::cout << "check: " << (ok ? "passed" : "FAILED") << std::endl;
    return ok && std::cout.good() ? 0 : 1;
}
