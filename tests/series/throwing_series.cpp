// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what writes to a dictionary or a set inside a window: either the call had no effect, or all of it;
// and what the window says is what was before and is after, checked against a model. Nothing leaks.
#include "throwing_series.hpp"

using namespace test;

TEMPLATE_TEST_CASE("a set that throws at any step has no effect, on a new key, on a member, and on one that was removed",
                   "[throwing][throws]", FAILING_DICTS) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    const int key = GENERATE(77, 0, 2, 8, 9, 21, 1, 22, 3);
    CAPTURE(key);
    SECTION("moved") {
        strong<TestType>(
            swept<typename TestType::writer>("set"), [&](auto&, auto& w) { w.set(Key(key), T(5)); },
            [&](Model& model) { model.set(key, 5); }, 3);
    }
    SECTION("copied") {
        strong<TestType>(
            swept<typename TestType::writer>("set"),
            [&](auto&, auto& w) {
                const Key k(key);
                const T value(5);
                w.set(k, value);
            },
            [&](Model& model) { model.set(key, 5); }, 4);
    }
    SECTION("made from what it is not") {
        strong<TestType>(
            swept<typename TestType::writer>("set"), [&](auto&, auto& w) { w.set(Key(key), 5); },
            [&](Model& model) { model.set(key, 5); }, 3);
    }
}

TEMPLATE_TEST_CASE("a create that throws at any step has no effect", "[throwing][throws]", FAILING_DICTS) {
    using Key = typename TestType::key_type;
    const int key = GENERATE(77, 0, 8, 1, 22);
    CAPTURE(key);
    strong<TestType>(
        swept<typename TestType::writer>("create"), [&](auto&, auto& w) { w.create(Key(key)); },
        [&](Model& model) { model.create(key); }, 2);
}

TEMPLATE_TEST_CASE("the verbs of containers that throw at any step have no effect on a dictionary", "[throwing][throws]",
                   FAILING_DICTS) {
    using Key = typename TestType::key_type;
    using T = typename TestType::mapped_type;
    using Writer = typename TestType::writer;
    const int key = GENERATE(77, 0, 22);
    CAPTURE(key);
    const auto row = [](const char* function, auto act, auto note) {
        strong<TestType>(
            swept<Writer>(function), [&](auto&, Writer& w) { act(w); }, note, 1);
    };
    const auto sets = [&](Model& model) { model.set(key, 5); };
    const auto adds = [&](Model& model) {
        if (!model.now.contains(key)) model.set(key, 5);
    };
    const auto changes = [&](Model& model) {
        if (model.now.contains(key)) model.set(key, 5);
    };
    const auto removes = [&](Model& model) { model.remove(key); };
    row(
        "insert", [&](Writer& w) { w.insert(Key(key), T(5)); }, adds);
    row(
        "emplace", [&](Writer& w) { w.emplace(Key(key), 5); }, adds);
    row(
        "try_emplace", [&](Writer& w) { w.try_emplace(Key(key), 5); }, adds);
    row(
        "insert_or_assign", [&](Writer& w) { w.insert_or_assign(Key(key), T(5)); }, sets);
    row(
        "operator[]", [&](Writer& w) { w[Key(key)].set(5); }, sets);
    row(
        "update", [&](Writer& w) { w.update(Key(key), [](T& value) { value.set(5); }); }, changes);
    verbs_of_both<Writer>(row, key, removes);
}

//=== dictionaries: modify, remove, reserve, copies, several writes in a row ===//

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

//=== sets, and dictionaries of values that cannot move ===//

namespace {

template <class Set>
struct SetScene {
    using Key = typename Set::key_type;
    SetScene() {
        {
            auto w = set.write(1);
            for (int i = 0; i != 10; ++i) w.add(Key(i));
        }
        auto w = set.write(2);
        w.remove(Key(1));
        w.add(Key(20));
        w.add(Key(22));
        w.remove(Key(22));
        w.remove(Key(3));
        w.add(Key(3));
    }
    static std::set<int> keys_in(const auto& range) {
        std::set<int> keys;
        bool once = true;
        for (const auto& key : range) once = keys.insert(key.value()).second && once;
        REQUIRE(once);
        return keys;
    }
    /// Against who was there before.
    void check(const std::set<int>& members) const {
        std::set<int> added, removed;
        for (const int key : members)
            if (key >= 10) added.insert(key);
        for (int key = 0; key != 10; ++key)
            if (!members.contains(key)) removed.insert(key);
        REQUIRE(set.check_invariants());
        REQUIRE(keys_in(set) == members);
        REQUIRE(keys_in(set.added(2)) == added);
        REQUIRE(keys_in(set.removed(2)) == removed);
    }
    Set set{};
    std::set<int> now{0, 2, 3, 4, 5, 6, 7, 8, 9, 20};
};

} // namespace

TEMPLATE_TEST_CASE("an add or remove that throws at any step has no effect", "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const int key = GENERATE(77, 0, 20, 1, 22, 3);
    const bool adding = GENERATE(true, false);
    CAPTURE(key, adding);
    const auto failures = fail_at_every_step(swept<typename TestType::writer>(adding ? "add" : "remove"), [&](auto&& attempt) {
        SetScene<TestType> scene;
        Listener listener("a");
        const auto token = scene.set.subscribe(Key(key), listener);
        const bool member = scene.now.contains(key);
        bool done = false;
        const std::int64_t last = scene.set.last_modified(Key(key));
        auto w = scene.set.write(2);
        const bool threw = attempt([&] { done = adding ? w.add(Key(key)) : w.remove(Key(key)); });
        w.close();
        if (threw) {
            scene.check(scene.now);
            REQUIRE(scene.set.last_modified(Key(key)) == last);
            REQUIRE(listener.told == 0);
            return;
        }
        REQUIRE(done == (member != adding));
        REQUIRE(listener.told == (done ? 1u : 0u));
        if (adding)
            scene.now.insert(key);
        else
            scene.now.erase(key);
        scene.check(scene.now);
    });
    REQUIRE(failures > 1);
    TickLog::take();
}

TEMPLATE_TEST_CASE("the verbs of containers that throw at any step have no effect on a set", "[throwing][throws]",
                   FAILING_SETS) {
    using Key = typename TestType::key_type;
    using Writer = typename TestType::writer;
    const int key = GENERATE(77, 0, 22);
    CAPTURE(key);
    const auto row = [](const char* function, auto act, auto note) {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(swept<Writer>(function), [&](auto&& attempt) {
            SetScene<TestType> scene;
            auto w = scene.set.write(2);
            if (!attempt([&] { act(w); })) note(scene.now);
            w.close();
            scene.check(scene.now);
        });
        REQUIRE(failures != 0);
    };
    const auto adds = [&](auto& now) { now.insert(key); };
    const auto removes = [&](auto& now) { now.erase(key); };
    row(
        "insert", [&](Writer& w) { w.insert(Key(key)); }, adds);
    row(
        "emplace", [&](Writer& w) { w.emplace(key); }, adds);
    verbs_of_both<Writer>(row, key, removes);
}

TEMPLATE_TEST_CASE("an assign or apply that throws at any step: what was done stays, and the delta is true",
                   "[throwing][throws]", FAILING_SETS) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const bool applying = GENERATE(false, true);
    SetDelta<Key> delta;
    for (const int key : {30, 1, 31}) delta.added.emplace_back(key);
    for (const int key : {20, 0, 5}) delta.removed.emplace_back(key);
    std::vector<Key> keys;
    for (const int key : {1, 2, 3, 30, 31, 3}) keys.emplace_back(key);
    const auto failures =
        fail_at_every_step(swept<typename TestType::writer>(applying ? "apply" : "assign"), [&](auto&& attempt) {
            SetScene<TestType> scene;
            const bool threw = attempt([&] {
                auto w = scene.set.write(2);
                if (applying)
                    w.apply(delta);
                else
                    w.assign(keys);
            });
            const auto now = scene.keys_in(scene.set);
            scene.check(now);
            if (!threw && applying) REQUIRE(now == std::set<int>{1, 2, 3, 4, 6, 7, 8, 9, 30, 31});
            if (!threw && !applying) REQUIRE(now == std::set<int>{1, 2, 3, 30, 31});
            scene.set.write(3).touch();
            REQUIRE(scene.set.check_invariants());
        });
    REQUIRE(failures > 10);
}

//=== values that cannot move ===//

TEST_CASE("values that cannot move: a create that throws at any step has no effect", "[throwing][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    using Dict = DictOf<ThrowingCopy, NonMovable, DeltaRepresentation::adaptive>;
    const int key = GENERATE(77, 1, 22);
    const auto failures = fail_at_every_step(swept<typename Dict::writer>("create"), [&](auto&& attempt) {
        Dict dict;
        for (int i = 0; i != 5; ++i) dict.write(1).create(ThrowingCopy(i));
        dict.write(1).modify(ThrowingCopy(1)).set(11);
        auto w = dict.write(2);
        w.remove(ThrowingCopy(1));
        w.create(ThrowingCopy(22));
        w.remove(ThrowingCopy(22));
        const bool threw = attempt([&] { w.create(ThrowingCopy(key)); });
        w.close();
        REQUIRE(dict.check_invariants());
        REQUIRE(dict.size() == (threw ? 4 : 5));
        REQUIRE(dict.removed_keys(2).size() == (!threw && key == 1 ? 0 : 1));
        REQUIRE(dict.added_keys(2).size() == (!threw && key != 1 ? 1 : 0));
        if (threw) REQUIRE(dict.value(1).value() == 11); // still readable
        if (!threw && key == 1) REQUIRE(dict.get(ThrowingCopy(1))->value() == 0);
    });
    REQUIRE(failures > 1);
}
