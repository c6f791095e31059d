// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaStruct: a vector of an existing struct, split into an array for each of its members.
#ifndef SLOTWISE_ROWS_SOA_STRUCT_HPP
#define SLOTWISE_ROWS_SOA_STRUCT_HPP

#include "soa_vector.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class M>
struct MemberPointer {
    static constexpr bool holds = false;
    using owner = void;
    using type = char;
};
template <class P, class T>
struct MemberPointer<T P::*> {
    static constexpr bool holds = std::is_object_v<T>;
    using owner = P;
    using type = T;
};
template <auto M>
using member_pointer = MemberPointer<std::remove_const_t<decltype(M)>>;
template <auto M>
concept DataMember = member_pointer<M>::holds;

template <class F>
inline constexpr bool is_fields = false;
template <auto... Ms>
inline constexpr bool is_fields<Fields<Ms...>> = true;

/// The place of member M among Ms..., `nowhere` if it is not there.
template <auto M, auto... Ms>
consteval std::size_t place_of_member() noexcept {
    std::size_t found = nowhere, place = 0;
    const auto look = [&]<auto Other>() {
        if constexpr (std::is_same_v<decltype(M), decltype(Other)>)
            if (M == Other && found == nowhere) found = place;
        ++place;
    };
    (look.template operator()<Ms>(), ...);
    return found;
}

} // namespace detail

/// References to the members of one row of a SoaStruct. It converts to the struct, takes one by assignment, and names members:
/// row.get<&P::x>() = 1. It is a RowRef too.
template <class Row, auto... Ms>
class StructRef : public Row {
    using P = typename std::tuple_element_t<0, std::tuple<detail::member_pointer<Ms>...>>::owner;

public:
    /// Refers to what `row` refers to.
    constexpr explicit StructRef(const Row& row) noexcept : Row(row) {}
    constexpr StructRef(const StructRef&) noexcept = default;
    ~StructRef() = default;
    using Row::get;
    using Row::operator=;
    // NOLINTBEGIN(misc-unconventional-assign-operator): as RowRef's
    constexpr const StructRef& operator=(const StructRef& other) const {
        Row::operator=(static_cast<const Row&>(other));
        return *this;
    }
    /// Assigns its members.
    constexpr const StructRef& operator=(const P& value) const {
        Row::operator=(std::tuple<const typename detail::member_pointer<Ms>::type&...>(value.*Ms...));
        return *this;
    }
    // NOLINTEND(misc-unconventional-assign-operator)
    /// Member M.
    template <auto M>
        requires detail::DataMember<M>
    constexpr decltype(auto) get() const noexcept {
        constexpr std::size_t place = detail::place_of_member<M, Ms...>();
        static_assert(place != detail::nowhere, "SoaStruct: this member is not among Fields<...>");
        if constexpr (place != detail::nowhere) return Row::template get<place>();
    }
    /// A copy as a struct; members that are not kept have their defaults.
    constexpr operator P() const
        requires std::default_initializable<P>
    {
        P value{};
        ((value.*Ms = get<Ms>()), ...);
        return value;
    }
};

/// The members stand first.
template <class F, class... With>
class BasicSoaStruct {
    static_assert(detail::is_fields<F>,
                  "BasicSoaStruct<Fields<&P::x, &P::y>, With...>: the members stand first, in Fields<...>");
};

/// A SoaVector of the members of a struct P, each packed in a 64-byte aligned array of its own. It has everything of SoaVector,
/// takes rows as P, and names columns by members: particles.column<&Particle::x>(). Members of P that are not named are not
/// kept. SoaStruct<&P::x, &P::y> is the one without further arguments.
/// @tparam With AllocBy<A>
template <auto... Ms, class... With>
class BasicSoaStruct<Fields<Ms...>, With...>
    : public BasicSoaVector<Members<typename detail::member_pointer<Ms>::type...>, With...> {
    using Base = BasicSoaVector<Members<typename detail::member_pointer<Ms>::type...>, With...>;
    static_assert((detail::DataMember<Ms> && ...), "SoaStruct<&P::x, ...>: name data members of a struct");
    using First = std::tuple_element_t<0, std::tuple<detail::member_pointer<Ms>...>>;
    static_assert((std::is_same_v<typename detail::member_pointer<Ms>::owner, typename First::owner> && ...),
                  "SoaStruct<&P::x, ...>: all members must be of one struct");

public:
    /// The struct.
    using struct_type = typename First::owner;
    using reference = StructRef<typename Base::reference, Ms...>;
    using const_reference = StructRef<typename Base::const_reference, Ms...>;
    using Base::Base;
    using Base::column;
    using Base::columns;
    using Base::for_each_block;
    using Base::insert;
    using Base::padded_data;
    using Base::padded_size;
    using Base::push_back;
    using Base::rows;
    using Base::sort;
    using typename Base::size_type;

    /// Exchanges the rows, as SoaVector's.
    friend constexpr void swap(BasicSoaStruct& a, BasicSoaStruct& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// The row, which converts to the struct. @pre row < size() (checked at level fast)
    constexpr reference operator[](size_type row) noexcept { return reference(Base::operator[](row)); }
    constexpr const_reference operator[](size_type row) const noexcept { return const_reference(Base::operator[](row)); }
    /// The first row. @pre not empty (checked at level fast)
    constexpr reference front() noexcept { return reference(Base::front()); }
    constexpr const_reference front() const noexcept { return const_reference(Base::front()); }
    /// The last row. @pre not empty (checked at level fast)
    constexpr reference back() noexcept { return reference(Base::back()); }
    constexpr const_reference back() const noexcept { return const_reference(Base::back()); }

    /// Appends the members of `value`. @throws as SoaVector's push_back; strong
    constexpr void push_back(const struct_type& value) { Base::push_back(value.*Ms...); }
    // NOLINTBEGIN(bugprone-use-after-move): each member is moved by itself
    constexpr void push_back(struct_type&& value) { Base::push_back(std::move(value).*Ms...); }
    /// Inserts the members of `value` at `row`; those from there on move up by one. @pre row <= size() (checked at level fast)
    /// @throws as SoaVector's insert; strong
    constexpr void insert(size_type row, const struct_type& value) { Base::insert(row, value.*Ms...); }
    constexpr void insert(size_type row, struct_type&& value) { Base::insert(row, std::move(value).*Ms...); }
    // NOLINTEND(bugprone-use-after-move)
    /// `count` rows: removes the last ones, or appends copies of `value`, by default of a struct_type{}.
    /// @throws as push_back; strong
    constexpr void resize(size_type count, const struct_type& value) { Base::resize(count, value.*Ms...); }
    constexpr void resize(size_type count)
        requires std::default_initializable<struct_type>
    {
        const struct_type value{};
        Base::resize(count, value.*Ms...);
    }

    /// As SoaVector's, with rows that convert to the struct.
    template <class Pred>
        requires std::is_invocable_v<Pred&, const const_reference&>
    constexpr size_type erase_if(Pred pred) {
        return Base::erase_if([&](const typename Base::const_reference& row) { return pred(const_reference(row)); });
    }
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        return Base::erase_if(std::move(pred));
    }
    template <class Less>
        requires std::is_invocable_v<Less&, const const_reference&, const const_reference&>
    constexpr void sort(Less less) {
        using Row = typename Base::const_reference;
        Base::sort([&](const Row& a, const Row& b) { return less(const_reference(a), const_reference(b)); });
    }
    /// Sorts the rows by a member.
    template <auto M, class Less>
        requires detail::DataMember<M>
    constexpr void sort(Less less) {
        Base::template sort<place<M>>(std::move(less));
    }
    template <auto M>
        requires detail::DataMember<M>
    constexpr void sort() {
        Base::template sort<place<M>>();
    }

    /// A member of all rows, packed, in row order, 64-byte aligned. @invalidates itself on growth
    template <auto M>
        requires detail::DataMember<M>
    constexpr auto column() noexcept {
        return Base::template column<place<M>>();
    }
    template <auto M>
        requires detail::DataMember<M>
    constexpr auto column() const noexcept {
        return Base::template column<place<M>>();
    }
    /// Several columns: auto [xs, ys] = particles.columns<&Particle::x, &Particle::y>().
    template <auto... Some>
        requires(sizeof...(Some) > 0 && (detail::DataMember<Some> && ...))
    constexpr auto columns() noexcept {
        return Base::template columns<place<Some>...>();
    }
    template <auto... Some>
        requires(sizeof...(Some) > 0 && (detail::DataMember<Some> && ...))
    constexpr auto columns() const noexcept {
        return Base::template columns<place<Some>...>();
    }
    /// Rows of some members: for (auto [x, y] : particles.rows<&Particle::x, &Particle::y>()).
    template <auto... Some>
        requires(sizeof...(Some) > 0 && (detail::DataMember<Some> && ...))
    constexpr auto rows() noexcept {
        return Base::template rows<place<Some>...>();
    }
    template <auto... Some>
        requires(sizeof...(Some) > 0 && (detail::DataMember<Some> && ...))
    constexpr auto rows() const noexcept {
        return Base::template rows<place<Some>...>();
    }
    /// f(spans...) for each N rows of some members, as SoaVector's.
    template <std::size_t N, auto... Some, class F>
        requires(sizeof...(Some) > 0 && (detail::DataMember<Some> && ...))
    constexpr void for_each_block(F&& f) {
        Base::template for_each_block<N, place<Some>...>(std::forward<F>(f));
    }
    template <std::size_t N, auto... Some, class F>
        requires(sizeof...(Some) > 0 && (detail::DataMember<Some> && ...))
    constexpr void for_each_block(F&& f) const {
        Base::template for_each_block<N, place<Some>...>(std::forward<F>(f));
    }

private:
    template <auto M>
    static constexpr std::size_t place = [] {
        constexpr std::size_t found = detail::place_of_member<M, Ms...>();
        static_assert(found != detail::nowhere, "SoaStruct: this member is not among Fields<...>");
        return found == detail::nowhere ? 0 : found;
    }();
};

SLOTWISE_END

/// StructRef binds as its row does.
template <class Row, auto... Ms>
struct std::tuple_size<slotwise::StructRef<Row, Ms...>> : std::tuple_size<Row> {};
template <std::size_t Nth, class Row, auto... Ms>
struct std::tuple_element<Nth, slotwise::StructRef<Row, Ms...>> : std::tuple_element<Nth, Row> {};

#endif
