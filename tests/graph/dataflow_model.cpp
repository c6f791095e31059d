// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowGraph against a model that computes every node in every evaluation, over random edits.
#include "support/catch.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

/// What a node computes, coarse enough that equal values are frequent.
struct Work {
    int factor = 1;
    friend bool operator==(const Work&, const Work&) = default;
    std::vector<int> operator()(const std::vector<int>& inputs, std::size_t outputs) const {
        int sum = factor;
        for (const int in : inputs) sum = (sum * 3 + in) % 7;
        std::vector<int> results;
        for (std::size_t o = 0; o != outputs; ++o) results.push_back(static_cast<int>((static_cast<std::size_t>(sum) + o) / 2));
        return results;
    }
    /// Some inputs are refused.
    bool fails(const std::vector<int>& inputs) const { return factor == 5 && !inputs.empty() && inputs[0] == 3; }
};
using Graph = DataflowGraph<Work, int>;
using H = Graph::handle_type;

struct ModelNode {
    Work work;
    std::vector<int> constants;
    std::vector<std::optional<std::pair<H, slot_t>>> sources;
    std::vector<int> outputs;
    // Of the last run: whether there was one, what it read, and by which change of which value.
    bool ran = false;
    std::vector<std::array<std::uint64_t, 3>> read; // source node, output, its changes
    std::vector<std::uint64_t> changes;             // of each output
    std::vector<std::uint64_t> constant_changes;
    bool manual = false, always = false, errored = false;
};

class Model {
public:
    std::map<H, ModelNode> nodes;
    std::uint64_t births = 0;

    bool reaches(H from, H to) const {
        if (from == to) return true;
        for (const auto& [handle, node] : nodes)
            for (const auto& source : node.sources)
                if (source && source->first == from && reaches(handle, to)) return true;
        return false;
    }
    /// The nodes that must run, in some order, and the values that result.
    std::set<H> evaluate() {
        std::set<H> ran, done;
        while (done.size() != nodes.size())
            for (auto& [handle, node] : nodes) {
                if (done.count(handle) != 0) continue;
                bool ready = true;
                for (const auto& source : node.sources) ready = ready && (!source || done.count(source->first) != 0);
                if (!ready) continue;
                done.insert(handle);
                std::vector<int> inputs;
                std::vector<std::array<std::uint64_t, 3>> read;
                for (std::size_t i = 0; i != node.sources.size(); ++i)
                    if (node.sources[i]) {
                        const auto& [from, output] = *node.sources[i];
                        inputs.push_back(nodes.at(from).outputs[output]);
                        read.push_back({from.to_bits(), output, nodes.at(from).changes[output]});
                    } else {
                        inputs.push_back(node.constants[i]);
                        read.push_back({0, i, node.constant_changes[i]});
                    }
                if (node.ran && node.read == read && !node.manual && !node.always) continue;
                node.ran = true;
                node.read = read;
                node.manual = false;
                ran.insert(handle);
                node.errored = node.work.fails(inputs);
                if (node.errored) continue;
                const auto results = node.work(inputs, node.outputs.size());
                for (std::size_t o = 0; o != results.size(); ++o)
                    if (results[o] != node.outputs[o]) {
                        node.outputs[o] = results[o];
                        ++node.changes[o];
                    }
            }
        return ran;
    }
};

} // namespace

TEST_CASE("DataflowGraph: random edits, against a model that looks at every node", "[graph]") {
    std::size_t runs = 0, skipped = 0, cycles = 0, errors = 0;
    for (unsigned seed = 1; seed != 25; ++seed) {
        std::mt19937 random(seed);
        Graph graph;
        Model model;
        std::vector<H> all;
        const auto any = [&] { return all[random() % all.size()]; };
        for (int step = 0; step != 300; ++step) {
            const unsigned what = all.size() < 3 ? 0 : random() % 16;
            if (what == 0 && all.size() < 25) {
                const std::size_t inputs = random() % 4, outputs = random() % 3;
                const Work work{static_cast<int>(random() % 6)};
                const H node = graph.add(work, inputs, outputs);
                ModelNode fresh;
                fresh.work = work;
                fresh.constants.assign(inputs, 0);
                fresh.sources.resize(inputs);
                fresh.outputs.assign(outputs, 0);
                fresh.changes.assign(outputs, 0);
                fresh.constant_changes.assign(inputs, 0);
                model.nodes[node] = fresh;
                all.push_back(node);
            } else if (what == 1 && random() % 3 == 0) {
                const H node = any();
                REQUIRE(graph.erase(node));
                model.nodes.erase(node);
                for (auto& [handle, each] : model.nodes)
                    for (auto& source : each.sources)
                        if (source && source->first == node) source.reset();
                all.erase(std::find(all.begin(), all.end(), node));
            } else if (what <= 7) {
                const H from = any(), to = any();
                auto& target = model.nodes.at(to);
                if (target.sources.empty() || model.nodes.at(from).outputs.empty()) continue;
                const auto output = static_cast<slot_t>(random() % model.nodes.at(from).outputs.size());
                const std::size_t input = random() % target.sources.size();
                const bool same = target.sources[input] == std::pair(from, output);
                const bool closes = !same && model.reaches(to, from);
                const auto linked = graph.connect(from, output, to, input);
                REQUIRE(static_cast<bool>(linked) == !closes);
                cycles += closes;
                if (!closes) target.sources[input] = {from, output};
                if (closes) {
                    const auto path = linked.path();
                    REQUIRE((path.front() == to && path.back() == from));
                }
            } else if (what == 8) {
                const H node = any();
                auto& sources = model.nodes.at(node).sources;
                if (sources.empty()) continue;
                const std::size_t input = random() % sources.size();
                REQUIRE(graph.disconnect(node, input) == sources[input].has_value());
                sources[input].reset();
            } else if (what <= 11) {
                const H node = any();
                auto& target = model.nodes.at(node);
                if (target.constants.empty()) continue;
                const std::size_t input = random() % target.constants.size();
                const int value = static_cast<int>(random() % 5);
                REQUIRE(graph.set_input(node, input, value) == (target.constants[input] != value));
                target.constant_changes[input] += target.constants[input] != value;
                target.constants[input] = value;
            } else if (what == 12) {
                const H node = any();
                const bool on = random() % 2 == 0, always = random() % 4 == 0;
                graph.set_flags(node, always ? NodeFlags::always : NodeFlags::manual, on);
                (always ? model.nodes.at(node).always : model.nodes.at(node).manual) = on;
            } else if (what == 13 && random() % 4 == 0) {
                const H node = any();
                auto& target = model.nodes.at(node);
                const std::size_t inputs = random() % 5, outputs = random() % 4;
                REQUIRE(graph.set_pins(node, inputs, outputs));
                target.constants.resize(inputs, 0);
                target.constant_changes.resize(inputs, 0);
                target.sources.resize(inputs);
                target.outputs.resize(outputs, 0);
                target.changes.resize(outputs, ++model.births << 32); // a new output is another one than the old
                target.ran = false;
                for (auto& [handle, each] : model.nodes)
                    for (auto& source : each.sources)
                        if (source && source->first == node && source->second >= outputs) source.reset();
            } else if (what == 14 && random() % 8 == 0) {
                Graph copy(graph);
                REQUIRE(copy == graph);
                graph = std::move(copy);
            } else {
                std::set<H> ran;
                const auto result = graph.evaluate([&](Work& work, Graph::context_type& context) {
                    ran.insert(context.handle());
                    std::vector<int> inputs;
                    for (slot_t i = 0; i != context.inputs(); ++i) inputs.push_back(context.input(i));
                    const auto results = work(inputs, context.outputs());
                    for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, results[o]);
                    if (work.fails(inputs)) context.fail();
                });
                REQUIRE(ran == model.evaluate());
                REQUIRE(result.ran == ran.size());
                runs += ran.size();
                skipped += all.size() - ran.size();
                errors += result.errored;
            }
            REQUIRE(graph.check_invariants());
            REQUIRE(graph.size() == model.nodes.size());
            for (const auto& [handle, node] : model.nodes) {
                for (std::size_t o = 0; o != node.outputs.size(); ++o) REQUIRE(graph.output(handle, o) == node.outputs[o]);
                REQUIRE(has_any(graph.flags(handle), NodeFlags::errored) == node.errored);
                for (std::size_t i = 0; i != node.sources.size(); ++i)
                    REQUIRE(static_cast<bool>(graph.source(handle, i)) == node.sources[i].has_value());
            }
        }
    }
    CHECK(runs > 1000);
    CHECK(skipped > 1000);
    CHECK(cycles > 100);
    CHECK(errors > 10);
}
