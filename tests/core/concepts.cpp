// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/detail/concepts.hpp>

#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <memory>

using namespace slotwise;

namespace {

struct ThrowsOnDestruction {
    ~ThrowsOnDestruction() noexcept(false) {}
};

} // namespace

TEST_CASE("any handle is AnyHandle, whatever its tag and layout, and nothing else is") {
    STATIC_REQUIRE(AnyHandle<Handle<int>>);
    STATIC_REQUIRE(AnyHandle<Handle<struct NeverDefined, HandleLayout{8, 8, 0}>>);
    STATIC_REQUIRE_FALSE(AnyHandle<int>);
    STATIC_REQUIRE_FALSE(AnyHandle<Handle<int>*>);
}

TEST_CASE("an element may be any object type that is not const, not an array, and whose destructor does not throw") {
    STATIC_REQUIRE(Storable<int>);
    STATIC_REQUIRE(Storable<int*>);
    STATIC_REQUIRE(Storable<const int*>);
    STATIC_REQUIRE(Storable<std::unique_ptr<int>>);
    STATIC_REQUIRE(Storable<test::NonMovable>);
    STATIC_REQUIRE(Storable<test::OverAligned<4096>>);
    STATIC_REQUIRE_FALSE(Storable<const int>);
    STATIC_REQUIRE_FALSE(Storable<volatile int>);
    STATIC_REQUIRE_FALSE(Storable<int[3]>);
    STATIC_REQUIRE_FALSE(Storable<int&>);
    STATIC_REQUIRE_FALSE(Storable<void>);
    STATIC_REQUIRE_FALSE(Storable<int()>);
    STATIC_REQUIRE_FALSE(Storable<ThrowsOnDestruction>);
}
