// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The world: things in a SlotMap, what only some have in SecondaryMaps, particles in columns. step() is one tick of a fixed
// length.

#pragma once

#include "components.hpp"
#include "grid.hpp"

#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace asteroids {

/// What has happened so far; a part of the world.
struct Tally {
    std::uint32_t waves = 0, ships_lost = 0, turrets_lost = 0, rocks_broken = 0, shots = 0;
    std::uint32_t peak_bodies = 0, peak_particles = 0;
    // Handles that were looked up after what they named had gone, and found nothing.
    std::uint32_t targets_gone = 0;  ///< a seeker's target
    std::uint32_t shooters_gone = 0; ///< who had fired the bullet that hit
    std::uint32_t sparks_gone = 0;   ///< a bullet's tracer, burnt out or pushed out by newer particles
    std::uint32_t late_touches = 0;  ///< events of a tick about a thing that an earlier one had destroyed

    std::uint32_t gone_stale() const { return targets_gone + shooters_gone + sparks_gone + late_touches; }
    friend bool operator==(const Tally&, const Tally&) = default;
};

template <class F>
void each_field(is<Tally> auto& t, F&& f) {
    f(t.waves), f(t.ships_lost), f(t.turrets_lost), f(t.rocks_broken), f(t.shots), f(t.peak_bodies), f(t.peak_particles);
    f(t.targets_gone), f(t.shooters_gone), f(t.sparks_gone), f(t.late_touches);
}

class World {
public:
    explicit World(std::uint64_t seed);
    /// A fixed step: think, shoot, move, touch, and what comes of it.
    void step();

    //=== looking at it ===//

    std::uint32_t tick() const { return tick_; }
    const Tally& tally() const { return tally_; }
    const Bodies& bodies() const { return bodies_; }
    const Particles& particles() const { return particles_; }
    Thing ship() const { return ship_; }
    bool shielded(Thing thing) const { return shields_.contains(thing); }
    bool seeking(Thing thing) const { return seekers_.contains(thing); }
    /// Handles that resolve to what they cannot have been taken from: none, as long as no stale one resolves.
    std::size_t strangers() const;
    std::size_t rocks() const { return rocks_.size(); }
    std::size_t turrets() const { return guns_.size() - guns_.contains(ship_); }

    //=== save.cpp ===//

    /// A number made of every field of everything, the same on every machine.
    std::uint64_t checksum() const;
    /// The whole world as bytes, which load() makes the very same world of: it gives the same handles from then on.
    std::vector<std::byte> save() const;
    /// Replaces this world by a saved one. Null, or what is wrong with the bytes; the world is then as before.
    const char* load(std::span<const std::byte> bytes);
    /// Whether components and kinds agree, and all containers with themselves.
    bool sound() const;

private:
    template <class T>
    using Component = slotwise::SecondaryMap<Thing, T>;

    // Two things that touched: an event, kept until all are known. When its turn comes either may be gone.
    struct Touch {
        Thing a, b;
    };
    struct Explosion {
        Vec at, speed;
        int sparks;
    };

    //=== world.cpp ===//
    Thing add_ship();
    Thing add_turret();
    Thing add_rock(Vec at, Vec heading, int size, bool homing);
    void populate();
    void move();
    void burn();
    void explode();
    Spark add_spark(Vec at, Vec speed, int life);

    //=== think.cpp ===//
    void choose_targets();
    Thing nearest(const Body& from, Thing self) const;
    void steer();
    void fire(Thing thing, Body& body, Gun& gun);

    //=== touch.cpp ===//
    void find_touches();
    void resolve_touches();
    void hit(Thing thing, const Body& by);
    void credit(const Bullet& bullet);
    void destroy(Thing thing);

    template <class Self, class F>
    static void each_component(Self& self, F&& f) {
        f(self.rocks_), f(self.seekers_), f(self.guns_), f(self.bullets_), f(self.shields_);
    }

    template <class Self, class F>
    static void each_scalar(Self& self, F&& f); // save.cpp

    // The components follow the bodies: an entry goes when its thing goes, also when the whole world is replaced.
    Bodies bodies_;
    Component<Rock> rocks_;
    Component<Seeker> seekers_;
    Component<Gun> guns_;
    Component<Bullet> bullets_;
    slotwise::SparseSecondaryMap<Thing, Shield> shields_; // few have one: packed
    Particles particles_;

    Thing ship_;
    Random random_;
    Tally tally_;
    std::uint32_t tick_ = 0;
    std::int32_t ship_due_ = 0; ///< ticks before there is a new ship

    // Lives for a tick only and is no part of the state.
    Grid grid_;
    std::vector<Touch> touches_;
    std::vector<Explosion> explosions_;
};

} // namespace asteroids
