// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HashIndex and PortableHashIndex by themselves: entries against a map of slots to hashes, and overflow counts that are exact
// until they stick at 15.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/core/hash.hpp>
#include <slotwise/keyed/hash_index.hpp>

#include <map>

using namespace test;

namespace {

using Bytes = std::allocator<std::byte>;
using Native = HashIndex<Bytes>;
using Portable = PortableHashIndex<Bytes>;

/// Which slot has which hash: what a keyed container knows and the index must agree with.
using Entries = std::map<slot_t, std::uint64_t>;

auto source_of(const Entries& entries) {
    return [&entries](auto&& entry) {
        for (const auto& [slot, hash] : entries) entry(slot, hash);
    };
}
const auto nobody = [](slot_t) { return false; };
auto is(slot_t wanted) {
    return [wanted](slot_t slot) { return slot == wanted; };
}

/// A hash whose parts are chosen as group_index.hpp takes them apart: group (of few), fingerprint, whose lowest three bits are
/// the class, and two bits that mean nothing; `step` decides the next groups.
constexpr std::uint64_t hash_of(std::uint64_t group, unsigned unused, unsigned fingerprint, std::uint64_t step = 0) {
    return step << 32 | group << 10 | std::uint64_t{unused} << 8 | fingerprint;
}

/// An index with the entries it should have.
template <class Index>
struct Pair {
    Index index{};
    Entries entries{};

    void add(slot_t slot, std::uint64_t hash) {
        index.make_room(source_of(entries));
        index.place(hash, slot);
        entries.emplace(slot, hash);
    }
    void drop(slot_t slot) {
        index.erase(entries.at(slot), slot);
        entries.erase(slot);
    }
    bool sound() const { return index.size() == entries.size() && index.is_sound(source_of(entries)); }
    /// Every entry is found under its hash, and none where nobody says yes.
    bool complete() const {
        for (const auto& [slot, hash] : entries)
            if (index.find(hash, is(slot)) != slot || index.find(hash, nobody) != no_slot) return false;
        return true;
    }
};

/// Hashes for random tests. kinds: spread over all bits; few hashes, many equal; all in one group; one hash.
std::uint64_t random_hash(Random& random, unsigned kind) {
    switch (kind) {
    case 0:
        return random.next();
    case 1:
        return mix_bits(random.below(20));
    case 2: {
        const auto bits = random.next();
        return hash_of(7, (bits >> 20) & 3, (bits >> 30) & 255, (bits >> 40) % 3);
    }
    default:
        return hash_of(3, 2, 77);
    }
}

template <class Index>
void walk(std::uint64_t seed, unsigned kind, int steps) {
    CAPTURE(seed, kind);
    Random random(seed * 7 + kind);
    Pair<Index> pair;
    slot_t next = 0;
    const std::size_t most = kind == 3 ? 26 : 1500; // more of one hash would make counts stick
    for (int step = 0; step != steps; ++step) {
        const auto dice = random.below(1000);
        const bool filled = !pair.entries.empty();
        const auto chosen = [&] { return std::next(pair.entries.begin(), random.below(pair.entries.size()))->first; };
        if (dice < 500) {
            if (pair.entries.size() < most) pair.add(next++, random_hash(random, kind));
        } else if (dice < 700) {
            if (filled) pair.drop(chosen());
        } else if (dice < 850) {
            if (filled) {
                const slot_t slot = chosen();
                REQUIRE(pair.index.take(pair.entries.at(slot), is(slot)) == slot);
                pair.entries.erase(slot);
                REQUIRE(pair.index.take(random_hash(random, kind), nobody) == no_slot);
            }
        } else if (dice < 950) {
            const auto hash = random_hash(random, kind);
            const slot_t found = pair.index.find(hash, [&](slot_t slot) { return pair.entries.at(slot) == hash; });
            bool there = false;
            for (const auto& entry : pair.entries) there = there || entry.second == hash;
            REQUIRE((found != no_slot) == there);
            if (there) REQUIRE(pair.entries.at(found) == hash);
        } else if (dice < 970)
            pair.index.reserve(random.below(2 * pair.entries.size() + 50), source_of(pair.entries));
        else if (dice < 985)
            pair.index.shrink_to_fit(source_of(pair.entries));
        else if (dice < 990) {
            Index copy(pair.index, Bytes());
            pair.index.swap(copy);
        } else if (dice < 994) {
            Index moved(std::move(pair.index));
            REQUIRE(pair.index.size() == 0); // NOLINT(bugprone-use-after-move)
            REQUIRE(pair.index.find(random_hash(random, kind), nobody) == no_slot);
            pair.index.swap(moved);
        } else if (dice < 997) {
            pair.index.clear();
            pair.entries.clear();
        } else {
            pair.index.reset();
            pair.entries.clear();
            REQUIRE(pair.index.memory_usage() == 0);
        }
        if (!pair.sound()) FAIL("not sound after step " << step);
    }
    REQUIRE(pair.complete());
}

} // namespace

TEMPLATE_TEST_CASE("an empty index finds nothing and holds no memory", "[hash_index]", Native, Portable) {
    TestType index;
    REQUIRE(index.size() == 0);
    REQUIRE(index.memory_usage() == 0);
    for (const std::uint64_t hash : {0ull, 1ull, ~0ull}) {
        REQUIRE(index.find(hash, [](slot_t) { return true; }) == no_slot);
        REQUIRE(index.take(hash, [](slot_t) { return true; }) == no_slot);
    }
    REQUIRE(index.is_sound(source_of({})));
    index.clear();
    index.reset();
    index.shrink_to_fit(source_of({}));
    index.reserve(0, source_of({}));
    REQUIRE(index.memory_usage() == 0);
}

TEMPLATE_TEST_CASE("equality decides among entries of one hash, and is asked for no other hash's", "[hash_index]", Native,
                   Portable) {
    Pair<TestType> pair;
    const std::uint64_t hash = mix_bits(1), other = mix_bits(2);
    for (slot_t slot = 0; slot != 30; ++slot) pair.add(slot, slot % 2 == 0 ? hash : other);
    REQUIRE(static_cast<std::uint8_t>(hash) != static_cast<std::uint8_t>(other)); // so their fingerprints differ
    std::vector<slot_t> asked;
    REQUIRE(pair.index.find(hash, [&](slot_t slot) { return asked.push_back(slot), false; }) == no_slot);
    std::sort(asked.begin(), asked.end());
    REQUIRE(asked == [] {
        std::vector<slot_t> even;
        for (slot_t slot = 0; slot != 30; slot += 2) even.push_back(slot);
        return even;
    }());
    REQUIRE(pair.complete());
}

TEMPLATE_TEST_CASE("a fingerprint of zero is an entry like any other", "[hash_index]", Native, Portable) {
    Pair<TestType> pair;
    for (slot_t slot = 0; slot != 40; ++slot) pair.add(slot, hash_of(0, slot % 4, slot % 3)); // fingerprints 0, 1 and 2
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
    for (slot_t slot = 0; slot < 40; slot += 3) pair.drop(slot); // those with 0
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
}

TEMPLATE_TEST_CASE("equality that throws leaves the entries, in find and in take", "[hash_index]", Native, Portable) {
    Pair<TestType> pair;
    for (slot_t slot = 0; slot != 100; ++slot) pair.add(slot, mix_bits(slot));
    const auto throws = [](slot_t) -> bool { TEST_THROW(InjectedFailure()); };
    REQUIRE_THROWS_AS(pair.index.find(mix_bits(5), throws), InjectedFailure);
    REQUIRE_THROWS_AS(pair.index.take(mix_bits(5), throws), InjectedFailure);
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
}

TEMPLATE_TEST_CASE("reserve makes room for so many entries, and they then allocate nothing", "[hash_index]", Native, Portable) {
    for (const std::size_t count : {1u, 10u, 11u, 20u, 21u, 100u, 160u, 161u, 1000u}) {
        CAPTURE(count);
        Pair<TestType> pair;
        pair.index.reserve(count, source_of(pair.entries));
        const auto memory = pair.index.memory_usage();
        REQUIRE(memory % 64 == 0);
        for (slot_t slot = 0; slot != count; ++slot) pair.add(slot, mix_bits(slot));
        REQUIRE(pair.index.memory_usage() == memory);
        pair.index.reserve(count / 2, source_of(pair.entries));
        REQUIRE(pair.index.memory_usage() == memory);
        REQUIRE(pair.sound());
        REQUIRE(pair.complete());
        pair.index.reserve(100 * count, source_of(pair.entries));
        REQUIRE(pair.index.memory_usage() > memory);
        REQUIRE(pair.sound());
        pair.index.shrink_to_fit(source_of(pair.entries));
        REQUIRE(pair.index.memory_usage() == memory);
        REQUIRE(pair.sound());
        REQUIRE(pair.complete());
    }
}

TEMPLATE_TEST_CASE("an index holds eight bytes and a half an entry when it is full, twice that after growth", "[hash_index]",
                   Native, Portable) {
    Pair<TestType> pair;
    for (slot_t slot = 0; slot != 10 * 1024; ++slot) {
        pair.add(slot, mix_bits(slot));
        if (slot > 10) REQUIRE(pair.index.memory_usage() <= 128 * pair.index.size() / 10 + 64);
    }
    REQUIRE(pair.index.memory_usage() == 64 * 1024); // ten entries a group of 64 bytes
}

namespace {
/// A source that knows for how many slots its container has room, and counts how often it is asked for all entries.
struct RoomySource {
    const Entries* entries;
    std::size_t slots;
    int* fills;

    std::size_t capacity() const { return slots; }
    template <class Entry>
    void operator()(Entry&& entry) const {
        ++*fills;
        source_of (*entries)(entry);
    }
};
} // namespace

TEMPLATE_TEST_CASE("a small index grows at once for the slots of its container, to 4 KiB at most", "[hash_index]", Native,
                   Portable) {
    for (const std::size_t slots : {64u, 128u, 512u, 1u << 30}) {
        CAPTURE(slots);
        Pair<TestType> pair;
        int fills = 0;
        const auto add = [&](slot_t slot) {
            pair.index.make_room(RoomySource{&pair.entries, slots, &fills});
            pair.index.place(mix_bits(slot), slot);
            pair.entries.emplace(slot, mix_bits(slot));
        };
        for (slot_t slot = 0; slot != 10; ++slot) add(slot);
        CHECK(pair.index.memory_usage() == 64); // a group: a container of few elements stays small
        fills = 0;
        add(10);
        CHECK(pair.index.memory_usage() == (slots == 64 ? 512u : slots == 128 ? 1024u : 4096u));
        for (slot_t slot = 11; slot != 2000; ++slot) add(slot);
        CHECK(pair.index.memory_usage() == 256 * 64);
        CHECK(fills == (slots == 64 ? 6 : slots == 128 ? 5 : 3));
        CHECK((pair.sound() && pair.complete()));
    }
}

TEMPLATE_TEST_CASE("clear keeps the memory, reset gives it back, and both forget every count", "[hash_index]", Native,
                   Portable) {
    Pair<TestType> pair;
    for (slot_t slot = 0; slot != 200; ++slot) pair.add(slot, hash_of(1, 3, slot + 1)); // all in one group: many pass by
    const auto memory = pair.index.memory_usage();
    pair.index.clear();
    pair.entries.clear();
    REQUIRE(pair.index.memory_usage() == memory);
    REQUIRE(pair.sound());
    for (slot_t slot = 0; slot != 20; ++slot) pair.add(slot, hash_of(1, 3, slot));
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
    pair.index.reset();
    pair.entries.clear();
    REQUIRE(pair.index.memory_usage() == 0);
    REQUIRE(pair.sound());
    for (slot_t slot = 0; slot != 20; ++slot) pair.add(slot, hash_of(1, 3, slot));
    REQUIRE(pair.sound());
}

TEMPLATE_TEST_CASE("check sees every kind of disagreement", "[hash_index]", Native, Portable) {
    Pair<TestType> pair;
    for (slot_t slot = 0; slot != 13; ++slot) pair.add(slot, hash_of(0, 1, slot + 1));
    REQUIRE(pair.sound());
    const auto says = [&](auto change) {
        Entries changed = pair.entries;
        change(changed);
        return pair.index.is_sound(source_of(changed));
    };
    REQUIRE(says([](Entries&) {}));
    REQUIRE_FALSE(says([](Entries& e) { e.erase(5); }));
    REQUIRE_FALSE(says([](Entries& e) { e.emplace(99, hash_of(0, 1, 1)); }));
    REQUIRE_FALSE(says([](Entries& e) { e[5] ^= 0x80; }));                 // another fingerprint
    REQUIRE_FALSE(says([](Entries& e) { e.erase(5), e.emplace(99, 6); })); // another slot
    REQUIRE_FALSE(says([](Entries& e) { e[12] = hash_of(0, 1, 14); }));    // another class: its count is too low
    Pair<TestType> single;
    single.add(1, hash_of(0, 0, 9));
    single.index.reserve(20, source_of(single.entries)); // two groups
    REQUIRE(single.sound());
    single.entries[1] = hash_of(1, 0, 9);
    REQUIRE_FALSE(single.sound()); // in a group that the hash does not lead to
}

TEMPLATE_TEST_CASE("all entries in one group go on to the others and come back out", "[hash_index]", Native, Portable) {
    for (const std::uint64_t step : {0ull, 1ull, 2ull, 0xFFFF'FFFFull}) {
        CAPTURE(step);
        Pair<TestType> pair;
        for (slot_t slot = 0; slot != 640; ++slot) pair.add(slot, hash_of(5, slot % 4, slot % 251, step));
        REQUIRE(pair.sound());
        REQUIRE(pair.complete());
        Random random(step + 1);
        while (!pair.entries.empty()) {
            pair.drop(std::next(pair.entries.begin(), random.below(pair.entries.size()))->first);
            if (pair.entries.size() % 64 == 0) REQUIRE(pair.sound());
        }
        // Counts went back to zero: what comes now is found in the first group, and a miss ends there.
        REQUIRE(pair.sound());
    }
}

TEMPLATE_TEST_CASE("a miss in an empty group compares nothing, and a miss past zero counts reads this group only",
                   "[hash_index]", Native, Portable) {
    Pair<TestType> pair;
    pair.index.reserve(40, source_of(pair.entries)); // four groups
    for (slot_t slot = 0; slot != 12; ++slot) pair.add(slot, hash_of(0, 0, 7));
    pair.add(12, hash_of(1, 0, 7)); // where class 0 of group 0 would go on to
    unsigned asked = 0;
    const auto count = [&](slot_t) { return ++asked, false; };
    REQUIRE(pair.index.find(hash_of(2, 0, 7), count) == no_slot);
    REQUIRE(asked == 0);
    REQUIRE(pair.index.find(hash_of(0, 0, 7), count) == no_slot);
    REQUIRE(asked == 12);
    pair.add(13, hash_of(0, 0, 8)); // passes by in class 0, not in that of 7
    asked = 0;
    REQUIRE(pair.index.find(hash_of(0, 0, 7), count) == no_slot);
    REQUIRE(asked == 12);
    asked = 0;
    REQUIRE(pair.index.find(hash_of(0, 0, 8), count) == no_slot);
    REQUIRE(asked == 1);
    pair.drop(13);
    pair.add(14, hash_of(1, 0, 8)); // would be compared by a search that went on
    asked = 0;
    REQUIRE(pair.index.find(hash_of(0, 0, 8), count) == no_slot);
    REQUIRE(asked == 0);
    REQUIRE(pair.sound());
}

TEMPLATE_TEST_CASE("counts stick at 15, and everything is still found, missed and erased", "[hash_index]", Native, Portable) {
    Pair<TestType> pair;
    const std::uint64_t hash = hash_of(0, 0, 1);
    for (slot_t slot = 0; slot != 1000; ++slot) pair.add(slot, hash);
    REQUIRE(pair.sound());
    for (const slot_t slot : {0u, 11u, 12u, 500u, 999u}) REQUIRE(pair.index.find(hash, is(slot)) == slot);
    for (slot_t slot = 0; slot != 990; ++slot) pair.drop(slot);
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
    for (slot_t slot = 0; slot != 600; ++slot) pair.add(slot, hash);
    REQUIRE(pair.sound());
    for (slot_t slot = 0; slot != 600; ++slot) pair.drop(slot);
    for (slot_t slot = 990; slot != 1000; ++slot) pair.drop(slot);
    REQUIRE(pair.sound());
    // The counts that stick lead a miss through every group, once: it ends.
    REQUIRE(pair.index.find(hash, nobody) == no_slot);
    REQUIRE(pair.index.take(hash, nobody) == no_slot);
    pair.add(1, hash);
    REQUIRE(pair.complete());
}

TEMPLATE_TEST_CASE("a miss ends although every group says that entries went on", "[hash_index]", Native, Portable) {
    Pair<TestType> pair;
    pair.index.reserve(640, source_of(pair.entries)); // 64 groups, never more below
    const auto memory = pair.index.memory_usage();
    // 640 entries from group 0 on make the counts of the first half stick, as many from group 32 on those of the second.
    for (const std::uint64_t group : {0u, 32u}) {
        for (slot_t slot = 0; slot != 640; ++slot) pair.add(slot, hash_of(group, 2, 1));
        REQUIRE(pair.sound());
        for (slot_t slot = 0; slot != 640; ++slot) pair.drop(slot);
        REQUIRE(pair.sound());
    }
    REQUIRE(pair.index.memory_usage() == memory);
    for (const std::uint64_t step : {0ull, 2ull, 0xFFFF'FFFFull}) {
        REQUIRE(pair.index.find(hash_of(5, 2, 1, step), nobody) == no_slot);
        REQUIRE(pair.index.take(hash_of(63, 2, 9, step), [](slot_t) { return true; }) == no_slot);
    }
    // All else works as ever, and each entry is asked at most once.
    for (slot_t slot = 0; slot != 640; ++slot) pair.add(slot, hash_of(slot, 2, 1, slot));
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
    std::vector<slot_t> asked;
    REQUIRE(pair.index.find(hash_of(7, 2, 1), [&](slot_t slot) { return asked.push_back(slot), false; }) == no_slot);
    std::sort(asked.begin(), asked.end());
    REQUIRE(std::unique(asked.begin(), asked.end()) == asked.end());
    REQUIRE(asked.size() < 640 / 4); // the counts that stuck went with the last entries: it does not go through every group
    for (slot_t slot = 1; slot != 640; ++slot) pair.drop(slot);
    // A rebuild counts again: a miss then reads one group.
    pair.index.shrink_to_fit(source_of(pair.entries));
    REQUIRE(pair.index.memory_usage() == 64);
    REQUIRE(pair.sound());
    REQUIRE(pair.complete());
}

TEST_CASE("an allocator that throws in a rebuild or a copy leaves everything", "[hash_index][throws]") {
    using Index = HashIndex<ThrowingAllocator<std::byte>>;
    EveryByteReturned bytes;
    const auto act_on = [](const char* function, auto act) {
        return fail_at_every_step(swept<Index>(function), [&](auto&& attempt) {
            Pair<Index> pair;
            pair.index.reserve(100, source_of(pair.entries));
            for (slot_t slot = 0; slot != 160; ++slot) pair.add(slot, mix_bits(slot));
            const auto memory = pair.index.memory_usage();
            if (attempt([&] { act(pair); })) REQUIRE(pair.index.memory_usage() == memory);
            REQUIRE(pair.sound());
            REQUIRE(pair.complete());
        });
    };
    REQUIRE(act_on("make_room", [](Pair<Index>& pair) { pair.index.make_room(source_of(pair.entries)); }) == 1);
    REQUIRE(act_on("reserve", [](Pair<Index>& pair) { pair.index.reserve(5000, source_of(pair.entries)); }) == 1);
    REQUIRE(act_on("(copy, allocator)", [](Pair<Index>& pair) { Index copy(pair.index, {}); }) == 1);
    REQUIRE(act_on("shrink_to_fit", [](Pair<Index>& pair) {
                for (slot_t slot = 0; slot != 155; ++slot) pair.drop(slot);
                pair.index.shrink_to_fit(source_of(pair.entries));
            }) == 1);
}

TEST_CASE("groups lie on cache lines of the allocator they were made with", "[hash_index]") {
    EveryByteReturned bytes;
    using Index = HashIndex<StatefulAllocator<std::byte>>;
    Pair<Index> pair{Index(StatefulAllocator<std::byte>(3)), {}};
    for (slot_t slot = 0; slot != 100; ++slot) pair.add(slot, mix_bits(slot));
    REQUIRE(Ledger::live_bytes(3) == pair.index.memory_usage());
    Pair<Index> copy{Index(pair.index, StatefulAllocator<std::byte>(4)), pair.entries};
    REQUIRE(Ledger::live_bytes(4) == copy.index.memory_usage());
    copy.index.swap(pair.index);
    REQUIRE(copy.sound());
    copy.index.reset();
    REQUIRE(Ledger::live_bytes(3) == 0);
    for (slot_t slot = 100; slot != 1000; ++slot) pair.add(slot, mix_bits(slot));
    REQUIRE(Ledger::live_bytes(4) == pair.index.memory_usage());
    REQUIRE(pair.complete());
}

TEMPLATE_TEST_CASE("an index works in constant expressions", "[hash_index]", Native, Portable) {
    constexpr bool right = [] {
        TestType index;
        const auto all = [&](auto&& entry) {
            for (slot_t slot = 0; slot != index.size(); ++slot) entry(slot, mix_bits(slot));
        };
        for (slot_t slot = 0; slot != 30; ++slot) {
            index.make_room(all);
            index.place(mix_bits(slot), slot);
        }
        bool found = index.is_sound(all);
        for (slot_t slot = 0; slot != 30; ++slot)
            found = found && index.find(mix_bits(slot), [&](slot_t each) { return each == slot; }) == slot;
        index.erase(mix_bits(29), 29);
        return found && index.size() == 29 && index.find(mix_bits(29), [](slot_t each) { return each == 29; }) == no_slot;
    }();
    STATIC_REQUIRE(right);
}

TEMPLATE_TEST_CASE("random histories of an index agree with a map", "[hash_index]", Native, Portable) {
    for (std::uint64_t seed = 0; seed != 4; ++seed)
        for (unsigned kind = 0; kind != 4; ++kind) walk<TestType>(seed, kind, 1200);
}

TEST_CASE("with and without vector instructions entries come to the same places", "[hash_index]") {
    // Both are then interchangeable in every respect; what one test proves of the one holds for the other.
    Pair<Native> native;
    Pair<Portable> portable;
    Random random(5);
    for (slot_t slot = 0; slot != 2000; ++slot) {
        const auto hash =
            random_hash(random, slot % 32 == 0 ? slot / 32 % 4 : 0); // not so many that each draws a seed of its own
        native.add(slot, hash);
        portable.add(slot, hash);
        if (slot % 3 == 2) native.drop(slot / 3), portable.drop(slot / 3);
    }
    for (const auto& [slot, hash] : native.entries) {
        std::vector<slot_t> a, b;
        native.index.find(hash, [&](slot_t each) { return a.push_back(each), false; });
        portable.index.find(hash, [&](slot_t each) { return b.push_back(each), false; });
        if (a != b) FAIL("slot " << slot);
    }
    REQUIRE(native.index.memory_usage() == portable.index.memory_usage());
}
