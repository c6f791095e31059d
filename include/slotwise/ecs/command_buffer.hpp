// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandBuffer: changes of a store that are recorded now and carried out later.
#ifndef SLOTWISE_ECS_COMMAND_BUFFER_HPP
#define SLOTWISE_ECS_COMMAND_BUFFER_HPP

#include "archetype_store.hpp"
#include "detail/command_apply.hpp"
#include "detail/reserved_ids.hpp"

SLOTWISE_BEGIN
/// Changes of an ArchetypeStore, recorded while its structure must not change: in a query's loop, in a hook, on a thread of its
/// own. store.apply(buffer) carries them out.
///     CommandBuffer later(store);
///     store.query<const Health>().for_each([&](Entity entity, const Health& health) {
///         if (health.left <= 0) later.despawn(entity);
///     });
///     const Entity spark = later.spawn(Position{}, Spark{});   // an id to be used at once; it lives after apply()
///     later.relate(spark, follows, player);
///     store.apply(later);                                      // the buffer is empty then, and is used again
/// Recording reads the store only. So each thread may have a buffer, as long as no one changes structure meanwhile; apply them
/// in the order in which their effects shall come. The ids of spawns depend on which thread asks first: reserve() makes them
/// deterministic. A component that is not registered when it is recorded is registered by apply().
///
/// apply() leaves what the same calls of the store would leave in this order: entities, components, values, bits, ticks, and
/// what hooks have heard in sum. The commands of one entity become one change and one move of its row. This is meant to differ:
///     add or set, set     the last value is given, the others are destroyed; hooks see the last one, once
///     add, remove         of what the entity has not: nothing is added, and hooks hear nothing
///     spawn, despawn      nothing happens, no relation refuses it, the values are destroyed
///     set, despawn        what was set is destroyed and not assigned: on_remove sees the value before. What is recorded before
///                         the end of its entity is only counted as dropped if the entity does not live
///     despawn             it wins: what is recorded about the entity afterwards, also as a target, is destroyed at once and
///                         counted as dropped, even if a relation refuses the despawn, which apply() throws
///     different entities  come in the order in which they were first named, those that end last; but what was recorded before
///                         the end of an entity that others relate to comes before it, and the rest after it
///     a dead target       the command is dropped where the store throws
/// Commands of one entity that no single move can stand for are carried out one by one: a component that the entity has goes
/// and comes again, one that comes along with another is named too, an exclusive relation gets two targets, unrelate(entity,
/// relation) beside other commands about the relation.
///
/// Dropped are also commands of entities that do not live when they are applied, and those that relate to a target that does
/// not, unless this buffer spawns it. (What another buffer spawns does not live before that one was applied.) apply() counts
/// them.
///
/// If something throws while commands are applied, what was applied stays. The entity whose change threw is as it was, or has
/// ended if the buffer spawned it, and its commands are dropped; where they are carried out one by one, it is as the one before
/// left it. The commands of other entities stay in the buffer: apply it again, or clear() it. What a hook throws comes after
/// the change of its entity, which stays.
///
/// Commands must be applied or cleared before their store ends (checked at level fast). An empty buffer may outlive its store;
/// it can be assigned and destroyed then, and records nothing. Values are moved to the buffer and from there to their columns;
/// move-only and over-aligned ones too. Each is destroyed once, whatever happens. Their constructors may record, but not apply
/// or clear this buffer.
class CommandBuffer {
public:
    using size_type = std::size_t;

    //=== construction ===//

    /// A buffer for this store, also after it was moved.
    explicit CommandBuffer(const ArchetypeStore& store) noexcept : core_(store.core_), life_(core_->life) {}
    CommandBuffer(const CommandBuffer&) = delete;
    CommandBuffer& operator=(const CommandBuffer&) = delete;
    /// Takes the commands. `other` is empty then.
    CommandBuffer(CommandBuffer&& other) noexcept : core_(other.core_), life_(other.life_) { swap(other); }
    /// The same; commands that were here are dropped.
    CommandBuffer& operator=(CommandBuffer&& other) noexcept {
        CommandBuffer taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// Drops what is left, as clear().
    ~CommandBuffer() { clear(); }
    void swap(CommandBuffer& other) noexcept {
        expect_at_rest();
        other.expect_at_rest();
        std::swap(core_, other.core_);
        life_.swap(other.life_);
        shapes_.swap(other.shapes_);
        recorded_.swap(other.recorded_);
        applied_.swap(other.applied_);
        ids_.swap(other.ids_);
        scratch_.swap(other.scratch_);
        std::swap(dropped_, other.dropped_);
    }
    friend void swap(CommandBuffer& a, CommandBuffer& b) noexcept { a.swap(b); }

    //=== capacity ===//

    /// The number of commands that wait to be applied.
    size_type size() const noexcept { return recorded_.size() + applied_.size(); }
    bool empty() const noexcept { return size() == 0; }
    /// Bytes held on the heap, without what recorded values hold themselves. @complexity linear in kinds of commands
    size_type memory_usage() const noexcept { return detail::memory_of(shapes_, recorded_, applied_, ids_, scratch_); }
    /// Takes ids for the next `spawns` calls of spawn(). They are those that the store would make next: a buffer that takes its
    /// ids before threads run gives the same ids in each run.
    /// @throws std::length_error when there are not so many ids; what the allocator throws; strong
    void reserve(size_type spawns) {
        check_epoch();
        ids_.reserve(core_->reserved, core_->entities, spawns);
    }
    /// Drops all commands: their values are destroyed, and the ids of their spawns, which never live, are given back, and those
    /// that reserve() took. Memory is kept. @pre the buffer is not being applied (checked at level fast)
    void clear() noexcept {
        expect_at_rest();
        if (life_->has_ended()) [[unlikely]] {
            SLOTWISE_EXPECT(empty(), "CommandBuffer: the store has ended before commands that were recorded for it; apply or "
                                     "clear() them before, or let the store live longer");
            ids_.forget(ids_.epoch()); // which is none of the ended store: nothing can be recorded
            return reset();
        }
        check_epoch();
        const auto unused = [&](const detail::CommandGroup& group) {
            if (group.spawned() && !group.is_void()) ids_.unuse(group.entity);
        };
        recorded_.for_each_left(unused);
        applied_.for_each_left(unused);
        ids_.give_back(core_->reserved);
        reset();
    }
    /// Frees memory that no command needs. @pre as clear()
    void shrink_to_fit() noexcept {
        expect_at_rest();
        if (recorded_.empty()) recorded_.free();
        if (applied_.empty()) applied_.free();
    }

    //=== entities ===//

    /// A new entity with these components. The id can be used at once: in later commands, as the target of a pair, in values.
    /// It lives after apply().
    /// @throws std::length_error when there are no ids left; what the values' constructors and the allocator throw; strong
    template <detail::Component... Ts>
    Entity spawn(Ts&&... values) {
        check_epoch();
        const Entity entity = ids_.next(core_->reserved, core_->entities);
        recorded_.begin(entity);
        ids_.use(); // before values are built, which may spawn too
        ScopeGuard undo([&]() noexcept { ids_.unuse(entity); });
        if constexpr (sizeof...(Ts) == 0)
            recorded_.count(recorded_.group(entity));
        else
            record_values<detail::CommandKind::add>(entity, std::forward<Ts>(values)...);
        recorded_.set_spawned(entity);
        undo.dismiss();
        return entity;
    }
    /// Ends an entity. @throws what the allocator throws; strong
    void despawn(Entity entity) {
        check_epoch();
        detail::CommandGroup& group = recorded_.group(plain(entity));
        if (group.despawned())
            ++dropped_;
        else
            recorded_.despawn(group);
    }

    //=== components ===//

    /// As ArchetypeStore::add. @throws what the values' constructors and the allocator throw; strong
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void add(Entity entity, Ts&&... values) {
        record_values<detail::CommandKind::add>(plain(entity), std::forward<Ts>(values)...);
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
    /// With a value of a described type, which is copied or moved to the buffer. @throws also std::invalid_argument when the
    /// component has no values, or of another type
    void add(Entity entity, ComponentId id, const AnyValue& value) { record_id(detail::CommandKind::add, entity, id, &value); }
    /// As ArchetypeStore::set. @throws as add
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void set(Entity entity, Ts&&... values) {
        record_values<detail::CommandKind::set>(plain(entity), std::forward<Ts>(values)...);
    }
    void set(Entity entity, ComponentId id, const AnyValue& value) { record_id(detail::CommandKind::set, entity, id, &value); }
    /// As ArchetypeStore::remove. @throws as add
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    void remove(Entity entity) {
        record<detail::CommandKind::remove, Ts...>(entity);
    }
    void remove(Entity entity, ComponentId id) {
        check_epoch();
        core_->registry.expect(id, "CommandBuffer::remove");
        record_id(detail::CommandKind::remove, entity, id, nullptr);
    }
    void remove(Entity entity, std::span<const ComponentId> ids) { record_ids(detail::CommandKind::remove, entity, ids); }

    //=== pairs ===//

    /// Relates an entity to a target, which may be one that this buffer spawns. @throws as add by id
    void relate(Entity entity, ComponentId relation, Entity target) { add(entity, pair(relation, target)); }
    /// The same, in a relation with values, which replaces the one of a pair that is there.
    void relate(Entity entity, ComponentId relation, Entity target, const AnyValue& value) {
        set(entity, pair(relation, target), value);
    }
    /// The same, where R is a type that is registered as a relation.
    template <detail::Component R>
    void relate(Entity entity, Entity target, R&& value) {
        const ComponentId relation = core_->registry.find<R>();
        if constexpr (detail::is_tag_type<std::remove_cvref_t<R>>)
            relate(entity, relation, target);
        else
            relate(entity, relation, target, AnyValue::of(std::forward<R>(value)));
    }
    /// Removes the pair, or all pairs of the relation. @throws as remove by id
    void unrelate(Entity entity, ComponentId relation, Entity target) { remove(entity, pair(relation, target)); }
    void unrelate(Entity entity, ComponentId relation) {
        record_id(detail::CommandKind::remove, entity, pair(relation, any), nullptr);
    }

private:
    friend class ArchetypeStore;

    static Entity plain(Entity entity) noexcept { return detail::without_user_bits(entity); }
    void expect_at_rest() const noexcept {
        SLOTWISE_EXPECT(!applying_, "CommandBuffer: a hook or a value changes the buffer that is being applied; recording is "
                                    "all that is possible then");
    }
    /// Ids that were taken before the store was cleared or restored are void. @pre the store lives (checked at level fast)
    SLOTWISE_ALWAYS_INLINE void check_epoch() noexcept {
        if (ids_.epoch() != life_->epoch) [[unlikely]]
            end_epoch();
    }
    SLOTWISE_COLD void end_epoch() noexcept {
        SLOTWISE_EXPECT(!life_->has_ended(), "CommandBuffer: the store that it was made for has ended");
        recorded_.set_spawned_void();
        applied_.set_spawned_void();
        ids_.forget(life_->epoch);
    }
    void reset() noexcept {
        recorded_.reset();
        applied_.reset();
        dropped_ = 0;
    }
    /// Adds a command to the group of its entity, or drops it.
    void link(Entity entity, detail::Command* command) {
        check_epoch();
        ScopeGuard undo([&]() noexcept { command->destroy(); });
        detail::CommandGroup& group = recorded_.group(entity);
        if (group.despawned()) {
            ++dropped_;
            return;
        }
        recorded_.link(group, command);
        undo.dismiss();
    }
    template <detail::CommandKind Kind, bool Values, class... Ts>
    SLOTWISE_ALWAYS_INLINE const detail::CommandShape& shape_of() {
        return shapes_.of_types<Kind, Values, Ts...>([&]() -> const ComponentRegistry& {
            check_epoch(); // not before: link() does it for each command
            return core_->registry;
        });
    }
    template <detail::CommandKind Kind, class... Ts>
    void record(Entity entity) {
        link(plain(entity), recorded_.make(shape_of<Kind, false, Ts...>()));
    }
    template <detail::CommandKind Kind, class... Ts>
    void record_values(Entity entity, Ts&&... values) {
        static_assert(detail::all_different<std::remove_cvref_t<Ts>...>,
                      "CommandBuffer: two values have one type; give one of each");
        const detail::CommandShape& shape = shape_of<Kind, true, std::remove_cvref_t<Ts>...>();
        detail::Command* const command = recorded_.make(shape);
        std::size_t built = 0;
        ScopeGuard undo([&]() noexcept { shape.destroy_values(command->payload(), built); });
        (build(shape, command, built, std::forward<Ts>(values)), ...);
        undo.dismiss();
        link(entity, command);
    }
    template <class T>
    static void build(const detail::CommandShape& shape, detail::Command* command, std::size_t& built, T&& value) {
        if constexpr (!detail::is_tag_type<std::remove_cvref_t<T>>)
            ::new (command->value(shape.items[built])) std::remove_cvref_t<T>(std::forward<T>(value));
        ++built;
    }
    SLOTWISE_NEVER_INLINE void record_id(detail::CommandKind kind, Entity entity, ComponentId id, const AnyValue* value) {
        check_epoch();
        const detail::CommandShape& shape = shapes_.of_id(core_->registry, kind, id, value != nullptr);
        if (kind != detail::CommandKind::remove && is_late_target(id)) return;
        detail::Command* const command = recorded_.make(shape);
        if (shape.pair) ::new (command->payload()) ComponentId(id);
        if (value != nullptr) value->build(*shape.items[0].type, command->value(shape.items[0]));
        link(plain(entity), command);
    }
    /// As one command, because all of them come in one move.
    SLOTWISE_NEVER_INLINE void record_ids(detail::CommandKind kind, Entity entity, std::span<const ComponentId> ids) {
        check_epoch();
        for (const ComponentId id : ids) core_->registry.expect(id, "CommandBuffer");
        if (ids.size() == 1) return record_id(kind, entity, ids[0], nullptr);
        detail::PlainVector<ComponentId> sorted;
        detail::IdSets::assign(sorted, ids);
        if (kind != detail::CommandKind::remove)
            for (const ComponentId id : sorted)
                if (is_late_target(id)) return;
        detail::Command* const command =
            recorded_.make(shapes_.of_list(kind), detail::checked_bytes(sorted.size(), sizeof(ComponentId)));
        ::new (command->payload()) std::uint64_t(sorted.size());
        auto* const to = static_cast<std::byte*>(command->payload()) + sizeof(std::uint64_t);
        if (!sorted.empty()) std::memcpy(to, sorted.data(), sorted.size() * sizeof(ComponentId));
        link(plain(entity), command);
    }
    // Whether a pair comes after its target's end, and counts as dropped then. Throws what the allocator throws; strong
    bool is_late_target(ComponentId id) {
        const Entity target = id.target();
        if (!target) return false;
        recorded_.add_target(target);
        if (!recorded_.despawns(target)) return false;
        ++dropped_;
        return true;
    }

    const detail::StoreCore* core_; // valid as long as the store lives
    detail::StoreLifeRef life_;
    detail::CommandShapes shapes_{};
    detail::CommandBatch recorded_{}, applied_{}; // what is applied, or is left of it
    detail::CommandIds ids_{};
    detail::CommandScratch scratch_{};
    size_type dropped_ = 0;
    bool applying_ = false;
};

inline std::size_t ArchetypeStore::apply(CommandBuffer& buffer) {
    if (core_->life != buffer.life_)
        detail::throw_invalid_argument("ArchetypeStore::apply(buffer): the buffer was made for another store");
    core_->expect_idle();
    buffer.expect_at_rest();
    buffer.check_epoch();
    core_->flush_reserved();
    buffer.applying_ = true;
    const ScopeGuard done([&]() noexcept { buffer.applying_ = false; });
    detail::CommandApply apply(*core_, buffer.scratch_, buffer.dropped_);
    const auto run = [&] {
        buffer.shapes_.resolve(core_->registry);
        apply.run(buffer.applied_);
    };
    if (!buffer.applied_.empty()) run(); // what is left since something threw
    buffer.applied_.swap(buffer.recorded_);
    run();
    if (buffer.recorded_.empty()) {
        buffer.recorded_.swap(buffer.applied_); // its memory is warm
        buffer.ids_.all_used();
    }
    return std::exchange(buffer.dropped_, 0);
}

SLOTWISE_END

#endif
