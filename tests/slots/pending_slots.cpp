// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PendingSlots against a std::deque: order, bits, taking out of the middle and putting back.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/slots/detail/slot_directory.hpp>

#include <deque>

using namespace test;

namespace {

using Pending = slotwise::detail::PendingSlots<std::allocator<std::byte>>;
using ThrowingPending = slotwise::detail::PendingSlots<ThrowingAllocator<std::byte>>;

template <class P>
std::vector<slot_t> listed(const P& pending) {
    std::vector<slot_t> result;
    pending.for_each([&](slot_t slot) { result.push_back(slot); });
    return result;
}
template <class P>
P with_room(std::size_t slots) {
    return P().resized(slots, {});
}
template <class P>
void require_same(const P& pending, const std::deque<slot_t>& model) {
    REQUIRE(listed(pending) == std::vector<slot_t>(model.begin(), model.end()));
    REQUIRE(pending.size() == model.size());
    REQUIRE(pending.empty() == model.empty());
    std::vector<bits::word_t> words(pending.room() / bits::word_bits);
    for (const slot_t slot : model) words[slot / bits::word_bits] |= bits::bit_of(slot);
    for (std::size_t w = 0; w != words.size(); ++w) REQUIRE(pending.word(w) == words[w]);
    for (slot_t slot = 0; slot != pending.room() + 3; ++slot)
        if (pending.contains(slot) != (std::find(model.begin(), model.end(), slot) != model.end())) FAIL("slot " << slot);
}

} // namespace

TEST_CASE("an empty queue has no room and contains nothing", "[pending_slots]") {
    const Pending pending;
    REQUIRE(pending.room() == 0);
    REQUIRE(pending.empty());
    REQUIRE_FALSE(pending.contains(0));
    REQUIRE_FALSE(pending.contains(no_slot));
    REQUIRE(listed(pending).empty());
}

TEST_CASE("room is rounded up to whole words", "[pending_slots]") {
    REQUIRE(with_room<Pending>(1).room() == 64);
    REQUIRE(with_room<Pending>(64).room() == 64);
    REQUIRE(with_room<Pending>(65).room() == 128);
}

TEST_CASE("room for a slot is room for all of its word", "[pending_slots]") {
    auto pending = with_room<ThrowingPending>(1);
    std::deque<slot_t> model;
    for (slot_t slot = 0; slot != pending.room(); ++slot) pending.push(slot), model.push_back(slot);
    require_same(pending, model);
    REQUIRE(pending.is_sound([](slot_t) { return true; }));
}

TEST_CASE("slots come out in the order in which they went in", "[pending_slots]") {
    Pending pending = with_room<Pending>(128);
    for (const slot_t slot : {5u, 127u, 0u, 64u, 63u}) pending.push(slot);
    require_same(pending, {5, 127, 0, 64, 63});
    for (const slot_t slot : {5u, 127u, 0u}) REQUIRE(pending.pop() == slot);
    pending.push(5);
    require_same(pending, {64, 63, 5});
    while (!pending.empty()) static_cast<void>(pending.pop());
    require_same(pending, {});
}

TEST_CASE("a slot is taken out of the front, the middle and the back, and put back at its place", "[pending_slots]") {
    for (const slot_t slot : {1u, 2u, 3u, 4u, 5u}) {
        Pending pending = with_room<Pending>(64);
        for (const slot_t each : {1u, 2u, 3u, 4u, 5u}) pending.push(each);
        std::deque<slot_t> model{1, 2, 3, 4, 5};
        pending.remove(slot);
        model.erase(std::find(model.begin(), model.end(), slot));
        require_same(pending, model);
        pending.undo_remove(slot);
        require_same(pending, {1, 2, 3, 4, 5});
        pending.remove(slot);
        pending.push(slot); // removed again later: it is the youngest now
        model.push_back(slot);
        require_same(pending, model);
    }
}

TEST_CASE("the only slot, and the front after others were popped, are put back at the front", "[pending_slots]") {
    Pending pending = with_room<Pending>(64);
    pending.push(7);
    pending.remove(7);
    require_same(pending, {});
    pending.undo_remove(7);
    require_same(pending, {7});
    for (const slot_t slot : {8u, 9u, 10u}) pending.push(slot);
    REQUIRE(pending.pop() == 7); // 8 still has a link back to 7
    pending.remove(8);
    pending.undo_remove(8);
    require_same(pending, {8, 9, 10});
    while (pending.size() != 1) static_cast<void>(pending.pop());
    pending.remove(10);
    pending.undo_remove(10);
    require_same(pending, {10});
}

TEST_CASE("a slot whose neighbours went meanwhile is put back somewhere, once", "[pending_slots]") {
    for (unsigned what = 0; what != 8; ++what) {
        CAPTURE(what);
        Pending pending = with_room<Pending>(64);
        for (const slot_t slot : {1u, 2u, 3u, 4u, 5u}) pending.push(slot);
        pending.remove(3);
        std::vector<slot_t> expected{3};
        for (const slot_t slot : {1u, 2u, 4u, 5u}) {
            const bool goes =
                ((slot == 2 && (what & 1) != 0) || (slot == 4 && (what & 2) != 0) || (slot == 5 && (what & 4) != 0));
            if (goes)
                pending.remove(slot);
            else
                expected.push_back(slot);
        }
        if (what == 7) {
            pending.push(2); // comes again, elsewhere
            expected.push_back(2);
        }
        pending.undo_remove(3);
        auto slots = listed(pending);
        std::sort(slots.begin(), slots.end());
        std::sort(expected.begin(), expected.end());
        REQUIRE(slots == expected);
        REQUIRE(pending.size() == expected.size());
        std::size_t popped = 0;
        for (; !pending.empty(); ++popped) REQUIRE_FALSE(pending.contains(pending.pop()));
        REQUIRE(popped == expected.size());
    }
}

TEST_CASE("resized keeps the queue, to more room and to less", "[pending_slots]") {
    Pending pending = with_room<Pending>(200);
    for (const slot_t slot : {63u, 0u, 17u}) pending.push(slot);
    const Pending more = pending.resized(1000, {}), less = pending.resized(64, {});
    require_same(more, {63, 0, 17});
    require_same(less, {63, 0, 17});
    require_same(pending, {63, 0, 17});
    REQUIRE(more.room() == 1024);
    REQUIRE(less.room() == 64);
    REQUIRE(with_room<Pending>(100).resized(0, {}).room() == 0);
}

TEST_CASE("a resize that throws leaves the queue and leaks nothing", "[pending_slots][throws]") {
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept("detail::PendingSlots::resized"), [](auto&& attempt) {
        ThrowingPending pending = with_room<ThrowingPending>(64);
        for (const slot_t slot : {3u, 60u, 1u}) pending.push(slot);
        if (attempt([&] { static_cast<void>(pending.resized(128, {})); })) require_same(pending, {3, 60, 1});
        REQUIRE(pending.room() == 64);
    });
    REQUIRE(failures == 1);
}

TEST_CASE("swapped and moved queues go along with their order", "[pending_slots]") {
    Pending a = with_room<Pending>(64), b;
    for (const slot_t slot : {9u, 4u}) a.push(slot);
    a.swap(b);
    require_same(a, {});
    require_same(b, {9, 4});
    REQUIRE(a.room() == 0);
    Pending c(std::move(b));
    require_same(c, {9, 4});
    REQUIRE(b.empty()); // NOLINT(bugprone-use-after-move)
    REQUIRE(b.room() == 0);
    REQUIRE(listed(b).empty());
    c.push(5);
    require_same(c, {9, 4, 5});
}

TEST_CASE("the queue works in constant expressions", "[pending_slots]") {
    constexpr bool right = [] {
        Pending pending = Pending().resized(70, {});
        for (slot_t slot = 0; slot != 70; slot += 10) pending.push(slot);
        pending.remove(30);
        pending.remove(40);
        pending.undo_remove(40);
        slot_t order = 0;
        while (!pending.empty()) order = order * 10 + pending.pop() / 10;
        return order == 12'456 && !pending.contains(60);
    }();
    STATIC_REQUIRE(right);
}

TEST_CASE("random histories of pending slots agree with a deque", "[pending_slots]") {
    for (std::uint64_t seed = 0; seed != 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        std::size_t slots = 64;
        Pending pending = with_room<Pending>(slots);
        std::deque<slot_t> model;
        for (int step = 0; step != 400; ++step) {
            const auto dice = random.below(100);
            const slot_t slot = random.below(slots);
            const auto at = std::find(model.begin(), model.end(), slot);
            if (dice < 50 && at == model.end()) {
                pending.push(slot);
                model.push_back(slot);
            } else if (dice < 65 && !model.empty()) {
                REQUIRE(pending.pop() == model.front());
                model.pop_front();
            } else if (dice < 80 && at != model.end()) {
                pending.remove(slot);
                model.erase(at);
            } else if (dice < 95 && !model.empty()) {
                const slot_t any = model[random.below(model.size())];
                pending.remove(any);
                pending.undo_remove(any);
            } else {
                slots = slots == 64 ? 256 : slots;
                Pending other = pending.resized(slots, {});
                pending.swap(other);
            }
            require_same(pending, model);
        }
    }
}
