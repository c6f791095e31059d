// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The graph folder without exceptions and RTTI: fail() is what a throw is elsewhere, and errors end in the hook.
#include "bare.hpp"

#include <slotwise/graph/dot.hpp>

#include <string>

namespace {

using namespace slotwise;
using bare::check;
using Graph = DataflowGraph<int, double>;

void add_up(int& node, Graph::context_type& context) {
    double sum = node;
    for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i);
    if (context.outputs() != 0) context.set_output(0, sum);
    if (sum > 100) context.fail();
}

void run_graph() {
    Graph graph;
    const auto a = graph.add(1, 1, 1), b = graph.add(2, 2, 1);
    check(static_cast<bool>(graph.connect(a, 0, b, 1)) && !graph.connect(b, 0, a, 0), "links");
    check(graph.evaluate(add_up).ran == 2 && graph.output(b, 0) == 3, "evaluate");
    graph.set_input(b, 0, 1000.0);
    const auto result = graph.evaluate(add_up);
    check(result.errored == 1 && graph.output(b, 0) == 3, "an errored node keeps its output");
    IdentityMap<PublicId, Graph::handle_type> ids, loaded_ids;
    ids.insert(PublicId{0, 1}, a);
    ids.insert(PublicId{0, 2}, b);
    Graph restored, loaded;
    restored.restore(graph.snapshot());
    check(restored == graph, "snapshot");
    loaded.load(graph.save(ids), loaded_ids);
    check(loaded.save(loaded_ids) == graph.save(ids) && loaded.check_invariants(), "file");
    check(to_dot(graph).find("color=red") != std::string::npos, "to_dot");
    const Graph::Link links[] = {{b, 0, a, 0}, {a, 0, b, 1}};
    check(graph.link_all(links).status() == LinkStatus::cycle && !graph.would_connect(b, 0, a, 0), "link_all");
    graph.mark(a);
    check(graph.would_run(a) && !graph.up_to_date(b) && graph.evaluate(a, add_up).ran == 1, "one node");
    const SharedNodeInfo kind(NodeInfo{"kind"});
    DataflowGraph<int, double, EqualTo, IdBy<PublicId>> by_ids;
    by_ids.add(PublicId{0, 1}, 1, kind);
    check(by_ids.contains(PublicId{0, 1}) && by_ids.info(PublicId{0, 1})->name == "kind", "ids");
    check(graph.erase(a) && graph.check_invariants() && graph.evaluate(add_up).ran == 1, "erase");
}

constexpr bare::Case cases[] = {
    {"set_input_of_nobody", "DataflowGraph set_input(node, ...)", [] { Graph().set_input({}, 0, 1.0); }},
    {"output_of_nobody", "DataflowGraph output(node, ...)", [] { static_cast<void>(Graph().output({}, 0)); }},
    {"change_in_a_run", "evaluate() is running",
     [] {
         Graph graph;
         graph.add(1, 1, 1);
         graph.evaluate([&](int, Graph::context_type&) { graph.clear(); });
     }},
    {"bytes_of_nothing", "snapshot: the bytes end too early", [] { Graph().restore({}); }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] { run_graph(); });
}
