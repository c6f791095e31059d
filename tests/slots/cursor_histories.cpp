// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories of erasing and inserting while iterators walk, beside a model: each container and view that goes from one
// live slot to the next.
#include "support/catch.hpp"

#include <slotwise/slotwise.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace slotwise;

namespace {

/// Of a size that lies apart below slot 64, of one that is no power of two, and of one that lies apart everywhere.
template <std::size_t Bytes>
struct Sized {
    int value = 0;
    std::array<char, Bytes - sizeof(int)> rest{};
    Sized(int number) : value(number) {}
    friend bool operator==(const Sized& a, const Sized& b) { return a.value == b.value; }
};

int number_of(int value) { return value; }
template <std::size_t Bytes>
int number_of(const Sized<Bytes>& value) {
    return value.value;
}

/// A container and what lives in it: the number that each slot got last.
template <class C>
struct Scene {
    C c;
    std::map<slot_t, int> live;
    std::mt19937 random{7};
    int next = 0;

    void insert() {
        const int number = next++;
        slot_t slot = no_slot;
        if constexpr (requires { c.create(); })
            slot = c.create().index();
        else if constexpr (requires { c.try_emplace(number, number); })
            slot = c.try_emplace(number, number).it.slot();
        else if constexpr (requires { c.insert(number).it; })
            slot = c.insert(number).it.slot();
        else
            slot = c.emplace(number).index();
        REQUIRE(live.emplace(slot, number).second);
    }
    void erase(slot_t slot) {
        REQUIRE(c.erase(c.handle_at(slot)));
        REQUIRE(live.erase(slot) == 1);
    }
    /// A live slot from `from` on, or before it.
    slot_t some(slot_t from, bool ahead) {
        const auto first = ahead ? live.upper_bound(from) : live.begin(), last = ahead ? live.end() : live.lower_bound(from);
        const auto count = static_cast<std::size_t>(std::distance(first, last));
        return count == 0 ? no_slot : std::next(first, static_cast<std::ptrdiff_t>(random() % count))->first;
    }
    /// From nearly empty to full.
    void refill() {
        for (std::size_t i = random() % 300; i != 0 && live.size() < 600; --i) insert();
        const unsigned per_cent = std::array<unsigned, 5>{0, 1, 10, 50, 97}[random() % 5];
        std::vector<slot_t> gone;
        for (const auto& each : live)
            if (random() % 100 < per_cent) gone.push_back(each.first);
        for (const slot_t slot : gone) erase(slot);
    }
    void change(slot_t here) {
        switch (random() % 8) {
        case 0:
            erase(here);
            break;
        case 1:
        case 2:
            if (const slot_t slot = some(here, random() % 4 != 0); slot != no_slot) erase(slot);
            break;
        case 3: // all of this word and the next, or some of them
            if (random() % 8 != 0) break;
            for (
                const slot_t end = (here | 63u) + 65, begin = random() % 2 != 0 ? here : here + 1; const slot_t slot : [&] {
                    std::vector<slot_t> found;
                    for (auto at = live.lower_bound(begin); at != live.end() && at->first < end; ++at)
                        found.push_back(at->first);
                    return found;
                }())
                if (random() % 16 != 0) erase(slot);
            break;
        case 4:
            for (std::size_t i = random() % 4; i != 0 && live.size() < 900; --i) insert();
            break;
        default:
            break;
        }
    }
};

/// walk(container) is a range, slot_of(it) the slot at an iterator, and matches(it, number) what is read through it.
template <class C, class Walk, class SlotOf, class Matches>
void histories(Walk walk, SlotOf slot_of, Matches matches) {
    Scene<C> scene;
    if constexpr (requires { scene.c.reserve(1000); }) scene.c.reserve(1000); // a view ends when its container grows
    std::size_t met = 0, skipped = 0;
    for (int round = 0; round != 60; ++round) {
        scene.refill();
        const auto before = scene.live;
        std::set<slot_t> visited;
        auto&& range = walk(scene.c);
        auto it = range.begin();
        slot_t last = no_slot;
        for (const auto end = range.end(); it != end; ++it) {
            const slot_t here = slot_of(it);
            REQUIRE((last == no_slot || here > last));
            last = here;
            const auto at = scene.live.find(here); // nothing that is gone is met
            REQUIRE(at != scene.live.end());
            REQUIRE(matches(it, at->second));
            visited.insert(here);
            scene.change(here);
        }
        for (const auto& [slot, number] : before) {
            const auto at = scene.live.find(slot);
            if (at == scene.live.end() || at->second != number)
                ++skipped;
            else
                REQUIRE(visited.count(slot) == 1); // all that was there from the beginning to the end is met
        }
        met += visited.size();
        // Backwards, and forwards again from any place.
        auto&& again = walk(scene.c);
        auto back = again.end();
        for (auto at = scene.live.rbegin(); at != scene.live.rend(); ++at) {
            REQUIRE(slot_of(--back) == at->first);
            if (scene.random() % 32 != 0) continue;
            auto forth = back;
            auto beside = at.base();
            for (++forth; forth != again.end(); ++forth, ++beside) REQUIRE(slot_of(forth) == beside->first);
            REQUIRE(beside == scene.live.end());
        }
        REQUIRE(back == again.begin());
    }
    REQUIRE(met > 3000);
    REQUIRE(skipped > 500);
}

const auto whole = [](auto& c) -> auto& { return c; };
const auto own_slot = [](const auto& it) { return it.slot(); };

} // namespace

TEMPLATE_TEST_CASE("walks of a slot map meet what stays and nothing that is erased ahead of them", "[histories]",
                   (SlotMap<int>), (SlotMap<Sized<24>>), (SlotMap<Sized<300>>), (SlotMap<Sized<20000>>),
                   (SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve, .max_slots = 4096}>>),
                   (SlotMap<int, Options<SlotMapOptions{.page_slots = 128}>>)) {
    const auto same = [](const auto& it, int number) { return number_of(*it) == number; };
    histories<TestType>(whole, own_slot, same);
    histories<TestType>([](auto& c) -> const auto& { return c; }, own_slot, same);
    histories<TestType>([](auto& c) { return c.items(); }, own_slot,
                        [](const auto& it, int number) {
                            const auto [handle, value] = *it;
                            return handle.index() == it.slot() && number_of(value) == number;
                        });
    histories<TestType>([](auto& c) { return c.handles(); }, own_slot, [](const auto& it, int) { return *it == it.handle(); });
    histories<TestType>([](auto& c) { return c.values(); }, own_slot, same);
    histories<TestType>([](auto& c) { return c.live_slots(); }, [](const auto& it) { return *it; },
                        [](const auto&, int) { return true; });
}

TEST_CASE("walks of a pool meet what stays and nothing that is erased ahead of them", "[histories]") {
    histories<HandlePool<int>>(
        whole, [](const auto& it) { return (*it).index(); }, [](const auto&, int) { return true; });
}

TEMPLATE_TEST_CASE("walks of a set meet what stays and nothing that is erased ahead of them", "[histories]", (SetStorage<int>),
                   (SetStorage<int, Options<KeySetOptions{.max_slots = 4096, .growth = Growth::reserve}>>)) {
    const auto same = [](const auto& it, int number) { return *it == number; };
    histories<TestType>(whole, own_slot, same);
    histories<TestType>([](auto& c) { return c.keys(); }, own_slot, same);
    histories<TestType>([](auto& c) { return c.handles(); }, [](const auto& it) { return (*it).index(); },
                        [](const auto&, int) { return true; });
}

TEMPLATE_TEST_CASE("walks of a map with keys meet what stays and nothing that is erased ahead of them", "[histories]",
                   (MapStorage<int, int>), (MapStorage<int, Sized<24>>), (MapStorage<int, Sized<300>>)) {
    const auto same = [](const auto& it, int number) { return (*it).key == number && number_of((*it).value) == number; };
    histories<TestType>(whole, own_slot, same);
    histories<TestType>([](auto& c) -> const auto& { return c; }, own_slot, same);
    histories<TestType>([](auto& c) { return c.items(); }, own_slot, same);
    histories<TestType>([](auto& c) { return c.values(); }, own_slot,
                        [](const auto& it, int number) { return number_of(*it) == number; });
}

namespace {

/// A pool and what its handles have beside it, which is what is walked.
template <class T>
struct Followed {
    HandlePool<int> pool;
    SecondaryMap<HandlePool<int>::handle_type, T> data;

    Followed() { data.attach_to(pool); }
    auto emplace(int number) {
        const auto handle = pool.create();
        REQUIRE(data.insert(handle, T(number)).inserted);
        return handle;
    }
    auto handle_at(slot_t slot) const { return pool.handle_at(slot); }
    bool erase(HandlePool<int>::handle_type handle) { return pool.erase(handle); }
    auto begin() { return data.begin(); }
    auto end() { return data.end(); }
};

} // namespace

TEMPLATE_TEST_CASE("walks of a secondary map meet what stays and nothing that is erased ahead of them", "[histories]", int,
                   Sized<24>, Sized<300>, Sized<20000>) {
    histories<Followed<TestType>>(whole, own_slot, [](const auto& it, int number) {
        return (*it).handle.index() == it.slot() && number_of((*it).value) == number;
    });
    histories<Followed<TestType>>([](auto& c) -> const auto& { return std::as_const(c.data); }, own_slot,
                                  [](const auto& it, int number) { return number_of((*it).value) == number; });
}
