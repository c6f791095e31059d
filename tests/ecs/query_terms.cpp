// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is asked of one entity, lists of types in terms, alternatives, and what a query reads and writes.
#include "query_support.hpp"
#include "support/thrown.hpp"

#include <optional>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>

using namespace query_test;
using Catch::Matchers::Contains;

namespace {

struct Toggled {
    int value = 0;
};
struct Aside {
    int value = 0;
};
struct Marked {
    int value = 0;
};
struct Late {
    int value = 0;
};

/// Components and relations with each of the traits that decide how an entity is found.
struct Mixed {
    ArchetypeStore store{};
    ComponentId p = store.registry().id<P>(), toggled = store.registry().add<Toggled>({.toggle = true}),
                aside = store.registry().add<Aside>({.sparse = true}),
                marked = store.registry().add<Marked>({.toggle = true, .tracked = true}),
                frozen = store.registry().id<Frozen>(), likes = store.registry().add_relation("likes", {.toggle = true}),
                eats = store.registry().add_relation("eats"), mood = store.registry().add_relation("mood", {.switched = true});
    Entities entities{};

    std::vector<ComponentId> ids() const {
        return {p,
                toggled,
                aside,
                marked,
                frozen,
                pair(likes, entities[0]),
                pair(likes, entities[1]),
                pair(eats, entities[0]),
                pair(mood, entities[0]),
                pair(mood, entities[1]),
                pair(likes, any),
                pair(mood, any),
                pair(any, entities[0]),
                pair(any, any)};
    }
    /// Whether the entity has it enabled, without a query.
    bool has(Entity entity, ComponentId id) const {
        bool found = false;
        store.for_each_component(entity, [&](ComponentId each, const void*) {
            found = found || ((each == id || detail::matches_id(id, each)) && store.is_enabled(entity, each));
        });
        return found;
    }
    void change(std::mt19937& random) {
        const Entity entity = entities[random() % entities.size()];
        const ComponentId id = ids()[random() % 10];
        switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            store.add(entity, id);
            break;
        case 3:
            store.remove(entity, id);
            break;
        case 4:
        case 5:
            if (id == toggled || id == marked || id.relation_number() == likes.number())
                store.enable(entity, id, random() % 2 == 0);
            break;
        case 6:
            static_cast<void>(store.advance());
            break;
        default:
            if (store.has<Marked>(entity)) store.set(entity, Marked{1});
        }
    }
};

} // namespace

//=== one entity ===//

TEST_CASE("Query: get delivers what a walk delivers of this entity, and nothing of one that does not match", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{1, 2}, V{3, 4}), b = store.spawn(P{5, 6}), dead = store.spawn(P{}, V{});
    store.despawn(dead);
    const auto query = store.query<P, const V>();
    const auto found = query.get(a);
    STATIC_REQUIRE(std::is_same_v<decltype(found), const std::optional<std::tuple<P&, const V&>>>);
    REQUIRE(found);
    CHECK(&std::get<0>(*found) == store.get<P>(a));
    auto [p, v] = *found;
    p.x += v.x;
    CHECK(store.get<P>(a)->x == 4);
    for (const Entity other : {b, dead, Entity(), Entity(1000, 1), Entity::from_bits(~std::uint64_t{0})}) {
        CHECK(!query.get(other));
        CHECK(!query.contains(other));
    }
    CHECK(query.contains(a));
    CHECK(query.contains(a.with_user_bits(7)));
    const auto with_option = store.query<const P, Frozen>().optional<V>();
    CHECK(!with_option.get(a));
    store.add(b, Frozen{});
    store.add(a, Frozen{});
    CHECK(std::get<1>(with_option.get(b).value()) == nullptr);
    CHECK(std::get<1>(with_option.get(a).value()) == store.get<V>(a));
    CHECK(store.query<>().get(b) == std::optional<std::tuple<>>(std::tuple<>()));
}

TEST_CASE("Query: get stamps tracked components that are not const, and contains stamps nothing", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<P>({.tracked = true});
    store.registry().add<V>({.tracked = true});
    const Entity a = store.spawn(P{}, V{}), b = store.spawn(P{}, V{});
    const tick_t seen = store.advance();
    const auto query = store.query<P, const V>();
    CHECK(query.contains(a));
    CHECK(store.query<const P>().get(a));
    CHECK(std::as_const(store).query<const P>().get(a));
    CHECK(store.query<>().changed<P>(seen).empty());
    CHECK(query.get(b));
    CHECK(found(store.query<>().changed<P>(seen)) == Entities{b});
    CHECK(store.query<>().changed<V>(seen).empty());
    CHECK(store.query<>().changed<P>(seen).contains(b));
    CHECK(!store.query<const V>().changed<P>(seen).get(a));
    CHECK(!store.query<const V>().added<P>(seen).contains(b));
}

TEST_CASE("Query: a query of a const store gets components that were registered after it was made", "[ecs]") {
    ArchetypeStore store;
    const ArchetypeStore& reader = store;
    const Entity a = store.spawn(P{1, 0});
    const auto late = reader.query<const P, const Late>();
    const auto option = reader.query<const P>().optional<const Late>();
    const auto without = reader.query<const P>().exclude<Late>();
    CHECK(!late.contains(a));
    CHECK(std::get<1>(option.get(a).value()) == nullptr);
    CHECK(without.contains(a));
    CHECK(late.access().reads().size() == 1);
    store.add(a, Late{5});
    CHECK(std::get<1>(late.get(a).value()).value == 5);
    CHECK(std::get<1>(option.get(a).value())->value == 5);
    CHECK(!without.contains(a));
    CHECK(late.access().reads().size() == 2);
}

//=== lists of types ===//

TEST_CASE("Query: with and exclude take several types", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{}, V{}), b = store.spawn(P{}, V{}, Frozen{}), c = store.spawn(P{});
    CHECK(found(store.query<const P>().with<V, Frozen>()) == Entities{b});
    CHECK(found(store.query<const P>().exclude<V, Frozen>()) == Entities{c});
    CHECK(found(store.query<>().with<P, V>().exclude<const Frozen, Late>()) == Entities{a});
    CHECK(cached(store) == 3); // the same terms in one list
    CHECK(store.query<const P>().with<V, Frozen>().contains(b));
}

//=== alternatives ===//

TEST_CASE("Query: either matches entities that have at least one of the components, enabled", "[ecs]") {
    Mixed m;
    const Entity one = m.store.spawn(Toggled{}), other = m.store.spawn(Aside{}), both = m.store.spawn(Toggled{}, Aside{}),
                 none = m.store.spawn(P{});
    const auto query = m.store.query<>().either<Toggled, Aside>();
    CHECK(sorted(found(query)) == sorted({one, other, both}));
    CHECK(query.size() == 3);
    CHECK(!query.contains(none));
    m.store.disable<Toggled>(one);
    m.store.disable<Toggled>(both);
    CHECK(sorted(found(query)) == sorted({other, both}));
    m.store.remove<Aside>(both);
    CHECK(found(query) == Entities{other});
    m.store.relate(none, m.mood, one);
    m.store.relate(one, m.eats, none);
    const auto by_id = m.store.query<>().either({m.aside, pair(m.mood, one), pair(m.eats, any)});
    CHECK(sorted(found(by_id)) == sorted({other, none, one}));
    const std::vector<ComponentId> ids{m.aside, pair(any, none)};
    CHECK(sorted(found(m.store.query<>().either(ids))) == sorted({other, one}));
    CHECK(found(m.store.query<>().either({m.p})) == Entities{none});
}

TEST_CASE("Query: each either is a condition of its own", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{}, Frozen{}), b = store.spawn(V{}, Late{}), c = store.spawn(P{}, V{});
    CHECK(sorted(found(store.query<>().either<P, V>().either<Frozen, Late>())) == sorted({a, b}));
    CHECK(store.query<>().either<P, V>().size() == 3);
    CHECK(found(store.query<>().either<P, V>().exclude<Frozen, Late>()) == Entities{c});
    int chunks = 0;
    store.query<>().either<P, V>().for_each_chunk([&](std::span<const Entity>) { ++chunks; });
    CHECK(chunks == 3);
    CHECK(store.query<const P>().either<V>().first() == c);
}

TEST_CASE("Query: alternatives of types that a const store learns later belong to their either", "[ecs]") {
    ArchetypeStore store;
    const ArchetypeStore& reader = store;
    const Entity a = store.spawn(P{}), b = store.spawn(V{});
    const auto query = reader.query<>().either<Late, P>().exclude<Frozen>().either<V, Aside, P>();
    const auto never = reader.query<>().either<Late, Aside>();
    CHECK(found(query) == Entities{a});
    CHECK(found(never).empty());
    CHECK(!never.contains(a));
    store.add(b, Late{});
    CHECK(sorted(found(query)) == sorted({a, b}));
    CHECK(query.contains(b));
    CHECK(found(never) == Entities{b});
    store.add(b, Frozen{});
    CHECK(found(query) == Entities{a});
}

TEST_CASE("Query: either refuses an empty list and unknown ids in words", "[ecs]") {
    ArchetypeStore store;
    const auto query = store.query<>();
    CHECK_THAT(
        test::thrown_text<std::invalid_argument>([&] { static_cast<void>(query.either(std::span<const ComponentId>())); }),
        Contains("there are no ids"));
    CHECK_THAT(test::thrown_text<std::invalid_argument>([&] { static_cast<void>(query.either({ComponentId()})); }),
               Contains("the id is null"));
}

TEST_CASE("Query: whatever is asked, contains and get agree with the walk and with what entities have", "[ecs]") {
    std::mt19937 random(38);
    for (int world = 0; world != 40; ++world) {
        Mixed m;
        for (int i = 0; i != 24; ++i) m.entities.push_back(m.store.spawn());
        for (int step = 0; step != 150; ++step) m.change(random);
        const tick_t seen = m.store.tick();
        static_cast<void>(m.store.advance());
        for (int step = 0; step != 30; ++step) m.change(random);
        const auto ids = m.ids();
        const auto any_id = [&] { return ids[random() % ids.size()]; };
        for (int asked = 0; asked != 20; ++asked) {
            std::vector<bool> expected(m.entities.size(), true);
            const auto expect = [&](auto&& holds) {
                for (std::size_t i = 0; i != expected.size(); ++i) expected[i] = expected[i] && holds(m.entities[i]);
            };
            auto query = m.store.query<>();
            for (unsigned terms = random() % 4; terms != 0; --terms) {
                const ComponentId a = any_id(), b = any_id(), c = any_id();
                switch (random() % 5) {
                case 0:
                    query = query.with(a);
                    expect([&](Entity entity) { return m.has(entity, a); });
                    break;
                case 1:
                    query = query.exclude(a);
                    expect([&](Entity entity) { return !m.has(entity, a); });
                    break;
                case 2:
                    query = query.changed(m.marked, seen);
                    expect([&](Entity entity) {
                        return m.has(entity, m.marked) && m.store.query<>().changed(m.marked, seen).contains(entity);
                    });
                    break;
                default:
                    query = query.either({a, b, c});
                    expect([&](Entity entity) { return m.has(entity, a) || m.has(entity, b) || m.has(entity, c); });
                }
            }
            const Entities walked = sorted(found(query));
            Entities matching;
            const auto values = query.optional<const Toggled>().optional<const Aside>();
            for (std::size_t i = 0; i != expected.size(); ++i) {
                const Entity entity = m.entities[i];
                if (expected[i]) matching.push_back(entity);
                CHECK(query.contains(entity) == expected[i]);
                const auto row = values.get(entity);
                CHECK(row.has_value() == expected[i]);
                if (!row) continue;
                CHECK(std::get<0>(*row) == (m.has(entity, m.toggled) ? m.store.get<Toggled>(entity) : nullptr));
                CHECK(std::get<1>(*row) == m.store.get<Aside>(entity));
            }
            CHECK(walked == sorted(matching));
            CHECK(query.size() == matching.size());
        }
    }
}

//=== access ===//

TEST_CASE("QueryAccess: a query says which components it reads, writes and filters by", "[ecs]") {
    Mixed m;
    m.entities = {m.store.spawn(), m.store.spawn()};
    using Ids = std::vector<ComponentId>;
    const auto list = [](std::span<const ComponentId> ids) { return Ids(ids.begin(), ids.end()); };
    const QueryAccess a = m.store.query<P, const Aside, Frozen>()
                              .optional<Toggled>()
                              .exclude(m.likes, any)
                              .either({m.marked, pair(m.mood, m.entities[0])})
                              .access();
    CHECK(list(a.writes()) == Ids{m.p, m.toggled});
    CHECK(list(a.reads()) == Ids{m.aside});
    for (const ComponentId id : {m.p, m.frozen, pair(m.likes, any), m.marked, pair(m.mood, m.entities[0])})
        CHECK(std::find(a.filters().begin(), a.filters().end(), id) != a.filters().end());
    CHECK(std::is_sorted(a.filters().begin(), a.filters().end()));
    const QueryAccess up = m.store.query<P>().up<const Toggled>(m.eats).access();
    CHECK(list(up.reads()) == Ids{m.toggled});
    CHECK(std::find(up.filters().begin(), up.filters().end(), pair(m.eats, any)) != up.filters().end());
    const QueryAccess since = m.store.query<>().changed<Marked>(1).access();
    CHECK(list(since.reads()) == Ids{m.marked});
}

TEST_CASE("QueryAccess: two are in conflict where one writes what the other one reads or writes", "[ecs]") {
    Mixed m;
    const auto access = [&](auto&& query) { return query.access(); };
    const QueryAccess writes = access(m.store.query<P>()), reads = access(m.store.query<const P>()),
                      filters = access(m.store.query<>().with<P>()), others = access(m.store.query<Toggled>().exclude<P>()),
                      since = access(m.store.query<const Toggled>().changed<Marked>(1)),
                      marks = access(m.store.query<Marked>());
    CHECK(conflicts(writes, writes));
    CHECK(conflicts(writes, reads));
    CHECK(conflicts(reads, writes));
    CHECK(!conflicts(reads, reads));
    CHECK(!conflicts(writes, filters));
    CHECK(!conflicts(writes, others));
    CHECK(conflicts(since, marks));
    CHECK(conflicts(since, others));
    CHECK(!conflicts(QueryAccess(), writes));
    QueryAccess system = reads;
    system.add(others).add(others);
    CHECK(system.writes().size() == 1);
    CHECK(conflicts(system, since));
    CHECK(conflicts(system, writes));
    const Entity bob = m.store.spawn();
    CHECK(conflicts(QueryAccess::writing(pair(m.likes, any)), QueryAccess::reading(pair(m.likes, bob))));
    CHECK(!conflicts(QueryAccess::writing(pair(m.likes, any)), QueryAccess::reading(pair(m.eats, bob))));
    CHECK(conflicts(QueryAccess::reading(pair(any, bob)), QueryAccess::writing(pair(m.eats, bob))));
}
