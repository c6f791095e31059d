// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Systems that run at the same time: each says by its query what it reads and writes, those without a conflict share a stage,
// and a pool of threads runs a stage. The result is that of running one system after the other, bit for bit. The pool is Boost's,
// because it consists of headers alone: a sanitizer of threads sees all of it, and so needs no suppression.

#include <slotwise/ecs/archetype_store.hpp>

#define BOOST_ASIO_DISABLE_FENCED_BLOCK // the pool's mutex orders its jobs, and sanitizers of threads know no fences
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <latch>
#include <vector>

namespace {

using namespace slotwise;

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 1, y = 2;
};
struct Health {
    int points = 100;
};
struct Heat {
    float degrees = 20;
};
struct Burning {};

struct System {
    QueryAccess access;
    std::function<void()> run;
};

/// A system of a query and what it does to each entity. The query is warm: threads may walk it at once.
template <class Query, class F>
System system(const Query& query, F f) {
    query.warm();
    return {query.access(), [query, f] { query.for_each(f); }};
}

/// Systems in stages. Each is in the first stage after all earlier systems that it is in conflict with.
std::vector<std::vector<const System*>> stages_of(const std::vector<System>& systems) {
    std::vector<std::vector<const System*>> stages;
    for (const System& each : systems) {
        std::size_t stage = stages.size();
        const auto stands_aside = [&](const System* other) { return !conflicts(each.access, other->access); };
        while (stage != 0 && std::all_of(stages[stage - 1].begin(), stages[stage - 1].end(), stands_aside)) --stage;
        if (stage == stages.size()) stages.emplace_back();
        stages[stage].push_back(&each);
    }
    return stages;
}

struct World {
    ArchetypeStore store{};
    std::vector<System> systems{};

    World() {
        for (int i = 0; i != 20'000; ++i) {
            const Entity entity = store.spawn(Position{float(i), 0}, Velocity{}, Health{}, Heat{float(i % 90)});
            if (i % 3 == 0) store.add<Burning>(entity);
        }
        systems.push_back(system(store.query<Position, const Velocity>(), [](Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        }));
        systems.push_back(system(store.query<Heat>().with<Burning>(), [](Heat& heat) { heat.degrees += 1; }));
        systems.push_back(system(store.query<Health, const Heat>(),
                                 [](Health& health, const Heat& heat) { health.points -= heat.degrees > 60 ? 1 : 0; }));
        systems.push_back(system(store.query<Velocity, const Position>(),
                                 [](Velocity& v, const Position& p) { v.x = p.x > 500 ? -v.x : v.x; }));
        systems.push_back(system(store.query<Heat>().exclude<Burning>(), [](Heat& heat) { heat.degrees *= 0.99f; }));
    }
    std::vector<float> state() const {
        std::vector<float> all;
        store.query<const Position, const Velocity, const Health, const Heat>().for_each(
            [&](const Position& p, const Velocity& v, const Health& health, const Heat& heat) {
                all.insert(all.end(), {p.x, p.y, v.x, v.y, float(health.points), heat.degrees});
            });
        return all;
    }
};

} // namespace

int main() {
    World serial, parallel;
    const auto stages = stages_of(parallel.systems);
    boost::asio::thread_pool pool(2);
    for (int frame = 0; frame != 50; ++frame) {
        for (const System& each : serial.systems) each.run();
        for (const auto& stage : stages) {
            std::latch done(static_cast<std::ptrdiff_t>(stage.size()));
            for (const System* const each : stage)
                boost::asio::post(pool, [each, &done] {
                    each->run();
                    done.count_down();
                });
            done.wait();
        }
    }
    pool.join();
    const bool passed = stages.size() == 3 && stages[0].size() == 2 && serial.state() == parallel.state();
    std::printf("%zu systems in %zu stages, check: %s\n", parallel.systems.size(), stages.size(), passed ? "passed" : "FAILED");
    return passed ? 0 : 1;
}
