// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The guide's recipes of handles and elements: each is run as the guide has it, and goes on with random histories against a
// model.
#undef NDEBUG // the recipes assert
#include "properties/recipes/weak.hpp"

#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

using test::Random;

TEST_CASE("the recipe of handles in standard containers: notes of what is gone can be swept, and none is of another",
          "[recipes]") {
#include "standard_containers.inc"
    std::map<Id, std::string> there{{earth, "Earth"}};
    Random random(1);
    for (int i = 0; i != 4000; ++i) {
        if (random.chance(50)) {
            const std::string name = "body " + std::to_string(i);
            const Id id = bodies.insert(name);
            REQUIRE(there.emplace(id, name).second);
            REQUIRE(notes.emplace(id, "is " + name).second); // no handle comes twice
            visited.insert(id);
        } else if (!there.empty()) {
            const auto gone = std::next(there.begin(), random.below(there.size()));
            bodies.erase(gone->first);
            there.erase(gone);
        }
        if (i % 50 != 0) continue;
        for (const auto& [id, note] : notes) {
            if (id == moon || !bodies.contains(id)) continue;
            REQUIRE(note == "is " + there.at(id));
        }
        std::erase_if(visited, [&](Id id) { return !bodies.contains(id); });
        REQUIRE(visited.size() == there.size());
        for (const Id id : visited) REQUIRE(bodies[id] == there.at(id));
    }
    REQUIRE(notes.size() > 1500);
}

TEST_CASE("the recipe of a weak reference: it finds its element until that is erased, and none afterwards", "[recipes]") {
    slotwise::SlotMap<std::string> names;
    using Names = decltype(names);
    std::vector<std::pair<Weak<Names>, const std::string*>> there; // and where the element is
    std::vector<Weak<Names>> gone;
    Random random(10);
    for (int i = 0; i != 4000; ++i) {
        if (random.chance(50)) {
            const Weak<Names> made{&names, names.insert("name " + std::to_string(i))};
            there.emplace_back(made, made.get());
            REQUIRE(*made.get() == "name " + std::to_string(i));
        } else if (!there.empty()) {
            std::swap(there[random.below(there.size())], there.back());
            names.erase(there.back().first.handle);
            gone.push_back(there.back().first);
            there.pop_back();
        }
        if (i % 20 != 0) continue;
        for (const auto& [weak, where] : there) REQUIRE((weak.get() == where && where != nullptr));
        for (const auto& weak : gone) REQUIRE(weak.get() == nullptr);
    }
    REQUIRE(gone.size() > 1500);
}

TEST_CASE("the recipe of erasing in a loop: each of the three ways leaves what a filter leaves", "[recipes]") {
#include "erase_in_loop.inc"
    std::map<decltype(map)::handle_type, int> there;
    for (auto [id, value] : map.items()) there.emplace(id, value);
    Random random(2);
    for (int i = 0; i != 400; ++i) {
        for (auto n = random.below(40); n != 0; --n) {
            const int value = static_cast<int>(random.below(100));
            there.emplace(map.insert(value), value);
        }
        const int divisor = 2 + static_cast<int>(random.below(5)), way = static_cast<int>(random.below(3));
        const auto goes = [&](int value) { return value % divisor == 0; };
        if (way == 0)
            map.erase_if(goes);
        else if (way == 1)
            map.for_each([&](int& value) {
                if (goes(value)) map.erase(&value);
            });
        else
            for (auto it = map.begin(); it != map.end();) it = goes(*it) ? map.erase(it) : std::next(it);
        std::erase_if(there, [&](const auto& each) { return goes(each.second); });
        REQUIRE(map.size() == there.size());
        for (const auto& [id, value] : there) REQUIRE(*map.get(id) == value);
    }
}

TEST_CASE("the recipe of inserting in a loop: what was there is visited once, and what is new waits", "[recipes]") {
#include "insert_in_loop.inc"
    using Id = decltype(cells)::handle_type;
    Random random(3);
    for (int i = 0; i != 200; ++i) {
        std::map<Id, int> before, after, seen;
        for (auto [cell, age] : cells.items()) before.emplace(cell, age);
        after = before;
        for (auto [cell, age] : cells.items_present()) {
            REQUIRE(seen.emplace(cell, age).second);
            if (random.chance(40)) {
                cells.erase(cell);
                after.erase(cell);
            } else
                after[cell] = ++age;
            for (auto n = random.below(cells.size() < 300 ? 3 : 1); n != 0; --n) after.emplace(cells.insert(0), 0);
        }
        REQUIRE(seen == before);
        REQUIRE(cells.size() == after.size());
        for (const auto& [cell, age] : after) REQUIRE(*cells.get(cell) == age);
        if (cells.empty()) cells.insert(1);
    }
}

TEST_CASE("the recipe of a limit: no history passes it, and each insert up to it succeeds", "[recipes]") {
#include "limit.inc"
    std::vector<decltype(particles)::handle_type> there;
    for (auto [id, particle] : particles.items()) there.push_back(id);
    std::size_t limit = 1000, refused = 0, changed = 0;
    Random random(4);
    for (int i = 0; i != 20000; ++i) {
        if (random.below(5000) == 0) particles.clear(), there.clear(); // then any limit is possible
        if (random.chance(2)) {
            const std::size_t wanted = 900 + random.below(200);
            if (particles.set_max_slots(wanted)) limit = wanted, ++changed;
        }
        if (random.chance(65)) {
            const auto id = particles.try_insert({static_cast<float>(i), 0});
            REQUIRE(static_cast<bool>(id) == (there.size() < limit));
            refused += !id;
            if (id) there.push_back(id);
        } else if (!there.empty()) {
            std::swap(there[random.below(there.size())], there.back());
            REQUIRE(particles.erase(there.back()));
            there.pop_back();
        }
        REQUIRE(particles.size() == there.size());
        REQUIRE(particles.full() == (there.size() >= limit));
    }
    CAPTURE(refused, changed);
    REQUIRE((refused > 100 && changed > 10));
}

TEST_CASE("the recipe of a C library's objects: a callback that comes too late finds nothing, in any history", "[recipes]") {
#include "pool_of_c.inc"
    struct Late {
        TimerId id;
        c_timer timer; // as the library has kept it
    };
    std::vector<Late> running, late;
    ids.clear();
    Random random(5);
    const auto on_end = timer.on_end;
    for (int i = 0; i != 20000; ++i) {
        const auto dice = random.below(100);
        if (dice < 45) {
            const TimerId next = ids.try_create();
            REQUIRE(next.is_null() == (running.size() == 64));
            if (!next) continue;
            timers[next.index()] = {i, on_end, reinterpret_cast<void*>(std::uintptr_t{next.to_bits()})};
            running.push_back({next, timers[next.index()]});
        } else if (dice < 90 && !running.empty()) {
            std::swap(running[random.below(running.size())], running.back());
            const Late done = running.back();
            running.pop_back();
            const int before = ended;
            done.timer.on_end(done.timer.user);
            REQUIRE(ended == before + 1);
            late.push_back(done);
        } else if (!late.empty()) {
            const Late& again = late[random.below(late.size())];
            const int before = ended;
            again.timer.on_end(again.timer.user);
            REQUIRE(ended == before);
        }
        REQUIRE(ids.size() == running.size());
        for (const Late& each : running) REQUIRE((ids.contains(each.id) && timers[each.id.index()].user == each.timer.user));
    }
    REQUIRE(late.size() > 5000);
}

TEST_CASE("the recipe of pointers: each leads to the handle of its element, also after others came and went", "[recipes]") {
#include "pointer_back.inc"
    std::map<const Button*, decltype(buttons)::handle_type> there;
    for (auto [handle, button] : buttons.items()) there.emplace(&button, handle);
    Random random(6);
    for (int i = 0; i != 4000; ++i) {
        if (random.chance(50)) {
            const auto handle = buttons.insert({});
            REQUIRE(there.emplace(buttons.get(handle), handle).second);
        } else {
            const auto gone = std::next(there.begin(), random.below(there.size()));
            const Button* const pointer = gone->first;
            REQUIRE(buttons.erase(gone->second));
            there.erase(gone);
            REQUIRE(buttons.handle_of(pointer).is_null());
        }
        if (i % 100 == 0)
            for (const auto& [pointer, handle] : there)
                REQUIRE((buttons.handle_of(pointer) == handle && buttons.get(handle) == pointer));
    }
}

TEST_CASE("the recipe of elements that refer to each other: promised ones come under the promised handle or not at all",
          "[recipes]") {
#include "cycles.inc"
    using Id = slotwise::HandleOf<Doors>;
    std::map<Id, Id> there{{in, out}, {out, in}}; // and their other side
    std::vector<std::pair<Id, Id>> promised;      // and who waits for it
    std::size_t kept = 0, broken = 0;
    Random random(7);
    for (int i = 0; i != 10000; ++i) {
        const auto dice = random.below(100);
        if (dice < 35) {
            const Id here = doors.reserve_handle(), there_ = doors.insert_with([&](auto self) { return Door{self, here}; });
            promised.emplace_back(here, there_);
            REQUIRE(there.emplace(there_, here).second);
        } else if (dice < 80 && !promised.empty()) {
            std::swap(promised[random.below(promised.size())], promised.back());
            const auto [here, there_] = promised.back();
            promised.pop_back();
            REQUIRE(doors.explain(here) == slotwise::HandleStatus::reserved);
            if (dice < 65) {
                REQUIRE(doors.fulfill(here, Door{here, there_}));
                there.emplace(here, there_);
                ++kept;
            } else {
                REQUIRE(doors.cancel(here));
                ++broken;
            }
        } else if (!there.empty()) {
            const auto gone = std::next(there.begin(), random.below(there.size()));
            REQUIRE(doors.erase(gone->first));
            there.erase(gone);
        }
        if (i % 50 != 0) continue;
        REQUIRE(doors.size() == there.size());
        for (const auto& [self, other] : there) REQUIRE((doors[self].self == self && doors[self].other_side == other));
        for (const auto& [self, other] : there) REQUIRE(doors.contains(other) == there.contains(other));
    }
    REQUIRE((kept > 500 && broken > 500));
}

TEST_CASE("the recipe of a sorted walk: handles find their values after any sort, and the walk is sorted", "[recipes]") {
#include "sorted.inc"
    std::map<decltype(scores)::handle_type, int> there;
    for (auto [handle, score] : scores.items()) there.emplace(handle, score);
    Random random(8);
    for (int i = 0; i != 2000; ++i) {
        if (random.chance(60)) {
            const int score = static_cast<int>(random.below(50));
            there.emplace(scores.insert(score), score);
        } else if (!there.empty()) {
            const auto gone = std::next(there.begin(), random.below(there.size()));
            scores.erase(gone->first);
            there.erase(gone);
        }
        if (i % 20 != 0) continue;
        scores.sort(std::greater<>());
        REQUIRE(std::ranges::is_sorted(scores.values(), std::greater<>()));
        REQUIRE(scores.size() == there.size());
        for (const auto& [handle, score] : there)
            REQUIRE((scores[handle] == score && scores.values()[scores.index_of(handle)] == score));
    }
    for (int i = 0; i != 500; ++i) {
        if (random.chance(60))
            order.push_back(prices.insert(static_cast<int>(random.below(100))));
        else if (!order.empty()) {
            std::swap(order[random.below(order.size())], order.back());
            prices.erase(order.back());
            order.pop_back();
        }
        std::ranges::sort(order, {}, [&](auto handle) { return prices[handle]; });
        REQUIRE(std::ranges::is_sorted(order, {}, [&](auto handle) { return prices[handle]; }));
    }
}

TEST_CASE("the recipe of one member: a loop over arrays does what a loop over rows does, in any history", "[recipes]") {
#include "one_member.inc"
    struct Row {
        float x, speed;
        std::string name;
    };
    std::map<decltype(bodies)::handle_type, Row> there;
    for (auto [id, row] : bodies.items()) there.emplace(id, Row{row.get<0>().x, row.get<1>().x, row.get<2>()});
    Random random(9);
    for (int i = 0; i != 3000; ++i) {
        const auto dice = random.below(100);
        if (dice < 50) {
            const Row row{static_cast<float>(random.below(9)), static_cast<float>(random.below(9)),
                          "body " + std::to_string(i)};
            there.emplace(bodies.insert(Position{row.x, 0}, Speed{row.speed, 0}, row.name), row);
        } else if (dice < 90 && !there.empty()) {
            const auto gone = std::next(there.begin(), random.below(there.size()));
            REQUIRE(bodies.erase(gone->first));
            there.erase(gone);
        } else {
            const auto xs = bodies.column<Position>();
            const auto dxs = bodies.column<Speed>();
            for (std::size_t row = 0; row != xs.size(); ++row) xs[row].x += dxs[row].x;
            for (auto& [id, row] : there) row.x += row.speed;
        }
        if (i % 20 != 0) continue;
        REQUIRE(bodies.size() == there.size());
        for (const auto& [id, row] : there) {
            auto [at, by, called] = bodies[id];
            REQUIRE((at.x == row.x && by.x == row.speed && called == row.name));
        }
    }
}
