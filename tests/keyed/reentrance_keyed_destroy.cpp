// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keys, values and column values whose destructors use the container they live in. What they refer to is declared before the
// container, which destroys the last of them.
#include "scene.hpp"

#include <functional>
#include <memory>

using namespace test;

namespace {

template <KeySetOptions O>
using SpeakingKeys = SetStorage<CallsOnDestroy, HashBy<NumberHash>, Options<O>>;
template <KeySetOptions O>
using SpeakingValues = MapStorage<int, CallsOnDestroy, HashBy<NumberHash>, Options<O>>;
template <KeySetOptions O>
using SpeakingColumn = SetStorage<int, HashBy<NumberHash>, Options<O>, Column<CallsOnDestroy>>;

#define SPEAKING_AT_ONCE SpeakingKeys<at_once>, SpeakingValues<at_once>, SpeakingColumn<at_once>
#define SPEAKING_DEFERRED SpeakingKeys<deferred>, SpeakingValues<deferred>, SpeakingColumn<deferred>
#define SPEAKING SPEAKING_AT_ONCE, SPEAKING_DEFERRED

/// An element that says `words` when it dies.
template <class C>
auto put_speaking(C& c, int n, std::function<void()> words) {
    if constexpr (is_keyed_map<C>)
        return c.try_emplace(n, 10 * n, std::move(words));
    else if constexpr (std::is_same_v<typename C::key_type, int>) {
        const auto result = c.insert(n);
        if (result.inserted) c.template observer<0>()[result.it.slot()] = CallsOnDestroy(n, std::move(words));
        return result;
    } else
        return c.insert(CallsOnDestroy(n, std::move(words)));
}
/// Erases for good.
template <class C>
bool end(C& c, int n) {
    const bool there = leave(c, n);
    c.flush_removed();
    return there;
}
template <class C>
void end_all(C& c) {
    c.clear();
    c.flush_removed();
}

} // namespace

TEMPLATE_TEST_CASE("a destructor may insert its own key again: it is a new element", "[reentrance]", SPEAKING) {
    NothingLeaks objects;
    for (const int n : {1, 2}) {
        InsertResult<typename TestType::iterator> born{}, first{};
        TestType c;
        first = put_speaking(c, n, [&] {
            REQUIRE_FALSE(has(c, n));
            born = enter(c, n);
        });
        enter(c, 50);
        const auto old = c.handle_at(first.it.slot());
        REQUIRE(end(c, n));
        REQUIRE((born.inserted && born.kind == InsertKind::fresh && born.it.slot() != first.it.slot()));
        REQUIRE(has(c, n));
        REQUIRE_FALSE(c.contains(old));
        REQUIRE(c.size() == 2);
        REQUIRE(c.check_invariants());
        REQUIRE(end(c, n));
        REQUIRE_FALSE(has(c, n));
        REQUIRE(c.check_invariants());
    }
}

TEMPLATE_TEST_CASE("a destructor may erase others, in a chain", "[reentrance]", SPEAKING) {
    NothingLeaks objects;
    TestType c;
    for (int n = 0; n != 100; ++n)
        put_speaking(c, n, [&c, n] {
            if (n + 2 < 100) leave(c, n + 2);
        });
    REQUIRE(leave(c, 0));
    while (c.pending() != 0) c.flush_removed(); // what is removed during a flush waits for the next
    REQUIRE(c.size() == 50);
    for (int n = 0; n != 100; ++n) REQUIRE(has(c, n) == (n % 2 == 1));
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("what a destructor removes during a flush waits for the next one", "[reentrance]", SPEAKING_DEFERRED) {
    NothingLeaks objects;
    TestType c;
    for (int n = 0; n != 4; ++n) put_speaking(c, n, [&c, n] { leave(c, n + 1); });
    leave(c, 0);
    for (int n = 0; n != 4; ++n) {
        REQUIRE(c.pending() == 1);
        REQUIRE(c.state(static_cast<slot_t>(n)) == SlotState::pending);
        c.flush_removed();
        REQUIRE(c.check_invariants());
    }
    REQUIRE(c.pending() == 0);
    REQUIRE(c.empty());
}

TEMPLATE_TEST_CASE("erase_if goes on soundly when destructors erase what it has not seen yet, and insert", "[reentrance]",
                   SPEAKING) {
    NothingLeaks objects;
    TestType c;
    for (int n = 0; n != 80; ++n)
        put_speaking(c, n, [&c, n] {
            for (const int other : {(n + 1) % 80, (n + 40) % 80, (n + 79) % 80}) leave(c, other);
            if (n % 2 == 0) enter(c, 1000 + n);
        });
    std::size_t asked = 0;
    const auto want = [&](typename TestType::handle_type handle, const auto& key, const auto&...) {
        REQUIRE(c.contains(handle));
        ++asked;
        return number(key) % 7 == 3 && number(key) < 1000;
    };
    REQUIRE(c.erase_if(want) > 0);
    REQUIRE(c.check_invariants());
    while (c.pending() != 0) {
        c.flush_removed();
        REQUIRE(c.check_invariants());
    }
    REQUIRE(asked > 0);
    REQUIRE(c.erase_if([](typename TestType::handle_type, const auto& key, const auto&...) { return number(key) >= 1000; }) >
            0);
    end_all(c);
    while (!c.empty() || c.pending() != 0) end_all(c);
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("a destructor that looks and erases while the container is cleared finds nothing of the old", "[reentrance]",
                   SPEAKING_AT_ONCE) {
    NothingLeaks objects;
    std::vector<typename TestType::handle_type> handles;
    int surprises = 0;
    TestType c;
    for (int n = 0; n != 70; ++n)
        handles.push_back(c.handle_at(put_speaking(c, n, [&] {
                                          surprises += !c.empty();
                                          for (const auto handle : handles) surprises += c.contains(handle) || c.erase(handle);
                                          for (int i = 0; i != 70; ++i) surprises += has(c, i) || leave(c, i);
                                          surprises += c.erase_if([](const auto&...) { return true; }) != 0;
                                          const auto born = c.handle_at(enter(c, 500).it.slot());
                                          surprises += !c.contains(born);
                                          surprises += !c.erase(born);
                                          surprises += c.contains(born);
                                      }).it.slot()));
    c.clear();
    REQUIRE(surprises == 0);
    REQUIRE(c.empty());
    REQUIRE(c.check_invariants());
    REQUIRE(future_of(c).size() == 30);
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("iteration in a destructor while the container is cleared visits the new element only", "[reentrance]",
                   SPEAKING_AT_ONCE) {
    NothingLeaks objects;
    std::vector<std::size_t> met, sizes;
    TestType c;
    for (int n = 0; n != 10; ++n)
        put_speaking(c, n, [&c, &met, &sizes, n] {
            if (n == 0) enter(c, 1000);
            // The dying may be met too (clear() says so); they have no handle any more.
            std::size_t walked = 0;
            for (auto it = c.begin(); it != c.end(); ++it) walked += c.contains(it.handle());
            met.push_back(walked);
            sizes.push_back(c.size());
        });
    c.clear();
    REQUIRE(met == std::vector<std::size_t>(10, 1));
    REQUIRE(sizes == met);
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("a destructor may clear and flush, in erase, in clear and in flush", "[reentrance]", SPEAKING) {
    NothingLeaks objects;
    for (const bool by_clear : {false, true}) {
        CAPTURE(by_clear);
        std::vector<typename TestType::handle_type> handles;
        TestType c;
        for (int n = 0; n != 70; ++n)
            handles.push_back(c.handle_at(put_speaking(c, n, [&c, n] {
                                              enter(c, 500 + n);
                                              if (n % 10 == 5) end_all(c);
                                              if (n % 10 == 6) c.flush_removed();
                                          }).it.slot()));
        if (by_clear)
            end_all(c);
        else {
            leave(c, 15);
            c.flush_removed();
        }
        for (const auto handle : handles) REQUIRE_FALSE(c.contains(handle));
        REQUIRE(c.check_invariants());
        future_of(c);
        REQUIRE(c.check_invariants());
    }
}

TEMPLATE_TEST_CASE("a destructor may reserve and shrink, in erase and in clear", "[reentrance]", SPEAKING) {
    NothingLeaks objects;
    for (const bool by_clear : {false, true}) {
        TestType c;
        for (int n = 0; n != 200; ++n)
            put_speaking(c, n, [&c, n] {
                if (n == 20) c.shrink_to_fit();
                if (n == 30) c.reserve(1000);
                if (n == 40) c.shrink_to_fit();
                if (n == 50) enter(c, 1000);
                if (n == 60) c.shrink_to_fit();
            });
        if (by_clear)
            end_all(c);
        else
            for (int n = 0; n != 200; ++n) {
                end(c, n);
                REQUIRE(c.check_invariants());
            }
        REQUIRE(c.size() == 1);
        REQUIRE(has(c, 1000));
        REQUIRE(c.check_invariants());
        future_of(c);
        REQUIRE(c.check_invariants());
    }
}

TEMPLATE_TEST_CASE("a destructor may insert and erase while the container dies", "[reentrance]", SPEAKING) {
    NothingLeaks objects;
    int inserted = 0;
    {
        auto c = std::make_unique<TestType>();
        for (int n = 0; n != 40; ++n)
            put_speaking(*c, n, [&c = *c, &inserted] {
                leave(c, 3);
                enter(c, 100 + ++inserted);
            });
    }
    REQUIRE(inserted == 40);
}

TEMPLATE_TEST_CASE("a destructor may insert while its container is assigned to", "[reentrance]", SPEAKING) {
    NothingLeaks objects;
    int called = 0;
    TestType c;
    for (int n = 0; n != 40; ++n)
        put_speaking(c, n, [&c, &called, n] {
            ++called;
            enter(c, 100 + n);
        });
    TestType other;
    enter(other, 7);
    c = std::move(other);
    REQUIRE(called == 40);
    REQUIRE(has(c, 7));
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("a destructor that looks during reset finds nothing; one that inserts is caught", "[reentrance]",
                   SPEAKING_AT_ONCE) {
    NothingLeaks objects;
    int surprises = 0, called = 0;
    TestType c;
    for (int n = 0; n != 70; ++n)
        put_speaking(c, n, [&c, &surprises, &called] {
            ++called;
            surprises += !c.empty();
            for (int i = 0; i != 70; ++i) surprises += has(c, i) || leave(c, i);
        });
    c.reset();
    REQUIRE(called == 70);
    REQUIRE(surprises == 0);
    REQUIRE(c.empty());
    REQUIRE(c.capacity() == 0);
    REQUIRE(c.check_invariants());
    future_of(c);
    REQUIRE(c.check_invariants());
}

TEMPLATE_TEST_CASE("extract gives out an element without its last words, and its moved-from rest says nothing", "[reentrance]",
                   SpeakingKeys<at_once>, SpeakingValues<at_once>) {
    NothingLeaks objects;
    int called = 0;
    {
        TestType c;
        for (int n = 0; n != 5; ++n) put_speaking(c, n, [&called] { ++called; });
        {
            const auto out = c.extract(typename TestType::key_type(3));
            REQUIRE(out.has_value());
            REQUIRE(called == 0);
            REQUIRE(c.size() == 4);
            REQUIRE(c.check_invariants());
        }
        REQUIRE(called == 1);
    }
    REQUIRE(called == 5);
}

TEMPLATE_TEST_CASE("an old value's destructor, when its removed key comes back, may use the container", "[reentrance]",
                   SpeakingValues<deferred>, SpeakingColumn<deferred>) {
    for (int act = 0; act != 6; ++act) {
        CAPTURE(act);
        NothingLeaks objects;
        int called = 0;
        TestType c;
        for (int n = 0; n != 10; ++n)
            put_speaking(c, n, [&c, &called, n, act] {
                if (n != 7 || called++ != 0) return;
                if (act == 0) enter(c, 100);
                if (act == 1)
                    for (int i = 100; i != 700; ++i) enter(c, i);
                if (act == 2) leave(c, 4);
                if (act == 3) c.clear();
                if (act == 4) c.flush_removed();
                if (act == 5) enter(c, 7);
            });
        leave(c, 3);
        leave(c, 7);
        const auto result = enter(c, 7);
        REQUIRE(called == 1);
        REQUIRE(c.check_invariants());
        REQUIRE(c.slot_of(typename TestType::key_type(7)) == result.it.slot());
        REQUIRE(c.size() == std::vector<std::size_t>{10, 609, 8, 1, 9, 9}[static_cast<std::size_t>(act)]);
        c.flush_removed();
        REQUIRE(c.check_invariants());
        REQUIRE(has(c, 7));
        future_of(c);
        REQUIRE(c.check_invariants());
    }
}
