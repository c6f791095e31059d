// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HashIndex: from the hash of a key to the slot that holds it. Knows slot numbers only; what is equal, the caller decides.
#ifndef SLOTWISE_KEYED_HASH_INDEX_HPP
#define SLOTWISE_KEYED_HASH_INDEX_HPP

#include "../fwd.hpp"
#include "../memory/allocator.hpp"
#include "tag_match.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Twelve entries in one cache line: what is compared first lies first.
struct alignas(64) IndexLine {
    std::uint8_t tags[tags_in_line]; // a byte of the hash, 0 = empty
    std::uint8_t overflow[4];        // entries that passed by because the line was full, by class of hash; 255 stays
    slot_t slots[tags_in_line];
};
inline constexpr IndexLine no_line{};

} // namespace detail

/// A hash table of slot numbers: lines of twelve one-byte tags and twelve slots, double hashing from line to line, at most ten
/// entries a line on average.
///
/// A line that is full counts the entries which had to go on, in four classes of hashes: a search goes on only past a count that
/// is not zero, and an erase takes its entry out of the counts. So there are no tombstones, and misses end early. (The counts are
/// those of F14 by N. Bronson and X. Shi; the classes those of boost::unordered_flat_map by J. López, who keeps a bit each.)
/// Measured against seven other designs, see DESIGN section 11; keys are not kept here, so that a hit reads one line of the index
/// and one of the keys. Keys in the line were tried (five and their slots, no tags): hits took 1.5 times as long, because five
/// places overflow often, and 13 bytes an element more.
///
/// An index policy is a class template over an allocator with these members; BoostIndex, RobinIndex and AnkerlIndex adapt
/// other tables. A *source* calls its argument with (slot, hash) for every entry and is how a table that grows learns the hashes.
/// @tparam Tags how tags are compared; NativeTags or PortableTags
template <class Allocator, class Tags>
class GroupIndex {
    using Line = detail::IndexLine;
    using Lines = detail::FlatArray<Line, Allocator>;
    static constexpr std::size_t per_line = 10; // of 12: at 11 misses cost a third more

public:
    /// Whether place() cannot throw once make_room() has returned.
    static constexpr bool nothrow_place = true;

    constexpr GroupIndex() = default;
    constexpr explicit GroupIndex(const Allocator& alloc) noexcept : storage_(alloc) {}
    /// The same entries in memory of `alloc`. @throws what the allocator throws
    constexpr GroupIndex(const GroupIndex& other, const Allocator& alloc)
        : storage_(other.storage_.resized(other.storage_.size(), Line{}, alloc)), size_(other.size_) {
        aim();
    }
    constexpr GroupIndex(GroupIndex&& other) noexcept : storage_(std::move(other.storage_)), size_(other.size_) {
        aim();
        other.size_ = 0;
        other.aim();
    }
    GroupIndex(const GroupIndex&) = delete;
    GroupIndex& operator=(const GroupIndex&) = delete;
    GroupIndex& operator=(GroupIndex&&) = delete;
    ~GroupIndex() = default;
    constexpr void swap(GroupIndex& other) noexcept {
        storage_.swap(other.storage_);
        std::swap(size_, other.size_);
        aim();
        other.aim();
    }

    constexpr std::size_t size() const noexcept { return size_; }

    /// The slot of the entry with this hash for which equal(slot) holds, or no_slot.
    /// @throws what equal throws @complexity O(1) expected
    template <class Equal>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t find(std::uint64_t hash, Equal&& equal) const {
        return search(hash, equal, [](std::size_t, std::size_t) {});
    }
    /// Finds an entry and takes it out: one search where find and erase would be two. @throws what equal throws; nothing is taken then
    template <class Equal>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t take(std::uint64_t hash, Equal&& equal) {
        return search(hash, equal, [&](std::size_t i, std::size_t at) { remove(hash, at, i); });
    }

    /// Makes room for one more entry. @throws what the allocator throws; nothing has changed then
    template <class Source>
    SLOTWISE_ALWAYS_INLINE constexpr void make_room(Source&& source) {
        if (size_ >= limit_) [[unlikely]]
            rebuild(storage_.empty() ? 1 : 2 * storage_.size(), source);
    }
    /// Makes room for `count` entries in all. @throws what the allocator throws; nothing has changed then
    template <class Source>
    constexpr void reserve(std::size_t count, Source&& source) {
        if (count > limit_) rebuild(lines_for(count), source);
    }
    /// Gives back what the entries do not need. @throws what the allocator throws; nothing has changed then
    template <class Source>
    constexpr void shrink_to_fit(Source&& source) {
        if (size_ == 0)
            reset();
        else if (lines_for(size_) < storage_.size())
            rebuild(lines_for(size_), source);
    }

    /// Adds an entry. @pre make_room(), and no entry has this slot
    constexpr void place(std::uint64_t hash, slot_t slot) noexcept {
        place_in(storage_.data(), mask_, hash, slot);
        ++size_;
    }
    /// Takes the entry out. @pre place(hash, slot) was called, once
    constexpr void erase(std::uint64_t hash, slot_t slot) noexcept {
        take(hash, [slot](slot_t each) { return each == slot; });
    }
    /// Takes all entries out; memory stays.
    constexpr void clear() noexcept {
        if (size_ == 0) return; // counts that stay at 255 need no care: the next rebuild drops them
        for (std::size_t i = 0; i != storage_.size(); ++i) {
            for (auto& tag : storage_[i].tags) tag = 0;
            for (auto& count : storage_[i].overflow) count = 0;
        }
        size_ = 0;
    }
    /// Takes all entries out and gives the memory back.
    constexpr void reset() noexcept {
        storage_.free();
        size_ = 0;
        aim();
    }

    /// Bytes of memory held.
    constexpr std::size_t memory() const noexcept { return storage_.size() * sizeof(Line); }
    /// Whether the entries are exactly those of `source` (each hash, each slot once) and every count is right; for tests.
    template <class Source>
    constexpr bool check(Source&& source) const {
        std::size_t entries = 0;
        bool sound = true;
        Lines expected = storage_.resized(storage_.size(), Line{}, Allocator(storage_.get_allocator()));
        source([&](slot_t slot, std::uint64_t hash) {
            ++entries;
            std::size_t at = home(hash), passed = 0;
            for (; sound && position(lines_[at], tag_of(hash), slot) == detail::tags_in_line; at = next(at, hash)) {
                auto& count = expected[at].overflow[class_of(hash)];
                sound = count != 0 && ++passed <= mask_;
                if (count != 255) --count;
            }
        });
        std::size_t tags = 0;
        for (std::size_t i = 0; i != storage_.size(); ++i) {
            for (const auto tag : lines_[i].tags) tags += tag != 0;
            for (const auto count : expected[i].overflow) sound = sound && (count == 0 || count == 255);
        }
        return sound && entries == size_ && tags == size_ && size_ <= limit_;
    }

private:
    // Eight bits of tag, two of class, the rest chooses the line.
    static constexpr std::uint8_t tag_of(std::uint64_t hash) noexcept {
        const auto tag = static_cast<std::uint8_t>(hash);
        return static_cast<std::uint8_t>(tag + (tag == 0));
    }
    static constexpr unsigned class_of(std::uint64_t hash) noexcept { return (hash >> 8) & 3u; }
    static constexpr std::size_t home_in(std::uint64_t hash, std::size_t mask) noexcept {
        return static_cast<std::size_t>(hash >> 10) & mask;
    }
    // An odd step meets every line: their number is a power of two.
    static constexpr std::size_t next_in(std::size_t at, std::uint64_t hash, std::size_t mask) noexcept {
        return (at + (static_cast<std::size_t>(hash >> 32) | 1u)) & mask;
    }
    constexpr std::size_t home(std::uint64_t hash) const noexcept { return home_in(hash, mask_); }
    constexpr std::size_t next(std::size_t at, std::uint64_t hash) const noexcept { return next_in(at, hash, mask_); }
    static constexpr std::size_t lines_for(std::size_t count) noexcept {
        return std::bit_ceil(count / per_line + (count % per_line != 0));
    }

    /// Calls found(place in the line, number of the line) where equal(slot) holds.
    template <class Equal, class Found>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t search(std::uint64_t hash, Equal& equal, Found&& found) const {
        const std::uint8_t tag = tag_of(hash);
        std::size_t at = home(hash);
        for (std::size_t passed = 0;;) {
            const Line& line = lines_[at];
            for (auto match = Tags::match(line.tags, tag); match; match.drop_first()) {
                const slot_t slot = line.slots[match.first()];
                if (equal(slot)) [[likely]] {
                    found(match.first(), at);
                    SLOTWISE_ASSUME(slot != no_slot); // a find need not ask again whether it found (4 % of a hit)
                    return slot;
                }
            }
            if (line.overflow[class_of(hash)] == 0) [[likely]]
                return no_slot;
            if (++passed > mask_) return no_slot; // counts that stay at 255 must not send a search round for ever
            at = next(at, hash);
        }
    }
    SLOTWISE_ALWAYS_INLINE constexpr void remove(std::uint64_t hash, std::size_t at, std::size_t i) noexcept {
        storage_[at].tags[i] = 0;
        --size_;
        for (std::size_t on_way = home(hash); on_way != at; on_way = next(on_way, hash)) {
            std::uint8_t& count = storage_[on_way].overflow[class_of(hash)];
            if (count != 255) --count;
        }
    }
    static constexpr void place_in(Line* lines, std::size_t mask, std::uint64_t hash, slot_t slot) noexcept {
        for (std::size_t at = home_in(hash, mask);; at = next_in(at, hash, mask)) {
            Line& line = lines[at];
            if (const auto empty = Tags::match(line.tags, 0)) [[likely]] {
                line.tags[empty.first()] = tag_of(hash);
                line.slots[empty.first()] = slot;
                return;
            }
            std::uint8_t& count = line.overflow[class_of(hash)];
            if (count != 255) ++count;
        }
    }
    static constexpr void fetch_ahead([[maybe_unused]] const Line* line) noexcept {
#if defined(__GNUC__)
        if (!std::is_constant_evaluated()) __builtin_prefetch(line, 1);
#endif
    }
    constexpr unsigned position(const Line& line, std::uint8_t tag, slot_t slot) const noexcept {
        unsigned i = 0;
        while (i != detail::tags_in_line && !(line.tags[i] == tag && line.slots[i] == slot)) ++i;
        return i;
    }

    // Entries come in slot order, so keys are read in order; the lines they go to are all over the place and fetched ahead.
    template <class Source>
    SLOTWISE_NEVER_INLINE constexpr void rebuild(std::size_t lines, Source& source) {
        Lines fresh = Lines(Allocator(storage_.get_allocator())).resized(lines, Line{}, Allocator(storage_.get_allocator()));
        constexpr unsigned ahead = 16;
        std::uint64_t hashes[ahead]{};
        slot_t slots[ahead]{};
        unsigned waiting = 0;
        std::size_t entries = 0; // counted anew: an element that is being built may have been entered before and be no more
        Line* const data = fresh.data();
        const std::size_t mask = lines - 1;
        source([&](slot_t slot, std::uint64_t hash) {
            ++entries;
            hashes[waiting] = hash;
            slots[waiting] = slot;
            fetch_ahead(&data[home_in(hash, mask)]);
            if (++waiting != ahead) return;
            for (unsigned i = 0; i != ahead; ++i) place_in(data, mask, hashes[i], slots[i]);
            waiting = 0;
        });
        for (unsigned i = 0; i != waiting; ++i) place_in(data, mask, hashes[i], slots[i]);
        storage_.swap(fresh);
        size_ = entries;
        aim();
    }
    // An empty index points to a line without tags, so that find need not ask.
    constexpr void aim() noexcept {
        lines_ = storage_.empty() ? &detail::no_line : storage_.data();
        mask_ = storage_.empty() ? 0 : storage_.size() - 1;
        limit_ = storage_.size() * per_line;
    }

    Lines storage_{};
    const Line* lines_ = &detail::no_line;
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
    std::size_t limit_ = 0;
};

/// The default index: tags compared by SSE2 or NEON where there is one of them.
template <class Allocator>
class HashIndex : public GroupIndex<Allocator, detail::NativeTags> {
public:
    using GroupIndex<Allocator, detail::NativeTags>::GroupIndex;
};

/// The same without vector instructions: what HashIndex is on other machines.
template <class Allocator>
class PortableHashIndex : public GroupIndex<Allocator, detail::PortableTags> {
public:
    using GroupIndex<Allocator, detail::PortableTags>::GroupIndex;
};

SLOTWISE_END

#endif
