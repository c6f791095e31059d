// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/sweep.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/relation_map.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Unit;
using E = Handle<Unit>;
enum class Relation : std::uint8_t { likes, owns, child_of };
using enum Relation;
using Map = RelationMap<E, Relation, E>;
using Tree = RelationMap<E, Relation, E, Options<RelationMapOptions{.exclusive = true}>>;

E e(slot_t index, std::uint32_t version = 1) { return E(index, version); }
template <class Id>
std::vector<Id> list(std::span<const Id> ids) {
    return {ids.begin(), ids.end()};
}
template <class M>
auto pairs(const M& map) {
    std::set<std::tuple<E, Relation, E>> all;
    map.for_each([&](E source, Relation relation, E target) { all.insert({source, relation, target}); });
    return all;
}

} // namespace

TEST_CASE("RelationMap: pairs are read from both sides", "[ecs]") {
    Map map;
    CHECK(map.insert(e(1), likes, e(2)));
    CHECK(map.insert(e(1), likes, e(3)));
    CHECK(map.insert(e(4), likes, e(3)));
    CHECK(map.insert(e(1), owns, e(3)));
    CHECK_FALSE(map.insert(e(1), likes, e(3)));
    CHECK(map.size() == 4);
    CHECK(map.count(likes) == 3);
    CHECK(map.count(child_of) == 0);
    CHECK(list(map.targets(e(1), likes)) == std::vector{e(2), e(3)});
    CHECK(list(map.sources(likes, e(3))) == std::vector{e(1), e(4)});
    CHECK(list(map.sources(owns, e(3))) == std::vector{e(1)});
    CHECK(*map.target(e(1), owns) == e(3));
    CHECK(map.target(e(3), likes) == nullptr);
    CHECK(map.contains(e(4), likes, e(3)));
    CHECK_FALSE(map.contains(e(3), likes, e(4)));
    CHECK(map.erase(e(1), likes, e(3)));
    CHECK_FALSE(map.erase(e(1), likes, e(3)));
    CHECK(list(map.sources(likes, e(3))) == std::vector{e(4)});
    CHECK(map.contains(e(1), owns, e(3)));
    CHECK(map.check_invariants());
    map.clear();
    CHECK(map.empty());
    CHECK(pairs(map).empty());
    CHECK(map.insert(e(1), likes, e(1))); // with itself
    CHECK(map.erase_target(e(1)) == 1);
    CHECK(map.check_invariants());
}

// proves: RelationMap::set_exclusive throws
TEST_CASE("RelationMap: an exclusive relation replaces the target in one step, whatever the policy of the map", "[ecs]") {
    Tree tree;
    CHECK(tree.insert(e(1), child_of, e(9)));
    CHECK(tree.insert(e(2), child_of, e(9)));
    CHECK_FALSE(tree.insert(e(1), child_of, e(9)));
    CHECK(tree.insert(e(1), child_of, e(8)));
    CHECK(tree.size() == 2);
    CHECK(list(tree.targets(e(1), child_of)) == std::vector{e(8)});
    CHECK(list(tree.sources(child_of, e(9))) == std::vector{e(2)});
    CHECK(tree.check_invariants());
    Map map;
    CHECK_FALSE(map.is_exclusive(child_of));
    map.set_exclusive(child_of);
    CHECK(map.is_exclusive(child_of));
    map.insert(e(1), child_of, e(9));
    map.insert(e(1), child_of, e(8));
    map.insert(e(1), likes, e(9));
    map.insert(e(1), likes, e(8));
    CHECK(map.targets(e(1), child_of).size() == 1);
    CHECK(map.targets(e(1), likes).size() == 2);
    CHECK(thrown_text<std::invalid_argument>([&] { map.set_exclusive(likes); }).find("RelationMap set_exclusive") == 0);
    map.erase(e(1), likes, e(9));
    map.set_exclusive(likes);
    tree.set_exclusive(child_of, false);
    CHECK(tree.insert(e(1), child_of, e(9)));
    CHECK(tree.targets(e(1), child_of).size() == 2);
    CHECK(map.check_invariants());
    CHECK(tree.check_invariants());
    map.clear();
    CHECK(map.is_exclusive(child_of)); // a policy is no pair
}

TEST_CASE("RelationMap: a target that dies leaves its orphans to a callback, which may change the map", "[ecs]") {
    Map map;
    for (slot_t child = 1; child != 50; ++child) map.insert(e(child), child_of, e(child / 3));
    map.insert(e(7), likes, e(0));
    std::vector<std::pair<E, Relation>> orphans;
    CHECK(map.erase_target(e(0), [&](E source, Relation relation) {
        orphans.push_back({source, relation});
        CHECK_FALSE(map.contains(source, relation, e(0)));
        if (relation == child_of) map.insert(source, child_of, e(100)); // another parent
    }) == 3);
    CHECK(orphans == std::vector{std::pair(e(1), child_of), std::pair(e(2), child_of), std::pair(e(7), likes)});
    CHECK(map.sources(child_of, e(100)).size() == 2);
    CHECK(map.check_invariants());
    std::size_t gone = 0; // a whole tree, by its orphans
    const auto cascade = [&](auto& self, E dead) -> void {
        map.erase_source(dead);
        map.erase_target(dead, [&](E source, Relation) {
            ++gone;
            self(self, source);
        });
    };
    cascade(cascade, e(100));
    CHECK(gone == 49);
    CHECK(map.empty());
    CHECK(map.check_invariants());
}

// proves: RelationMap::erase_target throws
TEST_CASE("RelationMap: a callback that throws finds all pairs of the target removed", "[ecs]") {
#if SLOTWISE_EXCEPTIONS
    Map map;
    for (slot_t i = 1; i != 5; ++i) map.insert(e(i), likes, e(0));
    int calls = 0;
    const auto fail = [&](E, Relation) {
        ++calls;
        throw std::runtime_error("no");
    };
    CHECK_THROWS_AS(map.erase_target(e(0), fail), std::runtime_error);
    CHECK(calls == 1);
    CHECK(map.empty());
    CHECK(map.check_invariants());
#else
    SUCCEED("nothing throws here");
#endif
}

TEST_CASE("RelationMap: handles are taken with their version and without their user bits", "[ecs]") {
    using U = Handle<Unit, HandleLayout{32, 16, 16}>;
    RelationMap<U, Relation, U> map;
    CHECK(map.insert(U(1, 1, 7), likes, U(2, 1, 9)));
    CHECK_FALSE(map.insert(U(1, 1), likes, U(2, 1)));
    CHECK(list(map.targets(U(1, 1, 3), likes)) == std::vector{U(2, 1)});
    CHECK_FALSE(map.contains(U(1, 1), likes, U(2, 3))); // a recycled target is another one
    CHECK(map.targets(U(1, 3), likes).empty());
    CHECK_FALSE(map.insert(U(1, 2), likes, U(2, 1)));
    CHECK_FALSE(map.insert(U(1, 1), likes, U()));
    CHECK(map.size() == 1);
    CHECK(map.check_invariants());
}

// proves: RelationMap::targets invalidates, table RelationMap insert / addresses, table RelationMap insert / iterators
TEST_CASE("RelationMap: arguments may be those of a pair of the map", "[ecs]") {
    Map map;
    for (slot_t i = 1; i != 20; ++i) map.insert(e(0), likes, e(i));
    for (slot_t i = 1; i != 20; ++i) map.insert(e(100 + i), likes, map.targets(e(0), likes)[i - 1]);
    while (!map.targets(e(0), likes).empty()) CHECK(map.erase(e(0), likes, map.targets(e(0), likes)[0]));
    CHECK(map.size() == 19);
    CHECK(map.erase_source(map.sources(likes, e(5))[0]) == 1);
    CHECK(map.erase_source(e(106), likes) == 1);
    CHECK(map.erase_source(e(106), owns) == 0);
    CHECK(map.check_invariants());
}

TEST_CASE("RelationMap: random operations agree with a model after each step", "[ecs]") {
    std::mt19937 generator(7);
    const auto random = [&](unsigned below) { return static_cast<slot_t>(generator() % below); };
    for (const bool exclusive : {false, true}) {
        Map map;
        map.set_exclusive(likes, exclusive);
        std::set<std::tuple<E, Relation, E>> model;
        for (int step = 0; step != 4000; ++step) {
            const E source = e(random(12), 2 * random(2) + 1), target = e(random(12));
            const auto relation = static_cast<Relation>(random(3));
            const std::tuple pair(source, relation, target);
            switch (random(12)) {
            default:
                if (exclusive && relation == likes && !model.contains(pair))
                    std::erase_if(model,
                                  [&](const auto& each) { return std::get<0>(each) == source && std::get<1>(each) == likes; });
                REQUIRE(map.insert(source, relation, target) == model.insert(pair).second);
                break;
            case 0:
            case 1:
            case 2:
                REQUIRE(map.erase(source, relation, target) == (model.erase(pair) == 1));
                break;
            case 3:
                REQUIRE(map.erase_source(source) ==
                        std::erase_if(model, [&](const auto& each) { return std::get<0>(each) == source; }));
                break;
            case 4:
                REQUIRE(map.erase_target(target) ==
                        std::erase_if(model, [&](const auto& each) { return std::get<2>(each) == target; }));
                break;
            case 5:
                map.shrink_to_fit();
                break;
            case 6: {
                Map restored;
                restored.restore(map.snapshot());
                REQUIRE(restored == map);
                REQUIRE(restored.snapshot() == map.snapshot());
                Map copy = map;
                REQUIRE(copy.snapshot() == map.snapshot());
                map = std::move(step % 2 == 0 ? restored : copy);
                REQUIRE(map.is_exclusive(likes) == exclusive);
                break;
            }
            }
            REQUIRE(map.check_invariants());
            REQUIRE(pairs(map) == model);
            REQUIRE(map.contains(source, relation, target) == model.contains(pair));
        }
    }
}

TEST_CASE("RelationMap: two maps are equal when their pairs are, in whatever order", "[ecs]") {
    Map a, b;
    a.insert(e(1), likes, e(2));
    a.insert(e(1), likes, e(3));
    b.insert(e(1), likes, e(3));
    CHECK_FALSE(a == b);
    b.insert(e(1), likes, e(2));
    CHECK(a == b);
    b.erase(e(1), likes, e(2));
    b.insert(e(1), owns, e(2));
    CHECK_FALSE(a == b);
    swap(a, b);
    CHECK(a.count(owns) == 1);
    CHECK(b.count(likes) == 2);
}

// proves: RelationMap::restore throws
TEST_CASE("RelationMap: bytes that snapshot() would not write are refused, and nothing changes", "[ecs]") {
    Map map;
    map.set_exclusive(child_of);
    for (slot_t i = 1; i != 6; ++i) {
        map.insert(e(i), child_of, e(i / 2));
        map.insert(e(i), likes, e(i % 3));
        map.insert(e(i), likes, e(7));
    }
    const auto bytes = map.snapshot();
    std::size_t refused = 0;
    for (std::size_t size = 0; size != bytes.size(); ++size) {
        Map other;
        other.insert(e(1), owns, e(1));
        REQUIRE(other.try_restore(std::span(bytes).first(size)) != nullptr);
        if (size < test::OpenSnapshot(bytes).state.size())
            REQUIRE(other.try_restore(test::forged(bytes, [&](auto& state) { state.resize(size); })) != nullptr);
        REQUIRE((other.size() == 1 && other.contains(e(1), owns, e(1))));
    }
    for (std::size_t at = 0; at != bytes.size(); ++at)
        for (const unsigned mask : {1u, 2u, 0x80u}) {
            auto wrong = bytes;
            wrong[at] ^= static_cast<std::byte>(mask);
            wrong = test::reseal(wrong);
            Map other;
            if (other.try_restore(wrong) != nullptr) {
                ++refused;
                REQUIRE(other.empty());
            } else {
                REQUIRE(other.check_invariants());
                REQUIRE(other.snapshot() == wrong);
            }
        }
    CHECK(refused > bytes.size());
    const auto more = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
    Map other;
    CHECK(thrown_text<std::invalid_argument>([&] { other.restore(more); }).find("snapshot: there are more bytes") == 0);
}

TEST_CASE("RelationMap: memory comes from its allocator, and all of it is returned", "[ecs]") {
    using A = StatefulAllocator<std::byte>;
    using Counted = RelationMap<E, Relation, E, AllocBy<A>>;
    const EveryByteReturned scope;
    Counted map(A(1)), elsewhere(A(2));
    for (slot_t i = 0; i != 200; ++i) map.insert(e(i), static_cast<Relation>(i % 3), e(i / 10));
    for (slot_t i = 0; i != 20; ++i) map.insert(e(0), likes, e(i));
    elsewhere = map;
    CHECK(elsewhere == map);
    Counted third(std::move(map), A(3));
    CHECK(map.empty());
    CHECK(third == elsewhere);
    CHECK(third.check_invariants());
    swap(third, third);
    elsewhere.clear();
    elsewhere.shrink_to_fit();
    elsewhere = std::move(third);
    CHECK(elsewhere.size() == 219);
    CHECK(elsewhere.check_invariants());
}

// proves: RelationMap::RelationMap(other) throws, RelationMap::RelationMap(other, alloc) throws
// proves: RelationMap::operator=(other) throws, RelationMap::operator=(other) throws #2, RelationMap::reserve throws
// proves: RelationMap::shrink_to_fit throws, RelationMap::insert throws, RelationMap::try_restore throws
// proves: table RelationMap insert / exceptions, RelationList::make_room throws, RelationSide::make throws
// proves: RelationLayer::insert throws, RelationSide::for_each_in_order throws
TEST_CASE("RelationMap: an allocation that fails changes nothing", "[ecs][throws]") {
    using A = StatefulAllocator<std::byte, Propagation{.throws = true}>;
    using Failing = RelationMap<E, Relation, E, AllocBy<A>>;
    const EveryByteReturned scope;
    const auto sweep = [](const char* name, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept<Failing>(name), [&](auto&& attempt) {
            Failing map;
            map.set_exclusive(child_of);
            for (slot_t i = 0; i != 4; ++i) map.insert(e(0), likes, e(i)); // their room is full
            map.insert(e(3), child_of, e(1));
            map.insert(e(4), child_of, e(2));
            const auto before = map.snapshot();
            if (!attempt([&] { act(map); })) return;
            CHECK(map.snapshot() == before);
            CHECK(map.check_invariants());
        });
        CHECK(failures != 0);
    };
    sweep("insert", [](Failing& map) { map.insert(e(0), likes, e(9)); });
    sweep("insert", [](Failing& map) { map.insert(e(5), owns, e(9)); });
    sweep("insert", [](Failing& map) { map.insert(e(3), child_of, e(2)); });
    sweep("reserve", [](Failing& map) { map.reserve(likes, 1000); });
    sweep("shrink_to_fit", [](Failing& map) {
        map.reserve(likes, 1000);
        map.shrink_to_fit();
    });
    sweep("erase_target", [](Failing& map) { map.erase_target(e(1), [](E, Relation) {}); });
    sweep("operator=(copy)", [](Failing& map) {
        Failing other;
        other = map;
    });
    sweep("set_exclusive", [](Failing& map) { map.set_exclusive(owns); });
    sweep("(copy)", [](Failing& map) { const Failing copy(map); });
    sweep("(copy, allocator)", [](Failing& map) { const Failing copy(map, A(2)); });
    sweep("(move, allocator)", [](Failing& map) { const Failing other(std::move(map), A(2)); });
    sweep("operator=(move)", [](Failing& map) {
        Failing other(A(2));
        other = std::move(map);
    });
    sweep("swap", [](Failing& map) {
        Failing other(A(2));
        other.insert(e(8), likes, e(9));
        other.swap(map);
    });
    const auto bytes = [] {
        RelationMap<E, Relation, E> map;
        for (slot_t i = 0; i != 9; ++i) map.insert(e(i), static_cast<Relation>(i % 3), e(i / 2));
        return map.snapshot();
    }();
    sweep("try_restore", [&](Failing& map) { static_cast<void>(map.try_restore(bytes)); });
    sweep("restore", [&](Failing& map) { map.restore(bytes); });
    calls_nothing_that_throws(swept<Failing>("()"), [] { const Failing empty{}; });
}
