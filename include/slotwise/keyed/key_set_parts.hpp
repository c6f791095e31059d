// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeySetParts: directory, keys, index and observers of a keyed container, and the steps in which they change together.
#ifndef SLOTWISE_KEYED_KEY_SET_PARTS_HPP
#define SLOTWISE_KEYED_KEY_SET_PARTS_HPP

#include "../core/insert_result.hpp"
#include "../slots/column_view.hpp"
#include "../slots/directory_check.hpp"
#include "../slots/observer_hub.hpp"
#include "../slots/pending_slots.hpp"
#include "hash_index.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of every keyed container: state and steps, no interface. Each step leaves the parts in agreement or has no effect.
///
/// An element is entered in this order: slot (blocked), key, value and columns, index, live. A constructor or a hook
/// that looks for it does not find it yet; an index entry is always of a slot whose key is there.
/// @tparam Store keys by slot: KeyStore, AnyKeyStore @tparam Columns static observers; a map's first one holds its values
template <class Store, KeySetOptions O, class Allocator, template <class> class IndexOf, class... Columns>
class KeySetParts {
protected:
    using Directory = SlotDirectory<O.handle, O.exhaustion, O.reuse, Allocator>;
    using Hub = ObserverHub<Columns...>;
    using Index = IndexOf<Allocator>;
    static constexpr bool deferred = O.deferred_erase;
    /// Whether a move, and a swap, call nothing of hash, equality and index that may throw.
    static constexpr bool nothrow_move = Store::nothrow_move && std::is_nothrow_move_constructible_v<Index>;
    static constexpr bool nothrow_index_swap = noexcept(std::declval<Index&>().swap(std::declval<Index&>()));
    static constexpr bool nothrow_swap = Store::nothrow_swap && nothrow_index_swap;

    constexpr KeySetParts() = default;
    constexpr KeySetParts(Store&& keys, const Allocator& alloc)
        : directory_(alloc), keys_(std::move(keys)), index_(alloc), pending_(alloc), hub_(alloc), allocator_(alloc) {}
    struct Like {};
    /// Nothing in it, but hashes, compares and describes like `other`.
    constexpr KeySetParts(Like, const KeySetParts& other, const Allocator& alloc)
        : directory_(alloc), keys_(Store::like(other.keys_, alloc)), index_(alloc), pending_(alloc),
          hub_(Hub::like(other.hub_, alloc)), allocator_(alloc) {}
    /// An exact copy. Keys come last: they are the one part that cannot tell by itself what to destroy when a later one throws.
    constexpr KeySetParts(const KeySetParts& other, const Allocator& alloc) : KeySetParts(Like(), other, alloc) {
        SLOTWISE_EXPECT(other.directory_.is_settled(other.pending_.size()),
                        "keyed container copy: the source is inside an operation; its elements and observers must not copy it");
        const StoredBits stored(other);
        Directory directory(other.directory_, alloc);
        Index index(other.index_, alloc);
        auto pending = other.pending_.resized(other.pending_.room(), alloc);
        Hub hub(other.hub_, stored.view(), alloc);
        Store keys(other.keys_, stored.view(), other.directory_.capacity(), alloc);
        SLOTWISE_EXPECT(directory.same_handles(other.directory_) && pending.size() == other.pending_.size(),
                        "keyed container copy: the copy of an element changes the container that is copied");
        directory_.swap(directory);
        index_.swap(index);
        pending_.swap(pending);
        hub_.swap(hub);
        keys_.swap_keys(keys); // hash and equality are here already, and their swap may throw
    }
    /// The keys first: if a copy of hash or equality throws, nothing has changed.
    constexpr KeySetParts(KeySetParts&& other) noexcept(nothrow_move)
        : directory_(other.allocator_), keys_(std::move(other.keys_)), index_(std::move(other.index_)),
          pending_(std::move(other.pending_)), hub_(std::move(other.hub_)), allocator_(other.allocator_) {
        directory_.swap(other.directory_);
    }
    KeySetParts(const KeySetParts&) = delete;
    KeySetParts& operator=(const KeySetParts&) = delete;
    KeySetParts& operator=(KeySetParts&&) = delete;
    ~KeySetParts() = default;

    static constexpr std::size_t max_slots() noexcept {
        return O.max_slots != 0 && O.max_slots < Directory::max_slots ? O.max_slots : Directory::max_slots;
    }
    constexpr DirectoryView directory_view() const noexcept {
        return {directory_.occupancy(), directory_.versions(), sizeof(typename Directory::version_type)};
    }

    //=== states ===//

    /// Removed, and key and columns still there.
    constexpr bool is_pending(slot_t slot) const noexcept { return deferred && pending_.contains(slot); }
    constexpr bool is_stored(slot_t slot) const noexcept { return directory_.is_live(slot) || is_pending(slot); }
    /// A pending slot that has used its last version cannot live again; its key then gets another slot.
    constexpr bool can_resurrect(slot_t slot) const noexcept {
        return O.exhaustion == Exhaustion::wrap || directory_.version(slot) != 0;
    }
    /// Calls f(slot) for every slot whose key is there, live or pending, in slot order.
    template <class F>
    constexpr void for_each_stored(F&& f) const {
        const Occupancy live = directory_.occupancy();
        for (std::size_t w = 0, end = live.words().size(); w != end; ++w)
            bits::for_each(stored_word(w), [&](unsigned bit) { f(static_cast<slot_t>(w * bits::word_bits + bit)); });
    }
    /// Live and pending slots as bits; a copy where the two differ.
    class StoredBits {
    public:
        /// @param awaited also the slot that is being resurrected or taken out: for one who attaches meanwhile it is still
        /// pending or live
        constexpr explicit StoredBits(const KeySetParts& parts, bool transition = false) : live_(parts.directory_.occupancy()) {
            const bool with_transition = transition && parts.transition_slot_ != no_slot;
            if (deferred || with_transition) {
                auto words = words_.resized(live_.words().size(), 0);
                words_.swap(words);
                for (std::size_t w = 0; w != words_.size(); ++w) words_[w] = parts.stored_word(w);
                if (with_transition) words_[bits::word_of(parts.transition_slot_)] |= bits::bit_of(parts.transition_slot_);
                live_ = {words_.data(), live_.size()};
            }
        }
        constexpr Occupancy view() const noexcept { return live_; }

    private:
        FlatArray<bits::word_t, std::allocator<std::byte>> words_{};
        Occupancy live_;
    };

    //=== finding ===//

    /// Equality may only look at the container that asks it; what is in the index would not be where the search goes on.
    template <class K>
    SLOTWISE_ALWAYS_INLINE constexpr bool equals(slot_t slot, const K& key) const {
        if constexpr (SLOTWISE_CHECK_LEVEL >= 2) {
            const std::size_t inserts = inserts_, size = directory_.size(), room = directory_.capacity(),
                              waiting = pending_.size();
            const bool equal = keys_.equals(slot, key);
            SLOTWISE_EXPECT_DEBUG(inserts == inserts_ && size == directory_.size() && room == directory_.capacity() &&
                                      waiting == pending_.size(),
                                  "keyed container: equality changes the container that asks it");
            return equal;
        } else
            return keys_.equals(slot, key);
    }

    /// The live slot whose key equals `key`; also a pending one when `Any`: the live one first, then the one that was removed
    /// last.
    template <bool Any = false, class K>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t do_find(std::uint64_t hash, const K& key) const {
        if constexpr (!deferred)
            return index_.find(hash, [&](slot_t slot) {
                prefetch_value(slot);
                return equals(slot, key);
            });
        else {
            slot_t found = no_slot;
            const slot_t live = index_.find(hash, [&](slot_t slot) {
                prefetch_value(slot);
                if (!equals(slot, key)) return false;
                if (directory_.is_live_bit(slot)) return true;
                // Neither live nor pending: a constructor is at work on it. Of two pending ones that which can live again.
                if (Any && is_pending(slot) && (found == no_slot || !can_resurrect(found))) found = slot;
                return false;
            });
            return Any && live == no_slot ? found : live;
        }
    }
    constexpr auto source() const noexcept {
        return [this](auto&& entry) {
            for_each_stored([&](slot_t slot) {
                if constexpr (deferred)
                    if (pending_.superseded(slot)) return;
                if (!clearing_ || is_stored(slot)) entry(slot, keys_.hash_at(slot)); // in clear the dying are still marked
            });
        };
    }

    /// The same for an index that lists all anew: it then forgets a slot that is being resurrected; resurrect() learns it by
    /// this.
    constexpr auto rebuild_source() noexcept {
        return [this](auto&& entry) {
            ++inserts_;
            source()(entry);
        };
    }

    //=== inserting ===//

    /// Enters a key that may be there already.
    /// @param make_key builds the key of a slot: (slot, hash) @param make_first builds the value of the first column: (slot,
    /// kind, lost), where `lost` is set before an old value is given up; on_existing(slot, found) hears that another element had
    /// come first. Both have `plain`: no user code runs. @tparam First 1 if there is such a column, else 0
    template <std::size_t First, class K, class MakeKey, class MakeFirst>
    constexpr InsertOutcome do_insert(const K& key, MakeKey&& make_key, MakeFirst&& make_first) {
        expect_not_notifying();
        const std::uint64_t hash = keys_.hash(key);
        slot_t exhausted_slot = no_slot; // a pending element has this key, and cannot live again
        if constexpr (deferred) {
            exhausted_slot = do_find<true>(hash, key);
            if (exhausted_slot != no_slot) {
                if (directory_.is_live(exhausted_slot)) return {exhausted_slot, false, InsertKind::fresh};
                if (can_resurrect(exhausted_slot)) return resurrect<First>(hash, exhausted_slot, make_first);
            }
        } else {
            const slot_t found = do_find(hash, key);
            if (found != no_slot) return {found, false, InsertKind::fresh};
        }
        constexpr bool trivial = Store::trivial && Hub::trivial && Hub::nothrow_insert && Index::nothrow_place &&
                                 MakeKey::trivial && std::remove_reference_t<MakeFirst>::trivial;
        if (!directory_.has_room()) [[unlikely]]
            grow();
        if constexpr (trivial) {
            if (!hub_.dynamic() && exhausted_slot == no_slot) [[likely]] {
                index_.make_room(rebuild_source());
                const slot_t slot = directory_.acquire_live();
                make_key(slot, hash);
                bool old_destroyed = false;
                make_first(slot, InsertKind::fresh, old_destroyed);
                hub_.template insert_nothrow<First>(slot);
                index_.place(hash, slot);
                ++inserts_;
                return {slot, true, InsertKind::fresh};
            }
        }
        return insert_guarded<First>(hash, exhausted_slot, make_key, make_first);
    }

    template <std::size_t First, class MakeKey, class MakeFirst>
    SLOTWISE_NEVER_INLINE constexpr InsertOutcome insert_guarded(std::uint64_t hash, slot_t exhausted_slot, MakeKey& make_key,
                                                                 MakeFirst& make_first) {
        const bool fresh = directory_.next_is_fresh();
        const slot_t slot = directory_.acquire();
        ScopeGuard undo_acquire([&]() noexcept { directory_.undo_acquire(slot, fresh); });
        const std::size_t inserts = inserts_;
        make_key(slot, hash);
        ScopeGuard undo_key([&]() noexcept { keys_.destroy(slot); });
        bool old_destroyed = false;
        make_first(slot, InsertKind::fresh, old_destroyed);
        ScopeGuard undo_first([&]() noexcept {
            if constexpr (First != 0) hub_.template get<0>().destroy(slot);
        });
        if (inserts != inserts_) { // a constructor has inserted: perhaps this very key
            exhausted_slot = do_find<deferred>(hash, keys_.key_of(slot));
            if (exhausted_slot != no_slot && directory_.is_live(exhausted_slot))
                return make_first.on_existing(slot, exhausted_slot);
        }
        index_.make_room(rebuild_source());
        hub_.template insert<First>(slot, InsertKind::fresh);
        ScopeGuard undo_notify([&]() noexcept { hub_.template erased<First>(slot); });
        index_.place(hash, slot);
        if (is_pending(exhausted_slot)) supersede(hash, exhausted_slot);
        undo_notify.dismiss();
        undo_first.dismiss();
        undo_key.dismiss();
        undo_acquire.dismiss();
        directory_.commit(slot);
        ++inserts_;
        return {slot, true, InsertKind::fresh};
    }

    /// The key of a pending element has another element: the index forgets the one that was. So it has one entry a key, however
    /// often a key comes and goes between two flushes, and finds the one that was removed last in O(1).
    constexpr void supersede(std::uint64_t hash, slot_t slot) noexcept {
        index_.erase(hash, slot);
        pending_.supersede(slot);
    }
    template <std::size_t First, class MakeFirst>
    SLOTWISE_NEVER_INLINE constexpr InsertOutcome resurrect(std::uint64_t hash, slot_t slot, MakeFirst& make_first) {
        // While the value is built, the slot is nobody's: no flush erases it, and an insert of its key from inside gets
        // another. What throws before the old value is given up leaves the slot pending. Later there is nothing to go back to:
        // the element is erased, as the next flush would have done.
        pending_.remove(slot);
        const std::size_t inserts = inserts_;
        bool old_destroyed = false;
        ScopeGuard undo([&]() noexcept {
            if (!old_destroyed && is_indexed(hash, slot)) return pending_.undo_remove(slot);
            erase_stored(slot);
        });
        make_first(slot, InsertKind::resurrected, old_destroyed);
        old_destroyed = true;
        // A constructor of the value, or a destructor in a column, may have inserted: perhaps this very key.
        const auto inserted_meanwhile = [&] { return inserts == inserts_ ? no_slot : do_find(hash, keys_.key_of(slot)); };
        if (const slot_t found = inserted_meanwhile(); found != no_slot) return make_first.on_existing(slot, found);
        {
            const slot_t outer = std::exchange(transition_slot_, slot);
            ScopeGuard end_transition([&]() noexcept { transition_slot_ = outer; });
            hub_.template resurrect<First>(slot);
        }
        if (const slot_t found = inserted_meanwhile(); found != no_slot) return make_first.on_existing(slot, found);
        if (inserts != inserts_ && !is_indexed(hash, slot)) { // the index was rebuilt meanwhile
            index_.make_room(rebuild_source());
            index_.place(hash, slot);
        }
        undo.dismiss();
        directory_.commit(slot);
        ++inserts_;
        return {slot, true, InsertKind::resurrected};
    }

    //=== erasing ===//

    /// @pre directory_.is_live(slot)
    SLOTWISE_ALWAYS_INLINE constexpr void do_erase(slot_t slot) noexcept {
        expect_not_notifying();
        if constexpr (deferred) {
            directory_.remove(slot);
            pending_.push(slot);
            hub_.removed(slot);
        } else {
            index_.erase(keys_.hash_at(slot), slot);
            erase_unindexed(slot);
        }
    }
    /// Erases by key; false when there is none. The key may be that of the element.
    template <class K>
    SLOTWISE_ALWAYS_INLINE constexpr bool do_erase_key(std::uint64_t hash, const K& key) {
        expect_not_notifying();
        if constexpr (deferred) {
            const slot_t slot = do_find(hash, key);
            if (slot != no_slot) do_erase(slot);
            return slot != no_slot;
        } else {
            const slot_t slot = index_.take(hash, [&](slot_t each) { return equals(each, key); });
            if (slot != no_slot) erase_unindexed(slot);
            return slot != no_slot;
        }
    }
    /// The index does not know the slot any more.
    SLOTWISE_ALWAYS_INLINE constexpr void erase_unindexed(slot_t slot) noexcept {
        if constexpr (Store::trivial && Hub::trivial) {
            if (!hub_.dynamic()) [[likely]] {
                directory_.erase(slot);
                hub_.erase_static(slot);
                return;
            }
        }
        erase_guarded(slot);
    }
    // The slot is blocked until key and columns are destroyed: a destructor may insert.
    SLOTWISE_NEVER_INLINE constexpr void erase_guarded(slot_t slot) noexcept {
        directory_.remove(slot);
        hub_.erase(slot);
        keys_.destroy(slot);
        directory_.release(slot);
    }
    /// Ends a pending element. The index may not know it.
    constexpr void erase_stored(slot_t slot) noexcept {
        index_.erase(keys_.hash_at(slot), slot);
        hub_.erased(slot);
        keys_.destroy(slot);
        directory_.release(slot);
    }
    /// Erases the element of which take() makes a copy, or from which it moves. Both may run user code: the slot is nobody's
    /// meanwhile, as in erase. What take() throws leaves the element where it was; if something was inserted meanwhile, perhaps
    /// this very key, it is erased. @tparam Plain take() runs no user code and throws nothing
    template <bool Trivial, class Take>
    constexpr void do_extract(slot_t slot, Take&& take) {
        expect_not_notifying();
        if constexpr (Trivial) {
            take();
            do_erase(slot);
        } else {
            const std::uint64_t hash = keys_.hash_at(slot);
            const std::size_t inserts = inserts_;
            if constexpr (!deferred) index_.erase(hash, slot);
            directory_.remove(slot);
            ScopeGuard undo([&]() noexcept {
                if (inserts == inserts_ && reindex(hash, slot)) return directory_.undo_remove(slot);
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
            finish_extract(hash, slot, inserts);
        }
    }
    /// Second half of do_extract.
    constexpr void finish_extract(std::uint64_t hash, slot_t slot, std::size_t inserts) noexcept {
        if constexpr (deferred) {
            pending_.push(slot);
            if (inserts != inserts_) supersede(hash, slot); // its key may be another's, or the index not know it any more
            hub_.removed(slot);
        } else {
            hub_.erase(slot);
            keys_.destroy(slot);
            directory_.release(slot);
        }
    }
    /// The entry of `slot` comes back into the index, which has the room it had. False when another table has none, and no
    /// memory.
    bool reindex([[maybe_unused]] std::uint64_t hash, [[maybe_unused]] slot_t slot) noexcept {
        if constexpr (deferred)
            return true;
        else if constexpr (Index::nothrow_place) {
            index_.place(hash, slot);
            return true;
        } else
            return try_place(hash, slot);
    }
    bool try_place(std::uint64_t hash, slot_t slot) noexcept {
#if defined(__cpp_exceptions)
        try {
            index_.place(hash, slot);
            return true;
        } catch (...) {
            return false;
        }
#else
        index_.place(hash, slot);
        return true;
#endif
    }
    constexpr void do_flush_removed() noexcept {
        // Counted beforehand: what a destructor removes meanwhile waits for the next flush.
        for (std::size_t n = pending_.size(); n != 0 && !pending_.empty(); --n) erase_stored(pending_.pop());
    }
    constexpr void do_clear() noexcept {
        if (deferred || clearing_) { // clearing: a destructor calls; the outer clear destroys the rest, newcomers go now
            for (slot_t slot = 0; slot < directory_.cursor(); ++slot)
                if (directory_.is_live(slot)) do_erase(slot);
            return;
        }
        if (directory_.cursor() == 0) return;
        clearing_ = true;
        index_.clear();
        const slot_t end = directory_.begin_clear();
        hub_.clear(directory_.occupancy());
        destroy_keys(end);
        directory_.end_clear(end);
        clearing_ = false;
    }
    // Struck one by one: a nested clear must not meet a key again.
    constexpr void destroy_keys(slot_t end) noexcept {
        if constexpr (!Store::trivial)
            for (slot_t slot = directory_.occupancy().find_next(0); slot < end;
                 slot = directory_.occupancy().find_next(slot + 1)) {
                directory_.mark_destroyed(slot);
                keys_.destroy(slot);
            }
    }

    //=== capacity ===//

    SLOTWISE_COLD constexpr void grow() {
        if (directory_.capacity() >= max_slots())
            throw_length_error(
                "keyed container insert: every slot that the handle can name is in use, pending or retired; use more "
                "index bits, flush_removed(), or see recycle_retired()");
        const std::size_t want = hub_.grown_capacity(keys_.grown_capacity());
        do_reserve(want < max_slots() ? want : max_slots());
    }
    SLOTWISE_COLD constexpr void do_reserve(std::size_t slots) {
        SLOTWISE_EXPECT(!resetting_, "keyed container: a destructor inserts during reset()");
        keys_.reserve(slots);
        const std::size_t room = hub_.capacity_for(slots, keys_.capacity() < max_slots() ? keys_.capacity() : max_slots());
        const std::size_t before = directory_.capacity();
        // Doubled, because it is copied when it grows; and only then: a copy at each growth by a page was quadratic.
        const bool full = deferred && room > pending_.room();
        auto pending = pending_.resized(!full ? 0 : room < 2 * pending_.room() ? 2 * pending_.room() : room, allocator_);
        if (!directory_.covers(room)) {
            auto more = directory_.prepare(room, allocator_);
            hub_.capacity(before, room);
            directory_.adopt(more);
        } else
            hub_.capacity(before, room);
        if (full) pending_.swap(pending);
        directory_.set_capacity(room);
    }

    /// The end of everything, memory included. While a slot is retired, or would be now, that must be remembered: then the
    /// memory stays, and observers hear of a clear instead.
    constexpr void do_reset() noexcept {
        expect_not_notifying();
        SLOTWISE_EXPECT(!clearing_ && !resetting_, "keyed container: a destructor calls reset() during clear() or reset()");
        if (would_retire()) {
            do_clear();
            do_flush_removed();
            return;
        }
        resetting_ = true;
        index_.reset();
        directory_.set_capacity(directory_.cursor()); // no room: an insert from a destructor is noticed in do_reserve()
        const slot_t end = directory_.begin_clear();
        if constexpr (!Store::trivial) for_each_stored([this](slot_t slot) { keys_.destroy(slot); });
        directory_.end_clear(end);
        while (!pending_.empty()) directory_.release(pending_.pop());
        directory_.lower_cursor();
        SLOTWISE_EXPECT(directory_.cursor() == 0, "keyed container: an element calls reset() while it is built or destroyed");
        auto none = directory_.prepare_shrink(0, 0, allocator_);
        auto no_pending = pending_.resized(0, allocator_);
        directory_.commit_shrink(none, 0);
        pending_.swap(no_pending);
        directory_.set_capacity(0);
        keys_.shrink(0);
        hub_.reset(); // last: one who attaches now must find nothing
        resetting_ = false;
    }

    /// So that the next insert cannot fail for want of memory.
    constexpr void reserve_one() {
        if (!directory_.has_room()) grow();
        index_.make_room(rebuild_source());
    }
    /// Whether an insert that has room, a hash and an answer, can still throw.
    constexpr bool nothrow_insert() const noexcept { return Hub::nothrow_insert && Index::nothrow_place && !hub_.dynamic(); }

    //=== whole ===//

    constexpr void swap_contents(KeySetParts& other) noexcept(nothrow_swap) {
        keys_.swap_functors(other.keys_);
        swap_elements(other);
    }
    /// Exchanges all but hash and equality.
    constexpr void swap_elements(KeySetParts& other) noexcept(nothrow_index_swap) {
        index_.swap(other.index_);
        directory_.swap(other.directory_);
        keys_.swap_keys(other.keys_);
        pending_.swap(other.pending_);
        hub_.swap(other.hub_);
        exchange_allocators(allocator_, other.allocator_);
        std::swap(inserts_, other.inserts_);
    }
    // The contents of `other` become ours; our dynamic observers stay and hear of it, `other` dies with our old elements.
    constexpr void adopt(KeySetParts& other) {
        const StoredBits bits(other);     // first, as it may throw
        keys_.swap_functors(other.keys_); // the same
        typename Hub::Exchange exchange(hub_, directory_.occupancy());
        swap_elements(other);
        hub_.swap_dynamic(other.hub_);
        if (!exchange.needed()) return;
        const Occupancy stored = deferred ? bits.view() : directory_.occupancy();
        ScopeGuard undo([&]() noexcept {
            hub_.clear_static(stored);
            destroy_unobserved();
        });
        exchange.replay(directory_.capacity(), stored, [this](auto&& removed) { pending_.for_each(removed); });
        undo.dismiss();
    }
    // Keys are destroyed without a word to observers, which have gone with the contents or were told.
    void destroy_unobserved() noexcept {
        index_.clear();
        while (!pending_.empty()) {
            const slot_t slot = pending_.pop();
            keys_.destroy(slot);
            directory_.release(slot);
        }
        const slot_t end = directory_.begin_clear();
        destroy_keys(end);
        directory_.end_clear(end);
    }
    constexpr void expect_not_notifying() const noexcept {
        SLOTWISE_EXPECT_DEBUG(!hub_.notifying(), "keyed container: an observer changes the container that is notifying it");
    }

    Directory directory_{};
    Store keys_{};
    Index index_{};
    PendingSlots<Allocator> pending_{};
    Hub hub_{};
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator_{};
    std::size_t inserts_ = 0; // how an insert learns that there was another from inside, or that the index was listed anew
    slot_t transition_slot_ =
        no_slot; // of it observers are being told that it is resurrected, or, if extracting_, it is being taken out
    bool extracting_ = false;
    bool clearing_ = false;
    bool resetting_ = false;

private:
    // A find of a string is followed by a read of its value; both are then on their way at once (2 % of a hit). Not for keys
    // that are compared in no time: there it cost more than it gave.
    constexpr void prefetch_value([[maybe_unused]] slot_t slot) const noexcept {
#if defined(__GNUC__)
        if constexpr (!Store::trivial && sizeof...(Columns) != 0) {
            if constexpr (requires { hub_.template get<0>().block(slot); })
                if (!std::is_constant_evaluated()) __builtin_prefetch(hub_.template get<0>().block(slot));
        }
#endif
    }
    constexpr bool would_retire() const noexcept {
        bool any = directory_.retired() != 0;
        if constexpr (O.exhaustion == Exhaustion::retire)
            for_each_stored([&](slot_t slot) {
                const std::uint32_t version = directory_.version(slot);
                any = any || version == Directory::max_version || version == 0;
            });
        return any;
    }
    constexpr bits::word_t stored_word(std::size_t w) const noexcept {
        bits::word_t word = directory_.occupancy().word(w);
        if constexpr (deferred) word |= pending_.word(w);
        return word;
    }
    constexpr bool is_indexed(std::uint64_t hash, slot_t slot) const noexcept {
        return index_.find(hash, [slot](slot_t each) { return each == slot; }) == slot;
    }
};

} // namespace detail
SLOTWISE_END

#endif
