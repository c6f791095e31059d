// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreHooks: functions that are called when entities get, lose or are given components.
#ifndef SLOTWISE_ECS_STORE_HOOKS_HPP
#define SLOTWISE_ECS_STORE_HOOKS_HPP

#include "../config/error.hpp"
#include "../memory/plain_vector.hpp"
#include "component_id.hpp"

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

} // namespace detail
SLOTWISE_END

#endif
