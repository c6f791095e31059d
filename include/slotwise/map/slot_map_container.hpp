// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapContainer: a SlotContainer that chooses the slot of a new element, and the steps that insert one.
#ifndef SLOTWISE_MAP_SLOT_MAP_CONTAINER_HPP
#define SLOTWISE_MAP_SLOT_MAP_CONTAINER_HPP

#include "../slots/slot_container.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class Store, SlotMapOptions O, class Allocator, class... Observers>
using SlotMapBase =
    SlotContainer<Store, SlotContainerOptions{O.handle, O.exhaustion, O.reuse, O.max_slots}, Allocator, Observers...>;

/// State and steps without an interface. Each step leaves the parts consistent or has no effect.
template <class Store, SlotMapOptions O, class Allocator, class... Observers>
class SlotMapContainer : public SlotMapBase<Store, O, Allocator, Observers...> {
public:
    using Base = SlotMapBase<Store, O, Allocator, Observers...>;
    using Base::Base;
    using Base::directory;
    using Base::hub;
    using Base::store;
    using typename Base::Hub;

    /// Room for one more element, or a std::length_error when no slot is left.
    constexpr void reserve_one() {
        if (!directory.has_room()) [[unlikely]]
            Base::grow("slot map insert: every slot that the handle can name is in use or retired; use more index bits, "
                       "or see recycle_retired()");
    }
    /// Adds an element; returns its handle, an H. @pre there is room
    template <class H, class... Args>
    constexpr H do_emplace(Args&&... args) {
        if constexpr (Base::trivial && Hub::nothrow_insert && Store::template builds_nothrow<Args...>) {
            if (hub.dynamic()) [[unlikely]]
                return emplace_notifying<H>(std::forward<Args>(args)...);
            const slot_t slot = directory.acquire_live();
            store.construct(slot, std::forward<Args>(args)...);
            hub.insert_nothrow(slot);
            return H(slot, directory.version(slot));
        } else
            return emplace_guarded<H>(std::forward<Args>(args)...);
    }
    /// Adds the element make(slot). Its version is skipped if anything throws.
    template <class Make>
    constexpr slot_t do_insert_with(Make&& make) {
        const slot_t slot = directory.acquire();
        ScopeGuard undo([&]() noexcept { directory.skip_version(slot); });
        store.construct_with(slot, [&]() -> decltype(auto) { return make(slot); });
        notify_insert(slot);
        undo.dismiss();
        directory.commit(slot);
        return slot;
    }
    /// Builds the element of a reserved slot.
    template <class... Args>
    constexpr void do_fulfill(slot_t slot, Args&&... args) {
        directory.unreserve(slot);
        ScopeGuard undo([&]() noexcept { directory.undo_unreserve(slot); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory.commit(slot);
    }
    /// Adds an element in this slot at this version. @pre directory.can_take(slot, version) and slot < directory.capacity()
    template <class... Args>
    constexpr void do_insert_at(slot_t slot, std::uint32_t version, Args&&... args) {
        const slot_t cursor = directory.cursor();
        const std::uint32_t before = directory.take(slot, version);
        ScopeGuard undo([&]() noexcept { directory.undo_take(slot, before, cursor); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory.commit(slot);
    }

private:
    template <class H, class... Args>
    SLOTWISE_NEVER_INLINE H emplace_notifying(Args&&... args) {
        return emplace_guarded<H>(std::forward<Args>(args)...);
    }
    template <class H, class... Args>
    constexpr H emplace_guarded(Args&&... args) {
        const bool fresh = directory.next_is_fresh();
        const slot_t slot = directory.acquire();
        ScopeGuard undo([&]() noexcept { directory.undo_acquire(slot, fresh); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory.commit(slot);
        return H(slot, directory.version(slot));
    }
    /// Builds the element of an acquired slot and notifies observers. If anything throws, no observer knows of it.
    template <class... Args>
    constexpr void build(slot_t slot, Args&&... args) {
        store.construct(slot, std::forward<Args>(args)...);
        notify_insert(slot);
    }
    constexpr void notify_insert(slot_t slot) {
        ScopeGuard undo([&]() noexcept { store.destroy(slot); });
        hub.insert(slot, InsertKind::fresh);
        undo.dismiss();
    }
};

} // namespace detail
SLOTWISE_END

#endif
