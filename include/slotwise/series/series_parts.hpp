// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Parts of SeriesCore: what ticks, what a nested series is part of, what is stored, how it becomes bytes.
#ifndef SLOTWISE_SERIES_SERIES_PARTS_HPP
#define SLOTWISE_SERIES_SERIES_PARTS_HPP

#include "delta.hpp"
#include "subscriber.hpp"

#include <cstdio>

SLOTWISE_BEGIN
namespace detail {

/// One thing that ticks: when last, whether someone must still be told, and who.
template <class Time>
struct SeriesTicker {
    Time last = TimeTraits<Time>::never();
    bool changed = false;
    mutable SubscriberList<Time> list{};

    constexpr void tick(Time time) noexcept {
        last = time;
        changed = true;
    }
    constexpr void notify(SeriesLevel level, std::uint64_t number) noexcept {
        if (std::exchange(changed, false)) list.notify({level, no_slot, last}, number);
    }
};

/// Where nothing ticks apart from the whole.
template <class Time>
struct NoTicker {
    static constexpr Time last = TimeTraits<Time>::never();
    static constexpr bool changed = false;
    constexpr void tick(Time) noexcept {}
    constexpr void notify(SeriesLevel, std::uint64_t) noexcept {}
};

/// A time as a message has it: as many digits as tell it from every other.
template <class Time>
std::string time_text(const Time& time) {
    if constexpr (requires { TimeTraits<Time>::to_string(time); })
        return TimeTraits<Time>::to_string(time);
    else if constexpr (requires { time.time_since_epoch().count(); })
        return time_text(time.time_since_epoch().count());
    else if constexpr (requires { time.count(); })
        return time_text(time.count());
    else if constexpr (std::is_floating_point_v<Time>) {
        char digits[32]{};
        std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(time));
        return digits;
    } else if constexpr (std::is_integral_v<Time>) {
        if constexpr (std::is_signed_v<Time>)
            return std::to_string(static_cast<long long>(time));
        else
            return std::to_string(static_cast<unsigned long long>(time));
    } else
        return "(a time)";
}
/// @throws std::invalid_argument with both times
template <class Time>
[[noreturn]] SLOTWISE_COLD void throw_late(const Time& time, const Time& window) {
    throw_invalid_argument(("series write(time): time " + time_text(time) + " is older than the open window " +
                            time_text(window) + "; write_late(time) joins that window")
                               .c_str());
}

[[noreturn]] SLOTWISE_COLD inline void throw_newer(const char* than) {
    throw_invalid_argument((std::string("series write(time): time is newer than ") + than).c_str());
}
[[noreturn]] SLOTWISE_COLD inline void throw_never() {
    throw_invalid_argument(
        "series write(time): time is \"never\", the lowest value of its type, at which nothing can happen; give a "
        "later one");
}
[[noreturn]] SLOTWISE_COLD inline void throw_removed_but_written() {
    throw_invalid_argument(
        "series create(key): the nested series that was removed under this key in this window still has an open "
        "writer; close it first");
}

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

/// Reads which slots were changed in the window, and how, into the tracker of a series that is being restored. Returns what is
/// wrong with the bytes, or null.
template <class Store, class Times, class Tracker, class Time>
const char* read_changes(const Store& store, const Times& times, Tracker& tracker, Time window, ByteReader& in) {
    const Time never = TimeTraits<Time>::never();
    tracker.restore_window(window);
    const bool in_slot_order = in.flag();
    const auto count = in.number<std::uint32_t>();
    if (in.error() != nullptr) return in.error();
    if (count > in.left() / 5) return "snapshot: the bytes end too early";
    if (window == never && (count != 0 || !in_slot_order)) return "snapshot: there are changes, but no window";
    if (in_slot_order)
        tracker.use_slot_order();
    else
        tracker.reserve_list(count);
    for (slot_t i = 0, least = 0; i != count; ++i) {
        const slot_t slot = in.number<slot_t>();
        if (slot < least) return "snapshot: the list of changed slots is not in slot order, and says so";
        if (in_slot_order) least = slot;
        const unsigned flags = in.number<std::uint8_t>();
        if (!is_stored(store, slot) || tracker.was_touched(slot, window))
            return "snapshot: the list of changed slots names one where nothing is, or one twice";
        // Only what lived was valid; nothing ends where something is stored.
        if (flags > 15 || (flags & 3) == 1 || (flags & 4) != 0)
            return "snapshot: what is said of a changed slot is not possible";
        tracker.restore_opening(slot, flags);
    }
    bool sound = true;
    for_each_stored(store, [&](slot_t slot) {
        const bool now = store.state(slot) == SlotState::pending || (times.at(slot) == window && window != never);
        sound = sound && (!now || tracker.was_touched(slot, window));
    });
    return sound ? nullptr : "snapshot: a slot was changed in the window and is not in the list of changed slots";
}

/// Writes nested series as their snapshots, everything else as Codec does.
template <class Codec>
struct SeriesCodec {
    Codec& codec;
    template <class Column>
    static constexpr bool drops = drops_column<Codec, Column>;
    template <bool Reads, class T>
    static consteval bool covers() noexcept {
        return is_series<T> || detail::covers<Reads, Codec, T>();
    }

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
