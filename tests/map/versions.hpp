// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every state that a map with few slots and narrow versions can reach, through the public interface. A state is visited once:
// its snapshot decides its future. In each, every bit pattern of index and version is asked for.
#ifndef SLOTWISE_TESTS_MAP_VERSIONS_HPP
#define SLOTWISE_TESTS_MAP_VERSIONS_HPP

#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/sweep.hpp"

#include <bitset>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// 16-bit handles with `version_bits` bits of version and an index that can also point beyond the slots.
template <unsigned VersionBits, Reuse R, Exhaustion E, std::size_t Slots, bool Dense = false>
inline constexpr SlotMapOptions narrow{
    .handle = {.index_bits = 3, .version_bits = VersionBits, .user_bits = 13 - VersionBits, .dense_versions = Dense},
    .reuse = R,
    .exhaustion = E,
    .max_slots = Slots};

template <class Map>
class Explorer {
    using handle_type = typename Map::handle_type;
    static constexpr auto layout = Map::options.handle;
    static constexpr unsigned patterns = 1u << (layout.index_bits + layout.version_bits);
    static constexpr bool retires = Map::options.exhaustion == Exhaustion::retire;

    struct State {
        Map map{};
        std::set<handle_type> live{}, reserved{};
        std::bitset<patterns> issued{};
    };

public:
    std::size_t states = 0;       ///< different states seen
    std::size_t exhausted = 0;    ///< of them, those in which every slot is retired
    std::size_t stale_probes = 0; ///< handles that were issued and are gone, asked for

    void run() {
        visit(State{});
        while (!pending_.empty()) { // a list, not recursion: thousands of states deep
            const State state = std::move(pending_.back());
            pending_.pop_back();
            expand(state);
        }
    }

private:
    // Millions of conditions hold; Catch2 is told of the first one that does not.
    static void hold(bool condition) {
        if (!condition) REQUIRE(condition);
    }

    void visit(const State& state) {
        if (seen_.insert(key(state)).second) pending_.push_back(state);
    }

    void expand(const State& state) {
        ++states;
        probe(state);

        State next = state;
        const bool full = state.map.size() + state.reserved.size() + state.map.retired() == Map::max_size();
        if (full) {
            REQUIRE_THROWS_AS(put(next.map, 0), std::length_error);
            REQUIRE_THROWS_AS(next.map.reserve_handle(), std::length_error);
            probe(next);
        } else {
            issue(next, put(next.map, 0), next.live);
            visit(next);
            next = state;
            issue(next, next.map.reserve_handle(), next.reserved);
            visit(next);
        }
        for (const handle_type handle : state.live) {
            next = state;
            hold(next.map.erase(handle));
            next.live.erase(handle);
            visit(next);
            next = state;
            hold(next.map.erase_reserved(handle)); // its handle may come back
            next.live.erase(handle);
            next.reserved.insert(handle);
            visit(next);
        }
        for (const handle_type handle : state.reserved) {
            next = state;
            hold(next.map.cancel(handle));
            next.reserved.erase(handle);
            visit(next);
            next = state;
            hold(fulfill(next.map, handle, static_cast<int>(handle.to_bits())));
            next.reserved.erase(handle);
            next.live.insert(handle);
            visit(next);
        }
        next = state;
        next.map.clear();
        next.live.clear();
        next.reserved.clear();
        visit(next);
        next = state;
        next.map.shrink_to_fit();
        visit(next);

        if (state.map.retired() == Map::max_size()) {
            ++exhausted;
            recycle(state);
        }
    }

    // Every element's number is its handle's bits, so that equal snapshots mean equal states.
    void issue(State& state, handle_type handle, std::set<handle_type>& into) {
        hold(handle.user_bits() == 0);
        hold(handle.version() % 2 == 1 && handle.generation() != 0);
        hold(handle.index() < Map::max_size());
        hold(!retires || !state.issued.test(handle.to_bits())); // no handle is ever given out twice
        hold(!state.live.contains(handle));
        hold(!state.reserved.contains(handle));
        state.issued.set(handle.to_bits());
        into.insert(handle);
        if (state.map.contains(handle)) set_number(state.map, handle, static_cast<int>(handle.to_bits()));
    }

    void probe(const State& state) {
        const Map& map = state.map;
        bool right = map.check_invariants() && map.size() == state.live.size();
        for (unsigned bits = 0; bits != patterns; ++bits) {
            const auto handle = handle_type::from_bits(static_cast<typename handle_type::bits_type>(bits));
            const bool live = state.live.contains(handle), reserved = state.reserved.contains(handle);
            right = right && map.contains(handle) == live && (map.get(handle) != nullptr) == live;
            if (live) right = right && number_of(map, handle) == static_cast<int>(bits);
            right = right && (map.explain(handle) == HandleStatus::live) == live &&
                    (map.explain(handle) == HandleStatus::reserved) == reserved;
            if (!right) {
                CAPTURE(handle, live, reserved, states);
                REQUIRE(right);
            }
            if (!live && state.issued.test(bits)) ++stale_probes;
        }
        hold(map.size() + map.retired() + state.reserved.size() <= Map::max_size());
        hold(retires || map.retired() == 0);
    }

    void recycle(const State& state) {
        Map map = state.map;
        REQUIRE(map.recycle_retired() == Map::max_size());
        REQUIRE(map.retired() == 0);
        REQUIRE(map.check_invariants());
        for (std::size_t i = 0; i != Map::max_size(); ++i) REQUIRE(put(map, 0).version() == 1);
        REQUIRE_THROWS_AS(put(map, 0), std::length_error);
        REQUIRE(map.recycle_retired() == 0);
    }

    static std::string key(const State& state) {
        std::string result;
        for (const auto byte : state.map.snapshot()) result += static_cast<char>(byte);
        if (retires) result += state.issued.to_string();
        return result;
    }

    std::set<std::string> seen_{};
    std::vector<State> pending_{};
};

template <class Map>
void explore() {
    Explorer<Map> explorer;
    explorer.run();
    report("versions", class_name<Map>() + " " + std::to_string(Map::options.handle.version_bits) + " bits",
           std::to_string(explorer.states), std::to_string(explorer.stale_probes));
    REQUIRE(explorer.states > (std::size_t{1} << Map::options.handle.version_bits));
    REQUIRE(explorer.stale_probes > 0);
    if (Map::options.exhaustion == Exhaustion::retire)
        REQUIRE(explorer.exhausted > 0);
    else
        REQUIRE(explorer.exhausted == 0);
}

template <class Storage, Reuse R, Exhaustion E>
void explore_versions() {
#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
    explore<typename Storage::template map<int, narrow<2, R, E, 2>>>();
    explore<typename Storage::template map<int, narrow<4, R, E, 2>>>(); // takes ten times as long
    explore<typename Storage::template map<int, narrow<3, R, E, 2, true>>>();
#else
    explore<typename Storage::template map<int, narrow<3, R, E, 2>>>();
    explore<typename Storage::template map<int, narrow<2, R, E, 2, true>>>();
#endif
}

} // namespace test

#endif
