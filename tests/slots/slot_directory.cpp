// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotDirectory, promise by promise. All short sequences of operations: slot_directory_retire.cpp and slot_directory_wrap.cpp;
// memory and floors: slot_directory_memory.cpp; long random ones: fuzz/slots.cpp.
#include "directory.hpp"

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

// The whole life of a directory in a constant expression.
template <Reuse R, Exhaustion E>
constexpr bool constant_use() {
    test::Narrow<2, E, R> directory;
    test::grow(directory, 100);
    bool right = directory.acquire_live() == 0 && directory.acquire_live() == 1 && directory.is_live(1, 1);
    directory.erase(0);
    right = right && !directory.is_live(0, 1) && directory.size() == 1 && directory.check_invariants();
    const slot_t again = directory.acquire();
    directory.commit(again);
    right = right && again == 0 && directory.is_live(0, 3);
    directory.erase(0); // its last version
    right = right && directory.retired() == (E == Exhaustion::retire ? 1 : 0) && directory.check_invariants();
    const slot_t promised = directory.reserve_slot();
    right = right && directory.is_reserved(promised, directory.version(promised) + 1);
    directory.unreserve(promised);
    directory.skip_version(promised);
    right = right && directory.can_take(70, 3);
    directory.take(70, 3);
    directory.commit(70);
    right = right && directory.is_live(70, 3) && directory.occupancy().count() == 2 && directory.check_invariants();
    test::Narrow<2, E, R> copy(directory, {});
    const slot_t end = directory.begin_clear();
    directory.end_clear(end);
    right = right && directory.size() == 0 && !directory.is_live(70, 3) && copy.is_live(70, 3);
    directory.recycle_retired();
    test::shrink(directory);
    test::grow(copy, 300);
    directory.swap(copy);
    return right && directory.size() == 2 && directory.check_invariants() && copy.check_invariants();
}
static_assert(constant_use<Reuse::lowest, Exhaustion::retire>());
static_assert(constant_use<Reuse::lifo, Exhaustion::retire>());
static_assert(constant_use<Reuse::fifo, Exhaustion::wrap>());

/// Numbers that an attacker would try.
std::vector<std::uint32_t> hostile_numbers() {
    std::vector<std::uint32_t> all{0,   1,   2,           3,           63,          64,          65,
                                   127, 128, 0x7FFF'FFFF, 0x8000'0000, 0xFFFF'FFFD, 0xFFFF'FFFE, 0xFFFF'FFFF};
    for (unsigned shift = 4; shift < 32; shift += 3) all.push_back(1u << shift);
    return all;
}

} // namespace

#define POLICIES                                                                                                               \
    (test::Narrow<3, Exhaustion::retire, Reuse::lowest>), (test::Narrow<3, Exhaustion::retire, Reuse::lifo>),                  \
        (test::Narrow<3, Exhaustion::retire, Reuse::fifo>), (Full<Reuse::lowest>), (Full<Reuse::lifo>), (Full<Reuse::fifo>)

TEMPLATE_TEST_CASE("fresh slots come in ascending order, at version 1", "", POLICIES) {
    TestType directory;
    CHECK(directory.capacity() == 0);
    CHECK_FALSE(directory.has_room());
    grow(directory, 200);
    CHECK(directory.capacity() == 200);
    CHECK(directory.cursor() == 0);
    for (slot_t slot = 0; slot < 200; ++slot) {
        REQUIRE(insert(directory) == slot);
        REQUIRE(directory.version(slot) == 1);
        REQUIRE(directory.is_live(slot, 1));
        REQUIRE(directory.check_invariants());
    }
    CHECK_FALSE(directory.has_room());
    CHECK(directory.size() == 200);
    CHECK(directory.occupancy().all());
}

TEST_CASE("lowest gives the lowest vacant slot, lifo the one vacated last, fifo the one vacated first") {
    const auto order_after = [](auto directory) {
        grow(directory, 200);
        for (int i = 0; i < 150; ++i) insert(directory);
        for (const slot_t slot : {130u, 5u, 70u, 6u}) directory.erase(slot);
        CHECK(directory.check_invariants());
        auto order = upcoming(directory);
        CHECK(order.size() == 54);
        CHECK(std::vector<slot_t>(order.begin() + 4, order.end()) ==
              numbers(150, 200)); // fresh ones only when none was vacated
        order.resize(4);
        return order;
    };
    CHECK(order_after(Full<Reuse::lowest>()) == std::vector<slot_t>{5, 6, 70, 130});
    CHECK(order_after(Full<Reuse::lifo>()) == std::vector<slot_t>{6, 70, 5, 130});
    CHECK(order_after(Full<Reuse::fifo>()) == std::vector<slot_t>{130, 5, 70, 6});
}

TEMPLATE_TEST_CASE("any two numbers may be looked up, in any state of the slot", "", POLICIES) {
    TestType directory;
    const auto ask_everything = [&] {
        std::size_t live = 0;
        for (const auto slot : hostile_numbers()) {
            static_cast<void>(directory.state(slot));
            static_cast<void>(directory.is_live(slot));
            for (const auto version : hostile_numbers()) {
                const bool here = directory.is_live(slot, version);
                live += here;
                CHECK((!here || (version % 2 == 1 && slot < directory.cursor() && directory.version(slot) == version)));
                CHECK((directory.explain(slot, version) == HandleStatus::live) == here);
                CHECK_FALSE((directory.is_reserved(slot, version) && here));
                CHECK_FALSE(
                    (directory.can_take(slot, version) && (here || version % 2 == 0 || version > TestType::max_version)));
            }
        }
        return live;
    };
    CHECK(ask_everything() == 0); // empty
    grow(directory, 200);
    CHECK(ask_everything() == 0); // all fresh
    for (int i = 0; i < 200; ++i) insert(directory);
    CHECK(ask_everything() > 0);
    for (const slot_t slot : {0u, 2u, 63u, 65u}) directory.erase(slot); // vacated once: version 2
    for (const slot_t slot : {0u, 2u, 63u, 65u})
        CHECK_FALSE(directory.is_live(slot, directory.version(slot))); // the very even one
    static_cast<void>(directory.reserve_slot());
    static_cast<void>(directory.acquire());
    directory.remove(127);
    CHECK(ask_everything() > 0);
    const slot_t end = directory.begin_clear();
    CHECK(ask_everything() == 0);
    directory.end_clear(end);
    CHECK(ask_everything() == 0);
    CHECK(directory.check_invariants());
}

TEMPLATE_TEST_CASE("what is pending, reserved or retired is explained as that", "", POLICIES) {
    TestType directory;
    grow(directory, 64);
    const slot_t slot = insert(directory);
    CHECK(directory.explain(slot, 1) == HandleStatus::live);
    CHECK(directory.explain(slot, 3) == HandleStatus::stale);
    CHECK(directory.explain(slot, 2) == HandleStatus::stale);
    CHECK(directory.explain(slot, 0) == HandleStatus::stale);
    directory.remove(slot);
    CHECK(directory.explain(slot, 1) == HandleStatus::pending);
    CHECK(directory.state(slot) == SlotState::pending);
    CHECK(directory.explain(slot, 3) == HandleStatus::stale);
    directory.release(slot);
    CHECK(directory.explain(slot, 1) == HandleStatus::stale);
    CHECK(directory.state(slot) == SlotState::free);
    const slot_t promised = directory.reserve_slot();
    REQUIRE(promised == slot);
    CHECK(directory.explain(slot, 3) == HandleStatus::reserved);
    CHECK(directory.explain(slot, 1) == HandleStatus::stale);
    CHECK(directory.state(slot) == SlotState::reserved);
    CHECK(directory.explain(63, 1) == HandleStatus::stale);
    CHECK(directory.explain(64, 1) == HandleStatus::out_of_range);
    CHECK(directory.explain(no_slot, 1) == HandleStatus::out_of_range);
}

TEST_CASE("a slot that has used its last version is retired, at every width of versions") {
    const auto live_out = [](auto directory) {
        using Directory = decltype(directory);
        grow(directory, 64);
        // Jumps to the last but one version; counting there would take 2^31 steps.
        constexpr std::uint32_t last = Directory::max_version;
        REQUIRE(directory.can_take(0, last - 2));
        directory.take(0, last - 2);
        directory.commit(0);
        CHECK(directory.is_live(0, last - 2));
        directory.erase(0);
        REQUIRE(insert(directory) == 0);
        CHECK(directory.is_live(0, last));
        CHECK_FALSE(directory.is_live(0, last - 2));
        directory.erase(0);
        CHECK(directory.retired() == 1);
        CHECK(directory.state(0) == SlotState::retired);
        CHECK(directory.explain(0, last) == HandleStatus::retired);
        CHECK_FALSE(directory.is_live(0, last));
        CHECK_FALSE(directory.is_live(0, 0));
        CHECK_FALSE(directory.can_take(0, last));
        CHECK_FALSE(directory.can_take(0, 1));
        CHECK(insert(directory) == 1);
        CHECK(directory.check_invariants());
        // Its last life may also end by cancelling a reservation, or by a clear.
        directory.take(2, last);
        directory.skip_version(2);
        directory.take(3, last);
        directory.commit(3);
        const slot_t end = directory.begin_clear();
        directory.end_clear(end);
        CHECK(directory.retired() == 3);
        CHECK(directory.check_invariants());
        CHECK(upcoming(directory).size() == 61);
        CHECK(directory.recycle_retired() == 3);
        CHECK(upcoming(directory).size() == 64);
        CHECK(directory.can_take(0, 1));
        CHECK(directory.check_invariants());
    };
    live_out(SlotDirectory<HandleLayout{8, 8, 0}>());
    live_out(SlotDirectory<HandleLayout{16, 16, 0}>());
    live_out(SlotDirectory<HandleLayout{32, 32, 0}>());
    live_out(SlotDirectory<HandleLayout{23, 9, 0}, Exhaustion::retire, Reuse::lifo>());
    live_out(SlotDirectory<HandleLayout{30, 31, 3}, Exhaustion::retire, Reuse::fifo>());
}

TEST_CASE("under wrap a slot goes on from version 1, at every width of versions") {
    const auto wrap = [](auto directory) {
        constexpr std::uint32_t last = decltype(directory)::max_version;
        grow(directory, 1);
        directory.take(0, last);
        directory.commit(0);
        CHECK(directory.is_live(0, last));
        directory.erase(0);
        CHECK(directory.retired() == 0);
        CHECK(directory.check_invariants());
        REQUIRE(insert(directory) == 0);
        CHECK(directory.is_live(0, 1));
        directory.remove(0);
        directory.release(0);
        CHECK(directory.has_room());
        directory.take(0, last);
        directory.skip_version(0);
        CHECK(directory.has_room());
        CHECK(directory.recycle_retired() == 0);
        CHECK(directory.check_invariants());
    };
    wrap(SlotDirectory<HandleLayout{8, 8, 0}, Exhaustion::wrap>());
    wrap(SlotDirectory<HandleLayout{16, 16, 0}, Exhaustion::wrap, Reuse::lifo>());
    wrap(SlotDirectory<HandleLayout{}, Exhaustion::wrap, Reuse::fifo>());
    wrap(SlotDirectory<HandleLayout{15, 1, 0}, Exhaustion::wrap>());
}

TEMPLATE_TEST_CASE("a chosen slot above the cursor can be taken; the gap becomes vacant", "", POLICIES) {
    TestType directory;
    grow(directory, 200);
    insert(directory);
    REQUIRE(directory.can_take(130, 5));
    directory.take(130, 5);
    CHECK_FALSE(directory.can_take(130, 5)); // held
    CHECK(directory.check_invariants());
    directory.commit(130);
    CHECK(directory.is_live(130, 5));
    CHECK(directory.cursor() == 131);
    CHECK(directory.size() == 2);
    CHECK(directory.check_invariants());
    auto order = upcoming(directory);
    CHECK(order.size() == 198);
    std::sort(order.begin(), order.end());
    auto expected = numbers(1, 200);
    expected.erase(std::find(expected.begin(), expected.end(), 130));
    CHECK(order == expected);
}

TEMPLATE_TEST_CASE("only versions that no other element has had can be taken", "", POLICIES) {
    TestType directory;
    grow(directory, 64);
    for (int life = 0; life < 2; ++life) {
        insert(directory);
        directory.erase(0);
    }                                      // versions 1 and 3 were issued
    CHECK_FALSE(directory.can_take(0, 1)); // older
    CHECK(directory.can_take(0, 3));       // the last: undoes its erase
    CHECK(directory.can_take(0, 5));
    CHECK(directory.can_take(0, 7));
    CHECK_FALSE(directory.can_take(0, 4));
    CHECK_FALSE(directory.can_take(0, 0));
    CHECK_FALSE(directory.can_take(no_slot, 1));
    directory.take(0, 3);
    directory.commit(0);
    CHECK(directory.is_live(0, 3));
    CHECK_FALSE(directory.can_take(0, 3));
    CHECK_FALSE(directory.can_take(0, 5));
    directory.erase(0);
    CHECK(directory.version(0) == 4); // as if it had not come back
    const slot_t promised = directory.reserve_slot();
    CHECK_FALSE(directory.can_take(promised, 5));
    CHECK(directory.check_invariants());
}

TEST_CASE("a version beyond the version bits cannot be taken") {
    Three<Reuse::lowest> three;
    grow(three, 64);
    CHECK(three.can_take(0, 7));
    CHECK_FALSE(three.can_take(0, 9));
    CHECK_FALSE(three.can_take(0, 0xFFFF'FFFF));
    SlotDirectory<HandleLayout{8, 8, 0}, Exhaustion::wrap> eight;
    grow(eight, 64);
    CHECK(eight.can_take(0, 255));
    CHECK_FALSE(eight.can_take(0, 257));
    CHECK_FALSE(eight.can_take(300, 1)); // nor a slot beyond the index bits
}

TEMPLATE_TEST_CASE("untake puts a slot back exactly where it was", "", POLICIES) {
    for (slot_t chosen = 0; chosen < 8; ++chosen) {
        TestType directory;
        grow(directory, 64);
        for (int i = 0; i < 10; ++i) insert(directory);
        for (const slot_t slot : {3u, 7u, 0u, 5u, 1u, 6u, 2u, 4u}) directory.erase(slot);
        const auto before = upcoming(directory);
        const std::uint32_t version = directory.take(chosen, 7);
        CHECK(directory.check_invariants());
        directory.undo_take(chosen, version);
        CHECK(directory.check_invariants());
        CHECK(upcoming(directory) == before);
        CHECK(directory.version(chosen) == version);
    }
}

TEMPLATE_TEST_CASE("untake of a slot above the cursor makes the gap fresh again", "", POLICIES) {
    TestType directory;
    grow(directory, 200);
    for (int i = 0; i < 10; ++i) insert(directory);
    for (const slot_t slot : {3u, 7u, 0u}) directory.erase(slot);
    const auto before = upcoming(directory);
    for (const slot_t chosen : {10u, 11u, 63u, 64u, 150u, 199u}) {
        const slot_t cursor = directory.cursor();
        const std::uint32_t version = directory.take(chosen, 5);
        CHECK(directory.check_invariants());
        directory.undo_take(chosen, version, cursor);
        CHECK(directory.check_invariants());
        CHECK(directory.cursor() == 10);
        CHECK(upcoming(directory) == before);
    }
    // Something came in between: the gap stays, nothing is lost.
    const slot_t cursor = directory.cursor();
    const std::uint32_t version = directory.take(20, 5);
    std::vector<slot_t> taken;
    for (int i = 0; i < 5; ++i) taken.push_back(insert(directory));
    directory.undo_take(20, version, cursor);
    CHECK(directory.check_invariants());
    CHECK(directory.size() == 12);
    CHECK(upcoming(directory).size() == 188);
}

TEMPLATE_TEST_CASE("unretreat brings back exactly what retreat gave up", "", POLICIES) {
    for (unsigned order = 0; order < 6; ++order) {
        TestType directory;
        grow(directory, 200);
        for (int i = 0; i < 100; ++i) insert(directory);
        std::vector<slot_t> vacated{99, 3, 98, 50, 97, 96, 95, 0};
        std::rotate(vacated.begin(), vacated.begin() + order, vacated.end());
        for (const slot_t slot : vacated) directory.erase(slot);
        const auto before = upcoming(directory);
        const slot_t cursor = directory.cursor();
        CHECK(directory.lower_cursor(97) == 97);
        directory.restore_cursor(cursor);
        CHECK(upcoming(directory) == before);
        CHECK(directory.lower_cursor() == 95);
        CHECK(directory.check_invariants());
        directory.restore_cursor(cursor);
        CHECK(directory.check_invariants());
        CHECK(directory.cursor() == cursor);
        CHECK(upcoming(directory) == before);
    }
}

TEMPLATE_TEST_CASE("untake of a fresh slot that had a place in an earlier list loses no slot", "", POLICIES) {
    TestType directory;
    grow(directory, 64);
    // Vacated in this order slot 2 is listed behind slot 1; giving all of them up leaves that link behind.
    for (int i = 0; i < 3; ++i) insert(directory);
    for (slot_t slot = 0; slot < 3; ++slot) directory.erase(slot);
    REQUIRE(directory.lower_cursor() == 0);
    insert(directory);
    insert(directory);
    directory.erase(0);
    const std::uint32_t version = directory.take(2, 5);
    directory.undo_take(2, version);
    CHECK(directory.check_invariants());
    auto order = upcoming(directory);
    std::sort(order.begin(), order.end());
    auto expected = numbers(2, 64);
    expected.insert(expected.begin(), 0);
    CHECK(order == expected);
}

TEMPLATE_TEST_CASE("untake after its neighbours were taken too loses no slot", "", POLICIES) {
    // A constructor that inserts into its own container and then throws.
    for (int nested = 0; nested <= 4; ++nested)
        for (slot_t chosen = 0; chosen < 4; ++chosen)
            for (const bool erased_again : {false, true}) {
                CAPTURE(nested, chosen, erased_again);
                TestType directory;
                grow(directory, 64);
                for (int i = 0; i < 5; ++i) insert(directory);
                for (slot_t slot = 0; slot < 4; ++slot) directory.erase(slot);
                const std::uint32_t version = directory.take(chosen, 5);
                std::vector<slot_t> taken;
                for (int i = 0; i < nested; ++i) taken.push_back(insert(directory));
                if (erased_again)
                    for (const slot_t slot : taken) directory.erase(slot);
                CHECK(directory.check_invariants());
                directory.undo_take(chosen, version);
                CHECK(directory.check_invariants());
                CHECK(upcoming(directory).size() + directory.size() == 64);
                CHECK(directory.size() == (erased_again ? 1u : 1u + static_cast<unsigned>(nested)));
            }
}

TEMPLATE_TEST_CASE("untake of a slot above the cursor, when a higher one was taken meanwhile, makes it vacant", "", POLICIES) {
    TestType directory;
    grow(directory, 200);
    for (int i = 0; i < 10; ++i) insert(directory);
    const std::uint32_t version = directory.take(70, 5);
    directory.take(80, 5);
    directory.commit(80);
    directory.undo_take(70, version, 10);
    CHECK(directory.check_invariants());
    CHECK(directory.cursor() == 81); // 80 is alive
    CHECK(directory.state(70) == SlotState::free);
    CHECK(directory.version(70) == version);
    CHECK(upcoming(directory).size() == 189);
}

TEMPLATE_TEST_CASE("untake after its neighbour in the list was given up loses no slot", "", POLICIES) {
    const std::vector<slot_t> orders[] = {{3, 5, 9, 2}, {2, 9, 5, 3}}; // 9 comes before 5, under lifo and fifo
    for (const auto& order : orders) {
        TestType directory;
        grow(directory, 64);
        for (int i = 0; i < 10; ++i) insert(directory);
        for (const slot_t slot : order) directory.erase(slot);
        const std::uint32_t version = directory.take(5, 7);
        CHECK(directory.lower_cursor() == 9); // gives up slot 9
        directory.undo_take(5, version);
        CHECK(directory.check_invariants());
        auto next = upcoming(directory);
        CHECK(next.size() == 58);
        std::sort(next.begin(), next.begin() + 3);
        next.resize(4);
        CHECK(next == std::vector<slot_t>{2, 3, 5, 9});
    }
}

TEMPLATE_TEST_CASE("unacquire after nested inserts and erases loses no slot", "", POLICIES) {
    for (const bool fresh : {false, true})
        for (int nested = 0; nested <= 4; ++nested)
            for (const bool erased_again : {false, true}) {
                TestType directory;
                grow(directory, 64);
                for (int i = 0; i < 5; ++i) insert(directory);
                if (!fresh)
                    for (slot_t slot = 1; slot < 4; ++slot) directory.erase(slot);
                REQUIRE(directory.next_is_fresh() == fresh);
                const slot_t held = directory.acquire();
                std::vector<slot_t> taken;
                for (int i = 0; i < nested; ++i) taken.push_back(insert(directory));
                if (erased_again)
                    for (const slot_t slot : taken) directory.erase(slot);
                directory.undo_acquire(held, fresh);
                CHECK(directory.check_invariants());
                CHECK(upcoming(directory).size() + directory.size() == 64);
            }
}

TEMPLATE_TEST_CASE("a burned version is never issued", "", POLICIES) {
    TestType directory;
    grow(directory, 64);
    const slot_t slot = directory.acquire(); // its handle was seen, then its construction failed
    directory.skip_version(slot);
    CHECK(directory.explain(slot, 1) == HandleStatus::stale);
    REQUIRE(insert(directory) == slot);
    CHECK(directory.is_live(slot, 3));
    CHECK_FALSE(directory.is_live(slot, 1));
    CHECK(directory.check_invariants());
}

TEMPLATE_TEST_CASE("clear makes every handle stale, cancels reservations and starts again at slot 0", "", POLICIES) {
    TestType directory;
    grow(directory, 200);
    for (int i = 0; i < 100; ++i) insert(directory);
    for (slot_t slot = 0; slot < 100; slot += 3) directory.erase(slot);
    const slot_t promised = directory.reserve_slot();
    const std::uint32_t promised_version = directory.version(promised) + 1;
    const auto before = directory.occupancy().count();
    const slot_t end = directory.begin_clear();
    CHECK(end == 100);
    CHECK(directory.size() == 0);
    CHECK(directory.occupancy().count() == before); // those to be destroyed
    CHECK_FALSE(directory.is_reserved(promised, promised_version));
    directory.mark_destroyed(1);
    CHECK(directory.occupancy().count() == before - 1);
    directory.end_clear(end);
    CHECK(directory.check_invariants());
    CHECK(directory.reserved() == 0);
    CHECK(directory.occupancy().count() == 0);
    CHECK(upcoming(directory) == numbers(0, 200));
    for (slot_t slot = 0; slot < 100; ++slot) {
        CHECK_FALSE(directory.is_live(slot, 1));
        CHECK(insert(directory) == slot);
        CHECK(directory.version(slot) > (slot == promised ? promised_version : 1));
    }
    CHECK(directory.check_invariants());
}

TEMPLATE_TEST_CASE("what is inserted between the halves of clear survives, in a fresh slot", "", POLICIES) {
    TestType directory;
    grow(directory, 200);
    for (int i = 0; i < 70; ++i) insert(directory);
    directory.erase(3);
    const slot_t held = directory.acquire(); // a constructor is running
    directory.remove(9);                     // and a destructor
    const slot_t end = directory.begin_clear();
    const slot_t newcomer = insert(directory);
    CHECK(newcomer >= end);
    const slot_t short_lived = insert(directory);
    directory.erase(short_lived);
    CHECK(directory.size() == 1);
    directory.end_clear(end);
    CHECK(directory.check_invariants());
    CHECK(directory.size() == 1);
    CHECK(directory.is_live(newcomer, 1));
    directory.commit(held);
    directory.release(9);
    CHECK(directory.size() == 2);
    CHECK(directory.check_invariants());
    CHECK(upcoming(directory).size() == 198);
}

TEMPLATE_TEST_CASE("between the halves of clear a slot is held until it is marked destroyed", "", POLICIES) {
    TestType directory;
    grow(directory, 64);
    for (int i = 0; i < 64; ++i) insert(directory);
    directory.erase(5);
    const slot_t end = directory.begin_clear();
    CHECK(directory.is_held(7)); // still to be destroyed
    CHECK_FALSE(directory.is_held(5));
    directory.mark_destroyed(7);
    CHECK_FALSE(directory.is_held(7));
    directory.end_clear(end);
    CHECK_FALSE(directory.is_held(8));
    CHECK(directory.check_invariants());
}

TEMPLATE_TEST_CASE("recycling while an element is being built leaves the slot being built alone", "", (Three<Reuse::lowest>),
                   (Three<Reuse::lifo>), (Three<Reuse::fifo>)) {
    TestType directory;
    grow(directory, 64);
    const slot_t held = directory.acquire(); // slot 0 at version 0: looks as a retired slot does
    directory.take(1, 7);
    directory.commit(1);
    directory.erase(1);
    REQUIRE(directory.retired() == 1);
    CHECK(directory.recycle_retired() == 0);
    directory.commit(held);
    CHECK(directory.check_invariants());
    CHECK(directory.is_live(held, 1));
    CHECK(directory.size() == 1);
    const auto order = upcoming(directory);
    CHECK(std::find(order.begin(), order.end(), held) == order.end());
    CHECK(directory.recycle_retired() == 1); // now it can be told
    CHECK(directory.check_invariants());
}

TEST_CASE("later bug: a removed element with the last version is explained as pending when versions wrap") {
    slotwise::SlotDirectory<slotwise::HandleLayout{14, 2, 0}, slotwise::Exhaustion::wrap> d;
    test::grow(d, 64);
    for (const std::uint32_t version : {1u, 3u, 1u}) {
        const slotwise::slot_t slot = d.acquire_live();
        REQUIRE(d.version(slot) == version);
        d.remove(slot);
        REQUIRE(d.explain(slot, version) == slotwise::HandleStatus::pending);
        d.release(slot);
        REQUIRE(d.explain(slot, version) == slotwise::HandleStatus::stale);
    }
}
