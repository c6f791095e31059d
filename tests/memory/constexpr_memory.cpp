// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Free slots, arrays and sets of numbers in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/memory/aligned_array.hpp>
#include <slotwise/memory/free_slots.hpp>
#include <slotwise/memory/paged_array.hpp>

namespace {

using namespace slotwise;
using Allocator = std::allocator<std::byte>;

template <Reuse R>
constexpr int lists() {
    auto free = detail::FreeSlots<R, Allocator>().resized(64, Allocator());
    for (slot_t slot = 1; slot != 4; ++slot) free.push(slot);
    const auto order = [&] {
        slot_t digits = 0;
        free.order([&](slot_t slot) { digits = 10 * digits + slot; });
        return digits;
    };
    const slot_t before = R == Reuse::lifo ? 321 : 123;
    HOLDS(order() == before && free.size() == 3);
    const slot_t first = free.pop(0);
    HOLDS(first == before / 100 && order() == before % 100);
    free.undo_pop(first);
    HOLDS(order() == before);
    free.remove(2, 0);
    HOLDS(order() == before / 100 * 10 + before % 10);
    const auto is_listed = [](slot_t slot) { return slot >= 1 && slot <= 3; };
    free.undo_remove(2, is_listed);
    HOLDS(order() == before && free.is_sound(is_listed));
    auto moved(std::move(free));
    HOLDS(moved.size() == 3 && free.empty());
    free.swap(moved);
    free.clear();
    HOLDS(free.empty() && order() == 0);
    return 0;
}

constexpr int lowest_first() {
    bits::word_t vacant[2] = {};
    const auto vacant_in = [&](std::size_t word) { return vacant[word]; };
    const auto mark = [&](slot_t slot) { vacant[bits::word_of(slot)] ^= bits::bit_of(slot); };
    auto free = detail::FreeSlots<Reuse::lowest, Allocator>().resized(128, Allocator());
    for (const slot_t slot : {5u, 70u, 3u}) {
        mark(slot);
        free.push(slot);
    }
    HOLDS(free.size() == 3 && free.is_sound(2, vacant_in));
    const slot_t first = free.pop(vacant_in);
    mark(first);
    HOLDS(first == 3 && free.size() == 2 && free.is_sound(2, vacant_in));
    mark(first);
    free.undo_pop(first);
    HOLDS(free.size() == 3 && free.is_sound(2, vacant_in));
    mark(70);
    free.remove(70, vacant_in);
    HOLDS(free.size() == 2 && free.is_sound(2, vacant_in));
    mark(70);
    free.undo_remove(70, [](slot_t) { return true; });
    HOLDS(free.is_sound(2, vacant_in));
    auto moved(std::move(free));
    HOLDS(moved.size() == 3 && free.empty());
    free.swap(moved);
    slot_t last = 0;
    while (!free.empty()) mark(last = free.pop(vacant_in));
    HOLDS(last == 70 && vacant[0] == 0 && vacant[1] == 0);
    return 0;
}

/// Knows where it was moved to, and has a destructor.
struct Moved {
    int number;
    constexpr explicit Moved(int n) : number(n) {}
    constexpr Moved(Moved&& other) noexcept : number(other.number) { other.number = -1; }
    constexpr ~Moved() {}
};

constexpr int aligned_arrays() {
    AlignedArray<Moved> array;
    array.resize(2, 0);
    array.construct(0, 10);
    array.construct(1, 11);
    array.resize(5, 2);
    HOLDS(array.capacity() == 5 && array[0].number == 10 && array.data()[1].number == 11);
    AlignedArray<Moved> fresh = array.sized(8);
    array.relocate_into(fresh, 2);
    HOLDS(fresh.capacity() == 8 && fresh[1].number == 11 && array[1].number == -1);
    array.take_back(fresh, 2);
    HOLDS(array[0].number == 10 && array[1].number == 11);
    array.destroy(0, 2);
    return 0;
}

constexpr int allocators_that_cannot_be_assigned() {
    test::NumberedAllocator<int> a(1), b(2);
    detail::exchange_allocators(a, b);
    HOLDS(a.number() == 2 && b.number() == 1);
    detail::renew(a, b);
    HOLDS(a == b);
    Moved one(1), two(2);
    detail::exchange_by_moving(one, two);
    HOLDS(one.number == 2 && two.number == 1);
    return 0;
}

constexpr int sets_of_numbers() {
    auto numbers = detail::SummaryBits<Allocator>().resized(5000, Allocator());
    HOLDS(numbers.none() && !numbers.test(4900));
    numbers.set(4900);
    numbers.set(70);
    HOLDS(!numbers.none() && numbers.lowest() == 70 && numbers.test(4900));
    numbers.reset(70);
    HOLDS(numbers.lowest() == 4900);
    numbers.reset(4900);
    HOLDS(numbers.none());
    return 0;
}

/// The summary of 20 words, of which the cursor has passed four.
constexpr int words_that_live() {
    auto live = detail::FlatArray<bits::word_t, Allocator>().resized(20, 0, Allocator());
    const slot_t cursor = 4 * bits::word_bits;
    detail::LiveSummary<Allocator> summary(live, live.size(), cursor, Allocator());
    HOLDS(summary.view().find_next(0) == 4 && summary.view().find_next(19) == 19 && summary.is_sound(live, cursor));
    HOLDS(summary.view().find_previous(19) == 18);
    live[2] = 1;
    HOLDS(!summary.is_sound(live, cursor));
    summary.update(live, 2, cursor);
    HOLDS(summary.view().find_next(0) == 2 && summary.is_sound(live, cursor));
    live[2] = 0;
    summary.update(live, 2, cursor);
    HOLDS(summary.view().find_next(0) == 4 && summary.is_sound(live, cursor));
    return 0;
}

/// The memory of a part that says nothing of it, and of a std::vector.
struct Vector {
    using value_type = int;
    std::size_t room = 5;
    constexpr std::size_t capacity() const { return room; }
};
constexpr int memory_of_parts() {
    Vector vector;
    HOLDS(detail::memory_of_vector(vector) == 5 * sizeof(int) && detail::known_memory_of(vector) == 0);
    return 0;
}

constexpr int pages() {
    std::size_t bytes = 1;
    HOLDS(detail::default_page_slots(bytes) == 64);
    bytes = 300;
    HOLDS(detail::default_page_slots(bytes) == 8 && detail::slots_apart(8, bytes) == 64);
    bytes = 16'384;
    HOLDS(detail::default_page_slots(bytes) == 1 && detail::word_pages(1, bytes) == 64 && detail::pages_for(65, 1, 64) == 128);
    bytes = 100'000;
    HOLDS(detail::default_page_slots(bytes) == 1 && detail::word_pages(1, bytes) == 1);
    return 0;
}

} // namespace

IN_CONSTANTS("lists of free slots undo their steps in constant expressions: lifo", lists<Reuse::lifo>())
IN_CONSTANTS("lists of free slots undo their steps in constant expressions: fifo", lists<Reuse::fifo>())
IN_CONSTANTS("the lowest free slot is found in constant expressions", lowest_first())
IN_CONSTANTS("memory is counted in constant expressions", memory_of_parts())
IN_CONSTANTS("aligned arrays relocate and come back in constant expressions", aligned_arrays())
IN_CONSTANTS("allocators are made anew in constant expressions", allocators_that_cannot_be_assigned())
IN_CONSTANTS("sets of numbers work in constant expressions", sets_of_numbers())
IN_CONSTANTS("words without a live slot are passed over in constant expressions", words_that_live())
IN_CONSTANTS("the size of pages is chosen in constant expressions", pages())
