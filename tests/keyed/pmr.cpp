// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The pmr aliases: keys, values, columns and index come from the resource, and nothing from anywhere else.
#include "keys.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/keyed/pmr.hpp>

#include <array>

using namespace test;

namespace {

/// Counts what it gave out and has not got back; gives no more than `most`.
class Counting final : public std::pmr::memory_resource {
public:
    std::size_t bytes = 0;
    std::size_t most = ~std::size_t{0};
    bool matched = true;
    ~Counting() override { CHECK((bytes == 0 && matched)); }

private:
    void* do_allocate(std::size_t size, std::size_t align) override {
        if (size > most - bytes) TEST_THROW(std::bad_alloc());
        bytes += size;
        return ::operator new(size, std::align_val_t{align});
    }
    void do_deallocate(void* data, std::size_t size, std::size_t align) override {
        matched = matched && bytes >= size;
        bytes -= size;
        ::operator delete(data, std::align_val_t{align});
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

/// While it lives, whatever asks the default resource fails.
class NoDefault {
public:
    NoDefault() : before_(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {}
    NoDefault(const NoDefault&) = delete;
    NoDefault& operator=(const NoDefault&) = delete;
    ~NoDefault() { std::pmr::set_default_resource(before_); }

private:
    std::pmr::memory_resource* before_;
};

constexpr KeySetOptions deferred{.deferred_erase = true, .reuse = Reuse::fifo};
using Map = pmr::MapStorage<int, std::string>;
using DeferredMap = pmr::MapStorage<int, Tracked, Options<deferred>>;

} // namespace

TEST_CASE("pmr containers are the containers with a polymorphic allocator", "[pmr]") {
    STATIC_REQUIRE(std::is_same_v<pmr::SetStorage<int>::allocator_type, std::pmr::polymorphic_allocator<int>>);
    STATIC_REQUIRE(std::is_same_v<pmr::KeySet<int>, KeySet<int, AllocBy<std::pmr::polymorphic_allocator<int>>>>);
    STATIC_REQUIRE(std::is_same_v<Map::mapped_type, std::string>);
    STATIC_REQUIRE(DeferredMap::options.deferred_erase);
}

TEST_CASE("a pmr map takes every byte from its resource and gives every byte back", "[pmr]") {
    NothingLeaks objects;
    Counting memory;
    const NoDefault guard;
    {
        DeferredMap map(&memory);
        REQUIRE(map.get_allocator().resource() == &memory);
        for (int i = 0; i != 1000; ++i) map.try_emplace(i, i);
        for (int i = 0; i != 500; ++i) map.erase(i);
        map.flush_removed();
        REQUIRE(memory.bytes > 500 * (sizeof(int) + sizeof(Tracked)));
        REQUIRE(map.at(700).value() == 700);
        map.shrink_to_fit();
        REQUIRE(map.check_invariants());
        map.reset();
        const auto left = memory.bytes;
        map.try_emplace(1, 1);
        REQUIRE(memory.bytes > left);
    }
    REQUIRE(memory.bytes == 0);
    pmr::SetStorage<int> set({3, 1, 2}, &memory);
    REQUIRE(set.size() == 3);
    REQUIRE(memory.bytes != 0);
}

TEST_CASE("a pmr map runs in a buffer of its own", "[pmr]") {
    alignas(64) std::array<std::byte, 64 * 1024> buffer;
    std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size(), std::pmr::null_memory_resource());
    pmr::MapStorage<int, int> map(&memory);
    map.reserve(1000);
    for (int i = 0; i != 1000; ++i) map[i] = i * i;
    const auto* at = static_cast<const void*>(&map.at(999));
    REQUIRE((at >= static_cast<const void*>(buffer.data()) && at < static_cast<const void*>(buffer.data() + buffer.size())));
    REQUIRE(map.at(30) == 900);
    REQUIRE(map.check_invariants());
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("when the resource is exhausted a pmr map is as it was", "[pmr]") {
    Counting memory;
    {
        pmr::MapStorage<int, int> map(&memory);
        map[-1] = 1;
        memory.most = memory.bytes + 100'000;
        int count = 0;
        REQUIRE_THROWS_AS(
            [&] {
                for (; count != 100'000; ++count) map[count] = count;
            }(),
            std::bad_alloc);
        REQUIRE(count > 64);
        REQUIRE(map.size() == static_cast<std::size_t>(count) + 1);
        REQUIRE_THROWS_AS(map.try_emplace(count), std::bad_alloc);
        REQUIRE_FALSE(map.contains(count));
        map.erase(0);
        map[count] = 7; // there is room for as many as before
        memory.most = ~std::size_t{0};
        REQUIRE(map.check_invariants());
        REQUIRE(map.at(count) == 7);
        REQUIRE(map.at(count - 1) == count - 1);
    }
}
#endif

TEST_CASE("copies of pmr containers use the default resource, moves between resources move each element", "[pmr]") {
    Counting a, b;
    Map map(&a);
    for (int i = 0; i != 100; ++i) map.try_emplace(i, make_key<std::string>(i));
    const auto handle = map.handle_of(42);
    const std::string* const address = map.get(42);

    const Map copy(map);
    REQUIRE(copy.get_allocator().resource() == std::pmr::get_default_resource());
    REQUIRE(copy == map);
    Map there(map, &b);
    REQUIRE(there.get_allocator().resource() == &b);
    REQUIRE(there == copy);

    Map same(std::move(map), &a); // the same resource: nothing moves
    REQUIRE(same.get(handle) == address);
    REQUIRE(map.empty()); // NOLINT(bugprone-use-after-move)
    Map moved(std::move(same), &b);
    REQUIRE(*moved.get(handle) == make_key<std::string>(42));
    REQUIRE(moved == copy);
    REQUIRE(moved.check_invariants());
    REQUIRE(same.check_invariants()); // NOLINT(bugprone-use-after-move)
    same.try_emplace(1, "again");
    REQUIRE(same.get_allocator().resource() == &a);

    swap(same, moved); // allocators stay, elements go
    REQUIRE(same.get_allocator().resource() == &a);
    REQUIRE(moved.get_allocator().resource() == &b);
    REQUIRE(same == copy);
    REQUIRE(moved.size() == 1);
    REQUIRE(same.check_invariants());
    REQUIRE(moved.check_invariants());
    moved = same;
    REQUIRE(moved == copy);
    moved = std::move(same);
    REQUIRE(moved == copy);
    REQUIRE(moved.get_allocator().resource() == &b);
    REQUIRE(moved.check_invariants());
}
