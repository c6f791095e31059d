// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandBuffer: changes of a store that are recorded now and carried out later. ArchetypeStore::defer.
#ifndef SLOTWISE_ECS_COMMAND_BUFFER_HPP
#define SLOTWISE_ECS_COMMAND_BUFFER_HPP

#include "archetype_store.hpp"
#include "detail/command_apply.hpp"
#include "detail/reserved_ids.hpp"

SLOTWISE_BEGIN

/// Changes of an ArchetypeStore that are recorded while its structure must not change: in the loop of a query, in a hook, or in
/// another thread. store.apply(buffer) carries them out.
///     CommandBuffer later(store);
///     store.query<const Health>().for_each([&](Entity entity, const Health& health) {
///         if (health.left <= 0) later.despawn(entity);
///     });
///     const Entity spark = later.spawn(Position{}, Spark{});   // an id to be used at once; it lives after apply()
///     later.relate(spark, follows, player);
///     store.apply(later);                                      // the buffer is empty then, and can be used again
/// Recording only reads the store. So each thread may record into a buffer of its own as long as nothing changes the structure.
/// Apply the buffers in the order in which their effects shall come. Which ids spawn() returns depends on which thread asks
/// first; reserve() makes them deterministic. A component type that is not registered when a command is recorded is registered
/// by apply().
///
/// apply() has the same result as the same calls of the store in the same order: the same entities, components, values, bits
/// and ticks, and the same calls of hooks in sum. The commands of one entity become one change and one move of its row. The
/// result differs on purpose in these cases:
///     add or set, set     The last value is assigned, the others are destroyed. Hooks see the last value, once.
///     add, remove         If the entity lacks the component, nothing is added and no hook is called.
///     spawn, despawn      Nothing happens. No relation refuses it, and the values are destroyed.
///     set, despawn        The new value is destroyed and not assigned: on_remove sees the old one. Commands before a despawn
///                         are counted as dropped only if the entity does not live.
///     despawn             A despawn wins: a later command about the entity, also as a target, is destroyed at once and
///                         counted as dropped, even if a relation refuses the despawn, so that apply() throws.
///     different entities  They are changed in the order in which they were first named, and despawned after that. But if
///                         other entities relate to a despawned one, then commands recorded before that despawn come
///                         before it, and later ones after it.
///     a dead target       The command is dropped where the store throws, also if this buffer has ended it before.
/// Some commands of one entity have no single move with the same result. These are carried out one by one: a component of the
/// entity is removed and added again, a companion of an added component is named by another command too, an exclusive relation
/// gets two targets, or unrelate(entity, relation) comes with other commands about that relation.
///
/// A call of call(f) comes where it was recorded. What is said above of several commands holds for those between two calls, but
/// for that a despawn wins.
///
/// A command is also dropped if its entity does not live when it is applied, or if it relates to a target that does not live
/// and is not spawned by this buffer. (What another buffer spawns lives once that buffer was applied.) apply() counts such
/// commands.
///
/// If something throws while commands are applied, earlier changes stay. The entity whose change threw is as before, or has
/// ended if the buffer spawned it, and its commands are dropped. Where its commands are carried out one by one, those before
/// the one that threw stay done. The commands of other entities remain in the buffer: apply it again, or clear() it. An
/// exception of an on_add or on_set hook comes after the change of its entity, which stays.
///
/// A buffer that dies leaves its memory to the store, up to a few buffers of 128 KiB each, and the next ones take it: a buffer
/// that is made anew in each frame costs little more than one that is kept. ArchetypeStore::defer() has such a buffer.
///
/// Commands must be applied or cleared before their store dies (checked at level fast). An empty buffer may outlive its store;
/// it can be assigned and destroyed then, and records nothing. Values are moved into the buffer and from there to their
/// columns, also move-only and over-aligned ones. Each value is destroyed once, whatever happens. Constructors of values may
/// record, but must not apply or clear this buffer.
class CommandBuffer {
public:
    using size_type = std::size_t;

    //=== construction ===//

    /// A buffer for this store. It stays one when the store is moved.
    explicit CommandBuffer(const ArchetypeStore& store) noexcept;
    CommandBuffer(const CommandBuffer&) = delete;
    CommandBuffer& operator=(const CommandBuffer&) = delete;
    /// Takes over the commands. `other` is empty then.
    CommandBuffer(CommandBuffer&& other) noexcept;
    /// Drops its commands and takes over those of `other`, which is empty then.
    CommandBuffer& operator=(CommandBuffer&& other) noexcept {
        CommandBuffer taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// Drops the commands that are left, as clear().
    ~CommandBuffer();
    void swap(CommandBuffer& other) noexcept;
    friend void swap(CommandBuffer& a, CommandBuffer& b) noexcept { a.swap(b); }

    //=== capacity ===//

    /// The number of commands that wait to be applied.
    size_type size() const noexcept { return records_ == nullptr ? 0 : records_->size(); }
    bool empty() const noexcept { return size() == 0; }
    /// Bytes held on the heap, without those that recorded values hold themselves. They are taken at the first command.
    /// @complexity linear in kinds of commands
    size_type memory_usage() const noexcept;
    /// Takes ids for the next `spawns` calls of spawn(). They are the ids that the store would make next: a buffer that takes
    /// its ids before threads start has the same ids in each run of the program.
    /// @throws std::length_error when there are not so many ids; what the allocator throws; strong
    void reserve(size_type spawns);
    /// Drops all commands: values are destroyed, and ids that spawn() and reserve() took are given back. Memory is kept.
    /// @pre the buffer is not being applied (checked at level fast)
    void clear() noexcept;
    /// Frees memory that no command needs. @pre as clear()
    void shrink_to_fit() noexcept;

    //=== entities ===//

    /// A new entity with these components. The id can be used at once: in later commands, as the target of a pair, in values.
    /// It lives after apply().
    /// @throws std::length_error when there are no ids left; what the values' constructors and the allocator throw; strong
    template <detail::Component... Ts>
    Entity spawn(Ts&&... values) {
        detail::CommandRecords& records = this->records();
        const Entity entity = records.ids.next(*core_);
        records.recorded.begin(entity);
        records.ids.use(); // before values are built, which may spawn too
        ScopeGuard undo([&]() noexcept { records.ids.unuse(entity); });
        if constexpr (sizeof...(Ts) == 0)
            records.recorded.count(records.recorded.group(entity));
        else
            record_values<detail::CommandKind::add>(entity, std::forward<Ts>(values)...);
        records.recorded.set_spawned(entity);
        undo.dismiss();
        return entity;
    }
    /// Ends an entity. @throws what the allocator throws; strong
    void despawn(Entity entity);

    //=== components ===//

    /// As ArchetypeStore::add. @throws what the values' constructors and the allocator throw; strong
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void add(Entity entity, Ts&&... values) {
        record_values<detail::CommandKind::add>(without_user_bits(entity), std::forward<Ts>(values)...);
    }
    /// With default values, or tags: add<Hidden>(entity).
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void add(Entity entity) {
        record<detail::CommandKind::add, Ts...>(entity);
    }
    /// Named by ids; pairs too. @throws also std::invalid_argument when an id is none of the store's registry
    void add(Entity entity, ComponentId id) { record_id(detail::CommandKind::add, entity, id, nullptr); }
    /// All of them in one command, as in the store.
    void add(Entity entity, std::span<const ComponentId> ids) { record_ids(detail::CommandKind::add, entity, ids); }
    /// With a type-erased value, which is copied or moved to the buffer. @throws also std::invalid_argument when the
    /// component has no values, or of another type
    void add(Entity entity, ComponentId id, const AnyValue& value) { record_id(detail::CommandKind::add, entity, id, &value); }
    /// As ArchetypeStore::set. @throws as add
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void set(Entity entity, Ts&&... values) {
        record_values<detail::CommandKind::set>(without_user_bits(entity), std::forward<Ts>(values)...);
    }
    void set(Entity entity, ComponentId id, const AnyValue& value) { record_id(detail::CommandKind::set, entity, id, &value); }
    /// As ArchetypeStore::emplace: the value is built from `args` in the buffer, and moved to its place by apply().
    /// @throws as add
    template <detail::Component T, class... Args>
    void emplace(Entity entity, Args&&... args) {
        static_assert(!detail::is_tag_type<T>, "CommandBuffer::emplace<T>: a type without state is a tag, which is built of "
                                               "nothing; write add<T>(entity)");
        static_assert(detail::builds_from<T, Args...>,
                      "CommandBuffer::emplace<T>(entity, args...): there is no T(args...) and no T{args...}");
        static_assert(
            std::is_move_constructible_v<T>,
            "CommandBuffer::emplace<T>: values of this type can be neither copied nor moved, so they cannot wait in a "
            "buffer; write call([=](ArchetypeStore& store) { store.emplace<T>(entity, args...); }), or "
            "add<T>(entity) for a default value");
        detail::CommandRecords& records = this->records();
        detail::Command* const command = make<detail::CommandKind::add, true, T>(records);
        detail::build_from<T>(command->value(command->shape->items[0]), std::forward<Args>(args)...);
        link(this->records(), without_user_bits(entity), command);
    }
    /// As ArchetypeStore::remove. @throws as add
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void remove(Entity entity) {
        record<detail::CommandKind::remove, Ts...>(entity);
    }
    void remove(Entity entity, ComponentId id);
    void remove(Entity entity, std::span<const ComponentId> ids) { record_ids(detail::CommandKind::remove, entity, ids); }

    //=== pairs ===//

    /// Relates an entity to a target, which may be one that this buffer spawns. @throws as add by id
    void relate(Entity entity, ComponentId relation, Entity target) { add(entity, pair_of(relation, target)); }
    /// The same in a relation with values. If the entity has the pair, its value is replaced.
    void relate(Entity entity, ComponentId relation, Entity target, const AnyValue& value) {
        set(entity, pair_of(relation, target), value);
    }
    /// The same for a type R that is registered as a relation.
    template <detail::Component R>
    void relate(Entity entity, Entity target, R&& value) {
        const ComponentId relation = core_->registry.find<R>();
        if constexpr (detail::is_tag_type<std::remove_cvref_t<R>>)
            relate(entity, relation, target);
        else
            relate(entity, relation, target, AnyValue::of(std::forward<R>(value)));
    }
    /// Removes the pair, or all pairs of the relation. @throws as remove by id
    void unrelate(Entity entity, ComponentId relation, Entity target) { remove(entity, pair_of(relation, target)); }
    void unrelate(Entity entity, ComponentId relation) {
        record_id(detail::CommandKind::remove, entity, pair_of(relation, any), nullptr);
    }

    //=== calls ===//

    /// Calls f(store), or f(), in its place: what was recorded before has happened then, to all entities, and what is recorded
    /// later happens after it. f may do with the store what is done outside of apply(): change structure, walk, apply other
    /// buffers. What it records into this buffer, or in store.defer() if apply() is that of a defer(), comes after all that was
    /// recorded before, in the same apply(). f is moved or copied here, may be move-only, is called once and destroyed. It is
    /// not called if the buffer is cleared.
    ///     commands.spawn(Wave{2});
    ///     commands.call([&](ArchetypeStore& store) { total = store.query<const Enemy>().size(); });
    /// A call cuts: only commands between two calls become one change of their entity.
    /// @pre f does not move, destroy or end the store, nor apply or clear this buffer (the latter checked at level fast)
    /// @throws what the copy of f and the allocator throw; strong. If f throws in apply(), it counts as done; the rest stays
    template <class F>
    void call(F&& f) {
        using Function = std::remove_cvref_t<F>;
        static_assert(std::is_invocable_v<Function&, ArchetypeStore&> || std::is_invocable_v<Function&>,
                      "CommandBuffer::call(f): f is called as f(ArchetypeStore&) or f()");
        records().recorded.call(std::forward<F>(f));
    }

private:
    friend class ArchetypeStore;
    friend detail::Deferral;

    template <class Target>
    ComponentId pair_of(ComponentId relation, Target target) {
        static_cast<void>(records()); // the store lives
        return core_->registry.pair_of(relation, target, "CommandBuffer");
    }
    static Entity without_user_bits(Entity entity) noexcept { return detail::without_user_bits(entity); }
    /// @pre the buffer is not being applied (checked at level fast)
    void expect_not_applying() const noexcept {
        SLOTWISE_EXPECT(records_ == nullptr || !records_->applying,
                        "CommandBuffer: a hook or a value changes the buffer that is being applied; recording is "
                        "all that is possible then");
    }
    /// What is recorded. Ids that were taken before the store was cleared or restored are void.
    /// @pre the store lives (checked at level fast) @throws what the allocator throws
    SLOTWISE_ALWAYS_INLINE detail::CommandRecords& records() {
        if (records_ == nullptr || records_->ids.epoch() != life_->epoch) [[unlikely]]
            prepare();
        return *records_;
    }
    SLOTWISE_INLINE SLOTWISE_COLD void prepare();
    void end_epoch() noexcept;
    /// What ArchetypeStore::apply does.
    size_type apply_to(detail::StoreCore& core, ArchetypeStore& store);
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void call(const detail::CommandCall& each, detail::StoreCore& core,
                                                    ArchetypeStore& store);
    /// Adds a command to the group of its entity, or drops it if the entity is despawned.
    void link(detail::CommandRecords& records, Entity entity, detail::Command* command) {
        ScopeGuard undo([&]() noexcept { command->destroy(); });
        detail::CommandGroup& group = records.recorded.group(entity);
        if (group.despawned()) {
            ++records.dropped;
            return;
        }
        records.recorded.link(group, command);
        undo.dismiss();
    }
    /// A command with components of these types, and with room for values of them if Values.
    template <detail::CommandKind Kind, bool Values, class... Ts>
    SLOTWISE_ALWAYS_INLINE detail::Command* make(detail::CommandRecords& records) {
        const auto registry = [&]() -> const ComponentRegistry& { return core_->registry; };
        return records.recorded.make(records.shapes.of_types<Kind, Values, Ts...>(registry));
    }
    /// Records a command without values.
    template <detail::CommandKind Kind, class... Ts>
    void record(Entity entity) {
        detail::CommandRecords& records = this->records();
        link(records, without_user_bits(entity), make<Kind, false, Ts...>(records));
    }
    /// Records a command with a value of each type.
    template <detail::CommandKind Kind, class... Ts>
    void record_values(Entity entity, Ts&&... values) {
        static_assert(detail::all_different<std::remove_cvref_t<Ts>...>,
                      "CommandBuffer: two values have one type; give one of each");
        detail::CommandRecords& records = this->records();
        detail::Command* const command = make<Kind, true, std::remove_cvref_t<Ts>...>(records);
        const detail::CommandShape& shape = *command->shape;
        std::size_t built = 0;
        ScopeGuard undo([&]() noexcept { shape.destroy_values(command->payload(), built); });
        (build(shape, command, built, std::forward<Ts>(values)), ...);
        undo.dismiss();
        if constexpr ((std::is_trivially_copyable_v<std::remove_cvref_t<Ts>> && ...))
            link(records, entity, command);
        else // a constructor may have ended what was reserved
            link(this->records(), entity, command);
    }
    /// Builds the value of item number `built` and counts it.
    template <class T>
    static void build(const detail::CommandShape& shape, detail::Command* command, std::size_t& built, T&& value) {
        if constexpr (!detail::is_tag_type<std::remove_cvref_t<T>>)
            detail::build_value<std::remove_cvref_t<T>>(command->value(shape.items[built]), std::forward<T>(value));
        ++built;
    }
    /// Records a command about one id, and a value if there is one.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void record_id(detail::CommandKind kind, Entity entity, ComponentId id,
                                                         const AnyValue* value);
    /// Records one command about several ids, because they shall come in one move.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void record_ids(detail::CommandKind kind, Entity entity,
                                                          std::span<const ComponentId> ids);
    /// Whether the id is a pair whose target is despawned by an earlier command. The command counts as dropped then.
    /// Throws what the allocator throws; strong
    bool is_late_target(ComponentId id);

    const detail::StoreCore* core_; // dangles after life_->has_ended()
    detail::StoreLifeRef life_;
    detail::CommandRecords* records_ = nullptr; // null until the first command
};

namespace detail {

/// One call of ArchetypeStore::defer.
class Deferral {
public:
    explicit Deferral(ArchetypeStore& store);
    Deferral(const Deferral&) = delete;
    Deferral& operator=(const Deferral&) = delete;
    ~Deferral();
    /// Where it records: in the buffer of the outermost call.
    CommandBuffer& commands() noexcept { return *core_.deferring; }
    /// Carries the commands out, if it is the outermost call. Returns how many were dropped.
    std::size_t end();

private:
    ArchetypeStore& store_;
    StoreCore& core_;
    bool outermost_;
    CommandBuffer own_;
};

} // namespace detail

SLOTWISE_END

#if SLOTWISE_BODIES
#include "command_buffer.inl.hpp"
#endif

#endif
