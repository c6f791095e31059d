// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaTracker: the exact changes since a window of time opened: the state then against the state now.
#ifndef SLOTWISE_SERIES_DELTA_TRACKER_HPP
#define SLOTWISE_SERIES_DELTA_TRACKER_HPP

#include "../memory/placed_array.hpp"
#include "delta_range.hpp"
#include "time_array.hpp"

SLOTWISE_BEGIN

/// Per-window deltas of any container's slots. A static observer, or a dynamic one through DynamicColumn. TSSStorage and
/// TSDStorage contain one.
///     SetStorage<int, DeltaTracker<>> set;   auto& delta = set.observer<DeltaTracker<>>();
///     delta.open(1);   set.insert(7);   for (slot_t slot : delta.added(1)) ...
/// The first touch of a slot in a window records whether it was live. Slots that are live now and were not are added. Slots
/// that were live and are not are removed. So any sequence of inserts and removes yields the net change without a search. In a
/// container without deferred erase a slot may be reused within the window: it is then both added and removed, and the key of
/// the removed element is lost. With deferred erase the key is readable until flush_removed(): flush first, then open the next
/// window. Cost: 6 bits a slot (dirty_list: 4 bytes more; adaptive: one bit more), and one more cache line at the first touch
/// of a slot.
/// @tparam R how touched slots are recorded, and in which order deltas come
template <class Time, DeltaRepresentation R, class Allocator>
class DeltaTracker {
    using word_t = bits::word_t;
    using Part = detail::DeltaPart;
    using Block = detail::FlatArray<word_t, Allocator>;
    using Openings = detail::PlacedArray<detail::OpeningState>;

public:
    using time_type = Time;
    using allocator_type = Allocator;
    /// Slots.
    using range = DeltaRange<Time>;
    /// No hook reads the container.
    using is_trivial_observer = void;
    /// How touched slots are recorded.
    static constexpr DeltaRepresentation representation = R;

    constexpr DeltaTracker() = default;
    constexpr explicit DeltaTracker(const Allocator& alloc) noexcept : block_(alloc), list_(alloc) {}
    /// For copied containers: the same window and deltas, in memory of `alloc`.
    constexpr DeltaTracker(const DeltaTracker& other, Occupancy, const Allocator& alloc) : DeltaTracker(alloc) {
        resize(other, other.now_.slot_count);
        now_.window = other.now_.window;
    }
    constexpr DeltaTracker(const DeltaTracker& other) : DeltaTracker(other, {}, other.list_.get_allocator()) {}
    constexpr DeltaTracker(DeltaTracker&& other) noexcept
        : block_(std::move(other.block_)), touched_(std::move(other.touched_)), live_(std::move(other.live_)),
          opening_(std::move(other.opening_)), list_(std::move(other.list_)), now_(std::exchange(other.now_, {})) {}
    /// The same in memory of `alloc`. @throws what the allocator throws; a moved-from source is unchanged then
    constexpr DeltaTracker(const DeltaTracker& other, const Allocator& alloc) : DeltaTracker(other, {}, alloc) {}
    constexpr DeltaTracker(DeltaTracker&& other, const Allocator& alloc) : DeltaTracker(alloc) {
        if (list_.get_allocator() != other.list_.get_allocator()) {
            resize(other, other.now_.slot_count);
            now_.window = other.now_.window;
            other.on_reset();
        } else
            swap(other);
    }
    constexpr DeltaTracker& operator=(DeltaTracker other) noexcept {
        swap(other);
        return *this;
    }
    ~DeltaTracker() = default;
    constexpr void swap(DeltaTracker& other) noexcept {
        block_.swap(other.block_);
        touched_.swap(other.touched_);
        live_.swap(other.live_);
        opening_.swap(other.opening_);
        list_.swap(other.list_);
        std::swap(now_, other.now_);
    }
    friend constexpr void swap(DeltaTracker& a, DeltaTracker& b) noexcept { a.swap(b); }
    /// For containers that move to an unequal allocator: copies words. @pre on_capacity() was called for the slots
    constexpr void take_from(DeltaTracker& other, Occupancy) noexcept {
        for (std::size_t w = 0; w < other.live_.size() && w < live_.size(); ++w) live_[w] = other.live_[w];
        restore_window(other.now_.window);
        other.walk_touched([&](slot_t slot) {
            if (slot >= now_.slot_count) return; // freed by shrink_to_fit: no element is there
            list(slot);
            opening_[bits::word_of(slot)] = other.opening_[bits::word_of(slot)];
        });
        now_.values_only = other.now_.values_only;
        now_.invalidated = other.now_.invalidated;
    }

    //=== windows ===//

    /// Opens window `time`, relative to now: all deltas are empty. A time that is not newer than the open window joins it.
    /// Returns whether a window was opened. @throws std::invalid_argument if time is TimeTraits<Time>::never() (or a NaN)
    /// @complexity linear in the slots touched in the window before; for bitmaps linear in all slots, a bit each
    constexpr bool open(Time time) {
        if (!detail::is_time(time))
            detail::throw_invalid_argument("open(time): time is \"never\", the lowest value of its type; give a later one");
        if (!(now_.window < time)) return false;
        if (!now_.values_only) reset_opening();
        walk_touched_words([this](std::size_t w) { touched_[w] = 0; });
        now_.listed = 0;
        now_.by_list = has_list;
        now_.invalidated = false;
        now_.window = time;
        return true;
    }
    /// The open window; never before the first one.
    constexpr Time window() const noexcept { return now_.window; }
    /// Whether `time` is the open window, which has deltas.
    constexpr bool current(Time time) const noexcept { return now_.is_current(time); }

    //=== deltas: slots, empty unless `time` is the open window ===//

    /// Live now, and not live (or another element) when the window opened.
    constexpr range added(Time time) const noexcept { return {now_, time, Part::added, {}}; }
    /// Live when the window opened, and not now.
    constexpr range removed(Time time) const noexcept { return {now_, time, Part::removed, {}}; }
    /// Inserted, removed or touched by touch() since the window opened.
    constexpr range touched(Time time) const noexcept { return {now_, time, Part::touched, {}}; }
    constexpr bool was_added(slot_t slot, Time time) const noexcept {
        return current(time) && now_.selected(slot, Part::added);
    }
    constexpr bool was_removed(slot_t slot, Time time) const noexcept {
        return current(time) && now_.selected(slot, Part::removed);
    }
    /// Whether the slot is in touched(time).
    constexpr bool was_touched(slot_t slot, Time time) const noexcept {
        return current(time) && now_.selected(slot, Part::touched);
    }

    //=== calls by the owner ===//

    /// The element in `slot` is about to change. @param was_valid whether it had a value until now; counts if this is the
    /// slot's first touch in the window @pre the slot is live
    SLOTWISE_ALWAYS_INLINE constexpr void touch(slot_t slot, bool was_valid = true) noexcept {
        if (!is_touched(slot) && tracking()) mark(slot, true, was_valid);
    }
    /// The same for an open window and an element with a value. Accesses only the slot's bit.
    SLOTWISE_ALWAYS_INLINE constexpr void touch_valid(slot_t slot) noexcept {
        // No branch on the bit: repeated writes are unpredictable, and a misprediction costs more than the store.
        auto& word = touched_[bits::word_of(slot)];
        const word_t before = word;
        word = before | bits::bit_of(slot);
        if (now_.by_list && (before & bits::bit_of(slot)) == 0) append(slot);
    }
    /// The element in `slot` is without a value, as if it had been removed and inserted again. @param was_valid as touch()
    /// @pre the slot is live
    constexpr void invalidate(slot_t slot, bool was_valid = true) noexcept {
        touch(slot, was_valid);
        if (tracking()) opening_at(slot).reinserted |= bits::bit_of(slot);
    }
    /// Makes the deltas of this window relative to an empty state. @pre no slot is live
    constexpr void invalidate_all() noexcept {
        if (!tracking()) return;
        walk_touched_words([this](std::size_t w) { opening_[w] = {touched_[w], touched_[w], 0, 0}; });
        now_.values_only = false;
        now_.invalidated = true;
    }
    /// `to` takes over the opening state of `from`: the same key had to get another slot. @pre both are touched
    constexpr void inherit(slot_t from, slot_t to) noexcept {
        auto& old = opening_at(from);
        auto& now = opening_at(to);
        const word_t from_bit = bits::bit_of(from), to_bit = bits::bit_of(to);
        if ((old.was_vacant & from_bit) == 0) now.was_vacant &= ~to_bit, now.reinserted |= to_bit;
        if ((old.was_invalid & from_bit) == 0) now.was_invalid &= ~to_bit;
        old.was_vacant |= from_bit;
        old.was_invalid |= from_bit;
    }
    /// The words that ranges read. @invalidates it when the tracker moves
    constexpr const detail::DeltaWords<Time>& words() const noexcept { return now_; }
    /// Whether deltas come in slot order now.
    constexpr bool in_slot_order() const noexcept { return !now_.by_list; }
    /// Makes the deltas of this window come in slot order from now on.
    constexpr void use_slot_order() noexcept { now_.by_list = now_.by_list && R == DeltaRepresentation::dirty_list; }
    /// Lists the next `count` touched slots, whatever their share: for restored snapshots, whose deltas keep their order.
    /// @throws what the allocator throws; strong
    constexpr void reserve_list(std::size_t count) {
        if (R != DeltaRepresentation::adaptive || count <= list_.size()) return;
        auto list = list_.resized(count, 0);
        list_.swap(list);
        now_.list = list_.data();
    }
    /// Restores the window, for snapshots.
    constexpr void restore_window(Time time) noexcept {
        now_.window = time;
        now_.by_list = has_list && tracking();
    }
    /// Restores that the window was made relative to an empty state, for snapshots.
    constexpr void restore_invalidated() noexcept {
        now_.invalidated = true;
        now_.values_only = false;
    }
    /// Restores the result of opening_flags(slot), for snapshots.
    constexpr void restore_opening(slot_t slot, unsigned flags) noexcept {
        if (!is_touched(slot)) mark(slot, (flags & 1) == 0, (flags & 2) == 0);
        if ((live_[bits::word_of(slot)] & bits::bit_of(slot)) == 0) now_.values_only = false;
        if ((flags & 4) != 0) opening_at(slot).ended |= bits::bit_of(slot);
        if ((flags & 8) != 0) opening_at(slot).reinserted |= bits::bit_of(slot);
    }
    /// 1: was not live, 2: was not valid, 4: another element was erased there, 8: inserted again.
    constexpr unsigned opening_flags(slot_t slot) const noexcept {
        const auto& opening = opening_[bits::word_of(slot)];
        const auto flag = [&](word_t word) { return (word & bits::bit_of(slot)) != 0 ? 1u : 0u; };
        return flag(opening.was_vacant) | flag(opening.was_invalid) << 1 | flag(opening.ended) << 2 |
               flag(opening.reinserted) << 3;
    }

    /// Bytes held from the allocator.
    constexpr std::size_t memory_usage() const noexcept { return detail::memory_of(block_, list_); }

    /// For tests: the list and the bits name the same slots, liveness is that of `live`, only live ones were valid.
    constexpr bool check_invariants(Occupancy live) const {
        bool sound = true;
        std::size_t touched = 0;
        for (slot_t slot = 0; slot != now_.slot_count; ++slot) {
            sound = sound && ((live_[bits::word_of(slot)] & bits::bit_of(slot)) != 0) == live.test(slot);
            const unsigned flags = opening_flags(slot);
            sound = sound && (flags == 0 || (is_touched(slot) && !now_.values_only)) && ((flags & 1) == 0 || (flags & 2) != 0);
            touched += is_touched(slot);
        }
        for (std::size_t i = 0; i != now_.listed; ++i) sound = sound && is_touched(now_.list[i]);
        return sound && (!now_.by_list || touched == now_.listed) && live.size() <= now_.slot_count &&
               (R != DeltaRepresentation::dirty_list || now_.by_list || !tracking());
    }

    //=== hooks ===//

    /// @throws what the allocator throws when it grows; nothing has changed then
    constexpr void on_capacity(slot_t old_slots, slot_t new_slots) {
        if (new_slots < old_slots || new_slots <= now_.slot_count) return; // bits of freed slots stay, as bits of vacant slots
        resize(*this, new_slots < 2 * now_.slot_count ? 2 * now_.slot_count : new_slots);
    }
    constexpr void on_insert(slot_t slot, InsertKind kind) noexcept {
        if (tracking()) {
            if (!is_touched(slot)) mark(slot, false, false);
            if (kind == InsertKind::resurrected) opening_at(slot).reinserted |= bits::bit_of(slot);
        }
        live_[bits::word_of(slot)] |= bits::bit_of(slot);
    }
    constexpr void on_remove(slot_t slot) noexcept {
        touch(slot);
        live_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        now_.values_only = now_.values_only && !tracking();
    }
    constexpr void on_erase(slot_t slot) noexcept {
        live_[bits::word_of(slot)] &= ~bits::bit_of(slot); // a rolled-back insert is no removal
        if (is_touched(slot)) opening_at(slot).ended |= bits::bit_of(slot);
    }
    constexpr void on_clear(Occupancy cleared) noexcept {
        cleared.for_each([this](slot_t slot) { on_remove(slot), on_erase(slot); });
    }
    /// The slots are gone, so the window ends.
    constexpr void on_reset() noexcept { *this = DeltaTracker(list_.get_allocator()); }

private:
    static constexpr bool has_list = R != DeltaRepresentation::bitmap;

    constexpr bool tracking() const noexcept { return now_.window != TimeTraits<Time>::never(); }
    constexpr bool is_touched(slot_t slot) const noexcept { return (touched_[bits::word_of(slot)] & bits::bit_of(slot)) != 0; }
    /// The opening state of the slot's word, to be changed. @pre the slot is touched
    constexpr detail::OpeningState& opening_at(slot_t slot) noexcept {
        now_.values_only = false;
        return opening_[bits::word_of(slot)];
    }
    /// @pre the slot is not touched yet
    constexpr void list(slot_t slot) noexcept {
        touched_[bits::word_of(slot)] |= bits::bit_of(slot);
        if (now_.by_list) append(slot);
    }
    constexpr void append(slot_t slot) noexcept {
        if (now_.listed != list_.size())
            list_[now_.listed++] = slot;
        else
            now_.by_list = false;
    }
    /// @pre the slot is not touched yet
    constexpr void mark(slot_t slot, bool was_live, bool was_valid) noexcept {
        list(slot);
        if (was_valid) return;
        auto& opening = opening_at(slot);
        opening.was_invalid |= bits::bit_of(slot);
        if (!was_live) opening.was_vacant |= bits::bit_of(slot);
    }
    constexpr void reset_opening() noexcept {
        walk_touched_words([this](std::size_t w) { opening_[w] = {}; });
        now_.values_only = true;
    }
    /// f(w) for every word with a touched slot, at least once.
    template <class F>
    constexpr void walk_touched_words(F&& f) noexcept {
        if (now_.by_list)
            for (std::size_t i = 0; i != now_.listed; ++i) f(bits::word_of(list_[i]));
        else
            for (std::size_t w = now_.next_word(0); w != touched_.size(); w = now_.next_word(w + 1)) f(w);
    }
    template <class F>
    constexpr void walk_touched(F&& f) const {
        for (const slot_t slot : range(now_, now_.window, Part::touched, {})) f(slot);
    }
    /// Makes the arrays copies of those of `other`, with room for `slots`.
    constexpr void resize(const DeltaTracker& other, std::size_t slot_count) {
        const Allocator alloc(list_.get_allocator());
        const std::size_t words = bits::word_count(slot_count);
        const std::size_t usual = words < 32 ? 64 : 2 * words, before = other.list_.size();
        const std::size_t few = usual < before ? before : usual; // more after reserve_list()
        auto block = Block::unmade(2 * words + Openings::words_for(words), alloc);
        auto list = other.list_.resized(R == DeltaRepresentation::dirty_list ? words * bits::word_bits
                                        : has_list                           ? few
                                                                             : 0,
                                        0, alloc);
        detail::ArrayPlace place{block.data()};
        other.touched_.resized(words, 0, place).swap(touched_);
        other.live_.resized(words, 0, place).swap(live_);
        other.opening_.resized(words, {}, place).swap(opening_);
        block_.swap(block);
        list_.swap(list);
        now_.listed = other.now_.listed;
        now_.values_only = other.now_.values_only;
        now_.invalidated = other.now_.invalidated;
        now_.by_list = other.now_.by_list;
        now_.touched = touched_.data();
        now_.live = live_.data();
        now_.opening = opening_.data();
        now_.list = list_.data();
        now_.slot_count = words * bits::word_bits;
    }

    Block block_; // what the next three lie in; no {}: an allocator without default constructor leaves this class without one
    detail::PlacedArray<word_t> touched_{}, live_{};
    Openings opening_{};
    detail::FlatArray<slot_t, Allocator> list_;
    detail::DeltaWords<Time> now_{}; // the same arrays, without owning them
};

#ifdef SLOTWISE_COMPILED
extern template class DeltaTracker<std::int64_t>;
#endif

SLOTWISE_END

#endif
