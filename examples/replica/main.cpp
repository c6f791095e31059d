// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Two processes. One writes a dictionary over time and sends the bytes of each window; the other has nothing but these bytes, and
// follows. The link repeats messages, and loses and damages some: what is missing is sent again as one delta. In the end the
// state of the other comes back, and is the same. Where there is no fork(), both are in one process.

#include <slotwise/series/apply_delta.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)
#include <sys/wait.h>
#include <unistd.h>
#define FORKS 1
#else
#define FORKS 0
#endif

namespace {

using Bytes = std::vector<std::byte>;
using Stock = slotwise::TSDStorage<std::string, int>;
using Time = Stock::time_type;

//=== the follower ===//

/// The dictionary that follows. What it answers to a message is the window that it is at.
struct Follower {
    Stock stock;
    std::size_t refused = 0, repeated = 0, early = 0;

    Time receive(std::span<const std::byte> message) {
        const slotwise::AppliedDelta result = slotwise::try_apply_delta(stock, message);
        refused += !result; // damaged: nothing has changed
        repeated += result && result.applied == slotwise::Applied::already;
        early += result && result.applied == slotwise::Applied::gap;
        return stock.window();
    }
    [[nodiscard]] Bytes state() const { return capture_state(stock).to_bytes(Stock::never); }
};

//=== the link ===//

#if FORKS
/// Messages to a child process, and its answers.
class Link {
public:
    Link() {
        if (::pipe(there_) != 0 || ::pipe(back_) != 0 || (child_ = ::fork()) < 0) std::exit(2);
        if (child_ != 0) return;
        ::close(there_[1]); // or the child would wait for itself
        Follower follower;
        for (std::uint32_t size = 0; take(there_[0], &size, sizeof size) && size != 0;) {
            Bytes message(size);
            if (!take(there_[0], message.data(), size)) std::_Exit(2);
            const Time window = follower.receive(message);
            give(back_[1], &window, sizeof window);
        }
        const Bytes state = follower.state();
        const auto size = static_cast<std::uint32_t>(state.size());
        give(back_[1], &size, sizeof size);
        give(back_[1], state.data(), size);
        std::_Exit(follower.refused != 0 && follower.repeated != 0 && follower.early != 0 ? 0 : 1);
    }
    Time send(const Bytes& message) {
        const auto size = static_cast<std::uint32_t>(message.size());
        Time window = Stock::never;
        give(there_[1], &size, sizeof size);
        give(there_[1], message.data(), size);
        return take(back_[0], &window, sizeof window) ? window : Stock::never;
    }
    Bytes finish() {
        std::uint32_t size = 0;
        give(there_[1], &size, sizeof size); // no more messages
        Bytes state(take(back_[0], &size, sizeof size) ? size : 0);
        return take(back_[0], state.data(), state.size()) ? state : Bytes();
    }
    /// Whether the other process has ended well.
    bool ended() const {
        int status = 0;
        return ::waitpid(child_, &status, 0) == child_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    static bool take(int from, void* to, std::size_t size) {
        for (auto* at = static_cast<std::byte*>(to); size != 0;) {
            const auto count = ::read(from, at, size);
            if (count <= 0) return false;
            at += count;
            size -= static_cast<std::size_t>(count);
        }
        return true;
    }
    static void give(int to, const void* from, std::size_t size) {
        for (const auto* at = static_cast<const std::byte*>(from); size != 0;) {
            const auto count = ::write(to, at, size);
            if (count <= 0) return;
            at += count;
            size -= static_cast<std::size_t>(count);
        }
    }

    int there_[2]{}, back_[2]{};
    ::pid_t child_ = 0;
};
#else
class Link {
public:
    Time send(const Bytes& message) { return follower_.receive(message); }
    Bytes finish() { return follower_.state(); }
    bool ended() const { return follower_.refused != 0 && follower_.repeated != 0 && follower_.early != 0; }

private:
    Follower follower_;
};
#endif

bool check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n';
    return holds;
}

} // namespace

int main() {
    Link link;
    Stock stock;
    std::map<Time, Stock::delta_type> kept; // by the window after which they begin
    Time there = Stock::never;              // the window of the follower, by its last answer
    std::mt19937 dice(1);
    std::size_t bytes = 0, again = 0;
    const auto send_missing = [&] { // as one
        auto next = kept.find(there);
        auto delta = next->second;
        for (++next; next != kept.end(); ++next) delta = compose(delta, next->second);
        return link.send(delta.to_bytes(there));
    };
    for (Time time = 1; time != 2000; ++time) {
        const Time from = stock.window();
        {
            auto w = stock.write(time);
            for (unsigned n = dice() % 8 + 1; n != 0; --n) {
                const std::string key = "part " + std::to_string(dice() % 200);
                if (dice() % 4 == 0)
                    w.remove(key);
                else
                    w.set(key, static_cast<int>(dice() % 1000));
            }
        }
        kept.emplace(from, capture(stock));
        Bytes message = kept.at(from).to_bytes(from);
        if (dice() % 10 == 0) continue;                                            // lost
        if (dice() % 10 == 0) message[dice() % message.size()] ^= std::byte{0x10}; // damaged
        there = link.send(message);
        if (dice() % 10 == 0) there = link.send(message); // repeated
        bytes += message.size();
        if (there == time) {
            kept.clear();
            continue;
        }
        there = send_missing();
        ++again;
        kept.clear();
    }
    if (there != stock.window()) there = send_missing(); // the last ones were lost
    const auto state = Stock::delta_type::from_bytes(link.finish());
    Stock twin;
    apply_delta(twin, state.delta, state.from);
    bool ok = check(twin == stock && twin.window() == stock.window(), "the follower is in the same state");
    ok &= check(again > 50, "what was lost is sent again");
    ok &= check(link.ended(), "it has refused what was damaged, and left out what came twice or too early");
    std::cout << stock.window() << " windows, " << bytes << " bytes, " << again << " times the missing windows as one\n"
              << "check: " << (ok ? "passed" : "FAILED") << '\n';
    return ok ? 0 : 1;
}
