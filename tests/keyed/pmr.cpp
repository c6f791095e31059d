// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The pmr aliases: keys, values, columns and index come from the resource, and nothing from anywhere else.
#include "keys.hpp"
#include "scene.hpp"
#include "support/resources.hpp"

#include <slotwise/keyed/pmr.hpp>

#include <array>

using namespace test;

namespace {

using Map = pmr::MapStorage<int, std::string>;
using DeferredMap = pmr::MapStorage<int, Tracked, Options<deferred_fifo>>;
template <class T>
using PmrAllocator = std::pmr::polymorphic_allocator<T>;
template <KeySetOptions O>
using PmrSet = SetStorage<Tracked, HashBy<NumberHash>, Options<O>, AllocBy<PmrAllocator<Tracked>>>;
template <KeySetOptions O>
using PmrMap = MapStorage<Tracked, Tracked, HashBy<NumberHash>, Options<O>, AllocBy<PmrAllocator<Tracked>>>;
using PmrColumns = SetStorage<int, HashBy<NumberHash>, Options<deferred>, AllocBy<PmrAllocator<int>>,
                              ValueArray<Tracked, PmrAllocator<Tracked>>>;

#define PMR_CONTAINERS PmrSet<at_once>, PmrSet<deferred>, PmrMap<at_once>, PmrMap<deferred>, PmrColumns

} // namespace

TEST_CASE("pmr containers are the containers with a polymorphic allocator", "[pmr]") {
    STATIC_REQUIRE(std::is_same_v<pmr::SetStorage<int>::allocator_type, std::pmr::polymorphic_allocator<int>>);
    STATIC_REQUIRE(std::is_same_v<pmr::KeySet<int>, KeySet<int, AllocBy<std::pmr::polymorphic_allocator<int>>>>);
    STATIC_REQUIRE(std::is_same_v<Map::mapped_type, std::string>);
    STATIC_REQUIRE(DeferredMap::options.deferred_erase);
}

TEST_CASE("a pmr map takes every byte from its resource and gives every byte back", "[pmr]") {
    NothingLeaks objects;
    CountingResource memory;
    const NoDefaultResource guard;
    {
        DeferredMap map(&memory);
        REQUIRE(map.get_allocator().resource() == &memory);
        for (int i = 0; i != 1000; ++i) map.try_emplace(i, i);
        for (int i = 0; i != 500; ++i) map.erase(i);
        map.flush_removed();
        REQUIRE(memory.out > 500 * (sizeof(int) + sizeof(Tracked)));
        REQUIRE(map.at(700).value() == 700);
        map.shrink_to_fit();
        REQUIRE(map.check_invariants());
        map.reset();
        const auto left = memory.out;
        map.try_emplace(1, 1);
        REQUIRE(memory.out > left);
    }
    REQUIRE(memory.out == 0);
    pmr::SetStorage<int> set({3, 1, 2}, &memory);
    REQUIRE(set.size() == 3);
    REQUIRE(memory.out != 0);
}

TEST_CASE("a pmr map runs in a buffer of its own", "[pmr]") {
    alignas(64) std::array<std::byte, 64 * 1024> buffer;
    std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size(), std::pmr::null_memory_resource());
    pmr::MapStorage<int, int> map(&memory);
    map.reserve(1000);
    for (int i = 0; i != 1000; ++i) map[i] = i * i;
    const auto* at = static_cast<const void*>(&map.at(999));
    REQUIRE((at >= static_cast<const void*>(buffer.data()) && at < static_cast<const void*>(buffer.data() + buffer.size())));
    REQUIRE(map.at(30) == 900);
    REQUIRE(map.check_invariants());
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("when the resource is exhausted a pmr map is as it was", "[pmr]") {
    CountingResource memory;
    {
        pmr::MapStorage<int, int> map(&memory);
        map[-1] = 1;
        memory.most = memory.out + 100'000;
        int count = 0;
        REQUIRE_THROWS_AS(
            [&] {
                for (; count != 100'000; ++count) map[count] = count;
            }(),
            std::bad_alloc);
        REQUIRE(count > 64);
        REQUIRE(map.size() == static_cast<std::size_t>(count) + 1);
        REQUIRE_THROWS_AS(map.try_emplace(count), std::bad_alloc);
        REQUIRE_FALSE(map.contains(count));
        map.erase(0);
        map[count] = 7; // there is room for as many as before
        memory.most = ~std::size_t{0};
        REQUIRE(map.check_invariants());
        REQUIRE(map.at(count) == 7);
        REQUIRE(map.at(count - 1) == count - 1);
    }
}
#endif

TEST_CASE("copies of pmr containers use the default resource, moves between resources move each element", "[pmr]") {
    CountingResource a, b;
    Map map(&a);
    for (int i = 0; i != 100; ++i) map.try_emplace(i, make_key<std::string>(i));
    const auto handle = map.handle_of(42);
    const std::string* const address = map.get(42);

    const Map copy(map);
    REQUIRE(copy.get_allocator().resource() == std::pmr::get_default_resource());
    REQUIRE(copy == map);
    Map there(map, &b);
    REQUIRE(there.get_allocator().resource() == &b);
    REQUIRE(there == copy);

    Map same(std::move(map), &a); // the same resource: nothing moves
    REQUIRE(same.get(handle) == address);
    REQUIRE(map.empty()); // NOLINT(bugprone-use-after-move)
    Map moved(std::move(same), &b);
    REQUIRE(*moved.get(handle) == make_key<std::string>(42));
    REQUIRE(moved == copy);
    REQUIRE(moved.check_invariants());
    REQUIRE(same.check_invariants()); // NOLINT(bugprone-use-after-move)
    same.try_emplace(1, "again");
    REQUIRE(same.get_allocator().resource() == &a);

    swap(same, moved); // allocators stay, elements go
    REQUIRE(same.get_allocator().resource() == &a);
    REQUIRE(moved.get_allocator().resource() == &b);
    REQUIRE(same == copy);
    REQUIRE(moved.size() == 1);
    REQUIRE(same.check_invariants());
    REQUIRE(moved.check_invariants());
    moved = same;
    REQUIRE(moved == copy);
    moved = std::move(same);
    REQUIRE(moved == copy);
    REQUIRE(moved.get_allocator().resource() == &b);
    REQUIRE(moved.check_invariants());
}

TEMPLATE_TEST_CASE("pmr: a monotonic resource serves a container until its end", "[allocators]", PMR_CONTAINERS) {
    NothingLeaks objects;
    using Allocator = typename TestType::allocator_type;
    std::pmr::monotonic_buffer_resource arena;
    TestType c{Allocator(&arena)};
    for (int round = 0; round != 5; ++round) {
        fill(c, 1000 * round, 200);
        c.clear();
        c.flush_removed();
        c.shrink_to_fit();
        REQUIRE(c.check_invariants());
    }
    fill(c, 0, 200);
    REQUIRE(c.size() == 160);
    const TestType copy(c); // in the default resource
    REQUIRE(copy == c);
    REQUIRE(copy.get_allocator().resource() == std::pmr::get_default_resource());
}

TEMPLATE_TEST_CASE("pmr: a resource that throws in an assignment between unequal allocators leaves source and target sound",
                   "[allocators][throws]", PmrSet<at_once>, PmrMap<deferred>) {
    NothingLeaks objects;
    using Allocator = typename TestType::allocator_type;
    CountingResource one, two;
    for (const bool by_copy : {false, true}) {
        const auto failures =
            fail_at_every_step(swept<TestType>(by_copy ? "operator=(copy)" : "operator=(move)"), [&](auto&& attempt) {
                TestType source{Allocator(&one)}, target{Allocator(&two)}, source_twin, target_twin;
                fill(source, 0, 90), fill(source_twin, 0, 90);
                fill(target, 500, 20), fill(target_twin, 500, 20);
                const bool threw = attempt([&] {
                    if (by_copy)
                        target = source;
                    else
                        target = std::move(source);
                });
                REQUIRE(same(target, threw ? target_twin : source_twin));
                if (threw || by_copy)
                    REQUIRE(same(source, source_twin)); // NOLINT(bugprone-use-after-move)
                else
                    REQUIRE(source.empty());
            });
        REQUIRE(failures > 3);
    }
    REQUIRE(one.out == 0);
    REQUIRE(two.out == 0);
}
