// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A binary search tree whose nodes live in one SlotMap and are linked by handles. No owner pointers, no new and delete, a
// tree is copied by copying the map, and a handle to an erased node is recognised instead of dangling.

#include <slotwise/map/slot_map.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace {

struct Node;
using Nodes = slotwise::SlotMap<Node>;
using NodeHandle = slotwise::HandleOf<Nodes>; // a handle may be named before its element is complete

struct Node {
    int value = 0;
    NodeHandle left; // null: no child
    NodeHandle right;
};

class Tree {
public:
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }

    /// The node of a value, null when there is none. The handle stays right until this very value is erased.
    [[nodiscard]] NodeHandle find(int value) const {
        NodeHandle at = root_;
        while (const Node* node = nodes_.get(at)) { // null resolves nowhere, so the end of a branch ends the loop
            if (value == node->value) return at;
            at = value < node->value ? node->left : node->right;
        }
        return {};
    }

    /// Also answers for handles of erased nodes, of other versions, and for null.
    [[nodiscard]] std::optional<int> value_of(NodeHandle handle) const {
        const Node* const node = nodes_.get(handle);
        return node == nullptr ? std::nullopt : std::optional(node->value);
    }

    /// The node of the value; a present value keeps the node it has.
    NodeHandle insert(int value) {
        NodeHandle* const link = link_to(value);
        if (!link->is_null()) return *link;
        // A SlotMap never moves an element, so the link stays where it is while the map grows.
        *link = nodes_.insert(Node{value, {}, {}});
        return *link;
    }

    /// @return false when the value is not in the tree
    bool erase(int value) {
        NodeHandle* const link = link_to(value);
        if (link->is_null()) return false;
        const NodeHandle gone = *link;
        const Node& node = nodes_[gone];
        if (node.left.is_null() || node.right.is_null()) {
            *link = node.left.is_null() ? node.right : node.left; // no child, or one that moves up
        } else {
            // Two children: the next larger node takes the place. It is linked in, its value is not copied over: handles
            // to it stay right, and only the handle of the erased value goes stale.
            NodeHandle* next_link = &nodes_[gone].right;
            while (!nodes_[*next_link].left.is_null()) next_link = &nodes_[*next_link].left;
            const NodeHandle next = *next_link;
            *next_link = nodes_[next].right;
            nodes_[next].left = node.left;
            nodes_[next].right = node.right; // read after *next_link was written: it may be the same link
            *link = next;
        }
        return nodes_.erase(gone);
    }

    /// Calls visit(value) in ascending order. The stack is explicit: a degenerate tree is as deep as it is large.
    template <class Visit>
    void walk(Visit visit) const {
        std::vector<NodeHandle> above;
        for (NodeHandle at = root_; !at.is_null() || !above.empty();) {
            while (!at.is_null()) {
                above.push_back(at);
                at = nodes_[at].left;
            }
            const Node& node = nodes_[above.back()];
            above.pop_back();
            visit(node.value);
            at = node.right;
        }
    }

private:
    /// Where the handle of this value stands, or would stand.
    NodeHandle* link_to(int value) {
        NodeHandle* link = &root_;
        while (Node* node = nodes_.get(*link)) {
            if (value == node->value) break;
            link = value < node->value ? &node->left : &node->right;
        }
        return link;
    }

    Nodes nodes_;
    NodeHandle root_;
};

bool check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n';
    return holds;
}

bool same(const Tree& tree, const std::set<int>& model) {
    std::vector<int> values;
    tree.walk([&](int value) { values.push_back(value); });
    return tree.size() == model.size() && values == std::vector<int>(model.begin(), model.end());
}

bool show_stale_handle() {
    Tree tree;
    for (const int value : {50, 30, 70, 20, 40, 60, 80}) tree.insert(value);
    const NodeHandle thirty = tree.find(30);
    const NodeHandle forty = tree.find(40);
    bool ok = check(tree.erase(30), "a node with two children is erased");
    const NodeHandle other = tree.insert(35); // takes the slot that became free

    std::cout << "30 was " << thirty << ", 35 is " << other << ": same slot, other version\n";
    ok &= check(other.index() == thirty.index() && other != thirty, "the slot is reused under another version");
    ok &= check(!tree.value_of(thirty), "the handle of an erased node resolves nowhere");
    ok &= check(tree.value_of(forty) == 40, "the handle of the node that moved up is still right");
    ok &= check(tree.value_of(other) == 35, "the new node is found by its handle");
    ok &= check(!tree.value_of({}), "the null handle resolves nowhere");

    const Tree copy = tree; // slots and versions are copied as they are, so the links need no translation
    ok &= check(copy.find(40) == forty && !copy.value_of(thirty), "handles mean the same in a copy");
    return ok;
}

bool compare_with_set() {
    constexpr int steps = 20000;
    constexpr std::uint32_t values = 500;
    std::mt19937 random(7);
    Tree tree;
    std::set<int> model;
    bool ok = true;
    std::size_t erased = 0;
    for (int step = 0; ok && step < steps; ++step) {
        const int value = static_cast<int>(random() % values);
        if (random() % 2 == 0) {
            tree.insert(value);
            model.insert(value);
        } else {
            const NodeHandle before = tree.find(value);
            const bool was_there = model.erase(value) == 1;
            ok &= check(tree.erase(value) == was_there, "erase tells whether the value was there");
            ok &= check(before.is_null() != was_there, "find answers null exactly for absent values");
            ok &= check(!tree.value_of(before), "no handle of an erased node resolves");
            erased += was_there ? 1U : 0U;
        }
        if (step % 100 == 0) ok &= check(same(tree, model), "an in-order walk equals std::set");
    }
    ok &= check(same(tree, model), "an in-order walk equals std::set at the end");
    ok &= check(erased > steps / 10, "enough was erased to mean something");
    std::cout << steps << " random operations, " << erased << " nodes erased, " << tree.size() << " left\n";
    return ok;
}

} // namespace

int main() {
    const bool stale = show_stale_handle();
    const bool equal = compare_with_set();
    std::cout << "check: " << (stale && equal ? "passed" : "FAILED") << '\n';
    return stale && equal ? 0 : 1;
}
