// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore: entities and their components, composed of the containers of this folder. EntityBuilder: an entity before it
// is spawned. ExtractedEntity: one that was taken out. ComponentAccessor: one component of many entities. HookToken: takes a
// hook off when it dies.
#ifndef SLOTWISE_ECS_ARCHETYPE_STORE_HPP
#define SLOTWISE_ECS_ARCHETYPE_STORE_HPP

#include "../config/abi.hpp"
#include "detail/store_core.hpp"
#include "detail/store_snapshot.hpp"
#include "query.hpp"

#include <optional>
#include <type_traits>
#include <vector>

SLOTWISE_BEGIN

namespace detail {
class Deferral;

/// A range of entities that is no array.
template <class R>
concept EntityRange =
    !std::is_convertible_v<R&, std::span<const Entity>> && !std::is_convertible_v<R&, Entity> && requires(R& range) {
        range.end();
        requires std::is_same_v<std::remove_cvref_t<decltype(*range.begin())>, Entity>;
    };

/// As an array. Throws what the allocator throws
template <EntityRange R>
PlainVector<Entity> copy_of_entities(R& entities) {
    PlainVector<Entity> all;
    for (const Entity each : entities) all.push_back(each);
    return all;
}

/// The codec of a snapshot.
template <class Codec>
const Codec& expect_any_codec(const Codec& codec) noexcept {
    static_assert(std::is_base_of_v<AnyCodec, Codec>,
                  "ArchetypeStore: the codec of a store's snapshot is an AnyCodec, which "
                  "lists codecs of types, as in AnyCodec().add<Name>().add<Mesh, MeshCodec>()");
    return codec;
}

/// What a list of components is, where one has a function of its own.
template <class... Ts>
inline constexpr bool not_one_component = sizeof...(Ts) != 1 || (std::is_reference_v<Ts> || ...);
/// Says how components are named, if a list is none of components.
template <class... Ts>
struct NamedComponents {
    static void expect() noexcept {
        static_assert(sizeof...(Ts) != 0, "ArchetypeStore: name a component, as in get<Position>(entity), at<Position>(entity) "
                                          "or has<Position>(entity); by its id it is get(entity, id) or has(entity, id)");
        static_assert((!std::is_reference_v<Ts> && ...),
                      "ArchetypeStore: a component is named as T, or as const T if it is only read; without a reference");
    }
};
} // namespace detail

/// What ArchetypeStore::extract_reserved() returns: all components of an entity with their values, in tables and sparse, its
/// pairs, and which components were disabled. It owns the values. ArchetypeStore::fulfill() puts them back; they are of the
/// store that they came from, which must live as long as they do.
class ExtractedEntity {
public:
    ExtractedEntity(const ExtractedEntity&) = delete;
    ExtractedEntity& operator=(const ExtractedEntity&) = delete;
    /// Takes the values; `other` has no components then.
    ExtractedEntity(ExtractedEntity&& other) noexcept : parts_(std::move(other.parts_)) { other.parts_.clear(); }
    ExtractedEntity& operator=(ExtractedEntity&& other) noexcept {
        ExtractedEntity taken(std::move(other));
        parts_.swap(taken.parts_);
        return *this;
    }
    ~ExtractedEntity() {
        for (const Part& each : parts_) each.end();
    }

    /// Components, tags and pairs.
    std::size_t size() const noexcept { return parts_.size(); }
    bool empty() const noexcept { return parts_.empty(); }
    /// Whether the entity had exactly this component or pair.
    bool has(ComponentId id) const noexcept { return part(id) != nullptr; }
    /// The address of a value; null if the entity had no such component, or it is a tag.
    void* get(ComponentId id) noexcept { return value(id); }
    const void* get(ComponentId id) const noexcept { return value(id); }
    /// Calls f(ComponentId, const void* value) for all of them, as ArchetypeStore::for_each_component. @throws what f throws
    template <class F>
    void for_each_component(F&& f) const {
        for (const Part& each : parts_) f(each.id, static_cast<const void*>(each.built ? each.at() : nullptr));
    }

private:
    friend class ArchetypeStore;
    struct Part {
        ComponentId id;
        const TypeDescriptor* type; ///< null: it has no values
        detail::LineBlock<std::allocator<std::byte>> memory;
        bool sparse = false; ///< or a pair of a sparse or switched relation
        bool disabled = false;
        bool built = false;
        bool left_out = false; ///< by the fulfill() that is running
        void* at() const noexcept { return memory.begin(type->align); }
        void end() const noexcept {
            if (built && type->destroy != nullptr) type->destroy(at());
        }
    };
    ExtractedEntity() = default;
    const Part* part(ComponentId id) const noexcept {
        for (const Part& each : parts_)
            if (each.id == id) return &each;
        return nullptr;
    }
    void* value(ComponentId id) const noexcept {
        const Part* const found = part(id);
        return found != nullptr && found->built ? found->at() : nullptr;
    }

    /// Lists the components of an entity, with memory for the values, so that nothing is allocated when hooks were called.
    void list(const detail::StoreCore& core, Entity entity, EntityLocation at);
    [[noreturn]] SLOTWISE_INLINE SLOTWISE_COLD static void refuse_immovable(const detail::StoreCore& core, ComponentId id);
    /// Moves the values here. Throws what moves that may throw do; what was moved stays here and is destroyed.
    void take(detail::StoreCore& core, Entity entity, EntityLocation at);
    /// Puts the components back under a reserved id, and keeps none. False if the id is not reserved.
    bool put_back(detail::StoreCore& core, Entity given);
    /// Whether the id is a pair whose target has died for good, in a relation that drops dead targets, or such a relation that
    /// is switched. Throws std::invalid_argument when a target is dead in another relation, or only reserved; it may come back.
    bool lost_its_target(detail::StoreCore& core, Entity entity, ComponentId id) const;
    /// A value that was moved into the store comes back. What only was copied is here still.
    static void move_back(detail::StoreCore& core, Entity entity, EntityLocation at, const Part& part) noexcept;

    std::vector<Part> parts_{}; // those in the table first, by id
};

/// Collects components, and spawns an entity with all of them: in the right table at once, however it was put together. It
/// keeps the values until then; each is moved into its column, where nothing is built before. After spawn() it has nothing and
/// can be used again. Structure of the store may change meanwhile, but the store must live.
///     EntityBuilder ship = store.builder();
///     ship.with(Position{1, 2}).with<Visible>().relate(child_of, fleet);
///     if (armed) ship.with(Weapons{3});
///     const Entity entity = ship.spawn();
class EntityBuilder {
public:
    EntityBuilder(const EntityBuilder&) = delete;
    EntityBuilder& operator=(const EntityBuilder&) = delete;
    /// Takes the components; `other` is left without.
    EntityBuilder(EntityBuilder&& other) noexcept;
    EntityBuilder& operator=(EntityBuilder&&) = delete;
    ~EntityBuilder() { clear(); }

    /// With this value; a later one of the same type comes in its place.
    /// @throws what the value's constructor and the allocator throw; of a tag as with(id); strong
    template <detail::Component T>
    EntityBuilder& with(T&& value) {
        using Value = std::remove_cvref_t<T>;
        const ComponentId id = core_->registry.id<Value>();
        if constexpr (detail::is_tag_type<Value>)
            return with(id);
        else
            keep(id, *core_->registry.type(id), [&](void* to) { detail::build_value<Value>(to, std::forward<T>(value)); });
        return *this;
    }
    /// With a default value of T, or the tag T. @throws as with(value)
    template <detail::Component T>
    EntityBuilder& with() {
        return with(core_->registry.id<T>());
    }
    /// With this component, pair or tag, and its default value.
    /// @throws std::invalid_argument when the id names nothing; what the allocator throws; strong
    EntityBuilder& with(ComponentId id) {
        core_->registry.expect(id, "EntityBuilder::with");
        name(id);
        return *this;
    }
    /// With a value of a type-erased type, which is copied or moved here.
    /// @throws also std::invalid_argument when the component has no values, or of another type
    EntityBuilder& with(ComponentId id, const AnyValue& value);
    /// With a pair. @throws as with(id)
    EntityBuilder& relate(ComponentId relation, Entity target) {
        return with(core_->registry.pair_of(relation, target, "EntityBuilder::relate"));
    }
    /// With a pair and its value, if the relation has values. @throws as with(id, value)
    EntityBuilder& relate(ComponentId relation, Entity target, const AnyValue& value) {
        return with(core_->registry.pair_of(relation, target, "EntityBuilder::relate"), value);
    }
    /// The entity. @throws as ArchetypeStore::spawn; the builder keeps its components then, values may have been moved from
    Entity spawn();
    /// Without components.
    void clear() noexcept {
        for (const Given& each : values_) each.end();
        clear_taken();
    }

private:
    friend class ArchetypeStore;
    struct Given {
        ComponentId id;
        const TypeDescriptor* type;
        detail::LineBlock<std::allocator<std::byte>> memory;
        void* at() const noexcept { return memory.begin(type->align); }
        void end() const noexcept {
            if (type->destroy != nullptr) type->destroy(at());
        }
    };

    explicit EntityBuilder(detail::StoreCore& core) noexcept : core_(&core) {}
    void clear_taken() noexcept {
        values_.clear();
        ids_.clear();
    }
    // spawn() sorts them: to insert each where it belongs would be quadratic when they descend.
    void name(ComponentId id) {
        if (ids_.empty() || ids_.back() != id) ids_.push_back(id);
    }
    // Builds a value, and puts it in the place of one that the component had.
    template <class Build>
    void keep(ComponentId id, const TypeDescriptor& type, Build&& build) {
        if (values_.size() == values_.capacity()) values_.reserve(2 * values_.size() + 4);
        if (ids_.size() == ids_.capacity()) ids_.reserve(2 * ids_.size() + 4);
        Given fresh{id, &type, {type.size + type.align, {}}};
        build(fresh.at());
        name(id); // there is room
        for (Given& each : values_)
            if (each.id == id) {
                each.end();
                each.memory.swap(fresh.memory);
                return;
            }
        values_.push_back(std::move(fresh));
    }

    detail::StoreCore* core_;
    detail::PlainVector<ComponentId> ids_{}; // in the order in which they were named
    std::vector<Given> values_{};
    detail::PlainVector<detail::ComponentValue> given_{};
};

/// The values of one component of a store, by entity: what get(), at() and has() of the store find, without the search for the
/// component of T, which is a quarter to a half of their time. Take one before a loop over entities in any order:
///     const auto positions = store.accessor<Position>();
///     for (const Entity each : targets)
///         if (Position* p = positions.get(each)) p->x += 1;
/// It stays valid as long as the store's contents, also when the store is moved: entities, components and tables may come and
/// go. ComponentAccessor<const T> only reads: it marks nothing as changed, and several threads may use it at once with const
/// members of the store.
template <class T>
class ComponentAccessor {
    using Core = std::conditional_t<std::is_const_v<T>, const detail::StoreCore, detail::StoreCore>;

public:
    /// The entity's T; null if it does not live or has none. Unless T is const, that of a tracked component counts as a change.
    /// @complexity O(1) @invalidates nothing; the address is that of ArchetypeStore::get
    SLOTWISE_ALWAYS_INLINE T* get(Entity entity) const noexcept {
        return detail::StoreCore::typed_value<T>(*core_, entity, id());
    }
    /// The same. @throws std::out_of_range that says whether the entity or the component is missing, and why
    SLOTWISE_ALWAYS_INLINE T& at(Entity entity) const { return detail::StoreCore::typed_at<T>(*core_, entity, id()); }
    /// Whether the entity lives and has a T, enabled or not; of tags too. @complexity O(1)
    SLOTWISE_ALWAYS_INLINE bool has(Entity entity) const noexcept { return core_->template typed_has<T>(entity, id()); }

private:
    friend class ArchetypeStore;
    ComponentAccessor(Core& core, ComponentId id) noexcept : core_(&core), id_(id) {}
    // A const store may have been asked before it knew the component.
    SLOTWISE_ALWAYS_INLINE ComponentId id() const noexcept {
        if constexpr (std::is_const_v<T>)
            if (!id_) [[unlikely]]
                return core_->registry.template find<T>();
        return id_;
    }

    Core* core_;
    ComponentId id_;
};

/// Takes a hook off when it is destroyed, see ArchetypeStore::scoped. Move-only. It may outlive the store. One for the hooks of
/// an object is a member of it, so that no hook is called for what is gone:
///     class Bodies {
///     public:
///         explicit Bodies(ArchetypeStore& store)
///             : added_(store.scoped(store.on_add<Body>([this](Entity entity, Body& body) { insert(entity, body); }))),
///               removed_(store.scoped(store.on_remove<Body>([this](Entity entity) { erase(entity); }))) {}
///     private:
///         ...
///         HookToken added_, removed_;  // last: taken off first
///     };
class HookToken {
public:
    /// Of no hook.
    HookToken() noexcept = default;
    /// Takes the hook over; `other` has none then. What the hook refers to stays where it is.
    HookToken(HookToken&& other) noexcept { swap(other); }
    HookToken& operator=(HookToken&& other) noexcept {
        HookToken taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~HookToken() { detach(); }
    void swap(HookToken& other) noexcept {
        std::swap(core_, other.core_);
        std::swap(life_, other.life_);
        std::swap(id_, other.id_);
    }
    friend void swap(HookToken& a, HookToken& b) noexcept { a.swap(b); }

    /// Whether the store lives and has the hook. @complexity linear in hooks
    bool attached() const noexcept { return life_ != nullptr && !life_->has_ended() && core_->hooks.contains(id_); }
    /// The hook is not called any more. @pre no hook is running (checked at level fast) @complexity linear in hooks
    void detach() noexcept {
        if (life_ == nullptr) return;
        if (!life_->has_ended()) core_->hooks.erase(id_);
        std::exchange(life_, nullptr)->release();
    }
    /// The hook, which stays until it is taken off by its id; the token has none then. A null id if it had none.
    HookId release() noexcept {
        if (life_ == nullptr) return HookId();
        std::exchange(life_, nullptr)->release();
        return std::exchange(id_, HookId());
    }

private:
    friend class ArchetypeStore;
    HookToken(detail::StoreCore& core, HookId id) noexcept : core_(&core), life_(core.life.share()), id_(id) {}

    detail::StoreCore* core_ = nullptr; // dangles after life_->has_ended()
    detail::StoreLife* life_ = nullptr; // null: no hook
    HookId id_{};
};

/// An entity component system (ECS): entities, and components of any types that they get and lose at run time. Entities with
/// the same set of components, an archetype, share a Table: a column for each component, a row for each entity. A change of the
/// set moves the row, once, however many components it adds or removes. The parts are containers of their own; this class is
/// their composition.
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
    /// The same, for maps that follow the store.
    using handle_type = Entity;
    using size_type = std::size_t;
    /// Names a range of indices that have ids of their own, see add_range.
    using Range = detail::StoreCore::Range;

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
    /// The component of T, whose values are constructed, moved and destroyed by this shared library from now on. A plugin that
    /// was loaded again asks this for each component that it has registered before, at first; else the functions of the library
    /// that is gone would be called. Values that the store has of it stay.
    /// @throws std::invalid_argument when a query is walking, or T is copied otherwise than before; what the allocator throws;
    /// strong @complexity linear in columns of the store
    template <class T>
    ComponentId rebind() {
        return core_->template rebind<T>();
    }

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
    Entity spawn(Ts&&... values);
    /// `count` new entities, each with copies of these values. The span ends at the next spawn or despawn.
    /// @throws as spawn; strong @complexity linear in the bytes of the rows
    template <detail::Component... Ts>
    std::span<const Entity> spawn_n(size_type count, const Ts&... values);
    /// `count` new entities with these components, tags and pairs, whose values come as columns: for components that a program
    /// knows at run time. build(id, to, n) builds n values of the component side by side, all of them or, if it throws, none;
    /// or it returns false and builds nothing, where they are default values. It is asked for companions, too. The span ends at
    /// the next spawn or despawn.
    ///     store.spawn_columns(n, ids, [&](ComponentId id, void* to, std::size_t n) { return copy_column(id, to, n); });
    /// @throws std::invalid_argument when an id is none of the registry's, the target of a pair does not live, or one is
    /// sparse; what build and the allocator throw; strong @complexity linear in the bytes of the rows
    template <class Build>
    std::span<const Entity> spawn_columns(size_type count, std::span<const ComponentId> ids, Build&& build);
    /// A new entity with copies of all that this one has: components in tables and sparse, tags, pairs, and which are disabled.
    /// Pairs keep their targets, also one with the entity itself; what relates to the entity is not copied. Components
    /// with the trait `hides` are left out, so that a hidden entity is a template (see ComponentTraits). Ticks are those of
    /// added components, and on_add hooks are called as by spawn. Null if the entity does not live.
    ///     store.registry().add<Prefab>({.hides = true});
    ///     const Entity goblin = store.spawn(Prefab{}, Health{5});      // no query meets it that does not name Prefab
    ///     const Entity live = store.clone(goblin);
    /// @throws std::invalid_argument that names a component whose values cannot be copied; as spawn; strong
    /// @complexity one row, and its sparse components @invalidates addresses in that table
    Entity clone(Entity entity) {
        const std::span<const Entity> one = clone_n(entity, 1);
        return one.empty() ? Entity() : one[0];
    }
    /// `count` such entities. The span is empty if the entity does not live, and ends at the next spawn or despawn.
    /// @throws as clone; strong @complexity linear in the bytes of the rows
    std::span<const Entity> clone_n(Entity entity, size_type count) { return core_->clone_n(entity, count); }
    /// Exactly this entity, for replication and loading. False, and no effect, if it lives, or may have lived before: see
    /// EntityIndex::make_alive. @throws as spawn; strong, but spawn() may return the entity next
    template <detail::Component... Ts>
    bool spawn_at(Entity entity, Ts&&... values) {
        return with_values(
            list_of<Ts...>(), false, [&](const detail::Change& what) { return core_->spawn_at(entity, what); },
            std::forward<Ts>(values)...);
    }
    /// Gives the indices from `first` up to, not including, `last` ids of their own: spawn() never issues them, spawn_in() and
    /// spawn_at() do. For example, what a server owns and what a client makes for itself. Part of a snapshot.
    /// @throws std::invalid_argument when the range is empty, overlaps another, or one of its indices was used; std::bad_alloc;
    /// strong @complexity see EntityIndex::add_range
    Range add_range(slot_t first, slot_t last) { return core_->add_range(first, last); }
    /// The range that the entity's index belongs to; a value-initialised one is that of spawn().
    Range range_of(Entity entity) const noexcept { return core_->entities.range_of(entity); }
    /// A new entity with an id of this range. @throws as spawn; strong
    template <detail::Component... Ts>
    Entity spawn_in(Range range, Ts&&... values) {
        return with_values(
            list_of<Ts...>(), false, [&](const detail::Change& what) { return core_->spawn_in(range, what); },
            std::forward<Ts>(values)...);
    }
    /// An entity that is put together step by step and then spawned into the right table:
    ///     store.builder().with(Position{}).with<Hidden>().with(id).relate(child_of, parent).spawn()
    EntityBuilder builder() noexcept { return EntityBuilder(*core_); }
    /// Ends an entity and all of its components; what relates to it is treated as its relations ask for. False if it does not
    /// live.
    /// @throws std::invalid_argument when a relation refuses it (OnTargetDespawn::refuse); what moves that may throw do; if
    /// others relate to it what the allocator throws: some of them may have lost their pairs, and nothing has ended
    /// @complexity one row, and what relates to it @invalidates addresses in its table
    bool despawn(Entity entity) { return core_->despawn(entity); }
    /// Ends all of these entities; what does not live is skipped. The list may be entities() of the store, or any range,
    /// as sources(relation, target). Entities that are side by side in the list and in a table go at once. Returns how
    /// many have ended, with those that went along.
    /// @throws as despawn; those before it in the list have ended then @complexity as despawn of each
    size_type despawn(std::span<const Entity> entities) { return core_->despawn_all(entities); }
    template <detail::EntityRange R>
    size_type despawn(R&& entities) {
        return core_->despawn_all(detail::copy_of_entities(entities).span());
    }
    /// Ends all entities that match, see Query::despawn_all. Returns how many.
    /// @throws also std::invalid_argument when the query is of another store
    template <class... Ts>
    size_type despawn(const Query<ArchetypeStore, Ts...>& query) {
        return core_->despawn_found(
            query.rows_of(core_, "despawn", "ArchetypeStore::despawn(query): the query is of another store"));
    }
    /// Ends an entity as despawn does, and keeps its id reserved: it does not live, and no other entity gets its index, until
    /// fulfill() brings it back or cancel() gives it up. For undo: whatever keeps the id finds the entity again. False if it
    /// does not live. Entities that go along (OnTargetDespawn::despawn) are gone for good: keep them before, the sources first.
    /// @throws as despawn @invalidates addresses in its table
    bool erase_reserved(Entity entity);
    /// The same, and returns its components with their values; none if it does not live. Hooks see the values before.
    ///     auto old = store.extract_reserved(entity);
    ///     store.fulfill(entity, std::move(*old));                      // undone: the same entity again
    /// @throws as despawn, and what the allocator throws; std::invalid_argument when a value can be neither copied nor moved;
    /// strong as despawn; if moves of values throw, some may be moved-from
    std::optional<ExtractedEntity> extract_reserved(Entity entity);
    /// Brings back a reserved entity with what extract_reserved() has returned: exactly these components, their values, pairs
    /// and disabled bits; ticks are those of an added component. Pairs whose target has died for good meanwhile are left out,
    /// if their relation has OnTargetDespawn::remove. False, and no effect, when the id is not reserved. `components` is empty
    /// after it.
    /// @throws std::invalid_argument when the target of another pair does not live: bring that back first; what the allocator
    /// throws; strong, `components` keeps the values, if values move without a throw; what hooks throw, and the entity stays
    /// @invalidates addresses in that table
    bool fulfill(Entity entity, ExtractedEntity&& components) { return components.put_back(*core_, entity); }
    /// The same with these components, as spawn_at. @throws as spawn; strong: the id is still reserved
    template <detail::Component... Ts>
        requires(!std::is_same_v<std::remove_cvref_t<Ts>, ExtractedEntity> && ...)
    bool fulfill(Entity entity, Ts&&... values) {
        return with_values(
            list_of<Ts...>(), false, [&](const detail::Change& what) { return core_->fulfill(entity, what); },
            std::forward<Ts>(values)...);
    }
    /// Gives a reserved id up: it is stale for ever, and its index is used next. False when it is not reserved.
    /// @throws what the allocator throws, if command buffers have taken ids; strong
    bool cancel(Entity entity) { return core_->cancel(entity); }
    /// Ends all entities, and gives up those that are reserved; on_remove hooks are called. Ids that lived stay stale for ever.
    /// Tables and queries stay.
    /// @throws what the allocator throws: all have ended nevertheless, or none
    void clear() { core_->clear(); }
    /// Room for `count` entities in all, and for `rows` of them with exactly these components.
    /// @throws std::length_error, what the allocator throws; strong
    template <detail::Component... Ts>
    void reserve(size_type count) {
        detail::ComponentList& list = list_of<Ts...>();
        core_->expect_idle("reserve");
        core_->entities.reserve(count);
        if (!list.any_sparse)
            core_->transition(list, list.spawned, detail::ArchetypeTables::root()).destination->reserve(count);
    }
    /// Frees memory that is not needed, and erases tables without entities. @throws what the allocator and moves throw
    void shrink_to_fit() { core_->shrink_to_fit(); }

    //=== components ===//

    /// Adds components, in one move. Those that the entity has keep their values. Returns whether the entity lives.
    /// @throws what the values and the allocator throw; strong @complexity one row @invalidates addresses in both tables
    template <detail::Component... Ts>
    bool add(Entity entity, Ts&&... values);
    /// The same, with default values, or tags: add<Hidden>(entity).
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    bool add(Entity entity);
    /// The same, named by ids; pairs too.
    /// @throws also std::invalid_argument when an id is none of the registry's, or the target of a pair does not live
    bool add(Entity entity, ComponentId id) { return core_->add(entity, {&id, 1}); }
    bool add(Entity entity, std::span<const ComponentId> ids) { return core_->add(entity, ids); }
    /// With a value of a type-erased type. @throws also std::invalid_argument when the component has values of another type
    bool add(Entity entity, ComponentId id, const AnyValue& value) { return core_->give(entity, id, value, false); }
    /// Adds copies of the same values to each of these entities, and keeps those that it has. Entities that are side by side in
    /// the list and in a table move at once, column by column. The list may be entities() of the store, or any range.
    /// Returns how many of the
    /// list live.
    /// @throws as add; each entity has then got all of the values, or none @complexity as add of each
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    size_type add(std::span<const Entity> entities, const Ts&... values);
    template <detail::EntityRange R, detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    size_type add(R&& entities, const Ts&... values) {
        return add(detail::copy_of_entities(entities).span(), values...);
    }
    /// The same, with values of its own for each: the i-th entity gets copies of the i-th values of these lists, which are
    /// vectors, arrays or spans. Of an entity that is there twice the first values count.
    ///     store.add_each(ids, positions, velocities);
    /// @throws std::invalid_argument when a list has another size than `entities`; as add
    template <class... Lists>
        requires(sizeof...(Lists) != 0)
    size_type add_each(std::span<const Entity> entities, const Lists&... lists) {
        return add_lists<typename decltype(std::span(lists))::value_type...>(entities, lists...);
    }
    template <detail::EntityRange R, class... Lists>
        requires(sizeof...(Lists) != 0)
    size_type add_each(R&& entities, const Lists&... lists) {
        return add_each(detail::copy_of_entities(entities).span(), lists...);
    }
    /// The same by ids, for components that a program knows at run time: build(id, places, to) builds the values that
    /// entities[places[i]] get, side by side, all of them or, if it throws, none; or it returns false, where they are default
    /// values. Components that an entity has keep their values. Returns how many of the list live.
    /// @throws std::invalid_argument as spawn_columns(), and of pairs of an acyclic relation; what build and the allocator
    /// throw; each entity has then got all of the components, or none
    template <class Build>
    size_type add_columns(std::span<const Entity> entities, std::span<const ComponentId> ids, Build&& build);
    /// Removes components, in one move; what the entity has not is ignored. Returns whether the entity lives.
    /// @throws what the allocator throws; strong @complexity one row @invalidates addresses in both tables
    template <detail::Component... Ts>
    bool remove(Entity entity);
    bool remove(Entity entity, ComponentId id) { return core_->remove(entity, {&id, 1}); }
    bool remove(Entity entity, std::span<const ComponentId> ids) { return core_->remove(entity, ids); }
    /// Builds the component from `args` where it will stay, as T(args...), or T{args...} where T is an aggregate. An entity
    /// that has one keeps it. Returns its address, which counts as a change; null, and `args` are not used, if the entity does
    /// not live. It is how a sparse component gets a value whose type can be neither copied nor moved.
    /// @throws as add @complexity one row @invalidates addresses in both tables
    template <detail::Component T, class... Args>
    T* emplace(Entity entity, Args&&... args);
    /// Removes the component and returns its value, which on_remove hooks have seen before; none if the entity does not live or
    /// has no T.
    ///     if (std::optional<Cargo> cargo = store.take<Cargo>(wreck)) store.set(ship, std::move(*cargo));
    /// @throws as remove; strong if values move without a throw @complexity one row @invalidates addresses in both tables
    template <detail::Component T>
    std::optional<T> take(Entity entity);
    /// Removes components of all entities that match, as remove(entity) would of each: a table whose rows all match at once, in
    /// the order of its rows. Returns how many entities have lost one of them.
    ///     store.remove<Burning>(store.query<>().with<Wet>());
    /// @throws as remove, and std::invalid_argument when the query is of another store; what was changed before stays so. A
    /// whole table is strong: its on_remove hooks are called for all rows before the first one moves
    /// @complexity linear in the bytes of the rows; rows of tables that match in part move one by one
    /// @invalidates addresses in the tables that they leave and enter
    template <detail::Component... Ts, class... Qs>
        requires(sizeof...(Ts) != 0)
    size_type remove(const Query<ArchetypeStore, Qs...>& query) {
        return core_->remove_found(query.rows_of(core_, "remove", other_store), list_of<Ts...>().sorted.span());
    }
    template <class... Qs>
    size_type remove(const Query<ArchetypeStore, Qs...>& query, ComponentId id) {
        return remove(query, {&id, 1});
    }
    template <class... Qs>
    size_type remove(const Query<ArchetypeStore, Qs...>& query, std::span<const ComponentId> ids) {
        return core_->remove_found(query.rows_of(core_, "remove", other_store), ids);
    }
    /// The same of all entities, whether the components are enabled or not.
    template <detail::Component... Ts>
        requires(sizeof...(Ts) != 0)
    size_type remove_all() {
        return core_->remove_all(list_of<Ts...>().sorted.span());
    }
    size_type remove_all(ComponentId id) { return core_->remove_all({&id, 1}); }
    /// Gives the entity these values: assigns where it has the component, else adds, all in one move. Returns whether the
    /// entity lives.
    /// @throws what the values and the allocator throw; strong for what is added, values that were assigned stay assigned
    template <detail::Component... Ts>
    bool set(Entity entity, Ts&&... values);
    bool set(Entity entity, ComponentId id, const AnyValue& value) { return core_->give(entity, id, value, true); }
    /// Calls f(T&) to change the entity's T where it is: as `*get<T>(entity) = ...`, but hooks know it, on_replace before and
    /// on_set after it, also if f throws. It counts as a change. f must not change structure (checked at level fast). False,
    /// and f is not called, if the entity does not live or has no T.
    /// @throws what f and hooks throw; what f did stays @complexity O(1)
    template <detail::Component T, class F>
    bool patch(Entity entity, F&& f) {
        static_assert(!detail::is_tag_type<T>,
                      "ArchetypeStore::patch<T>: a type without state is a tag, which has no value to be "
                      "changed; modified<T>(entity) calls on_set");
        static_assert(std::is_invocable_v<F&, T&>, "ArchetypeStore::patch<T>(entity, f): f is called as f(T&)");
        const ComponentId id = core_->registry.template find<T>();
        if (core_->hooks.any_of_values()) [[unlikely]] {
            const T* const value = detail::StoreCore::typed_value<const T>(*core_, entity, id);
            return core_->patch_with_hooks(entity, id, value, [&](void* to) { static_cast<void>(f(*static_cast<T*>(to))); });
        }
        T* const value = detail::StoreCore::typed_value<T>(*core_, entity, id);
        if (value == nullptr) return false;
        const detail::StoreCore::Changing change(*core_, nullptr);
        static_cast<void>(f(*value));
        return true;
    }
    /// The same by id, also of a pair, as f(void*). @throws also std::invalid_argument when the id names nothing, or a tag
    template <class F>
    bool patch(Entity entity, ComponentId id, F&& f) {
        static_assert(std::is_invocable_v<F&, void*>, "ArchetypeStore::patch(entity, id, f): f is called as f(void*)");
        core_->expect_patchable(id);
        return core_->patch_with_hooks(entity, id, std::as_const(*core_).get(entity, id),
                                       [&](void* to) { static_cast<void>(f(to)); });
    }
    /// Says that the entity's T was changed through a reference: it counts as a change, and on_set hooks are called; on_replace
    /// hooks are not, the old value is gone. Returns whether the entity lives and has a T. Of tags too.
    /// @throws what hooks throw @complexity O(1)
    template <detail::Component T>
    bool modified(Entity entity) {
        return core_->modified(entity, core_->registry.template find<T>());
    }
    /// The same by id. @throws also std::invalid_argument when the id names nothing
    bool modified(Entity entity, ComponentId id) {
        core_->registry.expect(id, "ArchetypeStore::modified");
        return core_->modified(entity, id);
    }
    /// Assigns a value where the entity has the component, and adds none. Returns whether it did. on_set hooks are called as by
    /// set. @throws as set
    template <detail::Component T>
    bool replace(Entity entity, T&& value) {
        return has<std::remove_cvref_t<T>>(entity) && set(entity, std::forward<T>(value));
    }
    /// The entity's T; if it has none, one is added, which is built from `args`. It counts as a change.
    ///     ++store.get_or_add<Hits>(entity).count;
    /// @throws std::out_of_range that says why the entity does not live; as add; strong @complexity as get, or as add
    /// @invalidates as add, if it adds
    template <detail::Component T, class... Args>
    T& get_or_add(Entity entity, Args&&... args);

    /// The entity's T; null if it does not live or has none. get<T> of a tracked component counts as a change, get<const T> and
    /// that of a const store do not. @complexity O(1)
    template <detail::Component T>
    T* get(Entity entity) noexcept {
        return detail::StoreCore::typed_value<T>(*core_, entity, core_->registry.template find<T>());
    }
    template <detail::Component T>
    const T* get(Entity entity) const noexcept {
        return detail::StoreCore::typed_value<const T>(std::as_const(*core_), entity, core_->registry.template find<T>());
    }
    /// Some of its values, with one search for the entity; each is null where it is missing:
    ///     auto [position, velocity] = store.get<Position, const Velocity>(entity);
    template <class... Ts>
        requires(detail::not_one_component<Ts...>)
    std::tuple<std::remove_reference_t<Ts>*...> get(Entity entity) noexcept {
        detail::NamedComponents<Ts...>::expect();
        return detail::StoreCore::typed_values<std::remove_reference_t<Ts>...>(*core_, entity);
    }
    template <class... Ts>
        requires(detail::not_one_component<Ts...>)
    std::tuple<const std::remove_reference_t<Ts>*...> get(Entity entity) const noexcept {
        detail::NamedComponents<Ts...>::expect();
        return detail::StoreCore::typed_values<const std::remove_reference_t<Ts>...>(std::as_const(*core_), entity);
    }
    /// The address of a value; null if the entity does not live, has no such component, or it is a tag. It counts as a change.
    void* get(Entity entity, ComponentId id) noexcept { return core_->get(entity, id); }
    const void* get(Entity entity, ComponentId id) const noexcept { return std::as_const(*core_).get(entity, id); }
    /// As get. @throws std::out_of_range that says whether the entity or the component is missing, and why
    template <detail::Component T>
    T& at(Entity entity) {
        return detail::StoreCore::typed_at<T>(*core_, entity, core_->registry.template find<T>());
    }
    template <detail::Component T>
    const T& at(Entity entity) const {
        return detail::StoreCore::typed_at<const T>(std::as_const(*core_), entity, core_->registry.template find<T>());
    }
    /// Some of its values, with one search for the entity: auto [position, velocity] = store.at<Position, Velocity>(entity).
    template <class... Ts>
        requires(detail::not_one_component<Ts...>)
    std::tuple<std::remove_reference_t<Ts>&...> at(Entity entity) {
        detail::NamedComponents<Ts...>::expect();
        return detail::StoreCore::typed_all<std::remove_reference_t<Ts>...>(*core_, entity);
    }
    template <class... Ts>
        requires(detail::not_one_component<Ts...>)
    std::tuple<const std::remove_reference_t<Ts>&...> at(Entity entity) const {
        detail::NamedComponents<Ts...>::expect();
        return detail::StoreCore::typed_all<const std::remove_reference_t<Ts>...>(std::as_const(*core_), entity);
    }
    /// Whether the entity lives and has the component, enabled or not. @complexity O(1)
    template <detail::Component T>
    bool has(Entity entity) const noexcept {
        return core_->template typed_has<T>(entity, core_->registry.template find<T>());
    }
    /// Whether the entity lives and has all of these components, or any of them. @complexity O(components)
    template <class... Ts>
        requires(detail::not_one_component<Ts...>)
    bool has(Entity entity) const noexcept {
        detail::NamedComponents<Ts...>::expect();
        return core_->template typed_has_all<Ts...>(entity);
    }
    template <class... Ts>
    bool has_any(Entity entity) const noexcept {
        detail::NamedComponents<Ts...>::expect();
        return core_->template typed_has_any<Ts...>(entity);
    }
    /// The same, by id; pair(relation, any) asks for any pair that matches.
    bool has(Entity entity, ComponentId id) const noexcept { return core_->has(entity, id); }
    /// get(), at() and has() of one component for many entities, see ComponentAccessor; of a const T to read only. T is
    /// registered with default traits if it is not. @throws what the allocator throws, when it registers; strong
    template <detail::Component T>
    ComponentAccessor<T> accessor() {
        return {*core_, core_->registry.template id<T>()};
    }
    template <detail::Component T>
    ComponentAccessor<const T> accessor() const noexcept {
        return {*core_, core_->registry.template find<T>()};
    }

    /// Calls f(ComponentId, const void* value) for all components of an entity, tags and pairs too, whose value is null: for
    /// inspectors and replication. f must not change structure. @throws what f throws
    template <class F>
    void for_each_component(Entity entity, F&& f) const {
        core_->for_each_component(entity, f);
    }

    /// Disables or enables a component with trait `toggle`: queries skip the row, the value stays, and no row moves. Returns
    /// whether the entity lives and has it. @throws std::invalid_argument when it has no trait `toggle`; what the allocator
    /// throws; strong
    bool enable(Entity entity, ComponentId id, bool on = true) { return core_->enable(entity, id, on); }
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
    bool is_enabled(Entity entity, ComponentId id) const noexcept { return core_->is_enabled(entity, id); }
    template <detail::Component T>
    bool is_enabled(Entity entity) const noexcept {
        return is_enabled(entity, core_->registry.find<T>());
    }

    //=== order ===//

    /// Sorts the rows of each table that has T, by less(const T&, const T&) or less(Entity, Entity): queries then walk a table
    /// in this order, until rows come and go. Equal rows keep theirs. Whole rows move, with all components, bits and ticks;
    /// entities, sparse values and the order of tables stay. For an order across tables see Query::for_each_sorted.
    ///     store.sort<Sprite>([](const Sprite& a, const Sprite& b) { return a.texture < b.texture; });
    /// @pre nothing walks or changes the store (checked at level fast); less is a strict weak order and may read the store
    /// @throws std::invalid_argument when T is sparse; what less and the allocator throw, and moves that may throw: each table
    /// is sorted or as before, if what cannot be copied moves without a throw
    /// @complexity O(n) for a table that is in order, else O(n log n), and a pass over the bytes of the rows
    /// @invalidates addresses in tables that are sorted
    template <detail::Component T, class Less>
    void sort(Less less);
    /// The same by <.
    template <detail::Component T>
    void sort() {
        sort<T>([](const T& a, const T& b) { return a < b; });
    }

    //=== relations ===//

    /// Relates the entity to a target: adds pair(relation, target), in one move. In an exclusive relation it takes the place of
    /// the pair that the entity has, in the same move. Returns whether the entity lives.
    /// @throws std::invalid_argument when it is no relation, the target does not live, or an acyclic relation would get a
    /// cycle; as add; strong
    /// @complexity one row; of a sparse relation no row, but linear in the pairs of the entity or in those of the target, in
    /// the fewer. Of an acyclic one also linear in the ancestors of the target, if something is related to the entity
    bool relate(Entity entity, ComponentId relation, Entity target) { return core_->relate(entity, relation, target); }
    /// The same, in a relation with values, which is assigned if the entity has the pair.
    bool relate(Entity entity, ComponentId relation, Entity target, const AnyValue& value) {
        return set(entity, core_->registry.pair_of(relation, target, "ArchetypeStore"), value);
    }
    template <detail::Component R>
    bool relate(Entity entity, Entity target, R&& value) {
        const ComponentId relation = core_->registry.relation<R>();
        if constexpr (detail::is_tag_type<std::remove_cvref_t<R>>)
            return relate(entity, relation, target);
        else
            return relate(entity, relation, target, AnyValue::of(std::forward<R>(value)));
    }
    /// Relates the entity to a target as one of its children in order: in front of `sibling` among sources(relation, target),
    /// or behind the last one if that is null. If it is related already it changes its place. relate() appends; the order
    /// survives snapshots, and others that come and go. Of a relation with the trait `sparse`.
    ///     store.relate_before(title, child_of, window, Entity());         // to the end
    ///     store.relate_before(icon, child_of, window, title);
    /// @throws std::invalid_argument when the relation is not sparse, or `sibling` is not related to the target; as relate;
    /// strong @complexity as has(entity, pair) of both
    bool relate_before(Entity entity, ComponentId relation, Entity target, Entity sibling) {
        return core_->relate_before(entity, relation, target, sibling);
    }
    /// Removes the pair, or all pairs of the relation, in one move. Returns whether the entity lives.
    /// @throws std::invalid_argument when it is no relation; as remove; strong
    bool unrelate(Entity entity, ComponentId relation, Entity target) { return core_->unrelate(entity, relation, target); }
    bool unrelate(Entity entity, ComponentId relation) { return core_->unrelate(entity, relation); }
    /// The entity's target, the first one in order if there are several; null if there is none, or it does not live. Targets
    /// are ordered by their ids; those of a sparse relation as they were related.
    /// @throws std::invalid_argument when it is no relation
    Entity target(Entity entity, ComponentId relation) const { return core_->target(entity, relation); }
    /// All targets: for (const Entity other : store.targets(entity, likes)). @throws as target @complexity O(log components)
    /// @invalidates the next change of structure
    auto targets(Entity entity, ComponentId relation) const { return core_->targets(entity, relation); }
    /// The entities that are related to a target, for example the children of a parent: store.sources(child_of, parent).
    /// Those of a sparse relation come as they were related, see relate_before().
    /// @throws as target @complexity O(tables that have the pair) @invalidates the next change of structure
    auto sources(ComponentId relation, Entity target) const { return core_->sources(relation, target); }
    /// The entity's target, the target of that, and so on: from the parent upwards. It ends where there is none, or where one
    /// comes again. Of several targets the first one counts.
    ///     for (const Entity above : store.ancestors(flag, child_of)) ...
    /// @throws as target @complexity O(1) for each one, and for the first one linear in all unless the relation is acyclic
    /// @invalidates the next change of structure
    auto ancestors(Entity entity, ComponentId relation) const { return core_->ancestors(entity, relation); }
    /// Calls f(entity, depth) for the sources of `root`, then for theirs, and so on: breadth first, from depth 1. Each entity
    /// is met once, so that cycles end. f must not change structure.
    /// @throws as target; what f and the allocator throw @complexity linear in those that are met
    template <class F>
    void for_each_descendant(Entity root, ComponentId relation, F&& f) const {
        core_->for_each_descendant(root, relation, f);
    }

    //=== resources ===//

    /// One value of type T of the whole store, for what belongs to no entity: a clock, settings, a physics world.
    ///     store.emplace_resource<Clock>();
    ///     store.resource<Clock>().seconds += dt;
    /// It takes the place of the T that there is, which is destroyed afterwards. T need not move: its address stays until it is
    /// replaced, restored or erased, also when the store moves. clear() keeps resources. When the store dies, components go
    /// first, then resources, the last one first. It may be called in walks and hooks, but by one thread alone.
    /// @throws what T's constructor and the allocator throw; strong @complexity amortised O(1)
    template <class T, class... Args>
        requires std::is_constructible_v<T, Args...> || requires(Args&&... args) { T{std::forward<Args>(args)...}; }
    T& emplace_resource(Args&&... args) {
        expect_resource_type<T>();
        return core_->resources.template emplace<T>(std::forward<Args>(args)...);
    }
    /// The resource. Several threads may ask at once. @throws std::out_of_range that names the type if there is none
    /// @complexity O(1)
    template <class T>
    T& resource() {
        return resource_of<T>(find_resource<T>());
    }
    template <class T>
    const T& resource() const {
        return resource_of<const T>(find_resource<T>());
    }
    /// The same; null if there is none.
    template <class T>
    T* find_resource() noexcept {
        return core_->resources.template find<std::remove_const_t<T>>();
    }
    template <class T>
    const T* find_resource() const noexcept {
        return core_->resources.template find<std::remove_const_t<T>>();
    }
    /// Destroys the resource. Whether there was one.
    template <class T>
    bool erase_resource() noexcept {
        return core_->resources.erase(core_->resources.types.template find<T>().number());
    }
    /// Gives resources of type T a name, by which snapshots find them; without it they are called as the C++ type. A store
    /// knows the types that were registered or emplaced, and restores these only.
    /// @throws std::invalid_argument when T has another name, or the name is another type's; std::bad_alloc; strong
    template <class T>
    void register_resource(std::string_view name) {
        expect_resource_type<T>();
        static_cast<void>(core_->resources.template declare<T>(&name));
    }
    /// As rebind(), for the resource of type T. @throws as rebind
    template <class T>
    void rebind_resource() {
        expect_resource_type<T>();
        core_->resources.template rebind<T>();
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
    /// change, which stays; hooks that come after are not called, those of on_set excepted that follow on_replace, of other
    /// components: add an index before hooks that may throw. A hook may read and write values, but not change structure.
    /// @pre f does not throw when it is called for a change that failed (see on_remove), as it ends the program
    /// @throws what the allocator and the copy of f throw; strong
    template <detail::Component T, class F>
    HookId on_add(F f) {
        return hook<T>(HookKind::add, std::move(f));
    }
    /// The same before an entity loses its T, and while it has it. All that may fail was done then, but for moves of values: if
    /// those in the entity's table move without a throw, and no on_remove hook throws, f is called for no removal that then
    /// fails. If a move or f throws, the removal is not made, and all on_add hooks are called of each component of which an
    /// on_remove hook was called, also the one that threw, if the entity has it still.
    template <detail::Component T, class F>
    HookId on_remove(F f) {
        return hook<T>(HookKind::remove, std::move(f));
    }
    /// The same after set() gave an entity a T, after on_add if it added one, after patch(), and by modified(). What f throws
    /// reaches the caller as that of on_add; f does not throw when an assignment, or a hook of on_replace, threw before.
    template <detail::Component T, class F>
    HookId on_set(F f) {
        return hook<T>(HookKind::set, std::move(f));
    }
    /// The same before set() or patch() writes a T that an entity has, with the old value. All hooks of one change are called
    /// before the first of its values is assigned, and on_set hooks afterwards, whatever throws meanwhile. If f throws, nothing
    /// is assigned, and all on_set hooks are called of each component of which an on_replace hook was called, also the one that
    /// threw: an index that erases a key in on_replace and on_remove, and inserts one, which may be there, in on_add and
    /// on_set, is right after every throw but one of another on_add or on_set hook.
    template <detail::Component T, class F>
    HookId on_replace(F f) {
        return hook<T>(HookKind::replace, std::move(f));
    }
    /// The same by id: f(entity, void* value), or f(entity, ComponentId, void* value); value is null for tags. A hook of
    /// pair(relation, any) is called for each pair of the relation.
    template <class F>
    HookId on_add(ComponentId id, F f) {
        return core_->hook(HookKind::add, id, std::move(f));
    }
    template <class F>
    HookId on_remove(ComponentId id, F f) {
        return core_->hook(HookKind::remove, id, std::move(f));
    }
    template <class F>
    HookId on_set(ComponentId id, F f) {
        return core_->hook(HookKind::set, id, std::move(f));
    }
    template <class F>
    HookId on_replace(ComponentId id, F f) {
        return core_->hook(HookKind::replace, id, std::move(f));
    }
    /// A token that takes the hook off when it is destroyed; of several stores each has its own hooks.
    ///     const HookToken token = store.scoped(store.on_add<Body>([&](Entity entity, Body&) { added.push_back(entity); }));
    [[nodiscard]] HookToken scoped(HookId hook) noexcept { return {*core_, hook}; }
    /// The hook is not called any more. Returns whether it was there.
    bool off(HookId hook) noexcept { return core_->hooks.erase(hook); }
    /// Attaches a map that follows entities; SecondaryMap, SparseSecondaryMap and IdentityMap call it in attach_to():
    ///     SecondaryMap<Entity, Label> labels;
    ///     labels.attach_to(store);
    /// What such a map has of an entity is dropped when the entity ends, in whatever way, or is kept as a reserved one: after
    /// on_remove hooks, in which it can be read. restore() and clear() drop all of it. The map follows until the token is
    /// destroyed, and goes along when the store is moved. Other data of entities are components.
    /// @throws std::bad_alloc; it is not attached then
    [[nodiscard]] ObserverToken attach(detail::FollowingObserver& observer) { return core_->entities.attach(observer); }

    //=== time ===//

    /// The tick that changes get, from 1; it wraps.
    tick_t tick() const noexcept { return core_->tick; }
    /// Goes on to the next tick, at the end of a frame, and returns the one that ended: what is changed from now on is newer.
    ///     const tick_t seen = store.advance();
    ///     store.query<const Position>().changed<Position>(seen)        // later: what changed since
    /// Once in 2^30 ticks it makes old ticks comparable again (TickColumn::clamp).
    /// @complexity O(1), linear in tracked rows once in 2^30 ticks
    tick_t advance() noexcept { return core_->advance(); }

    /// From now on it is kept who loses a T, for removed<T>(). By id also a pair, or pair(relation, any) for all pairs of a
    /// relation. It costs nothing while it is not asked for, and about as much as an on_remove hook otherwise.
    /// @pre no hook is running (checked at level fast)
    /// @throws std::invalid_argument when the registry does not know the id; what the allocator throws; strong
    template <detail::Component T>
    void keep_removed() {
        core_->keep_removed(core_->registry.id<T>());
    }
    void keep_removed(ComponentId id) { core_->keep_removed(id); }
    /// The entities that have lost their T after tick `since`, in the order in which they did, by whatever change: despawn()
    /// and clear() too, after which an entity does not live. One that got it again and lost it again is there twice; has<T>()
    /// says whether it has one now. A change that fails is not there. restore() drops all.
    ///     for (const Entity entity : store.removed<Position>(seen)) ...
    ///     seen = store.advance();
    /// @throws std::invalid_argument when that is not kept, see keep_removed() @complexity O(log of what is kept)
    /// @invalidates forget_removed() and restore(); the loop may remove more
    template <detail::Component T>
    auto removed(tick_t since) const {
        return removed(core_->registry.find<T>(), since);
    }
    auto removed(ComponentId id, tick_t since) const { return core_->removed(id, since); }
    /// Drops what is kept of tick `until` and earlier ones. Call it when all readers have seen them, for example once a frame:
    /// what is kept takes 12 bytes for each removal until then. @complexity linear in what stays
    void forget_removed(tick_t until) noexcept { core_->removals.forget(until); }

    //=== commands ===//

    /// Carries out the commands of a buffer, see command_buffer.hpp. Returns how many were dropped, because their entity, or a
    /// pair's target, did not live. What hooks record in the buffer meanwhile stays there; what a call of the buffer records is
    /// carried out too, see CommandBuffer::call.
    /// @pre nothing walks or changes the store (checked at level fast)
    /// @throws std::invalid_argument when the buffer was made for another store; what values, hooks, and the allocator throw,
    /// and what a relation refuses. The policy is that of CommandBuffer @complexity linear in commands
    size_type apply(CommandBuffer& buffer);
    /// Calls f(commands) with an empty CommandBuffer of the store, and carries out what was recorded when f returns; needs
    /// command_buffer.hpp:
    ///     store.defer([&](auto& commands) {
    ///         for (auto [entity, health] : store.query<const Health>())
    ///             if (health.left <= 0) commands.despawn(entity);
    ///     });
    /// A call within f, also in its walks and in hooks, gets the same buffer, and the outermost call carries out everything.
    /// What hooks record meanwhile is carried out, too. Returns how many commands were dropped, as apply(); 0 of an inner call.
    /// If an exception leaves the outermost f, all commands are dropped, and nothing was changed but what f has changed itself.
    /// If one leaves an inner f only, what that has recorded stays recorded. If something throws while commands are carried
    /// out, earlier changes stay, and the rest is dropped.
    /// @pre of the outermost call: nothing walks or changes the store (checked at level fast). No other thread uses the store,
    /// except for what f itself lets them do: record into buffers of their own, and read
    /// @throws what f throws, and as apply() @complexity as apply()
    template <class F, class Deferral = detail::Deferral>
    size_type defer(F&& f) {
        if constexpr (requires { sizeof(Deferral); }) {
            static_assert(std::is_invocable_v<F&, CommandBuffer&>,
                          "ArchetypeStore::defer(f): f takes a CommandBuffer&, as in store.defer([&](auto& commands) {...})");
            Deferral deferral(*this);
            f(deferral.commands());
            return deferral.end();
        } else {
            static_assert(!std::is_same_v<F, F>, "ArchetypeStore::defer(f): include <slotwise/ecs/command_buffer.hpp>");
            return 0;
        }
    }

    //=== snapshots ===//

    /// The exact state as bytes: entities, also the order in which dead ids come back, tables in their order, values, pairs,
    /// sparse ones, bits, ticks, the tick, and resources whose types the codec has or are trivially copyable and no pointers.
    /// Hooks, queries, command buffers and other resources are no part of it. The registry is not either: components and
    /// resources are found by their names.
    /// @param codec for types that are more than their bytes; others, which must be trivially copyable, are written as these,
    /// padding included: such bytes are restored only where `long`, pointers and wchar_t have the same sizes. Give `codec` all
    /// types for a file that crosses platforms.
    /// @throws std::invalid_argument when values of a component cannot be written, or a pair's target is yet to be spawned by
    /// a buffer whose apply() threw; what the codec and the allocator throw
    template <class Codec = AnyCodec>
    std::vector<std::byte> snapshot(const Codec& codec = Codec()) const {
        return detail::StoreWriter<detail::StoreCore>(*core_, detail::expect_any_codec(codec)).write();
    }
    /// Replaces entities, components and resources by a snapshot's, which may be of another store or program, without hooks. A
    /// resource that snapshot() would write with this codec and that the bytes do not have is erased; others stay. The next
    /// entities that are spawned are those that the other store would spawn, and walks go in its order. All bytes are checked
    /// before anything changes; those that snapshot() would not write are refused, but each pattern of a trivially copyable
    /// type that the codec does not cover is taken for a value. Give `codec` all types for bytes that you do not trust.
    /// Ids issued after the snapshot are issued again: drop those that are not alive right after this.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; what the codec and the allocator throw;
    /// strong @pre structure may change (checked at level fast) @invalidates ids that command buffers have taken
    template <class Codec = AnyCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec = Codec()) {
        if (const char* const error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. The text stays until the next call of this
    /// kind. @throws what the codec and the allocator throw; strong
    template <class Codec = AnyCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec = Codec()) {
        return detail::StoreReader<detail::StoreCore>(*core_, bytes, detail::expect_any_codec(codec)).restore();
    }

    //=== parts of a store ===//

    /// The entities of a query, or of any range, with their components as bytes, for insert_snapshot():
    /// to copy what was selected, for
    /// a prefab, a level that is loaded beside others, a merge of two stores. Values, pairs, sparse ones and bits; no ticks,
    /// and no resources. Of the components only those of `components`:
    ///     store.snapshot_of(query, codec)
    ///     store.snapshot_of(query, codec, store.all_but<Mesh, Sound>())
    /// Entities that do not live are left out. The bytes depend on these entities and what they have alone.
    /// @param codec must have each type that has values: it knows which members are entities
    /// @throws std::invalid_argument that names a component whose type the codec does not cover; when the query is of another
    /// store, or an id of `components` is none of the registry's; what the codec and the allocator throw
    /// @complexity linear in entities and bytes, n log n if the entities are in another order than their tables
    template <class Store, class... Ts, class Codec = AnyCodec>
    std::vector<std::byte> snapshot_of(const Query<Store, Ts...>& query, const Codec& codec = Codec(),
                                       const ComponentSelection& components = ComponentSelection()) const {
        if (query.core_ != core_) [[unlikely]]
            detail::throw_invalid_argument("ArchetypeStore::snapshot_of: the query is of another store");
        detail::PlainVector<Entity> entities;
        query.append_entities(entities);
        return snapshot_of(entities.span(), codec, components);
    }
    template <class Codec = AnyCodec>
    std::vector<std::byte> snapshot_of(std::span<const Entity> entities, const Codec& codec = Codec(),
                                       const ComponentSelection& components = ComponentSelection()) const {
        return detail::PartWriter<detail::StoreCore>(*core_, detail::expect_any_codec(codec), entities, components).write();
    }
    template <detail::EntityRange R, class Codec = AnyCodec>
    std::vector<std::byte> snapshot_of(R&& entities, const Codec& codec = Codec(),
                                       const ComponentSelection& components = ComponentSelection()) const {
        return snapshot_of(detail::copy_of_entities(entities).span(), codec, components);
    }
    /// These components only, or all but these; a relation stands for its pairs.
    /// @throws std::bad_alloc
    template <detail::Component... Ts>
    ComponentSelection only() const {
        const ComponentId ids[] = {core_->registry.template find<Ts>()..., ComponentId()};
        return ComponentSelection::only(ids);
    }
    template <detail::Component... Ts>
    ComponentSelection all_but() const {
        const ComponentId ids[] = {core_->registry.template find<Ts>()..., ComponentId()};
        return ComponentSelection::all_but(ids);
    }
    /// Makes new entities of what snapshot_of() wrote, of this or another store or program, beside those that are there. The
    /// result says which is which. Pairs within the part, and entities in values, are those of the new entities. What is not in
    /// the part is nothing here, unless outside(Entity) says what it is: then such pairs are dropped and such members null, and
    /// the result counts them. Within one store, outside = std::identity() keeps them. Components are found by their names, and
    /// are exactly those of the part, without companions. on_add hooks are called when all is there, as by spawn().
    ///     const auto ids = store.insert_snapshot(bytes, codec);
    /// All bytes are checked before anything changes.
    /// @param outside an entity that does not live here is nothing @param range where the ids are from, see add_range()
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; what the codec, `outside`, moves of values
    /// and the allocator throw; strong; what hooks throw, and the entities stay @complexity linear in entities and bytes
    /// @pre structure may change (checked at level fast) @invalidates addresses in tables that get rows
    template <class Codec = AnyCodec, class Outside = detail::NothingOutside>
    InsertedEntities insert_snapshot(std::span<const std::byte> bytes, const Codec& codec = Codec(), Outside&& outside = {},
                                     Range range = Range()) {
        InsertedEntities result;
        if (const char* const error = try_insert_snapshot(bytes, result, codec, outside, range))
            detail::throw_invalid_argument(error);
        return result;
    }
    /// The same, but returns the error instead of throwing it; null on success. `result` is that of before when it fails.
    template <class Codec = AnyCodec, class Outside = detail::NothingOutside>
    const char* try_insert_snapshot(std::span<const std::byte> bytes, InsertedEntities& result, const Codec& codec = Codec(),
                                    Outside&& outside = {}, Range range = Range()) {
        return detail::PartReader<detail::StoreCore>(*core_, bytes, detail::expect_any_codec(codec))
            .insert(range, outside, result);
    }

    /// Bytes held on the heap: entities, tables, sparse components, and what is kept of changes and queries. Without what
    /// values hold themselves, and without command buffers. @complexity linear in tables, their ids, queries, components, and
    /// pages of sparse components
    size_type memory_usage() const noexcept { return core_ == nullptr ? 0 : sizeof *core_ + core_->memory_usage(); }
    /// Whether all parts agree with each other; for tests.
    bool check_invariants() const { return core_->check_invariants(); }

private:
    friend class CommandBuffer;
    friend detail::Deferral;

    static constexpr const char* other_store = "ArchetypeStore::remove(query): the query is of another store";

    /// The size of a value whose copy calls nobody, and 0 of others.
    template <class T, class Value = std::remove_cvref_t<T>>
    static constexpr size_type plain_size =
        std::is_trivially_copyable_v<Value> && !detail::is_tag_type<Value> ? sizeof(Value) : 0;

    /// What the store knows about a list of types. Throws as ComponentLists::get
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE detail::ComponentList& list_of() {
        static_assert(detail::all_different<std::remove_cvref_t<Ts>...>,
                      "ArchetypeStore: a component is there twice in one call; an entity has one value of each");
        return core_->type_lists.get<std::remove_cvref_t<Ts>...>(core_->registry);
    }
    template <class T, class F>
    HookId hook(HookKind kind, F&& f) {
        using detail::takes_entity;
        static_assert(takes_entity<F, T&> || takes_entity<F>,
                      "ArchetypeStore hooks of a type are called as f(Entity, T&) or f(Entity)");
        const ComponentId id = core_->registry.id<T>();
        core_->registry.expect_term(id, "ArchetypeStore hooks");
        return core_->hooks.add(kind, id,
                                [f = std::forward<F>(f)](Entity entity, ComponentId, [[maybe_unused]] void* value) mutable {
                                    if constexpr (takes_entity<F>)
                                        f(entity);
                                    else if constexpr (detail::is_tag_type<T>) {
                                        T tag{};
                                        f(entity, tag);
                                    } else
                                        f(entity, *static_cast<T*>(value));
                                });
    }

    template <class T>
    static consteval void expect_resource_type() {
        static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                      "ArchetypeStore: a resource is an object that is not const; wrap an array or a reference in a struct");
    }
    template <class T>
    static T& resource_of(T* found) {
        if (found == nullptr) [[unlikely]]
            detail::StoreResources::refuse_missing(detail::type_name<std::remove_const_t<T>>());
        return *found;
    }

    //=== values that are passed ===//

    /// Calls f(change) with the values of a list behind pointers.
    template <class F, class... Ts>
    static decltype(auto) with_values(const detail::ComponentList& list, [[maybe_unused]] bool assigns, F&& f, Ts&&... values) {
        size_type i = 0;
        const detail::ComponentValue all[] = {detail::ComponentValue{list.ids[i++], any_value<Ts>(values), assigns}...,
                                              detail::ComponentValue{}};
        return f(detail::Change{list.sorted.span(), {}, {all, sizeof...(Ts)}});
    }
    /// As AnyValue::of. The registry knows the type, which may have another id if it is bound to a name.
    template <class T>
    static AnyValue any_value(std::remove_reference_t<T>& value) noexcept {
        detail::expect_movable<std::remove_cvref_t<T>>();
        if constexpr (std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>>)
            return AnyValue::copied(std::addressof(value));
        else
            return AnyValue::moved(std::addressof(value));
    }
    template <class T>
    SLOTWISE_ALWAYS_INLINE static bool construct(void* to, std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        if constexpr (!detail::is_tag_type<Value>) detail::build_value<Value>(to, static_cast<T&&>(value));
        return true;
    }
    template <class T>
    SLOTWISE_ALWAYS_INLINE static bool construct_default(void* to) {
        if constexpr (!detail::is_tag_type<T>) ::new (to) T();
        return true;
    }
    /// Builds a value from the argument with this number; false if there is none.
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE static bool build([[maybe_unused]] unsigned argument, [[maybe_unused]] void* to,
                                             std::remove_reference_t<Ts>&... values) {
        [[maybe_unused]] unsigned i = 0;
        return ((argument == i++ && construct<Ts>(to, values)) || ...);
    }
    /// Builds the value of row `row` in a column.
    template <class T>
    SLOTWISE_ALWAYS_INLINE static void write([[maybe_unused]] Table& table, [[maybe_unused]] std::int32_t column,
                                             [[maybe_unused]] size_type row, std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        if constexpr (!detail::is_tag_type<Value>) construct<T>(table.data<Value>(static_cast<size_type>(column)) + row, value);
    }
    /// A function that builds a T from the argument in the memory that it is given.
    template <class T>
    static auto builder_of(std::remove_reference_t<T>& value) noexcept {
        return [&value](void* to) { construct<T>(to, value); };
    }
    template <class T>
    SLOTWISE_ALWAYS_INLINE static void assign([[maybe_unused]] void* to, [[maybe_unused]] std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        if constexpr (!detail::is_tag_type<Value>) {
            static_assert(std::is_assignable_v<Value&, T&&>,
                          "ArchetypeStore::set: values of this type cannot be assigned; remove the component and add it anew");
            *static_cast<Value*>(to) = static_cast<T&&>(value);
        }
    }
    /// A function that assigns the argument to a T.
    template <class T>
    static auto assigner_of(std::remove_reference_t<T>& value) noexcept {
        return [&value](void* to) { assign<T>(to, value); };
    }
    /// Assigns to the value in a table, if the entity has it there.
    template <class T>
    static void assign_at(detail::StoreCore& core, EntityLocation at, ComponentId id, std::remove_reference_t<T>& value) {
        using Value = std::remove_cvref_t<T>;
        Table& table = core.table(at);
        const std::int32_t place = table.place_of(id);
        if (place < 0) return;
        if (TickColumn* const ticks = table.ticks(static_cast<size_type>(place))) ticks->mark(at.row(), core.tick);
        if constexpr (!detail::is_tag_type<Value>)
            assign<T>(table.data<Value>(static_cast<size_type>(table.column_at(static_cast<size_type>(place)))) + at.row(),
                      value);
    }
    /// `count` copies of a value, side by side.
    template <class T>
    static bool fill(void* to, size_type count, const T& value) {
        if constexpr (!detail::is_tag_type<T>) {
            T* const values = static_cast<T*>(to);
            std::size_t built = 0;
            if constexpr (std::is_trivially_copyable_v<T>) {
                if (count == 0) return true;
                ::new (to) T(value);
                detail::repeat_first(to, sizeof(T), count);
                return true;
            }
            ScopeGuard undo([&]() noexcept {
                while (built != 0) values[--built].~T();
            });
            for (; built != count; ++built) ::new (static_cast<void*>(values + built)) T(value);
            undo.dismiss();
        }
        return true;
    }

    /// add_each() of these types.
    template <detail::Component... Ts>
    size_type add_lists(std::span<const Entity> entities, std::span<const Ts>... values);
    /// Copies of the values at these places, side by side.
    template <class T>
    static bool copy_at(void* to, std::span<const std::uint32_t> places, std::span<const T> from) {
        if constexpr (!detail::is_tag_type<T>) {
            T* const values = static_cast<T*>(to);
            std::size_t built = 0;
            ScopeGuard undo([&]() noexcept {
                while (built != 0) values[--built].~T();
            });
            for (; built != places.size(); ++built) ::new (static_cast<void*>(values + built)) T(from[places[built]]);
            undo.dismiss();
        }
        return true;
    }
    /// How often f(i, entity) is true.
    template <class F>
    static size_type count_if(std::span<const Entity> entities, F&& f) {
        size_type count = 0;
        for (size_type i = 0; i != entities.size(); ++i) count += f(i, entities[i]);
        return count;
    }

    detail::StoreCore* core_; // on the heap: queries and command buffers refer to it. Null only after a move
};

template <detail::Component... Ts>
Entity ArchetypeStore::spawn(Ts&&... values) {
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<Ts...>();
    if (list.any_sparse) [[unlikely]]
        return with_values(
            list, false, [&](const detail::Change& what) { return core.spawn(what); }, std::forward<Ts>(values)...);
    core.flush_reserved("spawn");
    const detail::StoreCore::Changing changing(core, "spawn", Entity(), list);
    const detail::Transition& transition = core.transition(list, list.spawned, detail::ArchetypeTables::root());
    const Entity entity = core.entities.create();
    ScopeGuard undo([&]() noexcept { core.undo_create(core.entities.row_of(entity), 1); });
    slot_t row = no_slot;
    core.before_row(transition.to, *transition.destination);
    if constexpr ((std::is_nothrow_constructible_v<std::remove_cvref_t<Ts>, Ts&&> && ...))
        if (transition.complete) [[likely]]
            row = transition.destination->try_push_back(entity, [&]([[maybe_unused]] size_type at) {
                [[maybe_unused]] const std::int32_t* column = transition.columns.data();
                (write<Ts>(*transition.destination, *column++, at, values), ...);
            });
    if (row == no_slot) [[unlikely]]
        row = transition.destination->push_back(entity, core.tick, [&](size_type column, void* to) {
            if (!build<Ts...>(transition.argument[column], to, values...))
                detail::build_default(*transition.destination, column, to);
        });
    core.entities[entity].set(transition.to, row);
    undo.dismiss();
    if (core.hooks.any(HookKind::add)) [[unlikely]]
        core.run_hooks(HookKind::add, entity, transition.destination->ids(), {});
    return entity;
}

template <detail::Component... Ts>
std::span<const Entity> ArchetypeStore::spawn_n(size_type count, const Ts&... values) {
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<Ts...>();
    if (list.any_sparse) [[unlikely]]
        return with_values(
            list, false, [&](const detail::Change& what) { return core.spawn_n(count, what); }, values...);
    core.flush_reserved("spawn_n");
    const detail::StoreCore::Changing changing(core, "spawn_n", Entity(), list);
    const detail::Transition& transition = core.transition(list, list.spawned, detail::ArchetypeTables::root());
    Table& table = *transition.destination;
    const auto first = static_cast<slot_t>(table.size());
    const size_type living = core.entities.alive().size();
    static_cast<void>(core.entities.create_n({}, count, [&](slot_t i) { return EntityLocation(transition.to, first + i); }));
    ScopeGuard undo([&]() noexcept { core.undo_create(living, count); });
    const auto created = [&] { return core.entities.alive().data() + living; }; // values and hooks may record spawns
    core.before_row(transition.to, table);
    table.append_n(count, created, core.tick, [&](size_type column, void* to, size_type n) {
        [[maybe_unused]] unsigned i = 0;
        const bool given = ((transition.argument[column] == i++ && fill(to, n, values)) || ...);
        if (!given) detail::fill_column(table.type(column), AnyValue(), to, n);
    });
    undo.dismiss();
    if (core.hooks.any(HookKind::add)) [[unlikely]]
        for (size_type i = 0; i != count; ++i) core.run_hooks(HookKind::add, created()[i], table.ids(), {});
    return {created(), count};
}

template <class Build>
std::span<const Entity> ArchetypeStore::spawn_columns(size_type count, std::span<const ComponentId> ids, Build&& build) {
    detail::StoreCore& core = *core_;
    const detail::ComponentList list = core.list_of_columns(ids, "ArchetypeStore::spawn_columns");
    core.erase_left_tables("spawn_columns");
    core.flush_reserved("spawn_columns");
    const detail::StoreCore::Changing changing(core, "spawn_columns", Entity(), list);
    const slot_t number = core.tables.add_all(detail::ArchetypeTables::root(), list.sorted.span()).table;
    Table& table = core.tables[number];
    const auto first = static_cast<slot_t>(table.size());
    const size_type living = core.entities.alive().size();
    static_cast<void>(core.entities.create_n({}, count, [&](slot_t i) { return EntityLocation(number, first + i); }));
    ScopeGuard undo([&]() noexcept { core.undo_create(living, count); });
    const auto created = [&] { return core.entities.alive().data() + living; }; // values and hooks may record spawns
    core.before_row(number, table);
    table.append_n(count, created, core.tick, [&](size_type column, void* to, size_type n) {
        if (!build(table.column_id(column), to, n)) detail::fill_column(table.type(column), AnyValue(), to, n);
    });
    undo.dismiss();
    if (core.hooks.any(HookKind::add)) [[unlikely]]
        for (size_type i = 0; i != count; ++i) core.run_hooks(HookKind::add, created()[i], table.ids(), {});
    return {created(), count};
}

template <detail::Component... Ts>
bool ArchetypeStore::add(Entity entity, Ts&&... values) {
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<Ts...>();
    if (list.any_sparse) [[unlikely]] {
        if constexpr (sizeof...(Ts) == 1)
            if (list.one_sparse) return core.add_sparse<plain_size<Ts...>>(entity, list, builder_of<Ts>(values)...);
        return with_values(
            list, false, [&](const detail::Change& what) { return core.change(entity, what); }, std::forward<Ts>(values)...);
    }
    if constexpr ((detail::is_tag_type<std::remove_cvref_t<Ts>> && ...)) return core.move_listed(entity, list, list.added);
    EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    const detail::StoreCore::Changing changing(core, "add", entity, list);
    core.add_all(entity, *at, list, [&](unsigned argument, void* to) { return build<Ts...>(argument, to, values...); });
    return true;
}

template <detail::Component... Ts>
    requires(sizeof...(Ts) != 0)
bool ArchetypeStore::add(Entity entity) {
    static_assert((std::is_default_constructible_v<Ts> && ...),
                  "ArchetypeStore::add<Ts...>(entity): a type has no default value; write add(entity, values...)");
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<Ts...>();
    if constexpr (sizeof...(Ts) == 1)
        if (list.one_sparse) {
            constexpr size_type size = (std::is_trivially_default_constructible_v<Ts> && ...) ? plain_size<Ts...> : 0;
            return core.add_sparse<size>(entity, list, [](void* to) { (::new (to) Ts(), ...); });
        }
    if (list.any_sparse) [[unlikely]]
        return core.change(entity, {list.sorted.span(), {}, {}});
    if constexpr ((detail::is_tag_type<Ts> && ...)) return core.move_listed(entity, list, list.added);
    EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    const detail::StoreCore::Changing changing(core, "add", entity, list);
    core.add_all(entity, *at, list, [&](unsigned argument, void* to) {
        unsigned i = 0;
        return ((argument == i++ && construct_default<Ts>(to)) || ...);
    });
    return true;
}

template <detail::Component T, class... Args>
T* ArchetypeStore::emplace(Entity entity, Args&&... args) {
    static_assert(!detail::is_tag_type<T>,
                  "ArchetypeStore::emplace<T>: a type without state is a tag, which is built of nothing; write add<T>(entity)");
    static_assert(detail::builds_from<T, Args...>,
                  "ArchetypeStore::emplace<T>(entity, args...): there is no T(args...) and no T{args...}");
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<T>();
    auto build = [&](void* to) { detail::build_from<T>(to, std::forward<Args>(args)...); };
    if (list.one_sparse) {
        if (!core.add_sparse<0>(entity, list, build)) return nullptr;
    } else if (list.any_sparse) {
        const auto call = [](void* to, void* f) { (*static_cast<decltype(build)*>(f))(to); };
        const detail::ComponentValue given{list.ids[0], AnyValue::built(call, std::addressof(build))};
        if (!core.change(entity, {list.sorted.span(), {}, {&given, 1}})) return nullptr;
    } else {
        EntityLocation* const at = core.location(entity);
        if (at == nullptr) return nullptr;
        const detail::StoreCore::Changing changing(core, "emplace", entity, list);
        core.add_all(entity, *at, list, [&](unsigned argument, void* to) {
            if (argument != 0) return false;
            build(to);
            return true;
        });
    }
    return detail::StoreCore::typed_value<T>(core, entity, list.ids[0]);
}

template <detail::Component T>
std::optional<T> ArchetypeStore::take(Entity entity) {
    static_assert(!detail::is_tag_type<T>, "ArchetypeStore::take<T>: a type without state is a tag, which has no value to be "
                                           "returned; write has<T>(entity) and remove<T>(entity)");
    if constexpr (!std::is_move_constructible_v<T>) {
        detail::expect_movable<T>();
        return std::nullopt;
    } else {
        detail::StoreCore& core = *core_;
        std::optional<T> result;
        const ComponentId id = core.registry.template find<T>();
        const T* const found = detail::StoreCore::typed_value<const T>(core, entity, id);
        if (found == nullptr) return result;
        T& value = const_cast<T&>(*found); // the store is not const
        detail::ComponentList& list = list_of<T>();
        if (!core.hooks.any(HookKind::remove)) [[likely]] { // the value may leave before memory is asked for
            core.expect_idle("take", entity, list);
            if (list.one_sparse) {
                result.emplace(std::move(value));
                core.remove_sparse(entity, list);
                return result;
            }
            if constexpr (std::is_nothrow_move_constructible_v<T>)
                if (!list.any_sparse) {
                    result.emplace(std::move(value));
                    ScopeGuard undo([&]() noexcept {
                        std::destroy_at(std::addressof(value));
                        ::new (static_cast<void*>(std::addressof(value))) T(std::move(*result));
                    });
                    core.move_listed(entity, list, list.removed);
                    undo.dismiss();
                    return result;
                }
        }
        core.take(entity, id, [&](void* from) { result.emplace(std::move(*static_cast<T*>(from))); });
        return result;
    }
}

template <detail::Component... Ts>
    requires(sizeof...(Ts) != 0)
std::size_t ArchetypeStore::add(std::span<const Entity> entities, const Ts&... values) {
    detail::ComponentList& list = list_of<Ts...>();
    if (list.any_sparse) [[unlikely]] {
        const detail::PlainVector<Entity> all(entities);
        return count_if(all.span(), [&](std::size_t, Entity entity) { return add(entity, values...); });
    }
    return core_->add_to_many(entities, list, [&](unsigned argument, std::span<const std::uint32_t> places, void* to) {
        unsigned i = 0;
        return ((argument == i++ && fill(to, places.size(), values)) || ...);
    });
}

/// As add_each, of lists whose types are known.
template <detail::Component... Ts>
std::size_t ArchetypeStore::add_lists(std::span<const Entity> entities, std::span<const Ts>... values) {
    if (((values.size() != entities.size()) || ...)) [[unlikely]]
        detail::throw_invalid_argument("ArchetypeStore::add_each: give a value for each entity in each list");
    detail::ComponentList& list = list_of<Ts...>();
    if (list.any_sparse) [[unlikely]] {
        const detail::PlainVector<Entity> all(entities);
        return count_if(all.span(), [&](std::size_t i, Entity entity) { return add(entity, values[i]...); });
    }
    return core_->add_to_many(entities, list, [&](unsigned argument, std::span<const std::uint32_t> places, void* to) {
        unsigned i = 0;
        return ((argument == i++ && copy_at(to, places, values)) || ...);
    });
}

template <class Build>
std::size_t ArchetypeStore::add_columns(std::span<const Entity> entities, std::span<const ComponentId> ids, Build&& build) {
    detail::ComponentList list = core_->list_of_columns(ids, "ArchetypeStore::add_columns");
    for (const ComponentId id : list.ids)
        if (id.is_pair() && core_->registry.traits(id).acyclic) [[unlikely]]
            detail::throw_invalid_argument(
                "ArchetypeStore::add_columns: a pair of an acyclic relation may close a cycle; relate "
                "each entity by relate(entity, relation, target)");
    return core_->add_to_many(entities, list, [&](unsigned argument, std::span<const std::uint32_t> places, void* to) {
        return argument < list.ids.size() && static_cast<bool>(build(list.ids[argument], places, to));
    });
}

template <detail::Component... Ts>
bool ArchetypeStore::remove(Entity entity) {
    static_assert(sizeof...(Ts) != 0, "ArchetypeStore::remove(entity): name what is removed, as in remove<Position>(entity); "
                                      "an entity ends by despawn(entity)");
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<Ts...>();
    if (list.one_sparse) return core.remove_sparse(entity, list);
    if (list.any_sparse || core.hooks.any(HookKind::remove)) [[unlikely]]
        return core.change(entity, {{}, list.sorted.span(), {}});
    return core.move_listed(entity, list, list.removed);
}

template <detail::Component T, class... Args>
T& ArchetypeStore::get_or_add(Entity entity, Args&&... args) {
    using Value = std::remove_const_t<T>;
    static_assert(!detail::is_tag_type<Value>, "ArchetypeStore::get_or_add<T>: a type without state is a tag, which has no "
                                               "value; write add<T>(entity)");
    static_assert(std::is_constructible_v<Value, Args&&...>,
                  "ArchetypeStore::get_or_add<T>(entity, args...): T cannot be built as T(args...)");
    detail::StoreCore& core = *core_;
    const ComponentId id = list_of<Value>().ids.front();
    if (T* const found = detail::StoreCore::typed_value<T>(core, entity, id)) return *found;
    T* const added = emplace<Value>(entity, std::forward<Args>(args)...);
    if (added == nullptr) [[unlikely]]
        core.refuse_missing(entity, id, "get_or_add");
    return *added;
}

template <detail::Component T, class Less>
void ArchetypeStore::sort(Less less) {
    constexpr bool by_entity = detail::TakesFirst<Less, Entity, Entity>;
    static_assert(by_entity || (std::is_invocable_v<Less&, const T&, const T&> && !detail::is_tag_type<T>),
                  "ArchetypeStore::sort<T>(less): less takes (const T&, const T&), or (Entity, Entity), as it must for a tag");
    using Key = std::conditional_t<by_entity, Entity, std::conditional_t<detail::is_sort_key<T>, T, const T*>>;
    struct Row {
        Key key;
        slot_t row;
    };
    const auto before = [&](const Row& a, const Row& b) -> bool {
        if constexpr (std::is_same_v<Key, const T*>)
            return less(*a.key, *b.key);
        else
            return less(a.key, b.key);
    };
    const ComponentId id = core_->registry.template id<T>();
    core_->expect_rows_of(id);
    const detail::StoreCore::Changing changing(*core_, "sort", Entity(), {&id, 1});
    std::vector<Row> rows;
    detail::PlainVector<slot_t> order;
    for (const auto entry : core_->tables.index().tables(id)) {
        Table& table = *entry.table;
        const std::span<const Entity> entities = table.entities();
        rows.clear();
        rows.reserve(entities.size());
        for (slot_t row = 0; row != entities.size(); ++row) {
            if constexpr (by_entity)
                rows.push_back({entities[row], row});
            else {
                const T& value = table.template data<T>(static_cast<size_type>(table.column_of_own(id)))[row];
                if constexpr (detail::is_sort_key<T>)
                    rows.push_back({value, row});
                else
                    rows.push_back({std::addressof(value), row});
            }
        }
        if (std::is_sorted(rows.begin(), rows.end(), before)) continue;
        std::stable_sort(rows.begin(), rows.end(), before);
        order.clear();
        order.reserve(rows.size());
        for (const Row& each : rows) order.push_back(each.row);
        core_->permute(table, order.data());
    }
}

template <detail::Component... Ts>
bool ArchetypeStore::set(Entity entity, Ts&&... values) {
    detail::StoreCore& core = *core_;
    detail::ComponentList& list = list_of<Ts...>();
    if (list.any_sparse) [[unlikely]] {
        if constexpr (sizeof...(Ts) == 1)
            if (list.one_sparse)
                return core.set_sparse<plain_size<Ts...>>(entity, list, assigner_of<Ts>(values)..., builder_of<Ts>(values)...);
        return with_values(
            list, true, [&](const detail::Change& what) { return core.change(entity, what); }, std::forward<Ts>(values)...);
    }
    EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    const Table& table = core.table(*at);
    bool all = true;
    for (const ComponentId id : list.ids) all = all && table.contains(id);
    const detail::StoreCore::Changing changing(core, all ? nullptr : "set", entity, list);
    const bool replaces = core.hooks.any(HookKind::replace);
    if (replaces) [[unlikely]]
        core.run_replace_hooks(entity, table, list.ids.span());
    size_type i = 0;
    ScopeGuard failed([&]() noexcept { // what was assigned stays assigned, also by an assignment that threw
        if (&core.table(*at) == &table || replaces)
            core.run_set_hooks_of_failure(entity, table, list.ids.span().first(replaces ? sizeof...(Ts) : i));
    });
    ((assign_at<Ts>(core, *at, list.ids[i++], values)), ...);
    if (!all)
        core.add_all(entity, *at, list, [&](unsigned argument, void* to) { return build<Ts...>(argument, to, values...); });
    failed.dismiss();
    if (replaces) [[unlikely]]
        core.run_set_hooks(entity, list.ids.span(), table);
    else if (core.hooks.any(HookKind::set)) [[unlikely]]
        for (const ComponentId id : list.ids) core.run_hook(HookKind::set, id, entity);
    return true;
}

SLOTWISE_END

#if SLOTWISE_BODIES
#include "archetype_store.inl.hpp"
#endif

#endif
