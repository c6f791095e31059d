// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a window of a TSSStorage says, row by row of the tables in docs/guide/series.md: membership.
#include "semantics.hpp"

using namespace test;

TEMPLATE_TEST_CASE("set: add of a new key: added, and it ticks", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    REQUIRE(set.write(2).add("b"));
    CHECK(sorted(set.added(2)) == keys{"b"});
    CHECK(set.removed(2).empty());
    CHECK(set.was_added("b", 2));
    CHECK_FALSE(set.was_added("a", 2));
    CHECK(set.modified(2));
    CHECK(set.valid("b"));
    CHECK(set.last_modified("b") == 2);
    CHECK(set.last_modified("a") == 1);
    CHECK(sorted(set) == keys{"a", "b"});
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("set: add of a member: nothing; an explicit touch ticks", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    {
        auto w = set.write(2);
        CHECK_FALSE(w.add("a"));
        CHECK(set.last_modified() == 1);
        CHECK(set.last_modified("a") == 1);
        CHECK_FALSE(set.modified(2));
        w.touch();
    }
    CHECK(set.modified(2));
    CHECK(set.last_modified("a") == 1);
    CHECK(set.added(2).empty());
    CHECK(set.removed(2).empty());
    const auto delta = capture(set, 2);
    CHECK(delta.ticked);
    CHECK(delta.empty());
}

TEMPLATE_TEST_CASE("set: remove of a member: removed, and readable until the window rolls", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b"});
    const slot_t slot = set.slot_of("a");
    REQUIRE(set.write(2).remove("a"));
    CHECK(sorted(set.removed(2)) == keys{"a"});
    CHECK(set.was_removed("a", 2));
    CHECK_FALSE(set.was_removed("b", 2));
    CHECK_FALSE(set.contains("a"));
    CHECK(set.slot_of("a") == no_slot);
    CHECK(set.last_modified("a") == never);
    CHECK(set.state(slot) == SlotState::pending);
    CHECK(set.key(slot) == "a");
    CHECK(set.modified(2));
    set.write(3).close();
    CHECK(set.state(slot) == SlotState::free);
    CHECK(set.removed(2).empty());
    CHECK(set.removed(3).empty());
    CHECK_FALSE(set.was_removed("a", 2));
    CHECK_FALSE(set.was_removed("a", 3));
    CHECK(set.last_modified() == 2);
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("set: remove of what is no member: false, and nothing", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    const auto gone = [&] {
        auto w = set.write(2);
        const auto handle = (w.add("b"), set.handle_of("b"));
        w.remove("b");
        return handle;
    }();
    auto w = set.write(3);
    CHECK_FALSE(w.remove("never heard of"));
    CHECK_FALSE(w.remove("b"));
    CHECK_FALSE(w.remove(gone)); // a handle, of an element that is no more
    CHECK(set.last_modified() == 2);
    CHECK_FALSE(set.modified(3));
    CHECK_FALSE(set.was_removed("never heard of", 3));
    CHECK(set.removed(3).empty());
    CHECK_FALSE(capture(set, 3).ticked);
}

TEMPLATE_TEST_CASE("set: remove by handle is remove", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b"});
    auto w = set.write(2);
    CHECK(w.remove(set.handle_of("b")));
    CHECK(sorted(set.removed(2)) == keys{"b"});
    CHECK(sorted(set) == keys{"a"});
}

TEMPLATE_TEST_CASE("set: add then remove: nothing; the collection still ticked", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    {
        auto w = set.write(2);
        CHECK(w.add("b"));
        CHECK(w.remove("b"));
    }
    CHECK(set.added(2).empty());
    CHECK(set.removed(2).empty());
    CHECK_FALSE(set.was_added("b", 2));
    CHECK_FALSE(set.was_removed("b", 2));
    CHECK(set.modified(2));
    CHECK(capture(set, 2).ticked);
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("set: remove then add, existing before: nothing; the collection still ticked", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b"});
    const slot_t slot = set.slot_of("a");
    const std::string* const where = &set.key(slot);
    {
        auto w = set.write(2);
        CHECK(w.remove("a"));
        CHECK(w.add("a"));
    }
    CHECK(set.added(2).empty());
    CHECK(set.removed(2).empty());
    CHECK(set.modified(2));
    CHECK(set.last_modified("a") == 1); // it came when it came first
    CHECK(sorted(set) == keys{"a", "b"});
    CHECK(set.slot_of("a") == slot);
    CHECK(&set.key(slot) == where);
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("set: remove A, add B: removed A, added B, in different slots", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"A"});
    const slot_t slot = set.slot_of("A");
    {
        auto w = set.write(2);
        w.remove("A");
        w.add("B");
    }
    CHECK(sorted(set.added(2)) == keys{"B"});
    CHECK(sorted(set.removed(2)) == keys{"A"});
    CHECK(set.slot_of("B") != slot);
    CHECK(set.key(slot) == "A");
}

TEMPLATE_TEST_CASE("set: clear: all removed, adds of the window cancelled, earlier removals kept", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b", "c"});
    {
        auto w = set.write(2);
        w.remove("a");
        w.add("new");
        w.clear();
    }
    CHECK(set.empty());
    CHECK(sorted(set.removed(2)) == keys{"a", "b", "c"});
    CHECK(set.added(2).empty());
    CHECK(set.was_removed("b", 2));
    CHECK_FALSE(set.was_removed("new", 2));
    CHECK(set.modified(2));
    {
        auto w = set.write(2); // and it goes on after that
        w.add("b");
        w.add("d");
    }
    CHECK(sorted(set.removed(2)) == keys{"a", "c"});
    CHECK(sorted(set.added(2)) == keys{"d"});
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("set: clear of an empty set ticks", "[series][semantics]", ALL_REPRESENTATIONS) {
    Names<TestType> set;
    set.write(1).clear();
    CHECK(set.modified(1));
    CHECK(set.valid());
    set.write(2).clear();
    CHECK(set.last_modified() == 2);
    CHECK(capture(set, 2).ticked);
    CHECK(capture(set, 2).empty());
}

TEMPLATE_TEST_CASE("set: the first empty write makes it valid and ticks once", "[series][semantics]", ALL_REPRESENTATIONS) {
    Names<TestType> set;
    set.write(1).touch();
    CHECK(set.valid());
    CHECK(set.empty());
    CHECK(set.modified(1));
    set.write(2).close();
    CHECK_FALSE(set.modified(2));
    CHECK(set.last_modified() == 1);
    CHECK(set.valid());
}

TEMPLATE_TEST_CASE("set: valid when empty: once touched, not by an opened window", "[series][semantics]", ALL_REPRESENTATIONS) {
    Names<TestType> set;
    CHECK_FALSE(set.valid());
    set.write(1).close();
    CHECK_FALSE(set.valid());
    CHECK(set.window() == 1);
    set.write(2).remove("a");
    CHECK_FALSE(set.valid());
    set.write(3).touch();
    CHECK(set.valid());
}

TEMPLATE_TEST_CASE("set: never set: the last time is the minimum, and is refused as a time", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    Names<TestType> set;
    CHECK(set.last_modified() == std::numeric_limits<std::int64_t>::min());
    CHECK(set.window() == never);
    CHECK_FALSE(set.modified(never));
    CHECK(set.added(never).empty());
    CHECK_FALSE(set.was_added("a", never));
    CHECK_THROWS_AS(set.write(never), std::invalid_argument);
    CHECK(says(refusal([&] { set.write(never).close(); }), "never"));
    set.write(never + 1).add("a");
    CHECK(set.modified(never + 1));
    CHECK_THROWS_AS(set.write(never), std::invalid_argument);
    CHECK(sorted(set.added(never + 1)) == keys{"a"});
}

TEMPLATE_TEST_CASE("set: modified is equality, never later or earlier", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    set.write(5).add("b");
    for (const std::int64_t time : {never, std::int64_t{0}, std::int64_t{1}, std::int64_t{4}, std::int64_t{6}}) {
        CAPTURE(time);
        CHECK_FALSE(set.modified(time));
        CHECK(set.modified("a", time) == (time == 1));
        CHECK_FALSE(set.modified("b", time));
        CHECK_FALSE(set.was_added("b", time));
        CHECK(set.added(time).empty());
    }
    CHECK(set.modified(5));
    CHECK(set.modified("b", 5));
}

TEMPLATE_TEST_CASE("set: assign makes the members those of the range", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b", "c"});
    set.write(2).assign(keys{"c", "d", "c", "d"});
    CHECK(sorted(set) == keys{"c", "d"});
    CHECK(sorted(set.added(2)) == keys{"d"});
    CHECK(sorted(set.removed(2)) == keys{"a", "b"});
    CHECK(set.last_modified("c") == 1);
    CHECK(set.check_invariants());
    set.write(3).assign(set); // itself
    CHECK(sorted(set) == keys{"c", "d"});
    CHECK(set.last_modified() == 2);
    set.write(3).assign(keys{});
    CHECK(set.empty());
    CHECK(set.modified(3));
    CHECK(sorted(set.removed(3)) == keys{"c", "d"});
}

TEMPLATE_TEST_CASE("set: assign to no effect ticks only if the set was never valid", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    Names<TestType> set;
    set.write(1).assign(keys{});
    CHECK(set.valid());
    CHECK(set.modified(1));
    set.write(2).assign(keys{});
    CHECK(set.last_modified() == 1);
    set.write(3).assign(keys{"a"});
    CHECK(set.last_modified() == 3);
    set.write(4).assign(keys{"a", "a"});
    CHECK(set.last_modified() == 3);
    CHECK_FALSE(capture(set, 4).ticked);
}

TEMPLATE_TEST_CASE("set: assign within a window nets out with what was done before", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b"});
    auto w = set.write(2);
    w.remove("a");
    w.add("x");
    w.assign(keys{"a", "b"});
    CHECK(set.added(2).empty());
    CHECK(set.removed(2).empty());
    CHECK(set.modified(2));
    w.assign(keys{"x", "b"});
    CHECK(sorted(set.added(2)) == keys{"x"});
    CHECK(sorted(set.removed(2)) == keys{"a"});
}

TEMPLATE_TEST_CASE("set: a key both added and removed in one delta is refused", "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    typename Names<TestType>::delta_type delta;
    delta.time = 2;
    delta.ticked = true;
    delta.added = {"b"};
    delta.removed = {"a", "b"};
    for (const Strictness mode : {Strictness::strict, Strictness::lenient}) {
        CHECK(says(refusal([&] { set.write(2).apply(delta, mode); }), "removed[1]"));
    }
    CHECK(sorted(set) == keys{"a"});
    CHECK(set.last_modified() == 1);
}

TEMPLATE_TEST_CASE("set: strictness is the applied delta's: strict refuses what does not fit, lenient does what is left",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    typename Names<TestType>::delta_type delta;
    delta.time = 2;
    delta.added = {"a", "b"};
    delta.removed = {"absent"};
    CHECK_THROWS_AS(set.write(2).apply(delta), std::invalid_argument);
    CHECK(sorted(set) == keys{"a"});
    CHECK_FALSE(set.modified(2));
    set.write(2).apply(delta, Strictness::lenient);
    CHECK(sorted(set) == keys{"a", "b"});
    CHECK(sorted(set.added(2)) == keys{"b"});
}

TEMPLATE_TEST_CASE("set: composed deltas: added=(a1-r2)+a2, removed=(r2-a1)+(r1-a2)", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    const auto start = set_of<TestType>({"stays", "goes first", "goes second", "goes, comes"});
    auto set = start, once = start;
    const auto first = [](auto w) {
        w.remove("goes first"), w.remove("goes, comes");
        w.add("comes first"), w.add("comes, goes");
    };
    const auto second = [](auto w) {
        w.remove("goes second"), w.remove("comes, goes");
        w.add("comes second"), w.add("goes, comes");
    };
    first(set.write(2));
    const auto d1 = capture(set, 2);
    second(set.write(3));
    const auto d2 = capture(set, 3);
    first(once.write(3));
    second(once.write(3));
    const auto both = compose(d1, d2);
    CHECK(both == capture(once, 3));
    CHECK(sorted(both.added) == keys{"comes first", "comes second"});
    CHECK(sorted(both.removed) == keys{"goes first", "goes second"});
    auto replica = start;
    replica.write(3).apply(both);
    CHECK(replica == set);
}

TEMPLATE_TEST_CASE("set: assign removes what others add while the range is read, unless the range has it",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    // Whose second element is told by adding others to the set.
    struct Adds {
        const std::string* at;
        const std::function<void()>* add;
        const std::string& operator*() const { return *at; }
        Adds& operator++() {
            ++at;
            (*add)();
            return *this;
        }
        bool operator!=(const Adds& other) const { return at != other.at; }
    };
    struct Range {
        const keys& names;
        const std::function<void()>& add;
        Adds begin() const { return {names.data(), &add}; }
        Adds end() const { return {names.data() + names.size(), &add}; }
    };
    auto set = set_of<TestType>({"a", "b"});
    auto beside = set.write(2);
    int count = 0;
    const std::function<void()> add = [&] {
        for (int i = 0; i != 500; ++i) beside.add("other " + std::to_string(count++));
    };
    const keys wanted{"b"};
    set.write(2).assign(Range{wanted, add});
    CHECK(count == 500);
    CHECK(sorted(set) == keys{"b"});
    CHECK(sorted(set.added(2)).empty());
    CHECK(sorted(set.removed(2)) == keys{"a"});
    beside.close();
    CHECK(set.check_invariants());
}
