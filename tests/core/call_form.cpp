// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/detail/call_form.hpp>
#include <slotwise/core/handle.hpp>

#include "support/catch.hpp"

#include <any>
#include <cstddef>
#include <functional>
#include <optional>
#include <variant>

namespace {

using slotwise::detail::call_form;
using slotwise::detail::CallForm;

using Name = slotwise::Handle<struct CallFormTag>;
enum class Number : unsigned {};
struct Id { // an aggregate, as ids of other libraries are
    unsigned bits;
};
struct ClassId {
    ClassId() = default;
    ClassId(unsigned, unsigned) {}
};

template <class N>
struct ToName {
    operator N() const { return N{}; }
};
template <class N>
struct FromName {
    FromName() = default;
    FromName(const N&) {}
    FromName(int, int) {}
};

/// Is made from anything.
struct Anything {
    int number = 0;
    Anything() = default;
    template <class U>
    Anything(U&&) {}
};
/// Is made from what converts to a name.
template <class N>
struct FromNameLike {
    FromNameLike() = default;
    template <class U>
        requires std::is_convertible_v<U, N>
    FromNameLike(U&&) {}
};

template <class N, class Value, CallForm Form, class F>
constexpr bool has_form(const F&) {
    return call_form<F, N, Value&> == Form;
}

/// A value that is made from a name, among others, by a constructor that is a template.
template <class N, class Value>
constexpr bool from_many_is_a_value() {
    bool ok = true;
    ok = ok && has_form<N, Value, CallForm::plain>([](Value) {});
    ok = ok && has_form<N, Value, CallForm::plain>([](Value&) {});
    ok = ok && has_form<N, Value, CallForm::plain>([](const Value&) {});
    ok = ok && has_form<N, Value, CallForm::plain>([](const Value&, int = 0) {});
    ok = ok && has_form<N, Value, CallForm::plain>([](const Value&) mutable noexcept {});
    ok = ok && has_form<N, Value, CallForm::named>([](N, const Value&) {});
    ok = ok && has_form<N, Value, CallForm::named>([](const N&, Value) mutable noexcept {});
    ok = ok && has_form<N, Value, CallForm::named>([](N, auto&&...) {});
    ok = ok && has_form<N, Value, CallForm::named>([](N, const Value& = {}) {});
    ok = ok && call_form<void(const Value&), N, Value&> == CallForm::plain;
    ok = ok && call_form<void (*)(N, Value), N, Value&> == CallForm::named;
    ok = ok && call_form<std::function<void(N, const Value&)>, N, Value&> == CallForm::named;
    ok = ok && call_form<std::function<void(const Value&)>, N, Value&> == CallForm::plain;
    // As a key of an order: two values, and no two names.
    ok = ok && !slotwise::detail::TakesFirst<decltype([](const Value&, const Value&) { return false; }), N, N>;
    return ok;
}
template <class N>
constexpr bool first_parameter_decides() {
    using From = FromName<N>;
    using To = ToName<N>;
    bool ok = true;
    // The name is taken by its own type alone, however it is written.
    ok = ok && has_form<N, int, CallForm::named>([](N, int&) {});
    ok = ok && has_form<N, int, CallForm::named>([](const N&, const int&) {});
    ok = ok && has_form<N, int, CallForm::named>([](N&&, auto&) {});
    ok = ok && has_form<N, int, CallForm::named>([](N, auto&&...) {});
    ok = ok && has_form<N, int, CallForm::named>([](N, long, int = 0) {});
    ok = ok && has_form<N, int, CallForm::plain>([](int&) {});
    ok = ok && has_form<N, int, CallForm::plain>([](auto& value) { return value + 1; });
    ok = ok && has_form<N, int, CallForm::plain>([](long) {});
    // A value that converts to a name is a value, and never passed as the name.
    ok = ok && has_form<N, To, CallForm::plain>([](const To&, int = 0) {});
    ok = ok && has_form<N, To, CallForm::named>([](N, const To&) {});
    ok = ok && has_form<N, To, CallForm::named>([](N, auto&&...) {});
    ok = ok && has_form<N, To, CallForm::none>([](N) {});
    ok = ok && has_form<N, To, CallForm::none>([](const N&, int = 0) {});
    // Nor is the name passed as a value that it converts to.
    ok = ok && has_form<N, From, CallForm::plain>([](From) {});
    ok = ok && has_form<N, From, CallForm::plain>([](const From&, const From& = {}) {});
    ok = ok && has_form<N, From, CallForm::named>([](N, const From& = {}) {});
    ok = ok && from_many_is_a_value<N, Anything>() && from_many_is_a_value<N, std::any>();
    ok = ok && from_many_is_a_value<N, std::optional<N>>() && from_many_is_a_value<N, std::variant<N, const char*>>();
    ok = ok && from_many_is_a_value<N, FromNameLike<N>>();
    // Generic in the first place: both forms are possible, and each caller documents which one it takes.
    ok = ok && has_form<N, int, CallForm::either>([](auto...) {});
    ok = ok && has_form<N, int, CallForm::plain>([](auto&...) {}); // a name is no lvalue
    ok = ok && has_form<N, int, CallForm::named>([](auto name, int&) { return name; });
    // Neither.
    ok = ok && has_form<N, int, CallForm::none>([](const char*) {});
    ok = ok && has_form<N, int, CallForm::none>([] {});
    return ok;
}
static_assert(first_parameter_decides<Name>());
static_assert(first_parameter_decides<Number>());
static_assert(first_parameter_decides<Id>());
static_assert(first_parameter_decides<ClassId>());

// Both overloads are exact: the name is wanted.
struct Overloaded {
    void operator()(Name, int&) {}
    void operator()(int&) {}
};
static_assert(call_form<Overloaded, Name, int&> == CallForm::named);
/// No signature can be read: what is made from anything is none of the two.
template <class Value>
struct OverloadedOf {
    void operator()(const Value&, int&) {}
    void operator()(const Value&) {}
};
static_assert(call_form<OverloadedOf<std::any>, Name, std::any&, int&> == CallForm::plain);
static_assert(call_form<OverloadedOf<Anything>, Name, Anything&, int&> == CallForm::plain);
static_assert(call_form<OverloadedOf<std::variant<Name, int>>, Name, std::variant<Name, int>&, int&> == CallForm::plain);
static_assert(call_form<decltype([](const std::any&, auto&) {}), Name, std::any&, int&> == CallForm::plain);
static_assert(call_form<decltype([](std::variant<Name, int>, auto&&...) {}), Name, std::variant<Name, int>&> ==
              CallForm::plain);
static_assert(call_form<decltype([](Name, auto&&...) {}), Name, std::any&> == CallForm::named);
[[maybe_unused]] void function(Name, int&) {}
static_assert(call_form<decltype(function), Name, int&> == CallForm::named);
static_assert(call_form<decltype(&function), Name, int&> == CallForm::named);
static_assert(call_form<std::function<void(int)>, Name, int&> == CallForm::plain);
static_assert(call_form<std::function<void(Name, int)>, Name, int&> == CallForm::named);
// A slot is a number: a number of another type is the slot only where no form without it is possible.
static_assert(has_form<slotwise::slot_t, int, CallForm::named>([](std::size_t, int&) {}));
static_assert(has_form<slotwise::slot_t, int, CallForm::plain>([](int, int = 0) {}));
static_assert(has_form<slotwise::slot_t, long, CallForm::plain>([](long, long = 0) {}));
// The name alone, and elements that are names themselves.
static_assert(call_form<decltype([](Name) {}), Name> == CallForm::named);
static_assert(call_form<decltype([] {}), Name> == CallForm::plain);
static_assert(call_form<decltype([](const Name&) {}), Name, const Name&> == CallForm::plain);
static_assert(call_form<decltype([](Name, const Name&) {}), Name, const Name&> == CallForm::named);

TEST_CASE("a callback takes the name by exactly its type, and no value that converts to it", "[call_form]") {
    CHECK(first_parameter_decides<Name>());
    CHECK(slotwise::detail::takes_name<decltype([](Name, int&) {}), Name, int&>());
    CHECK(slotwise::detail::takes_name<decltype([](auto...) {}), Name, int&>());
    CHECK_FALSE(slotwise::detail::takes_name<decltype([](int&) {}), Name, int&>());
}

} // namespace
