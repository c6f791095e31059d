// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Described series with a throw at every step of every function: as before, nothing leaked.
#include "any_subjects.hpp"
#include "support/maps.hpp"

#include <slotwise/rows/any_codec.hpp>

#include <array>

using namespace test;

namespace {

template <class Subject>
using failing = typename Subject::template container<StatefulAllocator<std::byte, Propagation{.throws = true}>>;

using Sets = DescribedTimes<false, Throwing>;
using Dicts = DescribedTimes<true, Throwing, ThrowingCopy>;
using BitSets = DescribedTimes<false, ThrowingCopy, Tracked, DeltaRepresentation::bitmap>;
using BitDicts = DescribedTimes<true, ThrowingCopy, ThrowingCopy, DeltaRepresentation::dirty_list>;

/// act(series, writer) in the open window has no effect when it throws.
template <class Subject, class Act>
void strong_any(const char* function, bool of_writer, Act act, std::size_t least = 1) {
    using C = failing<Subject>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto what = of_writer ? swept<typename C::writer>(function) : swept<typename C::reported_class>(function);
    std::size_t failures = 0;
    for (const int count : {0, 40, 64})
        failures += fail_at_every_step(what, [&](auto&& attempt) {
            C c = sample<Subject, C>(1, 0, count);
            static_cast<void>(c.write(c.window() == C::never ? 1 : c.window()));
            const Contents before = Subject::contents(c);
            bool threw = false;
            {
                auto writer = c.write(c.window());
                threw = attempt([&] { act(c, writer); });
            }
            demand(c.check_invariants(), "it is not sound");
            if (threw) demand(Subject::contents(c) == before, "it has other contents although it threw");
            Subject::fill(c, 900, 10);
            demand(c.check_invariants(), "it is not sound after an insert");
        });
    demand(failures >= least, "nothing threw");
}

struct Ticks final : SeriesSubscriber<> {
    void on_tick(const SeriesTick<>&) noexcept override {}
};

} // namespace

TEMPLATE_TEST_CASE("a copy, move, assignment or swap of a described series that throws leaves both sound", "[throwing][throws]",
                   Sets, Dicts, BitSets, BitDicts) {
    sweep_whole<TestType, failing<TestType>>();
}

TEMPLATE_TEST_CASE("opening and joining windows, touching, clearing and invalidating call nothing that throws",
                   "[throwing][throws]", Sets, Dicts) {
    using C = failing<TestType>;
    using Reported = typename C::reported_class;
    C c = sample<TestType, C>(1, 0, 40);
    const auto window = c.window();
    calls_nothing_that_throws(swept<Reported>("write"), [&] {
        c.write(window).close();
        c.write(window + 1).close();
    });
    calls_nothing_that_throws(swept<Reported>("write_late"), [&] { c.write_late(window).close(); });
    calls_nothing_that_throws(swept<typename C::writer>("touch"), [&] { c.write(window + 1).touch(); });
    REQUIRE(c.last_modified() == window + 1);
    calls_nothing_that_throws(swept<typename C::writer>("clear"), [&] { c.write(window + 2).clear(); });
    REQUIRE(c.empty());
    calls_nothing_that_throws(swept<typename C::writer>("invalidate"), [&] { c.write(window + 3).invalidate(); });
    REQUIRE_FALSE(c.valid());
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("an observer that throws while it attaches to a described series is not attached", "[throwing][throws]",
                   Sets, Dicts) {
    attaching_throws(sample<TestType, failing<TestType>>(1, 0, 40));
}

TEMPLATE_TEST_CASE("a change of a described set over time that throws has no effect", "[throwing][throws]", Sets, BitSets) {
    using Key = std::conditional_t<std::is_same_v<TestType, Sets>, Throwing, ThrowingCopy>;
    for (const int n : {3, 4, 777}) { // a member, a removed one, none
        strong_any<TestType>("insert", true, [&](auto&, auto& writer) {
            const Key key(n);
            writer.insert(&key);
        });
        strong_any<TestType>("add", true, [&](auto&, auto& writer) {
            const Key key(n);
            writer.add(&key);
        });
        strong_any<TestType>("insert_moved", true, [&](auto&, auto& writer) {
            Key key(n);
            writer.insert_moved(&key);
        });
        strong_any<TestType>("extract", true, [&](auto&, auto& writer) {
            const Key key(n);
            static_cast<void>(writer.extract(&key));
        });
        strong_any<TestType>("erase", true, [&](auto&, auto& writer) {
            const Key key(n);
            writer.erase(&key);
        });
        strong_any<TestType>("remove", true, [&](auto&, auto& writer) {
            const Key key(n);
            writer.remove(&key);
        });
    }
    strong_any<TestType>("reserve", false, [](auto& set, auto&) { set.reserve(700); });
    strong_any<TestType>("reserve", true, [](auto&, auto& writer) { writer.reserve(700); });
    strong_any<TestType>("shrink_to_fit", false, [](auto& set, auto&) { set.shrink_to_fit(); });
    strong_any<TestType>("subscribe", false, [](auto& set, auto&) {
        const Key key(3);
        Ticks ticks;
        const auto token = set.subscribe(&key, ticks);
    });
}

TEMPLATE_TEST_CASE("a change of a described dictionary over time that throws has no effect", "[throwing][throws]", Dicts,
                   BitDicts) {
    using Key = std::conditional_t<std::is_same_v<TestType, Dicts>, Throwing, ThrowingCopy>;
    using Value = ThrowingCopy;
    const auto by_key = [](const char* function, auto act) {
        for (const int n : {3, 4, 39, 777}) // written, removed, without a value, none
            strong_any<TestType>(function, true, [&](auto&, auto& writer) {
                Key key(n);
                Value value(5);
                act(writer, &key, &value);
            });
    };
    by_key("set", [](auto& writer, const Key* key, const Value* value) { writer.set(key, value); });
    by_key("set_moved", [](auto& writer, Key* key, Value* value) { writer.set_moved(key, value); });
    by_key("insert_or_assign", [](auto& writer, const Key* key, const Value* value) { writer.insert_or_assign(key, value); });
    by_key("insert", [](auto& writer, const Key* key, const Value* value) { writer.insert(key, value); });
    by_key("insert_moved", [](auto& writer, Key* key, Value* value) { writer.insert_moved(key, value); });
    by_key("create", [](auto& writer, const Key* key, const Value*) { writer.create(key); });
    by_key("extract", [](auto& writer, const Key* key, const Value*) { static_cast<void>(writer.extract(key)); });
    by_key("erase", [](auto& writer, const Key* key, const Value*) { writer.erase(key); });
    by_key("remove", [](auto& writer, const Key* key, const Value*) { writer.remove(key); });
    by_key("update", [](auto& writer, const Key* key, const Value*) { writer.update(key, [](void*) noexcept {}); });
    by_key("pop", [](auto& writer, const Key* key, const Value*) { static_cast<void>(writer.pop(key)); });
    by_key("invalidate", [](auto& writer, const Key* key, const Value*) { writer.invalidate(key); });
    by_key("modify", [](auto& writer, const Key* key, const Value*) {
        if (writer.contains(key)) writer.modify(key);
    });
    strong_any<TestType>("reserve", false, [](auto& dict, auto&) { dict.reserve(700); });
    strong_any<TestType>("reserve", true, [](auto&, auto& writer) { writer.reserve(700); });
    strong_any<TestType>("erase_if", true, [](auto&, auto& writer) {
        writer.erase_if([](const void*, const void*) {
            Budget::spend();
            return false;
        });
    });
    strong_any<TestType>("shrink_to_fit", false, [](auto& dict, auto&) { dict.shrink_to_fit(); });
    strong_any<TestType>("subscribe_keys", false, [](auto& dict, auto&) {
        Ticks ticks;
        const auto token = dict.subscribe_keys(ticks);
        const auto whole = dict.subscribe(ticks);
        const Key key(3);
        const auto one = dict.subscribe(&key, ticks);
    });
}

TEST_CASE("several changes of a described series that throw in the middle leave a sound prefix", "[throwing][throws]") {
    const auto run = [](const char* function, auto act) {
        using C = failing<Sets>;
        NothingLeaks objects;
        const std::array<Throwing, 3> keys{Throwing(3), Throwing(500), Throwing(501)};
        const std::array<const void*, 3> places{&keys[0], &keys[1], &keys[2]};
        const auto failures = fail_at_every_step(swept<typename C::writer>(function), [&](auto&& attempt) {
            C c = sample<Sets, C>(1, 0, 40);
            const std::size_t before = c.size();
            auto writer = c.write(c.window());
            const bool threw = attempt([&] { act(c, writer, places); });
            writer.close();
            demand(c.check_invariants(), "it is not sound");
            demand(!threw || c.size() >= before, "a throw has removed something");
        });
        REQUIRE(failures > 3);
    };
    run("insert_range", [](auto&, auto& writer, const auto& places) { writer.insert_range(places); });
    run("assign", [](auto&, auto& writer, const auto& places) { writer.assign(places); });
    run("apply", [](auto& set, auto& writer, const auto& places) {
        typename std::remove_reference_t<decltype(set)>::delta_type delta;
        for (const void* key : places) delta.added.emplace_back(set.key_type(), key);
        writer.apply(delta, Strictness::lenient);
    });
    run("reconcile", [](auto& set, auto& writer, const auto& places) {
        typename std::remove_reference_t<decltype(set)>::delta_type state;
        for (const void* key : places) state.added.emplace_back(set.key_type(), key);
        writer.reconcile(state);
    });
    run("erase_if", [](auto&, auto& writer, const auto&) {
        writer.erase_if([](const void*) {
            Budget::spend();
            return false;
        });
    });
}

TEST_CASE("a delta of a described dictionary that throws in the middle leaves it sound", "[throwing][throws]") {
    using C = failing<Dicts>;
    NothingLeaks objects;
    const C source = sample<Dicts, C>(1, 20, 40);
    const auto failures = fail_at_every_step(swept<typename C::writer>("apply"), [&](auto&& attempt) {
        C c = sample<Dicts, C>(1, 0, 40);
        attempt([&] {
            const auto delta = capture(source, source.window());
            c.write(c.window()).apply(delta, Strictness::lenient);
        });
        demand(c.check_invariants(), "it is not sound");
    });
    REQUIRE(failures > 10);
    for (const bool by_state : {false, true}) {
        const auto more = fail_at_every_step(swept<typename C::writer>(by_state ? "reconcile" : "assign"), [&](auto&& attempt) {
            C c = sample<Dicts, C>(1, 0, 40);
            const bool threw = attempt([&] {
                if (by_state)
                    c.write(c.window()).reconcile(capture_state(source));
                else
                    c.write(c.window()).assign(source);
            });
            demand(c.check_invariants(), "it is not sound");
            if (!threw) demand(c.size() == source.size(), "it has other members");
        });
        REQUIRE(more > 10);
    }
}

TEMPLATE_TEST_CASE("a restore that throws leaves a described series as it was", "[throwing][throws]", Sets, Dicts, BitDicts) {
    AnyCodec codec;
    codec.add<Throwing, NumberCodec>().add<ThrowingCopy, NumberCodec>();
    using C = failing<TestType>;
    NothingLeaks objects;
    const auto bytes = sample<TestType, C>(1, 500, 30).snapshot(codec);
    for (const bool by_try : {false, true}) {
        const auto failures =
            fail_at_every_step(swept<typename C::reported_class>(by_try ? "try_restore" : "restore"), [&](auto&& attempt) {
                C c = sample<TestType, C>(1, 0, 40);
                const Contents before = TestType::contents(c);
                const bool threw = attempt([&] {
                    if (by_try)
                        demand(c.try_restore(bytes, codec) == nullptr, "a sound snapshot is refused");
                    else
                        c.restore(bytes, codec);
                });
                demand(c.check_invariants(), "it is not sound");
                if (threw) demand(TestType::contents(c) == before, "it has other contents although it threw");
            });
        REQUIRE(failures > 5);
    }
}
