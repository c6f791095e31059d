// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The server: it changes the world, and writes what has changed since the tick before.
#ifndef SERVER_ENTITIES_SERVER_HPP
#define SERVER_ENTITIES_SERVER_HPP

#include "world.hpp"

#include <cstdint>

namespace server_entities {

/// The parts of a message of changes, in this order. What died is not named again in the other parts.
class Server {
public:
    explicit Server(std::uint32_t seed) : random_(seed) {
        // Values that changed are found by their ticks; what is gone leaves no tick behind, so hooks keep it.
        auto& store = world.store;
        store.on_remove<Shared>([this](Entity entity) { died_.push_back(entity); });
        store.on_remove<Burning>([this](Entity entity) { extinguished_.push_back(entity); });
        const auto moved = [this](Entity entity, void*) { passed_on_.push_back(entity); };
        store.on_add(pair(world.carried_by, slotwise::any), moved);
        store.on_remove(pair(world.carried_by, slotwise::any), moved);
        for (int i = 0; i != 50; ++i) store.spawn(Position{}); // of the server alone: no client sees them
        for (int i = 0; i != 2000; ++i) spawn();
    }

    /// The whole world, for a client that joins.
    [[nodiscard]] std::vector<std::byte> whole() const { return world.store.snapshot(World::codec()); }

    /// One tick of the game; returns what a client needs to follow.
    std::vector<std::byte> step() {
        const slotwise::tick_t since = world.store.tick();
        world.store.advance();
        died_.clear();
        extinguished_.clear();
        passed_on_.clear();
        play();
        return changes(since);
    }

    World world;

private:
    std::uint32_t random(std::size_t below) {
        random_ = random_ * 1'664'525u + 1'013'904'223u;
        return static_cast<std::uint32_t>((random_ >> 8) % below);
    }
    Entity any() { return all_[random(all_.size())]; }
    void spawn() {
        const auto number = static_cast<float>(all_.size());
        const Entity entity = world.store.spawn_in(world.shared, Position{number, 0}, Health{}, Shared{});
        if (random(4) == 0) world.store.add(entity, Name{"unit " + to_string(entity)});
        all_.push_back(entity);
    }
    void play() {
        auto& store = world.store;
        for (int i = 0; i != 4; ++i) spawn();
        for (int i = 0; i != 100; ++i) store.get<Position>(any())->x += 1;
        for (int i = 0; i != 20; ++i) {
            const Entity entity = any();
            Health& health = store.at<Health>(entity);
            health.left -= 30;
            if (health.left > 0) {
                store.add<Burning>(entity);
                continue;
            }
            std::erase(all_, entity);
            store.despawn(entity);
        }
        for (int i = 0; i != 10; ++i) store.remove<Burning>(any());
        for (int i = 0; i != 10; ++i) {
            const Entity entity = any(), carrier = any();
            store.relate(entity, world.carried_by, carrier);
        }
        for (int i = 0; i != 5; ++i) store.unrelate(any(), world.carried_by);
    }

    std::vector<std::byte> changes(slotwise::tick_t since) {
        const ArchetypeStore& store = world.store;
        const auto living = [&](std::vector<Entity>& entities) {
            std::ranges::sort(entities);
            const auto twice = std::ranges::unique(entities);
            entities.erase(twice.begin(), twice.end());
            std::erase_if(entities, [&](Entity each) { return !store.is_alive(each); });
        };
        living(extinguished_);
        living(passed_on_);
        std::erase_if(extinguished_, [&](Entity each) { return store.has<Burning>(each); });
        std::vector<Entity> ignited, named;
        std::vector<Changed<Position>> moved;
        std::vector<Changed<Health>> hurt;
        store.query<const Position>().with<Shared>().changed<Position>(since).for_each(
            [&](Entity entity, const Position& value) {
                moved.push_back({entity, value});
            });
        store.query<const Health>().with<Shared>().changed<Health>(since).for_each([&](Entity entity, const Health& value) {
            hurt.push_back({entity, value});
        });
        store.query<>().with<Burning>().added<Burning>(since).for_each([&](Entity entity) { ignited.push_back(entity); });
        store.query<>().with<Shared>().with<Name>().added<Position>(since).for_each(
            [&](Entity entity) { named.push_back(entity); });

        slotwise::ByteWriter out;
        write(died_, out, [](Entity) {});
        write(moved, out, [&](const auto& each) { codec_.write(each.value, out); });
        write(hurt, out, [&](const auto& each) { codec_.write(each.value, out); });
        write(named, out, [&](Entity each) { codec_.write(store.get<Name>(each)->text, out); });
        write(ignited, out, [](Entity) {});
        write(extinguished_, out, [](Entity) {});
        write(passed_on_, out, [&](Entity each) { out.number(store.target(each, world.carried_by).to_bits()); });
        return out.take();
    }
    template <class T>
    struct Changed {
        Entity entity;
        T value;
        operator Entity() const { return entity; }
    };
    template <class Item, class F>
    static void write(const std::vector<Item>& items, slotwise::ByteWriter& out, F&& rest) {
        out.number(std::uint64_t{items.size()});
        for (const Item& each : items) {
            out.number(Entity(each).to_bits());
            rest(each);
        }
    }

    std::uint32_t random_;
    std::vector<Entity> all_;
    std::vector<Entity> died_, extinguished_, passed_on_; // in this tick
    slotwise::DefaultCodec codec_;
};

} // namespace server_entities

#endif
