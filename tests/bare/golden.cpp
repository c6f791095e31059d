// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots that an x86-64 Linux wrote, in golden.inc: each little-endian machine restores them and writes the same bytes, each
// big-endian one refuses them, but for those of bits and ticks. So it is with the bytes of deltas. A type whose size is the
// platform's is refused where it has another.
//     golden --print > golden.inc        on x86-64 Linux, when the format changes; old bytes must then be refused by a test
#include "bare.hpp"

#include <bit>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace slotwise;
using bare::check;

struct Golden {
    const char* name;
    const char* hex;
};
constexpr Golden goldens[] = {
#include "golden.inc"
};

bool prints = false;
std::size_t compared = 0;

void print(const char* name, std::span<const std::byte> bytes) {
    std::printf("{\"%s\",", name);
    for (std::size_t i = 0; i != bytes.size(); ++i)
        std::printf("%s%02x", i % 56 != 0 ? "" : i == 0 ? "\n \"" : "\"\n \"", std::to_integer<unsigned>(bytes[i]));
    std::printf("\"},\n");
}
std::vector<std::byte> bytes_of(const char* name) {
    std::vector<std::byte> bytes;
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (const Golden& each : goldens)
        if (std::strcmp(each.name, name) == 0)
            for (const char* at = each.hex; *at != 0; at += 2)
                bytes.push_back(static_cast<std::byte>(digit(at[0]) * 16 + digit(at[1])));
    check(!bytes.empty(), name);
    return bytes;
}

/// @param refusal what is said on this machine; null: it must be restored
template <class C, class... Codec>
void compare(const char* name, const C& made, C restored, const char* refusal, const Codec&... codec) {
    if (prints) return print(name, made.snapshot(codec...));
    const auto golden = bytes_of(name);
    const char* const error = restored.try_restore(golden, codec...);
    constexpr bool everywhere = std::is_same_v<C, BitColumn> || std::is_same_v<C, TickColumn>;
    if (std::endian::native == std::endian::big && !everywhere) refusal = "snapshot: ";
    ++compared;
    if (refusal != nullptr) {
        const bool refused = error != nullptr && std::strstr(error, refusal) != nullptr;
        if (!refused) std::printf("%s: expected \"%s\", got: %s\n", name, refusal, error == nullptr ? "(nothing)" : error);
        return check(refused, name);
    }
    if (error != nullptr) std::printf("%s\n", error);
    check(error == nullptr && restored.check_invariants(), name);
    if constexpr (requires { restored == made; }) check(restored == made, name);
    check(restored.snapshot(codec...) == golden && made.snapshot(codec...) == golden, name);
}
/// A part of a store, which is inserted into another one and written again.
void compare_part(const char* name, const std::vector<std::byte>& made, ArchetypeStore inserted, const AnyCodec& codec) {
    if (prints) return print(name, made);
    const auto golden = bytes_of(name);
    InsertedEntities ids;
    const char* const error = inserted.try_insert_snapshot(golden, ids, codec);
    ++compared;
    if (std::endian::native == std::endian::big)
        return check(error != nullptr && std::strstr(error, "snapshot: ") != nullptr, name);
    if (error != nullptr) std::printf("%s\n", error);
    check(error == nullptr && made == golden && ids.size() == 1 && ids.dropped_pairs() == 1, name);
    check(inserted.check_invariants() && inserted.at<std::string>(ids.begin()->now) == "ada", name);
}
template <class C, class... Codec>
void golden(const char* name, const C& made, const Codec&... codec) {
    compare(name, made, C(), nullptr, codec...);
}

/// A delta of a series that is at window `from`.
template <class Series>
void golden_delta(const char* name, const typename Series::delta_type& made, std::int64_t from, Series before) {
    if (prints) return print(name, made.to_bytes(from));
    const auto golden = bytes_of(name);
    const auto read = Series::delta_type::try_from_bytes(golden);
    const auto applied = try_apply_delta(before, golden);
    ++compared;
    if (std::endian::native == std::endian::big)
        return check(!read && !applied && applied.error.find("another byte order") != std::string::npos, name);
    check(read && read.delta == made && read.from == from && made.to_bytes(from) == golden, name);
    check(applied && applied.applied == Applied::done && capture(before) == made, name);
}

struct Place {
    std::int32_t x = 0;
    double y = 0;
    friend bool operator==(const Place&, const Place&) = default;
};
/// 16 bytes on x86-64 whether `long` has 64 bits, as on Linux, or 32, as on Windows.
struct Native {
    long a = 0;
    double b = 0;
    friend bool operator==(const Native&, const Native&) = default;
};
using Id = Handle<struct GoldenTag>;

void slot_maps() {
    const auto fill = [](auto& map) {
        const auto first = map.insert(7);
        map.insert(-8);
        map.erase(first);
        map.insert(std::int64_t{1} << 40);
        map.erase(map.insert(3));
    };
    SlotMap<std::int64_t> slots;
    DenseSlotMap<std::int64_t> dense;
    fill(slots);
    fill(dense);
    golden("SlotMap", slots);
    golden("DenseSlotMap", dense);
    SoaSlotMap<std::uint16_t, std::string, Place> columns;
    columns.insert(std::uint16_t{1}, std::string("one"), Place{1, 0.5});
    columns.insert(std::uint16_t{2}, std::string(), Place{-2, -1e300});
    golden("SoaSlotMap", columns);
    HandlePool<Place> pool;
    const auto taken = pool.create();
    pool.create();
    pool.erase(taken);
    golden("HandlePool", pool);
    IdentityMap<PublicId, Handle<std::int64_t>> names;
    names.insert(PublicId{1, 2}, Handle<std::int64_t>(3, 1));
    golden("IdentityMap", names);
}

void keyed() {
    SetStorage<std::string> set;
    for (const char* key : {"alpha", "beta", "gamma", "a key that is in no small buffer"}) set.insert(key);
    set.erase("beta");
    golden("SetStorage", set);
    MapStorage<std::uint32_t, std::vector<float>> map;
    for (std::uint32_t key = 0; key != 5; ++key) map.try_emplace(key * 77, std::vector<float>(key, 0.25f));
    map.erase(77);
    golden("MapStorage", map);
}

void series() {
    TSSStorage<std::uint32_t> set;
    set.write(1).add(7);
    const auto set_at_1 = set;
    set.write(2).add(8);
    golden("TSSStorage", set);
    golden_delta("SetDelta", capture(set), 1, set_at_1);
    TSDStorage<std::string, double> dict;
    dict.write(1).set("up", 1.5);
    dict.write(5).set("down", -0.0);
    const auto dict_at_5 = dict;
    dict.write(6).remove("up");
    golden("TSDStorage", dict);
    const auto first = capture(dict);
    {
        auto w = dict.write(7);
        w.set("right", 2.5);
        w.create("left");
        w.invalidate("down");
    }
    golden_delta("DictDelta", compose(first, capture(dict)), 5, dict_at_5);
}

void rows_and_sparse() {
    SoaVector<std::int32_t, std::string> rows;
    rows.push_back(1, "one");
    rows.push_back(2, "two");
    golden("SoaVector", rows);
    const AnyCodec codec = AnyCodec().add<std::int32_t>().add<std::string>();
    AnyRows described{&TypeDescriptor::of<std::int32_t>(), &TypeDescriptor::of<std::string>()};
    described.push_back({AnyValue::of(std::int32_t{5}), AnyValue::of(std::string("five"))});
    compare("AnyRows", described, AnyRows{&TypeDescriptor::of<std::int32_t>(), &TypeDescriptor::of<std::string>()}, nullptr,
            codec);
    BitColumn bits(70, true);
    bits.reset(65);
    golden("BitColumn", bits);
    TickColumn ticks(3, 1);
    ticks.mark(1, 9);
    golden("TickColumn", ticks);

    EntityIndex<Id, Place> entities;
    const Id first = entities.create();
    *entities.location(entities.create()) = Place{1, 2};
    entities.destroy(first);
    golden("EntityIndex", entities);
    SparseMap<Id, Place> map;
    map.try_emplace(Id(100'000, 1), Place{3, 4});
    map.try_emplace(Id(2, 3), Place{5, 6});
    golden("SparseMap", map);
    SparseSet<Id> set;
    set.insert(Id(9, 1));
    golden("SparseSet", set);
    SwitchMap<Id, std::int16_t> states;
    for (std::uint32_t i = 0; i != 6; ++i) states.set(Id(i, 1), static_cast<std::int16_t>(i % 3));
    golden("SwitchMap", states);
}

void ecs_and_graph() {
    RelationMap<Id, std::uint32_t, Id> relations;
    relations.insert(Id(1, 1), 7, Id(2, 1));
    relations.insert(Id(1, 1), 8, Id(3, 1));
    golden("RelationMap", relations);

    const auto registered = [] {
        ArchetypeStore store;
        store.registry().add<Place>("place", {.tracked = true});
        store.registry().add<std::string>("name", {.sparse = true});
        store.registry().add_relation("likes");
        store.registry().add_relation("state", {.switched = true});
        return store;
    };
    ArchetypeStore store = registered();
    const Entity ada = store.spawn(Place{1, 2}, std::string("ada")), bob = store.spawn(Place{3, 4});
    store.despawn(store.spawn(Place{}));
    store.relate(ada, store.registry().find("likes"), bob);
    store.relate(bob, store.registry().find("state"), ada);
    const AnyCodec codec = AnyCodec().add<Place>().add<std::string>();
    compare("ArchetypeStore", store, registered(), nullptr, codec);
    compare_part("a part of an ArchetypeStore", store.snapshot_of({{ada}}, codec), registered(), codec);
    const auto with_resources = [&] {
        ArchetypeStore fresh = registered();
        fresh.register_resource<Place>("spawn point");
        fresh.register_resource<std::string>("title");
        return fresh;
    };
    ArchetypeStore titled = with_resources();
    titled.emplace_resource<std::string>("harbour");
    titled.emplace_resource<Place>(Place{5, 6});
    compare("ArchetypeStore with resources", titled, with_resources(), nullptr, codec);

    DataflowGraph<std::int32_t, double> graph;
    const auto a = graph.add(1, 1, 1), b = graph.add(2, 2, 1);
    check(static_cast<bool>(graph.connect(a, 0, b, 1)), "connect");
    graph.set_input(b, 0, 2.5);
    graph.evaluate([](std::int32_t node, auto& context) { context.set_output(0, context.input(0) + node); });
    golden("DataflowGraph", graph);
}

/// Types that are not the same everywhere: never read as something else.
void of_the_platform() {
    const char* const other_long = sizeof(long) == 8 ? nullptr : "with other members than those of this container";
    SlotMap<long> numbers;
    numbers.insert(-1);
    compare("long", numbers, {},
            sizeof(long) == 8 ? nullptr : "its values are int64, and those of this container are of another type");
    SlotMap<Native> values;
    values.insert(Native{-1, 0.5});
    compare("struct with a long", values, {}, other_long);
    SoaVector<std::int32_t, Native> rows;
    rows.push_back(1, Native{-1, 0.5});
    compare("column with a long", rows, {}, other_long);
    const auto registered = [] {
        ArchetypeStore store;
        store.registry().add<Native>("native");
        return store;
    };
    ArchetypeStore store = registered();
    store.spawn(Native{-1, 0.5});
    compare("component with a long", store, registered(), other_long, AnyCodec().add<Native>());
    // Without a codec values are copied.
    const bool same_model = sizeof(long) == 8 && sizeof(void*) == 8 && sizeof(wchar_t) == 4;
    compare("component that is copied", store, registered(), same_model ? nullptr : "values of", AnyCodec());
    SlotMap<std::wstring> texts;
    texts.insert(L"wide");
    compare("wchar_t", texts, {}, sizeof(wchar_t) == 4 ? nullptr : "of another type");
    MapStorage<std::string, std::size_t> sizes;
    sizes.try_emplace("size", std::size_t{5});
    compare("size_t", sizes, {}, sizeof(std::size_t) == 8 ? nullptr : "of another type");
}

} // namespace

int main(int count, char** arguments) {
    prints = count > 1 && std::strcmp(arguments[1], "--print") == 0;
    if (prints)
        std::printf("// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: the slotwise authors\n"
                    "// golden --print on x86-64 Linux wrote this.\n");
    slot_maps();
    keyed();
    series();
    rows_and_sparse();
    ecs_and_graph();
    of_the_platform();
    check(prints || compared == std::size(goldens), "each of golden.inc is compared");
    return bare::failures == 0 ? 0 : 1;
}
