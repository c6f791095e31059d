// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every index policy must do, by itself and under sets and maps. The including source names the policies in TESTED_INDEX:
//     struct OverBoost { template <class A> using index = slotwise::BoostIndex<A>; };
//     #define TESTED_INDEX OverBoost
//     #define TESTED_INDEX_LOSES_ENTRIES_WITHOUT_MEMORY         if that library does
//     #define TESTED_INDEX_KEEPS_MEMORY_IT_CANNOT_SHRINK        if that library does
//     #include "adapters.hpp"
#include "keys.hpp"
#include "scene.hpp"

#include <slotwise/keyed/map_view.hpp>

#include <functional>
#include <map>
#include <set>
#include <source_location>

namespace {

using namespace test;

template <class P, class Key, class T, KeySetOptions O = KeySetOptions{}, class Hash = HashOf<Key>, class... Columns>
using MapOver = MapStorage<Key, T, HashBy<Hash>, EqualBy<EqualOf<Key>>, Options<O>, AllocBy<StatefulAllocator<Key>>,
                           IndexBy<P::template index>, Columns...>;
template <class P, class Key, KeySetOptions O = KeySetOptions{}>
using SetOver = SetStorage<Key, HashBy<HashOf<Key>>, EqualBy<EqualOf<Key>>, Options<O>, IndexBy<P::template index>>;

// A function, not REQUIRE at each place: that doubles what sanitizers compile.
void require(bool right, std::source_location at = std::source_location::current()) {
    if (!right) FAIL("wrong in line " << at.line());
}

//=== the policy by itself ===//

template <class P>
using Alone = typename P::template index<std::allocator<std::byte>>;
using Entries = std::map<slot_t, std::uint64_t>;

inline auto source_of(const Entries& entries) {
    return [&entries](auto&& entry) {
        for (const auto& [slot, hash] : entries) entry(slot, hash);
    };
}
template <class Index>
bool agrees(const Index& index, const Entries& entries) {
    bool found = true;
    for (const auto& [wanted, hash] : entries)
        found = found && index.find(hash, [w = wanted](slot_t slot) { return slot == w; }) == wanted;
    return found && index.size() == entries.size() && index.is_sound(source_of(entries));
}

/// Hashes as keyed containers give them: both halves vary together, or there are few.
inline std::uint64_t some_hash(Random& random) {
    return random.chance(50) ? mix_bits(random.next()) : mix_bits(random.below(10));
}

TEMPLATE_TEST_CASE("an index policy keeps entries by hash and slot", "[adapters]", TESTED_INDEX) {
    using Index = Alone<TestType>;
    for (std::uint64_t seed = 0; seed != 3; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        Index index;
        Entries entries;
        slot_t next = 0;
        const auto chosen = [&] { return std::next(entries.begin(), random.below(entries.size()))->first; };
        for (int step = 0; step != 1500; ++step) {
            const auto dice = random.below(1000);
            const auto hash = some_hash(random);
            if (dice < 500) {
                index.make_room(source_of(entries));
                index.place(hash, next);
                entries.emplace(next++, hash);
            } else if (dice < 700 && !entries.empty()) {
                const slot_t slot = chosen();
                index.erase(entries.at(slot), slot);
                entries.erase(slot);
            } else if (dice < 850 && !entries.empty()) {
                const slot_t slot = chosen();
                REQUIRE(index.take(entries.at(slot), [&](slot_t each) { return each == slot; }) == slot);
                entries.erase(slot);
            } else if (dice < 900) {
                // Every entry of this hash is asked.
                std::set<slot_t> asked, expected;
                REQUIRE(index.find(hash, [&](slot_t slot) { return asked.insert(slot), false; }) == no_slot);
                for (const auto& entry : entries)
                    if (entry.second == hash) expected.insert(entry.first);
                REQUIRE(std::includes(asked.begin(), asked.end(), expected.begin(), expected.end()));
                REQUIRE(index.take(hash, [](slot_t) { return false; }) == no_slot);
            } else if (dice < 930)
                index.reserve(entries.size() + random.below(100), source_of(entries));
            else if (dice < 960)
                index.shrink_to_fit(source_of(entries));
            else if (dice < 970) {
                Index copy(index, std::allocator<std::byte>());
                REQUIRE(agrees(copy, entries));
                index.swap(copy);
            } else if (dice < 980) {
                Index moved(std::move(index));
                REQUIRE(index.size() == 0); // NOLINT(bugprone-use-after-move)
                REQUIRE(agrees(moved, entries));
                REQUIRE(agrees(index, {}));
                index.swap(moved);
            } else if (dice < 985) {
                index.clear();
                entries.clear();
            } else if (dice < 990) {
                index.reset();
                entries.clear();
            }
            REQUIRE(index.size() == entries.size());
            if (step % 16 == 0) REQUIRE(agrees(index, entries));
        }
        REQUIRE(agrees(index, entries));
    }
}

TEMPLATE_TEST_CASE("an index policy's check sees what is missing, too many or another", "[adapters]", TESTED_INDEX) {
    Alone<TestType> index;
    Entries entries;
    for (slot_t slot = 0; slot != 20; ++slot) {
        index.make_room(source_of(entries));
        index.place(mix_bits(slot), slot);
        entries.emplace(slot, mix_bits(slot));
    }
    REQUIRE(agrees(index, entries));
    Entries fewer = entries, more = entries, other = entries, elsewhere = entries;
    fewer.erase(3);
    more.emplace(20, mix_bits(20));
    other.at(3) = mix_bits(1000);
    elsewhere.erase(3), elsewhere.emplace(99, mix_bits(3));
    for (const Entries& wrong : {fewer, more, other, elsewhere}) REQUIRE_FALSE(index.is_sound(source_of(wrong)));
}

//=== under sets and maps ===//

TEMPLATE_TEST_CASE("an index policy says to a factor of two what it holds", "[adapters]", TESTED_INDEX) {
    typename TestType::template index<StatefulAllocator<std::byte>> index(StatefulAllocator<std::byte>(77));
    for (slot_t slot = 0; slot != 20'000; ++slot) {
        index.make_room([&](auto&& entry) {
            for (slot_t each = 0; each != slot; ++each) entry(each, mix_bits(each));
        });
        index.place(mix_bits(slot), slot);
        if (slot % 100 != 99) continue;
        const std::size_t held = Ledger::live_bytes(77), said = index.memory_usage();
        require(said <= 2 * held && held <= 2 * said);
    }
    CHECK(index.size() == 20'000);
}

TEMPLATE_TEST_CASE("a set over an index policy takes strings as views and keeps its promises", "[adapters]", TESTED_INDEX) {
    using Set = SetOver<TestType, std::string>;
    Set set{"ada", "grace", "alan"};
    REQUIRE(set.contains(std::string_view("ada")));
    REQUIRE(set.contains("grace"));
    REQUIRE_FALSE(set.contains("edsger"));
    REQUIRE(set.insert("edsger").inserted);
    REQUIRE_FALSE(set.insert(std::string_view("edsger")).inserted);
    REQUIRE(set.erase(std::string_view("alan")));
    const std::string* const place = &set.key(set.slot_of("ada"));
    for (int i = 0; i != 5000; ++i) set.insert(make_key<std::string>(i));
    REQUIRE(&set.key(set.slot_of("ada")) == place);
    REQUIRE(*set.find("grace") == "grace");
    Set other{"ada", "barbara"};
    set.merge(other);
    REQUIRE(other == Set{"ada"});
    REQUIRE(set.includes(other));
    REQUIRE(set.check_invariants());
    REQUIRE(other.check_invariants());
    const SetView<std::string> view = set;
    REQUIRE(view.size() == 5004);
    const auto copy = set;
    set.clear();
    REQUIRE(set.check_invariants());
    set.insert("again");
    REQUIRE(copy.size() == 5004);
    REQUIRE(set.size() == 1);
}

TEMPLATE_TEST_CASE("columns and observers follow a map over an index policy", "[adapters]", TESTED_INDEX) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    using Map = MapOver<TestType, int, Tracked, deferred, HashOf<int>, ValueArray<int>>;
    Map map;
    KeyFollower follower;
    const auto token = map.attach(follower);
    for (int i = 0; i != 300; ++i) {
        const auto slot = map.try_emplace(i, i).it.slot();
        map.template observer<0>()[slot] = 2 * i;
    }
    for (int i = 0; i < 300; i += 3) map.erase(i);
    for (int i = 0; i < 300; i += 9) REQUIRE(map.try_emplace(i, -i).kind == InsertKind::resurrected);
    REQUIRE(follower.follows(map));
    map.flush_removed();
    map.shrink_to_fit();
    REQUIRE(follower.follows(map));
    for (int i = 0; i != 300; ++i)
        if (i % 3 != 0) REQUIRE(map.template column<0>()[map.slot_of(i)] == 2 * i);
    Map there(std::move(map));
    const auto size = there.size();
    Map moved(std::move(there), StatefulAllocator<int>(2)); // unequal: elements move one by one, into an index of its own
    REQUIRE((moved.size() == size && moved.at(1).value() == 1 && moved.check_invariants()));
    REQUIRE((there.empty() && there.check_invariants())); // NOLINT(bugprone-use-after-move)
    moved.reset();
    REQUIRE(follower.follows(moved));
    REQUIRE(moved.check_invariants());
}

TEMPLATE_TEST_CASE("keys that can only be moved, and values that cannot, live over an index policy", "[adapters]",
                   TESTED_INDEX) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    MapOver<TestType, MoveOnly, NonMovable> map;
    for (int i = 0; i != 500; ++i) map.try_emplace(MoveOnly(i), i);
    REQUIRE(map.at(77).value() == 77);
    REQUIRE(map.erase(77));
    REQUIRE(map.get(77) == nullptr);
    auto moved = std::move(map);
    REQUIRE(moved.size() == 499);
    REQUIRE(moved.check_invariants());
    REQUIRE(map.check_invariants()); // NOLINT(bugprone-use-after-move)
    map.try_emplace(MoveOnly(1), 1);
    REQUIRE(map.size() == 1);
}

#ifndef TESTED_INDEX_LOSES_ENTRIES_WITHOUT_MEMORY
TEMPLATE_TEST_CASE("a throw at any step over an index policy leaves the map as it was", "[adapters][throws]", TESTED_INDEX) {
    using Map = MapStorage<Throwing, Throwing, HashBy<ThrowingHash>, EqualBy<ThrowingEqual>, Options<deferred>,
                           AllocBy<ThrowingAllocator<Throwing>>, IndexBy<TestType::template index>>;
    using Act = std::function<void(KeyScene<Map>&)>; // one instantiation for all
    SECTION("insert") {
        strong<Map, Act>(
            "try_emplace", [](KeyScene<Map>& scene) { enter(scene.c, 500); }, 20);
    }
    SECTION("insert of many") {
        strong<Map, Act>(
            "reserve", [](KeyScene<Map>& scene) { scene.c.reserve(700); }, 5);
    }
    SECTION("shrink_to_fit") {
        strong<Map, Act>(
            "shrink_to_fit", [](KeyScene<Map>& scene) { scene.c.shrink_to_fit(); }, 1);
    }
    SECTION("copy") {
        strong<Map, Act>(
            "(copy)", [](KeyScene<Map>& scene) { Map copy(scene.c); }, 50);
    }
    SECTION("assignment") {
        strong<Map, Act>(
            "operator=(copy)",
            [](KeyScene<Map>& scene) {
                Map other;
                enter(other, 500);
                enter(other, 501);
                scene.c = other;
            },
            10);
    }
    SECTION("erase") {
        strong<Map, Act>(
            "erase", [](KeyScene<Map>& scene) { leave(scene.c, 4); }, 5);
    }
}

TEMPLATE_TEST_CASE("growth without memory over an index policy leaves every element", "[adapters][throws]", TESTED_INDEX) {
    using Map = MapStorage<int, int, Options<at_once>, AllocBy<ThrowingAllocator<int>>, IndexBy<TestType::template index>>;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>("try_emplace"), [](auto&& attempt) {
        Map map;
        int count = 0;
        attempt([&] {
            for (; count != 1000; ++count) map.try_emplace(count, count);
        });
        REQUIRE(map.size() == static_cast<std::size_t>(count));
        REQUIRE(map.check_invariants());
        for (int i = 0; i != 1000; ++i)
            if (map.contains(i) != (i < count)) FAIL("key " << i);
        for (; count != 1000; ++count) map.try_emplace(count, count);
        REQUIRE(map.check_invariants());
    });
    REQUIRE(failures > 10);
}

TEMPLATE_TEST_CASE("an operation of an index policy that throws leaves every entry", "[adapters][throws]", TESTED_INDEX) {
    using Index = typename TestType::template index<ThrowingAllocator<int>>;
    EveryByteReturned bytes;
    const auto sweep = [](const char* function, std::size_t room, auto&& act) {
        const auto failures = fail_at_every_step(swept<Index>(function), [&](auto&& attempt) {
            Index index;
            slot_t count = 0;
            const auto all = [&](auto&& entry) {
                for (slot_t slot = 0; slot != count; ++slot) entry(slot, mix_bits(slot));
            };
            const auto add = [&] {
                index.make_room(all);
                index.place(mix_bits(count), count);
                ++count;
            };
            index.reserve(room, all);
            while (count != 60) add();
            const bool threw = attempt([&] { act(index, all, add); });
            if (threw || count > 60) require(index.is_sound(all));
        });
        REQUIRE(failures > 0);
    };
    sweep("place", 0, [](Index&, auto&, auto& add) {
        for (int i = 0; i != 200; ++i) add();
    });
    sweep("reserve", 0, [](Index& index, auto& all, auto&) { index.reserve(5000, all); });
#ifndef TESTED_INDEX_KEEPS_MEMORY_IT_CANNOT_SHRINK
    sweep("shrink_to_fit", 5000, [](Index& index, auto& all, auto&) { index.shrink_to_fit(all); });
#endif
    sweep("(copy, allocator)", 0, [](Index& index, auto&, auto&) { const Index copy(index, ThrowingAllocator<int>()); });
    sweep("take", 0, [](Index& index, auto&, auto&) {
        index.take(mix_bits(7), [](slot_t slot) {
            Budget::spend();
            return slot == 7;
        });
    });
    calls_nothing_that_throws(swept<Index>("()"), [] { const Index none{}; });
    calls_nothing_that_throws(swept<Index>("(...)"), [] { const Index none{ThrowingAllocator<int>()}; });
}
#endif

} // namespace
