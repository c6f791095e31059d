// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What server and clients agree on: components, ranges of ids, and when two worlds are equal.
#ifndef SERVER_ENTITIES_WORLD_HPP
#define SERVER_ENTITIES_WORLD_HPP

#include <slotwise/ecs/archetype_store.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace server_entities {

using slotwise::ArchetypeStore;
using slotwise::ComponentId;
using slotwise::Entity;

struct Position {
    float x = 0, y = 0;
    friend bool operator==(const Position&, const Position&) = default;
};
struct Health {
    int left = 100;
    friend bool operator==(const Health&, const Health&) = default;
};
struct Name {
    std::string text;
    friend bool operator==(const Name&, const Name&) = default;
};
struct Burning {};
/// What the server shows to clients.
struct Shared {};

/// A store with these components. The ids of shared entities are issued by the server alone; a client makes others for what
/// nobody else sees.
class World {
public:
    static constexpr slotwise::slot_t first_shared = 1'000'000, last_shared = 2'000'000;

    World() {
        auto& registry = store.registry();
        registry.add<Position>("position", {.tracked = true});
        registry.add<Health>("health", {.tracked = true});
        registry.add<Burning>("burning", {.tracked = true});
        registry.add<Name>("name", {.sparse = true});
        registry.add<Shared>("shared");
        carried_by = registry.add_relation("carried by", {.exclusive = true, .switched = true});
        shared = store.add_range(first_shared, last_shared);
    }
    [[nodiscard]] bool is_shared(Entity entity) const { return entity.index() >= first_shared && entity.index() < last_shared; }
    /// For what is more than its bytes.
    [[nodiscard]] static slotwise::AnyCodec codec() {
        slotwise::AnyCodec all;
        all.add<Name>();
        return all;
    }

    /// A shared entity, as both sides see it.
    struct Row {
        Entity entity;
        Position position;
        Health health;
        std::string name;
        bool burning;
        Entity carrier;
        friend bool operator==(const Row&, const Row&) = default;
    };
    [[nodiscard]] std::vector<Row> rows() {
        std::vector<Row> all;
        store.query<const Position, const Health>().with<Shared>().for_each(
            [&](Entity entity, const Position& position, const Health& health) {
                const ArchetypeStore& seen = store;
                const Name* const name = seen.get<Name>(entity);
                all.push_back({entity, position, health, name == nullptr ? "" : name->text, seen.has<Burning>(entity),
                               seen.target(entity, carried_by)});
            });
        std::ranges::sort(all, {}, &Row::entity);
        return all;
    }

    ArchetypeStore store;
    ComponentId carried_by;
    ArchetypeStore::Range shared;
};

} // namespace server_entities

#endif
