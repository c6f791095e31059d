// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The walks over a SwitchMap: by value, and by id.
#ifndef SLOTWISE_SPARSE_SWITCH_ITERATOR_HPP
#define SLOTWISE_SPARSE_SWITCH_ITERATOR_HPP

#include "../core/iterator_facade.hpp"
#include "../fwd.hpp"

#include <span>

SLOTWISE_BEGIN
namespace detail {

/// What the walk by value yields.
template <class Id, class Value>
struct SwitchItem {
    const Value& value;
    std::span<const Id> ids;
};

/// At a value that has ids. It knows a place in the list of values, so that it stays valid when values after it come and go.
template <class Buckets>
class SwitchIterator : public IteratorFacade<SwitchIterator<Buckets>, typename Buckets::Item, typename Buckets::Item,
                                             std::bidirectional_iterator_tag> {
    using Item = typename Buckets::Item;
    friend IteratorFacade<SwitchIterator, Item, Item, std::bidirectional_iterator_tag>;

public:
    SwitchIterator() noexcept = default;
    /// For the map: at this place.
    SwitchIterator(const Buckets& buckets, slot_t place) noexcept : buckets_(std::addressof(buckets)), place_(place) {}
    friend bool operator==(const SwitchIterator& a, const SwitchIterator& b) noexcept { return a.place_ == b.place_; }

private:
    Item dereference() const noexcept {
        const auto& bucket = buckets_->listed(place_);
        return {bucket.value, bucket.span()};
    }
    void increment() noexcept { ++place_; }
    void decrement() noexcept { --place_; }

    const Buckets* buckets_ = nullptr;
    slot_t place_ = 0;
};

/// At an id that has a value.
template <class Buckets>
class SwitchIdIterator
    : public IteratorFacade<SwitchIdIterator<Buckets>, typename Buckets::id_type, const typename Buckets::id_type&> {
    using Id = typename Buckets::id_type;
    friend IteratorFacade<SwitchIdIterator, Id, const Id&>;

public:
    SwitchIdIterator() noexcept = default;
    /// For the map: at the first id of a value.
    explicit SwitchIdIterator(SwitchIterator<Buckets> item) noexcept : item_(item) {}
    /// The value of the id here. @pre not at the end
    const auto& value() const noexcept { return (*item_).value; }
    friend bool operator==(const SwitchIdIterator& a, const SwitchIdIterator& b) noexcept {
        return a.item_ == b.item_ && a.row_ == b.row_;
    }

private:
    const Id& dereference() const noexcept { return (*item_).ids[row_]; }
    void increment() noexcept {
        if (++row_ != (*item_).ids.size()) return;
        row_ = 0;
        ++item_;
    }

    SwitchIterator<Buckets> item_{};
    std::size_t row_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
