// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A doubly linked list whose nodes live in one SlotMap. An element is erased in O(1) by its handle, from anywhere and without
// a walk, and a handle kept too long is refused instead of corrupting the links.

#include <slotwise/map/slot_map.hpp>

#include <cstddef>
#include <iostream>
#include <iterator>
#include <list>
#include <random>
#include <utility>
#include <vector>

namespace {

template <class T>
class LinkedList {
    struct Node;

public:
    using Handle = slotwise::Handle<LinkedList>; // a name of its own, which does not say where the nodes are

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] Handle front() const { return first_; }
    [[nodiscard]] Handle back() const { return last_; }
    [[nodiscard]] Handle next(Handle handle) const { return link(handle, &Node::next); }
    [[nodiscard]] Handle previous(Handle handle) const { return link(handle, &Node::previous); }

    /// The value, null for the handle of an element that is not here any more.
    [[nodiscard]] const T* get(Handle handle) const {
        const Node* const node = nodes_.get(handle);
        return node == nullptr ? nullptr : &node->value;
    }

    Handle push_front(T value) { return insert_between({}, std::move(value), first_); }
    Handle push_back(T value) { return insert_between(last_, std::move(value), {}); }

    /// Null, and nothing inserted, when `before` is not here any more.
    Handle insert_after(Handle before, T value) {
        const Node* const node = nodes_.get(before);
        return node == nullptr ? Handle() : insert_between(before, std::move(value), node->next);
    }

    /// @return false when the element is not here any more
    bool erase(Handle handle) {
        if (!nodes_.contains(handle)) return false;
        unlink(handle);
        return nodes_.erase(handle);
    }

    /// Moves an element behind another one of this list; every handle stays right. O(1).
    /// @return false when one of them is not here, or both are the same
    bool splice_after(Handle before, Handle moved) {
        if (before == moved || !nodes_.contains(before) || !nodes_.contains(moved)) return false;
        unlink(moved);
        link_between(before, moved, nodes_[before].next);
        return true;
    }

    /// Swaps the two links of each node. The order of slots does not matter, so this is one pass over the map.
    void reverse() {
        for (Node& node : nodes_) std::swap(node.previous, node.next);
        std::swap(first_, last_);
    }

    /// Calls visit(handle, value) from front to back. The visited element may be erased by visit.
    template <class Visit>
    void walk(Visit visit) const {
        for (Handle at = first_; const Node* node = nodes_.get(at);) {
            const Handle then = node->next; // read before visit may erase the node
            visit(at, node->value);
            at = then;
        }
    }

private:
    struct Node {
        T value;
        Handle previous; // null at the front
        Handle next;     // null at the back
    };

    Handle link(Handle handle, Handle Node::*which) const {
        const Node* const node = nodes_.get(handle);
        return node == nullptr ? Handle() : node->*which;
    }

    Handle insert_between(Handle before, T value, Handle after) {
        const Handle handle = nodes_.insert(Node{std::move(value), {}, {}});
        link_between(before, handle, after);
        return handle;
    }

    void link_between(Handle before, Handle handle, Handle after) {
        Node& node = nodes_[handle];
        node.previous = before;
        node.next = after;
        next_link(before) = handle;
        previous_link(after) = handle;
    }

    void unlink(Handle handle) {
        const Node& node = nodes_[handle];
        next_link(node.previous) = node.next;
        previous_link(node.next) = node.previous;
    }

    /// The ends need no sentinel: beyond them stand first_ and last_.
    Handle& next_link(Handle handle) { return handle.is_null() ? first_ : nodes_[handle].next; }
    Handle& previous_link(Handle handle) { return handle.is_null() ? last_ : nodes_[handle].previous; }

    slotwise::SlotMap<Node, slotwise::HandleBy<Handle>> nodes_;
    Handle first_;
    Handle last_;
};

bool check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n';
    return holds;
}

/// The same random operations on our list and on std::list, whose iterators stand for our handles.
class Comparison {
public:
    bool run(int steps) {
        for (int step = 0; ok_ && step < steps; ++step) {
            one_step();
            if (step % 50 == 0) compare();
        }
        compare();
        ok_ &= check(erased_ > static_cast<std::size_t>(steps) / 20, "enough was erased to mean something");
        std::cout << steps << " random operations, " << erased_ << " elements erased, " << list_.size() << " left\n";
        return ok_;
    }

private:
    using Handle = LinkedList<int>::Handle;
    struct Pair {
        Handle ours;
        std::list<int>::iterator theirs;
    };

    void one_step() {
        const int value = static_cast<int>(random_() % 100000);
        switch (pairs_.empty() ? random_() % 2 : random_() % 8) {
        case 0:
            pairs_.push_back({list_.push_front(value), model_.insert(model_.begin(), value)});
            break;
        case 1:
            pairs_.push_back({list_.push_back(value), model_.insert(model_.end(), value)});
            break;
        case 2:
        case 3: {
            const Pair at = any();
            pairs_.push_back({list_.insert_after(at.ours, value), model_.insert(std::next(at.theirs), value)});
            break;
        }
        case 4:
        case 5:
        case 6:
            random_() % 16 == 0 ? reverse_or_splice() : erase_any();
            break;
        default:
            reverse_or_splice();
            break;
        }
    }

    void erase_any() {
        const std::size_t at = random_() % pairs_.size();
        const Pair pair = pairs_[at];
        pairs_[at] = pairs_.back();
        pairs_.pop_back();
        model_.erase(pair.theirs);
        ok_ &= check(list_.erase(pair.ours), "a live handle erases");
        ok_ &= check(!list_.erase(pair.ours), "a stale handle erases nothing");
        ok_ &= check(list_.get(pair.ours) == nullptr, "a stale handle has no value");
        ok_ &= check(list_.insert_after(pair.ours, 0).is_null(), "nothing is inserted behind a stale handle");
        ++erased_;
    }

    void reverse_or_splice() {
        if (random_() % 4 == 0) {
            list_.reverse();
            model_.reverse();
            return;
        }
        const Pair before = any();
        const Pair moved = any();
        const bool differ = before.ours != moved.ours;
        ok_ &= check(list_.splice_after(before.ours, moved.ours) == differ, "splice refuses to move an element behind itself");
        if (differ) model_.splice(std::next(before.theirs), model_, moved.theirs);
    }

    void compare() {
        const std::vector<int> expected(model_.begin(), model_.end());
        std::vector<int> forwards;
        list_.walk([&](Handle, int value) { forwards.push_back(value); });
        std::vector<int> backwards;
        for (Handle at = list_.back(); const int* value = list_.get(at); at = list_.previous(at)) backwards.push_back(*value);
        ok_ &= check(forwards == expected && list_.size() == expected.size(), "a walk equals std::list");
        ok_ &= check(backwards == std::vector<int>(expected.rbegin(), expected.rend()), "a walk backwards equals std::list");
        for (const Pair& pair : pairs_) {
            const int* const value = list_.get(pair.ours);
            ok_ &= check(value != nullptr && *value == *pair.theirs, "every handle finds its value");
        }
    }

    Pair any() { return pairs_[random_() % pairs_.size()]; }

    LinkedList<int> list_;
    std::list<int> model_;
    std::vector<Pair> pairs_;
    std::mt19937 random_{11};
    std::size_t erased_ = 0;
    bool ok_ = true;
};

} // namespace

int main() {
    LinkedList<const char*> words;
    const auto hello = words.push_back("hello");
    const auto world = words.push_back("world");
    words.insert_after(hello, "handle");
    words.erase(world);
    words.walk([](auto handle, const char* word) { std::cout << handle << ' ' << word << '\n'; });

    bool ok = check(words.get(world) == nullptr && words.size() == 2, "an erased element is gone");
    ok &= Comparison().run(20000);
    std::cout << "check: " << (ok ? "passed" : "FAILED") << '\n';
    return ok ? 0 : 1;
}
