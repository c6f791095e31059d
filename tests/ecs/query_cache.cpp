// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/detail/archetype_tables.hpp>

#include <random>
#include <set>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Cache = detail::QueryCache;
using Ids = std::vector<ComponentId>;

ComponentId component(std::uint32_t number) { return detail::ComponentIdParts::make(1, number); }
const ComponentId a = component(1), b = component(2), c = component(3), likes = component(4), eats = component(5);
const Entity bob(7, 1), carol(9, 1);

/// Tables by number. Neither an index nor a cache asks them for anything.
std::vector<Table> all_tables(5000);
Table* table_of(int number) { return &all_tables[static_cast<std::size_t>(number)]; }
int number_of(const Table* table) { return static_cast<int>(table - all_tables.data()); }

/// An index and a cache that follows it.
struct World {
    ComponentIndex<Table*> index;
    Cache cache;

    void come(int number, Ids ids) {
        Table* const table = table_of(number);
        std::sort(ids.begin(), ids.end());
        index.insert(table, ids, [](slot_t place) { return static_cast<int>(place) * 10; });
        ScopeGuard undo([&]() noexcept { index.erase(table); });
        cache.insert(table, index);
        undo.dismiss();
    }
    void go(int number) {
        Table* const table = table_of(number);
        cache.erase(table, index);
        index.erase(table);
    }
    bool check() const { return index.check_invariants() && cache.check_invariants(index); }
};
std::vector<int> list(const Cache::Entry& entry) {
    std::vector<int> tables;
    for (const auto& match : entry) tables.push_back(number_of(match.table));
    CHECK(tables.size() == entry.size());
    return tables;
}

} // namespace

TEST_CASE("QueryCache: a query has the tables with all of its ids, and their columns", "[ecs]") {
    World world;
    world.come(1, {a});
    world.come(2, {a, b, c});
    const auto& both = world.cache.make(Ids{a, c}, world.index);
    CHECK(list(both) == std::vector{2});
    world.come(3, {c});
    world.come(4, {a, c});
    CHECK(list(both) == std::vector{2, 4});
    const auto match = *both.begin();
    CHECK(match.columns[both.place_of(a)] == 0);
    CHECK(match.columns[both.place_of(c)] == 20);
    CHECK(Ids(both.include().begin(), both.include().end()) == Ids{a, c});
    CHECK(&world.cache.make(Ids{a, c}, world.index) == &both);
    CHECK(world.cache.find(Ids{a, c}) == &both);
    CHECK(world.cache.find(Ids{a}) == nullptr);
    CHECK(world.cache.size() == 1);
    CHECK(world.check());
}

TEST_CASE("QueryCache: a new table is appended to the queries that it belongs to, and nothing is looked at twice", "[ecs]") {
    World world;
    const auto& rare = world.cache.make(Ids{a, b}, world.index);
    const auto& other = world.cache.make(Ids{c}, world.index);
    for (int table = 0; table != 1000; ++table) world.come(table, {a});
    CHECK(world.cache.examined() == 0); // one is registered under b, one under c
    world.come(1000, {a, b});
    world.come(1001, {c});
    CHECK(world.cache.examined() == 2); // one query each
    for (int ask = 0; ask != 100; ++ask) {
        CHECK(&world.cache.make(Ids{a, b}, world.index) == &rare);
        CHECK(rare.size() == 1);
        CHECK(other.size() == 1);
    }
    CHECK(world.cache.examined() == 2);
    CHECK(world.check());
}

TEST_CASE("QueryCache: erased tables are taken out, and the order stays that of creation", "[ecs]") {
    World world;
    const auto& query = world.cache.make(Ids{a}, world.index);
    for (int table = 0; table != 10; ++table) world.come(table, table % 3 == 0 ? Ids{b} : Ids{a, b});
    for (const int table : {2, 3, 1, 8}) world.go(table);
    CHECK(list(query) == std::vector{4, 5, 7});
    world.come(2, {a});
    CHECK(list(query) == std::vector{4, 5, 7, 2});
    const auto& late = world.cache.make(Ids{a, b}, world.index); // a query that comes later has the same order
    CHECK(list(late) == std::vector{4, 5, 7});
    std::vector<int> uncached;
    for (const auto& entry : world.index.tables(a)) uncached.push_back(number_of(entry.table));
    CHECK(list(query) == uncached);
    for (const int table : uncached) world.go(table);
    CHECK(query.empty());
    CHECK(world.check());
}

TEST_CASE("QueryCache: the query without ids has all tables, the empty one too", "[ecs]") {
    World world;
    world.come(1, {});
    const auto& all = world.cache.make({}, world.index);
    world.come(2, {a});
    CHECK(list(all) == std::vector{1, 2});
    CHECK(world.cache.find({}) == &all);
    world.go(1);
    CHECK(list(all) == std::vector{2});
    CHECK(world.check());
}

TEST_CASE("QueryCache: a query that is made before the first pair finds the pairs that come", "[ecs]") {
    World world;
    const auto& of_relation = world.cache.make(Ids{a, pair(likes, any)}, world.index);
    const auto& of_target = world.cache.make(Ids{pair(any, bob)}, world.index);
    const auto& of_any = world.cache.make(Ids{pair(any, any)}, world.index);
    world.come(1, {a});
    world.come(2, {a, pair(likes, bob), pair(likes, carol)});
    world.come(3, {pair(eats, bob)});
    world.come(4, {a, pair(eats, carol)});
    CHECK(list(of_relation) == std::vector{2});
    CHECK(list(of_target) == std::vector{2, 3});
    CHECK(list(of_any) == std::vector{2, 3, 4});    // each table once, whatever matches
    CHECK((*of_relation.begin()).columns[1] == 10); // of the first pair
    world.go(2);
    CHECK(of_relation.empty());
    CHECK(world.check());
}

TEST_CASE("QueryCache: made in advance, a query is found by const readers, which never fill it", "[ecs]") {
    World world;
    world.come(1, {a});
    const Cache& cache = world.cache;
    CHECK(cache.find(Ids{a}) == nullptr);
    CHECK(cache.size() == 0);
    world.cache.make(Ids{a}, world.index); // warm
    REQUIRE(cache.find(Ids{a}) != nullptr);
    CHECK(list(*cache.find(Ids{a})) == std::vector{1});
}

TEST_CASE("QueryCache: queries keep their addresses when others come, and when the cache is moved", "[ecs]") {
    World world;
    const auto* const query = &world.cache.make(Ids{a}, world.index);
    for (std::uint32_t i = 10; i != 500; ++i) world.cache.make(Ids{component(i)}, world.index);
    CHECK(world.cache.find(Ids{a}) == query);
    Cache moved(std::move(world.cache));
    CHECK(moved.find(Ids{a}) == query);
    CHECK(world.cache.size() == 0); // NOLINT: a moved-from cache is empty
    world.cache = std::move(moved);
    world.come(1, {a});
    CHECK(list(*query) == std::vector{1});
    CHECK(world.check());
}

TEST_CASE("QueryCache: a query or a table for which there is no memory is not there at all", "[ecs]") {
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        World world;
        world.come(1, {a, b});
        world.come(2, {b});
        const Ids ids{a, b}, only{b};
        bool failed = attempt([&] { world.cache.make(ids, world.index); });
        CHECK(world.cache.size() == (failed ? 0 : 1));
        CHECK(world.check());
        failed = attempt([&] { world.cache.make(only, world.index); });
        CHECK((world.cache.find(only) == nullptr) == failed);
        CHECK(world.check());
        world.cache.make(only, world.index);
        world.cache.make(ids, world.index);
        world.come(3, {a, b});
        world.come(4, {a, b});
        const Ids more{a, b, c};
        failed = attempt([&] { world.come(5, more); });
        CHECK(world.index.contains(table_of(5)) != failed);
        CHECK(world.cache.find(only)->size() == (failed ? 4 : 5));
        CHECK(world.check());
    });
    CHECK(failures > 8);
}

TEST_CASE("QueryCache: random tables and queries agree with what the index says", "[ecs]") {
    std::mt19937 random(7);
    Ids known{a, b, c, component(300)};
    for (const ComponentId relation : {likes, eats})
        for (slot_t target = 0; target != 3; ++target) known.push_back(pair(relation, Entity(target, 1)));
    Ids asked = known;
    for (const ComponentId wildcard : {pair(likes, any), pair(eats, any), pair(any, Entity(1, 1)), pair(any, any)})
        asked.push_back(wildcard);
    const auto some = [&](const Ids& of, std::size_t most) {
        std::set<ComponentId> ids;
        for (std::size_t i = random() % (most + 1); i != 0; --i) ids.insert(of[random() % of.size()]);
        return Ids(ids.begin(), ids.end());
    };
    World world;
    std::vector<int> tables;
    for (int step = 0; step != 4000; ++step) {
        if (step % 20 == 0) world.cache.make(some(asked, 3), world.index);
        if (tables.size() > 40 || (!tables.empty() && random() % 5 < 2)) {
            const std::size_t gone = random() % tables.size();
            world.go(tables[gone]);
            tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(gone));
        } else {
            world.come(step, some(known, 6));
            tables.push_back(step);
        }
        if (step % 40 == 0) REQUIRE(world.check());
    }
    CHECK(world.check());
    CHECK(world.cache.size() > 50);
}
