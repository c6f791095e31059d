// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSDStorage: a time-series dictionary. It records exactly which keys each window has added and removed, and which values it
// has written. TSDWriter writes it.
#ifndef SLOTWISE_SERIES_TSD_STORAGE_HPP
#define SLOTWISE_SERIES_TSD_STORAGE_HPP

#include "capture.hpp"
#include "detail/series_interface.hpp"
#include "tss_storage.hpp"

SLOTWISE_BEGIN

template <class Storage>
class TSDWriter;

/// A time-series dictionary: it records which keys and values each window of time has changed. It is a MapStorage + TimeArray
/// (when each value was written) + ObserverArray + DeltaTracker.
///     TSDStorage<std::string, double> price;
///     price.write(1).set("bund", 131.2);
///     for (auto [key, value] : price.modified_items(1)) ...
/// Windows and deltas are as in TSSStorage. Removed keys and values stay readable until the window rolls. A key may be created
/// without a value: a member that is not valid. Keys have ticks of their own: keys() is a set over time that does not tick when
/// a value is written. T may be a series itself: a dictionary of sets, or of dictionaries. They share the clock: modify(key)
/// returns a writer of the nested series in the same window, and a tick of a nested series ticks its element.
/// @tparam T a series, or an object type that is nothrow move constructible, or immovable and nothrow constructible, because a
/// removed element may be inserted again in its slot. Put others into a std::unique_ptr.
/// @tparam With as TSSStorage's
template <class Key, class T, class... With>
class TSDStorage : public detail::SeriesInterface<detail::SeriesMap<Key, T, With...>, detail::time_of<Key, With...>,
                                                  TSDStorage<Key, T, With...>, TSDWriter> {
    using Args = detail::SeriesArguments<Key, With...>;
    using Time = typename Args::time;
    static_assert(detail::inserts_nothrow<typename Args::observers>,
                  "TSDStorage: a further column's on_insert may throw, so a removed key could be lost before the window rolls; "
                  "make it noexcept");
    static_assert(detail::shares_clock<T, Time>, "TSDStorage: a nested series must have the same Time");
    static_assert(
        std::is_nothrow_move_constructible_v<T> ||
            (!std::is_move_constructible_v<T> && std::is_nothrow_default_constructible_v<T>),
        "TSDStorage: T's move constructor may throw; then a removed key could be lost before the window rolls. Put T into a "
        "std::unique_ptr, or make its move constructor noexcept");

public:
    /// The result of as_map().
    using map_type = detail::SeriesMap<Key, T, With...>;
    /// The result of as_set().
    using set_type = typename map_type::set_type;

private:
    using Core = detail::SeriesInterface<map_type, Time, TSDStorage, TSDWriter>;

public:
    using mapped_type = T;
    using value_type = MapItem<Key, const T>;
    using delta_type = DictDelta<Key, T, Time>;
    using typename Core::handle_type;
    static constexpr SeriesOptions options = Args::options;
    using Core::Core;

    //=== reading ===//

    /// The value, or null when the key is no member. A member that was never written has T().
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr const T* get(const K& key) const {
        return this->store().get(key);
    }
    template <std::same_as<handle_type> H>
    constexpr const T* get(H handle) const noexcept {
        return this->store().get(handle);
    }
    /// The value. @throws std::out_of_range when there is none
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr const T& at(const K& key) const {
        return this->store().at(key);
    }
    template <std::same_as<handle_type> H>
    constexpr const T& at(H handle) const {
        return this->store().at(handle);
    }
    /// The value. @pre contains(handle) (checked at level fast)
    template <std::same_as<handle_type> H>
    constexpr const T& operator[](H handle) const noexcept {
        return this->store()[handle];
    }
    /// A copy of the value, or T(otherwise) when the key is no member. @throws what that copy or conversion throws
    template <class K = Key, class U = T>
        requires std::is_constructible_v<T, U>
    constexpr T value_or(const K& key, U&& otherwise) const {
        return this->store().value_or(key, std::forward<U>(otherwise));
    }
    /// The value in `slot`. @pre live, or removed in the open window
    constexpr const T& value(slot_t slot) const noexcept { return this->store().value(slot); }
    /// Values by slot, including those never written.
    constexpr ColumnView<const T> values() const noexcept { return as_map().values(); }

    /// Keys with their values, in slot order: for (auto [key, value] : series.items()); and the handles.
    constexpr auto items() const noexcept { return as_map().items(); }
    constexpr auto handles() const noexcept { return as_map().handles(); }

    /// Members that were ever written, in slot order.
    constexpr auto valid_keys() const { return view().valid_keys(); }
    /// The same with their values: for (auto [key, value] : prices.valid_items()).
    constexpr auto valid_items() const { return view().valid_items(); }

    //=== deltas: empty unless `time` is the open window ===//

    /// Members now, and not when the window opened, including those without a value.
    constexpr DeltaRange<Time, Key> added_keys(Time time) const { return view().added_keys(time); }
    /// Those of them that have a value, with it.
    constexpr DeltaRange<Time, Key, T> added_items(Time time) const { return view().added_items(time); }
    /// Members when the window opened, and not now; readable until it rolls.
    constexpr DeltaRange<Time, Key> removed_keys(Time time) const { return view().removed_keys(time); }
    /// The removed members that had a value when the window opened, with the value of the last element under the key (T(), if
    /// that was created in the window).
    constexpr DeltaRange<Time, Key, T> removed_items(Time time) const { return view().removed_items(time); }
    /// Members written in the window, new ones included.
    constexpr DeltaRange<Time, Key> modified_keys(Time time) const { return view().modified_keys(time); }
    constexpr DeltaRange<Time, Key, T> modified_items(Time time) const { return view().modified_items(time); }
    /// Members then and now that were written in the window: the modified ones without the added ones.
    constexpr DeltaRange<Time, Key> updated_keys(Time time) const { return view().updated_keys(time); }
    /// The same with their values.
    constexpr DeltaRange<Time, Key, T> updated_items(Time time) const { return view().updated_items(time); }
    /// Members then and now whose element was removed and created again without a value; of nested series also those that were
    /// written since.
    constexpr DeltaRange<Time, Key> reset_keys(Time time) const { return view().reset_keys(time); }
    /// The same of the open window.
    constexpr DeltaRange<Time, Key> added_keys() const { return added_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> added_items() const { return added_items(this->window()); }
    constexpr DeltaRange<Time, Key> removed_keys() const { return removed_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> removed_items() const { return removed_items(this->window()); }
    constexpr DeltaRange<Time, Key> modified_keys() const { return modified_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> modified_items() const { return modified_items(this->window()); }
    constexpr DeltaRange<Time, Key> updated_keys() const { return updated_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> updated_items() const { return updated_items(this->window()); }
    constexpr DeltaRange<Time, Key> reset_keys() const { return reset_keys(this->window()); }

    //=== casts ===//

    /// The dictionary now, and its keys: the same object, not a copy.
    constexpr const map_type& as_map() const noexcept { return this->store(); }
    constexpr const set_type& as_set() const noexcept { return as_map().as_set(); }
    /// The keys as a set over time, read-only: two words.
    constexpr TSSView<Key, Time> keys() const noexcept { return TSSView<Key, Time>(this, key_calls); }
    /// A read-only view of two words, for functions that are no templates.
    constexpr TSDView<Key, T, Time> view() const noexcept { return TSDView<Key, T, Time>(*this); }
    /// Notifies `subscriber` of every window in which a key is added or removed. @throws std::bad_alloc; strong
    [[nodiscard]] Subscription<Time> subscribe_keys(SeriesSubscriber<Time>& subscriber) const {
        return this->state_.notification().subscribe(this->state_.notification().keys, subscriber);
    }

    /// Equal when they have the same members now, the same of them have a value, and the values are equal. Times and deltas are
    /// ignored.
    friend constexpr bool operator==(const TSDStorage& a, const TSDStorage& b) {
        if (!(a.as_map() == b.as_map())) return false;
        for (const auto [key, value] : a)
            if (a.valid(key) != b.valid(key)) return false;
        return true;
    }

private:
    static constexpr const TSDStorage& self(const void* series) noexcept { return *static_cast<const TSDStorage*>(series); }
    static constexpr detail::TSSCalls<Key, Time> key_calls = {
        [](const void* s) { return SetView<Key>(self(s).as_set()); },
        [](const void* s, const Key& key, const Time& time) { return self(s).was_removed(key, time); },
        [](const void* s) -> const detail::DeltaWords<Time>& { return self(s).tracker().words(); },
        [](const void* s) {
            const auto pages = self(s).times().pages();
            return detail::PageView<const Time>{pages.pages, pages.shift};
        },
        [](const void* s) { return self(s).state_.notification().keys.last; },
        [](const void* s, SeriesSubscriber<Time>& subscriber) { return self(s).subscribe_keys(subscriber); }};
};

/// The writer of one window of a TSDStorage. Move-only. Every member throws std::invalid_argument after close() or a move. A
/// call that throws has no effect, unless documented otherwise.
template <class Storage>
class TSDWriter : public detail::SeriesWriter<Storage> {
    using Base = detail::SeriesWriter<Storage>;
    using Key = typename Storage::key_type;
    using T = typename Storage::mapped_type;
    static constexpr bool nested = detail::is_series<T>;

public:
    //=== reading: counts as no write ===//

    /// The value of a member, by key or handle, or null when it is none. @throws what hash and equality throw
    template <class K = Key>
    const T* get(const K& key) const {
        return this->storage().get(key);
    }
    /// The value. @throws std::out_of_range when there is none
    template <class K = Key>
    const T& at(const K& key) const {
        return this->storage().at(key);
    }
    /// A copy of the value, or T(otherwise) when the key is no member. @throws what that copy or conversion throws
    template <class K = Key, class U = T>
    T value_or(const K& key, U&& otherwise) const {
        return this->storage().value_or(key, std::forward<U>(otherwise));
    }

    //=== writing ===//

    /// Writes `value` to `key`, which is made a member if it is none. An equal value is a write too.
    /// @throws as MapStorage::insert_or_assign; strong, if T's move assignment does not throw
    template <class K = Key, class V = T>
        requires(!nested && std::is_constructible_v<T, V> && std::is_assignable_v<T&, V>)
    SLOTWISE_ALWAYS_INLINE auto set(K&& key, V&& value) {
        auto& s = this->state();
        return s.result(s.do_set(std::forward<K>(key), std::forward<V>(value)));
    }
    /// As set, under the name that every map has for it.
    template <class K = Key, class V = T>
        requires(!nested && std::is_constructible_v<T, V> && std::is_assignable_v<T&, V>)
    auto insert_or_assign(K&& key, V&& value) {
        return set(std::forward<K>(key), std::forward<V>(value));
    }
    /// Makes `key` a member with T(args...), which counts as written. No effect when it is a member.
    /// @throws as MapStorage::try_emplace; strong
    template <class K = Key, class... Args>
        requires(!nested && std::is_constructible_v<T, Args...>)
    auto try_emplace(K&& key, Args&&... args) {
        auto& s = this->state();
        const auto outcome =
            s.do_insert(key, [&] { return s.store().try_emplace(std::forward<K>(key), std::forward<Args>(args)...); });
        if (outcome.inserted) s.stamp(outcome.slot);
        return s.result(outcome);
    }
    /// As try_emplace. @throws as try_emplace; strong
    template <class K = Key, class... Args>
        requires(!nested && std::is_constructible_v<T, Args...>)
    auto emplace(K&& key, Args&&... args) {
        return try_emplace(std::forward<K>(key), std::forward<Args>(args)...);
    }
    /// Makes `key` a member with this value, which counts as written. No effect when it is a member.
    /// @throws as try_emplace; strong
    template <class K = Key, class V = T>
        requires(!nested && std::is_constructible_v<T, V>)
    auto insert(K&& key, V&& value) {
        return try_emplace(std::forward<K>(key), std::forward<V>(value));
    }
    /// Makes `key` a member without a value: it is not valid until it is written. No effect when it is a member.
    /// @throws as MapStorage::try_emplace; strong
    template <class K = Key>
        requires(std::is_default_constructible_v<T>)
    auto create(K&& key) {
        auto& s = this->state();
        return s.result(s.do_insert(key, [&] { return s.store().try_emplace(std::forward<K>(key)); }));
    }
    /// A reference to the value of `key`, to be written now: it counts as written, also if it is only read; get() and at() are
    /// no writes. A key that is no member is made one. Of a nested series: a writer of it, as modify() gives it.
    /// @throws as create and modify; strong (but a nested series may have been made)
    template <class K = Key>
        requires(std::is_default_constructible_v<T>)
    decltype(auto) operator[](K&& key) {
        const slot_t slot = this->slot_of(key);
        return modify_member(slot != no_slot ? slot : create(std::forward<K>(key)).it.slot());
    }
    /// A reference to the value of a member, by key or handle, which counts as written. For a nested series it is a writer of
    /// it in this window: the element counts as written once the nested series is.
    /// @throws std::out_of_range when there is none
    template <class K = Key>
    decltype(auto) modify(const K& key) {
        const slot_t slot = this->slot_of(key);
        if (slot == no_slot)
            detail::throw_no_key<Key>("series modify(key): no element has this key; create(key) or set(key, value) makes one",
                                      key);
        return modify_member(slot);
    }
    /// Calls f(value) for the value of a member, by key or handle, to change it: it counts as written, also if f throws. Of a
    /// nested series f gets a writer of it. False, and f is not called, when it is no member.
    /// @throws what hash, equality and f throw
    template <class K = Key, class F>
    bool update(const K& key, F&& f) {
        const slot_t slot = this->slot_of(key);
        if (slot == no_slot) return false;
        decltype(auto) value = modify_member(slot);
        std::forward<F>(f)(value);
        return true;
    }
    /// Removes a member, and returns a copy of key and value: the removed ones are readable until the window rolls. Empty when
    /// it is no member. @throws what hash, equality and the copies throw; strong
    template <class K = Key>
    std::optional<std::pair<Key, T>> extract(const K& key)
        requires(!nested && std::copy_constructible<Key> && std::copy_constructible<T>)
    {
        std::optional<std::pair<Key, T>> result;
        if (const slot_t slot = this->slot_of(key); slot != no_slot) {
            result.emplace(this->storage().key(slot), this->storage().value(slot));
            this->state().remove_slot(slot);
        }
        return result;
    }
    /// Removes a member and returns a copy of its value, or nothing when it is no member. @throws what hash, equality and the
    /// copy throw; strong
    template <class K = Key>
    std::optional<T> pop(const K& key)
        requires(!nested && std::copy_constructible<T>)
    {
        std::optional<T> result;
        if (const slot_t slot = this->slot_of(key); slot != no_slot) {
            result.emplace(this->storage().value(slot));
            this->state().remove_slot(slot);
        }
        return result;
    }
    /// Takes the value of a member, by key or handle: it stays a member, has T(), and is not valid until it is written. A
    /// nested series is as if it had never been written. False, and no effect, when there is no such member or it has no value.
    /// @throws what hash, equality and T's default constructor throw, as modify of a nested series; strong
    template <class K = Key>
        requires(std::is_default_constructible_v<T>)
    bool invalidate(const K& key) {
        const slot_t slot = this->slot_of(key);
        if (slot == no_slot || !this->storage().valid_at(slot)) return false;
        reset_slot(slot);
        return true;
    }
    using Base::invalidate;
    /// Replaces members and values by those of the range, whose elements bind as auto [key, value]; each value is written.
    /// Ticks if that changes anything, or if the dictionary was never written. Keys and values of a container that is given
    /// away (an rvalue) are moved. @throws as set; what was written until then stays
    template <class Range>
        requires(!nested)
    void assign(Range&& range) {
        this->assign_by(range, [&](auto& item) {
            auto& [key, value] = item;
            return set(Base::template handed_over<Range>(key), Base::template handed_over<Range>(value)).it.slot();
        });
    }
    void assign(std::initializer_list<std::pair<Key, T>> items)
        requires(!nested)
    {
        assign<const std::initializer_list<std::pair<Key, T>>&>(items);
    }
    /// Applies the changes of the delta: removes, replaces reset elements, writes, creates.
    /// @param mode strict: the delta must fit: added keys are no members, all others are; lenient: changes that are present
    /// already are skipped, written keys are created @throws std::invalid_argument that names the key's place in the delta, and
    /// nothing has changed; later as the other members: the changes until then stay
    void apply(const typename Storage::delta_type& delta, Strictness mode = Strictness::strict) { do_apply(delta, mode); }
    /// The same with a strictness for each key, which nested series under the key have too. @param mode_of Strictness(key)
    /// @throws as above, and what mode_of throws before anything has changed
    template <class ModeOf>
        requires std::is_invocable_r_v<Strictness, const ModeOf&, const Key&>
    void apply(const typename Storage::delta_type& delta, const ModeOf& mode_of) {
        do_apply(delta, mode_of);
    }
    /// Makes members and values those of `state`, which capture_state() took: changes what differs, whatever was there before.
    /// An equal value is not written, if T has ==. @throws std::invalid_argument if a key is in a list twice, and nothing has
    /// changed; later as the other members: the changes until then stay
    void reconcile(const typename Storage::delta_type& state)
        requires(std::is_default_constructible_v<T>)
    {
        this->reconcile_by(
            state, [&](const Key& key) { return create(key).it.slot(); },
            [&](slot_t slot, const auto& value) { reconcile_value(slot, value); }, [&](slot_t slot) { reset_slot(slot); });
    }

private:
    friend struct detail::SeriesAccess;
    explicit TSDWriter(Storage& series) noexcept : Base(series) {}

    template <class Mode>
    void do_apply(const typename Storage::delta_type& delta, const Mode& mode) {
        this->find_fault(this->series(), delta, mode).raise();
        apply_checked(delta);
    }
    // A delta that is given away is moved from. @pre find_fault() has found no fault
    template <class Delta>
    void apply_checked(Delta&& delta) {
        Storage& s = this->series();
        this->apply_removals(delta);
        if constexpr (std::is_default_constructible_v<T>)
            for (const Key& key : delta.reset)
                if (const slot_t slot = s.slot_of(key); slot != no_slot) {
                    // If keys have ticked, this one was removed and created again. Otherwise only its value was invalidated.
                    if (!nested || !delta.keys_ticked)
                        reset_slot(slot);
                    else if (this->remove(key))
                        create(key);
                }
        for (auto& [key, value] : delta.modified) {
            if constexpr (nested) {
                auto inside = modify_member(create(Base::template handed_over<Delta>(key)).it.slot());
                detail::SeriesAccess::apply_checked(inside, Base::template handed_over<Delta>(value));
            } else
                set(Base::template handed_over<Delta>(key), Base::template handed_over<Delta>(value));
        }
        if constexpr (std::is_default_constructible_v<T>) // the keys without a value
            for (auto& key : delta.added) create(Base::template handed_over<Delta>(key));
        this->apply_ticks(delta);
    }
    // The value becomes T().
    void reset_slot(slot_t slot) {
        auto& s = this->state();
        if constexpr (nested) {
            s.write_nested(slot).invalidate();
            s.unstamp(slot); // also if it had no value
        } else {
            T& value = s.value(slot);
            if constexpr (std::is_nothrow_move_constructible_v<T>) {
                T fresh{};
                [[maybe_unused]] const T gone(std::move(value)); // destroyed last, when all is as it will be
                detail::renew(value, std::move(fresh));
                s.unstamp(slot);
            } else {
                std::destroy_at(std::addressof(value));
                std::construct_at(std::addressof(value));
                s.unstamp(slot);
            }
        }
    }
    template <class V>
    void reconcile_value(slot_t slot, const V& value) {
        if constexpr (nested)
            modify_member(slot).reconcile(value);
        else {
            if constexpr (std::equality_comparable<T>)
                if (this->storage().valid_at(slot) && this->storage().value(slot) == value) return;
            set(this->storage().key(slot), value);
        }
    }

    /// @pre a member has the slot
    decltype(auto) modify_member(slot_t slot) {
        auto& s = this->state();
        if constexpr (nested)
            return s.write_nested(slot);
        else {
            s.stamp(slot);
            return static_cast<T&>(s.store().value(slot));
        }
    }
};

SLOTWISE_END

#endif
