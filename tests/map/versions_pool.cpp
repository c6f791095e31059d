// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every state that a pool with few slots and narrow versions can reach: in each, every bit pattern of a handle is asked for.
#include "support/catch.hpp"
#include "support/sweep.hpp"

#include <slotwise/map/handle_pool.hpp>

#include <bitset>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace slotwise;

template <Reuse R, Exhaustion E>
void explore() {
    constexpr unsigned patterns = 1u << 6;
    using Pool =
        HandlePool<struct Small, Options<SlotMapOptions{.handle = {3, 3, 10}, .reuse = R, .exhaustion = E, .max_slots = 2}>>;
    using H = typename Pool::handle_type;
    struct State {
        Pool pool{};
        std::bitset<patterns> live{}, issued{};
    };
    std::set<std::string> seen;
    std::vector<State> pending;
    std::size_t states = 0, stale = 0;
    const auto visit = [&](const State& state) {
        std::string key = state.live.to_string() + (E == Exhaustion::retire ? state.issued.to_string() : "");
        for (const auto byte : state.pool.snapshot()) key += static_cast<char>(byte);
        if (seen.insert(key).second) pending.push_back(state);
    };
    visit({});
    while (!pending.empty()) {
        const State state = pending.back();
        pending.pop_back();
        ++states;
        bool right = state.pool.check_invariants() && state.pool.size() == state.live.count();
        for (unsigned bits = 0; bits != patterns; ++bits) {
            right = right && state.pool.contains(H::from_bits(static_cast<std::uint16_t>(bits))) == state.live.test(bits);
            stale += state.issued.test(bits) && !state.live.test(bits);
        }
        for (const H handle : state.pool) right = right && state.live.test(handle.to_bits());
        State next = state;
        if (const H handle = next.pool.try_create()) {
            right = right && (E == Exhaustion::wrap || !state.issued.test(handle.to_bits()));
            next.live.set(handle.to_bits());
            next.issued.set(handle.to_bits());
            visit(next);
        } else
            right = right && state.pool.size() + state.pool.retired() == Pool::max_size();
        for (const H handle : state.pool) {
            next = state;
            next.pool.erase(handle);
            next.live.reset(handle.to_bits());
            visit(next);
        }
        next = state;
        next.pool.clear();
        next.live.reset();
        visit(next);
        next = state;
        next.pool.shrink_to_fit();
        visit(next);
        if (!right) REQUIRE(right);
    }
    test::report("versions", "HandlePool 3 bits", std::to_string(states), std::to_string(stale));
    REQUIRE((states > 20 && stale > 0));
}

} // namespace

TEST_CASE("with 3-bit versions no stale handle of a pool ever resolves, whatever was done before", "[versions]") {
    explore<Reuse::lowest, Exhaustion::retire>();
    explore<Reuse::lifo, Exhaustion::retire>();
    explore<Reuse::fifo, Exhaustion::retire>();
    explore<Reuse::lowest, Exhaustion::wrap>();
}
