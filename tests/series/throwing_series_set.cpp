// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step inside a window of a set, and of a dictionary of values that cannot move.
#include "throwing_series.hpp"

using namespace test;

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
