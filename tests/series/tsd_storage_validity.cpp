// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a window of a TSDStorage says, row by row of the tables in docs/guide/series.md: values that are not there, times, and
// deltas.
#include "semantics.hpp"

using namespace test;

TEMPLATE_TEST_CASE("dict: a key created without a value: added, a member, not valid until the first set", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    CHECK(dict.write(2).create("b").inserted);
    CHECK(dict.contains("b"));
    CHECK_FALSE(dict.valid("b"));
    CHECK(dict.last_modified("b") == never);
    CHECK_FALSE(dict.modified("b", 2));
    CHECK(dict.at("b") == 0);
    CHECK(sorted(dict.added_keys(2)) == keys{"b"});
    CHECK(dict.modified_keys(2).empty());
    CHECK(dict.modified(2));
    CHECK(dict.keys().modified(2));
    CHECK(dict.size() == 2);
    CHECK(dict.count_valid() == 1);
    auto w = dict.write(3);
    CHECK_FALSE(dict.valid("b"));
    w.set("b", 3);
    CHECK(dict.valid("b"));
    CHECK(dict.added_keys(3).empty()); // membership, not validity
    CHECK(sorted(dict.modified_items(3)) == items{{"b", 3}});
    CHECK(dict.keys().last_modified() == 2);
    CHECK(dict.count_valid() == 2);
}

TEMPLATE_TEST_CASE("dict: created and set in one window: added, and modified", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({});
    auto w = dict.write(2);
    w.create("a");
    w.modify("a") = 4;
    CHECK(sorted(dict.added_keys(2)) == keys{"a"});
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 4}});
    CHECK(dict.valid("a"));
}

TEMPLATE_TEST_CASE("dict: remove of a key that was never valid: in the membership delta, not in the value delta",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    Prices<TestType> dict;
    dict.write(1).create("a");
    SECTION("removed at once") { dict.write(2).remove("a"); }
    SECTION("given a value in the window and removed: there was none when it opened") {
        auto w = dict.write(2);
        w.set("a", 5);
        w.remove("a");
    }
    CHECK(sorted(dict.removed_keys(2)) == keys{"a"});
    CHECK(dict.removed_items(2).empty());
    CHECK(dict.was_removed("a", 2));
    CHECK(capture(dict, 2).removed == keys{"a"});
}

TEMPLATE_TEST_CASE("dict: a value becomes invalid: the value is gone, the membership unchanged", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    // The only way to lose a value and keep the key: the key is removed and created again in one window.
    auto dict = dict_of<TestType>({{"a", 1}});
    {
        auto w = dict.write(2);
        w.remove("a");
        w.create("a");
    }
    CHECK(dict.contains("a"));
    CHECK_FALSE(dict.valid("a"));
    CHECK(dict.removed_keys(2).empty());
    CHECK(sorted(dict.reset_keys(2)) == keys{"a"});
    CHECK(dict.count_valid() == 0);
    dict.write(3).set("a", 2);
    CHECK(dict.valid("a"));
    CHECK(dict.reset_keys(3).empty());
}

TEMPLATE_TEST_CASE("dict: the first empty write makes it valid and ticks once", "[series][semantics]", ALL_REPRESENTATIONS) {
    Prices<TestType> dict;
    CHECK_FALSE(dict.valid());
    dict.write(1).touch();
    CHECK(dict.valid());
    CHECK(dict.modified(1));
    CHECK_FALSE(dict.keys().valid());
    dict.write(2).close();
    CHECK_FALSE(dict.modified(2));
    CHECK(dict.last_modified() == 1);
}

TEMPLATE_TEST_CASE("dict: never set: the last times are the minimum, and that is refused as a time", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    Prices<TestType> dict;
    CHECK(dict.last_modified() == std::numeric_limits<std::int64_t>::min());
    CHECK(dict.last_modified("a") == never);
    CHECK(dict.keys().last_modified() == never);
    CHECK_FALSE(dict.modified("a", never));
    CHECK_FALSE(dict.keys().modified(never));
    CHECK_THROWS_AS(dict.write(never), std::invalid_argument);
    dict.write(1).create("a");
    CHECK_FALSE(dict.modified("a", never));
    CHECK(dict.modified_items(never).empty());
}

TEMPLATE_TEST_CASE("dict: modified is equality, never later or earlier", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    dict.write(5).set("a", 2);
    for (const std::int64_t time : {never, std::int64_t{0}, std::int64_t{1}, std::int64_t{4}, std::int64_t{6}}) {
        CAPTURE(time);
        CHECK_FALSE(dict.modified(time));
        CHECK_FALSE(dict.modified("a", time));
        CHECK(dict.modified_items(time).empty());
        CHECK(dict.keys().modified(time) == (time == 1));
    }
    CHECK(dict.modified(5));
    CHECK(dict.modified("a", 5));
}

TEMPLATE_TEST_CASE("dict: a key both added and removed in one delta is refused", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    typename Prices<TestType>::delta_type delta;
    delta.added = {"b"};
    delta.removed = {"b"};
    delta.modified = {{"b", 2}};
    for (const Strictness mode : {Strictness::strict, Strictness::lenient})
        CHECK(says(refusal([&] { dict.write(2).apply(delta, mode); }), "removed[0]"));
    CHECK(dict.size() == 1);
    CHECK_FALSE(dict.modified(2));
}

TEMPLATE_TEST_CASE("dict: the key set is a set with its own time and deltas, read-only", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    using View = decltype(std::declval<Prices<TestType>&>().keys());
    STATIC_REQUIRE_FALSE(requires(View view) { view.write(1); });
    auto dict = dict_of<TestType>({{"a", 1}});
    const auto view = dict.keys();
    dict.write(2).set("a", 2);
    CHECK(view.window() == 2);
    CHECK_FALSE(view.modified(2));
    CHECK(view.added(2).empty());
    {
        auto w = dict.write(3);
        w.remove("a");
        w.set("b", 1);
    }
    CHECK(view.modified(3));
    CHECK(sorted(view.added(3)) == keys{"b"});
    CHECK(sorted(view.removed(3)) == keys{"a"});
    const auto delta = capture(view, 3);
    CHECK(delta.ticked);
    CHECK(delta.added == keys{"b"});
    CHECK(delta.removed == keys{"a"});
}

TEMPLATE_TEST_CASE("dict: composed deltas are the delta of both windows", "[series][semantics]", ALL_REPRESENTATIONS) {
    const auto start = dict_of<TestType>({{"stays", 1}, {"written", 2}, {"goes", 3}, {"goes, comes", 4}, {"goes, made", 5}});
    auto dict = start, once = start;
    const auto first = [](auto w) {
        w.remove("goes, comes"), w.remove("goes, made");
        w.set("written", 20), w.set("comes, goes", 21), w.set("comes", 22);
    };
    const auto second = [](auto w) {
        w.remove("goes"), w.remove("comes, goes");
        w.set("goes, comes", 30), w.set("comes", 31), w.create("goes, made"), w.create("made");
    };
    first(dict.write(2));
    const auto d1 = capture(dict, 2);
    second(dict.write(3));
    const auto both = compose(d1, capture(dict, 3));
    first(once.write(3));
    second(once.write(3));
    CHECK(both == capture(once, 3));
    CHECK(sorted(both.added) == keys{"comes", "made"});
    CHECK(sorted(both.removed) == keys{"goes"});
    CHECK(both.reset == keys{"goes, made"});
    CHECK(sorted(both.modified) == items{{"comes", 31}, {"goes, comes", 30}, {"written", 20}});
    auto replica = start;
    replica.write(3).apply(both);
    CHECK(replica == dict);
    CHECK(replica.count_valid() == dict.count_valid());
}
