// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// transform(): a map of other elements under the same handles. HandleBy<H>: maps whose handle type has a name of its own.
#include <slotwise/map/any_slot_map.hpp>
#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/tracked.hpp"

#include <memory>
#include <memory_resource>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

using namespace slotwise;

namespace {

/// Neither copied nor moved.
struct Pinned {
    explicit Pinned(int from) : number(from) {}
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    int number;
};

constexpr HandleLayout brief{.index_bits = 10, .version_bits = 4, .user_bits = 2};

using NodeId = Handle<struct NodeTag>;

/// Histories of inserts, erases, reservations and deferred erases; then both maps answer alike for every handle ever made, and
/// go on alike.
template <class Map>
void same_handles(unsigned seed) {
    using H = typename Map::handle_type;
    std::mt19937 random(seed);
    Map map;
    std::vector<H> made;
    for (int step = 0; step != 600; ++step) {
        const auto dice = random() % 10;
        if (dice < 6 && !map.full())
            made.push_back(map.insert(static_cast<int>(random() % 1000)));
        else if (dice < 9 && !made.empty())
            map.erase(made[random() % made.size()]);
        else if (!made.empty())
            map.erase_reserved(made[random() % made.size()]);
    }
    for (const H handle : made)
        if (map.contains(handle)) map.template column<float>()[handle.index()] = static_cast<float>(map[handle]) / 2;
    std::vector<int> order;
    auto texts = map.transform([&](H handle, const int& value) {
        CHECK(map.at(handle) == value);
        order.push_back(value);
        return std::to_string(value);
    });
    static_assert(std::is_same_v<typename decltype(texts)::handle_type, H>);
    REQUIRE(texts.check_invariants());
    REQUIRE((texts.size() == map.size() && texts.capacity() == map.capacity() && order.size() == map.size()));
    std::size_t at = 0;
    for (const std::string& text : texts) CHECK(text == std::to_string(order[at++]));
    for (const H handle : made) {
        REQUIRE(texts.explain(handle) == map.explain(handle));
        if (!map.contains(handle)) continue;
        CHECK(texts[handle] == std::to_string(map[handle]));
        CHECK(std::as_const(texts).template column<float>()[handle.index()] ==
              std::as_const(map).template column<float>()[handle.index()]);
    }
    for (int step = 0; step != 200; ++step) {
        if (random() % 2 == 0 && !map.full())
            REQUIRE(texts.insert("more") == map.insert(1));
        else if (const H handle = made[random() % made.size()]; random() % 2 == 0)
            REQUIRE(texts.erase(handle) == map.erase(handle));
        else if (map.explain(handle) == HandleStatus::reserved)
            REQUIRE((texts.fulfill(handle, "back") != nullptr) == (map.fulfill(handle, 2) != nullptr));
        else
            REQUIRE(texts.cancel(handle) == map.cancel(handle));
    }
    REQUIRE((texts.size() == map.size() && texts.check_invariants()));
}

} // namespace

TEST_CASE("transform: the new map knows the same handles, stale ones too, and makes the same ones next", "[map]") {
    const unsigned seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u);
    same_handles<SlotMap<int, Column<float>>>(seed);
    same_handles<SlotMap<int, Column<float>, Options<SlotMapOptions{.handle = brief, .reuse = Reuse::lifo}>>>(seed);
    same_handles<SlotMap<int, Column<float>, Options<SlotMapOptions{.handle = brief, .reuse = Reuse::fifo}>>>(seed);
    same_handles<SlotMap<int, Column<float>, Options<SlotMapOptions{.handle = brief, .first_slot = 1}>, Tag<Pinned>>>(seed);
    same_handles<DenseSlotMap<int, Column<float>>>(seed);
    same_handles<DenseSlotMap<int, Column<float>, Options<SlotMapOptions{.handle = brief, .reuse = Reuse::lifo}>>>(seed);
}

TEST_CASE("transform: values are moved out of an rvalue, which is empty then", "[map]") {
    SlotMap<std::unique_ptr<int>> map;
    const auto a = map.insert(std::make_unique<int>(1)), b = map.insert(std::make_unique<int>(2));
    map.erase(a);
    int* const address = map[b].get();
    auto shared = std::move(map).transform([](std::unique_ptr<int>&& value) { return std::shared_ptr<int>(std::move(value)); });
    CHECK((map.empty() && shared.size() == 1 && shared[b].get() == address && !shared.contains(a)));
    CHECK(!map.contains(b)); // NOLINT(bugprone-use-after-move): empty and usable
}

TEST_CASE("transform: elements that do not move are built in place, and allocators go along", "[map]") {
    std::pmr::monotonic_buffer_resource memory;
    SlotMap<int, AllocBy<std::pmr::polymorphic_allocator<int>>> map(&memory);
    const auto a = map.insert(7);
    const auto pinned = map.transform([](int value) { return Pinned(value); });
    CHECK((pinned[a].number == 7 && pinned.get_allocator().resource() == &memory));
    static_assert(
        std::is_same_v<std::remove_const_t<decltype(pinned)>,
                       SlotMap<Pinned, AllocBy<std::pmr::polymorphic_allocator<int>>, HandleBy<decltype(map)::handle_type>>>);
    using Waiting = SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve, .max_slots = 1000}>>;
    Waiting reserved;
    const auto b = reserved.insert(3);
    CHECK(reserved.transform([](int value) { return value / 2.0; })[b] == 1.5);
}

TEST_CASE("transform: whatever throws, the map is as before and nothing leaks", "[map]") {
    test::NothingLeaks scope;
    const auto sweep = [](auto empty, const char* name) {
        using Map = decltype(empty);
        std::size_t failures = test::fail_at_every_step(test::swept<Map>(name), [](auto&& attempt) {
            Map map;
            std::vector<typename Map::handle_type> handles;
            for (int i = 0; i != 70; ++i) handles.push_back(map.insert(test::Throwing(i)));
            map.erase(handles[3]);
            attempt([&] {
                const auto next = map.transform([](const test::Throwing& value) { return test::Throwing(value.value() + 1); });
                CHECK((next[handles[9]].value() == 10 && !next.contains(handles[3])));
            });
            CHECK((map.size() == 69 && map[handles[9]].value() == 9));
        });
        CHECK(failures >= 69);
        failures = test::fail_at_every_step(test::swept<Map>(name), [](auto&& attempt) {
            Map map;
            std::vector<typename Map::handle_type> handles;
            for (int i = 0; i != 70; ++i) handles.push_back(map.insert(test::Throwing(i)));
            const bool threw = attempt([&] {
                const auto next =
                    std::move(map).transform([](test::Throwing&& value) { return test::Throwing(std::move(value)); });
                CHECK((next[handles[9]].value() == 9 && next.size() == 70));
            });
            CHECK(map.size() == (threw ? 70u : 0u)); // NOLINT(bugprone-use-after-move)
        });
        CHECK(failures >= 69);
    };
    sweep(SlotMap<test::Throwing>(), "transform");
    sweep(DenseSlotMap<test::Throwing>(), "transform");
}

TEST_CASE("transform: a function that changes the map ends the program", "[map][death]") {
    SlotMap<int> map{1, 2};
    CHECK(test::dies_saying("transform(f): f changes the map", [&] {
        static_cast<void>(map.transform([&](int value) {
            if (value == 1) map.insert(5);
            return value;
        }));
    }));
}

TEST_CASE("HandleBy: the handles of a slot map have the type that is named", "[map]") {
    SlotMap<int, HandleBy<NodeId>> map;
    DenseSlotMap<int, HandleBy<NodeId>> dense;
    SoaSlotMap<int, float>::handle_type();
    BasicSoaSlotMap<Members<int, float>, HandleBy<NodeId>> soa;
    HandlePool<int, HandleBy<NodeId>> pool;
    BasicAnySlotMap<HandleBy<NodeId>> any(TypeDescriptor::of<int>());
    const int value = 4;
    const NodeId handles[] = {map.insert(4), dense.insert(4), soa.insert({4, 1.0f}), pool.create(), any.insert(&value)};
    for (const NodeId each : handles) CHECK((each == handles[0] && map.contains(each) && pool.contains(each)));
    static_assert(std::is_same_v<HandleOf<SlotMap<Pinned, HandleBy<NodeId>>>, NodeId>);
    using Small = Handle<struct SmallTag, brief>;
    SlotMap<int, HandleBy<Small>> small;
    static_assert(decltype(small)::options.handle == brief && decltype(small)::max_size() == 1024);
    using Lifo = SlotMap<int, Options<SlotMapOptions{.handle = brief, .reuse = Reuse::lifo}>, HandleBy<Small>>;
    static_assert(Lifo::options.reuse == Reuse::lifo);
    CHECK(small.insert(1) == Lifo().insert(1));
}
