// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "world.hpp"

#include <algorithm>

namespace asteroids {
namespace {

constexpr std::size_t most_particles = 64;

} // namespace

World::World(std::uint64_t seed) : random_{seed * 2 + 1} { // odd: never zero; the top bit of a seed does not count
    each_component(*this, [this](auto& component) { component.attach_to(bodies_); });
    ship_ = add_ship();
}

void World::step() {
    ++tick_;
    populate();
    choose_targets();
    steer();
    move();
    burn();
    find_touches();
    resolve_touches();
    explode();
    tally_.peak_bodies = std::max(tally_.peak_bodies, static_cast<std::uint32_t>(bodies_.size()));
    tally_.peak_particles = std::max(tally_.peak_particles, static_cast<std::uint32_t>(particles_.size()));
}

Thing World::add_ship() {
    const Vec middle{Fixed(field_width / 2), Fixed(field_height / 2)};
    const Thing ship = bodies_.insert({middle, {}, random_.any_direction(), Fixed(8), 1, Kind::ship});
    guns_.insert(ship, {});
    seekers_.insert(ship, {});
    shields_.insert(ship, {120});
    return ship;
}

Thing World::add_turret() {
    const Thing turret = bodies_.insert({random_.any_place(), {}, random_.any_direction(), Fixed(10), 3, Kind::turret});
    guns_.insert(turret, {60});
    seekers_.insert(turret, {});
    return turret;
}

Thing World::add_rock(Vec at, Vec heading, int size, bool homing) {
    const Vec speed = heading * Fixed::ratio(6 - size + random_.below(3), 4);
    const Thing rock = bodies_.insert({wrapped(at), speed, heading, Fixed(5 + 7 * size), 1, Kind::rock});
    rocks_.insert(rock, {size});
    if (homing) seekers_.insert(rock, {});
    return rock;
}

/// A new ship when the old one has been gone for a while, a new wave when few rocks are left.
void World::populate() {
    if (!bodies_.contains(ship_)) {
        if (ship_due_ != 0)
            --ship_due_;
        else
            ship_ = add_ship(); // most likely in the old one's slot: those who aim at the old one do not aim at this
    }
    if (rocks_.size() > 16) return;
    const int count = 10 + static_cast<int>(tally_.waves++ % 5);
    for (int i = 0; i != count; ++i) {
        const Vec at = random_.any_place(); // its own statement: the order in which arguments are evaluated is the compiler's
        add_rock(at, random_.any_direction(), biggest_rock, i % 2 == 1);
    }
    if (turrets() < 4) add_turret();
}

void World::move() {
    bodies_.for_each([](Body& body) { body.at = wrapped(body.at + body.speed); });
    // A bullet drags its tracer along, if that still burns.
    bullets_.for_each([this](Thing thing, Bullet& bullet) {
        if (auto spark = particles_.get(bullet.tracer))
            spark->get<0>().at = bodies_[thing].at;
        else if (!bullet.tracer.is_null())
            bullet.tracer = {}, ++tally_.sparks_gone;
    });
    // Each column by itself: what a loop does not read it does not load.
    const auto places = particles_.column<Place>();
    const auto drifts = particles_.column<Drift>();
    for (std::size_t row = 0; row != places.size(); ++row) places[row].at = wrapped(places[row].at + drifts[row].speed);
}

/// Lifetimes run out.
void World::burn() {
    shields_.erase_if([](Thing, Shield& shield) { return --shield.life <= 0; });
    bodies_.erase_if([this](Thing thing, const Body&) { // the bullet's component goes with it
        Bullet* const bullet = bullets_.get(thing);
        return bullet != nullptr && --bullet->life <= 0;
    });
    for (Glow& glow : particles_.column<Glow>()) --glow.life;
    particles_.erase_if([](const auto& row) { return row.template get<2>().life <= 0; });
}

void World::explode() {
    for (const Explosion& explosion : explosions_)
        for (int i = 0; i != explosion.sparks; ++i) {
            const Fixed fast = Fixed::ratio(1 + random_.below(8), 4);
            const Vec away = random_.any_direction() * fast;
            add_spark(explosion.at, explosion.speed * Fixed::ratio(1, 2) + away, 10 + random_.below(30));
        }
    explosions_.clear();
}

/// When there are enough of them a new particle takes the place of the one in the first row.
Spark World::add_spark(Vec at, Vec speed, int life) {
    if (particles_.size() == most_particles) particles_.erase(particles_.begin());
    return particles_.insert(Place{at}, Drift{at_most(speed, fastest)}, Glow{life});
}

} // namespace asteroids
