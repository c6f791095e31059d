// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandPlan: what a list of commands does to the row of an entity, found out once and then carried out for each entity.
#ifndef SLOTWISE_ECS_COMMAND_PLAN_HPP
#define SLOTWISE_ECS_COMMAND_PLAN_HPP

#include "command_fold.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A value in a command, and where it goes.
struct CommandSource {
    static constexpr std::uint32_t by_default = ~std::uint32_t{0};

    std::uint32_t column = 0;
    std::uint32_t command = by_default; ///< its place in the list
    std::uint32_t offset = 0;
    std::int32_t ticks = -1;              ///< the place of the component in the table, if it is tracked
    const TypeDescriptor* type = nullptr; ///< null: a tag, whose ticks only are marked

    void* value(Command* const* list) const noexcept { return static_cast<std::byte*>(list[command]->payload()) + offset; }
};

/// What a list of commands with these shapes does to an entity of this table.
struct CommandPlan {
    enum class Kind : std::uint8_t { any, one_by_one, fresh, values, move };

    std::vector<const CommandShape*> shapes{};
    slot_t from = no_slot;
    slot_t to = no_slot;
    Kind kind = Kind::any; ///< any: folded for each entity anew; one_by_one: see CommandFold::run
    bool destroys = false; ///< values are to be destroyed afterwards
    bool throws = false;   ///< building a value may throw
    const RowMap* map = nullptr;
    std::vector<CommandSource> built{};    ///< for each column of the destination; those of map->built() are used
    std::vector<CommandSource> assigned{}; ///< to values that are there

    bool fits(slot_t table, std::span<Command* const> list) const noexcept {
        if (table != from || list.size() != shapes.size()) return false;
        for (std::size_t i = 0; i != list.size(); ++i)
            if (list[i]->shape != shapes[i]) return false;
        return true;
    }
};

/// The plans of a buffer, by table and shapes. They hold until a table is erased.
class CommandPlans {
public:
    void swap(CommandPlans& other) noexcept {
        known_.swap(other.known_);
        plans_.swap(other.plans_);
        std::swap(erased_, other.erased_);
        std::swap(last_, other.last_);
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = known_.memory_usage() + memory_of_vector(plans_);
        for (const CommandPlan& each : plans_)
            bytes += memory_of_vector(each.shapes) + memory_of_vector(each.built) + memory_of_vector(each.assigned);
        return bytes;
    }
    /// Drops the plans that were made before tables were erased, and all if they are many.
    void refresh(const StoreCore& core) {
        if (erased_ == core.tables.erased() && plans_.size() < 1024) return;
        CommandPlans none;
        swap(none);
        erased_ = core.tables.erased();
    }
    /// The plan for these commands of an entity of this table (no_slot: a new one). It stays until the next call.
    /// @throws what makes tables, and the allocator
    SLOTWISE_ALWAYS_INLINE const CommandPlan& get(StoreCore& core, CommandFold& fold, Entity entity, slot_t table,
                                                  std::span<Command* const> list) {
        if (last_ < plans_.size() && plans_[last_].fits(table, list)) [[likely]]
            return plans_[last_];
        return find(core, fold, entity, table, list);
    }

private:
    const CommandPlan& find(StoreCore& core, CommandFold& fold, Entity entity, slot_t table, std::span<Command* const> list) {
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
    static CommandPlan make(StoreCore& core, CommandFold& fold, Entity entity, slot_t table, std::span<Command* const> list) {
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
        if (!fresh) {
            const Table& from = core.tables[table];
            for (const CommandOutcome& each : fold.outcomes) {
                const std::int32_t place = from.place_of(each.id), column = from.column_of(each.id);
                if (!each.assigns || place < 0) continue;
                const bool tracked = from.ticks(static_cast<std::size_t>(place)) != nullptr;
                if (!tracked && column < 0) continue;
                plan.assigned.push_back({static_cast<std::uint32_t>(column), each.command, each.offset, tracked ? place : -1,
                                         column < 0 ? nullptr : &from.type(static_cast<std::size_t>(column))});
            }
        }
        plan.kind = fresh ? CommandPlan::Kind::fresh : plan.to == table ? CommandPlan::Kind::values : CommandPlan::Kind::move;
        return plan;
    }
    // Whether all that the commands name is in tables, and is no pair.
    static bool is_of_tables(const ComponentRegistry& registry, const CommandShape& shape) {
        if (shape.pair || shape.list) return false;
        for (const CommandItem& item : shape.items) {
            if (is_outside(registry, item.id)) return false;
            for (const ComponentId companion : registry.with_closure(item.id))
                if (companion.is_pair() || is_outside(registry, companion)) return false;
        }
        return true;
    }

    NumberTable known_{};
    std::vector<CommandPlan> plans_{};
    std::uint64_t erased_ = 0;
    std::size_t last_ = 0; // the plan that was used last
};

} // namespace detail
SLOTWISE_END

#endif
