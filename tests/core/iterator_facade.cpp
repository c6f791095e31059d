// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/detail/iterators.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

struct Point {
    int x, y;
};

/// Over an array, by reference.
template <class T>
class ByReference : public detail::IteratorFacade<ByReference<T>, std::remove_const_t<T>, T&> {
public:
    constexpr ByReference() = default;
    constexpr explicit ByReference(T* at) : at_(at) {}
    friend constexpr bool operator==(ByReference a, ByReference b) { return a.at_ == b.at_; }

private:
    friend detail::IteratorFacade<ByReference<T>, std::remove_const_t<T>, T&>;
    constexpr T& dereference() const { return *at_; }
    constexpr void increment() { ++at_; }
    T* at_ = nullptr;
};

/// Over numbers, by a proxy that exists only while it is looked at.
class ByProxy : public detail::IteratorFacade<ByProxy, Point, Point> {
public:
    constexpr ByProxy() = default;
    constexpr explicit ByProxy(int at) : at_(at) {}
    friend constexpr bool operator==(ByProxy a, ByProxy b) { return a.at_ == b.at_; }

private:
    friend detail::IteratorFacade<ByProxy, Point, Point>;
    constexpr Point dereference() const { return {at_, -at_}; }
    constexpr void increment() { ++at_; }
    int at_ = 0;
};

static_assert(std::forward_iterator<ByReference<int>> && std::forward_iterator<ByReference<const int>>);
static_assert(std::forward_iterator<ByProxy>, "for C++20 algorithms a proxy is a forward iterator");
static_assert(std::is_same_v<std::iterator_traits<ByReference<int>>::iterator_category, std::forward_iterator_tag>);
static_assert(std::is_same_v<std::iterator_traits<ByProxy>::iterator_category, std::forward_iterator_tag>,
              "and for older ones, as iterators of std::vector<bool> are: std::prev of an input iterator never ends");
static_assert(std::is_same_v<std::iter_value_t<ByReference<const int>>, int>);

constexpr int sum(int count) {
    int total = 0;
    for (ByProxy i(0); i != ByProxy(count); ++i) total += i->x;
    return total;
}
static_assert(sum(5) == 10);

} // namespace

TEST_CASE("an iterator by reference gives the element itself") {
    Point points[] = {{1, 2}, {3, 4}};
    ByReference<Point> it(points);
    CHECK(&*it == &points[0]);
    it->x = 9;
    CHECK(points[0].x == 9);
    const auto before = it++;
    CHECK(&*before == &points[0]);
    CHECK(&*it == &points[1]);
    auto& same = ++it;
    CHECK(&same == &it);
    CHECK(it == ByReference<Point>(points + 2));
    CHECK(it != before);
}

TEST_CASE("operator-> of a proxy reaches into the proxy") {
    const ByProxy it(3);
    CHECK(it->x == 3);
    CHECK(it->y == -3);
    CHECK((*it).y == -3);
}

TEST_CASE("a range of two iterators knows its size and works with algorithms") {
    const detail::IteratorRange range(ByProxy(2), ByProxy(6), 4);
    CHECK(range.size() == 4);
    CHECK_FALSE(range.empty());
    CHECK(std::count_if(range.begin(), range.end(), [](Point p) { return p.x % 2 == 0; }) == 2);
    std::vector<int> seen;
    for (const auto point : range) seen.push_back(point.x);
    CHECK(seen == std::vector{2, 3, 4, 5});
    CHECK(detail::IteratorRange(ByProxy(2), ByProxy(2), 0).empty());
}
