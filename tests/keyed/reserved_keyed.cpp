// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Growth::reserve: keys, values, columns and times of keyed containers, series and slot maps are one array each, which never
// moves.
#include <slotwise/slotwise.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <memory>
#include <string>

#if SLOTWISE_VIRTUAL_MEMORY

using namespace slotwise;

namespace {

constexpr KeySetOptions one_run{.max_slots = 1 << 20, .growth = Growth::reserve};
constexpr KeySetOptions deferred_run{.deferred_erase = true, .max_slots = 1 << 20, .growth = Growth::reserve};
constexpr SeriesOptions series_run{.max_slots = 1 << 20, .growth = Growth::reserve};
constexpr SlotMapOptions slot_run{.growth = Growth::reserve, .max_slots = 1 << 20};
struct Wide {
    std::uint64_t number = 0;
    char rest[56] = {};
};
constexpr int many = 20'000; // several pages and growths of each array

/// A view whose values lie in one array, in chunks as in a loop.
template <class View>
bool is_one_run(const View& view, std::size_t slots) {
    std::size_t chunks = 0, seen = 0;
    for (const auto& chunk : view.chunks()) {
        ++chunks;
        seen += chunk.values.size();
    }
    return chunks == 1 && seen == slots;
}

} // namespace

TEST_CASE("Growth::reserve makes the keys of a set one array, which growth does not move", "[reserved]") {
    SetStorage<int, Options<one_run>> set{0};
    const int* const first = set.key_span().data();
    for (int i = 1; i != many; ++i) set.insert(i);
    CHECK((set.key_span().data() == first && set.key_span().size() == many));
    for (int i = 0; i != many; ++i)
        if (set.key_span()[static_cast<std::size_t>(i)] != i) FAIL("slot " << i);
    CHECK(is_one_run(set.keys(), many));
    CHECK(set.max_size() == std::size_t{1} << 20);
    CHECK(set.check_invariants());
}

TEST_CASE("Growth::reserve makes values and columns of every kind one array each", "[reserved]") {
    using Map = MapStorage<std::string, Wide, Column<float>, Column<std::string>, Options<one_run>>;
    Map map;
    map.try_emplace("0");
    const auto* const values = map.slot_span().data();
    const auto* const numbers = map.slot_span<float>().data();
    const auto* const texts = map.slot_span<std::string>().data();
    for (int i = 1; i != many; ++i) {
        const auto [it, inserted] = map.try_emplace(std::to_string(i), Wide{static_cast<std::uint64_t>(i), {}});
        map.column<float>()[it.handle()] = static_cast<float>(i);
        map.column<std::string>()[it.handle()] = it->key;
    }
    CHECK((map.slot_span().data() == values && map.slot_span<float>().data() == numbers));
    CHECK(std::as_const(map).slot_span<std::string>().data() == texts);
    CHECK((is_one_run(map.values(), many) && is_one_run(map.column<float>(), many)));
    CHECK((is_one_run(map.column<std::string>(), many) && is_one_run(map.keys(), many)));
    for (const auto slot : map.slots())
        if (map.slot_span<std::string>()[slot] != std::to_string(slot) && slot != 0) FAIL("slot " << slot);
    CHECK(std::as_const(map).slot_span().size() == many);
    map.erase("5");
    map.try_emplace("again", Wide{7, {}});
    CHECK(map.slot_span()[5].number == 7);

    const Map copy = map;
    CHECK((copy.check_invariants() && copy.slot_span().data() != values && copy.size() == map.size()));
    const Map moved = std::move(map);
    CHECK((moved.slot_span().data() == values && moved.check_invariants())); // a move takes the array along
}

TEST_CASE("a container with Growth::reserve shrinks, clears, resets and is restored like one with pages", "[reserved]") {
    using Map = MapStorage<int, std::uint64_t, Column<float>, Options<one_run>>;
    using Paged = MapStorage<int, std::uint64_t, Column<float>>;
    Map map;
    Paged paged;
    for (int i = 0; i != many; ++i) {
        map.try_emplace(i, static_cast<std::uint64_t>(i));
        paged.try_emplace(i, static_cast<std::uint64_t>(i));
    }
    CHECK(map.snapshot() == paged.snapshot()); // growth is no part of the state
    Map restored;
    restored.restore(paged.snapshot());
    CHECK((restored == map && restored.check_invariants()));
    for (int i = 100; i != many; ++i) map.erase(i);
    map.shrink_to_fit();
    CHECK((map.capacity() < many && map.check_invariants() && map.at(99) == 99));
    map.clear();
    map.try_emplace(1, 1u);
    map.reset();
    CHECK((map.capacity() == 0 && map.slot_span().empty()));
    map.reserve(1000);
    CHECK((map.capacity() >= 1000 && map.check_invariants()));
    swap(map, restored);
    CHECK((map.size() == many && restored.empty()));
}

TEST_CASE("the slots of a container with Growth::reserve are those of its widest column", "[reserved][throws]") {
    struct Page {
        char bytes[4096];
    };
    using Map = MapStorage<std::uint64_t, Page, Options<KeySetOptions{.growth = Growth::reserve}>>;
    CHECK(Map::max_size() == ReservedArray<Page>::max_slots);
    CHECK(SlotMap<int, Column<Page>, Options<SlotMapOptions{.growth = Growth::reserve}>>::max_size() ==
          ReservedArray<Page>::max_slots);
    constexpr KeySetOptions few{.handle = {16, 16}, .growth = Growth::reserve};
    using Small = SetStorage<int, Column<double>, Options<few>>;
    CHECK(Small::max_size() == SetStorage<int, Options<KeySetOptions{.handle = {16, 16}}>>::max_size());
    constexpr KeySetOptions ten{.max_slots = 10, .growth = Growth::reserve};
    MapStorage<int, int, Options<ten>> full;
    for (int i = 0; i != 10; ++i) full.try_emplace(i, i);
#if defined(__cpp_exceptions)
    CHECK_THROWS_AS(full.try_emplace(10, 10), std::length_error);
    CHECK_THROWS_AS(full.reserve(11), std::length_error);
#endif
    CHECK((full.size() == 10 && full.check_invariants()));
}

TEST_CASE("values of Growth::reserve are built by the container's allocator, which gives no memory for them", "[reserved]") {
    using Allocator = test::StatefulAllocator<int>;
    using Map = MapStorage<int, int, AllocBy<Allocator>, Column<double>, Options<one_run>>;
    test::EveryByteReturned bytes;
    Map map{Allocator(3)}, other{Allocator(4)};
    for (int i = 0; i != 1000; ++i) map.try_emplace(i, i);
    Map copy(map, Allocator(4));
    CHECK((copy.check_invariants() && copy == map && copy.get_allocator() == Allocator(4)));
    other = std::move(map); // unequal: values are moved one by one
    CHECK((other.size() == 1000 && other.at(7) == 7 && other.check_invariants()));
}

TEST_CASE("deferred erase and series keep their elements in one array with Growth::reserve", "[reserved]") {
    MapStorage<int, std::string, Options<deferred_run>> map;
    for (int i = 0; i != many; ++i) map.try_emplace(i, std::to_string(i));
    const auto* const first = map.slot_span().data();
    map.erase(3);
    CHECK((map.slot_span()[3] == "3" && map.pending() == 1));
    map.flush_removed();
    CHECK((map.slot_span().data() == first && map.check_invariants()));

    TSDStorage<int, double, Column<float>, Options<series_run>> prices;
    TSSStorage<int, Options<series_run>> names;
    {
        auto write = prices.write(1);
        for (int i = 0; i != many; ++i) write.set(i, i * 0.5);
        auto add = names.write(1);
        for (int i = 0; i != many; ++i) add.add(i);
    }
    CHECK((is_one_run(prices.values(), many) && is_one_run(prices.as_map().as_set().keys(), many) &&
           is_one_run(names.as_set().keys(), many)));
    CHECK(is_one_run(prices.column<float>(), many));
    CHECK((prices.check_invariants() && names.check_invariants()));
}

TEST_CASE("the times of a series with Growth::reserve are one array, whatever its windows do", "[reserved]") {
    using Prices = TSDStorage<int, double, Options<series_run>>;
    Prices prices;
    TSDStorage<int, double> in_pages;
    TSSStorage<int, Options<series_run>> names;
    CHECK((prices.time_span().empty() && names.time_span().empty()));
    prices.write(1).set(0, 0.0);
    in_pages.write(1).set(0, 0.0);
    names.write(1).add(0);
    const auto *const first = prices.time_span().data(), *const first_name = names.time_span().data();
    const auto agree = [&] {
        const auto times = prices.time_span();
        REQUIRE((times.data() == first && times.size() == prices.occupancy().size()));
        for (slot_t slot = 0; slot != static_cast<slot_t>(times.size()); ++slot) {
            REQUIRE(prices.state(slot) == in_pages.state(slot));
            if (prices.state(slot) == SlotState::free) continue;
            REQUIRE((times[slot] == prices.last_modified_at(slot) && times[slot] == in_pages.last_modified_at(slot)));
        }
        REQUIRE(prices.stamps().pages().ptr(0) == first);
    };
    std::uint32_t random = 1;
    for (std::int64_t time = 2; time != 60; ++time) {
        auto w = prices.write(time);
        auto other = in_pages.write(time);
        auto name = names.write(time);
        for (int n = 0; n != 500; ++n) {
            random = random * 1664525u + 1013904223u;
            const int key = static_cast<int>(random >> 16) % many;
            if (n % 4 == 0)
                w.remove(key), other.remove(key), name.remove(key);
            else if (n % 7 == 0)
                w.create(key), other.create(key);
            else
                w.set(key, n), other.set(key, n), name.add(key);
        }
        agree();
    }
    CHECK((names.time_span().data() == first_name && names.time_span().size() > 1000));
    for (const slot_t slot : names.live_slots()) REQUIRE(names.time_span()[slot] == names.last_modified_at(slot));

    const auto bytes = prices.snapshot();
    CHECK(in_pages.snapshot() == bytes); // where they lie is in no bytes
    const Prices copy = prices;
    CHECK((copy.time_span().data() != first && copy.time_span().size() == prices.time_span().size()));
    for (const slot_t slot : copy.live_slots()) REQUIRE(copy.time_span()[slot] == prices.time_span()[slot]);
    const Prices moved = std::move(prices);
    CHECK((moved.time_span().data() == first && moved.check_invariants()));
    Prices restored;
    restored.restore(bytes);
    CHECK((restored == moved && restored.snapshot() == bytes));
    restored.write(100).clear();
    static_cast<void>(restored.write(101));
    restored.shrink_to_fit();
    CHECK((restored.time_span().empty() && restored.check_invariants()));
    restored.write(102).set(1, 1);
    CHECK((restored.time_span().size() == 1 && restored.time_span()[0] == 102));
}

TEST_CASE("the columns of a SlotMap with Growth::reserve are one array each, and stay where they are", "[reserved]") {
    SlotMap<int, Column<Wide>, Column<std::unique_ptr<int>>, Options<slot_run>> map;
    const auto handle = map.insert(0);
    const auto* const wides = map.slot_span<Wide>().data();
    for (int i = 1; i != many; ++i) {
        const auto made = map.insert(i);
        map.column<std::unique_ptr<int>>()[made] = std::make_unique<int>(i);
    }
    CHECK((map.slot_span<Wide>().data() == wides && std::as_const(map).slot_span<Wide>().size() == many));
    CHECK(*map.slot_span<std::unique_ptr<int>>()[77] == 77);
    CHECK((is_one_run(map.column<Wide>(), many) && map.contains(handle) && map.check_invariants()));
}

TEST_CASE("a column by itself that was made with Growth::reserve follows a map with pages", "[reserved]") {
    SlotMap<int> map;
    DynamicColumn<ValueArray<std::string, std::allocator<std::string>, Growth::reserve, 1 << 20>> names;
    const auto token = map.attach(names);
    for (int i = 0; i != many; ++i) names.column()[map.insert(i).index()] = std::to_string(i);
    CHECK(names.column().data()[many - 1] == std::to_string(many - 1));
    CHECK(names.column().capacity_for(many) >= many);
    ValueArray<std::string, std::allocator<std::string>, Growth::reserve, 1 << 20> taken(std::move(names.column()));
    CHECK(taken.data()[5] == "5");
}

#endif
