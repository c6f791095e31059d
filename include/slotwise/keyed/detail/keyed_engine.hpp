// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeyedEngine: a SlotContainer whose elements are found by key. Before it stand KeyStore, the keys by slot, and IndexedKeys,
// which adds the index that finds them.
#ifndef SLOTWISE_KEYED_DETAIL_KEYED_ENGINE_HPP
#define SLOTWISE_KEYED_DETAIL_KEYED_ENGINE_HPP

#include "../../core/detail/concepts.hpp"
#include "../../core/detail/iterators.hpp"
#include "../../core/hash.hpp"
#include "../../memory/allocator.hpp"
#include "../../memory/occupancy.hpp"
#include "../../memory/reserved_array.hpp"
#include "../../slots/detail/slot_container.hpp"
#include "../../slots/detail/slot_store.hpp"
#include "../../slots/slot_directory.hpp"
#include "../../slots/snapshot.hpp"
#include "../hash_index.hpp"

#include <array>

SLOTWISE_BEGIN

namespace detail {

//=== the keys by slot ===//

/// Widens the 32 stored bits of a hash to 64 by repeating them. An index takes fingerprint, class and group from the low half
/// and the step from the high half. Above 4 million groups the number of the group repeats bits of the fingerprint.
constexpr std::uint64_t widen_hash(std::uint32_t hash) noexcept { return std::uint64_t{hash} << 32 | hash; }
/// Mixes the result of a hash function for an index.
template <class Hash>
constexpr std::uint64_t spread_hash(std::size_t hash) noexcept {
    if constexpr (Avalanching<Hash> && sizeof(std::size_t) == 8)
        return hash;
    else
        return mix_bits(hash);
}

/// The keys of a container by slot, in memory that never moves, with their hash and equality. The owner knows which slots
/// have a key.
template <class Key, class Hash, class Equal, KeySetOptions O, class Allocator>
class KeyStore {
    static_assert(Storable<Key>, "keyed containers: Key must be a non-const object type whose destructor does not throw");
    using Growing = GrowingArray<O.growth, Key, Allocator, O.page_slots,
                                 reserved_slots<O.growth, Key>(O.max_slots, HandleTraits<O.handle>::max_slots)>;
    using Array = typename Growing::type;
    using allocator = rebind_t<Allocator, Key>;
    using traits = std::allocator_traits<allocator>;
    // Hashing a small trivial key takes no longer than a load. For all other keys 32 bits of the hash are stored: growth and
    // erase then call no user code, which might throw, and read no strings.
    static constexpr bool keeps_hashes =
        !(std::is_trivially_copyable_v<Key> && sizeof(Key) <= 16 && std::is_nothrow_invocable_v<const Hash&, const Key&>);

public:
    using key_type = Key;
    static constexpr std::size_t slot_bytes = sizeof(Key);
    static constexpr std::size_t max_slots = Growing::max_slots;
    /// Construction and destruction of keys run no user code.
    static constexpr bool trivial = std::is_trivially_copyable_v<Key>;
    /// Hashes are not stored, but computed again.
    static constexpr bool rehashes = !keeps_hashes;
    static constexpr bool movable = std::is_move_constructible_v<Key>;
    /// Whether a move and a swap of the store call no function of hash and equality that may throw. (A move copies them,
    /// because the moved-from store is used again.)
    static constexpr bool nothrow_move =
        std::is_nothrow_copy_constructible_v<Hash> && std::is_nothrow_copy_constructible_v<Equal>;
    static constexpr bool nothrow_swap = std::is_nothrow_swappable_v<Hash> && std::is_nothrow_swappable_v<Equal>;

    constexpr KeyStore() = default;
    constexpr KeyStore(const Hash& hash, const Equal& equal, const Allocator& alloc)
        : hash_(hash), equal_(equal), allocator_(alloc), keys_(alloc), hashes_(alloc) {}
    /// Copies the keys of the slots in `stored`. @param expect_there is called with a slot before its key is copied
    template <class ExpectThere>
    constexpr KeyStore(const KeyStore& other, Occupancy stored, std::size_t slot_count, const Allocator& alloc,
                       ExpectThere&& expect_there)
        : KeyStore(other.hash_, other.equal_, alloc) {
        if constexpr (std::is_copy_constructible_v<Key>) {
            reserve(slot_count);
            fill(other, stored, [&](slot_t slot) -> const Key& {
                if constexpr (!trivial) expect_there(slot);
                return *other.ptr(slot);
            });
        } else
            static_assert(never<Key>, "keyed container copy: keys cannot be copied; write std::move(container)");
    }
    /// Moves the keys one by one. Copies them where the move may throw and a copy is possible. @pre none lives here, and there
    /// is room
    constexpr void take_from(KeyStore& other, Occupancy stored) noexcept(makes_nothrow<allocator, Key, Key>) {
        if constexpr (movable)
            fill(other, stored, [&](slot_t slot) -> decltype(auto) { return std::move_if_noexcept(*other.ptr(slot)); });
        else
            SLOTWISE_EXPECT(stored.none(), "keyed container: keys that cannot move cannot be moved to an unequal allocator");
    }
    constexpr KeyStore(KeyStore&& other) noexcept(nothrow_move)
        : hash_(other.hash_), equal_(other.equal_), allocator_(other.allocator_), keys_(std::move(other.keys_)),
          hashes_(std::move(other.hashes_)) {}
    /// An empty store that hashes and compares like `other`.
    static constexpr KeyStore like(const KeyStore& other, const Allocator& alloc) {
        return KeyStore(other.hash_, other.equal_, alloc);
    }
    /// Exchanges hash and equality. @throws what their swaps throw; if only one of the two can throw, and its swap is strong,
    /// nothing has changed then
    constexpr void swap_functors(KeyStore& other) noexcept(nothrow_swap) {
        using std::swap;
        if constexpr (std::is_nothrow_swappable_v<Hash>) {
            swap(equal_, other.equal_);
            swap(hash_, other.hash_);
        } else {
            swap(hash_, other.hash_);
            swap(equal_, other.equal_);
        }
    }
    /// Exchanges all but hash and equality.
    constexpr void swap_keys(KeyStore& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        keys_.swap(other.keys_);
        hashes_.swap(other.hashes_);
    }

    constexpr allocator get_allocator() const noexcept { return allocator_; }
    constexpr const Hash& hasher() const noexcept { return hash_; }
    constexpr const Equal& equality() const noexcept { return equal_; }

    /// The hash of `key` for the index. @throws what the hash throws
    template <class K>
    constexpr std::uint64_t hash(const K& key) const {
        if constexpr (!std::is_invocable_v<const Hash&, const K&>) { // then this is the only error
            static_assert(never<K>, "keyed container: the key has no hash; give std::hash<K> for it, or HashBy<H>");
            return 0;
        } else {
            const std::uint64_t spread = spread_hash<Hash>(static_cast<std::size_t>(hash_(key)));
            if constexpr (keeps_hashes)
                return widen_hash(static_cast<std::uint32_t>(spread >> 32));
            else
                return spread;
        }
    }
    /// The same for the key in `slot`.
    constexpr std::uint64_t hash_at(slot_t slot) const noexcept {
        if constexpr (keeps_hashes)
            return widen_hash(*hashes_.ptr(slot));
        else
            return hash(*ptr(slot));
    }
    template <class K>
    constexpr bool equals(slot_t slot, const K& key) const {
        return equal_(std::as_const(*ptr(slot)), key);
    }

    constexpr std::size_t capacity() const noexcept { return keys_.capacity(); }
    constexpr std::size_t memory_usage() const noexcept { return memory_of(keys_, hashes_); }
    constexpr std::size_t grown_capacity() const noexcept { return keys_.grown_capacity(); }
    constexpr void reserve(std::size_t slot_count) {
        if constexpr (keeps_hashes) hashes_.reserve(slot_count);
        keys_.reserve(slot_count);
    }
    constexpr std::size_t shrunk_capacity(std::size_t slot_count) const noexcept { return keys_.shrunk_capacity(slot_count); }
    constexpr void shrink(std::size_t slot_count) noexcept {
        keys_.shrink(slot_count);
        if constexpr (keeps_hashes) hashes_.shrink(slot_count);
    }

    SLOTWISE_ALWAYS_INLINE constexpr Key* ptr(slot_t slot) const noexcept { return keys_.ptr(slot); }
    /// An argument for equals().
    SLOTWISE_ALWAYS_INLINE constexpr const Key& key_of(slot_t slot) const noexcept { return *keys_.ptr(slot); }
    constexpr const Array& array() const noexcept { return keys_; }
    template <class... Args>
    constexpr void construct(slot_t slot, [[maybe_unused]] std::uint64_t hash,
                             Args&&... args) noexcept(makes_nothrow<allocator, Key, Args...>) {
        traits::construct(allocator_, ptr(slot), std::forward<Args>(args)...);
        if constexpr (keeps_hashes) std::construct_at(hashes_.ptr(slot), static_cast<std::uint32_t>(hash >> 32));
    }
    constexpr void destroy(slot_t slot) noexcept {
        if constexpr (!std::is_trivially_destructible_v<Key>) traits::destroy(allocator_, ptr(slot));
    }

    template <class Codec>
    void write(slot_t slot, ByteWriter& out, Codec& codec) const {
        codec.write(std::as_const(*ptr(slot)), out);
    }
    /// Builds the key of `slot` from bytes. Returns false and builds none when they are wrong.
    template <class Codec>
    bool read(slot_t slot, ByteReader& in, Codec& codec) {
        Key key(codec.template read<Key>(in));
        if (in.error() != nullptr) return false;
        construct(slot, hash(key), std::move(key));
        return true;
    }
    template <class Codec>
    static constexpr std::uint32_t size_check(const Codec&) noexcept {
        return size_check_of<Key>();
    }

private:
    template <class Source>
    constexpr void fill(const KeyStore& other, Occupancy stored, Source&& source) {
        const auto build = [&](slot_t slot) {
            std::uint64_t kept = 0;
            if constexpr (keeps_hashes) kept = std::uint64_t{*other.hashes_.ptr(slot)} << 32;
            construct(slot, kept, source(slot));
        };
        build_each(stored, build, [this](slot_t slot) { destroy(slot); });
    }

    SLOTWISE_NO_UNIQUE_ADDRESS Hash hash_{};
    SLOTWISE_NO_UNIQUE_ADDRESS Equal equal_{};
    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_{};
    Array keys_{};
    PagedArray<std::uint32_t, Allocator> hashes_{};
};

//=== the keys and their index ===//

/// Whether a pending slot can be live once more.
template <Exhaustion E, class Directory>
constexpr bool has_next_version(const Directory& directory, slot_t slot) noexcept {
    return E == Exhaustion::wrap || directory.version(slot) != 0;
}
/// For keys that compare fast: see KeyedEngine::PrefetchFirstColumn.
struct PrefetchNothing {
    constexpr explicit PrefetchNothing(const void*) noexcept {}
    constexpr void operator()(slot_t) const noexcept {}
};
/// What an index is rebuilt from: the slot and the hash of every stored key. It does not depend on values, so that a hundred
/// maps with one key type share the code that rebuilds their indexes.
template <class Directory, class Pending, class Keys>
struct KeySource {
    const Directory* directory;
    const Pending* pending;
    const Keys* keys;
    std::size_t* rebuilds; // null, or a counter of rebuilds
    bool clearing;         // during clear() the slots to be destroyed still have their bits

    constexpr std::size_t capacity() const noexcept { return directory->capacity(); }
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

#if SLOTWISE_CHECK_LEVEL < 2
/// Whether a slot has the key. Two registers pass it.
template <class Keys, class K>
struct KeyEquals {
    const Keys* keys;
    const K* key;

    SLOTWISE_ALWAYS_INLINE constexpr bool operator()(slot_t slot) const { return keys->equals(slot, *key); }
};
#endif
/// Whether a slot that the index offers has the key that is searched for. It does not depend on values, as KeySource.
/// @tparam Any whether a removed slot with the key is found, too
template <bool Any, Exhaustion E, class Directory, class Pending, class Keys, class K, class Prefetch>
struct KeyMatch {
    const Directory* directory;
    const Pending* pending;
    const Keys* keys;
    const std::size_t* inserts; ///< the store's counter
    const K* key;
    slot_t* removed; ///< receives the pending slot with the key that was removed last
    SLOTWISE_NO_UNIQUE_ADDRESS Prefetch prefetch;

    SLOTWISE_ALWAYS_INLINE constexpr bool operator()(slot_t slot) const {
        prefetch(slot);
        if (!equals(slot)) return false;
        if constexpr (std::is_same_v<Pending, NoPendingSlots>)
            return true;
        else {
            if (directory->is_live_bit(slot)) return true;
            // A slot that is neither live nor pending is under construction. Of two pending slots the search takes the one
            // that can be resurrected.
            if (Any && pending->contains(slot) && (*removed == no_slot || !has_next_version<E>(*directory, *removed)))
                *removed = slot;
            return false;
        }
    }
    /// See GroupIndex::search.
    SLOTWISE_ALWAYS_INLINE constexpr auto further() const noexcept {
#if SLOTWISE_CHECK_LEVEL < 2
        if constexpr (std::is_same_v<Pending, NoPendingSlots>)
            return KeyEquals<Keys, K>{keys, key};
        else
#endif
            return *this;
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

/// The store of a keyed container, as slot_store.hpp defines stores: the keys, and the index that finds their slots.
/// @tparam KeysType keys by slot with hash and equality: KeyStore, AnyKeyStore
/// @tparam IndexType an index with an allocator of bytes, so that containers of all key types share it
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
    std::size_t inserts = 0; // an insert compares it to detect nested inserts and a rebuild of the index
};

//=== the engine ===//

/// State and steps of a container with keys, without an interface. Each step leaves the parts consistent or has no effect.
///
/// An insert takes these steps in this order: it blocks a slot, builds the key, builds the value and the columns, adds the slot
/// to the index, and makes it live. A constructor or a hook that looks the element up meanwhile does not find it. The slot of
/// an index entry always has a key.
///
/// do_insert(), do_fulfill() and resurrect() are given a functor that has these steps, of a set (NewKey) or of a map (NewItem):
///
///   construct(slot, hash)               The key is absent. destroy(slot) undoes it when a later step throws.
///   assign_to(member)                   The key is a member.
///   replace_value(slot, old_destroyed)  The key is pending, and gets another value. The flag is set before the old value is
///                                       destroyed: a throw before that leaves the pending element as it was.
///   assign_built(member, slot)          A constructor that ran in one of the others has inserted the same key. The arguments
///                                       are used up. Their value lies in `slot`, which is destroyed next.
///   trivial                             construct() runs no user code.
///   filled_columns                      construct() gives this number of static columns their values; on_insert skips them.
/// @tparam Keys keys by slot: KeyStore, AnyKeyStore @tparam Columns static observers; a map's first one holds its values
template <class Keys, KeySetOptions O, class Allocator, template <class> class IndexOf, class... Columns>
class KeyedEngine : public SlotContainer<IndexedKeys<Keys, IndexOf<rebind_t<Allocator, std::byte>>, Allocator>,
                                         SlotContainerOptions{.handle = O.handle,
                                                              .exhaustion = O.exhaustion,
                                                              .reuse = O.reuse,
                                                              .max_slots = O.max_slots,
                                                              .deferred_erase = O.deferred_erase,
                                                              .columns_share_allocator = true},
                                         Allocator, Columns...> {
public:
    using Base = typename KeyedEngine::SlotContainer;
    using typename Base::Bytes;
    using typename Base::Directory;
    using typename Base::EmptyCopyTag;
    using typename Base::Hub;
    using typename Base::StoredBits;
    using Index = typename Base::Store::Index;
    using Base::allocator;
    using Base::deferred;
    using Base::directory;
    using Base::hub;
    using Base::pending;
    using Base::store;

    constexpr KeyedEngine() = default;
    constexpr KeyedEngine(Keys&& keys, const Allocator& alloc) : Base(typename Base::Store(std::move(keys), alloc), alloc) {}
    constexpr KeyedEngine(EmptyCopyTag tag, const KeyedEngine& other, const Allocator& alloc) : Base(tag, other, alloc) {}
    constexpr KeyedEngine(const KeyedEngine& other) : Base(other) {}
    constexpr KeyedEngine(const KeyedEngine& other, const Allocator& alloc) : Base(other, alloc) {}
    constexpr KeyedEngine(KeyedEngine&& other) noexcept(Base::nothrow_move) : Base(std::move(other)) {}
    constexpr KeyedEngine(KeyedEngine&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
    // transition_slot_ belongs to a running operation and is not assigned.
    constexpr KeyedEngine& operator=(const KeyedEngine& other) {
        Base::operator=(other);
        return *this;
    }
    constexpr KeyedEngine& operator=(KeyedEngine&& other) noexcept(std::is_nothrow_move_assignable_v<Base>) {
        Base::operator=(std::move(other));
        return *this;
    }
    ~KeyedEngine() = default;

    /// Whether the steps after the construction of an element cannot throw while no dynamic observer is attached.
    static constexpr bool nothrow_commit = Hub::nothrow_insert && Index::nothrow_place;

    /// Whether a pending slot can be live again. If it has used its last version, its key gets another slot.
    constexpr bool can_resurrect(slot_t slot) const noexcept { return has_next_version<O.exhaustion>(directory, slot); }

    //=== finding ===//

    // Callers read the value after they find a string, so the comparison fetches both at once (2 % of a hit). For keys that
    // compare fast it cost more than it saved.
    struct PrefetchFirstColumn {
        const Hub* hub;
        constexpr explicit PrefetchFirstColumn(const Hub* of) noexcept : hub(of) {}
        SLOTWISE_ALWAYS_INLINE constexpr void operator()([[maybe_unused]] slot_t slot) const noexcept {
#if defined(__GNUC__) || defined(__clang__)
            if constexpr (requires { hub->template get<0>().block(slot); })
                if (!SLOTWISE_IN_CONSTANT) __builtin_prefetch(hub->template get<0>().block(slot));
#endif
        }
    };
    using Prefetch = std::conditional_t<Keys::trivial || sizeof...(Columns) == 0, PrefetchNothing, PrefetchFirstColumn>;

    /// The live slot whose key equals `key`, or no_slot. @tparam Any if no slot is live, the pending one that was removed last
    template <bool Any = false, class K>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t do_find(const K& key) const {
        return do_find<Any>(store.keys.hash(key), key);
    }
    /// The same for a key whose hash is known.
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

    /// The source of a rebuild of the index. A rebuild drops a slot that is being resurrected, which resurrect() detects by the
    /// counter. The source is made when an index is really rebuilt, so that an insert passes one pointer only.
    struct RebuildSource {
        KeyedEngine* of;
        constexpr Source shared() const noexcept { return of->source(&of->store.inserts); }
    };
    SLOTWISE_ALWAYS_INLINE constexpr auto rebuild_source() noexcept {
        if constexpr (requires { requires Index::shares_sources; })
            return RebuildSource{this};
        else
            return source(&store.inserts);
    }

    //=== inserting ===//

    /// Inserts `element`, whose key may be present.
    template <class K, class Element>
    SLOTWISE_ALWAYS_INLINE constexpr InsertOutcome do_insert(const K& key, Element&& element) {
        this->expect_not_notifying();
        return do_insert(store.keys.hash(key), key, std::forward<Element>(element));
    }
    /// The same for a key whose hash is known. @pre expect_not_notifying()
    template <class K, class Element>
    constexpr InsertOutcome do_insert(std::uint64_t hash, const K& key, Element&& element) {
        using New = std::remove_reference_t<Element>;
        const slot_t found = do_find<deferred>(hash, key);
        if (found != no_slot && (!deferred || directory.is_live(found))) {
            element.assign_to(found);
            return {found, false, InsertKind::fresh};
        }
        if constexpr (deferred)
            if (found != no_slot && can_resurrect(found)) return resurrect(hash, found, element);
        if (!directory.has_room()) [[unlikely]]
            grow();
        if constexpr (nothrow_commit && (New::trivial ? Base::trivial : requires { element.copies_bytes(); })) {
            bool quick = !hub.dynamic() && (!deferred || found == no_slot);
            if constexpr (requires { element.copies_bytes(); }) quick = quick && element.copies_bytes();
            if (quick) [[likely]] {
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

    /// Inserts a key under the reserved handle {slot, version}. Returns false, without an effect, when the handle is not
    /// reserved, or the key is a member. A pending element with the key is superseded and not resurrected, because it had
    /// another handle.
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
    /// Removes a pending element from the index, because a newer element has its key. So the index has one entry for a key,
    /// however often it is removed and inserted between two flushes, and finds the element that was removed last in O(1).
    constexpr void supersede(std::uint64_t hash, slot_t slot) noexcept {
        store.index.erase(hash, slot);
        pending.supersede(slot);
    }

    //=== erasing ===//

    /// Erases by key; false when there is none. The argument may refer to the element's key.
    template <class K>
    SLOTWISE_ALWAYS_INLINE constexpr bool do_erase_key(const K& key) {
        const std::uint64_t hash = store.keys.hash(key);
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
    /// Erases the element at once, also with deferred erase, and reserves its handle. With deferred erase it throws also what
    /// equality throws.
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
    /// The pending element with the key of `slot` that was removed last, or no_slot. The index gets it when `slot` is erased.
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
    /// Adds such an element to the index. It stays superseded if an insert has happened meanwhile: that may have had the same
    /// key, or may have rebuilt the index.
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
    /// Erases the element after take() has copied or moved it out. take() may run user code, so the slot is neither live nor
    /// pending meanwhile. If take() throws, the element stays; but it is erased if something was inserted meanwhile, which may
    /// have had the same key. @tparam Trivial take() runs no user code and throws nothing @tparam Keep the element is erased at
    /// once, also with deferred erase, and its handle is reserved; the first reservation throws what the allocator throws
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
                if constexpr (deferred) store.unlist(slot); // no effect if the index has lost it
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
                supersede(hash, slot); // another element may have its key, or the index may have lost it
            hub.removed(slot);
        } else {
            hub.erase(slot);
            store.keys.destroy(slot);
            directory.release(slot);
        }
    }
    /// Puts the entry of `slot` back into the index. A HashIndex still has the room. A table of another library may need
    /// memory for it: returns false if that fails.
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
    /// Erases everything and frees the memory. If a slot is retired, or would retire now, its memory must stay: then this is
    /// do_clear() and do_flush_removed().
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

    /// Attaches an observer. If a slot is between two states, the observer is notified of it in its former state.
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
        slot_t sound_end = 0;  // the elements below are built
        slot_t listed_end = 0; // the index has what it shall have of those below
        ScopeGuard undo([&]() noexcept { discard_elements<First>(stored.view(), sound_end); });
        undo_all.dismiss();
        bool sound = true;
        store.index.reserve(directory.size() + waiting, [](auto&&) {});
        const auto list = [&](slot_t slot) {
            const std::uint64_t hash = store.keys.hash_at(slot);
            const slot_t same_key = do_find<true>(hash, store.keys.key_of(slot));
            // Two elements may have one key only if one of them is pending: it was exhausted, or do_fulfill() superseded it.
            if (same_key != no_slot && !this->is_pending(same_key) && !this->is_pending(slot))
                return in.fail("snapshot: a key occurs twice");
            store.index.make_room([&](auto&& entry) { // there is room, but the keys of a hostile snapshot may collide
                stored.view().for_each([&](slot_t listed) {
                    if (listed < listed_end && !pending.superseded(listed)) entry(listed, store.keys.hash_at(listed));
                });
            });
            listed_end = slot + 1;
            // Of the elements with one key the index has the live one, or the one removed last.
            const bool latest =
                same_key == no_slot || !this->is_pending(slot) || (this->is_pending(same_key) && place[same_key] < place[slot]);
            if (latest) {
                store.index.place(hash, slot);
                if (same_key != no_slot) supersede(hash, same_key);
            } else
                pending.supersede(slot);
            return true;
        };
        // Keys are built some at a time before the index gets them: meanwhile the parts of it that they need are fetched.
        std::array<slot_t, 32> built{};
        std::size_t count = 0;
        const auto list_built = [&] {
            for (std::size_t i = 0; i != count && sound; ++i) sound = list(built[i]);
            count = 0;
        };
        stored.view().for_each([&](slot_t slot) {
            prefetch_entry<Row>(in);
            sound = sound && store.keys.read(slot, in, codec);
            if (!sound) return;
            ScopeGuard undo_key([&]() noexcept { store.keys.destroy(slot); });
            if constexpr (!prefetches_entry<Row> && requires { store.index.prefetch(std::uint64_t{}); })
                store.index.prefetch(store.keys.hash_at(slot));
            sound = read_first(slot);
            if (!sound) return;
            undo_key.dismiss();
            sound_end = slot + 1;
            built[count++] = slot;
            if (count == built.size()) list_built();
        });
        list_built();
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
    // Fetches the part of the index for the key that is read 16 elements later.
    template <std::size_t Row>
    static constexpr bool prefetches_entry = Row != 0 && Keys::rehashes;
    template <std::size_t Row>
    SLOTWISE_ALWAYS_INLINE void prefetch_entry([[maybe_unused]] const ByteReader& in) const noexcept {
        if constexpr (prefetches_entry<Row> && requires { store.index.prefetch(std::uint64_t{}); })
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

    // The slot that is being resurrected or, if extracting_, extracted.
    slot_t transition_slot_ = no_slot;
    bool extracting_ = false;
};

} // namespace detail

SLOTWISE_END

#endif
