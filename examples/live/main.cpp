// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The world behind docs/live: fish swim to the pointer, hunters keep handles of fish, fish are eaten, and their slots go to others. As
// WebAssembly it is a module without imports, which live.js draws; here it is a program, which must count what the module counts: live [entities]
// [frames]. walks.cpp is measured on the same page.
#include "exported.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

using slotwise::Entity;
constexpr unsigned width = 960, height = 540;

// Each number is a component: SIMD instructions load arrays of it without shuffling. With structs of x and y a step took 1.7 times as long.
struct X {
    float at;
};
struct Y {
    float at;
};
struct SpeedX {
    float by;
};
struct SpeedY {
    float by;
};
struct Fish {
    unsigned number, name; // where it is in the list; another one for each fish that was ever born
    bool successor;        // born into the slot of one that was eaten
};
struct Hunter {
    Entity prey; // stale as soon as somebody has eaten it
    unsigned name = 0;
};
// A speed away from the wall that was crossed.
float turned(float speed, float at, float end) { return at < 0 ? std::abs(speed) : at > end ? -std::abs(speed) : speed; }
// From a margin to the other one and back, an integer: every compiler computes the same.
float to_and_fro(unsigned way, unsigned end) {
    const unsigned margin = end / 6, between = end - 2 * margin, at = way % (2 * between);
    return static_cast<float>(margin + (at < between ? at : 2 * between - at));
}

struct World {
    slotwise::ArchetypeStore store;
    std::vector<Entity> fish, hunters, caught;
    std::uint32_t state, names = 0, frames = 0, eaten = 0, stale = 0, mistaken = 0;
    std::uint32_t pixels[width * height]{};

    World(unsigned count, unsigned seed) : state(seed) { resize(count); }
    // One in a hundred is a hunter. The handle of a fish that is taken out goes stale with its hunters.
    void resize(unsigned count) {
        for (; fish.size() > count - count / 100; fish.pop_back()) store.despawn(fish.back());
        for (; hunters.size() > count / 100; hunters.pop_back()) store.despawn(hunters.back());
        while (fish.size() < count - count / 100) spawn(static_cast<unsigned>(fish.size()), false);
        while (hunters.size() < count / 100) {
            const float x = within(width), y = within(height); // in this order with every compiler
            hunters.push_back(store.spawn(X{x}, Y{y}, Hunter()));
        }
    }
    unsigned below(unsigned n) { return ((state = state * 1664525u + 1013904223u) >> 8) % n; }
    float within(unsigned n) { return static_cast<float>(below(n)); }
    void spawn(unsigned number, bool successor) {
        const float x = within(width), y = within(height), by_x = within(200) / 100 - 1, by_y = within(200) / 100 - 1;
        if (number == fish.size()) fish.emplace_back();
        fish[number] = store.spawn(X{x}, Y{y}, SpeedX{by_x}, SpeedY{by_y}, Fish{number, ++names, successor});
    }
    void step(float x, float y, float pull) {
        store.query<X, Y, SpeedX, SpeedY>().for_each([=](X& here_x, Y& here_y, SpeedX& speed_x, SpeedY& speed_y) {
            const float dx = x - here_x.at, dy = y - here_y.at, force = pull / (dx * dx + dy * dy + 2000);
            speed_x.by = turned(speed_x.by, here_x.at, width) * 0.998f + dx * force;
            speed_y.by = turned(speed_y.by, here_y.at, height) * 0.998f + dy * force;
            here_x.at += speed_x.by;
            here_y.at += speed_y.by;
        });
        store.query<X, Y, Hunter>().for_each([&](X& x_at, Y& y_at, Hunter& hunter) {
            const Fish* const prey = store.get<Fish>(hunter.prey); // null when eaten, also if its slot has another fish now
            if (prey == nullptr) {
                stale += hunter.prey != Entity();
                hunter.prey = fish[below(static_cast<unsigned>(hunters.size()))]; // many hunt the same one
                hunter.name = store.get<Fish>(hunter.prey)->name;
                return;
            }
            mistaken += prey->name != hunter.name;
            const float dx = store.get<X>(hunter.prey)->at - x_at.at, dy = store.get<Y>(hunter.prey)->at - y_at.at;
            const float far = std::sqrt(dx * dx + dy * dy);
            if (far < 6) return caught.push_back(hunter.prey);
            x_at.at += dx / far * 3;
            y_at.at += dy / far * 3;
        });
        for (const Entity each : caught) {
            const Fish* const gone = store.get<Fish>(each);
            if (gone == nullptr) continue; // two caught it in one step
            const unsigned number = gone->number;
            store.despawn(each);
            spawn(number, true);
            ++eaten;
        }
        caught.clear();
        ++frames;
    }
    // Colours are 0xBBGGRR. A pixel is the less transparent the more fish are there: the page is behind it, light or dark.
    void draw(std::uint32_t first, std::uint32_t successor, std::uint32_t hunter) {
        std::fill(std::begin(pixels), std::end(pixels), 0u);
        const auto dot = [this](X x_at, Y y_at, unsigned size, std::uint32_t colour, std::uint32_t opaque) {
            const float right = static_cast<float>(width - size), low = static_cast<float>(height - size);
            if (!(x_at.at >= 0 && x_at.at < right && y_at.at >= 0 && y_at.at < low)) return;
            const unsigned corner = static_cast<unsigned>(y_at.at) * width + static_cast<unsigned>(x_at.at);
            for (unsigned row = 0; row != size; ++row) {
                for (unsigned column = 0; column != size; ++column) {
                    std::uint32_t& pixel = pixels[corner + row * width + column];
                    pixel = colour | std::min((pixel >> 24) + opaque, 255u) << 24;
                }
            }
        };
        store.query<const X, const Y, const Fish>().for_each([&](X x_at, Y y_at, const Fish& each) {
            each.successor ? dot(x_at, y_at, 2, successor, 255) : dot(x_at, y_at, 1, first, 120);
        });
        store.query<const X, const Y, const Hunter>().for_each(
            [&](X x_at, Y y_at, const Hunter&) { dot(x_at, y_at, 3, hunter, 255); });
    }
};
std::unique_ptr<World> world;

} // namespace

EXPORTED(start) void start(unsigned count, unsigned seed) { world = std::make_unique<World>(count, seed); }
EXPORTED(resize) void resize(unsigned count) { world->resize(count); }
EXPORTED(step) void step(float x, float y, float pull) { world->step(x, y, pull); }
// The fish follow a point of their own.
EXPORTED(wander) void wander(float pull) {
    world->step(to_and_fro(world->frames * 3, width), to_and_fro(world->frames * 2, height), pull);
}
EXPORTED(draw) const std::uint32_t* draw(std::uint32_t first, std::uint32_t successor, std::uint32_t hunter) {
    return world->draw(first, successor, hunter), world->pixels;
}
EXPORTED(entities) unsigned entities() { return static_cast<unsigned>(world->store.size()); }
EXPORTED(frames) unsigned frames() { return world->frames; }
EXPORTED(eaten) unsigned eaten() { return world->eaten; }
EXPORTED(stale) unsigned stale() { return world->stale; }
EXPORTED(mistaken) unsigned mistaken() { return world->mistaken; }

#ifndef __wasm__
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    const unsigned count = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 50'000;
    const unsigned steps = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 300;
    start(count, 1);
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i != steps; ++i) wander(20);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    std::printf("%u entities, %u frames, %u eaten, %u stale handles found, %u taken for another\n", entities(), frames(),
                eaten(), stale(), mistaken());
    std::fprintf(stderr, "%.3f ms a step\n", time.count() / steps);
    bool sound = entities() == count && stale() != 0;
    for (const unsigned size : {count / 2, 2 * count}) { // as its slider does
        resize(size);
        for (unsigned i = 0; i != 10; ++i) wander(-200);
        sound = sound && entities() == size && world->store.check_invariants();
    }
    prepare(10'000, 50);
    sound = sound && mistaken() == 0 && walk(0) != 0 && walk(0) == walk(1) && walk(0) == walk(2);
    return std::printf("check: %s\n", sound ? "passed" : "FAILED"), sound ? 0 : 1;
}
#endif
