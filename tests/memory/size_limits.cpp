// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Counts whose bytes do not fit a std::size_t. The allocator of these tests multiplies without a look, as users' allocators
// may.
#include <slotwise/memory/aligned_array.hpp>
#include <slotwise/memory/paged_array.hpp>
#include <slotwise/memory/reserved_array.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>

using namespace slotwise;

namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
template <std::size_t N>
using Bytes = std::array<char, N>;
struct alignas(256) OverAligned {
    char byte;
};

static_assert(detail::checked_bytes(3, 8, 5) == 29 && detail::checked_bytes(0, 8) == 0 && detail::checked_bytes(all, 0) == 0);
static_assert(detail::checked_bytes(all / 2, 1) == all / 2 && detail::checked_bytes(all / 16, 8, 7) == all / 2);

} // namespace

TEST_CASE("a product of sizes is exact up to half of the address space and refused beyond", "[sizes]") {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{24}, std::size_t{1} << 20, all / 2})
        for (const std::size_t more : {std::size_t{0}, std::size_t{1}, std::size_t{63}}) {
            if (more > all / 2 - size) continue; // not even one
            const std::size_t most = (all / 2 - more) / size;
            CAPTURE(size, more, most);
            CHECK(detail::checked_bytes(most, size, more) == most * size + more);
            CHECK_THROWS_AS(detail::checked_bytes(most + 1, size, more), std::bad_array_new_length);
            CHECK_THROWS_AS(detail::checked_bytes(all, size, more), std::bad_array_new_length);
        }
    CHECK_THROWS_AS(detail::checked_bytes(0, 1, all), std::bad_array_new_length);
}

TEMPLATE_TEST_CASE("no array takes a count whose bytes wrap around for a small one", "[sizes]", std::uint64_t, Bytes<24>,
                   Bytes<1024>, OverAligned) {
    using A = test::StatefulAllocator<TestType>;
    test::EveryByteReturned scope;
    for (const std::size_t count :
         {all / sizeof(TestType) + 1, all / sizeof(TestType) + 2, all / 2 / sizeof(TestType) + 1, all}) {
        CAPTURE(count);
        AlignedArray<TestType, A> aligned;
        CHECK_THROWS_AS(aligned.resize(count, 0), std::bad_array_new_length);
        CHECK(aligned.capacity() == 0);
        PagedArray<TestType, A> paged;
        CHECK_THROWS_AS(paged.reserve(count), std::bad_array_new_length);
        CHECK(paged.capacity() == 0);
        A allocator;
        CHECK_THROWS_AS(detail::allocate_raw(allocator, count), std::bad_array_new_length);
        CHECK_THROWS_AS(detail::allocate_on_line(allocator, count), std::bad_array_new_length);
        CHECK_THROWS_AS((detail::FlatArray<TestType, A>().resized(count, {})), std::bad_array_new_length);
#if SLOTWISE_VIRTUAL_MEMORY
        ReservedArray<TestType, A, 64> reserved;
        CHECK_THROWS_AS(reserved.reserve(count), std::length_error);
#endif
    }
    CHECK(scope.live_bytes() == 0);
}
