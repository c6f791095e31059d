// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of every operation: afterwards the map is as it was, future handles included, and nothing leaked.
// The test cases themselves, for the storages that the including source names in TESTED_STORAGE, because all of them in one
// source take a minute to compile.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/event_log.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"
#include "support/twins.hpp"

#include <slotwise/slots/value_array.hpp>

#include <string>

namespace {

using namespace test;

/// What an observer that may throw has to hold: it is notified of exactly the live slots, and never of a slot beyond the
/// capacity.
struct Follower final : SlotObserver {
    std::map<slot_t, bool> live{};
    slot_t slots = 0;
    bool sound = true;
    void on_capacity(slot_t old_slots, slot_t new_slots) override {
        if (new_slots > old_slots) Budget::spend();
        sound = sound && old_slots == slots;
        slots = new_slots;
    }
    void on_insert(slot_t slot, InsertKind) override {
        Budget::spend();
        sound = sound && slot < slots && !live.contains(slot);
        live[slot] = true;
    }
    void on_erase(slot_t slot) noexcept override { sound = live.erase(slot) == 1 && sound; }
    void on_reset() noexcept override {
        sound = sound && live.empty();
        slots = 0;
    }
    template <class Map>
    bool follows(const Map& map) const {
        return sound && live.size() == map.size() && std::all_of(live.begin(), live.end(), [&](const auto& entry) {
                   return map.state(entry.first) == SlotState::live;
               });
    }
};

template <class Map>
struct Scene {
    using handle_type = typename Map::handle_type;
    Map map{};
    std::vector<handle_type> handles{}; // ever issued, erased ones too
    std::vector<handle_type> reserved{};

    /// `count` elements with holes, two reservations and an order of free slots that is not trivial. The same at each call.
    explicit Scene(int count) {
        for (int i = 0; i != count; ++i) handles.push_back(put(map, i));
        for (const int i : {count / 2, 1, count - 2, 3})
            if (i >= 0 && i < count) map.erase(handles[static_cast<std::size_t>(i)]);
        if (count > 8) {
            reserved = {map.reserve_handle(), map.reserve_handle()};
            handles.push_back(put(map, count));
        }
    }
    handle_type some() const { return handles.empty() ? handle_type() : handles.front(); }
    bool sound() const { return map.check_invariants(); }
};

/// Same elements, same answers about every handle ever issued, same handles in future. Uses both maps up.
template <class S>
void require_twins(S& a, S& b) {
    REQUIRE(a.map.check_invariants());
    REQUIRE(a.map.size() == b.map.size());
    REQUIRE(contents(a.map) == contents(b.map));
    REQUIRE(a.map.retired() == b.map.retired());
    for (const auto handle : a.handles) REQUIRE(a.map.contains(handle) == b.map.contains(handle));
    for (const auto handle : a.reserved) REQUIRE(a.map.explain(handle) == b.map.explain(handle));
    REQUIRE(futures(a.map) == futures(b.map));
    for (const auto handle : a.reserved) REQUIRE(fulfill(a.map, handle, 5) == fulfill(b.map, handle, 5));
    REQUIRE(a.map.check_invariants());
    a.map.clear();
    b.map.clear();
    REQUIRE(futures(a.map) == futures(b.map));
}

/// Runs act(scene), which calls `function`, with a failure at every step, for scenes with room and for scenes where the next
/// insert grows.
template <class Map, class Act>
void strong(const char* function, Act act, std::size_t least_failures = 1,
            std::initializer_list<int> counts = {0, 5, 20, 64, 67}) {
    strong_beside_twins<Map, Scene<Map>>(function, act, least_failures, counts);
}

template <class Storage, class T, Reuse R>
using Failing = typename Storage::template map<T, SlotMapOptions{.reuse = R}, ThrowingAllocator<T>>;

/// Elements whose moves throw too, and whose moves do not; each free slot policy with one of them.
template <class Storage, class Test>
void on_failing_maps(Test test) {
    test.template operator()<Failing<Storage, Throwing, Reuse::lowest>>();
    test.template operator()<Failing<Storage, Throwing, Reuse::lifo>>();
    test.template operator()<Failing<Storage, ThrowingCopy, Reuse::fifo>>();
}

} // namespace

TEMPLATE_TEST_CASE("an insert that throws at any step has no effect", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        strong<Map>(
            "insert", [](auto& scene) { put(scene.map, 77); }, 6);
        strong<Map>(
            "emplace", [](auto& scene) { put_in_place(scene.map, 77); }, 6);
        strong<Map>(
            "emplace_ref", [](auto& scene) { put_ref(scene.map, 77); }, 6);
        if constexpr (!is_soa<Map>)
            strong<Map>("insert", [](auto& scene) {
                if (scene.map.contains(scene.some())) scene.map.insert(scene.map[scene.some()]);
            });
    });
}

TEMPLATE_TEST_CASE("a try_insert that throws at any step has no effect, and one into a full map does not throw",
                   "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        strong<Map>(
            "try_insert", [](auto& scene) { try_put(scene.map, 77); }, 6);
        strong<Map>(
            "try_emplace", [](auto& scene) { try_put_in_place(scene.map, 77); }, 6);
        Scene<Map> scene(20);
        REQUIRE(scene.map.set_max_slots(23));
        while (!scene.map.full()) put(scene.map, 1);
        const auto before = contents(scene.map);
        const element_t<Map> value(1);
        const std::size_t calls = Budget::calls();
        REQUIRE(try_put_in_place(scene.map, 77).is_null());
        REQUIRE(Budget::calls() == calls); // no call that could throw
        REQUIRE(contents(scene.map) == before);
    });
}

TEMPLATE_TEST_CASE("reserve and reserve_handle that throw have no effect", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        strong<Map>(
            "reserve", [](auto& scene) { scene.map.reserve(20'000); }, 6); // more than the first commit of reserved memory
        strong<Map>("reserve_handle", [](auto& scene) { scene.map.reserve_handle(); });
    });
}

TEMPLATE_TEST_CASE("insert_at that throws has no effect, above the last slot too", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        using handle_type = typename Map::handle_type;
        for (const slot_t slot : {1u, 3u, 10u, 66u, 90u})
            strong<Map>("insert_at", [&](auto& scene) { put_at(scene.map, handle_type(slot, 5), 77); }, 1, {0, 20, 64});
    });
}

TEMPLATE_TEST_CASE("fulfill that throws leaves the handle reserved", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        strong<Map>("fulfill", [](auto& scene) {
            for (const auto handle : scene.reserved)
                if (handle == scene.reserved.back()) fulfill(scene.map, handle, 77);
        });
    });
}

TEMPLATE_TEST_CASE("erase_reserved and extract_reserved that throw leave the element", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        const auto erase = [](auto& scene) { scene.map.erase_reserved(scene.some()); };
        const auto extract = [](auto& scene) { static_cast<void>(scene.map.extract_reserved(scene.some())); };
        if constexpr (is_paged<Map> || std::is_nothrow_move_constructible_v<element_t<Map>>) {
            // The scene of five has no reservation yet: its bits are allocated.
            strong<Map>("erase_reserved", erase, 1, {5, 20, 64});
            strong<Map>("extract_reserved", extract, 1, {5, 20, 64});
        } else // as extract: what a swap that throws leaves half done is T's business
            for (const char* const function : {"erase_reserved", "extract_reserved"}) {
                const auto failures = fail_at_every_step(swept<Map>(function), [&](auto&& attempt) {
                    Scene<Map> scene(40), twin(40);
                    if (!attempt([&] { function[1] == 'r' ? erase(scene) : extract(scene); })) return;
                    REQUIRE((scene.map.contains(scene.some()) && scene.map.check_invariants()));
                    REQUIRE(futures(scene.map) == futures(twin.map));
                    Census::forget_errors();
                });
                REQUIRE(failures > 0);
            }
    });
}

TEMPLATE_TEST_CASE("shrink_to_fit that throws has no effect", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(swept<Map>("shrink_to_fit"), [](auto&& attempt) {
            Scene<Map> scenes[2]{Scene<Map>(200), Scene<Map>(200)};
            for (auto& scene : scenes)
                for (std::size_t i = 20; i != 200; ++i) scene.map.erase(scene.handles[(i * 7) % 200]);
            if (attempt([&] { scenes[0].map.shrink_to_fit(); })) {
                // The memory that is said to be there is there.
                const auto before = contents(scenes[0].map);
                std::vector<typename Map::handle_type> added;
                while (scenes[0].map.size() < scenes[0].map.capacity() - 2) added.push_back(put(scenes[0].map, 1));
                for (auto at = added.rbegin(); at != added.rend(); ++at) scenes[0].map.erase(*at);
                REQUIRE(contents(scenes[0].map) == before);
                REQUIRE(scenes[0].map.check_invariants());
            }
        });
        REQUIRE(failures > 0);
        const auto again = fail_at_every_step(swept<Map>("shrink_to_fit"), [](auto&& attempt) {
            Scene<Map> scene(200), twin(200);
            for (auto* s : {&scene, &twin})
                for (std::size_t i = 20; i != 200; ++i) s->map.erase(s->handles[(i * 7) % 200]);
            if (attempt([&] { scene.map.shrink_to_fit(); })) require_twins(scene, twin);
        });
        REQUIRE(again > 0);
    });
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("insert_with that throws costs its handle and nothing else", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        NothingLeaks objects;
        EveryByteReturned bytes;
        std::size_t seen_and_lost = 0;
        const auto failures = fail_at_every_step(swept<Map>("insert_with"), [&](auto&& attempt) {
            Scene<Map> scene(64);
            const auto before = contents(scene.map);
            typename Map::handle_type seen;
            if (!attempt([&] { put_with(scene.map, 77, [&](auto handle) { seen = handle, Budget::spend(); }); })) return;
            REQUIRE(contents(scene.map) == before);
            REQUIRE(scene.map.check_invariants());
            REQUIRE_FALSE(scene.map.contains(seen));
            const auto given = futures(scene.map);
            REQUIRE(std::find(given.begin(), given.end(), seen) == given.end());
            seen_and_lost += !seen.is_null();
        });
        REQUIRE(failures > 0);
        REQUIRE(seen_and_lost > 0);
    });
}
#endif

TEMPLATE_TEST_CASE("a copy that throws leaks nothing, an assignment that throws leaves the target as it was",
                   "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto copies = fail_at_every_step(swept<Map>("(copy)"), [](auto&& attempt) {
            Scene<Map> scene(80), twin(80);
            attempt([&] { Map copy(scene.map); });
            require_twins(scene, twin);
        });
        REQUIRE(copies > 60); // each element is copied
        const auto assignments = fail_at_every_step(swept<Map>("operator=(copy)"), [](auto&& attempt) {
            Scene<Map> scene(80), twin(80), source(30);
            if (attempt([&] { scene.map = source.map; })) require_twins(scene, twin);
        });
        REQUIRE(assignments > 20);
    });
}

TEMPLATE_TEST_CASE("a restore that throws leaves the map as it was", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto snapshot = Scene<Map>(30).map.snapshot(NumberCodec{});
        for (const bool by_try : {false, true}) {
            const auto failures = fail_at_every_step(swept<Map>(by_try ? "try_restore" : "restore"), [&](auto&& attempt) {
                Scene<Map> scene(80), twin(80);
                const bool threw = attempt([&] {
                    if (by_try)
                        static_cast<void>(scene.map.try_restore(snapshot, NumberCodec{}));
                    else
                        scene.map.restore(snapshot, NumberCodec{});
                });
                if (threw)
                    require_twins(scene, twin);
                else
                    REQUIRE(scene.map.snapshot(NumberCodec{}) == snapshot);
            });
            REQUIRE(failures > 20);
        }
    });
}

TEMPLATE_TEST_CASE("extract that throws leaves the element where it was", "[throwing][throws]", TESTED_STORAGE) {
    using Map = Failing<TestType, Throwing, Reuse::lowest>;
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<Map>("extract"), [](auto&& attempt) {
        Scene<Map> scene(40), twin(40);
        const auto handle = scene.handles[7];
        const auto size = scene.map.size();
        if (attempt([&] { scene.map.extract(handle); })) {
            REQUIRE(scene.map.size() == size);
            REQUIRE(scene.map.contains(handle));
            REQUIRE(scene.map.check_invariants());
            REQUIRE(futures(scene.map) == futures(twin.map));
            // A dense map swaps the row to the end first: what a throwing swap leaves half done there is T's business.
            if (!is_paged<Map>) Census::forget_errors();
        }
    });
    REQUIRE(failures > 0);
}

TEMPLATE_TEST_CASE("an observer that throws rolls the insert back for everyone", "[throwing][throws]", TESTED_STORAGE) {
    on_failing_maps<TestType>([]<class Map> {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const char* const functions[] = {"insert", "reserve", "insert_at", "fulfill", "insert_with"};
        std::size_t failures = 0;
        for (const int count : {0, 20, 64})
            for (int act = 0; act != 5; ++act)
                failures += fail_at_every_step(swept<Map>(functions[act]), [&](auto&& attempt) {
                    Scene<Map> scene(count), twin(count);
                    Follower first, second;
                    const auto one = scene.map.attach(first), two = scene.map.attach(second);
                    const bool threw = attempt([&] {
                        if (act == 0) put(scene.map, 77);
                        if (act == 1) scene.map.reserve(300);
                        if (act == 2) put_at(scene.map, typename Map::handle_type(90, 7), 77);
                        if (act == 3 && !scene.reserved.empty()) fulfill(scene.map, scene.reserved.back(), 77);
                        if (act == 4) put_with(scene.map, 77, [](auto) {});
                    });
                    INFO("act " << act << " elements " << count);
                    REQUIRE(second.follows(scene.map));
                    REQUIRE(first.live == second.live);
                    if (threw && act != 4) require_twins(scene, twin);
                });
        REQUIRE(failures > 30);
    });
}

TEMPLATE_TEST_CASE(
    "an observer that throws while it is attached is not attached, and was notified of the erase of the inserts before",
    "[throwing][throws]", TESTED_STORAGE) {
    using Map = Failing<TestType, Tracked, Reuse::lowest>;
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<Map>("attach"), [](auto&& attempt) {
        Scene<Map> scene(30), twin(30);
        Follower follower;
        ObserverToken token;
        if (attempt([&] { token = scene.map.attach(follower); })) {
            REQUIRE(follower.live.empty());
            REQUIRE(follower.sound);
            REQUIRE_FALSE(token.attached());
            put(scene.map, 1);
            REQUIRE(follower.live.empty());
            put(twin.map, 1);
            require_twins(scene, twin);
        } else
            REQUIRE(follower.follows(scene.map));
    });
    REQUIRE(failures > 20);
}

TEMPLATE_TEST_CASE("a walk over what was there that cannot begin changes nothing", "[throwing][throws]", TESTED_STORAGE) {
    using Map = Failing<TestType, Tracked, Reuse::lowest>;
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<Map>("items_present"), [](auto&& attempt) {
        Scene<Map> scene(30), twin(30);
        std::size_t visits = 0;
        const bool threw = attempt([&] {
            for (auto [handle, value] : scene.map.items_present()) visits += scene.map.contains(handle);
        });
        REQUIRE(visits == (threw ? 0 : scene.map.size()));
        require_twins(scene, twin);
    });
    REQUIRE(failures == 1); // the bits; the list of observers is not of this allocator
}

#if !defined(TESTED_STORAGE_HAS_NO_OBSERVERS) // a SoaSlotMap takes dynamic observers only
#if defined(__cpp_exceptions)                 // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("static observers that throw roll the insert back too", "[throwing][throws]", TESTED_STORAGE) {
    using Map = typename TestType::template map<Throwing, SlotMapOptions{}, ThrowingAllocator<Throwing>, StaticLogger<0, true>,
                                                ValueArray<Throwing, ThrowingAllocator<Throwing>>, StaticLogger<1, true>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t failures = 0, rolled_back = 0;
    for (const int count : {0, 20, 64})
        failures += fail_at_every_step(swept<Map>("insert"), [&](auto&& attempt) {
            Scene<Map> scene(count), twin(count);
            EventLog::take();
            if (!attempt([&] { put(scene.map, 77); })) return;
            std::vector<std::string> told;
            for (const auto& event : EventLog::take()) {
                if (event.find("insert") != event.npos) told.push_back(event.substr(0, 2));
                if (event.find("erase") != event.npos) {
                    REQUIRE(!told.empty());
                    REQUIRE(told.back() == event.substr(0, 2)); // in reverse order
                    told.pop_back();
                    ++rolled_back;
                }
            }
            REQUIRE(told.empty());
            require_twins(scene, twin);
        });
    REQUIRE(failures > 10);
    REQUIRE(rolled_back > 0);
}
#endif
#endif
