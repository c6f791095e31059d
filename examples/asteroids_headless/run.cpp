// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "run.hpp"

#include <stdexcept>
#include <string>

namespace asteroids {
namespace {

/// What a run was when this was written, on x86-64 and on a 32-bit and a big-endian machine alike.
struct Golden {
    std::uint64_t seed;
    std::uint32_t ticks;
    std::uint64_t checksum;
};
constexpr Golden golden[] = {
    {1, 10'000, 0x46eb'8b3b'4988'6a68}, {2, 10'000, 0xfb13'9b97'b2b1'91ca}, {1, 1'000, 0x2023'16c9'b2c8'561a}};

bool say(std::ostream& out, bool holds, const std::string& what) {
    out << (holds ? "  holds   " : "  FAILED  ") << what << '\n';
    return holds;
}

World restored(const World& world) {
    World other(0);
    if (const char* error = other.load(world.save())) throw std::runtime_error(error);
    return other;
}

struct Hostile {
    std::size_t tried = 0, refused = 0, valid = 0, wrong = 0;

    /// Untrusted bytes are refused and change nothing, or give a world that can go on.
    void offer(World& world, const std::vector<std::byte>& bytes) {
        ++tried;
        const std::uint64_t before = world.checksum();
        if (world.load(bytes) != nullptr) {
            ++refused;
            wrong += world.checksum() != before;
            return;
        }
        ++valid;
        for (int i = 0; i != 5; ++i) world.step();
        wrong += !world.sound();
        world = World(0);
    }
};

/// Flips a bit here and there and cuts the end off. The steps are primes, so that every field and every bit has its turn.
Hostile hostile_bytes(const World& world) {
    const auto bytes = world.save();
    Hostile result;
    World victim(0);
    for (std::size_t i = 0, bit = 0; i < bytes.size(); i += 7, bit = (bit + 3) % 8) {
        auto bad = bytes;
        bad[i] ^= std::byte{1} << bit;
        result.offer(victim, bad);
    }
    for (std::size_t length = 0; length < bytes.size(); length += 97) {
        const std::size_t refused = result.refused;
        result.offer(victim, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
        result.wrong += result.refused == refused; // a part of a world is none
    }
    return result;
}

} // namespace

Outcome run(std::uint64_t seed, std::uint32_t ticks, std::uint32_t break_at) {
    Outcome result{World(seed), 0};
    for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
        result.world.step();
        if (tick == break_at) result.world = restored(result.world);
        if (tick % 100 == 0 || tick == ticks) {
            if (!result.world.sound() || result.world.strangers() != 0)
                throw std::runtime_error("the world is not sound, or a handle found a stranger, at tick " +
                                         std::to_string(tick));
            result.checksum = (result.checksum ^ result.world.checksum()) * 0x100'0000'01B3u;
        }
    }
    return result;
}

bool check(const Outcome& straight, std::uint64_t seed, std::ostream& out) {
    const World& world = straight.world;
    const std::uint32_t ticks = world.tick();
    const Outcome broken = run(seed, ticks, ticks / 2);
    const bool same = broken.checksum == straight.checksum && broken.world.tally() == world.tally();
    bool ok = say(out, same && broken.world.bodies() == world.bodies(),
                  "saved and restored at tick " + std::to_string(ticks / 2) + ", the run ends in the same world");
    ok &= say(out, restored(world).save() == world.save(), "what is loaded is saved as the same bytes");

    for (const Golden& known : golden)
        if (known.seed == seed && known.ticks == ticks)
            ok &= say(out, known.checksum == straight.checksum, "the checksum is the one of every other machine");

    const Hostile hostile = hostile_bytes(world);
    ok &= say(out, hostile.wrong == 0 && hostile.refused != 0 && hostile.valid != 0,
              std::to_string(hostile.tried) + " times wrong bytes: " + std::to_string(hostile.refused) + " refused, " +
                  std::to_string(hostile.valid) + " gave a valid world that goes on");
    return ok;
}

} // namespace asteroids
