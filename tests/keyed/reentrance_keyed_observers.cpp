// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Observers that read the container that notifies them: what it answers in each hook, to static and dynamic observers alike,
// whichever way an insert or erase takes.
#include "scene.hpp"

#include <functional>

using namespace test;

namespace {

/// What a container of int keys answers about the slot and the key in question.
struct Looker {
    std::function<std::string(slot_t)> ask{};
    std::vector<std::string> log{};
    void note(const std::string& event, slot_t slot = no_slot) {
        if (ask) log.push_back(event + ": " + ask(slot));
    }
};

struct StaticLooker {
    Looker* to = nullptr;
    void on_capacity(slot_t, slot_t) {
        if (to) to->note("capacity");
    }
    void on_insert(slot_t slot, InsertKind) noexcept {
        if (to) to->note("insert", slot);
    }
    void on_remove(slot_t slot) noexcept {
        if (to) to->note("remove", slot);
    }
    void on_erase(slot_t slot) noexcept {
        if (to) to->note("erase", slot);
    }
    void on_clear(Occupancy slots) noexcept {
        if (to) slots.for_each([this](slot_t slot) { to->note("clear", slot); });
    }
    void on_reset() noexcept {
        if (to) to->note("reset");
    }
};
struct DynamicLooker final : SlotObserver {
    Looker* to = nullptr;
    void on_capacity(slot_t, slot_t) override { to->note("capacity"); }
    void on_insert(slot_t slot, InsertKind) override { to->note("insert", slot); }
    void on_remove(slot_t slot) noexcept override { to->note("remove", slot); }
    void on_erase(slot_t slot) noexcept override { to->note("erase", slot); }
    void on_clear(Occupancy slots) noexcept override {
        slots.for_each([this](slot_t slot) { to->note("clear", slot); });
    }
    void on_reset() noexcept override { to->note("reset"); }
};

template <class T, KeySetOptions O>
using Watched = MapStorage<int, T, HashBy<NumberHash>, Options<O>, StaticLooker>;

/// Keys are 100 + slot, so that observers know which key is meant.
template <class Map>
std::function<std::string(slot_t)> asker(const Map& map) {
    return [&map](slot_t slot) {
        std::string answer = "size " + std::to_string(map.size());
        std::size_t walked = 0;
        for (auto it = map.begin(); it != map.end(); ++it) ++walked;
        if (slot == no_slot) return answer + (walked == map.size() ? "" : " but walked " + std::to_string(walked));
        const int key = 100 + static_cast<int>(slot);
        answer += map.contains(key) ? " key found" : " key absent";
        answer += map.handle_at(slot).is_null() ? " no handle" : " handle";
        answer += map.state(slot) == SlotState::live ? " live" : " not live";
        answer += walked == map.size() ? "" : " but walked " + std::to_string(walked);
        answer += map.contains(100) ? " other found" : " other absent";
        return answer;
    };
}

template <class Map>
void run(Map& map) {
    map.try_emplace(100, 0);
    map.try_emplace(101, 1);
    map.erase(101);
    map.flush_removed();
    map.try_emplace(101, 1);
    map.try_emplace(101, 2);
    map.erase(map.handle_of(101));
    map.flush_removed();
}

} // namespace

TEMPLATE_TEST_CASE("while observers are notified of an insert or an erase the element is not found, and counts nowhere",
                   "[reentrance]", (Watched<int, at_once>), (Watched<Tracked, at_once>), (Watched<int, deferred>),
                   (Watched<Tracked, deferred>)) {
    std::vector<std::string> expected = {"capacity: size 0", "insert: size 0 key absent no handle not live other absent"};
    const std::string inserting = "insert: size 1 key absent no handle not live other found";
    const std::string removing = "remove: size 1 key absent no handle not live other found";
    const std::string erasing = "erase: size 1 key absent no handle not live other found";
    for (int i = 0; i != 2; ++i) expected.insert(expected.end(), {inserting, removing, erasing});
    SECTION("static observers") {
        Looker looker;
        TestType map;
        looker.ask = asker(map);
        map.template observer<0>().to = &looker;
        run(map);
        REQUIRE(looker.log == expected);
        looker.ask = nullptr;
    }
    SECTION("dynamic observers") {
        Looker looker;
        DynamicLooker dynamic;
        dynamic.to = &looker;
        TestType map;
        looker.ask = asker(map);
        const auto token = map.attach(dynamic);
        run(map);
        REQUIRE(looker.log == expected);
        looker.ask = nullptr;
    }
    SECTION("both") {
        Looker looker, quiet;
        DynamicLooker dynamic;
        dynamic.to = &quiet;
        TestType map;
        looker.ask = asker(map);
        map.template observer<0>().to = &looker;
        const auto token = map.attach(dynamic);
        run(map);
        REQUIRE(looker.log == expected);
        looker.ask = nullptr;
    }
}

TEMPLATE_TEST_CASE("while observers are notified of a resurrection the element is not found yet", "[reentrance]",
                   (Watched<int, deferred>), (Watched<Tracked, deferred>)) {
    for (const bool dynamically : {false, true}) {
        Looker looker;
        DynamicLooker dynamic;
        dynamic.to = &looker;
        TestType map;
        map.try_emplace(100, 0);
        map.try_emplace(101, 1);
        map.erase(101);
        ObserverToken token;
        if (dynamically)
            token = map.attach(dynamic);
        else
            map.template observer<0>().to = &looker;
        looker.ask = asker(map);
        map.try_emplace(101, 1);
        REQUIRE(looker.log == std::vector<std::string>{"insert: size 1 key absent no handle not live other found"});
        looker.ask = nullptr;
    }
}

TEMPLATE_TEST_CASE("while observers are notified of a clear nothing is found and the size is 0", "[reentrance]",
                   (Watched<int, at_once>), (Watched<Tracked, at_once>)) {
    for (const bool dynamically : {false, true}) {
        Looker looker;
        DynamicLooker dynamic;
        dynamic.to = &looker;
        TestType map;
        for (int n = 100; n != 103; ++n) map.try_emplace(n, n);
        ObserverToken token;
        if (dynamically)
            token = map.attach(dynamic);
        else
            map.template observer<0>().to = &looker;
        bool sound = true;
        looker.ask = [&](slot_t slot) {
            sound = sound && map.empty();
            for (int n = 100; n != 103; ++n) sound = sound && !map.contains(n) && map.get(n) == nullptr;
            if (slot != no_slot) sound = sound && map.handle_at(slot).is_null();
            return std::string();
        };
        map.clear();
        REQUIRE(looker.log.size() == 3);
        REQUIRE(sound);
        map.try_emplace(101, 1);
        looker.log.clear();
        sound = true;
        map.reset();
        REQUIRE(looker.log.size() == 1);
        REQUIRE(sound);
        looker.ask = nullptr;
    }
}

TEMPLATE_TEST_CASE("an observer notified of growth may still use all elements", "[reentrance]", (Watched<int, at_once>),
                   (Watched<Tracked, deferred>)) {
    Looker looker;
    TestType map;
    bool sound = true;
    looker.ask = [&](slot_t) {
        for (const auto [key, value] : map) sound = sound && map.contains(key) && number(value) == key;
        return std::to_string(map.size());
    };
    map.template observer<0>().to = &looker;
    for (int n = 0; n != 1000; ++n) {
        looker.log.clear();
        map.try_emplace(n, n);
        // Growth is notified before the new element.
        REQUIRE(looker.log.back() == "insert: " + std::to_string(n));
        if (looker.log.size() == 2) REQUIRE(looker.log.front() == "capacity: " + std::to_string(n));
    }
    REQUIRE(sound);
    looker.ask = nullptr;
}
