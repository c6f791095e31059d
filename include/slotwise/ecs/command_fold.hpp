// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandFold: what all commands of an entity come to.
#ifndef SLOTWISE_ECS_COMMAND_FOLD_HPP
#define SLOTWISE_ECS_COMMAND_FOLD_HPP

#include "command_batch.hpp"
#include "store_change.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What all commands of an entity come to for one component.
struct CommandOutcome {
    static constexpr std::uint32_t no_command = ~std::uint32_t{0};

    ComponentId id{};
    bool added = false;                 ///< else it is removed
    bool assigns = false;               ///< the value replaces one that is there
    bool has_values = false;            ///< the type has values
    std::uint32_t command = no_command; ///< where the value is; no_command: it is built by default
    std::uint32_t offset = 0;
    std::size_t order = 0; ///< among what was recorded about the entity
};

/// Folds the commands of one entity into a change. Its arrays are used again and again.
class CommandFold {
public:
    std::vector<CommandOutcome> outcomes{};
    PlainVector<ComponentId> added{}, removed{}; ///< ascending
    PlainVector<ComponentId> removed_later{};    ///< ascending; what `added` brings along and was removed after it
    std::vector<ComponentValue> values{};
    std::size_t dropped = 0; ///< pairs whose target does not live

    void swap(CommandFold& other) noexcept {
        outcomes.swap(other.outcomes);
        added.swap(other.added);
        removed.swap(other.removed);
        removed_later.swap(other.removed_later);
        values.swap(other.values);
    }
    std::size_t memory_usage() const noexcept {
        return memory_of(added, removed, removed_later) + memory_of_vector(outcomes) + memory_of_vector(values);
    }
    /// The next entities are those of this batch.
    void begin(const CommandBatch& batch) noexcept { batch_ = &batch; }
    /// @pre begin() @throws what the allocator throws
    void run(StoreCore& core, std::span<Command* const> list, Entity entity, EntityLocation at) {
        outcomes.clear();
        dropped = 0;
        order_ = 0;
        for (std::uint32_t i = 0; i != list.size(); ++i)
            for (std::size_t item = 0; item != list[i]->shape->items.size(); ++item) add(core, list, i, item, entity, at);
        split(core.registry, list);
    }

private:
    /// Another buffer may have taken it, too: only what this one spawns will live for sure.
    bool will_live(const StoreCore& core, Entity target) const noexcept {
        return core.entities.location(target) != nullptr && batch_->spawns(target);
    }
    void add(StoreCore& core, std::span<Command* const> list, std::uint32_t number, std::size_t i, Entity entity,
             EntityLocation at) {
        const CommandShape& shape = *list[number]->shape;
        const CommandItem& item = shape.items[i];
        const ComponentId id = shape.id(i, list[number]->payload());
        ++order_;
        if (shape.kind == CommandKind::remove) {
            if (id.has_any_target())
                remove_others(core, entity, at, id);
            else
                outcome(id) = CommandOutcome{.id = id, .order = order_};
            return;
        }
        if (id.target() && !core.is_alive(id.target()) && !will_live(core, id.target())) {
            ++dropped;
            return;
        }
        if (shape.pair && core.registry.traits(id).exclusive) remove_others(core, entity, at, id);
        CommandOutcome& of = outcome(id);
        if (shape.kind == CommandKind::add && of.added) return; // what is there stays
        const bool replaced = of.id && !of.added;
        of = CommandOutcome{id, true, replaced || shape.kind == CommandKind::set, item.type != nullptr};
        of.order = order_;
        if (item.offset == CommandItem::no_value) return;
        of.command = number;
        of.offset = item.offset;
    }
    // The outcome of a component, made if there is none.
    CommandOutcome& outcome(ComponentId id) {
        for (CommandOutcome& each : outcomes)
            if (each.id == id) return each;
        outcomes.push_back(CommandOutcome{});
        return outcomes.back();
    }
    // Removes all pairs of the relation but `id`.
    void remove_others(const StoreCore& core, Entity entity, EntityLocation at, ComponentId id) {
        const auto remove = [&](ComponentId other) {
            if (other.relation_number() == id.relation_number() && other != id) outcome(other) = CommandOutcome{.id = other};
        };
        for (std::size_t i = 0; i != outcomes.size(); ++i) remove(outcomes[i].id);
        if (!at.has_row()) return;
        for (const ComponentId other : core.table(at).ids()) remove(other);
        if (const Entity target = core.outside.target(entity, id.relation_number()))
            remove(pair(core.registry.id(id.relation_number()), target));
    }
    // Outcomes as a change.
    void split(const ComponentRegistry& registry, std::span<Command* const> list) {
        added.clear();
        removed.clear();
        removed_later.clear();
        values.clear();
        for (const CommandOutcome& each : outcomes) {
            if (!each.added) {
                insert_sorted(comes_along_before(registry, each) ? removed_later : removed, each.id);
                continue;
            }
            insert_sorted(added, each.id);
            if (each.has_values) values.push_back({each.id, value_of(list, each), each.assigns});
        }
    }
    static AnyValue value_of(std::span<Command* const> list, const CommandOutcome& of) noexcept {
        if (of.command == CommandOutcome::no_command) return AnyValue();
        return AnyValue::moved(static_cast<std::byte*>(list[of.command]->payload()) + of.offset);
    }
    // Whether something that was added earlier brings the component along that is removed.
    bool comes_along_before(const ComponentRegistry& registry, const CommandOutcome& gone) const {
        for (const CommandOutcome& each : outcomes)
            if (each.added && each.order < gone.order && IdSets::contains(registry.with_closure(each.id), gone.id)) return true;
        return false;
    }

    const CommandBatch* batch_ = nullptr;
    std::size_t order_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
