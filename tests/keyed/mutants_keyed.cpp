// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Behaviour that no other test of this folder would miss if it went: found by tools/verify/mutate.py.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <slotwise/keyed/any_storage.hpp>

#include <string>

using namespace test;

namespace {

using Memory = StatefulAllocator<std::byte>;
using AnyMap = BasicAnyMapStorage<KeySetOptions{}, Memory>;

template <class T>
const TypeDescriptor& described() {
    return TypeDescriptor::of<T, HashOf<T>>();
}
std::string text(int i) { return "a text that is too long to be kept in place " + std::to_string(i); }

} // namespace

TEST_CASE("sets of run-time types are equal when they have the same keys, and not when they have as many others", "[mutants]") {
    AnySetStorage a(described<int>()), b(described<int>()), c(described<int>());
    for (int i = 0; i != 20; ++i) {
        a.insert(&i);
        const int from_behind = 19 - i, other = i + 1;
        b.insert(&from_behind);
        c.insert(&other);
    }
    CHECK(a == b);
    CHECK_FALSE(a == c);
    CHECK_FALSE(c == a);
}

TEST_CASE("swap(a, b) exchanges containers of run-time types", "[mutants]") {
    AnySetStorage a(described<int>()), b(described<int>());
    const int one = 1, two = 2;
    a.insert(&one);
    b.insert(&two);
    swap(a, b);
    CHECK(a.contains(&two));
    CHECK_FALSE(a.contains(&one));
    CHECK(b.contains(&one));
}

TEST_CASE("a map of run-time types gives its memory back: all of it on reset, most of it on shrink_to_fit", "[mutants]") {
    const EveryByteReturned balance;
    AnyMap map(described<int>(), described<std::string>(), Memory(7));
    const std::size_t empty = Ledger::live_bytes(7);
    const auto fill = [&] {
        for (int i = 0; i != 20000; ++i) {
            const std::string value = text(i);
            map.insert(&i, &value);
        }
    };
    fill();
    const std::size_t full = Ledger::live_bytes(7);
    REQUIRE(full > empty + 20000 * (sizeof(int) + sizeof(std::string)));
    map.reset();
    CHECK(Ledger::live_bytes(7) == empty);
    fill();
    for (int i = 100; i != 20000; ++i) map.erase(&i);
    map.shrink_to_fit();
    CHECK(Ledger::live_bytes(7) < full / 2);
    for (int i = 0; i != 100; ++i) CHECK(*static_cast<const std::string*>(map.get(&i)) == text(i));
    fill();
    CHECK(map.size() == 20000);
    map.clear();
    map.shrink_to_fit();
    CHECK(Ledger::live_bytes(7) < full / 10);
}
