// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A scene of 21,020 nodes: rooms, shelves in them, things on those. Each node has a place relative to its parent, and one in the
// world, which follows from those of its ancestors. In each frame some nodes move, are hung elsewhere, or are taken away with all
// below them. Change detection finds them, and only what hangs below is computed again. The program counts these nodes; arrays that
// compute everything anew say how many there should be. Parents have their children in an order: in that they are drawn. The
// relation is sparse, because 1,020 parents would be as many tables.

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/sparse/sparse_set.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

namespace {

using namespace slotwise;

int failures = 0;
void check(bool ok, const char* what) {
    if (!ok) ++failures;
    std::cout << (ok ? "" : "WRONG: ") << what << '\n';
}

/// A place in the plane, turned by quarters: whole numbers, so that the result is the same on every machine.
struct Place {
    std::int64_t x = 0, y = 0;
    int quarters = 0;
    bool operator==(const Place&) const = default;
    /// `inner`, which is given relative to this place.
    Place operator*(const Place& inner) const {
        static constexpr int cos[] = {1, 0, -1, 0}, sin[] = {0, 1, 0, -1};
        return {x + cos[quarters] * inner.x - sin[quarters] * inner.y, y + sin[quarters] * inner.x + cos[quarters] * inner.y,
                (quarters + inner.quarters) % 4};
    }
};
struct Local {
    Place place;
};
struct World {
    Place place;
};

class Scene {
public:
    Scene() {
        store_.registry().add<Local>({.tracked = true});
        store_.registry().add<World>({.tracked = true});
    }
    /// @param parent null: a node of its own
    Entity add(Entity parent, Place local) {
        const Entity node = store_.spawn(Local{local}, World{});
        if (parent) store_.relate(node, child_of_, parent);
        return node;
    }
    void move(Entity node, std::int64_t x) { store_.at<Local>(node).place.x += x; } // access that may write counts as a change
    /// An exclusive relation: the new parent takes the place of the old one.
    void hang(Entity node, Entity parent) {
        store_.relate(node, child_of_, parent);
        store_.at<Local>(node); // its place in the world changes with its parent
    }
    /// Draws it before the others below its parent.
    void put_first(Entity node) {
        const Entity parent = store_.target(node, child_of_);
        store_.relate_before(node, child_of_, parent, *store_.sources(child_of_, parent).begin());
    }
    std::vector<Entity> below(Entity node) const {
        const auto children = store_.sources(child_of_, node);
        return {children.begin(), children.end()};
    }
    /// Whether the node may hang there: not below itself. The store refuses that in words, because the relation is acyclic.
    bool may_hang(Entity node, Entity parent) const {
        const auto above = store_.ancestors(parent, child_of_);
        return node != parent && std::find(above.begin(), above.end(), node) == above.end();
    }
    void take(Entity node) { store_.despawn(node); } // and all below it, as the relation asks for

    /// Computes the places of nodes that changed since the last frame, and of all below them, parents before children.
    void update() {
        const tick_t last = std::exchange(last_frame_, store_.tick());
        std::vector<std::pair<std::size_t, Entity>> changed;
        store_.query<const Local>().changed<Local>(last).for_each([&](Entity node, const Local&) {
            changed.push_back({depth(node), node});
        });
        std::sort(changed.begin(), changed.end());
        done_.clear();
        for (const auto& [depth, node] : changed) {
            if (done_.contains(node)) continue; // something above it changed too
            compute(node);
            store_.for_each_descendant(node, child_of_, [&](Entity below, std::size_t) { compute(below); });
        }
        drawn_ = store_.query<const World>().changed<World>(last).size(); // as a renderer would ask
        store_.advance();
    }
    std::size_t computed() const { return done_.size(); }
    std::size_t drawn() const { return drawn_; }
    std::size_t size() const { return store_.size(); }
    bool is_sound() const { return store_.check_invariants(); }
    const Place* world(Entity node) const {
        const World* const world = store_.get<World>(node);
        return world == nullptr ? nullptr : &world->place;
    }

private:
    std::size_t depth(Entity node) const {
        const auto above = store_.ancestors(node, child_of_);
        return static_cast<std::size_t>(std::distance(above.begin(), above.end()));
    }
    void compute(Entity node) {
        const Place local = std::as_const(store_).at<Local>(node).place;
        const Entity parent = store_.target(node, child_of_);
        store_.at<World>(node).place = parent ? std::as_const(store_).at<World>(parent).place * local : local;
        done_.insert(node);
    }

    ArchetypeStore store_{};
    ComponentId child_of_ = store_.registry().add_relation(
        "child of", {.sparse = true, .exclusive = true, .acyclic = true, .on_target_despawn = OnTargetDespawn::despawn});
    SparseSet<Entity> done_{};
    tick_t last_frame_ = 0;
    std::size_t drawn_ = 0;
};

/// The same scene as arrays, parents before children, all of it computed in each frame.
class Plain {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t add(std::size_t parent, Place local) {
        nodes_.push_back({parent, local, {}, true, true});
        return nodes_.size() - 1;
    }
    void move(std::size_t node, std::int64_t x) {
        nodes_[node].local.x += x;
        nodes_[node].changed = true;
    }
    void hang(std::size_t node, std::size_t parent) {
        nodes_[node].parent = parent;
        nodes_[node].changed = true;
    }
    void take(std::size_t node) { nodes_[node].lives = false; }
    /// Returns how many nodes changed, or hang below one that did.
    std::size_t update() {
        std::size_t changed = 0;
        std::vector<bool> dirty(nodes_.size());
        for (std::size_t i = 0; i != nodes_.size(); ++i) {
            Node& node = nodes_[i];
            const bool child = node.parent != none;
            if (child && !nodes_[node.parent].lives) node.lives = false;
            dirty[i] = node.lives && (std::exchange(node.changed, false) || (child && dirty[node.parent]));
            changed += dirty[i];
            node.world = child ? nodes_[node.parent].world * node.local : node.local;
        }
        return changed;
    }
    bool lives(std::size_t node) const { return nodes_[node].lives; }
    const Place& world(std::size_t node) const { return nodes_[node].world; }
    std::size_t size() const {
        return static_cast<std::size_t>(
            std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.lives; }));
    }

private:
    struct Node {
        std::size_t parent;
        Place local, world;
        bool lives, changed;
    };
    std::vector<Node> nodes_{};
};

/// Dice that fall alike on every machine.
class Dice {
public:
    std::size_t below(std::size_t end) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state_ >> 33) % end;
    }

private:
    std::uint64_t state_ = 1;
};

} // namespace

int main() {
    constexpr std::size_t rooms = 20, shelves = 50, things = 20, frames = 60;
    Scene scene;
    Plain plain;
    std::vector<Entity> nodes;
    const auto add = [&](std::size_t parent, Place local) {
        nodes.push_back(scene.add(parent == Plain::none ? Entity() : nodes[parent], local));
        plain.add(parent, local);
    };
    const auto number = [](std::size_t i, int quarters) { return Place{static_cast<std::int64_t>(i), 1, quarters}; };
    for (std::size_t i = 0; i != rooms; ++i) add(Plain::none, number(i, 1));
    for (std::size_t i = 0; i != rooms * shelves; ++i) add(i % rooms, number(i, static_cast<int>(i % 4)));
    for (std::size_t i = 0; i != rooms * shelves * things; ++i) add(rooms + i % (rooms * shelves), number(i, 3));

    constexpr std::size_t first_shelf = rooms, first_thing = rooms + rooms * shelves;
    Dice dice;
    std::size_t computed = 0, of = 0;
    bool as_many = true, drawn = true, equal = true;
    for (std::size_t frame = 0; frame != frames; ++frame) {
        const auto random = [&](std::size_t first, std::size_t count) {
            std::size_t node = first + dice.below(count);
            while (!plain.lives(node)) node = first + dice.below(count);
            return node;
        };
        const auto move = [&](std::size_t node) {
            scene.move(nodes[node], 1);
            plain.move(node, 1);
        };
        if (frame != 0) {
            for (int i = 0; i != 5; ++i) move(random(first_thing, rooms * shelves * things));
            move(random(first_shelf, rooms * shelves));
            if (frame % 10 == 0) move(random(0, rooms));
            const std::size_t thing = random(first_thing, rooms * shelves * things), to = random(first_shelf, rooms * shelves);
            scene.hang(nodes[thing], nodes[to]);
            plain.hang(thing, to);
        }
        if (frame % 7 == 6) {
            const std::size_t gone = random(first_shelf, rooms * shelves);
            scene.take(nodes[gone]);
            plain.take(gone);
        }
        scene.update();
        as_many = as_many && scene.computed() == plain.update();
        drawn = drawn && scene.drawn() == scene.computed();
        for (std::size_t node = 0; node != nodes.size(); ++node) {
            const Place* const world = scene.world(nodes[node]);
            equal = equal && (world != nullptr) == plain.lives(node) && (world == nullptr || *world == plain.world(node));
        }
        if (frame == 0) continue; // in which all is new
        computed += scene.computed();
        of += scene.size();
    }
    std::cout << scene.size() << " nodes; " << computed << " places computed in " << frames - 1 << " frames, of " << of << '\n';
    check(equal, "each node is where the arrays have it, in each frame");
    check(as_many, "as many places were computed as nodes moved, or hang below one that did");
    check(drawn, "a renderer that asks for what changed gets those");
    check(scene.size() == plain.size() && scene.size() < nodes.size(),
          "what hung below a shelf that was taken away is gone too");
    check(computed * 100 < of, "that is less than a hundredth of all");
    std::size_t room = 0;
    while (!plain.lives(room)) ++room;
    std::vector<Entity> order = scene.below(nodes[room]);
    scene.put_first(order.back());
    std::rotate(order.begin(), order.end() - 1, order.end());
    check(order.size() > 2 && scene.below(nodes[room]) == order,
          "a shelf that is put first is drawn first, the others as before");
    check(!scene.may_hang(nodes[room], order.front()) && scene.may_hang(order.front(), nodes[room]),
          "no room may hang on its own shelf");
    check(scene.is_sound(), "the store is sound");
    return failures == 0 ? 0 : 1;
}
