// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Copies, moves and swaps of slot maps under every combination of allocator propagation and equality.
#include "propagation.hpp"

namespace {

using namespace test;

template <class Storage, class How>
void matrix() {
    using Allocator = typename How::template allocator<Tracked>;
    using Map = MapWith<Storage, Tracked, Allocator>;
    constexpr Propagation p = How::propagation;
    for (const int other_id : {1, 2}) {
        CAPTURE(other_id);
        NothingLeaks objects;
        EveryByteReturned bytes;
        const int first_id = p.always_equal ? 0 : 1;
        const int second_id = p.always_equal ? 0 : other_id;
        const bool equal = first_id == second_id;
        {
            Map source{Allocator(1)};
            fill(source, 100);
            REQUIRE(source.get_allocator().id() == first_id);
            REQUIRE(Ledger::live_bytes(first_id) == bytes.live_bytes());

            Map copy(source);
            REQUIRE(copy.get_allocator().id() == (p.always_equal ? 0 : 1 + Allocator::copied_by));
            REQUIRE(copy == source);
            Map placed(source, Allocator(other_id));
            REQUIRE(placed.get_allocator().id() == second_id);
            REQUIRE(placed == source);

            Map target{Allocator(other_id)};
            fill(target, 500, 20);
            target = source;
            REQUIRE(target.get_allocator().id() == (p.copy ? first_id : second_id));
            REQUIRE(target == source);
            REQUIRE(target.check_invariants());
            REQUIRE(futures(target) == futures(copy));
        }
        {
            Map source{Allocator(1)}, target{Allocator(other_id)};
            fill(source, 100);
            fill(target, 500, 20);
            Map twin(source);
            const void* const address = address_of_first(source);
            target = std::move(source);
            REQUIRE(target.get_allocator().id() == (p.move ? first_id : second_id));
            REQUIRE((address_of_first(target) == address) == (p.move || equal));
            REQUIRE(target == twin);
            REQUIRE(target.check_invariants());
            REQUIRE(futures(target) == futures(twin));
            REQUIRE(source.get_allocator().id() == first_id); // NOLINT(bugprone-use-after-move): empty and usable
            require_usable(source);
            static_assert(std::is_nothrow_move_assignable_v<Map> == (p.move || p.always_equal));
        }
        {
            Map source{Allocator(1)};
            fill(source, 100);
            Map twin(source);
            const void* const address = address_of_first(source);
            Map target(std::move(source), Allocator(other_id));
            REQUIRE(target.get_allocator().id() == second_id);
            REQUIRE((address_of_first(target) == address) == equal);
            REQUIRE(target == twin);
            REQUIRE(futures(target) == futures(twin));
            require_usable(source); // NOLINT(bugprone-use-after-move)
            Map moved(std::move(target));
            REQUIRE(moved.get_allocator().id() == second_id);
            REQUIRE(moved.check_invariants());
            require_usable(target); // NOLINT(bugprone-use-after-move)
            static_assert(std::is_nothrow_move_constructible_v<Map>);
        }
        {
            Map a{Allocator(1)}, b{Allocator(other_id)};
            fill(a, 100);
            fill(b, 500, 20);
            Map a_twin(a), b_twin(b);
            const void* const address = address_of_first(a);
            a.swap(b);
            REQUIRE(a.get_allocator().id() == (p.swap ? second_id : first_id));
            REQUIRE(b.get_allocator().id() == (p.swap ? first_id : second_id));
            REQUIRE((address_of_first(b) == address) == (p.swap || equal));
            REQUIRE(a == b_twin);
            REQUIRE(b == a_twin);
            REQUIRE(a.check_invariants());
            REQUIRE(b.check_invariants());
            REQUIRE(futures(a) == futures(b_twin));
            REQUIRE(futures(b) == futures(a_twin));
            static_assert(noexcept(a.swap(b)) == (p.swap || p.always_equal));
        }
    }
}

} // namespace

// proves: table copy / exceptions, table move / swap / exceptions, table move / swap / handles
TEMPLATE_TEST_CASE("copy, move and swap are exact with equal and unequal allocators, whether they travel or not",
                   "[allocators]", test::Paged, test::Dense, test::Soa) {
    matrix<TestType, Stays>();
    matrix<TestType, Travels>();
    matrix<TestType, OnCopy>();
    matrix<TestType, OnMove>();
    matrix<TestType, OnSwap>();
    matrix<TestType, AlwaysEqual>();
}

TEMPLATE_TEST_CASE("swap(a, b) is the map's own: elements keep their addresses, and the allocators travel with them",
                   "[allocators]", ALL_STORAGES) {
    using Map = test::MapWith<TestType, Tracked, typename test::OnSwap::template allocator<Tracked>>;
    Map a(typename Map::allocator_type(1)), b(typename Map::allocator_type(2));
    test::fill(a, 100);
    test::fill(b, 500);
    const void* const first = test::address_of_first(a);
    using std::swap;
    swap(a, b);
    REQUIRE(test::address_of_first(b) == first);
    REQUIRE(b.get_allocator().id() == 1);
    REQUIRE(a.check_invariants());
    REQUIRE(b.check_invariants());
}
