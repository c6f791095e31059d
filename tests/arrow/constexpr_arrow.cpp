// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Stable hashes in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/arrow/shard.hpp>

#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace {

using namespace slotwise;

enum class Colour : std::uint8_t { red, green };

constexpr int hashes() {
    std::uint64_t zero = 0;
    HOLDS(stable_hash(zero) == 0xE220'A839'7B1D'CDAFu); // the first number of SplitMix64
    std::string_view text;
    HOLDS(stable_hash(text) == 0xEF46'DB37'51D8'E999u); // of XXH64
    text = "a text that has more than thirty-two bytes, and some";
    std::u8string_view same = u8"a text that has more than thirty-two bytes, and some";
    HOLDS(stable_hash(text) == stable_hash(same));
    std::pair<int, std::string_view> pair(3, text);
    std::tuple<long, std::string_view> tuple(3, text);
    HOLDS(stable_hash(pair) == stable_hash(tuple) && stable_hash(pair) != stable_hash(text));
    PublicId id{1, 2}, other{2, 1};
    Colour red = Colour::red;
    HOLDS(stable_hash(id) != stable_hash(other) && stable_hash(red) == stable_hash(zero) &&
          stable_hash('\0') == stable_hash(zero));
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    HOLDS(shard_of(most, 10) == 9 && shard_of(zero, 10) == 0);
    return 0;
}

} // namespace

IN_CONSTANTS("keys have stable hashes and shards in constant expressions", hashes())
