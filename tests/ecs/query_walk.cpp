// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What leaves out rows of tables: disabled components, changes, sparse components and targets of switched relations.
#include "ecs/inside.hpp"
#include "query_support.hpp"
#include "support/thrown.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

using namespace query_test;
using Catch::Matchers::Contains;

namespace {

using Run = std::pair<std::size_t, std::size_t>; // rows of one table
using Runs = std::vector<Run>;

/// A store with a table of `rows` entities, the components of which have these traits.
struct Rows {
    explicit Rows(std::size_t rows, ComponentTraits of_p = {}, ComponentTraits of_v = {}) {
        store.registry().add<P>(of_p);
        store.registry().add<V>(of_v);
        for (std::size_t i = 0; i != rows; ++i) entities.push_back(store.spawn(P{static_cast<float>(i), 0}, V{}));
    }
    /// The numbers of the entities that the query visits.
    template <class Query>
    std::vector<std::size_t> rows(const Query& query) const {
        std::vector<std::size_t> rows;
        for (const Entity entity : sorted(found(query)))
            rows.push_back(static_cast<std::size_t>(std::find(entities.begin(), entities.end(), entity) - entities.begin()));
        return rows;
    }
    /// The runs of rows, by for_each_chunk. @pre there is one table
    template <class Query>
    Runs runs(const Query& query) const {
        Runs runs;
        query.for_each_chunk([&](std::span<const Entity> rows, auto...) {
            const auto first =
                static_cast<std::size_t>(std::find(entities.begin(), entities.end(), rows[0]) - entities.begin());
            runs.push_back({first, first + rows.size()});
        });
        return runs;
    }

    ArchetypeStore store{};
    Entities entities{};
};

const ComponentTraits toggled{.toggle = true};
const ComponentTraits tracked{.tracked = true};

} // namespace

//=== toggles ===//

TEST_CASE("Query: rows where a component is disabled are left out as runs, across words of bits", "[ecs]") {
    Rows world(200, toggled);
    const auto query = world.store.query<P>();
    CHECK(world.runs(query) == Runs{{0, 200}});
    for (const std::size_t row : {0u, 5u, 6u, 63u, 64u, 128u, 199u}) world.store.disable<P>(world.entities[row]);
    CHECK(world.runs(query) == Runs{{1, 5}, {7, 63}, {65, 128}, {129, 199}});
    CHECK(query.size() == 193);
    CHECK(query.first() == world.entities[1]);
    CHECK(world.runs(std::as_const(world.store).query<const P>()) == world.runs(query));
    CHECK(world.store.query<V>().size() == 200); // which asks for another one
    for (const Entity entity : world.entities) world.store.enable<P>(entity);
    CHECK(world.runs(query) == Runs{{0, 200}});
}

TEST_CASE("Query: excluding a component also matches rows where it is disabled", "[ecs]") {
    Rows world(3, {}, toggled);
    const Entity without = world.store.spawn(P{});
    const auto query = world.store.query<P>().exclude<V>();
    CHECK(found(query) == Entities{without});
    world.store.disable<V>(world.entities[1]);
    CHECK(found(query) == Entities{world.entities[1], without});
    CHECK(found(world.store.query<P>().exclude<V>().exclude<P>()).empty());
}

TEST_CASE("Query: several disabled components are combined, and a term may ask for one that is not delivered", "[ecs]") {
    Rows world(130, toggled, toggled);
    for (std::size_t row = 0; row != 130; ++row) {
        if (row % 2 == 0) world.store.disable<P>(world.entities[row]);
        if (row % 3 == 0) world.store.disable<V>(world.entities[row]);
    }
    std::vector<std::size_t> both, only_p;
    for (std::size_t row = 0; row != 130; ++row) {
        if (row % 2 != 0 && row % 3 != 0) both.push_back(row);
        if (row % 2 != 0 && row % 3 == 0) only_p.push_back(row);
    }
    CHECK(world.rows(world.store.query<P, V>()) == both);
    CHECK(world.rows(world.store.query<P>().with<V>()) == both);
    CHECK(world.rows(world.store.query<P>().exclude<V>()) == only_p);
}

TEST_CASE("Query: an optional component that is disabled is delivered as null", "[ecs]") {
    Rows world(130, {}, toggled);
    world.store.spawn(P{});
    for (const std::size_t row : {3u, 64u, 65u}) world.store.disable<V>(world.entities[row]);
    Entities missing;
    std::size_t calls = 0;
    const auto query = world.store.query<const P>().optional<V>();
    query.for_each([&](Entity entity, const P&, V* v) {
        ++calls;
        if (v == nullptr)
            missing.push_back(entity);
        else
            v->x = 1;
    });
    CHECK(calls == 131);
    REQUIRE(missing.size() == 4);
    CHECK(Entities(missing.begin(), missing.end() - 1) == Entities{world.entities[3], world.entities[64], world.entities[65]});
    CHECK(world.store.get<V>(world.entities[64])->x == 0);
    CHECK(world.store.get<V>(world.entities[66])->x == 1);
    std::size_t empty = 0;
    query.for_each_chunk([&](std::span<const P> p, std::span<V> v) { empty += v.empty() ? p.size() : 0; });
    CHECK(empty == 4);
    for (auto [entity, p, v] : query) empty -= v == nullptr;
    CHECK(empty == 0);
}

TEST_CASE("Query: disabling the row that is visited skips no other row", "[ecs]") {
    Rows world(300, toggled);
    world.store.disable<P>(world.entities[299]); // so that there are bits
    std::size_t calls = 0;
    world.store.query<P>().for_each([&](Entity entity, P&) {
        ++calls;
        world.store.disable<P>(entity);
    });
    CHECK(calls == 299);
    CHECK(world.store.query<P>().empty());
}

//=== runs ===//

TEST_CASE("Query: as many runs of rows as there are come in their order, in whatever portions they are found", "[ecs]") {
    for (const std::size_t count : {0u, 1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 96u, 127u, 128u, 129u, 300u}) {
        for (const bool by_ticks : {false, true}) {
            for (const std::size_t step : {2u, 3u, 64u, 65u}) {
                const ComponentTraits traits{.toggle = !by_ticks, .tracked = by_ticks};
                Rows world(count * step + 1, traits, toggled);
                ArchetypeStore& store = world.store;
                const tick_t start = store.tick();
                store.advance();
                Runs expected;
                for (std::size_t i = 0; i != count; ++i) expected.push_back({i * step, i * step + 1});
                std::size_t next = 0;
                for (std::size_t row = 0; row != world.entities.size(); ++row) {
                    const bool wanted = next != count && row == expected[next].first;
                    next += wanted;
                    if (by_ticks && wanted) store.set(world.entities[row], P{1, 1});
                    if (!by_ticks && !wanted) store.disable<P>(world.entities[row]);
                }
                auto query = std::as_const(store).query<const P>();
                if (by_ticks) query = query.changed<P>(start);
                CHECK(world.runs(query) == expected);
                CHECK(world.runs(query.with<V>()) == expected); // V is nowhere disabled
                CHECK(query.size() == count);
                CHECK(query.empty() == (count == 0));
                std::size_t rows = 0;
                query.for_each([&](const P&) { ++rows; });
                for ([[maybe_unused]] auto [p] : query.rows()) ++rows;
                CHECK(rows == 2 * count);
                store.disable<V>(world.entities.back()); // two columns of bits
                CHECK(world.runs(query.with<V>()) == expected);
            }
        }
    }
}

TEST_CASE("Query: a run goes on across words, also where another column of bits is asked", "[ecs]") {
    for (const std::size_t rows : {63u, 64u, 65u, 127u, 128u, 129u, 192u}) {
        Rows world(rows, toggled, toggled);
        const auto query = world.store.query<P, V>();
        world.store.disable<P>(world.entities[0]);
        CHECK(world.runs(query) == Runs{{1, rows}});
        world.store.disable<V>(world.entities[1]);
        CHECK(world.runs(query) == Runs{{2, rows}});
        world.store.disable<V>(world.entities[rows - 1]);
        CHECK(world.runs(query) == Runs{{2, rows - 1}});
        CHECK(world.runs(world.store.query<P>().exclude<V>()) == Runs{{1, 2}, {rows - 1, rows}});
    }
}

TEST_CASE("Query: an optional component that changes with every row cuts all of them", "[ecs]") {
    Rows world(300, toggled, toggled);
    for (std::size_t row = 0; row != 300; ++row)
        if (row % 2 == 0) world.store.disable<V>(world.entities[row]);
    world.store.disable<P>(world.entities[100]);
    std::vector<std::size_t> with, without;
    world.store.query<P>().optional<V>().for_each(
        [&](Entity entity, const P&, const V* v) { (v != nullptr ? with : without).push_back(entity.index()); });
    CHECK(with.size() == 150);
    CHECK(without.size() == 149);
    const auto runs = [&] {
        std::size_t found = 0;
        world.store.query<P>().optional<V>().for_each_chunk([&](std::span<P>, std::span<V>) { ++found; });
        return found;
    };
    CHECK(runs() == 299);
    for (std::size_t row = 0; row != 300; ++row) world.store.enable<V>(world.entities[row], row < 200);
    CHECK(runs() == 3); // [0, 100), [101, 200), [200, 300)
}

TEST_CASE("Query: walks nest, each with its own rows", "[ecs]") {
    Rows world(200, toggled, tracked);
    const tick_t start = world.store.tick();
    world.store.advance();
    for (std::size_t row = 0; row < 200; row += 2) world.store.disable<P>(world.entities[row]);
    for (std::size_t row = 0; row < 200; row += 3) world.store.set(world.entities[row], V{1, 1});
    const auto outer = world.store.query<P>();
    const auto inner = std::as_const(world.store).query<const V>().changed<V>(start);
    std::size_t pairs = 0, sum = 0;
    outer.for_each([&](Entity, P&) {
        inner.for_each([&](const V&) { ++pairs; });
        sum += outer.size();
    });
    CHECK(pairs == 100 * 67);
    CHECK(sum == 100 * 100);
}

#if defined(__cpp_exceptions)
TEST_CASE("Query: an exception of f in the midst of many runs ends the walk, and later runs are not stamped", "[ecs]") {
    for (const std::size_t last : {0u, 1u, 62u, 63u, 64u, 65u, 130u}) {
        Rows world(600, {.toggle = true, .tracked = true}, tracked);
        ArchetypeStore& store = world.store;
        for (std::size_t row = 2; row < 600; row += 3) store.disable<P>(world.entities[row]); // runs of two rows
        for (const bool by_ticks : {false, true}) {
            const tick_t start = store.tick();
            store.advance();
            for (const Entity entity : world.entities) store.set(entity, V{1, 1});
            const tick_t before = store.tick();
            store.advance();
            auto query = store.query<P>();
            if (by_ticks) query = query.changed<V>(start);
            std::size_t calls = 0;
            CHECK_THROWS_AS(query.for_each([&](P&) {
                if (calls++ == 2 * last) TEST_THROW(std::runtime_error("stop"));
            }),
                            std::runtime_error);
            CHECK(calls == 2 * last + 1);
            Runs stamped; // all of the run that f has left
            for (std::size_t run = 0; run <= last; ++run) stamped.push_back({3 * run, 3 * run + 2});
            CHECK(world.runs(std::as_const(store).query<const P>().changed<P>(before)) == stamped);
            CHECK(store.spawn(P{}) != Entity()); // no walk is left
            store.despawn(store.query<P>().exclude<V>().first());
        }
    }
}
#endif

TEST_CASE("Query: what f enables, disables or changes ahead of it is met or not, and every other row once", "[ecs]") {
    Rows world(3000, {.toggle = true, .tracked = true}, tracked);
    ArchetypeStore& store = world.store;
    for (std::size_t row = 0; row < 3000; row += 2) store.disable<P>(world.entities[row]); // runs of one row
    std::vector<std::size_t> visits(3000);
    std::size_t at = 0, late = 0;
    store.query<P>().for_each([&](Entity entity, P&) {
        const auto row = static_cast<std::size_t>(entity.index() - world.entities[0].index());
        CHECK(at <= row);
        at = row;
        ++visits[row];
        late += row > 1 && row % 8 == 1; // it was disabled by a visit before
        if (row + 8 < 3000 && row % 8 == 1) store.disable<P>(world.entities[row + 8]);
        if (row + 3 < 3000) store.enable<P>(world.entities[row + 3 - row % 2 * 2 + 1]);
    });
    for (std::size_t row = 1; row < 3000; row += 2)
        if (row % 8 != 1) CHECK(visits[row] == 1);
    CHECK(*std::max_element(visits.begin(), visits.end()) == 1);
    CHECK(late < 3000 / 8);
    const tick_t start = store.tick();
    store.advance();
    for (std::size_t row = 0; row < 3000; row += 64) store.set(world.entities[row], V{});
    std::size_t calls = 0;
    store.query<const V>().changed<V>(start).for_each([&](Entity entity, const V&) {
        const auto row = static_cast<std::size_t>(entity.index() - world.entities[0].index());
        ++calls;
        if (row + 32 < 3000) store.set(world.entities[row + 32], V{});
    });
    CHECK(calls >= 47);
    CHECK(calls <= 94);
}

//=== changes ===//

TEST_CASE("Query: a walk that may write stamps the rows it visits, and one that reads does not", "[ecs]") {
    Rows world(3, tracked);
    ArchetypeStore& store = world.store;
    const tick_t start = store.tick();
    const auto changed = std::as_const(store).query<const P>().changed<P>(start);
    store.advance();
    store.query<const P, V>().for_each([](const P&, V&) {});
    store.query<V>().with<P>().for_each([](V&) {});
    std::as_const(store).query<const P>().for_each([](const P&) {});
    CHECK(static_cast<std::size_t>(store.query<P>().size()) == 3); // which visits nothing
    CHECK(changed.empty());
    store.query<P>().for_each([](P&) {});
    CHECK(changed.size() == 3);
    const auto again = std::as_const(store).query<const P>().changed<P>(store.tick());
    store.advance();
    store.query<P>().for_each_chunk([](std::span<P>) {});
    CHECK(again.size() == 3);
    const auto third = std::as_const(store).query<const P>().changed<P>(store.tick());
    store.advance();
    int rows = 0;
    for ([[maybe_unused]] auto [entity, p] : store.query<P>())
        if (++rows == 2) break;
    CHECK(third.size() == 2); // row by row: the rest was not visited
}

TEST_CASE("Query: changed and added match what came after a tick", "[ecs]") {
    Rows world(5, tracked);
    ArchetypeStore& store = world.store;
    const tick_t start = store.tick();
    CHECK(world.rows(store.query<const P>().added<P>(start - 1)).size() == 5);
    CHECK(world.rows(store.query<const P>().added<P>(start)).empty());
    store.advance();
    store.set(world.entities[2], P{9, 9});
    store.get<P>(world.entities[4])->x = 1;
    std::as_const(store).get<P>(world.entities[0]);
    CHECK(world.rows(store.query<const P>().changed<P>(start)) == std::vector<std::size_t>{2, 4});
    CHECK(world.rows(store.query<const V>().changed(store.registry().id<P>(), start)) == std::vector<std::size_t>{2, 4});
    CHECK(world.rows(store.query<const P>().added(store.registry().id<P>(), start)).empty());
    const Entity late = store.spawn(P{});
    CHECK(found(store.query<const P>().added<P>(start)) == Entities{late});
    CHECK(store.query<const P>().changed<P>(start).size() == 3);
}

TEST_CASE("Query: a move to another table stamps what it added and nothing else", "[ecs]") {
    Rows world(4, tracked, tracked);
    ArchetypeStore& store = world.store;
    const tick_t start = store.tick();
    store.advance();
    const Entity bare = store.spawn(1);
    store.advance();
    const tick_t before = store.tick();
    store.advance();
    store.add(world.entities[1], Frozen{});
    store.add(bare, V{});
    CHECK(store.query<const P>().changed<P>(start).empty());
    CHECK(found(store.query<const V>().added<V>(before)) == Entities{bare});
    CHECK(found(store.query<const V>().changed<V>(before)) == Entities{bare});
}

TEST_CASE("Query: ticks are compared across their wrap", "[ecs]") {
    Rows world(2, tracked);
    ArchetypeStore& store = world.store;
    test::inside(store).tick = ~tick_t{0};
    store.set(world.entities[0], P{});
    const tick_t before = store.tick();
    store.advance();
    store.set(world.entities[1], P{});
    CHECK(store.tick() < before);
    CHECK(found(store.query<const P>().changed<P>(before)) == Entities{world.entities[1]});
    CHECK(found(store.query<const P>().changed<P>(before - 1)) == world.entities);
}

TEST_CASE("Query: neighbouring changed rows are one run", "[ecs]") {
    Rows world(100, tracked);
    const tick_t start = world.store.tick();
    world.store.advance();
    for (const std::size_t row : {3u, 4u, 5u, 63u, 64u, 99u}) world.store.get<P>(world.entities[row]);
    CHECK(world.runs(world.store.query<const P>().changed<P>(start)) == Runs{{3, 6}, {63, 65}, {99, 100}});
}

TEST_CASE("Query: changed components and disabled ones are combined", "[ecs]") {
    Rows world(100, {.toggle = true, .tracked = true}, tracked);
    ArchetypeStore& store = world.store;
    const tick_t start = store.tick();
    store.advance();
    for (std::size_t row = 10; row != 20; ++row) store.get<P>(world.entities[row]);
    for (std::size_t row = 15; row != 30; ++row) store.get<V>(world.entities[row]);
    store.disable<P>(world.entities[17]);
    CHECK(world.runs(store.query<const P>().changed<P>(start)) == Runs{{10, 17}, {18, 20}});
    CHECK(world.runs(store.query<const P>().changed<P>(start).changed<V>(start)) == Runs{{15, 17}, {18, 20}});
    CHECK(world.runs(store.query<const V>().changed<P>(start)) == Runs{{10, 17}, {18, 20}});
    CHECK(world.runs(store.query<const V>().exclude<P>().changed<V>(start)) == Runs{{17, 18}});
}

TEST_CASE("Query: only what is written of the changed rows is stamped again", "[ecs]") {
    Rows world(100, tracked);
    ArchetypeStore& store = world.store;
    const tick_t start = store.tick();
    store.advance();
    store.get<P>(world.entities[50]);
    const tick_t second = store.tick();
    store.advance();
    std::size_t calls = 0;
    store.query<P>().changed<P>(start).for_each([&](P&) { ++calls; });
    CHECK(calls == 1);
    CHECK(world.rows(store.query<const P>().changed<P>(second)) == std::vector<std::size_t>{50});
}

//=== sparse components ===//

TEST_CASE("Query: sparse components are joined, whichever of the two is rarer", "[ecs]") {
    Rows world(50, {}, {.sparse = true}); // the table has P
    ArchetypeStore& store = world.store;
    store.registry().add<long>({.sparse = true});
    store.registry().add<Frozen>({.sparse = true});
    Entities with_long, frozen;
    for (std::size_t row = 0; row != 50; ++row) {
        if (row % 10 == 3) {
            store.add(world.entities[row], static_cast<long>(row));
            with_long.push_back(world.entities[row]);
        }
        if (row % 4 == 3) store.add(world.entities[row], Frozen{});
    }
    for (int i = 0; i != 100; ++i) store.spawn(V{}); // sparse, and without P
    const auto rare = store.query<P, long>();
    std::size_t sum = 0;
    rare.for_each([&](Entity entity, P& p, long& number) {
        CHECK(static_cast<long>(p.x) == number);
        CHECK(entity == world.entities[static_cast<std::size_t>(number)]);
        sum += static_cast<std::size_t>(number);
    });
    CHECK(sum == 3 + 13 + 23 + 33 + 43);
    CHECK(found(rare) == with_long);
    CHECK(rare.size() == 5);
    CHECK(found(store.query<P>().with<long>()) == with_long);
    CHECK(found(store.query<P, V>()) == world.entities); // V is less rare than P
    CHECK(world.rows(store.query<P, long, Frozen>()) == std::vector<std::size_t>{3, 23, 43});
    CHECK(world.rows(store.query<long>().exclude<Frozen>()) == std::vector<std::size_t>{13, 33});
    CHECK(store.query<P>().exclude<V>().empty());
    CHECK(store.query<P>().exclude<long>().size() == 45);
    CHECK(found(std::as_const(store).query<const P, const long>()) == with_long);
    int missing = 0;
    store.query<P>().optional<long>().for_each([&](P&, const long* number) { missing += number == nullptr; });
    CHECK(missing == 45);
    std::size_t bound = 0;
    for (auto [p, number] : rare.rows()) bound += static_cast<std::size_t>(number);
    CHECK(bound == sum);
}

TEST_CASE("Query: a sparse tag is included and excluded without a move, and is gone with its entity", "[ecs]") {
    Rows world(6);
    ArchetypeStore& store = world.store;
    store.registry().add<Frozen>({.sparse = true});
    const auto frozen = store.query<P>().with<Frozen>();
    const std::size_t tables = test::tables_of(store).size();
    const P* const address = store.get<P>(world.entities[4]);
    store.add(world.entities[4], Frozen{});
    CHECK(found(frozen) == Entities{world.entities[4]});
    CHECK(store.query<P>().exclude<Frozen>().size() == 5);
    CHECK(store.get<P>(world.entities[4]) == address);
    CHECK(test::tables_of(store).size() == tables);
    store.despawn(world.entities[4]);
    CHECK(frozen.empty());
    const Entity recycled = store.spawn(P{});
    CHECK(recycled.index() == world.entities[4].index());
    CHECK(frozen.empty());
}

TEST_CASE("Query: chunks of a sparse component are refused in words, and one that only filters gives runs", "[ecs]") {
    Rows world(10);
    ArchetypeStore& store = world.store;
    store.registry().add<long>({.sparse = true});
    for (const std::size_t row : {0u, 2u, 3u, 4u, 9u}) store.add(world.entities[row], 1L);
    const auto refused = [&](auto&& f) { return test::thrown_text<std::invalid_argument>(f); };
    CHECK_THAT(refused([&] { store.query<P, long>().for_each_chunk([](std::span<P>, std::span<long>) {}); }),
               Contains("a component is sparse"));
    CHECK_THAT(refused([&] { static_cast<void>(store.query<P, long>().chunks()); }), Contains("a component is sparse"));
    Runs runs = world.runs(store.query<P>().exclude<long>());
    CHECK(runs == Runs{{1, 2}, {5, 9}});
    std::size_t rows = 0;
    store.query<P>().with<long>().for_each_chunk([&](std::span<P> p) { rows += p.size(); });
    CHECK(rows == 5);
    store.spawn(P{}); // the walks are over
}

TEST_CASE("Query: only rows whose sparse components are there are stamped", "[ecs]") {
    Rows world(10, tracked);
    ArchetypeStore& store = world.store;
    store.registry().add<long>({.sparse = true});
    store.add(world.entities[7], 1L);
    const tick_t start = store.tick();
    store.advance();
    store.query<P, long>().for_each([](P&, long&) {});
    CHECK(world.rows(store.query<const P>().changed<P>(start)) == std::vector<std::size_t>{7});
}

//=== switched relations ===//

TEST_CASE("Query: with(relation, target) of a switched relation walks the sources of the target, or filters", "[ecs]") {
    Rows world(20);
    ArchetypeStore& store = world.store;
    const ComponentId state = store.registry().add_relation("state", {.switched = true});
    const Entity idle = store.spawn(), busy = store.spawn();
    for (std::size_t row = 0; row != 20; ++row)
        if (row != 5) store.relate(world.entities[row], state, row % 10 == 2 ? busy : idle);
    CHECK(world.rows(store.query<P>().with(state, busy)) == std::vector<std::size_t>{2, 12});
    CHECK(store.query<P>().with(state, idle).size() == 17);
    CHECK(world.rows(store.query<P>().with(state, any).exclude(state, idle)) == std::vector<std::size_t>{2, 12});
    CHECK(world.rows(store.query<P>().exclude(state, any)) == std::vector<std::size_t>{5});
    CHECK(store.query<P>().exclude(state, busy).size() == 18);
    CHECK(store.query<P>().with(any, busy).size() == 2);
    CHECK(store.query<P>().with(any, any).size() == 19);
    CHECK(store.query<P>().exclude(any, busy).size() == 18);
    const P* const address = store.get<P>(world.entities[3]);
    store.relate(world.entities[3], state, busy);
    CHECK(store.get<P>(world.entities[3]) == address); // a changed target moves no row
    CHECK(world.rows(store.query<P>().with(state, busy)) == std::vector<std::size_t>{2, 3, 12});
    CHECK(store.query<P>().size() == 20);
}

//=== all at once ===//

TEST_CASE("Query: random components, toggles, changes and targets match what a look at each entity says", "[ecs]") {
    std::mt19937 random(7);
    ArchetypeStore store;
    store.registry().add<P>({.toggle = true, .tracked = true});
    store.registry().add<V>({.toggle = true});
    store.registry().add<long>({.sparse = true});
    const ComponentId state = store.registry().add_relation("state", {.switched = true});
    const Entity target[] = {store.spawn(), store.spawn()};
    Entities all;
    const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
    for (int i = 0; i != 700; ++i) {
        const Entity entity = store.spawn();
        all.push_back(entity);
        if (!chance(4)) store.add(entity, P{});
        if (chance(2)) store.add(entity, V{});
        if (chance(3)) store.add(entity, 1);
        if (chance(5)) store.add(entity, 1L);
        if (chance(2)) store.relate(entity, state, target[random() % 2]);
        if (store.has<P>(entity) && chance(3)) store.disable<P>(entity);
        if (store.has<V>(entity) && chance(3)) store.disable<V>(entity);
    }
    const tick_t since = store.tick();
    store.advance();
    for (const Entity entity : all)
        if (store.has<P>(entity) && chance(4)) store.get<P>(entity);
    const auto expected = [&](auto&& holds) {
        Entities entities;
        for (const Entity entity : all)
            if (holds(entity)) entities.push_back(entity);
        return sorted(entities);
    };
    const auto p = [&](Entity e) { return store.has<P>(e) && store.is_enabled<P>(e); };
    const auto v = [&](Entity e) { return store.has<V>(e) && store.is_enabled<V>(e); };
    const auto same = [&](const auto& query, auto&& holds) {
        const Entities entities = expected(holds);
        REQUIRE_FALSE(entities.empty());
        Entities bound, chunked, listed;
        for (const auto& row : query) bound.push_back(std::get<0>(row));
        query.for_each_chunk(
            [&](std::span<const Entity> rows, auto...) { chunked.insert(chunked.end(), rows.begin(), rows.end()); });
        for (const auto& chunk : query.chunks()) listed.insert(listed.end(), chunk.entities().begin(), chunk.entities().end());
        CHECK(sorted(found(query)) == entities);
        CHECK(bound == found(query));
        CHECK(chunked == bound);
        CHECK(listed == bound);
        CHECK(query.size() == entities.size());
        CHECK(query.first() == bound.front());
    };
    const ArchetypeStore& reader = store;
    same(store.query<const P>().with<V>(), [&](Entity e) { return p(e) && v(e); });
    same(reader.query<const P>().with<V>(), [&](Entity e) { return p(e) && v(e); });
    same(reader.query<const P>().exclude<V>().exclude<int>(), [&](Entity e) { return p(e) && !v(e) && !store.has<int>(e); });
    same(store.query<const V>().changed<P>(since).with<long>(), [&](Entity e) {
        const auto* at = test::inside(store).location(e);
        const Table& table = test::inside(reader).table(*at);
        const auto place = table.place_of(store.registry().id<P>());
        return v(e) && p(e) && store.has<long>(e) &&
               table.ticks(static_cast<std::size_t>(place))->changed_since(at->row(), since);
    });
    same(reader.query<const V>().with(state, target[1]).exclude<long>(),
         [&](Entity e) { return v(e) && store.target(e, state) == target[1] && !store.has<long>(e); });
    same(store.query<const P>().optional<const V>().exclude(state, target[0]).with<int>(),
         [&](Entity e) { return p(e) && store.has<int>(e) && store.target(e, state) != target[0]; });
}
