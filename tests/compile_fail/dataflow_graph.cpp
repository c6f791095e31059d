// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <memory_resource>
#include <string>

using namespace slotwise;

struct Fixed {
    explicit Fixed(int) {}
};
struct NoDefault {
    explicit NoDefault(int) {}
};
struct ByText {
    std::string text{};
    bool operator()(int a, int b) const { return a == b; }
};
struct ByPointer {
    const std::string* text = nullptr;
    bool operator()(int a, int b) const { return a == b; }
};
struct ByReference {
    explicit ByReference(int) {}
    bool operator()(int a, int b) const { return a == b; }
};
struct Unordered {
    int number = 0;
    friend bool operator==(Unordered, Unordered) = default;
};
template <>
struct std::hash<Unordered> {
    std::size_t operator()(Unordered id) const { return static_cast<std::size_t>(id.number); }
};
struct Pinned {
    Pinned() = default;
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
};

//=== value_without_default ===//
// expect: Value must have a default constructor
DataflowGraph<int, std::string> graph;
DataflowGraph<int, NoDefault> other; // faulty

//=== equal_whose_copies_throw ===//
// expect: copies of Equal must not throw
DataflowGraph<int, int, ByPointer> graph;
DataflowGraph<int, int, ByText> other; // faulty

//=== ids_in_the_place_of_equal ===//
// expect: Equal is in front of IdBy<Id>
// lines: 20
DataflowGraph<int, int, EqualTo, IdBy<int>> graph;
DataflowGraph<int, int, IdBy<int>> other; // faulty
static_cast<void>(graph);

//=== options ===//
// expect: template argument Options<O>: this container has no options
DataflowGraph<int, int, EqualTo, Tag<Fixed>, AllocBy<std::allocator<int>>> graph;
DataflowGraph<int, int, EqualTo, Options<SlotMapOptions{}>> other; // faulty

//=== without_an_allocator ===//
// expect: constraint || no matching constructor || no matching function
DataflowGraph<int, int, EqualTo, AllocBy<test::Arena<int>>> graph(test::Arena<int>(nullptr));
DataflowGraph<int, int, EqualTo, AllocBy<test::Arena<int>>> other; // faulty

//=== without_an_equality ===//
// expect: constraint || no matching constructor || no matching function
DataflowGraph<int, int, ByReference> graph(ByReference(7));
DataflowGraph<int, int, ByReference> other{std::allocator<std::byte>()}; // faulty

//=== pinned_nodes_into_other_memory ===//
// expect: is_move_constructible
DataflowGraph<Pinned, int> one, two;
swap(one, two);
using Elsewhere = DataflowGraph<Pinned, int, EqualTo, AllocBy<std::pmr::polymorphic_allocator<>>>;
Elsewhere graph, other;
Elsewhere moved(std::move(graph));
moved.swap(other);                                        // faulty
moved = std::move(other);                                 // faulty
Elsewhere third(std::move(moved), other.get_allocator()); // faulty
swap(other, third);                                       // faulty

//=== node_that_cannot_move ===//
// expect: is_move_constructible
DataflowGraph<Pinned, int> graph;
graph.emplace(1, 1);
graph.add({}, 1, 1); // faulty

//=== node_of_other_arguments ===//
// expect: is_constructible
DataflowGraph<Fixed, int> graph;
graph.emplace(1, 1, 7);
graph.emplace(1, 1, "text"); // faulty

//=== input_of_another_type ===//
// expect: is_constructible
DataflowGraph<int, int> graph;
const auto node = graph.add(1, 1, 1);
graph.set_input(node, 0, 7);
graph.set_input(node, 0, "text"); // faulty

//=== output_of_another_type ===//
// expect: is_constructible
DataflowGraph<int, int> graph;
graph.add(1, 1, 1);
graph.evaluate([](int, DataflowGraph<int, int>::context_type& context) {
    context.set_output(0, 7);
    context.set_output(0, "text"); // faulty
});

//=== rule_whose_copies_throw ===//
// expect: copies of P must not throw
struct Allows {
    bool operator()(NodePin<int>, NodePin<int>) const { return true; }
};
struct ThrowingCopies : Allows {
    std::string text{};
};

DataflowGraph<int, int, EqualTo, LinkIf<Allows>> graph;
DataflowGraph<int, int, EqualTo, LinkIf<ThrowingCopies>> other; // faulty

//=== a_node_without_its_id ===//
// expect: has_ids || no matching function || constraint
DataflowGraph<int, int, EqualTo, IdBy<PublicId>> graph;
graph.add(PublicId{1, 1}, 1, 1, 1);
graph.add(1, 1, 1); // faulty

//=== an_id_where_nodes_have_none ===//
// expect: could not convert || no viable conversion || no known conversion || cannot convert
DataflowGraph<int, int> graph;
graph.mark({});
graph.mark(PublicId{1, 1}); // faulty

//=== a_file_of_ids_without_an_order ===//
// expect: DataflowGraph save(ids): ids need operator <
using Graph = DataflowGraph<int, int>;
Graph graph;
IdentityMap<std::string, Graph::handle_type> names;
static_cast<void>(graph.save(names));
IdentityMap<Unordered, Graph::handle_type> ids;
static_cast<void>(graph.save(ids)); // faulty

//=== loading_ids_without_an_order ===//
// expect: DataflowGraph load(bytes): ids need operator <
using Graph = DataflowGraph<int, int>;
Graph graph;
IdentityMap<std::string, Graph::handle_type> names;
graph.load({}, names);
IdentityMap<Unordered, Graph::handle_type> ids;
graph.load({}, ids); // faulty

//=== values_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
DataflowGraph<int, int> graph;
DataflowGraph<int, int&> references;        // faulty
static_cast<void>(references.add(1, 1, 1)); // faulty
static_cast<void>(graph);

//=== nodes_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
DataflowGraph<int, int> graph;
DataflowGraph<const int, int> constants;   // faulty
static_cast<void>(constants.add(1, 1, 1)); // faulty
static_cast<void>(graph);
