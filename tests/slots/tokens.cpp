// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tokens: detaching, moving and destroying many of them costs the same for each, in every order; counted, not timed.
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/series/tss_storage.hpp>

#include "support/catch.hpp"
#include "support/private_access.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace slotwise;

namespace {

/// A counted look at an entry of the list: what BasicObserverCell compares and copies.
struct Counted {
    struct Observer {};
    Observer* observer = nullptr;
    static inline std::uint64_t looks = 0;
    constexpr Counted() = default;
    constexpr explicit Counted(Observer* o) noexcept : observer(o) {}
    operator Observer*() const noexcept { return ++looks, observer; }
};
using Token = BasicObserverToken<Counted::Observer, Counted>;
TEST_PRIVATE(CellOfToken, Token, cell_)
using Cell = std::remove_pointer_t<test::reached_t<CellOfToken, Token>>; // the list that tokens share

enum class Order { first_first, last_first, shuffled, every_second };
std::vector<std::size_t> order_of(Order order, std::size_t n) {
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i != n; ++i) all[i] = i;
    if (order == Order::last_first) std::reverse(all.begin(), all.end());
    if (order == Order::shuffled) std::shuffle(all.begin(), all.end(), std::mt19937(7));
    if (order == Order::every_second) std::stable_partition(all.begin(), all.end(), [](std::size_t i) { return i % 2 == 0; });
    return all;
}

/// Looks at entries while n observers are attached, exchanged with newcomers, moved and detached in this order.
std::uint64_t looks(Order order, std::size_t n) {
    auto* const cell = new Cell;
    std::vector<Counted::Observer> observers(2 * n);
    std::vector<Token> tokens, others(n);
    for (std::size_t i = 0; i != n; ++i) tokens.emplace_back(*cell, observers[i]); // moves those before it, as it grows
    Counted::looks = 0;
    for (const std::size_t i : order_of(order, n)) {
        Token::exchange(tokens[i], observers[i], others[i], observers[n + i]);
        CHECK((others[i].attached() && !tokens[i].attached()));
        tokens[i] = std::move(others[i]);
        CHECK((tokens[i].attached() && cell->list[0].observer != nullptr));
    }
    for (const std::size_t i : order_of(order, n)) {
        tokens[i].detach();
        CHECK_FALSE(tokens[i].attached());
    }
    CHECK(cell->count == 0);
    Cell::release(cell);
    return Counted::looks;
}

struct Counts final : SlotObserver {
    int inserts = 0;
    void on_insert(slot_t, InsertKind) override { ++inserts; }
};

} // namespace

TEST_CASE("detaching, exchanging and moving n tokens looks at a number of entries linear in n, in every order") {
    for (const Order order : {Order::first_first, Order::last_first, Order::shuffled, Order::every_second}) {
        const std::uint64_t few = looks(order, 512), many = looks(order, 4096);
        CAPTURE(static_cast<int>(order), few, many);
        CHECK(few >= 512);         // it was counted
        CHECK(many <= 9 * few);    // 8 times as many tokens
        CHECK(many <= 4096u * 20); // and few for each
    }
}

TEST_CASE("attached observers are notified of each event once and in attach order while others attach and detach") {
    SlotMap<int> map;
    std::vector<Counts> observers(200);
    std::vector<ObserverToken> tokens;
    for (auto& observer : observers) tokens.push_back(map.attach(observer));
    std::mt19937 random(3);
    std::vector<int> expected(observers.size());
    for (int step = 0; step != 2000; ++step) {
        const auto i = random() % observers.size(), j = random() % observers.size();
        if (tokens[i].attached())
            tokens[i].detach();
        else {
            expected[i] += static_cast<int>(map.size()); // notified of those that are there
            tokens[i] = map.attach(observers[i]);
        }
        tokens[i].swap(tokens[j]); // the token moves, the attachment stays its observer's
        tokens[j].swap(tokens[i]);
        if (step % 7 == 0) map.clear();
        map.insert(step);
        for (std::size_t k = 0; k != tokens.size(); ++k) expected[k] += tokens[k].attached();
    }
    for (std::size_t k = 0; k != tokens.size(); ++k) CHECK(observers[k].inserts == expected[k]);
}

TEST_CASE("followers of one map keep following when they are moved and destroyed in any order") {
    SlotMap<int> map;
    const auto handle = map.insert(1);
    using Follower = SecondaryMap<SlotMap<int>::handle_type, int>;
    std::vector<Follower> followers;
    for (int i = 0; i != 50; ++i) {
        followers.emplace_back();
        followers.back().attach_to(map);
        followers.back().insert(handle, i);
    }
    for (std::size_t i = 0; i < followers.size(); ++i) followers.erase(followers.begin() + static_cast<std::ptrdiff_t>(i));
    map.erase(handle);
    for (const Follower& follower : followers) CHECK((follower.attached() && follower.empty()));
    CHECK(followers.size() == 25);
}
