// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ObserverArray: which subscriber is notified of which slot, and of which key, whether it exists or not.
#ifndef SLOTWISE_SERIES_OBSERVER_ARRAY_HPP
#define SLOTWISE_SERIES_OBSERVER_ARRAY_HPP

#include "../keyed/map_storage.hpp"
#include "subscriber.hpp"

SLOTWISE_BEGIN
namespace detail {

/// For notify(): every marked slot has changed.
struct AlwaysChanged {
    static constexpr TickKind kind(slot_t) noexcept { return TickKind::changed; }
    static constexpr bool superseded(slot_t) noexcept { return false; }
};

} // namespace detail

/// Subscribers by slot and by key. It has the size of one pointer while there are none, then two bits a slot, and a list for
/// each slot and key that has subscribers. A subscription to a slot refers to its element and ends with it. A subscription to a
/// key waits for the key, and stays when the key is removed. The owner calls is_watched() and watch() for an element that is
/// inserted, mark() for a changed element, and drop() for an erased slot. notify() then notifies the subscribers of the marked
/// slots.
/// @tparam With in any order: TimeBy<T>, HashBy<H>, EqualBy<E>, AllocBy<A>
template <class Key, class... With>
class ObserverArray {
    using Args = detail::Arguments<detail::with_time | detail::with_hash | detail::with_equal | detail::with_alloc,
                                   detail::NoOptions, Key, Key, With...>;
    using Time = typename Args::template get<detail::with_time, std::int64_t>;
    using Hash = typename Args::template get<detail::with_hash, DefaultHash<Key>>;
    using Equal = typename Args::template get<detail::with_equal, EqualTo>;
    using Allocator = typename Args::allocator;
    using List = detail::SubscriberList<Time>;
    using word_t = bits::word_t;

public:
    using allocator_type = Allocator;
    /// Keeps a subscriber subscribed.
    using token = Subscription<Time>;

    constexpr ObserverArray() noexcept = default;
    constexpr explicit ObserverArray(const Allocator& alloc) noexcept : allocator_(alloc) {}
    ObserverArray(const ObserverArray&) = delete;
    ObserverArray& operator=(const ObserverArray&) = delete;
    /// Takes the subscribers; `other` has none.
    constexpr ObserverArray(ObserverArray&& other) noexcept
        : allocator_(other.allocator_), registry_(std::exchange(other.registry_, nullptr)) {}
    /// Takes the subscribers into memory of `alloc`; if the allocators differ and that throws, some may be lost. @pre no slot
    /// is marked @throws what the allocator and Key's move throw
    constexpr ObserverArray(ObserverArray&& other, const Allocator& alloc) : ObserverArray(alloc) {
        if (alloc == other.allocator_) {
            registry_ = std::exchange(other.registry_, nullptr);
        } else if (other.registry_ != nullptr) {
            Registry& from = *other.registry_;
            cover(from.covered, from.by_key.hash_function(), from.by_key.key_eq());
            for (std::size_t word = 0; word != from.watched.size(); ++word) registry_->watched[word] = from.watched[word];
            decltype(from.by_key) by_key(std::move(from.by_key), registry_->by_key.get_allocator());
            decltype(from.by_slot) by_slot(std::move(from.by_slot), registry_->by_slot.get_allocator());
            registry_->by_key.swap(by_key);
            registry_->by_slot.swap(by_slot);
            other.on_reset();
        }
    }
    ObserverArray& operator=(ObserverArray&&) = delete;
    constexpr ~ObserverArray() { on_reset(); }
    constexpr void swap(ObserverArray& other) noexcept {
        detail::exchange_allocators(allocator_, other.allocator_);
        std::swap(registry_, other.registry_);
    }

    /// Whether no subscriber was ever added, and no slot was prepared by cover().
    constexpr bool unused() const noexcept { return registry_ == nullptr; }

    /// Subscribes to the key, and to the element in `slot`, which has it (no_slot: none has). Hash and equality are those of
    /// the container. If they throw while subscribers are notified, the program ends. @throws what allocators, Key's copy, hash
    /// and equality throw; strong
    [[nodiscard]] token subscribe(const Key& key, slot_t slot, SeriesSubscriber<Time>& subscriber, const Hash& hash = Hash(),
                                  const Equal& equal = Equal())
        requires std::copy_constructible<Key>
    {
        auto& all = registry(hash, equal);
        sweep(all);
        if (slot != no_slot) cover(std::size_t{slot} + 1, hash, equal);
        token result = all.by_key[key].add(subscriber);
        if (slot != no_slot) watch(slot);
        return result;
    }
    /// Subscribes to the element in `slot`, until it is erased. @throws as subscribe
    [[nodiscard]] token subscribe_slot(slot_t slot, SeriesSubscriber<Time>& subscriber, const Hash& hash = Hash(),
                                       const Equal& equal = Equal()) {
        auto& all = registry(hash, equal);
        cover(std::size_t{slot} + 1, hash, equal);
        token result = all.by_slot[slot].add(subscriber);
        watch(slot);
        return result;
    }

    /// Bytes held on the heap, with the lists of subscribers. @complexity linear in keys and slots with subscriptions
    constexpr std::size_t memory_usage() const noexcept {
        if (registry_ == nullptr) return 0;
        std::size_t bytes = sizeof(Registry) + detail::memory_of(registry_->by_key, registry_->by_slot, registry_->ended,
                                                                 registry_->watched, registry_->marked);
        for (const auto [key, list] : registry_->by_key) bytes += list.memory_usage();
        for (const auto [slot, list] : registry_->by_slot) bytes += list.memory_usage();
        for (const auto [slot, list] : registry_->ended) bytes += list.memory_usage();
        return bytes;
    }

    //=== calls by the owner ===//

    /// Makes slots below `slots` ready for mark(). @throws what the allocator throws; nothing has changed then
    void cover(std::size_t slot_count, const Hash& hash = Hash(), const Equal& equal = Equal()) {
        auto& all = registry(hash, equal);
        if (slot_count <= all.covered) return;
        const std::size_t room = bits::round_up(slot_count < 2 * all.covered ? 2 * all.covered : slot_count, bits::word_bits);
        auto watched = all.watched.resized(bits::word_count(room), 0);
        auto marked = all.marked.resized(room, allocator_);
        all.watched.swap(watched);
        all.marked.swap(marked);
        all.covered = room;
    }
    /// Whether the key has a subscription. @throws what hash and equality throw
    template <class K>
    constexpr bool is_watched(const K& key) const {
        return registry_ != nullptr && registry_->by_key.contains(key);
    }
    /// The element in `slot` has subscribers. @pre cover(slot + 1)
    void watch(slot_t slot) noexcept { registry_->watched[bits::word_of(slot)] |= bits::bit_of(slot); }
    /// The next notify() notifies its subscribers. @complexity O(1)
    constexpr void mark(slot_t slot) noexcept {
        if (registry_ == nullptr || slot >= registry_->covered) return;
        if ((registry_->watched[bits::word_of(slot)] & bits::bit_of(slot)) != 0) registry_->marked.set(slot);
    }
    /// The next notify() visits the slot, whether it has subscribers or not. False if the slot was not covered.
    constexpr bool mark_always(slot_t slot) noexcept {
        if (registry_ == nullptr || slot >= registry_->covered) return false;
        registry_->marked.set(slot);
        return true;
    }
    /// Whether notify() would visit a slot.
    constexpr bool any_marked() const noexcept { return registry_ != nullptr && !registry_->marked.none(); }
    /// Notifies the subscribers of the marked slots, in slot order. @param visit called with each slot first @param key_of the
    /// key in a slot @param number of the round: each subscriber is notified once per round @param elements kind(slot): how a
    /// slot is now; superseded(slot): its key has another slot, which is marked too
    template <class Visit, class KeyOf, class Elements = detail::AlwaysChanged>
    constexpr void notify(Time time, std::uint64_t number, Visit&& visit, KeyOf&& key_of,
                          const Elements& elements = {}) noexcept {
        while (any_marked()) {
            const auto slot = static_cast<slot_t>(registry_->marked.lowest());
            registry_->marked.reset(slot);
            visit(slot);
            if ((registry_->watched[bits::word_of(slot)] & bits::bit_of(slot)) == 0) continue;
            const SeriesTick<Time> tick{SeriesLevel::element, slot, time, elements.kind(slot)};
            bool late = false;
            if (List* list = registry_->by_slot.get(slot)) late = list->notify(tick, number);
            if (!elements.superseded(slot))
                if (List* list = registry_->by_key.get(key_of(slot))) late = list->notify(tick, number) || late;
            registry_->late = registry_->late || late;
        }
    }
    /// Ends a round: slots that were marked after a subscriber of theirs was notified are marked for the next one.
    /// If there is such a slot, it looks at each list. @param slot_of the slot of a key, or no_slot
    template <class SlotOf>
    constexpr void end_round(SlotOf&& slot_of) noexcept {
        if (registry_ == nullptr || !std::exchange(registry_->late, false)) return;
        each_list([&](slot_t slot, const Key* key, List& list) {
            if (!list.take_late()) return;
            if (key != nullptr) slot = slot_of(*key);
            if (slot < registry_->covered) registry_->marked.set(slot);
        });
    }
    /// No slot is marked any more.
    constexpr void unmark() noexcept {
        if (registry_ == nullptr) return;
        registry_->marked.clear();
        registry_->late = false;
    }
    /// Notifies all subscribers in round `number`; those of keys without a slot, so that no key is hashed.
    constexpr void notify_all(Time time, TickKind kind, std::uint64_t number) noexcept {
        each_list([&](slot_t slot, const Key*, List& list) { list.notify({SeriesLevel::element, slot, time, kind}, number); });
    }
    /// All subscriptions end, and their subscribers are notified.
    constexpr void end(Time time) noexcept {
        each_list([&](slot_t slot, const Key*, List& list) { list.end({SeriesLevel::element, slot, time, TickKind::ended}); });
    }
    /// Ends the subscriptions that rewatch() has kept, and notifies their subscribers.
    constexpr void end_elements(Time time) noexcept {
        if (registry_ == nullptr || registry_->ended.empty()) return;
        decltype(registry_->ended) lists(std::move(registry_->ended));
        for (const auto [slot, list] : lists) list.end({SeriesLevel::element, slot, time, TickKind::ended});
    }
    /// The element in `slot` was erased: subscriptions to it end, subscriptions to its key stay.
    constexpr void drop(slot_t slot) noexcept {
        if (registry_ == nullptr || slot >= registry_->covered) return;
        registry_->watched[bits::word_of(slot)] &= ~bits::bit_of(slot);
        registry_->marked.reset(slot);
        registry_->by_slot.erase(slot);
    }
    /// What rewatch() will need: which slots have a key with a subscription, where slot_of(key) answers the slot, or no_slot.
    using Watched = detail::FlatArray<word_t, Allocator>;
    /// @pre cover() of the new slots @throws what slot_of and the allocator throw; strong
    template <class SlotOf>
    constexpr Watched watched_by(SlotOf&& slot_of) const {
        Watched watched(allocator_);
        if (registry_ == nullptr) return watched;
        auto words = watched.resized(registry_->watched.size(), 0);
        for (const Key& key : registry_->by_key.as_set())
            if (const slot_t slot = slot_of(key); slot != no_slot) words[bits::word_of(slot)] |= bits::bit_of(slot);
        watched.swap(words);
        return watched;
    }
    /// All elements have been exchanged: subscriptions to elements end, subscriptions to keys get the slots of `watched`.
    /// @param keep end_elements() will notify the subscribers of the elements @pre cover() was not called since watched_by()
    constexpr void rewatch(Watched& watched, bool keep = false) noexcept {
        if (registry_ == nullptr) return;
        registry_->watched.swap(watched);
        registry_->marked.clear();
        registry_->ended.clear();
        if (keep) registry_->ended.swap(registry_->by_slot);
        registry_->by_slot.clear();
    }
    /// Both at once. @pre cover() of the new slots @throws what slot_of and the allocator throw; strong
    template <class SlotOf>
        requires std::is_invocable_r_v<slot_t, SlotOf&, const Key&>
    constexpr void rewatch(SlotOf&& slot_of, bool keep = false) {
        auto watched = watched_by(slot_of);
        rewatch(watched, keep);
    }

    //=== hooks, for use as an observer ===//

    constexpr void on_erase(slot_t slot) noexcept { drop(slot); }
    constexpr void on_clear(Occupancy cleared) noexcept {
        cleared.for_each([this](slot_t slot) { drop(slot); });
    }
    /// All subscriptions end.
    constexpr void on_reset() noexcept {
        if (registry_ == nullptr) return;
        Registry* const all = std::exchange(registry_, nullptr);
        std::destroy_at(all);
        registry_allocator alloc(allocator_);
        detail::deallocate_raw(alloc, all, 1);
    }

private:
    template <class K, class H, class E>
    using Lists = MapStorage<K, List, HashBy<H>, EqualBy<E>, AllocBy<detail::rebind_t<Allocator, K>>>;
    struct Registry {
        Registry(const Hash& hash, const Equal& equal, const Allocator& alloc)
            : by_key(hash, equal, alloc), by_slot(detail::rebind_t<Allocator, slot_t>(alloc)),
              ended(detail::rebind_t<Allocator, slot_t>(alloc)), watched(alloc), marked(alloc) {}
        Lists<Key, Hash, Equal> by_key;
        Lists<slot_t, DefaultHash<slot_t>, EqualTo> by_slot, ended;
        detail::FlatArray<word_t, Allocator> watched;
        detail::SummaryBits<Allocator> marked;
        std::size_t covered = 0;
        std::size_t next_sweep = 16;
        bool late = false; // some list has a subscriber that was late
    };
    using registry_allocator = detail::rebind_t<Allocator, Registry>;

    Registry& registry(const Hash& hash, const Equal& equal) {
        if (registry_ != nullptr) return *registry_;
        registry_allocator alloc(allocator_);
        Registry* const made = detail::allocate_raw(alloc, 1);
        ScopeGuard undo([&]() noexcept { detail::deallocate_raw(alloc, made, 1); });
        std::construct_at(made, hash, equal, allocator_);
        undo.dismiss();
        return *(registry_ = made);
    }
    /// f(slot, null, list) for the lists of slots, then f(no_slot, key, list) for those of keys. Subscribers may add lists
    /// meanwhile, which move no other.
    template <class F>
    constexpr void each_list(F&& f) noexcept {
        if (registry_ == nullptr) return;
        for (slot_t at = 0; at < registry_->by_slot.occupancy().size(); ++at)
            if (auto& lists = registry_->by_slot; lists.state(at) == SlotState::live)
                f(lists.key(at), nullptr, lists.value(at));
        for (slot_t at = 0; at < registry_->by_key.occupancy().size(); ++at)
            if (auto& lists = registry_->by_key; lists.state(at) == SlotState::live)
                f(no_slot, std::addressof(lists.key(at)), lists.value(at));
    }
    // Erases keys without subscribers from time to time, because a token that is destroyed does not know its key.
    static void sweep(Registry& all) noexcept {
        if (all.by_key.size() < all.next_sweep) return;
        all.by_key.erase_if([](const Key&, const List& list) { return list.empty(); });
        all.next_sweep = 2 * all.by_key.size() + 16;
    }

    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator_{};
    Registry* registry_ = nullptr;
};

SLOTWISE_END

#endif
