// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A client: it begins with a snapshot of the server's world, follows the changes, and has entities of its own beside them.
#ifndef SERVER_ENTITIES_CLIENT_HPP
#define SERVER_ENTITIES_CLIENT_HPP

#include "world.hpp"

#include <cstdint>
#include <utility>

namespace server_entities {

class Client {
public:
    /// Becomes what the server has. Null on success, else what is wrong with the bytes.
    const char* join(std::span<const std::byte> whole) {
        auto& store = world.store;
        if (const char* const error = store.try_restore(whole, World::codec())) return error;
        std::vector<Entity> of_server;
        store.query<>().exclude<Shared>().for_each([&](Entity entity) { of_server.push_back(entity); });
        for (const Entity entity : of_server) store.despawn(entity);
        for (int i = 0; i != 100; ++i) effects.push_back(store.spawn(Position{static_cast<float>(i), -1}));
        return nullptr;
    }
    /// Follows the server by one tick. The bytes are not trusted: an entity that is not in the shared range is refused.
    const char* follow(std::span<const std::byte> changes) {
        auto& store = world.store;
        slotwise::ByteReader in(changes);
        store.advance();
        each(in, [&](Entity entity) { store.despawn(entity); });
        each(in, [&](Entity entity) {
            const auto value = codec_.read<Position>(in);
            if (!store.set(entity, value) && !store.spawn_at(entity, value, Health{}, Shared{}))
                in.fail("an entity that may have died before comes to life");
        });
        each(in, [&](Entity entity) { store.set(entity, codec_.read<Health>(in)); });
        each(in, [&](Entity entity) { store.set(entity, Name{codec_.read<std::string>(in)}); });
        each(in, [&](Entity entity) { store.add<Burning>(entity); });
        each(in, [&](Entity entity) { store.remove<Burning>(entity); });
        each(in, [&](Entity entity) {
            const Entity carrier = Entity::from_bits(in.number<Entity::bits_type>());
            if (carrier.is_null())
                store.unrelate(entity, world.carried_by);
            else if (store.is_alive(carrier))
                store.relate(entity, world.carried_by, carrier);
            else
                in.fail("the carrier does not live");
        });
        return in.error();
    }

    World world;
    std::vector<Entity> effects; // of this client alone

private:
    template <class F>
    void each(slotwise::ByteReader& in, F&& f) {
        for (std::size_t left = in.length(sizeof(Entity)); left != 0 && in.error() == nullptr; --left) {
            const Entity entity = Entity::from_bits(in.number<Entity::bits_type>());
            if (world.is_shared(entity))
                f(entity);
            else
                in.fail("an entity is not in the server's range");
        }
    }

    slotwise::DefaultCodec codec_;
};

} // namespace server_entities

#endif
