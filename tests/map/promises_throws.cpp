// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What members of slot maps and their companions throw, as their comments say it: which exception with which words, or none.
// Strong guarantees of the slot maps themselves are in throwing_maps.hpp.
#include "support/catch.hpp"

#if defined(__cpp_exceptions)
#include "support/allocators.hpp"
#include "support/maps.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <stdexcept>

using namespace test;

namespace {

using H = SlotMap<int>::handle_type;

bool begins(const std::string& text, const std::string& words) { return text.find(words) == 0; }

/// Its swap throws before anything is exchanged. Its moves do not, but might: rows that move without a throw are not swapped.
struct Swapped {
    int value = 0;
    Swapped(int v) : value(v) {}
    Swapped(Swapped&& other) noexcept(false) : value(other.value) {}
    Swapped& operator=(Swapped&&) = default;
    ~Swapped() = default;
    friend void swap(Swapped& a, Swapped& b) {
        Budget::spend();
        std::swap(a.value, b.value);
    }
};

struct SpendingHash {
    std::size_t operator()(const ThrowingCopy& id) const {
        Budget::spend();
        return static_cast<std::size_t>(id.value());
    }
};
struct SpendingEqual {
    bool operator()(const ThrowingCopy& a, const ThrowingCopy& b) const {
        Budget::spend();
        return a.value() == b.value();
    }
};

} // namespace

TEMPLATE_TEST_CASE("a full map and a reserve of more than max_size() throw length_error, which says so, without effect",
                   "[promises]", ALL_STORAGES) {
    typename TestType::template map<int, SlotMapOptions{.max_slots = 64}> map;
    for (int i = 0; i != 64; ++i) put(map, i);
    const auto before = contents(map);
    const char* const full = "slot map insert: as many slots as the option max_slots allows are in use or retired";
    REQUIRE(begins(thrown_text<std::length_error>([&] { put(map, 1); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { put_in_place(map, 1); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { put_with(map, 1, [](auto) {}); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { static_cast<void>(map.reserve_handle()); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { map.reserve(map.max_size() + 1); }),
                   "slot map reserve(count): count exceeds max_size()"));
    REQUIRE(contents(map) == before);
    REQUIRE(map.check_invariants());
    map.erase(before[7].first);
    REQUIRE(put(map, 7).index() == 7);
}

TEMPLATE_TEST_CASE("at(handle) of an element that is gone throws out_of_range, which says what to call instead", "[promises]",
                   ALL_STORAGES) {
    typename TestType::template map<int> map;
    const auto gone = put(map, 1);
    put(map, 2);
    map.erase(gone);
    const char* const words = "slot map at(handle): no element has this handle; ask get(handle)";
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { map.at(gone); }), words));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { std::as_const(map).at({}); }), words));
    REQUIRE(map.size() == 1);
}

TEMPLATE_TEST_CASE("at(handle) of a secondary map throws out_of_range, which says what to call instead", "[promises]",
                   (SecondaryMap<H, int>), (SparseSecondaryMap<H, int>)) {
    TestType more;
    more.insert(H(3, 5), 35);
    const std::string words = "secondary map at(handle): the handle has no value here; ask get(handle)";
    REQUIRE(
        begins(thrown_text<std::out_of_range>([&] { more.at(H(3, 7)); }), words + " (3v7 has none: slot 3 is at version 5)"));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { std::as_const(more).at(H()); }), words + " (the handle is null)"));
    REQUIRE(more.at(H(3, 5)) == 35);
}

TEMPLATE_TEST_CASE("secondary maps erase and clear without a call that could throw", "[promises]",
                   (SecondaryMap<H, ThrowingCopy, AllocBy<ThrowingAllocator<ThrowingCopy>>>),
                   (SparseSecondaryMap<H, ThrowingCopy, AllocBy<ThrowingAllocator<ThrowingCopy>>>)) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    TestType more;
    for (slot_t slot = 0; slot != 300; ++slot) more.try_emplace(H(slot * 5, 1), static_cast<int>(slot));
    STATIC_REQUIRE(noexcept(more.erase(H())));
    STATIC_REQUIRE(noexcept(more.clear()));
    const std::size_t before = Budget::calls();
    bool right = true;
    for (slot_t slot = 0; slot != 300; slot += 3) right = right && more.erase(H(slot * 5, 1)) && !more.erase(H(slot * 5, 1));
    REQUIRE(right);
    REQUIRE(more.size() == 200);
    REQUIRE(more.check_invariants());
    more.clear();
    REQUIRE(more.empty());
    REQUIRE(Budget::calls() == before);
    REQUIRE(objects.alive() == 0);
    REQUIRE(bytes.live_bytes() == 0);
}

TEST_CASE("a value for a newer handle of a slot that cannot be made leaves the older one", "[promises]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto replaced = [](auto more) {
        using Map = decltype(more);
        return fail_at_every_step([](auto&& attempt) {
            Map map;
            map.try_emplace(H(3, 1), 31);
            const bool threw = attempt([&] { map.try_emplace(H(3, 3), 33); });
            REQUIRE(map.check_invariants());
            REQUIRE(map.size() == 1);
            REQUIRE(map.at(H(3, threw ? 1 : 3)).value() == (threw ? 31 : 33));
        });
    };
    REQUIRE(replaced(SecondaryMap<H, ThrowingCopy, AllocBy<ThrowingAllocator<ThrowingCopy>>>()) == 1);
    REQUIRE(replaced(SparseSecondaryMap<H, ThrowingCopy, AllocBy<ThrowingAllocator<ThrowingCopy>>>()) == 1);
    // A value that cannot move has to go first.
    const auto failures = fail_at_every_step([](auto&& attempt) {
        SecondaryMap<H, ThrowingNonMovable> map;
        map.try_emplace(H(3, 1), 31);
        map.try_emplace(H(4, 1), 41);
        const bool threw = attempt([&] { map.try_emplace(H(3, 3), 33); });
        REQUIRE(map.check_invariants());
        REQUIRE_FALSE(map.contains(H(3, 1)));
        REQUIRE(map.contains(H(3, 3)) == !threw);
        REQUIRE(map.at(H(4, 1)).value() == 41);
    });
    REQUIRE(failures == 1);
}

TEST_CASE("an IdentityMap's move into other memory that throws loses the pairs and leaks nothing", "[promises]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    REQUIRE(fail_at_every_step([](auto&& attempt) {
                using Allocator = StatefulAllocator<ThrowingCopy, Propagation{.throws = true}>;
                using Elsewhere =
                    IdentityMap<ThrowingCopy, H, HashBy<SpendingHash>, EqualBy<SpendingEqual>, AllocBy<Allocator>>;
                Elsewhere ids{Allocator(1)};
                for (int i = 0; i != 20; ++i) ids.insert(ThrowingCopy(i), H(static_cast<slot_t>(i * 100), 1));
                attempt([&] { const Elsewhere moved(std::move(ids), Allocator(2)); });
                REQUIRE((ids.empty() && ids.check_invariants())); // NOLINT(bugprone-use-after-move)
            }) > 20);
}

#if defined(__cpp_exceptions)
namespace {
struct UnswappableHash {
    std::size_t operator()(int id) const noexcept { return static_cast<std::size_t>(id); }
    friend void swap(UnswappableHash&, UnswappableHash&) { throw std::runtime_error("swap"); }
};
} // namespace

TEST_CASE("a swap of IdentityMaps whose functors cannot be exchanged leaves both empty", "[promises]") {
    IdentityMap<int, H, HashBy<UnswappableHash>> a, b;
    a.insert(1, H(1, 1));
    b.insert(2, H(2, 1));
    CHECK_THROWS_AS(a.swap(b), std::runtime_error);
    CHECK((a.empty() && b.empty() && a.check_invariants() && b.check_invariants()));
    CHECK((a.insert(3, H(3, 1)) && b.insert(4, H(4, 1))));
}
#endif

TEST_CASE("attach_to without memory throws bad_alloc and attaches nothing", "[promises]") {
    const auto failures = run_out_of_memory([](auto&& attempt) {
        SlotMap<int> map;
        const auto element = map.insert(1);
        const auto gone = map.insert(2);
        map.erase(gone);
        SecondaryMap<H, int> more;
        more.insert(element, 10);
        more.insert(gone, 20);
        const bool threw = attempt([&] { more.attach_to(map); });
        REQUIRE(more.attached() == !threw);
        REQUIRE(more.size() == (threw ? 2 : 1));
        map.erase(element);
        REQUIRE(more.contains(element) == threw);
    });
    REQUIRE(failures >= 1);
}

TEST_CASE("a sort without memory throws bad_alloc and has no effect", "[promises]") {
    const auto failures = run_out_of_memory([](auto&& attempt) {
        DenseSlotMap<int> map;
        for (int i = 0; i != 50; ++i) map.insert((i * 7) % 50);
        const std::vector<int> before(map.begin(), map.end());
        const bool threw = attempt([&] { map.sort(std::less<>()); });
        REQUIRE(std::equal(map.begin(), map.end(), before.begin()) == threw);
        REQUIRE(std::is_sorted(map.begin(), map.end()) == !threw);
    });
    REQUIRE(failures >= 1);
}

TEST_CASE("a sort whose swap throws leaves some order, and every handle with its value", "[promises]") {
    std::size_t half_sorted = 0;
    const auto failures = fail_at_every_step([&](auto&& attempt) {
        DenseSlotMap<Swapped> map;
        std::vector<DenseSlotMap<Swapped>::handle_type> handles;
        for (int i = 0; i != 30; ++i) handles.push_back(map.emplace((i * 7) % 30));
        const bool threw = attempt([&] { map.sort([](const Swapped& a, const Swapped& b) { return a.value < b.value; }); });
        bool right = true;
        for (int i = 0; i != 30; ++i) right = right && map[handles[static_cast<std::size_t>(i)]].value == (i * 7) % 30;
        REQUIRE(right);
        REQUIRE(map.check_invariants());
        half_sorted += threw && map.values()[1].value == 1;
    });
    REQUIRE(failures > 10);
    REQUIRE(half_sorted > 0);
}
#endif
