// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Parts of a store: what is written of some entities comes back as new ones, in whatever store.
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Bytes = std::vector<std::byte>;

struct Position {
    float x = 0, y = 0;
};
struct Name {
    std::string text{};
};
/// Entities in members of each form.
struct Crew {
    Entity captain{};
    std::vector<Entity> sailors{};
    std::array<Entity, 2> guards{};
    std::optional<Entity> guest{};
    std::pair<int, Entity> numbered{};
    std::variant<int, Entity> either{};
};
/// One that is sparse.
struct Owner {
    Entity entity{};
};
struct Level {
    int value = 0;
};
struct Owes {
    int count = 0;
};
struct Hidden {};

} // namespace

/// With hidden members.
class Secret {
public:
    Secret() = default;
    explicit Secret(Entity entity) : entity_(entity) {}
    Entity entity() const { return entity_; }
    Entity& ref() { return entity_; }

private:
    Entity entity_{};
};
class Listed {
public:
    Listed() = default;
    Listed(int first, Entity second) : number(first), entity(second) {}
    int number = 0;
    Entity entity{};
};
template <>
struct slotwise::CodecFor<Secret> {
    static void write(const Secret& value, ByteWriter& out) { DefaultCodec::write(value.entity(), out); }
    static Secret read(ByteReader& in) { return Secret(DefaultCodec::read<Entity>(in)); }
    static void for_each_entity(Secret& value, const auto& f) { f(value.ref()); }
};
template <>
struct slotwise::CodecFor<Listed> : slotwise::MemberCodec<&Listed::number, &Listed::entity> {};

namespace {

const AnyCodec& codec() {
    static const AnyCodec all =
        AnyCodec().add<Position>().add<Name>().add<Crew>().add<Owner>().add<Level>().add<Owes>().add<Secret>().add<Listed>();
    return all;
}

/// A store whose components are registered in one of two orders.
struct World {
    ArchetypeStore store{};
    ComponentId likes{}, parent{}, mode{}, owes{}, mark{}, level{}, hidden{}, crew{}, owner{}, name{}, position{};
    explicit World(bool other = false) {
        ComponentRegistry& registry = store.registry();
        const auto types = [&] {
            name = registry.add<Name>("name");
            position = registry.add<Position>("position", {.tracked = true});
            level = registry.add<Level>("level", {.toggle = true, .tracked = true});
            crew = registry.add<Crew>("crew");
            owner = registry.add<Owner>("owner", {.sparse = true});
            mark = registry.add_tag("mark", {.sparse = true});
            hidden = registry.add<Hidden>("hidden", {.toggle = true});
        };
        const auto relations = [&] {
            likes = registry.add_relation("likes");
            parent = registry.add_relation("parent", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
            mode = registry.add_relation("mode", {.switched = true});
            owes = registry.relation<Owes>("owes");
        };
        if (other) {
            registry.add_tag("another");
            relations();
        }
        types();
        if (!other) relations();
    }
    std::vector<Entity> fill(unsigned seed, int count = 40) {
        std::mt19937 random(seed);
        std::vector<Entity> all;
        const auto any_of_all = [&] { return all[random() % all.size()]; };
        for (int i = 0; i != count; ++i) {
            all.push_back(store.spawn(Position{static_cast<float>(i), 1}));
            const Entity entity = all.back();
            if (random() % 3 == 0) store.add(entity, Name{std::to_string(i)});
            if (random() % 3 == 0) store.add(entity, Level{i});
            if (random() % 3 == 0) store.add<Hidden>(entity);
            if (random() % 2 == 0) store.enable(entity, level, false);
            if (random() % 2 == 0) store.enable(entity, hidden, false);
            if (random() % 3 == 0)
                store.add(entity,
                          Crew{any_of_all(), {any_of_all(), Entity()}, {any_of_all()}, any_of_all(), {i, any_of_all()}});
            if (random() % 3 == 0) store.add(entity, Owner{any_of_all()});
            if (random() % 3 == 0) store.add(entity, mark);
            for (const ComponentId relation : {likes, likes, parent, mode})
                if (random() % 3 == 0) store.relate(entity, relation, any_of_all());
            if (random() % 4 == 0) store.add(entity, pair(likes, hidden));
            if (random() % 6 == 0) store.add(entity, pair(mode, hidden));
            if (random() % 3 == 0) store.relate(entity, any_of_all(), Owes{i});
            if (i % 8 == 0) store.advance();
        }
        for (int i = 0; i != 5 && !all.empty(); ++i) store.despawn(any_of_all());
        std::erase_if(all, [&](Entity each) { return !store.is_alive(each); });
        return all;
    }
};

/// What an entity has, in words. `now` says what an entity is called here.
template <class Now>
std::set<std::string> described(const ArchetypeStore& store, Entity entity, Now&& now) {
    std::set<std::string> all;
    const ComponentRegistry& registry = store.registry();
    const auto called = [&](Entity each) { return to_string(now(each)); };
    store.for_each_component(entity, [&](ComponentId id, const void* value) {
        std::string text = registry.name(id);
        if (const Entity target = id.target()) {
            if (now(target).is_null()) return; // dropped
            text = registry.name(registry.id(id.relation_number())) + " of " + called(target);
        }
        if (!store.is_enabled(entity, id)) text += " (off)";
        const TypeDescriptor* const type = registry.type(id);
        if (value == nullptr || type == nullptr) {
            all.insert(text);
            return;
        }
        text += " = ";
        if (type->id == TypeId::of<Position>())
            text += std::to_string(static_cast<const Position*>(value)->x);
        else if (type->id == TypeId::of<Name>())
            text += static_cast<const Name*>(value)->text;
        else if (type->id == TypeId::of<Level>())
            text += std::to_string(static_cast<const Level*>(value)->value);
        else if (type->id == TypeId::of<Owes>())
            text += std::to_string(static_cast<const Owes*>(value)->count);
        else if (type->id == TypeId::of<Owner>())
            text += called(static_cast<const Owner*>(value)->entity);
        else if (type->id == TypeId::of<Crew>()) {
            const Crew& of = *static_cast<const Crew*>(value);
            text += called(of.captain) + called(of.guards[0]) + called(of.guards[1]) + called(of.numbered.second);
            text += std::to_string(of.numbered.first) + (of.guest ? called(*of.guest) : std::string("none"));
            for (const Entity each : of.sailors) text += called(each);
        }
        all.insert(text);
    });
    return all;
}
Entity same(Entity entity) { return entity; }

} // namespace

TEST_CASE("ArchetypeStore::snapshot_of: a part comes back as new entities with the same components", "[ecs]") {
    std::size_t dropped = 0, cleared = 0;
    for (unsigned seed = 0; seed != 60; ++seed) {
        INFO(seed);
        World from, to(seed % 2 == 1);
        std::mt19937 random(seed);
        const auto all = from.fill(seed), old = to.fill(seed + 100, 10 * static_cast<int>(seed % 3));
        to.store.advance();
        std::vector<Entity> part;
        for (const Entity each : all)
            if (random() % 4 != 0) part.push_back(each);
        std::shuffle(part.begin(), part.end(), random);
        const Bytes bytes = from.store.snapshot_of(part, codec());
        std::map<Entity, std::set<std::string>> before;
        for (const Entity each : old) before[each] = described(to.store, each, same);
        const std::size_t size = to.store.size();
        const InsertedEntities ids = to.store.insert_snapshot(bytes, codec());
        REQUIRE(to.store.check_invariants());
        REQUIRE((ids.size() == part.size() && to.store.size() == size + part.size()));
        const auto now = [&](Entity each) { return ids.find(each); };
        for (const Entity each : part) {
            REQUIRE(to.store.is_alive(ids.at(each)));
            REQUIRE(described(from.store, each, now) == described(to.store, ids.at(each), same));
        }
        for (const auto& [each, words] : before) REQUIRE(described(to.store, each, same) == words);
        std::size_t lost = 0;
        for (const Entity each : part)
            from.store.for_each_component(
                each, [&](ComponentId id, const void*) { lost += id.target() && ids.find(id.target()).is_null(); });
        CHECK(ids.dropped_pairs() == lost);
        dropped += lost;
        cleared += ids.cleared_entities();
        // What it means to be there: relations act on the new ones.
        for (const auto [each, here] : ids)
            for (const Entity target : to.store.targets(here, to.likes)) {
                const auto sources = to.store.sources(to.likes, target);
                CHECK(std::find(sources.begin(), sources.end(), here) != sources.end());
            }
        for (const Entity each : part) to.store.despawn(ids.at(each));
        CHECK(to.store.check_invariants());
        CHECK(to.store.size() == size);
    }
    CHECK((dropped > 100 && cleared > 100));
}

TEST_CASE("ArchetypeStore::snapshot_of: of a query, all or some of the components", "[ecs]") {
    World from, to;
    from.fill(3);
    const auto query = from.store.query<const Level>();
    std::vector<Entity> matching;
    query.for_each([&](Entity entity, const Level&) { matching.push_back(entity); });
    REQUIRE(matching.size() > 3);
    CHECK((from.store.snapshot_of(query, codec()) == from.store.snapshot_of(matching, codec())));
    const tick_t seen = from.store.advance();
    static_cast<void>(from.store.snapshot_of(from.store.query<Level>(), codec())); // which it does not write
    CHECK(from.store.query<const Level>().changed<Level>(seen).empty());

    const auto only =
        to.store.insert_snapshot(from.store.snapshot_of(query, codec(), from.store.only<Position, Level>()), codec());
    for (const auto [old, now] : only) {
        std::size_t count = 0;
        to.store.for_each_component(now, [&](ComponentId, const void*) { ++count; });
        CHECK((count == 2 && to.store.at<Level>(now).value == from.store.at<Level>(old).value));
        CHECK(to.store.is_enabled<Level>(now) == from.store.is_enabled<Level>(old));
    }
    const ComponentId left_out[] = {from.likes, from.mode, from.parent, from.owes, from.owner};
    const auto rest =
        to.store.insert_snapshot(from.store.snapshot_of(query, codec(), ComponentSelection::all_but(left_out)), codec());
    CHECK(rest.dropped_pairs() == 0);
    for (const auto [old, now] : rest) {
        CHECK((!to.store.target(now, to.likes) && !to.store.target(now, to.mode) && !to.store.has<Owner>(now)));
        CHECK(to.store.has(now, to.mark) == from.store.has(old, from.mark));
        CHECK(to.store.has<Name>(now) == from.store.has<Name>(old));
        CHECK_FALSE(to.store.has(now, pair(to.likes, to.hidden)));
    }
    const ComponentId one[] = {pair(from.likes, from.hidden)};
    for (const auto [old, now] :
         to.store.insert_snapshot(from.store.snapshot_of(query, codec(), ComponentSelection::only(one)), codec())) {
        CHECK(to.store.has(now, pair(to.likes, to.hidden)) == from.store.has(old, one[0]));
        CHECK(to.store.target(now, to.likes).is_null());
    }
    CHECK(to.store.check_invariants());
    const ComponentSelection none = ComponentSelection::only({});
    CHECK((to.store.insert_snapshot(from.store.snapshot_of(query, codec(), none)).size() == matching.size()));
    CHECK((ComponentSelection().is_all() && !none.is_all() && !none.has(from.mark) && none.ids().empty()));
}

TEST_CASE("ArchetypeStore::insert_snapshot: entities in members are the new ones, wherever they are", "[ecs]") {
    World from, to;
    from.store.registry().add<Secret>("secret");
    from.store.registry().add<Listed>("listed");
    to.store.registry().add<Secret>("secret", {});
    to.store.registry().add<Listed>("listed");
    const Entity a = from.store.spawn(Position{1, 2}), b = from.store.spawn(), outside = from.store.spawn();
    from.store.add(a, Crew{b, {a, outside}, {b, Entity()}, a, {3, b.with_user_bits(7)}, b}, Owner{b}, Secret(b), Listed(4, a));
    to.store.spawn_n(5);
    const Entity parts[] = {a, b, a};
    const auto ids = to.store.insert_snapshot(from.store.snapshot_of(parts, codec()), codec());
    REQUIRE(ids.size() == 2);
    const Entity na = ids.at(a), nb = ids.at(b.with_user_bits(9));
    CHECK((na != a && nb != b));
    const Crew& crew = to.store.at<Crew>(na);
    CHECK((crew.captain == nb && crew.sailors == std::vector{na, Entity()} && crew.guards == std::array{nb, Entity()}));
    CHECK((crew.guest == na && crew.numbered.first == 3 && crew.numbered.second == nb.with_user_bits(7)));
    CHECK(std::get<Entity>(crew.either) == nb);
    CHECK((to.store.at<Owner>(na).entity == nb && to.store.at<Secret>(na).entity() == nb));
    CHECK((to.store.at<Listed>(na).entity == na && to.store.at<Listed>(na).number == 4));
    CHECK((ids.cleared_entities() == 1 && ids.dropped_pairs() == 0));
    CHECK((ids.find(outside).is_null() &&
           thrown_text<std::out_of_range>([&] { ids.at(outside); }).find("not in the part") != std::string::npos));
}

TEST_CASE("ArchetypeStore::insert_snapshot: what is outside of the part is what the caller says", "[ecs]") {
    World world;
    ArchetypeStore& store = world.store;
    const Entity room = store.spawn(), chair = store.spawn(Position{1, 1}, Owner{room}), lamp = store.spawn();
    const Entity dead = store.spawn();
    store.relate(chair, world.parent, room);
    store.relate(chair, world.mode, room);
    store.relate(chair, world.likes, room);
    store.relate(chair, world.likes, lamp);
    store.relate(chair, world.likes, dead);
    store.relate(chair, lamp, Owes{3});
    store.relate(chair, room, Owes{4});
    const Bytes bytes = store.snapshot_of({{chair}}, codec());
    store.despawn(dead);
    const auto undo = store.insert_snapshot(bytes, codec(), std::identity()); // in one store, others are who they are
    const Entity copy = undo.at(chair);
    CHECK((store.target(copy, world.parent) == room && store.target(copy, world.mode) == room));
    CHECK((store.targets(copy, world.likes).size() == 2 && store.at<Owner>(copy).entity == room));
    CHECK((undo.dropped_pairs() == 1 && undo.cleared_entities() == 0)); // the dead one
    const auto sources = store.sources(world.mode, room);
    CHECK(sources.size() == 2);
    const auto alone = store.insert_snapshot(bytes, codec());
    CHECK((alone.dropped_pairs() == 7 && alone.cleared_entities() == 1));
    CHECK((store.has<Position>(alone.at(chair)) && !store.target(alone.at(chair), world.mode)));
    CHECK(!store.query<>().with(world.mode, any).size() == false);
    const auto one = store.insert_snapshot(bytes, codec(), [&](Entity) { return lamp; }); // all are one: pairs once
    CHECK((one.dropped_pairs() == 3 && store.targets(one.at(chair), world.likes).size() == 1));
    CHECK(store.target(one.at(chair), world.mode) == lamp);
    CHECK(store.check_invariants());
    store.despawn(room); // takes its children along, and the pairs of others
    CHECK((!store.is_alive(chair) && !store.is_alive(copy) && store.is_alive(alone.at(chair))));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore::insert_snapshot: hooks are called, ticks are new, and ids are those of a range", "[ecs]") {
    World from, to;
    const Entity a = from.store.spawn(Position{1, 1}, Name{"a"}, Owner{}), b = from.store.spawn(Position{2, 2});
    from.store.relate(a, from.likes, b);
    from.store.relate(b, from.mode, a);
    const Bytes bytes = from.store.snapshot_of(from.store.query<>(), codec());
    const auto range = to.store.add_range(5000, 6000);
    std::vector<std::string> calls;
    to.store.on_add<Position>([&](Entity entity, const Position& p) {
        REQUIRE((to.store.is_alive(entity) && to.store.query<const Position>().size() == 2)); // all are there
        calls.push_back("position " + std::to_string(static_cast<int>(p.x)));
    });
    to.store.on_add(pair(to.likes, any),
                    [&](Entity, ComponentId id, void*) { calls.push_back("likes " + std::to_string(id.target().index())); });
    to.store.on_add(pair(to.mode, any),
                    [&](Entity, ComponentId id, void*) { calls.push_back("mode " + std::to_string(id.target().index())); });
    to.store.on_add<Owner>([&](Entity) { calls.push_back("owner"); });
    const tick_t seen = to.store.advance();
    const auto ids = to.store.insert_snapshot(bytes, codec(), detail::NothingOutside(), range);
    CHECK((ids.at(a).index() == 5000 && ids.at(b).index() == 5001 && to.store.range_of(ids.at(b)) == range));
    std::sort(calls.begin(), calls.end());
    CHECK(calls == std::vector<std::string>{"likes 5001", "mode 5000", "owner", "position 1", "position 2"});
    CHECK((to.store.query<const Position>().added<Position>(seen).size() == 2));
    calls.clear();
    const HookId throwing = to.store.on_add<Name>([](Entity) { TEST_THROW(std::runtime_error("hook")); });
    CHECK_THROWS_AS(to.store.insert_snapshot(bytes, codec()), std::runtime_error);
    to.store.off(throwing);
    CHECK((to.store.size() == 4 && to.store.check_invariants())); // as after spawn
}

TEST_CASE("ArchetypeStore::snapshot_of: the bytes depend on the part alone", "[ecs]") {
    for (unsigned seed = 0; seed != 20; ++seed) {
        World w;
        const auto all = w.fill(seed);
        std::vector<Entity> part(all.begin(), all.begin() + 20), rest(all.begin() + 20, all.end());
        const Bytes before = w.store.snapshot_of(part, codec());
        std::reverse(part.begin(), part.end());
        part.push_back(part.front());
        part.push_back(w.store.spawn());
        w.store.despawn(part.back());
        CHECK((w.store.snapshot_of(part, codec()) == before));
        for (const Entity each : rest) { // others change, come and go
            w.store.remove<Position>(each);
            w.store.add(each, Level{1}, Name{"other"});
        }
        w.store.spawn_n(10, Name{"new"});
        w.store.advance();
        w.store.registry().add_tag("zzz");
        CHECK((w.store.snapshot_of(part, codec()) == before));
        World same_world(true); // through a whole snapshot
        same_world.store.restore(w.store.snapshot(codec()), codec());
        CHECK((same_world.store.snapshot_of(part, codec()) == before));
    }
}

TEST_CASE("ArchetypeStore::insert_snapshot: what was inserted is written as it was", "[ecs]") {
    World w, fresh(true);
    for (int i = 0; i != 3; ++i) w.store.spawn(Position{1, 1});
    w = World();
    w.fill(5, 30);
    World all; // whose ids have no gaps
    const auto ids = all.store.insert_snapshot(w.store.snapshot_of(w.store.query<>(), codec()), codec());
    REQUIRE(ids.dropped_pairs() == 0);
    const Bytes bytes = all.store.snapshot_of(all.store.query<>(), codec());
    fresh.store.insert_snapshot(bytes, codec());
    CHECK((fresh.store.snapshot_of(fresh.store.query<>(), codec()) == bytes));
    // Walks go in its order.
    std::vector<float> first, second;
    all.store.query<const Position>().for_each([&](const Position& p) { first.push_back(p.x); });
    fresh.store.query<const Position>().for_each([&](const Position& p) { second.push_back(p.x); });
    CHECK(first == second);
}

TEST_CASE("ArchetypeStore::insert_snapshot: two stores become one", "[ecs]") {
    World a, b(true);
    const auto in_a = a.fill(1), in_b = b.fill(2);
    std::map<Entity, std::set<std::string>> before;
    for (const Entity each : in_a) before[each] = described(a.store, each, same);
    const auto ids = a.store.insert_snapshot(b.store.snapshot_of(b.store.query<>(), codec()), codec());
    CHECK((ids.dropped_pairs() == 0 && a.store.size() == in_a.size() + in_b.size() && a.store.check_invariants()));
    for (const auto& [each, words] : before) REQUIRE(described(a.store, each, same) == words);
    for (const auto [old, now] : ids)
        REQUIRE(described(b.store, old, [&](Entity each) { return ids.find(each); }) == described(a.store, now, same));
}

TEST_CASE("ArchetypeStore::snapshot_of: what cannot be written or read is said in words", "[ecs]") {
    World w, to;
    w.fill(1);
    const auto text = [](auto&& act) { return thrown_text<std::invalid_argument>(act); };
    const auto has = [](const std::string& all, const char* words) {
        INFO(all);
        CHECK(all.find(words) != std::string::npos);
    };
    has(text([&] { static_cast<void>(w.store.snapshot_of(w.store.query<const Position>())); }), "may have entities in them");
    has(text([&] { static_cast<void>(w.store.snapshot_of(to.store.query<>(), codec())); }), "of another store");
    const ComponentId wildcard[] = {pair(w.likes, any)};
    has(text([&] { static_cast<void>(w.store.snapshot_of(w.store.query<>(), codec(), ComponentSelection::only(wildcard))); }),
        "wildcard");
    const Bytes bytes = w.store.snapshot_of(w.store.query<>(), codec()), whole = w.store.snapshot(codec());
    has(text([&] { to.store.restore(bytes, codec()); }), "no snapshot of an ArchetypeStore");
    has(text([&] { to.store.insert_snapshot(whole, codec()); }), "no part of an ArchetypeStore");
    ArchetypeStore empty;
    has(text([&] { empty.insert_snapshot(bytes, codec()); }), "does not know");
    has(text([&] { to.store.insert_snapshot(bytes); }), "the codec covers its type in one place only");
    has(text([&] { to.store.insert_snapshot(std::vector<std::byte>(40), codec()); }), "not a slotwise snapshot");
    CHECK((to.store.empty() && empty.empty()));
    // After an apply() that threw, an entity may be related to what its buffer has yet to spawn.
    for (const bool switched : {false, true}) {
        World late;
        const Entity entity = late.store.spawn();
        const HookId hook = late.store.on_add<Level>([](Entity, Level&) { TEST_THROW(std::runtime_error("a hook")); });
        CommandBuffer buffer(late.store);
        buffer.add(entity, Level{1});
        const Entity pending = buffer.spawn(Position{});
        buffer.relate(entity, switched ? late.mode : late.likes, pending);
        CHECK_THROWS_AS(late.store.apply(buffer), std::runtime_error);
        has(text([&] { static_cast<void>(late.store.snapshot_of({{entity}}, codec())); }), "apply or clear the buffer first");
        late.store.off(hook);
    }
}

TEST_CASE("ArchetypeStore::insert_snapshot: a CommandBuffer keeps the ids that it has taken", "[ecs]") {
    World from, to;
    from.fill(2, 10);
    CommandBuffer buffer(to.store);
    const Entity taken = buffer.spawn(Position{9, 9});
    const auto ids = to.store.insert_snapshot(from.store.snapshot_of(from.store.query<>(), codec()), codec());
    for (const auto [old, now] : ids) CHECK(now != taken);
    CHECK(to.store.apply(buffer) == 0);
    CHECK((to.store.at<Position>(taken).x == 9 && to.store.check_invariants()));
}

TEST_CASE("ArchetypeStore::insert_snapshot: hostile bytes are refused and change nothing, what is accepted is canonical",
          "[ecs]") {
    World source;
    {
        World w;
        w.fill(7, 14);
        source.store.insert_snapshot(w.store.snapshot_of(w.store.query<>(), codec()), codec());
    }
    const Bytes sound = source.store.snapshot_of(source.store.query<>(), codec());
    std::vector<Entity> half(source.store.entities().begin(), source.store.entities().begin() + 7);
    const Bytes part = source.store.snapshot_of(half, codec()); // with entities outside
    World kept;
    kept.fill(4, 10);
    static_cast<void>(kept.store.query<const Position>().size());
    const Bytes before = kept.store.snapshot(codec());
    for (std::size_t size = 0; size != sound.size(); size += 3) {
        InsertedEntities ids;
        REQUIRE(kept.store.try_insert_snapshot(std::span(sound).first(size), ids, codec()) != nullptr);
    }
    std::mt19937 random(1);
    std::size_t refused = 0, accepted = 0, compared = 0;
    for (int i = 0; i != 12000; ++i) {
        Bytes wrong = i % 3 == 0 ? part : sound;
        const std::size_t at = random() % wrong.size();
        if (i % 8 == 0)
            wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(at));
        else if (i % 8 == 1)
            wrong.insert(wrong.begin() + static_cast<std::ptrdiff_t>(at), wrong[at]);
        else
            wrong[at] ^= static_cast<std::byte>(1u << random() % 8);
        wrong = test::reseal(wrong);
        World fresh(i % 2 == 0);
        InsertedEntities ids;
        if (const char* const error = fresh.store.try_insert_snapshot(wrong, ids, codec())) {
            ++refused;
            REQUIRE((fresh.store.empty() && ids.empty() && std::string(error).find("snapshot: ") == 0));
            if (i % 16 != 0) continue;
            const std::size_t memory = kept.store.memory_usage();
            REQUIRE(kept.store.try_insert_snapshot(wrong, ids, codec()) != nullptr);
            REQUIRE((kept.store.snapshot(codec()) == before && kept.store.memory_usage() == memory));
            continue;
        }
        ++accepted;
        REQUIRE(fresh.store.check_invariants());
        const Bytes again = fresh.store.snapshot_of(fresh.store.query<>(), codec());
        bool renamed = ids.cleared_entities() != 0 || ids.dropped_pairs() != 0;
        for (const auto [old, now] : ids) renamed = renamed || old != now;
        if (renamed) continue;
        ++compared;
        REQUIRE((again == wrong));
    }
    CHECK((refused > 3000 && accepted > 300 && compared > 100));
}

#if SLOTWISE_EXCEPTIONS
namespace {

struct ThrowingCodec {
    void write(const Throwing& value, ByteWriter& out) const { out.number(static_cast<std::uint32_t>(value.value())); }
    template <class T>
    T read(ByteReader& in) const {
        return T(static_cast<int>(in.number<std::uint32_t>()));
    }
};
struct SparseThrowing {
    Throwing value{0};
};
struct SparseCodec {
    void write(const SparseThrowing& value, ByteWriter& out) const { ThrowingCodec().write(value.value, out); }
    template <class T>
    T read(ByteReader& in) const {
        return T{ThrowingCodec().read<Throwing>(in)};
    }
};

} // namespace

TEST_CASE("ArchetypeStore::insert_snapshot: a throw at any step leaves the store as before", "[ecs][throws]") {
    const NothingLeaks leaks;
    const AnyCodec throwing = [] {
        AnyCodec all = codec();
        all.add<Throwing, ThrowingCodec>().add<SparseThrowing, SparseCodec>();
        return all;
    }();
    const auto registered = [](World& w) {
        w.store.registry().add<Throwing>("throwing");
        w.store.registry().add<SparseThrowing>("sparse throwing", {.sparse = true});
    };
    World from;
    registered(from);
    const auto all = from.fill(9, 12);
    for (std::size_t i = 0; i < all.size(); i += 2) from.store.add(all[i], Throwing(static_cast<int>(i)));
    for (std::size_t i = 0; i < all.size(); i += 3) from.store.add(all[i], SparseThrowing{Throwing(static_cast<int>(i))});
    const Bytes bytes = from.store.snapshot_of(from.store.query<>(), throwing);
    const auto scenario = [&](auto&& attempt) {
        World to;
        registered(to);
        const Entity kept = to.store.spawn(Position{1, 2}, Name{"kept"}, Throwing(3));
        to.store.relate(kept, to.mode, kept);
        const Bytes before = to.store.snapshot(throwing);
        InsertedEntities ids;
        const bool failed =
            attempt([&] { static_cast<void>(to.store.try_insert_snapshot(bytes, ids, throwing, std::identity())); });
        REQUIRE(to.store.check_invariants());
        if (!failed) return;
        REQUIRE((to.store.size() == 1 && to.store.at<Name>(kept).text == "kept" && ids.empty()));
        REQUIRE((to.store.snapshot(throwing) == before));
    };
    const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
    CHECK(failures > 100);
    report_sweep(swept("ArchetypeStore::insert_snapshot"), failures);
    const std::size_t writing = run_out_of_memory([&](auto&& attempt) {
        Bytes written;
        if (!attempt([&] { written = from.store.snapshot_of(from.store.query<>(), throwing, from.store.all_but<Name>()); }))
            REQUIRE_FALSE(written.empty());
        REQUIRE(from.store.check_invariants());
    });
    CHECK(writing > 10);
    report_sweep(swept("ArchetypeStore::snapshot_of"), writing);
    // What the caller says may throw, too.
    World to;
    registered(to);
    const Bytes half = from.store.snapshot_of({{all[1]}}, throwing);
    const Bytes before = to.store.snapshot(throwing);
    CHECK_THROWS_AS(to.store.insert_snapshot(half, throwing, [](Entity) -> Entity { throw std::runtime_error("outside"); }),
                    std::runtime_error);
    CHECK((to.store.snapshot(throwing) == before && to.store.check_invariants()));
}
#endif
