// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Number {
    int value = 0;
};
struct Other {
    int value = 0;
};
struct Note {
    std::string text{};
};
struct Aside {};

std::pair<slot_t, slot_t> place(const ArchetypeStore& store, Entity entity) {
    const EntityLocation at = *test::inside(store).location(entity);
    return {at.table(), at.row()};
}

} // namespace

TEST_CASE("ArchetypeStore sparse: a value has one address through a thousand moves of its entity", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Note>({.sparse = true});
    const Entity entity = store.spawn(Number{1}, Note{"a text that is too long to be in the string itself"});
    const Note* const note = store.get<Note>(entity);
    REQUIRE(note != nullptr);
    std::vector<Entity> others;
    for (int i = 0; i != 500; ++i) {
        others.push_back(store.spawn(Number{i}, Note{std::to_string(i)}));
        store.add(entity, Other{i});
        store.remove<Other>(entity);
    }
    for (const Entity other : others) store.despawn(other);
    CHECK(store.get<Note>(entity) == note);
    CHECK(note->text == "a text that is too long to be in the string itself");
    CHECK(store.get<Number>(entity)->value == 1);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore sparse: values and tags come and go without a move of the row, and without tables", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Note>({.sparse = true});
    store.registry().add<Aside>({.sparse = true});
    const ComponentId tag = store.registry().add_tag("tag", {.sparse = true});
    const Entity entity = store.spawn(Number{1});
    const auto at = place(store, entity);
    const std::size_t tables = test::tables_of(store).size();
    const auto unmoved = [&] { return place(store, entity) == at && test::tables_of(store).size() == tables; };
    CHECK(store.add(entity, Note{"one"}));
    CHECK(unmoved());
    CHECK(store.add(entity, Note{"two"})); // it has one: that stays
    CHECK(store.at<Note>(entity).text == "one");
    CHECK(store.set(entity, Note{"three"}));
    CHECK(store.at<Note>(entity).text == "three");
    CHECK(store.add<Aside>(entity));
    CHECK(store.add(entity, tag));
    CHECK(store.has<Aside>(entity));
    CHECK(store.has(entity, tag));
    CHECK(unmoved());
    CHECK(store.remove<Note>(entity));
    CHECK(store.remove<Note>(entity)); // it has none
    CHECK(store.remove<Aside>(entity));
    CHECK(store.remove(entity, tag));
    CHECK(store.get<Note>(entity) == nullptr);
    CHECK_FALSE(store.has<Aside>(entity));
    CHECK_FALSE(store.has(entity, tag));
    CHECK(unmoved());
    CHECK(store.set(entity, Note{"four"})); // adds
    CHECK(store.at<Note>(entity).text == "four");
    CHECK(store.add(entity, Other{2}, Note{"five"}, Aside{})); // beside what moves the row
    CHECK(store.at<Note>(entity).text == "four");
    CHECK(store.has<Aside>(entity));
    CHECK(store.get<Other>(entity)->value == 2);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore sparse: queries include and exclude what is aside", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Note>({.sparse = true});
    store.registry().add<Aside>({.sparse = true});
    for (int i = 0; i != 30; ++i) {
        const Entity entity = store.spawn(Number{i});
        if (i % 2 == 0) store.add(entity, Aside{});
        if (i % 3 == 0) store.add(entity, Note{std::to_string(i)});
    }
    int with = 0, without = 0, notes = 0;
    store.query<const Number>().with<Aside>().for_each([&](const Number& number) {
        ++with;
        CHECK(number.value % 2 == 0);
    });
    store.query<const Number>().exclude<Aside>().for_each([&](const Number& number) {
        ++without;
        CHECK(number.value % 2 == 1);
    });
    store.query<const Number, Note>().for_each([&](const Number& number, Note& note) {
        ++notes;
        CHECK(note.text == std::to_string(number.value));
    });
    CHECK(with == 15);
    CHECK(without == 15);
    CHECK(notes == 10);
}

TEST_CASE("ArchetypeStore sparse: despawn destroys a value once, and a recycled index inherits nothing", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    store.registry().add<Tracked>({.sparse = true});
    store.registry().add<Aside>({.sparse = true});
    const Entity entity = store.spawn(Number{1}, Tracked(5), Aside{});
    CHECK(leaks.alive() == 1);
    CHECK(store.despawn(entity));
    CHECK(leaks.alive() == 0);
    const Entity again = store.spawn(Number{2});
    REQUIRE(again.index() == entity.index());
    CHECK(store.get<Tracked>(again) == nullptr);
    CHECK_FALSE(store.has<Aside>(again));
    CHECK_FALSE(store.add(entity, Tracked(6))); // the dead one
    CHECK_FALSE(store.set(entity, Tracked(6)));
    CHECK_FALSE(store.remove<Tracked>(entity));
    CHECK(store.get<Tracked>(again) == nullptr);
    CHECK(store.add(again, Tracked(7)));
    CHECK(store.get<Tracked>(entity) == nullptr);
    CHECK(store.at<Tracked>(again).value() == 7);
    store.clear();
    CHECK(leaks.alive() == 0);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore sparse: hooks hear of values that come, change and go", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Note>({.sparse = true});
    std::vector<std::string> heard;
    store.on_add<Note>([&](Entity, Note& note) { heard.push_back("add " + note.text); });
    store.on_set<Note>([&](Entity, Note& note) { heard.push_back("set " + note.text); });
    store.on_remove<Note>([&](Entity, Note& note) { heard.push_back("remove " + note.text); });
    const Entity a = store.spawn(Note{"1"}), b = store.spawn(Number{1});
    store.add(b, Note{"2"});
    store.add(b, Note{"3"});
    store.set(b, Note{"4"});
    store.remove<Note>(b);
    store.remove<Note>(b);
    store.set(b, Note{"5"});
    store.despawn(a);
    store.clear();
    CHECK(heard == std::vector<std::string>{"add 1", "add 2", "set 4", "remove 4", "add 5", "set 5", "remove 1", "remove 5"});
}

TEST_CASE("ArchetypeStore sparse: values that cannot be copied are moved in", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<std::unique_ptr<int>>("owner", {.sparse = true});
    const Entity a = store.spawn(std::make_unique<int>(1)), b = store.spawn();
    store.add(b, std::make_unique<int>(2));
    store.set(b, std::make_unique<int>(3));
    CHECK(**store.get<std::unique_ptr<int>>(a) == 1);
    CHECK(**store.get<std::unique_ptr<int>>(b) == 3);
}

TEST_CASE("ArchetypeStore sparse: components of run time are kept aside too", "[ecs]") {
    TypeDescriptor type = TypeDescriptor::of<std::string>();
    type.id = nullptr;
    ArchetypeStore store;
    const ComponentId text = store.registry().add("text", type, {.sparse = true});
    const ComponentId note = store.registry().add<Note>({.sparse = true}); // by its id as well as by its type
    const std::string one = "a text that is too long to be in the string itself", two = "two";
    const Entity entity = store.spawn(Number{1});
    const auto at = place(store, entity);
    CHECK(store.add(entity, text, AnyValue::copied(&one)));
    CHECK(store.add(entity, note, AnyValue::of(Note{"by id"})));
    CHECK(store.get<Note>(entity)->text == "by id");
    CHECK(*static_cast<std::string*>(store.get(entity, text)) == one);
    CHECK(store.set(entity, text, AnyValue::copied(&two)));
    CHECK(*static_cast<std::string*>(store.get(entity, text)) == two);
    CHECK(place(store, entity) == at);
    CHECK(store.remove(entity, text));
    CHECK(store.get(entity, text) == nullptr);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore sparse: a value that throws changes nothing", "[ecs]") {
    using Value = BasicTracked<TrackedOptions{.copy_throws = true}>;
    const NothingLeaks leaks;
    const Value value(1);
    const auto sweep = [&](const char* name, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept(name), [&](auto&& attempt) {
            ArchetypeStore store;
            store.registry().add<Value>({.sparse = true});
            const Entity entity = store.spawn(Number{1});
            if (!attempt([&] { act(store, entity); })) return;
            CHECK_FALSE(store.has<Value>(entity));
            CHECK_FALSE(store.has<Other>(entity));
            CHECK(store.size() == 1);
            CHECK(store.check_invariants());
        });
        CHECK(failures != 0);
    };
    sweep("ArchetypeStore::add", [&](ArchetypeStore& store, Entity entity) { store.add(entity, value); });
    sweep("ArchetypeStore::set", [&](ArchetypeStore& store, Entity entity) { store.set(entity, value); });
    sweep("ArchetypeStore::add (with others)",
          [&](ArchetypeStore& store, Entity entity) { store.add(entity, Other{1}, value); });
    sweep("ArchetypeStore::spawn", [&](ArchetypeStore& store, Entity) { store.spawn(Other{1}, value); });
}

TEST_CASE("ArchetypeStore sparse: random changes agree with a model", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Note>({.sparse = true});
    store.registry().add<Aside>({.sparse = true});
    struct Model {
        bool has_note = false, aside = false;
        std::string note{};
    };
    std::map<Entity, Model> model;
    std::vector<Entity> alive;
    std::mt19937 generator(9);
    const auto random = [&](std::size_t below) { return static_cast<std::size_t>(generator() % below); };
    for (int step = 0; step != 5000; ++step) {
        if (alive.size() < 5 || random(10) == 0) {
            alive.push_back(store.spawn(Number{step}));
            model[alive.back()] = {};
        }
        const std::size_t at = random(alive.size());
        const Entity entity = alive[at];
        Model& of = model[entity];
        const std::string text = std::to_string(step);
        switch (random(8)) {
        case 0:
            store.add(entity, Note{text});
            if (!of.has_note) of.note = text;
            of.has_note = true;
            break;
        case 1:
            store.set(entity, Note{text});
            of.note = text;
            of.has_note = true;
            break;
        case 2:
            store.remove<Note>(entity);
            of.has_note = false;
            break;
        case 3:
            store.add<Aside>(entity);
            of.aside = true;
            break;
        case 4:
            store.remove<Aside>(entity);
            of.aside = false;
            break;
        case 5:
            store.has<Other>(entity) ? store.remove<Other>(entity) : store.add(entity, Other{step});
            break;
        case 6:
            store.add(entity, Aside{}, Note{text}, Other{1});
            if (!of.has_note) of.note = text;
            of.has_note = of.aside = true;
            break;
        default:
            if (random(3) != 0) break;
            store.despawn(entity);
            model.erase(entity);
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
        }
        if (step % 10 != 0) continue;
        REQUIRE(store.check_invariants());
        bool agree = store.size() == alive.size();
        for (const auto& [each, wanted] : model) {
            const Note* const note = store.get<Note>(each);
            agree = agree && (note != nullptr) == wanted.has_note && (note == nullptr || note->text == wanted.note) &&
                    store.has<Aside>(each) == wanted.aside;
        }
        REQUIRE(agree);
    }
}
