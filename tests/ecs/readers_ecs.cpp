// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Queries of a const store, read by eight threads at once, and chunks of one query that several threads write.
#include "query_support.hpp"
#include "support/readers.hpp"

#include <atomic>
#include <thread>
#include <utility>

using namespace query_test;
using test::eight_readers;
using test::Sum;

namespace {

struct Crowd {
    ArchetypeStore store{};
    ComponentId state = store.registry().add_relation("state", {.switched = true});
    ComponentId likes = store.registry().add_relation("likes");
    Entity idle = store.spawn(), busy = store.spawn();
    Crowd() {
        store.registry().add<P>({.tracked = true});
        store.registry().add<V>({.toggle = true});
        store.registry().add<long>({.sparse = true});
        for (int i = 0; i != 200; ++i) {
            const Entity entity = store.spawn(P{static_cast<float>(i), 0}, V{});
            if (i % 3 == 0) store.add(entity, i);
            if (i % 4 == 0) store.add(entity, static_cast<long>(i));
            if (i % 5 == 0) store.disable<V>(entity);
            if (i % 7 == 0) store.relate(entity, state, i % 2 == 0 ? idle : busy);
            if (i % 11 == 0) store.relate(entity, likes, idle);
            if (i == 100) store.advance();
        }
    }
};

} // namespace

TEST_CASE("queries of a const store may be made and walked by many threads", "[readers]") {
    Crowd crowd;
    const auto kept = std::as_const(crowd.store).query<const P, const V>();
    const auto late = std::as_const(crowd.store).query<const P>().optional<const double>(); // which is not registered
    const auto read = [&](const ArchetypeStore& store, Sum& sum) {
        kept.for_each([&](Entity entity, const P& p, const V&) { sum += entity, sum += p.x; });
        late.for_each([&](const P& p, const double* none) { sum += p.x, sum += none == nullptr; });
        for (auto [entity, p, number] : store.query<const P, const long>()) sum += entity, sum += number;
        store.query<const P>().exclude<V>().for_each_chunk([&](std::span<const P> p) { sum += p.size(); });
        for (const auto& chunk : store.query<const V>().changed<P>(1).chunks()) sum += chunk.size();
        sum += store.query<const P>().with(crowd.state, crowd.busy).size();
        sum += store.query<const P, const int>().first();
        store.query<>().for_each_pair(pair(any, any),
                                      [&](Entity entity, const auto& pair) { sum += entity, sum += pair.target(); });
    };
    eight_readers(crowd.store, read);
    crowd.store.query<const P, const V>().warm();
    crowd.store.query<const P>().warm();
    eight_readers(crowd.store, read);
}

TEST_CASE("chunks of one query may be written by many threads, which stamps their rows", "[readers]") {
    ArchetypeStore store;
    store.registry().add<P>({.tracked = true});
    store.spawn_n(20'000, P{}, V{1, 2});
    store.spawn_n(9'000, P{}, V{1, 2}, 7);
    const tick_t start = store.tick();
    store.advance();
    {
        const auto chunks = store.query<P, const V>().chunks(1); // of 4,096 rows
        REQUIRE(chunks.size() == 5 + 3);
        std::atomic<std::size_t> next{0};
        std::vector<std::thread> threads;
        for (int i = 0; i != 4; ++i)
            threads.emplace_back([&] {
                for (std::size_t mine = next++; mine < chunks.size(); mine = next++) {
                    const auto p = chunks[mine].get<P>();
                    const auto v = chunks[mine].get<const V>();
                    for (std::size_t row = 0; row != p.size(); ++row) p[row].x += v[row].x;
                }
            });
        for (auto& thread : threads) thread.join();
    }
    float sum = 0;
    store.query<const P>().for_each([&](const P& p) { sum += p.x; });
    CHECK(sum == 29'000);
    CHECK(store.query<const P>().changed<P>(start).size() == 29'000);
    CHECK(store.check_invariants());
}

TEST_CASE("warm queries that write different components may walk in different threads", "[readers]") {
    ArchetypeStore store;
    store.registry().add<P>({.tracked = true});
    store.registry().add<V>({.tracked = true});
    store.spawn_n(5'000, P{}, V{});
    const auto move = store.query<P>();
    const auto push = store.query<V>();
    move.warm();
    push.warm();
    std::thread other([&] { push.for_each([](V& v) { v.x += 1; }); });
    move.for_each([](P& p) { p.x += 1; });
    other.join();
    float sum = 0;
    store.query<const P, const V>().for_each([&](const P& p, const V& v) { sum += p.x + v.x; });
    CHECK(sum == 10'000);
    store.spawn(); // both walks are over
}

TEST_CASE("Query: threads that make the same queries of a const store at once find the same rows", "[readers]") {
    ArchetypeStore store;
    for (int i = 0; i != 100; ++i)
        if (i % 2 == 0)
            store.spawn(i, 1.5);
        else
            store.spawn(i, P{1, 2});
    const ArchetypeStore& reader = store;
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t != 4; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k != 200; ++k) {
                std::size_t rows = reader.query<const int>().with<P>().size() + reader.query<const double>().size();
                for (auto [number, p] : reader.query<const int, const P>().exclude<Frozen>().rows()) rows += number % 2 == 1;
                reader.query<const int>().exclude<double>().for_each([&](const int&) { ++rows; });
                right += rows == 200;
                if (k % 20 == 0) right -= reader.memory_usage() == 0;
            }
        });
    for (std::thread& each : threads) each.join();
    CHECK(right == 800);
}
