// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is removed and waits for its window to roll costs later adds nothing: counted in comparisons of keys and bytes
// allocated.
#include "../support/catch.hpp"

#include <slotwise/series/tsd_storage.hpp>

namespace {

using namespace slotwise;

std::size_t compared = 0; // keys
struct CountingEqual {
    bool operator()(int a, int b) const noexcept { return ++compared, a == b; }
};
/// f's comparisons.
template <class F>
std::size_t comparisons(F&& f) {
    const std::size_t before = compared;
    f();
    return compared - before;
}

std::size_t allocated = 0; // bytes
template <class T>
struct CountingAllocator : std::allocator<T> {
    using value_type = T;
    CountingAllocator() = default;
    template <class U>
    CountingAllocator(const CountingAllocator<U>&) noexcept {}
    T* allocate(std::size_t n) {
        allocated += n * sizeof(T);
        return std::allocator<T>::allocate(n);
    }
    template <class U>
    struct rebind {
        using other = CountingAllocator<U>;
    };
};

/// Every slot lives once.
constexpr SeriesOptions once{.handle = {.index_bits = 31, .version_bits = 1}};
template <SeriesOptions O>
using Set = TSSStorage<int, EqualBy<CountingEqual>, Options<O>>;
template <SeriesOptions O>
using Dict = TSDStorage<int, int, EqualBy<CountingEqual>, Options<O>>;

constexpr int n = 2000;
template <class Writer>
void enter(Writer&& writer, int key) {
    if constexpr (requires { writer.add(key); })
        writer.add(key);
    else
        writer.set(key, key);
}
/// n keys that were members are removed, and read.
template <class Series>
Series all_pending() {
    Series series;
    for (int i = 0; i != n; ++i) enter(series.write(1), i);
    series.write(2).clear();
    return series;
}
/// What it costs to add as many new ones and ask for the old ones.
template <class Series>
std::size_t cost_of_adds(Series& series) {
    const std::size_t cost = comparisons([&] {
        auto w = series.write(2);
        for (int i = 0; i != n; ++i) {
            enter(w, n + i);
            if (!series.was_removed(i, 2)) FAIL("key " << i);
        }
    });
    CHECK((series.size() == std::size_t{n} && series.pending() == std::size_t{n} && series.check_invariants()));
    return cost;
}

} // namespace

TEMPLATE_TEST_CASE(
    "an add compares a few keys however many wait for the window to roll, also when copied, assigned or restored",
    "[series][pending]", Set<SeriesOptions{}>, Set<once>, Dict<SeriesOptions{}>, Dict<once>) {
    auto series = all_pending<TestType>();
    TestType copy(series), assigned, restored;
    enter(assigned.write(1), 5);
    assigned = series;
    restored.restore(series.snapshot());
    const std::size_t few = std::size_t{n} * 8;
    CHECK(cost_of_adds(series) < few);
    CHECK(cost_of_adds(copy) < few);
    CHECK(cost_of_adds(assigned) < few);
    CHECK(cost_of_adds(restored) < few);
}

TEMPLATE_TEST_CASE("one key that is inserted and removed in slot after slot is compared a few times each time",
                   "[series][pending]", Set<once>, Dict<once>) {
    TestType series;
    enter(series.write(1), 7);
    const auto churn = [](TestType& s, int from, int to) {
        return comparisons([&] {
            auto w = s.write(2);
            for (int i = from; i != to; ++i) {
                if (!w.remove(7) || !s.was_removed(7, 2)) FAIL("time " << i);
                enter(w, 7);
                if (s.was_removed(7, 2) || s.was_added(7, 2)) FAIL("time " << i);
            }
        });
    };
    CHECK(churn(series, 0, n) < std::size_t{n} * 8);
    REQUIRE(series.pending() == std::size_t{n});
    REQUIRE(series.check_invariants());
    series.write(2).remove(7);
    TestType restored;
    restored.restore(series.snapshot());
    REQUIRE(restored.check_invariants());
    REQUIRE(restored.was_removed(7, 2));
    enter(series.write(2), 7);
    enter(restored.write(2), 7);
    REQUIRE(restored.snapshot() == series.snapshot());
    CHECK(churn(restored, n, 2 * n) < std::size_t{n} * 8);
    series = restored;
    CHECK(churn(series, 0, n) < std::size_t{n} * 8);
    series.write(3).remove(7); // all that waited are gone
    REQUIRE((series.pending() == 1 && series.check_invariants()));
}

TEST_CASE("a set with deferred erase allocates in proportion to its keys when it grows without a reserve", "[keyed][pending]") {
    using Deferred = KeySet<int, Options<KeySetOptions{.deferred_erase = true}>, AllocBy<CountingAllocator<int>>>;
    const auto bytes = [](int keys) {
        const std::size_t before = allocated;
        Deferred set;
        for (int i = 0; i != keys; ++i) set.insert(i);
        CHECK(set.check_invariants());
        return allocated - before;
    };
    const std::size_t small = bytes(50'000);
    CHECK(bytes(400'000) < small * 12); // 14 times when each growth by a page copied the list
}

TEST_CASE("deltas of a few keys grow a series by steps in proportion to it, not key by key", "[series][apply]") {
    using Counted = TSSStorage<int, AllocBy<CountingAllocator<int>>>;
    const auto bytes = [](int keys) {
        const std::size_t before = allocated;
        Counted set;
        for (int key = 0, time = 1; key != keys; ++time) {
            SetDelta<int> delta;
            for (int i = 0; i != 100; ++i) delta.added.push_back(key++);
            set.write(time).apply(delta);
        }
        CHECK(set.size() == static_cast<std::size_t>(keys));
        return allocated - before;
    };
    const std::size_t small = bytes(25'000);
    CHECK(bytes(200'000) < small * 12);
}

TEST_CASE("a series with subscribers grows by steps in proportion to it", "[series][subscribers]") {
    struct Nobody final : SeriesSubscriber<> {
        void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
    } nobody;
    using Counted = TSSStorage<int, AllocBy<CountingAllocator<int>>>;
    const auto bytes = [&](int keys) {
        const std::size_t before = allocated;
        Counted set;
        const auto token = set.subscribe(-1, nobody);
        for (int key = 0; key != keys; ++key) set.write(1).add(key);
        CHECK(set.size() == static_cast<std::size_t>(keys));
        return allocated - before;
    };
    const std::size_t small = bytes(25'000);
    CHECK(bytes(200'000) < small * 12);
}
