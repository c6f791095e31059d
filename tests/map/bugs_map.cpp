// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases for faults that a person could write in these headers and that no other case sees.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/slots/value_array.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace test;

template <SlotMapOptions O>
using Followed = SlotMap<int, Options<O>, Column<CallsOnDestroy>>;

} // namespace

TEMPLATE_TEST_CASE("a column value's destructor that inserts where other slots are free does not get the one being erased",
                   "[reentrance]", Followed<SlotMapOptions{}>, Followed<SlotMapOptions{.reuse = Reuse::lifo}>,
                   Followed<SlotMapOptions{.reuse = Reuse::fifo}>) {
    NothingLeaks objects;
    TestType map;
    std::vector<typename TestType::handle_type> handles, born;
    for (int i = 0; i != 10; ++i) handles.push_back(map.insert(i));
    const auto dying = handles[4];
    map.template observer<0>()[dying.index()] = CallsOnDestroy(4, [&] {
        for (int i = 0; i != 3; ++i) born.push_back(map.insert(100 + i));
    });
    map.erase(handles[1]);
    map.erase(handles[8]);
    REQUIRE(map.erase(dying));
    REQUIRE(map.check_invariants());
    REQUIRE(born.size() == 3);
    for (int i = 0; i != 3; ++i) {
        CHECK(born[static_cast<std::size_t>(i)].index() != dying.index());
        CHECK(map[born[static_cast<std::size_t>(i)]] == 100 + i);
    }
    CHECK(map.size() == 10);
    CHECK(map.insert(7).index() == dying.index()); // now it is free
    CHECK(map.check_invariants());
}

TEST_CASE("for_each of a SlotMap goes on with the elements that were there when f's inserts make it grow", "[iteration]") {
    SlotMap<int> map;
    std::multiset<int> before, visited;
    for (int i = 0; i != 500; ++i) map.insert(i);
    map.erase_if([](int value) { return value % 3 == 0; });
    for (const int value : map) before.insert(value);
    const auto capacity = map.capacity();
    map.for_each([&](int& value) {
        if (value >= 1000) return; // a newcomer whose slot lay ahead
        if (visited.empty())
            while (map.capacity() < 20 * capacity) map.insert(1000);
        visited.insert(value);
    });
    CHECK(visited == before);
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("a snapshot with bytes behind its end is refused, and the map is as it was", "[snapshot]", (SlotMap<int>),
                   (DenseSlotMap<int>), (SoaSlotMap<int>)) {
    TestType map, other;
    const auto handle = map.insert(5);
    other.insert(6);
    other.insert(7);
    auto bytes = other.snapshot();
    bytes.push_back(std::byte{0});
    const char* const error = map.try_restore(bytes);
    REQUIRE(error != nullptr);
    CHECK(std::string(error).find("more bytes") != std::string::npos);
    CHECK(map.size() == 1);
    CHECK(number_of(map, handle) == 5);
}

TEST_CASE("when the growth of a second column throws, the first has its values back", "[throwing]") {
    const auto failures = fail_at_every_step([](auto&& attempt) {
        SoaSlotMap<std::string, Throwing> map;
        std::vector<decltype(map)::handle_type> handles;
        for (int i = 0; i != 5; ++i) handles.push_back(map.insert(std::string(40, static_cast<char>('a' + i)), Throwing(i)));
        attempt([&] { map.reserve(4 * map.capacity()); });
        REQUIRE(map.check_invariants());
        for (std::size_t i = 0; i != handles.size(); ++i) {
            const auto [text, value] = map.at(handles[i]);
            CHECK(text == std::string(40, static_cast<char>('a' + i)));
            CHECK(value.value() == static_cast<int>(i));
        }
    });
    CHECK(failures >= 5);
}
