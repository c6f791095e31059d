// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series with keys, values, hashes and times of other kinds: move-only ones, strings asked by views of them, points of a clock.
#include "semantics.hpp"

#include <chrono>
#include <memory>
#include <string_view>

using namespace test;

namespace {

/// Upper and lower case are one.
struct AnyCaseHash {
    std::size_t salt = 0;
    std::size_t operator()(const std::string& key) const noexcept {
        std::size_t hash = salt;
        for (const char c : key) hash = hash * 31 + static_cast<std::size_t>(c | 32);
        return hash;
    }
};
struct AnyCaseEqual {
    bool operator()(const std::string& a, const std::string& b) const noexcept {
        return a.size() == b.size() &&
               std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return (x | 32) == (y | 32); });
    }
};

struct PointeeHashing {
    std::size_t operator()(const std::unique_ptr<int>& key) const noexcept { return static_cast<std::size_t>(*key); }
};
struct PointeeEquality {
    bool operator()(const std::unique_ptr<int>& a, const std::unique_ptr<int>& b) const noexcept { return *a == *b; }
};

} // namespace

TEMPLATE_TEST_CASE("keys and values that can only be moved", "[series][casts]", ALL_REPRESENTATIONS) {
    using Pointer = std::unique_ptr<int>;
    TSDStorage<Pointer, Pointer, HashBy<PointeeHashing>, EqualBy<PointeeEquality>, Options<with<TestType>>> dict;
    const auto p = [](int value) { return std::make_unique<int>(value); };
    {
        auto w = dict.write(1);
        w.set(p(1), p(10)), w.set(p(2), p(20)), w.create(p(3));
    }
    CHECK(*dict.at(p(1)) == 10);
    CHECK(dict.at(p(3)) == nullptr);
    CHECK_FALSE(dict.valid(p(3)));
    const int* const where = dict.at(p(2)).get();
    {
        auto w = dict.write(2);
        w.remove(p(2));
        w.set(p(1), p(11));
        *w.modify(p(1)) += 1;
        w.modify(p(3)) = p(30);
        w.set(p(4), p(40));
        w.remove(p(4)), w.set(p(4), p(41));
    }
    REQUIRE(dict.removed_items(2).size() == 1);
    for (const auto [key, value] : dict.removed_items(2)) {
        CHECK(*key == 2);
        CHECK(value.get() == where);
    }
    std::vector<int> written;
    for (const auto [key, value] : dict.modified_items(2)) written.push_back(*value);
    std::sort(written.begin(), written.end());
    CHECK(written == std::vector{12, 30, 41});
    CHECK(dict.was_added(p(4), 2));
    CHECK(dict.keys().removed(2).size() == 1);
    auto moved = std::move(dict);
    CHECK(*moved.at(p(1)) == 12);
    CHECK(moved.removed_items(2).size() == 1);
    CHECK(moved.check_invariants());

    TSSStorage<Pointer, HashBy<PointeeHashing>, EqualBy<PointeeEquality>, Options<with<TestType>>> set;
    {
        auto w = set.write(1);
        CHECK(w.add(p(5)));
        CHECK_FALSE(w.add(p(5)));
        CHECK(w.add(p(6)));
    }
    CHECK(set.write(2).remove(p(5)));
    CHECK(set.removed(2).size() == 1);
    CHECK(**set.removed(2).begin() == 5);
    set.write(3).clear();
    CHECK(set.check_invariants());
}

TEST_CASE("string keys are looked up and written by string_view", "[series][casts]") {
    using namespace std::string_view_literals;
    auto dict = dict_of<Adaptive>({{"a", 1}, {"b", 2}});
    CHECK(dict.contains("a"sv));
    CHECK(dict.at("b"sv) == 2);
    CHECK(dict.get("c"sv) == nullptr);
    CHECK(dict.valid("a"sv));
    CHECK(dict.last_modified("a"sv) == 1);
    CHECK(dict.slot_of("a"sv) == dict.slot_of(std::string("a")));
    {
        auto w = dict.write(2);
        CHECK(w.set("c"sv, 3).inserted);
        w.modify("a"sv) = 9;
        CHECK(w.remove("b"sv));
        CHECK(w.create("d"sv).inserted);
        CHECK_FALSE(w.create("a"sv).inserted);
    }
    CHECK(dict.was_added("c"sv, 2));
    CHECK(dict.was_removed("b"sv, 2));
    CHECK(dict.modified("a"sv, 2));
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 9}, {"c", 3}});
    auto set = set_of<Adaptive>({"x"});
    auto w = set.write(2);
    CHECK(w.add("y"sv));
    CHECK(w.remove("x"sv));
    CHECK(set.was_added("y"sv, 2));
    CHECK(set.was_removed("x"sv, 2));
    w.assign(std::vector{"z"sv, "x"sv});
    CHECK(sorted(set) == keys{"x", "z"});
    CHECK(sorted(set.added(2)) == keys{"z"});
}

TEST_CASE("a hash and an equality of one's own say which keys are one", "[series][casts]") {
    using Dict = TSDStorage<std::string, int, HashBy<AnyCaseHash>, EqualBy<AnyCaseEqual>, Options<with<Adaptive>>>;
    Dict dict(AnyCaseHash{99});
    {
        auto w = dict.write(1);
        w.set("Bund", 1), w.set("bobl", 2);
        CHECK_FALSE(w.set("BUND", 3).inserted);
    }
    CHECK(dict.size() == 2);
    CHECK(dict.at("bunD") == 3);
    const Dict before = dict; // with its hash
    {
        auto w = dict.write(2);
        CHECK(w.remove("BOBL"));
        w.remove("bund"), w.set("bUND", 4);
        w.set("new", 5);
    }
    CHECK(dict.was_removed("Bobl", 2));
    CHECK_FALSE(dict.was_added("bund", 2));
    CHECK(dict.was_added("NEW", 2));
    CHECK(dict.keys().was_removed("BoBl", 2));
    CHECK(dict.view().modified("BUND", 2));
    Dict replica = before;
    replica.write(2).apply(capture(dict, 2));
    CHECK(replica == dict);
    CHECK(dict.check_invariants());
    CHECK(replica.check_invariants());
    Dict::delta_type twice;
    twice.added = {"x", "X"};
    CHECK(says(refusal([&] { dict.write(2).apply(twice); }), "added[1]")); // one key to this dictionary
}

TEST_CASE("times are points of a clock", "[series][casts]") {
    using namespace std::chrono_literals;
    using Clock = std::chrono::system_clock;
    using Point = Clock::time_point;
    TSDStorage<std::string, int, TimeBy<Point>, Options<with<Adaptive>>> dict;
    STATIC_REQUIRE(decltype(dict)::never == Point::min());
    const Point noon{12h}, later = noon + 1ms, epoch{}, before_epoch = epoch - 24h;
    CHECK(says(refusal([&] { dict.write(Point::min()).close(); }), "never"));
    dict.write(before_epoch).set("a", 1);
    CHECK(dict.modified(before_epoch));
    dict.write(epoch).set("b", 2);
    dict.write(noon).set("a", 3);
    CHECK(dict.last_modified("a") == noon);
    CHECK(dict.last_modified("b") == epoch);
    CHECK(dict.keys().last_modified() == epoch);
    CHECK(dict.last_modified("c") == Point::min());
    dict.write(later).remove("b");
    dict.write_late(noon).touch();
    CHECK(dict.window() == later);
    CHECK(sorted(dict.removed_items(later)) == items{{"b", 2}});
    CHECK(dict.removed_items(noon).empty());
    const auto delta = capture(dict, later);
    CHECK(delta.time == later);
    const TSDView<std::string, int, Point> view = dict;
    CHECK(view.modified(later));
    CHECK(view.keys().was_removed("b", later));

    TSSStorage<int, TimeBy<std::chrono::milliseconds>, Options<with<Adaptive>>> set; // a duration is a time too
    set.write(5s).add(1);
    CHECK(set.modified(5'000ms));
    CHECK(set.added(5s).size() == 1);
}
