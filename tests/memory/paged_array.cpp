// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/paged_array.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

using namespace slotwise;

namespace {

constexpr int constant_use() {
    PagedArray<int> array;
    array.reserve(100);
    std::construct_at(array.ptr(99), 7);
    const int* const before = array.ptr(99);
    array.reserve(5000);
    const int result = before == array.ptr(99) ? *array.ptr(99) : -1;
    array.shrink(100);
    return result;
}
static_assert(constant_use() == 7);

static_assert(PagedArray<char>::page_slots == 64 && PagedArray<char[255]>::page_slots == 64, "pages of one occupancy word");
static_assert(PagedArray<char[256]>::page_slots == 16 && PagedArray<char[1025]>::page_slots == 2, "but of 4 KiB at most");
static_assert(PagedArray<char[4095]>::page_slots == 1 && PagedArray<char[16385]>::page_slots == 1, "or of one value");
static_assert(PagedArray<char[255]>::apart == 0 && PagedArray<char[16384]>::apart == 64 &&
              PagedArray<char[16385]>::apart == ~std::size_t{0} &&
              PagedArray<char[1024], std::allocator<char>, 64>::apart == 0);
static_assert(PagedArray<int, std::allocator<int>, 128>::page_slots == 128);

/// Runs cover the slots below the capacity, in order, without gap.
template <class Array>
void check_runs(const Array& array) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < array.run_count(); ++i) {
        const auto run = array.run(i);
        CHECK(run.first == next);
        CHECK(run.slot_count > 0);
        CHECK(run.data == array.ptr(run.first));
        CHECK(run.data + (run.slot_count - 1) == array.ptr(static_cast<slot_t>(run.first + run.slot_count - 1)));
        next += run.slot_count;
    }
    CHECK(next == array.capacity());
    // The values of 64 slots, from a multiple of 64 on, lie side by side, but for those below `apart`.
    for (std::size_t first = bits::round_up(array.apart, bits::word_bits); first < array.capacity() && array.apart <= 64;
         first += bits::word_bits) {
        REQUIRE(array.capacity() >= first + bits::word_bits);
        CHECK(array.ptr(static_cast<slot_t>(first + 63)) == array.ptr(static_cast<slot_t>(first)) + 63);
    }
}

template <class Array>
std::vector<const void*> addresses(const Array& array) {
    std::vector<const void*> all;
    for (slot_t slot = 0; slot < array.capacity(); ++slot) all.push_back(array.ptr(slot));
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("a paged array reserves at least what is asked, in whole pages, and never moves a slot", "", char, int,
                   test::Big, test::Empty, test::OverAligned<64>, test::OverAligned<128>, test::OverAligned<4096>) {
    test::EveryByteReturned scope;
    using Array = PagedArray<TestType, test::StatefulAllocator<TestType>>;
    Array array(test::StatefulAllocator<TestType>(1));
    CHECK(array.capacity() == 0);
    CHECK(array.run_count() == 0);
    std::vector<const void*> before;
    for (const std::size_t want :
         {std::size_t{1}, std::size_t{64}, std::size_t{65}, Array::page_slots + 1, 3 * Array::page_slots, std::size_t{5000}}) {
        array.reserve(want);
        CAPTURE(want);
        CHECK(array.capacity() >= want);
        CHECK(array.capacity() % Array::page_slots == 0);
        check_runs(array);
        const auto now = addresses(array);
        CHECK(std::equal(before.begin(), before.end(), now.begin()));
        CHECK(now.size() >= before.size());
        bool aligned = true;
        for (const auto* address : now) aligned = aligned && reinterpret_cast<std::uintptr_t>(address) % alignof(TestType) == 0;
        CHECK(aligned);
        before = now;
    }
    const std::size_t capacity = array.capacity(), allocations = test::Ledger::allocations();
    array.reserve(capacity);
    array.reserve(0);
    CHECK(array.capacity() == capacity);
    CHECK(test::Ledger::allocations() == allocations); // nothing to do, nothing done
}

TEMPLATE_TEST_CASE("the values of each word but the first lie side by side where a page has fewer slots than a word", "",
                   char[256], char[1000], char[5000]) {
    test::EveryByteReturned scope;
    using Array = PagedArray<TestType, test::StatefulAllocator<TestType>>;
    for (const std::size_t before : {0u, 1u, 5u, 40u, 64u, 100u})
        for (const std::size_t want : {1u, 17u, 63u, 64u, 65u, 1000u, 20'000u}) {
            CAPTURE(before, want);
            Array array;
            array.reserve(before);
            const std::size_t promised = array.capacity_for(want);
            array.reserve(want);
            CHECK((array.capacity() == promised && promised >= want));
            check_runs(array);
            array.reserve(array.grown_capacity());
            check_runs(array);
            array.shrink(want / 2);
            check_runs(array);
        }
}

TEST_CASE("a paged array of one or two pages is one allocation, and one more holds the page table of others") {
    test::EveryByteReturned scope;
    using Array = PagedArray<int, test::StatefulAllocator<int>>;
    const std::size_t before = test::Ledger::allocations();
    Array array;
    array.reserve(1);
    CHECK((test::Ledger::allocations() == before + 1 && array.memory_usage() == scope.live_bytes()));
    array.reserve(65);
    CHECK((test::Ledger::allocations() == before + 2 && array.memory_usage() == scope.live_bytes()));
    array.reserve(1000);
    CHECK((test::Ledger::allocations() == before + 4 && array.memory_usage() == scope.live_bytes()));
    array.shrink(70);
    CHECK((array.capacity() == 128 && array.memory_usage() == scope.live_bytes()));
    array.shrink(0);
    CHECK((array.memory_usage() == 0 && scope.live_bytes() == 0));
    array.reserve(1000);
    CHECK((test::Ledger::allocations() == before + 6 && array.memory_usage() == scope.live_bytes()));
    CHECK_THROWS_AS(PagedArray<char>().reserve(std::size_t{1} << (sizeof(std::size_t) * 8 - 2)), std::bad_alloc);
}

TEST_CASE("growing a paged array as it proposes takes few runs, none of much more than 1 MiB") {
    test::EveryByteReturned scope;
    using Array = PagedArray<std::uint64_t, test::StatefulAllocator<std::uint64_t>>;
    Array array;
    std::size_t steps = 0;
    while (array.capacity() < 1'000'000) {
        const std::size_t proposed = array.grown_capacity();
        REQUIRE(proposed > array.capacity());
        array.reserve(proposed);
        CHECK(array.capacity() == proposed);
        ++steps;
    }
    check_runs(array);
    CHECK(steps < 40); // 8 MB: doubling up to 64 KiB, then an eighth more each time, which holds less that nobody uses
    for (std::size_t i = 0; i < array.run_count(); ++i)
        CHECK(array.run(i).slot_count * sizeof(std::uint64_t) <= (1u << 20) + 4096);
    CHECK(array.run_count() <= steps);

    Array at_once;
    at_once.reserve(1'000'000);
    CHECK(at_once.run_count() <= 9);
    check_runs(at_once);
}

TEST_CASE("shrinking returns whole runs above the slot and says before what it will leave") {
    test::EveryByteReturned scope;
    using Array = PagedArray<int, test::StatefulAllocator<int>, 64>;
    for (std::size_t keep = 0; keep <= 64 * 40; keep += 37) {
        Array array;
        while (array.capacity() < 64 * 32) array.reserve(array.grown_capacity());
        const auto before = addresses(array);
        const std::size_t bytes = test::Ledger::live_bytes(), capacity = array.capacity();
        const std::size_t promised = array.shrunk_capacity(keep);
        CHECK(promised >= std::min(keep, capacity));
        CHECK(array.capacity() == capacity); // asking changes nothing
        array.shrink(keep);
        CHECK(array.capacity() == promised);
        CHECK(array.shrunk_capacity(keep) == promised); // once more gives nothing more
        if (promised < capacity) CHECK(test::Ledger::live_bytes() < bytes);
        check_runs(array);
        const auto now = addresses(array);
        CHECK(std::equal(now.begin(), now.end(), before.begin())); // what stays, stays where it is
        array.reserve(capacity + 1);
        CHECK(array.capacity() >= capacity + 1);
        check_runs(array);
        array.shrink(0);
        CHECK(array.capacity() == 0);
        CHECK(scope.live_bytes() == 0);
    }
}

TEST_CASE("a paged array finds the slot of an address, and none for an address that is not its own") {
    PagedArray<int> array, other;
    array.reserve(1);
    array.reserve(5000);
    array.reserve(20'000);
    other.reserve(10);
    REQUIRE(array.run_count() > 1);
    for (slot_t slot = 0; slot < array.capacity(); slot += 61) CHECK(array.slot_at(array.ptr(slot)) == slot);
    CHECK(array.slot_at(array.ptr(static_cast<slot_t>(array.capacity() - 1))) == array.capacity() - 1);
    const int elsewhere = 0;
    CHECK(array.slot_at(&elsewhere) == no_slot);
    CHECK(array.slot_at(other.ptr(3)) == no_slot);
    CHECK(array.slot_at(nullptr) == no_slot);
    CHECK(PagedArray<int>().slot_at(&elsewhere) == no_slot);
}

TEST_CASE("when reserving throws, the paged array is as it was", "[throws]") {
    test::EveryByteReturned scope;
    using Array = PagedArray<test::Big, test::ThrowingAllocator<test::Big>>; // 256 KiB a word: several chunks in one reserve
    const auto failures = test::fail_at_every_step(test::swept<Array>("reserve"), [](auto&& attempt) {
        Array array;
        array.reserve(64);
        const auto before = addresses(array);
        const bool threw = attempt([&] { array.reserve(64 * 20); });
        CHECK(array.capacity() == (threw ? 64 : 64 * 20));
        check_runs(array);
        const auto now = addresses(array);
        CHECK(std::equal(before.begin(), before.end(), now.begin()));
        array.reserve(64 * 21); // and it goes on
        check_runs(array);
    });
    CHECK(failures >= 5); // page table, chunk table, at least three chunks
}

TEST_CASE("moving and swapping paged arrays moves no slot") {
    test::EveryByteReturned scope;
    using Allocator = test::StatefulAllocator<int>;
    using Array = PagedArray<int, Allocator, 64>;
    Array a(Allocator(1)), b(Allocator(2));
    a.reserve(64 * 3);
    b.reserve(64);
    const auto of_a = addresses(a), of_b = addresses(b);
    a.swap(b);
    CHECK(addresses(a) == of_b);
    CHECK(addresses(b) == of_a);
    CHECK(b.get_allocator().id() == 1);
    a.reserve(64 * 5);
    CHECK(test::Ledger::live_bytes(2) > test::Ledger::live_bytes(1)); // the allocator went along with its memory
    Array c(std::move(b));
    CHECK(addresses(c) == of_a);
    CHECK(b.capacity() == 0);
    b.reserve(10); // moved-from, usable
    CHECK(b.capacity() == 64);
    check_runs(b);
    check_runs(c);
}

TEST_CASE("paged arrays work with fancy pointers and with allocators that have no default constructor") {
    test::EveryByteReturned scope;
    PagedArray<int, test::FancyAllocator<int>> fancy;
    fancy.reserve(3000);
    check_runs(fancy);
    fancy.shrink(1);
    check_runs(fancy);
    PagedArray<int, test::NoDefaultAllocator<int>> made(test::NoDefaultAllocator<int>(8));
    made.reserve(3000);
    CHECK(test::Ledger::live_bytes(8) >= 3000 * sizeof(int));
}

TEST_CASE("a paged array neither constructs nor destroys elements") {
    test::NothingLeaks scope;
    PagedArray<test::Tracked> array;
    array.reserve(100);
    CHECK(scope.alive() == 0);
    std::construct_at(array.ptr(3), 5);
    array.reserve(5000);
    CHECK(array.ptr(3)->value() == 5);
    CHECK(scope.alive() == 1);
    std::destroy_at(array.ptr(3));
}

TEST_CASE("a paged array of many pages proposes to grow by an eighth, and never by more than 1 MiB and a page") {
    constexpr std::size_t page = 4096;
    CHECK(detail::more_pages(0, page) == 1);
    CHECK(detail::more_pages(1, 256) == 15); // the second step goes to 4 KiB
    CHECK(detail::more_pages(3, 1024) == 3);
    CHECK(detail::more_pages(16, page) == 16);       // as much again, up to 64 KiB
    CHECK(detail::more_pages(100, page) == 16);      // then 64 KiB
    CHECK(detail::more_pages(1024, page) == 128);    // or an eighth
    CHECK(detail::more_pages(100'000, page) == 257); // up to the limit
    PagedArray<test::Big> array;
    array.reserve(4096); // 16 MiB, of which nothing is touched
    const std::size_t more = array.grown_capacity() - array.capacity();
    CHECK(more * sizeof(test::Big) <= (std::size_t{1} << 20) + decltype(array)::page_slots * sizeof(test::Big));
    CHECK(more > 0);
}
