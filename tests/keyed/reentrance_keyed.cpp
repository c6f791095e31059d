// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keys and values whose constructors use the map they are built in. What destructors do is in reentrance_keyed_destroy.cpp.
#include "scene.hpp"

#include <slotwise/keyed/any_storage.hpp>

#include <functional>
#include <memory>

using namespace test;

namespace {

/// A value whose constructor calls a function before it is there, and may throw. Which special members it has decides how a map
/// builds it.
template <bool Movable>
class Calling {
public:
    Calling() : Calling(0) {}
    explicit Calling(int value) : tracked_(value) {}
    Calling(int value, const std::function<void()>& before) : tracked_((before(), value)) {}
    Calling(Calling&&) noexcept
        requires Movable
    = default;
    Calling& operator=(Calling&&) noexcept
        requires Movable
    = default;
    int value() const noexcept { return tracked_.value(); }

private:
    std::conditional_t<Movable, Tracked, NonMovable> tracked_;
};

/// A key whose copies call a function once.
class CallingKey {
public:
    CallingKey(int value, std::function<void()> before_copy = {}) : tracked_(value), before_copy_(std::move(before_copy)) {}
    CallingKey(const CallingKey& other) : tracked_((other.speak(), other.tracked_)) {}
    CallingKey(CallingKey&& other) noexcept = default;
    CallingKey& operator=(CallingKey&&) noexcept = default;
    int value() const noexcept { return tracked_.value(); }
    friend bool operator==(const CallingKey& a, const CallingKey& b) noexcept { return a.value() == b.value(); }

private:
    void speak() const {
        if (auto words = std::exchange(before_copy_, nullptr)) words();
    }
    Tracked tracked_;
    mutable std::function<void()> before_copy_;
};

template <class T, KeySetOptions O, class Key = int>
using Calls = MapStorage<Key, T, HashBy<NumberHash>, Options<O>>;

#define CALLING_MAPS                                                                                                           \
    (Calls<Calling<true>, at_once>), (Calls<Calling<false>, at_once>), (Calls<Calling<true>, deferred>),                       \
        (Calls<Calling<false>, deferred>)

template <class Map>
void require_numbers(const Map& map, std::size_t size) {
    REQUIRE(map.size() == size);
    REQUIRE(map.check_invariants());
    std::size_t seen = 0;
    for (const auto [key, value] : map) {
        ++seen;
        REQUIRE(map.get(key) == &value);
        static_cast<void>(value.value());
    }
    REQUIRE(seen == size);
}

} // namespace

TEMPLATE_TEST_CASE("a value's constructor may insert the very key it is built for: one element results", "[reentrance]",
                   CALLING_MAPS) {
    NothingLeaks objects;
    for (const int others : {0, 1, 200}) {
        TestType map;
        InsertResult<typename TestType::iterator> inner{};
        const auto result = map.try_emplace(7, 100, [&] {
            for (int n = 0; n != others; ++n) map.try_emplace(1000 + n, n);
            inner = map.try_emplace(7, 5);
        });
        REQUIRE(inner.inserted);
        REQUIRE_FALSE(result.inserted);
        REQUIRE(result.it.slot() == inner.it.slot());
        REQUIRE(map.at(7).value() == 5);
        require_numbers(map, static_cast<std::size_t>(others) + 1);
        REQUIRE(map.erase(7));
        REQUIRE_FALSE(map.contains(7));
        map.flush_removed();
        require_numbers(map, static_cast<std::size_t>(others));
    }
}

TEMPLATE_TEST_CASE("a value's constructor may insert its key at any depth: the innermost stays", "[reentrance]", CALLING_MAPS) {
    NothingLeaks objects;
    TestType map;
    std::function<void(int)> nest = [&](int depth) {
        map.try_emplace(7, depth, [&, depth] {
            if (depth != 40) nest(depth + 1);
            map.try_emplace(1000 + depth, depth);
        });
    };
    nest(0);
    REQUIRE(map.at(7).value() == 40);
    require_numbers(map, 42);
}

TEMPLATE_TEST_CASE("a value's constructor may erase, clear and flush in its map", "[reentrance]", CALLING_MAPS) {
    NothingLeaks objects;
    for (int act = 0; act != 6; ++act) {
        CAPTURE(act);
        TestType map;
        for (int n = 0; n != 70; ++n) map.try_emplace(n, n);
        map.erase(3);
        const auto result = map.try_emplace(777, 5, [&] {
            REQUIRE_FALSE(map.erase(777));
            if (act == 0) map.erase(4);
            if (act == 1) map.clear();
            if (act == 2) map.flush_removed();
            if (act == 3) {
                map.clear();
                map.flush_removed();
                for (int n = 100; n != 250; ++n) map.try_emplace(n, n);
            }
            if (act == 4) map.reserve(1000);
            if (act == 5) {
                map.try_emplace(777, 1);
                map.erase(777);
            }
        });
        REQUIRE(result.inserted);
        REQUIRE(map.at(777).value() == 5);
        REQUIRE(map.slot_of(777) == result.it.slot());
        require_numbers(map, std::vector<std::size_t>{69, 1, 70, 151, 70, 70}[static_cast<std::size_t>(act)]);
        map.flush_removed();
        REQUIRE(map.at(777).value() == 5);
        require_numbers(map, std::vector<std::size_t>{69, 1, 70, 151, 70, 70}[static_cast<std::size_t>(act)]);
        future_of(map);
        REQUIRE(map.check_invariants());
    }
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("a value's constructor that inserts and then throws keeps what it inserted and loses nothing else",
                   "[reentrance]", CALLING_MAPS) {
    NothingLeaks objects;
    TestType map;
    for (int n = 0; n != 20; ++n) map.try_emplace(n, n);
    for (const int n : {3, 11, 5}) map.erase(n);
    map.flush_removed();
    int next = 100;
    for (int i = 0; i != 40; ++i) {
        REQUIRE_THROWS_AS(map.try_emplace(777, 5,
                                          [&] {
                                              map.try_emplace(next, next);
                                              map.try_emplace(next + 1, next + 1);
                                              if (i % 2 == 0) map.erase(next);
                                              next += 2;
                                              TEST_THROW(InjectedFailure{});
                                          }),
                          InjectedFailure);
        REQUIRE_FALSE(map.contains(777));
        REQUIRE(map.check_invariants());
    }
    require_numbers(map, 17 + 60);
    map.flush_removed();
    REQUIRE(map.try_emplace(777, 5).inserted);
    require_numbers(map, 17 + 61);
}

TEMPLATE_TEST_CASE("a resurrected value's constructor that makes the map grow and then throws takes the element with it",
                   "[reentrance]", (Calls<Calling<true>, deferred>), (Calls<Calling<false>, deferred>)) {
    NothingLeaks objects;
    TestType map;
    for (int n = 0; n != 10; ++n) map.try_emplace(n, n);
    for (const int n : {3, 7}) map.erase(n);
    const slot_t slot = map.slot_of_any(7);
    REQUIRE_THROWS_AS(map.try_emplace(7, 100,
                                      [&] {
                                          for (int n = 100; n != 400; ++n) map.try_emplace(n, n);
                                          TEST_THROW(InjectedFailure{});
                                      }),
                      InjectedFailure);
    REQUIRE_FALSE(map.contains(7));
    REQUIRE(map.slot_of_any(7) == no_slot); // the index that listed it is no more
    REQUIRE(map.state(slot) == SlotState::free);
    REQUIRE(map.pending() == 1); // the other one
    require_numbers(map, 8 + 300);
    map.flush_removed();
    REQUIRE(map.try_emplace(7, 5).inserted);
    require_numbers(map, 8 + 301);
}
#endif

TEMPLATE_TEST_CASE("a resurrected value's constructor may insert the same key: one element results", "[reentrance]",
                   (Calls<Calling<true>, deferred>), (Calls<Calling<false>, deferred>)) {
    NothingLeaks objects;
    TestType map;
    for (int n = 0; n != 10; ++n) map.try_emplace(n, n);
    const auto old = map.handle_of(7);
    map.erase(7);
    const auto result = map.try_emplace(7, 100, [&] { REQUIRE(map.try_emplace(7, 5).inserted); });
    REQUIRE_FALSE(result.inserted);
    REQUIRE(map.slot_of(7) == result.it.slot());
    REQUIRE(map.at(7).value() == 5);
    REQUIRE_FALSE(map.contains(old));
    require_numbers(map, 10);
    map.flush_removed();
    require_numbers(map, 10);
    REQUIRE(map.erase(7));
    map.flush_removed();
    require_numbers(map, 9);
}

TEMPLATE_TEST_CASE("a resurrected value's constructor may insert others, erase and clear", "[reentrance]",
                   (Calls<Calling<true>, deferred>), (Calls<Calling<false>, deferred>)) {
    NothingLeaks objects;
    for (int act = 0; act != 4; ++act) {
        CAPTURE(act);
        TestType map;
        for (int n = 0; n != 10; ++n) map.try_emplace(n, n);
        map.erase(3);
        map.erase(7);
        const auto result = map.try_emplace(7, 100, [&] {
            if (act == 0)
                for (int n = 100; n != 400; ++n) map.try_emplace(n, n);
            if (act == 1) map.erase(4);
            if (act == 2) map.clear();
            if (act == 3) map.try_emplace(3, 33);
        });
        REQUIRE(result.inserted);
        REQUIRE(map.at(7).value() == 100);
        require_numbers(map, std::vector<std::size_t>{309, 8, 1, 10}[static_cast<std::size_t>(act)]);
        map.flush_removed();
        REQUIRE(map.at(7).value() == 100);
        require_numbers(map, std::vector<std::size_t>{309, 8, 1, 10}[static_cast<std::size_t>(act)]);
    }
}

TEMPLATE_TEST_CASE("a resurrected value's constructor may flush: the element is not erased under its hands", "[reentrance]",
                   (Calls<Calling<true>, deferred>), (Calls<Calling<false>, deferred>)) {
    NothingLeaks objects;
    TestType map;
    for (int n = 0; n != 10; ++n) map.try_emplace(n, n);
    map.erase(3);
    map.erase(7);
    const auto result = map.try_emplace(7, 100, [&] {
        map.flush_removed();
        for (int n = 100; n != 120; ++n) map.try_emplace(n, n);
    });
    REQUIRE(result.inserted);
    REQUIRE(map.slot_of(7) == result.it.slot());
    REQUIRE(map.at(7).value() == 100);
    require_numbers(map, 29);
    map.flush_removed();
    require_numbers(map, 29);
}

TEMPLATE_TEST_CASE("a key's copy may insert other keys and its own into its set or map", "[reentrance]",
                   (SetStorage<CallingKey, HashBy<NumberHash>, Options<at_once>>),
                   (SetStorage<CallingKey, HashBy<NumberHash>, Options<deferred>>), (Calls<Tracked, at_once, CallingKey>),
                   (Calls<Tracked, deferred, CallingKey>)) {
    NothingLeaks objects;
    const auto put_copy = [](TestType& c, const CallingKey& key, int value) {
        if constexpr (is_keyed_map<TestType>)
            return c.try_emplace(key, value);
        else
            return static_cast<void>(value), c.insert(key);
    };
    for (const int more : {0, 1, 300}) {
        for (const bool same : {false, true}) {
            TestType c;
            const CallingKey key(7, [&] {
                for (int n = 0; n != more; ++n) enter(c, 100 + n);
                if (same) put_copy(c, CallingKey(7), 5);
            });
            const auto result = put_copy(c, key, 100);
            REQUIRE(result.inserted != same);
            REQUIRE(c.slot_of(CallingKey(7)) == result.it.slot());
            REQUIRE(c.size() == static_cast<std::size_t>(more) + 1);
            REQUIRE(c.check_invariants());
            if constexpr (is_keyed_map<TestType>) REQUIRE(c.at(CallingKey(7)).value() == (same ? 5 : 100));
            REQUIRE(c.erase(CallingKey(7)));
            REQUIRE_FALSE(c.contains(CallingKey(7)));
            c.flush_removed();
            REQUIRE(c.check_invariants());
        }
    }
}

TEST_CASE("the copy of a described key may insert its own key into its set or map: the inner one stays", "[reentrance]") {
    NothingLeaks objects;
    const TypeDescriptor& type = TypeDescriptor::of<CallingKey, NumberHash>();
    const CallingKey seven(7);
    const int inner = 5, outer = 100;
    AnySetStorage set(type);
    const CallingKey into_set(7, [&] { REQUIRE(set.insert(&seven).inserted); });
    const auto in_set = set.insert(&into_set);
    REQUIRE_FALSE(in_set.inserted);
    REQUIRE(set.slot_of(&seven) == in_set.it.slot());
    REQUIRE(set.size() == 1);
    REQUIRE(set.check_invariants());
    AnyMapStorage map(type, TypeDescriptor::of<int>());
    const CallingKey into_map(7, [&] { REQUIRE(map.insert(&seven, &inner).inserted); });
    const auto in_map = map.insert(&into_map, &outer);
    REQUIRE_FALSE(in_map.inserted);
    REQUIRE(map.slot_of(&seven) == in_map.it.slot());
    REQUIRE(*static_cast<const int*>(map.at(&seven)) == inner);
    REQUIRE(map.size() == 1);
    REQUIRE(map.check_invariants());
}

TEST_CASE("insert_or_assign whose key's copy inserts the same key assigns the given value", "[reentrance]") {
    NothingLeaks objects;
    Calls<Tracked, at_once, CallingKey> map;
    const CallingKey key(7, [&] { map.try_emplace(CallingKey(7), 5); });
    Tracked value(100);
    const auto result = map.insert_or_assign(key, std::move(value));
    REQUIRE_FALSE(result.inserted);
    REQUIRE(map.at(CallingKey(7)).value() == 100); // not what is left of a value that was moved away
    REQUIRE(map.size() == 1);
    REQUIRE(map.check_invariants());
}

namespace {

/// Trivially copyable, so that a map may take its fastest way; its constructors run user code all the same.
struct Plain {
    Plain() noexcept = default;
    explicit Plain(int n) noexcept : number(n) {}
    template <class Map>
    Plain(Map& map, int key, int n) noexcept : number(n) {
        map.try_emplace(key, n + 1);
    }
    template <class Map>
    Plain(Map& map, int first, int last, int n) : number(n) { // may throw, for all the map knows
        for (int key = first; key != last; ++key) map.try_emplace(key, n + 1);
    }
    int value() const noexcept { return number; }
    int number = 0;
};
static_assert(std::is_trivially_copyable_v<Plain>);
static_assert(std::is_nothrow_constructible_v<Plain, int>);

} // namespace

TEMPLATE_TEST_CASE("trivially copyable values: a constructor that does not throw may insert its own key and others",
                   "[reentrance]", (MapStorage<int, Plain, HashBy<NumberHash>, Options<at_once>>),
                   (MapStorage<int, Plain, HashBy<NumberHash>, Options<deferred>>)) {
    TestType map;
    const auto other = map.try_emplace(1, map, 2, 10);
    REQUIRE(other.inserted);
    REQUIRE(map.at(1).value() == 10);
    REQUIRE(map.at(2).value() == 11);
    require_numbers(map, 2);
    const auto same = map.try_emplace(7, map, 7, 10);
    REQUIRE(map.size() == 3);
    REQUIRE(map.at(7).value() == 11); // the inner one, as everywhere
    REQUIRE_FALSE(same.inserted);
    require_numbers(map, 3);
    REQUIRE(map.erase(7));
    REQUIRE_FALSE(map.contains(7));
}

TEMPLATE_TEST_CASE("trivially copyable values: a constructor that may throw inserts its own key by one that does not",
                   "[reentrance]", (MapStorage<int, Plain, HashBy<NumberHash>, Options<at_once>>),
                   (MapStorage<int, Plain, HashBy<NumberHash>, Options<deferred>>)) {
    TestType map;
    const auto same = map.try_emplace(7, map, 7, 8, 10);
    REQUIRE(map.size() == 1);
    REQUIRE_FALSE(same.inserted);
    REQUIRE(map.at(7).value() == 11);
    require_numbers(map, 1);
    map.try_emplace(20, map, 20, 320, 10);
    require_numbers(map, 301);
    REQUIRE(map.erase(7));
    REQUIRE_FALSE(map.contains(7));
    REQUIRE(map.check_invariants());
}

TEST_CASE("a tree of values that build their children in the same map", "[reentrance]") {
    struct Leaf {
        using Map = MapStorage<int, Leaf, HashBy<NumberHash>, Options<KeySetOptions{.page_slots = 64}>>;
        Leaf(Map& map, int key) : key_(key) {
            if (key >= 256) return;
            map.try_emplace(2 * key, map, 2 * key);
            map.try_emplace(2 * key + 1, map, 2 * key + 1);
        }
        Leaf(const Leaf&) = delete;
        Leaf& operator=(const Leaf&) = delete;
        int value() const noexcept { return key_; }
        int key_;
    };
    Leaf::Map map;
    map.try_emplace(1, map, 1);
    for (int n = 1; n != 512; ++n) REQUIRE(map.at(n).value() == n);
    require_numbers(map, 511);
}
