// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The one place where rows, locations, components outside the tables, ticks and hooks of a store change together.
#ifndef SLOTWISE_ECS_DETAIL_STORE_CHANGE_HPP
#define SLOTWISE_ECS_DETAIL_STORE_CHANGE_HPP

#include "store_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A component, and the value that an entity gets of it.
struct ComponentValue {
    ComponentId id;
    AnyValue value{};
    bool assigns = false; ///< to a value that the entity has; otherwise that one stays
};

/// What an entity gets and loses, in one move.
struct Change {
    std::span<const ComponentId> add{};       ///< ascending, each once; what the entity has stays
    std::span<const ComponentId> remove{};    ///< ascending, each once; what the entity has not is ignored
    std::span<const ComponentValue> values{}; ///< of what is in `add`, in any order; without one the default value is built
    bool values_ascend = false;               ///< they are in the order of their ids
};

/// Calls f(id) for each id in `a` that is not in `b`; both ascend.
template <class F>
void for_each_missing(std::span<const ComponentId> a, std::span<const ComponentId> b, F&& f) {
    auto other = b.begin();
    for (const ComponentId id : a) {
        while (other != b.end() && *other < id) ++other;
        if (other == b.end() || *other != id) f(id);
    }
}

//=== values ===//

/// The address of the value of an entity at this place; null if it has none.
template <class Core>
SLOTWISE_ALWAYS_INLINE auto* value_at(Core& core, EntityLocation at, Entity entity, ComponentId id) noexcept {
    using Void = std::conditional_t<std::is_const_v<Core>, const void, void>;
    auto& table = core.table(at);
    const std::int32_t column = table.column_of(id);
    if (column >= 0) [[likely]]
        return static_cast<Void*>(table.value(static_cast<std::size_t>(column), at.row()));
    return at.has_outside() ? static_cast<Void*>(core.outside.get(entity, id)) : static_cast<Void*>(nullptr);
}
/// Whether the entity at this place has a component. Wildcards ask whether there is a pair that matches.
inline bool has_at(const StoreCore& core, EntityLocation at, Entity entity, ComponentId id) noexcept {
    if (at.has_row() && (id.is_wildcard() ? core.tables.index().find(id, const_cast<Table*>(&core.table(at))) != nullptr
                                          : core.table(at).contains(id)))
        return true;
    return at.has_outside() && core.outside.has(entity, id);
}
/// The value of this component was changed, if that is kept.
inline void mark_changed(StoreCore& core, EntityLocation at, ComponentId id) noexcept {
    Table& table = core.table(at);
    const std::int32_t place = table.place_of(id);
    if (place < 0) return;
    if (TickColumn* const ticks = table.ticks(static_cast<std::size_t>(place))) ticks->mark(at.row(), core.tick);
}

/// Assigns to a value; what is no value yet is built beside it. Throws as AnyValue::build and assign
inline void assign_value(const TypeDescriptor& type, void* to, const AnyValue& value) {
    if (value.has_source()) return value.assign(type, to);
    const LineBlock<std::allocator<std::byte>> beside(type.size + type.align, {});
    void* const built = beside.begin(type.align);
    value.build(type, built);
    const ScopeGuard done([&]() noexcept {
        if (type.destroy != nullptr) type.destroy(built);
    });
    AnyValue::moved(built).assign(type, to);
}

/// Appends the pairs that an entity has of a relation, in ascending order: with entities and with components as targets.
/// Throws what the allocator throws
inline void append_pairs(const StoreCore& core, Entity entity, std::uint32_t relation, PlainVector<ComponentId>& to) {
    const EntityLocation* const at = core.location(entity);
    if (at == nullptr) return;
    const auto ids = core.table(*at).ids();
    const ComponentId first = ComponentIdParts::make_pair(relation, 0);
    for (std::size_t i = IdSets::lower_bound(ids, first); i != ids.size() && ids[i].relation_number() == relation; ++i)
        to.push_back(ids[i]);
    if (!at->has_outside()) return;
    if (const Entity target = core.outside.target(entity, relation)) to.push_back(pair(core.registry.id(relation), target));
}

//=== hooks ===//

/// Calls the hooks of these components of a living entity. Throws what they throw.
inline void run_hook(StoreCore& core, HookKind kind, ComponentId id, Entity entity) {
    const EntityLocation* const at = core.location(entity);
    core.hooks.run(kind, id, entity, value_at(core, *at, entity, id));
}
inline void run_hooks(StoreCore& core, HookKind kind, Entity entity, std::span<const ComponentId> of,
                      std::span<const ComponentId> without) {
    if (core.hooks.any(kind)) [[unlikely]]
        for_each_missing(of, without, [&](ComponentId id) { run_hook(core, kind, id, entity); });
}

/// Calls f(id, entity) for all that a living entity has.
template <class F>
void for_each_id(const StoreCore& core, Entity entity, F&& f) {
    const EntityLocation at = *core.location(entity);
    for (const ComponentId id : core.table(at).ids()) f(id, entity);
    if (at.has_outside()) core.outside.for_each(entity, [&](ComponentId id, void*) { f(id, entity); });
}
/// Calls the hooks of all components of a living entity. Throws what they throw.
inline void run_all_hooks(StoreCore& core, HookKind kind, Entity entity) {
    if (core.hooks.any(kind)) [[unlikely]]
        for_each_id(core, entity, [&](ComponentId id, Entity of) { run_hook(core, kind, id, of); });
}
/// The on_remove hooks of one change: of what walk(f) calls f(id, entity) for. They come last before what cannot be undone, so
/// that none is called for a change that fails; only moves that may throw, and hooks, still do. If they do, this object calls
/// on_add hooks for what on_remove was called for and is there still.
template <class Walk>
class RemovalHooks {
public:
    RemovalHooks(StoreCore& core, const Walk& walk) noexcept : core_(core), walk_(walk) {}
    RemovalHooks(const RemovalHooks&) = delete;
    RemovalHooks& operator=(const RemovalHooks&) = delete;
    ~RemovalHooks() {
        if (called_ != 0) [[unlikely]]
            call_back();
    }
    /// Calls them, while the values can be read. Throws what they throw.
    SLOTWISE_NEVER_INLINE void call() {
        walk_([this](ComponentId id, Entity entity) {
            run_hook(core_, HookKind::remove, id, entity);
            ++called_;
        });
    }
    /// The change was made.
    void dismiss() noexcept { called_ = 0; }

private:
    SLOTWISE_NEVER_INLINE void call_back() noexcept {
        walk_([this, i = std::size_t{0}](ComponentId id, Entity entity) mutable {
            if (i++ >= called_) return;
            const EntityLocation* const at = core_.location(entity);
            if (at != nullptr && has_at(core_, *at, entity, id)) run_hook(core_, HookKind::add, id, entity);
        });
    }

    StoreCore& core_;
    const Walk& walk_;
    std::size_t called_ = 0; // components whose hooks were called
};
template <class Walk>
RemovalHooks(StoreCore&, const Walk&) -> RemovalHooks<Walk>;
/// Calls the on_remove hooks of what walk(f) calls f(id, entity) for, and then remove(). @pre only moves throw in remove()
/// @throws what they throw
template <class Walk, class Remove>
void remove_with_hooks(StoreCore& core, const Walk& walk, Remove&& remove) {
    RemovalHooks hooks(core, walk);
    hooks.call();
    remove();
    hooks.dismiss();
}

//=== rows ===//

/// A new row of a table for an entity that has none. build(column, to) builds its values.
/// Throws as Table::push_back; nothing has changed then
template <class Build>
SLOTWISE_ALWAYS_INLINE void add_row(StoreCore& core, Entity entity, slot_t slot, Table& to, Build&& build) {
    core.before_row(slot, to);
    const slot_t row = to.push_back(entity, core.tick, build);
    core.entities[entity].set(slot, row);
}
/// Removes the row of an entity, which has none then. Throws as Table::swap_erase
SLOTWISE_ALWAYS_INLINE void erase_row(StoreCore& core, EntityLocation& at) {
    const slot_t row = at.row();
    const Entity filled = core.table(at).swap_erase(row);
    if (filled) core.entities[filled].set_row(row);
    at.set(no_slot, 0);
}
/// Moves the row of an entity to another table. The entity that fills its place is told so, once.
/// @param ready nothing, or the function that Table::move_row calls before the moves
/// Throws as Table::move_row; nothing has changed then
template <class Build, class... Ready>
SLOTWISE_ALWAYS_INLINE void move_row(StoreCore& core, EntityLocation& at, Table& from, slot_t slot, Table& to,
                                     const ColumnMapping& map, Build&& build, Ready&&... ready) {
    core.before_row(slot, to);
    const slot_t row = at.row();
    const Table::Moved moved = Table::move_row(from, row, to, map, core.tick, build, ready...);
    at.set(slot, moved.row);
    if (moved.filled) core.entities[moved.filled].set_row(row);
}

//=== components outside the tables ===//

/// Gives an entity a sparse component, or the target of a switched relation.
/// Throws what the value and the allocator throw; strong
inline void add_outside(StoreCore& core, Entity entity, ComponentId id, const AnyValue& value) {
    if (id.is_pair())
        core.outside.make_targets(id.relation_number()).set(entity, ComponentIdParts::target_of(id));
    else
        core.outside.make_column(id).emplace(entity, [&](void* to) { value.build(*core.registry.type(id), to); });
}
/// Takes it away. @pre the entity has it
inline void erase_outside(StoreCore& core, Entity entity, ComponentId id) noexcept {
    if (id.is_pair())
        core.outside.targets(id.relation_number())->erase(entity);
    else
        core.outside.column(id.number())->erase(entity);
}

//=== the change of an entity ===//

/// Which targets of pairs are allowed.
enum class TargetsAre {
    alive,      ///< for the store
    spawned_too ///< by the same command buffer, which may do so later
};

/// Refuses ids that name nothing, and targets that do not live. The targets of pairs are noted as such.
/// Throws std::invalid_argument in words; nothing has changed then
inline void expect_ids(StoreCore& core, std::span<const ComponentId> ids, TargetsAre targets = TargetsAre::alive) {
    for (const ComponentId id : ids) {
        core.registry.expect(id, "ArchetypeStore");
        const Entity target = id.target();
        if (!target) continue;
        EntityLocation* const at = core.entities.location(target);
        if (at == nullptr || (!at->has_row() && targets == TargetsAre::alive)) [[unlikely]]
            refuse_dead(core, target, "ArchetypeStore: the target of a pair");
        at->set_target(true);
    }
}
/// Whether values of a component, or a relation's targets, are outside the tables.
inline bool is_outside(const ComponentRegistry& registry, ComponentId id) {
    const ComponentTraits& traits = registry.traits(id);
    return traits.sparse || traits.switched;
}

/// One change of one entity while it is made. Everything that may throw comes before what cannot be undone: values outside the
/// tables, assignments, memory for other targets, and then the values that are built at the row's destination. on_remove hooks
/// are called next, while the entity has all that it loses. Then values move, which throws if their type's move does.
class EntityChange {
public:
    /// @pre structure may change, and ids are known Throws what the allocator throws
    EntityChange(StoreCore& core, Entity entity, EntityLocation& at, const Change& what)
        : core_(core), entity_(entity), at_(at), what_(what), add_(what.add), remove_(what.remove) {
        split();
    }

    /// Everything but the hooks that are called afterwards. Throws what values and the allocator throw; strong, but for values
    /// that were assigned
    void make() {
        const bool fresh = !at_.has_row();
        const slot_t from = fresh ? ArchetypeTables::root() : at_.table();
        const auto step = core_.tables.change(from, add_, remove_);
        before_ = fresh ? std::span<const ComponentId>() : core_.tables[from].ids();
        after_ = core_.tables[step.table].ids();
        std::size_t made = 0;
        const bool hears = !fresh && core_.hooks.any();
        ScopeGuard failed([&]() noexcept {
            if (hears) run_hooks_of_failure();
        });
        ScopeGuard undo([&]() noexcept {
            while (made != 0) erase_outside(core_, entity_, outside_added_[--made]);
        });
        for (; made != outside_added_.size(); ++made) emplace(outside_added_[made]);
        if (!fresh) assign_values();
        for (const ComponentId id : retargeted_) core_.outside.reserve_target(id);
        const auto removed = [&](auto&& f) {
            for_each_missing(before_, after_, [&](ComponentId id) { f(id, entity_); });
            for (const ComponentId id : outside_removed_) f(id, entity_);
        };
        RemovalHooks removal(core_, removed);
        const bool calls = hears && core_.hooks.any(HookKind::remove);
        Table& to = core_.tables[step.table];
        const auto build = [&](std::size_t column, void* at) { this->build(to, column, at); };
        if (fresh)
            add_row(core_, entity_, step.table, to, build);
        else if (step.table == from) {
            if (calls) removal.call();
        } else if (calls) [[unlikely]]
            move_row(core_, at_, core_.tables[from], step.table, to, *step.map, build, [&] { removal.call(); });
        else
            move_row(core_, at_, core_.tables[from], step.table, to, *step.map, build);
        if (step.table != from) undo.dismiss();
        for (const ComponentId id : retargeted_) emplace(id); // not before, because hooks see the old target
        undo.dismiss();
        for (const ComponentId id : outside_removed_) core_.outside.erase(entity_, id);
        removal.dismiss();
        failed.dismiss();
    }
    /// Hooks of what was added and set. Throws what they throw.
    void run_hooks_afterwards() {
        run_hooks(core_, HookKind::add, entity_, after_, before_);
        run_hooks(core_, HookKind::add, entity_, outside_added_.span(), {});
        run_hooks(core_, HookKind::add, entity_, retargeted_.span(), {});
        if (core_.hooks.any(HookKind::set))
            for (const ComponentValue& each : what_.values)
                if (each.assigns) run_hook(core_, HookKind::set, each.id, entity_);
    }

private:
    /// Parts what is outside the tables, if there is something.
    void split() {
        const auto outside = [&](ComponentId id) { return is_outside(core_.registry, id); };
        bool any = false;
        for (const ComponentId id : add_) {
            any = any || outside(id);
            for (const ComponentId companion : core_.registry.with_closure(id)) any = any || outside(companion);
        }
        for (const ComponentId id : remove_) any = any || outside(id);
        if (!any) [[likely]]
            return;
        for (std::size_t i = 0; i != add_.size(); ++i) {
            const ComponentId id = add_[i];
            const bool last = i + 1 == add_.size() || !id.is_pair() || add_[i + 1].relation_number() != id.relation_number();
            if (!last && outside(id)) continue; // of several targets of a switched relation the last one stays
            const bool had = has_at(core_, at_, entity_, id);
            if (!outside(id))
                insert_sorted(inside_added_, id);
            else if (!had)
                put_outside(id);
            if (!had)
                for (const ComponentId companion : core_.registry.with_closure(id)) {
                    if (!outside(companion)) {
                        if (outside(id) && !is_replaced_by_named(companion)) insert_sorted(inside_added_, companion);
                    } else if (!has_at(core_, at_, entity_, companion))
                        put_outside(companion);
                }
        }
        for (const ComponentId id : remove_) {
            if (!outside(id))
                insert_sorted(inside_removed_, id);
            else if (core_.registry.is_switched_alone(id)) [[unlikely]]
                core_.registry.expect(id, "ArchetypeStore::remove"); // by its C++ type
            else if (has_at(core_, at_, entity_, id)) {
                insert_sorted(outside_removed_, id);
                if (id.is_pair()) insert_sorted(inside_removed_, relation_of(id));
            }
        }
        add_ = inside_added_.span();
        remove_ = inside_removed_.span();
    }
    /// Whether a pair of the same exclusive relation is named, which stays.
    bool is_replaced_by_named(ComponentId companion) const {
        if (!companion.is_pair() || !core_.registry.traits(companion).exclusive) return false;
        for (const ComponentId named : what_.add)
            if (named.relation_number() == companion.relation_number()) return true;
        return false;
    }
    void put_outside(ComponentId id) {
        if (!id.is_pair()) return insert_sorted(outside_added_, id);
        const Entity before = core_.outside.target(entity_, id.relation_number());
        if (before) insert_sorted(outside_removed_, pair(relation_of(id), before)); // for its hooks: it is replaced
        insert_sorted(before ? retargeted_ : outside_added_, id);
        insert_sorted(inside_added_, relation_of(id)); // the table has the relation once
    }
    ComponentId relation_of(ComponentId pair) const { return core_.registry.id(pair.relation_number()); }

    const AnyValue& value_of(ComponentId id) const noexcept {
        static constexpr AnyValue by_default{};
        const auto values = what_.values;
        if (what_.values_ascend) {
            const std::size_t at = IdSets::partition_point(values.size(), [&](std::size_t i) { return values[i].id < id; });
            return at != values.size() && values[at].id == id ? values[at].value : by_default;
        }
        for (const ComponentValue& each : values)
            if (each.id == id) return each.value;
        return by_default;
    }
    void build(const Table& table, std::size_t column, void* to) const {
        value_of(table.column_id(column)).build(table.type(column), to);
    }
    void emplace(ComponentId id) {
        add_outside(core_, entity_, id, value_of(id));
        at_.set_outside(true);
    }
    void assign_values() {
        for (const ComponentValue& each : what_.values) {
            if (!each.assigns || IdSets::contains(outside_added_.span(), each.id)) continue;
            if (void* const to = value_at(core_, at_, entity_, each.id))
                assign_value(*core_.registry.type(each.id), to, each.value);
            mark_changed(core_, at_, each.id); // of a tag too
            assigned_ = static_cast<std::size_t>(&each - what_.values.data()) + 1;
        }
    }
    /// The change failed. Values that were assigned stay assigned; and what was added stays if memory ran out behind it, for
    /// the target of a switched relation.
    void run_hooks_of_failure() noexcept {
        const auto run = [&](HookKind kind, ComponentId id) {
            if (has_at(core_, at_, entity_, id)) run_hook(core_, kind, id, entity_);
        };
        for_each_missing(core_.table(at_).ids(), before_, [&](ComponentId id) { run(HookKind::add, id); });
        for (const ComponentId id : outside_added_) run(HookKind::add, id);
        for (const ComponentId id : retargeted_) run(HookKind::add, id);
        for (const ComponentValue& each : what_.values.first(assigned_))
            if (each.assigns) run(HookKind::set, each.id);
    }

    StoreCore& core_;
    Entity entity_;
    EntityLocation& at_;
    const Change& what_;
    std::span<const ComponentId> add_, remove_;       // of tables
    std::span<const ComponentId> before_{}, after_{}; // the ids of the tables
    PlainVector<ComponentId> inside_added_{}, inside_removed_{}, outside_added_{}, outside_removed_{};
    std::size_t assigned_ = 0;              // of the values
    PlainVector<ComponentId> retargeted_{}; // pairs of switched relations that take the place of others
};

/// Erases tables that were left, if there are many. @pre structure may change (checked at level fast), and no table is in use
SLOTWISE_ALWAYS_INLINE void erase_left_tables(StoreCore& core) noexcept {
    if (!core.tables.is_crowded()) [[likely]]
        return;
    core.expect_idle();
    core.tables.erase_left();
}
/// As change(), while tables are in use.
inline bool change_only(StoreCore& core, Entity entity, const Change& what, TargetsAre targets = TargetsAre::alive) {
    expect_ids(core, what.add, targets);
    EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    const StoreChanging changing(core);
    EntityChange change(core, entity, *at, what);
    change.make();
    change.run_hooks_afterwards();
    return true;
}
/// Changes a living entity. False if it does not live.
/// @pre structure may change (checked at level fast)
/// Throws std::invalid_argument when an id names nothing or a target does not live; what values and the allocator throw;
/// strong if values move without a throw, but for values that were assigned; what hooks throw, and the change stays
inline bool change(StoreCore& core, Entity entity, const Change& what, TargetsAre targets = TargetsAre::alive) {
    erase_left_tables(core);
    return change_only(core, entity, what, targets);
}
/// Gives an id that a command buffer has taken its first row.
/// @pre as change; the id is made and has no row. Throws as change; strong
inline void spawn_reserved(StoreCore& core, Entity entity, const Change& what) {
    erase_left_tables(core);
    expect_ids(core, what.add, TargetsAre::spawned_too);
    const StoreChanging changing(core);
    EntityChange change(core, entity, *core.entities.location(entity), what);
    change.make();
    --core.without_row;
    change.run_hooks_afterwards();
}
/// Gives an id that was just made its first row; if that fails, the id is taken back.
/// @pre structure changes, and ids are known Throws as change; strong
inline Entity spawn_as(StoreCore& core, Entity entity, const Change& what) {
    ScopeGuard undo([&]() noexcept { core.entities.take_back(1, core.entities.range_of(entity)); });
    EntityChange change(core, entity, *core.entities.location(entity), what);
    change.make();
    undo.dismiss();
    change.run_hooks_afterwards();
    return entity;
}
/// A new entity. Throws as change; strong
inline Entity spawn(StoreCore& core, const Change& what) {
    erase_left_tables(core);
    expect_ids(core, what.add);
    core.flush_reserved();
    const StoreChanging changing(core);
    return spawn_as(core, core.entities.create(), what);
}
/// A new entity with an id of this range. Throws as change; strong
inline Entity spawn_in(StoreCore& core, StoreCore::Entities::Range range, const Change& what) {
    erase_left_tables(core);
    expect_ids(core, what.add);
    core.flush_reserved();
    const StoreChanging changing(core);
    return spawn_as(core, core.entities.create(range), what);
}
/// Exactly this entity; false, and no effect, if it cannot be made. Throws as change; strong, but the id may come next then
inline bool spawn_at(StoreCore& core, Entity given, const Change& what) {
    erase_left_tables(core);
    const Entity entity = without_user_bits(given);
    expect_ids(core, what.add);
    core.flush_reserved();
    const StoreChanging changing(core);
    if (core.entities.is_alive(entity) || !core.entities.make_alive(entity)) return false;
    spawn_as(core, entity, what);
    return true;
}
/// `count` new entities, with copies of the values. Throws as change; strong
inline std::span<const Entity> spawn_n(StoreCore& core, std::size_t count, const Change& what) {
    erase_left_tables(core);
    expect_ids(core, what.add);
    core.flush_reserved();
    const StoreChanging changing(core);
    const std::span<const Entity> entities = core.entities.create_n(count);
    std::size_t made = 0;
    ScopeGuard undo([&]() noexcept {
        for (; made != 0; --made) {
            core.outside.erase(entities[made - 1]);
            erase_row(core, *core.entities.location(entities[made - 1]));
        }
        core.entities.take_back(count);
    });
    for (; made != count; ++made) EntityChange(core, entities[made], *core.entities.location(entities[made]), what).make();
    undo.dismiss();
    for (const Entity entity : entities) run_all_hooks(core, HookKind::add, entity);
    return entities;
}
/// Ends an entity, but does nothing about what relates to it.
/// @pre `at` is its place Throws what moves that may throw do
SLOTWISE_ALWAYS_INLINE void erase_entity(StoreCore& core, Entity entity, EntityLocation& at) {
    const StoreChanging changing(core);
    if (at.has_row()) [[likely]] {
        if (core.hooks.any(HookKind::remove)) [[unlikely]]
            remove_with_hooks(
                core, [&](auto&& f) { for_each_id(core, entity, f); }, [&] { erase_row(core, at); });
        else
            erase_row(core, at);
    } else
        --core.without_row;
    if (at.has_outside()) [[unlikely]]
        core.outside.erase(entity);
    core.entities.destroy(entity);
}

} // namespace detail

SLOTWISE_END

#endif
