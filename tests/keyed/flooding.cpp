// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hashes and keys that were computed to collide. What they cost is counted: groups that a search reads, comparisons of keys.
#include "scene.hpp"
#include "support/allocators.hpp"

#include <slotwise/core/seeded_hash.hpp>

#include <functional>

using namespace test;

namespace {

template <class Allocator, class Fingerprints>
Fingerprints fingerprints_of(const GroupIndex<Allocator, Fingerprints>&);
/// Those that read no vectors.
using Portable = decltype(fingerprints_of(PortableHashIndex<std::allocator<std::byte>>()));

/// Counts the groups that searches and inserts read.
struct CountingFingerprints {
    static inline std::size_t groups = 0;
    static constexpr auto match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        if (!std::is_constant_evaluated()) ++groups;
        return Portable::match(fingerprints, fingerprint);
    }
};
using Counted = GroupIndex<std::allocator<std::byte>, CountingFingerprints>;

/// An index and the hashes that it should have, by slot; erased ones are 0.
template <class Index = Counted>
struct Flood {
    Index index{};
    std::vector<std::uint64_t> hashes{};

    auto source() const {
        return [this](auto&& entry) {
            for (std::size_t slot = 0; slot != hashes.size(); ++slot)
                if (hashes[slot] != 0) entry(static_cast<slot_t>(slot), hashes[slot]);
        };
    }
    void add(std::uint64_t hash) {
        index.make_room(source());
        index.place(hash, static_cast<slot_t>(hashes.size()));
        hashes.push_back(hash);
    }
    void drop(std::size_t slot) { index.erase(std::exchange(hashes[slot], 0), static_cast<slot_t>(slot)); }
    void drop_all() {
        for (std::size_t slot = 0; slot != hashes.size(); ++slot)
            if (hashes[slot] != 0) drop(slot);
    }
    bool sound() const { return index.is_sound(source()); }
    /// Lines read by the search for each entry, on average. Each is found.
    double groups_of_hit() const {
        std::size_t found = 0, all = 0;
        CountingFingerprints::groups = 0;
        for (std::size_t slot = 0; slot != hashes.size(); ++slot) {
            if (hashes[slot] == 0) continue;
            ++all;
            found += index.find(hashes[slot], [slot](slot_t each) { return each == slot; }) == slot;
        }
        REQUIRE(found == all);
        return static_cast<double>(CountingFingerprints::groups) / static_cast<double>(all);
    }
    std::size_t groups_of_miss(std::uint64_t hash) const {
        CountingFingerprints::groups = 0;
        REQUIRE(index.find(hash, [](slot_t) { return false; }) == no_slot);
        return CountingFingerprints::groups;
    }
};

/// Tag, class, group and step are those of every other, in tables of up to 2^14 groups.
constexpr std::uint64_t colliding(std::uint64_t i) { return (i + 1) << 46 | 0x1234'5678'9Au; }

#if SIZE_MAX > 0xFFFFFFFFu
/// Keys whose mix_bits ends in 46 zeros: factors of numbers whose halves agree in so many bits.
std::vector<std::uint64_t> colliding_keys(std::size_t count) {
    constexpr std::uint64_t k = 0x9E37'79B9'7F4A'7C15u, high_step = 0x96AB'6B5A'9ADE'5E87u, inverse = 0xF1DE'83E1'9937'733Du;
    std::vector<std::uint64_t> keys;
    std::uint64_t high = 0;
    for (std::uint64_t i = 0; keys.size() != count;
         ++i, high = high >= k - high_step ? high - (k - high_step) : high + high_step) {
        const std::uint64_t low = high + (i << 46), key = low * inverse;
        if (low >= high && mix_bits(key) << 18 == 0) keys.push_back(key);
    }
    return keys;
}
#endif

struct CountingEqual {
    static inline std::size_t calls = 0;
    bool operator()(std::uint64_t a, std::uint64_t b) const noexcept { return ++calls, a == b; }
};
template <KeySetOptions O = KeySetOptions{}>
using Keys = SetStorage<std::uint64_t, EqualBy<CountingEqual>, Options<O>>;

/// A value whose constructor calls a function.
struct Calling {
    explicit Calling(const std::function<void()>& f = {}) {
        if (f) f();
    }
};

} // namespace

TEST_CASE("hashes that spread are found in one group and a tenth, and no seed is drawn", "[flood]") {
    Flood<> flood;
    flood.index.reserve(40'000, flood.source()); // 4,096 groups
    for (std::uint64_t i = 0; i != 40'960; ++i) flood.add(mix_bits(i + 1));
    REQUIRE(flood.groups_of_hit() < 1.25); // a seed would add one group to each
    REQUIRE(flood.sound());
}

TEST_CASE("hashes computed to collide are searched for in a few groups, and so are others beside them", "[flood]") {
    Flood<> flood;
    CountingFingerprints::groups = 0;
    for (std::uint64_t i = 0; i != 20'000; ++i) flood.add(colliding(i));
    REQUIRE(CountingFingerprints::groups < 20'000 * 6); // growth included
    REQUIRE(flood.sound());
    REQUIRE(flood.groups_of_hit() < 2.5);
    for (std::uint64_t i = 0; i != 1000; ++i) {
        REQUIRE(flood.groups_of_miss(colliding(20'000 + i)) < 50);
        REQUIRE(flood.groups_of_miss(mix_bits(i)) < 50);
    }
    flood.drop_all();
    REQUIRE(flood.sound());
    for (std::uint64_t i = 0; i != 1000; ++i) REQUIRE(flood.groups_of_miss(colliding(i)) <= 2);
}

TEST_CASE("a few colliding hashes and one more that passes all their groups are noticed", "[flood]") {
    Flood<> flood;
    flood.index.reserve(10'240, flood.source()); // 1,024 groups, which the step 1 goes through
    for (std::uint64_t group = 0; group != 600; ++group)
        for (unsigned i = 0; i != 12; ++i) flood.add(group << 10 | (i + 1));
    flood.add(99); // passes 600 groups
    flood.add(mix_bits(1));
    REQUIRE(flood.groups_of_hit() < 2.5);
    REQUIRE(flood.groups_of_miss(98) < 50);
    REQUIRE(flood.sound());
}

TEST_CASE("a search passes no more groups than any entry has, whatever the counts say", "[flood]") {
    Flood<> flood;
    flood.index.reserve(10'240, flood.source());
    for (std::uint64_t group = 0; group < 600; group += 2) // thirteen a group: one goes on, to the next, which is empty
        for (unsigned i = 0; i != 13; ++i) flood.add(group << 10 | (i + 1));
    REQUIRE(flood.groups_of_miss(std::uint64_t{1} << 32 | 99) <=
            2); // the step is 2 | 1: not all of them, but those are not needed
    REQUIRE(flood.groups_of_miss(99) <= 2);
    for (std::uint64_t group = 1; group < 600; group += 2)
        for (unsigned i = 0; i != 11; ++i)
            flood.add(group << 10 | (i + 1)); // now each group is full, and says that entries went on
    for (std::uint64_t group = 1; group < 600; group += 2) flood.add(group << 10 | 200);
    REQUIRE(flood.groups_of_miss(99) < 52);
    REQUIRE(flood.sound());
}

TEST_CASE("hashes that collide only once the index has shrunk are noticed while it shrinks", "[flood]") {
    Flood<> flood;
    flood.index.reserve(1'000'000, flood.source());
    for (std::uint64_t i = 0; i != 5000; ++i) flood.add((i % 128) << 20 | (i / 128) << 40 | 7); // one group of 512, 128 of 2^17
    REQUIRE(flood.groups_of_hit() < 5);
    CountingFingerprints::groups = 0;
    flood.index.shrink_to_fit(flood.source());
    REQUIRE(CountingFingerprints::groups < 5000 * 4);
    REQUIRE(flood.index.memory_usage() == 512 * 64);
    REQUIRE(flood.groups_of_hit() < 2.5);
    REQUIRE(flood.sound());
}

TEST_CASE("an index with room draws its seed without memory", "[flood]") {
    Flood<HashIndex<ThrowingAllocator<std::byte>>> flood;
    flood.index.reserve(2000, flood.source());
    flood.hashes.reserve(2000);
    const auto memory = flood.index.memory_usage();
    const auto calls = Budget::calls();
    for (std::uint64_t i = 0; i != 2000; ++i) flood.add(colliding(i));
    REQUIRE(Budget::calls() == calls);
    REQUIRE(flood.index.memory_usage() == memory);
    REQUIRE(flood.sound());
}

TEST_CASE("copies, moves and swaps of an index take its seed along, and clear drops it", "[flood]") {
    Flood<> flood, other;
    for (std::uint64_t i = 0; i != 500; ++i) flood.add(colliding(i));
    for (std::uint64_t i = 0; i != 50; ++i) other.add(mix_bits(i + 1));
    Flood<> copy{Counted(flood.index, {}), flood.hashes};
    REQUIRE(copy.sound());
    copy.index.swap(other.index);
    copy.hashes.swap(other.hashes);
    REQUIRE((copy.sound() && other.sound()));
    Flood<> moved{Counted(std::move(other.index)), std::exchange(other.hashes, {})};
    REQUIRE((moved.sound() && other.sound())); // NOLINT(bugprone-use-after-move)
    other.add(colliding(1));
    REQUIRE(other.sound());
    REQUIRE(moved.groups_of_hit() >= 2);
    moved.index.clear();
    moved.hashes.clear();
    for (std::uint64_t i = 0; i != 100; ++i) moved.add(mix_bits(i + 1));
    REQUIRE(moved.groups_of_hit() < 1.5);                            // no seed
    REQUIRE(SipHash13().hash_value(1) != SipHash13().hash_value(1)); // each has a seed of its own
}

TEST_CASE("equal hashes cost what no seed can save, and nothing after they are gone", "[flood]") {
    for (const bool clears : {false, true}) {
        Flood<> flood;
        for (std::uint64_t i = 0; i != 2000; ++i) flood.add(i % 2 == 0 ? 77 : mix_bits(i));
        REQUIRE(flood.sound());
        for (std::size_t slot = 0; slot != 2000; slot += 2) flood.drop(slot);
        flood.add(1); // enters all again, because so many were removed
        REQUIRE(flood.sound());
        REQUIRE(flood.groups_of_miss(77) < 5);
        for (std::uint64_t i = 0; i != 1000; ++i) flood.add(77);
        if (clears) {
            flood.index.clear();
            flood.hashes.clear();
        } else
            flood.drop_all();
        REQUIRE(flood.groups_of_miss(77) == 1);
        REQUIRE(flood.sound());
    }
}

TEST_CASE("a flooded index works in constant expressions", "[flood]") {
    constexpr bool right = [] {
        HashIndex<std::allocator<std::byte>> index;
        const auto source = [&](slot_t end) {
            return [end](auto&& entry) {
                for (slot_t slot = 0; slot != end; ++slot) entry(slot, colliding(slot));
            };
        };
        for (slot_t slot = 0; slot != 100; ++slot) {
            index.make_room(source(slot));
            index.place(colliding(slot), slot);
        }
        bool all = index.is_sound(source(100));
        for (slot_t slot = 0; slot != 100; ++slot)
            all = all && index.find(colliding(slot), [=](slot_t s) { return s == slot; }) == slot;
        return all;
    }();
    STATIC_REQUIRE(right);
}

#if SIZE_MAX > 0xFFFFFFFFu // where a hash has 32 bits, such keys have equal hashes: SeededHash
TEST_CASE("integers computed to collide are compared as often as others, and leave nothing behind", "[flood]") {
    const auto keys = colliding_keys(8000);
    Keys<> set;
    set.reserve(1000);
    CountingEqual::calls = 0;
    for (const auto key : keys) set.insert(key);
    REQUIRE(CountingEqual::calls < 8000);
    REQUIRE(set.check_invariants());
    Keys<> copy(set), moved(std::move(copy)), assigned;
    assigned = moved;
    REQUIRE((moved.check_invariants() && assigned.check_invariants() && moved == set && assigned == set));
    slot_t next = 0;
    for (const auto key : set) REQUIRE(key == keys[next++]); // iteration is by slot: a seed changes no order
    CountingEqual::calls = 0;
    Keys<> restored;
    restored.restore(set.snapshot());
    REQUIRE(CountingEqual::calls < 8000);
    REQUIRE((restored == set && restored.check_invariants()));
    for (const auto key : keys) REQUIRE(set.erase(key));
    CountingEqual::calls = 0;
    for (const auto key : keys) REQUIRE_FALSE(set.contains(key));
    REQUIRE(CountingEqual::calls == 0);
    REQUIRE(set.check_invariants());
}

TEST_CASE("an element that is being resurrected is listed again when its value floods the index or makes room", "[flood]") {
    const auto keys = colliding_keys(400);
    using Map = MapStorage<std::uint64_t, Calling, Options<KeySetOptions{.deferred_erase = true}>>;
    for (const int what : {0, 1, 2, 3}) {
        Map map;
        map.try_emplace(1);
        map.try_emplace(2);
        map.erase(1);
        map.try_emplace(1, [&] {
            if (what == 0) map.reserve(1000);
            if (what == 1) map.shrink_to_fit();
            if (what == 2)
                for (const auto key : keys) map.try_emplace(key);
            if (what == 3) map.clear(), map.flush_removed(), map.reserve(500);
        });
        REQUIRE(map.contains(1));
        REQUIRE(map.check_invariants());
    }
}
#endif
