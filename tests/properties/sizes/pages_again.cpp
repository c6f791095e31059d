// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers that stand on SparsePages use the pages of what was erased again: elements that come and go allocate nothing, in
// whatever order, and memory is that of the most elements at once, until shrink_to_fit() gives it back.
#include "support/catch.hpp"
#include "support/heap_cap.hpp" // capped_new.hpp is in memory_exhausted.cpp

#include <slotwise/slotwise.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {
using namespace slotwise;

using E = Handle<struct Came>;
constexpr slot_t count = 20'000;

struct Position {
    float x = 0, y = 0;
};
struct Chosen {};

/// What is done to a container of ids.
template <class C, class Id = E>
struct OfIds {
    C c{};
    static Id id(slot_t i) {
        if constexpr (std::is_same_v<Id, slot_t>)
            return i;
        else
            return Id(i, 1);
    }
    bool insert(slot_t i) {
        if constexpr (requires { c.set(id(i), 7); })
            return c.set(id(i), 7);
        else if constexpr (requires { c.try_emplace(id(i)); })
            return c.try_emplace(id(i)).inserted;
        else
            return c.insert(id(i)).inserted;
    }
    bool erase(slot_t i) { return c.erase(id(i)); }
    std::size_t size() const { return c.size(); }
};
/// What is done to entities that have one sparse component.
template <class T>
struct OfEntities {
    ArchetypeStore c{};
    std::vector<Entity> entities{};
    OfEntities() {
        c.registry().add<T>({.sparse = true});
        for (slot_t i = 0; i != count; ++i) entities.push_back(c.spawn());
    }
    bool insert(slot_t i) { return c.add(entities[i], T{}); }
    bool erase(slot_t i) { return c.has<T>(entities[i]) && c.remove<T>(entities[i]); }
    std::size_t size() const {
        std::size_t found = 0;
        for (const Entity each : entities) found += c.has<T>(each);
        return found;
    }
};

std::vector<slot_t> shuffled(unsigned seed) {
    std::vector<slot_t> order(count);
    for (slot_t i = 0; i != count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(seed)); // NOLINT(cert-msc51-cpp,cert-msc32-c)
    return order;
}

} // namespace

TEMPLATE_TEST_CASE("elements that come and go in any order use the pages of those before them", "[properties][sizes]",
                   (OfIds<SecondaryMap<E, int>>), (OfIds<SparseSecondaryMap<E, int>>), (OfIds<IndexMap<int>, slot_t>),
                   (OfIds<SparseMap<E, int>>), (OfIds<SparseMap<E, std::string>>), (OfIds<SparseSet<E>>),
                   (OfIds<SwitchMap<E, int>>), (OfEntities<Position>), (OfEntities<Chosen>)) {
    TestType subject;
    const auto order = shuffled(1), other = shuffled(2);
    bool all = true;
    const auto one_by_one = [&] {
        for (const slot_t i : order) all = subject.insert(i) && all && subject.erase(i);
    };
    one_by_one();
    {
        const test::HeapCap nothing(0); // an allocation throws
        one_by_one();
    }
    CHECK((all && subject.size() == 0 && subject.c.check_invariants()));
    const std::size_t alone = subject.c.memory_usage();
    for (const slot_t i : order) all = subject.insert(i) && all;
    const std::size_t most = subject.c.memory_usage();
    const auto mostly_erase = [&](const std::vector<slot_t>& ids) {
        for (slot_t k = 10; k != count; ++k) all = subject.erase(ids[k]) && all;
    };
    {
        const test::HeapCap nothing(0);
        mostly_erase(order);
        for (slot_t round = 0; round != 3; ++round) {
            const auto& ids = round % 2 == 0 ? other : order;
            const auto stays = [&](slot_t id) { return std::find(order.data(), order.data() + 10, id) != order.data() + 10; };
            for (const slot_t id : ids) all = (stays(id) || subject.insert(id)) && all;
            for (const slot_t id : ids) all = (stays(id) || subject.erase(id)) && all;
        }
    }
    CHECK((all && subject.size() == 10 && subject.c.check_invariants()));
    CHECK(subject.c.memory_usage() <= most);
    subject.c.shrink_to_fit();
    CHECK((subject.size() == 10 && subject.c.check_invariants()));
    // Ten pages at most, and the table of all numbers.
    CHECK(subject.c.memory_usage() <= alone + 10 * 8300);
    for (const slot_t i : order) all = (subject.erase(i) || true) && all;
    subject.c.shrink_to_fit();
    CHECK((all && subject.size() == 0 && subject.c.check_invariants()));
}
