// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/detail/archetype_tables.hpp>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

using namespace slotwise;
using namespace test;
using detail::ArchetypeTables;

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
