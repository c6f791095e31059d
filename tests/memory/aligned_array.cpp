// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/aligned_array.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

using namespace slotwise;

namespace {

constexpr int constant_use() {
    AlignedArray<int> array;
    array.resize(4, 0);
    for (int i = 0; i < 4; ++i) array.construct(static_cast<std::size_t>(i), i + 1);
    array.resize(9, 4);
    const int sum = array[0] + array[1] + array[2] + array[3];
    array.destroy(0, 4);
    return sum;
}
static_assert(constant_use() == 10);

template <class T, class Allocator = std::allocator<T>>
void fill(AlignedArray<T, Allocator>& array, int count) {
    array.resize(static_cast<std::size_t>(count), 0);
    for (int i = 0; i < count; ++i) array.construct(static_cast<std::size_t>(i), i);
}

template <class Array>
std::vector<int> values(const Array& array, std::size_t count) {
    std::vector<int> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(array[i].value());
    return all;
}

std::vector<int> counted(int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("an aligned array starts on a cache line, or stricter where T is, and keeps its values when resized", "",
                   test::Tracked, test::MoveOnly, test::Throwing, test::ThrowingCopy, test::ThrowingMoveOnly, test::Big,
                   test::OverAligned<64>, test::OverAligned<128>, test::OverAligned<4096>) {
    test::NothingLeaks objects;
    test::EveryByteReturned bytes;
    using Allocator = test::StatefulAllocator<TestType>;
    AlignedArray<TestType, Allocator> array(Allocator(1));
    CHECK(array.capacity() == 0);
    CHECK(array.data() == nullptr);
    fill(array, 5);
    for (const std::size_t capacity : {6u, 64u, 5u, 100u, 7u}) {
        array.resize(capacity, 5);
        CHECK(array.capacity() == capacity);
        CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % std::max<std::size_t>(64, alignof(TestType)) == 0);
        CHECK(values(array, 5) == counted(5));
        CHECK(objects.alive() == 5);
        CHECK(test::Ledger::live_bytes(1) >= capacity * sizeof(TestType));
        CHECK(test::Ledger::live_bytes(1) < (capacity + 1) * sizeof(TestType) + std::max<std::size_t>(64, alignof(TestType)));
    }
    array.destroy(3, 5);
    array.resize(3, 3);
    CHECK(values(array, 3) == counted(3));
    array.destroy(0, 3);
    array.resize(0, 0);
    CHECK(array.capacity() == 0);
    CHECK(bytes.live_bytes() == 0);
}

TEST_CASE("small values share a cache line") {
    AlignedArray<char> array;
    array.resize(200, 0);
    CHECK(&array[199] - &array[0] == 199);
    CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
    AlignedArray<test::Empty> empties;
    empties.resize(3, 0);
    CHECK(empties.capacity() == 3);
}

TEMPLATE_TEST_CASE("when a copy or the allocator throws, a resize has changed nothing", "[throws]", test::Throwing,
                   test::ThrowingCopy) {
    test::NothingLeaks objects;
    test::EveryByteReturned bytes;
    const auto failures = test::fail_at_every_step(test::swept<AlignedArray<TestType>>("resize"), [](auto&& attempt) {
        AlignedArray<TestType, test::ThrowingAllocator<TestType>> array;
        fill(array, 4);
        const TestType* const data = array.data();
        const bool threw = attempt([&] { array.resize(50, 4); });
        CHECK(array.capacity() == (threw ? 4 : 50));
        CHECK((array.data() == data) == threw);
        CHECK(values(array, 4) == counted(4)); // also: none of them is moved-from
        array.destroy(0, 4);
    });
    // ThrowingCopy's moves do not throw: only the allocation can.
    CHECK(failures == (std::is_nothrow_move_constructible_v<TestType> ? 1 : 5));
}

TEST_CASE("when the move of a move-only value throws, the capacity is as before and nothing leaks", "[throws]") {
    test::NothingLeaks objects;
    test::EveryByteReturned bytes;
    const auto failures =
        test::fail_at_every_step(test::swept<AlignedArray<test::ThrowingMoveOnly>>("resize"), [](auto&& attempt) {
            AlignedArray<test::ThrowingMoveOnly, test::ThrowingAllocator<test::ThrowingMoveOnly>> array;
            fill(array, 4);
            const bool threw = attempt([&] { array.resize(50, 4); });
            CHECK(array.capacity() == (threw ? 4 : 50));
            CHECK_FALSE(array[3].moved_from()); // the last is the last to move
            CHECK(array[3].value() == 3);
            array.destroy(0, 4);
        });
    CHECK(failures == 5);
}

TEST_CASE("moving and swapping aligned arrays hands over the memory with its allocator") {
    test::EveryByteReturned bytes;
    using Allocator = test::StatefulAllocator<test::Tracked>;
    AlignedArray<test::Tracked, Allocator> a(Allocator(1)), b(Allocator(2));
    fill(a, 3);
    fill(b, 5);
    const auto *const of_a = a.data(), *const of_b = b.data();
    a.swap(b);
    CHECK(a.data() == of_b);
    CHECK(b.data() == of_a);
    AlignedArray<test::Tracked, Allocator> c(std::move(a));
    CHECK(c.data() == of_b);
    CHECK(c.capacity() == 5);
    CHECK(a.data() == nullptr);
    CHECK(a.capacity() == 0);
    c.destroy(0, 5);
    b.destroy(0, 3);
    b.resize(0, 0);
    CHECK(test::Ledger::live_bytes(1) == 0);
}

TEST_CASE("aligned arrays work with fancy pointers and with allocators that have no default constructor") {
    test::NothingLeaks objects;
    test::EveryByteReturned bytes;
    AlignedArray<test::Tracked, test::FancyAllocator<test::Tracked>> fancy;
    fill(fancy, 3);
    fancy.resize(30, 3);
    CHECK(values(fancy, 3) == counted(3));
    fancy.destroy(0, 3);
    AlignedArray<test::Tracked, test::NoDefaultAllocator<test::Tracked>> made(test::NoDefaultAllocator<test::Tracked>(8));
    fill(made, 3);
    made.resize(30, 3);
    CHECK(test::Ledger::live_bytes(8) >= 30 * sizeof(test::Tracked));
    made.destroy(0, 3);
}
