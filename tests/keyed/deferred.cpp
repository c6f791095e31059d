// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeySetOptions::deferred_erase: live, pending and free; what stays readable, what comes back, and in which order it goes.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <set>
#include <stdexcept>

namespace {

using namespace test;

constexpr KeySetOptions deferring(Reuse reuse = Reuse::lowest) {
    return {.deferred_erase = true, .reuse = reuse, .page_slots = 64};
}
/// Two lives a slot: versions 1 and 3.
constexpr KeySetOptions two_lives(Exhaustion exhaustion) {
    return {.deferred_erase = true,
            .exhaustion = exhaustion,
            .page_slots = 64,
            .handle = {.index_bits = 8, .version_bits = 2, .user_bits = 6}};
}

template <class Key, class T, KeySetOptions O = deferring(), class... Columns>
using MapOf = MapStorage<Key, T, HashBy<HashOf<Key>>, EqualBy<EqualOf<Key>>, Options<O>, Columns...>;

std::string key_text(int i) { return make_key<std::string>(i); }

template <class C>
std::vector<slot_t> pending_slots(const C& container) {
    std::vector<slot_t> result;
    container.for_each_pending([&](slot_t slot) { result.push_back(slot); });
    return result;
}

} // namespace

TEST_CASE("an erased element is no member any more, but its key, value and columns stay readable until the flush",
          "[deferred]") {
    NothingLeaks objects;
    MapOf<std::string, Tracked, deferring(), ValueArray<std::string>> map;
    for (int i = 0; i != 10; ++i) map.observer<0>()[map.try_emplace(key_text(i), i).it.slot()] = key_text(100 + i);
    const auto alive = objects.alive();
    const auto handle = map.handle_of(key_text(4));
    const slot_t slot = handle.index();
    const std::string* const address = &map.key(slot);
    REQUIRE(map.erase(key_text(4)));
    REQUIRE_FALSE(map.erase(key_text(4)));
    REQUIRE_FALSE(map.erase(handle));
    REQUIRE(map.size() == 9);
    REQUIRE(map.pending() == 1);
    REQUIRE_FALSE(map.contains(key_text(4)));
    REQUIRE_FALSE(map.contains(handle));
    REQUIRE(map.find(key_text(4)) == map.end());
    REQUIRE(map.slot_of(key_text(4)) == no_slot);
    REQUIRE(map.handle_of(key_text(4)).is_null());
    REQUIRE(map.handle_at(slot).is_null());
    REQUIRE(map.get(key_text(4)) == nullptr);
    REQUIRE(map.get(handle) == nullptr);
    REQUIRE(map.key(handle) == nullptr);
    REQUIRE_FALSE(map.extract(key_text(4)).has_value());
    REQUIRE(map.slot_of_any(key_text(4)) == slot);
    REQUIRE(map.slot_of_any(key_text(5)) == map.slot_of(key_text(5)));
    REQUIRE(map.slot_of_any(key_text(50)) == no_slot);
    REQUIRE(map.state(slot) == SlotState::pending);
    REQUIRE(map.explain(handle) == HandleStatus::pending);
    REQUIRE(&map.key(slot) == address);
    REQUIRE(*address == key_text(4));
    REQUIRE(map.value(slot).value() == 4);
    REQUIRE(map.observer<0>()[slot] == key_text(104));
    REQUIRE(objects.alive() == alive);
    REQUIRE(map.check_invariants());
    map.flush_removed();
    REQUIRE(map.pending() == 0);
    REQUIRE(map.state(slot) == SlotState::free);
    REQUIRE(map.explain(handle) == HandleStatus::stale);
    REQUIRE(map.slot_of_any(key_text(4)) == no_slot);
    REQUIRE(objects.alive() < alive);
    REQUIRE(map.size() == 9);
    map.flush_removed();
    REQUIRE(map.size() == 9);
    REQUIRE(map.check_invariants());
}

TEST_CASE("pending elements are not met on any walk and do not count in comparisons", "[deferred]") {
    MapOf<int, int> map, other;
    for (int i = 0; i != 200; ++i) map[i] = i;
    for (int i = 0; i != 200; ++i)
        if (i % 3 == 0)
            map.erase(i);
        else
            other[i] = i;
    REQUIRE(map == other);
    REQUIRE(map.as_set() == other.as_set());
    const auto live = [](int key) { return key % 3 != 0; };
    std::size_t met = 0;
    for (const auto [key, value] : map) met += live(key) ? 1u : 1000u;
    for (const auto& item : map.items()) met += live(item.key) ? 1u : 1000u;
    map.for_each([&](int key, int) { met += live(key) ? 1u : 1000u; });
    for (const int key : map.keys()) met += live(key) ? 1u : 1000u;
    for (const int value : map.values()) met += live(value) ? 1u : 1000u;
    for (const int key : map.as_set()) met += live(key) ? 1u : 1000u;
    for (const slot_t slot : map.slots()) met += live(map.key(slot)) ? 1u : 1000u;
    REQUIRE(met == 7 * map.size());
    REQUIRE(map.occupancy().count() == map.size());
    REQUIRE(map.erase_if([&](int key, int) { return !live(key); }) == 0);
    REQUIRE(map.pending() == 67);
}

TEST_CASE("remove says what erase does: by key, by handle, by iterator", "[deferred]") {
    SetStorage<std::string, Options<deferring()>> set{"a", "b", "c", "d"};
    REQUIRE(set.remove("a"));
    REQUIRE_FALSE(set.remove("a"));
    REQUIRE(set.remove(set.handle_of("b")));
    REQUIRE(*set.remove(set.find("c")) == "d");
    REQUIRE(set.pending() == 3);
    REQUIRE(set.size() == 1);
    MapOf<int, int> map{{1, 10}, {2, 20}, {3, 30}, {4, 40}};
    REQUIRE(map.remove(1));
    REQUIRE(map.remove(map.handle_of(2)));
    REQUIRE(map.remove(map.begin())->value == 40);
    REQUIRE(map.remove(map.cbegin()) == map.end());
    REQUIRE(map.pending() == 4);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE_SIG("no slot of a removed element is used again before the flush, whatever the reuse", "[deferred]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    MapOf<int, int, deferring(R)> map;
    Random random(5);
    std::set<slot_t> pending;
    int next = 0, flushes = 0;
    std::size_t reused = 0, most = 0;
    std::set<slot_t> ever;
    for (int step = 0; step != 3000; ++step) {
        if (map.size() < 20 || random.chance(55)) {
            const slot_t slot = map.try_emplace(next++, step).it.slot();
            REQUIRE_FALSE(pending.contains(slot));
            reused += !ever.insert(slot).second;
        } else {
            const int key = map.begin()->key;
            pending.insert(map.slot_of(key));
            map.erase(key);
        }
        if (random.chance(1)) {
            most = std::max(most, pending.size());
            map.flush_removed();
            pending.clear();
            ++flushes;
        }
        REQUIRE(map.pending() == pending.size());
        REQUIRE(map.size() + map.pending() <= map.capacity());
        if (step % 50 == 0) REQUIRE(map.check_invariants());
    }
    REQUIRE(flushes > 10);
    REQUIRE(most > 64);
    REQUIRE(reused > 100);
}

TEST_CASE("a pending key that is added again gets its slot and address back, with a fresh value and a new version",
          "[deferred]") {
    NothingLeaks objects;
    MapOf<std::string, Tracked, deferring(), ValueArray<std::string>> map;
    for (int i = 0; i != 20; ++i) map.observer<0>()[map.try_emplace(key_text(i), i).it.slot()] = "written";
    const auto add = [&](int how, const std::string& key, int value) {
        switch (how) {
        case 0:
            return map.try_emplace(key, value);
        case 1:
            return map.emplace(key, Tracked(value));
        case 2:
            return map.insert(key, value);
        default:
            return map.insert_or_assign(key, Tracked(value));
        }
    };
    for (int how = 0; how != 4; ++how) {
        const auto old = map.handle_of(key_text(7));
        const slot_t slot = old.index();
        const std::string* const key_address = &map.key(slot);
        const Tracked* const address = &map.value(slot);
        map.observer<0>()[slot] = "written";
        map.erase(key_text(7));
        map.erase(key_text(3));
        const auto result = add(how, key_text(7), 700 + how);
        REQUIRE(result.inserted);
        REQUIRE(result.kind == InsertKind::resurrected);
        REQUIRE(result.it.slot() == slot);
        REQUIRE(&map.key(slot) == key_address);
        REQUIRE(&map.value(slot) == address);
        REQUIRE(address->value() == 700 + how);
        REQUIRE(map.observer<0>()[slot].empty());
        const auto handle = map.handle_of(key_text(7));
        REQUIRE(handle.index() == slot);
        REQUIRE(handle.version() == old.version() + 2);
        REQUIRE_FALSE(map.contains(old));
        REQUIRE(map.explain(old) == HandleStatus::stale);
        REQUIRE(map.state(slot) == SlotState::live);
        REQUIRE_FALSE(add(how, key_text(7), 700 + how).inserted);
        REQUIRE(map.pending() == 1);
        map.flush_removed(); // of the other one alone
        REQUIRE(map.at(key_text(7)).value() == 700 + how);
        REQUIRE(map.pending() == 0);
        REQUIRE(map.try_emplace(key_text(3), 3).kind == InsertKind::fresh);
        REQUIRE(map.check_invariants());
    }
    map.erase(key_text(7));
    REQUIRE(map[key_text(7)].value() == 0);
    REQUIRE(map.size() == 20);
}

TEST_CASE("values that cannot move are rebuilt in place when their key is inserted again", "[deferred]") {
    NothingLeaks objects;
    MapOf<int, NonMovable> map;
    const slot_t slot = map.try_emplace(1, 10).it.slot();
    const NonMovable* const address = map.get(1);
    map.erase(1);
    REQUIRE(map.try_emplace(1, 11).kind == InsertKind::resurrected);
    REQUIRE(map.get(1) == address);
    REQUIRE(address->value() == 11);
    map.erase(1);
    REQUIRE(map.value(slot).value() == 11);
    REQUIRE(map.check_invariants());
}

TEST_CASE("a set's key comes back by every way to insert; a resurrected string is not copied again", "[deferred]") {
    SetStorage<std::string, Options<deferring()>> set;
    const slot_t slot = set.insert(key_text(1)).it.slot();
    const char* const text = set.key(slot).data();
    set.erase(key_text(1));
    std::string key = key_text(1);
    REQUIRE(set.insert(std::move(key)).kind == InsertKind::resurrected);
    set.erase(key_text(1));
    REQUIRE(set.insert(std::string_view(key_text(1))).kind == InsertKind::resurrected);
    set.erase(key_text(1));
    REQUIRE(set.emplace(key_text(1)).kind == InsertKind::resurrected);
    set.erase(key_text(1));
    const auto again = set.insert(set.key(slot)); // its own pending key
    REQUIRE(again.kind == InsertKind::resurrected);
    REQUIRE(again.it.slot() == slot);
    REQUIRE(set.key(slot).data() == text);
    REQUIRE(set.size() == 1);
    REQUIRE(set.pending() == 0);
    REQUIRE(set.handle_at(slot).version() == 9);
    REQUIRE(set.check_invariants());
}

TEST_CASE("the flush goes from the one removed first to the one removed last, by its last removal", "[deferred]") {
    static std::vector<int> destroyed;
    struct Noted {
        int number = 0;
        explicit Noted(int n) : number(n) {}
        Noted(const Noted&) = delete;
        Noted& operator=(const Noted&) = delete;
        ~Noted() { destroyed.push_back(number); }
    };
    MapOf<int, Noted> map;
    for (int i = 0; i != 100; ++i) map.try_emplace(i, i);
    for (const int i : {40, 10, 90, 20, 70}) map.erase(i);
    const auto slot_of_pending = [&](int i) { return map.slot_of_any(i); };
    REQUIRE(pending_slots(map) == std::vector{slot_of_pending(40), slot_of_pending(10), slot_of_pending(90),
                                              slot_of_pending(20), slot_of_pending(70)});
    map.try_emplace(10, 10); // comes back
    map.try_emplace(40, 40); // comes back, and is removed once more: the youngest now
    map.erase(40);
    REQUIRE(pending_slots(map) ==
            std::vector{slot_of_pending(90), slot_of_pending(20), slot_of_pending(70), slot_of_pending(40)});
    REQUIRE(map.check_invariants());
    destroyed.clear();
    map.flush_removed();
    REQUIRE(destroyed == std::vector{90, 20, 70, 40});
    REQUIRE(map.contains(10));
    REQUIRE(map.size() == 96);
    REQUIRE(map.check_invariants());
}

TEST_CASE("clear makes every live element pending, in slot order, after those that are pending already", "[deferred]") {
    NothingLeaks objects;
    MapOf<int, Tracked> map;
    for (int i = 0; i != 70; ++i) map.try_emplace(i, i);
    map.erase(50);
    map.clear();
    REQUIRE(map.empty());
    REQUIRE(map.pending() == 70);
    auto expected = std::vector<slot_t>{50};
    for (slot_t slot = 0; slot != 70; ++slot)
        if (slot != 50) expected.push_back(slot);
    REQUIRE(pending_slots(map) == expected);
    for (slot_t slot = 0; slot != 70; ++slot) {
        REQUIRE(map.state(slot) == SlotState::pending);
        REQUIRE(map.value(slot).value() == static_cast<int>(slot));
    }
    REQUIRE(objects.alive() == 70);
    REQUIRE(map.begin() == map.end());
    REQUIRE(map.check_invariants());
    const auto back = map.try_emplace(33, 1);
    REQUIRE(back.kind == InsertKind::resurrected);
    REQUIRE(back.it.slot() == 33);
    REQUIRE(map.try_emplace(1000, 2).it.slot() == 70); // nothing free below
    map.flush_removed();
    REQUIRE(objects.alive() == 2);
    REQUIRE(map.try_emplace(1001, 3).it.slot() == 0);
    REQUIRE(map.check_invariants());
}

TEST_CASE("erase_if makes pending, extract copies and makes pending", "[deferred]") {
    NothingLeaks objects;
    MapOf<std::string, Tracked> map;
    for (int i = 0; i != 90; ++i) map.try_emplace(key_text(i), i);
    REQUIRE(map.erase_if([](const std::string&, const Tracked& value) { return value.value() % 3 == 0; }) == 30);
    REQUIRE(map.pending() == 30);
    REQUIRE(map.value(map.slot_of_any(key_text(9))).value() == 9);
    const auto taken = map.extract(key_text(10));
    REQUIRE(taken->first == key_text(10));
    REQUIRE(taken->second.value() == 10);
    REQUIRE(map.pending() == 31);
    REQUIRE(map.key(map.slot_of_any(key_text(10))) == key_text(10));
    REQUIRE(map.value(map.slot_of_any(key_text(10))).value() == 10);
    SetStorage<std::string, Options<deferring()>> set{key_text(1), key_text(2)};
    const auto own = set.extract(set.key(0));
    REQUIRE(*own == key_text(1));
    REQUIRE(set.key(0) == key_text(1));
    REQUIRE(set.pending() == 1);
    REQUIRE(map.check_invariants());
    REQUIRE(set.check_invariants());
}

TEST_CASE("reset takes pending elements away too, and gives the memory back", "[deferred]") {
    NothingLeaks objects;
    const EveryByteReturned bytes;
    MapStorage<int, Tracked, Options<deferring()>, AllocBy<StatefulAllocator<int>>> map;
    std::vector<decltype(map)::handle_type> old;
    for (int round = 0; round != 3; ++round) {
        for (int i = 0; i != 200; ++i) old.push_back(map.handle_at(map.try_emplace(i, i).it.slot()));
        for (int i = 0; i < 200; i += 2) map.erase(i);
        for (int i = 0; i < 200; i += 4) old.push_back(map.handle_at(map.try_emplace(i, i).it.slot()));
        REQUIRE(map.pending() == 50);
        const std::size_t slots = map.capacity();
        map.reset();
        REQUIRE(map.empty());
        REQUIRE(map.pending() == 0);
        REQUIRE(map.capacity() == 0);
        REQUIRE(objects.alive() == 0);
        REQUIRE(bytes.live_bytes() <= slots / 8 + 8); // none: one version floor for all
        REQUIRE(map.slot_of_any(1) == no_slot);
        REQUIRE(map.state(0) == SlotState::free);
        REQUIRE(map.check_invariants());
        for (const auto handle : old) REQUIRE_FALSE(map.contains(handle));
    }
}

TEST_CASE("shrink_to_fit and reserve keep pending elements, their addresses and their order", "[deferred]") {
    MapOf<std::string, int> map;
    for (int i = 0; i != 3000; ++i) map[key_text(i)] = i;
    const slot_t slot = map.slot_of(key_text(200));
    const std::string* const address = &map.key(slot);
    for (int i = 2999; i != 200; --i) map.erase(key_text(i));
    map.flush_removed();
    map.erase(key_text(200)); // the highest slot in use is a pending one
    map.erase(key_text(5));
    const auto order = pending_slots(map);
    const auto before = map.capacity();
    map.shrink_to_fit();
    REQUIRE(map.capacity() < before);
    REQUIRE(map.capacity() > 200);
    REQUIRE(map.check_invariants());
    REQUIRE(pending_slots(map) == order);
    REQUIRE(&map.key(slot) == address);
    map.reserve(5000);
    REQUIRE(map.capacity() >= 5002);
    REQUIRE(pending_slots(map) == order);
    REQUIRE(map.key(slot) == key_text(200));
    REQUIRE(map.check_invariants());
    REQUIRE(map.try_emplace(key_text(200), 1).it.slot() == slot);
    map.flush_removed();
    REQUIRE(map.at(key_text(200)) == 1);
    map.clear();
    map.shrink_to_fit(); // all pending: nothing to give back
    REQUIRE(map.pending() == 200);
    map.flush_removed();
    map.shrink_to_fit();
    REQUIRE(map.capacity() == 0);
    REQUIRE(map.check_invariants());
}

TEST_CASE("pending slots count against the limit until they are flushed", "[deferred]") {
    MapOf<int, int, KeySetOptions{.deferred_erase = true, .page_slots = 64, .max_slots = 100}> map;
    for (int i = 0; i != 100; ++i) map[i] = i;
    for (int i = 0; i != 30; ++i) map.erase(i);
    REQUIRE_THROWS_AS(map[1000], std::length_error);
    REQUIRE_THROWS_AS(map.reserve(71), std::length_error);
    map.reserve(70);
    REQUIRE(map.try_emplace(3, 1).kind == InsertKind::resurrected); // that needs no slot
    REQUIRE(map.check_invariants());
    map.flush_removed();
    map.reserve(100);
    for (int i = 0; i != 29; ++i) map[1000 + i] = i;
    REQUIRE(map.size() == 100);
    REQUIRE(map.check_invariants());
}

TEST_CASE("a pending slot that has used its last version cannot live again: its key gets another slot", "[deferred]") {
    NothingLeaks objects;
    MapOf<std::string, Tracked, two_lives(Exhaustion::retire)> map;
    const slot_t first = map.try_emplace("k", 1).it.slot();
    const auto first_handle = map.handle_of("k");
    map.erase("k");
    REQUIRE(map.try_emplace("k", 2).kind == InsertKind::resurrected);
    const auto last_handle = map.handle_of("k");
    REQUIRE(last_handle.version() == 3);
    map.erase("k");
    REQUIRE(map.state(first) == SlotState::pending);
    REQUIRE(map.explain(last_handle) == HandleStatus::pending);
    REQUIRE(map.retired() == 0);
    const auto other = map.try_emplace("k", 3);
    REQUIRE(other.inserted);
    REQUIRE(other.kind == InsertKind::fresh);
    REQUIRE(other.it.slot() != first);
    REQUIRE(map.size() == 1);
    REQUIRE(map.pending() == 1);
    REQUIRE(map.slot_of_any("k") == other.it.slot()); // the live one
    REQUIRE(map.key(first) == "k");
    REQUIRE(map.value(first).value() == 2);
    REQUIRE(map.at("k").value() == 3);
    REQUIRE(map.check_invariants());
    const auto copy = map;
    REQUIRE(copy.check_invariants());
    map.erase("k"); // two pending elements with one key now; the younger can live again
    REQUIRE(map.pending() == 2);
    const auto back = map.try_emplace("k", 4);
    REQUIRE(back.kind == InsertKind::resurrected);
    REQUIRE(back.it.slot() == other.it.slot());
    map.flush_removed();
    REQUIRE(map.at("k").value() == 4);
    REQUIRE(map.state(first) == SlotState::retired);
    REQUIRE(map.retired() == 1);
    REQUIRE(map.explain(first_handle) == HandleStatus::retired);
    REQUIRE_FALSE(map.contains(first_handle));
    REQUIRE_FALSE(map.contains(last_handle));
    REQUIRE(map.try_emplace("another", 5).it.slot() != first);
    REQUIRE(map.check_invariants());
    REQUIRE(map.recycle_retired() == 1);
    REQUIRE(map.try_emplace("a third", 6).it.slot() == first);
    REQUIRE(map.check_invariants());
}

TEST_CASE("of several pending elements with one key the one that can live again does, wherever the index has it",
          "[deferred]") {
    // Four lives a slot, so that a slot which somebody had before has some left.
    using Map =
        MapOf<int, int,
              KeySetOptions{
                  .deferred_erase = true, .page_slots = 64, .handle = {.index_bits = 8, .version_bits = 3, .user_bits = 5}}>;
    for (int before = 0; before != 12; ++before) {
        CAPTURE(before);
        Map map;
        for (int i = 0; i != before; ++i) map[1 + i] = i; // these share a line of the index with key 0
        for (int i = 0; i != before; ++i) map.erase(1 + i);
        map[0] = 1;
        while (map.handle_of(0).version() != Map::handle_type::max_version) {
            map.erase(0);
            map[0] = 2;
        }
        map.flush_removed(); // the entries of the others are free again
        const slot_t spent = map.slot_of(0);
        map.erase(0);
        const auto other = map.try_emplace(0, 3); // takes an entry before that of the spent one
        REQUIRE(other.kind == InsertKind::fresh);
        REQUIRE(other.it.slot() != spent);
        map.erase(0);
        REQUIRE(map.pending() == 2);
        const auto back = map.try_emplace(0, 4);
        REQUIRE(back.kind == InsertKind::resurrected);
        REQUIRE(back.it.slot() == other.it.slot());
        REQUIRE(map.slot_of(0) == back.it.slot());
        REQUIRE(map.value(spent) == 2);
        REQUIRE(map.check_invariants());
    }
}

TEST_CASE("with versions that wrap a pending key always comes back to its slot", "[deferred]") {
    MapOf<int, int, two_lives(Exhaustion::wrap)> map;
    const slot_t slot = map.try_emplace(1, 0).it.slot();
    std::vector<std::uint32_t> versions;
    for (int i = 0; i != 5; ++i) {
        versions.push_back(map.handle_of(1).version());
        map.erase(1);
        const auto back = map.try_emplace(1, i);
        REQUIRE(back.kind == InsertKind::resurrected);
        REQUIRE(back.it.slot() == slot);
        REQUIRE(map.check_invariants());
    }
    REQUIRE(versions == std::vector<std::uint32_t>{1, 3, 1, 3, 1});
    REQUIRE(map.retired() == 0);
}

TEST_CASE("clear and reset with exhausted slots: they stay retired, and no handle of them resolves", "[deferred]") {
    MapOf<int, int, two_lives(Exhaustion::retire)> map;
    std::vector<decltype(map)::handle_type> all;
    for (int life = 0; life != 2; ++life) {
        for (int i = 0; i != 10; ++i) all.push_back(map.handle_at(map.try_emplace(i, life).it.slot()));
        map.clear();
        REQUIRE(map.pending() == 10);
    }
    map.reset();
    REQUIRE(map.retired() == 10);
    REQUIRE(map.pending() == 0);
    REQUIRE(map.check_invariants());
    for (int i = 0; i != 10; ++i) REQUIRE(map.try_emplace(i, 5).it.slot() >= 10);
    for (const auto handle : all) REQUIRE_FALSE(map.contains(handle));
    map.reset();
    REQUIRE(map.empty());
    REQUIRE(map.retired() == 10);
    REQUIRE(map.check_invariants());
}
