// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A failure handler of one's own. A script with a bug uses a stale handle where a live one is required: the frame ends, the log
// says what was wrong, the world is as it was before the frame, and the game goes on. With "outside" the same happens outside
// of any frame, and the program aborts.

#include "frame.hpp"

#include <slotwise/map/slot_map.hpp>

#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

static_assert(SLOTWISE_CHECK_LEVEL > 0, "at level 0 nobody looks whether a rule is kept");

struct Monster {
    int health = 0;
};
using Monsters = slotwise::SlotMap<Monster>;
using MonsterHandle = Monsters::handle_type;

struct World {
    Monsters monsters;
    MonsterHandle boss;
};

int failed = 0;
void check(bool holds, std::string_view promise) {
    std::cout << (holds ? "  holds   " : "  FAILED  ") << promise << '\n';
    failed += !holds;
}

/// The script: hits all, and forgets that the boss may be among those who die of it.
void script(void* context) {
    World& world = *static_cast<World*>(context);
    for (Monster& monster : world.monsters) monster.health -= 40;
    world.monsters.erase_if([](const Monster& monster) { return monster.health <= 0; });
    world.monsters[world.boss].health += 5; // operator[] is for those who know; get() is for those who ask
}

} // namespace

int main(int argc, char** argv) {
    World world;
    world.monsters.insert({100});
    world.boss = world.monsters.insert({70});
    if (argc == 2 && std::string_view(argv[1]) == "outside") {
        script(&world), script(&world); // does not come back
        return 1;
    }

    int done = 0, ended = 0;
    for (int frame = 0; frame != 4; ++frame) {
        const std::vector<std::byte> before = world.monsters.snapshot();
        if (engine::run_frame(script, &world))
            ++done;
        else {
            ++ended;
            world.monsters.restore(before);
        }
    }
    check(done == 1 && ended == 3, "the first frame is done, those in which the boss dies are ended");
    check(engine::failures().size() == 3, "each is logged");
    check(engine::failures()[0].find("no element has this handle") != std::string::npos, "the log says what was wrong");
    check(world.monsters.size() == 2 && world.monsters[world.boss].health == 35, "the world is as the good frame left it");
    check(world.monsters.check_invariants(), "and sound");

    bool caught = false;
    const MonsterHandle nobody;
    try {
        world.monsters.at(nobody).health = 0;
    } catch (const std::out_of_range&) {
        caught = true;
    }
    check(caught, "errors that are no broken rule are exceptions still; without exceptions they end in the handler too");

    std::cout << "check: " << (failed == 0 ? "passed" : "FAILED") << std::endl;
    return failed == 0 ? 0 : 1;
}
