// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Elements that can only be moved, or not even that; over-aligned, empty and big ones; and what const gives.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace test;

template <class Map>
void grow_and_churn(Map& map) {
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != 300; ++i) handles.push_back(put_in_place(map, i));
    for (std::size_t i = 0; i < 300; i += 3) REQUIRE(map.erase(handles[i]));
    const auto given = put_with(map, 1000, [](auto) {});
    REQUIRE(fulfill(map, map.reserve_handle(), 1001));
    REQUIRE(put_at(map, typename Map::handle_type(400, 3), 1002));
    for (std::size_t i = 0; i != 300; ++i) REQUIRE((map.get(handles[i]) != nullptr) == (i % 3 != 0));
    REQUIRE(map.contains(given));
    Map moved(std::move(map));
    map = std::move(moved);
    map.swap(moved);
    map.swap(moved);
    REQUIRE(map.size() == 203);
    REQUIRE(map.check_invariants());
    map.shrink_to_fit();
    map.erase_if([](const auto&...) { return true; });
    REQUIRE(map.empty());
    map.shrink_to_fit();
    REQUIRE(map.capacity() == 0);
}

template <class Map>
concept can_insert = requires(Map map, typename Map::value_type value) { map.insert(value); };
template <class Map>
concept can_extract = requires(Map map, typename Map::handle_type handle) { map.extract(handle); };

} // namespace

TEMPLATE_TEST_CASE("move-only elements are inserted, extracted and moved", "[elements]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<MoveOnly> map;
    grow_and_churn(map);
    const auto handle = put(map, 7);
    const auto taken = map.extract(handle);
    REQUIRE(taken.has_value());
    REQUIRE(map.empty());
    if constexpr (!is_soa<decltype(map)>) {
        REQUIRE(taken->value() == 7);
        static_assert(!can_insert<decltype(map)>); // of an lvalue
    }
}

TEMPLATE_TEST_CASE("elements that cannot move live in paged storage", "[elements]", test::Paged, test::Reserved) {
    NothingLeaks objects;
    typename TestType::template map<NonMovable> map;
    static_assert(!can_insert<decltype(map)> && !can_extract<decltype(map)>);
    std::vector<std::pair<typename decltype(map)::handle_type, const NonMovable*>> all;
    for (int i = 0; i != 3000; ++i) {
        const auto handle = map.emplace(i);
        all.emplace_back(handle, map.get(handle));
    }
    const auto made = map.insert_with([](auto) { return NonMovable(5); }); // built in place
    auto moved = std::move(map);
    for (std::size_t i = 0; i != all.size(); ++i) {
        REQUIRE(moved.get(all[i].first) == all[i].second);
        REQUIRE(all[i].second->value() == static_cast<int>(i));
    }
    REQUIRE(moved[made].value() == 5);
    REQUIRE(moved.fulfill(moved.reserve_handle(), 6)->value() == 6);
    REQUIRE(moved.erase_if([](const NonMovable& element) { return element.value() % 2 == 0; }) == 1501);
    REQUIRE(moved.check_invariants());
    moved.clear();
    map.swap(moved);
}

TEMPLATE_TEST_CASE("over-aligned elements lie where they ask", "[elements]", ALL_STORAGES) {
    NothingLeaks objects; // reports an element that is not aligned
    typename TestType::template map<OverAligned<128>> wide;
    grow_and_churn(wide);
    typename TestType::template map<OverAligned<1024>> wider;
    grow_and_churn(wider);
}

TEMPLATE_TEST_CASE("empty elements work, and each has its own handle", "[elements]", ALL_STORAGES) {
    typename TestType::template map<Empty> map;
    grow_and_churn(map);
    const auto a = put(map, 1), b = put(map, 1);
    REQUIRE(a != b);
    map.erase(a);
    REQUIRE_FALSE(map.contains(a));
    REQUIRE(map.contains(b));
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("copies of non-trivial elements with holes copy the live ones, each once", "[elements]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    for (int i = 0; i != 100; ++i) put(map, i);
    map.erase_if([](const auto& element) { return test::number(element) % 4 != 0; });
    const std::size_t members = is_soa<decltype(map)> ? 2 : 1;
    REQUIRE(objects.alive() == 25 * members);
    {
        const auto copy = map;
        REQUIRE(objects.alive() == 50 * members);
        REQUIRE(copy == map);
        auto assigned = copy;
        assigned = map;
        REQUIRE(objects.alive() == 75 * members);
    }
    REQUIRE(objects.alive() == 25 * members);
}

TEMPLATE_TEST_CASE("a const map gives const elements only", "[elements]", test::Paged, test::Reserved, test::Dense) {
    using Map = typename TestType::template map<std::string>;
    Map map;
    const auto handle = map.insert("text");
    const Map& view = map;
    static_assert(std::is_same_v<decltype(view.get(handle)), const std::string*>);
    static_assert(std::is_same_v<decltype(view[handle]), const std::string&>);
    static_assert(std::is_same_v<decltype(view.at(handle)), const std::string&>);
    static_assert(std::is_same_v<decltype(*view.begin()), const std::string&>);
    static_assert(std::is_same_v<decltype((*view.items().begin()).value), const std::string&>);
    static_assert(std::is_same_v<decltype(std::get<0>(view.get_many(handle))), const std::string*&&>);
    static_assert(std::is_same_v<decltype(map.get(handle)), std::string*>);
    static_assert(std::is_same_v<decltype(*map.begin()), std::string&>);
    static_assert(std::is_convertible_v<typename Map::iterator, typename Map::const_iterator>);
    static_assert(!std::is_convertible_v<typename Map::const_iterator, typename Map::iterator>);
    std::size_t visited = 0;
    view.for_each([&](const std::string& text) { visited += text.size(); });
    view.for_each(
        [&](typename Map::handle_type named, const std::string& text) { visited += named == handle ? text.size() : 0; });
    REQUIRE(visited == 8);
}

TEST_CASE("a const SoaSlotMap gives rows of const references", "[elements]") {
    SoaSlotMap<int, std::string> map;
    const auto handle = map.insert(1, "one");
    const auto& view = map;
    static_assert(std::is_same_v<decltype(view[handle].get<1>()), const std::string&>);
    static_assert(std::is_same_v<decltype(map[handle].get<1>()), std::string&>);
    static_assert(std::is_same_v<decltype(view.column<0>()), std::span<const int>>);
    static_assert(std::is_same_v<decltype(view.column<std::string>()), std::span<const std::string>>);
    auto [number, text] = map[handle];
    number = 2;
    text = "two";
    REQUIRE(view.at(handle).get<0>() == 2);
    REQUIRE(view.get(handle)->get<1>() == "two");
    REQUIRE_FALSE(view.get({}));
}

TEST_CASE("handles of two maps are different types, and one is named while its element is incomplete", "[elements]") {
    static_assert(!std::is_convertible_v<SlotMap<int>::handle_type, SlotMap<long>::handle_type>);
    static_assert(!std::is_convertible_v<SlotMap<int>::handle_type, DenseSlotMap<int>::handle_type>);
    static_assert(!std::is_convertible_v<SlotMap<int>::handle_type, SlotMap<int, Tag<struct Other>>::handle_type>);
    static_assert(std::is_same_v<SlotMap<int>::handle_type, HandleOf<SlotMap<int>>>);
    struct Node {
        HandleOf<SlotMap<Node>> left{}, right{}; // Node is incomplete here
    };
    SlotMap<Node> tree;
    const auto root = tree.emplace();
    tree[root].left = tree.emplace();
    REQUIRE(tree.contains(tree[root].left));
    REQUIRE_FALSE(tree.contains(tree[root].right));
}
