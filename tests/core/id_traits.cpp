// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/id_traits.hpp>

#include "support/catch.hpp"

using namespace slotwise;

namespace {

using Small = Handle<struct SmallTag, HandleLayout{12, 3, 1}>;
enum class Unit : std::uint16_t {};
enum class Signed : int {};

} // namespace

/// The id of another library: the version lies below the index.
struct Foreign {
    std::uint32_t bits;
    friend constexpr bool operator==(Foreign, Foreign) = default;
};

template <>
struct slotwise::IdTraits<Foreign> {
    static constexpr bool versioned = true;
    static constexpr std::uint32_t max_index = 0xFF'FFFF, max_version = 0xFF;
    static constexpr slot_t index(Foreign id) noexcept { return id.bits >> 8; }
    static constexpr std::uint32_t version(Foreign id) noexcept { return id.bits & 0xFF; }
    static constexpr bool can_live(Foreign id) noexcept { return id.bits != 0; }
};

TEST_CASE("the index and version of a handle are those of its id") {
    STATIC_REQUIRE(IdTraits<Small>::versioned);
    STATIC_REQUIRE(IdTraits<Small>::max_index == 4095);
    STATIC_REQUIRE(IdTraits<Small>::max_version == 7);
    constexpr Small id(12, 5, 1);
    STATIC_REQUIRE(IdTraits<Small>::index(id) == 12);
    STATIC_REQUIRE(IdTraits<Small>::version(id) == 5);
}

TEST_CASE("null and handles of even versions are never live ids") {
    STATIC_REQUIRE(IdTraits<Small>::can_live(Small(0, 1)));
    STATIC_REQUIRE_FALSE(IdTraits<Small>::can_live(Small()));
    STATIC_REQUIRE_FALSE(IdTraits<Small>::can_live(Small(12, 4)));
}

TEST_CASE("an unsigned number, and an enumeration over one, is its own index and has no version") {
    STATIC_REQUIRE_FALSE(IdTraits<std::uint32_t>::versioned);
    STATIC_REQUIRE(IdTraits<std::uint32_t>::index(0xFFFF'FFFFu) == 0xFFFF'FFFFu);
    STATIC_REQUIRE(IdTraits<std::uint8_t>::max_index == 255);
    STATIC_REQUIRE(IdTraits<Unit>::max_index == 0xFFFF);
    STATIC_REQUIRE(IdTraits<Unit>::index(Unit{7}) == 7);
    STATIC_REQUIRE(IdTraits<Unit>::version(Unit{7}) == 0);
    STATIC_REQUIRE(IdTraits<Unit>::can_live(Unit{0}));
}

TEST_CASE("an id is a handle, a number of at most 32 bits, or a type with IdTraits of its own") {
    STATIC_REQUIRE(AnyId<Small>);
    STATIC_REQUIRE(AnyId<std::uint32_t>);
    STATIC_REQUIRE(AnyId<Unit>);
    STATIC_REQUIRE(AnyId<Foreign>);
    CHECK(Foreign{1} == Foreign{1});
    STATIC_REQUIRE(IdTraits<Foreign>::max_version == 255);
    STATIC_REQUIRE_FALSE(AnyId<std::uint64_t>); // its high numbers have no place in a sparse array
    STATIC_REQUIRE_FALSE(AnyId<int>);
    STATIC_REQUIRE_FALSE(AnyId<Signed>);
    STATIC_REQUIRE_FALSE(AnyId<bool>);
    STATIC_REQUIRE_FALSE(AnyId<const char*>);
}
