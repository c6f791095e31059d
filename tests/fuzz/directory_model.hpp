// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a SlotDirectory of any options must do, exactly: which slot comes next and at which version, through growth, shrinking,
// clear, retirement and chosen slots. Written plainly and cheap to run: the bodies `slots` and `map` walk beside it.
#ifndef SLOTWISE_TESTS_FUZZ_DIRECTORY_MODEL_HPP
#define SLOTWISE_TESTS_FUZZ_DIRECTORY_MODEL_HPP

#include "world.hpp"

#include <slotwise/core/detail/bits.hpp>

#include <algorithm>

namespace test {

class DirectoryModel {
public:
    /// held: taken, its value not yet built or not yet destroyed; cleared: to be destroyed by the clear that runs.
    enum class Is : std::uint8_t { vacant, live, reserved, retired, held, cleared };

    DirectoryModel(std::uint32_t max_version, Exhaustion exhaustion, Reuse reuse)
        : max_version_(max_version), exhaustion_(exhaustion), reuse_(reuse) {}

    //=== looking ===//

    slot_t cursor() const { return cursor_; }
    std::size_t count(Is is) const { return counts_[static_cast<std::size_t>(is)]; }
    std::size_t live() const { return count(Is::live); }
    Is is(std::size_t slot) const { return slot < cursor_ ? slots_[slot].is : Is::vacant; }
    /// As the directory stores it: odd for a live slot.
    std::uint32_t version(std::size_t slot) const {
        return slot < slots_.size()              ? slots_[slot].version
               : block_of(slot) < floors_.size() ? floors_[block_of(slot)]
               : slot < floor_end_               ? floor_
                                                 : 0;
    }
    bool is_live(std::size_t slot, std::uint32_t version) const {
        return is(slot) == Is::live && slots_[slot].version == version;
    }
    bool is_reserved(std::size_t slot, std::uint32_t version) const {
        return is(slot) == Is::reserved && slots_[slot].version + 1 == version;
    }
    SlotState state(std::size_t slot) const {
        constexpr SlotState as[] = {SlotState::free, SlotState::live, SlotState::reserved, SlotState::retired,
                                    SlotState::pending};
        if (is(slot) == Is::held && exhaustion_ == Exhaustion::retire && slots_[slot].version == 0)
            return SlotState::retired; // nothing tells it from one
        return as[static_cast<std::size_t>(is(slot))];
    }
    HandleStatus explain(std::size_t slot, std::uint32_t version, std::size_t capacity) const {
        if (slot >= capacity) return HandleStatus::out_of_range;
        if (is_live(slot, version)) return HandleStatus::live;
        if (is_reserved(slot, version)) return HandleStatus::reserved;
        const SlotState now = state(slot);
        if (now == SlotState::pending && this->version(slot) == wrapped(version + 1)) return HandleStatus::pending;
        return now == SlotState::retired ? HandleStatus::retired : HandleStatus::stale;
    }
    /// Whether {slot, version} may be brought (back) to life: not older than the last one issued in the slot.
    bool can_take(std::size_t slot, std::uint32_t version) const {
        if (version % 2 == 0 || version > max_version_ || is(slot) != Is::vacant) return false;
        return exhaustion_ == Exhaustion::wrap || std::uint64_t{version} + 1 >= this->version(slot);
    }
    /// The slot that acquire() would take.
    slot_t next() const {
        if (count(Is::vacant) == 0) return cursor_;
        if (reuse_ != Reuse::lowest) return reuse_ == Reuse::lifo ? order_.back() : order_[first_];
        slot_t slot = lowest_;
        while (slots_[slot].is != Is::vacant) ++slot;
        return slot;
    }
    bool next_is_fresh() const { return count(Is::vacant) == 0; }

    //=== one slot ===//

    slot_t acquire() {
        const slot_t slot = next();
        if (slot == cursor_)
            advance_cursor();
        else if (reuse_ == Reuse::lifo)
            order_.pop_back();
        else if (reuse_ == Reuse::fifo)
            ++first_;
        else
            lowest_ = slot + 1;
        become(slot, Is::held);
        return slot;
    }
    void commit(slot_t slot) {
        ++slots_[slot].version;
        become(slot, Is::live);
    }
    slot_t insert() {
        const slot_t slot = acquire();
        commit(slot);
        return slot;
    }
    slot_t reserve() {
        const slot_t slot = acquire();
        become(slot, Is::reserved);
        return slot;
    }
    void take(slot_t slot, std::uint32_t version) {
        while (cursor_ < slot) {
            advance_cursor();
            list(cursor_ - 1);
        }
        if (slot == cursor_)
            advance_cursor();
        else if (reuse_ != Reuse::lowest)
            order_.erase(std::find(order_.begin() + static_cast<std::ptrdiff_t>(first_), order_.end(), slot));
        slots_[slot].version = version - 1;
        become(slot, Is::held);
    }
    /// The element's handle is stale from now on; the slot is held.
    void remove(slot_t slot) {
        slots_[slot].version = wrapped(slots_[slot].version + 1);
        become(slot, Is::held);
    }
    /// A live slot becomes one that is reserved for its own handle.
    void keep(slot_t slot) {
        --slots_[slot].version;
        become(slot, Is::reserved);
    }
    /// A held slot becomes vacant, or retires.
    void release(slot_t slot) {
        become(slot, exhausted(slot) ? Is::retired : Is::vacant);
        if (slots_[slot].is == Is::vacant) list(slot);
    }
    /// A held or reserved slot whose handle was seen: as if its element had come and gone.
    void skip_version(slot_t slot) {
        slots_[slot].version = wrapped(slots_[slot].version + 2);
        release(slot);
    }
    void erase(slot_t slot) {
        remove(slot);
        release(slot);
    }

    //=== all at once ===//

    void clear() { end_clear(begin_clear()); }
    /// Until end_clear() new elements go to fresh slots alone.
    slot_t begin_clear() {
        for (slot_t slot = 0; slot < cursor_; ++slot) {
            const Is is = slots_[slot].is;
            if (is == Is::retired || is == Is::held) continue;
            if (is != Is::vacant) slots_[slot].version = wrapped(slots_[slot].version + (is == Is::live ? 1 : 2));
            become(slot, is != Is::vacant && exhausted(slot) ? Is::retired : Is::cleared);
        }
        order_.clear();
        first_ = 0;
        lowest_ = 0;
        return cursor_;
    }
    void end_clear(slot_t end) {
        for (slot_t i = 0; i < end; ++i) {
            // Slot 0 comes first under every policy.
            const slot_t slot = reuse_ == Reuse::lifo ? end - 1 - i : i;
            if (slots_[slot].is != Is::cleared) continue;
            become(slot, Is::vacant);
            list(slot);
        }
        if (cursor_ == end && count(Is::vacant) == cursor_) {
            order_.clear();
            move_cursor_down(0);
        }
    }
    std::size_t recycle() {
        std::size_t retired = 0;
        for (slot_t slot = 0; slot < cursor_; ++slot) retired += state(slot) == SlotState::retired;
        if (retired != count(Is::retired)) return 0; // one that is held looks like them
        for (slot_t slot = 0; retired != 0 && slot < cursor_; ++slot)
            if (slots_[slot].is == Is::retired) {
                become(slot, Is::vacant);
                list(slot);
            }
        return retired;
    }
    /// Vacant slots at the end are given back; returns how many remain.
    slot_t lower_cursor() {
        slot_t end = cursor_;
        while (end != 0 && slots_[end - 1].is == Is::vacant) --end;
        if (end == cursor_) return end;
        if (reuse_ != Reuse::lowest) {
            order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
            order_.erase(std::remove_if(order_.begin(), order_.end(), [&](slot_t slot) { return slot >= end; }), order_.end());
        }
        move_cursor_down(end);
        return end;
    }
    /// The memory goes too: what is made there later starts above every version that was given up.
    void shrink() {
        const std::size_t end = lower_cursor(),
                          keep = bits::round_up(end, bits::word_bits) + bits::word_bits; // 64 more keep their own
        std::size_t last = std::max(slots_.size(), floor_end_);
        while (last > end && version(last - 1) == 0) --last;
        bool same = floors_.empty(); // while all have one version, that is what they keep
        for (std::size_t slot = keep; slot < last; ++slot) same = same && version(slot) == version(last - 1);
        if (same) {
            floor_ = last > end ? version(last - 1) : 0;
            floor_end_ = last > end ? last : 0;
        } else {
            floor_end_ = bits::round_up(floor_end_, bits::word_bits);
            for (std::size_t block = floors_.size(); block <= block_of(slots_.size()); ++block)
                floors_.push_back(block * block_slots() < floor_end_ ? floor_ : 0);
        }
        for (std::size_t slot = keep; !same && slot < slots_.size(); ++slot)
            floors_[block_of(slot)] = std::max(floors_[block_of(slot)], slots_[slot].version);
        if (keep < slots_.size()) slots_.resize(keep);
    }

private:
    struct Slot {
        Is is = Is::vacant;
        std::uint32_t version = 0;
    };

    /// Slots that share a floor: as many as a version has bits in memory.
    /// After the last version comes 0.
    std::uint32_t wrapped(std::uint32_t version) const { return version > max_version_ ? 0 : version; }
    std::size_t block_slots() const { return max_version_ <= 0xFF ? 8 : max_version_ <= 0xFFFF ? 16 : 32; }
    std::size_t block_of(std::size_t slot) const { return slot / block_slots(); }
    bool exhausted(slot_t slot) const { return exhaustion_ == Exhaustion::retire && slots_[slot].version == 0; }
    void become(slot_t slot, Is is) {
        --counts_[static_cast<std::size_t>(slots_[slot].is)];
        ++counts_[static_cast<std::size_t>(is)];
        slots_[slot].is = is;
    }
    /// One slot more, vacant, in no list yet.
    void advance_cursor() {
        while (slots_.size() <= cursor_) slots_.push_back({Is::vacant, version(slots_.size())});
        ++cursor_;
        ++counts_[0];
    }
    void move_cursor_down(slot_t end) {
        counts_[0] -= cursor_ - end;
        cursor_ = end;
    }
    void list(slot_t slot) {
        if (reuse_ != Reuse::lowest)
            order_.push_back(slot);
        else if (slot < lowest_)
            lowest_ = slot;
    }
    std::uint32_t max_version_;
    Exhaustion exhaustion_;
    Reuse reuse_;
    std::vector<Slot> slots_{};   // those above cursor_ too: a clear leaves their versions
    std::vector<slot_t> order_{}; // the vacant slots below the cursor: lifo, next last; fifo, next at first_; lowest, unused
    std::size_t first_ = 0;
    slot_t lowest_ = 0; // no vacant slot lies below it
    slot_t cursor_ = 0;
    std::size_t counts_[6] = {}; // of the slots below the cursor
    std::uint32_t floor_ = 0;
    std::size_t floor_end_ = 0;
    std::vector<std::uint32_t> floors_{}; // by block, before the one floor
};

} // namespace test

#endif
