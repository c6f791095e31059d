// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaSlotMap: rows by handle, with one packed array for each member.
#ifndef SLOTWISE_MAP_SOA_SLOT_MAP_HPP
#define SLOTWISE_MAP_SOA_SLOT_MAP_HPP

#include "../core/detail/call_form.hpp"
#include "detail/dense_store.hpp"
#include "detail/slot_map_interface.hpp"

SLOTWISE_BEGIN

/// References to the members of one row: auto [position, velocity] = map[handle]; row.get<0>(). Assigns to the members.
template <class... Refs>
class SoaRow : public std::tuple<Refs...> {
    using Base = std::tuple<Refs...>;

public:
    using Base::Base;
    using Base::operator=;
    constexpr SoaRow(const SoaRow&) = default;
    constexpr SoaRow& operator=(const SoaRow&) = default;
    template <std::size_t Nth>
    constexpr decltype(auto) get() const noexcept {
        return std::get<Nth>(static_cast<const Base&>(*this));
    }
    constexpr SoaRow* operator->() noexcept { return this; }
};

/// The result of get(): a pointer to each member, or null. if (auto row = map.get(handle)) row->get<0>() += 1;
template <class... Ts>
class SoaPointer {
public:
    constexpr SoaPointer() noexcept = default;
    /// Refers to these members.
    constexpr explicit SoaPointer(Ts*... members) noexcept : members_(members...) {}
    template <class... Us>
        requires(sizeof...(Us) == sizeof...(Ts) && (std::convertible_to<Us*, Ts*> && ...))
    constexpr SoaPointer(const SoaPointer<Us...>& other) noexcept : members_(other.members()) {}
    constexpr explicit operator bool() const noexcept { return std::get<0>(members_) != nullptr; }
    friend constexpr bool operator==(const SoaPointer& a, std::nullptr_t) noexcept { return !a; }
    constexpr SoaRow<Ts&...> operator*() const noexcept {
        return std::apply([](auto*... member) { return SoaRow<Ts&...>(*member...); }, members_);
    }
    constexpr SoaRow<Ts&...> operator->() const noexcept { return **this; }
    /// The address of each member.
    constexpr const std::tuple<Ts*...>& members() const noexcept { return members_; }

private:
    std::tuple<Ts*...> members_{};
};

namespace detail {

/// The rows of a DenseStore of several columns: they are tuples.
template <class... Ts>
struct TupleRows {
    using value_type = std::tuple<Ts...>;
    using row_type = std::tuple<Ts...>;
    using pointer = SoaPointer<Ts...>;
    using const_pointer = SoaPointer<const Ts...>;
    using reference = SoaRow<Ts&...>;
    using const_reference = SoaRow<const Ts&...>;
    template <class... Args>
    static constexpr bool builds_from = std::is_constructible_v<row_type, Args...>;

    template <class Columns>
    static constexpr pointer pointer_to(const Columns& columns, std::size_t row) noexcept {
        return std::apply([row](const auto&... column) { return pointer(column.data() + row...); }, columns);
    }
    static constexpr row_type&& split(row_type&& row) noexcept { return std::move(row); }
    template <class Columns>
    static constexpr row_type take(const Columns& columns, std::size_t row) {
        return std::apply([row](const auto&... column) { return row_type(std::move(column[row])...); }, columns);
    }
};

/// The place of T, which must be there once, among the members and then the values of further columns. `nowhere`, if not.
template <class T, class... Ts, class... Observers>
consteval std::size_t position_of(TypeList<Ts...>, TypeList<Observers...>) noexcept {
    return position_of<T, Ts..., typename ColumnValue<Observers>::type...>();
}

template <class Row, class Args>
struct SoaStoreOf;
template <class... Ts, class Args>
struct SoaStoreOf<Members<Ts...>, Args> {
    using type = DenseStore<TupleRows<Ts...>, typename Args::allocator, Ts...>;
};
template <class Row, class... With>
using SoaInterface = typename SlotMapInterfaceOf<BasicSoaSlotMap<Row, With...>,
                                                 typename SoaStoreOf<Row, SlotMapArguments<std::byte, With...>>::type,
                                                 SlotMapArguments<std::byte, With...>>::type;

} // namespace detail

/// The members stand first.
template <class Row, class... With>
class BasicSoaSlotMap {
    static_assert(detail::is_members<Row>,
                  "BasicSoaSlotMap<Members<Ts...>, With...>: the members stand first, in Members<...>");
};

/// Rows of members Ts..., each member packed in a 64-byte aligned array of its own; the map makes the handle. It has everything
/// of DenseSlotMap. insert(a, b, ...) takes a value for each member. References are rows of references.
/// SoaSlotMap<Ts...> is the one without further arguments.
/// @tparam With as SlotMap's
template <class... Ts, class... With>
class BasicSoaSlotMap<Members<Ts...>, With...> : public detail::SoaInterface<Members<Ts...>, With...> {
    using Base = detail::SoaInterface<Members<Ts...>, With...>;
    using Allocator = typename Base::allocator_type;
    static constexpr SlotMapOptions O = Base::options;
    static_assert(sizeof...(Ts) > 0, "SoaSlotMap<Ts...>: name at least one member type");
    static_assert(O.growth == Growth::pages, "SoaSlotMap: Growth::reserve is for SlotMap, whose elements do not move");
    static_assert(!O.atomic_versions, "SoaSlotMap: atomic_versions is for SlotMap and HandlePool; here elements move");
    static_assert(!O.zero_vacant, "SoaSlotMap: zero_vacant is for SlotMap; here vacant slots have no memory");

    using Base::core_;

public:
    using Base::Base;
    using Base::erase;
    using typename Base::const_iterator;
    using typename Base::handle_type;
    using typename Base::iterator;
    using typename Base::size_type;
    constexpr BasicSoaSlotMap()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr BasicSoaSlotMap(const BasicSoaSlotMap&) = default;
    constexpr BasicSoaSlotMap(BasicSoaSlotMap&&) = default;
    constexpr BasicSoaSlotMap(const BasicSoaSlotMap& other, const Allocator& alloc) : Base(other, alloc) {}
    constexpr BasicSoaSlotMap(BasicSoaSlotMap&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
    constexpr BasicSoaSlotMap& operator=(const BasicSoaSlotMap&) = default;
    constexpr BasicSoaSlotMap& operator=(BasicSoaSlotMap&&) = default;
    ~BasicSoaSlotMap() = default;
    friend constexpr void swap(BasicSoaSlotMap& a, BasicSoaSlotMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// Adds a row. @throws as emplace; strong
    template <class... Args>
        requires(sizeof...(Args) == sizeof...(Ts) && (std::is_constructible_v<Ts, Args&&> && ...))
    constexpr handle_type insert(Args&&... members) {
        return this->emplace(std::forward<Args>(members)...);
    }
    /// Adds a row that is given whole: bodies.insert({position, velocity}). @throws as emplace; strong
    constexpr handle_type insert(typename Base::value_type row) {
        return std::apply([this](Ts&... members) { return this->emplace(std::move(members)...); }, row);
    }
    /// As insert, but null when the map is full(); the arguments are untouched then.
    template <class... Args>
        requires(sizeof...(Args) == sizeof...(Ts) && (std::is_constructible_v<Ts, Args&&> && ...))
    constexpr handle_type try_insert(Args&&... members) {
        return this->try_emplace(std::forward<Args>(members)...);
    }
    /// A row that is given whole.
    constexpr handle_type try_insert(typename Base::value_type row) {
        return std::apply([this](Ts&... members) { return this->try_emplace(std::move(members)...); }, row);
    }

    /// Member I of all rows, packed, in row order: a span. From sizeof...(Ts) on the further columns, by slot: a ColumnView.
    /// @invalidates a span on growth; a ColumnView when the map grows, shrinks or moves
    template <std::size_t Nth>
    constexpr auto column() noexcept {
        return column_of<Nth>(*this);
    }
    template <std::size_t Nth>
    constexpr auto column() const noexcept {
        return column_of<Nth>(*this);
    }
    /// The member of type T of all rows, or the further column of values of type T: bodies.column<Velocity>()[row], and
    /// bodies.column<Age>()[handle] of a Column<Age>.
    template <class T>
    constexpr auto column() noexcept {
        return column_of<T>(*this);
    }
    template <class T>
    constexpr auto column() const noexcept {
        return column_of<T>(*this);
    }

    /// Rows of references in row order: for (auto [position, velocity] : map.rows()).
    constexpr auto rows() noexcept { return detail::IteratorRange<iterator>(this->begin(), this->end(), this->size()); }
    constexpr auto rows() const noexcept {
        return detail::IteratorRange<const_iterator>(this->begin(), this->end(), this->size());
    }

    /// All rows: the same as rows().
    constexpr auto values() noexcept { return rows(); }
    constexpr auto values() const noexcept { return rows(); }

    /// The row of an element in every column. @pre contains(handle) (checked at level fast)
    constexpr size_type index_of(handle_type handle) const noexcept {
        SLOTWISE_EXPECT(this->contains(handle),
                        "SoaSlotMap::index_of(handle): no element has this handle; ask contains(handle)");
        return core_.store.row_of(handle.index());
    }
    /// The handle of row `row`. @pre row < size()
    constexpr handle_type handle_of_row(size_type row) const noexcept {
        SLOTWISE_EXPECT(row < this->size(), "SoaSlotMap::handle_of_row(row): row is not below size()");
        return Base::handle_at(core_.store.slot(row));
    }

    /// Removes the row at `it`; returns `it`, which then refers to the former last row. @pre it is in [begin(), end())
    constexpr iterator erase(const_iterator it) noexcept(noexcept(core_.do_erase(slot_t{}))) {
        SLOTWISE_EXPECT(it != this->cend(), "SoaSlotMap::erase(it): the iterator is the end");
        const slot_t slot = it.slot();
        const std::size_t row = core_.store.row_of(slot);
        core_.do_erase(slot);
        return {this, row};
    }

    /// Sorts the rows by member I. Handles stay valid. As DenseSlotMap::sort.
    template <std::size_t Nth, class Less>
    constexpr void sort(Less less) {
        core_.store.template sort_by<Nth>(std::move(less));
    }
    /// The same by the member of type T.
    template <class T, class Less>
    constexpr void sort(Less less) {
        constexpr std::size_t place = detail::position_of<T>(detail::TypeList<Ts...>(), detail::TypeList<>());
        static_assert(place != detail::nowhere, "SoaSlotMap::sort<T>(less): T must name exactly one member; use sort<I>(less)");
        if constexpr (place != detail::nowhere) sort<place>(std::move(less));
    }

    /// Calls f(members...) or f(handle, members...) for every row in row order. f must neither insert nor erase (checked at
    /// level debug).
    template <class F>
    constexpr void for_each(F&& f) {
        walk(*this, f, std::index_sequence_for<Ts...>{});
    }
    template <class F>
    constexpr void for_each(F&& f) const {
        walk(*this, f, std::index_sequence_for<Ts...>{});
    }

private:
    using Observers = typename detail::SlotMapArguments<std::byte, With...>::observers;

    template <std::size_t Nth, class Self>
    static constexpr auto column_of(Self& self) noexcept {
        if constexpr (Nth < sizeof...(Ts)) {
            using T = std::tuple_element_t<Nth, std::tuple<Ts...>>;
            using V = std::conditional_t<std::is_const_v<Self>, const T, T>;
            return std::span<V>(self.core_.store.template data<Nth>(), self.size());
        } else
            return static_cast<std::conditional_t<std::is_const_v<Self>, const Base, Base>&>(self)
                .template column<Nth - sizeof...(Ts)>();
    }
    template <class T, class Self>
    static constexpr auto column_of(Self& self) noexcept {
        constexpr std::size_t place = detail::position_of<T>(detail::TypeList<Ts...>(), Observers());
        static_assert(place != detail::nowhere,
                      "SoaSlotMap::column<T>(): T must name exactly one member or Column<T>; use column<I>()");
        if constexpr (place != detail::nowhere) return column_of<place>(self); // else the static_assert is the only error
    }

    template <class Self, class F, std::size_t... Nth>
    static constexpr void walk(Self& self, F& f, std::index_sequence<Nth...>) {
        const auto columns = std::tuple(self.template column<Nth>().data()...);
        const std::size_t count = self.size();
        [[maybe_unused]] const detail::EpochMark rows(self.core_.store.epoch());
        for (std::size_t row = 0; row != count; ++row) {
            SLOTWISE_EXPECT_DEBUG(rows.is_current(),
                                  "SoaSlotMap::for_each: f has inserted, erased or sorted; the rows have moved");
            if constexpr (detail::takes_name<F, handle_type, decltype(std::get<Nth>(columns)[row])...>())
                f(self.handle_of_row(row), std::get<Nth>(columns)[row]...);
            else
                f(std::get<Nth>(columns)[row]...);
        }
    }
};

SLOTWISE_END

/// SoaRow binds as its tuple does.
template <class... Refs>
struct std::tuple_size<slotwise::SoaRow<Refs...>> : std::integral_constant<std::size_t, sizeof...(Refs)> {};
template <std::size_t Nth, class... Refs>
struct std::tuple_element<Nth, slotwise::SoaRow<Refs...>> {
    using type = std::tuple_element_t<Nth, std::tuple<Refs...>>;
};

#endif
