// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random commands, directly in one store and through command buffers or defer() in another: what both leave is compared, but
// for what the guide says is meant to differ.
#include "ecs/inside.hpp"
#include "support/bounds.hpp"
#include "support/catch.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

template <int>
struct Number { // a component for each number
    int v = 7;
};
using Plain = Number<0>;
using Brings = Number<1>;      // Plain comes along
using Marked = Number<2>;      // toggle, tracked
using Sparse = Number<3>;      // in no table
using BringsMore = Number<4>;  // Sparse, Marked and Tag come along
using BringsPair = Number<5>;  // pair(one, home) comes along
using BringsOther = Number<6>; // pair(one, away), Brings and Plain come along
struct Tag {};                 // toggle, tracked
struct SparseTag {};
using Text = std::string;

/// What is done, in terms that all stores share.
struct Step {
    enum Kind {
        spawn,
        despawn,
        add,
        add_default,
        set,
        remove,
        add_two,
        set_two,
        remove_two,
        add_list,
        remove_list,
        relate,
        relate_value,
        unrelate,
        unrelate_all,
        emplace,
        call
    };
    Kind kind = spawn;
    std::size_t entity = 0, target = 0;
    unsigned component = 0, other = 0, relation = 0;
    int value = 0;
};
constexpr unsigned components = 11, relations = 8, initial = 5, most_spawned = 3, all_entities = initial + most_spawned + 1;
constexpr std::size_t dead = all_entities - 1, to_component = 100; // targets from there on are components

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix_bits(seed + 1)) {}
    unsigned below(unsigned count) {
        return static_cast<unsigned>((state_ = mix_bits(state_ + 0x9E37'79B9'7F4A'7C15u)) % count);
    }

private:
    std::uint64_t state_;
};

/// A store, what its hooks have heard, and its entities by number.
struct World {
    explicit World(bool hooks) {
        ComponentRegistry& r = store.registry();
        for (unsigned i = 0; i != 2; ++i) places[i] = r.add_tag(i == 0 ? "home" : "away");
        ids = {r.add<Plain>("plain")};
        kinds[0] = r.add_relation("many");
        kinds[1] = r.add_relation("one", {.exclusive = true});
        kinds[2] = r.add_relation("kid", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
        kinds[3] = r.add_relation("hold", {.on_target_despawn = OnTargetDespawn::refuse});
        kinds[4] = r.add_relation("mode", {.switched = true});
        kinds[5] = r.add_relation("owes", TypeDescriptor::of<int>(), {.tracked = true});
        kinds[6] = r.add_relation("rank", TypeDescriptor::of<int>(), {.toggle = true, .exclusive = true});
        kinds[7] = r.add_relation("leads", {.on_target_despawn = OnTargetDespawn::despawn, .with = {ids[0]}});
        ids.push_back(r.add<Brings>("brings", {.with = {ids[0]}}));
        ids.push_back(r.add<Marked>("marked", {.toggle = true, .tracked = true}));
        ids.push_back(r.add<Sparse>("sparse", {.sparse = true}));
        ids.push_back(r.add<Tag>("tag", {.toggle = true, .tracked = true}));
        ids.push_back(r.add<BringsMore>("more", {.with = {ids[2], ids[3], ids[4]}}));
        ids.push_back(r.add<BringsPair>("pair", {.with = {pair(kinds[1], places[0])}}));
        ids.push_back(r.add<BringsOther>("other", {.tracked = true, .with = {pair(kinds[1], places[1]), ids[1]}}));
        ids.push_back(r.add<SparseTag>("sparse tag", {.sparse = true}));
        ids.push_back(r.add<Text>("text"));
        ids.push_back(r.add("described", TypeDescriptor::of<int>(), {.toggle = true, .with = {pair(kinds[0], places[0])}}));
        if (!hooks) return;
        for (const HookKind kind : {HookKind::add, HookKind::remove, HookKind::set, HookKind::replace}) {
            const auto on = [&](ComponentId id) {
                const auto hear = [this, kind](Entity entity, ComponentId of, void* value) { heard(kind, entity, of, value); };
                if (kind == HookKind::add) store.on_add(id, hear);
                if (kind == HookKind::remove) store.on_remove(id, hear);
                if (kind == HookKind::set) store.on_set(id, hear);
                if (kind == HookKind::replace) store.on_replace(id, hear);
            };
            for (const ComponentId id : ids) on(id);
            for (const ComponentId id : kinds) on(pair(id, any));
        }
    }
    struct Heard {
        int net = 0;
        std::string given{}, removed{};
    };
    std::size_t number_of(Entity entity) const {
        const auto at = std::find(entities.begin(), entities.end(), entity);
        return at == entities.end() ? entities.size() : static_cast<std::size_t>(at - entities.begin()); // the next one
    }
    std::string name_of(ComponentId id) const {
        if (!id.target()) return store.registry().name(id);
        return store.registry().name(pair(id_of_relation(id), any)) + std::to_string(number_of(id.target()));
    }
    ComponentId id_of_relation(ComponentId id) const { return store.registry().id(id.relation_number()); }
    std::string text_of(ComponentId id, const void* value) const {
        if (value == nullptr) return "-";
        if (id == ids[9]) return *static_cast<const Text*>(value);
        return std::to_string(*static_cast<const int*>(value));
    }
    void heard(HookKind kind, Entity entity, ComponentId id, const void* value) {
        keep_index(kind, entity, id, text_of(id, value));
        if (kind == HookKind::replace) return; // as many as there are values that are assigned
        Heard& all = log[{number_of(entity), name_of(id)}];
        if (kind == HookKind::remove) {
            --all.net;
            all.removed = text_of(id, value);
            return;
        }
        all.net += kind == HookKind::add;
        all.given = text_of(id, value);
    }
    void keep_index(HookKind kind, Entity entity, ComponentId id, std::string text) {
        const std::pair key(entity.to_bits(), id);
        if (kind == HookKind::add || kind == HookKind::set)
            index[key] = std::move(text);
        else if (const auto at = index.find(key); at == index.end() || at->second != text)
            misled = "a key that is not there: " + name_of(id);
        else
            index.erase(at);
    }
    /// What the index has and is not so; "" if nothing.
    std::string wrong_index() const {
        if (!misled.empty()) return misled;
        std::size_t found = 0;
        for (const Entity entity : store.entities())
            if (store.is_alive(entity))
                store.for_each_component(entity, [&](ComponentId id, const void* value) {
                    const auto at = index.find({entity.to_bits(), id});
                    found += at != index.end() && at->second == text_of(id, value);
                });
        std::size_t all = 0;
        for (const Entity entity : store.entities())
            if (store.is_alive(entity)) store.for_each_component(entity, [&](ComponentId, const void*) { ++all; });
        return found == all && found == index.size() ? "" : "an index that hooks keep";
    }
    ComponentId target_of(const Step& step) const {
        return step.target >= to_component ? pair(kinds[step.relation], places[step.target - to_component])
                                           : pair(kinds[step.relation], entities[step.target]);
    }
    /// What an entity has, with values, bits and ticks.
    std::map<std::string, std::string> parts_of(std::size_t number, tick_t since) const {
        std::map<std::string, std::string> parts;
        const Entity entity = entities[number];
        const auto& core = test::inside(store);
        const EntityLocation* const at = core.location(entity);
        if (at == nullptr) return parts;
        parts["lives"];
        store.for_each_component(entity, [&](ComponentId id, const void* value) {
            std::string text = text_of(id, value);
            const Table& table = core.table(*at);
            if (const std::int32_t place = table.place_of(id); place >= 0) {
                text += store.is_enabled(entity, id) ? "" : " disabled";
                if (const TickColumn* const ticks = table.ticks(static_cast<std::size_t>(place)))
                    text += (ticks->added(at->row()) == since ? " added" : "") +
                            std::string(ticks->changed(at->row()) == since ? " changed" : "");
            }
            parts[name_of(id)] = text;
        });
        return parts;
    }

    ArchetypeStore store;
    ComponentId places[2];
    std::vector<ComponentId> ids{};
    ComponentId kinds[relations];
    std::vector<Entity> entities{};
    std::map<std::pair<std::size_t, std::string>, Heard> log{};
    std::map<std::pair<std::uint64_t, ComponentId>, std::string> index{}; // values, which hooks keep
    std::string misled{};                                                 // an error of it
};

/// Calls f.operator()<T>() for the type of a component, or f(id) for one without a type.
template <class F>
decltype(auto) with_type(unsigned component, F&& f) {
    switch (component) {
    case 0:
        return f.template operator()<Plain>();
    case 1:
        return f.template operator()<Brings>();
    case 2:
        return f.template operator()<Marked>();
    case 3:
        return f.template operator()<Sparse>();
    case 4:
        return f.template operator()<Tag>();
    case 5:
        return f.template operator()<BringsMore>();
    case 6:
        return f.template operator()<BringsPair>();
    case 7:
        return f.template operator()<BringsOther>();
    case 8:
        return f.template operator()<SparseTag>();
    default:
        return f.template operator()<Text>();
    }
}
/// For two types in one call.
template <class F>
decltype(auto) with_first(unsigned component, F&& f) {
    switch (component % 3) {
    case 0:
        return f.template operator()<Plain>();
    case 1:
        return f.template operator()<Sparse>();
    default:
        return f.template operator()<Tag>();
    }
}
template <class F>
decltype(auto) with_second(unsigned component, F&& f) {
    switch (component % 2) {
    case 0:
        return f.template operator()<BringsMore>();
    default:
        return f.template operator()<BringsOther>();
    }
}
template <class T>
T made(int value) {
    if constexpr (std::is_same_v<T, Text>)
        return "a text that is not short: " + std::to_string(value);
    else if constexpr (std::is_empty_v<T>)
        return T();
    else
        return T{value};
}

/// Does a step to a store or a buffer. What a store returns is false when nothing was done.
template <class To>
bool act(World& world, To& to, const Step& step) {
    const auto done = [](auto&& call) {
        if constexpr (std::is_same_v<decltype(call()), bool>)
            return call();
        else
            return call(), true;
    };
    if (step.kind == Step::spawn) {
        Entity made_now;
        if (step.component == components - 1)
            made_now = to.spawn();
        else
            with_type(step.component, [&]<class T>() { made_now = to.spawn(made<T>(step.value)); });
        world.entities.push_back(made_now);
        return true;
    }
    const Entity entity = world.entities[step.entity];
    const bool described = step.component == components - 1;
    const ComponentId id = world.ids[step.component];
    const ComponentId two[] = {id, step.value % 2 == 0 ? world.ids[step.other] : world.target_of(step)};
    switch (step.kind) {
    case Step::spawn:
        break;
    case Step::despawn:
        return done([&] { return to.despawn(entity); });
    case Step::add:
        if (described) return done([&] { return to.add(entity, id, AnyValue::of(int{step.value})); });
        return with_type(step.component, [&]<class T>() { return done([&] { return to.add(entity, made<T>(step.value)); }); });
    case Step::add_default:
        if (described || step.value % 2 != 0) return done([&] { return to.add(entity, id); });
        return with_type(step.component, [&]<class T>() { return done([&] { return to.template add<T>(entity); }); });
    case Step::set:
        if (described) return done([&] { return to.set(entity, id, AnyValue::of(int{step.value})); });
        return with_type(step.component, [&]<class T>() { return done([&] { return to.set(entity, made<T>(step.value)); }); });
    case Step::remove:
        if (described || step.value % 2 != 0) return done([&] { return to.remove(entity, id); });
        return with_type(step.component, [&]<class T>() { return done([&] { return to.template remove<T>(entity); }); });
    case Step::add_two:
        return with_first(step.component, [&]<class T>() {
            return with_second(step.other, [&]<class U>() {
                return done([&] { return to.add(entity, made<T>(step.value), made<U>(step.value + 1)); });
            });
        });
    case Step::set_two:
        return with_first(step.component, [&]<class T>() {
            return with_second(step.other, [&]<class U>() {
                return done([&] { return to.set(entity, made<T>(step.value), made<U>(step.value + 1)); });
            });
        });
    case Step::remove_two:
        return with_first(step.component, [&]<class T>() {
            return with_second(step.other, [&]<class U>() { return done([&] { return to.template remove<T, U>(entity); }); });
        });
    case Step::add_list:
        return done([&] { return to.add(entity, std::span(two)); });
    case Step::remove_list:
        return done([&] { return to.remove(entity, std::span(two)); });
    case Step::relate:
        if (step.target >= to_component) return done([&] { return to.add(entity, world.target_of(step)); });
        return done([&] { return to.relate(entity, world.kinds[step.relation], world.entities[step.target]); });
    case Step::relate_value: // of a relation with values
        return done([&] { return to.set(entity, world.target_of(step), AnyValue::of(int{step.value})); });
    case Step::unrelate:
        if (step.target >= to_component) return done([&] { return to.remove(entity, world.target_of(step)); });
        return done([&] { return to.unrelate(entity, world.kinds[step.relation], world.entities[step.target]); });
    case Step::unrelate_all:
        return done([&] { return to.unrelate(entity, world.kinds[step.relation]); });
    case Step::emplace:
        if (std::is_same_v<To, ArchetypeStore> && !world.store.is_alive(entity)) return false;
        return to.template emplace<Text>(entity, "a text that is not short: " + std::to_string(step.value)), true;
    case Step::call: {
        const auto f = [&world, entity, value = step.value] {
            world.store.set(entity, Plain{value});
            if (value % 3 == 0) world.store.add<Brings, Sparse>(entity);
        };
        if constexpr (std::is_same_v<To, ArchetypeStore>)
            f();
        else
            to.call(f);
        return true;
    }
    }
    return true;
}

Step random_step(Random& random, std::size_t entities, unsigned few) {
    static constexpr Step::Kind kinds[] = {
        Step::spawn,      Step::despawn,      Step::add,         Step::add,      Step::add_default,  Step::set,
        Step::set,        Step::remove,       Step::remove,      Step::remove,   Step::add_two,      Step::set_two,
        Step::remove_two, Step::add_list,     Step::remove_list, Step::relate,   Step::relate,       Step::relate,
        Step::relate,     Step::relate_value, Step::unrelate,    Step::unrelate, Step::unrelate_all, Step::despawn,
        Step::call,       Step::call,         Step::emplace};
    Step step;
    step.kind = kinds[random.below(sizeof kinds / sizeof *kinds)];
    if (step.kind == Step::spawn && entities == all_entities - 1) step.kind = Step::set;
    const auto any_entity = [&] {
        const auto at = random.below(static_cast<unsigned>(entities) + (random.below(8) == 0));
        return at == entities ? dead : static_cast<std::size_t>(at);
    };
    step.entity = random.below(few) != 0 ? random.below(2) : any_entity(); // most are about two entities
    step.target = random.below(4) == 0 ? to_component + random.below(2) : any_entity();
    step.component = random.below(components);
    step.other = random.below(components);
    step.relation = step.kind == Step::relate_value ? 5 + random.below(2) : random.below(relations);
    if (step.relation == 4 && step.target >= to_component) step.target = any_entity(); // has entities as targets
    step.value = static_cast<int>(random.below(1'000'000));
    return step;
}

/// The entities that both worlds begin with.
void begin(World& world, Random random) {
    world.entities.clear();
    world.log.clear();
    for (unsigned i = 0; i != initial; ++i) world.entities.push_back(world.store.spawn());
    for (int i = 0; i != 14; ++i) {
        Step step = random_step(random, initial, 3);
        if (step.kind == Step::spawn || step.kind == Step::despawn || step.target == dead || step.entity == dead) continue;
        act(world, world.store, step);
    }
    for (const Entity entity : world.entities)
        for (const ComponentId id : {world.ids[2], world.ids[4], world.ids[10]})
            if (random.below(2) == 0) world.store.enable(entity, id, false);
    world.store.advance();
    world.log.clear();
}

struct Outcome {
    std::size_t dropped = 0;
    std::set<std::size_t> refused{}; // entities whose end a relation refuses
};
Entity gone(World& world) {
    const Entity entity = world.store.spawn();
    world.store.despawn(entity);
    return entity;
}
template <class To>
bool act_with_dead(World& world, To& to, Step step, Entity never) {
    if (step.kind == Step::spawn) return act(world, to, step);
    const std::size_t count = world.entities.size();
    world.entities.push_back(never);
    if (step.entity == dead) step.entity = count;
    if (step.target == dead) step.target = count;
    const ScopeGuard undo([&]() noexcept { world.entities.resize(count); });
    return act(world, to, step);
}
Outcome do_directly(World& world, const std::vector<Step>& steps, Entity never) {
    Outcome outcome;
    for (const Step& step : steps) {
        bool done = false;
        try {
            done = act_with_dead(world, world.store, step, never);
            if (!done) ++outcome.dropped;
        } catch (const std::invalid_argument&) {
            if (step.kind == Step::despawn)
                outcome.refused.insert(step.entity);
            else
                ++outcome.dropped;
        }
    }
    return outcome;
}
Outcome do_buffered(World& world, const std::vector<Step>& steps, Entity never, std::vector<CommandBuffer*> buffers) {
    Outcome outcome;
    for (std::size_t i = 0; i != steps.size(); ++i)
        act_with_dead(world, *buffers[i * buffers.size() / steps.size()], steps[i], never);
    for (CommandBuffer* const buffer : buffers)
        for (bool again = true; again;) {
            again = false;
            try {
                outcome.dropped += world.store.apply(*buffer);
            } catch (const std::invalid_argument&) {
                again = true;
            }
        }
    return outcome;
}

/// The same by defer(), every other step in a call within the call.
Outcome do_deferred(World& world, const std::vector<Step>& steps, Entity never) {
    Outcome outcome;
    outcome.dropped = world.store.defer([&](CommandBuffer& commands) {
        for (std::size_t i = 0; i != steps.size(); ++i)
            if (i % 2 == 0)
                act_with_dead(world, commands, steps[i], never);
            else
                world.store.defer([&](CommandBuffer& inner) { act_with_dead(world, inner, steps[i], never); });
    });
    return outcome;
}

/// Whether the guide says that a despawn that is refused is not as it is directly: what is recorded about the entity is lost.
bool loses(const std::vector<Step>& steps, const std::set<std::size_t>& refused) {
    for (const std::size_t entity : refused) {
        if (entity >= initial) return true;
        std::size_t about = 0;
        for (const Step& step : steps) about += step.entity == entity || step.target == entity;
        if (about > 1) return true;
    }
    return false;
}
/// Whether all dropped commands are counted: those before the end of their entity are not.
bool counts_all(const std::vector<Step>& steps) {
    for (std::size_t i = 0; i != steps.size(); ++i)
        if (steps[i].kind == Step::despawn)
            for (std::size_t k = 0; k != i; ++k)
                if (steps[k].entity == steps[i].entity && steps[k].kind != Step::spawn) return false;
    return true;
}

std::string told(const std::vector<Step>& steps) {
    static const char* const names[] = {"spawn",        "despawn",  "add",          "add_default", "set",         "remove",
                                        "add_two",      "set_two",  "remove_two",   "add_list",    "remove_list", "relate",
                                        "relate_value", "unrelate", "unrelate_all", "emplace",     "call"};
    std::string text;
    for (const Step& s : steps)
        text += "\n  " + std::string(names[s.kind]) + " entity " + std::to_string(s.entity) + " component " +
                std::to_string(s.component) + " other " + std::to_string(s.other) + " relation " + std::to_string(s.relation) +
                " target " + std::to_string(s.target) + " value " + std::to_string(s.value);
    return text;
}

/// The first difference; empty if there is none.
std::string difference(World& a, World& b) {
    if (a.store.size() != b.store.size()) return "entities";
    const tick_t now = a.store.tick();
    for (std::size_t i = 0; i != a.entities.size(); ++i) {
        const auto of_a = a.parts_of(i, now), of_b = b.parts_of(i, b.store.tick());
        for (const auto& [name, text] : of_a) {
            const auto at = of_b.find(name);
            if (at == of_b.end()) return "entity " + std::to_string(i) + " has directly " + name;
            if (at->second != text)
                return "entity " + std::to_string(i) + ": " + name + " is directly " + text + ", and " + at->second;
        }
        for (const auto& [name, text] : of_b)
            if (of_a.count(name) == 0) return "entity " + std::to_string(i) + " has by the buffer " + name;
    }
    for (const bool swapped : {false, true})
        for (const auto& [of, heard] : (swapped ? b : a).log) {
            const auto at = (swapped ? a : b).log.find(of);
            const World::Heard other = at == (swapped ? a : b).log.end() ? World::Heard() : at->second;
            const std::string what = " of " + of.second + " of entity " + std::to_string(of.first);
            if (heard.net != other.net)
                return "net count" + what + ": " + std::to_string(heard.net) + ", " + std::to_string(other.net);
            const bool present = of.first < a.entities.size() && a.parts_of(of.first, now).count(of.second) != 0;
            if (present && heard.given != other.given) return "value given" + what + ": " + heard.given + ", " + other.given;
            // what was set before the end of its entity is not assigned
            const bool lives = of.first < a.entities.size() && a.store.is_alive(a.entities[of.first]);
            if (lives && !present && heard.net == -1 && heard.removed != other.removed)
                return "value removed" + what + ": " + heard.removed + ", " + other.removed;
        }
    return {};
}

} // namespace

TEST_CASE("CommandBuffer: random commands leave what the same calls leave directly, in one buffer, in two, and by defer()",
          "[ecs]") {
    const int rounds = test::bound(40, 650);
    std::size_t compared = 0, different = 0;
    for (int round = 0; round != rounds; ++round) {
        const bool hooks = round % 2 == 0, two = round % 4 >= 2;
        World direct(hooks), buffered(hooks);
        CommandBuffer first(buffered.store), second(buffered.store);
        std::vector<CommandBuffer*> buffers{&first};
        if (two) buffers.push_back(&second);
        for (int sequence = 0; sequence != 40 && different < 5; ++sequence) {
            const auto seed = static_cast<std::uint64_t>(round * 1000 + sequence);
            const Entity never_direct = gone(direct), never = gone(buffered);
            begin(direct, Random(seed));
            begin(buffered, Random(seed));
            REQUIRE(difference(direct, buffered) == "");
            Random random(seed + 0x1'0000'0000u);
            std::vector<Step> steps;
            std::size_t entities = initial;
            for (unsigned left = 1 + random.below(8); left != 0; --left) {
                steps.push_back(random_step(random, entities, 1 + random.below(4)));
                if (steps.back().kind == Step::spawn) steps.back().entity = entities++;
            }
            const Outcome one = do_directly(direct, steps, never_direct);
            const bool defers = sequence % 3 == 2 && one.refused.empty(); // an exception would drop the rest
            const Outcome other = defers ? do_deferred(buffered, steps, never) : do_buffered(buffered, steps, never, buffers);
            CHECK(buffered.store.check_invariants());
            if (hooks) CHECK((direct.wrong_index() == "" && buffered.wrong_index() == ""));
            if (!loses(steps, one.refused)) {
                ++compared;
                std::string found = difference(direct, buffered);
                if (found.empty() && counts_all(steps) && one.dropped != other.dropped)
                    found = "dropped: " + std::to_string(one.dropped) + ", " + std::to_string(other.dropped);
                INFO("round " << round << " sequence " << sequence << told(steps));
                CHECK(found == "");
                different += !found.empty();
            }
            for (World* const world : {&direct, &buffered})
                while (!world->store.empty()) { // tables and hooks stay
                    world->store.clear();
                }
        }
    }
    CHECK(compared > static_cast<std::size_t>(rounds) * 30);
}
