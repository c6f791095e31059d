// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ObserverArray alone: which subscribers are notified of which slot and key, and what it costs the others.
#include "subscribers.hpp"

#include "support/allocators.hpp"
#include "support/maps.hpp"

#include <slotwise/map/slot_map.hpp>

#include <map>
#include <memory>
#include <set>

using namespace test;

namespace {

using Numbers = ObserverArray<int>;
static_assert(std::is_nothrow_move_constructible_v<Numbers> && !std::is_copy_constructible_v<Numbers>);
static_assert(!std::is_copy_constructible_v<Subscription<>> && std::is_nothrow_move_constructible_v<Subscription<>>);

/// What a container would do: slot of each key, and telling what happens.
template <class Array>
class Owner {
public:
    Array array{};
    std::map<slot_t, int> keys{};

    void enter(slot_t slot, int key) {
        array.cover(std::size_t{slot} + 1);
        const bool watched = array.is_watched(key);
        keys[slot] = key;
        if (watched) array.watch(slot);
        array.mark(slot);
    }
    void leave(slot_t slot) {
        array.mark(slot);
        array.drop(slot);
        keys.erase(slot);
    }
    void notify(std::int64_t time) {
        array.notify(
            time, static_cast<std::uint64_t>(time), [this](slot_t slot) { visited.push_back(slot); },
            [this](slot_t slot) { return keys.at(slot); });
    }
    std::vector<slot_t> visited{};
};

} // namespace

TEST_CASE("an array without subscribers is unused and does nothing", "[observer_array]") {
    EveryByteReturned bytes;
    ObserverArray<int, AllocBy<StatefulAllocator<int>>> array{StatefulAllocator<int>(1)};
    const auto before = Ledger::allocations();
    CHECK(array.unused());
    CHECK_FALSE(array.any_marked());
    CHECK_FALSE(array.is_watched(1));
    CHECK_FALSE(array.mark_always(3));
    array.mark(0);
    array.mark(1000);
    array.drop(0);
    array.on_erase(1000);
    array.on_clear({});
    array.on_reset();
    array.rewatch([](int) -> slot_t { return no_slot; });
    array.notify(
        1, 1, [](slot_t) { FAIL("nobody is to be visited"); }, [](slot_t) { return 0; });
    CHECK(array.unused());
    CHECK(Ledger::allocations() == before);
}

TEST_CASE("slots and keys without subscribers cost two bits a slot", "[observer_array]") {
    EveryByteReturned bytes;
    ObserverArray<int, AllocBy<StatefulAllocator<int>>> array{StatefulAllocator<int>(1)};
    Listener one("one");
    const auto token = array.subscribe(7, no_slot, one);
    const auto few = Ledger::live_bytes(1);
    array.cover(1'000'000);
    CHECK(Ledger::live_bytes(1) < few + 1'000'000 / 8 * 9 / 4); // two bits, and a little for the summary
    const auto before = Ledger::allocations();
    for (slot_t slot = 0; slot < 1'000'000; slot += 3) {
        array.mark(slot); // not watched
        array.drop(slot);
    }
    CHECK_FALSE(array.any_marked());
    CHECK(Ledger::allocations() == before);
}

TEST_CASE("a subscriber of a slot is notified of its element until that is erased", "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner;
    Listener a("a");
    owner.enter(3, 30);
    owner.notify(1);
    auto token = owner.array.subscribe_slot(3, a);
    CHECK(token.attached());
    CHECK_FALSE(owner.array.unused());
    owner.notify(2);
    CHECK(TickLog::take().empty()); // not woken
    owner.array.mark(3);
    CHECK(owner.array.any_marked());
    owner.notify(3);
    CHECK_FALSE(owner.array.any_marked());
    CHECK(TickLog::take() == Ticks{"a element 3 3"});
    owner.leave(3);
    CHECK_FALSE(token.attached());
    owner.notify(4);
    owner.enter(3, 31); // another in the same slot
    owner.notify(5);
    CHECK(TickLog::take().empty());
}

TEST_CASE("a subscriber of a key waits for it, is notified of it, and waits again, in any slot", "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner;
    Listener a("a");
    const auto token = owner.array.subscribe(30, no_slot, a);
    CHECK(owner.array.is_watched(30));
    CHECK_FALSE(owner.array.is_watched(31));
    owner.enter(3, 31);
    owner.notify(1);
    CHECK(TickLog::take().empty());
    owner.enter(200, 30);
    owner.notify(2);
    CHECK(TickLog::take() == Ticks{"a element 200 2"});
    owner.leave(200);
    owner.enter(200, 32);
    owner.array.mark(200);
    owner.notify(3);
    CHECK(TickLog::take().empty());
    owner.enter(4, 30);
    owner.notify(4);
    CHECK(TickLog::take() == Ticks{"a element 4 4"});
    CHECK(token.attached());
}

TEST_CASE("slots are notified in slot order, subscribers of a slot before those of its key, both in the order of subscription",
          "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner;
    Listener a("a"), b("b"), c("c"), d("d");
    for (const slot_t slot : {slot_t{5000}, slot_t{2}, slot_t{70}}) owner.enter(slot, static_cast<int>(slot) * 10);
    const auto key_b = owner.array.subscribe(50'000, 5000, b);
    const auto key_a = owner.array.subscribe(50'000, 5000, a);
    const auto slot_c = owner.array.subscribe_slot(5000, c);
    const auto slot_a = owner.array.subscribe_slot(5000, a);
    const auto slot_d = owner.array.subscribe_slot(2, d);
    const auto key_d = owner.array.subscribe(700, 70, d);
    for (const slot_t slot : {slot_t{5000}, slot_t{70}, slot_t{2}}) owner.array.mark(slot);
    owner.notify(1);
    CHECK(TickLog::take() == Ticks{"d element 2 1", "d element 70 1", "c element 5000 1", "a element 5000 1",
                                   "b element 5000 1", "a element 5000 1"}); // each subscription
    CHECK(owner.visited == std::vector<slot_t>{2, 70, 5000});
}

TEST_CASE("no subscriber is notified twice of one window, and each once of the next", "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner;
    Listener a("a"), b("b");
    owner.enter(1, 10);
    const auto token = owner.array.subscribe(10, 1, a);
    owner.array.mark(1);
    owner.array.mark(1);
    owner.notify(1);
    owner.array.mark(1);
    const auto late = owner.array.subscribe_slot(1, b);
    owner.notify(1); // the same window: only the subscriber not notified of it
    CHECK(TickLog::take() == Ticks{"a element 1 1", "b element 1 1"});
    owner.array.mark(1);
    owner.notify(2);
    CHECK(TickLog::take() == Ticks{"b element 1 2", "a element 1 2"});
}

TEST_CASE("a slot can be visited without having subscribers", "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner;
    CHECK_FALSE(owner.array.mark_always(1));
    owner.array.cover(100);
    CHECK_FALSE(owner.array.unused()); // it was made ready
    CHECK(owner.array.mark_always(99));
    CHECK_FALSE(owner.array.mark_always(100'000));
    owner.notify(1);
    CHECK(owner.visited == std::vector<slot_t>{99});
    CHECK(TickLog::take().empty());
}

TEST_CASE("tokens keep their subscribers in any order of ends", "[observer_array]") {
    TickLog::take();
    Listener a("a"), b("b");
    SECTION("the token goes first") {
        Owner<Numbers> owner;
        owner.enter(1, 10);
        { const auto token = owner.array.subscribe(10, 1, a); }
        owner.array.mark(1);
        owner.notify(1);
        CHECK(TickLog::take().empty());
    }
    SECTION("the array goes first") {
        auto owner = std::make_unique<Owner<Numbers>>();
        owner->enter(1, 10);
        Subscription<> key = owner->array.subscribe(10, 1, a), slot = owner->array.subscribe_slot(1, b), none;
        owner.reset();
        CHECK_FALSE(key.attached());
        CHECK_FALSE(slot.attached());
        slot.detach();
        none = std::move(key);
        CHECK_FALSE(none.attached());
    }
    SECTION("a token moves") {
        Owner<Numbers> owner;
        owner.enter(1, 10);
        Subscription<> first = owner.array.subscribe(10, 1, a), second = owner.array.subscribe(10, 1, b);
        Subscription<> moved = std::move(first);
        CHECK_FALSE(first.attached());
        second = std::move(moved); // b is subscribed no more
        owner.array.mark(1);
        owner.notify(1);
        CHECK(TickLog::take() == Ticks{"a element 1 1"});
    }
    SECTION("one subscriber twice") {
        Owner<Numbers> owner;
        owner.enter(1, 10);
        Subscription<> first = owner.array.subscribe(10, 1, a);
        const Subscription<> second = owner.array.subscribe(10, 1, a);
        first.detach();
        CHECK(second.attached());
        owner.array.mark(1);
        owner.notify(1);
        CHECK(TickLog::take() == Ticks{"a element 1 1"});
    }
}

TEST_CASE("moved and swapped, an array takes its subscribers along", "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner, other;
    Listener a("a"), b("b");
    owner.enter(1, 10);
    other.enter(2, 20);
    const auto token = owner.array.subscribe(10, 1, a);
    const auto another = other.array.subscribe(20, 2, b);
    owner.array.swap(other.array);
    owner.keys.swap(other.keys);
    other.array.mark(1);
    other.notify(1);
    CHECK(TickLog::take() == Ticks{"a element 1 1"});
    Numbers moved(std::move(other.array));
    CHECK(other.array.unused());
    CHECK(token.attached());
    moved.on_reset();
    CHECK(moved.unused());
    CHECK_FALSE(token.attached());
    CHECK(another.attached());
}

TEST_CASE("when all elements are exchanged, keys find their new slots and subscriptions to slots end", "[observer_array]") {
    TickLog::take();
    Owner<Numbers> owner;
    Listener a("a"), b("b"), c("c");
    owner.enter(1, 10);
    owner.enter(2, 20);
    const auto ten = owner.array.subscribe(10, 1, a), twenty = owner.array.subscribe(20, 2, b);
    const auto one = owner.array.subscribe_slot(1, c);
    owner.array.mark(1);
    owner.array.cover(500);
    owner.keys = {{2, 30}, {400, 10}};
    owner.array.rewatch([](int key) { return key == 10 ? slot_t{400} : no_slot; });
    CHECK_FALSE(one.attached());
    CHECK((ten.attached() && twenty.attached()));
    CHECK_FALSE(owner.array.any_marked());
    for (const slot_t slot : {slot_t{1}, slot_t{2}, slot_t{400}}) owner.array.mark(slot);
    owner.notify(1);
    CHECK(TickLog::take() == Ticks{"a element 400 1"});
}

TEST_CASE("an array that follows a container as an observer is notified of erased elements", "[observer_array]") {
    TickLog::take();
    SlotMap<int, Numbers> map;
    auto& array = map.observer<0>();
    Listener a("a"), b("b");
    const auto first = map.insert(10), second = map.insert(20);
    const auto one = array.subscribe_slot(first.index(), a), two = array.subscribe_slot(second.index(), b);
    array.mark(first.index());
    map.erase(first);
    CHECK_FALSE(one.attached());
    CHECK(two.attached());
    CHECK_FALSE(array.any_marked());
    map.clear();
    CHECK_FALSE(two.attached());
}

TEST_CASE("keys without subscribers are forgotten", "[observer_array]") {
    EveryByteReturned bytes;
    ObserverArray<int, AllocBy<StatefulAllocator<int>>> array{StatefulAllocator<int>(1)};
    Listener a("a");
    const auto lasting = array.subscribe(-1, no_slot, a);
    for (int i = 0; i != 100; ++i) static_cast<void>(array.subscribe(i, no_slot, a));
    const auto early = Ledger::live_bytes(1);
    for (int i = 100; i != 20'000; ++i) static_cast<void>(array.subscribe(i, no_slot, a));
    CHECK(Ledger::live_bytes(1) == early);
    CHECK(array.is_watched(-1));
    CHECK_FALSE(array.is_watched(5));
    CHECK(lasting.attached());
}

TEST_CASE("an array whose memory runs out has the subscribers it had", "[observer_array][throwing][throws]") {
    EveryByteReturned bytes;
    using Failing = ObserverArray<int, AllocBy<ThrowingAllocator<int>>>;
    const auto failures = fail_at_every_step(swept<Failing>("subscribe"), [](auto&& attempt) {
        TickLog::take();
        Owner<Failing> owner;
        Listener a("a"), b("b");
        owner.enter(1, 10);
        owner.enter(900, 9000);
        Subscription<> token, slot;
        const auto first = owner.array.subscribe(10, 1, a);
        const bool threw = attempt([&] {
            token = owner.array.subscribe(9000, 900, b);
            slot = owner.array.subscribe_slot(900, b);
            owner.array.cover(5000);
        });
        REQUIRE(first.attached());
        owner.array.mark(1);
        owner.array.mark(900);
        owner.notify(1);
        const Ticks ticks = TickLog::take();
        REQUIRE(ticks.front() == "a element 1 1");
        REQUIRE(ticks.size() == 1u + token.attached() + slot.attached());
        REQUIRE((threw || ticks.size() == 3));
    });
    CHECK(failures > 2);
}

TEST_CASE("random subscriptions are notified as a model says", "[observer_array][model]") {
    Random random(3);
    Owner<Numbers> owner;
    struct Entry {
        std::unique_ptr<Listener> listener;
        int key;
        slot_t slot; // no_slot: of the key
        Subscription<> token;
    };
    std::vector<Entry> entries;
    std::map<int, slot_t> slots; // of keys
    std::set<slot_t> woken;
    TickLog::take();
    for (std::int64_t time = 1; time != 600; ++time) {
        woken.clear();
        for (int i = 0; i != 6; ++i) {
            const int key = static_cast<int>(random.below(40));
            const auto at = slots.find(key);
            switch (random.below(5)) {
            case 0:
                if (at == slots.end()) {
                    auto slot = static_cast<slot_t>(random.below(300));
                    while (owner.keys.contains(slot)) ++slot;
                    owner.enter(slot, key);
                    slots[key] = slot;
                    woken.insert(slot);
                }
                break;
            case 1:
                if (at != slots.end()) {
                    owner.leave(at->second);
                    woken.erase(at->second);
                    for (auto& entry : entries)
                        if (entry.slot == at->second) entry.slot = no_slot, entry.key = -1; // ended
                    slots.erase(at);
                }
                break;
            case 2:
                if (at != slots.end()) {
                    owner.array.mark(at->second);
                    woken.insert(at->second);
                }
                break;
            case 3: {
                auto listener = std::make_unique<Listener>("x");
                const bool of_slot = at != slots.end() && random.chance(50);
                auto token = of_slot ? owner.array.subscribe_slot(at->second, *listener)
                                     : owner.array.subscribe(key, at == slots.end() ? no_slot : at->second, *listener);
                // A subscriber added when the slot was marked already may or may not be notified: mark the slot.
                if (at != slots.end()) {
                    owner.array.mark(at->second);
                    woken.insert(at->second);
                }
                entries.push_back({std::move(listener), of_slot ? -1 : key, of_slot ? at->second : no_slot, std::move(token)});
                break;
            }
            default:
                if (!entries.empty() && random.chance(80)) {
                    const auto which = random.below(entries.size());
                    std::swap(entries[which], entries.back());
                    entries.pop_back();
                }
            }
        }
        owner.notify(time);
        bool sound = true;
        for (auto& entry : entries) {
            const slot_t slot = entry.slot != no_slot ? entry.slot : slots.contains(entry.key) ? slots.at(entry.key) : no_slot;
            // An element marked before the first subscription has no subscriber in `entries`.
            const bool expected = slot != no_slot && woken.contains(slot);
            sound = sound && std::exchange(entry.listener->told, 0) == (expected ? 1 : 0) &&
                    entry.token.attached() == (entry.slot != no_slot || entry.key != -1);
        }
        CAPTURE(time);
        REQUIRE(sound);
        REQUIRE_FALSE(owner.array.any_marked());
    }
    TickLog::take();
}
