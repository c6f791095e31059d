// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BitColumn and TickColumn in constant expressions, and what of AnyRows can be there.
#include <slotwise/memory/occupancy.hpp>
#include <slotwise/rows/any_rows.hpp>
#include <slotwise/rows/bit_column.hpp>
#include <slotwise/rows/tick_column.hpp>

#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

using namespace slotwise;

namespace {

using Numbered = AllocBy<test::NumberedAllocator<int>>;

template <class Column>
constexpr int bits_in_constants() {
    Column a;
    a.append(70, true);
    a.push_back(false);
    a.reset(3);
    a.set(3);
    a.reset(3);
    a.flip(70);
    a.set(3, a.test(2));
    a.swap_rows(0, 70);
    HOLDS(a.size() == 71 && a.count() == 71 && a[70]);
    Column taken(std::move(a));
    a = std::move(taken);
    a.insert(64, false);
    a.erase(0);
    HOLDS(a.size() == 71 && !a[63] && a.count() == 70);
    a.swap_erase(63);
    HOLDS(a.count() == 70 && a.check_invariants());
    std::size_t rows = 0;
    for_each_run(a.size(), include(a), exclude(), [&](std::size_t first, std::size_t last) { rows += last - first; });
    a.for_each_run([&](std::size_t first, std::size_t last) { rows += last - first; });
    HOLDS(rows == 140);
    Column b(a), c(a.words(), 65), d(130, true), e(a, a.get_allocator()), f(a.get_allocator());
    HOLDS(b == a && e == a && c.size() == 65 && c.words().size() == 2 && d.count() == 130);
    b = d;
    b.assign_all(false);
    c = std::move(d);
    HOLDS(d.empty() && c.count() == 130 && b.count() == 0);
    swap(b, c);
    f = Column(std::move(b), a.get_allocator());
    f.resize(10);
    f.resize(12, true);
    f.reserve(1000);
    HOLDS(f.capacity() >= 1000 && f.size() == 12 && f.count() == 12);
    f.shrink_to_fit();
    f.pop_back();
    HOLDS(f.capacity() == 64 && f.size() == 11 && !f.empty() && f.memory_usage() == 8);
    f.clear();
    const BitSource source(a), plain(a.words().data(), 70);
    HOLDS(f.empty() && source.size() == plain.size() && source.word(0) == plain.word(0));
    HOLDS(include(a).cover(70) && !exclude(a).cover(71) && exclude(a).word(0) == 0);
    const BitSource all[] = {a, a};
    HOLDS(include(std::span<const BitSource>(all)).word(0) == a.words()[0]);
    HOLDS(exclude(std::span<const BitSource>(all)).cover(70) && BitSource().size() == 0);
    return 0;
}

template <class Column>
constexpr int ticks_in_constants() {
    Column a;
    a.push_back(0xFFFF'FFFEu);
    a.push_back(1, 2);
    a.append(4100, 3);
    a.mark(0, 5);
    a.mark(0, 1, 5);
    HOLDS(a.size() == 4102 && a.added(0) == 0xFFFF'FFFEu && a.changed(0) == 5 && a.changed(1) == 2);
    HOLDS(a.changed_since(0, 4) && !a.changed_since(0, 5) && a.added_since(0, 0xFFFF'FFFDu) && a.check_invariants());
    a.swap_rows(0, 4101);
    std::size_t rows = 0;
    a.for_each_changed(4, [&](std::size_t row) { rows += row; });
    a.for_each_added(0xFFFF'FFFEu, [&](std::size_t) { ++rows; });
    HOLDS(rows == 2 * 4101 && a.any_changed(4) && !a.any_changed(5) && !a.any_added(3));
    a.swap_erase(1);
    HOLDS(a.changed(1) == 5 && a.size() == 4101 && a.capacity() >= 4101);
    Column b(a), c(3, 7), d(a, a.get_allocator()), e(a.get_allocator());
    HOLDS(b == a && d == a && !(c == a) && e.empty());
    Column taken(std::move(d));
    d = std::move(taken);
    c = b;
    b = std::move(d);
    HOLDS(d.empty() && b == c);
    swap(b, e);
    b = Column(std::move(c), a.get_allocator());
    b.resize(2, 0);
    b.resize(66, 9);
    b.pop_back();
    b.shrink_to_fit();
    HOLDS(b.size() == 65 && b.capacity() == 65 && b.added_ticks()[64] == 9 && b.changed_ticks().size() == 65);
    HOLDS(b.memory_usage() == 2 * (65 + 2 + 1) * sizeof(tick_t)); // rows, pages and groups of both
    b.reserve(100);
    tick_t now = 7; // a variable: calls with literals are folded, and not seen to run
    HOLDS(clamp_tick(5, now) == 5);
    now = max_tick_age + 1;
    HOLDS(clamp_tick(0, now) == 1);
    b.clamp(max_tick_age + 8);
    HOLDS(b.capacity() >= 100 && b.added(0) == 8 && b.added(64) == 9);
    b.clear();
    return b.empty() ? 0 : __LINE__;
}

constexpr int described_in_constants() {
    int number = 1; // not const, nor the others: clang would fold what is asked of them, and coverage would see no call
    AnyValue none, copied = AnyValue::of(number), moved = AnyValue::of(2), by_address = AnyValue::copied(&number);
    AnyValue moved_by_address = AnyValue::moved(&number), built = AnyValue::built([](void*, void*) {}, &number);
    HOLDS(moved.moves() && moved_by_address.moves());
    HOLDS(moved.has_source() && copied.has_source() && !none.has_source() && !built.has_source());
    HOLDS(!none.moves() && !copied.moves() && !by_address.moves() && !built.moves());
    TypeId of_int = TypeDescriptor::id_of<int>(), of_none, none_given(nullptr);
    TypeId of_long = TypeDescriptor::id_of<long>();
    HOLDS(of_int != of_long && of_int == TypeId::of<const int&>() && of_int && !of_none && of_none == none_given &&
          of_none != of_int);
    HOLDS(of_int.name() == "int" && of_none.name().empty());
    return 0;
}

} // namespace

IN_CONSTANTS("a column of bits is made, changed, walked and destroyed", bits_in_constants<BitColumn>())
IN_CONSTANTS("a column of bits may have an allocator that does not move with it", bits_in_constants<BasicBitColumn<Numbered>>())
IN_CONSTANTS("a column of ticks is made, changed, walked and destroyed", ticks_in_constants<TickColumn>())
IN_CONSTANTS("a column of ticks may have an allocator that does not move with it",
             ticks_in_constants<BasicTickColumn<Numbered>>())
IN_CONSTANTS("what a described value is built from is a constant", described_in_constants())
