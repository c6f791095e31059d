// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/pmr.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>

#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/snapshots.hpp"

#include <algorithm>
#include <iterator>
#include <memory_resource>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

using namespace slotwise;

namespace {

struct Body; // never defined: it only keeps handles apart
using Pool = HandlePool<Body>;
using H = Pool::handle_type;

static_assert(std::bidirectional_iterator<Pool::iterator> && std::is_same_v<Pool::value_type, H>);
static_assert(!std::is_same_v<H, HandlePool<struct OtherBody>::handle_type>);
static_assert(!std::is_same_v<H, SlotMap<int>::handle_type>);
static_assert(!std::is_same_v<H, HandlePool<Body, Tag<struct Second>>::handle_type>);
static_assert(std::is_same_v<HandleOf<HandlePool<Body>>, H>);

} // namespace

TEST_CASE("a handle of a pool is live from create to erase, and never again", "[pool]") {
    Pool pool;
    int bodies[3] = {};
    const H a = pool.create(), b = pool.create(), c = pool.create();
    for (const H handle : {a, b, c}) bodies[handle.index()] = static_cast<int>(handle.index()) + 10;
    REQUIRE((pool.size() == 3 && bodies[b.index()] == 11));
    REQUIRE((pool.erase(b) && !pool.erase(b) && !pool.contains(b)));
    REQUIRE(pool.explain(b) == HandleStatus::stale);
    REQUIRE(pool.explain({}) == HandleStatus::null);
    REQUIRE(pool.state(b.index()) == SlotState::free);
    const H again = pool.create();
    REQUIRE((again.index() == b.index() && again != b && pool.contains(again) && !pool.contains(b)));
    REQUIRE((pool.handle_at(again.index()) == again && pool.handle_at(7).is_null()));
    REQUIRE(pool.check_invariants());
}

TEST_CASE("handles and iterators of a pool survive growth, and the erase of others", "[pool]") {
    Pool pool;
    std::vector<H> handles;
    for (int i = 0; i != 10; ++i) handles.push_back(pool.create());
    auto it = pool.begin();
    for (int i = 0; i != 5000; ++i) pool.create();
    pool.reserve(100'000);
    for (const H handle : handles) REQUIRE(pool.contains(handle));
    REQUIRE(*it == handles[0]);
    pool.erase(handles[0]);
    REQUIRE(*++it == handles[1]);
    for (std::size_t i = 1; i != handles.size(); ++i) REQUIRE(pool.contains(handles[i]));
    REQUIRE(*--pool.end() == pool.handle_at(5009));
    REQUIRE(static_cast<std::size_t>(std::distance(pool.begin(), pool.end())) == pool.size());
}

TEST_CASE("a walk over a pool meets the live handles in slot order; for_each may erase what it is given", "[pool]") {
    static_assert(noexcept(std::declval<Pool&>().erase({}))&& noexcept(std::declval<Pool&>().clear()));
    Pool pool;
    std::vector<H> handles;
    for (int i = 0; i != 300; ++i) handles.push_back(pool.create());
    for (std::size_t i = 0; i != 300; ++i)
        if (i % 3 == 0 || i / 64 == 2) pool.erase(handles[i]);
    std::vector<H> live;
    for (const H handle : handles)
        if (pool.contains(handle)) live.push_back(handle);
    REQUIRE(std::equal(pool.begin(), pool.end(), live.begin(), live.end()));
    std::vector<slot_t> slots(pool.slots().begin(), pool.slots().end());
    REQUIRE(std::equal(slots.begin(), slots.end(), live.begin(), live.end(),
                       [](slot_t slot, H handle) { return slot == handle.index(); }));
    std::size_t met = 0;
    pool.for_each([&](H handle) {
        REQUIRE(handle == live[met++]);
        if (met % 2 == 0) pool.erase(handle);
    });
    REQUIRE((met == live.size() && pool.size() == live.size() - live.size() / 2));
    REQUIRE(erase_if(pool, [](H handle) { return handle.index() < 100; }) > 0);
    REQUIRE((*pool.begin()).index() >= 100);
    pool.clear();
    REQUIRE((pool.empty() && pool.begin() == pool.end() && pool.check_invariants()));
    for (const H handle : handles) REQUIRE_FALSE(pool.contains(handle));
}

TEST_CASE("a pool of narrow handles retires slots, and answers any bits", "[pool]") {
    HandlePool<Body, Options<SlotMapOptions{.handle = {4, 4, 8}, .max_slots = 10}>> pool;
    using Narrow = decltype(pool)::handle_type;
    std::set<Narrow> issued;
    while (const Narrow handle = pool.try_create()) {
        REQUIRE(issued.insert(handle).second); // never twice
        pool.erase(handle);
    }
    REQUIRE((issued.size() == 80 && pool.retired() == 10 && pool.empty())); // 8 odd versions of 4 bits, 10 slots
    for (unsigned bits = 0; bits != 65536; ++bits)
        if (pool.contains(Narrow::from_bits(static_cast<std::uint16_t>(bits)))) FAIL("a dead handle is found");
    REQUIRE((pool.recycle_retired() == 10 && !pool.try_create().is_null() && pool.check_invariants()));
}

TEST_CASE("columns and observers follow a pool", "[pool]") {
    struct Counter final : SlotObserver {
        int live = 0;
        void on_insert(slot_t, InsertKind) override { ++live; }
        void on_erase(slot_t) noexcept override { --live; }
        void on_clear(Occupancy slots) noexcept override { live -= static_cast<int>(slots.count()); }
    };
    HandlePool<Body, Column<int>, Column<std::string>> pool;
    Counter counter;
    const auto token = pool.attach(counter);
    SecondaryMap<decltype(pool)::handle_type, double> weights;
    weights.attach_to(pool);
    const auto a = pool.create(), b = pool.create();
    pool.column<int>()[a.index()] = 5;
    pool.column<std::string>()[b.index()] = "b";
    pool.column<0>()[b.index()] = 6;
    weights.try_emplace(a, 1.5);
    REQUIRE((std::as_const(pool).column<int>()[b.index()] == 6 && pool.observer<1>()[b.index()] == "b"));
    REQUIRE(std::as_const(pool).column<1>()[a.index()].empty());
    REQUIRE((counter.live == 2 && weights.contains(a)));
    pool.erase(a);
    REQUIRE((counter.live == 1 && !weights.contains(a)));
    const auto c = pool.create();
    REQUIRE((c.index() == a.index() && pool.column<int>()[c.index()] == 0)); // a new value, not the old one's
    pool.clear();
    REQUIRE(counter.live == 0);
}

TEST_CASE("a pool's snapshot gives the same handles; bytes that it would not write are refused", "[pool]") {
    using Kept = HandlePool<Body, Column<int>>;
    Kept pool;
    std::vector<Kept::handle_type> handles;
    for (int i = 0; i != 100; ++i) {
        handles.push_back(pool.create());
        pool.column<int>()[static_cast<slot_t>(i)] = i;
    }
    for (std::size_t i = 0; i < 100; i += 3) pool.erase(handles[i]);
    const auto bytes = pool.snapshot();
    Kept other;
    other.create();
    other.restore(bytes);
    REQUIRE((other == pool && other.check_invariants() && other.snapshot() == bytes));
    REQUIRE(other.column<int>()[50] == 50);
    for (int i = 0; i != 50; ++i) REQUIRE(other.create() == pool.create());
    for (std::size_t cut = 0; cut != bytes.size(); ++cut) REQUIRE(other.try_restore(std::span(bytes).first(cut)) != nullptr);
    const auto longer = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
    REQUIRE(other.try_restore(longer) != nullptr);
    REQUIRE(other == pool);
    const auto later = pool.reserve_handle(), away = handles[1];
    REQUIRE(pool.erase_reserved(away));
    other.restore(pool.snapshot());
    REQUIRE((other.explain(later) == HandleStatus::reserved && other.explain(away) == HandleStatus::reserved));
    REQUIRE((other.fulfill(away) && other.cancel(later) && other.contains(away) && other.check_invariants()));
}

TEST_CASE("reserve_handle, erase_reserved, fulfill and cancel: a pool's handle that is kept is live again", "[pool]") {
    Pool pool;
    const auto later = pool.reserve_handle(), kept = pool.create();
    REQUIRE((!pool.contains(later) && pool.explain(later) == HandleStatus::reserved && pool.size() == 1));
    REQUIRE((pool.erase_reserved(kept) && !pool.erase_reserved(kept) && !pool.contains(kept) && pool.empty()));
    const auto other = pool.create();
    REQUIRE((other.index() != kept.index() && other.index() != later.index()));
    REQUIRE_FALSE(pool.insert_at(kept));
    REQUIRE((pool.fulfill(kept) && pool.fulfill(later) && !pool.fulfill(kept)));
    REQUIRE((pool.contains(kept) && pool.contains(later) && pool.size() == 3));
    REQUIRE((pool.erase_reserved(kept) && pool.cancel(kept) && !pool.cancel(kept) && !pool.fulfill(kept)));
    const auto next = pool.create();
    REQUIRE((next.index() == kept.index() && next.version() > kept.version() && pool.check_invariants()));
}

TEST_CASE("the length of a pool is set at run time, and kept by copies and restores", "[pool]") {
    Pool pool;
    REQUIRE((pool.set_max_slots(100) && pool.max_slots() == 100 && !pool.full()));
    while (!pool.try_create().is_null()) {}
    REQUIRE((pool.full() && pool.size() == 100 && pool.capacity() == 100 && !pool.insert_at({100, 1})));
    REQUIRE_FALSE(pool.set_max_slots(99)); // its last slot is in use
    const auto bytes = pool.snapshot();
    Pool copy = pool;
    REQUIRE(copy.try_create().is_null());
    pool.erase(pool.handle_at(99));
    REQUIRE((pool.set_max_slots(99) && pool.full() && pool.check_invariants()));
    REQUIRE(pool.try_restore(bytes) != nullptr); // a hundred slots
    REQUIRE((pool.set_max_slots(200) && pool.try_restore(bytes) == nullptr && pool.max_slots() == 200 && !pool.full()));
    REQUIRE((pool == copy && pool.contains(pool.create()) && pool.check_invariants()));
}

TEST_CASE("insert_at restores exactly a handle, and shrink_to_fit forgets none", "[pool]") {
    Pool pool;
    std::vector<H> handles;
    for (int i = 0; i != 1000; ++i) handles.push_back(pool.create());
    const H last = handles.back();
    pool.erase(last);
    REQUIRE((pool.insert_at(last) && pool.contains(last) && !pool.insert_at(last)));
    REQUIRE_FALSE(pool.insert_at({5, 2}));           // even
    REQUIRE_FALSE(pool.insert_at({100'000'000, 1})); // beyond the budget
    REQUIRE((pool.insert_at({2000, 9}) && pool.size() == 1001));
    const auto first = pool.begin();
    for (const H handle : pool)
        if (handle != handles[0]) pool.erase(handle);
    const std::size_t before = pool.memory_usage();
    pool.shrink_to_fit();
    REQUIRE((pool.memory_usage() < before && pool.capacity() <= 128 && *first == handles[0] && pool.contains(handles[0])));
    for (int i = 0; i != 2100; ++i) pool.create();
    for (std::size_t i = 1; i != handles.size(); ++i) REQUIRE_FALSE(pool.contains(handles[i]));
    REQUIRE(pool.check_invariants());
}

TEST_CASE("columns of a pool never move, and copies of it are exact", "[pool]") {
    HandlePool<Body, Column<int>> pool;
    const auto a = pool.create(), b = pool.create();
    int* const address = &pool.column<int>()[a.index()];
    *address = 7;
    for (int i = 0; i != 10'000; ++i) pool.create();
    pool.reserve(100'000);
    pool.erase(b);
    REQUIRE(&pool.column<int>()[a.index()] == address);
    auto copy = pool;
    REQUIRE((copy == pool && copy.column<int>()[a.index()] == 7));
    REQUIRE(copy.create() == pool.create());
    copy.erase(a);
    REQUIRE_FALSE(copy == pool);
    auto moved = std::move(pool);
    REQUIRE(&moved.column<int>()[a.index()] == address);
    swap(moved, copy);
    REQUIRE((copy.contains(a) && !moved.contains(a)));
    copy.erase_if([&](auto handle) { return handle != a; });
    copy.shrink_to_fit();
    REQUIRE(&copy.column<int>()[a.index()] == address);
}

TEST_CASE("a pool takes memory from its resource only, and 4.5 bytes a slot", "[pool]") {
    std::pmr::monotonic_buffer_resource resource;
    pmr::HandlePool<Body> pool(&resource);
    REQUIRE(pool.get_allocator().resource() == &resource);
    for (int i = 0; i != 1000; ++i) pool.create();
    REQUIRE(pool.size() == 1000);
    REQUIRE((pool.memory_usage() >= pool.capacity() * 17 / 4 && pool.memory_usage() <= pool.capacity() * 9 / 2 + 64));
}
