// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Columns, views of columns and occupancy in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/column_view.hpp>
#include <slotwise/slots/snapshot.hpp>
#include <slotwise/slots/value_array.hpp>
#include <slotwise/slots/zip_chunks.hpp>

#include <array>
#include <bit>
#include <type_traits>
#include <utility>

namespace {

using namespace slotwise;

/// A value whose destructor is not trivial: the column knows which slots have one.
struct Value {
    int number = 0;
    constexpr Value() = default;
    constexpr explicit Value(int n) : number(n) {}
    constexpr Value(const Value&) = default;
    constexpr Value& operator=(const Value&) = default;
    constexpr ~Value() {}
};

template <class T>
constexpr int columns() {
    ValueArray<T> column;
    column.on_capacity(0, 64);
    column.on_insert(1, InsertKind::fresh);
    column.construct(2, T(5));
    column.replace(2, T(6));
    column.on_insert(1, InsertKind::resurrected);
    const bits::word_t live[] = {6};
    const ValueArray<T> copy(column, Occupancy(live, 64));
    ValueArray<T> other, taken;
    taken.on_capacity(0, 64);
    other.swap(column);
    swap(other, column);
    other = std::move(column);
    HOLDS(other.ptr(2) == &other[2] && other.block(0) + 2 == other.ptr(2));
    taken.take_from(other, Occupancy(live, 64));
    ValueArray<T> moved(std::move(taken));
    moved.destroy(1);
    moved.on_erase(2);
    other.on_clear(Occupancy(live, 64));
    other.on_reset();
    const ValueArray<T> reader(copy, Occupancy(live, 64));
    HOLDS(reader.ptr(2) == &reader[2]);
    return 0;
}

constexpr int views() {
    SlotMap<int, Column<int>> map;
    map.insert(1);
    map.insert(2);
    map.erase(map.insert(3));
    ColumnView<int> column = map.values();
    const ColumnView<const int> reader = column;
    HOLDS(reader[0] == 1 && column.contains(0) && !column.contains(2) && reader.slot_end() >= 2);
    int sum = 0;
    for (const int value : reader) sum += value;
    column.for_each([&](int& value) { sum += ++value; });
    for (const auto& chunk : reader.chunks()) sum += static_cast<int>(chunk.first) + chunk.values[0] + chunk.values[1];
    zip_columns([&](slot_t, int& a, const int& b) { sum += a + b; }, column, reader);
    HOLDS(sum == 3 + 5 + 5 + 10);
    for (const auto& [first, values, live] : zip_chunks(column, reader))
        for (std::size_t i = 0; i != live.size(); ++i)
            if (live.test(i)) sum += std::get<0>(values)[i] + std::get<1>(values)[i] + static_cast<int>(first);
    HOLDS(sum == 23 + 2 * 5 && zip_chunks(column).size() == 1);
    HOLDS(map.observer<0>()[0] == 0 && ColumnView<int>().slots().empty());
    slot_t slot = 1;
    HOLDS(*column.pages().ptr(slot) == column[slot] && column.begin().slot() == 0 && (++column.begin()).slot() == slot);
    HOLDS((--column.end()).slot() == slot);
    sum = 0;
    const auto add = [&](slot_t each, const int& value) { sum += static_cast<int>(10 * each) + value; };
    for (const auto& chunk : reader.chunks()) reader.for_each_in_chunk(chunk, add);
    HOLDS(sum == 10 + reader[0] + reader[1]);
    // Whether a handle's element is there, a view asks of versions of unknown width; of a slot beyond all it need not.
    const auto handle = map.handle_at(slot);
    HOLDS(column.get(decltype(handle)(7, 1)) == nullptr && (!test::views_answer || column.get(handle) == &column[slot]));
    return 0;
}

/// 20 KiB: a page holds one, so no block of values is contiguous.
struct Large {
    int number;
    constexpr explicit Large(int n) : number(n) {}
    std::array<char, (20 << 10) - sizeof(int)> rest{};
};
constexpr int scattered_values() {
    SlotMap<Large> map;
    const auto first = map.emplace(1), gone = map.emplace(2), last = map.emplace(4);
    map.erase(gone);
    const ColumnView<Large> column = map.values();
    int sum = 0;
    column.for_each([&](slot_t slot, Large& value) { sum += static_cast<int>(100 * slot) + value.number++; });
    HOLDS(sum == 205 && map[first].number == 2 && map[last].number == 5);
    zip_columns([&](slot_t, const Large& a, Large& b) { sum += a.number * b.number; }, column, column);
    HOLDS(sum == 205 + 4 + 25);
    return 0;
}

/// A codec with a state.
struct Numbered {
    int number;
};
/// A codec that leaves columns out holds the one it was given, and nothing else.
constexpr int codecs() {
    const auto codec = dropping<ValueArray<int>, ValueArray<char>>(Numbered{5});
    using Codec = std::remove_const_t<decltype(codec)>;
    HOLDS(std::bit_cast<Numbered>(codec).number == 5);
    HOLDS(Codec::drops<ValueArray<int>> && Codec::drops<ValueArray<char>> && !Codec::drops<ValueArray<long>>);
    const DroppingCodec<Numbered> none(Numbered{6});
    HOLDS(std::bit_cast<Numbered>(none).number == 6);
    return 0;
}

constexpr int occupancies() {
    const bits::word_t words[] = {5, 1};
    const Occupancy occupancy(words, 128);
    HOLDS(occupancy.size() == 128 && !occupancy.empty() && occupancy.words().size() == 2 && occupancy.word(1) == 1);
    HOLDS(occupancy.test(2) && !occupancy.test(1) && occupancy.count() == 3 && !occupancy.all() && !occupancy.none());
    HOLDS(occupancy.find_next(1) == 2 && occupancy.find_next(3) == 64 && occupancy.find_next(65) == no_slot);
    HOLDS(occupancy.find_previous(64) == 2 && *--SlotRange(occupancy).end() == 64);
    HOLDS(occupancy.part(64, 64).count() == 1 && Occupancy().none());
    slot_t sum = 0;
    occupancy.for_each([&](slot_t slot) { sum += slot; });
    for (const slot_t slot : SlotRange(occupancy)) sum += slot;
    HOLDS(sum == 2 * 66 && SlotRange().empty() && SlotRange::iterator() == SlotRange().end());
    return 0;
}

} // namespace

IN_CONSTANTS("a column of trivial values works in constant expressions", columns<int>())
IN_CONSTANTS("a column that knows its values works in constant expressions", columns<Value>())
IN_CONSTANTS("views of columns work in constant expressions", views())
IN_CONSTANTS("views of values that lie apart work in constant expressions", scattered_values())
IN_CONSTANTS("codecs that leave columns out are made in constant expressions", codecs())
IN_CONSTANTS("occupancy works in constant expressions", occupancies())
