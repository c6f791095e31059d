// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The world behind index.html: fish swim to the pointer, hunters keep handles of fish, fish are eaten, and their slots go to others. As WebAssembly
// it is a module without imports, which live.js draws; here it is a program, which must count what the module counts: live [entities] [steps].
#ifdef __wasm__
[[noreturn]] inline void stop(const char*, const char*, int) noexcept { __builtin_trap(); }
#define SLOTWISE_FAILURE_HANDLER ::stop
#endif
#include <slotwise/ecs/archetype_store.hpp>

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
};
struct Hunter {
    Entity prey; // stale as soon as somebody has eaten it
    unsigned name = 0;
};
// A speed away from the wall that was crossed.
float turned(float speed, float at, float end) { return at < 0 ? std::abs(speed) : at > end ? -std::abs(speed) : speed; }

struct World {
    slotwise::ArchetypeStore store;
    std::vector<Entity> fish, caught;
    std::uint32_t state, names = 0, hunters, eaten = 0, stale = 0, mistaken = 0;
    std::uint32_t pixels[width * height]{};

    World(unsigned count, unsigned seed) : fish(count - count / 100), state(seed), hunters(count / 100) {
        for (unsigned i = 0; i != fish.size(); ++i) spawn(i);
        for (unsigned i = 0; i != hunters; ++i) {
            const float x = within(width), y = within(height); // in this order with every compiler
            store.spawn(X{x}, Y{y}, Hunter());
        }
    }
    unsigned below(unsigned n) { return ((state = state * 1664525u + 1013904223u) >> 8) % n; }
    float within(unsigned n) { return static_cast<float>(below(n)); }
    void spawn(unsigned number) {
        const float x = within(width), y = within(height), by_x = within(200) / 100 - 1, by_y = within(200) / 100 - 1;
        fish[number] = store.spawn(X{x}, Y{y}, SpeedX{by_x}, SpeedY{by_y}, Fish{number, ++names});
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
                hunter.prey = fish[below(hunters)]; // many hunt the same one
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
            spawn(number);
            ++eaten;
        }
        caught.clear();
    }
    void draw() {
        for (std::uint32_t& pixel : pixels) pixel = 0xFF20'1810;
        const auto dot = [this](X x_at, Y y_at, unsigned size, std::uint32_t colour) {
            const float right = static_cast<float>(width - size), low = static_cast<float>(height - size);
            if (!(x_at.at >= 0 && x_at.at < right && y_at.at >= 0 && y_at.at < low)) return;
            const unsigned first = static_cast<unsigned>(y_at.at) * width + static_cast<unsigned>(x_at.at);
            for (unsigned row = 0; row != size; ++row)
                for (unsigned column = 0; column != size; ++column) pixels[first + row * width + column] |= colour;
        };
        store.query<const X, const Y, const Fish>().for_each([&](X x_at, Y y_at, const Fish& each) {
            dot(x_at, y_at, 1, each.name > fish.size() ? 0x80'FF'40 : 0xFF'B0'30); // green: born into the slot of another
        });
        store.query<const X, const Y, const Hunter>().for_each(
            [&](X x_at, Y y_at, const Hunter&) { dot(x_at, y_at, 3, 0x40'60'FF); });
    }
};
std::unique_ptr<World> world;

} // namespace

extern "C" {
void start(unsigned count, unsigned seed) { world = std::make_unique<World>(count, seed); }
void step(float x, float y, float pull) { world->step(x, y, pull); }
const std::uint32_t* draw() { return world->draw(), world->pixels; }
unsigned entities() { return static_cast<unsigned>(world->store.size()); }
unsigned eaten() { return world->eaten; }
unsigned stale() { return world->stale; }
unsigned mistaken() { return world->mistaken; }
}

#ifndef __wasm__
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    const unsigned count = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 20'000;
    const unsigned steps = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 600;
    start(count, 1);
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i != steps; ++i) step(static_cast<float>(200 + i % 500), 270, 20);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    std::printf("%u entities, %u eaten, %u stale handles found, %u taken for another\n", entities(), eaten(), stale(),
                mistaken());
    std::fprintf(stderr, "%.3f ms a step\n", time.count() / steps);
    const bool sound = entities() == count && stale() != 0 && mistaken() == 0 && world->store.check_invariants();
    return std::printf("check: %s\n", sound ? "passed" : "FAILED"), sound ? 0 : 1;
}
#endif
