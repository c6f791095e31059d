// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A DataflowGraph of which one node is evaluated, with what it depends on; and what is known without an evaluation.
#include "support/catch.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <vector>

using namespace slotwise;

namespace {

using Graph = DataflowGraph<int, int>;
using H = Graph::handle_type;

/// Two chains from one source, and a node that reads the ends of both.
struct Diamond {
    Diamond() {
        graph.connect(source, 0, left, 0);
        graph.connect(source, 0, right, 0);
        graph.connect(left, 0, both, 0);
        graph.connect(right, 0, both, 1);
    }
    auto run() {
        return [this](int& node, Graph::context_type& context) {
            ran.push_back(context.handle());
            int sum = node;
            for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i);
            context.set_output(0, sum);
        };
    }
    Graph graph{};
    H source = graph.add(1, 1, 1), left = graph.add(2, 1, 1), right = graph.add(3, 1, 1), both = graph.add(4, 2, 1);
    std::vector<H> ran{};
};

/// n nodes that read one another, and as many that have nothing to do with them. Counts what the search looks at.
struct Wide {
    explicit Wide(std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) {
            cone.push_back(graph.add(1, 2, 1));
            others.push_back(graph.add(1, 2, 1));
        }
    }
    Graph graph{};
    std::vector<H> cone{}, others{};
};

void forward(int, Graph::context_type& context) { context.set_output(0, context.input(0) + 1); }

} // namespace

TEST_CASE("DataflowGraph: evaluate(node) runs what the node needs, and leaves the rest dirty", "[graph]") {
    Diamond d;
    auto& graph = d.graph;
    CHECK((graph.evaluate(d.left, d.run()).ran == 2 && d.ran == std::vector<H>{d.source, d.left}));
    CHECK((graph.output(d.left, 0) == 3 && graph.output(d.right, 0) == 0 && graph.dirty()));
    CHECK((graph.last_run(d.left) == 1 && graph.last_run(d.right) == 0 && graph.evaluations() == 1));
    CHECK(graph.check_invariants());
    d.ran.clear();
    CHECK((graph.evaluate(d.left, d.run()).ran == 0 && graph.evaluations() == 2)); // it is up to date
    CHECK((graph.evaluate(d.run()).ran == 2 && d.ran == std::vector<H>{d.right, d.both}));
    CHECK((graph.output(d.both, 0) == 4 + 3 + 4 && !graph.dirty()));
    // What a node of the cone changes outside of it runs later.
    graph.set_input(d.source, 0, 10);
    d.ran.clear();
    CHECK((graph.evaluate(d.right, d.run()).ran == 2 && graph.would_run(d.left) && graph.would_run(d.both)));
    CHECK((graph.output(d.right, 0) == 14 && graph.output(d.left, 0) == 3));
    d.ran.clear();
    CHECK((graph.evaluate(d.both, d.run()).ran == 2 && d.ran == std::vector<H>{d.left, d.both}));
    CHECK((graph.output(d.both, 0) == 4 + 13 + 14 && !graph.dirty() && graph.check_invariants()));
}

TEST_CASE("DataflowGraph: evaluate(node) of no node is no evaluation", "[graph]") {
    Diamond d;
    d.graph.erase(d.left);
    CHECK((d.graph.evaluate(d.left, d.run()).ran == 0 && d.graph.evaluate(H(), d.run()).ran == 0));
    CHECK((d.graph.evaluations() == 0 && d.ran.empty()));
}

TEST_CASE("DataflowGraph: flags mean the same in evaluate(node)", "[graph]") {
    Diamond d;
    auto& graph = d.graph;
    graph.set_flags(d.source, NodeFlags::always | NodeFlags::stateful);
    graph.set_flags(d.right, NodeFlags::stateful);
    graph.evaluate(d.run());
    graph.mark(d.right);
    d.ran.clear();
    std::vector<int> in_use;
    const auto used = [&](int node) { in_use.push_back(node); };
    CHECK(graph.evaluate(d.left, d.run(), used).ran == 1); // the source, because it always runs
    CHECK((d.ran == std::vector<H>{d.source} && in_use == std::vector<int>{1}));
    CHECK((has_any(graph.flags(d.right), NodeFlags::manual) && graph.dirty()));
    d.ran.clear();
    CHECK((graph.evaluate(d.both, d.run(), used).ran == 2 && d.ran == std::vector<H>{d.source, d.right}));
    CHECK((in_use.size() == 3 && !has_any(graph.flags(d.right), NodeFlags::manual) && graph.check_invariants()));
    // One that fails keeps its output, also when it is asked for.
    graph.set_input(d.source, 0, 5);
    const auto result = graph.evaluate(
        d.right, [&](int node, Graph::context_type& context) { node == 3 ? context.fail() : d.run()(node, context); });
    CHECK((result.ran == 2 && result.errored == 1 && has_any(graph.flags(d.right), NodeFlags::errored)));
    CHECK((graph.output(d.right, 0) == 4 && graph.check_invariants()));
}

TEST_CASE("DataflowGraph: subscribers hear of evaluate(node) when it changed their output, and no earlier", "[graph]") {
    struct Heard final : Graph::subscriber {
        void on_output(H, slot_t, const int& now) noexcept override { values.push_back(now); }
        std::vector<int> values{};
    };
    Diamond d;
    d.graph.evaluate(d.run());
    Heard left, both;
    const auto one = d.graph.subscribe(d.left, 0, left), two = d.graph.subscribe(d.both, 0, both);
    d.graph.set_input(d.source, 0, 1);
    d.graph.evaluate(d.left, d.run());
    CHECK((left.values == std::vector<int>{4} && both.values.empty()));
    d.graph.evaluate(d.run());
    CHECK((left.values.size() == 1 && both.values.size() == 1));
}

TEST_CASE("DataflowGraph: callbacks of evaluate(node) may set inputs and mark nodes", "[graph]") {
    Diamond d;
    auto& graph = d.graph;
    graph.evaluate(d.run());
    graph.mark(d.source);
    d.ran.clear();
    graph.evaluate(d.left, [&](int node, Graph::context_type& context) {
        if (context.handle() == d.source) {
            graph.mark(d.left);  // later in the order, in the cone
            graph.mark(d.right); // outside
            graph.mark(d.source);
        }
        d.run()(node, context);
    });
    CHECK(d.ran == std::vector<H>{d.source, d.left});
    CHECK((graph.would_run(d.right) && graph.would_run(d.source) && !graph.would_run(d.left) && graph.check_invariants()));
}

TEST_CASE("DataflowGraph: would_run and up_to_date bound what evaluate does", "[graph]") {
    Diamond d;
    auto& graph = d.graph;
    for (const H node : {d.source, d.left, d.right, d.both}) CHECK((graph.would_run(node) && !graph.up_to_date(node)));
    graph.evaluate(d.run());
    for (const H node : {d.source, d.left, d.right, d.both}) CHECK((!graph.would_run(node) && graph.up_to_date(node)));
    CHECK((!graph.would_run(H()) && graph.up_to_date(H())));
    graph.set_input(d.source, 0, 1);
    CHECK((graph.would_run(d.source) && !graph.would_run(d.both) && !graph.up_to_date(d.both)));
    graph.set_input(d.source, 0, 0); // the value of before has another counter
    CHECK(graph.would_run(d.source));
    graph.evaluate(d.source, d.run()); // an equal output: what reads it is up to date without a run
    CHECK((graph.up_to_date(d.both) && graph.evaluate(d.run()).ran == 0));
    graph.mark(d.left);
    CHECK((graph.would_run(d.left) && !graph.up_to_date(d.both) && graph.up_to_date(d.right)));
    graph.set_flags(d.left, NodeFlags::manual, false);
    CHECK((!graph.would_run(d.left) && graph.up_to_date(d.both)));
    graph.set_flags(d.right, NodeFlags::always);
    graph.evaluate(d.run());
    CHECK((graph.would_run(d.right) && !graph.up_to_date(d.right)));
    graph.set_flags(d.right, NodeFlags::always, false);
    graph.disconnect(d.both, 0); // its constant is another value
    CHECK((graph.would_run(d.both) && graph.up_to_date(d.left)));
    CHECK(graph.check_invariants());
}

TEST_CASE("DataflowGraph: evaluate(node) costs what the node depends on", "[graph]") {
    for (const std::size_t n : {100u, 1000u}) {
        for (const int kind : {0, 1, 2}) { // a chain, a fan, a ladder
            Wide wide(n);
            for (std::size_t i = 1; i != n; ++i)
                for (auto* const nodes : {&wide.cone, &wide.others}) {
                    REQUIRE(wide.graph.connect((*nodes)[kind == 1 ? 0 : i - 1], 0, (*nodes)[i], 0));
                    if (kind == 2 && i > 1) REQUIRE(wide.graph.connect((*nodes)[i - 2], 0, (*nodes)[i], 1));
                }
            const std::size_t depends = kind == 1 ? 2 : n;
            CHECK(wide.graph.evaluate(wide.cone.back(), forward).ran == depends);
            for (const H node : wide.others) CHECK(wide.graph.last_run(node) == 0);
            CHECK(wide.graph.evaluate(wide.cone.back(), forward).ran == 0);
            CHECK(wide.graph.evaluate(forward).ran == 2 * n - depends);
            CHECK(wide.graph.check_invariants());
        }
    }
}

#if defined(__cpp_exceptions)
TEST_CASE("DataflowGraph: an evaluate(node) that throws leaves the rest of the cone dirty", "[graph][throws]") {
    Diamond d;
    auto& graph = d.graph;
    const auto fails = [&](int node, Graph::context_type& context) {
        if (node == 2) throw 2;
        d.run()(node, context);
    };
    CHECK_THROWS_AS(graph.evaluate(
                        d.both, fails, [](int) {}, [](int, auto&) { throw; }),
                    int);
    CHECK((graph.check_invariants() && has_any(graph.flags(d.left), NodeFlags::errored) && graph.would_run(d.both)));
    CHECK(graph.evaluate(d.both, fails, [](int) {}).errored == 0); // left waits for another input
    CHECK(graph.output(d.both, 0) == 4 + 0 + 4);
    graph.set_input(d.source, 0, 1);
    CHECK(graph.evaluate(d.both, d.run()).ran == 4);
    graph.set_flags(d.both, NodeFlags::stateful);
    CHECK_THROWS_AS(graph.evaluate(d.both, d.run(), [](int) { throw 3; }), int);
    CHECK(graph.check_invariants());
}
#endif
