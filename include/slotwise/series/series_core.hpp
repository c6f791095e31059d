// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesCore: what TSSStorage and TSDStorage share: a keyed container over windows of time.
#ifndef SLOTWISE_SERIES_SERIES_CORE_HPP
#define SLOTWISE_SERIES_SERIES_CORE_HPP

#include "delta_tracker.hpp"
#include "observer_array.hpp"
#include "series_parts.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of TSSStorage and TSDStorage. @tparam Store SetStorage or MapStorage with deferred erase whose first columns are a
/// TimeArray and a DeltaTracker
template <class Store, class Time>
class SeriesCore : public SeriesTag {
    static constexpr bool Dict = requires { typename Store::mapped_type; }; // keys tick apart from the whole
    static constexpr bool nests = requires { requires is_series<typename Store::mapped_type>; };
    using Key = typename Store::key_type;
    using Hash = typename Store::hasher;
    using Equal = typename Store::key_equal;
    using Allocator = typename Store::allocator_type;
    using Subscribers = ObserverArray<Key, Time, Hash, Equal, Allocator>;

public:
    //=== types ===//

    using key_type = Key;
    using time_type = Time;
    using hasher = Hash;
    using key_equal = Equal;
    using allocator_type = Allocator;
    using handle_type = typename Store::handle_type;
    using size_type = std::size_t;
    using const_iterator = typename Store::const_iterator;
    using iterator = const_iterator; // elements are written through writers only
    using subscriber_type = SeriesSubscriber<Time>;
    using subscription_type = Subscription<Time>;
    static constexpr Time never = TimeTraits<Time>::never();

    //=== size and membership ===//

    /// Members: keys that live now.
    constexpr size_type size() const noexcept { return store_.size(); }
    constexpr bool empty() const noexcept { return store_.empty(); }
    /// Slots there is memory for; those removed in the open window take room too.
    constexpr size_type capacity() const noexcept { return store_.capacity(); }
    /// Room for `count` members and what is removed now. @throws as KeySet::reserve; strong
    constexpr void reserve(size_type count) { store_.reserve(count); }
    /// Gives memory back from the end. @throws as KeySet::shrink_to_fit; strong
    constexpr void shrink_to_fit() { store_.shrink_to_fit(); }
    constexpr allocator_type get_allocator() const noexcept { return store_.get_allocator(); }
    /// What decides which keys are one; compose() and equal_deltas() take both.
    constexpr const Hash& hash_function() const noexcept { return store_.hash_function(); }
    constexpr const Equal& key_eq() const noexcept { return store_.key_eq(); }
    /// Whether `key` is a member. @throws what hash and equality throw @complexity O(1) expected
    template <class K = Key>
    constexpr bool contains(const K& key) const {
        return slot_of(key) != no_slot;
    }
    constexpr bool contains(handle_type handle) const noexcept { return store_.contains(handle); }
    /// The slot of the member, or no_slot.
    template <class K = Key>
    constexpr slot_t slot_of(const K& key) const {
        return store_.slot_of(key);
    }
    template <class K = Key>
    constexpr handle_type handle_of(const K& key) const {
        return store_.handle_of(key);
    }
    constexpr handle_type handle_at(slot_t slot) const noexcept { return store_.handle_at(slot); }
    /// live, pending (removed in the open window, still readable) or free.
    constexpr SlotState state(slot_t slot) const noexcept { return store_.state(slot); }
    constexpr HandleStatus explain(handle_type handle) const noexcept { return store_.explain(handle); }
    /// The key in `slot`. @pre live or pending
    constexpr const Key& key(slot_t slot) const noexcept { return store_.key(slot); }
    constexpr SlotRange slots() const noexcept { return store_.slots(); }
    constexpr Occupancy occupancy() const noexcept { return store_.occupancy(); }
    /// Slots removed in the open window.
    constexpr size_type pending() const noexcept { return store_.pending(); }

    //=== iteration and columns ===//

    /// Keys, or items that bind as auto [key, value], in slot order.
    constexpr const_iterator begin() const noexcept { return store_.begin(); }
    constexpr const_iterator end() const noexcept { return store_.end(); }
    /// The element with this key, or end().
    template <class K = Key>
    constexpr const_iterator find(const K& key) const {
        return store_.find(key);
    }
    /// Calls f(key) or f(handle, key), of a dictionary f(key, value) or f(handle, key, value), for every element in slot order.
    template <class F>
    constexpr void for_each(F&& f) const {
        store_.for_each(std::forward<F>(f));
    }
    /// Further static observer number I, and as a column by slot.
    template <std::size_t I>
    constexpr const auto& observer() const noexcept {
        return store_.template observer<I + 2>();
    }
    template <std::size_t I>
    constexpr auto& observer() noexcept {
        return store_.template observer<I + 2>();
    }
    template <std::size_t I>
    constexpr auto column() const noexcept {
        return store_.template column<I + 2>();
    }

    //=== time ===//

    /// The open window; `never` before the first.
    constexpr Time window() const noexcept { return tracker().window(); }
    /// Whether it was ever written: also an empty set is a value, once it was touched.
    constexpr bool valid() const noexcept { return last_modified() != never; }
    /// When it was last written; `never` before.
    constexpr Time last_modified() const noexcept { return whole_.last; }
    /// Whether it was last written at exactly `time`.
    constexpr bool modified(Time time) const noexcept { return time != never && last_modified() == time; }
    /// Whether the key is a member that was ever written. @throws what hash and equality throw
    template <class K>
    constexpr bool valid(const K& key) const {
        return last_modified(key) != never;
    }
    /// When the member was last written; `never` if it is none, or has no value yet.
    template <class K>
    constexpr Time last_modified(const K& key) const {
        const slot_t slot = slot_of(key);
        return slot == no_slot ? never : times().at(slot);
    }
    template <class K>
    constexpr bool modified(const K& key, Time time) const {
        return time != never && last_modified(key) == time;
    }
    /// Members that were ever written. @complexity O(1)
    constexpr size_type count_valid() const noexcept { return size() - unset_; }
    /// Time stamps as a column: what exporters see. Never written is the lowest value, which 64-bit times show as NaT.
    constexpr ColumnView<const Time> stamps() const noexcept { return store_.template column<0>(); }
    /// The same by slot, those of removed elements too.
    constexpr const auto& times() const noexcept { return store_.template observer<0>(); }

    //=== deltas ===//

    /// Whether the key became a member in window `time`; false unless that is the open one. @throws as contains()
    template <class K>
    constexpr bool was_added(const K& key, Time time) const {
        return tracker().current(time) && tracker().was_added(slot_of(key), time);
    }
    /// Whether the key was a member when window `time` opened, and is not now.
    template <class K>
    constexpr bool was_removed(const K& key, Time time) const {
        return tracker().current(time) && tracker().was_removed(store_.slot_of_any(key), time);
    }
    /// What finds the changed slots. Its own ranges give slots.
    constexpr const auto& tracker() const noexcept { return store_.template observer<1>(); }

    //=== subscribers ===//

    /// Tells `subscriber` of every window in which this is written. Subscribing changes nothing that const readers see, but
    /// must not run beside them. @throws std::bad_alloc; strong
    [[nodiscard]] subscription_type subscribe(subscriber_type& subscriber) const { return subscribe_to(whole_, subscriber); }
    /// Tells `subscriber` of every window in which the key is added, written or removed; it need not exist.
    /// @throws what allocators, Key's copy, hash and equality throw; strong
    [[nodiscard]] subscription_type subscribe(const Key& key, subscriber_type& subscriber) const
        requires std::copy_constructible<Key>
    {
        cover_parent();
        return subscribers_.subscribe(key, store_.slot_of_any(key), subscriber, store_.hash_function(), store_.key_eq());
    }
    /// The same for the element in `slot`, until the window rolls in which it was removed (of which it hears). One that is
    /// removed and comes back under its key in one window keeps it.
    /// @throws std::out_of_range when none lives there, what allocators throw; strong
    [[nodiscard]] subscription_type subscribe_slot(slot_t slot, subscriber_type& subscriber) const {
        if (store_.state(slot) != SlotState::live)
            throw_out_of_range("series subscribe_slot(slot): no element lives there; subscribe to a key to wait for one");
        cover_parent();
        return subscribers_.subscribe_slot(slot, subscriber, store_.hash_function(), store_.key_eq());
    }

    //=== whole ===//

    /// The exact state as bytes, also in the middle of a window: restored, it has the same slots, handles, times and deltas,
    /// and gives the same for the same calls. (Under DeltaRepresentation::adaptive the number of changes from which on they
    /// come in slot order depends on the capacity, which is not written.) Further columns are written, subscribers are not. The
    /// same state gives the same bytes. @param codec how keys, values and times become bytes; see DefaultCodec for the types
    /// that need none, dropping() for columns that stay behind
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        out.number(magic);
        const auto inner = store_.snapshot(SeriesCodec<Codec>{codec});
        out.number(std::uint64_t{inner.size()});
        out.raw(inner.data(), inner.size());
        codec.write(window(), out);
        codec.write(whole_.last, out);
        if constexpr (Dict) codec.write(keys_.last, out);
        out.number(static_cast<std::uint8_t>(tracker().in_slot_order()));
        std::vector<slot_t> touched; // in the order in which a dirty list has them
        for (const slot_t slot : tracker().touched(window()))
            if (is_stored(store_, slot)) touched.push_back(slot); // nothing can be said of an insert that was rolled back
        out.number(static_cast<std::uint32_t>(touched.size()));
        for (const slot_t slot : touched) {
            out.number(slot);
            out.number(static_cast<std::uint8_t>(tracker().opening_flags(slot)));
        }
        return out.take();
    }
    /// Replaces the contents by a snapshot's. Every byte is checked before anything changes, and bytes that snapshot() of such
    /// a series, of whatever DeltaRepresentation, would not write are refused. Subscribers stay (those to slots go), and are
    /// not told. @pre no writer is open @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) throw_invalid_argument(error);
    }
    /// As restore; returns what is wrong instead of throwing it, null when all is well. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        expect_closed();
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != magic) return "snapshot: these bytes are not a snapshot of such a series";
        const auto size = in.number<std::uint64_t>();
        if (size > in.left()) return "snapshot: the bytes end too early";
        Store fresh(store_.hash_function(), store_.key_eq(), store_.get_allocator());
        if (const char* error = fresh.try_restore(in.raw(static_cast<std::size_t>(size)), SeriesCodec<Codec>{codec}))
            return error;
        const Time window = codec.template read<Time>(in), last = codec.template read<Time>(in);
        Time keys_last = last;
        if constexpr (Dict) keys_last = codec.template read<Time>(in);
        const auto sane = [&](const Time& time) { return time == never || (is_time(time) && !(window < time)); };
        if (in.error() != nullptr) return in.error();
        if (!sane(window) || !sane(last) || !sane(keys_last)) return "snapshot: a time is later than the window";
        if (last < keys_last) return "snapshot: a time is later than that of the whole series";
        const auto& times = fresh.template observer<0>();
        bool sound = true;
        for_each_stored(fresh, [&](slot_t slot) { sound = sound && sane(times.at(slot)) && !(last < times.at(slot)); });
        if (!sound) return "snapshot: a time is later than the window, or than that of the whole series";
        if (const char* error = read_changes(fresh, times, fresh.template observer<1>(), window, in)) return error;
        if (!nested_agree(fresh, window)) return "snapshot: the times of a nested series and of its element disagree";
        if (in.error() != nullptr) return in.error();
        if (in.left() != 0) return "snapshot: there are more bytes than the state needs";
        take_contents(fresh, last, keys_last);
        return nullptr;
    }

    /// Whether container, times and deltas agree in full; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const {
        bool sound = store_.check_invariants() && tracker().check_invariants(occupancy());
        for_each_stored(store_, [&](slot_t slot) {
            const Time time = times().at(slot);
            sound = sound && (time == never || !(window() < time));
            // What was removed or written in this window was touched in it.
            if (state(slot) == SlotState::pending || (time == window() && time != never))
                sound = sound && tracker().was_touched(slot, window());
        });
        return sound && !(window() < last_modified()) && unset_ == count_unset() && nested_agree(store_, window());
    }

protected:
    static constexpr std::uint32_t magic = Dict ? 0x3144'4C53u : 0x3153'4C53u; // "SLD1", "SLS1"

    constexpr SeriesCore() = default;
    constexpr explicit SeriesCore(const Allocator& alloc) : store_(alloc), subscribers_(alloc) {}
    constexpr SeriesCore(const Hash& hash, const Equal& equal, const Allocator& alloc)
        : store_(hash, equal, alloc), subscribers_(alloc) {}
    constexpr SeriesCore(const SeriesCore& other) : SeriesCore(other, Store(other.store_)) {}
    constexpr SeriesCore(const SeriesCore& other, const Allocator& alloc) : SeriesCore(other, Store(other.store_, alloc)) {}
    constexpr SeriesCore(SeriesCore&& other) noexcept(std::is_nothrow_move_constructible_v<Store>)
        : SeriesCore{std::move(other), std::move(other.subscribers_), std::move(other.store_)} {}
    constexpr SeriesCore(SeriesCore&& other, const Allocator& alloc) // in this order: what throws first must not lose elements
        : SeriesCore{std::move(other), Subscribers(std::move(other.subscribers_), alloc),
                     Store(std::move(other.store_), alloc)} {}
    constexpr SeriesCore& operator=(const SeriesCore& other) {
        if (this == &other) return *this;
        expect_closed();
        other.expect_closed();
        Store copy(other.store_, propagates_on_copy<Allocator> ? other.get_allocator() : get_allocator());
        take_contents(copy, other.whole_.last, other.keys_.last);
        return *this;
    }
    constexpr SeriesCore& operator=(SeriesCore&& other) noexcept(std::is_nothrow_move_assignable_v<Store>) {
        if (this == &other) return *this;
        expect_closed();
        other.expect_closed();
        Subscribers subscribers(std::move(other.subscribers_),
                                propagates_on_move<Allocator> ? other.get_allocator() : get_allocator());
        ScopeGuard back([&]() noexcept { // a copy or a swap of hash or equality has thrown
            if (propagates_on_move<Allocator> || get_allocator() == other.get_allocator()) other.subscribers_.swap(subscribers);
        });
        store_ = std::move(other.store_);
        back.dismiss();
        whole_ = std::move(other.whole_);
        keys_ = std::move(other.keys_);
        subscribers_.swap(subscribers);
        window_number_ = other.window_number_;
        unset_ = other.unset_;
        exhausted_ = other.exhausted_;
        other.forget_times();
        return *this;
    }
    constexpr ~SeriesCore() { expect_closed(); }
    constexpr void exchange(SeriesCore& other) noexcept(noexcept(std::declval<Store&>().swap(std::declval<Store&>()))) {
        expect_closed();
        other.expect_closed();
        const bool at_once = propagates_on_swap<Allocator> || get_allocator() == other.get_allocator();
        if (at_once)
            subscribers_.swap(other.subscribers_);
        else {
            Subscribers mine(std::move(subscribers_), other.get_allocator());
            Subscribers theirs(std::move(other.subscribers_), get_allocator());
            subscribers_.swap(theirs);
            other.subscribers_.swap(mine);
        }
        // Where keys move one by one, some may be lost. A swap of hash or equality that throws has changed nothing else.
        ScopeGuard sound([&]() noexcept {
            if (at_once) return subscribers_.swap(other.subscribers_);
            recount(), other.recount();
        });
        store_.swap(other.store_);
        sound.dismiss();
        std::swap(whole_, other.whole_);
        std::swap(keys_, other.keys_);
        std::swap(window_number_, other.window_number_);
        std::swap(unset_, other.unset_);
        std::swap(exhausted_, other.exhausted_);
    }

    //=== windows ===//

    /// A writer of window `time` opens. @param late a time before the open window joins that
    constexpr void open(Time time, bool late = false) {
        if (!is_time(time)) throw_never();
        if (window() < time) {
            if (writers_ != 0) throw_newer("the open window, but a writer of that window is still open; close it first");
            if (notifying_) throw_newer("the window whose subscribers are being told; they may write to that window only");
            roll(time);
        } else if (!late && time < window())
            throw_late(time, window());
        ++writers_;
    }
    constexpr void open_within(Time time, const SeriesParent& parent) {
        open(time);
        if (writers_ == 1) parent_ = parent;
    }
    /// A writer closes. After the last one subscribers are told, by the outermost series.
    constexpr void close_writer() noexcept {
        if (--writers_ != 0) return;
        if (parent_.closed == nullptr) return notify();
        const SeriesParent parent = std::exchange(parent_, {});
        parent.closed(parent.series, parent.slot);
    }
    constexpr void roll(Time time) {
        if (!subscribers_.unused()) store_.for_each_pending([this](slot_t slot) { subscribers_.drop(slot); });
        store_.flush_removed();
        tracker_of(store_).open(time);
        ++window_number_;
        exhausted_ = false;
    }
    /// Our slots can be woken, and so can we. @throws what the allocator throws
    void cover() {
        subscribers_.cover(capacity(), store_.hash_function(), store_.key_eq());
        cover_parent();
    }
    /// While a writer is open: that the outermost series will come by to tell those who subscribe now.
    void cover_parent() const {
        if (parent_.cover != nullptr) parent_.cover(parent_.series);
    }
    [[nodiscard]] subscription_type subscribe_to(const SeriesTicker<Time>& ticker, subscriber_type& subscriber) const {
        cover_parent();
        return ticker.list.add(subscriber);
    }
    /// A writer of a nested series keeps us open.
    constexpr void retain() noexcept { ++writers_; }
    constexpr std::uint32_t writers() const noexcept { return writers_; }
    constexpr bool has_subscribers() const noexcept {
        if constexpr (Dict)
            if (!keys_.list.empty()) return true;
        return !subscribers_.unused() || !whole_.list.empty();
    }
    constexpr bool has_pending_notification() const noexcept {
        return whole_.changed || keys_.changed || subscribers_.any_marked();
    }
    constexpr void notify() noexcept {
        if (notifying_) return; // a subscriber has written: its caller goes on until there is no news
        notifying_ = true;
        do {
            if (!subscribers_.unused())
                subscribers_.notify(
                    window(), window_number_, [this](slot_t slot) { notify_nested(slot); },
                    [this](slot_t slot) -> const Key& { return store_.key(slot); });
            keys_.notify(SeriesLevel::keys, window_number_);
            whole_.notify(SeriesLevel::whole, window_number_);
        } while (has_pending_notification());
        notifying_ = false;
    }

    //=== changes; the window is open ===//

    /// What is to be known of a key before it enters, because finding it out may throw.
    struct InsertInfo {
        bool watched = false;
        slot_t removed =
            no_slot; // its key was removed in this window; if it comes in another slot, that one has no version left
        Time added_time = never; // a set's member when the window opened: it had come then
    };
    template <class K>
    constexpr InsertInfo prepare(const K& key) {
        InsertInfo result;
        // The index knows the one of this key that was removed last: those before it handed on what was known of them.
        if ((!Dict || nests || exhausted_) && pending() != 0) {
            const slot_t slot = store_.slot_of_any(key);
            if (slot != no_slot && state(slot) == SlotState::pending) {
                result.removed = slot;
                if constexpr (!Dict)
                    if (was_live(slot)) result.added_time = times().at(slot);
                if constexpr (nests)
                    if (store_.value(slot).writers() != 0) throw_removed_but_written();
            }
        }
        if (!subscribers_.unused()) {
            const bool full = size() + pending() + store_.retired() == capacity();
            const slot_t home = full ? store_.slot_of_any(key) : no_slot;
            const bool ended = Store::options.exhaustion == Exhaustion::retire && home != no_slot &&
                               store_.explain({home, handle_type::max_version}) == HandleStatus::pending;
            if (full && (home == no_slot || ended)) reserve_for(1);
            subscribers_.cover(capacity(), store_.hash_function(), store_.key_eq());
            result.watched = subscribers_.is_watched(key);
        }
        return result;
    }
    /// Room for `more` elements that are about to come, and for others: many small steps would each copy what there is.
    constexpr void reserve_for(size_type more) {
        const size_type used = size() + pending() + store_.retired(), most = Store::max_size() - used;
        if (more <= capacity() - used) return;
        const size_type amortised = used / 8 < most ? used / 8 : most;
        store_.reserve(size() + (more < amortised ? amortised : more));
    }
    constexpr bool was_live(slot_t slot) const noexcept { return (tracker().opening_flags(slot) & 1) == 0; }
    /// insert() enters the key, if it is no member.
    template <class K, class Insert>
    constexpr InsertResult do_insert(const K& key, Insert&& insert) {
        const InsertInfo info = prepare(key);
        const InsertResult result = insert();
        if (result.inserted) finish_insert(result, info);
        return result;
    }
    constexpr void finish_insert(const InsertResult& result, const InsertInfo& info) noexcept {
        if (result.kind == InsertKind::fresh && info.removed != no_slot) {
            if (was_live(info.removed)) tracker_of(store_).inherit(info.removed, result.slot);
            if constexpr (nests)
                auto gone = std::move(store_.value(info.removed)); // with its subscribers, as where it stays in place
        }
        if (info.watched) subscribers_.watch(result.slot);
        if constexpr (Dict)
            ++unset_; // until it is written
        else
            times_of(store_).stamp(result.slot, info.added_time != never ? info.added_time : window());
        changed_keys(result.slot);
    }
    constexpr void changed_keys(slot_t slot) noexcept {
        keys_.tick(window());
        whole_.tick(window());
        subscribers_.mark(slot);
    }
    /// The element in `slot` is about to be written. Where every member has a value its old stamp need not be read: one cache
    /// miss less that the next write would wait for (20 -> 15 ns at 1e5 keys).
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
        whole_.tick(now);
        subscribers_.mark(slot);
    }
    constexpr void remove_slot(slot_t slot) noexcept {
        before_remove(slot);
        store_.erase(store_.handle_at(slot));
        changed_keys(slot);
    }
    constexpr void remove_all() noexcept {
        whole_.tick(window());
        if (empty()) return;
        occupancy().for_each([this](slot_t slot) {
            before_remove(slot);
            subscribers_.mark(slot);
        });
        store_.clear();
        keys_.tick(window());
    }
    constexpr void before_remove(slot_t slot) noexcept {
        const bool was_valid = times().valid(slot);
        tracker_of(store_).touch(slot, was_valid);
        unset_ -= !was_valid;
        exhausted_ = exhausted_ || store_.handle_at(slot).version() == handle_type::max_version;
    }

    static constexpr auto& times_of(Store& store) noexcept { return store.template observer<0>(); }
    static constexpr auto& tracker_of(Store& store) noexcept { return store.template observer<1>(); }
    constexpr void expect_closed() const noexcept {
        SLOTWISE_EXPECT(writers_ == 0,
                        "series: it is moved, copied, restored or destroyed while a writer of it is open; close it first");
    }

    Store store_{};
    SeriesTicker<Time> whole_{};
    SLOTWISE_NO_UNIQUE_ADDRESS std::conditional_t<Dict, SeriesTicker<Time>, NoTicker<Time>> keys_{};
    mutable Subscribers subscribers_{};

private:
    template <class Storage>
    friend class SeriesWriter;

    constexpr SeriesCore(const SeriesCore& other, Store&& copy)
        : store_(std::move(copy)), subscribers_(store_.get_allocator()), window_number_(other.window_number_),
          unset_(other.unset_), exhausted_(other.exhausted_) {
        other.expect_closed();
        set_times(other.whole_.last, other.keys_.last);
    }
    constexpr SeriesCore(SeriesCore&& other, Subscribers&& subscribers,
                         Store&& store) noexcept(std::is_nothrow_move_constructible_v<Store>)
        : store_(std::move(store)), whole_(std::move(other.whole_)), keys_(std::move(other.keys_)),
          subscribers_(std::move(subscribers)), window_number_(other.window_number_), unset_(other.unset_),
          exhausted_(other.exhausted_) {
        other.expect_closed();
        other.forget_times();
    }
    void notify_nested([[maybe_unused]] slot_t slot) noexcept {
        if constexpr (nests) store_.value(slot).notify();
    }
    // The contents of `from`, made with the allocator that is to be ours, with these times. Strong: what may throw comes first.
    constexpr void take_contents(Store& from, Time last, Time keys_last) {
        if (!(from.get_allocator() == get_allocator())) {
            Subscribers there(std::move(subscribers_), from.get_allocator());
            subscribers_.swap(there);
        }
        if (!subscribers_.unused()) {
            subscribers_.cover(from.capacity(), store_.hash_function(), store_.key_eq());
            subscribers_.rewatch([&](const Key& key) { return from.slot_of_any(key); });
        }
        // The old contents are destroyed last: what a destructor looks at is the new ones.
        if constexpr (std::is_nothrow_move_constructible_v<Store>) {
            const Store before(std::move(store_));
            renew(store_, std::move(from));
            adopt_times(last, keys_last);
        } else {
            ScopeGuard back([&]() noexcept { // a swap of hash or equality has thrown
                if (!subscribers_.unused()) subscribers_.rewatch([&](const Key& key) { return store_.slot_of_any(key); });
            });
            store_.swap(from);
            back.dismiss();
            adopt_times(last, keys_last);
        }
    }
    constexpr void adopt_times(Time last, Time keys_last) noexcept {
        exhausted_ = pending() != 0; // perhaps
        unset_ = count_unset();
        set_times(last, keys_last);
        ++window_number_;
    }
    constexpr void set_times(Time last, [[maybe_unused]] Time keys_last) noexcept {
        whole_.last = last, whole_.changed = false;
        if constexpr (Dict) keys_.last = keys_last, keys_.changed = false;
    }
    constexpr void recount() noexcept {
        if (window() < last_modified()) forget_times();
        unset_ = count_unset();
        exhausted_ = pending() != 0;
    }
    constexpr void forget_times() noexcept {
        set_times(never, never);
        unset_ = 0, exhausted_ = false;
    }
    constexpr std::size_t count_unset() const noexcept {
        std::size_t count = 0;
        for (const slot_t slot : store_.slots()) count += !times().valid(slot);
        return count;
    }

    SeriesParent parent_{};
    std::uint64_t window_number_ = 0; // for "told once per window"
    std::size_t unset_ = 0;           // members without a value
    std::uint32_t writers_ = 0;
    bool notifying_ = false;
    bool exhausted_ = false; // in this window an element was removed whose slot cannot live again
    template <class, class>
    friend class SeriesCore;
};

} // namespace detail
SLOTWISE_END

#endif
