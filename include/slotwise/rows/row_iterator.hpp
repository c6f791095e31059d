// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RowRef: references to the values of one row, and the random-access iterator over such rows. Standard algorithms sort by it.
#ifndef SLOTWISE_ROWS_ROW_ITERATOR_HPP
#define SLOTWISE_ROWS_ROW_ITERATOR_HPP

#include "detail/packed_columns.hpp"

#include <compare>
#include <concepts>

SLOTWISE_BEGIN

/// References to the values of one row: auto [position, velocity] = rows[5]; row.get<0>(). A tag stands there by value.
/// Assignment goes through to the values, as does swap. A copy refers to the same row; a std::tuple of values is a row of its
/// own. Compares as a tuple.
template <class... Refs>
class RowRef : public std::tuple<Refs...> {
    using Base = std::tuple<Refs...>;
    template <class... Us>
    static constexpr bool takes = [] {
        if constexpr (sizeof...(Us) == sizeof...(Refs))
            return ((!std::is_reference_v<Refs> || std::is_assignable_v<Refs, Us>)&&...);
        else
            return false;
    }();

    template <class... Us>
    static constexpr bool binds = [] {
        if constexpr (sizeof...(Us) == sizeof...(Refs))
            return (std::is_convertible_v<Us, Refs> && ...);
        else
            return false;
    }();

public:
    /// Refers to these.
    constexpr explicit RowRef(Refs... values) noexcept : Base(static_cast<Refs&&>(values)...) {}
    constexpr RowRef(const RowRef&) noexcept = default;
    /// Refers to the values of another row, or of a tuple.
    template <class... Us>
        requires binds<Us&...>
    constexpr RowRef(std::tuple<Us...>& other) noexcept : RowRef(other, std::index_sequence_for<Refs...>{}) {}
    template <class... Us>
        requires binds<const Us&...>
    constexpr RowRef(const std::tuple<Us...>& other) noexcept : RowRef(other, std::index_sequence_for<Refs...>{}) {}
    template <class... Us>
        requires binds<Us...>
    constexpr RowRef(std::tuple<Us...>&& other) noexcept : RowRef(std::move(other), std::index_sequence_for<Refs...>{}) {}
    template <class... Us>
        requires binds<const Us...>
    constexpr RowRef(const std::tuple<Us...>&& other) noexcept : RowRef(std::move(other), std::index_sequence_for<Refs...>{}) {}
    ~RowRef() = default;
    // NOLINTBEGIN(misc-unconventional-assign-operator): std::indirectly_writable asks for assignment to a const reference
    /// Assigns the values that `other` refers to. A const RowRef assigns too, because it is the values that change.
    constexpr const RowRef& operator=(const RowRef& other) const
        requires takes<Refs...>
    {
        return assign(other, std::index_sequence_for<Refs...>{});
    }
    template <class... Us>
        requires takes<const Us&...>
    constexpr const RowRef& operator=(const std::tuple<Us...>& other) const {
        return assign(other, std::index_sequence_for<Refs...>{});
    }
    template <class... Us>
        requires takes<Us...>
    constexpr const RowRef& operator=(std::tuple<Us...>&& other) const {
        return assign(std::move(other), std::index_sequence_for<Refs...>{});
    }
    // NOLINTEND(misc-unconventional-assign-operator)
    /// The value of column I.
    template <std::size_t Nth>
    constexpr std::tuple_element_t<Nth, Base> get() const noexcept {
        return static_cast<std::tuple_element_t<Nth, Base>>(std::get<Nth>(static_cast<const Base&>(*this)));
    }
    /// Exchanges the values.
    friend constexpr void swap(const RowRef& a, const RowRef& b) { exchange(a, b, std::index_sequence_for<Refs...>{}); }

private:
    template <class Tuple, std::size_t... Nth>
    constexpr RowRef(Tuple&& other, std::index_sequence<Nth...>) noexcept
        : RowRef(std::get<Nth>(std::forward<Tuple>(other))...) {}
    template <class Tuple, std::size_t... Nth>
    constexpr const RowRef& assign([[maybe_unused]] Tuple&& other, std::index_sequence<Nth...>) const {
        const auto one = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
            if constexpr (std::is_reference_v<std::tuple_element_t<J, Base>>)
                get<J>() = std::get<J>(std::forward<Tuple>(other));
        };
        (one(std::integral_constant<std::size_t, Nth>{}), ...);
        return *this;
    }
    template <std::size_t... Nth>
    static constexpr void exchange(const RowRef& a, const RowRef& b, std::index_sequence<Nth...>) {
        const auto one = [](auto&& left, auto&& right) {
            using std::swap;
            if constexpr (!std::is_const_v<std::remove_reference_t<decltype(left)>>) swap(left, right);
        };
        (one(a.template get<Nth>(), b.template get<Nth>()), ...);
    }
};

namespace detail {

/// What a row has of a T, which may be const.
template <class T>
using row_reference = std::conditional_t<is_tag<std::remove_const_t<T>>, std::remove_const_t<T>, T&>;
template <class T>
using row_rvalue = std::conditional_t<is_tag<std::remove_const_t<T>>, std::remove_const_t<T>, T&&>;
/// Where its values lie; a tag lies nowhere.
template <class T>
struct NoData {
    constexpr T operator[](std::ptrdiff_t) const noexcept { return T(); }
};
template <class T>
using row_data = std::conditional_t<is_tag<std::remove_const_t<T>>, NoData<std::remove_const_t<T>>, T*>;

/// A row of columns of Ts..., const ones in a container that is const.
template <class... Ts>
class RowIterator {
public:
    using value_type = std::tuple<std::remove_const_t<Ts>...>;
    using reference = RowRef<row_reference<Ts>...>;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag; // as std::vector<bool>'s, so that std::sort takes it
    using iterator_concept = std::random_access_iterator_tag;

    constexpr RowIterator() noexcept = default;
    constexpr RowIterator(difference_type row, row_data<Ts>... data) noexcept : data_(data...), row_(row) {}
    /// iterator to const_iterator.
    template <class... Us>
        requires(sizeof...(Us) == sizeof...(Ts) && (std::same_as<const Us, Ts> && ...))
    constexpr RowIterator(const RowIterator<Us...>& other) noexcept : data_(other.data_), row_(other.row_) {}

    constexpr reference operator*() const noexcept { return (*this)[0]; }
    constexpr reference operator[](difference_type n) const noexcept {
        return std::apply([row = row_ + n](const auto&... data) { return reference(data[row]...); }, data_);
    }
    /// The number of the row.
    constexpr std::size_t row() const noexcept { return static_cast<std::size_t>(row_); }
    constexpr RowIterator& operator++() noexcept { return ++row_, *this; }
    constexpr RowIterator& operator--() noexcept { return --row_, *this; }
    constexpr RowIterator operator++(int) noexcept {
        auto before = *this;
        ++row_;
        return before;
    }
    constexpr RowIterator operator--(int) noexcept {
        auto before = *this;
        --row_;
        return before;
    }
    constexpr RowIterator& operator+=(difference_type n) noexcept { return row_ += n, *this; }
    constexpr RowIterator& operator-=(difference_type n) noexcept { return row_ -= n, *this; }
    friend constexpr RowIterator operator+(RowIterator it, difference_type n) noexcept { return it += n; }
    friend constexpr RowIterator operator+(difference_type n, RowIterator it) noexcept { return it += n; }
    friend constexpr RowIterator operator-(RowIterator it, difference_type n) noexcept { return it -= n; }
    friend constexpr difference_type operator-(const RowIterator& a, const RowIterator& b) noexcept { return a.row_ - b.row_; }
    friend constexpr bool operator==(const RowIterator& a, const RowIterator& b) noexcept { return a.row_ == b.row_; }
    friend constexpr auto operator<=>(const RowIterator& a, const RowIterator& b) noexcept { return a.row_ <=> b.row_; }

    /// The row as rvalues: std::ranges algorithms move by it.
    friend constexpr auto iter_move(const RowIterator& it) noexcept {
        return std::apply(
            [row = it.row_](const auto&... data) {
                return RowRef<row_rvalue<Ts>...>(static_cast<row_rvalue<Ts>>(data[row])...);
            },
            it.data_);
    }
    friend constexpr void iter_swap(const RowIterator& a, const RowIterator& b) { swap(*a, *b); }

private:
    template <class...>
    friend class RowIterator;
    std::tuple<row_data<Ts>...> data_{};
    difference_type row_ = 0;
};

} // namespace detail
SLOTWISE_END

/// RowRef binds as its tuple does.
template <class... Refs>
struct std::tuple_size<slotwise::RowRef<Refs...>> : std::integral_constant<std::size_t, sizeof...(Refs)> {};
template <std::size_t Nth, class... Refs>
struct std::tuple_element<Nth, slotwise::RowRef<Refs...>> {
    using type = std::tuple_element_t<Nth, std::tuple<Refs...>>;
};
// Rows of references and rows of values have common references, as zip's tuples do in C++23.
template <class... Refs, class... Us, template <class> class Q, template <class> class R>
    requires(sizeof...(Refs) == sizeof...(Us) &&
             requires { typename slotwise::RowRef<std::common_reference_t<Q<Refs>, R<Us>>...>; })
struct std::basic_common_reference<slotwise::RowRef<Refs...>, std::tuple<Us...>, Q, R> {
    using type = slotwise::RowRef<std::common_reference_t<Q<Refs>, R<Us>>...>;
};
template <class... Us, class... Refs, template <class> class Q, template <class> class R>
    requires(sizeof...(Refs) == sizeof...(Us) &&
             requires { typename slotwise::RowRef<std::common_reference_t<Q<Us>, R<Refs>>...>; })
struct std::basic_common_reference<std::tuple<Us...>, slotwise::RowRef<Refs...>, Q, R> {
    using type = slotwise::RowRef<std::common_reference_t<Q<Us>, R<Refs>>...>;
};
template <class... Refs, class... Us, template <class> class Q, template <class> class R>
    requires(sizeof...(Refs) == sizeof...(Us) &&
             requires { typename slotwise::RowRef<std::common_reference_t<Q<Refs>, R<Us>>...>; })
struct std::basic_common_reference<slotwise::RowRef<Refs...>, slotwise::RowRef<Us...>, Q, R> {
    using type = slotwise::RowRef<std::common_reference_t<Q<Refs>, R<Us>>...>;
};

#endif
