// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what changes secondary maps and identity maps, by elements, ids, hash, equality, allocator and
// callbacks.
#include "subjects.hpp"

#include "support/thrown.hpp" // with promises_throws.cpp, whose global operator new can fail

using namespace test;

namespace {

template <class T>
using Failing = StatefulAllocator<T, Propagation{.throws = true}>;
template <class Subject>
using failing = typename Subject::template container<Failing<typename Subject::element>>;
using H = OtherHandle;

/// act(map) has no effect when it throws. The map has 30 - 6 entries, near and far.
template <class Subject, class Act>
void strong(const char* function, Act act, bool may_drop = false) {
    using Map = failing<Subject>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Map>(function), [&](auto&& attempt) {
        Map map = sample<Subject, Map>(1, 0, 30);
        const Contents before = Subject::contents(map);
        const auto size = map.size();
        const bool threw = attempt([&] { act(map); });
        demand(Subject::sound(map), "it is not sound");
        if (threw && !may_drop) demand(Subject::contents(map) == before, "it has other contents although it threw");
        if (threw) demand(map.size() <= size, "there is more than before");
        Subject::fill(map, 500, 10);
        demand(Subject::sound(map), "it is not sound after an insert");
    });
    demand(failures != 0, "nothing threw");
}

struct OverPages {
    template <class T>
    using subject = Secondaries<SecondaryMap, T>;
};
struct OverRows {
    template <class T>
    using subject = Secondaries<SparseSecondaryMap, T>;
};

} // namespace

TEST_CASE("a shrink_to_fit of packed rows that throws has no effect", "[throwing][throws]") {
    const auto run = []<class Subject>(Subject) { strong<Subject>("shrink_to_fit", [](auto& map) { map.shrink_to_fit(); }); };
    run(OverRows::subject<Tracked>{});
}

TEMPLATE_TEST_CASE("a secondary map's insert, erase_if and extract that throw have no effect", "[throwing][throws]", OverPages,
                   OverRows) {
    const auto run = []<class Subject>(Subject) {
        using T = typename Subject::element;
        for (const H handle :
             {H(100, 1), H(700'000, 1), H(3, 3), H(7000, 5)}) { // new, far, newer than the one there, and that far
            strong<Subject>("try_emplace", [&](auto& map) { map.try_emplace(handle, 5); });
            strong<Subject>("insert", [&](auto& map) { map.insert(handle, T(5)); });
            strong<Subject>("insert", [&](auto& map) {
                const T value(5);
                map.insert(handle, value);
            });
            strong<Subject>("insert_or_assign", [&](auto& map) { map.insert_or_assign(handle, T(5)); });
        }
        strong<Subject>("insert_or_assign", [&](auto& map) { map.insert_or_assign(H(3, 1), T(5)); });
        strong<Subject>(
            "erase_if",
            [&](auto& map) {
                map.erase_if([](H, const T& value) {
                    Budget::spend();
                    return value.value() % 2 == 0;
                });
            },
            true);
    };
    run(typename TestType::template subject<ThrowingCopy>());
    // Rows move: the sparse one asks for moves that do not throw.
    if constexpr (std::is_same_v<TestType, OverPages>) {
        using Subject = typename TestType::template subject<Throwing>;
        run(Subject());
        strong<Subject>("extract", [](auto& map) { map.extract(H(3, 1)); });
    } else {
        using Subject = typename TestType::template subject<ThrowingCopy>;
        using Map = failing<Subject>;
        NothingLeaks objects;
        Map map = sample<Subject, Map>(1, 0, 30);
        calls_nothing_that_throws(swept<Map>("extract"), [&] { map.extract(H(3, 1)); });
        REQUIRE_FALSE(map.contains(H(3, 1)));
        REQUIRE(map.check_invariants());
    }
}

TEST_CASE("an index map's insert, erase_if and extract that throw have no effect", "[throwing][throws]") {
    using Subject = Indexes<Throwing>;
    using T = Throwing;
    for (const slot_t id : {slot_t{100}, slot_t{700'000}, no_slot - 1}) { // near and far
        strong<Subject>("try_emplace", [=](auto& map) { map.try_emplace(id, 5); });
        strong<Subject>("insert", [=](auto& map) { map.insert(id, T(5)); });
        strong<Subject>("insert", [=](auto& map) {
            const T value(5);
            map.insert(id, value);
        });
        strong<Subject>("insert_or_assign", [=](auto& map) { map.insert_or_assign(id, T(5)); });
    }
    strong<Subject>("insert_or_assign", [](auto& map) { map.insert_or_assign(3, T(5)); });
    strong<Subject>("extract", [](auto& map) { map.extract(3); });
    strong<Subject>(
        "erase_if",
        [](auto& map) {
            map.erase_if([](slot_t, const T& value) {
                Budget::spend();
                return value.value() % 2 == 0;
            });
        },
        true);
}

TEST_CASE("an identity map's insert, erase and erase_if that throw have no effect", "[throwing][throws]") {
    using Subject = Identities<ThrowingCopy>;
    for (const H handle : {H(100, 1), H(700'000, 1), H(3, 3)}) {
        strong<Subject>("insert", [&](auto& map) { map.insert(ThrowingCopy(777), handle); });
        strong<Subject>("insert", [&](auto& map) {
            const ThrowingCopy id(777);
            map.insert(id, handle);
        });
    }
    strong<Subject>("insert", [&](auto& map) { map.insert(ThrowingCopy(3), H(100, 1)); }); // is there already
    strong<Subject>("erase", [](auto& map) { map.erase(ThrowingCopy(3)); });
    strong<Subject>(
        "erase_if",
        [](auto& map) {
            map.erase_if([](H, const ThrowingCopy& id) {
                Budget::spend();
                return id.value() % 2 == 0;
            });
        },
        true);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("a follower that finds no memory to attach is not attached, and has what it had", "[throwing][throws]") {
    const auto run = []<class Map>(Map, auto put) {
        const auto failures = run_out_of_memory([&](auto&& attempt) {
            SlotMap<int> elements;
            const auto handle = elements.insert(1);
            Map map;
            put(map, handle);
            const bool threw = attempt([&] { map.attach_to(elements); });
            REQUIRE(map.attached() == !threw);
            REQUIRE(map.size() == 1);
            REQUIRE(map.check_invariants());
            elements.erase(handle);
            REQUIRE(map.empty() == !threw);
        });
        REQUIRE(failures > 0);
        report_sweep(swept<Map>("attach_to"), failures);
    };
    using ElementHandle = SlotMap<int>::handle_type;
    run(SecondaryMap<ElementHandle, int>(), [](auto& map, ElementHandle handle) { map.insert(handle, 1); });
    run(SparseSecondaryMap<ElementHandle, int>(), [](auto& map, ElementHandle handle) { map.insert(handle, 1); });
    run(IdentityMap<int, ElementHandle>(), [](auto& map, ElementHandle handle) { map.insert(7, handle); });
}
#endif
