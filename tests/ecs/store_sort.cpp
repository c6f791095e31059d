// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore::sort brings the rows of tables into an order. Query::for_each_sorted and sorted_by have one of their own.
#include "ecs/query_support.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

using namespace slotwise;
using namespace query_test;

namespace {

struct Layer {
    int value = 0;
};
struct Name {
    std::string text{};
};
struct Big { // too large to be a key
    int value = 0;
    int rest[7] = {};
};
struct Aside {
    int value = 0;
};
bool lower(const Layer& a, const Layer& b) { return a.value < b.value; }

/// Entities in several tables, with bits, ticks and sparse values.
struct World {
    ArchetypeStore store{};
    Entities all{};

    explicit World(int count = 300) {
        store.registry().add<V>({.toggle = true, .tracked = true});
        store.registry().add<Aside>({.sparse = true});
        std::mt19937 random(5);
        for (int i = 0; i != count; ++i) {
            const int key = static_cast<int>(random() % 40);
            const Entity entity = store.spawn(Layer{key}, Name{"a name that is on the heap: " + std::to_string(key)});
            all.push_back(entity);
            if (i % 2 == 0) store.add(entity, V{float(i), 0});
            if (i % 3 == 0) store.add(entity, Big{key});
            if (i % 4 == 0) store.add(entity, Aside{i});
            if (i % 5 == 0) store.add<Frozen>(entity);
            if (i % 6 == 0) store.disable<V>(entity);
            if (i % 7 == 0) static_cast<void>(store.advance());
        }
    }
    /// What does not depend on the order of rows.
    std::string contents() const {
        std::string text;
        for (const Entity entity : all) {
            text += std::to_string(store.at<Layer>(entity).value) + store.at<Name>(entity).text;
            store.for_each_component(entity, [&](ComponentId id, const void*) {
                text += store.registry().name(id) + (store.is_enabled(entity, id) ? "," : "-,");
            });
            if (store.has<V>(entity)) text += std::to_string(store.get<V>(entity)->x);
            if (store.has<Big>(entity)) text += std::to_string(store.get<Big>(entity)->value);
            if (store.has<Aside>(entity)) text += std::to_string(store.get<Aside>(entity)->value);
        }
        for (tick_t since = 0; since < store.tick(); since += 3)
            for (const Entity entity : sorted(found(store.query<const V>().changed<V>(since))))
                text += std::to_string(entity.index()) + ";";
        return text;
    }
    /// Whether f(entity before, entity behind) holds for all neighbours in tables.
    template <class F>
    bool neighbours(F&& f) const {
        bool good = true;
        store.query<>().for_each_chunk([&](std::span<const Entity> entities) {
            for (std::size_t i = 1; i < entities.size(); ++i) good = good && f(entities[i - 1], entities[i]);
        });
        return good;
    }
};

} // namespace

TEST_CASE("Sort: rows follow with everything they have, and entities find them", "[ecs][sort]") {
    World world;
    ArchetypeStore& store = world.store;
    const std::string before = world.contents();
    const auto check = [&] { CHECK((store.check_invariants() && world.contents() == before)); };
    const auto index = [](Entity entity) { return entity.index(); };
    store.sort<Layer>(lower);
    check();
    const auto layer = [&](Entity entity) { return store.get<const Layer>(entity)->value; };
    CHECK(world.neighbours([&](Entity a, Entity b) { // stable: they came in the order of their ids
        return std::tuple(layer(a), index(a)) < std::tuple(layer(b), index(b)) || store.has<Big>(a) || store.has<Frozen>(a) ||
               store.has<V>(a);
    }));
    CHECK(world.neighbours([&](Entity a, Entity b) { return layer(a) <= layer(b); }));
    store.sort<Name>([](const Name& a, const Name& b) { return a.text > b.text; }); // by address
    check();
    CHECK(world.neighbours([&](Entity a, Entity b) { return store.get<Name>(a)->text >= store.get<Name>(b)->text; }));
    store.sort<Big>([](const Big& a, const Big& b) { return a.value < b.value; }); // only tables that have it
    check();
    store.sort<Layer>([](Entity a, Entity b) { return a.index() > b.index(); });
    check();
    CHECK(world.neighbours([&](Entity a, Entity b) { return index(a) > index(b); }));
    store.sort<Frozen>([](Entity a, Entity b) { return a.index() < b.index(); });
    check();
    CHECK(world.neighbours([&](Entity a, Entity b) { return (index(a) < index(b)) == store.has<Frozen>(a); }));
}

TEST_CASE("Sort: equal rows keep their order, and rows in order do not move", "[ecs][sort]") {
    ArchetypeStore store;
    for (int i = 0; i != 100; ++i) store.spawn(Layer{i / 10 % 3}, P{float(i), 0});
    store.sort<Layer>(lower);
    const Layer* const first = store.get<Layer>(store.query<Layer>().first());
    std::pair<int, float> last(-1, 0);
    store.query<const Layer, const P>().for_each([&](const Layer& layer, const P& p) {
        CHECK(last < std::pair(layer.value, p.x));
        last = {layer.value, p.x};
    });
    std::size_t calls = 0;
    store.sort<Layer>([&](const Layer& a, const Layer& b) { return ++calls, a.value < b.value; });
    CHECK((calls == 99 && store.get<Layer>(store.query<Layer>().first()) == first));
    struct Number {
        int value;
        bool operator<(const Number& other) const { return value < other.value; }
    };
    for (const int value : {3, 1, 2}) store.spawn(Number{value});
    store.sort<Number>();
    std::vector<int> values;
    for (auto [entity, number] : store.query<const Number>()) values.push_back(number.value);
    CHECK(values == std::vector{1, 2, 3});
}

TEST_CASE("Sort: the order is that of the store until rows come and go, also in a snapshot", "[ecs][sort]") {
    ArchetypeStore store, copy;
    store.registry().add<Layer>("layer"), copy.registry().add<Layer>("layer");
    for (const int value : {5, 3, 4, 1}) store.spawn(Layer{value});
    store.sort<Layer>(lower);
    copy.restore(store.snapshot());
    CHECK(found(copy.query<Layer>()) == found(store.query<Layer>()));
    store.spawn(Layer{0});
    CHECK(store.get<Layer>(found(store.query<Layer>()).back())->value == 0);
}

TEST_CASE("Sort: a sparse component is refused in words, and structure stays while rows are compared", "[ecs][sort]") {
    World world(20);
    CHECK_THROWS_AS(world.store.sort<Aside>([](const Aside& a, const Aside& b) { return a.value < b.value; }),
                    std::invalid_argument);
    const std::string before = world.contents();
    if (SLOTWISE_EXCEPTIONS != 0) {
        int calls = 0;
        CHECK_THROWS_AS(world.store.sort<Layer>([&](const Layer& a, const Layer& b) {
            if (++calls == 9) TEST_THROW(std::runtime_error("it cannot be compared"));
            return a.value > b.value;
        }),
                        std::runtime_error);
        CHECK((world.store.check_invariants() && world.contents() == before));
    }
    world.store.sort<Layer>([&](const Layer& a, const Layer& b) { // reads are allowed
        return world.store.query<const Layer>().size() == 20 && a.value > b.value;
    });
    world.store.despawn(world.all[0]); // and it is over
    CHECK(world.store.size() == 19);
}

TEST_CASE("Sorted walks: the order is that of keys, and of indices among equal ones, whatever happened before", "[ecs][sort]") {
    World world;
    ArchetypeStore& store = world.store;
    const auto walk = [&] {
        Entities order;
        std::pair<int, slot_t> last(-1, 0);
        store.query<const Layer>().for_each_sorted([](const Layer& layer) { return layer.value; },
                                                   [&](Entity entity, const Layer& layer) {
                                                       const std::pair now(layer.value, entity.index());
                                                       CHECK(last < now);
                                                       last = now;
                                                       order.push_back(entity);
                                                   });
        return order;
    };
    const Entities order = walk();
    CHECK(order.size() == world.all.size());
    for (int i = 0; i != 50; ++i) { // other tables and rows
        store.add(world.all[static_cast<std::size_t>(i)], Big{});
        store.remove<Frozen>(world.all[static_cast<std::size_t>(2 * i)]);
    }
    CHECK(walk() == order);
    store.sort<Layer>([](const Layer& a, const Layer& b) { return a.value > b.value; });
    CHECK(walk() == order);
    Entities by_tuple, by_entity, by_text;
    store.query<Layer>().for_each_sorted([](const Layer& layer) { return std::tuple(layer.value, 0); },
                                         [&](Entity entity, Layer&) { by_tuple.push_back(entity); });
    store.query<>().for_each_sorted([](Entity entity) { return -static_cast<int>(entity.index()); },
                                    [&](Entity entity) { by_entity.push_back(entity); });
    CHECK(by_tuple == order);
    CHECK(std::is_sorted(by_entity.rbegin(), by_entity.rend()));
    const ArchetypeStore& reader = store;
    reader.query<const Name>().for_each_sorted([](Entity, const Name& name) -> const std::string& { return name.text; },
                                               [&](Entity entity, const Name&) { by_text.push_back(entity); });
    CHECK(std::is_sorted(by_text.begin(), by_text.end(), [&](Entity a, Entity b) {
        return std::tuple(reader.at<Name>(a).text, a.index()) < std::tuple(reader.at<Name>(b).text, b.index());
    }));
}

TEST_CASE("Sorted walks: terms, optional, sparse and tracked components are as in each walk", "[ecs][sort]") {
    World world;
    ArchetypeStore& store = world.store;
    std::size_t shields = 0, asides = 0, last = 0;
    const auto query = store.query<const Layer>().optional<const V>().exclude<Frozen>();
    query.for_each_sorted([](const Layer&, const V* v) { return v == nullptr ? -1.0f : v->x; },
                          [&](Entity entity, const Layer&, const V* v) {
                              CHECK((v != nullptr) == store.is_enabled<V>(entity));
                              shields += v != nullptr;
                          });
    CHECK(shields == store.query<const V>().exclude<Frozen>().size());
    store.query<const Aside, const Layer>().for_each_sorted([](const Aside& a, const Layer&) { return a.value; },
                                                            [&](const Aside& a, const Layer&) {
                                                                CHECK(static_cast<std::size_t>(a.value) >= last);
                                                                last = static_cast<std::size_t>(a.value);
                                                                ++asides;
                                                            });
    CHECK(asides == store.query<Aside>().size());
    const tick_t seen = store.advance();
    store.query<const V>().for_each_sorted([](const V& v) { return v.x; }, [](const V&) {});
    CHECK(store.query<>().changed<V>(seen).empty());
    const auto some = store.query<V>().exclude<Frozen>();
    some.for_each_sorted([](const V& v) { return v.x; }, [](V& v) { v.y = 1; });
    CHECK(store.query<>().changed<V>(seen).size() == some.size());
}

TEST_CASE("Sorted walks: numbers have one order, also those that do not compare", "[ecs][sort]") {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    struct Number {
        double value;
    };
    ArchetypeStore store;
    Entities entities;
    for (const double value : {nan, 0.0, -0.0, inf, -inf, 1.5, -1.5, -nan, 1e-310, -1e300})
        entities.push_back(store.spawn(Number{value}));
    Entities order;
    store.query<const Number>().for_each_sorted([](const Number& n) { return n.value; },
                                                [&](Entity entity, const Number&) { order.push_back(entity); });
    const int expected[] = {4, 9, 6, 1, 2, 8, 5, 3, 0, 7};
    for (std::size_t i = 0; i != order.size(); ++i) CHECK(order[i] == entities[static_cast<std::size_t>(expected[i])]);
    CHECK(slotwise::detail::number_for_order(-1) < slotwise::detail::number_for_order(0));
    CHECK(slotwise::detail::number_for_order(std::int8_t{-128}) < slotwise::detail::number_for_order(std::int8_t{127}));
    CHECK(slotwise::detail::number_for_order(-1.0f) < slotwise::detail::number_for_order(-0.0f));
    CHECK(slotwise::detail::number_for_order(~0ull) > slotwise::detail::number_for_order(0ull));
    CHECK(slotwise::detail::number_for_order(OnTargetDespawn::despawn) !=
          slotwise::detail::number_for_order(OnTargetDespawn::refuse));
}

TEST_CASE("Sorted lists: rows in the order of a component, as a range-for loop binds them", "[ecs][sort]") {
    World world;
    ArchetypeStore& store = world.store;
    const auto list =
        store.query<Layer, const Name>().sorted_by<Layer>([](const Layer& a, const Layer& b) { return a.value > b.value; });
    CHECK(list.size() == world.all.size());
    std::pair<int, slot_t> last(-100, 0);
    for (auto [entity, layer, name] : list) {
        CHECK((&layer == store.get<Layer>(entity) && &name == store.get<Name>(entity)));
        CHECK(last < std::pair(-layer.value, entity.index()));
        last = {-layer.value, entity.index()};
    }
    std::string text;
    for (auto [entity, name, aside] :
         store.query<const Name, const Aside>().sorted_by<Name>([](const Name& a, const Name& b) { return a.text < b.text; })) {
        CHECK((text <= name.text && aside.value == store.get<Aside>(entity)->value));
        text = name.text;
    }
    CHECK(store.query<const Name>()
              .exclude<Layer>()
              .sorted_by<const Name>([](const auto& a, const auto& b) { return a.text < b.text; })
              .empty());
}
