// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Values that become invalid, and whole states: invalidate, pop, assign, reconcile, strictness by key, what is valid by slot.
#include "replica.hpp"
#include "subscribers.hpp"

#include <map>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Nested = TSDStorage<int, Set>;
using Kinds = std::vector<TickKind>;

template <class Range>
std::vector<int> keys_in(const Range& range) {
    std::vector<int> keys;
    for (const int key : range) keys.push_back(key);
    return keys;
}
template <class Range>
std::map<int, int> items_in(const Range& range) {
    std::map<int, int> items;
    for (const auto [key, value] : range) items.emplace(key, value);
    return items;
}
using Items = std::map<int, int>;

/// Counts copies and moves.
struct Counted {
    int number = 0;
    static inline int copies = 0, moves = 0;
    Counted() = default;
    explicit Counted(int n) : number(n) {}
    Counted(const Counted& other) : number(other.number) { ++copies; }
    Counted(Counted&& other) noexcept : number(other.number) { ++moves; }
    Counted& operator=(const Counted& other) {
        number = other.number;
        ++copies;
        return *this;
    }
    Counted& operator=(Counted&& other) noexcept {
        number = other.number;
        ++moves;
        return *this;
    }
    ~Counted() = default;
    friend bool operator==(const Counted& a, const Counted& b) { return a.number == b.number; }
};
struct CountedHash {
    std::size_t operator()(const Counted& key) const noexcept { return static_cast<std::size_t>(key.number); }
};

} // namespace

//=== by slot ===//

TEST_CASE("times are told by slot as by key, also of removed elements, and never of free slots", "[series]") {
    Dict dict;
    dict.write(1).set(1, 10);
    dict.write(2).create(2);
    dict.write(3).set(3, 30);
    dict.write(3).remove(3);
    const TSDView<int, int> view = dict;
    const slot_t one = dict.slot_of(1), two = dict.slot_of(2), three = 2;
    REQUIRE(dict.state(three) == SlotState::pending);
    CHECK((dict.valid_at(one) && dict.last_modified_at(one) == 1 && dict.modified_at(one, 1) && !dict.modified_at(one, 3)));
    CHECK((!dict.valid_at(two) && dict.last_modified_at(two) == Dict::never && !dict.modified_at(two, Dict::never)));
    CHECK((dict.valid_at(three) && dict.modified_at(three, 3)));
    CHECK((!dict.valid_at(no_slot) && dict.last_modified_at(40) == Dict::never));
    for (const slot_t slot : {one, two, three, slot_t{40}, no_slot}) {
        CHECK(view.last_modified_at(slot) == dict.last_modified_at(slot));
        CHECK(view.valid_at(slot) == dict.valid_at(slot));
        CHECK(view.modified_at(slot, 3) == dict.modified_at(slot, 3));
    }
    Set set;
    set.write(4).add(1);
    CHECK((set.valid_at(0) && set.modified_at(0, 4) && !set.valid_at(1)));
}

TEST_CASE("the members that were ever written are a range, by key and as items", "[series]") {
    Dict dict;
    CHECK(dict.valid_keys().empty());
    {
        auto w = dict.write(1);
        for (int i = 0; i != 200; ++i) w.create(i);
        for (int i = 5; i < 200; i += 50) w.set(i, 2 * i);
    }
    dict.write(2).remove(55);
    CHECK(keys_in(dict.valid_keys()) == std::vector{5, 105, 155});
    CHECK(items_in(dict.valid_items()) == Items{{5, 10}, {105, 210}, {155, 310}});
    CHECK(items_in(dict.view().valid_items()).size() == dict.count_valid());
    static_assert(std::forward_iterator<decltype(dict.valid_keys().begin())>);
    CHECK(std::next(dict.valid_items().begin()).slot() == dict.slot_of(105));
}

//=== invalidate ===//

TEST_CASE("an invalidated value is gone, and its key a member as before", "[series][invalidate]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    dict.write(1).set(2, 20);
    dict.write(1).create(3);
    Listener key("key"), keys("keys"), whole("whole");
    const auto tokens = std::make_tuple(dict.subscribe(1, key), dict.subscribe_keys(keys), dict.subscribe(whole));
    const auto handle = dict.handle_of(1);
    {
        auto w = dict.write(2);
        CHECK(w.invalidate(1));
        CHECK_FALSE(w.invalidate(1)); // it has none any more
        CHECK_FALSE(w.invalidate(3));
        CHECK_FALSE(w.invalidate(99));
    }
    CHECK((dict.contains(1) && !dict.valid(1) && *dict.get(1) == 0 && dict.handle_of(1) == handle));
    CHECK((dict.count_valid() == 1 && dict.size() == 3 && dict.modified(2) && !dict.modified(1, 2)));
    CHECK(keys_in(dict.reset_keys(2)) == std::vector{1});
    CHECK((dict.modified_keys(2).empty() && dict.added_keys(2).empty() && dict.removed_keys(2).empty()));
    CHECK(key.take_kinds() == Kinds{TickKind::invalidated});
    CHECK(keys.take_kinds().empty());
    CHECK(whole.take_kinds() == Kinds{TickKind::changed});
    dict.write(2).set(1, 11); // again: written, and no more
    CHECK(key.take_kinds() == Kinds{TickKind::changed});
    CHECK((dict.reset_keys(2).empty() && items_in(dict.modified_items(2)) == Items{{1, 11}}));
    {
        auto w = dict.write(3); // set and invalidated
        w.set(3, 30);
        w.invalidate(dict.handle_of(3));
    }
    CHECK((keys_in(dict.reset_keys(3)) == std::vector{3} && dict.modified_keys(3).empty() && dict.check_invariants()));
    {
        auto w = dict.write(4);
        w.invalidate(2);
        w.remove(2);
    }
    CHECK(keys_in(dict.removed_keys(4)) == std::vector{2});
    CHECK(items_in(dict.removed_items(4)) == Items{{2, 0}});
}

TEST_CASE("an invalidated series is as if it had never been written, and its subscribers hear it", "[series][invalidate]") {
    TickLog::take();
    Dict dict, replica;
    {
        auto w = dict.write(1);
        w.set(1, 10);
        w.set(2, 20);
    }
    replica.write(1).apply(capture(dict, 1));
    Listener key("key"), keys("keys"), whole("whole");
    const auto tokens = std::make_tuple(dict.subscribe(1, key), dict.subscribe_keys(keys), dict.subscribe(whole));
    dict.write(2).invalidate();
    CHECK((dict.empty() && !dict.valid() && !dict.keys().valid() && dict.invalidated(2) && !dict.invalidated(1)));
    CHECK(key.take_kinds() == Kinds{TickKind::removed});
    CHECK(keys.take_kinds() == Kinds{TickKind::invalidated});
    CHECK(whole.take_kinds() == Kinds{TickKind::invalidated});
    CHECK(dict.check_invariants());
    dict.write(2).invalidate(); // it is
    CHECK(whole.take_kinds().empty());
    const bool again = GENERATE(false, true);
    if (again) dict.write(2).set(1, 10);
    const auto delta = capture(dict, 2);
    CHECK((delta.invalidated && delta.removed.empty() && delta.added.size() == (again ? 1 : 0)));
    replica.write(2).apply(delta);
    CHECK(difference(dict, replica) == "");
    CHECK(capture(replica, 2) == delta);
    Dict restored;
    restored.restore(dict.snapshot());
    CHECK(capture(restored, 2) == delta);
    CHECK(restored.snapshot() == dict.snapshot());
    static_cast<void>(dict.write(3));
    CHECK((!dict.invalidated(2) && !dict.invalidated(3) && dict.valid() == again));
    TickLog::take();
}

TEST_CASE("an invalidated nested series ticks the element around it, which has no value then", "[series][invalidate][nested]") {
    TickLog::take();
    Nested dict, replica;
    {
        auto w = dict.write(1);
        w.create(1);
        w.modify(1).add(5);
    }
    replica.write(1).apply(capture(dict, 1));
    Listener inner("inner"), member("member"), outer("outer");
    const auto tokens =
        std::make_tuple(dict.get(1)->subscribe(inner), dict.get(1)->subscribe(5, member), dict.subscribe(1, outer));
    const int how = GENERATE(0, 1, 2);
    const bool again = GENERATE(false, true);
    {
        auto w = dict.write(2);
        if (how == 0)
            CHECK(w.invalidate(1));
        else if (how == 1)
            w.modify(1).invalidate();
        else {
            auto child = w.modify(1); // one writer for both
            child.invalidate();
            if (again) child.add(5);
        }
        if (again) w.modify(1).add(5);
    }
    CHECK(keys_in(dict.reset_keys(2)) == std::vector{1});
    CHECK((dict.valid(1) == again && dict.get(1)->valid() == again && dict.get(1)->size() == (again ? 1 : 0)));
    CHECK(inner.take_kinds() == Kinds{again ? TickKind::changed : TickKind::invalidated});
    CHECK(member.take_kinds() == Kinds{again ? TickKind::changed : TickKind::removed});
    CHECK(outer.take_kinds() == Kinds{again ? TickKind::changed : TickKind::invalidated});
    CHECK(inner.ended == 0);
    const auto delta = capture(dict, 2);
    replica.write(2).apply(delta);
    CHECK(difference(dict, replica) == "");
    CHECK(capture(replica, 2) == delta);
    CHECK((dict.check_invariants() && replica.check_invariants()));
    TickLog::take();
}

//=== pop, assign ===//

TEST_CASE("pop gives the value of a member and removes it", "[series][writers]") {
    Dict dict;
    dict.write(1).set(1, 10);
    auto w = dict.write(2);
    CHECK(w.pop(1) == 10);
    CHECK(w.pop(1) == std::nullopt);
    CHECK((dict.empty() && items_in(dict.removed_items(2)) == Items{{1, 10}}));
}

TEST_CASE("assign replaces what a dictionary has; what a container gives away is moved", "[series][writers]") {
    Dict dict;
    dict.write(1).assign({{1, 10}, {2, 20}});
    CHECK(items_in(dict) == Items{{1, 10}, {2, 20}});
    dict.write(2).assign(std::map<int, int>{{2, 21}, {3, 30}});
    CHECK(items_in(dict) == Items{{2, 21}, {3, 30}});
    CHECK((keys_in(dict.removed_keys(2)) == std::vector{1} && keys_in(dict.added_keys(2)) == std::vector{3}));
    dict.write(3).assign(dict.items()); // itself
    CHECK((items_in(dict) == Items{{2, 21}, {3, 30}} && dict.modified_keys(3).size() == 2));
    dict.write(4).assign({});
    CHECK(dict.empty());
    Dict untouched;
    untouched.write(1).assign({});
    CHECK(untouched.valid());

    TSDStorage<Counted, Counted, HashBy<CountedHash>> counted;
    TSSStorage<Counted, HashBy<CountedHash>> set;
    std::vector<std::pair<Counted, Counted>> items;
    std::vector<Counted> keys;
    for (int i = 0; i != 50; ++i) {
        items.emplace_back(Counted(i), Counted(i));
        keys.emplace_back(i);
    }
    Counted::copies = 0;
    counted.write(1).assign(std::move(items));
    set.write(1).assign(std::move(keys));
    CHECK(Counted::copies == 0);
    CHECK((counted.size() == 50 && set.size() == 50));
    items.assign(1, {Counted(7), Counted(70)});
    counted.write(2).assign(items); // not given away
    CHECK((counted.size() == 1 && Counted::copies != 0 && items[0].first.number == 7));
    Counted::copies = 0;
    counted.write(3).assign(std::span(items)); // a view owns nothing, so that nothing can be given away
    CHECK(Counted::copies != 0);
}

//=== strictness, states ===//

TEST_CASE("each key of a delta may be strict or lenient", "[series][apply]") {
    Dict dict;
    dict.write(1).set(1, 10);
    DictDelta<int, int> delta;
    delta.added = {1, 2};
    delta.removed = {8, 9};
    const auto only = [](int strict) {
        return [strict](int key) { return key == strict ? Strictness::strict : Strictness::lenient; };
    };
    for (const int bad : {1, 8, 9}) CHECK_THROWS_AS(dict.write(2).apply(delta, only(bad)), std::invalid_argument);
    CHECK((dict.size() == 1 && dict.added_keys(2).empty()));
    CHECK_THROWS_AS(dict.write(2).apply(delta), std::invalid_argument);
    dict.write(2).apply(delta, only(2));
    CHECK((dict.contains(2) && dict.size() == 2));
    delta = {};
    delta.modified = {{5, 50}};
    CHECK_THROWS_AS(dict.write(3).apply(delta, only(5)), std::invalid_argument);
    dict.write(3).apply(delta, only(1));
    CHECK(*dict.get(5) == 50);
    delta = {};
    delta.reset = {77};
    CHECK_THROWS_AS(dict.write(4).apply(delta, only(77)), std::invalid_argument);
    dict.write(4).apply(delta, only(1));
    CHECK_THROWS_AS(dict.write(5).apply(delta, [](int) -> Strictness { throw 5; }), int);

    Set set;
    SetDelta<int> members;
    members.removed = {3, 4};
    CHECK_THROWS_AS(set.write(1).apply(members, only(4)), std::invalid_argument);
    set.write(1).apply(members, only(5));

    Nested nested; // the strictness of a key is that of the series under it
    DictDelta<int, Set> outer;
    outer.added = {1, 2};
    outer.modified = {{1, members}, {2, {}}};
    CHECK_THROWS_AS(nested.write(1).apply(outer, only(1)), std::invalid_argument);
    nested.write(1).apply(outer, only(2));
    CHECK(nested.size() == 2);
}

TEMPLATE_TEST_CASE("a state is a delta from nothing, and reconcile leads to it from any other state", "[series][reconcile]",
                   (TSSStorage<int>), (TSDStorage<int, int>), (TSDStorage<std::uint32_t, std::string>),
                   (TSDStorage<int, TSSStorage<int>>), (TSDStorage<int, TSDStorage<int, int>>)) {
    Random random(3);
    TestType source, follower;
    for (Time time = 1; time != rounds_of(400); ++time) {
        random_tick(source, time, random, 12);
        if (time % 3 != 0) continue;
        const auto state = capture_state(source);
        TestType fresh;
        fresh.write(time).apply(state);
        REQUIRE(difference(source, fresh, false) == "");
        follower.write(time).reconcile(state);
        REQUIRE(difference(source, follower, false) == "");
        REQUIRE(all_sound(follower));
        follower.write(time + 1).reconcile(state); // there is nothing to change
        REQUIRE_FALSE(follower.modified(time + 1));
        TestType other;
        random_tick(other, time, random, 12);
        other.write(time).reconcile(state);
        REQUIRE(difference(source, other, false) == "");
    }
}

TEST_CASE("reconcile refuses a state with a key twice, and writes what differs only", "[series][reconcile]") {
    Dict dict;
    {
        auto w = dict.write(1);
        for (int i = 0; i != 5; ++i) w.set(i, i);
    }
    auto state = capture_state(dict);
    CHECK((state.time == 1 && state.ticked && state.keys_ticked && state.added.size() == 5 && state.modified.size() == 5));
    state.modified[2].second = 99;
    state.added.pop_back(); // 4 is in modified, so it stays
    dict.write(2).reconcile(state);
    CHECK(items_in(dict.modified_items(2)) == Items{{2, 99}});
    CHECK((dict.added_keys(2).empty() && dict.removed_keys(2).empty() && dict.keys().last_modified() == 1));
    state.added.push_back(0);
    CHECK_THROWS_AS(dict.write(3).reconcile(state), std::invalid_argument);
    state = {};
    state.ticked = true;
    state.added = {1};
    dict.write(4).reconcile(state);
    CHECK((dict.size() == 1 && !dict.valid(1)));
    dict.write(5).reconcile({});
    CHECK_FALSE(dict.valid());
}
