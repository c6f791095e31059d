// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Position {
    float x = 0, y = 0;
    friend bool operator==(const Position&, const Position&) = default;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Hidden {};
struct Follows {
    Entity whom;
};
using Owned = std::unique_ptr<int>;

} // namespace

TEST_CASE("CommandBuffer: the id of a spawn can be used at once, and lives after apply", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer buffer(store);
    const Entity leader = buffer.spawn(Position{1, 2});
    CHECK_FALSE(store.is_alive(leader));
    CHECK(store.get<Position>(leader) == nullptr);
    CHECK_FALSE(store.despawn(leader));
    buffer.set(leader, Velocity{3, 4}); // in a later command
    const ComponentId likes = store.registry().add_relation("likes");
    const Entity follower = buffer.spawn(Follows{leader}, Hidden{}); // in a value
    buffer.relate(follower, likes, leader);                          // as a target
    buffer.relate(leader, likes, follower);
    const Entity bare = buffer.spawn();
    CHECK(buffer.size() == 6);
    CHECK(store.empty());
    CHECK(store.apply(buffer) == 0);
    CHECK(buffer.empty());
    CHECK(store.size() == 3);
    CHECK(store.at<Position>(leader) == Position{1, 2});
    CHECK(store.at<Velocity>(leader).y == 4);
    CHECK(store.at<Follows>(follower).whom == leader);
    CHECK(store.has<Hidden>(follower));
    CHECK(store.has(follower, pair(likes, leader)));
    CHECK(store.has(leader, pair(likes, follower)));
    CHECK(store.is_alive(bare));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: ids differ from those that the store makes meanwhile, and from those of other buffers", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer one(store), other(store);
    std::vector<Entity> all;
    for (int i = 0; i != 50; ++i) {
        all.push_back(one.spawn(i));
        all.push_back(other.spawn(i));
        if (i % 7 == 0) all.push_back(store.spawn(i));
        if (i == 20) store.despawn(all[2]);
    }
    store.apply(other);
    store.apply(one);
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    CHECK(store.size() == all.size() - 1);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: the commands of an entity are one move", "[ecs]") {
    ArchetypeStore store;
    const ComponentId hidden = store.registry().id<Hidden>();
    const Entity entity = store.spawn(Position{1, 1}), other = store.spawn(Position{2, 2});
    std::size_t adds = 0;
    store.on_add<Velocity>([&](Entity) { ++adds; });
    CommandBuffer buffer(store);
    buffer.add(entity, Velocity{1, 0});
    buffer.set(other, Position{3, 3});
    buffer.add(entity, hidden);
    buffer.add<int>(entity);
    buffer.set(entity, Position{5, 5});
    buffer.remove<int>(entity);
    CHECK(store.apply(buffer) == 0);
    CHECK(adds == 1);
    CHECK(test::tables_of(store).size() == 3); // none between: the empty one, before, after
    CHECK(store.at<Position>(entity) == Position{5, 5});
    CHECK(store.at<Position>(other) == Position{3, 3});
    CHECK(store.has<Velocity>(entity));
    CHECK(store.has<Hidden>(entity));
    CHECK_FALSE(store.has<int>(entity));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a spawn that is despawned does not happen, and its values are destroyed", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    std::size_t hooks = 0;
    store.on_add<Tracked>([&](Entity) { ++hooks; });
    CommandBuffer buffer(store);
    const Entity entity = buffer.spawn(Tracked(1), Position{});
    buffer.set(entity, MoveOnly(2));
    CHECK(scope.alive() == 2);
    buffer.despawn(entity);
    CHECK(scope.alive() == 0); // at once
    CHECK(store.apply(buffer) == 0);
    CHECK(store.empty());
    CHECK(hooks == 0);
    CHECK_FALSE(store.is_alive(entity));
    CHECK(store.spawn() != entity);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: of two sets the last value stays, and each dropped value is destroyed once", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    const Entity has = store.spawn(Tracked(0)), has_not = store.spawn();
    CommandBuffer buffer(store);
    for (const Entity entity : {has, has_not}) {
        buffer.set(entity, Tracked(1));
        buffer.set(entity, Tracked(2));
        buffer.set(entity, Tracked(3));
    }
    CHECK(scope.alive() == 7);
    store.apply(buffer);
    CHECK(scope.alive() == 2);
    CHECK(store.at<Tracked>(has).value() == 3);
    CHECK(store.at<Tracked>(has_not).value() == 3);
}

TEST_CASE("CommandBuffer: add keeps what is there, add and remove cancel, remove and add replace", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    CommandBuffer buffer(store);
    for (const bool hooks : {false, true}) { // with hooks each entity is changed on its own
        if (hooks) store.on_add<Tracked>([](Entity) {});
        for (const bool there : {false, true}) {
            std::vector<Entity> all;
            for (int i = 0; i != 6; ++i) all.push_back(there ? store.spawn(Tracked(0)) : store.spawn());
            buffer.add(all[0], Tracked(1));
            buffer.add(all[0], Tracked(2));
            buffer.add(all[1], Tracked(1));
            buffer.remove<Tracked>(all[1]);
            buffer.remove<Tracked>(all[2]);
            buffer.add(all[2], Tracked(3));
            buffer.add(all[3], Tracked(1));
            buffer.set(all[3], Tracked(4));
            buffer.set(all[4], Tracked(5));
            buffer.add(all[4], Tracked(1));
            buffer.add<Tracked>(all[5]);
            CHECK(store.apply(buffer) == 0);
            CHECK(store.at<Tracked>(all[0]).value() == (there ? 0 : 1));
            CHECK_FALSE(store.has<Tracked>(all[1]));
            CHECK(store.at<Tracked>(all[2]).value() == 3);
            CHECK(store.at<Tracked>(all[3]).value() == 4);
            CHECK(store.at<Tracked>(all[4]).value() == 5);
            CHECK(store.at<Tracked>(all[5]).value() == 0);
            CHECK(store.check_invariants());
        }
    }
}

TEST_CASE("CommandBuffer: despawn wins over what is recorded before and after it, and what comes after is counted", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    const Entity entity = store.spawn(Tracked(0)), other = store.spawn();
    const ComponentId likes = store.registry().add_relation("likes");
    CommandBuffer buffer(store);
    buffer.set(entity, Tracked(1));
    buffer.despawn(entity);
    CHECK(scope.alive() == 1);
    buffer.add(entity, Tracked(2));
    buffer.despawn(entity);
    buffer.relate(other, likes, entity);
    CHECK(scope.alive() == 1);
    CHECK(buffer.size() == 2);
    CHECK(store.apply(buffer) == 3);
    CHECK_FALSE(store.is_alive(entity));
    CHECK_FALSE(store.has(other, pair(likes, any)));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: entities end after all other commands, in the order of recording", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of =
        store.registry().add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
    CommandBuffer buffer(store);
    const Entity parent = buffer.spawn(1), kept = store.spawn(2);
    const Entity child = buffer.spawn(3);
    buffer.relate(child, child_of, parent);
    buffer.relate(kept, child_of, child);
    buffer.unrelate(kept, child_of);
    buffer.despawn(parent); // its child was related to it before
    CHECK(store.apply(buffer) == 0);
    CHECK(store.size() == 1);
    CHECK(store.is_alive(kept));
    std::vector<Entity> ended;
    store.on_remove<int>([&](Entity entity) { ended.push_back(entity); });
    std::vector<Entity> all;
    for (int i = 0; i != 4; ++i) all.push_back(store.spawn(i));
    for (const int i : {2, 0, 3}) buffer.despawn(all[static_cast<std::size_t>(i)]);
    store.apply(buffer);
    CHECK(ended == std::vector<Entity>{all[2], all[0], all[3]});
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: commands of entities that died meanwhile are dropped and counted", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes");
    const Entity dies = store.spawn(1), lives = store.spawn(2);
    CommandBuffer buffer(store), other(store);
    buffer.set(dies, Tracked(1));
    buffer.add(dies, Position{}, Velocity{});
    buffer.set(lives, Tracked(2));
    buffer.relate(lives, likes, dies);
    const Entity not_yet = other.spawn();
    buffer.set(not_yet, Tracked(3)); // of another buffer, which is applied later
    buffer.set(Entity(), Tracked(4));
    buffer.set(Entity(77, 5), Tracked(4));
    store.despawn(dies);
    const Entity reborn = store.spawn(3);
    CHECK(reborn.index() == dies.index());
    CHECK(store.apply(buffer) == 6);
    CHECK(store.at<int>(reborn) == 3);
    CHECK_FALSE(store.has<Position>(reborn));
    CHECK(store.at<Tracked>(lives).value() == 2);
    CHECK_FALSE(store.has(lives, pair(likes, any)));
    CHECK(store.apply(buffer) == 0); // counted once
    CHECK(store.apply(other) == 0);
    CHECK(store.is_alive(not_yet));
    buffer.despawn(dies);
    buffer.set(reborn.with_user_bits(7), 4); // user bits are ignored
    CHECK(store.apply(buffer) == 1);
    CHECK(store.at<int>(reborn) == 4);
}

TEST_CASE("CommandBuffer: buffers have their effects in the order in which they are applied", "[ecs]") {
    for (const bool first : {true, false}) {
        ArchetypeStore store;
        const Entity entity = store.spawn(0);
        CommandBuffer one(store), two(store);
        one.set(entity, 1);
        two.set(entity, 2);
        const Entity of_one = one.spawn(), of_two = two.spawn();
        CHECK(of_one != of_two);
        store.apply(first ? one : two);
        store.apply(first ? two : one);
        CHECK(store.at<int>(entity) == (first ? 2 : 1));
        CHECK(store.is_alive(of_one));
        CHECK(store.is_alive(of_two));
        CHECK(store.check_invariants());
    }
}

TEST_CASE("CommandBuffer: several threads record at once, a buffer each, and what comes of it is the same each time", "[ecs]") {
    constexpr std::size_t threads = 4, spawns = 300;
    const auto run = [&](bool reserved) {
        ArchetypeStore store;
        std::vector<Entity> shared;
        for (int i = 0; i != 100; ++i) shared.push_back(store.spawn(i, Position{}));
        std::vector<CommandBuffer> buffers;
        for (std::size_t i = 0; i != threads; ++i) buffers.emplace_back(store);
        if (reserved)
            for (CommandBuffer& buffer : buffers) buffer.reserve(spawns);
        {
            std::vector<std::jthread> running;
            for (std::size_t number = 0; number != threads; ++number)
                running.emplace_back([&, number] {
                    CommandBuffer& buffer = buffers[number];
                    Entity before;
                    for (std::size_t i = 0; i != spawns; ++i) {
                        const Entity entity = buffer.spawn(static_cast<int>(number), Follows{before});
                        buffer.set(shared[i % 100], static_cast<int>(number));
                        if (i % 3 == 0) buffer.add(shared[i % 100], Hidden{}, Velocity{});
                        if (i % 50 == 7) buffer.despawn(entity);
                        before = entity;
                    }
                });
        }
        std::size_t dropped = 0;
        for (CommandBuffer& buffer : buffers) dropped += store.apply(buffer);
        CHECK(dropped == 0);
        CHECK(store.size() == 100 + threads * (spawns - 6));
        for (const Entity entity : shared) CHECK(store.at<int>(entity) == threads - 1); // the last one that was applied
        CHECK(store.check_invariants());
        std::vector<std::pair<Entity, int>> all;
        store.query<const int>().for_each([&](Entity entity, const int& value) { all.emplace_back(entity, value); });
        std::sort(all.begin(), all.end());
        return all;
    };
    const auto once = run(true);
    CHECK(run(true) == once);
    CHECK(run(false).size() == once.size());
}

TEST_CASE("CommandBuffer: what throws while it is applied loses its own commands, and the others stay", "[ecs]") {
    const NothingLeaks scope;
    for (const bool hooks : {false, true})
        for (const bool spawns : {true, false}) {
            std::size_t steps = 0;
            for (bool threw = true; threw; ++steps) {
                ArchetypeStore store;
                if (hooks) store.on_add<int>([](Entity) {});
                std::vector<Entity> all;
                CommandBuffer buffer(store);
                for (int i = 0; i != 5; ++i) {
                    all.push_back(spawns ? buffer.spawn(Throwing(i)) : store.spawn(i));
                    if (!spawns) buffer.set(all.back(), Throwing(i));
                }
                buffer.despawn(all[4]);
                threw = false;
                const std::size_t waiting = buffer.size();
                try {
                    Budget::arm(steps);
                    store.apply(buffer);
                } catch (const InjectedFailure&) {
                    threw = true;
                }
                Budget::disarm();
                CHECK(store.check_invariants());
                CHECK(buffer.empty() == !threw);
                CHECK(buffer.size() < waiting);
                CHECK(store.apply(buffer) == 0); // the rest
                CHECK(buffer.empty());
                std::size_t with = 0;
                for (std::size_t i = 0; i != 4; ++i) {
                    const Throwing* const value = store.get<Throwing>(all[i]);
                    CHECK((value == nullptr || value->value() == static_cast<int>(i)));
                    CHECK(store.is_alive(all[i]) == (!spawns || value != nullptr)); // it is as it was, or was never spawned
                    with += value != nullptr;
                }
                CHECK(with == (threw ? 3 : 4));
                CHECK_FALSE(store.is_alive(all[4]));
                CHECK(store.check_invariants());
            }
            CHECK(steps == 5); // four values
        }
}

TEST_CASE("CommandBuffer: what a hook throws comes after its change, and the rest stays in the buffer", "[ecs]") {
    ArchetypeStore store;
    store.on_add<int>([](Entity, int& value) {
        if (value == 1) TEST_THROW(std::size_t{1});
    });
    CommandBuffer buffer(store);
    std::vector<Entity> all;
    for (int i = 0; i != 3; ++i) all.push_back(buffer.spawn(i));
    CHECK_THROWS_AS(store.apply(buffer), std::size_t);
    CHECK(store.is_alive(all[1])); // the change stays
    CHECK_FALSE(store.is_alive(all[2]));
    CHECK(buffer.size() == 1);
    buffer.set(all[2], 5); // recorded after the failure, applied after the rest
    CHECK(store.apply(buffer) == 0);
    CHECK(store.at<int>(all[2]) == 5);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a refused despawn is dropped, and the other commands stay", "[ecs]") {
    ArchetypeStore store;
    const ComponentId holds = store.registry().add_relation("holds", {.on_target_despawn = OnTargetDespawn::refuse});
    const Entity held = store.spawn(1), holder = store.spawn(2), other = store.spawn(3);
    store.relate(holder, holds, held);
    CommandBuffer buffer(store);
    buffer.despawn(held);
    buffer.despawn(other);
    CHECK_THROWS_AS(store.apply(buffer), std::invalid_argument);
    CHECK(store.is_alive(held));
    CHECK(buffer.size() == 1);
    CHECK(store.apply(buffer) == 0);
    CHECK(store.size() == 2);
    buffer.despawn(held);
    buffer.unrelate(holder, holds, held); // comes after it
    CHECK_THROWS_AS(store.apply(buffer), std::invalid_argument);
    CHECK(store.apply(buffer) == 0);
    CHECK_FALSE(store.has(holder, pair(holds, any)));
    store.relate(holder, holds, held);
    buffer.unrelate(holder, holds, held); // comes before it
    buffer.despawn(held);
    CHECK(store.apply(buffer) == 0);
    CHECK(store.size() == 1);
}

TEST_CASE("CommandBuffer: clear and the destructor destroy the values and give the ids back", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes");
    const Entity fan = store.spawn();
    std::vector<Entity> ids;
    CommandBuffer first(store);
    {
        CommandBuffer buffer(store), other(store);
        buffer.reserve(10);
        for (int i = 0; i != 5; ++i) ids.push_back(buffer.spawn(Tracked(i)));
        ids.push_back(other.spawn(MoveOnly(3)));
        first.relate(fan, likes, ids[0]);
        CHECK(store.apply(first) == 1); // what is not there yet is no target
        buffer.relate(fan, likes, ids[0]);
        buffer.set(fan, Tracked(1));
        buffer.clear();
        CHECK(scope.alive() == 1);
        CHECK(buffer.empty());
        CHECK(buffer.size() == 0);
        ids.push_back(buffer.spawn(Tracked(9)));
    }
    CHECK(scope.alive() == 0);
    CHECK(store.apply(first) == 0);
    for (const Entity id : ids) CHECK_FALSE(store.is_alive(id));
    CHECK(store.size() == 1);
    CHECK_FALSE(store.has(fan, pair(likes, any)));
    for (int i = 0; i != 20; ++i) {
        const Entity entity = store.spawn();
        CHECK(std::find(ids.begin(), ids.end(), entity) == ids.end());
        CHECK(entity.index() < 22); // recycled
    }
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a component of another registry, an unknown one and a value of a tag are refused when recorded",
          "[ecs]") {
    ArchetypeStore store, other;
    const ComponentId mine = store.registry().add_tag("mine"), foreign = other.registry().add_tag("foreign");
    const ComponentId number = store.registry().id<int>();
    const Entity entity = store.spawn();
    CommandBuffer buffer(store);
    const auto error = [&](auto&& act) { return thrown_text<std::invalid_argument>(act); };
    CHECK(error([&] { buffer.add(entity, foreign); }).find("another registry") != std::string::npos);
    CHECK(error([&] { buffer.remove(entity, foreign); }).find("another registry") != std::string::npos);
    CHECK(error([&] { buffer.add(entity, ComponentId()); }).find("null") != std::string::npos);
    CHECK(error([&] { buffer.relate(entity, mine, entity); }).find("without a relation") != std::string::npos);
    CHECK(error([&] { buffer.unrelate(entity, mine); }).find("without a relation") != std::string::npos);
    CHECK(error([&] { buffer.add(entity, pair(mine, any)); }) != "");
    CHECK(error([&] { buffer.add(entity, mine, AnyValue::of(1)); }).find("tag") != std::string::npos);
    CHECK(error([&] { buffer.add(entity, number, AnyValue::of(1.5)); }).find("type") != std::string::npos);
    CHECK(error([&] { buffer.set(entity, mine, AnyValue::of(1)); }).find("tag") != std::string::npos);
    CHECK(error([&] { buffer.set(entity, number, AnyValue::of(1.5)); }).find("type") != std::string::npos);
    const ComponentId both[] = {mine, foreign};
    CHECK(error([&] { buffer.add(entity, both); }).find("another registry") != std::string::npos);
    CHECK(buffer.empty());
    CommandBuffer elsewhere(other);
    CHECK(error([&] { store.apply(elsewhere); }).find("another store") != std::string::npos);
}

TEST_CASE("CommandBuffer: walks and hooks may record, and apply is refused there", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer buffer(store);
    for (int i = 0; i != 10; ++i) store.spawn(i);
    store.query<const int>().for_each([&](Entity entity, const int& value) {
        if (value % 2 == 0) buffer.despawn(entity);
        buffer.spawn(value + 100);
    });
    CHECK(store.apply(buffer) == 0);
    CHECK(store.size() == 15);
    store.on_remove<int>([&](Entity entity, int& value) { // records into the buffer that is being applied
        if (value < 100) buffer.spawn(value + 1000, Follows{entity});
    });
    store.query<const int>().for_each([&](Entity entity, const int&) { buffer.despawn(entity); });
    CHECK(store.apply(buffer) == 0);
    CHECK(buffer.size() == 5);
    CHECK(store.empty());
    CHECK(store.apply(buffer) == 0);
    CHECK(store.size() == 5);
    CHECK(store.check_invariants());
#if SLOTWISE_CHECK_LEVEL >= 1
    CHECK(dies_saying("a query is walking",
                      [&] { store.query<const int>().for_each([&](const int&) { store.apply(buffer); }); }));
    CHECK(dies_saying("a hook", [&] {
        store.on_add<float>([&](Entity) { store.apply(buffer); });
        store.spawn(1.0F);
    }));
    CHECK(dies_saying("CommandBuffer", [&] {
        store.on_add<double>([&](Entity) { buffer.clear(); });
        buffer.spawn(1.0);
        store.apply(buffer);
    }));
#endif
}

TEST_CASE("CommandBuffer: a value's constructor may record", "[ecs]") {
    struct Records { // when it is moved to the buffer
        Records(CommandBuffer& buffer, Entity entity) : to(&buffer), other(entity) {}
        Records(Records&& from) noexcept : other(from.other) {
            if (CommandBuffer* const buffer = std::exchange(from.to, nullptr))
                for (int i = 0; i != 100; ++i) buffer->set(buffer->spawn(i, Follows{other}), static_cast<char>(i));
        }
        Records& operator=(Records&&) = delete;
        ~Records() = default;
        CommandBuffer* to = nullptr;
        Entity other;
    };
    ArchetypeStore store;
    const Entity entity = store.spawn(), other = store.spawn();
    CommandBuffer buffer(store);
    buffer.set(entity, Tracked(1), Records(buffer, other), 3);
    CHECK(store.apply(buffer) == 0);
    CHECK(store.at<int>(entity) == 3);
    CHECK(store.at<Records>(entity).other == other);
    CHECK(store.size() == 102);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: an applied buffer is empty, and is used again with the memory that it has", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer buffer(store);
    std::vector<Entity> all(500);
    const auto frame = [&](int number) {
        for (Entity& entity : all) entity = buffer.spawn(number, Position{});
        for (const Entity entity : all) buffer.set(entity, Position{1, 1});
        CHECK(store.apply(buffer) == 0);
        CHECK(buffer.empty());
        CHECK(store.size() == 500);
        for (const Entity entity : all) buffer.despawn(entity);
        CHECK(store.apply(buffer) == 0);
        CHECK(store.empty());
    };
    for (int i = 0; i != 5; ++i) frame(i);
    CHECK(store.check_invariants());
    buffer.shrink_to_fit();
    frame(6);
}

TEST_CASE("CommandBuffer: values may be move-only, over-aligned and large", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    CommandBuffer buffer(store);
    std::vector<Entity> all;
    for (int i = 0; i != 50; ++i) {
        all.push_back(buffer.spawn(std::make_unique<int>(i), OverAligned<256>(i), char{1}));
        buffer.set(all.back(), Big(i), MoveOnly(i));
        if (i % 2 == 0) buffer.set(all.back(), std::make_unique<int>(-i));
    }
    CHECK(store.apply(buffer) == 0);
    for (int i = 0; i != 50; ++i) {
        const Entity entity = all[static_cast<std::size_t>(i)];
        CHECK(*store.at<std::unique_ptr<int>>(entity) == (i % 2 == 0 ? -i : i));
        CHECK(store.at<OverAligned<256>>(entity).value() == i);
        CHECK(store.at<Big>(entity).value() == i);
        CHECK(store.at<MoveOnly>(entity).value() == i);
    }
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: pairs of exclusive, switched and valued relations come and go as in the store", "[ecs]") {
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    const ComponentId one = registry.add_relation("one", {.exclusive = true}), many = registry.add_relation("many");
    const ComponentId state = registry.add_relation("state", {.switched = true}), owes = registry.relation<double>();
    CommandBuffer buffer(store);
    const Entity a = buffer.spawn(), b = buffer.spawn(), c = store.spawn(), d = store.spawn();
    store.relate(c, one, d);
    store.relate(c, state, d);
    store.relate(c, many, d);
    for (const ComponentId relation : {one, state, many}) {
        buffer.relate(a, relation, b);
        buffer.relate(a, relation, c);
        buffer.relate(b, relation, a);
        buffer.relate(c, relation, a);
        buffer.unrelate(c, relation, a);
        buffer.relate(d, relation, a);
        buffer.unrelate(d, relation);
        buffer.relate(d, relation, b);
    }
    buffer.relate(a, owes, b, AnyValue::of(1.0));
    buffer.relate(a, owes, b, AnyValue::of(2.0));
    buffer.relate(b, a, 3.0);
    CHECK(store.apply(buffer) == 0);
    for (const ComponentId relation : {one, state}) {
        CHECK(store.target(a, relation) == c);
        CHECK(store.target(b, relation) == a);
        CHECK_FALSE(store.target(c, relation)); // the pair that was replaced does not come back
        CHECK(store.target(d, relation) == b);
    }
    CHECK(store.has(a, pair(many, b)));
    CHECK(store.has(a, pair(many, c)));
    CHECK(store.has(c, pair(many, d)));
    CHECK_FALSE(store.has(c, pair(many, a)));
    CHECK_FALSE(store.has(d, pair(many, a)));
    CHECK(*static_cast<const double*>(std::as_const(store).get(a, pair(owes, b))) == 2.0);
    CHECK(*static_cast<const double*>(std::as_const(store).get(b, pair(owes, a))) == 3.0);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: sparse components, tags, defaults and companions come and go as in the store", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    const ComponentId marked = registry.add_tag("marked", {.sparse = true}), with = registry.add_tag("with");
    registry.add<Tracked>({.sparse = true});
    registry.add<Velocity>({.with = {with}});
    const ComponentId named = registry.add("named", TypeDescriptor::of<MoveOnly>());
    CommandBuffer buffer(store);
    const Entity old = store.spawn(Tracked(1)), fresh = buffer.spawn(Tracked(2), Velocity{});
    buffer.add(fresh, marked);
    buffer.set(old, Tracked(3));
    buffer.add(old, marked);
    buffer.remove(old, marked);
    buffer.add<Velocity, Position>(old);
    buffer.remove(old, with); // after what brings it along
    buffer.remove(fresh, with);
    buffer.add(fresh, Velocity{1, 1});
    MoveOnly value(7);
    buffer.set(fresh, named, AnyValue::of(std::move(value)));
    CHECK(store.apply(buffer) == 0);
    CHECK(store.at<Tracked>(old).value() == 3);
    CHECK(store.at<Tracked>(fresh).value() == 2);
    CHECK(store.has(fresh, marked));
    CHECK_FALSE(store.has(old, marked));
    CHECK(store.has<Velocity>(old));
    CHECK(store.has<Position>(old));
    CHECK_FALSE(store.has(old, with));
    CHECK_FALSE(store.has(fresh, with));
    CHECK(static_cast<const MoveOnly*>(std::as_const(store).get(fresh, named))->value() == 7);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a type that is not registered when it is recorded is registered by apply", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer buffer(store);
    const Entity entity = buffer.spawn(Position{1, 2}, Hidden{});
    buffer.remove<Velocity>(entity);
    CHECK_FALSE(store.registry().find<Position>());
    store.registry().add<Hidden>({.sparse = true}); // traits that are given meanwhile count
    store.apply(buffer);
    CHECK(store.at<Position>(entity) == Position{1, 2});
    CHECK(store.has<Hidden>(entity));
    CHECK(store.registry().traits(store.registry().find<Hidden>()).sparse);
}

TEST_CASE("CommandBuffer: moves and swaps take the commands along, and a moved store is the same", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore taken, store; // what they refer to must outlive buffers, wherever it is moved
    CommandBuffer buffer(store);
    const Entity entity = buffer.spawn(Tracked(1));
    CommandBuffer moved(std::move(buffer));
    CHECK(buffer.empty()); // NOLINT(bugprone-use-after-move)
    CHECK(moved.size() == 1);
    CommandBuffer other(store);
    const Entity second = other.spawn(Tracked(2));
    swap(moved, other);
    buffer = std::move(other);
    taken = std::move(store);
    CHECK(taken.apply(buffer) == 0);
    CHECK(taken.at<Tracked>(entity).value() == 1);
    CHECK_FALSE(taken.is_alive(second));
    CHECK(taken.apply(moved) == 0);
    CHECK(taken.at<Tracked>(second).value() == 2);
}

TEST_CASE("CommandBuffer: spawns that are recorded when the store is cleared do not happen", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    CommandBuffer buffer(store);
    const Entity kept = store.spawn(1);
    const Entity before = buffer.spawn(Tracked(1));
    buffer.set(kept, Tracked(2));
    store.clear();
    const Entity after = buffer.spawn(Tracked(3));
    CHECK(after != before);
    CHECK(store.apply(buffer) == 2);
    CHECK(store.size() == 1);
    CHECK(store.at<Tracked>(after).value() == 3);
    CHECK_FALSE(store.is_alive(before));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: spawns that are recorded when the store is restored do not happen", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    const Entity kept = store.spawn(1);
    const auto bytes = store.snapshot();
    CommandBuffer buffer(store);
    const Entity first = buffer.spawn(Tracked(1)), second = buffer.spawn(Tracked(2));
    store.restore(bytes);
    const Entity after = buffer.spawn(Tracked(3)); // maybe an id that was taken before
    CHECK(store.apply(buffer) == 2);
    CHECK(store.size() == 2);
    CHECK(store.at<int>(kept) == 1);
    CHECK(store.at<Tracked>(after).value() == 3);
    for (const Entity gone : {first, second}) CHECK((gone == after || !store.is_alive(gone)));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: changes of tracked components are stamped, and only what was added counts as added", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Position>({.tracked = true});
    const Entity old = store.spawn(Position{}), moved = store.spawn(Position{}), set = store.spawn(Position{});
    const tick_t before = store.tick();
    store.advance();
    CommandBuffer buffer(store);
    const Entity fresh = buffer.spawn(Position{});
    buffer.add(moved, 1);
    buffer.set(set, Position{2, 2});
    store.apply(buffer);
    std::vector<Entity> changed, added;
    store.query<const Position>().changed<Position>(before).for_each([&](Entity e, const Position&) { changed.push_back(e); });
    store.query<const Position>().added<Position>(before).for_each([&](Entity e, const Position&) { added.push_back(e); });
    std::sort(changed.begin(), changed.end());
    CHECK(added == std::vector<Entity>{fresh});
    CHECK(changed == std::vector<Entity>{set, fresh});
    CHECK(std::find(changed.begin(), changed.end(), old) == changed.end());
}

TEST_CASE("CommandBuffer: what only a buffer knows is not changed by the store, and dies without asking relations", "[ecs]") {
    ArchetypeStore store;
    const ComponentId holds = store.registry().add_relation("holds", {.on_target_despawn = OnTargetDespawn::refuse});
    const Entity holder = store.spawn();
    CommandBuffer buffer(store), other(store);
    const Entity pending = buffer.spawn(Position{});
    store.spawn(); // the id is made now
    CHECK_FALSE(store.add(pending, Velocity{}));
    CHECK_FALSE(store.add<Hidden>(pending));
    CHECK_FALSE(store.set(pending, 1));
    CHECK_FALSE(store.remove<Position>(pending));
    CHECK_FALSE(store.is_alive(pending));
    other.relate(holder, holds, pending);
    CHECK(store.apply(other) == 1); // it does not live before the other one is applied
    CHECK_FALSE(store.has(holder, pair(holds, any)));
    buffer.relate(holder, holds, pending);
    buffer.despawn(pending);
    CHECK(store.apply(buffer) == 0); // it has not lived: nothing refuses that
    CHECK_FALSE(store.has(holder, pair(holds, any)));
    CHECK(store.size() == 2);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a constructor may spawn while its own entity is spawned", "[ecs]") {
    struct Spawns {
        explicit Spawns(CommandBuffer& buffer) : to(&buffer) {}
        Spawns(Spawns&& from) noexcept {
            if (CommandBuffer* const buffer = std::exchange(from.to, nullptr)) inner = buffer->spawn(7);
            if (!inner) inner = from.inner;
        }
        Spawns& operator=(Spawns&&) = delete;
        ~Spawns() = default;
        CommandBuffer* to = nullptr;
        Entity inner{};
    };
    ArchetypeStore store;
    CommandBuffer buffer(store);
    const Entity outer = buffer.spawn(Spawns(buffer), 1);
    CHECK(store.apply(buffer) == 0);
    const Entity inner = store.at<Spawns>(outer).inner;
    CHECK(inner != outer);
    CHECK(store.at<int>(inner) == 7);
    CHECK(store.at<int>(outer) == 1);
}

TEST_CASE("CommandBuffer: a spawn whose value throws is not recorded, and its id is not used again", "[ecs]") {
    const NothingLeaks scope;
    ArchetypeStore store;
    CommandBuffer buffer(store);
    const Throwing value(1);
    Budget::arm(0);
    CHECK_THROWS_AS(buffer.spawn(value), InjectedFailure);
    Budget::disarm();
    CHECK(buffer.empty());
    const Entity entity = buffer.spawn(value);
    CHECK(store.apply(buffer) == 0);
    CHECK(store.is_alive(entity));
    CHECK(store.size() == 1);
    buffer.clear();
    CHECK(store.spawn() != entity);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: what a buffer has taken is a target for its own commands, and for the store when it lives", "[ecs]") {
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    const ComponentId likes = registry.add_relation("likes"), mode = registry.add_relation("mode", {.switched = true});
    const Entity source = store.spawn(), before = store.spawn();
    store.relate(source, mode, before);
    CommandBuffer buffer(store), other(store);
    const Entity pending = buffer.spawn(Position{});
    for (int made = 0; made != 2; ++made) {
        CHECK_THROWS_AS(store.relate(source, likes, pending), std::invalid_argument);
        CHECK_THROWS_AS(store.add(source, pair(likes, pending)), std::invalid_argument);
        CHECK_THROWS_AS(store.relate(source, mode, pending), std::invalid_argument);
        CHECK_THROWS_AS(store.builder().relate(likes, pending).spawn(), std::invalid_argument);
        store.spawn(); // the id is made now
    }
    const Entity friends = other.spawn();
    other.relate(friends, likes, pending);
    other.relate(source, likes, pending);
    other.relate(source, mode, pending);
    CHECK(store.apply(other) == 3);
    CHECK(store.target(source, mode) == before);
    buffer.relate(source, likes, pending); // whose group comes after that of its target
    buffer.relate(source, mode, pending);
    CHECK(store.apply(buffer) == 0);
    CHECK(store.target(source, likes) == pending);
    CHECK(store.target(source, mode) == pending);
    buffer.add(source, 1); // and before it
    const Entity later = buffer.spawn();
    buffer.relate(source, likes, later);
    CHECK(store.apply(buffer) == 0);
    CHECK(store.has(source, pair(likes, later)));
    CHECK(store.relate(friends, likes, later));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: the end of null is dropped, and nothing else", "[ecs]") {
    ArchetypeStore store;
    const ComponentId tag = store.registry().add_tag("tag");
    const Entity entity = store.spawn();
    CommandBuffer buffer(store);
    buffer.despawn(Entity());
    buffer.add(entity, tag); // is no pair whose target ends
    CHECK(buffer.size() == 2);
    CHECK(store.apply(buffer) == 1);
    CHECK(store.has(entity, tag));
}

TEST_CASE("CommandBuffer: commands of ids that a restore has made void stay so after the next one", "[ecs]") {
    ArchetypeStore store;
    const auto bytes = store.snapshot();
    CommandBuffer buffer(store), other(store);
    const Entity taken = other.spawn();
    buffer.set(taken, 1); // the other one spawns it
    store.restore(bytes);
    REQUIRE(buffer.spawn(2) == taken); // the same id, of another entity
    store.restore(bytes);
    REQUIRE(store.spawn() == taken); // and of a third one
    CHECK(store.apply(buffer) == 2);
    CHECK_FALSE(store.has<int>(taken));
    CHECK(store.size() == 1);
    CHECK(store.check_invariants());
}

TEST_CASE("ReservedIds: when the end of an id throws, the rest stays given back", "[ecs]") {
    detail::ReservedIds reserved;
    EntityIndex<Entity, int> index;
    Entity ids[4];
    reserved.take(index, ids);
    CHECK(reserved.make(index) == 4);
    for (const std::size_t first : {0u, 2u}) {
        auto* const node = new detail::IdsToReturn;
        node->epoch = reserved.epoch();
        for (std::size_t i = first; i != first + 2; ++i) node->ids.push_back(ids[i]);
        reserved.give_back(node);
    }
    std::vector<Entity> ended;
    const auto end = [&](Entity id) {
        ended.push_back(id);
        if (ended.size() == 2) TEST_THROW(std::size_t{1});
    };
    CHECK_THROWS_AS(reserved.end_returned(end), std::size_t);
    CHECK(ended.size() == 2);
    CHECK(reserved.any());
    reserved.end_returned(end);
    CHECK_FALSE(reserved.any());
    std::sort(ended.begin(), ended.end());
    CHECK(ended == std::vector<Entity>(std::begin(ids), std::end(ids))); // each once
}

TEST_CASE("CommandShape: the values of a command have less than 4 GiB", "[ecs]") {
    detail::CommandShape shape;
    CHECK(shape.place(5, 1) == 0);
    CHECK(shape.place(8, 8) == 8);
    const auto place_more = [&] { static_cast<void>(shape.place(std::size_t{0xFFFF'FFF0u}, 1)); };
    if constexpr (sizeof(std::size_t) > 4)
        CHECK(thrown_text<std::length_error>(place_more).find("4 GiB") != std::string::npos);
    else
        CHECK(thrown_text<std::bad_array_new_length>(place_more) != "");
    CHECK(shape.bytes == 16); // as before
    CHECK(shape.align == 8);
}

TEST_CASE("CommandBuffer: one without commands outlives its store, is moved, assigned and destroyed", "[ecs]") {
    const NothingLeaks scope;
    std::vector<CommandBuffer> kept;
    ArchetypeStore other;
    CommandBuffer assigned(other);
    {
        ArchetypeStore store;
        for (int i = 0; i != 4; ++i) kept.emplace_back(store);
        kept[0].spawn(Tracked(1));
        CHECK(store.apply(kept[0]) == 0);
        kept[1].reserve(10); // ids are no commands
        kept[2].spawn(Tracked(2));
        kept[2].clear();
        const ArchetypeStore moved(std::move(store));
        CommandBuffer unused(moved);
        kept.push_back(std::move(unused)); // which leaves another one behind
    }
    kept[1].clear();
    kept[3].shrink_to_fit();
    CHECK(kept[1].empty());
    CommandBuffer taken(std::move(kept[0]));
    swap(taken, kept[4]);
    ArchetypeStore next; // maybe at the same address
    CHECK(thrown_text<std::invalid_argument>([&] { next.apply(taken); }).find("another store") != std::string::npos);
    kept[2] = std::move(assigned);
    CHECK(other.is_alive(kept[2].spawn()) == false);
    CHECK(other.apply(kept[2]) == 0);
    CHECK(other.size() == 1);
#if SLOTWISE_CHECK_LEVEL >= 1
    CHECK(dies_saying("has ended", [&] { kept[1].spawn(1); }));
    CHECK(dies_saying("has ended", [&] { kept[1].reserve(1); }));
    CHECK(dies_saying("has ended", [&] { kept[1].set(Entity(0, 1), 1L); }));
    CHECK(dies_saying("has ended", [] {
        auto* const store = new ArchetypeStore;
        CommandBuffer buffer(*store);
        buffer.despawn(Entity(0, 1));
        delete store;
    }));
#endif
}

TEST_CASE("CommandBuffer: what was recorded before the end of a target comes before it, and the rest after it", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of =
        store.registry().add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
    const Entity old = store.spawn(), fresh = store.spawn();
    const Entity stays = store.spawn(), leaves = store.spawn(), late = store.spawn();
    for (const Entity each : {stays, leaves, late}) store.relate(each, child_of, old);
    CommandBuffer buffer(store);
    buffer.relate(leaves, child_of, fresh);
    buffer.set(late, 1);
    buffer.set(fresh, 2);
    buffer.despawn(old);
    buffer.relate(late, child_of, fresh); // it has ended with its parent
    buffer.add(late, Position{});
    buffer.set(fresh, 3); // another move, because others relate to what ended
    buffer.relate(leaves, child_of, old);
    CHECK(store.apply(buffer) == 3);
    CHECK_FALSE(store.is_alive(stays));
    CHECK_FALSE(store.is_alive(late));
    CHECK(store.target(leaves, child_of) == fresh);
    CHECK(store.at<int>(fresh) == 3);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a list of ids is one command, and is dropped with a target that does not live", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes"), tag = store.registry().add_tag("tag");
    const Entity fan = store.spawn(), one = store.spawn(), other = store.spawn();
    CommandBuffer buffer(store);
    const ComponentId all[] = {pair(likes, other), tag, pair(likes, one), tag};
    buffer.add(fan, all);
    CHECK(buffer.size() == 1);
    CHECK(store.apply(buffer) == 0);
    for (const ComponentId id : all) CHECK(store.has(fan, id));
    CHECK(test::tables_of(store).size() == 2); // none between
    buffer.remove(fan, all);
    CHECK(store.apply(buffer) == 0);
    CHECK_FALSE(store.has(fan, tag));
    buffer.add(fan, all);
    store.despawn(one);
    CHECK(store.apply(buffer) == 1);
    CHECK_FALSE(store.has(fan, tag));
    buffer.add(fan, std::span<const ComponentId>());
    CHECK(store.apply(buffer) == 0);
    CHECK(store.check_invariants());
}
