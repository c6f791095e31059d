// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Full maps: try_insert without exceptions, max_slots() that is set at run time, and texts that say what was used up.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/any_slot_map.hpp>
#include <slotwise/rows/any_codec.hpp>
#include <slotwise/slots/value_array.hpp>

#include <stdexcept>
#include <string>

using namespace test;

namespace {

struct Capacity final : SlotObserver {
    slot_t slots = 0;
    bool sound = true;
    void on_capacity(slot_t before, slot_t after) override {
        sound = sound && before == slots;
        slots = after;
    }
};

constexpr HandleLayout brief{.index_bits = 6, .version_bits = 10, .user_bits = 0};

} // namespace

TEMPLATE_TEST_CASE("a full map answers try_insert and try_emplace with a null handle, without effect", "[limit]",
                   ALL_STORAGES) {
    typename TestType::template map<Tracked> map;
    REQUIRE(map.max_slots() == map.max_size());
    REQUIRE_FALSE(map.full());
    REQUIRE(map.set_max_slots(100));
    REQUIRE(map.max_slots() == 100);
    for (int i = 0; i != 100; ++i) REQUIRE(try_put(map, i).index() == static_cast<slot_t>(i));
    REQUIRE(map.full());
    const auto before = contents(map);
    REQUIRE(try_put(map, 1).is_null());
    REQUIRE(try_put_in_place(map, 1).is_null());
    REQUIRE(contents(map) == before);
    map.erase(before[7].first);
    REQUIRE_FALSE(map.full());
    REQUIRE(try_put_in_place(map, 77).index() == 7);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("what a full map is given stays with its giver", "[limit]", test::Paged, test::Dense) {
    typename TestType::template map<std::unique_ptr<int>> map;
    REQUIRE(map.set_max_slots(1));
    auto one = std::make_unique<int>(1), two = std::make_unique<int>(2);
    REQUIRE(map.try_insert(std::move(one)));
    REQUIRE(map.try_insert(std::move(two)).is_null());
    REQUIRE(map.try_emplace(std::move(two)).is_null());
    REQUIRE(two != nullptr);
}

TEMPLATE_TEST_CASE("reserved and retired slots count as slots in use", "[limit]", ALL_STORAGES) {
    typename TestType::template map<int, SlotMapOptions{.handle = {.index_bits = 13, .version_bits = 3, .user_bits = 0}}> map;
    REQUIRE(map.set_max_slots(3));
    while (map.retired() == 0) map.erase(put(map, 1));
    const auto promised = map.reserve_handle();
    REQUIRE(put(map, 1));
    REQUIRE(map.full());
    REQUIRE(try_put(map, 1).is_null());
    REQUIRE_FALSE(map.set_max_slots(2));
    REQUIRE(map.cancel(promised));
    REQUIRE(try_put(map, 1));
}

TEMPLATE_TEST_CASE("set_max_slots below a slot in use is refused without effect; above it the free slots are given up",
                   "[limit][promises]", ALL_STORAGES) {
    using Map = typename TestType::template map<int>;
    Map map, twin;
    Capacity capacity;
    const auto token = map.attach(capacity);
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != 200; ++i) handles.push_back(put(map, i)), put(twin, i);
    for (const std::size_t i : {199u, 150u, 20u, 198u, 60u, 180u}) map.erase(handles[i]), twin.erase(handles[i]);
    REQUIRE_FALSE(map.set_max_slots(197)); // slot 197 is live
    REQUIRE(map.max_slots() == map.max_size());
    REQUIRE(futures(map) == futures(twin));

    for (const std::size_t i : {197u, 196u}) map.erase(map.handle_at(static_cast<slot_t>(i)));
    while (map.size() > 150) map.erase(map.handle_at(map.occupancy().find_previous(no_slot)));
    const slot_t end = map.occupancy().find_previous(no_slot) + 1;
    const auto kept = contents(map);
    REQUIRE_FALSE(map.set_max_slots(end - 1));
    REQUIRE(map.set_max_slots(end));
    REQUIRE(map.capacity() == end);
    REQUIRE(capacity.slots == end);
    REQUIRE(contents(map) == kept);
    REQUIRE(map.check_invariants());
    while (const auto handle = try_put(map, 5)) REQUIRE(handle.index() < end);
    REQUIRE(map.size() == end);
    REQUIRE(map.set_max_slots(1000));
    while (const auto handle = try_put(map, 5)) { // the old handles of slots that come back are stale
        REQUIRE(std::find(handles.begin(), handles.end(), handle) == handles.end());
        REQUIRE(handle.index() < 1000);
    }
    REQUIRE(map.size() == 1000);
    REQUIRE(capacity.sound);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("a map limited to no slot has no room until the limit is raised", "[limit]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    REQUIRE(map.set_max_slots(0));
    REQUIRE(map.full());
    REQUIRE(try_put(map, 1).is_null());
    REQUIRE(map.set_max_slots(1));
    REQUIRE(try_put(map, 1));
    map.clear();
    REQUIRE(map.set_max_slots(0));
    REQUIRE(try_put(map, 1).is_null());
    REQUIRE_FALSE(map.set_max_slots(map.max_size() + 1));
    REQUIRE(map.max_slots() == 0);
    REQUIRE(map.set_max_slots(map.max_size()));
    REQUIRE(try_put(map, 1));
}

TEMPLATE_TEST_CASE("the limit goes with copies, moves and swaps, and stays at clear, shrink and restore", "[limit]",
                   ALL_STORAGES) {
    using Map = typename TestType::template map<int>;
    Map map;
    REQUIRE(map.set_max_slots(10));
    put(map, 1);
    Map copy(map), other;
    REQUIRE(copy.max_slots() == 10);
    other = copy;
    REQUIRE(other.max_slots() == 10);
    Map moved(std::move(other));
    REQUIRE(moved.max_slots() == 10);
    REQUIRE(other.max_slots() == Map::max_size()); // NOLINT(bugprone-use-after-move): like a new one
    other = std::move(moved);
    REQUIRE(other.max_slots() == 10);
    REQUIRE(moved.max_slots() == Map::max_size()); // NOLINT(bugprone-use-after-move)
    swap(other, moved);
    REQUIRE(moved.max_slots() == 10);
    REQUIRE(other.max_slots() == Map::max_size());

    map.clear();
    map.shrink_to_fit();
    REQUIRE(map.max_slots() == 10);
    for (int i = 0; i != 20; ++i) put(other, i);
    REQUIRE(std::string(map.try_restore(other.snapshot())).find("more slots than") != std::string::npos);
    map.restore(copy.snapshot());
    REQUIRE(map.max_slots() == 10);
    while (try_put(map, 1)) {}
    REQUIRE(map.size() == 10);
    other.restore(map.snapshot());
    REQUIRE(other.max_slots() == Map::max_size());
    REQUIRE(put_at(map, typename Map::handle_type(10, 1), 1) == false);
}

TEST_CASE("columns follow a limit that falls and rises", "[limit]") {
    SlotMap<int, Column<int>> map;
    map.reserve(500);
    const auto first = map.insert(1);
    map.column<0>()[first] = 11;
    REQUIRE(map.set_max_slots(3));
    const auto second = map.insert(2);
    map.column<0>()[second] = 22;
    REQUIRE(map.set_max_slots(5000));
    for (int i = 2; i != 5000; ++i) {
        const auto handle = map.insert(i);
        map.column<0>()[handle] = i;
    }
    REQUIRE(map.try_insert(1).is_null());
    REQUIRE(map.column<0>()[first] == 11);
    REQUIRE(map.column<0>()[map.handle_at(slot_t{4999})] == 4999);
}

TEST_CASE("a described map that is full refuses values, and has its limit again after restore", "[limit]") {
    AnySlotMap map(TypeDescriptor::of<int>());
    REQUIRE(map.set_max_slots(2));
    int value = 5;
    REQUIRE(map.try_insert(&value));
    REQUIRE(map.try_insert_moved(&value));
    REQUIRE(map.try_insert(&value).is_null());
    REQUIRE(map.try_insert_moved(&value).is_null());
    REQUIRE(map.try_insert(AnyValue()).is_null());
    AnyCodec codec;
    codec.add<int>();
    const auto bytes = map.snapshot(codec);
    map.restore(bytes, codec);
    REQUIRE(map.max_slots() == 2);
    REQUIRE(map.full());
}

TEST_CASE("a destructor that calls set_max_slots during clear is refused below the slots to be destroyed", "[limit]") {
    struct Limiting {
        SlotMap<Limiting>* map = nullptr;
        bool* allowed = nullptr;
        Limiting(SlotMap<Limiting>* m, bool* a) : map(m), allowed(a) {}
        Limiting(const Limiting&) = delete;
        Limiting& operator=(const Limiting&) = delete;
        ~Limiting() { *allowed = *allowed || map->set_max_slots(2); }
    };
    SlotMap<Limiting> map;
    bool allowed = false;
    for (int i = 0; i != 5; ++i) map.emplace(&map, &allowed);
    map.clear();
    REQUIRE_FALSE(allowed);
    REQUIRE(map.check_invariants());
    REQUIRE(map.set_max_slots(2));
}

#if defined(__cpp_exceptions)
TEST_CASE("the text of a full map says what was used up", "[limit]") {
    const auto text = [](auto& map) {
        while (map.try_insert(1)) {}
        return thrown_text<std::length_error>([&] { map.insert(1); });
    };
    SlotMap<int> limited;
    REQUIRE(limited.set_max_slots(70));
    REQUIRE(text(limited).find("slot map insert: max_slots() slots are in use") == 0);
    REQUIRE(thrown_text<std::length_error>([&] {
                limited.reserve(71);
            }).find("slot map reserve(count): count exceeds max_slots()") == 0);
    SlotMap<int, Options<SlotMapOptions{.max_slots = 70}>> option;
    REQUIRE(text(option).find("slot map insert: as many slots as the option max_slots allows") == 0);
    SlotMap<int, Options<SlotMapOptions{.handle = brief}>> bits;
    REQUIRE(text(bits).find("slot map insert: every slot that the handle can name") == 0);
}
#endif
