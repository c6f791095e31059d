// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSSStorage: a time-series set. It records exactly which keys each window has added and removed. TSSWriter writes it.
#ifndef SLOTWISE_SERIES_TSS_STORAGE_HPP
#define SLOTWISE_SERIES_TSS_STORAGE_HPP

#include "../keyed/set_storage.hpp"
#include "detail/series_interface.hpp"
#include "tss_view.hpp"

SLOTWISE_BEGIN

template <class Storage>
class TSSWriter;

/// A time-series set: SetStorage + TimeArray (when each key was added) + ObserverArray + DeltaTracker.
///     TSSStorage<std::string> active;
///     active.write(1).add("bund");
///     for (const std::string& key : active.added(1)) ...
/// It is written through writers only. write(t) opens window `t` if that is newer than the open one, and joins the open window
/// if it is the same. An older `t` is refused; write_late(t) joins the open window. Deltas are relative to the window's
/// opening, and net: a key that was added and removed again is in none. A removed key stays readable, and its slot unused,
/// until the window rolls. Reading never rolls a window. Deltas of any other than the open window are empty. Keys never move. A
/// handle names one membership of one key, and never resolves again.
/// @tparam With in any order: TimeBy<T>, ordered, with TimeTraits (std::int64_t); HashBy<H>, EqualBy<E>, `IndexBy<I>`,
/// `AllocBy<A>` and `Tag<X>` as SetStorage's; `Options<SeriesOptions{...}>`; `Column<U>` and static observers of the slots,
/// whose on_insert must not throw
template <class Key, class... With>
class TSSStorage : public detail::SeriesInterface<detail::SeriesSet<Key, With...>, detail::time_of<Key, With...>,
                                                  TSSStorage<Key, With...>, TSSWriter> {
    using Args = detail::SeriesArguments<Key, With...>;
    using Time = typename Args::time;
    static_assert(detail::inserts_nothrow<typename Args::observers>,
                  "TSSStorage: a further column's on_insert may throw, so a removed key could be lost before the window rolls; "
                  "make it noexcept");

public:
    /// The result of as_set().
    using set_type = detail::SeriesSet<Key, With...>;

private:
    using Core = detail::SeriesInterface<set_type, Time, TSSStorage, TSSWriter>;

public:
    using value_type = Key;
    using delta_type = SetDelta<Key, Time>;
    using typename Core::handle_type;
    static constexpr SeriesOptions options = Args::options;
    using Core::Core;

    //=== reading ===//

    /// The key of a member. @throws std::out_of_range when the handle has none
    template <std::same_as<handle_type> H>
    constexpr const Key& at(H handle) const {
        return as_set().at(handle);
    }
    /// The key of a member. @pre contains(handle) (checked at level fast)
    template <std::same_as<handle_type> H>
    constexpr const Key& operator[](H handle) const noexcept {
        return as_set()[handle];
    }
    /// Keys by slot; a key is its own value.
    constexpr ColumnView<const Key> keys() const noexcept { return this->store().keys(); }
    constexpr ColumnView<const Key> values() const noexcept { return keys(); }
    /// Handles with their keys, in slot order: for (auto [handle, key] : series.items()); and the handles alone.
    constexpr auto items() const noexcept { return as_set().items(); }
    constexpr auto handles() const noexcept { return as_set().handles(); }

    //=== deltas: empty unless `time` is the open window ===//

    /// Keys that are members now and were not when window `time` opened. Empty unless that is the open window.
    constexpr DeltaRange<Time, Key> added(Time time) const noexcept { return view().added(time); }
    /// Keys that were members when window `time` opened and are not now; readable until it rolls.
    constexpr DeltaRange<Time, Key> removed(Time time) const noexcept { return view().removed(time); }
    /// The same of the open window.
    constexpr DeltaRange<Time, Key> added() const noexcept { return added(this->window()); }
    constexpr DeltaRange<Time, Key> removed() const noexcept { return removed(this->window()); }
    /// The same under the names of a dictionary's.
    constexpr DeltaRange<Time, Key> added_keys(Time time) const noexcept { return added(time); }
    constexpr DeltaRange<Time, Key> removed_keys(Time time) const noexcept { return removed(time); }
    constexpr DeltaRange<Time, Key> added_keys() const noexcept { return added(); }
    constexpr DeltaRange<Time, Key> removed_keys() const noexcept { return removed(); }

    //=== casts ===//

    /// The set now: the same object, not a copy.
    constexpr const set_type& as_set() const noexcept { return this->store(); }
    /// A read-only view of two words, for functions that are no templates.
    constexpr TSSView<Key, Time> view() const noexcept { return TSSView<Key, Time>(*this); }

    /// Equal when they have the same members now. Times and deltas are ignored.
    friend constexpr bool operator==(const TSSStorage& a, const TSSStorage& b) { return a.as_set() == b.as_set(); }
};

/// The writer of one window of a TSSStorage. Move-only. Every member throws std::invalid_argument after close() or a move. A
/// call that throws has no effect, unless documented otherwise.
template <class Storage>
class TSSWriter : public detail::SeriesWriter<Storage> {
    using Base = detail::SeriesWriter<Storage>;
    using Key = typename Storage::key_type;

public:
    /// Makes `key` a member; auto [it, inserted] says where it is and whether it was none. A key that was removed in this
    /// window gets its slot back, and if it was a member when the window opened, its old time.
    /// @throws as SetStorage::insert; strong @complexity amortised O(1) expected, whatever is pending
    template <class K = Key>
    auto insert(K&& key) {
        auto& s = this->state();
        return s.result(s.do_insert(key, [&] { return s.store().insert(std::forward<K>(key)); }));
    }
    /// Makes every key of the range a member. @throws as insert; those inserted before stay
    template <class Range>
    void insert_range(Range&& range) {
        for (auto&& key : range) insert(std::forward<decltype(key)>(key));
    }
    void insert_range(std::initializer_list<Key> keys) { insert(keys.begin(), keys.end()); }
    void insert(std::initializer_list<Key> keys) { insert(keys.begin(), keys.end()); }
    template <class It>
    void insert(It first, It last) {
        for (; first != last; ++first) insert(*first);
    }
    SLOTWISE_CONVERSIONS_BEGIN
    /// As insert(Key(args...)).
    template <class... Args>
        requires(std::is_constructible_v<Key, Args...> && std::is_move_constructible_v<Key>)
    auto emplace(Args&&... args) {
        return insert(Key(std::forward<Args>(args)...));
    }
    SLOTWISE_CONVERSIONS_END
    /// As insert, but returns only whether the key was added. @throws as insert; strong
    template <class K = Key>
    bool add(K&& key) {
        return insert(std::forward<K>(key)).inserted;
    }
    /// Removes the key, and returns a copy of it: the removed one is readable until the window rolls. Empty when it is not a
    /// member. @throws what hash and equality and the copy throw; strong
    template <class K = Key>
    std::optional<Key> extract(const K& key)
        requires(std::copy_constructible<Key>)
    {
        std::optional<Key> result;
        if (const slot_t slot = this->slot_of(key); slot != no_slot) {
            result.emplace(this->storage().key(slot));
            this->state().remove_slot(slot);
        }
        return result;
    }
    /// Replaces the members by those of the range. Ticks if that changes anything, or if the set was never written. The range
    /// may be the set itself. The keys of a container that is given away (an rvalue) are moved. @throws as add; the members
    /// added until then stay
    template <class Range>
    void assign(Range&& range) {
        this->assign_by(range, [&](auto& key) { return insert(Base::template handed_over<Range>(key)).it.slot(); });
    }
    void assign(std::initializer_list<Key> keys) { assign<const std::initializer_list<Key>&>(keys); }
    /// Applies the changes of the delta. @param mode strict: the delta must fit: added keys are no members, removed ones are;
    /// lenient: changes that are present already are skipped
    /// @throws std::invalid_argument that names the key's place in the delta, and nothing has changed; later as add: the
    /// changes until then stay
    void apply(const typename Storage::delta_type& delta, Strictness mode = Strictness::strict) { do_apply(delta, mode); }
    /// The same with a strictness for each key. @param mode_of Strictness(key) @throws as above, and what mode_of throws before
    /// anything has changed
    template <class ModeOf>
        requires std::is_invocable_r_v<Strictness, const ModeOf&, const Key&>
    void apply(const typename Storage::delta_type& delta, const ModeOf& mode_of) {
        do_apply(delta, mode_of);
    }
    /// Makes the members those of `state`, which capture_state() took: changes what differs, whatever was there before. Ticks
    /// as assign(). @throws as assign
    void reconcile(const typename Storage::delta_type& state) {
        if (state.ticked || !state.added.empty())
            assign(state.added);
        else if (this->series().valid())
            this->invalidate();
    }

private:
    friend struct detail::SeriesAccess;
    explicit TSSWriter(Storage& series) noexcept : Base(series) {}

    template <class Mode>
    void do_apply(const typename Storage::delta_type& delta, const Mode& mode) {
        this->find_fault(this->series(), delta, mode).raise();
        apply_checked(delta);
    }
    // A delta that is given away is moved from. @pre find_fault() has found no fault
    template <class Delta>
    void apply_checked(Delta&& delta) {
        this->apply_removals(delta);
        for (auto& key : delta.added) add(Base::template handed_over<Delta>(key));
        if (delta.ticked) this->touch();
    }
};

SLOTWISE_END

#endif
