// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Two million entities and seven systems, without a window: swarm [entities] [frames]. The same systems run over plain arrays,
// one a component; both must draw the same frames. Printed are milliseconds a frame for each system, of the arrays in
// parentheses.

#include "systems.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using namespace swarm;

constexpr const char* names[] = {"move", "vary", "steer", "live", "fight", "dress", "draw"};
using Times = std::array<double, std::size(names)>;

// Adds the milliseconds that f took.
template <class F>
void timed(double& milliseconds, F&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

class Store {
public:
    explicit Store(std::size_t count) {
        for (std::size_t i = 0; i != count; ++i) {
            const Unit each = unit(i);
            store_.spawn(each.position, each.velocity, each.data, each.health, each.damage, each.player, each.sprite);
        }
    }
    void run(Times& times, Frame& frame) {
        timed(times[0], [&] { store_.query<Position, const Velocity>().for_each(&move); });
        timed(times[1], [&] { store_.query<Data>().for_each(&vary); });
        timed(times[2], [&] { store_.query<const Position, Velocity, Data>().for_each(&steer); });
        timed(times[3], [&] { store_.query<Health>().for_each(&live); });
        timed(times[4], [&] { store_.query<Health, const Damage>().for_each(&fight); });
        timed(times[5], [&] { store_.query<Sprite, const Player, const Health>().for_each(&dress); });
        timed(times[6], [&] {
            store_.query<const Position, const Sprite>().for_each(
                [&](const Position& position, const Sprite& sprite) { draw(frame, position, sprite); });
        });
    }

private:
    slotwise::ArchetypeStore store_;
};

class Arrays {
public:
    explicit Arrays(std::size_t count) {
        for (std::size_t i = 0; i != count; ++i) {
            const Unit each = unit(i);
            positions_.push_back(each.position);
            velocities_.push_back(each.velocity);
            data_.push_back(each.data);
            healths_.push_back(each.health);
            damages_.push_back(each.damage);
            players_.push_back(each.player);
            sprites_.push_back(each.sprite);
        }
    }
    void run(Times& times, Frame& frame) {
        const std::size_t n = positions_.size();
        const auto each = [n](double& time, auto&& f) {
            timed(time, [&] {
                for (std::size_t i = 0; i != n; ++i) f(i);
            });
        };
        each(times[0], [&](std::size_t i) { move(positions_[i], velocities_[i]); });
        each(times[1], [&](std::size_t i) { vary(data_[i]); });
        each(times[2], [&](std::size_t i) { steer(positions_[i], velocities_[i], data_[i]); });
        each(times[3], [&](std::size_t i) { live(healths_[i]); });
        each(times[4], [&](std::size_t i) { fight(healths_[i], damages_[i]); });
        each(times[5], [&](std::size_t i) { dress(sprites_[i], players_[i], healths_[i]); });
        each(times[6], [&](std::size_t i) { draw(frame, positions_[i], sprites_[i]); });
    }

private:
    std::vector<Position> positions_;
    std::vector<Velocity> velocities_;
    std::vector<Data> data_;
    std::vector<Health> healths_;
    std::vector<Damage> damages_;
    std::vector<Player> players_;
    std::vector<Sprite> sprites_;
};

} // namespace

int main(int argc, char** argv) {
    const auto argument = [&](int i, std::size_t otherwise) {
        return argc > i ? static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)) : otherwise;
    };
    const std::size_t count = argument(1, 2'000'000), frames = argument(2, 20);
    if (frames == 0) {
        std::fprintf(stderr, "usage: swarm [entities] [frames, at least 1]\n");
        return 2;
    }

    double made = 0;
    std::unique_ptr<Store> store;
    timed(made, [&] { store = std::make_unique<Store>(count); });
    std::printf("%zu entities of %zu bytes, made in %.0f ms, %zu frames\n\n", count, bytes, made, frames);
    Arrays arrays(count);

    Times ours{}, theirs{};
    const auto frame = std::make_unique<Frame>();
    std::uint64_t digest = 0, expected = 0;
    for (std::size_t i = 0; i != frames; ++i) { // by turns: what disturbs the machine disturbs both
        frame->clear();
        store->run(ours, *frame);
        digest = frame->digest(digest);
        frame->clear();
        arrays.run(theirs, *frame);
        expected = frame->digest(expected);
    }

    double sum = 0, others = 0;
    for (std::size_t i = 0; i != ours.size(); ++i) {
        std::printf("%-6s %8.3f ms a frame (%.3f)\n", names[i], ours[i] / static_cast<double>(frames),
                    theirs[i] / static_cast<double>(frames));
        sum += ours[i];
        others += theirs[i];
    }
    std::printf("all    %8.3f ms a frame (%.3f)\n\ndigest %016llx\n", sum / static_cast<double>(frames),
                others / static_cast<double>(frames), static_cast<unsigned long long>(digest));
    if (digest != expected) {
        std::fprintf(stderr, "the arrays draw something else: %016llx\n", static_cast<unsigned long long>(expected));
        return 1;
    }
}
