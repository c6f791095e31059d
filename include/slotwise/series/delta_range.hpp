// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaRange: the slots, keys or items with changes of one kind in one window.
#ifndef SLOTWISE_SERIES_DELTA_RANGE_HPP
#define SLOTWISE_SERIES_DELTA_RANGE_HPP

#include "../core/detail/iterators.hpp"
#include "../slots/column_view.hpp"
#include "../slots/slot_range.hpp"
#include "time_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// How 64 touched slots differ from the usual case: live with a value when the window opened, and the same element now. One bit
/// each, 0 for untouched slots. A write of a value need not read it.
struct OpeningState {
    bits::word_t was_vacant = 0;  ///< the slot was vacant
    bits::word_t was_invalid = 0; ///< the slot was vacant, or its element had no value
    bits::word_t ended = 0;       ///< an element was erased there: another one is there now, under another key
    bits::word_t reinserted = 0;  ///< the element was removed and inserted again, under the same key
};

/// Which of the touched slots.
enum class DeltaPart : std::uint8_t { touched, added, removed, modified, updated, dropped, reset };

/// The state of a DeltaTracker of any representation and allocator: the words that ranges read. Owns nothing.
template <class Time>
struct DeltaWords {
    bits::word_t* touched = nullptr;
    const bits::word_t* live = nullptr;
    OpeningState* opening = nullptr;
    slot_t* list = nullptr; ///< of touched slots, while they fit
    std::size_t listed = 0;
    std::size_t slot_count = 0; ///< 64 times the words
    Time window = TimeTraits<Time>::never();
    bool by_list = false;     ///< the list is complete; otherwise ranges walk the words of `touched`
    bool invalidated = false; ///< the whole was invalidated in the window: all deltas are relative to an empty state
    bool values_only = true;  ///< only values were written: all touched slots are live, and all opening states are zero

    /// Whether a window with only values written can have this part.
    static constexpr bool is_value_part(DeltaPart part) noexcept {
        return part == DeltaPart::touched || part == DeltaPart::modified || part == DeltaPart::updated;
    }
    constexpr bits::word_t select(std::size_t w, DeltaPart part) const noexcept {
        if (values_only) return is_value_part(part) ? touched[w] : 0;
        const bits::word_t any = touched[w], now = live[w];
        const OpeningState& differs = opening[w];
        switch (part) {
        case DeltaPart::added:
            return any & now & (differs.was_vacant | differs.ended);
        case DeltaPart::removed:
            return any & ~differs.was_vacant & (~now | differs.ended);
        case DeltaPart::modified:
            return any & now;
        case DeltaPart::updated:
            return any & now & ~(differs.was_vacant | differs.ended);
        case DeltaPart::dropped:
            return any & ~differs.was_invalid & (~now | differs.ended);
        case DeltaPart::reset:
            return any & now & ~differs.was_vacant & differs.reinserted;
        case DeltaPart::touched:
            break;
        }
        return any;
    }
    /// Whether a live touched slot was certainly written. Otherwise its stamp decides.
    constexpr bool surely_written(slot_t slot) const noexcept {
        if (values_only) return true;
        const OpeningState& differs = opening[bits::word_of(slot)];
        return ((differs.was_vacant | differs.was_invalid | differs.ended | differs.reinserted) & bits::bit_of(slot)) == 0;
    }
    constexpr bool is_current(const Time& time) const noexcept { return time == window && time != TimeTraits<Time>::never(); }
    /// The first word at or after `w` in which a slot was touched, or the number of words.
    constexpr std::size_t next_word(std::size_t w) const noexcept {
        const std::size_t end = slot_count / bits::word_bits;
        while (w + 4 <= end && (touched[w] | touched[w + 1] | touched[w + 2] | touched[w + 3]) == 0) w += 4;
        while (w < end && touched[w] == 0) ++w;
        return w < end ? w : end;
    }
    constexpr bool selected(slot_t slot, DeltaPart part) const noexcept {
        return slot < slot_count && (select(bits::word_of(slot), part) & bits::bit_of(slot)) != 0;
    }
};

/// What a range yields of a slot: its number, its key, or its key and value.
template <class... Columns>
struct DeltaReference {
    using type = slot_t;
};
template <class Key>
struct DeltaReference<Key> {
    using type = const Key&;
};
template <class Key, class T>
struct DeltaReference<Key, T> {
    using type = MapItem<Key, const T>;
};
template <class... Columns>
constexpr auto read_slot(slot_t slot, const std::tuple<PageView<const Columns>...>& columns) noexcept ->
    typename DeltaReference<Columns...>::type {
    if constexpr (sizeof...(Columns) == 0)
        return slot;
    else if constexpr (sizeof...(Columns) == 1)
        return *std::get<0>(columns).ptr(slot);
    else
        return {*std::get<0>(columns).ptr(slot), *std::get<1>(columns).ptr(slot)};
}

} // namespace detail

/// The changes of one kind in one window: slot numbers, keys, or items (key and value), in an order that depends only on the
/// calls (see DeltaRepresentation). A forward range that reads the container while it is walked. Empty unless its time is the
/// open window, also when that window rolls after the range was made.
/// @tparam Columns none: yields slot_t; a Key: const Key&; Key and T: MapItem<Key, const T>, which binds as auto [key, value]
/// @invalidates itself when the container grows, shrinks or moves, and when an element is inserted, removed or written during
/// the walk
template <class Time, class... Columns>
class DeltaRange {
    using reference_type = typename detail::DeltaReference<Columns...>::type;

public:
    /// Walks the list of touched slots, or the words of their bits.
    class iterator : public detail::IteratorFacade<iterator, std::remove_cvref_t<reference_type>, reference_type> {
    public:
        constexpr iterator() noexcept = default;
        /// The slot here; no_slot at the end. Key and value of a removed element are readable by it until the window rolls.
        constexpr slot_t slot() const noexcept { return slot_; }
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.slot_ == b.slot_; }

    private:
        friend DeltaRange;
        friend detail::IteratorFacade<iterator, std::remove_cvref_t<reference_type>, reference_type>;
        constexpr explicit iterator(const DeltaRange& range) noexcept : range_(range) {
            if (!range_.words_->by_list) move_to(0);
            increment();
        }
        constexpr reference_type dereference() const noexcept { return detail::read_slot<Columns...>(slot_, range_.columns_); }
        constexpr bool stamped(slot_t slot) const noexcept {
            if (range_.stamps_.pages == nullptr) return true;
            const bool written = range_.part_ == detail::DeltaPart::modified || range_.part_ == detail::DeltaPart::updated;
            if (written && range_.words_->surely_written(slot)) return true;
            return *range_.stamps_.ptr(slot) == range_.stamp_;
        }
        constexpr void increment() noexcept {
            const auto& words = *range_.words_;
            if (words.by_list) {
                while (at_ < words.listed) {
                    slot_ = words.list[at_++];
                    if (words.values_only || (words.selected(slot_, range_.part_) && stamped(slot_))) return;
                }
                slot_ = no_slot;
                return;
            }
            for (const std::size_t end = words.slot_count / bits::word_bits; at_ < end; move_to(at_ + 1))
                while (rest_ != 0) {
                    slot_ = static_cast<slot_t>(at_ * bits::word_bits + bits::lowest(rest_));
                    rest_ &= rest_ - 1;
                    if (stamped(slot_)) return;
                }
            slot_ = no_slot;
        }
        constexpr void move_to(std::size_t w) noexcept {
            at_ = range_.words_->next_word(w);
            rest_ = at_ * bits::word_bits != range_.words_->slot_count ? range_.words_->select(at_, range_.part_) : 0;
        }

        DeltaRange range_{};
        std::size_t at_ = 0; // place in the list, or the current word
        bits::word_t rest_ = 0;
        slot_t slot_ = no_slot;
    };

    constexpr DeltaRange() noexcept = default;
    /// For trackers and series. @param stamps if there are pages: only slots whose stamp is `stamp`
    constexpr DeltaRange(const detail::DeltaWords<Time>& words, Time window, detail::DeltaPart part,
                         std::tuple<detail::PageView<const Columns>...> columns, detail::PageView<const Time> stamps = {},
                         Time stamp = {}) noexcept
        : words_(&words), window_(window), stamp_(stamp), part_(part), stamps_(stamps), columns_(columns) {}

    constexpr iterator begin() const noexcept { return has_any() ? iterator(*this) : end(); }
    constexpr iterator end() const noexcept { return {}; }
    constexpr bool empty() const noexcept { return begin() == end(); }
    /// The number of changes. @complexity linear in touched slots
    constexpr std::size_t size() const noexcept {
        std::size_t count = 0;
        for (auto it = begin(); it != end(); ++it) ++count;
        return count;
    }

private:
    constexpr bool has_any() const noexcept {
        return words_ != nullptr && words_->is_current(window_) && (!words_->values_only || words_->is_value_part(part_));
    }

    const detail::DeltaWords<Time>* words_ = nullptr;
    Time window_{}, stamp_{};
    detail::DeltaPart part_ = detail::DeltaPart::touched;
    detail::PageView<const Time> stamps_{};
    std::tuple<detail::PageView<const Columns>...> columns_{};
};

namespace detail {

/// The members of a dictionary over time that were ever written: the live slots whose stamp is not "never", in slot order. A
/// forward range.
/// @tparam Columns none: yields slots; a Key: const Key&; Key and T: MapItem<Key, const T>
template <class Time, class... Columns>
class ValidRange {
    using reference_type = typename DeltaReference<Columns...>::type;
    using slot_iterator = decltype(std::declval<const SlotRange&>().begin());

public:
    class iterator : public IteratorFacade<iterator, std::remove_cvref_t<reference_type>, reference_type> {
    public:
        constexpr iterator() noexcept = default;
        /// The slot here.
        constexpr slot_t slot() const noexcept { return *at_; }
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        friend ValidRange;
        friend IteratorFacade<iterator, std::remove_cvref_t<reference_type>, reference_type>;
        constexpr iterator(const ValidRange& range, slot_iterator at) noexcept : range_(range), at_(at) { skip(); }
        constexpr reference_type dereference() const noexcept { return read_slot<Columns...>(slot(), range_.columns_); }
        constexpr void increment() noexcept {
            ++at_;
            skip();
        }
        constexpr void skip() noexcept {
            while (at_ != range_.slots_.end() && *range_.stamps_.ptr(*at_) == TimeTraits<Time>::never()) ++at_;
        }

        ValidRange range_{};
        slot_iterator at_{};
    };

    constexpr ValidRange() noexcept = default;
    constexpr ValidRange(SlotRange live, PageView<const Time> stamps, std::tuple<PageView<const Columns>...> columns) noexcept
        : slots_(live), stamps_(stamps), columns_(columns) {}

    constexpr iterator begin() const noexcept { return {*this, slots_.begin()}; }
    constexpr iterator end() const noexcept { return {*this, slots_.end()}; }
    constexpr bool empty() const noexcept { return begin() == end(); }

private:
    SlotRange slots_{};
    PageView<const Time> stamps_{};
    std::tuple<PageView<const Columns>...> columns_{};
};

} // namespace detail
SLOTWISE_END

/// They own nothing. Iterators outlive them.
template <class Time, class... Columns>
inline constexpr bool std::ranges::enable_view<slotwise::DeltaRange<Time, Columns...>> = true;
template <class Time, class... Columns>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::DeltaRange<Time, Columns...>> = true;
template <class Time, class... Columns>
inline constexpr bool std::ranges::enable_view<slotwise::detail::ValidRange<Time, Columns...>> = true;
template <class Time, class... Columns>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::ValidRange<Time, Columns...>> = true;

#endif
