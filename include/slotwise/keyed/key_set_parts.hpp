// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeySetParts: directory, keys, index and observers of a keyed container, and the steps in which they change together.
#ifndef SLOTWISE_KEYED_KEY_SET_PARTS_HPP
#define SLOTWISE_KEYED_KEY_SET_PARTS_HPP

#include "../slots/column_view.hpp"
#include "../slots/slot_directory.hpp"
#include "../slots/slot_observer.hpp"
#include "hash_index.hpp"
#include "pending_slots.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of every keyed container: state and steps, no interface. Each step leaves the parts in agreement or has no effect.
///
/// An element is entered in this order: slot (blocked), key, value and columns, index, live. Whoever looks from inside a
/// constructor or a hook does not find it yet; an index entry is always of a slot whose key is there.
/// @tparam Store keys by slot: KeyStore, AnyKeyStore @tparam Columns static observers; a map's first one holds its values
template <class Store, KeySetOptions O, class Allocator, template <class> class IndexOf, class... Columns>
class KeySetParts {
protected:
    using Directory = SlotDirectory<O.handle, O.exhaustion, O.reuse, Allocator>;
    using Hub = ObserverHub<Columns...>;
    using Index = IndexOf<Allocator>;
    static constexpr bool deferred = O.deferred_erase;

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
        const StoredBits stored(other);
        Directory directory(other.directory_, alloc);
        Index index(other.index_, alloc);
        auto pending = other.pending_.resized(other.pending_.room(), alloc);
        Hub hub(other.hub_, stored.view(), alloc);
        Store keys(other.keys_, stored.view(), other.directory_.capacity(), alloc);
        directory_.swap(directory);
        index_.swap(index);
        pending_.swap(pending);
        hub_.swap(hub);
        keys_.swap(keys);
    }
    constexpr KeySetParts(KeySetParts&& other) noexcept
        : directory_(std::move(other.directory_)), keys_(std::move(other.keys_)), index_(std::move(other.index_)),
          pending_(std::move(other.pending_)), hub_(std::move(other.hub_)), allocator_(other.allocator_) {}
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
    constexpr bool can_live_again(slot_t slot) const noexcept {
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
        /// @param awaited also the slot that is being resurrected: for one who attaches meanwhile it is still pending
        constexpr explicit StoredBits(const KeySetParts& parts, bool awaited = false) : live_(parts.directory_.occupancy()) {
            if constexpr (deferred) {
                auto words = words_.resized(live_.words().size(), 0);
                words_.swap(words);
                for (std::size_t w = 0; w != words_.size(); ++w) words_[w] = parts.stored_word(w);
                if (awaited && parts.awaited_ != no_slot) words_[bits::word_of(parts.awaited_)] |= bits::bit_of(parts.awaited_);
                live_ = {words_.data(), live_.size()};
            }
        }
        constexpr Occupancy view() const noexcept { return live_; }

    private:
        FlatArray<bits::word_t, std::allocator<std::byte>> words_{};
        Occupancy live_;
    };

    //=== finding ===//

    /// The live slot whose key equals `key`; also a pending one when `Any`, a live one first.
    template <bool Any = false, class K>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t locate(std::uint64_t hash, const K& key) const {
        if constexpr (!deferred)
            return index_.find(hash, [&](slot_t slot) {
                fetch_first(slot);
                return keys_.equals(slot, key);
            });
        else {
            slot_t found = no_slot;
            const slot_t live = index_.find(hash, [&](slot_t slot) {
                fetch_first(slot);
                if (!keys_.equals(slot, key)) return false;
                if (directory_.is_live_bit(slot)) return true;
                // Neither live nor pending: a constructor is at work on it. Of two pending ones that which can live again.
                if (Any && is_pending(slot) && (found == no_slot || !can_live_again(found))) found = slot;
                return false;
            });
            return Any && live == no_slot ? found : live;
        }
    }
    constexpr auto source() const noexcept {
        return [this](auto&& entry) {
            for_each_stored([&](slot_t slot) {
                if (!clearing_ || is_stored(slot)) entry(slot, keys_.hash_at(slot)); // in clear the dying are still marked
            });
        };
    }

    //=== inserting ===//

    /// Enters a key that may be there already.
    /// @param make_key builds the key of a slot: (slot, hash) @param make_first builds the value of the first column: (slot, kind, lost),
    /// where `lost` is set before an old value is given up; give_up(slot, found) hears that another element had come first.
    /// Both have `plain`: no user code runs. @tparam First 1 if there is such a column, else 0
    template <std::size_t First, class K, class MakeKey, class MakeFirst>
    constexpr InsertResult add(const K& key, MakeKey&& make_key, MakeFirst&& make_first) {
        expect_quiet();
        const std::uint64_t hash = keys_.hash(key);
        if constexpr (deferred) {
            const slot_t found = locate<true>(hash, key);
            if (found != no_slot) {
                if (directory_.is_live(found)) return {found, false, InsertKind::fresh};
                if (can_live_again(found)) return resurrect<First>(hash, found, make_first);
            }
        } else {
            const slot_t found = locate(hash, key);
            if (found != no_slot) return {found, false, InsertKind::fresh};
        }
        constexpr bool plain = Store::trivial && Hub::quiet && Hub::nothrow_insert && Index::nothrow_place && MakeKey::plain &&
                               std::remove_reference_t<MakeFirst>::plain;
        if (!directory_.has_room()) [[unlikely]]
            grow();
        if constexpr (plain) {
            if (!hub_.dynamic()) [[likely]] {
                index_.make_room(source());
                const slot_t slot = directory_.acquire_live();
                make_key(slot, hash);
                bool lost = false;
                make_first(slot, InsertKind::fresh, lost);
                hub_.template insert_nothrow<First>(slot);
                index_.place(hash, slot);
                ++inserts_;
                return {slot, true, InsertKind::fresh};
            }
        }
        return add_carefully<First>(hash, make_key, make_first);
    }

    template <std::size_t First, class MakeKey, class MakeFirst>
    SLOTWISE_NEVER_INLINE constexpr InsertResult add_carefully(std::uint64_t hash, MakeKey& make_key, MakeFirst& make_first) {
        const bool fresh = directory_.next_is_fresh();
        const slot_t slot = directory_.acquire();
        ScopeGuard give_back([&]() noexcept { directory_.unacquire(slot, fresh); });
        const std::size_t inserts = inserts_;
        make_key(slot, hash);
        ScopeGuard no_key([&]() noexcept { keys_.destroy(slot); });
        bool lost = false;
        make_first(slot, InsertKind::fresh, lost);
        ScopeGuard no_first([&]() noexcept {
            if constexpr (First != 0) hub_.template get<0>().destroy(slot);
        });
        if (inserts != inserts_) { // a constructor has inserted: perhaps this very key
            const slot_t found = locate(hash, keys_.key_of(slot));
            if (found != no_slot) return make_first.give_up(slot, found);
        }
        index_.make_room(source());
        hub_.template insert<First>(slot, InsertKind::fresh);
        ScopeGuard untell([&]() noexcept { hub_.template erased<First>(slot); });
        index_.place(hash, slot);
        untell.dismiss();
        no_first.dismiss();
        no_key.dismiss();
        give_back.dismiss();
        directory_.commit(slot);
        ++inserts_;
        return {slot, true, InsertKind::fresh};
    }

    template <std::size_t First, class MakeFirst>
    SLOTWISE_NEVER_INLINE constexpr InsertResult resurrect(std::uint64_t hash, slot_t slot, MakeFirst& make_first) {
        // While the value is built, the slot is nobody's: no flush erases it, and an insert of its key from inside gets another.
        // What throws before the old value is given up leaves the slot pending. Later there is nothing to go back to: the element is
        // erased, as the next flush would have done.
        pending_.remove(slot);
        const std::size_t inserts = inserts_;
        bool lost = false;
        ScopeGuard undo([&]() noexcept {
            if (!lost && is_listed(hash, slot)) return pending_.unremove(slot);
            erase_stored(slot);
        });
        make_first(slot, InsertKind::resurrected, lost);
        lost = true;
        // A constructor of the value, or a destructor in a column, may have inserted: perhaps this very key.
        const auto overtaken_by = [&] { return inserts == inserts_ ? no_slot : locate(hash, keys_.key_of(slot)); };
        if (const slot_t found = overtaken_by(); found != no_slot) return make_first.give_up(slot, found);
        {
            const slot_t outer = std::exchange(awaited_, slot);
            ScopeGuard told([&]() noexcept { awaited_ = outer; });
            hub_.template resurrect<First>(slot);
        }
        if (const slot_t found = overtaken_by(); found != no_slot) return make_first.give_up(slot, found);
        if (inserts != inserts_ && !is_listed(hash, slot)) { // the index was rebuilt meanwhile
            index_.make_room(source());
            index_.place(hash, slot);
        }
        undo.dismiss();
        directory_.commit(slot);
        ++inserts_;
        return {slot, true, InsertKind::resurrected};
    }

    //=== erasing ===//

    /// @pre directory_.is_live(slot)
    SLOTWISE_ALWAYS_INLINE constexpr void erase_slot(slot_t slot) noexcept {
        expect_quiet();
        if constexpr (deferred) {
            directory_.remove(slot);
            pending_.push(slot);
            hub_.removed(slot);
        } else {
            index_.erase(keys_.hash_at(slot), slot);
            erase_unlisted(slot);
        }
    }
    /// Erases by key; false when there is none. The key may be that of the element.
    template <class K>
    SLOTWISE_ALWAYS_INLINE constexpr bool erase_key(std::uint64_t hash, const K& key) {
        expect_quiet();
        if constexpr (deferred) {
            const slot_t slot = locate(hash, key);
            if (slot != no_slot) erase_slot(slot);
            return slot != no_slot;
        } else {
            const slot_t slot = index_.take(hash, [&](slot_t each) { return keys_.equals(each, key); });
            if (slot != no_slot) erase_unlisted(slot);
            return slot != no_slot;
        }
    }
    /// The index does not know the slot any more.
    SLOTWISE_ALWAYS_INLINE constexpr void erase_unlisted(slot_t slot) noexcept {
        if constexpr (Store::trivial && Hub::quiet) {
            if (!hub_.dynamic()) [[likely]] {
                directory_.end_life(slot);
                hub_.erase_static(slot);
                directory_.release_at_once(slot);
                return;
            }
        }
        erase_carefully(slot);
    }
    // The slot is blocked until key and columns are destroyed: a destructor may insert.
    SLOTWISE_NEVER_INLINE constexpr void erase_carefully(slot_t slot) noexcept {
        directory_.remove(slot);
        hub_.erase(slot);
        keys_.destroy(slot);
        directory_.release(slot);
    }
    /// Ends a pending element.
    constexpr void erase_stored(slot_t slot) noexcept {
        index_.erase(keys_.hash_at(slot), slot);
        hub_.erased(slot);
        keys_.destroy(slot);
        directory_.release(slot);
    }
    constexpr void flush_pending() noexcept {
        // Counted beforehand: what a destructor removes meanwhile waits for the next flush.
        for (std::size_t n = pending_.size(); n != 0 && !pending_.empty(); --n) erase_stored(pending_.pop());
    }
    constexpr void clear_elements() noexcept {
        if (deferred || clearing_) { // clearing: a destructor calls; the outer clear destroys the rest, newcomers go now
            for (slot_t slot = 0; slot < directory_.cursor(); ++slot)
                if (directory_.is_live(slot)) erase_slot(slot);
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
                directory_.strike(slot);
                keys_.destroy(slot);
            }
    }

    //=== capacity ===//

    SLOTWISE_COLD constexpr void grow() {
        if (directory_.capacity() >= max_slots())
            throw_length_error(
                "keyed container insert: every slot that the handle can name is in use, pending or retired; use more "
                "index bits, flush_removed(), or see recycle_retired()");
        const std::size_t want = keys_.grown_capacity();
        grow_to(want < max_slots() ? want : max_slots());
    }
    SLOTWISE_COLD constexpr void grow_to(std::size_t slots) {
        SLOTWISE_EXPECT(!resetting_, "keyed container: a destructor inserts during reset()");
        keys_.reserve(slots);
        const std::size_t room = keys_.capacity() < max_slots() ? keys_.capacity() : max_slots();
        const std::size_t before = directory_.capacity();
        auto pending = pending_.resized(deferred ? pending_room(room) : 0, allocator_);
        if (!directory_.covers(room)) {
            auto more = directory_.prepare(room, allocator_);
            hub_.capacity(before, room);
            directory_.adopt(more);
        } else
            hub_.capacity(before, room);
        pending_.swap(pending);
        directory_.set_capacity(room);
    }

    /// The end of everything, memory included. While a slot is retired, or would be now, that must be remembered: then the memory
    /// stays, and observers hear of a clear instead.
    constexpr void reset_all() noexcept {
        expect_quiet();
        SLOTWISE_EXPECT(!clearing_ && !resetting_, "keyed container: a destructor calls reset() during clear() or reset()");
        if (would_retire()) {
            clear_elements();
            flush_pending();
            return;
        }
        resetting_ = true;
        index_.reset();
        directory_.set_capacity(directory_.cursor()); // no room: an insert from a destructor is noticed in grow_to()
        const slot_t end = directory_.begin_clear();
        if constexpr (!Store::trivial) for_each_stored([this](slot_t slot) { keys_.destroy(slot); });
        directory_.end_clear(end);
        while (!pending_.empty()) directory_.release(pending_.pop());
        directory_.retreat();
        directory_.raise_floor(0);
        auto none = directory_.prepare_exactly(0, allocator_);
        auto no_pending = pending_.resized(0, allocator_);
        directory_.adopt(none);
        pending_.swap(no_pending);
        directory_.set_capacity(0);
        keys_.shrink(0);
        hub_.reset(); // last: one who attaches now must find nothing
        resetting_ = false;
    }

    /// So that the next insert cannot fail for want of memory.
    constexpr void make_room_for_one() {
        if (!directory_.has_room()) grow();
        index_.make_room(source());
    }
    /// Whether an insert that has room, a hash and an answer, can still throw.
    constexpr bool insert_is_safe() const noexcept { return Hub::nothrow_insert && Index::nothrow_place && !hub_.dynamic(); }

    //=== whole ===//

    constexpr void swap_contents(KeySetParts& other) noexcept {
        directory_.swap(other.directory_);
        keys_.swap(other.keys_);
        index_.swap(other.index_);
        pending_.swap(other.pending_);
        hub_.swap(other.hub_);
        exchange_allocators(allocator_, other.allocator_);
        std::swap(inserts_, other.inserts_);
    }
    // The contents of `other` become ours; our dynamic observers stay and hear of it, `other` dies with our old elements.
    constexpr void adopt(KeySetParts& other) {
        const StoredBits stored(other);
        hub_.clear_dynamic(directory_.occupancy());
        hub_.reset_dynamic();
        swap_contents(other);
        hub_.swap_dynamic(other.hub_);
        if (!hub_.dynamic()) return;
        ScopeGuard undo([&]() noexcept {
            hub_.clear_static(stored.view());
            forget_elements();
        });
        hub_.replay_dynamic(directory_.capacity(), stored.view());
        pending_.for_each([this](slot_t slot) { hub_.removed_dynamic(slot); });
        undo.dismiss();
    }
    // Keys are destroyed without a word to observers, which have gone with the contents or were told.
    void forget_elements() noexcept {
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
    constexpr void expect_quiet() const noexcept {
        SLOTWISE_EXPECT_DEBUG(!hub_.notifying(), "keyed container: an observer changes the container that is notifying it");
    }

    Directory directory_{};
    Store keys_{};
    Index index_{};
    PendingSlots<Allocator> pending_{};
    Hub hub_{};
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator_{};
    std::size_t inserts_ = 0;  // how an insert learns that there was another from inside
    slot_t awaited_ = no_slot; // of it observers are being told that it is resurrected
    bool clearing_ = false;
    bool resetting_ = false;

private:
    // Whoever looks for a string wants the value next; both are then on their way at once (2 % of a hit). Not for keys that are
    // compared in no time: there it cost more than it gave.
    constexpr void fetch_first([[maybe_unused]] slot_t slot) const noexcept {
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
    constexpr bool is_listed(std::uint64_t hash, slot_t slot) const noexcept {
        return index_.find(hash, [slot](slot_t each) { return each == slot; }) == slot;
    }
    // Doubled, because it is copied when it grows.
    constexpr std::size_t pending_room(std::size_t slots) const noexcept {
        return slots <= pending_.room() ? pending_.room() : slots < 2 * pending_.room() ? 2 * pending_.room() : slots;
    }
};

} // namespace detail
SLOTWISE_END

#endif
