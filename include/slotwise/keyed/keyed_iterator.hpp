// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Iterators of keyed containers: one class for keys and items, const and not.
#ifndef SLOTWISE_KEYED_KEYED_ITERATOR_HPP
#define SLOTWISE_KEYED_KEYED_ITERATOR_HPP

#include "../core/insert_result.hpp"
#include "../core/item.hpp"
#include "../core/iterator_facade.hpp"
#include "../slots/slot_range.hpp"

SLOTWISE_BEGIN

namespace detail {

/// A live slot of `Owner`, in slot order. Survives growth and the erase of any element: ++ from an erased element goes to the
/// next live one. An element inserted meanwhile may be visited if its slot lies ahead.
template <class Owner, class Reference>
class KeyedIterator : public IteratorFacade<KeyedIterator<Owner, Reference>, std::remove_cvref_t<Reference>, Reference,
                                            std::bidirectional_iterator_tag> {
public:
    constexpr KeyedIterator() noexcept = default;
    constexpr KeyedIterator(Owner* owner, slot_t slot) noexcept : owner_(owner), at_(slot) {}
    /// iterator to const_iterator.
    template <class Other, class R>
        requires(std::is_const_v<Owner> && std::is_same_v<const Other, Owner> && !std::is_const_v<Other>)
    constexpr KeyedIterator(const KeyedIterator<Other, R>& other) noexcept : owner_(other.owner_), at_(other.at_) {}

    /// The slot of the element here; no_slot at the end.
    SLOTWISE_ALWAYS_INLINE constexpr slot_t slot() const noexcept { return at_.slot(); }
    /// Its handle. @pre not at the end
    constexpr auto handle() const noexcept { return owner_->handle_at(slot()); }
    SLOTWISE_ALWAYS_INLINE friend constexpr bool operator==(const KeyedIterator& a, const KeyedIterator& b) noexcept {
        return a.at_ == b.at_;
    }

private:
    template <class, class>
    friend class KeyedIterator;
    friend IteratorFacade<KeyedIterator, std::remove_cvref_t<Reference>, Reference, std::bidirectional_iterator_tag>;
    SLOTWISE_ALWAYS_INLINE constexpr Reference dereference() const {
        SLOTWISE_EXPECT_DEBUG(owner_->occupancy().test(slot()),
                              "keyed iterator: the element here was erased, or it is the end");
        return owner_->element_at(slot());
    }
    SLOTWISE_ALWAYS_INLINE constexpr void increment() noexcept {
        at_.advance_in([this] { return owner_->occupancy(); });
    }
    constexpr void decrement() noexcept { at_.step_back(owner_->occupancy()); }

    Owner* owner_ = nullptr;
    LiveCursor at_{};
};

} // namespace detail
SLOTWISE_END

#endif
