// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotDirectory: which element lives in which slot, and since when. Everything else is a column that follows it. Before it
// stand its two parts: AtomicWord, a version that other threads may read, and VersionFloors, what remains of released slots.
#ifndef SLOTWISE_SLOTS_SLOT_DIRECTORY_HPP
#define SLOTWISE_SLOTS_SLOT_DIRECTORY_HPP

#include "../config/abi.hpp"
#include "../core/detail/bits.hpp"
#include "../core/handle.hpp"
#include "../fwd.hpp"
#include "../memory/allocator.hpp"
#include "../memory/free_slots.hpp"
#include "../memory/placed_array.hpp"
#include "detail/absence.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>

#if !defined(__GNUC__) && !defined(__clang__)
#include <atomic> // elsewhere it would cost each user of a map compile time
#endif

SLOTWISE_BEGIN
namespace detail {

/// An integer that one thread writes while others read it.
/// Reads acquire and writes release: what the writer did before a write is visible to a thread that has read what was written.
/// Unlike std::atomic it is copied as a plain value, for arrays that are copied while no other thread reads.
template <class T>
class AtomicWord {
    static_assert(std::is_unsigned_v<T>);

public:
    constexpr AtomicWord(T value = 0) noexcept : value_(value) {}

    SLOTWISE_ALWAYS_INLINE constexpr operator T() const noexcept {
        if (SLOTWISE_IN_CONSTANT) return value_;
#if defined(__GNUC__) || defined(__clang__)
        return __atomic_load_n(&value_, __ATOMIC_ACQUIRE);
#else
        return std::atomic_ref<T>(const_cast<T&>(value_)).load(std::memory_order_acquire);
#endif
    }
    SLOTWISE_ALWAYS_INLINE constexpr AtomicWord& operator=(T value) noexcept {
        if (SLOTWISE_IN_CONSTANT)
            value_ = value;
        else
#if defined(__GNUC__) || defined(__clang__)
            __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
#else
            std::atomic_ref<T>(value_).store(value, std::memory_order_release);
#endif
        return *this;
    }
    /// Only one thread writes, so what it reads is no atomic operation.
    SLOTWISE_ALWAYS_INLINE constexpr AtomicWord& operator++() noexcept { return *this = static_cast<T>(value_ + 1u); }

    /// The values of an array of words as integers. @pre no other thread writes them
    template <class Word>
    static auto* plain(Word* words) noexcept {
        return words == nullptr ? nullptr : &words->value_;
    }

private:
    T value_;
};

/// The values of an array of integers, or of atomic ones.
template <class T>
constexpr T* plain_values(T* values) noexcept {
    return values;
}
template <class T>
T* plain_values(AtomicWord<T>* values) noexcept {
    return AtomicWord<T>::plain(values);
}
template <class T>
const T* plain_values(const AtomicWord<T>* values) noexcept {
    return AtomicWord<T>::plain(values);
}

struct DirectorySnapshot; // snapshot.hpp: it writes and reads what is private here
template <class T, std::size_t Slots>
class SteadyArray; // memory/reserved_array.hpp, which a container with Growth::reserve includes

/// The first versions of slots whose memory was released, so that shrinking forgets no handle.
/// One number while all released slots have the same version. Otherwise the highest version of each block of slots, so that a
/// busy slot ages only its block. A block has as many slots as a version has bits, which takes one bit a slot.
template <class Version, class Allocator>
class VersionFloors {
    using word_t = bits::word_t;
    using Words = FlatArray<word_t, Allocator>;
    friend DirectorySnapshot;

public:
    /// Slots that share a floor; a word of floors serves 64 slots.
    static constexpr unsigned block_slots = std::numeric_limits<Version>::digits;

    /// One floor for all slots below `end`. `holds` if it is the version of all released slots.
    struct One {
        Version version = 0;
        slot_t end = 0;
        bool holds = true;
        constexpr Version of(std::size_t slot) const noexcept { return slot < end ? version : Version{0}; }
    };

    constexpr VersionFloors() = default;
    constexpr explicit VersionFloors(const Allocator& alloc) noexcept : words_(alloc) {}
    /// A copy in memory of the allocator.
    constexpr VersionFloors(const VersionFloors& other, const Allocator& alloc)
        : words_(other.words_.resized(other.words_.size(), 0, alloc)), one_(other.one_) {}
    constexpr VersionFloors(VersionFloors&& other) noexcept
        : words_(std::move(other.words_)), one_(std::exchange(other.one_, {})) {}
    constexpr void swap(VersionFloors& other) noexcept {
        words_.swap(other.words_);
        std::swap(one_, other.one_);
    }

    constexpr std::size_t memory_usage() const noexcept { return words_.memory_usage(); }
    /// The version at which `slot` starts when its memory is allocated again.
    constexpr Version of(std::size_t slot) const noexcept {
        const std::size_t w = bits::word_of(slot);
        return w < words_.size() ? static_cast<Version>(words_[w] >> shift(slot)) : one_.of(slot);
    }
    /// Slots from this one on start at 0.
    constexpr std::size_t end() const noexcept {
        const std::size_t words_end = words_.size() * bits::word_bits;
        return one_.end < words_end ? words_end : one_.end;
    }
    /// The common floor if the versions of the slots from `from` on were released. No slot from `cursor` on is in use.
    template <class Versions>
    constexpr One one_of(const Versions& versions, std::size_t cursor, std::size_t from) const noexcept {
        One one = one_;
        if (one_.end <= versions.size()) { // otherwise slots that were not allocated again still have this floor
            std::size_t end = versions.size();
            while (end > cursor && versions[end - 1] == 0) --end;
            one = end > cursor ? One{versions[end - 1], static_cast<slot_t>(end)} : One{};
        }
        const std::size_t end = one.end < versions.size() ? one.end : versions.size();
        std::size_t others = words_.size();
        for (std::size_t slot = from; slot < end; ++slot) others += versions[slot] != one.version; // a sum vectorises
        for (std::size_t slot = from > end ? from : end; slot < versions.size(); ++slot) others += versions[slot] != 0;
        one.holds = others == 0;
        return one;
    }
    /// As many words as the versions have of so many slots, if there are fewer here: keep() must not allocate.
    /// @throws what the allocator throws
    constexpr Words spare(std::size_t slot_count, const Allocator& alloc) const {
        return Words(alloc).resized(holds(slot_count) ? 0 : bits::word_count(slot_count), 0, alloc);
    }
    /// Whether there are as many words as the versions have of so many slots.
    constexpr bool holds(std::size_t slot_count) const noexcept { return bits::word_count(slot_count) <= words_.size(); }
    /// The highest floor.
    constexpr Version most() const noexcept {
        Version most = one_.end != 0 ? one_.version : Version{0};
        for (std::size_t slot = 0; slot != words_.size() * bits::word_bits; slot += block_slots)
            most = of(slot) > most ? of(slot) : most;
        return most;
    }
    /// Gives all slots below end() and below `slots` this floor. @pre no floor is higher
    constexpr void level(Version version, std::size_t slot_count) noexcept {
        one_ = One{version, static_cast<slot_t>(slot_count > end() ? slot_count : end())};
        words_.free();
    }
    /// Keeps the versions from `from` on. @param one the result of one_of() for them
    /// @param spare what spare() gave for these versions
    template <class Versions>
    constexpr void keep(const Versions& versions, std::size_t from, const One& one, Words& spare) noexcept {
        if (one.holds) {
            one_ = one;
            return;
        }
        if (words_.size() < spare.size()) {
            const std::uint64_t whole_words =
                std::uint64_t{bits::word_count(one_.end)} * bits::word_bits; // as if these slots were allocated
            one_.end = whole_words < no_slot ? static_cast<slot_t>(whole_words) : no_slot;
            for (std::size_t w = 0; w != spare.size(); ++w) spare[w] = word(w);
            words_.swap(spare);
        }
        for (std::size_t slot = from; slot < versions.size(); ++slot)
            if (versions[slot] > of(slot)) {
                word_t& word = words_[bits::word_of(slot)];
                word &= ~(word_t{(std::numeric_limits<Version>::max)()} << shift(slot));
                word |= word_t{versions[slot]} << shift(slot);
            }
    }

private:
    static constexpr unsigned shift(std::size_t slot) noexcept {
        return static_cast<unsigned>(slot % bits::word_bits) / block_slots * block_slots;
    }
    constexpr word_t word(std::size_t w) const noexcept {
        word_t word = 0;
        for (unsigned i = bits::word_bits; i != 0; i -= block_slots)
            word = word << block_slots | of(w * bits::word_bits + i - block_slots);
        return word;
    }

    Words words_{};
    One one_{}; // of the slots beyond the words
};

} // namespace detail

/// Versions, liveness and vacant slots of one container. Knows nothing of values.
///
/// Slots below cursor() have been in use; those from the cursor to capacity() are fresh. A slot below the cursor is live, free
/// or *blocked* (reserved, retired, pending, or held while its value is being built or destroyed). A slot's version is odd
/// while it is live; a free slot's next version is its version + 1. 4.25 bytes a slot, and 8 more for the list policies.
/// @tparam L version width and index limit; @tparam E at the end of versions; @tparam R which vacant slot comes next
/// @tparam Steady slots for whose versions address space is reserved, where they never move; 0: they move on growth
/// @tparam Atomic whether is_live(slot, version) may be asked of any issued handle while one thread changes the directory
template <HandleLayout L = HandleLayout{}, Exhaustion E = Exhaustion::retire, Reuse R = Reuse::lowest,
          class Allocator = std::allocator<std::byte>, std::size_t Steady = 0, bool Atomic = false>
class SlotDirectory {
    using traits = detail::HandleTraits<L>;
    using word_t = bits::word_t;
    using Version = typename traits::version_type;
    using StoredVersion = std::conditional_t<Atomic, detail::AtomicWord<Version>, Version>;
    using Versions =
        std::conditional_t<Steady == 0, detail::PlacedArray<StoredVersion>, detail::SteadyArray<StoredVersion, Steady>>;
    using Block = detail::FlatArray<word_t, Allocator>;
    // The same type in all, but dependent: a member that is not crashes clang 16 in C++17, behind the one error that is wanted.
    using Words = detail::PlacedArray<std::conditional_t<std::is_void_v<Allocator>, void, word_t>>;
    using Free = detail::FreeSlots<R, Allocator, Words>;
    using Summary = detail::LiveSummary<Allocator, Words>;

public:
    /// What is stored for a slot.
    using version_type = typename traits::version_type;
    /// The highest version that fits a handle.
    static constexpr std::uint32_t max_version = traits::max_version;
    /// Slots that a handle can name.
    static constexpr std::size_t max_slots = traits::max_slots;

    /// Bookkeeping for more slots, which is built separately and committed by adopt() without throwing.
    class Growth {
        friend SlotDirectory;
        Block block{}, reserved{}, spare{};
        Versions versions{};
        Words live{}, blocked{};
        Free free{};
        Summary summary{};
        typename detail::VersionFloors<version_type, Allocator>::One floor{};
        explicit constexpr Growth(const Allocator& alloc) noexcept : block(alloc), reserved(alloc), spare(alloc), free(alloc) {}
    };

    constexpr SlotDirectory() = default;
    constexpr explicit SlotDirectory(const Allocator& alloc) noexcept
        : block_(alloc), kept_(alloc), reserved_(alloc), floors_(alloc), free_(alloc) {}
    /// An exact copy: the same handles now and in future. @throws what the allocator throws
    constexpr SlotDirectory(const SlotDirectory& other, const Allocator& alloc) : SlotDirectory(alloc) {
        Growth copy = other.sized_for(other.versions_.size(), alloc);
        if constexpr (Steady != 0) other.versions_.copied().swap(copy.versions);
        detail::VersionFloors<version_type, Allocator> floors(other.floors_, alloc);
        adopt(copy);
        floors_.swap(floors);
        n_ = other.n_;
    }
    SlotDirectory(const SlotDirectory&) = delete;
    SlotDirectory& operator=(const SlotDirectory&) = delete;
    SlotDirectory& operator=(SlotDirectory&&) = delete;
    /// Takes the state; `other` is then like new. @invalidates nothing: the handles belong to this directory now
    constexpr SlotDirectory(SlotDirectory&& other) noexcept
        : versions_(std::move(other.versions_)), live_(std::move(other.live_)), block_(std::move(other.block_)),
          kept_(std::move(other.kept_)), blocked_(std::move(other.blocked_)), reserved_(std::move(other.reserved_)),
          floors_(std::move(other.floors_)), free_(std::move(other.free_)), summary_(std::move(other.summary_)),
          n_(std::exchange(other.n_, {})) {
        other.epoch_.advance();
    }
    SLOTWISE_NEVER_INLINE constexpr ~SlotDirectory() {} // NOLINT(modernize-use-equals-default): out of line, one for all types

    constexpr void swap(SlotDirectory& other) noexcept {
        versions_.swap(other.versions_);
        live_.swap(other.live_);
        block_.swap(other.block_);
        kept_.swap(other.kept_);
        blocked_.swap(other.blocked_);
        reserved_.swap(other.reserved_);
        floors_.swap(other.floors_);
        free_.swap(other.free_);
        summary_.swap(other.summary_);
        std::swap(n_, other.n_);
        epoch_.advance();
        other.epoch_.advance();
    }

    //=== looking ===//

    constexpr std::size_t size() const noexcept { return std::size_t{n_.cursor} - free_.size() - n_.blocked; }
    constexpr std::size_t capacity() const noexcept { return n_.capacity; }
    /// One past the highest slot ever in use since the last clear.
    constexpr slot_t cursor() const noexcept { return n_.cursor; }
    /// Slots whose versions are used up.
    constexpr std::size_t retired() const noexcept { return n_.retired; }
    /// Slots with a reserved handle, whose element comes later.
    constexpr std::size_t reserved() const noexcept { return n_.reserved; }
    /// Whether no operation is in progress: no clear runs, and no value is being built or destroyed. @param pending the number
    /// of pending slots, which are blocked too
    constexpr bool is_quiescent(std::size_t pending = 0) const noexcept {
        return n_.clear_end == 0 && n_.blocked == n_.retired + n_.reserved + pending;
    }
    /// Whether the same slots are live under the same handles, and as many are in use. @complexity linear in slots
    constexpr bool same_handles(const SlotDirectory& other) const noexcept {
        bool same = n_.cursor == other.n_.cursor && n_.blocked == other.n_.blocked && n_.capacity == other.n_.capacity;
        for (slot_t slot = 0; same && slot != n_.cursor; ++slot) same = version(slot) == other.version(slot);
        return same;
    }
    /// What set_limit() has set: capacity() must not exceed it. It goes where the state goes, and no function here reads it.
    constexpr slot_t limit() const noexcept { return n_.limit; }
    /// Sets it. @pre capacity() <= slots
    constexpr void set_limit(slot_t slot_count) noexcept { n_.limit = slot_count; }
    /// Whether acquire() would find a slot without growth.
    SLOTWISE_ALWAYS_INLINE constexpr bool has_room() const noexcept { return !free_.empty() || n_.cursor < n_.capacity; }

    /// Whether the element inserted into `slot` at `version` is live. Any two numbers are allowed. @complexity O(1)
    SLOTWISE_ALWAYS_INLINE constexpr bool is_live(slot_t slot, std::uint32_t version) const noexcept {
        // Vacant slots hold even versions, and an untrusted handle may hold the same even one: the parity must be tested.
        const auto* const versions = versions_.data(); // before the check, so that a loop of lookups keeps it in a register
        return slot < versions_.size() && versions[slot] == version && (version & 1u) != 0;
    }
    constexpr bool is_live(slot_t slot) const noexcept { return slot < n_.cursor && (versions_[slot] & 1u) != 0; }
    /// The same by the liveness bits, which take 32 times less memory. @pre slot < capacity(), and no clear is running
    constexpr bool is_live_bit(slot_t slot) const noexcept { return bit(live_, slot); }
    /// Live, blocked but not reserved, or to be destroyed by a running clear: the slot may have an element.
    constexpr bool is_held(slot_t slot) const noexcept {
        return is_live(slot) || (slot < n_.cursor && bit(blocked_, slot) && !bit(reserved_, slot)) ||
               (slot < n_.clear_end && bit(live_, slot));
    }
    /// Whether {slot, version} is a reserved handle. Any two numbers are allowed.
    constexpr bool is_reserved(slot_t slot, std::uint32_t version) const noexcept {
        return bit(reserved_, slot) && versions_[slot] + 1u == version;
    }
    /// The version of `slot`, odd when live. @pre slot < capacity()
    SLOTWISE_ALWAYS_INLINE constexpr std::uint32_t version(slot_t slot) const noexcept { return versions_[slot]; }
    /// The versions by slot.
    constexpr const version_type* versions() const noexcept { return detail::plain_values(versions_.data()); }
    /// The word of occupancy(), read without a view, for steps of iterators. @pre 64 * w < capacity()
    SLOTWISE_ALWAYS_INLINE constexpr word_t live_word(std::size_t w) const noexcept { return live_[w]; }
    /// How many such words there are.
    SLOTWISE_ALWAYS_INLINE constexpr std::size_t live_words() const noexcept { return live_.size(); }

    /// The state of any slot number. A slot that was never in use is free.
    constexpr SlotState state(slot_t slot) const noexcept {
        if (slot >= n_.cursor) return SlotState::free;
        if (is_live(slot)) return SlotState::live;
        if (!bit(blocked_, slot)) return SlotState::free;
        if (bit(reserved_, slot)) return SlotState::reserved;
        return E == Exhaustion::retire && versions_[slot] == 0 ? SlotState::retired : SlotState::pending;
    }

    /// Why {slot, version} does or does not resolve.
    constexpr HandleStatus explain(slot_t slot, std::uint32_t version) const noexcept {
        if (slot >= n_.capacity) return HandleStatus::out_of_range;
        if (is_live(slot, version)) return HandleStatus::live;
        if (is_reserved(slot, version)) return HandleStatus::reserved;
        const SlotState now = state(slot);
        if (now == SlotState::pending && versions_[slot] == traits::wrapped(version + 1u)) return HandleStatus::pending;
        return now == SlotState::retired ? HandleStatus::retired : HandleStatus::stale;
    }
    /// Why {slot, version} has no element: it is reserved, was issued or skipped, or neither.
    const char* absence(slot_t slot, std::uint32_t version) const noexcept {
        if (is_reserved(slot, version)) return detail::is_reserved;
        if ((version & 1u) == 0 || version > max_version) return detail::never_issued;
        const std::uint32_t last = slot < versions_.size() ? this->version(slot) : floors_.of(slot);
        // A wrapped version is no longer ordered, and a retired slot has version 0.
        const bool unordered = E == Exhaustion::wrap || state(slot) == SlotState::retired;
        return (unordered ? last != 0 || slot < n_.cursor : version <= last) ? detail::is_stale : detail::never_issued;
    }
    /// Liveness of the slots below the cursor. Between the halves of clear it has no summary, because growth would free it.
    SLOTWISE_ALWAYS_INLINE constexpr Occupancy occupancy() const noexcept {
        return {live_.data(), n_.cursor, epoch_, n_.clear_end == 0 ? summary_.view() : detail::SummaryView()};
    }

    //=== one slot at a time; all noexcept ===//

    /// Takes the next slot and makes it live at once, for values that are built without throwing and without user code. With
    /// Atomic its handle resolves only from publish() on, when the value is there. Returns no_slot, and has no effect, when
    /// has_room() is false.
    SLOTWISE_ALWAYS_INLINE constexpr slot_t acquire_live() noexcept {
        slot_t slot = free_.next();
        if (slot == no_slot) {
            if (n_.cursor == n_.capacity) [[unlikely]]
                return no_slot;
            slot = n_.cursor++; // the summary has its word already
            live_[bits::word_of(slot)] |= bits::bit_of(slot);
            if constexpr (!Atomic) ++versions_[slot];
        } else if (word_t& word = live_[bits::word_of(slot)]; word != 0 && free_.pops_at_once()) {
            word |= bits::bit_of(slot);
            free_.pop_at_once();
            if constexpr (!Atomic) ++versions_[slot];
        } else
            slot = acquire_one_of_many();
        SLOTWISE_ASSUME(slot != no_slot); // only acquire_one_of_many() may return it, and callers test that
        return slot;
    }
    /// The value of a slot from acquire_live() is there.
    SLOTWISE_ALWAYS_INLINE constexpr void publish(slot_t slot) noexcept {
        if constexpr (Atomic) ++versions_[slot];
    }

    /// Takes the next slot; it is blocked until commit() or undo_acquire(). @pre has_room()
    constexpr slot_t acquire() noexcept {
        const bool fresh = free_.empty();
        const slot_t slot = fresh ? n_.cursor : pop_free();
        if (fresh) advance_cursor();
        block(slot);
        return slot;
    }
    /// The slot's value is there: live from now on, at version + 1.
    constexpr void commit(slot_t slot) noexcept {
        unblock(slot);
        set_live(slot);
    }
    /// As commit(), without a call unless the word had no live slot.
    SLOTWISE_ALWAYS_INLINE constexpr void commit_inline(slot_t slot) noexcept {
        unblock(slot);
        make_live<true>(slot);
    }
    /// Whether acquire() would take a slot at the cursor; call it before acquire(), for undo_acquire().
    constexpr bool next_is_fresh() const noexcept { return free_.empty(); }
    /// Exactly undoes acquire(): the same slot at the same version comes next (if nothing else was taken in between).
    constexpr void undo_acquire(slot_t slot, bool was_fresh) noexcept {
        unblock(slot);
        if (was_fresh && slot + 1 == n_.cursor) {
            --n_.cursor;
            update_summary(slot);
        } else
            free_.undo_pop(slot);
    }

    /// Ends the life of `slot`: its handle is stale from now on; the slot is blocked until release(). @pre is_live(slot)
    constexpr void remove(slot_t slot) noexcept {
        set_vacant(slot);
        block(slot);
    }
    /// Undoes remove(), after a throw: the handle that it had resolves again.
    void undo_remove(slot_t slot) noexcept {
        versions_[slot] = static_cast<version_type>(traits::one_use_before(versions_[slot]));
        commit(slot);
    }
    /// Makes a blocked slot free, or retires it when its versions are used up.
    constexpr void release(slot_t slot) noexcept {
        if (exhausted(slot)) {
            ++n_.retired;
            return;
        }
        unblock(slot);
        free_.push(slot);
    }
    /// remove() and release() without blocking in between, for values whose destruction calls no user code. @pre is_live(slot)
    SLOTWISE_ALWAYS_INLINE constexpr void erase(slot_t slot) noexcept {
        if (!erase_at_once(slot)) [[unlikely]]
            erase_last(slot);
    }
    /// The same, but false when it takes more than a few steps, because the slot is the last live one of its word or at the end
    /// of its versions: erase() must follow then. Nothing but the liveness bit has changed.
    SLOTWISE_ALWAYS_INLINE constexpr bool erase_at_once(slot_t slot) noexcept {
        word_t& word = live_[bits::word_of(slot)];
        word &= ~bits::bit_of(slot);
        if (word == 0) [[unlikely]] // tested here, where the processor has the flags already
            return false;
        const auto next = static_cast<version_type>(traits::wrapped(versions_[slot] + 1u));
        if (E == Exhaustion::retire && next == 0) [[unlikely]]
            return false;
        versions_[slot] = next;
        free_.push(slot);
        return true;
    }

    //=== reserved handles ===//

    /// Takes the next slot for an element that comes later; its handle will be {slot, version(slot) + 1}. @pre has_room()
    /// @throws what the allocator throws, at the first reservation after growth; nothing has changed then
    constexpr slot_t reserve_slot() {
        prepare_reserved();
        const slot_t slot = acquire();
        undo_unreserve(slot);
        return slot;
    }
    /// Room for the bits of reservations, so that keep_reserved() can be called: made once, it grows along with the slots.
    /// Throws what the allocator throws; nothing has changed then
    constexpr void prepare_reserved() {
        if (reserved_.size() < live_.size()) reserved_.resized(live_.size(), 0).swap(reserved_);
    }
    /// A removed slot, whose value is destroyed, becomes a reservation of the handle that it had.
    /// @pre remove() ended {slot, version}, and prepare_reserved() was called before
    constexpr void keep_reserved(slot_t slot, std::uint32_t version) noexcept {
        versions_[slot] = static_cast<version_type>(version - 1u);
        undo_unreserve(slot);
    }
    /// A reservation becomes an ordinary acquired slot (for commit or cancel). @pre it is reserved
    constexpr void unreserve(slot_t slot) noexcept {
        reserved_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        --n_.reserved;
    }
    /// Undoes unreserve().
    constexpr void undo_unreserve(slot_t slot) noexcept {
        reserved_[bits::word_of(slot)] |= bits::bit_of(slot);
        ++n_.reserved;
    }
    /// Cancels the reserved handle {slot, version}, which stays stale for ever. False when it is not reserved.
    constexpr bool cancel(slot_t slot, std::uint32_t version) noexcept {
        if (!is_reserved(slot, version)) return false;
        unreserve(slot);
        skip_version(slot);
        return true;
    }
    /// Releases an acquired slot whose handle is known outside. Its version is skipped. @pre slot is blocked
    constexpr void skip_version(slot_t slot) noexcept {
        versions_[slot] = static_cast<version_type>(traits::wrapped(versions_[slot] + 2u));
        release(slot);
    }

    //=== a chosen slot ===//

    /// Whether `slot` may be made live at exactly `version` without a handle of another element ever resolving: it is free,
    /// the version is odd, and not older than the last one issued for the slot (which undoes its erase).
    constexpr bool can_take(slot_t slot, std::uint32_t version) const noexcept {
        if ((version & 1u) == 0 || version > max_version || slot >= max_slots || state(slot) != SlotState::free) return false;
        if (slot < n_.clear_end) return false; // a destructor calls during clear: the slot may not be destroyed yet
        if constexpr (E == Exhaustion::wrap) return true;
        return std::uint64_t{version} + 1 >= (slot < versions_.size() ? this->version(slot) : floors_.of(slot));
    }
    /// Takes a chosen slot, which is blocked until commit(). Its version becomes `version` - 1. Returns the old version, for
    /// undo_take().
    /// @pre can_take(slot, version) and slot < capacity() @complexity O(1), or the gap when slot is above the cursor
    constexpr std::uint32_t take(slot_t slot, std::uint32_t version) noexcept {
        for (; n_.cursor < slot; advance_cursor()) free_.push(n_.cursor);
        if (slot == n_.cursor) {
            block(slot);
            advance_cursor();
            free_.was_never_in(slot);
        } else {
            block(slot);
            free_.remove(slot, vacant());
        }
        return std::exchange(versions_[slot], static_cast<version_type>(version - 1u));
    }
    /// Undoes take(): the same slots come next as before, if nothing else was taken in between.
    /// @param cursor_before what cursor() was before take(); slots from there on become fresh again
    constexpr void undo_take(slot_t slot, std::uint32_t version_before, slot_t cursor_before = no_slot) noexcept {
        versions_[slot] = static_cast<version_type>(version_before);
        unblock(slot);
        if (slot >= cursor_before && slot + 1 == n_.cursor) {
            --n_.cursor;
            update_summary(slot);
            lower_cursor(cursor_before);
        } else
            free_.undo_remove(slot, is_free_slot());
    }

    //=== all at once ===//

    /// First half of clear: every handle is stale, reservations are cancelled, and until end_clear() new elements go only to
    /// fresh slots. occupancy() still lists the slots to be destroyed, below the returned end.
    /// @complexity linear in slots, vector code: 0.16 to 0.2 ns a slot, as one pass over versions takes
    constexpr slot_t begin_clear() noexcept {
        // Locals, std::size_t and a mask as wide as a version let the compilers vectorise it.
        auto* const versions = versions_.data();
        version_type exhausting = 0;
        for (std::size_t slot = 0, end = n_.cursor; slot < end; ++slot) {
            const version_type version = versions[slot];
            exhausting |= version == static_cast<version_type>(max_version) ? static_cast<version_type>(-1) : version_type{0};
            versions[slot] = static_cast<version_type>(traits::wrapped(version + (version & 1u)));
        }
        if (exhausting != 0 && E == Exhaustion::retire) occupancy().for_each([&](slot_t slot) { retire_in_clear(slot); });
        for (std::size_t w = 0; n_.reserved != 0; ++w)
            bits::for_each(std::exchange(reserved_[w], 0), [&](unsigned bit) {
                const slot_t slot = static_cast<slot_t>(w * bits::word_bits + bit);
                --n_.reserved;
                versions_[slot] = static_cast<version_type>(traits::wrapped(versions_[slot] + 2u));
                if (exhausted(slot))
                    ++n_.retired;
                else
                    blocked_[w] &= ~(word_t{1} << bit);
            });
        free_.clear();
        n_.blocked = n_.cursor;
        n_.clear_end = n_.cursor;
        if (n_.cursor % bits::word_bits != 0) {
            // New elements share the last word: its slots that are destroyed or were free must not look vacant.
            const std::size_t last = bits::word_of(n_.cursor);
            n_.clear_held = bits::low_mask(n_.cursor % bits::word_bits) & ~blocked_[last];
            blocked_[last] |= n_.clear_held;
        }
        return n_.cursor;
    }
    /// Between the halves: `slot` leaves the list of slots to be destroyed.
    constexpr void mark_destroyed(slot_t slot) noexcept { live_[bits::word_of(slot)] &= ~bits::bit_of(slot); }

    /// Second half of clear: the slots below `end` are vacant. @pre their values are destroyed
    constexpr void end_clear(slot_t end) noexcept {
        const std::size_t last = bits::word_of(end);
        word_t* const live = live_.data();
        for (std::size_t w = 0; w < last; ++w) live[w] = 0;
        if (end % bits::word_bits != 0) {
            live_[last] &= ~bits::low_mask(end % bits::word_bits);
            blocked_[last] &= ~std::exchange(n_.clear_held, 0);
        }
        n_.clear_end = 0;
        if (!kept_.empty()) epoch_.advance(); // the directory has grown meanwhile
        kept_.free();
        if (n_.cursor == end && n_.retired == 0 && !any_blocked(end)) {
            n_.cursor = 0;
            n_.blocked = 0;
            return summary_.rebuild(live_, n_.cursor);
        }
        summary_.rebuild(live_, n_.cursor);
        // Descending for lifo lists, so that slot 0 comes first under every policy.
        for (slot_t i = 0; i < end; ++i) {
            const slot_t slot = R == Reuse::lifo ? end - 1 - i : i;
            if (bit(blocked_, slot)) continue;
            free_.push(slot);
            --n_.blocked;
        }
    }

    /// Allows retired slots to be issued again, from version 0. @pre no handle of their earlier elements is in use, because it
    /// could resolve. Returns how many; none while a slot at version 0 is held (its first value is being built or its last one
    /// destroyed), because it looks like a retired one. @complexity linear in slots
    constexpr std::size_t recycle_retired() noexcept {
        if (n_.clear_end != 0) return 0; // a destructor calls during clear: retired slots may not be destroyed yet
        const std::size_t count = n_.retired;
        std::size_t alike = 0;
        for (slot_t slot = 0; slot < n_.cursor; ++slot) alike += state(slot) == SlotState::retired;
        if (alike != count) return 0;
        for (slot_t slot = 0; slot < n_.cursor && n_.retired != 0; ++slot) {
            if (state(slot) != SlotState::retired) continue;
            unblock(slot);
            free_.push(slot);
            --n_.retired;
        }
        return count;
    }

    //=== memory ===//

    /// Bookkeeping for at least `slots` slots. @throws what the allocator throws; nothing has changed then
    constexpr Growth prepare(std::size_t slot_count, const Allocator& alloc) const {
        const std::size_t now = versions_.size(), half = now + now / 2, more = half < max_slots ? half : max_slots;
        return sized_for(slot_count <= now ? now : slot_count < more ? more : slot_count, alloc);
    }
    /// Bookkeeping for exactly `slots` slots (rounded up to a word).
    constexpr Growth prepare_exactly(std::size_t slot_count, const Allocator& alloc) const {
        return sized_for(slot_count, alloc);
    }
    /// Whether prepare(slots) would add no slot.
    constexpr bool covers(std::size_t slot_count) const noexcept { return slot_count <= versions_.size(); }
    /// Exchanges the bookkeeping with `growth`.
    constexpr void adopt(Growth& growth) noexcept {
        versions_.swap(growth.versions);
        if (n_.clear_end == 0)
            epoch_.advance();
        else if (kept_.empty())
            kept_.swap(block_); // observers are reading the old words
        block_.swap(growth.block);
        live_.swap(growth.live);
        blocked_.swap(growth.blocked);
        reserved_.swap(growth.reserved);
        free_.swap(growth.free);
        summary_.swap(growth.summary);
    }
    /// Sets the number of slots. @pre covers(slots), slots >= cursor()
    constexpr void set_capacity(std::size_t slot_count) noexcept {
        n_.capacity = slot_count < max_slots ? slot_count : max_slots;
    }

    /// Moves the cursor down over free slots, at most to `least`. Returns the slots that must be kept.
    /// @complexity linear in released slots
    constexpr slot_t lower_cursor(slot_t least = 0) noexcept {
        if (least < n_.clear_end) least = n_.clear_end; // a destructor calls during clear
        slot_t end = n_.cursor;
        while (end > least && state(end - 1) == SlotState::free) --end;
        while (n_.cursor != end) {
            const slot_t slot = n_.cursor - 1;
            // Lowest: the word's remaining vacant bits are those below the new cursor.
            n_.cursor = slot;
            free_.remove(slot, vacant());
            if (slot % bits::word_bits == 0 || slot == end) update_summary(slot);
        }
        return end;
    }
    /// Undoes lower_cursor(), exactly if nothing was taken or freed in between.
    constexpr void restore_cursor(slot_t cursor_before) noexcept {
        while (n_.cursor < cursor_before) {
            const slot_t slot = n_.cursor;
            advance_cursor();
            free_.undo_remove(slot, is_free_slot());
        }
    }
    /// The first slot whose version is forgotten by shrinking to the slots below `end`. The next 64 slots keep their versions,
    /// because they come next and are reused most. (One slot reused 100 times a round, a shrink each round, versions of 16
    /// bits: the first insert is refused after 7,226 rounds; after 348 if these slots share a floor.)
    static constexpr std::size_t first_forgotten(std::size_t end) noexcept {
        return bits::round_up(end, bits::word_bits) + bits::word_bits;
    }
    /// Bookkeeping for `slots` slots, and for the versions of those below `from` that are kept.
    constexpr Growth prepare_shrink(std::size_t slot_count, std::size_t from, const Allocator& alloc) const {
        const auto one = floors_.one_of(versions_, n_.cursor, from);
        std::size_t kept = from < versions_.size() ? from : versions_.size();
        while (one.holds && kept > slot_count && versions_[kept - 1] == one.of(kept - 1)) --kept;
        Growth less = sized_for(kept > slot_count ? kept : slot_count, alloc);
        less.floor = one;
        if (!one.holds) floors_.spare(versions_.size(), alloc).swap(less.spare);
        return less;
    }
    /// Commits what prepare_shrink() made. Only floors remain of the versions of the slots from `from` on: later slots start
    /// there, so that shrinking forgets no handle. @pre from >= cursor(), and nothing has changed since prepare_shrink()
    constexpr void commit_shrink(Growth& less, std::size_t from) noexcept {
        adopt(less);
        floors_.keep(less.versions, from, less.floor, less.spare);
        // As if allocated again: the memory that a store happens to keep must not influence later handles, or a copy would give
        // other handles than the original.
        for (std::size_t slot = from; slot < versions_.size(); ++slot) versions_[slot] = floors_.of(slot);
    }
    /// Makes prepare_shrink(0, 0) allocate nothing: where versions differ and there is no memory for their floors, all slots
    /// get the highest of them. @pre no slot is in use or retired
    constexpr void level_versions() noexcept {
        if (floors_.holds(versions_.size()) || floors_.one_of(versions_, n_.cursor, 0).holds) return;
        version_type most = floors_.most();
        for (std::size_t slot = 0; slot != versions_.size(); ++slot) most = versions_[slot] > most ? versions_[slot] : most;
        for (std::size_t slot = 0; slot != versions_.size(); ++slot) versions_[slot] = most;
        floors_.level(most, versions_.size());
    }

    /// Bytes held from the allocator.
    constexpr std::size_t memory_usage() const noexcept {
        return detail::memory_of(block_, versions_, kept_, reserved_, floors_, free_);
    }
    /// Whether every count, bit, version and link agrees; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const noexcept {
        if (n_.capacity > versions_.size() || n_.cursor > n_.capacity) return false;
        std::size_t live = 0, blocked = 0, reserved = 0, retired = 0;
        for (slot_t slot = 0; slot < versions_.size(); ++slot) {
            const bool is_odd = (versions_[slot] & 1u) != 0;
            const bool is_blocked = bit(blocked_, slot), is_promised = bit(reserved_, slot);
            if (versions_[slot] > max_version || is_odd != bit(live_, slot)) return false;
            if ((is_odd && is_blocked) || (is_promised && !is_blocked)) return false;
            if (slot >= n_.cursor && (is_odd || is_blocked)) return false;
            live += is_odd;
            blocked += is_blocked;
            reserved += is_promised;
            retired += is_blocked && !is_promised && versions_[slot] == 0;
        }
        if (!summary_.is_sound(live_, n_.cursor)) return false;
        // If these agree, so does the number of free ones, which is free_.size().
        if (live != size() || blocked != n_.blocked || reserved != n_.reserved) return false;
        if (retired < n_.retired) return false; // an acquired slot at version 0 looks like a retired one
        if constexpr (R == Reuse::lowest)
            return free_.is_sound(live_.size(),
                                  [this](std::size_t w) { return w <= bits::word_of(n_.cursor) ? vacant()(w) : 0; });
        else
            return free_.is_sound([this](slot_t slot) { return slot < n_.cursor && state(slot) == SlotState::free; });
    }

private:
    friend struct detail::DirectorySnapshot;
    template <class Array>
    static constexpr bool bit(const Array& words, slot_t slot) noexcept {
        return bits::word_of(slot) < words.size() && (words[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    /// The vacant slots of a word, below the cursor.
    SLOTWISE_ALWAYS_INLINE constexpr auto vacant() const noexcept {
        return [this](std::size_t w) noexcept {
            const word_t word = ~(live_[w] | blocked_[w]);
            return w == bits::word_of(n_.cursor) ? word & bits::low_mask(n_.cursor % bits::word_bits) : word;
        };
    }
    /// Whether a slot is vacant and below the cursor, for the list of free slots.
    constexpr auto is_free_slot() const noexcept {
        return [this](slot_t slot) noexcept { return slot < n_.cursor && state(slot) == SlotState::free; };
    }
    SLOTWISE_NEVER_INLINE constexpr void set_live(slot_t slot) noexcept { make_live<true>(slot); }
    template <bool Version>
    SLOTWISE_ALWAYS_INLINE constexpr void make_live(slot_t slot) noexcept {
        word_t& word = live_[bits::word_of(slot)];
        if constexpr (Version) ++versions_[slot];
        if (std::exchange(word, word | bits::bit_of(slot)) == 0) update_summary(slot);
    }
    constexpr void set_vacant(slot_t slot) noexcept {
        word_t& word = live_[bits::word_of(slot)];
        word &= ~bits::bit_of(slot);
        bump_version(slot);
        if (word == 0) [[unlikely]]
            update_summary(slot);
    }
    SLOTWISE_ALWAYS_INLINE constexpr void bump_version(slot_t slot) noexcept {
        versions_[slot] = static_cast<version_type>(traits::wrapped(versions_[slot] + 1u));
    }
    // Out of line: what acquire_live() and erase() need rarely would fill the registers of their callers.
    SLOTWISE_NEVER_INLINE constexpr slot_t pop_free() noexcept { return free_.pop(vacant()); }
    SLOTWISE_NEVER_INLINE constexpr slot_t acquire_one_of_many() noexcept {
        const slot_t slot = free_.pop(vacant());
        make_live<!Atomic>(slot);
        return slot;
    }
    SLOTWISE_NEVER_INLINE constexpr void erase_last(slot_t slot) noexcept {
        set_vacant(slot);
        if (exhausted(slot)) {
            block(slot);
            ++n_.retired;
        } else
            free_.push(slot);
    }
    /// Moves the cursor up over a slot that is not live.
    constexpr void advance_cursor() noexcept {
        if (++n_.cursor % bits::word_bits == 0) update_summary(n_.cursor - 1);
    }
    SLOTWISE_NEVER_INLINE constexpr void update_summary(slot_t slot) noexcept {
        summary_.update(live_, bits::word_of(slot), n_.cursor);
    }
    constexpr void block(slot_t slot) noexcept {
        blocked_[bits::word_of(slot)] |= bits::bit_of(slot);
        ++n_.blocked;
    }
    constexpr void unblock(slot_t slot) noexcept {
        blocked_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        --n_.blocked;
    }
    SLOTWISE_ALWAYS_INLINE constexpr bool exhausted(slot_t slot) const noexcept {
        return E == Exhaustion::retire && versions_[slot] == 0;
    }
    /// Retires a slot of a running clear if its versions are used up.
    constexpr void retire_in_clear(slot_t slot) noexcept {
        if (versions_[slot] != 0) return;
        blocked_[bits::word_of(slot)] |= bits::bit_of(slot);
        ++n_.retired;
    }
    constexpr bool any_blocked(slot_t end) const noexcept {
        for (std::size_t w = 0; w < bits::word_count(end); ++w)
            if (blocked_[w] != 0) return true;
        return false;
    }

    /// Bookkeeping for so many slots, rounded up to a word, with what is kept now. Throws what the allocator throws
    constexpr Growth sized_for(std::size_t slot_count, const Allocator& alloc) const {
        const std::size_t words = bits::word_count(slot_count);
        // A size_t of 32 bits holds no 2^32 slots. What is not versions is less than a byte a slot, or nine with links.
        static_cast<void>(detail::checked_bytes(words, bits::word_bits * (sizeof(version_type) + 9)));
        const std::size_t whole = words * bits::word_bits;
        std::size_t total = 2 * words + Free::words_for(whole) + Summary::words_for(words);
        if constexpr (Steady == 0) total += Versions::words_for(whole);
        Growth growth(alloc);
        Block::unmade(total, alloc).swap(growth.block);
        detail::ArrayPlace place{growth.block.data()};
        if constexpr (Steady != 0)
            versions_.resized(whole, 0, alloc).swap(growth.versions);
        else
            versions_.resized(whole, 0, place).swap(growth.versions);
        auto& versions = growth.versions;
        for (std::size_t slot = versions_.size(); slot < versions.size() && slot < floors_.end(); ++slot)
            versions[slot] = floors_.of(slot);
        live_.resized(words, 0, place).swap(growth.live);
        blocked_.resized(words, 0, place).swap(growth.blocked);
        reserved_.resized(reserved_.empty() ? 0 : words, 0, alloc).swap(growth.reserved);
        free_.resized(whole, place).swap(growth.free);
        Summary(live_, words, n_.cursor, place).swap(growth.summary);
        return growth;
    }

    struct Counters {
        slot_t cursor = 0;
        slot_t blocked = 0; // below the cursor, set in blocked_
        slot_t retired = 0;
        slot_t limit = no_slot;
        std::size_t capacity = 0;
        slot_t reserved = 0;
        slot_t clear_end = 0;  // between the halves of clear: slots below it are neither free nor usable
        word_t clear_held = 0; // the slots of its last word that are blocked until the end
    };
    Versions versions_{};
    Words live_{};
    Block block_{}; // what lies in one allocation: versions that are not steady, words
    Block kept_{};  // between the halves of clear: the block of before a growth
    Words blocked_{};
    Block reserved_{}; // empty until the first reservation
    detail::VersionFloors<version_type, Allocator> floors_{};
    Free free_{};
    Summary summary_{};
    Counters n_{};
    SLOTWISE_NO_UNIQUE_ADDRESS detail::ViewEpoch epoch_{}; // of occupancy()
};

#ifdef SLOTWISE_COMPILED
extern template class SlotDirectory<HandleLayout{32, 32}, Exhaustion::retire, Reuse::lowest>;
#endif

SLOTWISE_END

#endif
