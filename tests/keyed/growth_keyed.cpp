// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Growth: step by step at page and index boundaries, and once to 2^20 keys, with full bounds to 2^24.
#include "scene.hpp"

#include "support/bounds.hpp"

using namespace test;

namespace {

/// Visits all numbers below 2^24 in an order that is not theirs; one to one.
constexpr std::uint64_t scatter(std::uint64_t n) { return n * 0x9E37'79B1u & 0xFF'FFFFu; }
static_assert((0x9E37'79B1u & 1u) != 0);

} // namespace

TEST_CASE("a set grown to millions of keys finds each of them, and nothing else; half of them go again", "[growth][bounds]") {
    const std::uint64_t count = std::uint64_t{1} << bound(20, 24);
    SetStorage<std::uint64_t> set;
    std::size_t growths = 0, capacity = 0;
    for (std::uint64_t n = 0; n != count; ++n) {
        const auto result = set.insert(scatter(n) * 3);
        if (!result.inserted || result.it.slot() != n) FAIL("key " << n << " was not entered in the next slot");
        growths += set.capacity() != std::exchange(capacity, set.capacity());
    }
    REQUIRE(set.size() == count);
    REQUIRE(growths < 2000); // geometric, or at least in large steps
    REQUIRE(set.check_invariants());
    std::size_t wrong = 0;
    for (std::uint64_t n = 0; n != count; ++n) wrong += set.slot_of(scatter(n) * 3) != n;
    REQUIRE(wrong == 0);
    for (std::uint64_t n = 0; n != count / 16; ++n) wrong += set.contains(n * 48 + 1) || set.contains(0x300'0000u + n * 3);
    REQUIRE(wrong == 0);
    for (std::uint64_t n = 0; n < count; n += 2) wrong += !set.erase(scatter(n) * 3);
    REQUIRE(wrong == 0);
    REQUIRE(set.size() == count / 2);
    for (std::uint64_t n = 0; n != count; ++n) wrong += set.contains(scatter(n) * 3) != (n % 2 == 1);
    REQUIRE(wrong == 0);
    REQUIRE(set.check_invariants());
    std::size_t walked = 0;
    for (const auto key : set) walked += key % 3 == 0;
    REQUIRE(walked == count / 2);
}

TEMPLATE_TEST_CASE("each step of growth keeps elements, handles and addresses", "[growth]",
                   (MapStorage<int, int, Options<at_once>>), (MapStorage<int, int, Options<deferred>>),
                   (MapStorage<int, Tracked, Options<KeySetOptions{.reuse = Reuse::fifo}>>)) {
    NothingLeaks objects;
    TestType map;
    std::vector<typename TestType::handle_type> handles;
    std::vector<const void*> addresses;
    std::size_t capacity = 0, growths = 0;
    for (int n = 0; n != 6000; ++n) {
        handles.push_back(map.handle_at(map.try_emplace(n, n).it.slot()));
        addresses.push_back(&map.at(n));
        if (map.capacity() == std::exchange(capacity, map.capacity()) && n % 640 != 0) continue;
        ++growths;
        REQUIRE(map.check_invariants());
        for (int i = 0; i <= n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (map.handle_of(i) != handles[at] || &map.at(i) != addresses[at] || number(map.at(i)) != i)
                FAIL("lost " << i << " at " << n);
        }
    }
    REQUIRE(growths > 5);
}

TEMPLATE_TEST_CASE("a set at its largest refuses more with length_error, without effect, and goes on when slots are free",
                   "[growth]", (SetStorage<int, Options<KeySetOptions{.max_slots = 200}>>),
                   (SetStorage<int, Options<KeySetOptions{.handle = {.index_bits = 7, .version_bits = 9, .user_bits = 0}}>>),
                   (SetStorage<int, Options<KeySetOptions{.deferred_erase = true, .max_slots = 200}>>)) {
    TestType set;
    const auto most = static_cast<int>(TestType::max_size());
    for (int n = 0; n != most; ++n) REQUIRE(set.insert(n).inserted);
    REQUIRE(set.size() == TestType::max_size());
    REQUIRE(set.capacity() == TestType::max_size());
    REQUIRE_THROWS_AS(set.insert(-1), std::length_error);
    REQUIRE_THROWS_AS(set.reserve(TestType::max_size() + 1), std::length_error);
    REQUIRE_FALSE(set.insert(most - 1).inserted); // a member is no insert
    REQUIRE(set.size() == TestType::max_size());
    REQUIRE_FALSE(set.contains(-1));
    REQUIRE(set.check_invariants());
    REQUIRE(set.erase(3));
    if (TestType::options.deferred_erase) {
        REQUIRE_THROWS_AS(set.insert(-1), std::length_error);
        REQUIRE_THROWS_AS(set.reserve(TestType::max_size()), std::length_error);
        REQUIRE(set.insert(3).kind == InsertKind::resurrected); // needs no slot
        set.erase(3);
    }
    set.flush_removed();
    REQUIRE(set.insert(-1).it.slot() == 3);
    REQUIRE(set.check_invariants());
}
