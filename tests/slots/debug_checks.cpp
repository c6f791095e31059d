// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What level debug finds: elements erased ahead of a walk, views that outlived what they show, observers that died attached.
// And what stays allowed: erasing the element at hand, inserting, walking while a clear runs.
#include <slotwise/slotwise.hpp>

#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#if SLOTWISE_CHECK_LEVEL >= 2
#include "support/death.hpp"
#endif

using namespace slotwise;

namespace {

using Deferred = MapStorage<int, int, Options<KeySetOptions{.deferred_erase = true}>>;
template <class C>
void fill(C& c, int n) {
    for (int i = 0; i != n; ++i)
        if constexpr (std::is_same_v<typename C::value_type, std::string>)
            c.insert(std::string(30, static_cast<char>('a' + i % 26)));
        else if constexpr (requires { c.insert(i, i); })
            c.insert(i, i);
        else
            c.insert(i);
}
template <class C>
auto handle_in(const C& c, slot_t slot) {
    return c.handle_at(slot);
}

} // namespace

TEMPLATE_TEST_CASE("f of for_each may erase the element it is given and insert, at every level", "", SlotMap<int>,
                   (MapStorage<int, int>), KeySet<int>, Deferred) {
    TestType c;
    fill(c, 130);
    int met = 0;
    c.for_each([&](auto handle, auto&...) {
        c.erase(handle);
        if (++met < 100) {
            if constexpr (requires { c.insert(1, 1); })
                c.insert(1000 + met, 1);
            else
                c.insert(1000 + met);
        }
    });
    CHECK(met >= 130);
    CHECK(c.check_invariants());
}

TEST_CASE("a walk from a destructor while a clear runs meets what still has to be destroyed, at every level") {
    int met = 0;
    {
        SlotMap<test::CallsOnDestroy> map;
        for (int i = 0; i != 70; ++i) map.emplace(i, [&] { map.for_each([&](auto&) { ++met; }); });
        map.clear();
    }
    CHECK(met > 70);
}

TEST_CASE("views show inserts and erases below their end, and an on_clear keeps its slots while a destructor grows the map") {
    SlotMap<int> map;
    fill(map, 64);
    const Occupancy live = map.occupancy();
    map.erase(map.handle_at(slot_t{3}));
    CHECK((live.count() == 63 && !live.test(3)));
    map.insert(1);
    CHECK((live.all() && live.part(0, 10).count() == 10 && live.words().size() == 1));
    struct Grows final : SlotObserver {
        SlotMap<test::CallsOnDestroy>* map = nullptr;
        std::size_t seen = 0;
        void on_clear(Occupancy slots) noexcept override { seen = slots.count(); }
    } grows;
    SlotMap<test::CallsOnDestroy> inserts;
    const auto token = inserts.attach(grows);
    for (int i = 0; i != 64; ++i) inserts.emplace(i, [&] { inserts.emplace(0, [] {}), inserts.reserve(5000); });
    inserts.emplace(1, [] {});
    for (int round = 0; round != 3; ++round) inserts.clear();
    CHECK(grows.seen != 0);
    CHECK(inserts.check_invariants());
}

#if SLOTWISE_CHECK_LEVEL >= 2
TEMPLATE_TEST_CASE("erasing an element ahead of for_each is a failed check, where it lies in the word at hand", "",
                   SlotMap<int>, SlotMap<std::string>, (MapStorage<int, int>), KeySet<int>, Deferred) {
    TestType c;
    fill(c, 70);
    const auto later = handle_in(c, 9);
    CHECK(test::dies_saying("for_each: f erased an element ahead", [&] { c.for_each([&](auto&...) { c.erase(later); }); }));
    CHECK(test::dies_saying("for_each: f erased an element ahead", [&] { c.for_each([&](auto&...) { c.clear(); }); }));
}

TEST_CASE("erasing ahead of a walk over values that lie in pages of their own is a failed check") {
    struct Large {
        std::unique_ptr<int> value = std::make_unique<int>(1);
        char rest[20'000] = {};
    };
    SlotMap<Large> map;
    std::vector<SlotMap<Large>::handle_type> handles;
    for (int i = 0; i != 12; ++i) handles.push_back(map.emplace());
    const auto dies = [&](auto&& change) {
        return test::dies_saying("for_each: f erased an element ahead", [&] { map.for_each([&](Large&) { change(); }); });
    };
    CHECK(dies([&] { map.erase(handles[9]); }));
    CHECK(dies([&] { map.clear(); }));
    CHECK(dies([&] { map.clear(), map.shrink_to_fit(); }));
}

TEST_CASE("erasing ahead of a walk over a column, a chunk or a view is a failed check") {
    SlotMap<int> map;
    fill(map, 70);
    MapStorage<int, int> words;
    fill(words, 70);
    const auto later = map.handle_at(slot_t{9});
    CHECK(test::dies_saying("f erased an element ahead", [&] { map.values().for_each([&](int&) { map.erase(later); }); }));
    CHECK(test::dies_saying("f erased an element ahead", [&] {
        const auto f = [&](int&) { map.erase(later); };
        for (const auto& chunk : map.chunks()) ColumnView<int>::for_each_in_chunk(chunk, f);
    }));
    CHECK(test::dies_saying("f erased an element ahead",
                            [&] { MapView<int, int>(words).for_each([&](int, int) { words.erase(9); }); }));
}

TEMPLATE_TEST_CASE("changing the rows inside for_each of a packed map is a failed check", "", DenseSlotMap<int>,
                   DenseSlotMap<std::string>, (SoaSlotMap<int, int>)) {
    TestType c;
    fill(c, 5);
    const auto first = c.handle_at(slot_t{0}), last = c.handle_at(slot_t{4});
    const auto dies = [&](auto&& change) {
        return test::dies_saying("the rows have moved", [&] { c.for_each([&](auto&...) { change(); }); });
    };
    CHECK(dies([&] { c.erase(first); }));
    CHECK(dies([&] { c.erase(last); }));
    CHECK(dies([&] { c.erase(last), fill(c, 1); })); // as many as before, and no growth
    CHECK(dies([&] { c.clear(); }));
    CHECK(dies([&] { c.reserve(1000); }));
    if constexpr (requires { c.sort(std::less<>()); })
        CHECK(dies([&, front = true]() mutable {
            c.sort([&](auto& a, auto& b) { return front ? a < b : b < a; });
            front = false;
        }));
}

TEST_CASE("changing a SparseSecondaryMap inside its for_each is a failed check") {
    using H = SlotMap<int>::handle_type;
    SparseSecondaryMap<H, std::string> map;
    for (slot_t slot = 0; slot != 16; ++slot) map.insert(H(slot, 1), "a");
    const auto dies = [&](auto&& change) {
        return test::dies_saying("the rows have moved", [&] { map.for_each([&](H, auto&) { change(); }); });
    };
    CHECK(dies([&] { map.erase(H(0, 1)); }));
    CHECK(dies([&] { map.erase(H(15, 1)); }));
    CHECK(dies([&] { map.clear(); }));
    CHECK(dies([&] { map.insert(H(16, 1), "b"); }));
}

TEST_CASE("an iterator of a packed map at a row that is gone is a failed check") {
    SoaSlotMap<int, char> rows;
    const auto one = rows.insert(1, 'a');
    const auto it = rows.begin();
    CHECK(test::dies_saying("the rows from here on were erased", [&] { static_cast<void>(*rows.end()); }));
    rows.erase(one);
    CHECK(test::dies_saying("the rows from here on were erased", [&] { static_cast<void>(*it); }));
}

TEMPLATE_TEST_CASE("using a view after its container has grown, shrunk, moved or died is a failed check", "", SlotMap<int>,
                   DenseSlotMap<int>, (SoaSlotMap<int, int>), (MapStorage<int, int>), KeySet<int>, Deferred) {
    auto c = std::make_unique<TestType>();
    fill(*c, 130);
    const Occupancy live = c->occupancy();
    const SlotRange slots = c->slots();
    REQUIRE(live.count() == 130);
    const auto stale = [&](auto&& change) {
        const char* const words = "the container has grown, shrunk, moved or died since";
        return test::dies_saying(words, [&] { change(), static_cast<void>(live.test(3)); }) &&
               test::dies_saying(words, [&] { change(), static_cast<void>(slots.begin()); }) && test::dies_saying(words, [&] {
                   live.for_each([&, first = true](slot_t) mutable {
                       if (std::exchange(first, false)) change();
                   });
               });
    };
    std::optional<TestType> other;
    CHECK(stale([&] { c->reserve(c->capacity() + 1); }));
    CHECK(stale([&] { c->clear(), c->shrink_to_fit(); }));
    CHECK(stale([&] { other.emplace(std::move(*c)); }));
    CHECK(stale([&] { other.emplace(), other->swap(*c); }));
    CHECK(stale([&] { *c = TestType(); }));
    CHECK(stale([&] { c->restore(TestType().snapshot()); }));
    CHECK(stale([&] { std::destroy_at(c.get()); }));
    if constexpr (requires { c->keys(); }) {
        const auto keys = c->keys();
        CHECK(test::dies_saying("Occupancy: the container has grown", [&] { c->reserve(5000), static_cast<void>(keys[0]); }));
    }
    SetStorage<int, Column<float>> set{1};
    const auto column = set.column<float>();
    CHECK(test::dies_saying("Occupancy: the container has grown", [&] { set.reserve(5000), static_cast<void>(column[0]); }));
}

TEST_CASE("an observer, a follower or a subscriber that is destroyed while it is attached is a failed check") {
    struct Deaf final : SlotObserver {};
    struct Subscriber final : SeriesSubscriber<> {
        void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
    };
    const auto dies = [](auto&& f) { return test::dies_saying("is destroyed while it is attached", f); };
    SlotMap<int> map;
    MapStorage<int, int> words;
    TSSStorage<int> series;
    CHECK(dies([&] {
        ObserverToken token;
        Deaf dead;
        token = map.attach(dead);
    }));
    CHECK(dies([&] {
        ObserverToken token;
        DynamicColumn<ValueArray<int>> dead;
        token = words.attach(dead);
    }));
    CHECK(dies([&] {
        Subscription<> token;
        Subscriber dead;
        token = series.subscribe(dead);
    }));
    auto dead = std::make_unique<Deaf>();
    auto token = map.attach(*dead);
    CHECK(dies([&] { dead.reset(); }));
    token.detach();
}

TEST_CASE("an observer that is no longer attached may be destroyed: after detach, after the container, as a copy, and after a "
          "follower was moved") {
    struct Deaf final : SlotObserver {};
    SlotMap<int> map;
    {
        Deaf first;
        const Deaf copy(first);
        auto token = map.attach(first);
        Deaf second(first);
        second = first;
        ObserverToken of_second, moved;
        ObserverToken::exchange(token, first, of_second, second);
        moved = std::move(token);
        CHECK((of_second.attached() && !moved.attached()));
        { const Deaf third(second); }
        of_second.detach();
        moved = map.attach(first);
        moved = map.attach(second);
        moved.detach();
        SlotMap<int> dying;
        token = dying.attach(first);
        const auto twice = dying.attach(first);
        dying = SlotMap<int>();
        CHECK((!token.attached() && !twice.attached()));
    }
    std::optional<SecondaryMap<SlotMap<int>::handle_type, int>> follower(std::in_place), next;
    follower->attach_to(map);
    next.emplace(std::move(*follower));
    follower.reset();
    CHECK(next->attached());
}
#endif
