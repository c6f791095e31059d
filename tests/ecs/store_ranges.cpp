// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is done to one entity, beside the same for a list of them, and verbs of several components.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Number {
    int value = 0;
};
struct Large {
    std::array<int, 9> values{};
};
struct Note {
    std::string text{};
};
struct Switch {
    double value = 0;
};
struct Seen {
    short value = 0;
};
struct Aside {
    int value = 0;
};
struct Brings {
    char value = 0;
};
struct Brought {
    int value = 77;
};
struct Tagged {};
struct MovesThrow {
    int value = 0;
    MovesThrow() = default;
    explicit MovesThrow(int v) : value(v) {}
    MovesThrow(const MovesThrow&) = default;
    MovesThrow(MovesThrow&& other) noexcept(false) : value(other.value) {}
    MovesThrow& operator=(const MovesThrow&) = default;
    ~MovesThrow() {}
};

using Entities = std::vector<Entity>;

struct World {
    ArchetypeStore store{};
    ComponentId note = store.registry().id<Note>(), sw = store.registry().add<Switch>({.toggle = true}),
                seen = store.registry().add<Seen>({.tracked = true}), aside = store.registry().add<Aside>({.sparse = true}),
                brings = store.registry().add<Brings>({.with = {store.registry().id<Brought>()}}),
                likes = store.registry().add_relation("likes"),
                child_of = store.registry().add_relation("child of", {.on_target_despawn = OnTargetDespawn::despawn});
    std::vector<std::pair<Entity, bool>> events{}; // in no order

    World() { store.reserve<Number, Large, Tagged, MovesThrow>(0); }
    void listen(bool removals) {
        store.on_add<Number>([this](Entity entity) { events.push_back({entity, true}); });
        if (removals) store.on_remove<Number>([this](Entity entity) { events.push_back({entity, false}); });
    }
};

/// All that a store says about an entity.
std::string portrait(const ArchetypeStore& store, Entity entity) {
    std::string text;
    const auto say = [&](const char* name, auto value) { text += std::string(name) + std::to_string(value) + " "; };
    store.for_each_component(entity, [&](ComponentId id, const void*) { text += store.registry().name(id) + " "; });
    if (const auto* each = store.get<Number>(entity)) say("number ", each->value);
    if (const auto* each = store.get<Large>(entity)) say("big ", each->values[8]);
    if (const auto* each = store.get<Note>(entity)) text += each->text;
    if (const auto* each = store.get<Switch>(entity)) say("switch ", each->value), say("on ", store.is_enabled<Switch>(entity));
    if (const auto* each = store.get<Seen>(entity)) say("seen ", each->value);
    if (const auto* each = store.get<Aside>(entity)) say("aside ", each->value);
    if (const auto* each = store.get<Brings>(entity)) say("brings ", each->value);
    if (const auto* each = store.get<Brought>(entity)) say("brought ", each->value);
    if (const auto* each = store.get<MovesThrow>(entity)) say("throws ", each->value);
    for (tick_t since = 0; since != store.tick(); ++since) {
        store.query<const Seen>().changed<Seen>(since).for_each([&](Entity each, auto&) {
            if (each == entity) say("since ", since);
        });
        store.query<const Seen>().added<Seen>(since).for_each([&](Entity each, auto&) {
            if (each == entity) say("added ", since);
        });
    }
    return text;
}

} // namespace

TEST_CASE("ArchetypeStore: what is done to a list of entities at once is what a loop does", "[ecs]") {
    for (unsigned seed = 0; seed != 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
        World one, all; // in a loop, and at once
        World* const worlds[] = {&one, &all};
        if (seed % 4 == 1) one.listen(seed % 8 == 1), all.listen(seed % 8 == 1);
        Entities issued;
        for (int step = 0; step != 25; ++step) {
            Entities list; // side by side, or not
            const std::size_t shape = below(4), from = issued.empty() ? 0 : below(issued.size());
            for (std::size_t i = 0, n = below(60); i != n && !issued.empty(); ++i)
                list.push_back(shape == 0 ? issued[below(issued.size())] : issued[(from + i * shape) % issued.size()]);
            if (below(4) == 0) std::reverse(list.begin(), list.end());
            if (below(8) == 0) list.push_back(Entity());
            if (below(8) == 0 && !list.empty()) list.push_back(list.front().with_user_bits(9));
            const int value = static_cast<int>(below(1000));
            std::vector<Number> numbers;
            std::vector<Note> notes;
            for (std::size_t i = 0; i != list.size(); ++i) {
                numbers.push_back({value + static_cast<int>(i)});
                notes.push_back({"a text that is too long to be inside " + std::to_string(value + static_cast<int>(i))});
            }
            const auto both = [&](auto&& loop, auto&& at_once) {
                std::size_t count = 0;
                for (std::size_t i = 0; i != list.size(); ++i) count += loop(one.store, list[i], i);
                CHECK(at_once(all.store) == count);
            };
            const auto add = [&](const auto&... values) {
                both([&](ArchetypeStore& s, Entity e, std::size_t) { return s.add(e, values...); },
                     [&](ArchetypeStore& s) { return s.add(list, values...); });
            };
            switch (below(14)) {
            case 0:
            case 1:
            case 2: {
                const std::size_t count = below(50), kind = below(5);
                for (World* const w : worlds) {
                    const auto made = kind == 0   ? w->store.spawn_n(count)
                                      : kind == 1 ? w->store.spawn_n(count, Number{value}, Note{"note"})
                                      : kind == 2 ? w->store.spawn_n(count, Switch{1.5}, Large{}, Seen{3})
                                      : kind == 3 ? w->store.spawn_n(count, MovesThrow(value), Tagged{})
                                                  : w->store.spawn_n(count, Aside{value}, Note{"other"}, Number{1});
                    if (w == &all) issued.insert(issued.end(), made.begin(), made.end());
                }
                break;
            }
            case 3:
                add(Number{value}, Tagged{});
                break;
            case 4:
                add(Note{"some text that is longer than what fits inside"}, Large{});
                break;
            case 5:
                add(Switch{2.5}, Seen{4});
                break;
            case 6:
                add(Aside{value}, Number{value});
                break;
            case 7:
                add(Brings{'b'});
                break;
            case 8:
                both([&](ArchetypeStore& s, Entity e, std::size_t i) { return s.add(e, numbers[i], notes[i]); },
                     [&](ArchetypeStore& s) { return s.add_each(list, std::span(numbers), std::span<const Note>(notes)); });
                break;
            case 9: {
                std::vector<Aside> asides(list.size(), Aside{value});
                both([&](ArchetypeStore& s, Entity e, std::size_t i) { return s.add(e, asides[i], numbers[i]); },
                     [&](ArchetypeStore& s) { return s.add_each(list, asides, numbers); });
                break;
            }
            case 10: {
                std::size_t before = one.store.size();
                for (const Entity each : list) one.store.despawn(each);
                before -= one.store.size();
                CHECK(all.store.despawn(list) == before);
                break;
            }
            case 11:
                for (World* const w : worlds)
                    for (std::size_t i = 1; i < list.size(); i += 2) {
                        w->store.disable<Switch>(list[i]);
                        if (auto* each = w->store.get<Seen>(list[i])) ++each->value;
                        w->store.remove<Number, Tagged>(list[i - 1]);
                    }
                break;
            case 12:
                for (World* const w : worlds)
                    for (std::size_t i = 3; i < list.size(); i += 3)
                        if (w->store.is_alive(list[0]) && list[0] != list[i])
                            w->store.relate(list[i], i % 2 == 0 ? w->likes : w->child_of, list[0].with_user_bits(0));
                break;
            default:
                for (World* const w : worlds) w->store.advance();
            }
            REQUIRE((one.store.size() == all.store.size() && one.store.check_invariants() && all.store.check_invariants()));
            REQUIRE(inside(one.store).entities.next() == inside(all.store).entities.next());
            for (const Entity each : issued) REQUIRE(portrait(one.store, each) == portrait(all.store, each));
            for (World* const w : worlds) std::sort(w->events.begin(), w->events.end());
            REQUIRE(one.events == all.events);
            std::erase_if(issued, [&](Entity each) { return !one.store.is_alive(each) && below(4) == 0; });
        }
    }
}

TEST_CASE("ArchetypeStore: a list of entities may be one of the store's own", "[ecs]") {
    World w;
    static_cast<void>(w.store.spawn_n(100, Number{1}));
    const Entity target = w.store.spawn(Note{"target"});
    CHECK(w.store.add(w.store.entities(), Large{}) == 101);
    CHECK(w.store.query<Large>().size() == 101);
    std::vector<Number> numbers(101);
    CHECK(w.store.add_each(w.store.entities(), std::span(numbers)) == 101);
    for (std::size_t i = 0; i != 50; ++i) w.store.relate(w.store.entities()[i], w.likes, target);
    std::span<const Entity> of_a_table;
    w.store.query<>().with(w.likes, target).for_each_chunk([&](std::span<const Entity> rows) { of_a_table = rows; });
    CHECK(w.store.add(of_a_table, Tagged{}) == 50);
    CHECK(w.store.despawn(w.store.sources(w.likes, target)) == 50);
    CHECK((w.store.size() == 51 && w.store.check_invariants()));
    w.store.on_remove<Number>([](Entity) {});
    CHECK(w.store.despawn(w.store.entities()) == 51);
    CHECK((w.store.empty() && w.store.check_invariants()));
    CHECK(w.store.despawn(w.store.entities()) == 0);
}

TEST_CASE("ArchetypeStore::despawn of a list counts those that go along, and refuses what a relation refuses", "[ecs]") {
    World w;
    const ComponentId held = w.store.registry().add_relation("held by", {.on_target_despawn = OnTargetDespawn::refuse});
    const Entity parent = w.store.spawn();
    Entities all{parent};
    for (int i = 0; i != 10; ++i) {
        all.push_back(w.store.spawn(Number{i}));
        w.store.relate(all.back(), w.child_of, parent);
    }
    const Entity extra = w.store.spawn();
    w.store.relate(extra, w.child_of, parent);
    CHECK(w.store.despawn(all) == 12);
    CHECK(w.store.empty());
    const Entity holder = w.store.spawn(), one = w.store.spawn();
    w.store.relate(holder, held, one);
    const Entity list[] = {w.store.spawn(), one, w.store.spawn()};
    CHECK(thrown_text<std::invalid_argument>([&] { w.store.despawn(list); }).find("refuses") != std::string::npos);
    CHECK((!w.store.is_alive(list[0]) && w.store.is_alive(one) && w.store.is_alive(list[2]) && w.store.check_invariants()));
}

TEST_CASE("ArchetypeStore: values that are given to a list may be those of the store, and may record spawns", "[ecs]") {
    World w;
    CommandBuffer buffer(w.store);
    const auto made = w.store.spawn_n(20, Number{1});
    const Entities list(made.begin(), made.end());
    const Entity source = w.store.spawn(Note{"a text that is too long to be in the string itself"}, Number{5});
    w.store.on_add<Note>([&](Entity) { buffer.spawn(Number{3}); });
    CHECK(w.store.add(list, w.store.at<Note>(source)) == 20); // into the table in which the value is
    for (const Entity each : list) CHECK(w.store.at<Note>(each).text == w.store.at<Note>(source).text);
    CHECK((buffer.size() == 20 && w.store.size() == 21));
    CHECK((w.store.apply(buffer) == 0 && w.store.size() == 41 && w.store.check_invariants()));
    const std::vector<Seen> few(19);
    CHECK(thrown_text<std::invalid_argument>([&] {
              w.store.add_each(list, std::span(few));
          }).find("give a value for each entity in each list") != std::string::npos);
    CHECK(w.store.query<Seen>().empty());
}

TEST_CASE("ArchetypeStore: several components are asked for at once", "[ecs]") {
    World w;
    ArchetypeStore& store = w.store;
    const ArchetypeStore& reader = w.store;
    struct Mood {};
    struct Unknown {
        int value = 0;
    };
    const ComponentId mood = store.registry().relation<Mood>({.switched = true});
    const Entity entity = store.spawn(Number{1}, Seen{2}, Aside{3}), dead = store.spawn(Number{});
    store.despawn(dead);
    const tick_t seen = store.advance();
    {
        const auto [number, twice, aside, note] = store.get<Number, const Seen, Aside, Note>(entity);
        static_assert(std::is_same_v<decltype(twice), const Seen* const>);
        CHECK((number == store.get<Number>(entity) && twice->value == 2 && aside->value == 3 && note == nullptr));
    }
    CHECK(store.query<const Seen>().changed<Seen>(seen).empty()); // it was only read
    {
        const auto [number, twice] = reader.get<Number, Seen>(entity);
        static_assert(std::is_same_v<decltype(number), const Number* const>);
        CHECK((number->value == 1 && twice->value == 2));
        CHECK(reader.get<Number, Seen>(dead) == std::tuple<const Number*, const Seen*>());
        const auto [a, b] = reader.at<Number, Aside>(entity);
        CHECK((&a == store.get<Number>(entity) && b.value == 3));
    }
    auto [number, twice] = store.at<Number, Seen>(entity);
    number.value = twice.value = 9;
    CHECK((store.at<Number>(entity).value == 9 && store.query<const Seen>().changed<Seen>(seen).size() == 1));
    const auto says = [](auto&& act, const char* words) {
        return thrown_text<std::out_of_range>(act).find(words) != std::string::npos;
    };
    CHECK(says([&] { static_cast<void>(store.at<Number, Note>(entity)); }, "does not have the component"));
    CHECK(says([&] { static_cast<void>(reader.at<Number, Unknown>(entity)); }, "is not registered"));
    CHECK(says([&] { static_cast<void>(reader.at<Number, Seen>(dead)); }, "was despawned"));
    CHECK((store.has<Number, Aside>(entity) && !store.has<Number, Note>(entity) && !reader.has<Number, Unknown>(entity)));
    CHECK((store.has_any<Note, Aside>(entity) && store.has_any<Number>(entity) && !reader.has_any<Note, Unknown>(entity)));
    CHECK((!store.has<Number, Seen>(dead) && !store.has_any<Number, Seen>(dead) && !store.has_any<Number>(Entity())));
    store.relate(entity, mood, store.spawn());
    CHECK((!store.has_any<Mood>(entity) && !store.has<Number, Mood>(entity))); // a switched relation is in pairs alone
}

TEST_CASE("ArchetypeStore: get_or_add builds a value where there is none, and replace assigns where there is one", "[ecs]") {
    World w;
    ArchetypeStore& store = w.store;
    struct Wide {
        std::array<int, 9> values{};
    };
    const ComponentId beside = store.registry().add<Wide>({.with = {w.aside}});
    struct Sum {
        int value;
        Sum(int a, std::unique_ptr<int> b) : value(a + *b) {}
        Sum(Sum&&) noexcept = default;
        Sum& operator=(Sum&&) noexcept = default;
    };
    std::vector<ComponentId> added, set;
    for (const ComponentId id : {w.seen, w.aside, beside, store.registry().id<Number>()}) {
        store.on_add(id, [&](Entity, ComponentId of, void*) { added.push_back(of); });
        store.on_set(id, [&](Entity, ComponentId of, void*) { set.push_back(of); });
    }
    const Entity entity = store.spawn(Number{1}), dead = store.spawn();
    store.despawn(dead);
    added.clear();
    ++store.get_or_add<Number>(entity, 5).value;
    CHECK((store.at<Number>(entity).value == 2 && added.empty()));
    store.get_or_add<Seen>(entity).value = 3;
    CHECK(store.get_or_add<const Seen>(entity).value == 3);
    CHECK(store.get_or_add<Sum>(entity, 1, std::make_unique<int>(2)).value == 3);
    CHECK(store.get_or_add<Aside>(entity, Aside{4}).value == 4);
    CHECK(store.get_or_add<Aside>(entity, Aside{5}).value == 4);
    CHECK(store.get_or_add<Note>(entity, Note{"text"}).text == "text");
    store.remove<Aside>(entity);
    CHECK((store.get_or_add<Wide>(entity).values[8] == 0 && store.has<Aside>(entity)));
    CHECK(added == std::vector<ComponentId>{w.seen, w.aside, beside, w.aside});
    const tick_t seen = store.advance();
    store.get_or_add<Seen>(entity); // as get
    CHECK(store.query<>().changed<Seen>(seen).size() == 1);
    CHECK(thrown_text<std::out_of_range>([&] {
              store.get_or_add<Number>(dead);
          }).starts_with("ArchetypeStore::get_or_add: the entity (" + to_string(dead) + ") was despawned"));

    CHECK((store.replace(entity, Number{8}) && store.at<Number>(entity).value == 8));
    CHECK((store.replace<Aside>(entity, {9}) && store.at<Aside>(entity).value == 9));
    CHECK(set == std::vector<ComponentId>{store.registry().id<Number>(), w.aside});
    CHECK((!store.replace(entity, Switch{1}) && !store.has<Switch>(entity)));
    CHECK((!store.replace(dead, Number{1}) && !store.replace(Entity(), Aside{1})));
    const Note note{"other"};
    CHECK((store.replace(entity, note) && store.at<Note>(entity).text == "other"));
    CHECK((set.size() == 2 && store.check_invariants()));
}
