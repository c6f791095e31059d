// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// extract, while the copy that it gives out enters the container again, or throws, or both.
#include "support/catch.hpp"
#include "support/death.hpp"

#include <slotwise/slotwise.hpp>

#include <functional>
#include <vector>

namespace {

using namespace slotwise;

/// A value that cannot be moved, and says when it is copied.
struct Copied {
    static inline std::function<void()> hook;
    int number;
    Copied(int n) : number(n) {}
    Copied(const Copied& other) : number(other.number) {
        if (const auto running = std::exchange(hook, nullptr)) running();
    }
    ~Copied() { number = -1; }
};

/// An index that may have no room for what it has just given up, as other tables may.
template <class Allocator>
struct Grudging : HashIndex<Allocator> {
    using HashIndex<Allocator>::HashIndex;
    static constexpr bool nothrow_place = false;
    static inline bool refuses = false;
    void place(std::uint64_t hash, slot_t slot) {
        if (refuses) TEST_THROW(2);
        HashIndex<Allocator>::place(hash, slot);
    }
};

template <KeySetOptions O, template <class> class Index = HashIndex>
using Map = MapStorage<int, Copied, Options<O>, IndexBy<Index>>;
constexpr KeySetOptions at_once{}, deferred{.deferred_erase = true};

template <class M>
M filled(int count = 5) {
    M map;
    for (int n = 0; n != count; ++n) map.try_emplace(n, n);
    return map;
}

struct Log final : SlotObserver {
    std::vector<int> events;
    void on_insert(slot_t slot, InsertKind) override { events.push_back(static_cast<int>(slot)); }
    void on_remove(slot_t slot) noexcept override { events.push_back(-static_cast<int>(slot)); }
};

} // namespace

#if defined(__cpp_exceptions)
TEMPLATE_TEST_CASE("An extract whose copy throws leaves the element, found by key and by handle", "[reentrance][throws]",
                   Map<at_once>, Map<deferred>, (Map<at_once, Grudging>)) {
    for (const int count : {1, 5}) {
        auto map = filled<TestType>(count);
        const auto handle = map.handle_of(0);
        Copied::hook = [&] {
            CHECK((!map.contains(0) && !map.contains(handle) && !map.extract(0) && map.get(0) == nullptr));
            throw 1;
        };
        CHECK_THROWS_AS(map.extract(0), int);
        CHECK((map.contains(handle) && map.get(0)->number == 0 && map.check_invariants()));
        CHECK(map.extract(0)->second.number == 0);
        CHECK((!map.contains(handle) && map.size() == static_cast<std::size_t>(count) - 1 && map.check_invariants()));
    }
}

TEMPLATE_TEST_CASE("An extract whose copy inserts the key again, or gives memory back, and throws erases the old element",
                   "[reentrance][throws]", Map<at_once>, Map<deferred>, (Map<at_once, Grudging>)) {
    for (const bool again : {true, false}) {
        auto map = filled<TestType>(1);
        const auto handle = map.handle_of(0);
        Copied::hook = [&] {
            if (again)
                map.try_emplace(0, 70);
            else
                map.shrink_to_fit();
            throw 1;
        };
        CHECK_THROWS_AS(map.extract(0), int);
        CHECK((!map.contains(handle) && map.contains(0) == again && map.size() == again && map.check_invariants()));
        map.try_emplace(0, 71);
        CHECK((map.get(0)->number == (again ? 70 : 71) && map.check_invariants()));
        if constexpr (requires { map.flush_removed(); }) map.flush_removed();
        CHECK((map.get(0)->number == (again ? 70 : 71) && map.check_invariants()));
    }
}

TEST_CASE("An element whose copy throws is erased when a foreign index has no memory to list it again",
          "[reentrance][throws]") {
    using M = Map<at_once, Grudging>;
    auto map = filled<M>();
    Copied::hook = [] { throw 1; };
    Grudging<std::allocator<std::byte>>::refuses = true;
    CHECK_THROWS_AS(map.extract(3), int);
    Grudging<std::allocator<std::byte>>::refuses = false;
    CHECK((!map.contains(3) && map.size() == 4 && map.check_invariants()));
}
#endif

TEMPLATE_TEST_CASE("An observer attached while an element is extracted is notified of it, and of its end", "[reentrance]",
                   Map<at_once>, Map<deferred>) {
    auto map = filled<TestType>();
    Log log;
    ObserverToken token;
    Copied::hook = [&] { token = map.attach(log); };
    CHECK(map.extract(3)->second.number == 3);
    CHECK(log.events == std::vector{0, 1, 2, 3, 4, -3});
}

TEST_CASE("A key inserted again while it is extracted has an element of its own", "[reentrance]") {
    auto map = filled<Map<deferred>>();
    Copied::hook = [&] { map.try_emplace(3, 70); };
    CHECK(map.extract(3)->second.number == 3);
    CHECK((map.get(3)->number == 70 && map.size() == 5 && map.pending() == 1 && map.check_invariants()));
    map.flush_removed();
    CHECK((map.get(3)->number == 70 && map.pending() == 0 && map.check_invariants()));
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("reset from inside an extract or an erase is refused", "[reentrance]") {
    CHECK(test::dies_saying("calls it while it is built or destroyed", [] {
        auto map = filled<Map<at_once>>();
        Copied::hook = [&] { map.reset(); };
        static_cast<void>(map.extract(3));
    }));
}
#endif

namespace {
struct Constant {
    int number;
    constexpr Constant(int n) noexcept : number(n) {}
    constexpr Constant(const Constant& other) noexcept : number(other.number) {}
    constexpr ~Constant() {}
};
template <KeySetOptions O>
constexpr bool taken_out() {
    MapStorage<int, Constant, Options<O>> map;
    map.try_emplace(1, 10);
    map.try_emplace(2, 20);
    return map.extract(1)->second.number == 10 && !map.contains(1) && map.contains(2);
}
} // namespace

TEST_CASE("Elements that are no plain bytes are taken out in constant expressions too", "[reentrance]") {
    constexpr bool both = taken_out<at_once>() && taken_out<deferred>();
    CHECK(both);
}
