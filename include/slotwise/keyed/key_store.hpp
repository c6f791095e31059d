// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeyStore: the keys of a keyed container by slot, in memory that never moves, and their hashes.
#ifndef SLOTWISE_KEYED_KEY_STORE_HPP
#define SLOTWISE_KEYED_KEY_STORE_HPP

#include "../core/concepts.hpp"
#include "../core/hash.hpp"
#include "../core/iterator_facade.hpp"
#include "../memory/reserved_array.hpp"
#include "../slots/snapshot.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Widens the 32 stored bits of a hash to 64 by repeating them. An index takes fingerprint, class and group from the low half
/// and the step from the high half. Beyond 4 million groups the group's number repeats bits of the fingerprint.
constexpr std::uint64_t widen_hash(std::uint32_t hash) noexcept { return std::uint64_t{hash} << 32 | hash; }
/// Mixes the result of a hash function for an index.
template <class Hash>
constexpr std::uint64_t spread_hash(std::size_t hash) noexcept {
    if constexpr (Avalanching<Hash> && sizeof(std::size_t) == 8)
        return hash;
    else
        return mix_bits(hash);
}

/// Keys, hash and equality. The owner knows which slots have a key.
template <class Key, class Hash, class Equal, KeySetOptions O, class Allocator>
class KeyStore {
    static_assert(Storable<Key>, "keyed containers: Key must be a non-const object type whose destructor does not throw");
    using Growing = GrowingArray<O.growth, Key, Allocator, O.page_slots,
                                 reserved_slots<O.growth, Key>(O.max_slots, HandleTraits<O.handle>::max_slots)>;
    using Array = typename Growing::type;
    using allocator = rebind_t<Allocator, Key>;
    using traits = std::allocator_traits<allocator>;
    // Small trivial keys are hashed as fast as a load. For all others 32 bits are stored, so that growth and erase call no user
    // code, which might throw, and read no strings.
    static constexpr bool keeps_hashes =
        !(std::is_trivially_copyable_v<Key> && sizeof(Key) <= 16 && std::is_nothrow_invocable_v<const Hash&, const Key&>);

public:
    using key_type = Key;
    static constexpr std::size_t slot_bytes = sizeof(Key);
    static constexpr std::size_t max_slots = Growing::max_slots;
    /// Construction and destruction of keys run no user code.
    static constexpr bool trivial = std::is_trivially_copyable_v<Key>;
    /// Hashes are not stored: a hash throws nothing and takes no longer than a load.
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
    static constexpr std::uint32_t stamp() noexcept { return size_stamp<Key>(); }

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

} // namespace detail
SLOTWISE_END

#endif
