// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "query_support.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"

#include <stdexcept>
#include <string>
#include <utility>

using namespace query_test;
using Catch::Matchers::Contains;
using test::thrown_text;

TEST_CASE("Query: for_each delivers the components of every entity that has them", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{1, 2}, V{10, 20});
    store.spawn(P{5, 5});
    const Entity b = store.spawn(P{3, 4}, V{30, 40}, 7);
    const auto query = store.query<P, const V>();
    query.for_each([](P& p, const V& v) {
        p.x += v.x;
        p.y += v.y;
    });
    CHECK(store.at<P>(a).x == 11);
    CHECK(store.at<P>(b).y == 44);
    CHECK(found(query) == Entities{a, b});
    CHECK(query.size() == 2);
    CHECK(query.first() == a);
    CHECK_FALSE(query.empty());
    CHECK(store.query<P, int, Frozen>().empty());
    CHECK(store.query<P, int, Frozen>().first() == Entity());
}

TEST_CASE("Query: f gets the entity if it asks for it, and nothing of tags", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{1, 2}, Frozen{}, 3);
    store.spawn(P{1, 2}, 3);
    int calls = 0;
    store.query<P, Frozen, int>().for_each([&](Entity entity, P& p, int& number) {
        CHECK(entity == a);
        CHECK(p.x + static_cast<float>(number) == 4);
        ++calls;
    });
    store.query<Frozen>().for_each([&] { ++calls; });
    store.query<Frozen>().for_each([&](Entity entity) { calls += entity == a; });
    CHECK(calls == 3);
}

TEST_CASE("Query: a functor given by name keeps what it counts", "[ecs]") {
    struct Count {
        int calls = 0;
        void operator()(const P&) { ++calls; }
    } count;
    ArchetypeStore store;
    store.registry().add<V>({.sparse = true});
    store.spawn(P{});
    store.spawn(P{}, V{});
    store.query<P>().for_each(count);
    store.query<P>().exclude<V>().for_each(count);
    CHECK(count.calls == 3);
}

TEST_CASE("Query: with and exclude ask for components, by type and by id, and do not deliver them", "[ecs]") {
    ArchetypeStore store;
    const ComponentId burning = store.registry().add_tag("burning");
    const Entity plain = store.spawn(P{}), moving = store.spawn(P{}, V{}), frozen = store.spawn(P{}, V{}, Frozen{});
    store.add(frozen, burning);
    CHECK(found(store.query<P>().with<V>()) == Entities{moving, frozen});
    CHECK(found(store.query<P>().exclude<V>()) == Entities{plain});
    CHECK(found(store.query<P>().with<const V>().exclude<Frozen>()) == Entities{moving});
    CHECK(found(store.query<P>().with(burning)) == Entities{frozen});
    CHECK(found(store.query<P>().exclude(burning)) == Entities{plain, moving});
    CHECK(found(store.query<>().with(store.registry().id<V>()).exclude(burning)) == Entities{moving});
    CHECK(found(store.query<P>().exclude<P>()).empty());
}

TEST_CASE("Query: each term makes another query, and the one before stays as it is", "[ecs]") {
    ArchetypeStore store;
    store.spawn(P{});
    store.spawn(P{}, V{});
    const auto all = store.query<P>();
    const auto moving = all.with<V>();
    CHECK(all.size() == 2);
    CHECK(moving.size() == 1);
    CHECK(moving.exclude<V>().size() == 0);
    CHECK(moving.size() == 1);
}

TEST_CASE("Query: optional delivers a pointer, null where the component is missing", "[ecs]") {
    ArchetypeStore store;
    store.spawn(P{1, 0});
    store.spawn(P{2, 0}, V{5, 5});
    float sum = 0;
    int missing = 0;
    const auto query = store.query<P>().optional<const V>().optional<int>();
    query.for_each([&](P& p, const V* v, int* number) {
        sum += v != nullptr ? v->x : p.x;
        missing += number == nullptr;
    });
    CHECK(sum == 6);
    CHECK(missing == 2);
    CHECK(store.query<Optional<V>, const P>().size() == 2);
}

TEST_CASE("Query: a query that is kept finds tables, components and pairs that come later", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes");
    const auto moving = store.query<P, const V>();
    const auto fond = store.query<>().with(likes, any);
    const auto of_const = std::as_const(store).query<const P, const V>().exclude<long>();
    CHECK(moving.empty());
    CHECK(fond.empty());
    CHECK(of_const.empty());
    const Entity a = store.spawn(P{}, V{}), b = store.spawn(P{}, V{}, 3);
    store.add(a, pair(likes, b));
    CHECK(sorted(found(moving)) == sorted({a, b}));
    CHECK(found(fond) == Entities{a});
    CHECK(sorted(found(of_const)) == sorted({a, b}));
    store.add(a, 5L);
    CHECK(found(of_const) == Entities{b});
}

TEST_CASE("Query: of a const store it finds components that are registered after it was made", "[ecs]") {
    ArchetypeStore store;
    const ArchetypeStore& reader = store;
    const auto values = reader.query<const P>().with<Frozen>().optional<const int>();
    const auto rows = reader.query<const P, Frozen>();
    CHECK(values.empty());
    CHECK(rows.begin() == rows.end());
    CHECK(rows.chunks().empty());
    const Entity a = store.spawn(P{3, 4}, Frozen{});
    int calls = 0;
    values.for_each([&](const P& p, const int* number) {
        CHECK(p.x == 3);
        CHECK(number == nullptr);
        ++calls;
    });
    for (const auto& [entity, p] : rows) {
        CHECK(entity == a);
        CHECK(p.y == 4);
        ++calls;
    }
    CHECK(rows.chunks()[0].get<const P>()[0].x == 3);
    store.add(a, 9);
    values.for_each([&](const P&, const int* number) { calls += *number; });
    CHECK(calls == 11);
}

TEST_CASE("Query: the query that asks for nothing matches every entity, those without components too", "[ecs]") {
    ArchetypeStore store;
    const Entity bare = store.spawn(), a = store.spawn(P{}), b = store.spawn(3);
    CHECK(found(store.query<>()) == Entities{bare, a, b});
    CHECK(found(std::as_const(store).query<>()) == Entities{bare, a, b});
    CHECK(store.query<>().exclude<P>().size() == 2);
}

TEST_CASE("Query: cached and uncached walks meet tables in the order in which they were made", "[ecs]") {
    ArchetypeStore store;
    Entities expected;
    expected.push_back(store.spawn(P{}, V{}, 1L));
    expected.push_back(store.spawn(P{}, V{}, 1));
    expected.push_back(store.spawn(P{}, V{}));
    store.spawn(P{}, 2);
    expected.push_back(store.spawn(P{}, V{}, 1, 1L));
    const ArchetypeStore& reader = store;
    CHECK(found(reader.query<const P, const V>()) == expected);
    CHECK(found(store.query<P, V>()) == expected);
    CHECK(found(reader.query<const P, const V>()) == expected);
}

TEST_CASE("Query: walks of a const store never keep a list of tables, and use one that warm() made", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{}, V{});
    const ArchetypeStore& reader = store;
    const std::size_t before = cached(store);
    CHECK(found(reader.query<const P, const V>()) == Entities{a});
    CHECK(cached(store) == before);
    store.query<const P, const V>().warm();
    CHECK(cached(store) == before + 1);
    CHECK(found(reader.query<const P, const V>()) == Entities{a});
    store.query<P>().with<V>().for_each([](P&) {});
    CHECK(cached(store) == before + 1); // the cache is keyed by what is included
    store.query<P>().with<V>().exclude<Frozen>().for_each([](P&) {});
    CHECK(cached(store) == before + 1);
}

TEST_CASE("Query: lists follow tables that are erased", "[ecs]") {
    ArchetypeStore store;
    const auto query = store.query<P>();
    const Entity a = store.spawn(P{}), b = store.spawn(P{}, V{});
    CHECK(query.size() == 2);
    store.despawn(b);
    store.shrink_to_fit();
    CHECK(found(query) == Entities{a});
    store.clear();
    CHECK(query.empty());
    const Entity c = store.spawn(P{}, V{});
    CHECK(found(query) == Entities{c});
}

TEST_CASE("Query: it stays valid when its store is restored, and follows the restored order of tables", "[ecs]") {
    ArchetypeStore store, other;
    for (ArchetypeStore* const each : {&store, &other}) {
        each->registry().add<P>("place");
        each->registry().add<int>("number");
    }
    const auto query = store.query<P>();
    const Entity a = other.spawn(P{1, 0}, 5), b = other.spawn(P{2, 0});
    store.spawn(P{});
    store.spawn(P{}, 5);
    CHECK(query.size() == 2);
    AnyCodec codec;
    codec.add<P>();
    codec.add<int>();
    store.restore(other.snapshot(codec), codec);
    CHECK(found(query) == Entities{a, b});
    CHECK(found(std::as_const(store).query<const P>()) == Entities{a, b});
    CHECK(store.check_invariants());
}

TEST_CASE("Query: an uncached walk looks at the tables of the rarest component only", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes");
    for (int i = 0; i != 50; ++i) store.relate(store.spawn(P{}), likes, store.spawn());
    store.spawn(P{}, V{});
    const auto steps = [&](std::initializer_list<ComponentId> ids) { return test::tables_looked_at(store, ids); };
    const ComponentId p = store.registry().id<P>(), v = store.registry().id<V>();
    CHECK(steps({p}) == 52);
    CHECK(steps({p, v}) == 1);
    CHECK(steps({p, pair(likes, any)}) == 50);
    CHECK(steps({v, pair(likes, any)}) == 1);
    CHECK(steps({}) == static_cast<int>(test::tables_of(store).size()));
}

TEST_CASE("Query: it stays valid when its store is moved", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{});
    const auto query = store.query<P>();
    ArchetypeStore other(std::move(store));
    CHECK(found(query) == Entities{a});
    const Entity b = other.spawn(P{}, 1);
    CHECK(found(query) == Entities{a, b});
}

TEST_CASE("Query: run-time components are asked for by id and read through chunks", "[ecs]") {
    ArchetypeStore store;
    const ComponentId heat = store.registry().add("heat", TypeDescriptor::of<double>());
    const Entity a = store.spawn(P{});
    store.add(a, heat, AnyValue::of(2.5));
    int chunks = 0;
    for (const auto& chunk : store.query<P>().with(heat).chunks()) {
        CHECK(chunk.column(heat).as<double>()[0] == 2.5);
        CHECK(chunk.contains(heat));
        CHECK(thrown_text<std::invalid_argument>([&] { static_cast<void>(chunk.column(store.registry().id<V>())); }) ==
              "Query::Chunk::column(id): the entities have no values of this component in their table");
        ++chunks;
    }
    CHECK(chunks == 1);
}

TEST_CASE("Query: what the store does not know is refused in words", "[ecs]") {
    ArchetypeStore store, other;
    const ComponentId foreign = other.registry().add_tag("foreign");
    const auto query = store.query<P>();
    CHECK_THAT(thrown_text<std::invalid_argument>([&] { static_cast<void>(query.with(foreign)); }),
               Contains("another registry"));
    CHECK_THAT(thrown_text<std::invalid_argument>([&] { static_cast<void>(query.exclude(ComponentId())); }), Contains("null"));
    CHECK_THAT(thrown_text<std::invalid_argument>([&] { static_cast<void>(query.with(store.registry().id<P>(), any)); }),
               Contains("without a relation"));
    CHECK_THAT(thrown_text<std::invalid_argument>([&] { static_cast<void>(query.changed<P>(0)); }), Contains("tracked"));
}

//=== changes while it walks ===//

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("Query: a structural change in a walk is refused by a text that names CommandBuffer", "[ecs]") {
    const char* const words = "a query is walking; record the change in a CommandBuffer";
    ArchetypeStore store;
    const Entity a = store.spawn(P{}, V{});
    store.registry().add<long>({.sparse = true});
    const auto query = store.query<P>();
    CHECK(test::dies_saying(words, [&] { query.for_each([&](P&) { store.spawn(P{}); }); }));
    CHECK(test::dies_saying(words, [&] { query.for_each([&](P&) { store.despawn(a); }); }));
    CHECK(test::dies_saying(words, [&] { query.for_each_chunk([&](std::span<P>) { store.add(a, 3); }); }));
    CHECK(test::dies_saying(words, [&] { query.exclude<int>().for_each([&](P&) { store.remove<V>(a); }); }));
    CHECK(test::dies_saying(words, [&] { query.for_each([&](P&) { store.add(a, 3L); }); }));
    CHECK(test::dies_saying(words, [&] {
        for ([[maybe_unused]] auto [entity, p] : query) store.despawn(entity);
    }));
    CHECK(test::dies_saying(words, [&] {
        const auto chunks = query.chunks();
        store.clear();
    }));
    CHECK(
        test::dies_saying(words, [&] { std::as_const(store).query<const P>().for_each([&](const P&) { store.spawn(P{}); }); }));
}
#endif

TEST_CASE("Query: values change, components toggle and walks nest in a walk", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<V>({.toggle = true});
    const Entity a = store.spawn(P{}, V{}), b = store.spawn(P{}, V{});
    int pairs = 0;
    const auto query = store.query<P>();
    query.for_each([&](Entity outer, P& p) {
        query.for_each([&](Entity inner, P& other) {
            pairs += outer != inner;
            other.x += 1;
        });
        store.get<P>(b)->y = 9;
        store.disable<V>(outer);
        p.x += 1;
    });
    CHECK(pairs == 2);
    CHECK(store.at<P>(a).x == 3);
    CHECK(store.at<P>(b).y == 9);
    CHECK_FALSE(store.is_enabled<V>(a));
    store.spawn(P{}); // the walks are over
}

#if defined(__cpp_exceptions)
TEST_CASE("Query: what f throws ends the walk and reaches the caller", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<long>({.sparse = true});
    store.spawn(P{}, 1L);
    store.spawn(P{}, 1L);
    const auto query = store.query<P>();
    int calls = 0;
    const auto throws = [&](auto&&...) { throw ++calls; };
    CHECK_THROWS_AS(query.for_each(throws), int);
    CHECK_THROWS_AS(query.exclude<V>().for_each(throws), int);
    CHECK_THROWS_AS(query.with<long>().for_each(throws), int);
    CHECK_THROWS_AS(query.for_each_chunk(throws), int);
    CHECK(calls == 4);
    store.spawn(P{});
    CHECK(query.size() == 3);
}
#endif
