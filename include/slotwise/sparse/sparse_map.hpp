// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseMap: a packed map from ids to values.
#ifndef SLOTWISE_SPARSE_SPARSE_MAP_HPP
#define SLOTWISE_SPARSE_SPARSE_MAP_HPP

#include "../core/detail/call_form.hpp"
#include "../core/detail/iterators.hpp"
#include "../slots/detail/absence.hpp"
#include "detail/sparse_engine.hpp"
#include "detail/sparse_interface.hpp"

SLOTWISE_BEGIN

/// A map from ids that the user brings to values. The values are packed in pages that never move, and found through pages of
/// 4 KiB by the id's index. Insert moves no value; erase moves the last value into the gap. Values of an empty type take no
/// memory. Ids, refused ids and the walk are as in SparseSet.
///
/// Constructors and destructors of values may insert, erase, clear and look up in the map that calls them. The map as a whole
/// must not be moved, swapped, assigned or destroyed from there. Moves of T must not change the map. A T whose moves may throw,
/// or that cannot be moved, must not insert from its constructor and destructor (checked at level fast).
/// @tparam Id a type with IdTraits @tparam T any type; one that cannot be moved cannot be erased but by clear(), and its ids
/// have no versions @tparam With AllocBy<A>
template <class Id, class T, class... With>
class SparseMap
    : public detail::SparseInterface<detail::id_or_number<Id>, detail::SparseValues<T, detail::SparseAllocator<T, With...>>,
                                     detail::SparseAllocator<T, With...>> {
    static_assert(Storable<T>, "SparseMap<Id, T>: T is an object type, not const, not an array, with a noexcept destructor");
    using Core = typename SparseMap::SparseInterface;
    friend detail::SparseItems;

public:
    using typename Core::size_type;
    using mapped_type = T;
    using value_type = T;
    using iterator = detail::SparseIterator<SparseMap, IdItem<Id, T&>>;
    using const_iterator = detail::SparseIterator<const SparseMap, IdItem<Id, const T&>>;

    /// An empty map with an allocator, copies and moves.
    using Core::Core;
    SparseMap() = default;
    /// Inserts these pairs. @throws as insert
    SparseMap(std::initializer_list<std::pair<Id, T>> list) { insert_range(list); }
    /// Exchanges entries and observers. @throws what moves to unequal allocators throw
    void swap(SparseMap& other) noexcept(noexcept(std::declval<Core&>().swap(other))) { Core::swap(other); }
    friend void swap(SparseMap& a, SparseMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// Builds a value for the id behind the last row. Not inserted: the id has a value, or is refused (at end() then) because
    /// the map has a newer version or it can never be live. Arguments may refer to values of this map. An older version of the
    /// id is replaced when the new value is built. @throws what the allocator, T and observers throw; strong, but a move of T
    /// that throws while it replaces leaves the older value as it leaves it @complexity amortised O(1)
    template <class... Args>
    InsertResult<iterator> try_emplace(Id id, Args&&... args) {
        const auto [row, inserted] = this->do_try_emplace(id, std::forward<Args>(args)...);
        return {iterator(this, row + 1), inserted}; // no_row + 1 is the end
    }
    /// As try_emplace.
    template <class... Args>
    InsertResult<iterator> emplace(Id id, Args&&... args) {
        return try_emplace(id, std::forward<Args>(args)...);
    }
    /// try_emplace(id, value). @throws as try_emplace
    InsertResult<iterator> insert(Id id, const T& value) { return try_emplace(id, value); }
    InsertResult<iterator> insert(Id id, T&& value) { return try_emplace(id, std::move(value)); }
    SLOTWISE_CONVERSIONS_BEGIN
    /// As insert, but an existing value is assigned. @throws what the assignment throws too; strong, if T's move assignment
    /// does not throw
    template <class U>
    InsertResult<iterator> insert_or_assign(Id id, U&& value) {
        if (T* const there = get(id)) {
            detail::assign_whole(*there, std::forward<U>(value));
            return {find(id), false};
        }
        return try_emplace(id, std::forward<U>(value));
    }
    SLOTWISE_CONVERSIONS_END
    /// Inserts the pairs of id and value of the range. @throws as try_emplace; those inserted before stay
    template <class Range>
    void insert_range(Range&& range) {
        for (auto&& [id, value] : range) try_emplace(id, value);
    }

    /// The value of exactly this id, or null. Any bit pattern is allowed. Costs as contains.
    SLOTWISE_ALWAYS_INLINE T* get(Id id) noexcept { return pointer<T>(id); }
    SLOTWISE_ALWAYS_INLINE const T* get(Id id) const noexcept { return pointer<const T>(id); }
    /// A copy of the value, or T(otherwise) where the id has none. @throws what that copy or conversion throws
    template <class U = T>
    T value_or(Id id, U&& otherwise) const {
        const T* const value = get(id);
        return value != nullptr ? *value : static_cast<T>(std::forward<U>(otherwise));
    }
    /// @throws std::out_of_range when the id has no value
    T& at(Id id) { return *checked(get(id), id); }
    const T& at(Id id) const { return *checked(get(id), id); }
    /// @pre contains(id) (checked at level fast)
    SLOTWISE_ALWAYS_INLINE T& operator[](Id id) noexcept { return expected(id); }
    SLOTWISE_ALWAYS_INLINE const T& operator[](Id id) const noexcept { return expected(id); }
    /// The value in a row. @pre row < size() (checked at level fast)
    T& value_at(size_type row) noexcept { return in_row(row); }
    const T& value_at(size_type row) const noexcept { return in_row(row); }

    using Core::erase;
    /// Removes the entry at `it`; returns the next one of the walk. @pre not at the end
    template <class It>
        requires(std::same_as<It, iterator> || std::same_as<It, const_iterator>)
    iterator erase(It it) noexcept(noexcept(this->erase_row(it.row()))) {
        const size_type row = it.row();
        this->erase_row(row);
        return {this, row < this->size() ? row : this->size()};
    }
    /// Takes the value out; empty when there is none. @throws what T's moves throw; the entry then stays
    std::optional<T> extract(Id id) {
        std::optional<T> result; // the returned object itself, so that no second move can throw
        if (T* const value = get(id)) {
            result.emplace(std::move(*value));
            Core::erase(id);
        }
        return result;
    }
    /// Removes every entry for which pred(id, value) or pred(item) holds; returns how many. Destructors may change the map.
    /// @throws what pred throws; those erased before stay erased
    template <class Pred>
    size_type erase_if(Pred pred) {
        return this->erase_rows_if([&](size_type row) {
            if constexpr (detail::takes_name_or_item<Pred, Id, decltype(item(row)), T&>())
                return static_cast<bool>(pred(this->id_at(row), this->value(row)));
            else
                return static_cast<bool>(pred(item(row)));
        });
    }
    /// Orders the rows by less(value, value). @throws what `less`, the allocator and T's moves throw; strong if those are
    /// noexcept
    /// @complexity O(n log n) @pre no group owns the map (checked at level fast)
    template <class Less = std::less<>>
    void sort(Less less = {}) {
        const auto of = [this](Id id) -> const T& { return this->value(this->row_of(id)); };
        sort_by_id([&](Id a, Id b) { return static_cast<bool>(less(of(a), of(b))); });
    }
    /// The same by less(id, id).
    template <class Less = std::less<>>
    void sort_by_id(Less less = {}) {
        this->expect_no_owner();
        this->sort_rows(this->size(), less);
    }

    /// Items of id and value, from the last row to the first.
    iterator begin() noexcept { return {this, this->size()}; }
    iterator end() noexcept { return {this, 0}; }
    const_iterator begin() const noexcept { return {this, this->size()}; }
    const_iterator end() const noexcept { return {this, 0}; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    /// The same walk as a range.
    auto items() noexcept { return detail::IteratorRange<iterator>(begin(), end(), this->size()); }
    auto items() const noexcept { return detail::IteratorRange<const_iterator>(begin(), end(), this->size()); }
    /// The entry of exactly this id, or end().
    iterator find(Id id) noexcept { return {this, this->row_of(id) + 1}; }
    const_iterator find(Id id) const noexcept { return {this, this->row_of(id) + 1}; }
    /// The values in row order, so that they stand beside ids(). @invalidates itself on insert and erase
    auto values() noexcept { return detail::SparseValueRange<Core, T>(*this); }
    auto values() const noexcept { return detail::SparseValueRange<Core, const T>(*this); }
    /// The rows as runs of contiguous memory in row order, each with spans of ids and values: for loops that the compiler
    /// vectorises. @invalidates itself on insert and erase
    auto chunks() noexcept { return detail::SparseChunks<Core, Id, T>(*this); }
    auto chunks() const noexcept { return detail::SparseChunks<Core, Id, const T>(*this); }
    /// Calls f(id, value) in row order. f must not change the map.
    template <class F>
    void for_each(F&& f) {
        for (const auto& chunk : chunks()) chunk.for_each(f);
    }
    template <class F>
    void for_each(F&& f) const {
        for (const auto& chunk : chunks()) chunk.for_each(f);
    }
    /// Equal when the same ids have equal values, in whatever order.
    friend bool operator==(const SparseMap& a, const SparseMap& b) { return Core::equal(a, b); }

private:
    IdItem<Id, T&> item(size_type row) noexcept { return {this->id_at(row), this->value(row)}; }
    IdItem<Id, const T&> item(size_type row) const noexcept { return {this->id_at(row), this->value(row)}; }
    template <class U>
    SLOTWISE_ALWAYS_INLINE U* pointer(Id id) const noexcept {
        if (const auto* const page = this->entries_.find(id); page != nullptr) [[likely]]
            if (const auto row = Core::Entries::row(*page, id); row < this->size_)
                return this->values_.at(static_cast<size_type>(row));
        return nullptr;
    }
    T& in_row(size_type row) const noexcept {
        SLOTWISE_EXPECT(row < this->size(), "SparseMap value_at(row): the map has no such row; rows are less than size()");
        return this->value(row);
    }
    template <class P>
    P checked(P value, Id id) const {
        if (value == nullptr) throw_none(id);
        return value;
    }
    [[noreturn]] SLOTWISE_COLD void throw_none(Id id) const {
        const auto* const page = this->entries_.find(id);
        const std::size_t row = page == nullptr ? this->size() : Core::Entries::any_row(*page, id);
        const bool other = IdTraits<Id>::versioned && row < this->size(); // an id of another version has a value
        throw_absent("SparseMap at(id): the id has no value here; ask get(id)", detail::text_of_id(id), "has none",
                     {IdTraits<Id>::index(id), other ? IdTraits<Id>::version(this->ids()[row]) : 0, SlotState::live, other});
    }
    SLOTWISE_ALWAYS_INLINE T& expected(Id id) const noexcept {
        const auto* const page = this->entries_.find(id);
        SLOTWISE_EXPECT(page != nullptr && Core::Entries::row(*page, id) < this->size(),
                        "SparseMap [id]: the id has no value here; ask get(id)");
        return this->value(static_cast<size_type>(Core::Entries::row(*page, id)));
    }

    static_assert(detail::is_id<Id>, "SparseMap<Id, T>: the first argument is an id: a handle, an unsigned integer of at most "
                                     "32 bits, an enumeration over one, or a type with a specialisation of IdTraits");
};

SLOTWISE_END

#endif
