// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of copies, moves, assignments and swaps of keyed containers between unequal allocators, and of what
// described sets do.
#include "subjects.hpp"
#include "support/maps.hpp"

#include <slotwise/rows/any_codec.hpp>

using namespace test;

namespace {

template <class Subject>
using failing = typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;

using AnySets = DescribedOnes<false, Throwing>;
using AnyMaps = DescribedOnes<true, Throwing>;

/// act(set) has no effect when it throws.
template <class Subject, class Act>
void strong_described(const char* function, Act act) {
    using C = failing<Subject>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<typename C::reported_class>(function), [&](auto&& attempt) {
        C c = sample<Subject, C>(1, 0, 40);
        const Contents before = Subject::contents(c);
        const bool threw = attempt([&] { act(c); });
        demand(c.check_invariants(), "it is not sound");
        if (threw) demand(Subject::contents(c) == before, "it has other contents although it threw");
        Subject::fill(c, 900, 10);
        demand(c.check_invariants(), "it is not sound after an insert");
    });
    demand(failures != 0, "nothing threw");
}

} // namespace

TEMPLATE_TEST_CASE("a copy, move, assignment or swap of a keyed container that throws leaves both sound", "[throwing][throws]",
                   (Keyed<SetStorages<Throwing, ThrowingHash, ThrowingEqual, at_once>>),
                   (Keyed<SetStorages<ThrowingCopy, ThrowingHash, ThrowingEqual, deferred>>),
                   (Keyed<MapStorages<Throwing, Throwing, ThrowingHash, ThrowingEqual, deferred>>), AnySets, AnyMaps) {
    sweep_whole<TestType, failing<TestType>>();
}

TEST_CASE("a removal by key that throws removes nothing", "[throwing][throws]") {
    using Set = FailingSet<Throwing, deferred>;
    using Map = FailingMap<Throwing, Throwing, deferred>;
    strong<Set>("remove", [](auto& scene) { scene.c.remove(Throwing(7)); }, 2, {20, 67});
    strong<Map>("remove", [](auto& scene) { scene.c.remove(Throwing(7)); }, 2, {20, 67});
}

TEST_CASE("a described container's operations that throw have no effect", "[throwing][throws]") {
    strong_described<AnySets>("insert", [](auto& set) {
        const Throwing key(777);
        set.insert(&key);
    });
    strong_described<AnySets>("contains", [](auto& set) {
        const Throwing key(7);
        if (!set.contains(&key)) FAIL("it is there");
    });
    strong_described<AnySets>("erase", [](auto& set) {
        const Throwing key(7);
        set.erase(&key);
    });
    strong_described<AnySets>("reserve", [](auto& set) { set.reserve(5000); });
    strong_described<AnySets>("shrink_to_fit", [](auto& set) { set.shrink_to_fit(); });
    const auto odd = [](const void* key) {
        Budget::spend();
        return static_cast<const Throwing*>(key)->value() == 12345; // none: what was erased before a throw stays erased
    };
    strong_described<AnySets>("erase_if", [&](auto& set) { set.erase_if(odd); });
    strong_described<AnyMaps>("erase_if", [&](auto& map) { map.erase_if([&](const void* key, void*) { return odd(key); }); });
    strong_described<AnyMaps>("at", [](auto& map) {
        const Throwing key(7);
        if (static_cast<const Throwing*>(map.at(&key))->value() != 70) FAIL("another value");
    });
}

TEST_CASE("an extract of a described element that throws takes nothing out", "[throwing][throws]") {
    const auto run = []<class Subject>(Subject) {
        strong_described<Subject>("extract", [](auto& c) {
            const Throwing key(7);
            static_cast<void>(c.extract(&key));
        });
    };
    run(AnySets());
    run(AnyMaps());
    run(DescribedOnes<false, Throwing, at_once>());
    run(DescribedOnes<true, Throwing, at_once>());
}

TEST_CASE("an extract_reserved of a described element that throws takes nothing out and reserves nothing",
          "[throwing][throws]") {
    const auto run = []<class Subject>(Subject) {
        strong_described<Subject>("extract_reserved", [](auto& c) {
            const Throwing key(7);
            const auto handle = c.handle_of(&key);
            demand(static_cast<bool>(c.extract_reserved(handle)), "it has no element");
            demand(c.explain(handle) == HandleStatus::reserved, "it is not reserved");
        });
        strong_described<Subject>("erase_reserved", [](auto& c) {
            const Throwing key(7);
            demand(c.erase_reserved(c.handle_of(&key)), "it has no element");
        });
    };
    run(AnySets());
    run(AnyMaps());
    run(DescribedOnes<false, Throwing, at_once>());
    run(DescribedOnes<true, Throwing, at_once>());
}

TEST_CASE("a fulfill of a described element that throws leaves the handle reserved and the key absent", "[throwing][throws]") {
    const auto run = []<class Subject>(Subject, bool moves) {
        using C = failing<Subject>;
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(swept<typename C::reported_class>("fulfill"), [&](auto&& attempt) {
            C c = sample<Subject, C>(1, 0, 40);
            Throwing key(7), value(77);
            const auto handle = c.handle_of(&key);
            demand(c.erase_reserved(handle), "it has no element");
            const Contents before = Subject::contents(c);
            const auto act = [&] {
                if constexpr (requires { c.value_type(); })
                    return (moves ? c.fulfill_moved(handle, &key, &value) : c.fulfill(handle, &key, &value)) != nullptr;
                else
                    return (moves ? c.fulfill_moved(handle, &key) : c.fulfill(handle, &key)) != nullptr;
            };
            if (!attempt([&] { demand(act(), "the handle is not reserved"); })) return;
            demand(c.check_invariants(), "it is not sound");
            demand(Subject::contents(c) == before, "it has other contents although it threw");
            demand(c.explain(handle) == HandleStatus::reserved, "the handle is not reserved any more");
            if (moves) return; // a move that threw may have changed what it moved from
            demand(act() && c.handle_of(&key) == handle && c.check_invariants(), "it does not come back");
        });
        demand(failures != 0, "nothing threw");
    };
    for (const bool moves : {false, true}) {
        run(AnySets(), moves);
        run(AnyMaps(), moves);
        run(DescribedOnes<false, Throwing, at_once>(), moves);
        run(DescribedOnes<true, Throwing, at_once>(), moves);
    }
}

TEST_CASE("a restore that throws leaves a described container as it was", "[throwing][throws]") {
    AnyCodec codec;
    codec.add<Throwing, NumberCodec>();
    const auto run = [&]<class Subject>(Subject) {
        using C = failing<Subject>;
        const auto bytes = sample<Subject, C>(1, 500, 30).snapshot(codec);
        strong_described<Subject>("restore", [&](auto& c) { c.restore(bytes, codec); });
        strong_described<Subject>("try_restore", [&](auto& c) {
            if (c.try_restore(bytes, codec) != nullptr) FAIL("a sound snapshot is refused");
        });
    };
    run(AnySets());
    run(AnyMaps());
}

TEST_CASE("insert_moved that throws adds nothing, and leaves what was to be moved", "[throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto run = []<class Subject>(Subject) {
        using C = failing<Subject>;
        const auto failures = fail_at_every_step(swept<typename C::reported_class>("insert_moved"), [&](auto&& attempt) {
            C c = sample<Subject, C>(1, 0, 40);
            const Contents before = Subject::contents(c);
            Throwing key(777), value(5);
            const bool threw = attempt([&] {
                if constexpr (std::is_same_v<Subject, AnyMaps>)
                    c.insert_moved(&key, &value);
                else
                    c.insert_moved(&key);
            });
            REQUIRE(c.check_invariants());
            REQUIRE(key.moved_from() == !threw);
            if (threw) REQUIRE(Subject::contents(c) == before);
        });
        REQUIRE(failures > 1); // hash and move
    };
    // The last to throw is the key's move: with a value that is moved before it, the value may be gone ("strong if the moves
    // are").
    run(AnySets());
    using MovedMaps = DescribedOnes<true, ThrowingCopy>;
    using C = failing<MovedMaps>;
    const auto failures = fail_at_every_step(swept<typename C::reported_class>("insert_moved"), [&](auto&& attempt) {
        C c = sample<MovedMaps, C>(1, 0, 40);
        const Contents before = MovedMaps::contents(c);
        ThrowingCopy key(777), value(5);
        const bool threw = attempt([&] { c.insert_moved(&key, &value); });
        REQUIRE(c.check_invariants());
        if (threw) REQUIRE(MovedMaps::contents(c) == before);
        if (!threw) REQUIRE((key.moved_from() && value.moved_from()));
    });
    REQUIRE(failures > 0); // the hash: these moves do not throw
}

TEST_CASE("an observer that throws while it attaches to a described container is not attached", "[throwing][throws]") {
    const auto run = []<class Subject>(Subject) {
        using C = failing<Subject>;
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(swept<typename C::reported_class>("attach"), [&](auto&& attempt) {
            C c = sample<Subject, C>(1, 0, 40);
            KeyFollower follower;
            ObserverToken token;
            const bool threw = attempt([&] { token = c.attach(follower); });
            REQUIRE(token.attached() == !threw);
            REQUIRE(follower.sound);
            REQUIRE(follower.known.empty() == threw);
            REQUIRE(c.check_invariants());
        });
        REQUIRE(failures > 20);
    };
    run(AnySets());
    run(AnyMaps());
}

TEST_CASE("a map made of a range or a list leaks nothing when that throws", "[throwing][throws]") {
    using Map = FailingMap<Throwing, Throwing, deferred>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::vector<std::pair<Throwing, Throwing>> items;
    for (const int n : {3, 1, 4, 1, 5, 9, 2, 6}) items.emplace_back(n, 10 * n);
    const auto failures = fail_at_every_step(swept<Map>("(...)"), [&](auto&& attempt) {
        attempt([&] {
            const Map map(items.begin(), items.end());
            if (map.size() != 7) FAIL("a key is missing");
        });
        attempt([&] { const Map map{{Throwing(3), Throwing(30)}, {Throwing(3), Throwing(31)}}; });
    });
    REQUIRE(failures > 20);
}

TEMPLATE_TEST_CASE("an index whose equality throws in take has every entry", "[throwing][throws]",
                   HashIndex<std::allocator<std::byte>>, PortableHashIndex<std::allocator<std::byte>>) {
    const auto failures = fail_at_every_step(swept<TestType>("take"), [](auto&& attempt) {
        TestType index;
        const auto all = [&](auto&& entry) {
            for (slot_t slot = 0; slot != index.size(); ++slot) entry(slot, mix_bits(slot));
        };
        for (slot_t slot = 0; slot != 50; ++slot) {
            index.make_room(all);
            index.place(mix_bits(slot), slot);
        }
        slot_t taken = no_slot;
        const bool threw = attempt([&] {
            taken = index.take(mix_bits(7), [](slot_t slot) {
                Budget::spend();
                return slot == 7;
            });
        });
        REQUIRE(taken == (threw ? no_slot : 7));
        REQUIRE(index.size() == (threw ? 50 : 49));
        if (threw) REQUIRE(index.is_sound(all));
    });
    REQUIRE(failures > 0);
    never_throws<std::is_nothrow_move_constructible_v<TestType>>(swept<TestType>("(move)"));
    calls_nothing_that_throws(swept<TestType>("()"), [] { const TestType empty{}; });
    using Group = GroupIndex<ThrowingAllocator<std::byte>, slotwise::detail::NativeFingerprints>;
    calls_nothing_that_throws(swept<Group>("()"), [] { const Group empty{}; });
}
