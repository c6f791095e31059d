// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if defined(SLOTWISE_BENCH_HAS_FLECS)

#include "special.hpp"
#include "swarm.hpp"

#include <flecs.h>

namespace {

using namespace bench;
using namespace bench::ecs;

// The interface in C, with cached queries. Its entities have 32 bits of index and 16 of version. ecs_get_id reads what a dead
// entity does not have, so is_alive is asked before.
class Flecs {
public:
    using Entity = ecs_entity_t;

    Flecs() = default;
    Flecs(const Flecs&) = delete;
    Flecs& operator=(const Flecs&) = delete;
    ~Flecs() { ecs_fini(world_); }

    template <class... C>
    SLOTWISE_BENCH_STEP Entity spawn(const C&... c) {
        const Entity entity = ecs_new(world_);
        (add<C>(entity, c), ...);
        return entity;
    }
    SLOTWISE_BENCH_STEP void despawn(Entity entity) { ecs_delete(world_, entity); }
    template <class... C>
    void spawn_n(std::size_t n, const C&... c) {
        std::tuple<std::vector<C>...> values(std::vector<C>(n, c)...);
        void* data[] = {std::get<std::vector<C>>(values).data()...};
        ecs_bulk_desc_t desc{};
        desc.count = static_cast<std::int32_t>(n);
        std::size_t count = 0;
        ((desc.ids[count++] = id<C>()), ...);
        desc.data = data;
        ecs_bulk_init(world_, &desc);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void add(Entity entity, const C& value) {
        if constexpr (std::is_empty_v<C>)
            ecs_add_id(world_, entity, id<C>());
        else
            ecs_set_id(world_, entity, id<C>(), sizeof(C), &value);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void remove(Entity entity) {
        ecs_remove_id(world_, entity, id<C>());
    }
    template <class C>
    SLOTWISE_BENCH_STEP const C* get(Entity entity) {
        return ecs_is_alive(world_, entity) ? static_cast<const C*>(ecs_get_id(world_, entity, id<C>())) : nullptr;
    }
    template <class... C, class F>
    SLOTWISE_BENCH_STEP void each(F f) {
        ecs_iter_t it = ecs_query_iter(world_, query<C...>());
        while (ecs_query_next(&it))
            [&]<int... k>(std::integer_sequence<int, k...>) {
                [&](C*... columns) {
                    for (std::int32_t i = 0, count = it.count; i != count; ++i) f(columns[i]...);
                }(static_cast<C*>(std::is_empty_v<C> ? nullptr
                                                     : ecs_field_w_size(&it, std::is_empty_v<C> ? 0 : sizeof(C), k))...);
            }(std::make_integer_sequence<int, sizeof...(C)>());
    }
    template <class C>
    void allow_toggle() {
        ecs_add_id(world_, id<C>(), EcsCanToggle);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void disable(Entity entity) {
        ecs_enable_id(world_, entity, id<C>(), false);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void enable(Entity entity) {
        ecs_enable_id(world_, entity, id<C>(), true);
    }

    void watch(int kind, bool p, bool v) {
        ecs_query_desc_t desc{};
        with_kind(kind, [&]<class K>() { desc.terms[0].id = id<K>(); });
        if (p) desc.terms[1].id = id<P>();
        if (v) desc.terms[p ? 2 : 1].id = id<V>();
        desc.cache_kind = EcsQueryCacheAuto;
        ecs_query_init(world_, &desc);
    }
    template <class C>
    void make_sparse() {
        ecs_add_id(world_, id<C>(), EcsDontFragment);
    }
    template <class... C>
    SLOTWISE_BENCH_STEP Entity defer_spawn(const C&... c) {
        if (!ecs_is_deferred(world_)) ecs_defer_begin(world_);
        return spawn(c...);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void defer_set(Entity entity, const C& c) {
        add(entity, c);
    }
    void apply() { ecs_defer_end(world_); }
    void make_states(std::uint32_t count) {
        state_ = ecs_new(world_);
        ecs_add_id(world_, state_, EcsExclusive);
        for (std::uint32_t k = 0; k != count; ++k) states_.push_back(ecs_new(world_));
    }
    SLOTWISE_BENCH_STEP void set_state(Entity entity, std::uint32_t k) {
        ecs_add_id(world_, entity, ecs_pair(state_, states_[k]));
    }
    std::uint64_t count_in(std::uint32_t k) {
        std::uint64_t count = 0;
        ecs_iter_t it = ecs_each_id(world_, ecs_pair(state_, states_[k]));
        while (ecs_each_next(&it))
            for (std::int32_t i = 0; i != it.count; ++i) count += it.entities[i] != 0;
        return count;
    }

protected:
    static inline std::size_t numbers = 0;
    template <class... C>
    static inline const std::size_t number = numbers++;

    template <class C>
    Entity id() {
        Entity& id = ids_[number<std::remove_const_t<C>>];
        if (id == 0) {
            id = ecs_new(world_);
            ecs_component_desc_t desc{};
            desc.entity = id;
            desc.type.size = std::is_empty_v<C> ? 0 : sizeof(C);
            desc.type.alignment = std::is_empty_v<C> ? 0 : alignof(C);
            if (!std::is_empty_v<C>) ecs_component_init(world_, &desc);
        }
        return id;
    }
    template <class... C>
    ecs_query_t* query() {
        ecs_query_t*& query = queries_[number<int, C...>];
        if (query == nullptr) {
            ecs_query_desc_t desc{};
            std::size_t count = 0;
            ((desc.terms[count].id = id<C>(), desc.terms[count++].inout = std::is_const_v<C> ? EcsIn : EcsInOut), ...);
            desc.cache_kind = EcsQueryCacheAuto;
            query = ecs_query_init(world_, &desc);
        }
        return query;
    }

    ecs_world_t* world_ = ecs_mini();
    Entity state_ = 0;
    std::vector<Entity> states_;
    std::array<Entity, 256> ids_{};
    std::array<ecs_query_t*, 256> queries_{};
};

// The same, with entities made in their table at once: it is found when the first one is made.
class FlecsInTable : public Flecs {
public:
    template <class... C>
    SLOTWISE_BENCH_STEP Entity spawn(const C&... c) {
        ecs_table_t*& table = tables_[number<C...>];
        if (table == nullptr) {
            ecs_id_t ids[] = {id<C>()...};
            std::sort(std::begin(ids), std::end(ids));
            table = ecs_table_find(world_, ids, sizeof...(C));
        }
        const Entity entity = ecs_new_w_table(world_, table);
        ((*static_cast<C*>(ecs_get_mut_id(world_, entity, id<C>())) = c), ...);
        return entity;
    }

private:
    std::array<ecs_table_t*, 256> tables_{};
};

const Registered registered([] {
    add_walks<Flecs>("flecs", Role::rival);
    add_spawns<Flecs>("flecs", Role::rival);
    add_spawns<FlecsInTable>("flecs_in_table", Role::rival);
    add_changes<Flecs>("flecs", Role::rival);
    add_special<Flecs>("flecs", Role::rival);
    add_swarm<Flecs>("flecs", Role::rival);
});

} // namespace

#endif
