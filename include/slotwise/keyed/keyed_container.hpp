// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeyedContainer: a SlotContainer whose elements are found by key, with the steps that change its index.
#ifndef SLOTWISE_KEYED_KEYED_CONTAINER_HPP
#define SLOTWISE_KEYED_KEYED_CONTAINER_HPP

#include "../core/insert_result.hpp"
#include "../slots/present_range.hpp"
#include "../slots/slot_container.hpp"
#include "hash_index.hpp"
#include "indexed_keys.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class Keys, KeySetOptions O, class Allocator, template <class> class Index, class... Columns>
using KeyedBase = SlotContainer<IndexedKeys<Keys, Index<rebind_t<Allocator, std::byte>>, Allocator>,
                                SlotContainerOptions{O.handle, O.exhaustion, O.reuse, O.max_slots, O.deferred_erase, true},
                                Allocator, Columns...>;

/// State and steps without an interface. Each step leaves the parts consistent or has no effect.
///
/// An element is inserted in this order: slot (blocked), key, value and columns, index, live. A constructor or a hook that
/// looks it up does not find it yet. The slot of an index entry always has a key.
/// @tparam Keys keys by slot: KeyStore, AnyKeyStore @tparam Columns static observers; a map's first one holds its values
template <class Keys, KeySetOptions O, class Allocator, template <class> class IndexOf, class... Columns>
class KeyedContainer : public KeyedBase<Keys, O, Allocator, IndexOf, Columns...> {
public:
    using Base = KeyedBase<Keys, O, Allocator, IndexOf, Columns...>;
    using typename Base::Bytes;
    using typename Base::Directory;
    using typename Base::Hub;
    using typename Base::Like;
    using typename Base::StoredBits;
    using Index = typename Base::Store::Index;
    using Base::allocator;
    using Base::deferred;
    using Base::directory;
    using Base::hub;
    using Base::pending;
    using Base::store;

    constexpr KeyedContainer() = default;
    constexpr KeyedContainer(Keys&& keys, const Allocator& alloc) : Base(typename Base::Store(std::move(keys), alloc), alloc) {}
    constexpr KeyedContainer(Like like, const KeyedContainer& other, const Allocator& alloc) : Base(like, other, alloc) {}
    constexpr KeyedContainer(const KeyedContainer& other) : Base(other) {}
    constexpr KeyedContainer(const KeyedContainer& other, const Allocator& alloc) : Base(other, alloc) {}
    constexpr KeyedContainer(KeyedContainer&& other) noexcept(Base::nothrow_move) : Base(std::move(other)) {}
    constexpr KeyedContainer(KeyedContainer&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
    // transition_slot belongs to a running operation and is not assigned.
    constexpr KeyedContainer& operator=(const KeyedContainer& other) {
        Base::operator=(other);
        return *this;
    }
    constexpr KeyedContainer& operator=(KeyedContainer&& other) noexcept(std::is_nothrow_move_assignable_v<Base>) {
        Base::operator=(std::move(other));
        return *this;
    }
    ~KeyedContainer() = default;

    /// Whether the steps after the construction of an element cannot throw while no dynamic observer is attached.
    static constexpr bool nothrow_commit = Hub::nothrow_insert && Index::nothrow_place;

    /// A pending slot that has used its last version cannot be resurrected. Its key then gets another slot.
    constexpr bool can_resurrect(slot_t slot) const noexcept { return has_next_version<O.exhaustion>(directory, slot); }

    //=== finding ===//

    // After a find of a string its value is read, so both are fetched at once (2 % of a hit). For keys that compare fast it
    // cost more than it saved.
    struct PrefetchFirstColumn {
        const Hub* hub;
        constexpr explicit PrefetchFirstColumn(const Hub* of) noexcept : hub(of) {}
        SLOTWISE_ALWAYS_INLINE constexpr void operator()([[maybe_unused]] slot_t slot) const noexcept {
#if defined(__GNUC__)
            if constexpr (requires { hub->template get<0>().block(slot); })
                if (!SLOTWISE_IN_CONSTANT) __builtin_prefetch(hub->template get<0>().block(slot));
#endif
        }
    };
    using Prefetch = std::conditional_t<Keys::trivial || sizeof...(Columns) == 0, PrefetchNothing, PrefetchFirstColumn>;

    /// The live slot whose key equals `key`. If `Any`, otherwise the pending one that was removed last.
    template <bool Any = false, class K>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t do_find(std::uint64_t hash, const K& key) const {
        slot_t removed = no_slot;
        constexpr bool any = deferred && Any;
        const slot_t live = store.index.find(hash, match<any>(key, any ? &removed : nullptr, Prefetch(&hub)));
        return any && live == no_slot ? removed : live;
    }
    template <bool Any, class K, class ThePrefetch>
    SLOTWISE_ALWAYS_INLINE constexpr auto match(const K& key, slot_t* removed, ThePrefetch prefetch) const noexcept {
        return KeyMatch<Any, O.exhaustion, Directory, typename Base::Pending, Keys, K, ThePrefetch>{
            &directory, &pending, &store.keys, &store.inserts, std::addressof(key), removed, prefetch};
    }
    using Source = KeySource<Directory, typename Base::Pending, Keys>;
    constexpr Source source(std::size_t* rebuilds = nullptr) const noexcept {
        return {&directory, &pending, &store.keys, rebuilds, this->clearing};
    }

    /// The same for a rebuild of the index, which drops a slot that is being resurrected. resurrect() detects that by the
    /// counter. It is made where an index is rebuilt: an insert passes one pointer.
    struct RebuildSource {
        KeyedContainer* of;
        constexpr Source shared() const noexcept { return of->source(&of->store.inserts); }
    };
    SLOTWISE_ALWAYS_INLINE constexpr auto rebuild_source() noexcept {
        if constexpr (requires { requires Index::shares_sources; })
            return RebuildSource{this};
        else
            return source(&store.inserts);
    }

    //=== inserting ===//

    /// Inserts a key that may be present. @param element what is inserted; see new_element.hpp
    template <class K, class Element>
    constexpr InsertOutcome do_insert(const K& key, Element&& element) {
        using New = std::remove_reference_t<Element>;
        this->expect_not_notifying();
        const std::uint64_t hash = store.keys.hash(key);
        const slot_t found = do_find<deferred>(hash, key);
        if (found != no_slot && (!deferred || directory.is_live(found))) {
            element.assign_to(found);
            return {found, false, InsertKind::fresh};
        }
        if constexpr (deferred)
            if (found != no_slot && can_resurrect(found)) return resurrect(hash, found, element);
        if (!directory.has_room()) [[unlikely]]
            grow();
        if constexpr (New::trivial && Base::trivial && nothrow_commit) {
            if (!hub.dynamic() && (!deferred || found == no_slot)) [[likely]] {
                store.index.make_room(rebuild_source());
                const slot_t slot = directory.acquire_live();
                element.construct(slot, hash);
                hub.template insert_nothrow<New::filled_columns>(slot);
                store.index.place(hash, slot);
                ++store.inserts;
                return {slot, true, InsertKind::fresh};
            }
        }
        return insert_guarded<New>(hash, found, std::forward<Element>(element));
    }

    /// @param exhausted a pending slot with this key that has used its last version, or no_slot
    template <class Element>
    SLOTWISE_NEVER_INLINE constexpr InsertOutcome insert_guarded(std::uint64_t hash, slot_t exhausted, Element element) {
        const AcquiredSlot acquired = acquire_slot(directory);
        const slot_t slot = acquired.slot;
        ScopeGuard undo_acquire([&]() noexcept { directory.undo_acquire(slot, acquired.fresh); });
        return insert_acquired(hash, exhausted, slot, element, undo_acquire);
    }
    /// The same in a slot that was acquired. @param undo_acquire releases it
    template <class Element, class Undo>
    SLOTWISE_ALWAYS_INLINE constexpr InsertOutcome insert_acquired(std::uint64_t hash, slot_t exhausted, slot_t slot,
                                                                   Element& element, Undo& undo_acquire) {
        const std::size_t inserts = store.inserts;
        element.construct(slot, hash);
        ScopeGuard undo_construct([&]() noexcept { element.destroy(slot); });
        if (inserts != store.inserts) { // a constructor has inserted, perhaps the same key
            exhausted = do_find<deferred>(hash, store.keys.key_of(slot));
            if (exhausted != no_slot && directory.is_live(exhausted)) {
                element.assign_built(exhausted, slot);
                return {exhausted, false, InsertKind::fresh};
            }
        }
        store.index.make_room(rebuild_source());
        hub.template insert<Element::filled_columns>(slot, InsertKind::fresh);
        ScopeGuard undo_notify([&]() noexcept { hub.template erased<Element::filled_columns>(slot); });
        store.index.place(hash, slot);
        if (this->is_pending(exhausted)) supersede(hash, exhausted);
        undo_notify.dismiss();
        undo_construct.dismiss();
        undo_acquire.dismiss();
        directory.commit(slot);
        ++store.inserts;
        return {slot, true, InsertKind::fresh};
    }

    /// Inserts a key under the reserved handle {slot, version}. False, and no effect, when it is not reserved, or the key is a
    /// member. A pending element with the key is superseded, not resurrected: it had another handle.
    template <class K, class Element>
    constexpr bool do_fulfill(slot_t slot, std::uint32_t version, const K& key, Element&& element) {
        this->expect_not_notifying();
        const std::uint64_t hash = store.keys.hash(key);
        const slot_t found = do_find<deferred>(hash, key);
        if (found != no_slot && (!deferred || directory.is_live(found))) return false;
        if (!directory.is_reserved(slot, version)) return false;
        directory.unreserve(slot);
        ScopeGuard undo([&]() noexcept { directory.undo_unreserve(slot); });
        return insert_acquired(hash, found, slot, element, undo).inserted;
    }

    /// Resurrects the pending element in `slot` with another value.
    template <class Element>
    SLOTWISE_NEVER_INLINE constexpr InsertOutcome resurrect(std::uint64_t hash, slot_t slot, Element& element) {
        // While the value is built, the slot is neither live nor pending: no flush erases it, and a nested insert of its key
        // gets another slot. A throw before the old value is destroyed leaves the slot pending. A later throw erases the
        // element, as the next flush would have done.
        pending.remove(slot);
        const std::size_t inserts = store.inserts;
        bool old_destroyed = false;
        ScopeGuard undo([&]() noexcept {
            if (!old_destroyed && is_indexed(hash, slot)) return pending.undo_remove(slot);
            this->erase_pending(slot);
        });
        element.replace_value(slot, old_destroyed);
        old_destroyed = true;
        // A constructor of the value, or a destructor in a column, may have inserted, perhaps the same key.
        const auto inserted_meanwhile = [&] {
            const slot_t found = inserts == store.inserts ? no_slot : do_find(hash, store.keys.key_of(slot));
            if (found != no_slot) element.assign_built(found, slot);
            return found;
        };
        if (const slot_t found = inserted_meanwhile(); found != no_slot) return {found, false, InsertKind::fresh};
        {
            const slot_t outer = std::exchange(transition_slot_, slot);
            ScopeGuard end_transition([&]() noexcept { transition_slot_ = outer; });
            hub.template resurrect<Element::filled_columns>(slot);
        }
        if (const slot_t found = inserted_meanwhile(); found != no_slot) return {found, false, InsertKind::fresh};
        if (inserts != store.inserts && !is_indexed(hash, slot)) { // the index was rebuilt meanwhile
            store.index.make_room(rebuild_source());
            store.index.place(hash, slot);
        }
        undo.dismiss();
        directory.commit(slot);
        ++store.inserts;
        return {slot, true, InsertKind::resurrected};
    }
    /// The key of a pending element has another element: removes the older one from the index. So the index has one entry a
    /// key, however often a key is removed and inserted between two flushes, and finds the one removed last in O(1).
    constexpr void supersede(std::uint64_t hash, slot_t slot) noexcept {
        store.index.erase(hash, slot);
        pending.supersede(slot);
    }

    //=== erasing ===//

    /// Erases by key; false when there is none. The argument may refer to the element's key.
    template <class K>
    SLOTWISE_ALWAYS_INLINE constexpr bool do_erase_key(std::uint64_t hash, const K& key) {
        this->expect_not_notifying();
        if constexpr (deferred) {
            const slot_t slot = do_find(hash, key);
            if (slot != no_slot) this->do_erase(slot);
            return slot != no_slot;
        } else {
            const slot_t slot = store.index.take(hash, match<false>(key, nullptr, PrefetchNothing(&hub)));
            if (slot != no_slot) this->erase_unindexed(slot);
            return slot != no_slot;
        }
    }
    /// As erase, but nothing is pending, and the handle is reserved. With deferred erase throws also what equality throws.
    constexpr void do_erase_reserved(slot_t slot) {
        if constexpr (deferred) {
            this->expect_not_notifying();
            const std::size_t inserts = store.inserts;
            const slot_t heir = heir_of(slot);
            Base::do_erase_reserved(slot);
            inherit(heir, inserts);
        } else
            Base::do_erase_reserved(slot);
    }
    /// The pending element that the index is to have when that of `slot`, which has the same key, is gone: the one that was
    /// removed last, as after a restore.
    constexpr slot_t heir_of([[maybe_unused]] slot_t slot) const {
        slot_t heir = no_slot;
        if constexpr (deferred)
            pending.for_each([&](slot_t each) {
                if (pending.superseded(each) && store.keys.hash_at(each) == store.keys.hash_at(slot) &&
                    store.keys.equals(each, store.keys.key_of(slot)))
                    heir = each;
            });
        return heir;
    }
    /// An insert meanwhile may have had the same key, or may have built the index anew: then it stays superseded.
    constexpr void inherit([[maybe_unused]] slot_t heir, [[maybe_unused]] std::size_t inserts) noexcept {
        if constexpr (deferred) {
            if (heir == no_slot || inserts != store.inserts || !pending.superseded(heir)) return;
            const std::uint64_t hash = store.keys.hash_at(heir);
            if constexpr (Index::nothrow_place)
                store.index.place(hash, heir); // an entry has just gone
            else if (!try_place(hash, heir))
                return;
            pending.undo_supersede(heir);
        }
    }
    /// Erases the element that take() copies or moves out. Both may run user code: the slot is neither live nor pending
    /// meanwhile, as in erase. If take() throws, the element stays, unless something was inserted meanwhile, perhaps the same
    /// key: then it is erased. @tparam Trivial take() runs no user code and throws nothing @tparam Keep the handle is reserved
    /// then, and the element is not pending before; throws also what the allocator throws, at the first reservation
    template <bool Trivial, bool Keep = false, class Take>
    constexpr void do_extract(slot_t slot, Take&& take) {
        this->expect_not_notifying();
        if constexpr (Keep) directory.prepare_reserved();
        if constexpr (Trivial) {
            take();
            if constexpr (Keep)
                this->do_erase_reserved(slot);
            else
                this->do_erase(slot);
        } else {
            const std::uint64_t hash = store.keys.hash_at(slot);
            const std::size_t inserts = store.inserts;
            const std::uint32_t version = directory.version(slot);
            [[maybe_unused]] const slot_t heir = Keep ? heir_of(slot) : no_slot;
            if constexpr (!deferred) store.index.erase(hash, slot);
            directory.remove(slot);
            ScopeGuard undo([&]() noexcept {
                if (inserts == store.inserts && reindex(hash, slot)) return directory.undo_remove(slot);
                finish_extract(hash, slot, inserts);
            });
            {
                const slot_t outer = std::exchange(transition_slot_, slot);
                const bool taking = std::exchange(extracting_, true);
                ScopeGuard taken([&]() noexcept {
                    transition_slot_ = outer;
                    extracting_ = taking;
                });
                take();
            }
            undo.dismiss();
            if constexpr (Keep) {
                if constexpr (deferred) store.unlist(slot); // the index may have dropped it
                hub.erase(slot);
                store.keys.destroy(slot);
                directory.keep_reserved(slot, version);
                inherit(heir, inserts);
            } else
                finish_extract(hash, slot, inserts);
        }
    }
    /// Second half of do_extract.
    constexpr void finish_extract(std::uint64_t hash, slot_t slot, std::size_t inserts) noexcept {
        if constexpr (deferred) {
            pending.push(slot);
            if (inserts != store.inserts)
                supersede(hash, slot); // another element may have its key, or the index may have dropped it
            hub.removed(slot);
        } else {
            hub.erase(slot);
            store.keys.destroy(slot);
            directory.release(slot);
        }
    }
    /// Puts the entry of `slot` back into the index, which still has the room. False when another table has neither room nor
    /// memory.
    bool reindex([[maybe_unused]] std::uint64_t hash, [[maybe_unused]] slot_t slot) noexcept {
        if constexpr (deferred)
            return true;
        else if constexpr (Index::nothrow_place) {
            store.index.place(hash, slot);
            return true;
        } else
            return try_place(hash, slot);
    }
    bool try_place(std::uint64_t hash, slot_t slot) noexcept {
#if defined(__cpp_exceptions)
        try {
            store.index.place(hash, slot);
            return true;
        } catch (...) {
            return false;
        }
#else
        store.index.place(hash, slot);
        return true;
#endif
    }

    //=== capacity ===//

    /// Room for one more element, or a std::length_error when no slot is left.
    SLOTWISE_COLD constexpr void grow() {
        Base::grow("keyed container insert: every slot that the handle can name is in use, pending or retired; use more "
                   "index bits, flush_removed(), or see recycle_retired()");
    }
    constexpr void do_shrink_to_fit() {
        Base::do_shrink_to_fit([this] {
            store.index.shrink_to_fit(rebuild_source());
            ++store.inserts; // an empty index has no entries to rebuild, but has freed its memory
        });
    }
    /// Erases everything and frees the memory. While a slot is retired, or would be now, its memory must stay: then observers
    /// are notified of a clear instead.
    constexpr void do_reset() noexcept {
        this->expect_not_notifying();
        SLOTWISE_EXPECT(!this->clearing && !this->resetting,
                        "keyed container reset(): a destructor calls it during clear() or reset(); it must not");
        if (would_retire()) {
            this->do_clear();
            this->do_flush_removed();
            return;
        }
        this->resetting = true;
        store.index.reset();
        directory.set_capacity(directory.cursor()); // no room: do_reserve() detects an insert by a destructor
        const slot_t end = directory.begin_clear();
        if constexpr (!Keys::trivial) this->for_each_stored([this](slot_t slot) { store.keys.destroy(slot); });
        directory.end_clear(end);
        while (!pending.empty()) directory.release(pending.pop());
        directory.lower_cursor();
        SLOTWISE_EXPECT(directory.cursor() == 0,
                        "keyed container reset(): an element calls it while it is built or destroyed; it must not");
        directory.level_versions(); // because reset() must not fail
        auto none = directory.prepare_shrink(0, 0, allocator);
        auto no_pending = pending.resized(0, allocator);
        directory.commit_shrink(none, 0);
        pending.swap(no_pending);
        directory.set_capacity(0);
        store.keys.shrink(0);
        hub.reset(); // last: an observer that attaches now must find nothing
        this->resetting = false;
    }

    /// Reserves the memory of the next insert.
    constexpr void reserve_one() {
        if (!directory.has_room()) grow();
        store.index.make_room(rebuild_source());
    }
    /// Whether an insert with room, a hash and a search result cannot throw.
    constexpr bool nothrow_insert() const noexcept { return nothrow_commit && !hub.dynamic(); }

    //=== observers ===//

    /// For an observer that attaches meanwhile, a slot between two states is still pending or live.
    ObserverToken do_attach(SlotObserver& observer) {
        return Base::do_attach(observer, transition_slot_, transition_slot_ != no_slot && !extracting_);
    }

    //=== snapshots and checks ===//

    /// Reads the elements of a snapshot: each key, and by read_first(slot) the columns before number `First`. This container is
    /// new and empty and has the directory of the snapshot. Returns false and destroys them when the bytes are wrong.
    /// @param order the pending slots @tparam Row bytes of an element where they are a block, the key first; otherwise 0
    template <std::size_t First, std::size_t Row, class Codec, class ReadFirst>
    bool read_elements(ByteReader& in, Codec& codec, std::span<const slot_t> order, ReadFirst&& read_first) {
        // There are live slots without elements, and it takes memory before the first of them is built.
        ScopeGuard undo_all([&]() noexcept { discard_elements<First>({}, 0); });
        if constexpr (deferred)
            for (const slot_t slot : order) pending.push(slot);
        const std::size_t waiting = order.size();
        std::vector<slot_t> place(waiting > 1 ? std::size_t{directory.cursor()} : 0); // of each pending slot in the order
        for (std::size_t i = 0; i != waiting && waiting > 1; ++i) place[order[i]] = static_cast<slot_t>(i);
        const StoredBits stored(directory, pending);
        slot_t sound_end = 0; // the elements below are built
        ScopeGuard undo([&]() noexcept { discard_elements<First>(stored.view(), sound_end); });
        undo_all.dismiss();
        bool sound = true;
        store.index.reserve(directory.size() + waiting, [](auto&&) {});
        stored.view().for_each([&](slot_t slot) {
            prefetch_entry<Row>(in);
            sound = sound && store.keys.read(slot, in, codec);
            if (!sound) return;
            ScopeGuard undo_key([&]() noexcept { store.keys.destroy(slot); });
            const std::uint64_t hash = store.keys.hash_at(slot);
            const slot_t same_key = do_find<true>(hash, store.keys.key_of(slot));
            // Two elements may have one key only if one of them is pending: it was exhausted, or do_fulfill() superseded it.
            if (same_key != no_slot && !this->is_pending(same_key) && !this->is_pending(slot))
                sound = in.fail("snapshot: a key occurs twice");
            sound = sound && read_first(slot);
            if (!sound) return;
            store.index.make_room([&](auto&& entry) { // there is room, but the keys of a hostile snapshot may collide
                stored.view().for_each([&](slot_t built) {
                    if (built < sound_end && !pending.superseded(built)) entry(built, store.keys.hash_at(built));
                });
            });
            undo_key.dismiss();
            sound_end = slot + 1;
            // Of the elements with one key the index has the live one, or the one removed last.
            const bool latest =
                same_key == no_slot || !this->is_pending(slot) || (this->is_pending(same_key) && place[same_key] < place[slot]);
            if (!latest) return pending.supersede(slot);
            store.index.place(hash, slot);
            if (same_key != no_slot) supersede(hash, same_key);
        });
        if (sound) undo.dismiss();
        return sound;
    }
    /// Whether directory, keys, index and pending slots agree in full; linear in capacity.
    constexpr bool is_sound() const {
        bool sound = directory.check_invariants() && store.index.is_sound(source()) &&
                     store.capacity() >= directory.capacity() &&
                     pending.is_sound([&](slot_t slot) { return !directory.is_live(slot) && directory.is_held(slot); });
        this->for_each_stored([&](slot_t slot) {
            const auto& key = store.keys.key_of(slot);
            sound = sound && store.keys.hash_at(slot) == store.keys.hash(key);
            if (directory.is_live(slot)) sound = sound && do_find(store.keys.hash_at(slot), key) == slot;
        });
        return sound;
    }

private:
    // The place in the index of the key that is read 16 elements later.
    template <std::size_t Row>
    SLOTWISE_ALWAYS_INLINE void prefetch_entry([[maybe_unused]] const ByteReader& in) const noexcept {
        if constexpr (Row != 0 && Keys::rehashes && requires { store.index.prefetch(std::uint64_t{}); })
            if (const auto bytes = in.peek(16 * Row, sizeof(typename Keys::key_type)); !bytes.empty()) {
                ByteReader key(bytes);
                store.index.prefetch(store.keys.hash(read_block<typename Keys::key_type>(key)));
            }
    }
    constexpr bool would_retire() const noexcept {
        bool any = directory.retired() != 0;
        if constexpr (O.exhaustion == Exhaustion::retire)
            this->for_each_stored([&](slot_t slot) {
                const std::uint32_t version = directory.version(slot);
                any = any || version == Directory::max_version || version == 0;
            });
        if constexpr (O.exhaustion == Exhaustion::retire)
            for (slot_t slot = 0; directory.reserved() != 0 && slot != directory.cursor(); ++slot)
                any = any || directory.is_reserved(slot, Directory::max_version);
        return any;
    }
    constexpr bool is_indexed(std::uint64_t hash, slot_t slot) const noexcept {
        return store.index.find(hash, [slot](slot_t each) { return each == slot; }) == slot;
    }
    template <std::size_t First>
    void discard_elements(Occupancy stored, slot_t end) noexcept {
        stored.for_each([&](slot_t slot) {
            if (slot >= end) return;
            if constexpr (First != 0) hub.template get<0>().destroy(slot);
            store.keys.destroy(slot);
        });
        Directory none{Bytes(allocator)};
        directory.swap(none);
        store.index.reset();
        while (!pending.empty()) static_cast<void>(pending.pop());
    }

    // Observers are being notified that it is resurrected, or, if extracting_, it is being extracted.
    slot_t transition_slot_ = no_slot;
    bool extracting_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
