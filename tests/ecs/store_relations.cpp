// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Number {
    int value = 0;
};
struct Owns {
    int count = 0;
};
using List = std::vector<Entity>;

template <class Range>
List list(const Range& range) {
    return {range.begin(), range.end()};
}
template <class Range>
List sorted(const Range& range) {
    List all = list(range);
    std::sort(all.begin(), all.end());
    CHECK(all.size() == range.size());
    return all;
}
/// The table and the row of an entity.
std::pair<slot_t, slot_t> place(const ArchetypeStore& store, Entity entity) {
    const EntityLocation at = *test::inside(store).location(entity);
    return {at.table(), at.row()};
}
const auto& tables(const ArchetypeStore& store) { return test::tables_of(store); }

/// What hooks heard: the kind, the entity, the target.
struct Heard {
    explicit Heard(ArchetypeStore& store, ComponentId relation) {
        store.on_add(pair(relation, any), [this](Entity entity, ComponentId id, void*) {
            added.push_back({entity, id.target()});
        });
        store.on_remove(pair(relation, any), [this](Entity entity, ComponentId id, void*) {
            removed.push_back({entity, id.target()});
        });
    }
    std::vector<std::pair<Entity, Entity>> added{}, removed{};
};

} // namespace

TEST_CASE("ArchetypeStore relations: pairs are read from the source and from the target", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes"), hates = store.registry().add_relation("hates");
    const Entity a = store.spawn(Number{1}), b = store.spawn(Number{2}), c = store.spawn();
    CHECK(store.relate(a, likes, c));
    CHECK(store.relate(a, likes, b));
    CHECK(store.relate(b, likes, c));
    CHECK(store.relate(a, hates, b));
    CHECK(list(store.targets(a, likes)) == List{b, c});
    CHECK(list(store.targets(a, hates)) == List{b});
    CHECK(store.targets(c, likes).empty());
    CHECK(store.target(a, likes) == b);
    CHECK(store.target(c, likes) == Entity());
    CHECK(sorted(store.sources(likes, c)) == List{a, b});
    CHECK(store.sources(likes, a).empty());
    CHECK(store.has(a, pair(likes, b)));
    CHECK(store.has(a, pair(likes, any)));
    CHECK(store.has(a, pair(any, c)));
    CHECK(store.has(a, pair(any, any)));
    CHECK_FALSE(store.has(b, pair(likes, a)));
    CHECK_FALSE(store.has(c, pair(any, any)));
    CHECK(store.get<Number>(a)->value == 1); // the rows moved
    CHECK(store.unrelate(a, likes, c));
    CHECK(store.unrelate(a, likes, c)); // it has none: no effect
    CHECK(list(store.targets(a, likes)) == List{b});
    CHECK(store.relate(a, likes, c));
    CHECK(store.unrelate(a, likes));
    CHECK(store.targets(a, likes).empty());
    CHECK(store.has(a, pair(hates, b)));
    CHECK(store.check_invariants());
    store.despawn(c);
    CHECK_FALSE(store.relate(c, likes, a)); // a dead source
    CHECK_FALSE(store.unrelate(c, likes, a));
    CHECK_FALSE(store.unrelate(c, likes));
    CHECK(store.targets(c, likes).empty());
    CHECK(store.target(c, likes) == Entity());
}

TEST_CASE("ArchetypeStore relations: what is no relation, and a dead target, are refused in words", "[ecs]") {
    ArchetypeStore store, other;
    const ComponentId likes = store.registry().add_relation("likes"), tag = store.registry().add_tag("tag");
    const ComponentId foreign = other.registry().add_relation("foreign");
    const Entity a = store.spawn(), b = store.spawn();
    const auto text = [](auto&& act) { return thrown_text<std::invalid_argument>(act); };
    CHECK(text([&] { store.relate(a, tag, b); }).find("no relation") != std::string::npos);
    CHECK(text([&] { store.relate(a, foreign, b); }).find("no relation") != std::string::npos);
    CHECK(text([&] { store.unrelate(a, tag, b); }).find("no relation") != std::string::npos);
    CHECK(text([&] { static_cast<void>(store.target(a, tag)); }).find("no relation") != std::string::npos);
    CHECK(text([&] { static_cast<void>(store.sources(tag, a)); }).find("no relation") != std::string::npos);
    CHECK(text([&] { static_cast<void>(store.targets(a, tag)); }).find("no relation") != std::string::npos);
    CHECK(text([&] { store.for_each_descendant(a, tag, [](Entity, std::size_t) {}); }).find("no relation") !=
          std::string::npos);
    // Functions that take the relation itself see of which registry it is, and likes has the number of foreign.
    CommandBuffer commands(store);
    EntityBuilder builder = store.builder();
    const AnyValue value = AnyValue::of(1);
    const auto of_other = [&](auto&& act) {
        CHECK(text(act).find("no relation of the store's registry") != std::string::npos);
    };
    of_other([&] { commands.relate(a, foreign, b); });
    of_other([&] { commands.relate(a, foreign, b, value); });
    of_other([&] { commands.unrelate(a, foreign, b); });
    of_other([&] { commands.unrelate(a, foreign); });
    of_other([&] { builder.relate(foreign, b); });
    of_other([&] { builder.relate(foreign, b, value); });
    of_other([&] { store.relate(a, foreign, b, value); });
    of_other([&] { static_cast<void>(store.query<>().with(foreign, b)); });
    of_other([&] { static_cast<void>(store.query<>().with(foreign, any)); });
    of_other([&] { static_cast<void>(store.query<>().exclude(foreign, b)); });
    const ComponentId strange = other.registry().add_tag("strange");
    CHECK(text([&] { static_cast<void>(store.query<>().with(likes, strange)); }).find("another registry") != std::string::npos);
    CHECK(
        (store.registry().pair_of(likes, b, "") == pair(likes, b) && store.registry().pair_of(any, tag, "") == pair(any, tag)));
    CHECK((commands.empty() && !store.has(builder.spawn(), pair(any, any)) && !store.has(a, pair(any, any))));
    store.despawn(b);
    CHECK(text([&] { store.relate(a, likes, b); }).find("target") != std::string::npos);
    CHECK(text([&] { store.relate(a, likes, Entity()); }).find("target") != std::string::npos);
    CHECK_FALSE(store.has(a, pair(any, any)));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore relations: what an error advises works", "[ecs]") {
    for (const bool sparse : {false, true}) {
        ArchetypeStore store;
        const ComponentId likes = store.registry().add_relation("likes", {.sparse = sparse});
        const Entity a = store.spawn(), b = store.spawn();
        const auto says = [](auto&& act) {
            const std::string text = thrown_text<std::invalid_argument>(act);
            CHECK(text.find("pair(relation, target), or unrelate(entity, relation)") != std::string::npos);
        };
        if (sparse) says([&] { store.add(a, likes); });
        if (sparse) says([&] { store.remove_all(likes); });
        says([&] { store.remove_all(pair(likes, any)); });
        store.add(a, pair(likes, b));
        CHECK((store.remove_all(pair(likes, b)) == 1 && !store.has(a, pair(likes, any))));
        store.relate(a, likes, b);
        CHECK((store.unrelate(a, likes) && !store.has(a, pair(likes, any))));
    }
}

TEST_CASE("ArchetypeStore: lists of entities are any range of them", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes");
    const Entity parent = store.spawn(), a = store.spawn(), b = store.spawn();
    for (const Entity each : {a, b}) store.relate(each, likes, parent);
    const auto list = [&] { return store.sources(likes, parent); };
    CHECK((store.add(list(), 5, 2.0F) == 2 && store.at<int>(a) == 5 && store.at<float>(b) == 2));
    const std::vector<char> chars{'a', 'b'};
    CHECK((store.add_each(list(), chars) == 2 && store.at<char>(a) == 'a' && store.at<char>(b) == 'b'));
    const AnyCodec codec = AnyCodec().add<int>().add<float>().add<char>();
    const std::vector<Entity> same{a, b};
    CHECK((store.snapshot_of(list(), codec) == store.snapshot_of(same, codec)));
}

TEST_CASE("ArchetypeStore relations: an exclusive relation replaces the target in one move, seen by hooks", "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation("child of", {.exclusive = true, .switched = switched});
        const Entity a = store.spawn(), b = store.spawn(), child = store.spawn(Number{7});
        Heard heard(store, child_of);
        store.relate(child, child_of, a);
        const auto with_a = place(store, child);
        store.relate(child, child_of, a); // the same target: no effect
        CHECK(place(store, child) == with_a);
        CHECK(heard.removed.empty());
        const std::size_t before = tables(store).size();
        store.relate(child, child_of, b);
        CHECK(list(store.targets(child, child_of)) == List{b});
        CHECK(store.sources(child_of, a).empty());
        CHECK(list(store.sources(child_of, b)) == List{child});
        CHECK(store.get<Number>(child)->value == 7);
        CHECK(heard.added == std::vector{std::pair(child, a), std::pair(child, b)});
        CHECK(heard.removed == std::vector{std::pair(child, a)});
        CHECK(tables(store).size() == before + (switched ? 0 : 1)); // no table without, or with two
        if (switched) CHECK(place(store, child) == with_a);
        store.unrelate(child, child_of, a); // not this one
        CHECK(store.target(child, child_of) == b);
        store.unrelate(child, child_of, b); // to "no relation"
        CHECK_FALSE(store.has(child, pair(child_of, any)));
        CHECK(heard.removed.size() == 2);
        CHECK(store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore relations: the exclusive rule holds in changes of several components too", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of", {.exclusive = true});
    const ComponentId number = store.registry().id<Number>();
    const Entity a = store.spawn(), b = store.spawn(), child = store.spawn();
    store.relate(child, child_of, a);
    const ComponentId both[] = {number, pair(child_of, b)};
    store.add(child, both);
    CHECK(list(store.targets(child, child_of)) == List{b});
    CHECK(store.has<Number>(child));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore relations: a relation may have values, one a pair", "[ecs]") {
    ArchetypeStore store;
    const ComponentId owns = store.registry().relation<Owns>();
    const Entity a = store.spawn(), apples = store.spawn(), pears = store.spawn();
    CHECK(store.relate(a, apples, Owns{3}));
    CHECK(store.relate(a, pears, Owns{5}));
    const auto count = [&](Entity what) { return static_cast<const Owns*>(store.get(a, pair(owns, what)))->count; };
    CHECK(count(apples) == 3);
    CHECK(count(pears) == 5);
    store.relate(a, apples, Owns{4}); // assigned
    CHECK(count(apples) == 4);
    store.relate(a, owns, pears); // it has one: the value stays
    CHECK(count(pears) == 5);
    store.despawn(apples);
    CHECK(count(pears) == 5);
    CHECK(store.get(a, pair(owns, apples)) == nullptr);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore relations: when a target dies, its pairs are removed in one move an entity, and their tables erased",
          "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes"), hates = store.registry().add_relation("hates");
    const Entity target = store.spawn(), other = store.spawn();
    List fans;
    for (int i = 0; i != 20; ++i) {
        fans.push_back(store.spawn(Number{i}));
        store.relate(fans.back(), likes, target);
        if (i % 2 == 0) store.relate(fans.back(), hates, target);
        if (i % 3 == 0) store.relate(fans.back(), likes, other);
    }
    Heard heard(store, likes);
    const std::size_t tables_without_pairs = 2; // the empty one, and {Number}
    const std::size_t with_other = 1;           // {Number, likes(other)}; pairs of the dead leave no table
    CHECK(store.despawn(target));
    for (int i = 0; i != 20; ++i) {
        const Entity fan = fans[static_cast<std::size_t>(i)];
        CHECK(store.get<Number>(fan)->value == i);
        CHECK_FALSE(store.has(fan, pair(any, target)));
        CHECK_FALSE(store.has(fan, pair(hates, any)));
        CHECK(store.has(fan, pair(likes, other)) == (i % 3 == 0));
    }
    CHECK(heard.removed.size() == 20);
    CHECK(tables(store).index().count(pair(any, target)) == 0);
    CHECK(tables(store).index().count(pair(hates, any)) == 0);
    std::size_t left = 0;
    tables(store).for_each([&](slot_t, const Table& table) {
        left += !table.empty() || table.ids().empty();
        for (const ComponentId id : table.ids()) CHECK(id.target() != target);
    });
    CHECK(left == tables_without_pairs + with_other);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore relations: a pair never re-binds to the entity that has the index of its dead target", "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store;
        const ComponentId likes = store.registry().add_relation("likes", {.switched = switched});
        const Entity fan = store.spawn(Number{1}), target = store.spawn();
        store.relate(fan, likes, target);
        store.despawn(target);
        CHECK_FALSE(store.has(fan, pair(likes, any)));
        const Entity again = store.spawn();
        REQUIRE(again.index() == target.index());
        CHECK_FALSE(store.has(fan, pair(likes, again)));
        CHECK_FALSE(store.has(fan, pair(likes, target)));
        CHECK(store.sources(likes, again).empty());
        CHECK(store.sources(likes, target).empty());
        store.relate(fan, likes, again);
        CHECK(store.has(fan, pair(likes, again)));
        CHECK_FALSE(store.has(fan, pair(likes, target)));
        CHECK(store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore relations: the children die with their parent, and before it", "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation(
            "child of", {.exclusive = true, .switched = switched, .on_target_despawn = OnTargetDespawn::despawn});
        const ComponentId likes = store.registry().add_relation("likes");
        List all{store.spawn(Number{0})};
        for (std::size_t i = 1; i != 40; ++i) {
            all.push_back(store.spawn(Number{static_cast<int>(i)}));
            store.relate(all[i], child_of, all[(i - 1) / 3]);
        }
        const Entity fan = store.spawn();
        store.relate(fan, likes, all[0]);
        store.relate(fan, likes, all[1]);
        store.relate(fan, likes, all[5]);
        std::vector<std::pair<Entity, std::size_t>> walked;
        store.for_each_descendant(all[1], child_of, [&](Entity entity, std::size_t depth) {
            walked.push_back({entity, depth});
        });
        REQUIRE(walked.size() == 12);
        for (std::size_t i = 1; i != walked.size(); ++i) CHECK(walked[i - 1].second <= walked[i].second);
        CHECK(walked.front().second == 1);
        CHECK(walked[2] == std::pair(all[6], std::size_t{1}));
        CHECK(walked.back().second == 2);
        List died;
        store.on_remove<Number>([&](Entity entity, Number& number) {
            died.push_back(entity);
            CHECK(store.is_alive(entity));
            CHECK(all[static_cast<std::size_t>(number.value)] == entity);
            for (std::size_t i = 0; i != 40; ++i) // no child outlives it
                if (i != 0 && all[(i - 1) / 3] == entity) CHECK_FALSE(store.is_alive(all[i]));
        });
        CHECK(store.despawn(all[1]));
        CHECK(died.size() == 13);
        CHECK(died.back() == all[1]);
        CHECK(store.size() == 28);
        CHECK(list(store.targets(fan, likes)) == List{all[0]});
        CHECK(store.check_invariants());
        CHECK(store.despawn(all[0]));
        CHECK(store.size() == 1);
        CHECK(store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore relations: a chain of a million children dies without recursion", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of =
        store.registry().add_relation("child of", {.switched = true, .on_target_despawn = OnTargetDespawn::despawn});
    const std::size_t length = sizeof(void*) < 8 ? 100'000 : 1'000'000;
    const auto all = store.spawn_n(length, Number{1});
    const List chain(all.begin(), all.end());
    for (std::size_t i = 1; i != length; ++i) store.relate(chain[i], child_of, chain[i - 1]);
    std::size_t deepest = 0;
    store.for_each_descendant(chain[0], child_of, [&](Entity, std::size_t depth) { deepest = depth; });
    CHECK(deepest == length - 1);
    store.despawn(chain[0]);
    CHECK(store.empty());
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore relations: cycles, and an entity that relates to itself, die once", "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store;
        const ComponentId follows =
            store.registry().add_relation("follows", {.switched = switched, .on_target_despawn = OnTargetDespawn::despawn});
        const ComponentId likes = store.registry().add_relation("likes", {.switched = switched});
        const Entity a = store.spawn(Number{1}), b = store.spawn(Number{2}), c = store.spawn(Number{3});
        store.relate(a, follows, b);
        store.relate(b, follows, c);
        store.relate(c, follows, a);
        store.relate(a, likes, a);
        std::vector<std::pair<Entity, std::size_t>> walked;
        store.for_each_descendant(a, follows, [&](Entity entity, std::size_t depth) { walked.push_back({entity, depth}); });
        CHECK(walked == std::vector{std::pair(c, std::size_t{1}), std::pair(b, std::size_t{2})});
        int removed = 0;
        store.on_remove<Number>([&](Entity, Number&) { ++removed; });
        CHECK(store.despawn(b));
        CHECK(removed == 3);
        CHECK(store.empty());
        CHECK(store.check_invariants());
        const Entity self = store.spawn();
        store.relate(self, follows, self);
        store.relate(self, likes, self);
        CHECK(store.target(self, follows) == self);
        CHECK(store.despawn(self));
        CHECK_FALSE(store.is_alive(self));
        CHECK(tables(store).index().count(pair(any, self)) == 0);
        CHECK(store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore relations: a target that dies is a source of others, which stay", "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store;
        const ComponentId likes = store.registry().add_relation("likes", {.switched = switched});
        const Entity a = store.spawn(), b = store.spawn(), c = store.spawn();
        store.relate(a, likes, b);
        store.relate(b, likes, c);
        Heard heard(store, likes);
        CHECK(store.despawn(b));
        CHECK(heard.removed == std::vector{std::pair(a, b), std::pair(b, c)});
        CHECK(store.is_alive(a));
        CHECK(store.is_alive(c));
        CHECK(store.sources(likes, c).empty());
        CHECK(store.check_invariants());
        CHECK(store.despawn(c)); // it was a target, and is none any more
        CHECK(store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore relations: a relation may refuse that its target goes, unless the source goes too", "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store;
        const ComponentId holds =
            store.registry().add_relation("holds", {.switched = switched, .on_target_despawn = OnTargetDespawn::refuse});
        const ComponentId child_of = store.registry().add_relation("child of", {.on_target_despawn = OnTargetDespawn::despawn});
        const Entity lock = store.spawn(Number{1}), key = store.spawn(), box = store.spawn(), fan = store.spawn();
        store.relate(key, holds, lock);
        store.relate(lock, child_of, box);
        store.relate(fan, child_of, fan);
        const std::string text = thrown_text<std::invalid_argument>([&] { store.despawn(box); });
        CHECK(text.find("holds(") != std::string::npos);
        CHECK(text.find(to_string(key)) != std::string::npos);
        CHECK(store.size() == 4); // nothing has changed
        CHECK(store.target(lock, child_of) == box);
        CHECK(store.check_invariants());
        store.relate(key, child_of, box); // goes along
        CHECK(store.despawn(box));
        CHECK(store.size() == 1);
        CHECK(store.check_invariants());
        const Entity other = store.spawn(), owner = store.spawn();
        store.relate(owner, holds, other);
        store.unrelate(owner, holds, other);
        CHECK(store.despawn(other));
    }
}

TEST_CASE("ArchetypeStore relations: a changed target of a switched relation moves no row", "[ecs]") {
    ArchetypeStore store;
    const ComponentId mode = store.registry().add_relation("mode", {.switched = true});
    List modes;
    for (int i = 0; i != 10; ++i) modes.push_back(store.spawn());
    const Entity a = store.spawn(Number{1}), b = store.spawn(Number{2});
    store.relate(a, mode, modes[0]);
    store.relate(b, mode, modes[0]);
    const auto at = place(store, a);
    const std::size_t count = tables(store).size();
    for (int i = 0; i != 100; ++i) {
        store.relate(a, mode, modes[static_cast<std::size_t>(i % 10)]);
        CHECK(place(store, a) == at);
        CHECK(store.target(a, mode) == modes[static_cast<std::size_t>(i % 10)]);
    }
    CHECK(tables(store).size() == count);
    CHECK(list(store.sources(mode, modes[9])) == List{a});
    CHECK(list(store.sources(mode, modes[0])) == List{b});
    store.despawn(modes[9]);
    CHECK_FALSE(store.has(a, pair(mode, any)));
    CHECK(store.has(b, pair(mode, modes[0])));
    CHECK(store.get<Number>(a)->value == 1);
    store.unrelate(b, mode);
    CHECK_FALSE(store.has(b, pair(mode, any)));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore relations: random changes agree with a model, for every kind of relation", "[ecs]") {
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    struct Kind {
        ComponentId id;
        bool exclusive;
        OnTargetDespawn rule;
    };
    std::vector<Kind> kinds;
    for (const OnTargetDespawn rule : {OnTargetDespawn::remove, OnTargetDespawn::despawn, OnTargetDespawn::refuse})
        for (const int how : {0, 1, 2}) {
            const std::string name = std::to_string(static_cast<int>(rule)) + std::to_string(how);
            kinds.push_back(
                {registry.add_relation(name, {.exclusive = how == 1, .switched = how == 2, .on_target_despawn = rule}),
                 how != 0, rule});
        }
    using Pair = std::tuple<Entity, std::size_t, Entity>; // source, kind, target
    std::set<Pair> pairs;
    List alive;
    std::mt19937 generator(11);
    const auto random = [&](std::size_t below) { return static_cast<std::size_t>(generator() % below); };
    std::size_t deaths = 0, refused = 0;
    for (int step = 0; step != 3000; ++step) {
        if (alive.size() < 12) alive.push_back(store.spawn(Number{step}));
        const Entity source = alive[random(alive.size())], target = alive[random(alive.size())];
        const std::size_t kind = random(kinds.size());
        switch (random(8)) {
        default:
            REQUIRE(store.relate(source, kinds[kind].id, target));
            if (kinds[kind].exclusive)
                std::erase_if(pairs,
                              [&](const Pair& each) { return std::get<0>(each) == source && std::get<1>(each) == kind; });
            pairs.insert({source, kind, target});
            break;
        case 0:
        case 1:
            REQUIRE(store.unrelate(source, kinds[kind].id, target));
            pairs.erase({source, kind, target});
            break;
        case 2:
            if (step % 4 != 0) break;
            store.unrelate(source, kinds[kind].id);
            std::erase_if(pairs, [&](const Pair& each) { return std::get<0>(each) == source && std::get<1>(each) == kind; });
            break;
        case 3: {
            std::set<Entity> dead{source};
            for (bool more = true; more;) {
                more = false;
                for (const auto& [from, of, to] : pairs)
                    if (kinds[of].rule == OnTargetDespawn::despawn && dead.contains(to)) more |= dead.insert(from).second;
            }
            const bool refuses = std::any_of(pairs.begin(), pairs.end(), [&](const Pair& each) {
                return kinds[std::get<1>(each)].rule == OnTargetDespawn::refuse && dead.contains(std::get<2>(each)) &&
                       !dead.contains(std::get<0>(each));
            });
            if (refuses) {
                ++refused;
                REQUIRE_THROWS_AS(store.despawn(source), std::invalid_argument);
                break;
            }
            ++deaths;
            REQUIRE(store.despawn(source));
            std::erase_if(alive, [&](Entity each) { return dead.contains(each); });
            std::erase_if(
                pairs, [&](const Pair& each) { return dead.contains(std::get<0>(each)) || dead.contains(std::get<2>(each)); });
            break;
        }
        }
        if (step % 8 != 0) continue;
        REQUIRE(store.check_invariants());
        REQUIRE(store.size() == alive.size());
        std::set<Pair> forward, inverse;
        for (const Entity each : alive) {
            REQUIRE(store.is_alive(each));
            for (std::size_t of = 0; of != kinds.size(); ++of) {
                for (const Entity to : store.targets(each, kinds[of].id)) forward.insert({each, of, to});
                for (const Entity from : store.sources(kinds[of].id, each)) inverse.insert({from, of, each});
            }
        }
        REQUIRE(forward == pairs);
        REQUIRE(inverse == pairs);
    }
    CHECK(deaths > 100);
    CHECK(refused > 20);
}

TEST_CASE("ArchetypeStore relations: what runs out of memory leaves a sound store, and nothing has died", "[ecs]") {
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        ArchetypeStore store;
        const ComponentId likes = store.registry().add_relation("likes");
        const ComponentId mode = store.registry().add_relation("mode", {.switched = true});
        const ComponentId child_of = store.registry().add_relation("child of", {.on_target_despawn = OnTargetDespawn::despawn});
        List all;
        for (int i = 0; i != 12; ++i) {
            all.push_back(store.spawn(Number{i}));
            if (i != 0) store.relate(all.back(), i % 2 == 0 ? likes : mode, all[0]);
            if (i > 6) store.relate(all.back(), child_of, all[0]);
        }
        const bool failed = attempt([&] {
            store.relate(all[1], likes, all[2]);
            store.relate(all[1], mode, all[3]);
            store.despawn(all[0]);
        });
        REQUIRE(store.check_invariants());
        REQUIRE((store.size() == 12 || !store.is_alive(all[0])));
        if (!failed) REQUIRE(store.size() == 6);
        for (int i = 0; i != 7; ++i)
            if (store.is_alive(all[static_cast<std::size_t>(i)]))
                REQUIRE(store.get<Number>(all[static_cast<std::size_t>(i)])->value == i);
    });
    CHECK(failures > 10);
}

TEST_CASE("ArchetypeStore: a companion that is a pair of an exclusive relation replaces the old one, and hooks hear of it",
          "[ecs]") {
    struct Settled {
        int since = 0;
    };
    for (int way = 0; way != 4; ++way) {
        ArchetypeStore store;
        ComponentRegistry& registry = store.registry();
        const ComponentId lives_in = registry.add_relation("lives in", {.exclusive = true}), home = registry.add_tag("home");
        registry.add<Settled>({.with = {pair(lives_in, home)}});
        const Entity tent = store.spawn(), nomad = store.spawn();
        store.relate(nomad, lives_in, tent);
        std::vector<ComponentId> added, removed;
        store.on_add(pair(lives_in, any), [&](Entity, ComponentId id, void*) { added.push_back(id); });
        store.on_remove(pair(lives_in, any), [&](Entity, ComponentId id, void*) { removed.push_back(id); });
        if (way == 0) store.add(nomad, Settled{1});
        if (way == 1) store.add<Settled>(nomad);
        if (way == 2) store.set(nomad, Settled{1});
        if (way == 3) store.add(nomad, registry.id<Settled>());
        CHECK(added == std::vector{pair(lives_in, home)});
        CHECK(removed == std::vector{pair(lives_in, tent)});
        CHECK(store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore: unrelate removes all pairs of a relation, those with components too", "[ecs]") {
    ArchetypeStore store;
    const ComponentId has = store.registry().add_relation("has"), fleas = store.registry().add_tag("fleas");
    const ComponentId wants = store.registry().add_relation("wants");
    const Entity dog = store.spawn(), bone = store.spawn();
    for (const ComponentId id : {pair(has, fleas), pair(has, bone), pair(wants, bone)}) store.add(dog, id);
    store.unrelate(dog, has);
    CHECK_FALSE(store.has(dog, pair(has, any)));
    CHECK(store.has(dog, pair(wants, bone)));
}

TEST_CASE(
    "ArchetypeStore: of several targets of a switched relation in one call the last one stays, and hooks hear of it alone",
    "[ecs]") {
    ArchetypeStore store;
    const ComponentId mode = store.registry().add_relation("mode", {.switched = true});
    const Entity a = store.spawn(), b = store.spawn(), c = store.spawn(), source = store.spawn();
    std::vector<Entity> heard;
    store.on_add(pair(mode, any), [&](Entity, ComponentId id, void*) { heard.push_back(id.target()); });
    store.on_remove(pair(mode, any), [&](Entity, ComponentId id, void*) { heard.push_back(id.target()); });
    const ComponentId two[] = {pair(mode, a), pair(mode, b)}, three[] = {pair(mode, a), pair(mode, b), pair(mode, c)};
    store.add(source, two);
    CHECK(store.target(source, mode) == b);
    CHECK(heard == std::vector{b});
    store.add(source, three);
    CHECK(store.target(source, mode) == c);
    CHECK(heard == std::vector{b, b, c});
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: an entity that is related to n targets, one after the other, takes memory for n pairs", "[ecs]") {
    const auto bytes_of = [](int n) {
        ArchetypeStore store;
        const ComponentId likes = store.registry().add_relation("likes");
        const Entity fan = store.spawn();
        for (int i = 0; i != n; ++i) store.relate(fan, likes, store.spawn());
        CHECK(store.targets(fan, likes).size() == static_cast<std::size_t>(n));
        CHECK(store.check_invariants());
        return store.memory_usage();
    };
    const std::size_t few = bytes_of(200), many = bytes_of(800); // tables of 320,000 ids, which would be 75 MB
    CHECK(many < 4 * few + (std::size_t{6} << 20));
}

TEST_CASE("ArchetypeStore: tables of pairs that were left are erased, and those in use and of components stay", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of =
        store.registry().add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::remove});
    const Entity wanders = store.spawn(1), stays = store.spawn(2), first = store.spawn();
    const Entity leaves = store.spawn(1, 1.5);
    store.remove<double>(leaves);
    store.relate(stays, child_of, first);
    for (int i = 0; i != 5000; ++i) store.relate(wanders, child_of, store.spawn());
    const auto& tables = test::tables_of(store);
    CHECK(tables.size() < 3000);
    CHECK(store.target(stays, child_of) == first);
    const ComponentId both[] = {store.registry().id<int>(), store.registry().id<double>()};
    CHECK(tables.find(both) != no_slot);
    CHECK(store.check_invariants());
    for (const Entity target : std::vector(store.entities().begin(), store.entities().end()))
        if (target != wanders && target != stays) store.despawn(target);
    CHECK(store.size() == 2);
    CHECK(store.check_invariants());
}
