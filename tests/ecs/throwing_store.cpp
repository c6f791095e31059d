// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore with a throw at every step: as before, and nothing lost. Memory runs out by the operator new of
// failing_new.cpp.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Plain {
    int value = 0;
};
struct Sparse {
    ThrowingCopy value;
};
struct Once {
    ThrowingCopy value{3};
};

/// Its name needs memory.
struct NotRegistered {
    int value = 0;
};

/// Some entities with values whose copies throw and whose moves do not.
struct World {
    ArchetypeStore store{};
    ComponentId likes = store.registry().add_relation("likes"),
                owner = store.registry().add_relation("owner", {.exclusive = true}),
                mood = store.registry().add_relation("mood", {.switched = true}),
                level = store.registry().add<long>({.toggle = true}),
                price = store.registry().add_relation("price", TypeDescriptor::of<ThrowingCopy>()),
                debt = store.registry().add_relation("debt", TypeDescriptor::of<ThrowingCopy>(), {.sparse = true}),
                under = store.registry().add_relation("under", {.sparse = true, .exclusive = true, .acyclic = true});
    ThrowingCopy value{7};
    std::vector<Entity> entities{};

    World() {
        store.registry().add<Sparse>({.sparse = true});
        for (int i = 0; i != 8; ++i) entities.push_back(store.spawn(Plain{i}, ThrowingCopy(i)));
        entities.push_back(store.spawn(Plain{8}));
        store.relate(entities[7], likes, entities[6]);
        store.relate(entities[7], owner, entities[6]);
        store.relate(entities[7], mood, entities[6]);
        store.relate(entities[7], under, entities[6]);
        store.add(entities[5], 5L);
    }
    /// Whether all is as it was made.
    bool as_before() const {
        bool good = store.check_invariants() && store.size() == entities.size();
        for (std::size_t i = 0; i != entities.size(); ++i) {
            const int expected = static_cast<int>(i);
            good = good && store.is_alive(entities[i]) && store.get<Plain>(entities[i])->value == expected;
            good = good && !store.has<Sparse>(entities[i]);
            const ThrowingCopy* const each = store.get<ThrowingCopy>(entities[i]);
            for (const ComponentId relation : {likes, owner, mood, under})
                good = good && store.target(entities[i], relation) == (i == 7 ? entities[6] : Entity());
            good = good && store.has<long>(entities[i]) == (i == 5) && store.is_enabled<long>(entities[i]) == (i == 5);
            for (const ComponentId relation : {price, debt})
                good = good && store.sources(relation, entities[i]).begin() == store.sources(relation, entities[i]).end();
            good = good && (i == 8 ? each == nullptr : each != nullptr && each->value() == expected);
        }
        return good;
    }
};

/// Every step of change(world) fails in turn, by a type and by memory, and leaves the world as before, also the ids to come
/// unless it names one.
template <bool Id = false, class Change>
void is_strong(const char* function, Change&& change) {
    INFO(function);
    const NothingLeaks leaks;
    const auto scenario = [&](auto&& attempt) {
        World world;
        [[maybe_unused]] const Entity expected = inside(world.store).entities.next();
        if (!attempt([&] { change(world); })) return;
        CHECK(world.as_before());
        if constexpr (!Id) CHECK(inside(world.store).entities.next() == expected);
    };
    const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
    CHECK(failures > 0);
    report_sweep(swept(function), failures);
}

} // namespace

TEST_CASE("ArchetypeStore: an entity that cannot be taken out stays, and one that cannot be put back stays with its values",
          "[ecs][throws]") {
    is_strong("ArchetypeStore::extract_reserved",
              [](World& world) { static_cast<void>(world.store.extract_reserved(world.entities[7])); });
    const auto put_back = [](auto&& put) {
        const NothingLeaks leaks;
        const auto scenario = [&](auto&& attempt) {
            World world;
            const Entity entity = world.entities[7];
            world.store.relate(entity, world.price, world.entities[2], AnyValue::of(ThrowingCopy(9)));
            world.store.relate(entity, world.debt, world.entities[2], AnyValue::of(ThrowingCopy(3)));
            world.store.add(entity, Sparse{ThrowingCopy(4)}, 5L);
            world.store.disable<long>(entity);
            auto away = world.store.extract_reserved(entity);
            if (!attempt([&] { put(world, entity, away); })) return;
            CHECK((!world.store.is_alive(entity) && world.store.explain(entity) == HandleStatus::reserved));
            CHECK(world.store.check_invariants());
            REQUIRE(world.store.fulfill(entity, std::move(*away)));
            CHECK((world.store.at<Sparse>(entity).value.value() == 4 && !world.store.is_enabled<long>(entity)));
            CHECK(static_cast<const ThrowingCopy*>(world.store.get(entity, pair(world.price, world.entities[2])))->value() ==
                  9);
            CHECK(static_cast<const ThrowingCopy*>(world.store.get(entity, pair(world.debt, world.entities[2])))->value() == 3);
            world.store.unrelate(entity, world.debt);
            world.store.remove<Sparse>(entity), world.store.remove<long>(entity), world.store.unrelate(entity, world.price);
            CHECK(world.as_before());
        };
        const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
        CHECK(failures > 0);
        report_sweep(swept("ArchetypeStore::fulfill"), failures);
    };
    put_back([](World& world, Entity entity, auto& away) { world.store.fulfill(entity, std::move(*away)); });
    put_back([](World& world, Entity entity, auto&) { world.store.fulfill(entity, world.value, 1.5); });
    const auto failures = run_out_of_memory([&](auto&& attempt) { // allocates only for what relates to the entity
        World world;
        const Entity target = world.entities[6];
        if (!attempt([&] { world.store.erase_reserved(target); })) return;
        CHECK((world.store.is_alive(target) && world.store.check_invariants()));
    });
    CHECK(failures > 0);
    report_sweep(swept("ArchetypeStore::erase_reserved"), failures);
}

TEST_CASE("ArchetypeStore: removals that cannot be kept for lack of memory are none kept, and can be asked for again",
          "[ecs][throws]") {
    const auto failures = run_out_of_memory([&](auto&& attempt) {
        World world;
        const bool threw = attempt([&] { world.store.keep_removed<Plain>(); });
        REQUIRE(world.as_before());
        if (!threw) return;
        CHECK_THROWS_AS(world.store.removed<Plain>(0), std::invalid_argument);
        world.store.keep_removed<Plain>();
        world.store.despawn(world.entities[0]);
        CHECK(world.store.removed<Plain>(0).size() == 1);
    });
    CHECK(failures > 0);
    report_sweep(swept("ArchetypeStore::keep_removed"), failures);
}

TEST_CASE("ArchetypeStore: a reservation that cannot be cancelled for lack of memory stays", "[ecs][throws]") {
    const auto failures = run_out_of_memory([&](auto&& attempt) {
        World world;
        const Entity entity = world.entities[7];
        auto away = world.store.extract_reserved(entity);
        CommandBuffer buffer(world.store);
        for (int i = 0; i != 50; ++i) buffer.spawn(Plain{i});
        if (attempt([&] { world.store.cancel(entity); })) CHECK(world.store.explain(entity) == HandleStatus::reserved);
        CHECK(world.store.check_invariants());
    });
    CHECK(failures > 0);
    report_sweep(swept("ArchetypeStore::cancel"), failures);
    World world;
    const auto away = world.store.extract_reserved(world.entities[7]);
    std::size_t seen = 0;
    REQUIRE_THROWS_AS(away->for_each_component([&](ComponentId, const void*) {
        if (++seen == 2) TEST_THROW(std::runtime_error("seen"));
    }),
                      std::runtime_error);
    CHECK((seen == 2 && away->size() == 7 && away->has(pair(world.likes, world.entities[6])) && !away->has(world.level)));
}

TEST_CASE("ArchetypeStore: a spawn that fails leaves everything as before, also the ids to come", "[ecs][throws]") {
    is_strong("ArchetypeStore::spawn", [](World& world) { world.store.spawn(Plain{1}, world.value); });
    is_strong("ArchetypeStore::spawn", [](World& world) { world.store.spawn(world.value, 1.5, Plain{1}); }); // a new table
    is_strong("ArchetypeStore::spawn", [](World& world) { world.store.spawn(Sparse{world.value}, Plain{1}, world.value); });
    is_strong("ArchetypeStore::spawn_n",
              [](World& world) { static_cast<void>(world.store.spawn_n(5, Plain{1}, world.value)); });
    is_strong("ArchetypeStore::spawn_n", [](World& world) {
        const Sparse sparse{world.value};
        static_cast<void>(world.store.spawn_n(3, sparse, world.value, 1.5));
    });
    is_strong<true>("ArchetypeStore::spawn_at",
                    [](World& world) { world.store.spawn_at(Entity(100'000, 3), world.value, 1.5); });
    is_strong("ArchetypeStore::add_range",
              [](World& world) { static_cast<void>(world.store.add_range(1'000'000, 2'000'000)); });
    is_strong("ArchetypeStore::spawn_in",
              [](World& world) { world.store.spawn_in(world.store.add_range(1'000'000, 2'000'000), world.value); });
    is_strong("ArchetypeStore::reserve", [](World& world) { world.store.reserve<Plain, double>(1000); });
    const auto build = [](World& world) {
        EntityBuilder builder = world.store.builder();
        builder.with(world.value).with(Plain{1}).with<double>().with(world.level).relate(world.likes, world.entities[1]);
        builder.relate(world.price, world.entities[2], AnyValue::of(world.value));
        builder.relate(world.debt, world.entities[2], AnyValue::of(world.value)).relate(world.under, world.entities[3]);
        builder.spawn();
    };
    for (const char* const function : {"EntityBuilder::with", "EntityBuilder::relate", "EntityBuilder::spawn"})
        is_strong(function, build);
}

TEST_CASE("ArchetypeStore: clones that fail leave everything as before, also the ids to come", "[ecs][throws]") {
    struct Hidden {};
    const auto fails = [](const char* function, auto&& clone) {
        const NothingLeaks leaks;
        const auto scenario = [&](auto&& attempt) {
            World world;
            const Entity entity = world.entities[7];
            world.store.registry().add<Hidden>({.hides = true});
            world.store.add(entity, Sparse{ThrowingCopy(4)}, 5L, Hidden());
            world.store.relate(entity, world.price, world.entities[2], AnyValue::of(ThrowingCopy(9)));
            world.store.disable<long>(entity);
            const Entity expected = inside(world.store).entities.next();
            if (!attempt([&] { clone(world, entity); })) return;
            CHECK((inside(world.store).entities.next() == expected && world.store.size() == world.entities.size()));
            CHECK((world.store.at<Sparse>(entity).value.value() == 4 && !world.store.is_enabled<long>(entity)));
            world.store.remove<Sparse, long, Hidden>(entity), world.store.unrelate(entity, world.price);
            CHECK(world.as_before());
        };
        const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
        CHECK(failures > 0);
        report_sweep(swept(function), failures);
    };
    fails("ArchetypeStore::clone", [](World& world, Entity entity) { world.store.clone(entity); });
    fails("ArchetypeStore::clone_n", [](World& world, Entity entity) { static_cast<void>(world.store.clone_n(entity, 20)); });
    is_strong("ArchetypeStore::clone_n", // rows of the same table
              [](World& world) { static_cast<void>(world.store.clone_n(world.entities[1], 20)); });
}

TEST_CASE("ArchetypeStore: a change that fails leaves the entity in its table", "[ecs][throws]") {
    is_strong("ArchetypeStore::add", [](World& world) { world.store.add(world.entities[8], world.value); });
    is_strong("ArchetypeStore::add", [](World& world) { world.store.add(world.entities[8], 1.5, world.value, 2.5f); });
    is_strong("ArchetypeStore::add", [](World& world) { world.store.add(world.entities[3], Sparse{world.value}); });
    is_strong("ArchetypeStore::add",
              [](World& world) { world.store.add(world.entities[8], Sparse{world.value}, world.value); });
    is_strong("ArchetypeStore::add", // many at once
              [](World& world) { world.store.add(std::span(world.entities).first(5), 1.5, Once{world.value}); });
    is_strong("ArchetypeStore::add_each", [](World& world) {
        const std::array<Once, 5> values{Once{world.value}, {}, {}, {}, {}};
        const std::array<double, 5> numbers{};
        world.store.add_each(std::span(world.entities).first(5), values, numbers);
    });
    is_strong("ArchetypeStore::replace", [](World& world) { world.store.replace(world.entities[1], world.value); });
    is_strong("ArchetypeStore::get_or_add",
              [](World& world) { world.store.get_or_add<ThrowingCopy>(world.entities[8], world.value); });
    is_strong("ArchetypeStore::get_or_add",
              [](World& world) { world.store.get_or_add<Sparse>(world.entities[8], world.value); });
    is_strong("ArchetypeStore::set", [](World& world) { world.store.set(world.entities[8], world.value); });
    is_strong("ArchetypeStore::set", [](World& world) {
        world.store.set(world.entities[8], world.store.registry().id<ThrowingCopy>(), AnyValue::of(world.value));
    });
    is_strong("ArchetypeStore::remove", [](World& world) { world.store.remove<ThrowingCopy, Plain>(world.entities[1]); });
    is_strong("ArchetypeStore::remove", [](World& world) { world.store.remove<long>(world.store.query<Plain>()); });
    is_strong("ArchetypeStore::remove_all", [](World& world) { world.store.remove_all<long>(); });
    is_strong("ArchetypeStore::despawn", [](World& world) { world.store.query<const long>().despawn_all(); });
    is_strong("ArchetypeStore::despawn", [](World& world) { world.store.despawn(world.store.query<>()); });
    is_strong("ArchetypeStore::sort",
              [](World& world) { world.store.sort<Plain>([](const Plain& a, const Plain& b) { return a.value > b.value; }); });
    is_strong("ArchetypeStore::relate",
              [](World& world) { world.store.relate(world.entities[1], world.likes, world.entities[2]); });
    is_strong("ArchetypeStore::relate",
              [](World& world) { world.store.relate(world.entities[7], world.owner, world.entities[2]); });
    is_strong("ArchetypeStore::relate",
              [](World& world) { world.store.relate(world.entities[1], world.mood, world.entities[2]); });
    is_strong("ArchetypeStore::relate", [](World& world) {
        world.store.relate(world.entities[1], world.price, world.entities[2], AnyValue::of(world.value));
    });
    is_strong("ArchetypeStore::relate", [](World& world) {
        world.store.relate(world.entities[1], world.debt, world.entities[2], AnyValue::of(world.value));
    });
    is_strong("ArchetypeStore::relate_before",
              [](World& world) { world.store.relate_before(world.entities[3], world.debt, world.entities[6], Entity()); });
    is_strong("ArchetypeStore::add", [](World& world) {
        world.store.add(world.entities[1], std::array{pair(world.debt, world.entities[2]), pair(world.debt, world.entities[3]),
                                                      pair(world.under, world.entities[4])});
    });
    is_strong("ArchetypeStore::unrelate",
              [](World& world) { world.store.unrelate(world.entities[7], world.likes, world.entities[6]); });
    is_strong("ArchetypeStore::unrelate", [](World& world) { world.store.unrelate(world.entities[7], world.owner); });
    is_strong("ArchetypeStore::enable", [](World& world) { world.store.enable(world.entities[5], world.level, false); });
    is_strong("ArchetypeStore::disable", [](World& world) { world.store.disable<long>(world.entities[5]); });
}

TEST_CASE("ArchetypeStore: what is made for a store and fails is not there", "[ecs][throws]") {
    const auto made = [](const char* function, auto&& make) {
        const std::size_t failures = run_out_of_memory([&](auto&& attempt) { attempt(make); });
        CHECK(failures != 0);
        report_sweep(swept(function), failures);
    };
    made("ArchetypeStore::()", [] { const ArchetypeStore store; });
    made("ArchetypeStore::(...)", [] { const ArchetypeStore store{ComponentRegistry()}; });
    made("Query::(...)", [] {
        ArchetypeStore store;
        static_cast<void>(store.query<Plain, const double>().exclude<float>().size());
    });
    int called = 0;
    const auto hook = [&called, all = std::array<int, 40>()](Entity) { called += 1 + all[0]; };
    const auto add = [&](World& world) { world.store.on_add<double>(hook); };
    is_strong("ArchetypeStore::on_add", add);
    is_strong("ArchetypeStore::on_set", [&](World& world) { world.store.on_set<double>(hook); });
    is_strong("ArchetypeStore::on_remove", [&](World& world) { world.store.on_remove<double>(hook); });
    is_strong("ArchetypeStore::on_replace", [&](World& world) { world.store.on_replace<double>(hook); });
    CHECK(called == 0);
    is_strong("ArchetypeStore::accessor", [](World& world) { static_cast<void>(world.store.accessor<NotRegistered>()); });
    World world;
    calls_nothing_that_throws(swept("ArchetypeStore::accessor"),
                              [&] { CHECK(std::as_const(world.store).accessor<Plain>().has(world.entities[0])); });
}

TEST_CASE("ArchetypeStore: entities that go, and memory that is given back, may need memory", "[ecs][throws]") {
    const auto sound = [](const char* function, std::size_t left, auto&& act) { // all may be done when it fails
        INFO(function);
        const NothingLeaks leaks;
        const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
            World world;
            if (!attempt([&] { act(world); })) return;
            CHECK(world.store.check_invariants());
            CHECK((world.store.size() == 9 || world.store.size() == left));
        });
        CHECK(failures != 0);
        report_sweep(swept(function), failures);
    };
    sound("ArchetypeStore::despawn", 8, [](World& world) { world.store.despawn(world.entities[6]); }); // a target
    sound("ArchetypeStore::shrink_to_fit", 9, [](World& world) {
        world.store.reserve<Plain>(1000);
        world.store.shrink_to_fit();
    });
    sound("ArchetypeStore::clear", 0, [](World& world) {
        CommandBuffer commands(world.store); // its id is made before all end
        commands.spawn(1.5);
        world.store.clear();
    });
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) { // of a list some have ended
        World world;
        const std::vector<Entity> entities = world.entities;
        if (!attempt([&] { world.store.despawn(entities); })) return;
        CHECK((world.store.check_invariants() && world.store.size() != 0));
        CHECK(world.store.despawn(world.store.entities()) != 0);
        CHECK((world.store.check_invariants() && world.store.empty()));
    });
    CHECK(failures != 0);
    report_sweep(swept("ArchetypeStore::despawn"), failures);
}

TEST_CASE("CommandBuffer: a command that cannot be recorded leaves the others, and the store, as they are", "[ecs][throws]") {
    const auto records = [](const char* function, auto&& record) {
        INFO(function);
        const NothingLeaks leaks;
        const auto scenario = [&](auto&& attempt) {
            World world;
            CommandBuffer commands(world.store);
            commands.set(world.entities[0], Plain{100});
            if (!attempt([&] { record(world, commands); })) return;
            CHECK(commands.size() == 1);
            CHECK(world.as_before());
            CHECK(world.store.apply(commands) == 0);
            CHECK(world.store.get<Plain>(world.entities[0])->value == 100);
            CHECK(world.store.check_invariants());
        };
        const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
        CHECK(failures != 0);
        report_sweep(swept(function), failures);
    };
    records("CommandBuffer::spawn", [](World& world, CommandBuffer& commands) { commands.spawn(world.value, 1.5); });
    records("CommandBuffer::reserve", [](World&, CommandBuffer& commands) { commands.reserve(1000); });
    records("CommandBuffer::despawn", [](World& world, CommandBuffer& commands) { commands.despawn(world.entities[1]); });
    records("CommandBuffer::add",
            [](World& world, CommandBuffer& commands) { commands.add(world.entities[1], world.value, 1.5); });
    records("CommandBuffer::set", [](World& world, CommandBuffer& commands) { commands.set(world.entities[1], world.value); });
    records("CommandBuffer::emplace",
            [](World& world, CommandBuffer& commands) { commands.emplace<ThrowingCopy>(world.entities[1], 5); });
    records("CommandBuffer::call",
            [](World& world, CommandBuffer& commands) { commands.call([value = world.value] { static_cast<void>(value); }); });
    records("CommandBuffer::remove",
            [](World& world, CommandBuffer& commands) { commands.remove<Plain, double>(world.entities[1]); });
    records("CommandBuffer::relate",
            [](World& world, CommandBuffer& commands) { commands.relate(world.entities[1], world.likes, world.entities[2]); });
    records("CommandBuffer::unrelate", [](World& world, CommandBuffer& commands) {
        commands.unrelate(world.entities[7], world.likes, world.entities[6]);
    });
}

TEST_CASE("CommandBuffer: an apply that runs out of memory loses one entity's commands at most, and the rest can be applied",
          "[ecs][throws]") {
    const NothingLeaks leaks;
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        World world;
        CommandBuffer commands(world.store);
        for (int i = 0; i != 4; ++i) commands.set(world.entities[static_cast<std::size_t>(i)], Plain{100 + i});
        commands.add(world.entities[4], 1.5);
        commands.spawn(Plain{9}, 2.5F);
        if (!attempt([&] { world.store.apply(commands); })) return;
        CHECK(world.store.check_invariants());
        static_cast<void>(world.store.apply(commands));
        CHECK(commands.empty());
        int set = 0;
        for (std::size_t i = 0; i != 4; ++i) set += world.store.get<Plain>(world.entities[i])->value >= 100;
        CHECK(set >= 3);
        CHECK(world.store.check_invariants());
    });
    CHECK(failures != 0);
    report_sweep(swept("ArchetypeStore::apply"), failures);
}

TEST_CASE("ArchetypeStore: a defer() that fails at any step leaves a sound store, and nothing recorded", "[ecs][throws]") {
    const NothingLeaks leaks;
    const auto scenario = [&](auto&& attempt) {
        World world;
        bool deferred = false;
        const auto defer = [&] {
            deferred = false;
            world.store.defer([&](CommandBuffer& commands) {
                commands.set(world.entities[0], Plain{100});
                world.store.defer([&](CommandBuffer& inner) { inner.add(world.entities[1], world.value); });
                commands.spawn(world.value, 1.5);
                deferred = true;
            });
        };
        if (!attempt(defer)) return;
        CHECK(world.store.check_invariants());
        if (!deferred) CHECK(world.as_before()); // the exception left f
        CHECK(world.store.defer([](CommandBuffer& commands) { CHECK(commands.empty()); }) == 0);
        defer();
        CHECK(world.store.get<Plain>(world.entities[0])->value == 100);
        CHECK(world.store.check_invariants());
    };
    const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
    CHECK(failures != 0);
    report_sweep(swept("ArchetypeStore::defer"), failures);
}

TEST_CASE("Query: a walk that runs out of memory, or whose function throws, leaves no walk open", "[ecs][throws]") {
    const auto walks = [](auto&& walk) {
        const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
            World world;
            attempt([&] { walk(world.store); });
            world.store.spawn(Plain{1}); // no walk is open
            CHECK(world.store.check_invariants());
        });
        CHECK(failures != 0);
    };
    walks([](ArchetypeStore& store) { static_cast<void>(store.query<Plain>().optional<float>().size()); });
    walks([](ArchetypeStore& store) { store.query<Plain, long>().warm(); });
    walks([](ArchetypeStore& store) {
        for (auto [entity, plain] : store.query<Plain>()) plain.value += static_cast<int>(entity.index());
    });
    walks([](const ArchetypeStore& store) {
        const auto late = store.query<const Plain>().exclude<float>();
        static_cast<void>(late.size());
        for (auto [entity, plain] : late) static_cast<void>(entity), static_cast<void>(plain);
    });
    World world;
    CHECK(thrown_text<std::length_error>([&] {
              world.store.for_each_component(world.entities[0],
                                             [](ComponentId, const void*) { TEST_THROW(std::length_error("of f")); });
          }) == "of f");
}

TEST_CASE("ArchetypeStore: a restore that runs out of memory leaves the store as it was", "[ecs][throws]") {
    const auto filled = [](ArchetypeStore& store) {
        const ComponentId likes = store.registry().add_relation("likes");
        store.registry().add<double>({.sparse = true});
        store.registry().add<Plain>({.toggle = true, .tracked = true});
        const Entity first = store.spawn(Plain{1}, 1.5);
        store.relate(store.spawn(Plain{2}), likes, first);
        store.disable<Plain>(first);
    };
    ArchetypeStore other;
    filled(other);
    other.spawn(Plain{3});
    const auto bytes = other.snapshot();
    for (const char* const function : {"ArchetypeStore::restore", "ArchetypeStore::try_restore"}) {
        const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
            ArchetypeStore store;
            filled(store);
            const auto before = store.snapshot();
            if (!attempt([&] { store.restore(bytes); })) return;
            CHECK(store.snapshot() == before);
            CHECK(store.check_invariants());
        });
        CHECK(failures != 0);
        report_sweep(swept(function), failures);
    }
    CHECK(thrown_text<std::invalid_argument>([&] { other.restore({}); }).find("snapshot") != std::string::npos);
    CHECK(run_out_of_memory([&](auto&& attempt) { attempt([&] { static_cast<void>(other.snapshot()); }); }) != 0);
}

TEST_CASE("ArchetypeStore: a despawn and a removal need no memory where the table is there", "[ecs]") {
    const NothingLeaks leaks;
    World world;
    world.store.remove<ThrowingCopy>(world.entities[0]);
    world.store.add(world.entities[0], ThrowingCopy(0));
    CHECK(run_out_of_memory([&](auto&& attempt) {
              CHECK_FALSE(attempt([&] {
                  world.store.remove<ThrowingCopy>(world.entities[0]);
                  world.store.despawn(world.entities[1]);
              }));
          }) == 0);
    CHECK_FALSE(world.store.is_alive(world.entities[1]));
    CHECK(world.store.check_invariants());
}

TEST_CASE("ArchetypeStore: where moves throw, entities that end at once end one by one, and rows are sorted or as before",
          "[ecs]") {
    const NothingLeaks leaks;
    std::size_t failures = 0;
    for (const int kind : {0, 1, 2})
        failures += fail_at_every_step([&](auto&& attempt) {
            ArchetypeStore store;
            store.registry().template add<Plain>({.toggle = true});
            std::vector<Entity> entities;
            for (int i = 0; i != 6; ++i) entities.push_back(store.spawn(Throwing(i), Plain{i}));
            for (int i = 0; i < 6; i += 2) store.template disable<Plain>(entities[static_cast<std::size_t>(i)]);
            std::size_t ended = 0;
            store.template on_remove<Throwing>([&](Entity) { ++ended; });
            store.template on_add<Throwing>([&](Entity) { --ended; });
            const auto change = [&] {
                if (kind == 0) store.template query<const Plain>().despawn_all();
                if (kind == 1) store.template remove<Throwing>(store.template query<const Plain>());
                if (kind == 2) store.template sort<Plain>([](const Plain& a, const Plain& b) { return a.value > b.value; });
            };
            static_cast<void>(attempt(change));
            CHECK(store.check_invariants());
            std::size_t left = 0;
            for (std::size_t i = 0; i != 6; ++i) {
                if (!store.is_alive(entities[i])) continue;
                CHECK(store.template get<Plain>(entities[i])->value == static_cast<int>(i));
                left += store.template has<Throwing>(entities[i]);
            }
            CHECK((left == 6 - ended && left >= 3));
        });
    CHECK(failures > 0);
}

TEST_CASE("ArchetypeStore: values whose moves throw keep every entity and leak nothing", "[ecs]") {
    const NothingLeaks leaks;
    const std::size_t failures = fail_at_every_step([&](auto&& attempt) {
        ArchetypeStore store;
        std::vector<Entity> entities;
        for (int i = 0; i != 4; ++i) entities.push_back(store.spawn(Throwing(i), Plain{i}));
        if (!attempt([&] {
                store.add(entities[1], 1.5);
                store.despawn(entities[0]);
            }))
            return;
        for (std::size_t i = 1; i != 4; ++i) CHECK(store.get<Plain>(entities[i])->value == static_cast<int>(i));
        CHECK(store.check_invariants());
    });
    CHECK(failures > 0);
}
