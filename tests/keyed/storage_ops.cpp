// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetOps and MapOps: one caller, which knows no type, over containers of known and of described types.
#include "keys.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/keyed/storage_ops.hpp>

#include <memory>
#include <type_traits>

using namespace test;

namespace {

template <class T>
const T& as(const void* value) {
    return *static_cast<const T*>(value);
}
/// As an engine would: it has a pointer, a table of functions, and addresses.
std::vector<std::string> drive_set(void* set, const SetOps& ops) {
    std::vector<std::string> log;
    const auto say = [&](bool answer) { log.push_back(answer ? "yes" : "no"); };
    ops.reserve(set, 100);
    for (const int n : {3, 1, 2, 3}) {
        const auto key = make_key<std::string>(n);
        say(ops.add(set, &key));
    }
    const auto one = make_key<std::string>(1), four = make_key<std::string>(4);
    say(ops.contains(set, &one));
    say(ops.contains(set, &four));
    const slot_t slot = ops.slot_of(set, &one);
    log.push_back(as<std::string>(ops.key(set, slot)));
    say(ops.state(set, slot) == SlotState::live);
    say(ops.remove(set, ops.key(set, slot))); // the very one
    say(ops.remove(set, &one));
    for (const void* key : ops.values(set)) log.push_back(as<std::string>(key));
    log.push_back(std::to_string(ops.size(set)));
    say(ops.key_type(set).size == sizeof(std::string));
    ops.clear(set);
    say(ops.size(set) == 0);
    return log;
}
std::vector<std::string> drive_map(void* map, const MapOps& ops) {
    std::vector<std::string> log;
    const auto say = [&](bool answer) { log.push_back(answer ? "yes" : "no"); };
    ops.reserve(map, 100);
    for (const int n : {3, 1, 2, 3}) {
        const auto key = make_key<std::string>(n);
        const int value = 10 * n + static_cast<int>(ops.size(map));
        say(ops.set_item(map, &key, &value));
    }
    const auto one = make_key<std::string>(1), four = make_key<std::string>(4), five = make_key<std::string>(5);
    const int forty = 40;
    say(ops.add(map, &four, &forty));
    say(ops.add(map, &four, &forty));
    say(ops.add(map, &five, nullptr)); // the default value
    *static_cast<int*>(ops.at(map, &one)) += 1000;
    log.push_back(std::to_string(as<int>(ops.get(map, &one))));
    say(ops.contains(map, &five));
    say(ops.get(map, &five) == ops.value(map, ops.slot_of(map, &five)));
    say(ops.remove(map, &four));
    say(ops.get(map, &four) == nullptr);
    log.push_back(thrown_text<std::out_of_range>([&] { ops.at(map, &four); }).empty() ? "no" : "thrown");
    const void* const keys = ops.as_set(map);
    for (const void* key : ops.keys->values(keys)) log.push_back(as<std::string>(key));
    for (const auto chunk : ops.values(map).chunks())
        for (const slot_t i : SlotRange(chunk.live)) log.push_back(std::to_string(chunk.values.as<int>()[i]));
    say(ops.keys->size(keys) == ops.size(map));
    say(ops.keys->contains(keys, &one));
    say(&ops.value_type(map) == &TypeDescriptor::of<int>());
    ops.clear(map);
    say(ops.size(map) == 0);
    return log;
}

} // namespace

TEST_CASE("one caller over void* drives sets of known and of described types", "[storage_ops]") {
    static_assert(std::is_trivially_copyable_v<SetOps> && std::is_trivially_copyable_v<MapOps>); // plain function pointers
    SetStorage<std::string> known;
    AnySetStorage any(TypeDescriptor::of<std::string>());
    BasicAnySetStorage<IndexBy<PortableHashIndex>> other(TypeDescriptor::of<std::string>());
    const auto log = drive_set(&known, SetOps::of<SetStorage<std::string>>());
    REQUIRE(log.size() == 15);
    REQUIRE(drive_set(&any, SetOps::of<AnySetStorage>()) == log);
    REQUIRE(drive_set(&other, SetOps::of<BasicAnySetStorage<IndexBy<PortableHashIndex>>>()) == log);
    REQUIRE(&SetOps::of<AnySetStorage>() == &SetOps::of<AnySetStorage>());
    REQUIRE((known.check_invariants() && any.check_invariants()));
}

TEST_CASE("one caller over void* drives maps of known and of described types", "[storage_ops]") {
    MapStorage<std::string, int> known;
    AnyMapStorage any(TypeDescriptor::of<std::string>(), TypeDescriptor::of<int>());
    const auto log = drive_map(&known, MapOps::of<MapStorage<std::string, int>>());
    REQUIRE(log.size() == 25);
    REQUIRE(drive_map(&any, MapOps::of<AnyMapStorage>()) == log);
    REQUIRE((known.check_invariants() && any.check_invariants()));
}

TEST_CASE("a table of functions has null where a type cannot do it", "[storage_ops]") {
    using Owners = MapStorage<int, std::unique_ptr<int>>;
    const MapOps& ops = MapOps::of<Owners>();
    REQUIRE(ops.set_item == nullptr);
    REQUIRE(ops.add == nullptr);
    REQUIRE(ops.remove != nullptr);
    REQUIRE(SetOps::of<SetStorage<std::unique_ptr<int>>>().add == nullptr);
    Owners owners;
    owners.try_emplace(1, std::make_unique<int>(5));
    const int one = 1;
    REQUIRE(*as<std::unique_ptr<int>>(ops.get(&owners, &one)) == 5);
    struct NoDefault {
        int value;
        explicit NoDefault(int n) : value(n) {}
    };
    MapStorage<int, NoDefault> map;
    REQUIRE(thrown_text<std::invalid_argument>([&] {
                MapOps::of<MapStorage<int, NoDefault>>().add(&map, &one, nullptr);
            }).find("no default value") != std::string::npos);
    REQUIRE(map.empty());
}
