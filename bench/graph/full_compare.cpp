// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;
using namespace bench::graph;

// Each node keeps the inputs of its last run. A frame gathers the inputs of every node and compares them.
class FullCompare {
    struct Node {
        Function call;
        Value salt;
        std::vector<std::uint32_t> sources; // none: the input has a constant
        std::vector<Value> inputs, before;
        Value output = 0;
    };

public:
    static constexpr bool visits_all = true;
    explicit FullCompare(const Workload& workload) {
        for (const NodeShape& node : workload.shape) {
            Node& made = nodes_.emplace_back(Node{node.call, node.salt, {node.first}, {}, {}});
            if (node.second != none) made.sources.push_back(node.second);
            made.inputs.resize(made.sources.size());
        }
    }
    SLOTWISE_BENCH_STEP void set(std::uint32_t node, Value value) { nodes_[node].inputs[0] = value; }
    SLOTWISE_BENCH_STEP void evaluate(const Frame&) {
        for (Node& node : nodes_) {
            for (std::size_t i = 0; i != node.sources.size(); ++i)
                if (node.sources[i] != none) node.inputs[i] = nodes_[node.sources[i]].output;
            if (node.inputs == node.before) continue;
            node.before = node.inputs;
            node.output = node.call(node.inputs[0], node.inputs.size() == 2 ? node.inputs[1] : 0, node.salt);
            ++ran;
        }
    }
    Value value(std::uint32_t node) const { return nodes_[node].output; }

    std::size_t ran = 0;

private:
    std::vector<Node> nodes_;
};

const Registered registered([] { add_graph<FullCompare>("full_compare", Role::rival); });

} // namespace
