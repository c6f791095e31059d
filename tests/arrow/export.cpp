// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is exported: columns, absences, batches, texts, in every option.
#include <slotwise/arrow/export.hpp>

#include "inside.hpp"
#include "reader.hpp"

#include <map>
#include <random>

using namespace slotwise;
using arrow_test::Cells;
using arrow_test::changed_export;
using arrow_test::read_all;
using arrow_test::refused;
using arrow_test::Sheet;

namespace {

struct Body {
    double x = 0;
    std::string name{};
    bool on = false;
};
struct Point {
    float x = 0;
    std::int32_t id = 0;
};

template <class C>
OwnedStream copied(const C& container, ExportOptions options = {}) {
    ArrowArrayStream raw;
    export_stream(container, &raw, options);
    return OwnedStream(&raw);
}
template <class C>
OwnedStream shared(std::shared_ptr<const C> container, ExportOptions options = {}) {
    ArrowArrayStream raw;
    export_stream(std::move(container), &raw, options);
    return OwnedStream(&raw);
}
/// Both ways, which must give the same rows.
template <class C>
Sheet exported(const C& container, ExportOptions options = {}) {
    OwnedStream copy = copied(container, options), share = shared(std::make_shared<const C>(container), options);
    Sheet sheet = read_all(copy), other = read_all(share);
    REQUIRE(sheet.columns == other.columns);
    sheet.batches = other.batches;
    return sheet;
}

} // namespace

template <>
struct slotwise::ArrowFields<Body> {
    static constexpr auto members =
        std::tuple(slotwise::field("x", &Body::x), slotwise::field("name", &Body::name), slotwise::field("on", &Body::on));
};

namespace {

enum class Holes { none, one, alternate, most, random, early };

bool is_hole(Holes holes, std::size_t i, std::size_t n, std::mt19937& random) {
    switch (holes) {
    case Holes::none:
        return false;
    case Holes::one:
        return i == n / 2;
    case Holes::alternate:
        return i % 2 == 1;
    case Holes::most:
        return i % 97 != 3;
    case Holes::random:
        return random() % 10 == 0;
    case Holes::early:
        return i < 130 && i % 3 == 0;
    }
    return false;
}

} // namespace

TEST_CASE("Live elements come in slot order, once each, whatever the holes, sizes and options", "[arrow]") {
    const std::size_t page = std::size_t{1} << SlotMap<std::uint32_t>().values().pages().shift;
    const std::size_t n = GENERATE_COPY(std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{63},
                                        std::size_t{64}, std::size_t{65}, page - 1, page, page + 1);
    const auto holes = GENERATE(Holes::none, Holes::one, Holes::alternate, Holes::most, Holes::random, Holes::early);
    std::mt19937 random(7);
    MapStorage<std::uint32_t, std::string, Column<bool>> map;
    for (std::uint32_t i = 0; i != n; ++i) {
        map.insert(i * 3, std::string(i % 40, static_cast<char>('a' + i % 26)));
        map.template column<bool>()[map.handle_of(i * 3)] = i % 5 == 0;
    }
    for (std::uint32_t i = 0; i != n; ++i)
        if (is_hole(holes, i, n, random)) map.erase(i * 3);
    Cells keys, texts, flags, handles;
    for (const auto& [key, text] : map) {
        keys.push_back(std::to_string(key));
        texts.push_back(text);
        flags.emplace_back(map.column<bool>()[map.handle_of(key)] ? "true" : "false");
        handles.push_back(std::to_string(map.handle_of(key).to_bits()));
    }
    for (const std::size_t least : {std::size_t{0}, std::size_t{63}, std::size_t{130}, std::size_t{4096}})
        for (const std::size_t most : {std::size_t{0}, std::size_t{65536}}) {
            const Sheet sheet = exported(map, {.handles = true, .least_shared = least, .most_gathered = most});
            CHECK(sheet.columns[0].name == "key");
            REQUIRE(
                (sheet["key"] == keys && sheet["value"] == texts && sheet["column0"] == flags && sheet["handle"] == handles));
        }
}

TEST_CASE("By slots every slot in use is a row, and null where no element lives", "[arrow]") {
    const std::size_t n = GENERATE(0u, 1u, 63u, 64u, 65u, 5000u);
    const auto holes = GENERATE(Holes::none, Holes::one, Holes::alternate, Holes::random);
    std::mt19937 random(3);
    SlotMap<Body, Column<std::int16_t>> map;
    std::vector<decltype(map)::handle_type> all;
    for (std::size_t i = 0; i != n; ++i)
        all.push_back(map.insert(Body{static_cast<double>(i), "n" + std::to_string(i), i % 2 == 0}));
    for (std::size_t i = 0; i != n; ++i)
        if (is_hole(holes, i, n, random)) map.erase(all[i]);
    const Sheet sheet = exported(map, {.rows = Rows::slots, .handles = true, .most_gathered = 700});
    REQUIRE(sheet.rows() == map.values().slot_end());
    for (std::size_t i = 0; i != sheet.rows(); ++i) {
        const Body* const body = map.get(all[i]);
        REQUIRE(sheet["x"][i] == (body == nullptr ? "null" : std::to_string(body->x)));
        REQUIRE(sheet["name"][i] == (body == nullptr ? "null" : body->name));
        REQUIRE(sheet["on"][i] == (body == nullptr ? "null" : body->on ? "true" : "false"));
        REQUIRE(sheet["column0"][i] == (body == nullptr ? "null" : "0"));
        REQUIRE(sheet["handle"][i] == (body == nullptr ? "null" : std::to_string(all[i].to_bits())));
    }
    for (const auto& column : sheet.columns) CHECK(column.nullable);
}

TEST_CASE("Columns are key, value or its fields, the user's, time, handle; names can be given", "[arrow]") {
    const auto names = [](const Sheet& sheet) {
        std::string all;
        for (const auto& column : sheet.columns) all += column.name + ":" + column.format + (column.nullable ? "? " : " ");
        return all;
    };
    SlotMap<Body, Column<float>> bodies;
    bodies.insert(Body{1.5, "a", true});
    CHECK(names(exported(bodies, {.handles = true})) == "x:g name:u on:b column0:f handle:L ");
    CHECK(names(exported(bodies, {.handles = true, .names = "a,b,c,d"})) == "a:g b:u c:b d:f handle:L ");
    MapStorage<std::string, Point> points;
    points.insert("p", Point{1, 2});
    MapStorage<std::string, double> prices;
    CHECK(names(exported(prices)) == "key:u value:g ");
    CHECK(names(exported(KeySet<std::int64_t>())) == "key:l ");
    CHECK(names(exported(DenseSlotMap<bool>())) == "value:b ");
    CHECK(names(exported(SoaSlotMap<int, std::string>())) == "value0:i value1:u ");
    CHECK(names(exported(SoaVector<float, std::uint8_t>())) == "value0:f value1:C ");
    CHECK(names(exported(SoaStruct<&Point::x, &Point::id>())) == "x:f id:i ");
    CHECK(names(exported(TSDStorage<int, double>(), {.handles = true, .time = true})) == "key:i value:g? time:l? handle:L ");
    CHECK(names(exported(TSSStorage<int>(), {.time = true})) == "key:i time:l? ");
    ArrowSchema raw;
    export_schema(bodies, &raw);
    const OwnedSchema schema(&raw);
    CHECK((schema->n_children == 4 && std::string(schema->children[3]->name) == "column0" && schema->metadata == nullptr));
}

TEST_CASE("Options that ask for what a container has not are refused", "[arrow]") {
    CHECK(refused("is no series", [] { copied(SlotMap<int>(), {.time = true}); }));
    CHECK(refused("has no handles", [] { copied(SoaVector<int>(), {.handles = true}); }));
    CHECK(refused("has 1 names, and there are 2", [] { copied(MapStorage<int, int>(), {.names = "a"}); }));
    CHECK(refused("has 3 names, and there are 2", [] { copied(MapStorage<int, int>(), {.names = "a,b,c"}); }));
    CHECK(refused("the pointer is null", [] { shared(std::shared_ptr<const SlotMap<int>>()); }));
}

TEST_CASE("Packed containers export their rows, and columns by slot row by row", "[arrow]") {
    DenseSlotMap<double, Column<int>> dense;
    SoaSlotMap<int, std::string> soa;
    std::vector<decltype(dense)::handle_type> handles;
    for (int i = 0; i != 300; ++i) {
        handles.push_back(dense.insert(i * 0.5));
        dense.column<int>()[handles.back()] = i;
        soa.insert(i, std::to_string(i));
    }
    for (std::size_t i = 0; i < 300; i += 7) dense.erase(handles[i]);
    const Sheet sheet = exported(dense, {.rows = GENERATE(Rows::live, Rows::slots), .handles = true, .least_shared = 1});
    REQUIRE(sheet.rows() == dense.size());
    for (std::size_t row = 0; row != sheet.rows(); ++row) {
        const auto handle = dense.handle_of_row(row);
        REQUIRE(sheet["value"][row] == std::to_string(dense[handle]));
        REQUIRE(sheet["column0"][row] == std::to_string(dense.column<int>()[handle]));
        REQUIRE(sheet["handle"][row] == std::to_string(handle.to_bits()));
    }
    CHECK(exported(soa)["value1"][299] == "299");
}

TEST_CASE("Three absences: no row for what is removed, a null value without one, a null time when never stamped", "[arrow]") {
    TSDStorage<std::string, double> dict;
    {
        auto writer = dict.write(10);
        writer.set("a", 1.5);
        writer.set("gone", 9.0);
        writer.create("empty");
    }
    {
        auto writer = dict.write(20);
        writer.set("b", 2.5);
        writer.erase("gone"); // still readable in this window
    }
    const Sheet sheet = exported(dict, {.time = true});
    CHECK(sheet["key"] == Cells{"a", "empty", "b"});
    CHECK(sheet["value"] == Cells{"1.500000", "null", "2.500000"});
    CHECK(sheet["time"] == Cells{"10", "null", "20"});
    const Sheet slots = exported(dict, {.rows = Rows::slots, .time = true});
    CHECK(slots["key"] == Cells{"a", "null", "empty", "b"});
    CHECK(slots["value"] == Cells{"1.500000", "null", "null", "2.500000"});
    CHECK(slots["time"] == Cells{"10", "null", "null", "20"});
    OwnedStream stream = shared(std::make_shared<const TSDStorage<std::string, double>>(dict), {.time = true});
    const OwnedArray batch = stream.next();
    std::int64_t never = 0;
    std::memcpy(&never, static_cast<const std::int64_t*>(batch->children[2]->buffers[1]) + 1, sizeof never);
    CHECK(never == std::numeric_limits<std::int64_t>::min()); // which NumPy shows as NaT
}

TEST_CASE("A dictionary whose members all have values has no bitmap", "[arrow]") {
    TSDStorage<int, double> dict;
    for (int i = 0; i != 100; ++i) dict.write(1).set(i, i * 1.0);
    OwnedStream stream = copied(dict);
    const OwnedArray batch = stream.next();
    CHECK((batch->children[1]->null_count == 0 && batch->children[1]->buffers[0] == nullptr));
}

TEST_CASE("An empty container has a schema and no rows", "[arrow]") {
    OwnedStream stream = copied(MapStorage<int, std::string>());
    CHECK(stream.schema()->n_children == 2);
    CHECK_FALSE(stream.next());
    SlotMap<int> emptied;
    emptied.erase(emptied.insert(1));
    OwnedStream other = shared(freeze(std::move(emptied)));
    CHECK_FALSE(other.next());
}

TEST_CASE("At least least_shared rows side by side are shared, what is shorter is gathered with its neighbours", "[arrow]") {
    SlotMap<std::uint64_t> map;
    map.reserve(1000); // one run of memory
    std::vector<SlotMap<std::uint64_t>::handle_type> handles;
    for (std::uint64_t i = 0; i != 1000; ++i) handles.push_back(map.insert(i));
    for (const std::size_t hole : {100u, 350u, 352u, 354u}) map.erase(handles[hole]); // runs of 100, 249, 1, 1, 645
    const auto frozen = freeze(std::move(map));
    const auto* const values = &(*frozen)[handles[0]];
    const auto batches = [&](std::size_t least) {
        std::vector<std::pair<std::int64_t, bool>> result;
        OwnedStream stream = shared(frozen, {.least_shared = least});
        for (OwnedArray batch = stream.next(); batch; batch = stream.next()) {
            const auto* const at = static_cast<const std::uint64_t*>(batch->children[0]->buffers[1]);
            result.emplace_back(batch->length, at >= values && at < values + 1000);
        }
        return result;
    };
    using Result = std::vector<std::pair<std::int64_t, bool>>;
    CHECK(batches(249) == Result{{100, false}, {249, true}, {2, false}, {645, true}});
    CHECK(batches(250) == Result{{351, false}, {645, true}});
    CHECK(batches(645) == Result{{351, false}, {645, true}});
    CHECK(batches(646) == Result{{996, false}});
    CHECK(batches(100) == Result{{100, true}, {249, true}, {2, false}, {645, true}});
    CHECK(batches(1) == Result{{100, true}, {249, true}, {1, true}, {1, true}, {645, true}});
}

TEST_CASE("A shared batch is the longest run common to all columns that can be shared", "[arrow]") {
    MapStorage<std::uint64_t, std::uint8_t, Column<bool>> map;
    for (std::uint64_t i = 0; i != 40000; ++i) map.insert(i, static_cast<std::uint8_t>(i));
    const auto frozen = freeze(std::move(map));
    OwnedStream stream = shared(frozen, {.least_shared = 64});
    std::uint64_t row = 0;
    for (OwnedArray batch = stream.next(); batch; batch = stream.next()) {
        REQUIRE(batch->children[0]->buffers[1] == &frozen->keys()[static_cast<slot_t>(row)]);
        REQUIRE(batch->children[1]->buffers[1] == frozen->get(row));
        row += static_cast<std::uint64_t>(batch->length);
    }
    CHECK(row == 40000);
}

TEST_CASE("By slots all numbers are shared where they lie, holes or not, with one bitmap for all columns", "[arrow]") {
    MapStorage<std::uint64_t, double, Column<std::int8_t>> map;
    map.reserve(9000);
    for (std::uint64_t i = 0; i != 9000; ++i) map.insert(i, 1.0);
    for (std::uint64_t i = 0; i < 9000; i += 2) map.erase(i);
    const auto frozen = freeze(std::move(map));
    OwnedStream stream = shared(frozen, {.rows = Rows::slots});
    std::int64_t rows = 0;
    for (OwnedArray batch = stream.next(); batch; batch = stream.next()) {
        const auto odd = static_cast<slot_t>(rows + 1);
        for (std::int64_t c = 0; c != 3; ++c) {
            REQUIRE(batch->children[c]->null_count == batch->length / 2);
            REQUIRE(batch->children[c]->buffers[0] == batch->children[0]->buffers[0]);
        }
        REQUIRE(static_cast<const std::uint64_t*>(batch->children[0]->buffers[1]) + 1 == &frozen->keys()[odd]);
        REQUIRE(static_cast<const double*>(batch->children[1]->buffers[1]) + 1 == &frozen->values()[odd]);
        REQUIRE(static_cast<const std::int8_t*>(batch->children[2]->buffers[1]) + 1 == &frozen->column<0>()[odd]);
        rows += batch->length;
    }
    CHECK(rows == 9000);
}

#if SLOTWISE_VIRTUAL_MEMORY
TEST_CASE("A container in reserved memory is one batch", "[arrow]") {
    SlotMap<double, Options<SlotMapOptions{.growth = Growth::reserve, .max_slots = 1u << 20}>> map;
    for (int i = 0; i != 100000; ++i) map.insert(i);
    OwnedStream stream = shared(freeze(std::move(map)));
    CHECK((stream.next()->length == 100000 && !stream.next()));

    TSDStorage<std::int64_t, double, Options<SeriesOptions{.max_slots = 1u << 20, .growth = Growth::reserve}>> series;
    {
        auto w = series.write(7);
        for (int i = 0; i != 100000; ++i) w.set(i, i);
    }
    series.write(8).set(99999, 1);
    const auto frozen = freeze(std::move(series));
    OwnedStream of_series = shared(frozen, {.time = true});
    const OwnedArray batch = of_series.next();
    CHECK((batch->length == 100000 && !of_series.next()));
    CHECK(batch->children[2]->buffers[1] == frozen->time_span().data());
    CHECK((frozen->time_span().front() == 7 && frozen->time_span().back() == 8));
}
#endif

TEST_CASE("Texts of a batch stay below what its offsets reach; a text that is too long is refused", "[arrow]") {
    KeySet<std::string> set;
    for (int i = 0; i != 500; ++i) set.insert(std::to_string(1000 + i));
    for (int i = 100; i != 130; ++i) set.erase(std::to_string(1000 + i));
    for (const bool owned : {false, true}) {
        const auto rows = GENERATE(Rows::live, Rows::slots);
        const auto owner = owned ? std::make_shared<int>(0) : nullptr;
        const auto most = [](std::size_t bytes) { return [bytes](auto& plan) { plan.most_text = bytes; }; }; // instead of 2 GiB
        OwnedStream batches = changed_export(set, {.rows = rows}, owner, most(40));
        std::size_t count = 0;
        for (OwnedArray batch = batches.next(); batch; batch = batches.next()) {
            REQUIRE(static_cast<const std::int32_t*>(batch->children[0]->buffers[1])[batch->length] <= 40);
            count += static_cast<std::size_t>(batch->length);
        }
        CHECK(count == (rows == Rows::live ? 470 : 500));
        CHECK(refused("one text has 2 GiB or more", [&] { changed_export(set, {}, owner, most(3)).next(); }));
    }
}

TEST_CASE("Bools are gathered to bits, members of structs into buffers of their own", "[arrow]") {
    SlotMap<bool> flags;
    SlotMap<Body> bodies;
    for (int i = 0; i != 100; ++i) {
        flags.insert(i % 3 == 0);
        bodies.insert(Body{i * 1.0, "", false});
    }
    const auto frozen = freeze(std::move(bodies));
    OwnedStream stream = shared(frozen, {.least_shared = 1});
    const OwnedArray batch = stream.next();
    CHECK((batch->length == 100 && batch->children[0]->buffers[1] != static_cast<const void*>(&*frozen->begin())));
    const Sheet sheet = exported(flags);
    CHECK((sheet["value"][3] == "true" && sheet["value"][4] == "false"));
}
