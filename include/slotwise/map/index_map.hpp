// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IndexMap: values by small numbers, in their order. The number is the slot.
#ifndef SLOTWISE_MAP_INDEX_MAP_HPP
#define SLOTWISE_MAP_INDEX_MAP_HPP

#include "secondary_map.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The handle of a number: its slot, and the only version there is, in a byte a slot.
using NumberHandle = Handle<struct ByNumber, HandleLayout{32, 1, 31}>;

/// A place in an IndexMap: ascending ids, in both directions.
template <class T, class Allocator, bool Const>
class IndexIterator
    : public IteratorFacade<IndexIterator<T, Allocator, Const>, IdItem<slot_t, std::conditional_t<Const, const T&, T&>>,
                            IdItem<slot_t, std::conditional_t<Const, const T&, T&>>, std::bidirectional_iterator_tag> {
    using Item = IdItem<slot_t, std::conditional_t<Const, const T&, T&>>;
    using Facade = IteratorFacade<IndexIterator, Item, Item, std::bidirectional_iterator_tag>;
    using Base = SecondaryIterator<NumberHandle, T, Allocator, Const>;

public:
    IndexIterator() noexcept = default;
    /// For the map: at the entry of its SecondaryMap.
    explicit IndexIterator(Base base) noexcept : base_(base) {}
    /// iterator to const_iterator.
    operator IndexIterator<T, Allocator, true>() const noexcept
        requires(!Const)
    {
        return IndexIterator<T, Allocator, true>(base_);
    }
    friend bool operator==(const IndexIterator& a, const IndexIterator& b) noexcept { return a.base_ == b.base_; }
    /// The id of the entry here. @pre not at the end
    slot_t id() const noexcept { return base_.slot(); }
    /// The iterator of the SecondaryMap.
    const Base& base() const noexcept { return base_; }

private:
    friend Facade;
    Item dereference() const noexcept { return {id(), (*base_).value}; }
    void increment() noexcept { ++base_; }
    void decrement() noexcept { --base_; }

    Base base_{};
};

/// The id of an entry, for PartIterator.
struct IdPart {
    template <class Iterator>
    slot_t operator()(const Iterator& it) const noexcept {
        return it.id();
    }
};

} // namespace detail

/// Values by small unsigned numbers that others made: indexes of an engine, ids of a protocol, numbers of a file. The id is the
/// slot: no hash, and a walk in ascending order. Values lie in the pages of a SecondaryMap, never move, and share its rules for
/// constructors and destructors that change the map. Low ids are found by one load. A far id costs one page, not all before it.
/// An id has no version: the next value under it is found by the same id. The id no_slot (0xFFFFFFFF) is refused. A negative
/// number becomes a large id. What the functions of SecondaryInterface call a handle is an id here.
/// @tparam T any type; addresses of values are stable. The allocator builds it: a T with an allocator gets this map's one
/// @tparam With AllocBy<A>
template <class T, class... With>
class IndexMap final : public detail::SecondaryInterface<IndexMap<T, With...>, slot_t, T> {
    static_assert(Storable<T>, "IndexMap<T>: T must be a non-const object type whose destructor does not throw");
    using Interface = detail::SecondaryInterface<IndexMap, slot_t, T>;
    friend Interface;
    using Entries = SecondaryMap<detail::NumberHandle, T, With...>;
    using H = detail::NumberHandle;

public:
    using id_type = slot_t;
    using mapped_type = T;
    using size_type = std::size_t;
    using allocator_type = typename Entries::allocator_type;
    using iterator = detail::IndexIterator<T, allocator_type, false>;
    using const_iterator = detail::IndexIterator<T, allocator_type, true>;

    IndexMap() = default;
    explicit IndexMap(const allocator_type& alloc) : entries_(alloc) {}
    /// Inserts these pairs. @throws as insert
    IndexMap(std::initializer_list<std::pair<slot_t, T>> entries) : IndexMap() { this->insert(entries.begin(), entries.end()); }
    /// Copies the entries. @throws what the allocator and the copies throw
    IndexMap(const IndexMap& other) = default;
    IndexMap(const IndexMap& other, const allocator_type& alloc) : entries_(other.entries_, alloc) {}
    /// Takes the entries.
    IndexMap(IndexMap&& other) noexcept = default;
    /// As above, into memory of `alloc`: moves the values one by one if the allocators differ.
    IndexMap(IndexMap&& other, const allocator_type& alloc) : entries_(std::move(other.entries_), alloc) {}
    /// Replaces the entries. @throws what the allocator and the copies throw; strong
    IndexMap& operator=(const IndexMap& other) {
        entries_ = other.entries_;
        return *this;
    }
    /// Takes the entries of the other map, in place of the ones here.
    IndexMap& operator=(IndexMap&& other) noexcept(std::is_nothrow_move_assignable_v<Entries>) {
        entries_ = std::move(other.entries_);
        return *this;
    }
    ~IndexMap() = default;
    /// Exchanges the entries.
    void swap(IndexMap& other) noexcept(noexcept(std::declval<Entries&>().swap(std::declval<Entries&>()))) {
        entries_.swap(other.entries_);
    }
    friend void swap(IndexMap& a, IndexMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    size_type size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    allocator_type get_allocator() const noexcept { return entries_.get_allocator(); }

    using Interface::erase;
    /// Removes the entry at `it`; returns the next one. @pre not at the end
    template <std::same_as<iterator> It>
    iterator erase(It it) noexcept {
        return iterator(entries_.erase(it.base()));
    }
    template <std::same_as<const_iterator> It>
    const_iterator erase(It it) noexcept {
        return const_iterator(entries_.erase(it.base()));
    }
    /// Removes every entry for which pred(id, value) or pred(item) holds; returns how many. pred and destructors may change the
    /// map. pred may be called for an entry inserted meanwhile. @throws what pred throws; those erased before stay erased
    template <class Pred>
    size_type erase_if(Pred pred) {
        return entries_.erase_if([&](H handle, T& value) { return Interface::holds(pred, handle.index(), value); });
    }
    /// Frees empty pages: erase keeps them for other entries. @throws nothing @complexity linear in pages
    void shrink_to_fit() noexcept { entries_.shrink_to_fit(); }
    /// Removes all entries and frees the memory. An entry that a destructor inserts meanwhile survives. @throws nothing
    void clear() noexcept { entries_.clear(); }

    /// Items of id and value, in ascending order of ids. Erasing any entry leaves other iterators valid.
    iterator begin() noexcept { return iterator(entries_.begin()); }
    iterator end() noexcept { return iterator(entries_.end()); }
    const_iterator begin() const noexcept { return const_iterator(entries_.begin()); }
    const_iterator end() const noexcept { return const_iterator(entries_.end()); }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    /// The same walk as a range.
    auto items() noexcept { return detail::IteratorRange<iterator>(begin(), end(), size()); }
    auto items() const noexcept { return detail::IteratorRange<const_iterator>(begin(), end(), size()); }
    /// The values, and the ids, of the same walk.
    auto values() noexcept { return entries_.values(); }
    auto values() const noexcept { return entries_.values(); }
    auto ids() const noexcept { return detail::part_range<detail::IdPart>(begin(), end(), size()); }
    /// The entries page by page, for SIMD loops and jobs: a chunk has {first id, values, mask of live ones}; see
    /// SecondaryMap::chunks.
    auto chunks() noexcept { return entries_.chunks(); }
    auto chunks() const noexcept { return entries_.chunks(); }
    /// Calls f(id, value) in ascending order of ids: the fastest walk. f may erase the entry it is given, and insert; what it
    /// inserts may be met.
    template <class F>
    void for_each(F&& f) {
        visit(chunks(), f);
    }
    template <class F>
    void for_each(F&& f) const {
        visit(chunks(), f);
    }
    /// The entry of this id, or end().
    iterator find(slot_t id) noexcept { return contains_id(id) ? at_or_after(id) : end(); }
    const_iterator find(slot_t id) const noexcept { return contains_id(id) ? at_or_after(id) : end(); }
    /// The first entry whose id is not less than `id`, or end(). @complexity O(1), far ids O(log pages)
    iterator lower_bound(slot_t id) noexcept { return at_or_after(id); }
    const_iterator lower_bound(slot_t id) const noexcept { return at_or_after(id); }
    /// The first entry whose id is greater than `id`, or end().
    iterator upper_bound(slot_t id) noexcept { return at_or_after(std::uint64_t{id} + 1); }
    const_iterator upper_bound(slot_t id) const noexcept { return at_or_after(std::uint64_t{id} + 1); }

    /// Equal when the same ids have equal values.
    friend bool operator==(const IndexMap& a, const IndexMap& b) { return a.entries_ == b.entries_; }
    /// Whether counts and bits agree; for tests.
    bool check_invariants() const noexcept { return entries_.check_invariants(); }

private:
    template <class Chunks, class F>
    static void visit(Chunks chunks, F& f) {
        for (const auto& chunk : chunks) chunk.live.for_each([&](slot_t i) { f(chunk.first + i, chunk.values[i]); });
    }
    static H handle(slot_t id) noexcept { return H(id, 1); }
    iterator at_or_after(std::uint64_t id) noexcept { return iterator(iterator_base<iterator>(id)); }
    const_iterator at_or_after(std::uint64_t id) const noexcept { return const_iterator(iterator_base<const_iterator>(id)); }
    template <class It>
    auto iterator_base(std::uint64_t id) const noexcept {
        return std::remove_cvref_t<decltype(std::declval<const It&>().base())>::from(&entries_.pages_, id);
    }
    bool contains_id(slot_t id) const noexcept { return entries_.contains_slot(id); }

    // What SecondaryInterface asks for.
    template <class... Args>
    std::pair<T*, bool> do_try_emplace(slot_t id, Args&&... args) {
        if (id == no_slot) detail::throw_out_of_range("IndexMap insert(id): id 0xFFFFFFFF is no_slot, which names no entry");
        return entries_.do_try_emplace(handle(id), std::forward<Args>(args)...);
    }
    InsertResult<iterator> result(slot_t id, std::pair<T*, bool> of) noexcept {
        return {iterator(entries_.result(handle(id), of).it), of.second};
    }
    T* do_get(slot_t id) const noexcept { return entries_.find_slot(id); }
    bool drop(slot_t id) noexcept { return entries_.drop(handle(id)); }
    template <class U>
    void assign(slot_t id, U&& value) {
        entries_.assign(handle(id), std::forward<U>(value));
    }
    void take(slot_t id, std::optional<T>& result) { entries_.take(handle(id), result); }
    size_type held() const noexcept { return entries_.held(); }

    Entries entries_{};
};

SLOTWISE_END

#endif
