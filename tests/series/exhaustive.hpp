// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every sequence of operations on two keys in one window, each checked against what was before and what is after, and by a
// replica that knows the one and is given the captured delta. The oracle is a few arrays and no part of the library.
// Sequences have four operations in the suite that everybody runs, and five or six at full bounds (support/bounds.hpp).
//     walk_all<SetWorld<R>>(start, 6);
#ifndef SLOTWISE_TESTS_SERIES_EXHAUSTIVE_HPP
#define SLOTWISE_TESTS_SERIES_EXHAUSTIVE_HPP

#include "support/bounds.hpp"
#include "support/catch.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace test {

using namespace slotwise;

using Time = std::int64_t;
inline constexpr Time no_time = TimeTraits<Time>::never();
inline constexpr Time before_it = 4, it = 9; // the window before, and the one that is tested
inline constexpr int key_count = 2;

template <DeltaRepresentation R>
using SmallSet = TSSStorage<int, TimeBy<Time>, Options<SeriesOptions{.delta = R, .page_slots = 64}>>;
template <DeltaRepresentation R>
using SmallDict = TSDStorage<int, int, TimeBy<Time>, Options<SeriesOptions{.delta = R, .page_slots = 64}>>;

/// Keys from here on are there to fill lists and words; only their number counts.
inline constexpr int crowd_key = 1'000;

/// Bit k: key k is in the range. Bit 7: something is there twice, or is no key.
template <class Range>
unsigned mask_of(const Range& range) {
    unsigned mask = 0;
    for (const auto& item : range) {
        int key = 0;
        if constexpr (requires { item.key; })
            key = item.key;
        else if constexpr (requires { item.first; })
            key = item.first;
        else
            key = item;
        if (key >= crowd_key) continue;
        const unsigned bit = key >= 0 && key < key_count ? 1u << key : 128u;
        mask |= (mask & bit) != 0 ? 128u : bit;
    }
    return mask;
}
inline constexpr bool has(unsigned mask, int key) noexcept { return (mask >> key & 1u) != 0; }

/// What the oracle knows of a key.
struct Known {
    bool member = false;
    bool valid = false;
    bool renewed = false; // it was removed in this window
    int value = 0;        // of the element that is there, or was there last
    Time time = no_time;
    Time came = no_time; // of a set's member when the window opened: a member that comes back keeps its time
};
/// What the oracle knows of a series.
struct Knowledge {
    std::array<Known, key_count> keys{};
    Time whole = no_time, membership = no_time;
    std::size_t crowd = 0; // further members

    unsigned members() const noexcept {
        unsigned mask = 0;
        for (int key = 0; key != key_count; ++key) mask |= unsigned{at(key).member} << key;
        return mask;
    }
    const Known& at(int key) const noexcept { return keys[static_cast<std::size_t>(key)]; }
    Known& at(int key) noexcept { return keys[static_cast<std::size_t>(key)]; }

    void touch(Time time) noexcept { whole = time; }
    void enter(int key, Time time) noexcept {
        at(key).member = true;
        at(key).valid = false;
        at(key).value = 0;
        at(key).time = no_time;
        whole = membership = time;
    }
    void stamp(int key, Time time) noexcept {
        at(key).valid = true;
        at(key).time = time;
        whole = time;
    }
    bool leave(int key, Time time) noexcept {
        if (!at(key).member) return false;
        at(key).member = at(key).valid = false;
        at(key).renewed = true;
        at(key).time = no_time;
        whole = membership = time;
        return true;
    }
    void leave_all(Time time) noexcept {
        for (int key = 0; key != key_count; ++key) leave(key, time);
        if (crowd != 0) membership = time;
        crowd = 0;
        whole = time;
    }
};

/// What every series says, against the oracle. @return what is wrong, or null
template <class Series>
const char* wrong_of_both(const Series& series, const Knowledge& before, const Knowledge& after) {
    if (series.window() != it) return "window()";
    const unsigned now = after.members(), was = before.members();
    if (mask_of(series.as_set()) != now) return "the members when walked";
    if (series.size() != (now & 1u) + (now >> 1) + after.crowd) return "size()";
    if (series.empty() != (series.size() == 0)) return "empty()";
    if (series.last_modified() != after.whole) return "last_modified()";
    if (series.valid() != (after.whole != no_time)) return "valid()";
    if (series.modified(it) != (after.whole == it)) return "modified(time)";
    for (int key = 0; key != key_count; ++key) {
        const Known& known = after.at(key);
        if (series.contains(key) != known.member) return "contains(key)";
        if (series.valid(key) != known.valid) return "valid(key)";
        if (series.last_modified(key) != known.time) return "last_modified(key)";
        if (series.modified(key, it) != (known.time == it)) return "modified(key, time)";
        if (series.was_added(key, it) != has(now & ~was, key)) return "was_added(key, time)";
        if (series.was_removed(key, it) != has(was & ~now, key)) return "was_removed(key, time)";
        if (series.was_added(key, before_it) || series.was_removed(key, before_it))
            return "was_added, was_removed of an older time";
        if (series.was_added(key, it + 1) || series.was_removed(key, it + 1)) return "was_added, was_removed of a later time";
    }
    return nullptr;
}

//=== sets ===//

template <DeltaRepresentation R>
struct SetWorld {
    enum Op { add0, add1, remove0, remove1, clear, touch, assign_none, assign_both, assign0, assign1 };
    static constexpr const char* op_names[] = {"add 0", "add 1",     "remove 0",      "remove 1",   "clear",
                                               "touch", "assign {}", "assign {0, 1}", "assign {0}", "assign {1}"};
    static constexpr int ops = 10;
    static constexpr int ops_of_symmetry = 8; // without those that assign one key
    enum Start { never_written, one, both, none_after_both };
    static constexpr const char* start_names[] = {"nothing", "key 0", "both keys", "nothing, but both keys were there"};

    SmallSet<R> series;
    Knowledge known;

    /// @param crowd members before, who leave and come back as the window opens
    explicit SetWorld(int start, int crowd = 0) {
        for (int i = 0; i != crowd; ++i) series.write(1).add(crowd_key + i);
        if (crowd != 0) known.whole = known.membership = 1;
        known.crowd = static_cast<std::size_t>(crowd);
        if (start != never_written) {
            auto w = series.write(1);
            for (int key = 0; key != (start == one ? 1 : 2); ++key) w.add(key), known.enter(key, 1), known.stamp(key, 1);
        }
        if (start == none_after_both) {
            auto w = series.write(before_it);
            w.clear();
            known.leave_all(before_it);
        }
        for (auto& key : known.keys) key.renewed = false;
    }
    void open() {
        for (auto& key : known.keys) key.came = key.time;
        auto w = series.write(it);
        for (int i = 0; i != static_cast<int>(known.crowd); ++i) w.remove(crowd_key + i), w.add(crowd_key + i);
        if (known.crowd != 0) known.whole = it;
    }
    void come(int key) noexcept {
        known.enter(key, it);
        known.stamp(key, it);
        if (known.at(key).came != no_time) known.at(key).time = known.at(key).came;
    }
    /// @return what is wrong with the answer, or null
    const char* act(int op, int step) {
        auto w = series.write_late(step % 2 == 0 ? it : before_it); // an older time joins the open window
        switch (op) {
        case add0:
        case add1: {
            const int key = op - add0;
            const bool fresh = !known.at(key).member;
            if (fresh) come(key);
            return w.add(key) == fresh ? nullptr : "what add() returns";
        }
        case remove0:
        case remove1:
            return w.remove(op - remove0) == known.leave(op - remove0, it) ? nullptr : "what remove() returns";
        case clear:
            w.clear();
            known.leave_all(it);
            return nullptr;
        case touch:
            w.touch();
            known.touch(it);
            return nullptr;
        default:
            break;
        }
        const unsigned wanted = op == assign_none ? 0u : op == assign_both ? 3u : 1u << (op - assign0);
        std::vector<int> range;
        for (int key = 0; key != key_count; ++key) {
            if (has(wanted, key)) range.push_back(key);
            if (has(wanted, key) && !known.at(key).member)
                come(key);
            else if (!has(wanted, key))
                known.leave(key, it);
        }
        if (known.whole == no_time || known.crowd != 0) known.touch(it);
        known.crowd = 0;
        w.assign(range);
        return nullptr;
    }
    const char* wrong(const SetWorld& start, std::unordered_set<std::uint64_t>& seen) const {
        if (const char* what = wrong_of_both(series, start.known, known)) return what;
        const unsigned now = known.members(), was = start.known.members();
        if (mask_of(series.added(it)) != (now & ~was)) return "added(time)";
        if (mask_of(series.removed(it)) != (was & ~now)) return "removed(time)";
        const TSSView<int> view = series;
        if (mask_of(view.added(it)) != (now & ~was) || mask_of(view.removed(it)) != (was & ~now)) return "the view's deltas";
        if (!series.added(before_it).empty() || !series.removed(it + 1).empty()) return "deltas of another window";

        const auto delta = capture(series, it);
        if (delta.time != it || delta.ticked != (known.whole == it)) return "time and ticked of the captured delta";
        if (mask_of(delta.added) != (now & ~was)) return "added of the captured delta";
        if (mask_of(delta.removed) != (was & ~now)) return "removed of the captured delta";

        // What a replica becomes depends on the start and the delta; each such pair is tried once.
        std::uint64_t what = unsigned{delta.ticked} << 1 | unsigned{known.crowd != 0};
        for (const auto* list : {&delta.added, &delta.removed})
            what = what << 4 | static_cast<std::uint64_t>(list->empty() ? 0 : list->front() % 4) << 2 | mask_of(*list);
        if (!seen.insert(what).second) return nullptr;
        for (const Strictness mode : {Strictness::strict, Strictness::lenient}) {
            SmallSet<R> replica = start.series;
            replica.write(it).apply(delta, mode);
            if (!(replica == series) || replica.last_modified() != known.whole) return "the replica";
            for (int key = 0; key != key_count; ++key)
                if (replica.last_modified(key) != known.at(key).time) return "the times of the replica's members";
            if (!(capture(replica, it) == delta)) return "what the replica captures";
            if (!replica.check_invariants()) return "the replica's invariants";
        }
        return nullptr;
    }
};

//=== dictionaries ===//

template <DeltaRepresentation R>
struct DictWorld {
    enum Op { set0, set1, create0, create1, remove0, remove1, clear, touch };
    static constexpr const char* op_names[] = {"set 0",    "set 1",    "create 0", "create 1",
                                               "remove 0", "remove 1", "clear",    "touch"};
    static constexpr int ops = 8;
    enum Start { never_written, one, one_without_value, one_of_each, both, none_after_both };
    static constexpr const char* start_names[] = {"nothing",
                                                  "key 0 with a value",
                                                  "key 0 without a value",
                                                  "key 0 with a value, key 1 without",
                                                  "both keys with values",
                                                  "nothing, but both keys were there"};

    SmallDict<R> series;
    Knowledge known;

    /// @param crowd members before, who are written as the window opens
    explicit DictWorld(int start, int crowd = 0) {
        for (int i = 0; i != crowd; ++i) series.write(1).set(crowd_key + i, 0);
        if (crowd != 0) known.whole = known.membership = 1;
        known.crowd = static_cast<std::size_t>(crowd);
        if (start == never_written) return;
        auto w = series.write(1);
        const auto set = [&](int key) {
            w.set(key, 100 + key);
            known.enter(key, 1), known.stamp(key, 1), known.at(key).value = 100 + key;
        };
        const auto create = [&](int key) { w.create(key), known.enter(key, 1); };
        if (start == one_without_value)
            create(0);
        else
            set(0);
        if (start == one_of_each) create(1);
        if (start == both || start == none_after_both) set(1);
        w.close();
        if (start == none_after_both) {
            series.write(before_it).clear();
            known.leave_all(before_it);
        }
        for (auto& key : known.keys) key.renewed = false;
    }
    void open() {
        auto w = series.write(it);
        for (int i = 0; i != static_cast<int>(known.crowd); ++i) w.set(crowd_key + i, 1);
        if (known.crowd != 0) known.whole = it;
    }
    /// Step number `step` sets the value step + 1.
    const char* act(int op, int step) {
        auto w = series.write_late(step % 2 == 0 ? it : before_it); // an older time joins the open window
        const int key = op % 2;
        switch (op) {
        case set0:
        case set1: {
            const bool fresh = !known.at(key).member;
            if (fresh) known.enter(key, it);
            known.stamp(key, it);
            known.at(key).value = step + 1;
            const InsertResult result = w.set(key, step + 1);
            return result.inserted == fresh && result.it.slot() == series.slot_of(key) ? nullptr : "what set() returns";
        }
        case create0:
        case create1: {
            const bool fresh = !known.at(key).member;
            if (fresh) known.enter(key, it);
            const InsertResult result = w.create(key);
            return result.inserted == fresh && result.it.slot() == series.slot_of(key) ? nullptr : "what create() returns";
        }
        case remove0:
        case remove1:
            return w.remove(key) == known.leave(key, it) ? nullptr : "what remove() returns";
        case clear:
            w.clear();
            known.leave_all(it);
            return nullptr;
        default:
            w.touch();
            known.touch(it);
            return nullptr;
        }
    }
    const char* wrong(const DictWorld& start, std::unordered_set<std::uint64_t>& seen) const {
        if (const char* what = wrong_of_both(series, start.known, known)) return what;
        const unsigned now = known.members(), was = start.known.members();
        unsigned modified = 0, dropped = 0, reset = 0, valid = 0;
        for (int key = 0; key != key_count; ++key) {
            const Known &then = start.known.at(key), &here = known.at(key);
            valid |= unsigned{here.valid} << key;
            modified |= unsigned{here.member && here.time == it} << key;
            dropped |= unsigned{then.valid && !here.member} << key;
            reset |= unsigned{then.member && here.member && here.renewed && !here.valid} << key;
            // From the snapshots alone: a value that was there, and is not, though the key is.
            if (then.valid && here.member && !here.valid && !has(reset, key)) return "the oracle";
            const int* const value = series.get(key);
            if ((value != nullptr) != here.member || (value != nullptr && *value != here.value)) return "get(key)";
        }
        const auto keys = series.keys();
        if (keys.last_modified() != known.membership || keys.modified(it) != (known.membership == it))
            return "the time of keys()";
        if (mask_of(keys.added(it)) != (now & ~was) || mask_of(keys.removed(it)) != (was & ~now)) return "the deltas of keys()";
        if (mask_of(series.added_keys(it)) != (now & ~was)) return "added_keys(time)";
        if (mask_of(series.removed_keys(it)) != (was & ~now)) return "removed_keys(time)";
        if (mask_of(series.modified_keys(it)) != modified) return "modified_keys(time)";
        if (mask_of(series.modified_items(it)) != modified) return "modified_items(time)";
        if (mask_of(series.removed_items(it)) != dropped) return "removed_items(time)";
        if (mask_of(series.reset_keys(it)) != reset) return "reset_keys(time)";
        for (const auto [key, value] : series.modified_items(it))
            if (key < crowd_key && value != known.at(key).value) return "a value of modified_items(time)";
        for (const auto [key, value] : series.removed_items(it))
            if (key < crowd_key && value != known.at(key).value) return "a value of removed_items(time)";
        if (series.count_valid() != (valid & 1u) + (valid >> 1) + known.crowd) return "count_valid()";
        if (!series.added_keys(before_it).empty() || !series.modified_items(before_it).empty() ||
            !series.removed_items(it + 1).empty())
            return "deltas of another window";

        const auto delta = capture(series, it);
        if (delta.time != it || delta.ticked != (known.whole == it)) return "time and ticked of the captured delta";
        if (delta.keys_ticked != (known.membership == it)) return "keys_ticked of the captured delta";
        if (mask_of(delta.added) != (now & ~was)) return "added of the captured delta";
        if (mask_of(delta.removed) != (was & ~now)) return "removed of the captured delta";
        if (mask_of(delta.reset) != reset) return "reset of the captured delta";
        if (mask_of(delta.modified) != modified) return "modified of the captured delta";
        for (const auto& [key, value] : delta.modified)
            if (key < crowd_key && value != known.at(key).value) return "a value of the captured delta";

        // What a replica becomes depends on the start and the delta; each such pair is tried once.
        std::uint64_t what = unsigned{delta.ticked} << 1 | unsigned{delta.keys_ticked};
        for (const auto* list : {&delta.added, &delta.removed, &delta.reset})
            what = what << 4 | static_cast<std::uint64_t>(list->empty() ? 0 : list->front() % 4) << 2 | mask_of(*list);
        what = what << 2 | mask_of(delta.modified);
        for (const auto& [key, value] : delta.modified)
            what = (what << 8 | static_cast<std::uint64_t>(value)) << 1 | unsigned(key);
        if (!seen.insert(what).second) return nullptr;
        for (const Strictness mode : {Strictness::strict, Strictness::lenient}) {
            SmallDict<R> replica = start.series;
            replica.write(it).apply(delta, mode);
            if (!(replica == series) || replica.last_modified() != known.whole) return "the replica";
            if (replica.keys().last_modified() != known.membership) return "the time of the replica's keys";
            for (int key = 0; key != key_count; ++key)
                if (replica.valid(key) != known.at(key).valid || replica.last_modified(key) != known.at(key).time)
                    return "validity and times of the replica's values";
            if (!(capture(replica, it) == delta)) return "what the replica captures";
            if (!replica.check_invariants()) return "the replica's invariants";
        }
        return nullptr;
    }
};

//=== walk ===//

/// All sequences of up to `length` of the first `ops` operations, from one start, in one window.
template <class World>
class Walk {
public:
    Walk(int start, int ops, int length, bool all_invariants = false, int crowd = 0)
        : start_(start, crowd), name_(World::start_names[start]), ops_(ops), length_(length), all_invariants_(all_invariants) {
        World first = start_;
        first.open();
        if (const char* what = first.wrong(start_, seen_)) FAIL("opened from " << name_ << ": wrong is " << what);
        go(first, 0);
    }
    /// Sequences that were checked, and different deltas among them.
    std::size_t sequences() const noexcept { return sequences_; }
    std::size_t deltas() const noexcept { return seen_.size(); }

private:
    void go(const World& world, int step) {
        for (int op = 0; op != ops_; ++op) {
            World next = world;
            path_[static_cast<std::size_t>(step)] = op;
            const char* what = next.act(op, step);
            if (what == nullptr) what = next.wrong(start_, seen_);
            if (what == nullptr && (all_invariants_ || step + 1 != length_) && !next.series.check_invariants())
                what = "the invariants";
            if (what != nullptr) FAIL("from " << name_ << path(step) << ": wrong is " << what);
            ++sequences_;
            if (step + 1 != length_) go(next, step + 1);
        }
    }
    std::string path(int last) const {
        std::string text;
        for (int step = 0; step <= last; ++step) {
            text += ", ";
            text += World::op_names[path_[static_cast<std::size_t>(step)]];
        }
        return text;
    }

    World start_;
    const char* name_;
    int ops_, length_;
    bool all_invariants_;
    std::array<int, 16> path_{};
    std::size_t sequences_ = 0;
    std::unordered_set<std::uint64_t> seen_{};
};

/// ops + ops^2 + ... + ops^length
inline std::size_t count_of(int ops, int length) {
    std::size_t sum = 0, power = 1;
    for (int i = 0; i != length; ++i) sum += power *= static_cast<std::size_t>(ops);
    return sum;
}

#define ALL_SET_WORLDS                                                                                                         \
    ::test::SetWorld<DeltaRepresentation::adaptive>, ::test::SetWorld<DeltaRepresentation::bitmap>,                            \
        ::test::SetWorld<DeltaRepresentation::dirty_list>
#define ALL_DICT_WORLDS                                                                                                        \
    ::test::DictWorld<DeltaRepresentation::adaptive>, ::test::DictWorld<DeltaRepresentation::bitmap>,                          \
        ::test::DictWorld<DeltaRepresentation::dirty_list>

} // namespace test

#endif
