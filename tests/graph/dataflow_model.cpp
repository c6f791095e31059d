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
#include <tuple>
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
    /// The nodes that one depends on, and itself.
    std::set<H> cone(H of) const {
        std::set<H> result{of};
        for (const auto& source : nodes.at(of).sources)
            if (source) result.merge(cone(source->first));
        return result;
    }
    /// What the node reads now, and by which change of which value.
    std::pair<std::vector<int>, std::vector<std::array<std::uint64_t, 3>>> reads(const ModelNode& node) const {
        std::pair<std::vector<int>, std::vector<std::array<std::uint64_t, 3>>> result;
        for (std::size_t i = 0; i != node.sources.size(); ++i)
            if (node.sources[i]) {
                const auto& [from, output] = *node.sources[i];
                result.first.push_back(nodes.at(from).outputs[output]);
                result.second.push_back({from.to_bits(), output, nodes.at(from).changes[output]});
            } else {
                result.first.push_back(node.constants[i]);
                result.second.push_back({0, i, node.constant_changes[i]});
            }
        return result;
    }
    bool would_run(H handle) const {
        const ModelNode& node = nodes.at(handle);
        return !node.ran || node.manual || node.always || node.read != reads(node).second;
    }
    bool up_to_date(H handle) const {
        const auto all = cone(handle);
        return std::none_of(all.begin(), all.end(), [&](H each) { return would_run(each); });
    }
    std::set<H> evaluate() {
        std::set<H> all;
        for (const auto& [handle, node] : nodes) all.insert(handle);
        return evaluate(all);
    }
    /// The nodes that must run, of these, in some order, and the values that result. @param wanted with all that they depend on
    std::set<H> evaluate(const std::set<H>& wanted) {
        std::set<H> ran, done;
        while (done.size() != wanted.size())
            for (const H handle : wanted) {
                auto& node = nodes.at(handle);
                if (done.count(handle) != 0) continue;
                bool ready = true;
                for (const auto& source : node.sources) ready = ready && (!source || done.count(source->first) != 0);
                if (!ready) continue;
                done.insert(handle);
                if (!would_run(handle)) continue;
                const auto [inputs, read] = reads(node);
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
    /// Whether no node reads itself, over others.
    bool without_cycle() const {
        std::map<H, std::size_t> waits;
        for (const auto& [handle, node] : nodes)
            waits[handle] = static_cast<std::size_t>(
                std::count_if(node.sources.begin(), node.sources.end(), [](const auto& source) { return source.has_value(); }));
        for (;;) {
            const auto next = std::find_if(waits.begin(), waits.end(), [](const auto& each) { return each.second == 0; });
            if (next == waits.end()) return waits.empty();
            const H free = next->first;
            waits.erase(next);
            for (const auto& [handle, node] : nodes)
                for (const auto& source : node.sources)
                    if (source && source->first == free) --waits.at(handle);
        }
    }
    std::vector<Graph::Link> links() const {
        std::vector<Graph::Link> result;
        for (const auto& [handle, node] : nodes)
            for (std::size_t i = 0; i != node.sources.size(); ++i)
                if (node.sources[i])
                    result.push_back({node.sources[i]->first, node.sources[i]->second, handle, static_cast<slot_t>(i)});
        return result;
    }
};

/// Links in an order that does not depend on slots.
std::vector<Graph::Link> sorted(std::vector<Graph::Link> links) {
    std::sort(links.begin(), links.end(), [](const Graph::Link& a, const Graph::Link& b) {
        return std::tuple(a.to.to_bits(), a.input) < std::tuple(b.to.to_bits(), b.input);
    });
    return links;
}
template <class Range>
std::vector<Graph::Link> listed(const Range& links) {
    return {links.begin(), links.end()};
}

} // namespace

TEST_CASE("DataflowGraph: random edits, against a model that looks at every node", "[graph]") {
    std::size_t runs = 0, skipped = 0, cycles = 0, errors = 0, pulled = 0, left = 0, made = 0, refused = 0, dead = 0, twice = 0;
    for (unsigned seed = 1; seed != 33; ++seed) {
        std::mt19937 random(seed);
        Graph graph;
        Model model;
        std::vector<H> all;
        const auto any = [&] { return all[random() % all.size()]; };
        for (int step = 0; step != 300; ++step) {
            const auto what = all.size() < 3 ? 0 : random() % 22;
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
                const auto asked = graph.would_connect(from, output, to, input);
                const auto linked = graph.connect(from, output, to, input);
                REQUIRE(static_cast<bool>(linked) == !closes);
                REQUIRE((asked.status() == linked.status() &&
                         std::equal(asked.path().begin(), asked.path().end(), linked.path().begin(), linked.path().end())));
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
            } else if (what == 15 || what == 16) {
                std::vector<Graph::Link> links;
                std::set<std::pair<H, slot_t>> inputs;
                Model after = model;
                std::size_t first_twice = 0, first_dead = 0;
                for (std::size_t n = 1 + random() % 6; n != 0; --n) {
                    const H from = any(), to = any();
                    if (random() % 32 == 0) {
                        links.push_back({from, static_cast<slot_t>(model.nodes.at(from).outputs.size()), to, 0});
                        if (first_dead == 0) first_dead = links.size();
                        continue;
                    }
                    auto& target = after.nodes.at(to);
                    if (target.sources.empty() || model.nodes.at(from).outputs.empty()) continue;
                    const auto output = static_cast<slot_t>(random() % model.nodes.at(from).outputs.size());
                    const auto input = static_cast<slot_t>(random() % target.sources.size());
                    links.push_back({from, output, to, input});
                    if (!inputs.emplace(to, input).second && first_twice == 0) first_twice = links.size();
                    target.sources[input] = {from, output};
                }
                const Graph before(graph);
                std::vector<std::vector<Graph::Link>> read; // consumers, in their order
                for (const auto& [handle, node] : model.nodes) read.push_back(listed(graph.links_from(handle)));
                const auto linked = graph.link_all(links);
                const bool cyclic = !after.without_cycle();
                if (first_dead != 0)
                    REQUIRE((linked.status() == LinkStatus::no_output && linked.which() + 1 == first_dead));
                else if (first_twice != 0)
                    REQUIRE((linked.status() == LinkStatus::twice && linked.which() + 1 == first_twice));
                else if (cyclic) {
                    REQUIRE(linked.status() == LinkStatus::cycle);
                    const auto path = linked.path();
                    const Graph::Link& closes = links.at(linked.which());
                    REQUIRE((path.front() == closes.to && path.back() == closes.from));
                    REQUIRE(std::set<H>(path.begin(), path.end()).size() == path.size());
                    for (std::size_t i = 1; i < path.size(); ++i) {
                        const auto& sources = after.nodes.at(path[i]).sources;
                        REQUIRE(std::any_of(sources.begin(), sources.end(),
                                            [&](const auto& source) { return source && source->first == path[i - 1]; }));
                    }
                } else
                    REQUIRE((linked && linked.which() == links.size()));
                dead += first_dead != 0;
                twice += linked.status() == LinkStatus::twice;
                (linked ? made : refused) += links.size();
                if (linked)
                    model = std::move(after);
                else {
                    REQUIRE(graph == before);
                    std::size_t n = 0;
                    for (const auto& [handle, node] : model.nodes) REQUIRE(listed(graph.links_from(handle)) == read[n++]);
                }
            } else if (what >= 17 && what <= 19) {
                const H node = any();
                std::set<H> ran;
                const bool current = graph.up_to_date(node);
                const auto result = graph.evaluate(node, [&](Work& work, Graph::context_type& context) {
                    ran.insert(context.handle());
                    std::vector<int> inputs;
                    for (slot_t i = 0; i != context.inputs(); ++i) inputs.push_back(context.input(i));
                    const auto results = work(inputs, context.outputs());
                    for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, results[o]);
                    if (work.fails(inputs)) context.fail();
                });
                REQUIRE(ran == model.evaluate(model.cone(node)));
                REQUIRE((result.ran == ran.size() && current == ran.empty()));
                pulled += ran.size();
                left += graph.dirty();
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
            REQUIRE(sorted(listed(graph.all_links())) == sorted(model.links()));
            REQUIRE(graph.links() == model.links().size());
            for (const auto& [handle, node] : model.nodes) {
                REQUIRE(graph.would_run(handle) == model.would_run(handle));
                REQUIRE(graph.up_to_date(handle) == model.up_to_date(handle));
                std::vector<Graph::Link> into, from;
                for (const auto& link : model.links()) {
                    if (link.to == handle) into.push_back(link);
                    if (link.from == handle) from.push_back(link);
                }
                REQUIRE(listed(graph.links_into(handle)) == into);
                REQUIRE(sorted(listed(graph.links_from(handle))) == sorted(from));
                for (std::size_t o = 0; o != node.outputs.size(); ++o) REQUIRE(graph.output(handle, o) == node.outputs[o]);
                REQUIRE(has_any(graph.flags(handle), NodeFlags::errored) == node.errored);
                for (std::size_t i = 0; i != node.sources.size(); ++i)
                    REQUIRE(static_cast<bool>(graph.source(handle, i)) == node.sources[i].has_value());
            }
            std::size_t walked = 0;
            for (const auto [handle, work] : graph.items()) walked += model.nodes.at(handle).work == work;
            REQUIRE(walked == graph.size());
        }
    }
    CHECK(runs > 1000);
    CHECK(skipped > 1000);
    CHECK(cycles > 100);
    CHECK(errors > 10);
    CHECK(pulled > 300);
    CHECK(left > 100);
    CHECK(made > 300);
    CHECK(refused > 200);
    CHECK((dead > 20 && twice > 10));
}
