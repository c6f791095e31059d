// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapParts: directory, store and observers of a slot map, and the steps in which they change together.
#ifndef SLOTWISE_MAP_SLOT_MAP_PARTS_HPP
#define SLOTWISE_MAP_SLOT_MAP_PARTS_HPP

#include "../slots/column_view.hpp"
#include "../slots/directory_check.hpp"
#include "../slots/observer_hub.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of SlotMapCore: state and steps, no interface. Each step leaves the three parts in agreement or has no effect.
template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers>
class SlotMapParts {
protected:
    using Directory = SlotDirectory<O.handle, O.exhaustion, O.reuse, Allocator>;
    using Hub = ObserverHub<Observers...>;
    using handle_type = Handle<Tag, O.handle>;

    constexpr SlotMapParts() = default;
    constexpr explicit SlotMapParts(const Allocator& alloc)
        : directory_(alloc), store_(alloc), hub_(alloc), allocator_(alloc) {}
    constexpr SlotMapParts(const SlotMapParts& other, const Allocator& alloc)
        : directory_(settled(other).directory_, alloc), store_(alloc), hub_(other.hub_, directory_.occupancy()),
          allocator_(alloc) {
        // The elements last: if a column's copy throws there are none to destroy, and no store knows by itself which of them
        // live.
        Store elements(other.store_, directory_.occupancy(), directory_.capacity(), alloc, [&](slot_t slot) {
            SLOTWISE_EXPECT(other.directory_.is_live(slot),
                            "slot map copy: the copy of an element changes the map that is copied");
        });
        if constexpr (!Store::trivial || sizeof...(Observers) != 0)
            SLOTWISE_EXPECT(directory_.same_handles(other.directory_),
                            "slot map copy: the copy of an element changes the map that is copied");
        store_.swap(elements);
    }
    constexpr SlotMapParts(SlotMapParts&& other) noexcept
        : directory_(std::move(other.directory_)), store_(std::move(other.store_)), hub_(std::move(other.hub_)),
          allocator_(other.allocator_) {}
    SlotMapParts(const SlotMapParts&) = delete;
    SlotMapParts& operator=(const SlotMapParts&) = delete;
    SlotMapParts& operator=(SlotMapParts&&) = delete;
    ~SlotMapParts() = default;

    static constexpr const SlotMapParts& settled(const SlotMapParts& other) noexcept {
        SLOTWISE_EXPECT(other.directory_.is_settled(),
                        "slot map copy: the source is inside an operation; its elements and observers must not copy it");
        return other;
    }

    static constexpr std::size_t max_slots() noexcept {
        constexpr std::size_t limit =
            O.max_slots != 0 && O.max_slots < Directory::max_slots ? O.max_slots : Directory::max_slots;
        return limit < Store::max_slots ? limit : Store::max_slots;
    }

    // Neither construction nor destruction of T, nor destruction of a column's value, runs user code.
    static constexpr bool trivial = Store::trivial && Hub::trivial;

    constexpr detail::DirectoryView directory_view() const noexcept {
        return {directory_.occupancy(), directory_.versions(), sizeof(typename Directory::version_type)};
    }

    template <class... Args>
    constexpr handle_type place(Args&&... args) {
        if constexpr (trivial && Hub::nothrow_insert && Store::template builds_nothrow<Args...>) {
            if (hub_.dynamic()) [[unlikely]]
                return place_notifying(std::forward<Args>(args)...);
            const slot_t slot = directory_.acquire_live();
            store_.construct(slot, std::forward<Args>(args)...);
            hub_.insert_nothrow(slot);
            return handle_type(slot, directory_.version(slot));
        } else
            return place_guarded(std::forward<Args>(args)...);
    }
    template <class... Args>
    SLOTWISE_NEVER_INLINE handle_type place_notifying(Args&&... args) {
        return place_guarded(std::forward<Args>(args)...);
    }
    template <class... Args>
    constexpr handle_type place_guarded(Args&&... args) {
        const bool fresh = directory_.next_is_fresh();
        const slot_t slot = directory_.acquire();
        ScopeGuard undo([&]() noexcept { directory_.undo_acquire(slot, fresh); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory_.commit(slot);
        return handle_type(slot, directory_.version(slot));
    }
    template <class... Args>
    constexpr auto place_at(slot_t slot, std::uint32_t version, Args&&... args) {
        const slot_t cursor = directory_.cursor();
        const std::uint32_t before = directory_.take(slot, version);
        ScopeGuard undo([&]() noexcept { directory_.undo_take(slot, before, cursor); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory_.commit(slot);
        return store_.ptr(slot);
    }
    template <class... Args>
    constexpr void build(slot_t slot, Args&&... args) {
        store_.construct(slot, std::forward<Args>(args)...);
        notify_insert(slot);
    }
    constexpr void notify_insert(slot_t slot) {
        ScopeGuard undo([&]() noexcept { store_.destroy(slot); });
        hub_.insert(slot, InsertKind::fresh);
        undo.dismiss();
    }
    SLOTWISE_ALWAYS_INLINE constexpr void do_erase(slot_t slot) noexcept(Store::nothrow_destroy) {
        expect_not_notifying();
        if constexpr (trivial) {
            if (hub_.dynamic()) [[unlikely]]
                return erase_notifying(slot);
            directory_.erase(slot);
            hub_.erase_static(slot);
            store_.destroy(slot);
        } else
            erase_guarded(slot);
    }
    SLOTWISE_NEVER_INLINE void erase_notifying(slot_t slot) noexcept(Store::nothrow_destroy) { erase_guarded(slot); }
    // The slot is blocked until its value is destroyed: the destructor may insert.
    constexpr void erase_guarded(slot_t slot) noexcept(Store::nothrow_destroy) {
        store_.move_to_last_row(slot);
        directory_.remove(slot);
        hub_.erase(slot);
        store_.destroy(slot);
        directory_.release(slot);
    }
    constexpr bool room_for(slot_t slot) {
        if (slot < directory_.capacity()) return true;
        const std::size_t budget = 8 * (directory_.size() + 1), most = budget < min_slot_budget ? min_slot_budget : budget;
        if (slot >= most) return false;
        const std::size_t need = std::size_t{slot} + 1, limit = most < max_slots() ? most : max_slots(),
                          usual = hub_.grown_capacity(store_.grown_capacity()); // or ascending slots would grow one by one
        do_reserve(need > usual ? need : usual < limit ? usual : limit);
        return true;
    }
    // What insert_at may claim although there are few elements. Relative to the capacity instead, 13 chosen handles, each for
    // the last slot allowed, took a map to 268 million slots.
    static constexpr std::size_t slot_bytes = Store::slot_bytes + Hub::slot_bytes;
    static constexpr std::size_t min_slot_budget = slot_bytes <= 64 ? 65536 : (std::size_t{1} << 22) / slot_bytes;
    SLOTWISE_COLD constexpr void grow() {
        if (directory_.capacity() >= max_slots())
            detail::throw_length_error(
                "slot map insert: every slot that the handle can name is in use or retired; use more index bits, "
                "or see recycle_retired()");
        const std::size_t want = hub_.grown_capacity(store_.grown_capacity());
        do_reserve(want < max_slots() ? want : max_slots());
    }
    SLOTWISE_COLD constexpr void do_reserve(std::size_t slots) {
        store_.reserve(slots, directory_.size());
        const std::size_t room = hub_.capacity_for(slots, store_.capacity() < max_slots() ? store_.capacity() : max_slots());
        const std::size_t before = directory_.capacity();
        if (!directory_.covers(room)) {
            auto more = directory_.prepare(room, allocator_);
            hub_.capacity(before, room);
            directory_.adopt(more);
        } else
            hub_.capacity(before, room);
        directory_.set_capacity(room);
    }
    constexpr void notify_shrink(std::size_t before, std::size_t after) noexcept {
        if (before != after) hub_.capacity(before, after);
    }

    // The contents of `other` become ours; our dynamic observers stay and hear of it, `other` dies with our old elements.
    constexpr void adopt(SlotMapParts& other) {
        typename Hub::Exchange exchange(hub_, directory_.occupancy());
        hub_.swap(other.hub_);
        hub_.swap_dynamic(other.hub_);
        directory_.swap(other.directory_);
        store_.swap(other.store_);
        exchange_allocators(allocator_, other.allocator_);
        if (!exchange.needed()) return;
        ScopeGuard undo([this]() noexcept {
            hub_.clear_static(directory_.occupancy());
            destroy_unobserved();
        });
        exchange.replay(directory_.capacity(), directory_.occupancy(), [](auto&&) {});
        undo.dismiss();
    }
    constexpr void swap_contents(SlotMapParts& other) noexcept {
        directory_.swap(other.directory_);
        store_.swap(other.store_);
        hub_.swap(other.hub_);
        exchange_allocators(allocator_, other.allocator_);
    }
    // After the elements were moved from one by one: destroyed without a word to observers, which have gone with the contents.
    constexpr void destroy_unobserved() noexcept {
        const slot_t end = directory_.begin_clear();
        store_.destroy_all(directory_, end);
        directory_.end_clear(end);
    }
    constexpr void expect_not_notifying() const noexcept {
        SLOTWISE_EXPECT_DEBUG(!hub_.notifying(), "slot map: an observer changes the container that is notifying it");
    }

    Directory directory_{};
    Store store_{};
    Hub hub_{};
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator_{};
    bool clearing_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
