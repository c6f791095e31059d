// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps are made, used and destroyed within constant expressions. SlotMap with Growth::reserve is not among them: virtual
// memory comes from the system.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <utility>

namespace {

using namespace slotwise;

/// What SlotMap and DenseSlotMap of int have in common.
template <class Map>
constexpr int elements() {
    Map map;
    HOLDS(map.empty() && map.begin() == map.end() && map.size() == 0 && map.memory_usage() == 0);
    map.reserve(5);
    const auto one = map.insert(1);
    const int two_value = 2;
    const auto two = map.insert(two_value);
    const auto three = map.emplace(3);
    const auto four = map.insert_with([](auto handle) { return handle ? 4 : 0; });
    std::size_t most = 0;
    most = Map::max_size(); // not in a condition: clang would fold it
    HOLDS(map.size() == 4 && map.capacity() >= 5 && most > 4);
    HOLDS(map.memory_usage() > map.capacity() * sizeof(int));
    HOLDS(map[one] == 1 && map.at(two) == 2 && *map.get(three) == 3 && map.contains(four));
    const Map& reader = map;
    HOLDS(reader[one] == 1 && reader.at(two) == 2 && *reader.get(three) == 3 && !reader.contains({}));
    HOLDS(*std::get<1>(map.get_many(one, two)) == 2 && *std::get<0>(reader.get_many(one, two)) == 1);
    HOLDS(map.swap_values(one, two) && map[one] == 2 && map.swap_values(one, two));
    HOLDS(map.handle_at(one.index()) == one && map.state(one.index()) == SlotState::live);
    auto at = map.find(two);
    HOLDS(*at == 2 && *--at == 1 && *reader.find(three) == 3 && reader.count(two) == 1 && reader.value_or({}, 7) == 7);
    HOLDS(reader.find({}) == reader.end() && *--map.end() == 4 && erase_if(map, [](int value) { return value > 4; }) == 0);
    auto [five, value_of_five] = map.emplace_ref(4);
    value_of_five = 5;
    HOLDS(map[five] == 5 && map.erase_at(five.index()) && !map.erase_at(five.index()) && map.size() == 4);
    HOLDS(map.erase(&map[map.insert(6)]) && !map.erase(&two_value) && map.size() == 4);
    Map few;
    HOLDS(few.set_max_slots(2) && few.max_slots() == 2 && !few.full() && few.try_insert(1) && few.try_insert(two_value));
    HOLDS(few.full() && few.try_emplace(3).is_null() && !few.set_max_slots(1) && few.set_max_slots(3) && few.try_emplace(3));
    const Map listed{1, 2};
    Map ranged(listed.begin(), listed.end());
    ranged.insert_range(listed);
    HOLDS(listed.size() == 2 && ranged.size() == 4);
    HOLDS(map.explain(one) == HandleStatus::live && map.explain({}) == HandleStatus::null);
    int sum = 0;
    for (const int value : map) sum += value;
    for (const int value : reader) sum += value;
    for (auto it = reader.cbegin(); it != reader.cend(); ++it) sum += *it;
    for (const auto handle : map.handles()) sum += map[handle];
    for (auto [handle, value] : map.items()) sum += value + (handle == one);
    for (auto [handle, value] : reader.items()) sum += value + (handle == one);
    map.for_each([&](int& value) { sum += value; });
    reader.for_each([&](auto handle, const int& value) { sum += value + (handle == one); });
    HOLDS(sum == 8 * 10 + 3);
    std::size_t slots = 0;
    for (const slot_t slot : map.slots()) slots += map.occupancy().test(slot);
    HOLDS(slots == 4);
    HOLDS(map.erase(one) && !map.erase(one) && map.explain(one) == HandleStatus::stale);
    HOLDS(map.extract(two) == 2 && !map.extract(two));
    map.erase(map.begin());
    HOLDS(map.size() == 1);
    const auto later = map.reserve_handle();
    HOLDS(map.fulfill(later, 5) && map[later] == 5);
    HOLDS(map.erase_reserved(later) && !map.contains(later) && map.fulfill(later, 5) != nullptr);
    HOLDS(map.extract_reserved(later) == 5 && !map.extract_reserved(later) && map.fulfill(later, 5) != nullptr);
    const auto never = map.reserve_handle();
    HOLDS(map.cancel(never) && !map.contains(never));
    HOLDS(map.erase_if([](int value) { return value == 5; }) == 1);
    HOLDS(map.retired() == 0 && map.recycle_retired() == 0 && map.check_invariants());
    for (int i = 0; i != 200; ++i) map.insert(i);
    map.shrink_to_fit();
    const auto seven = map.insert(7);
    auto longs = map.transform([](auto handle, int value) { return handle ? long{value} : 0L; });
    HOLDS(longs.size() == map.size() && longs[seven] == map[seven] && !longs.contains(one) && longs.check_invariants());
    const auto ints = std::move(longs).transform([](long&& value) { return static_cast<int>(value); });
    HOLDS(longs.empty() && ints.size() == map.size() && ints[seven] == 7); // NOLINT(bugprone-use-after-move)
    Map copy(map), moved(std::move(map)), assigned;
    HOLDS(copy == moved && copy.size() == 202);
    assigned = copy;
    map = std::move(copy);
    assigned.swap(map);
    swap(assigned, map);
    HOLDS(assigned == map && assigned.get_allocator() == map.get_allocator());
    assigned.clear();
    HOLDS(assigned.empty() && !assigned.contains(four));
    assigned.shrink_to_fit();
    HOLDS(assigned.capacity() == 0 && assigned.check_invariants());
    return 0;
}

constexpr int of_slot_map() {
    SlotMap<int> map;
    for (int i = 0; i != 70; ++i) map.insert(i);
    int sum = 0;
    for (const auto& chunk : map.chunks()) sum += static_cast<int>(chunk.values.size());
    HOLDS(sum >= 70);
    const int more[] = {70, 71};
    map.insert(more, more + 2);
    map.insert_range({72, 73});
    HOLDS(map.size() == 74);
    const auto handle = map.handle_at(slot_t{3});
    HOLDS(map.handle_of(map.get(handle)) == handle);
    HOLDS(map.values()[3] == 3 && std::as_const(map).values()[3] == 3);
    auto it = map.begin();
    HOLDS(static_cast<int>(std::ranges::iter_move(it)) == 0 && map.handle_of(it) == it.handle() && it.slot() == 0 &&
          *it++ == 0 && *it == 1);
    const SlotMap<int>::const_iterator reader = it;
    HOLDS(reader == map.cbegin().operator++());
    return 0;
}

constexpr int of_dense_slot_map() {
    DenseSlotMap<int> map;
    const auto one = map.insert(1), two = map.insert(2);
    HOLDS(map.values().size() == 2 && std::as_const(map).values()[0] == 1);
    HOLDS(map.index_of(two) == 1 && map.handle_of_row(0) == one && map.handle_of(&map[two]) == two);
    auto it = map.begin();
    HOLDS(it[1] == 2 && it++ == map.begin() && it-- == map.find(two) && (it += 1) == 1 + map.begin() && (it -= 1) < map.end());
    HOLDS(map.end() - 2 == it + 0 && map.end() - it == 2 && it.slot() == one.index() && map.handle_of(it) == one);
    map.sort([](int a, int b) { return a > b; });
    HOLDS(map.index_of(two) == 0 && map[one] == 1);
    map.sort();
    HOLDS(map.index_of(one) == 0);
    map.sort([](int a, int b) { return a > b; });
    HOLDS(static_cast<int>(std::ranges::iter_move(map.begin())) == 2);
    map.erase(map.begin());
    HOLDS(!map.contains(two) && map.size() == 1);
    return 0;
}

template <Reuse R>
constexpr int policies() {
    SlotMap<int, Options<SlotMapOptions{.handle = {14, 2, 0}, .reuse = R}>> map;
    auto handle = map.insert(0);
    for (int i = 1; i != 10; ++i) {
        map.erase(handle);
        handle = map.insert(i);
    }
    HOLDS(map.size() == 1 && map[handle] == 9 && map.check_invariants());
    HOLDS(map.memory_usage() > map.capacity() * sizeof(int));
    return 0;
}

template <Reuse R>
constexpr int beside_a_live_one() {
    SlotMap<int, Options<SlotMapOptions{.reuse = R}>> map;
    const auto kept = map.insert(1), gone = map.insert(2);
    HOLDS(map.erase(gone));
    const auto next = map.insert(3);
    HOLDS(next.index() == gone.index() && map[kept] == 1 && map[next] == 3 && !map.contains(gone) && map.check_invariants());
    return 0;
}

struct Owner { // its destructor is code of the user's
    int value;
    constexpr explicit Owner(int number) : value(number) {}
    constexpr ~Owner() { value = 0; }
};
constexpr int of_owners() {
    SlotMap<Owner> map;
    const auto one = map.insert_with([](auto) { return Owner(1); });
    HOLDS(map[one].value == 1 && map.erase(one) && map.insert_with([](auto) { return Owner(2); }) != one);
    return 0;
}

constexpr int of_handle_pool() {
    using Pool = HandlePool<struct Body, Column<int>>;
    Pool pool;
    HOLDS(pool.empty() && pool.begin() == pool.end() && pool.memory_usage() == 0 && Pool::max_size() > 4);
    pool.reserve(5);
    HOLDS(pool.max_slots() == Pool::max_size() && pool.set_max_slots(1000) && pool.max_slots() == 1000 && !pool.full());
    const auto one = pool.create(), two = pool.create(), three = pool.try_create();
    HOLDS(pool.size() == 3 && pool.capacity() >= 5 && pool.contains(two) && !pool.contains({}));
    pool.column<int>()[two.index()] = 2;
    pool.column<0>()[one.index()] = 1;
    const Pool& reader = pool;
    HOLDS(reader.column<int>()[two.index()] == 2 && reader.column<0>()[one.index()] == 1);
    HOLDS(pool.observer<0>()[two.index()] == 2 && reader.observer<0>()[one.index()] == 1);
    using Values = ValueArray<int, std::allocator<int>>;
    HOLDS(pool.observer<Values>()[two.index()] == 2 && reader.observer<Values>()[one.index()] == 1);
    HOLDS(pool.handle_at(one.index()) == one && pool.state(one.index()) == SlotState::live);
    HOLDS(pool.explain(one) == HandleStatus::live && pool.explain({}) == HandleStatus::null);
    std::size_t count = 0;
    for (const auto handle : pool) count += pool.contains(handle);
    for (auto it = pool.cbegin(); it != pool.cend(); ++it) count += it.handle() == *it && it.slot() == (*it).index();
    for (const slot_t slot : pool.slots()) count += pool.occupancy().test(slot);
    pool.for_each([&](auto handle) { count += pool.contains(handle); });
    HOLDS(count == 12 && *--pool.end() == three);
    HOLDS(pool.erase(one) && !pool.erase(one) && pool.insert_at(one) && pool.contains(one) && !pool.insert_at(one));
    const auto later = pool.reserve_handle();
    HOLDS(pool.fulfill(later) && pool.erase_reserved(later) && !pool.contains(later) && pool.cancel(later) &&
          !pool.cancel(later));
    HOLDS(pool.erase_if([&](auto handle) { return handle == three; }) == 1);
    HOLDS(pool.retired() == 0 && pool.recycle_retired() == 0 && pool.check_invariants());
    for (int i = 0; i != 200; ++i) pool.create();
    pool.shrink_to_fit();
    Pool copy(pool), moved(std::move(pool)), assigned, beside(copy, copy.get_allocator());
    Pool taken(std::move(beside), copy.get_allocator());
    HOLDS(copy == moved && taken == copy && copy.size() == 202);
    assigned = copy;
    pool = std::move(copy);
    assigned.swap(pool);
    swap(assigned, pool);
    HOLDS(assigned == pool);
    assigned.clear();
    assigned.shrink_to_fit();
    HOLDS(assigned.capacity() == 0 && !assigned.contains(two) && assigned.check_invariants());

    using Numbered = test::NumberedAllocator<std::byte>;
    HandlePool<struct Body, AllocBy<Numbered>> here{Numbered(1)};
    const auto kept = here.create();
    HandlePool<struct Body, AllocBy<Numbered>> there(std::move(here), Numbered(2));
    HOLDS(there.contains(kept) && here.empty() && there.get_allocator().number() == 2);
    return 0;
}

constexpr int rows() {
    SoaSlotMap<int, char> map;
    const auto one = map.insert(1, 'a');
    const auto two = map.emplace(2, 'b');
    HOLDS(map.size() == 2 && map.column<0>().size() == 2 && map.column<char>()[1] == 'b');
    const auto& reader = map;
    HOLDS(reader.column<int>()[0] == 1 && reader.column<1>()[0] == 'a');
    HOLDS(map[one].get<0>() == 1 && map.get(two)->get<1>() == 'b' && map.at(two).get<0>() == 2);
    int sum = 0;
    for (auto [number, letter] : map.rows()) sum += number + (letter == 'a');
    for (auto [number, letter] : reader.rows()) sum += number + (letter == 'a');
    map.for_each([&](int number, char) { sum += number; });
    reader.for_each([&](auto handle, int number, char) { sum += number + (handle == one); });
    HOLDS(sum == 4 * 3 + 3);
    HOLDS(map.index_of(two) == 1 && map.handle_of_row(0) == one && !map.get({}));
    HOLDS(map.values().size() == 2 && reader.values().size() == 2 && (*map.find(two)).get<0>() == 2 &&
          (*--reader.end()).get<0>() == 2);
    map.sort<int>([](int a, int b) { return a < b; });
    HOLDS(map.index_of(two) == 1);
    map.sort<0>([](int a, int b) { return a > b; });
    HOLDS(map.index_of(two) == 0);
    map.erase(map.insert({3, 'c'}));
    HOLDS(map.erase(map.try_insert(3, 'c')) && map.erase(map.try_insert({3, 'c'})));
    SoaPointer<const int, const char> pointer = map.get(one);
    HOLDS(pointer && pointer != nullptr && (*pointer).get<0>() == 1 && std::get<0>(pointer.members()) != nullptr);
    map.erase(map.begin());
    HOLDS(!map.contains(two));
    const auto copy = map;
    HOLDS(copy == map);
    SoaSlotMap<int, char> other;
    swap(map, other);
    HOLDS(other == copy && map.empty());
    map.clear();
    HOLDS(map.empty());
    return 0;
}

/// Counts erases, and needs no element.
struct ErasedCount {
    using is_trivial_observer = void;
    constexpr void on_erase(slot_t) noexcept { ++count; }
    int count = 0;
};
constexpr int with_a_counting_observer() {
    SlotMap<int, ErasedCount> map;
    const auto one = map.insert(1), two = map.insert(2);
    HOLDS(map.erase(one) && map.erase(two) && map.observer<ErasedCount>().count == 2); // the second is the last of its word
    return 0;
}

constexpr int without_slot_0() {
    SlotMap<int, Options<SlotMapOptions{.first_slot = 1}>> map;
    const auto one = map.insert(1);
    HOLDS(one.index() == 1 && map.retired() == 1 && map.recycle_retired() == 0 && map.check_invariants());
    return 0;
}

constexpr HandleLayout short_lives{.index_bits = 24, .version_bits = 8};
constexpr int cleared_to_the_end() {
    SlotMap<int, Options<SlotMapOptions{.handle = short_lives}>> map;
    for (int i = 0; i != 127; ++i) map.erase(map.insert(i));
    const auto last = map.insert(5);
    const auto values = map.values();
    HOLDS(decltype(values.begin())(values, last.index()) == values.begin());
    map.clear(); // the slot has used all its versions
    HOLDS(map.retired() == 1 && map.empty() && map.check_invariants() && map.insert(6).index() != last.index());
    return 0;
}

} // namespace

IN_CONSTANTS("a clear retires a slot in a constant expression", cleared_to_the_end())
IN_CONSTANTS("a SlotMap lives in a constant expression", elements<SlotMap<int>>())
IN_CONSTANTS("a static observer is told of the last erase of a word", with_a_counting_observer())
IN_CONSTANTS("a SlotMap without slot 0 lives in a constant expression", without_slot_0())
IN_CONSTANTS("elements with a destructor are made by a function in a constant expression", of_owners())
IN_CONSTANTS("a SlotMap with zero_vacant and atomic_versions lives in a constant expression",
             elements<SlotMap<int, Options<SlotMapOptions{.zero_vacant = true, .atomic_versions = true}>>>())
IN_CONSTANTS("a DenseSlotMap lives in a constant expression", elements<DenseSlotMap<int>>())
IN_CONSTANTS("what only SlotMap has works in constant expressions", of_slot_map())
IN_CONSTANTS("what only DenseSlotMap has works in constant expressions", of_dense_slot_map())
IN_CONSTANTS("a HandlePool lives in a constant expression", of_handle_pool())
IN_CONSTANTS("a SoaSlotMap lives in a constant expression", rows())
IN_CONSTANTS("slots are used again, and retired, in constant expressions: lowest", policies<Reuse::lowest>())
IN_CONSTANTS("slots are used again, and retired, in constant expressions: lifo", policies<Reuse::lifo>())
IN_CONSTANTS("slots are used again, and retired, in constant expressions: fifo", policies<Reuse::fifo>())
IN_CONSTANTS("a slot of a word with a live one is used again: lowest", beside_a_live_one<Reuse::lowest>())
IN_CONSTANTS("a slot of a word with a live one is used again: lifo", beside_a_live_one<Reuse::lifo>())
IN_CONSTANTS("a slot of a word with a live one is used again: fifo", beside_a_live_one<Reuse::fifo>())
