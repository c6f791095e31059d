// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what changes columns by themselves: ValueArray, DynamicColumn.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/slots/slot_directory.hpp>
#include <slotwise/slots/value_array.hpp>

#include <array>

using namespace slotwise;
using namespace test;

namespace {

using Array = ValueArray<Throwing, ThrowingAllocator<Throwing>>;
constexpr std::array<bits::word_t, 2> some{0b1011'0110, 0b1};
const Occupancy live(some.data(), 128);

/// Values in the slots of `live`, each its slot.
Array filled() {
    Array column;
    column.on_capacity(0, 128);
    live.for_each([&](slot_t slot) { column.construct(slot, static_cast<int>(slot)); });
    return column;
}
bool has_all(const Array& column) {
    bool all = true;
    live.for_each([&](slot_t slot) { all = all && column[slot].value() == static_cast<int>(slot); });
    return all;
}

/// act(column) throws at every step; the values of others stay.
template <class Act>
void strong(const char* function, Act act) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Array>(function), [&](auto&& attempt) {
        Array column = filled();
        attempt([&] { act(column); });
        REQUIRE(has_all(column));
    });
    REQUIRE(failures > 0);
}

} // namespace

TEST_CASE("a column that throws has the values it had", "[value_array][throws]") {
    strong("on_capacity", [](Array& column) { column.on_capacity(128, 5000); });
    strong("on_insert", [](Array& column) { column.on_insert(100, InsertKind::fresh); });
    strong("construct", [](Array& column) { column.construct(100, 7); });
    strong("(copy, allocator)", [](Array& column) { const Array copy(column, live, ThrowingAllocator<Throwing>()); });
    strong("(copy, allocator)", [](Array& column) { const Array copy(column, live); });
    calls_nothing_that_throws(swept<Array>("()"), [] { const Array none{}; });
}

TEST_CASE("a replacement that throws keeps the old value, or leaves none, and others stay", "[value_array][throws]") {
    for (const bool as_resurrection : {false, true}) {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(swept<Array>(as_resurrection ? "on_insert" : "replace"), [&](auto&& attempt) {
            NothingLeaks inside;
            Array column = filled();
            column.construct(100, 7);
            const auto before = inside.alive();
            const bool threw = attempt([&] {
                if (as_resurrection)
                    column.on_insert(100, InsertKind::resurrected);
                else
                    column.replace(100, 8);
            });
            REQUIRE((inside.alive() == before || (threw && inside.alive() == before - 1)));
            if (!threw) REQUIRE(column[100].value() == (as_resurrection ? 0 : 8));
            REQUIRE(has_all(column));
            column.destroy(100); // also if there is none
        });
        REQUIRE(failures == 2); // the new value, and its move into place
    }
}

TEST_CASE("values that move over one by one: a throw leaves those of the source", "[value_array][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Array>("take_from"), [](auto&& attempt) {
        NothingLeaks inside;
        Array column = filled(), target;
        target.on_capacity(0, 128);
        const auto before = inside.alive();
        const bool threw = attempt([&] { target.take_from(column, live); });
        REQUIRE(inside.alive() == (threw ? before : 2 * before));
        REQUIRE(has_all(column)); // copied, because moving may throw
    });
    REQUIRE(failures == 6);
}

TEST_CASE("a dynamic column passes on what its column throws", "[value_array][throws]") {
    using Dynamic = DynamicColumn<Array>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto sweep = [](const char* function, auto act) {
        const auto failures = fail_at_every_step(swept<Dynamic>(function), [&](auto&& attempt) {
            Dynamic dynamic{filled()};
            attempt([&] { act(dynamic); });
            REQUIRE(has_all(dynamic.column()));
        });
        REQUIRE(failures > 0);
    };
    sweep("on_capacity", [](Dynamic& dynamic) { dynamic.on_capacity(128, 5000); });
    sweep("on_insert", [](Dynamic& dynamic) { dynamic.on_insert(100, InsertKind::fresh); });
    calls_nothing_that_throws(swept<Dynamic>("()"), [] { const Dynamic none{}; });
    Array moved = filled();
    calls_nothing_that_throws(swept<Dynamic>("(...)"), [&] { const Dynamic dynamic{std::move(moved)}; });
    // An observer that holds values is neither copied nor copy assigned: its column cannot be.
    static_assert(!std::is_copy_constructible_v<Dynamic> && !std::is_copy_assignable_v<Dynamic>);
}

TEST_CASE("a directory without slots calls nothing that throws", "[slot_directory][throws]") {
    using Directory = SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lifo, ThrowingAllocator<std::byte>>;
    calls_nothing_that_throws(swept<Directory>("()"), [] { const Directory none{}; });
}
