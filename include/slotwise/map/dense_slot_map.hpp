// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DenseSlotMap: elements by handle, in one packed array. Iterates as std::vector does.
#ifndef SLOTWISE_MAP_DENSE_SLOT_MAP_HPP
#define SLOTWISE_MAP_DENSE_SLOT_MAP_HPP

#include "../core/detail/call_form.hpp"
#include "detail/dense_store.hpp"
#include "detail/map_iterator.hpp"
#include "detail/slot_map_interface.hpp"

#include <compare>

SLOTWISE_BEGIN
namespace detail {

/// A contiguous iterator over packed values that knows the handle of each: an address in the packed array of `Map`, and the
/// map. A class instead of a pointer, so that it has handle() and refuses algorithms that move values between rows.
template <class T, class Map>
class DenseIterator {
public:
    using value_type = std::remove_const_t<T>;
    using element_type = T;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    using iterator_concept = std::contiguous_iterator_tag;

    constexpr DenseIterator() noexcept = default;
    constexpr DenseIterator(const Map* map, T* at) noexcept : at_(at), map_(map) {}
    /// iterator to const_iterator.
    constexpr operator DenseIterator<const T, Map>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {map_, at_};
    }

    constexpr T& operator*() const noexcept { return *at_; }
    constexpr T* operator->() const noexcept { return at_; }
    constexpr T& operator[](difference_type n) const noexcept { return at_[n]; }
    constexpr DenseIterator& operator++() noexcept { return ++at_, *this; }
    constexpr DenseIterator& operator--() noexcept { return --at_, *this; }
    constexpr DenseIterator operator++(int) noexcept { return {map_, at_++}; }
    constexpr DenseIterator operator--(int) noexcept { return {map_, at_--}; }
    constexpr DenseIterator& operator+=(difference_type n) noexcept { return at_ += n, *this; }
    constexpr DenseIterator& operator-=(difference_type n) noexcept { return at_ -= n, *this; }
    friend constexpr DenseIterator operator+(DenseIterator it, difference_type n) noexcept { return it += n; }
    friend constexpr DenseIterator operator+(difference_type n, DenseIterator it) noexcept { return it += n; }
    friend constexpr DenseIterator operator-(DenseIterator it, difference_type n) noexcept { return it -= n; }
    friend constexpr difference_type operator-(DenseIterator a, DenseIterator b) noexcept { return a.at_ - b.at_; }
    friend constexpr bool operator==(DenseIterator a, DenseIterator b) noexcept { return a.at_ == b.at_; }
    friend constexpr std::strong_ordering operator<=>(DenseIterator a, DenseIterator b) noexcept { return a.at_ <=> b.at_; }

    /// The row of the element here.
    constexpr std::size_t row() const noexcept { return static_cast<std::size_t>(at_ - map_->values().data()); }
    /// Its slot. @pre not at the end
    constexpr slot_t slot() const noexcept { return handle().index(); }
    /// Its handle. @pre not at the end
    constexpr auto handle() const noexcept { return map_->handle_of_row(row()); }

    /// So that no algorithm moves values between rows: std::sortable and std::permutable do not hold. See
    /// OnlyMapSortMovesValues.
    friend constexpr OnlyMapSortMovesValues<T> iter_move(const DenseIterator& it) noexcept
        requires(!std::is_const_v<T>)
    {
        return OnlyMapSortMovesValues<T>(*it);
    }
    /// The same for algorithms that only swap.
    friend void iter_swap(const DenseIterator&, const DenseIterator&) {
        static_assert(never<DenseIterator>, "slot map: this algorithm would move values under other handles; write "
                                            "map.sort(less), or map.swap_values(a, b) for two handles");
    }

private:
    T* at_ = nullptr;
    const Map* map_ = nullptr;
};

/// The rows of a DenseStore of a single column: they are values.
template <class T>
struct SingleValues {
    using value_type = T;
    using row_type = T;
    using pointer = T*;
    using const_pointer = const T*;
    using reference = T&;
    using const_reference = const T&;
    template <class... Args>
    static constexpr bool builds_from = std::is_constructible_v<T, Args...> && std::is_move_constructible_v<T>;

    template <class Columns>
    static constexpr T* pointer_to(const Columns& columns, std::size_t row) noexcept {
        return std::get<0>(columns).data() + row;
    }
    static constexpr std::tuple<T&&> split(T&& row) noexcept { return std::tuple<T&&>(std::move(row)); }
    template <class Columns>
    static constexpr T take(const Columns& columns, std::size_t row) {
        return std::move(std::get<0>(columns)[row]);
    }
};

template <class T, class... With>
using DenseInterface =
    typename SlotMapInterfaceOf<DenseSlotMap<T, With...>,
                                DenseStore<SingleValues<T>, typename SlotMapArguments<T, With...>::allocator, T>,
                                SlotMapArguments<T, With...>>::type;

} // namespace detail

/// Elements of type T, packed in one 64-byte aligned array; the map makes the handle. Erase moves the last element into the
/// gap.
///
/// Erasing while iterating: erase(it) returns the iterator to continue with (the last element moved there). Any insert that
/// grows, and any erase, invalidates iterators and addresses of the last element; growth invalidates all. Cost: 12.25 bytes an
/// element over the payload.
/// @tparam T movable, and swappable if its moves may throw; erase is noexcept if T's moves are, and only then may T's
/// destructor insert and erase in the same map
/// @tparam With as SlotMap's
template <class T, class... With>
class DenseSlotMap : public detail::DenseInterface<T, With...> {
    using Base = detail::DenseInterface<T, With...>;
    using Allocator = typename Base::allocator_type;
    static constexpr SlotMapOptions O = Base::options;
    static_assert(O.growth == Growth::pages, "DenseSlotMap: Growth::reserve is for SlotMap, whose elements do not move");
    static_assert(!O.atomic_versions, "DenseSlotMap: atomic_versions is for SlotMap and HandlePool; here elements move");
    static_assert(!O.zero_vacant, "DenseSlotMap: zero_vacant is for SlotMap; here vacant slots have no memory");

    using Base::core_;

public:
    using typename Base::handle_type;
    using typename Base::size_type;
    using iterator = detail::DenseIterator<T, DenseSlotMap>;
    using const_iterator = detail::DenseIterator<const T, DenseSlotMap>;
    using Base::Base;
    using Base::erase;
    using Base::handle_of;
    constexpr DenseSlotMap()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr DenseSlotMap(const DenseSlotMap&) = default;
    constexpr DenseSlotMap(DenseSlotMap&&) = default;
    constexpr DenseSlotMap(const DenseSlotMap& other, const Allocator& alloc) : Base(other, alloc) {}
    constexpr DenseSlotMap(DenseSlotMap&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
    constexpr DenseSlotMap& operator=(const DenseSlotMap&) = default;
    constexpr DenseSlotMap& operator=(DenseSlotMap&&) = default;
    ~DenseSlotMap() = default;
    friend constexpr void swap(DenseSlotMap& a, DenseSlotMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// All values, packed, in row order. @invalidates itself on growth; later inserts and erases do not change its size
    constexpr std::span<T> values() noexcept { return {data(), this->size()}; }
    constexpr std::span<const T> values() const noexcept { return {data(), this->size()}; }
    constexpr iterator begin() noexcept { return {this, data()}; }
    constexpr iterator end() noexcept { return {this, data() + core_.store.count()}; }
    constexpr const_iterator begin() const noexcept { return {this, data()}; }
    constexpr const_iterator end() const noexcept { return {this, data() + core_.store.count()}; }
    constexpr const_iterator cbegin() const noexcept { return begin(); }
    constexpr const_iterator cend() const noexcept { return end(); }

    /// The element, or end() when it is gone. @complexity O(1)
    constexpr iterator find(handle_type handle) noexcept { return {this, data() + row_or_end(handle)}; }
    constexpr const_iterator find(handle_type handle) const noexcept { return {this, data() + row_or_end(handle)}; }

    /// The row of an element in values(). @pre contains(handle) (checked at level fast)
    constexpr size_type index_of(handle_type handle) const noexcept {
        SLOTWISE_EXPECT(this->contains(handle),
                        "DenseSlotMap::index_of(handle): no element has this handle; ask contains(handle)");
        return core_.store.row_of(handle.index());
    }
    /// The handle of the value in row `row`. @pre row < size()
    constexpr handle_type handle_of_row(size_type row) const noexcept {
        SLOTWISE_EXPECT(row < this->size(), "DenseSlotMap::handle_of_row(row): row is not below size()");
        return Base::handle_at(core_.store.slot(row));
    }
    /// The handle of the element at `it`. @pre it is in [begin(), end())
    constexpr handle_type handle_of(const_iterator it) const noexcept { return handle_of_row(it.row()); }
    /// The handle of the element at `address`, null when no element of this map is there.
    /// @complexity O(1)
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr handle_type handle_of(P* address) const noexcept {
        return detail::lies_in<T>(address, data(), this->size()) ? handle_of_row(static_cast<size_type>(address - data()))
                                                                 : handle_type();
    }

    /// Removes the element at `it`; returns `it`, which then refers to the former last element. @pre it is in [begin(), end())
    constexpr iterator erase(const_iterator it) noexcept(noexcept(core_.do_erase(slot_t{}))) {
        SLOTWISE_EXPECT(detail::lies_in<T>(it.operator->(), data(), this->size()),
                        "DenseSlotMap::erase(it): the iterator is not of this map, or the end");
        const std::size_t row = it.row();
        core_.do_erase(core_.store.slot(row));
        return {this, data() + row};
    }

    /// Removes the element at `address`; false when no element of this map is there. @throws as erase(handle) @complexity O(1)
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr bool erase(P* address) noexcept(noexcept(core_.do_erase(slot_t{}))) {
        if (!detail::lies_in<T>(address, data(), this->size())) return false;
        core_.do_erase(core_.store.slot(static_cast<size_type>(address - data())));
        return true;
    }

    /// Calls f(value) or f(handle, value) for every element in row order. f must neither insert nor erase (checked at level
    /// debug).
    template <class F>
    constexpr void for_each(F&& f) {
        walk(*this, f);
    }
    template <class F>
    constexpr void for_each(F&& f) const {
        walk(*this, f);
    }

    /// Sorts the rows by their values. Handles stay valid. Not stable.
    /// @param less strict weak order on values
    /// @throws std::bad_alloc and what less throws: no effect then; if T's move may throw, what T's swap throws: the order is
    /// unspecified then, rows and handles stay consistent
    /// @complexity O(n log n) compares, n row moves, whatever the order was @invalidates addresses
    template <class Less>
    constexpr void sort(Less less) {
        core_.store.template sort_by<0>(std::move(less));
    }
    /// Sorts the rows by operator<.
    constexpr void sort()
        requires requires(const T& a, const T& b) { a < b; }
    {
        sort([](const T& a, const T& b) { return a < b; });
    }

    /// A map of f(value), or f(handle, value), of each element under the same handles: those that are stale for this map are
    /// stale for it, and it makes the same ones next. Static columns and observers are copied, dynamic observers are not.
    ///     SlotMap<std::string> names;
    ///     const auto lengths = names.transform([](const std::string& name) { return name.size(); });
    ///     lengths.at(handle)                                       // a handle of names
    /// Its type is DenseSlotMap<U, HandleBy<handle_type>> with the other arguments of this one.
    /// @pre f does not change this map (checked at level fast)
    /// @throws what f, the allocator and copies of columns throw; nothing has changed then @complexity linear in slots
    template <class F>
    constexpr auto transform(F f) const& {
        return detail::SlotMapSteps::transform<slotwise::DenseSlotMap, handle_type, const T&, With...>(core_, f);
    }
    /// The same; f may move from the values, and this map is empty then. @throws as above; f may have changed values then
    template <class F>
    constexpr auto transform(F f) && {
        auto result = detail::SlotMapSteps::transform<slotwise::DenseSlotMap, handle_type, T&&, With...>(core_, f);
        this->clear();
        return result;
    }

private:
    constexpr T* data() noexcept { return core_.store.template data<0>(); }
    constexpr const T* data() const noexcept { return core_.store.template data<0>(); }
    constexpr size_type row_or_end(handle_type handle) const noexcept {
        return this->contains(handle) ? core_.store.row_of(handle.index()) : this->size();
    }
    template <class Self, class F>
    static constexpr void walk(Self& self, F& f) {
        auto* const data = self.data();
        const std::size_t count = self.size();
        [[maybe_unused]] const detail::EpochMark rows(self.core_.store.epoch());
        for (std::size_t row = 0; row != count; ++row) {
            SLOTWISE_EXPECT_DEBUG(rows.is_current(),
                                  "DenseSlotMap::for_each: f has inserted, erased or sorted; the rows have moved");
            if constexpr (detail::takes_name<F, handle_type, decltype(data[row])>())
                f(self.handle_of_row(row), data[row]);
            else
                f(data[row]);
        }
    }
};

SLOTWISE_END

#endif
