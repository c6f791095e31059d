// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/free_slots.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

/// A policy with what its owner knows: which slots are vacant. The model beside it is the order in which they come.
template <Reuse R, class Allocator = std::allocator<std::byte>>
class Pool {
public:
    explicit Pool(std::size_t slots)
        : vacant_(bits::word_count(slots)), policy_(detail::FreeSlots<R, Allocator>().resized(slots, {})) {}

    void push(slot_t slot) {
        policy_.push(slot);
        mark(slot, true);
        place(slot);
    }
    slot_t pop() {
        const slot_t slot = policy_.pop(words());
        mark(slot, false);
        REQUIRE(slot == order_.front());
        order_.erase(order_.begin());
        return slot;
    }
    void undo_pop(slot_t slot) {
        policy_.undo_pop(slot);
        mark(slot, true);
        place_first(slot);
        if (R == Reuse::lowest) std::sort(order_.begin(), order_.end());
    }
    void remove(slot_t slot) {
        mark(slot, false);
        policy_.remove(slot, words());
        order_.erase(std::find(order_.begin(), order_.end(), slot));
    }
    /// Takes a slot out and puts it back: the order is as before.
    void remove_and_undo(slot_t slot) {
        mark(slot, false);
        policy_.remove(slot, words());
        policy_.undo_remove(slot, [&](slot_t s) { return s != slot && test(s); });
        mark(slot, true);
    }
    void clear() {
        policy_.clear();
        std::fill(vacant_.begin(), vacant_.end(), 0);
        order_.clear();
    }
    void resize(std::size_t slots) {
        auto other = policy_.resized(slots, {});
        policy_.swap(other);
        vacant_.resize(bits::word_count(slots));
    }
    void move() {
        detail::FreeSlots<R, Allocator> moved(std::move(policy_));
        policy_.swap(moved);
    }
    bool test(slot_t slot) const { return (vacant_[bits::word_of(slot)] & bits::bit_of(slot)) != 0; }
    const std::vector<slot_t>& order() const { return order_; }

    /// Empties a copy: it must give what the model says.
    void check() const {
        REQUIRE(policy_.size() == order_.size());
        REQUIRE(policy_.empty() == order_.empty());
        auto copy = policy_.resized(vacant_.size() * 64, {});
        auto left = vacant_;
        std::vector<slot_t> got;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const slot_t slot = copy.pop([&](std::size_t w) { return left[w]; });
            REQUIRE(slot < vacant_.size() * 64);
            left[bits::word_of(slot)] &= ~bits::bit_of(slot);
            got.push_back(slot);
        }
        REQUIRE(got == order_);
        REQUIRE(copy.empty());
        REQUIRE(policy_.size() == order_.size());
        if constexpr (R != Reuse::lowest) {
            std::vector<slot_t> listed;
            policy_.order([&](slot_t slot) { listed.push_back(slot); });
            REQUIRE(listed == order_);
        }
    }

private:
    auto words() {
        return [this](std::size_t w) { return vacant_[w]; };
    }
    void mark(slot_t slot, bool vacant) {
        auto& word = vacant_[bits::word_of(slot)];
        word = vacant ? word | bits::bit_of(slot) : word & ~bits::bit_of(slot);
    }
    void place_first(slot_t slot) { // insert(begin()) makes g++ 12 warn of a null pointer inside std::vector
        order_.push_back(slot);
        std::rotate(order_.begin(), order_.end() - 1, order_.end());
    }
    void place(slot_t slot) {
        if (R == Reuse::lifo)
            place_first(slot);
        else
            order_.push_back(slot);
        if (R == Reuse::lowest) std::sort(order_.begin(), order_.end());
    }

    std::vector<bits::word_t> vacant_;
    detail::FreeSlots<R, Allocator> policy_;
    std::vector<slot_t> order_;
};

template <Reuse R>
void random_walk(std::size_t slots, int steps) {
    std::mt19937 random(static_cast<unsigned>(slots));
    Pool<R> pool(slots);
    std::size_t most = 0;
    for (int step = 0; step < steps; ++step) {
        const auto slot = static_cast<slot_t>(random() % slots);
        const auto dice = random() % 100;
        if (dice < 48) {
            if (!pool.test(slot)) pool.push(slot);
        } else if (dice < 70) {
            if (!pool.order().empty()) pool.pop();
        } else if (dice < 80) {
            if (!pool.order().empty()) pool.undo_pop(pool.pop());
        } else if (dice < 90) {
            if (pool.test(slot)) pool.remove(slot);
        } else if (dice < 98) {
            if (pool.test(slot)) pool.remove_and_undo(slot);
        } else if (dice < 99)
            pool.resize(slots);
        else if (random() % 20 == 0)
            pool.clear();
        most = std::max(most, pool.order().size());
        pool.check();
    }
    CHECK(most > std::min<std::size_t>(slots / 3, 20)); // the lists were worth walking
}

template <Reuse R>
constexpr slot_t constant_use() {
    auto policy = detail::FreeSlots<R, std::allocator<std::byte>>().resized(128, {});
    bits::word_t words[2] = {0b1010, 0};
    policy.push(3);
    policy.push(1);
    const auto vacant = [&](std::size_t w) { return words[w]; };
    const slot_t first = policy.pop(vacant);
    words[0] &= ~bits::bit_of(first);
    const slot_t second = policy.pop(vacant);
    return first * 10 + second;
}
static_assert(constant_use<Reuse::lowest>() == 13);
static_assert(constant_use<Reuse::lifo>() == 13);
static_assert(constant_use<Reuse::fifo>() == 31);

} // namespace

TEST_CASE("lowest gives the lowest vacant slot after any history") {
    random_walk<Reuse::lowest>(5, 2000);
    random_walk<Reuse::lowest>(64, 2000);
    random_walk<Reuse::lowest>(200, 3000);
    random_walk<Reuse::lowest>(10'000, 1500);
}

TEST_CASE("lifo gives what was vacated last after any history") {
    random_walk<Reuse::lifo>(5, 2000);
    random_walk<Reuse::lifo>(200, 3000);
}

TEST_CASE("fifo gives what was vacated first after any history") {
    random_walk<Reuse::fifo>(5, 2000);
    random_walk<Reuse::fifo>(200, 3000);
}

TEST_CASE("a slot that was taken out of a list returns to its place after the list has grown") {
    const auto run = []<Reuse R>(std::size_t others) {
        CAPTURE(others);
        auto policy = detail::FreeSlots<R, std::allocator<std::byte>>().resized(64, {});
        const slot_t pushed[] = {9, 3, 7};
        for (std::size_t i = 0; i != others; ++i) policy.push(pushed[i]);
        const auto listed = [&] {
            std::vector<slot_t> order;
            policy.order([&](slot_t slot) { order.push_back(slot); });
            return order;
        };
        const auto before = listed();
        for (std::size_t i = 0; i != others; ++i) {
            policy.remove(pushed[i], 0);
            auto grown = policy.resized(1000, {});
            policy.swap(grown);
            policy.undo_remove(pushed[i], [&](slot_t slot) {
                const auto rest = listed();
                return std::find(rest.begin(), rest.end(), slot) != rest.end();
            });
            CHECK(listed() == before);
        }
        // One that never was in the list, as a slot above the cursor.
        policy.was_never_in(20);
        auto grown = policy.resized(2000, {});
        policy.swap(grown);
        policy.undo_remove(20, [](slot_t) { return false; });
        CHECK(policy.next() == 20);
        CHECK(policy.size() == others + 1);
    };
    for (std::size_t others = 0; others != 4; ++others) {
        run.operator()<Reuse::lifo>(others);
        run.operator()<Reuse::fifo>(others);
    }
}

TEST_CASE("freeing a slot allocates nothing, whatever the policy") {
    const auto count = [](auto policy) {
        auto sized = policy.resized(1000, {});
        const std::size_t before = test::Ledger::allocations();
        for (slot_t slot = 0; slot < 1000; ++slot) sized.push(slot);
        return test::Ledger::allocations() - before;
    };
    test::EveryByteReturned scope;
    using Allocator = test::StatefulAllocator<std::byte>;
    CHECK(count(detail::FreeSlots<Reuse::lowest, Allocator>()) == 0);
    CHECK(count(detail::FreeSlots<Reuse::lifo, Allocator>()) == 0);
    CHECK(count(detail::FreeSlots<Reuse::fifo, Allocator>()) == 0);
}

TEST_CASE("lists take 8 bytes a slot, the summary of lowest next to nothing") {
    test::EveryByteReturned scope;
    using Allocator = test::StatefulAllocator<std::byte>;
    {
        const auto lists = detail::FreeSlots<Reuse::fifo, Allocator>().resized(64'000, {});
        CHECK(scope.live_bytes() == 64'000 * 8);
    }
    {
        const auto lowest = detail::FreeSlots<Reuse::lowest, Allocator>().resized(64'000, {});
        CHECK(scope.live_bytes() <= 64'000 / 64 / 8 + 64);
    }
}

TEST_CASE("a copy, a move and a swap carry the whole order along") {
    const auto run = []<Reuse R>() {
        Pool<R> pool(300);
        for (const slot_t slot : {200u, 3u, 64u, 299u, 0u, 130u}) pool.push(slot);
        pool.pop();
        pool.check(); // pops from a copy
        pool.resize(1000);
        pool.check();
        for (const slot_t slot : {999u, 500u}) pool.push(slot);
        pool.check();
        pool.move();
        pool.check();
    };
    run.operator()<Reuse::lowest>();
    run.operator()<Reuse::lifo>();
    run.operator()<Reuse::fifo>();
}

TEST_CASE("a list of which a copy throws is as it was", "[throws]") {
    test::EveryByteReturned scope;
    using Policy = detail::FreeSlots<Reuse::lifo, test::ThrowingAllocator<std::byte>>;
    auto policy = Policy().resized(10, {});
    policy.push(7);
    policy.push(3);
    const auto failures = test::fail_at_every_step(test::swept("detail::FreeSlots::resized"), [&](auto&& attempt) {
        attempt([&] { static_cast<void>(policy.resized(1000, {})); });
        std::vector<slot_t> order;
        policy.order([&](slot_t slot) { order.push_back(slot); });
        CHECK(order == std::vector<slot_t>{3, 7});
    });
    CHECK(failures == 1);
}
