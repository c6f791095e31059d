// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What things are made of. Each component lists its fields once; saving, loading and the checksum go through that list.

#pragma once

#include "fixed.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace asteroids {

enum class Kind : std::uint8_t { ship, turret, rock, bullet };

/// What every thing has. A thing is an element of a SlotMap; what else it has lies in SecondaryMaps under the same handle.
struct Body {
    Vec at, speed; ///< units, and units a tick
    Vec heading;   ///< of length one
    Fixed radius;
    std::int32_t strength = 1; ///< hits it takes
    Kind kind = Kind::rock;
    friend bool operator==(const Body&, const Body&) = default;
};
using Bodies = slotwise::SlotMap<Body>;
/// Names one thing, for ever: when it is gone the handle finds nothing, whatever lives in its slot by then.
using Thing = Bodies::handle_type;

/// Breaks in two until its size is 0.
struct Rock {
    std::int32_t size = 0;
};
/// Turns to a target until that is gone, then looks for another.
struct Seeker {
    Thing target;
    std::int32_t blind = 0; ///< ticks before it looks for the next
};
struct Gun {
    std::int32_t wait = 0; ///< ticks before it can fire again
    std::int32_t shots = 0, hits = 0;
};
/// What burns for a while and touches nothing: a row of three columns, each walked by itself.
struct Place {
    Vec at;
};
struct Drift {
    Vec speed;
};
struct Glow {
    std::int32_t life = 0;
};
using Particles = slotwise::SoaSlotMap<Place, Drift, Glow>;
using Spark = Particles::handle_type;

struct Bullet {
    Thing shooter; ///< may be gone when the bullet hits
    Spark tracer;  ///< drawn behind it; may have burnt out
    std::int32_t life = 0;
};
/// Few things have one.
struct Shield {
    std::int32_t life = 0;
};

/// The limits that hold in a world: what a saved one is measured by.
inline constexpr std::int32_t biggest_rock = 3, longest_life = 1000, most_shots = 1'000'000'000;
inline constexpr Fixed fastest = Fixed(8), widest = Fixed(26);

constexpr bool inside(Vec at) { return wrapped(at) == at; }
constexpr bool within(std::int32_t value, std::int32_t low, std::int32_t high) { return low <= value && value <= high; }
constexpr bool within(Vec v, Fixed limit) {
    return within(v.x.raw, -limit.raw, limit.raw) && within(v.y.raw, -limit.raw, limit.raw);
}

//=== what a component consists of, and which values a world can hold ===//

template <class C, class T>
concept is = std::same_as<std::remove_const_t<C>, T>;

template <class F>
void each_field(is<Vec> auto& v, F&& f) {
    f(v.x), f(v.y);
}
template <class F>
void each_field(is<Body> auto& b, F&& f) {
    f(b.at), f(b.speed), f(b.heading), f(b.radius), f(b.strength), f(b.kind);
}
template <class F>
void each_field(is<Rock> auto& r, F&& f) {
    f(r.size);
}
template <class F>
void each_field(is<Seeker> auto& s, F&& f) {
    f(s.target), f(s.blind);
}
template <class F>
void each_field(is<Gun> auto& g, F&& f) {
    f(g.wait), f(g.shots), f(g.hits);
}
template <class F>
void each_field(is<Bullet> auto& b, F&& f) {
    f(b.shooter), f(b.tracer), f(b.life);
}
template <class F>
void each_field(is<Shield> auto& s, F&& f) {
    f(s.life);
}
template <class F>
void each_field(is<Place> auto& p, F&& f) {
    f(p.at);
}
template <class F>
void each_field(is<Drift> auto& d, F&& f) {
    f(d.speed);
}
template <class F>
void each_field(is<Glow> auto& g, F&& f) {
    f(g.life);
}

constexpr bool sound(const Body& b) {
    return inside(b.at) && within(b.speed, fastest) && within(b.heading, Fixed(1)) && within(b.radius.raw, 1, widest.raw) &&
           within(b.strength, 1, 10) && b.kind <= Kind::bullet;
}
constexpr bool sound(const Rock& r) { return within(r.size, 0, biggest_rock); }
constexpr bool sound(const Seeker& s) {
    return within(s.blind, 0, longest_life);
} // any handle will do: who is gone is not found
constexpr bool sound(const Gun& g) {
    return within(g.wait, 0, longest_life) && within(g.shots, 0, most_shots) && within(g.hits, 0, most_shots);
}
constexpr bool sound(const Bullet& b) { return within(b.life, 1, longest_life); }
constexpr bool sound(const Shield& s) { return within(s.life, 1, longest_life); }
constexpr bool sound(const Place& p) { return inside(p.at); }
constexpr bool sound(const Drift& d) { return within(d.speed, fastest); }
constexpr bool sound(const Glow& g) { return within(g.life, 0, longest_life); }

} // namespace asteroids
