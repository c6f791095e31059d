// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what changes arrays by themselves.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/memory/aligned_array.hpp>
#include <slotwise/memory/paged_array.hpp>
#include <slotwise/memory/reserved_array.hpp>

using namespace slotwise;
using namespace test;

TEMPLATE_TEST_CASE("a step of a resize that throws leaves the values, in the old array or back in it", "[throws]", Throwing,
                   ThrowingCopy) {
    using Array = AlignedArray<TestType, ThrowingAllocator<TestType>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t failures = fail_at_every_step(swept<Array>("construct"), [](auto&& attempt) {
        NothingLeaks inside;
        Array array;
        array.resize(4, 0);
        const bool threw = attempt([&] { array.construct(2, 7); });
        REQUIRE(inside.alive() == (threw ? 0 : 1));
        if (!threw) array.destroy(2, 3);
    });
    REQUIRE(failures == 1);
    failures = fail_at_every_step(swept<Array>("relocate_into"), [](auto&& attempt) {
        Array array;
        array.resize(4, 0);
        for (std::size_t i = 0; i != 3; ++i) array.construct(i, static_cast<int>(i));
        Array fresh;
        const bool threw = attempt([&] {
            Array sized = array.sized(8);
            fresh.swap(sized);
            array.relocate_into(fresh, 3);
        });
        if (threw)
            for (int i = 0; i != 3; ++i) REQUIRE(array[static_cast<std::size_t>(i)].value() == i);
        else
            fresh.destroy(0, 3);
        array.destroy(0, 3);
    });
    REQUIRE(failures == (std::is_nothrow_move_constructible_v<TestType> ? 1 : 4));
    calls_nothing_that_throws(swept<Array>("()"), [] { const Array none{}; });
    never_throws<std::is_nothrow_default_constructible_v<PagedArray<int>>>(swept<PagedArray<int>>("()"));
    never_throws<std::is_nothrow_default_constructible_v<ReservedArray<int>>>(swept<ReservedArray<int>>("()"));
}
