// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IndexedKeys: the store of a keyed container. Keys by slot, and the index that finds them.
#ifndef SLOTWISE_KEYED_INDEXED_KEYS_HPP
#define SLOTWISE_KEYED_INDEXED_KEYS_HPP

#include "../memory/allocator.hpp"
#include "../memory/occupancy.hpp"
#include "../slots/pending_slots.hpp"
#include "../slots/slot_store.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What an index is rebuilt from: the slot and the hash of every stored key. It knows nothing of values, so that maps from one
/// key type to a hundred others share what rebuilds their indexes.
template <class Directory, class Pending, class Keys>
struct KeySource {
    const Directory* directory;
    const Pending* pending;
    const Keys* keys;
    std::size_t* rebuilds; // counted where it is not null
    bool clearing;         // during clear the slots to be destroyed are still marked

    template <class Entry>
    constexpr void operator()(Entry&& entry) const {
        if (rebuilds != nullptr) ++*rebuilds;
        const Occupancy live = directory->occupancy();
        for (std::size_t w = 0, end = live.words().size(); w != end; ++w)
            bits::for_each(live.word(w) | pending->word(w), [&](unsigned bit) {
                const auto slot = static_cast<slot_t>(w * bits::word_bits + bit);
                if (pending->superseded(slot)) return;
                if (!clearing || directory->is_live(slot) || pending->contains(slot)) entry(slot, keys->hash_at(slot));
            });
    }
};

/// Whether a pending slot can be live once more.
template <Exhaustion E, class Directory>
constexpr bool has_next_version(const Directory& directory, slot_t slot) noexcept {
    return E == Exhaustion::wrap || directory.version(slot) != 0;
}
/// For keys that are compared fast: see KeyedContainer.
struct PrefetchNothing {
    constexpr explicit PrefetchNothing(const void*) noexcept {}
    constexpr void operator()(slot_t) const noexcept {}
};
/// What a search asks of each slot with the hash of its key. As KeySource it knows nothing of values.
/// @tparam Any whether a removed slot with the key is found, too
template <bool Any, Exhaustion E, class Directory, class Pending, class Keys, class K, class Prefetch>
struct KeyMatch {
    const Directory* directory;
    const Pending* pending;
    const Keys* keys;
    const std::size_t* inserts; ///< counts them
    const K* key;
    slot_t* removed; ///< is set to the pending slot with the key that was removed last
    SLOTWISE_NO_UNIQUE_ADDRESS Prefetch prefetch;

    SLOTWISE_ALWAYS_INLINE constexpr bool operator()(slot_t slot) const {
        prefetch(slot);
        if (!equals(slot)) return false;
        if constexpr (std::is_same_v<Pending, NoPendingSlots>)
            return true;
        else {
            if (directory->is_live_bit(slot)) return true;
            // A slot that is neither live nor pending is under construction. Of two pending ones the one that can be
            // resurrected is taken.
            if (Any && pending->contains(slot) && (*removed == no_slot || !has_next_version<E>(*directory, *removed)))
                *removed = slot;
            return false;
        }
    }

private:
    /// Equality may only read the container that calls it, because a change would invalidate the running search.
    SLOTWISE_ALWAYS_INLINE constexpr bool equals(slot_t slot) const {
        if constexpr (SLOTWISE_CHECK_LEVEL >= 2) {
            const std::size_t before = *inserts, size = directory->size(), room = directory->capacity(),
                              waiting = pending->size();
            const bool equal = keys->equals(slot, *key);
            SLOTWISE_EXPECT_DEBUG(before == *inserts && size == directory->size() && room == directory->capacity() &&
                                      waiting == pending->size(),
                                  "keyed container: equality changes the container that calls it; it must only read");
            return equal;
        } else
            return keys->equals(slot, *key);
    }
};

/// @tparam KeysType keys by slot with hash and equality: KeyStore, AnyKeyStore
/// @tparam IndexType over an allocator of bytes, so that containers of all key types share it
template <class KeysType, class IndexType, class Allocator>
struct IndexedKeys {
    using Keys = KeysType;
    using Index = IndexType;
    using Bytes = rebind_t<Allocator, std::byte>;
    static constexpr bool trivial = Keys::trivial;
    static constexpr bool indexed = true;
    static constexpr bool nothrow_destroy = true;
    static constexpr bool trivial_destroy = trivial;
    static constexpr std::size_t slot_bytes = Keys::slot_bytes;
    static constexpr std::size_t max_slots = Keys::max_slots;
    static constexpr bool nothrow_swap = noexcept(std::declval<Index&>().swap(std::declval<Index&>()));

    constexpr IndexedKeys() = default;
    constexpr IndexedKeys(Keys&& empty, const Allocator& alloc) : keys(std::move(empty)), index(Bytes(alloc)) {}
    template <class ExpectThere>
    constexpr IndexedKeys(const IndexedKeys& other, Occupancy stored, std::size_t slot_count, const Allocator& alloc,
                          ExpectThere&& expect_there)
        : keys(Keys::like(other.keys, alloc)), index(other.index, Bytes(alloc)) {
        // Last, because the keys do not know which of them to destroy when something else throws.
        Keys copies(other.keys, stored, slot_count, alloc, expect_there);
        keys.swap_keys(copies);
    }
    /// The keys first: if a copy of hash or equality throws, nothing has changed.
    constexpr IndexedKeys(IndexedKeys&& other) noexcept(Keys::nothrow_move&& std::is_nothrow_move_constructible_v<Index>)
        : keys(std::move(other.keys)), index(std::move(other.index)) {}
    IndexedKeys(const IndexedKeys&) = delete;
    IndexedKeys& operator=(const IndexedKeys&) = delete;
    IndexedKeys& operator=(IndexedKeys&&) = delete;
    ~IndexedKeys() = default;
    /// An empty store that hashes and compares like `other`.
    static constexpr IndexedKeys like(const IndexedKeys& other, const Allocator& alloc) {
        return IndexedKeys(Keys::like(other.keys, alloc), alloc);
    }
    /// Moves the keys one by one. Copies them where the move may throw and a copy is possible. @pre none is here, and there is
    /// room
    constexpr void take_from(IndexedKeys& other, Occupancy stored) {
        Index same(other.index, Bytes(keys.get_allocator()));
        keys.take_from(other.keys, stored);
        index.swap(same);
    }
    /// Exchanges hash and equality.
    constexpr void swap_functors(IndexedKeys& other) noexcept(Keys::nothrow_swap) { keys.swap_functors(other.keys); }
    /// Exchanges all but hash and equality.
    constexpr void swap(IndexedKeys& other) noexcept(nothrow_swap) {
        index.swap(other.index);
        keys.swap_keys(other.keys);
        std::swap(inserts, other.inserts);
    }

    constexpr std::size_t capacity() const noexcept { return keys.capacity(); }
    constexpr std::size_t memory_usage() const noexcept { return keys.memory_usage() + known_memory_of(index); }
    constexpr std::size_t grown_capacity() const noexcept { return keys.grown_capacity(); }
    constexpr std::size_t shrunk_capacity(std::size_t slot_count) const noexcept { return keys.shrunk_capacity(slot_count); }
    constexpr void reserve(std::size_t slot_count) { keys.reserve(slot_count); }
    constexpr void shrink(std::size_t slot_count) noexcept { keys.shrink(slot_count); }

    /// Removes the slot from the index. Its key stays.
    constexpr void unlist(slot_t slot) noexcept { index.erase(keys.hash_at(slot), slot); }
    constexpr void unlist_all() noexcept { index.clear(); }
    constexpr void destroy(slot_t slot) noexcept { keys.destroy(slot); }
    template <class Directory>
    constexpr void destroy_all(Directory& directory, slot_t end) noexcept {
        if constexpr (!trivial) destroy_each(directory, end, [this](slot_t slot) { keys.destroy(slot); });
    }

    Keys keys{};
    Index index{};
    std::size_t inserts = 0; // by it an insert detects nested inserts and a rebuild of the index
};

} // namespace detail
SLOTWISE_END

#endif
