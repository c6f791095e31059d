// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// VersionFloors: the first versions of slots whose memory was released, so that shrinking forgets no handle.
#ifndef SLOTWISE_SLOTS_VERSION_FLOORS_HPP
#define SLOTWISE_SLOTS_VERSION_FLOORS_HPP

#include "../core/bits.hpp"
#include "../fwd.hpp"
#include "../memory/allocator.hpp"

#include <limits>

SLOTWISE_BEGIN
namespace detail {
struct DirectorySnapshot;

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
SLOTWISE_END

#endif
