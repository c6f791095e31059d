// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets and maps of ints with observers, and observers of them: a log cut up by names, and an observer that checks its
// notifications.
#ifndef SLOTWISE_TESTS_KEYED_EVENTS_HPP
#define SLOTWISE_TESTS_KEYED_EVENTS_HPP

#include "support/event_log.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <initializer_list>

namespace test {

using namespace slotwise;

template <bool Deferred, class... Columns>
using SetWith = SetStorage<int, Options<KeySetOptions{.deferred_erase = Deferred, .page_slots = 64}>, Columns...>;
template <bool Deferred, class... Columns>
using MapWith = MapStorage<int, int, Options<KeySetOptions{.deferred_erase = Deferred, .page_slots = 64}>, Columns...>;

template <class C>
auto add(C& container, int key) {
    if constexpr (requires { container.try_emplace(key, key); })
        return container.try_emplace(key, key);
    else
        return container.insert(key);
}

/// The events of one observer, without its name.
inline Events of(const std::string& name, const Events& all) {
    Events result;
    for (const auto& event : all)
        if (event.starts_with(name + " ")) result.push_back(event.substr(name.size() + 1));
    return result;
}
/// One event told to several, in this order.
inline Events told(std::initializer_list<const char*> names, std::initializer_list<const char*> events) {
    Events result;
    for (const char* event : events)
        for (const char* name : names) result.push_back(std::string(name) + " " + event);
    return result;
}
inline Events operator+(Events a, const Events& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Knows what it was notified of and whether that makes sense.
struct Witness final : SlotObserver {
    enum Is { unknown, live, pending };
    std::vector<Is> slots{};
    bool sound = true;

    void on_capacity(slot_t old_slots, slot_t new_slots) override {
        sound = sound && old_slots == slots.size();
        slots.resize(new_slots);
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        sound = sound && slot < slots.size() && slots[slot] == (kind == InsertKind::fresh ? unknown : pending);
        if (sound) slots[slot] = live;
    }
    void on_remove(slot_t slot) noexcept override {
        sound = sound && slot < slots.size() && slots[slot] == live;
        if (sound) slots[slot] = pending;
    }
    void on_erase(slot_t slot) noexcept override {
        sound = sound && slot < slots.size() && slots[slot] == pending;
        if (sound) slots[slot] = unknown;
    }
    void on_reset() noexcept override { slots.clear(); }

    template <class C>
    bool agrees_with(const C& container) const {
        bool same = sound && slots.size() == container.capacity();
        for (slot_t slot = 0; same && slot != slots.size(); ++slot) {
            const SlotState state = container.state(slot);
            same = (state == SlotState::live) == (slots[slot] == live) &&
                   (state == SlotState::pending) == (slots[slot] == pending);
        }
        return same;
    }
};

} // namespace test

#endif
