// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what writes to a dictionary inside a window: either the call had no effect, or all of it; and what
// the window says is what was before and is after, checked against a model. Nothing leaks.
#include "throwing_series.hpp"

using namespace test;

// proves: TSDWriter::set throws, table TSSStorage / TSDStorage write / exceptions
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

// proves: TSDWriter::create throws
TEMPLATE_TEST_CASE("a create that throws at any step has no effect", "[throwing][throws]", FAILING_DICTS) {
    using Key = typename TestType::key_type;
    const int key = GENERATE(77, 0, 8, 1, 22);
    CAPTURE(key);
    strong<TestType>(
        swept<typename TestType::writer>("create"), [&](auto&, auto& w) { w.create(Key(key)); },
        [&](Model& model) { model.create(key); }, 2);
}
