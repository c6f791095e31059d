// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/table.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Position {
    float x = 0, y = 0, z = 0;
    friend bool operator==(const Position&, const Position&) = default;
};
struct Marker {};
struct EmptyButCounted { // no data, but its life is not trivial
    EmptyButCounted() { ++alive; }
    EmptyButCounted(const EmptyButCounted&) noexcept { ++alive; }
    EmptyButCounted& operator=(const EmptyButCounted&) = default;
    ~EmptyButCounted() { --alive; }
    static inline int alive = 0;
};
struct alignas(4096) Page {
    int value = 0;
};

Entity entity(unsigned i) { return Entity(i, 1); }

/// A table of these types, and what tests ask of it.
template <class... Ts>
struct Fixture {
    ComponentRegistry registry{};
    Table table = make<Ts...>(registry);

    template <class... Us>
    static Table make(ComponentRegistry& registry) {
        std::vector<ComponentId> ids{registry.id<Us>()...};
        std::sort(ids.begin(), ids.end());
        return Table(registry, ids);
    }
};
template <class T>
std::size_t column(const Table& table, const ComponentRegistry& registry) {
    const std::int32_t found = table.column_of(registry.find<T>());
    REQUIRE(found >= 0);
    return static_cast<std::size_t>(found);
}
/// Builds each column's value from `value`, by a constructor from int.
template <class... Ts>
auto build_from(const Table& table, int value) {
    return [&table, value](std::size_t column, void* to) {
        const auto build = [&]<class T>(T*) {
            if (table.type(column).id == TypeDescriptor::id_of<T>()) ::new (to) T(value);
        };
        (build(static_cast<Ts*>(nullptr)), ...);
    };
}
/// A builder that must not be called.
const auto builds_nothing = [](std::size_t, void*) { FAIL("there is no column to be built"); };

template <class T>
std::vector<int> values(const Table& table, const ComponentRegistry& registry) {
    std::vector<int> all;
    const T* const data = table.data<T>(column<T>(table, registry));
    for (std::size_t row = 0; row != table.size(); ++row) all.push_back(data[row].value());
    return all;
}
std::vector<unsigned> entities(const Table& table) {
    std::vector<unsigned> all;
    for (const Entity each : table.entities()) all.push_back(each.index());
    return all;
}
using Ints = std::vector<int>;
using Indices = std::vector<unsigned>;

} // namespace

TEST_CASE("Table: a row is an entity and a value for each column, in arrays aligned to 64 bytes", "[ecs]") {
    Fixture<int, Position, Marker> f;
    for (unsigned i = 0; i != 100; ++i) {
        const slot_t row = f.table.push_back(entity(i), 1, [&](std::size_t c, void* to) {
            if (f.table.column_id(c) == f.registry.id<int>())
                ::new (to) int(static_cast<int>(i));
            else
                ::new (to) Position{1, 2, static_cast<float>(i)};
        });
        CHECK(row == i);
        REQUIRE(f.table.check_invariants());
    }
    CHECK(f.table.size() == 100);
    const auto ints = f.table.column(column<int>(f.table, f.registry)).as<int>();
    const auto positions = std::as_const(f.table).column(column<Position>(f.table, f.registry)).as<Position>();
    REQUIRE((ints.size() == 100 && positions.size() == 100));
    for (unsigned i = 0; i != 100; ++i)
        CHECK(
            (ints[i] == static_cast<int>(i) && positions[i].z == static_cast<float>(i) && f.table.entities()[i] == entity(i)));
    CHECK(reinterpret_cast<std::uintptr_t>(ints.data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(positions.data()) % 64 == 0);
}

TEST_CASE("Table: places count ids, columns those with values in the table, and both lead back", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId tag = registry.id<Marker>(), number = registry.id<int>();
    const ComponentId sparse = registry.add<double>({.sparse = true}), likes = registry.add_relation("likes");
    const ComponentId position = registry.id<Position>(), pays = registry.relation<long>();
    const ComponentId friends = pair(likes, entity(3)), salary = pair(pays, entity(4)), by_target = pair(likes, position);
    std::vector<ComponentId> ids{tag, number, sparse, position, friends, salary, by_target};
    std::sort(ids.begin(), ids.end());
    const Table table(registry, ids);
    for (std::size_t place = 0; place != ids.size(); ++place) {
        CHECK(table.place_of(ids[place]) == static_cast<std::int32_t>(place));
        CHECK(table.column_of(ids[place]) == table.column_at(place));
    }
    CHECK(table.column_count() == 4);
    for (std::size_t c = 0; c != table.column_count(); ++c) {
        CHECK(table.column_of(table.column_id(c)) == static_cast<std::int32_t>(c));
        CHECK(&table.type(c) == registry.type(table.column_id(c)));
    }
    CHECK((table.column_of(tag) == -1 && table.column_of(sparse) == -1 && table.column_of(friends) == -1));
    CHECK((table.contains(tag) && table.contains(sparse) && table.contains(friends)));
    CHECK(table.place_of(registry.id<char>()) == -1);
    CHECK(table.place_of(pair(likes, any)) == -1);
    CHECK(table.place_of(ComponentId()) == -1);
    CHECK(table.type(static_cast<std::size_t>(table.column_of(salary))).id == TypeDescriptor::id_of<long>());
    CHECK(table.type(static_cast<std::size_t>(table.column_of(by_target))).id == TypeDescriptor::id_of<Position>());
}

TEST_CASE("Table: erasing the first, a middle, the last and the only row patches one location or none", "[ecs]") {
    NothingLeaks scope;
    Fixture<Tracked, Position> f;
    const auto build = [&](int value) {
        return [&f, value](std::size_t c, void* to) {
            if (f.table.type(c).id == TypeDescriptor::id_of<Tracked>())
                ::new (to) Tracked(value);
            else
                ::new (to) Position();
        };
    };
    for (int i = 0; i != 5; ++i) f.table.push_back(entity(static_cast<unsigned>(i)), 1, build(i));
    CHECK(f.table.swap_erase(0) == entity(4));
    CHECK(entities(f.table) == Indices{4, 1, 2, 3});
    CHECK(f.table.swap_erase(1) == entity(3));
    CHECK(entities(f.table) == Indices{4, 3, 2});
    CHECK(values<Tracked>(f.table, f.registry) == Ints{4, 3, 2});
    CHECK(f.table.swap_erase(2).is_null());
    CHECK(f.table.swap_erase(1).is_null());
    CHECK(f.table.swap_erase(0).is_null());
    CHECK((f.table.empty() && f.table.check_invariants()));
}

TEST_CASE("Table: a moved row keeps shared values, builds new ones from what is given and destroys the others", "[ecs]") {
    NothingLeaks scope;
    ComponentRegistry registry;
    using Kept = MoveOnly;
    using Dropped = Tracked;
    using Added = OverAligned<256>;
    Table from = Fixture<>::make<Kept, Dropped, int>(registry), to = Fixture<>::make<Kept, Added, int, Marker>(registry);
    const ColumnMapping map(from, to), back(to, from);
    REQUIRE(map.built().size() == 1);
    for (int i = 0; i != 4; ++i) from.push_back(entity(static_cast<unsigned>(i)), 1, build_from<Kept, Dropped, int>(from, i));
    const std::size_t before = scope.alive();
    std::size_t built = 0;
    const auto moved = Table::move_row(from, 1, to, map, 2, [&](std::size_t c, void* place) {
        ++built;
        CHECK(c == column<Added>(to, registry));
        ::new (place) Added(77);
    });
    CHECK((moved.row == 0 && moved.filled == entity(3) && built == 1));
    CHECK(scope.alive() == before); // one was dropped, one built
    CHECK(entities(from) == Indices{0, 3, 2});
    CHECK(entities(to) == Indices{1});
    CHECK(values<Kept>(from, registry) == Ints{0, 3, 2});
    CHECK(values<Dropped>(from, registry) == Ints{0, 3, 2});
    CHECK(values<Kept>(to, registry) == Ints{1});
    CHECK(values<Added>(to, registry) == Ints{77});
    CHECK(to.data<int>(column<int>(to, registry))[0] == 1);
    const auto last = Table::move_row(from, 2, to, map, 2, build_from<Added>(to, 78));
    CHECK((last.row == 1 && last.filled.is_null()));
    const auto returned = Table::move_row(to, 0, from, back, 3, build_from<Dropped>(from, 9));
    CHECK((returned.row == 2 && returned.filled == entity(2)));
    CHECK(values<Dropped>(from, registry) == Ints{0, 3, 9});
    CHECK((from.check_invariants() && to.check_invariants()));
}

TEST_CASE("Table: a move to the same table is refused in words", "[ecs]") {
    Fixture<int> f;
    f.table.push_back(entity(1), 1, build_from<int>(f.table, 1));
    const ColumnMapping map(f.table, f.table);
    CHECK(thrown_text<std::invalid_argument>([&] { Table::move_row(f.table, 0, f.table, map, 1, builds_nothing); }) ==
          "Table::move_row: source and destination are the same; nothing is to be moved then");
    CHECK(f.table.size() == 1);
}

TEST_CASE("Table: moves are those of std::vectors, whatever is moved", "[ecs]") {
    NothingLeaks scope;
    ComponentRegistry registry;
    struct Model {
        std::vector<unsigned> entities{};
        std::vector<int> numbers{}, kept{};
    };
    Table tables[2] = {Fixture<>::make<int, Tracked>(registry), Fixture<>::make<int, Tracked, Position>(registry)};
    Model models[2];
    const ColumnMapping maps[2] = {ColumnMapping(tables[0], tables[1]), ColumnMapping(tables[1], tables[0])};
    std::mt19937 random(5);
    for (unsigned step = 0; step != 3000; ++step) {
        const std::size_t a = random() % 2, b = 1 - a;
        Model &model = models[a], &other = models[b];
        const auto take = [&](std::size_t row) {
            for (auto* each : {&model.numbers, &model.kept}) (*each)[row] = each->back(), each->pop_back();
            model.entities[row] = model.entities.back();
            model.entities.pop_back();
        };
        const auto build = [&](Table& table) {
            return [&table, step](std::size_t c, void* to) {
                const TypeId type = table.type(c).id;
                if (type == TypeDescriptor::id_of<int>()) ::new (to) int(static_cast<int>(step));
                if (type == TypeDescriptor::id_of<Tracked>()) ::new (to) Tracked(static_cast<int>(step));
                if (type == TypeDescriptor::id_of<Position>()) ::new (to) Position();
            };
        };
        if (model.entities.empty() || random() % 4 == 0) {
            tables[a].push_back(entity(step), 1, build(tables[a]));
            model.entities.push_back(step);
            model.numbers.push_back(static_cast<int>(step));
            model.kept.push_back(static_cast<int>(step));
        } else if (random() % 4 == 0) {
            const std::size_t row = random() % model.entities.size();
            const Entity filled = tables[a].swap_erase(row);
            take(row);
            CHECK(filled == (row == model.entities.size() ? Entity() : entity(model.entities[row])));
        } else {
            const std::size_t row = random() % model.entities.size();
            const auto moved = Table::move_row(tables[a], row, tables[b], maps[a], 1, build(tables[b]));
            other.entities.push_back(model.entities[row]);
            other.numbers.push_back(model.numbers[row]);
            other.kept.push_back(model.kept[row]);
            take(row);
            CHECK(moved.row + 1 == other.entities.size());
            CHECK(moved.filled == (row == model.entities.size() ? Entity() : entity(model.entities[row])));
        }
        if (step % 100 != 0) continue;
        for (std::size_t i = 0; i != 2; ++i) {
            REQUIRE(tables[i].check_invariants());
            REQUIRE(entities(tables[i]) == models[i].entities);
            REQUIRE(values<Tracked>(tables[i], registry) == models[i].kept);
            const auto ints = tables[i].column(column<int>(tables[i], registry)).as<int>();
            REQUIRE(std::vector<int>(ints.begin(), ints.end()) == models[i].numbers);
        }
    }
}

TEST_CASE("Table: rows of tags only are entities, and move in the same way", "[ecs]") {
    ComponentRegistry registry;
    struct Other {};
    Table one = Fixture<>::make<Marker>(registry), two = Fixture<>::make<Marker, Other>(registry), none;
    CHECK((one.column_count() == 0 && none.ids().empty() && none.place_of(registry.id<Marker>()) == -1));
    for (unsigned i = 0; i != 100; ++i) one.push_back(entity(i), 1, builds_nothing);
    const ColumnMapping map(one, two), back(two, one);
    CHECK(map.built().empty());
    CHECK(Table::move_row(one, 7, two, map, 1, builds_nothing).filled == entity(99));
    CHECK(one.entities()[7] == entity(99));
    CHECK(two.entities()[0] == entity(7));
    CHECK(Table::move_row(two, 0, one, back, 1, builds_nothing).row == 99);
    CHECK(one.swap_erase(0) == entity(7));
    CHECK((one.check_invariants() && two.check_invariants() && none.check_invariants()));
}

TEST_CASE("Table: values that are over-aligned, move-only, or empty with a life of their own keep it", "[ecs]") {
    NothingLeaks scope;
    const int before = EmptyButCounted::alive;
    {
        ComponentRegistry registry;
        using Wide = OverAligned<4096>;
        Table small = Fixture<>::make<Wide, EmptyButCounted, Page>(registry);
        Table large = Fixture<>::make<Wide, EmptyButCounted, Page, MoveOnly>(registry);
        CHECK(small.column_count() == 3); // EmptyButCounted has a column, because its life matters
        const ColumnMapping map(small, large), back(large, small);
        const auto build = [](const Table& table, int value) {
            return [&table, value](std::size_t c, void* to) {
                const TypeId type = table.type(c).id;
                if (type == TypeDescriptor::id_of<Wide>()) ::new (to) Wide(value);
                if (type == TypeDescriptor::id_of<EmptyButCounted>()) ::new (to) EmptyButCounted();
                if (type == TypeDescriptor::id_of<Page>()) ::new (to) Page{value};
                if (type == TypeDescriptor::id_of<MoveOnly>()) ::new (to) MoveOnly(value);
            };
        };
        for (int i = 0; i != 20; ++i) small.push_back(entity(static_cast<unsigned>(i)), 1, build(small, i));
        for (int i = 0; i != 10; ++i) Table::move_row(small, 0, large, map, 1, build(large, 100 + i));
        for (int i = 0; i != 5; ++i) Table::move_row(large, 2, small, back, 1, build(small, -1));
        CHECK(EmptyButCounted::alive == before + 20);
        CHECK(values<MoveOnly>(large, registry) == Ints{100, 101, 105, 103, 104}); // the last rows filled row 2
        for (const Table* table : {&small, &large})
            for (std::size_t row = 0; row != table->size(); ++row) {
                const auto& wide = table->data<Wide>(column<Wide>(*table, registry))[row];
                const auto& page = table->data<Page>(column<Page>(*table, registry))[row];
                CHECK((wide.value() == page.value && page.value == static_cast<int>(table->entities()[row].index())));
                CHECK((reinterpret_cast<std::uintptr_t>(&wide) % 4096 == 0 &&
                       reinterpret_cast<std::uintptr_t>(&page) % 4096 == 0));
            }
        small.swap_erase(3);
        CHECK((small.check_invariants() && large.check_invariants()));
    }
    CHECK(EmptyButCounted::alive == before);
}

TEST_CASE("Table: a row built from values of the same table is right, also when it grows meanwhile", "[ecs]") {
    Fixture<std::string, Position> f;
    const std::size_t text = column<std::string>(f.table, f.registry);
    const std::string first(40, 'x');
    const auto build = [&](const std::string& from) {
        return [&](std::size_t c, void* to) {
            if (c == text)
                ::new (to) std::string(from);
            else
                ::new (to) Position{1, 2, 3};
        };
    };
    f.table.push_back(entity(0), 1, build(first));
    std::size_t grown = 0;
    for (unsigned i = 1; i != 200; ++i) {
        grown += f.table.size() == f.table.capacity();
        f.table.push_back(entity(i), 1, build(f.table.data<std::string>(text)[i / 2]));
    }
    CHECK(grown >= 3);
    const std::vector<Entity> own(f.table.entities().begin(), f.table.entities().end());
    while (f.table.size() != f.table.capacity()) f.table.push_back(entity(7), 1, build(first));
    const std::size_t before = f.table.size();
    const slot_t row = f.table.append(f.table.entities().first(200), 1, [&](std::size_t c, void* to, std::size_t n) {
        if (c == text)
            std::uninitialized_copy_n(f.table.data<std::string>(text), n, static_cast<std::string*>(to));
        else
            std::uninitialized_fill_n(static_cast<Position*>(to), n, Position{4, 5, 6});
    });
    CHECK((row == before && f.table.size() == before + 200));
    const auto texts = f.table.column(text).as<std::string>();
    CHECK(std::count(texts.begin(), texts.end(), first) == static_cast<std::ptrdiff_t>(texts.size()));
    CHECK(std::equal(own.begin(), own.end(), f.table.entities().subspan(row).begin()));
}

TEST_CASE("Table: a row is written at once where there is room and nothing else follows rows", "[ecs]") {
    Fixture<int, Marker> f;
    const auto write = [&](std::size_t row) { f.table.data<int>(0)[row] = static_cast<int>(row) * 2; };
    CHECK(f.table.try_push_back(entity(1), write) == no_slot); // no memory yet
    f.table.reserve(3);
    for (slot_t i = 0; i != f.table.capacity(); ++i) CHECK(f.table.try_push_back(entity(i), write) == i);
    CHECK(f.table.try_push_back(entity(1), write) == no_slot);
    CHECK((f.table.entities()[2] == entity(2) && f.table.data<int>(0)[2] == 4 && f.table.check_invariants()));
    for (const ComponentId id : {f.registry.id<int>(), f.registry.id<Marker>(), f.registry.id<Position>(), ComponentId()})
        CHECK(f.table.column_of_own(id) == f.table.column_of(id));
    ComponentRegistry tracked;
    tracked.add<int>({.tracked = true});
    Table ticking = Fixture<>::make<int>(tracked);
    ticking.reserve(3);
    CHECK((ticking.has_marks() && ticking.try_push_back(entity(1), [](std::size_t) {}) == no_slot && ticking.empty()));
}

TEST_CASE("Table: rows are appended by one call a column, and none is no row", "[ecs]") {
    Fixture<int, Position, Marker> f;
    std::vector<Entity> many;
    for (unsigned i = 0; i != 1000; ++i) many.push_back(entity(i));
    std::size_t calls = 0;
    const auto fill = [&](std::size_t c, void* to, std::size_t n) {
        ++calls;
        if (c == column<int>(f.table, f.registry))
            std::uninitialized_fill_n(static_cast<int*>(to), n, 9);
        else
            std::uninitialized_fill_n(static_cast<Position*>(to), n, Position{1, 2, 3});
    };
    CHECK(f.table.append(many, 1, fill) == 0);
    CHECK(calls == 2);
    CHECK(f.table.append(many, 1, fill) == 1000);
    CHECK(f.table.append({}, 1, fill) == 2000);
    CHECK((f.table.size() == 2000 && f.table.check_invariants() && f.table.entities()[1999] == entity(999)));
    const auto positions = f.table.column(column<Position>(f.table, f.registry)).as<Position>();
    CHECK(std::count(positions.begin(), positions.end(), Position{1, 2, 3}) == 2000);
}

TEST_CASE("Table: a component is disabled in a row without a move, and keeps its value", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId id = registry.add<int>({.toggle = true});
    Table table = Fixture<>::make<int, Position>(registry);
    const auto place = static_cast<std::size_t>(table.place_of(id)), other = 1 - place;
    for (int i = 0; i != 100; ++i) table.push_back(entity(static_cast<unsigned>(i)), 1, build_from<int>(table, i));
    CHECK((table.bits(place) == nullptr && !table.any_disabled_columns() && table.is_enabled(5, place)));
    table.enable(5, place, true);
    CHECK(table.bits(place) == nullptr); // as long as none is disabled
    const int* const value = &table.data<int>(column<int>(table, registry))[5];
    table.enable(5, place, false);
    REQUIRE(table.bits(place) != nullptr);
    CHECK((table.any_disabled_columns() && !table.is_enabled(5, place) && table.is_enabled(6, place) && *value == 5));
    CHECK((table.entities()[5] == entity(5) && value == &table.data<int>(column<int>(table, registry))[5]));
    CHECK((table.bits(place)->count() == 99 && table.bits(place)->size() == 100));
    for (int i = 100; i != 2000; ++i) table.push_back(entity(static_cast<unsigned>(i)), 1, build_from<int>(table, i));
    CHECK((table.bits(place)->count() == 1999 && table.check_invariants())); // new rows are enabled
    table.enable(1999, place, false);
    table.swap_erase(7); // the bit of the last row comes along
    CHECK((!table.is_enabled(7, place) && table.bits(place)->count() == 1997));
    table.enable(7, place);
    CHECK(table.is_enabled(7, place));
    table.swap_rows(5, 9);
    CHECK((table.is_enabled(5, place) && !table.is_enabled(9, place) && table.entities()[9] == entity(5)));
    table.clear();
    CHECK((table.bits(place) == nullptr && !table.any_disabled_columns() && table.empty() && table.check_invariants()));
    table.push_back(entity(1), 1, build_from<int>(table, 1));
    CHECK(table.is_enabled(0, place));
    CHECK(thrown_text<std::invalid_argument>([&] { table.enable(0, other, false); }) ==
          "Table::enable: the component cannot be disabled; register it with the trait toggle");
}

TEST_CASE("Table: what is disabled stays so in another table, and what is new there is enabled", "[ecs]") {
    ComponentRegistry registry;
    registry.add<int>({.toggle = true});
    registry.add<Marker>({.toggle = true});
    Table from = Fixture<>::make<int>(registry), to = Fixture<>::make<int, Marker>(registry);
    const ColumnMapping map(from, to), back(to, from);
    const auto of_int = [&](const Table& table) { return static_cast<std::size_t>(table.place_of(registry.id<int>())); };
    const auto of_marker = static_cast<std::size_t>(to.place_of(registry.id<Marker>()));
    for (int i = 0; i != 10; ++i) from.push_back(entity(static_cast<unsigned>(i)), 1, build_from<int>(from, i));
    Table::move_row(from, 0, to, map, 1, builds_nothing);
    CHECK((!to.any_disabled_columns() && to.is_enabled(0, of_int(to))));
    from.enable(3, of_int(from), false);
    Table::move_row(from, 4, to, map, 1, builds_nothing); // enabled: no bits are needed yet
    CHECK_FALSE(to.any_disabled_columns());
    Table::move_row(from, 3, to, map, 1, builds_nothing);
    CHECK((to.is_enabled(0, of_int(to)) && to.is_enabled(1, of_int(to)) && !to.is_enabled(2, of_int(to))));
    CHECK((to.bits(of_marker) == nullptr && from.bits(of_int(from))->count() == from.size()));
    to.enable(2, of_marker, false);
    Table::move_row(to, 2, from, back, 1, builds_nothing);
    CHECK((!from.is_enabled(from.size() - 1, of_int(from)) && from.entities().back() == entity(3)));
    CHECK((from.check_invariants() && to.check_invariants()));
    for (int i = 0; i != 100; ++i)
        Table::move_row(from, 0, to, map, 1, builds_nothing), Table::move_row(to, 0, from, back, 1, builds_nothing);
    std::size_t disabled = 0;
    for (const Table* table : {&from, &to})
        for (std::size_t row = 0; row != table->size(); ++row)
            if (!table->is_enabled(row, of_int(*table))) disabled += table->entities()[row] == entity(3);
    CHECK(disabled == 1);
}

TEST_CASE("Table: ticks follow rows, and a move stamps only what it adds", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId kept = registry.add<int>({.tracked = true}), added = registry.add<Marker>({.tracked = true});
    Table from = Fixture<>::make<int, Position>(registry), to = Fixture<>::make<int, Position, Marker>(registry);
    const ColumnMapping map(from, to), back(to, from);
    const auto ticks = [](Table& table, ComponentId id) -> TickColumn& {
        TickColumn* const column = table.ticks(static_cast<std::size_t>(table.place_of(id)));
        REQUIRE(column != nullptr);
        return *column;
    };
    CHECK(from.ticks(static_cast<std::size_t>(from.place_of(registry.id<Position>()))) == nullptr);
    for (int i = 0; i != 10; ++i)
        from.push_back(entity(static_cast<unsigned>(i)), static_cast<tick_t>(i), build_from<int>(from, i));
    ticks(from, kept).mark(4, 20);
    Table::move_row(from, 4, to, map, 30, builds_nothing);
    CHECK((ticks(to, kept).added(0) == 4 && ticks(to, kept).changed(0) == 20));
    CHECK((ticks(to, added).added(0) == 30 && ticks(to, added).changed(0) == 30));
    CHECK((ticks(from, kept).added(4) == 9 && ticks(from, kept).size() == 9)); // that of the row which filled it
    Table::move_row(to, 0, from, back, 40, builds_nothing);
    CHECK((ticks(from, kept).added(9) == 4 && ticks(from, kept).changed(9) == 20 && ticks(to, added).empty()));
    from.swap_rows(0, 9);
    CHECK((ticks(from, kept).added(0) == 4 && ticks(from, kept).added(9) == 0));
    from.swap_erase(1);
    CHECK(ticks(from, kept).added(1) == 0);
    const std::vector<Entity> more(5'000, entity(77));
    from.append(more, 50, [&](std::size_t c, void* place, std::size_t n) { std::memset(place, 0, n * from.type(c).size); });
    CHECK((ticks(from, kept).size() == 5'009 && ticks(from, kept).added(9) == 50 && from.check_invariants()));
    from.clamp_ticks(50 + max_tick_age + 1);
    CHECK(ticks(from, kept).added(9) == 51);
    from.clear();
    CHECK((ticks(from, kept).empty() && from.check_invariants()));
}

TEST_CASE("Table: a moved table is the same table, and what it was moved from can be assigned", "[ecs]") {
    NothingLeaks scope;
    ComponentRegistry registry;
    registry.add<Tracked>({.toggle = true, .tracked = true});
    Table table = Fixture<>::make<Tracked, Marker>(registry), other = Fixture<>::make<Position>(registry);
    const auto place = static_cast<std::size_t>(table.place_of(registry.id<Tracked>()));
    for (int i = 0; i != 9; ++i) table.push_back(entity(static_cast<unsigned>(i)), 1, build_from<Tracked>(table, i));
    table.enable(3, place, false);
    const Tracked* const data = table.data<Tracked>(0);
    Table moved(std::move(table));
    CHECK((moved.data<Tracked>(0) == data && moved.size() == 9 && !moved.is_enabled(3, place) && moved.check_invariants()));
    swap(moved, other);
    CHECK((other.size() == 9 && moved.empty() && moved.contains(registry.id<Position>()) && moved.check_invariants()));
    table = std::move(other);
    CHECK((table.data<Tracked>(0) == data && table.ticks(place)->size() == 9 && table.check_invariants()));
    other = Table();
    CHECK((other.empty() && other.check_invariants()));
}

TEST_CASE("Table: room is reserved, kept and given back", "[ecs]") {
    ComponentRegistry registry;
    registry.add<int>({.toggle = true, .tracked = true});
    Table table = Fixture<>::make<int>(registry);
    table.reserve(1000);
    const std::size_t capacity = table.capacity();
    CHECK(capacity >= 1000);
    table.push_back(entity(0), 1, build_from<int>(table, 0));
    const int* const data = table.data<int>(0);
    for (int i = 1; i != 1000; ++i) table.push_back(entity(static_cast<unsigned>(i)), 1, build_from<int>(table, i));
    CHECK((table.data<int>(0) == data && table.capacity() == capacity));
    table.enable(9, 0, false);
    while (table.size() != 10) table.swap_erase(10);
    table.shrink_to_fit();
    CHECK((table.capacity() == 10 && table.check_invariants() && !table.is_enabled(9, 0)));
    for (int i = 0; i != 100; ++i) table.push_back(entity(77), 1, build_from<int>(table, i));
    CHECK((table.check_invariants() && table.bits(0)->count() == 109));
    CHECK(thrown_text<std::length_error>([&] { table.reserve(Table::max_rows + 1); }) ==
          "Table: a table has at most 2^30 rows");
    CHECK(thrown_text<std::length_error>([&] { table.reserve(~std::size_t{0}); }) == "Table: a table has at most 2^30 rows");
}

TEST_CASE("Table: ids that are not ascending, twice there or unknown are refused in words", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId a = registry.id<int>(), b = registry.id<Position>(), likes = registry.add_relation("likes");
    const auto error = [&](std::vector<ComponentId> ids) {
        return thrown_text<std::invalid_argument>([&] { const Table table(registry, ids); });
    };
    CHECK(error({a, b}) == "");
    CHECK_THAT(error({b, a}), Catch::Contains("Table: the ids are not ascending"));
    CHECK_THAT(error({a, a}), Catch::Contains("Table: the ids are not ascending"));
    CHECK_THAT(error({ComponentId()}), Catch::Contains("Table: the id is null"));
    CHECK_THAT(error({pair(likes, any)}), Catch::Contains("Table: a wildcard"));
    CHECK_THAT(error({pair(a, entity(1))}), Catch::Contains("without a relation"));
}
