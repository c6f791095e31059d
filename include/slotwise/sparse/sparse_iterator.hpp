// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseIterator: the walk over a sparse container, from the last row to the first.
#ifndef SLOTWISE_SPARSE_SPARSE_ITERATOR_HPP
#define SLOTWISE_SPARSE_SPARSE_ITERATOR_HPP

#include "../core/iterator_facade.hpp"
#include "../fwd.hpp"

SLOTWISE_BEGIN
namespace detail {

/// At a row of `Container`, which has item(row) for its friend SparseItems. It knows the row and no address, so that it stays
/// valid while entries are inserted, and while entries of its own row and of rows it has passed are erased: the row that
/// takes their place was passed before.
struct SparseItems {
    template <class Container>
    static decltype(auto) at(Container& container, std::size_t row) noexcept {
        return container.item(row);
    }
};
template <class Container, class Item>
class SparseIterator : public IteratorFacade<SparseIterator<Container, Item>, Item, Item, std::bidirectional_iterator_tag> {
    using Facade = IteratorFacade<SparseIterator, Item, Item, std::bidirectional_iterator_tag>;

public:
    SparseIterator() noexcept = default;
    /// For the container: at row `end` - 1, or at the end if that is 0.
    SparseIterator(Container* container, std::size_t end) noexcept : container_(container), end_(end) {}
    /// iterator to const_iterator.
    template <class Const, class ConstItem>
        requires(!std::is_const_v<Container> && std::is_same_v<Const, const Container>)
    operator SparseIterator<Const, ConstItem>() const noexcept {
        return {container_, end_};
    }
    friend bool operator==(const SparseIterator& a, const SparseIterator& b) noexcept { return a.end_ == b.end_; }
    /// The row of the entry here. @pre not at the end
    std::size_t row() const noexcept { return end_ - 1; }
    /// Its id. @pre not at the end (checked at level fast)
    auto id() const noexcept { return container_->id_at(row()); }

private:
    friend Facade;
    Item dereference() const noexcept {
        SLOTWISE_EXPECT_DEBUG(row() < container_->size(),
                              "sparse container iterator: it is the end, or entries before it in the walk were erased");
        return SparseItems::at(*container_, row());
    }
    void increment() noexcept { --end_; }
    void decrement() noexcept { ++end_; }

    Container* container_ = nullptr;
    std::size_t end_ = 0; // the row and one, so that 0 is the end
};

} // namespace detail
SLOTWISE_END

#endif
