// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotFollower: the attached half of maps keyed by another map's handles.
#ifndef SLOTWISE_SLOTS_SLOT_FOLLOWER_HPP
#define SLOTWISE_SLOTS_SLOT_FOLLOWER_HPP

#include "slot_observer.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of a map that drops entries when their element goes. `Derived` has drop_slot(slot) noexcept, clear() noexcept and
/// erase_if(pred on handle). The attachment is the base's own: copies have none, moves take it along.
template <class Derived>
class SlotFollower : private SlotObserver {
public:
    /// Drops entries as their elements go from `map`, from now on; those whose element is gone already go now. One map at a time.
    /// @throws std::bad_alloc; nothing has changed then
    template <class Map>
    void attach_to(Map& map) {
        static_assert(std::is_same_v<typename Map::handle_type, typename Derived::handle_type>,
                      "attach_to(map): the map gives handles of another type");
        token_ = map.attach(static_cast<SlotObserver&>(*this));
        self().erase_if([&](auto handle, const auto&...) { return !map.contains(handle); });
    }
    /// Follows no map any more; entries stay.
    void detach() noexcept { token_.detach(); }
    /// Whether it follows a map.
    bool attached() const noexcept { return token_.attached(); }

protected:
    SlotFollower() = default;
    SlotFollower(const SlotFollower&) noexcept {}
    SlotFollower(SlotFollower&& other) noexcept { swap_token(other); }
    SlotFollower& operator=(const SlotFollower&) = delete;
    ~SlotFollower() = default;
    /// Exchanges the attachments; for swap.
    void swap_token(SlotFollower& other) noexcept { ObserverToken::exchange(token_, *this, other.token_, other); }

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }

    void on_erase(slot_t slot) noexcept final { self().drop_slot(slot); }
    void on_clear(Occupancy slots) noexcept final {
        slots.for_each([this](slot_t slot) { self().drop_slot(slot); });
    }
    void on_reset() noexcept final { self().clear(); }

    ObserverToken token_;
};

} // namespace detail
SLOTWISE_END

#endif
