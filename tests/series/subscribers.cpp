// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Subscribers of sets and dictionaries over time: of the whole, of the keys, of one key, of one slot; when they are notified,
// how often and in which order.
#include "subscribers.hpp"

#include "support/allocators.hpp"

#include <stdexcept>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;

} // namespace

//=== of the whole ===//

TEST_CASE("a subscriber of a set is notified once of every window in which it is written", "[subscribers]") {
    TickLog::take();
    Set set;
    Listener a("a");
    const auto token = set.subscribe(a);
    {
        auto w = set.write(1);
        w.add(1);
        w.add(2);
        w.remove(1);
        CHECK(TickLog::take().empty()); // not before the writer closes
    }
    CHECK(TickLog::take() == Ticks{"a whole 1"});
    set.write(2).touch();
    CHECK(TickLog::take() == Ticks{"a whole 2"});
    set.write(3).clear();
    CHECK(TickLog::take() == Ticks{"a whole 3"});
    set.write(4).clear(); // it had no member
    CHECK(TickLog::take() == Ticks{"a whole 4"});
}

TEST_CASE("no subscriber is notified of a writer that changed nothing", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Set set;
    dict.write(1).set(1, 10);
    set.write(1).add(1);
    Listener a("a"), b("b"), c("c");
    const auto whole = dict.subscribe(a), keys = dict.subscribe_keys(a), one = dict.subscribe(1, a),
               slot = dict.subscribe_slot(0, a);
    const auto all = set.subscribe(a), member = set.subscribe(1, a);
    {
        auto w = dict.write(2);
        w.remove(7);
        w.create(1);
        CHECK_THROWS_AS(w.modify(7), std::out_of_range);
    }
    {
        auto w = set.write(2);
        w.add(1);
        w.remove(7);
    }
    static_cast<void>(dict.write(3));
    CHECK(TickLog::take().empty());
}

TEST_CASE("several writers in one window: subscribers are notified of each close that changed something", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener a("a"), k("k"), x("x");
    const auto whole = dict.subscribe(a), keys = dict.subscribe_keys(k), key = dict.subscribe(1, x);
    dict.write(5).set(2, 20);
    CHECK(TickLog::take() == Ticks{"k keys 5", "a whole 5"});
    dict.write(5).set(1, 10);
    CHECK(TickLog::take() == Ticks{"x element 1 5", "k keys 5", "a whole 5"});
    dict.write_late(4).set(1, 11); // joins
    CHECK(TickLog::take() == Ticks{"x element 1 5", "a whole 5"});
    dict.write(5).create(1); // changes nothing
    dict.write(5).close();
    CHECK(TickLog::take().empty());
    dict.write(6).set(1, 12);
    CHECK(TickLog::take() == Ticks{"x element 1 6", "a whole 6"});
}

TEST_CASE("nested writers of one series: subscribers are notified when the last of them closes", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener a("a");
    const auto token = dict.subscribe(a);
    auto outer = dict.write(1);
    outer.set(1, 10);
    {
        auto inner = dict.write(1);
        inner.set(2, 20);
    }
    CHECK(TickLog::take().empty());
    auto second = dict.write(1);
    outer.close();
    CHECK(TickLog::take().empty());
    second.close();
    CHECK(TickLog::take() == Ticks{"a whole 1"});
}

TEST_CASE("a subscriber may subscribe twice, and is notified twice", "[subscribers]") {
    TickLog::take();
    Set set;
    Listener a("a");
    auto first = set.subscribe(a);
    const auto second = set.subscribe(a);
    set.write(1).add(1);
    CHECK(TickLog::take() == Ticks{"a whole 1", "a whole 1"});
    first.detach();
    set.write(2).add(2);
    CHECK(TickLog::take() == Ticks{"a whole 2"});
}

//=== of the keys ===//

TEST_CASE("a subscriber of the keys is notified of added and removed keys, not of values", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener k("k"), v("v");
    const auto keys = dict.subscribe_keys(k), by_view = dict.keys().subscribe(v);
    dict.write(1).create(1);
    CHECK(TickLog::take() == Ticks{"k keys 1", "v keys 1"});
    dict.write(2).set(1, 10); // its first value
    dict.write(3).set(1, 10);
    dict.write(4).modify(1) = 11;
    dict.write(5).touch();
    dict.write(6).create(1);
    CHECK(TickLog::take().empty());
    CHECK(dict.keys().last_modified() == 1);
    dict.write(7).set(2, 20);
    CHECK(TickLog::take() == Ticks{"k keys 7", "v keys 7"});
    {
        auto w = dict.write(8); // to no effect, but keys came and went
        w.set(3, 30);
        w.remove(3);
    }
    CHECK(TickLog::take() == Ticks{"k keys 8", "v keys 8"});
    dict.write(9).remove(1);
    CHECK(TickLog::take() == Ticks{"k keys 9", "v keys 9"});
    dict.write(10).clear();
    CHECK(TickLog::take() == Ticks{"k keys 10", "v keys 10"});
    dict.write(11).clear(); // nothing to clear: no key went
    CHECK(TickLog::take().empty());
}

//=== of one key ===//

TEST_CASE("a subscriber of a key is notified when it is added, written, removed and added again elsewhere", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener x("x");
    for (int i = 0; i != 5; ++i) dict.write(1).set(i, i);
    const auto token = dict.subscribe(7, x);
    dict.write(2).set(6, 60);
    CHECK(TickLog::take().empty());
    dict.write(3).set(7, 70);
    CHECK(TickLog::take() == Ticks{"x element 6 3"});
    dict.write(4).set(7, 71);
    dict.write(5).modify(7) = 72;
    dict.write(6).modify(dict.handle_of(7)) = 73;
    CHECK(TickLog::take() == Ticks{"x element 6 4", "x element 6 5", "x element 6 6"});
    dict.write(7).set(6, 61);
    CHECK(TickLog::take().empty());
    dict.write(8).remove(7);
    CHECK(TickLog::take() == Ticks{"x element 6 8"});
    {
        auto w = dict.write(9); // the slot goes to another
        w.set(8, 80);
        REQUIRE(dict.slot_of(8) == 6);
        w.set(9, 90);
    }
    dict.write(10).set(8, 81);
    CHECK(TickLog::take().empty());
    dict.write(11).create(7);
    CHECK(TickLog::take() == Ticks{"x element 8 11"});
    dict.write(12).set(7, 74);
    CHECK(TickLog::take() == Ticks{"x element 8 12"});
    dict.write(13).clear();
    CHECK(TickLog::take() == Ticks{"x element 8 13"});
    dict.write(14).clear();
    CHECK(TickLog::take().empty());
    CHECK(token.attached());
}

TEST_CASE("a subscriber of a member of a set is notified when it is added and removed", "[subscribers]") {
    TickLog::take();
    Set set;
    Listener x("x");
    const auto token = set.subscribe(7, x);
    set.write(1).add(7);
    set.write(2).add(7);
    set.write(3).add(8);
    set.write(4).touch();
    set.write(5).remove(7);
    set.write(6).add(8);
    {
        auto w = set.write(7);
        w.add(7);
        w.remove(7);
    }
    CHECK(TickLog::take() == Ticks{"x element 0 1", "x element 0 5", "x element 0 7"});
}

TEST_CASE("a subscriber of a key removed in the open window is notified when it is added again", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener x("x");
    dict.write(1).set(7, 70);
    dict.write(2).remove(7);
    const auto token = dict.subscribe(7, x);
    const auto same_window = GENERATE(true, false);
    const std::int64_t time = same_window ? 2 : 3;
    dict.write(time).set(7, 71);
    CHECK(TickLog::take() == Ticks{"x element 0 " + std::to_string(time)});
    dict.write(4).set(7, 72);
    CHECK(TickLog::take() == Ticks{"x element 0 4"});
}

TEST_CASE("one may subscribe to a key while a writer is open", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener x("x"), y("y"), a("a");
    auto w = dict.write(1);
    w.set(1, 10);
    const auto one = dict.subscribe(1, x), two = dict.subscribe(2, y), whole = dict.subscribe(a);
    w.set(2, 20);
    w.set(1, 11);
    w.close();
    CHECK(TickLog::take() == Ticks{"x element 0 1", "y element 1 1", "a whole 1"});
}

//=== of one slot ===//

TEST_CASE("a subscriber of a slot is notified of the element there, of its end, and of nothing later", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener s("s");
    dict.write(1).set(1, 10);
    CHECK_THROWS_AS(dict.subscribe_slot(1, s), std::out_of_range);
    CHECK_THROWS_AS(dict.subscribe_slot(no_slot, s), std::out_of_range);
    const auto token = dict.subscribe_slot(0, s);
    dict.write(2).set(1, 11);
    dict.write(3).set(2, 20);
    dict.write(4).remove(1);
    CHECK(TickLog::take() == Ticks{"s element 0 2", "s element 0 4"});
    CHECK_THROWS_AS(dict.subscribe_slot(0, s), std::out_of_range); // removed, though still readable
    dict.write(5).set(3, 30);
    REQUIRE(dict.slot_of(3) == 0);
    dict.write(6).set(1, 12);
    dict.write(7).set(3, 31);
    CHECK(TickLog::take().empty());
    CHECK_FALSE(token.attached());
}

TEST_CASE("a subscriber of a slot is notified of a clear", "[subscribers]") {
    TickLog::take();
    Set set;
    Listener s("s");
    for (int i = 0; i != 100; ++i) set.write(1).add(i);
    const auto token = set.subscribe_slot(70, s);
    set.write(2).clear();
    set.write(3).add(5);
    CHECK(TickLog::take() == Ticks{"s element 70 2"});
    CHECK_FALSE(token.attached());
}

TEST_CASE("a slot whose element was removed and added again within the window keeps its subscribers", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener s("s");
    dict.write(1).set(1, 10);
    const auto token = dict.subscribe_slot(0, s);
    {
        auto w = dict.write(2);
        w.remove(1);
        w.set(1, 11);
    }
    CHECK(TickLog::take() == Ticks{"s element 0 2"});
    dict.write(3).remove(1);
    dict.write(4).set(1, 12);
    CHECK(TickLog::take() == Ticks{"s element 0 3"});
    CHECK_FALSE(token.attached());
}

//=== order and cost ===//

TEST_CASE("elements are notified in slot order, then the keys, then the whole", "[subscribers]") {
    TickLog::take();
    Dict dict;
    for (int i = 0; i != 200; ++i) dict.write(1).set(i, i);
    Listener a("a"), b("b"), k("k"), x("x"), y("y"), z("z");
    const auto whole_a = dict.subscribe(a), whole_b = dict.subscribe(b), keys = dict.subscribe_keys(k);
    const auto key_z = dict.subscribe(150, z), key_x = dict.subscribe(3, x), key_y = dict.subscribe(1000, y);
    const auto slot_y = dict.subscribe_slot(150, y), slot_x = dict.subscribe_slot(70, x);
    {
        auto w = dict.write(2);
        w.set(1000, 0);
        w.set(150, 1);
        w.set(70, 1);
        w.remove(3);
    }
    CHECK(TickLog::take() == Ticks{"x element 3 2", "x element 70 2", "y element 150 2", "z element 150 2", "y element 200 2",
                                   "k keys 2", "a whole 2", "b whole 2"});
    dict.write(3).clear();
    CHECK(TickLog::take() == Ticks{"x element 70 3", "y element 150 3", "z element 150 3", "y element 200 3", "k keys 3",
                                   "a whole 3", "b whole 3"});
}

TEST_CASE("a subscriber of the whole costs no memory for slots", "[subscribers]") {
    EveryByteReturned bytes;
    using Counted = TSDStorage<int, int, AllocBy<StatefulAllocator<int>>>;
    Counted dict{StatefulAllocator<int>(1)}, plain{StatefulAllocator<int>(2)};
    Listener a("a");
    const auto whole = dict.subscribe(a), keys = dict.subscribe_keys(a);
    for (int i = 0; i != 2000; ++i) {
        dict.write(1).set(i, i);
        plain.write(1).set(i, i);
    }
    CHECK(Ledger::live_bytes(1) == Ledger::live_bytes(2));
    {
        const auto key = dict.subscribe(5, a);
        dict.write(2).set(3000, 1);
        CHECK(Ledger::live_bytes(1) > Ledger::live_bytes(2));
    }
    TickLog::take();
}

TEST_CASE("views subscribe as the series does", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Set set;
    Listener a("a"), b("b");
    const TSDView<int, int> dict_view = dict;
    const TSSView<int> set_view = set;
    const auto one = dict_view.subscribe(a), two = set_view.subscribe(b), keys = dict_view.keys().subscribe(b);
    dict.write(1).set(1, 1);
    set.write(2).add(1);
    CHECK(TickLog::take() == Ticks{"b keys 1", "a whole 1", "b whole 2"});
}

TEST_CASE("subscribers are notified of any kind of time", "[subscribers]") {
    TSSStorage<int, TimeBy<double>> set;
    struct Last final : SeriesSubscriber<double> {
        void on_tick(const SeriesTick<double>& tick) noexcept override { time = tick.time; }
        double time = 0;
    } last;
    const auto token = set.subscribe(last);
    set.write(-2.5).add(1);
    CHECK(last.time == -2.5);
    set.write_late(-7).add(2); // joins
    CHECK(last.time == -2.5);
    set.write(-1.25).add(3);
    CHECK(last.time == -1.25);
}

TEST_CASE("more than a thousand subscribed keys, before and while the series grows", "[subscribers]") {
    TickLog::take();
    TSDStorage<std::string, int> dict;
    const auto name = [](int i) { return "key number " + std::to_string(i); };
    std::vector<std::unique_ptr<Listener>> listeners;
    std::vector<Subscription<>> tokens;
    const auto subscribe = [&](int i) {
        listeners.push_back(std::make_unique<Listener>(std::to_string(i)));
        tokens.push_back(dict.subscribe(name(i), *listeners.back()));
    };
    for (int i = 0; i != 1500; ++i) subscribe(i);
    {
        auto w = dict.write(1);
        for (int i = 0; i != 6000; ++i) {
            w.set(name(i), i);
            if (i < 1500) subscribe(2000 + i);
        }
    }
    REQUIRE(TickLog::take().size() == 3000);
    for (const auto& listener : listeners) REQUIRE(listener->told == 1);
    {
        auto w = dict.write(2);
        for (int i = 0; i < 6000; i += 2) w.set(name(i), i);
        for (int i = 1; i < 6000; i += 4) w.remove(name(i));
    }
    for (std::size_t i = 0; i != 1500; ++i) REQUIRE(listeners[i]->told == (i % 4 == 3 ? 1u : 2u));
    REQUIRE(TickLog::take().size() == 2250);
    tokens.resize(1000);
    dict.write(3).clear();
    std::size_t waiting = 0;
    for (int i = 0; i != 1000; ++i) waiting += i % 4 != 1;
    REQUIRE(TickLog::take().size() == waiting);
    {
        auto w = dict.write(4);
        for (int i = 5999; i >= 0; --i) w.create(name(i)); // others in their slots
    }
    REQUIRE(TickLog::take().size() == 1000);
    CHECK(dict.check_invariants());
}
