// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IndexMap: values by small numbers, in their order.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/index_map.hpp>
#include <slotwise/map/pmr.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace slotwise;
using namespace test;

using Names = IndexMap<std::string>;
using Pairs = std::vector<std::pair<slot_t, std::string>>;

static_assert(std::bidirectional_iterator<Names::iterator> && std::bidirectional_iterator<Names::const_iterator>);
static_assert(std::is_convertible_v<Names::iterator, Names::const_iterator>);
static_assert(std::is_nothrow_move_constructible_v<Names> && std::is_nothrow_move_assignable_v<Names>);
static_assert(std::is_same_v<Names::id_type, std::uint32_t> && std::is_same_v<Names::mapped_type, std::string>);

bool begins(const std::string& text, const char* words) { return text.find(words) == 0; }
Pairs pairs(const Names& map) { return {map.begin(), map.end()}; }

} // namespace

TEST_CASE("an IndexMap gives its values in ascending order of ids, near and far", "[index_map]") {
    Names map{{70'000, "far"}, {5, "five"}, {no_slot - 1, "last"}, {0, "zero"}};
    const Pairs all{{0, "zero"}, {5, "five"}, {70'000, "far"}, {no_slot - 1, "last"}};
    REQUIRE(pairs(map) == all);
    Pairs visited, backwards;
    std::as_const(map).for_each([&](slot_t id, const std::string& value) { visited.emplace_back(id, value); });
    REQUIRE(visited == all);
    for (auto it = map.end(); it != map.begin();) backwards.insert(backwards.begin(), *--it);
    REQUIRE(backwards == all);
    REQUIRE((std::ranges::equal(map.ids(), all, {}, {}, &Pairs::value_type::first) && map.items().size() == 4));
    for (std::string& value : map.values()) value += '!';
    REQUIRE((map[0] == "zero!" && std::as_const(map).values().begin() != std::as_const(map).values().end()));
    std::size_t in_chunks = 0;
    for (const auto& [first, values, live] : std::as_const(map).chunks())
        live.for_each([&, from = first, of = values](slot_t i) { in_chunks += of[i] == map.at(from + i); });
    REQUIRE(in_chunks == 4);
    map.for_each([&](slot_t id, std::string&) { map.erase(id); }); // the entry it is given
    REQUIRE((map.empty() && map.begin() == map.end() && map.cbegin() == map.cend() && map.check_invariants()));
}

TEST_CASE("an IndexMap inserts, assigns, finds, takes out and erases by id", "[index_map]") {
    Names map;
    const auto [it, inserted] = map.insert(7, "seven");
    REQUIRE((inserted && it.id() == 7 && it->id == 7 && it->value == "seven"));
    const std::string* const address = map.get(7);
    REQUIRE_FALSE(map.try_emplace(7, "again").inserted);
    REQUIRE((!map.insert_or_assign(7, "VII").inserted && map.insert_or_assign(8, "VIII").inserted && map.emplace(9).inserted));
    for (slot_t id = 1000; id != 3000; ++id) map.try_emplace(id, "more");
    REQUIRE((map.get(7) == address && *address == "VII" && map.at(8) == "VIII" && map.value_or(6, "none") == "none"));
    REQUIRE((map.count(8) == 1 && map.find(8).id() == 8 && map.find(6) == map.end() &&
             std::as_const(map).find(8)->value == "VIII"));
    REQUIRE((map.contains(9) && !map.contains(6) && !map.contains(no_slot) && map.get(no_slot) == nullptr));
    REQUIRE((map.extract(8) == "VIII" && !map.extract(8).has_value() && map.size() == 2002));
    REQUIRE((map.erase(9) && !map.erase(9) && !map.erase(no_slot)));
    REQUIRE(map.erase(map.find(7)).id() == 1000);
    REQUIRE(map.erase(std::as_const(map).find(1000)).id() == 1001);
    REQUIRE(map.insert(7, "another").inserted); // no id is used up
    REQUIRE(erase_if(map, [](slot_t id, const std::string&) { return id >= 1500; }) == 1500);
    REQUIRE(map.erase_if([](const auto& item) { return item.id % 2 == 0 && item.value == "more"; }) == 249);
    REQUIRE((map.size() == 251 && map.memory_usage() > 0 && map.check_invariants()));
}

TEST_CASE("lower_bound and upper_bound of an IndexMap are those of std::map", "[index_map]") {
    IndexMap<int> map;
    std::map<slot_t, int> model;
    std::mt19937 random(3);
    const auto some_id = [&] { return static_cast<slot_t>(random() >> (random() % 28)) % no_slot; };
    for (int i = 0; i != 300; ++i) {
        const slot_t id = some_id();
        REQUIRE(map.insert(id, i).inserted == model.emplace(id, i).second);
    }
    for (int i = 0; i != 400; ++i)
        if (const slot_t id = some_id(); i % 8 == 0) REQUIRE(map.erase(id) == (model.erase(id) == 1));
    const auto same = [&](auto it, auto of) {
        return of == model.end() ? it == map.end() : it != map.end() && it.id() == of->first && (*it).value == of->second;
    };
    const auto agree = [&](slot_t id) {
        return same(map.lower_bound(id), model.lower_bound(id)) && same(map.upper_bound(id), model.upper_bound(id)) &&
               std::as_const(map).lower_bound(id) == map.lower_bound(id) &&
               std::as_const(map).upper_bound(id) == map.upper_bound(id);
    };
    for (const auto& [id, value] : model) REQUIRE((agree(id) && agree(id + 1) && agree(id - 1)));
    REQUIRE((agree(0) && agree(no_slot) && agree(no_slot - 1) && agree(0x8000'0000u)));
    REQUIRE(
        std::ranges::equal(map, model, [](const auto& a, const auto& b) { return a.id == b.first && a.value == b.second; }));
}

TEST_CASE("an IndexMap of large values has a page an id, up to the last one", "[index_map]") {
    struct Large {
        int number;
        char rest[2000];
    };
    IndexMap<Large> map;
    for (const slot_t id : {no_slot - 1, slot_t{3}, slot_t{1'000'000}})
        map.emplace(id).it->value.number = static_cast<int>(id % 1000);
    REQUIRE((map.begin()->value.number == 3 && std::next(map.begin(), 2)->id == no_slot - 1));
    REQUIRE((map.upper_bound(no_slot - 1) == map.end() && map.lower_bound(no_slot) == map.end() &&
             std::prev(map.end())->id == no_slot - 1));
}

TEST_CASE("copies, moves and swaps of an IndexMap are equal to what was there", "[index_map]") {
    std::pmr::monotonic_buffer_resource memory;
    Names map{{1, "a"}, {500'000, "b"}}, copy = map, other{{2, "c"}};
    REQUIRE((copy == map && !(other == map)));
    swap(copy, other);
    REQUIRE((other == map && copy.at(2) == "c"));
    copy = map;
    REQUIRE(copy == map);
    other = std::move(copy);
    REQUIRE((other == map && copy.empty()));
    other.clear();
    REQUIRE((other.empty() && other.memory_usage() == 0 && other != map));
    pmr::IndexMap<std::pmr::string> there(&memory);
    REQUIRE(there.insert(4, "a text too long for the inside of a string").it->value.get_allocator().resource() == &memory);
    const pmr::IndexMap<std::pmr::string> here(there, std::pmr::get_default_resource());
    REQUIRE((here == there && here.get_allocator() != there.get_allocator()));
}

TEST_CASE("an IndexMap clears and erases without a call that could throw", "[index_map]") {
    const NothingLeaks objects;
    IndexMap<ThrowingCopy> map;
    for (slot_t id = 0; id != 300; ++id) map.try_emplace(id * 50, 1);
    const std::size_t before = Budget::calls();
    STATIC_REQUIRE((noexcept(map.clear())&& noexcept(map.erase(1))&& noexcept(map.erase(map.begin()))));
    REQUIRE((map.erase(50) && !map.erase(51) && map.size() == 299));
    map.clear();
    REQUIRE((map.empty() && Budget::calls() == before && objects.alive() == 0));
}

#if defined(__cpp_exceptions)
TEST_CASE("an IndexMap refuses no_slot, and says what has no value", "[index_map][throws]") {
    Names map{{1, "one"}};
    const char* const refused = "IndexMap insert(id): id 0xFFFFFFFF is no_slot, which names no entry";
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { map.insert(no_slot, "x"); }), refused));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { map.insert_or_assign(no_slot, "x"); }), refused));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { Names{{1, "one"}, {no_slot, "x"}}; }), refused));
    const char* const absent = "IndexMap at(id): the id has no value here; ask get(id)";
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { map.at(2); }), absent));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { std::as_const(map).at(no_slot); }), absent));
    REQUIRE((map.size() == 1 && map.at(1) == "one"));
}
#endif
