// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeGraph and ComponentIndex with a throw at every step: as before, and nothing lost. Memory runs out by the operator
// new of failing_new.cpp.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_graph.hpp>
#include <slotwise/ecs/component_index.hpp>

#include <array>

using namespace slotwise;
using namespace test;

namespace {

using Graph = ArchetypeGraph<Throwing, int>;
constexpr auto make = [](auto, std::span<const int> ids) { return Throwing(static_cast<int>(ids.size())); };

struct Nodes {
    Graph graph{};
    Graph::handle_type none = graph.insert({}, make), one = graph.add(none, 1, make).node;
};
/// Every step fails in turn, by a node and by memory, and leaves nodes and edges as they were.
template <class Change>
void is_strong(const char* function, Change&& change) {
    INFO(function);
    const NothingLeaks leaks;
    const auto scenario = [&](auto&& attempt) {
        Nodes nodes;
        const std::size_t size = nodes.graph.size(), edges = nodes.graph.edges();
        if (!attempt([&] { change(nodes); })) return;
        CHECK(nodes.graph.size() == size);
        CHECK(nodes.graph.edges() == edges);
        CHECK(nodes.graph.check_invariants());
    };
    const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
    CHECK(failures != 0);
    report_sweep(swept(function), failures);
}

} // namespace

TEST_CASE("ArchetypeGraph: a node that throws, and memory that ends, change nothing", "[ecs][throws]") {
    is_strong("ArchetypeGraph::insert", [](Nodes& at) { at.graph.insert(std::array{9, 3, 1000}, make); });
    is_strong("ArchetypeGraph::add", [](Nodes& at) { at.graph.add(at.one, 2, make); });
    is_strong("ArchetypeGraph::add", [](Nodes& at) { at.graph.add(at.one, 1000, make); });
    is_strong("ArchetypeGraph::remove", [](Nodes& at) { at.graph.remove(at.one, 1, make); });
    is_strong("ArchetypeGraph::replace", [](Nodes& at) { at.graph.replace(at.one, 1, 2, make); });
    is_strong("ArchetypeGraph::add_all", [](Nodes& at) { at.graph.add_all(at.one, std::array{2, 3}, make); });
    is_strong("ArchetypeGraph::remove_all", [](Nodes& at) { at.graph.remove_all(at.one, std::array{1, 3}, make); });
    is_strong("ArchetypeGraph::change", [](Nodes& at) { at.graph.change(at.one, std::array{2, 3}, std::array{1}, make); });
}

TEST_CASE("ComponentIndex: memory that ends while a table is inserted leaves no part of it", "[ecs][throws]") {
    const ComponentId relation = ComponentId::from_bits(1);
    const std::array ids{pair(relation, Entity(1, 1)), pair(relation, Entity(2, 1))};
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        ComponentIndex<int> index;
        index.insert(1, std::span(ids).first(1), [](slot_t) { return -1; });
        if (!attempt([&] { index.insert(2, ids, [](slot_t) { return -1; }); })) return;
        CHECK(index.size() == 1);
        CHECK(index.tables(pair(any, any)).size() == 1);
        CHECK(index.check_invariants());
    });
    CHECK(failures != 0);
    report_sweep(swept("ComponentIndex::insert"), failures);
}
