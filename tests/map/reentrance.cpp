// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Elements whose constructors and destructors use the map they live in. What they refer to is declared before the map, which
// destroys the last of them.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <functional>
#include <memory>

namespace {

using namespace test;

template <class Storage, Reuse R>
using Speaking = typename Storage::template map<CallsOnDestroy, SlotMapOptions{.reuse = R, .page_slots = 64}>;

/// A row's second member says nothing.
template <class Map>
auto put_speaking(Map& map, int value, std::function<void()> last_words) {
    if constexpr (is_soa<Map>)
        return map.insert(CallsOnDestroy(value, std::move(last_words)), CallsOnDestroy(value));
    else
        return map.insert(CallsOnDestroy(value, std::move(last_words)));
}

template <class Storage, class Test>
void on_each_policy(Test test) {
    test.template operator()<Speaking<Storage, Reuse::lifo>>();
    test.template operator()<Speaking<Storage, Reuse::fifo>>();
    test.template operator()<Speaking<Storage, Reuse::lowest>>();
}

} // namespace

TEMPLATE_TEST_CASE("a destructor may erase other elements, in a chain", "[reentrance]", ALL_STORAGES) {
    on_each_policy<TestType>([]<class Map> {
        NothingLeaks objects;
        std::vector<typename Map::handle_type> handles(100);
        Map map;
        for (std::size_t i = 0; i != 100; ++i)
            handles[i] = put_speaking(map, static_cast<int>(i), [&map, &handles, i] {
                if (i + 2 < 100) map.erase(handles[i + 2]);
            });
        REQUIRE(map.erase(handles[0]));
        REQUIRE(map.size() == 50);
        for (std::size_t i = 0; i != 100; ++i) REQUIRE(map.contains(handles[i]) == (i % 2 == 1));
        REQUIRE(map.check_invariants());
        for (std::size_t i = 1; i != 99; i += 2) REQUIRE(number_of(map, handles[i]) == static_cast<int>(i));
    });
}

TEMPLATE_TEST_CASE("erase_if goes on soundly when destructors erase what it has not seen yet", "[reentrance]", ALL_STORAGES) {
    on_each_policy<TestType>([]<class Map> {
        NothingLeaks objects;
        std::vector<typename Map::handle_type> handles(80);
        Map map;
        for (std::size_t i = 0; i != 80; ++i)
            handles[i] = put_speaking(map, static_cast<int>(i), [&map, &handles, i] {
                for (const std::size_t other : {(i + 1) % 80, (i + 40) % 80, (i + 79) % 80}) map.erase(handles[other]);
            });
        std::size_t asked = 0;
        map.erase_if([&](typename Map::handle_type handle, const auto& element) {
            REQUIRE(map.contains(handle));
            ++asked;
            return test::number(element) % 7 == 3;
        });
        REQUIRE(asked > 0);
        REQUIRE(map.check_invariants());
        std::size_t left = 0;
        for (const auto handle : handles) left += map.contains(handle);
        REQUIRE(left == map.size());
    });
}

TEMPLATE_TEST_CASE("a destructor may erase while the map is cleared: it finds nothing of the old, and may erase the new",
                   "[reentrance]", ALL_STORAGES) {
    on_each_policy<TestType>([]<class Map> {
        NothingLeaks objects;
        std::vector<typename Map::handle_type> handles;
        int surprises = 0;
        Map map;
        for (std::size_t i = 0; i != 70; ++i)
            handles.push_back(put_speaking(map, static_cast<int>(i), [&map, &handles, &surprises] {
                for (const auto handle : handles) surprises += map.erase(handle);
                const auto born = put(map, 5);
                if (!map.erase(born)) ++surprises;
                if (map.contains(born)) ++surprises;
            }));
        map.clear();
        REQUIRE(surprises == 0);
        REQUIRE(map.empty());
        REQUIRE(map.check_invariants());
        REQUIRE(futures(map).size() == 40);
        REQUIRE(map.check_invariants());
    });
}

TEMPLATE_TEST_CASE("whatever else a destructor calls during clear is refused or sound", "[reentrance]", ALL_STORAGES) {
    on_each_policy<TestType>([]<class Map> {
        NothingLeaks objects;
        std::vector<typename Map::handle_type> handles, reserved;
        Map map;
        for (int i = 0; i != 70; ++i)
            handles.push_back(put_speaking(map, i, [&, i] {
                if (i == 3) map.shrink_to_fit();
                if (i == 7) reserved.push_back(map.reserve_handle());
                if (i == 9) put_at(map, handles[40], 9);
                if (i == 11) put_at(map, typename Map::handle_type(handles[60].index(), 7), 9);
                if (i == 13) map.reserve(500);
                if (i == 15) map.recycle_retired();
                if (i == 17) map.erase_if([](const auto&...) { return true; });
            }));
        map.clear();
        REQUIRE(map.check_invariants());
        for (const auto handle : reserved) REQUIRE(fulfill(map, handle, 1));
        const auto given = futures(map, 200);
        REQUIRE(given.size() == 200);
        REQUIRE(map.check_invariants());
    });
}

TEMPLATE_TEST_CASE("a destructor may insert and erase while the map dies or is assigned to", "[reentrance]", ALL_STORAGES) {
    on_each_policy<TestType>([]<class Map> {
        NothingLeaks objects;
        int inserted = 0;
        {
            std::vector<typename Map::handle_type> handles;
            auto map = std::make_unique<Map>();
            for (int i = 0; i != 40; ++i)
                handles.push_back(put_speaking(*map, i, [&map = *map, &handles, &inserted] {
                    map.erase(handles[3]);
                    put(map, ++inserted);
                }));
        }
        REQUIRE(inserted == 40);
    });
}

TEMPLATE_TEST_CASE("insert_with's function may insert, erase and clear in the same map", "[reentrance]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    using handle_type = typename decltype(map)::handle_type;
    const auto first = put(map, 1);
    std::vector<handle_type> inner;
    const auto outer = put_with(map, 2, [&](handle_type self) {
        REQUIRE_FALSE(map.contains(self));
        REQUIRE(map.get(self) == nullptr);
        REQUIRE_FALSE(map.erase(self));
        for (int i = 0; i != 300; ++i) inner.push_back(put(map, 10 + i)); // grows
        map.erase(first);
        inner.push_back(put_with(map, 999, [&](handle_type nested) { REQUIRE(nested != self); }));
    });
    REQUIRE(number_of(map, outer) == 2);
    REQUIRE(map.size() == 302);
    REQUIRE(number_of(map, inner.back()) == 999);
    REQUIRE(map.check_invariants());
    const auto last = put_with(map, 3, [&](handle_type) { map.clear(); });
    REQUIRE(map.size() == 1);
    REQUIRE(number_of(map, last) == 3);
    REQUIRE_FALSE(map.contains(outer));
    REQUIRE(map.check_invariants());
    futures(map);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("an observer that attaches inside insert_with's function is notified of its element, once", "[reentrance]",
                   ALL_STORAGES) {
    struct Counts final : SlotObserver {
        std::vector<slot_t> inserted;
        bool refuses = false;
        void on_insert(slot_t slot, InsertKind) override {
            inserted.push_back(slot);
            if (refuses) TEST_THROW(slot);
        }
    };
    Counts counts;
    std::vector<ObserverToken> tokens;
    typename TestType::template map<int> map;
    using handle_type = typename decltype(map)::handle_type;
    put(map, 1);
    const auto made = put_with(map, 2, [&](handle_type) { tokens.push_back(map.attach(counts)); });
    REQUIRE((counts.inserted == std::vector<slot_t>{0, made.index()} && number_of(map, made) == 2));
#if defined(__cpp_exceptions)
    handle_type refused;
    counts.refuses = true;
    REQUIRE_THROWS_AS(put_with(map, 3, [&](handle_type self) { refused = self; }), slot_t);
    counts.refuses = false;
    REQUIRE((map.size() == 2 && map.explain(refused) == HandleStatus::stale && put(map, 4) != refused));
#endif
    REQUIRE(map.check_invariants());
}

namespace {

/// Inserts children into the map it is built in.
struct Parent {
    using Map = SlotMap<Parent, Options<SlotMapOptions{.page_slots = 64}>>;
    Parent(Map& map, int depth) : value(depth) {
        if (depth == 0) return;
        left = map.emplace(map, depth - 1);
        right = map.emplace(map, depth - 1);
    }
    Map::handle_type left{}, right{};
    int value;
};

/// Inserts and then throws.
struct Regretful {
    using Map = SlotMap<Regretful, Options<SlotMapOptions{.reuse = Reuse::lifo}>>;
    Regretful() noexcept : value(0) {}
    explicit Regretful(Map& map) : value(1) {
        map.emplace();
        map.emplace();
        TEST_THROW(InjectedFailure{});
    }
    ~Regretful() { value = -1; }
    int value;
};

} // namespace

TEST_CASE("a constructor may insert into the map that builds it, at any depth", "[reentrance]") {
    Parent::Map map;
    const auto root = map.emplace(map, 8);
    REQUIRE(map.size() == 511);
    REQUIRE(map.check_invariants());
    std::size_t visited = 0;
    const std::function<void(Parent::Map::handle_type)> walk = [&](Parent::Map::handle_type handle) {
        if (handle.is_null()) return;
        const Parent& parent = map.at(handle);
        ++visited;
        if (!parent.left.is_null()) REQUIRE(map.at(parent.left).value == parent.value - 1);
        walk(parent.left);
        walk(parent.right);
    };
    walk(root);
    REQUIRE(visited == 511);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("a constructor that inserts and then throws keeps what it inserted and loses nothing else", "[reentrance]") {
    Regretful::Map map;
    const auto first = map.emplace();
    map.erase(map.emplace());
    for (int i = 0; i != 3; ++i) REQUIRE_THROWS_AS(map.emplace(map), InjectedFailure);
    REQUIRE(map.size() == 7);
    REQUIRE(map.contains(first));
    REQUIRE(map.check_invariants());
    for (int i = 0; i != 10; ++i) map.emplace();
    REQUIRE(map.size() == 17);
    REQUIRE(map.check_invariants());
    const Regretful::Map::handle_type taken(40, 1);
    REQUIRE_THROWS_AS(map.insert_at(taken, map), InjectedFailure); // its inserts may take what the failed one gave back
    REQUIRE(map.check_invariants());
    REQUIRE_FALSE(map.contains(taken));
    for (int i = 0; i != 60; ++i) map.emplace();
    REQUIRE(map.size() == 79);
    REQUIRE(map.check_invariants());
}
#endif

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("a failed insert_at between two free slots that its constructor takes loses no slot", "[reentrance]") {
    Regretful::Map map;
    std::vector<Regretful::Map::handle_type> handles;
    for (int i = 0; i != 8; ++i) handles.push_back(map.emplace());
    for (const std::size_t i : {2u, 4u, 6u}) map.erase(handles[i]); // free list 6, 4, 2
    const Regretful::Map::handle_type middle(4, 5);
    REQUIRE_THROWS_AS(map.insert_at(middle, map), InjectedFailure); // takes 6 and 2, the neighbours of 4
    REQUIRE(map.size() == 7);
    REQUIRE(map.check_invariants());
    REQUIRE(map.emplace().index() == 4);
    REQUIRE(map.size() == 8);
    REQUIRE(map.check_invariants());
}
#endif
