// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The guide's recipes of threads and of stale handles, which want threads and exceptions. Each is run as the guide has it, and
// goes on with random histories against a model.
#undef NDEBUG // the recipes assert
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/core/format.hpp>
#include <slotwise/map/slot_map.hpp>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using test::Random;

TEST_CASE("the recipe of a stale handle: the reason is that of the history, and the text names handle and version",
          "[recipes]") {
#include "why.inc"
    using Id = decltype(names)::handle_type;
    using Status = slotwise::HandleStatus;
    std::map<Id, Status> known{{ada, Status::stale}, {eve, Status::live}};
    std::size_t stale = 0, reserved = 0;
    Random random(1);
    for (int i = 0; i != 4000; ++i) {
        const auto dice = random.below(100);
        const auto one = std::next(known.begin(), random.below(known.size()));
        if (dice < 45) {
            REQUIRE(known.emplace(names.insert("name " + std::to_string(i)), Status::live).second);
        } else if (dice < 50) {
            REQUIRE(known.emplace(names.reserve_handle(), Status::reserved).second);
        } else if (one->second == Status::reserved) {
            if (random.chance(50)) {
                names.fulfill(one->first, "late");
                one->second = Status::live;
            } else {
                names.cancel(one->first);
                one->second = Status::stale;
            }
        } else if (dice < 90) {
            names.erase(one->first);
            one->second = Status::stale;
        }
        const auto [id, status] = *std::next(known.begin(), random.below(known.size()));
        REQUIRE(names.explain(id) == status);
        stale += status == Status::stale;
        reserved += status == Status::reserved;
        std::string said;
        try {
            names.at(id);
        } catch (const std::out_of_range& error) {
            said = error.what();
        }
        REQUIRE(said.empty() == (status == Status::live));
        if (!said.empty()) REQUIRE(said.find(to_string(id)) != std::string::npos);
    }
    REQUIRE((stale > 500 && reserved > 20));
}

TEST_CASE("the recipe of threads: each element is written once, by one thread, whatever was erased before", "[recipes]") {
#include "threads.inc"
    using Id = decltype(bodies)::handle_type;
    std::map<Id, float> there;
    for (auto [id, body] : bodies.items()) there.emplace(id, body);
    Random random(2);
    std::size_t most = 0;
    for (int round = 0; round != 12; ++round) {
        for (int i = 0; i != 3000; ++i) {
            if (random.chance(round % 2 == 0 ? 30 : 60)) {
                const auto value = static_cast<float>(random.below(1000));
                there.emplace(bodies.insert(value), value);
            } else {
                const auto gone = there.lower_bound(Id(random.below(bodies.size() + 1), 0));
                if (gone == there.end()) continue;
                bodies.erase(gone->first);
                there.erase(gone);
            }
        }
        std::vector<std::thread> jobs;
        for (auto chunk : bodies.chunks())
            jobs.emplace_back([chunk] { chunk.live.for_each([&](slotwise::slot_t i) { chunk.values[i] += 1; }); });
        most = std::max(most, jobs.size());
        for (std::thread& job : jobs) job.join();
        REQUIRE(bodies.size() == there.size());
        for (auto& [id, body] : there) REQUIRE(bodies[id] == ++body);
    }
    REQUIRE(most > 1);
}
