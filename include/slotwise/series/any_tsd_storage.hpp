// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyTSDStorage: a type-erased time-series dictionary.
#ifndef SLOTWISE_SERIES_ANY_TSD_STORAGE_HPP
#define SLOTWISE_SERIES_ANY_TSD_STORAGE_HPP

#include "detail/any_series.hpp"

SLOTWISE_BEGIN

template <class Storage>
class AnyTSDWriter;

/// A type-erased time-series dictionary: a TSDStorage of keys and values whose types are known only at run time, by
/// TypeDescriptors. It has the same windows, deltas, validity, subscribers and snapshots, over the same engine. Keys and values
/// are passed by address.
///     AnyTSDStorage price(TypeDescriptor::of<std::string>(), TypeDescriptor::of<double>());
///     price.write(1).set(&name, &quote);
///     for (auto [key, value] : price.modified_items(1)) ...
/// Values are no series themselves. @tparam With as BasicAnyTSSStorage's
template <class... With>
class BasicAnyTSDStorage : public detail::AnySeries<detail::AnySeriesMap<With...>, detail::AnySeriesArguments<With...>,
                                                    BasicAnyTSDStorage<With...>, AnyTSDWriter> {
    using Args = detail::AnySeriesArguments<With...>;
    using Core = detail::AnySeries<detail::AnySeriesMap<With...>, Args, BasicAnyTSDStorage, AnyTSDWriter>;
    using Time = typename Args::time;
    using Allocator = typename Args::allocator;
    using Part = detail::DeltaPart;

public:
    /// The results of as_map() and as_set().
    using map_type = detail::AnySeriesMap<With...>;
    using set_type = typename map_type::set_type;
    using typename Core::handle_type;
    using delta_type = DictDelta<DescribedValue, DescribedValue, Time>;
    using Core::Core;

    /// An empty dictionary. The descriptors must outlive it.
    /// @throws std::invalid_argument when the key type lacks hash, equal or copy, the value type copy, a size is wrong, or
    /// moving a value may throw: a removed element must survive a failed insert of its key
    BasicAnyTSDStorage(const TypeDescriptor& key, const TypeDescriptor& value, const Allocator& alloc = Allocator())
        : Core(map_type(key, checked(value), alloc)) {}

    //=== reading ===//

    const TypeDescriptor& value_type() const noexcept { return this->store().value_type(); }
    /// The address of the value, or null when the key is no member. A member that was never written has the default value.
    const void* get(const void* key) const { return this->store().get(key); }
    template <std::same_as<handle_type> H>
    const void* get(H handle) const noexcept {
        return this->store().get(handle);
    }
    /// The address of the value. @throws std::out_of_range when there is none
    const void* at(const void* key) const { return this->store().at(key); }
    /// The same. @throws std::out_of_range that says whether the element was erased or the handle never issued
    template <std::same_as<handle_type> H>
    const void* at(H handle) const {
        return this->store().at(handle);
    }
    /// The address of the value in `slot`. @pre live, or removed in the open window
    const void* value(slot_t slot) const noexcept { return this->store().value(slot); }
    /// Addresses of values by slot, including those never written, in runs of pointer, stride and mask.
    /// @invalidates itself when the series grows, shrinks or moves
    ConstAnyColumnView values() const noexcept { return this->store().values(); }

    /// Addresses of the members that were ever written, in slot order.
    auto valid_keys() const noexcept { return detail::AnyValidRange<Time, false>(valid_slots(), key_pages()); }
    /// The same with their values: for (auto [key, value] : prices.valid_items()).
    auto valid_items() const noexcept { return detail::AnyValidRange<Time, true>(valid_slots(), key_pages(), value_pages()); }

    //=== deltas: empty unless `time` is the open window ===//

    /// New members that have a value, with it.
    AnyDeltaRange<Time, true> added_items(Time time) const noexcept { return items(this->slots_of(time, Part::added, time)); }
    /// The removed members that had a value when the window opened, with the value of the last element under the key.
    AnyDeltaRange<Time, true> removed_items(Time time) const noexcept { return items(this->slots_of(time, Part::dropped)); }
    /// Members written in the window, new ones included.
    AnyDeltaRange<Time, false> modified_keys(Time time) const noexcept {
        return {this->slots_of(time, Part::modified, time), key_pages()};
    }
    AnyDeltaRange<Time, true> modified_items(Time time) const noexcept {
        return items(this->slots_of(time, Part::modified, time));
    }
    /// Members then and now that were written in the window: the modified ones without the added ones.
    AnyDeltaRange<Time, false> updated_keys(Time time) const noexcept {
        return {this->slots_of(time, Part::updated, time), key_pages()};
    }
    AnyDeltaRange<Time, true> updated_items(Time time) const noexcept {
        return items(this->slots_of(time, Part::updated, time));
    }
    /// Members then and now whose element was removed and created again without a value.
    AnyDeltaRange<Time, false> reset_keys(Time time) const noexcept {
        return {this->slots_of(time, Part::reset, Core::never), key_pages()};
    }
    /// The same of the open window.
    AnyDeltaRange<Time, true> added_items() const noexcept { return added_items(this->window()); }
    AnyDeltaRange<Time, true> removed_items() const noexcept { return removed_items(this->window()); }
    AnyDeltaRange<Time, false> modified_keys() const noexcept { return modified_keys(this->window()); }
    AnyDeltaRange<Time, true> modified_items() const noexcept { return modified_items(this->window()); }
    AnyDeltaRange<Time, false> updated_keys() const noexcept { return updated_keys(this->window()); }
    AnyDeltaRange<Time, true> updated_items() const noexcept { return updated_items(this->window()); }
    AnyDeltaRange<Time, false> reset_keys() const noexcept { return reset_keys(this->window()); }

    //=== keys have ticks of their own ===//

    /// When a key was last added or removed.
    Time keys_last_modified() const noexcept { return this->state_.notification().keys.last; }
    /// Whether that was at exactly `time`.
    bool keys_modified(Time time) const noexcept { return time != Core::never && keys_last_modified() == time; }
    /// Notifies `subscriber` of every window in which a key is added or removed. @throws std::bad_alloc; strong
    [[nodiscard]] Subscription<Time> subscribe_keys(SeriesSubscriber<Time>& subscriber) const {
        return this->state_.notification().subscribe(this->state_.notification().keys, subscriber);
    }

    //=== whole ===//

    /// The dictionary now, and its keys: the same object, not a copy.
    const map_type& as_map() const noexcept { return this->store(); }
    const set_type& as_set() const noexcept { return as_map().as_set(); }

    /// Equal when they have the same members of the same types now, the same of them have a value, and the values are equal.
    /// Times and deltas are ignored. @pre the value type has equal
    friend bool operator==(const BasicAnyTSDStorage& a, const BasicAnyTSDStorage& b) {
        bool same = a.as_map() == b.as_map();
        for (auto it = a.begin(); same && it != a.end(); ++it) same = a.valid((*it).key) == b.valid((*it).key);
        return same;
    }

private:
    static const TypeDescriptor& checked(const TypeDescriptor& value) {
        if (!detail::moves_nothrow(value))
            detail::throw_invalid_argument(
                "TypeDescriptor of a value of a series: moving it must not throw, or a removed key could be lost before the "
                "window rolls; set nothrow_move, or describe a pointer to it");
        return value;
    }
    detail::AnyPages key_pages() const noexcept { return detail::ColumnAccess::key_pages(this->store()); }
    detail::AnyPages value_pages() const noexcept { return detail::ColumnAccess::values(this->store()).pages(); }
    AnyDeltaRange<Time, true> items(const DeltaRange<Time>& range) const noexcept {
        return {range, key_pages(), value_pages()};
    }
    detail::ValidRange<Time> valid_slots() const noexcept {
        const auto pages = this->times().pages();
        return {this->store().live_slots(), {pages.pages, pages.shift}, {}};
    }
};

/// The writer of one window of an AnyTSDStorage. Move-only. Every member throws std::invalid_argument after close() or a move.
/// A call that throws has no effect, unless documented otherwise. Keys and values are given by address.
template <class Storage>
class AnyTSDWriter : public detail::AnySeriesWriter<Storage> {
    using Base = detail::AnySeriesWriter<Storage>;

public:
    /// The address of the value of a member, or null when it is none.
    const void* get(const void* key) const { return this->storage().get(key); }
    /// The address of the value. @throws std::out_of_range when there is none
    const void* at(const void* key) const { return this->storage().at(key); }

    /// Writes a copy of the value to the key, which is made a member if it is none. An equal value is a write too. The value is
    /// built before the old one is destroyed, whose address it gets.
    /// @throws as AnyMapStorage::insert; strong @pre value is not null @complexity O(1) expected, amortised for a new key
    auto set(const void* key, const void* value) { return do_set(key, value, AnyValue::copied(value)); }
    /// As set, but moves the value, and the key when it is added and not const. Strong if the moves are.
    auto set_moved(void* key, void* value) { return do_set(key, value, AnyValue::moved(value)); }
    auto set_moved(const void* key, void* value) { return do_set(key, value, AnyValue::moved(value)); }
    /// As set, under the name that every map has for it.
    auto insert_or_assign(const void* key, const void* value) { return set(key, value); }
    /// Makes the key a member with a copy of the value, which counts as written; a null `value` means the default value. No
    /// effect when it is a member. @throws as AnyMapStorage::insert; strong
    auto insert(const void* key, const void* value) { return do_insert(key, value); }
    /// As insert, but moves key and value when they are added. @pre value is not null. Strong if the moves are.
    auto insert_moved(void* key, void* value) { return do_insert(key, value); }
    /// Makes the key a member without a value: it is not valid until it is written. No effect when it is a member.
    /// @throws as AnyMapStorage::insert, std::invalid_argument when the value type has no default; strong
    auto create(const void* key) {
        auto& s = this->state();
        return s.result(s.do_insert(key, [&] { return s.store().insert(key, nullptr); }));
    }
    /// The address of the value of a member, by key or handle, to be written now: it counts as written.
    /// @throws std::out_of_range when there is none
    template <class K>
    void* modify(const K& key) {
        const slot_t slot = this->slot_of(key);
        if (slot == no_slot) {
            const char* const words = "series modify(key): no element has this key; create(key) or set(key, value) makes one";
            if constexpr (AnyHandle<K>)
                detail::throw_no_key<K>(words, key);
            else
                detail::throw_no_erased_key(words, this->storage().key_type(), key);
        }
        this->state().stamp(slot);
        return this->state().store().value(slot);
    }
    /// Calls f(address) for the value of a member, by key or handle, to change it: it counts as written, also if f throws.
    /// False, and f is not called, when it is no member. @throws what the types' operations and f throw
    template <class K, class F>
    bool update(const K& key, F&& f) {
        const slot_t slot = this->slot_of(key);
        if (slot == no_slot) return false;
        this->state().stamp(slot);
        std::forward<F>(f)(this->state().store().value(slot));
        return true;
    }
    /// Removes a member, and returns a copy of key and value: the removed ones are readable until the window rolls. Empty when
    /// it is no member. @throws what the types' operations throw, std::bad_alloc; strong
    std::optional<std::pair<DescribedValue, DescribedValue>> extract(const void* key) {
        std::optional<std::pair<DescribedValue, DescribedValue>> result;
        if (const slot_t slot = this->slot_of(key); slot != no_slot) {
            const Storage& s = this->series();
            result.emplace(DescribedValue(s.key_type(), s.key(slot)), DescribedValue(s.value_type(), s.value(slot)));
            this->state().remove_slot(slot);
        }
        return result;
    }
    /// Removes a member and returns a copy of its value, or none when it is no member.
    /// @throws what the types' operations throw, std::bad_alloc; strong
    DescribedValue pop(const void* key) {
        DescribedValue result;
        if (const slot_t slot = this->slot_of(key); slot != no_slot) {
            result = DescribedValue(this->series().value_type(), this->series().value(slot));
            this->state().remove_slot(slot);
        }
        return result;
    }
    using Base::invalidate;
    /// Takes the value of a member, by key or handle: it stays a member, has the default value, and is not valid until it is
    /// written. False, and no effect, when there is no such member or it has no value.
    /// @throws what the types' operations throw, std::invalid_argument when the value type has no default; strong
    template <class K>
    bool invalidate(const K& key) {
        const slot_t slot = this->slot_of(key);
        if (slot == no_slot || !this->storage().valid_at(slot)) return false;
        reset_slot(slot);
        return true;
    }
    /// Replaces members and values by those of the range, whose elements bind as auto [key, value], two addresses, as those of
    /// another type-erased map; each value is written. Ticks if that changes anything, or if the dictionary was never written.
    /// What is given away (an rvalue) is moved from: values of an AnyMapStorage, keys and values of a container of pairs of
    /// DescribedValue. @throws as set; what was written until then stays
    template <class Range>
    void assign(Range&& items) {
        this->assign_by(items, [&](auto& item) {
            auto& [key, value] = item;
            const auto from = Base::template given<Range>(key);
            const auto what = Base::template given<Range>(value);
            if constexpr (std::is_same_v<decltype(what), void* const>)
                return set_moved(from, what).it.slot();
            else
                return set(from, what).it.slot();
        });
    }
    /// Makes members and values those of `state`, which capture_state() took, whatever was there before, as
    /// TSDWriter::reconcile: an equal value is not written, if the value type has equal. @pre the value type has a default
    /// value
    /// @throws std::invalid_argument if a key is in a list twice, or a key or value is of another type, and nothing has
    /// changed; later as the other members: the changes until then stay
    void reconcile(const typename Storage::delta_type& state) {
        Storage& s = this->series();
        check_types(s, state).raise();
        const auto write = [&](slot_t slot, const DescribedValue& value) {
            const TypeDescriptor& type = s.value_type();
            if (s.valid_at(slot) && type.equal != nullptr && type.equal(s.value(slot), value)) return;
            set(s.key(slot), value);
        };
        this->reconcile_by(
            state, [&](const void* key) { return create(key).it.slot(); }, write, [&](slot_t slot) { reset_slot(slot); });
    }
    /// Applies the changes of the delta, as TSDWriter::apply.
    /// @throws std::invalid_argument that names the place of a key or value in the delta (also when it is of another type), and
    /// nothing has changed; later as the other members: the changes until then stay
    void apply(const typename Storage::delta_type& delta, Strictness mode = Strictness::strict) { do_apply(delta, mode); }
    /// The same with a strictness for each key. @param mode_of Strictness(DescribedValue)
    template <class ModeOf>
        requires std::is_invocable_r_v<Strictness, const ModeOf&, const DescribedValue&>
    void apply(const typename Storage::delta_type& delta, const ModeOf& mode_of) {
        do_apply(delta, mode_of);
    }

private:
    friend struct detail::SeriesAccess;
    explicit AnyTSDWriter(Storage& series) noexcept : Base(series) {}

    template <class Mode>
    void do_apply(const typename Storage::delta_type& delta, const Mode& mode) {
        find_fault(this->series(), delta, mode).raise();
        apply_checked(delta);
    }
    template <class Mode>
    static detail::DeltaFault find_fault(const Storage& s, const typename Storage::delta_type& delta, const Mode& mode) {
        if (const auto fault = check_types(s, delta)) return fault;
        return Base::find_fault(s, delta, mode);
    }
    void apply_checked(const typename Storage::delta_type& delta) {
        Storage& s = this->series();
        this->apply_removals(delta);
        for (const DescribedValue& key : delta.reset)
            if (const slot_t slot = s.slot_of(key); slot != no_slot) reset_slot(slot);
        for (const auto& [key, value] : delta.modified) set(key, value);
        if (s.value_type().construct != nullptr) // otherwise all of them have a value
            for (const DescribedValue& key : delta.added) create(key);
        this->apply_ticks(delta);
    }
    /// The value becomes the default one.
    void reset_slot(slot_t slot) {
        auto& s = this->state();
        const TypeDescriptor& type = s.store().value_type();
        detail::AnyTemporary fresh(type, AnyValue()); // refused when there is no default
        detail::ColumnAccess::values(s.store()).replace(slot, fresh);
        s.unstamp(slot);
    }
    template <class KeyVoid, class Void>
    auto do_set(KeyVoid* key, Void* value, const AnyValue& source) {
        auto& s = this->state();
        const slot_t slot = s.store().slot_of(key);
        if (slot == no_slot) {
            const auto outcome = s.do_insert(static_cast<const void*>(key), [&] { return add(key, value); });
            s.stamp(outcome.slot);
            return s.result(outcome);
        }
        const TypeDescriptor& type = s.store().value_type();
        if (type.trivial)
            source.assign(type, s.store().value(slot));
        else if (value != s.store().value(slot)) {
            detail::AnyTemporary fresh(type, source);
            detail::ColumnAccess::values(s.store()).replace(slot, fresh);
        }
        s.stamp(slot);
        return s.result({slot, false, InsertKind::fresh});
    }
    template <class Void>
    auto do_insert(Void* key, Void* value) {
        auto& s = this->state();
        const auto outcome = s.do_insert(static_cast<const void*>(key), [&] { return add(key, value); });
        if (outcome.inserted) s.stamp(outcome.slot);
        return s.result(outcome);
    }
    template <class KeyVoid, class Void>
    auto add(KeyVoid* key, Void* value) {
        if constexpr (std::is_const_v<Void>)
            return this->state().store().insert(key, value);
        else
            return this->state().store().insert_moved(key, value);
    }
    static detail::DeltaFault check_types(const Storage& s, const typename Storage::delta_type& delta) {
        if (const auto fault = Base::find_other_type(s, delta.added, "added")) return fault;
        if (const auto fault = Base::find_other_type(s, delta.removed, "removed")) return fault;
        if (const auto fault = Base::find_other_type(s, delta.reset, "reset")) return fault;
        for (std::size_t i = 0; i != delta.modified.size(); ++i)
            if (!Base::is_of_type(delta.modified[i].first, s.key_type()) ||
                !Base::is_of_type(delta.modified[i].second, s.value_type()))
                return {"modified", i, Base::of_other_type};
        if (s.value_type().construct != nullptr) return {};
        if (!delta.reset.empty()) return {"reset", 0, "needs a value type with a default value"};
        const auto hash = s.hash_function();
        const auto equal = s.key_eq();
        const auto written = detail::values_of(delta.modified, hash, equal);
        for (std::size_t i = 0; i != delta.added.size(); ++i)
            if (!written.contains(std::addressof(delta.added[i])))
                return {"added", i, "has no value in `modified`, and the value type has no default value"};
        return {};
    }
};

/// The changes of window `time` in the dictionary, owned. @throws std::bad_alloc, what copies of keys and values throw
template <class... With>
typename BasicAnyTSDStorage<With...>::delta_type capture(const BasicAnyTSDStorage<With...>& dict,
                                                         typename BasicAnyTSDStorage<With...>::time_type time) {
    typename BasicAnyTSDStorage<With...>::delta_type delta;
    delta.time = time;
    if (dict.window() != time) return delta;
    const TypeDescriptor& type = dict.key_type();
    delta.ticked = dict.modified(time);
    delta.keys_ticked = dict.keys_modified(time);
    delta.invalidated = dict.invalidated(time);
    delta.added = detail::owned(type, dict.added_keys(time));
    delta.removed = detail::owned(type, dict.removed_keys(time));
    delta.reset = detail::owned(type, dict.reset_keys(time));
    for (const auto [key, value] : dict.modified_items(time))
        delta.modified.emplace_back(DescribedValue(type, key), DescribedValue(dict.value_type(), value));
    return delta;
}
/// All members and their values, as the delta that leads from an empty dictionary to this one. AnyTSDWriter::reconcile() leads
/// there from any other. @throws std::bad_alloc, what copies of keys and values throw
template <class... With>
typename BasicAnyTSDStorage<With...>::delta_type capture_state(const BasicAnyTSDStorage<With...>& dict) {
    typename BasicAnyTSDStorage<With...>::delta_type state;
    state.time = dict.window();
    state.ticked = dict.valid();
    state.keys_ticked = dict.keys_last_modified() != dict.never;
    state.added = detail::owned(dict.key_type(), dict.keys());
    for (auto it = dict.begin(); it != dict.end(); ++it)
        if (dict.valid_at(it.slot()))
            state.modified.emplace_back(DescribedValue(dict.key_type(), (*it).key),
                                        DescribedValue(dict.value_type(), (*it).value));
    return state;
}

SLOTWISE_END

#endif
