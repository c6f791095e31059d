// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;
using namespace bench::graph;

// Calls the functions that must run, which it is told, in order. It decides nothing.
class InOrder {
    struct Node {
        Function call;
        Value salt;
        std::uint32_t first, second;
    };

public:
    static constexpr bool visits_all = false;
    explicit InOrder(const Workload& workload) {
        const auto n = static_cast<std::uint32_t>(workload.shape.size());
        values_.resize(2 * n + 1); // outputs, constants, and a zero
        for (std::uint32_t i = 0; i != n; ++i) {
            const NodeShape& node = workload.shape[i];
            nodes_.push_back(
                {node.call, node.salt, node.first == none ? n + i : node.first, node.second == none ? 2 * n : node.second});
        }
        for (const Frame& frame : workload.frames) // values as they are before a round, as its lists ask for
            for (const auto& [node, value] : frame.changes) set(node, value);
        for (std::uint32_t i = 0; i != n; ++i) run(i);
    }
    SLOTWISE_BENCH_STEP void set(std::uint32_t node, Value value) { values_[nodes_[node].first] = value; }
    SLOTWISE_BENCH_STEP void evaluate(const Frame& frame) {
        for (const std::uint32_t i : frame.runs) run(i);
    }
    Value value(std::uint32_t node) const { return values_[node]; }

private:
    SLOTWISE_BENCH_STEP void run(std::uint32_t i) {
        const Node& node = nodes_[i];
        values_[i] = node.call(values_[node.first], values_[node.second], node.salt);
    }

    std::vector<Node> nodes_;
    std::vector<Value> values_;
};

const Registered registered([] { add_frames<InOrder>("in_order", Role::limit); });

} // namespace
