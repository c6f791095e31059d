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

/// What all commands of an entity come to for one component that it gets, or is given a value of.
struct CommandOutcome {
    static constexpr std::uint32_t no_command = ~std::uint32_t{0};

    ComponentId id{};
    bool assigns = false;               ///< a command sets it
    std::uint32_t command = no_command; ///< where the value is; no_command: it is built by default
    std::uint32_t offset = 0;
};

/// Folds the commands of one entity into a change that leaves what they would leave one after the other. There are commands
/// that have no such change, see one_by_one. Its arrays are used again and again.
class CommandFold {
public:
    std::vector<CommandOutcome> outcomes{};      ///< ascending
    PlainVector<ComponentId> added{}, removed{}; ///< ascending
    std::vector<ComponentValue> values{};        ///< ascending
    std::size_t dropped = 0;                     ///< commands that relate to a target that does not live

    void swap(CommandFold& other) noexcept {
        outcomes.swap(other.outcomes);
        added.swap(other.added);
        removed.swap(other.removed);
        values.swap(other.values);
        mentions_.swap(other.mentions_);
        triggers_.swap(other.triggers_);
    }
    std::size_t memory_usage() const noexcept {
        return memory_of(added, removed, mentions_, triggers_) + memory_of_vector(outcomes) + memory_of_vector(values);
    }
    /// The next entities are those of this batch.
    void begin(const CommandBatch& batch) noexcept { batch_ = &batch; }
    /// Whether a command relates to a target that does not live. Another buffer may have taken it, too: only what this one
    /// spawns will live for sure. @pre begin()
    bool has_dead_target(const StoreCore& core, const Command& command) const noexcept {
        const CommandShape& shape = *command.shape;
        if (shape.kind == CommandKind::remove || !(shape.pair || shape.list)) return false;
        for (std::size_t i = 0; i != command.count(); ++i)
            if (const Entity target = command.id(i).target();
                target && !core.is_alive(target) && !(core.entities.location(target) != nullptr && batch_->spawns(target)))
                return true;
        return false;
    }
    /// False: the commands must be carried out one by one, because one of them meets what another one has done, in a way that
    /// a single move cannot leave behind: an id that the entity has goes and comes again, or goes after it was set; companions
    /// are named by other commands too; several commands are about one exclusive relation, or all pairs of a relation.
    /// @pre begin() @throws what the allocator throws
    bool run(StoreCore& core, std::span<Command* const> list, Entity entity, EntityLocation at) {
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
                append_pairs(core, entity, id.relation_number(), removed);
            else if (!fold(core, list, {mentions_.data() + first, last - first}, at.has_row() && has_at(core, at, entity, id)))
                return false;
        }
        for (const Mention& trigger : triggers_)
            if (!companions_come(core, list, trigger, entity, at)) return false;
        return true;
    }

private:
    // An id in a command.
    struct Mention {
        ComponentId id;
        std::uint32_t command, item;
    };

    void find_mentions(const StoreCore& core, std::span<Command* const> list) {
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
        const auto less = [](const Mention& a, const Mention& b) {
            return a.id < b.id || (a.id == b.id && a.command < b.command);
        };
        for (std::size_t i = 1; i < mentions_.size(); ++i)
            if (!less(mentions_[i - 1], mentions_[i])) return IdSets::sort(mentions_.data(), mentions_.size(), less);
    }
    // A single command is a change as it is.
    bool take_one(const StoreCore& core, std::span<Command* const> list, Entity entity) {
        const CommandKind kind = list[0]->shape->kind;
        for (const Mention& each : mentions_)
            if (each.id.has_any_target())
                append_pairs(core, entity, each.id.relation_number(), removed);
            else if (kind == CommandKind::remove)
                removed.push_back(each.id);
            else
                put(list, each, kind == CommandKind::set);
        return true;
    }
    // Whether a pair's relation allows several targets, or no other command is about it.
    bool is_alone(const StoreCore& core, std::size_t at) const {
        const ComponentId id = mentions_[at].id;
        if (!id.has_any_target() && !core.registry.traits(id).exclusive) return true;
        const auto other = [&](std::size_t i) {
            return mentions_[i].id.relation_number() == id.relation_number() && mentions_[i].command != mentions_[at].command;
        };
        return !(at != 0 && other(at - 1)) && !(at + 1 != mentions_.size() && other(at + 1));
    }
    // The mentions of one id, in order.
    bool fold(const StoreCore& core, std::span<Command* const> list, std::span<const Mention> mentions, bool had) {
        const ComponentId id = mentions[0].id;
        const bool brings = !core.registry.with_closure(id).empty();
        const Mention *value = nullptr, *trigger = nullptr; // the value that stays; what makes companions come
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
    void put(std::span<Command* const> list, const Mention& from, bool set) {
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
    // Whether the companions of what is added come as they would by that command alone.
    bool companions_come(const StoreCore& core, std::span<Command* const> list, const Mention& trigger, Entity entity,
                         EntityLocation at) const {
        for (const ComponentId id : core.registry.with_closure(trigger.id)) {
            if (id.is_pair()) return false; // it may replace another one
            bool present = at.has_row() && has_at(core, at, entity, id);
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

    const CommandBatch* batch_ = nullptr;
    PlainVector<Mention> mentions_{}; // by id, then in the order of commands
    PlainVector<Mention> triggers_{}; // what is added and brings companions
};

} // namespace detail
SLOTWISE_END

#endif
