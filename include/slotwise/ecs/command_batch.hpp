// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandBatch: recorded commands, grouped by their entities.
#ifndef SLOTWISE_ECS_COMMAND_BATCH_HPP
#define SLOTWISE_ECS_COMMAND_BATCH_HPP

#include "../memory/sparse_pages.hpp"
#include "command_arena.hpp"
#include "command_shape.hpp"
#include "number_table.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Commands of one entity: those of a section, which a despawn of some entity ends.
class CommandGroup {
public:
    Entity entity{};
    Command* last = nullptr;  ///< its next one is the first; null: there is none
    std::uint32_t later = 0;  ///< the number of the next group of the same entity; 0: none
    std::uint32_t newest = 0; ///< of the first group of the entity: the number of the last one. Of others: 0

    /// The number of its commands.
    std::uint32_t count() const noexcept { return state_ & counted; }
    /// Whether it is a new one.
    bool spawned() const noexcept { return (state_ & spawned_bit) != 0; }
    /// Whether its last command ends the entity.
    bool despawned() const noexcept { return (state_ & despawned_bit) != 0; }
    /// Whether its id was taken from an index that is no more.
    bool is_void() const noexcept { return (state_ & void_bit) != 0; }
    /// Whether it was carried out with an earlier group.
    bool is_done() const noexcept { return (state_ & done_bit) != 0; }
    /// Whether something may relate to the entity when it ends. Only kept if it is despawned.
    bool is_barrier() const noexcept { return (state_ & barrier_bit) != 0; }
    void add_one() noexcept { state_ = (state_ & ~counted) | ((state_ + 1) & counted); }
    void count_none() noexcept { state_ &= ~counted; }
    void set_spawned() noexcept { state_ |= spawned_bit; }
    void set_despawned() noexcept { state_ |= despawned_bit; }
    void set_void() noexcept { state_ |= void_bit; }
    void set_done() noexcept { state_ |= done_bit; }
    void set_barrier() noexcept { state_ |= barrier_bit; }

private:
    static constexpr std::uint32_t barrier_bit = 1u << 27, done_bit = 1u << 28, spawned_bit = 1u << 29,
                                   despawned_bit = 1u << 30, void_bit = 1u << 31;
    static constexpr std::uint32_t counted = barrier_bit - 1;

    std::uint32_t state_ = 0; // not bit-fields: g++ stores a flag as a byte, and the count that is loaded next waits for it
};

/// Commands in an arena, and for each entity a list of its own. Groups are in the order in which their entities were first
/// named. It does not know the store.
///
/// A despawn ends a section: what comes after it gets new groups. So it is known what was recorded before it. It matters only
/// if others relate to the entity: such a despawn is a barrier. Groups of one entity between two barriers are carried out as
/// one.
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
        targets_.swap(other.targets_);
        pages_.swap(other.pages_);
        versions_.swap(other.versions_);
        std::swap(commands_, other.commands_);
        std::swap(latest_, other.latest_);
        std::swap(section_, other.section_);
        std::swap(next_, other.next_);
        std::swap(limit_, other.limit_);
        std::swap(next_despawn_, other.next_despawn_);
    }

    std::size_t memory_usage() const noexcept {
        return memory_of(arena_, pages_, targets_, versions_) + memory_of_vector(groups_) + memory_of_vector(despawns_);
    }

    //=== recording ===//

    /// Commands there are, those that have been carried out not included.
    std::size_t size() const noexcept { return commands_; }
    bool empty() const noexcept { return commands_ == 0; }
    /// The group of an entity to which the next command belongs, made if there is none; others may move then.
    /// @throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE CommandGroup& group(Entity entity) {
        if (latest_ < groups_.size() && latest_ >= section_ && groups_[latest_].entity == entity && !groups_[latest_].is_void())
            return groups_[latest_];
        std::uint32_t& head = head_of(entity);
        return head == 0 ? add_first(entity, head) : find_or_add(entity, head);
    }
    /// Makes a group for a new entity. Throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void begin(Entity entity) {
        std::uint32_t& head = head_of(entity);
        if (head == 0) [[likely]]
            return static_cast<void>(add_first(entity, head));
        set_void(find(head, entity)); // it is about another entity, from before ids were replaced
        static_cast<void>(add(entity, head));
    }
    /// The entity is a new one. @pre begin(entity)
    SLOTWISE_ALWAYS_INLINE void set_spawned(Entity entity) noexcept {
        if (latest_ < groups_.size() && groups_[latest_].entity == entity && groups_[latest_].newest == latest_ + 1) [[likely]]
            groups_[latest_].set_spawned();
        else
            groups_[find(entity) - 1].set_spawned();
    }
    /// Whether this entity will be despawned.
    bool despawns(Entity entity) const noexcept {
        const std::uint32_t first = despawns_.empty() ? 0 : find(entity);
        return first != 0 && groups_[groups_[first - 1].newest - 1].despawned();
    }
    /// Whether this entity is a new one.
    bool spawns(Entity entity) const noexcept {
        const std::uint32_t first = find(entity);
        return first != 0 && groups_[first - 1].spawned();
    }
    /// A command relates something to this entity. Throws what the allocator throws; strong
    void add_target(Entity entity) {
        if (targets_.empty() || targets_.back() != entity) targets_.push_back(entity);
    }
    /// Entities that are spawned here will not live, and what is recorded about them is void.
    void set_spawned_void() noexcept {
        for (std::size_t i = 0; i != groups_.size(); ++i)
            if (groups_[i].newest != 0 && groups_[i].spawned()) set_void(static_cast<std::uint32_t>(i + 1));
    }
    /// A record with this shape, whose payload is raw memory. It belongs to no entity until link(). @throws what the allocator
    /// throws; strong
    SLOTWISE_ALWAYS_INLINE Command* make(const CommandShape& shape, std::size_t more_bytes = 0) {
        const std::size_t align = shape.align < alignof(Command) ? alignof(Command) : shape.align;
        void* const memory = arena_.take(Command::header_bytes(shape.align) + shape.bytes + more_bytes, align);
        Command* const command = ::new (memory) Command();
        command->shape = &shape;
        return command;
    }
    void link(CommandGroup& group, Command* command) noexcept {
        command->next = group.last == nullptr ? command : std::exchange(group.last->next, command);
        group.last = command;
        count(group);
    }
    /// The group has one command more, of which nothing is kept.
    void count(CommandGroup& group) noexcept {
        group.add_one();
        ++commands_;
    }
    /// The entity of the group ends, and with it what is recorded about it in this section, which is over.
    /// @throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void despawn(CommandGroup& group) {
        despawns_.push_back({number_of(group), static_cast<std::uint32_t>(groups_.size())});
        group.set_despawned();
        count(group);
        if (group.last != nullptr) destroy(group);
        section_ = groups_.size();
    }
    /// Calls f(group) for each group that is left.
    template <class F>
    void for_each_left(F&& f) {
        for (std::size_t i = next_; i != groups_.size(); ++i)
            if (!groups_[i].despawned() && !groups_[i].is_done()) f(groups_[i]);
        for (std::size_t i = next_despawn_; i != despawns_.size(); ++i) f(groups_[despawns_[i].group - 1]);
    }

    //=== carrying out ===//

    /// Finds out which despawns are barriers: those of entities that commands relate to, or for which is_target(entity) holds.
    template <class IsTarget>
    void find_barriers(IsTarget&& is_target) noexcept {
        if (next_despawn_ == despawns_.size()) return;
        for (const Entity target : targets_)
            if (const std::uint32_t first = find(target)) groups_[groups_[first - 1].newest - 1].set_barrier();
        for (std::size_t i = next_despawn_; i != despawns_.size(); ++i)
            if (CommandGroup& group = groups_[despawns_[i].group - 1]; is_target(group.entity)) group.set_barrier();
    }
    /// Goes on to what is recorded before the next barrier, with the barrier; false if nothing is left.
    bool next_phase() noexcept {
        limit_ = groups_.size();
        for (std::size_t i = next_despawn_; i != despawns_.size(); ++i)
            if (groups_[despawns_[i].group - 1].is_barrier()) {
                limit_ = despawns_[i].until;
                break;
            }
        return next_ != groups_.size() || next_despawn_ != despawns_.size();
    }
    /// Room, so that despawn_next() throws nothing. @throws what the allocator throws; strong
    void prepare() { despawns_.reserve(despawns_.size() + 1); }
    /// The next group of the phase that is to be carried out; null if none is left. @complexity amortised O(1)
    CommandGroup* next() noexcept {
        while (next_ < limit_ && (groups_[next_].despawned() || groups_[next_].is_done())) ++next_;
        return next_ >= limit_ ? nullptr : &groups_[next_];
    }
    /// The groups of the phase from that one on.
    std::span<CommandGroup> rest() noexcept { return {groups_.data() + next_, limit_ - next_}; }
    /// The next group of the same entity in this phase; null if there is none.
    CommandGroup* later(const CommandGroup& group) noexcept {
        return group.later != 0 && group.later - 1 < limit_ ? &groups_[group.later - 1] : nullptr;
    }
    /// The next group of the phase whose entity ends; null if none is left.
    CommandGroup* next_despawn() noexcept {
        const bool any = next_despawn_ != despawns_.size() && despawns_[next_despawn_].until <= limit_;
        return any ? &groups_[despawns_[next_despawn_].group - 1] : nullptr;
    }
    /// The entity of the next group, which failed, ends after all others. @pre prepare() was called once for each
    void despawn_next() noexcept {
        despawns_.push_back({static_cast<std::uint32_t>(next_ + 1), static_cast<std::uint32_t>(groups_.size())});
        groups_[next_].set_despawned();
    }
    /// The next `count` groups have been carried out, or are dropped, and later ones of the first along with it.
    /// @param destroys whether there are values to be destroyed
    void finish(std::size_t count, bool destroys) noexcept {
        if (groups_[next_].later != 0) [[unlikely]]
            for (CommandGroup* each = later(groups_[next_]); each != nullptr && !each->despawned(); each = later(*each)) {
                finish(*each, destroys);
                each->set_done();
            }
        for (; count != 0; --count, ++next_) finish(groups_[next_], destroys);
    }
    void finish_despawn() noexcept {
        finish(groups_[despawns_[next_despawn_].group - 1], true);
        ++next_despawn_;
    }
    /// Calls f(command) for the commands of a group, in order. f may destroy it.
    template <class F>
    static void for_each_command(const CommandGroup& group, F&& f) {
        if (group.last == nullptr) return;
        for (Command* each = group.last->next;;) {
            Command* const next = each->next;
            f(each);
            if (each == group.last) return;
            each = next;
        }
    }
    /// Destroys what is left. Memory stays.
    void reset() noexcept {
        for (const CommandGroup& group : groups_) {
            destroy_commands(group);
            pages_.find(group.entity.index() / page_slots)->heads[group.entity.index() % page_slots] = 0;
        }
        groups_.clear();
        despawns_.clear();
        targets_.clear();
        if (versions_.size() != 0) NumberTable().swap(versions_);
        arena_.reset();
        commands_ = latest_ = section_ = next_ = limit_ = next_despawn_ = 0;
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
        std::uint32_t heads[page_slots] = {}; // the number of the first group of an index; numbers count from 1
    };

    // A despawn.
    struct End {
        std::uint32_t group; // the number of the group of its entity
        std::uint32_t until; // so many groups there were
    };

    std::uint32_t& head_of(Entity entity) {
        return pages_.make(entity.index() / page_slots).heads[entity.index() % page_slots];
    }
    std::uint32_t number_of(const CommandGroup& group) const noexcept {
        return static_cast<std::uint32_t>(std::addressof(group) - groups_.data()) + 1;
    }
    // The number of the first group of an entity; 0: none.
    std::uint32_t find(Entity entity) const noexcept {
        const Page* const page = pages_.find(entity.index() / page_slots);
        return page == nullptr ? 0 : find(page->heads[entity.index() % page_slots], entity);
    }
    SLOTWISE_ALWAYS_INLINE std::uint32_t find(std::uint32_t head, Entity entity) const noexcept {
        if (head == 0 || is_group_of(head, entity)) [[likely]]
            return head;
        if (versions_.size() == 0) return 0;
        return static_cast<std::uint32_t>(versions_.find(
            entity.to_bits(), [&](std::uint64_t number) { return is_group_of(static_cast<std::uint32_t>(number), entity); }));
    }
    bool is_group_of(std::uint32_t number, Entity entity) const noexcept {
        return groups_[number - 1].entity == entity && !groups_[number - 1].is_void();
    }
    // The newest group of an entity, or one more if that is of an earlier section.
    CommandGroup& group_in_section(std::uint32_t first) {
        const std::uint32_t newest = groups_[first - 1].newest;
        if (newest > section_ || groups_[newest - 1].despawned()) {
            latest_ = newest - 1;
            return groups_[latest_];
        }
        CommandGroup& group = append(groups_[first - 1].entity);
        groups_[newest - 1].later = groups_[first - 1].newest = static_cast<std::uint32_t>(groups_.size());
        return group;
    }
    CommandGroup& append(Entity entity) {
        if (groups_.size() >= no_slot - 1) throw_length_error("CommandBuffer: commands of more than 4,294,967,293 entities");
        CommandGroup& group = groups_.emplace_back(); // filled here: a copy from the stack waits for what was just stored there
        group.entity = entity;
        latest_ = groups_.size() - 1;
        return group;
    }
    SLOTWISE_ALWAYS_INLINE CommandGroup& add_first(Entity entity, std::uint32_t& head) {
        CommandGroup& group = append(entity);
        head = group.newest = static_cast<std::uint32_t>(groups_.size());
        return group;
    }
    SLOTWISE_NEVER_INLINE CommandGroup& find_or_add(Entity entity, std::uint32_t& head) {
        const std::uint32_t first = find(head, entity);
        return first != 0 ? group_in_section(first) : add(entity, head);
    }
    // @pre head != 0
    CommandGroup& add(Entity entity, std::uint32_t& head) {
        if (groups_[head - 1].is_void()) return add_first(entity, head);
        versions_.reserve_one();
        CommandGroup& group = append(entity);
        group.newest = static_cast<std::uint32_t>(groups_.size());
        versions_.insert(entity.to_bits(), group.newest);
        return group;
    }
    void set_void(std::uint32_t number) noexcept {
        for (; number != 0; number = groups_[number - 1].later) groups_[number - 1].set_void();
    }
    void finish(CommandGroup& group, bool destroys) noexcept {
        if (destroys) destroy_commands(group);
        group.last = nullptr;
        commands_ -= group.count();
        group.count_none();
    }
    static void destroy_commands(const CommandGroup& group) noexcept {
        for_each_command(group, [](Command* command) { command->destroy(); });
    }
    static void destroy(CommandGroup& group) noexcept {
        destroy_commands(group);
        group.last = nullptr;
    }

    CommandArena arena_{};
    std::vector<CommandGroup> groups_{};
    std::vector<End> despawns_{};   // in the order in which they were recorded
    PlainVector<Entity> targets_{}; // that commands relate something to
    NumberTable versions_{};        // Entity -> first group, where Page has the one of another version
    SparsePages<Page, std::allocator<std::byte>> pages_{};
    std::size_t commands_ = 0;
    std::size_t latest_ = 0;  // the group that was looked up last
    std::size_t section_ = 0; // groups before it are of earlier sections
    std::size_t next_ = 0, next_despawn_ = 0;
    std::size_t limit_ = 0; // the end of the phase
};

} // namespace detail
SLOTWISE_END

#endif
