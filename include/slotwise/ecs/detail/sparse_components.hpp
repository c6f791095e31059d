// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseComponents: what entities have and no table holds: sparse components, pairs of sparse relations, and the targets of
// switched relations. Before it stand SparseColumn, the values of a component, and SparsePairs, the pairs of a relation.
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

/// The pairs of a sparse relation. Each is a record in the list of its source's pairs and in that of its target's pairs, in the
/// order in which they were related. So a pair comes, goes and changes its place in O(1), and the order of the others stays: it
/// is that of children of a parent. A RelationMap has two arrays of each id instead, where the last one fills a gap: with three
/// random targets of 1e5 entities these took 102 bytes a pair, not 66, and four times as long to erase a pair, while a walk of
/// scattered sources took 0.4 of the time. Numbers of records are stable; the value of a pair is in a column by that number,
/// and its address stays.
///
/// Constructors of values may read the pairs.
class SparsePairs {
public:
    /// Where a pair stands: in the list of its source, or in that of its target.
    enum Side : unsigned { by_source, by_target };

    /// @param type of the values, which must outlive this object; null: there are none
    explicit SparsePairs(const TypeDescriptor* type) noexcept;
    SparsePairs(const SparsePairs&) = delete;
    SparsePairs& operator=(const SparsePairs&) = delete;
    ~SparsePairs() = default;

    /// The type of the values; null if there are none.
    const TypeDescriptor* type() const noexcept { return values_.type(); }
    /// Gets another description of the type.
    void describe(const TypeDescriptor* type) noexcept { values_.describe(type); }
    /// The number of pairs.
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// The sources there are, or the targets.
    const SparseColumn& entities(Side side) const noexcept { return heads_[side]; }
    /// How many there are.
    std::size_t count(Side side) const noexcept { return heads_[side].size(); }
    /// How many pairs an entity has as a source, or as a target.
    std::size_t count(Side side, Entity entity) const noexcept {
        const Head* const head = find(side, entity);
        return head == nullptr ? 0 : head->count;
    }
    /// The number of the first pair of an entity; no_slot if it has none. @complexity O(1)
    slot_t first(Side side, Entity entity) const noexcept {
        const Head* const head = find(side, entity);
        return head == nullptr ? no_slot : head->first;
    }
    /// The number of the pair behind it, of the same source or target; no_slot behind the last.
    slot_t next(Side side, slot_t number) const noexcept { return pairs_[number].next[side]; }
    /// The source of a pair, or its target.
    Entity entity(Side side, slot_t number) const noexcept { return pairs_[number].ends[side]; }
    /// The value of a pair; null if there are none. Its address stays until the pair is erased.
    void* value(slot_t number) const noexcept {
        return const_cast<SparseColumn&>(values_).get(Entity(number, 1)); // as the columns of a const store, see value_of()
    }
    /// The number of this pair; no_slot if there is none. @complexity linear in the pairs of the source, or of the target: in
    /// the fewer
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE slot_t find(Entity source, Entity target) const noexcept;

    /// The sources of pairs of a target, from pair `number` on, as many as there is room for; `number` becomes the next one.
    std::span<const Entity> gather_sources(slot_t& number, std::span<Entity> room) const noexcept;

    /// Adds a pair: the last one of its source, and in front of pair `before` of its target; no_slot: the last one.
    /// @pre there is no such pair, and entities of the same indices have no pairs @throws what the value and the allocator
    /// throw; strong @return its number
    slot_t insert(Entity source, Entity target, const AnyValue& value, slot_t before = no_slot);
    /// Gives a pair another place among those of its target. @pre `before` is another one of them, or no_slot
    void move(slot_t number, slot_t before) noexcept {
        Head& head = *find(by_target, entity(by_target, number));
        unlink(by_target, head, number);
        link(by_target, head, number, before);
    }
    void erase(slot_t number) noexcept;
    /// Erases all pairs of which the entity is the source, or the target; false if there are none.
    bool erase(Side side, Entity entity) noexcept;
    /// Orders the pairs of each target by these ranks, by number. False, and no order, if they are not 0, 1, 2... of each
    /// target. @throws what the allocator throws
    bool order(std::span<const slot_t> ranks);
    /// The rank of each pair among those of its target, by number. @throws what the allocator throws
    PlainVector<slot_t> ranks() const;

    /// Calls f(entity) for each source, or for each target, in the order of indices.
    template <class F>
    void for_each(Side side, F&& f) const {
        heads_[side].for_each([&](Entity entity, const void*) { f(entity); });
    }
    /// Calls f(number) for each pair of a source, or of a target, in their order. f must not change the pairs.
    template <class F>
    void for_each(Side side, Entity entity, F&& f) const {
        for (slot_t number = first(side, entity); number != no_slot; number = next(side, number)) f(number);
    }

    void clear() noexcept;
    /// Frees memory that no pair needs. @throws what the allocator throws
    void shrink_to_fit();
    std::size_t memory_usage() const noexcept;
    /// Whether lists and values agree; for tests.
    bool check_invariants() const;

private:
    // next[by_source] of a record without a pair is the next such record, and ends[] are null.
    struct Pair {
        Entity ends[2];
        slot_t next[2], previous[2];
    };
    struct Head {
        slot_t first = no_slot, last = no_slot, count = 0;
    };

    const Head* find(Side side, Entity entity) const noexcept { return static_cast<const Head*>(heads_[side].get(entity)); }
    Head* find(Side side, Entity entity) noexcept { return static_cast<Head*>(heads_[side].get(entity)); }
    // The head of an entity, made if there is none. Throws what the allocator throws; strong
    Head& make(Side side, Entity entity);
    void link(Side side, Head& head, slot_t number, slot_t before) noexcept;
    void unlink(Side side, Head& head, slot_t number) noexcept;
    // Takes a pair out of a list, which goes if it is empty.
    void leave(Side side, slot_t number) noexcept;
    // Ends a pair that is in no list.
    void end(slot_t number) noexcept;

    TypeDescriptor of_heads_; // of this object's own: a library that made it may be gone
    SparseColumn heads_[2];
    SparseColumn values_;
    PlainVector<Pair> pairs_{};
    slot_t vacant_ = no_slot;
    std::size_t size_ = 0;
};

/// Whether no table holds what entities have of this component: it is sparse, or a relation that is switched.
/// Throws std::invalid_argument when the registry does not know it
inline bool is_sparse(const ComponentRegistry& registry, ComponentId id) {
    const ComponentTraits& traits = registry.traits(id);
    return traits.sparse || traits.switched;
}
inline bool any_sparse(const ComponentRegistry& registry, std::span<const ComponentId> ids) {
    for (const ComponentId id : ids)
        if (is_sparse(registry, id)) return true;
    return false;
}

/// A SparseColumn for each component with trait `sparse`, SparsePairs if it is a relation, and a SwitchMap for each relation
/// with trait `switched`, by their numbers in the registry. They are made when they are first needed and never move. It does
/// not know tables: that a table lists a switched relation is up to the caller.
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
    /// The pairs of a sparse relation, by its number; null until there was one.
    SLOTWISE_ALWAYS_INLINE SparsePairs* pairs(std::uint32_t number) const noexcept {
        return number < places_.size() ? places_[number].pairs : nullptr;
    }
    /// The same, made if they are not there. @throws what the allocator throws; strong @pre the relation has trait `sparse`
    SparsePairs& make_pairs(std::uint32_t number);
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
    /// The value of a sparse component or pair; null if the entity has none, or it is a tag.
    void* get(Entity entity, ComponentId id) noexcept { return value_of(entity, id); }
    const void* get(Entity entity, ComponentId id) const noexcept { return value_of(entity, id); }
    /// The same of what is no pair, without a call: for loops over entities.
    SLOTWISE_ALWAYS_INLINE void* get_component(Entity entity, ComponentId id) noexcept { return component_value(entity, id); }
    SLOTWISE_ALWAYS_INLINE const void* get_component(Entity entity, ComponentId id) const noexcept {
        return component_value(entity, id);
    }
    /// Whether the entity has a sparse component, or a pair of a sparse or switched relation; a wildcard asks for any pair that
    /// matches.
    bool has(Entity entity, ComponentId id) const noexcept;
    /// The target of a switched relation, in the same form; null if there is none.
    Entity target(Entity entity, std::uint32_t relation) const noexcept;
    /// Calls f(id, value) for each component and each pair that the entity has here; value is null if there is none. It is the
    /// one list of what an entity has outside of tables. f must not change what the entity has.
    template <class F>
    void for_each(Entity entity, F&& f) const {
        for (const std::uint32_t number : used_) {
            const Place& place = places_[number];
            if (place.column != nullptr && place.column->contains(entity)) f(id_of(number), place.column->get(entity));
            if (const Entity target = this->target(entity, number)) f(pair(id_of(number), target), static_cast<void*>(nullptr));
            if (place.pairs != nullptr)
                place.pairs->for_each(SparsePairs::by_source, entity, [&](slot_t each) {
                    f(pair(id_of(number), place.pairs->entity(SparsePairs::by_target, each)), place.pairs->value(each));
                });
        }
    }
    /// Gives the entity a sparse component or pair that it has not, or a pair of a switched relation in place of the one that
    /// it has. False, and no effect: it has it, or is refused, see SparseColumn::emplace.
    /// @param before of a sparse pair: it comes in front of the pair of this entity and its target; null: behind the last one
    /// @throws what the value and the allocator throw; strong @pre the registry knows the id, and it belongs here
    bool emplace(Entity entity, ComponentId id, const AnyValue& value, Entity before = Entity());
    /// Removes a sparse component, or exactly this pair; false when the entity has it not.
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
        SparsePairs* pairs = nullptr;
    };

    // Room for what is made next, so that nothing throws after it. Throws what the allocator throws; strong.
    Place& make_place(std::uint32_t number);
    SLOTWISE_INLINE SLOTWISE_COLD SparseColumn& made_column(ComponentId id);
    ComponentId id_of(std::uint32_t number) const noexcept { return registry_->id(number); }
    static bool matches(const Place& place, Entity entity, ComponentId id) noexcept;
    SLOTWISE_ALWAYS_INLINE void* component_value(Entity entity, ComponentId id) const noexcept {
        SparseColumn* const of = column(id.number());
        return of == nullptr ? nullptr : of->get(entity);
    }
    void* value_of(Entity entity, ComponentId id) const noexcept {
        return id.is_pair() ? value_of_pair(entity, id) : component_value(entity, id);
    }
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void* value_of_pair(Entity entity, ComponentId id) const noexcept;

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
