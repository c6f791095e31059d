// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The members of an aggregate, found without declarations by its author. Snapshots use it to write a struct without its
// padding.
#ifndef SLOTWISE_CORE_MEMBERS_HPP
#define SLOTWISE_CORE_MEMBERS_HPP

#include "with.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

/// An initialiser for a member of any type. It is never called, but clang needs a body when it examines std::optional's
/// constructors.
template <std::size_t>
struct AnyMember {
    template <class U>
    operator U() const noexcept {
        return (*static_cast<U (*)()>(nullptr))();
    }
};
/// An initialiser for a base of T.
template <class T>
struct AnyBase {
    template <class U>
        requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
    operator U() const noexcept; // declared only
};

/// Structs with more initialisers are not decomposed. An array has one for each element: float[64] is one member, but 64
/// initialisers.
inline constexpr std::size_t max_initialisers = 256;

/// Whether T can be initialised from `Before` values; with `Braces` an empty pair of them and `After` values follow.
template <class T, std::size_t Before, bool Braces = false, std::size_t After = 0>
consteval bool takes_initialisers() {
    return []<std::size_t... B, std::size_t... A>(std::index_sequence<B...>, std::index_sequence<A...>) {
        if constexpr (Braces)
            return requires { T{AnyMember<B>()..., {}, AnyMember<A>()...}; };
        else
            return requires { T{AnyMember<B>()...}; };
    }(std::make_index_sequence<Before>{}, std::make_index_sequence<After>{});
}

/// The largest n below `High` for which T takes n initialisers (those after braces, if there are any). @pre it takes `Low`
template <class T, std::size_t Before, bool Braces, std::size_t Low, std::size_t High>
consteval std::size_t most_initialisers() {
    if constexpr (High - Low <= 1)
        return Low;
    else {
        constexpr std::size_t middle = Low + (High - Low) / 2;
        constexpr bool fits = Braces ? takes_initialisers<T, Before, true, middle>() : takes_initialisers<T, middle>();
        if constexpr (fits)
            return most_initialisers<T, Before, Braces, middle, High>();
        else
            return most_initialisers<T, Before, Braces, Low, middle>();
    }
}

/// The members from initialiser number `At` of `Total` on: an array takes as many initialisers as it has elements, and one pair
/// of braces. max_initialisers when that cannot be determined.
template <class T, std::size_t At, std::size_t Total>
consteval std::size_t members_from() {
    if constexpr (At == Total)
        return 0;
    else if constexpr (!takes_initialisers<T, At, true, 0>())
        return max_initialisers;
    else {
        constexpr std::size_t after = most_initialisers<T, At, true, 0, Total - At>();
        return 1 + members_from<T, Total - after, Total>();
    }
}

/// How many members T has. 0 unless T is a struct whose members are all public, its own and within the limits.
template <class T>
consteval std::size_t count_members() {
    if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || std::is_empty_v<T> || !std::default_initializable<T>)
        return 0; // NOLINT(bugprone-branch-clone): what comes next may be asked only of such structs
    else if constexpr (requires { T{AnyBase<T>()}; })
        return 0;
    else {
        constexpr std::size_t total = most_initialisers<T, 0, false, 0, max_initialisers + 1>();
        if constexpr (total == max_initialisers)
            return 0;
        else
            return members_from<T, 0, total>() <= 16 ? members_from<T, 0, total>() : 0;
    }
}

/// What visit_members() returns when a member is a bit-field.
struct NoMembers {};

/// f(members...), in the order of their declaration. @pre count_members<T>() == N, which is not 0
template <std::size_t N, class T, class F>
constexpr decltype(auto) visit_members(T& object, F&& f) {
    // A requirement, because a bit-field binds to no reference.
#define SLOTWISE_VISIT(n, ...)                                                                                                 \
    if constexpr (N == n) {                                                                                                    \
        auto& [__VA_ARGS__] = object;                                                                                          \
        if constexpr (requires { f(__VA_ARGS__); })                                                                            \
            return f(__VA_ARGS__);                                                                                             \
        else                                                                                                                   \
            return NoMembers{};                                                                                                \
    }
    SLOTWISE_VISIT(1, a)
    SLOTWISE_VISIT(2, a, b)
    SLOTWISE_VISIT(3, a, b, c)
    SLOTWISE_VISIT(4, a, b, c, d)
    SLOTWISE_VISIT(5, a, b, c, d, e)
    SLOTWISE_VISIT(6, a, b, c, d, e, g)
    SLOTWISE_VISIT(7, a, b, c, d, e, g, h)
    SLOTWISE_VISIT(8, a, b, c, d, e, g, h, i)
    SLOTWISE_VISIT(9, a, b, c, d, e, g, h, i, j)
    SLOTWISE_VISIT(10, a, b, c, d, e, g, h, i, j, k)
    SLOTWISE_VISIT(11, a, b, c, d, e, g, h, i, j, k, l)
    SLOTWISE_VISIT(12, a, b, c, d, e, g, h, i, j, k, l, m)
    SLOTWISE_VISIT(13, a, b, c, d, e, g, h, i, j, k, l, m, o)
    SLOTWISE_VISIT(14, a, b, c, d, e, g, h, i, j, k, l, m, o, p)
    SLOTWISE_VISIT(15, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q)
    SLOTWISE_VISIT(16, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r)
#undef SLOTWISE_VISIT
}

/// Only its result type is used. Clang needs a body when the type of a member has no linkage.
struct ListTypes {
    template <class... Ms>
    TypeList<Ms...> operator()(Ms&...) const noexcept {
        return {};
    }
};
template <class T>
consteval auto list_members() {
    if constexpr (constexpr std::size_t count = count_members<T>(); count == 0)
        return NoMembers{};
    else
        return decltype(visit_members<count>(std::declval<T&>(), ListTypes{})){};
}
/// TypeList of the types of T's members, or NoMembers.
template <class T>
using members_of = decltype(list_members<T>());

} // namespace detail
SLOTWISE_END

#endif
