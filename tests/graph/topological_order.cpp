// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"

#include <slotwise/graph/detail/dataflow_core.hpp>
#include <slotwise/graph/detail/topological_order.hpp>

#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace slotwise;
using DirtySet = slotwise::detail::DirtySet<>;
using TopologicalOrder = slotwise::detail::TopologicalOrder<>;

namespace {

/// A graph of edges that are lists, which counts the edges that searches ask for.
struct Edges {
    explicit Edges(slot_t nodes) : out(nodes), in(nodes) {
        for (slot_t node = 0; node != nodes; ++node) {
            order.reserve(node);
            order.append(node);
        }
    }
    TopologicalOrder::Edge add(slot_t from, slot_t to) {
        const auto needs = order.find(
            from, to,
            [&](slot_t node, auto&& visit) {
                for (const slot_t next : out[node])
                    if (++asked; !visit(next)) return;
            },
            [&](slot_t node, auto&& visit) {
                for (const slot_t next : in[node])
                    if (++asked; !visit(next)) return;
            });
        if (needs == TopologicalOrder::Edge::cycle) return needs;
        if (needs == TopologicalOrder::Edge::reorder) {
            const std::size_t end = order.end_after_reorder();
            std::size_t last = order.positions();
            order.make_way([&](std::size_t at, std::size_t there) {
                REQUIRE(at != there);
                last = there;
            });
            order.apply();
            REQUIRE((order.positions() <= end && last <= end));
            if (order.sparse()) order.compact([](std::size_t, std::size_t) {});
        }
        out[from].push_back(to);
        in[to].push_back(from);
        return needs;
    }
    bool reaches(slot_t from, slot_t to) const {
        std::vector<slot_t> open{from};
        std::set<slot_t> seen{from};
        while (!open.empty()) {
            const slot_t node = open.back();
            open.pop_back();
            if (node == to) return true;
            for (const slot_t next : out[node])
                if (seen.insert(next).second) open.push_back(next);
        }
        return false;
    }
    bool sound() const {
        if (!order.check_invariants()) return false;
        for (slot_t node = 0; node != out.size(); ++node)
            for (const slot_t next : out[node])
                if (order.position(node) >= order.position(next)) return false;
        return true;
    }
    TopologicalOrder order;
    std::vector<std::vector<slot_t>> out, in;
    std::size_t asked = 0;
};

} // namespace

TEST_CASE("TopologicalOrder: edges in order ask for no other edge", "[graph]") {
    Edges edges(1000);
    for (slot_t node = 1; node != 1000; ++node) {
        CHECK(edges.add(node - 1, node) == TopologicalOrder::Edge::ordered);
        if (node > 10) CHECK(edges.add(node - 10, node) == TopologicalOrder::Edge::ordered);
    }
    CHECK(edges.asked == 0);
    CHECK(edges.sound());
}

TEST_CASE("TopologicalOrder: an edge against the order asks only for what lies between its ends", "[graph]") {
    Edges edges(1000);
    for (slot_t node = 1; node != 400; ++node) edges.add(node - 1, node);
    for (slot_t node = 601; node != 1000; ++node) edges.add(node - 1, node);
    CHECK(edges.add(500, 450) == TopologicalOrder::Edge::reorder); // both long chains lie outside
    CHECK(edges.asked == 0);
    CHECK(edges.add(600, 500) == TopologicalOrder::Edge::reorder);
    CHECK(edges.asked <= 4);
    CHECK(edges.sound());
}

TEST_CASE("TopologicalOrder: edges against the order cost little each, if an end leads to a few nodes", "[graph]") {
    constexpr slot_t nodes = 2000;
    const auto built = [](const char* what, std::size_t edges_of_each, auto&& act) {
        INFO(what);
        Edges edges(nodes);
        act(edges);
        CHECK(edges.asked <= 40 * edges_of_each * nodes); // half of nodes * nodes, if each edge walks what is there
        CHECK(edges.order.positions() <= 2 * nodes + 100);
        CHECK(edges.sound());
    };
    built("the chain grows at its head", 1, [](Edges& edges) {
        for (slot_t node = 0; node + 1 != nodes; ++node) edges.add(node + 1, node);
    });
    built("the chain grows at its end", 1, [](Edges& edges) {
        for (slot_t node = nodes - 1; node != 0; --node) edges.add(node, node - 1);
    });
    built("the chain grows at both ends", 1, [](Edges& edges) {
        for (slot_t i = 0; i + 1 != nodes / 2; ++i) {
            edges.add(nodes / 2 + i + 1, nodes / 2 + i);
            edges.add(nodes / 2 - i, nodes / 2 - i - 1);
        }
    });
    built("each node has a leaf of its own", 2, [](Edges& edges) {
        for (slot_t node = nodes - 2; node >= 4; node -= 2) {
            edges.add(node - 2, node - 1);
            edges.add(node, node - 2);
        }
    });
    built("each node reads the two behind it", 2, [](Edges& edges) {
        for (slot_t node = nodes - 1; node != 1; --node) {
            edges.add(node, node - 1);
            edges.add(node, node - 2);
        }
    });
    built("a tree, leaves first", 1, [](Edges& edges) {
        for (slot_t node = 1; node != nodes; ++node) edges.add(node, (node - 1) / 2);
    });
    built("a tree, root last", 1, [](Edges& edges) {
        for (slot_t node = nodes - 1; node != 0; --node) edges.add(node, (node - 1) / 2);
    });
    built("all lead to one, and one leads to all", 2, [](Edges& edges) {
        for (slot_t node = 1; node + 1 != nodes; ++node) edges.add(node, 0);
        for (slot_t node = 1; node + 1 != nodes; ++node) edges.add(nodes - 1, node);
    });
}

TEST_CASE("TopologicalOrder: what is kept by position follows, wherever nodes go", "[graph]") {
    std::mt19937 random(11);
    for (int round = 0; round != 30; ++round) {
        const auto nodes = static_cast<slot_t>(100 + random() % 100);
        TopologicalOrder order;
        std::vector<std::vector<slot_t>> out(nodes), in(nodes);
        std::vector<slot_t> kept; // by position: the slot
        for (slot_t node = 0; node != nodes; ++node) {
            order.reserve(node);
            order.append(node);
            kept.push_back(node);
        }
        std::size_t shifted = 0, moved = 0;
        const auto follow = [&](std::size_t at, std::size_t there) {
            ++shifted;
            REQUIRE((there >= kept.size() || kept[there] == no_slot));
            kept[there] = kept[at];
            kept[at] = no_slot;
        };
        for (int step = 0; step != 300; ++step) {
            const auto from = static_cast<slot_t>(random() % nodes), to = static_cast<slot_t>(random() % nodes);
            const auto next = [](auto& edges) {
                return [&edges](slot_t node, auto&& visit) {
                    for (const slot_t other : edges[node])
                        if (!visit(other)) return;
                };
            };
            const auto needs = order.find(from, to, next(out), next(in));
            if (needs == TopologicalOrder::Edge::cycle) continue;
            if (needs == TopologicalOrder::Edge::reorder) {
                kept.resize(std::max(kept.size(), order.end_after_reorder()), no_slot);
                order.make_way(follow);
                order.for_each_move([&](slot_t slot, slot_t at, slot_t) {
                    REQUIRE(kept[at] == slot);
                    kept[at] = no_slot;
                });
                order.for_each_move([&](slot_t slot, slot_t, slot_t there) {
                    ++moved;
                    REQUIRE(kept[there] == no_slot);
                    kept[there] = slot;
                });
                order.apply();
                if (order.sparse()) order.compact(follow);
            }
            out[from].push_back(to);
            in[to].push_back(from);
            REQUIRE(order.check_invariants());
            for (std::size_t at = 0; at != order.positions(); ++at) REQUIRE(order.slot_at(at) == kept[at]);
            for (const slot_t slot : out[from]) REQUIRE(order.position(from) < order.position(slot));
        }
        CHECK((moved != 0 && shifted != 0));
    }
}

TEST_CASE("TopologicalOrder: a cycle is refused with a shortest path, and nothing changes", "[graph]") {
    Edges edges(6);
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 3}})
        edges.add(static_cast<slot_t>(from), static_cast<slot_t>(to));
    CHECK(edges.add(3, 0) == TopologicalOrder::Edge::cycle);
    const auto path = edges.order.path();
    CHECK(std::vector<slot_t>(path.begin(), path.end()) == std::vector<slot_t>{0, 4, 3});
    CHECK(edges.add(5, 5) == TopologicalOrder::Edge::cycle);
    CHECK(edges.order.path().size() == 1);
    CHECK(edges.sound());
    CHECK(edges.add(3, 5) == TopologicalOrder::Edge::ordered);
}

TEST_CASE("TopologicalOrder: random edges, accepted exactly when they close no cycle", "[graph]") {
    std::mt19937 random(7);
    for (int round = 0; round != 20; ++round) {
        const auto nodes = static_cast<slot_t>(2 + random() % (round % 2 == 0 ? 40 : 150));
        Edges edges(nodes);
        std::size_t refused = 0;
        for (int step = 0; step != 200; ++step) {
            const auto from = static_cast<slot_t>(random() % nodes), to = static_cast<slot_t>(random() % nodes);
            const bool closes = edges.reaches(to, from);
            REQUIRE((edges.add(from, to) == TopologicalOrder::Edge::cycle) == closes);
            REQUIRE(edges.sound());
            if (!closes) continue;
            ++refused;
            const auto path = edges.order.path();
            REQUIRE((path.front() == to && path.back() == from));
            for (std::size_t i = 1; i != path.size(); ++i) {
                const auto& next = edges.out[path[i - 1]];
                REQUIRE(std::find(next.begin(), next.end(), path[i]) != next.end());
            }
        }
        CHECK(refused != 0);
    }
}

TEST_CASE("TopologicalOrder: erased nodes leave gaps, which compact() closes in order", "[graph]") {
    TopologicalOrder order;
    for (slot_t node = 0; node != 200; ++node) {
        order.reserve(node);
        order.append(node);
    }
    for (slot_t node = 0; node != 199; ++node)
        if (node % 4 != 0) order.erase(node);
    CHECK(order.check_invariants());
    CHECK(order.sparse());
    std::size_t moves = 0;
    order.compact([&](std::size_t from, std::size_t to) {
        CHECK(to < from);
        ++moves;
    });
    CHECK(moves == 50);
    CHECK(order.positions() == 51);
    CHECK(order.slot_at(1) == 4);
    CHECK(order.slot_at(50) == 199);
    CHECK(order.check_invariants());
    order.erase(199);
    CHECK(order.positions() == 50);
    order.reserve(199);
    order.append(199);
    CHECK(order.position(199) == 50);
}

TEST_CASE("DirtySet: positions come in ascending order, also those that are set meanwhile", "[graph]") {
    DirtySet set;
    CHECK(set.empty());
    set.reserve(300'000);
    CHECK(set.next(0) == DirtySet::none);
    const std::set<std::size_t> positions{0, 1, 63, 64, 4095, 4096, 4097, 99'999, 262'143, 262'144, 299'999};
    for (const std::size_t position : positions) set.set(position);
    CHECK(set.check_invariants());
    std::vector<std::size_t> walked;
    for (std::size_t at = set.next(0); at != DirtySet::none; at = set.next(at + 1)) {
        set.reset(at);
        walked.push_back(at);
        if (at == 64) set.set(5000), set.set(3); // ahead, and behind
    }
    std::vector<std::size_t> expected(positions.begin(), positions.end());
    expected.insert(std::find(expected.begin(), expected.end(), 99'999), 5000);
    CHECK(walked == expected);
    CHECK(set.next(0) == 3);
    CHECK(set.test(3));
    CHECK(set.next(4) == DirtySet::none);
    // The same by taking each out, over words that become empty and are set again.
    std::vector<std::size_t> taken;
    for (const int position : {62, 63, 64, 128, 200'000}) set.set(static_cast<std::size_t>(position));
    set.pop_each([&](std::size_t at) {
        taken.push_back(at);
        if (at == 63) set.set(1), set.set(127);
        if (at == 64) set.set(65), set.set(63);
        if (at == 128) set.set(128);
        CHECK(set.check_invariants());
    });
    CHECK(taken == std::vector<std::size_t>{3, 62, 63, 64, 65, 127, 128, 200'000});
    taken.clear();
    set.pop_each([&](std::size_t at) { taken.push_back(at); });
    CHECK(taken == std::vector<std::size_t>{1, 63, 128});
    CHECK(set.empty());
    set.set(9);
    set.clear();
    CHECK(set.empty());
    CHECK(set.check_invariants());
}
