// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Described containers export what the containers of known types do; entities and components of a store are one stream.
#include <slotwise/arrow/store_export.hpp>

#include "reader.hpp"

using namespace slotwise;
using arrow_test::Cells;
using arrow_test::read_all;
using arrow_test::refused;

namespace {

template <class C>
arrow_test::Sheet both(const C& container, ExportOptions options = {}) {
    ArrowArrayStream copied, shared;
    export_stream(container, &copied, options);
    export_stream(std::make_shared<const C>(container), &shared, options);
    OwnedStream copy(&copied), share(&shared);
    auto sheet = read_all(copy), other = read_all(share);
    REQUIRE(sheet.columns == other.columns);
    return other;
}

struct Position {
    double x = 0, y = 0;
};
struct Mass {
    float kg = 0;
};
struct Hidden {};
using Age = std::uint32_t;

template <class... Args>
OwnedStream stream_of(const Args&... args) {
    ArrowArrayStream raw;
    export_stream(args..., &raw);
    return OwnedStream(&raw);
}

} // namespace

template <>
struct slotwise::ArrowFields<Position> {
    static constexpr auto members = std::tuple(slotwise::field("x", &Position::x), slotwise::field("y", &Position::y));
};
template <>
struct slotwise::ArrowFields<Mass> {
    static constexpr auto members = std::tuple(slotwise::field("kg", &Mass::kg));
};

TEST_CASE("Described containers export the same as those of known types", "[arrow]") {
    const auto &number = TypeDescriptor::of<std::uint64_t>(), &text = TypeDescriptor::of<std::string>();
    const ExportOptions options{.rows = GENERATE(Rows::live, Rows::slots), .handles = true, .least_shared = 64};
    MapStorage<std::uint64_t, std::string, Column<bool>> map;
    BasicAnyMapStorage<Column<bool>> any_map(number, text);
    KeySet<std::uint64_t> set;
    AnySetStorage any_set(number);
    SlotMap<std::uint64_t> slots;
    AnySlotMap any_slots(number);
    for (std::uint64_t i = 0; i != 3000; ++i) {
        const std::string name = "n" + std::to_string(i);
        map.insert(i, name);
        any_map.insert(&i, &name);
        set.insert(i);
        any_set.insert(&i);
        slots.insert(i);
        any_slots.insert(&i);
    }
    for (std::uint64_t i = 1000; i != 1100; ++i) {
        map.erase(i);
        any_map.erase(&i);
        set.erase(i);
        any_set.erase(&i);
        slots.erase(slots.handle_at(static_cast<slot_t>(i)));
        any_slots.erase(any_slots.handle_at(static_cast<slot_t>(i)));
    }
    CHECK(both(map, options).columns == both(any_map, options).columns);
    CHECK(both(set, options).columns == both(any_set, options).columns);
    CHECK(both(slots, options).columns == both(any_slots, options).columns);
    ArrowArrayStream raw;
    export_stream(std::make_shared<const AnySlotMap>(any_slots), &raw, {.least_shared = 64});
    OwnedStream stream(&raw);
    CHECK(stream.next()->children[0]->buffers[1] != nullptr);
}

TEST_CASE("Described series export the same as those of known types", "[arrow]") {
    const auto &number = TypeDescriptor::of<int>(), &real = TypeDescriptor::of<double>();
    TSDStorage<int, double> dict;
    AnyTSDStorage any_dict(number, real);
    TSSStorage<int> set;
    AnyTSSStorage any_set(number);
    for (int i = 0; i != 100; ++i) {
        const double value = i * 0.5;
        auto writer = dict.write(i);
        auto any_writer = any_dict.write(i);
        if (i % 7 == 0) {
            writer.create(i);
            any_writer.create(&i);
        } else {
            writer.set(i, value);
            any_writer.set(&i, &value);
        }
        set.write(i).insert(i);
        any_set.write(i).insert(&i);
    }
    const ExportOptions options{.handles = true, .time = true};
    const auto sheet = both(any_dict, options);
    CHECK((both(dict, options).columns == sheet.columns && sheet["value"][7] == "null" && sheet["value"][8] == "4.000000"));
    CHECK(both(set, options).columns == both(any_set, options).columns);
}

TEST_CASE("A described type that Arrow has not is refused by the name of its column", "[arrow]") {
    TypeDescriptor nameless = TypeDescriptor::of<int>();
    nameless.id = nullptr;
    CHECK(refused("column \"value\"", [] { stream_of(AnySlotMap(TypeDescriptor::of<Position>())); }));
    CHECK(refused("whose descriptor has no id", [&] { stream_of(AnySlotMap(nameless)); }));
}

TEST_CASE("A query is one stream over its tables: the entity, then its components", "[arrow]") {
    ArchetypeStore store;
    std::vector<Entity> all;
    for (int i = 0; i != 10; ++i) all.push_back(store.spawn(Position{i * 1.0, 2.0}, Age{static_cast<Age>(i)}));
    for (int i = 0; i != 5; ++i) all.push_back(store.spawn(Position{10.0 + i, 3.0}, Age{7}, Mass{0.5f}, Hidden{}));
    store.spawn(Mass{9});
    store.despawn(all[3]);
    const ArchetypeStore& view = store;
    const auto query = view.query<const Position, Optional<const Mass>, const Age>();
    OwnedStream stream = stream_of(query);
    const auto sheet = read_all(stream);
    REQUIRE(sheet.columns.size() == 5);
    CHECK((sheet.columns[0].name == "entity" && sheet.columns[1].name == "Position.x" && sheet.columns[3].name == "Mass.kg"));
    CHECK((sheet.columns[3].nullable && !sheet.columns[1].nullable && sheet.rows() == 14));
    for (std::size_t row = 0; row != sheet.rows(); ++row) {
        const Entity entity = Entity::from_bits(std::stoull(sheet["entity"][row]));
        const Mass* const mass = view.get<Mass>(entity);
        REQUIRE(sheet["Position.x"][row] == std::to_string(view.get<Position>(entity)->x));
        REQUIRE(sheet["Mass.kg"][row] == (mass == nullptr ? "null" : std::to_string(mass->kg)));
    }
    OwnedStream hidden = stream_of(view.query<const Hidden, const Mass>());
    CHECK(read_all(hidden)["Mass.kg"] == Cells(5, "0.500000"));
    ArrowSchema schema;
    export_schema(query, &schema);
    CHECK(OwnedSchema(&schema)->n_children == 5);
    OwnedStream none = stream_of(view.query<const double>());
    CHECK(read_all(none).rows() == 0);
}

TEST_CASE("Optional components of every kind are null where they are missing", "[arrow]") {
    ArchetypeStore store;
    store.spawn(1);
    store.spawn(2, std::string("two"), true, Mass{2});
    OwnedStream stream =
        stream_of(store.query<const int, Optional<const std::string>, Optional<const bool>, Optional<const Mass>>());
    const auto sheet = read_all(stream);
    CHECK((sheet["int"] == Cells{"1", "2"} && sheet["bool"] == Cells{"null", "true"}));
    CHECK((sheet["Mass.kg"] == Cells{"null", "2.000000"} && sheet["string"] == Cells{"null", "two"}));
}

TEST_CASE("The columns of a store's tables are shared, and keep it alive", "[arrow]") {
    auto store = std::make_shared<ArchetypeStore>();
    for (Age i = 0; i != 6000; ++i) store->spawn(Age{i}, Position{});
    const std::shared_ptr<const ArchetypeStore> frozen = store;
    store.reset();
    OwnedArray batch;
    const Age* ages = nullptr;
    {
        const auto query = frozen->query<const Age>();
        for (const auto& chunk : query.chunks()) ages = chunk.template get<const Age>().data();
        OwnedStream stream = stream_of(frozen, query);
        batch = stream.next();
    }
    CHECK((batch->length == 6000 && batch->children[1]->buffers[1] == ages && frozen.use_count() == 3));
    batch.reset();
    CHECK(frozen.use_count() == 1);
}

TEST_CASE("A query is refused for what it has not", "[arrow]") {
    ArchetypeStore store;
    store.registry().add<Mass>({.sparse = true});
    const Entity entity = store.spawn(Age{1}, Mass{2});
    const ArchetypeStore& view = store;
    ArrowArrayStream raw;
    CHECK(refused("there are no times", [&] { export_stream(view.query<const Age>(), &raw, {.time = true}); }));
    CHECK(refused("the pointer is null",
                  [&] { export_stream(std::shared_ptr<const ArchetypeStore>(), view.query<const Age>(), &raw); }));
    CHECK(refused("a component is sparse", [&] { export_stream(view.query<const Age, const Mass>(), &raw); }));
    CHECK(store.despawn(entity));
}
