// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Entities that are hidden from queries, and copies of entities.
#include "ecs/query_support.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <memory>
#include <string>

using namespace query_test;
using namespace test;

namespace {

struct Prefab {};
struct Disabled {
    std::string why{};
};
struct Note {
    std::string text{};
};
struct Aside {
    int value = 0;
};
struct Only {
    std::unique_ptr<int> value{};
};
struct OnlyAside {
    std::unique_ptr<int> value{};
};
struct Secret {
    std::unique_ptr<int> value{};
};

/// A store with two components that hide, and one of each other kind.
struct World {
    ArchetypeStore store{};
    ComponentId prefab = store.registry().add<Prefab>({.hides = true}),
                disabled = store.registry().add<Disabled>({.tracked = true, .hides = true}),
                aside = store.registry().add<Aside>({.sparse = true}), v = store.registry().add<V>({.toggle = true}),
                p = store.registry().add<P>({.tracked = true}), likes = store.registry().add_relation("likes"),
                mood = store.registry().add_relation("mood", {.switched = true}),
                owes = store.registry().add_relation("owes", TypeDescriptor::of<int>());
};

template <class F>
bool says(F&& act, const char* words) {
    return thrown_text<std::invalid_argument>(act).find(words) != std::string::npos;
}

/// How many entities a query finds, which all ways to ask agree about.
template <class Query>
std::size_t count(const Query& query) {
    const Entities walked = found(query);
    Entities ranged;
    for (auto it = query.begin(); it != query.end(); ++it) ranged.push_back(std::get<0>(*it));
    std::size_t chunked = 0;
    for (const auto& chunk : query.chunks()) chunked += chunk.size();
    CHECK((ranged == walked && chunked == walked.size() && query.size() == walked.size()));
    CHECK(query.first() == (walked.empty() ? Entity() : walked.front()));
    CHECK(query.empty() == walked.empty());
    return walked.size();
}

} // namespace

TEST_CASE("ArchetypeStore hides: only queries that name the component match, whichever way they are asked", "[ecs]") {
    World w;
    ArchetypeStore& store = w.store;
    const ArchetypeStore& reader = w.store;
    const auto both = [&](auto&& check) {
        check(store);
        check(reader);
    };
    const Entity target = store.spawn();
    const auto sizes = [&](std::size_t shown, std::size_t prefabs, std::size_t off, std::size_t twice) {
        both([&](auto& of) {
            CHECK(of.template query<const P, const V>().size() == shown);
            CHECK(found(of.template query<const P, const V>()).size() == shown);
            CHECK(of.template query<const P>().template with<Prefab>().size() == prefabs);
            CHECK(of.template query<const P, Prefab>().size() == prefabs);
            CHECK(of.template query<const P>().template with<Disabled>().size() == off);
            CHECK(of.template query<const P, Prefab>().template with<Disabled>().size() == twice);
            CHECK(of.template query<const P>().template optional<const Disabled>().size() == shown + off);
            CHECK(of.template query<const P, Prefab>().template optional<const Disabled>().size() == prefabs + twice);
            CHECK(of.template query<const P>().template exclude<Prefab>().size() == shown);
            CHECK(of.template query<const P>().template optional<const Disabled>().template exclude<Prefab>().size() ==
                  shown + off);
            CHECK(of.template query<const P>().template added<Disabled>(0).size() == off);
            CHECK(of.template query<const Aside>().size() == shown);
            CHECK(of.template query<const Aside>().template with<Prefab>().size() == prefabs);
            CHECK(of.template query<>().with(w.likes, target).size() == shown);
            CHECK(of.template query<>().with(w.likes, any).size() == shown);
            CHECK(of.template query<>().with(any, target).size() == shown);
            CHECK(of.template query<>().with(w.mood, target).size() == shown);
            CHECK(of.template query<>().with(w.mood, target).template with<Prefab>().size() == prefabs);
            std::size_t pairs = 0, moods = 0;
            of.template query<>().for_each_pair(pair(w.likes, any), [&](Entity, auto&) { ++pairs; });
            of.template query<Prefab>().for_each_pair(pair(w.mood, any), [&](Entity, auto&) { ++moods; });
            CHECK((pairs == shown && moods == prefabs));
        });
        CHECK(store.check_invariants());
    };
    sizes(0, 0, 0, 0); // queries that the store keeps come before the tables
    const auto spawn = [&](auto&&... more) {
        const Entity entity = store.spawn(P{1, 2}, V{3, 4}, Aside{5}, more...);
        store.relate(entity, w.likes, target);
        store.relate(entity, w.mood, target);
        return entity;
    };
    const Entity shown = spawn();
    sizes(1, 0, 0, 0);
    const Entity prefab = spawn(Prefab{});
    spawn(Disabled{"off"});
    spawn(Prefab{}, Disabled{"off"});
    sizes(1, 1, 1, 1);
    CHECK(store.size() == 5);
    CHECK(store.query<>().size() == 2);
    CHECK(store.has<Prefab>(prefab)); // whoever has its id, finds it
    CHECK(store.at<P>(prefab).x == 1);
    for (const Entity each : store.sources(w.likes, target)) CHECK(store.is_alive(each));

    store.remove<Prefab>(prefab); // and back
    sizes(2, 0, 1, 1);
    store.add<Prefab>(prefab);
    sizes(1, 1, 1, 1);
    store.add<Prefab>(shown);
    sizes(0, 2, 1, 1);
    store.shrink_to_fit();
    sizes(0, 2, 1, 1);
    store.despawn(prefab);
    store.remove<Prefab>(shown);
    sizes(1, 0, 1, 1);
}

TEST_CASE("ArchetypeStore hides: walks by rows, runs, iterators and chunks agree", "[ecs]") {
    World w;
    for (int i = 0; i != 40; ++i) {
        const Entity entity = w.store.spawn(P{float(i), 0}, V{});
        if (i % 3 == 0) w.store.add<Prefab>(entity);
        if (i % 5 == 0) w.store.disable<V>(entity);
        if (i % 7 == 0) w.store.add(entity, Disabled{"seven"});
    }
    const ArchetypeStore& reader = w.store;
    std::size_t shown = 0, enabled = 0, prefabs = 0;
    for (int i = 0; i != 40; ++i) {
        if (i % 7 == 0) continue;
        shown += i % 3 != 0;
        enabled += i % 3 != 0 && i % 5 != 0;
        prefabs += i % 3 == 0;
    }
    CHECK(count(w.store.query<P>()) == shown);
    CHECK(count(reader.query<const P>()) == shown);
    CHECK(count(w.store.query<const P, const V>()) == enabled);
    CHECK(count(reader.query<const P, const V>()) == enabled);
    CHECK(count(w.store.query<P>().with<Prefab>()) == prefabs);
    CHECK(count(w.store.query<const P>().with<Prefab>().optional<const Disabled>()) == 14);
    CHECK(count(reader.query<const P>().with<Prefab>().optional<const Disabled>()) == 14);
}

TEST_CASE("ArchetypeStore hides: a query of a const store that is older than the component obeys it", "[ecs]") {
    ArchetypeStore store;
    const ArchetypeStore& reader = store;
    const auto all = reader.query<const P>();
    const auto templates = reader.query<const P, Prefab>();
    const auto maybe = reader.query<const P>().optional<const Disabled>();
    store.registry().add<Prefab>({.hides = true});
    store.registry().add<Disabled>({.hides = true});
    store.spawn(P{}, Prefab{});
    store.spawn(P{}, Disabled{});
    store.spawn(P{});
    CHECK((all.size() == 1 && templates.size() == 1 && maybe.size() == 2));
    store.query<const P>().warm();
    CHECK((all.size() == 1 && templates.size() == 1 && maybe.size() == 2));
}

TEST_CASE("ArchetypeStore hides: what cannot hide is refused in words", "[ecs]") {
    ComponentRegistry registry;
    const auto refused = [&](ComponentTraits traits) {
        return says([&] { registry.add<Prefab>(traits); }, "cannot hide entities");
    };
    CHECK(refused({.sparse = true, .hides = true}));
    CHECK(refused({.toggle = true, .hides = true}));
    CHECK(says([&] { registry.add_relation("r", {.hides = true}); }, "cannot hide entities"));
    CHECK(says([&] { registry.add_relation("r", {.switched = true, .hides = true}); }, "cannot hide entities"));
    const ComponentId prefab = registry.add<Prefab>({.tracked = true, .hides = true});
    CHECK(registry.traits(prefab).hides);
    CHECK(says([&] { registry.add<Prefab>({.tracked = true}); }, "other traits"));
}

TEST_CASE("ArchetypeStore hides: a snapshot finds the trait in the registry that it is restored with", "[ecs]") {
    World from, to;
    from.store.spawn(P{1, 0}, Prefab{});
    from.store.spawn(P{2, 0});
    to.store.query<P>().warm();
    to.store.restore(from.store.snapshot());
    CHECK((to.store.size() == 2 && to.store.query<P>().size() == 1 && to.store.query<P, Prefab>().size() == 1));
    CHECK(to.store.snapshot() == from.store.snapshot());
}

TEST_CASE("ArchetypeStore::clone copies all that an entity has, but for what hides it", "[ecs]") {
    World w;
    ArchetypeStore& store = w.store;
    const Entity target = store.spawn(), child = store.spawn();
    const Entity goblin = store.spawn(Prefab{}, Disabled{"a"}, P{1, 2}, V{3, 4}, Aside{5}, Frozen{},
                                      Note{"a text that is too long to be in the string itself"});
    store.relate(goblin, w.likes, target);
    store.relate(goblin, w.likes, goblin);
    store.relate(goblin, w.mood, target);
    store.relate(goblin, w.owes, target, AnyValue::of(7));
    store.relate(child, w.likes, goblin);
    store.disable<V>(goblin);
    store.advance();
    const auto check = [&](Entity live) {
        CHECK((store.is_alive(live) && !store.has<Prefab>(live) && !store.has<Disabled>(live) && store.has<Frozen>(live)));
        CHECK((store.at<P>(live).y == 2 && store.at<V>(live).x == 3 && store.at<Aside>(live).value == 5));
        CHECK(store.at<Note>(live).text == store.at<Note>(goblin).text);
        CHECK((!store.is_enabled<V>(live) && store.target(live, w.mood) == target));
        CHECK((store.has(live, pair(w.likes, target)) && store.has(live, pair(w.likes, goblin))));
        CHECK(!store.has(live, pair(w.likes, live)));
        CHECK(*static_cast<const int*>(store.get(live, pair(w.owes, target))) == 7);
        CHECK(store.sources(w.likes, live).empty());                                         // what relates to it is not copied
        CHECK(std::as_const(store).query<const P>().added<P>(store.tick() - 1).size() >= 1); // it is new
    };
    const Entity live = store.clone(goblin);
    check(live);
    std::vector<Entity> made{live};
    for (int i = 0; i != 20; ++i) made.push_back(store.clone(i % 2 == 0 ? goblin : live));
    for (const Entity each : store.clone_n(goblin, 1000)) made.push_back(each);
    for (const Entity each : store.clone_n(live, 100)) made.push_back(each); // rows of the same table
    for (const Entity each : made) check(each);
    CHECK((store.size() == 3 + made.size() && store.check_invariants()));
    CHECK((store.query<const P>().size() == made.size() && store.query<const P, const V>().empty()));

    store.get<Note>(live)->text = "own"; // values are its own
    CHECK(store.at<Note>(made[1]).text != "own");
    CHECK((store.despawn(target) && store.target(live, w.mood) == Entity() && !store.has(live, pair(w.likes, any)) == false));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore::clone: nothing comes of an entity that does not live, and of zero copies", "[ecs]") {
    World w;
    const Entity dead = w.store.spawn(P{});
    w.store.despawn(dead);
    CHECK(w.store.clone(dead) == Entity());
    CHECK(w.store.clone(Entity()) == Entity());
    CHECK(w.store.clone_n(dead, 10).empty());
    const Entity live = w.store.spawn(P{1, 1});
    CHECK(w.store.clone_n(live, 0).empty());
    CommandBuffer buffer(w.store);
    const Entity pending = buffer.spawn(P{}), later = buffer.spawn(P{2, 2});
    CHECK(w.store.clone(pending) == Entity());
    const Entity copy = w.store.clone(live.with_user_bits(3));
    CHECK((copy != pending && copy != later && w.store.at<P>(copy).x == 1 && w.store.size() == 2));
    CHECK((w.store.apply(buffer) == 0 && w.store.at<P>(later).x == 2 && w.store.check_invariants()));
    CHECK(w.store.clone(w.store.spawn()) != Entity());
}

TEST_CASE("ArchetypeStore::clone refuses what cannot be copied by its name, and changes nothing", "[ecs]") {
    World w;
    ArchetypeStore& store = w.store;
    store.registry().add<Only>("gold");
    store.registry().add<OnlyAside>("silver", {.sparse = true});
    store.registry().add<Secret>("secret", {.hides = true});
    const Entity gold = store.spawn(P{}, Only{std::make_unique<int>(1)}), silver = store.spawn(OnlyAside{});
    const Entity hidden = store.spawn(P{4, 4}, Secret{std::make_unique<int>(1)});
    const Entity next = inside(store).entities.next();
    CHECK(says([&] { store.clone(gold); }, "the component gold cannot be copied"));
    CHECK(says([&] { static_cast<void>(store.clone_n(silver, 3)); }, "the component silver cannot be copied"));
    CHECK((store.size() == 3 && inside(store).entities.next() == next && store.check_invariants()));
    CHECK(store.at<P>(store.clone(hidden)).x == 4); // it is left out
}

TEST_CASE("ArchetypeStore::clone calls on_add hooks as spawn does, and values may use the store and buffers meanwhile",
          "[ecs]") {
    World w;
    ArchetypeStore& store = w.store;
    CommandBuffer buffer(store);
    std::vector<std::pair<ComponentId, Entity>> seen;
    for (const ComponentId id : {w.p, w.aside, pair(w.likes, any), pair(w.mood, any), w.prefab})
        store.on_add(id, [&](Entity entity, ComponentId of, void*) {
            seen.push_back({of, entity});
            buffer.spawn(P{9, 9});
        });
    const Entity target = store.spawn();
    const Entity source = store.spawn(P{}, Aside{}, Prefab{});
    store.relate(source, w.likes, target);
    store.relate(source, w.mood, target);
    const auto copies = store.clone_n(source, 2);
    const std::vector<Entity> made(copies.begin(), copies.end());
    CHECK(seen.size() == 5 + 2 * 4);
    for (const Entity entity : made)
        for (const ComponentId id : {w.p, w.aside, pair(w.likes, target), pair(w.mood, target)})
            CHECK(std::count(seen.begin(), seen.end(), std::pair(id, entity)) == 1);
    const std::size_t size = store.size(), recorded = buffer.size();
    CHECK((store.apply(buffer) == 0 && store.size() == size + recorded && store.check_invariants()));

    struct Asks {
        ArchetypeStore* store;
        CommandBuffer* buffer;
        Entity self;
        Asks(ArchetypeStore& s, CommandBuffer& b) : store(&s), buffer(&b) {}
        Asks(Asks&&) noexcept = default;
        Asks& operator=(Asks&&) noexcept = default;
        Asks& operator=(const Asks&) = delete;
        Asks(const Asks& other) : store(other.store), buffer(other.buffer), self(other.self) {
            CHECK(store->get<Asks>(self) == &other); // the values of the store are where they were
            buffer->spawn(P{1, 1});
        }
    };
    const Entity asks = store.spawn(Asks(store, buffer));
    store.at<Asks>(asks).self = asks;
    const std::size_t before = store.size(), pending = buffer.size();
    const auto many = store.clone_n(asks, 25);
    CHECK((many.size() == 25 && store.size() == before + 25 && store.at<Asks>(many[24]).self == asks));
    CHECK(buffer.size() == pending + 25);
    CHECK((store.apply(buffer) == 0 && store.size() == before + 50 + pending && store.check_invariants()));
}

#if SLOTWISE_EXCEPTIONS
TEST_CASE("ArchetypeStore::clone: what a hook throws reaches the caller, and the clones stay", "[ecs]") {
    World w;
    const Entity source = w.store.spawn(P{});
    w.store.on_add<P>([](Entity) { TEST_THROW(std::runtime_error("hook")); });
    CHECK_THROWS_AS(w.store.clone_n(source, 3), std::runtime_error);
    CHECK((w.store.size() == 4 && w.store.query<P>().size() == 4 && w.store.check_invariants()));
}
#endif
