// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesState: the keyed container of a series, its windows, and the steps by which both change.
#ifndef SLOTWISE_SERIES_SERIES_STATE_HPP
#define SLOTWISE_SERIES_SERIES_STATE_HPP

#include "delta.hpp"
#include "series_errors.hpp"
#include "series_notification.hpp"
#include "series_store.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What TSSStorage and TSDStorage hold. @tparam Store a SeriesSet or SeriesMap
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
    /// Over a container without elements.
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
        if (OwnColumns::has_dynamic_observers(store_)) {
            const auto* const before = tracker_of(from).words().live;
            ScopeGuard empty([&]() noexcept { // an observer has thrown when the contents were exchanged
                if (tracker_of(from).words().live == before) return;
                store_.reset();
                forget_times();
                for (std::size_t word = 0; word != watched.size(); ++word) watched[word] = 0;
                exchanged();
                subscribers.end_elements(window());
            });
            OwnColumns::adopt(store_, from);
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

    constexpr Store& store() noexcept { return store_; }
    constexpr const Store& store() const noexcept { return store_; }
    constexpr Notification& notification() noexcept { return notification_; }
    constexpr const Notification& notification() const noexcept { return notification_; }
    template <class S>
    static constexpr auto& times_of(S& store) noexcept {
        return OwnColumns::get<Times>(store);
    }
    template <class S>
    static constexpr auto& tracker_of(S& store) noexcept {
        return OwnColumns::get<Tracker>(store);
    }
    constexpr const auto& times() const noexcept { return times_of(store_); }
    constexpr ColumnView<const Time> stamps() const noexcept { return OwnColumns::view<Times>(store_); }
    constexpr const auto& tracker() const noexcept { return tracker_of(store_); }
    constexpr Time window() const noexcept { return tracker().window(); }
    /// Members that were never written.
    constexpr std::size_t unset() const noexcept { return unset_; }

    //=== windows ===//

    /// A writer of window `time` opens. @param late a time before the open window joins that
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
    /// A writer of a nested series keeps us open.
    constexpr void retain() noexcept { ++writers_; }
    /// A writer closes. After the last one the outermost series notifies its subscribers.
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
    /// A writer of the nested series in `slot`, in our window. It keeps ours open.
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
    /// Notifies the subscribers, those of nested series too. The outer call handles a subscriber that writes meanwhile.
    /// @param parent_round as SeriesNotification::notify
    constexpr void notify(std::uint64_t parent_round = 0) noexcept {
        notification_.notify(window(), parent_round, SeriesElements<SeriesState>{*this});
    }
    /// Whether we or series inside have subscribers. Looks at each of those.
    constexpr bool any_subscribers() const noexcept {
        bool any = notification_.has_subscribers();
        if constexpr (nests)
            for (auto it = store_.live_slots().begin(); !any && it != store_.live_slots().end(); ++it)
                any = SeriesAccess::state(store_.value(*it)).any_subscribers();
        return any;
    }
    /// Whether subscribers must hear that our element was removed. Asked once.
    constexpr bool take_removal() noexcept { return std::exchange(removal_watched_, false); }
    /// Our element was removed: notifies all subscribers, those of series inside first.
    constexpr void notify_removed(Time time, std::uint64_t parent_round) noexcept {
        if constexpr (nests)
            for (const slot_t slot : store_.live_slots())
                SeriesAccess::state(store_.value(slot)).notify_removed(time, parent_round);
        notification_.announce(TickKind::removed);
        notification_.notify(time, parent_round, SeriesElements<SeriesState>{*this});
    }

    //=== changes; the window is open ===//

    /// Inserts the key by insert(), if it is no member.
    template <class K, class Insert>
    constexpr InsertOutcome do_insert(const K& key, Insert&& insert) {
        const InsertInfo info = prepare(key);
        const auto result = insert();
        const InsertOutcome outcome{result.it.slot(), result.inserted, result.kind};
        if (result.inserted) finish_insert(outcome, info);
        return outcome;
    }
    /// As writers report it.
    constexpr insert_result result(const InsertOutcome& of) const noexcept {
        return {{std::addressof(store_), of.slot}, of.inserted, of.kind};
    }
    /// The value of a member, without a look at the version, which is far away.
    constexpr auto& value(slot_t slot) noexcept { return OwnColumns::values(store_)[slot]; }
    /// The element in `slot` is about to be written. If every member has a value, the old stamp is not read: one cache miss
    /// less before the next write (20 -> 15 ns at 1e5 keys).
    SLOTWISE_ALWAYS_INLINE constexpr void stamp(slot_t slot) noexcept {
        auto& times = times_of(store_);
        const Time now = window();
        if (unset_ == 0) [[likely]]
            tracker_of(store_).touch_valid(slot);
        else {
            const bool was_valid = times.valid(slot);
            tracker_of(store_).touch(slot, was_valid);
            unset_ -= !was_valid;
        }
        times.stamp(slot, now);
        notification_.whole.tick(now);
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
        notification_.whole.tick(window());
        notification_.elements.mark(slot);
    }
    /// As if it had never been written: no members, no times. Deltas of the window are relative to that. @throws as remove_slot
    constexpr void invalidate_all() noexcept(!nests) {
        if (notification_.whole.last != never) remove_all();
        tracker_of(store_).invalidate_all();
        notification_.keys.invalidate();
        notification_.whole.invalidate();
    }
    /// Room for `more` elements and some others, because many small steps would copy again and again.
    constexpr void reserve_for(std::size_t more) {
        const std::size_t used = store_.size() + store_.pending() + store_.retired(), most = Store::max_size() - used;
        if (more <= store_.capacity() - used) return;
        const std::size_t amortised = used / 8 < most ? used / 8 : most;
        store_.reserve(store_.size() + (more < amortised ? amortised : more));
    }

    //=== checks ===//

    /// Whether `slot` of a store holds an element, or one that was removed in the open window.
    static constexpr bool is_stored(const Store& store, slot_t slot) noexcept {
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

    constexpr void roll(Time time) {
        auto& subscribers = notification_.elements;
        if (!subscribers.unused()) store_.for_each_pending([&](slot_t slot) { subscribers.drop(slot); });
        store_.flush_removed();
        tracker_of(store_).open(time);
        notification_.next_window();
        exhausted_ = false;
    }
    /// Our slots can be marked as changed, and so can we. @throws what the allocator throws
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
    /// The contents are others: subscribers are notified of that.
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
        // Its subscribers are notified with ours. The slot was covered when the writer opened, or when the first subscriber was
        // added. If nothing has changed, the slot is not marked: subscribers of our element would be notified too.
        if (!child.notification().has_subscribers())
            child.notify();
        else if (child.notification().has_pending_notification())
            s.notification_.elements.mark_always(slot);
        s.close_writer();
    }

    /// What must be known about a key before its insert, because finding it out may throw.
    struct InsertInfo {
        bool watched = false;
        slot_t removed =
            no_slot; // the slot of the key removed in this window; if the key gets another slot, this one has no version left
        Time added_time = never; // when a set's member was added, if it was a member when the window opened
    };
    template <class K>
    constexpr InsertInfo prepare(const K& key) {
        InsertInfo result;
        // The index has the element of this key that was removed last. The ones before it handed on their state.
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
