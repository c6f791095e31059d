// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore: entities that are spawned, and get components, by columns whose ids are known at run time.
#include "ecs/query_support.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

using namespace slotwise;
using namespace query_test;

namespace {

struct Columns {
    ArchetypeStore store{};
    ComponentId number = store.registry().add("number", TypeDescriptor::of<int>(), {.tracked = true});
    ComponentId name = store.registry().add("name", TypeDescriptor::of<std::string>());
    ComponentId tag = store.registry().add_tag("tag");
    ComponentId likes = store.registry().add_relation("likes");
    ComponentId beside = store.registry().add_tag("beside", {.sparse = true});

    int number_of(Entity entity) const { return *static_cast<const int*>(store.get(entity, number)); }
    std::string name_of(Entity entity) const { return *static_cast<const std::string*>(store.get(entity, name)); }
};

} // namespace

TEST_CASE("Columns: entities are spawned with values of columns, defaults, tags and pairs", "[ecs][columns]") {
    Columns c;
    const Entity bob = c.store.spawn();
    const std::array numbers{5, 6, 7};
    const ComponentId ids[] = {c.tag, c.name, c.number, pair(c.likes, bob), c.number}; // in any order, and twice
    const auto made = c.store.spawn_columns(3, ids, [&](ComponentId id, void* to, std::size_t n) {
        if (id != c.number) return false;
        std::memcpy(to, numbers.data(), n * sizeof(int));
        return true;
    });
    REQUIRE(made.size() == 3);
    for (std::size_t i = 0; i != 3; ++i) {
        CHECK(c.number_of(made[i]) == numbers[i]);
        CHECK(c.name_of(made[i]).empty());
        CHECK(c.store.has(made[i], c.tag));
        CHECK(c.store.target(made[i], c.likes) == bob);
    }
    CHECK(c.store.size() == 4);
    CHECK(c.store.spawn_columns(0, ids, [](auto&&...) { return false; }).empty());
    CHECK(c.store.check_invariants());
}

TEST_CASE("Columns: what throws while entities are spawned leaves the store as before", "[ecs][columns]") {
    Columns c;
    const ComponentId ids[] = {c.number, c.name};
    const auto thrown = [&](ComponentId id, void* to, std::size_t n) {
        if (id == c.name) throw std::runtime_error("no names");
        std::memset(to, 0, n * sizeof(int));
        return true;
    };
    CHECK_THROWS_AS(c.store.spawn_columns(1000, ids, thrown), std::runtime_error);
    CHECK(c.store.empty());
    CHECK(c.store.query<>().empty());
    CHECK(c.store.check_invariants());

    const Entity dead = c.store.spawn();
    c.store.despawn(dead);
    const auto nothing = [](auto&&...) { return false; };
    CHECK_THROWS_AS(c.store.spawn_columns(1, std::array{pair(c.likes, dead)}, nothing), std::invalid_argument);
    CHECK_THROWS_AS(c.store.spawn_columns(1, std::array{c.beside}, nothing), std::invalid_argument);
    CHECK_THROWS_AS(c.store.spawn_columns(1, std::array{ComponentId()}, nothing), std::invalid_argument);
    CHECK(c.store.empty());
}

TEST_CASE("Columns: on_add hooks of spawned columns are called when all is there", "[ecs][columns]") {
    Columns c;
    std::size_t calls = 0;
    c.store.on_add(c.number, [&](Entity, void* value) { calls += *static_cast<int*>(value) == 3 && c.store.size() == 5; });
    c.store.spawn_columns(5, std::array{c.number}, [](ComponentId, void* to, std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) static_cast<int*>(to)[i] = 3;
        return true;
    });
    CHECK(calls == 5);
}

TEST_CASE("Columns: each entity of a list gets its own values, and keeps those that it has", "[ecs][columns]") {
    Columns c;
    Entities list;
    for (int i = 0; i != 100; ++i) {
        list.push_back(c.store.spawn());
        if (i % 3 == 0) c.store.add(list.back(), c.tag);
        if (i % 10 == 9) c.store.add(list.back(), c.number, AnyValue::of(i + 1000));
    }
    c.store.despawn(list[42]);
    const ComponentId ids[] = {c.name, c.number};
    const auto living = c.store.add_columns(list, ids, [&](ComponentId id, std::span<const std::uint32_t> places, void* to) {
        if (id != c.number) return false;
        for (std::size_t i = 0; i != places.size(); ++i) static_cast<int*>(to)[i] = static_cast<int>(places[i]);
        return true;
    });
    CHECK(living == 99);
    for (int i = 0; i != 100; ++i) {
        if (i == 42) continue;
        const Entity each = list[static_cast<std::size_t>(i)];
        CHECK(c.number_of(each) == (i % 10 == 9 ? i + 1000 : i));
        CHECK(c.name_of(each).empty());
        CHECK(c.store.has(each, c.tag) == (i % 3 == 0));
    }
    CHECK(c.store.check_invariants());
    const auto nothing = [](auto&&...) { return false; };
    CHECK_THROWS_AS(c.store.add_columns(list, std::array{c.beside}, nothing), std::invalid_argument);
    const ComponentId child_of = c.store.registry().add_relation("child of", {.acyclic = true});
    CHECK_THROWS_AS(c.store.add_columns(list, std::array{pair(child_of, list[0])}, nothing), std::invalid_argument);
}

TEST_CASE("Columns: a column that is only read is not stamped, and rows say when they were changed", "[ecs][columns]") {
    Columns c;
    c.store.spawn_columns(5000, std::array{c.number}, [](auto&&...) { return false; });
    const tick_t seen = c.store.advance();
    const auto changed = [&] {
        std::vector<std::size_t> rows;
        const auto chunks = c.store.query<>().with(c.number).chunks();
        for (const auto& chunk : chunks) chunk.for_each_changed(c.number, seen, [&](std::size_t row) { rows.push_back(row); });
        return rows;
    };
    {
        const auto chunks = c.store.query<>().with(c.number).chunks();
        REQUIRE(chunks.size() == 1);
        const ConstAnySpan all = chunks[0].const_column(c.number);
        CHECK(all.size() == 5000);
        CHECK(all.as<int>()[4999] == 0);
        CHECK_THROWS_AS(chunks[0].const_column(c.name), std::invalid_argument);
        CHECK_THROWS_AS(chunks[0].const_column(c.tag), std::invalid_argument);
        chunks[0].for_each_changed(c.name, seen, [](std::size_t) { FAIL("no entity has it"); });
    }
    CHECK(changed().empty());
    c.store.set(c.store.query<>().with(c.number).first(), c.number, AnyValue::of(3));
    CHECK(changed() == std::vector<std::size_t>{0});
    {
        const auto chunks = c.store.query<>().with(c.number).chunks();
        static_cast<void>(chunks[0].column(c.number));
    }
    CHECK(changed().size() == 5000);

    c.store.spawn_columns(1, std::array{c.name}, [](auto&&...) { return false; });
    const auto chunks = c.store.query<>().with(c.name).chunks();
    CHECK_THROWS_AS(chunks[0].for_each_changed(c.name, seen, [](std::size_t) {}), std::invalid_argument);
}
