// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does it cost to know exactly what a window of time has changed?
//
// write_<k>     a window in a dictionary of n keys (uint64 -> double): open it, write k of them (chosen at random, others in
//               each window), read the delta, roll; time per write
// again_<k>     the same k keys in each window: all is in the first-level cache
// handles_<k>   the same, elements named by handle: no hashing
// slots_<k>     the same with a DeltaTracker alone: touch k slots, read, roll
// set           write keys that are there, chosen at random, in one open window that is not read; time per write
// churn_<k>     remove k keys and add k others, read what came and went, roll; time per change
// fan_out_<s>   1,000 keys are written in a window and s of all keys have a subscriber; time per write, telling them included
// capture_<k>   take the delta of k written values out as a value of its own; time per change
// apply_<k>     write it into a replica; time per change
//
// writes_only   (limit) the same writes into a MapStorage, of which nothing is known afterwards
// writes_and_stamps   (limit) and each stamped with the time, in a column
// adaptive, dirty_list, bitmap   TSDStorage with each way to find the changed slots
// by_hand       std::unordered_map with std::unordered_set of the keys added, removed and modified, cleared at each window
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace bench::series {

using Key = std::uint64_t;

// Bijective, so distinct numbers give distinct keys; scattered, so that neighbours in time are no neighbours in memory.
[[nodiscard]] constexpr Key key_of(std::uint64_t number) noexcept { return (number + 1) * 0x9E37'79B9'7F4A'7C15ull; }

struct Case {
    const char* name;
    std::size_t n, changes;
};
inline constexpr Case cases[] = {{"10", 100'000, 10},
                                 {"10", 1'000'000, 10},
                                 {"1000", 100'000, 1'000},
                                 {"1000", 1'000'000, 1'000},
                                 {"20000", 100'000, 20'000},
                                 {"20000", 1'000'000, 20'000},
                                 {"18_percent", 100'000, 18'000},
                                 {"18_percent", 1'000'000, 180'000}};

// Which elements are changed in which window: distinct ones within a window, a permutation over all of them.
class Schedule {
public:
    Schedule(std::size_t n, std::size_t changes, bool again = false)
        : order_(shuffled(n, 5)), changes_(changes), again_(again) {}
    // Windows in a batch: work for 200 us or more.
    [[nodiscard]] std::size_t windows() const {
        return std::max<std::size_t>(1, std::min(order_.size(), std::size_t{20'000}) / changes_);
    }
    // The elements of window number w.
    [[nodiscard]] const std::uint32_t* window(std::size_t w) const {
        return order_.data() + (again_ ? 0 : w % (order_.size() / changes_)) * changes_;
    }
    [[nodiscard]] std::size_t changes() const { return changes_; }

private:
    std::vector<std::uint32_t> order_;
    std::size_t changes_;
    bool again_;
};

// Dict: Dict(n) holds keys key_of(0) ... key_of(n - 1); open(t), write(number, value), close(), read() -> sum of what the delta
// names, or nothing where static reads is false.
template <class Dict>
SLOTWISE_BENCH_LOOP std::uint64_t run_windows(Dict& dict, const Schedule& schedule, std::size_t first) {
    std::uint64_t sum = 0;
    for (std::size_t w = first; w != first + schedule.windows(); ++w) {
        const std::uint32_t* const numbers = schedule.window(w);
        dict.open(static_cast<std::int64_t>(w + 2));
        for (std::size_t i = 0; i != schedule.changes(); ++i) dict.write(numbers[i], static_cast<double>(w));
        dict.close();
        sum += dict.read();
    }
    return sum;
}

// The sum over a window's keys and how many there are, whatever the order.
[[nodiscard]] constexpr std::uint64_t seen(std::uint64_t sum, Key key) noexcept { return sum + key + 1; }

template <class Dict>
void add_windows(const std::string& operation, const std::string& name, Role role) {
    for (const Case& each : cases) {
        const bool again = operation == "again";
        if (again && each.changes != 10) continue;
        add({operation + "_" + each.name, 8, each.n}, name, role, 12, [each, again](benchmark::State& state) {
            const Schedule schedule(each.n, each.changes, again);
            Dict dict(each.n);
            std::size_t at = 0;
            std::uint64_t sum = 0, expected = 0;
            timed_batches(
                state,
                [&] {
                    for (std::size_t w = at; w != at + schedule.windows(); ++w)
                        for (std::size_t i = 0; i != schedule.changes(); ++i)
                            expected = seen(expected, dict.name_of(schedule.window(w)[i]));
                },
                [&] {
                    sum += run_windows(dict, schedule, at);
                    at += schedule.windows();
                });
            if (Dict::reads && sum != expected) state.SkipWithError("the delta is not what was written");
            return Measured{schedule.windows() * schedule.changes(), expected};
        });
    }
}

template <class Dict>
void add_sets(const std::string& name, Role role) {
    for (const std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}}) {
        add({"set", 8, n}, name, role, 12, [n](benchmark::State& state) {
            constexpr std::size_t writes = 100'000;
            const std::vector<std::uint32_t> positions = random_positions(writes, n, 3);
            Dict dict(n);
            std::int64_t time = 1;
            timed_batches(
                state, [&] { dict.open(++time); },
                [&] {
                    for (std::size_t i = 0; i != writes; ++i) dict.write(positions[i], static_cast<double>(time));
                });
            dict.close();
            return Measured{writes, static_cast<std::uint64_t>(dict.sum())};
        });
    }
}

// Keys that come and go: number i is replaced by number i + n, and back in the next window.
template <class Dict>
void add_churn(const std::string& name, Role role) {
    for (const Case& each : cases) {
        add({std::string("churn_") + each.name, 8, each.n}, name, role, 12, [each](benchmark::State& state) {
            const Schedule schedule(each.n, each.changes);
            Dict dict(each.n);
            std::vector<bool> away(each.n);
            std::size_t at = 0;
            std::uint64_t sum = 0, expected = 0;
            const auto shift = static_cast<std::uint32_t>(each.n);
            timed_batches(
                state, [&] { expected += 2 * schedule.windows() * schedule.changes(); },
                [&] {
                    for (std::size_t w = at; w != at + schedule.windows(); ++w) {
                        dict.open(static_cast<std::int64_t>(w + 2));
                        for (std::size_t i = 0; i != schedule.changes(); ++i) {
                            const std::uint32_t number = schedule.window(w)[i];
                            dict.remove(number + (away[number] ? shift : 0));
                            away[number] = !away[number];
                            dict.write(number + (away[number] ? shift : 0), 1.0);
                        }
                        dict.close();
                        sum += dict.came_and_went();
                    }
                    at += schedule.windows();
                });
            if (Dict::reads && sum != expected) state.SkipWithError("the delta is not what came and went");
            return Measured{2 * schedule.windows() * schedule.changes(), expected};
        });
    }
}

// Dict::Delta is what take() gives of the open window and put(delta, time) writes.
template <class Dict>
void add_flow(const std::string& name, Role role) {
    for (const Case& each : cases) {
        if (each.changes < 1'000) continue;
        const auto prepared = [each](auto&& body) {
            const Schedule schedule(each.n, each.changes);
            Dict dict(each.n);
            std::size_t w = 0;
            const auto next = [&] {
                dict.open(static_cast<std::int64_t>(w + 2));
                for (std::size_t i = 0; i != schedule.changes(); ++i)
                    dict.write(schedule.window(w)[i], static_cast<double>(w + i));
                dict.close();
                ++w;
            };
            return body(dict, next);
        };
        add({std::string("capture_") + each.name, 8, each.n}, name, role, 12, [each, prepared](benchmark::State& state) {
            return prepared([&](Dict& dict, auto& next) {
                std::uint64_t taken = 0;
                timed_batches(state, next, [&] { taken += Dict::changes_in(dict.take()); });
                return Measured{each.changes, taken};
            });
        });
        add({std::string("apply_") + each.name, 8, each.n}, name, role, 12, [each, prepared](benchmark::State& state) {
            return prepared([&](Dict& dict, auto& next) {
                Dict replica(each.n);
                typename Dict::Delta delta;
                std::int64_t time = 1;
                timed_batches(
                    state,
                    [&] {
                        next();
                        delta = dict.take();
                    },
                    [&] { replica.put(delta, ++time); });
                return Measured{each.changes, static_cast<std::uint64_t>(replica.sum())};
            });
        });
    }
}

// Dict: subscribe(number) has a counter counted up when the key is written.
template <class Dict>
void add_fan_out(const std::string& name, Role role) {
    for (const std::size_t subscribers : std::initializer_list<std::size_t>{0, 1, 100, 10'000}) {
        add({"fan_out_" + std::to_string(subscribers), 8, 100'000}, name, role, 12, [subscribers](benchmark::State& state) {
            const Schedule schedule(100'000, 1'000);
            Dict dict(100'000);
            for (std::size_t i = 0; i != subscribers; ++i)
                dict.subscribe(static_cast<std::uint32_t>(i * (100'000 / subscribers)));
            std::size_t at = 0;
            timed_batches(
                state, [] {},
                [&] {
                    for (std::size_t w = at; w != at + schedule.windows(); ++w) {
                        dict.open(static_cast<std::int64_t>(w + 2));
                        for (std::size_t i = 0; i != schedule.changes(); ++i)
                            dict.write(schedule.window(w)[i], static_cast<double>(w));
                        dict.close();
                    }
                    at += schedule.windows();
                });
            return Measured{schedule.windows() * schedule.changes(), dict.told()};
        });
    }
}

} // namespace bench::series
