// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PresentRange: a walk over the elements that a container has when the walk begins, while anything is inserted and erased.
#ifndef SLOTWISE_SLOTS_PRESENT_RANGE_HPP
#define SLOTWISE_SLOTS_PRESENT_RANGE_HPP

#include "../core/iterator_facade.hpp"
#include "observer_hub.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The slots whose elements were there at the beginning and have stayed since: a copy of the liveness bits, and an observer
/// that clears the bit of each element that is removed. So a newcomer is not met wherever it comes: in a slot that was vacant,
/// in one that was vacated meanwhile, under a handle that was reserved before, or resurrected.
///
/// The copy takes a bit a slot. A high-water mark would take none: slots that are freed during the walk are then kept back, and
/// newcomers lie above the mark. But a program that inserts only during walks, as a game does in its update, would then never
/// reuse a slot.
template <class Bytes>
class PresentSlots final : private SlotObserver {
public:
    template <class Core>
    PresentSlots(Core& core, const Bytes& alloc) : slots_(copied(core, alloc)), token_(core.hub.watch(*this)) {}
    PresentSlots(const PresentSlots&) = delete;
    PresentSlots& operator=(const PresentSlots&) = delete;
    ~PresentSlots() override = default;

    /// A slot of the walk and the slots behind it in its word. The end is no_slot.
    struct Place {
        slot_t slot = no_slot;
        bits::word_t rest = 0;
    };
    /// At the first slot from word `w` on; at the end when there is none, or the container has other contents now.
    template <class Core>
    Place at_word(const Core& core, std::size_t w) const noexcept {
        if (!token_.attached() || !core.hub.watches(token_)) return {};
        for (; w != slots_.size(); ++w)
            if (slots_[w] != 0)
                if (const Place found = in_word(core, w, slots_[w]); found.slot != no_slot) return found;
        return {};
    }
    /// To the next slot.
    template <class Core>
    SLOTWISE_ALWAYS_INLINE void advance(const Core& core, Place& at) const noexcept {
        const std::size_t w = bits::word_of(at.slot);
        if (at.rest != 0 && token_.attached() && core.hub.watches(token_)) [[likely]] {
            at = in_word(core, w, at.rest & slots_[w]); // the word again, because elements may have been removed
            if (at.slot != no_slot) [[likely]]
                return;
        }
        at = at_word(core, w + 1);
    }
    /// Whether the element of a visited slot is still there.
    bool contains(slot_t slot) const noexcept {
        return bits::word_of(slot) < slots_.size() && (slots_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }

private:
    using Words = FlatArray<bits::word_t, Bytes>;
    template <class Core>
    SLOTWISE_ALWAYS_INLINE static Place in_word(const Core& core, std::size_t w, bits::word_t rest) noexcept {
        for (; rest != 0; rest &= rest - 1) {
            const auto slot = static_cast<slot_t>(w * bits::word_bits + bits::lowest(rest));
            // The element of a set bit may be no longer live, and not known to be removed yet: it is being extracted or
            // cleared.
            if (core.directory.is_live(slot)) [[likely]]
                return {slot, rest & (rest - 1)};
        }
        return {};
    }
    template <class Core>
    static Words copied(const Core& core, const Bytes& alloc) {
        const Occupancy live = core.directory.occupancy();
        Words words = Words(alloc).resized(live.words().size(), 0, alloc);
        for (std::size_t w = 0; w != words.size(); ++w) words[w] = live.word(w);
        if (core.clearing) // the slots that are still to be destroyed have a bit too, and may be reused before the walk ends
            live.for_each([&](slot_t slot) {
                if (!core.directory.is_live(slot)) words[bits::word_of(slot)] &= ~bits::bit_of(slot);
            });
        return words;
    }
    void on_capacity(slot_t before, slot_t) override {
        if (before == 0) drop_all(); // a replay: the contents were exchanged while the walk began
    }
    void on_remove(slot_t slot) noexcept override {
        if (bits::word_of(slot) < slots_.size()) slots_[bits::word_of(slot)] &= ~bits::bit_of(slot);
    }
    void on_clear(Occupancy cleared) noexcept override {
        for (std::size_t w = 0; w != cleared.words().size() && w != slots_.size(); ++w) slots_[w] &= ~cleared.word(w);
    }
    void on_reset() noexcept override { drop_all(); }
    void drop_all() noexcept {
        for (std::size_t w = 0; w != slots_.size(); ++w) slots_[w] = 0;
    }

    Words slots_;
    ObserverToken token_; // the last one: it detaches before anything is destroyed
};

/// The elements that were there when the range was made and are still there, in slot order. element(slot) is what is yielded.
/// It does not move, because the container refers to it: use it in a range-based for, or name it.
template <class Core, class At>
class PresentRange {
    using Reference = decltype(std::declval<const At&>()(slot_t{}));

    using Slots = PresentSlots<typename Core::Bytes>;

public:
    class iterator : public IteratorFacade<iterator, std::remove_cvref_t<Reference>, Reference> {
    public:
        iterator() noexcept = default;
        /// The slot of the element here; no_slot at the end.
        slot_t slot() const noexcept { return at_.slot; }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_.slot == b.at_.slot; }

    private:
        friend PresentRange;
        friend IteratorFacade<iterator, std::remove_cvref_t<Reference>, Reference>;
        iterator(const PresentRange* range, typename Slots::Place at) noexcept : range_(range), at_(at) {}
        Reference dereference() const {
            SLOTWISE_EXPECT_DEBUG(range_->present_.contains(at_.slot),
                                  "items_present() iterator: the element here was erased, or it is the end");
            return range_->element_(at_.slot);
        }
        SLOTWISE_ALWAYS_INLINE void increment() noexcept { range_->present_.advance(*range_->core_, at_); }

        const PresentRange* range_ = nullptr;
        typename Slots::Place at_{};
    };

    PresentRange(Core& core, At element)
        : core_(&core), element_(element), present_(core, typename Core::Bytes(core.allocator)) {}
    iterator begin() const noexcept { return {this, present_.at_word(*core_, 0)}; }
    iterator end() const noexcept { return {this, {}}; }

private:
    const Core* core_;
    At element_;
    Slots present_;
};
template <class Core, class At>
PresentRange(Core&, At) -> PresentRange<Core, At>;

} // namespace detail
SLOTWISE_END

#endif
