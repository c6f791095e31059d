// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"

#include <slotwise/core/public_id.hpp>

#include <random>
#include <set>
#include <sstream>
#include <string>

namespace {

using slotwise::PublicId;

constexpr std::string_view text = "123e4567-e89b-42d3-a456-426614174000";

static_assert(PublicId::parse(text)->high == 0x123e'4567'e89b'42d3 && PublicId::parse(text)->low == 0xa456'4266'1417'4000);
static_assert(PublicId{}.is_nil());

} // namespace

TEST_CASE("A PublicId's text reads back to the same id, in either case", "[core]") {
    const auto id = PublicId::parse(text);
    REQUIRE(id.has_value());
    CHECK(std::string_view(id->to_text()) == text);
    CHECK(PublicId::parse("123E4567-E89B-42D3-A456-426614174000") == id);
    std::ostringstream out;
    out << *id;
    CHECK(out.str() == text);
    CHECK(std::string_view(PublicId{}.to_text()) == "00000000-0000-0000-0000-000000000000");
}

TEST_CASE("Text that is no id is refused, whatever is wrong with it", "[core]") {
    CHECK_FALSE(PublicId::parse("").has_value());
    CHECK_FALSE(PublicId::parse("123e4567e89b42d3a456426614174000").has_value());
    std::string wrong(text);
    wrong += '0';
    CHECK_FALSE(PublicId::parse(wrong).has_value());
    for (std::size_t i = 0; i != text.size(); ++i) {
        std::string other(text);
        for (const char wrong_here : {'g', 'G', '/', ':', '@', '`', ' '}) { // the neighbours of the digits too
            other[i] = wrong_here;
            CAPTURE(i, wrong_here);
            CHECK_FALSE(PublicId::parse(other).has_value());
        }
    }
}

TEST_CASE("Random ids are version 4, variant 1, and differ", "[core]") {
    std::mt19937 generator(1);
    std::set<PublicId> seen;
    for (int i = 0; i != 1000; ++i) {
        const PublicId id = PublicId::random(generator);
        CHECK((id.high >> 12 & 15u) == 4u);
        CHECK(id.low >> 62 == 2u);
        seen.insert(id);
    }
    CHECK(seen.size() == 1000);
}

TEST_CASE("Ids order as their texts do, and hash by all bits", "[core]") {
    const PublicId a{1, 2}, b{1, 3}, c{2, 0};
    CHECK(a < b);
    CHECK(b < c);
    CHECK(a != b);
    CHECK(a != PublicId{2, 2});
    CHECK(a == PublicId{1, 2});
    CHECK(std::hash<PublicId>{}(a) != std::hash<PublicId>{}(PublicId{2, 1}));
    CHECK(std::hash<PublicId>{}(a) != std::hash<PublicId>{}(b));
}
