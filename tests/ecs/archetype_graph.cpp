// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_graph.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Ids = std::vector<int>;

/// Counts what is hashed.
struct CountingHash {
    static inline std::size_t hashed = 0;
    std::size_t operator()(int id) const noexcept {
        ++hashed;
        return DefaultHash<int>()(id);
    }
};

/// Ids from 1000 on are pairs: 1000 * relation + target. Relations from 50 on are exclusive.
struct Rules {
    const std::map<int, Ids>* companions = nullptr;
    static std::size_t number(int id) noexcept {
        return id < 1000 ? static_cast<std::size_t>(id) : static_cast<std::size_t>(-1);
    }
    template <class F>
    void with(int id, F&& f) const {
        if (companions == nullptr) return;
        if (const auto found = companions->find(id); found != companions->end())
            for (const int each : found->second) f(each);
    }
    bool replaces(int added, int present) const noexcept { return added >= 50'000 && added / 1000 == present / 1000; }
};

/// What a node keeps; neither copied nor moved.
struct Node {
    explicit Node(std::span<const int> ids) : made_for(ids.begin(), ids.end()) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node() = default;
    Ids made_for;
    int marked = 0;
};
/// The two nodes of an edge.
struct Way {
    Way(const Node& start, const Node& end) : from(&start), to(&end) {}
    const Node *from, *to;
};
using Graph = ArchetypeGraph<Node, int, Way, Rules, HashBy<CountingHash>>;
using Handle_ = Graph::handle_type;

struct Make {
    int* count = nullptr;
    Node operator()(Handle_, std::span<const int> ids) const {
        if (count != nullptr) ++*count;
        return Node(ids);
    }
};
const Make make{};

Ids ids_of(const Graph& graph, Handle_ node) {
    const auto ids = graph.ids(node);
    return {ids.begin(), ids.end()};
}
template <class F>
std::size_t hashed(F&& f) {
    const std::size_t before = CountingHash::hashed;
    f();
    return CountingHash::hashed - before;
}

/// 1 and 1001 have one number, as components of two registries.
struct Alike : NoRules {
    static std::size_t number(int id) noexcept { return static_cast<std::size_t>(id % 1000); }
};

} // namespace

TEST_CASE("ArchetypeGraph: a node is found by its ids in any order, and made once", "[ecs]") {
    Graph graph;
    CHECK(graph.empty());
    CHECK(graph.root().is_null());
    CHECK(graph.find(Ids{1}).is_null());
    int made = 0;
    const Handle_ root = graph.insert({}, Make{&made}), set = graph.insert(Ids{7, 3, 3, 1000, 5}, Make{&made});
    CHECK(graph.root() == root);
    CHECK(graph.find(Ids{3, 5, 7, 1000}) == set);
    CHECK(graph.find(Ids{1000, 7, 7, 5, 3}) == set);
    CHECK(graph.find(Ids{3, 5, 7}).is_null());
    CHECK(graph.insert(Ids{1000, 7, 5, 3}, Make{&made}) == set);
    CHECK(made == 2);
    CHECK(graph[set].made_for == Ids{3, 5, 7, 1000});
    CHECK(ids_of(graph, set) == Ids{3, 5, 7, 1000});
    CHECK(graph.get(set) == &graph.at_slot(set.index()));
    CHECK(graph.handle_at(set.index()) == set);
    CHECK(graph.handle_at(99).is_null());
    CHECK(std::as_const(graph)[root].made_for.empty());
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: adding and removing one id leads there and back, with the data of the edge", "[ecs]") {
    Graph graph;
    const Handle_ root = graph.insert({}, make);
    const auto there = graph.add(root, 9, make);
    REQUIRE(there);
    CHECK(ids_of(graph, there.node) == Ids{9});
    CHECK(there.edge->from == &graph[root]);
    CHECK(there.edge->to == &graph[there.node]);
    const auto further = graph.add(there.node, 5001, make), back = graph.remove(further.node, 9, make);
    CHECK(ids_of(graph, further.node) == Ids{9, 5001});
    CHECK(ids_of(graph, back.node) == Ids{5001});
    CHECK(graph.remove(back.node, 5001, make).node == root);
    CHECK(graph.size() == 4);
    CHECK(graph.edges() == 4);
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: 1,000 entities that are stunned and released hash nothing once the edges are there", "[ecs]") {
    constexpr int stunned = 4, position = 1;
    Graph graph;
    const Handle_ walking = graph.add(graph.insert({}, make), position, make).node;
    const auto stun_and_release = [&](int entities) {
        std::vector<Handle_> at(static_cast<std::size_t>(entities), walking);
        for (Handle_& each : at) each = graph.add(each, stunned, make).node;
        for (Handle_& each : at) each = graph.remove(each, stunned, make).node;
        return std::count(at.begin(), at.end(), walking);
    };
    CHECK(hashed([&] { stun_and_release(1); }) != 0);
    CHECK(hashed([&] { CHECK(stun_and_release(1000) == 1000); }) == 0);
}

TEST_CASE("ArchetypeGraph: what has no effect is seen before a destination is sought, and makes no node", "[ecs]") {
    Graph graph;
    const Handle_ node = graph.insert(Ids{1, 2, 50'001}, make);
    int made = 0;
    const Make counted{&made};
    CHECK(hashed([&] {
              for (const auto& step :
                   {graph.add(node, 1, counted), graph.remove(node, 3, counted), graph.add_all(node, Ids{2, 1, 2}, counted),
                    graph.remove_all(node, Ids{7, 8}, counted), graph.replace(node, 9, 2, counted),
                    graph.replace(node, 1, 1, counted), graph.add(node, 50'001, counted), graph.remove(node, 50'002, counted),
                    graph.change(node, {}, {}, counted), graph.change(node, Ids{1}, Ids{1, 8}, counted)}) {
                  CHECK_FALSE(step);
                  CHECK(step.edge == nullptr);
                  CHECK(step.node == node);
              }
          }) == 0);
    CHECK(made == 0);
    CHECK(graph.size() == 1);
    CHECK(graph.edges() == 0);
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: companions come along in one step, and theirs; removing the cause leaves them", "[ecs]") {
    const std::map<int, Ids> companions{{1, {2}}, {2, {3, 1}}, {3, {4}}}; // a circle too
    Graph graph(Rules{&companions});
    const Handle_ root = graph.insert({}, make);
    const auto all = graph.add(root, 1, make);
    CHECK(ids_of(graph, all.node) == Ids{1, 2, 3, 4});
    CHECK(graph.size() == 2); // no nodes between
    const auto without = graph.remove(all.node, 1, make);
    CHECK(ids_of(graph, without.node) == Ids{2, 3, 4});
    CHECK(graph.size() == 3);
    CHECK(ids_of(graph, graph.add(graph.insert(Ids{3}, make), 2, make).node) == Ids{1, 2, 3});
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: the edge that removes is not the inverse of the edge that adds", "[ecs]") {
    const std::map<int, Ids> companions{{1, {2}}};
    Graph graph(Rules{&companions});
    const Handle_ root = graph.insert({}, make);
    for (int round = 0; round != 3; ++round) { // found, then cached
        const Handle_ both = graph.add(root, 1, make).node;
        const Handle_ companion = graph.remove(both, 1, make).node;
        CHECK(ids_of(graph, companion) == Ids{2});
        CHECK(ids_of(graph, graph.remove(both, 2, make).node) == Ids{1}); // a companion may go alone
        CHECK(graph.add(companion, 1, make).node == both);
        const Handle_ first = graph.insert(Ids{50'001}, make), second = graph.add(first, 50'002, make).node;
        CHECK(ids_of(graph, second) == Ids{50'002});
        CHECK(graph.remove(second, 50'002, make).node == root); // and not `first`
    }
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: a pair of an exclusive relation replaces the other one in one step", "[ecs]") {
    Graph graph;
    const Handle_ owned = graph.insert(Ids{1, 50'001}, make);
    const std::size_t before = graph.size();
    const auto step = graph.add(owned, 50'002, make);
    CHECK(ids_of(graph, step.node) == Ids{1, 50'002});
    CHECK(graph.size() == before + 1); // neither both nor none had a node
    CHECK(graph.replace(step.node, 50'002, 50'001, make).node == owned);
    CHECK_FALSE(graph.add(owned, 50'001, make)); // the same target
    CHECK(ids_of(graph, graph.remove(owned, 50'001, make).node) == Ids{1});
    CHECK(ids_of(graph, graph.add(owned, 49'001, make).node) == Ids{1, 49'001, 50'001}); // another relation
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: several at a time obey the exclusive relation too, and the last one named stays", "[ecs]") {
    const std::map<int, Ids> companions{{5, {50'009}}};
    Graph graph(Rules{&companions});
    const Handle_ owned = graph.insert(Ids{50'001}, make);
    CHECK(ids_of(graph, graph.add_all(owned, Ids{3, 50'003, 50'002}, make).node) == Ids{3, 50'002});
    CHECK(ids_of(graph, graph.add_all(owned, Ids{3, 50'002, 50'003}, make).node) == Ids{3, 50'003});
    CHECK(ids_of(graph, graph.add_all(owned, Ids{50'002, 50'001, 4}, make).node) == Ids{4, 50'001});
    CHECK_FALSE(graph.add_all(owned, Ids{50'002, 50'001}, make));                            // the last one is there
    CHECK(ids_of(graph, graph.add_all(owned, Ids{50'007, 5}, make).node) == Ids{5, 50'007}); // named ones before companions
    CHECK(ids_of(graph, graph.add(owned, 5, make).node) == Ids{5, 50'009});
    CHECK(ids_of(graph, graph.change(owned, Ids{50'002}, Ids{50'001}, make).node) == Ids{50'002});
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: several ids change in one step, without nodes between", "[ecs]") {
    Graph graph;
    const Handle_ root = graph.insert({}, make);
    const auto three = graph.add_all(root, Ids{30, 10, 20}, make);
    CHECK(graph.size() == 2);
    CHECK(ids_of(graph, three.node) == Ids{10, 20, 30});
    const auto one = graph.remove_all(three.node, Ids{30, 99, 10}, make); // partly absent
    CHECK(ids_of(graph, one.node) == Ids{20});
    CHECK(graph.size() == 3);
    const auto swapped = graph.change(one.node, Ids{1, 2}, Ids{20, 3}, make);
    CHECK(ids_of(graph, swapped.node) == Ids{1, 2});
    CHECK(graph.size() == 4);
    CHECK(ids_of(graph, graph.change(swapped.node, Ids{1, 5}, Ids{1, 2}, make).node) == Ids{1, 5}); // in both: added
    CHECK(graph.remove_all(three.node, graph.ids(three.node), make).node == root);
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: a change of several ids is cached for its node", "[ecs]") {
    Graph graph;
    const Handle_ root = graph.insert({}, make);
    const Ids two{1, 2}, others{1, 3};
    const Handle_ first = graph.add_all(root, two, make).node, second = graph.add_all(root, others, make).node;
    const std::size_t edges = graph.edges();
    CHECK(hashed([&] {
              CHECK(graph.add_all(root, others, make).node == second);
              CHECK(graph.add_all(root, others, make).node == second);
          }) == 0); // the one asked for last is not even hashed
    CHECK(hashed([&] { CHECK(graph.add_all(root, two, make).node == first); }) == 2); // its ids, not the set that results
    CHECK(graph.edges() == edges);
    const Handle_ paired = graph.add(first, 7001, make).node;
    CHECK(hashed([&] { CHECK(graph.add(first, 7001, make).node == paired); }) == 0);
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: an erased node loses its edges on both sides, and its handle resolves no more", "[ecs]") {
    Graph graph;
    const Handle_ root = graph.insert({}, make);
    const Handle_ one = graph.add(root, 1, make).node, two = graph.add(one, 2000, make).node;
    const Handle_ far = graph.add_all(root, Ids{1, 2000}, make).node;
    CHECK(far == two);
    graph.remove(two, 2000, make);
    graph.remove(one, 1, make);
    CHECK(graph.edges() == 5);
    CHECK(graph.erase(one));
    CHECK_FALSE(graph.erase(one));
    CHECK(graph.edges() == 1);
    CHECK_FALSE(graph.contains(one));
    CHECK(graph.get(one) == nullptr);
    CHECK(graph.find(Ids{1}).is_null());
    CHECK(graph.check_invariants());
    const Handle_ again = graph.add(root, 1, make).node; // the same ids
    CHECK(again != one);
    CHECK(graph.remove(two, 2000, make).node == again);
    CHECK(graph.erase(two));
    CHECK(graph.check_invariants());
    CHECK(ids_of(graph, graph.add_all(root, Ids{1, 2000}, make).node) == Ids{1, 2000});
    CHECK(graph.erase(root));
    CHECK(graph.root().is_null());
    CHECK(graph.check_invariants());
    graph.clear();
    CHECK(graph.empty());
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: a node that is made in the middle of a move relocates no other", "[ecs]") {
    Graph graph;
    const Handle_ root = graph.insert({}, make);
    Node& at = graph[root];
    const auto step = graph.add(root, 1, make);
    Node& first = graph[step.node];
    const auto ids = graph.ids(step.node);
    for (int id = 2; id != 5000; ++id) graph.add(step.node, id, make);
    CHECK(&graph[root] == &at);
    CHECK(&graph[step.node] == &first);
    CHECK(step.edge->to == &first);
    CHECK(ids.data() == graph.ids(step.node).data());
    CHECK(graph.check_invariants());
    Graph moved(std::move(graph));
    CHECK(&moved[step.node] == &first);
    CHECK(moved.add(root, 1, make).edge == step.edge);
    CHECK(graph.empty()); // NOLINT: a moved-from graph is empty
    CHECK(graph.check_invariants());
    graph.insert(Ids{4}, make);
    graph = std::move(moved);
    CHECK(&graph[root] == &at);
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: a throw of make, of edge data or of memory leaves nodes and edges as before", "[ecs]") {
    struct ThrowingWay {
        ThrowingWay(const ThrowingCopy& from, const ThrowingCopy& to) : sum(from.value() + to.value()) { Budget::spend(); }
        int sum;
    };
    using Throwing_ = ArchetypeGraph<ThrowingCopy, int, ThrowingWay, Rules>;
    const NothingLeaks leaks;
    const auto build = [](auto, std::span<const int> ids) { return ThrowingCopy(static_cast<int>(ids.size())); };
    const auto swept_ = [&](auto&& run, bool memory) {
        Throwing_ graph;
        const auto root = graph.insert({}, build), one = graph.add(root, 1, build).node;
        const bool threw = run([&] { graph.add_all(one, Ids{9000, 300}, build); });
        const auto edges = graph.edges();
        CHECK(graph.size() == (threw ? 2 : 3));
        CHECK(edges == (threw ? 1 : 2));
        CHECK(graph.check_invariants());
        const bool single = run([&] { graph.add(root, 77, build); });
        CHECK(graph.edges() == edges + (single ? 0 : 1));
        CHECK(graph.check_invariants());
        const bool inserted = run([&] { graph.insert(Ids{6, 5}, build); });
        CHECK(graph.find(Ids{5, 6}).is_null() == inserted);
        CHECK(graph.check_invariants());
        if (memory) run([&] { graph.find(Ids{6, 5}); });
        CHECK(graph.add_all(one, Ids{9000, 300}, build).edge->sum == 1 + 3);
        CHECK(graph.check_invariants());
    };
    CHECK(fail_at_every_step([&](auto&& attempt) { swept_(attempt, false); }) > 1);
    CHECK(run_out_of_memory([&](auto&& attempt) { swept_(attempt, true); }) > 4);
}

TEST_CASE("ArchetypeGraph: hostile ids: one number for two, negative, many, and in any order", "[ecs]") {
    ArchetypeGraph<Ids, int, NoEdgeData, Alike> graph;
    const auto list = [](auto, std::span<const int> ids) { return Ids(ids.begin(), ids.end()); };
    const auto root = graph.insert({}, list);
    for (int round = 0; round != 2; ++round) {
        CHECK(graph[graph.add(root, 1, list).node] == Ids{1});
        CHECK(graph[graph.add(root, 1001, list).node] == Ids{1001});
        CHECK(graph[graph.add(root, 2001, list).node] == Ids{2001});
        CHECK(graph[graph.add(root, -5, list).node] == Ids{-5});
        CHECK(graph[graph.add_all(root, Ids{1}, list).node] == Ids{1});
    }
    CHECK(graph.erase(graph.find(Ids{1})));
    CHECK(graph[graph.add(root, 1001, list).node] == Ids{1001});
    CHECK(graph.check_invariants());
    Ids many(5000);
    for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<int>((i * 7919) % 5000);
    const auto all = graph.add_all(root, many, list);
    CHECK(graph.ids(all.node).size() == 5000);
    CHECK(graph.remove_all(all.node, many, list).node == root);
    CHECK(graph.check_invariants());
}

TEST_CASE("ArchetypeGraph: random changes give the sets that a model gives, while nodes come and go", "[ecs]") {
    const std::map<int, Ids> companions{{1, {2, 50'001}}, {3, {1}}, {260, {4000}}, {4000, {5}}};
    const Rules rules{&companions};
    const Ids known{0, 1, 2, 3, 4, 5, 255, 256, 260, 999, 4000, 4001, 50'000, 50'001, 50'002, 51'000, 51'001};
    const auto put = [](std::set<int>& set, int id, const Rules& of) {
        for (auto it = set.begin(); it != set.end();) it = *it != id && of.replaces(id, *it) ? set.erase(it) : std::next(it);
        set.insert(id);
    };
    const auto change = [&](const std::set<int>& before, const Ids& added, const Ids& removed) {
        std::set<int> set = before;
        for (const int id : removed)
            if (std::find(added.begin(), added.end(), id) == added.end()) set.erase(id);
        Ids coming;
        for (const int id : added)
            if (before.count(id) == 0) coming.push_back(id);
        Ids follow;
        std::set<int> seen(coming.begin(), coming.end());
        for (std::size_t i = 0; i != coming.size(); ++i)
            rules.with(coming[i], [&](int each) {
                if (set.count(each) == 0 && seen.insert(each).second) {
                    follow.push_back(each);
                    coming.push_back(each);
                }
            });
        for (const int id : follow) put(set, id, rules);
        for (const int id : added) put(set, id, rules);
        return set;
    };
    std::mt19937 random(20);
    Graph graph(rules);
    Handle_ at = graph.insert({}, make);
    std::set<int> model;
    std::size_t most = 0;
    for (int step = 0; step != 20'000; ++step) {
        const auto pick = [&](std::size_t count) {
            Ids ids(random() % (count + 1));
            for (int& id : ids) id = known[random() % known.size()];
            return ids;
        };
        const Ids added = pick(random() % 4), removed = pick(random() % 5);
        const std::set<int> expected = change(model, added, removed);
        const auto walked = added.size() == 1 && removed.empty()   ? graph.add(at, added[0], make)
                            : removed.size() == 1 && added.empty() ? graph.remove(at, removed[0], make)
                                                                   : graph.change(at, added, removed, make);
        REQUIRE(ids_of(graph, walked.node) == Ids(expected.begin(), expected.end()));
        REQUIRE(bool(walked) == (expected != model));
        if (walked) REQUIRE(walked.edge->to == graph.get(walked.node));
        at = walked.node;
        model = expected;
        most = std::max(most, graph.size());
        if (step % 50 == 0) { // a third of the nodes go
            graph.for_each([&](Handle_ node, Node&, std::span<const int>) {
                if (node != at && random() % 3 == 0) graph.erase(node);
            });
            REQUIRE(graph.check_invariants());
        }
    }
    CHECK(most > 50);
}

TEST_CASE("ArchetypeGraph: a rule that changes needs a graph without edges; walks see each node once", "[ecs]") {
    Graph graph;
    const Handle_ root = graph.insert({}, make);
    const std::map<int, Ids> companions{{1, {2}}};
    graph.rules() = Rules{&companions};
    CHECK(std::as_const(graph).rules().companions == &companions);
    CHECK(ids_of(graph, graph.add(root, 1, make).node) == Ids{1, 2});
    std::size_t ids = 0, nodes = 0;
    std::as_const(graph).for_each([&](Handle_ node, const Node& each, std::span<const int> of) {
        CHECK(&each == graph.get(node));
        ids += of.size();
        ++nodes;
    });
    CHECK(nodes == 2);
    CHECK(ids == 2);
}
