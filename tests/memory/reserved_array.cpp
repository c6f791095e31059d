// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/reserved_array.hpp>

#include "support/catch.hpp"
#include "support/tracked.hpp"

#if SLOTWISE_VIRTUAL_MEMORY

#include "support/death.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN // libstdc++ defines NOMINMAX
#include <windows.h>

#include <psapi.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

using namespace slotwise;

namespace {

template <class T, std::size_t MaxSlots = 0>
using Array = ReservedArray<T, std::allocator<T>, MaxSlots>;

#if defined(_WIN32)
constexpr std::size_t page_bytes = 4096;
/// Pages of physical memory behind [data, data + bytes).
std::size_t resident_pages(const void* data, std::size_t bytes) {
    std::vector<::PSAPI_WORKING_SET_EX_INFORMATION> pages((bytes + page_bytes - 1) / page_bytes);
    for (std::size_t i = 0; i != pages.size(); ++i)
        pages[i].VirtualAddress = static_cast<char*>(const_cast<void*>(data)) + i * page_bytes;
    const auto size = static_cast<::DWORD>(pages.size() * sizeof pages[0]);
    REQUIRE(::K32QueryWorkingSetEx(::GetCurrentProcess(), pages.data(), size) != 0);
    return static_cast<std::size_t>(std::ranges::count_if(pages, [](auto& page) { return page.VirtualAttributes.Valid != 0; }));
}
/// Has the system refuse the memory of [data + kept, data + bytes), reserved before; what is below is new.
void refuse_memory(char* data, std::size_t kept, std::size_t) {
    REQUIRE(::VirtualFree(data, 0, MEM_RELEASE) != 0);
    REQUIRE(::VirtualAlloc(data, kept, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) == data);
}
#else
const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
/// Pages of physical memory behind [data, data + bytes).
std::size_t resident_pages(const void* data, std::size_t bytes) {
    std::vector<unsigned char> pages((bytes + page_bytes - 1) / page_bytes);
    REQUIRE(::mincore(const_cast<void*>(data), bytes, pages.data()) == 0);
    std::size_t resident = 0;
    for (const auto state : pages) resident += state & 1u;
    return resident;
}
/// What cannot be made writable stands for memory that there is not.
void refuse_memory(char* data, std::size_t kept, std::size_t bytes) {
    const int file = ::open("/dev/zero", O_RDONLY);
    REQUIRE(file != -1);
    REQUIRE(::mmap(data + kept, bytes - kept, PROT_NONE, MAP_SHARED | MAP_FIXED, file, 0) == data + kept);
    ::close(file);
}
#endif

} // namespace

static_assert(Array<int>::contiguous && Array<int, 1000>::max_slots == 1000);
static_assert(Array<char>::max_slots == std::min<std::size_t>(no_slot, Array<char>::default_bytes),
              "never more than a handle can name");
static_assert(Array<test::Big>::max_slots * sizeof(test::Big) <= Array<test::Big>::default_bytes,
              "64 GiB of values by default");

TEMPLATE_TEST_CASE("a reserved array is contiguous and grows without moving", "", char, int, test::Big, test::Empty,
                   test::OverAligned<128>, test::OverAligned<4096>) {
    Array<TestType, 300'000> array;
    CHECK(array.capacity() == 0);
    CHECK(array.run_count() == 0);
    CHECK(array.data() == nullptr);
    array.reserve(1);
    TestType* const data = array.data();
    CHECK(reinterpret_cast<std::uintptr_t>(data) % alignof(TestType) == 0);
    for (const std::size_t want : {100u, 5000u, 100'000u, 300'000u}) {
        array.reserve(want);
        CHECK(array.capacity() >= want);
        CHECK(array.data() == data);
        CHECK(array.run_count() == 1);
        CHECK(array.run(0).first == 0);
        CHECK(array.run(0).data == data);
        CHECK(array.run(0).slot_count == array.capacity());
        for (const slot_t slot : {slot_t{0}, slot_t{77}, static_cast<slot_t>(array.capacity() - 1)}) {
            CHECK(array.ptr(slot) == data + slot);
            CHECK(array.slot_at(data + slot) == slot);
        }
        CHECK(array.pages()[0] == data);
    }
    CHECK(array.capacity() == 300'000); // never more than max_slots, although memory comes in larger grains
}

TEST_CASE("a reserved array keeps its contents while it grows") {
    Array<std::uint64_t, 1 << 20> array;
    array.reserve(1000);
    for (slot_t slot = 0; slot < 1000; ++slot) *array.ptr(slot) = slot * 3;
    std::size_t steps = 0;
    while (array.capacity() < array.max_slots) {
        const auto proposed = array.grown_capacity();
        REQUIRE(proposed > array.capacity());
        array.reserve(proposed);
        CHECK(array.capacity() >= proposed);
        ++steps;
    }
    CHECK(steps < 20);
    bool kept = true;
    for (slot_t slot = 0; slot < 1000; ++slot) kept = kept && *array.ptr(slot) == slot * 3;
    CHECK(kept);
    CHECK(array.grown_capacity() == array.max_slots);
}

TEST_CASE("more slots than were reserved is std::length_error and changes nothing") {
    Array<int, 1000> array;
    CHECK_THROWS_AS(array.reserve(1001), std::length_error);
    CHECK(array.capacity() == 0);
    array.reserve(10);
    int* const data = array.data();
    *array.ptr(9) = 42;
    const std::size_t capacity = array.capacity();
    CHECK_THROWS_AS(array.reserve(1001), std::length_error);
    CHECK_THROWS_AS(array.reserve(static_cast<std::size_t>(-1)), std::length_error);
    CHECK(array.capacity() == capacity);
    CHECK(array.data() == data);
    CHECK(*array.ptr(9) == 42);
    CHECK_NOTHROW(array.reserve(1000));
}

TEST_CASE("several arrays fit into the address space by default, whatever the width of a pointer") {
    Array<int> many[4];
    Array<test::Big> big;
    for (auto& array : many) {
        CHECK_NOTHROW(array.reserve(1000));
        *array.ptr(999) = 7;
    }
    CHECK_NOTHROW(big.reserve(1));
}

TEST_CASE("address space costs no memory until it is used") {
    Array<std::uint64_t> array; // 64 GiB of addresses, or 256 MiB
    array.reserve(8);
    const std::size_t bytes = 1 << 20;
    array.reserve(bytes / 8);
    CHECK(resident_pages(array.data(), bytes) == 0);
    *array.ptr(0) = 1;
    CHECK(resident_pages(array.data(), bytes) >= 1);
}

TEST_CASE("shrinking gives the memory back to the system and keeps what is below") {
    Array<std::uint64_t, 1 << 20> array;
    array.reserve(1 << 20);
    for (slot_t slot = 0; slot < (1 << 20); ++slot) *array.ptr(slot) = slot;
    std::uint64_t* const data = array.data();
    const std::size_t bytes = std::size_t{8} << 20;
    const std::size_t before = resident_pages(data, bytes);
    CHECK(before >= bytes / page_bytes - 16);

    const std::size_t promised = array.shrunk_capacity(1000);
    CHECK(promised >= 1000);
    array.shrink(1000);
    CHECK(array.capacity() == promised);
    CHECK(resident_pages(data, bytes) <= before / 50);
    bool kept = true;
    for (slot_t slot = 0; slot < 1000; ++slot) kept = kept && *array.ptr(slot) == slot;
    CHECK(kept);

    array.reserve(1 << 20); // the address space was kept
    CHECK(array.data() == data);
    CHECK(*array.ptr((1 << 20) - 1) == 0); // fresh memory, not the old one
    array.shrink(0);
    CHECK(array.capacity() == 0);
    CHECK(array.run_count() == 0);
    CHECK(array.slot_at(data) == no_slot);
    array.shrink(0);
    array.reserve(5);
    CHECK(array.data() == data);
}

TEST_CASE("shrunk_capacity says what shrink leaves") {
    for (std::size_t keep = 0; keep < 40'000; keep += 1777) {
        Array<std::uint32_t, 100'000> array;
        array.reserve(33'000);
        const std::size_t capacity = array.capacity(), promised = array.shrunk_capacity(keep);
        CHECK(array.capacity() == capacity);
        CHECK(promised >= std::min(keep, capacity));
        array.shrink(keep);
        CHECK(array.capacity() == promised);
    }
}

TEST_CASE("memory above the committed part cannot be touched") {
    Array<char, 1 << 24> array;
    array.reserve(1);
    volatile char* const beyond = array.data() + array.capacity();
    const test::Ended ended = test::child([&] { *beyond = 1; });
    CHECK(ended.code != 0);
}

TEST_CASE("moving and swapping reserved arrays moves no slot") {
    Array<int, 100'000> a, b;
    a.reserve(10);
    b.reserve(50'000);
    int *const of_a = a.data(), *const of_b = b.data();
    const std::size_t size_of_b = b.capacity();
    a.swap(b);
    CHECK(a.data() == of_b);
    CHECK(a.capacity() == size_of_b);
    CHECK(b.data() == of_a);
    Array<int, 100'000> c(std::move(a));
    CHECK(c.data() == of_b);
    CHECK(a.data() == nullptr);
    CHECK(a.capacity() == 0);
    a.reserve(3); // moved-from, usable
    CHECK(a.capacity() >= 3);
    CHECK(a.data() != of_b);
}

TEST_CASE("growth of a reserved array commits as much again, at most 16 MiB at once") {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    Array<char, 128 * mebibyte> array;
    for (const std::size_t slots : {1 * mebibyte, 8 * mebibyte, 16 * mebibyte, 64 * mebibyte}) {
        array.reserve(slots);
        CHECK(array.grown_capacity() == slots + std::min(slots, 16 * mebibyte));
    }
    array.reserve(120 * mebibyte);
    CHECK(array.grown_capacity() == 128 * mebibyte); // and not more than there can be
}

TEST_CASE("when the system has no memory to commit, growing is std::bad_alloc and changes nothing") {
    Array<char, 4 << 16> array;
    array.reserve(1 << 16);
    refuse_memory(array.data(), 1 << 16, 4 << 16);
    array.data()[5] = 'a';
    CHECK_THROWS_AS(array.reserve(2 << 16), std::bad_alloc);
    CHECK(array.capacity() == 1 << 16);
    CHECK(array.data()[5] == 'a');
    CHECK(array.slot_at(array.data() + (1 << 16)) == no_slot);
}

TEST_CASE("an address outside is no slot") {
    Array<int, 1000> array;
    const int elsewhere = 0;
    CHECK(array.slot_at(&elsewhere) == no_slot);
    array.reserve(10);
    CHECK(array.slot_at(&elsewhere) == no_slot);
    CHECK(array.slot_at(nullptr) == no_slot);
    CHECK(array.slot_at(array.data() + array.capacity()) == no_slot);
}

TEST_CASE("when there are no addresses left, reserving is std::bad_alloc and changes nothing") {
    // Half of what a pointer can say: two of them never fit.
    Array<std::uint64_t, static_cast<std::size_t>(-1) / 2 / sizeof(std::uint64_t)> first, second;
    CHECK_THROWS_AS((first.reserve(1), second.reserve(1)), std::bad_alloc);
    CHECK(second.capacity() == 0);
    CHECK(second.data() == nullptr);
}

TEST_CASE("hundreds of reserved arrays stand side by side, each with memory of its own") {
    constexpr std::size_t count = sizeof(void*) >= 8 ? 300 : 3; // of 64 GiB, or of 256 MiB
    std::vector<Array<std::uint32_t>> arrays;
    for (std::uint32_t i = 0; i != count; ++i) {
        arrays.emplace_back().reserve(1);
        *arrays.back().ptr(0) = i;
    }
    for (std::uint32_t i = 0; i < count; i += 2) arrays[i].shrink(0);
    for (std::uint32_t i = 0; i != count; ++i) {
        CHECK(arrays[i].memory_usage() == (i % 2 == 0 ? 0 : detail::virtual_grain));
        arrays[i].reserve(2 * detail::virtual_grain / sizeof(std::uint32_t));
        CHECK(*arrays[i].ptr(0) == (i % 2 == 0 ? 0 : i));
        CHECK(arrays[i].memory_usage() == 2 * detail::virtual_grain);
    }
}

#if defined(__SANITIZE_ADDRESS__)
#define SLOTWISE_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOTWISE_TEST_SANITIZED 1
#endif
#endif
#if !defined(SLOTWISE_TEST_SANITIZED) &&                                                                                       \
    !defined(_WIN32) // a sanitiser needs terabytes of addresses itself; Windows limits none

TEST_CASE("when the system refuses, reserving is std::bad_alloc and changes nothing") {
    const test::Ended ended = test::child([] {
        Array<std::uint64_t> unborn;
        Array<std::uint64_t, 1 << 20> grown;
        grown.reserve(10);
        *grown.ptr(9) = 7;
        const auto half = static_cast<::rlim_t>(Array<std::uint64_t>::default_bytes / 2); // of what it will ask for
        const ::rlimit limit{half, half};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(10);
        int result = 0;
#if defined(__cpp_exceptions)
        try {
            unborn.reserve(1);
            result = 11;
        } catch (const std::bad_alloc&) {
            if (unborn.capacity() != 0 || unborn.data() != nullptr) result = 12;
        }
#else
        if (test::failure_text([&] { unborn.reserve(1); }).empty()) result = 11;
#endif
        grown.reserve(1 << 20); // its addresses were reserved before
        if (*grown.ptr(9) != 7) result = 13;
        ::_exit(result);
    });
    CHECK(ended.code == 0);
}

#endif

#endif
