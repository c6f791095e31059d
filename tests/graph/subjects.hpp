// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowGraph as a subject of support/whole.hpp.
#ifndef SLOTWISE_TESTS_GRAPH_SUBJECTS_HPP
#define SLOTWISE_TESTS_GRAPH_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

namespace test {

using namespace slotwise;

/// Nodes that were run, with gaps, some of them linked against the order of their slots.
template <class Node = Tracked, class Value = Tracked>
struct Graphs {
    static constexpr bool exact_noexcept = true;
    using element = std::byte;
    template <class A>
    using container = DataflowGraph<Node, Value, EqualTo, AllocBy<A>>;

    template <class Graph>
    static void fill(Graph& graph, int first, int count) {
        std::vector<typename Graph::handle_type> nodes;
        for (int i = 0; i != count; ++i) {
            nodes.push_back(graph.emplace(2, 2, first + i));
            graph.set_input(nodes.back(), 1, Value(first + i));
            if (i != 0) static_cast<void>(graph.connect(nodes.back(), 1, nodes[static_cast<std::size_t>(i) / 2], 0));
        }
        for (std::size_t i = 4; i < nodes.size(); i += 5) graph.erase(nodes[i]);
        graph.evaluate([](Node& node, auto& context) {
            for (slot_t o = 0; o != 2; ++o)
                context.set_output(o, Value(node.value() + context.input(0).value() + context.input(1).value()));
        });
        if (count != 0) graph.set_flags(nodes.front(), NodeFlags::stateful | NodeFlags::manual);
    }
    template <class Graph>
    static Contents contents(const Graph& graph) {
        Contents all{static_cast<std::int64_t>(graph.links()), graph.dirty()};
        graph.for_each_in_order([&](auto node, const Node& value) {
            all.push_back(static_cast<std::int64_t>(node.to_bits()));
            all.push_back(value.value());
            all.push_back(static_cast<std::int64_t>(graph.flags(node)));
            for (const std::size_t pin : {0u, 1u}) {
                all.push_back(graph.input(node, pin).value());
                all.push_back(static_cast<std::int64_t>(graph.counter(node, pin)));
                all.push_back(static_cast<std::int64_t>(graph.source(node, pin).node.to_bits()));
            }
        });
        return all;
    }
    template <class Graph>
    static bool sound(const Graph& graph) {
        return graph.check_invariants();
    }
    template <class Graph>
    static auto future(Graph& graph) {
        std::vector<std::uint64_t> handles;
        for (int i = 0; i != 40; ++i) handles.push_back(graph.emplace(1, 1, i).to_bits());
        return handles;
    }
};

} // namespace test

#endif
