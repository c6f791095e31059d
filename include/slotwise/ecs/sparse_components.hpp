// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseComponents: what entities have outside the tables: sparse components, and the targets of switched relations.
#ifndef SLOTWISE_ECS_SPARSE_COMPONENTS_HPP
#define SLOTWISE_ECS_SPARSE_COMPONENTS_HPP

#include "../sparse/switch_map.hpp"
#include "component_registry.hpp"
#include "sparse_column.hpp"

#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// A SparseColumn for each component with trait `sparse`, and a SwitchMap for each relation with trait `switched`, by their
/// numbers in the registry. They are made when they are first needed and never move. It does not know tables: that a table
/// lists a switched relation is up to the caller.
class SparseComponents {
public:
    /// The targets of the sources of a switched relation, in the form of ComponentIdParts::target_of().
    using Targets = SwitchMap<Entity, Entity>;

    /// Components of this registry, which must outlive this object.
    explicit SparseComponents(const ComponentRegistry& registry) noexcept : registry_(&registry) {}
    SparseComponents(const SparseComponents&) = delete;
    SparseComponents& operator=(const SparseComponents&) = delete;
    ~SparseComponents() {
        for (const Place& place : places_) {
            delete place.column;
            delete place.targets;
        }
    }

    //=== by component ===//

    /// The column of a sparse component, by its number; null until a value was added.
    SLOTWISE_ALWAYS_INLINE SparseColumn* column(std::uint32_t number) const noexcept {
        return number < places_.size() ? places_[number].column : nullptr;
    }
    /// The same, made if it is not there. @throws what the allocator throws; strong @pre the component has trait `sparse`
    SLOTWISE_ALWAYS_INLINE SparseColumn& make_column(ComponentId id) {
        SparseColumn* const found = column(id.number());
        return found != nullptr ? *found : made_column(id);
    }
    /// The targets of a switched relation, by its number; null until one was set.
    SLOTWISE_ALWAYS_INLINE Targets* targets(std::uint32_t number) const noexcept {
        return number < places_.size() ? places_[number].targets : nullptr;
    }
    /// The same, made if they are not there. @throws what the allocator throws; strong @pre the relation has trait `switched`
    Targets& make_targets(std::uint32_t number) {
        if (Targets* const found = targets(number)) [[likely]]
            return *found;
        Place& place = make_place(number);
        place.targets = new Targets();
        used_.push_back(number);
        return *place.targets;
    }

    //=== by entity ===//

    /// Memory for the next emplace() of this pair in place of another one, which then throws nothing.
    /// @throws what the allocator throws; strong @pre it is a pair of a switched relation, of which the entity has another one
    void reserve_target(ComponentId pair) {
        SwitchMapMemory::reserve_set(*targets(pair.relation_number()), ComponentIdParts::target_of(pair));
    }
    /// The value of a sparse component; null if the entity has none, or it is a tag.
    void* get(Entity entity, ComponentId id) noexcept { return value_of(entity, id); }
    const void* get(Entity entity, ComponentId id) const noexcept { return value_of(entity, id); }
    /// Whether the entity has a sparse component, or a pair of a switched relation: pair(relation, any) asks for any target.
    bool has(Entity entity, ComponentId id) const noexcept {
        if (!id.is_pair()) {
            const SparseColumn* const of = column(id.number());
            return of != nullptr && of->contains(entity);
        }
        if (!id.has_any_relation()) return matches(targets(id.relation_number()), entity, id);
        for (const std::uint32_t number : used_)
            if (matches(places_[number].targets, entity, id)) return true;
        return false;
    }
    /// The target of a switched relation, in the same form; null if there is none.
    Entity target(Entity entity, std::uint32_t relation) const noexcept {
        const Targets* const of = targets(relation);
        const Entity* const found = of == nullptr ? nullptr : of->get(entity);
        return found == nullptr ? Entity() : *found;
    }
    /// Calls f(id, value) for each component and each pair that the entity has here; value is null if there is none. f must not
    /// change what the entity has.
    template <class F>
    void for_each(Entity entity, F&& f) const {
        for (const std::uint32_t number : used_) {
            const Place& place = places_[number];
            if (place.column != nullptr && place.column->contains(entity)) f(id_of(number), place.column->get(entity));
            if (const Entity target = this->target(entity, number)) f(pair(id_of(number), target), static_cast<void*>(nullptr));
        }
    }
    /// Gives the entity a sparse component that it has not, or a pair of a switched relation in place of the one that it has.
    /// False, and no effect: it has it, or is refused, see SparseColumn::emplace.
    /// @throws what the value and the allocator throw; strong @pre the registry knows the id, and it belongs here
    bool emplace(Entity entity, ComponentId id, const AnyValue& value) {
        if (id.is_pair()) return make_targets(id.relation_number()).set(entity, ComponentIdParts::target_of(id));
        SparseColumn& of = make_column(id);
        return of.emplace(entity, [&](void* to) { value.build(*of.type(), to); });
    }
    /// Removes a sparse component, or exactly this pair of a switched relation; false when the entity has it not.
    bool erase(Entity entity, ComponentId id) noexcept {
        if (id.is_pair()) return has(entity, id) && !id.has_any_target() && targets(id.relation_number())->erase(entity);
        SparseColumn* const of = column(id.number());
        return of != nullptr && of->erase(entity);
    }
    /// Removes all that the entity has here; false when there was nothing. @complexity O(sparse components)
    bool erase(Entity entity) noexcept {
        bool erased = false;
        for (const std::uint32_t number : used_) {
            const Place& place = places_[number];
            if (place.column != nullptr && place.column->erase(entity)) erased = true;
            if (place.targets != nullptr && place.targets->erase(entity)) erased = true;
        }
        return erased;
    }

    //=== whole ===//

    /// Removes all. Columns stay.
    void clear() noexcept {
        for (const std::uint32_t number : used_) {
            if (places_[number].column != nullptr) places_[number].column->clear();
            if (places_[number].targets != nullptr) places_[number].targets->clear();
        }
    }
    /// Frees memory that is not needed. @throws what the allocator throws
    void shrink_to_fit() {
        for (const std::uint32_t number : used_) {
            if (places_[number].column != nullptr) places_[number].column->shrink_to_fit();
            if (places_[number].targets != nullptr) places_[number].targets->shrink_to_fit();
        }
    }
    /// The numbers of the components that have a column or targets, in the order in which these were made.
    std::span<const std::uint32_t> numbers() const noexcept { return used_.span(); }
    /// Exchanges contents. @pre the registries are one
    void swap(SparseComponents& other) noexcept {
        places_.swap(other.places_);
        used_.swap(other.used_);
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(places_, used_);
        for (const Place& place : places_) {
            if (place.column != nullptr) bytes += sizeof *place.column + place.column->memory_usage();
            if (place.targets != nullptr) bytes += sizeof *place.targets + place.targets->memory_usage();
        }
        return bytes;
    }
    /// Whether each part is sound; for tests.
    bool check_invariants() const {
        bool sound = true;
        for (const std::uint32_t number : used_) {
            const Place& place = places_[number];
            sound = sound && (place.column == nullptr) != (place.targets == nullptr) &&
                    (place.column == nullptr || place.column->check_invariants()) &&
                    (place.targets == nullptr || place.targets->check_invariants());
        }
        return sound;
    }

private:
    struct Place {
        SparseColumn* column = nullptr;
        Targets* targets = nullptr;
    };

    // Room for what is made next, so that nothing throws after it. Throws what the allocator throws; strong.
    Place& make_place(std::uint32_t number) {
        if (used_.size() == used_.capacity()) used_.reserve(2 * used_.size() + 8);
        if (number >= places_.size()) places_.resize(std::size_t{number} + 1);
        return places_[number];
    }
    SLOTWISE_COLD SparseColumn& made_column(ComponentId id) {
        Place& place = make_place(id.number());
        place.column = new SparseColumn(registry_->type(id));
        used_.push_back(id.number()); // there is room
        return *place.column;
    }
    ComponentId id_of(std::uint32_t number) const noexcept { return registry_->id(number); }
    static bool matches(const Targets* targets, Entity entity, ComponentId id) noexcept {
        const Entity* const target = targets == nullptr ? nullptr : targets->get(entity);
        return target != nullptr && (id.has_any_target() || *target == ComponentIdParts::target_of(id));
    }
    void* value_of(Entity entity, ComponentId id) const noexcept {
        SparseColumn* const of = column(id.number());
        return of == nullptr ? nullptr : of->get(entity);
    }

    const ComponentRegistry* registry_;
    PlainVector<Place> places_{}; // by number
    PlainVector<std::uint32_t> used_{};
};

} // namespace detail
SLOTWISE_END

#endif
