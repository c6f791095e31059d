// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series whose slots have few lives: versions of two and three bits are used up inside windows, and deltas stay exact.
#include "replica.hpp"

namespace {

using namespace test;

constexpr HandleLayout lives(unsigned bits) { return {.index_bits = 16 - bits, .version_bits = bits}; }
template <DeltaRepresentation R, unsigned Bits, Exhaustion E, Reuse U = Reuse::lowest>
using Few = SeriesWith<SeriesOptions{.delta = R, .exhaustion = E, .reuse = U, .page_slots = 64, .handle = lives(Bits)}>;
template <unsigned Bits>
using Retiring = Few<DeltaRepresentation::adaptive, Bits, Exhaustion::retire>;

struct Count final : SeriesSubscriber<Time> {
    int ticks = 0;
    void on_tick(const SeriesTick<Time>&) noexcept override { ++ticks; }
};

/// A set and a dictionary with all that one page holds, and a subscriber to key 7 of each.
struct FullAndHeard {
    Retiring<2>::set<int> set{};
    Retiring<2>::dict<int, int> dict{};
    Count of_set{}, of_dict{};
    Subscription<Time> set_token{}, dict_token{};

    FullAndHeard() {
        for (int key = 0; key != 64; ++key) {
            set.write(1).add(key);
            dict.write(1).set(key, key);
        }
        set_token = set.subscribe(7, of_set);
        dict_token = dict.subscribe(7, of_dict);
        REQUIRE(set.capacity() == 64);
        REQUIRE(dict.capacity() == 64);
    }
    /// Window 3: key 7 has come back behind the page, and is still heard.
    void check_beyond() {
        REQUIRE(set.slot_of(7) == 64);
        REQUIRE(dict.slot_of(7) == 64);
        of_set.ticks = of_dict.ticks = 0;
        set.write(4).remove(7);
        dict.write(4).set(7, 1);
        REQUIRE(of_set.ticks == 1);
        REQUIRE(of_dict.ticks == 1);
        REQUIRE(set.check_invariants());
        REQUIRE(dict.check_invariants());
    }
};

} // namespace

TEMPLATE_TEST_CASE_SIG("a key removed and inserted until its slot is exhausted is a member as before: no net change",
                       "[series][exhausted]", ((unsigned Bits), Bits), 2, 3) {
    using R = Retiring<Bits>;
    constexpr unsigned lives_of_a_slot = 1u << (Bits - 1);
    typename R::template set<int> set;
    typename R::template dict<int, double> dict;
    {
        auto w = set.write(1);
        w.add(7);
        w.add(8);
        auto v = dict.write(1);
        v.set(7, 1.0);
        v.create(8);
    }
    const slot_t home = set.slot_of(7);
    auto w = set.write(2);
    auto v = dict.write(2);
    std::set<slot_t> homes;
    for (unsigned life = 0; life != 5 * lives_of_a_slot; ++life) {
        CAPTURE(life);
        REQUIRE(w.remove(7));
        REQUIRE(capture(set, 2) == SetDelta<int>{2, true, {}, {7}});
        REQUIRE(w.add(7));
        REQUIRE(capture(set, 2) == SetDelta<int>{2, true, {}, {}});
        REQUIRE(set.last_modified(7) == 1); // it came in the first window
        REQUIRE_FALSE(set.was_added(7, 2));
        REQUIRE_FALSE(set.was_removed(7, 2));
        homes.insert(set.slot_of(7));

        REQUIRE(v.remove(7));
        REQUIRE(capture(dict, 2) == DictDelta<int, double>{2, true, true, {}, {7}, {}, {}});
        REQUIRE(dict.removed_items(2).size() == 1);
        v.create(7);
        REQUIRE(capture(dict, 2) == DictDelta<int, double>{2, true, true, {}, {}, {7}, {}});
        v.set(7, life);
        REQUIRE(capture(dict, 2) == DictDelta<int, double>{2, true, true, {}, {}, {}, {{7, double(life)}}});
        REQUIRE(dict.removed_items(2).empty());
        REQUIRE(set.check_invariants());
        REQUIRE(dict.check_invariants());
    }
    REQUIRE(homes.size() >= 5);
    REQUIRE(set.slot_of(7) != home);
    // New in this window: nothing is left of it, however often it came.
    for (unsigned life = 0; life != 5 * lives_of_a_slot; ++life) {
        w.add(9);
        REQUIRE(capture(set, 2) == SetDelta<int>{2, true, {9}, {}});
        w.remove(9);
        REQUIRE(capture(set, 2) == SetDelta<int>{2, true, {}, {}});
    }
    w.close();
    v.close();
    set.write(3).touch();
    REQUIRE(set.pending() == 0);
    REQUIRE(set.as_set().retired() >= 8);
    REQUIRE(set.state(home) != SlotState::live);
    REQUIRE(set.check_invariants());
}

TEST_CASE("an element that had no value when the window opened has none to be removed, in whichever slot",
          "[series][exhausted]") {
    Retiring<2>::dict<int, double> dict;
    dict.write(1).create(7);
    auto w = dict.write(2);
    for (int life = 0; life != 9; ++life) {
        w.set(7, 1.0);
        REQUIRE(w.remove(7));
        REQUIRE(dict.removed_items(2).empty());
        REQUIRE(dict.removed_keys(2).size() == 1);
        w.create(7);
        REQUIRE(capture(dict, 2) == DictDelta<int, double>{2, true, true, {}, {}, {7}, {}});
    }
}

TEST_CASE("the removed value that is shown is the last one, in whichever slot it was", "[series][exhausted]") {
    Retiring<2>::dict<int, double> dict;
    dict.write(1).set(7, 1.0);
    auto w = dict.write(2);
    for (int life = 0; life != 9; ++life) {
        w.set(7, 100.0 + life);
        w.remove(7);
        std::vector<double> values;
        for (const auto [key, value] : dict.removed_items(2)) values.push_back(value);
        REQUIRE(values == std::vector<double>{100.0 + life});
        w.create(7);
    }
}

TEST_CASE("subscribers to a key are notified of it in every slot that it gets", "[series][exhausted]") {
    struct Counter final : SeriesSubscriber<Time> {
        int told = 0;
        void on_tick(const SeriesTick<Time>&) noexcept override { ++told; }
    } counter;
    Retiring<2>::set<int> set;
    const auto token = set.subscribe(7, counter);
    for (Time time = 1; time != 40; ++time) {
        auto w = set.write(time);
        if (!set.contains(7)) w.add(7);
        w.remove(7);
        if (time % 2 == 0) w.add(7);
        w.close();
        REQUIRE(counter.told == time);
    }
    REQUIRE(set.as_set().retired() > 5);
}

TEST_CASE("a series with exhausted slots goes on after a copy, a move and a restore in the middle of the window",
          "[series][exhausted]") {
    using Dict = Retiring<2>::dict<int, double>;
    Dict dict;
    for (Time time = 1; time != 4; ++time) {
        auto w = dict.write(time);
        for (int life = 0; life != 3; ++life)
            for (int key = 0; key != 5; ++key) w.remove(key), w.set(key, life);
        if (time == 3) w.remove(1);
    }
    Dict copy = dict, restored;
    restored.restore(dict.snapshot());
    Dict source = dict;
    Dict moved = std::move(source);
    for (Dict* const series : {&dict, &copy, &restored, &moved}) {
        auto w = series->write(3);
        w.remove(0);
        w.set(0, 50.0);
        w.set(1, 51.0);
        w.remove(2);
        w.close();
        REQUIRE(capture(*series, 3) == capture(dict, 3));
        REQUIRE(capture(*series, 3).removed == std::vector<int>{2});
        REQUIRE(series->check_invariants());
        REQUIRE(series->handle_of(0) == dict.handle_of(0));
    }
}

TEST_CASE("bug: a key whose slot was exhausted came back beyond what its subscribers covered",
          "[series][exhausted][subscriber]") {
    FullAndHeard series;
    for (Time time = 2; time != 4; ++time) { // a slot lives twice
        auto w = series.set.write(time);
        w.remove(7);
        w.add(7);
        auto v = series.dict.write(time);
        v.remove(7);
        v.set(7, 0);
    }
    series.check_beyond();
}

TEST_CASE("bug: a key new in its window, whose slot was then exhausted, came back beyond what its subscribers covered",
          "[series][exhausted][subscriber]") {
    FullAndHeard series;
    series.set.write(2).remove(7);
    series.dict.write(2).remove(7);
    {
        auto w = series.set.write(3);
        w.add(7);
        w.remove(7); // its slot has lived twice
        auto v = series.dict.write(3);
        v.set(7, 0);
        v.remove(7);
    }
    REQUIRE(series.set.capacity() == 64);
    REQUIRE(series.dict.capacity() == 64);
    series.set.write(3).add(7);
    series.dict.write(3).set(7, 0);
    series.check_beyond();
}

TEST_CASE("bug: a nested series removed and created again notified its subscribers in another slot, but not in the same",
          "[series][exhausted][subscriber][nested]") {
    Count heard;
    Retiring<2>::dict<int, TSSStorage<int>> dict;
    dict.write(1).create(7);
    for (Time time = 2; time != 4; ++time) { // a slot lives twice
        const slot_t home = dict.slot_of(7);
        const auto token = dict.at(7).subscribe(heard);
        {
            auto w = dict.write(time);
            w.modify(7).add(1);
            w.remove(7);
            w.create(7);
        }
        REQUIRE((dict.slot_of(7) == home) == (time == 2));
        REQUIRE(heard.ticks == 0);
        REQUIRE_FALSE(token.attached());
        REQUIRE(dict.check_invariants());
    }
}

TEST_CASE("bug: a new nested series, removed and created again in another slot, notified its subscribers",
          "[series][exhausted][subscriber][nested]") {
    Count heard;
    Retiring<2>::dict<int, TSSStorage<int>> dict;
    dict.write(1).create(7);
    dict.write(2).remove(7);
    dict.write(3).create(7); // its slot lives for the last time
    const slot_t home = dict.slot_of(7);
    const auto token = dict.at(7).subscribe(heard);
    {
        auto w = dict.write(3);
        w.modify(7).add(1);
        w.remove(7);
        w.create(7);
    }
    REQUIRE(dict.slot_of(7) != home);
    REQUIRE(heard.ticks == 0);
    REQUIRE(dict.check_invariants());
}
