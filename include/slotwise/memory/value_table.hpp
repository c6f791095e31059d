// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ValueTable: the numbers of values, found by hash: the index of a SwitchMap.
#ifndef SLOTWISE_MEMORY_VALUE_TABLE_HPP
#define SLOTWISE_MEMORY_VALUE_TABLE_HPP

#include "../core/hash.hpp"
#include "allocator.hpp"

#include <bit>

SLOTWISE_BEGIN
namespace detail {

/// Open addressing, half full at most, linear probing, backward shift deletion (Knuth, volume 3, 6.4, algorithm R). It does not
/// know the values. Tags that are small numbers for how many there are, as those of an enumeration, have an array of their own:
/// at 4096 of them a set() takes 6 ns there, and 14 ns with cells only.
/// @tparam Numbers tags are the values themselves
template <bool Numbers, class Allocator>
class ValueTable {
    struct Cell {
        std::uint32_t tag = 0;
        slot_t number = no_slot;
    };

public:
    explicit ValueTable(const Allocator& alloc) noexcept : small_(alloc), cells_(alloc) {}
    void swap(ValueTable& other) noexcept {
        small_.swap(other.small_);
        cells_.swap(other.cells_);
        std::swap(used_, other.used_);
    }
    std::size_t memory_usage() const noexcept { return memory_of(small_, cells_); }
    void free() noexcept {
        small_.free();
        cells_.free();
        used_ = 0;
    }

    /// The number with this tag for which matches(number) holds, or no_slot.
    template <class Match>
    SLOTWISE_ALWAYS_INLINE slot_t find(std::uint32_t tag, Match&& matches) const {
        if constexpr (Numbers)
            if (tag < small_.size()) [[likely]]
                return small_[tag];
        if (cells_.empty()) return no_slot;
        for (std::size_t at = home(tag);; at = next(at)) {
            const Cell cell = cells_[at];
            if (cell.number == no_slot) return no_slot;
            if (cell.tag == tag && matches(cell.number)) return cell.number;
        }
    }
    /// Room for a number with this tag, when there are `count`. @throws what the allocator throws; nothing has changed then
    void make_room(std::uint32_t tag, std::size_t count) {
        if constexpr (Numbers) {
            if (tag < small_.size()) return;
            if (tag < 64 + 8 * count) return widen(tag);
        }
        if (2 * (used_ + 1) <= cells_.size()) return;
        const std::size_t size = used_ < 8 ? 16 : 2 * checked_bytes(cells_.size(), sizeof(Cell)) / sizeof(Cell);
        ValueTable wider(Allocator(cells_.get_allocator()));
        FlatArray<Cell, Allocator>(cells_.get_allocator()).resized(size, Cell{}).swap(wider.cells_);
        for (std::size_t i = 0; i != cells_.size(); ++i)
            if (cells_[i].number != no_slot) wider.insert(cells_[i].tag, cells_[i].number);
        wider.small_.swap(small_);
        swap(wider);
    }
    /// @pre the number is not there, and there is room for it
    void insert(std::uint32_t tag, slot_t number) noexcept {
        if (tag < small_.size()) {
            small_[tag] = number;
            return;
        }
        std::size_t at = home(tag);
        while (cells_[at].number != no_slot) at = next(at);
        cells_[at] = {tag, number};
        ++used_;
    }
    /// @pre the number is there with this tag
    void erase(std::uint32_t tag, slot_t number) noexcept {
        if (tag < small_.size()) {
            small_[tag] = no_slot;
            return;
        }
        std::size_t gap = home(tag);
        while (cells_[gap].number != number) gap = next(gap);
        for (std::size_t at = next(gap); cells_[at].number != no_slot; at = next(at))
            if (distance(home(cells_[at].tag), at) >= distance(gap, at)) {
                cells_[gap] = cells_[at];
                gap = at;
            }
        cells_[gap] = Cell{};
        --used_;
    }
    /// Whether `count` numbers are there, each found by the tag that tag_of(number) gives; for tests.
    template <class TagOf>
    bool is_sound(std::size_t count, TagOf&& tag_of) const {
        std::size_t found = 0, low_tags = 0;
        for (std::size_t tag = 0; tag != small_.size(); ++tag) {
            if (small_[tag] == no_slot) continue;
            if (tag_of(small_[tag]) != tag) return false;
            ++low_tags;
        }
        for (std::size_t i = 0; i != cells_.size(); ++i) {
            const Cell cell = cells_[i];
            if (cell.number == no_slot) continue;
            ++found;
            if (tag_of(cell.number) != cell.tag || find(cell.tag, [&](slot_t each) { return each == cell.number; }) == no_slot)
                return false;
        }
        return found == used_ && found + low_tags == count && 2 * found <= cells_.size();
    }

private:
    void widen(std::uint32_t tag) {
        auto wider = small_.resized(std::bit_ceil(std::size_t{tag} + 1), no_slot);
        for (std::size_t i = 0; i != cells_.size();) // a cell that is erased may be filled by a later one
            if (const Cell cell = cells_[i]; cell.number != no_slot && cell.tag < wider.size()) {
                wider[cell.tag] = cell.number;
                erase(cell.tag, cell.number);
            } else
                ++i;
        small_.swap(wider);
    }
    // Tags that are no numbers are hashes.
    std::size_t home(std::uint32_t tag) const noexcept {
        if constexpr (Numbers) tag = static_cast<std::uint32_t>(mix_bits(tag));
        return tag & (cells_.size() - 1);
    }
    std::size_t next(std::size_t at) const noexcept { return (at + 1) & (cells_.size() - 1); }
    std::size_t distance(std::size_t from, std::size_t to) const noexcept { return (to - from) & (cells_.size() - 1); }

    FlatArray<slot_t, Allocator> small_; // the number of each small tag
    FlatArray<Cell, Allocator> cells_;   // the others
    std::size_t used_ = 0;
};

} // namespace detail

SLOTWISE_END

#endif
