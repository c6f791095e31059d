// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of command_apply.hpp, and CommandApply, which carries commands out.
#ifndef SLOTWISE_ECS_DETAIL_COMMAND_APPLY_INL_HPP
#define SLOTWISE_ECS_DETAIL_COMMAND_APPLY_INL_HPP

#include "command_apply.hpp"
#include "store_core.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE CommandScratch::CommandScratch() noexcept = default;
SLOTWISE_INLINE CommandScratch::~CommandScratch() = default;

/// Carries out batches, one change for each entity.
class CommandApply {
public:
    /// @param dropped is increased by the number of commands that are dropped
    CommandApply(StoreCore& core, CommandScratch& scratch, std::size_t& dropped) noexcept
        : core_(core), scratch_(scratch), dropped_(dropped) {}

    /// Carries out a batch, which is empty then. call(f) is called for each CommandCall, while nothing changes the store.
    /// @throws see CommandBuffer: the rest stays in the batch
    template <class Call>
    void run(CommandBatch& batch, Call&& call) {
        batch_ = &batch;
        scratch_.fold.begin(batch);
        batch.find_target_barriers();
        run_up_to_call(batch);
        while (batch.has_call()) {
            call(batch.take_call());
            run_up_to_call(batch);
        }
        batch.reset();
    }

private:
    static constexpr std::size_t most_at_once = 256; // entities of a run: their commands fit in the L1 cache

    void run_up_to_call(CommandBatch& batch) {
        const bool any_pairs = batch.ends_any() && this->any_pairs();
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
    }
    /// Whether any entity may be the target of another one.
    bool any_pairs() const {
        bool any_outside = false;
        for (const std::uint32_t number : core_.sparse.numbers()) {
            const SparseComponents::Targets* const targets = core_.sparse.targets(number);
            const SparsePairs* const pairs = core_.sparse.pairs(number);
            any_outside = any_outside || (targets != nullptr && !targets->empty()) || (pairs != nullptr && !pairs->empty());
        }
        return any_outside || core_.tables.index().count(pair(any, any)) != 0;
    }
    /// Whether the entity of the group lives, or is a new one that has not been spawned yet.
    static bool may_change(const CommandGroup& group, const EntityLocation* at) noexcept {
        return at != nullptr && !group.is_void() && at->has_row() != group.spawned();
    }
    /// Carries out the first of these groups with the later groups of its entity, and with it the next groups of new entities
    /// that have the same plan. Returns the number of groups.
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
        if (core_.hooks.any()) [[unlikely]]
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
            if (plan.copies && group.later == 0) {
                destroys = false;
                return assign_run(groups, *at, plan);
            }
            break;
        case CommandPlan::Kind::move:
            break;
        }
        destroys = plan.destroys;
        return change_planned(*at, plan);
    }
    /// Takes the commands of the entity's later groups in this phase. Returns true if one of them despawns it, so that nothing
    /// needs to change before.
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

    /// Folds the commands and makes the change.
    std::size_t change_any(const CommandGroup& group, EntityLocation at) {
        CommandFold& fold = scratch_.fold;
        if (!fold.run(core_, scratch_.list, group.entity, at)) return change_one_by_one(group);
        dropped_ += fold.dropped;
        const Change what{fold.added.span(), fold.removed.span(), fold.values, true};
        if (group.spawned())
            core_.spawn_reserved(group.entity, what);
        else if (!fold.added.empty() || !fold.removed.empty())
            core_.change(group.entity, what, TargetsAre::spawned_too);
        return 1;
    }
    /// Carries out each command as the same call of the store.
    std::size_t change_one_by_one(const CommandGroup& group) {
        if (group.spawned()) core_.spawn_reserved(group.entity, {});
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
                    core_.append_pairs(group.entity, id.relation_number(), ids);
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
            core_.change(group.entity, {removes ? none : ids.span(), removes ? ids.span() : none, scratch_.values},
                         TargetsAre::spawned_too);
        }
        return 1;
    }
    /// Assigns values to the row, and moves it if the plan does.
    std::size_t change_planned(EntityLocation& at, const CommandPlan& plan) {
        const StoreCore::Changing changing(core_, "apply");
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
            core_.move_row(at, table, plan.to, core_.tables[plan.to], *plan.map,
                           [&](std::size_t column, void* to) { build(plan.built[column], to); });
        return 1;
    }
    /// Assigns values to the rows of the first groups that have this plan. Returns their number.
    /// @pre plan.copies, and the first group has
    std::size_t assign_run(std::span<CommandGroup> groups, EntityLocation at, const CommandPlan& plan) {
        const StoreCore::Changing changing(core_, "apply");
        Table& table = core_.table(at);
        const CommandShape* const shape = plan.shapes[0];
        for (std::size_t count = 0;;) {
            Command* const command = groups[count].last;
            for (const CommandSource& each : plan.assigned) {
                if (each.type != nullptr) copy_bytes(table.value(each.column, at.row()), each.value(&command), each.type->size);
                if (each.ticks >= 0) table.ticks(static_cast<std::size_t>(each.ticks))->mark(at.row(), core_.tick);
            }
            if (++count == groups.size()) return count;
            const CommandGroup& group = groups[count];
            if (!group.is_only(shape)) return count;
            const EntityLocation* const next = core_.entities.location(group.entity);
            if (next == nullptr || !next->has_row() || next->table() != plan.from) return count;
            at = *next;
        }
    }
    /// Spawns an entity with values whose construction may throw.
    std::size_t spawn_one(const CommandGroup& group, const CommandPlan& plan) {
        const StoreCore::Changing changing(core_, "apply");
        core_.add_row(group.entity, plan.to, core_.tables[plan.to],
                      [&](std::size_t column, void* to) { build(plan.built[column], to); });
        --core_.without_row;
        return 1;
    }
    void build(const CommandSource& from, void* to) const {
        (from.command == CommandSource::by_default ? AnyValue() : AnyValue::moved(from.value(scratch_.list.data())))
            .build(*from.type, to);
    }
    /// Spawns the entities of the first groups that have this plan, all rows at once. Returns their number.
    /// @pre no construction of a value throws
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
        const StoreCore::Changing changing(core_, "apply");
        core_.before_row(plan.to, core_.tables[plan.to]);
        const slot_t first =
            core_.tables[plan.to].append(scratch_.entities, core_.tick, [&](std::size_t column, void* to, std::size_t n) {
                fill(plan.built[column], each, to, n);
            });
        for (std::size_t i = 0; i != count; ++i) places[i]->set(plan.to, first + static_cast<slot_t>(i));
        core_.without_row -= count;
        return count;
    }
    /// Builds `n` values of a column. @param each commands of each entity
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
    /// Despawns the entity of the group, or drops its commands.
    void end(const CommandGroup& group) {
        const EntityLocation* const at = core_.entities.location(group.entity);
        if (group.is_void() || at == nullptr || !(at->has_row() || group.spawned()))
            dropped_ += group.count();
        else if (at->has_row())
            core_.despawn(group.entity, !at->is_target() || !batch_->spawns(group.entity));
        else
            core_.end_unused(group.entity);
    }

    StoreCore& core_;
    CommandScratch& scratch_;
    std::size_t& dropped_;
    CommandBatch* batch_ = nullptr;
};

SLOTWISE_INLINE std::size_t CommandFold::memory_usage() const noexcept {
    return memory_of(added, removed, mentions_, triggers_) + memory_of_vector(outcomes) + memory_of_vector(values);
}

SLOTWISE_INLINE bool CommandFold::has_dead_target(const StoreCore& core, const Command& command) const noexcept {
    const CommandShape& shape = *command.shape;
    if (shape.kind == CommandKind::remove || !(shape.pair || shape.list)) return false;
    for (std::size_t i = 0; i != command.count(); ++i)
        if (const Entity target = command.id(i).target();
            target && !core.is_alive(target) && !(core.entities.location(target) != nullptr && batch_->spawns(target)))
            return true;
    return false;
}

SLOTWISE_INLINE bool CommandFold::run(StoreCore& core, std::span<Command* const> list, Entity entity, EntityLocation at) {
    outcomes.clear();
    added.clear();
    removed.clear();
    values.clear();
    triggers_.clear();
    find_mentions(core, list);
    if (list.size() == 1) return take_one(core, list, entity);
    const std::size_t count = mentions_.size();
    for (std::size_t first = 0, last; first != count; first = last) {
        const ComponentId id = mentions_[first].id;
        for (last = first + 1; last != count && mentions_[last].id == id;) ++last;
        if (id.is_pair() && !is_alone(core, first)) return false;
        if (id.has_any_target())
            core.append_pairs(entity, id.relation_number(), removed);
        else if (!fold(core, list, {mentions_.data() + first, last - first}, at.has_row() && core.has_at(at, entity, id)))
            return false;
    }
    for (const Mention& trigger : triggers_)
        if (!companions_come(core, list, trigger, entity, at)) return false;
    return true;
}

SLOTWISE_INLINE void CommandFold::find_mentions(const StoreCore& core, std::span<Command* const> list) {
    mentions_.clear();
    dropped = 0;
    for (std::uint32_t number = 0; number != list.size(); ++number) {
        const Command& command = *list[number];
        if (has_dead_target(core, command)) {
            ++dropped;
            continue;
        }
        const auto ids = static_cast<std::uint32_t>(command.count());
        for (std::uint32_t item = 0; item != ids; ++item) mentions_.push_back({command.id(item), number, item});
    }
    const auto less = [](const Mention& a, const Mention& b) { return a.id < b.id || (a.id == b.id && a.command < b.command); };
    for (std::size_t i = 1; i < mentions_.size(); ++i)
        if (!less(mentions_[i - 1], mentions_[i])) return IdSets::sort(mentions_.data(), mentions_.size(), less);
}

SLOTWISE_INLINE bool CommandFold::take_one(const StoreCore& core, std::span<Command* const> list, Entity entity) {
    const CommandKind kind = list[0]->shape->kind;
    for (const Mention& each : mentions_)
        if (each.id.has_any_target())
            core.append_pairs(entity, each.id.relation_number(), removed);
        else if (kind == CommandKind::remove)
            removed.push_back(each.id);
        else
            put(list, each, kind == CommandKind::set);
    return true;
}

SLOTWISE_INLINE bool CommandFold::is_alone(const StoreCore& core, std::size_t at) const {
    const ComponentId id = mentions_[at].id;
    if (!id.has_any_target() && !core.registry.traits(id).exclusive) return true;
    const auto other = [&](std::size_t i) {
        return mentions_[i].id.relation_number() == id.relation_number() && mentions_[i].command != mentions_[at].command;
    };
    return !(at != 0 && other(at - 1)) && !(at + 1 != mentions_.size() && other(at + 1));
}

SLOTWISE_INLINE bool CommandFold::fold(const StoreCore& core, std::span<Command* const> list, std::span<const Mention> mentions,
                                       bool had) {
    const ComponentId id = mentions[0].id;
    const bool brings = !core.registry.with_closure(id).empty();
    const Mention *value = nullptr, *trigger = nullptr; // with the final value; the one that adds companions
    bool present = had, set = false;
    for (const Mention& each : mentions) {
        const CommandKind kind = list[each.command]->shape->kind;
        if (kind == CommandKind::remove) {
            if (present && (had ? set : brings)) return false;
            present = set = false;
            value = trigger = nullptr;
            continue;
        }
        if (!present && had) return false;
        if (!present) trigger = &each;
        if (!present || kind == CommandKind::set) value = &each;
        present = true;
        set = set || kind == CommandKind::set;
    }
    if (trigger != nullptr && brings) triggers_.push_back(*trigger);
    if (!present && had) removed.push_back(id);
    if (present && value != nullptr) put(list, *value, set);
    return true;
}

SLOTWISE_INLINE void CommandFold::put(std::span<Command* const> list, const Mention& from, bool set) {
    CommandOutcome of{.id = from.id, .assigns = set};
    Command& command = *list[from.command];
    AnyValue value;
    if (!command.shape->list)
        if (const CommandItem& item = command.shape->items[from.item]; item.offset != CommandItem::no_value) {
            of.command = from.command;
            of.offset = item.offset;
            value = AnyValue::moved(command.value(item));
        }
    if (set || of.command != CommandOutcome::no_command) values.push_back({of.id, value, set});
    outcomes.push_back(of);
    added.push_back(of.id);
}

SLOTWISE_INLINE bool CommandFold::companions_come(const StoreCore& core, std::span<Command* const> list, const Mention& trigger,
                                                  Entity entity, EntityLocation at) const {
    for (const ComponentId id : core.registry.with_closure(trigger.id)) {
        if (id.is_pair()) return false; // it may replace another one
        bool present = at.has_row() && core.has_at(at, entity, id);
        std::size_t i = IdSets::partition_point(mentions_.size(), [&](std::size_t k) { return mentions_[k].id < id; });
        for (; i != mentions_.size() && mentions_[i].id == id; ++i) {
            const CommandKind kind = list[mentions_[i].command]->shape->kind;
            if (kind == CommandKind::remove) return false;
            if (!present && mentions_[i].command > trigger.command && kind == CommandKind::add) return false;
            present = present || mentions_[i].command <= trigger.command;
        }
    }
    return true;
}

SLOTWISE_INLINE void* CommandSource::value(Command* const* list) const noexcept {
    return static_cast<std::byte*>(list[command]->payload()) + offset;
}

SLOTWISE_INLINE bool CommandPlan::fits(slot_t table, std::span<Command* const> list) const noexcept {
    if (table != from || list.size() != shapes.size()) return false;
    for (std::size_t i = 0; i != list.size(); ++i)
        if (list[i]->shape != shapes[i]) return false;
    return true;
}

SLOTWISE_INLINE void CommandPlans::swap(CommandPlans& other) noexcept {
    known_.swap(other.known_);
    plans_.swap(other.plans_);
    std::swap(erased_, other.erased_);
    std::swap(last_, other.last_);
}

SLOTWISE_INLINE std::size_t CommandPlans::memory_usage() const noexcept {
    std::size_t bytes = known_.memory_usage() + memory_of_vector(plans_);
    for (const CommandPlan& each : plans_)
        bytes += memory_of_vector(each.shapes) + memory_of_vector(each.built) + memory_of_vector(each.assigned);
    return bytes;
}

SLOTWISE_INLINE void CommandPlans::refresh(const StoreCore& core) {
    if (erased_ == core.tables.erased() && plans_.size() < 1024) return;
    CommandPlans none;
    swap(none);
    erased_ = core.tables.erased();
}

SLOTWISE_INLINE const CommandPlan& CommandPlans::find(StoreCore& core, CommandFold& fold, Entity entity, slot_t table,
                                                      std::span<Command* const> list) {
    std::uint64_t key = mix_bits(table);
    for (const Command* const command : list) key = mix_bits(key ^ command->shape->number);
    const auto fits = [&](std::uint64_t number) { return plans_[bits::to_size(number) - 1].fits(table, list); };
    std::uint64_t number = known_.find(key, fits);
    if (number == 0) {
        known_.reserve_one();
        plans_.push_back(make(core, fold, entity, table, list));
        number = plans_.size();
        known_.insert(key, number);
    }
    last_ = bits::to_size(number) - 1;
    return plans_[last_];
}

SLOTWISE_INLINE CommandPlan CommandPlans::make(StoreCore& core, CommandFold& fold, Entity entity, slot_t table,
                                               std::span<Command* const> list) {
    CommandPlan plan;
    plan.from = table;
    for (const Command* const command : list) plan.shapes.push_back(command->shape);
    for (const Command* const command : list) {
        plan.destroys = plan.destroys || command->shape->destroys;
        plan.throws = plan.throws || command->shape->throws;
        if (!is_of_tables(core.registry, *command->shape)) return plan;
    }
    if (!fold.run(core, list, entity, *core.entities.location(entity))) {
        plan.kind = CommandPlan::Kind::one_by_one;
        plan.destroys = true;
        return plan;
    }
    const bool fresh = table == no_slot;
    const auto step = core.tables.change(fresh ? ArchetypeTables::root() : table, fold.added.span(), fold.removed.span());
    plan.to = step.table;
    plan.map = step.map;
    const Table& to = core.tables[plan.to];
    for (std::uint32_t column = 0; column != to.column_count(); ++column) {
        plan.built.push_back({.column = column, .type = &to.type(column)});
        CommandSource& source = plan.built.back();
        for (const CommandOutcome& each : fold.outcomes)
            if (each.id == to.column_id(column)) {
                source.command = each.command;
                source.offset = each.offset;
            }
        plan.throws = plan.throws || source.command == CommandSource::by_default;
    }
    plan.copies = list.size() == 1 && !plan.destroys;
    if (!fresh) {
        const Table& from = core.tables[table];
        for (const CommandOutcome& each : fold.outcomes) {
            const std::int32_t place = from.place_of(each.id), column = from.column_of(each.id);
            if (!each.assigns || place < 0) continue;
            const bool tracked = from.ticks(static_cast<std::size_t>(place)) != nullptr;
            if (!tracked && column < 0) continue;
            plan.copies = plan.copies && (column < 0 || from.type(static_cast<std::size_t>(column)).trivial);
            plan.assigned.push_back({static_cast<std::uint32_t>(column), each.command, each.offset, tracked ? place : -1,
                                     column < 0 ? nullptr : &from.type(static_cast<std::size_t>(column))});
        }
    }
    plan.kind = fresh ? CommandPlan::Kind::fresh : plan.to == table ? CommandPlan::Kind::values : CommandPlan::Kind::move;
    return plan;
}

SLOTWISE_INLINE bool CommandPlans::is_of_tables(const ComponentRegistry& registry, const CommandShape& shape) {
    if (shape.pair || shape.list) return false;
    for (const CommandItem& item : shape.items) {
        if (is_sparse(registry, item.id)) return false;
        for (const ComponentId companion : registry.with_closure(item.id))
            if (companion.is_pair() || is_sparse(registry, companion)) return false;
    }
    return true;
}

SLOTWISE_INLINE std::size_t CommandScratch::memory_usage() const noexcept {
    return memory_of(fold, plans, ids) + memory_of_vector(list) + memory_of_vector(entities) + memory_of_vector(values);
}

SLOTWISE_INLINE CommandRecords::CommandRecords() = default;
SLOTWISE_INLINE CommandRecords::~CommandRecords() = default;

SLOTWISE_INLINE void CommandRecords::give_to(const StoreCore& core) noexcept {
    destroy = [](SpareRecords* object) noexcept { delete static_cast<CommandRecords*>(object); };
    usage = [](const SpareRecords& object) noexcept { return static_cast<const CommandRecords&>(object).memory_usage(); };
    core.spare_records.give(this);
}

SLOTWISE_INLINE bool CommandRecords::serves_others() const noexcept {
    constexpr std::size_t most_bytes = std::size_t{1} << 17;
    return shapes.serves_others() && scratch.plans.size() <= 256 &&
           recorded.memory_usage() + applied.memory_usage() + ids.memory_usage() <= most_bytes;
}

SLOTWISE_INLINE std::size_t CommandRecords::memory_usage() const noexcept {
    return sizeof *this + memory_of(shapes, recorded, applied, ids, scratch);
}

} // namespace detail

SLOTWISE_END

#endif
