// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesState: the engine of a series: its keyed container, its windows, its subscribers, and the steps by which they change.
#ifndef SLOTWISE_SERIES_DETAIL_SERIES_STATE_HPP
#define SLOTWISE_SERIES_DETAIL_SERIES_STATE_HPP

#include "../../keyed/map_storage.hpp"
#include "../delta.hpp"
#include "../delta_tracker.hpp"
#include "../observer_array.hpp"

#include <cstdio>
#include <string>

SLOTWISE_BEGIN
namespace detail {

//=== the keyed container inside: times and deltas are columns of its own ===//

/// The arguments of a series: what a keyed container takes, and the type of time.
template <class Key, class... With>
struct SeriesArguments
    : Arguments<with_options | with_tag | with_hash | with_equal | with_index | with_time | with_alloc | with_observers,
                SeriesOptions, Key, Key, With...> {
    using time = time_of<Key, With...>;
    using hash = pick<with_hash, DefaultHash<Key>, With...>;
    using equal = pick<with_equal, EqualTo, With...>;
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
};

/// The arguments of the keyed container of a series: times and deltas are columns of its own.
template <class Args>
struct TimelessArguments : Args {
    static constexpr KeySetOptions options = Args::options.key_set();
    using Time = typename Args::time;
    using Bytes = rebind_t<typename Args::allocator, std::byte>;
    using grown = typename Args::grown;
    using times = TimeArray<Time, rebind_t<typename Args::allocator, Time>, grown::growth, grown::template slot_count<Time>>;
    using tracker = DeltaTracker<Time, Args::options.delta, Bytes>;
    using own_columns = TypeList<times, tracker>;
};
template <class Key, class... With>
struct PartArguments<TSSStorage<Key, With...>> : TimelessArguments<SeriesArguments<Key, With...>> {};
template <class Key, class T, class... With>
struct PartArguments<TSDStorage<Key, T, With...>> : TimelessArguments<SeriesArguments<Key, With...>> {};

/// The keyed container of a TSSStorage.
template <class Key, class... With>
using SeriesSet = SetStorage<Key, EmbeddedIn<TSSStorage<Key, With...>>>;
/// The keyed container of a TSDStorage.
template <class Key, class T, class... With>
using SeriesMap = MapStorage<Key, T, EmbeddedIn<TSDStorage<Key, T, With...>>>;

/// The arguments of a series, from its keyed container.
template <class Store>
struct ArgumentsOfSeries;
template <class Key, class Series>
struct ArgumentsOfSeries<SetStorage<Key, EmbeddedIn<Series>>> : PartArguments<Series> {
    using key = Key;
    static constexpr bool has_values = false;
};
template <class Key, class T, class Series>
struct ArgumentsOfSeries<MapStorage<Key, T, EmbeddedIn<Series>>> : PartArguments<Series> {
    using key = Key;
    static constexpr bool has_values = true;
};

/// The only friend of series and writers: writers and enclosing series access the state through it.
struct SeriesAccess {
    template <class Series>
    static constexpr auto& state(Series& series) noexcept {
        return series.state_;
    }
    /// @pre a window was opened in the state of `series`
    template <class Series>
    static typename Series::writer writer(Series& series) noexcept {
        return typename Series::writer(series);
    }
    /// The two halves of a writer's apply().
    template <class Series, class Delta>
    static DeltaFault find_fault(const Series& series, const Delta& delta, Strictness mode) {
        return Series::writer::find_fault(series, delta, mode);
    }
    template <class Writer, class Delta>
    static void apply_checked(Writer& writer, Delta&& delta) {
        writer.apply_checked(std::forward<Delta>(delta));
    }
};

//=== errors of write() and create() ===//

/// A time as text, with as many digits as identify it.
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
        "series write(time): time is \"never\", the lowest value of its type, at which nothing can be written; give a "
        "later one");
}
[[noreturn]] SLOTWISE_COLD inline void throw_removed_but_written() {
    throw_invalid_argument(
        "series create(key): the nested series that was removed under this key in this window still has an open "
        "writer; close it first");
}

//=== subscribers ===//

/// A part of a series that ticks, the whole or the keys: its last tick, whether subscribers must be notified of it, and these.
template <class Time>
struct SeriesTicker {
    Time last = TimeTraits<Time>::never();
    bool changed = false;
    bool late = false; // it has ticked after some subscriber was notified of the tick before
    mutable SubscriberList<Time> list{};

    constexpr std::size_t memory_usage() const noexcept { return list.memory_usage(); }
    constexpr void tick(Time time) noexcept {
        last = time;
        changed = true;
    }
    constexpr void notify(SeriesLevel level, std::uint64_t number, Time now, TickKind kind) noexcept {
        if (changed) notify_all(level, number, now, kind);
    }
    constexpr void notify_all(SeriesLevel level, std::uint64_t number, Time now, TickKind kind) noexcept {
        changed = false;
        late = list.notify({level, no_slot, now, kind}, number) || late;
    }
    constexpr void notify(SeriesLevel level, std::uint64_t number) noexcept { notify(level, number, last, TickKind::changed); }
    /// The next round notifies those that were late in this one.
    constexpr void end_round() noexcept {
        if (std::exchange(late, false)) changed = list.take_late() || changed;
    }
    constexpr void set_last(Time time) noexcept {
        last = time;
        forget();
    }
    constexpr void forget() noexcept { changed = late = false; }
    constexpr void invalidate() noexcept {
        changed = changed || last != TimeTraits<Time>::never();
        last = TimeTraits<Time>::never();
    }
    constexpr void end(SeriesLevel level, Time time) noexcept { list.end({level, no_slot, time, TickKind::ended}); }
};

/// The keys of a set have no separate ticks.
template <class Time>
struct NoTicker {
    static constexpr Time last = TimeTraits<Time>::never();
    static constexpr bool changed = false;
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    constexpr void tick(Time) noexcept {}
    constexpr void notify(SeriesLevel, std::uint64_t, Time, TickKind) noexcept {}
    constexpr void notify_all(SeriesLevel, std::uint64_t, Time, TickKind) noexcept {}
    constexpr void end_round() noexcept {}
    constexpr void set_last(Time) noexcept {}
    constexpr void forget() noexcept {}
    constexpr void invalidate() noexcept {}
    constexpr void end(SeriesLevel, Time) noexcept {}
};

/// What a nested series is part of, while a writer of it is open.
struct SeriesParent {
    void* series = nullptr;
    slot_t slot = no_slot;
    void (*closed)(void* series, slot_t slot) noexcept = nullptr;
    void (*cover)(void* series) = nullptr; ///< prepares the parent for notifying later subscribers of the nested series
};

/// Subscribers to the whole, to the keys (of a dictionary), to single slots and keys.
template <class Key, class Time, class Hash, class Equal, class Allocator, bool KeysTick>
class SeriesNotification {
    using Subscribers = ObserverArray<Key, TimeBy<Time>, HashBy<Hash>, EqualBy<Equal>, AllocBy<Allocator>>;
    using KeysTicker = std::conditional_t<KeysTick, SeriesTicker<Time>, NoTicker<Time>>;

public:
    SeriesTicker<Time> whole{};
    SLOTWISE_NO_UNIQUE_ADDRESS KeysTicker keys{};
    mutable Subscribers elements{}; ///< of single slots and keys
    SeriesParent parent{};

    constexpr SeriesNotification() = default;
    constexpr explicit SeriesNotification(const Allocator& alloc) : elements(alloc) {}
    /// For copies: the times and the round of `other`, without its subscribers.
    constexpr SeriesNotification(const SeriesNotification& other, const Allocator& alloc)
        : elements(alloc), round_(other.round_) {
        set_times(other.whole.last, other.keys.last);
    }
    /// Takes all of `other` except the subscribers of single slots and keys, which `taken` has already.
    constexpr SeriesNotification(SeriesNotification&& other, Subscribers&& taken) noexcept
        : whole(std::move(other.whole)), keys(std::move(other.keys)), elements(std::move(taken)), round_(other.round_) {}
    /// Takes all of `other`, whose subscribers of slots and keys are in `taken`.
    constexpr void take(SeriesNotification& other, Subscribers& taken) noexcept {
        whole = std::move(other.whole);
        keys = std::move(other.keys);
        elements.swap(taken);
        round_ = other.round_;
    }
    /// Exchanges all except the subscribers of single slots and keys.
    constexpr void swap_tickers(SeriesNotification& other) noexcept {
        std::swap(whole, other.whole);
        std::swap(keys, other.keys);
        std::swap(round_, other.round_);
    }
    /// Sets the last ticks, without a notification.
    constexpr void set_times(Time last, Time keys_last) noexcept {
        whole.set_last(last);
        keys.set_last(keys_last);
    }
    /// Forgets which subscribers were late: their window is over.
    constexpr void next_window() noexcept {
        whole.forget();
        keys.forget();
        elements.unmark();
        parent_round_ = 0;
    }

    /// Subscribes to `ticker`, one of ours. @throws std::bad_alloc; strong
    [[nodiscard]] Subscription<Time> subscribe(const SeriesTicker<Time>& ticker, SeriesSubscriber<Time>& subscriber) const {
        cover_parent();
        return ticker.list.add(subscriber);
    }
    /// While a writer is open: prepares the series around this one to notify new subscribers. @throws what the allocator throws
    void cover_parent() const {
        if (parent.cover != nullptr) parent.cover(parent.series);
    }
    /// The element in `slot` has changed.
    constexpr void changed(slot_t slot, Time time) noexcept {
        whole.tick(time);
        elements.mark(slot);
    }
    /// The element in `slot` has changed, and is a member from now on, or no longer.
    constexpr void changed_keys(slot_t slot, Time time) noexcept {
        keys.tick(time);
        changed(slot, time);
    }

    constexpr bool has_subscribers() const noexcept {
        if constexpr (KeysTick)
            if (!keys.list.empty()) return true;
        return !elements.unused() || !whole.list.empty();
    }
    constexpr std::size_t memory_usage() const noexcept { return memory_of(whole, keys, elements); }
    constexpr bool has_pending_notification() const noexcept {
        return whole.changed || keys.changed || elements.any_marked() || announced_ != TickKind::changed;
    }
    constexpr bool is_notifying() const noexcept { return notifying_; }
    /// The next notify() notifies every subscriber of this kind of tick, instead of what has changed.
    constexpr void announce(TickKind kind) noexcept { announced_ = kind; }
    /// Notifies all subscribers of what has changed: elements first, then keys, then the whole.
    /// @param parent_round that of the series around this one: in each of its rounds a subscriber is notified once; 0 if there
    /// is none
    /// @param state the SeriesState around this, which knows the elements
    template <class State>
    constexpr void notify(Time time, std::uint64_t parent_round, State& state) noexcept {
        if (notifying_) return; // a subscriber has written: the loop below goes on until no change is left
        notifying_ = true;
        if (parent_round == 0 || parent_round != std::exchange(parent_round_, parent_round)) ++round_;
        do {
            if (announced_ != TickKind::changed) notify_all(time, std::exchange(announced_, TickKind::changed));
            if (!elements.unused())
                elements.notify(
                    time, round_, [&](slot_t slot) { state.notify_nested(slot, round_); },
                    [&](slot_t slot) -> decltype(auto) { return state.store().key(slot); }, std::as_const(state));
            keys.notify(SeriesLevel::keys, round_, time, kind_of(keys));
            whole.notify(SeriesLevel::whole, round_, time, kind_of(whole));
        } while (has_pending_notification());
        elements.end_round([&](const Key& key) { return state.store().slot_of_any(key); });
        keys.end_round();
        whole.end_round();
        notifying_ = false;
    }
    /// The series is gone: all subscriptions end.
    constexpr void end(Time time) noexcept {
        elements.end(time);
        keys.end(SeriesLevel::keys, time);
        whole.end(SeriesLevel::whole, time);
    }

private:
    template <class Ticker>
    static constexpr TickKind kind_of(const Ticker& ticker) noexcept {
        return ticker.last != TimeTraits<Time>::never() ? TickKind::changed : TickKind::invalidated;
    }
    constexpr void notify_all(Time time, TickKind kind) noexcept {
        elements.unmark();
        elements.notify_all(time, kind, round_);
        keys.notify_all(SeriesLevel::keys, round_, time, kind);
        whole.notify_all(SeriesLevel::whole, round_, time, kind);
    }

    std::uint64_t round_ = 0; // of notifications: in each a subscriber is notified once
    std::uint64_t parent_round_ = 0;
    TickKind announced_ = TickKind::changed; // changed: nothing is
    bool notifying_ = false;
};

//=== snapshots ===//

/// Writes nested series as snapshots, other values by Codec.
template <class Codec>
struct SeriesCodec {
    Codec& codec;
    static constexpr bool writes_a_part = true;
    template <class Column>
    static constexpr bool drops = drops_column<Codec, Column>;
    template <class V>
    static consteval std::uint64_t type_tag() noexcept {
        return series_tag<Codec, V>();
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

/// The keyed container as bytes, and back from bytes. @param behind how many bytes the caller writes afterwards
template <class Store, class Codec>
void append_store(const Store& store, ByteWriter& out, std::size_t behind, Codec& codec) {
    if constexpr (requires { Codec::is_type_erased; })
        store.append_snapshot(out, behind, codec.erased, as_part(codec.typed));
    else {
        const auto bytes = store.snapshot(SeriesCodec<Codec>{codec});
        out.reserve(bytes.size() + behind);
        out.raw(bytes.data(), bytes.size());
    }
}
template <class Store, class Codec>
const char* store_from_bytes(Store& store, std::span<const std::byte> bytes, Codec& codec) {
    if constexpr (requires { Codec::is_type_erased; })
        return store.try_restore(bytes, codec.erased, as_part(codec.typed));
    else
        return store.try_restore(bytes, SeriesCodec<Codec>{codec});
}

/// Whether the window in a snapshot is this one, or the bytes end before it. The other bytes are not read.
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

//=== the state ===//

/// The engine of every series, which its writers call. It knows windows, times, deltas and subscribers, and does not know the
/// interface: SeriesInterface, SeriesWriter and the classes derived from them.
/// @tparam Store the keyed container: a SeriesSet, a SeriesMap, or a type-erased one
template <class Store, class Time>
class SeriesState {
    using Key = typename ArgumentsOfSeries<Store>::key;
    using Allocator = typename Store::allocator_type;
    using Times = typename ArgumentsOfSeries<Store>::times;
    using Tracker = typename ArgumentsOfSeries<Store>::tracker;

public:
    static constexpr bool has_values = ArgumentsOfSeries<Store>::has_values; // then keys tick apart from the whole
    static constexpr bool nests = requires { requires is_series<typename Store::mapped_type>; };
    using store_type = Store;
    using insert_result = InsertResult<typename Store::const_iterator>;
    using time_type = Time;
    using Notification =
        SeriesNotification<Key, Time, typename Store::hasher, typename Store::key_equal, Allocator, has_values>;
    using Subscribers = ObserverArray<Key, TimeBy<Time>, HashBy<typename Store::hasher>, EqualBy<typename Store::key_equal>,
                                      AllocBy<Allocator>>;
    static constexpr Time never = TimeTraits<Time>::never();

    //=== construct, copy, move ===//

    constexpr SeriesState() = default;
    constexpr explicit SeriesState(const Allocator& alloc) : store_(alloc), notification_(alloc) {}
    /// @pre `empty` has no elements
    explicit SeriesState(Store&& empty) : store_(std::move(empty)), notification_(store_.get_allocator()) {}
    constexpr SeriesState(const typename Store::hasher& hash, const typename Store::key_equal& equal, const Allocator& alloc)
        : store_(hash, equal, alloc), notification_(alloc) {}
    constexpr SeriesState(const SeriesState& other) : SeriesState(other, Store(other.store_)) {}
    constexpr SeriesState(const SeriesState& other, const Allocator& alloc) : SeriesState(other, Store(other.store_, alloc)) {}
    constexpr SeriesState(SeriesState&& other) noexcept(std::is_nothrow_move_constructible_v<Store>)
        : SeriesState{std::move(other), std::move(other.notification_.elements), std::move(other.store_)} {}
    constexpr SeriesState(SeriesState&& other,
                          const Allocator& alloc) // in this order, so that the first throw loses no elements
        : SeriesState{std::move(other), Subscribers(std::move(other.notification_.elements), alloc),
                      Store(std::move(other.store_), alloc)} {}
    constexpr SeriesState& operator=(const SeriesState& other) {
        if (this == &other) return *this;
        expect_closed();
        other.expect_closed();
        Store copy(other.store_, propagates_on_copy<Allocator> ? other.allocator() : allocator());
        take_contents(copy, other.notification_.whole.last, other.notification_.keys.last);
        return *this;
    }
    constexpr SeriesState& operator=(SeriesState&& other) noexcept(std::is_nothrow_move_assignable_v<Store>) {
        if (this == &other) return *this;
        expect_closed();
        other.expect_closed();
        Subscribers subscribers(std::move(other.notification_.elements),
                                propagates_on_move<Allocator> ? other.allocator() : allocator());
        ScopeGuard back([&]() noexcept { // a copy or a swap of hash or equality has thrown
            if (propagates_on_move<Allocator> || allocator() == other.allocator())
                other.notification_.elements.swap(subscribers);
        });
        const Time before = window();
        store_ = std::move(other.store_);
        back.dismiss();
        Notification ended(std::move(notification_), std::move(notification_.elements));
        notification_.take(other.notification_, subscribers);
        unset_ = other.unset_;
        exhausted_ = other.exhausted_;
        other.forget_times();
        ended.end(before);
        return *this;
    }
    constexpr ~SeriesState() {
        expect_closed();
        notification_.end(window());
    }
    constexpr void swap(SeriesState& other) noexcept(noexcept(std::declval<Store&>().swap(std::declval<Store&>()))) {
        expect_closed();
        other.expect_closed();
        Subscribers &ours = notification_.elements, &theirs = other.notification_.elements;
        const bool at_once = propagates_on_swap<Allocator> || allocator() == other.allocator();
        if (at_once)
            ours.swap(theirs);
        else {
            Subscribers to_other(std::move(ours), other.allocator());
            Subscribers to_us(std::move(theirs), allocator());
            ours.swap(to_us);
            theirs.swap(to_other);
        }
        // If keys move one by one, some may be lost. If a swap of hash or equality throws, nothing else has changed.
        ScopeGuard sound([&]() noexcept {
            if (at_once) return ours.swap(theirs);
            recount(), other.recount();
        });
        store_.swap(other.store_);
        sound.dismiss();
        notification_.swap_tickers(other.notification_);
        std::swap(unset_, other.unset_);
        std::swap(exhausted_, other.exhausted_);
    }
    /// Takes the contents of `from`, whose allocator becomes ours, with these times. Strong: throwing steps come first.
    constexpr void take_contents(Store& from, Time last, Time keys_last) {
        Subscribers& subscribers = notification_.elements;
        if (!(from.get_allocator() == allocator())) {
            Subscribers there(std::move(subscribers), from.get_allocator());
            subscribers.swap(there); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
        }
        if (!subscribers.unused()) subscribers.cover(from.capacity(), store_.hash_function(), store_.key_eq());
        auto watched = subscribers.watched_by([&](const Key& key) { return from.slot_of_any(key); });
        const auto exchanged = [&]() noexcept { // no subscription has changed before, so that there is nothing to undo
            subscribers.rewatch(watched, true);
        };
        // The old contents are destroyed last: a destructor sees the new ones.
        if (ColumnAccess::has_dynamic_observers(store_)) {
            const auto* const before = tracker_of(from).words().live;
            ScopeGuard empty([&]() noexcept { // an observer has thrown when the contents were exchanged
                if (tracker_of(from).words().live == before) return;
                store_.reset();
                forget_times();
                for (std::size_t word = 0; word != watched.size(); ++word) watched[word] = 0;
                exchanged();
                subscribers.end_elements(window());
            });
            ColumnAccess::adopt(store_, from);
            empty.dismiss();
            exchanged();
            adopt_times(last, keys_last);
        } else if constexpr (std::is_nothrow_move_constructible_v<Store>) {
            exchanged();
            const Store before(std::move(store_));
            renew(store_, std::move(from));
            adopt_times(last, keys_last);
        } else {
            store_.swap(from); // a swap of hash or equality may throw
            exchanged();
            adopt_times(last, keys_last);
        }
        announce_replaced();
    }

    //=== parts ===//

    SLOTWISE_INLINE_UNOPTIMISED constexpr Store& store() noexcept { return store_; }
    SLOTWISE_INLINE_UNOPTIMISED constexpr const Store& store() const noexcept { return store_; }
    constexpr Notification& notification() noexcept { return notification_; }
    SLOTWISE_INLINE_UNOPTIMISED constexpr const Notification& notification() const noexcept { return notification_; }
    template <class S>
    SLOTWISE_INLINE_UNOPTIMISED static constexpr auto& times_of(S& store) noexcept {
        return ColumnAccess::get<Times>(store);
    }
    template <class S>
    SLOTWISE_INLINE_UNOPTIMISED static constexpr auto& tracker_of(S& store) noexcept {
        return ColumnAccess::get<Tracker>(store);
    }
    SLOTWISE_INLINE_UNOPTIMISED constexpr const auto& times() const noexcept { return times_of(store_); }
    constexpr ColumnView<const Time> stamps() const noexcept { return ColumnAccess::view<Times>(store_); }
    SLOTWISE_INLINE_UNOPTIMISED constexpr const auto& tracker() const noexcept { return tracker_of(store_); }
    SLOTWISE_INLINE_UNOPTIMISED constexpr Time window() const noexcept { return tracker().window(); }
    /// Members that were never written.
    SLOTWISE_INLINE_UNOPTIMISED constexpr std::size_t unset() const noexcept { return unset_; }

    //=== windows ===//

    /// Opens a writer of window `time`. @param late whether a time before the open window joins that one
    constexpr void open(Time time, bool late = false) {
        if (!is_time(time)) throw_never();
        if (window() < time) {
            if (writers_ != 0) throw_newer("the open window, but a writer of that window is still open; close it first");
            if (notification_.is_notifying())
                throw_newer("the window whose subscribers are being notified; they may write to that window only");
            roll(time);
        } else if (!late && time < window())
            throw_late(time, window());
        ++writers_;
    }
    /// As open(), for a writer of a nested series: when it closes, `parent` notifies the subscribers.
    constexpr void open_within(Time time, const SeriesParent& parent) {
        open(time);
        if (writers_ == 1) notification_.parent = parent;
    }
    /// A writer of a nested series keeps this series open.
    constexpr void retain() noexcept { ++writers_; }
    /// Closes a writer. After the last one the outermost series notifies the subscribers.
    constexpr void close_writer() noexcept {
        if (--writers_ != 0) return;
        if (notification_.parent.closed == nullptr) return notify();
        const SeriesParent parent = std::exchange(notification_.parent, {});
        parent.closed(parent.series, parent.slot);
    }
    constexpr void expect_closed() const noexcept {
        SLOTWISE_EXPECT(writers_ == 0,
                        "series: it is moved, copied, restored or destroyed while a writer of it is open; close it first");
    }
    constexpr std::uint32_t writers() const noexcept { return writers_; }
    /// A writer of the nested series in `slot`, in the same window. It keeps this series open.
    auto write_nested(slot_t slot)
        requires(nests)
    {
        auto& nested = store_.value(slot);
        auto& child = SeriesAccess::state(nested);
        if (child.notification().has_subscribers()) cover();
        child.open_within(window(),
                          {this, slot, &nested_closed, [](void* state) { static_cast<SeriesState*>(state)->cover(); }});
        if (child.writers() == 1) retain();
        return SeriesAccess::writer(nested);
    }
    /// Notifies the subscribers, those of nested series too. If a subscriber writes meanwhile, the outer call notifies of that.
    /// @param parent_round as SeriesNotification::notify
    constexpr void notify(std::uint64_t parent_round = 0) noexcept { notification_.notify(window(), parent_round, *this); }
    /// The element in `slot` has changed: notifies the subscribers of a series in it.
    constexpr void notify_nested([[maybe_unused]] slot_t slot, [[maybe_unused]] std::uint64_t round) noexcept {
        if constexpr (nests) {
            auto& child = SeriesAccess::state(store_.value(slot));
            if (child.take_removal() && store_.state(slot) != SlotState::live)
                child.notify_removed(window(), round);
            else
                child.notify(round);
        }
    }
    /// How the element in `slot` is now, for its subscribers.
    constexpr TickKind kind(slot_t slot) const noexcept {
        if (store_.state(slot) != SlotState::live) return TickKind::removed;
        return times().valid(slot) ? TickKind::changed : TickKind::invalidated;
    }
    /// Whether the element in `slot` was removed, and its key has another slot now.
    constexpr bool superseded(slot_t slot) const noexcept {
        return store_.state(slot) == SlotState::pending && store_.slot_of_any(store_.key(slot)) != slot;
    }
    /// Whether this or a series inside has subscribers. Linear in the series inside
    constexpr bool any_subscribers() const noexcept {
        bool any = notification_.has_subscribers();
        if constexpr (nests)
            for (auto it = store_.live_slots().begin(); !any && it != store_.live_slots().end(); ++it)
                any = SeriesAccess::state(store_.value(*it)).any_subscribers();
        return any;
    }
    /// Whether subscribers must be notified that the element around this series was removed. True once.
    constexpr bool take_removal() noexcept { return std::exchange(removal_watched_, false); }
    /// The element around this series was removed: notifies all subscribers, those of series inside first.
    constexpr void notify_removed(Time time, std::uint64_t parent_round) noexcept {
        if constexpr (nests)
            for (const slot_t slot : store_.live_slots())
                SeriesAccess::state(store_.value(slot)).notify_removed(time, parent_round);
        notification_.announce(TickKind::removed);
        notification_.notify(time, parent_round, *this);
    }

    //=== changes; the window is open ===//

    /// Writes a value to a key, which is made a member if it is none. Most writes find their key. Their path is kept short, so
    /// that the cache misses of several writes overlap (half the time at 1e6 keys). The result fits into a register.
    /// @throws as MapStorage::insert_or_assign; strong, if the value's move assignment does not throw
    SLOTWISE_CONVERSIONS_BEGIN
    template <class K, class V>
    InsertOutcome do_set(K&& key, V&& written) {
        using T = typename Store::mapped_type;
        const slot_t slot = store_.slot_of(key);
        if (slot == no_slot) [[unlikely]]
            return set_new(std::forward<K>(key), std::forward<V>(written));
        if constexpr (std::is_nothrow_assignable_v<T&, V> || !std::is_nothrow_move_assignable_v<T>)
            value(slot) = std::forward<V>(written);
        else
            value(slot) = T(std::forward<V>(written)); // or a throw would leave half a value
        stamp(slot);
        return {slot, false, InsertKind::fresh};
    }
    SLOTWISE_CONVERSIONS_END
    /// Inserts the key by insert(), if it is no member.
    template <class K, class Insert>
    constexpr InsertOutcome do_insert(const K& key, Insert&& insert) {
        const InsertInfo info = prepare(key);
        const auto result = insert();
        const InsertOutcome outcome{result.it.slot(), result.inserted, result.kind};
        if (result.inserted) finish_insert(outcome, info);
        return outcome;
    }
    /// The result of a writer's call.
    constexpr insert_result result(const InsertOutcome& of) const noexcept {
        return {{std::addressof(store_), of.slot}, of.inserted, of.kind};
    }
    /// The value of a member. It does not read the version, which would be another cache miss.
    constexpr auto& value(slot_t slot) noexcept { return ColumnAccess::values(store_)[slot]; }
    /// The element in `slot` is about to be written. If every member has a value, the old stamp is not read: one cache miss
    /// less before the next write (20 -> 15 ns at 1e5 keys).
    SLOTWISE_ALWAYS_INLINE constexpr void stamp(slot_t slot) noexcept {
        auto& times = times_of(store_);
        auto& tracker = tracker_of(store_);
        const Time now = tracker.window();
        notification_.whole.tick(now);
        if (unset_ == 0) [[likely]]
            tracker.touch_valid(slot);
        else {
            const bool was_valid = times.valid(slot);
            tracker.touch(slot, was_valid);
            unset_ -= !was_valid;
        }
        times.stamp(slot, now);
        notification_.elements.mark(slot);
    }
    /// @throws where series nest, what the allocator throws; nothing has changed then
    constexpr void remove_slot(slot_t slot) noexcept(!nests) {
        const bool watched = watch_removal(slot);
        before_remove(slot);
        store_.erase(store_.handle_at(slot));
        notification_.changed_keys(slot, window());
        if (watched) notification_.elements.mark_always(slot);
    }
    /// @throws as remove_slot
    constexpr void remove_all() noexcept(!nests) {
        if constexpr (nests) {
            bool any = false;
            for (const slot_t slot : store_.live_slots())
                any = any || SeriesAccess::state(store_.value(slot)).any_subscribers();
            if (any) { // before the first of them is marked, because it may throw
                cover();
                for (const slot_t slot : store_.live_slots())
                    if (watch_removal(slot)) notification_.elements.mark_always(slot);
            }
        }
        notification_.whole.tick(window());
        if (store_.empty()) return;
        store_.occupancy().for_each([this](slot_t slot) {
            before_remove(slot);
            notification_.elements.mark(slot);
        });
        store_.clear();
        notification_.keys.tick(window());
    }
    /// The element in `slot` has no value any more.
    constexpr void unstamp(slot_t slot) noexcept {
        const bool was_valid = times().valid(slot);
        tracker_of(store_).invalidate(slot, was_valid);
        times_of(store_).stamp(slot, never);
        unset_ += was_valid;
        notification_.changed(slot, window());
    }
    /// Makes the series as if it had never been written: no members, no times. Deltas of the window are relative to that.
    /// @throws as remove_slot
    constexpr void invalidate_all() noexcept(!nests) {
        if (notification_.whole.last != never) remove_all();
        tracker_of(store_).invalidate_all();
        notification_.keys.invalidate();
        notification_.whole.invalidate();
    }
    /// Room for `more` elements in slots, index and marks of subscribers. Many small steps would copy each time: slots grow by
    /// an eighth of those in use at least, and the index has room for as many entries as there are slots.
    constexpr void reserve_for(std::size_t more) {
        if (more == 0) return;
        const std::size_t unusable = store_.pending() + store_.retired(), used = store_.size() + unusable;
        const std::size_t most = Store::max_size() - used, amortised = used / 8 < most ? used / 8 : most;
        if (more > store_.capacity() - used) store_.reserve(store_.size() + (more < amortised ? amortised : more));
        store_.reserve(store_.capacity() - unusable); // the index; slots may have been rounded up
        auto& subscribers = notification_.elements;
        if (!subscribers.unused()) subscribers.cover(store_.capacity(), store_.hash_function(), store_.key_eq());
    }

    //=== snapshots ===//

    /// The keyed container, the times of the whole, and the changes of the open window.
    template <class Codec>
    std::vector<std::byte> to_bytes(Codec& codec) const {
        std::vector<slot_t> touched; // in the order of a dirty list
        for (const slot_t slot : tracker().touched(window()))
            if (is_stored(store_, slot)) touched.push_back(slot); // rolled-back inserts are left out
        ByteWriter out;
        out.number(magic);
        out.number(std::uint64_t{0}); // the size of the container, which is known then
        const std::size_t first = out.written().size();
        append_store(store_, out, touched.size() * (sizeof(slot_t) + 1) + Seal::room, codec);
        out.overwrite(first - sizeof(std::uint64_t), std::uint64_t{out.written().size() - first});
        codec.write(window(), out);
        codec.write(notification_.whole.last, out);
        if constexpr (has_values) codec.write(notification_.keys.last, out);
        out.number(static_cast<std::uint8_t>((tracker().in_slot_order() ? 1 : 0) | (tracker().words().invalidated ? 2 : 0)));
        out.number(static_cast<std::uint32_t>(touched.size()));
        for (const slot_t slot : touched) {
            out.number(slot);
            out.number(static_cast<std::uint8_t>(tracker().opening_flags(slot)));
        }
        return Seal::close<Codec>(out, {{ElementRole::time, type_tag<Codec, Time>()}});
    }
    /// Every byte is checked before anything changes. Returns the error, or null. @throws what allocator and codec throw
    template <class Codec>
    const char* try_restore(std::span<const std::byte> bytes, Codec& codec) {
        const ElementTag time{ElementRole::time, type_tag<Codec, Time>()};
        if (const char* const wrong = Seal::open<Codec>(bytes, magic, {time})) return wrong;
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != magic) return "snapshot: these bytes are not a snapshot of such a series";
        const auto size = in.number<std::uint64_t>();
        if (size > in.left()) return "snapshot: the bytes end too early";
        Store fresh = empty_store();
        if (const char* error = store_from_bytes(fresh, in.raw(static_cast<std::size_t>(size)), codec)) return error;
        const Time opened = codec.template read<Time>(in), last = codec.template read<Time>(in);
        Time keys_last = last;
        if constexpr (has_values) keys_last = codec.template read<Time>(in);
        const auto sane = [&](const Time& at) { return at == never || (is_time(at) && !(opened < at)); };
        if (in.error() != nullptr) return in.error();
        if (!sane(opened) || !sane(last) || !sane(keys_last)) return "snapshot: a time is later than the window";
        if (last < keys_last) return "snapshot: a time is later than that of the whole series";
        const auto& stored = times_of(fresh);
        bool sound = true;
        for_each_stored(fresh, [&](slot_t slot) { // what was invalidated is older than its removed elements
            const bool live = fresh.occupancy().test(slot);
            sound = sound && sane(stored.at(slot)) && !(live && last < stored.at(slot));
        });
        if (!sound) return "snapshot: a time is later than the window, or than that of the whole series";
        if (const char* error = read_changes(fresh, opened, in)) return error;
        if (!nested_agree(fresh, opened)) return "snapshot: the times of a nested series and of its element disagree";
        if (in.error() != nullptr) return in.error();
        if (in.left() != 0) return "snapshot: there are more bytes than the state needs";
        take_contents(fresh, last, keys_last);
        return nullptr;
    }

    //=== checks ===//

    /// Whether `slot` of a store holds an element, or one that was removed in the open window.
    static constexpr bool is_stored(const Store& store, slot_t slot) noexcept {
        const Occupancy live = store.occupancy(); // the bit of most elements says it
        if (slot < live.size() && live.test(slot)) return true;
        const SlotState state = store.state(slot);
        return state == SlotState::live || state == SlotState::pending;
    }
    template <class F>
    static constexpr void for_each_stored(const Store& store, F&& f) {
        for (slot_t slot = 0; slot < store.occupancy().size(); ++slot)
            if (is_stored(store, slot)) f(slot);
    }
    /// A nested series ticks when its element does, and its window is not ahead.
    static constexpr bool nested_agree([[maybe_unused]] const Store& store, [[maybe_unused]] Time window) {
        bool agree = true;
        if constexpr (nests)
            for_each_stored(store, [&](slot_t slot) {
                const auto& nested = store.value(slot);
                const bool live = store.state(slot) == SlotState::live;
                agree = agree && !(window < nested.window()) && (!live || nested.last_modified() == times_of(store).at(slot));
            });
        return agree;
    }
    constexpr bool check_invariants() const {
        bool sound = store_.check_invariants() && tracker().check_invariants(store_.occupancy());
        for_each_stored(store_, [&](slot_t slot) {
            const Time time = times().at(slot);
            sound = sound && (time == never || !(window() < time));
            // An element that was removed or written in this window was touched in it.
            if (store_.state(slot) == SlotState::pending || (time == window() && time != never))
                sound = sound && tracker().was_touched(slot, window());
        });
        return sound && !(window() < notification_.whole.last) && unset_ == count_unset() && nested_agree(store_, window());
    }

private:
    constexpr SeriesState(const SeriesState& other, Store&& copy)
        : store_(std::move(copy)), notification_(other.notification_, store_.get_allocator()), unset_(other.unset_),
          exhausted_(other.exhausted_) {
        other.expect_closed();
    }
    constexpr SeriesState(SeriesState&& other, Subscribers&& subscribers,
                          Store&& store) noexcept(std::is_nothrow_move_constructible_v<Store>)
        : store_(std::move(store)), notification_(std::move(other.notification_), std::move(subscribers)), unset_(other.unset_),
          exhausted_(other.exhausted_) {
        other.expect_closed();
        other.forget_times();
    }
    constexpr Allocator allocator() const noexcept { return store_.get_allocator(); }

    template <class K, class V>
    SLOTWISE_NEVER_INLINE InsertOutcome set_new(K&& key, V&& written) {
        const auto outcome =
            do_insert(key, [&] { return store_.insert_or_assign(std::forward<K>(key), std::forward<V>(written)); });
        stamp(outcome.slot);
        return outcome;
    }

    /// "SLD1" for dictionaries, "SLS1" for sets.
    static constexpr std::uint32_t magic = has_values ? 0x3144'4C53u : 0x3153'4C53u;

    /// Another container of this kind, without elements.
    Store empty_store() const {
        if constexpr (requires { store_.like(); })
            return store_.like();
        else
            return Store(store_.hash_function(), store_.key_eq(), store_.get_allocator());
    }
    /// Reads the changed slots of the window into the tracker of a series that is being restored. Returns the error, or null.
    static const char* read_changes(Store& store, const Time& window, ByteReader& in) {
        const auto& times = times_of(store);
        auto& tracker = tracker_of(store);
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
            if (!is_stored(store, slot) || tracker.was_touched(slot, window))
                return "snapshot: the list of changed slots has a vacant slot, or a slot twice";
            // Only live slots were valid. A stored slot has no ended element.
            if (flags > 15 || (flags & 3) == 1 || (flags & 4) != 0)
                return "snapshot: the flags of a changed slot are impossible";
            tracker.restore_opening(slot, flags);
        }
        if ((flags_of_window & 2) != 0) tracker.restore_invalidated();
        bool sound = true;
        for_each_stored(store, [&](slot_t slot) {
            const bool now = !store.occupancy().test(slot) || (times.at(slot) == window && window != never);
            sound = sound && (!now || tracker.was_touched(slot, window));
        });
        if (!sound) return "snapshot: a slot was changed in the window and is not in the list of changed slots";
        for_each_stored(store, [&](slot_t slot) { // a key that got another slot has handed its opening state on
            const bool superseded = !store.occupancy().test(slot) && store.slot_of_any(store.key(slot)) != slot;
            sound = sound && (!superseded || (tracker.opening_flags(slot) & 1) != 0);
        });
        return sound ? nullptr : "snapshot: a removed key that has another slot now was a member in both";
    }

    constexpr void roll(Time time) {
        auto& subscribers = notification_.elements;
        if (!subscribers.unused()) store_.for_each_pending([&](slot_t slot) { subscribers.drop(slot); });
        store_.flush_removed();
        tracker_of(store_).open(time);
        notification_.next_window();
        exhausted_ = false;
    }
    /// Makes room to mark slots as changed, here and in the series around this one. @throws what the allocator throws
    void cover() {
        notification_.elements.cover(store_.capacity(), store_.hash_function(), store_.key_eq());
        notification_.cover_parent();
    }
    /// The element in `slot` is about to be removed. Whether subscribers of a series in it will be notified.
    /// @throws what the allocator throws; nothing has changed then
    constexpr bool watch_removal([[maybe_unused]] slot_t slot) noexcept(!nests) {
        if constexpr (nests) {
            auto& child = SeriesAccess::state(store_.value(slot));
            if (!child.any_subscribers()) return false;
            cover();
            return child.removal_watched_ = true;
        } else
            return false;
    }
    /// Notifies the subscribers that the contents were replaced.
    constexpr void announce_replaced() noexcept {
        notification_.elements.end_elements(window());
        notification_.announce(TickKind::replaced);
        notify();
    }
    /// All writers of the nested series in `slot` have closed.
    static void nested_closed(void* series, slot_t slot) noexcept {
        auto& s = *static_cast<SeriesState*>(series);
        auto& child = SeriesAccess::state(s.store_.value(slot));
        if (child.notification().whole.changed && s.store_.state(slot) == SlotState::live) {
            if (child.tracker().words().invalidated) s.unstamp(slot);
            if (child.notification().whole.last != never) s.stamp(slot);
        }
        // Its subscribers are notified with those of this series. The slot was covered when the writer opened, or when the
        // first subscriber was added. If nothing has changed, the slot is not marked, or subscribers of the element would be
        // notified.
        if (!child.notification().has_subscribers())
            child.notify();
        else if (child.notification().has_pending_notification())
            s.notification_.elements.mark_always(slot);
        s.close_writer();
    }

    /// What must be known about a key before its insert, because finding it out may throw.
    struct InsertInfo {
        bool watched = false;
        slot_t removed = no_slot; // where the key was removed in this window; it gets another slot if this has no version left
        Time added_time = never;  // when a set's member was added, if it was a member when the window opened
    };
    template <class K>
    constexpr InsertInfo prepare(const K& key) {
        InsertInfo result;
        // The index has the element of this key that was removed last. Earlier ones have handed their opening state on to it.
        if ((!has_values || nests || exhausted_) && store_.pending() != 0) {
            const slot_t slot = store_.slot_of_any(key);
            if (slot != no_slot && store_.state(slot) == SlotState::pending) {
                result.removed = slot;
                if constexpr (!has_values)
                    if (was_live(slot)) result.added_time = times().at(slot);
                if constexpr (nests)
                    if (SeriesAccess::state(store_.value(slot)).writers() != 0) throw_removed_but_written();
            }
        }
        auto& subscribers = notification_.elements;
        if (!subscribers.unused()) {
            const bool full = store_.size() + store_.pending() + store_.retired() == store_.capacity();
            const slot_t home = full ? store_.slot_of_any(key) : no_slot;
            const bool ended =
                Store::options.exhaustion == Exhaustion::retire && home != no_slot &&
                store_.explain(typename Store::handle_type(home, Store::handle_type::max_version)) == HandleStatus::pending;
            if (full && (home == no_slot || ended)) reserve_for(1);
            subscribers.cover(store_.capacity(), store_.hash_function(), store_.key_eq());
            result.watched = subscribers.is_watched(key);
        }
        return result;
    }
    constexpr bool was_live(slot_t slot) const noexcept { return (tracker().opening_flags(slot) & 1) == 0; }
    constexpr void finish_insert(const InsertOutcome& outcome, const InsertInfo& info) noexcept {
        const slot_t slot = outcome.slot;
        if (outcome.kind == InsertKind::fresh && info.removed != no_slot) {
            if (was_live(info.removed)) tracker_of(store_).inherit(info.removed, slot);
            if constexpr (nests)
                auto gone = std::move(store_.value(info.removed)); // with its subscribers, as if it stayed in place
        }
        if (info.watched) notification_.elements.watch(slot);
        if constexpr (has_values)
            ++unset_; // until it is written
        else
            times_of(store_).stamp(slot, info.added_time != never ? info.added_time : window());
        notification_.changed_keys(slot, window());
    }
    constexpr void before_remove(slot_t slot) noexcept {
        const bool was_valid = times().valid(slot);
        tracker_of(store_).touch(slot, was_valid);
        unset_ -= !was_valid;
        exhausted_ = exhausted_ || store_.handle_at(slot).version() == Store::handle_type::max_version;
    }

    constexpr void adopt_times(Time last, Time keys_last) noexcept {
        exhausted_ = store_.pending() != 0; // perhaps
        unset_ = count_unset();
        notification_.set_times(last, keys_last);
        notification_.next_window();
    }
    constexpr void recount() noexcept {
        if (window() < notification_.whole.last) forget_times();
        unset_ = count_unset();
        exhausted_ = store_.pending() != 0;
    }
    constexpr void forget_times() noexcept {
        notification_.set_times(never, never);
        unset_ = 0;
        exhausted_ = false;
    }
    constexpr std::size_t count_unset() const noexcept {
        std::size_t count = 0;
        for (const slot_t slot : store_.live_slots()) count += !times().valid(slot);
        return count;
    }

    Store store_{};
    Notification notification_{};
    std::size_t unset_ = 0; // members without a value
    std::uint32_t writers_ = 0;
    bool exhausted_ = false;       // in this window an element was removed whose slot has no version left
    bool removal_watched_ = false; // our element was removed: the next notification of it is that
    template <class, class>
    friend class SeriesState; // of series inside
};

} // namespace detail
SLOTWISE_END

#endif
