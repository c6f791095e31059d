// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What iterators of all containers have from their common base: by reference (elements of a slot map) and by a proxy that
// exists only while it is looked at (items).
#include <slotwise/map/slot_map.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

struct Point {
    int x, y;
};
using Map = SlotMap<Point>;
using ByReference = Map::iterator;
using ByConstReference = Map::const_iterator;
using ByProxy = decltype(std::declval<const Map&>().items().begin());

static_assert(std::forward_iterator<ByReference> && std::forward_iterator<ByConstReference>);
static_assert(std::forward_iterator<ByProxy>, "for C++20 algorithms a proxy is a forward iterator");
template <class It>
constexpr bool at_least_forward =
    std::is_base_of_v<std::forward_iterator_tag, typename std::iterator_traits<It>::iterator_category>;
static_assert(at_least_forward<ByReference>);
static_assert(at_least_forward<ByProxy>,
              "and for older ones, as iterators of std::vector<bool> are: std::prev of an input iterator never ends");
static_assert(std::is_same_v<std::iter_value_t<ByConstReference>, Point>);

constexpr int sum(int count) {
    Map map;
    for (int i = 0; i != count; ++i) map.insert(Point{i, -i});
    int total = 0;
    const auto items = std::as_const(map).items();
    for (auto i = items.begin(); i != items.end(); ++i) total += i->value.x;
    return total;
}
static_assert(sum(5) == 10);

} // namespace

TEST_CASE("an iterator by reference gives the element itself") {
    Map map;
    const auto first = map.insert(Point{1, 2}), second = map.insert(Point{3, 4});
    auto it = map.begin();
    CHECK(&*it == map.get(first));
    it->x = 9;
    CHECK(map[first].x == 9);
    const auto before = it++;
    CHECK(&*before == map.get(first));
    CHECK(&*it == map.get(second));
    auto& same = ++it;
    CHECK(&same == &it);
    CHECK(it == map.end());
    CHECK(it != before);
}

TEST_CASE("operator-> of a proxy reaches into the proxy") {
    Map map;
    const auto handle = map.insert(Point{3, -3});
    const auto it = std::as_const(map).items().begin();
    CHECK(it->handle == handle);
    CHECK(it->value.x == 3);
    CHECK((*it).value.y == -3);
}

TEST_CASE("a range of two iterators knows its size and works with algorithms") {
    Map map;
    for (int i = 2; i != 6; ++i) map.insert(Point{i, -i});
    const auto range = std::as_const(map).items();
    CHECK(range.size() == 4);
    CHECK_FALSE(range.empty());
    CHECK(std::count_if(range.begin(), range.end(), [](const auto& item) { return item.value.x % 2 == 0; }) == 2);
    std::vector<int> seen;
    for (const auto item : range) seen.push_back(item.value.x);
    CHECK(seen == std::vector{2, 3, 4, 5});
    CHECK(Map().items().empty());
}
