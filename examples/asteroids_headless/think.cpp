// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// How seekers find targets, turn and fire. A target is a handle: a seeker notices that its target is gone, without a
// notification.

#include "world.hpp"

#include <algorithm>

namespace asteroids {
namespace {

constexpr Fixed ship_push = Fixed::ratio(1, 12), ship_fastest = Fixed(3), rock_push = Fixed::ratio(1, 40);
constexpr Fixed bullet_speed = Fixed(6), range = Fixed(300), too_close = Fixed(70);

/// What a thing of this kind goes for.
constexpr bool wants(Kind seeker, Kind target) {
    switch (seeker) {
    case Kind::ship:
        return target == Kind::rock || target == Kind::turret;
    case Kind::turret:
        return target == Kind::ship || target == Kind::rock;
    case Kind::rock:
        return target == Kind::ship || target == Kind::turret;
    case Kind::bullet:
        break;
    }
    return false;
}

} // namespace

void World::choose_targets() {
    seekers_.for_each([this](Thing thing, Seeker& seeker) {
        if (!seeker.target.is_null() && !bodies_.contains(seeker.target)) {
            ++tally_.targets_gone;
            seeker = {{}, 15}; // a moment of surprise
        }
        if (seeker.target.is_null() && --seeker.blind <= 0) seeker = {nearest(bodies_[thing], thing), 10};
    });
}

Thing World::nearest(const Body& from, Thing self) const {
    Thing best;
    Fixed least = Fixed(field_width);
    for (const auto [thing, body] : bodies_.items()) {
        if (thing == self || !wants(from.kind, body.kind)) continue;
        const Fixed distance = length(way(from.at, body.at)) - body.radius;
        if (distance < least) least = distance, best = thing;
    }
    return best;
}

void World::steer() {
    // Whoever fires inserts a bullet: into the bodies and two components, while we walk a third. Addresses stay.
    seekers_.for_each([this](Thing thing, Seeker& seeker) {
        Body& body = bodies_[thing];
        Gun* const gun = guns_.get(thing);
        if (gun != nullptr) gun->wait = std::max(0, gun->wait - 1);
        const Body* const target = bodies_.get(seeker.target);
        if (target == nullptr) return;

        const Vec there = way(body.at, target->at);
        const Fixed distance = length(there);
        const Fixed flight = distance / bullet_speed; // ticks until a bullet is there; aim where the target will be
        const Vec aim = unit(there + (target->speed - body.speed) * flight);
        body.heading = unit(body.heading * Fixed(5) + aim);
        if (body.kind == Kind::ship) {
            const bool flee = distance - target->radius < too_close;
            body.speed = at_most(body.speed + aim * (flee ? Fixed() - ship_push : ship_push), ship_fastest);
        } else if (body.kind == Kind::rock)
            body.speed = at_most(body.speed + aim * rock_push, Fixed(2));
        if (gun != nullptr && gun->wait == 0 && distance < range && dot(body.heading, aim) > Fixed::ratio(97, 100))
            fire(thing, body, *gun);
    });
}

void World::fire(Thing thing, Body& body, Gun& gun) {
    gun.wait = body.kind == Kind::ship ? 6 : 30;
    ++gun.shots, ++tally_.shots;
    const Vec muzzle = wrapped(body.at + body.heading * (body.radius + Fixed(3)));
    const Vec speed = at_most(body.speed + body.heading * bullet_speed, fastest);
    const Spark tracer = add_spark(muzzle, {}, 75);
    bullets_.insert(bodies_.insert({muzzle, speed, body.heading, Fixed(2), 1, Kind::bullet}), {thing, tracer, 60});
}

std::size_t World::strangers() const {
    std::size_t count = 0;
    const auto kind_of = [this](Thing thing) { return bodies_[thing].kind; };
    seekers_.for_each([&](Thing thing, const Seeker& seeker) {
        count += bodies_.contains(seeker.target) && !wants(kind_of(thing), kind_of(seeker.target));
    });
    bullets_.for_each(
        [&](Thing, const Bullet& bullet) { count += bodies_.contains(bullet.shooter) && !guns_.contains(bullet.shooter); });
    return count;
}

} // namespace asteroids
