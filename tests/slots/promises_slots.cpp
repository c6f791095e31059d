// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the engine under the containers throws, where no container shows it by itself.
#include "support/catch.hpp"

#if defined(__cpp_exceptions)
#include <slotwise/slots/detail/observer_hub.hpp>
#include <slotwise/slots/slot_observer.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/allocators.hpp"
#include "support/tracked.hpp"

#include <map>
#include <vector>

using namespace slotwise;

namespace {

/// Spends the budget at each insert and knows of whom it was told.
struct Counting {
    std::map<slot_t, int> told{};
    std::vector<slot_t> erased{};
    void on_insert(slot_t slot, InsertKind) {
        test::Budget::spend();
        ++told[slot];
    }
    void on_erase(slot_t slot) noexcept {
        --told[slot];
        erased.push_back(slot);
    }
    bool knows_nobody() const {
        for (const auto& [slot, times] : told)
            if (times != 0) return false;
        return true;
    }
};

template <class T>
using Array = ValueArray<T, test::ThrowingAllocator<T>>;

} // namespace

TEST_CASE("a replay that throws notifies observers of the erase of the inserts they were notified of, the last one first",
          "[promises]") {
    const bits::word_t words[2] = {0b1011, 0b1};
    std::size_t rolled_back = 0;
    const auto failures = test::fail_at_every_step([&](auto&& attempt) {
        detail::ObserverHub<Counting, Counting> hub;
        const bool threw = attempt([&] { hub.replay(Occupancy(words, 128)); });
        const auto &first = hub.get<0>(), &second = hub.get<1>();
        if (threw) {
            CHECK(first.knows_nobody());
            CHECK(second.knows_nobody());
            CHECK(first.erased.size() <= second.erased.size() + 1); // the observer notified first is notified of the end last
            rolled_back += first.erased.size();
        } else {
            CHECK(first.told == std::map<slot_t, int>{{0, 1}, {1, 1}, {3, 1}, {64, 1}});
            CHECK(second.told == first.told);
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
