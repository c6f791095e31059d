// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityBuilder: an entity that is put together step by step and spawned once.
#ifndef SLOTWISE_ECS_ENTITY_BUILDER_HPP
#define SLOTWISE_ECS_ENTITY_BUILDER_HPP

#include "store_typed.hpp"

SLOTWISE_BEGIN

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
    EntityBuilder(EntityBuilder&& other) noexcept
        : core_(other.core_), ids_(std::move(other.ids_)), values_(std::move(other.values_)) {
        other.clear_taken();
    }
    EntityBuilder& operator=(EntityBuilder&&) = delete;
    ~EntityBuilder() { clear(); }

    /// With this value; a later one of the same type comes in its place.
    /// @throws what the value's constructor and the allocator throw; strong
    template <detail::Component T>
    EntityBuilder& with(T&& value) {
        using Value = std::remove_cvref_t<T>;
        const ComponentId id = core_->registry.id<Value>();
        if constexpr (!detail::is_tag_type<Value>)
            keep(id, *core_->registry.type(id), [&](void* to) { ::new (to) Value(std::forward<T>(value)); });
        else
            name(id);
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
    /// With a value of a described type, which is copied or moved here.
    /// @throws also std::invalid_argument when the component has no values, or of another type
    EntityBuilder& with(ComponentId id, const AnyValue& value) {
        core_->registry.expect(id, "EntityBuilder::with");
        const TypeDescriptor* const type = core_->registry.type(id);
        if (type == nullptr) [[unlikely]]
            detail::throw_invalid_argument("EntityBuilder::with(id, value): the component is a tag; write with(id)");
        keep(id, *type, [&](void* to) { value.build(*type, to); });
        return *this;
    }
    /// With a pair. @throws as with(id)
    EntityBuilder& relate(ComponentId relation, Entity target) { return with(pair(relation, target)); }
    /// With a pair and its value, if the relation has values. @throws as with(id, value)
    EntityBuilder& relate(ComponentId relation, Entity target, const AnyValue& value) {
        return with(pair(relation, target), value);
    }
    /// The entity. @throws as ArchetypeStore::spawn; the builder keeps its components then, values may have been moved from
    Entity spawn() {
        given_.clear();
        given_.reserve(values_.size());
        detail::IdSets::sort_set(ids_);
        for (const Given& each : values_) given_.push_back({each.id, AnyValue::moved(each.at())});
        const Entity entity = detail::spawn(*core_, {ids_.span(), {}, given_.span()});
        clear();
        return entity;
    }
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

SLOTWISE_END

#endif
