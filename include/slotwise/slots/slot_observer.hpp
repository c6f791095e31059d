// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotObserver: how columns follow a directory. Static observers are named as template arguments and called inline; dynamic
// ones derive from SlotObserver and are attached at run time. Both see the same events in the same order.
#ifndef SLOTWISE_SLOTS_SLOT_OBSERVER_HPP
#define SLOTWISE_SLOTS_SLOT_OBSERVER_HPP

#include "../core/detail/concepts.hpp"
#include "../memory/occupancy.hpp"
#include "observer_token.hpp"

SLOTWISE_BEGIN

/// What a dynamic observer derives from. A static observer has any of these functions with these names and signatures, and
/// needs no base; see StaticObserver.
///
/// Construct-type events (on_capacity, on_insert) run in attach order, destroy-type events in reverse; static observers count
/// as attached first, in the order of the template arguments. An observer must not change the container that is notifying; it
/// may attach and detach observers, including itself. It must not die while it is attached (checked at level debug).
class SlotObserver : detail::AttachmentCount {
public:
    /// The number of slots changes, before any new slot is used. May throw when it grows: nothing has changed then. Must not
    /// throw when new_slots < old_slots (shrink_to_fit).
    virtual void on_capacity([[maybe_unused]] slot_t old_slots, [[maybe_unused]] slot_t new_slots) {}
    /// The value of `slot` was built. The handle is issued after all observers have returned. May throw: the observers already
    /// notified then get on_erase in reverse order, and the insert is rolled back.
    virtual void on_insert([[maybe_unused]] slot_t slot, [[maybe_unused]] InsertKind kind) {}
    /// The element is no longer live. Its value and every column are still intact.
    virtual void on_remove([[maybe_unused]] slot_t slot) noexcept {}
    /// The value is about to be destroyed. The slot may be reused afterwards.
    virtual void on_erase([[maybe_unused]] slot_t slot) noexcept {}
    /// Exactly these slots are removed and erased.
    virtual void on_clear(Occupancy cleared) noexcept {
        cleared.for_each([this](slot_t slot) { on_remove(slot), on_erase(slot); });
    }
    /// All elements and the capacity are gone.
    virtual void on_reset() noexcept {}
    /// For containers: counts to how many this is attached.
    detail::AttachmentCount& attachments() noexcept { return *this; }

protected:
    SlotObserver() = default;
    SlotObserver(const SlotObserver&) = default;
    SlotObserver& operator=(const SlotObserver&) = default;
    virtual ~SlotObserver() = default; // for -Wnon-virtual-dtor in derived classes
};

namespace detail {

/// The observer inside of a map that follows handles. It needs to know which elements end, and not their slots' capacity.
class FollowingObserver : public SlotObserver {
public:
    void on_insert(slot_t slot, InsertKind kind) noexcept override = 0;

protected:
    ~FollowingObserver() override = default;
};

/// A class that derives from this and from O has an ambiguous name where O has a member of that name, whatever it is:
/// overloaded, a template, private.
struct HookNames {
    int on_capacity, on_insert, on_remove, on_erase, on_clear, on_reset;
};
template <class O>
struct HookProbe : O, HookNames {
protected:
    ~HookProbe(); // never made; protected, because O may have virtual functions and no virtual destructor
};

/// Which hooks O has, and whether their signatures fit.
template <class O>
struct Hooks {
    static constexpr bool probed = std::is_class_v<O> && !std::is_final_v<O>;
    using Probe =
        std::conditional_t<probed, HookProbe<O>, O>; // in a final class only functions that are not overloaded are found

    static constexpr bool named_capacity = requires { &Probe::on_capacity; } != probed;
    static constexpr bool named_insert = requires { &Probe::on_insert; } != probed;
    static constexpr bool named_remove = requires { &Probe::on_remove; } != probed;
    static constexpr bool named_erase = requires { &Probe::on_erase; } != probed;
    static constexpr bool named_clear = requires { &Probe::on_clear; } != probed;
    static constexpr bool named_reset = requires { &Probe::on_reset; } != probed;
    // The owner builds the values of a column without a default constructor, as MapStorage does.
    static constexpr bool built_by_owner = requires { requires !O::builds_on_insert; };

    template <class Result>
    static constexpr bool is_void = std::is_void_v<Result>;
    static constexpr bool has_capacity = requires(O& o, slot_t slot) { requires is_void<decltype(o.on_capacity(slot, slot))>; };
    static constexpr bool has_insert =
        requires(O& o, slot_t slot) { requires is_void<decltype(o.on_insert(slot, InsertKind::fresh))>; } || built_by_owner;
    static constexpr bool has_remove =
        requires(O& o, slot_t slot) { requires noexcept(o.on_remove(slot)) && is_void<decltype(o.on_remove(slot))>; };
    static constexpr bool has_erase =
        requires(O& o, slot_t slot) { requires noexcept(o.on_erase(slot)) && is_void<decltype(o.on_erase(slot))>; };
    static constexpr bool has_clear =
        requires(O& o, Occupancy live) { requires noexcept(o.on_clear(live)) && is_void<decltype(o.on_clear(live))>; };
    static constexpr bool has_reset = requires(O& o) { requires noexcept(o.on_reset()) && is_void<decltype(o.on_reset())>; };

    static constexpr bool any = has_capacity || has_insert || has_remove || has_erase || has_clear || has_reset;
    static constexpr bool sound = named_capacity == has_capacity && (named_insert || built_by_owner) == has_insert &&
                                  named_remove == has_remove && named_erase == has_erase && named_clear == has_clear &&
                                  named_reset == has_reset;

    // Likely misspellings of the hooks with a fitting signature. Such functions would never be called.
    static constexpr bool misnamed_capacity =
        !named_capacity &&
        (
            requires(O& o, slot_t s) { o.on_capacity_changed(s, s); } ||
            requires(O& o, slot_t s) { o.on_capacity_change(s, s); } || requires(O& o, slot_t s) { o.on_reserve(s, s); } ||
            requires(O& o, slot_t s) { o.on_resize(s, s); } || requires(O& o, slot_t s) { o.on_grow(s, s); } ||
            requires(O& o, slot_t s) { o.onCapacity(s, s); } || requires(O& o, slot_t s) { o.OnCapacity(s, s); } ||
            requires(O& o, slot_t s) { o.on_reserve(s); } || requires(O& o, slot_t s) { o.on_resize(s); } ||
            requires(O& o, slot_t s) { o.on_grow(s); });
    static constexpr InsertKind fresh = InsertKind::fresh;
    static constexpr bool misnamed_insert =
        !named_insert &&
        (
            requires(O& o, slot_t s) { o.on_inserted(s, fresh); } || requires(O& o, slot_t s) { o.on_inserted(s); } ||
            requires(O& o, slot_t s) { o.on_add(s, fresh); } || requires(O& o, slot_t s) { o.on_add(s); } ||
            requires(O& o, slot_t s) { o.on_added(s, fresh); } || requires(O& o, slot_t s) { o.on_added(s); } ||
            requires(O& o, slot_t s) { o.on_create(s, fresh); } || requires(O& o, slot_t s) { o.on_create(s); } ||
            requires(O& o, slot_t s) { o.on_construct(s, fresh); } || requires(O& o, slot_t s) { o.on_construct(s); } ||
            requires(O& o, slot_t s) { o.onInsert(s, fresh); } || requires(O& o, slot_t s) { o.onInsert(s); } ||
            requires(O& o, slot_t s) { o.OnInsert(s, fresh); } || requires(O& o, slot_t s) { o.OnInsert(s); });
    static constexpr bool misnamed_remove =
        !named_remove && (
                             requires(O& o, slot_t s) { o.on_removed(s); } || requires(O& o, slot_t s) { o.onRemove(s); } ||
                             requires(O& o, slot_t s) { o.OnRemove(s); });
    static constexpr bool misnamed_erase =
        !named_erase && (
                            requires(O& o, slot_t s) { o.on_erased(s); } || requires(O& o, slot_t s) { o.on_delete(s); } ||
                            requires(O& o, slot_t s) { o.on_deleted(s); } || requires(O& o, slot_t s) { o.on_destroy(s); } ||
                            requires(O& o, slot_t s) { o.on_destroyed(s); } || requires(O& o, slot_t s) { o.onErase(s); } ||
                            requires(O& o, slot_t s) { o.OnErase(s); });
    static constexpr bool misnamed_clear =
        !named_clear && (
                            requires(O& o, Occupancy live) { o.on_cleared(live); } || requires(O& o) { o.on_cleared(); } ||
                            requires(O& o, Occupancy live) { o.onClear(live); } || requires(O& o) { o.onClear(); } ||
                            requires(O& o, Occupancy live) { o.OnClear(live); } || requires(O& o) { o.OnClear(); });
    static constexpr bool misnamed_reset =
        !named_reset && (
                            requires(O& o) { o.on_resetted(); } || requires(O& o) { o.on_was_reset(); } ||
                            requires(O& o) { o.onReset(); } || requires(O& o) { o.OnReset(); });
    static constexpr bool misnamed =
        misnamed_capacity || misnamed_insert || misnamed_remove || misnamed_erase || misnamed_clear || misnamed_reset;
};

/// Its errors name the type that is no static observer, and the hook.
template <class O>
struct CheckStaticObserver {
    using H = Hooks<O>;
    static_assert(
        H::named_capacity == H::has_capacity,
        "static observer: its on_capacity is not called; declare public: void on_capacity(slot_t old_slots, slot_t new_slots)");
    static_assert((H::named_insert || H::built_by_owner) == H::has_insert,
                  "static observer: its on_insert is not called; declare public: void on_insert(slot_t, InsertKind)");
    static_assert(H::named_remove == H::has_remove,
                  "static observer: its on_remove is not called; declare public: void on_remove(slot_t) noexcept");
    static_assert(H::named_erase == H::has_erase,
                  "static observer: its on_erase is not called; declare public: void on_erase(slot_t) noexcept");
    static_assert(H::named_clear == H::has_clear,
                  "static observer: its on_clear is not called; declare public: void on_clear(Occupancy) noexcept");
    static_assert(H::named_reset == H::has_reset,
                  "static observer: its on_reset is not called; declare public: void on_reset() noexcept");
    static_assert(!H::misnamed_capacity,
                  "static observer: on_reserve, on_resize, on_grow and the like are not called; name it on_capacity");
    static_assert(!H::misnamed_insert,
                  "static observer: on_inserted, on_add, on_create and the like are not called; name it on_insert");
    static_assert(!H::misnamed_remove, "static observer: on_removed and the like are not called; name it on_remove");
    static_assert(!H::misnamed_erase, "static observer: on_erased, on_destroy and the like are not called; name it on_erase");
    static_assert(!H::misnamed_clear, "static observer: on_cleared and the like are not called; name it on_clear");
    static_assert(!H::misnamed_reset, "static observer: onReset and the like are not called; name it on_reset");
    static_assert(H::any || !H::sound || H::misnamed,
                  "static observer: this type has no hook (on_capacity, on_insert, on_remove, on_erase, on_clear, on_reset); "
                  "for a column of values write Column<T>");
    static constexpr bool holds = H::any && H::sound && !H::misnamed;
};

using ObserverCell = BasicObserverCell<SlotObserver>;

/// Notifications of the dynamic observers. They do not know the static ones, so that containers of many types share them.
struct NotifyDynamic {
    SLOTWISE_NEVER_INLINE static void capacity(ObserverCell& cell, slot_t before, slot_t after) {
        cell.forward([&](SlotObserver& o, std::size_t) { o.on_capacity(before, after); });
    }
    /// If one throws, those notified get on_erase in reverse order.
    SLOTWISE_NEVER_INLINE static void insert(ObserverCell& cell, slot_t slot, InsertKind kind) {
        std::size_t notified = 0;
        const ObserverCell::Notification keep_positions(cell); // `notified` counts positions, which must not change
        ScopeGuard undo([&]() noexcept { erased(cell, notified, slot); });
        cell.forward([&](SlotObserver& o, std::size_t i) {
            notified = i;
            o.on_insert(slot, kind);
        });
        undo.dismiss();
    }
    SLOTWISE_NEVER_INLINE static void removed(ObserverCell& cell, std::size_t notified, slot_t slot) noexcept {
        cell.backward(notified, [&](SlotObserver& o) { o.on_remove(slot); });
    }
    SLOTWISE_NEVER_INLINE static void erased(ObserverCell& cell, std::size_t notified, slot_t slot) noexcept {
        cell.backward(notified, [&](SlotObserver& o) { o.on_erase(slot); });
    }
    /// One notification with two halves: an observer that attaches in the first half is not notified of the slot, and so not of
    /// its erase. @param between what static observers do then
    template <class Between>
    static void erase(ObserverCell& cell, slot_t slot, Between&& between) noexcept {
        const ObserverCell::Notification both(cell);
        const std::size_t notified = cell.count;
        removed(cell, notified, slot);
        between();
        erased(cell, notified, slot);
    }
    SLOTWISE_NEVER_INLINE static void clear(ObserverCell& cell, Occupancy live) noexcept {
        cell.backward(cell.count, [&](SlotObserver& o) { o.on_clear(live); });
    }
    SLOTWISE_NEVER_INLINE static void reset(ObserverCell& cell, std::size_t notified) noexcept {
        cell.backward(notified, [&](SlotObserver& o) { o.on_reset(); });
    }
    SLOTWISE_NEVER_INLINE static void detach(ObserverCell& cell) noexcept {
        cell.detach_all();
        ObserverCell::release(&cell);
    }
};

} // namespace detail

/// A static observer: a class with at least one hook of SlotObserver, with these names and signatures: on_capacity(slot_t,
/// slot_t) and on_insert(slot_t, InsertKind), which may throw; on_remove(slot_t), on_erase(slot_t), on_clear(Occupancy) and
/// on_reset(), which are noexcept. All are public and return nothing. A container that is given another type does not compile,
/// and the error names the type and the hook.
template <class O>
concept StaticObserver = detail::Hooks<O>::any && detail::Hooks<O>::sound && !detail::Hooks<O>::misnamed;

SLOTWISE_END

#endif
