// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"

#include <slotwise/graph/dot.hpp>

using namespace slotwise;

TEST_CASE("to_dot: nodes with their kinds and flags, links with the names of pins", "[graph]") {
    static constexpr std::string_view in[] = {"x"}, out[] = {"y", "z"};
    static constexpr NodeInfo info{"spring", in, out, NodeFlags::always};
    DataflowGraph<int, double> graph;
    const auto spring = graph.add(1, info), plain = graph.add(2, 2, 1), texture = graph.add(3, 1, 0);
    graph.connect(spring, 1, plain, 0);
    graph.connect(plain, 0, texture, 0);
    graph.set_flags(texture, NodeFlags::stateful);
    graph.evaluate([](int node, auto& context) {
        if (node == 2) context.fail();
    });
    CHECK(to_dot(graph) == "digraph {\n"
                           "    node [shape=box];\n"
                           "    n0 [label=\"spring\\n0v1\", style=bold];\n"
                           "    n1 [label=\"1v1\", color=red];\n"
                           "    n2 [label=\"2v1\", style=dashed];\n"
                           "    n0 -> n1 [taillabel=\"z\", headlabel=\"0\"];\n"
                           "    n1 -> n2 [taillabel=\"0\", headlabel=\"0\"];\n"
                           "}\n");
    const auto quoted = to_dot(graph, [](const auto&, auto) { return "say \"\\\""; });
    CHECK(quoted.find("[label=\"say \\\"\\\\\\\"\", style=bold]") != std::string::npos);
}
