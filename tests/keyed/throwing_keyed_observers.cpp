// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Observers of keyed containers that throw in on_capacity and on_insert, fresh and resurrected, static and dynamic.
#include "scene.hpp"

#include <memory>

using namespace test;

namespace {

using FollowedSet = FailingSet<Throwing, at_once>;
using FollowedDeferredSet = FailingSet<ThrowingCopy, deferred>;
using FollowedNumbers = FailingSet<int, deferred_fifo>;
using FollowedMap = FailingMap<Throwing, Throwing, at_once>;
using FollowedDeferredMap = FailingMap<int, Throwing, deferred>;
using FollowedPlainMap = FailingMap<int, int, at_once>;

#define FOLLOWED FollowedSet, FollowedDeferredSet, FollowedNumbers, FollowedMap, FollowedDeferredMap, FollowedPlainMap

/// Spends the budget in its hooks and keeps count of who it was notified of.
template <int N>
struct StaticFollower {
    KeyFollower follower{};
    void on_capacity(slot_t from, slot_t to) { follower.on_capacity(from, to); }
    void on_insert(slot_t slot, InsertKind kind) { follower.on_insert(slot, kind); }
    void on_remove(slot_t slot) noexcept { follower.on_remove(slot); }
    void on_erase(slot_t slot) noexcept { follower.on_erase(slot); }
    template <class C>
    bool follows(const C& c) const {
        return follower.follows(c);
    }
};

using StaticSet =
    FailingSet<Throwing, deferred, StaticFollower<0>, ValueArray<Throwing, ThrowingAllocator<Throwing>>, StaticFollower<1>>;
using StaticMap =
    FailingMap<ThrowingCopy, Throwing, deferred, StaticFollower<0>, ValueArray<int, ThrowingAllocator<int>>, StaticFollower<1>>;
using StaticMapAtOnce = FailingMap<int, int, at_once, StaticFollower<0>, StaticFollower<1>>;
template <class C>
inline constexpr std::size_t second_follower = std::is_same_v<C, StaticMapAtOnce> ? 1 : 2;

template <class C>
slot_t only_seven_pending(C& c) {
    c.flush_removed();
    const slot_t slot = c.slot_of(typename C::key_type(7));
    leave(c, 7);
    return slot;
}

/// Key 7, which is removed, comes back while observers throw at each step: {how often it was kept, erased}. watch(c) gives what
/// observes c and says whether it follows.
template <class C, class Watch>
std::pair<int, int> resurrect_seven(Watch watch) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    int kept = 0, erased = 0;
    fail_at_every_step(swept<C>(is_keyed_map<C> ? "try_emplace" : "insert"), [&](auto&& attempt) {
        KeyScene<C> scene(20), twin(20);
        const slot_t slot = only_seven_pending(scene.c);
        only_seven_pending(twin.c);
        const auto observers = watch(scene.c);
        const bool threw = attempt([&] { enter(scene.c, 7); });
        REQUIRE(observers->follow(scene.c));
        if (!threw) {
            REQUIRE(scene.c.state(slot) == SlotState::live);
            REQUIRE(scene.c.check_invariants());
            return;
        }
        if (scene.c.state(slot) == SlotState::pending)
            ++kept;
        else {
            ++erased;
            twin.c.flush_removed();
        }
        require_twins(scene, twin);
    });
    return {kept, erased};
}
template <class C>
struct TwoDynamic {
    explicit TwoDynamic(C& c) : one(c.attach(first)), two(c.attach(second)) {}
    bool follow(const C& c) const { return first.follows(c) && second.follows(c); }
    KeyFollower first{}, second{};
    ObserverToken one, two;
};
template <class C>
struct TwoStatic {
    explicit TwoStatic(C&) {}
    bool follow(const C& c) const {
        return c.template observer<0>().follows(c) && c.template observer<second_follower<C>>().follows(c);
    }
};

} // namespace

TEMPLATE_TEST_CASE("a dynamic observer that throws rolls the insert or the growth back for everyone", "[throwing][throws]",
                   FOLLOWED) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t failures = 0;
    for (const int count : {0, 20, 64, 67})
        for (int act = 0; act != 3; ++act)
            failures += fail_at_every_step(swept<TestType>(act == 1                 ? "reserve"
                                                           : is_keyed_map<TestType> ? "try_emplace"
                                                                                    : "insert"),
                                           [&](auto&& attempt) {
                                               KeyScene<TestType> scene(count), twin(count);
                                               KeyFollower first, second, third;
                                               const auto one = scene.c.attach(first), two = scene.c.attach(second),
                                                          three = scene.c.attach(third);
                                               const bool threw = attempt([&] {
                                                   if (act == 0) enter(scene.c, 777);
                                                   if (act == 1) scene.c.reserve(300);
                                                   if (act == 2) enter(scene.c, 0);
                                               });
                                               INFO("act " << act << " elements " << count);
                                               REQUIRE(first.follows(scene.c));
                                               REQUIRE(second.follows(scene.c));
                                               REQUIRE(third.follows(scene.c));
                                               if (!threw) return;
                                               require_twins(scene, twin);
                                               REQUIRE(first.follows(scene.c)); // of all that the comparison did
                                               REQUIRE(third.follows(scene.c));
                                           });
    REQUIRE(failures > 50);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE(
    "a dynamic observer that throws during a resurrection: the removed element stays, or is erased for all observers",
    "[throwing][throws]", FollowedDeferredSet, FollowedNumbers, FollowedDeferredMap) {
    const auto [kept, erased] =
        resurrect_seven<TestType>([](TestType& c) { return std::make_unique<TwoDynamic<TestType>>(c); });
    REQUIRE(kept > 1);
    REQUIRE(erased > 1); // each of the two observers
}
#endif

TEMPLATE_TEST_CASE(
    "a dynamic observer that throws while it is attached is not attached, and was notified of the erase of the inserts before",
    "[throwing][throws]", FOLLOWED) {
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<TestType>("attach"), [](auto&& attempt) {
        KeyScene<TestType> scene(30), twin(30);
        KeyFollower follower;
        ObserverToken token;
        if (attempt([&] { token = scene.c.attach(follower); })) {
            REQUIRE(follower.known.empty());
            REQUIRE(follower.sound);
            REQUIRE_FALSE(token.attached());
            enter(scene.c, 555);
            REQUIRE(follower.known.empty());
            enter(twin.c, 555);
            require_twins(scene, twin);
        } else
            REQUIRE(follower.follows(scene.c));
    });
    REQUIRE(failures > 20);
}

TEMPLATE_TEST_CASE("a walk over the keys that were there, which cannot begin, changes nothing", "[throwing][throws]",
                   FOLLOWED) {
    if constexpr (requires(TestType& c) { c.items_present(); }) {
        NothingLeaks objects;
        const auto failures = fail_at_every_step(swept<TestType>("items_present"), [](auto&& attempt) {
            KeyScene<TestType> scene(30), twin(30);
            std::size_t visits = 0;
            const bool threw = attempt([&] {
                auto present = scene.c.items_present();
                for (auto it = present.begin(); it != present.end(); ++it) visits += !scene.c.handle_at(it.slot()).is_null();
            });
            REQUIRE(visits == (threw ? 0 : scene.c.size()));
            require_twins(scene, twin);
        });
        REQUIRE(failures == 1); // the bits; the list of observers is not of this allocator
    }
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("a dynamic observer that throws while its container takes other contents leaves it empty or untouched",
                   "[throwing][throws]", FOLLOWED) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto snapshot = KeyScene<TestType>(30).c.snapshot(NumberCodec{});
    for (const bool by_restore : {false, true}) {
        std::size_t emptied = 0;
        const auto failures =
            fail_at_every_step(swept<TestType>(by_restore ? "restore" : "operator=(copy)"), [&](auto&& attempt) {
                KeyScene<TestType> scene(20), twin(20), source(30);
                KeyFollower first, second;
                const auto one = scene.c.attach(first), two = scene.c.attach(second);
                const bool threw = attempt([&] {
                    if (by_restore)
                        scene.c.restore(snapshot, NumberCodec{});
                    else
                        scene.c = source.c;
                });
                REQUIRE(scene.c.check_invariants());
                if (!threw) {
                    REQUIRE(first.follows(scene.c)); // pending elements too
                    REQUIRE(second.follows(scene.c));
                    REQUIRE(state_of(scene.c) == state_of(source.c));
                    scene.c.flush_removed();
                    scene.c.clear();
                    scene.c.flush_removed();
                    REQUIRE(first.follows(scene.c));
                    return;
                }
                if (scene.c.empty()) {
                    ++emptied;
                    REQUIRE(scene.c.pending() == 0);
                    for (const auto handle : scene.handles) REQUIRE_FALSE(scene.c.contains(handle));
                    enter(scene.c, 1);
                    REQUIRE(scene.c.check_invariants());
                } else {
                    REQUIRE(first.follows(scene.c));
                    require_twins(scene, twin);
                }
            });
        REQUIRE(failures > 20);
        REQUIRE(emptied > 20);
    }
}
#endif

TEMPLATE_TEST_CASE("static observers that throw roll the insert back for everyone", "[throwing][throws]", StaticSet, StaticMap,
                   StaticMapAtOnce) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    constexpr std::size_t last = second_follower<TestType>;
    std::size_t failures = 0;
    for (const int count : {0, 20, 64})
        for (int act = 0; act != 2; ++act)
            failures += fail_at_every_step(swept<TestType>(act == 1                 ? "reserve"
                                                           : is_keyed_map<TestType> ? "try_emplace"
                                                                                    : "insert"),
                                           [&](auto&& attempt) {
                                               KeyScene<TestType> scene(count), twin(count);
                                               const bool threw = attempt([&] {
                                                   if (act == 0) enter(scene.c, 777);
                                                   if (act == 1) scene.c.reserve(300);
                                               });
                                               REQUIRE(scene.c.template observer<0>().follows(scene.c));
                                               REQUIRE(scene.c.template observer<last>().follows(scene.c));
                                               if (threw) require_twins(scene, twin);
                                           });
    REQUIRE(failures > 30);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE(
    "static observers that throw during a resurrection: the removed element stays, or is erased for all observers",
    "[throwing][throws]", StaticSet, StaticMap) {
    const auto [kept, erased] = resurrect_seven<TestType>([](TestType& c) { return std::make_unique<TwoStatic<TestType>>(c); });
    REQUIRE(kept > 0);
    REQUIRE(erased > 1);
}
#endif

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("observers notified of an insert that is rolled back get on_erase in reverse order", "[throwing][throws]") {
    using Map = FailingMap<Throwing, Throwing, deferred, StaticLogger<0, true>, StaticLogger<1, true>>;
    NothingLeaks objects;
    std::size_t rolled_back = 0;
    for (const bool again : {false, true})
        for (const int count : {0, 20, 64})
            fail_at_every_step(swept<Map>("try_emplace"), [&](auto&& attempt) {
                KeyScene<Map> scene(count);
                LoggingObserver first("d0", true), second("d1", true);
                const auto one = scene.c.attach(first), two = scene.c.attach(second);
                EventLog::take();
                if (!attempt([&] { enter(scene.c, again ? 5 : 777); })) return;
                // A fresh one is erased for those told, a resurrected one for all, because all knew it.
                const bool all = again && count >= 20;
                std::vector<std::string> told, erased;
                for (const auto& event : EventLog::take()) {
                    if (event.find("insert") != event.npos) told.push_back(event.substr(0, 2));
                    if (event.find("erase") != event.npos) erased.push_back(event.substr(0, 2));
                }
                // What throws before the old value is given up tells nobody.
                if (all && !erased.empty()) told = {"s0", "s1", "d0", "d1"};
                std::reverse(told.begin(), told.end());
                REQUIRE(erased == told);
                rolled_back += erased.size();
            });
    REQUIRE(rolled_back > 20);
    EventLog::take();
}
#endif
