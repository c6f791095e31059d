// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hooks with a throw at every step of every change: what they were told is what is there, and with values that move without a
// throw nothing they were told is undone. What is kept of removals is what was removed. Memory runs out by the operator new of
// failing_new.cpp.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Plain {
    int value = 0;
};
template <class Value>
struct SparseOf {
    Value value{};
};
template <class Value>
struct HealthOf {
    Value value{};
};
template <class Value>
struct DutyOf { ///< comes with a pair of `owner`, which replaces the one that is there
    Value value{};
};
struct Flag { ///< can be disabled, and has ticks
    int value = 0;
};

enum class Hooks { all, removals };
enum class Thrower { first, later }; ///< whether the hook that throws is called before the index's or after all others

/// How often hooks were called for a component of an entity, and whether it had it before.
struct Calls {
    int had = 0, added = 0, removed = 0;
};

/// What an index has of an entity.
struct Key {
    int value = 0;
    bool there = false;
};

/// Entities of which each is related to others, and what hooks were told of them.
template <class Value>
struct World {
    using Sparse = SparseOf<Value>;
    using Health = HealthOf<Value>;
    using Duty = DutyOf<Value>;
    ArchetypeStore store{};
    ComponentId tag = store.registry().add_tag("tag"), other = store.registry().add_tag("other"),
                likes = store.registry().add_relation("likes"),
                owner = store.registry().add_relation("owner", {.exclusive = true}),
                debt = store.registry().add_relation("debt", TypeDescriptor::of<Value>(), {.exclusive = true}),
                mood = store.registry().add_relation("mood", {.switched = true}),
                child = store.registry().add_relation("child", {.on_target_despawn = OnTargetDespawn::despawn}),
                plain = store.registry().id<Plain>(), health = store.registry().template id<Health>(), sparse, duty, flag;
    std::vector<Entity> entities{};
    std::map<std::pair<std::uint64_t, ComponentId>, Calls> told{};
    std::map<std::uint64_t, int> values{};                        ///< of Plain
    std::map<std::pair<std::uint64_t, ComponentId>, Key> index{}; ///< that hooks keep, of values
    std::string misled{};                                         ///< a key that was erased and was not there
    bool hears = false;                                           ///< the hooks count
    int removals_until_throw = 0;                                 ///< of on_remove; 0: none throws
    int replacements_until_throw = 0;                             ///< of on_replace; 0: none throws
    std::string unreadable{};                                     ///< what was not there when on_remove was called
    Entity gone{};                                                ///< its id is reserved

    explicit World(Hooks hooks = Hooks::all, Thrower thrower = Thrower::first) {
        flag = store.registry().add<Flag>({.toggle = true, .tracked = true});
        duty = store.registry().template add<Duty>({.with = {pair(owner, tag)}});
        sparse = store.registry().template add<Sparse>({.sparse = true});
        for (int i = 0; i != 6; ++i) entities.push_back(store.spawn(Plain{i}, Health{}, Flag{i}));
        const Entity target = entities[5];
        store.enable(entities[1], flag, false);
        gone = store.spawn(Plain{9});
        store.erase_reserved(gone);
        for (std::size_t i = 0; i != 4; ++i) {
            store.relate(entities[i], likes, target);
            store.relate(entities[i], owner, target);
            store.relate(entities[i], debt, target, AnyValue::of(Value(3)));
            store.relate(entities[i], mood, target);
            store.add(entities[i], Sparse{});
        }
        store.relate(entities[3], child, entities[4]);
        store.relate(entities[4], mood, entities[3]);
        for (const ComponentId id : ids()) store.keep_removed(id); // before the hooks: one that throws finds its entity there
        for (const ComponentId id : ids()) {
            store.on_remove(id, [this, thrower](Entity entity, ComponentId of, void* value) {
                if (!hears) return;
                ++told[{entity.to_bits(), of}].removed; // before it throws: on_add hooks are called then
                if (!is_readable(entity, of, value)) unreadable = "a component that is removed";
                if (thrower == Thrower::first) count_down(removals_until_throw);
            });
            if (hooks == Hooks::removals) continue;
            store.on_add(id, [this](Entity entity, ComponentId of, void* value) {
                if (hears) ++told[{entity.to_bits(), of}].added;
                if (of == plain) values[entity.to_bits()] = static_cast<Plain*>(value)->value;
            });
        }
        if (hooks == Hooks::all)
            for (const ComponentId id : {plain, health, sparse, pair(debt, any)}) {
                const auto key = [this](ComponentId of, const void* value) {
                    if (value == nullptr) return -1; // never: it has values
                    return of == plain ? static_cast<const Plain*>(value)->value : static_cast<const Value*>(value)->value();
                };
                const auto insert = [this, key](Entity entity, ComponentId of, void* value) {
                    index[{entity.to_bits(), of}] = {key(of, value), true};
                };
                const auto erase = [this, key](Entity entity, ComponentId of, void* value) {
                    Key& at = index[{entity.to_bits(), of}];
                    if (!at.there || at.value != key(of, value)) misled = "a key that is not there";
                    at.there = false;
                };
                store.on_add(id, insert);
                store.on_set(id, insert);
                store.on_remove(id, erase);
                store.on_replace(id, [this, erase, thrower](Entity entity, ComponentId of, void* value) {
                    if (thrower == Thrower::first) count_down(replacements_until_throw);
                    erase(entity, of, value);
                });
                for_each([&](Entity entity, ComponentId of, const void* value) {
                    if (of == id || (of.is_pair() && pair(debt, any) == id && of.relation_number() == debt.number()))
                        index[{entity.to_bits(), of}] = {key(of, value), true};
                });
            }
        if (thrower == Thrower::later)
            for (const ComponentId id : ids()) {
                store.on_remove(id, [this](Entity) { count_down(removals_until_throw); });
                store.on_replace(id, [this](Entity) { count_down(replacements_until_throw); });
            }
        if (hooks == Hooks::all)
            store.template on_set<Plain>([this](Entity entity, const Plain& value) { values[entity.to_bits()] = value.value; });
        for_each([&](Entity entity, ComponentId id, const void* value) { // hooks allocate nothing afterwards
            told[{entity.to_bits(), id}].had = 1;
            if (id == plain) values[entity.to_bits()] = static_cast<const Plain*>(value)->value;
        });
        for (const Entity entity : entities)
            for (const ComponentId id : {tag, other, pair(likes, entities[4]), pair(owner, entities[4]),
                                         pair(debt, entities[4]), pair(mood, entities[4]), pair(mood, tag), pair(mood, target),
                                         pair(child, entities[4]), duty, pair(owner, tag)})
                told[{entity.to_bits(), id}];
        for (slot_t index = 0; index != 12; ++index)
            for (const slot_t version : {1u, 3u})
                for (const ComponentId id :
                     {plain, health, tag, sparse, duty, pair(likes, entities[5]), pair(owner, entities[5]), pair(owner, tag)})
                    told[{Entity(index, version).to_bits(), id}], values[Entity(index, version).to_bits()] += 0;
        for (const auto& each : told) index[each.first];
        hears = true;
    }
    void count_down(int& until_throw) const {
        if (hears && until_throw != 0 && --until_throw == 0) throw InjectedFailure();
    }
    std::vector<ComponentId> ids() const {
        return {tag,
                other,
                plain,
                health,
                sparse,
                duty,
                flag,
                pair(likes, any),
                pair(owner, any),
                pair(debt, any),
                pair(mood, any),
                pair(child, any)};
    }
    template <class F>
    void for_each(F&& f) const {
        for (const Entity entity : store.entities())
            store.for_each_component(entity, [&](ComponentId id, const void* value) { f(entity, id, value); });
    }
    /// Whether the component and others of the entity are where they were, and its values not moved from.
    bool is_readable(Entity entity, ComponentId of, const void* value) {
        if (!store.has(entity, of)) return false;
        if (of == health && static_cast<const Health*>(value)->value.moved_from()) return false;
        if (of.is_pair() && of.relation_number() == mood.number() && store.target(entity, mood) != of.target() && of.target())
            return false;
        const Health* const beside = std::as_const(store).template get<Health>(entity);
        return beside == nullptr || !beside->value.moved_from();
    }
    /// What the hooks were told and is not so; "" if nothing.
    std::string wrong() const {
        auto left = told;
        auto keys = index;
        std::string text = unreadable + misled;
        for_each([&](Entity entity, ComponentId id, const void* value) {
            --left[{entity.to_bits(), id}].had;
            if (id == plain && values.at(entity.to_bits()) != static_cast<const Plain*>(value)->value) text += "value ";
        });
        for (const auto& [key, calls] : left)
            if (const int count = calls.had + calls.added - calls.removed; count != 0)
                text += store.registry().name(key.second) + (count > 0 ? " was not added " : " was not told ");
        for_each([&](Entity entity, ComponentId id, const void* value) {
            const bool of_debt = id.is_pair() && id.relation_number() == debt.number();
            if (id != plain && id != health && id != sparse && !of_debt) return;
            Key& key = keys[{entity.to_bits(), id}];
            if (value == nullptr) return;
            const int now = id == plain ? static_cast<const Plain*>(value)->value : static_cast<const Value*>(value)->value();
            if (!key.there || key.value != now) text += store.registry().name(id) + " is not found ";
            key.there = false;
        });
        for (const auto& [key, at] : keys)
            if (at.there) text += store.registry().name(key.second) + " is still found ";
        return text;
    }
    /// Who is kept as one that lost a component and has it, or lost it and is not kept; "" if nobody.
    std::string misremembered() const {
        auto lost = told;
        for_each([&](Entity entity, ComponentId id, const void*) { lost[{entity.to_bits(), id}].had = 0; });
        std::string text;
        for (const ComponentId id : ids()) {
            std::map<std::uint64_t, int> count;
            for (const auto& [key, calls] : lost)
                if (key.second == id || detail::matches_id(id, key.second)) count[key.first] += calls.had;
            for (const Entity entity : store.removed(id, 0)) --count[entity.to_bits()];
            for (const auto& [entity, left] : count)
                if (left != 0) text += store.registry().name(id) + (left > 0 ? " was not kept " : " was kept ");
        }
        return text;
    }
    /// What hooks were called for and that did not happen, or was undone; "" if nothing.
    std::string undone(Hooks hooks) const {
        std::map<std::pair<std::uint64_t, ComponentId>, int> has;
        for_each([&](Entity entity, ComponentId id, const void*) { has[{entity.to_bits(), id}] = 1; });
        std::string text = unreadable;
        for (const auto& [key, calls] : told) {
            const int now = has.count(key) != 0 ? 1 : 0;
            if (calls.removed != (calls.had == 1 && now == 0 ? 1 : 0)) text += store.registry().name(key.second) + " removed ";
            if (hooks == Hooks::all && calls.added != (calls.had == 0 && now == 1 ? 1 : 0))
                text += store.registry().name(key.second) + " added ";
        }
        return text;
    }
};

template <class Value>
struct Operations {
    using W = World<Value>;
    using Sparse = SparseOf<Value>;
    using Health = HealthOf<Value>;
    using Duty = DutyOf<Value>;
    struct Named {
        const char* name;
        void (*act)(W&);
    };
    static inline const Named all[] = {
        {"spawn", [](W& w) { w.store.spawn(Plain{1}, Health{}); }},
        {"spawn with sparse", [](W& w) { w.store.spawn(Plain{1}, Sparse{}); }},
        {"spawn_n", [](W& w) { w.store.spawn_n(3, Plain{1}, Health{}); }},
        {"spawn_n with sparse", [](W& w) { w.store.spawn_n(3, Plain{1}, Sparse{}); }},
        {"spawn_at", [](W& w) { w.store.spawn_at(Entity(9, 1), Plain{1}, Health{}); }},
        {"builder",
         [](W& w) { w.store.builder().with(Health{}).relate(w.likes, w.entities[5]).relate(w.owner, w.entities[5]).spawn(); }},
        {"add a tag", [](W& w) { w.store.add(w.entities[1], w.tag); }},
        {"add a list",
         [](W& w) {
             const ComponentId ids[] = {w.tag, w.other, pair(w.owner, w.entities[4]), pair(w.mood, w.entities[4])};
             w.store.add(w.entities[1], ids);
         }},
        {"add a value", [](W& w) { w.store.add(w.entities[4], Sparse{}); }},
        {"remove a value", [](W& w) { w.store.template remove<Plain>(w.entities[1]); }},
        {"remove two values", [](W& w) { w.store.template remove<Plain, Health>(w.entities[0]); }},
        {"remove by id", [](W& w) { w.store.remove(w.entities[1], w.health); }},
        {"remove a list",
         [](W& w) {
             const ComponentId ids[] = {w.plain, w.sparse, pair(w.likes, w.entities[5]), pair(w.mood, w.entities[5])};
             w.store.remove(w.entities[1], ids);
         }},
        {"remove a sparse one", [](W& w) { w.store.template remove<Sparse>(w.entities[1]); }},
        {"set", [](W& w) { w.store.set(w.entities[1], Plain{7}); }},
        {"set two", [](W& w) { w.store.set(w.entities[1], Plain{7}, Health{}); }},
        {"set and add", [](W& w) { w.store.set(w.entities[4], Plain{7}, Sparse{}); }},
        {"set by id", [](W& w) { w.store.set(w.entities[1], w.plain, AnyValue::of(Plain{7})); }},
        {"set what throws", [](W& w) { w.store.set(w.entities[1], Health{Value(4)}); }},
        {"set two of which the second throws", [](W& w) { w.store.set(w.entities[1], Plain{7}, Health{Value(4)}); }},
        {"set what throws, and add", [](W& w) { w.store.set(w.entities[4], Health{Value(4)}, Plain{6}, Duty{}); }},
        {"set what throws by id",
         [](W& w) {
             const Value value(4);
             w.store.set(w.entities[1], w.health, AnyValue::copied(&value));
         }},
        {"set a sparse one", [](W& w) { w.store.set(w.entities[1], Sparse{Value(4)}); }},
        {"set a sparse one and others", [](W& w) { w.store.set(w.entities[1], Plain{7}, Sparse{Value(4)}, Health{Value(5)}); }},
        {"set the value of a pair",
         [](W& w) {
             const Value value(4);
             w.store.relate(w.entities[1], w.debt, w.entities[5], AnyValue::copied(&value));
         }},
        {"patch", [](W& w) { w.store.template patch<Health>(w.entities[1], [](Health& of) { of.value = Value(4); }); }},
        {"patch two, and throw",
         [](W& w) {
             w.store.template patch<Sparse>(w.entities[1], [](Sparse& of) { of.value = Value(4); });
             w.store.patch(w.entities[1], pair(w.debt, w.entities[5]), [](void* of) { *static_cast<Value*>(of) = Value(4); });
         }},
        {"take", [](W& w) { static_cast<void>(w.store.template take<Health>(w.entities[1])); }},
        {"take a sparse one", [](W& w) { static_cast<void>(w.store.template take<Sparse>(w.entities[1])); }},
        {"take the last row", [](W& w) { static_cast<void>(w.store.template take<Flag>(w.entities[4])); }},
        {"emplace", [](W& w) { w.store.template emplace<Duty>(w.entities[1], Value(4)); }},
        {"emplace a sparse one", [](W& w) { w.store.template emplace<Sparse>(w.entities[4], Value(4)); }},
        {"buffer of values",
         [](W& w) {
             CommandBuffer buffer(w.store);
             const Value value(5);
             buffer.set(w.entities[1], Plain{8});
             buffer.set(w.entities[1], Plain{9}, Health{Value(6)});
             buffer.set(w.entities[1], Health{Value(7)}, Sparse{Value(8)});
             buffer.relate(w.entities[2], w.debt, w.entities[5], AnyValue::copied(&value));
             buffer.set(w.entities[3], Plain{8});
             buffer.template remove<Plain>(w.entities[3]); // one by one
             buffer.template emplace<Sparse>(w.entities[4], Value(4));
             buffer.call([&w] { w.store.set(w.entities[0], Plain{7}, Health{Value(4)}); });
             buffer.set(w.entities[0], Plain{6});
             w.store.apply(buffer);
         }},
        {"relate", [](W& w) { w.store.relate(w.entities[1], w.likes, w.entities[4]); }},
        {"relate, exclusive", [](W& w) { w.store.relate(w.entities[1], w.owner, w.entities[4]); }},
        {"relate, exclusive with a value",
         [](W& w) {
             const Value value(5);
             w.store.relate(w.entities[1], w.debt, w.entities[4], AnyValue::of(value));
         }},
        {"relate, switched", [](W& w) { w.store.relate(w.entities[1], w.mood, w.entities[4]); }},
        {"relate, switched, to one that has many", [](W& w) { w.store.relate(w.entities[4], w.mood, w.entities[5]); }},
        {"a state", [](W& w) { w.store.add(w.entities[1], pair(w.mood, w.tag)); }},
        {"unrelate", [](W& w) { w.store.unrelate(w.entities[1], w.debt, w.entities[5]); }},
        {"unrelate all", [](W& w) { w.store.unrelate(w.entities[1], w.owner); }},
        {"unrelate, switched", [](W& w) { w.store.unrelate(w.entities[1], w.mood); }},
        {"despawn", [](W& w) { w.store.despawn(w.entities[0]); }},
        {"despawn a target", [](W& w) { w.store.despawn(w.entities[5]); }},
        {"despawn with children", [](W& w) { w.store.despawn(w.entities[4]); }},
        {"clear", [](W& w) { w.store.clear(); }},
        {"shrink_to_fit", [](W& w) { w.store.shrink_to_fit(); }},
        {"buffer",
         [](W& w) {
             CommandBuffer buffer(w.store);
             buffer.template remove<Plain>(w.entities[0]);
             buffer.relate(w.entities[0], w.owner, w.entities[4]);
             buffer.despawn(w.entities[2]);
             buffer.add(w.entities[1], Health{});
             buffer.set(w.entities[3], Plain{9});
             w.store.apply(buffer);
         }},
        {"add what replaces a pair", [](W& w) { w.store.add(w.entities[1], Duty{}); }},
        {"set what replaces a pair", [](W& w) { w.store.set(w.entities[1], Plain{7}, Duty{}); }},
        {"add by id what replaces a pair", [](W& w) { w.store.add(w.entities[1], w.duty); }},
        {"remove what is disabled", [](W& w) { w.store.template remove<Flag>(w.entities[1]); }},
        {"remove beside what is disabled", [](W& w) { w.store.template remove<Health>(w.entities[1]); }},
        {"despawn all of a query", [](W& w) { w.store.despawn(w.store.template query<Health>()); }},
        {"despawn some of a query", [](W& w) { w.store.template query<Health>().exclude(w.sparse).despawn_all(); }},
        {"despawn a span", [](W& w) { w.store.despawn(w.entities); }},
        {"remove of a query", [](W& w) { w.store.template remove<Plain, Health>(w.store.template query<Flag>()); }},
        {"remove a sparse one of a query", [](W& w) { w.store.template remove<Sparse>(w.store.template query<Flag>()); }},
        {"remove pairs of a query", [](W& w) { w.store.remove(w.store.template query<Flag>(), pair(w.debt, w.entities[5])); }},
        {"remove_all", [](W& w) { w.store.template remove_all<Health>(); }},
        {"remove_all of a sparse one", [](W& w) { w.store.template remove_all<Sparse>(); }},
        {"buffer of removals",
         [](W& w) {
             CommandBuffer buffer(w.store);
             buffer.template remove<Plain>(w.entities[0]);
             buffer.template remove<Sparse>(w.entities[1]);
             buffer.unrelate(w.entities[2], w.debt, w.entities[5]);
             buffer.despawn(w.entities[3]);
             w.store.apply(buffer);
         }},
        {"erase_reserved", [](W& w) { w.store.erase_reserved(w.entities[0]); }},
        {"erase_reserved of a target", [](W& w) { w.store.erase_reserved(w.entities[5]); }},
        {"extract_reserved", [](W& w) { static_cast<void>(w.store.extract_reserved(w.entities[0])); }},
        {"extract_reserved of a target", [](W& w) { static_cast<void>(w.store.extract_reserved(w.entities[5])); }},
        {"fulfill", [](W& w) { w.store.fulfill(w.gone, Plain{1}, Health{}, Duty{}); }},
        {"buffer of pairs",
         [](W& w) {
             CommandBuffer buffer(w.store);
             const Value value(5);
             buffer.relate(w.entities[0], w.mood, w.entities[4]);
             buffer.add(w.entities[1], Duty{});
             buffer.relate(w.entities[2], w.debt, w.entities[4], AnyValue::copied(&value));
             buffer.unrelate(w.entities[3], w.likes, w.entities[5]);
             buffer.despawn(w.entities[5]);
             w.store.apply(buffer);
         }},
    };
};

/// Every operation with a throw at every step.
template <class Value, class Check>
std::size_t fail_everywhere(Hooks hooks, Check&& check) {
    std::size_t failures = 0;
    for (const auto& operation : Operations<Value>::all) {
        const auto scenario = [&](auto&& attempt) {
            World<Value> world(hooks);
            const bool threw = attempt([&] { operation.act(world); });
            INFO(operation.name << (threw ? ", which threw" : ""));
            check(world);
            CHECK(world.store.check_invariants());
        };
        failures += fail_at_every_step(scenario) + run_out_of_memory(scenario);
    }
    return failures;
}
/// Every operation with a throw of every hook of this kind; returns how many threw.
template <class Value>
int fail_at_every_hook(HookKind of, Thrower thrower) {
    int thrown = 0;
    for (const auto& operation : Operations<Value>::all)
        for (int call = 1;; ++call) {
            World<Value> world(Hooks::all, thrower);
            (of == HookKind::remove ? world.removals_until_throw : world.replacements_until_throw) = call;
            bool threw = false;
            try {
                operation.act(world);
            } catch (const InjectedFailure&) {
                threw = true;
                ++thrown;
            }
            INFO(operation.name << ", at call " << call << " of kind " << static_cast<int>(of)
                                << (thrower == Thrower::later ? ", after all other hooks" : ""));
            CHECK(world.wrong() == "");
            CHECK(world.misremembered() == "");
            CHECK(world.store.check_invariants());
            if (!threw) break;
        }
    return thrown;
}

} // namespace

TEST_CASE("ArchetypeStore: hooks know what is there, whatever throws in whatever change", "[ecs][throws]") {
    const auto check = [](const auto& world) {
        CHECK(world.wrong() == "");
        CHECK(world.misremembered() == "");
    };
    report_sweep(swept("remove_with_hooks"), fail_everywhere<Throwing>(Hooks::all, check));
    report_sweep(swept("remove_with_hooks"), fail_everywhere<ThrowingCopy>(Hooks::all, check));
}

TEST_CASE("ArchetypeStore: no hook is called for what fails, if values move without a throw", "[ecs][throws]") {
    for (const Hooks hooks : {Hooks::all, Hooks::removals}) {
        const auto check = [&](const auto& world) { CHECK(world.undone(hooks) == ""); };
        CHECK(fail_everywhere<ThrowingCopy>(hooks, check) > 100);
    }
}

TEST_CASE("ArchetypeStore: an on_remove hook that throws leaves hooks that know what is there", "[ecs][throws]") {
    for (const Thrower thrower : {Thrower::first, Thrower::later}) {
        CHECK(fail_at_every_hook<Throwing>(HookKind::remove, thrower) > 40);
        CHECK(fail_at_every_hook<ThrowingCopy>(HookKind::remove, thrower) > 40);
    }
}

TEST_CASE("ArchetypeStore: an on_replace hook that throws leaves an index that is right", "[ecs][throws]") {
    for (const Thrower thrower : {Thrower::first, Thrower::later}) {
        CHECK(fail_at_every_hook<Throwing>(HookKind::replace, thrower) > 15);
        CHECK(fail_at_every_hook<ThrowingCopy>(HookKind::replace, thrower) > 15);
    }
}
