// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series over time and their parts (time stamps, deltas, lists of subscribers) in constant expressions. The writers of series
// work at run time only; here a class that derives from the storage takes the same steps.
#include "series/subscribers.hpp"
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/series/delta_range.hpp>
#include <slotwise/series/delta_tracker.hpp>
#include <slotwise/series/detail/series_state.hpp>
#include <slotwise/series/observer_array.hpp>
#include <slotwise/series/series_ops.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <memory>
#include <utility>

namespace {

using namespace slotwise;
using Numbered = test::NumberedAllocator<std::byte>;
constexpr std::int64_t never = TimeTraits<std::int64_t>::never();

/// What both kinds of writers do.
template <class Series>
struct Open : Series {
    using series_type = Series;
    using Series::Series;
    constexpr void open(std::int64_t time) { this->state_.open(time); }
    constexpr void open_within(std::int64_t time, const detail::SeriesParent& parent) {
        this->state_.open_within(time, parent);
    }
    constexpr void retain() { detail::SeriesAccess::state(*this).retain(); }
    constexpr void close_writer() { this->state_.close_writer(); }
    constexpr void reserve_for(std::size_t more) { this->state_.reserve_for(more); }
    constexpr void remove_all() { this->state_.remove_all(); }
    constexpr void invalidate_all() { this->state_.invalidate_all(); }
    constexpr auto& series_state() { return this->state_; }
    constexpr std::uint32_t writers() const { return this->state_.writers(); }
    constexpr bool has_subscribers() { return this->state_.notification().has_subscribers(); }
    constexpr bool has_pending_notification() const { return this->state_.notification().whole.changed; }
    constexpr bool remove(int key) {
        const slot_t slot = this->slot_of(key);
        if (slot != no_slot) this->state_.remove_slot(slot);
        return slot != no_slot;
    }
};
template <class Series>
struct OpenSet : Open<Series> {
    using Open<Series>::Open;
    constexpr bool add(int key) {
        auto& state = this->state_;
        return state.result(state.do_insert(key, [&] { return state.store().insert(key); })).inserted;
    }
};
template <class Series>
struct OpenDict : Open<Series> {
    using Open<Series>::Open;
    constexpr void set(int key, int value) {
        create(key);
        const slot_t slot = this->slot_of(key);
        this->state_.value(slot) = value;
        this->state_.stamp(slot);
    }
    constexpr bool create(int key) {
        return this->state_.do_insert(key, [&] { return this->state_.store().try_emplace(key); }).inserted;
    }
};

/// What sets and dictionaries with the members 1, 2, 3, which came in window 1, answer; 9 is another column's value.
template <class Series>
constexpr int questions(Series& series) {
    const Series& reader = series;
    HOLDS(reader.size() == 3 && !reader.empty() && reader.capacity() >= 3 && reader.pending() == 0);
    HOLDS(reader.memory_usage() > 64 + reader.capacity() * sizeof(int));
    const slot_t slot = reader.slot_of(2);
    const auto handle = reader.handle_of(2);
    HOLDS(reader.contains(2) && !reader.contains(4) && reader.contains(handle) && reader.handle_at(slot) == handle);
    HOLDS(reader.key(slot) == 2 && reader.state(slot) == SlotState::live && reader.explain(handle) == HandleStatus::live);
    HOLDS(reader.find(2) != reader.end() && reader.find(4) == reader.end() && reader.find(2).slot() == slot);
    std::size_t slots = 0;
    for (const slot_t each : reader.slots()) slots += reader.occupancy().test(each);
    HOLDS(slots == 3 && reader.begin().slot() == 0);
    HOLDS(reader.count(2) == 1 && reader.count(4) == 0 && reader.find(handle) == reader.find(2));
    HOLDS(*++reader.handles().begin() == handle && reader.items().size() == 3);
    HOLDS(reader.window() == 1 && reader.valid() && reader.last_modified() == 1 && reader.modified(1) &&
          !reader.modified(never));
    HOLDS(reader.valid(2) && !reader.valid(4) && reader.last_modified(2) == 1 && reader.last_modified(4) == never);
    HOLDS(reader.modified(2, 1) && !reader.modified(2, 2) && !reader.modified(4, never) && reader.count_valid() == 3);
    HOLDS(reader.stamps()[slot] == 1 && reader.times().at(slot) == 1 && reader.tracker().was_added(slot, 1));
    HOLDS(reader.was_added(2, 1) && !reader.was_added(2, 2) && !reader.was_added(4, 1) && !reader.was_removed(2, 1));
    series.template observer<0>()[slot] = 9;
    HOLDS(reader.template observer<0>()[slot] == 9 && reader.template column<0>()[slot] == 9 && reader.check_invariants());
    HOLDS(&series.template observer<ValueArray<int>>() == &reader.template observer<ValueArray<int>>());
    HOLDS(series.template column<0>()[slot] == 9 && series.template column<int>()[slot] == 9 &&
          reader.template column<int>()[slot] == 9);
    HOLDS(reader.valid_at(slot) && reader.last_modified_at(slot) == 1 && reader.modified_at(slot, 1) && !reader.invalidated(1));
    auto& state = series.series_state();
    state.notify_nested(slot, 1); // no series: nothing to do
    HOLDS(state.store().key(slot) == 2 && state.store().slot_of_any(2) == slot && state.kind(slot) == TickKind::changed);
    HOLDS(!state.superseded(slot) && !state.any_subscribers() && !state.take_removal());
    int key = 2;
    HOLDS(reader.hash_function()(key) == DefaultHash<int>()(key) && reader.key_eq()(key, reader.key(slot)));
    HOLDS(!series.has_subscribers() && series.writers() == 0 && reader.get_allocator() == series.get_allocator());
    return 0;
}

/// Windows after it, and the end. `other` has the same members.
template <class Series>
constexpr int windows(Series& series, Series& other) {
    series.open(2);
    HOLDS(series.window() == 2 && series.writers() == 1 && !series.was_added(2, 2) && series.last_modified() == 1);
    const slot_t slot = series.slot_of(3);
    HOLDS(series.remove(3) && !series.remove(3) && series.was_removed(3, 2) && !series.was_removed(3, 1));
    HOLDS(series.pending() == 1 && series.key(slot) == 3 && series.state(slot) == SlotState::pending && series.modified(2));
    series.retain();
    series.close_writer();
    HOLDS(series.has_pending_notification() && series.writers() == 1);
    series.close_writer();
    HOLDS(!series.has_pending_notification() && series.check_invariants());
    // Within a parent subscribers wait for the outermost.
    series.open_within(2, {&other, 7, [](void*, slot_t) noexcept {}, nullptr});
    series.remove_all();
    HOLDS(series.empty() && series.pending() == 3 && series.was_removed(1, 2));
    series.close_writer();
    HOLDS(series.has_pending_notification() && series.writers() == 0);
    series.open(3);
    series.close_writer();
    HOLDS(!series.has_pending_notification() && series.pending() == 0 && !series.was_removed(1, 3) &&
          series.last_modified() == 2);
    series.reserve(100);
    HOLDS(series.capacity() >= 100);
    series.shrink_to_fit();
    HOLDS(series.capacity() == 0 && series.check_invariants());

    Series copy(other);
    HOLDS(copy == other && copy.window() == 1 && copy.was_added(2, 1) && copy.last_modified(1) == 1 && copy.check_invariants());
    copy = series;
    HOLDS(copy.empty() && copy.window() == 3 && !(copy == other));
    Series moved(std::move(other));
    HOLDS(moved.size() == 3 && moved.was_added(1, 1) && other.empty() && !other.valid() && other.window() == never);
    copy.swap(moved);
    HOLDS(copy.size() == 3 && copy.last_modified() == 1 && moved.window() == 3);
    typename Series::series_type &mine = copy, &theirs = moved;
    swap(mine, theirs);
    copy = std::move(moved);
    HOLDS(copy.size() == 3 && !moved.valid() && copy.check_invariants() && moved.check_invariants());
    copy.open(2);
    copy.invalidate_all();
    HOLDS(copy.empty() && !copy.valid() && copy.invalidated(2) && !copy.was_removed(1, 2) && copy.check_invariants());
    copy.series_state().notify_removed(2, 1); // to nobody
    copy.close_writer();
    return 0;
}

template <DeltaRepresentation D>
constexpr int sets() {
    using Set = OpenSet<TSSStorage<int, Options<SeriesOptions{.delta = D}>, Column<int>>>;
    Set set;
    HOLDS(!set.valid() && set.window() == never && set.empty());
    set.open(1);
    for (int key = 1; key != 4; ++key) set.add(key);
    HOLDS(!set.add(2));
    set.close_writer();
    if (const int line = questions(set)) return line;
    int sum = 0;
    for (const int key : set) sum += key;
    set.for_each([&](const int& key) { sum += key; });
    const slot_t slot = set.slot_of(2);
    HOLDS(sum == 12 && set.keys()[slot] == 2 && set.values()[slot] == 2 && set.as_set().contains(3));
    HOLDS(set[set.handle_of(2)] == 2 && set.at(set.handle_of(2)) == 2 && !set.keys().empty());
    // A removed member that comes back in the window had come before it.
    Set other(set);
    other.open(2);
    other.remove(1);
    HOLDS(other.add(1) && other.last_modified(1) == 1 && other.last_modified() == 2 && !other.was_added(1, 2));
    other.close_writer();
    other = set;
    return windows(set, other);
}

template <DeltaRepresentation D>
constexpr int dicts() {
    using Dict = OpenDict<TSDStorage<int, int, Options<SeriesOptions{.delta = D}>, Column<int>>>;
    Dict dict;
    dict.open(1);
    for (int key = 1; key != 4; ++key) dict.set(key, 10 * key);
    dict.close_writer();
    if (const int line = questions(dict)) return line;
    int sum = 0;
    for (const auto [key, value] : dict) sum += key + value;
    dict.for_each([&](const int& key, const int& value) { sum += key + value; });
    const slot_t slot = dict.slot_of(2);
    const auto handle = dict.handle_of(2);
    HOLDS(sum == 132 && *dict.get(2) == 20 && dict.get(4) == nullptr && *dict.get(handle) == 20 && dict.at(2) == 20);
    HOLDS(dict.value_or(2, 7) == 20 && dict.value_or(4, 7) == 7 && dict[handle] == 20);
    HOLDS(dict.at(handle) == 20 && dict.value(slot) == 20 && dict.values()[slot] == 20);
    HOLDS(dict.as_map().contains(3) && dict.as_set().contains(3) && !dict.as_set().contains(4));
    Dict other(dict);
    dict.open(1);
    HOLDS(dict.create(4) && !dict.valid(4) && dict.count_valid() == 3 && dict.was_added(4, 1) && !(dict == other));
    dict.remove(4);
    HOLDS(dict == other && dict.count_valid() == 3);
    dict.close_writer();
    Dict worn(other);
    worn.open(2);
    worn.series_state().unstamp(slot);
    auto& state = worn.series_state();
    HOLDS(!worn.valid(2) && !worn.valid_at(slot) && worn.count_valid() == 2 && state.kind(slot) == TickKind::invalidated);
    worn.remove(2);
    HOLDS(state.kind(slot) == TickKind::removed && !state.superseded(slot) && worn.was_removed(2, 2));
    worn.close_writer();
    return windows(dict, other);
}

/// Room for elements that are about to come: those that there is room for change nothing.
constexpr int room_ahead() {
    OpenSet<TSSStorage<int, Options<SeriesOptions{.page_slots = 64}>>> set;
    set.open(1);
    for (int key = 0; key != 3; ++key) set.add(key);
    set.remove(0); // takes room, too
    set.close_writer();
    const std::size_t room = set.capacity() - 3;
    set.reserve_for(room);
    HOLDS(set.capacity() == room + 3);
    set.reserve_for(room + 1);
    HOLDS(set.capacity() > room + 3 && set.capacity() <= room + 3 + 64 && set.size() == 2 && set.check_invariants());
    return 0;
}

/// A slot whose versions are used up when its key is removed: the key gets another slot, and yet has neither come nor gone.
constexpr int worn_slots() {
    OpenSet<TSSStorage<int, Options<SeriesOptions{.handle = {14, 2, 0}}>>> set;
    set.open(1);
    set.add(5);
    set.remove(5);
    set.add(5); // the slot's last version
    set.close_writer();
    const slot_t before = set.slot_of(5);
    set.open(2);
    set.remove(5);
    HOLDS(set.was_removed(5, 2) && set.add(5) && set.slot_of(5) != before);
    HOLDS(!set.was_removed(5, 2) && !set.was_added(5, 2) && set.last_modified(5) == 1 && set.pending() == 1);
    set.close_writer();
    HOLDS(set.check_invariants());
    return 0;
}

/// Elements, times and deltas move to memory of another allocator.
template <class Series>
constexpr int allocators(void (*fill)(Series&)) {
    Series series{Numbered(1)}, other(DefaultHash<int>(), EqualTo(), Numbered(2));
    series.open(1);
    fill(series);
    series.close_writer();
    const auto handle = series.handle_of(2);
    other.swap(series);
    HOLDS(other.get_allocator().number() == 2 && other.contains(handle) && other.was_added(2, 1) && series.empty());
    HOLDS(other.check_invariants() && series.check_invariants() && !series.valid());
    series = other;
    HOLDS(series == other && series.get_allocator().number() == 1 && series.last_modified(2) == 1);
    Series third{Numbered(3)};
    third = std::move(other);
    HOLDS(third == series && third.get_allocator().number() == 3 && third.was_added(2, 1) && third.check_invariants());
    Series fourth(std::move(third), Numbered(4));
    HOLDS(fourth == series && fourth.get_allocator().number() == 4 && fourth.was_added(2, 1) && fourth.check_invariants());
    HOLDS(third.empty() && !third.valid() && third.get_allocator().number() == 3 && third.check_invariants());
    return 0;
}
constexpr int sets_with_allocators() {
    using Set = OpenSet<TSSStorage<int, AllocBy<Numbered>>>;
    return allocators<Set>([](Set& set) { set.add(1), set.add(2); });
}
constexpr int dicts_with_allocators() {
    using Dict = OpenDict<TSDStorage<int, int, AllocBy<Numbered>>>;
    return allocators<Dict>([](Dict& dict) { dict.set(1, 10), dict.set(2, 20); });
}

/// What a series does for the series in its elements.
constexpr int nested() {
    OpenDict<TSDStorage<int, TSSStorage<int>>> dict;
    dict.open(1);
    dict.create(1);
    const slot_t slot = dict.slot_of(1);
    auto& state = dict.series_state();
    state.notify_nested(slot, 1);
    dict.series_state().notify_removed(1, 2);
    HOLDS(!dict.series_state().any_subscribers() && state.kind(slot) == TickKind::invalidated);
    dict.remove(1);
    state.notify_nested(slot, 3);
    HOLDS(state.kind(slot) == TickKind::removed && dict.check_invariants());
    dict.close_writer();
    return 0;
}

/// The tables of operations are made in constant expressions. What does not apply is null.
constexpr int operations() {
    using Set = detail::ErasedTSS<TSSStorage<int>>;
    using Dict = detail::ErasedTSD<TSDStorage<int, int>>;
    using Nest = detail::ErasedTSD<TSDStorage<int, TSSStorage<int>>>;
    auto *add = Set::add(), *create = Dict::create(), *create_nested = Nest::create();
    auto *set_item = Dict::set_item(), *set_nested = Nest::set_item();
    auto *modify = Dict::modify(), *modify_nested = Nest::modify();
    auto* subscribe = Set::subscribe_key();
    HOLDS(add != nullptr && subscribe != nullptr && create != nullptr && set_item != nullptr && modify != nullptr);
    HOLDS(create_nested != nullptr && set_nested == nullptr && modify_nested == nullptr);
    return 0;
}

constexpr int set_views() {
    OpenSet<TSSStorage<int>> set;
    set.open(1);
    set.add(1);
    set.add(2);
    const TSSView<int> view = set.view(), copy(view);
    set.close_writer();
    if (!test::views_answer) return 0; // made and copied, no more
    slot_t slot = set.slot_of(2);
    HOLDS(view.size() == 2 && !view.empty() && view.contains(2) && view.slot_of(2) == slot && view.key(slot) == 2);
    HOLDS(view.as_set().contains(1) && *view.begin() == 1 && ++ ++view.begin() == view.end());
    HOLDS(view.window() == 1 && view.valid() && view.last_modified() == 1 && view.modified(1));
    HOLDS(view.added(1).size() == 2 && view.removed(1).empty() && view.was_added(2, 1) && !copy.was_removed(2, 1));
    HOLDS(set.added(1).size() == 2 && set.removed(1).empty() && set.added_keys(1).size() == 2 && set.removed_keys(1).empty());
    HOLDS(set.added().size() == 2 && set.removed().empty() && set.added_keys().size() == 2 && set.removed_keys().empty());
    HOLDS(view.added().size() == 2 && view.removed().empty() && view.added_keys().size() == 2 && view.removed_keys().empty());
    HOLDS(view.added_keys(1).size() == 2 && view.removed_keys(1).empty() && view.count(1) == 1 && *view.values().begin() == 1);
    return 0;
}
constexpr int dict_views() {
    OpenDict<TSDStorage<int, int>> dict;
    dict.open(1);
    dict.set(1, 10);
    dict.set(2, 20);
    dict.create(3);
    const TSDView<int, int> view = dict.view(), copy(view);
    const TSSView<int> keys = dict.keys();
    dict.close_writer();
    if (!test::views_answer) return 0; // made and copied, no more
    slot_t slot = dict.slot_of(2);
    HOLDS(view.size() == 3 && !view.empty() && view.contains(2) && view.slot_of(2) == slot && view.key(slot) == 2);
    HOLDS(view.as_map().contains(1) && view.as_set().contains(1) && (*view.begin()).key == 1 && view.begin() != view.end());
    HOLDS(*view.get(2) == 20 && view.get(4) == nullptr && view.at(2) == 20 && view.value(slot) == 20);
    HOLDS(view.window() == 1 && view.valid() && view.last_modified() == 1 && view.modified(1) && view.count_valid() == 2);
    HOLDS(view.valid(2) && !view.valid(3) && view.last_modified(2) == 1 && view.modified(2, 1) && !view.modified(3, 1));
    HOLDS(view.added_keys(1).size() == 3 && view.removed_keys(1).empty() && view.removed_items(1).empty());
    HOLDS(view.modified_keys(1).size() == 2 && view.modified_items(1).size() == 2 && view.reset_keys(1).empty());
    HOLDS(view.was_added(3, 1) && !view.was_removed(3, 1) && view.touched() == 3 && view.keys().added(1).size() == 3);
    HOLDS(copy.keys().last_modified() == 1 && keys.was_added(3, 1) && !keys.was_removed(3, 1) && keys.contains(1));
    HOLDS(dict.added_keys(1).size() == 3 && dict.removed_keys(1).empty() && dict.removed_items(1).empty());
    HOLDS(dict.modified_keys(1).size() == 2 && dict.modified_items(1).size() == 2 && dict.reset_keys(1).empty());
    const auto open_window = [](const auto& d) {
        return d.added_keys().size() == 3 && d.added_items().size() == 2 && d.removed_keys().empty() &&
               d.removed_items().empty() && d.modified_keys().size() == 2 && d.modified_items().size() == 2 &&
               d.updated_keys().empty() && d.updated_items().empty() && d.reset_keys().empty() && d.count(2) == 1 &&
               d.value_or(9, 1) == 1;
    };
    HOLDS(open_window(dict) && open_window(view) && *dict.valid_keys().begin() == 1 &&
          (*dict.valid_items().begin()).value == 10);
    return 0;
}

} // namespace

IN_CONSTANTS_WITH_MUTABLES("a set over time lives in a constant expression: adaptive", sets<DeltaRepresentation::adaptive>())
IN_CONSTANTS_WITH_MUTABLES("a set over time lives in a constant expression: bitmap", sets<DeltaRepresentation::bitmap>())
IN_CONSTANTS_WITH_MUTABLES("a dictionary over time lives in a constant expression: adaptive",
                           dicts<DeltaRepresentation::adaptive>())
IN_CONSTANTS_WITH_MUTABLES("a dictionary over time lives in a constant expression: dirty list",
                           dicts<DeltaRepresentation::dirty_list>())
IN_CONSTANTS_WITH_MUTABLES("room is made for what is about to come in a constant expression", room_ahead())
IN_CONSTANTS_WITH_MUTABLES("worn slots are succeeded in constant expressions", worn_slots())
IN_CONSTANTS_WITH_MUTABLES("a set over time changes its allocator in a constant expression", sets_with_allocators())
IN_CONSTANTS_WITH_MUTABLES("a dictionary over time changes its allocator in a constant expression", dicts_with_allocators())
IN_CONSTANTS_WITH_MUTABLES("a series inside a series is visited in a constant expression", nested())
IN_CONSTANTS("tables of operations of series are made in constant expressions", operations())
IN_CONSTANTS_WITH_MUTABLES("views of sets over time are made in constant expressions", set_views())
IN_CONSTANTS_WITH_MUTABLES("views of dictionaries over time are made in constant expressions", dict_views())

//=== parts ===//

namespace series_parts {

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

TEST_CASE("a subscriber may destroy the list that is being notified: the rest is not notified", "[subscribers]") {
    test::TickLog::take();
    auto list = std::make_unique<detail::SubscriberList<std::int64_t>>();
    test::BasicListener<> a("a"), b("b");
    const auto of_a = list->add(a), of_b = list->add(b);
    a.during = [&](const SeriesTick<std::int64_t>&) { list.reset(); };
    list->notify({SeriesLevel::whole, no_slot, 5}, 1);
    CHECK(list == nullptr);
    CHECK(test::TickLog::take() == test::Ticks{"a whole 5"});
}

} // namespace series_parts
