// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Time stamps, deltas and lists of subscribers in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/series/delta_tracker.hpp>
#include <slotwise/series/observer_array.hpp>
#include <slotwise/series/detail/series_state.hpp>
#include <slotwise/series/delta_range.hpp>

#include <utility>

namespace {

using namespace slotwise;
using Allocator = std::allocator<std::byte>;

/// A time that is no number.
struct Day {
    int day;
    static constexpr Day min() noexcept { return {-1000}; }
    friend constexpr auto operator<=>(const Day&, const Day&) = default;
};

constexpr int times() {
    TimeArray<> stamps;
    stamps.on_capacity(0, 64);
    stamps.on_insert(3, InsertKind::fresh);
    std::int64_t now = 5;
    HOLDS(!stamps.valid(3) && stamps.at(3) == TimeArray<>::never && !stamps.modified(3, TimeArray<>::never));
    stamps.stamp(3, now);
    HOLDS(stamps.valid(3) && stamps.at(3) == now && stamps.modified(3, now) && !stamps.modified(3, now - 1));
    stamps.on_insert(3, InsertKind::resurrected);
    HOLDS(!stamps.valid(3));
    double seconds = 0;
    Day day{0};
    HOLDS(detail::is_time(now) && detail::is_time(seconds) && detail::is_time(day));
    now = TimeTraits<std::int64_t>::never();
    seconds = TimeTraits<double>::never();
    day = TimeTraits<Day>::never();
    HOLDS(!detail::is_time(now) && !detail::is_time(seconds) && !detail::is_time(day) && day == Day::min());
    HOLDS(seconds < -1e300 && now < -(std::int64_t{1} << 62));
    return 0;
}

template <DeltaRepresentation R>
using Tracked =
    SetStorage<int, Options<KeySetOptions{.deferred_erase = true}>, AllocBy<Allocator>, DeltaTracker<std::int64_t, R>>;

/// The slots of a range as digits, lowest first; their order is a matter of representation.
template <class Range>
constexpr unsigned bits_of(const Range& range) {
    unsigned bits = 0;
    for (const slot_t slot : range) bits |= 1u << slot;
    return bits;
}

template <DeltaRepresentation R>
constexpr int trackers() {
    Tracked<R> set{10, 11, 12};
    auto& delta = set.template observer<0>();
    HOLDS(delta.window() == TimeTraits<std::int64_t>::never() && !delta.current(1) && delta.added(1).empty());
    HOLDS(delta.open(1) && !delta.open(1) && delta.current(1) && delta.window() == 1 && delta.touched(1).size() == 0);
    set.insert(13);
    delta.touch(0);
    set.remove(11);
    HOLDS(bits_of(delta.added(1)) == 0b1000 && bits_of(delta.removed(1)) == 0b10 && bits_of(delta.touched(1)) == 0b1011);
    HOLDS(delta.was_added(3, 1) && !delta.was_added(0, 1) && delta.was_removed(1, 1) && delta.was_touched(0, 1));
    HOLDS(!delta.was_added(3, 2) && !delta.was_removed(1, 2) && !delta.was_touched(0, 2) && delta.added(2).empty());
    set.remove(13);
    set.insert(11);
    HOLDS(delta.added(1).empty() && delta.removed(1).empty() && delta.touched(1).size() == 3);
    HOLDS(delta.opening_flags(1) == 8 && delta.opening_flags(3) == 3 && delta.opening_flags(0) == 0);
    HOLDS(delta.check_invariants(set.occupancy()) && delta.words().window == 1);
    const auto kept = delta; // a copy, in the middle of a window
    set.flush_removed();
    HOLDS(delta.open(2) && delta.touched(2).empty() && kept.current(1) && kept.touched(1).size() == 3);
    delta.touch_valid(2);
    HOLDS(delta.was_touched(2, 2) && delta.touched(2).begin().slot() == 2 && delta.words().values_only);

    // Whole: what a restored snapshot does, and what containers ask of their columns.
    using Tracker = DeltaTracker<std::int64_t, R>;
    Tracker other{Allocator()};
    other.on_capacity(0, 64);
    other.restore_window(1);
    for (const slot_t slot : kept.touched(1)) other.restore_opening(slot, kept.opening_flags(slot));
    HOLDS(bits_of(other.touched(1)) == bits_of(kept.touched(1)) && other.opening_flags(1) == 8 && other.opening_flags(3) == 3);
    Tracker taker;
    taker.on_capacity(0, 128);
    taker.take_from(other, {});
    HOLDS(taker.touched(1).size() == 3 && taker.opening_flags(3) == 3);
    Tracker moved(std::move(taker));
    HOLDS(moved.touched(1).size() == 3 && !taker.current(1));
    taker = moved;
    swap(taker, moved);
    moved.swap(taker);
    HOLDS(moved.current(1) && taker.current(1));
    const Tracker copy(moved, {}, Allocator());
    HOLDS(copy.touched(1).size() == 3);
    moved.on_reset();
    HOLDS(!moved.current(1) && copy.current(1));
    const bool by_list = R != DeltaRepresentation::bitmap;
    HOLDS(delta.in_slot_order() != by_list);
    delta.use_slot_order();
    HOLDS(delta.in_slot_order() == (R != DeltaRepresentation::dirty_list) && delta.was_touched(2, 2));
    set.clear();
    set.reset();
    HOLDS(delta.window() == TimeTraits<std::int64_t>::never());
    return 0;
}

/// A container that clears at once tells on_clear; a slot that another gets in one window is in both deltas.
constexpr int endings() {
    SetStorage<int, AllocBy<Allocator>, DeltaTracker<>> set{1, 2, 3};
    auto& delta = set.observer<0>();
    delta.open(1);
    const slot_t slot = set.slot_of(2);
    set.erase(2);
    HOLDS(set.insert(4).it.slot() == slot && delta.was_added(slot, 1) && delta.was_removed(slot, 1));
    set.clear();
    HOLDS(bits_of(delta.removed(1)) == 0b111 && delta.added(1).empty() && delta.check_invariants(set.occupancy()));
    return 0;
}

/// A removed key whose slot is exhausted gets another, which goes on where it was.
constexpr int heirs() {
    DeltaTracker<> tracker;
    tracker.on_capacity(0, 64);
    tracker.on_insert(0, InsertKind::fresh);
    tracker.open(1);
    tracker.on_remove(0);
    tracker.on_insert(1, InsertKind::fresh);
    HOLDS(tracker.was_removed(0, 1) && tracker.was_added(1, 1));
    tracker.inherit(0, 1);
    HOLDS(!tracker.was_removed(0, 1) && !tracker.was_added(1, 1) && tracker.opening_flags(1) == 8 &&
          tracker.opening_flags(0) == 3);
    return 0;
}

/// A value is taken from an element; everything is, so that the deltas are relative to nothing.
constexpr int invalidations() {
    DeltaTracker<> tracker, restored;
    tracker.on_capacity(0, 64);
    restored.on_capacity(0, 64);
    tracker.on_insert(0, InsertKind::fresh);
    tracker.open(1);
    tracker.invalidate(0);
    HOLDS(tracker.opening_flags(0) == 8 && tracker.was_touched(0, 1) && !tracker.words().invalidated);
    tracker.on_remove(0);
    tracker.invalidate_all();
    HOLDS(tracker.opening_flags(0) == 3 && !tracker.was_removed(0, 1) && tracker.words().invalidated);
    restored.restore_window(1);
    restored.restore_invalidated();
    HOLDS(restored.current(1) && restored.words().invalidated && !restored.words().values_only);
    return 0;
}

/// Keys and items instead of slots; those with a stamp.
template <DeltaRepresentation R>
constexpr int ranges() {
    using Map = MapStorage<int, int, Options<KeySetOptions{.deferred_erase = true}>, AllocBy<Allocator>,
                           DeltaTracker<std::int64_t, R>, TimeArray<>>;
    using Part = detail::DeltaPart;
    Map map{{1, 10}, {2, 20}, {3, 30}};
    auto& delta = map.template observer<0>();
    auto& stamps = map.template observer<1>();
    delta.open(5);
    map[4] = 40;
    delta.touch(map.slot_of(2));
    stamps.stamp(map.slot_of(2), 5);
    stamps.stamp(map.slot_of(4), 4);
    map.erase(3);
    const auto& reader = map;
    const detail::PageView<const int> keys = reader.as_set().keys().pages(), values = reader.values().pages();
    HOLDS(reader.values().directory().live.count() == reader.size());
    const auto pages = stamps.pages();
    const detail::PageView<const std::int64_t> times{pages.pages, pages.shift};
    const DeltaRange<std::int64_t, int> added(delta.words(), 5, Part::added, {keys}),
        dropped(delta.words(), 5, Part::dropped, {keys});
    HOLDS(added.size() == 1 && *added.begin() == 4 && dropped.size() == 1 && *dropped.begin() == 3);
    const DeltaRange<std::int64_t, int, int> modified(delta.words(), 5, Part::modified, {keys, values}),
        written(delta.words(), 5, Part::modified, {keys, values}, times, 5);
    int sum = 0;
    for (const auto [key, value] : modified) sum += key + value;
    HOLDS(sum == 66 && modified.size() == 2);
    HOLDS(written.size() == 1 && (*written.begin()).key == 2 && written.begin().slot() == map.slot_of(2));
    using Valid = detail::ValidRange<std::int64_t, int, int>;
    const Valid valid(map.slots(), times, {keys, values});
    sum = 0;
    for (const auto [key, value] : valid) sum += key + value;
    HOLDS(sum == 66 && !valid.empty() && Valid().empty() && ++ ++valid.begin() == valid.end());
    const detail::ValidRange<std::int64_t, int> valid_keys(map.slots(), times, {keys});
    HOLDS(*valid_keys.begin() == 2 && valid_keys.begin().slot() == map.slot_of(2));
    map[3] = 33;
    const DeltaRange<std::int64_t, int> renewed(delta.words(), 5, Part::reset, {keys}),
        unwritten(delta.words(), 5, Part::reset, {keys}, times, TimeArray<>::never);
    HOLDS(renewed.size() == 1 && *renewed.begin() == 3 && unwritten.size() == 1 && dropped.empty());
    HOLDS(DeltaRange<std::int64_t>().empty() && DeltaRange<std::int64_t>(delta.words(), 4, Part::touched, {}).empty());
    return 0;
}

/// The subscribers of something: in constant expressions there are none, since their call is virtual and their list grows at
/// run time.
constexpr int subscribers() {
    detail::SubscriberEntry<std::int64_t> entry;
    HOLDS(entry == nullptr);
    detail::SubscriberList<std::int64_t> list, other(std::move(list));
    list = std::move(other);
    std::uint64_t window = 1;
    list.notify({SeriesLevel::whole, no_slot, 1}, window);
    SeriesTick<std::int64_t> tick{SeriesLevel::element, 3, 1, TickKind::removed};
    HOLDS(list.empty() && !list.take_late() && tick.removed());
    detail::SeriesTicker<std::int64_t> ticker;
    ticker.tick(7);
    HOLDS(ticker.last == 7 && ticker.changed);
    ticker.notify(SeriesLevel::whole, window);
    HOLDS(ticker.last == 7 && !ticker.changed);
    ticker.invalidate();
    HOLDS(ticker.last == TimeTraits<std::int64_t>::never() && ticker.changed);
    detail::NoTicker<std::int64_t> none;
    none.invalidate();
    slot_t slot = 3;
    const bool unchanged = detail::AlwaysChanged::kind(slot) != TickKind::changed || detail::AlwaysChanged::superseded(slot);
    HOLDS(!none.changed && !unchanged);
    return 0;
}

constexpr int observer_arrays() {
    using Numbered = test::NumberedAllocator<std::byte>;
    using Array = ObserverArray<int, AllocBy<Numbered>>;
    Array array{Numbered(1)}, moved(std::move(array)), other(std::move(moved), Numbered(2));
    other.swap(array);
    int key = 1, asked = 0;
    array.mark(3);
    array.drop(3);
    array.on_erase(3);
    const bits::word_t words[] = {8};
    array.on_clear(Occupancy(words, 64));
    array.rewatch([&](int) { return static_cast<slot_t>(++asked); });
    array.notify(
        1, 1, [&](slot_t) { ++asked; }, [&](slot_t) -> const int& { return ++asked, key; });
    HOLDS(array.unused() && other.unused() && !array.is_watched(key) && !array.mark_always(3) && !array.any_marked() &&
          asked == 0);
    array.on_reset();
    HOLDS(array.unused());
    return 0;
}

} // namespace

IN_CONSTANTS("time stamps work in constant expressions", times())
IN_CONSTANTS("deltas work in constant expressions: adaptive", trackers<DeltaRepresentation::adaptive>())
IN_CONSTANTS("deltas work in constant expressions: bitmap", trackers<DeltaRepresentation::bitmap>())
IN_CONSTANTS("deltas work in constant expressions: dirty list", trackers<DeltaRepresentation::dirty_list>())
IN_CONSTANTS("deltas of elements that end at once work in constant expressions", endings())
IN_CONSTANTS("a slot goes on for another in constant expressions", heirs())
IN_CONSTANTS("values are taken from elements in constant expressions", invalidations())
IN_CONSTANTS("deltas give keys and items in constant expressions: list", ranges<DeltaRepresentation::dirty_list>())
IN_CONSTANTS("deltas give keys and items in constant expressions: bitmap", ranges<DeltaRepresentation::bitmap>())
IN_CONSTANTS_WITH_MUTABLES("nobody is subscribed in constant expressions", subscribers())
IN_CONSTANTS("arrays of observers without any work in constant expressions", observer_arrays())
