// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "special.hpp"
#include "swarm.hpp"

#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/ecs/query.hpp>

#include <any>

namespace {

using namespace bench;
using namespace bench::ecs;

class Store {
public:
    using Entity = slotwise::Entity;

    template <class... C>
    SLOTWISE_BENCH_STEP Entity spawn(const C&... c) {
        return store_.spawn(c...);
    }
    SLOTWISE_BENCH_STEP void despawn(Entity entity) { store_.despawn(entity); }
    template <class... C>
    void spawn_n(std::size_t n, const C&... c) {
        store_.spawn_n(n, c...);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void add(Entity entity, const C& value) {
        store_.add(entity, value);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void remove(Entity entity) {
        store_.remove<C>(entity);
    }
    template <class C>
    SLOTWISE_BENCH_STEP const C* get(Entity entity) {
        return store_.get<const C>(entity);
    }
    template <class... C, class F>
    SLOTWISE_BENCH_STEP void each(F f) {
        if constexpr ((std::is_empty_v<C> && ...))
            query<C...>().for_each([&] { f(C{}...); }); // a tag is not delivered
        else
            query<C...>().for_each(f);
    }
    template <class C>
    void allow_toggle() {
        store_.registry().template add<C>({.toggle = true});
    }
    template <class C>
    SLOTWISE_BENCH_STEP void disable(Entity entity) {
        store_.disable<C>(entity);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void enable(Entity entity) {
        store_.enable<C>(entity);
    }

    void watch(int kind, bool p, bool v) {
        auto query = store_.query<>();
        with_kind(kind, [&]<class K>() { query = query.template with<K>(); });
        if (p) query = query.with<P>();
        if (v) query = query.with<V>();
        query.warm();
        watched_.push_back(query);
    }
    template <class C>
    void make_sparse() {
        store_.registry().template add<C>({.sparse = true});
    }
    void track() { store_.registry().template add<P>({.tracked = true}); }
    void next_tick() { before_ = store_.tick(), store_.advance(); }
    SLOTWISE_BENCH_STEP void touch(Entity entity) { store_.get<P>(entity)->x += 0.5f; }
    template <class F>
    SLOTWISE_BENCH_STEP void each_changed(F f) {
        query<const P>().template changed<P>(before_).for_each(f);
    }
    template <class... C>
    SLOTWISE_BENCH_STEP Entity defer_spawn(const C&... c) {
        return later_.spawn(c...);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void defer_set(Entity entity, const C& c) {
        later_.set(entity, c);
    }
    void apply() { store_.apply(later_); }
    void make_states(std::uint32_t count) { make_states(count, {.switched = true}); }
    SLOTWISE_BENCH_STEP void set_state(Entity entity, std::uint32_t k) { store_.relate(entity, state_, states_[k]); }
    std::uint64_t count_in(std::uint32_t k) {
        std::uint64_t count = 0;
        for (const Entity entity : store_.sources(state_, states_[k])) count += static_cast<bool>(entity);
        return count;
    }
    std::vector<std::byte> save() { return store_.snapshot(); }
    void load(std::span<const std::byte> bytes) { store_.restore(bytes); }

protected:
    void make_states(std::uint32_t count, slotwise::ComponentTraits traits) {
        state_ = store_.registry().add_relation("state", traits);
        const auto states = store_.spawn_n(count);
        states_.assign(states.begin(), states.end());
    }

    slotwise::ArchetypeStore store_;

private:
    static inline std::size_t numbers = 0;
    template <class... C>
    static inline const std::size_t number = numbers++;

    // Kept, as those of the others are.
    template <class... C>
    auto& query() {
        using Query = slotwise::Query<slotwise::ArchetypeStore, C...>;
        std::any& query = queries_[number<C...>];
        if (!query.has_value()) query.emplace<Query>(store_.query<C...>());
        return *std::any_cast<Query>(&query);
    }

    slotwise::CommandBuffer later_{store_};
    slotwise::tick_t before_ = 0;
    slotwise::ComponentId state_{};
    std::vector<Entity> states_;
    std::vector<slotwise::Query<slotwise::ArchetypeStore>> watched_;
    std::array<std::any, 256> queries_;
};

// What the recorded commands do, done at once.
class Direct : public Store {
public:
    template <class... C>
    SLOTWISE_BENCH_STEP Entity defer_spawn(const C&... c) {
        return store_.spawn(c...);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void defer_set(Entity entity, const C& c) {
        store_.set(entity, c);
    }
    void apply() {}
};

// States are pairs in tables: each state has a table, and a change of state moves the row.
class Exclusive : public Store {
public:
    void make_states(std::uint32_t count) { Store::make_states(count, {.exclusive = true}); }
};

const Registered registered([] {
    add_walks<Store>("ArchetypeStore", Role::ours);
    add_spawns<Store>("ArchetypeStore", Role::ours);
    add_changes<Store>("ArchetypeStore", Role::ours);
    add_special<Store>("ArchetypeStore", Role::ours);
    add_swarm<Store>("ArchetypeStore", Role::ours);
    add_states<Exclusive>("ArchetypeStore_exclusive", Role::ours);
    add_deferred<Direct>("ArchetypeStore_direct", Role::ours);
});

} // namespace
