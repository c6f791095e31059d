// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does it cost to compute again what follows from changed values, and nothing else?
//
// Nodes are numbered, and read values of nodes with smaller numbers, or a constant. A frame sets some constants and evaluates.
//
// linear           a chain; its first node changes: all run; per node
// fanout           one node that all others read changes: all run; per node
// unchanged_900    100 chains of 10, of which 10 change: 900 of 1000 nodes stay as they are; per frame
// changed_10       the same; per node that runs
// changed_10_work  the same with functions of some 60 ns; per node that runs
// changed_100      1e5 nodes, chains of 10, of which 100 change; per node that runs
// clean            nothing changed; per frame
// random           nodes with two inputs from anywhere before, of which three in four cut off most changes; 1 % of the constants
//                  of those that have one change; per node that runs
// build            all nodes and links; per node
// allocations      calls of operator new a frame, of unchanged_900, after the first frames
// link             an input is unlinked and linked to another earlier node, in a graph of 1e5 as that of `random`; per step
// link_and_run     the same with one input, and a frame; per frame
//
// Values are 8 bytes, and the functions are called by pointer. A contender is built from a Shape and has set(node, value),
// evaluate(frame) and value(node); it may have unlink(node), which cuts the second input, and link(node, source).
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench::graph {

// Of operator new; main.cpp counts them.
inline std::size_t allocation_calls = 0;

using Value = std::uint64_t;
using Function = Value (*)(Value a, Value b, Value salt);

// Another a is another result.
inline Value mix(Value a, Value b, Value salt) { return (a + 3 * b + salt) * 0x9E3779B97F4A7C15u; }
inline Value work(Value a, Value b, Value salt) {
    Value x = mix(a, b, salt);
    for (int i = 0; i != 40; ++i) x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
    return x;
}
// The same result for most of what it may read.
inline Value rare(Value a, Value b, Value salt) { return mix(a, b, salt) >> 60 == 0 ? 1 : 0; }

inline constexpr std::uint32_t none = 0xFFFF'FFFF;

struct NodeShape {
    Function call;
    Value salt;
    std::uint32_t first;  // the node that the first input reads; none: a constant, 0 at first
    std::uint32_t second; // of the second; none: there is no such input, and the function is called with 0
};
using Shape = std::vector<NodeShape>;

struct Change {
    std::uint32_t node;
    Value value;
};
struct Frame {
    std::vector<Change> changes;
    std::vector<std::uint32_t> runs; // the nodes that must run, in order
};

// Frames are run round and round: after the first round each finds what it found a round before.
struct Workload {
    Shape shape;
    std::vector<Frame> frames;
    std::vector<std::uint32_t> watched; // nodes without consumers that are computed in any frame; all such, if none is

    [[nodiscard]] std::size_t runs() const {
        std::size_t count = 0;
        for (const Frame& frame : frames) count += frame.runs.size();
        return count;
    }
};

//=== workloads ===//

// Runs the frames twice by comparing everything, to see what must run.
inline Workload finished(Shape shape, std::vector<Frame> frames) {
    const std::size_t n = shape.size();
    std::vector<Value> constants(n), values(n);
    std::vector<bool> dirty(n, true), read(n), ran(n);
    for (int round = 0; round != 2; ++round)
        for (Frame& frame : frames) {
            for (const auto& [node, value] : frame.changes)
                if (std::exchange(constants[node], value) != value) dirty[node] = true;
            frame.runs.clear();
            std::vector<bool> changed(n);
            for (std::uint32_t i = 0; i != n; ++i) {
                const NodeShape& node = shape[i];
                const bool reads_changed =
                    (node.first != none && changed[node.first]) || (node.second != none && changed[node.second]);
                if (!dirty[i] && !reads_changed) continue;
                dirty[i] = false;
                frame.runs.push_back(i);
                const Value value = node.call(node.first == none ? constants[i] : values[node.first],
                                              node.second == none ? 0 : values[node.second], node.salt);
                changed[i] = std::exchange(values[i], value) != value;
                if (round == 1) ran[i] = true;
            }
        }
    for (const NodeShape& node : shape)
        for (const std::uint32_t source : {node.first, node.second})
            if (source != none) read[source] = true;
    Workload result{std::move(shape), std::move(frames), {}};
    const bool any = result.runs() != 0;
    for (std::uint32_t i = 0; i != n; ++i)
        if (!read[i] && (ran[i] || !any)) result.watched.push_back(i);
    return result;
}

inline Workload linear(std::size_t n) {
    Shape shape;
    for (std::uint32_t i = 0; i != n; ++i) shape.push_back({mix, i, i == 0 ? none : i - 1, none});
    return finished(std::move(shape), {{{{0, 1}}, {}}, {{{0, 2}}, {}}});
}
inline Workload fanout(std::size_t n) {
    Shape shape;
    for (std::uint32_t i = 0; i != n; ++i) shape.push_back({mix, i, i == 0 ? none : 0, none});
    return finished(std::move(shape), {{{{0, 1}}, {}}, {{{0, 2}}, {}}});
}
// Each frame changes so many chains of ten, evenly spread.
inline Workload chains(std::size_t n, std::size_t changed, Function call) {
    Shape shape;
    for (std::uint32_t i = 0; i != n; ++i) shape.push_back({call, i, i % 10 == 0 ? none : i - 1, none});
    std::vector<Frame> frames(4);
    Value value = 0;
    for (Frame& frame : frames) {
        ++value;
        for (std::size_t i = 0; i != changed; ++i)
            frame.changes.push_back({static_cast<std::uint32_t>(n / 10 * i / changed * 10), value});
    }
    return finished(std::move(shape), std::move(frames));
}
// Of ten nodes one has a constant.
inline Shape random_shape(std::size_t n) {
    Shape shape;
    Random random(n);
    for (std::uint32_t i = 0; i != n; ++i) {
        const Function call = random.below(4) == 0 ? mix : rare;
        const bool constant = i < 2 || i % 10 == 0;
        const std::uint32_t first = constant ? none : random.below(i), second = constant ? none : random.below(i);
        shape.push_back({constant ? mix : call, i, first, second});
    }
    return shape;
}
inline Workload random_graph(std::size_t n) {
    std::vector<Frame> frames(16);
    for (std::size_t f = 0; f != frames.size(); ++f) // each constant changes there and back
        for (const std::uint32_t i : random_positions(n / 1000, n / 10, f % 8)) frames[f].changes.push_back({i * 10, f + 1});
    return finished(random_shape(n), std::move(frames));
}

//=== the measured loops ===//

template <class C>
SLOTWISE_BENCH_LOOP void run_frames(C& contender, const std::vector<Frame>& frames, std::size_t rounds) {
    for (std::size_t round = 0; round != rounds; ++round)
        for (const Frame& frame : frames) {
            for (const auto& [node, value] : frame.changes) contender.set(node, value);
            contender.evaluate(frame);
        }
}
struct Relink {
    std::uint32_t node, source;
};
template <class C>
SLOTWISE_BENCH_LOOP void relink(C& contender, const std::vector<Relink>& relinks) {
    for (const auto& [node, source] : relinks) {
        contender.unlink(node);
        contender.link(node, source);
    }
}
template <class C>
SLOTWISE_BENCH_LOOP void relink_and_run(C& contender, const std::vector<Relink>& relinks) {
    for (const auto& [node, source] : relinks) {
        contender.unlink(node);
        contender.link(node, source);
        contender.evaluate(Frame{});
    }
}

//=== rows ===//

template <class C>
std::uint64_t sum_of(const C& contender, const std::vector<std::uint32_t>& nodes) {
    std::uint64_t sum = 0;
    for (const std::uint32_t node : nodes) sum = sum * 31 + contender.value(node);
    return sum;
}
// Runs at least 50 us in a batch. Ends in an error if other nodes ran than must.
template <class C>
Measured measure_frames(benchmark::State& state, const Workload& workload, bool per_frame) {
    auto contender = std::make_unique<C>(workload);
    const std::size_t visited = C::visits_all ? 2 * workload.shape.size() * workload.frames.size() : workload.runs();
    const std::size_t rounds = std::max<std::size_t>(1, 100'000 / (visited + 4 * workload.frames.size()));
    run_frames(*contender, workload.frames, 2);
    timed_batches(
        state, [] {}, [&] { run_frames(*contender, workload.frames, rounds); });
    if constexpr (requires { contender->ran; }) {
        contender->ran = 0;
        run_frames(*contender, workload.frames, 1);
        if (contender->ran != workload.runs()) state.SkipWithError("other nodes ran than must");
    }
    return {rounds * (per_frame ? workload.frames.size() : workload.runs()), sum_of(*contender, workload.watched)};
}

// A workload is made once, when a row asks for it first.
template <class Make>
void add_frames_row(const char* operation, std::size_t n, const std::string& name, Role role, bool per_frame, auto measure,
                    Make make) {
    add({operation, 8, n}, name, role, 9, [=, made = std::make_shared<std::unique_ptr<Workload>>()](benchmark::State& state) {
        if (*made == nullptr) *made = std::make_unique<Workload>(make());
        return measure(state, **made, per_frame);
    });
}
template <class C>
void add_row(const char* operation, std::size_t n, const std::string& name, Role role, bool per_frame, auto make) {
    add_frames_row(operation, n, name, role, per_frame, measure_frames<C>, make);
}
template <class C>
void add_frames(const std::string& name, Role role) {
    add_row<C>("linear", 1000, name, role, false, [] { return linear(1000); });
    add_row<C>("fanout", 1000, name, role, false, [] { return fanout(1000); });
    add_row<C>("unchanged_900", 1000, name, role, true, [] { return chains(1000, 10, mix); });
    add_row<C>("changed_10", 1000, name, role, false, [] { return chains(1000, 10, mix); });
    add_row<C>("changed_10_work", 1000, name, role, false, [] { return chains(1000, 10, work); });
    add_row<C>("changed_100", 100'000, name, role, false, [] { return chains(100'000, 100, mix); });
    for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}})
        add_row<C>("random", n, name, role, false, [n] { return random_graph(n); });
}
// What a contender that decides by itself what to run has in addition.
template <class C>
void add_graph(const std::string& name, Role role) {
    add_frames<C>(name, role);
    for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}}) {
        add_row<C>("clean", n, name, role, true, [n] { return chains(n, 0, mix); });
        add_frames_row(
            "build", n, name, role, false,
            [](benchmark::State& state, const Workload& workload, bool) {
                std::vector<std::unique_ptr<C>> built(std::max<std::size_t>(1, 10'000 / workload.shape.size()));
                timed_batches(
                    state,
                    [&] {
                        for (auto& each : built) each.reset();
                    },
                    [&] {
                        for (auto& each : built) each = std::make_unique<C>(workload);
                    });
                run_frames(*built.back(), workload.frames, 1);
                return Measured{built.size() * workload.shape.size(), sum_of(*built.back(), workload.watched)};
            },
            [n] { return random_graph(n); });
    }
    add_frames_row(
        "allocations", 1000, name, role, true,
        [](benchmark::State& state, const Workload& workload, bool) {
            C contender(workload);
            run_frames(contender, workload.frames, 2);
            std::size_t calls = 0;
            const auto count = [&] {
                const std::size_t before = allocation_calls;
                run_frames(contender, workload.frames, 10);
                calls = allocation_calls - before;
            };
            timed_batches(
                state, [] {}, count);
            state.counters["value"] = static_cast<double>(calls) / static_cast<double>(10 * workload.frames.size());
            return Measured{10 * workload.frames.size(), sum_of(contender, workload.watched)};
        },
        [] { return chains(1000, 10, mix); });
}
template <class C>
void add_links(const std::string& name, Role role) {
    const auto add_links_row = [&](const char* operation, std::size_t count, auto loop, std::size_t steps) {
        add({operation, 8, 100'000}, name, role, 9, [=](benchmark::State& state) {
            const Workload workload = finished(random_shape(100'000), {Frame{}});
            auto contender = std::make_unique<C>(workload);
            contender->evaluate(Frame{});
            std::vector<Relink> relinks;
            Random random(7);
            const auto more = [&] {
                relinks.clear();
                while (relinks.size() != count) {
                    const std::uint32_t node = 10 + random.below(99'990);
                    if (node % 10 != 0) relinks.push_back({node, random.below(node)});
                }
            };
            timed_batches(state, more, [&] { loop(*contender, relinks); });
            contender->evaluate(Frame{});
            return Measured{count * steps, sum_of(*contender, workload.watched)};
        });
    };
    add_links_row("link", 10'000, relink<C>, 2);
    add_links_row("link_and_run", 2, relink_and_run<C>, 1);
}

} // namespace bench::graph
