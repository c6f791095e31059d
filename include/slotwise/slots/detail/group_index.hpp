// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// GroupIndex: finds the slot of a key by the key's hash. It stores slot numbers only. The caller compares keys.
#ifndef SLOTWISE_SLOTS_DETAIL_GROUP_INDEX_HPP
#define SLOTWISE_SLOTS_DETAIL_GROUP_INDEX_HPP

#include "../../config/config.hpp"
#include "../../core/detail/bits.hpp"
#include "../../core/hash.hpp"
#include "../../core/seeded_hash.hpp"
#include "../../memory/allocator.hpp"

#include <cstring>
#include <type_traits>

#if defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#define SLOTWISE_FINGERPRINTS_SSE2 1
#include <emmintrin.h>
#else
#define SLOTWISE_FINGERPRINTS_SSE2 0
#endif
#if (defined(__ARM_NEON) && defined(__aarch64__)) || defined(_M_ARM64)
#define SLOTWISE_FINGERPRINTS_NEON 1
#include <arm_neon.h>
#else
#define SLOTWISE_FINGERPRINTS_NEON 0
#endif

SLOTWISE_BEGIN
namespace detail {

// The twelve fingerprints of a group are compared with one at once: by SSE2, by NEON, and by two 64-bit words elsewhere.

/// Fingerprints in a group; 0 = empty place. The four bytes after them are readable: the group's overflow counts.
inline constexpr unsigned group_size = 12;

/// What the lowest byte of a hash says to an index.
struct HashByte {
    std::uint32_t fingerprint; ///< the byte, but 1 for 0, in all four bytes
    std::uint32_t counts;      ///< the bits of its class's count in a group: 15 at one of eight places
};
/// Of each byte. The table, 2 KiB that stay in the cache, saves ten instructions (5 % of a hit, a quarter of a miss;
/// boost::unordered_flat_map has two such tables).
struct HashBytes {
    HashByte of[256];
    constexpr HashBytes() noexcept : of{} {
        for (std::uint32_t byte = 0; byte != 256; ++byte) of[byte] = {0x0101'0101u * (byte + (byte == 0)), 15u << byte % 8 * 4};
    }
};
inline constexpr HashBytes hash_bytes{};

/// Which of the twelve fingerprints matched: one bit each, 2^Shift bits apart. 32 bits where they suffice, for shorter code.
template <class Word, unsigned Shift>
class FingerprintMask {
public:
    constexpr explicit FingerprintMask(Word bits) noexcept : bits_(bits) {}
    constexpr explicit operator bool() const noexcept { return bits_ != 0; }
    /// The first match. @pre there is one
    constexpr std::size_t first() const noexcept {
#if defined(__GNUC__) || defined(__clang__)
        if constexpr (sizeof(Word) == 4) return std::size_t{static_cast<unsigned>(__builtin_ctz(bits_))} >> Shift;
#endif
        return bits::lowest(bits_) >> Shift;
    }
    constexpr void drop_first() noexcept { bits_ &= bits_ - 1; }

private:
    Word bits_;
};

/// 64-bit arithmetic, for every machine and for constant expressions. The second argument of every match() is a word of four
/// equal bytes: a fingerprint, or 0 for empty places.
struct PortableFingerprints {
    using mask = FingerprintMask<std::uint32_t, 0>;

    static constexpr mask match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        return mask(static_cast<std::uint32_t>(marks(load(fingerprints, 8), fingerprint) |
                                               marks(load(fingerprints + 8, 4), fingerprint) << 8) &
                    0xFFFu);
    }

private:
    // fingerprints[0] in the lowest byte, whatever the byte order.
    static constexpr std::uint64_t load(const std::uint8_t* fingerprints, unsigned count) noexcept {
        std::uint64_t word = 0;
        if (std::endian::native == std::endian::little && !SLOTWISE_IN_CONSTANT)
            std::memcpy(&word, fingerprints, count);
        else
            for (unsigned i = 0; i != count; ++i) word |= std::uint64_t{fingerprints[i]} << (8 * i);
        return word;
    }
    // One bit for each byte of `word` that equals the bytes of `fingerprint`. Exact: no carry crosses a byte.
    static constexpr std::uint64_t marks(std::uint64_t word, std::uint32_t fingerprint) noexcept {
        constexpr std::uint64_t low7 = 0x7F7F'7F7F'7F7F'7F7Fu;
        const std::uint64_t differ = word ^ (std::uint64_t{fingerprint} << 32 | fingerprint);
        const std::uint64_t equal = ~(((differ & low7) + low7) | differ | low7); // 0x80 in every byte that is zero
        return ((equal >> 7) * 0x0102'0408'1020'4080u) >> 56;                    // gathers the eight bits
    }
};

#if SLOTWISE_FINGERPRINTS_SSE2
struct Sse2Fingerprints {
    using mask = FingerprintMask<std::uint32_t, 0>;

    SLOTWISE_ALWAYS_INLINE static constexpr mask match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        if (SLOTWISE_IN_CONSTANT) return PortableFingerprints::match(fingerprints, fingerprint);
        const __m128i bytes = _mm_load_si128(static_cast<const __m128i*>(static_cast<const void*>(fingerprints)));
        const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi32(static_cast<int>(fingerprint)));
        return mask(static_cast<unsigned>(_mm_movemask_epi8(equal)) & 0xFFFu);
    }
};
using NativeFingerprints = Sse2Fingerprints;
#elif SLOTWISE_FINGERPRINTS_NEON
struct NeonFingerprints {
    using mask = FingerprintMask<std::uint64_t, 2>;

    SLOTWISE_ALWAYS_INLINE static constexpr mask match(const std::uint8_t* fingerprints, std::uint32_t fingerprint) noexcept {
        if (SLOTWISE_IN_CONSTANT) {
            std::uint64_t bits = 0;
            for (unsigned i = 0; i != group_size; ++i)
                bits |= std::uint64_t{fingerprints[i] == static_cast<std::uint8_t>(fingerprint)} << (4 * i);
            return mask(bits);
        }
        // No movemask: a narrowing shift leaves four bits a byte (D. Kutenin, "Porting x86 vector bitmask
        // optimizations to Arm NEON").
        const uint8x16_t equal = vceqq_u8(vld1q_u8(fingerprints), vreinterpretq_u8_u32(vdupq_n_u32(fingerprint)));
        const uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(equal), 4);
        return mask(vget_lane_u64(vreinterpret_u64_u8(narrow), 0) & 0x1111'1111'1111u);
    }
};
using NativeFingerprints = NeonFingerprints;
#else
using NativeFingerprints = PortableFingerprints;
#endif

/// Twelve entries in one cache line. The fingerprints, which are compared first, lie first.
struct alignas(64) IndexGroup {
    std::uint8_t fingerprints[group_size]; // a byte of the hash, 0 = empty
    std::uint32_t overflow; // entries that passed because the group was full: a count of four bits a class of hash; 15 stays
    slot_t entries[group_size];
};
inline constexpr IndexGroup empty_group{};
/// Where every search of a seeded index begins: it has no entry, and its counts send the search on.
inline constexpr IndexGroup seeded_group{{}, 0x1111'1111u, {}};

/// A source without the type of its container, if it has one.
template <class Source>
constexpr auto shared_source(const Source& source) {
    if constexpr (requires { source.shared(); })
        return source.shared();
    else
        return source;
}

} // namespace detail

/// A hash table of slot numbers: groups of twelve one-byte fingerprints and twelve slots, double hashing from group to group,
/// at most ten entries a group on average.
///
/// A full group counts the entries that were placed further on, in eight classes of hashes. A search continues only if its
/// class's count is not zero. An erase decrements the counts. So there are no tombstones, and misses end early. (The counts
/// are those of F14 by N. Bronson and X. Shi. The classes are those of boost::unordered_flat_map by J. López, which has a bit
/// each.) With four classes, misses among full groups took a fifth longer. docs/design.md has the
/// measurements. Keys are not stored here, so that a hit reads one cache line of the index and one of the keys. Keys in the
/// group were tried (five and their slots, no fingerprints): hits took 1.5 times as long, because five places overflow often,
/// and an element took 13 bytes more. Fingerprints in an array of their own (fifteen and a byte, as Boost has them) were
/// tried: misses at 1e6 took as long as here, hits 1.2 to 1.4 times as long, because they read a line more.
///
/// Entries that pass more groups, or pass one group more often, than chance allows have equal hashes, or hashes computed to
/// collide. The next make_room() then rebuilds the table under a secret seed that is mixed into every hash. A search
/// does not test whether there is a seed. In a seeded table it begins at a group that leads it to the seeded search, which
/// costs 6 ns.
///
/// An index policy is a class template over an allocator of bytes with these members. BoostIndex, RobinIndex and AnkerlIndex
/// adapt other tables. A *source* calls its argument with (slot, hash) for every entry. A growing table gets its hashes from
/// it. It must not throw. Its capacity(), if it has that member, is how many slots the container has room for.
/// @tparam Fingerprints how fingerprints are compared; NativeFingerprints or PortableFingerprints
template <class Allocator, class Fingerprints>
class GroupIndex {
    using Group = detail::IndexGroup;
    using Groups = detail::FlatArray<Group, Allocator>;
    static constexpr std::size_t max_group_load = 10; // of 12: at 11 misses cost a third more
    // Measured with 7e8 random entries in indexes of 16 to 65,536 groups: one in 1e8 passes 15 groups, and each further group
    // is 0.37 times as frequent. With 1e8 entries one count in 3e7 reaches 8, and each further one is at most 0.14 times as
    // frequent. So chance exceeds a limit less than once in 1e13 entries, and then costs a seed.
    static constexpr std::uint32_t max_passed = 48;

public:
    /// Whether place() cannot throw once make_room() has returned.
    static constexpr bool nothrow_place = true;
    /// A source may also be an object whose shared() returns the source, which is then called only where it is needed.
    static constexpr bool shares_sources = true;

    constexpr GroupIndex() = default;
    constexpr explicit GroupIndex(const Allocator& alloc) noexcept : storage_(alloc) {}
    /// The same entries in memory of `alloc`. @throws what the allocator throws
    constexpr GroupIndex(const GroupIndex& other, const Allocator& alloc)
        : storage_(other.storage_.resized(other.storage_.size(), Group{}, alloc)), size_(other.size_),
          probe_stats_(other.probe_stats_), seed_(other.seed_) {
        update_search_start();
    }
    constexpr GroupIndex(GroupIndex&& other) noexcept
        : storage_(std::move(other.storage_)), size_(other.size_), probe_stats_(other.probe_stats_), seed_(other.seed_) {
        update_search_start();
        other.reset_state();
    }
    GroupIndex(const GroupIndex&) = delete;
    GroupIndex& operator=(const GroupIndex&) = delete;
    GroupIndex& operator=(GroupIndex&&) = delete;
    ~GroupIndex() = default;
    constexpr void swap(GroupIndex& other) noexcept {
        storage_.swap(other.storage_);
        std::swap(size_, other.size_);
        std::swap(probe_stats_, other.probe_stats_);
        std::swap(seed_, other.seed_);
        update_search_start();
        other.update_search_start();
    }

    constexpr std::size_t size() const noexcept { return size_; }

    /// The slot of the entry with this hash for which equal(slot) holds, or no_slot.
    /// @throws what equal throws @complexity O(1) expected
    template <class Equal>
    SLOTWISE_INLINE_OPTIMISED constexpr slot_t find(std::uint64_t hash, Equal&& equal) const {
        return search(hash, equal, [](std::uint64_t, std::size_t, std::size_t, std::size_t) {});
    }
    /// Finds an entry and removes it in one search. @throws what equal throws; nothing is removed then
    template <class Equal>
    SLOTWISE_INLINE_OPTIMISED constexpr slot_t take(std::uint64_t hash, Equal&& equal) {
        return search(hash, equal, Remove{this});
    }

    /// Makes room for one more entry, and reseeds the table if too many hashes collide. Allocates nothing while there is room.
    /// @throws what the allocator throws; nothing has changed then
    template <class Source>
    SLOTWISE_ALWAYS_INLINE constexpr void make_room(Source&& source) {
        if (size_ >= limit_) [[unlikely]]
            make_room_now(detail::shared_source(source));
    }
    /// Makes room for `count` entries in all. @throws what the allocator throws; nothing has changed then
    template <class Source>
    constexpr void reserve(std::size_t count, Source&& source) {
        if (count > room()) rebuild(groups_for(count), detail::shared_source(source));
    }
    /// Frees memory that the entries do not need. @throws what the allocator throws; nothing has changed then
    template <class Source>
    constexpr void shrink_to_fit(Source&& source) {
        if (size_ == 0)
            reset();
        else if (groups_for(size_) < storage_.size())
            rebuild(groups_for(size_), detail::shared_source(source));
    }

    /// Adds an entry. @pre make_room(), and no entry has this slot
    SLOTWISE_INLINE_OPTIMISED constexpr void place(std::uint64_t hash, slot_t slot) noexcept {
        ++size_;
        if (seed_ || !place_in_group(*home_group(storage_.data(), hash), hash, slot)) [[unlikely]]
            place_further(hash, slot);
    }
    /// Removes the entry. @pre place(hash, slot) was called, once
    constexpr void erase(std::uint64_t hash, slot_t slot) noexcept {
        take(hash, [slot](slot_t each) { return each == slot; });
    }
    /// Removes all entries and keeps the memory.
    SLOTWISE_NEVER_INLINE constexpr void clear() noexcept {
        if (size_ == 0 && probe_stats_.longest == 0 && !seed_) return; // all counts are 0 too
        clear_groups(storage_);
        reset_state();
    }
    /// Removes all entries and frees the memory.
    constexpr void reset() noexcept {
        storage_.free();
        reset_state();
    }

    /// Fetches what a search for this hash reads first. An index need not have this function.
    SLOTWISE_ALWAYS_INLINE void prefetch(std::uint64_t hash) const noexcept { prefetch_group(home_group(groups_, hash)); }
    /// Bytes held from the allocator.
    constexpr std::size_t memory_usage() const noexcept { return storage_.memory_usage(); }
    /// Whether the entries are exactly those of `source` (each hash, each slot once) and every count is right; for tests.
    template <class Source>
    constexpr bool is_sound(Source&& source) const {
        std::size_t entries = 0;
        bool sound = true;
        const std::size_t mask = storage_.size() - 1;
        Groups expected = storage_.resized(storage_.size(), Group{}, Allocator(storage_.get_allocator()));
        source([&](slot_t slot, std::uint64_t unseeded) {
            ++entries;
            const std::uint64_t hash = seed_ ? seed_(unseeded) : unseeded;
            std::size_t at = home_in(hash, mask), passed = 0;
            for (sound = sound && !storage_.empty(); sound && position(storage_[at], hash, slot) == detail::group_size;
                 at = next_in(at, hash, mask)) {
                sound = any_passed(expected[at], hash) && ++passed <= probe_stats_.longest;
                if (sound && !is_count_full(expected[at], hash)) expected[at].overflow -= one_passing(hash);
            }
        });
        std::size_t fingerprints = 0;
        for (std::size_t i = 0; i != storage_.size(); ++i) {
            for (const auto fingerprint : storage_[i].fingerprints) fingerprints += fingerprint != 0;
            for (std::uint32_t counts = expected[i].overflow; counts != 0; counts >>= 4)
                sound = sound && (counts % 16 == 0 || counts % 16 == 15);
        }
        return sound && entries == size_ && fingerprints == size_ && size_ <= room() && (limit_ == 0 || limit_ == room());
    }

private:
    // The lowest eight bits are the fingerprint, and the lowest three of them the class; the rest chooses the group.
    static constexpr const detail::HashByte& byte_of(std::uint64_t hash) noexcept {
        return detail::hash_bytes.of[static_cast<std::uint8_t>(hash)];
    }
    static constexpr std::uint32_t fingerprint_of(std::uint64_t hash) noexcept { return byte_of(hash).fingerprint; }
    // Whether entries of the hash's class have passed the group, and whether so many that their count says no more.
    static constexpr bool any_passed(const Group& group, std::uint64_t hash) noexcept {
        return (group.overflow & byte_of(hash).counts) != 0;
    }
    static constexpr bool is_count_full(const Group& group, std::uint64_t hash) noexcept {
        return (group.overflow & byte_of(hash).counts) == byte_of(hash).counts;
    }
    static constexpr std::uint32_t one_passing(std::uint64_t hash) noexcept { return byte_of(hash).counts & 0x1111'1111u; }
    static constexpr std::size_t home_in(std::uint64_t hash, std::size_t mask) noexcept {
        return bits::to_size(hash >> 10) & mask;
    }
    // The group of the hash among these; the same as home_in, one instruction less.
    template <class G>
    SLOTWISE_ALWAYS_INLINE constexpr G* home_group(G* groups, std::uint64_t hash) const noexcept {
        if (SLOTWISE_IN_CONSTANT) return groups + home_in(hash, home_mask_ / sizeof(Group));
        using Byte = std::conditional_t<std::is_const_v<G>, const std::byte, std::byte>;
        return reinterpret_cast<G*>(reinterpret_cast<Byte*>(groups) + (bits::to_size(hash >> 4) & home_mask_));
    }
    // An odd step reaches every group, because their number is a power of two.
    static constexpr std::size_t next_in(std::size_t at, std::uint64_t hash, std::size_t mask) noexcept {
        return (at + (bits::to_size(hash >> 32) | 1u)) & mask;
    }
    static constexpr std::size_t groups_for(std::size_t count) noexcept {
        return std::bit_ceil(count / max_group_load + (count % max_group_load != 0));
    }

    constexpr std::size_t room() const noexcept { return storage_.size() * max_group_load; }

    /// How far an entry is from the group of its hash.
    struct ProbePath {
        std::uint32_t passed = 0; // groups
        bool crowded = false;     // more entries than chance allows have passed one of the groups
    };
    /// Statistics of all entries since the last rebuild.
    struct ProbeStats {
        std::uint32_t longest = 0;
        bool flooded = false;
        std::size_t saturated = 0; // entries that were removed past a count that had saturated
        constexpr void add(ProbePath path) noexcept {
            if (path.passed > longest) longest = path.passed;
            flooded = flooded || path.crowded || path.passed > max_passed;
        }
    };

    // No lambda, because compilers do not inline that everywhere: in the first group it is two stores.
    struct Remove {
        GroupIndex* index;
        SLOTWISE_ALWAYS_INLINE constexpr void operator()(std::uint64_t hash, std::size_t mask, std::size_t at,
                                                         std::size_t i) const noexcept {
            index->remove(hash, mask, at, i);
        }
    };
    /// Calls found(hash as seeded, mask, number of the group, place in it) where equal(slot) holds. The first group decides
    /// nine of ten searches. The rest is a call, which keeps every find short. An `equal` of more than two pointers may have a
    /// member further() that returns a smaller one for that call: clang writes to memory, at every find, what does not fit in
    /// registers.
    template <class Equal, class Found>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t search(std::uint64_t hash, Equal& equal, Found found) const {
        const Group& group = *home_group(groups_, hash);
        const auto home = static_cast<std::size_t>(&group - groups_);
        const slot_t slot = search_group(group, hash, home_mask_ / sizeof(Group), home, equal, found);
        if (slot != no_slot || !any_passed(group, hash)) [[likely]]
            return slot;
        if constexpr (requires { equal.further(); })
            return probe_further(hash, equal.further(), found);
        else
            return probe_further(hash, equal, found);
    }
    // Functors by value: by reference, every find would write them to memory for this call, and take up to 1.5 times as long.
    template <class Equal, class Found>
    SLOTWISE_NEVER_INLINE constexpr slot_t probe_further(std::uint64_t hash, Equal equal, Found found) const {
        const std::size_t mask = storage_.size() - 1;
        std::uint32_t passed = 0;
        slot_t slot = no_slot;
        std::size_t at = home_in(hash, mask);
        if (seed_) {
            hash = seed_(hash);
            at = home_in(hash, mask);
            slot = search_group(storage_[at], hash, mask, at, equal, found);
        }
        // No entry has passed more groups, so the search stops there. Otherwise counts could send it on for ever, by accident
        // or by design.
        while (slot == no_slot && any_passed(storage_[at], hash) && passed++ != probe_stats_.longest) {
            at = next_in(at, hash, mask);
            slot = search_group(storage_[at], hash, mask, at, equal, found);
        }
        return slot;
    }
    template <class Equal, class Found>
    SLOTWISE_ALWAYS_INLINE static constexpr slot_t search_group(const Group& group, std::uint64_t hash, std::size_t mask,
                                                                std::size_t at, Equal& equal, Found& found) {
        for (auto match = Fingerprints::match(group.fingerprints, fingerprint_of(hash)); match; match.drop_first()) {
            const slot_t slot = group.entries[match.first()];
            if (equal(slot)) [[likely]] {
                found(hash, mask, at, match.first());
                SLOTWISE_ASSUME(slot != no_slot); // find does not test again whether it found (4 % of a hit)
                return slot;
            }
        }
        return no_slot;
    }
    SLOTWISE_ALWAYS_INLINE constexpr void remove(std::uint64_t hash, std::size_t mask, std::size_t at, std::size_t i) noexcept {
        storage_[at].fingerprints[i] = 0;
        --size_;
        if (at != home_in(hash, mask)) uncount(hash, mask, at);
        if (size_ == 0 && limit_ == 0) [[unlikely]]
            clear_saturated();
    }
    // An entry in group `at` was removed: undoes its counts.
    SLOTWISE_NEVER_INLINE constexpr void uncount(std::uint64_t hash, std::size_t mask, std::size_t at) noexcept {
        bool saturated = false;
        for (std::size_t passed = home_in(hash, mask); passed != at; passed = next_in(passed, hash, mask)) {
            Group& group = storage_[passed];
            if (!is_count_full(group, hash))
                group.overflow -= one_passing(hash);
            else
                saturated = true;
        }
        // Rebuilt once so many were removed that the longer searches have cost as much.
        if (saturated && ++probe_stats_.saturated > (storage_.size() + size_) / 16) limit_ = 0;
    }
    /// Whether the group had room for the entry.
    SLOTWISE_ALWAYS_INLINE static constexpr bool place_in_group(Group& group, std::uint64_t hash, slot_t slot) noexcept {
        const auto empty = Fingerprints::match(group.fingerprints, 0);
        if (!empty) return false;
        group.fingerprints[empty.first()] = static_cast<std::uint8_t>(fingerprint_of(hash));
        group.entries[empty.first()] = slot;
        return true;
    }
    // Out of line, because few inserts need it.
    SLOTWISE_NEVER_INLINE constexpr void place_further(std::uint64_t hash, slot_t slot) noexcept {
        const bool had_flooded = probe_stats_.flooded;
        probe_stats_.add(place_probing(storage_.data(), storage_.size() - 1, seed_ ? seed_(hash) : hash, slot));
        if (probe_stats_.flooded && !had_flooded && !seed_) limit_ = 0; // the next make_room() reseeds
    }
    SLOTWISE_NEVER_INLINE static constexpr ProbePath place_probing(Group* groups, std::size_t mask, std::uint64_t hash,
                                                                   slot_t slot) noexcept {
        ProbePath path;
        for (std::size_t at = home_in(hash, mask);; at = next_in(at, hash, mask)) {
            Group& group = groups[at];
            if (place_in_group(group, hash, slot)) return path;
            if (!is_count_full(group, hash)) group.overflow += one_passing(hash);
            path.crowded = path.crowded || is_count_full(group, hash);
            ++path.passed;
        }
    }
    // Always inline: g++ 12 takes a function that only prefetches for one without effect, and drops the call.
    SLOTWISE_ALWAYS_INLINE static constexpr void prefetch_group([[maybe_unused]] const Group* group) noexcept {
#if defined(__GNUC__) || defined(__clang__)
        if (!SLOTWISE_IN_CONSTANT) __builtin_prefetch(group, 1);
#endif
    }
    constexpr unsigned position(const Group& group, std::uint64_t hash, slot_t slot) const noexcept {
        const auto fingerprint = static_cast<std::uint8_t>(fingerprint_of(hash));
        unsigned i = 0;
        while (i != detail::group_size && !(group.fingerprints[i] == fingerprint && group.entries[i] == slot)) ++i;
        return i;
    }

    template <class Source>
    SLOTWISE_NEVER_INLINE constexpr void make_room_now(Source source) {
        if (size_ >= room()) return rebuild(grown(source), source);
        // In the same memory: the promise of reserve() holds, and nothing can fail.
        seed_ = detail::IndexSeed::random();
        clear_groups(storage_);
        fill(storage_, source);
    }
    // Twice as many groups, or as many as the slots need for which the container has room, up to 4 KiB: a small table is then
    // filled again two or three times, not six.
    template <class Source>
    constexpr std::size_t grown(const Source& source) const noexcept {
        if (storage_.empty()) return 1;
        std::size_t groups = 2 * storage_.size();
        if constexpr (requires { source.capacity(); }) {
            constexpr std::size_t most = 4096 / sizeof(Group) * max_group_load;
            const std::size_t for_slots = groups_for(source.capacity() < most ? source.capacity() : most);
            if (for_slots > groups) groups = for_slots;
        }
        return groups;
    }
    template <class Source>
    SLOTWISE_NEVER_INLINE constexpr void rebuild(std::size_t groups, Source source) {
        Groups fresh =
            Groups(Allocator(storage_.get_allocator())).resized(groups, Group{}, Allocator(storage_.get_allocator()));
        if (probe_stats_.flooded) seed_ = detail::IndexSeed::random();
        storage_.swap(fresh);
        fill(storage_, source);
        if (!probe_stats_.flooded || seed_) return;
        seed_ = detail::IndexSeed::random(); // the hashes collide only with this number of groups
        clear_groups(storage_);
        fill(storage_, source);
    }
    // Entries come in slot order, so keys are read in order. Their groups are scattered: each is prefetched while `ahead`
    // others are placed.
    template <class Source>
    constexpr void fill(Groups& fresh, Source& source) {
        constexpr std::size_t ahead = 16;
        std::uint64_t hashes[ahead]{};
        slot_t listed[ahead]{};
        std::size_t entries = 0; // counted again, because the entry of an element that is being built may be missing now
        ProbeStats stats;
        Group* const data = fresh.data();
        const std::size_t mask = fresh.size() - 1;
        const detail::IndexSeed seed = seed_;
        const auto place_one = [&](std::size_t i) {
            if (!place_in_group(data[home_in(hashes[i], mask)], hashes[i], listed[i]) && (!stats.flooded || seed))
                stats.add(place_probing(data, mask, hashes[i], listed[i])); // otherwise the table is filled again with a seed
        };
        source([&](slot_t slot, std::uint64_t hash) {
            const std::size_t i = entries++ % ahead;
            if (entries > ahead) place_one(i);
            hashes[i] = seed ? seed(hash) : hash;
            listed[i] = slot;
            prefetch_group(&data[home_in(hashes[i], mask)]);
        });
        for (std::size_t i = entries < ahead ? 0 : entries - ahead; i != entries; ++i) place_one(i % ahead);
        size_ = entries;
        probe_stats_ = stats;
        update_search_start();
    }
    static constexpr void clear_groups(Groups& groups) noexcept {
        for (std::size_t i = 0; i != groups.size(); ++i) {
            for (auto& fingerprint : groups[i].fingerprints) fingerprint = 0;
            groups[i].overflow = 0;
        }
    }
    // Resets saturated counts when the last entry is removed.
    SLOTWISE_NEVER_INLINE constexpr void clear_saturated() noexcept {
        clear_groups(storage_);
        reset_state();
    }
    constexpr void reset_state() noexcept {
        size_ = 0;
        probe_stats_ = {};
        seed_ = {};
        update_search_start();
    }
    // An empty index points to a group without fingerprints, so that find does not test for it. A seeded index points to a
    // group that sends searches on.
    constexpr void update_search_start() noexcept {
        const bool unseeded = !storage_.empty() && !seed_;
        groups_ = unseeded ? storage_.data() : seed_ ? &detail::seeded_group : &detail::empty_group;
        home_mask_ = unseeded ? (storage_.size() - 1) * sizeof(Group) : 0;
        limit_ = probe_stats_.flooded && !seed_ ? 0 : room();
    }

    Groups storage_{};
    const Group* groups_ = &detail::empty_group; // where a search without a seed begins
    std::size_t home_mask_ = 0;                  // of the first group's offset in bytes
    std::size_t size_ = 0;
    std::size_t limit_ = 0; // from this many entries on make_room() has work to do
    ProbeStats probe_stats_{};
    detail::IndexSeed seed_{};
};

#ifdef SLOTWISE_COMPILED
extern template class GroupIndex<std::allocator<std::byte>, detail::NativeFingerprints>;
#endif

SLOTWISE_END

#endif
