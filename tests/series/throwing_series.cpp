// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what writes to a dictionary inside a window: either the call had no effect, or all of it; and what
// the window says is what was before and is after, checked against a model. Nothing leaks.
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
