// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage: a throw at every step of every operation, by hash, equality, key, column or allocator. Afterwards the set is as it
// was, future handles included, and nothing leaked. Maps are in throwing_keyed_map.cpp, observers in throwing_keyed_observers.cpp.
#include "scene.hpp"

using namespace test;

namespace {

// Keys whose moves throw, keys whose moves do not, and keys that are trivial (where hash, equality and allocator throw).
using ThrowingKeys = FailingSet<Throwing, at_once>;
using CopiedKeys = FailingSet<ThrowingCopy, deferred>;
using Numbers = FailingSet<int, deferred_fifo>;
using WithColumn = FailingSet<Throwing, deferred, ValueArray<Throwing, ThrowingAllocator<Throwing>>>;

#define FAILING_SETS ThrowingKeys, CopiedKeys, Numbers, WithColumn

} // namespace

// proves: KeySet::insert throws, KeySet::emplace throws, table KeySet / MapStorage insert / exceptions
TEMPLATE_TEST_CASE("a set's insert that throws at any step has no effect", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    strong<TestType>(
        "insert", [](auto& scene) { scene.c.insert(Key(777)); }, 10);
    strong<TestType>(
        "insert",
        [](auto& scene) {
            const Key key(777);
            scene.c.insert(key);
        },
        10);
    strong<TestType>(
        "emplace", [](auto& scene) { scene.c.emplace(777); }, 10);
    strong<TestType>("insert", [](auto& scene) { // more than one growth of slots and index
        const int n = 1000 + static_cast<int>(scene.c.size());
        scene.c.insert(Key(n));
    });
}

// proves: KeySet::insert throws
TEMPLATE_TEST_CASE("a set's insert of a member has no effect, whether it throws or not", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("insert"), [](auto&& attempt) {
        KeyScene<TestType> scene(20), twin(20);
        InsertResult result{};
        if (!attempt([&] { result = scene.c.insert(Key(7)); })) {
            REQUIRE_FALSE(result.inserted);
            REQUIRE(result.slot == 7);
        }
        require_twins(scene, twin);
    });
    REQUIRE(failures > 1);
}

// proves: KeySet::contains throws, KeyStore::hash throws
TEMPLATE_TEST_CASE("lookups that throw have no effect", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    for (const int n : {4, 5, 777}) {
        const auto failures = fail_at_every_step([&](auto&& attempt) {
            KeyScene<TestType> scene(20), twin(20);
            attempt([&] {
                const Key key(n);
                const auto& c = scene.c;
                const bool there = c.contains(key);
                if ((c.find(key) != c.end()) != there || (c.slot_of(key) != no_slot) != there ||
                    c.handle_of(key).is_null() == there)
                    FAIL("lookups disagree");
                static_cast<void>(c.slot_of_any(key));
            });
            require_twins(scene, twin);
        });
        REQUIRE(failures > 3);
    }
}

// proves: KeySet::erase(key) throws, KeySet::extract throws, table KeySet / MapStorage erase(key) / exceptions
TEMPLATE_TEST_CASE("a set's erase and extract that throw erase nothing", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    for (const int n : {0, 7, 12}) {
        strong<TestType>("erase", [&](auto& scene) { scene.c.erase(Key(n)); }, 2, {20, 67});
        strong<TestType>("extract", [&](auto& scene) { scene.c.extract(Key(n)); }, 2, {20, 67});
    }
}

TEMPLATE_TEST_CASE("a set's erase_if whose predicate throws has erased what it said and nothing else", "[throwing][throws]",
                   FAILING_SETS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("erase_if"), [](auto&& attempt) {
        KeyScene<TestType> scene(40), twin(40);
        std::vector<typename TestType::handle_type> said;
        attempt([&] {
            scene.c.erase_if([&](auto handle, const auto& key) {
                Budget::spend();
                if (number(key) % 3 != 0) return false;
                said.push_back(handle);
                return true;
            });
        });
        for (const auto handle : said) REQUIRE(twin.c.erase(handle));
        require_twins(scene, twin);
    });
    REQUIRE(failures > 30);
}

// proves: KeySetCore::reserve throws, KeySetCore::shrink_to_fit throws, table KeySet / MapStorage reserve / exceptions
// proves: table KeySet / MapStorage shrink_to_fit / exceptions
TEMPLATE_TEST_CASE("a set's reserve and shrink_to_fit that throw have no effect", "[throwing][throws]", FAILING_SETS) {
    strong<TestType>(
        "reserve", [](auto& scene) { scene.c.reserve(5'000); }, 6);
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("shrink_to_fit"), [](auto&& attempt) {
        KeyScene<TestType> scene(300), twin(300);
        for (auto* s : {&scene, &twin}) {
            for (std::size_t i = 20; i != 300; ++i) s->c.erase(s->handles[(i * 7) % 300]);
            s->c.flush_removed();
        }
        if (attempt([&] { scene.c.shrink_to_fit(); })) require_twins(scene, twin);
    });
    REQUIRE(failures > 0);
}

// proves: KeySetCore::KeySetCore(other) throws, table copy / exceptions
TEMPLATE_TEST_CASE("a set's copy that throws leaks nothing, an assignment that throws leaves the target as it was",
                   "[throwing][throws]", FAILING_SETS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto copies = fail_at_every_step(swept<TestType>("(copy)"), [](auto&& attempt) {
        KeyScene<TestType> scene(80), twin(80);
        attempt([&] { TestType copy(scene.c); });
        require_twins(scene, twin);
    });
    REQUIRE(copies > 5);
    const auto assignments = fail_at_every_step(swept<TestType>("operator=(copy)"), [](auto&& attempt) {
        KeyScene<TestType> scene(80), twin(80), source(30), source_twin(30), untouched(30);
        if (attempt([&] { scene.c = source.c; }))
            require_twins(scene, twin);
        else
            require_twins(scene, source_twin);
        require_twins(source, untouched);
    });
    REQUIRE(assignments > 5);
}

// proves: KeySet::restore throws, KeySet::try_restore throws, DirectorySnapshot::read throws
TEMPLATE_TEST_CASE("a set's restore that throws leaves it as it was", "[throwing][throws]", FAILING_SETS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto snapshot = KeyScene<TestType>(30).c.snapshot(NumberCodec{});
    for (const bool by_try : {false, true}) {
        const auto failures = fail_at_every_step(swept<TestType>(by_try ? "try_restore" : "restore"), [&](auto&& attempt) {
            KeyScene<TestType> scene(80), twin(80);
            const bool threw = attempt([&] {
                if (by_try)
                    static_cast<void>(scene.c.try_restore(snapshot, NumberCodec{}));
                else
                    scene.c.restore(snapshot, NumberCodec{});
            });
            if (threw)
                require_twins(scene, twin);
            else
                REQUIRE(scene.c.snapshot(NumberCodec{}) == snapshot);
        });
        REQUIRE(failures > 20);
    }
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
// proves: KeySet::KeySet throws
TEMPLATE_TEST_CASE("a set made of a list or a range leaks nothing when that throws", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::vector<Key> keys;
    for (const int n : {3, 1, 4, 1, 5, 9, 2, 6}) keys.emplace_back(n);
    const auto failures = fail_at_every_step(swept<TestType>("(...)"), [&](auto&& attempt) {
        attempt([&] {
            const TestType set(keys.begin(), keys.end());
            if (set.size() != 7) FAIL("a key is missing");
        });
        attempt([&] { const TestType set{Key(3), Key(1), Key(4), Key(1)}; });
    });
    REQUIRE(failures > 20);
}
#endif

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
// proves: SetStorage::merge throws
TEMPLATE_TEST_CASE("a set's merge that throws leaves each key in one of the two sets", "[throwing][throws]", FAILING_SETS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t taken = 0;
    const auto failures = fail_at_every_step(swept<TestType>("merge"), [&](auto&& attempt) {
        KeyScene<TestType> scene(20);
        TestType other;
        for (int n = 10; n != 40; ++n) enter(other, n);
        const std::size_t before = scene.c.size();
        std::map<int, bool> all;
        for (int n = 0; n != 40; ++n) all[n] = has(scene.c, n) || has(other, n);
        const bool threw = attempt([&] { scene.c.merge(other); });
        REQUIRE(scene.c.check_invariants());
        REQUIRE(other.check_invariants());
        for (int n = 0; n != 40; ++n) {
            CAPTURE(n);
            REQUIRE((has(scene.c, n) || has(other, n)) == all[n]);
            if (n >= 20) REQUIRE(has(scene.c, n) != has(other, n));
            if (!threw) REQUIRE(has(scene.c, n) == all[n]);
        }
        taken += threw && scene.c.size() > before;
    });
    REQUIRE(failures > 30);
    REQUIRE(taken > 0); // failed half way, not only at the start
}
#endif

// proves: SetStorage::includes throws
TEMPLATE_TEST_CASE("comparing sets that throws has no effect", "[throwing][throws]", FAILING_SETS) {
    NothingLeaks objects;
    const auto failures = fail_at_every_step([](auto&& attempt) {
        KeyScene<TestType> scene(20), twin(20);
        attempt([&] {
            if (!(scene.c == twin.c) || !scene.c.includes(twin.c)) FAIL("they are equal");
        });
        require_twins(scene, twin);
    });
    REQUIRE(failures > 20);
}

TEST_CASE("a resurrection whose hash or equality throws leaves the key pending", "[throwing][throws]") {
    using Key = ThrowingCopy;
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<CopiedKeys>("insert"), [](auto&& attempt) {
        KeyScene<CopiedKeys> scene(20), twin(20);
        const slot_t slot = scene.c.slot_of_any(Key(5));
        REQUIRE(scene.c.state(slot) == SlotState::pending);
        InsertResult result{};
        const Key key(5);
        if (attempt([&] { result = scene.c.insert(key); }))
            require_twins(scene, twin);
        else {
            REQUIRE((result.inserted && result.slot == slot && result.kind == InsertKind::resurrected));
            REQUIRE(scene.c.check_invariants());
        }
    });
    REQUIRE(failures == 2); // one hash, one comparison: the key stays where it is, so nothing else can fail
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
// proves: table KeySet / MapStorage insert / exceptions
TEST_CASE("a set whose column throws while a pending key is resurrected keeps it, or erases it for good",
          "[throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t kept = 0, erased = 0;
    const auto failures = fail_at_every_step(swept<WithColumn>("insert"), [&](auto&& attempt) {
        KeyScene<WithColumn> scene(20), twin(20);
        // Only the element in question is pending, so that the twin can be made to forget it by a flush.
        for (auto* s : {&scene, &twin}) {
            s->c.flush_removed();
            leave(s->c, 7);
        }
        const slot_t slot = scene.c.slot_of_any(Throwing(7));
        scene.c.observer<0>()[slot].set(-7);
        InsertResult result{};
        const Throwing key(7);
        if (!attempt([&] { result = scene.c.insert(key); })) {
            REQUIRE((result.slot == slot && result.kind == InsertKind::resurrected));
            REQUIRE(scene.c.observer<0>()[slot].value() == 0); // a fresh value
            REQUIRE(scene.c.check_invariants());
            return;
        }
        if (scene.c.state(slot) == SlotState::pending) {
            ++kept;
            REQUIRE(scene.c.observer<0>()[slot].value() == -7);
        } else {
            ++erased;
            twin.c.flush_removed();
        }
        require_twins(scene, twin);
    });
    REQUIRE(failures > 3);
    REQUIRE(kept > 0);
    REQUIRE(erased > 0);
}
#endif
