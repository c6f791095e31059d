// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Arguments that live inside the map they are given to.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <string>

namespace {

using namespace test;

/// Holds the handle of an element of its own map, its own as a rule.
template <class Storage>
struct SelfNaming {
    struct Node;
    using handle_type = HandleOf<typename Storage::template map<Node>>;
    struct Node {
        handle_type self{};
        std::string name = "a name long enough to live on the heap";
    };
};

} // namespace

TEMPLATE_TEST_CASE("insert of an own element copies it, also when that insert grows the map", "[aliasing]", test::Paged,
                   test::Reserved, test::Dense) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    const auto first = map.insert(Tracked(7));
    std::size_t growths = 0;
    for (int i = 0; i != 3000; ++i) {
        const auto capacity = map.capacity();
        const auto copy = i % 2 == 0 ? map.insert(map[first]) : map.emplace(std::as_const(map)[first]);
        growths += map.capacity() != capacity;
        REQUIRE(map[copy].value() == 7);
        REQUIRE(map[first].value() == 7);
    }
    REQUIRE((growths > 0 || map.options.growth == Growth::reserve));
    REQUIRE(map.check_invariants());
}

TEST_CASE("insert of an own row copies it, also when that insert grows the SoaSlotMap", "[aliasing]") {
    NothingLeaks objects;
    SoaSlotMap<Tracked, std::string> map;
    const auto first = map.insert(Tracked(7), "a name long enough to live on the heap");
    std::size_t growths = 0;
    for (int i = 0; i != 1000; ++i) {
        const auto capacity = map.capacity();
        const auto row = map[first];
        const auto copy = i % 2 == 0 ? map.insert(row.get<0>(), row.get<1>()) : map.emplace(std::get<0>(row), std::get<1>(row));
        growths += map.capacity() != capacity;
        REQUIRE(map[copy].get<0>().value() == 7);
        REQUIRE(map[copy].get<1>() == map[first].get<1>());
    }
    REQUIRE(growths > 3);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("insert of an own element that is moved from takes its value, also when that insert grows the map",
                   "[aliasing]", test::Paged, test::Reserved, test::Dense) {
    NothingLeaks objects;
    typename TestType::template map<MoveOnly> map;
    auto last = map.insert(MoveOnly(7));
    for (int i = 0; i != 300; ++i) {
        const auto next = map.insert(std::move(map[last]));
        REQUIRE(map[next].value() == 7);
        REQUIRE(map[last].moved_from());
        last = next;
    }
    REQUIRE(map.size() == 301);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("fulfill and insert_at take own elements as arguments", "[aliasing]", test::Paged, test::Reserved,
                   test::Dense) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    using handle_type = typename decltype(map)::handle_type;
    const auto first = map.insert(Tracked(7));
    for (int i = 0; i != 20; ++i) {
        const auto later = map.reserve_handle();
        REQUIRE(map.fulfill(later, map[first])->value() == 7);
    }
    for (slot_t slot = 100; slot < 5000; slot = slot * 2 + 1)
        REQUIRE(map.insert_at(handle_type(slot, 3), map[first])->value() == 7);
    REQUIRE(map[first].value() == 7);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("erase by a handle stored in the element it names is sound", "[aliasing]", test::Paged, test::Dense) {
    using Node = typename SelfNaming<TestType>::Node;
    typename TestType::template map<Node> map;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 50; ++i) handles.push_back(map.insert_with([](auto self) { return Node{self}; }));
    for (const std::size_t i : {49u, 0u, 25u, 48u, 1u}) {
        const typename decltype(map)::handle_type& inside = map[handles[i]].self;
        REQUIRE(map.erase(inside)); // a reference into what is erased
        REQUIRE_FALSE(map.contains(handles[i]));
    }
    const auto taken = map.extract(map[handles[30]].self);
    REQUIRE(taken.has_value());
    REQUIRE(taken->self == handles[30]);
    for (const auto handle : map.handles()) REQUIRE(map[handle].self == handle);
    REQUIRE(map.size() == 44);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("swap_values of an element with itself, and self-assignment and self-swap of a map, change nothing",
                   "[aliasing]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    const auto a = put(map, 1), b = put(map, 2), c = put(map, 3);
    map.erase(b);
    REQUIRE(map.swap_values(a, a));
    auto& alias = map;
    map = alias;
    REQUIRE(map.size() == 2);
    map = std::move(alias);
    REQUIRE(map.size() == 2);
    map.swap(alias);
    swap(map, alias);
    REQUIRE(map.size() == 2);
    REQUIRE(number_of(map, a) == 1);
    REQUIRE(number_of(map, c) == 3);
    REQUIRE_FALSE(map.contains(b));
    REQUIRE(map.check_invariants());
    REQUIRE(put(map, 4).index() == b.index());
}

TEMPLATE_TEST_CASE("a map restores its own snapshot", "[aliasing]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    const auto a = put(map, 1), b = put(map, 2);
    map.erase(a);
    map.restore(map.snapshot());
    REQUIRE(number_of(map, b) == 2);
    REQUIRE_FALSE(map.contains(a));
    REQUIRE(map.check_invariants());
}
