// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreCore: the parts of an ArchetypeStore, side by side, and what all of its operations need.
#ifndef SLOTWISE_ECS_DETAIL_STORE_CORE_HPP
#define SLOTWISE_ECS_DETAIL_STORE_CORE_HPP

#include "../../config/error.hpp"
#include "../../core/detail/scope_guard.hpp"
#include "../../memory/plain_vector.hpp"
#include "../../sparse/entity_index.hpp"
#include "../component_id.hpp"
#include "../entity_location.hpp"
#include "archetype_tables.hpp"
#include "sparse_components.hpp"

#include <atomic>
#include <span>
#include <utility>

SLOTWISE_BEGIN

// StoreHooks: functions that are called when entities get, lose or are given components.

namespace detail {
class StoreHooks;
}

/// Names a hook of a store: see ArchetypeStore::on_add. A value-initialised one names none.
class HookId {
public:
    constexpr HookId() noexcept = default;
    friend constexpr bool operator==(HookId, HookId) noexcept = default;

private:
    friend detail::StoreHooks;
    explicit HookId(std::uint64_t number) noexcept : number_(number) {}
    std::uint64_t number_ = 0;
};

/// What a hook is called for.
enum class HookKind : std::uint8_t {
    add,    ///< an entity got the component
    remove, ///< an entity is about to lose it
    set     ///< set() gave it a value
};

namespace detail {

/// The hooks of a store, in the order in which they were added. Those of pair(relation, any) are called for each pair of the
/// relation, after those of exactly the pair. A hook may use anything that does not change the hooks.
class StoreHooks {
public:
    StoreHooks() = default;
    StoreHooks(const StoreHooks&) = delete;
    StoreHooks& operator=(const StoreHooks&) = delete;
    ~StoreHooks() {
        for (auto& each : hooks_)
            for (const Hook& hook : each) hook.destroy(hook.function);
    }

    /// Whether there is a hook of this kind; without one a change costs a comparison.
    bool any(HookKind kind) const noexcept { return !of(kind).empty(); }
    bool any() const noexcept { return any(HookKind::add) || any(HookKind::remove) || any(HookKind::set); }
    /// Calls f(entity, id, value) for this component from now on; value is null if it has none.
    /// @throws what the allocator and the copy of f throw; strong @pre no hook is running (checked at level fast)
    template <class F>
    HookId add(HookKind kind, ComponentId id, F&& f) {
        using Function = std::remove_cvref_t<F>;
        expect_at_rest();
        auto& hooks = hooks_[static_cast<std::size_t>(kind)];
        if (hooks.size() == hooks.capacity()) hooks.reserve(hooks.size() * 2 + 4);
        Hook hook;
        hook.id = id;
        hook.number = HookId(next_);
        hook.function = new Function(std::forward<F>(f));
        hook.bytes = sizeof(Function);
        hook.call = [](void* function, Entity entity, ComponentId of, void* value) {
            (*static_cast<Function*>(function))(entity, of, value);
        };
        hook.destroy = [](void* function) noexcept { delete static_cast<Function*>(function); };
        ++next_;
        std::size_t place = hooks.size();
        hooks.push_back(hook);
        for (; place != 0 && id < hooks[place - 1].id; --place) hooks[place] = hooks[place - 1];
        hooks[place] = hook;
        return hook.number;
    }
    /// The hook is not called any more. @return whether it was there @pre no hook is running (checked at level fast)
    bool erase(HookId id) noexcept {
        expect_at_rest();
        for (auto& each : hooks_)
            for (std::size_t place = 0; place != each.size(); ++place)
                if (const Hook& hook = each[place]; hook.number == id) {
                    hook.destroy(hook.function);
                    each.erase(place);
                    return true;
                }
        return false;
    }
    /// Calls the hooks of a component. @throws what they throw; those after it are not called then
    void run(HookKind kind, ComponentId id, Entity entity, void* value) const {
        if (of(kind).empty()) return;
        run_exactly(kind, id, id, entity, value);
        if (id.is_pair()) run_exactly(kind, any_target_of(id), id, entity, value);
    }

    std::size_t memory_usage() const noexcept {
        std::size_t bytes = 0;
        for (const Hooks& each : hooks_) {
            bytes += each.memory_usage();
            for (const Hook& hook : each) bytes += hook.bytes;
        }
        return bytes;
    }

private:
    struct Hook {
        ComponentId id;
        HookId number;
        void* function = nullptr;
        void (*call)(void* function, Entity entity, ComponentId id, void* value) = nullptr;
        void (*destroy)(void* function) noexcept = nullptr;
        std::size_t bytes = 0; // of the function
    };
    using Hooks = PlainVector<Hook>; // by component, then in the order in which they were added

    // Calls that are not over: hooks may not change meanwhile.
    struct Running {
        explicit Running(std::uint32_t& calls) noexcept : count(calls) { ++count; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        ~Running() { --count; }
        std::uint32_t& count;
    };

    static ComponentId any_target_of(ComponentId pair) noexcept {
        return detail::ComponentIdParts::make_pair(pair.relation_number(), 0xFFFF'FFFF'FFFFu);
    }
    const Hooks& of(HookKind kind) const noexcept { return hooks_[static_cast<std::size_t>(kind)]; }
    void run_exactly(HookKind kind, ComponentId of_id, ComponentId id, Entity entity, void* value) const {
        const Hooks& hooks = of(kind);
        std::size_t low = 0;
        for (std::size_t high = hooks.size(); low != high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (hooks[middle].id < of_id)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == hooks.size() || hooks[low].id != of_id) return;
        const Running running(running_);
        for (; low != hooks.size() && hooks[low].id == of_id; ++low) hooks[low].call(hooks[low].function, entity, id, value);
    }
    void expect_at_rest() const noexcept {
        SLOTWISE_EXPECT(running_ == 0, "ArchetypeStore: a hook adds or removes hooks; do it after the change that called it");
    }

    Hooks hooks_[3];
    std::uint64_t next_ = 1;
    mutable std::uint32_t running_ = 0;
};

// ReservedIds: ids of entities that several threads take before the index may change.

/// Ids that were taken and will not be used. A node of a list, so that giving them back allocates nothing.
struct IdsToReturn {
    IdsToReturn* next = nullptr;
    std::uint32_t epoch = 0; // ReservedIds::epoch() when they were taken
    PlainVector<Entity> ids{};
    std::size_t memory_usage() const noexcept { return sizeof *this + ids.memory_usage(); }
};

/// Counts the ids that were taken from an EntityIndex and are not made there yet. They are the ones that it will create next,
/// so whatever creates or destroys ids calls flush() first. Taking and giving back are safe from several threads, as long as
/// the index does not change.
class ReservedIds {
public:
    ReservedIds() = default;
    ReservedIds(const ReservedIds&) = delete;
    ReservedIds& operator=(const ReservedIds&) = delete;
    ~ReservedIds() { free(returned_.load(std::memory_order_relaxed)); }

    /// Whether there is something to flush.
    SLOTWISE_ALWAYS_INLINE bool any() const noexcept {
        return taken_.load(std::memory_order_relaxed) != 0 || returned_.load(std::memory_order_relaxed) != nullptr;
    }
    /// Ids that no one else has. @throws std::length_error when the index has no more ids; nothing was taken then
    template <class Index>
    void take(const Index& index, std::span<Entity> ids) const {
        std::size_t before = taken_.load(std::memory_order_relaxed);
        do index.next_n(before, ids); // in the loop, because another thread may have taken these meanwhile
        while (!taken_.compare_exchange_weak(before, before + ids.size(), std::memory_order_relaxed));
    }
    /// The ids will not be used; flush() ends them. Takes the node.
    void give_back(IdsToReturn* node) const noexcept {
        node->next = returned_.load(std::memory_order_relaxed);
        while (!returned_.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {}
    }
    /// Makes in the index what was taken; they are living ids then. Returns how many there are.
    /// @throws what the allocator throws; strong
    template <class Index>
    std::size_t make(Index& index) {
        const std::size_t count = taken_.load(std::memory_order_relaxed);
        if (count != 0) static_cast<void>(index.create_n(count));
        taken_.store(0, std::memory_order_relaxed);
        return count;
    }
    /// Calls end(id) for each id that was given back. @pre make() was called @throws what `end` throws; the rest stays given
    /// back then
    template <class End>
    void end_returned(End&& end) {
        IdsToReturn* node = returned_.exchange(nullptr, std::memory_order_acquire); // `end` may come here again
        const ScopeGuard rest([&]() noexcept {
            while (node != nullptr) give_back(std::exchange(node, node->next));
        });
        while (node != nullptr) {
            while (node->epoch == epoch_ && !node->ids.empty()) {
                const Entity id = node->ids.back();
                node->ids.pop_back();
                end(id);
            }
            delete std::exchange(node, node->next);
        }
    }
    /// What was taken and is not used yet is void from now on: the ids of the index were replaced, or all have ended.
    void invalidate() noexcept {
        taken_.store(0, std::memory_order_relaxed);
        free(returned_.exchange(nullptr, std::memory_order_relaxed));
        ++epoch_;
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = 0;
        for (const IdsToReturn* node = returned_.load(std::memory_order_acquire); node != nullptr; node = node->next)
            bytes += node->memory_usage();
        return bytes;
    }
    /// Changes whenever ids that were taken become void.
    std::uint32_t epoch() const noexcept { return epoch_; }

private:
    static void free(IdsToReturn* node) noexcept {
        while (node != nullptr) delete std::exchange(node, node->next);
    }

    mutable std::atomic<std::size_t> taken_{0};
    mutable std::atomic<IdsToReturn*> returned_{nullptr};
    std::uint32_t epoch_ = 0;
};

/// The ids of one command buffer: those that it has taken and not used yet, and room to give all of them back.
class CommandIds {
public:
    CommandIds() = default;
    CommandIds(const CommandIds&) = delete;
    CommandIds& operator=(const CommandIds&) = delete;
    ~CommandIds() { delete back_; }
    void swap(CommandIds& other) noexcept {
        std::swap(back_, other.back_);
        taken_.swap(other.taken_);
        std::swap(next_, other.next_);
        std::swap(used_, other.used_);
        std::swap(epoch_, other.epoch_);
    }

    /// Takes ids until the next `count` calls of next() and use() take none. @throws what the allocator throws, and
    /// ReservedIds::take; strong
    template <class Index>
    void reserve(const ReservedIds& from, const Index& index, std::size_t count) {
        const std::size_t left = taken_.size() - next_;
        if (count <= left) return;
        if (back_ == nullptr) back_ = new IdsToReturn{nullptr, epoch_, {}};
        const std::size_t room = used_ + checked_bytes(count, 1);
        if (room > back_->ids.capacity())
            back_->ids.reserve(room < 2 * back_->ids.capacity() ? 2 * back_->ids.capacity() : room);
        taken_.erase(0, std::exchange(next_, 0));
        taken_.resize(count);
        ScopeGuard undo([&]() noexcept { taken_.resize(left); });
        from.take(index, std::span<Entity>(taken_.data() + left, count - left));
        undo.dismiss();
    }
    /// An id, the same until use(). A buffer takes more at once the more it spawns, because that may go through all ids.
    /// @throws as reserve
    template <class Index>
    SLOTWISE_ALWAYS_INLINE Entity next(const ReservedIds& from, const Index& index) {
        if (next_ == taken_.size()) [[unlikely]]
            reserve(from, index, used_ < 1 ? 1 : used_ < most_at_once ? used_ : most_at_once);
        return taken_[next_];
    }
    void use() noexcept {
        ++next_;
        ++used_;
    }
    /// All that were used have become entities, or have ended.
    void all_used() noexcept { used_ = 0; }
    /// One that was used will not become an entity: give_back() gives it back.
    void unuse(Entity id) noexcept { back_->ids.push_back(id); } // there is room for each that was taken
    /// Gives back what is left, and what will not become an entity.
    void give_back(const ReservedIds& to) noexcept {
        if (back_ == nullptr) return;
        for (; next_ != taken_.size(); ++next_) unuse(taken_[next_]);
        to.give_back(std::exchange(back_, nullptr));
        forget(epoch_);
    }
    std::size_t memory_usage() const noexcept { return taken_.memory_usage() + (back_ == nullptr ? 0 : back_->memory_usage()); }
    std::uint32_t epoch() const noexcept { return epoch_; }
    /// What was taken is void.
    void forget(std::uint32_t epoch) noexcept {
        delete std::exchange(back_, nullptr);
        taken_.clear();
        next_ = used_ = 0;
        epoch_ = epoch;
    }

private:
    static constexpr std::size_t most_at_once = 64;

    IdsToReturn* back_ = nullptr; // has room for all that is taken and used
    PlainVector<Entity> taken_{}; // used up to next_
    std::size_t next_ = 0;
    std::size_t used_ = 0; // since all_used()
    std::uint32_t epoch_ = 0;
};

// StoreBundles: what a store has found out about each list of C++ types that it was given.

/// Names a list of types: see TypeIdentity.
template <class... Ts>
struct TypePack;
template <class... Ts>
consteval std::uint64_t layout_of_pack() noexcept {
    std::uint64_t all = 0;
    ((all = mix_bits(all) + type_layout<Ts>), ...);
    return all;
}
template <class... Ts>
inline constexpr std::uint64_t type_layout<TypePack<Ts...>> = layout_of_pack<Ts...>();

/// Whether none of the types is there twice.
template <class... Ts>
inline constexpr bool all_different = true;
template <class T, class... Ts>
inline constexpr bool all_different<T, Ts...> = (!std::is_same_v<T, Ts> && ...) && all_different<Ts...>;

/// Where the rows of one table go when they get or lose the components of a list of C++ types. A bundle keeps the last one, so
/// that many entities of one table look it up once.
struct StoreStep {
    slot_t from = no_slot; ///< the table, and no_slot until the way is known
    slot_t to = no_slot;
    Table* source = nullptr;
    Table* destination = nullptr;
    const ColumnMapping* map = nullptr; ///< null: the table stays
    std::uint64_t erased = 0;           ///< ArchetypeTables::erased() when the way was found
    PlainVector<unsigned> argument{};   ///< of the list, for each column of the destination; no_argument: by default
    static constexpr unsigned no_argument = ~0u;
    PlainVector<std::int32_t> columns{}; ///< of the destination, for each argument; -1 if it has none
    bool complete = false;               ///< each column has an argument
    std::size_t memory_usage() const noexcept { return memory_of(argument, columns); }
};

class SparseColumn;

/// The components of a list of C++ types (hecs calls the list a bundle).
struct StoreBundle {
    const TypeIdentity* types = nullptr; ///< of the list: an address, which may be that of a library that was unloaded
    KeptTypeIdentity kept{};             ///< the same
    PlainVector<ComponentId> ids{};      ///< in the order of the types
    PlainVector<ComponentId> sorted{};   ///< the same, ascending
    bool outside = false;                ///< one of them, or of their companions, is not in tables
    bool sparse = false;                 ///< it is one sparse component without companions
    SparseColumn* column = nullptr;      ///< of that one; null until it is known
    StoreStep spawned{}, added{}, removed{};
};

/// Bundles by their lists of types: one probe finds what would take a probe a type and a sort.
class StoreBundles {
public:
    StoreBundles() = default;
    StoreBundles(const StoreBundles&) = delete;
    StoreBundles& operator=(const StoreBundles&) = delete;
    ~StoreBundles() {
        for (StoreBundle* const bundle : bundles_) delete bundle;
    }

    /// The bundle of these types, which are registered with default traits if they are not. Its address is stable.
    /// Throws what the registry and the allocator throw; strong It takes O(1).
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE StoreBundle& get(ComponentRegistry& registry) {
        constexpr const TypeIdentity& types = type_identity<TypePack<Ts...>>;
        const auto same = [&](std::uint64_t found) {
            const StoreBundle& bundle = *bundle_at(found);
            return bundle.types == &types || bundle.kept.same_elsewhere(types);
        };
        if (const std::uint64_t found = known_.find(types.hash, same)) [[likely]]
            return *bundle_at(found);
        const ComponentId ids[] = {registry.template id<Ts>()..., ComponentId()};
        return make(registry, types, {ids, sizeof...(Ts)});
    }

    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(known_, bundles_);
        for (const StoreBundle* const each : bundles_)
            bytes += sizeof *each + memory_of_text(each->kept.name) +
                     memory_of(each->ids, each->sorted, each->spawned, each->added, each->removed);
        return bytes;
    }
    /// Sparse columns are others from now on.
    void forget_columns() noexcept {
        for (StoreBundle* const bundle : bundles_) bundle->column = nullptr;
    }

private:
    static StoreBundle* bundle_at(std::uint64_t address) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the index keeps numbers, so an address is one
        return reinterpret_cast<StoreBundle*>(bits::to_size(address));
    }
    SLOTWISE_COLD StoreBundle& make(const ComponentRegistry& registry, const TypeIdentity& types,
                                    std::span<const ComponentId> ids) {
        const auto is_outside = [&](ComponentId id) { return registry.traits(id).sparse || registry.traits(id).switched; };
        if (bundles_.size() == bundles_.capacity()) bundles_.reserve(2 * bundles_.size() + 8);
        known_.reserve_one();
        StoreBundle bundle;
        bundle.types = &types;
        KeptTypeIdentity(types).swap(bundle.kept);
        bundle.ids.assign(ids);
        for (const ComponentId id : ids) {
            insert_sorted(bundle.sorted, id);
            bundle.outside = bundle.outside || is_outside(id);
            for (const ComponentId companion : registry.with_closure(id))
                bundle.outside = bundle.outside || is_outside(companion);
        }
        bundle.sparse = ids.size() == 1 && registry.traits(ids[0]).sparse && registry.with_closure(ids[0]).empty();
        bundles_.push_back(new StoreBundle(std::move(bundle)));
        known_.insert(types.hash, reinterpret_cast<std::uintptr_t>(bundles_.back()));
        return *bundles_.back();
    }

    NumberTable known_{};
    PlainVector<StoreBundle*> bundles_{};
};

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
