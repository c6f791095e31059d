// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers with allocators that cannot be made from nothing, give fancy pointers, or throw; over-aligned keys and
// values; which calls allocate at all. Memory resources are in pmr.cpp.
#include "scene.hpp"

using namespace test;

namespace {

template <template <class> class A>
using SetOf = SetStorage<Tracked, HashBy<NumberHash>, Options<at_once>, AllocBy<A<Tracked>>>;
template <template <class> class A>
using MapOf =
    MapStorage<Tracked, Tracked, HashBy<NumberHash>, Options<deferred>, AllocBy<A<Tracked>>, ValueArray<Tracked, A<Tracked>>>;

} // namespace

TEMPLATE_TEST_CASE("an allocator without a default constructor is enough", "[allocators]", SetOf<NoDefaultAllocator>,
                   MapOf<NoDefaultAllocator>) {
    static_assert(!std::is_default_constructible_v<TestType>);
    NothingLeaks objects;
    EveryByteReturned bytes;
    const NoDefaultAllocator<Tracked> three(3), four(4);
    TestType c(three), other(four);
    fill(c, 0, 100);
    other = c;
    REQUIRE(same(other, c));
    other = std::move(c);
    other.reserve(500);
    REQUIRE(other.get_allocator().id() == 4);
    other.restore(other.snapshot(NumberCodec{}), NumberCodec{});
    fill(c, 50, 100); // NOLINT(bugprone-use-after-move)
    other.merge(c);
    other.shrink_to_fit();
    REQUIRE(other.check_invariants());
    other.swap(c);
    REQUIRE(c.size() > 80);
    REQUIRE(c.check_invariants());
    TestType copy(c, three), moved(std::move(c), four);
    REQUIRE(copy == moved);
    moved.reset();
    REQUIRE(moved.check_invariants());
}

TEMPLATE_TEST_CASE("an allocator with fancy pointers is used by its rules", "[allocators]", SetOf<FancyAllocator>,
                   MapOf<FancyAllocator>) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    TestType c;
    fill(c, 0, 500);
    TestType copy(c), moved(std::move(c));
    REQUIRE(same(copy, moved));
    copy.clear();
    copy.flush_removed();
    copy.shrink_to_fit();
    copy = moved;
    copy.swap(c);
    c.restore(c.snapshot(NumberCodec{}), NumberCodec{});
    REQUIRE(c == moved);
    REQUIRE(c.check_invariants());
    c.reset();
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("an allocator that throws at the first, second ... call of a container's life leaks nothing", "[allocators]",
                   SetOf<ThrowingAllocator>, MapOf<ThrowingAllocator>) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step([](auto&& attempt) {
        attempt([] {
            TestType c;
            fill(c, 0, 200);
            TestType copy(c);
            copy.reserve(1000);
            copy = c;
            TestType moved(std::move(copy));
            moved.merge(c);
            moved.shrink_to_fit();
            if (!moved.check_invariants()) FAIL("broken");
        });
    });
    REQUIRE(failures > 15);
}

TEST_CASE("a key whose move throws in an assignment between unequal allocators leaves source and target sound",
          "[allocators][throws]") {
    using Set = SetStorage<Throwing, HashBy<NumberHash>, Options<at_once>, AllocBy<StatefulAllocator<Throwing>>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Set>("operator=(move)"), [&](auto&& attempt) {
        Set source{StatefulAllocator<Throwing>(1)}, target{StatefulAllocator<Throwing>(2)}, source_twin, target_twin;
        for (auto* set : {&source, &source_twin}) fill(*set, 0, 30);
        for (auto* set : {&target, &target_twin}) fill(*set, 500, 20);
        const bool threw = attempt([&] { target = std::move(source); });
        if (threw) REQUIRE(same(target, target_twin));
        REQUIRE(source.check_invariants()); // NOLINT(bugprone-use-after-move)
        for (const auto& key : source) REQUIRE_FALSE(key.moved_from());
        REQUIRE(target.size() + source.size() >= 24);
    });
    REQUIRE(failures > 20);
}

TEMPLATE_TEST_CASE("over-aligned keys, values and columns lie where they must", "[allocators]", std::allocator<int>,
                   StatefulAllocator<int>) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto run = []<std::size_t KeyAlign, std::size_t ValueAlign>() {
        using Key = OverAligned<KeyAlign>;
        using T = OverAligned<ValueAlign>;
        using Allocator = typename std::allocator_traits<TestType>::template rebind_alloc<Key>;
        MapStorage<Key, T, HashBy<NumberHash>, Options<deferred>, AllocBy<Allocator>, ValueArray<OverAligned<256>>> map;
        for (int n = 0; n != 300; ++n) {
            const auto slot = map.try_emplace(Key(n), n).it.slot();
            REQUIRE(reinterpret_cast<std::uintptr_t>(&map.key(slot)) % KeyAlign == 0);
            REQUIRE(reinterpret_cast<std::uintptr_t>(&map.value(slot)) % ValueAlign == 0);
            REQUIRE(reinterpret_cast<std::uintptr_t>(&map.template observer<0>()[slot]) % 256 == 0);
        }
        for (int n = 0; n < 300; n += 3) map.erase(Key(n));
        map.flush_removed();
        map.shrink_to_fit();
        const auto copy = map;
        REQUIRE(copy == map);
        REQUIRE(map.check_invariants());
    };
    run.template operator()<64, 128>();
    run.template operator()<4096, 32>();
}

TEMPLATE_TEST_CASE("a container that holds nothing holds no memory, and reset gives all back", "[allocators]",
                   SetOf<ThrowingAllocator>, MapOf<ThrowingAllocator>) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto allocations = Ledger::allocations();
    TestType c;
    TestType moved(std::move(c));
    c = std::move(moved);
    REQUIRE_FALSE(has(c, 1));
    REQUIRE(Ledger::allocations() == allocations);
    fill(c, 0, 3000);
    const auto most = bytes.live_bytes();
    REQUIRE(most > 3000 * sizeof(Tracked));
    c.clear();
    c.flush_removed();
    REQUIRE(bytes.live_bytes() == most); // capacity stays
    c.reset();
    REQUIRE(bytes.live_bytes() == 0);
    REQUIRE(c.capacity() == 0);
    fill(c, 0, 3000);
    c.clear();
    c.flush_removed();
    c.shrink_to_fit();
    REQUIRE(c.capacity() == 0);
    REQUIRE(bytes.live_bytes() == 0);
    const auto handle = c.handle_at(enter(c, 1).it.slot());
    REQUIRE(handle.version() > 1); // the floor: no handle of before can resolve
}

TEMPLATE_TEST_CASE("after reserve(n), n inserts allocate nothing, and erase, clear and flush never allocate", "[allocators]",
                   SetOf<ThrowingAllocator>, MapOf<ThrowingAllocator>) {
    EveryByteReturned bytes;
    TestType c;
    c.reserve(2000);
    REQUIRE(c.capacity() >= 2000);
    const auto allocations = Ledger::allocations();
    for (int round = 0; round != 3; ++round) {
        for (int n = 0; n != 2000; ++n) enter(c, 10'000 * round + n);
        if (round == 0)
            for (int n = 1999; n >= 0; --n) leave(c, n);
        else
            c.clear();
        c.flush_removed();
    }
    REQUIRE(Ledger::allocations() == allocations);
    REQUIRE(c.empty());
}
