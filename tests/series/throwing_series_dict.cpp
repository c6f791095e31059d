// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step inside a window of a dictionary: modify, remove, reserve, copies, and several writes in a row.
#include "throwing_series.hpp"

using namespace test;

TEMPLATE_TEST_CASE("a modify or remove that throws at any step has no effect", "[throwing][throws]", FAILING_DICTS) {
    using Key = typename TestType::key_type;
    const int key = GENERATE(0, 2, 9, 21, 3);
    CAPTURE(key);
    SECTION("modify") {
        strong<TestType>(
            swept<typename TestType::writer>("modify"), [&](auto&, auto& w) { w.modify(Key(key)).set(5); },
            [&](Model& model) { model.set(key, 5); }, 2);
    }
    SECTION("remove") {
        strong<TestType>(
            swept<typename TestType::writer>("remove"), [&](auto&, auto& w) { w.remove(Key(key)); },
            [&](Model& model) { model.remove(key); }, 2);
    }
    SECTION("remove of what is not there") {
        strong<TestType>(
            swept<typename TestType::writer>("remove"),
            [&](auto&, auto& w) {
                w.remove(Key(1));
                w.remove(Key(77));
            },
            [](Model&) {}, 2);
    }
}

TEMPLATE_TEST_CASE("a reserve or shrink_to_fit that throws inside a window has no effect", "[throwing][throws]",
                   FAILING_DICTS) {
    strong<TestType>(
        swept<TestType>("reserve"), [](auto& dict, auto&) { dict.reserve(500); }, [](Model&) {}, 3);
    strong<TestType>(
        swept<TestType>("shrink_to_fit"), [](auto& dict, auto&) { dict.shrink_to_fit(); }, [](Model&) {}, 1);
}

TEMPLATE_TEST_CASE("a copy that throws at any step leaves the source; a copy that does not has the same window",
                   "[throwing][throws]", FAILING_DICTS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<TestType>("(copy)"), [&](auto&& attempt) {
        Scene<TestType> scene(false), target(true);
        const auto before = scene.observe(), target_before = target.observe();
        const bool threw = attempt([&] {
            TestType copy(scene.dict);
            target.dict = scene.dict;
        });
        REQUIRE(scene.observe() == before);
        REQUIRE(target.observe() == (threw ? target_before : before));
        (threw ? target : scene).model.check(target.dict, 2);
    });
    REQUIRE(failures > 10);
}

TEMPLATE_TEST_CASE(
    "several writes of which one throws: the earlier ones are in the delta, and subscribers are notified of them",
    "[throwing][throws]", FAILING_DICTS) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<typename TestType::writer>("set"), [&](auto&& attempt) {
        Scene<TestType> scene(false);
        Listener listener("a");
        const auto token = scene.dict.subscribe(listener);
        int done = 0;
        attempt([&] {
            auto w = scene.dict.write(2); // abandoned by the throw
            w.set(Key(1), T(7)), ++done;
            w.remove(Key(2)), ++done;
            w.create(Key(77)), ++done;
            w.set(Key(77), T(8)), ++done;
            w.modify(Key(9)).set(9), ++done;
            w.remove(Key(77)), ++done;
        });
        if (done > 0) scene.model.set(1, 7);
        if (done > 1) scene.model.remove(2);
        if (done > 2) scene.model.create(77);
        if (done > 3) scene.model.set(77, 8);
        if (done > 4) scene.model.set(9, 9);
        if (done > 5) scene.model.remove(77);
        scene.model.check(scene.dict, 2);
        REQUIRE(listener.told == (done > 0 ? 1u : 0u));
    });
    REQUIRE(failures > 10);
    TickLog::take();
}
