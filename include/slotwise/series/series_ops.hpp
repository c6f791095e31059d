// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSSOps, TSDOps: the operations of a series over void*, for engines and bindings that erase types.
#ifndef SLOTWISE_SERIES_SERIES_OPS_HPP
#define SLOTWISE_SERIES_SERIES_OPS_HPP

#include "../keyed/storage_ops.hpp"
#include "any_tsd_storage.hpp"
#include "any_tss_storage.hpp"
#include "tsd_storage.hpp"

SLOTWISE_BEGIN

/// The operations that sets and dictionaries over time share: plain functions over the address of a series. They do what the
/// members of the same names do. Changes are given the window; a call opens a writer of it and closes it, so that subscribers
/// are notified. open() keeps the window open over several calls, until close().
template <class Time = std::int64_t>
struct BasicSeriesOps {
    const TypeDescriptor& (*key_type)(const void* series);
    std::size_t (*size)(const void* series);
    bool (*contains)(const void* series, const void* key);
    slot_t (*slot_of)(const void* series, const void* key);
    const void* (*key)(const void* series, slot_t slot); ///< live, or removed in the open window
    SlotState (*state)(const void* series, slot_t slot);
    Time (*window)(const void* series);
    Time (*last_modified)(const void* series); ///< of the whole
    bool (*was_added)(const void* series, const void* key, Time time);
    bool (*was_removed)(const void* series, const void* key, Time time);
    DeltaRange<Time> (*added_keys)(const void* series, Time time);   ///< slots; key() has their keys
    DeltaRange<Time> (*removed_keys)(const void* series, Time time); ///< the same
    void (*open)(void* series, Time time);                           ///< throws as write(time); close() must follow
    void (*close)(void* series);                                     ///< notifies the subscribers
    bool (*remove)(void* series, Time time, const void* key);
    void (*clear)(void* series, Time time);
    void (*touch)(void* series, Time time);
    void (*reserve)(void* series, std::size_t count);
    Subscription<Time> (*subscribe)(const void* series, SeriesSubscriber<Time>& subscriber);
    /// Null where keys cannot be copied.
    Subscription<Time> (*subscribe_key)(const void* series, const void* key, SeriesSubscriber<Time>& subscriber);
};

/// The operations of a set over time: a TSSStorage of known keys or an AnyTSSStorage, by its address. What does not apply is
/// null, as in SetOps.
///     const TSSOps& ops = TSSOps::of<AnyTSSStorage>();
///     ops.add(&active, now, &key);
template <class Time>
struct BasicTSSOps : BasicSeriesOps<Time> {
    const SetOps* set;                                     ///< of what as_set returns
    const void* (*as_set)(const void* series);             ///< the set now, for reading
    bool (*add)(void* series, Time time, const void* key); ///< a copy of the key; whether it was none before

    /// Those of sets of this type.
    template <class Series>
    static const BasicTSSOps& of() noexcept;
};

/// The operations of a dictionary over time: a TSDStorage of known types or an AnyTSDStorage, by its address.
template <class Time>
struct BasicTSDOps : BasicSeriesOps<Time> {
    const MapOps* map;                         ///< of what as_map returns
    const void* (*as_map)(const void* series); ///< the dictionary now, for reading
    const TypeDescriptor& (*value_type)(const void* series);
    const void* (*get)(const void* series, const void* key);          ///< the address of the value, or null
    const void* (*value)(const void* series, slot_t slot);            ///< live, or removed in the open window
    Time (*element_modified)(const void* series, const void* key);    ///< when it was last written; never() if it has no value
    Time (*keys_modified)(const void* series);                        ///< when a key was last added or removed
    DeltaRange<Time> (*modified_keys)(const void* series, Time time); ///< slots of members written in the window
    DeltaRange<Time> (*updated_keys)(const void* series, Time time);  ///< those of them that were members before
    DeltaRange<Time> (*reset_keys)(const void* series, Time time);
    bool (*set_item)(void* series, Time time, const void* key, const void* value); ///< writes a copy; whether the key is new
    bool (*create)(void* series, Time time, const void* key);  ///< a member without a value; whether the key is new
    void* (*modify)(void* series, Time time, const void* key); ///< the value, to be written now; std::out_of_range
    Subscription<Time> (*subscribe_keys)(const void* series, SeriesSubscriber<Time>& subscriber);

    /// Those of dictionaries of this type. Values that are series have no set_item and no modify.
    template <class Series>
    static const BasicTSDOps& of() noexcept;
};

namespace detail {

/// @tparam S the series
template <class S>
struct ErasedSeries {
    using Time = typename S::time_type;
    using Types = ErasedTypes<S>;
    using Keyed = ErasedKeyed<S>;
    static constexpr auto self = [](auto* series) -> auto& {
        using Void = std::remove_pointer_t<decltype(series)>;
        return *static_cast<std::conditional_t<std::is_const_v<Void>, const S, S>*>(series);
    };
    static DeltaRange<Time> written(const void* series, Time time, DeltaPart part, Time stamp) {
        const auto pages = self(series).times().pages();
        return {self(series).tracker().words(), time, part, {}, {pages.pages, pages.shift}, stamp};
    }
    static constexpr auto subscribe_key() noexcept
        -> Subscription<Time> (*)(const void*, const void*, SeriesSubscriber<Time>&) {
        if constexpr (Types::copies_keys)
            return [](const void* s, const void* key, SeriesSubscriber<Time>& subscriber) {
                return self(s).subscribe(Types::key(key), subscriber);
            };
        else
            return nullptr;
    }
    static constexpr BasicSeriesOps<Time> ops = {
        &Types::key_type,
        &Keyed::size,
        &Keyed::contains,
        &Keyed::slot_of,
        &Keyed::key,
        &Keyed::state,
        [](const void* s) { return self(s).window(); },
        [](const void* s) { return self(s).last_modified(); },
        [](const void* s, const void* key, Time time) { return self(s).was_added(Types::key(key), time); },
        [](const void* s, const void* key, Time time) { return self(s).was_removed(Types::key(key), time); },
        [](const void* s, Time time) { return self(s).tracker().added(time); },
        [](const void* s, Time time) { return self(s).tracker().removed(time); },
        [](void* s, Time time) { SeriesAccess::state(self(s)).open(time); },
        [](void* s) { SeriesAccess::state(self(s)).close_writer(); },
        [](void* s, Time time, const void* key) { return static_cast<bool>(self(s).write(time).remove(Types::key(key))); },
        [](void* s, Time time) { self(s).write(time).clear(); },
        [](void* s, Time time) { self(s).write(time).touch(); },
        &Keyed::reserve,
        [](const void* s, SeriesSubscriber<Time>& subscriber) { return self(s).subscribe(subscriber); },
        subscribe_key()};
};

template <class S>
struct ErasedTSS : ErasedSeries<S> {
    using Base = ErasedSeries<S>;
    using typename Base::Time;
    static constexpr auto add() noexcept -> bool (*)(void*, Time, const void*) {
        if constexpr (Base::Types::copies_keys)
            return [](void* s, Time time, const void* key) { return Base::self(s).write(time).add(Base::Types::key(key)); };
        else
            return nullptr;
    }
    static constexpr BasicTSSOps<Time> ops = {
        Base::ops, &ErasedSet<typename S::set_type>::ops,
        [](const void* s) -> const void* { return std::addressof(Base::self(s).as_set()); }, add()};
};

template <class S>
struct ErasedTSD : ErasedSeries<S> {
    using Base = ErasedSeries<S>;
    using typename Base::Time;
    using Types = typename Base::Types;
    using Map = ErasedMap<typename S::map_type>;
    static constexpr auto self = Base::self;
    static constexpr bool erased = is_type_erased<S>;
    /// The type of known values; of type-erased ones it is not used.
    template <class Series>
    struct Known : Named<typename Series::mapped_type> {};
    using T = typename std::conditional_t<erased, Named<Named<int>>, Named<Known<S>>>::type::type;
    static constexpr bool nested = is_series<T>;

    static const TypeDescriptor& value_type(const void* s) {
        if constexpr (erased)
            return self(s).value_type();
        else
            return TypeDescriptor::of<T>();
    }
    static const void* get(const void* s, const void* key) { return self(s).get(Types::key(key)); }
    static const void* value(const void* s, slot_t slot) {
        if constexpr (erased)
            return self(s).value(slot);
        else
            return std::addressof(self(s).value(slot));
    }
    static constexpr auto set_item() noexcept -> bool (*)(void*, Time, const void*, const void*) {
        if constexpr (erased)
            return [](void* s, Time time, const void* key, const void* value) -> bool {
                return self(s).write(time).set(key, value).inserted;
            };
        else if constexpr (!nested && Types::copies_keys && std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>)
            return [](void* s, Time time, const void* key, const void* value) -> bool {
                return self(s).write(time).set(Types::key(key), *static_cast<const T*>(value)).inserted;
            };
        else
            return nullptr;
    }
    static constexpr auto create() noexcept -> bool (*)(void*, Time, const void*) {
        if constexpr (erased || (Types::copies_keys && std::is_default_constructible_v<T>))
            return [](void* s, Time time, const void* key) -> bool {
                return self(s).write(time).create(Types::key(key)).inserted;
            };
        else
            return nullptr;
    }
    static constexpr auto modify() noexcept -> void* (*)(void*, Time, const void*) {
        if constexpr (erased)
            return [](void* s, Time time, const void* key) -> void* { return self(s).write(time).modify(key); };
        else if constexpr (!nested)
            return [](void* s, Time time, const void* key) -> void* {
                return std::addressof(self(s).write(time).modify(Types::key(key)));
            };
        else
            return nullptr;
    }
    static constexpr BasicTSDOps<Time> ops = {
        Base::ops,
        &Map::ops,
        [](const void* s) -> const void* { return std::addressof(self(s).as_map()); },
        &value_type,
        &get,
        &value,
        [](const void* s, const void* key) { return self(s).last_modified(Types::key(key)); },
        [](const void* s) { return SeriesAccess::state(self(s)).notification().keys.last; },
        [](const void* s, Time time) { return Base::written(s, time, DeltaPart::modified, time); },
        [](const void* s, Time time) { return Base::written(s, time, DeltaPart::updated, time); },
        [](const void* s, Time time) {
            if constexpr (nested)
                return DeltaRange<Time>(self(s).tracker().words(), time, DeltaPart::reset, {});
            else
                return Base::written(s, time, DeltaPart::reset, TimeTraits<Time>::never());
        },
        set_item(),
        create(),
        modify(),
        [](const void* s, SeriesSubscriber<Time>& subscriber) { return self(s).subscribe_keys(subscriber); }};
};

} // namespace detail

template <class Time>
template <class Series>
const BasicTSSOps<Time>& BasicTSSOps<Time>::of() noexcept {
    return detail::ErasedTSS<Series>::ops;
}
template <class Time>
template <class Series>
const BasicTSDOps<Time>& BasicTSDOps<Time>::of() noexcept {
    return detail::ErasedTSD<Series>::ops;
}

SLOTWISE_END

#endif
