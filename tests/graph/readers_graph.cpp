// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A const DataflowGraph, read by eight threads at once.
#include "support/readers.hpp"

#include <slotwise/graph/dot.hpp>

#include <vector>

using namespace slotwise;
using test::eight_readers;
using test::Sum;

TEST_CASE("DataflowGraph: const members may be called by many threads", "[readers]") {
    using Graph = DataflowGraph<int, int>;
    Graph graph;
    std::vector<Graph::handle_type> nodes;
    IdentityMap<PublicId, Graph::handle_type> ids;
    for (int i = 0; i != 100; ++i) {
        nodes.push_back(graph.add(i, 2, 1));
        ids.insert(PublicId{1, static_cast<std::uint64_t>(i)}, nodes.back());
        if (i > 1) CHECK(graph.connect(nodes[static_cast<std::size_t>(i) / 2], 0, nodes.back(), 0));
    }
    graph.evaluate([](int node, auto& context) { context.set_output(0, node + context.input(0)); });
    graph.set_input(nodes[3], 1, 4);
    eight_readers(graph, [&](const Graph& read, Sum& sum) {
        for (const auto node : nodes) {
            sum += read.output(node, 0), sum += read.input(node, 0), sum += read.counter(node, 0), sum += read.at(node);
            sum += static_cast<std::uint32_t>(read.flags(node)), sum += read.edits(node), sum += read.last_run(node);
            sum += read.source(node, 0).output, sum += read.would_run(node);
            for (const auto& link : read.links_into(node)) sum += link.from;
            for (const auto& link : read.links_from(node)) sum += link.to;
            read.for_each_consumer(node, 0, [&](Graph::handle_type to, slot_t input) { sum += to, sum += input; });
        }
        for (const auto& link : read.all_links()) sum += link.input;
        for (const auto& [node, number] : read.items()) sum += node, sum += number;
        read.for_each_in_order([&](Graph::handle_type node, int number) { sum += node, sum += number; });
        sum += read.dirty(), sum += read.check_invariants(), sum += read.snapshot().size(), sum += read.save(ids).size();
        sum += Graph(read) == read, sum += to_dot(read).size(), sum += read.memory_usage() != 0;
    });
}
