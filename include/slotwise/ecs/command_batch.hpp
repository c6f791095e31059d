// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandBatch: recorded commands, grouped by their entities.
#ifndef SLOTWISE_ECS_COMMAND_BATCH_HPP
#define SLOTWISE_ECS_COMMAND_BATCH_HPP

#include "../memory/sparse_pages.hpp"
#include "command_arena.hpp"
#include "command_shape.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The commands of one entity.
class CommandGroup {
public:
    Entity entity{};
    Command* first = nullptr;
    Command* last = nullptr;
    std::uint32_t chain = 0; ///< the number of another group whose entity has the same index; 0: none

    /// The number of its commands.
    std::uint32_t count() const noexcept { return state_ & counted; }
    /// Whether it is a new one.
    bool spawned() const noexcept { return (state_ & spawned_bit) != 0; }
    /// Whether it ends after all other commands.
    bool despawned() const noexcept { return (state_ & despawned_bit) != 0; }
    /// Whether its id was taken from an index that is no more.
    bool is_void() const noexcept { return (state_ & void_bit) != 0; }
    void add_one() noexcept { state_ = (state_ & ~counted) | ((state_ + 1) & counted); }
    void count_none() noexcept { state_ &= ~counted; }
    void set_spawned() noexcept { state_ |= spawned_bit; }
    void set_despawned() noexcept { state_ |= despawned_bit; }
    void set_void() noexcept { state_ |= void_bit; }

private:
    static constexpr std::uint32_t spawned_bit = 1u << 29, despawned_bit = 1u << 30, void_bit = 1u << 31;
    static constexpr std::uint32_t counted = spawned_bit - 1;

    std::uint32_t state_ = 0; // not bit-fields: g++ stores a flag as a byte, and the count that is loaded next waits for it
};

/// Commands in an arena, and for each entity a list of its own. Groups are in the order in which their entities were first
/// named. It does not know the store.
class CommandBatch {
public:
    CommandBatch() = default;
    CommandBatch(const CommandBatch&) = delete;
    CommandBatch& operator=(const CommandBatch&) = delete;
    ~CommandBatch() { reset(); }
    void swap(CommandBatch& other) noexcept {
        arena_.swap(other.arena_);
        groups_.swap(other.groups_);
        despawns_.swap(other.despawns_);
        pages_.swap(other.pages_);
        std::swap(commands_, other.commands_);
        std::swap(latest_, other.latest_);
        std::swap(next_, other.next_);
        std::swap(next_despawn_, other.next_despawn_);
    }

    std::size_t memory_usage() const noexcept {
        return memory_of(arena_, pages_) + memory_of_vector(groups_) + memory_of_vector(despawns_);
    }

    //=== recording ===//

    /// Commands there are, those that have been carried out not included.
    std::size_t size() const noexcept { return commands_; }
    bool empty() const noexcept { return commands_ == 0; }
    /// The group of an entity, made if there is none; others may move then. @throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE CommandGroup& group(Entity entity) {
        if (latest_ < groups_.size() && groups_[latest_].entity == entity && !groups_[latest_].is_void())
            return groups_[latest_];
        std::uint32_t& head = pages_.make(entity.index() / page_slots).heads[entity.index() % page_slots];
        if (const std::uint32_t found = find(head, entity)) {
            latest_ = found - 1;
            return groups_[latest_];
        }
        return add(entity, head);
    }
    /// Makes a group for a new entity. Throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void begin(Entity entity) {
        CommandGroup& group = this->group(entity);
        if (group.count() == 0) [[likely]]
            return;
        group.set_void(); // it is about another entity, from before ids were replaced
        static_cast<void>(this->group(entity));
    }
    /// Whether this entity will be despawned.
    bool despawns(Entity entity) const noexcept {
        if (despawns_.empty()) return false;
        const CommandGroup* const found = find(entity);
        return found != nullptr && found->despawned();
    }
    /// Whether this entity is a new one.
    bool spawns(Entity entity) const noexcept {
        const CommandGroup* const found = find(entity);
        return found != nullptr && found->spawned();
    }
    /// A record with this shape, whose payload is raw memory. It belongs to no entity until link(). @throws what the allocator
    /// throws; strong
    SLOTWISE_ALWAYS_INLINE Command* make(const CommandShape& shape) {
        const std::size_t align = shape.align < alignof(Command) ? alignof(Command) : shape.align;
        void* const memory = arena_.take(Command::header_bytes(shape.align) + shape.bytes, align);
        Command* const command = ::new (memory) Command();
        command->shape = &shape;
        return command;
    }
    void link(CommandGroup& group, Command* command) noexcept {
        (group.first == nullptr ? group.first : group.last->next) = command;
        group.last = command;
        count(group);
    }
    /// The group has one command more, of which nothing is kept.
    void count(CommandGroup& group) noexcept {
        group.add_one();
        ++commands_;
    }
    /// The entity of the group ends, whatever else is recorded about it. @throws what the allocator throws; strong
    void despawn(CommandGroup& group) {
        despawns_.push_back(static_cast<std::uint32_t>(std::addressof(group) - groups_.data()));
        group.set_despawned();
        count(group);
        destroy(group);
    }
    /// Calls f(group) for each group that is left.
    template <class F>
    void for_each_left(F&& f) {
        for (std::size_t i = next_; i != groups_.size(); ++i)
            if (!groups_[i].despawned()) f(groups_[i]);
        for (std::size_t i = next_despawn_; i != despawns_.size(); ++i) f(groups_[despawns_[i]]);
    }

    //=== carrying out ===//

    /// Room, so that despawn_next() throws nothing. @throws what the allocator throws; strong
    void prepare() { despawns_.reserve(despawns_.size() + 1); }
    /// The next group whose entity does not end; null if none is left. @complexity amortised O(1)
    CommandGroup* next() noexcept {
        while (next_ != groups_.size() && groups_[next_].despawned()) ++next_;
        return next_ == groups_.size() ? nullptr : &groups_[next_];
    }
    /// The groups from that one on.
    std::span<CommandGroup> rest() noexcept { return {groups_.data() + next_, groups_.size() - next_}; }
    /// The next group whose entity ends; null if none is left.
    CommandGroup* next_despawn() noexcept {
        return next_despawn_ == despawns_.size() ? nullptr : &groups_[despawns_[next_despawn_]];
    }
    /// The entity of the next group, which failed, ends after all others. @pre prepare() was called once for each
    void despawn_next() noexcept {
        despawns_.push_back(static_cast<std::uint32_t>(next_));
        groups_[next_].set_despawned();
    }
    /// The next `count` groups have been carried out, or are dropped. @param destroys whether there are values to be destroyed
    void finish(std::size_t count, bool destroys) noexcept {
        for (; count != 0; --count, ++next_) finish(groups_[next_], destroys);
    }
    void finish_despawn() noexcept {
        finish(groups_[despawns_[next_despawn_]], true);
        ++next_despawn_;
    }
    /// Destroys what is left. Memory stays.
    void reset() noexcept {
        for (const CommandGroup& group : groups_) {
            destroy_commands(group);
            pages_.find(group.entity.index() / page_slots)->heads[group.entity.index() % page_slots] = 0;
        }
        groups_.clear();
        despawns_.clear();
        arena_.reset();
        commands_ = latest_ = next_ = next_despawn_ = 0;
    }
    /// Frees the memory. @pre empty()
    void free() noexcept {
        CommandBatch none;
        swap(none);
        none.arena_.free();
    }

private:
    static constexpr std::uint32_t page_slots = 1024;
    struct Page {
        std::uint32_t heads[page_slots] = {}; // the number of the group of an index, plus 1
    };

    const CommandGroup* find(Entity entity) const noexcept {
        const Page* const page = pages_.find(entity.index() / page_slots);
        const std::uint32_t found = page == nullptr ? 0 : find(page->heads[entity.index() % page_slots], entity);
        return found == 0 ? nullptr : &groups_[found - 1];
    }
    std::uint32_t find(std::uint32_t number, Entity entity) const noexcept {
        while (number != 0 && (groups_[number - 1].entity != entity || groups_[number - 1].is_void()))
            number = groups_[number - 1].chain;
        return number;
    }
    CommandGroup& add(Entity entity, std::uint32_t& head) {
        if (groups_.size() >= no_slot - 1) throw_length_error("CommandBuffer: commands of more than 4,294,967,293 entities");
        CommandGroup& group = groups_.emplace_back(); // filled here: a copy from the stack waits for what was just stored there
        group.entity = entity;
        group.chain = head;
        latest_ = groups_.size() - 1;
        head = static_cast<std::uint32_t>(groups_.size());
        return group;
    }
    void finish(CommandGroup& group, bool destroys) noexcept {
        if (destroys) destroy(group);
        group.first = group.last = nullptr;
        commands_ -= group.count();
        group.count_none();
    }
    static void destroy_commands(const CommandGroup& group) noexcept {
        for (Command* command = group.first; command != nullptr; command = command->next) command->destroy();
    }
    static void destroy(CommandGroup& group) noexcept {
        destroy_commands(group);
        group.first = group.last = nullptr;
    }

    CommandArena arena_{};
    std::vector<CommandGroup> groups_{};
    std::vector<std::uint32_t> despawns_{}; // groups, in the order in which their ends were recorded
    SparsePages<Page, std::allocator<std::byte>> pages_{};
    std::size_t commands_ = 0;
    std::size_t latest_ = 0; // the group that was looked up last
    std::size_t next_ = 0, next_despawn_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
