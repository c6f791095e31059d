// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotDirectory: growth, shrinking with version floors, copies and what memory it takes.
#include "directory.hpp"

#include "support/allocators.hpp"

#include <algorithm>
#include <utility>

using namespace slotwise;
using test::Full;
using test::grow;
using test::insert;
using test::numbers;
using test::Three;
using test::upcoming;

namespace {

using Stateful = test::StatefulAllocator<std::byte>;

} // namespace

#define POLICIES                                                                                                               \
    (test::Narrow<3, Exhaustion::retire, Reuse::lowest>), (test::Narrow<3, Exhaustion::retire, Reuse::lifo>),                  \
        (test::Narrow<3, Exhaustion::retire, Reuse::fifo>), (Full<Reuse::lowest>), (Full<Reuse::lifo>), (Full<Reuse::fifo>)

TEMPLATE_TEST_CASE("shrinking forgets no handle: slots made there later start above all versions that were there", "",
                   POLICIES) {
    TestType directory;
    grow(directory, 300);
    for (int i = 0; i < 300; ++i) insert(directory);
    std::vector<std::pair<slot_t, std::uint32_t>> stale;
    for (slot_t slot = 0; slot < 300; ++slot) {
        stale.emplace_back(slot, 1);
        directory.erase(slot);
    }
    REQUIRE(insert(directory) < 300);
    const slot_t kept = static_cast<slot_t>(directory.occupancy().find_next(0));
    for (const slot_t slot : {200u, 298u}) // two of them lived twice
        if (directory.can_take(slot, 3)) {
            directory.take(slot, 3);
            directory.commit(slot);
            stale.emplace_back(slot, 3);
            directory.erase(slot);
        }
    const std::uint32_t kept_version = directory.version(kept);
    test::shrink(directory);
    CHECK(directory.check_invariants());
    CHECK(directory.capacity() == kept + 1);
    CHECK(directory.is_live(kept, kept_version));
    for (const auto& [slot, version] : stale) CHECK_FALSE(directory.is_live(slot, version));
    for (const slot_t slot : {200u, 298u}) { // also not by choice: they lived again since, or one of their block did
        CHECK_FALSE(directory.can_take(slot, 1));
        if (kept == 0) CHECK_FALSE(directory.can_take(slot ^ 1u, 1)); // lifo: nothing was given up
    }
    CHECK(directory.can_take(150, 1)); // which would undo its erase

    grow(directory, 300);
    CHECK(directory.check_invariants());
    while (directory.has_room()) {
        const slot_t slot = insert(directory);
        for (const auto& [old_slot, version] : stale)
            if (old_slot == slot) REQUIRE_FALSE(directory.is_live(slot, version));
    }
    CHECK(directory.size() == 300);
    CHECK(directory.check_invariants());
}

TEST_CASE("a floor survives any number of shrinks, and is not forgotten by shrinking to nothing") {
    Three<Reuse::lowest> directory;
    grow(directory, 100);
    std::vector<std::uint32_t> versions;
    for (int round = 0; round < 4; ++round) { // 3 bits: lives 1, 3, 5, 7
        while (directory.has_room()) insert(directory);
        versions.push_back(directory.version(99));
        for (slot_t slot = 0; slot < 100; ++slot) directory.erase(slot);
        if (round == 3) break;
        test::shrink(directory);
        CHECK(directory.capacity() == 0);
        CHECK(directory.check_invariants());
        grow(directory, 100);
    }
    CHECK(versions == std::vector<std::uint32_t>{1, 3, 5, 7});
    CHECK(directory.retired() == 100);
    test::shrink(directory);
    CHECK(directory.capacity() == 100); // retired slots must be remembered
    CHECK_FALSE(directory.has_room());
}

TEST_CASE("slots beyond all that ever were start at version 1, floor or not") {
    Full<Reuse::lowest> directory;
    grow(directory, 64);
    for (int i = 0; i < 64; ++i) insert(directory);
    for (slot_t slot = 0; slot < 64; ++slot) directory.erase(slot);
    test::shrink(directory);
    grow(directory, 128);
    for (slot_t slot = 0; slot < 128; ++slot) {
        REQUIRE(insert(directory) == slot);
        CHECK(directory.version(slot) == (slot < 64 ? 3 : 1));
    }
}

TEMPLATE_TEST_CASE("retreat gives up free slots at the end and stops at live, reserved and retired ones", "", POLICIES) {
    TestType directory;
    grow(directory, 200);
    for (int i = 0; i < 150; ++i) insert(directory);
    for (slot_t slot = 100; slot < 150; ++slot) directory.erase(slot);
    for (slot_t slot = 0; slot < 50; ++slot) directory.erase(slot);
    CHECK(directory.lower_cursor() == 100);
    CHECK(directory.cursor() == 100);
    CHECK(directory.check_invariants());
    auto order = upcoming(directory);
    CHECK(order.size() == 150);
    std::sort(order.begin(), order.end());
    auto expected = numbers(0, 50);
    const auto fresh = numbers(100, 200);
    expected.insert(expected.end(), fresh.begin(), fresh.end());
    CHECK(order == expected);

    for (slot_t slot = 50; slot < 100; ++slot) directory.erase(slot);
    const slot_t promised = directory.reserve_slot();
    CHECK(directory.lower_cursor() == promised + 1);
    CHECK(directory.check_invariants());
    directory.unreserve(promised);
    const slot_t slot = promised;
    directory.skip_version(slot);
    CHECK(directory.lower_cursor() == 0);
    directory.take(77, TestType::max_version);
    directory.commit(77);
    directory.erase(77);
    CHECK(directory.retired() == 1);
    CHECK(directory.lower_cursor() == 78);
    CHECK(directory.check_invariants());
}

TEMPLATE_TEST_CASE("a copy gives the same handles now and in future, and is independent", "", POLICIES) {
    TestType directory;
    grow(directory, 150);
    for (int i = 0; i < 120; ++i) insert(directory);
    for (const slot_t slot : {100u, 3u, 64u, 7u, 63u}) directory.erase(slot);
    static_cast<void>(directory.reserve_slot());
    TestType copy(directory, {});
    CHECK(copy.check_invariants());
    CHECK(copy.size() == directory.size());
    CHECK(copy.reserved() == 1);
    CHECK(copy.capacity() == directory.capacity());
    while (directory.has_room()) {
        const slot_t slot = insert(directory);
        REQUIRE(insert(copy) == slot);
        REQUIRE(copy.version(slot) == directory.version(slot));
    }
    copy.erase(5);
    CHECK(directory.is_live(5));
    CHECK(directory.check_invariants());
    CHECK(copy.check_invariants());
}

TEMPLATE_TEST_CASE("a moved-from directory is as new, and swap exchanges everything", "", POLICIES) {
    TestType directory;
    grow(directory, 100);
    for (int i = 0; i < 10; ++i) insert(directory);
    directory.erase(4);
    const auto order = upcoming(directory);
    TestType taken(std::move(directory));
    CHECK(directory.size() == 0);
    CHECK(directory.capacity() == 0);
    CHECK_FALSE(directory.has_room());
    CHECK_FALSE(directory.is_live(3, 1));
    CHECK(directory.check_invariants());
    CHECK(taken.is_live(3, 1));
    CHECK(upcoming(taken) == order);
    grow(directory, 20);
    insert(directory);
    directory.swap(taken);
    CHECK(directory.size() == 9);
    CHECK(upcoming(directory) == order);
    CHECK(taken.size() == 1);
    CHECK(taken.check_invariants());
    CHECK(directory.check_invariants());
}

TEST_CASE("floors are as they were when the allocator has no spare words for them", "[throws]") {
    test::EveryByteReturned scope;
    using Floors = detail::VersionFloors<std::uint8_t, test::ThrowingAllocator<std::byte>>;
    Floors floors;
    floors.level(3, 100);
    const auto failures = test::fail_at_every_step(test::swept("detail::VersionFloors::spare"), [&](auto&& attempt) {
        attempt([&] {
            const auto spare = floors.spare(200, {});
            CHECK(spare.size() == bits::word_count(200));
        });
        CHECK(floors.of(99) == 3);
        CHECK(floors.of(100) == 0);
    });
    CHECK(failures == 1);
}

TEST_CASE("growing and reserving are strong when the allocator throws", "[throws]") {
    test::EveryByteReturned scope;
    const auto run = [](auto directory) {
        using Directory = decltype(directory);
        const auto grown = test::fail_at_every_step(test::swept<Directory>("prepare"), [](auto&& attempt) {
            Directory d;
            grow(d, 64);
            insert(d);
            insert(d);
            d.erase(0);
            const auto before = upcoming(d);
            const bool threw = attempt([&] { grow(d, 2000); }); // with a summary of the live words
            CHECK(d.capacity() == (threw ? 64 : 2000));
            CHECK(d.check_invariants());
            if (threw) CHECK(upcoming(d) == before);
            CHECK(d.is_live(1, 1));
        });
        CHECK(grown == 1); // one block
        const auto reserved = test::fail_at_every_step(test::swept<Directory>("reserve_slot"), [](auto&& attempt) {
            Directory d;
            grow(d, 64);
            const bool threw = attempt([&] { static_cast<void>(d.reserve_slot()); });
            CHECK(d.reserved() == (threw ? 0 : 1));
            CHECK(d.cursor() == (threw ? 0 : 1));
            CHECK(d.check_invariants());
        });
        CHECK(reserved == 1);
        const auto copied = test::fail_at_every_step(test::swept<Directory>("(copy, allocator)"), [](auto&& attempt) {
            Directory d;
            grow(d, 100);
            insert(d);
            attempt([&] { Directory copy(d, {}); });
            CHECK(d.is_live(0, 1));
        });
        CHECK(copied >= 1);
    };
    run(SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lowest, test::ThrowingAllocator<std::byte>>());
    run(SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lifo, test::ThrowingAllocator<std::byte>>());
}

TEST_CASE("the bookkeeping of a directory is one allocation, however large, and with lists too") {
    const auto allocations_of = [](auto directory, std::size_t slots) {
        const std::size_t before = test::Ledger::allocations();
        auto more = directory.prepare_exactly(slots, test::StatefulAllocator<std::byte>(1));
        directory.adopt(more);
        CHECK(directory.memory_usage() == test::Ledger::live_bytes(1));
        return test::Ledger::allocations() - before;
    };
    using Lowest = SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lowest, Stateful>;
    using Lifo = SlotDirectory<HandleLayout{8, 8}, Exhaustion::retire, Reuse::lifo, Stateful>;
    for (const std::size_t slots : {1u, 64u, 65u, 2'000u, 100'000u}) CHECK(allocations_of(Lowest(Stateful(1)), slots) == 1);
    CHECK(allocations_of(Lifo(Stateful(1)), 200) == 1);
}

TEST_CASE("erasing, releasing and clearing never allocate") {
    using Directory = SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lowest, Stateful>;
    Directory directory(Stateful(1));
    auto more = directory.prepare(1000, Stateful(1));
    directory.adopt(more);
    directory.set_capacity(1000);
    const std::size_t before = test::Ledger::allocations();
    for (int i = 0; i < 1000; ++i) insert(directory);
    for (slot_t slot = 0; slot < 500; ++slot) directory.erase(slot);
    directory.end_clear(directory.begin_clear());
    directory.lower_cursor();
    directory.recycle_retired();
    CHECK(test::Ledger::allocations() == before);
    CHECK(test::Ledger::live_bytes(1) > 1000 * sizeof(std::uint32_t));
}

TEST_CASE("the directory takes about 4.25 bytes a slot, and 8 more with lists") {
    using Counted = test::StatefulAllocator<std::byte>;
    const std::size_t before = test::Ledger::live_bytes();
    {
        SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lowest, Counted> lowest;
        auto more = lowest.prepare_exactly(100'000, Counted());
        lowest.adopt(more);
        CHECK(static_cast<double>(test::Ledger::live_bytes() - before) / 100'000 < 4.26);
    }
    {
        SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lifo, Counted> lifo;
        auto more = lifo.prepare_exactly(100'000, Counted());
        lifo.adopt(more);
        CHECK(static_cast<double>(test::Ledger::live_bytes() - before) / 100'000 < 12.26);
    }
}

TEST_CASE("capacity never exceeds what a handle can name") {
    SlotDirectory<HandleLayout{4, 12, 0}> directory; // 16 slots
    grow(directory, 16);
    for (int i = 0; i < 16; ++i) insert(directory);
    CHECK_FALSE(directory.has_room());
    auto more = directory.prepare(1000, {});
    directory.adopt(more);
    directory.set_capacity(1000);
    CHECK(directory.capacity() == 16);
    CHECK_FALSE(directory.has_room());
    CHECK(directory.check_invariants());
}

TEMPLATE_TEST_CASE(
    "shrinking ages the slots of the block in which one was used more than others, wherever it was, and no other", "",
    (test::Narrow<6, slotwise::Exhaustion::retire, Reuse::lowest>),
    (slotwise::SlotDirectory<slotwise::HandleLayout{16, 16, 0}>), Full<Reuse::lowest>) {
    constexpr slot_t block = 8 * sizeof(typename TestType::version_type);
    for (const slot_t often : {0u, 63u, 64u, 127u, 128u, 200u, 319u}) {
        CAPTURE(often);
        TestType directory;
        grow(directory, 320);
        for (int shrinks = 0; shrinks != 3; ++shrinks) {
            for (int i = 0; i != 320; ++i) insert(directory);
            for (slot_t slot = 0; slot != 320; ++slot) directory.erase(slot);
            for (int again = 0; again != 3; ++again) { // one slot had four elements, the others one
                directory.take(often, directory.version(often) + 1);
                directory.commit(often);
                directory.erase(often);
            }
            test::shrink(directory);
            REQUIRE(directory.capacity() == 0);
            REQUIRE(directory.check_invariants());
            TestType copy(directory, {});
            grow(directory, 320);
            grow(copy, 320);
            for (slot_t slot = 0; slot != 320; ++slot) {
                const bool aged = slot == often || (often >= 64 && slot >= 64 && slot / block == often / block);
                REQUIRE(directory.version(slot) == (aged ? 8u : 2u) * static_cast<unsigned>(shrinks + 1));
                REQUIRE(copy.version(slot) == directory.version(slot));
            }
        }
    }
}
