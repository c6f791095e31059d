// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandApply: carries out recorded commands, one change for each entity.
#ifndef SLOTWISE_ECS_COMMAND_APPLY_HPP
#define SLOTWISE_ECS_COMMAND_APPLY_HPP

#include "command_batch.hpp"
#include "command_plan.hpp"
#include "store_members.hpp"
#include "store_relations.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What a buffer keeps between two applications.
struct CommandScratch {
    CommandFold fold{};
    CommandPlans plans{};
    std::vector<Command*> list{};   // the commands of some entities
    std::vector<Entity> entities{}; // of a run
    PlainVector<ComponentId> ids{}; // of a command that is carried out alone
    std::vector<ComponentValue> values{};

    std::size_t memory_usage() const noexcept {
        return memory_of(fold, plans, ids) + memory_of_vector(list) + memory_of_vector(entities) + memory_of_vector(values);
    }
    void swap(CommandScratch& other) noexcept {
        fold.swap(other.fold);
        plans.swap(other.plans);
        list.swap(other.list);
        entities.swap(other.entities);
        ids.swap(other.ids);
        values.swap(other.values);
    }
};

class CommandApply {
public:
    /// Adds to `dropped` the number of commands that are dropped.
    CommandApply(StoreCore& core, CommandScratch& scratch, std::size_t& dropped) noexcept
        : core_(core), scratch_(scratch), dropped_(dropped) {}

    /// Carries out a batch, which is empty then. @throws see CommandBuffer: the rest stays in the batch
    void run(CommandBatch& batch) {
        batch_ = &batch;
        scratch_.fold.begin(batch);
        const bool any_pairs = this->any_pairs();
        batch.find_barriers([&](Entity entity) {
            const EntityLocation* const at = any_pairs ? core_.entities.location(entity) : nullptr;
            return at != nullptr && at->is_target();
        });
        while (batch.next_phase()) {
            while (const CommandGroup* const group = batch.next()) {
                batch.prepare();
                std::size_t done = 1;
                bool destroys = true;
                const ScopeGuard finished([&]() noexcept { batch.finish(done, destroys); });
                ScopeGuard failed([&]() noexcept {
                    const EntityLocation* const at = core_.entities.location(group->entity);
                    if (group->spawned() && at != nullptr && !at->has_row()) batch.despawn_next();
                });
                done = carry_out(batch.rest(), destroys);
                failed.dismiss();
            }
            while (const CommandGroup* const group = batch.next_despawn()) {
                const ScopeGuard finished([&]() noexcept { batch.finish_despawn(); });
                end(*group);
            }
        }
        batch.reset();
    }

private:
    static constexpr std::size_t most_at_once = 256; // entities of a run, so that their commands stay in the nearest cache

    /// Whether an entity may be the target of another one.
    bool any_pairs() const {
        bool any_switched = false;
        for (const std::uint32_t number : core_.outside.numbers()) {
            const SparseComponents::Targets* const targets = core_.outside.targets(number);
            any_switched = any_switched || (targets != nullptr && !targets->empty());
        }
        return any_switched || core_.tables.index().count(pair(any, any)) != 0;
    }
    /// Whether there is something to be changed.
    static bool may_change(const CommandGroup& group, const EntityLocation* at) noexcept {
        return at != nullptr && !group.is_void() && at->has_row() != group.spawned();
    }
    /// Carries out the first of these groups with the later ones of its entity, and those after it that are alike and new.
    /// Returns how many.
    std::size_t carry_out(std::span<CommandGroup> groups, bool& destroys) {
        CommandGroup& group = groups[0];
        EntityLocation* const at = core_.entities.location(group.entity);
        const bool changes = may_change(group, at);
        scratch_.list.clear();
        if (changes) [[likely]]
            take_commands(group);
        else
            dropped_ += group.count();
        if (group.later != 0 && take_later(group, changes)) [[unlikely]]
            return 1;
        if (!changes) [[unlikely]]
            return 1;
        if (core_.hooks.any(HookKind::add) || core_.hooks.any(HookKind::remove) || core_.hooks.any(HookKind::set)) [[unlikely]]
            return change_any(group, *at);
        scratch_.plans.refresh(core_);
        const CommandPlan& plan = scratch_.plans.get(core_, scratch_.fold, group.entity, at->table(), scratch_.list);
        switch (plan.kind) {
        case CommandPlan::Kind::any:
            return change_any(group, *at);
        case CommandPlan::Kind::one_by_one:
            return change_one_by_one(group);
        case CommandPlan::Kind::fresh:
            destroys = plan.destroys;
            return plan.throws ? spawn_one(group, plan) : spawn_run(groups, plan);
        case CommandPlan::Kind::values:
        case CommandPlan::Kind::move:
            break;
        }
        destroys = plan.destroys;
        return change_planned(group, *at, plan);
    }
    /// The commands of later groups of the entity in this phase. True: it ends, and nothing relates to it meanwhile.
    SLOTWISE_NEVER_INLINE bool take_later(const CommandGroup& group, bool changes) {
        for (CommandGroup* each = batch_->later(group); each != nullptr; each = batch_->later(*each)) {
            if (each->despawned()) {
                if (changes && group.spawned()) each->set_spawned();
                return changes;
            }
            if (changes)
                take_commands(*each);
            else
                dropped_ += each->count();
        }
        return false;
    }
    void take_commands(const CommandGroup& group) {
        CommandBatch::for_each_command(group, [&](Command* command) { scratch_.list.push_back(command); });
    }

    std::size_t change_any(const CommandGroup& group, EntityLocation at) {
        CommandFold& fold = scratch_.fold;
        if (!fold.run(core_, scratch_.list, group.entity, at)) return change_one_by_one(group);
        dropped_ += fold.dropped;
        const Change what{fold.added.span(), fold.removed.span(), fold.values, true};
        if (group.spawned())
            spawn_reserved(core_, group.entity, what);
        else if (!fold.added.empty() || !fold.removed.empty())
            change(core_, group.entity, what, TargetsAre::spawned_too);
        return 1;
    }
    /// As the calls of the store would.
    std::size_t change_one_by_one(const CommandGroup& group) {
        if (group.spawned()) spawn_reserved(core_, group.entity, {});
        for (Command* const command : scratch_.list) {
            const CommandShape& shape = *command->shape;
            if (scratch_.fold.has_dead_target(core_, *command)) {
                ++dropped_;
                continue;
            }
            PlainVector<ComponentId>& ids = scratch_.ids;
            ids.clear();
            scratch_.values.clear();
            const std::size_t count = command->count();
            for (std::size_t i = 0; i != count; ++i) {
                const ComponentId id = command->id(i);
                if (id.has_any_target()) {
                    append_pairs(core_, group.entity, id.relation_number(), ids);
                    continue;
                }
                ids.push_back(id);
                if (shape.list || shape.kind == CommandKind::remove) continue;
                const CommandItem& item = shape.items[i];
                const bool has_value = item.offset != CommandItem::no_value;
                const bool sets = shape.kind == CommandKind::set;
                if (has_value || sets)
                    scratch_.values.push_back({id, has_value ? AnyValue::moved(command->value(item)) : AnyValue(), sets});
            }
            IdSets::sort_set(ids);
            const std::span<const ComponentId> none;
            const bool removes = shape.kind == CommandKind::remove;
            change(core_, group.entity, {removes ? none : ids.span(), removes ? ids.span() : none, scratch_.values},
                   TargetsAre::spawned_too);
        }
        return 1;
    }
    std::size_t change_planned(const CommandGroup& group, EntityLocation& at, const CommandPlan& plan) {
        const StoreChanging changing(core_);
        Table& table = core_.table(at);
        for (const CommandSource& each : plan.assigned) {
            if (each.type != nullptr) {
                void* const to = table.value(each.column, at.row());
                void* const value = each.value(scratch_.list.data());
                if (each.type->trivial)
                    copy_bytes(to, value, each.type->size);
                else
                    AnyValue::moved(value).assign(*each.type, to);
            }
            if (each.ticks >= 0) table.ticks(static_cast<std::size_t>(each.ticks))->mark(at.row(), core_.tick);
        }
        if (plan.kind == CommandPlan::Kind::move)
            move_row(core_, at, table, plan.to, core_.tables[plan.to], *plan.map,
                     [&](std::size_t column, void* to) { build(plan.built[column], to); });
        static_cast<void>(group);
        return 1;
    }
    std::size_t spawn_one(const CommandGroup& group, const CommandPlan& plan) {
        const StoreChanging changing(core_);
        add_row(core_, group.entity, plan.to, core_.tables[plan.to],
                [&](std::size_t column, void* to) { build(plan.built[column], to); });
        --core_.without_row;
        return 1;
    }
    void build(const CommandSource& from, void* to) const {
        (from.command == CommandSource::by_default ? AnyValue() : AnyValue::moved(from.value(scratch_.list.data())))
            .build(*from.type, to);
    }
    /// New entities whose values move without a throw: the rows of all of them at once.
    std::size_t spawn_run(std::span<CommandGroup> groups, const CommandPlan& plan) {
        const std::size_t each = plan.shapes.size();
        scratch_.entities.clear();
        scratch_.entities.push_back(groups[0].entity);
        EntityLocation* places[most_at_once] = {core_.entities.location(groups[0].entity)};
        std::size_t count = 1;
        for (; count != groups.size() && count != most_at_once; ++count) {
            const CommandGroup& group = groups[count];
            if (!group.spawned() || group.despawned() || group.later != 0) break;
            take_commands(group);
            EntityLocation* const at = places[count] = core_.entities.location(group.entity);
            if (!may_change(group, at) || !plan.fits(no_slot, std::span(scratch_.list).subspan(count * each))) break;
            scratch_.entities.push_back(group.entity);
        }
        const StoreChanging changing(core_);
        core_.before_row(plan.to, core_.tables[plan.to]);
        const slot_t first =
            core_.tables[plan.to].append(scratch_.entities, core_.tick, [&](std::size_t column, void* to, std::size_t n) {
                fill(plan.built[column], each, to, n);
            });
        for (std::size_t i = 0; i != count; ++i) places[i]->set(plan.to, first + static_cast<slot_t>(i));
        core_.without_row -= count;
        return count;
    }
    void fill(const CommandSource& from, std::size_t each, void* to, std::size_t n) const noexcept {
        const std::size_t size = from.type->size;
        auto* value = static_cast<std::byte*>(to);
        Command* const* list = scratch_.list.data();
        for (std::size_t i = 0; i != n; ++i, value += size, list += each)
            if (from.type->trivial)
                copy_bytes(value, from.value(list), size);
            else
                AnyValue::moved(from.value(list)).build(*from.type, value);
    }
    void end(const CommandGroup& group) {
        const EntityLocation* const at = core_.entities.location(group.entity);
        if (group.is_void() || at == nullptr || !(at->has_row() || group.spawned()))
            dropped_ += group.count();
        else if (at->has_row())
            despawn(core_, group.entity, !at->is_target() || !batch_->spawns(group.entity));
        else
            end_unused(core_, group.entity);
    }

    StoreCore& core_;
    CommandScratch& scratch_;
    std::size_t& dropped_;
    CommandBatch* batch_ = nullptr;
};

} // namespace detail
SLOTWISE_END

#endif
