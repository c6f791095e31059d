// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// long and unsigned long have 32 bits on Windows and 64 on most other systems: they are values, keys and members with either
// width, and a snapshot says which it was.
#include "support/catch.hpp"

#include <slotwise/slotwise.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace slotwise;

#if defined(_WIN64)
static_assert(sizeof(long) == 4 && sizeof(void*) == 8 && sizeof(std::size_t) == 8);
#endif
using Same = std::conditional_t<sizeof(long) == 8, std::int64_t, std::int32_t>;
using Other = std::conditional_t<sizeof(long) == 8, std::int32_t, std::int64_t>;
constexpr long least = std::numeric_limits<long>::min(), most = std::numeric_limits<long>::max();
const std::string name = sizeof(long) == 8 ? "int64" : "int32";

template <class Integer>
struct Amount {
    Integer units = 0;
    char kind = 0;
    friend bool operator==(const Amount&, const Amount&) = default;
};

template <class C>
std::string refusal(C&& container, const std::vector<std::byte>& bytes) {
    const char* const error = container.try_restore(bytes);
    return error == nullptr ? "" : error;
}

} // namespace

TEMPLATE_TEST_CASE("long integers are values of slot maps up to their limits", "", (SlotMap<long>), (DenseSlotMap<long>)) {
    TestType map;
    const auto low = map.insert(least), high = map.insert(most);
    TestType copy;
    REQUIRE(refusal(copy, map.snapshot()) == "");
    CHECK(copy[low] == least);
    CHECK(copy[high] == most);
    CHECK(copy.check_invariants());
}

TEST_CASE("long integers are keys, and those of another width are looked up by their value") {
    MapStorage<long, unsigned long> map;
    for (const long key : {least, -1l, 0l, most}) map.try_emplace(key, static_cast<unsigned long>(key));
    SetStorage<unsigned long> set;
    for (const long key : {least, -1l, 0l, most}) set.insert(static_cast<unsigned long>(key));
    CHECK(map.size() == 4);
    CHECK(set.size() == 4);
    for (const long key : {least, -1l, 0l, most}) {
        CHECK(map.at(key) == static_cast<unsigned long>(key));
        CHECK(set.contains(static_cast<unsigned long>(key)));
        CHECK(map.at(static_cast<Same>(key)) == static_cast<unsigned long>(key));
    }
    CHECK_FALSE(map.contains(1l));
    CHECK(map.check_invariants());
    CHECK(set.check_invariants());
}

TEST_CASE("a snapshot of long integers is read where they have the same width, and refused by name where not") {
    SlotMap<long> values;
    values.insert(least);
    SlotMap<Same> same;
    REQUIRE(refusal(same, values.snapshot()) == "");
    CHECK(*same.begin() == least);
    CHECK(refusal(SlotMap<Other>(), values.snapshot()).find(name) != std::string::npos);

    SetStorage<long> keys;
    keys.insert(most);
    SetStorage<Same> same_keys;
    REQUIRE(refusal(same_keys, keys.snapshot()) == "");
    CHECK(same_keys.contains(static_cast<Same>(most)));
    CHECK(refusal(SetStorage<Other>(), keys.snapshot()).find(name) != std::string::npos);
}

TEST_CASE("a snapshot of structs with a long inside is refused where it has another width") {
    SlotMap<Amount<long>> values;
    values.insert(Amount<long>{most, 'c'});
    SlotMap<Amount<Same>> same;
    REQUIRE(refusal(same, values.snapshot()) == "");
    CHECK(*same.begin() == Amount<Same>{static_cast<Same>(most), 'c'});
    SlotMap<Amount<Other>> other;
    CHECK(refusal(other, values.snapshot()) != "");
    CHECK(other.empty());
}
