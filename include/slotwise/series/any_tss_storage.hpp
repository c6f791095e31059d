// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyTSSStorage: a type-erased time-series set.
#ifndef SLOTWISE_SERIES_ANY_TSS_STORAGE_HPP
#define SLOTWISE_SERIES_ANY_TSS_STORAGE_HPP

#include "detail/any_series.hpp"

SLOTWISE_BEGIN

template <class Storage>
class AnyTSSWriter;

/// A type-erased time-series set: a TSSStorage of keys whose type is known only at run time, by a TypeDescriptor. It has the
/// same windows, deltas, subscribers and snapshots, over the same engine. Keys are passed by address.
///     AnyTSSStorage active(TypeDescriptor::of<std::string>());
///     active.write(1).add(&name);
///     for (const void* key : active.added(1)) ...
/// @tparam With in any order: `TimeBy<T>`, `IndexBy<I>`, `AllocBy<A>`, `Tag<X>`, `Options<SeriesOptions{...}>`, `Column<U>`
/// and static observers whose on_insert must not throw
template <class... With>
class BasicAnyTSSStorage : public detail::AnySeries<detail::AnySeriesSet<With...>, detail::AnySeriesArguments<With...>,
                                                    BasicAnyTSSStorage<With...>, AnyTSSWriter> {
    using Args = detail::AnySeriesArguments<With...>;
    using Core = detail::AnySeries<detail::AnySeriesSet<With...>, Args, BasicAnyTSSStorage, AnyTSSWriter>;
    using Time = typename Args::time;
    using Allocator = typename Args::allocator;

public:
    /// The result of as_set().
    using set_type = detail::AnySeriesSet<With...>;
    using typename Core::handle_type;
    using delta_type = SetDelta<DescribedValue, Time>;
    using Core::Core;

    /// An empty set of keys of `type`, which must outlive it.
    /// @throws std::invalid_argument when the type lacks what a key needs: hash, equal, copy, a size and an alignment
    explicit BasicAnyTSSStorage(const TypeDescriptor& type, const Allocator& alloc = Allocator())
        : Core(set_type(type, alloc)) {}

    /// The address of the key. @throws std::out_of_range that says whether it was erased or the handle never issued
    template <std::same_as<handle_type> H>
    const void* at(H handle) const {
        return this->store().at(handle);
    }
    /// The same as keys(): a key is its own value.
    ConstAnyColumnView values() const noexcept { return this->keys(); }
    /// Keys that are members now and were not when window `time` opened. Empty unless that is the open window.
    AnyDeltaRange<Time, false> added(Time time) const noexcept { return this->added_keys(time); }
    /// Keys that were members when window `time` opened and are not now; readable until it rolls.
    AnyDeltaRange<Time, false> removed(Time time) const noexcept { return this->removed_keys(time); }
    /// The same of the open window.
    AnyDeltaRange<Time, false> added() const noexcept { return added(this->window()); }
    AnyDeltaRange<Time, false> removed() const noexcept { return removed(this->window()); }

    /// The set now: the same object, not a copy.
    const set_type& as_set() const noexcept { return this->store(); }

    /// Equal when they have the same members of the same type now. Times and deltas are ignored.
    friend bool operator==(const BasicAnyTSSStorage& a, const BasicAnyTSSStorage& b) { return a.as_set() == b.as_set(); }
};

/// The writer of one window of an AnyTSSStorage. Move-only. Every member throws std::invalid_argument after close() or a move.
/// A call that throws has no effect, unless documented otherwise. Keys are given by address.
template <class Storage>
class AnyTSSWriter : public detail::AnySeriesWriter<Storage> {
    using Base = detail::AnySeriesWriter<Storage>;

public:
    /// Makes a copy of the key a member, as TSSWriter::insert. @throws as AnySetStorage::insert; strong @complexity amortised
    /// O(1) expected
    auto insert(const void* key) {
        auto& s = this->state();
        return s.result(s.do_insert(key, [&] { return s.store().insert(key); }));
    }
    /// As insert, but moves the key when it is added. Strong if the move is.
    auto insert_moved(void* key) {
        auto& s = this->state();
        return s.result(s.do_insert(static_cast<const void*>(key), [&] { return s.store().insert_moved(key); }));
    }
    /// As insert, but returns only whether the key was added.
    bool add(const void* key) { return insert(key).inserted; }
    /// Makes every key of a range of addresses a member. @throws as insert; those inserted before stay
    template <class Range>
    void insert_range(const Range& keys) {
        for (const void* key : keys) insert(key);
    }
    /// Removes the key, and returns a copy of it: the removed one is readable until the window rolls. None when it is not a
    /// member. @throws what the type's operations throw, std::bad_alloc; strong
    DescribedValue extract(const void* key) {
        DescribedValue result;
        if (const slot_t slot = this->slot_of(key); slot != no_slot) {
            result = DescribedValue(this->series().key_type(), this->series().key(slot));
            this->state().remove_slot(slot);
        }
        return result;
    }
    /// Replaces the members by those of a range of addresses. Ticks if that changes anything, or if the set was never written.
    /// The range may be the keys of the set itself. A container of DescribedValue that is given away (an rvalue) is moved from.
    /// @throws as add; the members added until then stay
    template <class Range>
    void assign(Range&& keys) {
        this->assign_by(keys, [&](auto& item) {
            const auto key = Base::template given<Range>(item);
            if constexpr (std::is_same_v<decltype(key), void* const>)
                return insert_moved(key).it.slot();
            else
                return insert(key).it.slot();
        });
    }
    /// Applies the changes of the delta, as TSSWriter::apply.
    /// @throws std::invalid_argument that names the key's place in the delta (also when it is of another type), and nothing has
    /// changed; later as add: the changes until then stay
    void apply(const typename Storage::delta_type& delta, Strictness mode = Strictness::strict) { do_apply(delta, mode); }
    /// The same with a strictness for each key. @param mode_of Strictness(DescribedValue)
    template <class ModeOf>
        requires std::is_invocable_r_v<Strictness, const ModeOf&, const DescribedValue&>
    void apply(const typename Storage::delta_type& delta, const ModeOf& mode_of) {
        do_apply(delta, mode_of);
    }
    /// Makes the members those of `state`, which capture_state() took, whatever was there before, as TSSWriter::reconcile.
    /// @throws std::invalid_argument when a key is of another type, and nothing has changed; later as assign
    void reconcile(const typename Storage::delta_type& state) {
        Base::find_other_type(this->series(), state.added, "added").raise();
        if (state.ticked || !state.added.empty())
            assign(state.added);
        else if (this->series().valid())
            this->invalidate();
    }

private:
    friend struct detail::SeriesAccess;
    explicit AnyTSSWriter(Storage& series) noexcept : Base(series) {}

    template <class Mode>
    void do_apply(const typename Storage::delta_type& delta, const Mode& mode) {
        find_fault(this->series(), delta, mode).raise();
        apply_checked(delta);
    }
    template <class Mode>
    static detail::DeltaFault find_fault(const Storage& s, const typename Storage::delta_type& delta, const Mode& mode) {
        if (const auto fault = Base::find_other_type(s, delta.added, "added")) return fault;
        if (const auto fault = Base::find_other_type(s, delta.removed, "removed")) return fault;
        return Base::find_fault(s, delta, mode);
    }
    void apply_checked(const typename Storage::delta_type& delta) {
        this->apply_removals(delta);
        for (const DescribedValue& key : delta.added) add(key);
        if (delta.ticked) this->touch();
    }
};

/// The changes of window `time` in the set, owned. @throws std::bad_alloc, what copies of keys throw
template <class... With>
typename BasicAnyTSSStorage<With...>::delta_type capture(const BasicAnyTSSStorage<With...>& set,
                                                         typename BasicAnyTSSStorage<With...>::time_type time) {
    return {time, set.window() == time && set.modified(time), detail::owned(set.key_type(), set.added(time)),
            detail::owned(set.key_type(), set.removed(time)), set.invalidated(time)};
}
/// All members, as the delta that leads from an empty set to this one. AnyTSSWriter::reconcile() leads there from any other.
/// @throws std::bad_alloc, what copies of keys throw
template <class... With>
typename BasicAnyTSSStorage<With...>::delta_type capture_state(const BasicAnyTSSStorage<With...>& set) {
    return {set.window(), set.valid(), detail::owned(set.key_type(), set.keys()), {}, false};
}

SLOTWISE_END

#endif
