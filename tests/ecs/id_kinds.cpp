// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every combination of traits, of a kind of id, and of a function that takes one: it is accepted, and then comes back from all that
// reads, or refused in words, and then nothing has changed.
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;

namespace {

struct Value {
    int value = 7;
};
struct Loves {};

/// A component or relation of a run.
struct Subject {
    const char* name;
    bool relation, values;
    ComponentTraits traits;
};
const std::vector<Subject>& subjects() {
    static const std::vector<Subject> all = [] {
        std::vector<Subject> list;
        for (const bool values : {false, true}) {
            for (const ComponentTraits& traits :
                 {ComponentTraits{}, {.sparse = true}, {.toggle = true}, {.tracked = true}, {.toggle = true, .tracked = true}})
                list.push_back({"component", false, values, traits});
            for (const OnTargetDespawn rule : {OnTargetDespawn::remove, OnTargetDespawn::despawn, OnTargetDespawn::refuse})
                for (const ComponentTraits& traits : {ComponentTraits{},
                                                      {.exclusive = true},
                                                      {.toggle = true},
                                                      {.tracked = true},
                                                      {.toggle = true, .exclusive = true, .tracked = true},
                                                      {.switched = true},
                                                      {.sparse = true},
                                                      {.sparse = true, .exclusive = true, .acyclic = true}}) {
                    if (values && traits.switched) continue; // refused when it is registered
                    list.push_back({"relation", true, values, traits});
                    list.back().traits.on_target_despawn = rule;
                }
        }
        return list;
    }();
    return all;
}

/// A store with the subject, and what ids are made of. Two worlds of one subject have the same numbers.
struct World {
    ArchetypeStore store{};
    ComponentId tag, sparse, valued, subject, companion;
    Entity entity{}, target{}, dead{};

    explicit World(const Subject& of) {
        ComponentRegistry& registry = store.registry();
        tag = registry.add_tag("running");
        sparse = registry.add_tag("walking", {.sparse = true});
        valued = registry.add("valued", TypeDescriptor::of<Value>());
        companion = registry.add_tag("companion");
        const TypeDescriptor& type = TypeDescriptor::of<Value>();
        ComponentTraits traits = of.traits;
        traits.with = {companion};
        if (of.relation)
            subject = of.values ? registry.add_relation("subject", type, traits) : registry.add_relation("subject", traits);
        else
            subject = of.values ? registry.add("subject", type, traits) : registry.add_tag("subject", traits);
    }
    void spawn() {
        target = store.spawn();
        entity = store.spawn();
        dead = store.spawn();
        store.despawn(dead);
    }
    std::vector<ComponentId> listed() const {
        std::vector<ComponentId> ids;
        store.for_each_component(entity, [&](ComponentId id, const void*) { ids.push_back(id); });
        std::sort(ids.begin(), ids.end());
        return ids;
    }
};

struct Kind {
    const char* name;
    bool pair;
    bool exists; ///< an entity can have it if it belongs to a relation, or is none
    std::function<ComponentId(const World&)> make;
};
const std::vector<Kind>& kinds() {
    static const ComponentRegistry foreign = [] {
        ComponentRegistry registry;
        for (const char* name : {"a", "b", "c", "d", "e"}) registry.add_tag(name);
        return registry;
    }();
    static const std::vector<Kind> all = {
        {"alone", false, true, [](const World& w) { return w.subject; }},
        {"pair with an entity", true, true, [](const World& w) { return pair(w.subject, w.target); }},
        {"pair with a tag", true, true, [](const World& w) { return pair(w.subject, w.tag); }},
        {"pair with a sparse tag", true, true, [](const World& w) { return pair(w.subject, w.sparse); }},
        {"pair with a component with values", true, true, [](const World& w) { return pair(w.subject, w.valued); }},
        {"pair with itself", true, true, [](const World& w) { return pair(w.subject, w.subject); }},
        {"pair with the dead", true, false, [](const World& w) { return pair(w.subject, w.dead); }},
        {"pair with null", true, false, [](const World& w) { return pair(w.subject, Entity()); }},
        {"pair with an unknown component", true, false,
         [](const World& w) { return pair(w.subject, ComponentId::from_bits(99)); }},
        {"pair with any", true, false, [](const World& w) { return pair(w.subject, any); }},
        {"any with an entity", true, false, [](const World& w) { return pair(any, w.target); }},
        {"any pair", true, false, [](const World&) { return pair(any, any); }},
        {"null", false, false, [](const World&) { return ComponentId(); }},
        {"unregistered", false, false, [](const World& w) { return ComponentId::from_bits(w.subject.bits() + 1); }},
        {"of another registry", false, false, [](const World&) { return foreign.id(2); }},
        {"pair of no relation", true, false, [](const World& w) { return pair(w.tag, w.target); }},
    };
    return all;
}

struct Entry {
    const char* name;
    std::function<void(World&, ComponentId)> give;
};
const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        {"add", [](World& w, ComponentId id) { w.store.add(w.entity, id); }},
        {"add of a list",
         [](World& w, ComponentId id) {
             const ComponentId ids[] = {id, w.companion};
             w.store.add(w.entity, ids);
         }},
        {"set",
         [](World& w, ComponentId id) {
             const bool values = w.store.registry().contains(id) && w.store.registry().type(id) != nullptr;
             if (values)
                 w.store.set(w.entity, id, AnyValue::of(Value{7}));
             else
                 w.store.add(w.entity, id); // a tag is refused, which is not asked here
         }},
        {"builder", [](World& w, ComponentId id) { w.entity = w.store.builder().with(id).spawn(); }},
        {"buffer",
         [](World& w, ComponentId id) {
             CommandBuffer buffer(w.store);
             buffer.add(w.entity, id);
             w.store.apply(buffer);
         }},
        {"buffer that spawns",
         [](World& w, ComponentId id) {
             CommandBuffer buffer(w.store);
             const Entity entity = buffer.spawn();
             buffer.add(entity, id);
             w.store.apply(buffer);
             w.entity = entity;
         }},
    };
    return all;
}
const std::vector<Entry>& removals() {
    static const std::vector<Entry> all = {
        {"remove", [](World& w, ComponentId id) { w.store.remove(w.entity, id); }},
        {"remove of a list",
         [](World& w, ComponentId id) {
             const ComponentId ids[] = {w.tag, id};
             w.store.remove(w.entity, ids);
         }},
        {"buffer",
         [](World& w, ComponentId id) {
             CommandBuffer buffer(w.store);
             buffer.remove(w.entity, id);
             w.store.apply(buffer);
         }},
    };
    return all;
}

/// Why it did not end well; "" if it was accepted.
template <class F>
std::string refusal(F&& f) {
    return test::thrown_text<std::invalid_argument>(f);
}

void expect_there(World& w, ComponentId id) {
    CHECK(w.store.has(w.entity, id));
    CHECK(w.listed() == (id < w.companion ? std::vector{id, w.companion} : std::vector{w.companion, id}));
    CHECK(w.store.query<>().with(id).size() == 1);
    CHECK(w.store.query<>().with(id).first() == w.entity);
    CHECK(std::as_const(w.store).query<>().with(id).size() == 1);
    CHECK(w.store.query<>().exclude(id).size() == w.store.size() - 1);
    CHECK(w.store.is_enabled(w.entity, id));
    if (id.is_pair()) {
        CHECK(w.store.has(w.entity, pair(w.subject, any)));
        CHECK(w.store.has(w.entity, pair(any, any)));
        CHECK(w.store.query<>().with(w.subject, any).size() == 1);
        CHECK(w.store.query<>().with(any, any).size() == 1);
        std::vector<ComponentId> pairs;
        for (const ComponentId asked : {id, pair(w.subject, any), pair(any, any)})
            w.store.query<>().for_each_pair(asked, [&](Entity, const auto& match) { pairs.push_back(match.id()); });
        CHECK(pairs == std::vector{id, id, id});
        CHECK(w.store.target(w.entity, w.subject) == id.target());
        CHECK(w.store.targets(w.entity, w.subject).size() == (id.target() ? 1 : 0));
        if (id.target()) CHECK(w.store.sources(w.subject, id.target()).size() == 1);
        CHECK_FALSE(w.store.has(w.entity, pair(w.subject, id == pair(w.subject, w.tag) ? w.sparse : w.tag)));
    }
    CHECK(w.store.check_invariants());
}
void expect_gone(World& w, ComponentId id) {
    CHECK_FALSE(w.store.has(w.entity, id));
    CHECK(w.listed() == std::vector{w.companion});
    CHECK(w.store.query<>().with(id).empty());
    if (id.is_pair()) CHECK((!w.store.has(w.entity, pair(w.subject, any)) && w.store.query<>().with(w.subject, any).empty()));
    CHECK(w.store.check_invariants());
}

} // namespace

TEST_CASE("ArchetypeStore: each id is accepted and comes back, or is refused in words, by whatever function", "[ecs]") {
    int accepted = 0, refused = 0;
    for (const Subject& subject : subjects())
        for (const Kind& kind : kinds())
            for (std::size_t number = 0; number != entries().size(); ++number)
                for (const std::size_t of_removal : {number % removals().size()}) { // each with each kind, in turn
                    const Entry &entry = entries()[number], &removal = removals()[of_removal];
                    INFO(subject.name << (subject.traits.switched ? " switched" : "")
                                      << (subject.traits.sparse ? " sparse" : "") << (subject.values ? " with values" : "")
                                      << ", " << kind.name << ", " << entry.name << ", " << removal.name);
                    World w(subject);
                    w.spawn();
                    const ComponentId id = kind.make(w);
                    const bool sparse = subject.relation && subject.traits.sparse; // its targets are entities
                    const bool possible = kind.exists && (kind.pair ? subject.relation && (!sparse || id.target())
                                                                    : !subject.traits.switched && !sparse);
                    int added = 0, removed = 0;
                    if (possible) {
                        w.store.on_add(id, [&](Entity) { ++added; });
                        w.store.on_remove(id, [&](Entity) { ++removed; });
                    }
                    const auto before = w.store.snapshot();
                    const std::string words = refusal([&] { entry.give(w, id); });
                    if (!possible) {
                        ++refused;
                        // a buffer drops a pair with the dead
                        const bool dropped =
                            words.empty() && std::string(entry.name).starts_with("buffer") && id.target() && subject.relation;
                        CHECK((dropped || words.size() > 20));
                        CHECK((w.listed().empty() && !w.store.has(w.entity, id)));
                        if (!dropped) // a pair with the dead is no error
                            CHECK(refusal([&] { removal.give(w, id); }).empty() ==
                                  (subject.relation && id == pair(w.subject, w.dead)));
                        if (!std::string(entry.name).starts_with("buffer")) CHECK(w.store.snapshot() == before);
                        CHECK(w.store.check_invariants());
                        continue;
                    }
                    ++accepted;
                    REQUIRE(words == "");
                    expect_there(w, id);
                    CHECK((added == 1 && removed == 0));
                    World other(subject); // with the same numbers, so the same ids
                    other.store.restore(w.store.snapshot());
                    other.entity = w.entity;
                    if (kind.pair) {
                        const bool by_entity = !!id.target();
                        const ComponentId there = by_entity ? pair(other.subject, id.target()) : id;
                        CHECK(other.store.has(w.entity, there));
                        CHECK(other.store.query<>().with(there).size() == 1);
                    } else
                        CHECK(other.store.has(w.entity, other.subject));
                    CHECK(other.listed().size() == 2);
                    CHECK(other.store.check_invariants());
                    CHECK(other.store.snapshot() == w.store.snapshot());
                    REQUIRE(refusal([&] { removal.give(w, id); }) == "");
                    expect_gone(w, id);
                    CHECK((added == 1 && removed == 1));
                }
    CHECK((accepted > 500 && refused > 500));
}

TEST_CASE("ArchetypeStore: pairs of a switched relation with components are states that take each other's place", "[ecs]") {
    ArchetypeStore store;
    const ComponentId padding = store.registry().add_tag("padding");
    const ComponentId state = store.registry().add_relation("state", {.switched = true});
    const ComponentId running = store.registry().add_tag("running"), walking = store.registry().add_tag("walking");
    int added = 0, removed = 0;
    store.on_add(pair(state, any), [&](Entity) { ++added; });
    store.on_remove(pair(state, any), [&](Entity) { ++removed; });
    const Entity one = store.spawn(), two = store.spawn(), flag = store.spawn();
    store.add(one, pair(state, running));
    store.add(two, pair(state, running));
    CHECK(store.query<>().with(state, running).size() == 2);
    store.add(one, pair(state, walking));
    CHECK((store.has(one, pair(state, walking)) && !store.has(one, pair(state, running))));
    CHECK((store.query<>().with(state, running).size() == 1 && store.query<>().with(any, walking).size() == 1));
    store.relate(one, state, flag);
    CHECK((store.target(one, state) == flag && store.query<>().with(state, any).size() == 2));
    store.add(one, pair(state, walking));
    CHECK((!store.target(one, state) && added - removed == 2));
    CommandBuffer buffer(store);
    buffer.add(two, pair(state, walking));
    store.apply(buffer);
    CHECK((store.query<>().with(state, walking).size() == 2 && added - removed == 2));

    ArchetypeStore other; // where the components have other numbers
    const ComponentId there = other.registry().add_tag("walking"),
                      in = other.registry().add_relation("state", {.switched = true});
    const ComponentId first = other.registry().add_tag("running");
    other.restore(store.snapshot());
    CHECK((other.has(one, pair(in, there)) && !other.has(one, pair(in, first)) && other.query<>().with(in, there).size() == 2));
    CHECK(other.check_invariants());
    CHECK(other.snapshot() == store.snapshot());
    static_cast<void>(padding);

    store.despawn(flag);
    store.despawn(two);
    CHECK((added - removed == 1 && store.query<>().with(state, walking).size() == 1));
    store.remove(one, pair(state, running)); // which it has not
    CHECK(store.has(one, pair(state, walking)));
    store.remove(one, pair(state, walking));
    CHECK((!store.has(one, pair(state, any)) && added == removed && store.check_invariants()));
}

TEST_CASE("ArchetypeStore: a switched or sparse relation without a target is refused in words", "[ecs]") {
    const bool sparse = GENERATE(false, true);
    ArchetypeStore store;
    const ComponentId loves = store.registry().relation<Loves>({.sparse = sparse, .switched = !sparse});
    const Entity entity = store.spawn(), target = store.spawn();
    store.relate(entity, loves, target);
    const auto before = store.snapshot();
    const auto refuses = [&](auto&& f) { CHECK_THAT(refusal(f), Catch::Matchers::Contains("name a pair")); };
    refuses([&] { store.spawn(Loves{}); });
    refuses([&] { store.spawn_n(3, Loves{}); });
    refuses([&] { store.spawn_at(Entity(99, 1), Loves{}); });
    refuses([&] { store.add(entity, Loves{}); });
    refuses([&] { store.add<Loves>(entity); });
    refuses([&] { store.set(entity, Loves{}); });
    refuses([&] { store.remove<Loves>(entity); });
    refuses([&] { store.builder().with<Loves>(); });
    refuses([&] { store.builder().with(Loves{}); });
    refuses([&] { static_cast<void>(store.query<Loves>()); });
    refuses([&] { static_cast<void>(store.query<>().with<Loves>()); });
    refuses([&] { static_cast<void>(store.query<>().exclude(loves)); });
    refuses([&] { store.on_add<Loves>([](Entity) {}); });
    refuses([&] { store.on_remove(loves, [](Entity) {}); });
    CommandBuffer buffer(store);
    refuses([&] { buffer.add(entity, Loves{}); });
    refuses([&] { buffer.remove<Loves>(entity); });
    refuses([&] { buffer.add(entity, loves); });
    CHECK((!store.has<Loves>(entity) && !store.has(entity, loves) && !store.is_enabled(entity, loves)));
    CHECK(store.get(entity, loves) == nullptr);
    store.apply(buffer);
    CHECK((store.snapshot() == before && store.check_invariants() && store.target(entity, loves) == target));
    CHECK_THAT(refusal([&] { store.registry().add_tag("holder", {.with = {loves}}); }), Catch::Matchers::Contains("with"));
    store.for_each_component(entity, [&](ComponentId id, const void*) { CHECK(id == pair(loves, target)); });
}
