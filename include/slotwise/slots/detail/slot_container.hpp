// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotContainer: the one engine under slot maps and keyed containers: directory, store, observers and allocator, and the steps
// that change them together. Before it stand its options, the elements whose erase is deferred (PendingSlots), and the steps
// that containers of many types share (SlotSteps); behind it a walk that anything may interrupt (PresentRange).
#ifndef SLOTWISE_SLOTS_DETAIL_SLOT_CONTAINER_HPP
#define SLOTWISE_SLOTS_DETAIL_SLOT_CONTAINER_HPP

#include "../../core/detail/iterators.hpp"
#include "../../core/scope_guard.hpp"
#include "../../fwd.hpp"
#include "../column_view.hpp"
#include "../slot_directory.hpp"
#include "../snapshot.hpp"
#include "absence.hpp"
#include "observer_hub.hpp"
#include "slot_store.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The options of a SlotContainer, as the options of the containers over it give them.
struct SlotContainerOptions {
    HandleLayout handle{};
    Exhaustion exhaustion = Exhaustion::retire;
    Reuse reuse = Reuse::lowest;
    std::size_t max_slots = 0;            ///< 0: what handle and store allow
    bool deferred_erase = false;          ///< erased slots are pending until do_flush_removed()
    bool columns_share_allocator = false; ///< static columns take the container's allocator; otherwise they have their own
    slot_t first_slot = 0;                ///< 1: slot 0 is retired as soon as it has memory
    bool atomic_versions = false;         ///< lookups of any issued handle may run beside one writer
};

/// The slots of removed elements that wait to be erased, oldest first: a queue in which each slot is at most once, and their
/// bits. It has room for every slot, so that no step allocates. All steps are O(1). A slot may be superseded: its key was
/// inserted again, in another slot.
template <class Allocator>
class PendingSlots {
    using Block = FlatArray<bits::word_t, Allocator>;
    using Words = PlacedArray<bits::word_t>;
    using Queue = FreeSlots<Reuse::fifo, Allocator, Words>;

public:
    constexpr PendingSlots() = default;
    constexpr explicit PendingSlots(const Allocator& alloc) noexcept : block_(alloc) {}
    /// The same queue as `other` with room for `slot_count` slots, in memory of `alloc`. @pre no slot of the queue is that high
    /// Throws what the allocator throws
    constexpr PendingSlots(const PendingSlots& other, std::size_t slot_count, const Allocator& alloc) : block_(alloc) {
        const std::size_t words = bits::word_count(slot_count), whole = words * bits::word_bits; // as far as room() says
        Block::unmade(Queue::words_for(whole) + 2 * words, alloc).swap(block_);
        ArrayPlace place{block_.data()};
        other.queue_.resized(whole, place).swap(queue_);
        other.bits_.resized(words, 0, place).swap(bits_);
        other.superseded_.resized(words, 0, place).swap(superseded_);
    }
    constexpr void swap(PendingSlots& other) noexcept {
        block_.swap(other.block_);
        queue_.swap(other.queue_);
        bits_.swap(other.bits_);
        superseded_.swap(other.superseded_);
    }
    /// This queue with room for `slot_count` slots. @throws what the allocator throws
    constexpr PendingSlots resized(std::size_t slot_count, const Allocator& alloc) const { return {*this, slot_count, alloc}; }

    /// How many slots fit, rounded up to a word.
    constexpr std::size_t room() const noexcept { return bits_.size() * bits::word_bits; }
    constexpr std::size_t memory_usage() const noexcept { return block_.memory_usage(); }
    constexpr std::size_t size() const noexcept { return queue_.size(); }
    constexpr bool empty() const noexcept { return queue_.empty(); }
    constexpr bool contains(slot_t slot) const noexcept {
        return slot < room() && (bits_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    /// Whether the slot is in the queue and another has its key.
    constexpr bool superseded(slot_t slot) const noexcept {
        return contains(slot) && (superseded_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    /// Bits of the slots in the queue. @pre w < word_count(room())
    constexpr bits::word_t word(std::size_t w) const noexcept { return bits_[w]; }
    /// Calls f(slot) for each, oldest first.
    template <class F>
    constexpr void for_each(F&& f) const {
        queue_.order(f);
    }

    /// Whether queue and bits agree, and is_member(slot) of each; for check_invariants.
    template <class IsMember>
    constexpr bool is_sound(IsMember&& is_member) const {
        std::size_t marked = 0;
        for (std::size_t w = 0; w != bits_.size(); ++w) marked += bits::count(bits_[w]);
        return marked == size() && queue_.is_sound([&](slot_t slot) { return contains(slot) && is_member(slot); });
    }

    /// @pre slot < room(), and it is not in the queue
    constexpr void push(slot_t slot) noexcept {
        bits_[bits::word_of(slot)] |= bits::bit_of(slot);
        superseded_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        queue_.push(slot);
    }
    /// Another slot has the key of this one. @pre contains(slot)
    constexpr void supersede(slot_t slot) noexcept { superseded_[bits::word_of(slot)] |= bits::bit_of(slot); }
    /// No other slot has its key any more. @pre contains(slot)
    constexpr void undo_supersede(slot_t slot) noexcept { superseded_[bits::word_of(slot)] &= ~bits::bit_of(slot); }
    /// Removes and returns the oldest. @pre !empty()
    constexpr slot_t pop() noexcept {
        const slot_t slot = queue_.pop(0);
        bits_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        return slot;
    }
    /// Removes `slot` from any position. @pre contains(slot)
    constexpr void remove(slot_t slot) noexcept {
        queue_.remove(slot, 0);
        bits_[bits::word_of(slot)] &= ~bits::bit_of(slot);
    }
    /// Undoes remove(): the slot returns to its place, if its neighbours are still neighbours.
    constexpr void undo_remove(slot_t slot) noexcept {
        queue_.undo_remove(slot, [this](slot_t each) noexcept { return contains(each); });
        bits_[bits::word_of(slot)] |= bits::bit_of(slot);
    }

private:
    Block block_{}; // what the others lie in
    Queue queue_{};
    Words bits_{};
    Words superseded_{}; // of slots in the queue; meaningless for others
};

#ifdef SLOTWISE_COMPILED
extern template class PendingSlots<std::allocator<std::byte>>;
#endif

/// PendingSlots of a container whose erase is not deferred: there are none. As an empty member it is built by its constructors
/// only. Built from the result of a function, clang 16 for Windows writes over the member beside it (LLVM #64253, #64077).
struct NoPendingSlots {
    constexpr NoPendingSlots() noexcept = default;
    template <class Allocator>
    constexpr explicit NoPendingSlots(const Allocator&) noexcept {}
    template <class Allocator>
    constexpr NoPendingSlots(const NoPendingSlots&, std::size_t, const Allocator&) noexcept {}
    static constexpr void swap(NoPendingSlots&) noexcept {}
    template <class Allocator>
    static constexpr NoPendingSlots resized(std::size_t, const Allocator&) noexcept {
        return {};
    }
    static constexpr std::size_t room() noexcept { return 0; }
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    static constexpr std::size_t size() noexcept { return 0; }
    static constexpr bool empty() noexcept { return true; }
    static constexpr bool contains(slot_t) noexcept { return false; }
    static constexpr bool superseded(slot_t) noexcept { return false; }
    static constexpr bits::word_t word(std::size_t) noexcept { return 0; }
    template <class F>
    static constexpr void for_each(F&&) noexcept {}
    template <class IsMember>
    static constexpr bool is_sound(IsMember&&) noexcept {
        return true;
    }
    static constexpr void supersede(slot_t) noexcept {}
    static constexpr slot_t pop() noexcept { return no_slot; }
};

/// The slots that are live or pending, as bits. They are a copy only if some are pending.
template <class Directory, class Pending>
class StoredSlots {
    static constexpr bool deferred = !std::is_same_v<Pending, NoPendingSlots>;

public:
    /// @param also a further slot that counts as stored, or no_slot
    constexpr explicit StoredSlots(const Directory& directory, const Pending& pending, slot_t also = no_slot)
        : live_(directory.occupancy()) {
        if (!deferred && also == no_slot) return;
        auto words = words_.resized(live_.words().size(), 0);
        words_.swap(words);
        for (std::size_t w = 0; w != words_.size(); ++w) words_[w] = live_.word(w) | (deferred ? pending.word(w) : 0);
        if (also != no_slot) words_[bits::word_of(also)] |= bits::bit_of(also);
        live_ = {words_.data(), live_.size()};
    }
    constexpr Occupancy view() const noexcept { return live_; }

private:
    FlatArray<bits::word_t, std::allocator<std::byte>> words_{};
    Occupancy live_;
};

/// A slot from acquire_slot().
struct AcquiredSlot {
    slot_t slot;
    bool fresh; ///< for undo_acquire()
};
/// Takes the next slot, for inserts that anything may interrupt. Containers of many types share it. @pre there is room
template <class Directory>
SLOTWISE_NEVER_INLINE constexpr AcquiredSlot acquire_slot(Directory& directory) noexcept {
    const bool fresh = directory.next_is_fresh();
    return {directory.acquire(), fresh};
}

/// An erase in several steps: the slot leaves its word without a live one, its versions are used up, or dynamic observers are
/// notified. These may insert, so the slot is blocked until all are notified. Containers of many types share it.
/// @param dynamic the attached observers; null: none
template <class Directory>
SLOTWISE_NEVER_INLINE constexpr void erase_silently(Directory& directory, ObserverCell* dynamic, slot_t slot) noexcept {
    if (dynamic == nullptr) return directory.erase(slot);
    directory.remove(slot);
    NotifyDynamic::erase(*dynamic, slot, [] {});
    directory.release(slot);
}

/// Steps that are rare, or linear in slots. A hundred element types without columns have them once: they read no element.
template <class Directory, class Pending, class Hub>
struct SlotSteps {
    /// Whether growth would add no slot for an element.
    static constexpr bool cannot_grow(const Directory& directory, std::size_t limit, slot_t first_slot) noexcept {
        return (directory.capacity() < first_slot ? first_slot : directory.capacity()) >= limit;
    }
    /// The slots that growth should make room for, or a std::length_error with the text `full` when no slot is left.
    /// @param usual what the store asks for @param most slots that the container can have
    SLOTWISE_NEVER_INLINE static constexpr std::size_t grown(const Directory& directory, const Hub& hub, std::size_t usual,
                                                             std::size_t most, slot_t first_slot, const char* full) {
        const std::size_t limit = directory.limit() < most ? directory.limit() : most;
        if (cannot_grow(directory, limit, first_slot)) throw_length_error(full);
        std::size_t want = hub.grown_capacity(usual);
        if (want <= first_slot) want = first_slot + std::size_t{1};
        return want < limit ? want : limit;
    }
    SLOTWISE_NEVER_INLINE static constexpr void expect_not_resetting(bool resetting) noexcept {
        SLOTWISE_EXPECT(!resetting, "container reset(): a destructor inserts meanwhile; it must not");
    }
    /// Room in all parts but the store. @param room slots that the store has room for @param most that the container can have
    /// Throws what the allocator and observers throw. Strong
    template <class Bytes>
    SLOTWISE_NEVER_INLINE static constexpr void reserve(Directory& directory, Pending& pending, Hub& hub, const Bytes& bytes,
                                                        std::size_t slot_count, std::size_t room, std::size_t most) {
        const std::size_t limit = directory.limit() < most ? directory.limit() : most;
        room = hub.capacity_for(slot_count, room < limit ? room : limit);
        const std::size_t before = directory.capacity();
        // Doubled, because it is copied when it grows. A copy at each growth by a page was quadratic.
        const bool full = !std::is_same_v<Pending, NoPendingSlots> && room > pending.room();
        auto more_pending = pending.resized(!full ? 0 : room < 2 * pending.room() ? 2 * pending.room() : room, bytes);
        if (!directory.covers(room)) {
            auto more = directory.prepare(room, bytes);
            hub.capacity(before, room);
            directory.adopt(more);
        } else
            hub.capacity(before, room);
        if (full) pending.swap(more_pending);
        directory.set_capacity(room);
    }
    /// The second half of an insert that observers are notified of: the slot was acquired and its element built. Returns its
    /// version. Throws what an observer throws. The slot is free again then
    SLOTWISE_NEVER_INLINE static constexpr std::uint32_t notify_insert(Directory& directory, Hub& hub, slot_t slot,
                                                                       bool was_fresh) {
        ScopeGuard undo([&]() noexcept { directory.undo_acquire(slot, was_fresh); });
        hub.insert(slot, InsertKind::fresh);
        undo.dismiss();
        directory.commit(slot);
        return directory.version(slot);
    }
    /// An erase in several steps, see erase_silently(). @pre directory.is_live(slot)
    static constexpr void erase_rarely(Directory& directory, Hub& hub, slot_t slot) noexcept {
        if constexpr (Hub::silent_erase)
            erase_silently(directory, hub.dynamic_cell(), slot);
        else
            erase_with_columns(directory, hub, slot);
    }
    /// @param clearing whether an outer clear runs and its observer calls this: the outer one then does the rest
    SLOTWISE_NEVER_INLINE static constexpr void clear(Directory& directory, Hub& hub, bool& clearing) noexcept {
        if (clearing) return erase_live(directory, hub);
        if (directory.cursor() == 0) return;
        clearing = true;
        const slot_t end = directory.begin_clear();
        hub.clear(directory.occupancy());
        directory.end_clear(end);
        clearing = false;
    }
    /// What a destructor does before the memory is freed.
    SLOTWISE_NEVER_INLINE static constexpr void end(Directory& directory, Hub& hub, bool& clearing) noexcept {
        if (directory.size() != 0) hub.expect_not_notifying();
        if (!Hub::silent_erase || hub.dynamic()) { // otherwise nobody is told, and the versions need not be walked
            do {                                   // again, because an observer may insert
                clear(directory, hub, clearing);
            } while (directory.size() != 0);
        }
        hub.detach_all();
    }

private:
    SLOTWISE_NEVER_INLINE static constexpr void erase_with_columns(Directory& directory, Hub& hub, slot_t slot) noexcept {
        if (!hub.dynamic()) {
            directory.erase(slot);
            return hub.erase_static(slot);
        }
        directory.remove(slot);
        hub.erase(slot);
        directory.release(slot);
    }
    static void erase_live(Directory& directory, Hub& hub) noexcept {
        for (slot_t slot = 0; slot < directory.cursor(); ++slot) {
            if (!directory.is_live(slot)) continue;
            hub.expect_not_notifying();
            erase_rarely(directory, hub, slot);
        }
    }
};

/// State and steps without an interface. The interfaces over it access its parts. Each step leaves the parts consistent or has
/// no effect. It must not know values, keys, hashing or handle types: those are matters of the store and of the interface.
/// Directory, pending slots and snapshots do not depend on the element: they are templates over options and an allocator of
/// bytes, so that containers of many types share one instantiation.
template <class StoreType, SlotContainerOptions O, class Allocator, class... Observers>
class SlotContainer {
public:
    using Store = StoreType;
    using Bytes = rebind_t<Allocator, std::byte>;
    /// Slots of the directory's reserved address space, which the store determines.
    static constexpr std::size_t steady = [] {
        if constexpr (requires { Store::steady; })
            return Store::steady;
        else
            return std::size_t{0};
    }();
    using Directory = SlotDirectory<O.handle, O.exhaustion, O.reuse, Bytes, steady, O.atomic_versions>;
    using Pending = std::conditional_t<O.deferred_erase, PendingSlots<Bytes>, NoPendingSlots>;
    using Hub = ObserverHub<Observers...>;
    static_assert(O.first_slot <= 1, "Options: first_slot must be 0 or 1");
    static_assert(O.first_slot == 0 || O.exhaustion == Exhaustion::retire, "Options: first_slot = 1 needs Exhaustion::retire");

    static constexpr bool deferred = O.deferred_erase;
    /// Whether neither construction nor destruction of an element, nor destruction of a column's value, runs user code.
    static constexpr bool trivial = Store::trivial && Hub::trivial;
    /// Whether an erase does nothing to an element, so that containers of many types share steps.
    static constexpr bool shares_steps = trivial && !deferred && requires { requires Store::trivial_destroy; };
    using Steps = SlotSteps<Directory, Pending, Hub>;
    /// Whether a move and a swap call no function of hash, equality and index that may throw.
    static constexpr bool nothrow_move = std::is_nothrow_move_constructible_v<Store>;
    static constexpr bool nothrow_element_swap = noexcept(std::declval<Store&>().swap(std::declval<Store&>()));
    static constexpr bool nothrow_swap = [] {
        if constexpr (Store::indexed)
            return nothrow_element_swap&& noexcept(std::declval<Store&>().swap_functors(std::declval<Store&>()));
        else
            return nothrow_element_swap;
    }();

    //=== construct, copy, move ===//

    constexpr SlotContainer() = default;
    constexpr explicit SlotContainer(const Allocator& alloc) : SlotContainer(Store(alloc), alloc) {}
    /// `other`, inside of which no operation runs (checked at level fast).
    static constexpr const SlotContainer& quiescent(const SlotContainer& other) noexcept {
        SLOTWISE_EXPECT(other.directory.is_quiescent(other.pending.size()),
                        "container copy: the source is inside an operation; its elements and observers must not copy it");
        return other;
    }
    constexpr SlotContainer(Store&& empty, const Allocator& alloc)
        : directory(Bytes(alloc)), pending(Bytes(alloc)), store(std::move(empty)), hub(alloc), allocator(alloc) {}
    struct EmptyCopyTag {};
    /// An empty container with the hash, equality and type descriptors of `other`.
    constexpr SlotContainer(EmptyCopyTag, const SlotContainer& other, const Allocator& alloc)
        : directory(Bytes(alloc)), pending(Bytes(alloc)), store(empty_like(other.store, alloc)),
          hub(Hub::like(other.hub, alloc)), allocator(alloc) {}
    constexpr SlotContainer(const SlotContainer& other)
        : SlotContainer(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.allocator)) {}
    /// The elements come last: if a column's copy throws, there are none to destroy. A store does not know which of its
    /// elements are live.
    constexpr SlotContainer(const SlotContainer& other, const Allocator& alloc)
        : directory(quiescent(other).directory, Bytes(alloc)), pending(other.pending, other.pending.room(), Bytes(alloc)),
          store(empty_like(other.store, alloc)), hub(copy_columns(other.hub, StoredBits(directory, pending).view(), alloc)),
          allocator(alloc) {
        const StoredBits stored(directory, pending);
        Store elements(other.store, stored.view(), directory.capacity(), alloc, [&](slot_t slot) {
            SLOTWISE_EXPECT(other.is_stored(slot), "container copy: the copy of an element changes the source; it must not");
        });
        if constexpr (!Store::trivial || sizeof...(Observers) != 0)
            SLOTWISE_EXPECT(directory.same_handles(other.directory) && pending.size() == other.pending.size(),
                            "container copy: the copy of an element changes the source; it must not");
        store.swap(elements);
    }
    struct TransformTag {};
    /// The slots and columns of a container of other elements; make(slot) is the new element of each. It must not change
    /// `other` (checked at level fast).
    template <class Other, class Make>
    constexpr SlotContainer(TransformTag, const Other& other, const Allocator& alloc, Make&& make)
        : directory(other.quiescent(other).directory, Bytes(alloc)), pending(other.pending, other.pending.room(), Bytes(alloc)),
          store(alloc), hub(copy_columns(other.hub, StoredBits(directory, pending).view(), alloc)), allocator(alloc) {
        const StoredBits stored(directory, pending);
        store.reserve(directory.capacity());
        std::size_t built = 0;
        ScopeGuard undo([&]() noexcept {
            other.store.for_each_stored(stored.view(), [&](slot_t slot) {
                if (built != 0) store.destroy(slot), --built;
            });
        });
        other.store.for_each_stored(stored.view(), [&](slot_t slot) {
            SLOTWISE_EXPECT(other.is_stored(slot),
                            "slot map transform(f): f changes the map that it is called for; it must not");
            store.construct_with(slot, [&]() -> decltype(auto) { return make(slot); });
            ++built;
        });
        SLOTWISE_EXPECT(directory.same_handles(other.directory) && pending.size() == other.pending.size(),
                        "slot map transform(f): f changes the map that it is called for; it must not");
        undo.dismiss();
    }
    /// `other` is then empty and usable. The store comes first: if a copy of hash or equality throws, nothing has changed.
    constexpr SlotContainer(SlotContainer&& other) noexcept(nothrow_move)
        : directory(Bytes(other.allocator)), pending(Bytes(other.allocator)), store(std::move(other.store)),
          hub(std::move(other.hub)), allocator(other.allocator) {
        directory.swap(other.directory);
        pending.swap(other.pending);
    }
    /// With unequal allocators the elements are moved one by one; the store may copy elements whose move may throw.
    constexpr SlotContainer(SlotContainer&& other, const Allocator& alloc) : SlotContainer(EmptyCopyTag(), other, alloc) {
        if (alloc == other.allocator) {
            swap_elements(other);
            return;
        }
        SlotContainer replacement(EmptyCopyTag(), other, other.allocator);
        const StoredBits stored(other.directory, other.pending);
        Directory same_slots(other.directory, Bytes(alloc));
        auto same_pending = other.pending.resized(other.pending.room(), Bytes(alloc));
        if (const std::size_t slot_count = other.directory.capacity(); slot_count != 0) {
            store.reserve(slot_count);
            if (O.columns_share_allocator) hub.capacity(0, slot_count);
        }
        // First the steps that may throw. They copy and leave the source unchanged.
        if constexpr (O.columns_share_allocator) hub.take_from(other.hub, stored.view(), true);
        store.take_from(other.store, stored.view());
        if constexpr (O.columns_share_allocator) {
            hub.take_from(other.hub, stored.view(), false);
            hub.swap_dynamic(other.hub);
        } else
            hub.swap(other.hub);
        directory.swap(same_slots);
        pending.swap(same_pending);
        other.swap_elements(replacement);                                 // which destroys the moved-from elements
        if (!O.columns_share_allocator) replacement.destroy_unobserved(); // its observers were not notified of these
    }
    constexpr SlotContainer& operator=(const SlotContainer& other) {
        if (this == &other) return *this;
        SlotContainer copy(other, propagates_on_copy<Allocator> ? other.allocator : allocator);
        adopt(copy);
        return *this;
    }
    constexpr SlotContainer& operator=(SlotContainer&& other) noexcept(nothrow_move&& nothrow_swap &&
                                                                       (propagates_on_move<Allocator> ||
                                                                        always_equal<Allocator>)) {
        if (this == &other) return *this;
        if (propagates_on_move<Allocator> || allocator == other.allocator) {
            SlotContainer old(EmptyCopyTag(), other, other.allocator);
            exchange_old(old);
            swap_elements(other);
        } else {
            SlotContainer taken(std::move(other), allocator);
            exchange_old(taken);
        }
        return *this;
    }
    constexpr ~SlotContainer() {
        static_assert(SlotStore<Store>); // here, because an element may have a container of its own type as a member
        if constexpr (shares_steps && !Store::indexed)
            Steps::end(directory, hub, clearing);
        else {
            if (directory.size() != 0) expect_not_notifying();
            do { // again, because a destructor may insert
                do_clear();
                do_flush_removed();
            } while (directory.size() != 0);
            hub.detach_all();
        }
    }
    constexpr void swap(SlotContainer& other) noexcept(nothrow_swap &&
                                                       (propagates_on_swap<Allocator> || always_equal<Allocator>)) {
        if (propagates_on_swap<Allocator> || always_equal<Allocator> || allocator == other.allocator)
            return swap_contents(other);
        SlotContainer mine(std::move(*this), other.allocator), theirs(std::move(other), allocator);
        swap_contents(theirs);
        other.swap_contents(mine); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
    }
    /// Exchanges everything, including the allocators.
    constexpr void swap_contents(SlotContainer& other) noexcept(nothrow_swap) {
        if constexpr (Store::indexed) store.swap_functors(other.store);
        swap_elements(other);
    }
    /// The same without hash and equality.
    constexpr void swap_elements(SlotContainer& other) noexcept(nothrow_element_swap) {
        store.swap(other.store); // first, because an index may throw
        directory.swap(other.directory);
        pending.swap(other.pending);
        hub.swap(other.hub);
        exchange_allocators(allocator, other.allocator);
    }
    /// Takes the contents of `other`. Our dynamic observers stay and are notified. `other` then destroys our old elements.
    constexpr void adopt(SlotContainer& other) {
        adopt(other, [] {});
    }
    /// The same. @param also exchanges what belongs to the elements, and does not throw
    template <class Also>
    constexpr void adopt(SlotContainer& other, Also&& also) {
        const StoredBits bits(other.directory, other.pending);          // first, because it may throw
        if constexpr (Store::indexed) store.swap_functors(other.store); // may throw too
        typename Hub::Exchange exchange(hub, directory.occupancy());
        swap_elements(other);
        hub.swap_dynamic(other.hub);
        also();
        if (!exchange.needed()) return;
        const Occupancy stored = deferred ? bits.view() : directory.occupancy();
        ScopeGuard undo([&]() noexcept {
            hub.clear_static(stored);
            destroy_unobserved();
        });
        exchange.replay(directory.capacity(), stored, [&](auto&& removed) { pending.for_each(removed); });
        undo.dismiss();
    }
    /// Destroys the elements without notifying observers, which went with the contents or were notified.
    constexpr void destroy_unobserved() noexcept {
        if constexpr (Store::indexed) store.unlist_all();
        while (!pending.empty()) {
            const slot_t slot = pending.pop();
            store.destroy(slot);
            directory.release(slot);
        }
        const slot_t end = directory.begin_clear();
        store.destroy_all(directory, end);
        directory.end_clear(end);
    }

    //=== states ===//

    static constexpr std::size_t max_slots() noexcept {
        std::size_t limit = O.max_slots != 0 && O.max_slots < Directory::max_slots ? O.max_slots : Directory::max_slots;
        if (limit > Store::max_slots) limit = Store::max_slots;
        return limit < Hub::max_slots() ? limit : Hub::max_slots();
    }
    /// The same now: less when the directory has a limit.
    constexpr std::size_t slot_limit() const noexcept {
        return directory.limit() < max_slots() ? directory.limit() : max_slots();
    }
    constexpr DirectoryView directory_view() const noexcept {
        return {directory.occupancy(), directory.versions(), sizeof(typename Directory::version_type)};
    }
    /// Whether the element was removed and is still readable.
    constexpr bool is_pending(slot_t slot) const noexcept { return deferred && pending.contains(slot); }
    constexpr bool is_stored(slot_t slot) const noexcept { return directory.is_live(slot) || is_pending(slot); }
    constexpr SlotState state(slot_t slot) const noexcept {
        return is_pending(slot) ? SlotState::pending : directory.state(slot);
    }
    /// Why {slot, version} does or does not name an element.
    constexpr HandleStatus explain(slot_t slot, std::uint32_t version) const noexcept {
        if (!is_pending(slot)) return directory.explain(slot, version);
        const bool last = directory.version(slot) == HandleTraits<O.handle>::wrapped(version + 1u);
        return last && (version & 1u) != 0 ? HandleStatus::pending : HandleStatus::stale;
    }
    /// Throws std::out_of_range with `message`, and why the handle has no element.
    template <class H>
    [[noreturn]] SLOTWISE_COLD void throw_no_element(const char* message, H handle) const {
        const slot_t at = handle.index();
        const std::uint32_t now = at < directory.capacity() ? directory.version(at) : 0; // above the cursor after a clear, too
        const bool waits = at < directory.cursor() && explain(at, handle.version()) == HandleStatus::pending;
        throw_absent(message, handle.to_text(), waits ? detail::is_pending : directory.absence(at, handle.version()),
                     {at, now, state(at), at < directory.cursor() || now != 0});
    }
    /// The stored slots of word `w`.
    constexpr bits::word_t stored_word(std::size_t w) const noexcept {
        return directory.occupancy().word(w) | (deferred ? pending.word(w) : 0);
    }
    /// Calls f(slot) for every slot whose element is there, live or pending, in slot order.
    template <class F>
    constexpr void for_each_stored(F&& f) const {
        const Occupancy live = directory.occupancy();
        for (std::size_t w = 0, end = live.words().size(); w != end; ++w)
            bits::for_each(stored_word(w), [&](unsigned bit) { f(static_cast<slot_t>(w * bits::word_bits + bit)); });
    }
    using StoredBits = StoredSlots<Directory, Pending>;

    //=== capacity ===//

    /// Slots that no element can use now.
    constexpr std::size_t unusable() const noexcept {
        const bool first = O.first_slot != 0 && directory.cursor() == 0; // slot 0 is not retired yet
        return pending.size() + directory.retired() + directory.reserved() + (first ? 1 : 0);
    }
    /// Whether growth would add no slot for an element.
    constexpr bool cannot_grow() const noexcept { return Steps::cannot_grow(directory, slot_limit(), O.first_slot); }
    /// Room for more elements, or a std::length_error with the text `full` when no slot is left.
    SLOTWISE_COLD constexpr void grow(const char* full) {
        do_reserve(Steps::grown(directory, hub, store.grown_capacity(), max_slots(), O.first_slot, full));
    }
    SLOTWISE_COLD constexpr void do_reserve(std::size_t slot_count) {
        Steps::expect_not_resetting(resetting);
        store.reserve(slot_count);
        Steps::reserve(directory, pending, hub, Bytes(allocator), slot_count, store.capacity(), max_slots());
        if constexpr (O.first_slot != 0)
            if (directory.cursor() == 0 && directory.capacity() != 0) retire_slot_0();
    }
    /// Slot 0 is never issued: as if its versions were used up. @pre it is free and has memory
    constexpr void retire_slot_0() noexcept {
        directory.take(0, 1); // its version is 0 then
        directory.release(0);
    }
    /// Frees memory above the highest slot in use. @param also a further step that frees memory and may throw
    template <class Also>
    constexpr void do_shrink_to_fit(Also&& also) {
        const Bytes bytes(allocator);
        const slot_t cursor = directory.cursor();
        const slot_t end = directory.lower_cursor();
        ScopeGuard undo([&]() noexcept { directory.restore_cursor(cursor); });
        const std::size_t slot_count = hub.shrunk_capacity(end, store.shrunk_capacity(end));
        const std::size_t before = directory.capacity(), from = directory.first_forgotten(end);
        auto less = directory.prepare_shrink(slot_count, from, bytes);
        auto less_pending = pending.resized(deferred ? slot_count : 0, bytes);
        also();
        store.shrink(end); // dense: may throw without an effect
        undo.dismiss();
        const std::size_t after = slot_count < before ? slot_count : before;
        if (before != after)
            hub.capacity(before,
                         after); // first: an observer that attaches meanwhile is notified of the old capacity and of this
        directory.commit_shrink(less, from);
        directory.set_capacity(after);
        pending.swap(less_pending);
    }

    //=== erasing ===//

    /// @pre directory.is_live(slot)
    SLOTWISE_ALWAYS_INLINE constexpr void do_erase(slot_t slot) noexcept(Store::nothrow_destroy) {
        expect_not_notifying();
        if constexpr (deferred) {
            directory.remove(slot);
            pending.push(slot);
            hub.removed(slot);
        } else {
            if constexpr (Store::indexed) store.unlist(slot);
            erase_unindexed(slot);
        }
    }
    /// Erases the live slots for which pred(slot) holds; returns how many. pred may insert and erase.
    template <class Pred>
    constexpr std::size_t erase_each(Pred&& pred) {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = directory.occupancy().find_next(at)) != no_slot; ++at) {
            // A destructor may call this during clear: slots that are still to be destroyed hold no element any more.
            const auto slot = static_cast<slot_t>(at);
            if (directory.is_live(slot) && pred(slot)) do_erase(slot), ++count;
        }
        return count;
    }
    /// @pre the index, if there is one, has no entry for the slot
    SLOTWISE_ALWAYS_INLINE constexpr void erase_unindexed(slot_t slot) noexcept(Store::nothrow_destroy) {
        if constexpr (trivial) {
            if (hub.dynamic() || !directory.erase_at_once(slot)) [[unlikely]]
                return erase_rarely(slot);
            hub.erase_static(slot);
            store.destroy(slot);
        } else
            erase_guarded(slot);
    }
    SLOTWISE_NEVER_INLINE constexpr void erase_rarely(slot_t slot) noexcept(Store::nothrow_destroy) {
        if constexpr (shares_steps)
            Steps::erase_rarely(directory, hub, slot);
        else
            erase_guarded(slot);
    }
    // The slot is blocked until its element is destroyed: a destructor may insert.
    constexpr void erase_guarded(slot_t slot) noexcept(Store::nothrow_destroy) {
        if constexpr (!Store::nothrow_destroy) store.move_to_last_row(slot);
        directory.remove(slot);
        hub.erase(slot);
        store.destroy(slot);
        directory.release(slot);
    }
    /// Erases the element at once, also where erase is deferred, and keeps its handle reserved. @pre directory.is_live(slot)
    /// Throws what the allocator throws, at the first reservation; dense: what moves throw; strong
    constexpr void do_erase_reserved(slot_t slot) {
        expect_not_notifying();
        directory.prepare_reserved();
        if constexpr (!Store::nothrow_destroy) store.move_to_last_row(slot);
        if constexpr (Store::indexed) store.unlist(slot);
        const std::uint32_t version = directory.version(slot);
        directory.remove(slot);
        hub.erase(slot);
        store.destroy(slot); // whose destructor may insert: it finds the handle neither live nor reserved
        directory.keep_reserved(slot, version);
    }
    /// Erases a pending element, which may have no entry in the index.
    constexpr void erase_pending(slot_t slot) noexcept {
        store.unlist(slot);
        hub.erased(slot);
        store.destroy(slot);
        directory.release(slot);
    }
    constexpr void do_flush_removed() noexcept {
        // Counted before: elements that a destructor removes meanwhile wait for the next flush.
        if constexpr (deferred)
            for (std::size_t n = pending.size(); n != 0 && !pending.empty(); --n) erase_pending(pending.pop());
    }
    constexpr void do_clear() noexcept {
        if constexpr (shares_steps && !Store::indexed)
            Steps::clear(directory, hub, clearing);
        else {
            if (deferred || clearing) return erase_live(); // clearing: a destructor calls; the outer clear destroys the rest
            if (directory.cursor() == 0) return;
            clearing = true;
            if constexpr (Store::indexed) store.unlist_all();
            const slot_t end = directory.begin_clear();
            hub.clear(directory.occupancy());
            store.destroy_all(directory, end);
            directory.end_clear(end);
            clearing = false;
        }
    }
    SLOTWISE_COLD constexpr void erase_live() noexcept {
        for (slot_t slot = 0; slot < directory.cursor(); ++slot)
            if (directory.is_live(slot))
                do_erase(slot);
            else if (deferred && !clearing)
                directory.cancel(slot, directory.version(slot) + 1u);
    }

    //=== observers ===//

    /// @param between a slot that is neither live nor pending, and counts as one of them; @param is_removed as a pending one
    ObserverToken do_attach(SlotObserver& observer, slot_t between = no_slot, bool is_removed = false) {
        const StoredBits stored(directory, pending, between);
        return hub.attach(
            observer, directory.capacity(), stored.view(),
            [this, between](slot_t slot) { return is_stored(slot) || slot == between; },
            [&](auto&& removed) {
                if (is_removed) removed(between);
                pending.for_each(removed);
            });
    }
    SLOTWISE_ALWAYS_INLINE constexpr void expect_not_notifying() const noexcept { hub.expect_not_notifying(); }

    //=== snapshots ===//

    /// The types of the columns from number `First` on.
    template <std::size_t First, class Codec>
    static consteval auto column_tags() noexcept {
        return ColumnSnapshot<First, Observers...>::template tags<Codec>();
    }
    /// Nearly all bytes that write() appends: growth of the writer would copy them. @param row of an element
    template <std::size_t First, class Codec>
    std::size_t bytes_needed(std::size_t row) const noexcept {
        const std::size_t columns = ColumnSnapshot<First, Observers...>::template row_bytes<Codec>();
        return Seal::room + (directory.size() + pending.size()) * (row + columns) +
               directory.cursor() * (sizeof(typename Directory::version_type) + 1);
    }
    /// Writes the directory, the elements by write_elements(), and the columns from number `First` on.
    /// @tparam Row bytes of an element where they are known
    template <std::size_t First, std::size_t Row, class Codec, class WriteElements>
    void write(ByteWriter& out, Codec& codec, WriteElements&& write_elements) const {
        using Columns = ColumnSnapshot<First, Observers...>;
        out.reserve(bytes_needed<First, Codec>(Row));
        DirectorySnapshot::write(directory, out);
        write_elements();
        Columns::write(hub, each_stored(), out, codec);
    }
    /// Reads the same into this container, which is new and empty. Returns the error, after which the container is unusable, or
    /// null. @param order the pending slots @param read_elements gets the directory that was read; it takes over directory and
    /// elements, or returns false
    template <std::size_t First, class Codec, class ReadElements>
    const char* read(ByteReader& in, Codec& codec, std::span<const slot_t> order, ReadElements&& read_elements) {
        const Bytes bytes(allocator);
        Directory restored(bytes);
        if (!DirectorySnapshot::read(restored, in, bytes, order)) return in.error();
        if (restored.cursor() > slot_limit()) return "snapshot: it has more slots than this container's max_slots";
        if (O.first_slot != 0 && restored.cursor() != 0 && restored.state(0) != SlotState::retired)
            return "snapshot: slot 0 was in use, and this container never issues it (first_slot)";
        restored.set_limit(directory.limit());
        if (restored.cursor() != 0) do_reserve(restored.cursor());
        if (!restored.covers(directory.capacity())) {
            auto more = restored.prepare(directory.capacity(), bytes);
            restored.adopt(more);
        }
        restored.set_capacity(directory.capacity());
        if (!read_elements(restored)) return in.error();
        ScopeGuard undo([&]() noexcept { destroy_unobserved(); });
        hub.template replay<First>(StoredBits(directory, pending).view());
        pending.for_each([&](slot_t slot) { hub.removed(slot); });
        undo.dismiss();
        if (ColumnSnapshot<First, Observers...>::read(hub, each_stored(), in, codec) && in.left() != 0)
            in.fail("snapshot: there are more bytes than the state needs");
        return in.error();
    }

    /// Bytes held on the heap, without what elements hold themselves; without reserved address space that is not committed.
    constexpr std::size_t memory_usage() const noexcept { return memory_of(directory, pending, store, hub); }

    //=== parts ===//

    Directory directory{};
    SLOTWISE_NO_UNIQUE_ADDRESS Pending pending{};
    Store store{};
    Hub hub{};
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator{};
    bool clearing = false;
    bool resetting = false;

private:
    static constexpr Store empty_like([[maybe_unused]] const Store& other, const Allocator& alloc) {
        if constexpr (requires { Store::like(other, alloc); })
            return Store::like(other, alloc);
        else
            return Store(alloc);
    }
    static constexpr Hub copy_columns(const Hub& other, Occupancy stored, [[maybe_unused]] const Allocator& alloc) {
        if constexpr (O.columns_share_allocator)
            return Hub(other, stored, alloc);
        else
            return Hub(other, stored);
    }
    // Exchanges the contents with `old`. Dynamic observers are notified of the end and detached.
    constexpr void exchange_old(SlotContainer& old) noexcept(nothrow_swap) {
        if constexpr (Store::indexed) store.swap_functors(old.store);
        hub.detach_dynamic(directory.occupancy(), directory.size());
        swap_elements(old);
    }
    auto each_stored() const noexcept {
        return [this](auto&& f) { this->for_each_stored(f); };
    }
};

/// The slots whose elements were there when a walk began and have stayed since: a copy of the liveness bits, and an observer
/// that clears the bit of each element that is removed. So the walk meets no element that was inserted meanwhile, whether its
/// slot was vacant, was vacated since, or was reserved, or the element was resurrected.
///
/// The copy takes a bit a slot. A high-water mark would take none: new elements would get slots above the mark, and slots that
/// are freed during the walk would be kept back. But a program that inserts only during walks, as a game does in its update,
/// would then never reuse a slot.
template <class Bytes>
class PresentSlots final : private SlotObserver {
public:
    template <class Core>
    PresentSlots(Core& core, const Bytes& alloc) : slots_(copied(core, alloc)), token_(core.hub.watch(*this)) {}
    PresentSlots(const PresentSlots&) = delete;
    PresentSlots& operator=(const PresentSlots&) = delete;
    ~PresentSlots() override = default;

    /// A slot of the walk and the slots behind it in its word. The end is no_slot.
    struct Place {
        slot_t slot = no_slot;
        bits::word_t rest = 0;
    };
    /// At the first slot from word `w` on; at the end when there is none, or the container has other contents now.
    template <class Core>
    Place at_word(const Core& core, std::size_t w) const noexcept {
        if (!token_.attached() || !core.hub.watches(token_)) return {};
        for (; w != slots_.size(); ++w)
            if (slots_[w] != 0)
                if (const Place found = in_word(core, w, slots_[w]); found.slot != no_slot) return found;
        return {};
    }
    /// To the next slot.
    template <class Core>
    SLOTWISE_ALWAYS_INLINE void advance(const Core& core, Place& at) const noexcept {
        const std::size_t w = bits::word_of(at.slot);
        if (at.rest != 0 && token_.attached() && core.hub.watches(token_)) [[likely]] {
            at = in_word(core, w, at.rest & slots_[w]); // the word again, because elements may have been removed
            if (at.slot != no_slot) [[likely]]
                return;
        }
        at = at_word(core, w + 1);
    }
    /// Whether the element of a visited slot is still there.
    bool contains(slot_t slot) const noexcept {
        return bits::word_of(slot) < slots_.size() && (slots_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }

private:
    using Words = FlatArray<bits::word_t, Bytes>;
    template <class Core>
    SLOTWISE_ALWAYS_INLINE static Place in_word(const Core& core, std::size_t w, bits::word_t rest) noexcept {
        for (; rest != 0; rest &= rest - 1) {
            const auto slot = static_cast<slot_t>(w * bits::word_bits + bits::lowest(rest));
            // The element of a set bit may be no longer live, and not known to be removed yet: it is being extracted or
            // cleared.
            if (core.directory.is_live(slot)) [[likely]]
                return {slot, rest & (rest - 1)};
        }
        return {};
    }
    template <class Core>
    static Words copied(const Core& core, const Bytes& alloc) {
        const Occupancy live = core.directory.occupancy();
        Words words = Words(alloc).resized(live.words().size(), 0, alloc);
        for (std::size_t w = 0; w != words.size(); ++w) words[w] = live.word(w);
        if (core.clearing) // the slots that are still to be destroyed have a bit too, and may be reused before the walk ends
            live.for_each([&](slot_t slot) {
                if (!core.directory.is_live(slot)) words[bits::word_of(slot)] &= ~bits::bit_of(slot);
            });
        return words;
    }
    void on_capacity(slot_t before, slot_t) override {
        if (before == 0) drop_all(); // a replay: the contents were exchanged while the walk began
    }
    void on_remove(slot_t slot) noexcept override {
        if (bits::word_of(slot) < slots_.size()) slots_[bits::word_of(slot)] &= ~bits::bit_of(slot);
    }
    void on_clear(Occupancy cleared) noexcept override {
        for (std::size_t w = 0; w != cleared.words().size() && w != slots_.size(); ++w) slots_[w] &= ~cleared.word(w);
    }
    void on_reset() noexcept override { drop_all(); }
    void drop_all() noexcept {
        for (std::size_t w = 0; w != slots_.size(); ++w) slots_[w] = 0;
    }

    Words slots_;
    ObserverToken token_; // the last one: it detaches before anything is destroyed
};

/// The elements that were there when the range was made and are still there, in slot order. element(slot) is what is yielded.
/// It does not move, because the container refers to it: use it in a range-based for, or name it.
template <class Core, class At>
class PresentRange {
    using Reference = decltype(std::declval<const At&>()(slot_t{}));

    using Slots = PresentSlots<typename Core::Bytes>;

public:
    class iterator : public IteratorFacade<iterator, std::remove_cvref_t<Reference>, Reference> {
    public:
        iterator() noexcept = default;
        /// The slot of the element here; no_slot at the end.
        slot_t slot() const noexcept { return at_.slot; }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_.slot == b.at_.slot; }

    private:
        friend PresentRange;
        friend IteratorFacade<iterator, std::remove_cvref_t<Reference>, Reference>;
        iterator(const PresentRange* range, typename Slots::Place at) noexcept : range_(range), at_(at) {}
        Reference dereference() const {
            SLOTWISE_EXPECT_DEBUG(range_->present_.contains(at_.slot),
                                  "items_present() iterator: the element here was erased, or it is the end");
            return range_->element_(at_.slot);
        }
        SLOTWISE_ALWAYS_INLINE void increment() noexcept { range_->present_.advance(*range_->core_, at_); }

        const PresentRange* range_ = nullptr;
        typename Slots::Place at_{};
    };

    PresentRange(Core& core, At element)
        : core_(&core), element_(element), present_(core, typename Core::Bytes(core.allocator)) {}
    iterator begin() const noexcept { return {this, present_.at_word(*core_, 0)}; }
    iterator end() const noexcept { return {this, {}}; }

private:
    const Core* core_;
    At element_;
    Slots present_;
};
template <class Core, class At>
PresentRange(Core&, At) -> PresentRange<Core, At>;

} // namespace detail

SLOTWISE_END

#endif
