// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/occupancy.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

using namespace slotwise;

namespace {

constexpr bits::word_t three_words[] = {0b1001, 0, bits::word_t{1} << 63};
constexpr Occupancy three(three_words, 192);
static_assert(three.size() == 192 && three.words().size() == 3 && three.count() == 3 && !three.none() && !three.all());
static_assert(three.test(0) && !three.test(1) && three.test(3) && three.test(191) && !three.test(192) &&
              !three.test(1'000'000));
static_assert(three.find_next(0) == 0 && three.find_next(1) == 3 && three.find_next(4) == 191 &&
              three.find_next(192) == no_slot);
static_assert(three.part(128, 64).test(63) && three.part(64, 64).none() && three.part(128, 1000).size() == 64);
static_assert(Occupancy().empty() && Occupancy().none() && Occupancy().all() && Occupancy().find_next(0) == no_slot);
static_assert(std::is_trivially_copyable_v<Occupancy>);

constexpr std::size_t sum_of_slots(Occupancy occupancy) {
    std::size_t sum = 0;
    occupancy.for_each([&](slot_t slot) { sum += slot; });
    return sum;
}
static_assert(sum_of_slots(three) == 194);

/// Words for these slots; every bit from `slots` on is 0, as Occupancy demands.
std::vector<bits::word_t> words_of(const std::vector<bool>& live) {
    std::vector<bits::word_t> words(bits::word_count(live.size()));
    for (std::size_t slot = 0; slot < live.size(); ++slot)
        if (live[slot]) words[bits::word_of(slot)] |= bits::bit_of(slot);
    return words;
}

using Bits = detail::SummaryBits<test::StatefulAllocator<std::byte>>;

Bits bits_for(std::size_t count) { return Bits().resized(count, test::StatefulAllocator<std::byte>(1)); }

constexpr std::size_t constant_lowest() {
    auto set = detail::SummaryBits<std::allocator<std::byte>>().resized(5000, {});
    set.set(4999);
    set.set(130);
    set.reset(130);
    return set.lowest();
}
static_assert(constant_lowest() == 4999);

} // namespace

TEST_CASE("an occupancy answers as its bits say, for every size and density") {
    std::mt19937 random(3);
    for (const std::size_t slots : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 300u})
        for (const unsigned percent : {0u, 1u, 50u, 99u, 100u}) {
            std::vector<bool> live(slots);
            for (std::size_t slot = 0; slot < slots; ++slot) live[slot] = random() % 100 < percent;
            const auto words = words_of(live);
            const Occupancy occupancy(words.data(), slots);
            CAPTURE(slots, percent);

            std::vector<slot_t> expected, visited;
            for (slot_t slot = 0; slot < slots; ++slot)
                if (live[slot]) expected.push_back(slot);
            occupancy.for_each([&](slot_t slot) { visited.push_back(slot); });
            CHECK(visited == expected);
            CHECK(occupancy.count() == expected.size());
            CHECK(occupancy.none() == expected.empty());
            CHECK(occupancy.all() == (expected.size() == slots));
            CHECK(occupancy.empty() == (slots == 0));
            bool agrees = true;
            for (slot_t slot = 0; slot < slots + 130; ++slot) {
                agrees = agrees && occupancy.test(slot) == (slot < slots && live[slot]);
                const auto next = std::lower_bound(expected.begin(), expected.end(), slot);
                agrees = agrees && occupancy.find_next(slot) == (next == expected.end() ? no_slot : *next);
            }
            CHECK(agrees);
            for (std::size_t first = 0; first < slots; first += 64) {
                const auto part = occupancy.part(first, 100);
                CHECK(part.size() == std::min<std::size_t>(100, slots - first));
                agrees = true;
                for (slot_t slot = 0; slot < part.size(); ++slot) agrees = agrees && part.test(slot) == live[first + slot];
                CHECK(agrees);
            }
        }
}

TEST_CASE("an occupancy can be tested for any slot number, also no_slot") {
    CHECK_FALSE(three.test(no_slot));
    CHECK(three.find_next(no_slot) == no_slot);
    CHECK_FALSE(three.test(static_cast<std::size_t>(-1)));
    CHECK(three.find_next(static_cast<std::size_t>(-1)) == no_slot);
}

TEST_CASE("an occupancy shows what happens to its words, and for_each may change the word it walks") {
    bits::word_t words[2] = {0b111, 0b1};
    const Occupancy occupancy(words, 128);
    std::vector<slot_t> visited;
    occupancy.for_each([&](slot_t slot) {
        visited.push_back(slot);
        words[0] = 0; // no effect on the walk through this word
    });
    CHECK(visited == std::vector<slot_t>{0, 1, 2, 64});
    CHECK(occupancy.count() == 1);
}

TEST_CASE("the summary finds the lowest number, whatever was added and removed") {
    test::EveryByteReturned scope;
    std::mt19937 random(5);
    // 1, 2, 3 and 4 levels
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{4096}, std::size_t{4097}, std::size_t{300'000}}) {
        CAPTURE(count);
        Bits set = bits_for(count);
        std::set<std::size_t> model;
        bool agrees = true;
        for (int step = 0; step < 4000; ++step) {
            // Sparse, so that words and their summaries run empty often; at both ends of the range.
            const std::size_t number =
                random() % 3 == 0 ? count - 1 - random() % std::min<std::size_t>(count, 70) : random() % count;
            if (random() % 2 == 0) {
                step % 3 == 0 ? set.set_scattered(number) : set.set(number);
                model.insert(number);
            } else if (!model.empty()) {
                const std::size_t gone = random() % 2 == 0 ? *model.begin() : *model.rbegin();
                step % 5 == 0 ? set.reset_scattered(gone) : set.reset(gone);
                model.erase(gone);
            }
            agrees = agrees && set.test(number) == model.contains(number);
            if (!model.empty()) agrees = agrees && set.lowest() == *model.begin();
        }
        CHECK(agrees);
        while (!model.empty() && agrees) { // drained from below
            agrees = set.lowest() == *model.begin();
            set.reset(*model.begin());
            model.erase(model.begin());
        }
        CHECK(agrees);
        for (std::size_t number = 0; number < count; ++number) agrees = agrees && !set.test(number);
        CHECK(agrees);
    }
}

TEST_CASE("the summary finds the highest number below any other, also below its end where the top word is full") {
    for (const std::size_t count : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{4096},
                                    std::size_t{4097}, std::size_t{262'144}}) {
        CAPTURE(count);
        for (const std::size_t number : {std::size_t{0}, count / 2, count - 1}) {
            Bits set = bits_for(count);
            set.set(number);
            const detail::SummaryView view = set.view();
            CHECK(view.find_previous(count) == number);
            CHECK(view.find_previous(count + 1000) == number);
            CHECK(view.find_previous(number + 1) == number);
            CHECK(view.find_previous(number) == ~std::size_t{0});
        }
        CHECK(bits_for(count).view().find_previous(count) == ~std::size_t{0});
    }
}

TEST_CASE("a resized summary keeps the numbers it still covers and leaves the old one alone") {
    test::EveryByteReturned scope;
    const std::vector<std::size_t> numbers{0, 1, 63, 64, 700, 4095, 4096, 9999};
    Bits set = bits_for(10'000);
    for (const auto number : numbers) set.set(number);
    for (const std::size_t count : {1u, 64u, 65u, 700u, 701u, 4096u, 4097u, 10'000u, 500'000u}) {
        CAPTURE(count);
        Bits other = set.resized(count, test::StatefulAllocator<std::byte>(2));
        std::vector<std::size_t> kept;
        for (const auto number : numbers)
            if (number < count) kept.push_back(number);
        for (const auto number : kept) {
            REQUIRE(other.lowest() == number);
            other.reset(number);
        }
        bool empty = true;
        for (std::size_t number = 0; number < count; ++number) empty = empty && !other.test(number);
        CHECK(empty);
    }
    for (const auto number : numbers) CHECK(set.test(number));
    CHECK(test::Ledger::live_bytes(2) == 0);
}

TEST_CASE("a summary swaps, moves and clears") {
    test::EveryByteReturned scope;
    Bits a = bits_for(5000), b = bits_for(10);
    a.set(4321);
    b.set(3);
    a.swap(b);
    CHECK(a.lowest() == 3);
    CHECK(b.lowest() == 4321);
    Bits c(std::move(b));
    CHECK(c.lowest() == 4321);
    c.clear();
    CHECK_FALSE(c.test(4321));
    c.set(4322);
    CHECK(c.lowest() == 4322); // no summary bit was left behind
    CHECK_FALSE(Bits().test(0));
}

TEST_CASE("a summary is unchanged when growing it throws", "[throws]") {
    test::EveryByteReturned scope;
    using Throwing = detail::SummaryBits<test::ThrowingAllocator<std::byte>>;
    Throwing set = Throwing().resized(100, {});
    set.set(42);
    const auto failures = test::fail_at_every_step(test::swept("detail::SummaryBits::resized"), [&](auto&& attempt) {
        attempt([&] { static_cast<void>(set.resized(100'000, {})); });
        CHECK(set.lowest() == 42);
    });
    CHECK(failures == 1);
}

TEST_CASE("a summary has every number from some number on, and no more", "[walks]") {
    using Set = detail::SummaryBits<std::allocator<std::byte>>;
    for (const std::size_t count : {1u, 63u, 64u, 65u, 4096u, 5000u, 300'000u})
        for (const std::size_t from : {std::size_t{0}, std::size_t{1}, count / 2, count - 1, count}) {
            Set set = Set::covering(count, {});
            if (count > 70) set.set(7);
            set.set_from(from);
            const auto view = set.view();
            REQUIRE(set.test(count - 1) == (from < count));
            if (from < count) REQUIRE(view.find_next(from) == from);
            if (from < count) REQUIRE(view.find_next(count - 1) == count - 1);
            REQUIRE(view.find_next(count + 64) >= count);
            if (count > 70 && from > 7) REQUIRE(view.find_next(0) == 7);
            if (count > 70 && from > 7 && from < count) REQUIRE(view.find_next(8) == from);
        }
    REQUIRE(Set().view().empty());
}
