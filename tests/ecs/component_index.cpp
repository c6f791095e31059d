// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/component_index.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Index = ComponentIndex<int>; // tables are numbers here
using Ids = std::vector<ComponentId>;

ComponentId component(std::uint32_t number) { return detail::ComponentIdParts::make(1, number); }
Entity entity(slot_t index, std::uint32_t version = 1) { return Entity(index, version); }
const ComponentId position = component(1), frozen = component(2), likes = component(3), eats = component(4);
const Entity bob = entity(7), carol = entity(9);

void insert(Index& index, int table, Ids ids) {
    std::sort(ids.begin(), ids.end());
    index.insert(table, ids, [](slot_t place) { return static_cast<int>(place) * 10; });
}
template <class Range>
std::vector<int> list(const Range& range) {
    std::vector<int> tables;
    for (const auto& entry : range) tables.push_back(entry.table);
    CHECK(tables.size() == range.size());
    return tables;
}

} // namespace

TEST_CASE("ComponentIndex: which tables have an id, and has this table that id", "[ecs]") {
    Index index;
    CHECK(index.empty());
    insert(index, 100, {position});
    insert(index, 101, {position, frozen});
    insert(index, 102, {});
    CHECK(list(index.tables(position)) == std::vector{100, 101});
    CHECK(list(index.tables(frozen)) == std::vector{101});
    CHECK(index.tables(likes).empty());
    CHECK(index.count(position) == 2);
    CHECK(list(index.tables()) == std::vector{100, 101, 102});
    REQUIRE(index.find(frozen, 101) != nullptr);
    CHECK(index.find(frozen, 101)->first == 1);
    CHECK(index.find(frozen, 101)->column == 10);
    CHECK(index.find(frozen, 101)->count == 1);
    CHECK(index.find(frozen, 101)->table == 101);
    CHECK(index.find(frozen, 100) == nullptr);
    CHECK(index.find(position, 555) == nullptr);
    CHECK(index.contains(102));
    CHECK_FALSE(index.contains(103));
    CHECK(index.keys(101).size() == 2);
    CHECK(index.keys(555).empty());
    CHECK(index.check_invariants());
}

TEST_CASE("ComponentIndex: a wildcard finds each table once, with the number of its pairs that match", "[ecs]") {
    Index index;
    insert(index, 1, {position, pair(likes, bob), pair(likes, carol), pair(eats, bob)});
    insert(index, 2, {pair(eats, carol)});
    insert(index, 3, {position});
    insert(index, 4, {pair(likes, frozen)});
    CHECK(list(index.tables(pair(likes, any))) == std::vector{1, 4});
    CHECK(list(index.tables(pair(any, bob))) == std::vector{1});
    CHECK(list(index.tables(pair(any, carol))) == std::vector{1, 2});
    CHECK(list(index.tables(pair(any, frozen))) == std::vector{4});
    CHECK(list(index.tables(pair(any, any))) == std::vector{1, 2, 4});
    CHECK(index.find(pair(likes, any), 1)->count == 2);
    CHECK(index.find(pair(any, bob), 1)->count == 2);
    CHECK(index.find(pair(any, any), 1)->count == 3);
    CHECK(index.find(pair(any, any), 3) == nullptr);
    CHECK(index.find(pair(likes, any), 1)->first == 1);
    CHECK(index.find(pair(likes, any), 1)->column == 10);
    CHECK(index.check_invariants());
}

TEST_CASE("ComponentIndex: pairs with one target are no neighbours, and each is found", "[ecs]") {
    Index index;
    insert(index, 1, {pair(likes, bob), pair(likes, carol), pair(eats, bob), pair(eats, carol), frozen});
    const auto matches = [&](ComponentId id) {
        std::vector<std::pair<ComponentId, slot_t>> found;
        index.for_each_match(id, 1, [&](ComponentId each, const Index::Entry& entry) {
            CHECK(entry.table == 1);
            CHECK(entry.count == 1);
            CHECK(entry.column == static_cast<int>(entry.first) * 10);
            found.emplace_back(each, entry.first);
        });
        return found;
    };
    using Found = std::vector<std::pair<ComponentId, slot_t>>;
    CHECK(matches(pair(any, bob)) == Found{{pair(likes, bob), 1}, {pair(eats, bob), 3}}); // (likes, carol) lies between
    CHECK(matches(pair(eats, any)) == Found{{pair(eats, bob), 3}, {pair(eats, carol), 4}});
    CHECK(matches(pair(any, any)).size() == 4);
    CHECK(matches(pair(likes, bob)) == Found{{pair(likes, bob), 1}});
    CHECK(matches(frozen) == Found{{frozen, 0}});
    CHECK(matches(position).empty());
    index.for_each_match(frozen, 2, [](ComponentId, const Index::Entry&) { FAIL("no such table"); });
}

TEST_CASE("ComponentIndex: a target is its whole id, so a recycled index matches nothing", "[ecs]") {
    Index index;
    insert(index, 1, {pair(likes, entity(7, 1))});
    CHECK(index.tables(pair(any, entity(7, 3))).empty());
    CHECK(index.tables(pair(likes, entity(7, 3))).empty());
    CHECK(index.count(pair(any, entity(7, 1))) == 1);
}

TEST_CASE("ComponentIndex: when tables go, lists and counts lose them, and the order stays", "[ecs]") {
    Index index;
    for (int table = 0; table != 10; ++table)
        insert(index, table, {position, pair(likes, entity(static_cast<slot_t>(table % 2))), pair(eats, bob)});
    for (const int table : {3, 0, 9, 4}) CHECK(index.erase(table));
    CHECK_FALSE(index.erase(3));
    CHECK(list(index.tables(position)) == std::vector{1, 2, 5, 6, 7, 8});
    CHECK(list(index.tables(pair(likes, entity(0)))) == std::vector{2, 6, 8});
    CHECK(list(index.tables(pair(any, bob))) == std::vector{1, 2, 5, 6, 7, 8});
    CHECK(list(index.tables()) == std::vector{1, 2, 5, 6, 7, 8});
    CHECK(index.count(pair(any, any)) == 6);
    CHECK(index.find(position, 3) == nullptr);
    CHECK(index.check_invariants());
    insert(index, 3, {position}); // it comes back as the last one
    CHECK(list(index.tables(position)) == std::vector{1, 2, 5, 6, 7, 8, 3});
    CHECK(index.number(3) > index.number(8));
    for (const int table : {1, 2, 5, 6, 7, 8, 3}) CHECK(index.erase(table));
    CHECK(index.tables(position).empty());
    CHECK(index.tables(pair(any, any)).empty());
    CHECK(index.empty());
    CHECK(index.check_invariants());
}

TEST_CASE("ComponentIndex: it is moved and cleared as a whole", "[ecs]") {
    Index index, other;
    insert(index, 1, {position});
    insert(other, 2, {frozen});
    other = std::move(index);
    CHECK(index.empty()); // NOLINT: a moved-from index is empty
    CHECK(index.check_invariants());
    CHECK(list(other.tables(position)) == std::vector{1});
    CHECK(other.tables(frozen).empty());
    swap(index, other);
    CHECK(index.count(position) == 1);
    index.clear();
    CHECK(index.empty());
    CHECK(index.tables().empty());
    insert(index, 5, {position});
    CHECK(index.check_invariants());
}

TEST_CASE("ComponentIndex: a table that cannot be entered is not there at all", "[ecs]") {
    const Ids ids{position, pair(likes, bob), pair(eats, bob)};
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        Index index;
        insert(index, 1, {position, pair(likes, bob)});
        const bool failed = attempt([&] { index.insert(2, ids, [](slot_t) { return -1; }); });
        CHECK(index.size() == (failed ? 1 : 2));
        CHECK(index.count(pair(any, bob)) == index.size());
        CHECK(index.count(pair(eats, any)) == index.size() - 1);
        CHECK(index.contains(2) != failed);
        CHECK(index.check_invariants());
        if (failed) index.insert(2, ids, [](slot_t) { return -1; });
        CHECK(index.check_invariants());
    });
    CHECK(failures > 5);
    Index index;
    CHECK_THROWS_AS(index.insert(2, ids, [](slot_t place) { return place == 1 ? throw 1 : 0; }), int);
    CHECK(index.empty());
    CHECK(index.check_invariants());
}

TEST_CASE("ComponentIndex: random tables come and go as in a model", "[ecs]") {
    std::mt19937 random(20);
    Ids known{position, frozen, component(300)};
    for (const ComponentId relation : {likes, eats, component(40)})
        for (slot_t target = 0; target != 4; ++target) known.push_back(pair(relation, entity(target)));
    Ids asked = known;
    for (const ComponentId relation : {likes, eats, component(40)}) asked.push_back(pair(relation, any));
    for (slot_t target = 0; target != 4; ++target) asked.push_back(pair(any, entity(target)));
    asked.push_back(pair(any, any));
    std::vector<std::pair<int, Ids>> model; // in the order of creation
    Index index;
    for (int step = 0; step != 3000; ++step) {
        if (model.size() > 60 || (!model.empty() && random() % 3 == 0)) {
            const std::size_t gone = random() % model.size();
            REQUIRE(index.erase(model[gone].first));
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(gone));
        } else {
            std::set<ComponentId> ids;
            for (std::size_t i = random() % 6; i != 0; --i) ids.insert(known[random() % known.size()]);
            model.emplace_back(step, Ids(ids.begin(), ids.end()));
            insert(index, step, model.back().second);
        }
        const ComponentId id = asked[random() % asked.size()];
        std::vector<int> expected;
        for (const auto& [table, ids] : model) {
            const auto count =
                std::count_if(ids.begin(), ids.end(), [&](ComponentId each) { return detail::matches_id(id, each); });
            const auto* const entry = index.find(id, table);
            REQUIRE((entry == nullptr ? 0 : entry->count) == static_cast<std::size_t>(count));
            if (count != 0) expected.push_back(table);
        }
        REQUIRE(list(index.tables(id)) == expected);
        if (step % 100 == 0) REQUIRE(index.check_invariants());
    }
    CHECK(index.check_invariants());
}

TEST_CASE("ComponentIndex: any trivially copyable name of a table and any ordered id will do", "[ecs]") {
    std::string a, b;
    ComponentIndex<std::string*, int> index; // ids without pairs
    const std::vector<int> ids{-1, 5};
    index.insert(&a, ids, [](slot_t) { return -1; });
    index.insert(&b, {}, [](slot_t) { return -1; });
    CHECK(index.count(-1) == 1);
    CHECK((*index.tables(5).begin()).table == &a);
    CHECK(index.find(5, &b) == nullptr);
    CHECK(index.tables().size() == 2);
}
