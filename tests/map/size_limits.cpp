// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sizes: counts that wrap, handles that claim memory, hot slots that age others, large values.
#include <slotwise/slotwise.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

using namespace slotwise;

namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
using Row = std::array<char, 1024>;
constexpr HandleLayout brief{.index_bits = 12, .version_bits = 4, .user_bits = 0};

} // namespace

TEMPLATE_TEST_CASE("reserve refuses counts that wrap around with reserved or retired slots", "[sizes]", SlotMap<int>,
                   DenseSlotMap<int>, (SlotMap<int, Options<SlotMapOptions{.handle = brief}>>),
                   (DenseSlotMap<int, Options<SlotMapOptions{.handle = brief}>>),
                   (BasicSoaSlotMap<Members<int, char>, Options<SlotMapOptions{.handle = brief}>>)) {
    TestType map;
    const auto promised = map.reserve_handle();
    if constexpr (TestType::options.handle == brief)
        while (map.retired() < 2) {
            if constexpr (requires { map.emplace(1, 'a'); })
                map.erase(map.emplace(1, 'a'));
            else
                map.erase(map.emplace(1));
        }
    const std::size_t unusable = 1 + map.retired(), capacity = map.capacity();
    for (const std::size_t count : {all, all - unusable + 1, map.max_size(), map.max_size() - unusable + 1}) {
        CAPTURE(count);
        CHECK_THROWS_AS(map.reserve(count), std::length_error);
        CHECK(map.capacity() == capacity);
    }
    if (map.max_size() < 10'000) {
        map.reserve(map.max_size() - unusable);
        CHECK(map.capacity() == map.max_size());
    }
    CHECK(map.cancel(promised));
    CHECK(map.check_invariants());
}

TEST_CASE("reserve and emplace ask for more bytes than there are addresses only to be refused", "[sizes]") {
    if constexpr (sizeof(std::size_t) == 4) { // elsewhere so few of them fit
        DenseSlotMap<Row> dense;
        CHECK_THROWS_AS(dense.reserve(0x40'0001), std::bad_array_new_length); // 4 GiB and 1 KiB
        CHECK(dense.capacity() == 0);
        SlotMap<Row> paged;
        CHECK_THROWS_AS(paged.reserve(0x40'0001), std::bad_array_new_length);
        SoaSlotMap<Row, char> rows;
        CHECK_THROWS_AS(rows.reserve(0x40'0001), std::bad_array_new_length);
        SlotMap<char> most;
        CHECK_THROWS_AS(most.reserve(no_slot), std::bad_alloc); // 2^32 versions wrap too
        for (int i = 0; i != 4; ++i) dense.insert(Row{});
        CHECK(dense.check_invariants());
    } else {
        CHECK(sizeof(std::size_t) == 8);
    }
}

TEMPLATE_TEST_CASE("a slot that is used more than others does not wear out those that are given back with it", "[sizes]",
                   (SlotMap<int, Options<SlotMapOptions{.handle = {16, 16, 0}, .max_slots = 256}>>),
                   (DenseSlotMap<int, Options<SlotMapOptions{.handle = {16, 16, 0}, .max_slots = 256}>>)) {
    const auto rounds_until_full = [](bool shrink) {
        TestType map;
        int rounds = 0;
        for (; map.retired() < 4; ++rounds) {
            for (int i = 0; i != 250; ++i) map.insert(i);
            auto hot = map.handle_at(static_cast<slot_t>(*map.slots().begin()));
            for (int i = 0; i != 500; ++i) {
                map.erase(hot);
                hot = map.insert(i);
            }
            map.clear();
            if (shrink) map.shrink_to_fit();
            REQUIRE(map.check_invariants());
        }
        return rounds;
    };
    const int kept = rounds_until_full(false);
    REQUIRE(kept > 200);
    CHECK(rounds_until_full(true) == kept);
}

/// After the map has grown to 400 slots, and given all back: as many elements, and slot `hot` has been used `more` times more.
template <class Map>
Map given_back(slot_t hot, int more) {
    Map map;
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != 400; ++i) handles.push_back(map.insert(i));
    for (int i = 0; i != more; ++i) {
        map.erase(handles[hot]);
        handles[hot] = map.insert(i);
    }
    map.clear();
    map.shrink_to_fit();
    return map;
}

TEMPLATE_TEST_CASE("a snapshot carries the version floors of slots that were given back", "[sizes]", SlotMap<int>,
                   (SlotMap<int, Options<SlotMapOptions{.handle = {16, 16, 0}}>>),
                   (DenseSlotMap<int, Options<SlotMapOptions{.handle = {10, 6, 0}}>>)) {
    constexpr std::size_t floor_at = 4 + 6 + 4 + 4, end_at = floor_at + 4, words_at = end_at + 4, first_word_at = words_at + 4;
    for (const int more : {0, 5}) {
        TestType map = given_back<TestType>(300, more);
        const auto bytes = map.snapshot();
        REQUIRE(std::to_integer<int>(bytes[floor_at]) == (more == 0 ? 2 : 0)); // one for all, or ...
        REQUIRE(std::to_integer<int>(bytes[words_at]) == (more == 0 ? 0 : 7)); // ... by blocks of 400 slots
        TestType restored, copy(map);
        restored.restore(bytes);
        REQUIRE(restored.snapshot() == bytes);
        REQUIRE(copy.snapshot() == bytes);
        for (int i = 0; i != 500; ++i) {
            const auto handle = map.insert(i);
            REQUIRE(handle.version() >= (i < 400 ? 3 : 1));
            REQUIRE((i == 300) <= (handle.version() == 3u + 2u * static_cast<unsigned>(more)));
            REQUIRE(restored.insert(i) == handle);
            REQUIRE(copy.insert(i) == handle);
        }
        const auto refuses = [&](std::size_t at, int byte) {
            auto bad = bytes;
            bad[at] = static_cast<std::byte>(byte);
            return TestType().try_restore(bad) != nullptr;
        };
        CHECK(refuses(floor_at, 3));                                                             // odd
        if constexpr (TestType::options.handle.index_bits < 32) CHECK(refuses(end_at + 3, 255)); // beyond all slots
        CHECK(refuses(words_at + 3, 255));
        CHECK(refuses(words_at, 255));
        if (more == 0) continue;
        CHECK(refuses(first_word_at + 8 * 6 - 8, 3));
        CHECK(refuses(words_at, 8));
        const std::size_t last = first_word_at + 8 * 7 - 8;
        auto bad = bytes; // no floor in the last word, which then says nothing
        for (std::size_t i = 0; i != 8; ++i) bad[last + i] = std::byte{0};
        CHECK(TestType().try_restore(bad) != nullptr);
        if constexpr (TestType::options.handle.version_bits == 6) CHECK(refuses(last, 64)); // a version of seven bits
    }
}

using A = test::StatefulAllocator<std::byte>;
TEMPLATE_TEST_CASE("handles that others choose claim 8 slots an element, and 65,536 slots or 4 MiB at least", "[sizes]",
                   (SlotMap<char, AllocBy<A>>), (DenseSlotMap<int, AllocBy<A>>), (SlotMap<Row, AllocBy<A>>),
                   (BasicSoaSlotMap<Members<Row, Row>, AllocBy<A>>),
                   (SlotMap<char, AllocBy<A>, ValueArray<Row, test::StatefulAllocator<Row>>>)) {
    test::EveryByteReturned scope;
    TestType map;
    using handle_type = typename TestType::handle_type;
    const auto put = [&](std::size_t slot) {
        const handle_type handle(static_cast<slot_t>(slot), 1);
        if constexpr (requires { map.emplace(Row(), Row()); })
            return static_cast<bool>(map.insert_at(handle, Row(), Row()));
        else
            return static_cast<bool>(map.insert_at(handle, typename TestType::value_type()));
    };
    // The worst that somebody can do who knows the budget; on the way, every far slot is asked for too.
    for (int i = 0; i != 40; ++i) {
        for (const std::size_t far : {std::size_t{no_slot} - 1, std::size_t{1} << 28, 2 * map.capacity() - 1})
            if (far > 100'000) CHECK_FALSE(put(far));
        for (std::size_t slot = 65'535; slot > 500; slot -= slot / 16)
            if (put(slot - map.size())) break;
    }
    REQUIRE(map.size() > 20);
    CHECK(map.capacity() <= 65'536);
    CHECK(scope.live_bytes() < (std::size_t{6} << 20));
    CHECK(map.check_invariants());
    // What was reserved for may be used to its end, and each element brings room for eight.
    map.reserve(5'000);
    const std::size_t reserved = map.capacity();
    CHECK(put(reserved - 100));
    while (8 * (map.size() + 1) <= reserved) put(map.size());
    if (reserved > 65'536) return;
    CHECK(put(8 * (map.size() + 1) - 1));
    CHECK(map.check_invariants());
}
