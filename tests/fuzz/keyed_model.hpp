// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a keyed container must be: a few arrays, no part of the library. It foretells the slot and the handle of every insert.
#ifndef SLOTWISE_TESTS_FUZZ_KEYED_MODEL_HPP
#define SLOTWISE_TESTS_FUZZ_KEYED_MODEL_HPP

#include "keyed_world.hpp"

#include <slotwise/core/handle.hpp>

#include <algorithm>
#include <bit>

namespace test {

/// @tparam H the handle @tparam O the container's options @tparam Most its max_size(), or more slots than the keys can need
template <class H, KeySetOptions O, std::size_t Most>
class KeyedModel {
public:
    static constexpr bool retires = O.exhaustion == Exhaustion::retire;
    static constexpr unsigned slot_count = 256;
    static constexpr std::size_t limit = Most < slot_count ? Most : slot_count;

    enum class Is : std::uint8_t { free, live, waiting, retired, reserved };
    struct Slot {
        Is is = Is::free;
        std::uint8_t id = 0;
        std::uint32_t version = 0; // the last one issued; 0: none yet
        unsigned value = 0;
        std::uint32_t column = 0;
        std::size_t born = 0; // the step of the last insert
        const void* key = nullptr;
        const void* place = nullptr;
    };
    enum class Way : std::uint8_t { found, again, fresh, full };
    struct Outcome {
        Way way;
        slot_t slot;
    };

    KeyedModel() {
        live_of_.fill(no_slot);
        waits_of_.fill(no_slot);
        vacant_.fill(~std::uint64_t{0});
    }

    //=== what is ===//

    const Slot& operator[](slot_t slot) const { return slots_[slot]; }
    Slot& operator[](slot_t slot) { return slots_[slot]; }
    std::size_t size() const { return size_; }
    std::size_t retired() const { return retired_; }
    /// Slots that no insert can take.
    std::size_t used() const { return size_ + pending_.size() + retired_ + reserved_; }
    bool is_reserved(H handle) const {
        return handle.index() < slot_count && slots_[handle.index()].is == Is::reserved &&
               slots_[handle.index()].version == handle.version();
    }
    /// The first reserved slot from `slot` on, or the first of all.
    slot_t any_reserved(slot_t slot) const {
        for (slot_t i = 0; i != slot_count; ++i)
            if (const slot_t each = (slot + i) % slot_count; slots_[each].is == Is::reserved) return each;
        return no_slot;
    }
    const std::vector<slot_t>& pending() const { return pending_; }
    /// The slot of the key, or no_slot.
    slot_t live_of(unsigned id) const { return live_of_[id]; }
    /// Of the key, live or pending; the live one first, then the one that can live again.
    bool is_any_of(slot_t slot, unsigned id) const {
        if (live_of_[id] != no_slot) return slot == live_of_[id];
        if (waits_of_[id] != no_slot) return slot == waits_of_[id];
        const auto spent = [&](slot_t each) { return slots_[each].id == id; };
        if (slot == no_slot) return std::none_of(pending_.begin(), pending_.end(), spent);
        return slot < slot_count && slots_[slot].is == Is::waiting && slots_[slot].id == id;
    }
    bool is_stored(slot_t slot) const { return slots_[slot].is == Is::live || slots_[slot].is == Is::waiting; }
    H handle(slot_t slot) const { return H(slot, slots_[slot].version); }
    bool resolves(H handle) const {
        return handle.index() < slot_count && slots_[handle.index()].is == Is::live &&
               slots_[handle.index()].version == handle.version();
    }
    HandleStatus status(H handle, std::size_t capacity) const {
        if (handle.is_null()) return HandleStatus::null;
        const slot_t slot = handle.index();
        if (slot >= slot_count || slot >= capacity) return HandleStatus::out_of_range;
        if (resolves(handle)) return HandleStatus::live;
        const Slot& here = slots_[slot];
        if (here.is == Is::waiting && here.version == handle.version()) return HandleStatus::pending;
        if (is_reserved(handle)) return HandleStatus::reserved;
        return here.is == Is::retired ? HandleStatus::retired : HandleStatus::stale;
    }
    /// The first live slot from `slot` on, or no_slot.
    slot_t next_live(std::size_t slot) const {
        for (; slot < slot_count; ++slot)
            if (slots_[slot].is == Is::live) return static_cast<slot_t>(slot);
        return no_slot;
    }
    template <class F>
    void for_each_stored(F&& f) {
        for (slot_t slot = 0; slot != slot_count; ++slot)
            if (is_stored(slot)) f(slot);
    }
    /// Every handle that was ever issued here.
    const std::vector<H>& issued() const { return issued_; }

    //=== what happens ===//

    /// What an insert of the key will do.
    Outcome expect(unsigned id) const {
        if (live_of_[id] != no_slot) return {Way::found, live_of_[id]};
        if (waits_of_[id] != no_slot) return {Way::again, waits_of_[id]};
        if (used() == limit) return {Way::full, no_slot};
        if (O.reuse == Reuse::lowest) return {Way::fresh, lowest()};
        if (free_.empty()) return {Way::fresh, cursor_};
        return {Way::fresh, O.reuse == Reuse::lifo ? free_.back() : free_.front()};
    }
    /// The key has entered as expect() said, under `handle`, which is judged.
    void enter(unsigned id, const Outcome& as, H handle, unsigned value, std::size_t step) {
        Slot& here = slots_[as.slot];
        const std::uint32_t version = handle.version(), last = here.version;
        FUZZ_CHECK(handle.index() == as.slot && (version & 1u) != 0 && handle.user_bits() == 0);
        if (!floored_ || as.way == Way::again)
            FUZZ_CHECK(version == (last == 0 || last == H::max_version ? 1 : last + 2));
        else if (retires)
            FUZZ_CHECK(version > last); // a version floor may have raised it: never issued before
        if (as.way == Way::again)
            std::erase(pending_, as.slot);
        else
            take(as.slot);
        waits_of_[id] = no_slot;
        live_of_[id] = as.slot;
        here.is = Is::live;
        here.id = static_cast<std::uint8_t>(id);
        here.version = version;
        here.value = value;
        here.born = step;
        ++size_;
        issued_.push_back(handle);
    }
    /// @pre live
    void leave(slot_t slot) {
        Slot& here = slots_[slot];
        live_of_[here.id] = no_slot;
        --size_;
        if (!O.deferred_erase) return release(slot);
        here.is = Is::waiting;
        pending_.push_back(slot);
        if (!spent(slot)) waits_of_[here.id] = slot;
    }
    /// A pending element that should have lived again is erased, as by a flush.
    void lose(slot_t slot) {
        std::erase(pending_, slot);
        waits_of_[slots_[slot].id] = no_slot;
        release(slot);
    }
    /// As leave, but the handle may come back. @pre live
    void keep(slot_t slot) {
        live_of_[slots_[slot].id] = no_slot;
        for (const slot_t each : pending_) // the last one can live again, if it is not worn
            if (slots_[each].id == slots_[slot].id) waits_of_[slots_[slot].id] = spent(each) ? no_slot : each;
        slots_[slot].is = Is::reserved;
        --size_;
        ++reserved_;
    }
    /// @pre reserved; no live element has the key
    void come_back(slot_t slot, unsigned id, unsigned value, std::size_t step) {
        Slot& here = slots_[slot];
        live_of_[id] = slot;
        waits_of_[id] = no_slot;
        here.is = Is::live;
        here.id = static_cast<std::uint8_t>(id);
        here.value = value;
        here.born = step;
        ++size_;
        --reserved_;
    }
    /// @pre reserved
    void cancel(slot_t slot) {
        --reserved_;
        release(slot);
    }
    void flush() {
        for (const slot_t slot : pending_) release(slot);
        pending_.clear();
        waits_of_.fill(no_slot);
    }
    void clear() {
        for (slot_t slot = 0; slot != slot_count; ++slot)
            if (slots_[slot].is == Is::reserved) cancel(slot);
        if (O.deferred_erase) {
            for (slot_t slot = 0; slot != slot_count; ++slot)
                if (slots_[slot].is == Is::live) leave(slot);
            return;
        }
        for (slot_t slot = 0; slot != slot_count; ++slot)
            if (slots_[slot].is == Is::live) leave(slot);
        // Whatever the policy, slot 0 comes first now.
        free_.clear();
        if (retired_ == 0) {
            cursor_ = 0;
            return;
        }
        for (slot_t slot = 0; slot != cursor_; ++slot)
            if (slots_[slot].is == Is::free) free_.push_back(slot);
        if (O.reuse == Reuse::lifo) std::reverse(free_.begin(), free_.end());
    }
    /// Whether the memory has gone: not where a slot is retired, or would be.
    bool reset() {
        bool retiring = retired_ != 0;
        for (slot_t slot = 0; slot != slot_count; ++slot)
            retiring = retiring || ((is_stored(slot) || slots_[slot].is == Is::reserved) && spent(slot));
        clear();
        flush();
        if (retiring) return false;
        free_.clear();
        cursor_ = 0;
        floored_ = true;
        return true;
    }
    void shrink() {
        while (cursor_ != 0 && slots_[cursor_ - 1].is == Is::free) --cursor_;
        std::erase_if(free_, [this](slot_t slot) { return slot >= cursor_; });
        floored_ = true;
    }
    /// How many are recycled. The caller promises that no handle of theirs is left: they are forgotten.
    std::size_t recycle() {
        for (const slot_t slot : pending_)
            if (spent(slot)) return 0;
        for (slot_t slot = 0; slot != slot_count; ++slot) {
            if (slots_[slot].is != Is::retired) continue;
            slots_[slot].version = 0;
            put_back(slot);
            std::erase_if(issued_, [slot](H handle) { return handle.index() == slot; });
        }
        return std::exchange(retired_, 0);
    }

private:
    bool spent(slot_t slot) const { return retires && slots_[slot].version == H::max_version; }
    slot_t lowest() const {
        for (unsigned w = 0; w != 4; ++w)
            if (vacant_[w] != 0) return static_cast<slot_t>(64 * w) + static_cast<slot_t>(std::countr_zero(vacant_[w]));
        return no_slot;
    }
    void take(slot_t slot) {
        vacant_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
        if (slot >= cursor_)
            cursor_ = slot + 1;
        else
            std::erase(free_, slot);
    }
    void put_back(slot_t slot) {
        slots_[slot].is = Is::free;
        vacant_[slot / 64] |= std::uint64_t{1} << slot % 64;
        if (O.reuse != Reuse::lowest) free_.push_back(slot);
    }
    void release(slot_t slot) {
        if (!spent(slot)) return put_back(slot);
        slots_[slot].is = Is::retired;
        ++retired_;
    }

    std::array<Slot, slot_count> slots_{};
    std::array<slot_t, key_count> live_of_, waits_of_;
    std::array<std::uint64_t, 4> vacant_;
    std::vector<slot_t> pending_{}, free_{}; // the oldest first; vacant ones below the cursor
    std::vector<H> issued_{};
    std::size_t size_ = 0, retired_ = 0, reserved_ = 0;
    slot_t cursor_ = 0;
    bool floored_ = false; // memory was given back: versions may start higher
};

} // namespace test

#endif
