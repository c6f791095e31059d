// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers over memory resources: each byte comes from the container's own one and goes back there.
#include "scene.hpp"

#include <memory_resource>

using namespace test;

namespace {

/// Counts what is out, and throws on demand.
class CountingResource final : public std::pmr::memory_resource {
public:
    std::size_t out() const noexcept { return out_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        Budget::spend();
        out_ += bytes;
        return ::operator new(bytes, std::align_val_t{align});
    }
    void do_deallocate(void* data, std::size_t bytes, std::size_t align) override {
        out_ -= bytes;
        ::operator delete(data, std::align_val_t{align}); // clang 16 has no sized one without a flag
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
    std::size_t out_ = 0;
};
template <class T>
using PmrAllocator = std::pmr::polymorphic_allocator<T>;
template <KeySetOptions O>
using PmrSet = SetStorage<Tracked, HashBy<NumberHash>, Options<O>, AllocBy<PmrAllocator<Tracked>>>;
template <KeySetOptions O>
using PmrMap = MapStorage<Tracked, Tracked, HashBy<NumberHash>, Options<O>, AllocBy<PmrAllocator<Tracked>>>;
using PmrColumns = SetStorage<int, HashBy<NumberHash>, Options<deferred>, AllocBy<PmrAllocator<int>>,
                              ValueArray<Tracked, PmrAllocator<Tracked>>>;

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
