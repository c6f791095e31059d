// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps with allocators that differ, with columns, and with chosen handles, in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include <utility>

namespace {

using namespace slotwise;

/// Has a destructor, and says when it was moved from.
struct Value {
    int number = 0;
    constexpr Value() = default;
    constexpr Value(int n) : number(n) {}
    constexpr Value(const Value&) = default;
    constexpr Value(Value&& other) noexcept : number(std::exchange(other.number, -1)) {}
    constexpr Value& operator=(const Value&) = default;
    constexpr Value& operator=(Value&& other) noexcept {
        number = std::exchange(other.number, -1);
        return *this;
    }
    constexpr ~Value() {}
    friend constexpr bool operator==(const Value&, const Value&) = default;
};

using Numbered = test::NumberedAllocator<Value>;

/// Elements move one by one to memory of another allocator; their handles stay.
template <class Map>
constexpr int allocators() {
    Map map{Numbered(1)};
    const auto one = map.emplace(10), gone = map.emplace(20), three = map.emplace(30);
    map.erase(gone);
    const Map same(map, Numbered(1));
    Map copy(map, Numbered(2));
    HOLDS(copy == map && same == copy && copy.get_allocator().number() == 2 && same.get_allocator().number() == 1);
    Map moved(std::move(copy), Numbered(3));
    HOLDS(moved == map && copy.empty() && !copy.contains(one) && copy.capacity() == 0 && copy.check_invariants());
    Map taken(std::move(moved), Numbered(3));
    HOLDS(taken == map && moved.empty() && taken.get_allocator().number() == 3 && taken.check_invariants());
    Map other{Numbered(4)};
    const auto only = other.emplace(40);
    other.swap(taken);
    HOLDS(other == map && taken.size() == 1 && taken.contains(only) && other.get_allocator().number() == 4);
    taken = std::move(other);
    HOLDS(taken == map && taken.get_allocator().number() == 3 && taken.contains(three) && taken.check_invariants());
    return 0;
}

/// A handle of any slot, also one far above, is made to name an element.
template <class Map>
constexpr int chosen_handles() {
    using Handle = typename Map::handle_type;
    Map map;
    const Handle far(100, 5);
    HOLDS(map.insert_at(far, 7) == map.get(far) && map[far] == 7 && map.capacity() > 100 && map.size() == 1);
    HOLDS(map.insert_at(far, 8) == nullptr && map.insert_at(Handle(3, 2), 8) == nullptr);
    map.erase(far);
    HOLDS(map.explain(far) == HandleStatus::stale && map.insert_at(Handle(100, 3), 8) == nullptr);
    HOLDS(map.insert_at(far, 9) != nullptr && map[far] == 9 && map.check_invariants());
    HOLDS(map.insert_at(Handle(2, 1), 2) != nullptr && map.insert(3).index() != 2 && map.size() == 3 && map.check_invariants());
    return 0;
}

/// Two elements in 400 slots: a walk goes from live slot to live slot.
constexpr int few_among_many() {
    SlotMap<int> map;
    const auto far = SlotMap<int>::handle_type(300, 1), farther = SlotMap<int>::handle_type(400, 3);
    map.insert_at(far, 7);
    map.insert_at(farther, 9);
    int sum = 0;
    map.for_each([&](int& value) { sum += value++; });
    HOLDS(sum == 7 + 9 && map.size() == 2);
    std::as_const(map).for_each([&](SlotMap<int>::handle_type handle, const int& value) { sum += handle == far ? value : 0; });
    HOLDS(sum == 7 + 9 + 8);
    return 0;
}

/// A value whose move may throw: elements change places by swaps.
struct Careful {
    int number;
    constexpr Careful(int n) : number(n) {}
    constexpr Careful(const Careful&) = default;
    constexpr Careful(Careful&& other) noexcept(false) : number(std::exchange(other.number, -1)) {}
    constexpr Careful& operator=(const Careful&) = default;
    constexpr Careful& operator=(Careful&& other) noexcept(false) {
        number = std::exchange(other.number, -1);
        return *this;
    }
};
constexpr int swapped_rows() {
    DenseSlotMap<Careful> map;
    const auto one = map.insert(1), two = map.insert(2), three = map.insert(3), four = map.insert(4);
    map.sort([](const Careful& a, const Careful& b) { return a.number > b.number; });
    HOLDS(map.index_of(four) == 0 && map.index_of(three) == 1 && map.index_of(two) == 2 && map.index_of(one) == 3);
    HOLDS(map.erase(four) && map.index_of(one) == 0 && map[one].number == 1 && map[two].number == 2 && map[three].number == 3);
    HOLDS(map.size() == 3 && map.check_invariants());
    return 0;
}

constexpr int columns() {
    SlotMap<Value, Column<int>> map;
    const auto first = map.insert(1), second = map.insert(2);
    const auto& reader = map;
    map.observer<0>()[second.index()] = 5;
    HOLDS(reader.observer<0>()[first.index()] == 0 && reader.observer<0>()[second.index()] == 5);
    map.column<0>()[first.index()] = 4;
    const ColumnView<const int> column = reader.column<0>();
    HOLDS(column[first.index()] == 4 && column[second.index()] == 5 && column.slot_end() == 2);
    HOLDS(&map.observer<ValueArray<int>>() == &reader.observer<ValueArray<int>>());
    HOLDS(map.column<int>()[first.index()] == 4 && reader.column<int>()[first.index()] == 4);
    int sum = 0;
    for (const auto& chunk : reader.chunks()) sum += chunk.values[0].number + chunk.values[1].number;
    HOLDS(sum == 3);
    map.erase(first);
    const auto copy = map;
    HOLDS(copy.observer<0>()[second.index()] == 5 && copy == map);
    return 0;
}

constexpr int rows() {
    SoaSlotMap<int, char> map;
    const auto one = map.insert(1, 'a');
    const auto later = map.reserve_handle();
    HOLDS(!map.contains(later) && map.fulfill(later, 2, 'b') != nullptr && map[later].get<1>() == 'b');
    const auto row = map.extract(one);
    HOLDS(row && std::get<0>(*row) == 1 && std::get<1>(*row) == 'a' && !map.contains(one) && map.size() == 1);
    using Numbers = BasicSoaSlotMap<Members<Value, int>, AllocBy<Numbered>>;
    Numbers numbers{Numbered(1)};
    const auto handle = numbers.insert(3, 4);
    Numbers copy(numbers, Numbered(2)), moved(std::move(numbers), Numbered(3));
    HOLDS(copy == moved && numbers.empty() && moved[handle].get<0>() == Value(3) && moved[handle].get<1>() == 4);
    HOLDS(copy.get_allocator().number() == 2 && moved.get_allocator().number() == 3 && moved.check_invariants());
    return 0;
}

} // namespace

IN_CONSTANTS("a SlotMap changes its allocator in a constant expression", allocators<SlotMap<Value, AllocBy<Numbered>>>())
IN_CONSTANTS("a DenseSlotMap changes its allocator in a constant expression",
             allocators<DenseSlotMap<Value, AllocBy<Numbered>>>())
IN_CONSTANTS("a SlotMap takes chosen handles in a constant expression", chosen_handles<SlotMap<int>>())
IN_CONSTANTS("a DenseSlotMap takes chosen handles in a constant expression", chosen_handles<DenseSlotMap<int>>())
IN_CONSTANTS("few elements among many slots are visited in a constant expression", few_among_many())
IN_CONSTANTS("elements whose moves may throw change places in constant expressions", swapped_rows())
IN_CONSTANTS("columns of a SlotMap work in constant expressions", columns())
IN_CONSTANTS("rows leave and come later in constant expressions", rows())
