// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A floating-point NaN is one key and one value, whatever its bits.
#include "support/catch.hpp"

#include <slotwise/slotwise.hpp>

#include <bit>
#include <limits>

namespace test::nan_keys {

using namespace slotwise;

// Counts comparisons: with n of them for each set() the sum would be quadratic.
struct CountingEqual {
    static inline std::size_t calls = 0;
    bool operator()(double a, double b) const {
        ++calls;
        return EqualTo()(a, b);
    }
};
TEST_CASE("a NaN costs what another key costs, in each container that hashes", "[sparse][complexity]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t count = 10'000;
    CountingEqual::calls = 0;
    SwitchMap<std::uint32_t, double, EqualBy<CountingEqual>> switched;
    for (std::uint32_t id = 0; id != count; ++id) switched.set(id, nan);
    SetStorage<double, EqualBy<CountingEqual>> set;
    MapStorage<double, int, EqualBy<CountingEqual>> map;
    TSSStorage<double, EqualBy<CountingEqual>> series;
    IdentityMap<double, SlotMap<int>::handle_type, EqualBy<CountingEqual>> identity;
    {
        auto writer = series.write(1);
        for (std::size_t i = 0; i != count; ++i) {
            set.insert(nan);
            map.insert_or_assign(nan, 1);
            writer.add(std::bit_cast<double>(0x7FF8'0000'0000'0000u + i)); // each another NaN
            identity.insert(nan, SlotMap<int>::handle_type(static_cast<slot_t>(i), 1));
        }
    }
    CHECK((switched.values().size() == 1 && set.size() == 1 && map.size() == 1 && series.size() == 1 && identity.size() == 1));
    CHECK((set.contains(nan) && map.erase(nan) && identity.handle_of(nan).index() == 0));
    CHECK(CountingEqual::calls <= 5 * 3 * count);
}

template <class T>
void one_nan() {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    SetStorage<T> set{nan, T(1), -nan};
    CHECK((set.size() == 2 && set.contains(nan) && set.contains(std::numeric_limits<T>::signaling_NaN())));
    CHECK((EqualTo()(nan, -nan) && !EqualTo()(nan, T(1)) && !EqualTo()(T(1), nan) && EqualTo()(T(0), -T(0))));
    CHECK(DefaultHash<T>()(nan) == DefaultHash<T>()(-nan));
    MapStorage<T, int> map;
    map[nan] = 1;
    ++map[-nan];
    CHECK((map.size() == 1 && map.at(nan) == 2));
    AnySetStorage described(TypeDescriptor::of<T>());
    for (const T& key : set) described.insert(&key);
    const T other = -nan;
    CHECK((described.size() == 2 && described.contains(&other)));
    if constexpr (sizeof(T) <= 8) { // a long double has padding, and no codec
        SetStorage<T> restored;
        restored.restore(set.snapshot());
        CHECK(restored.contains(nan));
    }
}
TEST_CASE("a NaN is one key of each floating-point type", "[properties]") {
    one_nan<float>();
    one_nan<double>();
    one_nan<long double>();
    static_assert(EqualTo()(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()));
    static_assert(!EqualTo()(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()));
}

} // namespace test::nan_keys
