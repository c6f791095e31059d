// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/placed_array.hpp>
#include <slotwise/memory/reserved_array.hpp>
#include <slotwise/slots/slot_directory.hpp>

#include "support/catch.hpp"

#include <array>
#include <memory>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#if SLOTWISE_VIRTUAL_MEMORY
namespace {

using namespace slotwise;
constexpr std::size_t grain = slotwise::detail::virtual_grain;
using Array = slotwise::detail::SteadyArray<std::uint32_t, grain>; // address space for four grains

void resize(Array& array, std::size_t count) {
    auto lease = array.resized(count, 7, std::allocator<int>());
    array.swap(lease);
}
bool holds(const Array& array, std::size_t from, std::uint32_t value) {
    for (std::size_t i = from; i != array.size(); ++i)
        if (array[i] != value) return false;
    return true;
}

using Directory = SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lowest, std::allocator<std::byte>, 100'000>;
void grow(Directory& directory, std::size_t slots) {
    auto more = directory.prepare(slots, {});
    directory.adopt(more);
    directory.set_capacity(slots);
}

} // namespace

TEST_CASE("a steady array grows and shrinks in place; memory that was given back and comes again is filled") {
    Array array;
    CHECK(array.empty());
    CHECK(array.memory_usage() == 0);
    resize(array, 100);
    const auto* const data = array.data();
    CHECK(array.memory_usage() == grain);
    CHECK(holds(array, 0, 7));
    array[3] = 1;
    array[99] = 2;
    resize(array, grain);
    CHECK(array.data() == data);
    CHECK(array.memory_usage() == 4 * grain);
    CHECK(array[99] == 2);
    CHECK(holds(array, 100, 7));
    resize(array, 50);
    CHECK(array.memory_usage() == grain);
    CHECK(array.size() == 50);
    resize(array, 200);
    CHECK(array.data() == data);
    CHECK(array[3] == 1);
    CHECK(holds(array, 4, 7)); // 99 is not as it was
    resize(array, 0);
    CHECK(array.memory_usage() == 0);
}

TEST_CASE("a lease that is not committed changes nothing and gives its memory back") {
    Array array;
    resize(array, 100);
    array[99] = 5;
    {
        const auto larger = array.resized(grain, 0, std::allocator<int>());
        CHECK(larger.data() == array.data());
        CHECK(larger.memory_usage() == 4 * grain);
        const auto smaller = array.resized(10, 0, std::allocator<int>());
        const auto same = array.resized(100, 0, std::allocator<int>());
    }
    CHECK(array.size() == 100);
    CHECK(array.memory_usage() == grain);
    CHECK(array[99] == 5);
    resize(array, 2 * grain / sizeof(std::uint32_t)); // the second grain is committed anew
    CHECK(array.memory_usage() == 2 * grain);
    CHECK(holds(array, 100, 7));
}

TEST_CASE("more entries than address space are a copy; a copy and a move are arrays of their own") {
    Array array;
    resize(array, 100);
    array[99] = 5;
    const auto* const data = array.data();
    const Array copy = array.copied();
    CHECK(copy.data() != data);
    CHECK(copy[99] == 5);
    CHECK(copy.size() == 100);
    resize(array, 3 * grain);
    CHECK(array.data() != data);
    CHECK(array[99] == 5);
    CHECK(array.memory_usage() == 12 * grain);
    Array taken(std::move(array));
    CHECK(taken.size() == 3 * grain);
    CHECK(array.size() == 0); // NOLINT(bugprone-use-after-move): it is like new
    resize(array, 1);
    CHECK(array[0] == 7);
    array.swap(taken);
    CHECK(array.size() == 3 * grain);
    CHECK(taken.memory_usage() == grain);
}

TEST_CASE("a directory with address space grows without moving versions, and copies, shrinks and forgets as the others do") {
    Directory directory;
    grow(directory, 64);
    for (int i = 0; i != 64; ++i) directory.acquire_live();
    const auto* const versions = directory.versions();
    for (std::size_t slots = 100; slots < 100'000; slots *= 2) grow(directory, slots);
    CHECK(directory.versions() == versions);
    while (directory.cursor() != 50'000) directory.acquire_live();
    CHECK(directory.check_invariants());
    const Directory copy(directory, {});
    CHECK(copy.versions() != versions);
    CHECK(copy.same_handles(directory));
    CHECK(copy.memory_usage() == directory.memory_usage());
    for (slot_t slot = 100; slot != 50'000; ++slot) directory.erase(slot);
    const std::size_t before = directory.memory_usage();
    const slot_t end = directory.lower_cursor();
    auto less = directory.prepare_shrink(end, Directory::first_forgotten(end), {});
    directory.commit_shrink(less, Directory::first_forgotten(end));
    directory.set_capacity(end);
    CHECK(directory.versions() == versions);
    CHECK(directory.check_invariants());
    { const auto dropped = std::move(less); }
    CHECK(directory.memory_usage() < before);
    grow(directory, 50'000);
    CHECK(directory.version(49'999) == 2); // its handle of before is still stale
    CHECK(copy.version(49'999) == 1);
    CHECK(directory.check_invariants());
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOTWISE_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOTWISE_TEST_SANITIZED 1
#endif
#endif
#if defined(__linux__) && defined(__cpp_exceptions) &&                                                                         \
    !defined(SLOTWISE_TEST_SANITIZED) // a sanitiser needs the addresses itself
TEST_CASE("when the system refuses addresses or memory, a steady array throws std::bad_alloc and is unchanged") {
    const auto refused = [](int which, ::rlim_t most, auto&& use) {
        const ::pid_t child = ::fork();
        REQUIRE(child != -1);
        if (child == 0) {
            Array unborn, grown;
            resize(grown, 100);
            const ::rlimit limit{most, most};
            if (::setrlimit(static_cast<decltype(RLIMIT_AS)>(which), &limit) != 0) ::_exit(10);
            try {
                use(unborn, grown);
                ::_exit(11);
            } catch (const std::bad_alloc&) {
                const bool same = unborn.data() == nullptr && grown.size() == 100 && grown.memory_usage() == grain;
                ::_exit(same && holds(grown, 0, 7) ? 0 : 12);
            }
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    };
    refused(RLIMIT_AS, 0, [](Array& unborn, Array&) { resize(unborn, 1); });
    refused(RLIMIT_DATA, 0, [](Array&, Array& grown) { resize(grown, grain); });
    refused(RLIMIT_DATA, 0, [](Array&, Array& grown) { static_cast<void>(grown.copied()); });
}
#endif
#endif

//=== arrays whose place is given ===//

namespace {

using slotwise::detail::ArrayPlace, slotwise::detail::PlacedArray;

/// The sum of two arrays that were made and grown in one allocation.
constexpr int in_one_allocation() {
    bits::word_t memory[100] = {};
    ArrayPlace place{memory};
    auto numbers = PlacedArray<short>().resized(5, 7, place);
    auto words = PlacedArray<bits::word_t>().resized(3, 100, place);
    numbers[4] = 1;
    words[0] = 10;
    numbers.resized(7, 2, place).swap(numbers);
    words.resized(2, 0, place).swap(words);
    const PlacedArray<short> moved(std::move(numbers));
    int sum = 0;
    for (std::size_t i = 0; i != moved.size(); ++i) sum += moved[i];
    for (std::size_t i = 0; i != words.size(); ++i) sum += static_cast<int>(words[i]);
    return numbers.empty() && PlacedArray<short>::memory_usage() == 0 ? sum : -1; // NOLINT(bugprone-use-after-move)
}
static_assert(in_one_allocation() == 4 * 7 + 1 + 2 * 2 + 10 + 100);

} // namespace

TEST_CASE("placed arrays lie one behind the other, each from a whole word on, and keep their values") {
    CHECK(in_one_allocation() == 143);
    std::array<bits::word_t, 20> memory{};
    ArrayPlace place{memory.data()};
    const auto bytes = PlacedArray<std::uint8_t>().resized(9, 3, place);
    CHECK(static_cast<const void*>(bytes.data()) == memory.data());
    CHECK(place.next == memory.data() + 2);
    CHECK(PlacedArray<std::uint8_t>::words_for(9) == 2);
    CHECK(PlacedArray<std::uint32_t>::words_for(64) == 32);
    CHECK(PlacedArray<bits::word_t>::words_for(3) == 3);
    const auto words = PlacedArray<bits::word_t>().resized(4, 5, place);
    CHECK((words.data() == memory.data() + 2 && words[3] == 5 && place.next == memory.data() + 6));
    const auto none = words.resized(0, 1, place);
    CHECK((none.empty() && none.data() == nullptr && place.next == memory.data() + 6));
}
