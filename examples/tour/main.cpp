// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every operation of SlotMap, and a glance at its relatives.

#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include <cstddef>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

static int failures = 0;
// Prints each promise as it is kept.
static void check(bool holds, const char* promise) {
    std::cout << (holds ? "  ok      " : "  FAILED  ") << promise << '\n';
    if (!holds) ++failures;
}
static void part(const char* title) { std::cout << title << '\n'; }

int main() {
    part("SlotMap<std::string>: handles, and a column beside them");
    slotwise::SlotMap<std::string> names;
    const auto ada = names.insert("Ada"); // a handle: 64 bits, trivially copyable, hashable
    const auto bob = names.insert("Bob");
    const std::string* address = names.get(ada);

    names.erase(bob);                     // O(1), and bob's handle is stale from here on
    const auto eve = names.insert("Eve"); // lives in the slot bob had ...
    check(eve.index() == bob.index() && names.get(bob) == nullptr, "... but bob's handle never finds her");

    for (int i = 0; i < 10'000; ++i) names.insert(std::to_string(i));
    check(names.get(ada) == address, "elements never move, however large the map grows");

    slotwise::SecondaryMap<decltype(names)::handle_type, int> ages; // a column beside the map
    ages.attach_to(names);
    ages.insert(ada, 36);
    names.erase(ada);
    check(!ages.contains(ada), "a column drops what its map has dropped");

    std::size_t letters = 0;
    names.for_each([&](const std::string& name) { letters += name.size(); }); // in runs a compiler can vectorise
    bool same = true;
    for (auto [handle, name] : names.items()) same = same && names.at(handle) == name;
    check(same, "handles come with the values");
    std::cout << "          10,003 names came, 2 went; slot " << eve.index() << " is at version " << eve.version() << ", "
              << letters << " letters\n";
    check(letters == 38'893, "for_each visits every element once");

    part("SlotMap<int>: how an element comes, is found and goes");
    // One element: how it comes, is found and goes.
    slotwise::SlotMap<int> map;
    map.reserve(100); // inserts up to there allocate nothing
    check(map.empty() && map.capacity() >= 100 && decltype(map)::max_size() == slotwise::no_slot, "room for 2^32 - 1 slots");
    const auto one = map.emplace(1);
    const auto two = map.insert_with([](auto self) { return static_cast<int>(self.index()) + 1; }); // knows its own handle
    check(map.contains(one) && map[one] == 1 && map.at(two) == 2, "[] asserts, at() throws, get() answers null");
    check(map.get_many(one, two) == std::tuple(&map[one], &map[two]), "get_many looks several up at once");
    check(map.swap_values(one, two) && map[one] == 2, "swap_values: values change places, handles stay");
    check(map.handle_of(&map[two]) == two && map.handle_of(map.begin()) == one, "an element or iterator gives its handle");
    const auto promised = map.reserve_handle(); // a handle now, the element later
    check(map.state(promised.index()) == slotwise::SlotState::reserved && !map.contains(promised), "no lookup finds it yet");
    check(map.fulfill(promised, 3) && map.cancel(map.reserve_handle()), "a promise is kept or cancelled");
    check(map.extract(promised) == 3 && map.explain(promised) == slotwise::HandleStatus::stale, "gone, and explain says why");
    check(map.insert_at(promised, 4) && !map.insert_at(promised, 5), "insert_at: this very handle again, if its slot is free");
    for (auto at = map.begin(); at != map.end();) at = *at == 1 ? map.erase(at) : std::next(at); // erase while iterating
    check(map.erase_if([](int value) { return value == 4; }) == 1 && map.size() == 1, "erase_if says how many it erased");

    part("SlotMap<int>: every walk, copies, and the exact state as bytes");
    // All elements: every walk, copies, and the exact state as bytes.
    slotwise::SlotMap<int> copy(map, map.get_allocator());
    check(copy == map && copy.handle_at(one.index()) == one, "a copy has the same handles");
    const auto bytes = map.snapshot();
    const auto next = map.insert(3);
    copy.restore(bytes);
    check(copy.insert(3) == next, "a restored map hands out the same future handles");
    check(copy.try_restore({bytes.data(), 9}) != nullptr && copy == map, "bad bytes: the reason, and no effect");
    int sum = std::accumulate(map.cbegin(), map.cend(), 0);
    for (const auto handle : map.handles()) sum += map[handle];
    for (const slotwise::slot_t slot : map.live_slots()) sum += map.values()[slot];
    for (const auto& chunk : map.chunks()) // spans, and a bit for each element that lives, for SIMD and jobs
        chunk.live.for_each([&](slotwise::slot_t place) { sum += chunk.values[place]; });
    check(sum == 4 * (2 + 3) && map.occupancy().count() == 2, "every walk meets every element once");
    const auto moved = std::move(map);
    swap(map, copy);
    check(moved == map && moved[next] == 3, "a map that is moved or swapped takes its handles along");
    map.clear();
    map.shrink_to_fit();
    check(map.insert(9) != one && map.check_invariants(), "not even giving memory back revives a handle");

    part("SlotMap with options: the bits of a handle, columns, retired slots");
    // Options and columns: index, version and user bits of a handle; a float and a string for each int.
    constexpr slotwise::SlotMapOptions options{.handle = {22, 2, 8}};
    slotwise::SlotMap<int, slotwise::Options<options>, slotwise::Column<float>> wide;
    slotwise::DynamicColumn<slotwise::ValueArray<std::string>> labels;
    const auto token = wide.attach(labels);
    const auto first = wide.insert(7);
    wide.column<0>()[first.index()] = 0.5F;
    check(wide.observer<0>()[first.index()] == 0.5F && labels.column()[first.index()].empty(), "columns follow their map");
    check(wide.get(first.with_user_bits(200)) == &wide[first], "user bits are yours: carried along, ignored by lookups");
    check(wide.erase(first) && wide.erase(wide.insert(8)) && wide.retired() == 1, "2 version bits: 2 lives, then it retires");
    check(wide.recycle_retired() == 1 && wide.insert(9) == first, "... until you vouch that no old handle is left");
#if SLOTWISE_VIRTUAL_MEMORY // one span over all slots needs it
    slotwise::SlotMap<int, slotwise::Options<slotwise::SlotMapOptions{.growth = slotwise::Growth::reserve}>> run;
    const int* const begin = &run[run.insert(1)];
    for (int i = 2; i <= 100'000; ++i) run.insert(i);
    check(run.slot_span().data() == begin && begin[99'999] == 100'000,
          "Growth::reserve: contiguous, growable and stable at once");
#endif

    part("Relatives: values packed in one array, or one array a member");
    // Relatives: values packed in one array, or one array a member.
    slotwise::DenseSlotMap<int> dense;
    const auto three = dense.insert(3), four = dense.insert(4);
    dense.sort(std::greater<>());
    check(dense.values()[0] == 4 && dense[three] == 3 && dense.index_of(four) == 0, "sorted; the handles follow");
    slotwise::SoaSlotMap<int, float> rows;
    const auto row = rows.insert(7, 0.5F);
    rows.column<float>()[0] *= 2;
    check(rows[row] == std::tuple(7, 1.0F), "a row is a tuple of references into the columns");
    std::cout << "check: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
