// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series as whole values: copies, moves, assignment and swap carry contents, window and deltas along; equality.
#include "whole.hpp"
#include "support/death.hpp"

namespace {

using namespace test;

struct Ear final : SeriesSubscriber<Time> {
    int told = 0;
    void on_tick(const SeriesTick<Time>&) noexcept override { ++told; }
};

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

TEST_CASE("a copy has no subscribers, one assigned to keeps its own, a move takes them along", "[series][whole]") {
    Ear of_source, of_target, of_key;
    Adaptive::dict<int, double> source, target;
    live(source, 1, 3);
    live(target, 2, 3);
    auto source_token = source.subscribe(of_source);
    auto target_token = target.subscribe(of_target);
    auto key_token = target.subscribe(77, of_key);

    auto copy = source;
    copy.write(4).touch();
    REQUIRE(of_source.told == 0);
    target = source;
    REQUIRE(of_target.told == 0); // an assignment is no write
    target.write(4).touch();
    REQUIRE(of_target.told == 1);
    target.write(5).set(77, 1.0);
    REQUIRE(of_key.told == 1);
    REQUIRE(of_target.told == 2);
    REQUIRE(of_source.told == 0);

    auto moved = std::move(source);
    REQUIRE(source_token.attached());
    moved.write(6).touch();
    REQUIRE(of_source.told == 1);
    source.write(7).touch();
    REQUIRE(of_source.told == 1);

    moved = std::move(target); // those that moved had have nobody to listen to
    REQUIRE_FALSE(source_token.attached());
    moved.write(8).set(77, 2.0);
    REQUIRE(of_source.told == 1);
    REQUIRE(of_target.told == 3);
    REQUIRE(of_key.told == 2);
    target.write(9).touch();
    REQUIRE(of_target.told == 3);

    Adaptive::dict<int, double> last;
    last.swap(moved);
    last.write(9).set(77, 3.0);
    moved.write(9).set(77, 3.0);
    REQUIRE(of_key.told == 3);
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

TEST_CASE("whoever copies, moves or destroys a series while a writer is open is stopped", "[series][whole]") {
    const std::string words = "while a writer of it is open";
    using Set = TSSStorage<int>;
    CHECK(dies_saying(words, [] {
        Set set;
        auto w = set.write(1);
        const Set copy = set;
    }));
    CHECK(dies_saying(words, [] {
        Set set;
        auto w = set.write(1);
        const Set moved = std::move(set);
    }));
    CHECK(dies_saying(words, [] {
        Set set, other;
        auto w = set.write(1);
        set = other;
    }));
    CHECK(dies_saying(words, [] {
        auto set = std::make_unique<Set>();
        auto w = set->write(1);
        set.reset();
    }));
    CHECK(dies_saying(words, [] {
        Set set;
        auto w = set.write(1);
        set.restore(Set().snapshot());
    }));
}
