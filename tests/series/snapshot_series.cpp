// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots of series in the middle of a window: restored, they have the same slots, handles, times and deltas, and the same
// future. Untrusted bytes are in snapshot_series_hostile.cpp.
#include "support/thrown.hpp"
#include "whole.hpp"

namespace {

using namespace test;

struct Ear final : SeriesSubscriber<Time> {
    int told = 0;
    void on_tick(const SeriesTick<Time>& tick) noexcept override {
        ++told;
        kind = tick.kind;
    }
    void on_end(const SeriesTick<Time>&) noexcept override { ++ended; }
    TickKind kind = TickKind::changed;
    int ended = 0;
};

template <class Range>
auto listed(const Range& range) {
    using Key = std::remove_cvref_t<decltype(*range.begin())>;
    return std::vector<Key>(range.begin(), range.end());
}

/// Where two series differ in what readers see, slot by slot and in the order of deltas; "" where they do not.
template <class Series>
std::string unlike(const Series& a, const Series& b) {
    if (a.window() != b.window()) return "window()";
    if (a.last_modified() != b.last_modified() || a.size() != b.size() || a.pending() != b.pending()) return "the whole";
    const slot_t slots = static_cast<slot_t>(std::max(a.capacity(), b.capacity()));
    for (slot_t slot = 0; slot != slots; ++slot) {
        if (a.state(slot) != b.state(slot) || a.handle_at(slot) != b.handle_at(slot)) return "a slot or handle";
        if (a.state(slot) != SlotState::live && a.state(slot) != SlotState::pending) continue;
        if (a.key(slot) != b.key(slot) || a.times().at(slot) != b.times().at(slot)) return "a key or its time";
        if constexpr (nests<Series>()) {
            if (const auto inner = unlike(a.value(slot), b.value(slot)); !inner.empty()) return "in an element: " + inner;
        } else if constexpr (!is_set<Series>) {
            if (!(a.value(slot) == b.value(slot))) return "a value";
        }
    }
    const Time now = a.window();
    if constexpr (is_set<Series>) {
        if (listed(a.added(now)) != listed(b.added(now)) || listed(a.removed(now)) != listed(b.removed(now))) return "deltas";
    } else {
        if (a.keys().last_modified() != b.keys().last_modified()) return "keys().last_modified()";
        if (listed(a.added_keys(now)) != listed(b.added_keys(now)) ||
            listed(a.removed_keys(now)) != listed(b.removed_keys(now)) ||
            listed(a.reset_keys(now)) != listed(b.reset_keys(now)) ||
            listed(a.modified_keys(now)) != listed(b.modified_keys(now)))
            return "deltas";
        std::vector<slot_t> items, others;
        for (auto range = a.removed_items(now); auto it : range)
            items.push_back(static_cast<slot_t>(a.as_set().slot_of_any(it.key)));
        for (auto range = b.removed_items(now); auto it : range)
            others.push_back(static_cast<slot_t>(b.as_set().slot_of_any(it.key)));
        if (items != others) return "removed_items()";
    }
    return "";
}

/// Snapshots in the middle of random windows; then both get the same calls.
template <class Series>
void continues(std::uint64_t seed, std::size_t keys, int rounds) {
    Random random(seed);
    Series series;
    Time time = 1;
    std::size_t pending = 0, changed = 0;
    for (int round = 0; round != rounds; ++round) {
        INFO("seed " << seed << ", round " << round);
        time += random.below(3);
        random_tick(series, time, random, keys);
        if (random.chance(5)) series.shrink_to_fit();
        pending += series.pending();
        const auto bytes = state_of(series);
        Series restored;
        restored.write(99).touch(); // goes
        restored.restore(bytes, SeriesText());
        std::string wrong = unlike(series, restored);
        if (!all_sound(restored)) wrong += "; not sound";
        if (state_of(restored) != bytes) wrong += "; its own snapshot is another one";
        changed += capture(restored, series.window()).empty() ? 0u : 1u;
        for (const Time more : {Time{0}, Time{0}, Time{1}, Time{5}}) {
            Random same = random;
            random_tick(series, time + more, random, keys);
            random_tick(restored, time + more, same, keys);
            if (const auto how = unlike(series, restored); !how.empty()) wrong += "; later: " + how;
            if (state_of(restored) != state_of(series)) wrong += "; later: snapshots differ";
            if (!all_sound(restored)) wrong += "; later: not sound";
        }
        time += 5;
        if (!wrong.empty()) FAIL(wrong);
    }
    REQUIRE(pending > 20);
    REQUIRE(changed > 20);
}

} // namespace

TEMPLATE_TEST_CASE("a series restored in the middle of a window has the same deltas and the same future", "[series][snapshot]",
                   ALL_REPRESENTATIONS) {
    continues<typename TestType::template set<int>>(1, 20, 300);
    continues<typename TestType::template dict<int, double>>(2, 90, 200);
}

TEST_CASE("series of strings are restored with a codec", "[series][snapshot]") {
    continues<DirtyList::dict<std::string, std::string>>(3, 20, 200);
}

TEST_CASE("nested series are restored in the middle of a window, each with its own deltas", "[series][snapshot]") {
    continues<Adaptive::dict<std::string, DirtyList::set<int>>>(4, 5, 200);
    continues<Bitmap::dict<int, Adaptive::dict<int, double>>>(5, 5, 200);
}

TEST_CASE("removed keys and values, nested ones too, are readable after a restore until the window rolls",
          "[series][snapshot]") {
    using Dict = Adaptive::dict<int, Adaptive::set<int>>;
    Dict dict, restored;
    {
        auto w = dict.write(1);
        for (int key = 0; key != 3; ++key) {
            w.create(key);
            w.modify(key).add(key);
        }
    }
    {
        auto w = dict.write(2);
        w.modify(1).remove(1);
        w.modify(1).add(11);
        w.remove(1);
    }
    restored.restore(dict.snapshot());
    REQUIRE(restored.pending() == 1);
    for (const auto [key, value] : restored.removed_items(2)) {
        REQUIRE(key == 1);
        REQUIRE(value.contains(11));
        REQUIRE(value.was_removed(1, 2));
    }
    const slot_t slot = dict.as_set().slot_of_any(1);
    {
        auto w = restored.write(2);
        REQUIRE(w.create(1).it.slot() == slot); // back in its slot
        REQUIRE(w.storage().get(1)->empty());
    }
    REQUIRE(listed(restored.reset_keys(2)) == std::vector<int>{1});
    (void)restored.write(3);
    REQUIRE(capture(restored, 3).empty());
}

TEST_CASE("an empty series, and one that was only touched, are restored as that", "[series][snapshot]") {
    Adaptive::dict<int, double> dict, restored;
    restored.write(5).set(1, 1.0);
    restored.restore(dict.snapshot());
    REQUIRE(restored.empty());
    REQUIRE(restored.window() == never);
    REQUIRE_FALSE(restored.valid());
    dict.write(3).touch();
    restored.restore(dict.snapshot());
    REQUIRE(restored.window() == 3);
    REQUIRE(restored.modified(3));
    REQUIRE_FALSE(restored.keys().valid());
    REQUIRE(capture(restored, 3) == capture(dict, 3));
    restored.write_late(1).set(1, 1.0); // joins
    REQUIRE(restored.last_modified(1) == 3);
}

TEST_CASE("a series with another representation restores the same bytes", "[series][snapshot]") {
    DirtyList::set<int> source;
    Random random(8);
    for (Time time = 1; time != 20; ++time) random_tick(source, time, random, 100);
    Bitmap::set<int> bitmap;
    Adaptive::set<int> adaptive;
    const auto bytes = source.snapshot();
    bitmap.restore(bytes);
    adaptive.restore(bytes);
    REQUIRE(capture(bitmap, source.window()) == capture(source, source.window()));
    REQUIRE(capture(adaptive, source.window()) == capture(source, source.window()));
    REQUIRE(all_sound(bitmap));
    REQUIRE(all_sound(adaptive));
}

TEST_CASE("restoring into a series with subscribers keeps them and notifies them that it was replaced", "[series][snapshot]") {
    Adaptive::dict<int, double> source, target;
    {
        auto w = source.write(1);
        for (int key = 0; key != 100; ++key) w.set(key, key);
    }
    source.write(7).remove(5);
    target.write(3).set(50, 1.0);
    Ear whole, keys, key, absent, removed, slot;
    const auto whole_token = target.subscribe(whole);
    const auto keys_token = target.subscribe_keys(keys);
    const auto key_token = target.subscribe(90, key);
    const auto absent_token = target.subscribe(500, absent);
    const auto removed_token = target.subscribe(5, removed);
    const auto slot_token = target.subscribe_slot(target.slot_of(50), slot);
    target.restore(source.snapshot());
    for (Ear* const each : {&whole, &keys, &key, &absent, &removed}) {
        REQUIRE(std::exchange(each->told, 0) == 1);
        REQUIRE(each->kind == TickKind::replaced);
        REQUIRE(each->ended == 0);
    }
    REQUIRE(slot.told == 0);
    REQUIRE(slot.ended == 1);
    REQUIRE(whole_token.attached());
    REQUIRE(key_token.attached());
    REQUIRE_FALSE(slot_token.attached()); // the element it was for is gone

    target.write(7).set(90, 1.0); // the window that was restored is another one than the subscribers heard of
    REQUIRE(whole.told == 1);
    REQUIRE(key.told == 1);
    REQUIRE(keys.told == 0);
    target.write(8).set(500, 1.0);
    REQUIRE(absent.told == 1);
    REQUIRE(keys.told == 1);
    target.write(9).set(5, 1.0);
    REQUIRE(removed.told == 1);
    REQUIRE(key.told == 1);
    REQUIRE(slot.told == 0);
    REQUIRE(target.check_invariants());
}

TEST_CASE("an insert that was undone, and one in its slot, are in a snapshot what they are", "[series][snapshot]") {
    using Dict = DirtyList::dict<int, ThrowingCopy>;
    Dict dict, restored;
    dict.write(1).create(0);
    {
        auto w = dict.write(2);
        Budget::arm(0);
        REQUIRE_THROWS_AS(w.create(1), InjectedFailure);
        Budget::disarm();
        restored.restore(dict.snapshot(NumberText()), NumberText());
        REQUIRE(restored.added_keys(2).empty());
        w.create(2);
        w.create(1);
    }
    restored.restore(dict.snapshot(NumberText()), NumberText());
    REQUIRE(listed(restored.added_keys(2)) == listed(dict.added_keys(2)));
    REQUIRE(restored.check_invariants());
    REQUIRE(dict.added_keys(2).size() == 2);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
namespace {

bool refuses = false;
/// As of an adapter of a table that allocates when an entry comes.
template <class Allocator>
struct RefusingIndex : HashIndex<Allocator> {
    using HashIndex<Allocator>::HashIndex;
    static constexpr bool nothrow_place = false;
    void place(std::uint64_t hash, slot_t slot) {
        if (refuses) throw InjectedFailure{};
        HashIndex<Allocator>::place(hash, slot);
    }
};

} // namespace

TEST_CASE("a snapshot says nothing of an insert that the index refused after the deltas knew it",
          "[series][snapshot][throws]") {
    using Set = TSSStorage<int, TimeBy<Time>, IndexBy<RefusingIndex>>;
    Set set, restored;
    set.write(1).add(1);
    {
        auto w = set.write(2);
        refuses = true;
        REQUIRE_THROWS_AS(w.add(2), InjectedFailure);
        refuses = false;
    }
    restored.restore(set.snapshot());
    CHECK(restored.check_invariants());
    CHECK(restored.size() == 1);
    CHECK(restored.added(2).empty());
    CHECK(restored.snapshot() == set.snapshot());
    set.write(2).add(3);
    restored.write(2).add(3);
    CHECK(restored.handle_of(3) == set.handle_of(3));
    CHECK(listed(restored.added(2)) == listed(set.added(2)));
}
#endif

TEST_CASE("a restore that runs out of memory destroys no element that it has not built", "[series][snapshot]") {
    TSDStorage<std::string, int> dict;
    {
        auto writer = dict.write(1);
        writer.set("a text too long to be stored in place", 1);
        writer.set("b", 2);
        writer.remove("b");
    }
    const auto bytes = dict.snapshot();
    const auto failures = run_out_of_memory([&](auto&& attempt) {
        TSDStorage<std::string, int> again;
        const bool failed = attempt([&] { again.restore(bytes); });
        CHECK(again.empty() == failed);
        again.check_invariants();
    });
    REQUIRE(failures > 10);
}
