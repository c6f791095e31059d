// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What subscribers may do while they are notified: unsubscribe, subscribe, read, write to the open window; and what they must
// not.
#include "subscribers.hpp"
#include "support/thrown.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Tick = SeriesTick<std::int64_t>;

} // namespace

TEST_CASE("a subscriber may unsubscribe itself", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    Listener a("a"), b("b"), c("c");
    Subscription<> mine;
    a.during = [&](const Tick&) { mine.detach(); };
    SECTION("from the whole") {
        const auto before = dict.subscribe(b);
        mine = dict.subscribe(a);
        const auto after = dict.subscribe(c);
        dict.write(2).set(2, 20);
        dict.write(3).set(2, 21);
        CHECK(TickLog::take() == Ticks{"b whole 2", "a whole 2", "c whole 2", "b whole 3", "c whole 3"});
    }
    SECTION("from the keys") {
        mine = dict.subscribe_keys(a);
        const auto after = dict.subscribe_keys(c);
        dict.write(2).set(2, 20);
        dict.write(3).set(3, 30);
        CHECK(TickLog::take() == Ticks{"a keys 2", "c keys 2", "c keys 3"});
    }
    SECTION("from a key") {
        mine = dict.subscribe(1, a);
        const auto after = dict.subscribe(1, c);
        dict.write(2).set(1, 11);
        dict.write(3).set(1, 12);
        CHECK(TickLog::take() == Ticks{"a element 0 2", "c element 0 2", "c element 0 3"});
    }
    SECTION("from a slot, being the only one there") {
        mine = dict.subscribe_slot(0, a);
        dict.write(2).set(1, 11);
        dict.write(3).set(1, 12);
        CHECK(TickLog::take() == Ticks{"a element 0 2"});
    }
    CHECK_FALSE(mine.attached());
}

TEST_CASE("a subscriber may unsubscribe others, which are then not notified", "[subscribers]") {
    TickLog::take();
    Dict dict;
    for (int i = 0; i != 3; ++i) dict.write(1).set(i, i);
    Listener a("a"), b("b"), x("x"), y("y"), k("k"), w("w");
    Subscription<> first = dict.subscribe(1, a), other = dict.subscribe(1, b), later = dict.subscribe(2, x),
                   slot = dict.subscribe_slot(2, y), keys = dict.subscribe_keys(k), whole = dict.subscribe(w);
    a.during = [&](const Tick&) {
        other.detach();
        later.detach();
        slot.detach();
        keys.detach();
    };
    {
        auto writer = dict.write(2);
        for (int i = 0; i != 4; ++i) writer.set(i, 10 + i);
    }
    CHECK(TickLog::take() == Ticks{"a element 1 2", "w whole 2"});
    w.during = [&](const Tick&) { first.detach(); }; // one that was notified before
    dict.write(3).set(1, 20);
    dict.write(4).set(1, 30);
    CHECK(TickLog::take() == Ticks{"a element 1 3", "w whole 3", "w whole 4"});
}

TEST_CASE("a subscriber may end the lives of other subscribers", "[subscribers]") {
    TickLog::take();
    Set set;
    std::vector<std::unique_ptr<Listener>> listeners;
    std::vector<Subscription<>> tokens;
    for (int i = 0; i != 20; ++i) {
        listeners.push_back(std::make_unique<Listener>(std::to_string(i)));
        tokens.push_back(set.subscribe(*listeners.back()));
    }
    listeners[3]->during = [&](const Tick&) {
        tokens.resize(4); // itself stays
        listeners.resize(4);
    };
    set.write(1).add(1);
    CHECK(TickLog::take() == Ticks{"0 whole 1", "1 whole 1", "2 whole 1", "3 whole 1"});
}

TEST_CASE("a subscriber added during a notification is notified of later writes", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    Listener a("a"), n("n");
    std::vector<Subscription<>> tokens;
    SECTION("to the same key") {
        const auto first = dict.subscribe(1, a);
        a.during = [&](const Tick&) {
            if (tokens.empty()) tokens.push_back(dict.subscribe(1, n));
        };
        dict.write(2).set(1, 11);
        CHECK(TickLog::take() == Ticks{"a element 0 2"});
        dict.write(2).set(1, 12); // another close of the same window
        CHECK(TickLog::take() == Ticks{"a element 0 2", "n element 0 2"});
        dict.write(3).set(1, 13);
        CHECK(TickLog::take() == Ticks{"a element 0 3", "n element 0 3"});
    }
    SECTION("to the whole") {
        const auto first = dict.subscribe(a);
        a.during = [&](const Tick&) {
            if (tokens.empty()) tokens.push_back(dict.subscribe(n));
        };
        dict.write(2).set(1, 11);
        CHECK(TickLog::take() == Ticks{"a whole 2"});
        dict.write(3).set(1, 13);
        CHECK(TickLog::take() == Ticks{"a whole 3", "n whole 3"});
    }
    SECTION("to the keys") {
        const auto first = dict.subscribe_keys(a);
        a.during = [&](const Tick&) {
            if (tokens.empty()) tokens.push_back(dict.subscribe_keys(n));
        };
        dict.write(2).set(2, 20);
        dict.write(3).set(3, 30);
        CHECK(TickLog::take() == Ticks{"a keys 2", "a keys 3", "n keys 3"});
    }
}

TEST_CASE("a subscriber may subscribe to many keys, of members and others", "[subscribers]") {
    TickLog::take();
    Dict dict;
    for (int i = 0; i != 100; ++i) dict.write(1).set(i, i);
    Listener a("a");
    std::vector<std::unique_ptr<Listener>> listeners;
    std::vector<Subscription<>> tokens;
    const auto subscribe = [&](int key) {
        listeners.push_back(std::make_unique<Listener>(std::to_string(key)));
        tokens.push_back(dict.subscribe(key, *listeners.back()));
    };
    const auto token = dict.subscribe(50, a); // its list stands among those that are added while it is notified
    a.during = [&](const Tick&) {
        if (!tokens.empty()) return;
        for (int i = 0; i != 5000; ++i) subscribe(i);
        for (slot_t slot = 0; slot != 100; ++slot) {
            listeners.push_back(std::make_unique<Listener>("s"));
            tokens.push_back(dict.subscribe_slot(slot, *listeners.back()));
        }
    };
    dict.write(2).set(50, 0);
    TickLog::take();
    {
        auto w = dict.write(3);
        for (int i = 0; i != 5000; ++i) w.set(i, -i);
    }
    CHECK(TickLog::take().size() == 5000 + 100 + 1);
    for (const auto& listener : listeners) REQUIRE(listener->told == 1);
    tokens.erase(tokens.begin(), tokens.begin() + 5000);
    a.during = {};
    dict.write(4).clear();
    CHECK(TickLog::take().size() == 101);
}

TEST_CASE("a subscriber may read everything: it is what it will be until the next write", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    dict.write(1).set(2, 20);
    Listener a("a"), k("k"), x("x");
    int read = 0;
    const auto reads = [&](const Tick& tick) {
        ++read;
        CHECK(tick.time == 2);
        CHECK(dict.window() == 2);
        CHECK(dict.modified(2));
        CHECK(dict.size() == 2);
        std::vector<int> added, removed, modified;
        for (const int key : dict.added_keys(2)) added.push_back(key);
        for (const int key : dict.removed_keys(2)) removed.push_back(key);
        for (const auto [key, value] : dict.modified_items(2)) modified.push_back(key * 100 + value);
        CHECK(added == std::vector<int>{3});
        CHECK(removed == std::vector<int>{1});
        CHECK(modified == std::vector<int>{330, 221}); // few: in the order of the first touch
        CHECK(dict.get(1) == nullptr);
        if (tick.level == SeriesLevel::element) CHECK(dict.key(tick.slot) == 1); // readable though removed
        CHECK(dict.value(0) == 10);
        CHECK(capture(dict, 2).removed == std::vector<int>{1});
        CHECK(dict.check_invariants());
        std::int64_t sum = 0;
        for (auto [key, value] : dict) sum += key + value;
        CHECK(sum == 2 + 21 + 3 + 30);
        const Dict copy = dict; // no writer is open while they are notified
        CHECK(copy == dict);
        CHECK_FALSE(dict.snapshot().empty());
    };
    a.during = k.during = x.during = reads;
    const auto whole = dict.subscribe(a), keys = dict.subscribe_keys(k), key = dict.subscribe(1, x);
    {
        auto w = dict.write(2);
        w.remove(1);
        w.set(3, 30);
        w.set(2, 21);
    }
    CHECK(read == 3);
}

TEST_CASE("a subscriber may write to the open window: later levels are notified of it, and so are subscribers not notified yet",
          "[subscribers]") {
    TickLog::take();
    Dict dict;
    for (int i = 0; i != 5; ++i) dict.write(1).set(i, i);
    Listener a("a"), b("b"), c("c"), k("k"), x("x");
    const auto one = dict.subscribe(1, a), three = dict.subscribe(3, b), zero = dict.subscribe(0, c),
               keys = dict.subscribe_keys(k), whole = dict.subscribe(x);
    SECTION("an element's subscriber") {
        a.during = [&](const Tick& tick) {
            auto w = dict.write(tick.time);
            w.set(3, 33); // ahead
            w.set(0, 30); // behind
            w.set(1, 31); // itself: it was notified
            w.set(9, 90); // a new key
        };
        dict.write(2).set(1, 11);
        CHECK(TickLog::take() == Ticks{"a element 1 2", "c element 0 2", "b element 3 2", "k keys 2", "x whole 2"});
        CHECK(*dict.get(1) == 31);
    }
    SECTION("the subscriber of the keys") {
        k.during = [&](const Tick& tick) {
            auto w = dict.write(tick.time);
            w.remove(0);
            w.set(1, 77);
        };
        dict.write(2).set(9, 90);
        // Those of the whole are notified first: the levels are gone through, and then again for what is new.
        const Ticks ticks = TickLog::take();
        CHECK(ticks.size() == 4);
        CHECK(ticks.front() == "k keys 2");
        CHECK(std::count(ticks.begin(), ticks.end(), "x whole 2") == 1);
        CHECK(std::count(ticks.begin(), ticks.end(), "c element 0 2") == 1);
        CHECK(std::count(ticks.begin(), ticks.end(), "a element 1 2") == 1);
    }
    SECTION("the subscriber of the whole") {
        x.during = [&](const Tick& tick) {
            dict.write(tick.time).set(3, 33);
            dict.write_late(tick.time - 1).clear(); // an older time joins
        };
        dict.write(2).touch();
        CHECK(TickLog::take() == Ticks{"x whole 2", "c element 0 2", "a element 1 2", "b element 3 2", "k keys 2"});
        CHECK(dict.empty());
    }
    CHECK(dict.window() == 2);
    CHECK(dict.check_invariants());
    dict.write(3).set(1, 1);
    CHECK_FALSE(TickLog::take().empty());
}

TEST_CASE("two subscribers that answer each other's writes terminate", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener a("a"), b("b");
    const auto one = dict.subscribe(1, a), two = dict.subscribe(2, b);
    a.during = [&](const Tick& tick) { dict.write(tick.time).set(2, static_cast<int>(a.told)); };
    b.during = [&](const Tick& tick) { dict.write(tick.time).set(1, static_cast<int>(b.told)); };
    for (std::int64_t time = 1; time != 10; ++time) {
        dict.write(time).set(1, 0);
        REQUIRE(a.told == static_cast<std::size_t>(time));
        REQUIRE(b.told == static_cast<std::size_t>(time));
    }
    TickLog::take();
}

TEST_CASE("a writer that a subscriber keeps open longer than its call notifies subscribers when it closes", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener a("a"), x("x");
    std::optional<Dict::writer> kept;
    const auto whole = dict.subscribe(a), key = dict.subscribe(7, x);
    a.during = [&](const Tick& tick) { kept.emplace(dict.write(tick.time)); };
    dict.write(1).set(1, 10);
    CHECK(TickLog::take() == Ticks{"a whole 1"});
    a.during = {};
    CHECK_THROWS_AS(dict.write(2), std::invalid_argument); // it is open
    kept->set(7, 70);
    CHECK(TickLog::take().empty());
    kept.reset();
    CHECK(TickLog::take() == Ticks{"x element 1 1", "a whole 1"});
    dict.write(2).set(7, 71);
    CHECK(TickLog::take() == Ticks{"x element 1 2", "a whole 2"});
}

TEST_CASE("a subscriber cannot open another window: that throws, and the state is as before", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    Listener a("a"), k("k"), x("x"), last("last");
    std::string message;
    int refused = 0;
    const auto tries = [&](const Tick& tick) {
        message = thrown_text<std::invalid_argument>([&] { static_cast<void>(dict.write(tick.time + 1)); });
        if (!message.empty()) ++refused;
        if (!thrown_text<std::invalid_argument>([&] { static_cast<void>(dict.write(Dict::never)); }).empty()) ++refused;
        CHECK(dict.window() == 2);
        CHECK(dict.added_keys(2).size() == 1);
        CHECK(dict.removed_keys(2).size() == 1);
        CHECK(dict.check_invariants());
    };
    a.during = k.during = x.during = tries;
    const auto whole = dict.subscribe(a), keys = dict.subscribe_keys(k), key = dict.subscribe(2, x), end = dict.subscribe(last);
    {
        auto w = dict.write(2);
        w.remove(1);
        w.set(2, 20);
    }
    CHECK(refused == 6);
    CHECK(message.find("write(time): time is newer than the window whose subscribers are being notified") != std::string::npos);
    CHECK(TickLog::take() == Ticks{"x element 1 2", "k keys 2", "a whole 2", "last whole 2"});
    a.during = k.during = x.during = {};
    dict.write(3).set(2, 21); // afterwards as ever
    CHECK(TickLog::take() == Ticks{"x element 1 3", "a whole 3", "last whole 3"});
}

TEST_CASE("a subscriber may write to another series, in any window", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Set log;
    Listener a("a"), b("b");
    const auto one = dict.subscribe(a), two = log.subscribe(b);
    a.during = [&](const Tick& tick) { log.write(100 + tick.time).add(static_cast<int>(tick.time)); };
    dict.write(1).set(1, 10);
    dict.write(2).set(1, 11);
    CHECK(TickLog::take() == Ticks{"a whole 1", "b whole 101", "a whole 2", "b whole 102"});
    CHECK(log.size() == 2);
}

TEST_CASE("a subscriber of a nested series may write to the outer one, and both are notified", "[subscribers]") {
    TickLog::take();
    TSDStorage<int, Set> dict;
    dict.write(1).create(1);
    dict.write(1).create(2);
    Listener inner("inner"), other("other"), outer("outer");
    const auto one = dict.get(1)->subscribe(inner), two = dict.get(2)->subscribe(other), whole = dict.subscribe(outer);
    inner.during = [&](const Tick& tick) {
        auto w = dict.write(tick.time);
        w.modify(2).add(5);
        w.modify(1).add(6);
        CHECK_THROWS_AS(dict.write(tick.time + 1), std::invalid_argument);
    };
    dict.write(2).modify(1).add(5);
    CHECK(TickLog::take() == Ticks{"inner whole 2", "other whole 2", "outer whole 2"});
    CHECK(dict.get(1)->size() == 2);
    CHECK(dict.modified(2, 2));
    dict.write(3).modify(2).add(7);
    CHECK(TickLog::take() == Ticks{"other whole 3", "outer whole 3"});
    CHECK(dict.check_invariants());
}

TEST_CASE("a subscriber may destroy the list that is being notified: the rest is not notified", "[subscribers]") {
    TickLog::take();
    auto list = std::make_unique<slotwise::detail::SubscriberList<std::int64_t>>();
    Listener a("a"), b("b");
    const auto of_a = list->add(a), of_b = list->add(b);
    a.during = [&](const Tick&) { list.reset(); };
    list->notify({SeriesLevel::whole, no_slot, 5}, 1);
    CHECK(list == nullptr);
    CHECK(TickLog::take() == Ticks{"a whole 5"});
}

TEST_CASE("a subscriber that opens a nested series and changes nothing there causes no notification", "[subscribers]") {
    TickLog::take();
    TSDStorage<int, Set> dict;
    dict.write(1).create(1);
    Listener inner("inner"), outer("outer");
    const auto of_inner = dict.get(1)->subscribe(inner), of_outer = dict.subscribe(outer);
    outer.during = [&](const Tick& tick) { dict.write(tick.time).modify(1).add(5); }; // is there, the second time
    dict.write(2).modify(1).add(5);
    CHECK(TickLog::take() == Ticks{"inner whole 2", "outer whole 2"});
    dict.write(3).touch();
    CHECK(TickLog::take() == Ticks{"outer whole 3"});
    CHECK(dict.get(1)->last_modified() == 2);
    CHECK(dict.check_invariants());
}
