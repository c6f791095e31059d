// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Seeds, seeded hashes, floods and moves between allocators in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/core/seeded_hash.hpp>
#include <slotwise/core/versioned.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <string_view>

namespace {

using namespace slotwise;
using Bytes = std::allocator<std::byte>;

enum class Color : std::uint32_t { red = 7 };

constexpr int seeded() {
    const SipHash13 one(1, 2);
    HOLDS(one.hash_units("abcdefghij", 10) == one.hash_units("abcdefghij", 10));
    HOLDS(one.hash_units("abcdefghij", 10) != one.hash_units("abcdefghik", 10));
    HOLDS(one.hash_value(5) != one.hash_value(6) && one.hash_value(Color::red) != 0);
    const SeededHash<int> numbers;
    HOLDS(numbers(5) == numbers(5));
    const SeededHash<std::string_view> words;
    HOLDS(words("ada") == words(std::string_view("ada")));
    const SipHash13 any; // of a constant key in constant expressions, of a random one when the program runs
    HOLDS(any.hash_value(1) == SipHash13(any).hash_value(1));
    return 0;
}

constexpr int flooded() {
    // Even the lowest 46 bits agree: home, step and fingerprint.
    const auto colliding = [](slot_t slot) { return std::uint64_t{slot} << 52 | 0x12'3456u; };
    PortableHashIndex<Bytes> index;
    const auto source = [&](slot_t end) {
        return [end, colliding](auto&& entry) {
            for (slot_t slot = 0; slot != end; ++slot) entry(slot, colliding(slot));
        };
    };
    for (slot_t slot = 0; slot != 100; ++slot) {
        index.make_room(source(slot));
        index.place(colliding(slot), slot);
    }
    HOLDS(index.is_sound(source(100)));
    for (slot_t slot = 0; slot != 100; ++slot) HOLDS(index.find(colliding(slot), [=](slot_t s) { return s == slot; }) == slot);
    for (slot_t slot = 0; slot != 100; ++slot) index.erase(colliding(slot), slot);
    HOLDS(index.size() == 0);
    return 0;
}

/// Its last entry leaves a flooded index as new: it has no reason to enter anything again.
constexpr int flood_that_ends() {
    const auto colliding = [](slot_t slot) { return std::uint64_t{slot} << 52 | 0x12'3456u; };
    const auto none = [](auto&&) {};
    PortableHashIndex<Bytes> index;
    index.reserve(80, none);
    slot_t count = 0;
    for (; count != 46; ++count) index.place(colliding(count), count); // more pass the first group than chance allows
    bool asked = false;
    const auto source = [&](auto&& entry) {
        asked = true;
        for (slot_t slot = 0; slot != count; ++slot) entry(slot, colliding(slot));
    };
    HOLDS(index.is_sound(source));
    while (count != 0) {
        --count;
        index.erase(colliding(count), count);
    }
    HOLDS(index.size() == 0 && index.is_sound(source));
    asked = false;
    index.make_room(source);
    HOLDS(!asked);
    index.place(colliding(0), count++);
    HOLDS(index.find(colliding(0), [](slot_t slot) { return slot == 0; }) == 0 && index.is_sound(source));
    return 0;
}

/// A value whose move leaves another one behind.
struct Owner {
    int number = 0;
    constexpr Owner(int n) : number(n) {}
    constexpr Owner(Owner&& other) noexcept : number(other.number) { other.number = 0; }
    constexpr Owner& operator=(Owner&& other) noexcept {
        number = other.number;
        other.number = 0;
        return *this;
    }
};

constexpr int moves() {
    Versioned<Owner> from(3);
    const auto seen = from.mark();
    const Versioned<Owner> to(std::move(from));
    HOLDS(to.get().number == 3 && to.mark() == seen && from.changed_since(seen));
    using Numbered = test::NumberedAllocator<int>;
    ValueArray<int, Numbered> column{Numbered(1)};
    column.on_capacity(0, 64);
    column.on_insert(3, InsertKind::fresh);
    column[3] = 9;
    const ValueArray<int, Numbered> moved(std::move(column), Numbered(1));
    HOLDS(moved[3] == 9);
    DeltaTracker<> tracker;
    tracker.on_capacity(0, 256);
    tracker.open(1);
    tracker.reserve_list(150);
    DeltaTracker<> copy(tracker, Bytes()), taken(std::move(tracker), Bytes());
    HOLDS(copy.window() == 1 && taken.window() == 1);
    TSSStorage<int> set;
    TSDStorage<int, int> dict;
    const TSSStorage<int> set_copy(set, std::allocator<int>()), set_moved(std::move(set), std::allocator<int>());
    const TSDStorage<int, int> dict_copy(dict, std::allocator<int>()), dict_moved(std::move(dict), std::allocator<int>());
    HOLDS(set_copy.empty() && set_moved.empty() && dict_copy.empty() && dict_moved.empty());
    HOLDS(set_copy.hash_function()(1) == DefaultHash<int>()(1) && set_copy.key_eq()(1, 1));
    return 0;
}

} // namespace

IN_CONSTANTS("seeded hashes are computed in constant expressions", seeded())
IN_CONSTANTS("an index under a seed works in constant expressions", flooded())
IN_CONSTANTS("an index forgets a flood with its last entry in a constant expression", flood_that_ends())
IN_CONSTANTS_WITH_MUTABLES("values, columns and series move in constant expressions", moves())
