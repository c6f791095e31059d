// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RowArguments, RowRules: the named template arguments of containers of rows, and their assignment and swap by the rules of
// allocators.
#ifndef SLOTWISE_ROWS_DETAIL_ROW_CONTAINER_HPP
#define SLOTWISE_ROWS_DETAIL_ROW_CONTAINER_HPP

#include "../../core/with.hpp"
#include "../../memory/allocator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The arguments With... of a container of rows whose default allocator allocates T.
template <class T, class... With>
struct RowArguments {
    static_assert(((Argument<With>::name == with_alloc) && ...),
                  "template argument: this container of rows takes AllocBy<A> only; leave the others out");
    static_assert(sizeof...(With) <= 1, "template arguments: AllocBy<A> occurs twice; name one");
    using allocator = pick<with_alloc, std::allocator<T>, With...>;
};

/// Assignment and swap of containers that have copies and moves with an allocator, and swap_contents(other), which exchanges
/// the allocators too.
struct RowRules {
    template <class C>
    static constexpr bool nothrow_move =
        propagates_on_move<typename C::allocator_type> || always_equal<typename C::allocator_type>;
    template <class C>
    static constexpr bool nothrow_swap =
        propagates_on_swap<typename C::allocator_type> || always_equal<typename C::allocator_type>;

    template <class C>
    static constexpr void assign_copy(C& to, const C& from) {
        if (&to == &from) return;
        C copy(from, propagates_on_copy<typename C::allocator_type> ? from.get_allocator() : to.get_allocator());
        to.swap_contents(copy);
    }
    template <class C>
    static constexpr void assign_move(C& to, C& from) noexcept(nothrow_move<C>) {
        if (&to == &from) return;
        C taken(std::move(from), propagates_on_move<typename C::allocator_type> ? from.get_allocator() : to.get_allocator());
        to.swap_contents(taken);
    }
    template <class C>
    static constexpr void swap(C& a, C& b) noexcept(nothrow_swap<C>) {
        if (nothrow_swap<C> || a.get_allocator() == b.get_allocator()) return a.swap_contents(b);
        // NOLINTNEXTLINE(bugprone-use-after-move): what was moved from keeps its allocator, and is empty
        C mine(std::move(a), b.get_allocator()), theirs(std::move(b), a.get_allocator());
        a.swap_contents(theirs); // NOLINT(bugprone-use-after-move)
        b.swap_contents(mine);   // NOLINT(bugprone-use-after-move)
    }
};

} // namespace detail

SLOTWISE_END

#endif
