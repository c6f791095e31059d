// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// How a store carries out recorded commands: CommandFold finds the one change that the commands of an entity amount to,
// CommandPlans keeps what was found for equal commands, and CommandApply makes the changes.
#ifndef SLOTWISE_ECS_DETAIL_COMMAND_APPLY_HPP
#define SLOTWISE_ECS_DETAIL_COMMAND_APPLY_HPP

#include "command_batch.hpp"
#include "store_core.hpp"

SLOTWISE_BEGIN

namespace detail {

/// What all commands of an entity amount to for one component that is added or set.
struct CommandOutcome {
    static constexpr std::uint32_t no_command = ~std::uint32_t{0};

    ComponentId id{};
    bool assigns = false;               ///< whether a command sets it
    std::uint32_t command = no_command; ///< the command with the value; no_command: a default value is built
    std::uint32_t offset = 0;           ///< of the value in the payload of that command
};

/// Folds the commands of one entity into a change with the same result as the commands one after the other. Some commands have
/// no such change, see run(). The arrays are used again for each entity.
class CommandFold {
public:
    std::vector<CommandOutcome> outcomes{};      ///< ascending
    PlainVector<ComponentId> added{}, removed{}; ///< ascending
    std::vector<ComponentValue> values{};        ///< ascending
    std::size_t dropped = 0;                     ///< commands that relate to a dead target

    std::size_t memory_usage() const noexcept;
    /// Sets the batch to which the next entities belong.
    void begin(const CommandBatch& batch) noexcept { batch_ = &batch; }
    /// Whether a command relates to a target that neither lives nor is spawned by this batch. A target that another buffer has
    /// reserved is dead too, because that buffer may not be applied. @pre begin()
    bool has_dead_target(const StoreCore& core, const Command& command) const noexcept;
    /// Folds the commands in `list`. Returns false if no single move has their result, so that they must be carried out one by
    /// one: a component of the entity is removed and added again, or removed after it was set; a companion is named by another
    /// command too; several commands are about one exclusive relation, or about all pairs of a relation.
    /// @pre begin() @throws what the allocator throws
    bool run(StoreCore& core, std::span<Command* const> list, Entity entity, EntityLocation at);

private:
    // An id that a command names.
    struct Mention {
        ComponentId id;
        std::uint32_t command, item; // places in the list, and in the command
    };

    // Fills mentions_, and counts the commands that are dropped.
    void find_mentions(const StoreCore& core, std::span<Command* const> list);
    // A single command is a change without folding.
    bool take_one(const StoreCore& core, std::span<Command* const> list, Entity entity);
    // Whether a pair's relation allows several targets, or no other command is about it.
    bool is_alone(const StoreCore& core, std::size_t at) const;
    // Folds the mentions of one id. Returns false as run(). @param had whether the entity has the component
    bool fold(const StoreCore& core, std::span<Command* const> list, std::span<const Mention> mentions, bool had);
    // Adds an outcome with the value of this mention.
    void put(std::span<Command* const> list, const Mention& from, bool set);
    // Whether the added component gets the same companions as it would by that command alone.
    bool companions_come(const StoreCore& core, std::span<Command* const> list, const Mention& trigger, Entity entity,
                         EntityLocation at) const;

    const CommandBatch* batch_ = nullptr;
    PlainVector<Mention> mentions_{}; // by id, then in the order of commands
    PlainVector<Mention> triggers_{}; // added components that have companions
};

/// Where the value for a column of a row comes from.
struct CommandSource {
    static constexpr std::uint32_t by_default = ~std::uint32_t{0};

    std::uint32_t column = 0;
    std::uint32_t command = by_default;   ///< the place of the command in the list; by_default: a default value is built
    std::uint32_t offset = 0;             ///< of the value in the payload of that command
    std::int32_t ticks = -1;              ///< the place of the component in the table if it is tracked
    const TypeDescriptor* type = nullptr; ///< null for a tag, of which only ticks are marked

    void* value(Command* const* list) const noexcept;
};

/// What a list of commands with these shapes does to the row of an entity in this table. It is made once and then carried out
/// for each such entity.
struct CommandPlan {
    enum class Kind : std::uint8_t { any, one_by_one, fresh, values, move };

    std::vector<const CommandShape*> shapes{};
    slot_t from = no_slot;
    slot_t to = no_slot;
    Kind kind = Kind::any; ///< any: commands are folded for each entity; one_by_one: CommandFold::run() returns false
    bool destroys = false; ///< whether values must be destroyed afterwards
    bool throws = false;   ///< whether building a value may throw
    bool copies = false;   ///< of `values`: it is one command, which copies bytes
    const ColumnMapping* map = nullptr;
    std::vector<CommandSource> built{};    ///< for each column of the destination; only those of map->built() are used
    std::vector<CommandSource> assigned{}; ///< for values that the row has

    bool fits(slot_t table, std::span<Command* const> list) const noexcept;
};

/// The plans of a buffer, by table and shapes. They are valid until a table is erased.
class CommandPlans {
public:
    void swap(CommandPlans& other) noexcept;
    std::size_t size() const noexcept { return plans_.size(); }
    std::size_t memory_usage() const noexcept;
    /// Drops all plans if a table was erased since they were made, or if they are many.
    void refresh(const StoreCore& core);
    /// The plan for these commands of an entity in this table (no_slot: of a new entity). It is valid until the next call.
    /// @throws what makes tables, and the allocator
    SLOTWISE_ALWAYS_INLINE const CommandPlan& get(StoreCore& core, CommandFold& fold, Entity entity, slot_t table,
                                                  std::span<Command* const> list) {
        if (last_ < plans_.size() && plans_[last_].fits(table, list)) [[likely]]
            return plans_[last_];
        return find(core, fold, entity, table, list);
    }

private:
    const CommandPlan& find(StoreCore& core, CommandFold& fold, Entity entity, slot_t table, std::span<Command* const> list);
    static CommandPlan make(StoreCore& core, CommandFold& fold, Entity entity, slot_t table, std::span<Command* const> list);
    // Whether all components of the commands and their companions are in tables and no pairs.
    static bool is_of_tables(const ComponentRegistry& registry, const CommandShape& shape);

    NumberTable known_{};
    std::vector<CommandPlan> plans_{};
    std::uint64_t erased_ = 0;
    std::size_t last_ = 0; // the plan that was used last
};

/// Memory that a buffer keeps from one apply() to the next.
struct CommandScratch {
    CommandFold fold{};
    CommandPlans plans{};
    std::vector<Command*> list{};   // the commands of the entities that are changed now
    std::vector<Entity> entities{}; // of a run of new entities
    PlainVector<ComponentId> ids{}; // of a command that is carried out alone
    std::vector<ComponentValue> values{};

    CommandScratch() noexcept;
    CommandScratch(const CommandScratch&) = delete;
    CommandScratch& operator=(const CommandScratch&) = delete;
    ~CommandScratch();
    std::size_t memory_usage() const noexcept;
};

/// What a buffer has recorded, and what it has found out about its commands. The store keeps a few of them, so that a buffer
/// that is made anew in each frame allocates nothing and knows the commands of the last one.
class CommandRecords : public SpareRecords {
public:
    CommandRecords();
    CommandRecords(const CommandRecords&) = delete;
    CommandRecords& operator=(const CommandRecords&) = delete;
    ~CommandRecords();

    /// The number of commands.
    std::size_t size() const noexcept { return recorded.size() + applied.size(); }
    /// Drops the commands.
    void reset() noexcept {
        recorded.reset();
        applied.reset();
        dropped = 0;
    }
    /// Whether the store may keep it for another buffer: it has little memory, and needs nothing of its library.
    bool serves_others() const noexcept;
    /// Leaves the records to a store. @pre serves_others(), and the store is of this library
    void give_to(const StoreCore& core) noexcept;
    std::size_t memory_usage() const noexcept;

    CommandShapes shapes{};
    CommandBatch recorded{};
    CommandBatch applied{}; ///< the batch that is being applied, or what is left of it after an exception
    CommandIds ids{};
    CommandScratch scratch{};
    std::size_t dropped = 0;
    bool applying = false;
    bool calls_recorded = false; ///< a call has recorded commands while it was applied
};

} // namespace detail

SLOTWISE_END

#if SLOTWISE_BODIES
#include "command_apply.inl.hpp"
#endif

#endif
