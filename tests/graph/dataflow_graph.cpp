// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/resources.hpp"
#include "support/thrown.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

/// Adds what it reads, and counts its runs.
struct Sum {
    double add = 0;
    int runs = 0;
    std::vector<slot_t> changed{};
    friend bool operator==(const Sum& a, const Sum& b) { return a.add == b.add; }
};
using Graph = DataflowGraph<Sum, double>;
using H = Graph::handle_type;

struct RunSum {
    void operator()(Sum& node, Graph::context_type& context) const {
        ++node.runs;
        double sum = node.add;
        for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i);
        node.changed.clear();
        for (const slot_t i : context.changed_inputs()) node.changed.push_back(i);
        for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, sum + o);
    }
};
Graph::Evaluation evaluate(Graph& graph) {
    const auto result = graph.evaluate(RunSum());
    REQUIRE(graph.check_invariants());
    return result;
}

struct CountingEqual {
    static inline int calls = 0;
    template <class T>
    bool operator()(const T& a, const T& b) const {
        ++calls;
        return a == b;
    }
};

} // namespace

TEST_CASE("DataflowGraph: nodes run in topological order, and outputs follow inputs", "[graph]") {
    Graph graph;
    const H last = graph.add(Sum{}, 2, 1); // added before what it reads
    const H a = graph.add(Sum{1}, 0, 1), b = graph.add(Sum{10}, 1, 2);
    CHECK(graph.connect(a, 0, b, 0));
    CHECK(graph.connect(b, 0, last, 0));
    CHECK(graph.connect(b, 1, last, 1));
    CHECK(graph.links() == 3);
    CHECK(evaluate(graph).ran == 3);
    CHECK(graph.output(b, 1) == 12);
    CHECK(graph.output(last, 0) == 23);
    CHECK(evaluate(graph).ran == 0);
    std::vector<H> order;
    graph.for_each_in_order([&](H node, const Sum&) { order.push_back(node); });
    CHECK(order == std::vector{a, b, last});
    CHECK(graph.source(last, 1) == Graph::Source{b, 1});
    CHECK_FALSE(graph.source(a, 0));
    std::vector<std::pair<H, slot_t>> consumers;
    graph.for_each_consumer(b, 1, [&](H node, slot_t input) { consumers.push_back({node, input}); });
    CHECK(consumers == std::vector{std::pair(last, slot_t{1})});
}

TEST_CASE("a node that is erased with its handle kept comes back under it, without links; what throws changes nothing",
          "[graph][throws]") {
    using Texts = DataflowGraph<std::string, int>;
    const std::string text = "the text of a node that is on the heap";
    std::size_t failures = 0;
    for (const int act : {0, 1, 2})
        failures += run_out_of_memory([&](auto&& attempt) {
            Texts graph;
            const auto a = graph.add(text, 0, 1), b = graph.add(text, 1, 1), c = graph.add(text, 1, 0);
            REQUIRE((graph.connect(a, 0, b, 0) && graph.connect(b, 0, c, 0)));
            if (act == 2) REQUIRE(graph.erase_reserved(b));
            const bool threw = attempt([&] {
                if (act == 0) graph.erase_reserved(b);
                if (act == 1) static_cast<void>(graph.extract_reserved(b));
                if (act == 2) graph.fulfill(b, text, 40, 40);
            });
            REQUIRE(graph.check_invariants());
            REQUIRE(graph.contains(b) == (threw ? act != 2 : act == 2));
            if (graph.contains(b)) {
                REQUIRE(graph.inputs(b) == (act == 2 ? 40 : 1));
                return;
            }
            REQUIRE((graph.explain(b) == HandleStatus::reserved && graph.add(text, 0, 0).index() != b.index()));
            REQUIRE((graph.fulfill(b, text, 1, 1) && graph[b] == text && !graph.fulfill(b, text, 1, 1)));
            REQUIRE((graph.connect(a, 0, b, 0) && graph.connect(b, 0, c, 0) && graph.check_invariants()));
            REQUIRE((graph.erase_reserved(b) && graph.cancel(b) && !graph.cancel(b)));
            REQUIRE((graph.explain(b) == HandleStatus::stale && graph.add(text, 0, 0).index() == b.index()));
        });
    REQUIRE(failures > 3);
    for (const char* const function : {"erase_reserved", "extract_reserved", "fulfill"})
        report_sweep(swept<Texts>(function), failures);
}

TEST_CASE("DataflowGraph: one record a node, and one erase removes all of it", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{1}, 0, 1), b = graph.add(Sum{}, 1, 1), c = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    graph.connect(b, 0, c, 0);
    graph.set_input(c, 0, 7.0); // for the time after the link
    graph.set_flags(b, NodeFlags::stateful | user_flag(0));
    evaluate(graph);
    CHECK(graph.output(c, 0) == 1);
    const change_t edits = graph.edits(b);
    graph.mark(b);
    CHECK(graph.edits(b) == edits + 1);
    CHECK(graph.last_run(b) == 1);
    CHECK(graph.erase(b));
    CHECK_FALSE(graph.erase(b));
    CHECK(graph.size() == 2);
    CHECK(graph.links() == 0);
    CHECK(graph.pins() == 3);
    CHECK(graph.flags(b) == NodeFlags::none);
    CHECK_FALSE(graph.contains(b));
    CHECK(graph.explain(b) == HandleStatus::stale);
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph.output(c, 0) == 7);
}

TEST_CASE("DataflowGraph: whatever changes a node from outside moves its edit counter by one, and nothing else does",
          "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{1}, 1, 1), b = graph.add(Sum{}, 2, 1);
    change_t edits = graph.edits(b);
    const auto edited = [&](change_t by) { return std::exchange(edits, graph.edits(b)) + by == graph.edits(b); };
    CHECK(edits == 0);
    CHECK((graph.set_input(b, 1, 2.0) && edited(1)));
    CHECK((!graph.set_input(b, 1, 2.0) && edited(0)));
    CHECK((graph.edit_input(b, 1, [](double& value) { value = 3; }) && edited(1)));
    CHECK((!graph.edit_input(b, 1, [](double&) { return false; }) && edited(0)));
    CHECK((graph.connect(a, 0, b, 0) && edited(1)));
    CHECK((graph.connect(a, 0, b, 0) && edited(0)));
    CHECK((!graph.connect(b, 0, a, 0) && edited(0)));
    CHECK((graph.set_flags(b, user_flag(1)) && edited(1)));
    CHECK((evaluate(graph).ran == 2 && edited(0)));
    CHECK((graph.set_input(a, 0, 5.0) && evaluate(graph).ran == 2 && edited(0)));
    CHECK((graph.disconnect(b, 0) && edited(1)));
    CHECK((!graph.disconnect(b, 0) && edited(0)));
    CHECK((graph.set_pins(b, 3, 1) && edited(1)));
    CHECK((graph.connect(a, 0, b, 2) && edited(1)));
    const H other = graph.add(Sum{2}, 0, 1);
    CHECK((graph.connect(other, 0, b, 2) && edited(1))); // another source
    CHECK((graph.set_pins(other, 0, 0) && edited(1)));   // its output goes, and with it the link
    CHECK((graph.connect(a, 0, b, 2) && edited(1)));
    CHECK((graph.erase(a) && edited(1)));
    CHECK(graph.check_invariants());
}

TEST_CASE("DataflowGraph: a relink, and a new node in a reused slot, are changes", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{5}, 0, 1), other = graph.add(Sum{5}, 0, 1), reader = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, reader, 0);
    evaluate(graph);
    CHECK(graph.connect(other, 0, reader, 0)); // the same value, and as many changes
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph[reader].runs == 2);
    graph.erase(other);
    const H fresh = graph.add(Sum{5}, 0, 1);
    CHECK(fresh.index() == other.index());
    graph.connect(fresh, 0, reader, 0);
    CHECK(evaluate(graph).ran == 2);
    CHECK(graph[reader].runs == 3);
    CHECK(graph.connect(a, 0, reader, 0)); // away and back: nothing is new
    CHECK(graph.connect(fresh, 0, reader, 0));
    CHECK(evaluate(graph).ran == 0);
    CHECK(graph.connect(fresh, 0, reader, 0)); // the same link
    CHECK_FALSE(graph.dirty());
}

TEST_CASE("DataflowGraph: a counter moves only on a real change", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{}, 1, 1), b = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    evaluate(graph);
    const change_t counter = graph.counter(a, 0);
    CHECK_FALSE(graph.set_input(a, 0, 0.0));
    CHECK_FALSE(graph.dirty());
    CHECK(graph.set_input(a, 0, 1.0));
    evaluate(graph);
    CHECK(graph.counter(a, 0) != counter);
    CHECK(graph.last_change(a) == 2);
    graph.mark(a);
    CHECK(evaluate(graph).ran == 1); // cut off: a computed an equal value
    CHECK(graph.last_change(a) == 2);
    CHECK(graph[b].runs == 2);
}

TEST_CASE("DataflowGraph: NaN equals itself, and zeros of two signs differ", "[graph]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Graph graph;
    const H a = graph.add(Sum{}, 1, 1), b = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    CHECK(graph.set_input(a, 0, nan));
    CHECK_FALSE(graph.set_input(a, 0, nan));
    CHECK(evaluate(graph).ran == 2);
    graph.mark(a);
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph.set_input(a, 0, 0.0));
    CHECK(graph.set_input(a, 0, -0.0));
    using Any = std::variant<std::monostate, double, std::string, std::vector<float>, double>;
    const auto same_value = []<class Value>(const Value& one, const Value& other) {
        DataflowGraph<int, Value> values;
        const auto node = values.add(1, 1, 1);
        values.set_input(node, 0, one);
        return !values.set_input(node, 0, other);
    };
    const auto number = [](double x) { return Any(std::in_place_index<1>, x); };
    CHECK(same_value(number(nan), number(nan)));
    CHECK_FALSE(same_value(number(nan), number(1)));
    CHECK_FALSE(same_value(number(1), Any(std::in_place_index<4>, 1.0)));
    CHECK(same_value(Any("a"), Any("a")));
    CHECK(same_value(Any(std::vector{1.F, std::numeric_limits<float>::quiet_NaN()}),
                     Any(std::vector{1.F, std::numeric_limits<float>::quiet_NaN()})));
    CHECK_FALSE(same_value(Any(std::vector{1.F}), Any(std::vector{1.F, 2.F})));
    CHECK(same_value(std::optional(nan), std::optional(nan)));
    CHECK_FALSE(same_value(std::optional(nan), std::optional<double>()));
}

TEST_CASE("DataflowGraph: the same shared object is equal without a look inside, and an edit in place copies nothing",
          "[graph]") {
    struct Element {
        int number;
        bool operator==(const Element&) const {
            FAIL("elements were compared");
            return false;
        }
    };
    using Spread = std::shared_ptr<std::vector<Element>>;
    DataflowGraph<int, Spread> graph;
    const auto a = graph.add(1, 1, 1), b = graph.add(2, 1, 1);
    graph.connect(a, 0, b, 0);
    const auto spread = std::make_shared<std::vector<Element>>(10'000);
    CHECK(graph.set_input(a, 0, spread));
    int runs = 0;
    const auto forward = [&](int, auto& context) {
        ++runs;
        context.set_output(0, context.input(0));
    };
    graph.evaluate(forward);
    CHECK(runs == 2);
    CHECK(graph.output(b, 0) == spread);
    CHECK_FALSE(graph.set_input(a, 0, spread));
    graph.evaluate(forward);
    CHECK(runs == 2);
    CHECK(graph.edit_input(a, 0, [](Spread& value) { value->front().number = 7; }));
    graph.evaluate(forward); // a runs; its output is the same object, which it does not say to have changed
    CHECK(runs == 3);
    CHECK_FALSE(graph.edit_input(a, 0, [](Spread&) { return false; }));
    CHECK_FALSE(graph.dirty());
    graph.mark(a);
    graph.evaluate([&](int, auto& context) {
        ++runs;
        context.edit_output(0, [](Spread& value) { value->front().number = 8; });
    });
    CHECK(runs == 5);
    CHECK(spread->front().number == 8);
    CHECK(graph.check_invariants());
}

TEST_CASE("DataflowGraph: what never ran, and what got pins, is dirty", "[graph]") {
    Graph graph;
    const H source = graph.add(Sum{3}, 0, 1);
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph.set_pins(source, 2, 2));
    CHECK(graph.inputs(source) == 2);
    CHECK(graph.outputs(source) == 2);
    CHECK(graph.output(source, 0) == 3);
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph.output(source, 1) == 4);
    CHECK(graph[source].changed == std::vector<slot_t>{0, 1});
    const H reader = graph.add(Sum{}, 3, 3);
    graph.connect(source, 0, reader, 0);
    graph.connect(source, 1, reader, 2);
    graph.set_input(reader, 1, 100.0);
    evaluate(graph);
    CHECK(graph.output(reader, 0) == 107);
    CHECK(graph.set_pins(reader, 2, 1)); // the links of the others are cut
    CHECK(graph.links() == 1);
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph.output(reader, 0) == 103);
    CHECK(graph[reader].changed.empty());
    CHECK(graph.set_pins(source, 0, 3));
    CHECK(graph.source(reader, 0) == Graph::Source{source, 0});
    evaluate(graph);
    CHECK_FALSE(graph.set_pins(H(), 1, 1));
    CHECK(graph.set_pins(source, 0, 0));
    CHECK(graph.links() == 0);
    CHECK(evaluate(graph).ran == 2);
}

TEST_CASE("DataflowGraph: counters are recorded at the start of the node's own last run", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{}, 1, 1);
    const auto sets_itself = [&](Sum& node, Graph::context_type& context) {
        ++node.runs;
        if (context.input(0) < 3) graph.set_input(a, 0, context.input(0) + 1); // during its run: news for the next one
        context.set_output(0, context.input(0));
    };
    for (int frame = 1; frame <= 4; ++frame) {
        CHECK(graph.evaluate(sets_itself).ran == 1);
        CHECK(graph.check_invariants());
    }
    CHECK(graph.evaluate(sets_itself).ran == 0);
    CHECK(graph.output(a, 0) == 3);
    // A node that is skipped for many evaluations sees what changed since it ran, not since the last evaluation.
    const H b = graph.add(Sum{}, 2, 1), other = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    evaluate(graph);
    for (int frame = 0; frame != 5; ++frame) {
        graph.set_input(other, 0, 10.0 + frame);
        evaluate(graph);
    }
    graph.set_input(b, 1, 1.0);
    evaluate(graph);
    CHECK(graph[b].changed == std::vector<slot_t>{1});
}

TEST_CASE("DataflowGraph: manual is cleared by the run; always runs, and consumers only after a change", "[graph]") {
    static constexpr std::string_view out[] = {"time"};
    static constexpr NodeInfo info{"time", {}, out, NodeFlags::always};
    Graph graph;
    const H time = graph.add(Sum{1}, info), reader = graph.add(Sum{}, 1, 1);
    CHECK(graph.info(time)->name == "time");
    CHECK(graph.info(time)->output("time") == 0);
    CHECK(graph.info(time)->input("time") == no_slot);
    CHECK(graph.outputs(time) == 1);
    graph.connect(time, 0, reader, 0);
    CHECK(evaluate(graph).ran == 2);
    CHECK(evaluate(graph).ran == 1);
    CHECK(evaluate(graph).ran == 1);
    graph[time].add = 2;
    CHECK(evaluate(graph).ran == 2);
    CHECK(graph.output(reader, 0) == 2);
    CHECK(graph.set_flags(time, NodeFlags::always, false));
    CHECK(evaluate(graph).ran == 0);
    CHECK(graph.mark(reader));
    CHECK(has_any(graph.flags(reader), NodeFlags::manual));
    CHECK(evaluate(graph).ran == 1);
    CHECK_FALSE(has_any(graph.flags(reader), NodeFlags::manual));
    CHECK(evaluate(graph).ran == 0);
    CHECK_FALSE(graph.mark(H()));
}

TEST_CASE("DataflowGraph: a stateful node is in use in each evaluation, also when it does not run", "[graph]") {
    Graph graph;
    const H texture = graph.add(Sum{1}, 1, 1), plain = graph.add(Sum{2}, 1, 1);
    graph.set_flags(texture, NodeFlags::stateful);
    std::vector<double> used;
    const auto in_use = [&](Sum& node) { used.push_back(node.add); };
    for (int frame = 0; frame != 3; ++frame) graph.evaluate(RunSum(), in_use);
    CHECK(used == std::vector<double>{1, 1, 1});
    CHECK(graph[texture].runs == 1);
    graph.set_flags(plain, NodeFlags::stateful);
    graph.set_flags(texture, NodeFlags::stateful, false);
    graph.evaluate(RunSum(), in_use);
    CHECK(used.back() == 2);
    CHECK(used.size() == 4);
    graph.erase(plain);
    graph.evaluate(RunSum(), in_use);
    CHECK(used.size() == 4);
}

TEST_CASE("DataflowGraph: a node that fails keeps its outputs, and runs again when an input changes", "[graph]") {
    Graph graph;
    const H bad = graph.add(Sum{}, 1, 2), reader = graph.add(Sum{}, 1, 1), aside = graph.add(Sum{}, 1, 1);
    graph.connect(bad, 1, reader, 0);
    evaluate(graph);
    graph.set_input(bad, 0, 1.0);
    graph.set_input(aside, 0, 1.0);
    const change_t counters[] = {graph.counter(bad, 0), graph.counter(bad, 1)};
    const auto fails = [](Sum& node, Graph::context_type& context) {
        RunSum()(node, context);
        if (context.inputs() == 1 && context.outputs() == 2) {
            context.set_output(0, 99.0);
            context.fail();
        }
    };
    std::size_t failed = 0;
    const auto result = graph.evaluate(
        fails, [](Sum&) {},
        [&](Sum&, auto& context) {
            ++failed;
            CHECK(context.handle() == bad);
        });
    CHECK(result.ran == 2); // the evaluation went on
    CHECK(result.errored == 1);
    CHECK(failed == 1);
    CHECK(graph.check_invariants());
    CHECK(has_any(graph.flags(bad), NodeFlags::errored));
    CHECK(graph.output(bad, 0) == 0);
    CHECK(graph.output(bad, 1) == 1);
    CHECK(graph.counter(bad, 0) == counters[0]);
    CHECK(graph.counter(bad, 1) == counters[1]);
    CHECK(evaluate(graph).ran == 0); // not again with the same inputs
    graph.set_flags(bad, NodeFlags::errored, false);
    CHECK(has_any(graph.flags(bad), NodeFlags::errored)); // a success clears it
    graph.set_input(bad, 0, 2.0);
    CHECK(evaluate(graph).ran == 2);
    CHECK_FALSE(has_any(graph.flags(bad), NodeFlags::errored));
    CHECK(graph.output(reader, 0) == 3);
#if defined(__cpp_exceptions)
    graph.set_input(bad, 0, 3.0);
    const auto throws = [](Sum& node, Graph::context_type& context) {
        RunSum()(node, context);
        if (context.outputs() == 2) throw std::runtime_error("no texture");
    };
    std::string why;
    CHECK(graph
              .evaluate(
                  throws, [](Sum&) {},
                  [&](Sum&, auto&) {
                      try {
                          throw;
                      } catch (const std::exception& error) {
                          why = error.what();
                      }
                  })
              .errored == 1);
    CHECK(why == "no texture");
    CHECK(graph.output(bad, 0) == 2);
    CHECK(graph.check_invariants());
    // `failed` may end the evaluation: what did not run stays dirty.
    graph.set_input(bad, 0, 4.0);
    graph.set_input(aside, 0, 5.0);
    CHECK_THROWS_AS(graph.evaluate(
                        throws, [](Sum&) {}, [](Sum&, auto&) { throw; }),
                    std::runtime_error);
    CHECK(graph.check_invariants());
    CHECK(graph.output(bad, 0) == 2);
    CHECK(evaluate(graph).ran == 1);
    CHECK(graph.output(aside, 0) == 5);
#endif
    // An edit in place cannot be taken back, and so is news.
    graph.set_input(bad, 0, 9.0);
    graph.evaluate([](Sum&, Graph::context_type& context) {
        if (context.outputs() != 2) return;
        context.edit_output(1, [](double& value) { value = -1; });
        context.fail();
    });
    CHECK(graph.output(bad, 1) == -1);
    CHECK(graph.check_invariants());
    CHECK(graph.last_run(reader) == graph.evaluations());
}

TEST_CASE("DataflowGraph: an output that is written twice counts against the value of before the run", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{}, 0, 1), b = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    evaluate(graph);
    const auto twice = [](Sum&, Graph::context_type& context) {
        CHECK(context.set_output(0, 5));
        CHECK(context.output(0) == 5);
        CHECK_FALSE(context.set_output(0, 0));
    };
    graph.mark(a);
    CHECK(graph.evaluate(twice).ran == 1);
    graph.mark(a);
    CHECK(graph
              .evaluate([](Sum&, Graph::context_type& context) {
                  context.set_output(0, 1);
                  context.edit_output(0, [](double& value) {
                      value = 6;
                      return false;
                  });
              })
              .ran == 2);
    CHECK(graph.output(a, 0) == 6);
    CHECK(graph.check_invariants());
}

TEST_CASE("DataflowGraph: changed inputs without an allocation, none for an always node with equal inputs", "[graph]") {
    Graph graph;
    const H many = graph.add(Sum{}, 130, 1), always = graph.add(Sum{}, 3, 1), source = graph.add(Sum{1}, 0, 1);
    graph.set_flags(always, NodeFlags::always);
    graph.connect(source, 0, many, 64);
    evaluate(graph);
    CHECK(graph[many].changed.size() == 130);
    for (const slot_t i : {slot_t{0}, slot_t{63}, slot_t{129}}) graph.set_input(many, i, 1.0);
    graph[source].add = 2;
    graph.mark(source);
    std::uint64_t seen = 0;
    graph.evaluate([&](Sum& node, Graph::context_type& context) {
        context.set_output(0, node.add);
        if (context.inputs() == 3) CHECK(context.changed_inputs().empty());
        if (context.inputs() != 130) return;
        const std::size_t before = HeapBudget::calls();
        for (const slot_t i : context.changed_inputs()) seen = seen * 1000 + i;
        const std::size_t allocated = HeapBudget::calls() - before;
        CHECK(allocated == 0);
        CHECK(context.changed_inputs().size() == 4);
        CHECK((context.changed(64) && !context.changed(65)));
    });
    CHECK(seen == 63'064'129);
    CHECK(graph.evaluations() == 2);
    evaluate(graph);
    CHECK(graph[always].changed.empty());
}

TEST_CASE("DataflowGraph: a cycle is refused with its path, and nothing changes", "[graph]") {
    Graph graph;
    std::vector<H> nodes;
    for (int i = 0; i != 5; ++i) nodes.push_back(graph.add(Sum{}, 2, 1));
    for (std::size_t i = 1; i != 5; ++i) CHECK(graph.connect(nodes[i - 1], 0, nodes[i], 0));
    evaluate(graph);
    const auto refused = graph.connect(nodes[3], 0, nodes[1], 1);
    CHECK_FALSE(refused);
    CHECK(refused.status() == LinkStatus::cycle);
    CHECK(std::vector(refused.path().begin(), refused.path().end()) == std::vector{nodes[1], nodes[2], nodes[3]});
    CHECK(std::string(refused.what()).find("close a cycle") != std::string::npos);
    CHECK(graph.connect(nodes[1], 0, nodes[1], 0).status() == LinkStatus::cycle);
    CHECK(graph.links() == 4);
    CHECK_FALSE(graph.dirty());
    CHECK(graph.check_invariants());
    const H gone = graph.add(Sum{}, 1, 1);
    graph.erase(gone);
    CHECK(graph.connect(gone, 0, nodes[0], 0).status() == LinkStatus::no_source);
    CHECK(graph.connect(nodes[0], 1, nodes[1], 0).status() == LinkStatus::no_output);
    CHECK(graph.connect(nodes[0], 0, gone, 0).status() == LinkStatus::no_target);
    CHECK(graph.connect(nodes[0], 0, nodes[1], 2).status() == LinkStatus::no_input);
    CHECK(graph.disconnect(nodes[4], 0));
    CHECK_FALSE(graph.disconnect(nodes[4], 0));
    CHECK_FALSE(graph.disconnect(nodes[4], 9));
    CHECK(graph.connect(nodes[4], 0, nodes[0], 0)); // against the order: nodes move
    CHECK(graph.check_invariants());
    CHECK(evaluate(graph).ran == 2); // nodes[4] reads its constant, and nodes[0] what is equal to it
}

TEST_CASE("DataflowGraph: 10 of 1000 changed: those and what really changes run, nothing else is compared or allocated",
          "[graph]") {
    using Counted = DataflowGraph<Sum, double, CountingEqual>;
    Counted graph;
    std::vector<Counted::handle_type> heads, all;
    for (int chain = 0; chain != 100; ++chain)
        for (int i = 0; i != 10; ++i) {
            all.push_back(graph.add(Sum{1}, 1, 1));
            if (i == 0)
                heads.push_back(all.back());
            else
                graph.connect(all[all.size() - 2], 0, all.back(), 0);
        }
    const auto run = [](Sum& node, auto& context) {
        ++node.runs;
        // The fifth of a chain cuts off: its output is the same until the sum passes 1000.
        const double in = context.input(0);
        context.set_output(0, in < 5 || in > 1000 ? in + node.add : 5.0);
    };
    graph.evaluate(run);
    double value = 0;
    for (int frame = 0; frame != 3; ++frame) {
        value += 0.001;
        for (std::size_t i = 0; i != 10; ++i) graph.set_input(heads[i * 7], 0, value);
        CountingEqual::calls = 0;
        const std::size_t allocations = HeapBudget::calls();
        const auto result = graph.evaluate(run);
        const std::size_t allocated = HeapBudget::calls() - allocations;
        CHECK(allocated == 0);
        CHECK(CountingEqual::calls == static_cast<int>(result.ran));
        // A head, the four behind it, and the one that computes 5 again; from the second frame on nothing passes it.
        CHECK((frame == 0 || result.ran == 60));
        CHECK(graph.check_invariants());
    }
    CountingEqual::calls = 0;
    const std::size_t allocations = HeapBudget::calls();
    const auto idle = graph.evaluate(run);
    CHECK(HeapBudget::calls() == allocations);
    CHECK(idle.ran == 0);
    CHECK(CountingEqual::calls == 0);
}

TEST_CASE("DataflowGraph: wrong handles and pins say what is wrong", "[graph]") {
    Graph graph;
    const H node = graph.add(Sum{}, 1, 1);
    CHECK(thrown_text<std::out_of_range>([&] { graph.set_input(H(), 0, 1.0); }).find("DataflowGraph set_input(node") == 0);
    CHECK(thrown_text<std::out_of_range>([&] { graph.set_input(node, 1, 1.0); }).find("DataflowGraph: the node has no input") ==
          0);
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(graph.input(H(), 0)); }).find("DataflowGraph input(node") ==
          0);
    CHECK(thrown_text<std::out_of_range>([&] { graph.edit_input(H(), 0, [](double&) {}); }).find("DataflowGraph edit_input") ==
          0);
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(graph.output(H(), 0)); }).find("DataflowGraph output(node") ==
          0);
    CHECK(thrown_text<std::out_of_range>([&] {
              static_cast<void>(graph.output(node, 1));
          }).find("DataflowGraph: the node has no output") == 0);
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(graph.at(H())); }).find("DataflowGraph at(node)") == 0);
    CHECK(thrown_text<std::out_of_range>([&] {
              static_cast<void>(graph.constant(H(), 0));
          }).find("DataflowGraph constant(node") == 0);
    CHECK(thrown_text<std::out_of_range>([&] {
              static_cast<void>(graph.constant(node, 1));
          }).find("DataflowGraph: the node has no input") == 0);
    CHECK(graph.at(node).add == 0);
    CHECK(graph.get(H()) == nullptr);
    CHECK(std::as_const(graph).get(node) == &graph[node]);
}

#if defined(__cpp_exceptions)
TEST_CASE("DataflowGraph: a node that asks for a pin that it has not is errored, and is told which call that was",
          "[graph][throws]") {
    DataflowGraph<int, double> graph;
    const auto node = graph.add(0, 1, 1);
    const auto reader = graph.add(9, 1, 1);
    graph.connect(node, 0, reader, 0);
    const std::string_view calls[] = {"input(i)", "changed(i)", "output(o)", "set_output(o, value)", "edit_output(o, f)"};
    for (const slot_t pin : {slot_t{1}, slot_t{7}, no_slot})
        for (graph[node] = 0; graph[node] != 5; ++graph[node]) {
            graph.mark(node);
            std::string said;
            const auto result = graph.evaluate(
                [&](int call, auto& context) {
                    if (call == 9) return;
                    context.set_output(0, 4.0);
                    if (call == 0) static_cast<void>(context.input(pin));
                    if (call == 1) static_cast<void>(context.changed(pin));
                    if (call == 2) static_cast<void>(context.output(pin));
                    if (call == 3) context.set_output(pin, 1.0);
                    if (call == 4) context.edit_output(pin, [](double&) {});
                },
                detail::NoCall(), [&](int, auto&) { said = thrown_text<std::out_of_range>([] { throw; }); });
            CHECK(result.errored == 1);
            CHECK(said.find("DataflowContext " + std::string(calls[graph[node]]) + ": the node has fewer") == 0);
            CHECK((has_any(graph.flags(node), NodeFlags::errored) && graph.output(node, 0) == 0 && graph.check_invariants()));
        }
}
#endif

TEST_CASE("DataflowGraph: the constant of an input is read also while the input has a source", "[graph]") {
    Graph graph;
    const H from = graph.add(Sum{3}, 0, 1), to = graph.add(Sum{}, 2, 1);
    graph.set_input(to, 1, 5.0);
    CHECK((graph.constant(to, 0) == 0 && graph.constant(to, 1) == 5));
    graph.connect(from, 0, to, 1);
    evaluate(graph);
    CHECK((graph.input(to, 1) == 3 && graph.constant(to, 1) == 5));
    graph.set_input(to, 1, 6.0);
    CHECK((graph.input(to, 1) == 3 && graph.constant(to, 1) == 6 && evaluate(graph).ran == 0));
    graph.disconnect(to, 1);
    CHECK(graph.input(to, 1) == 6);
}

namespace {

/// Calls `ask` wherever the graph runs user code that is no function of a node.
struct Asks {
    static inline std::function<void()> ask{};
    Asks() { now(); }
    Asks(const Asks& other) : number(other.number) { now(); }
    Asks& operator=(const Asks& other) noexcept = default;
    ~Asks() { now(); }
    friend bool operator==(const Asks& a, const Asks& b) {
        now();
        return a.number == b.number;
    }
    static void now() {
        if (ask) std::exchange(ask, nullptr)(), ++answers; // not within itself
    }
    static inline std::size_t answers = 0;
    int number = 0;
};
struct NoThrowAsks : Asks {
    NoThrowAsks() = default;
    NoThrowAsks(const NoThrowAsks&) noexcept = default;
    NoThrowAsks& operator=(const NoThrowAsks&) noexcept = default;
};

} // namespace

TEST_CASE("DataflowGraph: would_connect and up_to_date are answered whenever user code runs, and disturb nothing", "[graph]") {
    using Asking = DataflowGraph<NoThrowAsks, NoThrowAsks>;
    using Node = Asking::handle_type;
    Asking graph;
    std::vector<Node> nodes;
    std::size_t asked = 0, current = 0, fits = 0;
    const std::function<void()> ask = [&] {
        ++asked;
        for (const Node from : nodes)
            for (const Node to : nodes) {
                fits += graph.would_connect(from, 0, to, 1).status() == LinkStatus::linked;
                current += graph.up_to_date(to);
            }
        for (slot_t slot = 0; slot != 12; ++slot) { // also one that is built or destroyed now
            const Node node = graph.handle_at(slot);
            static_cast<void>(graph.up_to_date(node));
            for (const Node other : nodes) {
                static_cast<void>(graph.would_connect(node, 0, other, 0));
                static_cast<void>(graph.would_connect(other, 0, node, 0));
            }
        }
    };
    struct Observes final : SlotObserver {
        const std::function<void()>* ask = nullptr;
        void on_insert(slot_t, InsertKind) override { (*ask)(); }
        void on_remove(slot_t) noexcept override { (*ask)(); }
        void on_erase(slot_t) noexcept override { (*ask)(); }
        void on_clear(Occupancy) noexcept override { (*ask)(); }
    } observer;
    observer.ask = &ask;
    const auto token = graph.attach(observer);
    const auto doing = [&](auto&& step) {
        for (int n = 0; n != 3; ++n) {
            Asks::ask = ask;
            step(n);
            Asks::ask = nullptr;
            REQUIRE(graph.check_invariants());
        }
    };
    for (int i = 0; i != 8; ++i)
        doing([&](int n) {
            if (n == 0) nodes.push_back(graph.emplace(2, 2));
        });
    for (const std::size_t i : {6u, 5u, 3u, 1u, 0u}) graph.connect(nodes[i + 1], 0, nodes[i], 0);
    const auto run = [&](NoThrowAsks&, auto& context) {
        ask();
        NoThrowAsks value;
        value.number = context.input(0).number + 1;
        context.set_output(0, value);
    };
    doing([&](int) { graph.evaluate(run); });
    graph.mark(nodes[7]);
    doing([&](int) { graph.evaluate(nodes[5], run); });
    REQUIRE((graph.output(nodes[5], 0).number == 3 && graph.up_to_date(nodes[5])));
    doing([&](int n) { graph.set_pins(nodes[static_cast<std::size_t>(n)], 3 - static_cast<std::size_t>(n), 2); });
    doing([&](int n) {
        n == 0 ? graph.erase_reserved(nodes[2]) : n == 1 ? graph.fulfill(nodes[2], {}, 1, 1) : graph.erase(nodes[2]);
    });
    Asking other(graph);
    doing([&](int) { graph = other; });
    doing([&](int) { graph.clear(); });
    CHECK((asked > 40 && current > 100 && fits > 100));
}

TEST_CASE("DataflowGraph: copies, moves, assignments, swaps and clear keep or take everything", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{1}, 1, 1), b = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    graph.set_flags(b, NodeFlags::stateful);
    evaluate(graph);
    Graph copy(graph);
    CHECK(copy == graph);
    CHECK(evaluate(copy).ran == 0);
    copy.set_input(a, 0, 1.0);
    CHECK_FALSE(copy == graph);
    CHECK(evaluate(copy).ran == 2);
    CHECK(graph.output(b, 0) == 1);
    Graph moved(std::move(copy));
    CHECK(moved.output(b, 0) == 2);
    CHECK(copy.empty()); // NOLINT(bugprone-use-after-move)
    CHECK(copy.check_invariants());
    swap(moved, copy);
    CHECK(copy.output(b, 0) == 2);
    moved = copy;
    CHECK(moved == copy);
    graph = std::move(copy);
    CHECK(graph == moved);
    CHECK(graph.check_invariants());
    graph.clear();
    CHECK(graph.empty());
    CHECK(graph.links() == 0);
    CHECK_FALSE(graph.contains(a));
    CHECK(graph.check_invariants());
    CHECK(evaluate(graph).ran == 0);
    const H again = graph.add(Sum{4}, 0, 1);
    evaluate(graph);
    CHECK(graph.output(again, 0) == 4);
    CHECK(graph.memory_usage() != 0);
}

TEST_CASE("DataflowGraph: every byte comes from the allocator, those of nodes that take it too", "[graph][allocators]") {
    using Pmr = DataflowGraph<std::pmr::string, int, EqualTo, AllocBy<std::pmr::polymorphic_allocator<>>, Tag<struct Pmrs>>;
    const NoDefaultResource nothing;
    CountingResource arena, other;
    const auto run = [](std::pmr::string& node, auto& context) {
        context.set_output(0, context.input(0) + static_cast<int>(node.size()));
    };
    const char* const text = "a text that is too long to lie in the string itself";
    {
        const std::size_t allocations = HeapBudget::calls();
        Pmr graph(&arena);
        auto last = graph.emplace(1, 1, text);
        for (int i = 0; i != 300; ++i) {
            const auto next = graph.emplace(70, 1, text);
            REQUIRE(graph.connect(next, 0, last, 0)); // against the order
            last = next;
        }
        graph.evaluate(run);
        graph.shrink_to_fit();
        const bool only_arena = HeapBudget::calls() == allocations;
        CHECK(only_arena);
        CHECK(graph.get_allocator().resource() == &arena);
        CHECK(graph[last].get_allocator().resource() == &arena);
        CHECK(arena.out >= graph.memory_usage() - sizeof graph);
        const Pmr copy(graph, &other);
        CHECK(copy == graph);
        CHECK(copy[last].get_allocator().resource() == &other);
        Pmr moved(std::move(graph), &other);
        CHECK(moved == copy);
        CHECK(moved[last].get_allocator().resource() == &other);
        CHECK(moved.check_invariants());
        CHECK(graph.empty()); // NOLINT(bugprone-use-after-move)
        moved.erase(last);
        moved.evaluate(run);
    }
    CHECK((arena.out == 0 && other.out == 0));
    using Counted = DataflowGraph<Sum, double, EqualTo, AllocBy<NoDefaultAllocator<Sum>>>;
    const EveryByteReturned bytes;
    Counted graph(NoDefaultAllocator<Sum>(3));
    graph.add(Sum{1}, 1, 1);
    CHECK(Counted(graph).get_allocator().id() == 3);
}

namespace {

struct Listener final : Graph::subscriber {
    void on_output(H node, slot_t output, const double& value) noexcept override {
        heard.push_back({node, output, value});
        if (also) also();
    }
    struct Heard {
        H node;
        slot_t output;
        double value;
    };
    std::vector<Heard> heard{};
    std::function<void()> also{};
};

} // namespace

TEST_CASE("DataflowGraph: a subscriber of an output is notified once an evaluation, and only of another value", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{1}, 1, 2), b = graph.add(Sum{}, 1, 1);
    graph.connect(a, 1, b, 0);
    evaluate(graph);
    Listener listener, other;
    auto token = graph.subscribe(a, 1, listener);
    const auto second = graph.subscribe(a, 1, other);
    const auto of_b = graph.subscribe(b, 0, other);
    evaluate(graph);
    CHECK(listener.heard.empty());
    graph.set_input(a, 0, 1.0);
    evaluate(graph);
    REQUIRE(listener.heard.size() == 1);
    CHECK((listener.heard[0].node == a && listener.heard[0].output == 1 && listener.heard[0].value == 3));
    CHECK(other.heard.size() == 2);
    CHECK(other.heard[1].node == b); // sources first
    graph.mark(a);
    evaluate(graph); // equal values
    graph.set_input(a, 0, 2.0);
    graph.evaluate([](Sum& node, Graph::context_type& context) { // a failed run takes back what it wrote
        RunSum()(node, context);
        context.fail();
    });
    CHECK(listener.heard.size() == 1);
    const std::size_t before = HeapBudget::calls();
    graph.set_input(a, 0, 3.0);
    listener.heard.reserve(8);
    other.heard.reserve(8);
    const std::size_t allocations = HeapBudget::calls();
    graph.evaluate(RunSum());
    CHECK(HeapBudget::calls() - allocations <= 1); // RunSum's own list
    static_cast<void>(before);
    CHECK(listener.heard.size() == 2);
    CHECK(graph.set_pins(a, 1, 3)); // the output keeps its subscribers
    graph.set_input(a, 0, 4.0);
    evaluate(graph);
    CHECK(listener.heard.size() == 3);
    Graph moved(std::move(graph)); // they go along
    const Graph copy(moved);       // they stay
    moved.set_input(a, 0, 5.0);
    evaluate(moved);
    CHECK(listener.heard.size() == 4);
    token.detach();
    moved.set_input(a, 0, 6.0);
    evaluate(moved);
    CHECK(listener.heard.size() == 4);
    moved.set_pins(a, 1, 1);
    CHECK_FALSE(second.attached());
    CHECK(of_b.attached());
    moved.erase(b);
    CHECK_FALSE(of_b.attached());
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(moved.subscribe(b, 0, other)); }) != "");
}

TEST_CASE("DataflowGraph: subscribers go with the contents, also into memory of another allocator", "[graph][allocators]") {
    using Other = DataflowGraph<Sum, double, EqualTo, AllocBy<StatefulAllocator<Sum>>>;
    struct Hears final : Other::subscriber {
        void on_output(Other::handle_type, slot_t, const double& value) noexcept override { heard.push_back(value); }
        std::vector<double> heard{};
    };
    Other one(StatefulAllocator<Sum>(1)), two(StatefulAllocator<Sum>(2));
    const auto node = one.add(Sum{1}, 1, 1);
    two.add(Sum{5}, 0, 0);
    Hears hears;
    const auto token = one.subscribe(node, 0, hears);
    const auto run = [](Sum& each, auto& context) {
        if (context.outputs() != 0) context.set_output(0, context.input(0) + each.add);
    };
    one.evaluate(run);
    swap(one, two);
    CHECK((token.attached() && two.contains(node) && one.size() == 1));
    two.set_input(node, 0, 2.0);
    two.evaluate(run);
    one = std::move(two);
    one.set_input(node, 0, 3.0);
    one.evaluate(run);
    CHECK(hears.heard == std::vector<double>{1, 3, 4});
    CHECK(one.check_invariants());
    one = Other(StatefulAllocator<Sum>(1));
    CHECK_FALSE(token.attached());
}

TEST_CASE("DataflowGraph: a subscriber may change the graph, evaluate it, subscribe, detach and erase", "[graph]") {
    Graph graph;
    const H a = graph.add(Sum{}, 1, 1), b = graph.add(Sum{}, 1, 1), c = graph.add(Sum{}, 1, 1);
    graph.connect(a, 0, b, 0);
    graph.connect(b, 0, c, 0);
    evaluate(graph);
    Listener first, second, third, last;
    std::vector<Graph::subscription> tokens;
    tokens.push_back(graph.subscribe(a, 0, first));
    tokens.push_back(graph.subscribe(a, 0, second));
    tokens.push_back(graph.subscribe(b, 0, third));
    tokens.push_back(graph.subscribe(c, 0, last));
    H fresh;
    bool edited = false;
    first.also = [&] {
        if (std::exchange(edited, true)) return;
        graph.set_pins(a, 40, 3);
        graph.erase(b);
        fresh = graph.add(Sum{7}, 0, 1);
        graph.connect(fresh, 0, c, 0);
        tokens.push_back(graph.subscribe(fresh, 0, third));
        graph.evaluate(RunSum());
    };
    graph.set_input(a, 0, 1.0);
    graph.evaluate(RunSum());
    CHECK(graph.check_invariants());
    CHECK(first.heard.size() == 1);
    REQUIRE(second.heard.size() == 1);
    CHECK(second.heard[0].value == 1);
    REQUIRE(third.heard.size() == 1);
    CHECK(third.heard[0].node == fresh);
    REQUIRE(last.heard.size() == 1);
    CHECK(last.heard[0].value == 7);
    first.also = [&] { graph.clear(); };
    const H again = graph.add(Sum{1}, 1, 1);
    tokens.push_back(graph.subscribe(again, 0, first));
    tokens.push_back(graph.subscribe(again, 0, second));
    graph.evaluate(RunSum());
    CHECK(graph.empty());
    CHECK(first.heard.size() == 2);
    CHECK(second.heard.size() == 1);
    for (const auto& token : tokens) CHECK_FALSE(token.attached());
}

TEST_CASE("DataflowGraph: nodes, and values of pins, stay where they are", "[graph]") {
    STATIC_REQUIRE(noexcept(std::declval<Graph&>().erase(H())));
    Graph graph;
    const H a = graph.add(Sum{1}, 1, 1), b = graph.add(Sum{2}, 1, 1), gone = graph.add(Sum{3}, 1, 1);
    evaluate(graph);
    const Sum* const node = graph.get(a);
    const double* const value = &graph.output(a, 0);
    graph.erase(gone);
    for (int i = 0; i != 2000; ++i) graph.add(Sum{}, 3, 2);
    graph.set_pins(b, 100, 100);
    CHECK(graph.connect(b, 5, a, 0));
    CHECK(graph.get(a) == node);
    CHECK(&graph.output(a, 0) == value);
    CHECK(graph.at(a).add == 1);
    Graph moved(std::move(graph));
    CHECK(moved.get(a) == node);
    CHECK(&moved.output(a, 0) == value);
    CHECK(&moved.input(a, 0) == &moved.output(b, 5));
}

TEST_CASE("DataflowGraph: values that cannot be copied, and nodes that cannot be moved", "[graph]") {
    struct Pinned {
        explicit Pinned(int start) : number(start) {}
        Pinned(const Pinned&) = delete;
        Pinned& operator=(const Pinned&) = delete;
        int number;
    };
    using Owner = std::unique_ptr<int>;
    DataflowGraph<Pinned, Owner> graph;
    const auto a = graph.emplace(1, 1, 5), b = graph.emplace(1, 1, 6);
    CHECK(graph.connect(a, 0, b, 0));
    CHECK(graph.set_input(a, 0, std::make_unique<int>(1)));
    const auto run = [](Pinned& node, auto& context) {
        context.set_output(0, std::make_unique<int>(*context.input(0) + node.number));
        if (*context.input(0) == 100) context.fail();
    };
    graph.evaluate(run);
    CHECK(*graph.output(b, 0) == 12);
    const int* const kept = graph.output(a, 0).get();
    graph.set_input(a, 0, std::make_unique<int>(100));
    CHECK(graph.evaluate(run).errored == 1);
    CHECK(graph.output(a, 0).get() == kept);
    for (int i = 0; i != 500; ++i) graph.emplace(0, 0, i);
    graph.reserve(2000);
    const std::size_t before = HeapBudget::calls();
    for (int i = 0; i != 1400; ++i) graph.emplace(0, 0, i);
    CHECK(HeapBudget::calls() == before);
    CHECK(graph.check_invariants());
}
