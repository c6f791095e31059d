// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Faults that other implementations of series had, each as a test: what is lost, repeated or taken for something else.
#include "replica.hpp"

#include <memory>
#include <optional>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Nested = TSDStorage<int, Dict>;

template <class Range>
std::vector<int> listed(const Range& range) {
    std::vector<int> keys;
    for (const int key : range) keys.push_back(key);
    return keys;
}
using Keys = std::vector<int>;

} // namespace

TEST_CASE("a removal is told in its window, and not repeated by a later tick, reader or writer", "[series][no_news]") {
    Dict dict;
    Set set;
    dict.write(1).set(1, 10);
    dict.write(1).set(2, 20);
    set.write(1).add(1);
    dict.write(2).remove(1);
    set.write(2).remove(1);
    CHECK(listed(dict.removed_keys(2)) == Keys{1});
    dict.write(2).touch(); // the same window: still there, once
    CHECK(listed(dict.removed_keys(2)) == Keys{1});
    CHECK_FALSE(dict.write(2).remove(1));
    CHECK(listed(dict.removed_keys()) == Keys{1});
    dict.write(3).touch(); // a tick that changes nothing
    set.write(3).touch();
    CHECK((dict.modified(3) && dict.removed_keys(3).empty() && dict.removed_items().empty() && set.removed().empty()));
    CHECK(capture(dict, 3).removed.empty());
    CHECK((dict.removed_keys(2).empty() && !dict.was_removed(1, 2) && !dict.was_removed(1, 3)));
    dict.write(4).remove(1); // is none
    CHECK((!dict.modified(4) && capture(dict, 4).empty()));
}

TEST_CASE("a child that was emptied still owes its removals", "[series][no_news]") {
    Nested dict, replica;
    {
        auto w = dict.write(1);
        w.create(1);
        auto child = w.modify(1);
        child.set(5, 50);
        child.set(6, 60);
    }
    replica.write(1).apply(capture(dict, 1));
    const int how = GENERATE(0, 1, 2);
    {
        auto child = dict.write(2).modify(1);
        if (how == 0)
            child.clear();
        else if (how == 1) {
            child.remove(5);
            child.remove(6);
        } else
            child.erase_if([](int, int) { return true; });
    }
    CHECK((dict.get(1)->empty() && dict.modified(1, 2) && listed(dict.modified_keys(2)) == Keys{1}));
    CHECK(listed(dict.get(1)->removed_keys(2)) == Keys{5, 6});
    const auto delta = capture(dict, 2);
    REQUIRE(delta.modified.size() == 1);
    CHECK(delta.modified[0].second.removed == Keys{5, 6});
    replica.write(2).apply(delta);
    CHECK((replica.get(1)->empty() && replica.contains(1) && difference(dict, replica) == ""));
}

TEST_CASE("no news is not empty: a window without a write has no delta and changes nothing", "[series][no_news]") {
    Dict dict, replica;
    Nested nested;
    dict.write(1).set(1, 10);
    replica.write(1).apply(capture(dict, 1));
    static_cast<void>(dict.write(2)); // opened, and nothing written
    const auto none = capture(dict, 2);
    CHECK((none.empty() && !none.ticked && !none.keys_ticked && !none.invalidated));
    replica.write(2).apply(none);
    CHECK((replica.size() == 1 && !replica.modified(2) && difference(dict, replica) == ""));
    dict.write(3).clear(); // this is empty
    const auto empty = capture(dict, 3);
    CHECK((empty.ticked && empty.removed == Keys{1}));
    dict.write(4).clear(); // empty as before, and written
    CHECK((capture(dict, 4).empty() && capture(dict, 4).ticked));
    const auto early = capture(dict, 5); // a window that was never opened
    CHECK((early.empty() && !early.ticked));
    const Dict untouched;
    CHECK((!capture(untouched, 1).ticked && !untouched.valid()));
    {
        auto w = nested.write(1);
        w.create(1);
        w.create(2);
        w.modify(2).set(5, 50);
    }
    CHECK((!nested.valid(1) && capture(nested, 1).modified.size() == 1)); // the child that was not written has no delta
}

TEST_CASE("the first child that is empty stays valid", "[series][no_news]") {
    Nested dict, replica;
    {
        auto w = dict.write(1);
        w.create(1);
        w.modify(1).touch(); // written, and empty
    }
    CHECK((dict.valid(1) && dict.get(1)->valid() && dict.get(1)->empty()));
    const auto delta = capture(dict, 1);
    REQUIRE(delta.modified.size() == 1);
    CHECK((delta.modified[0].second.empty() && delta.modified[0].second.ticked));
    replica.write(1).apply(delta);
    CHECK((replica.valid(1) && replica.get(1)->valid() && difference(dict, replica) == ""));
    dict.write(2).create(2);
    dict.write(3).modify(2).clear();
    CHECK((dict.valid(1) && dict.valid(2) && dict.count_valid() == 2));
    Nested restored;
    restored.restore(dict.snapshot());
    CHECK((restored.valid(1) && restored.get(1)->valid()));
}

TEST_CASE("the removal of the last key stays visible after the series is filled again in the window", "[series][no_news]") {
    Dict dict, replica;
    Set set;
    dict.write(1).set(1, 10);
    set.write(1).add(1);
    replica.write(1).apply(capture(dict, 1));
    {
        auto w = dict.write(2);
        auto s = set.write(2);
        w.remove(1);
        s.remove(1);
        REQUIRE((w.empty() && s.empty()));
        w.set(2, 20);
        s.add(2);
    }
    CHECK((listed(dict.removed_keys(2)) == Keys{1} && listed(dict.added_keys(2)) == Keys{2}));
    CHECK((listed(set.removed(2)) == Keys{1} && listed(set.added(2)) == Keys{2}));
    for (const auto [key, value] : dict.removed_items(2)) CHECK((key == 1 && value == 10));
    dict.write(2).set(3, 30); // another writer, after subscribers were notified
    CHECK(listed(dict.removed_keys(2)) == Keys{1});
    replica.write(2).apply(capture(dict, 2));
    CHECK(difference(dict, replica) == "");
}

TEST_CASE("a value that says none is a value: it removes nothing", "[series][no_news]") {
    TSDStorage<int, std::optional<int>> dict, replica;
    TSDStorage<int, std::shared_ptr<int>> pointers;
    dict.write(1).set(1, 10);
    replica.write(1).apply(capture(dict, 1));
    dict.write(2).set(1, std::nullopt);
    CHECK((dict.contains(1) && dict.valid(1) && dict.modified(1, 2) && dict.get(1) != nullptr && !dict.at(1)));
    CHECK((dict.removed_keys(2).empty() && dict.reset_keys(2).empty()));
    replica.write(2).apply(capture(dict, 2));
    CHECK((replica.contains(1) && !replica.at(1) && difference(dict, replica) == ""));
    pointers.write(1).set(1, nullptr);
    CHECK((pointers.contains(1) && pointers.valid(1) && pointers.removed_keys(1).empty()));
    dict.write(3).invalidate(1); // no value is something else than a value that says none
    CHECK((dict.contains(1) && !dict.valid(1)));
}

TEST_CASE("a reserve before or after windows roll changes nothing against a run without", "[series][no_news]") {
    Random random(17);
    for (int run = 0; run != rounds_of(120); ++run) {
        TSDStorage<int, int, Options<SeriesOptions{.page_slots = 64}>> plain, before, after;
        for (Time time = 1; time != 20; ++time) {
            Random twin = random, third = random;
            const auto more = static_cast<std::size_t>(40 * time);
            random_tick(plain, time, random, 90);
            before.reserve(more); // before the window of `time` erases what was removed
            random_tick(before, time, twin, 90);
            random_tick(after, time, third, 90);
            after.reserve(more);
            for (const auto* const each : {&before, &after}) {
                REQUIRE(difference(plain, *each) == "");
                REQUIRE(capture(*each, time) == capture(plain, time));
                REQUIRE(each->pending() == plain.pending());
                for (const slot_t slot : plain.slots()) REQUIRE(each->handle_at(slot) == plain.handle_at(slot));
                REQUIRE(each->check_invariants());
            }
        }
    }
}

//=== dynamic observers ===//

namespace {

/// The members by slot, as an observer sees them.
struct Mirror final : SlotObserver {
    std::vector<bool> live{};
    int events = 0;
    void on_capacity(slot_t, slot_t slots) override { live.resize(slots); }
    void on_insert(slot_t slot, InsertKind) noexcept override {
        live[slot] = true;
        ++events;
    }
    void on_remove(slot_t slot) noexcept override {
        live[slot] = false;
        ++events;
    }
    void on_reset() noexcept override { live.clear(); }
    template <class Series>
    bool mirrors(const Series& series) const {
        for (slot_t slot = 0; slot != live.size(); ++slot)
            if (live[slot] != (series.state(slot) == SlotState::live)) return false;
        return live.size() == series.capacity();
    }
};

} // namespace

TEMPLATE_TEST_CASE("a dynamic observer follows the slots of a series through windows, restores and assignments", "[series]",
                   (TSSStorage<int>), (TSDStorage<int, int>), (TSDStorage<int, TSSStorage<int>>)) {
    Random random(5);
    TestType series, other;
    Mirror mirror;
    random_tick(series, 1, random, 30);
    auto token = series.attach(mirror);
    REQUIRE(mirror.mirrors(series));
    for (Time time = 2; time != rounds_of(300); ++time) {
        random_tick(series, time, random, 30);
        random_tick(other, time, random, 30);
        REQUIRE(mirror.mirrors(series));
        if (time % 10 == 0) {
            series.restore(series.snapshot());
            REQUIRE(token.attached());
            REQUIRE(mirror.mirrors(series));
        }
        if (time % 15 == 0) {
            series = other;
            REQUIRE(token.attached());
            REQUIRE(mirror.mirrors(series));
        }
        REQUIRE(series.check_invariants());
    }
    TestType moved(std::move(series));
    REQUIRE((token.attached() && mirror.mirrors(moved)));
    const int events = mirror.events;
    token.detach();
    random_tick(moved, 1'000, random, 30);
    REQUIRE(mirror.events == events);
}

TEST_CASE("an observer that throws is not attached; one that throws at a restore leaves a new series", "[series][throws]") {
    struct Refusing final : SlotObserver {
        bool refuses = true;
        int resets = 0;
        void on_capacity(slot_t, slot_t slots) override {
            if (refuses && slots != 0) throw 5;
        }
        void on_reset() noexcept override { ++resets; }
    } refusing;
    Dict dict, source;
    dict.write(1).set(1, 10);
    source.write(7).set(2, 20);
    CHECK_THROWS_AS(dict.attach(refusing), int);
    CHECK((dict.size() == 1 && dict.check_invariants()));
    refusing.refuses = false;
    const auto token = dict.attach(refusing);
    refusing.refuses = true;
    CHECK_THROWS_AS(dict.restore(source.snapshot()), int);
    CHECK((dict.empty() && !dict.valid() && dict.window() == Dict::never && dict.pending() == 0 && dict.check_invariants()));
    refusing.refuses = false;
    dict.write(1).set(3, 30);
    CHECK((dict.size() == 1 && *dict.get(3) == 30 && dict.check_invariants()));
}
