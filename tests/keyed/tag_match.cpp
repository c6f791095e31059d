// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tag compare: whatever this machine has (SSE2, NEON) and the portable arithmetic, both against a plain loop.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/keyed/tag_match.hpp>

#include <array>

using namespace test;
using slotwise::detail::NativeTags;
using slotwise::detail::PortableTags;
using slotwise::detail::tags_in_group;

namespace {

/// The head of an index line: twelve tags and the four bytes that are read with them.
struct alignas(64) Head {
    std::array<std::uint8_t, tags_in_group> tags{};
    std::array<std::uint8_t, 4> overflow{};
};
static_assert(sizeof(Head) == 64 && offsetof(Head, overflow) == 12);

/// One bit a match, in the order in which the mask gives them out; 0x8000 marks an order that is not ascending.
template <class Tags>
constexpr unsigned matches(const Head& head, std::uint8_t tag) {
    unsigned result = 0;
    std::size_t places = 0; // seen
    for (auto mask = Tags::match(head.tags.data(), tag); mask; mask.drop_first()) {
        if (mask.first() < places || mask.first() >= tags_in_group) return 0x8000u;
        result |= 1u << mask.first();
        places = mask.first() + 1;
    }
    return result;
}
constexpr unsigned expected(const Head& head, std::uint8_t tag) {
    unsigned result = 0;
    for (unsigned i = 0; i != tags_in_group; ++i) result |= unsigned{head.tags[i] == tag} << i;
    return result;
}
constexpr std::uint8_t byte(unsigned value) { return static_cast<std::uint8_t>(value); }

constexpr Head counting() {
    Head head;
    for (unsigned i = 0; i != tags_in_group; ++i) head.tags[i] = byte(i % 5 * 51);
    for (auto& count : head.overflow) count = 51;
    return head;
}
template <class Tags>
constexpr bool right_when_constant() {
    for (unsigned tag = 0; tag != 256; ++tag)
        if (matches<Tags>(counting(), byte(tag)) != expected(counting(), byte(tag))) return false;
    return true;
}

} // namespace

TEMPLATE_TEST_CASE("every tag is found at every place and nowhere else", "[tag_match]", PortableTags, NativeTags) {
    for (unsigned tag = 0; tag != 256; ++tag)
        for (unsigned place = 0; place != tags_in_group; ++place)
            for (const unsigned other : {tag ^ 1u, tag ^ 0x80u, tag ^ 0xFFu, tag ^ 0x01u << (place & 7u)}) {
                CAPTURE(tag, place, other);
                Head head;
                head.tags.fill(byte(other));
                head.tags[place] = byte(tag);
                REQUIRE(matches<TestType>(head, byte(tag)) == 1u << place);
                REQUIRE(matches<TestType>(head, byte(other)) == (0xFFFu & ~(1u << place)));
            }
}

TEMPLATE_TEST_CASE("neighbouring bytes do not disturb each other's compare", "[tag_match]", PortableTags, NativeTags) {
    // What a subtraction with borrow gets wrong: a match below a byte that differs by one, in both directions.
    for (unsigned tag = 0; tag != 256; ++tag)
        for (unsigned at = 0; at + 1 != tags_in_group; ++at)
            for (unsigned other = 0; other != 256; ++other) {
                Head head;
                head.tags.fill(byte(~tag));
                head.tags[at] = byte(tag);
                head.tags[at + 1] = byte(other);
                if (matches<TestType>(head, byte(tag)) != expected(head, byte(tag))) {
                    CAPTURE(tag, at, other);
                    REQUIRE(matches<TestType>(head, byte(tag)) == expected(head, byte(tag)));
                }
                std::swap(head.tags[at], head.tags[at + 1]);
                if (matches<TestType>(head, byte(tag)) != expected(head, byte(tag))) {
                    CAPTURE(tag, at, other);
                    REQUIRE(matches<TestType>(head, byte(tag)) == expected(head, byte(tag)));
                }
            }
    SUCCEED();
}

TEMPLATE_TEST_CASE("random lines match as a plain loop says", "[tag_match]", PortableTags, NativeTags) {
    Random random(1);
    for (int round = 0; round != 20'000; ++round) {
        Head head;
        const std::size_t kinds = 1 + random.below(6); // few kinds: many matches
        const auto first = random.below(256);
        for (auto& tag : head.tags) tag = byte(first + random.below(kinds));
        for (auto& count : head.overflow) count = byte(first + random.below(kinds));
        for (unsigned i = 0; i != kinds + 1; ++i) {
            const auto tag = byte(first + i);
            if (matches<TestType>(head, tag) == expected(head, tag)) continue;
            CAPTURE(round, unsigned{tag});
            REQUIRE(matches<TestType>(head, tag) == expected(head, tag));
        }
    }
    SUCCEED();
}

TEMPLATE_TEST_CASE("overflow counts never match, whatever they hold", "[tag_match]", PortableTags, NativeTags) {
    for (unsigned tag = 0; tag != 256; ++tag) {
        CAPTURE(tag);
        Head head;
        head.tags.fill(byte(tag ^ 0xFFu));
        head.overflow.fill(byte(tag));
        REQUIRE_FALSE(static_cast<bool>(TestType::match(head.tags.data(), byte(tag))));
        head.tags[11] = byte(tag);
        REQUIRE(matches<TestType>(head, byte(tag)) == 1u << 11);
        head.tags.fill(byte(tag));
        REQUIRE(matches<TestType>(head, byte(tag)) == 0xFFFu);
    }
}

TEMPLATE_TEST_CASE("a mask gives its matches from the first place on and is then empty", "[tag_match]", PortableTags,
                   NativeTags) {
    Head head;
    for (const unsigned place : {2u, 3u, 7u, 8u, 11u}) head.tags[place] = 9;
    auto mask = TestType::match(head.tags.data(), 9);
    for (const unsigned place : {2u, 3u, 7u, 8u, 11u}) {
        REQUIRE(static_cast<bool>(mask));
        REQUIRE(mask.first() == place);
        mask.drop_first();
    }
    REQUIRE_FALSE(static_cast<bool>(mask));
}

TEMPLATE_TEST_CASE("tags match in constant expressions as they do at run time", "[tag_match]", PortableTags, NativeTags) {
    STATIC_REQUIRE(right_when_constant<TestType>());
    const Head head = counting();
    for (unsigned tag = 0; tag != 256; ++tag) REQUIRE(matches<TestType>(head, byte(tag)) == expected(head, byte(tag)));
}

TEST_CASE("the native compare is the one this machine has", "[tag_match]") {
#if defined(__SSE2__) || (defined(__aarch64__) && defined(__ARM_NEON))
    STATIC_REQUIRE_FALSE(std::is_same_v<NativeTags, PortableTags>);
#else
    STATIC_REQUIRE(std::is_same_v<NativeTags, PortableTags>);
#endif
}
