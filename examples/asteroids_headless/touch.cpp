// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What touches, and what comes of it. Events name things by handle, so one may safely be late.

#include "world.hpp"

namespace asteroids {
namespace {

constexpr bool hurt_each_other(Kind a, Kind b) {
    if (a == b) return false;
    const auto either = [&](Kind kind) { return a == kind || b == kind; };
    return either(Kind::bullet) || (either(Kind::rock) && either(Kind::ship));
}

} // namespace

void World::find_touches() {
    touches_.clear();
    grid_.fill(bodies_);
    grid_.for_each_touching([this](Thing a, const Body& body_a, Thing b, const Body& body_b) {
        if (!hurt_each_other(body_a.kind, body_b.kind)) return;
        const Bullet* const bullet = bullets_.get(body_a.kind == Kind::bullet ? a : b);
        const Thing other = body_a.kind == Kind::bullet ? b : a;
        if (bullet == nullptr || bullet->shooter != other) touches_.push_back({a, b}); // a shooter is not hit by its own bullet
    });
}

void World::resolve_touches() {
    for (const auto [a, b] : touches_) {
        const auto [body_a, body_b] = bodies_.get_many(a, b);
        if (body_a == nullptr || body_b == nullptr) { // an earlier event of this tick has destroyed it
            ++tally_.late_touches;
            continue;
        }
        // Erasing one leaves the other's address alone, but hits split rocks: the two are copied before anything happens.
        const Body copy_a = *body_a, copy_b = *body_b;
        if (const Bullet* bullet = bullets_.get(a)) credit(*bullet);
        if (const Bullet* bullet = bullets_.get(b)) credit(*bullet);
        hit(a, copy_b);
        hit(b, copy_a);
    }
}

/// The shooter is notified of it, if there still is one.
void World::credit(const Bullet& bullet) {
    if (Gun* const gun = guns_.get(bullet.shooter))
        ++gun->hits;
    else
        ++tally_.shooters_gone;
}

void World::hit(Thing thing, const Body& by) {
    Body& body = bodies_[thing];
    if (shields_.contains(thing)) return;
    if (--body.strength > 0) {
        explosions_.push_back({body.at, by.speed, 3});
        return;
    }
    if (body.kind == Kind::ship) ++tally_.ships_lost, ship_due_ = 60;
    if (body.kind == Kind::turret) ++tally_.turrets_lost;
    const auto rock = rocks_.extract(thing);
    const bool homing = seekers_.contains(thing);
    const Body last = body;
    destroy(thing);
    if (!rock) return;
    ++tally_.rocks_broken;
    if (rock->size == 0) return;
    const Vec along = unit(by.speed), across{Fixed() - along.y, along.x};
    add_rock(last.at + across * last.radius * Fixed::ratio(1, 2), unit(along + across), rock->size - 1, homing);
    add_rock(last.at - across * last.radius * Fixed::ratio(1, 2), unit(along - across), rock->size - 1,
             homing && rock->size == biggest_rock);
}

void World::destroy(Thing thing) {
    const Body& body = bodies_[thing];
    explosions_.push_back({body.at, body.speed, body.kind == Kind::bullet ? 2 : body.radius.whole()});
    bodies_.erase(thing); // and with it whatever the components have of it
}

} // namespace asteroids
