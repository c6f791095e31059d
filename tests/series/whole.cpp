// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series as whole values: copies, moves, assignment and swap carry contents, window and deltas along; equality.
#include "whole.hpp"

namespace {

using namespace test;

template <class Series>
void whole() {
    NothingLeaks objects;
    Series series;
    live(series, 1);
    REQUIRE(series.pending() > 0);
    const auto bytes = series.snapshot(NumberText());
    const auto delta = capture(series, 12);
    REQUIRE_FALSE(delta.empty());
    const auto same = [&](const Series& other) {
        REQUIRE(other.snapshot(NumberText()) == bytes); // slots, handles, times and deltas
        REQUIRE(capture(other, 12) == delta);
        REQUIRE(all_sound(other));
    };

    const Series copy = series;
    same(copy);
    REQUIRE(copy == series);
    Series assigned;
    live(assigned, 2);
    assigned = series;
    same(assigned);
    const auto& itself = assigned;
    assigned = itself;
    same(assigned);
    auto& myself = assigned;
    assigned = std::move(myself);
    same(assigned);

    Series moved = std::move(assigned);
    same(moved);
    is_as_new(assigned);
    Series target;
    live(target, 4, 20);
    target = std::move(moved);
    same(target);
    is_as_new(moved);

    Series other;
    live(other, 5, 7);
    const auto other_bytes = other.snapshot(NumberText());
    target.swap(other);
    same(other);
    REQUIRE(target.snapshot(NumberText()) == other_bytes);
    std::swap(target, other);
    same(target);
    REQUIRE(other.snapshot(NumberText()) == other_bytes);
    target.swap(target);
    same(target);

    // Each goes its own way.
    Series twin = series;
    continues_like(target, twin, 12);
    same(series);
    Series empty, empty_copy = empty;
    is_as_new(empty_copy);
    empty_copy = empty;
    is_as_new(empty_copy);
}

} // namespace

TEMPLATE_TEST_CASE("copies, moves, assignment and swap carry contents, window and deltas along", "[series][whole]",
                   ALL_REPRESENTATIONS) {
    whole<typename TestType::template dict<int, Tracked>>();
}

TEST_CASE("the same for sets and nested series", "[series][whole]") {
    whole<DirtyList::set<int>>();
    whole<Adaptive::dict<int, DirtyList::set<int>>>();
}

TEST_CASE("series are equal when their members and values are, whatever their times, slots and deltas", "[series][whole]") {
    TSSStorage<int> a, b;
    REQUIRE(a == b);
    b.write(5).touch();
    REQUIRE(a == b);
    {
        auto w = a.write(1);
        w.add(1);
        w.add(2);
        auto v = b.write(7);
        v.add(2);
        v.add(3);
        v.add(1);
        v.remove(3);
    }
    REQUIRE(a == b);
    a.write(2).add(4);
    REQUIRE_FALSE(a == b);

    TSDStorage<int, double> c, d;
    c.write(1).set(1, 1.0);
    d.write(2).set(1, 2.0);
    REQUIRE_FALSE(c == d);
    d.write(3).set(1, 1.0);
    REQUIRE(c == d);
    c.write(4).set(2, 0.0);
    d.write(4).create(2); // a member, and its value reads as 0, but it has none
    REQUIRE_FALSE(c == d);
    d.write(4).set(2, 0.0);
    REQUIRE(c == d);

    TSDStorage<int, TSSStorage<int>> e, f;
    e.write(1).create(1);
    f.write(2).create(1);
    REQUIRE(e == f);
    e.write(3).modify(1).add(5);
    REQUIRE_FALSE(e == f);
    f.write(9).modify(1).add(5);
    REQUIRE(e == f);
}
