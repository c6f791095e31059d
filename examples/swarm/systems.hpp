// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The components and the seven systems of the well-known ecs_benchmark, as plain structs and functions that know of no
// container. Changed are three things that would measure something else: what is drawn are counts in a grid, not text; the time
// step is a power of two and all numbers are multiples of one, so that each container and compiler gets the same; and one small
// generator of random numbers serves all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace swarm {

inline constexpr float dt = 1.0f / 64;

// xoshiro128** (D. Blackman, S. Vigna, 2018), seeded by a step of splitmix64.
struct Random {
    std::array<std::uint32_t, 4> state{};

    static Random of(std::uint64_t seed) noexcept {
        Random random;
        for (std::uint32_t& word : random.state) {
            seed += 0x9E3779B97F4A7C15u;
            std::uint64_t z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
            word = static_cast<std::uint32_t>(z >> 32);
        }
        return random;
    }
    std::uint32_t next() noexcept {
        const std::uint32_t five = state[1] * 5, result = (five << 7 | five >> 25) * 9, shifted = state[1] << 9;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3] << 11 | state[3] >> 21;
        return result;
    }
    // One of first, ..., last.
    std::int32_t between(std::int32_t first, std::int32_t last) noexcept {
        return first + static_cast<std::int32_t>(next() % static_cast<std::uint32_t>(last - first + 1));
    }
};

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Data {
    std::int32_t thing;
    double ding;
    bool ming;
    std::uint32_t seed;
    Random random;
    std::uint32_t number;
};
enum class Status : std::int32_t { spawned, dead, alive };
struct Health {
    std::int32_t points, most;
    Status status;
};
struct Damage {
    std::int32_t attack, defence;
};
enum class Role : std::int32_t { monster, hero, other };
struct Player {
    Random random;
    Role role;
};
struct Sprite {
    char character;
};
inline constexpr std::size_t bytes =
    sizeof(Position) + sizeof(Velocity) + sizeof(Data) + sizeof(Health) + sizeof(Damage) + sizeof(Player) + sizeof(Sprite);

// What the sprites are drawn into: the sum of the characters in a cell, so that their order does not matter.
class Frame {
public:
    static constexpr std::int32_t width = 320, height = 240;

    void clear() noexcept { cells_.fill(0); }
    void draw(std::int32_t x, std::int32_t y, char character) noexcept {
        if (x >= 0 && x < width && y >= 0 && y < height)
            cells_[static_cast<std::size_t>(y * width + x)] += static_cast<std::uint32_t>(character);
    }
    // Of all frames since the last one, in their order.
    std::uint64_t digest(std::uint64_t before = 0) const noexcept {
        for (const std::uint32_t cell : cells_) before = (before ^ cell) * 0x100000001B3u;
        return before;
    }

private:
    std::array<std::uint32_t, width * height> cells_{};
};

//=== the i-th entity at first ===//

struct Unit {
    Position position;
    Velocity velocity{0, 0};
    Data data;
    Health health;
    Damage damage;
    Player player;
    Sprite sprite{' '};
};
inline Unit unit(std::uint64_t i) noexcept {
    Random random = Random::of(i);
    Unit unit{};
    unit.position = {static_cast<float>(random.between(0, Frame::width - 1)),
                     static_cast<float>(random.between(0, Frame::height - 1))};
    unit.data.seed = static_cast<std::uint32_t>(i);
    unit.data.random = Random::of(i + 1);
    unit.player.random = random;
    const std::uint32_t kind = random.next() % 100;
    unit.player.role = kind < 3 ? Role::hero : kind < 70 ? Role::monster : Role::other;
    unit.health.most = kind < 3 ? random.between(5, 15) : kind < 70 ? random.between(4, 12) : random.between(6, 12);
    unit.health.points = unit.health.most;
    unit.damage.attack = kind < 3 ? random.between(4, 10) : kind < 70 ? random.between(3, 9) : 0;
    unit.damage.defence = kind < 3 ? random.between(2, 6) : kind < 70 ? random.between(2, 8) : random.between(3, 8);
    return unit;
}
// What a mixed swarm lacks: in the third quarter, of each tenth entity, one of three components now and then.
enum Lacks : unsigned { lacks_nothing = 0, lacks_position = 1, lacks_velocity = 2, lacks_data = 4 };
inline unsigned lacks(std::size_t i, std::size_t n) noexcept {
    if (i < n / 2 || i >= n / 4 * 3 || i % 10 != 0) return lacks_nothing;
    const std::size_t nth = i / 10;
    return (nth % 7 == 0 ? lacks_position : 0u) | (nth % 11 == 0 ? lacks_velocity : 0u) | (nth % 13 == 0 ? lacks_data : 0u);
}

//=== the systems ===//

inline void move(Position& position, const Velocity& velocity) noexcept {
    position.x += velocity.x * dt;
    position.y += velocity.y * dt;
}
inline void vary(Data& data) noexcept {
    data.thing = (data.thing + 1) % 1'000'000;
    data.ding += 1.0 / 1024 * static_cast<double>(dt);
    data.ming = !data.ming;
    data.number = data.random.next();
}
inline void steer(const Position& position, Velocity& velocity, Data& data) noexcept {
    if (data.thing % 10 != 0) return;
    const auto fast = static_cast<float>(data.random.between(3, 19) - 10), slow = static_cast<float>(data.random.between(0, 5));
    velocity = position.x > position.y ? Velocity{fast, slow} : Velocity{slow, fast};
}
inline void live(Health& health) noexcept {
    if (health.points <= 0 && health.status != Status::dead)
        health = {0, health.most, Status::dead};
    else if (health.status == Status::dead && health.points == 0)
        health = {health.most, health.most, Status::spawned};
    else
        health.status = Status::alive;
}
inline void fight(Health& health, const Damage& damage) noexcept {
    const std::int32_t hit = damage.attack - damage.defence;
    if (health.points > 0 && hit > 0) health.points = health.points > hit ? health.points - hit : 0;
}
inline void dress(Sprite& sprite, const Player& player, const Health& health) noexcept {
    switch (health.status) {
    case Status::alive:
        sprite.character = player.role == Role::hero ? '@' : player.role == Role::monster ? 'k' : 'h';
        break;
    case Status::dead:
        sprite.character = '|';
        break;
    case Status::spawned:
        sprite.character = '_';
        break;
    }
}
inline void draw(Frame& frame, const Position& position, const Sprite& sprite) noexcept {
    frame.draw(static_cast<std::int32_t>(position.x), static_cast<std::int32_t>(position.y), sprite.character);
}

} // namespace swarm
