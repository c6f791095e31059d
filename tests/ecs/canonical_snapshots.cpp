// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bytes of a store depend on what is there alone, others are refused, and a refusal changes nothing.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;

namespace {

using Bytes = std::vector<std::byte>;
struct Health {
    int left = 0;
};
struct Name {
    std::string text{};
};
struct Unused {
    int value = 0;
};

/// A store whose components are registered in one of two orders.
struct World {
    ArchetypeStore store{};
    ComponentId tag{}, sparse{}, toggle{}, likes{}, owner{}, mood{};
    explicit World(bool other = false) {
        ComponentRegistry& registry = store.registry();
        const auto tags = [&] {
            tag = registry.add_tag("tag");
            sparse = registry.add_tag("sparse", {.sparse = true});
            toggle = registry.add_tag("toggle", {.toggle = true});
            registry.add_tag("zzz nobody has it");
        };
        const auto relations = [&] {
            likes = registry.add_relation("likes");
            owner = registry.add_relation("owner", {.exclusive = true});
            mood = registry.add_relation("mood", {.switched = true});
        };
        if (other) {
            registry.add_tag("another");
            relations();
            registry.add<Health>("health");
            tags();
        } else {
            tags();
            registry.add<Health>("health");
            relations();
        }
    }
    std::vector<ComponentId> ids(Entity target) const {
        return {tag,
                sparse,
                toggle,
                pair(likes, target),
                pair(likes, tag),
                pair(owner, target),
                pair(mood, target),
                pair(mood, tag)};
    }
    /// Random entities.
    std::vector<Entity> fill(unsigned seed) {
        std::mt19937 random(seed);
        std::vector<Entity> all;
        for (int i = 0; i != 30; ++i) {
            all.push_back(store.spawn(Health{i}));
            for (const ComponentId id : ids(all[random() % all.size()]))
                if (random() % 3 == 0) store.add(all.back(), id);
        }
        return all;
    }
    std::vector<int> walk() const {
        std::vector<int> order;
        store.query<const Health>().for_each([&](const Health& health) { order.push_back(health.left); });
        return order;
    }
};

/// Reads a snapshot as far as the tables begin.
struct Layout {
    Bytes bytes;
    std::size_t components = 0, last_component = 0, end_of_components = 0, tables = 0;

    Layout(Bytes given, const std::vector<std::string>& names) : bytes(std::move(given)) {
        components = sizeof(std::uint32_t) + 1 + sizeof(tick_t);
        std::size_t at = components + 8;
        REQUIRE(number(components) == names.size());
        std::size_t tail = 5; // flags and size of each component; more, where types have tags
        while (names.size() > 1 && number(at + 8 + names[0].size() + tail) != names[1].size()) ++tail;
        for (const std::string& name : names) {
            REQUIRE(number(at) == name.size());
            last_component = at;
            at += 8 + name.size() + tail;
        }
        end_of_components = at;
        tables = at + 8 + static_cast<std::size_t>(number(at)); // behind the ids
    }
    std::uint64_t number(std::size_t at) const {
        std::uint64_t value = 0;
        if (at + 8 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 8);
        return value;
    }
    void set(std::size_t at, std::uint64_t value) { std::memcpy(bytes.data() + at, &value, 8); }
    void insert(std::size_t at, const Bytes& more) {
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
    }
    Bytes cut(std::size_t first, std::size_t last) const {
        return {bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.begin() + static_cast<std::ptrdiff_t>(last)};
    }
};

/// Refused in words, and the store is as it was, in all that can be asked of it.
void is_refused(const Bytes& bytes, const char* words) {
    World w;
    w.fill(7);
    const auto before = w.store.snapshot();
    const auto walk = w.walk();
    const std::size_t memory = w.store.memory_usage(), tables = test::tables_of(w.store).size();
    const char* const error = w.store.try_restore(bytes);
    REQUIRE(error != nullptr);
    CHECK_THAT(std::string(error), Catch::Matchers::Contains(words));
    CHECK((w.store.snapshot() == before && w.walk() == walk && w.store.memory_usage() == memory));
    CHECK((test::tables_of(w.store).size() == tables && w.store.check_invariants()));
}

} // namespace

TEST_CASE("ArchetypeStore::snapshot: the bytes do not depend on what was there before", "[ecs]") {
    for (unsigned seed = 0; seed != 20; ++seed) {
        World w;
        const auto all = w.fill(seed);
        const Entity target = w.store.spawn(), last = w.store.spawn(); // the last row of its table, so that it comes back there
        const auto before = w.store.snapshot();
        for (const ComponentId id : w.ids(target)) {
            w.store.add(last, id);
            w.store.remove(last, id);
        }
        w.store.add(last, Unused{});
        w.store.remove<Unused>(last);
        w.store.add(last, Name{"which no codec writes"});
        w.store.remove<Name>(last);
        static_cast<void>(w.store.query<>().with(w.likes, target).size());
        INFO(seed);
        CHECK((w.store.snapshot() == before)); // also with tables of Unused and Name, that nobody is in
        w.store.shrink_to_fit();
        CHECK((w.store.snapshot() == before));
        World other(true); // another order of components, without those that nobody has
        other.store.restore(before);
        CHECK((other.store.snapshot() == before && other.store.check_invariants()));
        CHECK(other.walk() == w.walk());
    }
}

TEST_CASE("ArchetypeStore::restore: stores go on alike, whatever tables they had before", "[ecs]") {
    for (unsigned seed = 0; seed != 20; ++seed) {
        World w, other;
        const auto all = w.fill(seed);
        for (const Entity entity : all) w.store.remove(entity, w.tag); // leaves tables without rows
        other.fill(seed + 1);
        other.store.restore(w.store.snapshot());
        for (World* each : {&w, &other}) {
            std::mt19937 random(seed);
            for (int i = 0; i != 60; ++i) {
                const Entity entity = all[random() % all.size()];
                const ComponentId id = each->ids(all[random() % all.size()])[random() % 8];
                if (random() % 2 == 0)
                    each->store.add(entity, id);
                else
                    each->store.remove(entity, id);
            }
        }
        INFO(seed);
        CHECK((w.walk() == other.walk() && w.store.snapshot() == other.store.snapshot()));
    }
}

TEST_CASE("ArchetypeStore::restore: bytes that no snapshot has are refused, and change nothing", "[ecs]") {
    World w;
    const Entity target = w.store.spawn(Health{1});
    w.store.relate(w.store.spawn(Health{2}), w.likes, target);
    w.store.add(target, w.sparse);
    const std::vector<std::string> names = {"health", "likes", "sparse"};
    const Layout sound(w.store.snapshot(), names);
    World fresh;
    CHECK(fresh.store.try_restore(test::reseal(sound.bytes)) == nullptr);
    const auto forge = [&](const char* words, const std::function<void(Layout&)>& change) {
        Layout forged = sound;
        change(forged);
        is_refused(test::reseal(forged.bytes), words);
    };
    const auto name_at = [&](Layout& l, const char* name) {
        std::memcpy(l.bytes.data() + l.last_component + 8, name, std::strlen(name));
    };
    forge("nobody has", [&](Layout& l) { // one more component
        Bytes more = l.cut(l.last_component, l.end_of_components);
        std::memcpy(more.data() + 8, "toggle", 6);
        // flags of a tag with the trait toggle
        ArchetypeStore flags;
        const auto tag = flags.registry().add_tag("toggle", {.toggle = true});
        flags.add(flags.spawn(), tag);
        const Bytes of = flags.snapshot();
        const std::size_t at = sizeof(std::uint32_t) + 1 + sizeof(tick_t) + 8;
        for (std::size_t i = 0; i != more.size(); ++i) more[i] = of[at + i];
        l.insert(l.end_of_components, more);
        l.set(l.components, 4);
    });
    forge("out of order", [&](Layout& l) { // two components change places
        const std::size_t first = l.components + 8;
        const Bytes one = l.cut(first, l.last_component), last = l.cut(l.last_component, l.end_of_components);
        Bytes both = last;
        both.insert(both.end(), one.begin(), one.end());
        std::copy(both.begin(), both.end(), l.bytes.begin() + static_cast<std::ptrdiff_t>(first));
    });
    forge("does not know", [&](Layout& l) { name_at(l, "zparse"); });
    forge("no rows",
          [&](Layout& l) { // a table that nobody is in, behind the empty one: one id, a component, of place 1; no rows
              Bytes table(8 + 1 + 4 + 8 + 8, std::byte{0});
              table[0] = table[9] = std::byte{1};
              l.insert(l.tables + 8 + 16, table);
              l.set(l.tables, l.number(l.tables) + 1);
          });
    forge("the first table is the empty one", [&](Layout& l) { // it is left out
        l.bytes.erase(l.bytes.begin() + static_cast<std::ptrdiff_t>(l.tables + 8),
                      l.bytes.begin() + static_cast<std::ptrdiff_t>(l.tables + 24));
        l.set(l.tables, l.number(l.tables) - 1);
    });
    forge("the first table is the empty one", [&](Layout& l) { // it is there twice
        l.insert(l.tables + 8, Bytes(16, std::byte{0}));
        l.set(l.tables, l.number(l.tables) + 1);
    });
    forge("snapshot", [&](Layout& l) { l.set(l.tables, l.number(l.tables) - 1); });
    forge("snapshot", [&](Layout& l) { l.bytes.push_back(std::byte{0}); });
}

TEST_CASE("ArchetypeStore::restore: a refusal of changed bytes changes nothing, and what is accepted is canonical", "[ecs]") {
    World source, w;
    source.fill(3);
    w.fill(4);
    const auto sound = source.store.snapshot(), before = w.store.snapshot();
    const auto walk = w.walk();
    const std::size_t memory = w.store.memory_usage();
    std::mt19937 random(1);
    int refused = 0, accepted = 0;
    for (int i = 0; i != 4000; ++i) {
        Bytes wrong = sound;
        const std::size_t at = random() % wrong.size();
        if (i % 4 == 0)
            wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(at));
        else if (i % 4 == 1)
            wrong.insert(wrong.begin() + static_cast<std::ptrdiff_t>(at), wrong[at]);
        else
            wrong[at] ^= static_cast<std::byte>(1u << random() % 8);
        wrong = test::reseal(wrong);
        if (w.store.try_restore(wrong) == nullptr) {
            ++accepted;
            REQUIRE((w.store.snapshot() == wrong && w.store.check_invariants()));
            w = World();
            w.fill(4);
            static_cast<void>(w.walk()); // the store keeps the memory of a walk
            continue;
        }
        ++refused;
        if (i % 16 == 0) REQUIRE((w.store.snapshot() == before && w.walk() == walk));
        REQUIRE(w.store.memory_usage() == memory);
    }
    CHECK((refused > 1000 && accepted > 50));
}

TEST_CASE("ArchetypeStore: queries for pairs with one entity leave nothing when it dies", "[ecs]") {
    World w;
    std::size_t memory = 0;
    for (int i = 0; i != 200; ++i) {
        for (int kind = 0; kind != 4; ++kind) {
            const Entity target = w.store.spawn(Health{1}), source = w.store.spawn(Health{2});
            const ComponentId all[] = {pair(w.likes, target), pair(w.owner, target), pair(w.mood, target), pair(any, target)};
            const ComponentId id = all[kind];
            const auto query = w.store.query<const Health>().with(id);
            CHECK(query.empty());
            query.warm();
            w.store.add(source, id.has_any_relation() ? pair(w.likes, target) : id);
            CHECK((query.size() == 1 && query.first() == source)); // it finds what comes later
            int calls = 0;
            query.for_each([&](Entity entity, const Health&) { calls += entity == source; });
            for (auto [entity, health] : query) calls += entity == source && health.left == 2;
            query.for_each_pair(id, [&](Entity, const auto&, const Health&) { ++calls; });
            CHECK((calls == 3 && query.chunks().size() == 1));
            CHECK(w.store.query<Health>().exclude(id).size() == w.store.size() - 1);
            w.store.despawn(source);
            w.store.despawn(target);
        }
        if (i == 20) memory = w.store.memory_usage();
    }
    CHECK(w.store.memory_usage() <= memory);
    CHECK(w.store.check_invariants());
}
