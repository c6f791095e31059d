// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A series as bytes: the keyed container, its times, and the changes of the open window.
#ifndef SLOTWISE_SERIES_SERIES_SNAPSHOT_HPP
#define SLOTWISE_SERIES_SERIES_SNAPSHOT_HPP

#include "../keyed/described_codec.hpp"
#include "series_state.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Writes nested series as snapshots, other values by Codec.
template <class Codec>
struct SeriesCodec {
    Codec& codec;
    static constexpr bool writes_a_part = true;
    template <class Column>
    static constexpr bool drops = drops_column<Codec, Column>;
    template <class V>
    static consteval std::uint64_t type_tag() noexcept {
        if constexpr (!is_series<V>)
            return detail::type_tag<Codec, V>();
        else if constexpr (requires { typename V::mapped_type; })
            return make_tag(TypeKind::series, {type_tag<typename V::key_type>(), type_tag<typename V::mapped_type>()});
        else
            return make_tag(TypeKind::series, {type_tag<typename V::key_type>()});
    }
    template <bool Reads, class T>
    static consteval bool covers() noexcept {
        return is_series<T> || detail::covers<Reads, Codec, T>();
    }

    template <class V>
    void write(const V& value, ByteWriter& out) {
        if constexpr (is_series<V>) {
            const auto bytes = value.snapshot(as_part(codec));
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
            else if (const char* error = value.try_restore(in.raw(static_cast<std::size_t>(size)), as_part(codec)))
                in.fail(error);
            return value;
        } else
            return codec.template read<V>(in);
    }
};

/// The container of a series as bytes, back from bytes, and another one without elements.
template <class Store, class Codec>
std::vector<std::byte> store_to_bytes(const Store& store, Codec& codec) {
    if constexpr (is_described_codec<Codec>)
        return store.snapshot(codec.described, as_part(codec.typed));
    else
        return store.snapshot(SeriesCodec<Codec>{codec});
}
template <class Store, class Codec>
const char* store_from_bytes(Store& store, std::span<const std::byte> bytes, Codec& codec) {
    if constexpr (is_described_codec<Codec>)
        return store.try_restore(bytes, codec.described, as_part(codec.typed));
    else
        return store.try_restore(bytes, SeriesCodec<Codec>{codec});
}
template <class Store>
Store store_like(const Store& store) {
    if constexpr (requires { store.like(); })
        return store.like();
    else
        return Store(store.hash_function(), store.key_eq(), store.get_allocator());
}

/// Reads the changed slots of the window into the tracker of a series that is being restored. Returns the error, or null.
template <class State, class Store, class Time>
const char* read_changes(Store& store, const Time& window, ByteReader& in) {
    const auto& times = State::times_of(store);
    auto& tracker = State::tracker_of(store);
    constexpr Time never = State::never;
    tracker.restore_window(window);
    const unsigned flags_of_window = in.number<std::uint8_t>();
    const bool in_slot_order = (flags_of_window & 1) != 0;
    const auto count = in.number<std::uint32_t>();
    if (in.error() != nullptr) return in.error();
    if (flags_of_window > 3 || (flags_of_window > 1 && window == never))
        return "snapshot: the flags of the window are impossible";
    if (count > in.left() / 5) return "snapshot: the bytes end too early";
    if (window == never && (count != 0 || !in_slot_order)) return "snapshot: there are changes, but no window";
    if (in_slot_order)
        tracker.use_slot_order();
    else
        tracker.reserve_list(count);
    for (slot_t i = 0, least = 0; i != count; ++i) {
        const slot_t slot = in.number<slot_t>();
        if (slot < least) return "snapshot: the list of changed slots is not in slot order as it states";
        if (in_slot_order) least = slot;
        const unsigned flags = in.number<std::uint8_t>();
        if (!State::is_stored(store, slot) || tracker.was_touched(slot, window))
            return "snapshot: the list of changed slots has a vacant slot, or a slot twice";
        // Only live slots were valid. A stored slot has no ended element.
        if (flags > 15 || (flags & 3) == 1 || (flags & 4) != 0) return "snapshot: the flags of a changed slot are impossible";
        tracker.restore_opening(slot, flags);
    }
    if ((flags_of_window & 2) != 0) tracker.restore_invalidated();
    bool sound = true;
    State::for_each_stored(store, [&](slot_t slot) {
        const bool now = store.state(slot) == SlotState::pending || (times.at(slot) == window && window != never);
        sound = sound && (!now || tracker.was_touched(slot, window));
    });
    return sound ? nullptr : "snapshot: a slot was changed in the window and is not in the list of changed slots";
}

/// "SLD1" for dictionaries, "SLS1" for sets.
template <class State>
inline constexpr std::uint32_t series_magic = State::has_values ? 0x3144'4C53u : 0x3153'4C53u;

template <class State, class Codec>
std::vector<std::byte> series_to_bytes(const State& state, Codec& codec) {
    const auto& store = state.store();
    const auto& tracker = state.tracker();
    ByteWriter out;
    out.number(series_magic<State>);
    const auto inner = store_to_bytes(store, codec);
    out.number(std::uint64_t{inner.size()});
    out.raw(inner.data(), inner.size());
    codec.write(state.window(), out);
    codec.write(state.notification().whole.last, out);
    if constexpr (State::has_values) codec.write(state.notification().keys.last, out);
    out.number(static_cast<std::uint8_t>((tracker.in_slot_order() ? 1 : 0) | (tracker.words().invalidated ? 2 : 0)));
    std::vector<slot_t> touched; // in the order of a dirty list
    for (const slot_t slot : tracker.touched(state.window()))
        if (State::is_stored(store, slot)) touched.push_back(slot); // rolled-back inserts are left out
    out.number(static_cast<std::uint32_t>(touched.size()));
    for (const slot_t slot : touched) {
        out.number(slot);
        out.number(static_cast<std::uint8_t>(tracker.opening_flags(slot)));
    }
    return Seal::close<Codec>(out, {{ElementRole::time, type_tag<Codec, typename State::time_type>()}});
}

/// Whether the bytes end before the window of a snapshot, or have this one: the other bytes are not looked at.
template <class Time, class Codec>
bool may_have_window(std::span<const std::byte> bytes, const Time& window, Codec& codec) {
    ByteReader in(bytes);
    static_cast<void>(in.number<std::uint32_t>());
    const auto size = in.number<std::uint64_t>();
    if (size > in.left()) return true;
    static_cast<void>(in.raw(static_cast<std::size_t>(size)));
    const Time found = codec.template read<Time>(in);
    return in.error() != nullptr || found == window;
}

/// Every byte is checked before `state` changes. Returns the error, or null.
template <class State, class Codec>
const char* series_from_bytes(State& state, std::span<const std::byte> bytes, Codec& codec) {
    using Store = typename State::store_type;
    using Time = typename State::time_type;
    const ElementTag time{ElementRole::time, type_tag<Codec, Time>()};
    if (const char* const wrong = Seal::open<Codec>(bytes, series_magic<State>, {time})) return wrong;
    ByteReader in(bytes);
    if (in.number<std::uint32_t>() != series_magic<State>) return "snapshot: these bytes are not a snapshot of such a series";
    const auto size = in.number<std::uint64_t>();
    if (size > in.left()) return "snapshot: the bytes end too early";
    const Store& old = state.store();
    Store fresh = store_like(old);
    if (const char* error = store_from_bytes(fresh, in.raw(static_cast<std::size_t>(size)), codec)) return error;
    const Time window = codec.template read<Time>(in), last = codec.template read<Time>(in);
    Time keys_last = last;
    if constexpr (State::has_values) keys_last = codec.template read<Time>(in);
    const auto sane = [&](const Time& at) { return at == State::never || (is_time(at) && !(window < at)); };
    if (in.error() != nullptr) return in.error();
    if (!sane(window) || !sane(last) || !sane(keys_last)) return "snapshot: a time is later than the window";
    if (last < keys_last) return "snapshot: a time is later than that of the whole series";
    const auto& times = State::times_of(fresh);
    bool sound = true;
    State::for_each_stored(fresh, [&](slot_t slot) { // what was invalidated is older than its removed elements
        const bool live = fresh.state(slot) == SlotState::live;
        sound = sound && sane(times.at(slot)) && !(live && last < times.at(slot));
    });
    if (!sound) return "snapshot: a time is later than the window, or than that of the whole series";
    if (const char* error = read_changes<State>(fresh, window, in)) return error;
    if (!State::nested_agree(fresh, window)) return "snapshot: the times of a nested series and of its element disagree";
    if (in.error() != nullptr) return in.error();
    if (in.left() != 0) return "snapshot: there are more bytes than the state needs";
    state.take_contents(fresh, last, keys_last);
    return nullptr;
}

} // namespace detail
SLOTWISE_END

#endif
