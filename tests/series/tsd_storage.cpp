// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a window of a TSDStorage says, row by row of the tables in docs/guide/series.md: which keys come and go, and what is
// written.
#include "semantics.hpp"

using namespace test;

TEMPLATE_TEST_CASE("dict: set of a new key: added, and modified", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    CHECK(dict.write(2).set("b", 5).inserted);
    CHECK(sorted(dict.added_keys(2)) == keys{"b"});
    CHECK(sorted(dict.modified_keys(2)) == keys{"b"});
    CHECK(sorted(dict.modified_items(2)) == items{{"b", 5}});
    CHECK(dict.removed_keys(2).empty());
    CHECK(dict.removed_items(2).empty());
    CHECK(dict.was_added("b", 2));
    CHECK(dict.modified("b", 2));
    CHECK(dict.modified(2));
    CHECK(dict.keys().modified(2));
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("dict: set of an existing key: modified, not added; the keys do not tick", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    CHECK_FALSE(dict.write(2).set("a", 7).inserted);
    CHECK(dict.added_keys(2).empty());
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 7}});
    CHECK(dict.modified(2));
    CHECK(dict.last_modified("a") == 2);
    CHECK(dict.last_modified("b") == 1);
    CHECK(dict.keys().last_modified() == 1);
    CHECK_FALSE(capture(dict, 2).keys_ticked);
}

TEMPLATE_TEST_CASE("dict: set of an equal value ticks: to leave it out is the caller's choice", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    dict.write(2).set("a", 1);
    CHECK(dict.modified(2));
    CHECK(dict.modified("a", 2));
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 1}});
}

TEMPLATE_TEST_CASE("dict: several writes: the last one wins, once", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    {
        auto w = dict.write(2);
        w.set("a", 2), w.set("b", 3), w.set("a", 4), w.set("b", 5);
        w.modify("b") += 1;
    }
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 4}, {"b", 6}});
    CHECK(sorted(dict.added_keys(2)) == keys{"b"});
}

TEMPLATE_TEST_CASE("dict: create of a member: nothing; an explicit touch ticks", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    auto w = dict.write(2);
    CHECK_FALSE(w.create("a").inserted);
    CHECK(dict.last_modified() == 1);
    CHECK(dict.modified_keys(2).empty());
    CHECK(dict.valid("a"));
    CHECK(dict.at("a") == 1);
    w.touch();
    CHECK(dict.modified(2));
    CHECK(dict.keys().last_modified() == 1);
    CHECK(dict.modified_items(2).empty());
}

TEMPLATE_TEST_CASE("dict: remove of a member: removed with its value, readable until the window rolls", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    const slot_t slot = dict.slot_of("a");
    REQUIRE(dict.write(2).remove("a"));
    CHECK(sorted(dict.removed_keys(2)) == keys{"a"});
    CHECK(sorted(dict.removed_items(2)) == items{{"a", 1}});
    CHECK(dict.was_removed("a", 2));
    CHECK(dict.get("a") == nullptr);
    CHECK_THROWS_AS(dict.at("a"), std::out_of_range);
    CHECK_FALSE(dict.valid("a"));
    CHECK(dict.key(slot) == "a");
    CHECK(dict.value(slot) == 1);
    CHECK(dict.keys().modified(2));
    dict.write(3).close();
    CHECK(dict.removed_keys(3).empty());
    CHECK(dict.removed_items(2).empty());
    CHECK(dict.state(slot) == SlotState::free);
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("dict: remove after a write in the window shows the last value", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    auto w = dict.write(2);
    w.set("a", 9);
    w.remove("a");
    CHECK(sorted(dict.removed_items(2)) == items{{"a", 9}});
    CHECK(dict.modified_items(2).empty());
}

TEMPLATE_TEST_CASE("dict: remove of what is no member: false, and nothing", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    auto w = dict.write(2);
    CHECK_FALSE(w.remove("b"));
    CHECK(dict.last_modified() == 1);
    CHECK(dict.keys().last_modified() == 1);
    CHECK(dict.removed_keys(2).empty());
    CHECK_THROWS_AS(w.modify("b"), std::out_of_range);
    CHECK(dict.last_modified() == 1);
}

TEMPLATE_TEST_CASE("dict: add then remove: nothing; the collection still ticked", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    {
        auto w = dict.write(2);
        w.set("b", 2), w.remove("b");
        w.create("c"), w.remove("c");
    }
    CHECK(dict.added_keys(2).empty());
    CHECK(dict.removed_keys(2).empty());
    CHECK(dict.removed_items(2).empty());
    CHECK(dict.modified_items(2).empty());
    CHECK(dict.reset_keys(2).empty());
    CHECK(dict.modified(2));
    CHECK(dict.keys().modified(2));
    const auto delta = capture(dict, 2);
    CHECK(delta.empty());
    CHECK(delta.ticked);
    CHECK(delta.keys_ticked);
}

TEMPLATE_TEST_CASE("dict: remove then add, existing before: no membership change, and modified with the new value",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    const slot_t slot = dict.slot_of("a");
    const int* const where = dict.get("a");
    {
        auto w = dict.write(2);
        w.remove("a");
        CHECK(w.set("a", 7).inserted);
        CHECK(dict.at("a") == 7); // not the old value
    }
    CHECK(dict.added_keys(2).empty());
    CHECK(dict.removed_keys(2).empty());
    CHECK(dict.removed_items(2).empty());
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 7}});
    CHECK(dict.reset_keys(2).empty());
    CHECK(dict.slot_of("a") == slot);
    CHECK(dict.get("a") == where);
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("dict: remove then create, existing before: no membership change, and the value is reset",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    const auto before = dict;
    {
        auto w = dict.write(2);
        w.remove("a");
        w.create("a");
    }
    CHECK(dict.contains("a"));
    CHECK_FALSE(dict.valid("a"));
    CHECK(dict.at("a") == 0);
    CHECK(dict.last_modified("a") == never);
    CHECK(dict.added_keys(2).empty());
    CHECK(dict.removed_keys(2).empty());
    CHECK(dict.modified_keys(2).empty());
    CHECK(sorted(dict.reset_keys(2)) == keys{"a"});
    CHECK(capture(dict, 2).reset == keys{"a"});
    auto replica = before;
    replica.write(2).apply(capture(dict, 2));
    CHECK(replica == dict);
    CHECK_FALSE(replica.valid("a"));
}

//=== the defect of research 2.5 ===//

TEMPLATE_TEST_CASE("dict: set, remove, set of an existing key: modified with the last value", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    const auto before = dict_of<TestType>({{"a", 1}});
    auto dict = before;
    {
        auto w = dict.write(2);
        w.set("a", 2);
        w.remove("a");
        w.set("a", 3);
    }
    CHECK(dict.at("a") == 3);
    CHECK(dict.added_keys(2).empty());
    CHECK(dict.removed_keys(2).empty());
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 3}});
    const auto delta = capture(dict, 2);
    CHECK(delta.modified == items{{"a", 3}});
    CHECK_FALSE(delta.empty());
    auto replica = before;
    replica.write(2).apply(delta);
    CHECK(replica == dict);
}

TEMPLATE_TEST_CASE("dict: set, remove, set of a new key: added, and modified with the last value", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    const auto before = dict_of<TestType>({{"other", 1}});
    auto dict = before;
    {
        auto w = dict.write(2);
        w.set("a", 2);
        w.remove("a");
        w.set("a", 3);
    }
    CHECK(dict.at("a") == 3);
    CHECK(sorted(dict.added_keys(2)) == keys{"a"});
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 3}});
    CHECK(capture(dict, 2).modified == items{{"a", 3}});
    auto replica = before;
    replica.write(2).apply(capture(dict, 2));
    CHECK(replica == dict);
}

TEMPLATE_TEST_CASE("dict: after a remove in the window the old value is not read under the key", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    auto w = dict.write(2);
    w.set("a", 2);
    w.remove("a");
    CHECK(dict.get("a") == nullptr);
    CHECK_THROWS_AS(dict.at("a"), std::out_of_range);
    w.create("a");
    CHECK(dict.at("a") == 0);
    CHECK_FALSE(dict.modified("a", 2));
}

TEMPLATE_TEST_CASE("dict: remove A, set B: removed A with its value, added B, in different slots", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"A", 1}});
    const slot_t slot = dict.slot_of("A");
    {
        auto w = dict.write(2);
        w.remove("A");
        w.set("B", 2);
    }
    CHECK(sorted(dict.added_keys(2)) == keys{"B"});
    CHECK(sorted(dict.removed_items(2)) == items{{"A", 1}});
    CHECK(sorted(dict.modified_items(2)) == items{{"B", 2}});
    CHECK(dict.slot_of("B") != slot);
}

TEMPLATE_TEST_CASE("dict: clear: all removed with values, adds of the window cancelled, earlier removals kept",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}, {"c", 3}});
    {
        auto w = dict.write(2);
        w.remove("a");
        w.set("b", 20);
        w.set("new", 4);
        w.create("also new");
        w.clear();
    }
    CHECK(dict.empty());
    CHECK(sorted(dict.removed_keys(2)) == keys{"a", "b", "c"});
    CHECK(sorted(dict.removed_items(2)) == items{{"a", 1}, {"b", 20}, {"c", 3}});
    CHECK(dict.added_keys(2).empty());
    CHECK(dict.modified_items(2).empty());
    {
        auto w = dict.write(2);
        w.set("b", 21);
        w.set("d", 5);
    }
    CHECK(sorted(dict.removed_keys(2)) == keys{"a", "c"});
    CHECK(sorted(dict.added_keys(2)) == keys{"d"});
    CHECK(sorted(dict.modified_items(2)) == items{{"b", 21}, {"d", 5}});
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("dict: clear of an empty dictionary ticks the whole, not the keys", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    Prices<TestType> dict;
    dict.write(1).clear();
    CHECK(dict.modified(1));
    CHECK_FALSE(dict.keys().valid());
    dict.write(2).set("a", 1);
    dict.write(3).clear();
    CHECK(dict.keys().modified(3));
    dict.write(4).clear();
    CHECK(dict.modified(4));
    CHECK(dict.keys().last_modified() == 3);
    CHECK(capture(dict, 4).ticked);
    CHECK_FALSE(capture(dict, 4).keys_ticked);
}
