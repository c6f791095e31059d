// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// items_present(): the walk over what was there, against a model of the handles at its beginning, while everything changes.
#include "support/catch.hpp"

#include <slotwise/slotwise.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;

namespace {

constexpr SlotMapOptions narrow{.handle = {12, 4, 0}, .reuse = Reuse::lifo};
constexpr KeySetOptions deferred{.deferred_erase = true};

/// A container, the handles that live in it, and what each running walk must still visit, the outermost first.
template <class C>
struct World {
    using H = typename C::handle_type;
    static constexpr bool keyed = requires(C& c) { c.key_eq(); };
    static constexpr bool bare = requires(C& c) { c.create(); }; // handles and no elements
    static constexpr bool described = requires(C& c) { c.insert_moved(nullptr); };

    C c{make()};
    std::vector<H> live{}, promised{}, dead{};
    std::vector<int> erased{}; // keys that were members
    std::vector<std::vector<H>> expected{};
    int next = 0;
    std::size_t visits = 0, newcomers = 0;

    static C make() {
        if constexpr (described)
            return C(TypeDescriptor::of<int>());
        else
            return C();
    }
    H put(int n) {
        if constexpr (keyed && requires { c.insert(n, n).kind; })
            return c.handle_of(c.insert(n, n).it);
        else if constexpr (keyed)
            return c.handle_of(c.insert(n).it);
        else if constexpr (described)
            return c.insert(static_cast<const void*>(&n));
        else if constexpr (bare)
            return c.create();
        else if constexpr (requires { c.emplace(n, n); })
            return c.emplace(n, n);
        else if constexpr (std::is_same_v<typename C::value_type, std::string>)
            return c.emplace(std::to_string(n));
        else
            return c.emplace(n);
    }
    void add(std::size_t count) {
        for (; count != 0 && c.size() < 3000; --count) {
            live.push_back(put(next++));
            ++newcomers;
        }
    }
    void gone(H handle) {
        for (auto& walk : expected) std::erase(walk, handle);
    }
    void erase(std::size_t i) {
        const H handle = live[i];
        if constexpr (keyed) {
            if constexpr (requires { c.value(slot_t{}); })
                erased.push_back(c.value(handle.index()));
            else
                erased.push_back(c.key(handle.index()));
        }
        REQUIRE(c.erase(handle));
        live[i] = live.back();
        live.pop_back();
        dead.push_back(handle);
        gone(handle);
    }
    void all_gone() {
        for (auto& walk : expected) walk.clear();
        live.clear();
        promised.clear();
    }

    void act(std::mt19937& random, int depth) {
        switch (random() % 32) {
        case 0:
            if (random() % 8 != 0) break;
            c.clear();
            all_gone();
            break;
        case 1:
            c.shrink_to_fit();
            break;
        case 2:
            c.reserve(c.capacity() + 1 < C::max_size() / 2 ? c.size() + random() % 500 : c.size());
            break;
        case 3:
            if (depth < 3) walk(random, depth + 1);
            break;
        case 4: { // there and back: the walks go on
            C other(std::move(c));
            c = std::move(other);
            break;
        }
        case 5: {
            C other(make());
            c.swap(other);
            c.swap(other);
            break;
        }
        case 6:
            if (random() % 32 == 0) { // the walks end, and the map that is left gets other elements
                C other(std::move(c));
                all_gone();
                add(40);
            }
            break;
        case 7:
            if (random() % 32 == 0 && !described) {
                if constexpr (!described) c.restore(c.snapshot());
                for (auto& walk : expected) walk.clear();
            }
            break;
        case 8:
            if (random() % 32 == 0) {
                const C copy(c);
                c = copy;
                for (auto& walk : expected) walk.clear();
            }
            break;
        case 9:
            if (random() % 8 == 0)
                while (!live.empty()) erase(live.size() - 1);
            break;
        case 10:
            if constexpr (bare)
                break;
            else if constexpr (!keyed) {
                if (c.size() < 3000) promised.push_back(c.reserve_handle());
            } else
                c.flush_removed();
            break;
        case 11:
        case 12:
            if constexpr (bare)
                break;
            else if constexpr (!keyed) { // a reserved slot below the current one becomes live
                if (!promised.empty()) {
                    const int n = next++;
                    if constexpr (described)
                        REQUIRE(c.fulfill(promised.back(), AnyValue::copied(&n)) != nullptr);
                    else if constexpr (requires { c.emplace(n, n); })
                        REQUIRE(c.fulfill(promised.back(), n, n) != nullptr);
                    else if constexpr (std::is_same_v<typename C::value_type, std::string>)
                        REQUIRE(c.fulfill(promised.back(), "promised") != nullptr);
                    else
                        REQUIRE(c.fulfill(promised.back(), n) != nullptr);
                    live.push_back(promised.back());
                    promised.pop_back();
                }
            } else if (!erased.empty()) { // resurrected, where the erase is deferred
                const int n = erased.back();
                erased.pop_back();
                if (!c.contains(n)) live.push_back(put(n));
            }
            break;
        case 13:
            if constexpr (!keyed && !described && !requires { c.emplace(1, 1); }) { // an undo of an erase
                if (!dead.empty()) {
                    const H handle = dead.back();
                    dead.pop_back();
                    if constexpr (bare) {
                        if (c.insert_at(handle)) live.push_back(handle);
                    } else if (c.insert_at(handle, typename C::value_type()) != nullptr)
                        live.push_back(handle);
                }
            }
            break;
        case 14:
        case 15:
        case 16:
        case 17:
        case 18:
        case 19:
            if (!live.empty()) erase(random() % live.size());
            break;
        default:
            add(random() % 4);
        }
    }

    void walk(std::mt19937& random, int depth) {
        const std::size_t me = expected.size();
        expected.push_back(live);
        std::sort(expected[me].begin(), expected[me].end());
        auto present = c.items_present();
        for (auto it = present.begin(); it != present.end(); ++it) {
            REQUIRE_FALSE(expected[me].empty());
            const H handle = c.handle_at(it.slot());
            REQUIRE(handle == expected[me].front());
            expected[me].erase(expected[me].begin());
            const auto item = *it;
            if constexpr (bare)
                REQUIRE(item == handle);
            else if constexpr (requires { item.handle == handle; })
                REQUIRE(item.handle == handle);
            else
                REQUIRE(item.key == item.value);
            ++visits;
            for (std::size_t n = random() % 3; n != 0; --n) act(random, depth);
        }
        REQUIRE(expected[me].empty());
        expected.pop_back();
    }
};

/// Counts what it is notified of, and starts a walk in one hook.
template <class F>
struct Starter final : SlotObserver {
    explicit Starter(F hook) : start(hook) {}
    void on_remove(slot_t) noexcept override { start(); }
    void on_clear(Occupancy) noexcept override { start(); }
    F start;
};

/// The slots of a walk from where it is.
template <class Range, class Iterator>
std::vector<slot_t> rest(const Range& range, Iterator it) {
    std::vector<slot_t> slots;
    for (; it != range.end(); ++it) slots.push_back(it.slot());
    return slots;
}
template <class Range>
std::vector<slot_t> rest(const Range& range) {
    return rest(range, range.begin());
}

} // namespace

TEMPLATE_TEST_CASE("a walk over what was there visits exactly what was there and stayed, whatever comes and goes meanwhile",
                   "[present]", (SlotMap<int>), (SlotMap<std::string, Options<narrow>>), (DenseSlotMap<int>),
                   (SoaSlotMap<int, int>), (AnySlotMap), (HandlePool<int>), (HandlePool<int, Options<narrow>, Column<int>>),
                   (SetStorage<int>), (SetStorage<int, Options<deferred>>), (MapStorage<int, int>),
                   (MapStorage<int, int, Options<deferred>>)) {
    std::size_t visits = 0, newcomers = 0;
    for (unsigned seed = 0; seed != 12; ++seed) {
        std::mt19937 random(seed);
        World<TestType> world;
        for (int round = 0; round != 12; ++round) {
            world.add(random() % 200);
            world.walk(random, 1);
            REQUIRE(world.c.check_invariants());
            REQUIRE(world.c.size() == world.live.size());
        }
        visits += world.visits;
        newcomers += world.newcomers;
    }
    REQUIRE(visits > 2000);
    REQUIRE(newcomers > 2000);
}

TEST_CASE("elements that are spawned during an update are not updated by it, and slots are reused nevertheless", "[present]") {
    SlotMap<int> map;
    for (int i = 0; i != 100; ++i) map.insert(0);
    for (int frame = 1; frame != 200; ++frame) {
        std::size_t updated = 0;
        for (auto [handle, age] : map.items_present()) {
            REQUIRE(age < frame);
            age = frame;
            ++updated;
            if (updated % 2 == 0) {
                map.erase(handle);
                map.insert(frame);
            }
        }
        REQUIRE(updated == 100);
        REQUIRE(map.slots().begin() != map.slots().end());
        for (const slot_t slot : map.slots()) REQUIRE(slot < 101);
    }
}

TEST_CASE("a walk ends when its elements go to another container, and newcomers in their slots are not visited", "[present]") {
    SlotMap<int> map{0, 1, 2, 3};
    {
        auto present = map.items_present();
        auto it = present.begin();
        SlotMap<int> other(std::move(map));
        for (int i = 0; i != 4; ++i) map.insert(i); // the same handles, of other elements
        REQUIRE(++it == present.end());
        REQUIRE(rest(present).empty());
    }
    {
        auto present = map.items_present();
        SlotMap<int> other{7, 8};
        map.swap(other);
        REQUIRE(rest(present).empty());
        map.swap(other);
        REQUIRE(rest(present) == std::vector<slot_t>{0, 1, 2, 3});
    }
    {
        auto present = map.items_present();
        const SlotMap<int> other(map);
        map = other;
        REQUIRE(rest(present).empty());
    }
    {
        auto present = map.items_present();
        map.restore(map.snapshot());
        REQUIRE(rest(present).empty());
    }
    {
        auto present = map.items_present();
        map = SlotMap<int>{1, 2, 3, 4};
        REQUIRE(rest(present).empty());
    }
    std::optional<SlotMap<int>> mortal(map);
    auto present = mortal->items_present();
    auto it = present.begin();
    REQUIRE(it != present.end());
    mortal.reset();
    REQUIRE(++it == present.end());
}

TEST_CASE("a walk that begins while the contents are exchanged visits neither the old nor the new elements", "[present]") {
    using Map = SlotMap<int>;
    Map map{0, 1, 2}, other{5, 6, 7, 8};
    using Range = decltype(map.items_present());
    std::unique_ptr<Range> present;
    const auto start = [&] {
        if (present == nullptr) present.reset(new Range(map.items_present()));
    };
    Starter<decltype(start)> starter(start);
    const ObserverToken token = map.attach(starter);
    map = other;
    REQUIRE(present != nullptr);
    REQUIRE(rest(*present).empty());
}

TEST_CASE("a walk that begins inside an erase or a clear does not visit what is being destroyed", "[present]") {
    SlotMap<int> map{0, 1, 2};
    using Range = decltype(map.items_present());
    std::unique_ptr<Range> present;
    const auto start = [&] { present.reset(new Range(map.items_present())); };
    {
        Starter<decltype(start)> starter(start);
        const ObserverToken token = map.attach(starter);
        map.erase(map.handle_at(1));
        REQUIRE(rest(*present) == std::vector<slot_t>{0, 2});
        map.clear();
    }
    for (int i = 0; i != 3; ++i) map.insert(i);
    REQUIRE(rest(*present).empty());

    struct Walking { // its destructor looks at the map that destroys it
        explicit Walking(std::vector<slot_t>* seen_, SlotMap<Walking>* map_) : seen(seen_), map(map_) {}
        Walking(const Walking&) = delete;
        ~Walking() {
            auto range = map->items_present();
            for (const slot_t slot : rest(range)) seen->push_back(slot);
        }
        std::vector<slot_t>* seen;
        SlotMap<Walking>* map;
    };
    std::vector<slot_t> seen;
    SlotMap<Walking> walking;
    for (int i = 0; i != 4; ++i) walking.emplace(&seen, &walking);
    walking.clear();
    REQUIRE(seen.empty());
    for (int i = 0; i != 2; ++i) walking.emplace(&seen, &walking);
    walking.erase(walking.handle_at(0));
    REQUIRE(seen == std::vector<slot_t>{1});
}

TEST_CASE("items of a walk over what was there bind as those of the container", "[present]") {
    MapStorage<std::string, int> stock{{"nails", 1}, {"screws", 2}};
    for (auto [name, count] : stock.items_present()) {
        stock.insert(name + "!", 10);
        count *= 2;
    }
    REQUIRE(stock.size() == 4);
    REQUIRE(stock.at("nails") == 2);
    REQUIRE(stock.at("screws!") == 10);
    SetStorage<int> set{1, 2};
    for (auto [handle, key] : set.items_present()) {
        REQUIRE(set.handle_of(key) == handle);
        set.erase(handle);
        set.insert(key + 100); // into the slot that was vacated
    }
    REQUIRE(set.size() == 2);
    SoaSlotMap<int, double> rows;
    rows.emplace(1, 2.0);
    for (auto [handle, row] : rows.items_present()) {
        rows.emplace(7, 7.0);
        std::get<1>(*rows.get(handle)) = 3.0;
    }
    REQUIRE(rows.size() == 2);
    HandlePool<struct Body> bodies;
    bodies.create();
    for (const auto body : bodies.items_present()) REQUIRE((bodies.create() != body && bodies.erase(body)));
    REQUIRE(bodies.size() == 1);
    SlotMap<int> none;
    auto nothing = none.items_present();
    REQUIRE(nothing.begin() == nothing.end());
    auto range = stock.items_present();
    STATIC_REQUIRE(std::forward_iterator<decltype(range.begin())>);
    REQUIRE(std::ranges::distance(range) == 4);
}
