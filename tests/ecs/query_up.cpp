// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Walks along a relation: what ancestors have, and parents before their children.
#include "query_support.hpp"
#include "support/thrown.hpp"

#include <map>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>

using namespace query_test;
using Catch::Matchers::Contains;

namespace {

struct Local {
    int value = 0;
};
struct Global {
    int value = 0;
};
struct Aside {
    int value = 0;
};
struct Unknown {
    int value = 0;
};

/// The traits of a relation in which entities have parents.
struct Family {
    const char* name;
    ComponentTraits traits;
};
const Family families[] = {
    {"in tables", {}}, {"exclusive", {.exclusive = true}}, {"toggled", {.toggle = true}}, {"switched", {.switched = true}}};

/// What the walks should do, one entity at a time.
struct Model {
    ArchetypeStore& store;
    ComponentId relation;

    Entity parent(Entity entity) const {
        for (const Entity target : store.targets(entity, relation))
            if (store.is_enabled(entity, pair(relation, target))) return target;
        return {};
    }
    template <class T>
    const T* up(Entity entity) const {
        std::vector<Entity> asked;
        for (Entity each = parent(entity); each; each = parent(each)) {
            if (std::find(asked.begin(), asked.end(), each) != asked.end()) return nullptr;
            asked.push_back(each);
            if (store.is_enabled<T>(each)) return std::as_const(store).get<T>(each);
        }
        return nullptr;
    }
    bool in_circle(Entity entity) const {
        Entity each = parent(entity);
        for (std::size_t i = 0; i != store.size() && each; ++i) {
            if (each == entity) return true;
            each = parent(each);
        }
        return false;
    }
    /// Whether each entity comes after its parent, if both are there and the parent is in no circle: a child of one that is may
    /// share its table.
    bool is_order(const Entities& walked) const {
        std::map<Entity, std::size_t> place;
        for (const Entity entity : walked) place.emplace(entity, place.size());
        if (place.size() != walked.size()) return false; // one was met twice
        for (const Entity entity : walked) {
            const Entity of = parent(entity);
            if (of && place.contains(of) && !in_circle(of) && place[of] > place[entity]) return false;
        }
        return true;
    }
};

} // namespace

TEST_CASE("Query: up passes on from parents to children in one walk", "[ecs]") {
    for (const Family& family : families) {
        INFO(family.name);
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation("child of", family.traits);
        Entities chain;
        for (int i = 0; i != 50; ++i) chain.push_back(store.spawn(Local{1}, Global{}));
        for (std::size_t i = 0; i + 1 != chain.size(); ++i)
            store.relate(chain[i], child_of, chain[i + 1]); // the last is the root
        const auto query = store.query<const Local, Global>().up<const Global>(child_of);
        const auto sums = [&] {
            for (std::size_t i = 0; i != chain.size(); ++i)
                if (store.get<Global>(chain[i])->value != static_cast<int>(chain.size() - i)) return false;
            return true;
        };
        query.for_each([](const Local& local, Global& global, const Global* parent) {
            global.value = local.value + (parent == nullptr ? 0 : parent->value);
        });
        CHECK(sums());
        for (auto [entity, local, global, parent] : query) global.value = 0;
        for (auto [local, global, parent] : query.rows()) global.value = local.value + (parent == nullptr ? 0 : parent->value);
        CHECK(sums());
        CHECK(query.first() == chain.back());
        CHECK(query.size() == chain.size());
        CHECK(std::get<2>(query.get(chain[3]).value()) == store.get<Global>(chain[4]));
        CHECK(std::get<2>(query.get(chain.back()).value()) == nullptr);
        CHECK(query.contains(chain[0]));
        int met = 0;
        std::as_const(store).query<const Local>().up<const Unknown>(child_of).for_each(
            [&](const Local&, const Unknown* none) { met += none == nullptr; });
        CHECK(met == 50);
    }
}

TEST_CASE("Query: up delivers the value of the nearest ancestor that has it enabled, sparse or not, and not the own one",
          "[ecs]") {
    for (const Family& family : families) {
        INFO(family.name);
        ArchetypeStore store;
        store.registry().add<Global>({.toggle = true});
        store.registry().add<Aside>({.sparse = true});
        const ComponentId child_of = store.registry().add_relation("child of", family.traits);
        const Entity root = store.spawn(Global{1}, Aside{10}), middle = store.spawn(Global{2}), leaf = store.spawn(Local{}),
                     bare = store.spawn(Local{}, Global{5}, Aside{6});
        store.relate(leaf, child_of, middle);
        store.relate(middle, child_of, root);
        const auto query = store.query<const Local>().up<const Global>(child_of).up<const Aside>(child_of);
        const auto ups = [&](Entity entity) {
            const auto [local, global, aside] = *query.get(entity);
            return std::pair(global == nullptr ? 0 : global->value, aside == nullptr ? 0 : aside->value);
        };
        CHECK(ups(leaf) == std::pair(2, 10));
        CHECK(ups(bare) == std::pair(0, 0));
        store.disable<Global>(middle);
        CHECK(ups(leaf) == std::pair(1, 10));
        store.despawn(root);
        CHECK(ups(leaf) == std::pair(0, 0));
        int met = 0;
        query.for_each(
            [&](const Local&, const Global* global, const Aside* aside) { met += global == nullptr && aside == nullptr; });
        CHECK(met == 2);
    }
}

TEST_CASE("Query: cascade orders walks, chunks and first, and delivers nothing more", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of");
    Entities chain;
    for (int i = 0; i != 6; ++i) chain.push_back(store.spawn(P{}));
    for (std::size_t i = 0; i != 5; ++i) store.relate(chain[i], child_of, chain[i + 1]);
    const Entities expected(chain.rbegin(), chain.rend());
    const auto query = store.query<const P>().cascade(child_of);
    CHECK(found(query) == expected);
    Entities met;
    query.for_each_chunk(
        [&](std::span<const Entity> entities, std::span<const P>) { met.insert(met.end(), entities.begin(), entities.end()); });
    CHECK(met == expected);
    met.clear();
    for (const auto& chunk : query.chunks()) met.insert(met.end(), chunk.entities().begin(), chunk.entities().end());
    CHECK(met == expected);
    CHECK(found(store.query<>().with<P>().cascade(child_of)).front() == chain.back());
    store.remove<P>(chain[3]); // what does not match is between them nevertheless
    CHECK(found(query) == Entities{chain[5], chain[4], chain[2], chain[1], chain[0]});
    const Entity friends[] = {store.spawn(P{}), store.spawn(P{})};
    store.relate(friends[0], child_of, friends[1]);
    store.relate(friends[0], child_of, chain[0]); // the first target is the parent
    CHECK(found(query).back() == (store.target(friends[0], child_of) == chain[0] ? friends[0] : chain[0]));
}

TEST_CASE("Query: ancestors in a circle end, and each row is met once", "[ecs]") {
    for (const Family& family : families) {
        INFO(family.name);
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation("child of", family.traits);
        Entities ring;
        for (int i = 0; i != 5; ++i) ring.push_back(store.spawn(P{}));
        for (std::size_t i = 0; i != 5; ++i) store.relate(ring[i], child_of, ring[(i + 1) % 5]);
        const Entity tail = store.spawn(P{}), self = store.spawn(P{}, Global{1});
        store.relate(tail, child_of, ring[2]);
        store.relate(self, child_of, self);
        const auto query = store.query<const P>().up<const Global>(child_of);
        const Entities walked = found(query);
        CHECK(sorted(walked) == sorted({ring[0], ring[1], ring[2], ring[3], ring[4], tail, self}));
        CHECK(Model{store, child_of}.is_order(walked));
        for (const Entity entity : walked) CHECK((std::get<1>(*query.get(entity)) == nullptr) == (entity != self));
        store.add(ring[4], Global{7});
        for (const Entity entity : walked)
            CHECK(std::get<1>(*query.get(entity)) == store.get<Global>(entity == self ? self : ring[4]));
    }
}

TEST_CASE("Query: a parent that a buffer will spawn is none yet", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of");
    const Entity a = store.spawn(P{}), parent = store.spawn(Global{3});
    store.relate(a, child_of, parent);
    CHECK(store.extract_reserved(parent));
    CHECK(found(store.query<const P>().up<const Global>(child_of)) == Entities{a});
    CHECK(std::get<1>(*store.query<const P>().up<const Global>(child_of).get(a)) == nullptr);
}

TEST_CASE("Query: up and cascade refuse in words what is no relation, and a second order", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of"), near = store.registry().add_relation("near");
    const auto query = store.query<const P>();
    const auto refused = [](auto&& act) { return test::thrown_text<std::invalid_argument>(act); };
    CHECK_THAT(refused([&] { static_cast<void>(query.cascade(store.registry().id<P>())); }), Contains("this is none"));
    CHECK_THAT(refused([&] { static_cast<void>(query.up<const Global>(pair(child_of, any))); }), Contains("this is none"));
    CHECK_THAT(refused([&] { static_cast<void>(query.up<const Global>(ComponentId())); }), Contains("this is none"));
    CHECK_THAT(refused([&] { static_cast<void>(query.cascade(child_of).up<const Global>(near)); }), Contains("two relations"));
    CHECK(query.cascade(child_of).up<const Global>(child_of).empty());
}

TEST_CASE("Query: queries that ask ancestors in different relations are different ones", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of"), near = store.registry().add_relation("near");
    const Entity a = store.spawn(P{}), b = store.spawn(Global{1}), c = store.spawn(Global{2});
    store.relate(a, child_of, b);
    store.relate(a, near, c);
    CHECK(std::get<1>(*store.query<const P>().up<const Global>(child_of).get(a)) == store.get<Global>(b));
    CHECK(std::get<1>(*store.query<const P>().up<const Global>(near).get(a)) == store.get<Global>(c));
    const auto both = store.query<const P, const Global>();
    CHECK(found(both.up<const Global>(near)).empty());
}

TEST_CASE("Query: an order holds with rows left out, sparse components and stamps", "[ecs]") {
    for (const Family& family : families) {
        INFO(family.name);
        ArchetypeStore store;
        store.registry().add<Global>({.toggle = true, .tracked = true});
        store.registry().add<Aside>({.sparse = true});
        const ComponentId child_of = store.registry().add_relation("child of", family.traits);
        std::mt19937 random(7);
        Entities all;
        for (int i = 0; i != 200; ++i) all.push_back(i % 3 == 0 ? store.spawn(Global{i}) : store.spawn(Global{i}, Aside{i}));
        for (std::size_t i = 0; i + 1 != all.size(); ++i)
            store.relate(all[i], child_of, all[i + 1 + random() % (all.size() - i - 1)]);
        for (const Entity entity : all)
            if (random() % 4 == 0) store.disable<Global>(entity);
        const Model model{store, child_of};
        const tick_t seen = store.advance();
        const auto query = store.query<Global, const Aside>().up<const Global>(child_of);
        Entities walked;
        query.for_each([&](Entity entity, Global& global, const Aside& aside, const Global* up) {
            walked.push_back(entity);
            CHECK((&global == std::as_const(store).get<Global>(entity) && &aside == store.get<Aside>(entity)));
            CHECK(up == model.up<Global>(entity));
        });
        CHECK(model.is_order(walked));
        CHECK(sorted(walked) == sorted(found(store.query<const Global, const Aside>())));
        CHECK(sorted(found(store.query<>().changed<Global>(seen))) == sorted(walked));
        Entities by_iterator;
        for (auto [entity, global, aside, up] : query) by_iterator.push_back(entity);
        CHECK(by_iterator == walked);
    }
}

TEST_CASE("Query: walks along relations agree with a model, whatever happens to the entities", "[ecs]") {
    std::mt19937 random(11);
    for (int world = 0; world != 60; ++world) {
        const Family& family = families[world % 4];
        INFO(family.name << ", world " << world);
        ArchetypeStore store;
        store.registry().add<Global>({.toggle = true});
        const ComponentId child_of = store.registry().add_relation("child of", family.traits);
        const Model model{store, child_of};
        Entities all;
        for (int step = 0; step != 120; ++step) {
            const auto one = [&] { return all[random() % all.size()]; };
            const auto kind = all.size() < 4 ? 0u : random() % 8;
            if (kind == 0)
                all.push_back(random() % 2 == 0 ? store.spawn(Local{step}) : store.spawn(Local{step}, Global{step}));
            else if (kind == 1)
                store.add(one(), Global{step});
            else if (kind == 2)
                store.remove<Global>(one());
            else if (kind == 3)
                store.enable<Global>(one(), random() % 2 == 0);
            else if (kind == 4 && family.traits.toggle) {
                const Entity entity = one();
                for (const Entity target : store.targets(entity, child_of))
                    store.enable(entity, pair(child_of, target), random() % 2 == 0);
            } else if (kind == 5)
                store.unrelate(one(), child_of);
            else if (kind == 6 && random() % 4 == 0) {
                const std::size_t place = random() % all.size();
                store.despawn(all[place]);
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(place));
            } else
                store.relate(one(), child_of, one());
            if (step % 10 != 0) continue;
            const auto query = store.query<const Local>().up<const Global>(child_of);
            Entities walked;
            query.for_each([&](Entity entity, const Local&, const Global* up) {
                walked.push_back(entity);
                CHECK(up == model.up<Global>(entity));
                CHECK(std::get<1>(*query.get(entity)) == up);
            });
            CHECK(model.is_order(walked));
            CHECK(sorted(walked) == sorted(all));
            CHECK(found(std::as_const(store).query<const Local>().cascade(child_of)) == walked);
            CHECK(found(store.query<const Local>().cascade(child_of).with(child_of, any)).size() ==
                  store.query<const Local>().with(child_of, any).size());
        }
    }
}
