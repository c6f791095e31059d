// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

namespace {

using namespace bench;
using namespace bench::graph;

struct Node {
    Function call;
    Value salt;
    std::uint32_t inputs;
};
using Graph = slotwise::DataflowGraph<Node, Value>;

class Ours {
public:
    static constexpr bool visits_all = false;
    explicit Ours(const Workload& workload) : Ours(workload.shape, [](std::uint32_t) { return true; }) {}

    SLOTWISE_BENCH_STEP void set(std::uint32_t node, Value value) { graph_.set_input(handles_[node], 0, value); }
    SLOTWISE_BENCH_STEP void evaluate(const Frame&) {
        ran += graph_
                   .evaluate([](Node& node, auto& context) {
                       const Value second = node.inputs == 2 ? context.input(1) : 0;
                       context.set_output(0, node.call(context.input(0), second, node.salt));
                   })
                   .ran;
    }
    Value value(std::uint32_t node) const { return graph_.output(handles_[node], 0); }
    SLOTWISE_BENCH_STEP void unlink(std::uint32_t node) { graph_.disconnect(handles_[node], 1); }
    SLOTWISE_BENCH_STEP void link(std::uint32_t node, std::uint32_t source) {
        graph_.connect(handles_[source], 0, handles_[node], 1);
    }

    std::size_t ran = 0;

protected:
    template <class Wanted>
    Ours(const Shape& shape, Wanted wanted) {
        for (std::uint32_t i = 0; i != shape.size(); ++i) {
            if (!wanted(i)) {
                handles_.push_back({});
                continue;
            }
            const NodeShape& node = shape[i];
            const std::uint32_t inputs = node.second == none ? 1 : 2;
            handles_.push_back(graph_.add(Node{node.call, node.salt, inputs}, inputs, 1));
            if (node.first != none) graph_.connect(handles_[node.first], 0, handles_[i], 0);
            if (node.second != none) graph_.connect(handles_[node.second], 0, handles_[i], 1);
        }
    }

private:
    Graph graph_;
    std::vector<Graph::handle_type> handles_;
};

// The nodes that run, and no others: what a frame costs more than this is due to those that stay as they are.
class Alone : public Ours {
public:
    explicit Alone(const Workload& workload)
        : Ours(workload.shape, [runs = workload.frames.front().runs](std::uint32_t i) {
              return std::binary_search(runs.begin(), runs.end(), i);
          }) {}
};

const Registered registered([] {
    add_graph<Ours>("DataflowGraph", Role::ours);
    add_links<Ours>("DataflowGraph", Role::ours);
    add_row<Alone>("unchanged_900", 1000, "DataflowGraph_of_what_runs", Role::ours, true, [] { return chains(1000, 10, mix); });
});

} // namespace
