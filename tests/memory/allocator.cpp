// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/allocator.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <memory_resource>
#include <utility>

using namespace slotwise;

namespace {

template <class Allocator>
using Array = detail::FlatArray<int, Allocator>;
using Stateful = test::StatefulAllocator<std::byte>;

template <class A>
std::vector<int> values(const A& array) {
    return std::vector<int>(array.data(), array.data() + array.size());
}

constexpr int constant_use() {
    detail::FlatArray<int, std::allocator<std::byte>> array;
    auto more = array.resized(3, 7);
    more[1] = 5;
    array.swap(more);
    auto fewer = array.resized(2, 0);
    return fewer[0] * 10 + fewer[1] + (more.empty() ? 100 : 0);
}
static_assert(constant_use() == 175);

} // namespace

// Entries of subscribers were taken for pointers, and got a third of their memory.
TEST_CASE("an array of entries that convert to a pointer has room for the entries", "[memory]") {
    struct Entry {
        int* target = nullptr;
        std::uint64_t number = 0;
        operator int*() const { return target; }
    };
    using Bytes = std::allocator<std::byte>;
    int here = 0;
    auto entries = detail::FlatArray<Entry, Bytes>().resized(2, {nullptr, 7});
    entries[1] = {&here, 8};
    const auto more = entries.resized(4, {nullptr, 9});
    CHECK(more[0].number == 7);
    CHECK((more[1].target == &here && more[1].number == 8 && more[3].number == 9));
}

TEST_CASE("propagation follows the allocator's traits") {
    using All = test::StatefulAllocator<int, test::Propagation{.copy = true, .move = true, .swap = true, .always_equal = true}>;
    using None = test::StatefulAllocator<int>;
    STATIC_REQUIRE(detail::propagates_on_copy<All>);
    STATIC_REQUIRE(detail::propagates_on_move<All>);
    STATIC_REQUIRE(detail::propagates_on_swap<All>);
    STATIC_REQUIRE(detail::always_equal<All>);
    STATIC_REQUIRE_FALSE(detail::propagates_on_copy<None>);
    STATIC_REQUIRE_FALSE(detail::propagates_on_move<None>);
    STATIC_REQUIRE_FALSE(detail::propagates_on_swap<None>);
    STATIC_REQUIRE_FALSE(detail::always_equal<None>);
    STATIC_REQUIRE(std::is_same_v<detail::rebind_t<test::FancyAllocator<int>, char>, test::FancyAllocator<char>>);
}

TEMPLATE_TEST_CASE("a flat array keeps what fits and fills the rest", "", std::allocator<std::byte>, Stateful,
                   test::FancyAllocator<std::byte>, test::ThrowingAllocator<std::byte>) {
    test::EveryByteReturned scope;
    Array<TestType> array;
    CHECK(array.empty());
    CHECK(array.data() == nullptr);

    auto three = array.resized(3, 7);
    CHECK(values(three) == std::vector{7, 7, 7});
    three[0] = 1;
    three[2] = 3;
    auto five = three.resized(5, 9);
    CHECK(values(five) == std::vector{1, 7, 3, 9, 9});
    auto two = five.resized(2, 0);
    CHECK(values(two) == std::vector{1, 7});
    CHECK(two.resized(0, 0).empty());
    CHECK(values(three) == std::vector{1, 7, 3}); // the source is never changed

    array.swap(five);
    CHECK(array.size() == 5);
    CHECK(five.empty());
    Array<TestType> moved(std::move(array));
    CHECK(moved.size() == 5);
    CHECK(array.empty());
    CHECK(array.data() == nullptr);
    moved.free();
    CHECK(moved.empty());
    moved.free(); // twice is once
}

TEST_CASE("a flat array allocates nothing until it has a size") {
    const std::size_t before = test::Ledger::allocations();
    Array<Stateful> array(Stateful(3));
    CHECK(array.resized(0, 1).empty());
    CHECK(test::Ledger::allocations() == before);
}

TEST_CASE("a flat array is resized into the memory of the allocator it is given, else of its own") {
    test::EveryByteReturned scope;
    const Array<Stateful> array(Stateful(3));
    const auto own = array.resized(4, 0);
    CHECK(test::Ledger::live_bytes(3) == 4 * sizeof(int));
    const auto other = own.resized(8, 0, Stateful(5));
    CHECK(test::Ledger::live_bytes(5) == 8 * sizeof(int));
}

TEST_CASE("swapped flat arrays still return their memory to where it came from") {
    test::EveryByteReturned scope;
    auto a = Array<Stateful>(Stateful(1)).resized(4, 1);
    auto b = Array<Stateful>(Stateful(2)).resized(6, 2);
    a.swap(b);
    CHECK(values(a) == std::vector(6, 2));
    CHECK(values(b) == std::vector(4, 1));
    a.free(); // the ledger notices a wrong id
    CHECK(test::Ledger::live_bytes(2) == 0);
    CHECK(test::Ledger::live_bytes(1) == 4 * sizeof(int));
}

TEST_CASE("an allocator without a default constructor is enough for a flat array") {
    test::EveryByteReturned scope;
    const test::NoDefaultAllocator<std::byte> alloc(4);
    const detail::FlatArray<int, test::NoDefaultAllocator<std::byte>> array(alloc);
    CHECK(array.resized(3, 1)[2] == 1);
}

TEST_CASE("a flat array is unchanged when growing throws", "[throws]") {
    test::EveryByteReturned scope;
    const auto array = Array<test::ThrowingAllocator<std::byte>>().resized(2, 5);
    const auto failures = test::fail_at_every_step(test::swept("detail::FlatArray::resized"), [&](auto&& attempt) {
        attempt([&] { static_cast<void>(array.resized(100, 0)); });
        CHECK(values(array) == std::vector{5, 5});
    });
    CHECK(failures == 1);
}

TEST_CASE("memory for values that are made later has all its size, or the allocator's exception and nothing", "[throws]") {
    test::EveryByteReturned scope;
    using Unmade = Array<test::ThrowingAllocator<std::byte>>;
    const auto failures = test::fail_at_every_step(test::swept("detail::FlatArray::unmade"), [](auto&& attempt) {
        attempt([] {
            auto array = Unmade::unmade(3, test::ThrowingAllocator<std::byte>());
            for (std::size_t i = 0; i != array.size(); ++i) std::construct_at(array.data() + i, static_cast<int>(i));
            CHECK(values(array) == std::vector{0, 1, 2});
        });
        CHECK(Unmade::unmade(0, test::ThrowingAllocator<std::byte>()).size() == 0);
    });
    CHECK(failures == 1);
}

TEST_CASE("allocators are exchanged, also those that cannot be assigned") {
    std::pmr::monotonic_buffer_resource one, two;
    std::pmr::polymorphic_allocator<int> a(&one), b(&two), same(&one);
    detail::exchange_allocators(a, b);
    CHECK(a.resource() == &two);
    CHECK(b.resource() == &one);
    detail::exchange_allocators(b, same);
    CHECK(b.resource() == &one);
    CHECK(same.resource() == &one);
    Stateful first(1), second(2);
    detail::exchange_allocators(first, second);
    CHECK(first.id() == 2);
    CHECK(second.id() == 1);
}

TEST_CASE("a flat array of a stateless allocator is two words") {
    STATIC_REQUIRE(sizeof(Array<std::allocator<std::byte>>) == 2 * sizeof(void*));
}
