// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/zip_chunks.hpp>

#include "support/catch.hpp"
#include "support/death.hpp"

#include <map>
#include <vector>

using namespace slotwise;

namespace {

struct Huge {
    int number = 0;
    char rest[20'000] = {};
};
template <std::size_t PageSlots, class... More>
using Zipped = SlotMap<int, Options<SlotMapOptions{.page_slots = PageSlots}>, Column<double>, Column<short>, More...>;

/// Values slot, slot / 2 and slot % 1000; every (step)th slot is erased, and from 300 to 600 all but one.
template <class M>
void fill(M& map, std::size_t count, std::size_t step) {
    for (std::size_t i = 0; i != count; ++i) {
        const auto slot = map.insert(static_cast<int>(i)).index();
        map.template observer<0>()[slot] = slot * 0.5;
        map.template observer<1>()[slot] = static_cast<short>(slot % 1000);
    }
    map.erase_if([&](int slot) {
        const auto i = static_cast<std::size_t>(slot);
        return step != 0 && (i % step == 0 || (i >= 300 && i < 600 && i != 450));
    });
}

/// What live slots have by chunks: as each of the columns says it.
template <class M>
void same_as_by_slot(M& map) {
    const auto ints = map.values();
    const auto reals = map.template column<0>();
    const ColumnView<const short> shorts = std::as_const(map).template column<1>();
    const auto chunks = zip_chunks(ints, reals, shorts);
    std::size_t slots = 0, live_slots = 0, count = 0;
    bool right = true;
    for (const auto& [first, values, live] : chunks) {
        const auto& [a, b, c] = values;
        static_assert(std::is_same_v<decltype(c.data()), const short*>);
        right = right && first == slots && first % 64 == 0 && a.size() == b.size() && b.size() == c.size() &&
                live.size() == a.size() && a.size() != 0;
        const slot_t begin = first;
        live.for_each([&, &x = a, &y = b, &z = c](slot_t i) {
            right = right && &x[i] == &ints[begin + i] && &y[i] == &reals[begin + i] && &z[i] == &shorts[begin + i];
            ++live_slots;
        });
        slots += a.size();
        ++count;
    }
    CHECK(right);
    CHECK(slots == ints.slot_end());
    CHECK(live_slots == map.size());
    CHECK(count == chunks.size());
}

} // namespace

TEST_CASE("zip_chunks: all live slots come once, whatever the page sizes, holes and ends of the columns") {
    for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 511u, 512u, 513u, 3000u})
        for (const std::size_t step : {0u, 2u, 7u}) {
            Zipped<64> small; // pages of 64 ints beside pages of 512 doubles and 2048 shorts
            fill(small, count, step);
            same_as_by_slot(small);
            Zipped<4096> large; // pages of 4096 ints
            fill(large, count, step);
            same_as_by_slot(large);
        }
}

TEST_CASE("zip_chunks: a chunk ends where the first of the columns has a gap, and nowhere else") {
    Zipped<4096> map;
    fill(map, 10'000, 0);
    const auto zipped = zip_chunks(map.values(), map.column<0>(), map.column<1>());
    std::map<slot_t, int> begins; // chunks of single columns
    for (const auto& chunk : map.values().chunks()) ++begins[chunk.first];
    for (const auto& chunk : map.column<0>().chunks()) ++begins[chunk.first];
    for (const auto& chunk : map.column<1>().chunks()) ++begins[chunk.first];
    REQUIRE(zipped.size() == begins.size());
    auto expected = begins.begin();
    for (const auto& chunk : zipped) CHECK(chunk.first == expected++->first);
}

TEST_CASE("zip_chunks: values larger than 16 KiB come one by one, beside any other column") {
    SlotMap<Huge, Column<int>> map;
    for (int i = 0; i != 70; ++i) map.observer<0>()[map.insert(Huge{i}).index()] = -i;
    map.erase_if([](const Huge& huge) { return huge.number % 3 == 0; });
    int seen = 0;
    const auto chunks = zip_chunks(map.column<0>(), map.values());
    CHECK(chunks.size() == map.size());
    for (const auto& [first, values, live] : chunks) {
        const auto& [small, huge] = values;
        CHECK((live.size() == 1 && live.test(0) && small.size() == 1 && huge.size() == 1));
        CHECK((huge[0].number == -small[0] && &huge[0] == &map.values()[first]));
        ++seen;
    }
    CHECK(seen == 46);
}

TEST_CASE("zip_chunks: keys and values of a map, and one column alone") {
    MapStorage<std::uint64_t, short> map;
    for (std::uint64_t i = 0; i != 5000; ++i) map.insert(i, static_cast<short>(i % 100));
    for (std::uint64_t i = 0; i < 5000; i += 3) map.erase(i);
    std::size_t sum = 0, expected = 0;
    for (const auto& [first, values, live] : zip_chunks(map.keys(), map.values()))
        live.for_each(
            [&, &pair = values](slot_t i) { sum += std::get<0>(pair)[i] * static_cast<std::size_t>(std::get<1>(pair)[i]); });
    for (const auto& [key, value] : map.items()) expected += key * static_cast<std::size_t>(value);
    CHECK(sum == expected);
    std::size_t alone = 0;
    for (const auto& chunk : zip_chunks(map.values())) alone += chunk.live.count();
    CHECK(alone == map.size());
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("zip_chunks: columns of different containers are refused in words") {
    SlotMap<int> a, b;
    a.insert(1), b.insert(1);
    CHECK(test::dies_saying("zip_chunks: the views belong to different containers",
                            [&] { static_cast<void>(zip_chunks(a.values(), b.values()).size()); }));
}
#endif
