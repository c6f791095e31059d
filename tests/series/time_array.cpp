// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TimeTraits: what may be a time. TimeArray: a time stamp for every live slot of any container.
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/delta_tracker.hpp>
#include <slotwise/series/time_array.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace slotwise;

namespace {

/// Counts from 1; 0 says never.
struct Tick {
    std::uint32_t number = 0;
    friend constexpr auto operator<=>(const Tick&, const Tick&) = default;
};

/// Is a time by its own min().
struct Day {
    int number = 0;
    static constexpr Day min() noexcept { return {-1000}; }
    friend constexpr auto operator<=>(const Day&, const Day&) = default;
};

} // namespace

template <>
struct slotwise::TimeTraits<Tick> {
    static constexpr Tick never() noexcept { return {0}; }
};

namespace {

using namespace std::chrono;

static_assert(TimeTraits<std::int64_t>::never() == INT64_MIN, "what NumPy shows as NaT");
static_assert(TimeTraits<std::int32_t>::never() == INT32_MIN);
static_assert(TimeTraits<std::int8_t>::never() == INT8_MIN);
static_assert(TimeTraits<std::uint64_t>::never() == 0);
static_assert(TimeTraits<double>::never() == std::numeric_limits<double>::lowest(), "finite: -ffast-math knows no infinity");
static_assert(TimeTraits<float>::never() == std::numeric_limits<float>::lowest());
static_assert(TimeTraits<system_clock::time_point>::never() == system_clock::time_point::min());
static_assert(TimeTraits<steady_clock::time_point>::never() == steady_clock::time_point::min());
static_assert(TimeTraits<sys_days>::never() == sys_days::min());
static_assert(TimeTraits<nanoseconds>::never() == nanoseconds::min());
static_assert(TimeTraits<Tick>::never() == Tick{0});
static_assert(TimeTraits<Day>::never() == Day{-1000});
static_assert(noexcept(TimeTraits<std::int64_t>::never()) && noexcept(TimeTraits<nanoseconds>::never()));

template <class Time>
constexpr bool is_time(Time time) {
    return slotwise::detail::is_time(time);
}
static_assert(is_time<std::int64_t>(INT64_MIN + 1) && is_time<std::int64_t>(0) && is_time<std::int64_t>(INT64_MAX));
static_assert(!is_time<std::int64_t>(INT64_MIN) && !is_time<std::uint8_t>(0) && is_time<std::uint8_t>(1));
static_assert(is_time(std::numeric_limits<double>::lowest() / 2) && is_time(-0.0) &&
              is_time(std::numeric_limits<double>::infinity()));
static_assert(!is_time(std::numeric_limits<double>::lowest()) && !is_time(-std::numeric_limits<double>::infinity()) &&
              !is_time(std::numeric_limits<double>::quiet_NaN()));
static_assert(!is_time(nanoseconds::min()) && is_time(nanoseconds::min() + nanoseconds(1)) && is_time(nanoseconds(0)));
static_assert(!is_time(Tick{0}) && is_time(Tick{1}) && !is_time(Day{-1000}) && is_time(Day{-999}));

static_assert(StaticObserver<TimeArray<>> && StaticObserver<TimeArray<double>> && StaticObserver<TimeArray<sys_days>>);
static_assert(noexcept(std::declval<TimeArray<>&>().on_insert(0, InsertKind::fresh)),
              "a removed element can live again without a throw");

constexpr int constant_use() {
    TimeArray<int> times;
    times.on_capacity(0, 64);
    times.on_insert(3, InsertKind::fresh);
    const bool at_first = times.valid(3);
    times.stamp(3, 7);
    const bool written = times.valid(3) && times.modified(3, 7) && !times.modified(3, 6) && !times.modified(3, 8);
    times.on_insert(3, InsertKind::resurrected);
    const bool again = times.valid(3);
    times.on_erase(3);
    times.on_reset();
    return (at_first ? 1 : 0) + (written ? 2 : 0) + (again ? 4 : 0);
}
static_assert(constant_use() == 2);

constexpr KeySetOptions small(bool deferred) { return {.deferred_erase = deferred, .page_slots = 64}; }
template <bool Deferred, class Time = std::int64_t, class Allocator = std::allocator<int>>
using Set = SetStorage<int, Options<small(Deferred)>, AllocBy<Allocator>,
                       TimeArray<Time, typename std::allocator_traits<Allocator>::template rebind_alloc<Time>>>;

constexpr std::int64_t never = INT64_MIN;

} // namespace

TEST_CASE("a key inserted into a set was never written", "[time_array]") {
    Set<false> set;
    auto& times = set.observer<0>();
    const slot_t a = set.insert(1).it.slot(), b = set.insert(2).it.slot();
    CHECK(times.at(a) == never);
    CHECK_FALSE(times.valid(a));
    CHECK_FALSE(times.modified(a, never)); // never is no time: nothing is modified then
    times.stamp(a, 10);
    times.stamp(b, never + 1);
    CHECK(times.at(a) == 10);
    CHECK(times.valid(a));
    CHECK(times.valid(b));
    CHECK(times.modified(a, 10));
    CHECK_FALSE(times.modified(a, 9)); // equality, not "at or after"
    CHECK_FALSE(times.modified(a, 11));
    CHECK(times.modified(b, never + 1));
}

TEST_CASE("an element in a reused slot was never written", "[time_array]") {
    Set<false> set;
    auto& times = set.observer<0>();
    const slot_t slot = set.insert(1).it.slot();
    times.stamp(slot, 10);
    set.erase(1);
    REQUIRE(set.insert(2).it.slot() == slot);
    CHECK(times.at(slot) == never);
    times.stamp(slot, 11);
    set.clear();
    REQUIRE(set.insert(3).it.slot() == slot);
    CHECK(times.at(slot) == never);
}

TEST_CASE("a removed element keeps its stamp until it lives again or is erased", "[time_array]") {
    Set<true> set;
    auto& times = set.observer<0>();
    const slot_t slot = set.insert(1).it.slot();
    times.stamp(slot, 10);
    set.remove(1);
    CHECK(times.at(slot) == 10);
    const InsertResult again = set.insert(1);
    REQUIRE(again.kind == InsertKind::resurrected);
    REQUIRE(again.it.slot() == slot);
    CHECK(times.at(slot) == never);
    times.stamp(slot, 11);
    set.clear();
    CHECK(times.at(slot) == 11);
    set.flush_removed();
    REQUIRE(set.insert(1).kind == InsertKind::fresh);
    CHECK(times.at(slot) == never);
}

TEST_CASE("a slot map can have time stamps as a column, for as long as the elements live", "[time_array]") {
    SlotMap<int, TimeArray<>> map;
    auto& times = map.observer<0>();
    const auto a = map.insert(1);
    CHECK(times.at(a.index()) == never);
    times.stamp(a.index(), 5);
    map.erase(a);
    const auto b = map.insert(2);
    REQUIRE(b.index() == a.index());
    CHECK(times.at(b.index()) == never);
}

TEST_CASE("time stamps attached late are never for earlier elements", "[time_array]") {
    SlotMap<int> map;
    const auto a = map.insert(1), b = map.insert(2);
    map.erase(a);
    DynamicColumn<TimeArray<>> times;
    const auto token = map.attach(times);
    CHECK(times.column().at(b.index()) == never);
    times.column().stamp(b.index(), 3);
    const auto c = map.insert(3);
    CHECK(times.column().at(c.index()) == never);
    CHECK(times.column().modified(b.index(), 3));
}

TEST_CASE("stamps lie side by side in pages, keep their addresses, and are a column like any other", "[time_array]") {
    Set<false> set;
    auto& times = set.observer<0>();
    set.insert(0);
    const std::int64_t* const first = times.ptr(0);
    for (int i = 0; i != 1000; ++i) times.stamp(set.insert(i).it.slot(), i);
    CHECK(times.ptr(0) == first);
    for (slot_t slot = 0; slot != 1000; ++slot) REQUIRE(times.at(slot) == std::int64_t{slot});
    for (slot_t block = 0; block < 960; block += 64)
        for (slot_t i = 0; i != 64; ++i) REQUIRE(times.block(block) + i == times.ptr(block + i));
    const auto pages = times.pages();
    for (slot_t slot = 0; slot != 1000; ++slot) REQUIRE(pages.ptr(slot) == times.ptr(slot));
    set.erase(7);
    std::int64_t sum = 0;
    std::size_t count = 0;
    for (const std::int64_t time : set.column<0>()) sum += time, ++count;
    CHECK(count == 999);
    CHECK(sum == 999 * 1000 / 2 - 7);
}

TEMPLATE_TEST_CASE("any ordered type with a lowest value is a time", "[time_array]", std::int8_t, std::uint32_t, double,
                   system_clock::time_point, nanoseconds, sys_days, Day, Tick) {
    const TestType none = TimeTraits<TestType>::never();
    TestType later = none;
    if constexpr (std::is_same_v<TestType, double>)
        later = -1e300;
    else if constexpr (requires { later.number; })
        ++later.number;
    else if constexpr (requires { later.time_since_epoch(); })
        later += typename TestType::duration(1); // libc++ 16 has no ++ for it
    else
        ++later;
    Set<true, TestType> set;
    auto& times = set.template observer<0>();
    const slot_t slot = set.insert(1).it.slot();
    REQUIRE(times.at(slot) == none);
    REQUIRE_FALSE(times.modified(slot, none));
    times.stamp(slot, later);
    REQUIRE(times.modified(slot, later));
    REQUIRE(times.valid(slot));

    DeltaTracker<TestType> tracker;
    CHECK(tracker.window() == none);
    CHECK_FALSE(tracker.current(none));
    CHECK_THROWS_AS(tracker.open(none), std::invalid_argument);
    CHECK(tracker.open(later));
    CHECK_FALSE(tracker.open(later));
    CHECK(tracker.current(later));
    CHECK_THROWS_AS(tracker.open(none), std::invalid_argument); // not one that is merely older
    CHECK(tracker.window() == later);
}

TEST_CASE("a NaN is no time", "[time_array]") {
    DeltaTracker<double> tracker;
    CHECK_THROWS_AS(tracker.open(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
    tracker.open(1.5);
    CHECK_THROWS_AS(tracker.open(-std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
    CHECK(tracker.window() == 1.5);
    CHECK_FALSE(tracker.current(std::numeric_limits<double>::quiet_NaN()));
    CHECK(tracker.open(std::numeric_limits<double>::infinity()));
}
