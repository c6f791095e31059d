// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What throws in a DataflowGraph: when memory runs out, when nodes, values and Equal fail, when a codec or a callback does.
#include "graph/subjects.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/graph/dot.hpp>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Value = ThrowingCopy;
/// Equality that may throw.
struct Equal {
    bool operator()(const Value& a, const Value& b) const {
        Budget::spend();
        return a == b;
    }
};
using Graph = DataflowGraph<ThrowingCopy, Value, Equal>;
using H = Graph::handle_type;
using Ids = IdentityMap<PublicId, H>;

/// Values as their numbers.
struct Codec {
    static void write(const Value& value, ByteWriter& out) { out.number(static_cast<std::uint32_t>(value.value())); }
    template <class T>
    static T read(ByteReader& in) {
        return T(static_cast<int>(in.number<std::uint32_t>()));
    }
};

/// Nodes 0 to 5, each of which reads the one before.
struct Chain {
    Chain() {
        for (int i = 0; i != 6; ++i) {
            nodes.push_back(graph.emplace(2, 1, i));
            ids.insert(PublicId{1, static_cast<std::uint64_t>(i)}, nodes.back());
            if (i != 0) static_cast<void>(graph.connect(nodes[static_cast<std::size_t>(i) - 1], 0, nodes.back(), 0));
        }
        graph.erase(nodes[3]);
        ids.erase(nodes[3]);
        evaluate();
    }
    void evaluate() {
        graph.evaluate([](ThrowingCopy& node, auto& context) {
            int sum = node.value();
            for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i).value();
            for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, sum);
        });
    }
    Graph graph{Equal()};
    std::vector<H> nodes{};
    Ids ids{};
};

/// Makes act(chain) fail at each call of an element, and at each allocation; then the graph is as before, or, if the guarantee is
/// the basic one, sound.
template <class Act>
void swept_both_ways(const char* function, Act&& act, bool strong = true) {
    const NothingLeaks leaks;
    const auto scenario = [&](auto&& attempt) {
        Chain chain;
        const Graph before(chain.graph);
        const bool failed = attempt([&] { act(chain); });
        CHECK(chain.graph.check_invariants());
        if (failed && strong) CHECK(chain.graph == before);
        chain.evaluate();
        CHECK(chain.graph.check_invariants());
    };
    const std::size_t failures = fail_at_every_step(scenario), exhausted = run_out_of_memory(scenario);
    report_sweep({std::string("DataflowGraph::") + function}, failures + exhausted);
    CHECK(failures + exhausted != 0);
}

} // namespace

TEST_CASE("DataflowGraph: what fails changes nothing", "[graph][throws]") {
    swept_both_ways("add", [](Chain& chain) { chain.graph.add(ThrowingCopy(9), 40, 40); });
    swept_both_ways("emplace", [](Chain& chain) { chain.graph.emplace(3, 2, 9); });
    swept_both_ways("set_pins", [](Chain& chain) { chain.graph.set_pins(chain.nodes[2], 70, 30); });
    swept_both_ways("connect", [](Chain& chain) { // against the order
        static_cast<void>(chain.graph.connect(chain.nodes[5], 0, chain.nodes[0], 1));
    });
    swept_both_ways("connect", [](Chain& chain) { // the path of a cycle takes memory too
        static_cast<void>(chain.graph.connect(chain.nodes[2], 0, chain.nodes[0], 0));
    });
    swept_both_ways("would_connect", [](Chain& chain) {
        static_cast<void>(chain.graph.would_connect(chain.nodes[5], 0, chain.nodes[0], 1));
        static_cast<void>(chain.graph.would_connect(chain.nodes[2], 0, chain.nodes[0], 0));
    });
    swept_both_ways("link_all", [](Chain& chain) {
        const Graph::Link links[] = {{chain.nodes[5], 0, chain.nodes[0], 1}, {chain.nodes[4], 0, chain.nodes[1], 0}};
        static_cast<void>(chain.graph.link_all(links));
    });
    swept_both_ways("link_all", [](Chain& chain) { // refused, with a path
        const Graph::Link links[] = {{chain.nodes[5], 0, chain.nodes[0], 1}, {chain.nodes[2], 0, chain.nodes[4], 1}};
        static_cast<void>(chain.graph.link_all(links));
    });
    swept_both_ways("up_to_date", [](Chain& chain) { static_cast<void>(chain.graph.up_to_date(chain.nodes[2])); });
    swept_both_ways(
        "evaluate",
        [](Chain& chain) { // f is not called before there is memory for the search
            chain.graph.evaluate(chain.nodes[2], [](ThrowingCopy&, auto&) {});
        },
        false); // the number of the evaluation counts
    swept_both_ways("set_input", [](Chain& chain) { chain.graph.set_input(chain.nodes[0], 1, Value(77)); });
    swept_both_ways("set_input", [](Chain& chain) { chain.graph.set_input(chain.nodes[1], 1, 78); });
    swept_both_ways(
        "edit_input", [](Chain& chain) { chain.graph.edit_input(chain.nodes[0], 0, [](Value& value) { value = Value(5); }); },
        false); // it may have changed, and counts as that
    swept_both_ways("reserve", [](Chain& chain) { chain.graph.reserve(1000, 4000); });
    swept_both_ways(
        "shrink_to_fit",
        [](Chain& chain) {
            std::vector<H> more;
            for (int i = 0; i != 200; ++i) more.push_back(chain.graph.emplace(0, 0, 1));
            for (const H node : more) chain.graph.erase(node);
            chain.graph.shrink_to_fit();
        },
        false);
    calls_nothing_that_throws(swept("DataflowGraph::()"), [] { DataflowGraph<int, int> graph; });
    calls_nothing_that_throws(swept("DataflowGraph::(...)"), [] { Graph graph{Equal()}; });
}

TEST_CASE("DataflowGraph: a copy, move, assignment or swap that fails leaves both sound", "[graph][throws]") {
    using Alloc = StatefulAllocator<std::byte, Propagation{.throws = true}>;
    sweep_whole<Graphs<Throwing, ThrowingCopy>, Graphs<Throwing, ThrowingCopy>::container<Alloc>>();
}

TEST_CASE("DataflowGraph: bytes that cannot be read, and memory that runs out, change nothing", "[graph][throws]") {
    Chain other;
    other.graph.emplace(1, 2, 50);
    const auto bytes = other.graph.snapshot(Codec());
    other.ids.insert(PublicId{5, 5}, other.graph.handle_at(3));
    const auto file = other.graph.save(other.ids, Codec());
    swept_both_ways("restore", [&](Chain& chain) { chain.graph.restore(bytes, Codec()); });
    swept_both_ways("try_restore", [&](Chain& chain) { static_cast<void>(chain.graph.try_restore(bytes, Codec())); });
    swept_both_ways("load", [&](Chain& chain) { chain.graph.load(file, chain.ids, Codec()); });
    swept_both_ways("try_load", [&](Chain& chain) { static_cast<void>(chain.graph.try_load(file, chain.ids, Codec())); });
}

TEST_CASE("DataflowGraph: a subscription that fails leaves none, and who names no pin is told so", "[graph][throws]") {
    struct Listener final : Graph::subscriber {
        void on_output(H, slot_t, const Value&) noexcept override { ++heard; }
        int heard = 0;
    };
    const std::size_t exhausted = run_out_of_memory([](auto&& attempt) {
        Chain chain;
        Listener listener;
        Graph::subscription token;
        const bool failed = attempt([&] { token = chain.graph.subscribe(chain.nodes[5], 0, listener); });
        CHECK(token.attached() != failed);
        chain.graph.set_input(chain.nodes[4], 1, 3);
        chain.evaluate();
        CHECK(listener.heard == (failed ? 0 : 1));
    });
    report_sweep({"DataflowGraph::subscribe"}, exhausted);
    CHECK(exhausted != 0);
    Chain chain;
    Listener listener;
    const H gone = chain.nodes[3], node = chain.nodes[0];
    CHECK_THROWS_AS(chain.graph.subscribe(gone, 0, listener), std::out_of_range);
    CHECK_THROWS_AS(chain.graph.subscribe(node, 1, listener), std::out_of_range);
    CHECK_THROWS_AS(chain.graph.at(gone), std::out_of_range);
    CHECK_THROWS_AS(chain.graph.input(gone, 0), std::out_of_range);
    CHECK_THROWS_AS(chain.graph.input(node, 2), std::out_of_range);
    CHECK_THROWS_AS(chain.graph.output(node, 1), std::out_of_range);
    CHECK_THROWS_AS(chain.graph.counter(node, 1), std::out_of_range);
}

#if defined(__cpp_exceptions)
TEST_CASE("DataflowGraph: whatever fails while a node runs, its outputs are as before", "[graph][throws]") {
    const NothingLeaks leaks;
    std::size_t errored = 0, left = 0;
    const auto swept_run = [&](const char* function, auto&& f) {
        const std::size_t failures = fail_at_every_step(swept(function), [&](auto&& attempt) {
            Chain chain;
            chain.graph.set_input(chain.nodes[0], 1, 100);
            chain.graph.set_input(chain.nodes[5], 1, 100);
            const Graph before(chain.graph);
            const bool failed = attempt([&] {
                chain.graph.evaluate(
                    f, [](ThrowingCopy&) {},
                    [&](ThrowingCopy&, auto&) {
                        ++errored;
                        throw; // what evaluate() throws is what `failed` does
                    });
            });
            CHECK(chain.graph.check_invariants());
            if (!failed) return;
            for (const H node : chain.nodes)
                if (has_any(chain.graph.flags(node), NodeFlags::errored))
                    CHECK(chain.graph.output(node, 0).value() == before.output(node, 0).value());
            left += chain.graph.dirty(); // those behind it are still to run
        });
        CHECK(failures != 0);
    };
    swept_run("DataflowGraph::evaluate", [](ThrowingCopy& node, auto& context) {
        const Value copy(context.input(0));
        context.set_output(0, copy);
        context.set_output(0, node.value() + context.input(1).value());
    });
    swept_run("DataflowContext::set_output", [](ThrowingCopy& node, auto& context) {
        const Value written(context.input(0).value() + context.input(1).value() + node.value());
        context.set_output(0, written);
    });
    CHECK(errored > 10);
    CHECK(left > 5);
    std::size_t edits = 0;
    fail_at_every_step(swept("DataflowContext::edit_output"), [&](auto&& attempt) {
        Chain chain;
        chain.graph.mark(chain.nodes[4]);
        const change_t counter = chain.graph.counter(chain.nodes[4], 0);
        const bool failed = attempt([&] {
            chain.graph.evaluate(
                [&](ThrowingCopy&, auto& context) {
                    if (context.handle() != chain.nodes[4]) return;
                    context.edit_output(0, [](Value& value) { value = Value(1); });
                },
                [](ThrowingCopy&) {}, [](ThrowingCopy&, auto&) { throw; });
        });
        // A value that was edited in place may be another one, and says so; if f did not begin, nothing changed.
        edits += failed && chain.graph.counter(chain.nodes[4], 0) != counter;
        CHECK(chain.graph.check_invariants());
        CHECK(chain.graph.last_run(chain.nodes[4]) == chain.graph.evaluations());
    });
    CHECK(edits != 0);
}
/// A value of which everything throws but its moves.
using Fragile = BasicTracked<TrackedOptions{.construct_throws = true, .copy_throws = true}>;
struct FragileEqual {
    bool operator()(const Fragile& a, const Fragile& b) const {
        Budget::spend();
        return a == b;
    }
};

/// What a node does with an output, and what is expected of it.
struct Written {
    int value = 0, before = 0;
    bool written = false, kept = false, changed = false;

    void set(int to) {
        if (!written) {
            if (value == to) return;
            *this = {to, value, true, true, true};
        } else {
            changed = !kept || before != to;
            value = to;
        }
    }
    void edit(int to, bool counts) {
        if (!written) written = true, kept = false;
        value = to;
        changed = changed || counts;
    }
    void roll_back() {
        if (written && kept) value = before, changed = false;
    }
};

// A node may catch what a call throws, and go on: whatever the calls before and behind it, the one that threw has no effect, or
// that of what its callback did.
TEST_CASE("DataflowGraph: a node that catches what a call throws goes on as if it had not been made", "[graph][throws]") {
    using Fragiles = DataflowGraph<int, Fragile, FragileEqual>;
    const NothingLeaks leaks;
    constexpr slot_t outputs = 3;
    std::mt19937 random(3);
    std::size_t caught = 0, caught_early = 0, caught_in_edit = 0;
    for (int script = 0; script != 60; ++script) {
        const auto seed = static_cast<unsigned>(random());
        const int end = script % 3; // 0: it succeeds, 1: fail(), 2: it throws
        for (std::size_t step = 0, thrown = 1; thrown != 0; ++step) {
            Fragiles graph{FragileEqual()};
            const auto node = graph.add(0, 0, outputs);
            std::vector<Fragiles::handle_type> consumers;
            for (slot_t o = 0; o != outputs; ++o) {
                consumers.push_back(graph.add(1, 1, 0));
                REQUIRE(graph.connect(node, o, consumers[o], 0));
            }
            graph.evaluate([](int, auto&) {});
            graph.mark(node);
            Written expected[outputs];
            change_t counters[outputs];
            for (slot_t o = 0; o != outputs; ++o) counters[o] = graph.counter(node, o);
            thrown = 0;
            int ran = 0;
            graph.evaluate([&](int kind, auto& context) {
                if (kind == 1) return static_cast<void>(++ran);
                std::mt19937 choice(seed);
                const Fragile seven(7);
                Budget::arm(step);
                for (int call = 0; call != 8; ++call) {
                    const auto o = static_cast<slot_t>(choice() % outputs);
                    const int to = static_cast<int>(choice() % 3);
                    const auto what = choice() % 4;
                    bool begun = false, done = false;
                    const auto change = [&](Fragile& value) {
                        begun = true;
                        Budget::spend();
                        value.set(to);
                        done = true;
                        Budget::spend();
                        return what != 3;
                    };
                    bool threw = false;
                    try {
                        if (what == 0)
                            context.set_output(o, to);
                        else if (what == 1)
                            context.set_output(o, seven);
                        else
                            context.edit_output(o, change);
                    } catch (const InjectedFailure&) {
                        threw = true;
                    }
                    if (what > 1 && begun)
                        expected[o].edit(done ? to : expected[o].value, threw || what == 2);
                    else if (!threw)
                        expected[o].set(what == 0 ? to : 7);
                    thrown += threw;
                    caught += threw;
                    caught_early += threw && call < 4;
                    caught_in_edit += threw && what > 1 && !begun;
                    for (slot_t each = 0; each != outputs; ++each)
                        if (context.output(each).value() != expected[each].value) Census::error("another value");
                }
                Budget::disarm();
                if (end == 0) return;
                for (Written& each : expected) each.roll_back();
                if (end == 2) throw InjectedFailure();
                context.fail();
            });
            REQUIRE(graph.check_invariants());
            int changes = 0;
            for (slot_t o = 0; o != outputs; ++o) {
                REQUIRE(graph.output(node, o).value() == expected[o].value);
                REQUIRE((graph.counter(node, o) != counters[o]) == expected[o].changed);
                changes += expected[o].changed;
            }
            REQUIRE(ran == changes);
            REQUIRE((graph.last_change(node) == graph.evaluations()) == (changes != 0));
            REQUIRE(thrown <= 1);
        }
    }
    CHECK(caught > 500);
    CHECK(caught_early > 100);
    CHECK(caught_in_edit > 50); // Value() has thrown
}
#endif

TEST_CASE("to_dot: memory that runs out changes nothing", "[graph][throws]") {
    Chain chain;
    const Graph before(chain.graph);
    CHECK(run_out_of_memory([&](auto&& attempt) { attempt([&] { static_cast<void>(to_dot(chain.graph).size()); }); }) > 3);
    CHECK(chain.graph == before);
}
