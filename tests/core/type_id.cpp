// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"

#include <slotwise/core/type_descriptor.hpp>

#include <string>

using namespace slotwise;

namespace game {
struct Position {};
} // namespace game
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

TEST_CASE("TypeDescriptor: descriptions of one C++ type describe one type", "[core]") {
    TypeDescriptor copy = TypeDescriptor::of<int>(); // as another library has one
    CHECK(same_type(copy, TypeDescriptor::of<int>()));
    CHECK_FALSE(same_type(copy, TypeDescriptor::of<unsigned>()));
    copy.id = nullptr;
    CHECK_FALSE(same_type(copy, TypeDescriptor::of<int>()));
    CHECK(same_type(copy, copy));
}
