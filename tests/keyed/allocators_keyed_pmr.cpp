// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers over memory resources: each byte comes from the container's own one and goes back there.
#include "scene.hpp"

#include <memory_resource>

using namespace test;

namespace {

/// Counts what is out, and throws when told to.
class CountingResource final : public std::pmr::memory_resource {
public:
    std::size_t out() const noexcept { return out_; }
    std::size_t allocations() const noexcept { return allocations_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        Budget::spend();
        ++allocations_;
        out_ += bytes;
        return ::operator new(bytes, std::align_val_t{align});
    }
    void do_deallocate(void* data, std::size_t bytes, std::size_t align) override {
        out_ -= bytes;
        ::operator delete(data, std::align_val_t{align}); // clang 16 has no sized one without a flag
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
    std::size_t out_ = 0, allocations_ = 0;
};
/// While one lives, memory without a named resource is an error.
struct NoDefaultResource {
    std::pmr::memory_resource* before = std::pmr::set_default_resource(std::pmr::null_memory_resource());
    NoDefaultResource() = default;
    NoDefaultResource(const NoDefaultResource&) = delete;
    NoDefaultResource& operator=(const NoDefaultResource&) = delete;
    ~NoDefaultResource() { std::pmr::set_default_resource(before); }
};

template <class T>
using PmrAllocator = std::pmr::polymorphic_allocator<T>;
template <KeySetOptions O>
using PmrSet = SetStorage<Tracked, NumberHash, EqualTo, O, PmrAllocator<Tracked>>;
template <KeySetOptions O>
using PmrMap = MapStorage<Tracked, Tracked, NumberHash, EqualTo, O, PmrAllocator<Tracked>>;
using PmrColumns =
    SetStorage<int, NumberHash, EqualTo, deferred, PmrAllocator<int>, HashIndex, ValueArray<Tracked, PmrAllocator<Tracked>>>;

#define PMR_CONTAINERS PmrSet<at_once>, PmrSet<deferred>, PmrMap<at_once>, PmrMap<deferred>, PmrColumns

template <class C>
void fill(C& c, int first, int count) {
    for (int i = 0; i != count; ++i) enter(c, first + i);
    for (int i = 4; i < count; i += 5) leave(c, first + i);
}
template <class C>
bool same(const C& a, const C& b) {
    return a.check_invariants() && state_of(a) == state_of(b) && pending_of(a) == pending_of(b) && a == b;
}

} // namespace

TEMPLATE_TEST_CASE("pmr: what a container holds lives in its resource, whatever was copied, moved or swapped into it",
                   "[allocators]", PmrSet<at_once>, PmrSet<deferred>, PmrMap<at_once>, PmrMap<deferred>) {
    NothingLeaks objects;
    CountingResource one, two, three;
    {
        const NoDefaultResource no_default;
        using Allocator = typename TestType::allocator_type;
        TestType a{Allocator(&one)}, b{Allocator(&two)};
        fill(a, 0, 90);
        fill(b, 500, 20);
        const std::size_t in_one = one.out();
        TestType twin(a, Allocator(&three));
        REQUIRE(same(twin, a));
        REQUIRE(one.out() == in_one);
        b = a;
        REQUIRE(same(b, twin));
        REQUIRE(b.get_allocator().resource() == &two);
        REQUIRE(one.out() == in_one);
        b.clear();
        b.flush_removed();
        b = std::move(a);
        REQUIRE(same(b, twin));
        REQUIRE(b.get_allocator().resource() == &two);
        REQUIRE(a.empty()); // NOLINT(bugprone-use-after-move)
        REQUIRE(a.check_invariants());
        a.reset();
        REQUIRE(one.out() == 0); // could die now
        fill(a, 40, 30);
        a.swap(b);
        REQUIRE(same(a, twin));
        REQUIRE(a.get_allocator().resource() == &one);
        REQUIRE(b.get_allocator().resource() == &two);
        b.reset();
        REQUIRE(two.out() == 0);
        a.restore(a.snapshot(NumberCodec{}), NumberCodec{});
        REQUIRE(a.check_invariants());
        a.shrink_to_fit();
        b.merge(a);
        REQUIRE(b.check_invariants());
    }
    REQUIRE(one.out() == 0);
    REQUIRE(two.out() == 0);
    REQUIRE(three.out() == 0);
}

TEMPLATE_TEST_CASE("pmr: a container outlives the resource of the one it was moved from", "[allocators]", PmrSet<at_once>,
                   PmrMap<at_once>, PmrMap<deferred>) {
    NothingLeaks objects;
    using Allocator = typename TestType::allocator_type;
    CountingResource lasting;
    TestType target{Allocator(&lasting)};
    for (const bool by_swap : {false, true}) {
        {
            CountingResource passing;
            TestType source{Allocator(&passing)};
            fill(source, 0, 90);
            if (by_swap)
                target.swap(source);
            else
                target = std::move(source);
            source.reset(); // NOLINT(bugprone-use-after-move)
            REQUIRE(passing.out() == 0);
        }
        REQUIRE(target.size() == 72);
        REQUIRE(target.check_invariants());
        static_cast<void>(state_of(target));
    }
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
    REQUIRE(one.out() == 0);
    REQUIRE(two.out() == 0);
}
