// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Floating-point time where the compiler knows neither infinities nor NaNs: tests/CMakeLists.txt compiles this with -O2
// -ffast-math.
#include "../support/catch.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <bit>
#include <limits>
#include <stdexcept>

namespace {

using namespace slotwise;

/// A key of this file alone: no other compiles what is made of it here.
struct Key {
    int value;
    friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
    std::size_t operator()(const Key& key) const { return DefaultHash<int>()(key.value); }
};

} // namespace

TEST_CASE("a series over floating-point time is not valid before it is written, whatever the compiler thinks of infinity",
          "[series][windows]") {
    CHECK(TimeTraits<double>::never() == std::numeric_limits<double>::lowest());
    TSDStorage<Key, int, TimeBy<double>, HashBy<KeyHash>> dict;
    CHECK_FALSE(dict.valid());
    {
        auto w = dict.write(1.0);
        w.create(Key{1});
        w.set(Key{2}, 3);
    }
    CHECK((dict.valid() && !dict.valid(Key{1}) && dict.valid(Key{2}) && dict.count_valid() == 1 && dict.check_invariants()));
    CHECK_THROWS_AS(dict.write(TimeTraits<double>::never()), std::invalid_argument);
    volatile double no_number = std::bit_cast<double>(std::uint64_t{0xFFF8'0000'0000'0001u});
    volatile float nor_this = std::bit_cast<float>(std::uint32_t{0x7FC0'0000u});
    const double time = no_number;
    const float short_time = nor_this;
    TSDStorage<Key, int, TimeBy<float>, HashBy<KeyHash>> of_floats;
    CHECK_THROWS_AS(dict.write(time), std::invalid_argument);
    CHECK_THROWS_AS(of_floats.write(short_time), std::invalid_argument);
    CHECK_THROWS_AS(of_floats.write(std::numeric_limits<float>::lowest()), std::invalid_argument);
    of_floats.write(-1.5f).set(Key{1}, 1);
    dict.write(1.5).set(Key{1}, 1);
    CHECK((dict.last_modified() == 1.5 && of_floats.last_modified() == -1.5f && of_floats.check_invariants()));
    TSDStorage<Key, int, TimeBy<double>, HashBy<KeyHash>> from_zero;
    from_zero.write(0.0).set(Key{1}, 1);
    CHECK(from_zero.valid(Key{1}));
}
