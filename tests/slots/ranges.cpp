// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Ranges and views of all containers as the standard library sees them.
#include <slotwise/slotwise.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <ranges>
#include <string>

using namespace slotwise;

namespace {

// Not only declared: begin() and end() of a temporary must be what they are of the lvalue, for their iterators to outlive it.
template <class R>
constexpr bool borrowed_view = std::ranges::view<R> && std::ranges::borrowed_range<R> && std::ranges::forward_range<R> &&
                               std::copyable<R> && std::ranges::viewable_range<R>;
template <class C>
constexpr bool of_slot_map =
    borrowed_view<decltype(std::declval<C&>().handles())> && borrowed_view<decltype(std::declval<C&>().items())> &&
    borrowed_view<decltype(std::declval<const C&>().items())> && borrowed_view<decltype(std::declval<C&>().slots())>;
template <class... R>
constexpr bool all_borrowed_views = (borrowed_view<R> && ...);

using Set = SetStorage<std::string>;
using Map = MapStorage<std::string, int>;
using Numbers = SlotMap<int>;

} // namespace

TEST_CASE("what the containers hand out to be walked is a view and borrowed") {
    STATIC_REQUIRE(of_slot_map<Numbers> && of_slot_map<DenseSlotMap<int>> && of_slot_map<SoaSlotMap<int, char>>);
    STATIC_REQUIRE(all_borrowed_views<decltype(std::declval<SoaSlotMap<int, char>&>().rows()), SlotRange, ColumnView<int>,
                                      ColumnView<const int>, decltype(std::declval<Numbers&>().chunks())>);
    STATIC_REQUIRE(all_borrowed_views<decltype(std::declval<Map&>().items()), decltype(std::declval<const Map&>().values()),
                                      SetView<std::string>, MapView<std::string, int>>);
    STATIC_REQUIRE(all_borrowed_views<TSSView<int>, TSDView<int, int>, DeltaRange<std::int64_t>, DeltaRange<std::int64_t, int>,
                                      DeltaRange<std::int64_t, int, int>>);
    STATIC_REQUIRE_FALSE(std::ranges::view<Numbers>); // containers own
    STATIC_REQUIRE_FALSE(std::ranges::borrowed_range<Map>);
}

TEMPLATE_TEST_CASE("the iterators of every container are forward iterators, which can be copied, and convert to const ones", "",
                   Numbers, DenseSlotMap<int>, (SoaSlotMap<int, char>), Set, Map, (SecondaryMap<Numbers::handle_type, int>),
                   (SecondaryMap<Numbers::handle_type, std::string>)) {
    using It = std::ranges::iterator_t<TestType>;
    using ConstIt = std::ranges::iterator_t<const TestType>;
    STATIC_REQUIRE(std::forward_iterator<It> && std::forward_iterator<ConstIt> && std::is_convertible_v<It, ConstIt>);
    STATIC_REQUIRE(std::is_same_v<It, ConstIt> || !std::is_convertible_v<ConstIt, It>);
    STATIC_REQUIRE(std::is_trivially_copyable_v<It> && std::is_trivially_copyable_v<ConstIt>);
    STATIC_REQUIRE(std::ranges::forward_range<TestType> && std::ranges::forward_range<const TestType>);
    TestType container;
    const auto first = container.begin();
    auto copy = first;
    CHECK(copy == first);
    copy = container.end();
    CHECK(copy == first);
}

TEST_CASE("an iterator found in a temporary range is no dangling one, and views compose") {
    Numbers map;
    for (int i = 0; i != 100; ++i) map.insert(i);
    const auto handle = map.handle_at(slot_t{70});
    const auto found = std::ranges::find(map.handles(), handle);
    CHECK(*found == handle);
    CHECK(*std::ranges::find(map.values(), 42) == 42);
    CHECK(*std::ranges::find(map.slots(), slot_t{64}) == 64);
    int sum = 0;
    for (const auto& item : map.items() | std::views::drop(90) | std::views::take(3)) sum += item.value;
    CHECK(sum == 90 + 91 + 92);
    Map words{{"a", 1}, {"b", 2}, {"c", 3}};
    CHECK(std::ranges::count_if(MapView<std::string, int>(words), [](auto item) { return item.value > 1; }) == 2);
    CHECK(*std::ranges::find(SetView<std::string>(words.as_set()), "b") == "b");
    std::size_t keys = 0;
    for (const auto& key : SetView<std::string>(words.as_set()) | std::views::filter([](auto& k) { return k != "b"; }))
        keys += key.size();
    CHECK(keys == 2);
    TSDStorage<int, int> series;
    auto writer = series.write(1);
    for (int i = 0; i != 5; ++i) writer.set(i, i * i);
    CHECK(std::ranges::distance(series.added_keys(1) | std::views::take(2)) == 2);
}
