// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaTracker alone, all representations at once in one set, against what was before and what is after: random inserts,
// removals, touches, clears, flushes, growth and shrinking over some thousands of slots.
#include "delta_tracker.hpp"

#include "support/maps.hpp"

#include <map>

using namespace test;

namespace {

template <bool Deferred>
using Tracked3 =
    SetStorage<int, Options<tracked_options(Deferred)>, tracker_of<DirtyList>, tracker_of<Bitmap>, tracker_of<Adaptive>>;

/// A set and what has happened to each slot since the window opened, written down by whoever did it.
template <bool Deferred>
class Model {
public:
    Tracked3<Deferred> set{};

    explicit Model(std::uint64_t seed) : random_(seed) {}

    void open(std::int64_t time) {
        if (Deferred && random_.chance(80)) set.flush_removed();
        REQUIRE(set.template observer<0>().open(time));
        REQUIRE(set.template observer<1>().open(time));
        REQUIRE(set.template observer<2>().open(time));
        time_ = time;
        order_.clear();
        then_.assign(set.capacity(), false);
        ended_.assign(set.capacity(), false);
        touched_.assign(set.capacity(), false);
        keys_then_.clear();
        for (const slot_t slot : set.slots()) {
            then_[slot] = true;
            keys_then_.emplace(set.key(slot), slot);
        }
        flushed_ = false;
    }
    void insert(int key) {
        const auto result = set.insert(key);
        if (result.inserted) touch(result.it.slot());
    }
    void remove(int key) {
        const slot_t slot = set.slot_of(key);
        REQUIRE(set.erase(key) == (slot != no_slot));
        if (slot == no_slot) return;
        touch(slot);
        if (!Deferred) ended_[slot] = true;
    }
    void write(int key) {
        const slot_t slot = set.slot_of(key);
        if (slot == no_slot) return;
        touch(slot);
        set.template observer<0>().touch(slot);
        set.template observer<1>().touch(slot);
        set.template observer<2>().touch(slot);
    }
    void clear() {
        for (const slot_t slot : set.slots()) {
            touch(slot);
            if (!Deferred) ended_[slot] = true;
        }
        set.clear();
    }
    void flush() {
        if constexpr (Deferred) {
            set.for_each_pending([&](slot_t slot) {
                reach(slot);
                ended_[slot] = true;
            });
            set.flush_removed();
            flushed_ = true;
        }
    }
    void check() const {
        REQUIRE(set.check_invariants());
        slot_list added, removed, touched, added_in_order, removed_in_order;
        for (slot_t slot = 0; slot != touched_.size(); ++slot) {
            if (is_added(slot)) added.push_back(slot);
            if (is_removed(slot)) removed.push_back(slot);
            if (touched_[slot]) touched.push_back(slot);
        }
        for (const slot_t slot : order_) {
            if (is_added(slot)) added_in_order.push_back(slot);
            if (is_removed(slot)) removed_in_order.push_back(slot);
        }
        check_order(set.template observer<0>(), added_in_order, removed_in_order, order_);
        check_order(set.template observer<1>(), added, removed, touched);
        // A list while few were touched, bits when many were; between them it depends on when there was room for how many.
        const auto& adaptive = set.template observer<2>();
        const bool many = order_.size() > std::max(adaptive_list, adaptive.words().slot_count / 32);
        const bool few = order_.size() <= adaptive_list;
        if (few || (!many && slots_of(adaptive.touched(time_)) == order_))
            check_order(adaptive, added_in_order, removed_in_order, order_);
        else
            check_order(adaptive, added, removed, touched);
        for_each_tracker([&](const auto& delta) { check_slots(delta, added, removed); });
        if (Deferred && !flushed_) check_keys(added, removed);
    }

private:
    bool is_added(slot_t slot) const {
        return set.state(slot) == SlotState::live && touched_[slot] && (!then_[slot] || ended_[slot]);
    }
    bool is_removed(slot_t slot) const { return then_[slot] && (set.state(slot) != SlotState::live || ended_[slot]); }
    void reach(slot_t slot) {
        if (slot < touched_.size()) return;
        then_.resize(slot + 1, false);
        ended_.resize(slot + 1, false);
        touched_.resize(slot + 1, false);
    }
    void touch(slot_t slot) {
        reach(slot);
        if (touched_[slot] || time_ == never_time) return;
        touched_[slot] = true;
        order_.push_back(slot);
    }
    template <class F>
    void for_each_tracker(F&& f) const {
        f(set.template observer<0>());
        f(set.template observer<1>());
        f(set.template observer<2>());
    }
    template <class Tracker>
    void check_order(const Tracker& delta, const slot_list& added, const slot_list& removed, const slot_list& touched) const {
        REQUIRE(slots_of(delta.added(time_)) == added);
        REQUIRE(slots_of(delta.removed(time_)) == removed);
        REQUIRE(slots_of(delta.touched(time_)) == touched);
    }
    template <class Tracker>
    void check_slots(const Tracker& delta, const slot_list& added, const slot_list& removed) const {
        REQUIRE(delta.window() == time_);
        REQUIRE(delta.check_invariants(set.occupancy()));
        REQUIRE(delta.added(time_).empty() == added.empty());
        REQUIRE(delta.removed(time_ - 1).empty());
        slot_list by_slot_added, by_slot_removed;
        for (slot_t slot = 0; slot != touched_.size(); ++slot) {
            if (delta.was_added(slot, time_)) by_slot_added.push_back(slot);
            if (delta.was_removed(slot, time_)) by_slot_removed.push_back(slot);
        }
        REQUIRE(by_slot_added == added);
        REQUIRE(by_slot_removed == removed);
    }
    /// What the user of the keys sees: who was a member then, and who is now.
    void check_keys(const slot_list& added, const slot_list& removed) const {
        std::map<int, slot_t> came, went = keys_then_;
        for (const slot_t slot : set.slots())
            if (went.erase(set.key(slot)) == 0) came.emplace(set.key(slot), slot);
        REQUIRE(came.size() == added.size());
        REQUIRE(went.size() == removed.size());
        for (const slot_t slot : added) REQUIRE(came.at(set.key(slot)) == slot);
        for (const slot_t slot : removed) REQUIRE(went.at(set.key(slot)) == slot); // still readable
    }

    std::int64_t time_ = never_time;
    std::vector<bool> then_{}, ended_{}, touched_{};
    slot_list order_{};
    std::map<int, slot_t> keys_then_{};
    bool flushed_ = false;
    Random random_;
};

template <bool Deferred>
void random_windows(std::uint64_t seed, int windows, int spread) {
    CAPTURE(seed);
    Random random(seed);
    Model<Deferred> model(seed + 1);
    for (int i = 0; i != 5000; ++i) model.insert(i);
    std::int64_t time = -100;
    std::size_t most = 0;
    for (int window = 0; window != windows; ++window) {
        model.open(time += 1 + random.below(5));
        const int steps = 1 + static_cast<int>(random.below(4));
        for (int step = 0; step != steps; ++step) {
            // Few changes, some, or so many that whole words are full.
            const unsigned kind = random.below(3);
            const unsigned changes = kind == 0 ? random.below(4) : kind == 1 ? random.below(60) : random.below(2500);
            const unsigned inserts = 20 + random.below(50);
            const auto range = random.chance(30) ? 200u : static_cast<unsigned>(spread); // often the same few keys
            for (unsigned i = 0; i != changes; ++i) {
                const auto key = static_cast<int>(random.below(range));
                const unsigned what = random.below(100);
                if (what < inserts)
                    model.insert(key);
                else if (what < 90)
                    model.remove(key);
                else
                    model.write(key);
            }
            if (random.chance(3)) model.clear();
            if (random.chance(15)) model.flush();
            if (random.chance(5)) model.set.shrink_to_fit();
            if (random.chance(5)) model.set.reserve(model.set.size() + random.below(3000));
            model.check();
            most = std::max(most, model.set.occupancy().size());
        }
    }
    CHECK(most > 64 * 64);
}

} // namespace

TEST_CASE("trackers of all representations distinguish before from after, with deferred erase", "[delta_tracker][model]") {
    for (std::uint64_t seed = 1; seed != 4; ++seed) random_windows<true>(seed, 40, 9000);
}

TEST_CASE("trackers of all representations distinguish before from after, without deferred erase", "[delta_tracker][model]") {
    for (std::uint64_t seed = 11; seed != 14; ++seed) random_windows<false>(seed, 40, 9000);
}

TEST_CASE("ten changes among very many slots are found", "[delta_tracker][model]") {
    Random random(5);
    Tracked3<true> set;
    const int slots = 64 * 64 * 64 + 1000;
    for (int i = 0; i != slots; ++i) set.insert(i);
    for (std::int64_t time = 1; time != 40; ++time) {
        set.flush_removed();
        set.observer<0>().open(time);
        set.observer<1>().open(time);
        set.observer<2>().open(time);
        slot_list gone;
        for (int i = 0; i != 10; ++i) {
            const slot_t slot = random.chance(20) ? 64 * random.below(slots / 64) : random.below(slots);
            if (set.state(slot) != SlotState::live) continue;
            set.remove(set.key(slot));
            gone.push_back(slot);
        }
        REQUIRE(slots_of(set.observer<0>().removed(time)) == gone);
        REQUIRE(slots_of(set.observer<2>().removed(time)) == gone);
        std::sort(gone.begin(), gone.end());
        REQUIRE(slots_of(set.observer<1>().removed(time)) == gone);
        slot_list back;
        for (std::size_t i = 0; i < gone.size(); i += 2) {
            set.insert(set.key(gone[i]));
            back.push_back(gone[i]);
        }
        for (const slot_t slot : back) gone.erase(std::find(gone.begin(), gone.end(), slot));
        REQUIRE(sorted(set.observer<0>().removed(time)) == gone);
        REQUIRE(slots_of(set.observer<1>().removed(time)) == gone);
        REQUIRE(sorted(set.observer<2>().removed(time)) == gone);
        REQUIRE(set.observer<2>().added(time).empty());
    }
    CHECK(set.observer<2>().check_invariants(set.occupancy()));
}
