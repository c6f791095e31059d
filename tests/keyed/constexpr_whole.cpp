// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers with allocators that differ, with columns, with keys and values whose constructors insert, and views of
// them, in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/map_view.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/keyed/set_view.hpp>

#include <utility>

namespace {

using namespace slotwise;
using Numbered = test::NumberedAllocator<std::byte>;
constexpr KeySetOptions deferring{.deferred_erase = true};

/// A key with a destructor.
struct Name {
    int number;
    constexpr Name(int n) : number(n) {}
    constexpr Name(const Name&) = default;
    constexpr Name(Name&& other) noexcept : number(std::exchange(other.number, -1)) {}
    constexpr ~Name() {}
    friend constexpr bool operator==(const Name&, const Name&) = default;
};
struct NameHash {
    constexpr std::size_t operator()(const Name& name) const { return static_cast<std::size_t>(name.number); }
};

/// Elements move one by one to memory of another allocator; their handles stay.
template <class C>
constexpr int allocators(void (*fill)(C&)) {
    C c{Numbered(1)};
    fill(c);
    const auto handle = c.handle_of(2);
    C copy(c, Numbered(2));
    HOLDS(copy == c && copy.get_allocator().number() == 2 && c.get_allocator().number() == 1);
    C moved(std::move(copy), Numbered(3));
    HOLDS(moved == c && copy.empty() && !copy.contains(handle) && copy.check_invariants() && moved.contains(handle));
    C taken(std::move(moved), Numbered(3));
    HOLDS(taken == c && moved.empty() && taken.get_allocator().number() == 3 && taken.check_invariants());
    C other(NameHash(), EqualTo(), Numbered(4));
    other.swap(taken);
    HOLDS(other == c && taken.empty() && other.get_allocator().number() == 4 && other.contains(handle));
    other.erase(handle);
    HOLDS(!other.contains(2) && other.size() == 2 && c.contains(2) && other.check_invariants());
    return 0;
}
constexpr int sets_with_allocators() {
    using Set = SetStorage<Name, HashBy<NameHash>, AllocBy<Numbered>, ValueArray<int, Numbered>>;
    return allocators<Set>([](Set& set) {
        for (int i = 1; i != 4; ++i) set.insert(i);
    });
}
constexpr int maps_with_allocators() {
    using Map = MapStorage<Name, int, HashBy<NameHash>, AllocBy<Numbered>>;
    return allocators<Map>([](Map& map) {
        for (int i = 1; i != 4; ++i) map[i] = 10 * i;
    });
}
constexpr int deferring_sets_with_allocators() {
    using Set = KeySet<Name, HashBy<NameHash>, Options<deferring>, AllocBy<Numbered>>;
    Set set{Numbered(1)};
    for (int i = 1; i != 4; ++i) set.insert(i);
    const slot_t slot = set.slot_of(3);
    set.remove(3);
    const Set copy(set, Numbered(2));
    Set moved(std::move(set), Numbered(3));
    HOLDS(moved.pending() == 1 && copy.pending() == 1 && moved == copy && moved.key(slot) == Name(3) && set.pending() == 0);
    HOLDS(moved.insert(3).kind == InsertKind::resurrected && moved.check_invariants() && set.check_invariants());
    return 0;
}

/// Keys and values whose moves and copies run code: the slot is held while they are taken out.
constexpr int extractions() {
    SetStorage<Name, HashBy<NameHash>> set;
    for (int i = 1; i != 4; ++i) set.insert(i);
    slot_t slot = set.slot_of(2);
    HOLDS(set.extract(2) == Name(2) && !set.contains(2) && set.state(slot) == SlotState::free && set.size() == 2);
    HOLDS(set.insert(4).it.slot() == slot && !set.extract(2) && set.check_invariants());
    SetStorage<Name, HashBy<NameHash>, Options<deferring>> waiting;
    for (int i = 1; i != 4; ++i) waiting.insert(i);
    slot = waiting.slot_of(2);
    HOLDS(waiting.extract(2) == Name(2) && waiting.state(slot) == SlotState::pending && waiting.key(slot) == Name(2));
    HOLDS(waiting.pending() == 1 && waiting.insert(2).kind == InsertKind::resurrected && waiting.check_invariants());
    MapStorage<int, Name> map;
    map.try_emplace(1, 10);
    map.try_emplace(2, 20);
    const auto pair = map.extract(1);
    HOLDS(pair && pair->first == 1 && pair->second == Name(10) && map.size() == 1 && map.check_invariants());
    return 0;
}

constexpr int set_columns() {
    SetStorage<int, Column<int>> set{5, 6};
    const auto& reader = set;
    slot_t slot = set.slot_of(6);
    set.observer<0>()[slot] = 60;
    set.column<0>()[set.slot_of(5)] = 50;
    HOLDS(reader.observer<0>()[slot] == 60 && reader.column<0>()[slot] == 60 && reader.observer<0>()[set.slot_of(5)] == 50);
    HOLDS(&set.observer<ValueArray<int>>() == &reader.observer<ValueArray<int>>());
    HOLDS(set.column<int>()[slot] == 60 && reader.column<int>()[slot] == 60);
    int sum = 0;
    for (auto it = reader.cbegin(); it != reader.cend(); ++it) sum += *it;
    int key = 5;
    HOLDS(sum == 11 && set.hash_function()(key) == DefaultHash<int>()(key) && set.key_eq()(key, sum - 6));
    HOLDS(reader.size() == 2 && reader.contains(key) && reader.includes(KeySet<int>{6}) && !reader.includes(KeySet<int>{6, 7}));
    auto more = set;
    more.clear();
    more.insert(7);
    more.merge(std::move(set));
    HOLDS(more.size() == 3 && set.empty() && more.contains(key));
    return 0;
}
constexpr int map_columns() {
    using Map = MapStorage<int, int, Column<int>>;
    const std::pair<int, int> pairs[] = {{1, 10}, {2, 20}, {1, 11}};
    Map map(pairs, pairs + 3);
    const Map same{{2, 20}, {1, 10}}, empty(DefaultHash<int>{});
    HOLDS(map == same && map != empty && map.size() == 2 && empty.size() == 0);
    const Map& reader = map;
    slot_t slot = map.slot_of(2);
    map.observer<0>()[slot] = 200;
    map.column<0>()[map.slot_of(1)] = 100;
    HOLDS(reader.observer<0>()[slot] == 200 && reader.column<0>()[slot] == 200 && reader.observer<0>()[map.slot_of(1)] == 100);
    int sum = 0;
    for (auto it = reader.cbegin(); it != reader.cend(); ++it) sum += it->value;
    for (auto [key, value] : map.items()) sum += value = 5 * value;
    reader.for_each([&](const int& key, const int& value) { sum += key + value; });
    HOLDS(sum == 30 + 150 + 153 && map.items().size() == 2 && reader.values()[slot] == 100);
    Map more;
    more[3] = 30;
    more[2] = 2;
    more.merge(std::move(map));
    HOLDS(more.size() == 3 && more[1] == 50 && more[2] == 2 && map.size() == 1 && map[2] == 100);
    return 0;
}
constexpr int deferring_maps() {
    MapStorage<int, int, Options<deferring>> map;
    for (int i = 0; i != 3; ++i) map[i] = 10 * i;
    auto next = map.remove(map.begin());
    HOLDS(next->key == 1 && map.pending() == 1 && !map.contains(0));
    next = map.remove(map.find(next->key));
    const auto& reader = map;
    HOLDS(next->key == 2 && map.pending() == 2 && map.size() == 1);
    HOLDS(map.remove(reader.find(2)) == map.end() && map.empty() && map.check_invariants());
    return 0;
}

/// A key whose constructor enters the same number first, if it is told a set.
struct Nosy {
    int number;
    constexpr Nosy(int n) : number(n) {}
    template <class Set>
    constexpr Nosy(const std::pair<int, Set*>& seed) : number(seed.first) {
        if (!seed.second->contains(number)) seed.second->insert(number);
    }
};
struct NosyHash {
    using is_transparent = void;
    constexpr std::size_t operator()(const Nosy& key) const { return static_cast<std::size_t>(key.number); }
    constexpr std::size_t operator()(int number) const { return static_cast<std::size_t>(number); }
    template <class Set>
    constexpr std::size_t operator()(const std::pair<int, Set*>& seed) const {
        return static_cast<std::size_t>(seed.first);
    }
};
struct NosyEqual {
    using is_transparent = void;
    constexpr bool operator()(const Nosy& a, const Nosy& b) const { return a.number == b.number; }
    constexpr bool operator()(const Nosy& a, int number) const { return a.number == number; }
    template <class Set>
    constexpr bool operator()(const Nosy& a, const std::pair<int, Set*>& seed) const {
        return a.number == seed.first;
    }
};
constexpr int nosy_keys() {
    using Set = SetStorage<Nosy, HashBy<NosyHash>, EqualBy<NosyEqual>>;
    Set set;
    const auto late = set.insert(std::pair(7, &set)); // the constructor came first: the slot is given up
    HOLDS(!late.inserted && set.size() == 1 && set.slot_of(7) == late.it.slot() && set.check_invariants());
    return 0;
}

/// A value whose constructor writes another one to its map: under the same key, or so many under others that the index is
/// rebuilt.
template <class Map>
struct Meddler {
    Map* map;
    int key, others;
    constexpr operator int() const {
        if (others == 0) map->try_emplace(key, 1);
        for (int i = 0; i != others; ++i) map->try_emplace(1000 + i, i);
        return key;
    }
};
struct Made {
    int number = 0;
    constexpr Made() = default;
    constexpr Made(int n) : number(n) {}
    template <class Map>
    constexpr Made(const Meddler<Map>& meddler) : number(meddler) {}
    constexpr Made(const Made&) = default;
    constexpr Made(Made&& other) noexcept : number(std::exchange(other.number, -1)) {}
    constexpr Made& operator=(const Made&) = default;
    constexpr Made& operator=(Made&& other) noexcept {
        number = std::exchange(other.number, -1);
        return *this;
    }
    constexpr ~Made() {}
};
constexpr int meddling_values() {
    using Map = MapStorage<int, Made>;
    Map map;
    HOLDS(!map.try_emplace(5, Meddler<Map>{&map, 5, 0}).inserted && map.size() == 1 && map[5].number == 1);
    HOLDS(!map.insert_or_assign(6, Meddler<Map>{&map, 6, 0}).inserted && map.size() == 2 && map[6].number == 6);
    HOLDS(map.check_invariants());
    using Deferring = MapStorage<int, Made, Options<deferring>>;
    Deferring waiting;
    waiting[5] = 1;
    waiting.remove(5);
    const auto again = waiting.try_emplace(5, Meddler<Deferring>{&waiting, 5, 60});
    HOLDS(again.inserted && again.kind == InsertKind::resurrected && waiting.size() == 61 && waiting[5].number == 5);
    HOLDS(waiting.pending() == 0 && waiting.check_invariants());
    return 0;
}

constexpr int set_views() {
    const KeySet<int> set{1, 2, 3};
    const MapStorage<int, int> map{{4, 40}};
    const SetView<int> view(set), of_map(map);
    const SetView<int> copy = view;
    if (!test::views_answer) return 0; // made and copied, no more
    slot_t slot = set.slot_of(2);
    HOLDS(view.size() == 3 && !view.empty() && of_map.size() == 1 && of_map.contains(4) && !of_map.contains(1));
    HOLDS(view.contains(2) && view.slot_of(2) == slot && view.key(slot) == 2 && view.state(slot) == SlotState::live);
    HOLDS(*view.find(2) == 2 && view.find(5) == view.end() && copy.keys()[slot] == 2 && view.occupancy().count() == 3);
    int sum = 0;
    for (const int key : view) sum += key;
    for (const slot_t each : view.slots()) sum += view.key(each);
    view.for_each([&](const int& key) { sum += key; });
    HOLDS(sum == 18);
    return 0;
}
constexpr int map_views() {
    const MapStorage<int, int> map{{1, 10}, {2, 20}};
    const MapView<int, int> view(map);
    slot_t slot = map.slot_of(1);
    MapView<int, int>::iterator it(map.keys(), map.values(), slot);
    HOLDS(it.slot() == slot && (*it).key == 1 && it->value == 10 && it != MapView<int, int>::iterator());
    HOLDS((++it)->value == 20 && ++it == MapView<int, int>::iterator(map.keys(), map.values(), no_slot));
    if (!test::views_answer) return 0; // made and copied, no more
    HOLDS(view.size() == 2 && !view.empty() && view.contains(1) && view.slot_of(1) == slot && view.as_set().contains(2));
    HOLDS(*view.get(2) == 20 && view.get(3) == nullptr && view.at(1) == 10 && view.key(slot) == 1 && view.value(slot) == 10);
    HOLDS(view.state(slot) == SlotState::live && view.keys()[slot] == 1 && view.values()[slot] == 10);
    HOLDS(view.find(2)->value == 20 && view.find(3) == view.end() && view.occupancy().count() == 2);
    int sum = 0;
    for (const auto [key, value] : view) sum += key + value;
    for (const slot_t each : view.slots()) sum += view.value(each);
    view.for_each([&](const int& key, const int& value) { sum += key + value; });
    HOLDS(sum == 33 + 30 + 33);
    return 0;
}

} // namespace

IN_CONSTANTS("a SetStorage changes its allocator in a constant expression", sets_with_allocators())
IN_CONSTANTS("a MapStorage changes its allocator in a constant expression", maps_with_allocators())
IN_CONSTANTS("pending keys change their allocator in a constant expression", deferring_sets_with_allocators())
IN_CONSTANTS("keys and values are taken out in constant expressions", extractions())
IN_CONSTANTS("columns of a set work in constant expressions", set_columns())
IN_CONSTANTS("columns of a map work in constant expressions", map_columns())
IN_CONSTANTS("a map defers erasure by iterators in a constant expression", deferring_maps())
IN_CONSTANTS("a key may enter its set while it is made in a constant expression", nosy_keys())
IN_CONSTANTS("a value may enter its map while it is made in a constant expression", meddling_values())
IN_CONSTANTS("views of sets are made in constant expressions", set_views())
IN_CONSTANTS("views of maps are made in constant expressions", map_views())
