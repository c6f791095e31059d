// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Subscribers of a DataflowGraph that change it while others wait: outputs go, move and change again, in any order.
#include "support/catch.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

using Graph = DataflowGraph<int, int>;
using H = Graph::handle_type;

struct World {
    explicit World(unsigned seed) : random(seed) {
        for (int i = 0; i != 60; ++i) add();
    }
    struct Listener final : Graph::subscriber {
        Listener(World& in, H of) : world(&in), node(of) {}
        void on_output(H of, slot_t output, const int& value) noexcept override { world->heard(*this, of, output, value); }
        World* world;
        H node;
        change_t last = 0; ///< the counter of the value that it was notified of
    };

    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    H any() { return nodes[random() % nodes.size()]; }
    void add() {
        nodes.push_back(graph.add(0, 1, 2));
        subscribe(nodes.back());
        if (nodes.size() > 1) static_cast<void>(graph.connect(any(), 0, nodes.back(), 0));
    }
    void subscribe(H node) {
        if (!graph.contains(node)) return;
        listeners.push_back(std::make_unique<Listener>(*this, node));
        listeners.back()->last = graph.counter(node, 0);
        tokens.push_back(graph.subscribe(node, 0, *listeners.back()));
    }
    void heard(Listener& listener, H node, slot_t output, int value) noexcept {
        ++calls;
        if (node != listener.node || output != 0 || !graph.contains(node) || graph.output(node, 0) != value)
            ++wrong;
        else
            listener.last = graph.counter(node, 0);
        if (changes == 0) return;
        --changes;
        switch (below(6)) {
        case 0:
            for (int i = below(8); i != 0; --i) graph.erase(any());
            break;
        case 1:
            for (int i = below(8); i != 0; --i) graph.set_pins(any(), 1, static_cast<std::size_t>(1 + below(4)));
            break;
        case 2:
            touch();
            evaluate();
            break;
        case 3:
            for (int i = below(5); i != 0; --i) add();
            break;
        case 4:
            subscribe(any());
            break;
        default:
            tokens[random() % tokens.size()].detach();
        }
        if (!graph.check_invariants()) ++wrong;
    }
    void touch() {
        for (const H node : nodes)
            if (below(3) != 0 && graph.contains(node)) graph.set_input(node, 0, below(1000)), graph.mark(node);
    }
    void evaluate() {
        graph.evaluate([this](int, auto& context) {
            for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, below(1000));
        });
    }

    std::mt19937 random;
    Graph graph{};
    std::vector<H> nodes{};
    std::vector<std::unique_ptr<Listener>> listeners{};
    std::vector<Graph::subscription> tokens{};
    int changes = 0;
    std::size_t calls = 0, wrong = 0;
};

} // namespace

TEST_CASE("DataflowGraph: each output that is left is notified of its last value, whatever subscribers did meanwhile",
          "[graph]") {
    std::size_t calls = 0, gone = 0;
    for (unsigned seed = 1; seed != 40; ++seed) {
        World world(seed);
        for (int round = 0; round != 12; ++round) {
            world.changes = world.below(40);
            world.touch();
            world.evaluate();
            REQUIRE(world.wrong == 0);
            REQUIRE(world.graph.check_invariants());
            for (std::size_t i = 0; i != world.tokens.size(); ++i) {
                const auto& listener = *world.listeners[i];
                gone += !world.graph.contains(listener.node);
                if (!world.tokens[i].attached()) continue;
                REQUIRE(world.graph.contains(listener.node));
                REQUIRE(listener.last == world.graph.counter(listener.node, 0)); // none was forgotten
            }
        }
        calls += world.calls;
    }
    CHECK(calls > 5'000);
    CHECK(gone > 1'000);
}
