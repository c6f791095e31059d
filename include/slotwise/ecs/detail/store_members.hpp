// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a store does with components that are named by their ids, and with all entities at once.
#ifndef SLOTWISE_ECS_DETAIL_STORE_MEMBERS_HPP
#define SLOTWISE_ECS_DETAIL_STORE_MEMBERS_HPP

#include "../../core/detail/call_form.hpp"
#include "store_change.hpp"

SLOTWISE_BEGIN
namespace detail {

//=== errors ===//

/// Throws std::out_of_range that says what at() did not find
[[noreturn]] SLOTWISE_COLD inline void refuse_missing(const StoreCore& core, Entity entity, ComponentId id) {
    std::string text = "ArchetypeStore::at: the entity (" + to_string(entity) + ") ";
    if (!core.is_alive(entity))
        text += dead_because(core, entity);
    else
        text += "does not have the component " + (id ? core.registry.name(id) : std::string("(which is not registered)"));
    throw_out_of_range((text += "; get() returns null then").c_str());
}

//=== lookup ===//

/// Whether the entity at this place has a component. Wildcards ask whether there is a pair that matches.
inline bool has(const StoreCore& core, Entity entity, ComponentId id) noexcept {
    const EntityLocation* const at = core.location(entity);
    return at != nullptr && has_at(core, *at, entity, id) && !core.registry.is_switched_alone(id);
}
/// The address of a value; null if there is none. @tparam Marks it counts as a change
template <bool Marks, class Core>
SLOTWISE_ALWAYS_INLINE auto* value_of(Core& core, Entity entity, ComponentId id) noexcept {
    using Void = std::conditional_t<std::is_const_v<Core>, const void, void>;
    const auto* const at = core.location(entity);
    if (at == nullptr) return static_cast<Void*>(nullptr);
    if constexpr (Marks) mark_changed(core, *at, id);
    return value_at(core, *at, entity, id);
}

/// Calls f(id, value) for all components of an entity, those of tables first.
template <class F>
void for_each_component(const StoreCore& core, Entity entity, F&& f) {
    const EntityLocation* const at = core.location(entity);
    if (at == nullptr) return;
    for (const ComponentId id : core.table(*at).ids())
        if (!core.registry.is_switched_alone(id)) f(id, value_at(core, *at, entity, id)); // its pair is outside
    if (!at->has_outside()) return;
    for (const std::uint32_t number : core.outside.numbers()) {
        const ComponentId id = core.registry.id(number);
        const SparseColumn* const column = core.outside.column(number);
        if (column != nullptr && column->contains(entity)) f(id, column->get(entity));
        if (const Entity target = core.outside.target(entity, number)) f(pair(id, target), static_cast<const void*>(nullptr));
    }
}

//=== changes by id ===//

/// Calls f(ids) with ids in ascending order, each once.
template <class F>
decltype(auto) with_sorted(std::span<const ComponentId> ids, F&& f) {
    if (IdSets::is_set(ids)) return f(ids);
    PlainVector<ComponentId> copy;
    IdSets::assign(copy, ids);
    return f(copy.span());
}
inline bool add_ids(StoreCore& core, Entity entity, std::span<const ComponentId> ids) {
    return with_sorted(ids, [&](std::span<const ComponentId> add) { return change(core, entity, {add, {}, {}}); });
}
inline bool remove_ids(StoreCore& core, Entity entity, std::span<const ComponentId> ids) {
    for (const ComponentId id : ids) core.registry.expect(id, "ArchetypeStore::remove");
    return with_sorted(ids, [&](std::span<const ComponentId> remove) { return change(core, entity, {{}, remove, {}}); });
}
/// Gives an entity a value of a described type, which one that it has keeps or is assigned.
inline bool give(StoreCore& core, Entity entity, ComponentId id, const AnyValue& value, bool assigns) {
    core.registry.expect(id, "ArchetypeStore");
    if (core.registry.type(id) == nullptr) [[unlikely]]
        throw_invalid_argument("ArchetypeStore: the component is a tag, which has no value; write add(entity, id)");
    const ComponentValue given{id, value, assigns};
    return change(core, entity, {{&id, 1}, {}, {&given, 1}});
}

//=== bits, hooks, time ===//

inline bool enable(StoreCore& core, Entity entity, ComponentId id, bool on) {
    core.registry.expect(id, "ArchetypeStore::enable");
    if (!core.registry.traits(id).toggle) [[unlikely]]
        throw_invalid_argument("ArchetypeStore::enable: the component cannot be disabled; register it with the trait toggle");
    const EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    const std::int32_t place = core.table(*at).place_of(id);
    if (place < 0) return false;
    core.table(*at).enable(at->row(), static_cast<std::size_t>(place), on);
    return true;
}
inline bool is_enabled(const StoreCore& core, Entity entity, ComponentId id) noexcept {
    const EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    const std::int32_t place = core.table(*at).place_of(id);
    if (place < 0) return has_at(core, *at, entity, id);
    if (core.registry.is_switched_alone(id)) return false;
    return core.table(*at).is_enabled(at->row(), static_cast<std::size_t>(place));
}
/// Whether F can be called with an entity and these arguments, and its first parameter is an Entity or takes anything.
template <class F, class... Rest>
inline constexpr bool takes_entity =
    TakesFirst<F, Entity, Rest...> || (std::is_invocable_v<F&, Entity, Rest...> && !TakesBraced<F, Entity, Rest...>);
/// A hook by id: f(entity, id, value), f(entity, value) or f(entity).
template <class F>
HookId hook(StoreCore& core, HookKind kind, ComponentId id, F&& f) {
    core.registry.expect_term(id, "ArchetypeStore hooks");
    if (id.has_any_relation()) throw_invalid_argument("ArchetypeStore hooks: name the relation of the pairs");
    static_assert(takes_entity<F, ComponentId, void*> || takes_entity<F, void*> || takes_entity<F>,
                  "ArchetypeStore hooks by id are called as f(Entity, ComponentId, void*), f(Entity, void*) or f(Entity)");
    return core.hooks.add(kind, id,
                          [f = std::forward<F>(f)](Entity entity, ComponentId of, [[maybe_unused]] void* value) mutable {
                              if constexpr (takes_entity<F, ComponentId, void*>)
                                  f(entity, of, value);
                              else if constexpr (takes_entity<F, void*>)
                                  f(entity, value);
                              else
                                  f(entity);
                          });
}
/// Returns the tick that ends.
inline tick_t advance(StoreCore& core) noexcept {
    const tick_t ended = core.tick++;
    if (core.tick % slotwise::max_tick_age == 0) [[unlikely]]
        core.tables.for_each([&](slot_t, Table& table) { table.clamp_ticks(core.tick); });
    return ended;
}

//=== everything ===//

/// Ends all entities.
inline void clear(StoreCore& core) {
    core.flush_reserved();
    const StoreChanging changing(core);
    const auto all = [&](auto&& f) {
        core.tables.for_each([&](slot_t, const Table& table) {
            for (const Entity entity : table.entities()) for_each_id(core, entity, f);
        });
    };
    PlainVector<slot_t> gone; // made here: nothing throws for lack of memory when hooks were called
    gone.reserve(core.tables.index().count(pair(any, any)));
    if (core.hooks.any(HookKind::remove)) remove_with_hooks(core, all, [] {});
    core.tables.for_each([](slot_t, Table& table) { table.clear(); });
    core.outside.clear();
    core.entities.clear();
    core.invalidate_reserved();
    core.without_row = 0;
    core.tables.erase_tables_with(pair(any, any), gone); // their targets are dead
}
inline void shrink_to_fit(StoreCore& core) {
    core.flush_reserved();
    const StoreChanging changing(core);
    core.tables.erase_empty();
    core.tables.for_each([](slot_t, Table& table) { table.shrink_to_fit(); });
    core.outside.shrink_to_fit();
    core.entities.shrink_to_fit();
}
inline bool check_invariants(const StoreCore& core) {
    std::size_t rows = 0;
    bool holds = core.entities.check_invariants() && core.tables.check_invariants() && core.outside.check_invariants();
    core.tables.for_each([&](slot_t slot, const Table& table) {
        holds = holds && table.check_invariants();
        for (slot_t row = 0; row != table.size(); ++row) {
            const EntityLocation* const at = core.entities.location(table.entities()[row]);
            holds = holds && at != nullptr && at->table() == slot && at->row() == row;
        }
        rows += table.size();
    });
    return holds && rows == core.size();
}
/// Builds `count` default values side by side. Throws what the type does; none is there then
inline void fill_by_default(const TypeDescriptor& type, void* to, std::size_t count) {
    std::byte* const values = static_cast<std::byte*>(to);
    std::size_t built = 0;
    ScopeGuard undo([&]() noexcept {
        while (type.destroy != nullptr && built != 0) type.destroy(values + --built * type.size);
    });
    for (; built != count; ++built) AnyValue().build(type, values + built * type.size);
    undo.dismiss();
}

} // namespace detail

SLOTWISE_END

#endif
