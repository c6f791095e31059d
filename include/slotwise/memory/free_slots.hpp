// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Free slot policies: which vacant slot comes next. None of them allocates when a slot is freed, and none keeps its links in
// the bytes of dead elements (a throwing constructor would scribble over them: plf_hive's defect).
//
// Default: see SlotMapOptions::reuse and bench/slot_map (churn rows).
#ifndef SLOTWISE_MEMORY_FREE_SLOTS_HPP
#define SLOTWISE_MEMORY_FREE_SLOTS_HPP

#include "occupancy.hpp"
#include "placed_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Common interface of the policies. A policy knows the vacant slots below the directory's cursor that may be handed out.
///   resized(slots, source) a copy for that many slots in memory of source; may throw
///   words_for(slots)       words that it takes of an ArrayPlace, if that is the source
///   size(), empty()
///   push(slot)             slot became vacant
///   next()                 the next one, no_slot when there is none
///   pop(vacant)            take the next one; vacant(word) gives the vacant bits of a word of 64 slots. @pre there is one
///   pops_at_once()         whether pop_at_once() may be called, which does the same in a few steps. @pre there is one
///   undo_pop(slot)         exactly undo the pop that gave slot
///   remove(slot, vacant)   take this one. @pre slot is in the policy; its vacant bit is already 0
///   undo_remove(slot, is_free)
///                          exactly undo the remove of slot, if its neighbours are still neighbours; is_free(slot) says which
///                          slots are in the policy
///   was_never_in(slot)     slot is taken without having been in the policy, and undo_remove(slot) may follow
///   clear()                forget all
///   order(f)               calls f(slot) in the order in which they would be handed out (list policies)
template <Reuse Policy, class Allocator, class Words = FlatArray<bits::word_t, Allocator>>
class FreeSlots;

/// Lowest first: one bit a word of 64 slots says that the word has a vacant slot. The occupancy words say which one. The lowest
/// slot is stored apart, and so may be the one after it. A full map that erases and inserts then touches neither the summary
/// nor a count (erase + insert at 1e5 cost 2.8x plain arrays without this, 1.1x with it). A map with holes whose low slots are
/// in use does not touch the summary either: what it erases comes before the lowest slot, which is then the one after it (171
/// instructions an erase + insert without this, 92 with it). Otherwise the successor is looked up when the lowest slot is
/// taken, so that nothing waits for it (17 ns if something does, 12 if not).
template <class Allocator, class Words>
class FreeSlots<Reuse::lowest, Allocator, Words> {
public:
    static constexpr std::size_t words_for(std::size_t slot_count) noexcept {
        return SummaryBits<Allocator, Words>::words_for(bits::word_count(slot_count));
    }
    constexpr FreeSlots() = default;
    template <class Source>
        requires(!std::is_same_v<Source, FreeSlots>)
    constexpr explicit FreeSlots(const Source& source) noexcept : words_(source) {}
    constexpr FreeSlots(FreeSlots&& other) noexcept
        : words_(std::move(other.words_)), lowest_(std::exchange(other.lowest_, no_slot)),
          second_(std::exchange(other.second_, no_slot)), more_(std::exchange(other.more_, 0)) {}

    template <class Source = const Allocator&>
    constexpr FreeSlots resized(std::size_t slot_count, Source&& source) const {
        FreeSlots result(source);
        auto words = words_.resized(bits::word_count(slot_count), source);
        result.words_.swap(words);
        result.lowest_ = lowest_;
        result.second_ = second_;
        result.more_ = more_;
        return result;
    }
    constexpr void swap(FreeSlots& other) noexcept {
        words_.swap(other.words_);
        std::swap(lowest_, other.lowest_);
        std::swap(second_, other.second_);
        std::swap(more_, other.more_);
    }

    constexpr std::size_t memory_usage() const noexcept { return words_.memory_usage(); }
    constexpr std::size_t size() const noexcept { return std::size_t{more_} + (lowest_ != no_slot) + (second_ != no_slot); }
    SLOTWISE_ALWAYS_INLINE constexpr bool empty() const noexcept { return lowest_ == no_slot; }

    SLOTWISE_ALWAYS_INLINE constexpr void push(slot_t slot) noexcept {
        if (lowest_ == no_slot)
            lowest_ = slot;
        else
            push_more(slot);
    }

    SLOTWISE_ALWAYS_INLINE constexpr slot_t next() const noexcept { return lowest_; }
    SLOTWISE_ALWAYS_INLINE constexpr bool pops_at_once() const noexcept { return more_ == 0 || second_ != no_slot; }
    SLOTWISE_ALWAYS_INLINE constexpr void pop_at_once() noexcept {
        lowest_ = second_;
        second_ = no_slot;
    }
    template <class Vacant>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t pop(Vacant&& vacant) noexcept {
        const slot_t slot = lowest_;
        if (pops_at_once())
            pop_at_once();
        else
            advance(vacant);
        return slot;
    }
    constexpr void undo_pop(slot_t slot) noexcept { push(slot); }

    template <class Vacant>
    constexpr void remove(slot_t slot, Vacant&& vacant) noexcept {
        if (slot == lowest_) {
            static_cast<void>(pop(vacant));
            return;
        }
        if (slot == second_) {
            second_ = no_slot;
            return;
        }
        --more_;
        if (listed(bits::word_of(slot), vacant) == 0) words_.reset(bits::word_of(slot));
    }
    template <class IsFree>
    constexpr void undo_remove(slot_t slot, IsFree&&) noexcept {
        push(slot);
    }
    static constexpr void was_never_in(slot_t) noexcept {}
    constexpr void clear() noexcept {
        words_.clear();
        lowest_ = second_ = no_slot;
        more_ = 0;
    }

    /// Whether the set is what is vacant in `words` words, the lowest stored apart; for check_invariants.
    template <class Vacant>
    constexpr bool is_sound(std::size_t words, Vacant&& vacant) const noexcept {
        std::size_t more = 0;
        const slot_t last_apart = second_ != no_slot ? second_ : lowest_;
        for (std::size_t w = 0; w < words; ++w) {
            const bits::word_t rest = listed(w, vacant);
            if (words_.test(w) != (rest != 0)) return false;
            if (rest != 0 && last_apart > w * bits::word_bits + bits::lowest(rest)) return false;
            more += bits::count(rest);
        }
        const auto is_vacant = [&](slot_t slot) {
            return slot == no_slot || (vacant(bits::word_of(slot)) & bits::bit_of(slot)) != 0;
        };
        return more == more_ && is_vacant(lowest_) && is_vacant(second_) && (second_ == no_slot || lowest_ < second_);
    }

private:
    /// The vacant slots of a word without those stored apart.
    template <class Vacant>
    constexpr bits::word_t listed(std::size_t w, Vacant&& vacant) const noexcept {
        bits::word_t word = vacant(w);
        for (const slot_t apart : {lowest_, second_})
            if (apart != no_slot && bits::word_of(apart) == w) word &= ~bits::bit_of(apart);
        return word;
    }
    // Out of line: it would fill the registers of callers whose map is full and never needs it.
    SLOTWISE_NEVER_INLINE constexpr void push_more(slot_t slot) noexcept {
        if (slot < lowest_) {
            std::swap(slot, lowest_);
            std::swap(slot, second_); // the lowest becomes the second
            if (slot == no_slot) return;
        } else if (slot < second_ && (second_ != no_slot || more_ == 0)) {
            std::swap(slot, second_);
            if (slot == no_slot) return;
        }
        words_.set(bits::word_of(slot));
        ++more_;
    }
    /// The next ones come to the front. @pre more_ != 0, and no second one is stored apart
    template <class Vacant>
    SLOTWISE_ALWAYS_INLINE constexpr void advance(Vacant&& vacant) noexcept {
        const std::size_t w = words_.lowest();
        bits::word_t word = vacant(w);
        if (w == bits::word_of(lowest_)) word &= ~bits::bit_of(lowest_); // it may still be marked vacant
        advance_to(w, word);
    }
    SLOTWISE_ALWAYS_INLINE constexpr void advance_to(std::size_t w, bits::word_t word) noexcept {
        const auto first = static_cast<slot_t>(w * bits::word_bits);
        lowest_ = first + bits::lowest(word);
        word &= word - 1;
        --more_;
        if (word != 0) { // two at a time: half as many calls
            second_ = first + bits::lowest(word);
            word &= word - 1;
            --more_;
        }
        if (word == 0) words_.reset(w);
    }

    SummaryBits<Allocator, Words> words_{};
    slot_t lowest_ = no_slot; // kept out of words_; no_slot: the set is empty
    slot_t second_ = no_slot; // kept out of words_; no_slot: it is in them, if there is one
    slot_t more_ = 0;         // slots in words_
};

/// Lists, last in first out or first in first out: two links a slot, so that insert_at takes a slot out of the middle in O(1).
/// The links have no value until a slot is in the list, and an empty list is not copied when it grows: an insert grows only an
/// empty one (copied links took an insert without reserve from 4.6 to 7.8 ns at 1e5).
template <Reuse Policy, class Allocator, class Words>
class FreeSlots {
    static constexpr bool is_queue = Policy == Reuse::fifo;
    struct Link {
        slot_t next;
        slot_t previous;
    };
    static constexpr bool placed = std::is_same_v<Words, PlacedArray<bits::word_t>>;
    using Links = std::conditional_t<placed, PlacedArray<Link>, FlatArray<Link, Allocator>>;

public:
    static constexpr std::size_t words_for(std::size_t slot_count) noexcept { return PlacedArray<Link>::words_for(slot_count); }
    constexpr FreeSlots() = default;
    template <class Source>
        requires(!std::is_same_v<Source, FreeSlots>)
    constexpr explicit FreeSlots(const Source& source) noexcept : links_(source) {}
    constexpr FreeSlots(FreeSlots&& other) noexcept
        : links_(std::move(other.links_)), head_(std::exchange(other.head_, no_slot)),
          tail_(std::exchange(other.tail_, no_slot)), count_(std::exchange(other.count_, 0)),
          removes_(std::exchange(other.removes_, false)) {}

    template <class Source = const Allocator&>
    constexpr FreeSlots resized(std::size_t slot_count, Source&& source) const {
        FreeSlots result(source);
        // A slot that was removed needs its links too, if that is undone.
        const std::size_t own = links_.size() < slot_count ? links_.size() : slot_count;
        auto links = Links::unmade(slot_count, source);
        const std::size_t kept = count_ != 0 || removes_ ? own : 0;
        for (std::size_t slot = 0; slot < kept; ++slot) std::construct_at(links.data() + slot, links_[slot]);
        if (SLOTWISE_IN_CONSTANT)
            for (std::size_t slot = kept; slot < slot_count; ++slot) std::construct_at(links.data() + slot, Link{0, 0});
        result.links_.swap(links);
        result.head_ = head_;
        result.tail_ = tail_;
        result.count_ = count_;
        result.removes_ = removes_;
        return result;
    }
    constexpr void swap(FreeSlots& other) noexcept {
        links_.swap(other.links_);
        std::swap(head_, other.head_);
        std::swap(tail_, other.tail_);
        std::swap(count_, other.count_);
        std::swap(removes_, other.removes_);
    }

    constexpr std::size_t memory_usage() const noexcept { return links_.memory_usage(); }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }

    SLOTWISE_ALWAYS_INLINE constexpr void push(slot_t slot) noexcept {
        if constexpr (is_queue)
            push_back(slot);
        else
            push_front(slot);
    }

    SLOTWISE_ALWAYS_INLINE constexpr slot_t next() const noexcept { return head_; }
    static constexpr bool pops_at_once() noexcept { return true; }
    SLOTWISE_ALWAYS_INLINE constexpr void pop_at_once() noexcept {
        --count_;
        head_ = links_[head_].next;
        if (is_queue && head_ == no_slot) tail_ = no_slot;
    }
    template <class Vacant>
    constexpr slot_t pop(Vacant&&) noexcept {
        const slot_t slot = head_;
        pop_at_once();
        return slot;
    }
    constexpr void undo_pop(slot_t slot) noexcept { push_front(slot); }

    template <class Vacant>
    constexpr void remove(slot_t slot, Vacant&&) noexcept {
        const Link link = links_[slot];
        const slot_t previous = slot == head_ ? no_slot : link.previous; // the head's own link back is stale, see pop
        (slot == head_ ? head_ : links_[previous].next) = link.next;
        (link.next == no_slot ? tail_ : links_[link.next].previous) = previous;
        --count_;
        removes_ = true;
    }
    /// `slot` may be named by undo_remove() without having been in the list.
    constexpr void was_never_in(slot_t slot) noexcept {
        links_[slot] = {no_slot, no_slot};
        removes_ = true;
    }
    template <class IsFree>
    constexpr void undo_remove(slot_t slot, IsFree&& is_free) noexcept {
        const Link link = links_[slot]; // remove() left it as it was
        // A neighbour that was popped meanwhile still has its links: they say nothing unless it is in the list.
        if (head_ == link.next || link.previous == no_slot || !is_free(link.previous) ||
            links_[link.previous].next != link.next)
            return push_front(slot);
        links_[link.previous].next = slot;
        (link.next == no_slot ? tail_ : links_[link.next].previous) = slot;
        ++count_;
    }
    constexpr void clear() noexcept {
        head_ = tail_ = no_slot;
        count_ = 0;
    }

    template <class F>
    constexpr void order(F&& f) const {
        for (slot_t slot = head_; slot != no_slot; slot = links_[slot].next) f(slot);
    }
    /// Whether ends, count and links agree, and is_member(slot) of each; for check_invariants. It terminates for any links.
    template <class IsMember>
    constexpr bool is_sound(IsMember&& is_member) const {
        slot_t slot = head_, previous = no_slot;
        for (slot_t n = 0; n != count_; ++n) {
            const bool linked = slot < links_.size() && (n == 0 || links_[slot].previous == previous); // of the head: see pop
            if (!linked || !is_member(slot)) return false;
            previous = std::exchange(slot, links_[slot].next);
        }
        return slot == no_slot && (!is_queue || previous == tail_);
    }

private:
    SLOTWISE_ALWAYS_INLINE constexpr void push_front(slot_t slot) noexcept {
        links_[slot] = {head_, no_slot};
        if (head_ != no_slot)
            links_[head_].previous = slot;
        else if (is_queue)
            tail_ = slot;
        head_ = slot;
        ++count_;
    }
    constexpr void push_back(slot_t slot) noexcept {
        links_[slot] = {no_slot, tail_};
        if (tail_ == no_slot)
            head_ = slot;
        else
            links_[tail_].next = slot;
        tail_ = slot;
        ++count_;
    }

    Links links_{};
    slot_t head_ = no_slot;
    slot_t tail_ = no_slot; // of the queue; a stack needs none
    slot_t count_ = 0;
    bool removes_ = false; // remove() was called: what it may have to undo is copied
};

/// The summary of the liveness words: which of them are not 0. Words of fresh slots, from the cursor on, are set in advance, so
/// that taking a slot does not check them: the check cost 0.3 of 2.6 ns. Up to 16 words have no summary: a walk through them
/// costs no more, and small containers save the memory.
template <class Allocator, class Words = FlatArray<bits::word_t, Allocator>>
class LiveSummary {
    static constexpr std::size_t few_words = 16;

public:
    /// The words that the summary of so many words takes.
    static constexpr std::size_t words_for(std::size_t words) noexcept {
        return words <= few_words ? 0 : SummaryBits<Allocator, Words>::words_for(words);
    }
    constexpr LiveSummary() = default;
    /// A summary of `words` words, which begin with those of `live`. @throws what the allocator throws
    template <class Source = const Allocator&>
    constexpr LiveSummary(const Words& live, std::size_t words, slot_t cursor, Source&& source) : bits_(source) {
        if (words <= few_words) return;
        SummaryBits<Allocator, Words>::covering(words, source).swap(bits_);
        rebuild(live, cursor);
    }
    constexpr void swap(LiveSummary& other) noexcept { bits_.swap(other.bits_); }
    SLOTWISE_ALWAYS_INLINE constexpr SummaryView view() const noexcept { return bits_.view(); }

    /// To be called when word `w` has become 0 or non-zero, or the cursor has passed it. Rare, so callers do not inline it.
    constexpr void update(const Words& live, std::size_t w, slot_t cursor) noexcept {
        if (bits_.empty()) return;
        if (has(live, w, cursor))
            bits_.set(w);
        else
            bits_.reset(w);
    }
    /// To be called when the words were written directly.
    constexpr void rebuild(const Words& live, slot_t cursor) noexcept {
        if (bits_.empty()) return;
        bits_.clear();
        const std::size_t fresh = bits::word_of(cursor);
        for (std::size_t w = 0; w < fresh && w < live.size(); ++w) // read from a snapshot, the cursor comes before the words
            if (live[w] != 0) bits_.set(w);
        bits_.set_from(fresh);
    }
    constexpr bool is_sound(const Words& live, slot_t cursor) const noexcept {
        for (std::size_t w = 0; w < live.size() && !bits_.empty(); ++w)
            if (bits_.test(w) != has(live, w, cursor)) return false;
        return true;
    }

private:
    static constexpr bool has(const Words& live, std::size_t w, slot_t cursor) noexcept {
        return live[w] != 0 || w >= bits::word_of(cursor);
    }

    SummaryBits<Allocator, Words> bits_{};
};

} // namespace detail
SLOTWISE_END

#endif
