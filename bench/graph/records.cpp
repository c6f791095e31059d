// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;
using namespace bench::graph;

// A record a node, with vectors of pins. A value has a counter that moves when it changes, and a node remembers the counters of
// its last run: a frame asks every node, but compares no values. When links change, the next frame orders all nodes anew.
class Records {
    struct Pin {
        Value value = 0;
        std::uint32_t counter = 1;
    };
    struct Node {
        Function call;
        Value salt;
        std::vector<Pin> inputs, outputs;
        std::vector<std::uint32_t> sources; // none: the input has a constant
        std::vector<std::uint32_t> seen;    // 0: never, or it was linked since
    };

public:
    static constexpr bool visits_all = true;
    explicit Records(const Workload& workload) {
        for (const NodeShape& node : workload.shape) {
            Node& made = nodes_.emplace_back(Node{node.call, node.salt, {}, std::vector<Pin>(1), {node.first}, {}});
            if (node.second != none) made.sources.push_back(node.second);
            made.inputs.resize(made.sources.size());
            made.seen.resize(made.sources.size());
        }
    }
    SLOTWISE_BENCH_STEP void set(std::uint32_t node, Value value) { assign(nodes_[node].inputs[0], value); }
    SLOTWISE_BENCH_STEP void evaluate(const Frame&) {
        if (order_due_) put_in_order();
        for (const std::uint32_t i : order_) {
            Node& node = nodes_[i];
            if (!must_run(node)) continue;
            for (std::size_t input = 0; input != node.seen.size(); ++input) node.seen[input] = source(node, input).counter;
            assign(node.outputs[0],
                   node.call(source(node, 0).value, node.seen.size() == 2 ? source(node, 1).value : 0, node.salt));
            ++ran;
        }
    }
    Value value(std::uint32_t node) const { return nodes_[node].outputs[0].value; }
    SLOTWISE_BENCH_STEP void unlink(std::uint32_t node) { link(node, none); }
    SLOTWISE_BENCH_STEP void link(std::uint32_t node, std::uint32_t source) {
        nodes_[node].sources[1] = source;
        nodes_[node].seen[1] = 0;
        order_due_ = true;
    }

    std::size_t ran = 0;

private:
    static void assign(Pin& pin, Value value) {
        if (pin.value == value) return;
        pin.value = value;
        ++pin.counter;
    }
    const Pin& source(const Node& node, std::size_t input) const {
        return node.sources[input] == none ? node.inputs[input] : nodes_[node.sources[input]].outputs[0];
    }
    bool must_run(const Node& node) const {
        for (std::size_t input = 0; input != node.seen.size(); ++input)
            if (node.seen[input] != source(node, input).counter) return true;
        return false;
    }
    // Kahn (Topological sorting of large networks, 1962).
    void put_in_order() {
        std::vector<std::vector<std::uint32_t>> consumers(nodes_.size());
        std::vector<std::uint32_t> waits_for(nodes_.size());
        order_.clear();
        for (std::uint32_t i = 0; i != nodes_.size(); ++i) {
            for (const std::uint32_t each : nodes_[i].sources)
                if (each != none) {
                    consumers[each].push_back(i);
                    ++waits_for[i];
                }
            if (waits_for[i] == 0) order_.push_back(i);
        }
        for (std::size_t at = 0; at != order_.size(); ++at)
            for (const std::uint32_t each : consumers[order_[at]])
                if (--waits_for[each] == 0) order_.push_back(each);
        order_due_ = false;
    }

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> order_;
    bool order_due_ = true;
};

const Registered registered([] {
    add_graph<Records>("gate_over_records", Role::rival);
    add_links<Records>("gate_over_records", Role::rival);
});

} // namespace
