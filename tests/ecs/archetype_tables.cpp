// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/detail/archetype_tables.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

using namespace slotwise;
using namespace test;
using detail::ArchetypeTables, detail::QueryCache;

namespace {

using Ids = std::vector<ComponentId>;

struct Components {
    ComponentRegistry registry;
    ComponentId number = registry.add("number", TypeDescriptor::of<int>());
    ComponentId tag = registry.add_tag("tag");
    ComponentId secret = registry.add("secret", TypeDescriptor::of<double>(), {.sparse = true});
    ComponentId likes = registry.add_relation("likes");
    ComponentId child_of = registry.add_relation("child of", {.exclusive = true});
    ComponentId body = registry.add_tag("body", {.with = {number, secret}});
    ComponentId player = registry.add_tag("player", {.with = {body}});
};
const Entity bob(7, 1), carol(9, 1);
constexpr slot_t root = ArchetypeTables::root();

Ids ids_of(const ArchetypeTables& tables, slot_t table) {
    const auto ids = tables[table].ids();
    return {ids.begin(), ids.end()};
}
std::vector<Table*> list(const ArchetypeTables::Query& query) {
    std::vector<Table*> tables;
    for (const auto& match : query) tables.push_back(match.table);
    return tables;
}

} // namespace

TEST_CASE("ArchetypeTables: a table is made once, registered everywhere, and erased everywhere", "[ecs]") {
    const Components c;
    ArchetypeTables tables(c.registry);
    CHECK(tables.size() == 1);
    const auto& query = tables.query(Ids{c.number, c.tag});
    CHECK(tables.find_query(Ids{c.number, c.tag}) == &query);
    const auto step = tables.add(tables.add(root, c.tag).table, c.number);
    REQUIRE(step);
    CHECK(step.map->built().size() == 1);
    CHECK(tables.size() == 3);
    CHECK(tables.find(Ids{c.tag, c.number}) == step.table);
    CHECK(tables.find_or_make(Ids{c.number, c.tag}) == step.table);
    CHECK(list(query) == std::vector{&tables[step.table]});
    CHECK((*query.begin()).columns[0] == 0);
    CHECK((*query.begin()).columns[1] == -1);
    CHECK(tables.index().count(c.tag) == 2);
    CHECK_FALSE(tables.add(step.table, c.tag));
    CHECK(tables.check_invariants());
    CHECK(tables.erase_empty() == 2);
    CHECK(tables.erased() == 2);
    CHECK(tables.contains(root));
    CHECK_FALSE(tables.contains(step.table));
    CHECK(tables.find(Ids{c.number, c.tag}) == no_slot);
    CHECK(query.empty());
    CHECK(tables.index().count(c.tag) == 0);
    CHECK(tables.check_invariants());
    CHECK(list(query).empty());
    const slot_t again = tables.add_all(root, Ids{c.number, c.tag}).table;
    CHECK(list(query) == std::vector{&tables[again]});
    CHECK(tables.size() == 2);
    CHECK(tables.remove_all(again, Ids{c.number, c.tag}).table == root);
    CHECK(tables.check_invariants());
}

TEST_CASE("ArchetypeTables: companions come along in one step, except sparse ones", "[ecs]") {
    const Components c;
    ArchetypeTables tables(c.registry);
    const auto step = tables.add(root, c.player);
    CHECK(ids_of(tables, step.table) == Ids{c.number, c.body, c.player});
    CHECK(tables.size() == 2);
    CHECK(ids_of(tables, tables.remove(step.table, c.player).table) == Ids{c.number, c.body});
    CHECK(tables.check_invariants());
}

TEST_CASE("ArchetypeTables: a child has one parent at a time, in one step", "[ecs]") {
    const Components c;
    ArchetypeTables tables(c.registry);
    const slot_t of_bob = tables.add(root, pair(c.child_of, bob)).table;
    const slot_t of_carol = tables.add(of_bob, pair(c.child_of, carol)).table;
    CHECK(ids_of(tables, of_carol) == Ids{pair(c.child_of, carol)});
    CHECK(tables.size() == 3);
    CHECK_FALSE(tables.add(of_carol, pair(c.child_of, carol)));
    CHECK(tables.replace(of_carol, pair(c.child_of, carol), pair(c.child_of, bob)).table == of_bob);
    CHECK(tables.remove(of_carol, pair(c.child_of, carol)).table == root);
    const slot_t both = tables.add_all(root, Ids{pair(c.likes, bob), pair(c.likes, carol)}).table; // not exclusive
    CHECK(ids_of(tables, both) == Ids{pair(c.likes, bob), pair(c.likes, carol)});
    CHECK(tables.check_invariants());
}

TEST_CASE("ArchetypeTables: the tables of a target that died go, and a recycled target gets others", "[ecs]") {
    const Components c;
    ArchetypeTables tables(c.registry);
    const auto& any_likes = tables.query(Ids{pair(c.likes, any)});
    const slot_t liked = tables.add(root, pair(c.likes, bob)).table, tagged = tables.add(liked, c.tag).table;
    const slot_t other = tables.add(root, pair(c.likes, carol)).table;
    const slot_t occupied = tables.add(root, pair(c.child_of, bob)).table;
    tables[occupied].push_back(Entity(1, 1), 1, [](std::size_t, void*) {});
    CHECK(tables.erase_tables_with(pair(any, bob)) == 2);
    CHECK_FALSE(tables.contains(liked));
    CHECK_FALSE(tables.contains(tagged));
    CHECK(tables.contains(occupied)); // it has a row
    CHECK(list(any_likes) == std::vector{&tables[other]});
    CHECK(tables.check_invariants());
    const slot_t next = tables.add(root, pair(c.likes, Entity(7, 3))).table;
    CHECK(ids_of(tables, next) == Ids{pair(c.likes, Entity(7, 3))});
    CHECK(tables.index().count(pair(any, bob)) == 1);
    CHECK(tables.erase_empty() == 2);
    CHECK(tables.check_invariants());
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        ArchetypeTables fresh(c.registry);
        fresh.add(root, pair(c.likes, bob));
        const bool failed = attempt([&] { fresh.erase_tables_with(pair(any, bob)); });
        CHECK(fresh.size() == (failed ? 2 : 1));
        CHECK(fresh.check_invariants());
    });
    CHECK(failures == 1);
}

TEST_CASE("ArchetypeTables: a table for which there is no memory is in no part, and no step leads to it", "[ecs]") {
    const Components c;
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        std::optional<ArchetypeTables> made;
        if (attempt([&] { made.emplace(c.registry); })) return;
        ArchetypeTables& tables = *made;
        const slot_t tagged = tables.add(root, c.tag).table;
        const Ids asked{c.tag, pair(c.likes, any)}, added{c.number, pair(c.likes, bob)};
        bool failed = attempt([&] { tables.query(asked); });
        CHECK((tables.find_query(asked) == nullptr) == failed);
        const auto& query = tables.query(asked);
        failed = attempt([&] { tables.add_all(tagged, added); });
        CHECK(tables.size() == (failed ? 2 : 3));
        CHECK(tables.index().count(pair(any, bob)) == (failed ? 0 : 1));
        CHECK(query.size() == (failed ? 0 : 1));
        CHECK(tables.check_invariants());
        failed = attempt([&] { tables.add(tagged, c.number); });
        CHECK((tables.find(Ids{c.tag, c.number}) == no_slot) == failed);
        CHECK(tables.check_invariants());
        failed = attempt([&] { tables.find_or_make(added); });
        CHECK((tables.find(added) == no_slot) == failed);
        CHECK(tables.check_invariants());
        CHECK(tables.add_all(tagged, added));
        CHECK(query.size() == 1);
    });
    CHECK(failures > 20);
}

TEST_CASE("ArchetypeTables: an id of another registry, an unknown one and a wildcard are refused, and nothing changes",
          "[ecs]") {
    const Components c, other;
    ArchetypeTables tables(c.registry);
    const slot_t tagged = tables.add(root, c.tag).table;
    for (const ComponentId id : {other.tag, ComponentId(), pair(c.tag, bob), pair(c.likes, any), pair(c.likes, Entity())}) {
        CHECK_THROWS_AS(tables.add(root, id), std::invalid_argument);
        CHECK_THROWS_AS(tables.add_all(tagged, Ids{c.number, id}), std::invalid_argument);
        CHECK_THROWS_AS(tables.find_or_make(Ids{id}), std::invalid_argument);
        CHECK_FALSE(tables.remove(tagged, id)); // it is not there
        CHECK(tables.find(Ids{id}) == no_slot);
        CHECK(tables.size() == 2);
        CHECK(tables.check_invariants());
    }
    CHECK(tables.add(tagged, c.number));
}

TEST_CASE("ArchetypeTables: random changes keep graph, index and queries in step", "[ecs]") {
    const Components c;
    ArchetypeTables tables(c.registry);
    Ids known{c.number, c.tag, c.body, c.player};
    for (slot_t target = 0; target != 5; ++target)
        for (const ComponentId relation : {c.likes, c.child_of}) known.push_back(pair(relation, Entity(target, 1)));
    std::mt19937 random(3);
    const auto pick = [&] { return known[random() % known.size()]; };
    slot_t at = root;
    std::size_t most = 0;
    for (int step = 0; step != 3000; ++step) {
        if (step % 100 == 0) {
            Ids asked{pick(), random() % 2 == 0 ? pair(c.likes, any) : pair(any, Entity(1, 1))};
            std::sort(asked.begin(), asked.end());
            tables.query(asked);
        }
        const Ids added{pick(), pick()}, removed{pick(), pick(), pick()};
        const auto walked = random() % 2 == 0   ? tables.change(at, added, removed)
                            : random() % 2 == 0 ? tables.add(at, pick())
                                                : tables.remove(at, pick());
        REQUIRE(bool(walked) == (walked.table != at));
        at = walked.table;
        most = std::max(most, tables.size());
        if (step % 30 == 0)
            tables.for_each([&](slot_t table, const Table&) {
                if (table != at && table != root && random() % 2 == 0) tables.erase(table);
            });
        if (step % 200 == 0) REQUIRE(tables.check_invariants());
    }
    CHECK(most > 20);
    CHECK(tables.check_invariants());
}

TEST_CASE("ArchetypeTables: a table that is moved to the end is the last for the index and for queries", "[ecs]") {
    const Components c;
    const std::size_t failures = test::run_out_of_memory([&](auto&& attempt) {
        ArchetypeTables tables(c.registry);
        const auto& numbers = tables.query(Ids{c.number});
        const auto& pairs = tables.query(Ids{c.number, pair(c.likes, any)});
        std::vector<Table*> order;
        std::vector<slot_t> made;
        for (slot_t i = 0; i != 9; ++i) {
            made.push_back(tables.find_or_make(Ids{c.number, pair(c.likes, Entity(i, 1))}));
            order.push_back(&tables[made.back()]);
        }
        for (const std::size_t i : {std::size_t{2}, std::size_t{8}, std::size_t{0}, std::size_t{2}, std::size_t{5}}) {
            const bool failed = attempt([&] { tables.move_to_end(made[i]); });
            if (!failed) {
                std::erase(order, &tables[made[i]]);
                order.push_back(&tables[made[i]]);
            }
            std::vector<Table*> all;
            for (const auto& entry : tables.index().tables(pair(any, any))) all.push_back(entry.table);
            CHECK((all == order && list(numbers) == order && list(pairs) == order));
            CHECK(tables.check_invariants());
        }
        attempt([&] { tables.move_to_end(root); });
        CHECK((*tables.index().tables().begin()).table == &tables[root]); // it stays the first
    });
    CHECK(failures != 0);
}

TEST_CASE("ArchetypeTables: another order of tables holds for the index, for queries, and before later tables", "[ecs]") {
    const Components c;
    for (const unsigned seed : {1u, 2u, 3u}) {
        ArchetypeTables tables(c.registry);
        const auto& numbers = tables.query(Ids{c.number});
        const auto& pairs = tables.query(Ids{c.number, pair(c.likes, any)});
        std::vector<Table*> order{&tables[root]};
        std::vector<slot_t> made;
        for (slot_t i = 0; i != 40; ++i) {
            const Ids ids = i % 3 == 0 ? Ids{c.number, pair(c.likes, Entity(i, 1))} : Ids{pair(c.likes, Entity(i, 1))};
            made.push_back(tables.find_or_make(ids));
            order.push_back(&tables[made.back()]);
        }
        for (slot_t i = 0; i < 40; i += 7) {
            std::erase(order, &tables[made[i]]);
            tables.erase(made[i]);
        }
        std::shuffle(order.begin() + 1, order.end(), std::mt19937(seed));
        tables.reorder(order);
        CHECK(tables.check_invariants());
        const slot_t last = tables.find_or_make(Ids{c.number});
        order.push_back(&tables[last]);
        std::vector<Table*> all, with_number, with_pairs;
        for (const auto& entry : tables.index().tables()) all.push_back(entry.table);
        CHECK(all == order);
        for (Table* const table : order) {
            if (table->contains(c.number)) with_number.push_back(table);
            if (table->contains(c.number) && table != order.back()) with_pairs.push_back(table);
        }
        CHECK(list(numbers) == with_number);
        CHECK(list(pairs) == with_pairs);
        for (const auto& match : numbers) CHECK(match.columns[0] == match.table->column_of(c.number));
        CHECK(tables.check_invariants());
    }
}

//=== the queries that a store keeps, over tables by number ===//

namespace query_cache_test {
namespace {

using Cache = QueryCache;

ComponentId component(std::uint32_t number) { return ComponentIdParts::make(1, number); }
const ComponentId a = component(1), b = component(2), c = component(3), likes = component(4), eats = component(5);

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

} // namespace query_cache_test
