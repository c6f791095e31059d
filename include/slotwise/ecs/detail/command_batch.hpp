// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a CommandBuffer records, from the bottom up: CommandArena has the memory, CommandShape what commands of one kind have in
// common, Command is one record, CommandCall a function, and CommandBatch groups records by their entities. Nothing here knows
// the store.
#ifndef SLOTWISE_ECS_DETAIL_COMMAND_BATCH_HPP
#define SLOTWISE_ECS_DETAIL_COMMAND_BATCH_HPP

#include "../../memory/allocator.hpp"
#include "../../memory/sparse_pages.hpp"
#include "../component_registry.hpp"
#include "number_table.hpp"

#include <cstdint>
#include <vector>

SLOTWISE_BEGIN

namespace detail {

/// Memory that is taken piece by piece and given back all at once: chunks of raw bytes, each twice as large as the one before,
/// from 4 KiB up to 1 MiB. Pieces never move. Whoever builds objects in them destroys the objects.
class CommandArena {
public:
    CommandArena() = default;
    CommandArena(const CommandArena&) = delete;
    CommandArena& operator=(const CommandArena&) = delete;
    ~CommandArena();
    void swap(CommandArena& other) noexcept;

    /// `bytes` at an address that is a multiple of `align`, a power of two. @throws what the allocator throws; strong
    /// @complexity amortised O(1)
    SLOTWISE_ALWAYS_INLINE void* take(std::size_t bytes, std::size_t align) {
        const std::size_t skip = gap(align);
        if (skip > left_ || bytes > left_ - skip) [[unlikely]]
            return take_from_next(bytes, align);
        return cut(skip, bytes);
    }
    /// Takes back all pieces. Keeps the memory.
    void reset() noexcept {
        chunk_ = 0;
        begin_chunk();
    }
    /// Takes back all pieces and frees the memory.
    void free() noexcept;
    std::size_t memory_usage() const noexcept;
    /// Bytes of all chunks.
    std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const Chunk& chunk : chunks_) sum += chunk.bytes;
        return sum;
    }

private:
    struct Chunk {
        std::byte* data;
        std::size_t bytes;
    };
    static constexpr std::size_t first_bytes = std::size_t{1} << 12, most_bytes = std::size_t{1} << 20;

    // Bytes to skip up to the next multiple of `align`, a power of two.
    std::size_t gap(std::size_t align) const noexcept;
    // The piece behind the next `skip` bytes.
    void* cut(std::size_t skip, std::size_t bytes) noexcept {
        std::byte* const piece = next_ + skip;
        next_ = piece + bytes;
        left_ -= skip + bytes;
        return piece;
    }
    void begin_chunk() noexcept;
    SLOTWISE_INLINE SLOTWISE_COLD void* take_from_next(std::size_t bytes, std::size_t align);

    std::vector<Chunk> chunks_{};
    std::size_t chunk_ = 0; // the chunk from which pieces are taken
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

enum class CommandKind : std::uint8_t { add, set, remove };

/// A component of a command.
struct CommandItem {
    static constexpr std::uint32_t no_value = ~std::uint32_t{0};

    ComponentId id{};                     ///< the relation of a pair: the pair itself is at the beginning of the payload
    const TypeDescriptor* type = nullptr; ///< of the value; null if the component has none
    std::uint32_t offset = no_value;      ///< of the value in the payload; no_value: apply() builds a default value
    ComponentId (*find)(ComponentRegistry&) = nullptr; ///< registers the type; null once `id` is known
};

/// What all commands of one kind with the same components have in common.
struct CommandShape {
    CommandKind kind = CommandKind::add;
    bool pair = false;       ///< the only item is a pair
    bool list = false;       ///< there are no items: the payload has the number of ids and then the ids
    bool destroys = false;   ///< a value must be destroyed
    bool throws = false;     ///< the move of a value may throw
    std::uint32_t bytes = 0; ///< of the payload
    std::uint32_t align = 1;
    std::uint32_t number = 0; ///< of the shape in its buffer
    std::vector<CommandItem> items{};

    /// The number of ids that a command with this payload names.
    std::size_t count(const void* payload) const noexcept;
    /// The id at place `i` of a command with this payload.
    ComponentId id(std::size_t i, const void* payload) const noexcept;
    /// Destroys the first `count` values.
    void destroy_values(void* payload, std::size_t count) const noexcept;
    /// Adds room for a value to the payload and returns its offset. @throws std::length_error when they are more than 4 GiB
    std::uint32_t place(std::size_t size, std::size_t alignment);
};

/// A record. Its payload follows it in memory.
struct Command {
    Command* next = nullptr; ///< the next command of the same entity
    const CommandShape* shape = nullptr;

    /// Bytes from a record with this shape to its payload.
    static constexpr std::size_t header_bytes(std::size_t payload_align) noexcept {
        return payload_align <= sizeof(Command) ? sizeof(Command) : payload_align;
    }
    void* payload() noexcept { return static_cast<std::byte*>(static_cast<void*>(this)) + header_bytes(shape->align); }
    const void* payload() const noexcept {
        return static_cast<const std::byte*>(static_cast<const void*>(this)) + header_bytes(shape->align);
    }
    /// The number of ids, and each of them.
    std::size_t count() const noexcept { return shape->count(payload()); }
    ComponentId id(std::size_t i) const noexcept { return shape->id(i, payload()); }
    void* value(const CommandItem& item) noexcept { return static_cast<std::byte*>(payload()) + item.offset; }
    void destroy() noexcept {
        if (shape->destroys) shape->destroy_values(payload(), shape->items.size());
    }
};

/// A function that is called between commands. It lies in the arena.
struct CommandCall {
    void (*call)(void* function, ArchetypeStore& store) = nullptr;
    void (*destroy)(void* function) noexcept = nullptr;
    void* function = nullptr;
    std::uint32_t until = 0; ///< how many groups there were
};

/// Names a kind of command and its types: see TypeIdentity.
template <CommandKind Kind, bool Values, class... Ts>
struct CommandPack;

/// The shapes of a buffer, one for each different call in the program.
class CommandShapes {
public:
    CommandShapes() = default;
    CommandShapes(const CommandShapes&) = delete;
    CommandShapes& operator=(const CommandShapes&) = delete;
    std::size_t memory_usage() const noexcept;
    ~CommandShapes();

    /// The shape of a command with components of these types, and with values of them if Values. Recently used shapes are found
    /// without a search.
    /// @throws what the allocator throws; strong
    /// @param registry a function that returns the registry of the store
    template <CommandKind Kind, bool Values, class... Ts, class Registry>
    SLOTWISE_ALWAYS_INLINE const CommandShape& of_types(Registry&& registry) {
        constexpr const TypeIdentity& types = type_identity<CommandPack<Kind, Values, Ts...>>;
        const std::uint64_t key =
            number_of(&types) ^ types.kept_hash(); // an address may come again, when a library was unloaded
        Recent& recent = recent_[number_of(types.mark) % recent_count];
        if (recent.key != key) [[unlikely]]
            recent = {key, &find_or_make<Kind, Values, Ts...>(registry(), key)};
        return *recent.shape;
    }

    /// The shape of a command with one component or pair, and with its value if with_value. A remove may name all pairs of a
    /// relation.
    /// @throws std::invalid_argument when the id names nothing in the registry, what the allocator throws; strong
    const CommandShape& of_id(const ComponentRegistry& registry, CommandKind kind, ComponentId id, bool with_value);
    /// The shape of a command with a list of ids. Throws what the allocator throws; strong
    const CommandShape& of_list(CommandKind kind);
    /// Registers the types that were not registered when they were recorded. @throws what the registry throws
    void resolve(ComponentRegistry& registry);
    /// Whether they are few, and none waits for a type that only the library that recorded it can register.
    bool serves_others() const noexcept { return !unresolved_ && all_.size() <= 256; }

private:
    static constexpr std::size_t recent_count = 8;
    struct Recent {
        std::uint64_t key = 0;
        const CommandShape* shape = nullptr;
    };

    template <CommandKind Kind, bool Values, class... Ts>
    const CommandShape& find_or_make(const ComponentRegistry& registry, std::uint64_t key) {
        if (const std::uint64_t found = by_types_.find(key, [](std::uint64_t) { return true; })) return *shape_of(found);
        CommandShape shape;
        shape.kind = Kind;
        shape.items.reserve(sizeof...(Ts) + 1);
        (add_type<Ts>(shape, registry, Values), ...);
        by_types_.reserve_one();
        const CommandShape& kept = keep(std::move(shape));
        by_types_.insert(key, number_of(&kept));
        return kept;
    }
    static std::uint64_t number_of(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }
    static const CommandShape* shape_of(std::uint64_t number) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the index keeps numbers, so an address is one
        return reinterpret_cast<const CommandShape*>(bits::to_size(number));
    }
    // Adds a value of the item's type to the payload.
    static void give_value(CommandShape& shape, CommandItem& item);
    template <class T>
    static void add_type(CommandShape& shape, const ComponentRegistry& registry, bool with_value) {
        CommandItem item;
        item.id = registry.find<T>();
        if (registry.needs_target(item.id)) registry.expect(item.id, "CommandBuffer");
        if (!item.id) item.find = [](ComponentRegistry& of) { return of.id<T>(); };
        if constexpr (!(std::is_empty_v<T> && std::is_trivially_copyable_v<T>)) {
            item.type = item.id ? registry.type(item.id) : &TypeDescriptor::of<T>(); // of the library that registered it
            if (with_value) give_value(shape, item);
        }
        shape.items.push_back(item);
    }
    // Takes a new shape over and numbers it.
    const CommandShape& keep(CommandShape&& shape);

    Recent recent_[recent_count]{}; // by the low bits of an address: a probe of by_types_ takes 3 ns
    NumberTable by_types_{}, by_id_{};
    std::vector<CommandShape*> all_{};
    const CommandShape *add_list_ = nullptr, *remove_list_ = nullptr;
    bool unresolved_ = false; // a type is not registered yet
};

/// The commands of one entity in one section, see CommandBatch.
class CommandGroup {
public:
    Entity entity{};
    Command* last = nullptr;  ///< a ring: last->next is the first command. Null if there is none
    std::uint32_t later = 0;  ///< the number of the next group of the same entity; 0 if there is none
    std::uint32_t newest = 0; ///< in the first group of an entity: the number of its last one. 0 in other groups

    /// The number of commands.
    std::uint32_t count() const noexcept { return state_ & counted; }
    /// Whether the entity is a new one.
    bool spawned() const noexcept { return (state_ & spawned_bit) != 0; }
    /// Whether the last command despawns the entity.
    bool despawned() const noexcept { return (state_ & despawned_bit) != 0; }
    /// Whether the id of the entity is void, because the store was cleared or restored after it was taken.
    bool is_void() const noexcept { return (state_ & void_bit) != 0; }
    /// Whether the commands were carried out together with those of an earlier group.
    bool is_done() const noexcept { return (state_ & done_bit) != 0; }
    /// Whether other entities may relate to this one when it is despawned. Only known of despawned ones.
    bool is_barrier() const noexcept { return (state_ & barrier_bit) != 0; }
    /// Whether all that is to be done about the entity in this batch is one command of this shape.
    bool is_only(const CommandShape* shape) const noexcept {
        return state_ == 1 && later == 0 && last != nullptr && last->shape == shape;
    }
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

    std::uint32_t state_ = 0; // no bit-fields: g++ stores a flag as a byte, and the load of the count after it stalls
};

/// Commands in an arena, grouped by entity. Groups are in the order in which their entities were first named.
///
/// Each despawn ends a section: later commands get new groups, so that it is known what was recorded before the despawn. That
/// only matters if other entities relate to the despawned one. Such a despawn is a barrier. What lies between two barriers is a
/// phase, in which all groups of one entity are carried out together. A call ends a section too, and is always a barrier.
class CommandBatch {
public:
    CommandBatch() = default;
    CommandBatch(const CommandBatch&) = delete;
    CommandBatch& operator=(const CommandBatch&) = delete;
    ~CommandBatch();
    void swap(CommandBatch& other) noexcept;

    std::size_t memory_usage() const noexcept {
        return memory_of(arena_, pages_, targets_, versions_, calls_) + memory_of_vector(groups_) + memory_of_vector(despawns_);
    }

    //=== recording ===//

    /// The number of commands that have not been carried out yet.
    std::size_t size() const noexcept { return commands_; }
    bool empty() const noexcept { return commands_ == 0; }
    /// The group to which the next command of this entity belongs. It is made if there is none, and groups may move then.
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
        set_void(find(head, entity)); // an older entity had this id, before the store was cleared or restored
        static_cast<void>(add(entity, head));
    }
    /// Notes that the entity is a new one. @pre begin(entity)
    SLOTWISE_ALWAYS_INLINE void set_spawned(Entity entity) noexcept {
        if (latest_ < groups_.size() && groups_[latest_].entity == entity && groups_[latest_].newest == latest_ + 1) [[likely]]
            groups_[latest_].set_spawned();
        else
            groups_[find(entity) - 1].set_spawned();
    }
    /// Whether this entity will be despawned.
    bool despawns(Entity entity) const noexcept;
    /// Whether this entity is a new one.
    bool spawns(Entity entity) const noexcept {
        const std::uint32_t first = find(entity);
        return first != 0 && groups_[first - 1].spawned();
    }
    /// Notes that a command relates an entity to this one. Throws what the allocator throws; strong
    void add_target(Entity entity) {
        if (targets_.empty() || targets_.back() != entity) targets_.push_back(entity);
    }
    /// Makes all commands about entities that are spawned here void: the entities will not live.
    void set_spawned_void() noexcept;
    /// A record with this shape and a payload of raw memory. It belongs to no entity until link(). @throws what the allocator
    /// throws; strong
    SLOTWISE_ALWAYS_INLINE Command* make(const CommandShape& shape, std::size_t more_bytes = 0) {
        const std::size_t align = shape.align < alignof(Command) ? alignof(Command) : shape.align;
        void* const memory = arena_.take(Command::header_bytes(shape.align) + shape.bytes + more_bytes, align);
        Command* const command = ::new (memory) Command();
        command->shape = &shape;
        return command;
    }
    /// Appends a record to a group.
    void link(CommandGroup& group, Command* command) noexcept {
        command->next = group.last == nullptr ? command : std::exchange(group.last->next, command);
        group.last = command;
        count(group);
    }
    /// Counts a command that has no record.
    void count(CommandGroup& group) noexcept {
        group.add_one();
        ++commands_;
    }
    /// Records the despawn of the group's entity: destroys the records of the group and ends the section.
    /// @throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void despawn(CommandGroup& group) {
        despawns_.push_back({number_of(group), static_cast<std::uint32_t>(groups_.size())});
        group.set_despawned();
        count(group);
        if (group.last != nullptr) destroy(group);
        section_ = groups_.size();
    }
    /// Records a call of f(ArchetypeStore&) or f() and ends the section. @throws what the copy of f and the allocator throw;
    /// strong
    template <class F>
    void call(F&& f) {
        using Function = std::remove_cvref_t<F>;
        CommandCall fresh;
        fresh.function = arena_.take(sizeof(Function), alignof(Function));
        ::new (fresh.function) Function(std::forward<F>(f)); // it may record
        ScopeGuard undo([&]() noexcept { std::destroy_at(static_cast<Function*>(fresh.function)); });
        fresh.call = [](void* function, [[maybe_unused]] ArchetypeStore& store) {
            if constexpr (std::is_invocable_v<Function&, ArchetypeStore&>)
                static_cast<void>((*static_cast<Function*>(function))(store));
            else
                static_cast<void>((*static_cast<Function*>(function))());
        };
        fresh.destroy = [](void* function) noexcept { std::destroy_at(static_cast<Function*>(function)); };
        fresh.until = static_cast<std::uint32_t>(groups_.size());
        calls_.push_back(fresh);
        undo.dismiss();
        ++commands_;
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

    /// Finds the despawns that are barriers because their entity is the target of a command.
    void find_target_barriers() noexcept {
        if (next_despawn_ == despawns_.size()) return;
        for (const Entity target : targets_)
            if (const std::uint32_t first = find(target)) groups_[groups_[first - 1].newest - 1].set_barrier();
    }
    /// Finds those up to the next call for whose entity is_target(entity) holds.
    template <class IsTarget>
    void find_barriers(IsTarget&& is_target) noexcept {
        for (std::size_t i = next_despawn_; is_before_call(i); ++i)
            if (CommandGroup& group = groups_[despawns_[i].group - 1]; is_target(group.entity)) group.set_barrier();
    }
    /// Whether a despawn is left up to the next call.
    bool ends_any() const noexcept { return is_before_call(next_despawn_); }
    /// Begins the next phase, which ends with the next barrier. Returns false if nothing is left up to the next call.
    bool next_phase() noexcept;
    /// Whether a call is left.
    bool has_call() const noexcept { return next_call_ != calls_.size(); }
    /// The next one counts as done. The caller calls it and destroys it. @pre has_call(), and next_phase() is false
    CommandCall take_call() noexcept {
        --commands_;
        return calls_[next_call_++];
    }
    /// Makes room, so that despawn_next() does not throw. @throws what the allocator throws; strong
    void prepare() { despawns_.reserve(despawns_.size() + 1); }
    /// The next group of the phase that is to be carried out; null if none is left. @complexity amortised O(1)
    CommandGroup* next() noexcept;
    /// The groups of the phase from next() on.
    std::span<CommandGroup> rest() noexcept { return {groups_.data() + next_, limit_ - next_}; }
    /// The next group of the same entity in this phase; null if there is none.
    CommandGroup* later(const CommandGroup& group) noexcept {
        return group.later != 0 && group.later - 1 < limit_ ? &groups_[group.later - 1] : nullptr;
    }
    /// The next group of the phase whose entity is to be despawned; null if none is left.
    CommandGroup* next_despawn() noexcept;
    /// Despawns the entity of the group next(), whose change threw, after all others. @pre prepare() was called once for each
    void despawn_next() noexcept;
    /// Marks the next `count` groups as carried out or dropped, and with the first one the later groups of its entity.
    /// @param destroys whether records have values that must be destroyed
    void finish(std::size_t count, bool destroys) noexcept;
    /// Marks next_despawn() as carried out.
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
    /// Destroys all records that are left. Keeps the memory.
    void reset() noexcept;
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

    struct Despawn {
        std::uint32_t group; // the number of the group that it ends
        std::uint32_t until; // how many groups there were
    };

    // Whether there is a despawn with this number, and it comes before the next call.
    bool is_before_call(std::size_t despawn) const noexcept {
        return despawn != despawns_.size() && despawns_[despawn].until <= next_call_limit();
    }
    // The groups before the next call; all if there is none.
    std::uint32_t next_call_limit() const noexcept {
        return has_call() ? calls_[next_call_].until : static_cast<std::uint32_t>(groups_.size());
    }
    std::uint32_t& head_of(Entity entity) {
        return pages_.make(entity.index() / page_slots).heads[entity.index() % page_slots];
    }
    std::uint32_t number_of(const CommandGroup& group) const noexcept {
        return static_cast<std::uint32_t>(std::addressof(group) - groups_.data()) + 1;
    }
    // The number of the first group of an entity; 0 if there is none.
    std::uint32_t find(Entity entity) const noexcept;
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
    // The newest group of an entity, or a new one if that is of an earlier section.
    CommandGroup& group_in_section(std::uint32_t first);
    CommandGroup& append(Entity entity) {
        if (groups_.size() >= no_slot - 1) throw_length_error("CommandBuffer: commands of more than 4,294,967,293 entities");
        CommandGroup& group = groups_.emplace_back(); // filled in place: a copy from the stack would wait for the stores to it
        group.entity = entity;
        latest_ = groups_.size() - 1;
        return group;
    }
    SLOTWISE_ALWAYS_INLINE CommandGroup& add_first(Entity entity, std::uint32_t& head) {
        CommandGroup& group = append(entity);
        head = group.newest = static_cast<std::uint32_t>(groups_.size());
        return group;
    }
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE CommandGroup& find_or_add(Entity entity, std::uint32_t& head);
    // Makes the first group of an entity where the page has that of another version. @pre head != 0
    CommandGroup& add(Entity entity, std::uint32_t& head) {
        if (groups_[head - 1].is_void()) return add_first(entity, head);
        versions_.reserve_one();
        CommandGroup& group = append(entity);
        group.newest = static_cast<std::uint32_t>(groups_.size());
        versions_.insert(entity.to_bits(), group.newest);
        return group;
    }
    void set_void(std::uint32_t number) noexcept;
    void finish(CommandGroup& group, bool destroys) noexcept;
    static void destroy_commands(const CommandGroup& group) noexcept {
        for_each_command(group, [](Command* command) { command->destroy(); });
    }
    static void destroy(CommandGroup& group) noexcept {
        destroy_commands(group);
        group.last = nullptr;
    }

    CommandArena arena_{};
    std::vector<CommandGroup> groups_{};
    std::vector<Despawn> despawns_{}; // in the order in which they were recorded
    PlainVector<Entity> targets_{};   // entities to which commands relate others
    NumberTable versions_{};          // Entity -> first group, for entities whose place in a page is taken by another version
    SparsePages<Page, std::allocator<std::byte>> pages_{};
    std::size_t commands_ = 0;
    std::size_t latest_ = 0;           // the group that was looked up last
    std::size_t section_ = 0;          // the first group of the current section
    PlainVector<CommandCall> calls_{}; // in the order in which they were recorded
    std::size_t next_ = 0, next_despawn_ = 0, next_call_ = 0;
    std::size_t limit_ = 0; // the end of the phase
};

} // namespace detail

SLOTWISE_END

#if SLOTWISE_BODIES
#include "command_batch.inl.hpp"
#endif

#endif
