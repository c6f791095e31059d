// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreCore: the engine of an ArchetypeStore. It knows components by their ids, and nothing of C++ types but their lists.
// Before it stand hooks, transitions between tables, and what relations lead to. Behind it stand the steps of a change, the
// death of a target, and the operations that take these steps.
#ifndef SLOTWISE_ECS_DETAIL_STORE_CORE_HPP
#define SLOTWISE_ECS_DETAIL_STORE_CORE_HPP

#include "../../config/error.hpp"
#include "../../core/detail/call_form.hpp"
#include "../../core/detail/iterators.hpp"
#include "../../core/scope_guard.hpp"
#include "../../memory/plain_vector.hpp"
#include "../../sparse/entity_index.hpp"
#include "../component_id.hpp"
#include "../entity_location.hpp"
#include "archetype_tables.hpp"
#include "reserved_ids.hpp"
#include "sparse_components.hpp"

#include <array>
#include <atomic>
#include <span>
#include <tuple>
#include <utility>

SLOTWISE_BEGIN

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
    set,    ///< set() gave it a value
    replace ///< the value that an entity has is about to be assigned
};

namespace detail {

//=== hooks ===//

/// The hooks of a store, in the order in which they were added. Those of pair(relation, any) are called for each pair of the
/// relation, after those of exactly the pair. A hook may use anything that does not change the hooks.
class StoreHooks {
public:
    StoreHooks() = default;
    StoreHooks(const StoreHooks&) = delete;
    StoreHooks& operator=(const StoreHooks&) = delete;
    ~StoreHooks();

    /// Whether there is a hook of this kind; without one a change costs a comparison.
    bool any(HookKind kind) const noexcept { return (kinds_ & bit_of(kind)) != 0; }
    bool any() const noexcept { return kinds_ != 0; }
    /// Whether there is one that is called when values are assigned.
    bool any_of_values() const noexcept { return (kinds_ & (bit_of(HookKind::set) | bit_of(HookKind::replace))) != 0; }
    /// Calls f(entity, id, value) for this component from now on; value is null if it has none.
    /// @throws what the allocator and the copy of f throw; strong @pre no hook is running (checked at level fast)
    template <class F>
    HookId add(HookKind kind, ComponentId id, F&& f) {
        using Function = std::remove_cvref_t<F>;
        expect_quiescent();
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
        kinds_ |= bit_of(kind);
        return hook.number;
    }
    /// Whether it is there. @complexity linear in hooks
    bool contains(HookId id) const noexcept;
    /// The hook is not called any more. @return whether it was there @pre no hook is running (checked at level fast)
    bool erase(HookId id) noexcept;
    /// Calls the hooks of a component. @throws what they throw; those after it are not called then
    void run(HookKind kind, ComponentId id, Entity entity, void* value) const {
        if (!any(kind)) return;
        run_exactly(kind, id, id, entity, value);
        if (id.is_pair()) run_exactly(kind, any_target_of(id), id, entity, value);
    }

    std::size_t memory_usage() const noexcept;

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
        return ComponentIdParts::make_pair(pair.relation_number(), 0xFFFF'FFFF'FFFFu);
    }
    static std::uint32_t bit_of(HookKind kind) noexcept { return 1u << static_cast<unsigned>(kind); }
    const Hooks& of(HookKind kind) const noexcept { return hooks_[static_cast<std::size_t>(kind)]; }
    void run_exactly(HookKind kind, ComponentId of_id, ComponentId id, Entity entity, void* value) const;
    void expect_quiescent() const noexcept {
        SLOTWISE_EXPECT(running_ == 0, "ArchetypeStore: a hook adds or removes hooks; do it after the change that called it");
    }

    Hooks hooks_[4];
    std::uint32_t kinds_ = 0; // a bit for each kind of which there is a hook
    std::uint64_t next_ = 1;
    mutable std::uint32_t running_ = 0;
};

//=== what was removed ===//

/// Who lost a component and when, in the order in which it happened.
struct RemovalLog {
    explicit RemovalLog(ComponentId of) noexcept : id(of) {}

    ComponentId id; ///< or pair(relation, any)
    PlainVector<Entity> entities{};
    PlainVector<tick_t> ticks{};
    // Of a change that is made: how many entries it will add, how many there were before, and how many of its own stay.
    std::size_t wanted = 0, before = 0, kept = 0;

    bool is_about(ComponentId removed) const noexcept { return id == removed || matches_id(id, removed); }
    /// Room for `count` more entries. @throws what the allocator throws; strong
    void reserve(std::size_t count);
    /// @throws as reserve(1), unless there is room
    void add(Entity entity, tick_t tick) {
        if (ticks.size() == ticks.capacity() || entities.size() == entities.capacity()) reserve(1);
        entities.push_back(entity);
        ticks.push_back(tick);
    }
    void erase(std::size_t first, std::size_t count) noexcept {
        entities.erase(first, count);
        ticks.erase(first, count);
    }
    /// The first entry after this tick.
    std::size_t after(tick_t tick) const noexcept {
        return IdSets::partition_point(ticks.size(), [&](std::size_t i) { return !is_newer(ticks[i], tick); });
    }
    std::size_t memory_usage() const noexcept { return sizeof *this + memory_of(entities, ticks); }
};

/// The logs of the components of which it is kept who loses them. on_remove hooks write them, because every removal runs these.
/// A change has room for its entries before it calls a hook, and takes back those of what is there still when it fails.
class RemovalLogs {
public:
    RemovalLogs() = default;
    RemovalLogs(const RemovalLogs&) = delete;
    RemovalLogs& operator=(const RemovalLogs&) = delete;
    ~RemovalLogs() {
        for (RemovalLog* const log : logs_) delete log;
    }

    bool any() const noexcept { return !logs_.empty(); }
    /// Null if it is not kept.
    RemovalLog* find(ComponentId id) const noexcept {
        for (RemovalLog* const log : logs_)
            if (log->id == id) return log;
        return nullptr;
    }
    /// A log of this component; hook(log) makes the hook that writes it. @throws what the allocator and hook throw; strong
    template <class F>
    void make(ComponentId id, F&& hook) {
        logs_.reserve(logs_.size() + 1);
        auto* const log = new RemovalLog(id);
        ScopeGuard undo([&]() noexcept { delete log; });
        hook(*log);
        undo.dismiss();
        logs_.push_back(log);
    }
    /// A change begins: expect() is called for each component that it will remove, and reserve() makes room for all of them.
    void begin_change() noexcept;
    void expect(ComponentId id) noexcept {
        for (RemovalLog* const log : logs_) log->wanted += log->is_about(id);
    }
    /// @throws what the allocator throws; strong
    void reserve() {
        for (RemovalLog* const log : logs_) log->reserve(log->wanted);
    }
    /// The change failed: keep() is called for the same components in the same order, and says which were removed nevertheless.
    /// What else the change has added is dropped by end_undo().
    void begin_undo() noexcept {
        for (RemovalLog* const log : logs_) log->wanted = log->before; // the entry that is asked for next
    }
    void keep(ComponentId id, bool removed) noexcept;
    void end_undo() noexcept {
        for (RemovalLog* const log : logs_) log->erase(log->kept, log->ticks.size() - log->kept);
    }
    /// Drops entries of this tick and earlier ones.
    void forget(tick_t until) noexcept {
        for (RemovalLog* const log : logs_) log->erase(0, log->after(until));
    }
    void clear() noexcept {
        for (RemovalLog* const log : logs_) log->erase(0, log->ticks.size());
    }
    /// Makes ticks that are older than max_tick_age that old.
    void clamp_ticks(tick_t now) noexcept {
        for (RemovalLog* const log : logs_)
            for (tick_t& each : log->ticks) each = clamp_tick(each, now);
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = logs_.memory_usage();
        for (const RemovalLog* const log : logs_) bytes += log->memory_usage();
        return bytes;
    }

private:
    PlainVector<RemovalLog*> logs_{};
};

/// At an entry of a log: by its number, so that entries may be added while one reads.
class RemovedIterator : public IteratorFacade<RemovedIterator, Entity, Entity> {
public:
    RemovedIterator() noexcept = default;
    RemovedIterator(const RemovalLog& log, std::size_t at) noexcept : log_(&log), at_(at) {}
    friend bool operator==(const RemovedIterator& a, const RemovedIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<RemovedIterator, Entity, Entity>;
    Entity dereference() const noexcept { return log_->entities[at_]; }
    void increment() noexcept { ++at_; }

    const RemovalLog* log_ = nullptr;
    std::size_t at_ = 0;
};
using RemovedRange = IteratorRange<RemovedIterator>;

//=== lists of C++ types ===//

/// What can be a component: an object. One that cannot be moved must be sparse, and is built in place. What names components is
/// none: give it to add(entity, id). What ComponentType refuses is refused there, in words.
template <class T, class Value = std::remove_cvref_t<T>>
concept Component = std::is_object_v<Value> && !std::is_array_v<Value> && std::is_destructible_v<Value> &&
                    !std::is_abstract_v<Value> && !std::is_same_v<Value, ComponentId> && !std::is_same_v<Value, AnyValue> &&
                    !std::is_convertible_v<Value&, std::span<const ComponentId>>;

/// Refuses types whose values stay where they were built.
template <class Value>
void expect_movable() noexcept {
    static_assert(std::is_move_constructible_v<Value>,
                  "ArchetypeStore: values of this type can be neither copied nor moved; register it with {.sparse = true}, and "
                  "build it in place by emplace<T>(entity, args...), or add<T>(entity)");
}
/// Builds a copy of a value, or moves it.
template <class Value, class T>
SLOTWISE_ALWAYS_INLINE void build_value(void* to, T&& value) {
    expect_movable<Value>();
    if constexpr (std::is_move_constructible_v<Value>) ::new (to) Value(std::forward<T>(value));
}
/// Whether there is a T(args...), or a T{args...}: the first one does not exist for aggregates before Clang 16.
template <class T, class... Args>
concept builds_from = std::is_constructible_v<T, Args...> || requires { T{std::declval<Args>()...}; };
template <class T, class... Args>
SLOTWISE_ALWAYS_INLINE T* build_from(void* to, Args&&... args) {
    if constexpr (std::is_constructible_v<T, Args...>)
        return ::new (to) T(std::forward<Args>(args)...);
    else if constexpr (builds_from<T, Args...>)
        return ::new (to) T{std::forward<Args>(args)...};
    else
        return nullptr; // the caller's static_assert has said why
}

/// Whether none of the types is there twice.
template <class... Ts>
inline constexpr bool all_different = true;
template <class T, class... Ts>
inline constexpr bool all_different<T, Ts...> = (!std::is_same_v<T, Ts> && ...) && all_different<Ts...>;

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

/// Where the rows of one table go when they get or lose the components of a list of C++ types. The list keeps the transition
/// that was used last, so that many entities of one table look it up once.
struct Transition {
    static constexpr unsigned no_argument = ~0u;

    slot_t from = no_slot; ///< the table; no_slot until the destination is known
    slot_t to = no_slot;
    Table* source = nullptr;
    Table* destination = nullptr;
    const ColumnMapping* map = nullptr;  ///< null: the row stays where it is
    std::uint64_t erased = 0;            ///< ArchetypeTables::erased() when the destination was found
    PlainVector<unsigned> argument{};    ///< of the list, for each column of the destination; no_argument: by default
    PlainVector<std::int32_t> columns{}; ///< of the destination, for each argument; -1 if it has none
    bool complete = false;               ///< each column has an argument

    std::size_t memory_usage() const noexcept { return memory_of(argument, columns); }
};

/// The components of a list of C++ types, and what a store has found out about them.
struct ComponentList {
    KeptTypeIdentity kept{};           ///< of the list
    PlainVector<ComponentId> ids{};    ///< in the order of the types
    PlainVector<ComponentId> sorted{}; ///< the same, ascending
    bool any_sparse = false;           ///< one of them, or of their companions, has no column: see is_sparse()
    bool one_sparse = false;           ///< it is one sparse component without companions
    SparseColumn* column = nullptr;    ///< of that one; null until it is known
    Transition spawned{}, added{}, removed{};
};

/// The lists that a store was given, by their types: one probe finds what would take a probe for each type and a sort.
class ComponentLists {
public:
    ComponentLists() = default;
    ComponentLists(const ComponentLists&) = delete;
    ComponentLists& operator=(const ComponentLists&) = delete;
    ~ComponentLists();

    /// The list of these types, which are registered with default traits if they are not. Its address is stable.
    /// Throws what the registry and the allocator throw; strong. It takes O(1).
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE ComponentList& get(ComponentRegistry& registry) {
        constexpr const TypeIdentity& types = type_identity<TypePack<Ts...>>;
        if (const std::uint64_t found = known_.find(types.kept_hash(), types.mark)) [[likely]]
            return *list_at(found);
        const ComponentId ids[] = {registry.template id<Ts>()..., ComponentId()};
        return make(registry, types, {ids, sizeof...(Ts)});
    }

    std::size_t memory_usage() const noexcept;
    /// Sparse columns are others from now on.
    void forget_columns() noexcept {
        for (ComponentList* const list : lists_) list->column = nullptr;
    }

private:
    static ComponentList* list_at(std::uint64_t address) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the index keeps numbers, so an address is one
        return reinterpret_cast<ComponentList*>(bits::to_size(address));
    }
    SLOTWISE_INLINE SLOTWISE_COLD ComponentList& make(const ComponentRegistry& registry, const TypeIdentity& types,
                                                      std::span<const ComponentId> ids);

    TypeTable known_{};
    PlainVector<ComponentList*> lists_{};
};

//=== changes ===//

/// A component, and the value that an entity gets of it.
struct ComponentValue {
    ComponentId id;
    AnyValue value{};
    bool assigns = false; ///< to a value that the entity has; otherwise that one stays
};

/// Where the value goes that an entity loses: take(argument, value) moves it.
struct TakenValue {
    void (*take)(void* argument, void* value);
    void* argument;
};

/// What an entity gets and loses, in one move.
struct Change {
    std::span<const ComponentId> add{};       ///< ascending, each once; what the entity has stays
    std::span<const ComponentId> remove{};    ///< ascending, each once; what the entity has not is ignored
    std::span<const ComponentValue> values{}; ///< of what is in `add`, in any order; without one the default value is built
    bool values_ascend = false;               ///< they are in the order of their ids
    const TakenValue* taken = nullptr;        ///< of the first one in `remove`, which the entity has
    Entity before{};                          ///< see SparseComponents::emplace
};

/// Which targets of pairs are allowed.
enum class TargetsAre {
    alive,      ///< for the store
    spawned_too ///< by the same command buffer, which may do so later
};

/// Calls f(id) for each id in `a` that is not in `b`; both ascend.
template <class F>
void for_each_missing(std::span<const ComponentId> a, std::span<const ComponentId> b, F&& f) {
    auto other = b.begin();
    for (const ComponentId id : a) {
        while (other != b.end() && *other < id) ++other;
        if (other == b.end() || *other != id) f(id);
    }
}

/// Whether F can be called with an entity and these arguments, and its first parameter is an Entity or takes anything.
template <class F, class... Rest>
inline constexpr bool takes_entity =
    TakesFirst<F, Entity, Rest...> || (std::is_invocable_v<F&, Entity, Rest...> && !TakesBraced<F, Entity, Rest...>);

//=== what a store keeps for walks and buffers ===//

class QueryVisit;
class StoreCore;

/// Its address is another one in each shared library, whichever symbols they share.
#if defined(__ELF__) || defined(__APPLE__)
[[gnu::visibility("hidden")]]
#endif
inline const char own_library = 0;

/// The records of a command buffer while a store keeps them. Only those of the library that made the store are kept: a function
/// of another one, also in a table of virtual functions, may be gone when it is called.
struct SpareRecords {
    void (*destroy)(SpareRecords*) noexcept = nullptr;
    std::size_t (*usage)(const SpareRecords&) noexcept = nullptr;
};

/// What a store does with objects that it keeps, without their definitions.
struct SpareSteps {
    static void destroy(QueryVisit* object) noexcept;
    static void destroy(SpareRecords* object) noexcept { object->destroy(object); }
    /// With the object itself.
    static std::size_t memory_of(const QueryVisit& object) noexcept;
    static std::size_t memory_of(const SpareRecords& object) noexcept { return object.usage(object); }
};

/// A few objects that nobody uses now, with the memory of a walk or a command buffer that the next one takes: in a small world
/// an allocation takes longer than all the rest. Several threads may take and give.
template <class T>
class SpareObjects {
public:
    SpareObjects() = default;
    SpareObjects(const SpareObjects&) = delete;
    SpareObjects& operator=(const SpareObjects&) = delete;
    ~SpareObjects() { free(); }

    /// One of them; null if there is none.
    SLOTWISE_ALWAYS_INLINE T* take() noexcept {
        for (auto& place : places_)
            if (place.load(std::memory_order_relaxed) != nullptr)
                if (T* const taken = place.exchange(nullptr, std::memory_order_acquire)) return taken;
        return nullptr;
    }
    /// Keeps an object, or destroys it if there are enough.
    SLOTWISE_ALWAYS_INLINE void give(T* object) noexcept {
        for (auto& place : places_) {
            T* none = nullptr;
            if (place.load(std::memory_order_relaxed) == nullptr &&
                place.compare_exchange_strong(none, object, std::memory_order_release, std::memory_order_relaxed))
                return;
        }
        SpareSteps::destroy(object);
    }
    void free() noexcept {
        while (T* const object = take()) SpareSteps::destroy(object);
    }
    std::size_t memory_usage() noexcept {
        std::array<T*, places> taken{}; // so that nobody else uses one meanwhile
        std::size_t bytes = 0;
        for (T*& each : taken) {
            each = take();
            if (each != nullptr) bytes += SpareSteps::memory_of(*each);
        }
        for (T* const each : taken)
            if (each != nullptr) give(each);
        return bytes;
    }

private:
    static constexpr std::size_t places = 4;

    std::array<std::atomic<T*>, places> places_{};
};

struct QueryRequest;
struct QueryPlan;
class QueryPlanRef;

/// The plans of a store's queries, by what the program asks for: a query that is made anew in each frame is found and not
/// made. They are the store's as long as it lives. Several threads may ask at once: plans are only added, each to the front of
/// a list.
class QueryPlans {
public:
    QueryPlans() = default;
    QueryPlans(const QueryPlans&) = delete;
    QueryPlans& operator=(const QueryPlans&) = delete;
    ~QueryPlans();

    /// The plan of a query that asks for this, after what `before` asks for (null: nothing). The caller owns it if it is of no
    /// use for others: it names an entity, a tick or a type that is not registered yet, or depends on the relations there are.
    /// @throws std::invalid_argument when the registry does not know an id, or a component is not tracked; what the allocator
    /// throws; strong
    QueryPlanRef get(const ComponentRegistry& registry, const QueryPlan* before, Slice<const QueryRequest> asked) const;
    std::size_t memory_usage() const noexcept;

private:
    struct Kept; // in the bodies of query_walk.hpp
    static constexpr std::size_t lists = 64;
    mutable std::array<std::atomic<const Kept*>, lists> first_{};
};

//=== resources ===//

/// The resources of a store: at most one value of each type, on the heap, where it stays. Types have names and numbers in a
/// registry of their own, so that libraries agree about them as about components.
class StoreResources {
public:
    StoreResources() = default;
    StoreResources(const StoreResources&) = delete;
    StoreResources& operator=(const StoreResources&) = delete;
    ~StoreResources() { clear(); }

    /// A type that a resource may have.
    struct Kind {
        const TypeDescriptor* type = nullptr;
        bool raw = false; ///< a snapshot may copy its bytes
    };

    /// The value; null if there is none. It takes O(1): a probe of a small table.
    template <class T>
    T* find() const noexcept {
        return static_cast<T*>(value(types.template find<T>().number()));
    }
    /// The value with this number; null if there is none.
    void* value(std::uint32_t number) const noexcept {
        return number - 1 < boxes_.size() && boxes_[number - 1] != nullptr ? boxes_[number - 1]->value : nullptr;
    }
    /// What is known of the type with this number. @pre types has it
    const Kind& kind(std::uint32_t number) const noexcept { return kinds_[number - 1]; }
    /// The number of T, which is registered under this name, or its own. Throws as ComponentRegistry::add; strong
    template <class T>
    std::uint32_t declare(const std::string_view* name = nullptr) {
        kinds_.reserve(types.size() + 1);
        boxes_.reserve(types.size() + 1);
        ComponentId id = name == nullptr ? types.template find<T>() : ComponentId();
        if (!id) // sparse: it may be a type that can be neither copied nor moved
            id = name != nullptr ? types.template add<T>(*name, {.sparse = true}) : types.template add<T>({.sparse = true});
        kinds_.resize(types.size());
        boxes_.resize(types.size());
        Kind& kind = kinds_[id.number() - 1];
        if (kind.type == nullptr) kind = {&TypeDescriptor::of<T>(), is_raw<T>};
        return id.number();
    }
    /// A new value in place of the one that there is, which is destroyed afterwards. Throws what the value and the allocator
    /// throw; strong
    template <class T, class... Args>
    T& emplace(Args&&... args) {
        const std::uint32_t number = declare<T>();
        T* made = nullptr;
        put(number, [&](void* to) { made = build_from<T>(to, std::forward<Args>(args)...); });
        return *made;
    }
    /// The same for the type with this number, of which build(void* to) builds the value.
    template <class Build>
    void put(std::uint32_t number, Build&& build) {
        Box* const box = new Box(*kinds_[number - 1].type);
        ScopeGuard undo([&]() noexcept { delete box; });
        build(box->value);
        box->built = true;
        order_.reserve(order_.size() + 1);
        undo.dismiss();
        Box* const old = take(number);
        boxes_[number - 1] = box;
        order_.push_back(number);
        delete old;
    }
    /// Whether there was one.
    bool erase(std::uint32_t number) noexcept {
        Box* const old = value(number) == nullptr ? nullptr : take(number);
        delete old;
        return old != nullptr;
    }
    /// Destroys all, the last one first.
    void clear() noexcept {
        while (!order_.empty()) delete take(order_.back());
    }
    /// Room for accept(other). Throws what the allocator throws; strong
    void reserve_accept(const StoreResources& other) { order_.reserve(order_.size() + other.order_.size()); }
    /// Exchanges the values that `other` has for those here; one that is here alone, and of which replaces(number) says so,
    /// goes to `other`, too. @pre `other` is a copy_kinds() of this one, and reserve_accept() gave the room
    template <class F>
    void accept(StoreResources& other, F&& replaces) noexcept {
        for (std::size_t i = 0; i != other.boxes_.size(); ++i) {
            const auto number = static_cast<std::uint32_t>(i + 1);
            if (other.boxes_[i] == nullptr && (boxes_[i] == nullptr || !replaces(number))) continue;
            if (boxes_[i] == nullptr) order_.push_back(number);
            std::swap(boxes_[i], other.boxes_[i]);
            if (boxes_[i] == nullptr) forget(number);
        }
        other.order_.clear(); // what came there has no order; it is destroyed by number
        for (std::size_t i = 0; i != other.boxes_.size(); ++i)
            if (other.boxes_[i] != nullptr) other.order_.push_back(static_cast<std::uint32_t>(i + 1));
    }
    /// Without values, but with room for one of each type. Throws what the allocator throws
    void copy_kinds(const StoreResources& other) {
        kinds_.assign(other.kinds_.span());
        boxes_.resize(other.boxes_.size());
        order_.reserve(other.boxes_.size());
    }
    /// Values of T are destroyed by this library from now on. Throws as ComponentRegistry::rebind; strong
    template <class T>
    void rebind() {
        const std::uint32_t number = declare<T>();
        static_cast<void>(types.template rebind<T>());
        kinds_[number - 1].type = &TypeDescriptor::of<T>();
        if (Box* const box = boxes_[number - 1]) box->type = kinds_[number - 1].type;
    }
    bool empty() const noexcept { return order_.empty(); }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(types, kinds_, boxes_, order_);
        for (const std::uint32_t number : order_) bytes += sizeof(Box) + boxes_[number - 1]->memory.memory_usage();
        return bytes;
    }
    /// Throws std::out_of_range that says which one is missing
    [[noreturn]] SLOTWISE_INLINE SLOTWISE_COLD static void refuse_missing(std::string_view type);

    ComponentRegistry types{};

private:
    struct Box {
        explicit Box(const TypeDescriptor& of)
            : type(&of), memory(of.size + of.align, std::allocator<std::byte>()), value(memory.begin(of.align)) {}
        Box(const Box&) = delete;
        Box& operator=(const Box&) = delete;
        ~Box() {
            if (built && type->destroy != nullptr) type->destroy(value);
        }
        const TypeDescriptor* type;
        LineBlock<std::allocator<std::byte>> memory;
        void* value;
        bool built = false;
    };
    /// An address means nothing in another process.
    template <class T>
    static constexpr bool is_raw = std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> &&
                                   !std::is_pointer_v<T> && !std::is_member_pointer_v<T>;

    void forget(std::uint32_t number) noexcept {
        std::size_t at = 0;
        while (order_[at] != number) ++at;
        order_.erase(at);
    }
    // Null if there is none. A destructor that asks for it finds none.
    Box* take(std::uint32_t number) noexcept {
        Box* const box = std::exchange(boxes_[number - 1], nullptr);
        if (box != nullptr) forget(number);
        return box;
    }

    PlainVector<Kind> kinds_{};          // by number
    PlainVector<Box*> boxes_{};          // by number
    PlainVector<std::uint32_t> order_{}; // in which they were made
};

//=== what relations lead to ===//

/// At a target of an entity: an id of its table, the one target of a switched relation, or a pair of a sparse one.
class TargetIterator : public IteratorFacade<TargetIterator, Entity, Entity> {
public:
    TargetIterator() noexcept = default;
    TargetIterator(const ComponentId* ids, std::size_t at, Entity one) noexcept : ids_(ids), at_(at), one_(one) {}
    TargetIterator(const SparsePairs* pairs, slot_t number) noexcept : pairs_(pairs), at_(number) {}
    friend bool operator==(const TargetIterator& a, const TargetIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<TargetIterator, Entity, Entity>;
    Entity dereference() const noexcept {
        if (pairs_ != nullptr) return pairs_->entity(SparsePairs::by_target, static_cast<slot_t>(at_));
        return ids_ != nullptr ? ids_[at_].target() : one_;
    }
    void increment() noexcept {
        at_ = pairs_ != nullptr ? pairs_->next(SparsePairs::by_source, static_cast<slot_t>(at_)) : at_ + 1;
    }

    const ComponentId* ids_ = nullptr;
    const SparsePairs* pairs_ = nullptr;
    std::size_t at_ = 0;
    Entity one_{};
};

/// At a source of a target: a row of one of the tables that have the pair, one of the sources of a switched relation, or a pair
/// of a sparse one.
class SourceIterator : public IteratorFacade<SourceIterator, Entity, Entity> {
    using Tables = ArchetypeTables::Index::Tables;
    using TableIterator = decltype(std::declval<const Tables&>().begin());

public:
    SourceIterator() noexcept = default;
    /// The first row of these tables.
    SourceIterator(TableIterator at, TableIterator end) noexcept : at_(at), end_(end) { enter(); }
    /// At one of the entities side by side.
    explicit SourceIterator(const Entity* row) noexcept : row_(row) {}
    SourceIterator(const SparsePairs* pairs, slot_t number) noexcept : pairs_(pairs), number_(number) {}
    friend bool operator==(const SourceIterator& a, const SourceIterator& b) noexcept {
        return a.row_ == b.row_ && a.at_ == b.at_ && a.number_ == b.number_;
    }

private:
    friend IteratorFacade<SourceIterator, Entity, Entity>;
    Entity dereference() const noexcept { return pairs_ == nullptr ? *row_ : pairs_->entity(SparsePairs::by_source, number_); }
    void increment() noexcept {
        if (pairs_ != nullptr) return static_cast<void>(number_ = pairs_->next(SparsePairs::by_target, number_));
        if (++row_ != last_ || at_ == end_) return;
        ++at_;
        enter();
    }
    // To the first row of the first table that has one.
    void enter() noexcept {
        for (row_ = last_ = nullptr; at_ != end_; ++at_) {
            const auto entities = (*at_).table->entities();
            if (entities.empty()) continue;
            row_ = entities.data();
            last_ = row_ + entities.size();
            return;
        }
    }

    TableIterator at_{}, end_{};
    const Entity* row_ = nullptr;
    const Entity* last_ = nullptr;
    const SparsePairs* pairs_ = nullptr;
    slot_t number_ = no_slot;
};

using TargetRange = IteratorRange<TargetIterator>;
using SourceRange = IteratorRange<SourceIterator>;

//=== many entities at once ===//

class StoreCore;

/// Entities of a list that are in one table, one after the other, and their rows there, each once.
class RowGroup {
public:
    /// Begins with the list, which must stay. Throws what the allocator throws
    explicit RowGroup(std::span<const Entity> list);
    /// Goes to the next group: the entities from next() on, as far as they are in one table. Dead ones are skipped, and so are
    /// those that are there twice. False at the end of the list, and if the next entity is to be treated alone.
    /// @param flagged whether entities may have flags, see EntityLocation; else each of these is alone
    /// Throws what the allocator throws
    bool find(const StoreCore& core, bool flagged);
    /// The place in the list of what comes behind the group.
    std::size_t next() const noexcept { return next_; }
    bool at_end() const noexcept { return next_ == list_.size(); }
    /// The next entity, which is treated alone.
    Entity take_one() noexcept { return list_[next_++]; }

    /// The table of the group.
    slot_t table() const noexcept { return table_; }
    /// Where the entities are in the list.
    std::span<const std::uint32_t> places() const noexcept { return {places_.data(), size_}; }
    RowBatch batch() const noexcept { return {{rows_.data(), size_}, fills_.span(), adjacent_}; }
    /// How many of the list belong to it, with those that are there twice.
    std::size_t living() const noexcept { return living_; }

private:
    void drop_twins(std::size_t rows_of_table);
    /// @param marked whether marks_ has all rows of the group; else they ascend
    void find_fills(std::size_t rows_of_table, bool marked);

    std::span<const Entity> list_;
    std::size_t next_ = 0, size_ = 0, living_ = 0;
    std::size_t alone_until_ = 0; // up to this place entities are treated alone
    unsigned refused_ = 0;        // groups that were too small, since the last one
    slot_t table_ = no_slot;
    bool adjacent_ = false;
    PlainVector<slot_t> rows_{};
    PlainVector<std::uint32_t> places_{};
    PlainVector<RowFill> fills_{};
    PlainVector<bits::word_t> marks_{}; // of rows
};

//=== rows that change at once ===//

/// The rows of a query in the order of its walk, written down so that they may change: whole tables, and entities of those that
/// match in part.
struct FoundRows {
    struct Part {
        Table* table;            ///< all of whose rows are meant; null: entities
        std::size_t first, last; ///< of the list of entities
    };
    PlainVector<Part> parts{};
    PlainVector<Entity> entities{};
    bool may_throw = false; ///< moves of values in a table that matches in part

    /// Adds rows [first, last) of a table. Throws what the allocator throws
    void add(Table& table, std::size_t first, std::size_t last);
    std::span<const Entity> of(const Part& part) const noexcept {
        return part.table != nullptr ? part.table->entities() : entities.span().subspan(part.first, part.last - part.first);
    }
    std::size_t size() const noexcept;
    /// Calls f(entity) for each entity, the last one first.
    template <class F>
    void for_each_backwards(F&& f) const {
        for (std::size_t part = parts.size(); part-- != 0;)
            for (std::size_t i = of(parts[part]).size(); i-- != 0;) f(of(parts[part])[i]);
    }
};

/// At an ancestor of an entity: its target, the target of that, and so on. Null at the end.
class AncestorIterator : public IteratorFacade<AncestorIterator, Entity, Entity> {
public:
    AncestorIterator() noexcept = default;
    /// At the first of at most `left` ancestors of `at`.
    AncestorIterator(const StoreCore& core, ComponentId relation, Entity at, std::size_t left)
        : core_(&core), relation_(relation), at_(at), left_(left) {
        increment();
    }
    friend bool operator==(const AncestorIterator& a, const AncestorIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<AncestorIterator, Entity, Entity>;
    Entity dereference() const noexcept { return at_; }
    void increment();

    const StoreCore* core_ = nullptr;
    ComponentId relation_{};
    Entity at_{};
    std::size_t left_ = 0;
};

/// The ancestors of an entity, the nearest one first.
class AncestorRange {
public:
    using iterator = AncestorIterator;
    explicit AncestorRange(AncestorIterator first) noexcept : first_(first) {}
    AncestorIterator begin() const noexcept { return first_; }
    AncestorIterator end() const noexcept { return AncestorIterator(); }
    bool empty() const noexcept { return begin() == end(); }

private:
    AncestorIterator first_;
};

//=== the engine ===//

/// The parts of a store, side by side, and what is done to more than one of them: this is the one place where rows, locations,
/// sparse components, ticks and hooks change together. Interfaces and command buffers stand on it. It stays where it is when
/// the store is moved, so that queries and buffers may refer to it.
///
/// A change has one order (see EntityChange): what may throw comes first, then on_remove hooks, then moves of values, then what
/// cannot fail, then the other hooks.
class StoreCore {
public:
    using Entities = EntityIndex<Entity, EntityLocation>;
    using Range = Entities::Range;
    using Ids = std::span<const ComponentId>;

    StoreCore();
    explicit StoreCore(ComponentRegistry&& components);
    StoreCore(const StoreCore&) = delete;
    StoreCore& operator=(const StoreCore&) = delete;
    ~StoreCore();

    //=== entities ===//

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

    /// Gives the indices [first, last) ids of their own. Throws as EntityIndex::add_range; strong
    Range add_range(slot_t first, slot_t last);
    /// A new entity. Throws as change(); strong
    Entity spawn(const Change& what);
    /// A new entity with an id of this range. Throws as change(); strong
    Entity spawn_in(Range range, const Change& what);
    /// Exactly this entity; false, and no effect, if it cannot be made. Throws as change(); strong, but its id may be the next
    /// one then
    bool spawn_at(Entity given, const Change& what);
    /// `count` new entities, with copies of the values. Throws as change(); strong
    std::span<const Entity> spawn_n(std::size_t count, const Change& what);
    /// `count` new entities with what this one has, but for components that hide it; none if it does not live.
    /// Throws std::invalid_argument that names a component whose values cannot be copied; as change(); strong
    std::span<const Entity> clone_n(Entity given, std::size_t count);
    /// Gives an id that a command buffer has taken its first row.
    /// @pre as change(); the id is made and has no row. Throws as change(); strong
    void spawn_reserved(Entity entity, const Change& what);
    /// Ends an entity and does to what relates to it as the relations ask for. False if it does not live.
    /// @param refusable whether a relation may refuse it
    /// Throws std::invalid_argument when a relation refuses it; what moves that may throw do
    bool despawn(Entity entity, bool refusable = true);
    /// Ends all of these entities, which may be a list of the store's own. Returns how many have ended, with
    /// those that went along. Throws as despawn(); those before have ended then
    std::size_t despawn_all(std::span<const Entity> given);
    /// Ends the entities of these rows, as despawn() does from the last one to the first, whole tables at once. Hooks see all
    /// of them, and then all end. If others relate to them, entities end one by one. Returns how many rows there were.
    /// @pre structure may change (checked at level fast) Throws std::invalid_argument when a relation of an entity that stays
    /// refuses it, and what hooks, the allocator, and moves that may throw, throw
    std::size_t despawn_found(const FoundRows& rows);
    /// Ends an id that a command buffer took and has not spawned, and the pairs of which it is the target.
    /// Throws as despawn(), but nothing refuses it.
    void end_unused(Entity entity);
    /// Ends the entity as despawn() does, but keeps its id reserved. False if it does not live. before(at) is called when
    /// nothing has changed, take(at) when hooks have seen the values.
    template <class Before, class Take>
    bool erase_reserved(Entity given, Before&& before, Take&& take);
    /// Spawns a reserved entity again. False if it is not reserved. Throws as change(); strong
    bool fulfill(Entity given, const Change& what);
    /// Gives a reserved id up. False if it is not reserved.
    bool cancel(Entity given);
    /// Ends all entities.
    void clear();
    void shrink_to_fit();

    //=== components ===//

    /// The address of the value of an entity at this place; null if it has none.
    SLOTWISE_ALWAYS_INLINE void* value_at(EntityLocation at, Entity entity, ComponentId id) noexcept {
        return value_in<void>(*this, at, entity, id);
    }
    SLOTWISE_ALWAYS_INLINE const void* value_at(EntityLocation at, Entity entity, ComponentId id) const noexcept {
        return value_in<const void>(*this, at, entity, id);
    }
    /// The address of a value; null if there is none. It counts as a change, but for a const store.
    SLOTWISE_ALWAYS_INLINE void* get(Entity entity, ComponentId id) noexcept {
        const EntityLocation* const at = location(entity);
        if (at == nullptr) return nullptr;
        mark_changed(*at, id);
        return value_at(*at, entity, id);
    }
    SLOTWISE_ALWAYS_INLINE const void* get(Entity entity, ComponentId id) const noexcept {
        const EntityLocation* const at = location(entity);
        return at == nullptr ? nullptr : value_at(*at, entity, id);
    }
    /// Whether the entity at this place has a component. Wildcards ask whether there is a pair that matches.
    bool has_at(EntityLocation at, Entity entity, ComponentId id) const noexcept {
        if (at.has_row() &&
            (id.is_wildcard() ? tables.index().find(id, const_cast<Table*>(&table(at))) != nullptr : table(at).contains(id)))
            return true;
        return at.has_sparse() && sparse.has(entity, id);
    }
    bool has(Entity entity, ComponentId id) const noexcept;
    /// The value of the component of a C++ type; null if there is none. It counts as a change, but of a const T or store.
    /// @param id null, or the component of T
    template <class T, class Self>
    SLOTWISE_ALWAYS_INLINE static T* typed_value(Self& self, Entity entity, ComponentId id) noexcept {
        using Value = std::remove_const_t<T>;
        static_assert(!is_tag_type<Value>,
                      "ArchetypeStore::get<T>: a type without state is a tag, which has no value; ask has<T>");
        const auto* const at = self.location(entity);
        return at == nullptr ? nullptr : typed_value_at<T>(self, *at, self.table(*at), entity, id);
    }
    /// The same of an entity whose place is known.
    template <class T, class Self, class TableType>
    SLOTWISE_ALWAYS_INLINE static T* typed_value_at(Self& self, const EntityLocation& at, TableType& table, Entity entity,
                                                    ComponentId id) noexcept {
        const std::int32_t column = table.column_of_own(id);
        if (column < 0) return at.has_sparse() ? static_cast<T*>(self.sparse.get_component(entity, id)) : nullptr;
        if constexpr (!std::is_const_v<T>)
            if (table.has_marks()) [[unlikely]]
                self.mark_changed(at, id);
        return table.template data<std::remove_const_t<T>>(static_cast<std::size_t>(column)) + at.row();
    }
    /// The values of some C++ types, each null where it is missing.
    template <class... Ts, class Self>
    static std::tuple<Ts*...> typed_values(Self& self, Entity entity) noexcept {
        static_assert((!is_tag_type<std::remove_const_t<Ts>> && ...),
                      "ArchetypeStore::get<Ts...>: a type without state is a tag, which has no value; ask has<T>");
        const auto* const at = self.location(entity);
        if (at == nullptr) return {};
        auto& table = self.table(*at);
        return {typed_value_at<Ts>(self, *at, table, entity, self.registry.template find<Ts>())...};
    }
    /// The same, but throws std::out_of_range that says what is missing.
    template <class... Ts, class Self>
    static std::tuple<Ts&...> typed_all(Self& self, Entity entity) {
        return std::apply(
            [&](Ts*... values) {
                ((values == nullptr ? self.refuse_missing(entity, self.registry.template find<Ts>()) : void()), ...);
                return std::tuple<Ts&...>(*values...);
            },
            typed_values<Ts...>(self, entity));
    }
    /// The same, but throws std::out_of_range that says what is missing.
    template <class T, class Self>
    SLOTWISE_ALWAYS_INLINE static T& typed_at(Self& self, Entity entity, ComponentId id) {
        T* const value = typed_value<T>(self, entity, id);
        if (value == nullptr) [[unlikely]]
            self.refuse_missing(entity, id);
        return *value;
    }
    /// Whether a living entity has the component of a C++ type. @param id null, or the component of T
    template <class T>
    SLOTWISE_ALWAYS_INLINE bool typed_has(Entity entity, ComponentId id) const noexcept {
        const EntityLocation* const at = location(entity);
        return at != nullptr && typed_has_at<T>(*at, table(*at), entity, id);
    }
    /// The same of an entity whose place is known.
    template <class T>
    SLOTWISE_ALWAYS_INLINE bool typed_has_at(const EntityLocation& at, const Table& table, Entity entity,
                                             ComponentId id) const noexcept {
        if (!table.contains_own(id)) return at.has_sparse() && sparse.has(entity, id);
        if constexpr (is_tag_type<T>) return !registry.is_switched_alone(id);
        return true;
    }
    /// Whether a living entity has the components of all these types, or of any.
    template <class... Ts>
    bool typed_has_all(Entity entity) const noexcept {
        const EntityLocation* const at = location(entity);
        if (at == nullptr) return false;
        const Table& of = table(*at);
        return (typed_has_at<std::remove_const_t<Ts>>(*at, of, entity, registry.template find<Ts>()) && ...);
    }
    template <class... Ts>
    bool typed_has_any(Entity entity) const noexcept {
        const EntityLocation* const at = location(entity);
        if (at == nullptr) return false;
        const Table& of = table(*at);
        return (typed_has_at<std::remove_const_t<Ts>>(*at, of, entity, registry.template find<Ts>()) || ...);
    }
    /// Calls f(id, entity) for all ids that a living entity has in its table and sparse.
    template <class F>
    void for_each_id(Entity entity, F&& f) const {
        const EntityLocation at = *location(entity);
        for (const ComponentId id : table(at).ids()) f(id, entity);
        if (at.has_sparse()) sparse.for_each(entity, [&](ComponentId id, void*) { f(id, entity); });
    }
    /// Calls f(id, value) for all components of an entity, those of tables first.
    template <class F>
    void for_each_component(Entity entity, F&& f) const;
    /// The value of this component was changed, if that is kept.
    void mark_changed(EntityLocation at, ComponentId id) noexcept {
        Table& table = this->table(at);
        if (!table.has_marks()) return;
        const std::int32_t place = table.place_of(id);
        if (place < 0) return;
        if (TickColumn* const ticks = table.ticks(static_cast<std::size_t>(place))) ticks->mark(at.row(), tick);
    }

    /// See ArchetypeStore::rebind.
    template <class T>
    ComponentId rebind() {
        expect_idle("rebind");
        const ComponentId id = registry.template rebind<T>();
        tables.for_each([&](slot_t, Table& table) { table.describe(registry); });
        sparse.describe();
        spare_records.free(); // which know types of the library before
        return id;
    }

    /// Changes a living entity. False if it does not live.
    /// @pre structure may change (checked at level fast)
    /// Throws std::invalid_argument when an id names nothing or a target does not live; what values and the allocator throw;
    /// strong if values move without a throw, but for values that were assigned; what hooks throw, and the change stays
    bool change(Entity entity, const Change& what, TargetsAre targets = TargetsAre::alive);
    /// The same while tables are in use: none is erased.
    bool change_only(Entity entity, const Change& what, TargetsAre targets = TargetsAre::alive);
    bool add(Entity entity, Ids ids);
    bool remove(Entity entity, Ids ids);
    /// Removes a component after its value was given to f(void*), which moves it: when on_remove hooks were called. What f
    /// throws is a move that failed. @pre the entity has a value of it. Throws as change()
    template <class F>
    void take(Entity entity, ComponentId id, F&& f) {
        const TakenValue taken{
            [](void* argument, void* value) { (*static_cast<std::remove_reference_t<F>*>(argument))(value); },
            std::addressof(f)};
        change(entity, {.remove = {&id, 1}, .taken = &taken});
    }
    /// Removes components of these rows, table by table: at once where all rows of a table are there. Returns how many entities
    /// have lost one. @pre as change(). Throws as change(): what was changed before stays so, a whole table changes or not
    std::size_t remove_found(const FoundRows& rows, Ids ids);
    /// The same for all entities, whether the components are enabled or not.
    std::size_t remove_all(Ids ids);
    /// Brings the rows of a table into another order: row i becomes what row order[i] was.
    /// Throws what the allocator, and moves that may throw, throw; strong if what cannot be copied moves without a throw
    void permute(Table& table, const slot_t* order);
    /// Throws std::invalid_argument when values of the component are in no table
    void expect_rows_of(ComponentId id) const;
    /// Gives an entity a value of a type-erased type. Of two, the entity keeps its own, unless this one assigns.
    bool give(Entity entity, ComponentId id, const AnyValue& value, bool assigns);
    bool enable(Entity entity, ComponentId id, bool on) {
        registry.expect(id, "ArchetypeStore::enable");
        if (!registry.traits(id).toggle) [[unlikely]]
            throw_invalid_argument(
                "ArchetypeStore::enable: the component cannot be disabled; register it with the trait toggle");
        const EntityLocation* const at = location(entity);
        if (at == nullptr) return false;
        const std::int32_t place = table(*at).place_of(id);
        if (place < 0) return false;
        table(*at).enable(at->row(), static_cast<std::size_t>(place), on);
        return true;
    }
    bool is_enabled(Entity entity, ComponentId id) const noexcept {
        const EntityLocation* const at = location(entity);
        if (at == nullptr) return false;
        const std::int32_t place = table(*at).place_of(id);
        if (place < 0) return has_at(*at, entity, id);
        if (registry.is_switched_alone(id)) return false;
        return table(*at).is_enabled(at->row(), static_cast<std::size_t>(place));
    }

    //=== lists of C++ types ===//

    /// A list of ids that are known at run time, and all in tables; pairs may have a target as soon as it lives.
    /// Throws std::invalid_argument that begins with `where` and names what is sparse, as expect_ids(); what the allocator
    /// throws
    SLOTWISE_INLINE ComponentList list_of_columns(Ids ids, const char* where);
    /// Where rows of a table go with a list, by one of its transitions. Throws as ArchetypeTables::change
    SLOTWISE_ALWAYS_INLINE const Transition& transition(const ComponentList& list, Transition& known, slot_t from) {
        if (known.from != from || known.erased != tables.erased()) [[unlikely]]
            find_transition(list, known, from);
        return known;
    }
    /// Adds what is missing of a list, in one move. build(number of the argument, to) is false if there is no such argument.
    /// @pre structure changes, and `at` is the place of the entity. Throws as Table::move_row, and what hooks throw
    template <class Build>
    SLOTWISE_ALWAYS_INLINE void add_all(Entity entity, EntityLocation& at, ComponentList& list, Build&& build);
    /// The same for many entities: those that are one after the other in one table move at once. Returns how many of them live.
    /// build(argument, places, to) builds the values of an argument side by side for the entities at these places of the list,
    /// all of them or, if it throws, none; false if there is no such argument.
    /// @pre nothing of the list is sparse. Throws as add_all(); each entity then has all of the list, or what it had
    template <class Build>
    std::size_t add_to_many(std::span<const Entity> given, ComponentList& list, Build&& build);
    /// Adds a list of tags, or removes any list, in one move: for all types of lists, because no values are given.
    /// False if the entity does not live.
    /// @param by list.added or list.removed
    /// @pre nothing of the list is sparse, and there is no on_remove hook of what it removes; structure may change (checked at
    /// level fast). Throws as add_all()
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE bool move_listed(Entity entity, ComponentList& list, Transition& by);
    /// Gives an entity the one sparse component of a list, by build(void* to), unless it has it. No row moves. False if the
    /// entity does not live.
    /// @tparam Size as SparseColumn::emplace's
    /// @pre structure may change (checked at level fast). Throws what build, the allocator and hooks throw; strong
    template <std::size_t Size, class Build>
    SLOTWISE_ALWAYS_INLINE bool add_sparse(Entity entity, ComponentList& list, Build&& build);
    /// Takes it away, if the entity has it. False if it does not live. @pre structure may change (checked at level fast)
    SLOTWISE_ALWAYS_INLINE bool remove_sparse(Entity entity, ComponentList& list);
    /// Gives an entity a value of it: by assign(void* value) if it has one, else as add_sparse().
    /// Throws what they, the allocator and hooks throw; strong, but for what was assigned
    template <std::size_t Size, class Assign, class Build>
    SLOTWISE_ALWAYS_INLINE bool set_sparse(Entity entity, ComponentList& list, Assign&& assign, Build&& build);

    //=== relations ===//

    /// Adds a pair. False if the entity does not live. Throws as change(); std::invalid_argument when it is no relation, or the
    /// target does not live
    bool relate(Entity entity, ComponentId relation, Entity target);
    /// Adds a pair of a sparse relation in front of the pair of `sibling` and the target, or at the end if that is null, or
    /// gives the pair this place. Throws as relate(); std::invalid_argument when the relation is not sparse, or `sibling` has
    /// no such pair
    bool relate_before(Entity entity, ComponentId relation, Entity target, Entity sibling);
    /// Removes a pair. False if the entity does not live.
    bool unrelate(Entity entity, ComponentId relation, Entity target);
    /// Removes all pairs of a relation, in one move. False if the entity does not live.
    bool unrelate(Entity entity, ComponentId relation);
    /// The targets of an entity, in the order of their ids; of a sparse relation in that of relate(). Empty if it does not
    /// live. Throws as relate()
    TargetRange targets(Entity entity, ComponentId relation) const;
    /// The first target; null if there is none. Throws as relate()
    Entity target(Entity entity, ComponentId relation) const;
    /// The entities that are related to a target, table by table; of a sparse relation in their order. Throws as relate()
    SourceRange sources(ComponentId relation, Entity target) const;
    /// The first target of an entity, the first target of that, and so on, until there is none, or one is met that was met
    /// before. Throws as relate()
    AncestorRange ancestors(Entity entity, ComponentId relation) const;
    /// Calls f(entity, depth) for what is related to `root`, then for what is related to these, and so on: breadth first, each
    /// entity once, so that cycles end. The depth of the first ones is 1; `root` is left out.
    template <class F>
    void for_each_descendant(Entity root, ComponentId relation, F&& f) const;
    /// Appends the pairs that an entity has of a relation, in ascending order: with entities and with components as targets.
    /// Throws what the allocator throws
    void append_pairs(Entity entity, std::uint32_t relation, PlainVector<ComponentId>& to) const;
    /// Refuses a pair of an acyclic relation by which the entity would be related to itself, over others too. Others do not
    /// change it, so the search goes from the target upwards; if nothing is related to the entity, there is none.
    /// Throws std::invalid_argument in words
    void expect_no_cycle(Entity entity, ComponentId pair) const;

    //=== hooks and time ===//

    /// A hook by id: f(entity, id, value), f(entity, value) or f(entity).
    template <class F>
    HookId hook(HookKind kind, ComponentId id, F&& f);
    /// Writes a value that the entity has by write(), between its on_replace and on_set hooks. on_set runs also if write()
    /// throws, with what it left, or if an on_replace hook throws, with the old value. Callers do it alone if there are no such
    /// hooks: g++ inlines write() there only. Throws what hooks and write() throw
    template <class Write>
    SLOTWISE_NEVER_INLINE void write_with_hooks(ComponentId id, Entity entity, Write&& write) {
        const Changing change(*this, nullptr);
        ScopeGuard failed([&]() noexcept { run_hook(HookKind::set, id, entity); });
        if (hooks.any(HookKind::replace)) run_hook(HookKind::replace, id, entity);
        write();
        failed.dismiss();
        run_hook(HookKind::set, id, entity);
    }
    /// Changes a value by write(void*), between hooks, and counts it as a change. False if it is null.
    template <class Write>
    bool patch_with_hooks(Entity entity, ComponentId id, const void* value, Write&& write) {
        if (value == nullptr) return false;
        write_with_hooks(id, entity, [&] {
            mark_changed(*location(entity), id);
            write(const_cast<void*>(value)); // the store is not const
        });
        return true;
    }
    /// Refuses what names nothing, and tags. Throws std::invalid_argument in words
    void expect_patchable(ComponentId id) const;
    /// Calls the on_replace hooks of those of these components that the table of the entity has. If one throws, the on_set
    /// hooks of its component and of those before it are called. Throws what they throw
    void run_replace_hooks(Entity entity, const Table& table, Ids ids);
    /// Calls the on_set hooks of these components of an entity. If one throws, those of components that `replaced` has are
    /// called nevertheless: their on_replace hooks were. Throws what they throw
    void run_set_hooks(Entity entity, Ids ids, const Table& replaced);
    /// The same for those of these components that `table` had and the entity has, when its change failed.
    void run_set_hooks_of_failure(Entity entity, const Table& table, Ids ids) noexcept;
    /// Notes that the value of a component was written through a reference, and calls its on_set hooks. False if the entity
    /// does not live, or has none. Throws what hooks throw
    bool modified(Entity entity, ComponentId id);
    /// Calls the hooks of a component of a living entity. Throws what they throw.
    void run_hook(HookKind kind, ComponentId id, Entity entity);
    /// The same for the components that are in `of` and not in `without`.
    void run_hooks(HookKind kind, Entity entity, Ids of, Ids without) {
        if (hooks.any(kind)) [[unlikely]]
            for_each_missing(of, without, [&](ComponentId id) { run_hook(kind, id, entity); });
    }
    /// The same for all components of a living entity.
    void run_all_hooks(HookKind kind, Entity entity);
    /// Begins the next tick; returns the one that ends.
    tick_t advance() noexcept {
        const tick_t ended = tick++;
        if (tick % slotwise::max_tick_age == 0) [[unlikely]] {
            tables.for_each([&](slot_t, Table& table) { table.clamp_ticks(tick); });
            removals.clamp_ticks(tick);
        }
        return ended;
    }
    /// From now on it is kept who loses a component.
    /// Throws std::invalid_argument when the registry does not know it, or it is a pair of any relation; what the allocator
    /// throws; strong
    void keep_removed(ComponentId id);
    /// Who lost it after this tick. Throws std::invalid_argument when that is not kept
    RemovedRange removed(ComponentId id, tick_t since) const;

    //=== walks and changes ===//

    /// As long as it lives, structure changes, and nothing that is called may change it too.
    class Changing {
    public:
        /// @param call for the refusal, as expect_idle; null: only values change, which is allowed in walks and hooks
        /// @pre else, nothing walks or changes the store (checked at level fast)
        template <class Of = Ids>
        SLOTWISE_ALWAYS_INLINE explicit Changing(StoreCore& core, const char* call, Entity entity = Entity(),
                                                 const Of& of = {}) noexcept
            : core_(core), before_(core.changing) {
            if (call != nullptr) core.expect_idle(call, entity, of);
            core.changing = true;
            if (call != nullptr) core.restructuring = true;
        }
        Changing(const Changing&) = delete;
        Changing& operator=(const Changing&) = delete;
        ~Changing() {
            core_.changing = before_;
            if (!before_) core_.restructuring = false;
        }

    private:
        StoreCore& core_;
        bool before_;
    };

    /// A query walks the tables until end_walk(): structure must not change. Returns whether no other walk runs. That walk
    /// alone may use first_visit, because the next one of which this is said begins when all have ended.
    bool begin_walk() const noexcept { return walks.fetch_add(1, std::memory_order_acquire) == 0; }
    void end_walk() const noexcept { walks.fetch_sub(1, std::memory_order_release); }
    /// Whether nothing stands against a change of structure.
    bool is_idle() const noexcept { return !changing && walks.load(std::memory_order_relaxed) == 0; }
    /// @param call what the user called, of the entity and for these components, if for some: ids, or a ComponentList,
    /// whose ids are read in the refusal only
    /// @pre structure may change now (checked at level fast)
    template <class Of = Ids>
    SLOTWISE_ALWAYS_INLINE void expect_idle(const char* call, Entity entity = Entity(), const Of& of = {}) const noexcept {
        if (SLOTWISE_CHECK_LEVEL >= 1 && !is_idle()) [[unlikely]]
            refuse_change(call, entity, of);
    }

    //=== ids of command buffers ===//

    /// Makes the ids that command buffers have taken, so that the next ones differ. Call it before an id comes or goes.
    /// Throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void flush_reserved(const char* call) {
        if (reserved.any()) [[unlikely]]
            make_reserved(call);
    }
    /// What they have taken and not spawned is void.
    void invalidate_reserved() noexcept;
    /// Ids that no one else has, for a command buffer. Several threads may ask, as long as structure does not change. Meanwhile
    /// a hook or a value may ask, and the ids are made at once: those that come next are not known before the change has ended.
    /// @throws std::length_error when there are no more ids; when they are made, what the allocator throws; strong
    void take_ids(std::span<Entity> ids) const {
        if (restructuring) [[unlikely]]
            return const_cast<StoreCore*>(this)->make_ids(ids); // the change has the store for itself
        reserved.take(entities, ids);
    }
    /// Undoes the creation of a range's last `count` ids, or of those from row `first` of the living ones on, if values have
    /// recorded spawns since. The next ids are the same only if they have not.
    SLOTWISE_INLINE SLOTWISE_COLD void undo_create(std::size_t first, std::size_t count, Range range = Range()) noexcept;

    //=== steps of changes ===//

    /// Refuses ids that name nothing, and targets that do not live. The targets of pairs are noted as such.
    /// Throws std::invalid_argument in words; nothing has changed then
    void expect_ids(Ids ids, TargetsAre targets = TargetsAre::alive);
    /// Erases tables that were left, if there are many. @pre structure may change (checked at level fast), and no table is in
    /// use
    SLOTWISE_ALWAYS_INLINE void erase_left_tables(const char* call) noexcept {
        if (!tables.is_crowded()) [[likely]]
            return;
        expect_idle(call);
        tables.erase_left();
    }
    /// Call it before a table gets a row. Throws what the allocator throws; strong
    SLOTWISE_ALWAYS_INLINE void before_row(slot_t slot, const Table& to) {
        if (to.empty() && !tables.is_last(to)) [[unlikely]]
            tables.move_to_end(slot);
    }
    /// A new row of a table for an entity that has none. build(column, to) builds its values.
    /// Throws as Table::push_back; nothing has changed then
    template <class Build>
    SLOTWISE_ALWAYS_INLINE void add_row(Entity entity, slot_t slot, Table& to, Build&& build) {
        before_row(slot, to);
        const slot_t row = to.push_back(entity, tick, build);
        entities[entity].set(slot, row);
    }
    /// Moves the row of an entity to another table. The entity that fills its place gets that row.
    /// @param ready nothing, or the function that Table::move_row calls before the moves
    /// Throws as Table::move_row; nothing has changed then
    template <class Build, class... Ready>
    SLOTWISE_ALWAYS_INLINE void move_row(EntityLocation& at, Table& from, slot_t slot, Table& to, const ColumnMapping& map,
                                         Build&& build, Ready&&... ready) {
        before_row(slot, to);
        note_moved(at, slot, Table::move_row(from, at.row(), to, map, tick, build, ready...));
    }
    /// The row of an entity was moved to a table.
    SLOTWISE_ALWAYS_INLINE void note_moved(EntityLocation& at, slot_t slot, Table::Moved moved) noexcept {
        const slot_t row = at.row();
        at.set(slot, moved.row);
        if (moved.filled) entities[moved.filled].set_row(row);
    }
    /// Removes the row of an entity, which has none then. Throws as Table::swap_erase
    SLOTWISE_ALWAYS_INLINE void erase_row(EntityLocation& at) {
        const slot_t row = at.row();
        const Entity filled = table(at).swap_erase(row);
        if (filled) entities[filled].set_row(row);
        at.set(no_slot, 0);
    }
    /// Ends an entity, but does nothing about what relates to it.
    /// @pre `at` is its place. Throws what moves that may throw do
    void erase_entity(Entity entity, EntityLocation& at);

    /// Moves the rows of a group. build(column, to, count) builds the values that they have not yet. Throws as Table::move_rows
    template <class Build>
    void move_group(const RowGroup& group, const Transition& by, Build&& build) {
        before_row(by.to, *by.destination);
        const auto first = static_cast<slot_t>(by.destination->size());
        Table::move_rows(*by.source, group.batch(), *by.destination, *by.map, tick, build);
        note_group_left(*by.source, group);
        const std::span<const Entity> arrived = by.destination->entities().subspan(first);
        for (std::size_t i = 0; i != arrived.size(); ++i) entities[arrived[i]].set(by.to, first + static_cast<slot_t>(i));
    }
    /// The rows of a group have left a table: others are in their places.
    void note_group_left(const Table& table, const RowGroup& group) noexcept;

    //=== whole ===//

    /// Bytes of the parts, without those of this object.
    std::size_t memory_usage() const noexcept;
    /// Whether all parts agree with each other; for tests.
    bool check_invariants() const;
    /// Throws std::invalid_argument that says which entity does not live, and why
    [[noreturn]] SLOTWISE_INLINE SLOTWISE_COLD void refuse_dead(Entity entity, const char* which) const;
    /// Throws std::invalid_argument that names a component which cannot be copied
    [[noreturn]] SLOTWISE_INLINE SLOTWISE_COLD void refuse_clone(ComponentId id) const;
    /// Throws std::out_of_range that says what a function of ArchetypeStore did not find
    [[noreturn]] SLOTWISE_INLINE SLOTWISE_COLD void refuse_missing(Entity entity, ComponentId id,
                                                                   const char* where = "at") const;

    //=== the parts ===//

    StoreLifeRef life{};
    StoreResources resources{};
    ComponentRegistry registry{};
    ArchetypeTables tables{registry};
    Entities entities{};
    SparseComponents sparse{registry}; // and pairs of relations
    StoreHooks hooks{};
    RemovalLogs removals{};
    ComponentLists type_lists{};
    std::string wrong_bytes{}; // what try_restore() and try_insert_snapshot() said last, if it names something
    tick_t tick = 1;
    bool changing = false;                       // see Changing
    bool restructuring = false;                  // the same, where it is not values alone
    std::size_t without_row = 0;                 // ids that are made for command buffers and not spawned
    ReservedIds reserved{};                      // ids that command buffers have taken and that are not made
    mutable std::atomic<std::uint32_t> walks{0}; // queries that walk
    QueryPlans plans{};
    mutable QueryVisit* first_visit = nullptr;       // see begin_walk()
    mutable SpareObjects<QueryVisit> spare_visits{}; // for walks that are not alone
    mutable SpareObjects<SpareRecords> spare_records{};
    const char* library = &own_library; // whose code made the store
    CommandBuffer* deferring = nullptr; // the buffer of the outermost ArchetypeStore::defer() that runs

private:
    template <class Location>
    SLOTWISE_ALWAYS_INLINE static Location* with_row(Location* at) noexcept {
        return at != nullptr && at->has_row() ? at : nullptr;
    }
    template <class Void, class Self>
    SLOTWISE_ALWAYS_INLINE static Void* value_in(Self& self, EntityLocation at, Entity entity, ComponentId id) noexcept {
        auto& table = self.table(at);
        const std::int32_t column = table.column_of(id);
        if (column >= 0) [[likely]]
            return table.value(static_cast<std::size_t>(column), at.row());
        return at.has_sparse() ? self.sparse.get(entity, id) : nullptr;
    }
    /// Calls f(ids) with ids in ascending order, each once.
    template <class F>
    static bool with_sorted(Ids ids, F&& f) {
        if (IdSets::is_set(ids)) return f(ids);
        PlainVector<ComponentId> copy;
        IdSets::assign(copy, ids);
        return f(Ids(copy.span()));
    }
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void find_transition(const ComponentList& list, Transition& transition, slot_t from);
    /// Whether pass_row() may be called for a row of this transition.
    SLOTWISE_ALWAYS_INLINE static bool can_pass_row(const Transition& by) noexcept {
        return Table::can_pass_row(*by.source, *by.destination, *by.map);
    }
    /// Moves the row of an entity. @pre before_row() and Table::build_next_row() were called, as Table::pass_row
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void pass_row(EntityLocation& at, const Transition& by) noexcept;
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void move_listed_slowly(Entity entity, EntityLocation& at, ComponentList& list,
                                                                  const Transition& by);
    // Apart: it needs more registers.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void pass_row_of_any_size(EntityLocation& at, const Transition& by) noexcept;
    /// As add_all(), in every case, with the on_remove hooks of pairs that companions replace.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void move_any_row(Entity entity, EntityLocation& at, const Transition& by,
                                                            RowBuild build);
    /// Gives an id that was just made its first row; if that fails, the id is taken back.
    /// @pre structure changes, and ids are known. Throws as change(); strong
    Entity spawn_as(Entity entity, const Change& what);
    SLOTWISE_ALWAYS_INLINE SparseColumn& column_of(ComponentList& list) {
        if (list.column == nullptr) [[unlikely]]
            list.column = &sparse.make_column(list.ids.front());
        return *list.column;
    }
    /// The traits of a relation of this store. Throws std::invalid_argument in words when it is none
    const ComponentTraits& expect_relation(ComponentId relation) const;
    std::size_t remove_of(Table& table, Ids ids);
    /// Whether only the target of a switched relation is another one, which no hook is called for and no companion comes with.
    bool only_retargets(Entity entity, ComponentId pair) const {
        return registry.traits(pair).switched && sparse.target(entity, pair.relation_number()) && !hooks.any(HookKind::add) &&
               !hooks.any(HookKind::remove) && registry.with_closure(pair).empty();
    }
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void remove_sparse_slowly(Entity entity, SparseColumn& column, ComponentId id);
    /// Adds a pair of a sparse relation: as change(), in less than half of the instructions unless hooks or companions want its
    /// steps.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE bool add_pair(Entity given, const ComponentTraits& traits,
                                                        const ComponentValue& value, Entity before = Entity());
    void make_reserved(const char* call);
    SLOTWISE_INLINE SLOTWISE_COLD void make_ids(std::span<Entity> ids);
    void free_spare() noexcept;
    SLOTWISE_INLINE SLOTWISE_COLD void refuse_change(const char* call, Entity entity, Ids ids) const noexcept;
    SLOTWISE_INLINE SLOTWISE_COLD void refuse_change(const char* call, Entity entity, const ComponentList& list) const noexcept;
    /// Why an entity does not live, as a clause.
    const char* dead_because(Entity entity) const noexcept;
};

//=== what operations share ===//

/// Builds the default value of a column.
void build_default(const Table& table, std::size_t column, void* to);
/// Builds `count` values side by side, each from this one. Throws as AnyValue::build; none is there then
void fill_column(const TypeDescriptor& type, const AnyValue& value, void* to, std::size_t count);
/// Copies the first of `count` values to the places of the others: in blocks of 4 KiB, because g++ does not vectorise a loop of
/// 12 bytes. @pre the type is trivially copyable, and count != 0
SLOTWISE_ALWAYS_INLINE void repeat_first(void* values, std::size_t bytes, std::size_t count) noexcept {
    for (std::size_t built = 1; built != count;) {
        std::size_t more = built < 4096 / bytes + 1 ? built : 4096 / bytes + 1;
        if (more > count - built) more = count - built;
        std::memcpy(static_cast<std::byte*>(values) + built * bytes, values, more * bytes);
        built += more;
    }
}

/// Entities in the order in which they were found, each once.
class FoundEntities {
public:
    /// Adds an entity that is not there. @throws what the allocator throws; strong
    void add(Entity entity);
    bool contains(Entity entity) const noexcept { return marks_.contains(entity); }
    std::size_t size() const noexcept { return list_.size(); }
    Entity operator[](std::size_t i) const noexcept { return list_[i]; }

private:
    PlainVector<Entity> list_{};
    SparseColumn marks_{nullptr};
};

//=== operations: entities ===//

//=== operations: components ===//

template <class F>
void StoreCore::for_each_component(Entity entity, F&& f) const {
    const EntityLocation* const at = location(entity);
    if (at == nullptr) return;
    for (const ComponentId id : table(*at).ids())
        if (!registry.is_switched_alone(id)) f(id, value_at(*at, entity, id)); // its pair is sparse
    if (!at->has_sparse()) return;
    sparse.for_each(entity, [&](ComponentId id, const void* value) { f(id, value); });
}
template <class Build>
SLOTWISE_ALWAYS_INLINE void StoreCore::add_all(Entity entity, EntityLocation& at, ComponentList& list, Build&& build) {
    const Transition& known = transition(list, list.added, at.table());
    if (known.map == nullptr) return;
    const auto build_at = [&](std::size_t column, void* to) {
        if (!build(known.argument[column], to)) build_default(*known.destination, column, to);
    };
    if (!hooks.any(HookKind::remove) && can_pass_row(known)) [[likely]] {
        before_row(known.to, *known.destination);
        Table::build_next_row(*known.destination, *known.map, build_at);
        pass_row(at, known);
    } else
        move_any_row(entity, at, known, build_at);
    if (hooks.any(HookKind::add)) [[unlikely]]
        run_hooks(HookKind::add, entity, known.destination->ids(), known.source->ids());
}
template <class Build>
std::size_t StoreCore::add_to_many(std::span<const Entity> given, ComponentList& list, Build&& build) {
    erase_left_tables("add");
    const Changing change(*this, "add", Entity(), list);
    const PlainVector<Entity> all(given); // they may be those of a table, or hooks may record spawns
    RowGroup group(all.span());
    std::size_t living = 0;
    while (!group.at_end()) {
        if (!group.find(*this, true)) {
            if (group.at_end()) break;
            const auto place = static_cast<std::uint32_t>(group.next());
            const Entity entity = group.take_one();
            EntityLocation* const at = location(entity);
            if (at == nullptr) continue;
            ++living;
            add_all(entity, *at, list, [&](unsigned argument, void* to) { return build(argument, {&place, 1}, to); });
            continue;
        }
        living += group.living();
        const Transition& by = transition(list, list.added, group.table());
        if (by.map == nullptr) continue;
        const auto places = group.places();
        const slot_t first = static_cast<slot_t>(by.destination->size());
        move_group(group, by, [&](std::size_t column, void* to, std::size_t count) {
            if (!build(by.argument[column], places, to)) fill_column(by.destination->type(column), AnyValue(), to, count);
        });
        if (hooks.any(HookKind::add)) [[unlikely]]
            for (std::size_t i = 0; i != places.size(); ++i)
                run_hooks(HookKind::add, by.destination->entities()[first + i], by.destination->ids(), by.source->ids());
    }
    return living;
}
template <std::size_t Size, class Build>
SLOTWISE_ALWAYS_INLINE bool StoreCore::add_sparse(Entity entity, ComponentList& list, Build&& build) {
    EntityLocation* const at = location(entity);
    if (at == nullptr) return false;
    SparseColumn& column = column_of(list);
    if constexpr (Size != 0) { // nothing that is called may change the store
        expect_idle("add", entity, list);
        if (!column.emplace<Size>(entity, build)) return true;
    } else {
        const Changing change(*this, "add", entity, list);
        if (!column.emplace(entity, build)) return true;
    }
    at->set_sparse(true);
    if (hooks.any(HookKind::add)) [[unlikely]] {
        const Changing change(*this, "add", entity, list);
        run_hook(HookKind::add, list.ids.front(), entity);
    }
    return true;
}
SLOTWISE_ALWAYS_INLINE bool StoreCore::remove_sparse(Entity entity, ComponentList& list) {
    if (!is_alive(entity)) return false;
    SparseColumn& column = column_of(list);
    expect_idle("remove", entity, list);
    if (!column.calls_destructors() && !hooks.any(HookKind::remove)) [[likely]] {
        column.erase(entity);
        return true;
    }
    remove_sparse_slowly(entity, column, list.ids.front());
    return true;
}
template <std::size_t Size, class Assign, class Build>
SLOTWISE_ALWAYS_INLINE bool StoreCore::set_sparse(Entity entity, ComponentList& list, Assign&& assign, Build&& build) {
    if (!is_alive(entity)) return false;
    SparseColumn& column = column_of(list);
    if (column.contains(entity)) {
        if (hooks.any_of_values()) [[unlikely]]
            write_with_hooks(list.ids.front(), entity, [&] { assign(column.get(entity)); });
        else {
            const Changing change(*this, nullptr);
            assign(column.get(entity));
        }
        return true;
    }
    add_sparse<Size>(entity, list, build);
    if (hooks.any(HookKind::set)) [[unlikely]] {
        const Changing change(*this, nullptr);
        run_hook(HookKind::set, list.ids.front(), entity);
    }
    return true;
}

//=== operations: relations ===//

inline bool StoreCore::relate(Entity entity, ComponentId relation, Entity target) {
    const ComponentTraits& traits = expect_relation(relation);
    const ComponentId id = pair(relation, target);
    if (traits.sparse) return add_pair(entity, traits, {id});
    if (!only_retargets(entity, id)) return change(entity, {{&id, 1}, {}, {}});
    expect_idle("relate", entity, {&id, 1});
    expect_ids({&id, 1});
    if (registry.any_acyclic()) expect_no_cycle(without_user_bits(entity), id);
    sparse.targets(relation.number())->set(entity, id.target());
    return true;
}
inline TargetRange StoreCore::targets(Entity entity, ComponentId relation) const {
    const EntityLocation* const at = location(entity);
    const ComponentTraits& traits = expect_relation(relation);
    if (at == nullptr) return TargetRange(TargetIterator(), TargetIterator(), 0);
    if (traits.sparse) {
        const SparsePairs* const of = at->has_sparse() ? sparse.pairs(relation.number()) : nullptr;
        if (of == nullptr) return TargetRange(TargetIterator(), TargetIterator(), 0);
        return TargetRange(TargetIterator(of, of->first(SparsePairs::by_source, entity)), TargetIterator(of, no_slot),
                           of->count(SparsePairs::by_source, entity));
    }
    if (traits.switched) {
        const Entity found = at->has_sparse() ? sparse.target(entity, relation.number()) : Entity();
        const Entity one = ComponentIdParts::entity_of(found); // as below, a component is none of the targets
        const std::size_t count = one ? 1 : 0;
        return TargetRange(TargetIterator(nullptr, 0, one), TargetIterator(nullptr, count, one), count);
    }
    // The pairs of a relation are neighbours. Those with components as targets come first; those with any are in no table.
    const Ids ids = table(*at).ids();
    const std::size_t first = IdSets::lower_bound(ids, pair(relation, Entity(0, 1)));
    const std::size_t last = IdSets::lower_bound(ids, pair(relation, any));
    return TargetRange(TargetIterator(ids.data(), first, Entity()), TargetIterator(ids.data(), last, Entity()), last - first);
}
inline SourceRange StoreCore::sources(ComponentId relation, Entity target) const {
    const ComponentTraits& traits = expect_relation(relation);
    if (traits.sparse) {
        const SparsePairs* const of = sparse.pairs(relation.number());
        if (of == nullptr) return SourceRange(SourceIterator(), SourceIterator(), 0);
        return SourceRange(SourceIterator(of, of->first(SparsePairs::by_target, target)), SourceIterator(of, no_slot),
                           of->count(SparsePairs::by_target, target));
    }
    if (traits.switched) {
        const SparseComponents::Targets* const all = sparse.targets(relation.number());
        const auto of = all == nullptr ? std::span<const Entity>() : all->of(without_user_bits(target));
        return SourceRange(SourceIterator(of.data()), SourceIterator(of.data() + of.size()), of.size());
    }
    const auto found = tables.index().tables(pair(relation, target));
    std::size_t count = 0;
    for (const auto entry : found) count += entry.table->size();
    return SourceRange(SourceIterator(found.begin(), found.end()), SourceIterator(found.end(), found.end()), count);
}
inline void AncestorIterator::increment() { at_ = left_-- == 0 ? Entity() : core_->target(at_, relation_); }
template <class F>
void StoreCore::for_each_descendant(Entity root, ComponentId relation, F&& f) const {
    static_cast<void>(expect_relation(relation));
    if (!is_alive(root)) return;
    begin_walk();
    ScopeGuard end([&]() noexcept { end_walk(); });
    FoundEntities found;
    found.add(without_user_bits(root));
    std::size_t depth = 1, level_end = 1;
    for (std::size_t i = 0; i != found.size(); ++i) {
        if (i == level_end) {
            ++depth;
            level_end = found.size();
        }
        std::size_t before = found.size();
        if (!location(found[i])->is_target()) continue;
        for (const Entity source : sources(relation, found[i])) found.add(source);
        for (; before != found.size(); ++before) f(found[before], depth);
    }
}

//=== operations: hooks ===//

template <class F>
HookId StoreCore::hook(HookKind kind, ComponentId id, F&& f) {
    registry.expect_term(id, "ArchetypeStore hooks");
    if (id.has_any_relation()) throw_invalid_argument("ArchetypeStore hooks: name the relation of the pairs");
    static_assert(takes_entity<F, ComponentId, void*> || takes_entity<F, void*> || takes_entity<F>,
                  "ArchetypeStore hooks by id are called as f(Entity, ComponentId, void*), f(Entity, void*) or f(Entity)");
    return hooks.add(kind, id, [f = std::forward<F>(f)](Entity entity, ComponentId of, [[maybe_unused]] void* value) mutable {
        if constexpr (takes_entity<F, ComponentId, void*>)
            f(entity, of, value);
        else if constexpr (takes_entity<F, void*>)
            f(entity, value);
        else
            f(entity);
    });
}

} // namespace detail

#ifdef SLOTWISE_COMPILED
extern template class EntityIndex<Entity, EntityLocation>;
#endif

SLOTWISE_END

#if SLOTWISE_BODIES
#include "store_core.inl.hpp"
#endif

#endif
