// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage and MapStorage: a throw at every step of every operation, by hash, equality, key, value, column or allocator.
// Afterwards the container is as it was, future handles included, and nothing leaked. Observers are in
// throwing_keyed_observers.cpp.
#include "scene.hpp"

using namespace test;

namespace {

// Keys whose moves throw, keys whose moves do not, and keys that are trivial (where hash, equality and allocator throw).
using ThrowingKeys = FailingSet<Throwing, at_once>;
using CopiedKeys = FailingSet<ThrowingCopy, deferred>;
using Numbers = FailingSet<int, deferred_fifo>;
using WithColumn = FailingSet<Throwing, deferred, ValueArray<Throwing, ThrowingAllocator<Throwing>>>;

#define FAILING_SETS ThrowingKeys, CopiedKeys, Numbers, WithColumn

using ThrowingMap = FailingMap<Throwing, Throwing, at_once>;
using CopiedMap = FailingMap<ThrowingCopy, ThrowingCopy, deferred>;
using NumberMap = FailingMap<int, Throwing, deferred_fifo>;
using NumbersMap = FailingMap<int, int, at_once>;

#define FAILING_MAPS ThrowingMap, CopiedMap, NumberMap, NumbersMap

/// Values that cannot be moved, so that an old one is gone before a new one is built in its place.
using FixedMap = FailingMap<Throwing, ThrowingNonMovable, deferred>;

} // namespace

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

TEMPLATE_TEST_CASE("a set's insert of a member has no effect, whether it throws or not", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("insert"), [](auto&& attempt) {
        KeyScene<TestType> scene(20), twin(20);
        decltype(scene.c.insert(std::declval<const Key&>())) result{};
        if (!attempt([&] { result = scene.c.insert(Key(7)); })) {
            REQUIRE_FALSE(result.inserted);
            REQUIRE(result.it.slot() == 7);
        }
        require_twins(scene, twin);
    });
    REQUIRE(failures > 1);
}

TEMPLATE_TEST_CASE("lookups that throw have no effect", "[throwing][throws]", FAILING_SETS, FAILING_MAPS) {
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
                if (there != (n == 4)) FAIL("wrong answer");
                if constexpr (is_keyed_map<TestType>)
                    if ((c.get(key) != nullptr) != there || (scene.c.find(key) != scene.c.end()) != there ||
                        (there && &c.at(key) != c.get(key)))
                        FAIL("lookups of values disagree");
            });
            require_twins(scene, twin);
        });
        REQUIRE(failures > 3);
    }
}

TEMPLATE_TEST_CASE("erase and extract that throw erase nothing, and leave key and value where they were", "[throwing][throws]",
                   FAILING_SETS, FAILING_MAPS) {
    using Key = typename TestType::key_type;
    for (const int n : {0, 7, 12}) {
        strong<TestType>("erase", [&](auto& scene) { scene.c.erase(Key(n)); }, 2, {20, 67});
        strong<TestType>("extract", [&](auto& scene) { scene.c.extract(Key(n)); }, 2, {20, 67});
    }
}

TEMPLATE_TEST_CASE("erase_reserved and extract_reserved that throw erase nothing", "[throwing][throws]", FAILING_SETS,
                   FAILING_MAPS) {
    using Key = typename TestType::key_type;
    for (const int n : {0, 7, 12}) {
        strong<TestType>("erase_reserved", [&](auto& scene) { scene.c.erase_reserved(scene.c.handle_of(Key(n))); }, 2,
                         {20, 67});
        strong<TestType>("extract_reserved",
                         [&](auto& scene) { static_cast<void>(scene.c.extract_reserved(scene.c.handle_of(Key(n)))); }, 2,
                         {20, 67});
    }
}

TEMPLATE_TEST_CASE("a fulfill that throws leaves the handle reserved and the key absent", "[throwing][throws]", FAILING_SETS,
                   FAILING_MAPS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("fulfill"), [](auto&& attempt) {
        KeyScene<TestType> scene(20);
        const auto kept = scene.c.handle_of(Key(7));
        REQUIRE(scene.c.erase_reserved(kept));
        const auto act = [&] {
            if constexpr (requires { typename TestType::mapped_type; })
                return scene.c.fulfill(kept, Key(7), 77) != nullptr;
            else
                return scene.c.fulfill(kept, Key(7)) != nullptr;
        };
        if (!attempt([&] { static_cast<void>(act()); })) return;
        REQUIRE(scene.c.explain(kept) == HandleStatus::reserved);
        REQUIRE_FALSE(scene.c.contains(Key(7)));
        REQUIRE(scene.c.check_invariants());
        REQUIRE(act());
        REQUIRE(scene.c.handle_of(Key(7)) == kept);
        REQUIRE(scene.c.check_invariants());
    });
    REQUIRE(failures > 0);
}

TEMPLATE_TEST_CASE("erase_if whose predicate throws has erased what it said and nothing else", "[throwing][throws]",
                   FAILING_SETS, FAILING_MAPS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("erase_if"), [](auto&& attempt) {
        KeyScene<TestType> scene(40), twin(40);
        std::vector<typename TestType::handle_type> said;
        attempt([&] {
            const auto goes = [&](auto handle, const auto& key) {
                Budget::spend();
                if (number(key) % 3 != 0) return false;
                said.push_back(handle);
                return true;
            };
            if constexpr (is_keyed_map<TestType>)
                scene.c.erase_if([&](auto handle, const auto& key, const auto& value) {
                    if (number(value) != 10 * number(key)) FAIL("key and value of different elements");
                    return goes(handle, key);
                });
            else
                scene.c.erase_if(goes);
        });
        for (const auto handle : said) REQUIRE(twin.c.erase(handle));
        require_twins(scene, twin);
    });
    REQUIRE(failures > 30);
}

TEMPLATE_TEST_CASE("reserve and shrink_to_fit that throw have no effect", "[throwing][throws]", FAILING_SETS, FAILING_MAPS) {
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

TEMPLATE_TEST_CASE("a copy that throws leaks nothing, an assignment that throws leaves the target as it was",
                   "[throwing][throws]", FAILING_SETS, FAILING_MAPS) {
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
    REQUIRE(assignments > 4); // the directory, keys, values, index and a function that throws
}

TEMPLATE_TEST_CASE("a restore that throws leaves a set or map as it was", "[throwing][throws]", FAILING_SETS, FAILING_MAPS) {
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
    REQUIRE(failures > 12); // two sets of three allocations and up to twelve keys
}
#endif

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("a merge that throws leaves each element in one of the two sets or maps", "[throwing][throws]", FAILING_SETS,
                   FAILING_MAPS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t taken = 0;
    const auto failures = fail_at_every_step(swept<TestType>("merge"), [&](auto&& attempt) {
        KeyScene<TestType> scene(20);
        TestType other;
        const auto come = [](TestType& c, int n, [[maybe_unused]] int value) {
            if constexpr (is_keyed_map<TestType>)
                c.try_emplace(typename TestType::key_type(n), value);
            else
                enter(c, n);
        };
        for (int n = 10; n != 40; ++n) come(other, n, 1000 + n);
        const std::size_t before = scene.c.size();
        std::map<int, bool> all, here;
        for (int n = 0; n != 40; ++n) all[n] = (here[n] = has(scene.c, n)) || has(other, n);
        const bool threw = attempt([&] { scene.c.merge(other); });
        REQUIRE(scene.c.check_invariants());
        REQUIRE(other.check_invariants());
        for (int n = 0; n != 40; ++n) {
            CAPTURE(n);
            REQUIRE((has(scene.c, n) || has(other, n)) == all[n]);
            if (n >= 20) REQUIRE(has(scene.c, n) != has(other, n));
            if (!threw) REQUIRE(has(scene.c, n) == all[n]);
            if constexpr (is_keyed_map<TestType>) {
                const typename TestType::key_type key(n);
                if (has(scene.c, n)) REQUIRE(number(scene.c.at(key)) == (here[n] ? 10 * n : 1000 + n));
                if (has(other, n)) REQUIRE(number(other.at(key)) == 1000 + n);
            }
        }
        taken += threw && scene.c.size() > before;
    });
    REQUIRE(failures > 30);
    REQUIRE(taken > 0); // failed half way, not only at the start
}
#endif

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
        decltype(scene.c.insert(std::declval<const Key&>())) result{};
        const Key key(5);
        if (attempt([&] { result = scene.c.insert(key); }))
            require_twins(scene, twin);
        else {
            REQUIRE((result.inserted && result.it.slot() == slot && result.kind == InsertKind::resurrected));
            REQUIRE(scene.c.check_invariants());
        }
    });
    REQUIRE(failures == 2); // one hash, one comparison: the key stays where it is, so nothing else can fail
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
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
        decltype(scene.c.insert(std::declval<const Throwing&>())) result{};
        const Throwing key(7);
        if (!attempt([&] { result = scene.c.insert(key); })) {
            REQUIRE((result.it.slot() == slot && result.kind == InsertKind::resurrected));
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

//=== values ===//

namespace {

/// Brings the scene to one pending element, key 7, whose value is -7.
template <class C>
slot_t only_seven_pending(C& c) {
    c.flush_removed();
    const slot_t slot = c.slot_of(typename C::key_type(7));
    if constexpr (std::is_class_v<typename C::mapped_type>)
        c.value(slot).set(-7);
    else
        c.value(slot) = -7;
    c.erase(c.handle_at(slot));
    return slot;
}

/// act(map), which calls `function`, resurrects key 7. Either it has no effect, or the removed element is erased for good; in
/// the second case the twin is made to forget it by a flush. Returns how often it was {kept, erased}.
template <class C, class Act>
std::pair<int, int> resurrect(const char* function, Act act, int expected) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    int kept = 0, erased = 0;
    fail_at_every_step(swept<C>(function), [&](auto&& attempt) {
        KeyScene<C> scene(20), twin(20);
        const slot_t slot = only_seven_pending(scene.c);
        only_seven_pending(twin.c);
        const auto* const address = &scene.c.value(slot);
        if (!attempt([&] { act(scene.c); })) {
            REQUIRE(scene.c.state(slot) == SlotState::live);
            REQUIRE(number(scene.c.key(slot)) == 7);
            REQUIRE(number(scene.c.value(slot)) == expected);
            REQUIRE(&scene.c.value(slot) == address);
            REQUIRE(scene.c.check_invariants());
            return;
        }
        if (scene.c.state(slot) == SlotState::pending) {
            ++kept;
            REQUIRE(number(scene.c.value(slot)) == -7);
        } else {
            ++erased;
            twin.c.flush_removed();
        }
        require_twins(scene, twin);
    });
    return {kept, erased};
}

} // namespace

TEMPLATE_TEST_CASE("a map's insert that throws at any step has no effect", "[throwing][throws]", FAILING_MAPS) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    strong<TestType>(
        "try_emplace", [](auto& scene) { scene.c.try_emplace(Key(777), 5); }, 10);
    strong<TestType>(
        "emplace", [](auto& scene) { scene.c.emplace(Key(777), 5); }, 10);
    strong<TestType>(
        "insert",
        [](auto& scene) {
            const Key key(777);
            const T value(5);
            scene.c.insert(key, value);
        },
        10);
    strong<TestType>(
        "insert_or_assign", [](auto& scene) { scene.c.insert_or_assign(Key(777), T(5)); }, 10);
    strong<TestType>(
        "operator[]", [](auto& scene) { scene.c[Key(777)]; }, 10);
}

TEMPLATE_TEST_CASE("a map's insert of a member has no effect, whether it throws or not", "[throwing][throws]", FAILING_MAPS) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const char* const functions[] = {"try_emplace", "insert", "emplace", "operator[]"};
    for (int act = 0; act != 4; ++act) {
        const auto failures = fail_at_every_step(swept<TestType>(functions[act]), [&](auto&& attempt) {
            KeyScene<TestType> scene(20), twin(20);
            attempt([&] {
                if (act == 0 && scene.c.try_emplace(Key(7), 5).inserted) FAIL("it was there");
                if (act == 1 && scene.c.insert(Key(7), T(5)).inserted) FAIL("it was there");
                if (act == 2 && scene.c.emplace(Key(7), 5).inserted) FAIL("it was there");
                if (act == 3 && number(scene.c[Key(7)]) != 70) FAIL("another value");
            });
            require_twins(scene, twin);
        });
        REQUIRE(failures > 1);
    }
}

TEMPLATE_TEST_CASE("insert_or_assign to a member that throws leaves the old value", "[throwing][throws]", FAILING_MAPS) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    NothingLeaks objects;
    for (const bool copies : {false, true}) {
        const auto failures = fail_at_every_step(swept<TestType>("insert_or_assign"), [&](auto&& attempt) {
            KeyScene<TestType> scene(20), twin(20);
            const Key key(7);
            const bool threw = attempt([&] {
                T value(5);
                if (copies)
                    scene.c.insert_or_assign(key, std::as_const(value));
                else
                    scene.c.insert_or_assign(key, std::move(value));
            });
            if (!threw) {
                REQUIRE(number(scene.c.at(key)) == 5);
                scene.c.at(key) = T(70);
            }
            require_twins(scene, twin);
        });
        REQUIRE(failures > 1);
    }
}

TEST_CASE("extract whose value cannot be moved out leaves the key too, where the key's move does not throw",
          "[throwing][throws]") {
    // std::string-like key, value that throws: what is taken first must not be lost when the second fails.
    using Map = FailingMap<Tracked, Throwing, at_once>;
    strong<Map>("extract", [](auto& scene) { scene.c.extract(Tracked(7)); }, 3, {20});
}

TEST_CASE("merge of values that can only be moved and may throw loses no key", "[throwing][throws]") {
    // The key could be copied or moved without a throw: when the value's move throws, the key must still be where it was.
    // Without a default constructor no hook of the value's column can throw, so that its move is all that can.
    struct Made : ThrowingMoveOnly {
        Made() = delete;
        using ThrowingMoveOnly::ThrowingMoveOnly;
    };
    using Map = FailingMap<Tracked, Made, at_once>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>("merge"), [&](auto&& attempt) {
        Map target, other;
        for (int n = 0; n != 8; ++n) enter(other, n);
        attempt([&] { target.merge(other); });
        REQUIRE(target.check_invariants());
        REQUIRE(other.check_invariants());
        for (int n = 0; n != 8; ++n) {
            REQUIRE(has(target, n) != has(other, n));
            REQUIRE(number((has(target, n) ? target : other).at(Tracked(n))) == 10 * n);
        }
    });
    REQUIRE(failures > 8);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("resurrection in a map that throws keeps the removed element, or erases it for good", "[throwing][throws]",
                   CopiedMap, NumberMap) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    const auto [kept, erased] = resurrect<TestType>(
        "try_emplace", [](auto& map) { map.try_emplace(Key(7), 5); }, 5);
    REQUIRE(kept > 2);                                                 // hash, equality, the value's constructor
    REQUIRE((erased > 0) == !std::is_nothrow_move_constructible_v<T>); // the move into the old one's place
    REQUIRE(resurrect<TestType>(
                "operator[]", [](auto& map) { map[Key(7)]; }, 0)
                .first > 2); // T()
    REQUIRE(resurrect<TestType>(
                "insert_or_assign", [](auto& map) { map.insert_or_assign(Key(7), T(5)); }, 5)
                .first > 2);
    REQUIRE(resurrect<TestType>(
                "insert",
                [](auto& map) {
                    const T value(5);
                    map.insert(Key(7), value);
                },
                5)
                .first > 2);
}
#endif

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("resurrection with a value that cannot be moved: the old one goes first, so a throw erases the element for good",
          "[throwing][throws]") {
    const auto [kept, erased] = resurrect<FixedMap>(
        "try_emplace", [](auto& map) { map.try_emplace(Throwing(7), 5); }, 5);
    REQUIRE(kept > 1);
    REQUIRE(erased == 1);
}
#endif

TEST_CASE("values that cannot be moved: inserts that throw have no effect", "[throwing][throws]") {
    strong<FixedMap>(
        "try_emplace", [](auto& scene) { scene.c.try_emplace(Throwing(777), 5); }, 10);
    strong<FixedMap>(
        "operator[]", [](auto& scene) { scene.c[Throwing(777)]; }, 10);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("a map with a further column: an insert that throws at any step has no effect", "[throwing][throws]") {
    using Map = FailingMap<Throwing, Throwing, deferred, ValueArray<Throwing, ThrowingAllocator<Throwing>>,
                           ValueArray<std::int64_t, ThrowingAllocator<std::int64_t>>>;
    strong<Map>(
        "try_emplace", [](auto& scene) { scene.c.try_emplace(Throwing(777), 5); }, 15);
    strong<Map>(
        "reserve", [](auto& scene) { scene.c.reserve(5000); }, 8);
    const auto [kept, erased] = resurrect<Map>(
        "try_emplace", [](auto& map) { map.try_emplace(Throwing(7), 5); }, 5);
    REQUIRE(kept > 2);
    REQUIRE(erased > 2); // the value is replaced, then the column's
}
#endif
