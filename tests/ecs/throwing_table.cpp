// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Table and ComponentRegistry with a throw at every step of every function: as before, and nothing lost. Memory runs out by the
// operator new of failing_new.cpp.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/table.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Marker {};
using Added = BasicTracked<TrackedOptions{.construct_throws = true}>;
using Contents = std::vector<long>;

Entity entity(std::size_t i) { return Entity(static_cast<slot_t>(i), 1); }

/// Tables of a T that throws, of a number that is tracked and can be disabled, and of a marker with both traits.
template <class T>
struct World {
    ComponentRegistry registry{};
    ComponentId value = registry.id<T>(), number = registry.add<short>({.toggle = true, .tracked = true}),
                marker = registry.add<Marker>({.toggle = true, .tracked = true}), more = registry.id<Added>();
    Table small = make({value, number}), large = make({value, number, marker, more});
    ColumnMapping map{small, large}, back{large, small};

    World(std::size_t rows = 6) {
        for (std::size_t i = 0; i != rows; ++i) {
            small.push_back(entity(i), static_cast<tick_t>(i), build(small, static_cast<int>(i)));
            large.push_back(entity(100 + i), static_cast<tick_t>(i), build(large, static_cast<int>(100 + i)));
        }
        if (rows > 2) small.enable(2, 1, false);
    }
    Table make(std::vector<ComponentId> ids) {
        std::sort(ids.begin(), ids.end());
        return Table(registry, ids);
    }
    auto build(const Table& table, int from) const {
        return [&table, from](std::size_t c, void* to) {
            const TypeId type = table.type(c).id;
            if (type == TypeDescriptor::id_of<T>())
                ::new (to) T(from);
            else if (type == TypeDescriptor::id_of<Added>())
                ::new (to) Added(from);
            else
                ::new (to) short(static_cast<short>(from));
        };
    }
    /// Everything but whether there is memory for bits.
    Contents contents(const Table& table) const {
        Contents all{static_cast<long>(table.size())};
        for (std::size_t row = 0; row != table.size(); ++row) {
            all.push_back(static_cast<long>(table.entities()[row].index()));
            for (std::size_t place = 0; place != table.ids().size(); ++place) {
                all.push_back(table.is_enabled(row, place));
                if (const TickColumn* ticks = table.ticks(place)) {
                    all.push_back(static_cast<long>(ticks->added(row)));
                    all.push_back(static_cast<long>(ticks->changed(row)));
                }
                if (table.column_at(place) < 0) continue;
                const void* const at = table.value(static_cast<std::size_t>(table.column_at(place)), row);
                if (table.ids()[place] == value) all.push_back(static_cast<const T*>(at)->value());
                if (table.ids()[place] == number) all.push_back(*static_cast<const short*>(at));
                if (table.ids()[place] == more) all.push_back(static_cast<const Added*>(at)->value());
            }
        }
        return all;
    }
    Contents contents() const {
        Contents all = contents(small);
        const Contents others = contents(large);
        all.insert(all.end(), others.begin(), others.end());
        return all;
    }
    bool sound() const { return small.check_invariants() && large.check_invariants(); }
    /// So that the next row needs memory.
    void fill(Table& table) {
        while (table.size() != table.capacity()) table.push_back(entity(table.size()), 1, build(table, 1));
    }
};

/// act(world) throws at every step, of a type and of memory; what `prepare` made of the world then is as before.
template <class T, class Prepare, class Act>
void is_strong(const char* function, Prepare prepare, Act act) {
    const NothingLeaks objects;
    const auto scenario = [&](auto&& attempt) {
        World<T> world;
        prepare(world);
        const Contents before = world.contents();
        const bool threw = attempt([&] { act(world); });
        REQUIRE(world.sound());
        CHECK((world.contents() == before) == threw);
    };
    const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
    REQUIRE(failures != 0);
    report_sweep(swept(function), failures);
}
constexpr auto full = [](auto& world) {
    world.fill(world.small);
    world.fill(world.large);
};

} // namespace

#if defined(__cpp_exceptions)
TEST_CASE("Table: what throws while a row is added leaves it as it was", "[ecs][throws]") {
    for (int growing = 0; growing != 2; ++growing) {
        const auto prepare = [&](auto& world) {
            if (growing != 0) full(world);
        };
        const auto push = [](auto& world) { world.large.push_back(entity(9), 9, world.build(world.large, 9)); };
        is_strong<ThrowingCopy>("Table::push_back", prepare, push);
        is_strong<Throwing>("Table::push_back", prepare, push);
        is_strong<MoveOnly>("Table::push_back", prepare, push);
        is_strong<ThrowingCopy>("Table::append", prepare, [](auto& world) {
            const Entity many[] = {entity(7), entity(8), entity(9)};
            world.large.append(many, 9, [&](std::size_t c, void* to, std::size_t n) {
                const auto fill = [&]<class V>(V*) {
                    if (world.large.type(c).id != TypeDescriptor::id_of<V>()) return;
                    std::size_t done = 0;
                    ScopeGuard undo([&]() noexcept { std::destroy_n(static_cast<V*>(to), done); });
                    for (; done != n; ++done) ::new (static_cast<void*>(static_cast<V*>(to) + done)) V(3);
                    undo.dismiss();
                };
                fill(static_cast<ThrowingCopy*>(nullptr));
                fill(static_cast<Added*>(nullptr));
                fill(static_cast<short*>(nullptr));
            });
        });
    }
}

TEST_CASE("Table: what throws while a row moves leaves both tables as they were", "[ecs][throws]") {
    for (int growing = 0; growing != 2; ++growing) {
        const auto prepare = [&](auto& world) {
            if (growing != 0) full(world);
        };
        const auto move = [](auto& world) { // row 2 is disabled: the destination needs bits for the first time
            Table::move_row(world.small, 2, world.large, world.map, 9, world.build(world.large, 9));
        };
        is_strong<ThrowingCopy>("Table::move_row", prepare, move);
        is_strong<MoveOnly>("Table::move_row", prepare, move);
    }
}

TEST_CASE("Table: a row moves without a throw once all is ready, and nothing has moved before", "[ecs][throws]") {
    for (int growing = 0; growing != 2; ++growing) {
        const auto scenario = [&](auto&& attempt) {
            World<ThrowingCopy> world;
            if (growing != 0) full(world);
            const auto column = static_cast<std::size_t>(world.small.column_of(world.value));
            const std::size_t of_small = world.small.size(), of_large = world.large.size();
            int calls = 0;
            bool there = false;
            const bool threw = attempt([&] {
                Table::move_row(world.small, 2, world.large, world.map, 9, world.build(world.large, 9), [&] {
                    ++calls;
                    there = world.small.size() == of_small && world.large.size() == of_large &&
                            !world.small.template data<ThrowingCopy>(column)[2].moved_from();
                });
            });
            REQUIRE(world.sound());
            CHECK(calls == (threw ? 0 : 1));
            CHECK(there == !threw);
            CHECK((world.small.size() == of_small - !threw && world.large.size() == of_large + !threw));
        };
        CHECK(fail_at_every_step(scenario) + run_out_of_memory(scenario) > 1);
        World<ThrowingCopy> world; // ready() itself throws
        if (growing != 0) full(world);
        const std::size_t of_small = world.small.size(), of_large = world.large.size();
        CHECK_THROWS_AS(Table::move_row(world.small, 2, world.large, world.map, 9, world.build(world.large, 9),
                                        [] { throw InjectedFailure(); }),
                        InjectedFailure);
        CHECK((world.sound() && world.small.size() == of_small && world.large.size() == of_large));
    }
}

TEST_CASE("Table: a move that throws loses no row, and every row is whole", "[ecs][throws]") {
    for (const std::size_t row : {std::size_t{0}, std::size_t{5}})
        for (int growing = 0; growing != 2; ++growing) {
            const NothingLeaks objects;
            const auto scenario = [&](auto&& attempt) {
                World<ThrowingMoveOnly> world;
                if (growing != 0) full(world);
                const std::size_t of_small = world.small.size(), of_large = world.large.size();
                const bool threw =
                    attempt([&] { Table::move_row(world.small, row, world.large, world.map, 9, world.build(world.large, 9)); });
                REQUIRE(world.sound());
                CHECK((world.small.size() == of_small - !threw && world.large.size() == of_large + !threw));
                const auto column = static_cast<std::size_t>(world.small.column_of(world.value));
                for (std::size_t i = 0; i != world.small.size(); ++i) // moved-from values are there too, and can be assigned
                    world.small.template data<ThrowingMoveOnly>(column)[i].set(7);
            };
            const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
            REQUIRE(failures != 0);
            report_sweep(swept("Table::move_row"), failures);
        }
}

TEST_CASE("Table: an erasure or exchange whose moves throw loses no row; others throw nothing", "[ecs][throws]") {
    const NothingLeaks objects;
    for (const std::size_t row : {std::size_t{0}, std::size_t{5}}) {
        const std::size_t failures = fail_at_every_step(swept("Table::swap_erase"), [&](auto&& attempt) {
            World<Throwing> world;
            const bool threw = attempt([&] { world.small.swap_erase(row); });
            REQUIRE(world.sound());
            CHECK(world.small.size() == 6u - !threw);
        });
        CHECK((failures != 0) == (row == 0)); // the last row is not filled
    }
    const auto swapped = [](auto&& attempt) {
        World<Throwing> world;
        world.fill(world.small); // a row more is needed for a moment
        const std::size_t size = world.small.size();
        attempt([&] { world.small.swap_rows(0, 5); });
        REQUIRE(world.sound());
        CHECK(world.small.size() == size);
    };
    const std::size_t failures = fail_at_every_step(swapped) + run_out_of_memory(swapped);
    REQUIRE(failures != 0);
    report_sweep(swept("Table::swap_rows"), failures);
    World<ThrowingCopy> world;
    const std::size_t before = Budget::calls(), memory = HeapBudget::calls();
    world.small.swap_erase(0);
    world.small.clear();
    CHECK((Budget::calls() == before && HeapBudget::calls() == memory));
}

TEST_CASE("Table: what throws while memory is taken or given back leaves it as it was", "[ecs][throws]") {
    const auto sweep = [](const char* function, auto act) {
        const auto scenario = [&](auto&& attempt) {
            World<Throwing> world;
            const Contents before = world.contents();
            attempt([&] { act(world); });
            REQUIRE(world.sound());
            CHECK(world.contents() == before);
        };
        const std::size_t failures = fail_at_every_step(scenario) + run_out_of_memory(scenario);
        REQUIRE(failures != 0);
        report_sweep(swept(function), failures);
    };
    sweep("Table::reserve", [](auto& world) { world.small.reserve(5000); });
    sweep("Table::shrink_to_fit", [](auto& world) { world.small.shrink_to_fit(); });
    sweep("Table::enable", [](auto& world) {
        world.small.enable(1, 1, false);
        world.small.enable(1, 1, true);
        world.large.enable(1, 1, false);
        world.large.enable(1, 1, true);
    });
}

TEST_CASE("Table and ColumnMapping: they are made as a whole or not at all", "[ecs][throws]") {
    const World<Tracked> world;
    const auto sweep = [](const char* function, auto make) {
        const std::size_t failures = run_out_of_memory([&](auto&& attempt) { attempt(make); });
        REQUIRE(failures != 0);
        report_sweep(swept(function), failures);
    };
    const std::vector<ComponentId> ids(world.large.ids().begin(), world.large.ids().end());
    sweep("Table::()", [] { const Table table; });
    never_throws<std::is_nothrow_default_constructible_v<ColumnMapping>>(swept("ColumnMapping::()"));
    sweep("Table::(...)", [&] { const Table table(world.registry, ids); });
    sweep("ColumnMapping::(...)", [&] { const ColumnMapping map(world.small, world.large); });
}

TEST_CASE("ComponentRegistry: what throws leaves it as it was", "[ecs][throws]") {
    struct Fresh {
        int value;
    };
    const auto sweep = [](const char* function, auto act) {
        const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
            ComponentRegistry registry;
            const ComponentId first = registry.add_tag("first"), second = registry.id<double>();
            for (int i = 0; i != 6; ++i) registry.add_tag(std::to_string(i)); // so that tables of names grow
            const std::size_t size = registry.size();
            const bool threw = attempt([&] { act(registry, first); });
            CHECK(registry.size() == size + !threw);
            CHECK((registry.find("first") == first && registry.id<double>() == second));
            CHECK((!threw || (!registry.find<Fresh>() && !registry.find("a name that is not short"))));
            if (!threw) return;
            act(registry, first); // it can be done later
            CHECK(registry.size() == size + 1);
        });
        REQUIRE(failures != 0);
        report_sweep(swept(function), failures);
    };
    sweep("ComponentRegistry::id", [](auto& r, ComponentId) { r.template id<Fresh>(); });
    sweep("ComponentRegistry::rebind", [](auto& r, ComponentId) { r.template rebind<Fresh>(); });
    sweep("ComponentRegistry::add", [](auto& r, ComponentId first) { r.template add<Fresh>({.with = {first}}); });
    sweep("ComponentRegistry::add",
          [](auto& r, ComponentId) { r.add("a name that is not short", TypeDescriptor::of<int>(), {.tracked = true}); });
    sweep("ComponentRegistry::relation", [](auto& r, ComponentId) { r.template relation<Fresh>(); });
    sweep("ComponentRegistry::add_tag",
          [](auto& r, ComponentId first) { r.add_tag("a name that is not short", {.with = {first}}); });
    sweep("ComponentRegistry::add_relation", [](auto& r, ComponentId) { r.add_relation("a name that is not short"); });
}
#endif
