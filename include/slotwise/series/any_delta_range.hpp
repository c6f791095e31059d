// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyDeltaRange: the addresses of keys, or of items, that one window has changed in one way. AnyValidRange: of those that were
// ever written.
#ifndef SLOTWISE_SERIES_ANY_DELTA_RANGE_HPP
#define SLOTWISE_SERIES_ANY_DELTA_RANGE_HPP

#include "../keyed/any_storage.hpp"
#include "valid_range.hpp"

SLOTWISE_BEGIN
namespace detail {

template <bool Items>
using AnyReference = std::conditional_t<Items, AnyMapItem<const void>, const void*>;

/// Walks as an iterator of slots does, and yields what has the slot.
template <class Slots, bool Items>
class AnySlotIterator : public IteratorFacade<AnySlotIterator<Slots, Items>, AnyReference<Items>, AnyReference<Items>> {
public:
    AnySlotIterator() noexcept = default;
    AnySlotIterator(const Slots& at, const AnyPages& keys, const AnyPages& values) noexcept
        : at_(at), keys_(keys), values_(values) {}
    /// The slot here; no_slot at the end.
    slot_t slot() const noexcept { return at_.slot(); }
    friend bool operator==(const AnySlotIterator& a, const AnySlotIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<AnySlotIterator, AnyReference<Items>, AnyReference<Items>>;
    AnyReference<Items> dereference() const noexcept {
        if constexpr (Items)
            return {keys_.ptr(slot()), values_.ptr(slot())};
        else
            return keys_.ptr(slot());
    }
    void increment() noexcept { ++at_; }

    Slots at_{};
    AnyPages keys_{}, values_{};
};

/// As ValidRange, of a dictionary whose types are described.
template <class Time, bool Items>
class AnyValidRange {
public:
    using iterator = AnySlotIterator<typename ValidRange<Time>::iterator, Items>;

    AnyValidRange() noexcept = default;
    AnyValidRange(const ValidRange<Time>& range, const AnyPages& keys, const AnyPages& values = {}) noexcept
        : slots_(range), keys_(keys), values_(values) {}
    iterator begin() const noexcept { return {slots_.begin(), keys_, values_}; }
    iterator end() const noexcept { return {slots_.end(), keys_, values_}; }
    bool empty() const noexcept { return slots_.empty(); }

private:
    ValidRange<Time> slots_{};
    AnyPages keys_{}, values_{};
};

} // namespace detail

/// As DeltaRange, of a series whose types are described: it yields the address of a key, or those of key and value, which bind
/// as auto [key, value]. Empty unless its time is the open window, also when that window rolls after the range was made.
/// @invalidates itself as DeltaRange does
template <class Time, bool Items>
class AnyDeltaRange {
public:
    using iterator = detail::AnySlotIterator<typename DeltaRange<Time>::iterator, Items>;

    AnyDeltaRange() noexcept = default;
    /// For series: the changed slots, and where keys and values lie.
    AnyDeltaRange(const DeltaRange<Time>& range, const detail::AnyPages& keys, const detail::AnyPages& values = {}) noexcept
        : slots_(range), keys_(keys), values_(values) {}

    iterator begin() const noexcept { return iterator(slots_.begin(), keys_, values_); }
    iterator end() const noexcept { return iterator(slots_.end(), keys_, values_); }
    bool empty() const noexcept { return slots_.empty(); }
    /// The number of changes.
    std::size_t size() const noexcept { return slots_.size(); }
    /// The same changes as slot numbers.
    const DeltaRange<Time>& slot_range() const noexcept { return slots_; }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; slot_range() also compiles where Qt defines `slots`.
    const DeltaRange<Time>& slots() const noexcept { return slots_; }
#pragma pop_macro("slots")

private:
    DeltaRange<Time> slots_{};
    detail::AnyPages keys_{}, values_{};
};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_view<slotwise::AnyDeltaRange<Time, Items>> = true;
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::AnyDeltaRange<Time, Items>> = true;
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_view<slotwise::detail::AnyValidRange<Time, Items>> = true;
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::AnyValidRange<Time, Items>> = true;

#endif
