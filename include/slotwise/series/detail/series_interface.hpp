// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesInterface, SeriesWriter: the public members that all series share, and those that their writers share.
#ifndef SLOTWISE_SERIES_DETAIL_SERIES_INTERFACE_HPP
#define SLOTWISE_SERIES_DETAIL_SERIES_INTERFACE_HPP

#include "../../core/detail/call_form.hpp"
#include "series_state.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Whether no further column of a series can throw on insert.
template <class Observers>
inline constexpr bool inserts_nothrow = false;
template <class... Observers>
inline constexpr bool inserts_nothrow<TypeList<Observers...>> = (!insert_hook_throws<Observers> && ... && true);

/// Whether on_insert of a dynamic observer, named by a type of its own, is noexcept, or inherited and so does nothing.
template <class Observer>
inline constexpr bool on_insert_is_noexcept = [] {
    if constexpr (requires(Observer& observer) { requires noexcept(observer.on_insert(slot_t{}, InsertKind::fresh)); })
        return true;
    else if constexpr (!std::is_same_v<Observer, SlotObserver> &&
                       requires { &Observer::on_insert; }) // the base may be anything
        return std::is_same_v<decltype(&Observer::on_insert), void (SlotObserver::*)(slot_t, InsertKind)>;
    else
        return false;
}();

/// The type of the keys of a series, as deltas own them.
template <class Series>
struct KeyOfSeries {
    using type = typename Series::key_type;
};

/// CRTP base of TSSStorage, TSDStorage and the type-erased series. It holds the state.
/// @tparam Series derives from it @tparam Writer Writer<Series> is what its write() returns
template <class Store, class Time, class Series, template <class> class Writer>
class SeriesInterface : public SeriesTag {
    using State = SeriesState<Store, Time>;
    using Key = typename ArgumentsOfSeries<Store>::key;
    using Hash = typename Store::hasher;
    using Equal = typename Store::key_equal;
    using Allocator = typename Store::allocator_type;

public:
    //=== types ===//

    using key_type = Key;
    using time_type = Time;
    using hasher = Hash;
    using key_equal = Equal;
    using allocator_type = Allocator;
    /// The keyed container inside.
    using store_type = Store;
    using handle_type = typename Store::handle_type;
    using size_type = std::size_t;
    using const_iterator = typename Store::const_iterator;
    using iterator = const_iterator; // elements are written through writers only
    using subscriber_type = SeriesSubscriber<Time>;
    using subscription_type = Subscription<Time>;
    using writer = Writer<Series>;
    static constexpr Time never = State::never;

    //=== construct, copy, move ===//

    constexpr SeriesInterface() = default;
    constexpr explicit SeriesInterface(const Allocator& alloc) : state_(alloc) {}
    /// Makes an empty one with this hash and equality.
    constexpr explicit SeriesInterface(const Hash& hash, const Equal& equal = Equal(), const Allocator& alloc = Allocator())
        : state_(hash, equal, alloc) {}
    /// Copies have contents, window and deltas, but no subscribers. The target of a copy assignment keeps its subscribers, and
    /// they get a tick of TickKind::replaced. Those to slots get on_end() and are detached. Moves take everything: the source
    /// is like new then, and all former subscribers of the target get on_end(). @pre no writer is open (checked at level fast)
    constexpr SeriesInterface(const SeriesInterface&) = default;
    constexpr SeriesInterface(SeriesInterface&&) = default;
    /// Copies or moves into memory of `alloc`, for containers that pass their allocator on. With unequal allocators keys and
    /// values are moved one by one, type-erased ones copied.
    /// @throws what the allocator and the copies or moves throw; subscribers may then be lost
    constexpr SeriesInterface(const SeriesInterface& other, const Allocator& alloc) : state_(other.state_, alloc) {}
    constexpr SeriesInterface(SeriesInterface&& other, const Allocator& alloc) : state_(std::move(other.state_), alloc) {}
    constexpr SeriesInterface& operator=(const SeriesInterface&) = default;
    constexpr SeriesInterface& operator=(SeriesInterface&&) = default;

    /// Exchanges elements, times, subscribers and the window; allocators according to their traits.
    /// @pre no writer is open on either @throws nothing, unless unequal allocators do not propagate: then what they and the
    /// moves throw
    constexpr void swap(Series& other) noexcept(noexcept(state_.swap(other.state_))) { state_.swap(other.state_); }
    friend constexpr void swap(Series& a, Series& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    //=== writing ===//

    /// Opens window `time` if it is newer than the open one: removed elements are erased, and deltas are empty. Joins the open
    /// window if it is the same.
    /// @throws std::invalid_argument if time is "never", older than the open window (what() has both times; write_late()
    /// joins), or newer while a writer is open or subscribers are being notified
    /// @complexity linear in the changes of the window before @invalidates when it rolls: delta ranges, removed keys
    [[nodiscard]] writer write(Time time) {
        state_.open(time);
        return SeriesAccess::writer(static_cast<Series&>(*this));
    }
    /// As write(), for late data: a time older than the open window joins that window, whose time the changes get.
    [[nodiscard]] writer write_late(Time time) {
        state_.open(time, true);
        return SeriesAccess::writer(static_cast<Series&>(*this));
    }
    void write(Time) const = delete; // a const series is read-only

    //=== size and membership ===//

    /// Members: keys that live now.
    constexpr size_type size() const noexcept { return store().size(); }
    constexpr bool empty() const noexcept { return store().empty(); }
    /// Slots with memory, including those of elements removed in the open window.
    constexpr size_type capacity() const noexcept { return store().capacity(); }
    /// Room for `count` members and the removed elements. @throws as SetStorage::reserve; strong
    constexpr void reserve(size_type count) { state_.store().reserve(count); }
    /// Frees memory at the end. @throws as SetStorage::shrink_to_fit; strong
    constexpr void shrink_to_fit() { state_.store().shrink_to_fit(); }
    constexpr allocator_type get_allocator() const noexcept { return store().get_allocator(); }
    /// Hash and equality of keys, for compose() and equal_deltas().
    constexpr decltype(auto) hash_function() const noexcept { return store().hash_function(); }
    constexpr decltype(auto) key_eq() const noexcept { return store().key_eq(); }
    /// Whether `key` is a member. @throws what hash and equality throw @complexity O(1) expected
    template <KeyArgument<Key, handle_type> K = Key>
    constexpr bool contains(const K& key) const {
        return slot_of(key) != no_slot;
    }
    template <std::same_as<handle_type> H>
    constexpr bool contains(H handle) const noexcept {
        return store().contains(handle);
    }
    /// 1 if `key` is a member, otherwise 0.
    template <class K = Key>
    constexpr size_type count(const K& key) const {
        return contains(key) ? 1 : 0;
    }
    /// The slot of the member, or no_slot.
    template <class K = Key>
    constexpr slot_t slot_of(const K& key) const {
        return store().slot_of(key);
    }
    template <class K = Key>
    constexpr handle_type handle_of(const K& key) const {
        return store().handle_of(key);
    }
    constexpr handle_type handle_at(slot_t slot) const noexcept { return store().handle_at(slot); }
    /// live, pending (removed in the open window, still readable) or free.
    constexpr SlotState state(slot_t slot) const noexcept { return store().state(slot); }
    template <std::convertible_to<handle_type> H>
    constexpr HandleStatus explain(const H& handle) const noexcept {
        return store().explain(handle);
    }
    /// The key in `slot`. @pre live or pending
    constexpr decltype(auto) key(slot_t slot) const noexcept { return store().key(slot); }
    constexpr SlotRange live_slots() const noexcept { return store().live_slots(); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    constexpr Occupancy occupancy() const noexcept { return store().occupancy(); }
    /// Slots removed in the open window.
    constexpr size_type pending() const noexcept { return store().pending(); }

    //=== iteration and columns ===//

    /// Keys, or items that bind as auto [key, value], in slot order.
    constexpr const_iterator begin() const noexcept { return store().begin(); }
    constexpr const_iterator end() const noexcept { return store().end(); }
    /// The element with this key, or end().
    template <KeyArgument<Key, handle_type> K = Key>
    constexpr const_iterator find(const K& key) const {
        return store().find(key);
    }
    template <std::same_as<handle_type> H>
    constexpr const_iterator find(H handle) const noexcept {
        return store().find(handle);
    }
    /// Calls f(key) or f(handle, key), of a dictionary f(key, value) or f(handle, key, value), for every element in slot order.
    template <class F>
    constexpr void for_each(F&& f) const {
        store().for_each(std::forward<F>(f));
    }
    /// The static observer of type Observer, which must be one, and the column of values of type T as a view by slot.
    template <class Observer>
    constexpr const Observer& observer() const noexcept {
        return store().template observer<Observer>();
    }
    template <class Observer>
    constexpr Observer& observer() noexcept {
        return state_.store().template observer<Observer>();
    }
    template <class T>
    constexpr ColumnView<const T> column() const noexcept {
        return store().template column<T>();
    }
    template <class T>
    constexpr ColumnView<T> column() noexcept {
        return state_.store().template column<T>();
    }
    /// The same by number, where a type occurs twice.
    template <std::size_t Nth>
    constexpr const auto& observer() const noexcept {
        return store().template observer<Nth>();
    }
    template <std::size_t Nth>
    constexpr auto& observer() noexcept {
        return state_.store().template observer<Nth>();
    }
    template <std::size_t Nth>
    constexpr auto column() const noexcept {
        return store().template column<Nth>();
    }
    template <std::size_t Nth>
    constexpr auto column() noexcept {
        return state_.store().template column<Nth>();
    }

    //=== time ===//

    /// The open window; `never` before the first.
    constexpr Time window() const noexcept { return tracker().window(); }
    /// Whether it was ever written. An empty set counts as written once it was touched.
    constexpr bool valid() const noexcept { return last_modified() != never; }
    /// When it was last written; `never` before.
    constexpr Time last_modified() const noexcept { return state_.notification().whole.last; }
    /// Whether it was last written at exactly `time`.
    constexpr bool modified(Time time) const noexcept { return time != never && last_modified() == time; }
    /// Whether the key is a member that was ever written. @throws what hash and equality throw
    template <class K = Key>
    constexpr bool valid(const K& key) const {
        return last_modified(key) != never;
    }
    /// When the member was last written; `never` if it is none, or has no value yet.
    template <class K = Key>
    constexpr Time last_modified(const K& key) const {
        const slot_t slot = slot_of(key);
        return slot == no_slot ? never : times().at(slot);
    }
    template <class K = Key>
    constexpr bool modified(const K& key, Time time) const {
        return time != never && last_modified(key) == time;
    }
    /// The same of the element in `slot`, also a removed one: when it was last written; `never` before, and when the slot is
    /// free.
    constexpr Time last_modified_at(slot_t slot) const noexcept {
        return State::is_stored(store(), slot) ? times().at(slot) : never;
    }
    /// Whether the element in `slot` was ever written.
    constexpr bool valid_at(slot_t slot) const noexcept { return last_modified_at(slot) != never; }
    /// Whether the element in `slot` was last written at exactly `time`.
    constexpr bool modified_at(slot_t slot, Time time) const noexcept {
        return time != never && last_modified_at(slot) == time;
    }
    /// Whether the whole was invalidated in window `time`, which is open: its deltas are then relative to an empty series.
    constexpr bool invalidated(Time time) const noexcept { return tracker().current(time) && tracker().words().invalidated; }
    /// Members that were ever written. @complexity O(1)
    constexpr size_type count_valid() const noexcept { return size() - state_.unset(); }
    /// Times of the last writes as a column, for exporters. "Never" is the lowest value, which NumPy shows as NaT.
    constexpr ColumnView<const Time> stamps() const noexcept { return state_.stamps(); }
    /// The same by slot, including those of removed elements.
    SLOTWISE_INLINE_UNOPTIMISED constexpr const auto& times() const noexcept { return state_.times(); }
    /// The same as one span over every slot below the highest one in use: only with Growth::reserve. Its address is the same
    /// until the series is moved, swapped, restored or assigned. That of a free slot is any time.
    /// @invalidates itself when the series shrinks; new elements may lie behind it
    std::span<const Time> time_span() const noexcept
        requires(ArgumentsOfSeries<Store>::options.growth == Growth::reserve)
    {
        return {times().data(), occupancy().size()};
    }

    //=== deltas ===//

    /// Whether the key became a member in window `time`; false unless that is the open one. @throws as contains()
    template <class K = Key>
    constexpr bool was_added(const K& key, Time time) const {
        return tracker().current(time) && tracker().was_added(slot_of(key), time);
    }
    /// Whether the key was a member when window `time` opened, and is not now.
    template <class K = Key>
    constexpr bool was_removed(const K& key, Time time) const {
        return tracker().current(time) && tracker().was_removed(store().slot_of_any(key), time);
    }
    /// The tracker of changed slots. Its ranges yield slots.
    SLOTWISE_INLINE_UNOPTIMISED constexpr const auto& tracker() const noexcept { return state_.tracker(); }

    //=== subscribers ===//

    /// Notifies `subscriber` of every window in which this is written. Subscribing is const, but must not run concurrently with
    /// readers. @throws std::bad_alloc; strong
    [[nodiscard]] subscription_type subscribe(subscriber_type& subscriber) const {
        return state_.notification().subscribe(state_.notification().whole, subscriber);
    }
    /// Notifies `subscriber` of every window in which the key is added, written or removed. The key need not exist.
    /// @throws what allocators, Key's copy, hash and equality throw; strong
    [[nodiscard]] subscription_type subscribe(const Key& key, subscriber_type& subscriber) const
        requires std::copy_constructible<Key>
    {
        state_.notification().cover_parent();
        return state_.notification().elements.subscribe(key, store().slot_of_any(key), subscriber, store().hash_function(),
                                                        store().key_eq());
    }
    /// The same for the element in `slot`, up to and including the window in which it is removed. An element that is removed
    /// and added again in one window keeps the subscription.
    /// @throws std::out_of_range when the slot is not live, what allocators throw; strong
    [[nodiscard]] subscription_type subscribe_slot(slot_t slot, subscriber_type& subscriber) const {
        if (store().state(slot) != SlotState::live)
            throw_out_of_range("series subscribe_slot(slot): the slot is not live; subscribe to a key to wait for its element");
        state_.notification().cover_parent();
        return state_.notification().elements.subscribe_slot(slot, subscriber, store().hash_function(), store().key_eq());
    }

    /// Attaches an observer of the slots, named by its own type, until the token is destroyed; it is notified as SetStorage's
    /// are. It stays attached when the series is restored or copied to; if its on_capacity throws then, the series is as new.
    /// It must not write to the series. Its on_insert is noexcept, or a removed key could be lost before the window rolls.
    /// @throws what on_capacity throws; it is not attached then
    template <std::derived_from<SlotObserver> Observer>
        requires(on_insert_is_noexcept<Observer>)
    [[nodiscard]] ObserverToken attach(Observer& observer) {
        return state_.store().attach(observer);
    }

    //=== whole ===//

    /// The exact state as bytes, also in the middle of a window: a restored series has the same slots, handles, times and
    /// deltas, and the same results of future calls. (Under DeltaRepresentation::adaptive the number of changes from which on
    /// they come in slot order depends on the capacity, which is not written.) Further columns are written, subscribers are
    /// not. The same state gives the same bytes. @param codec how keys, values and times become bytes; see DefaultCodec for the
    /// types that need none, dropping() for columns that stay behind
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return state_.to_bytes(codec);
    }
    /// Replaces the contents by a snapshot's. Every byte is checked before anything changes, and bytes that snapshot() of such
    /// a series, of any DeltaRepresentation, would not write are refused. Subscribers stay and get a tick of
    /// TickKind::replaced; those to slots get on_end() and are detached. @pre no writer is open
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        state_.expect_closed();
        return state_.try_restore(bytes, codec);
    }

    /// Bytes held on the heap: as the container inside, with times, deltas and the lists of subscribers. Without what elements
    /// hold themselves: nested series are elements. @complexity linear in watched keys and slots
    constexpr size_type memory_usage() const noexcept { return detail::memory_of(state_.store(), state_.notification()); }
    /// Whether container, times and deltas agree in full; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const { return state_.check_invariants(); }

protected:
    explicit SeriesInterface(Store&& empty) : state_(std::move(empty)) {}
    constexpr ~SeriesInterface() = default;

    SLOTWISE_INLINE_UNOPTIMISED constexpr const Store& store() const noexcept { return state_.store(); }

    State state_{};

private:
    friend struct SeriesAccess;
};

/// Base of the writers of all series: an open window of one series. Move-only. The destructor closes it, also during an
/// exception: the changes written until then stay, and subscribers are notified.
template <class Storage>
class SeriesWriter {
public:
    /// The series that is written.
    using storage_type = Storage;
    using key_type = typename KeyOfSeries<Storage>::type;
    using time_type = typename Storage::time_type;
    using const_iterator = typename Storage::const_iterator;

    SeriesWriter(SeriesWriter&& other) noexcept : series_(std::exchange(other.series_, nullptr)) {}
    SeriesWriter& operator=(SeriesWriter&& other) noexcept {
        if (this != &other) {
            close();
            series_ = std::exchange(other.series_, nullptr);
        }
        return *this;
    }
    SeriesWriter(const SeriesWriter&) = delete;
    SeriesWriter& operator=(const SeriesWriter&) = delete;
    ~SeriesWriter() { close(); }

    /// Closes the writer. If no other writer is open, subscribers are notified. The window stays open: another write(time)
    /// joins it.
    void close() noexcept {
        if (series_ != nullptr) SeriesAccess::state(*std::exchange(series_, nullptr)).close_writer();
    }
    /// Whether it can write: it was neither closed nor moved from.
    bool is_open() const noexcept { return series_ != nullptr; }
    /// The window: the time of everything written here. It may be later than the argument of write_late(). @throws as every
    /// member, if closed
    time_type time() const { return series().window(); }
    /// The series that is written.
    const Storage& storage() const { return series(); }

    //=== reading: as storage() answers ===//

    /// Members now.
    std::size_t size() const { return series().size(); }
    bool empty() const { return series().empty(); }
    /// Whether `key`, or the element of a handle, is a member. @throws what hash and equality throw
    template <class K = key_type>
    bool contains(const K& key) const {
        return slot_of(key) != no_slot;
    }
    /// The element with this key, or storage().end(). @throws what hash and equality throw
    template <class K = key_type>
    const_iterator find(const K& key) const {
        return series().find(key);
    }
    /// 1 if `key`, or the element of a handle, is a member, otherwise 0. @throws what hash and equality throw
    template <class K = key_type>
    std::size_t count(const K& key) const {
        return contains(key) ? 1 : 0;
    }
    /// The members now, in slot order, as the series iterates.
    const_iterator begin() const { return series().begin(); }
    const_iterator end() const { return series().end(); }
    auto keys() const { return series().keys(); }
    auto items() const { return series().items(); }

    //=== writing ===//

    /// Room for `count` members and what is removed now. @throws as SetStorage::reserve; strong
    void reserve(std::size_t count) { series().reserve(count); }
    /// Removes a member, by key or handle; false and no effect when it is none. Key and columns are readable until the window
    /// rolls. @throws what hash and equality throw
    template <KeyArgument<key_type, const_iterator> K = key_type>
    bool erase(const K& key) {
        const slot_t slot = slot_of(key);
        if (slot != no_slot) state().remove_slot(slot);
        return slot != no_slot;
    }
    /// Removes the member at `it`; returns the next one. @pre it refers to a member (checked at level fast)
    template <std::same_as<const_iterator> It>
    const_iterator erase(It it) {
        SLOTWISE_EXPECT(series().state(it.slot()) == SlotState::live,
                        "series erase(it): the element here was removed, or it is the end");
        state().remove_slot(it.slot());
        return ++it;
    }
    /// The same as erase, under the name that says what happens: the slot becomes pending.
    template <class K = key_type>
    auto remove(const K& key) {
        return erase(key);
    }
    /// Removes every member for which `pred` holds; returns how many. It is called with what for_each() gives: of a set
    /// pred(key) or pred(handle, key), of a dictionary pred(key, value) or pred(handle, key, value). If it throws, what was
    /// removed stays removed.
    template <class Pred>
    std::size_t erase_if(Pred pred) {
        const std::size_t before = size();
        const auto& members = series();
        for (auto it = members.begin(); it != members.end();) {
            if (holds(pred, it))
                it = erase(it);
            else
                ++it;
        }
        return before - size();
    }
    /// Removes every member. The whole ticks, even if it was empty.
    void clear() { state().remove_all(); }
    /// Makes it as if it had never been written: no members, and not valid until the next write. Deltas of this window are
    /// relative to an empty series from now on. Subscribers get TickKind::invalidated, those of a member TickKind::removed.
    void invalidate() { state().invalidate_all(); }
    /// Ticks the whole without changing a member: it is valid and modified then.
    void touch() { state().notification().whole.tick(time()); }

protected:
    /// The slots of the members that a range has named. remove_others() removes all other members.
    class Kept {
    public:
        explicit Kept(const Storage& series) : slots_(series.capacity()) {}
        void add(const Storage& series, slot_t slot) {
            if (slot >= slots_.size()) slots_.resize(series.capacity());
            slots_[slot] = true;
        }
        bool has(slot_t slot) const { return slot < slots_.size() && slots_[slot]; }
        void remove_others(const Storage& series, const SeriesWriter& writer) const {
            for (slot_t slot = 0; slot != series.occupancy().size(); ++slot)
                if (series.state(slot) == SlotState::live && !has(slot)) writer.state().remove_slot(slot);
        }

    private:
        std::vector<bool> slots_;
    };
    /// Whether the elements of a range passed as Range may be moved: it is a container that the caller gives away.
    template <class Range>
    static constexpr bool gives_away =
        !std::is_reference_v<Range> && !std::is_const_v<Range> && !std::ranges::borrowed_range<Range>;
    /// An element, or a part of one, of such a range.
    template <class Range, class U>
    static decltype(auto) handed_over(U& part) noexcept {
        if constexpr (gives_away<Range>)
            return std::move(part);
        else
            return static_cast<U&>(part);
    }

    explicit SeriesWriter(Storage& series) noexcept : series_(&series) {}

    /// The steps of assign(): replaces the members by those of the range. @param enter enter(item) makes the item a member;
    /// returns its slot
    template <class Range, class Enter>
    void assign_by(Range&& range, Enter enter) {
        Storage& s = series();
        Kept kept(s);
        for (auto&& item : range) kept.add(s, enter(item));
        kept.remove_others(s, *this);
        if (!s.valid()) touch();
    }
    /// Why the delta cannot be applied to `series`.
    template <class Delta, class Mode>
    static DeltaFault find_fault(const Storage& series, const Delta& delta, const Mode& mode) {
        return check_delta(std::addressof(series), series.hash_function(), series.key_eq(), delta, mode);
    }
    /// The first steps of apply(): removes what the delta removes.
    template <class Delta>
    void apply_removals(const Delta& delta) {
        state().reserve_for(delta.added.size());
        if (delta.invalidated) invalidate();
        for (const auto& key : delta.removed) erase(key);
    }
    /// The last step of apply() of dictionaries: the whole ticks whenever the keys do.
    template <class Delta>
    void apply_ticks(const Delta& delta) {
        if (delta.keys_ticked) state().notification().keys.tick(time());
        if (delta.ticked || delta.keys_ticked) touch();
    }
    /// The steps of reconcile() of dictionaries. @param create makes a member without a value of a key, if it is none; returns
    /// its slot @param write writes what differs, of a slot and a value @param reset gives a slot the default value
    template <class Delta, class Create, class Write, class Reset>
    void reconcile_by(const Delta& wanted, Create create, Write write, Reset reset) {
        Storage& s = series();
        checked_keys(wanted, s.hash_function(), s.key_eq()).fault.raise();
        auto& keys = state().notification().keys;
        if (wanted.added.empty() && wanted.modified.empty()) {
            if (wanted.ticked ? !wanted.keys_ticked && keys.last != Storage::never : s.valid()) invalidate();
            if (!wanted.ticked) return;
        }
        Kept kept(s), written(s);
        for (const auto& [key, value] : wanted.modified) {
            const slot_t slot = create(key);
            kept.add(s, slot);
            written.add(s, slot);
            write(slot, value);
        }
        for (const auto& key : wanted.added) {
            const slot_t slot = create(key);
            kept.add(s, slot);
            if (!written.has(slot) && s.valid_at(slot)) reset(slot);
        }
        kept.remove_others(s, *this);
        if (wanted.keys_ticked && keys.last == Storage::never) keys.tick(time());
        if (!s.valid()) touch();
    }

    /// @throws std::invalid_argument if the writer was closed or moved from
    Storage& series() const {
        if (series_ == nullptr)
            throw_invalid_argument("series writer: it was closed or moved from; get another by write(time)");
        return *series_;
    }
    /// Keyed container, times and subscribers of the series, as series().
    auto& state() const { return SeriesAccess::state(series()); }
    /// The slot of a member, by key or handle, or no_slot.
    template <class K>
    slot_t slot_of(const K& key) const {
        const Storage& s = series();
        if constexpr (std::is_same_v<K, typename Storage::handle_type>)
            return s.contains(key) ? key.index() : no_slot;
        else
            return s.slot_of(key);
    }

private:
    template <class Pred>
    static bool holds(Pred& pred, const const_iterator& it) {
        const auto call = [&](const auto&... element) -> bool {
            if constexpr (takes_name<Pred, typename Storage::handle_type, decltype(element)...>())
                return pred(it.handle(), element...);
            else
                return pred(element...);
        };
        if constexpr (std::remove_reference_t<decltype(SeriesAccess::state(std::declval<Storage&>()))>::has_values)
            return call((*it).key, (*it).value);
        else
            return call(*it);
    }

    Storage* series_;
};

} // namespace detail

SLOTWISE_END

#endif
