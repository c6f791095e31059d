// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Walks through containers that are nearly empty: what they find, by every way to go. What they cost is counted in
// tests/proof/complexity.cpp.
#include "support/catch.hpp"

#include <slotwise/slotwise.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

using namespace slotwise;

namespace {

/// The live slots by each walk there is.
template <class Map>
std::vector<std::vector<slot_t>> walked(Map& map) {
    std::vector<std::vector<slot_t>> all(6);
    for (auto it = map.begin(); it != map.end(); ++it) all[0].push_back(it.slot());
    for (const slot_t slot : map.slots()) all[1].push_back(slot);
    map.for_each([&](auto handle, int&) { all[2].push_back(handle.index()); });
    map.occupancy().for_each([&](slot_t slot) { all[3].push_back(slot); });
    map.values().for_each([&](slot_t slot, int&) { all[4].push_back(slot); });
    for (std::size_t slot = 0; (slot = map.occupancy().find_next(slot)) != no_slot; ++slot)
        all[5].push_back(static_cast<slot_t>(slot));
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("every walk meets exactly what lives, however few that is and whatever happened before", "[walks]",
                   (SlotMap<int>), (SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>>),
                   (SlotMap<int, Options<SlotMapOptions{.handle = {28, 4, 0}, .reuse = Reuse::fifo}>>)) {
    using H = typename TestType::handle_type;
    std::mt19937 random(17);
    TestType map;
    std::vector<H> live, promised;
    std::size_t compared = 0;
    const auto take = [&](std::vector<H>& from, std::size_t i) {
        const H handle = from[i];
        from[i] = from.back();
        from.pop_back();
        return handle;
    };
    for (int round = 0; round != 60; ++round) {
        const std::size_t left = round % 3 == 0 ? random() % 3 : random() % 300;
        switch (random() % 8) {
        case 0:
            map.clear();
            live.clear();
            promised.clear();
            break;
        case 1:
            map.shrink_to_fit();
            break;
        case 2:
            for (std::size_t i = 0; i != 200; ++i) promised.push_back(map.reserve_handle());
            break;
        case 3:
            while (!promised.empty()) {
                const H handle = take(promised, random() % promised.size());
                if (random() % 2 == 0)
                    REQUIRE(map.cancel(handle));
                else if (map.fulfill(handle, 1) != nullptr)
                    live.push_back(handle);
            }
            break;
        case 4:
            if (const H far(static_cast<slot_t>(random() % 20'000), 1); map.insert_at(far, 1) != nullptr) live.push_back(far);
            break;
        case 5: {
            TestType copy(map);
            map = std::move(copy);
            break;
        }
        case 6:
            map.restore(map.snapshot());
            break;
        default:
            for (std::size_t n = random() % 4000; n != 0; --n) live.push_back(map.insert(1));
        }
        while (live.size() > left) REQUIRE(map.erase(take(live, random() % live.size())));
        REQUIRE(map.check_invariants());
        std::set<slot_t> model;
        for (const H handle : live) model.insert(handle.index());
        for (const auto& slots : walked(map)) REQUIRE(slots == std::vector<slot_t>(model.begin(), model.end()));
        compared += map.capacity() > 1024;
    }
    REQUIRE(compared > 20);
}

TEST_CASE("the first element is taken until none is left, and others come meanwhile", "[walks]") {
    MapStorage<int, int> map;
    for (int i = 0; i != 5000; ++i) map.insert(i, i);
    int next = 5000;
    for (std::size_t taken = 0; !map.empty(); ++taken) {
        map.erase(map.begin());
        if (taken % 3 == 0 && next < 6000) map.insert(next++, 0);
        if (taken % 500 == 0) REQUIRE(map.check_invariants());
    }
    REQUIRE(next == 6000);
    REQUIRE(map.begin() == map.end());
}
