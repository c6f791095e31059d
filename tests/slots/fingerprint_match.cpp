// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tag compare: whatever this machine has (SSE2, NEON) and the portable arithmetic, both against a plain loop.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/keyed/hash_index.hpp>

#include <array>

using namespace test;

namespace {

template <class Allocator, class Fingerprints>
Fingerprints fingerprints_of(const GroupIndex<Allocator, Fingerprints>&);
using NativeFingerprints = decltype(fingerprints_of(HashIndex<std::allocator<std::byte>>()));
using PortableFingerprints = decltype(fingerprints_of(PortableHashIndex<std::allocator<std::byte>>()));
constexpr unsigned group_size = 12; // of them are in a group

/// The head of an index group: twelve fingerprints and the four bytes that are read with them.
struct alignas(64) Head {
    std::array<std::uint8_t, group_size> fingerprints{};
    std::array<std::uint8_t, 4> overflow{};
};
static_assert(sizeof(Head) == 64 && offsetof(Head, overflow) == 12);

/// What match() takes: four equal bytes.
constexpr std::uint32_t word(unsigned fingerprint) { return fingerprint * 0x0101'0101u; }

/// One bit a match, in the order in which the mask gives them out; 0x8000 marks an order that is not ascending.
template <class Fingerprints>
constexpr unsigned matches(const Head& head, std::uint8_t fingerprint) {
    unsigned result = 0;
    std::size_t places = 0; // seen
    for (auto mask = Fingerprints::match(head.fingerprints.data(), word(fingerprint)); mask; mask.drop_first()) {
        if (mask.first() < places || mask.first() >= group_size) return 0x8000u;
        result |= 1u << mask.first();
        places = mask.first() + 1;
    }
    return result;
}
constexpr unsigned expected(const Head& head, std::uint8_t fingerprint) {
    unsigned result = 0;
    for (unsigned i = 0; i != group_size; ++i) result |= unsigned{head.fingerprints[i] == fingerprint} << i;
    return result;
}
constexpr std::uint8_t byte(unsigned value) { return static_cast<std::uint8_t>(value); }

constexpr Head counting() {
    Head head;
    for (unsigned i = 0; i != group_size; ++i) head.fingerprints[i] = byte(i % 5 * 51);
    for (auto& count : head.overflow) count = 51;
    return head;
}
template <class Fingerprints>
constexpr bool right_when_constant() {
    for (unsigned fingerprint = 0; fingerprint != 256; ++fingerprint)
        if (matches<Fingerprints>(counting(), byte(fingerprint)) != expected(counting(), byte(fingerprint))) return false;
    return true;
}

} // namespace

TEMPLATE_TEST_CASE("every fingerprint is found at every place and nowhere else", "[fingerprint_match]", PortableFingerprints,
                   NativeFingerprints) {
    for (unsigned fingerprint = 0; fingerprint != 256; ++fingerprint)
        for (unsigned place = 0; place != group_size; ++place)
            for (const unsigned other :
                 {fingerprint ^ 1u, fingerprint ^ 0x80u, fingerprint ^ 0xFFu, fingerprint ^ 0x01u << (place & 7u)}) {
                CAPTURE(fingerprint, place, other);
                Head head;
                head.fingerprints.fill(byte(other));
                head.fingerprints[place] = byte(fingerprint);
                REQUIRE(matches<TestType>(head, byte(fingerprint)) == 1u << place);
                REQUIRE(matches<TestType>(head, byte(other)) == (0xFFFu & ~(1u << place)));
            }
}

TEMPLATE_TEST_CASE("neighbouring bytes do not disturb each other's compare", "[fingerprint_match]", PortableFingerprints,
                   NativeFingerprints) {
    // What a subtraction with borrow gets wrong: a match below a byte that differs by one, in both directions.
    for (unsigned fingerprint = 0; fingerprint != 256; ++fingerprint)
        for (unsigned at = 0; at + 1 != group_size; ++at)
            for (unsigned other = 0; other != 256; ++other) {
                Head head;
                head.fingerprints.fill(byte(~fingerprint));
                head.fingerprints[at] = byte(fingerprint);
                head.fingerprints[at + 1] = byte(other);
                if (matches<TestType>(head, byte(fingerprint)) != expected(head, byte(fingerprint))) {
                    CAPTURE(fingerprint, at, other);
                    REQUIRE(matches<TestType>(head, byte(fingerprint)) == expected(head, byte(fingerprint)));
                }
                std::swap(head.fingerprints[at], head.fingerprints[at + 1]);
                if (matches<TestType>(head, byte(fingerprint)) != expected(head, byte(fingerprint))) {
                    CAPTURE(fingerprint, at, other);
                    REQUIRE(matches<TestType>(head, byte(fingerprint)) == expected(head, byte(fingerprint)));
                }
            }
    SUCCEED();
}

TEMPLATE_TEST_CASE("random groups match as a plain loop says", "[fingerprint_match]", PortableFingerprints,
                   NativeFingerprints) {
    Random random(1);
    for (int round = 0; round != 20'000; ++round) {
        Head head;
        const std::size_t kinds = 1 + random.below(6); // few kinds: many matches
        const auto first = random.below(256);
        for (auto& fingerprint : head.fingerprints) fingerprint = byte(first + random.below(kinds));
        for (auto& count : head.overflow) count = byte(first + random.below(kinds));
        for (unsigned i = 0; i != kinds + 1; ++i) {
            const auto fingerprint = byte(first + i);
            if (matches<TestType>(head, fingerprint) == expected(head, fingerprint)) continue;
            CAPTURE(round, unsigned{fingerprint});
            REQUIRE(matches<TestType>(head, fingerprint) == expected(head, fingerprint));
        }
    }
    SUCCEED();
}

TEMPLATE_TEST_CASE("overflow counts never match, whatever they hold", "[fingerprint_match]", PortableFingerprints,
                   NativeFingerprints) {
    for (unsigned fingerprint = 0; fingerprint != 256; ++fingerprint) {
        CAPTURE(fingerprint);
        Head head;
        head.fingerprints.fill(byte(fingerprint ^ 0xFFu));
        head.overflow.fill(byte(fingerprint));
        REQUIRE_FALSE(static_cast<bool>(TestType::match(head.fingerprints.data(), word(fingerprint))));
        head.fingerprints[11] = byte(fingerprint);
        REQUIRE(matches<TestType>(head, byte(fingerprint)) == 1u << 11);
        head.fingerprints.fill(byte(fingerprint));
        REQUIRE(matches<TestType>(head, byte(fingerprint)) == 0xFFFu);
    }
}

TEMPLATE_TEST_CASE("a mask gives its matches from the first place on and is then empty", "[fingerprint_match]",
                   PortableFingerprints, NativeFingerprints) {
    Head head;
    for (const unsigned place : {2u, 3u, 7u, 8u, 11u}) head.fingerprints[place] = 9;
    auto mask = TestType::match(head.fingerprints.data(), word(9));
    for (const unsigned place : {2u, 3u, 7u, 8u, 11u}) {
        REQUIRE(static_cast<bool>(mask));
        REQUIRE(mask.first() == place);
        mask.drop_first();
    }
    REQUIRE_FALSE(static_cast<bool>(mask));
}

TEMPLATE_TEST_CASE("fingerprints match in constant expressions as they do at run time", "[fingerprint_match]",
                   PortableFingerprints, NativeFingerprints) {
    STATIC_REQUIRE(right_when_constant<TestType>());
    const Head head = counting();
    for (unsigned fingerprint = 0; fingerprint != 256; ++fingerprint)
        REQUIRE(matches<TestType>(head, byte(fingerprint)) == expected(head, byte(fingerprint)));
}

TEST_CASE("the native compare is the one this machine has", "[fingerprint_match]") {
#if defined(__SSE2__) || (defined(__aarch64__) && defined(__ARM_NEON))
    STATIC_REQUIRE_FALSE(std::is_same_v<NativeFingerprints, PortableFingerprints>);
#else
    STATIC_REQUIRE(std::is_same_v<NativeFingerprints, PortableFingerprints>);
#endif
}
