// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>
#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/sparse/sparse_map.hpp>

using namespace slotwise;
using Id = Handle<struct Element>;

struct Owner {
    Id of;
    operator SlotMap<Owner>::handle_type() const { return {}; }
};
struct Node {
    template <class Context>
    void evaluate(Context&) {}
};

//=== an_element_that_converts_to_the_handle_is_not_passed_as_one ===//
// expect: never a value that converts to it
// lines: 45
SlotMap<Owner> map;
map.for_each([](SlotMap<Owner>::handle_type, const Owner&) {});
map.for_each([](SlotMap<Owner>::handle_type) {}); // faulty

//=== a_predicate_of_neither_form ===//
// expect: it is called as f(name, value) or f(item)
// lines: 40
SparseMap<Id, int> map;
map.erase_if([](Id, int) { return true; });
map.erase_if([](const char*) { return true; }); // faulty

//=== an_edit_that_answers_with_no_bool ===//
// expect: returns nothing, or a bool
// lines: 20
DataflowGraph<Node, int> graph;
const auto node = graph.add(Node(), 1, 1);
graph.edit_input(node, 0, [](int& value) { value = 0; });
graph.edit_input(node, 0, [](int& value) { return value = 0; }); // faulty
