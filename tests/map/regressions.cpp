// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Defects of other slot maps that this library must not have, one named test each; and those that it had.
#include <slotwise/map/secondary_map.hpp> // before everything else, see its test

#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <optional>

namespace {

using namespace test;

template <class Storage, class T, Exhaustion E = Exhaustion::retire>
using Narrow = typename Storage::template map<
    T, SlotMapOptions{.handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}, .exhaustion = E, .page_slots = 64}>;

} // namespace

TEMPLATE_TEST_CASE("contains and get agree on a slot that was erased at its last version", "[regressions]", ALL_STORAGES) {
    Narrow<TestType, int> map;
    std::vector<typename decltype(map)::handle_type> all;
    while (map.retired() == 0) {
        all.push_back(put(map, 1));
        map.erase(all.back());
    }
    REQUIRE(all.size() == 8);
    for (const auto handle : all) {
        REQUIRE_FALSE(map.contains(handle));
        REQUIRE(map.get(handle) == nullptr);
        REQUIRE_FALSE(map.erase(handle));
        REQUIRE_FALSE(put_at(map, handle, 2));
        REQUIRE_THROWS_AS(map.at(handle), std::out_of_range);
    }
}

TEMPLATE_TEST_CASE("a copy copies no dead element and leaks none", "[regressions]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    const auto a = put(map, 1), b = put(map, 2), c = put(map, 3);
    map.erase(a);
    map.erase(c);
    const auto before = objects.alive();
    auto copy = std::make_unique<decltype(map)>(map);
    REQUIRE(objects.alive() == 2 * before);
    REQUIRE(number_of(*copy, b) == 2);
    copy.reset();
    REQUIRE(objects.alive() == before);
}

TEMPLATE_TEST_CASE("vacated slots of a copy are used again, and self-assignment empties nothing", "[regressions]",
                   ALL_STORAGES) {
    typename TestType::template map<int> map;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 60; ++i) handles.push_back(put(map, i));
    for (std::size_t i = 0; i != 60; i += 2) map.erase(handles[i]);
    auto copy = map;
    for (int i = 0; i != 30; ++i) REQUIRE(put(copy, i).index() < 60);
    REQUIRE(copy.size() == 60);
    const auto& alias = map;
    map = alias;
    REQUIRE(map.size() == 30);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("shrink_to_fit releases pages that are merely empty, and their old handles stay stale", "[regressions]",
                   test::Paged, test::Reserved, test::Dense, test::Soa) {
    typename TestType::template map<int, SlotMapOptions{.page_slots = 64}> map;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 100'000; ++i) handles.push_back(put(map, i));
    const auto most = map.capacity();
    for (std::size_t i = 10; i != handles.size(); ++i) map.erase(handles[i]);
    map.shrink_to_fit();
    REQUIRE(map.capacity() < most / 4);
    for (int i = 0; i != 100'000; ++i) put(map, -1);
    for (std::size_t i = 10; i != handles.size(); ++i) REQUIRE_FALSE(map.contains(handles[i]));
    for (std::size_t i = 0; i != 10; ++i) REQUIRE(number_of(map, handles[i]) == static_cast<int>(i));
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("a throwing constructor leaves no slot marked live without an object", "[regressions]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Throwing> map;
    const auto kept = put(map, 1);
    Budget::arm(0);
    REQUIRE_THROWS_AS(put_in_place(map, 2), InjectedFailure);
    Budget::disarm();
    REQUIRE(map.size() == 1);
    std::size_t visited = 0;
    for (const auto handle : map.handles()) visited += handle == kept;
    REQUIRE(visited == 1);
    REQUIRE(map.occupancy().count() == 1);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("the value-initialised handle is never valid", "[regressions]", ALL_STORAGES) {
    Narrow<TestType, int, Exhaustion::wrap> map;
    const typename decltype(map)::handle_type null{};
    for (int i = 0; i != 300; ++i) { // over every version of slot 0
        REQUIRE_FALSE(map.contains(null));
        const auto handle = put(map, i);
        REQUIRE(handle != null);
        REQUIRE_FALSE(map.contains(null));
        REQUIRE(map.get(null) == nullptr);
        REQUIRE(map.explain(null) == HandleStatus::null);
        map.erase(handle);
    }
}

TEMPLATE_TEST_CASE("clear makes every handle stale: none names what comes after", "[regressions]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    std::vector<typename decltype(map)::handle_type> old;
    for (int round = 0; round != 5; ++round) {
        const auto first_of_round = old.size();
        for (int i = 0; i != 70; ++i) old.push_back(put(map, round));
        for (std::size_t i = 0; i != first_of_round; ++i) REQUIRE_FALSE(map.contains(old[i]));
        map.clear();
        REQUIRE(map.check_invariants());
    }
    for (const auto handle : old) REQUIRE(map.explain(handle) == HandleStatus::stale);
}

TEMPLATE_TEST_CASE("a forged version resolves nowhere: not that of a vacant slot, nor a future one", "[regressions]",
                   ALL_STORAGES) {
    typename TestType::template map<int> map;
    using handle_type = typename decltype(map)::handle_type;
    const auto live = put(map, 1), gone = put(map, 2);
    map.erase(gone);
    for (std::uint32_t version = 0; version != 50; ++version) {
        REQUIRE(map.contains(handle_type(live.index(), version)) == (version == live.version()));
        REQUIRE_FALSE(map.contains(handle_type(gone.index(), version)));
        REQUIRE_FALSE(map.contains(handle_type(7, version)));
    }
}

TEMPLATE_TEST_CASE("a slot retires at its last version instead of starting again", "[regressions]", ALL_STORAGES) {
    Narrow<TestType, int> map;
    std::vector<typename decltype(map)::handle_type> all;
    for (;;) {
        if (map.retired() == decltype(map)::max_size()) break;
        all.push_back(put(map, 1));
        map.erase(all.back());
    }
    REQUIRE(all.size() == 256 * 8);
    std::sort(all.begin(), all.end());
    REQUIRE(std::adjacent_find(all.begin(), all.end()) == all.end());
    REQUIRE_THROWS_AS(put(map, 1), std::length_error);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("a throw in the middle of an emplace leaves values and their bookkeeping in step", "[regressions][throws]",
                   test::Dense, test::Soa) {
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<typename TestType::template map<Throwing>>("insert"), [](auto&& attempt) {
        typename TestType::template map<Throwing> map;
        for (int i = 0; i != 16; ++i) put(map, i); // full: the next one grows
        const bool threw = attempt([&] { put(map, 99); });
        REQUIRE(map.size() == (threw ? 16 : 17));
        for (std::size_t row = 0; row != map.size(); ++row) REQUIRE(map.index_of(map.handle_of_row(row)) == row);
        REQUIRE(map.check_invariants());
    });
    REQUIRE(failures > 10);
}

TEMPLATE_TEST_CASE("a reserved handle whose owner forgot it is not lost: clear takes it back, a snapshot keeps it",
                   "[regressions]", ALL_STORAGES) {
    Narrow<TestType, int> map;
    for (std::size_t i = 0; i != decltype(map)::max_size(); ++i) map.reserve_handle();
    REQUIRE_THROWS_AS(put(map, 1), std::length_error);
    const auto bytes = map.snapshot();
    map.clear();
    for (std::size_t i = 0; i != decltype(map)::max_size(); ++i) put(map, 1);
    REQUIRE(map.size() == decltype(map)::max_size());
    map.restore(bytes);
    REQUIRE(map.empty());
    REQUIRE(map.state(7) == SlotState::reserved);
    REQUIRE(fulfill(map, typename decltype(map)::handle_type(7, 1), 5));
    REQUIRE(map.check_invariants());
}

TEST_CASE("erase and insert beside a long run of holes cost no walk along it", "[regressions]") {
    // A skip field would be rewritten along the run each time; a bit is not. 300'000 pairs beside 600'000 holes are over in no
    // time.
    SlotMap<char> map;
    std::vector<SlotMap<char>::handle_type> handles;
    for (int i = 0; i != 600'002; ++i) handles.push_back(map.insert('x'));
    for (std::size_t i = 1; i != 600'001; ++i) map.erase(handles[i]);
    for (int i = 0; i != 300'000; ++i) {
        const auto handle = map.insert('y');
        REQUIRE_FALSE(handle.index() != 1);
        map.erase(handle);
    }
    REQUIRE(map.size() == 2);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("an index beyond the capacity is answered, not read", "[regressions]", ALL_STORAGES) {
    using Map = typename TestType::template map<int>;
    Map map;
    for (const slot_t index : {0u, 1u, 63u, 64u, 65u, 1u << 20, 0x7FFF'FFFFu, 0xFFFF'FFFEu, 0xFFFF'FFFFu})
        for (const std::uint32_t version : {0u, 1u, 2u, 0xFFFF'FFFFu}) {
            const typename Map::handle_type handle(index, version);
            REQUIRE_FALSE(map.contains(handle));
            REQUIRE(map.get(handle) == nullptr);
            REQUIRE_FALSE(map.erase(handle));
            REQUIRE_FALSE(map.extract(handle).has_value());
            REQUIRE_FALSE(map.cancel(handle));
            REQUIRE_FALSE(fulfill(map, handle, 1));
            REQUIRE(map.explain(handle) == (handle.is_null() ? HandleStatus::null : HandleStatus::out_of_range));
            REQUIRE(map.state(index) == SlotState::free);
        }
    REQUIRE(map.capacity() == 0);
}

namespace {

/// Asks the map for every element that it is notified of.
template <class Map>
struct Asking final : SlotObserver {
    Map* map = nullptr;
    std::vector<typename Map::handle_type> handles{};
    std::size_t there = 0, told = 0;
    void on_remove(slot_t) noexcept override { ++told; }
    void on_clear(Occupancy live) noexcept override {
        for (const auto handle : handles) there += live.test(handle.index()) && number_of(*map, handle) == 5;
        told += live.count();
    }
};

} // namespace

TEMPLATE_TEST_CASE("observers of the target of a move assignment are notified while the old elements are there",
                   "[regressions]", ALL_STORAGES) {
    using Map = typename TestType::template map<int>;
    Map target, source;
    Asking<Map> asking;
    asking.map = &target;
    const auto token = target.attach(asking);
    for (int i = 0; i != 100; ++i) asking.handles.push_back(put(target, 5));
    put(source, 1);
    target = std::move(source);
    REQUIRE(asking.told == 100);
    REQUIRE(asking.there == 100);
    REQUIRE_FALSE(token.attached());
    REQUIRE(target.size() == 1);
}

TEST_CASE("the header of SecondaryMap needs no other one for its range members", "[regressions]") {
    SlotMap<int> map;
    const std::vector<std::pair<decltype(map)::handle_type, int>> pairs{{map.insert(1), 10}, {map.insert(2), 20}};
    SecondaryMap<decltype(map)::handle_type, int> more;
    more.insert(pairs.begin(), pairs.end());
    const SecondaryMap<decltype(map)::handle_type, int> listed{pairs[0], pairs[1]};
    CHECK((more.size() == 2 && more == listed));
}
