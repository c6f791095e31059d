// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What observers of keyed containers are told, word for word and in which order. Coming and going is in event_attach.cpp,
// observers that throw in throwing_keyed_observers.cpp.
#include "events.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <memory>

using namespace test;

#define WATCHED(D)                                                                                                             \
    (SetWith<D, test::StaticLogger<1>, test::StaticLogger<2>>), (MapWith<D, test::StaticLogger<1>, test::StaticLogger<2>>)

TEMPLATE_TEST_CASE("growth, shrinking, clear, reset and the end of the container", "[event_log]", WATCHED(false)) {
    auto container = std::make_unique<TestType>();
    LoggingObserver a("a"), b("b");
    auto token_a = container->attach(a), token_b = container->attach(b);
    EventLog::take();
    container->reserve(64);
    REQUIRE(EventLog::take() == told({"s1", "s2", "a", "b"}, {"capacity 0 64"}));
    container->reserve(64);
    for (int i = 0; i != 65; ++i) add(*container, i);
    const auto grown = EventLog::take();
    REQUIRE(of("a", grown)[64] == "capacity 64 1024"); // 4 KiB of keys
    REQUIRE(of("a", grown)[65] == "insert 64");
    REQUIRE(of("a", grown).size() == 66);
    for (int i = 2; i != 65; ++i) container->erase(i);
    EventLog::take();
    container->shrink_to_fit();
    REQUIRE(EventLog::take() == told({"s1", "s2", "a", "b"}, {"capacity 1024 64"}));
    container->shrink_to_fit();
    REQUIRE(EventLog::take() == Events{});
    container->clear();
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"clear 0 1"}));
    add(*container, 5);
    EventLog::take();
    container->reset();
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"reset"}));
    add(*container, 5);
    REQUIRE(EventLog::take() == told({"s1", "s2", "a", "b"}, {"capacity 0 64", "insert 0"}));
    REQUIRE(token_a.attached());
    container.reset();
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"clear 0", "reset"}));
    REQUIRE_FALSE(token_a.attached());
    token_a.detach();
}

TEMPLATE_TEST_CASE("with deferred erase: removed at once, erased at the flush, resurrected in between", "[event_log]",
                   WATCHED(true)) {
    auto container = std::make_unique<TestType>();
    LoggingObserver a("a"), b("b");
    auto token_a = container->attach(a), token_b = container->attach(b);
    for (int i = 0; i != 4; ++i) add(*container, i);
    EventLog::take();
    container->erase(2);
    container->erase(0);
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"remove 2", "remove 0"}));
    add(*container, 0);
    REQUIRE(EventLog::take() == told({"s1", "s2", "a", "b"}, {"insert 0 resurrected"}));
    add(*container, 0);
    REQUIRE(EventLog::take() == Events{});
    container->remove(0);
    container->remove(1);
    EventLog::take();
    container->flush_removed();
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"erase 2", "erase 0", "erase 1"}));
    container->flush_removed();
    REQUIRE(EventLog::take() == Events{});
    add(*container, 7);
    REQUIRE(EventLog::take() == told({"s1", "s2", "a", "b"}, {"insert 0"}));
    container->clear(); // what is cleared is removed, not erased yet
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"remove 0", "remove 3"}));
    add(*container, 3);
    REQUIRE(EventLog::take() == told({"s1", "s2", "a", "b"}, {"insert 3 resurrected"}));
    container->reset();
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"reset"}));
    add(*container, 1);
    add(*container, 2);
    container->erase(2);
    EventLog::take();
    container.reset();
    REQUIRE(EventLog::take() == told({"b", "a", "s2", "s1"}, {"remove 0", "erase 1", "erase 0", "reset"}));
}

TEMPLATE_TEST_CASE("static and dynamic observers see the same log", "[event_log]", (SetWith<false, test::StaticLogger<1>>),
                   (SetWith<true, test::StaticLogger<1>>), (MapWith<false, test::StaticLogger<1>>),
                   (MapWith<true, test::StaticLogger<1>>)) {
    EventLog::take();
    TestType container;
    LoggingObserver dynamic("d");
    Witness witness;
    auto token = container.attach(dynamic), other = container.attach(witness);
    Random random(11);
    for (int step = 0; step != 2500; ++step) {
        const int key = static_cast<int>(random.below(300));
        const auto dice = random.below(1000);
        if (dice < 560)
            add(container, key);
        else if (dice < 960)
            container.erase(key);
        else if (dice < 975)
            container.flush_removed();
        else if (dice < 982)
            container.shrink_to_fit();
        else if (dice < 990)
            container.reserve(container.size() + random.below(100));
        else if (dice < 994)
            container.clear();
        else if (dice < 997)
            container.reset();
        else
            container.erase_if([&](int k, auto&&...) { return k % 3 == 0; });
        if (step % 16 == 0) REQUIRE(container.check_invariants());
        REQUIRE(witness.agrees_with(container));
    }
    const auto log = EventLog::take();
    const auto seen = of("d", log);
    REQUIRE(of("s1", log) == seen);
    for (const char* kind : {"capacity", "insert", "remove", "erase", "reset"})
        REQUIRE(std::any_of(seen.begin(), seen.end(), [&](const std::string& event) { return event.starts_with(kind); }));
    if (TestType::options.deferred_erase)
        REQUIRE(std::any_of(seen.begin(), seen.end(), [&](const auto& event) { return event.ends_with("resurrected"); }));
}

TEMPLATE_TEST_CASE_SIG("key, value and every column are there in on_insert, on_remove and on_erase", "[event_log]",
                       ((bool Deferred), Deferred), true, false) {
    NothingLeaks objects;
    using Map = MapStorage<int, Tracked, Options<KeySetOptions{.deferred_erase = Deferred}>, Column<Tracked>>;
    Map map;
    DynamicColumn<ValueArray<Tracked>> column;
    LoggingObserver looks("l");
    auto column_token = map.attach(column), token = map.attach(looks);
    const std::size_t each = 3; // value, static column, dynamic column
    int calls = 0, number = 0;
    std::size_t alive = 0;
    const auto look = [&](slot_t slot) {
        ++calls;
        REQUIRE(objects.alive() == alive * each);
        REQUIRE(map.value(slot).value() == map.key(slot));
        REQUIRE(map.template observer<0>()[slot].value() == number);
        REQUIRE(column.column()[slot].value() == number);
    };
    looks.during_insert = look;
    for (int i = 0; i != 10; ++i) {
        alive = static_cast<std::size_t>(i) + 1;
        const slot_t slot = map.try_emplace(i, i).it.slot();
        map.template observer<0>()[slot].set(100);
        column.column()[slot].set(100);
    }
    number = 100;
    looks.during_remove = looks.during_erase = look;
    for (int i = 0; i != 10; ++i) {
        map.erase(i);
        if (!Deferred) --alive;
    }
    REQUIRE(calls == (Deferred ? 20 : 30));
    looks.during_remove = nullptr;
    std::size_t erased = 0;
    looks.during_erase = [&](slot_t slot) {
        REQUIRE(objects.alive() == (10 - erased) * each);
        REQUIRE(map.value(slot).value() == map.key(slot));
        REQUIRE(map.template observer<0>()[slot].value() == 100);
        REQUIRE(column.column()[slot].value() == 100);
        ++erased;
    };
    map.flush_removed();
    REQUIRE(erased == (Deferred ? 10u : 0u));
    REQUIRE(objects.alive() == 0);
}

TEST_CASE("values and columns are there in on_clear, and gone after it", "[event_log]") {
    NothingLeaks objects;
    MapStorage<int, Tracked, Column<Tracked>> map;
    LoggingObserver looks("l");
    auto token = map.attach(looks);
    for (int i = 0; i != 10; ++i) map.observer<0>()[map.try_emplace(i, i).it.slot()].set(i + 1);
    std::size_t seen = 0;
    looks.during_clear = [&] {
        for (slot_t slot = 0; slot != 10; ++slot) seen += map.observer<0>()[slot].value() == static_cast<int>(slot) + 1;
        REQUIRE(objects.alive() == 20);
    };
    map.clear();
    REQUIRE(seen == 10);
    REQUIRE(objects.alive() == 0);
}

TEST_CASE("as_set of a map shows the same state to an observer that looks at it", "[event_log]") {
    MapWith<false> map;
    LoggingObserver a("a");
    std::vector<std::size_t> sizes;
    a.during_insert = [&](slot_t) { sizes.push_back(map.as_set().size()); };
    a.during_remove = a.during_erase = [&](slot_t) { sizes.push_back(map.as_set().size()); };
    auto token = map.attach(a);
    map[1] = 1;
    map[2] = 2;
    map.erase(1);
    REQUIRE(sizes == std::vector<std::size_t>{0, 1, 1, 1}); // live after everyone has agreed; no longer live when told
}
