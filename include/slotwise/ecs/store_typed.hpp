// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreTyped: what a store does with components that are named by their C++ types.
#ifndef SLOTWISE_ECS_STORE_TYPED_HPP
#define SLOTWISE_ECS_STORE_TYPED_HPP

#include "extracted_entity.hpp"
#include "store_members.hpp"
#include "store_sparse.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What can be a component: an object that can be moved. What names components is none: give it to add(entity, id). Nor is an
/// entity: relate() names others.
template <class T, class Value = std::remove_cvref_t<T>>
concept Component = std::is_object_v<Value> && !std::is_array_v<Value> && std::is_move_constructible_v<Value> &&
                    !std::is_same_v<Value, ComponentId> && !std::is_same_v<Value, AnyValue> && !std::is_same_v<Value, Entity> &&
                    !std::is_convertible_v<Value&, std::span<const ComponentId>>;

/// The operations of a store on lists of C++ types. One probe finds the bundle of a list; values go from the arguments to their
/// columns without a stop.
struct StoreTyped {
    template <class... Ts>
    static Entity spawn(StoreCore& core, Ts&&... values) {
        StoreBundle& bundle = bundle_of<Ts...>(core);
        if (bundle.outside) [[unlikely]]
            return with_values(
                bundle, false, [&](const Change& what) { return detail::spawn(core, what); }, std::forward<Ts>(values)...);
        core.flush_reserved();
        const StoreChanging changing(core);
        const StoreStep& step = step_of(core, bundle, bundle.spawned, ArchetypeTables::root());
        const Entity entity = core.entities.create();
        ScopeGuard undo([&]() noexcept { core.entities.take_back(1); });
        slot_t row = no_slot;
        core.before_row(step.to, *step.destination);
        if constexpr ((std::is_nothrow_constructible_v<std::remove_cvref_t<Ts>, Ts&&> && ...))
            if (step.complete) [[likely]]
                row = step.destination->try_push_back(entity, [&]([[maybe_unused]] std::size_t at) {
                    [[maybe_unused]] const std::int32_t* column = step.columns.data();
                    (write<Ts>(*step.destination, *column++, at, values), ...);
                });
        if (row == no_slot) [[unlikely]]
            row = step.destination->push_back(entity, core.tick, [&](std::size_t column, void* to) {
                if (!build<Ts...>(step.argument[column], to, values...)) build_companion(*step.destination, column, to);
            });
        core.entities[entity].set(step.to, row);
        undo.dismiss();
        run_hooks(core, HookKind::add, entity, step.destination->ids(), {});
        return entity;
    }
    template <class... Ts>
    static Entity spawn_in(StoreCore& core, StoreCore::Entities::Range range, Ts&&... values) {
        return with_values(
            bundle_of<Ts...>(core), false, [&](const Change& what) { return detail::spawn_in(core, range, what); },
            std::forward<Ts>(values)...);
    }
    template <class... Ts>
    static bool spawn_at(StoreCore& core, Entity entity, Ts&&... values) {
        return with_values(
            bundle_of<Ts...>(core), false, [&](const Change& what) { return detail::spawn_at(core, entity, what); },
            std::forward<Ts>(values)...);
    }
    template <class... Ts>
    static bool fulfill(StoreCore& core, Entity entity, Ts&&... values) {
        return with_values(
            bundle_of<Ts...>(core), false, [&](const Change& what) { return StoreExtraction::fulfill(core, entity, what); },
            std::forward<Ts>(values)...);
    }
    template <class... Ts>
    static std::span<const Entity> spawn_n(StoreCore& core, std::size_t count, const Ts&... values) {
        StoreBundle& bundle = bundle_of<Ts...>(core);
        if (bundle.outside) [[unlikely]]
            return with_values(
                bundle, false, [&](const Change& what) { return detail::spawn_n(core, count, what); }, values...);
        core.flush_reserved();
        const StoreChanging changing(core);
        const StoreStep& step = step_of(core, bundle, bundle.spawned, ArchetypeTables::root());
        Table& table = *step.destination;
        const auto first = static_cast<slot_t>(table.size());
        const std::span<const Entity> entities =
            core.entities.create_n({}, count, [&](slot_t i) { return EntityLocation(step.to, first + i); });
        ScopeGuard undo([&]() noexcept { core.entities.take_back(count); });
        core.before_row(step.to, table);
        table.append(entities, core.tick, [&](std::size_t column, void* to, std::size_t n) {
            [[maybe_unused]] unsigned i = 0;
            const bool given = ((step.argument[column] == i++ && fill(to, n, values)) || ...);
            if (!given) fill_by_default(table.type(column), to, n);
        });
        undo.dismiss();
        if (core.hooks.any(HookKind::add)) [[unlikely]]
            for (const Entity entity : entities) run_hooks(core, HookKind::add, entity, table.ids(), {});
        return entities;
    }
    template <class... Ts>
    static void reserve(StoreCore& core, std::size_t count) {
        StoreBundle& bundle = bundle_of<Ts...>(core);
        core.expect_idle();
        core.entities.reserve(count);
        if (!bundle.outside) step_of(core, bundle, bundle.spawned, ArchetypeTables::root()).destination->reserve(count);
    }

    template <class... Ts>
    static bool add(StoreCore& core, Entity entity, Ts&&... values) {
        StoreBundle& bundle = bundle_of<Ts...>(core);
        if (bundle.outside) [[unlikely]] {
            if constexpr (sizeof...(Ts) == 1)
                if (bundle.sparse) return add_sparse<plain_size<Ts...>>(core, entity, bundle, builder_of<Ts>(values)...);
            return with_values(
                bundle, false, [&](const Change& what) { return change(core, entity, what); }, std::forward<Ts>(values)...);
        }
        EntityLocation* const at = core.location(entity);
        if (at == nullptr) return false;
        const StoreChanging changing(core);
        move_to(core, entity, *at, bundle, [&](unsigned argument, void* to) { return build<Ts...>(argument, to, values...); });
        return true;
    }
    template <class... Ts>
    static bool add_default(StoreCore& core, Entity entity) {
        static_assert((std::is_default_constructible_v<Ts> && ...),
                      "ArchetypeStore::add<Ts...>(entity): a type has no default value; write add(entity, values...)");
        StoreBundle& bundle = bundle_of<Ts...>(core);
        if constexpr (sizeof...(Ts) == 1)
            if (bundle.sparse)
                return add_sparse < (std::is_trivially_default_constructible_v<Ts> && ...)
                           ? plain_size<Ts...>
                           : 0 > (core, entity, bundle, [](void* to) { (::new (to) Ts(), ...); });
        if (bundle.outside) [[unlikely]]
            return change(core, entity, {bundle.sorted.span(), {}, {}});
        EntityLocation* const at = core.location(entity);
        if (at == nullptr) return false;
        const StoreChanging changing(core);
        move_to(core, entity, *at, bundle, [&](unsigned argument, void* to) {
            unsigned i = 0;
            return ((argument == i++ && construct_default<Ts>(to)) || ...);
        });
        return true;
    }
    template <class... Ts>
    static bool remove(StoreCore& core, Entity entity) {
        StoreBundle& bundle = bundle_of<Ts...>(core);
        if (bundle.sparse) return remove_sparse(core, entity, bundle);
        if (bundle.outside || core.hooks.any(HookKind::remove)) [[unlikely]]
            return change(core, entity, {{}, bundle.sorted.span(), {}});
        EntityLocation* const at = core.location(entity);
        if (at == nullptr) return false;
        const StoreChanging changing(core);
        const StoreStep& step = step_of(core, bundle, bundle.removed, at->table());
        if (step.map != nullptr)
            move_row(core, *at, *step.source, step.to, *step.destination, *step.map, [](std::size_t, void*) {});
        return true;
    }
    template <class... Ts>
    static bool set(StoreCore& core, Entity entity, Ts&&... values) {
        StoreBundle& bundle = bundle_of<Ts...>(core);
        if (bundle.outside) [[unlikely]] {
            if constexpr (sizeof...(Ts) == 1)
                if (bundle.sparse)
                    return set_sparse<plain_size<Ts...>>(core, entity, bundle, assigner_of<Ts>(values)...,
                                                         builder_of<Ts>(values)...);
            return with_values(
                bundle, true, [&](const Change& what) { return change(core, entity, what); }, std::forward<Ts>(values)...);
        }
        EntityLocation* const at = core.location(entity);
        if (at == nullptr) return false;
        const Table& table = core.table(*at);
        bool all = true;
        for (const ComponentId id : bundle.ids) all = all && table.contains(id);
        const StoreChanging changing(core, all);
        std::size_t i = 0;
        ScopeGuard failed([&]() noexcept { // what was assigned stays assigned
            if (&core.table(*at) == &table)
                for (std::size_t done = 0; done != i; ++done)
                    if (core.table(*at).contains(bundle.ids[done])) run_hook(core, HookKind::set, bundle.ids[done], entity);
        });
        ((assign<Ts>(core, *at, bundle.ids[i], values), ++i), ...);
        if (!all)
            move_to(core, entity, *at, bundle,
                    [&](unsigned argument, void* to) { return build<Ts...>(argument, to, values...); });
        failed.dismiss();
        if (core.hooks.any(HookKind::set)) [[unlikely]]
            for (const ComponentId id : bundle.ids) run_hook(core, HookKind::set, id, entity);
        return true;
    }

    template <class T, class Core>
    static T* get(Core& core, Entity entity) noexcept {
        using Value = std::remove_const_t<T>;
        static_assert(!is_tag_type<Value>,
                      "ArchetypeStore::get<T>: a type without state is a tag, which has no value; ask has<T>");
        const ComponentId id = core.registry.template find<Value>();
        const auto* const at = core.location(entity);
        if (at == nullptr) return nullptr;
        auto& table = core.table(*at);
        const std::int32_t column = table.column_of_own(id);
        if (column < 0) return at->has_outside() ? static_cast<T*>(core.outside.get(entity, id)) : nullptr;
        if constexpr (!std::is_const_v<T>)
            if (table.has_marks()) [[unlikely]]
                mark_changed(core, *at, id);
        return table.template data<Value>(static_cast<std::size_t>(column)) + at->row();
    }
    template <class T, class Core>
    static T& at(Core& core, Entity entity) {
        T* const value = get<T>(core, entity);
        if (value == nullptr) [[unlikely]]
            refuse_missing(core, entity, core.registry.template find<T>());
        return *value;
    }
    template <class T>
    static bool has(const StoreCore& core, Entity entity) noexcept {
        const ComponentId id = core.registry.template find<T>();
        const EntityLocation* const at = core.location(entity);
        if (at == nullptr || !has_at(core, *at, entity, id)) return false;
        if constexpr (is_tag_type<T>) return !core.registry.is_switched_alone(id);
        return true;
    }

    template <class T, class F>
    static HookId hook(StoreCore& core, HookKind kind, F&& f) {
        static_assert(takes_entity<F, T&> || takes_entity<F>,
                      "ArchetypeStore hooks of a type are called as f(Entity, T&) or f(Entity)");
        const ComponentId id = core.registry.template id<T>();
        core.registry.expect_term(id, "ArchetypeStore hooks");
        return core.hooks.add(kind, id,
                              [f = std::forward<F>(f)](Entity entity, ComponentId, [[maybe_unused]] void* value) mutable {
                                  if constexpr (takes_entity<F>)
                                      f(entity);
                                  else if constexpr (is_tag_type<T>) {
                                      T tag{};
                                      f(entity, tag);
                                  } else
                                      f(entity, *static_cast<T*>(value));
                              });
    }

private:
    /// The size of a value whose copy calls nobody, and 0 of others.
    template <class T, class Value = std::remove_cvref_t<T>>
    static constexpr std::size_t plain_size = std::is_trivially_copyable_v<Value> && !is_tag_type<Value> ? sizeof(Value) : 0;
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE static StoreBundle& bundle_of(StoreCore& core) {
        static_assert(all_different<std::remove_cvref_t<Ts>...>,
                      "ArchetypeStore: a component is there twice in one call; an entity has one value of each");
        return core.bundles.get<std::remove_cvref_t<Ts>...>(core.registry);
    }
    /// Where rows of a table go with a bundle, by one of its steps.
    SLOTWISE_ALWAYS_INLINE static const StoreStep& step_of(StoreCore& core, const StoreBundle& bundle, StoreStep& step,
                                                           slot_t from) {
        if (step.from != from || step.erased != core.tables.erased()) [[unlikely]]
            find_step(core, bundle, step, from);
        return step;
    }
    SLOTWISE_NEVER_INLINE static void find_step(StoreCore& core, const StoreBundle& bundle, StoreStep& step, slot_t from) {
        step.from = no_slot;
        const auto way = &step == &bundle.removed ? core.tables.remove_all(from, bundle.sorted.span())
                                                  : core.tables.add_all(from, bundle.sorted.span());
        Table& to = core.tables[way.table];
        step.argument.assign(to.column_count(), StoreStep::no_argument);
        step.columns.assign(bundle.ids.size(), -1);
        std::size_t given = 0;
        for (unsigned i = 0; i != bundle.ids.size(); ++i) {
            const std::int32_t column = step.columns[i] = to.column_of(bundle.ids[i]);
            if (column < 0) continue;
            step.argument[static_cast<std::size_t>(column)] = i;
            ++given;
        }
        step.complete = given == to.column_count();
        step.to = way.table;
        step.source = &core.tables[from];
        step.destination = &to;
        step.map = way.map;
        step.erased = core.tables.erased();
        step.from = from;
    }
    /// Calls f(change) with the values of a bundle behind pointers.
    template <class F, class... Ts>
    static decltype(auto) with_values(const StoreBundle& bundle, [[maybe_unused]] bool assigns, F&& f, Ts&&... values) {
        std::size_t i = 0;
        const ComponentValue all[] = {ComponentValue{bundle.ids[i++], value_of<Ts>(values), assigns}..., ComponentValue{}};
        return f(Change{bundle.sorted.span(), {}, {all, sizeof...(Ts)}});
    }
    /// As AnyValue::of. The registry knows the type, which may have another id if it is bound to a name.
    template <class T>
    static AnyValue value_of(std::remove_reference_t<T>& value) noexcept {
        if constexpr (std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>>)
            return AnyValue::copied(std::addressof(value));
        else
            return AnyValue::moved(std::addressof(value));
    }
    template <class T>
    SLOTWISE_ALWAYS_INLINE static bool construct(void* to, std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        if constexpr (!is_tag_type<Value>) ::new (to) Value(static_cast<T&&>(value));
        return true;
    }
    /// Builds the value of row `row` in a column.
    template <class T>
    SLOTWISE_ALWAYS_INLINE static void write([[maybe_unused]] Table& table, [[maybe_unused]] std::int32_t column,
                                             [[maybe_unused]] std::size_t row, std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        if constexpr (!is_tag_type<Value>) construct<T>(table.data<Value>(static_cast<std::size_t>(column)) + row, value);
    }
    /// Builds a T from the argument where it is told.
    template <class T>
    static auto builder_of(std::remove_reference_t<T>& value) noexcept {
        return [&value](void* to) { construct<T>(to, value); };
    }
    /// Assigns the argument to a T.
    template <class T>
    static auto assigner_of(std::remove_reference_t<T>& value) noexcept {
        using Value = std::remove_cvref_t<T>;
        return [&value]([[maybe_unused]] void* to) {
            if constexpr (is_tag_type<Value>)
                static_cast<void>(value);
            else {
                static_assert(std::is_assignable_v<Value&, T&&>, "ArchetypeStore::set: values of this type cannot be assigned; "
                                                                 "remove the component and add it anew");
                *static_cast<Value*>(to) = static_cast<T&&>(value);
            }
        };
    }
    template <class T>
    SLOTWISE_ALWAYS_INLINE static bool construct_default(void* to) {
        if constexpr (!is_tag_type<T>) ::new (to) T();
        return true;
    }
    /// Builds a value from the argument with this number; false if there is none.
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE static bool build([[maybe_unused]] unsigned argument, [[maybe_unused]] void* to,
                                             std::remove_reference_t<Ts>&... values) {
        [[maybe_unused]] unsigned i = 0;
        return ((argument == i++ && construct<Ts>(to, values)) || ...);
    }
    SLOTWISE_COLD static void build_companion(const Table& table, std::size_t column, void* to) {
        AnyValue().build(table.type(column), to);
    }
    /// Adds what is missing of a bundle, in one move. build(number of the argument, to) is false if there is no such argument.
    template <class Build>
    SLOTWISE_ALWAYS_INLINE static void move_to(StoreCore& core, Entity entity, EntityLocation& at, StoreBundle& bundle,
                                               Build&& build) {
        const StoreStep& step = step_of(core, bundle, bundle.added, at.table());
        if (step.map == nullptr) return;
        const auto build_at = [&](std::size_t column, void* to) {
            if (!build(step.argument[column], to)) build_companion(*step.destination, column, to);
        };
        if (core.hooks.any(HookKind::remove)) [[unlikely]]
            move_with_hooks(core, entity, at, step, build_at);
        else
            move_row(core, at, *step.source, step.to, *step.destination, *step.map, build_at);
        run_hooks(core, HookKind::add, entity, step.destination->ids(), step.source->ids());
    }
    /// The same with the on_remove hooks of pairs that companions replace.
    template <class Build>
    SLOTWISE_NEVER_INLINE static void move_with_hooks(StoreCore& core, Entity entity, EntityLocation& at, const StoreStep& step,
                                                      Build& build) {
        const auto replaced = [&](auto&& f) {
            for_each_missing(step.source->ids(), step.destination->ids(), [&](ComponentId id) { f(id, entity); });
        };
        RemovalHooks removal(core, replaced);
        move_row(core, at, *step.source, step.to, *step.destination, *step.map, build, [&] { removal.call(); });
        removal.dismiss();
    }
    template <class T>
    static void assign(StoreCore& core, EntityLocation at, ComponentId id, std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        Table& table = core.table(at);
        const std::int32_t place = table.place_of(id);
        if (place < 0) return;
        if (TickColumn* const ticks = table.ticks(static_cast<std::size_t>(place))) ticks->mark(at.row(), core.tick);
        if constexpr (!is_tag_type<Value>) {
            static_assert(std::is_assignable_v<Value&, T&&>,
                          "ArchetypeStore::set: values of this type cannot be assigned; remove the component and add it anew");
            table.data<Value>(static_cast<std::size_t>(table.column_at(static_cast<std::size_t>(place))))[at.row()] =
                static_cast<T&&>(value);
        }
    }
    /// `count` copies of a value, side by side.
    template <class T>
    static bool fill(void* to, std::size_t count, const T& value) {
        if constexpr (!is_tag_type<T>) {
            T* const values = static_cast<T*>(to);
            std::size_t built = 0;
            if constexpr (std::is_trivially_copyable_v<T>) { // g++ does not vectorise a loop of 12 bytes: copy blocks of 4 KiB
                if (count != 0) ::new (to) T(value), built = 1;
                while (built != count) {
                    std::size_t more = built < 4096 / sizeof(T) + 1 ? built : 4096 / sizeof(T) + 1;
                    if (more > count - built) more = count - built;
                    std::memcpy(static_cast<void*>(values + built), values, more * sizeof(T));
                    built += more;
                }
                return true;
            }
            ScopeGuard undo([&]() noexcept {
                while (built != 0) values[--built].~T();
            });
            if constexpr (std::is_trivially_copyable_v<T>) {
                const T copy = value; // no store can change it
                for (; built != count; ++built) ::new (static_cast<void*>(values + built)) T(copy);
            }
            for (; built != count; ++built) ::new (static_cast<void*>(values + built)) T(value);
            undo.dismiss();
        }
        return true;
    }
};

} // namespace detail
SLOTWISE_END

#endif
