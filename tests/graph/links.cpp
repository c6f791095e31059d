// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Links of a DataflowGraph: many at once, in any order; asked for beforehand; refused by a rule; listed.
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <algorithm>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

using namespace slotwise;

namespace {

using Graph = DataflowGraph<int, int>;
using H = Graph::handle_type;
using Link = Graph::Link;

struct Nodes {
    explicit Nodes(std::size_t count, std::size_t inputs = 2) {
        for (std::size_t i = 0; i != count; ++i) all.push_back(graph.add(static_cast<int>(i), inputs, 1));
    }
    Link link(std::size_t from, std::size_t to, slot_t input = 0) const { return {all[from], 0, all[to], input}; }
    std::vector<H> order() const {
        std::vector<H> nodes;
        graph.for_each_in_order([&](H node, int) { nodes.push_back(node); });
        return nodes;
    }
    Graph graph{};
    std::vector<H> all{};
};

void forward(int, Graph::context_type& context) { context.set_output(0, context.input(0) + 1); }

template <class Range>
std::vector<Link> listed(const Range& links) {
    return {links.begin(), links.end()};
}

//=== a rule ===//

/// A node whose pins carry values of one type each.
struct Typed {
    char writes = 'n', reads = 'n';
    friend bool operator==(const Typed&, const Typed&) = default;
};
/// Pins of one type fit. It counts how often it is asked.
struct SameType {
    int* asked = nullptr;
    bool operator()(NodePin<Typed> output, NodePin<Typed> input) const {
        if (asked != nullptr) ++*asked;
        return output.node.writes == input.node.reads;
    }
};
using TypedGraph = DataflowGraph<Typed, int, EqualTo, LinkIf<SameType>>;

/// By the names of pins.
struct SameName {
    template <class Node>
    bool operator()(const NodePin<Node>& output, const NodePin<Node>& input) const {
        return output.info != nullptr && input.info != nullptr &&
               output.info->outputs[output.number] == input.info->inputs[input.number];
    }
};

} // namespace

TEST_CASE("DataflowGraph: link_all makes links in any order, and the order of nodes follows", "[graph]") {
    constexpr std::size_t count = 200;
    std::mt19937 random(1);
    for (const int kind : {0, 1, 2, 3}) { // a chain, a fan, a ladder, a tree
        for (const int order : {0, 1, 2}) {
            Nodes nodes(count);
            std::vector<Link> links;
            for (std::size_t i = 1; i != count; ++i) {
                const std::size_t at = count - 1 - i; // against the order in which nodes were added
                const std::size_t source = kind == 0 ? at + 1 : kind == 1 ? count - 1 : kind == 2 ? at + 1 : (at + count) / 2;
                links.push_back(nodes.link(source, at));
                if (kind == 2 && at + 2 < count) links.push_back(nodes.link(at + 2, at, 1));
            }
            if (order == 1) std::reverse(links.begin(), links.end());
            if (order == 2) std::shuffle(links.begin(), links.end(), random);
            const auto made = nodes.graph.link_all(links);
            REQUIRE((made && made.which() == links.size() && made.path().empty()));
            REQUIRE(nodes.graph.check_invariants());
            REQUIRE(nodes.graph.links() == links.size());
            for (const Link& each : links) REQUIRE(nodes.graph.source(each.to, each.input).node == each.from);
            REQUIRE(nodes.graph.evaluate(forward).ran == count);
            if (kind == 0) REQUIRE(nodes.graph.output(nodes.all[0], 0) == static_cast<int>(count));
        }
    }
}

TEST_CASE("DataflowGraph: link_all relinks inputs, and leaves what is linked already", "[graph]") {
    Nodes nodes(4);
    auto& graph = nodes.graph;
    REQUIRE(graph.connect(nodes.all[0], 0, nodes.all[1], 0));
    REQUIRE(graph.connect(nodes.all[0], 0, nodes.all[2], 0));
    graph.evaluate(forward);
    const auto edits = graph.edits(nodes.all[1]);
    const Link same[] = {nodes.link(0, 1), nodes.link(0, 2)};
    CHECK(graph.link_all(same));
    CHECK((graph.edits(nodes.all[1]) == edits && graph.evaluate(forward).ran == 0 && graph.links() == 2));
    // Both directions of a link are changed at once: connect() could not, one after the other, in any order.
    const Link turned[] = {nodes.link(2, 0), nodes.link(3, 2), nodes.link(1, 3)};
    CHECK(!graph.link_all(turned)); // 0 -> 1 -> 3 -> 2 -> 0
    const Link freed[] = {nodes.link(3, 1), nodes.link(2, 0), nodes.link(3, 2)};
    CHECK(graph.link_all(freed));
    CHECK((graph.links() == 3 && graph.check_invariants() && graph.source(nodes.all[1], 0).node == nodes.all[3]));
    CHECK(graph.edits(nodes.all[1]) == edits + 1);
    CHECK(graph.link_all(std::span<const Link>()));
    CHECK((Graph().link_all(std::span<const Link>()) && Graph().all_links().empty()));
}

TEST_CASE("DataflowGraph: link_all is refused as a whole, and says which link, and why", "[graph]") {
    Nodes nodes(5);
    auto& graph = nodes.graph;
    const H gone = graph.add(9, 1, 1);
    graph.erase(gone);
    REQUIRE(graph.connect(nodes.all[0], 0, nodes.all[1], 0));
    const Graph before(graph);
    const auto refused = [&](std::vector<Link> links, LinkStatus status, std::size_t which) {
        const auto result = graph.link_all(links);
        CHECK((!result && result.status() == status && result.which() == which));
        CHECK((graph == before && graph.check_invariants()));
        CHECK(std::string_view(result.what()).size() > 20);
        return std::vector<H>(result.path().begin(), result.path().end());
    };
    const Link fine = nodes.link(2, 3);
    refused({fine, {gone, 0, nodes.all[1], 0}}, LinkStatus::no_source, 1);
    refused({fine, {nodes.all[1], 1, nodes.all[2], 0}}, LinkStatus::no_output, 1);
    refused({{nodes.all[1], 0, gone, 0}, fine}, LinkStatus::no_target, 0);
    refused({{nodes.all[1], 0, nodes.all[2], 2}, fine}, LinkStatus::no_input, 0);
    refused({fine, nodes.link(1, 4), nodes.link(0, 3)}, LinkStatus::twice, 2);
    refused({fine, fine}, LinkStatus::twice, 1);
    CHECK(refused({fine, nodes.link(4, 4)}, LinkStatus::cycle, 1) == std::vector<H>{nodes.all[4]});
    // The link that is there, and two new ones: which of the two is named is not said, but its ends are those of the path.
    const std::vector<Link> ring = {fine, nodes.link(1, 2), nodes.link(2, 0)};
    const auto result = graph.link_all(ring);
    REQUIRE(result.status() == LinkStatus::cycle);
    CHECK(result.path().size() == 3);
    CHECK((result.path().front() == ring[result.which()].to && result.path().back() == ring[result.which()].from));
    CHECK(graph == before);
    CHECK(std::string_view(result.what()).find("cycle") != std::string_view::npos);
    // A link that is there already is never the one that is refused.
    CHECK(graph.link_all(std::vector<Link>{nodes.link(0, 1), nodes.link(1, 0)}).which() == 1);
    // As connect() does it, a link that is refused counts after those that are made.
    CHECK((graph.connect(nodes.all[1], 0, nodes.all[2], 0) && !graph.connect(nodes.all[2], 0, nodes.all[0], 0)));
}

TEST_CASE("DataflowGraph: what was dirty stays so when link_all moves nodes", "[graph]") {
    Nodes nodes(50);
    auto& graph = nodes.graph;
    graph.evaluate(forward);
    for (std::size_t i = 0; i < 50; i += 3) graph.mark(nodes.all[i]);
    graph.set_flags(nodes.all[7], NodeFlags::always);
    std::vector<Link> links;
    for (std::size_t i = 0; i + 1 != 50; ++i) links.push_back(nodes.link(i + 1, i, 1));
    const auto which = [&] {
        std::vector<bool> would;
        for (const H node : nodes.all) would.push_back(graph.would_run(node));
        return would;
    };
    auto would = which();
    REQUIRE(graph.link_all(links));
    for (std::size_t i = 0; i != 49; ++i) would[i] = true; // they read another value now
    CHECK(which() == would);
    CHECK(graph.check_invariants());
    CHECK(graph.evaluate(forward).ran == 49); // the last is no target, and was not marked
    const auto order = nodes.order();
    CHECK(std::equal(order.begin(), order.end(), nodes.all.rbegin()));
}

TEST_CASE("DataflowGraph: would_connect answers as connect, and changes nothing", "[graph]") {
    Nodes nodes(3);
    auto& graph = nodes.graph;
    REQUIRE(graph.connect(nodes.all[1], 0, nodes.all[0], 0));
    REQUIRE(graph.connect(nodes.all[0], 0, nodes.all[2], 0));
    graph.evaluate(forward);
    const Graph before(graph);
    CHECK(graph.would_connect(nodes.all[1], 0, nodes.all[2], 1));
    CHECK(graph.would_connect(nodes.all[1], 0, nodes.all[0], 0)); // it is there
    const auto refused = graph.would_connect(nodes.all[2], 0, nodes.all[1], 0);
    CHECK((refused.status() == LinkStatus::cycle && refused.path().size() == 3 && refused.path()[1] == nodes.all[0]));
    CHECK(graph.would_connect(H(), 0, nodes.all[1], 0).status() == LinkStatus::no_source);
    CHECK(graph.would_connect(nodes.all[2], 1, nodes.all[1], 0).status() == LinkStatus::no_output);
    CHECK(graph.would_connect(nodes.all[2], 0, H(), 0).status() == LinkStatus::no_target);
    CHECK(graph.would_connect(nodes.all[2], 0, nodes.all[1], 2).status() == LinkStatus::no_input);
    CHECK((graph == before && !graph.dirty() && graph.check_invariants()));
}

TEST_CASE("DataflowGraph: a rule is asked by each verb that links, and by what reads bytes", "[graph]") {
    int asked = 0;
    TypedGraph graph{EqualTo(), SameType{&asked}};
    const auto number = graph.add({'n', 'n'}, 1, 1), text = graph.add({'t', 'n'}, 1, 1), reader = graph.add({'n', 't'}, 2, 1);
    CHECK(graph.connect(text, 0, reader, 0));
    CHECK(asked == 1);
    const auto refused = graph.connect(number, 0, reader, 0);
    CHECK((!refused && refused.status() == LinkStatus::unfit && graph.source(reader, 0).node == text));
    CHECK(std::string_view(refused.what()).find("LinkIf<P>") != std::string_view::npos);
    CHECK(graph.would_connect(number, 0, reader, 1).status() == LinkStatus::unfit);
    CHECK(graph.would_connect(text, 0, reader, 1));
    const TypedGraph::Link links[] = {{number, 0, text, 0}, {number, 0, reader, 1}};
    const auto all = graph.link_all(links);
    CHECK((!all && all.status() == LinkStatus::unfit && all.which() == 1 && graph.links() == 1));
    CHECK(asked == 6);
    CHECK(graph.connect(text, 0, reader, 9).status() == LinkStatus::no_input); // it is asked about pins that are there
    CHECK(asked == 6);

    TypedGraph other{EqualTo(), SameType{&asked}};
    CHECK(other.try_restore(graph.snapshot()) == nullptr);
    CHECK(other == graph);
    graph.at(text).writes = 'x'; // the link that is there now breaks the rule
    const char* const wrong = other.try_restore(graph.snapshot());
    REQUIRE(wrong != nullptr);
    CHECK(std::string_view(wrong).find("rule of the graph refuses") != std::string_view::npos);
    CHECK(other.at(text).writes == 't');
    // It goes with the contents, as Equal does.
    TypedGraph moved(std::move(graph));
    asked = 0;
    CHECK((!moved.connect(number, 0, reader, 0) && asked == 1));
    TypedGraph copy(moved), without;
    swap(without, copy);
    CHECK((!without.connect(number, 0, reader, 0) && asked == 2));
}

TEST_CASE("DataflowGraph: a rule may go by the names of pins, and must not change the graph", "[graph]") {
    static constexpr std::string_view colour[] = {"colour"}, pins[] = {"size", "colour"};
    static constexpr NodeInfo source{"source", {}, colour}, target{"target", pins, {}};
    DataflowGraph<int, int, EqualTo, LinkIf<SameName>> graph;
    const auto from = graph.add(1, source), to = graph.add(1, target), bare = graph.add(1, 1, 1);
    CHECK(graph.connect(from, 0, to, 1));
    CHECK(graph.connect(from, 0, to, 0).status() == LinkStatus::unfit);
    CHECK(graph.connect(from, 0, bare, 0).status() == LinkStatus::unfit);
    CHECK(sizeof(graph) == sizeof(DataflowGraph<int, int>));
}

#if defined(__cpp_exceptions)
TEST_CASE("DataflowGraph: a rule that throws changes nothing", "[graph][throws]") {
    struct Throws {
        bool operator()(NodePin<int>, NodePin<int>) const { throw 7; }
    };
    DataflowGraph<int, int, EqualTo, LinkIf<Throws>> graph;
    const auto a = graph.add(1, 1, 1), b = graph.add(1, 1, 1);
    const decltype(graph)::Link links[] = {{a, 0, b, 0}};
    CHECK_THROWS_AS(graph.connect(a, 0, b, 0), int);
    CHECK_THROWS_AS(graph.would_connect(a, 0, b, 0), int);
    CHECK_THROWS_AS(graph.link_all(links), int);
    CHECK((graph.links() == 0 && graph.check_invariants() && graph.erase(b)));
}
#endif

TEST_CASE("DataflowGraph: links are listed, all and those of a node", "[graph]") {
    Nodes nodes(4);
    auto& graph = nodes.graph;
    CHECK(graph.all_links().empty());
    const Link links[] = {nodes.link(3, 0, 1), nodes.link(0, 2), nodes.link(0, 1), nodes.link(3, 2, 1)};
    REQUIRE(graph.link_all(links));
    CHECK(listed(graph.all_links()) == std::vector<Link>{links[0], links[2], links[1], links[3]});
    CHECK(listed(graph.links_into(nodes.all[2])) == std::vector<Link>{links[1], links[3]});
    CHECK(listed(graph.links_from(nodes.all[0])) == std::vector<Link>{links[1], links[2]}); // as they were made
    CHECK(listed(graph.links_from(nodes.all[3])) == std::vector<Link>{links[0], links[3]});
    CHECK((graph.links_into(nodes.all[3]).empty() && graph.links_from(nodes.all[1]).empty()));
    CHECK((graph.links_into(H()).empty() && graph.links_from(H()).empty()));
    graph.erase(nodes.all[0]);
    CHECK(listed(graph.all_links()) == std::vector<Link>{links[3]});
    CHECK((graph.links_into(nodes.all[0]).empty() && graph.links_from(nodes.all[0]).empty()));
    // Outputs without consumers stand between others.
    const H wide = graph.add(1, 0, 5), reader = graph.add(1, 3, 0);
    CHECK((graph.connect(wide, 3, reader, 2) && graph.connect(wide, 1, reader, 0)));
    CHECK(listed(graph.links_from(wide)) == std::vector<Link>{{wide, 1, reader, 0}, {wide, 3, reader, 2}});
    // A list names what link_all() takes: a graph is copied by it.
    Graph other;
    std::vector<H> map;
    graph.for_each([&](H node, int value) {
        map.resize(std::max<std::size_t>(map.size(), node.index() + 1));
        map[node.index()] = other.add(value, graph.inputs(node), graph.outputs(node));
    });
    std::vector<Link> copied;
    for (const Link& each : graph.all_links())
        copied.push_back({map[each.from.index()], each.output, map[each.to.index()], each.input});
    CHECK((other.link_all(copied) && other.links() == graph.links()));
    static_assert(std::ranges::forward_range<decltype(graph.all_links())> && std::ranges::view<decltype(graph.all_links())> &&
                  std::ranges::borrowed_range<decltype(graph.links_from(wide))>);
}

TEST_CASE("DataflowGraph: nodes are walked as elements of other containers are", "[graph]") {
    Nodes nodes(5);
    auto& graph = nodes.graph;
    graph.erase(nodes.all[1]);
    int sum = 0;
    for (int& node : graph) sum += node++;
    CHECK(sum == 0 + 2 + 3 + 4);
    for (auto [node, value] : graph.items()) CHECK(&value == graph.get(node));
    const Graph& read = graph;
    std::vector<H> handles;
    for (const H node : read.handles()) handles.push_back(node);
    CHECK(handles == std::vector<H>{nodes.all[0], nodes.all[2], nodes.all[3], nodes.all[4]});
    std::size_t count = 0;
    for (const auto& [node, value] : read.items()) count += value == *read.get(node);
    for (const int& node : read) count += node != 0;
    CHECK((count == 8 && read.items().size() == 4 && read.handles().size() == 4));
    static_assert(std::is_same_v<decltype(*read.begin()), const int&> && std::is_same_v<decltype(*graph.begin()), int&>);
    static_assert(std::ranges::bidirectional_range<Graph> && std::ranges::view<decltype(read.items())>);
    for (const int node : std::views::reverse(read)) {
        CHECK(node == 5);
        break;
    }
    DataflowGraph<test::NonMovable, int> pinned;
    pinned.emplace(0, 1, 3);
    for (test::NonMovable& node : pinned) CHECK(node.value() == 3);
}
