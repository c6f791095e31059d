// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots: exact continuation, and what is refused in which words. Forged bytes are in properties/snapshots.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <stdexcept>
#include <string>

namespace {

using namespace test;

template <class Storage, Reuse R, Exhaustion E = Exhaustion::retire>
using Small = typename Storage::template map<
    int, SlotMapOptions{
             .handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}, .reuse = R, .exhaustion = E, .page_slots = 64}>;

/// A history with holes, reservations, a version floor, and a retired slot where slots retire.
template <class Map>
Map lived(std::uint64_t seed, int steps) {
    Map map;
    Random random(seed);
    std::vector<typename Map::handle_type> handles, reserved;
    for (int i = 0; i != steps; ++i) {
        if (map.size() + map.retired() + reserved.size() + 2 > Map::max_size()) break;
        if (handles.empty() || random.chance(60))
            handles.push_back(put(map, i));
        else {
            const auto at = random.below(handles.size());
            map.erase(handles[at]);
            handles.erase(handles.begin() + at);
        }
        if (random.chance(6)) reserved.push_back(map.reserve_handle());
        if (random.chance(3)) map.shrink_to_fit();
        if (random.chance(1)) map.clear(), handles.clear(), reserved.clear();
    }
    if (Map::options.exhaustion == Exhaustion::retire)
        for (int i = 0; i != 60 && map.retired() == 0; ++i) map.erase(put(map, 0));
    return map;
}

template <class Map>
void continue_equals_restore_and_continue() {
    std::size_t retired = 0, reserved = 0;
    for (std::uint64_t seed = 1; seed != 25; ++seed) {
        CAPTURE(seed);
        Map map = lived<Map>(seed, static_cast<int>(seed) * 8);
        const auto bytes = map.snapshot();
        Map restored;
        put(restored, 1);
        restored.restore(bytes);
        REQUIRE(restored.check_invariants());
        REQUIRE(restored == map);
        REQUIRE(restored.snapshot() == bytes);
        REQUIRE(restored.retired() == map.retired());
        retired += map.retired();
        for (slot_t slot = 0; slot != 260; ++slot) {
            REQUIRE(restored.state(slot) == map.state(slot));
            reserved += map.state(slot) == SlotState::reserved;
        }
        for (int round = 0; round != 3; ++round) {
            REQUIRE(futures(restored, 20) == futures(map, 20));
            if (round == 0) map.shrink_to_fit(), restored.shrink_to_fit();
            if (round == 1) map.clear(), restored.clear();
            REQUIRE(restored.snapshot() == map.snapshot());
        }
    }
    if (Map::options.exhaustion == Exhaustion::retire) REQUIRE(retired > 0);
    REQUIRE(reserved > 0);
}

/// Strings of small ints, and a reader that can refuse.
struct PickyCodec {
    static void write(const Tracked& value, ByteWriter& out) { out.number(static_cast<std::uint16_t>(value.value())); }
    template <class T>
    static T read(ByteReader& in) {
        const auto value = in.number<std::uint16_t>();
        if (value > 1000) in.fail("snapshot: a number above 1000");
        return T(value);
    }
};

std::string refusal(const char* error) { return error == nullptr ? "accepted" : error; }

} // namespace

TEMPLATE_TEST_CASE("a restored map gives the same handles for the same calls", "[snapshot]", ALL_STORAGES) {
    continue_equals_restore_and_continue<Small<TestType, Reuse::lifo>>();
    continue_equals_restore_and_continue<Small<TestType, Reuse::fifo>>();
    continue_equals_restore_and_continue<Small<TestType, Reuse::lowest>>();
    continue_equals_restore_and_continue<Small<TestType, Reuse::fifo, Exhaustion::wrap>>();
}

TEMPLATE_TEST_CASE("restore throws invalid_argument that says what is wrong, and changes nothing", "[snapshot]", ALL_STORAGES) {
    using Map = Small<TestType, Reuse::lowest>;
    Map map;
    const auto handle = put(map, 5);
    const auto foreign = Small<TestType, Reuse::lifo>().snapshot();
    REQUIRE_THROWS_AS(map.restore(foreign), std::invalid_argument);
    REQUIRE(refusal(map.try_restore(foreign)).find("another handle layout, reuse") != std::string::npos);
    using Dense = typename TestType::template map<
        int, SlotMapOptions{.handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4, .dense_versions = true},
                            .page_slots = 64}>;
    REQUIRE(refusal(map.try_restore(Dense().snapshot())).find("another handle layout, reuse") != std::string::npos);
    REQUIRE(refusal(map.try_restore({})).find("end too early") != std::string::npos);
    const std::vector<std::byte> text(64, std::byte{'x'});
    REQUIRE(refusal(map.try_restore(text)).find("not a slotwise snapshot") != std::string::npos);
    REQUIRE(thrown_text<std::invalid_argument>([&] { map.restore(text); }) == refusal(map.try_restore(text)));
    REQUIRE(number_of(map, handle) == 5);
    REQUIRE(map.size() == 1);
}

TEST_CASE("a snapshot of elements of another size is refused", "[snapshot]") {
    SlotMap<std::int64_t> wide;
    wide.insert(1);
    SlotMap<std::int32_t> narrow;
    REQUIRE(refusal(narrow.try_restore(wide.snapshot())).find("its values are int64") != std::string::npos);
}

TEST_CASE("a snapshot with more slots than max_slots is refused", "[snapshot]") {
    SlotMap<int> big;
    for (int i = 0; i != 100; ++i) big.insert(i);
    SlotMap<int, Options<SlotMapOptions{.max_slots = 99}>> small;
    REQUIRE(small.try_restore(big.snapshot()) != nullptr);
    SlotMap<int, Options<SlotMapOptions{.max_slots = 100}>> fits;
    REQUIRE(fits.try_restore(big.snapshot()) == nullptr);
    REQUIRE_THROWS_AS(fits.insert(1), std::length_error);
}

TEMPLATE_TEST_CASE("a codec that refuses a value in the middle leaves the map as it was and leaks nothing", "[snapshot]",
                   ALL_STORAGES) {
    using Map = typename TestType::template map<Tracked>;
    NothingLeaks objects;
    Map source;
    for (int i = 0; i != 20; ++i) put(source, i);
    set_number(source, source.handle_at(slot_t{12}), 2000);
    Map map;
    const auto kept = put(map, 7);
    REQUIRE(refusal(map.try_restore(source.snapshot(PickyCodec{}), PickyCodec{})) == "snapshot: a number above 1000");
    REQUIRE(map.size() == 1);
    REQUIRE(number_of(map, kept) == 7);
    set_number(source, source.handle_at(slot_t{12}), 12);
    REQUIRE(map.try_restore(source.snapshot(PickyCodec{}), PickyCodec{}) == nullptr);
    REQUIRE(map == source);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("an empty map and a cleared one remember their versions in a snapshot", "[snapshot]", ALL_STORAGES) {
    typename TestType::template map<int> map, restored;
    REQUIRE(restored.try_restore(map.snapshot()) == nullptr);
    REQUIRE(restored.empty());
    const auto stale = put(map, 1);
    map.clear();
    restored.restore(map.snapshot());
    const auto next = put(restored, 2);
    REQUIRE(next.index() == stale.index());
    REQUIRE(next != stale);
    REQUIRE_FALSE(restored.contains(stale));
    REQUIRE(put(map, 2) == next);
}

TEMPLATE_TEST_CASE("bug: a snapshot of a map without slots had reserved slots", "[snapshot]", ALL_STORAGES) {
    typename TestType::template map<int, SlotMapOptions{.handle = {14, 2}, .page_slots = 64}> map, restored;
    const auto same = [&] { return restored.try_restore(map.snapshot()) == nullptr && restored.snapshot() == map.snapshot(); };
    const auto promised = map.reserve_handle();
    REQUIRE(same());
    REQUIRE(restored.state(promised.index()) == SlotState::reserved);
    REQUIRE(map.cancel(promised));
    REQUIRE(same());
    REQUIRE(map.cancel(map.reserve_handle()));
    REQUIRE(map.recycle_retired() == 1); // the slot is as new: nothing is to be kept of it
    map.clear();
    REQUIRE(same());
}
