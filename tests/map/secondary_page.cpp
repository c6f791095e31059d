// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SecondaryMap as the storage of sparse components: values that stay where they are while rows move between tables, and chunks.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/rows/any_rows.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace {

using namespace slotwise;
using namespace test;

using Unit = Handle<struct SomeEntity>;
template <class T>
using Sparse = SecondaryMap<Unit, T>;

/// What the chunks hold, by slot.
template <class Map>
std::map<slot_t, int> of_chunks(Map& map) {
    std::map<slot_t, int> found;
    std::size_t chunks = 0;
    slot_t next = 0;
    for (const auto& [first, values, live] : map.chunks()) {
        ++chunks;
        REQUIRE((first >= next && first % values.size() == 0 && live.size() == values.size() && !live.none()));
        next = first + static_cast<slot_t>(values.size());
        live.for_each([&, from = first, run = values](slot_t i) { found[from + i] = static_cast<int>(run[i]); });
    }
    REQUIRE(map.chunks().size() == chunks);
    return found;
}

} // namespace

TEST_CASE("chunks have the first slot, the values of a page and the mask of those that live", "[secondary_page]") {
    Sparse<int> map;
    CHECK(map.chunks().empty());
    for (const slot_t slot : {3u, 5u, 64u, 127u, 4'000'000'000u}) map.emplace(Unit(slot, 1), static_cast<int>(slot % 1000));
    std::vector<slot_t> firsts;
    for (const ColumnChunk<int>& chunk : map.chunks()) {
        firsts.push_back(chunk.first);
        CHECK(chunk.values.size() == 64);
    }
    CHECK(firsts == std::vector<slot_t>{0, 64, 4'000'000'000u});
    const auto& reader = map;
    const ColumnChunk<const int> low = *reader.chunks().begin();
    CHECK((low.live.words()[0] == 0b101000 && low.values[3] == 3 && low.values[5] == 5));
    int sum = 0;
    reader.for_each_chunk([&](const ColumnChunk<const int>& chunk) { sum += static_cast<int>(chunk.live.count()); });
    map.for_each_chunk([&](const ColumnChunk<int>& chunk) { chunk.live.for_each([&](slot_t i) { chunk.values[i] += 1; }); });
    CHECK((sum == 5 && map[Unit(5, 1)] == 6 && map[Unit(4'000'000'000u, 1)] == 1));
}

TEST_CASE("chunks have exactly the entries, whatever comes and goes", "[secondary_page]") {
    std::mt19937 random(1);
    Sparse<std::array<int, 100>> large; // two slots a page
    Sparse<short> small;
    std::map<slot_t, int> model;
    for (int step = 0; step != 600; ++step) {
        const auto slot = static_cast<slot_t>(random() % 4 == 0 ? random() : random() % 300);
        if (random() % 3 != 0) {
            small.insert_or_assign(Unit(slot, 1), static_cast<short>(step));
            large.try_emplace(Unit(slot, 1));
            model[slot] = step;
        } else if (!model.empty()) {
            const auto gone = std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
            small.erase(Unit(gone->first, 1));
            large.erase(Unit(gone->first, 1));
            model.erase(gone);
        }
        if (step % 10 != 0) continue;
        REQUIRE(of_chunks(small) == model);
        std::size_t count = 0;
        large.for_each_chunk([&](const auto& chunk) { count += chunk.live.count(); });
        REQUIRE((count == model.size() && large.check_invariants()));
    }
}

TEST_CASE("entries may be erased while their chunk is walked, and leave its mask at once", "[secondary_page]") {
    const NothingLeaks scope;
    Sparse<Tracked> map;
    for (slot_t slot = 0; slot != 1000; ++slot) map.emplace(Unit(slot * 3, 1), static_cast<int>(slot));
    std::size_t met = 0;
    map.for_each_chunk([&](const ColumnChunk<Tracked>& chunk) {
        met += chunk.live.count();
        chunk.live.for_each([&](slot_t i) {
            if (chunk.values[i].value() % 2 == 0) map.erase(Unit(chunk.first + i, 1));
        });
        CHECK(chunk.live.count() <= 11);
    });
    CHECK((met == 1000 && map.size() == 500 && map.check_invariants()));
    map.for_each_chunk([&](const ColumnChunk<Tracked>& chunk) { // each page ends
        chunk.live.for_each([&](slot_t i) { map.erase(Unit(chunk.first + i, 1)); });
    });
    CHECK((map.empty() && map.chunks().empty()));
}

TEST_CASE("a sparse component stays at its address from emplace to erase, while others come and go", "[secondary_page]") {
    const NothingLeaks scope;
    Sparse<NonMovable> map;
    const Unit kept(500, 3);
    const NonMovable* const address = &map.emplace(kept, 7).it->value;
    for (slot_t slot = 0; slot != 5000; ++slot)
        if (slot != 500) map.emplace(Unit(slot, 1), 1);
    CHECK(map.get(kept) == address);
    for (slot_t slot = 0; slot != 5000; ++slot)
        if (slot != 500) map.erase(Unit(slot, 1));
    CHECK((map.get(kept) == address && address->value() == 7 && map.size() == 1));
}

TEST_CASE("a recycled index inherits nothing, and the older entry is destroyed once", "[secondary_page]") {
    const NothingLeaks scope;
    SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>> entities;
    SecondaryMap<decltype(entities)::handle_type, Tracked> map; // not attached: it is not told of the erase
    const auto old = entities.insert(1);
    map.emplace(old, 5);
    entities.erase(old);
    const auto young = entities.insert(2);
    REQUIRE(young.index() == old.index());
    CHECK((map.get(young) == nullptr && !map.contains(young) && map.size() == 1));
    const std::size_t alive = scope.alive();
    map.emplace(young, 6); // ends the older entry
    CHECK((scope.alive() == alive && map.get(old) == nullptr && map[young].value() == 6 && map.size() == 1));
    CHECK_FALSE(map.erase(old));
}

TEST_CASE("a thousand moves between tables do not touch a sparse component, and despawning ends it once", "[secondary_page]") {
    const NothingLeaks scope;
    struct Frozen {};
    // The tables of ids {Position, Name} and {Position, Name, Frozen}: membership of the sparse Name decides the table, and has no
    // column there.
    AnyRows walking{&TypeDescriptor::of<Unit>(), &TypeDescriptor::of<int>()};
    AnyRows frozen{&TypeDescriptor::of<Unit>(), &TypeDescriptor::of<int>(), &TypeDescriptor::of<Frozen>()};
    const std::int32_t freeze[] = {0, 1, AnyRows::no_column}, thaw[] = {0, 1};
    SlotMap<int> entities;
    SecondaryMap<SlotMap<int>::handle_type, Tracked> names;
    names.attach_to(entities);
    const auto entity = entities.insert(0);
    const Tracked* const address = &names.emplace(entity, 42).it->value;
    const std::size_t alive = scope.alive();
    walking.append(1);
    walking.column(1).as<int>()[0] = 9;
    for (int i = 0; i != 500; ++i) {
        AnyRows::move_row(walking, 0, frozen, freeze);
        AnyRows::move_row(frozen, 0, walking, thaw);
        REQUIRE((names.get(entity) == address && address->value() == 42));
    }
    CHECK((walking.column(1).as<int>()[0] == 9 && scope.alive() == alive));
    entities.erase(entity);
    CHECK((names.empty() && scope.alive() == alive - 1));
}

TEST_CASE("pages of sparse components whose last entry went are used again or freed, and a far id costs one page",
          "[secondary_page]") {
    using Memory = StatefulAllocator<int>;
    const EveryByteReturned returned;
    SecondaryMap<Unit, int, AllocBy<Memory>> map{Memory(1)};
    map.emplace(Unit(0x7FFF'FFF0u, 1), 1);
    CHECK(returned.live_bytes() <= 8192);
    const std::size_t one = returned.live_bytes();
    for (slot_t i = 0; i != 1000; ++i) map.emplace(Unit(i * 1'000'000, 1), 1);
    const std::size_t most = returned.live_bytes();
    CHECK(most <= one + 1000 * std::size_t{8192});
    for (slot_t i = 0; i != 1000; ++i) map.erase(Unit(i * 1'000'000, 1));
    for (slot_t i = 0; i != 1000; ++i) map.emplace(Unit(i * 1'000'000 + 500'000, 1), 1); // in the same pages
    CHECK(returned.live_bytes() <= most + 10 * std::size_t{8192});                       // the last few keep their numbers
    for (slot_t i = 0; i != 1000; ++i) map.erase(Unit(i * 1'000'000 + 500'000, 1));
    CHECK(returned.live_bytes() <= most + 10 * std::size_t{8192});
    map.shrink_to_fit();
    CHECK(returned.live_bytes() <= one + 16 * std::size_t{8192}); // the table of pages
}
