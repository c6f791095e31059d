// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Writers have the verbs of the containers, and series and their views the ranges of the containers.
#include "semantics.hpp"

#include <stdexcept>
#include <type_traits>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<std::string, int>;
using Sets = TSDStorage<std::string, Set>;

template <class Range>
std::string items_in(Range&& range) {
    std::vector<std::string> words;
    for (const auto [key, value] : range) words.push_back(key + "=" + std::to_string(value));
    std::sort(words.begin(), words.end());
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
}
template <class Range>
std::string keys_in(Range&& range) {
    std::string text;
    for (const std::string& key : sorted(range)) text += key + " ";
    return text;
}
/// a and b have a value, c has none.
Dict abc() {
    Dict dict;
    auto w = dict.write(1);
    w.set("a", 1), w.set("b", 2), w.create("c");
    return dict;
}

} // namespace

TEST_CASE("the writer of a set inserts, finds and erases as a set does", "[writers]") {
    Set set;
    auto w = set.write(1);
    CHECK(w.empty());
    CHECK(w.insert(7).inserted);
    CHECK_FALSE(w.insert(7).inserted);
    CHECK(w.emplace(8).inserted);
    const auto [nine, inserted] = w.insert(9);
    CHECK((inserted && *nine == 9 && nine.slot() == set.slot_of(9) && nine.handle() == set.handle_of(9)));
    CHECK((w.size() == 3 && w.contains(8) && w.contains(set.handle_of(8)) && !w.contains(10)));
    CHECK((*w.find(9) == 9 && w.find(10) == set.end()));
    CHECK(w.erase(8));
    CHECK_FALSE(w.erase(8));
    CHECK(w.erase(set.handle_of(9)));
    CHECK(w.erase(w.find(7)) == set.end());
    CHECK((w.empty() && set.pending() == 3));
    w.reserve(200);
    CHECK(set.capacity() >= 200);
    for (int key = 0; key != 10; ++key) w.insert(key);
    CHECK(w.erase_if([](int key) { return key % 2 != 0; }) == 5);
    CHECK(w.erase_if([&](Set::handle_type handle, int key) { return key == 4 && set.contains(handle); }) == 1);
    CHECK(w.extract(6) == 6);
    CHECK_FALSE(w.extract(6).has_value());
    w.close();
    CHECK((sorted(set) == std::vector<int>{0, 2, 8} && set.check_invariants()));
    CHECK_THROWS_AS(w.insert(1), std::invalid_argument);
    CHECK_THROWS_AS(w.size(), std::invalid_argument);
}

TEST_CASE("what a writer inserts is written, and a member that is inserted again is left as it is", "[writers]") {
    Dict dict = abc();
    auto w = dict.write(2);
    CHECK_FALSE(w.insert("a", 10).inserted);
    CHECK_FALSE(w.try_emplace("b", 10).inserted);
    CHECK_FALSE(w.emplace("c", 10).inserted);
    CHECK((*w.get("a") == 1 && w.at("b") == 2 && !dict.valid("c") && !dict.modified(2)));
    CHECK(w.insert("d", 4).inserted);
    CHECK(w.try_emplace("e").inserted); // T(), and unlike create() written
    CHECK(w.emplace("f", 6).inserted);
    CHECK((dict.modified("d", 2) && dict.valid("e") && dict.modified("f", 2) && dict.count_valid() == 5));
    CHECK_FALSE(w.insert_or_assign("a", 11).inserted);
    CHECK(w.insert_or_assign("g", 7).inserted);
    w.close();
    CHECK(items_in(dict.modified_items(2)) == "a=11 d=4 e=0 f=6 g=7 ");
    CHECK(dict.check_invariants());
}

TEST_CASE("to read through a writer is no write", "[writers]") {
    Dict dict = abc();
    auto w = dict.write(2);
    const auto handle = dict.handle_of("a");
    CHECK((*w.get("a") == 1 && *w.get(handle) == 1 && w.get("x") == nullptr && w.at(handle) == 1 && w.at("b") == 2));
    CHECK((w.find("b")->value == 2 && w.find("x") == dict.end() && w.contains("c") && w.size() == 3 && !w.empty()));
    CHECK_THROWS_AS(w.at("x"), std::out_of_range);
    STATIC_REQUIRE(std::is_same_v<decltype(w.get("a")), const int*>);
    STATIC_REQUIRE(std::is_same_v<decltype(w.at("a")), const int&>);
    CHECK_FALSE(dict.modified(2));
    w.close();
    CHECK_THROWS_AS(w.get("a"), std::invalid_argument);
}

TEST_CASE("a writer's brackets write: a member's value, or that of a new one", "[writers]") {
    Dict dict = abc();
    auto w = dict.write(2);
    w["a"] += 10;
    w["d"] = 4;
    w["c"] = 3;
    CHECK((dict.at("a") == 11 && dict.at("d") == 4 && dict.was_added("d", 2) && dict.modified("a", 2)));
    CHECK((dict.valid("c") && dict.count_valid() == 4));
    CHECK(items_in(dict.modified_items(2)) == "a=11 c=3 d=4 ");
    w.close();
    CHECK_THROWS_AS(w["a"], std::invalid_argument);
    CHECK(dict.check_invariants());
}

TEST_CASE("update changes the value of a member in place, and makes none", "[writers]") {
    Dict dict = abc();
    auto w = dict.write(2);
    CHECK(w.update("a", [](int& value) { value += 5; }));
    CHECK(w.update(dict.handle_of("b"), [](int& value) { value = 20; }));
    CHECK_FALSE(w.update("x", [](int&) { FAIL("there is no such member"); }));
    CHECK((!dict.contains("x") && items_in(dict.modified_items(2)) == "a=6 b=20 "));
    // What f has changed before it threw is a write: a replica that is told of it does not fall behind.
    CHECK_THROWS_AS(dict.write(3).update("a", [](int& value) { value = 7, throw std::runtime_error("f"); }),
                    std::invalid_argument);
    w.close();
    CHECK_THROWS_AS(dict.write(3).update("a", [](int& value) { value = 7, throw std::runtime_error("f"); }),
                    std::runtime_error);
    CHECK((dict.at("a") == 7 && dict.modified("a", 3) && dict.check_invariants()));
}

TEST_CASE("the writer of a dictionary erases as a map with deferred erase does", "[writers]") {
    Dict dict = abc();
    auto w = dict.write(2);
    CHECK(w.erase("a"));
    CHECK_FALSE(w.erase("a"));
    CHECK((dict.was_removed("a", 2) && dict.pending() == 1));
    w.insert("d", 4), w.insert("e", 5), w.insert("f", 6);
    CHECK(w.erase_if([](const std::string& key, int value) { return key == "e" || value == 6; }) == 2);
    CHECK(w.erase_if([&](Dict::handle_type handle, const std::string&, int) { return handle == dict.handle_of("b"); }) == 1);
    const auto taken = w.extract("d");
    CHECK((taken && taken->first == "d" && taken->second == 4 && !w.extract("d") && !w.contains("d")));
    CHECK(w.erase(dict.find("c")) == dict.end());
    CHECK((w.empty() && keys_in(dict.removed_keys(2)) == "a b c " && dict.check_invariants()));
}

TEST_CASE("a hash that throws leaves the series of a writer as it is", "[writers]") {
    struct Hash {
        std::size_t operator()(int key) const { return key < 0 ? throw std::runtime_error("hash") : std::size_t(key); }
    };
    TSSStorage<int, HashBy<Hash>> set;
    auto w = set.write(1);
    w.insert(1);
    CHECK_THROWS_AS(w.erase(-1), std::runtime_error);
    CHECK_THROWS_AS(w.insert(-1), std::runtime_error);
    CHECK_THROWS_AS(w.contains(-1), std::runtime_error);
    CHECK_THROWS_AS(w.find(-1), std::runtime_error);
    CHECK_THROWS_AS(w.extract(-1), std::runtime_error);
    CHECK((w.size() == 1 && set.check_invariants()));
    TSDStorage<int, int, HashBy<Hash>> dict;
    dict.write(1).insert(1, 10);
    CHECK_THROWS_AS(dict.write(1).extract(-1), std::runtime_error);
    CHECK((dict.at(1) == 10 && dict.check_invariants()));
}

TEST_CASE("a nested series is written through brackets and update", "[writers][nested]") {
    Sets sets;
    {
        auto w = sets.write(1);
        w["team"].insert(7);
        CHECK(w.update("team", [](auto& team) { team.insert(8); }));
        CHECK_FALSE(w.update("club", [](auto&) { FAIL("there is no such member"); }));
    }
    CHECK((sets.get("team")->size() == 2 && sets.modified("team", 1) && sets.size() == 1 && sets.check_invariants()));
    sets.write(2).touch();
    CHECK_FALSE(sets.modified("team", 2));
}

TEMPLATE_TEST_CASE("added, updated and removed are to be had by key and as items, of series and of views", "[series][views]",
                   (std::integral_constant<DeltaRepresentation, DeltaRepresentation::dirty_list>),
                   (std::integral_constant<DeltaRepresentation, DeltaRepresentation::bitmap>),
                   (std::integral_constant<DeltaRepresentation, DeltaRepresentation::adaptive>)) {
    constexpr SeriesOptions options{.delta = TestType::value};
    TSDStorage<std::string, int, Options<options>> dict;
    {
        auto w = dict.write(1);
        w.set("a", 1), w.set("b", 2), w.create("c"), w.set("gone", 4), w.set("back", 5), w.set("same", 6);
    }
    {
        auto w = dict.write(2);
        w.set("b", 20);
        CHECK((items_in(dict.updated_items(2)) == "b=20 " && dict.added_items(2).empty())); // values alone
        w.set("new", 7), w.create("empty"), w.set("c", 3), w.erase("gone"), w.erase("back"), w.set("back", 50);
        w.erase("a"), w.create("a"); // a member as before, without a value
        w.set("brief", 8), w.erase("brief");
    }
    const TSDView<std::string, int> view = dict;
    const auto check = [](const auto& series) {
        CHECK(keys_in(series.added_keys(2)) == "empty new ");
        CHECK(items_in(series.added_items(2)) == "new=7 ");
        CHECK(keys_in(series.updated_keys(2)) == "b back c ");
        CHECK(items_in(series.updated_items(2)) == "b=20 back=50 c=3 ");
        CHECK(items_in(series.modified_items(2)) == "b=20 back=50 c=3 new=7 ");
        CHECK(keys_in(series.removed_keys(2)) == "gone ");
        CHECK((series.added_items(1).empty() && series.updated_keys(1).empty() && series.updated_items(3).empty()));
    };
    check(dict);
    check(view);
    CHECK(dict.check_invariants());
}

TEST_CASE("series and views have the ranges of containers", "[series][views]") {
    const Dict dict = abc();
    const TSDView<std::string, int> view = dict;
    const TSSView<std::string> keys = dict.keys();
    CHECK(items_in(dict.items()) == "a=1 b=2 c=0 ");
    CHECK(items_in(view.items()) == "a=1 b=2 c=0 ");
    CHECK((view.items().size() == 3 && view.find("b")->value == 2 && view.find("x") == view.end()));
    CHECK((view.values()[dict.slot_of("b")] == 2 && dict.values()[dict.slot_of("b")] == 2));
    CHECK((keys_in(keys) == "a b c " && keys.keys()[dict.slot_of("a")] == "a" && *keys.find("a") == "a"));
    CHECK((keys.find("x") == keys.end() && keys.state(dict.slot_of("a")) == SlotState::live));
    CHECK(view.state(dict.slot_of("c")) == SlotState::live);
    int sum = 0;
    std::string text;
    view.for_each([&](const std::string& key, int value) { text += key, sum += value; });
    keys.for_each([&](const std::string& key) { text += key; });
    CHECK((sum == 3 && text == "abcabc"));
}
TEST_CASE("a writer is a range, and inserts ranges", "[writers]") {
    TSSStorage<int> set;
    {
        auto w = set.write(1);
        w.insert_range(std::vector{1, 2});
        w.insert_range({2, 3});
        w.insert({1, 3});
        const int more[] = {3, 2};
        w.insert(more, more + 2);
        CHECK((w.count(3) == 1 && w.count(4) == 0 && std::distance(w.begin(), w.end()) == 3));
    }
    const auto handle = set.handle_of(2);
    CHECK((set[handle] == 2 && set.at(handle) == 2));
    REQUIRE_THROWS_AS(set.at(decltype(set)::handle_type()), std::out_of_range);
    CHECK_FALSE(set.keys().empty());

    TSDStorage<std::string, int> dict;
    auto w = dict.write(1);
    w.set("a", 1);
    for (const auto [key, value] : w) CHECK((key == "a" && value == 1));
    for (const auto [key, value] : w.items()) CHECK((w.value_or(key, 7) == value && w.value_or("b", 7) == 7));
    CHECK(dict[dict.handle_of("a")] == 1);
}
