// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "query_support.hpp"
#include "support/thrown.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

using namespace query_test;
using Catch::Matchers::Contains;

namespace {

struct Strength {
    int value = 0;
};
using Pairs = std::vector<std::pair<Entity, ComponentId>>;

template <class Query>
Pairs pairs(const Query& query, ComponentId wildcard) {
    Pairs pairs;
    query.for_each_pair(wildcard, [&](Entity entity, const auto& match, auto&&...) { pairs.push_back({entity, match.id()}); });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

struct Friends {
    ArchetypeStore store{};
    ComponentId likes = store.registry().add_relation("likes"), eats = store.registry().add_relation("eats");
    Entity bob = store.spawn(1), eve = store.spawn(2), apple = store.spawn(3);
    Entity ann = store.spawn(P{}), joe = store.spawn(P{}), tim = store.spawn(V{});
    Friends() {
        store.relate(ann, likes, bob);
        store.relate(ann, likes, eve);
        store.relate(ann, eats, apple);
        store.relate(joe, likes, apple);
        store.relate(joe, eats, apple);
        store.relate(tim, likes, apple);
    }
};

} // namespace

TEST_CASE("Query: for_each_pair meets each matching pair, and with(relation, any) each entity once", "[ecs]") {
    Friends f;
    const auto query = f.store.query<P>();
    CHECK(pairs(query, pair(f.likes, any)) ==
          Pairs{{f.ann, pair(f.likes, f.bob)}, {f.ann, pair(f.likes, f.eve)}, {f.joe, pair(f.likes, f.apple)}});
    CHECK(sorted(found(query.with(f.likes, any))) == sorted({f.ann, f.joe}));
    CHECK(sorted(found(f.store.query<>().with(f.likes, any))) == sorted({f.ann, f.joe, f.tim}));
    CHECK(found(query.with(f.likes, f.eve)) == Entities{f.ann});
    CHECK(found(query.exclude(f.likes, f.eve)) == Entities{f.joe});
    CHECK(query.exclude(f.likes, any).empty());
    CHECK(pairs(query, pair(f.likes, f.apple)) == Pairs{{f.joe, pair(f.likes, f.apple)}});
}

TEST_CASE("Query: the pairs of any relation with a target are found, though they are no neighbours", "[ecs]") {
    Friends f;
    f.store.relate(f.joe, f.likes, f.bob); // between the two pairs with the apple
    f.store.relate(f.joe, f.eats, f.bob);
    CHECK(pairs(f.store.query<P>(), pair(any, f.apple)) ==
          Pairs{{f.ann, pair(f.eats, f.apple)}, {f.joe, pair(f.likes, f.apple)}, {f.joe, pair(f.eats, f.apple)}});
    CHECK(sorted(found(f.store.query<P>().with(any, f.apple))) == sorted({f.ann, f.joe}));
    CHECK(pairs(std::as_const(f.store).query<>(), pair(any, any)).size() == 8);
    CHECK(sorted(found(f.store.query<>().with(any, any))) == sorted({f.ann, f.joe, f.tim}));
    CHECK(found(f.store.query<P>().exclude(any, f.bob)).empty());
}

TEST_CASE("Query: for_each_pair delivers the value of the pair and the components of the query", "[ecs]") {
    ArchetypeStore store;
    const ComponentId owes = store.registry().relation<Strength>({.tracked = true});
    const Entity a = store.spawn(P{1, 0}), b = store.spawn(P{2, 0}), c = store.spawn();
    store.relate(a, b, Strength{10});
    store.relate(a, c, Strength{20});
    store.relate(b, a, Strength{30});
    const tick_t start = store.tick();
    store.advance();
    std::map<std::pair<Entity, Entity>, int> met;
    store.query<const P>().for_each_pair(pair(owes, any), [&](Entity entity, const PairMatch& match, const P& p) {
        met[{entity, match.target()}] = match.get<Strength>().value + static_cast<int>(p.x);
        ++match.get<Strength>().value;
    });
    CHECK(met == std::map<std::pair<Entity, Entity>, int>{{{a, b}, 11}, {{a, c}, 21}, {{b, a}, 32}});
    CHECK(static_cast<const Strength*>(store.get(a, pair(owes, c)))->value == 21);
    CHECK(found(store.query<>().changed(pair(owes, c), start)) == Entities{a});
    int sum = 0;
    std::as_const(store).query<>().for_each_pair(pair(owes, any), [&](Entity, const ConstPairMatch& match) {
        sum += static_cast<const Strength*>(match.value())->value;
        CHECK_THAT(test::thrown_text<std::invalid_argument>([&] { static_cast<void>(match.get<int>()); }),
                   Contains("no value of this type"));
    });
    CHECK(sum == 63);
}

TEST_CASE("Query: for_each_pair delivers the targets of switched relations", "[ecs]") {
    Friends f;
    const ComponentId state = f.store.registry().add_relation("state", {.switched = true});
    f.store.relate(f.ann, state, f.apple);
    f.store.relate(f.tim, state, f.bob);
    CHECK(pairs(f.store.query<>(), pair(state, any)) == Pairs{{f.ann, pair(state, f.apple)}, {f.tim, pair(state, f.bob)}});
    CHECK(pairs(f.store.query<P>(), pair(state, f.apple)) == Pairs{{f.ann, pair(state, f.apple)}});
    CHECK(pairs(f.store.query<P>(), pair(any, f.apple)).size() == 4);
    CHECK(pairs(std::as_const(f.store).query<>(), pair(any, any)).size() == 8);
    CHECK(sorted(found(f.store.query<>().with(any, f.bob))) == sorted({f.ann, f.tim}));
    CHECK(found(f.store.query<P>().exclude(any, f.bob)) == Entities{f.joe});
    CHECK(f.store.query<>().with(any, any).size() == 3);
}

TEST_CASE("Query: pairs that are disabled are not met", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes", {.toggle = true});
    const Entity a = store.spawn(), b = store.spawn(), c = store.spawn();
    for (const Entity entity : {a, b}) {
        store.relate(entity, likes, b);
        store.relate(entity, likes, c);
    }
    store.enable(a, pair(likes, b), false);
    CHECK(pairs(store.query<>(), pair(likes, any)).size() == 3);
    CHECK(found(store.query<>().with(likes, b)) == Entities{b});
    CHECK(sorted(found(store.query<>().with(likes, any))) == sorted({a, b}));
    CHECK(sorted(found(store.query<>().exclude(likes, b))) == sorted({a, c}));
    store.enable(a, pair(likes, c), false);
    CHECK(found(store.query<>().with(likes, any)) == Entities{b});
    CHECK(found(store.query<>().with(any, any)) == Entities{b});
    CHECK(sorted(found(store.query<>().exclude(likes, any))) == sorted({a, c}));
}

TEST_CASE("Query: for_each_pair refuses what is no pair, and unknown relations, in words", "[ecs]") {
    ArchetypeStore store;
    const auto query = store.query<>();
    const auto refused = [&](ComponentId id) {
        return test::thrown_text<std::invalid_argument>([&] { query.for_each_pair(id, [](auto&&...) {}); });
    };
    CHECK_THAT(refused(store.registry().id<P>()), Contains("is no pair"));
    CHECK_THAT(refused(pair(store.registry().id<P>(), any)), Contains("without a relation"));
}

TEST_CASE("Query: pairs with a dead target are gone, and its recycled id is not matched", "[ecs]") {
    Friends f;
    const auto fond = f.store.query<>().with(f.likes, f.bob);
    CHECK(found(fond) == Entities{f.ann});
    f.store.despawn(f.bob);
    CHECK(fond.empty());
    const Entity recycled = f.store.spawn();
    CHECK(recycled.index() == f.bob.index());
    CHECK(fond.empty());
    CHECK(f.store.query<>().with(f.likes, recycled).empty());
    CHECK(pairs(f.store.query<P>(), pair(f.likes, any)).size() == 2);
}
