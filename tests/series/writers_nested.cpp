// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Writers of nested series, in which order they may close; and what must not happen to a series while a writer is open.
#include "subscribers.hpp"

#include "support/death.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Sets = TSDStorage<int, Set>;
using Deep = TSDStorage<int, Sets>;

template <class Range>
std::vector<int> keys_in(const Range& range) {
    std::vector<int> keys;
    for (const int key : range) keys.push_back(key);
    return keys;
}

struct Abandon {};

} // namespace

#if defined(__cpp_exceptions) // nothing leaves a scope otherwise than by its end without them
TEST_CASE("writers of nested series abandoned by an exception close from the inside", "[writers]") {
    TickLog::take();
    Deep deep;
    {
        auto w = deep.write(1);
        w.create(1);
        w.modify(1).create(2);
    }
    Listener a("a"), b("b"), c("c");
    const auto outer = deep.subscribe(a), middle = deep.get(1)->subscribe(b), inner = deep.get(1)->get(2)->subscribe(c);
    try {
        auto w = deep.write(2);
        auto v = w.modify(1);
        v.modify(2).add(5);
        throw Abandon();
    } catch (const Abandon&) {}
    CHECK(TickLog::take() == Ticks{"c whole 2", "b whole 2", "a whole 2"});
    CHECK(deep.modified(1, 2));
    CHECK(deep.get(1)->get(2)->contains(5));
    deep.write(3).touch();
}
#endif

TEST_CASE("writers of nested series may close in any order", "[writers]") {
    TickLog::take();
    Deep deep;
    {
        auto w = deep.write(1);
        w.create(1);
        w.modify(1).create(2);
    }
    Listener a("a"), b("b"), c("c");
    const auto outer = deep.subscribe(a), middle = deep.get(1)->subscribe(b), inner = deep.get(1)->get(2)->subscribe(c);
    auto w = deep.write(2);
    auto v = w.modify(1);
    auto u = v.modify(2);
    u.add(5);
    SECTION("inner first") {
        u.close();
        v.close();
        CHECK(TickLog::take().empty());
        w.close();
    }
    SECTION("outer first") {
        w.close();
        v.close();
        CHECK(TickLog::take().empty());
        u.add(6);
        u.close();
    }
    SECTION("the middle first") {
        v.close();
        w.close();
        CHECK(TickLog::take().empty());
        u.close();
    }
    SECTION("moved") {
        auto moved = std::move(u);
        auto moved_v = std::move(v);
        w.close();
        moved.close();
        CHECK(TickLog::take().empty());
        moved_v.close();
    }
    SECTION("several of each") {
        auto w2 = deep.write(2);
        auto v2 = w2.modify(1);
        auto u2 = v2.modify(2), u3 = v.modify(2);
        u.close();
        v2.close();
        w.close();
        u3.add(7);
        v.close();
        w2.close();
        u3.close();
        CHECK(TickLog::take().empty());
        u2.close();
    }
    CHECK(TickLog::take() == Ticks{"c whole 2", "b whole 2", "a whole 2"});
    CHECK(deep.modified(2));
    CHECK(deep.modified(1, 2));
    CHECK(deep.get(1)->modified(2, 2));
    CHECK(deep.check_invariants());
    deep.write(3).touch();
    CHECK(TickLog::take() == Ticks{"a whole 3"});
}

TEST_CASE("an open writer of a nested series keeps the window of the outer one open", "[writers]") {
    Sets sets;
    sets.write(1).create(1);
    auto v = sets.write(2).modify(1); // the outer writer is gone already
    CHECK(v.time() == 2);
    CHECK_THROWS_AS(sets.write(3), std::invalid_argument);
    v.add(5);
    auto w = sets.write_late(1); // joins
    CHECK(w.time() == 2);
    v.close();
    CHECK_THROWS_AS(sets.write(3), std::invalid_argument);
    w.close();
    CHECK(sets.modified(1, 2));
    sets.write(3).modify(1).add(6);
    CHECK(keys_in(sets.get(1)->added(3)) == std::vector<int>{6});
}

TEST_CASE("a nested writer that writes nothing does not count as a write", "[writers]") {
    TickLog::take();
    Sets sets;
    sets.write(1).create(1);
    Listener a("a");
    const auto token = sets.subscribe(a);
    sets.write(2).modify(1).close();
    sets.write(3).modify(1).remove(9);
    CHECK(TickLog::take().empty());
    CHECK_FALSE(sets.valid(1));
    CHECK(sets.last_modified() == 1);
    sets.write(4).modify(1).touch();
    CHECK(TickLog::take() == Ticks{"a whole 4"});
    CHECK(sets.last_modified(1) == 4);
}

TEST_CASE("a writer of a nested series whose element is removed meanwhile writes to what was removed", "[writers]") {
    TickLog::take();
    Sets sets;
    {
        auto w = sets.write(1);
        w.create(1);
        w.modify(1).add(10);
    }
    Listener a("a");
    const auto token = sets.subscribe(a);
    auto w = sets.write(2);
    auto v = w.modify(1);
    w.remove(1);
    v.add(11);
    v.close();
    w.close();
    CHECK(TickLog::take() == Ticks{"a whole 2"});
    CHECK_FALSE(sets.contains(1));
    CHECK(keys_in(sets.removed_keys(2)) == std::vector<int>{1});
    CHECK(sets.modified_keys(2).empty());
    CHECK(sets.check_invariants());
    sets.write(3).touch();
    CHECK(sets.pending() == 0);
}

//=== what ends the program ===//

TEMPLATE_TEST_CASE("a series that is destroyed, moved or assigned to while a writer is open ends the program",
                   "[writers][death]", Set, Dict, Sets) {
    const char* const words = "while a writer of it is open";
    CHECK(dies_saying(words, [] {
        std::optional<TestType> series(std::in_place);
        auto w = series->write(1);
        series.reset();
    }));
    CHECK(dies_saying(words, [] {
        TestType series;
        auto w = series.write(1);
        TestType moved(std::move(series));
    }));
    CHECK(dies_saying(words, [] {
        TestType series, target;
        auto w = series.write(1);
        target = std::move(series);
    }));
    CHECK(dies_saying(words, [] {
        TestType series, target;
        auto w = target.write(1);
        target = std::move(series);
    }));
    CHECK(dies_saying(words, [] {
        TestType series, target;
        auto w = target.write(1);
        target = series;
    }));
    CHECK(dies_saying(words, [] {
        TestType series;
        auto w = series.write(1);
        const TestType copy(series);
    }));
    CHECK(dies_saying(words, [] {
        TestType series;
        auto w = series.write(1);
        series.restore({});
    }));
}

TEST_CASE("a series that is moved while a writer of a nested one is open ends the program", "[writers][death]") {
    CHECK(dies_saying("while a writer of it is open", [] {
        Sets sets;
        sets.write(1).create(1);
        auto v = sets.write(1).modify(1);
        Sets moved(std::move(sets));
    }));
}
