// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every check of the keyed headers: misuse ends the program with a message that says what was wrong.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/map_view.hpp>

using namespace test;

namespace {

constexpr KeySetOptions deferring{.deferred_erase = true};
using Map = MapStorage<int, int>;

/// Slot 0 live, slot 1 free, slot 2 live.
template <class C>
C with_hole() {
    C c;
    for (int i = 0; i != 3; ++i)
        if constexpr (requires { typename C::mapped_type; })
            c.try_emplace(i, 10 * i);
        else
            c.insert(i);
    c.erase(1);
    return c;
}
struct Calls {
    static inline std::function<void()> on_destroy{};
    int number = 0;
    Calls(int n = 0) noexcept : number(n) {}
    Calls(const Calls&) = default;
    Calls& operator=(const Calls&) = default;
    ~Calls() {
        if (on_destroy && number == 7) on_destroy();
    }
};
struct Meddler final : SlotObserver {
    std::function<void()> act{};
    bool during_erase = false;
    void on_insert(slot_t, InsertKind) override {
        if (!during_erase) act();
    }
    void on_remove(slot_t) noexcept override {
        if (during_erase) act();
    }
};

} // namespace

TEST_CASE("a key is asked for where none is", "[preconditions]") {
    const char* const words = "key(slot): no key is there; ask state(slot)";
    const auto set = with_hole<SetStorage<int>>();
    const auto map = with_hole<Map>();
    const SetView<int> set_view = set;
    const MapView<int, int> map_view = map;
    for (const slot_t slot : {slot_t{1}, slot_t{3}, slot_t{63}, slot_t{100'000}, no_slot}) {
        CAPTURE(slot);
        CHECK(dies_saying(words, [&] { static_cast<void>(set.key(slot)); }));
        CHECK(dies_saying(words, [&] { static_cast<void>(map.key(slot)); }));
        CHECK(dies_saying(words, [&] { static_cast<void>(set_view.key(slot)); }));
        CHECK(dies_saying(words, [&] { static_cast<void>(map_view.key(slot)); }));
    }
    CHECK(dies_saying(words, [] { static_cast<void>(SetStorage<int>().key(slot_t{0})); }));
    CHECK(dies_saying("set [handle]: no element has this handle", [&] { static_cast<void>(set[set.handle_at(1)]); }));
}

TEST_CASE("a value is asked for where none is", "[preconditions]") {
    const char* const words = "map value(slot): no value is there; ask state(slot)";
    auto map = with_hole<Map>();
    const MapView<int, int> view = map;
    for (const slot_t slot : {slot_t{1}, slot_t{3}, slot_t{100'000}, no_slot}) {
        CAPTURE(slot);
        CHECK(dies_saying(words, [&] { static_cast<void>(map.value(slot)); }));
        CHECK(dies_saying(words, [&] { static_cast<void>(std::as_const(map).value(slot)); }));
        CHECK(dies_saying(words, [&] { static_cast<void>(view.value(slot)); }));
    }
    CHECK(dies_saying("ColumnView[slot]", [&] { static_cast<void>(map.keys()[1]); }));
    CHECK(dies_saying("ColumnView[slot]", [&] { static_cast<void>(map.values()[1]); }));
}

TEST_CASE("a flushed slot has neither key nor value, a pending one has both", "[preconditions]") {
    auto map = with_hole<MapStorage<int, int, Options<deferring>>>();
    CHECK(map.key(slot_t{1}) == 1);
    CHECK(map.value(1) == 10);
    map.flush_removed();
    CHECK(dies_saying("no key is there", [&] { static_cast<void>(map.key(slot_t{1})); }));
    CHECK(dies_saying("no value is there", [&] { static_cast<void>(map.value(1)); }));
}

TEST_CASE("an iterator is erased that refers to no live element", "[preconditions]") {
    auto set = with_hole<SetStorage<int>>();
    auto map = with_hole<Map>();
    auto deferred = with_hole<SetStorage<int, Options<deferring>>>();
    const auto set_it = set.find(2);
    const auto map_it = map.find(2);
    const auto deferred_it = deferred.find(2);
    set.erase(2), map.erase(2), deferred.erase(2);
    const char* const of_set = "keyed container erase(it): the element here was erased, or it is the end";
    const char* const of_map = "map erase(it): the element here was erased, or it is the end";
    CHECK(dies_saying(of_set, [&] { set.erase(set.end()); }));
    CHECK(dies_saying(of_set, [&] { set.erase(set_it); }));
    CHECK(dies_saying(of_set, [&] { deferred.erase(deferred_it); })); // pending is not live
    CHECK(dies_saying(of_set, [&] { deferred.remove(deferred.end()); }));
    CHECK(dies_saying(of_map, [&] { map.erase(map.end()); }));
    CHECK(dies_saying(of_map, [&] { map.erase(map.cend()); }));
    CHECK(dies_saying(of_map, [&] { map.erase(map_it); }));
}

TEST_CASE("keys and values of described containers are asked for where none are", "[preconditions]") {
    const TypeDescriptor& type = TypeDescriptor::of<int>();
    AnySetStorage set(type);
    AnyMapStorage map(type, type);
    for (int i = 0; i != 3; ++i) set.insert(&i), map.insert(&i, &i);
    const int one = 1;
    set.erase(&one), map.erase(&one);
    for (const slot_t slot : {slot_t{1}, slot_t{3}, no_slot}) {
        CAPTURE(slot);
        CHECK(dies_saying("type-erased container key(slot): no key is there", [&] { static_cast<void>(set.key(slot)); }));
        CHECK(dies_saying("type-erased container key(slot): no key is there", [&] { static_cast<void>(map.key(slot)); }));
        CHECK(dies_saying("type-erased map value(slot): no value is there", [&] { static_cast<void>(map.value(slot)); }));
        CHECK(dies_saying("type-erased map value(slot): no value is there",
                          [&] { static_cast<void>(std::as_const(map).value(slot)); }));
    }
}

TEST_CASE("a destructor may not insert during reset, nor reset during clear or reset", "[preconditions]") {
    using Reentrant = MapStorage<int, Calls>;
    const auto dies = [](const char* words, void (*end)(Reentrant&), void (*act)(Reentrant&)) {
        return dies_saying(words, [&] {
            Reentrant map;
            for (int i = 0; i != 10; ++i) map.try_emplace(i, i);
            Calls::on_destroy = [&] { act(map); };
            end(map);
        });
    };
    const auto reset = [](Reentrant& map) { map.reset(); };
    const auto clear = [](Reentrant& map) { map.clear(); };
    const auto insert = [](Reentrant& map) { map.try_emplace(1000, 1); };
    CHECK(dies("container reset(): a destructor inserts meanwhile; it must not", reset, insert));
    CHECK(dies("keyed container reset(): a destructor calls it during clear() or reset(); it must not", reset, reset));
    CHECK(dies("keyed container reset(): a destructor calls it during clear() or reset(); it must not", clear, reset));
    CHECK_FALSE(dies("", clear, insert));
}

TEST_CASE("keys that cannot move cannot go to another allocator's memory", "[preconditions]") {
    using Set = SetStorage<NonMovable, HashBy<ValueHash>, EqualBy<ValueEqual>, AllocBy<StatefulAllocator<NonMovable>>>;
    using Memory = StatefulAllocator<NonMovable>;
    Set set((Memory(1)));
    Set none(std::move(set), Memory(2)); // nothing in it: fine
    none.insert(5);
    Set same(std::move(none), Memory(2)); // equal: nothing moves
    CHECK(same.contains(5));
    CHECK(dies_saying("keys that cannot move cannot be moved to an unequal allocator",
                      [&] { Set moved(std::move(same), Memory(3)); }));
}

#if SLOTWISE_CHECK_LEVEL >= 2
TEST_CASE("debug: an iterator is dereferenced that refers to no live element", "[preconditions]") {
    auto set = with_hole<SetStorage<int>>();
    auto map = with_hole<Map>();
    const auto set_it = set.find(2);
    const auto map_it = map.find(2);
    set.erase(2), map.erase(2);
    const char* const words = "keyed iterator: the element here was erased, or it is the end";
    CHECK(dies_saying(words, [&] { static_cast<void>(*set_it); }));
    CHECK(dies_saying(words, [&] { static_cast<void>(*set.end()); }));
    CHECK(dies_saying(words, [&] { static_cast<void>(map_it->value); }));
    CHECK(dies_saying(words, [&] { static_cast<void>(*std::as_const(map).end()); }));
}

TEST_CASE("debug: an observer may not change the container that is notifying it", "[preconditions]") {
    using Deferring = MapStorage<int, int, Options<deferring>>;
    const char* const words =
        "container: an observer changes the container that is notifying it; change it after the notification";
    const auto dies = [&](bool during_erase, void (*act)(Deferring&)) {
        return dies_saying(words, [&] {
            Deferring map;
            map.try_emplace(1, 1);
            map.try_emplace(2, 2);
            Meddler meddler;
            meddler.act = [] {};
            const auto token = map.attach(meddler);
            meddler.during_erase = during_erase;
            meddler.act = [&] { act(map); };
            if (during_erase)
                map.erase(1);
            else
                map.try_emplace(3, 3);
        });
    };
    for (const bool during_erase : {false, true}) {
        CAPTURE(during_erase);
        CHECK(dies(during_erase, [](Deferring& map) { map.try_emplace(10, 1); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.erase(2); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.erase(map.handle_of(2)); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.clear(); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.reset(); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.flush_removed(); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.reserve(1000); }));
        CHECK(dies(during_erase, [](Deferring& map) { map.shrink_to_fit(); }));
        CHECK_FALSE(dies(during_erase, [](Deferring& map) { static_cast<void>(map.at(2)); })); // looking is fine
    }
}
#endif
