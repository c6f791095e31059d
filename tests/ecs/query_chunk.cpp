// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "query_support.hpp"
#include "support/death.hpp"

#include <type_traits>
#include <utility>

using namespace query_test;

TEST_CASE("QueryChunk: a chunk has the entities and values of some rows of a table", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{1, 0}, V{5, 0}), b = store.spawn(P{2, 0}, V{6, 0}), c = store.spawn(P{3, 0}, V{7, 0}, 1);
    const auto query = store.query<P, const V>().optional<int>();
    const auto chunks = query.chunks();
    REQUIRE(chunks.size() == 2);
    CHECK(Entities(chunks[0].entities().begin(), chunks[0].entities().end()) == Entities{a, b});
    CHECK(chunks[1].entities()[0] == c);
    CHECK(chunks[0].size() == 2);
    CHECK(chunks[0].get<P>()[1].x == 2);
    CHECK(chunks[0].get<const V>()[0].x == 5);
    CHECK(chunks[0].get<const P>().data() == chunks[0].get<P>().data());
    CHECK(chunks[0].get<int>().empty());
    CHECK(chunks[1].get<int>()[0] == 1);
    chunks[1].get<P>()[0].x = 9;
    CHECK(store.get<P>(c)->x == 9);
    STATIC_REQUIRE(std::is_same_v<decltype(chunks[0].get<const V>()), std::span<const V>>);
    const auto read = std::as_const(store).query<const P>().chunks();
    STATIC_REQUIRE(std::is_same_v<decltype(read[0].column(ComponentId())), ConstAnySpan>);
    CHECK(read[0].column(store.registry().id<P>()).as<P>()[1].x == 2);
}

TEST_CASE("QueryChunk: chunks are cut at multiples of 4,096 rows, and cover each row once", "[ecs]") {
    ArchetypeStore store;
    const auto spawned = store.spawn_n(10'000, P{}, V{});
    const Entities all(spawned.begin(), spawned.end());
    const auto sizes = [&](std::size_t most) {
        std::vector<std::size_t> rows;
        Entities met;
        for (const auto& chunk : store.query<P>().chunks(most)) {
            rows.push_back(chunk.size());
            met.insert(met.end(), chunk.entities().begin(), chunk.entities().end());
        }
        CHECK(met == all);
        return rows;
    };
    using Sizes = std::vector<std::size_t>;
    CHECK(sizes(static_cast<std::size_t>(-1)) == Sizes{10'000});
    CHECK(sizes(10'000) == Sizes{10'000});
    CHECK(sizes(5000) == Sizes{8192, 1808});
    CHECK(sizes(4096) == Sizes{4096, 4096, 1808});
    CHECK(sizes(1) == Sizes{4096, 4096, 1808});
    CHECK(sizes(0) == Sizes{4096, 4096, 1808});
}

TEST_CASE("QueryChunk: get<T> stamps the rows of its chunk, get<const T> does not", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<P>({.tracked = true});
    store.spawn_n(5000, P{});
    const tick_t start = store.tick();
    store.advance();
    const auto changed = std::as_const(store).query<const P>().changed<P>(start);
    {
        const auto chunks = store.query<P>().chunks(4096);
        REQUIRE(chunks.size() == 2);
        CHECK(chunks[0].get<const P>().size() == 4096);
        CHECK(changed.empty());
        CHECK(chunks[1].get<P>().size() == 904);
    }
    CHECK(changed.size() == 904);
    store.query<P>().chunks()[0].column(store.registry().id<P>());
    CHECK(changed.size() == 5000);
}

TEST_CASE("QueryChunk: parts of tables are stamped when the list is made", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<P>({.toggle = true, .tracked = true});
    const auto spawned = store.spawn_n(100, P{});
    const Entities all(spawned.begin(), spawned.end());
    store.disable<P>(all[50]);
    const tick_t start = store.tick();
    store.advance();
    const auto chunks = store.query<P>().chunks();
    REQUIRE(chunks.size() == 2);
    CHECK(chunks[0].size() == 50);
    CHECK(chunks[1].size() == 49);
    CHECK(std::as_const(store).query<const P>().changed<P>(start).size() == 99);
}

TEST_CASE("QueryChunk: column(id) stamps what the query does not, also where it leaves rows out", "[ecs]") {
    ArchetypeStore store;
    const ComponentId p = store.registry().add<P>({.toggle = true, .tracked = true});
    const ComponentId other = store.registry().add<int>({.tracked = true});
    const auto spawned = store.spawn_n(100, P{}, 1);
    const Entities all(spawned.begin(), spawned.end());
    store.disable<P>(all[50]);
    const tick_t start = store.tick();
    store.advance();
    {
        const auto chunks = store.query<const P>().chunks();
        REQUIRE(chunks.size() == 2);
        chunks[1].column(other);
        CHECK(std::as_const(store).query<const int>().changed<int>(start).size() == 49);
        chunks[0].column(p); // which the query only reads
        CHECK(std::as_const(store).query<const P>().changed<P>(start).size() == 50);
    }
    const auto chunks = store.query<P>().chunks();
    const tick_t later = store.advance();
    chunks[0].column(p); // was stamped when the list was made
    CHECK(std::as_const(store).query<const P>().changed<P>(later).empty());
}

// proves: QueryChunk invalidates, QueryChunks invalidates
TEST_CASE("QueryChunk: the walk lasts as long as the list of chunks, wherever it is moved", "[ecs]") {
    ArchetypeStore store;
    store.spawn(P{});
    {
        auto first = store.query<P>().chunks();
        const auto chunks = std::move(first);
        CHECK(chunks[0].get<P>().size() == 1);
#if SLOTWISE_CHECK_LEVEL >= 1
        CHECK(test::dies_saying("a query is walking", [&] { store.spawn(); }));
#endif
    }
    store.spawn();
    CHECK(store.size() == 2);
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("QueryChunk: a chunk that is not there is refused", "[ecs]") {
    ArchetypeStore store;
    CHECK(test::dies_saying("Query::Chunks[i]: i is not below size()",
                            [&] { static_cast<void>(store.query<P>().chunks()[0].size()); }));
}
#endif
