// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseComponents: what entities have and no table holds: sparse components, and the targets of switched relations.
#ifndef SLOTWISE_ECS_DETAIL_SPARSE_COMPONENTS_HPP
#define SLOTWISE_ECS_DETAIL_SPARSE_COMPONENTS_HPP

#include "../../memory/sparse_pages.hpp"
#include "../../rows/any_rows.hpp"
#include "../../sparse/switch_map.hpp"
#include "../component_id.hpp"
#include "../component_registry.hpp"

#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Up to 64 neighbouring entities: which of them have a value, and the values.
struct SparseColumnPage : PageLink<SparseColumnPage> {
    bits::word_t live = 0;
    bits::word_t busy = 0; // a constructor or destructor runs there: the place is not vacant
    std::byte* values = nullptr;
    LineBlock<std::allocator<std::byte>> memory{std::allocator<std::byte>()};
    std::uint16_t versions[bits::word_bits];

    SparseColumnPage() noexcept {} // versions are not initialised
    bool idle() const noexcept { return (live | busy) == 0; }
};

/// Values of a type-erased type by entity, in pages that never move; an empty page is used for other entities. It is what
/// SecondaryMap is for a C++ type: one class serves typed callers, which build and read T at the addresses given here, and
/// components of run time. A tag has no memory for values. An entity finds exactly its own entry: one of the same index and a
/// newer version replaces the older entry, whose value is destroyed once; an older one is refused.
///
/// Constructors and destructors of values may read the column, and change other entries.
class SparseColumn {
    using Page = SparseColumnPage;
    using Pages = SparsePages<Page, std::allocator<std::byte>>;
    static_assert(Entity::max_version <= 0xFFFF);

public:
    /// @param type of the values, which must outlive the column; null: a tag
    explicit SparseColumn(const TypeDescriptor* type) noexcept;
    SparseColumn(const SparseColumn&) = delete;
    SparseColumn& operator=(const SparseColumn&) = delete;
    ~SparseColumn();

    /// The type of the values; null: a tag.
    const TypeDescriptor* type() const noexcept { return type_; }
    /// Gets another description of the type.
    void describe(const TypeDescriptor* type) noexcept { type_ = type; }
    /// Whether values have a destructor.
    bool calls_destructors() const noexcept { return destroys_; }
    /// The number of entities that have a value.
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }

    /// Whether exactly this entity has a value. Any bit pattern is allowed. @complexity O(1), far indices O(log pages)
    SLOTWISE_ALWAYS_INLINE bool contains(Entity entity) const noexcept { return page_of(entity) != nullptr; }
    /// The value of exactly this entity, or null; null of a tag. Its address stays from emplace() to erase().
    SLOTWISE_ALWAYS_INLINE void* get(Entity entity) noexcept { return value_of(entity); }
    SLOTWISE_ALWAYS_INLINE const void* get(Entity entity) const noexcept { return value_of(entity); }

    /// Builds a value by build(void* to); not called for a tag. False: the entity has a value, or it is refused because an
    /// entry of its index is newer or is being built or destroyed.
    /// @throws what the allocator and build throw; strong, but an older entry of the index is erased @complexity amortised O(1)
    /// @tparam Size of the values if it is known, and build() calls no code of the user; else 0
    template <std::size_t Size = 0, class Build>
    SLOTWISE_ALWAYS_INLINE bool emplace(Entity entity, Build&& build) {
        if ((entity.version() & 1u) == 0) [[unlikely]]
            return false;
        Page* page = pages_.find(entity.index() >> shift_);
        const unsigned place = place_of(entity);
        const bits::word_t bit = bits::bit_of(place);
        if (page == nullptr || ((page->live | page->busy) & bit) != 0) [[unlikely]] {
            page = vacate(entity);
            if (page == nullptr) return false;
        }
        if constexpr (Size != 0) {
            build(static_cast<void*>(page->values + place * Size));
        } else if (type_ != nullptr) {
            page->busy |= bit;
            ScopeGuard undo([&]() noexcept { end_work(*page, entity); });
            build(static_cast<void*>(page->values + place * size_of_value_));
            undo.dismiss();
            page->busy &= ~bit;
        }
        page->versions[place] = static_cast<std::uint16_t>(entity.version());
        page->live |= bit;
        ++size_;
        return true;
    }
    /// Removes the value of exactly this entity; false when it has none.
    SLOTWISE_ALWAYS_INLINE bool erase(Entity entity) noexcept {
        Page* const page = page_of(entity);
        if (page == nullptr) return false;
        drop(*page, entity);
        return true;
    }
    /// Removes all and frees the memory.
    void clear() noexcept;
    /// Frees memory that no value needs.
    void shrink_to_fit() noexcept {
        pages_.clear_if([](const Page& page) { return page.idle(); });
    }

    /// Calls f(entity, value) in the order of indices; value is null of a tag. f must not change which entities have a value.
    template <class F>
    void for_each(F&& f) {
        walk(*this, f);
    }
    template <class F>
    void for_each(F&& f) const {
        walk(*this, f);
    }
    /// The entity with the lowest index from `index` on; null when there is none.
    Entity next(slot_t index) const noexcept;
    std::size_t memory_usage() const noexcept;
    /// Whether counts and bits agree; for tests.
    bool check_invariants() const;

private:
    // As SecondaryPage: up to 1 KiB of values, because a far entity claims one page.
    static unsigned shift_of(std::size_t size) noexcept {
        unsigned shift = 6;
        while (shift != 0 && size << shift > 1024) --shift;
        return shift;
    }
    unsigned mask() const noexcept { return (1u << shift_) - 1; }
    unsigned place_of(Entity entity) const noexcept { return entity.index() & mask(); }
    Entity entity_at(const Page& page, std::uint64_t number, unsigned place) const noexcept;
    SLOTWISE_ALWAYS_INLINE Page* page_of(Entity entity) const noexcept {
        Page* const page = pages_.find(entity.index() >> shift_);
        const unsigned place = place_of(entity);
        return page != nullptr && (page->live >> place & 1u) != 0 && page->versions[place] == entity.version() ? page : nullptr;
    }
    SLOTWISE_ALWAYS_INLINE void* value_of(Entity entity) const noexcept {
        const Page* const page = page_of(entity);
        if (page == nullptr || page->values == nullptr) return nullptr;
        return page->values + place_of(entity) * size_of_value_;
    }
    // The page of the entity, whose place there is vacant then; null: the entity has a value or is refused.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE Page* vacate(Entity entity);
    SLOTWISE_ALWAYS_INLINE void drop(Page& page, Entity entity) noexcept {
        destroy_place(page, place_of(entity));
        if (page.idle()) [[unlikely]]
            end_work(page, entity);
    }
    SLOTWISE_ALWAYS_INLINE void destroy_place(Page& page, unsigned place) noexcept {
        const bits::word_t bit = bits::bit_of(place);
        page.live &= ~bit;
        --size_;
        if (!destroys_) return;
        page.busy |= bit;
        type_->destroy(page.values + place * size_of_value_);
        page.busy &= ~bit;
    }
    // The place of the entity is vacant again.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void end_work(Page& page, Entity entity) noexcept;
    template <class Self, class F>
    static void walk(Self& self, F& f) {
        using Void = std::conditional_t<std::is_const_v<Self>, const void, void>;
        self.pages_.for_each([&](std::uint32_t number, Page& page) {
            bits::for_each(page.live, [&](unsigned place) {
                Void* const value = page.values == nullptr ? nullptr : page.values + place * self.size_of_value_;
                f(self.entity_at(page, number, place), value);
            });
        });
    }

    Pages pages_{};
    const TypeDescriptor* type_;
    std::size_t size_of_value_;
    unsigned shift_;
    bool destroys_;
    std::size_t size_ = 0;
};

/// Whether no table holds what entities have of this component: it is sparse, or a relation that is switched.
/// Throws std::invalid_argument when the registry does not know it
inline bool is_sparse(const ComponentRegistry& registry, ComponentId id) {
    const ComponentTraits& traits = registry.traits(id);
    return traits.sparse || traits.switched;
}

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
    ~SparseComponents();

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
    Targets& make_targets(std::uint32_t number);

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
    bool has(Entity entity, ComponentId id) const noexcept;
    /// The target of a switched relation, in the same form; null if there is none.
    Entity target(Entity entity, std::uint32_t relation) const noexcept;
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
    bool emplace(Entity entity, ComponentId id, const AnyValue& value);
    /// Removes a sparse component, or exactly this pair of a switched relation; false when the entity has it not.
    bool erase(Entity entity, ComponentId id) noexcept;
    /// Removes all that the entity has here; false when there was nothing. @complexity O(sparse components)
    bool erase(Entity entity) noexcept;

    //=== whole ===//

    /// Removes all. Columns stay.
    void clear() noexcept;
    /// Columns get the descriptions of their types that the registry has now.
    void describe();
    /// Frees memory that is not needed. @throws what the allocator throws
    void shrink_to_fit();
    /// The numbers of the components that have a column or targets, in the order in which these were made.
    std::span<const std::uint32_t> numbers() const noexcept { return used_.span(); }
    /// Exchanges contents. @pre the registries are one
    void swap(SparseComponents& other) noexcept {
        places_.swap(other.places_);
        used_.swap(other.used_);
    }
    std::size_t memory_usage() const noexcept;
    /// Whether each part is sound; for tests.
    bool check_invariants() const;

private:
    struct Place {
        SparseColumn* column = nullptr;
        Targets* targets = nullptr;
    };

    // Room for what is made next, so that nothing throws after it. Throws what the allocator throws; strong.
    Place& make_place(std::uint32_t number);
    SLOTWISE_INLINE SLOTWISE_COLD SparseColumn& made_column(ComponentId id);
    ComponentId id_of(std::uint32_t number) const noexcept { return registry_->id(number); }
    static bool matches(const Targets* targets, Entity entity, ComponentId id) noexcept;
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

#if SLOTWISE_BODIES
#include "sparse_components.inl.hpp"
#endif

#endif
