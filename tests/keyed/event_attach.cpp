// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Observers of keyed containers that come and go, also in the middle of a notification, and containers that move, are copied to
// or restored while somebody listens.
#include "events.hpp"
#include "support/catch.hpp"

#include <memory>

using namespace test;

TEST_CASE("late attach replays capacity, live slots, and pending ones as inserted and removed, oldest removal first",
          "[event_log]") {
    SetWith<true> set;
    for (int i = 0; i != 5; ++i) set.insert(i);
    set.erase(3);
    set.erase(1);
    set.erase(4);
    set.insert(4);
    set.erase(0);
    EventLog::take();
    LoggingObserver a("a");
    Witness witness;
    auto token = set.attach(a), other = set.attach(witness);
    REQUIRE(EventLog::take() == Events{"a capacity 0 64", "a insert 0", "a insert 1", "a insert 2", "a insert 3", "a insert 4",
                                       "a remove 3", "a remove 1", "a remove 0"});
    REQUIRE(witness.agrees_with(set));
    set.insert(1);
    set.flush_removed();
    REQUIRE(EventLog::take() == Events{"a insert 1 resurrected", "a erase 3", "a erase 0"});
    REQUIRE(witness.agrees_with(set));
    SetWith<false> empty;
    token = empty.attach(a);
    REQUIRE(EventLog::take() == Events{});
    set.insert(100);
    REQUIRE(EventLog::take() == Events{});
}

TEST_CASE("an observer may detach itself in any notification", "[event_log]") {
    for (int hook = 0; hook != 6; ++hook) {
        CAPTURE(hook);
        SetWith<false> set;
        set.insert(1);
        LoggingObserver a("a"), b("b"), c("c");
        ObserverToken token_b;
        const auto leave = [&] { token_b.detach(); };
        const auto leave_slot = [&](slot_t) { token_b.detach(); };
        auto token_a = set.attach(a);
        token_b = set.attach(b);
        auto token_c = set.attach(c);
        EventLog::take();
        Events expected;
        switch (hook) {
        case 0:
            b.during_capacity = leave;
            set.reserve(65);
            expected = told({"a", "b", "c"}, {"capacity 64 128"});
            break;
        case 1:
            b.during_insert = leave_slot;
            set.insert(2);
            expected = told({"a", "b", "c"}, {"insert 1"});
            break;
        case 2:
            b.during_remove = leave_slot;
            set.erase(1);
            expected = told({"c", "b", "a"}, {"remove 0"}) + told({"c", "a"}, {"erase 0"});
            break;
        case 3:
            b.during_erase = leave_slot;
            set.erase(1);
            expected = told({"c", "b", "a"}, {"remove 0", "erase 0"});
            break;
        case 4:
            b.during_clear = leave;
            set.clear();
            expected = told({"c", "b", "a"}, {"clear 0"});
            break;
        default:
            b.during_reset = leave;
            set.reset();
            expected = told({"c", "b", "a"}, {"reset"});
        }
        REQUIRE(EventLog::take() == expected);
        REQUIRE_FALSE(token_b.attached());
        set.insert(50);
        for (const auto& event : EventLog::take()) REQUIRE_FALSE(event.starts_with("b "));
        REQUIRE(set.check_invariants());
    }
}

TEST_CASE("an observer that detaches while it is notified of new contents is not notified of pending ones", "[event_log]") {
    SetWith<true> set, other;
    for (const int key : {1, 2, 3}) other.insert(key);
    other.erase(2);
    LoggingObserver a("a");
    ObserverToken token = set.attach(a);
    a.during_insert = [&](slot_t slot) {
        if (slot == 2) token.detach();
    };
    EventLog::take();
    set = other;
    REQUIRE_FALSE(token.attached());
    for (const auto& event : EventLog::take()) REQUIRE_FALSE(event.starts_with("a remove"));
    REQUIRE(set == other);
    REQUIRE(set.pending() == 1);
    REQUIRE(set.check_invariants());
}

TEMPLATE_TEST_CASE("observers of the target of a copy or a restore stay and are notified of the exchange", "[event_log]",
                   (SetWith<false>), (SetWith<true>), (MapWith<false>), (MapWith<true>)) {
    TestType source, target;
    for (int i = 0; i != 5; ++i) add(source, i);
    source.erase(1);
    source.erase(3);
    for (int i = 0; i != 70; ++i) add(target, 100 + i);
    target.erase(120);
    LoggingObserver a("a");
    Witness witness;
    auto token = target.attach(a), other = target.attach(witness);
    EventLog::take();
    target = source;
    REQUIRE(target == source);
    REQUIRE(witness.agrees_with(target));
    const auto log = EventLog::take();
    const auto reset = std::find(log.begin(), log.end(), "a reset");
    REQUIRE(reset != log.end());
    Events expected{"a capacity 0 64"};
    if (TestType::options.deferred_erase)
        expected =
            expected + Events{"a insert 0", "a insert 1", "a insert 2", "a insert 3", "a insert 4", "a remove 1", "a remove 3"};
    else
        expected = expected + Events{"a insert 0", "a insert 2", "a insert 4"};
    REQUIRE(Events(std::next(reset), log.end()) == expected);
    target.flush_removed();
    add(target, 1);
    REQUIRE(witness.agrees_with(target));
    target.restore(source.snapshot());
    REQUIRE(token.attached());
    REQUIRE(witness.agrees_with(target));
    target.clear();
    target.flush_removed();
    REQUIRE(witness.agrees_with(target));
    REQUIRE(target.check_invariants());
}
