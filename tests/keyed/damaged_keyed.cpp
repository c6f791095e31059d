// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// check_invariants() of keyed containers notices damage to each part. The directory's own: slots/damaged_slots.cpp.
#include "support/catch.hpp"
#include "support/private_access.hpp"

#include <slotwise/keyed/hash_index.hpp>
#include <slotwise/keyed/set_storage.hpp>

using namespace slotwise;
using test::notices;
using test::notices_that;
using test::reach;

namespace {

using Set = SetStorage<int, Options<KeySetOptions{.deferred_erase = true}>>;
TEST_PRIVATE(SetCore, Set, core_)
using Core = test::reached_t<SetCore, Set>;
using Directory = Core::Directory;
using Pending = Core::Pending;
using Index = Core::Index;
TEST_PRIVATE(Counters, Directory, n_)
TEST_PRIVATE(Queue, Pending, queue_)
TEST_PRIVATE(PendingBits, Pending, bits_)
using PendingQueue = test::reached_t<Queue, Pending>;
TEST_PRIVATE(QueueCount, PendingQueue, count_)
TEST_PRIVATE(Groups, Index, storage_)
TEST_PRIVATE(Entries, Index, size_)
TEST_PRIVATE(Limit, Index, limit_)

/// Keys 0 to 7 live in the slots of their numbers, 8 and 9 are pending.
Set some() {
    Set set;
    for (int key = 0; key != 10; ++key) set.insert(key);
    set.erase(8);
    set.erase(9);
    return set;
}

} // namespace

TEST_CASE("a keyed container notices damage to its directory, its keys and its pending slots") {
    Set set = some();
    auto& directory = reach<SetCore>(set).directory;
    CHECK(notices(set, reach<Counters>(directory).retired, 1));
    CHECK(notices(set, const_cast<int&>(set.key(3)), 99));
    CHECK(notices(set, const_cast<int&>(set.key(9)), 99)); // a pending one
    auto& pending = reach<SetCore>(set).pending;
    CHECK(notices(set, reach<QueueCount>(reach<Queue>(pending)), 3));
    CHECK(notices(set, reach<PendingBits>(pending)[0], bits::bit_of(9)));                   // 8 is in the queue too
    CHECK(notices(set, reach<PendingBits>(pending)[0], bits::bit_of(9) | bits::bit_of(3))); // live
    CHECK(notices(set, reach<PendingBits>(pending)[0],
                  bits::bit_of(9) | bits::bit_of(8) | bits::bit_of(3))); // and not in the queue
    const std::size_t slots = set.capacity();
    auto more = directory.prepare(slots + 64, {});
    directory.adopt(more);
    CHECK(notices_that(
        set, [&] { directory.set_capacity(slots + 64); }, [&] { directory.set_capacity(slots); })); // no memory for keys
}

TEST_CASE("a keyed container notices an index that does not say what its keys say") {
    Set set = some();
    auto& index = reach<SetCore>(set).store.index;
    auto& groups = reach<Groups>(index);
    REQUIRE(groups.size() == 1);
    auto& group = groups[0];
    unsigned used = 0, vacant = 0; // places
    while (group.fingerprints[used] == 0) ++used;
    while (group.fingerprints[vacant] != 0) ++vacant;
    CHECK(notices(set, group.fingerprints[used], 0));
    CHECK(notices(set, group.fingerprints[vacant], 7)); // an entry that no key has
    CHECK(notices(set, group.entries[used], 50));
    CHECK(notices(set, group.overflow, 3u << 8)); // no entry went on
    CHECK(notices(set, reach<Entries>(index), 11));
    CHECK(notices(set, reach<Limit>(index), 9));      // less than there are
    group.overflow = ~0u;                             // says that any entry may have gone on
    CHECK(notices(set, group.fingerprints[used], 0)); // and there is nowhere left to look
}
