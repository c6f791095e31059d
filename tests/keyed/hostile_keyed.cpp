// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hashes that do their worst, for every index, and handles of any bit pattern.
#include "scene.hpp"

#include "support/bounds.hpp"

#include <algorithm>
#include <set>

using namespace test;

namespace {

//=== hashes ===//

struct Bad {
    const char* name;
    std::uint64_t (*hash)(std::uint64_t) noexcept;
};
// Tag, class and line of the index are bits 0 to 7, 8 to 9 and 10 and up; the step from line to line are bits 32 and up.
const Bad one{"one", [](std::uint64_t) noexcept { return std::uint64_t{0x1234'5678'9ABC'DEF0u}; }};
const Bad zero{"zero", [](std::uint64_t) noexcept { return std::uint64_t{0}; }};
const Bad all_ones{"all ones", [](std::uint64_t) noexcept { return ~std::uint64_t{0}; }};
const Bad one_line{"one line", [](std::uint64_t key) noexcept { return key & 0x3FF; }};
const Bad high{"high bits", [](std::uint64_t key) noexcept { return key << 32; }};
const Bad highest{"highest bits", [](std::uint64_t key) noexcept { return key << 53; }};
const Bad low{"low bits", [](std::uint64_t key) noexcept { return key & 0xFF; }};
const Bad one_tag{"one tag, one class", [](std::uint64_t key) noexcept { return key << 10 | 0x155; }};
const Bad identity{"identity", [](std::uint64_t key) noexcept { return key; }};

/// Used as it is, because it says so.
struct Declared {
    using is_avalanching = void;
    Bad bad = identity;
    std::size_t operator()(std::uint64_t key) const noexcept { return static_cast<std::size_t>(bad.hash(key)); }
};
/// Mixed by the container.
struct Mixed {
    Bad bad = identity;
    std::size_t operator()(std::uint64_t key) const noexcept { return static_cast<std::size_t>(bad.hash(key)); }
};
/// Not noexcept: 32 bits of it are kept beside the key.
struct Kept {
    using is_avalanching = void;
    Bad bad = identity;
    std::size_t operator()(std::uint64_t key) const { return static_cast<std::size_t>(bad.hash(key)); }
};

template <class Hash, template <class> class Index = HashIndex, KeySetOptions O = KeySetOptions{.page_slots = 64}>
using Hostile = MapStorage<std::uint64_t, std::uint64_t, HashBy<Hash>, Options<O>, IndexBy<Index>>;

#define HOSTILE_MAPS                                                                                                           \
    (Hostile<Declared>), (Hostile<Mixed>), (Hostile<Kept>), (Hostile<Declared, PortableHashIndex>),                            \
        (Hostile<Declared, HashIndex, deferred>), (Hostile<Kept, PortableHashIndex, deferred>)

/// Keys come, are found, go, come again; index and store agree all the while.
template <class Map>
void work(const Bad& bad, std::uint64_t step, std::size_t count) {
    INFO("hash: " << bad.name << ", keys are multiples of " << step);
    Map map(typename Map::hasher{bad});
    const auto key = [&](std::size_t i) { return std::uint64_t{i} * step; };
    for (std::size_t i = 0; i != count; ++i) {
        const auto result = map.try_emplace(key(i), i);
        if (!result.inserted || map.slot_of(key(i)) != result.it.slot() || map.contains(key(i + 1))) {
            CAPTURE(i);
            FAIL("an insert went wrong");
        }
        if (i % 500 == 3) REQUIRE(map.check_invariants());
    }
    REQUIRE(map.size() == count);
    REQUIRE(map.check_invariants());
    for (std::size_t i = 0; i != count; ++i) {
        REQUIRE_FALSE(map.try_emplace(key(i), 0u).inserted);
        REQUIRE(map.at(key(i)) == i);
    }
    for (std::size_t i = count; i != count + 50; ++i) REQUIRE_FALSE(map.contains(key(i)));
    for (std::size_t i = 0; i < count; i += 3) REQUIRE(map.erase(key(i)));
    REQUIRE(map.check_invariants());
    for (std::size_t i = 0; i != count; ++i) REQUIRE(map.contains(key(i)) == (i % 3 != 0));
    for (std::size_t i = 0; i < count; i += 6) REQUIRE(map.try_emplace(key(i), i + 1).inserted);
    map.flush_removed();
    REQUIRE(map.check_invariants());
    map.shrink_to_fit();
    REQUIRE(map.check_invariants());
    auto copy = map;
    REQUIRE(copy == map);
    for (std::size_t i = 0; i != count; ++i) {
        const bool there = i % 3 != 0 || i % 6 == 0;
        REQUIRE(copy.contains(key(i)) == there);
        REQUIRE(copy.erase(key(i)) == there);
    }
    copy.flush_removed();
    REQUIRE(copy.empty());
    REQUIRE(copy.check_invariants());
    for (std::size_t i = 0; i != 300; ++i) REQUIRE(copy.try_emplace(key(i), i).inserted); // counts that stayed full do no harm
    REQUIRE(copy.check_invariants());
    map.clear();
    map.flush_removed();
    for (std::size_t i = 0; i != 100; ++i) REQUIRE(map.try_emplace(key(i), i).inserted);
    REQUIRE(map.check_invariants());
}

} // namespace

TEMPLATE_TEST_CASE("keys of one hash, hundreds of them, are all found", "[hostile][bounds]", HOSTILE_MAPS) {
    for (const Bad& bad : {one, zero, all_ones}) work<TestType>(bad, 1, bound<std::size_t>(600, 2000));
}

TEMPLATE_TEST_CASE("keys that all belong into one group of the index, or differ in few bits of the hash, are all found",
                   "[hostile]", HOSTILE_MAPS) {
    for (const Bad& bad : {one_line, high, highest, low, one_tag}) {
        work<TestType>(bad, 1, 1200);
        work<TestType>(bad, std::uint64_t{1} << 22, 600);
    }
}

TEMPLATE_TEST_CASE("identity hashes: sequential keys, multiples of powers of two, and keys around them are all found",
                   "[hostile]", HOSTILE_MAPS) {
    for (const unsigned shift : {0u, 1u, 8u, 10u, 12u, 20u, 32u, 40u, 52u})
        work<TestType>(identity, std::uint64_t{1} << shift, 500);
    work<TestType>(identity, 0x8000'0000'0000'0001u, 500);
    work<TestType>(identity, ~std::uint64_t{0}, 500);
}

TEMPLATE_TEST_CASE("the key zero and the key of all ones are ordinary keys, whatever the hash says", "[hostile]",
                   HOSTILE_MAPS) {
    for (const Bad& bad : {identity, zero, all_ones, one_line, high}) {
        TestType map(typename TestType::hasher{bad});
        for (const std::uint64_t key : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1}}) {
            REQUIRE_FALSE(map.contains(key));
            REQUIRE(map.try_emplace(key, key).inserted);
            REQUIRE(map.at(key) == key);
        }
        for (const std::uint64_t key : {std::uint64_t{0}, ~std::uint64_t{0}}) {
            REQUIRE(map.erase(key));
            REQUIRE_FALSE(map.contains(key));
            REQUIRE(map.check_invariants());
        }
        REQUIRE(map.size() == 1);
    }
}

TEST_CASE("with the mixed default hash patterned keys are compared once or twice, not in chains", "[hostile]") {
    // Comparisons are counted: a bad spread shows as many of them.
    struct Counting {
        std::size_t* calls;
        bool operator()(std::uint64_t a, std::uint64_t b) const noexcept { return ++*calls, a == b; }
    };
    std::size_t calls = 0;
    for (const unsigned shift : {0u, 3u, 12u, 16u, 32u, 48u})
        for (const bool declared_nothing : {false, true}) {
            // What a hash function drops because its result is narrower than the key, no table finds again.
            if (declared_nothing && shift >= 8 * sizeof(std::size_t)) continue;
            CAPTURE(shift, declared_nothing);
            calls = 0;
            const auto run = [&](auto hash) {
                KeySet<std::uint64_t, HashBy<decltype(hash)>, EqualBy<Counting>> set(hash, Counting{&calls});
                for (std::uint64_t i = 0; i != 20'000; ++i) set.insert(i << shift);
                REQUIRE(set.size() == 20'000);
                for (std::uint64_t i = 0; i != 20'000; ++i) REQUIRE(set.contains(i << shift));
                REQUIRE(set.check_invariants());
            };
            if (declared_nothing)
                run(Mixed{});
            else
                run(DefaultHash<std::uint64_t>{});
            REQUIRE(calls < 4 * 20'000);
        }
}

//=== handles ===//

namespace {

template <bool Deferred, Exhaustion E, Reuse R>
inline constexpr KeySetOptions narrow{.deferred_erase = Deferred,
                                      .exhaustion = E,
                                      .reuse = R,
                                      .page_slots = 64,
                                      .handle = {.index_bits = 8, .version_bits = 5, .user_bits = 3},
                                      .max_slots = 200};
template <KeySetOptions O>
using Narrow = MapStorage<int, int, Options<O>>;

#define NARROW_MAPS                                                                                                            \
    (Narrow<narrow<false, Exhaustion::retire, Reuse::lowest>>), (Narrow<narrow<true, Exhaustion::retire, Reuse::lifo>>),       \
        (Narrow<narrow<false, Exhaustion::wrap, Reuse::fifo>>), (Narrow<narrow<true, Exhaustion::wrap, Reuse::lowest>>)

template <class Map>
struct Victim {
    using handle_type = typename Map::handle_type;
    Map map{};
    std::map<int, handle_type> live{};

    explicit Victim(std::uint64_t seed) {
        Random random(seed);
        for (int step = 0; step != 1500; ++step) {
            if (random.chance(live.size() < 90 ? 60 : 40) && map.size() + map.pending() + map.retired() < Map::max_size()) {
                const auto result = map.try_emplace(step, 10 * step);
                live[step] = map.handle_at(result.it.slot());
            } else if (!live.empty()) {
                const auto at = std::next(live.begin(), random.below(live.size()));
                REQUIRE(map.erase(at->first));
                live.erase(at);
            }
            if (random.chance(10)) map.flush_removed();
        }
        // One slot to its last version, so that a retired one is there.
        for (int i = 0; i != 400 && Map::options.exhaustion == Exhaustion::retire && map.retired() == 0; ++i) {
            map.try_emplace(-1, 0);
            map.erase(-1);
            map.flush_removed();
        }
        for (int i = 0; i != 5; ++i) {
            REQUIRE(map.erase(live.begin()->first));
            live.erase(live.begin());
        }
        if (seed % 2 == 0) {
            for (auto at = live.begin(); at != live.end();) {
                if (at->second.index() < 60)
                    ++at;
                else {
                    map.erase(at->second);
                    at = live.erase(at);
                }
            }
            map.flush_removed();
            map.erase(live.begin()->first);
            live.erase(live.begin());
            map.shrink_to_fit();
        }
        REQUIRE(map.check_invariants());
        REQUIRE(live.size() > 20);
    }
    static handle_type pattern(unsigned bits) {
        return handle_type::from_bits(static_cast<typename handle_type::bits_type>(bits));
    }
};

} // namespace

TEMPLATE_TEST_CASE("any bit pattern may be looked up and is found exactly when it names a live element", "[hostile]",
                   NARROW_MAPS) {
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        const Victim<TestType> victim(seed);
        const auto& map = victim.map;
        std::map<typename TestType::handle_type, int> by_handle;
        for (const auto& [key, handle] : victim.live) by_handle[handle] = key;
        std::size_t found = 0, statuses[7] = {}, right = 0;
        for (unsigned bits = 0; bits != 65536; ++bits) {
            const auto handle = victim.pattern(bits);
            const auto at = by_handle.find(handle.with_user_bits(0));
            const bool live = at != by_handle.end();
            found += live;
            const auto status = map.explain(handle);
            ++statuses[static_cast<std::size_t>(status)];
            bool ok = map.contains(handle) == live && (map.get(handle) != nullptr) == live &&
                      (map.key(handle) != nullptr) == live && map.as_set().contains(handle) == live &&
                      (status == HandleStatus::live) == live && (status == HandleStatus::null) == handle.is_null();
            if (live)
                ok = ok && *map.get(handle) == 10 * at->second && *map.key(handle) == at->second &&
                     map.at(handle) == 10 * at->second;
            if (status == HandleStatus::pending) ok = ok && map.state(handle.index()) == SlotState::pending;
            if (status == HandleStatus::out_of_range) ok = ok && handle.index() >= map.capacity();
            ok = ok && map.values().get(handle) == map.get(handle) && map.keys().get(handle) == map.key(handle);
            right += ok;
            if (!ok) {
                CAPTURE(seed, handle, bits, static_cast<int>(status));
                REQUIRE(ok);
            }
        }
        REQUIRE(right == 65536);
        REQUIRE(found == victim.live.size() * 8);
        REQUIRE(statuses[static_cast<std::size_t>(HandleStatus::stale)] > 0);
        // One version of each pending slot is pending, with each of the eight user bit patterns.
        REQUIRE(statuses[static_cast<std::size_t>(HandleStatus::pending)] == map.pending() * 8);
        REQUIRE((statuses[static_cast<std::size_t>(HandleStatus::retired)] > 0) == (map.retired() != 0));
        const auto null = typename TestType::handle_type();
        REQUIRE_THROWS_AS(map.at(null), std::out_of_range);
        REQUIRE_THROWS_AS(map.at(victim.pattern(0xFFFF)), std::out_of_range);
    }
}

TEMPLATE_TEST_CASE("erase of a hostile handle has no effect", "[hostile]", NARROW_MAPS) {
    for (const std::uint64_t seed : {5u, 6u}) {
        Victim<TestType> victim(seed);
        auto& map = victim.map;
        std::set<typename TestType::handle_type> live;
        for (const auto& [key, handle] : victim.live) live.insert(handle);
        const auto before = state_of(map);
        const auto pending = pending_of(map);
        std::size_t refused = 0;
        for (unsigned bits = 0; bits != 65536; ++bits) {
            const auto handle = victim.pattern(bits);
            if (live.contains(handle.with_user_bits(0))) continue;
            if (map.erase(handle)) FAIL("erased something");
            ++refused;
        }
        REQUIRE(refused == 65536 - 8 * live.size());
        REQUIRE(state_of(map) == before);
        REQUIRE(pending_of(map) == pending);
        REQUIRE(map.check_invariants());
    }
}

TEST_CASE("slots far beyond can be looked up", "[hostile]") {
    MapStorage<int, int> map;
    SetStorage<int, Options<deferred>> set;
    map.try_emplace(1, 2);
    set.insert(1);
    set.erase(1);
    for (const slot_t slot : {slot_t{1}, slot_t{64}, slot_t{65536}, slot_t{1} << 31, no_slot - 1, no_slot}) {
        REQUIRE(map.state(slot) == SlotState::free);
        REQUIRE(map.handle_at(slot).is_null());
        REQUIRE(set.state(slot) == SlotState::free);
        REQUIRE(set.handle_at(slot).is_null());
        for (const std::uint32_t version : {0u, 1u, 2u, 0xFFFF'FFFFu}) {
            const decltype(map)::handle_type handle(slot, version);
            REQUIRE_FALSE(map.contains(handle));
            REQUIRE_FALSE(map.erase(handle));
            REQUIRE(map.get(handle) == nullptr);
            REQUIRE_FALSE(set.erase(decltype(set)::handle_type(slot, version)));
            REQUIRE(set.key(decltype(set)::handle_type(slot, version)) == nullptr);
        }
    }
    REQUIRE(map.check_invariants());
    REQUIRE(set.check_invariants());
}
