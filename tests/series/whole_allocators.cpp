// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series with allocators of their own: copies, moves and assignment between equal and unequal ones.
#include "support/allocators.hpp"
#include "whole.hpp"

namespace {

using namespace test;

template <class A>
using SetIn = TSSStorage<int, TimeBy<Time>, Options<SeriesOptions{.page_slots = 64}>, AllocBy<A>>;
template <class A, DeltaRepresentation R = DeltaRepresentation::dirty_list>
using DictIn = TSDStorage<int, Tracked, TimeBy<Time>, Options<SeriesOptions{.delta = R, .page_slots = 64}>, AllocBy<A>>;

// Asked by libc++'s std::tuple, whose answer must be no and not an error.
static_assert(
    !std::is_default_constructible_v<DeltaTracker<Time, DeltaRepresentation::adaptive, NoDefaultAllocator<std::byte>>>);
static_assert(!std::is_default_constructible_v<TimeArray<Time, NoDefaultAllocator<std::byte>>>);
static_assert(!std::is_default_constructible_v<ValueArray<int, NoDefaultAllocator<int>>>);

template <class A>
using ListDictIn = DictIn<A>;

} // namespace

TEST_CASE("an allocator without equality of its own moves in one step, and assignment does not throw", "[series][whole]") {
    using Alike = StatefulAllocator<int, Propagation{.always_equal = true}>;
    using Moving = StatefulAllocator<int, Propagation{.move = true}>;
    using Staying = StatefulAllocator<int, Propagation{}>;
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<ListDictIn<Alike>>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<ListDictIn<Moving>>);
    STATIC_REQUIRE_FALSE(std::is_nothrow_move_assignable_v<ListDictIn<Staying>>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<ListDictIn<Staying>>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<TSDStorage<std::string, TSSStorage<int>>>);
    ListDictIn<Alike> source;
    live(source, 1);
    const Tracked* const where = source.get(source.key(source.occupancy().find_next(0)));
    ListDictIn<Alike> target;
    target = std::move(source);
    REQUIRE(target.get(target.key(target.occupancy().find_next(0))) == where); // nothing moved
}

TEST_CASE("an insert that was undone leaves nothing that a move between allocators stumbles over", "[series][whole]") {
    using A = StatefulAllocator<int>;
    using Dict = TSDStorage<int, ThrowingCopy, TimeBy<Time>,
                            Options<SeriesOptions{.delta = DeltaRepresentation::dirty_list, .page_slots = 64}>, AllocBy<A>>;
    EveryByteReturned bytes;
    NothingLeaks objects;
    Dict source{A(1)}, target{A(2)};
    {
        auto w = source.write(1);
        for (int key = 0; key != 64; ++key) w.create(key);
        Budget::arm(0);
        REQUIRE_THROWS_AS(w.create(64), InjectedFailure); // the first of another page
        Budget::disarm();
        REQUIRE_FALSE(source.contains(64));
        w.remove(3);
    }
    const auto delta = capture(source.keys(), 1);
    REQUIRE(delta.added.size() == 63);
    const auto state = source.snapshot(NumberText());
    Dict copy = source;
    target = std::move(source);
    for (const Dict* const dict : {&copy, &target}) {
        REQUIRE(capture(dict->keys(), 1) == delta);
        REQUIRE(dict->check_invariants());
        REQUIRE(dict->snapshot(NumberText()) == state);
    }
    Dict restored;
    restored.restore(state, NumberText());
    REQUIRE(capture(restored.keys(), 1) == delta);
    auto w = target.write(1);
    for (int key = 64; key != 200; ++key) w.create(key);
    REQUIRE(target.added_keys(1).size() == 63 + 136);
}

TEST_CASE("series without a default allocator are made, copied and restored", "[series][whole]") {
    using A = NoDefaultAllocator<int>;
    EveryByteReturned bytes;
    SetIn<A> set{A(4)}, other{A(5)};
    live(set, 1);
    SetIn<A> copy = set;
    other = set;
    REQUIRE(other == copy);
    SetIn<A> restored{A(6)};
    restored.restore(set.snapshot());
    REQUIRE(restored.snapshot() == set.snapshot());
    other = std::move(set);
    REQUIRE(other == copy);
    REQUIRE(all_sound(other));
}
