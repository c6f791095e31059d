// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Private members, for tests that damage a container to see that its check_invariants() notices.
//     TEST_PRIVATE(Versions, SlotDirectory<>, versions_)               in an anonymous namespace
//     CHECK(test::notices(directory, test::reach<Versions>(directory)[3], 8))
#ifndef SLOTWISE_TESTS_SUPPORT_PRIVATE_ACCESS_HPP
#define SLOTWISE_TESTS_SUPPORT_PRIVATE_ACCESS_HPP

#include <type_traits>
#include <utility>

namespace test {

/// Makes `name` a type by which reach<name>(object) is the member of an object of `type`, an alias if it has commas. An
/// explicit instantiation may name private members: [temp.spec.general].
#define TEST_PRIVATE(name, type, member)                                                                                       \
    struct name {                                                                                                              \
        friend constexpr auto member_of(name) noexcept;                                                                        \
    };                                                                                                                         \
    template <auto Member>                                                                                                     \
    struct Reveal##name {                                                                                                      \
        friend constexpr auto member_of(name) noexcept { return Member; }                                                      \
    };                                                                                                                         \
    template struct Reveal##name<&type::member>;

/// The notation of the cast is the one that private bases allow, [expr.cast].
template <class Name, class Object>
constexpr auto& reach(Object& object) noexcept {
    const auto of_base = [&]<class Member, class Base>(Member Base::*member) -> auto& {
        using BaseRef = Base&;
        return BaseRef(object).*member;
    };
    return of_base(member_of(Name()));
}
/// The type of that member.
template <class Name, class Object>
using reached_t = std::remove_cvref_t<decltype(reach<Name>(std::declval<Object&>()))>;

/// Whether check_invariants() holds, holds no longer once damage() was done, and again after repair().
template <class Object, class Damage, class Repair, class... Args>
bool notices_that(const Object& object, Damage&& damage, Repair&& repair, const Args&... args) {
    if (!object.check_invariants(args...)) return false;
    damage();
    const bool noticed = !object.check_invariants(args...);
    repair();
    return noticed && object.check_invariants(args...);
}
/// The same where the damage is `value` in the place of `part`.
template <class Object, class Part, class Value, class... Args>
bool notices(const Object& object, Part& part, const Value& value, const Args&... args) {
    Part other = static_cast<Part>(value);
    const auto exchange = [&] { std::swap(part, other); };
    return notices_that(object, exchange, exchange, args...);
}

} // namespace test

#endif
