// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Parts of a store that are data structures by themselves: sparse columns, ids that wait to be given back, the layout of a
// command.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/detail/command_batch.hpp>
#include <slotwise/ecs/detail/sparse_components.hpp>
#include <slotwise/ecs/detail/store_core.hpp>
#include <slotwise/sparse/entity_index.hpp>

#include <map>
#include <random>
#include <set>
#include <vector>

using namespace slotwise;
using namespace test;
using detail::CommandShape, detail::IdsToReturn, detail::ReservedIds, detail::SparseColumn, detail::SparseComponents;

namespace {

Entity e(slot_t index, std::uint32_t version = 1) { return Entity(index, version); }
template <class T>
bool put(SparseColumn& column, Entity entity, T value) {
    return column.emplace(entity, [&](void* to) { ::new (to) T(std::move(value)); });
}
template <class T>
T* get(SparseColumn& column, Entity entity) {
    return static_cast<T*>(column.get(entity));
}

} // namespace

TEST_CASE("SparseColumn: a value has one address from emplace to erase", "[ecs]") {
    SparseColumn column(&TypeDescriptor::of<std::string>());
    CHECK(put<std::string>(column, e(5), "five"));
    const auto* const five = get<std::string>(column, e(5));
    for (slot_t i = 6; i != 5000; ++i) put<std::string>(column, e(i * 17), std::to_string(i));
    for (slot_t i = 6; i < 5000; i += 2) column.erase(e(i * 17));
    CHECK(get<std::string>(column, e(5)) == five);
    CHECK(*five == "five");
    CHECK_FALSE(put<std::string>(column, e(5), "other"));
    CHECK(*five == "five");
    CHECK(column.erase(e(5)));
    CHECK_FALSE(column.erase(e(5)));
    CHECK(column.get(e(5)) == nullptr);
    CHECK(column.check_invariants());
}

TEST_CASE("SparseColumn: a recycled index inherits nothing, and the older value is destroyed once", "[ecs]") {
    const NothingLeaks leaks;
    SparseColumn column(&TypeDescriptor::of<Tracked>());
    CHECK(put<Tracked>(column, e(5, 3), Tracked(7)));
    CHECK(column.get(e(5, 5)) == nullptr);
    CHECK_FALSE(column.contains(e(5, 1)));
    CHECK_FALSE(column.erase(e(5, 5)));
    CHECK_FALSE(put<Tracked>(column, e(5, 1), Tracked(1))); // older than the one there
    CHECK(get<Tracked>(column, e(5, 3))->value() == 7);
    CHECK(put<Tracked>(column, e(5, 5), Tracked(9)));
    CHECK(column.size() == 1);
    CHECK_FALSE(column.contains(e(5, 3)));
    CHECK(get<Tracked>(column, e(5, 5))->value() == 9);
    CHECK_FALSE(put<Tracked>(column, Entity(), Tracked(1)));
    CHECK_FALSE(put<Tracked>(column, e(6, 2), Tracked(1)));
    CHECK(column.contains(Entity(5, 5, 77))); // user bits are ignored
    CHECK(column.check_invariants());
}

TEST_CASE("SparseColumn: a far entity costs a page, and empty pages are used again", "[ecs]") {
    SparseColumn column(&TypeDescriptor::of<int>());
    const std::size_t before = HeapBudget::calls();
    for (slot_t i = 0; i != 40; ++i) put<int>(column, e((1u << 31) + (i << 20)), static_cast<int>(i));
    CHECK(HeapBudget::calls() - before < 200);
    for (slot_t i = 0; i != 40; ++i) CHECK(*get<int>(column, e((1u << 31) + (i << 20))) == static_cast<int>(i));
    for (slot_t i = 0; i != 40; ++i) column.erase(e((1u << 31) + (i << 20)));
    CHECK(column.check_invariants()); // at most a few empty pages are there
    CHECK(column.empty());
}

TEST_CASE("SparseColumn: tags have no memory for values", "[ecs]") {
    SparseColumn column(nullptr);
    const auto nothing = [](void*) { FAIL("a tag has no value to be built"); };
    CHECK(column.emplace(e(1), nothing));
    CHECK_FALSE(column.emplace(e(1), nothing));
    CHECK(column.emplace(e(70), nothing));
    CHECK(column.contains(e(1)));
    CHECK(column.get(e(1)) == nullptr);
    std::vector<Entity> seen;
    std::as_const(column).for_each([&](Entity entity, const void* value) {
        seen.push_back(entity);
        CHECK(value == nullptr);
    });
    CHECK(seen == std::vector{e(1), e(70)});
    CHECK(column.next(0) == e(1));
    CHECK(column.next(2) == e(70));
    CHECK(column.next(71) == Entity());
    CHECK(column.erase(e(1)));
    CHECK(column.size() == 1);
    CHECK(column.check_invariants());
}

TEST_CASE("SparseColumn: values are aligned as their type asks, whatever their size", "[ecs]") {
    struct alignas(256) Wide {
        char bytes[512];
    };
    struct Big {
        char bytes[3000];
    };
    struct alignas(32) Middle {
        double numbers[4];
    };
    const auto check = []<class T>(T) {
        SparseColumn column(&TypeDescriptor::of<T>());
        for (slot_t i = 0; i != 200; ++i) REQUIRE(put<T>(column, e(i), T{}));
        for (slot_t i = 0; i != 200; ++i) {
            const auto address = reinterpret_cast<std::uintptr_t>(column.get(e(i)));
            REQUIRE(address % alignof(T) == 0);
        }
        REQUIRE(column.check_invariants());
    };
    check(Wide{});
    check(Big{});
    check(Middle{});
    check(char{});
}

TEST_CASE("SparseColumn: constructors and destructors may change other entries, and find their own not there", "[ecs]") {
    static SparseColumn* there = nullptr;
    struct Nosy {
        slot_t index;
        explicit Nosy(slot_t of) : index(of) {
            CHECK_FALSE(there->contains(e(index)));
            CHECK_FALSE(there->emplace(e(index), [](void*) { FAIL("the place is not vacant"); }));
            if (index % 2 == 0) there->emplace(e(index + 1), [&](void* to) { ::new (to) Nosy(index + 1); });
        }
        Nosy(const Nosy&) = delete;
        ~Nosy() {
            CHECK_FALSE(there->contains(e(index)));
            CHECK_FALSE(there->emplace(e(index), [](void*) { FAIL("the place is not vacant"); }));
            there->erase(e(index + 1));
        }
    };
    SparseColumn column(&TypeDescriptor::of<Nosy>());
    there = &column;
    for (slot_t i = 0; i != 200; i += 2) column.emplace(e(i), [&](void* to) { ::new (to) Nosy(i); });
    CHECK(column.size() == 200);
    CHECK(column.erase(e(100))); // and all behind it, one by one
    CHECK(column.size() == 100);
    CHECK(column.check_invariants());
    column.clear();
    CHECK(column.empty());
}

TEST_CASE("SparseColumn: random operations agree with a model, for each size of page", "[ecs]") {
    const auto run = []<class T>(T) {
        std::mt19937 generator(3);
        const auto random = [&](unsigned below) { return static_cast<slot_t>(generator() % below); };
        SparseColumn column(&TypeDescriptor::of<T>());
        std::map<slot_t, std::pair<Entity, int>> model;
        for (int step = 0; step != 5000; ++step) {
            const Entity id = e(random(60) * (step % 3 == 0 ? 90'000u : 1u), random(6));
            const auto it = model.find(id.index());
            if (random(3) != 0) {
                const bool fits = id.version() % 2 == 1 && (it == model.end() || it->second.first.version() < id.version());
                REQUIRE(put<T>(column, id, T{step}) == fits);
                if (fits) model.insert_or_assign(id.index(), std::pair(id, step));
            } else {
                const bool lives = it != model.end() && it->second.first == id;
                REQUIRE(column.erase(id) == lives);
                if (lives) model.erase(it);
            }
            if (step % 100 == 0) column.shrink_to_fit();
            REQUIRE(column.check_invariants());
            REQUIRE(column.size() == model.size());
            bool agree = true;
            for (const auto& [index, entry] : model) {
                const T* const value = get<T>(column, entry.first);
                agree = agree && value != nullptr && value->number == entry.second;
            }
            REQUIRE(agree);
        }
        auto at = model.begin();
        column.for_each([&](Entity entity, void* value) {
            REQUIRE(at != model.end());
            CHECK(at->second.first == entity);
            CHECK(static_cast<T*>(value)->number == at->second.second);
            ++at;
        });
        CHECK(at == model.end());
        std::size_t walked = 0;
        for (Entity entity = column.next(0); entity; entity = column.next(entity.index() + 1)) ++walked;
        CHECK(walked == model.size());
    };
    struct Small {
        int number;
    };
    struct Middle {
        int number;
        char rest[100] = {};
    };
    struct Large {
        int number;
        char rest[2000] = {};
    };
    run(Small{});
    run(Middle{});
    run(Large{});
}

TEST_CASE("SparseComponents: an entity's values and switched targets are found by id, and erased together", "[ecs]") {
    ComponentRegistry registry;
    SparseComponents outside(registry);
    const ComponentId name = registry.add<std::string>({.sparse = true});
    const ComponentId hidden = registry.add_tag("hidden", {.sparse = true});
    const ComponentId mode = registry.add_relation("mode", {.switched = true});
    const ComponentId team = registry.add_relation("team", {.switched = true});
    CHECK(outside.column(name.number()) == nullptr);
    CHECK(outside.get(e(1), name) == nullptr);
    CHECK_FALSE(outside.has(e(1), pair(mode, any)));
    CHECK(outside.emplace(e(1), name, AnyValue::of(std::string("one"))));
    CHECK_FALSE(outside.emplace(e(1), name, AnyValue::of(std::string("two"))));
    CHECK(outside.emplace(e(1), hidden, AnyValue()));
    CHECK(outside.emplace(e(2), hidden, AnyValue()));
    CHECK(outside.emplace(e(1), pair(mode, e(10)), AnyValue()));
    CHECK(outside.emplace(e(1), pair(mode, e(11)), AnyValue())); // a changed target is one entry
    CHECK_FALSE(outside.emplace(e(1), pair(mode, e(11)), AnyValue()));
    CHECK_FALSE(outside.erase(e(1), pair(mode, e(10))));
    CHECK_FALSE(outside.erase(e(1), pair(team, e(10))));
    CHECK_FALSE(outside.erase(e(3), hidden));
    CHECK_FALSE(outside.erase(e(3), pair(mode, any)));
    CHECK(*static_cast<std::string*>(outside.get(e(1), name)) == "one");
    CHECK(outside.has(e(1), name));
    CHECK(outside.has(e(1), hidden));
    CHECK(outside.get(e(1), hidden) == nullptr);
    CHECK(outside.has(e(1), pair(mode, e(11))));
    CHECK_FALSE(outside.has(e(1), pair(mode, e(10))));
    CHECK(outside.has(e(1), pair(mode, any)));
    CHECK(outside.has(e(1), pair(any, e(11))));
    CHECK(outside.has(e(1), pair(any, any)));
    CHECK_FALSE(outside.has(e(2), pair(any, any)));
    CHECK_FALSE(outside.has(e(1), pair(team, any)));
    CHECK(outside.target(e(1), mode.number()) == e(11));
    CHECK(outside.target(e(2), mode.number()) == Entity());
    std::vector<ComponentId> ids;
    outside.for_each(e(1), [&](ComponentId id, void* value) {
        ids.push_back(id);
        CHECK((value != nullptr) == (id == name));
    });
    CHECK(ids == std::vector{name, hidden, pair(mode, e(11))});
    CHECK(outside.check_invariants());
    CHECK(outside.erase(e(1)));
    CHECK_FALSE(outside.erase(e(1)));
    CHECK_FALSE(outside.has(e(1), name));
    CHECK_FALSE(outside.has(e(1), pair(mode, any)));
    CHECK(outside.has(e(2), hidden));
    CHECK(outside.emplace(e(2), pair(team, e(1)), AnyValue()));
    CHECK(outside.erase(e(2), pair(team, e(1))));
    CHECK_FALSE(outside.has(e(2), pair(any, any)));
    outside.clear();
    outside.shrink_to_fit();
    CHECK_FALSE(outside.has(e(2), hidden));
    CHECK(outside.check_invariants());
}

TEST_CASE("SparseComponents: a component of run time has stable values too", "[ecs]") {
    TypeDescriptor type = TypeDescriptor::of<std::string>();
    type.id = nullptr; // as a script language describes it
    ComponentRegistry registry;
    SparseComponents outside(registry);
    const ComponentId id = registry.add("text", type, {.sparse = true});
    SparseColumn& column = outside.make_column(id);
    const std::string text = "a text that is too long to be in the string itself";
    for (slot_t i = 0; i != 100; ++i)
        CHECK(column.emplace(e(i), [&](void* to) { AnyValue::copied(&text).build(*column.type(), to); }));
    const void* const first = outside.get(e(0), id);
    for (slot_t i = 1; i != 100; ++i) column.erase(e(i));
    CHECK(outside.get(e(0), id) == first);
    CHECK(*static_cast<const std::string*>(first) == text);
}

TEST_CASE("SparseColumn: a value or an allocation that fails changes nothing", "[ecs]") {
    using Value = BasicTracked<TrackedOptions{.copy_throws = true}>;
    const NothingLeaks leaks;
    const Value value(1);
    const std::size_t failures = fail_at_every_step(swept("SparseColumn::emplace"), [&](auto&& attempt) {
        SparseColumn column(&TypeDescriptor::of<Value>());
        column.emplace(e(1), [&](void* to) { ::new (to) Value(2); });
        if (!attempt([&] { column.emplace(e(2), [&](void* to) { ::new (to) Value(value); }); })) return;
        CHECK(column.size() == 1);
        CHECK_FALSE(column.contains(e(2)));
        CHECK(column.check_invariants());
    });
    CHECK(failures == 1);
    const std::size_t exhausted = run_out_of_memory([&](auto&& attempt) {
        SparseColumn column(&TypeDescriptor::of<int>());
        const bool failed = attempt([&] { column.emplace(e(5000), [](void* to) { ::new (to) int(1); }); });
        CHECK(column.check_invariants());
        CHECK(column.contains(e(5000)) != failed);
        CHECK(column.emplace(e(5000), [](void* to) { ::new (to) int(2); }) == failed);
        CHECK(*static_cast<int*>(column.get(e(5000))) == (failed ? 2 : 1));
    });
    CHECK(exhausted >= 2);
}

//=== parts of commands ===//

TEST_CASE("ReservedIds: when the end of an id throws, the rest stays given back", "[ecs]") {
    ReservedIds reserved;
    EntityIndex<Entity, int> index;
    Entity ids[4];
    reserved.take(index, ids);
    CHECK(reserved.make(index) == 4);
    for (const std::size_t first : {0u, 2u}) {
        auto* const node = new IdsToReturn;
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
    CommandShape shape;
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
