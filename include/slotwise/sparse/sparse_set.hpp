// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseSet: a packed set of ids.
#ifndef SLOTWISE_SPARSE_SPARSE_SET_HPP
#define SLOTWISE_SPARSE_SPARSE_SET_HPP

#include "detail/sparse_engine.hpp"
#include "detail/sparse_interface.hpp"

SLOTWISE_BEGIN

/// A set of ids that the user brings. They are packed in one array and found through pages of 4 KiB by the id's index, as in
/// the sparse set of Briggs and Torczon. An id with a newer version takes the place of the older id of its index; an older
/// version is refused. Observers are notified of the insert of the newer id, and then of the erase of the older one, which
/// stays if one of them throws. A far index costs one page. Erase moves the last id into the gap.
///
/// The walk goes from the last row to the first, as in EnTT: erasing the current id and ids passed, and inserting, are allowed
/// while it runs; inserted ids are not visited. ids() is a span in row order.
/// @tparam Id a type with IdTraits @tparam With AllocBy<A>
template <class Id, class... With>
class SparseSet : public detail::SparseInterface<detail::id_or_number<Id>, detail::EmptyValues<detail::WithoutValue>,
                                                 detail::SparseAllocator<Id, With...>> {
    using Core = typename SparseSet::SparseInterface;
    friend detail::SparseItems;

public:
    using typename Core::size_type;
    using value_type = Id;
    using iterator = detail::SparseIterator<const SparseSet, Id>;
    using const_iterator = iterator;

    /// An empty set with an allocator, copies and moves.
    using Core::Core;
    SparseSet() = default;
    /// Inserts these ids. @throws as insert
    SparseSet(std::initializer_list<Id> ids) { insert_range(ids); }
    /// Exchanges entries and observers. @throws what moves to unequal allocators throw
    void swap(SparseSet& other) noexcept(noexcept(std::declval<Core&>().swap(other))) { Core::swap(other); }
    friend void swap(SparseSet& a, SparseSet& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// Inserts the id behind the last row. Not inserted: it is here, or it is refused (at end() then) because the set has a
    /// newer version or it can never be live. @throws what the allocator and observers throw; strong @complexity amortised O(1)
    InsertResult<iterator> insert(Id id) {
        const auto [row, inserted] = this->do_try_emplace(id);
        return {iterator(this, row + 1), inserted}; // no_row + 1 is the end
    }
    /// As insert.
    InsertResult<iterator> emplace(Id id) { return insert(id); }
    /// Inserts the ids of the range. @throws as insert; those inserted before stay
    template <class Range>
    void insert_range(Range&& range) {
        for (const Id id : range) insert(id);
    }
    using Core::erase;
    /// Removes the id at `it`; returns the next one of the walk. @pre not at the end
    template <std::same_as<iterator> It>
    iterator erase(It it) noexcept {
        const size_type row = it.row();
        this->erase_row(row);
        return {this, row < this->size() ? row : this->size()};
    }
    /// Removes every id for which pred(id) holds; returns how many. @throws what pred throws; those erased before stay erased
    template <class Pred>
    size_type erase_if(Pred pred) {
        return this->erase_rows_if([&](size_type row) { return static_cast<bool>(pred(this->id_at(row))); });
    }
    /// Orders the rows by less(id, id). @throws what `less` and the allocator throw; strong @complexity O(n log n) @pre no
    /// group owns the set (checked at level fast)
    template <class Less = std::less<>>
    void sort(Less less = {}) {
        this->expect_no_owner();
        this->sort_rows(this->size(), less);
    }

    /// From the last row to the first.
    iterator begin() const noexcept { return {this, this->size()}; }
    iterator end() const noexcept { return {this, 0}; }
    iterator cbegin() const noexcept { return begin(); }
    iterator cend() const noexcept { return end(); }
    /// At exactly this id, or end().
    iterator find(Id id) const noexcept { return {this, this->row_of(id) + 1}; }
    /// Calls f(id) in the order of the walk; f may change the set as a walk may.
    template <class F>
    void for_each(F&& f) const {
        for (size_type row = this->size(); row-- != 0;)
            if (row < this->size()) f(this->id_at(row));
    }
    /// Equal when they have the same ids, in whatever order.
    friend bool operator==(const SparseSet& a, const SparseSet& b) { return Core::equal(a, b); }

private:
    Id item(size_type row) const noexcept { return this->id_at(row); }

    static_assert(detail::is_id<Id>, "SparseSet<Id>: the first argument is an id: a handle, an unsigned integer of at most 32 "
                                     "bits, an enumeration over one, or a type with a specialisation of IdTraits");
};

SLOTWISE_END

#endif
