// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// call_form: whether a callback is called as f(value) or f(handle, value), by the exact type of its first parameter.
#ifndef SLOTWISE_CORE_DETAIL_CALL_FORM_HPP
#define SLOTWISE_CORE_DETAIL_CALL_FORM_HPP

#include "../../config/abi.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

/// Converts to N and to no other type. In braces it initialises a parameter of type N, const N& or N&&, and nothing else: an
/// auto parameter is not deduced from braces, so no body of a generic lambda is instantiated for it.
template <class N>
struct ConvertsTo {
    template <class U>
        requires std::same_as<U, N>
    operator U() const noexcept;
};
/// An aggregate takes a ConvertsTo in braces for its first member. It takes one of its own type as a whole.
template <class N>
using BracedArgument = std::conditional_t<std::is_aggregate_v<N>, N, ConvertsTo<N>>;

/// The first parameter of a function, and of a class that has one operator() which is no template. No others are declared.
template <class R, class First, class... Rest>
std::type_identity<First> first_parameter(R (*)(First, Rest...));
template <class R, class C, class First, class... Rest>
std::type_identity<First> first_parameter(R (C::*)(First, Rest...));
template <class R, class C, class First, class... Rest>
std::type_identity<First> first_parameter(R (C::*)(First, Rest...) const);
template <class R, class C, class First, class... Rest>
std::type_identity<First> first_parameter(R (C::*)(First, Rest...) &);
template <class R, class C, class First, class... Rest>
std::type_identity<First> first_parameter(R (C::*)(First, Rest...) const&);

/// The type of F's first parameter, where F has a signature that can be read: no overloads, and no generic lambda.
template <class F>
struct ReadSignature {};
template <class F>
    requires std::is_class_v<F> && requires { detail::first_parameter(&F::operator()); }
struct ReadSignature<F> : decltype(detail::first_parameter(&F::operator())) {};
template <class F>
    requires std::is_function_v<std::remove_pointer_t<F>> && requires(F& f) { detail::first_parameter(f); }
struct ReadSignature<F> : decltype(detail::first_parameter(std::declval<F&>())) {};

/// Converts to nothing.
struct Unrelated {};

template <class F, class N, class... Rest>
consteval bool takes_first() noexcept {
    using Read = ReadSignature<std::remove_cv_t<F>>;
    if constexpr (requires { typename Read::type; })
        return std::is_same_v<std::remove_cvref_t<typename Read::type>, N> && std::is_invocable_v<F&, N, Rest...>;
    else if constexpr (
        !requires(F& f) { f({std::declval<BracedArgument<N>>()}, std::declval<Rest>()...); } ||
        requires(F& f) { f({{std::declval<BracedArgument<N>>()}}, std::declval<Rest>()...); } ||
        requires(F& f) { f({std::declval<Unrelated>()}, std::declval<Rest>()...); })
        return false; // it is a class that is made from an N, whose argument may be in braces of its own, or from anything
    else if constexpr (std::is_class_v<N> && !std::is_aggregate_v<N> && std::is_move_constructible_v<N>)
        return requires(F& f) { f({{std::declval<N>()}}, std::declval<Rest>()...); }; // else by a template: a variant with an N
    else
        return true;
}
/// Whether F can be called with (N, Rest...) and its first parameter is an N: neither a type that N converts to nor a
/// generic one. The signature says it; overloads and templates are probed.
template <class F, class N, class... Rest>
concept TakesFirst = detail::takes_first<F, N, Rest...>();

/// Converts to each number, pointer and enumeration.
struct ConvertsToScalar {
    template <class U>
        requires std::is_scalar_v<U>
    operator U() const noexcept;
};
/// Whether the first parameter is of one type, whatever that is, and takes an N. A generic parameter is not. In braces a number
/// does not narrow: therefore the second condition.
template <class F, class N, class... Rest>
concept TakesBraced = requires(F& f) { f({std::declval<N>()}, std::declval<Rest>()...); } ||
                      requires(F& f) { f({std::declval<ConvertsToScalar>()}, std::declval<Rest>()...); };

/// What call_form says of a callback.
enum class CallForm : unsigned char {
    none,   ///< it can be called in neither form
    plain,  ///< f(args...)
    named,  ///< f(name, args...)
    either, ///< in both, because its first parameter is generic: f(auto... each)
};

template <class F, class Name, class... Args>
constexpr bool name_in_place_of_first = false;
/// Whether the callback f(first, rest...) has a parameter of type Name where a First would stand. Passing a First that converts
/// to Name would be a mistake.
template <class F, class Name, class First, class... Rest>
    requires(!std::is_same_v<std::remove_cvref_t<First>, Name>)
constexpr bool name_in_place_of_first<F, Name, First, Rest...> = TakesFirst<F, Name, Rest...>;

template <class F, class Name, class... Args>
consteval CallForm find_call_form() noexcept {
    if constexpr (TakesFirst<F, Name, Args...>)
        return CallForm::named;
    else {
        constexpr bool plain = std::is_invocable_v<F&, Args...> && !name_in_place_of_first<F, Name, Args...>;
        if constexpr (!std::is_invocable_v<F&, Name, Args...>)
            return plain ? CallForm::plain : CallForm::none;
        else if constexpr (!plain)
            return CallForm::named; // a name that is converted: f(std::size_t slot, value)
        else                        // both: by a default argument, or because it is generic
            return TakesBraced<F, Name, Args...> ? CallForm::plain : CallForm::either;
    }
}

/// The form in which a callback is called that may take a name (a handle, a slot, an id, an entity) before its other arguments.
/// A first parameter of exactly that type takes the name, and only the name: no value that converts to it. A conversion decides
/// for no form that another form competes with.
/// @tparam F what is called, as an lvalue @tparam Name without reference @tparam Args as std::declval makes them
template <class F, class Name, class... Args>
inline constexpr CallForm call_form = find_call_form<F, Name, Args...>();

/// Whether f(item) is possible, and not by an item that converts to what is named beside it: its key or its handle.
template <class F, class Item, class... Names>
inline constexpr bool takes_item = std::is_invocable_v<F&, Item> && !(TakesFirst<F, Names> || ...);

/// Whether a callback wants the name.
enum class WantsName : unsigned char { no, yes, if_alone }; ///< if_alone: by a conversion, where no other form is possible
/// A generic callback wants it, and nothing else is asked of it then: its body need not compile in the other form.
template <class F, class Name, class... Args>
consteval WantsName wants_name() noexcept {
    if constexpr (TakesFirst<F, Name, Args...>)
        return WantsName::yes;
    else if constexpr (!std::is_invocable_v<F&, Name, Args...>)
        return WantsName::no;
    else
        return TakesBraced<F, Name, Args...> ? WantsName::if_alone : WantsName::yes;
}

/// Whether the callback is called as f(name, args...), and not as f(args...). A generic one is. One of them must be possible.
template <class F, class Name, class... Args>
consteval bool takes_name() noexcept {
    constexpr WantsName wants = wants_name<F, Name, Args...>();
    if constexpr (wants == WantsName::yes)
        return true;
    else {
        constexpr bool plain = std::is_invocable_v<F&, Args...> && !name_in_place_of_first<F, Name, Args...>;
        static_assert(plain || wants == WantsName::if_alone,
                      "callback: it is called as f(values...) or f(name, values...), where the name is a handle, a slot or an "
                      "id. A parameter of the name's type takes the name, never a value that converts to it");
        return !plain && wants == WantsName::if_alone;
    }
}
/// Whether the callback is called as f(name, args...), and not as f(item), where the item has name and value in it.
template <class F, class Name, class Item, class... Args>
consteval bool takes_name_or_item() noexcept {
    constexpr WantsName wants = wants_name<F, Name, Args...>();
    if constexpr (wants == WantsName::yes)
        return true;
    else {
        constexpr bool item = takes_item<F, Item, Name>;
        static_assert(item || wants == WantsName::if_alone,
                      "callback: it is called as f(name, value) or f(item), where the name is a handle or an id, and the item "
                      "has both in it");
        return !item && wants == WantsName::if_alone;
    }
}

} // namespace detail

SLOTWISE_END

#endif
