// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Explorer: visits every state of a small SlotDirectory that any sequence of operations reaches, beside a plain model, and asks
// every (slot, version) pair in each.
#ifndef SLOTWISE_TESTS_SLOTS_EXPLORER_HPP
#define SLOTWISE_TESTS_SLOTS_EXPLORER_HPP

#include "directory.hpp"
#include "support/sweep.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <source_location>
#include <string>
#include <utility>

namespace test {

using namespace slotwise;

/// REQUIRE as a function: the macro in each of these templates would double the compile time.
inline void need(bool right, const std::source_location& where = std::source_location::current()) {
    if (!right) FAIL("not so in line " << where.line());
}
inline void differs(const char* what, slot_t slot, std::uint32_t version) {
    FAIL("differs: " << what << " of slot " << slot << " version " << version);
}

/// What a directory of a few slots should be: written for clarity, one operation at a time.
template <unsigned Bits, Exhaustion E, Reuse R, bool Dense>
struct Model {
    static constexpr std::uint32_t lives = Dense ? (1u << Bits) - 1 : 1u << (Bits - 1); // of a slot
    static constexpr std::uint32_t max = 2 * lives - 1;
    enum class Is { vacant, live, reserved, retired };
    struct Slot {
        Is is = Is::vacant;
        std::uint32_t next = 1; // the version that the next element gets; of a live or reserved slot: its own
        bool operator==(const Slot&) const = default;
    };
    std::vector<Slot> slots;
    std::vector<slot_t> order; // vacant slots below the cursor, next first; for lowest: ascending
    slot_t cursor = 0;

    void vacate(slot_t slot) {
        Slot& s = slots[slot];
        if (s.next == max && E == Exhaustion::retire) {
            s = {Is::retired, 0};
            return;
        }
        s = {Is::vacant, s.next == max ? 1 : s.next + 2};
        list(slot);
    }
    void list(slot_t slot) {
        if (R == Reuse::lifo)
            order.insert(order.begin(), slot);
        else
            order.push_back(slot);
        if (R == Reuse::lowest) std::sort(order.begin(), order.end());
    }
    slot_t next_slot() const { return order.empty() ? cursor : order.front(); }
    slot_t take_next() {
        const slot_t slot = next_slot();
        if (order.empty())
            ++cursor;
        else
            order.erase(order.begin());
        return slot;
    }
    void take(slot_t slot) {
        for (; cursor < slot; ++cursor) list(cursor);
        if (slot == cursor)
            ++cursor;
        else
            order.erase(std::find(order.begin(), order.end(), slot));
    }
    void clear() {
        for (slot_t slot = 0; slot < cursor; ++slot)
            if (slots[slot].is == Is::live || slots[slot].is == Is::reserved) vacate(slot);
        order.clear();
        if (count(Is::retired) == 0) cursor = 0;
        for (slot_t slot = 0; slot < cursor; ++slot)
            if (slots[slot].is == Is::vacant) order.push_back(slot); // ascending under every policy
    }
    void recycle() {
        for (slot_t slot = 0; slot < cursor; ++slot)
            if (slots[slot].is == Is::retired) {
                slots[slot] = {};
                list(slot);
            }
    }
    std::size_t count(Is is) const {
        return static_cast<std::size_t>(std::count_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.is == is; }));
    }
    /// No handle newer than next - 2 was issued for a vacant slot.
    bool can_take(slot_t slot, std::uint32_t version) const {
        if (version % 2 == 0 || version > max || slots[slot].is != Is::vacant) return false;
        return E == Exhaustion::wrap || version + 2 >= slots[slot].next;
    }
    bool operator==(const Model&) const = default;
    std::string key() const {
        std::string key(1, static_cast<char>(cursor));
        for (const auto& slot : slots) key += {static_cast<char>(slot.is), static_cast<char>(slot.next)};
        for (const auto slot : order) key += static_cast<char>(slot);
        return key;
    }
};

template <unsigned Bits, Exhaustion E, Reuse R, bool Dense>
class Explorer {
    using Directory = NarrowOrDense<Bits, E, R, Dense>;
    using M = Model<Bits, E, R, Dense>;
    using Is = typename M::Is;
    struct State {
        Directory directory;
        M model;
    };

public:
    explicit Explorer(std::size_t slots) : slots_(slots) {}

    /// Visits every state; returns how many.
    std::size_t run() {
        State first{Directory(), M{}};
        test::grow(first.directory, slots_);
        first.model.slots.resize(slots_);
        visit(std::move(first));
        while (!todo_.empty()) {
            State state = std::move(todo_.front());
            todo_.pop_front();
            step(state);
        }
        return seen_.size();
    }
    std::size_t fully_retired = 0;        // states in which nothing is left
    mutable std::size_t stale_probes = 0; // questions about what was there, or could be

private:
    void visit(State&& state) {
        compare(state.directory, state.model);
        if (!seen_.insert(state.model.key()).second) return;
        fully_retired += state.model.count(Is::retired) == slots_;
        todo_.push_back(std::move(state));
    }
    State copy(const State& state) const { return {Directory(state.directory, {}), state.model}; }

    /// Every question that can be asked, with every version that fits and some that do not.
    void compare(const Directory& d, const M& m) const {
        const auto expect = [&](bool right, const char* what, slot_t slot = 0, std::uint32_t version = 0) {
            if (!right) differs(what, slot, version);
        };
        expect(d.check_invariants(), "check_invariants");
        expect(d.size() == m.count(Is::live), "size");
        expect(d.reserved() == m.count(Is::reserved), "reserved");
        expect(d.retired() == m.count(Is::retired), "retired");
        expect(d.cursor() == m.cursor, "cursor");
        expect(d.capacity() == slots_, "capacity");
        expect(d.occupancy().count() == d.size(), "occupancy count");
        expect(d.has_room() == (m.next_slot() < slots_), "has_room");
        for (slot_t slot = 0; slot < slots_ + 70; ++slot) {
            const bool inside = slot < slots_;
            const auto s = inside ? m.slots[slot] : typename M::Slot{};
            expect(d.is_live(slot) == (inside && s.is == Is::live), "is_live", slot);
            expect(d.occupancy().test(slot) == (inside && s.is == Is::live), "occupancy", slot);
            const SlotState state = s.is == Is::live       ? SlotState::live
                                    : s.is == Is::reserved ? SlotState::reserved
                                    : s.is == Is::retired  ? SlotState::retired
                                                           : SlotState::free;
            expect(d.state(slot) == state, "state", slot);
            for (std::uint32_t version = 0; version <= M::max + 3; ++version) {
                const bool here = inside && s.next == version;
                expect(d.is_live(slot, version) == (here && s.is == Is::live), "is_live", slot, version);
                expect(d.is_reserved(slot, version) == (here && s.is == Is::reserved), "is_reserved", slot, version);
                if (inside) expect(d.can_take(slot, version) == m.can_take(slot, version), "can_take", slot, version);
                const HandleStatus status = !inside                         ? HandleStatus::out_of_range
                                            : here && s.is == Is::live      ? HandleStatus::live
                                            : here && s.is == Is::reserved  ? HandleStatus::reserved
                                            : inside && s.is == Is::retired ? HandleStatus::retired
                                                                            : HandleStatus::stale;
                expect(d.explain(slot, version) == status, "explain", slot, version);
                stale_probes += status == HandleStatus::stale || status == HandleStatus::retired;
            }
        }
    }

    /// Tries every operation on the state.
    void step(const State& state) {
        // What is vacant now can be had now: nothing is leaked.
        std::vector<slot_t> expected = state.model.order;
        for (slot_t slot = state.model.cursor; slot < slots_; ++slot) expected.push_back(slot);
        need(test::upcoming(state.directory) == expected);
        if (E == Exhaustion::wrap)
            need(expected.size() + state.model.count(Is::live) + state.model.count(Is::reserved) == slots_);

        if (state.directory.has_room()) {
            insert(state);
            reserve(state);
        }
        for (slot_t slot = 0; slot < slots_; ++slot) {
            const Is is = state.model.slots[slot].is;
            if (is == Is::live) erase(state, slot);
            if (is == Is::reserved) fulfill_or_cancel(state, slot);
            if (is == Is::vacant)
                for (std::uint32_t version = 1; version <= M::max; version += 2)
                    if (state.model.can_take(slot, version)) take(state, slot, version);
        }
        clear(state);
        recycle(state);
    }

    void insert(const State& state) {
        State after = copy(state);
        const bool fresh = after.directory.next_is_fresh();
        need(fresh == state.model.order.empty());
        const slot_t slot = after.directory.acquire();
        need(after.directory.check_invariants());
        need(!(after.directory.is_live(slot)));
        after.directory.undo_acquire(slot, fresh); // a constructor threw: nothing has happened
        compare(after.directory, state.model);
        need(test::upcoming(after.directory) == test::upcoming(state.directory));

        need(after.directory.acquire() == slot);
        after.directory.commit(slot);
        need(after.model.take_next() == slot);
        after.model.slots[slot].is = Is::live;
        State at_once = copy(state); // the fast path does the same
        need(at_once.directory.acquire_live() == slot);
        at_once.model = after.model;
        visit(std::move(after));
        visit(std::move(at_once));
    }
    void erase(const State& state, slot_t slot) {
        const std::uint32_t version = state.model.slots[slot].next;
        State after = copy(state);
        after.directory.remove(slot);
        need(after.directory.check_invariants());
        need(!(after.directory.is_live(slot, version)));
        if (E == Exhaustion::wrap || version != M::max) need(after.directory.explain(slot, version) == HandleStatus::pending);
        after.directory.release(slot);
        after.model.vacate(slot);
        State kept = copy(state);
        kept.directory.prepare_reserved();
        kept.directory.remove(slot);
        kept.directory.keep_reserved(slot, version);
        need(kept.directory.explain(slot, version) == HandleStatus::reserved && !kept.directory.is_held(slot));
        kept.model.slots[slot].is = Is::reserved;
        visit(std::move(kept));
        State at_once = copy(state);
        at_once.directory.erase(slot);
        at_once.model = after.model;
        visit(std::move(after));
        visit(std::move(at_once));
    }
    void reserve(const State& state) {
        State after = copy(state);
        const slot_t slot = after.directory.reserve_slot();
        need(after.model.take_next() == slot);
        after.model.slots[slot].is = Is::reserved;
        visit(std::move(after));
    }
    void fulfill_or_cancel(const State& state, slot_t slot) {
        State after = copy(state);
        after.directory.unreserve(slot);
        after.directory.undo_unreserve(slot); // a constructor threw: still reserved
        compare(after.directory, state.model);
        State cancelled = copy(after);
        after.directory.unreserve(slot);
        after.directory.commit(slot);
        after.model.slots[slot].is = Is::live;
        visit(std::move(after));
        cancelled.directory.unreserve(slot);
        cancelled.directory.skip_version(slot);
        cancelled.model.vacate(slot); // as if the element had come and gone
        visit(std::move(cancelled));
    }
    void take(const State& state, slot_t slot, std::uint32_t version) {
        State after = copy(state);
        State undone = copy(state);
        const slot_t cursor = undone.directory.cursor();
        const std::uint32_t before = undone.directory.take(slot, version);
        need(undone.directory.check_invariants());
        undone.directory.undo_take(slot, before, cursor); // a constructor threw: nothing has happened
        compare(undone.directory, state.model);
        need(test::upcoming(undone.directory) == test::upcoming(state.directory));
        after.directory.take(slot, version);
        after.directory.commit(slot);
        after.model.take(slot);
        after.model.slots[slot] = {Is::live, version};
        visit(std::move(after));
    }
    void clear(const State& state) {
        State after = copy(state);
        const slot_t end = after.directory.begin_clear();
        need(end == state.model.cursor);
        need(after.directory.size() == 0);
        for (slot_t slot = 0; slot < slots_; ++slot) {
            need(!(after.directory.is_live(slot)));
            need(after.directory.occupancy().test(slot) == (state.model.slots[slot].is == Is::live)); // still to be destroyed
        }
        after.directory.end_clear(end);
        after.model.clear();
        visit(std::move(after));
    }
    void recycle(const State& state) {
        State after = copy(state);
        const std::size_t retired = state.model.count(Is::retired);
        need(after.directory.recycle_retired() == retired);
        need(after.directory.retired() == 0);
        if (retired == 0) {
            compare(after.directory, state.model);
            return;
        }
        after.model.recycle();
        visit(std::move(after));
    }

    std::size_t slots_;
    std::set<std::string> seen_;
    std::deque<State> todo_;
};

template <unsigned Bits, Exhaustion E, Reuse R, bool Dense>
void explore(std::size_t slots) {
    Explorer<Bits, E, R, Dense> explorer(slots);
    const std::size_t states = explorer.run();
    report("versions", "SlotDirectory " + std::to_string(Bits) + (Dense ? " dense bits" : " bits"), std::to_string(states),
           std::to_string(explorer.stale_probes));
    CHECK(states > (std::size_t{1} << (Bits * slots))); // at least every combination of versions was met
    CHECK((explorer.fully_retired != 0) == (E == Exhaustion::retire));
}

template <unsigned Bits, Exhaustion E, bool Dense = false>
void explore_all(std::size_t slots) {
    SECTION("lowest") { explore<Bits, E, Reuse::lowest, Dense>(slots); }
    SECTION("lifo") { explore<Bits, E, Reuse::lifo, Dense>(slots); }
    SECTION("fifo") { explore<Bits, E, Reuse::fifo, Dense>(slots); }
}

} // namespace test

#endif
