// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotDirectory against a plain model over long random sequences of operations, asking for every handle ever issued.
#include "explorer.hpp"

#include <map>
#include <random>

using namespace slotwise;

namespace {

template <unsigned Bits, Exhaustion E, Reuse R>
class Walk {
    using Directory = test::Narrow<Bits, E, R>;
    using M = test::Model<Bits, E, R>;
    using Is = typename M::Is;

public:
    explicit Walk(unsigned seed) : random_(seed) {
        test::grow(directory_, slots_);
        model_.slots.resize(slots_);
    }
    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            check();
        }
        CHECK(issued_.size() > 200);
        CHECK(stale_asked_ > 1000);
    }

private:
    unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
    slot_t some(Is is) {
        const slot_t from = below(slots_);
        for (slot_t i = 0; i < slots_; ++i)
            if (model_.slots[(from + i) % slots_].is == is) return static_cast<slot_t>((from + i) % slots_);
        return no_slot;
    }
    void issue(slot_t slot) {
        issued_[{slot, model_.slots[slot].next}] = true;
        if (E == Exhaustion::retire) test::need(model_.slots[slot].next % 2 == 1);
    }

    void step() {
        const unsigned dice = below(1000);
        if (dice < 330 && directory_.has_room()) {
            const slot_t slot = dice % 2 == 0 ? directory_.acquire_live() : directory_.acquire();
            if (dice % 2 != 0) directory_.commit(slot);
            test::need(model_.take_next() == slot);
            model_.slots[slot].is = Is::live;
            if (E == Exhaustion::retire && !recycled_) test::need(!issued_.contains({slot, model_.slots[slot].next}));
            issue(slot);
        } else if (dice < 660) {
            const slot_t slot = some(Is::live);
            if (slot == no_slot) return;
            if (dice % 2 == 0)
                directory_.erase(slot);
            else {
                directory_.remove(slot);
                directory_.release(slot);
            }
            model_.vacate(slot);
        } else if (dice < 730 && directory_.has_room()) {
            const slot_t slot = directory_.reserve_slot();
            test::need(model_.take_next() == slot);
            model_.slots[slot].is = Is::reserved;
            issue(slot);
        } else if (dice < 790) {
            const slot_t slot = some(Is::reserved);
            if (slot == no_slot) return;
            directory_.unreserve(slot);
            if (dice % 2 == 0) {
                directory_.commit(slot);
                model_.slots[slot].is = Is::live;
            } else {
                directory_.skip_version(slot);
                model_.vacate(slot);
            }
        } else if (dice < 880) {
            const slot_t slot = some(Is::vacant);
            const std::uint32_t version = below(M::max + 1);
            if (slot == no_slot || !model_.can_take(slot, version)) return;
            const slot_t cursor = directory_.cursor();
            const std::uint32_t before = directory_.take(slot, version);
            if (dice % 3 == 0) return directory_.undo_take(slot, before, cursor);
            directory_.commit(slot);
            model_.take(slot);
            model_.slots[slot] = {Is::live, version};
            issue(slot);
        } else if (dice < 940 && directory_.has_room()) {
            const bool fresh = directory_.next_is_fresh();
            const slot_t slot = directory_.acquire();
            test::need(slot == model_.next_slot());
            directory_.undo_acquire(slot, fresh);
        } else if (dice < 960) {
            Directory copy(directory_, {});
            directory_.swap(copy);
        } else if (dice < 975) {
            const slot_t cursor = directory_.cursor();
            directory_.lower_cursor();
            if (dice % 2 == 0)
                directory_.restore_cursor(cursor);
            else
                retreat_model();
        } else if (dice < 985)
            shrink_and_grow();
        else if (dice < 990)
            clear();
        else if (dice < 992)
            recycle();
    }

    void retreat_model() {
        while (model_.cursor != 0 && model_.slots[model_.cursor - 1].is == Is::vacant) {
            --model_.cursor;
            model_.order.erase(std::find(model_.order.begin(), model_.order.end(), model_.cursor));
        }
    }
    void shrink_and_grow() {
        test::shrink(directory_);
        retreat_model();
        test::need(directory_.capacity() == model_.cursor && directory_.check_invariants());
        const std::size_t from = bits::round_up(model_.cursor, 64) + 64; // 64 slots keep versions of their own
        std::size_t end = slots_;
        while (end > model_.cursor && model_.slots[end - 1].next == 1) --end;
        const std::uint32_t one = end > model_.cursor ? model_.slots[end - 1].next : 1;
        bool same = floors_.empty(); // while all have one version, that is what they keep
        for (std::size_t slot = from; slot < slots_; ++slot) same = same && model_.slots[slot].next == (slot < end ? one : 1);
        if (same) floor_ = {one, end > model_.cursor ? end : 0};
        if (!same && floors_.empty())
            for (std::size_t slot = 0; slot < slots_; slot += 8)
                floors_.push_back(slot < bits::round_up(floor_.second, 64) ? floor_.first : 1);
        for (std::size_t slot = from; !same && slot < slots_; ++slot)
            floors_[slot / 8] = std::max(floors_[slot / 8], model_.slots[slot].next);
        for (std::size_t slot = from; !same && slot < slots_; ++slot) model_.slots[slot].next = floors_[slot / 8];
        test::grow(directory_, slots_);
    }
    void clear() {
        directory_.end_clear(directory_.begin_clear());
        model_.clear();
    }
    void recycle() {
        recycled_ = recycled_ || model_.count(Is::retired) != 0;
        test::need(directory_.recycle_retired() == model_.count(Is::retired));
        model_.recycle();
    }

    void check() {
        test::need(directory_.check_invariants());
        test::need(directory_.size() == model_.count(Is::live));
        test::need(directory_.reserved() == model_.count(Is::reserved));
        test::need(directory_.retired() == model_.count(Is::retired));
        test::need(directory_.cursor() == model_.cursor);
        if (below(16) != 0) return;
        test::need(directory_.occupancy().count() == directory_.size());
        std::vector<slot_t> expected = model_.order;
        for (slot_t slot = model_.cursor; slot < slots_; ++slot) expected.push_back(slot);
        test::need(test::upcoming(directory_) == expected);
        for (const auto& [handle, unused] : issued_) {
            const auto [slot, version] = handle;
            const auto& s = model_.slots[slot];
            test::need(directory_.is_live(slot, version) == (s.is == Is::live && s.next == version));
            test::need(directory_.is_reserved(slot, version) == (s.is == Is::reserved && s.next == version));
            stale_asked_ += s.next != version;
        }
    }

    static constexpr std::size_t slots_ = 200;
    Directory directory_;
    M model_;
    std::mt19937 random_;
    std::map<std::pair<slot_t, std::uint32_t>, bool> issued_; // every handle ever given out
    std::size_t stale_asked_ = 0;
    std::pair<std::uint32_t, std::size_t> floor_{1, 0}; // of the next element in a slot made anew below the second
    std::vector<std::uint32_t> floors_{};               // or of each block of 8 slots
    bool recycled_ = false;
};

template <unsigned Bits, Exhaustion E>
void walk_all() {
    for (unsigned seed = 0; seed < 6; ++seed) {
        CAPTURE(seed);
        Walk<Bits, E, Reuse::lowest>(seed).run(4000);
        Walk<Bits, E, Reuse::lifo>(seed).run(4000);
        Walk<Bits, E, Reuse::fifo>(seed).run(4000);
    }
}

} // namespace

TEST_CASE("long random lives with 5-bit versions that retire follow the model") { walk_all<5, Exhaustion::retire>(); }
TEST_CASE("long random lives with 5-bit versions that wrap follow the model") { walk_all<5, Exhaustion::wrap>(); }
TEST_CASE("long random lives with 8-bit versions that retire follow the model") { walk_all<8, Exhaustion::retire>(); }
