// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The node graph of README.md: only what changed runs again.
#include <slotwise/graph/dataflow_graph.hpp>

#include <iostream>

int main() {
    // [readme]
    slotwise::DataflowGraph<int, double> graph; // nodes multiply by an int
    const auto a = graph.add(3, 1, 1);          // an input, an output
    const auto b = graph.add(10, 1, 1);
    graph.connect(a, 0, b, 0); // output 0 of a to input 0 of b
    graph.set_input(a, 0, 1.5);
    const auto run = [](int by, auto& io) { io.set_output(0, by * io.input(0)); };
    std::cout << graph.evaluate(run).ran << ' ' << graph.output(b, 0) << '\n';
    std::cout << graph.evaluate(run).ran << '\n'; // 0: nothing has changed
    // [/readme]
    return graph.output(b, 0) == 45 && graph.evaluate(run).ran == 0 ? 0 : 1;
}
