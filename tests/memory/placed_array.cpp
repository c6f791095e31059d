// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/placed_array.hpp>

#include "support/catch.hpp"

#include <array>

using namespace slotwise;
using detail::ArrayPlace, detail::PlacedArray;

namespace {

/// The sum of two arrays that were made and grown in one allocation.
constexpr int in_one_allocation() {
    bits::word_t memory[100] = {};
    ArrayPlace place{memory};
    auto numbers = PlacedArray<short>().resized(5, 7, place);
    auto words = PlacedArray<bits::word_t>().resized(3, 100, place);
    numbers[4] = 1;
    words[0] = 10;
    numbers.resized(7, 2, place).swap(numbers);
    words.resized(2, 0, place).swap(words);
    const PlacedArray<short> moved(std::move(numbers));
    int sum = 0;
    for (std::size_t i = 0; i != moved.size(); ++i) sum += moved[i];
    for (std::size_t i = 0; i != words.size(); ++i) sum += static_cast<int>(words[i]);
    return numbers.empty() && PlacedArray<short>::memory_usage() == 0 ? sum : -1; // NOLINT(bugprone-use-after-move)
}
static_assert(in_one_allocation() == 4 * 7 + 1 + 2 * 2 + 10 + 100);

} // namespace

TEST_CASE("placed arrays lie one behind the other, each from a whole word on, and keep their values") {
    CHECK(in_one_allocation() == 143);
    std::array<bits::word_t, 20> memory{};
    ArrayPlace place{memory.data()};
    const auto bytes = PlacedArray<std::uint8_t>().resized(9, 3, place);
    CHECK(static_cast<const void*>(bytes.data()) == memory.data());
    CHECK(place.next == memory.data() + 2);
    CHECK(PlacedArray<std::uint8_t>::words_for(9) == 2);
    CHECK(PlacedArray<std::uint32_t>::words_for(64) == 32);
    CHECK(PlacedArray<bits::word_t>::words_for(3) == 3);
    const auto words = PlacedArray<bits::word_t>().resized(4, 5, place);
    CHECK((words.data() == memory.data() + 2 && words[3] == 5 && place.next == memory.data() + 6));
    const auto none = words.resized(0, 1, place);
    CHECK((none.empty() && none.data() == nullptr && place.next == memory.data() + 6));
}
