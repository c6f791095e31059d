// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

constexpr std::string_view in_names[] = {"left", "right"}, out_names[] = {"sum"};
constexpr NodeInfo kinds_of_nodes[] = {{"add", in_names, out_names, NodeFlags::none},
                                       {"time", {}, out_names, NodeFlags::always}};
const NodeInfo* kind(std::string_view name) {
    for (const NodeInfo& info : kinds_of_nodes)
        if (info.name == name) return &info;
    return nullptr;
}
using Graph = DataflowGraph<std::string, double>;
using H = Graph::handle_type;
using Ids = IdentityMap<PublicId, H>;

void run(std::string& name, Graph::context_type& context) {
    double sum = static_cast<double>(name.size());
    for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i);
    if (sum > 1000) context.fail();
    for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, sum + o);
}

/// A graph with every kind of state there is, and gaps in its slots.
struct World {
    explicit World(unsigned seed, int nodes = 30) {
        std::mt19937 random(seed);
        std::vector<H> all;
        for (int i = 0; i != nodes; ++i) {
            const unsigned what = random() % 4;
            const H node = what == 0   ? graph.add("k", kinds_of_nodes[random() % 2])
                           : what == 1 ? graph.add("constant", random() % 2, 1)
                                       : graph.add("n" + std::to_string(i), random() % 4, random() % 3);
            all.push_back(node);
            ids.insert(PublicId::random(random), node);
            if (random() % 3 == 0) graph.set_flags(node, user_flag(static_cast<unsigned>(random() % 24)) | NodeFlags::stateful);
        }
        for (int i = 0; i != 4 * nodes; ++i) {
            const H from = all[random() % all.size()], to = all[random() % all.size()];
            if (graph.outputs(from) != 0 && graph.inputs(to) != 0)
                static_cast<void>(graph.connect(from, random() % graph.outputs(from), to, random() % graph.inputs(to)));
            if (i % 40 == 20) {
                const H gone = all[random() % all.size()];
                ids.erase(gone);
                graph.erase(gone);
            }
            if (i % 30 == 15) graph.evaluate(run);
            const H set = all[random() % all.size()];
            if (graph.inputs(set) != 0) graph.set_input(set, random() % graph.inputs(set), static_cast<double>(random() % 200));
            if (random() % 20 == 0) graph.mark(set);
        }
    }
    Graph graph;
    Ids ids;
};

template <class F>
std::string refused(F&& f) {
    return thrown_text<std::invalid_argument>(f);
}

} // namespace

TEST_CASE("DataflowGraph: a snapshot restores handles, values, counters, marks, flags and order", "[graph]") {
    for (unsigned seed = 1; seed != 20; ++seed) {
        World world(seed);
        const auto bytes = world.graph.snapshot();
        Graph restored;
        restored.add("gone", 1, 1);
        restored.restore(bytes, DefaultCodec(), kind);
        REQUIRE(restored.check_invariants());
        REQUIRE(restored == world.graph);
        REQUIRE(restored.snapshot() == bytes);
        std::vector<std::string> ran, ran_here;
        restored.evaluate([&](std::string& name, auto& context) {
            ran.push_back(name);
            run(name, context);
        });
        world.graph.evaluate([&](std::string& name, auto& context) {
            ran_here.push_back(name);
            run(name, context);
        });
        REQUIRE(ran == ran_here);
        REQUIRE(restored == world.graph);
        REQUIRE(restored.add("next", 0, 0) == world.graph.add("next", 0, 0));
    }
}

TEST_CASE("DataflowGraph: a file holds public ids only, and loads into other slots and order as an equal graph", "[graph]") {
    for (unsigned seed = 1; seed != 20; ++seed) {
        World world(seed);
        const auto bytes = world.graph.save(world.ids);
        Graph loaded;
        for (int i = 0; i != 7; ++i) loaded.add("before", 1, 1);
        Ids ids;
        loaded.load(bytes, ids, DefaultCodec(), kind);
        REQUIRE(loaded.check_invariants());
        REQUIRE(loaded.size() == world.graph.size());
        REQUIRE(ids.size() == loaded.size());
        REQUIRE(loaded.save(ids) == bytes);
        world.graph.for_each([&](H node, const std::string& name) {
            const H there = ids.handle_of(*world.ids.id_of(node));
            REQUIRE(loaded.at(there) == name);
            REQUIRE(loaded.flags(there) == world.graph.flags(node));
            REQUIRE(loaded.info(there) == world.graph.info(node));
            for (slot_t o = 0; o != world.graph.outputs(node); ++o)
                REQUIRE(loaded.counter(there, o) == world.graph.counter(node, o));
        });
        const auto ran = loaded.evaluate(run).ran;
        REQUIRE(ran == world.graph.evaluate(run).ran); // marks too: exactly the same nodes are dirty
        REQUIRE(loaded.check_invariants());
    }
}

TEST_CASE("DataflowGraph: bytes that no graph writes are refused in words, and nothing changes", "[graph]") {
    World world(3);
    const auto bytes = world.graph.snapshot();
    const auto file = world.graph.save(world.ids);
    Graph graph;
    const H kept = graph.add("kept", 1, 1);
    Ids ids;
    ids.insert(PublicId{1, 2}, kept);
    CHECK(refused([&] { graph.restore(bytes); }).find("pass kinds(name)") != std::string::npos);
    CHECK(refused([&] { graph.restore(file, DefaultCodec(), kind); }).find("no snapshot") != std::string::npos);
    CHECK(refused([&] { graph.load(bytes, ids, DefaultCodec(), kind); }).find("no snapshot") != std::string::npos);
    CHECK(refused([&] { static_cast<void>(world.graph.save(ids)); }).find("DataflowGraph save(ids)") == 0);
    for (std::size_t size = 0; size != bytes.size(); ++size)
        REQUIRE(graph.try_restore(std::span(bytes).first(size), DefaultCodec(), kind) != nullptr);
    for (std::size_t size = 0; size != file.size(); ++size)
        REQUIRE(graph.try_load(std::span(file).first(size), ids, DefaultCodec(), kind) != nullptr);
    const auto longer = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
    CHECK(std::string(graph.try_restore(longer, DefaultCodec(), kind)).find("more bytes") != std::string::npos);
    CHECK(graph.size() == 1);
    CHECK(graph.contains(kept));
    CHECK(ids.handle_of(PublicId{1, 2}) == kept);
    // Each byte changed in turn: refused, or a graph that writes exactly these bytes.
    std::size_t accepted = 0;
    for (std::size_t i = 0; i != bytes.size(); ++i)
        for (const unsigned bit : {0u, 7u}) {
            auto changed = bytes;
            changed[i] ^= std::byte{1} << bit;
            changed = test::reseal(changed);
            Graph other;
            if (other.try_restore(changed, DefaultCodec(), kind) != nullptr) continue;
            ++accepted;
            REQUIRE(other.check_invariants());
            REQUIRE(other.snapshot() == changed);
            other.evaluate(run);
            REQUIRE(other.check_invariants());
        }
    CHECK(accepted != 0); // a letter of a name, a digit of a value
    for (std::size_t i = 0; i != file.size(); ++i) {
        auto changed = file;
        changed[i] ^= std::byte{4};
        changed = test::reseal(changed);
        Graph other;
        Ids others;
        if (other.try_load(changed, others, DefaultCodec(), kind) != nullptr) continue;
        REQUIRE(other.check_invariants());
        REQUIRE(other.save(others) == changed);
    }
}

TEST_CASE("DataflowGraph: bytes of a kind whose pins are others now are refused, and nodes are given the new ones afterwards",
          "[graph]") {
    static constexpr std::string_view ab[] = {"a", "b"}, ba[] = {"b", "a"}, abz[] = {"a", "b", "z"}, joined[] = {"ab"},
                                      c[] = {"c"};
    static constexpr NodeInfo old{"mix", ab, c};
    Graph graph;
    Ids ids;
    const H node = graph.add("x", old), source = graph.add("y", 0, 1);
    ids.insert(PublicId{1, 1}, node);
    ids.insert(PublicId{1, 2}, source);
    graph.set_input(node, 0, 5.0);
    graph.connect(source, 0, node, 1);
    for (const auto& [inputs, outputs] :
         {std::pair<std::span<const std::string_view>, std::span<const std::string_view>>(ba, c),
          {abz, c},
          {joined, c},
          {c, c},
          {{}, c},
          {ab, {}},
          {ab, ba},
          {c, ab},
          {ab, ab}}) {
        const NodeInfo other{"mix", inputs, outputs};
        const auto kinds = [&](std::string_view) { return SharedNodeInfo(other); };
        Graph loaded;
        Ids loaded_ids;
        const std::string wrong = refused([&] { loaded.load(graph.save(ids), loaded_ids, DefaultCodec(), kinds); });
        CHECK(wrong.find("snapshot: the NodeInfo of the name that kinds(name) was last asked about has other pins") == 0);
        CHECK(loaded.try_restore(graph.snapshot(), DefaultCodec(), kinds) == wrong);
        CHECK((loaded.empty() && loaded_ids.empty()));
    }
    // Pins that a node got by set_pins are its own.
    graph.set_pins(node, 5, 2);
    Graph loaded;
    Ids loaded_ids;
    loaded.load(graph.save(ids), loaded_ids, DefaultCodec(), [](std::string_view) { return &old; });
    CHECK((loaded.inputs(loaded_ids.handle_of(PublicId{1, 1})) == 5 && loaded.check_invariants()));
    loaded.restore(graph.snapshot(), DefaultCodec(), [](std::string_view) { return &old; });
    CHECK(loaded == graph);
}

TEST_CASE("DataflowGraph: a graph of variants is saved and loaded", "[graph]") {
    using Value = std::variant<double, std::string, std::vector<float>>;
    DataflowGraph<int, Value, EqualTo, IdBy<int>> graph, loaded;
    graph.add(1, 10, 3, 1);
    graph.set_input(1, 1, "text");
    graph.set_input(1, 2, std::vector<float>{1, 2});
    loaded.load(graph.save());
    CHECK(loaded.save() == graph.save());
    CHECK((std::get<std::string>(loaded.input(1, 1)) == "text" && loaded.input(1, 2) == graph.input(1, 2)));
}

TEST_CASE("DataflowGraph: an empty graph, and a node without pins, survive both ways", "[graph]") {
    Graph graph, other;
    Ids ids;
    other.add("gone", 1, 1);
    other.restore(graph.snapshot());
    CHECK(other.empty());
    ids.insert(PublicId{0, 1}, graph.add("alone", 0, 0));
    Ids loaded;
    other.load(graph.save(ids), loaded);
    CHECK(other.at(loaded.handle_of(PublicId{0, 1})) == "alone");
    CHECK(other.check_invariants());
}
