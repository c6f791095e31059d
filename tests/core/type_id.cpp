// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"

#include <slotwise/core/type_descriptor.hpp>

#include <string>

using namespace slotwise;

namespace game {
struct Position {};
template <class T>
struct Box {};
} // namespace game
namespace {
struct Local {};
} // namespace

TEST_CASE("TypeId: each type has one, also where the compiler writes several by one name", "[core]") {
    const auto first = [](int) {};
    const auto second = [](int) {}; // GCC: main()::<lambda(int)>, both of them
    struct Position {};             // Clang: Position
    CHECK(TypeId::of<decltype(first)>() != TypeId::of<decltype(second)>());
    CHECK(TypeId::of<Position>() != TypeId::of<game::Position>());
    CHECK(TypeId::of<const game::Position&>() == TypeId::of<game::Position>());
    CHECK(TypeId::of<game::Position>().name() == "game::Position");
    CHECK(TypeId::of<int>() != TypeId::of<unsigned>());
    CHECK((!TypeId() && TypeId() == nullptr && TypeId() != TypeId::of<int>() && TypeId().name().empty()));
}

TEST_CASE("TypeId: types that other libraries cannot have are told by their names", "[core]") {
    const auto lambda = [] {};
    enum { unnamed };
    CHECK(detail::is_local_name(detail::type_name<Local>()));
    CHECK(detail::is_local_name(detail::type_name<game::Box<Local>>()));
    CHECK(detail::is_local_name(detail::type_name<decltype(lambda)>()));
    CHECK(detail::is_local_name(detail::type_name<decltype(unnamed)>()));
    CHECK_FALSE(detail::is_local_name(detail::type_name<game::Box<void (*)(int)>>()));
    CHECK_FALSE(detail::is_local_name(detail::type_name<std::string>()));
}

TEST_CASE("TypeId: identities of two libraries are one type if name, size and alignment are, and no part is local", "[core]") {
    using detail::TypeIdentity;
    const TypeIdentity here = detail::type_identity<game::Position>;
    char other_library = 0;
    TypeIdentity there = here;
    CHECK_FALSE(here.same_elsewhere(there)); // of one library: two types that the compiler writes by one name
    there.library = &other_library;
    CHECK(here.same_elsewhere(there));
    there.hash ^= 1; // of another size
    CHECK_FALSE(here.same_elsewhere(there));
    there.hash = here.hash;
    const std::string text = "game::Velocity"; // a collision of hashes
    there.text = text.data();
    CHECK_FALSE(here.same_elsewhere(there));
    there.text = here.text;
    there.local = true;
    CHECK_FALSE((here.same_elsewhere(there) || there.same_elsewhere(here)));
    CHECK((detail::hash_of_name("") == 0xCBF29CE484222325u && detail::hash_of_name("foobar") == 0x85944171F73967E8u));
}

TEST_CASE("TypeDescriptor: descriptions of one C++ type describe one type", "[core]") {
    TypeDescriptor copy = TypeDescriptor::of<int>(); // as another library has one
    CHECK(same_type(copy, TypeDescriptor::of<int>()));
    CHECK_FALSE(same_type(copy, TypeDescriptor::of<unsigned>()));
    copy.id = nullptr;
    CHECK_FALSE(same_type(copy, TypeDescriptor::of<int>()));
    CHECK(same_type(copy, copy));
}
