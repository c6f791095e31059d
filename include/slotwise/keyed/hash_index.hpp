// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HashIndex: from the hash of a key to the slot that holds it. Knows slot numbers only; what is equal, the caller decides.
#ifndef SLOTWISE_KEYED_HASH_INDEX_HPP
#define SLOTWISE_KEYED_HASH_INDEX_HPP

#include "../core/entropy.hpp"
#include "../core/hash.hpp"
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
/// Where every search of an index with a seed begins: nothing is here, and it says that entries went on.
inline constexpr IndexLine seeded_line{{}, {1, 1, 1, 1}, {}};

} // namespace detail

/// A hash table of slot numbers: lines of twelve one-byte tags and twelve slots, double hashing from line to line, at most ten
/// entries a line on average.
///
/// A line that is full counts the entries which had to go on, in four classes of hashes: a search goes on only past a count
/// that is not zero, and an erase takes its entry out of the counts. So there are no tombstones, and misses end early. (The
/// counts are those of F14 by N. Bronson and X. Shi; the classes those of boost::unordered_flat_map by J. López, who keeps a
/// bit each.) docs/design.md has what was measured; keys are not kept here, so that a hit reads one line of the index
/// and one of the keys. Keys in the line were tried (five and their slots, no tags): hits took 1.5 times as long, because five
/// places overflow often, and 13 bytes an element more.
///
/// Entries that pass more lines, or pass one line more often, than chance allows have hashes that were computed to collide (or
/// equal ones). The next make_room() then enters all entries anew, under a secret seed that is mixed into every hash. Without a
/// seed no search asks for one: an index with a seed points searches to a line that sends them on. That costs them 6 ns.
///
/// An index policy is a class template over an allocator with these members; BoostIndex, RobinIndex and AnkerlIndex adapt
/// other tables. A *source* calls its argument with (slot, hash) for every entry and is how a table that grows learns the
/// hashes; it must not throw.
/// @tparam Tags how tags are compared; NativeTags or PortableTags
template <class Allocator, class Tags>
class GroupIndex {
    using Line = detail::IndexLine;
    using Lines = detail::FlatArray<Line, Allocator>;
    static constexpr std::size_t per_line = 10; // of 12: at 11 misses cost a third more
    // Measured while 7e8 random entries filled indexes of 16 to 65,536 lines: one in 1e8 passes 15 lines, and each line more is
    // 0.37 times as frequent; one count in 1e8 reaches 11, and each more is at most 0.15 times as frequent. So chance exceeds
    // either of these less than once in 1e21 entries.
    static constexpr std::uint32_t most_passed = 48;
    static constexpr std::uint8_t most_passing = 32;

public:
    /// Whether place() cannot throw once make_room() has returned.
    static constexpr bool nothrow_place = true;

    constexpr GroupIndex() = default;
    constexpr explicit GroupIndex(const Allocator& alloc) noexcept : storage_(alloc) {}
    /// The same entries in memory of `alloc`. @throws what the allocator throws
    constexpr GroupIndex(const GroupIndex& other, const Allocator& alloc)
        : storage_(other.storage_.resized(other.storage_.size(), Line{}, alloc)), size_(other.size_), ways_(other.ways_),
          seed_(other.seed_) {
        aim();
    }
    constexpr GroupIndex(GroupIndex&& other) noexcept
        : storage_(std::move(other.storage_)), size_(other.size_), ways_(other.ways_), seed_(other.seed_) {
        aim();
        other.forget();
    }
    GroupIndex(const GroupIndex&) = delete;
    GroupIndex& operator=(const GroupIndex&) = delete;
    GroupIndex& operator=(GroupIndex&&) = delete;
    ~GroupIndex() = default;
    constexpr void swap(GroupIndex& other) noexcept {
        storage_.swap(other.storage_);
        std::swap(size_, other.size_);
        std::swap(ways_, other.ways_);
        std::swap(seed_, other.seed_);
        aim();
        other.aim();
    }

    constexpr std::size_t size() const noexcept { return size_; }

    /// The slot of the entry with this hash for which equal(slot) holds, or no_slot.
    /// @throws what equal throws @complexity O(1) expected
    template <class Equal>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t find(std::uint64_t hash, Equal&& equal) const {
        return search(hash, equal, [](std::uint64_t, std::size_t, std::size_t, std::size_t) {});
    }
    /// Finds an entry and takes it out: one search where find and erase would be two. @throws what equal throws; nothing is
    /// taken then
    template <class Equal>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t take(std::uint64_t hash, Equal&& equal) {
        return search(hash, equal, [this](std::uint64_t seeded, std::size_t mask, std::size_t at, std::size_t i) {
            remove(seeded, mask, at, i);
        });
    }

    /// Makes room for one more entry, and undoes what colliding hashes have done. Allocates nothing while there is room.
    /// @throws what the allocator throws; nothing has changed then
    template <class Source>
    SLOTWISE_ALWAYS_INLINE constexpr void make_room(Source&& source) {
        if (size_ >= limit_) [[unlikely]]
            make_room_now(source);
    }
    /// Makes room for `count` entries in all. @throws what the allocator throws; nothing has changed then
    template <class Source>
    constexpr void reserve(std::size_t count, Source&& source) {
        if (count > room()) rebuild(lines_for(count), source);
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
    SLOTWISE_ALWAYS_INLINE constexpr void place(std::uint64_t hash, slot_t slot) noexcept {
        ++size_;
        if (seed_ || !place_in_line(storage_[home_in(hash, mask_)], hash, slot)) [[unlikely]]
            place_on(hash, slot);
    }
    /// Takes the entry out. @pre place(hash, slot) was called, once
    constexpr void erase(std::uint64_t hash, slot_t slot) noexcept {
        take(hash, [slot](slot_t each) { return each == slot; });
    }
    /// Takes all entries out; memory stays.
    constexpr void clear() noexcept {
        if (size_ == 0 && ways_.longest == 0 && !seed_) return; // no count can have stayed either
        wipe(storage_);
        forget();
    }
    /// Takes all entries out and gives the memory back.
    constexpr void reset() noexcept {
        storage_.free();
        forget();
    }

    /// Bytes of memory held.
    constexpr std::size_t memory() const noexcept { return storage_.size() * sizeof(Line); }
    /// Whether the entries are exactly those of `source` (each hash, each slot once) and every count is right; for tests.
    template <class Source>
    constexpr bool check(Source&& source) const {
        std::size_t entries = 0;
        bool sound = true;
        const std::size_t mask = storage_.size() - 1;
        Lines expected = storage_.resized(storage_.size(), Line{}, Allocator(storage_.get_allocator()));
        source([&](slot_t slot, std::uint64_t plain) {
            ++entries;
            const std::uint64_t hash = seed_ ? seed_(plain) : plain;
            std::size_t at = home_in(hash, mask), passed = 0;
            for (sound = sound && !storage_.empty();
                 sound && position(storage_[at], tag_of(hash), slot) == detail::tags_in_line; at = next_in(at, hash, mask)) {
                auto& count = expected[at].overflow[class_of(hash)];
                sound = count != 0 && ++passed <= ways_.longest;
                if (count != 255) --count;
            }
        });
        std::size_t tags = 0;
        for (std::size_t i = 0; i != storage_.size(); ++i) {
            for (const auto tag : storage_[i].tags) tags += tag != 0;
            for (const auto count : expected[i].overflow) sound = sound && (count == 0 || count == 255);
        }
        return sound && entries == size_ && tags == size_ && size_ <= room() && (limit_ == 0 || limit_ == room());
    }

private:
    // Eight bits of tag, two of class, the rest chooses the line.
    static constexpr std::uint8_t tag_of(std::uint64_t hash) noexcept {
        const auto tag = static_cast<std::uint8_t>(hash);
        return static_cast<std::uint8_t>(tag + (tag == 0));
    }
    static constexpr unsigned class_of(std::uint64_t hash) noexcept { return (hash >> 8) & 3u; }
    static constexpr std::size_t home_in(std::uint64_t hash, std::size_t mask) noexcept {
        return bits::to_size(hash >> 10) & mask;
    }
    // An odd step meets every line: their number is a power of two.
    static constexpr std::size_t next_in(std::size_t at, std::uint64_t hash, std::size_t mask) noexcept {
        return (at + (bits::to_size(hash >> 32) | 1u)) & mask;
    }
    static constexpr std::size_t lines_for(std::size_t count) noexcept {
        return std::bit_ceil(count / per_line + (count % per_line != 0));
    }

    constexpr std::size_t room() const noexcept { return storage_.size() * per_line; }

    /// The way of an entry from the line where it belongs to the one where it is.
    struct Way {
        std::uint32_t passed = 0; // lines
        bool crowded = false;     // more entries than chance allows have passed one of them
    };
    /// Of all entries since they were last entered anew.
    struct Ways {
        std::uint32_t longest = 0;
        bool flooded = false;
        std::size_t worn = 0; // entries that were taken out past a count which had stuck at 255
        constexpr void add(Way way) noexcept {
            if (way.passed > longest) longest = way.passed;
            flooded = flooded || way.crowded || way.passed > most_passed;
        }
    };

    /// Calls found(hash as seeded, mask, number of the line, place in it) where equal(slot) holds. The first line decides for
    /// nine of ten; what comes after it is a call, and every find is shorter for that.
    template <class Equal, class Found>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t search(std::uint64_t hash, Equal& equal, Found found) const {
        const std::size_t home = home_in(hash, mask_);
        const Line& line = lines_[home];
        const slot_t slot = search_line(line, hash, mask_, home, equal, found);
        if (slot != no_slot || line.overflow[class_of(hash)] == 0) [[likely]]
            return slot;
        return search_on<Equal, Found>(hash, equal, found);
    }
    // Functors by value: by reference, every find would write them to memory for this call, and take up to half longer.
    template <class Equal, class Found>
    SLOTWISE_NEVER_INLINE constexpr slot_t search_on(std::uint64_t hash, Equal equal, Found found) const {
        const std::size_t mask = storage_.size() - 1;
        std::uint32_t passed = 0;
        slot_t slot = no_slot;
        std::size_t at = home_in(hash, mask);
        if (seed_) {
            hash = seed_(hash);
            at = home_in(hash, mask);
            slot = search_line(storage_[at], hash, mask, at, equal, found);
        }
        // No entry has passed more lines, so a search need not: counts can send it on for ever, by accident or by design.
        while (slot == no_slot && storage_[at].overflow[class_of(hash)] != 0 && passed++ != ways_.longest) {
            at = next_in(at, hash, mask);
            slot = search_line(storage_[at], hash, mask, at, equal, found);
        }
        return slot;
    }
    template <class Equal, class Found>
    SLOTWISE_ALWAYS_INLINE static constexpr slot_t search_line(const Line& line, std::uint64_t hash, std::size_t mask,
                                                               std::size_t at, Equal& equal, Found& found) {
        for (auto match = Tags::match(line.tags, tag_of(hash)); match; match.drop_first()) {
            const slot_t slot = line.slots[match.first()];
            if (equal(slot)) [[likely]] {
                found(hash, mask, at, match.first());
                SLOTWISE_ASSUME(slot != no_slot); // a find need not ask again whether it found (4 % of a hit)
                return slot;
            }
        }
        return no_slot;
    }
    SLOTWISE_ALWAYS_INLINE constexpr void remove(std::uint64_t hash, std::size_t mask, std::size_t at, std::size_t i) noexcept {
        storage_[at].tags[i] = 0;
        --size_;
        bool worn = false;
        for (std::size_t on_way = home_in(hash, mask); on_way != at; on_way = next_in(on_way, hash, mask)) {
            std::uint8_t& count = storage_[on_way].overflow[class_of(hash)];
            if (count != 255)
                --count;
            else
                worn = true;
        }
        // Rebuilt once so many are gone that their searches have cost as much.
        if (worn && ++ways_.worn > (storage_.size() + size_) / 16) limit_ = 0;
        if (size_ == 0 && limit_ == 0) [[unlikely]]
            clear_worn();
    }
    /// Whether the line had room for the entry.
    SLOTWISE_ALWAYS_INLINE static constexpr bool place_in_line(Line& line, std::uint64_t hash, slot_t slot) noexcept {
        const auto empty = Tags::match(line.tags, 0);
        if (!empty) return false;
        line.tags[empty.first()] = tag_of(hash);
        line.slots[empty.first()] = slot;
        return true;
    }
    // What every insert need not do lies apart from it.
    SLOTWISE_NEVER_INLINE constexpr void place_on(std::uint64_t hash, slot_t slot) noexcept {
        const bool was_flooded = ways_.flooded;
        ways_.add(place_in(storage_.data(), storage_.size() - 1, seed_ ? seed_(hash) : hash, slot));
        if (ways_.flooded && !was_flooded && !seed_) limit_ = 0; // the next make_room() has something to do
    }
    SLOTWISE_NEVER_INLINE static constexpr Way place_in(Line* lines, std::size_t mask, std::uint64_t hash,
                                                        slot_t slot) noexcept {
        Way way;
        for (std::size_t at = home_in(hash, mask);; at = next_in(at, hash, mask)) {
            Line& line = lines[at];
            if (place_in_line(line, hash, slot)) return way;
            std::uint8_t& count = line.overflow[class_of(hash)];
            if (count != 255) ++count;
            way.crowded = way.crowded || count > most_passing;
            ++way.passed;
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

    template <class Source>
    SLOTWISE_NEVER_INLINE constexpr void make_room_now(Source& source) {
        if (size_ >= room()) return rebuild(storage_.empty() ? 1 : 2 * storage_.size(), source);
        // In the memory it has: what reserve() has promised holds, and nothing can fail.
        seed_ = detail::IndexSeed::random();
        wipe(storage_);
        fill(storage_, source);
    }
    template <class Source>
    SLOTWISE_NEVER_INLINE constexpr void rebuild(std::size_t lines, Source& source) {
        Lines fresh = Lines(Allocator(storage_.get_allocator())).resized(lines, Line{}, Allocator(storage_.get_allocator()));
        if (ways_.flooded) seed_ = detail::IndexSeed::random();
        storage_.swap(fresh);
        fill(storage_, source);
        if (!ways_.flooded || seed_) return;
        seed_ = detail::IndexSeed::random(); // hashes that collide in this number of lines only
        wipe(storage_);
        fill(storage_, source);
    }
    // Entries come in slot order, so keys are read in order; the lines they go to are all over the place and fetched ahead.
    template <class Source>
    constexpr void fill(Lines& fresh, Source& source) {
        constexpr unsigned ahead = 16;
        std::uint64_t hashes[ahead]{};
        slot_t slots[ahead]{};
        unsigned waiting = 0;
        std::size_t entries = 0; // counted anew: an element that is being built may have been entered before and be no more
        Ways ways;
        Line* const data = fresh.data();
        const std::size_t mask = fresh.size() - 1;
        const detail::IndexSeed seed = seed_;
        const auto place_waiting = [&] {
            if (!ways.flooded || seed) // else it is done again with a seed
                for (unsigned i = 0; i != waiting; ++i)
                    if (!place_in_line(data[home_in(hashes[i], mask)], hashes[i], slots[i]))
                        ways.add(place_in(data, mask, hashes[i], slots[i]));
            waiting = 0;
        };
        source([&](slot_t slot, std::uint64_t hash) {
            ++entries;
            hashes[waiting] = seed ? seed(hash) : hash;
            slots[waiting] = slot;
            fetch_ahead(&data[home_in(hashes[waiting], mask)]);
            if (++waiting == ahead) place_waiting();
        });
        place_waiting();
        size_ = entries;
        ways_ = ways;
        aim();
    }
    static constexpr void wipe(Lines& lines) noexcept {
        for (std::size_t i = 0; i != lines.size(); ++i) {
            for (auto& tag : lines[i].tags) tag = 0;
            for (auto& count : lines[i].overflow) count = 0;
        }
    }
    // Counts that have stuck go with the last entry.
    SLOTWISE_NEVER_INLINE constexpr void clear_worn() noexcept {
        wipe(storage_);
        forget();
    }
    constexpr void forget() noexcept {
        size_ = 0;
        ways_ = {};
        seed_ = {};
        aim();
    }
    // An empty index points to a line without tags, so that find need not ask; one with a seed to a line that says "go on".
    constexpr void aim() noexcept {
        const bool plain = !storage_.empty() && !seed_;
        lines_ = plain ? storage_.data() : seed_ ? &detail::seeded_line : &detail::no_line;
        mask_ = plain ? storage_.size() - 1 : 0;
        limit_ = ways_.flooded && !seed_ ? 0 : room();
    }

    Lines storage_{};
    const Line* lines_ = &detail::no_line; // where a search without a seed begins
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
    std::size_t limit_ = 0; // make_room() has something to do from so many entries on
    Ways ways_{};
    detail::IndexSeed seed_{};
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
