// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What members of keyed containers throw, as their comments say it: which exception with which words, or none. Strong
// guarantees are in throwing_keyed*.cpp.
#include "scene.hpp"

#if defined(__cpp_exceptions)
#include "support/thrown.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_view.hpp>
#include <slotwise/keyed/set_view.hpp>

#include <stdexcept>

using namespace test;

namespace {

using ThrowingKeys = FailingSet<Throwing, at_once>;
using PendingKeys = FailingSet<ThrowingCopy, deferred, ValueArray<Throwing, ThrowingAllocator<Throwing>>>;
using ThrowingMap = FailingMap<Throwing, Throwing, at_once>;
using PendingMap = FailingMap<Throwing, ThrowingNonMovable, deferred>;

#define NEVER_KIND ThrowingKeys, PendingKeys, ThrowingMap, PendingMap

constexpr KeySetOptions narrow{.deferred_erase = true, .reuse = Reuse::lowest, .page_slots = 64, .max_slots = 64};
using FullSet = SetStorage<int, HashBy<NumberHash>, Options<narrow>>;
using FullMap = MapStorage<int, int, HashBy<NumberHash>, Options<narrow>>;

bool begins(const std::string& text, const char* words) { return text.find(words) == 0; }
/// Keys and handles of what lives.
template <class C>
auto members(const C& c) {
    return state_of(c);
}

} // namespace

TEMPLATE_TEST_CASE("erase by handle and iterator, flush, clear and reset call nothing that could throw", "[promises]",
                   NEVER_KIND) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    KeyScene<TestType> scene(100);
    const std::size_t size = scene.c.size();
    const auto handle = scene.handles[20];
    STATIC_REQUIRE(noexcept(scene.c.erase(handle)));
    STATIC_REQUIRE(noexcept(scene.c.erase(scene.c.begin())));
    STATIC_REQUIRE(noexcept(scene.c.flush_removed()));
    STATIC_REQUIRE(noexcept(scene.c.clear()));
    STATIC_REQUIRE(noexcept(scene.c.reset()));
    const std::size_t calls = Budget::calls();
    REQUIRE(scene.c.erase(handle));
    REQUIRE_FALSE(scene.c.erase(handle));
    for (auto it = scene.c.begin(); it != scene.c.end();) it = it.slot() % 3 == 0 ? scene.c.erase(it) : std::next(it);
    REQUIRE(scene.c.size() < size);
    REQUIRE(Budget::calls() == calls);
    scene.c.flush_removed();
    scene.c.clear();
    REQUIRE(scene.c.empty());
    scene.c.flush_removed();
    REQUIRE(Budget::calls() == calls);
    REQUIRE(scene.c.check_invariants());
    enter(scene.c, 7);
    leave(scene.c, 7);
    enter(scene.c, 8);
    const std::size_t before_reset = Budget::calls();
    scene.c.reset();
    REQUIRE(Budget::calls() == before_reset);
    REQUIRE(scene.c.empty());
    REQUIRE(scene.c.pending() == 0);
    REQUIRE(scene.c.capacity() == 0);
}

TEST_CASE("a full set throws length_error, which says so and what to do, without effect", "[promises]") {
    FullSet set;
    for (int i = 0; i != 64; ++i) set.insert(i);
    set.erase(3); // pending slots count
    const auto before = members(set);
    const char* const full = "keyed container insert: every slot that the handle can name is in use, pending or retired";
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.insert(100); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.emplace(100); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.reserve(65); }),
                   "keyed container reserve(count): count exceeds max_size()"));
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.reserve(64); }),
                   "keyed container reserve(count): too many slots are pending or retired; flush_removed() first"));
    REQUIRE(members(set) == before);
    set.flush_removed();
    REQUIRE(set.insert(100).it.slot() == 3);
}

TEST_CASE("a full map throws length_error, which says so, without effect; members are found and assigned as ever",
          "[promises]") {
    FullMap map;
    for (int i = 0; i != 64; ++i) map.try_emplace(i, i);
    const auto before = members(map);
    const char* const full = "keyed container insert: every slot that the handle can name is in use, pending or retired";
    REQUIRE(begins(thrown_text<std::length_error>([&] { map.try_emplace(100, 1); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { map.insert(100, 1); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { map.insert_or_assign(100, 1); }), full));
    REQUIRE(begins(thrown_text<std::length_error>([&] { map[100] = 1; }), full));
    REQUIRE(members(map) == before);
    REQUIRE_FALSE(map.insert_or_assign(5, 50).inserted);
    REQUIRE(map[5] == 50);
    REQUIRE_FALSE(map.try_emplace(6, 60).inserted);
}

TEST_CASE("at(key) of no member throws out_of_range, which says what to call instead", "[promises]") {
    MapStorage<int, int> map;
    map.try_emplace(1, 10);
    const auto gone = map.handle_of(1);
    map.erase(1);
    map.try_emplace(2, 20);
    const char* const words = "map at(key): no element has this key; ask get(key) or contains(key)";
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { map.at(1); }), words));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { std::as_const(map).at(1); }), words));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { map.at(gone); }), "map at(handle)"));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { static_cast<void>(map.as_set().at(gone)); }), "set at(handle)"));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { MapView(map).at(1); }), "map view at(key)"));
    AnyMapStorage described(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    const int one = 1;
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { described.at(&one); }), "described map at(key)"));
    REQUIRE(map.at(2) == 20);
}

TEST_CASE("a view's lookup throws what hash and equality throw, and nothing else happens", "[promises]") {
    NothingLeaks objects;
    for (const int n : {4, 777}) {
        const auto failures = fail_at_every_step([&](auto&& attempt) {
            KeyScene<ThrowingMap> scene(20), twin(20);
            const MapView<Throwing, Throwing> view(scene.c);
            const SetView<Throwing> keys(scene.c.as_set());
            const Throwing key(n);
            attempt([&] {
                if (view.contains(key) != (n == 4) || keys.contains(key) != (n == 4)) FAIL("wrong answer");
            });
            require_twins(scene, twin);
        });
        REQUIRE(failures >= 2); // two hashes, and of a member two comparisons
    }
}
#endif
