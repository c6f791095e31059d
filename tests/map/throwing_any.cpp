// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Described slot maps with a throw at every step of every function: as before, nothing leaked.
#include "support/allocators.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/any_slot_map.hpp>
#include <slotwise/rows/any_codec.hpp>

#include <algorithm>
#include <array>

using namespace test;

namespace {

using Map = BasicAnySlotMap<AllocBy<ThrowingAllocator<std::byte>>>;
using Handles = std::vector<Map::handle_type>;

const Throwing& at(const Map& map, Map::handle_type handle) { return *static_cast<const Throwing*>(map.at(handle)); }
AnyValue value_of(const Throwing& value) { return AnyValue::copied(&value); }
slot_t next_slot(Map map) { return map.reserve_handle().index(); }

/// The elements 0 to 63 without number 5, or so many that the next insert grows.
Map sample(Handles& handles, bool full) {
    Map map(TypeDescriptor::of<Throwing>());
    for (int i = 0; full ? map.size() == 0 || map.size() != map.capacity() : i != 64; ++i) {
        const Throwing value(i);
        handles.push_back(map.insert(&value));
    }
    if (!full) map.erase(handles[5]);
    return map;
}
void require_sample(const Map& map, const Handles& handles, bool full) {
    REQUIRE(map.size() == handles.size() - !full);
    int number = 0;
    for (const auto handle : handles) {
        if ((full || number != 5) && at(map, handle).value() != number) FAIL("another value");
        ++number;
    }
}

/// act(map, handles) has no effect when it throws.
template <class Act>
void strong_described(const char* function, bool full, Act act) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>(function), [&](auto&& attempt) {
        Handles handles;
        Map map = sample(handles, full);
        const slot_t next = next_slot(map);
        const bool threw = attempt([&] { act(map, handles); });
        REQUIRE(map.check_invariants());
        if (!threw) return;
        require_sample(map, handles, full);
        REQUIRE(next_slot(map) == next);
    });
    REQUIRE(failures > 0);
}

struct Counted final : SlotObserver {
    std::size_t count = 0;
    void on_insert(slot_t, InsertKind) override {
        Budget::spend();
        ++count;
    }
    void on_erase(slot_t) noexcept override { --count; }
};

} // namespace

TEST_CASE("an operation of a described slot map that throws has no effect", "[any_slot_map][throwing][throws]") {
    const Throwing value(70);
    for (const bool full : {false, true}) {
        strong_described("insert", full, [&](Map& map, auto&) { map.insert(&value); });
        strong_described("insert_moved", full, [](Map& map, auto&) {
            Throwing moved(70);
            map.insert_moved(&moved);
        });
        strong_described("emplace_ref", full, [&](Map& map, auto&) { map.emplace_ref(value_of(value)); });
        strong_described("try_insert", full, [&](Map& map, auto&) { map.try_insert(&value); });
        strong_described("try_insert_moved", full, [](Map& map, auto&) {
            Throwing moved(70);
            map.try_insert_moved(&moved);
        });
        strong_described("try_emplace", full, [&](Map& map, auto&) { map.try_emplace(value_of(value)); });
        strong_described("emplace", full, [&](Map& map, auto&) { map.emplace(value_of(value)); });
        strong_described("insert_with", full, [&](Map& map, auto&) {
            map.insert_with([&](Map::handle_type) {
                Budget::spend();
                return value_of(value);
            });
        });
        strong_described("extract", full, [](Map& map, auto& handles) { static_cast<void>(map.extract(handles[9])); });
        strong_described("erase_if", full, [](Map& map, auto&) {
            map.erase_if([](const void*) {
                Budget::spend();
                return false;
            });
        });
        strong_described("(copy)", full, [](Map& map, auto&) { const Map copy(map); });
        strong_described("reserve", full, [](Map& map, auto&) { map.reserve(5000); });
        strong_described("insert_at", full, [&](Map& map, auto&) { map.insert_at({2000, 3}, value_of(value)); });
    }
    strong_described("insert_at", false, [&](Map& map, auto& handles) {
        map.insert_at({5, handles[5].version() + 2}, value_of(value));
    });
    strong_described("reserve_handle", true, [](Map& map, auto&) { map.reserve_handle(); });
    strong_described("fulfill", false, [&](Map& map, auto&) {
        const auto handle = map.reserve_handle();
        const ScopeGuard undo([&]() noexcept { map.cancel(handle); });
        map.fulfill(handle, value_of(value));
    });
    strong_described("erase_reserved", false, [](Map& map, auto& handles) { map.erase_reserved(handles[9]); });
    strong_described("extract_reserved", false,
                     [](Map& map, auto& handles) { static_cast<void>(map.extract_reserved(handles[9])); });
    Handles handles;
    Map map = sample(handles, false);
    calls_nothing_that_throws(swept<Map>("erase"), [&] { map.erase(handles[7]); });
    calls_nothing_that_throws(swept<Map>("erase_at"), [&] { map.erase_at(handles[8].index()); });
    REQUIRE(map.size() == 61);
}

TEST_CASE("insert_range into a described slot map that throws leaves what was inserted before",
          "[any_slot_map][throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>("insert_range"), [](auto&& attempt) {
        Handles handles;
        Map map = sample(handles, true);
        const std::array<Throwing, 3> values{Throwing(70), Throwing(71), Throwing(72)};
        std::array<AnyValue, 3> range{value_of(values[0]), value_of(values[1]), value_of(values[2])};
        const bool threw = attempt([&] { map.insert_range(range); });
        REQUIRE(map.check_invariants());
        const std::size_t added = map.size() - handles.size();
        REQUIRE((added == 3) == !threw);
        for (std::size_t i = 0; i != added; ++i)
            REQUIRE(at(map, map.handle_at(static_cast<slot_t>(handles.size() + i))).value() == values[i].value());
    });
    REQUIRE(failures > 3);
}

TEST_CASE("swap_values of described elements that throws leaves both elements", "[any_slot_map][throwing][throws]") {
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<Map>("swap_values"), [](auto&& attempt) {
        Handles handles;
        Map map = sample(handles, false);
        const bool threw = attempt([&] { map.swap_values(handles[1], handles[2]); });
        REQUIRE((map.size() == 63 && map.check_invariants()));
        if (threw)
            Census::forget_errors(); // a swap that stops half way is the values' own business
        else
            REQUIRE((at(map, handles[1]).value() == 2 && at(map, handles[2]).value() == 1));
    });
    REQUIRE(failures > 0);
}

TEST_CASE("shrink_to_fit of a described slot map that throws keeps every element", "[any_slot_map][throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>("shrink_to_fit"), [](auto&& attempt) {
        Handles handles;
        Map map = sample(handles, false);
        map.reserve(5000);
        attempt([&] { map.shrink_to_fit(); });
        require_sample(map, handles, false);
        REQUIRE((map.check_invariants() && next_slot(map) == 5));
    });
    REQUIRE(failures > 0);
}

TEST_CASE("a restore that throws leaves a described slot map as it was", "[any_slot_map][throwing][throws]") {
    AnyCodec codec;
    codec.add<Throwing, NumberCodec>();
    Handles other;
    Map source = sample(other, true);
    source.erase(other[9]);
    const auto bytes = source.snapshot(codec);
    strong_described("restore", false, [&](Map& map, auto&) { map.restore(bytes, codec); });
    strong_described("try_restore", false, [&](Map& map, auto&) {
        if (map.try_restore(bytes, codec) != nullptr) FAIL("a sound snapshot is refused");
    });
}

TEST_CASE("a walk over what was there of a described slot map that cannot begin changes nothing",
          "[any_slot_map][throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>("items_present"), [](auto&& attempt) {
        Handles handles;
        Map map = sample(handles, false);
        std::size_t visits = 0;
        const bool threw = attempt([&] {
            for (auto [handle, value] : map.items_present()) visits += map.get(handle) == value;
        });
        REQUIRE(visits == (threw ? 0 : map.size()));
        require_sample(map, handles, false);
    });
    REQUIRE(failures == 1); // the bits; the list of observers is not of this allocator
}

TEST_CASE("an observer that throws while it attaches to a described slot map is not attached",
          "[any_slot_map][throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>("attach"), [](auto&& attempt) {
        Handles handles;
        Map map = sample(handles, false);
        Counted observer;
        ObserverToken token;
        const bool threw = attempt([&] { token = map.attach(observer); });
        REQUIRE(token.attached() == !threw);
        REQUIRE(observer.count == (threw ? 0u : 63u));
        require_sample(map, handles, false);
    });
    REQUIRE(failures > 20);
}
