// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// check_invariants() of slot maps and their companions notices damage to each part. The directory's own:
// slots/damaged_slots.cpp.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/private_access.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <string>

using namespace test;

namespace {

using H = SlotMap<int>::handle_type;
using Secondary = SecondaryMap<H, int>;
using Sparse = SparseSecondaryMap<H, int>;
using Ids = IdentityMap<int, H>;

TEST_PRIVATE(PagedCore, SlotMap<int>, core_)
TEST_PRIVATE(DenseCore, DenseSlotMap<int>, core_)
using Directory = reached_t<DenseCore, DenseSlotMap<int>>::Directory;
using Rows = reached_t<DenseCore, DenseSlotMap<int>>::Store;
TEST_PRIVATE(Counters, Directory, n_)
TEST_PRIVATE(Columns, Rows, columns_)
using PackedRows = reached_t<Columns, Rows>;
TEST_PRIVATE(Count, PackedRows, count_)
TEST_PRIVATE(SlotsByRow, Rows, slots_)
TEST_PRIVATE(RowsBySlot, Rows, rows_)
TEST_PRIVATE(Pages, Secondary, pages_)
TEST_PRIVATE(Size, Secondary, size_)
TEST_PRIVATE(SparseHandles, Sparse, handles_)
TEST_PRIVATE(SparseValues, Sparse, values_)
TEST_PRIVATE(SparseSize, Sparse, size_)
TEST_PRIVATE(IdIndex, Ids, index_)
TEST_PRIVATE(IdNodes, Ids, nodes_)
TEST_PRIVATE(IdsByHandle, Ids, by_handle_)
using ByHandle = reached_t<IdsByHandle, Ids>;
TEST_PRIVATE(ByHandleSize, ByHandle, size_)
using NodesOfIds = reached_t<IdNodes, Ids>;
TEST_PRIVATE(FreeNode, NodesOfIds, free_)
TEST_PRIVATE(NodesEnd, NodesOfIds, end_)
TEST_PRIVATE(NodesUsed, NodesOfIds, used_)

using SmallHandle = Handle<struct SmallElement, HandleLayout{.index_bits = 8, .version_bits = 8}>;
using Texts = IdentityMap<std::string, SmallHandle>;
TEST_PRIVATE(TextNodes, Texts, nodes_)

template <class Map>
Map three() {
    Map map;
    for (int i = 0; i != 3; ++i) map.insert(i);
    return map;
}
template <class Map>
Map four_of_handles() {
    Map map;
    for (slot_t slot = 0; slot != 4; ++slot) map.insert(H(slot, 1), static_cast<int>(slot));
    return map;
}

} // namespace

TEST_CASE("a slot map notices damage to its directory, and slots without memory") {
    auto map = three<SlotMap<int>>();
    auto& store = reach<PagedCore>(map).store;
    reached_t<PagedCore, SlotMap<int>>::Store without_memory;
    const auto exchange = [&] { store.swap(without_memory); };
    CHECK(notices_that(map, exchange, exchange));
    CHECK(notices(map, reach<Counters>(reach<PagedCore>(map).directory).retired, 1));
}

TEST_CASE("a packed map notices damage to its directory, and rows that disagree with it") {
    auto map = three<DenseSlotMap<int>>();
    auto& rows = reach<DenseCore>(map).store;
    CHECK(notices(map, reach<Counters>(reach<DenseCore>(map).directory).retired, 1));
    CHECK(notices(map, reach<Count>(reach<Columns>(rows)), 2));
    CHECK(notices(map, reach<SlotsByRow>(rows)[1], 9)); // the slot is vacant
    CHECK(notices(map, reach<SlotsByRow>(rows)[1], 2)); // that is row 2
    CHECK(notices(map, reach<RowsBySlot>(rows)[1], 0));
    auto fewer = reach<RowsBySlot>(rows).resized(4, no_slot);
    const auto exchange = [&] { reach<RowsBySlot>(rows).swap(fewer); };
    CHECK(notices_that(map, exchange, exchange)); // the directory gives out slots up to 16
}

TEST_CASE("a secondary map notices a vacant slot's version, and a wrong count") {
    auto map = four_of_handles<Secondary>();
    auto* const page = reach<Pages>(map).find(0);
    REQUIRE(page != nullptr);
    CHECK(notices(map, page->versions[0], 2));
    CHECK(notices(map, page->versions[3], 0));
    CHECK(notices(map, reach<Size>(map), 5));
    CHECK(notices(map, reach<Size>(map), 3));
    CHECK(notices(map, page->live, page->live & ~bits::word_t{1}));
}

TEST_CASE("a sparse secondary map notices rows that are not those of the index, and more of them than there is memory for") {
    auto map = four_of_handles<Sparse>();
    CHECK(notices(map, reach<SparseHandles>(map)[2], H(2, 2)));
    CHECK(notices(map, reach<SparseHandles>(map)[2], H(3, 1)));
    CHECK(notices(map, reach<SparseSize>(map), 3));
    reached_t<SparseValues, Sparse> without_memory;
    const auto exchange = [&] { reach<SparseValues>(map).swap(without_memory); };
    CHECK(notices_that(map, exchange, exchange));
}

TEST_CASE("an IdentityMap notices an id without a handle, handles that name other ids, and nodes that are lost") {
    Ids ids;
    for (slot_t slot = 0; slot != 5; ++slot) ids.insert(static_cast<int>(slot) + 10, H(slot, 1));
    ids.erase(H(4, 1));
    auto& number = *reach<IdsByHandle>(ids).get(H(1, 1));
    auto& nodes = reach<IdNodes>(ids);
    auto& node = nodes[number];
    CHECK(notices(ids, number, *reach<IdsByHandle>(ids).get(H(2, 1))));
    CHECK(notices(ids, node.handle, H(2, 1)));
    CHECK(notices(ids, node.handle, H()));
    CHECK(notices(ids, node.id, 99));
    reached_t<IdIndex, Ids> empty;
    const auto exchange = [&] { reach<IdIndex>(ids).swap(empty); };
    CHECK(notices_that(ids, exchange, exchange));
    CHECK(notices(ids, reach<ByHandleSize>(reach<IdsByHandle>(ids)), 5));
    CHECK(notices(ids, reach<FreeNode>(nodes), no_slot));
    CHECK(notices(ids, reach<FreeNode>(nodes), 1));
    CHECK(notices(ids, reach<FreeNode>(nodes), 77));
    CHECK(notices(ids, nodes[4].handle, H(4, 0))); // a circle
    CHECK(notices(ids, nodes[4].handle, H(no_slot, 1)));
    CHECK(notices(ids, reach<NodesUsed>(nodes), 3));
    CHECK(notices(ids, reach<NodesEnd>(nodes), 6));
    CHECK(notices(ids, reach<NodesEnd>(nodes), 1000));
}

TEST_CASE("an IdentityMap that keeps hashes notices a wrong one, and links its free nodes beside small handles") {
    Texts texts;
    for (std::uint16_t slot = 0; slot != 5; ++slot) texts.insert(std::to_string(slot), SmallHandle(slot, 1));
    texts.erase(SmallHandle(4, 1));
    texts.erase(SmallHandle(3, 1));
    auto& nodes = reach<TextNodes>(texts);
    CHECK(notices(texts, nodes[0].hash, nodes[0].hash + 1));
    CHECK(notices(texts, nodes[3].link, 3));
    CHECK(notices(texts, nodes[3].link, no_slot));
    CHECK((texts.insert("again", SmallHandle(3, 3)) && texts.insert("more", SmallHandle(4, 3)) && texts.check_invariants()));
}
