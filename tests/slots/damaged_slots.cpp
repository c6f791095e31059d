// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// check_invariants() of a directory notices every kind of damage: else the tests that call it after each step would prove
// nothing.
#include "directory.hpp"

#include "support/private_access.hpp"

using namespace slotwise;
using test::notices;
using test::notices_that;
using test::reach;

namespace {

using Lowest = test::Full<Reuse::lowest>;
using Lifo = test::Full<Reuse::lifo>;
using Narrow = test::Three<Reuse::fifo>;

#define PARTS_OF(Directory)                                                                                                    \
    TEST_PRIVATE(Directory##Versions, Directory, versions_)                                                                    \
    TEST_PRIVATE(Directory##Live, Directory, live_)                                                                            \
    TEST_PRIVATE(Directory##Blocked, Directory, blocked_)                                                                      \
    TEST_PRIVATE(Directory##Reserved, Directory, reserved_)                                                                    \
    TEST_PRIVATE(Directory##Free, Directory, free_)                                                                            \
    TEST_PRIVATE(Directory##Counters, Directory, n_)
PARTS_OF(Lowest)
PARTS_OF(Lifo)
PARTS_OF(Narrow)
using FreeOfLowest = test::reached_t<LowestFree, Lowest>;
using FreeOfLifo = test::reached_t<LifoFree, Lifo>;
using FreeOfNarrow = test::reached_t<NarrowFree, Narrow>;
TEST_PRIVATE(Words, FreeOfLowest, words_)
TEST_PRIVATE(LowestKept, FreeOfLowest, lowest_)
TEST_PRIVATE(SecondKept, FreeOfLowest, second_)
TEST_PRIVATE(More, FreeOfLowest, more_)
TEST_PRIVATE(Links, FreeOfLifo, links_)
TEST_PRIVATE(Head, FreeOfLifo, head_)
TEST_PRIVATE(Tail, FreeOfNarrow, tail_)

template <class Directory, class Versions, class Live, class Blocked, class Reserved, class Free, class Counters>
struct Parts {
    Directory directory{};
    /// 128 slots, 21 of them below the cursor: live ones from 0 on, one of 2 and 5 reserved and the other free, as are 10 to
    /// 19, and 20 is retired.
    Parts() {
        test::grow(directory, 128);
        for (int i = 0; i != 10; ++i) test::insert(directory);
        directory.erase(2);
        directory.erase(5);
        static_cast<void>(directory.reserve_slot());
        directory.take(20, Directory::max_version);
        directory.skip_version(20);
        REQUIRE(directory.retired() == 1);
        REQUIRE(directory.check_invariants());
    }
    auto& versions() { return reach<Versions>(directory); }
    auto& live() { return reach<Live>(directory); }
    auto& blocked() { return reach<Blocked>(directory); }
    auto& reserved() { return reach<Reserved>(directory); }
    auto& free() { return reach<Free>(directory); }
    auto& counters() { return reach<Counters>(directory); }
};
#define DAMAGED(Directory)                                                                                                     \
    using Damaged##Directory = Parts<Directory, Directory##Versions, Directory##Live, Directory##Blocked, Directory##Reserved, \
                                     Directory##Free, Directory##Counters>;
DAMAGED(Lowest)
DAMAGED(Lifo)
DAMAGED(Narrow)

} // namespace

TEMPLATE_TEST_CASE("a directory notices damage to its versions, bits and counts", "", DamagedLowest, DamagedLifo,
                   DamagedNarrow) {
    TestType t;
    auto& directory = t.directory;
    auto& n = t.counters();
    CHECK(notices(directory, n.capacity, 129)); // more than there are versions
    CHECK(notices(directory, n.capacity, 20));  // less than the cursor
    CHECK(notices(directory, n.cursor, 20));    // a blocked slot above
    CHECK(notices(directory, n.cursor, 5));     // live ones too
    CHECK(notices(directory, t.versions()[0], 2));
    CHECK(notices(directory, t.versions()[7], 2));
    CHECK(notices(directory, t.live()[0], t.live()[0] | bits::bit_of(15)));
    CHECK(notices(directory, t.live()[0], t.live()[0] & ~bits::bit_of(0)));
    CHECK(notices(directory, t.blocked()[0], t.blocked()[0] | bits::bit_of(0)));   // live
    CHECK(notices(directory, t.blocked()[0], t.blocked()[0] | bits::bit_of(15)));  // one too many
    CHECK(notices(directory, t.blocked()[0], t.blocked()[0] & ~bits::bit_of(20))); // one too few
    CHECK(notices(directory, t.blocked()[0], 0)); // the reserved one is promised, and is not held
    CHECK(notices(directory, t.reserved()[0], t.reserved()[0] | bits::bit_of(0)));
    CHECK(notices(directory, t.reserved()[0], 0));
    CHECK(notices(directory, n.reserved, 2));
    CHECK(notices(directory, n.retired, 2));
    CHECK(notices(directory, n.blocked, 1)); // so would be the size
    const auto another_blocked = [&](int by) {
        n.blocked += static_cast<slot_t>(by); // and the size as before
        n.cursor += static_cast<slot_t>(by);
    };
    CHECK(notices_that(
        directory, [&] { another_blocked(1); }, [&] { another_blocked(-1); }));
}

TEST_CASE("a directory notices a version that is not a handle's") {
    DamagedNarrow t;
    CHECK(notices(t.directory, t.versions()[15], 8));
    CHECK(notices(t.directory, t.versions()[100], 254));
}

TEST_CASE("a directory that gives the lowest slot notices words that are marked wrongly") {
    DamagedLowest t;
    auto& words = reach<Words>(t.free());
    CHECK(notices_that(
        t.directory, [&] { words.reset(0); }, [&] { words.set(0); }));
    CHECK(notices_that(
        t.directory, [&] { words.set(1); }, [&] { words.reset(1); }));
}

TEST_CASE("a directory that gives the lowest slot notices that another one is kept aside, or that some are lost") {
    DamagedLowest t;
    auto& lowest = reach<LowestKept>(t.free());
    CHECK(notices(t.directory, lowest, 0));  // live
    CHECK(notices(t.directory, lowest, 10)); // vacant, and not the lowest
    auto& second = reach<SecondKept>(t.free());
    CHECK(second == 10);
    CHECK(notices(t.directory, second, 12)); // vacant, and not the one after the lowest
    CHECK(notices(t.directory, second, 7));  // live
    CHECK(notices(t.directory, second, no_slot));
    CHECK(notices(t.directory, reach<More>(t.free()), 1)); // and more of them live
}

TEST_CASE("a directory with a list of free slots notices a slot that is wrongly in it, and one that is missing") {
    DamagedLifo t;
    auto& links = reach<Links>(t.free());
    auto& head = reach<Head>(t.free());
    const slot_t first = head;
    const auto in_front = [&](slot_t slot) {
        const slot_t next = links[slot].next;
        return notices_that(
            t.directory,
            [&] {
                links[slot].next = first;
                head = slot;
            },
            [&] {
                links[slot].next = next;
                head = first;
            });
    };
    CHECK(in_front(127)); // never in use
    CHECK(in_front(0));   // live
    CHECK(in_front(20));  // retired
    CHECK(notices(t.directory, head, links[first].next));
    const slot_t second = links[first].next, third = links[second].next;
    CHECK(notices(t.directory, links[third].next, first)); // round and round
    CHECK(notices(t.directory, links[third].next, slot_t{1000}));
    CHECK(notices(t.directory, links[second].previous, third));
}

TEST_CASE("a directory with a queue of free slots notices that its end is another slot") {
    DamagedNarrow t;
    CHECK(notices(t.directory, reach<Tail>(t.free()), slot_t{10}));
}
