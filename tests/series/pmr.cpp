// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series, columns and described maps in containers of std::pmr, and in one another: every byte comes from the arena.
#include "support/allocators.hpp"
#include "support/resources.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <map>
#include <string>
#include <vector>

namespace {

using namespace slotwise;

template <class T = std::byte>
using Pmr = std::pmr::polymorphic_allocator<T>;
using Set = TSSStorage<int, AllocBy<Pmr<int>>>;
template <class T>
using Dict = TSDStorage<int, T, AllocBy<Pmr<int>>>;

/// Fails every allocation of a copy or move into other memory in turn; what is copied, or could not be moved, is as before.
template <class Container, class Make, class Same>
void fail_into_other_memory(Make&& make, Same&& same) {
    using A = typename Container::allocator_type;
    const test::EveryByteReturned bytes;
    const test::NothingLeaks objects;
    const auto fail = [&](const char* what, auto&& construct) {
        return test::fail_at_every_step(test::swept<Container>(what), [&](auto&& attempt) {
            Container source = make(A(1));
            if (attempt([&] { construct(source, A(2)); })) CHECK(same(source));
        });
    };
    if constexpr (std::is_constructible_v<Container, const Container&, const A&>)
        CHECK(fail("(copy, allocator)", [](const auto& source, A there) { const Container copy(source, there); }) > 1);
    CHECK(fail("(move, allocator)", [](auto& source, A there) { const Container moved(std::move(source), there); }) > 1);
}
template <class T>
using Failing = test::StatefulAllocator<T, test::Propagation{.throws = true}>;

const char* const long_text = "a text that is too long to lie in the string itself";

} // namespace

TEST_CASE("a vector of series gives them its memory, also when it grows, is copied and is moved elsewhere",
          "[series][allocator]") {
    const test::NoDefaultResource nothing;
    test::CountingResource arena, other;
    {
        std::pmr::vector<Set> all(&arena);
        for (int i = 0; i != 20; ++i) all.emplace_back().write(1).add(i);
        for (int i = 0; i != 20; ++i) {
            REQUIRE((all[static_cast<std::size_t>(i)].contains(i) && all[static_cast<std::size_t>(i)].was_added(i, 1)));
            REQUIRE(all[static_cast<std::size_t>(i)].get_allocator().resource() == &arena);
        }
        std::pmr::vector<Set> copies(all, &other), moved(std::move(copies), &arena);
        REQUIRE((moved == all && moved[3].window() == 1 && moved[3].was_added(3, 1) && moved[3].check_invariants()));
        REQUIRE(moved[3].get_allocator().resource() == &arena);
        for (auto& set : copies) REQUIRE((set.empty() && !set.valid() && set.check_invariants()));
        all[0] = moved[1]; // of equal memory
        copies.clear();
        copies.push_back(all[0]); // and of unequal
        REQUIRE((all[0].contains(1) && copies[0] == all[0] && copies[0].get_allocator().resource() == &other));
    }
    REQUIRE((arena.out == 0 && other.out == 0));
}

TEST_CASE("a series takes its subscribers along into other memory", "[series][allocator][subscribers]") {
    struct Reader final : SeriesSubscriber<> {
        int ticks = 0;
        void on_tick(const SeriesTick<std::int64_t>&) noexcept override { ++ticks; }
    } reader;
    test::CountingResource arena, other;
    Set set{Pmr<int>(&arena)};
    const auto token = set.subscribe(7, reader);
    Set moved(std::move(set), &other), same(std::move(moved), &other);
    same.write(1).add(7);
    REQUIRE((reader.ticks == 1 && same.get_allocator().resource() == &other));
}

TEST_CASE("nested series and strings lie in the memory of what they are nested in, also when they live again",
          "[series][allocator]") {
    const test::NoDefaultResource nothing;
    test::CountingResource arena, other;
    Dict<Set> nested{Pmr<int>(&arena)};
    Dict<std::pmr::string> texts{Pmr<int>(&arena)};
    for (int time = 1; time != 4; ++time) {
        auto w = nested.write(time);
        auto t = texts.write(time);
        for (int again = 0; again != 3; ++again) {
            w.create(1);
            w.modify(1).add(again);
            t.set(1, long_text);
            REQUIRE(nested.get(1)->get_allocator().resource() == &arena);
            REQUIRE((texts.at(1) == long_text && texts.at(1).get_allocator().resource() == &arena));
            if (again == 2) break;
            w.remove(1);
            t.remove(1);
        }
    }
    Dict<Set> there(std::move(nested), &other);
    REQUIRE((there.get(1)->contains(2) && there.get(1)->get_allocator().resource() == &other && nested.empty()));
    there.write(3).modify(1).add(9);
    Dict<std::pmr::string> copy(texts, &other), moved(std::move(texts), &other);
    REQUIRE((copy == moved && copy.at(1).get_allocator().resource() == &other));
    REQUIRE(moved.at(1).get_allocator().resource() == &other);
    std::pmr::map<int, Dict<Set>> by_number(&other);
    by_number[1].write(1).create(5);
    REQUIRE(by_number[1].get(5)->get_allocator().resource() == &other);
}

TEST_CASE("described maps and sets take the memory of the vector that holds them", "[any_storage][allocator]") {
    const test::NoDefaultResource nothing;
    test::CountingResource arena, other;
    using Map = BasicAnyMapStorage<AllocBy<Pmr<>>>;
    using Any = BasicAnySetStorage<AllocBy<Pmr<>>>;
    std::pmr::vector<Map> maps(&arena);
    std::pmr::vector<Any> sets(&arena);
    for (int i = 0; i != 5; ++i) {
        maps.emplace_back(TypeDescriptor::of<int>(), TypeDescriptor::of<int>()).insert(&i, &i);
        sets.emplace_back(TypeDescriptor::of<int>()).insert(&i);
    }
    const std::pmr::vector<Map> moved(std::move(maps), &other);
    const std::pmr::vector<Any> copied(sets, &other);
    for (int i = 0; i != 5; ++i) {
        const auto at = static_cast<std::size_t>(i);
        REQUIRE((*static_cast<const int*>(moved[at].get(&i)) == i && moved[at].get_allocator().resource() == &other));
        REQUIRE((sets[at].contains(&i) && sets[at].get_allocator().resource() == &arena));
        REQUIRE((copied[at].contains(&i) && copied[at].get_allocator().resource() == &other));
    }
}

TEST_CASE("columns take the memory of the vector that holds them", "[value_array][delta_tracker][allocator]") {
    const test::NoDefaultResource nothing;
    test::CountingResource arena, other;
    const auto column_of = []<class T>(std::pmr::vector<ValueArray<T, Pmr<T>>>& all, T value) {
        auto& column = all.emplace_back();
        column.on_capacity(0, 128);
        column.construct(70, std::move(value));
    };
    std::pmr::vector<ValueArray<int, Pmr<int>>> numbers(&arena);
    std::pmr::vector<ValueArray<std::pmr::string, Pmr<std::pmr::string>>> texts(&arena);
    for (int i = 0; i != 5; ++i) {
        column_of(numbers, i);
        column_of(texts, std::pmr::string(long_text, &other));
    }
    const std::pmr::vector<ValueArray<int, Pmr<int>>> more_numbers(std::move(numbers), &other);
    const std::pmr::vector<ValueArray<std::pmr::string, Pmr<std::pmr::string>>> more_texts(std::move(texts), &other);
    for (std::size_t i = 0; i != 5; ++i) {
        REQUIRE((more_numbers[i][70] == static_cast<int>(i) && more_numbers[i].get_allocator().resource() == &other));
        REQUIRE((more_texts[i][70] == long_text && more_texts[i][70].get_allocator().resource() == &other));
    }
    struct Huge { // fewer than 64 on a page
        int value[1 << 16];
    };
    ValueArray<Huge, Pmr<Huge>> huge{Pmr<Huge>(&arena)};
    huge.on_capacity(0, 64);
    huge.construct(63);
    huge[63].value[7] = 9;
    const ValueArray<Huge, Pmr<Huge>> elsewhere(std::move(huge), &other);
    REQUIRE(elsewhere[63].value[7] == 9);
    struct Plain { // neither destroyed nor copied as bytes: who is there is not known
        int value = 0;
        Plain() = default;
        Plain(const Plain& from) : value(from.value) {}
    };
    ValueArray<Plain, Pmr<Plain>> none{Pmr<Plain>(&arena)}, taken(std::move(none), &other);
    REQUIRE(taken.get_allocator().resource() == &other);

    using Tracker = DeltaTracker<std::int64_t, DeltaRepresentation::adaptive, Pmr<>>;
    std::pmr::vector<Tracker> trackers(&arena);
    for (int i = 0; i != 5; ++i) {
        Tracker& tracker = trackers.emplace_back();
        tracker.on_capacity(0, 64);
        tracker.open(1);
        tracker.on_insert(3, InsertKind::fresh);
    }
    std::pmr::vector<Tracker> more(std::move(trackers), &other), copies(more, &arena);
    for (std::size_t i = 0; i != 5; ++i) REQUIRE((more[i].was_added(3, 1) && copies[i].was_added(3, 1)));
    for (const Tracker& from : trackers) REQUIRE_FALSE(from.current(1));
    using Observers = ObserverArray<int, AllocBy<Pmr<int>>>;
    std::pmr::vector<Observers> observers(&arena);
    for (int i = 0; i != 5; ++i) observers.emplace_back().cover(64);
    REQUIRE(arena.out != 0);
}

#if defined(__cpp_exceptions)
TEST_CASE("what throws on its way into other memory is still where it was, and nothing leaks", "[series][allocator][throws]") {
    const auto series = []<class Series>(std::type_identity<Series>) {
        const auto make = [](const auto& alloc) {
            Series made(alloc);
            for (int i = 0; i != 70; ++i) made.write(1).add(i);
            made.write(2).remove(3);
            return made;
        };
        const auto state = make(typename Series::allocator_type(3)).snapshot();
        fail_into_other_memory<Series>(make, [&](const Series& s) { return s.check_invariants() && s.snapshot() == state; });
    };
    series(std::type_identity<TSSStorage<int, AllocBy<Failing<int>>>>());
    using Dict = TSDStorage<int, int, AllocBy<Failing<int>>>;
    fail_into_other_memory<Dict>(
        [](const auto& alloc) {
            Dict made(alloc);
            for (int i = 0; i != 70; ++i) made.write(1).set(i, i);
            return made;
        },
        [](const Dict& dict) { return dict.check_invariants() && dict.size() == 70 && dict.at(69) == 69; });
    using Tracker = DeltaTracker<std::int64_t, DeltaRepresentation::adaptive, Failing<std::byte>>;
    fail_into_other_memory<Tracker>(
        [](const auto& alloc) {
            Tracker made(alloc);
            made.on_capacity(0, 64);
            made.open(1);
            made.on_insert(3, InsertKind::fresh);
            return made;
        },
        [](const Tracker& tracker) { return tracker.was_added(3, 1); });
    using Column = ValueArray<test::Tracked, Failing<test::Tracked>>;
    fail_into_other_memory<Column>(
        [](const auto& alloc) {
            Column made(alloc);
            made.on_capacity(0, 64);
            made.construct(3, 7);
            return made;
        },
        [](const Column& column) { return column[3].value() == 7; });
}

TEST_CASE("what takes its allocator along may run out of it: that is an exception, and nothing is lost twice",
          "[map][allocator]") {
    test::CountingResource arena;
    using Map = MapStorage<std::pmr::string, std::pmr::string, AllocBy<Pmr<>>>;
    std::size_t failures = 0;
    for (std::size_t allowed = 0;; ++allowed) {
        Map map;
        map.insert(std::pmr::string(long_text), std::pmr::string(long_text));
        arena.left = allowed;
        try {
            std::pmr::string key("another long text that does not lie in the string"), value(long_text);
            Map moved(std::move(map), &arena);
            moved.insert(std::move(key), std::move(value));
            arena.left = ~std::size_t{0};
            REQUIRE((moved.size() == 2 && moved.check_invariants() && moved.at(long_text) == long_text));
            break;
        } catch (const std::bad_alloc&) {
            ++failures;
            REQUIRE(map.check_invariants());
        }
        REQUIRE(arena.out == 0);
    }
    REQUIRE(failures > 4);
}
#endif
