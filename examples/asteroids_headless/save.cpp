// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The world as bytes, as a number, and back from untrusted bytes.

#include "world.hpp"

#include <type_traits>
#include <utility>

namespace asteroids {
namespace {

using slotwise::ByteReader;
using slotwise::ByteWriter;

constexpr std::uint32_t magic = 0x3154'5341; // "AST1"

/// Numbers go out lowest byte first, and padding not at all: a checksum is the same on every machine.
struct Put {
    ByteWriter& out;
    template <class T>
    void operator()(const T& field) const {
        if constexpr (std::is_unsigned_v<T>)
            out.number(field);
        else if constexpr (std::is_integral_v<T>)
            out.number(static_cast<std::make_unsigned_t<T>>(field));
        else if constexpr (std::is_enum_v<T>)
            out.number(static_cast<std::underlying_type_t<T>>(field));
        else if constexpr (slotwise::AnyHandle<T>)
            out.number(field.to_bits());
        else if constexpr (std::is_same_v<T, Fixed>)
            (*this)(field.raw);
        else
            each_field(field, *this);
    }
};

struct Get {
    ByteReader& in;
    template <class T>
    void operator()(T& field) const {
        if constexpr (std::is_integral_v<T>)
            field = static_cast<T>(in.number<std::make_unsigned_t<T>>());
        else if constexpr (std::is_enum_v<T>)
            field = static_cast<T>(in.number<std::underlying_type_t<T>>());
        else if constexpr (slotwise::AnyHandle<T>)
            field = T::from_bits(in.number<typename T::bits_type>());
        else if constexpr (std::is_same_v<T, Fixed>)
            (*this)(field.raw);
        else
            each_field(field, *this);
    }
};

/// How the library's snapshot() and restore() turn components into bytes and back.
struct Codec {
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        Put{out}(value);
    }
    template <class T>
    static T read(ByteReader& in) {
        T value{};
        Get{in}(value);
        if (in.error() == nullptr && !sound(value)) in.fail("asteroids: a value that no world has");
        return value;
    }
};

/// A snapshot of a container is a part of the whole: it goes in with its length.
void put_part(ByteWriter& out, const std::vector<std::byte>& part) {
    out.number(static_cast<std::uint32_t>(part.size()));
    out.raw(part.data(), part.size());
}
std::span<const std::byte> get_part(ByteReader& in) { return in.raw(in.number<std::uint32_t>()); }

template <class Map>
void put_component(ByteWriter& out, const Map& component) {
    out.number(static_cast<std::uint32_t>(component.size()));
    component.for_each([&](Thing thing, const auto& value) { Put{out}(thing), Put{out}(value); });
}
template <class Map>
void get_component(ByteReader& in, const Bodies& bodies, Map& component) {
    for (auto left = in.number<std::uint32_t>(); left != 0 && in.error() == nullptr; --left) {
        Thing thing;
        Get{in}(thing);
        const auto value = Codec::read<typename Map::value_type>(in);
        if (in.error() != nullptr) return;
        if (!bodies.contains(thing) || !component.insert(thing, value).inserted)
            in.fail("asteroids: a component of a thing that is not there, or one twice");
    }
}

} // namespace

/// What is saved besides the two maps that have a snapshot of their own.
template <class Self, class F>
void World::each_scalar(Self& self, F&& f) {
    f(self.tick_), f(self.ship_), f(self.ship_due_), f(self.random_.state), f(self.tally_);
}

std::uint64_t World::checksum() const {
    ByteWriter out;
    each_scalar(*this, Put{out});
    for (const auto [thing, body] : bodies_.items()) Put{out}(thing), Put{out}(body);
    each_component(*this, [&](const auto& component) { put_component(out, component); });
    particles_.for_each([&](Spark spark, const Place& place, const Drift& drift, const Glow& glow) {
        Put{out}(spark), Put{out}(place), Put{out}(drift), Put{out}(glow);
    });
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325u; // FNV-1a
    for (const std::byte byte : out.take()) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100'0000'01B3u;
    return hash;
}

std::vector<std::byte> World::save() const {
    ByteWriter out;
    out.number(magic);
    each_scalar(*this, Put{out});
    put_part(out, bodies_.snapshot(Codec()));
    each_component(*this, [&](const auto& component) { put_component(out, component); });
    put_part(out, particles_.snapshot(Codec()));
    return out.take();
}

const char* World::load(std::span<const std::byte> bytes) {
    World fresh(0); // takes this one's place when all is well
    ByteReader in(bytes);
    if (in.number<std::uint32_t>() != magic) return "asteroids: these bytes are no world";
    each_scalar(fresh, Get{in});
    // The components follow: they drop what they have of the old bodies.
    if (const char* error = fresh.bodies_.try_restore(get_part(in), Codec())) return error;
    each_component(fresh, [&](auto& component) { get_component(in, fresh.bodies_, component); });
    if (const char* error = fresh.particles_.try_restore(get_part(in), Codec())) return error;
    if (in.error() != nullptr) return in.error();
    if (in.left() != 0) return "asteroids: there are more bytes than the world needs";
    if (!fresh.sound()) return "asteroids: things that do not have what their kind has";
    *this = std::move(fresh); // attachments go along
    return nullptr;
}

bool World::sound() const {
    std::size_t rocks = 0, bullets = 0, armed = 0, shields = 0;
    bool fits = bodies_.check_invariants() && particles_.check_invariants();
    each_component(*this, [&](const auto& component) { fits = fits && component.check_invariants() && component.attached(); });
    for (const auto [thing, body] : bodies_.items()) {
        const bool gunner = body.kind == Kind::ship || body.kind == Kind::turret;
        fits = fits && asteroids::sound(body) && rocks_.contains(thing) == (body.kind == Kind::rock) &&
               bullets_.contains(thing) == (body.kind == Kind::bullet) && guns_.contains(thing) == gunner &&
               (seekers_.contains(thing) || !gunner) && !(seekers_.contains(thing) && body.kind == Kind::bullet);
        rocks += rocks_.contains(thing), bullets += bullets_.contains(thing), armed += guns_.contains(thing);
        shields += shields_.contains(thing);
    }
    const Body* const ship = bodies_.get(ship_);
    return fits && rocks == rocks_.size() && bullets == bullets_.size() && armed == guns_.size() &&
           shields == shields_.size() && (ship == nullptr || ship->kind == Kind::ship) && random_.state != 0 &&
           within(ship_due_, 0, longest_life);
}

} // namespace asteroids
