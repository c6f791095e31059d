// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Values of static columns whose destructors use the slot map that their column follows. The elements themselves are trivial,
// so that nothing but the column tells the map to take care.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/slots/value_array.hpp>

#include <functional>

namespace {

using namespace test;

using Reentrant = CallsOnDestroy;
template <SlotMapOptions O>
using Followed = SlotMap<int, Options<O>, Column<Reentrant>>;
template <SlotMapOptions O>
using DenseFollowed = DenseSlotMap<int, Options<O>, Column<Reentrant>>;

#define FOLLOWED_MAPS                                                                                                          \
    Followed<SlotMapOptions{}>, Followed<SlotMapOptions{.reuse = Reuse::lifo}>,                                                \
        Followed<SlotMapOptions{.reuse = Reuse::fifo}>, DenseFollowed<SlotMapOptions{}>,                                       \
        DenseFollowed<SlotMapOptions{.reuse = Reuse::lifo}>

template <class Map>
auto put_speaking(Map& map, int value, std::function<void()> last_words) {
    const auto handle = map.insert(value);
    map.template observer<0>()[handle.index()] = Reentrant(value, std::move(last_words));
    return handle;
}
/// The column has a value for each element, and each is alive.
template <class Map>
void require_followed(Map& map, std::size_t size) {
    REQUIRE(map.check_invariants());
    REQUIRE(map.size() == size);
    for (const auto& item : map.items()) static_cast<void>(map.template observer<0>()[item.handle.index()].value());
}

template <SlotMapOptions O>
using FollowedMap = SlotMap<int, Options<O>, Column<CallsOnDestroy>>;

} // namespace

TEMPLATE_TEST_CASE("a column value's destructor that inserts into a SlotMap does not get the slot that is being erased",
                   "[reentrance]", FOLLOWED_MAPS) {
    NothingLeaks objects;
    typename TestType::handle_type dying, born;
    TestType map;
    dying = put_speaking(map, 1, [&] {
        REQUIRE_FALSE(map.contains(dying));
        born = map.insert(100);
    });
    const auto other = map.insert(2);
    REQUIRE(map.erase(dying));
    REQUIRE(map.contains(born));
    REQUIRE(born.index() != dying.index());
    REQUIRE(map[born] == 100);
    REQUIRE(map[other] == 2);
    require_followed(map, 2);
    REQUIRE(map.erase(map.begin()) != map.end());
    require_followed(map, 1);
}

TEMPLATE_TEST_CASE("column values' destructors may erase other elements, in a chain", "[reentrance]", FOLLOWED_MAPS) {
    NothingLeaks objects;
    std::vector<typename TestType::handle_type> handles(100);
    TestType map;
    for (std::size_t i = 0; i != 100; ++i)
        handles[i] = put_speaking(map, static_cast<int>(i), [&map, &handles, i] {
            if (i + 2 < 100) map.erase(handles[i + 2]);
        });
    REQUIRE(map.erase(handles[0]));
    for (std::size_t i = 0; i != 100; ++i) REQUIRE(map.contains(handles[i]) == (i % 2 == 1));
    require_followed(map, 50);
}

TEMPLATE_TEST_CASE("column values' destructors may insert while the map is cleared; the newcomers survive", "[reentrance]",
                   FOLLOWED_MAPS) {
    NothingLeaks objects;
    std::vector<typename TestType::handle_type> old, born;
    TestType map;
    for (int i = 0; i != 90; ++i)
        old.push_back(put_speaking(map, i, [&map, &born, i] {
            if (i % 3 == 0) born.push_back(map.insert(1000 + i));
        }));
    map.clear();
    REQUIRE(born.size() == 30);
    for (const auto handle : born) REQUIRE(map[handle] >= 1000);
    for (const auto handle : old) REQUIRE_FALSE(map.contains(handle));
    require_followed(map, 30);
}

TEMPLATE_TEST_CASE("column values' destructors may erase and clear while the map is cleared, and insert while it dies",
                   "[reentrance]", FOLLOWED_MAPS) {
    NothingLeaks objects;
    int called = 0;
    {
        std::vector<typename TestType::handle_type> handles;
        TestType map;
        for (int i = 0; i != 70; ++i)
            handles.push_back(put_speaking(map, i, [&map, &handles, &called, i] {
                ++called;
                for (const auto handle : handles) map.erase(handle);
                map.insert(1);
                if (i % 10 == 5) map.clear();
            }));
        map.clear();
        REQUIRE(called == 70);
        for (const auto handle : handles) REQUIRE_FALSE(map.contains(handle));
        REQUIRE(map.check_invariants());
        handles.clear();
        for (int i = 0; i != 20; ++i) put_speaking(map, i, [&map, &called] { ++called, map.insert(2); });
    }
    REQUIRE(called == 90);
}

TEMPLATE_TEST_CASE("a column value's destructor that inserts where other slots are free does not get the one being erased",
                   "[reentrance]", FollowedMap<SlotMapOptions{}>, FollowedMap<SlotMapOptions{.reuse = Reuse::lifo}>,
                   FollowedMap<SlotMapOptions{.reuse = Reuse::fifo}>) {
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
