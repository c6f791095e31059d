// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Which observers are notified of what, in which order, also when one of them throws, detaches or attaches meanwhile.
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/slot_observer.hpp>

#include "support/catch.hpp"
#include "support/event_log.hpp"

#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

using namespace slotwise;
using test::Budget;
using test::EventLog;
using test::Events;
using test::LoggingObserver;

namespace {

template <class... Static>
using Map = SlotMap<int, Static...>;
using Plain = Map<>;
using TwoStatic = Map<test::StaticLogger<1>, test::StaticLogger<2>>;

/// A static observer that has one hook only.
struct OnlyErase {
    void on_erase(slot_t slot) noexcept { EventLog::add("only erase " + std::to_string(slot)); }
};
struct OnlyRemove {
    void on_remove(slot_t slot) noexcept { EventLog::add("only remove " + std::to_string(slot)); }
};

/// Counts what it believes to be alive; complains when told nonsense.
struct Mirror final : SlotObserver {
    std::vector<bool> live = std::vector<bool>(4096);
    bool sound = true;
    void on_insert(slot_t slot, InsertKind) override {
        sound = sound && !live[slot];
        live[slot] = true;
    }
    void on_erase(slot_t slot) noexcept override {
        sound = sound && live[slot];
        live[slot] = false;
    }
    void on_reset() noexcept override { live.assign(live.size(), false); }
    template <class M>
    bool agrees(const M& map) const {
        for (slot_t slot = 0; slot < live.size(); ++slot)
            if (live[slot] != (map.state(slot) == SlotState::live)) return false;
        return sound;
    }
};

} // namespace

TEST_CASE("construct-type events run in attach order, destroy-type events in reverse, static observers before dynamic ones") {
    TwoStatic map;
    EventLog::take();
    LoggingObserver a("a"), b("b");
    const auto of_a = map.attach(a);
    const auto of_b = map.attach(b);
    CHECK(EventLog::take().empty()); // an empty map has nothing to replay
    map.reserve(1);
    const std::string slots = std::to_string(map.capacity());
    CHECK(EventLog::take() ==
          Events{"s1 capacity 0 " + slots, "s2 capacity 0 " + slots, "a capacity 0 " + slots, "b capacity 0 " + slots});
    const auto first = map.insert(1);
    CHECK(EventLog::take() == Events{"s1 insert 0", "s2 insert 0", "a insert 0", "b insert 0"});
    map.insert(2);
    EventLog::take();
    map.erase(first);
    CHECK(EventLog::take() == Events{"b remove 0", "a remove 0", "s2 remove 0", "s1 remove 0", "b erase 0", "a erase 0",
                                     "s2 erase 0", "s1 erase 0"});
    map.insert(3);
    EventLog::take();
    map.clear();
    CHECK(EventLog::take() == Events{"b clear 0 1", "a clear 0 1", "s2 clear 0 1", "s1 clear 0 1"});
}

TEST_CASE("a dying container clears, then resets, and lets its observers go") {
    LoggingObserver a("a");
    ObserverToken token;
    {
        TwoStatic map;
        token = map.attach(a);
        map.insert(1);
        EventLog::take();
        CHECK(token.attached());
    }
    CHECK(EventLog::take() == Events{"a clear 0", "s2 clear 0", "s1 clear 0", "a reset", "s2 reset", "s1 reset"});
    CHECK_FALSE(token.attached());
    token.detach(); // harmless
    CHECK_FALSE(token.attached());
}

TEST_CASE("an absent hook is nothing: on_clear falls back to remove and erase of each slot") {
    Map<OnlyErase, OnlyRemove> map;
    EventLog::take();
    map.insert(1);
    map.insert(2);
    const auto third = map.insert(3);
    CHECK(EventLog::take().empty());
    map.erase(third);
    CHECK(EventLog::take() == Events{"only remove 2", "only erase 2"});
    map.clear();
    CHECK(EventLog::take() == Events{"only remove 0", "only remove 1", "only erase 0", "only erase 1"});
}

TEST_CASE("a dynamic observer without on_clear gets on_remove and on_erase of each slot") {
    struct Each final : SlotObserver {
        void on_remove(slot_t slot) noexcept override { EventLog::add("remove " + std::to_string(slot)); }
        void on_erase(slot_t slot) noexcept override { EventLog::add("erase " + std::to_string(slot)); }
    } each;
    Plain map;
    const auto token = map.attach(each);
    map.insert(1);
    map.insert(2);
    EventLog::take();
    map.clear();
    CHECK(EventLog::take() == Events{"remove 0", "erase 0", "remove 1", "erase 1"});
}

TEST_CASE("attaching late replays capacity and live slots; detaching says nothing") {
    Plain map;
    map.insert(0);
    const auto gone = map.insert(1);
    map.insert(2);
    map.erase(gone);
    EventLog::take();
    LoggingObserver a("a");
    {
        const auto token = map.attach(a);
        CHECK(EventLog::take() == Events{"a capacity 0 " + std::to_string(map.capacity()), "a insert 0", "a insert 2"});
    }
    CHECK(EventLog::take().empty());
    map.insert(4);
    CHECK(EventLog::take().empty());
}

TEST_CASE("an observer that throws at any step of a late attach is not attached and has been notified of the rollback",
          "[throws]") {
    Plain map;
    for (int i = 0; i < 4; ++i) map.insert(i);
    map.erase(map.handle_at(slot_t{1}));
    const auto failures = test::fail_at_every_step(test::swept<Plain>("attach"), [&](auto&& attempt) {
        EventLog::take();
        LoggingObserver a("a", true);
        ObserverToken token;
        if (attempt([&] { token = map.attach(a); })) {
            CHECK_FALSE(token.attached());
            int balance = 0;
            for (const auto& event : EventLog::take())
                balance += event.starts_with("a insert") ? 1 : event.starts_with("a erase") ? -1 : 0;
            CHECK(balance == 0);
            map.erase(map.insert(9));
            CHECK(EventLog::take().empty());
        } else
            CHECK(token.attached());
    });
    CHECK(failures == 4); // capacity and three slots
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE(
    "when an observer refuses an insert, those notified before get on_erase in reverse order and the insert is rolled back",
    "[throws]") {
    SlotMap<int, test::StaticLogger<1, true>, test::StaticLogger<2, true>> map;
    LoggingObserver a("a", true), b("b", true), c("c", true);
    const auto of_a = map.attach(a);
    const auto of_b = map.attach(b);
    const auto of_c = map.attach(c);
    map.reserve(10);
    map.insert(0);
    const auto next = [&] {
        auto copy = map;
        return copy.insert(5);
    };
    const auto expected_handle = next();
    std::vector<Events> seen;
    const auto failures = test::fail_at_every_step(test::swept<SlotMap<int>>("insert"), [&](auto&& attempt) {
        EventLog::take();
        const bool threw = attempt([&] { map.insert(7); });
        seen.push_back(EventLog::take());
        CHECK(map.size() == (threw ? 1 : 2));
        CHECK(map.check_invariants());
        if (threw) CHECK(next() == expected_handle); // as if it had not been tried
    });
    EventLog::take();
    CHECK(failures == 5);
    REQUIRE(seen.size() == 6);
    CHECK(seen[0] == Events{});
    CHECK(seen[1] == Events{"s1 insert 1", "s1 erase 1"});
    CHECK(seen[2] == Events{"s1 insert 1", "s2 insert 1", "s2 erase 1", "s1 erase 1"});
    CHECK(seen[3] == Events{"s1 insert 1", "s2 insert 1", "a insert 1", "a erase 1", "s2 erase 1", "s1 erase 1"});
    CHECK(seen[4] == Events{"s1 insert 1", "s2 insert 1", "a insert 1", "b insert 1", "b erase 1", "a erase 1", "s2 erase 1",
                            "s1 erase 1"});
    CHECK(seen[5] == Events{"s1 insert 1", "s2 insert 1", "a insert 1", "b insert 1", "c insert 1"});
}
#endif

TEST_CASE("when an observer refuses new capacity, nothing has changed", "[throws]") {
    Plain map;
    LoggingObserver a("a", true), b("b", true);
    const auto of_a = map.attach(a);
    const auto of_b = map.attach(b);
    const auto failures = test::fail_at_every_step(test::swept<Plain>("reserve"), [&](auto&& attempt) {
        const std::size_t before = map.capacity();
        const bool threw = attempt([&] { map.reserve(5000); });
        CHECK((map.capacity() == before) == threw);
        CHECK(map.empty());
        CHECK(map.check_invariants());
    });
    CHECK(failures == 2);
    CHECK(map.capacity() >= 5000);
    EventLog::take();
}

TEST_CASE("detaching inside a notification takes effect at once, whoever detaches whom") {
    for (int who = 0; who < 3; ++who)        // the one that acts
        for (int whom = 0; whom < 3; ++whom) // the one that goes
            for (const std::string event : {"insert", "remove", "erase", "clear", "capacity"}) {
                CAPTURE(who, whom, event);
                Plain map;
                std::array observers{LoggingObserver("0"), LoggingObserver("1"), LoggingObserver("2")};
                std::array<ObserverToken, 3> tokens;
                for (std::size_t i = 0; i < 3; ++i) tokens[i] = map.attach(observers[i]);
                auto& actor = observers[static_cast<std::size_t>(who)];
                const auto act = [&] { tokens[static_cast<std::size_t>(whom)].detach(); };
                if (event == "capacity") actor.during_capacity = act;
                if (event != "capacity") map.insert(1);
                if (event == "insert") actor.during_insert = [&](slot_t) { act(); };
                if (event == "remove") actor.during_remove = [&](slot_t) { act(); };
                if (event == "erase") actor.during_erase = [&](slot_t) { act(); };
                if (event == "clear") actor.during_clear = act;
                EventLog::take();
                if (event == "capacity" || event == "insert") map.insert(2);
                if (event == "remove" || event == "erase") map.erase(map.handle_at(slot_t{0}));
                if (event == "clear") map.clear();
                const auto events = EventLog::take();
                const auto heard = [&](int name) {
                    return std::count_if(events.begin(), events.end(), [&](const std::string& e) {
                        return e.starts_with(std::to_string(name) + " " + event);
                    });
                };
                const bool ascending = event == "insert" || event == "capacity";
                const bool was_told_before = ascending ? whom <= who : whom >= who;
                for (int i = 0; i < 3; ++i) CHECK(heard(i) == (i != whom || was_told_before ? 1 : 0));
                // And from now on only the other two hear anything.
                for (auto& observer : observers) observer.during_insert = nullptr, observer.during_capacity = nullptr;
                EventLog::take();
                map.insert(3);
                const auto later = EventLog::take();
                CHECK(later.size() == 2);
                CHECK(std::none_of(later.begin(), later.end(),
                                   [&](const std::string& e) { return e.starts_with(std::to_string(whom)); }));
            }
}

TEST_CASE("an observer attached inside on_insert or on_capacity is notified of that too, and of what was before") {
    Plain map;
    LoggingObserver a("a"), b("b");
    ObserverToken of_b;
    const auto of_a = map.attach(a);
    map.insert(0);
    a.during_insert = [&](slot_t) {
        if (!of_b.attached()) of_b = map.attach(b);
    };
    EventLog::take();
    map.insert(1);
    CHECK(EventLog::take() ==
          Events{"a insert 1", "b capacity 0 " + std::to_string(map.capacity()), "b insert 0", "b insert 1"});
}

TEST_CASE("regression: an observer attached inside on_remove is not notified of the removed slot") {
    for (const bool in_erase : {false, true}) {
        Plain map;
        LoggingObserver a("a");
        Mirror b;
        ObserverToken of_b;
        const auto of_a = map.attach(a);
        map.insert(0);
        const auto gone = map.insert(1);
        const auto join = [&](slot_t) {
            if (!of_b.attached()) of_b = map.attach(b);
        };
        if (in_erase)
            a.during_erase = join;
        else
            a.during_remove = join;
        map.erase(gone);
        CHECK(b.agrees(map)); // not told to erase what it never heard of
        map.insert(2);
        CHECK(b.agrees(map));
    }
    EventLog::take();
}

TEST_CASE("regression: an observer attached inside on_clear is not notified of the cleared slots") {
    Plain map;
    LoggingObserver a("a");
    Mirror b;
    ObserverToken of_b;
    const auto of_a = map.attach(a);
    map.insert(0);
    map.insert(1);
    a.during_clear = [&] { of_b = map.attach(b); };
    map.clear();
    CHECK(b.agrees(map));
    a.during_clear = nullptr;
    map.insert(2);
    CHECK(b.agrees(map));
    EventLog::take();
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("regression: a refused insert notifies the right observers when one detached meanwhile") {
    // The list closes its gaps when the notification ends; the rollback must still notify the right observers.
    Plain map;
    LoggingObserver a("a"), b("b"), c("c", true), d("d");
    auto of_a = map.attach(a);
    const auto of_b = map.attach(b);
    const auto of_c = map.attach(c);
    const auto of_d = map.attach(d);
    map.reserve(10);
    a.during_insert = [&](slot_t) { of_a.detach(); };
    EventLog::take();
    Budget::arm(0);
    CHECK_THROWS_AS(map.insert(1), test::InjectedFailure);
    CHECK(EventLog::take() == Events{"a insert 0", "b insert 0", "b erase 0"});
    CHECK(map.empty());
    map.insert(2);
    CHECK(EventLog::take() == Events{"b insert 0", "c insert 0", "d insert 0"});
}
#endif

TEST_CASE("tokens are move-only, move with their attachment, and detach what they are assigned over") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<ObserverToken>);
    STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<ObserverToken>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<ObserverToken>);
    Plain map;
    LoggingObserver a("a"), b("b");
    CHECK_FALSE(ObserverToken().attached());
    ObserverToken of_a = map.attach(a);
    ObserverToken moved(std::move(of_a));
    CHECK(moved.attached());
    CHECK_FALSE(of_a.attached());
    moved = map.attach(b); // a is detached
    map.reserve(1);
    const auto events = EventLog::take();
    REQUIRE(!events.empty());
    CHECK(events.back().starts_with("b capacity"));
    CHECK(std::none_of(events.begin(), events.end(), [](const std::string& e) { return e.starts_with("a"); }));
    auto& same = moved;
    moved = std::move(same);
    CHECK(moved.attached());
    moved.detach();
    moved.detach();
    CHECK_FALSE(moved.attached());
}

TEST_CASE("observers follow a container that moves") {
    LoggingObserver a("a");
    auto map = std::make_unique<Plain>();
    map->insert(1);
    const auto token = map->attach(a);
    EventLog::take();
    Plain target(std::move(*map));
    map.reset();
    CHECK(EventLog::take().empty()); // nothing happened to the elements
    CHECK(token.attached());
    target.insert(2);
    CHECK(EventLog::take() == Events{"a insert 1"});
}

TEST_CASE("a copy of a container has copies of the static observers and none of the dynamic ones") {
    TwoStatic map;
    LoggingObserver a("a");
    const auto token = map.attach(a);
    map.insert(1);
    EventLog::take();
    auto copy = map;
    EventLog::take();
    copy.insert(2);
    CHECK(EventLog::take() == Events{"s1 insert 1", "s2 insert 1"});
}

TEST_CASE(
    "more observers than the list first has room for, attached and detached in any order, are notified of everything once") {
    Plain map;
    std::vector<std::unique_ptr<LoggingObserver>> observers;
    std::vector<ObserverToken> tokens;
    for (int i = 0; i < 40; ++i) {
        observers.push_back(std::make_unique<LoggingObserver>(std::to_string(i)));
        tokens.push_back(map.attach(*observers.back()));
    }
    map.reserve(10);
    EventLog::take();
    map.insert(1);
    CHECK(EventLog::take().size() == 40);
    for (std::size_t i = 0; i < 40; i += 3) tokens[i].detach();
    map.insert(2);
    const auto events = EventLog::take();
    CHECK(events.size() == 26);
    CHECK(events.front() == "1 insert 1");
    CHECK(events.back() == "38 insert 1");
    tokens.clear();
    map.insert(3);
    CHECK(EventLog::take().empty());
}

TEST_CASE("one observer may watch several containers") {
    Plain first, second;
    LoggingObserver a("a");
    const auto one = first.attach(a);
    auto two = second.attach(a);
    first.reserve(1);
    second.reserve(1);
    EventLog::take();
    first.insert(1);
    second.insert(1);
    CHECK(EventLog::take() == Events{"a insert 0", "a insert 0"});
    two.detach();
    second.insert(2);
    CHECK(EventLog::take().empty());
    first.insert(2);
    CHECK(EventLog::take() == Events{"a insert 1"});
}

TEST_CASE("an observer is notified of the events it has a hook for only") {
    struct Counts final : SlotObserver {
        int inserts = 0;
        void on_insert(slot_t, InsertKind) override { ++inserts; }
    } counts;
    Plain map;
    const auto token = map.attach(counts);
    map.erase(map.insert(1));
    map.insert(2);
    map.clear();
    map.shrink_to_fit();
    CHECK(counts.inserts == 2);
    CHECK(map.check_invariants());
}

#if defined(__cpp_exceptions)
TEST_CASE("an observer that refuses to attach while a clear runs is notified of the rollback of new elements only",
          "[throws]") {
    struct Refuses final : SlotObserver {
        Events heard{};
        void on_insert(slot_t slot, InsertKind) override {
            heard.push_back("insert " + std::to_string(slot));
            if (heard.size() == 2) throw 1;
        }
        void on_erase(slot_t slot) noexcept override { heard.push_back("erase " + std::to_string(slot)); }
    } refuses;
    SlotMap<test::CallsOnDestroy> map;
    bool refused = false;
    map.emplace(1, [&] {
        map.emplace(4);
        map.emplace(5);
        try {
            static_cast<void>(map.attach(refuses));
        } catch (int) {
            refused = true;
        }
    });
    map.emplace(2);
    map.emplace(3);
    map.clear();
    CHECK(refused);
    CHECK(refuses.heard == Events{"insert 3", "insert 4", "erase 3"}); // nothing of 1 and 2, which are dying
    CHECK(map.size() == 2);
    CHECK(map.check_invariants());
}
#endif
