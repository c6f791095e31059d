// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of store_core.hpp.
#ifndef SLOTWISE_ECS_DETAIL_STORE_CORE_INL_HPP
#define SLOTWISE_ECS_DETAIL_STORE_CORE_INL_HPP

#include "store_core.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE StoreCore::StoreCore() = default;

SLOTWISE_INLINE bool StoreHooks::erase(HookId id) noexcept {
    expect_quiescent();
    for (auto& each : hooks_)
        for (std::size_t place = 0; place != each.size(); ++place)
            if (const Hook& hook = each[place]; hook.number == id) {
                hook.destroy(hook.function);
                each.erase(place);
                if (each.empty()) kinds_ &= ~(1u << (&each - hooks_));
                return true;
            }
    return false;
}

SLOTWISE_INLINE bool StoreHooks::contains(HookId id) const noexcept {
    for (const auto& each : hooks_)
        for (const Hook& hook : each)
            if (hook.number == id) return true;
    return false;
}

SLOTWISE_INLINE std::size_t StoreHooks::memory_usage() const noexcept {
    std::size_t bytes = 0;
    for (const Hooks& each : hooks_) {
        bytes += each.memory_usage();
        for (const Hook& hook : each) bytes += hook.bytes;
    }
    return bytes;
}

SLOTWISE_INLINE void StoreHooks::run_exactly(HookKind kind, ComponentId of_id, ComponentId id, Entity entity,
                                             void* value) const {
    const Hooks& hooks = of(kind);
    std::size_t low = 0;
    for (std::size_t high = hooks.size(); low != high;) {
        const std::size_t middle = low + (high - low) / 2;
        if (hooks[middle].id < of_id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == hooks.size() || hooks[low].id != of_id) return;
    const Running running(running_);
    for (; low != hooks.size() && hooks[low].id == of_id; ++low) hooks[low].call(hooks[low].function, entity, id, value);
}

SLOTWISE_INLINE std::size_t ComponentLists::memory_usage() const noexcept {
    std::size_t bytes = memory_of(known_, lists_);
    for (const ComponentList* const each : lists_)
        bytes += sizeof *each + memory_of_text(each->kept.name) +
                 memory_of(each->ids, each->sorted, each->spawned, each->added, each->removed);
    return bytes;
}

SLOTWISE_INLINE bool StoreCore::cancel(Entity given) {
    const Entity entity = without_user_bits(given);
    if (entities.explain(entity) != HandleStatus::reserved) return false;
    expect_idle("cancel", entity);
    flush_reserved("cancel"); // ids that buffers have taken come after it otherwise
    return entities.cancel(entity);
}

SLOTWISE_INLINE void StoreCore::shrink_to_fit() {
    flush_reserved("shrink_to_fit");
    const Changing change(*this, "shrink_to_fit");
    tables.erase_empty();
    tables.for_each([](slot_t, Table& table) { table.shrink_to_fit(); });
    sparse.shrink_to_fit();
    entities.shrink_to_fit();
    free_spare();
}

SLOTWISE_INLINE bool StoreCore::has(Entity entity, ComponentId id) const noexcept {
    const EntityLocation* const at = location(entity);
    return at != nullptr && has_at(*at, entity, id) && !registry.is_switched_alone(id);
}

SLOTWISE_INLINE bool StoreCore::add(Entity entity, Ids ids) {
    return with_sorted(ids, [&](Ids added) { return change(entity, {added, {}, {}}); });
}

SLOTWISE_INLINE bool StoreCore::remove(Entity entity, Ids ids) {
    for (const ComponentId id : ids) registry.expect(id, "ArchetypeStore::remove");
    return with_sorted(ids, [&](Ids removed) { return change(entity, {{}, removed, {}}); });
}

SLOTWISE_INLINE bool StoreCore::give(Entity entity, ComponentId id, const AnyValue& value, bool assigns) {
    registry.expect(id, "ArchetypeStore");
    if (registry.type(id) == nullptr) [[unlikely]]
        throw_invalid_argument(
            ("ArchetypeStore: the component " + registry.name(id) + " is a tag, which has no value; write add(entity, id)")
                .c_str());
    const ComponentValue given{id, value, assigns};
    if (const ComponentTraits& traits = registry.traits(id); traits.sparse && id.is_pair())
        return add_pair(entity, traits, given);
    return change(entity, {{&id, 1}, {}, {&given, 1}});
}

bool StoreCore::add_pair(Entity given, const ComponentTraits& traits, const ComponentValue& value, Entity before) {
    const Entity entity = without_user_bits(given), target = value.id.target();
    EntityLocation* const at = location(entity);
    const SparsePairs* const of = sparse.pairs(value.id.relation_number());
    const bool had = of != nullptr && of->find(entity, target) != no_slot;
    const slot_t old = of != nullptr && traits.exclusive ? of->first(SparsePairs::by_source, entity) : no_slot;
    if (at == nullptr || had || !traits.with.empty() || (old != no_slot && hooks.any(HookKind::remove)))
        return change(entity, {{&value.id, 1}, {}, {&value, 1}, false, nullptr, before});
    expect_ids({&value.id, 1});
    const Changing changing_now(*this, "relate", entity, {&value.id, 1});
    if (traits.acyclic) expect_no_cycle(entity, value.id);
    SparsePairs& to = sparse.make_pairs(value.id.relation_number());
    to.insert(entity, target, value.value, before ? to.find(before, target) : no_slot);
    if (old != no_slot) to.erase(old);
    at->set_sparse(true);
    if (hooks.any(HookKind::add)) run_hook(HookKind::add, value.id, entity);
    if (value.assigns && hooks.any(HookKind::set)) run_hook(HookKind::set, value.id, entity);
    return true;
}

SLOTWISE_INLINE bool StoreCore::unrelate(Entity entity, ComponentId relation, Entity target) {
    const ComponentTraits& traits = expect_relation(relation);
    const ComponentId id = pair(relation, target);
    if (traits.sparse && !hooks.any(HookKind::remove)) {
        if (!is_alive(entity)) return false;
        const Changing changing_now(*this, "unrelate", entity, {&id, 1});
        SparsePairs* const of = sparse.pairs(relation.number());
        const slot_t number = of == nullptr ? no_slot : of->find(entity, id.target());
        if (number != no_slot) of->erase(number);
        return true;
    }
    return change(entity, {{}, {&id, 1}, {}});
}

SLOTWISE_INLINE bool StoreCore::unrelate(Entity entity, ComponentId relation) {
    static_cast<void>(expect_relation(relation));
    PlainVector<ComponentId> ids;
    append_pairs(entity, relation.number(), ids);
    return change(entity, {{}, ids.span(), {}});
}

SLOTWISE_INLINE Entity StoreCore::target(Entity entity, ComponentId relation) const {
    const TargetRange all = targets(entity, relation);
    return all.empty() ? Entity() : *all.begin();
}

SLOTWISE_INLINE void StoreCore::append_pairs(Entity entity, std::uint32_t relation, PlainVector<ComponentId>& to) const {
    const EntityLocation* const at = location(entity);
    if (at == nullptr) return;
    const Ids ids = table(*at).ids();
    const ComponentId first = ComponentIdParts::make_pair(relation, 0);
    for (std::size_t i = IdSets::lower_bound(ids, first); i != ids.size() && ids[i].relation_number() == relation; ++i)
        to.push_back(ids[i]);
    if (!at->has_sparse()) return;
    if (const Entity target = sparse.target(entity, relation)) to.push_back(pair(registry.id(relation), target));
    const SparsePairs* const of = sparse.pairs(relation);
    if (of == nullptr) return;
    const std::size_t before = to.size();
    of->for_each(SparsePairs::by_source, entity,
                 [&](slot_t each) { to.push_back(pair(registry.id(relation), of->entity(SparsePairs::by_target, each))); });
    IdSets::sort(to.data() + before, to.size() - before, [](ComponentId a, ComponentId b) { return a < b; });
}

SLOTWISE_INLINE bool StoreCore::relate_before(Entity given, ComponentId relation, Entity target, Entity sibling) {
    if (!expect_relation(relation).sparse)
        throw_invalid_argument("ArchetypeStore::relate_before: the sources of this relation have no order, because they are in "
                               "tables or switched; register it with the trait sparse");
    const Entity entity = without_user_bits(given), behind = without_user_bits(sibling);
    const ComponentId id = pair(relation, target);
    if (sibling && !has(behind, id))
        throw_invalid_argument("ArchetypeStore::relate_before: the sibling is not related to this target; name one of "
                               "sources(relation, target), or Entity() for the place behind the last one");
    if (!has(entity, id)) return add_pair(entity, registry.traits(relation), {id}, behind);
    expect_idle("relate_before", entity, {&id, 1});
    SparsePairs& of = *sparse.pairs(relation.number());
    if (behind != entity) of.move(of.find(entity, id.target()), sibling ? of.find(behind, id.target()) : no_slot);
    return true;
}

SLOTWISE_INLINE AncestorRange StoreCore::ancestors(Entity given, ComponentId relation) const {
    const Entity entity = without_user_bits(given);
    std::size_t most = static_cast<std::size_t>(-1);
    if (!expect_relation(relation).acyclic) { // how many there are, if they come round (Brent 1980)
        Entity slow = entity, fast = target(entity, relation);
        std::size_t length = 1, power = 1;
        for (; fast && fast != slow; ++length) {
            if (length == power) {
                slow = fast;
                power *= 2;
                length = 0;
            }
            fast = target(fast, relation);
        }
        if (fast) {
            slow = fast = entity;
            for (std::size_t i = 0; i != length; ++i) fast = target(fast, relation);
            for (most = length - 1; slow != fast; ++most) {
                slow = target(slow, relation);
                fast = target(fast, relation);
            }
        }
    }
    return AncestorRange(AncestorIterator(*this, relation, entity, most));
}

SLOTWISE_INLINE void StoreCore::expect_no_cycle(Entity entity, ComponentId pair) const {
    const Entity target = pair.target();
    if (!target || !registry.traits(pair).acyclic) return;
    const auto expect_other = [&](Entity each) {
        if (each != entity) return;
        const std::string text = "ArchetypeStore: with " + registry.name(pair) + " the entity (" + to_string(entity) +
                                 ") would be related to itself" + (target == entity ? "" : " over others") +
                                 ", and the relation is acyclic; unrelate what leads there first";
        throw_invalid_argument(text.c_str());
    };
    expect_other(target);
    const EntityLocation* const at = entities.location(entity);
    if (at == nullptr || !at->is_target()) return;
    const ComponentId relation = registry.id(pair.relation_number());
    if (registry.traits(pair).exclusive) {
        for (Entity each = this->target(target, relation); each; each = this->target(each, relation)) expect_other(each);
        return;
    }
    FoundEntities found;
    found.add(target);
    for (std::size_t i = 0; i != found.size(); ++i)
        for (const Entity each : targets(found[i], relation)) {
            expect_other(each);
            found.add(each);
        }
}

SLOTWISE_INLINE void StoreCore::run_hook(HookKind kind, ComponentId id, Entity entity) {
    const EntityLocation* const at = location(entity);
    hooks.run(kind, id, entity, value_at(*at, entity, id));
}

SLOTWISE_INLINE void StoreCore::run_replace_hooks(Entity entity, const Table& table, Ids ids) {
    std::size_t called = 0;
    ScopeGuard failed([&]() noexcept { run_set_hooks_of_failure(entity, table, ids.first(called)); });
    while (called != ids.size()) // counted first: others of its hooks were called, or the one that throws has erased a key
        if (const ComponentId id = ids[called++]; table.contains(id)) run_hook(HookKind::replace, id, entity);
    failed.dismiss();
}

SLOTWISE_INLINE void StoreCore::run_set_hooks(Entity entity, Ids ids, const Table& replaced) {
    std::size_t next = 0;
    ScopeGuard failed([&]() noexcept { run_set_hooks_of_failure(entity, replaced, ids.subspan(next)); });
    while (next != ids.size()) run_hook(HookKind::set, ids[next++], entity);
    failed.dismiss();
}

SLOTWISE_INLINE void StoreCore::run_set_hooks_of_failure(Entity entity, const Table& table, Ids ids) noexcept {
    for (const ComponentId id : ids)
        if (table.contains(id) && has_at(*location(entity), entity, id)) run_hook(HookKind::set, id, entity);
}

SLOTWISE_INLINE void StoreCore::expect_patchable(ComponentId id) const {
    registry.expect(id, "ArchetypeStore::patch");
    if (registry.type(id) == nullptr) [[unlikely]]
        throw_invalid_argument(("ArchetypeStore::patch: the component " + registry.name(id) +
                                " is a tag, which has no value to be changed; modified(entity, id) calls on_set")
                                   .c_str());
}

SLOTWISE_INLINE bool StoreCore::modified(Entity entity, ComponentId id) {
    const EntityLocation* const at = location(entity);
    if (at == nullptr || !has(entity, id)) return false;
    mark_changed(*at, id);
    if (!hooks.any(HookKind::set)) return true;
    const Changing change(*this, nullptr);
    run_hook(HookKind::set, id, entity);
    return true;
}

SLOTWISE_INLINE void StoreCore::run_all_hooks(HookKind kind, Entity entity) {
    if (hooks.any(kind)) [[unlikely]]
        for_each_id(entity, [&](ComponentId id, Entity of) { run_hook(kind, id, of); });
}

SLOTWISE_INLINE void StoreCore::expect_ids(Ids ids, TargetsAre targets) {
    for (const ComponentId id : ids) {
        registry.expect(id, "ArchetypeStore");
        const Entity target = id.target();
        if (!target) continue;
        EntityLocation* const at = entities.location(target);
        if (at == nullptr || (!at->has_row() && targets == TargetsAre::alive)) [[unlikely]]
            refuse_dead(target, "ArchetypeStore: the target of a pair");
        at->set_target(true);
    }
}

SLOTWISE_INLINE const ComponentTraits& StoreCore::expect_relation(ComponentId relation) const {
    registry.expect_relation(relation, "ArchetypeStore");
    return registry.traits(relation);
}

SLOTWISE_INLINE const char* StoreCore::dead_because(Entity entity) const noexcept {
    switch (entities.explain(entity)) {
    case HandleStatus::null:
        return "is null";
    case HandleStatus::out_of_range:
        return "was never spawned in this store";
    case HandleStatus::retired:
        return "was despawned, and its index is retired";
    case HandleStatus::live:
        return "is taken by a CommandBuffer that was not applied yet";
    case HandleStatus::reserved:
        return "is reserved; fulfill() brings it back";
    case HandleStatus::stale:
    case HandleStatus::pending:
        break;
    }
    return "was despawned, or is not spawned yet";
}

SLOTWISE_INLINE SLOTWISE_COLD void build_default(const Table& table, std::size_t column, void* to) {
    AnyValue().build(table.type(column), to);
}

/// Assigns to a value. A default value is built beside it first. Throws as AnyValue::build and assign
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

SLOTWISE_INLINE void fill_column(const TypeDescriptor& type, const AnyValue& value, void* to, std::size_t count) {
    if (count == 0) return;
    std::byte* const values = static_cast<std::byte*>(to);
    if (type.trivial && value.has_source()) {
        value.build(type, to);
        return repeat_first(to, type.size, count);
    }
    std::size_t built = 0;
    ScopeGuard undo([&]() noexcept {
        while (type.destroy != nullptr && built != 0) type.destroy(values + --built * type.size);
    });
    for (; built != count; ++built) value.build(type, values + built * type.size);
    undo.dismiss();
}

//=== the steps of a change ===//

/// The on_remove hooks of one change. walk(f) calls f(id, entity) for each component that is removed. The hooks are called when
/// all that may fail is done, so that none is called for a change that fails. After them only hooks themselves and moves of
/// values may throw. If one throws, this object calls the on_add hooks of each component that is still there and of which an
/// on_remove hook was called, also the one that threw.
template <class Walk>
class RemovalHooks {
public:
    RemovalHooks(StoreCore& core, const Walk& walk) noexcept : core_(core), walk_(walk) {}
    RemovalHooks(const RemovalHooks&) = delete;
    RemovalHooks& operator=(const RemovalHooks&) = delete;
    ~RemovalHooks() {
        if (called_ != 0 || logs_) [[unlikely]]
            call_back();
    }
    /// Calls them, while the values can be read. Throws what they throw, and what the allocator throws before.
    SLOTWISE_NEVER_INLINE void call() {
        logs_ = core_.removals.any();
        if (logs_) {
            core_.removals.begin_change();
            walk_([this](ComponentId id, Entity) { core_.removals.expect(id); });
            core_.removals.reserve();
        }
        walk_([this](ComponentId id, Entity entity) {
            ++called_; // first: others of its hooks were called, or the one that throws has erased a key
            core_.run_hook(HookKind::remove, id, entity);
        });
    }
    /// The change was made.
    void dismiss() noexcept {
        called_ = 0;
        logs_ = false;
    }

private:
    SLOTWISE_NEVER_INLINE void call_back() noexcept {
        core_.removals.begin_undo();
        walk_([this, i = std::size_t{0}](ComponentId id, Entity entity) mutable {
            const EntityLocation* const at = core_.location(entity);
            const bool stays = at != nullptr && core_.has_at(*at, entity, id);
            core_.removals.keep(id, !stays);
            if (i++ < called_ && stays) core_.run_hook(HookKind::add, id, entity);
        });
        core_.removals.end_undo();
    }

    StoreCore& core_;
    const Walk& walk_;
    std::size_t called_ = 0; // components of which a hook was called
    bool logs_ = false;      // hooks write who lost them
};
template <class Walk>
RemovalHooks(StoreCore&, const Walk&) -> RemovalHooks<Walk>;
/// Calls the on_remove hooks of all that walk(f) names, and then remove(). @pre only moves of values throw in remove()
/// @throws what hooks and these moves throw
template <class Walk, class Remove>
void remove_with_hooks(StoreCore& core, const Walk& walk, Remove&& remove) {
    RemovalHooks hooks(core, walk);
    hooks.call();
    remove();
    hooks.dismiss();
}

void StoreCore::remove_sparse_slowly(Entity entity, SparseColumn& column, ComponentId id) {
    const Changing change(*this, "remove", entity, {&id, 1});
    if (!column.contains(entity)) return;
    const auto removed = [&](auto&& f) { f(id, entity); };
    remove_with_hooks(*this, removed, [&] { column.erase(entity); });
}

SLOTWISE_INLINE void RemovalLogs::begin_change() noexcept {
    for (RemovalLog* const log : logs_) {
        log->before = log->kept = log->ticks.size();
        log->wanted = 0;
    }
}

SLOTWISE_INLINE void RemovalLogs::keep(ComponentId id, bool removed) noexcept {
    for (RemovalLog* const log : logs_) {
        if (!log->is_about(id) || log->wanted == log->ticks.size()) continue;
        log->entities[log->kept] = log->entities[log->wanted];
        log->ticks[log->kept] = log->ticks[log->wanted++];
        log->kept += removed;
    }
}

SLOTWISE_INLINE void RemovalLog::reserve(std::size_t count) {
    const std::size_t least = ticks.size() + count;
    if (least <= ticks.capacity() && least <= entities.capacity()) return;
    entities.reserve(least < 2 * ticks.size() ? 2 * ticks.size() : least + 4);
    ticks.reserve(entities.capacity());
}

SLOTWISE_INLINE void StoreCore::keep_removed(ComponentId id) {
    registry.expect_term(id, "ArchetypeStore::keep_removed");
    if (id.has_any_relation()) throw_invalid_argument("ArchetypeStore::keep_removed: name the relation of the pairs");
    if (removals.find(id) != nullptr) return;
    removals.make(id, [&](RemovalLog& log) {
        hooks.add(HookKind::remove, id, [this, &log](Entity entity, ComponentId, void*) { log.add(entity, tick); });
    });
}

SLOTWISE_INLINE RemovedRange StoreCore::removed(ComponentId id, tick_t since) const {
    const RemovalLog* const log = removals.find(id);
    if (log == nullptr) [[unlikely]]
        throw_invalid_argument(
            "ArchetypeStore::removed: who loses this component is not kept; call keep_removed<T>() at first");
    const std::size_t first = log->after(since), last = log->ticks.size();
    return RemovedRange(RemovedIterator(*log, first), RemovedIterator(*log, last), last - first);
}

SLOTWISE_INLINE void StoreCore::erase_entity(Entity entity, EntityLocation& at) {
    const Changing change(*this, "despawn", entity);
    if (at.has_row()) [[likely]] {
        if (hooks.any(HookKind::remove)) [[unlikely]]
            remove_with_hooks(
                *this, [&](auto&& f) { for_each_id(entity, f); }, [&] { erase_row(at); });
        else
            erase_row(at);
    } else
        --without_row;
    if (at.has_sparse()) [[unlikely]]
        sparse.erase(entity);
    entities.destroy(entity);
}

/// One change of one entity while it is made. Everything that may throw comes before what cannot be undone: sparse values,
/// assignments, memory for other targets, and then the values that are built at the row's destination. on_remove hooks are
/// called next, while the entity has all that it loses. Then values move, which throws if their type's move does.
class EntityChange {
public:
    /// @pre structure may change, and ids are known Throws what the allocator throws
    EntityChange(StoreCore& core, Entity entity, EntityLocation& at, const Change& what)
        : core_(core), entity_(entity), at_(at), what_(what), add_(what.add), remove_(what.remove) {
        if (core.registry.any_acyclic())
            for (const ComponentId id : add_) core.expect_no_cycle(without_user_bits(entity), id);
        split();
    }

    /// Makes the change, without the hooks that are called afterwards. Throws what values and the allocator throw; strong, but
    /// for values that were assigned
    void make() {
        const bool fresh = !at_.has_row();
        const slot_t from = fresh ? ArchetypeTables::root() : at_.table();
        const auto step = core_.tables.change(from, add_, remove_);
        before_ = fresh ? std::span<const ComponentId>() : core_.tables[from].ids();
        after_ = core_.tables[step.table].ids();
        std::size_t made = 0;
        const bool any_hooks = !fresh && core_.hooks.any();
        ScopeGuard failed([&]() noexcept {
            if (any_hooks) run_hooks_of_failure();
        });
        ScopeGuard undo([&]() noexcept {
            while (made != 0) core_.sparse.erase(entity_, sparse_added_[--made]);
        });
        for (; made != sparse_added_.size(); ++made) emplace(sparse_added_[made]);
        if (!fresh) {
            if (core_.hooks.any(HookKind::replace)) run_replace_hooks();
            assign_values();
        }
        for (const ComponentId id : retargeted_) core_.sparse.reserve_target(id);
        const auto removed = [&](auto&& f) {
            for_each_missing(before_, after_, [&](ComponentId id) { f(id, entity_); });
            for (const ComponentId id : sparse_removed_) f(id, entity_);
        };
        RemovalHooks removal(core_, removed);
        const bool hooked = any_hooks && core_.hooks.any(HookKind::remove);
        const bool calls = hooked || what_.taken != nullptr;
        const auto before_moves = [&] {
            if (hooked) removal.call();
            if (what_.taken != nullptr)
                what_.taken->take(what_.taken->argument, core_.value_at(at_, entity_, what_.remove.front()));
        };
        Table& to = core_.tables[step.table];
        const auto build = [&](std::size_t column, void* at) { this->build(to, column, at); };
        if (fresh)
            core_.add_row(entity_, step.table, to, build);
        else if (step.table == from) {
            if (calls) before_moves();
        } else if (calls) [[unlikely]]
            core_.move_row(at_, core_.tables[from], step.table, to, *step.map, build, before_moves);
        else
            core_.move_row(at_, core_.tables[from], step.table, to, *step.map, build);
        if (step.table != from) undo.dismiss();
        for (const ComponentId id : retargeted_) emplace(id); // not before, because on_remove hooks read the old target
        undo.dismiss();
        for (const ComponentId id : sparse_removed_) core_.sparse.erase(entity_, id);
        removal.dismiss();
        failed.dismiss();
    }
    /// Calls the hooks of what was added and set. If one throws, on_set hooks are called nevertheless where those of on_replace
    /// were. Throws what they throw.
    void run_hooks_afterwards() {
        std::size_t next = 0;
        ScopeGuard failed([&]() noexcept {
            for (; next < told_; ++next) run_set_hook_after_replace(what_.values[next]);
        });
        core_.run_hooks(HookKind::add, entity_, after_, before_);
        core_.run_hooks(HookKind::add, entity_, sparse_added_.span(), {});
        core_.run_hooks(HookKind::add, entity_, retargeted_.span(), {});
        if (core_.hooks.any(HookKind::set)) // on_set comes after on_replace, whatever throws
            while (next != what_.values.size())
                if (const ComponentValue& each = what_.values[next++]; each.assigns)
                    core_.run_hook(HookKind::set, each.id, entity_);
        failed.dismiss();
    }

private:
    /// Separates sparse components from those of tables, if there are any.
    void split() {
        const auto sparse = [&](ComponentId id) { return is_sparse(core_.registry, id); };
        bool any = false;
        for (const ComponentId id : add_) {
            any = any || sparse(id);
            for (const ComponentId companion : core_.registry.with_closure(id)) any = any || sparse(companion);
        }
        for (const ComponentId id : remove_) any = any || sparse(id);
        if (!any) [[likely]]
            return;
        for (std::size_t i = 0; i != add_.size(); ++i) {
            const ComponentId id = add_[i];
            const bool last = i + 1 == add_.size() || !id.is_pair() || add_[i + 1].relation_number() != id.relation_number();
            if (!last && sparse(id) && core_.registry.traits(id).exclusive) continue; // of several targets the last one stays
            const bool had = core_.has_at(at_, entity_, id);
            if (!sparse(id))
                insert_sorted(table_added_, id);
            else if (!had)
                put_sparse(id);
            if (!had)
                for (const ComponentId companion : core_.registry.with_closure(id)) {
                    if (!sparse(companion)) {
                        if (sparse(id) && !is_replaced_by_named(companion)) insert_sorted(table_added_, companion);
                    } else if (!core_.has_at(at_, entity_, companion))
                        put_sparse(companion);
                }
        }
        for (const ComponentId id : remove_) {
            if (!sparse(id))
                insert_sorted(table_removed_, id);
            else if (core_.registry.needs_target(id)) [[unlikely]]
                core_.registry.expect(id, "ArchetypeStore::remove"); // by its C++ type
            else if (core_.has_at(at_, entity_, id)) {
                insert_sorted(sparse_removed_, id);
                if (core_.registry.traits(id).switched) insert_sorted(table_removed_, relation_of(id));
            }
        }
        add_ = table_added_.span();
        remove_ = table_removed_.span();
    }
    /// Whether a pair of the same exclusive relation is named, which stays.
    bool is_replaced_by_named(ComponentId companion) const {
        if (!companion.is_pair() || !core_.registry.traits(companion).exclusive) return false;
        for (const ComponentId named : what_.add)
            if (named.relation_number() == companion.relation_number()) return true;
        return false;
    }
    void put_sparse(ComponentId id) {
        if (!id.is_pair()) return insert_sorted(sparse_added_, id);
        const ComponentTraits& traits = core_.registry.traits(id);
        if (traits.sparse) {
            if (traits.exclusive) core_.append_pairs(entity_, id.relation_number(), sparse_removed_);
            return insert_sorted(sparse_added_, id);
        }
        const Entity before = core_.sparse.target(entity_, id.relation_number());
        if (before) insert_sorted(sparse_removed_, pair(relation_of(id), before)); // for its hooks: it is replaced
        insert_sorted(before ? retargeted_ : sparse_added_, id);
        insert_sorted(table_added_, relation_of(id)); // the table has the relation once
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
        core_.sparse.emplace(entity_, id, value_of(id), what_.before);
        at_.set_sparse(true);
    }
    void assign_values() {
        for (const ComponentValue& each : what_.values) {
            if (!each.assigns || IdSets::contains(sparse_added_.span(), each.id)) continue;
            assigned_ = static_cast<std::size_t>(&each - what_.values.data()) + 1;
            core_.mark_changed(at_, each.id); // of a tag too
            if (void* const to = core_.value_at(at_, entity_, each.id))
                assign_value(*core_.registry.type(each.id), to, each.value);
        }
    }
    /// Whether the value is assigned to one that the entity had before.
    bool replaces(const ComponentValue& value) const noexcept {
        if (!value.assigns) return false;
        if (IdSets::contains(before_, value.id)) return true;
        return at_.has_sparse() && core_.sparse.has(entity_, value.id) && !IdSets::contains(sparse_added_.span(), value.id);
    }
    /// The on_replace hooks, of all values before the first one is assigned: if one throws, nothing has changed.
    SLOTWISE_NEVER_INLINE void run_replace_hooks() {
        while (told_ != what_.values.size()) // counted first, see StoreCore::run_replace_hooks
            if (const ComponentValue& each = what_.values[told_++]; replaces(each))
                core_.run_hook(HookKind::replace, each.id, entity_);
    }
    void run_set_hook_after_replace(const ComponentValue& value) noexcept {
        if (replaces(value) && core_.has_at(at_, entity_, value.id)) core_.run_hook(HookKind::set, value.id, entity_);
    }
    /// The change failed. Values that were assigned stay assigned. Components that were added stay if memory ran out
    /// afterwards, when the target of a switched relation was stored.
    void run_hooks_of_failure() noexcept {
        const auto run = [&](HookKind kind, ComponentId id) {
            if (core_.has_at(at_, entity_, id)) core_.run_hook(kind, id, entity_);
        };
        for_each_missing(core_.table(at_).ids(), before_, [&](ComponentId id) { run(HookKind::add, id); });
        for (const ComponentId id : sparse_added_) run(HookKind::add, id);
        for (const ComponentId id : retargeted_) run(HookKind::add, id);
        for (const ComponentValue& each : what_.values.first(assigned_ > told_ ? assigned_ : told_))
            if (each.assigns) run(HookKind::set, each.id);
    }

    StoreCore& core_;
    Entity entity_;
    EntityLocation& at_;
    const Change& what_;
    std::span<const ComponentId> add_, remove_;       // of tables
    std::span<const ComponentId> before_{}, after_{}; // the ids of the tables
    PlainVector<ComponentId> table_added_{}, table_removed_{}, sparse_added_{}, sparse_removed_{};
    std::size_t told_ = 0;                  // of the values: an on_replace hook was called
    std::size_t assigned_ = 0;              // of the values: the assignment began
    PlainVector<ComponentId> retargeted_{}; // pairs of switched relations that take the place of others
};

//=== the death of a target ===//

/// What happens when an entity dies that others relate to. First the entities that go with it are collected, breadth first and
/// without recursion; then it is checked that no relation refuses; then the others lose their pairs, each in one move; then
/// all that dies dies, the last one found first, so that children die before their parents; at last the tables that were there
/// for pairs with the dead are erased.
class TargetDeath {
public:
    /// @param refusable whether a relation may refuse it; else it is treated as OnTargetDespawn::remove
    /// @throws what the allocator throws; std::invalid_argument when a relation refuses; nothing has changed then
    TargetDeath(StoreCore& core, Entity dying, bool refusable = true) : core_(core), refusable_(refusable) {
        dead_.add(dying);
        collect();
    }
    /// Of all of these at once: none of them refuses that another one goes. @pre there are some
    TargetDeath(StoreCore& core, const FoundRows& dying) : core_(core), refusable_(true) {
        for (const FoundRows::Part& part : dying.parts)
            for (const Entity entity : dying.of(part)) dead_.add(entity);
        collect();
    }
    /// @throws what changes of the others throw: some have lost their pairs then, and nothing has died
    void apply() {
        apply([this](Entity entity, EntityLocation& at) { core_.erase_entity(entity, at); });
    }
    /// The same, but the one whose death it is, which dies last, is ended by end_first(entity, its place).
    template <class End>
    void apply(End&& end_first) {
        const bool hooked = core_.hooks.any(HookKind::remove);
        for (std::size_t i = 0; hooked && i != dead_.size(); ++i) leave_pairs(dead_[i]);
        for (Table* const table : tables_) leave(*table);
        for (const Entity source : sources_)
            if (!dead_.contains(source)) leave(source);
        PlainVector<slot_t> gone; // made here: nothing throws for lack of memory when some have ended
        for (std::size_t i = 0; i != dead_.size(); ++i)
            if (const std::size_t count = core_.tables.index().count(pair(any, dead_[i])); count > gone.capacity())
                gone.reserve(count);
        for (std::size_t i = 0; !hooked && i != dead_.size(); ++i) drop_pairs(dead_[i]); // nothing throws from here on
        for (std::size_t i = dead_.size(); i-- != 1;) core_.erase_entity(dead_[i], place_of(dead_[i]));
        end_first(dead_[0], place_of(dead_[0]));
        for (std::size_t i = 0; i != dead_.size(); ++i)
            if (core_.tables.index().count(pair(any, dead_[i])) != 0) core_.tables.erase_tables_with(pair(any, dead_[i]), gone);
    }

private:
    struct Refusal {
        Entity source;
        ComponentId id;
    };

    // Of an entity that may have no row, because a command buffer has taken its id.
    EntityLocation& place_of(Entity entity) noexcept { return *core_.entities.location(entity); }
    // What dies along, and what refuses it.
    void collect() {
        for (std::size_t i = 0; i != dead_.size(); ++i) collect(dead_[i]);
        for (const Refusal& each : refusals_)
            if (!dead_.contains(each.source)) refuse(each);
    }
    // What relates to an entity that dies.
    void collect(Entity dead) {
        if (!place_of(dead).is_target()) return;
        for (const auto entry : core_.tables.index().tables(pair(any, dead))) {
            const OnTargetDespawn rule = rule_of(*entry.table, dead);
            if (rule == OnTargetDespawn::remove) tables_.push_back(entry.table);
            for (const Entity source : entry.table->entities()) treat(rule, source, refused_);
        }
        for (const std::uint32_t number : core_.sparse.numbers()) {
            const SparseComponents::Targets* const targets = core_.sparse.targets(number);
            const ComponentId id = pair(core_.registry.id(number), dead);
            if (const SparsePairs* const pairs = core_.sparse.pairs(number);
                pairs != nullptr && rule_of(id) != OnTargetDespawn::remove)
                pairs->for_each(SparsePairs::by_target, dead,
                                [&](slot_t each) { treat(rule_of(id), pairs->entity(SparsePairs::by_source, each), id); });
            if (targets == nullptr) continue;
            for (const Entity source : targets->of(dead)) {
                if (rule_of(id) == OnTargetDespawn::remove) sources_.push_back(source);
                treat(rule_of(id), source, id);
            }
        }
    }
    OnTargetDespawn rule_of(ComponentId pair) const {
        const OnTargetDespawn rule = core_.registry.traits(pair).on_target_despawn;
        return rule == OnTargetDespawn::refuse && !refusable_ ? OnTargetDespawn::remove : rule;
    }
    // The strictest rule of a table's pairs with an entity that dies: who goes along needs no move.
    OnTargetDespawn rule_of(const Table& table, Entity dead) {
        OnTargetDespawn rule = OnTargetDespawn::remove;
        core_.tables.index().for_each_match(pair(any, dead), const_cast<Table*>(&table), [&](ComponentId id, const auto&) {
            const OnTargetDespawn each = rule_of(id);
            if (each == OnTargetDespawn::refuse) refused_ = id;
            if (each != OnTargetDespawn::remove && rule != OnTargetDespawn::despawn) rule = each;
        });
        return rule;
    }
    void treat(OnTargetDespawn rule, Entity source, ComponentId id) {
        if (rule == OnTargetDespawn::despawn)
            dead_.add(source);
        else if (rule == OnTargetDespawn::refuse)
            refusals_.push_back({source, id});
    }
    [[noreturn]] SLOTWISE_COLD void refuse(const Refusal& by) const {
        const std::string text = "ArchetypeStore::despawn: " + to_string(by.source) + " has " + core_.registry.name(by.id) +
                                 ", and the relation refuses that its target goes; unrelate them, or despawn the source first";
        throw_invalid_argument(text.c_str());
    }
    // All survivors of a table lose their pairs with the dead. From the last row to the first, because their rows go.
    void leave(Table& table) {
        for (slot_t row = static_cast<slot_t>(table.size()); row-- != 0;)
            if (const Entity entity = table.entities()[row]; !dead_.contains(entity)) leave(entity);
    }
    // All lose their pairs of sparse relations with an entity that dies, at once: no hook is called.
    void drop_pairs(Entity dead) noexcept {
        if (!place_of(dead).is_target()) return;
        const StoreCore::Changing change(core_, "despawn", dead);
        for (const std::uint32_t number : core_.sparse.numbers())
            if (SparsePairs* const pairs = core_.sparse.pairs(number);
                pairs != nullptr && rule_of(pair(core_.registry.id(number), dead)) == OnTargetDespawn::remove)
                pairs->erase(SparsePairs::by_target, dead);
    }
    // The same of the survivors, one by one, with hooks.
    void leave_pairs(Entity dead) {
        if (!place_of(dead).is_target()) return;
        for (const std::uint32_t number : core_.sparse.numbers()) {
            const ComponentId id = pair(core_.registry.id(number), dead);
            const SparsePairs* const pairs = core_.sparse.pairs(number);
            if (pairs == nullptr || rule_of(id) != OnTargetDespawn::remove) continue;
            PlainVector<Entity> sources;
            pairs->for_each(SparsePairs::by_target, dead,
                            [&](slot_t each) { sources.push_back(pairs->entity(SparsePairs::by_source, each)); });
            for (const Entity source : sources)
                if (!dead_.contains(source)) core_.change_only(source, {{}, {&id, 1}, {}});
        }
    }
    void leave(Entity entity) {
        ids_.clear();
        const EntityLocation at = *core_.location(entity);
        for (const ComponentId id : core_.table(at).ids()) add(id);
        if (at.has_sparse()) core_.sparse.for_each(entity, [&](ComponentId id, void*) { add(id); });
        if (!ids_.empty()) core_.change_only(entity, {{}, ids_.span(), {}});
    }
    void add(ComponentId id) {
        if (const Entity target = id.target(); target && dead_.contains(target)) insert_sorted(ids_, id);
    }

    StoreCore& core_;
    bool refusable_;
    FoundEntities dead_{};
    PlainVector<Refusal> refusals_{};
    PlainVector<Table*> tables_{};   // some of whose rows survive
    PlainVector<Entity> sources_{};  // of switched relations
    PlainVector<ComponentId> ids_{}; // that an entity loses
    ComponentId refused_{};
};

SLOTWISE_INLINE void FoundEntities::add(Entity entity) {
    if (list_.size() == list_.capacity()) list_.reserve(2 * list_.size() + 16);
    if (marks_.emplace(entity, [](void*) {})) list_.push_back(entity);
}

SLOTWISE_INLINE void FoundRows::add(Table& table, std::size_t first, std::size_t last) {
    if (first == 0 && last == table.size()) return parts.push_back({&table, 0, 0});
    may_throw = may_throw || table.moves_may_throw();
    if (parts.empty() || parts.back().table != nullptr) parts.push_back({nullptr, entities.size(), entities.size()});
    entities.append(table.entities().subspan(first, last - first));
    parts.back().last = entities.size();
}

SLOTWISE_INLINE std::size_t FoundRows::size() const noexcept {
    std::size_t rows = 0;
    for (const Part& part : parts) rows += of(part).size();
    return rows;
}

void StoreCore::pass_row(EntityLocation& at, const Transition& by) noexcept {
    if (!Table::can_pass_row_of_8(*by.map)) return pass_row_of_any_size(at, by);
    note_moved(at, by.to, Table::pass_row_of_8(*by.source, at.row(), *by.destination, *by.map));
}

void StoreCore::pass_row_of_any_size(EntityLocation& at, const Transition& by) noexcept {
    note_moved(at, by.to, Table::pass_row(*by.source, at.row(), *by.destination, *by.map));
}

void StoreCore::move_any_row(Entity entity, EntityLocation& at, const Transition& by, RowBuild build) {
    if (!hooks.any(HookKind::remove)) return move_row(at, *by.source, by.to, *by.destination, *by.map, build);
    const auto replaced = [&](auto&& f) {
        for_each_missing(by.source->ids(), by.destination->ids(), [&](ComponentId id) { f(id, entity); });
    };
    RemovalHooks removal(*this, replaced);
    move_row(at, *by.source, by.to, *by.destination, *by.map, build, [&] { removal.call(); });
    removal.dismiss();
}

bool StoreCore::move_listed(Entity entity, ComponentList& list, Transition& by) {
    EntityLocation* const at = location(entity);
    if (at == nullptr) return false;
    expect_idle(&by == &list.added ? "add" : "remove", entity, list);
    const Transition& known = transition(list, by, at->table());
    if (known.map == nullptr) return true;
    const bool calls_hooks = &by == &list.added && (hooks.any(HookKind::add) || hooks.any(HookKind::remove));
    if (!can_pass_row(known) || !known.map->built().empty() || calls_hooks) [[unlikely]] {
        move_listed_slowly(entity, *at, list, known);
        return true;
    }
    before_row(known.to, *known.destination); // nothing that follows calls anybody
    if (Table::can_pass_row_of_8(*known.map))
        note_moved(*at, known.to, Table::pass_row_of_8(*known.source, at->row(), *known.destination, *known.map));
    else
        pass_row_of_any_size(*at, known);
    return true;
}

void StoreCore::move_listed_slowly(Entity entity, EntityLocation& at, ComponentList& list, const Transition& by) {
    const Changing change(*this, "add", entity);
    if (&by == &list.added)
        add_all(entity, at, list, [](unsigned, void*) { return false; });
    else
        move_row(at, *by.source, by.to, *by.destination, *by.map, [](std::size_t, void*) {});
}

//=== operations ===//

SLOTWISE_INLINE Entity StoreCore::spawn_as(Entity entity, const Change& what) {
    ScopeGuard undo([&]() noexcept { undo_create(entities.row_of(entity), 1, entities.range_of(entity)); });
    EntityChange change(*this, entity, *entities.location(entity), what);
    change.make();
    undo.dismiss();
    change.run_hooks_afterwards();
    return entity;
}

SLOTWISE_INLINE Entity StoreCore::spawn(const Change& what) { return spawn_in(Range(), what); }

SLOTWISE_INLINE Entity StoreCore::spawn_in(Range range, const Change& what) {
    erase_left_tables("spawn");
    expect_ids(what.add);
    flush_reserved("spawn");
    const Changing change(*this, "spawn", Entity(), what.add);
    return spawn_as(entities.create(range), what);
}

SLOTWISE_INLINE bool StoreCore::spawn_at(Entity given, const Change& what) {
    erase_left_tables("spawn_at");
    const Entity entity = without_user_bits(given);
    expect_ids(what.add);
    flush_reserved("spawn_at");
    const Changing change(*this, "spawn_at", entity, what.add);
    if (entities.is_alive(entity) || !entities.make_alive(entity)) return false;
    spawn_as(entity, what);
    return true;
}

SLOTWISE_INLINE std::span<const Entity> StoreCore::spawn_n(std::size_t count, const Change& what) {
    erase_left_tables("spawn_n");
    expect_ids(what.add);
    flush_reserved("spawn_n");
    const Changing change(*this, "spawn_n", Entity(), what.add);
    const std::size_t first = entities.alive().size();
    static_cast<void>(entities.create_n(count));
    const auto created = [&](std::size_t i) { return entities.alive()[first + i]; }; // values and hooks may record spawns
    std::size_t made = 0;
    ScopeGuard undo([&]() noexcept {
        for (; made != 0; --made) {
            sparse.erase(created(made - 1));
            erase_row(*entities.location(created(made - 1)));
        }
        undo_create(first, count);
    });
    for (; made != count; ++made) EntityChange(*this, created(made), *entities.location(created(made)), what).make();
    undo.dismiss();
    for (std::size_t i = 0; i != count; ++i) run_all_hooks(HookKind::add, created(i));
    return entities.alive().subspan(first, count);
}

SLOTWISE_INLINE std::span<const Entity> StoreCore::clone_n(Entity given, std::size_t count) {
    erase_left_tables("clone");
    const Entity source = without_user_bits(given);
    if (!is_alive(source) || count == 0) return {};
    flush_reserved("clone");
    const Changing change(*this, "clone", source);
    const EntityLocation at = *location(source);
    Table& from = table(at);
    const auto expect_copies = [&](ComponentId id, const TypeDescriptor* type) {
        if (type != nullptr && !type->trivial && type->copy == nullptr && !registry.traits(id).hides) [[unlikely]]
            refuse_clone(id);
    };
    for (std::size_t i = 0; i != from.column_count(); ++i) expect_copies(from.column_id(i), &from.type(i));
    PlainVector<ComponentValue> beside; // what no table holds
    if (at.has_sparse())
        sparse.for_each(source, [&](ComponentId id, const void* value) {
            if (value != nullptr) expect_copies(id, registry.type(id));
            beside.push_back({id, value == nullptr ? AnyValue() : AnyValue::copied(value)});
        });
    const std::span<const ComponentId> hiding = from.hiding();
    const slot_t number = hiding.empty()       ? at.table()
                          : hiding.size() == 1 ? tables.remove(at.table(), hiding[0]).table
                                               : tables.remove_all(at.table(), hiding).table;
    Table& to = tables[number];
    const auto first = static_cast<slot_t>(to.size());
    const std::size_t living = entities.alive().size();
    EntityLocation at_first(number, first);
    at_first.set_sparse(!beside.empty());
    if (count == 1)
        entities[entities.create()] = at_first; // half the time of create_n()
    else
        static_cast<void>(entities.create_n({}, count, [&](slot_t i) {
            EntityLocation nth = at_first;
            nth.set_row(first + i);
            return nth;
        }));
    const auto created = [&] { return entities.alive().data() + living; }; // values and hooks may record spawns
    std::size_t rows = 0;
    ScopeGuard undo([&]() noexcept {
        for (std::size_t i = 0; i != count && !beside.empty(); ++i) sparse.erase(created()[i]);
        for (; rows != 0; --rows) static_cast<void>(to.swap_erase(to.size() - 1)); // nothing moves
        undo_create(living, count);
    });
    before_row(number, to);
    if (count == 1)
        to.push_back_copy(from, at.row(), *created(), tick);
    else
        to.append_n(count, created, tick, [&](std::size_t column, void* values, std::size_t n) {
            fill_column(to.type(column), AnyValue::copied(from.value(to.column_in(from, column), at.row())), values, n);
        });
    rows = count;
    if (from.any_disabled_columns())
        for (std::size_t place = 0; place != to.ids().size(); ++place)
            if (!from.is_enabled(at.row(), static_cast<std::size_t>(from.place_of(to.ids()[place]))))
                for (std::size_t i = 0; i != count; ++i) to.enable(first + i, place, false);
    for (const ComponentValue& each : beside)
        for (std::size_t i = 0; i != count; ++i) sparse.emplace(created()[i], each.id, each.value);
    undo.dismiss();
    if (hooks.any(HookKind::add)) [[unlikely]]
        for (std::size_t i = 0; i != count; ++i) run_all_hooks(HookKind::add, created()[i]);
    return {created(), count};
}

SLOTWISE_INLINE void StoreCore::spawn_reserved(Entity entity, const Change& what) {
    erase_left_tables("apply");
    expect_ids(what.add, TargetsAre::spawned_too);
    const Changing changing_now(*this, "apply", entity, what.add);
    EntityChange change(*this, entity, *entities.location(entity), what);
    change.make();
    --without_row;
    change.run_hooks_afterwards();
}

SLOTWISE_INLINE bool StoreCore::despawn(Entity entity, bool refusable) {
    EntityLocation* at = location(entity);
    if (at == nullptr) return false;
    expect_idle("despawn", entity);
    flush_reserved("despawn");
    if (at->is_target()) [[unlikely]] {
        TargetDeath(*this, entity, refusable).apply();
        at = location(entity);
        if (at == nullptr) return true; // it was among those that went along
    }
    erase_entity(entity, *at);
    return true;
}

SLOTWISE_INLINE std::size_t StoreCore::despawn_all(std::span<const Entity> given) {
    expect_idle("despawn");
    flush_reserved("despawn");
    const std::size_t before = size();
    const PlainVector<Entity> all(given); // they may be those of a table, or entities()
    RowGroup group(all.span());
    while (!group.at_end()) {
        if (!group.find(*this, false)) {
            if (!group.at_end()) despawn(group.take_one());
            continue;
        }
        const Changing change(*this, "despawn");
        Table& table = tables[group.table()];
        table.erase_rows(group.batch());
        note_group_left(table, group);
        for (const std::uint32_t place : group.places()) entities.destroy(all[place]);
    }
    return before - size();
}

SLOTWISE_INLINE void StoreCore::note_group_left(const Table& table, const RowGroup& group) noexcept {
    for (const RowFill each : group.batch().fills) entities[table.entities()[each.row]].set_row(each.row);
}

SLOTWISE_INLINE RowGroup::RowGroup(std::span<const Entity> list) : list_(list) {
    rows_.resize(list.size());
    places_.resize(list.size());
}

SLOTWISE_INLINE bool RowGroup::find(const StoreCore& core, bool flagged) {
    constexpr std::size_t fewest = 4,
                          most_rows = 64; // of the table, for each of a group in no order: a bit is cleared for each
    if (core.hooks.any(HookKind::remove)) alone_until_ = list_.size();
    if (next_ < alone_until_) return false;
    size_ = 0;
    bool ascends = true;
    std::size_t next = next_;
    for (; next != list_.size(); ++next) {
        const EntityLocation* const at = core.location(list_[next]);
        if (at == nullptr) continue;
        if (size_ == 0)
            table_ = at->table();
        else if (at->table() != table_)
            break;
        if (!flagged && at->has_flags()) {
            alone_until_ = next + 1;
            break;
        }
        ascends = ascends && (size_ == 0 || rows_[size_ - 1] < at->row());
        rows_[size_] = at->row();
        places_[size_++] = static_cast<std::uint32_t>(next);
    }
    if (size_ == 0) {
        next_ = next; // only dead ones were before it
        return false;
    }
    const Table& table = core.tables[table_];
    if (size_ < fewest || !table.can_move_rows() || (!ascends && table.size() / most_rows > size_)) {
        const std::size_t most = list_.size() - next_,
                          alone = std::size_t{1} << refused_; // a list in no order: it is seldom asked
        if (refused_ != 6) ++refused_;
        for (const std::size_t until : {next, next_ + (alone < most ? alone : most)})
            if (alone_until_ < until) alone_until_ = until;
        return false;
    }
    next_ = next;
    refused_ = 0;
    living_ = size_;
    if (!ascends) drop_twins(table.size());
    adjacent_ = ascends && rows_[size_ - 1] - rows_[0] == size_ - 1;
    find_fills(table.size(), !ascends);
    return true;
}

SLOTWISE_INLINE void RowGroup::drop_twins(std::size_t rows_of_table) {
    marks_.assign(bits::word_count(rows_of_table), 0);
    std::size_t kept = 0;
    for (std::size_t i = 0; i != size_; ++i) {
        bits::word_t& word = marks_[bits::word_of(rows_[i])];
        const bits::word_t bit = bits::bit_of(rows_[i]);
        if ((word & bit) != 0) continue;
        word |= bit;
        rows_[kept] = rows_[i];
        places_[kept++] = places_[i];
    }
    size_ = kept;
}

SLOTWISE_INLINE void RowGroup::find_fills(std::size_t rows_of_table, bool marked) {
    fills_.clear();
    const std::size_t left = rows_of_table - size_;
    if (left == 0 || (adjacent_ && rows_[0] == left)) return;
    const std::size_t base = marked ? 0 : left; // of the marks
    if (!marked) {
        marks_.assign(bits::word_count(size_), 0);
        for (std::size_t i = size_; i-- != 0 && rows_[i] >= left;)
            marks_[bits::word_of(rows_[i] - left)] |= bits::bit_of(rows_[i] - left);
    }
    const auto goes = [&](std::size_t row) { return (marks_[bits::word_of(row - base)] & bits::bit_of(row - base)) != 0; };
    std::size_t from = left;
    const auto fill = [&](std::size_t row) {
        while (goes(from)) ++from;
        fills_.push_back({static_cast<slot_t>(row), static_cast<slot_t>(from++)});
    };
    if (!marked)
        for (std::size_t i = 0; i != size_ && rows_[i] < left; ++i) fill(rows_[i]);
    else // in the order of rows, and not of the list: memory is walked from front to back
        for (std::size_t word = 0; word * bits::word_bits < left; ++word)
            bits::for_each(marks_[word], [&](unsigned bit) {
                if (const std::size_t row = word * bits::word_bits + bit; row < left) fill(row);
            });
}

SLOTWISE_INLINE std::size_t StoreCore::despawn_found(const FoundRows& rows) {
    const std::size_t found = rows.size();
    expect_idle("despawn");
    flush_reserved("despawn");
    std::uint32_t targets = 0, sparse_ones = 0;
    if (!sparse.numbers().empty() || tables.index().count(pair(any, any)) != 0)
        for (const FoundRows::Part& part : rows.parts)
            EntitySteps::for_each_location(entities, rows.of(part), [&](std::size_t, const EntityLocation& at) {
                targets |= at.is_target();
                sparse_ones |= at.has_sparse();
            });
    if (targets != 0) {
        TargetDeath(*this, rows).apply();
        return found;
    }
    if (rows.may_throw) {
        rows.for_each_backwards([this](Entity entity) { erase_entity(entity, *location(entity)); });
        return found;
    }
    const Changing change(*this, "despawn");
    const auto all = [&](auto&& f) { rows.for_each_backwards([&](Entity entity) { for_each_id(entity, f); }); };
    if (hooks.any(HookKind::remove)) [[unlikely]]
        remove_with_hooks(*this, all, [] {});
    for (std::size_t i = rows.parts.size(); i-- != 0;) { // nothing throws
        const FoundRows::Part& part = rows.parts[i];
        const std::span<const Entity> ends = rows.of(part);
        if (sparse_ones != 0)
            for (const Entity entity : ends)
                if (location(entity)->has_sparse()) sparse.erase(entity);
        if (part.table == nullptr)
            for (std::size_t row = ends.size(); row-- != 0;) erase_row(*location(ends[row]));
        else
            part.table->clear(); // the array stays
        EntitySteps::destroy(entities, ends);
    }
    return found;
}

SLOTWISE_INLINE std::size_t StoreCore::remove_found(const FoundRows& rows, Ids given) {
    for (const ComponentId id : given) registry.expect(id, "ArchetypeStore::remove");
    expect_idle("remove", Entity(), given);
    erase_left_tables("remove"); // those of the rows are not empty
    const bool sparse_ones = any_sparse(registry, given);
    std::size_t changed = 0;
    with_sorted(given, [&](Ids ids) {
        const auto remove_one = [&](Entity entity) {
            const EntityLocation at = *location(entity);
            bool has = false;
            for (const ComponentId id : ids) has = has || has_at(at, entity, id);
            changed += has;
            if (has) change_only(entity, {{}, ids, {}});
        };
        for (const FoundRows::Part& part : rows.parts) {
            if (part.table == nullptr) {
                for (const Entity entity : rows.of(part)) remove_one(entity);
            } else if (sparse_ones || part.table->moves_may_throw()) {
                for (std::size_t row = part.table->size(); row-- != 0;) remove_one(part.table->entities()[row]);
            } else
                changed += remove_of(*part.table, ids);
        }
        return true;
    });
    return changed;
}

// Removes components of all rows of a table, which go to another one. Throws what the allocator and hooks throw; strong
SLOTWISE_INLINE std::size_t StoreCore::remove_of(Table& from, Ids ids) {
    const auto step = tables.remove_all(location(from.entities().front())->table(), ids);
    if (!step) return 0;
    Table& to = tables[step.table];
    const bool calls = hooks.any(HookKind::remove);
    before_row(step.table, to);
    Table::reserve_move_all(from, to, *step.map, calls);
    const Changing change(*this, "remove", Entity(), ids);
    const std::span<const Entity> moved = from.entities();
    const auto lost = [&](auto&& f) {
        for (const Entity entity : moved) for_each_missing(from.ids(), to.ids(), [&](ComponentId id) { f(id, entity); });
    };
    if (calls) [[unlikely]]
        remove_with_hooks(*this, lost, [] {});
    const auto first = static_cast<slot_t>(to.size());
    EntitySteps::for_each_location(
        entities, moved, [&](std::size_t i, EntityLocation& at) { at.set(step.table, first + static_cast<slot_t>(i)); });
    Table::move_all(from, to, *step.map, tick);
    return moved.size();
}

SLOTWISE_INLINE std::size_t StoreCore::remove_all(Ids ids) {
    for (const ComponentId id : ids) registry.expect(id, "ArchetypeStore::remove_all");
    FoundRows rows;
    const auto add_tables = [&](auto&& has) {
        for (const auto entry : tables.index().tables()) // in the order of walks
            if (Table& table = *entry.table; !table.empty() && has(table)) rows.add(table, 0, table.size());
    };
    if (!any_sparse(registry, ids)) {
        add_tables([&](const Table& table) {
            bool has = false;
            for (const ComponentId id : ids) has = has || table.contains(id);
            return has;
        });
        return remove_found(rows, ids);
    }
    FoundEntities found;
    for (const ComponentId id : ids) {
        if (id.is_pair() && registry.traits(id).switched) {
            if (const auto* const targets = sparse.targets(id.relation_number()))
                for (const Entity entity : targets->of(ComponentIdParts::target_of(id))) found.add(entity);
        } else if (id.is_pair() && registry.traits(id).sparse) {
            for (const Entity entity : sources(registry.id(id.relation_number()), id.target())) found.add(entity);
        } else if (!is_sparse(registry, id)) {
            for (const auto entry : tables.index().tables(id))
                for (const Entity entity : (*entry.table).entities()) found.add(entity);
        } else if (const SparseColumn* const column = sparse.column(id.number()))
            column->for_each([&](Entity entity, const void*) { found.add(entity); });
    }
    for (std::size_t i = 0; i != found.size(); ++i) rows.entities.push_back(found[i]);
    rows.parts.push_back({nullptr, 0, rows.entities.size()});
    return remove_found(rows, ids);
}

SLOTWISE_INLINE void StoreCore::permute(Table& table, const slot_t* order) {
    table.permute(order);
    EntitySteps::for_each_location(entities, table.entities(),
                                   [](std::size_t row, EntityLocation& at) { at.set_row(static_cast<slot_t>(row)); });
}

SLOTWISE_INLINE void StoreCore::expect_rows_of(ComponentId id) const {
    if (is_sparse(registry, id)) [[unlikely]]
        throw_invalid_argument(
            "ArchetypeStore::sort: values of a sparse component are in no table, whose rows could be sorted; "
            "take the list of query.sorted_by(), or query.for_each_sorted()");
}

SLOTWISE_INLINE void StoreCore::end_unused(Entity entity) {
    EntityLocation* const at = entities.location(entity);
    if (at == nullptr || at->has_row()) return;
    if (at->is_target()) {
        TargetDeath(*this, entity, false).apply();
        if (entities.location(entity) == nullptr) return;
    }
    without_row += reserved.make(entities);
    --without_row;
    entities.destroy(entity);
}

template <class Before, class Take>
bool StoreCore::erase_reserved(Entity given, Before&& before, Take&& take) {
    const Entity entity = without_user_bits(given);
    EntityLocation* const at = location(entity);
    if (at == nullptr) return false;
    expect_idle("erase_reserved", entity);
    flush_reserved("erase_reserved");
    before(*at);
    const auto end = [&](Entity, EntityLocation& place) {
        const Changing change(*this, "erase_reserved", entity);
        const auto all = [&](auto&& f) { for_each_id(entity, f); };
        const auto remove = [&] {
            take(place);
            erase_row(place);
        };
        if (hooks.any(HookKind::remove)) [[unlikely]]
            remove_with_hooks(*this, all, remove);
        else
            remove();
        if (place.has_sparse()) sparse.erase(entity);
        entities.erase_reserved(entity);
    };
    if (at->is_target())
        TargetDeath(*this, entity).apply(end);
    else
        end(entity, *at);
    return true;
}

SLOTWISE_INLINE bool StoreCore::fulfill(Entity given, const Change& what) {
    const Entity entity = without_user_bits(given);
    if (entities.explain(entity) != HandleStatus::reserved) return false;
    expect_ids(what.add);
    flush_reserved("fulfill");
    const Changing changing_now(*this, "fulfill", entity, what.add);
    static_cast<void>(entities.fulfill(entity));
    ScopeGuard undo([&]() noexcept { entities.erase_reserved(entity); });
    EntityChange change(*this, entity, *entities.location(entity), what);
    change.make();
    undo.dismiss();
    change.run_hooks_afterwards();
    return true;
}

SLOTWISE_INLINE void StoreCore::clear() {
    flush_reserved("clear");
    const Changing change(*this, "clear");
    const auto all = [&](auto&& f) {
        tables.for_each([&](slot_t, const Table& table) {
            for (const Entity entity : table.entities()) for_each_id(entity, f);
        });
    };
    PlainVector<slot_t> gone; // made here: nothing throws for lack of memory when hooks were called
    gone.reserve(tables.index().count(pair(any, any)));
    if (hooks.any(HookKind::remove)) remove_with_hooks(*this, all, [] {});
    tables.for_each([](slot_t, Table& table) { table.clear(); });
    sparse.clear();
    entities.clear();
    invalidate_reserved();
    without_row = 0;
    tables.erase_tables_with(pair(any, any), gone); // their targets are dead
}

SLOTWISE_INLINE bool StoreCore::check_invariants() const {
    std::size_t rows = 0;
    bool holds = entities.check_invariants() && tables.check_invariants() && sparse.check_invariants();
    tables.for_each([&](slot_t slot, const Table& table) {
        holds = holds && table.check_invariants();
        for (slot_t row = 0; row != table.size(); ++row) {
            const EntityLocation* const at = entities.location(table.entities()[row]);
            holds = holds && at != nullptr && at->table() == slot && at->row() == row;
        }
        rows += table.size();
    });
    for (const std::uint32_t number : sparse.numbers()) {
        const SparsePairs* const of = sparse.pairs(number);
        if (of == nullptr) continue;
        const bool exclusive = registry.traits(registry.id(number)).exclusive;
        of->for_each(SparsePairs::by_source, [&](Entity source) {
            const EntityLocation* const at = location(source);
            holds =
                holds && at != nullptr && at->has_sparse() && (!exclusive || of->count(SparsePairs::by_source, source) == 1);
        });
        of->for_each(SparsePairs::by_target, [&](Entity target) {
            const EntityLocation* const at = entities.location(target);
            holds = holds && at != nullptr && at->is_target();
        });
    }
    return holds && rows == size();
}

SLOTWISE_INLINE bool StoreCore::change_only(Entity entity, const Change& what, TargetsAre targets) {
    expect_ids(what.add, targets);
    EntityLocation* const at = location(entity);
    if (at == nullptr) return false;
    const bool removes = what.add.empty();
    const Changing changing_now(*this, removes ? "remove" : "add", entity, removes ? what.remove : what.add);
    EntityChange change(*this, entity, *at, what);
    change.make();
    change.run_hooks_afterwards();
    return true;
}

SLOTWISE_INLINE StoreHooks::~StoreHooks() {
    for (auto& each : hooks_)
        for (const Hook& hook : each) hook.destroy(hook.function);
}

SLOTWISE_INLINE ComponentLists::~ComponentLists() {
    for (ComponentList* const list : lists_) delete list;
}

ComponentList& ComponentLists::make(const ComponentRegistry& registry, const TypeIdentity& types,
                                    std::span<const ComponentId> ids) {
    if (lists_.size() == lists_.capacity()) lists_.reserve(2 * lists_.size() + 8);
    known_.reserve_one();
    for (ComponentList* const each : lists_)
        if (each->kept.same_elsewhere(types)) {
            known_.insert(types.kept_hash(), types.mark, reinterpret_cast<std::uintptr_t>(each));
            return *each;
        }
    ComponentList list;
    KeptTypeIdentity(types).swap(list.kept);
    list.ids.assign(ids);
    for (const ComponentId id : ids) {
        insert_sorted(list.sorted, id);
        list.any_sparse = list.any_sparse || is_sparse(registry, id) || any_sparse(registry, registry.with_closure(id));
    }
    list.one_sparse = ids.size() == 1 && registry.traits(ids[0]).sparse && !registry.needs_target(ids[0]) &&
                      registry.with_closure(ids[0]).empty();
    lists_.push_back(new ComponentList(std::move(list)));
    known_.insert(types.kept_hash(), types.mark, reinterpret_cast<std::uintptr_t>(lists_.back()));
    return *lists_.back();
}

ComponentList StoreCore::list_of_columns(Ids ids, const char* where) {
    ComponentList list;
    const auto expect_column = [&](ComponentId id) {
        if (!is_sparse(registry, id)) return;
        const std::string text = std::string(where) + ": " + registry.name(id) +
                                 " is sparse or switched, or comes with what is, and has no column; add it to each entity";
        throw_invalid_argument(text.c_str());
    };
    expect_ids(ids);
    for (const ComponentId id : ids) {
        insert_sorted(list.sorted, id);
        expect_column(id);
        for (const ComponentId companion : registry.with_closure(id)) expect_column(companion);
    }
    list.ids = list.sorted;
    return list;
}

void StoreCore::refuse_dead(Entity entity, const char* which) const {
    const std::string text = which + (" (" + to_string(entity)) + ") " + dead_because(entity);
    throw_invalid_argument(text.c_str());
}

void StoreResources::refuse_missing(std::string_view type) {
    const std::string text = "ArchetypeStore::resource: there is no " + std::string(type) +
                             "; emplace_resource() makes one, and find_resource() returns null then";
    throw_out_of_range(text.c_str());
}

void StoreCore::refuse_clone(ComponentId id) const {
    const std::string text = "ArchetypeStore::clone: values of the component " + registry.name(id) +
                             " cannot be copied; give the type a copy constructor, or spawn() the entity with its own values";
    throw_invalid_argument(text.c_str());
}

void StoreCore::refuse_missing(Entity entity, ComponentId id, const char* where) const {
    std::string text = "ArchetypeStore::" + std::string(where) + ": the entity (" + to_string(entity) + ") ";
    if (!is_alive(entity))
        text += dead_because(entity);
    else
        text += "does not have the component " + (id ? registry.name(id) : std::string("(which is not registered)"));
    throw_out_of_range((text += "; get() returns null then").c_str());
}

void StoreCore::find_transition(const ComponentList& list, Transition& transition, slot_t from) {
    transition.from = no_slot;
    const auto step =
        &transition == &list.removed ? tables.remove_all(from, list.sorted.span()) : tables.add_all(from, list.sorted.span());
    Table& to = tables[step.table];
    transition.argument.assign(to.column_count(), Transition::no_argument);
    transition.columns.assign(list.ids.size(), -1);
    std::size_t given = 0;
    for (unsigned i = 0; i != list.ids.size(); ++i) {
        const std::int32_t column = transition.columns[i] = to.column_of(list.ids[i]);
        if (column < 0) continue;
        transition.argument[static_cast<std::size_t>(column)] = i;
        ++given;
    }
    transition.complete = given == to.column_count();
    transition.to = step.table;
    transition.source = &tables[from];
    transition.destination = &to;
    transition.map = step.map;
    transition.erased = tables.erased();
    transition.from = from;
}

SLOTWISE_INLINE void StoreCore::make_reserved(const char* call) {
    expect_idle(call);
    without_row += reserved.make(entities);
    reserved.end_returned([this](Entity entity) { end_unused(entity); });
}

void StoreCore::make_ids(std::span<Entity> ids) {
    without_row += reserved.make(entities);
    const std::span<const Entity> made = entities.create_n(ids.size());
    for (std::size_t i = 0; i != ids.size(); ++i) ids[i] = made[i];
    without_row += ids.size();
}

void StoreCore::undo_create(std::size_t first, std::size_t count, Range range) noexcept {
    if (entities.alive(range).size() == first + count) return entities.take_back(count, range);
    for (; count != 0; --count) entities.destroy(entities.alive(range)[first + count - 1]);
}

void StoreCore::refuse_change(const char* call, Entity entity, const ComponentList& list) const noexcept {
    refuse_change(call, entity, list.ids.span());
}

void StoreCore::refuse_change(const char* call, Entity entity, Ids ids) const noexcept {
    std::string text = "ArchetypeStore::" + std::string(call);
    const char* before = " (";
    const auto add = [&](const std::string& word) { text += std::exchange(before, ", ") + word; };
    if (entity) add("entity " + to_string(entity));
    for (const ComponentId id : ids) add(registry.name(id));
    text += *before == ',' ? "): " : ": ";
    SLOTWISE_EXPECT(!changing, (text + "a hook, a value's constructor or destructor, or a function given to patch or sort, "
                                       "changes the store that calls it; record the change in a CommandBuffer and apply it "
                                       "afterwards")
                                   .c_str());
    SLOTWISE_EXPECT(walks.load(std::memory_order_relaxed) == 0,
                    (text + "a query is walking; record the change in a CommandBuffer and apply it afterwards").c_str());
}

SLOTWISE_INLINE StoreCore::StoreCore(ComponentRegistry&& components) : StoreCore() {
    registry = std::move(components); // last: nothing throws then
}

SLOTWISE_INLINE StoreCore::~StoreCore() {
    life->end();
    free_spare();
    if (resources.empty()) return;
    tables.for_each([](slot_t, Table& table) { table.clear(); }); // components may refer to resources
    sparse.clear();
    resources.clear();
}

SLOTWISE_INLINE void StoreCore::free_spare() noexcept {
    SpareSteps::destroy(std::exchange(first_visit, nullptr));
    spare_visits.free();
    spare_records.free();
}

SLOTWISE_INLINE StoreCore::Range StoreCore::add_range(slot_t first, slot_t last) {
    expect_idle("add_range");
    flush_reserved("add_range");
    return entities.add_range(first, last);
}

SLOTWISE_INLINE bool StoreCore::change(Entity entity, const Change& what, TargetsAre targets) {
    erase_left_tables(what.add.empty() ? "remove" : "add");
    return change_only(entity, what, targets);
}

SLOTWISE_INLINE void StoreCore::invalidate_reserved() noexcept {
    reserved.invalidate();
    ++life->epoch;
}

SLOTWISE_INLINE std::size_t StoreCore::memory_usage() const noexcept {
    const bool alone = begin_walk();
    const std::size_t visit = alone && first_visit != nullptr ? SpareSteps::memory_of(*first_visit) : 0;
    end_walk();
    return sizeof(StoreLife) + visit + spare_visits.memory_usage() + spare_records.memory_usage() +
           memory_of(resources, registry, tables, entities, sparse, hooks, removals, type_lists, reserved, plans) +
           memory_of_text(wrong_bytes);
}

} // namespace detail

SLOTWISE_END

#endif
