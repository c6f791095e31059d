// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets and dictionaries over time in constant expressions. Their writers work at run time only; here a class that derives from
// the storage takes the same steps.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/series/series_ops.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

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
