// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What static observers and columns throw, and what is undone then.
#include "support/catch.hpp"

#if defined(__cpp_exceptions)
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/slot_observer.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/allocators.hpp"
#include "support/tracked.hpp"

#include <algorithm>
#include <map>
#include <vector>

using namespace slotwise;

namespace {

/// Spends the budget at each insert and knows of whom it was told. What it knows is the type's: the container that is notified
/// does not outlive what throws.
template <int Nth>
struct Counting {
    static inline std::map<slot_t, int> told{};
    static inline std::vector<slot_t> erased{};
    void on_insert(slot_t slot, InsertKind) {
        test::Budget::spend();
        ++told[slot];
    }
    void on_erase(slot_t slot) noexcept {
        --told[slot];
        erased.push_back(slot);
    }
    static bool knows_nobody() {
        for (const auto& [slot, times] : told)
            if (times != 0) return false;
        return true;
    }
    static void forget() {
        told.clear();
        erased.clear();
    }
};

template <class T>
using Array = ValueArray<T, test::ThrowingAllocator<T>>;

} // namespace

TEST_CASE("a replay that throws notifies observers of the erase of the inserts they were notified of, the last one first",
          "[promises]") {
    using First = Counting<0>;
    using Second = Counting<1>;
    SlotMap<int> source;
    std::vector<SlotMap<int>::handle_type> handles;
    for (int i = 0; i != 65; ++i) handles.push_back(source.insert(i));
    for (std::size_t slot = 0; slot != 64; ++slot)
        if (slot != 0 && slot != 1 && slot != 3) source.erase(handles[slot]);
    const auto bytes = source.snapshot();
    std::size_t rolled_back = 0;
    const auto failures = test::fail_at_every_step([&](auto&& attempt) {
        SlotMap<int, First, Second> map;
        First::forget();
        Second::forget();
        const bool threw = attempt([&] { map.restore(bytes); });
        if (threw) {
            CHECK(First::knows_nobody());
            CHECK(Second::knows_nobody());
            // The observer that is notified first is notified of the end last.
            CHECK(First::erased.size() <= Second::erased.size() + 1);
            CHECK(std::is_sorted(First::erased.rbegin(), First::erased.rend()));
            rolled_back += First::erased.size();
            CHECK((map.empty() && map.check_invariants()));
        } else {
            CHECK(First::told == std::map<slot_t, int>{{0, 1}, {1, 1}, {3, 1}, {64, 1}});
            CHECK(Second::told == First::told);
        }
    });
    CHECK(failures == 8); // four slots, two observers
    CHECK(rolled_back > 4);
}

TEST_CASE("a value that throws while it is built in a column is not there", "[promises]") {
    test::NothingLeaks objects;
    test::EveryByteReturned bytes;
    const auto failures = test::fail_at_every_step([](auto&& attempt) {
        Array<test::Throwing> column;
        column.on_capacity(0, 64);
        column.construct(2, 20);
        const bool threw = attempt([&] { column.construct(3, 30); });
        CHECK(column[2].value() == 20);
        if (threw) column.construct(3, 31); // the place is free
        CHECK(column[3].value() == (threw ? 31 : 30));
    });
    CHECK(failures == 1);
}

TEST_CASE("a column's value whose replacement throws is kept, unless it was the move that threw or it cannot move",
          "[promises]") {
    std::size_t kept = 0, lost = 0;
    const auto replaced = [&](auto column) {
        using C = decltype(column);
        return test::fail_at_every_step([&](auto&& attempt) {
            test::NothingLeaks objects;
            test::EveryByteReturned bytes;
            C values;
            values.on_capacity(0, 64);
            values.construct(3, 30);
            const bool threw = attempt([&] { values.replace(3, 31); });
            if (!threw) {
                CHECK(values[3].value() == 31);
                return;
            }
            if (objects.alive() != 0) {
                ++kept;
                CHECK(values[3].value() == 30);
            } else
                ++lost;
            values.on_erase(3); // as the owner does
            CHECK(objects.alive() == 0);
        });
    };
    CHECK(replaced(Array<test::ThrowingCopy>()) == 1);
    CHECK((kept == 1 && lost == 0));
    CHECK(replaced(Array<test::Throwing>()) == 2); // its construction, its move
    CHECK((kept == 2 && lost == 1));
    CHECK(replaced(Array<test::ThrowingNonMovable>()) == 1);
    CHECK((kept == 2 && lost == 2));
}
#endif
