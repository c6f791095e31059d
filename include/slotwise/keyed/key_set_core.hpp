// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeySetCore: what all keyed containers do without knowing what a key is: size, memory, handles, states, columns, observers.
#ifndef SLOTWISE_KEYED_KEY_SET_CORE_HPP
#define SLOTWISE_KEYED_KEY_SET_CORE_HPP

#include "../core/handle.hpp"
#include "key_set_parts.hpp"
#include "key_store.hpp"

SLOTWISE_BEGIN

/// The part of KeySet, SetStorage, MapStorage and the run-time described storages that they share. Not used by itself.
///
/// Guarantees, the same for all:
///   strong    an insert that throws has no effect on elements, handles and future handles. (One exception: when a column or an
///             observer throws while a *pending* element is resurrected, that removed element is erased for good.)
///   handles   a handle resolves from its insert to its erase, and never again
///   stable    keys, values and columns never move
///   const     const members may run concurrently, if hash and equality may
/// @tparam Store the keys; @tparam Tag names the handles; @tparam Columns static observers, called inline
template <class Store, class Tag, KeySetOptions O, class Allocator, template <class> class Index, class... Columns>
class KeySetCore : protected detail::KeySetParts<Store, O, Allocator, Index, Columns...> {
    using Parts = detail::KeySetParts<Store, O, Allocator, Index, Columns...>;

public:
    using handle_type = Handle<Tag, O.handle>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    static constexpr KeySetOptions options = O;

    //=== construct, copy, move ===//

    constexpr KeySetCore() = default;
    /// Makes an empty one over this store of keys.
    constexpr KeySetCore(Store&& keys, const Allocator& alloc) : Parts(std::move(keys), alloc) {}
    /// An exact copy: the same elements in the same slots under the same handles, pending ones too, and the same handles in
    /// future. Static columns are copied, dynamic observers stay with the original. @throws what the allocator and the copies
    /// throw
    constexpr KeySetCore(const KeySetCore& other)
        : KeySetCore(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.allocator_)) {}
    constexpr KeySetCore(const KeySetCore& other, const Allocator& alloc) : Parts(other, alloc) {}
    /// Takes elements and observers; `other` is empty and usable. Addresses and handles stay valid, here. @complexity O(1)
    /// @throws what copying Hash and Equal throws (`other` hashes and compares as before); nothing has changed then
    constexpr KeySetCore(KeySetCore&& other) noexcept(Parts::nothrow_move) : Parts(std::move(other)) {}
    /// As above, into memory of `alloc`. With unequal allocators keys and values are moved one by one: their addresses change,
    /// handles stay. Those whose move may throw are copied if they can be, so that `other` is as before if anything throws.
    constexpr KeySetCore(KeySetCore&& other, const Allocator& alloc) : KeySetCore(typename Parts::Like(), other, alloc) {
        if (alloc == other.allocator_) {
            this->swap_elements(other);
            return;
        }
        KeySetCore replacement(typename Parts::Like(), other, other.allocator_);
        const typename Parts::StoredBits stored(other);
        typename Parts::Directory directory(other.directory_, alloc);
        Index<Allocator> index(other.index_, alloc);
        auto pending = other.pending_.resized(other.pending_.room(), alloc);
        if (other.capacity() != 0) keys_.reserve(other.capacity());
        if (other.capacity() != 0) hub_.capacity(0, other.capacity());
        // First whatever may throw, and leaves the source alone, because it then copies.
        hub_.take_from(other.hub_, stored.view(), true);
        keys_.take_from(other.keys_, stored.view());
        hub_.take_from(other.hub_, stored.view(), false);
        hub_.swap_dynamic(other.hub_);
        directory_.swap(directory);
        index_.swap(index);
        this->pending_.swap(pending);
        other.swap_elements(replacement); // and replacement destroys what was moved from
    }
    /// Strong when no dynamic observer is attached. Dynamic observers of the target stay: they are told of the old contents'
    /// end and of the new ones; if one throws the target is empty, and those who did not learn its capacity are let go. One
    /// that attaches meanwhile is told of the new contents alone.
    constexpr KeySetCore& operator=(const KeySetCore& other) {
        if (this == &other) return *this;
        constexpr bool propagate = detail::propagates_on_copy<Allocator>;
        KeySetCore copy(other, propagate ? other.allocator_ : allocator_);
        this->adopt(copy);
        return *this;
    }
    /// Takes elements and observers; the target's dynamic observers are told on_clear and on_reset while the old contents are
    /// still there, and let go; one that attaches meanwhile is told nothing, and let go too. With unequal allocators that do
    /// not propagate the keys are moved one by one. @throws also what copies and swaps of Hash and Equal throw; both containers
    /// then keep their elements (those of `other` are gone with unequal allocators)
    constexpr KeySetCore& operator=(KeySetCore&& other) noexcept(Parts::nothrow_move&& Parts::nothrow_swap &&
                                                                 (detail::propagates_on_move<Allocator> ||
                                                                  detail::always_equal<Allocator>)) {
        if (this == &other) return *this;
        if (detail::propagates_on_move<Allocator> || allocator_ == other.allocator_) {
            KeySetCore emptied(typename Parts::Like(), other, other.allocator_);
            move_contents_to(emptied);
            this->swap_elements(other);
        } else {
            KeySetCore taken(std::move(other), allocator_);
            move_contents_to(taken);
        }
        return *this;
    }
    constexpr ~KeySetCore() {
        do { // again, because a destructor may insert
            this->do_clear();
            this->do_flush_removed();
        } while (!empty());
        hub_.detach_all();
    }
    /// Exchanges elements, handles and observers. Allocators travel if they propagate; unequal ones that do not are exact too,
    /// at the price of moving every key. @throws also what the swaps of Hash and Equal throw; the elements are where they were
    /// then
    constexpr void swap(KeySetCore& other) noexcept(Parts::nothrow_swap && (detail::propagates_on_swap<Allocator> ||
                                                                            detail::always_equal<Allocator>)) {
        if (detail::propagates_on_swap<Allocator> || detail::always_equal<Allocator> || allocator_ == other.allocator_)
            return swap_contents(other);
        KeySetCore mine(std::move(*this), other.allocator_), theirs(std::move(other), allocator_);
        swap_contents(theirs);
        other.swap_contents(mine); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
    }
    constexpr allocator_type get_allocator() const noexcept { return allocator_; }

    //=== capacity ===//

    /// Live elements.
    constexpr size_type size() const noexcept { return directory_.size(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Slots there is memory for. size() + pending() + retired() never exceeds it.
    constexpr size_type capacity() const noexcept { return directory_.capacity(); }
    /// Slots there can ever be.
    static constexpr size_type max_size() noexcept { return Parts::max_slots(); }
    /// Room for `count` live elements in all, in slots and index, so that inserts up to there allocate nothing.
    /// @throws std::length_error when there can be no so many, what the allocator or an observer throws; strong
    constexpr void reserve(size_type count) {
        this->expect_not_notifying();
        if (count > max_size())
            detail::throw_length_error("keyed container reserve(count): count exceeds max_size(); use more index bits");
        const std::size_t unusable = pending() + retired();
        if (count > max_size() - unusable)
            detail::throw_length_error(
                "keyed container reserve(count): too many slots are pending or retired; flush_removed() first");
        index_.reserve(count + unusable, this->rebuild_source());
        if (count + unusable > capacity()) this->do_reserve(count + unusable);
    }
    /// Gives back memory above the highest slot in use, and of the index. Old versions live on as a floor: old handles stay
    /// stale for ever. @throws what the allocator throws; strong @complexity linear in capacity
    constexpr void shrink_to_fit() {
        this->expect_not_notifying();
        const slot_t cursor = directory_.cursor();
        const slot_t end = directory_.lower_cursor();
        ScopeGuard undo([&]() noexcept { directory_.restore_cursor(cursor); });
        const std::size_t before = capacity(), slots = hub_.shrunk_capacity(end, keys_.shrunk_capacity(end));
        const std::size_t from = directory_.first_forgotten(end);
        auto less = directory_.prepare_shrink(slots, from, allocator_);
        auto pending = this->pending_.resized(this->deferred ? slots : 0, allocator_);
        index_.shrink_to_fit(this->rebuild_source());
        ++this->inserts_; // an empty index has listed nothing, but given its memory back
        undo.dismiss();
        const std::size_t after = slots < before ? slots : before;
        if (before != after)
            hub_.capacity(before, after); // first: one who attaches meanwhile hears of the old capacity and of this
        keys_.shrink(end);
        directory_.commit_shrink(less, from);
        directory_.set_capacity(after);
        this->pending_.swap(pending);
    }
    /// Erases all elements; every handle is stale. Memory stays. With deferred erase they become pending, and are erased by the
    /// next flush_removed(). An element that a destructor inserts meanwhile survives; the dying are
    /// not found any more, but a walk from inside a destructor may still meet them. @throws nothing @complexity linear in slots
    constexpr void clear() noexcept {
        this->expect_not_notifying();
        this->do_clear();
    }
    /// Erases all elements, pending ones too, and gives the memory back, but for a bit a slot where versions differ: handles
    /// stay stale for ever. A destructor must not insert meanwhile (asserted). While slots are retired their bookkeeping must
    /// stay: then it is clear() and flush_removed().
    /// @throws nothing
    constexpr void reset() noexcept { this->do_reset(); }

    //=== handles and slots ===//

    constexpr bool contains(handle_type handle) const noexcept { return directory_.is_live(handle.index(), handle.version()); }
    /// The handle of the element in `slot`, null when none lives there.
    constexpr handle_type handle_at(slot_t slot) const noexcept {
        return directory_.is_live(slot) ? handle_type(slot, directory_.version(slot)) : handle_type();
    }
    constexpr SlotState state(slot_t slot) const noexcept {
        return this->is_pending(slot) ? SlotState::pending : directory_.state(slot);
    }
    /// Why a handle does or does not resolve.
    constexpr HandleStatus explain(handle_type handle) const noexcept {
        if (handle.is_null()) return HandleStatus::null;
        const slot_t slot = handle.index();
        if (!this->is_pending(slot)) return directory_.explain(slot, handle.version());
        const bool last = directory_.version(slot) == ((handle.version() + 1u) & handle_type::max_version);
        return last && (handle.version() & 1u) != 0 ? HandleStatus::pending : HandleStatus::stale;
    }
    /// Erases the element; false when it is not there. @throws nothing @complexity O(1), never allocates
    constexpr bool erase(handle_type handle) noexcept {
        if (!contains(handle)) return false;
        this->do_erase(handle.index());
        return true;
    }
    /// Slots whose versions are used up.
    constexpr size_type retired() const noexcept { return directory_.retired(); }
    /// Retired slots may be issued again; you promise that no handle to their first lives is left. Returns how many.
    constexpr size_type recycle_retired() noexcept { return directory_.recycle_retired(); }
    /// Live slots in ascending order.
    constexpr SlotRange slots() const noexcept { return SlotRange(occupancy()); }
    /// Liveness of the slots, one bit each.
    constexpr Occupancy occupancy() const noexcept { return directory_.occupancy(); }

    //=== deferred erase ===//

    /// The same as erase, under the name that says what happens: the slot becomes pending.
    constexpr bool remove(handle_type handle) noexcept
        requires(O.deferred_erase)
    {
        return erase(handle);
    }
    /// Removed elements that are still readable.
    constexpr size_type pending() const noexcept { return this->pending_.size(); }
    /// Calls f(slot) for every pending slot, the one removed first first. f must not insert, erase or flush.
    template <class F>
    constexpr void for_each_pending(F&& f) const {
        this->pending_.for_each(f);
    }
    /// Erases the pending elements, the one removed first first. What an observer or a destructor removes meanwhile waits for
    /// the next flush. @throws nothing
    constexpr void flush_removed() noexcept {
        this->expect_not_notifying();
        this->do_flush_removed();
    }

    //=== observers ===//

    /// Attaches an observer until the token goes. It is told the capacity, every live slot, and every pending one as inserted
    /// and removed.
    /// @pre the observer lives as long as the token is attached @throws what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) {
        const typename Parts::StoredBits stored(*this, true);
        return hub_.attach(
            observer, capacity(), stored.view(),
            [this](slot_t slot) { return this->is_stored(slot) || slot == this->transition_slot_; },
            [this](auto&& removed) {
                if (this->transition_slot_ != no_slot && !this->extracting_) removed(this->transition_slot_);
                for_each_pending(removed);
            });
    }

    /// Whether directory, keys, index and pending slots agree in full; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const {
        bool sound = directory_.check_invariants() && index_.check(this->source()) && keys_.capacity() >= capacity() &&
                     this->pending_.check([&](slot_t slot) { return !directory_.is_live(slot) && directory_.is_held(slot); });
        this->for_each_stored([&](slot_t slot) {
            const auto& key = keys_.key_of(slot);
            sound = sound && keys_.hash_at(slot) == keys_.hash(key);
            if (directory_.is_live(slot)) sound = sound && this->do_find(keys_.hash_at(slot), key) == slot;
        });
        return sound;
    }

protected:
    using Parts::allocator_;
    using Parts::directory_;
    using Parts::hub_;
    using Parts::index_;
    using Parts::keys_;
    using Parts::swap_contents;
    static constexpr std::uint32_t magic = 0x314B'4C53; // "SLK1"

    constexpr KeySetCore(typename Parts::Like like, const KeySetCore& other, const Allocator& alloc)
        : Parts(like, other, alloc) {}

    /// Everything as bytes; after each key what write_first(slot, out) adds for the columns before number `First`.
    template <std::size_t First, class Codec, class WriteFirst>
    std::vector<std::byte> to_bytes(Codec& codec, WriteFirst&& write_first) const {
        ByteWriter out;
        out.number(magic);
        out.number(keys_.stamp());
        out.number(static_cast<std::uint32_t>(pending()));
        for_each_pending([&](slot_t slot) { out.number(slot); });
        detail::DirectorySnapshot::write(directory_, out);
        this->for_each_stored([&](slot_t slot) {
            keys_.write(slot, out, codec);
            write_first(slot, out);
        });
        detail::ColumnSnapshot<First, Columns...>::write(hub_, each_stored(), out, codec);
        return out.take();
    }
    /// Reads into this container, which is new and empty. Returns what is wrong with the bytes, and is good for nothing then;
    /// null when all is well. @param read_first builds the first column's value of a slot: (slot, in) -> bool
    template <std::size_t First, class Codec, class ReadFirst>
    const char* from_bytes(std::span<const std::byte> bytes, Codec& codec, ReadFirst&& read_first) {
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != magic) return "snapshot: these bytes are not a snapshot of a keyed container";
        if (in.number<std::uint32_t>() != keys_.stamp()) return "snapshot: made by a container of keys of another size";
        const std::size_t waiting = in.number<std::uint32_t>();
        if (!O.deferred_erase && waiting != 0)
            return "snapshot: it has pending elements, but this container has no deferred erase";
        if (waiting > in.left() / sizeof(slot_t)) return "snapshot: the bytes end too early";
        std::vector<slot_t> order(waiting);
        for (auto& slot : order) slot = in.number<slot_t>();
        typename Parts::Directory directory(allocator_);
        if (!detail::DirectorySnapshot::read(directory, in, allocator_, order)) return in.error();
        if (directory.cursor() > max_size()) return "snapshot: more slots than this container's max_slots";
        if (directory.cursor() != 0) this->do_reserve(directory.cursor());
        if (!directory.covers(capacity())) {
            auto more = directory.prepare(capacity(), allocator_);
            directory.adopt(more);
        }
        directory.set_capacity(capacity());
        directory_.swap(directory);
        if constexpr (O.deferred_erase)
            for (const slot_t slot : order) this->pending_.push(slot);
        std::vector<slot_t> place(waiting > 1 ? std::size_t{directory_.cursor()} : 0); // of each pending slot in the order
        for (std::size_t i = 0; i != waiting && waiting > 1; ++i) place[order[i]] = static_cast<slot_t>(i);
        const typename Parts::StoredBits stored(*this);
        // From here on there are live slots without elements: `sound_end` says how far they are built.
        slot_t sound_end = 0;
        ScopeGuard undo([&]() noexcept { discard_elements<First>(stored.view(), sound_end); });
        bool sound = true;
        index_.reserve(size() + waiting, [](auto&&) {});
        stored.view().for_each([&](slot_t slot) {
            sound = sound && keys_.read(slot, in, codec);
            if (!sound) return;
            ScopeGuard undo_key([&]() noexcept { keys_.destroy(slot); });
            const std::uint64_t hash = keys_.hash_at(slot);
            const slot_t same_key = this->template do_find<true>(hash, keys_.key_of(slot));
            // Only beside a pending element that cannot live again there may be another with its key.
            const auto exhausted = [&](slot_t s) { return this->is_pending(s) && !this->can_resurrect(s); };
            if (same_key != no_slot && !exhausted(same_key) && !exhausted(slot))
                sound = in.fail("snapshot: a key occurs twice");
            sound = sound && read_first(slot, in);
            if (!sound) return;
            index_.make_room([&](auto&& entry) { // there is room; the keys of a hostile snapshot may collide
                stored.view().for_each([&](slot_t built) {
                    if (built < sound_end) entry(built, keys_.hash_at(built));
                });
            });
            undo_key.dismiss();
            sound_end = slot + 1;
            // Of those with one key the index knows the live one, or the one removed last.
            const bool latest =
                same_key == no_slot || !this->is_pending(slot) || (this->is_pending(same_key) && place[same_key] < place[slot]);
            if (!latest) return this->pending_.supersede(slot);
            index_.place(hash, slot);
            if (same_key != no_slot) this->supersede(hash, same_key);
        });
        if (!sound) return in.error();
        hub_.template replay<First>(stored.view());
        for_each_pending([&](slot_t slot) { hub_.removed(slot); });
        undo.dismiss();
        if (detail::ColumnSnapshot<First, Columns...>::read(hub_, each_stored(), in, codec) && in.left() != 0)
            in.fail("snapshot: there are more bytes than the state needs");
        return in.error();
    }

private:
    auto each_stored() const noexcept {
        return [this](auto&& f) { this->for_each_stored(f); };
    }
    // What is here goes to `other`, and is exchanged for what is there; dynamic observers are let go.
    constexpr void move_contents_to(KeySetCore& other) noexcept(Parts::nothrow_swap) {
        keys_.swap_functors(other.keys_);
        hub_.detach_dynamic(directory_.occupancy(), size());
        this->swap_elements(other);
    }
    template <std::size_t First>
    void discard_elements(Occupancy stored, slot_t end) noexcept {
        stored.for_each([&](slot_t slot) {
            if (slot >= end) return;
            if constexpr (First != 0) hub_.template get<0>().destroy(slot);
            keys_.destroy(slot);
        });
        typename Parts::Directory none(allocator_);
        directory_.swap(none);
        index_.reset();
        while (!this->pending_.empty()) static_cast<void>(this->pending_.pop());
    }
};

SLOTWISE_END

#endif
