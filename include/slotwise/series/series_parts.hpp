// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Parts of SeriesCore: what ticks, what a nested series is part of, what is stored, how it becomes bytes.
#ifndef SLOTWISE_SERIES_SERIES_PARTS_HPP
#define SLOTWISE_SERIES_SERIES_PARTS_HPP

#include "delta.hpp"
#include "subscriber.hpp"

SLOTWISE_BEGIN
namespace detail {

/// One thing that ticks: when last, whether someone must still be told, and who.
template <class Time>
struct SeriesTicker {
    Time last = TimeTraits<Time>::never();
    bool news = false;
    mutable SubscriberList<Time> list{};

    constexpr void tick(Time time) noexcept {
        last = time;
        news = true;
    }
    constexpr void tell(SeriesLevel level, std::uint64_t number) noexcept {
        if (std::exchange(news, false)) list.tell({level, no_slot, last}, number);
    }
};

/// What a nested series is part of, while a writer of it is open.
struct SeriesParent {
    void* series = nullptr;
    slot_t slot = no_slot;
    void (*closed)(void* series, slot_t slot) noexcept = nullptr;
    void (*cover)(void* series) = nullptr; ///< so that it can be told later that something nested has subscribers to tell
};

/// Whether `slot` holds an element, or one that was removed in the open window.
template <class Store>
constexpr bool is_stored(const Store& store, slot_t slot) noexcept {
    const SlotState state = store.state(slot);
    return state == SlotState::live || state == SlotState::pending;
}
template <class Store, class F>
constexpr void for_each_stored(const Store& store, F&& f) {
    for (slot_t slot = 0; slot < store.occupancy().size(); ++slot)
        if (is_stored(store, slot)) f(slot);
}
/// A nested series ticks when its element does, and its window is not ahead.
template <class Store, class Time>
constexpr bool nested_agree([[maybe_unused]] const Store& store, [[maybe_unused]] Time window) {
    bool agree = true;
    if constexpr (requires { typename Store::mapped_type; })
        if constexpr (is_series<typename Store::mapped_type>)
            for_each_stored(store, [&](slot_t slot) {
                const auto& nested = store.value(slot);
                const bool live = store.state(slot) == SlotState::live;
                agree = agree && !(window < nested.window()) &&
                        (!live || nested.last_modified() == store.template observer<0>().at(slot));
            });
    return agree;
}

/// Writes nested series as their snapshots, everything else as Codec does.
template <class Codec>
struct SeriesCodec {
    Codec& codec;

    template <class V>
    void write(const V& value, ByteWriter& out) {
        if constexpr (is_series<V>) {
            const auto bytes = value.snapshot(codec);
            out.number(std::uint64_t{bytes.size()});
            out.raw(bytes.data(), bytes.size());
        } else
            codec.write(value, out);
    }
    template <class V>
    V read(ByteReader& in) {
        if constexpr (is_series<V>) {
            V value;
            const auto size = in.number<std::uint64_t>();
            if (size > in.left())
                in.fail("snapshot: the bytes of a nested series end too early");
            else if (const char* error = value.try_restore(in.raw(static_cast<std::size_t>(size)), codec))
                in.fail(error);
            return value;
        } else
            return codec.template read<V>(in);
    }
};

} // namespace detail
SLOTWISE_END

#endif
