// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the tests of keyed containers under failures have in common: keys, hashes and equality that throw, a container with a
// history, and the comparison with an untouched twin.
//     KeyScene<Set> scene(20), twin(20);  ...  require_twins(scene, twin);
#ifndef SLOTWISE_TESTS_KEYED_SCENE_HPP
#define SLOTWISE_TESTS_KEYED_SCENE_HPP

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/event_log.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"
#include "support/twins.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>

#include <map>
#include <string>
#include <tuple>

namespace test {

//=== hash and equality ===//

/// Of whatever number() reads. Each call spends the budget.
struct ThrowingHash {
    template <class T>
    std::size_t operator()(const T& key) const {
        Budget::spend();
        return static_cast<std::size_t>(number(key)) * 7;
    }
};
struct ThrowingEqual {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        Budget::spend();
        return number(a) == number(b);
    }
};
struct NumberHash {
    template <class T>
    std::size_t operator()(const T& key) const noexcept {
        return static_cast<std::size_t>(number(key));
    }
};

//=== sets and maps under one set of verbs ===//

template <class C>
inline constexpr bool is_keyed_map = requires { typename C::mapped_type; };

/// A key made of `n`; a map's value is made of 10 * n.
template <class C>
auto enter(C& c, int n) {
    if constexpr (is_keyed_map<C>)
        return c.try_emplace(typename C::key_type(n), 10 * n);
    else if constexpr (std::is_move_constructible_v<typename C::key_type>)
        return c.insert(typename C::key_type(n));
    else
        return c.emplace(n);
}
template <class C>
bool leave(C& c, int n) {
    const typename C::key_type key(n);
    return c.erase(key);
}
template <class C>
bool has(const C& c, int n) {
    const typename C::key_type key(n);
    return c.contains(key);
}

/// Slot, handle, state, key and value of everything that is readable, in slot order.
template <class C>
auto state_of(const C& c) {
    std::vector<std::tuple<slot_t, std::uint64_t, SlotState, int, int>> all;
    for (std::size_t i = 0; i < c.capacity(); ++i) {
        const auto slot = static_cast<slot_t>(i);
        const SlotState state = c.state(slot);
        if (state != SlotState::live && state != SlotState::pending) continue;
        int value = 0;
        if constexpr (is_keyed_map<C>) value = number(c.value(slot));
        all.emplace_back(slot, std::uint64_t{c.handle_at(slot).to_bits()}, state, number(c.key(slot)), value);
    }
    return all;
}
/// Pending slots, oldest first.
template <class C>
auto pending_of(const C& c) {
    std::vector<slot_t> order;
    c.for_each_pending([&](slot_t slot) { order.push_back(slot); });
    return order;
}
/// The handles that the next inserts of new keys give, with erases among them; changes the container.
template <class C>
auto future_of(C& c, int count = 30) {
    std::vector<typename C::handle_type> given;
    for (int i = 0; i != count; ++i) {
        given.push_back(c.handle_at(enter(c, 10'000 + i).it.slot()));
        if (i % 3 == 2) c.erase(given[given.size() - 2]);
        if (i % 10 == 9) c.flush_removed();
    }
    return given;
}

//=== with a history ===//

template <class C>
struct KeyScene {
    using handle_type = typename C::handle_type;
    C c{};
    std::vector<handle_type> handles{}; // ever issued

    /// Keys 0 to count - 1 of which four were erased, one of them came again; an order of free slots that is not trivial, and
    /// with deferred erase pending elements. The same at each call.
    explicit KeyScene(int count) {
        for (int i = 0; i != count; ++i) handles.push_back(c.handle_at(enter(c, i).it.slot()));
        for (const int i : {count / 2, 1, count - 2, 3}) leave(c, i);
        if (count > 8) {
            c.flush_removed();
            handles.push_back(c.handle_at(enter(c, 1).it.slot()));
            leave(c, 5);
            leave(c, 2);
        }
    }
    bool sound() const { return c.check_invariants(); }
};

/// Same elements, same answers about every handle ever issued, same handles in future. Uses both up.
template <class Scene>
void require_twins(Scene& a, Scene& b) {
    REQUIRE(a.c.check_invariants());
    REQUIRE(a.c.size() == b.c.size());
    REQUIRE(a.c.pending() == b.c.pending());
    REQUIRE(a.c.retired() == b.c.retired());
    REQUIRE(state_of(a.c) == state_of(b.c));
    REQUIRE(pending_of(a.c) == pending_of(b.c));
    for (const auto handle : a.handles) {
        REQUIRE(a.c.contains(handle) == b.c.contains(handle));
        REQUIRE(a.c.explain(handle) == b.c.explain(handle));
    }
    REQUIRE(future_of(a.c) == future_of(b.c));
    REQUIRE(a.c.check_invariants());
    a.c.clear();
    b.c.clear();
    REQUIRE(future_of(a.c) == future_of(b.c));
    REQUIRE(a.c.check_invariants());
}

/// Runs act(scene), which calls `function`, with a failure at every step, for scenes with room and for scenes where the next
/// insert grows slots or index.
template <class C, class Act>
void strong(const char* function, Act act, std::size_t least_failures = 1,
            std::initializer_list<int> counts = {0, 5, 20, 64, 67}) {
    strong_beside_twins<C, KeyScene<C>>(function, act, least_failures, counts);
}

//=== an observer that may throw and knows what it should hear ===//

/// Notified of exactly the slots whose key is there, and never of a slot beyond the capacity.
struct KeyFollower final : SlotObserver {
    std::map<slot_t, SlotState> known{};
    slot_t slots = 0;
    bool sound = true;
    void on_capacity(slot_t, slot_t new_slots) override {
        if (new_slots > slots) Budget::spend();
        slots = new_slots;
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        Budget::spend();
        const bool again = kind == InsertKind::resurrected;
        sound = sound && slot < slots && known.contains(slot) == again && (!again || known[slot] == SlotState::pending);
        known[slot] = SlotState::live;
    }
    void on_remove(slot_t slot) noexcept override {
        const auto at = known.find(slot);
        sound = sound && at != known.end() && at->second == SlotState::live;
        if (at != known.end()) at->second = SlotState::pending;
    }
    void on_erase(slot_t slot) noexcept override { sound = known.erase(slot) == 1 && sound; }
    void on_reset() noexcept override {
        known.clear();
        slots = 0;
    }
    template <class C>
    bool follows(const C& c) const {
        std::map<slot_t, SlotState> expected;
        for (const auto& each : state_of(c)) expected[std::get<0>(each)] = std::get<2>(each);
        return sound && known == expected;
    }
};

//=== whole containers ===//

/// Enters `count` numbers from `first` on, and lets every fifth leave.
template <class C>
void fill(C& c, int first, int count) {
    for (int i = 0; i != count; ++i) enter(c, first + i);
    for (int i = 4; i < count; i += 5) leave(c, first + i);
}
/// Whether nothing that can be seen differs.
template <class C>
bool same(const C& a, const C& b) {
    return a.check_invariants() && state_of(a) == state_of(b) && pending_of(a) == pending_of(b) && a == b;
}

//=== what fails ===//

template <class Key, KeySetOptions O = KeySetOptions{}, class... Columns>
using FailingSet =
    SetStorage<Key, HashBy<ThrowingHash>, EqualBy<ThrowingEqual>, Options<O>, AllocBy<ThrowingAllocator<Key>>, Columns...>;
template <class Key, class T, KeySetOptions O = KeySetOptions{}, class... Columns>
using FailingMap =
    MapStorage<Key, T, HashBy<ThrowingHash>, EqualBy<ThrowingEqual>, Options<O>, AllocBy<ThrowingAllocator<Key>>, Columns...>;

inline constexpr KeySetOptions at_once{.reuse = Reuse::lowest, .page_slots = 64};
inline constexpr KeySetOptions deferred{.deferred_erase = true, .reuse = Reuse::lifo, .page_slots = 64};
inline constexpr KeySetOptions deferred_fifo{.deferred_erase = true, .reuse = Reuse::fifo, .page_slots = 64};

} // namespace test

#endif
