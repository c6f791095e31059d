// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What may stand for a key: conversions that are implicit and keep the value. What does not compile is in tests/compile_fail.
#include "scene.hpp"
#include "support/death.hpp"

#include <limits>
#include <memory>

using namespace test;

namespace {

/// Converts to an Id, and an int only explicitly.
struct Roman {
    int value;
};
struct Id {
    int value;
    Id(Roman roman) noexcept : value(roman.value) {}
    explicit Id(int number) noexcept : value(number) {}
    friend bool operator==(Id, Id) = default;
};
struct IdHash {
    std::size_t operator()(Id number) const noexcept { return static_cast<std::size_t>(number.value); }
};

/// Takes any integer for its remainder.
struct RestHash {
    using is_transparent = void;
    std::size_t operator()(long number) const noexcept { return static_cast<std::size_t>(number & 0xFF); }
};
struct RestEqual {
    using is_transparent = void;
    bool operator()(long a, long b) const noexcept { return (a & 0xFF) == (b & 0xFF); }
};

} // namespace

TEST_CASE("a number of another type is found only if a key equals it", "[keys]") {
    SetStorage<unsigned char> bytes;
    bytes.insert(44);
    REQUIRE((bytes.contains(44) && bytes.contains(44ull) && bytes.contains('\x2C')));
    for (const int number : {300, 44 + 256, -212, 44 - 256}) {
        REQUIRE_FALSE(bytes.contains(number));
        REQUIRE(bytes.find(number) == bytes.end());
        REQUIRE(bytes.slot_of_any(number) == no_slot);
        REQUIRE(bytes.handle_of(number).is_null());
        REQUIRE_FALSE(bytes.erase(number));
        REQUIRE_FALSE(bytes.extract(number).has_value());
    }
    REQUIRE(bytes.erase(44));
    MapStorage<std::uint32_t, int> map;
    map[7] = 1;
    map[std::numeric_limits<std::uint32_t>::max()] = 2;
    REQUIRE(map.get(-1) == nullptr);
    REQUIRE(map.get(7 + (1ll << 32)) == nullptr);
    REQUIRE(*map.get(7ll) == 1);
    REQUIRE_FALSE(map.erase(-1));
    REQUIRE_FALSE(map.extract(-1).has_value());
    MapStorage<int, int> of_int;
    of_int[-1] = 1;
    REQUIRE(of_int.get(~0u) == nullptr);
    REQUIRE(of_int.get(-1ll) != nullptr);
    SetStorage<double> reals;
    reals.insert(2);
    REQUIRE((reals.contains(2) && reals.contains(2.f) && !reals.contains(3)));
    SetStorage<bool> bits{true};
    REQUIRE((bits.contains(1) && !bits.contains(5) && !bits.contains(0)));
}

TEST_CASE("a number is not inserted if no key equals it", "[keys][death]") {
    const char* const words = "the number does not fit the key type";
    REQUIRE(dies_saying(words, [] { SetStorage<unsigned char>().insert(300); }));
    REQUIRE(dies_saying(words, [] { MapStorage<unsigned char, int>()[300] = 1; }));
    REQUIRE(dies_saying(words, [] { MapStorage<unsigned, int>().try_emplace(-1, 1); }));
    REQUIRE(dies_saying(words, [] { MapStorage<int, int>().insert_or_assign(1ll << 40, 1); }));
}

TEST_CASE("what converts implicitly stands for a key, and transparent functors decide for themselves", "[keys]") {
    SetStorage<Id, HashBy<IdHash>> numbers;
    REQUIRE(numbers.insert(Roman{7}).inserted);
    REQUIRE(numbers.contains(Roman{7}));
    MapStorage<Id, int, HashBy<IdHash>> map;
    map[Roman{7}] = 1;
    REQUIRE((map.get(Id(7)) != nullptr && map.erase(Roman{7})));
    SetStorage<unsigned char, HashBy<RestHash>, EqualBy<RestEqual>> rests;
    rests.insert(44);
    REQUIRE((rests.contains(300) && !rests.contains(301) && rests.erase(300)));
    SetStorage<std::unique_ptr<int>> owners;
    owners.insert(nullptr);
    REQUIRE((owners.contains(nullptr) && owners.size() == 1));
}

TEST_CASE("numbers of other types are asked in constant expressions", "[keys]") {
    STATIC_REQUIRE([] {
        SetStorage<unsigned char> bytes;
        bytes.insert(44);
        return bytes.contains(44l) && !bytes.contains(300) && bytes.erase(44) && bytes.insert(255u).inserted;
    }());
}
