// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A drawing, a scene and a patch of nodes with undo and redo: whoever keeps a handle finds the element again, also if other
// elements were inserted in between.
#include "graph_history.hpp"
#include "history.hpp"
#include "world_history.hpp"

#include <iostream>
#include <string>

namespace {

bool draw() {
    slotwise::SlotMap<std::string> shapes;
    History history(shapes);
    const auto circle = history.insert("circle");
    history.erase(circle);
    const auto box = history.insert("box");
    history.change(box, "red box");
    history.undo(), history.undo(), history.undo();
    bool right = shapes.size() == 1 && shapes[circle] == "circle" && !shapes.contains(box);
    history.redo(), history.redo(), history.redo();
    right = right && shapes.size() == 1 && shapes[box] == "red box" && !shapes.contains(circle);
    std::cout << "the drawing has " << *shapes.begin() << '\n';
    return right;
}

struct Name {
    std::string text;
};

bool arrange() {
    slotwise::ArchetypeStore scene;
    using slotwise::OnTargetDespawn;
    const auto child_of =
        scene.registry().add_relation("child_of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
    const auto likes = scene.registry().add_relation("likes");
    WorldHistory history(scene, child_of, {child_of, likes});
    const auto house = history.spawn(Name{"house"}), door = history.spawn(Name{"door"}), cat = history.spawn(Name{"cat"});
    scene.relate(door, child_of, house);
    scene.relate(cat, likes, door);
    history.despawn(house);
    const auto tree = history.spawn(Name{"tree"});
    history.set(tree, Name{"old tree"});
    bool right = !scene.is_alive(door) && scene.targets(cat, likes).empty();
    history.undo(), history.undo(), history.undo();
    right = right && scene.at<Name>(door).text == "door" && scene.target(door, child_of) == house &&
            scene.target(cat, likes) == door && !scene.is_alive(tree);
    history.redo(), history.redo(), history.redo();
    std::cout << "the scene has " << scene.at<Name>(tree).text << '\n';
    return right && scene.at<Name>(tree).text == "old tree" && !scene.is_alive(house);
}

bool wire() {
    slotwise::DataflowGraph<std::string, double> patch;
    GraphHistory history(patch);
    const auto slider = history.add("slider", 1u, 1u), dial = history.add("dial", 1u, 1u);
    history.set_input(slider, 0, 2.5);
    history.connect(slider, 0, dial, 0);
    history.erase(slider);
    bool right = patch.size() == 1 && patch.links() == 0;
    history.undo();
    right = right && patch.constant(slider, 0) == 2.5 && patch.source(dial, 0).node == slider;
    std::cout << "the patch has " << patch[slider] << '\n';
    return right;
}

} // namespace

int main() {
    const bool drawn = draw(), arranged = arrange(), wired = wire();
    std::cout << (drawn && arranged && wired ? "undone and redone\n" : "wrong\n");
    return drawn && arranged && wired ? 0 : 1;
}
