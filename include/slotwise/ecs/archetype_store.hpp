// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore: entities and their components, composed of the containers of this folder.
#ifndef SLOTWISE_ECS_ARCHETYPE_STORE_HPP
#define SLOTWISE_ECS_ARCHETYPE_STORE_HPP

#include "entity_builder.hpp"
#include "extracted_entity.hpp"
#include "query.hpp"
#include "store_access.hpp"
#include "store_relations.hpp"
#include "store_restore.hpp"
#include "store_typed.hpp"

SLOTWISE_BEGIN

class CommandBuffer;

/// Entities, and components of any types that they get and lose at run time. Entities with the same set of components share a
/// Table: a column for each component, a row for each entity. A change of the set moves the row, once, however many components
/// it adds or removes. The parts are containers of their own; this class is their composition.
///     ArchetypeStore store;
///     const Entity car = store.spawn(Position{}, Velocity{1, 0});
///     store.add(car, Name{"car"}, Health{3});                      // one move
///     store.set(car, Velocity{2, 0});                              // assigns, or adds
///     if (Health* health = store.get<Health>(car)) --health->left;
///     store.query<Position, const Velocity>().for_each([](Position& p, const Velocity& v) { p.x += v.x; });
///     store.despawn(car);                                          // `car` never resolves again
/// A component is registered with default traits when its type is first used; others through registry(). A type without state
/// is a tag. Handles of dead entities are allowed everywhere: they find nothing, and changes of them return false.
///
/// Structure, that is entities and their sets of components, may not change while a query walks, or while a hook or a
/// constructor or destructor of a value is running: level fast refuses it and names CommandBuffer. Walks and hooks may read and
/// write values, constructors of given values may read them. Moves and destructors of values must not use the store's values.
///
/// Guarantees:
///     strong   spawn, add, remove, relate: a throw leaves the store as before, if moves of the values in tables do not throw
///              (else the entity keeps its components, some of which may be moved-from). Arguments may have been moved from
///     aliases  arguments may refer to values in the store: store.set(e, *store.get<T>(other))
///     stable   no value moves unless its entity, or another one of its table, changes; sparse ones do not move at all
///     const    const members may be called by several threads at once; see Query for disjoint writes
class ArchetypeStore {
public:
    /// What it names entities by.
    using entity_type = Entity;
    using size_type = std::size_t;
    /// Names a range of indices that have ids of their own, see add_range.
    using Range = detail::StoreCore::Entities::Range;

    //=== construct and move ===//

    /// No entities, no components. @throws what the allocator throws
    ArchetypeStore() : core_(new detail::StoreCore()) {}
    /// The components of this registry. @throws what the allocator throws; strong
    explicit ArchetypeStore(ComponentRegistry&& components) : core_(new detail::StoreCore(std::move(components))) {}
    ArchetypeStore(const ArchetypeStore&) = delete;
    ArchetypeStore& operator=(const ArchetypeStore&) = delete;
    /// Takes everything: entities, addresses, queries and command buffers stay valid and refer to this store. `other` can only
    /// be assigned to, swapped or destroyed then. @complexity O(1)
    ArchetypeStore(ArchetypeStore&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
    /// The same; the old contents are destroyed, without hooks. @invalidates queries and command buffers of the old contents
    ArchetypeStore& operator=(ArchetypeStore&& other) noexcept {
        ArchetypeStore taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// Destroys all values, without hooks.
    ~ArchetypeStore() { delete core_; }
    void swap(ArchetypeStore& other) noexcept { std::swap(core_, other.core_); }
    friend void swap(ArchetypeStore& a, ArchetypeStore& b) noexcept { a.swap(b); }

    /// What components there are: to register some with traits, or at run time, and to find ids and names.
    ComponentRegistry& registry() noexcept { return core_->registry; }
    const ComponentRegistry& registry() const noexcept { return core_->registry; }

    //=== entities ===//

    /// Entities that live.
    size_type size() const noexcept { return core_->size(); }
    bool empty() const noexcept { return size() == 0; }
    /// Whether the entity lives. Any bit pattern is allowed.
    bool is_alive(Entity entity) const noexcept { return core_->is_alive(entity); }
    /// Why an entity does or does not live, for diagnostics.
    HandleStatus explain(Entity entity) const noexcept { return core_->entities.explain(entity); }

    /// The entities that live, in no order; those of a range, if it is given. As long as a command buffer is recording, ids
    /// that it has taken may be among them: is_alive() is false for these. @invalidates the next spawn or despawn
    std::span<const Entity> entities(Range range = Range()) const noexcept { return core_->entities.alive(range); }
    /// A new entity with these components. A tag is a value too: spawn(Position{}, Hidden{}).
    /// @throws what the values and the allocator throw; strong @complexity one row @invalidates addresses in that table
    template <detail::Component... Ts>
    Entity spawn(Ts&&... values) {
        return detail::StoreTyped::spawn(*core_, std::forward<Ts>(values)...);
    }
    /// `count` new entities, each with copies of these values. The span ends at the next spawn or despawn.
    /// @throws as spawn; strong @complexity linear in the bytes of the rows
    template <detail::Component... Ts>
    std::span<const Entity> spawn_n(size_type count, const Ts&... values) {
        return detail::StoreTyped::spawn_n(*core_, count, values...);
    }
    /// Exactly this entity, for replication and loading. False, and no effect, if it lives, or may have lived before: see
    /// EntityIndex::make_alive. @throws as spawn; strong, but spawn() may return the entity next
    template <detail::Component... Ts>
    bool spawn_at(Entity entity, Ts&&... values) {
        return detail::StoreTyped::spawn_at(*core_, entity, std::forward<Ts>(values)...);
    }
    /// Gives the indices from `first` up to, not including, `last` ids of their own: spawn() never issues them, spawn_in() and
    /// spawn_at() do. For example, what a server owns and what a client makes for itself. Part of a snapshot.
    /// @throws std::invalid_argument when the range is empty, overlaps another, or one of its indices was used; std::bad_alloc;
    /// strong @complexity see EntityIndex::add_range
    Range add_range(slot_t first, slot_t last) {
        core_->expect_idle();
        core_->flush_reserved();
        return core_->entities.add_range(first, last);
    }
    /// The range that the entity's index belongs to; a value-initialised one is that of spawn().
    Range range_of(Entity entity) const noexcept { return core_->entities.range_of(entity); }
    /// A new entity with an id of this range. @throws as spawn; strong
    template <detail::Component... Ts>
    Entity spawn_in(Range range, Ts&&... values) {
        return detail::StoreTyped::spawn_in(*core_, range, std::forward<Ts>(values)...);
    }
    /// An entity that is put together step by step and then spawned into the right table:
    ///     store.builder().with(Position{}).with<Hidden>().with(id).relate(child_of, parent).spawn()
    EntityBuilder builder() noexcept { return EntityBuilder(*core_); }
    /// Ends an entity and all of its components; what relates to it is treated as its relations ask for. False if it does not
    /// live.
    /// @throws std::invalid_argument when a relation refuses it (OnTargetDespawn::refuse); what moves that may throw do; if
    /// others relate to it what the allocator throws: some of them may have lost their pairs, and nothing has ended
    /// @complexity one row, and what relates to it @invalidates addresses in its table
    bool despawn(Entity entity) { return detail::despawn(*core_, entity); }
    /// Ends an entity as despawn does, and keeps its id reserved: it does not live, and no other entity gets its index, until
    /// fulfill() brings it back or cancel() gives it up. For undo: whatever keeps the id finds the entity again. False if it
    /// does not live. Entities that go along (OnTargetDespawn::despawn) are gone for good: keep them before, the sources first.
    /// @throws as despawn @invalidates addresses in its table
    bool erase_reserved(Entity entity) { return detail::StoreExtraction::erase(*core_, entity); }
    /// The same, and returns its components with their values; none if it does not live. Hooks see the values before.
    ///     auto old = store.extract_reserved(entity);
    ///     store.fulfill(entity, std::move(*old));                      // undone: the same entity again
    /// @throws as despawn, and what the allocator throws; strong as despawn; if moves of values throw, some may be moved-from
    std::optional<ExtractedEntity> extract_reserved(Entity entity) { return detail::StoreExtraction::extract(*core_, entity); }
    /// Brings back a reserved entity with what extract_reserved() has returned: exactly these components, their values, pairs
    /// and disabled bits; ticks are those of an added component. Pairs whose target has died for good meanwhile are left out,
    /// if their relation has OnTargetDespawn::remove. False, and no effect, when the id is not reserved. `components` is empty
    /// after it.
    /// @throws std::invalid_argument when the target of another pair does not live: bring that back first; what the allocator
    /// throws; strong, `components` keeps the values, if values move without a throw; what hooks throw, and the entity stays
    /// @invalidates addresses in that table
    bool fulfill(Entity entity, ExtractedEntity&& components) {
        return detail::StoreExtraction::fulfill(*core_, entity, components);
    }
    /// The same with these components, as spawn_at. @throws as spawn; strong: the id is still reserved
    template <detail::Component... Ts>
        requires(!std::is_same_v<std::remove_cvref_t<Ts>, ExtractedEntity> && ...)
    bool fulfill(Entity entity, Ts&&... values) {
        return detail::StoreTyped::fulfill(*core_, entity, std::forward<Ts>(values)...);
    }
    /// Gives a reserved id up: it is stale for ever, and its index is used next. False when it is not reserved.
    /// @throws what the allocator throws, if command buffers have taken ids; strong
    bool cancel(Entity entity) { return detail::StoreExtraction::cancel(*core_, entity); }
    /// Ends all entities, and gives up those that are reserved; on_remove hooks are called. Ids that lived stay stale for ever.
    /// Tables and queries stay.
    /// @throws what the allocator throws: all have ended nevertheless, or none
    void clear() { detail::clear(*core_); }
    /// Room for `count` entities in all, and for `rows` of them with exactly these components.
    /// @throws std::length_error, what the allocator throws; strong
    template <detail::Component... Ts>
    void reserve(size_type count) {
        detail::StoreTyped::reserve<Ts...>(*core_, count);
    }
    /// Frees memory that is not needed, and erases tables without entities. @throws what the allocator and moves throw
    void shrink_to_fit() { detail::shrink_to_fit(*core_); }

    //=== components ===//

    /// Adds components, in one move. Those that the entity has keep their values. Returns whether the entity lives.
    /// @throws what the values and the allocator throw; strong @complexity one row @invalidates addresses in both tables
    template <detail::Component... Ts>
    bool add(Entity entity, Ts&&... values) {
        return detail::StoreTyped::add(*core_, entity, std::forward<Ts>(values)...);
    }
    /// The same, with default values, or tags: add<Hidden>(entity).
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    bool add(Entity entity) {
        return detail::StoreTyped::add_default<Ts...>(*core_, entity);
    }
    /// The same, named by ids; pairs too.
    /// @throws also std::invalid_argument when an id is none of the registry's, or the target of a pair does not live
    bool add(Entity entity, ComponentId id) { return detail::add_ids(*core_, entity, {&id, 1}); }
    bool add(Entity entity, std::span<const ComponentId> ids) { return detail::add_ids(*core_, entity, ids); }
    /// With a value of a described type. @throws also std::invalid_argument when the component has values of another type
    bool add(Entity entity, ComponentId id, const AnyValue& value) { return detail::give(*core_, entity, id, value, false); }
    /// Removes components, in one move; what the entity has not is ignored. Returns whether the entity lives.
    /// @throws what the allocator throws; strong @complexity one row @invalidates addresses in both tables
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    bool remove(Entity entity) {
        return detail::StoreTyped::remove<Ts...>(*core_, entity);
    }
    bool remove(Entity entity, ComponentId id) { return detail::remove_ids(*core_, entity, {&id, 1}); }
    bool remove(Entity entity, std::span<const ComponentId> ids) { return detail::remove_ids(*core_, entity, ids); }
    /// Gives the entity these values: assigns where it has the component, else adds, all in one move. Returns whether the
    /// entity lives.
    /// @throws what the values and the allocator throw; strong for what is added, values that were assigned stay assigned
    template <detail::Component... Ts>
    bool set(Entity entity, Ts&&... values) {
        return detail::StoreTyped::set(*core_, entity, std::forward<Ts>(values)...);
    }
    bool set(Entity entity, ComponentId id, const AnyValue& value) { return detail::give(*core_, entity, id, value, true); }

    /// The entity's T; null if it does not live or has none. get<T> of a tracked component counts as a change, get<const T> and
    /// that of a const store do not. @complexity O(1)
    template <detail::Component T>
    T* get(Entity entity) noexcept {
        return detail::StoreTyped::get<T>(*core_, entity);
    }
    template <detail::Component T>
    const T* get(Entity entity) const noexcept {
        return detail::StoreTyped::get<const T>(std::as_const(*core_), entity);
    }
    /// The address of a value; null if the entity does not live, has no such component, or it is a tag. It counts as a change.
    void* get(Entity entity, ComponentId id) noexcept { return detail::value_of<true>(*core_, entity, id); }
    const void* get(Entity entity, ComponentId id) const noexcept {
        return detail::value_of<false>(std::as_const(*core_), entity, id);
    }
    /// As get. @throws std::out_of_range that says whether the entity or the component is missing, and why
    template <detail::Component T>
    T& at(Entity entity) {
        return detail::StoreTyped::at<T>(*core_, entity);
    }
    template <detail::Component T>
    const T& at(Entity entity) const {
        return detail::StoreTyped::at<const T>(std::as_const(*core_), entity);
    }
    /// Whether the entity lives and has the component, enabled or not. @complexity O(1)
    template <detail::Component T>
    bool has(Entity entity) const noexcept {
        return detail::StoreTyped::has<T>(*core_, entity);
    }
    /// The same, by id; pair(relation, any) asks for any pair that matches.
    bool has(Entity entity, ComponentId id) const noexcept { return detail::has(*core_, entity, id); }

    /// Calls f(ComponentId, const void* value) for all components of an entity, tags and pairs too, whose value is null: for
    /// inspectors and replication. f must not change structure. @throws what f throws
    template <class F>
    void for_each_component(Entity entity, F&& f) const {
        detail::for_each_component(*core_, entity, f);
    }

    /// Disables or enables a component with trait `toggle`: queries skip the row, the value stays, and no row moves. Returns
    /// whether the entity lives and has it. @throws std::invalid_argument when it has no trait `toggle`; what the allocator
    /// throws; strong
    bool enable(Entity entity, ComponentId id, bool on = true) { return detail::enable(*core_, entity, id, on); }
    template <detail::Component T>
    bool enable(Entity entity, bool on = true) {
        return enable(entity, core_->registry.id<T>(), on);
    }
    /// As enable(entity, id, false).
    template <detail::Component T>
    bool disable(Entity entity) {
        return enable<T>(entity, false);
    }
    /// Whether the entity lives and has the component, and it is not disabled.
    bool is_enabled(Entity entity, ComponentId id) const noexcept { return detail::is_enabled(*core_, entity, id); }
    template <detail::Component T>
    bool is_enabled(Entity entity) const noexcept {
        return is_enabled(entity, core_->registry.find<T>());
    }

    //=== relations ===//

    /// Relates the entity to a target: adds pair(relation, target), in one move. In an exclusive relation it takes the place of
    /// the pair that the entity has, in the same move. Returns whether the entity lives.
    /// @throws std::invalid_argument when it is no relation, or the target does not live; as add; strong
    bool relate(Entity entity, ComponentId relation, Entity target) { return detail::relate(*core_, entity, relation, target); }
    /// The same, in a relation with values, which is assigned if the entity has the pair.
    bool relate(Entity entity, ComponentId relation, Entity target, const AnyValue& value) {
        return set(entity, pair(relation, target), value);
    }
    template <detail::Component R>
    bool relate(Entity entity, Entity target, R&& value) {
        const ComponentId relation = core_->registry.relation<R>();
        if constexpr (detail::is_tag_type<std::remove_cvref_t<R>>)
            return relate(entity, relation, target);
        else
            return relate(entity, relation, target, AnyValue::of(std::forward<R>(value)));
    }
    /// Removes the pair, or all pairs of the relation, in one move. Returns whether the entity lives.
    /// @throws std::invalid_argument when it is no relation; as remove; strong
    bool unrelate(Entity entity, ComponentId relation, Entity target) {
        return detail::unrelate(*core_, entity, relation, target);
    }
    bool unrelate(Entity entity, ComponentId relation) { return detail::unrelate(*core_, entity, relation); }
    /// The entity's target, the first one in order if there are several; null if there is none, or it does not live.
    /// @throws std::invalid_argument when it is no relation
    Entity target(Entity entity, ComponentId relation) const { return detail::target(*core_, entity, relation); }
    /// All targets: for (const Entity other : store.targets(entity, likes)). @throws as target @complexity O(log components)
    /// @invalidates the next change of structure
    auto targets(Entity entity, ComponentId relation) const { return detail::targets(*core_, entity, relation); }
    /// The entities that are related to a target, for example the children of a parent: store.sources(child_of, parent).
    /// @throws as target @complexity O(tables that have the pair) @invalidates the next change of structure
    auto sources(ComponentId relation, Entity target) const { return detail::sources(*core_, relation, target); }
    /// Calls f(entity, depth) for the sources of `root`, then for theirs, and so on: breadth first, from depth 1. Each entity
    /// is met once, so that cycles end. f must not change structure.
    /// @throws as target; what f and the allocator throw @complexity linear in those that are met
    template <class F>
    void for_each_descendant(Entity root, ComponentId relation, F&& f) const {
        detail::for_each_descendant(*core_, root, relation, f);
    }

    //=== queries ===//

    /// The entities that have all of these components, see Query:
    ///     store.query<Position, const Velocity>().for_each([](Position& p, const Velocity& v) { p.x += v.x; });
    /// query<>() asks for nothing: all entities match, and terms are added to it by ids. A query of a const store only reads.
    /// @throws what the allocator throws
    template <class... Ts>
    Query<ArchetypeStore, Ts...> query() {
        return Query<ArchetypeStore, Ts...>(*core_);
    }
    template <class... Ts>
    Query<const ArchetypeStore, Ts...> query() const {
        return Query<const ArchetypeStore, Ts...>(*core_);
    }

    //=== hooks ===//

    /// Calls f(entity, T&), or f(entity), after an entity got a T, by whatever change. What f throws reaches the caller of the
    /// change, which stays; hooks that come after are not called. A hook may read and write values, but not change structure.
    /// @throws what the allocator and the copy of f throw; strong
    template <detail::Component T, class F>
    HookId on_add(F f) {
        return detail::StoreTyped::hook<T>(*core_, HookKind::add, std::move(f));
    }
    /// The same before an entity loses its T, and while it has it; f must not throw. All that may fail was done then, but for
    /// moves of values: if those in the entity's table move without a throw, f is called for no removal that then fails. If a
    /// move throws, on_add hooks are called for what the entity has still: they must not throw either.
    template <detail::Component T, class F>
    HookId on_remove(F f) {
        return detail::StoreTyped::hook<T>(*core_, HookKind::remove, std::move(f));
    }
    /// The same after set() gave an entity a T, after on_add if it added one.
    template <detail::Component T, class F>
    HookId on_set(F f) {
        return detail::StoreTyped::hook<T>(*core_, HookKind::set, std::move(f));
    }
    /// The same by id: f(entity, void* value), or f(entity, ComponentId, void* value); value is null for tags. A hook of
    /// pair(relation, any) is called for each pair of the relation.
    template <class F>
    HookId on_add(ComponentId id, F f) {
        return detail::hook(*core_, HookKind::add, id, std::move(f));
    }
    template <class F>
    HookId on_remove(ComponentId id, F f) {
        return detail::hook(*core_, HookKind::remove, id, std::move(f));
    }
    template <class F>
    HookId on_set(ComponentId id, F f) {
        return detail::hook(*core_, HookKind::set, id, std::move(f));
    }
    /// The hook is not called any more. Returns whether it was there.
    bool off(HookId hook) noexcept { return core_->hooks.erase(hook); }

    //=== time ===//

    /// The tick that changes are stamped with, from 1; it wraps.
    tick_t tick() const noexcept { return core_->tick; }
    /// Goes on to the next tick, at the end of a frame, and returns the one that ended: what is changed from now on is newer.
    ///     const tick_t seen = store.advance();
    ///     store.query<const Position>().changed<Position>(seen)        // later: what changed since
    /// Once in 2^30 ticks it makes old stamps comparable again (TickColumn::clamp).
    /// @complexity O(1), linear in tracked rows once in 2^30 ticks
    tick_t advance() noexcept { return detail::advance(*core_); }

    //=== commands ===//

    /// Carries out the commands of a buffer, see command_buffer.hpp. Returns how many were dropped, because their entity, or a
    /// pair's target, did not live. What hooks record in the buffer meanwhile stays there.
    /// @pre nothing walks or changes the store (checked at level fast)
    /// @throws std::invalid_argument when the buffer was made for another store; what values, hooks, and the allocator throw,
    /// and what a relation refuses. The policy is that of CommandBuffer @complexity linear in commands
    size_type apply(CommandBuffer& buffer);

    //=== snapshots ===//

    /// The exact state as bytes: entities, also the order in which dead ids come back, tables in their order, values, pairs,
    /// what is outside the tables, bits, ticks and the tick. Hooks, queries and command buffers are no part of it. The registry
    /// is not either: components are found by their names.
    /// @param codec for types that are more than their bytes; others, which must be trivially copyable, are written as these
    /// @throws std::invalid_argument when values of a component cannot be written, or a pair's target is yet to be spawned by
    /// a buffer whose apply() threw; what the codec and the allocator throw
    template <class Codec = AnyCodec>
    std::vector<std::byte> snapshot(const Codec& codec = Codec()) const {
        return detail::snapshot(*core_, codec);
    }
    /// Replaces entities and components by a snapshot's, which may be of another store or program, without hooks. The next
    /// entities that are spawned are those that the other store would spawn, and walks go in its order. All bytes are checked
    /// before anything changes; those that snapshot() would not write are refused, but each pattern of a trivially copyable
    /// type that the codec does not cover is taken for a value. Give `codec` all types for bytes that you do not trust.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; what the codec and the allocator throw;
    /// strong @pre structure may change (checked at level fast) @invalidates ids that command buffers have taken
    template <class Codec = AnyCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec = Codec()) {
        if (const char* const error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the codec and the allocator
    /// throw; strong
    template <class Codec = AnyCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec = Codec()) {
        return detail::try_restore(*core_, bytes, codec);
    }

    /// Bytes held on the heap: entities, tables, what is outside them, and what is kept of changes and queries. Without what
    /// values hold themselves, and without command buffers. @complexity linear in tables, their ids, queries, components, and
    /// pages of sparse components
    size_type memory_usage() const noexcept { return core_ == nullptr ? 0 : sizeof *core_ + core_->memory_usage(); }
    /// Whether all parts agree with each other; for tests.
    bool check_invariants() const { return detail::check_invariants(*core_); }

private:
    friend detail::StoreAccess;

    detail::StoreCore* core_; // on the heap: queries and command buffers refer to it. Null only after a move
};

SLOTWISE_END

#endif
