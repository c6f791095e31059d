// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A tour of ArchetypeStore. First a mover gets a velocity and loses it again, and a landmark stays. Then hooks keep an index. Then
// what a game needs of a store: a template, change detection, events, sparse tags, commands, chunks on threads, and a frame that
// orders them: systems run, buffers are applied, events are retired, the tick advances.

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/ecs/event_queue.hpp>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace slotwise;

int failures = 0;
void check(bool ok, const char* what) {
    if (!ok) ++failures;
    std::cout << (ok ? "" : "WRONG: ") << what << '\n';
}

struct Position {
    float x = 0, y = 0;
    bool operator==(const Position&) const = default;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Health {
    int points = 10;
};
struct Template {}; // hides its entities from walks that do not name it
struct Selected {}; // a tag outside the tables: it comes and goes without a move
struct Hit {
    Entity entity;
    int damage;
};

/// {Position} -> {Position, Velocity} -> {Position}: two moves, and the data is kept.
void mover_and_landmark() {
    ArchetypeStore store;
    const Entity mover = store.spawn(Position{1, 2});
    const Entity landmark = store.builder().with(Position{100, 200}).spawn();

    store.add(mover, Velocity{0.5f, 0.25f});
    for (int frame = 0; frame != 4; ++frame)
        store.query<Position, const Velocity>().for_each([](Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        });
    check(store.at<Position>(mover) == Position{3, 3}, "the mover has moved four steps");
    store.remove<Velocity>(mover);
    store.query<Position, const Velocity>().for_each([](Position& p, const Velocity&) { p = {}; });

    std::vector<Entity> found;
    for (auto [entity, p] : store.query<const Position>()) found.push_back(entity);
    std::sort(found.begin(), found.end());
    check(found == std::vector<Entity>{mover, landmark}, "both are found at the end, by the handles they had from the start");
    check(store.at<Position>(mover) == Position{3, 3}, "the mover kept its place when it lost its velocity");
    check(store.at<Position>(landmark) == Position{100, 200}, "the landmark has stayed");
}

/// Which entities stand in a column of the world: an index that hooks keep, whatever changes a position.
class Columns {
public:
    explicit Columns(ArchetypeStore& store)
        : tokens_{store.scoped(store.on_add<Position>([this](Entity entity, Position& p) { insert(entity, p); })),
                  store.scoped(store.on_set<Position>([this](Entity entity, Position& p) { insert(entity, p); })),
                  store.scoped(store.on_replace<Position>([this](Entity entity, Position& p) { erase(entity, p); })),
                  store.scoped(store.on_remove<Position>([this](Entity entity, Position& p) { erase(entity, p); }))} {}
    [[nodiscard]] const std::set<Entity>& at(int column) { return columns_[column]; }

private:
    static int column_of(const Position& p) { return static_cast<int>(p.x) / 10; }
    void insert(Entity entity, const Position& p) { columns_[column_of(p)].insert(entity); }
    void erase(Entity entity, const Position& p) { columns_[column_of(p)].erase(entity); } // where it was

    std::map<int, std::set<Entity>> columns_;
    HookToken tokens_[4]; // last: no hook is called when the index is gone
};
void index_of_columns() {
    ArchetypeStore store;
    Columns columns(store);
    std::vector<Entity> all;
    for (int i = 0; i != 100; ++i) all.push_back(store.spawn(Position{static_cast<float>(i), 0}));
    store.set(all[0], Position{55, 0});
    store.patch<Position>(all[1], [](Position& p) { p.x = 56; });
    CommandBuffer commands(store);
    store.query<const Position>().for_each([&](Entity entity, const Position& p) {
        if (p.x >= 90) commands.set(entity, Position{p.x - 40, p.y});
        if (p.x < 10) commands.despawn(entity);
    });
    std::size_t in_between = 0;
    commands.call([&] { in_between = columns.at(5).size(); });
    commands.set(all[2], Position{}); // dropped: it is gone
    commands.remove<Position>(all[1]);
    store.apply(commands);
    std::set<Entity> found;
    store.query<const Position>().for_each([&](Entity entity, const Position& p) {
        if (p.x >= 50 && p.x < 60) found.insert(entity);
    });
    check(columns.at(5) == found && found.size() == 21, "the index finds who stands in a column");
    check(columns.at(0).empty() && columns.at(9).empty(), "and nobody who has left it");
    check(in_between == 22, "a function between the commands has seen it before the last of them");
}

/// Movers bounce between two walls and are hurt by each. Stones lie about; a few are pushed in each frame.
class Game {
public:
    static constexpr std::size_t movers = 10'000, stones = 40'000, pushed = 5, frames = 60;
    static constexpr float width = 100;

    Game() {
        store_.registry().add<Position>({.tracked = true});
        store_.registry().add<Selected>({.sparse = true});
        store_.registry().add<Template>({.hides = true});
        for (std::size_t i = 0; i != movers; ++i)
            store_.spawn(Position{static_cast<float>(i % 100), 0}, Velocity{static_cast<float>(i % 8 + 1), 0}, Health{});
        const Entity stone = store_.spawn(Template{}, Position{5, 5});
        const auto clones = store_.clone_n(stone, stones); // without Template: they are walked
        stones_.assign(clones.begin(), clones.end());
    }

    /// A schedule is a function: nothing is hidden in the store.
    void frame() {
        move();
        push_stones();
        touch_walls();
        harm();
        select();
        replace_dead();
        store_.apply(commands_);
        count_drawn();
        hits_.update();   // events of the frame before are retired
        store_.advance(); // what changes from now on is newer
    }

    void check_all() const {
        std::size_t hurt = 0, selected = 0, near = 0;
        store_.query<const Health>().for_each([&](const Health& health) { hurt += health.points < 10; });
        store_.query<const Position>().with<Velocity>().for_each([&](const Position& p) { near += p.x >= 90; });
        store_.query<const Position>().with<Selected>().for_each([&](const Position& p) { selected += p.x >= 90; });
        std::cout << store_.size() << " entities, " << hits_seen_ << " hits, " << replaced_ << " replaced, " << drawn_
                  << " positions drawn of " << (movers + stones) * frames << '\n';
        check(store_.check_invariants(), "the store is sound");
        check(store_.query<>().size() == movers + stones, "each entity that died was replaced");
        check(store_.size() == movers + stones + 1 && store_.query<>().with<Template>().size() == 1,
              "no walk met the template");
        check(hits_seen_ == hits_made_, "each event was read once");
        check(hurt != 0 && replaced_ != 0, "some are hurt, and some have died");
        check(selected == near && selected == store_.query<>().with<Selected>().size(),
              "those near the right wall are selected");
        check(drawn_ == movers + stones + (frames - 1) * (movers + pushed), "only what moved was drawn again");
    }
    /// In an order that does not depend on tables, as for drawing or for a game in lockstep. Then what moves ends at once.
    void end() {
        float last = -1;
        bool in_order = true;
        store_.query<const Position>().for_each_sorted([](const Position& p) { return p.x; },
                                                       [&](const Position& p) {
                                                           in_order = in_order && last <= p.x;
                                                           last = p.x;
                                                       });
        check(in_order, "all come from left to right, whatever tables they are in");
        const std::size_t moving = store_.remove_all<Velocity>();
        check(moving == movers && store_.query<const Health>().despawn_all() == movers, "all that moved has ended");
        check(store_.size() == stones + 1 && store_.check_invariants(), "the stones and their template stay");
    }

private:
    /// Chunks of rows go to worker threads. A chunk is a few arrays; no two workers touch one row.
    void move() {
        const auto chunks = store_.query<Position, const Velocity>().chunks(4096);
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t mine = next++; mine < chunks.size(); mine = next++) {
                const auto p = chunks[mine].get<Position>(); // which stamps the rows as changed
                const auto v = chunks[mine].get<const Velocity>();
                for (std::size_t row = 0; row != p.size(); ++row) {
                    p[row].x += v[row].x;
                    p[row].y += v[row].y;
                }
            }
        };
        std::vector<std::jthread> workers;
        for (int i = 0; i != 4; ++i) workers.emplace_back(work);
    } // the workers end before the list of chunks does, and with it the walk
    void push_stones() {
        for (std::size_t i = 0; i != pushed; ++i) store_.get<Position>(stones_[next_stone_++])->y += 1;
    }
    /// Values may be written in a walk. Who is hit is an event, for whatever system wants to know.
    void touch_walls() {
        store_.query<Position, Velocity>().for_each([&](Entity entity, Position& p, Velocity& v) {
            if (p.x >= 0 && p.x < width) return;
            p.x = p.x < 0 ? 0 : width - 1;
            v.x = -v.x;
            hits_.push(Hit{entity, 3});
            ++hits_made_;
        });
    }
    /// Reads each event once, though it stays in the queue for another frame.
    void harm() {
        for (const Hit& hit : reader_.read(hits_)) {
            ++hits_seen_;
            if (Health* const health = store_.get<Health>(hit.entity)) health->points -= hit.damage;
        }
    }
    /// A tag outside the tables: no row moves. Structure must not change in the walk, so commands are recorded.
    void select() {
        store_.query<const Position>().with<Velocity>().for_each([&](Entity entity, const Position& p) {
            if (p.x >= 90)
                commands_.add<Selected>(entity);
            else if (store_.has<Selected>(entity))
                commands_.remove<Selected>(entity);
        });
    }
    void replace_dead() {
        store_.query<const Health>().for_each([&](Entity entity, const Health& health) {
            if (health.points > 0) return;
            ++replaced_;
            commands_.despawn(entity);
            const Entity child = commands_.spawn(Position{}, Velocity{3, 0}); // a real id, at once
            commands_.add(child, Health{});                                   // of the same entity: one row is made
        });
    }
    /// Only what changed since the last frame, as a renderer or a network layer would ask.
    void count_drawn() {
        drawn_ += store_.query<const Position>().changed<Position>(last_frame_).size();
        last_frame_ = store_.tick();
    }

    ArchetypeStore store_{};
    CommandBuffer commands_{store_};
    EventQueue<Hit> hits_{};
    EventQueue<Hit>::Reader reader_{};
    tick_t last_frame_ = 0;
    std::vector<Entity> stones_{};
    std::size_t next_stone_ = 0, hits_made_ = 0, hits_seen_ = 0, replaced_ = 0, drawn_ = 0;
};

} // namespace

int main() {
    mover_and_landmark();
    index_of_columns();
    Game game;
    for (std::size_t i = 0; i != Game::frames; ++i) game.frame();
    game.check_all();
    game.end();
    return failures == 0 ? 0 : 1;
}
