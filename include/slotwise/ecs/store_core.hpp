// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreCore: the parts of an ArchetypeStore, side by side, and what all of its operations need.
#ifndef SLOTWISE_ECS_STORE_CORE_HPP
#define SLOTWISE_ECS_STORE_CORE_HPP

#include "../sparse/entity_index.hpp"
#include "archetype_tables.hpp"
#include "entity_location.hpp"
#include "reserved_ids.hpp"
#include "sparse_components.hpp"
#include "store_bundles.hpp"
#include "store_hooks.hpp"

#include <atomic>

SLOTWISE_BEGIN
namespace detail {

/// What command buffers ask whether their store is still there. It ends with the last one that refers to it.
class StoreLife {
public:
    /// Changes whenever ids that were taken become void, and when the store ends.
    std::uint32_t epoch = 0;

    bool has_ended() const noexcept { return ended_; }
    void end() noexcept {
        ended_ = true;
        ++epoch;
    }
    void acquire() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

private:
    std::atomic<std::uint32_t> references_{1};
    bool ended_ = false;
};

/// A reference to it.
class StoreLifeRef {
public:
    StoreLifeRef() : life_(new StoreLife()) {}
    StoreLifeRef(const StoreLifeRef& other) noexcept : life_(other.life_) { life_->acquire(); }
    StoreLifeRef& operator=(const StoreLifeRef&) = delete;
    ~StoreLifeRef() { life_->release(); }
    void swap(StoreLifeRef& other) noexcept { std::swap(life_, other.life_); }
    StoreLife* operator->() const noexcept { return life_; }
    friend bool operator==(const StoreLifeRef& a, const StoreLifeRef& b) noexcept { return a.life_ == b.life_; }

private:
    StoreLife* life_;
};

/// The parts of a store. They stay where they are when the store is moved, so queries and buffers refer to them. They change
/// together in the functions of store_change.hpp.
class StoreCore {
public:
    using Entities = EntityIndex<Entity, EntityLocation>;

    StoreCore() = default;
    explicit StoreCore(ComponentRegistry&& components) : StoreCore() {
        registry = std::move(components);
    } // last: nothing throws then
    StoreCore(const StoreCore&) = delete;
    StoreCore& operator=(const StoreCore&) = delete;
    ~StoreCore() { life->end(); }

    //=== lookup ===//

    /// Where a living entity's components are; null if it does not live or is only reserved.
    SLOTWISE_ALWAYS_INLINE EntityLocation* location(Entity entity) noexcept {
        return with_row(entities.location_or_default(entity));
    }
    SLOTWISE_ALWAYS_INLINE const EntityLocation* location(Entity entity) const noexcept {
        return with_row(entities.location_or_default(entity));
    }
    SLOTWISE_ALWAYS_INLINE bool is_alive(Entity entity) const noexcept { return location(entity) != nullptr; }
    Table& table(EntityLocation at) noexcept { return tables[at.table()]; }
    const Table& table(EntityLocation at) const noexcept { return tables[at.table()]; }
    /// Entities that live.
    std::size_t size() const noexcept { return entities.size() - without_row; }

    /// Bytes of the parts, without those of this object.
    std::size_t memory_usage() const noexcept {
        return sizeof(StoreLife) + memory_of(registry, tables, entities, outside, hooks, bundles, reserved);
    }

    /// Call it before a table gets a row. Throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void before_row(slot_t slot, const Table& to) {
        if (to.empty()) [[unlikely]]
            tables.move_to_end(slot);
    }

    //=== walks and changes ===//

    /// A query walks the tables until end_walk(): structure must not change.
    void begin_walk() const noexcept { walks.fetch_add(1, std::memory_order_relaxed); }
    void end_walk() const noexcept { walks.fetch_sub(1, std::memory_order_relaxed); }
    /// Whether nothing stands against a change of structure.
    bool is_idle() const noexcept { return !changing && walks.load(std::memory_order_relaxed) == 0; }
    /// @pre structure may change now (checked at level fast)
    SLOTWISE_ALWAYS_INLINE void expect_idle() const noexcept {
        if (SLOTWISE_CHECK_LEVEL >= 1 && !is_idle()) [[unlikely]]
            refuse_change();
    }

    //=== ids of command buffers ===//

    /// Makes the ids that command buffers have taken, so that the next ones differ. Call it before an id comes or goes.
    /// Throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void flush_reserved() {
        if (reserved.any()) [[unlikely]]
            make_reserved();
    }

    /// What they have taken and not spawned is void.
    void invalidate_reserved() noexcept {
        reserved.invalidate();
        ++life->epoch;
    }

    //=== the parts ===//

    StoreLifeRef life{};
    ComponentRegistry registry{};
    ArchetypeTables tables{registry};
    Entities entities{};
    SparseComponents outside{registry};
    StoreHooks hooks{};
    StoreBundles bundles{};
    tick_t tick = 1;
    bool changing = false;                       // see StoreChanging
    std::size_t without_row = 0;                 // ids that are made for command buffers and not spawned
    ReservedIds reserved{};                      // ids that command buffers have taken and that are not made
    mutable std::atomic<std::uint32_t> walks{0}; // queries that walk

private:
    template <class Location>
    SLOTWISE_ALWAYS_INLINE static Location* with_row(Location* at) noexcept {
        return at != nullptr && at->has_row() ? at : nullptr;
    }
    SLOTWISE_COLD void refuse_change() const noexcept {
        SLOTWISE_EXPECT(!changing,
                        "ArchetypeStore: a hook, or a value's constructor or destructor, changes the store that calls "
                        "it; record the change in a CommandBuffer and apply it afterwards");
        SLOTWISE_EXPECT(walks.load(std::memory_order_relaxed) == 0,
                        "ArchetypeStore: a query is walking; record the change in a CommandBuffer and apply it afterwards");
    }
    void make_reserved(); // in store_change.hpp
};

/// As long as it lives, structure changes, and nothing that is called may change it too.
class StoreChanging {
public:
    /// @param values whether only values change, which is allowed in walks and hooks
    /// @pre else, nothing walks or changes the store (checked at level fast)
    explicit StoreChanging(StoreCore& core, bool values = false) noexcept : core_(core), before_(core.changing) {
        if (!values) core.expect_idle();
        core.changing = true;
    }
    StoreChanging(const StoreChanging&) = delete;
    StoreChanging& operator=(const StoreChanging&) = delete;
    ~StoreChanging() { core_.changing = before_; }

private:
    StoreCore& core_;
    bool before_;
};

/// Why an entity does not live, as a clause.
inline const char* dead_because(const StoreCore& core, Entity entity) noexcept {
    switch (core.entities.explain(entity)) {
    case HandleStatus::null:
        return "is null";
    case HandleStatus::out_of_range:
        return "was never spawned in this store";
    case HandleStatus::retired:
        return "was despawned, and its index is retired";
    case HandleStatus::live:
        return "is taken by a CommandBuffer that was not applied yet";
    case HandleStatus::reserved:
        return "is reserved; fulfill() brings it back";
    case HandleStatus::stale:
    case HandleStatus::pending:
        break;
    }
    return "was despawned, or is not spawned yet";
}
/// Says in words that an entity does not live, and why. Throws std::invalid_argument
[[noreturn]] SLOTWISE_COLD inline void refuse_dead(const StoreCore& core, Entity entity, const char* which) {
    const std::string text = which + (" (" + to_string(entity)) + ") " + dead_because(core, entity);
    throw_invalid_argument(text.c_str());
}

} // namespace detail
SLOTWISE_END

#endif
