// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What members of series throw, as their comments say it, and what iterators and ranges survive. Strong guarantees of writers
// are in throwing_series*.cpp.
#include "support/catch.hpp"

#if defined(__cpp_exceptions)
#include "throwing_series.hpp"

#include "support/maps.hpp"
#include "support/thrown.hpp"

#include <slotwise/series/capture.hpp>
#include <slotwise/series/delta.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <optional>
#include <stdexcept>

using namespace test;

namespace {

using Keys = SetOf<ThrowingCopy, DeltaRepresentation::adaptive>;
using Values = DictOf<ThrowingCopy, ThrowingCopy, DeltaRepresentation::adaptive>;
using Numbers = TSSStorage<int>;
using Prices = TSDStorage<int, int>;

bool begins(const std::string& text, const char* words) { return text.find(words) == 0; }

/// Members 0 to 19; window 2 adds 20 to 24, removes 0 to 4 and, of a dictionary, writes 5 to 9.
template <class Series>
void fill(Series& series) {
    using Key = typename Series::key_type;
    const auto enter = [](auto& w, int n) {
        if constexpr (requires { w.set(Key(n), 10 * n); })
            w.set(Key(n), 10 * n);
        else
            w.add(Key(n));
    };
    {
        auto w = series.write(1);
        for (int i = 0; i != 20; ++i) enter(w, i);
    }
    auto w = series.write(2);
    for (int i = 0; i != 5; ++i) w.remove(Key(i));
    for (int i = 5; i != 10; ++i) enter(w, i);
    for (int i = 20; i != 25; ++i) enter(w, i);
}

} // namespace

TEMPLATE_TEST_CASE("lookups in a series throw what hash and equality throw, and change nothing", "[promises][throwing]", Keys,
                   Values) {
    using Key = typename TestType::key_type;
    NothingLeaks objects;
    TestType series;
    fill(series);
    const auto before = series.snapshot(NumberCodec{});
    for (const int n : {3, 10, 22, 77}) {
        const Key key(n);
        const bool member = n == 10 || n == 22;
        const auto failures = fail_at_every_step([&](auto&& attempt) {
            attempt([&] {
                if (series.contains(key) != member || series.valid(key) != member || series.was_added(key, 2) != (n == 22))
                    FAIL("wrong answer");
            });
        });
        CHECK(failures >= (n == 77 ? 3u : 6u)); // three hashes, and a comparison each where the key is, removed ones too
        CHECK(failures <= 6);
    }
    REQUIRE(series.snapshot(NumberCodec{}) == before);
    REQUIRE(series.check_invariants());
}

TEST_CASE("subscribing without memory throws bad_alloc, and earlier subscribers are still notified", "[promises][throwing]") {
    const auto subscribe = [](int how, const Prices& dict, const Numbers& set, Listener& listener) {
        switch (how) {
        case 0:
            return dict.subscribe(listener);
        case 1:
            return dict.subscribe_keys(listener);
        case 2:
            return dict.view().subscribe(listener);
        case 3:
            return dict.keys().subscribe(listener);
        case 4:
            return set.subscribe(listener);
        default:
            return set.view().subscribe(listener);
        }
    };
    for (int how = 0; how != 6; ++how)
        for (const std::size_t there : {std::size_t{0}, std::size_t{1}, std::size_t{8}}) {
            const auto failures = run_out_of_memory([&](auto&& attempt) {
                Prices dict;
                Numbers set;
                Listener first("a"), second("b");
                std::vector<Subscription<>> tokens;
                for (std::size_t i = 0; i != there; ++i) tokens.push_back(subscribe(how, dict, set, first));
                Subscription<> token;
                const bool threw = attempt([&] { token = subscribe(how, dict, set, second); });
                dict.write(1).set(1, 10);
                set.write(1).add(1);
                REQUIRE(token.attached() == !threw);
                REQUIRE(first.told == there);
                REQUIRE(second.told == (threw ? 0u : 1u));
                TickLog::take();
            });
            if (there == 0) REQUIRE(failures > 0);
        }
}

TEMPLATE_TEST_CASE("a swap of series whose allocators are equal calls nothing that could throw", "[promises][throwing]", Keys,
                   Values) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    TestType a, b;
    fill(a);
    STATIC_REQUIRE(noexcept(a.swap(b)));
    const std::size_t calls = Budget::calls();
    a.swap(b);
    REQUIRE(Budget::calls() == calls);
    REQUIRE(a.empty());
    REQUIRE(b.size() == 20);
    REQUIRE((a.check_invariants() && b.check_invariants()));
}

TEST_CASE("asking whether someone waits for a key throws what hash and equality throw", "[promises][throwing]") {
    using Key = ThrowingCopy;
    using Array = ObserverArray<Key, HashBy<FailingHash<Key>>, EqualBy<FailingEqual>, AllocBy<ThrowingAllocator<Key>>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    Array array;
    Listener listener("a");
    const Key waited(7), other(8);
    const auto token = array.subscribe(waited, no_slot, listener);
    REQUIRE(fail_at_every_step([&](auto&& attempt) {
                bool expected = true;
                if (!attempt([&] { expected = array.is_watched(waited); })) REQUIRE(expected);
            }) == 2);
    REQUIRE(fail_at_every_step([&](auto&& attempt) {
                bool expected = false;
                if (!attempt([&] { expected = array.is_watched(other); })) REQUIRE_FALSE(expected);
            }) == 1);
    REQUIRE(array.is_watched(waited));
}

TEST_CASE("a move of subscribers into another allocator's memory that throws leaks nothing; else all are there",
          "[promises][throwing]") {
    using Key = Throwing;
    using Memory = StatefulAllocator<Key, Propagation{.throws = true}>;
    using Array = ObserverArray<Key, HashBy<FailingHash<Key>>, EqualBy<FailingEqual>, AllocBy<Memory>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step([](auto&& attempt) {
        TickLog::take();
        Array array(Memory(1));
        Listener listener("a");
        const auto of_key = array.subscribe(Key(7), 70, listener), waiting = array.subscribe(Key(8), no_slot, listener);
        const auto of_slot = array.subscribe_slot(300, listener);
        {
            std::optional<Array> moved;
            const bool threw = attempt([&] { moved.emplace(std::move(array), Memory(2)); });
            REQUIRE(moved.has_value() == !threw);
            if (moved) {
                REQUIRE(array.unused());
                REQUIRE((of_key.attached() && waiting.attached() && of_slot.attached()));
                const Key key(7);
                moved->mark(70);
                moved->mark(300);
                moved->notify(
                    1, 1, [](slot_t) {}, [&](slot_t) -> const Key& { return key; });
                REQUIRE(listener.told == 2);
            }
        }
        array.on_reset(); // whoever was lost or not: nobody is left
        REQUIRE_FALSE((of_key.attached() || waiting.attached() || of_slot.attached()));
    });
    REQUIRE(failures > 4);
    TickLog::take();
}

TEST_CASE("a full series throws length_error, which says what to do, without effect", "[promises][throwing]") {
    constexpr SeriesOptions full{.page_slots = 64, .max_slots = 64};
    TSDStorage<int, int, Options<full>> dict;
    TSSStorage<int, Options<full>> set;
    for (int i = 0; i != 64; ++i) {
        dict.write(1).set(i, i);
        set.write(1).add(i);
    }
    const auto before = dict.snapshot();
    const char* const words = "keyed container insert: every slot that the handle can name is in use, pending or retired";
    REQUIRE(begins(thrown_text<std::length_error>([&] { dict.write(1).set(100, 0); }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { dict.write(1).create(100); }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { dict.write(1).insert(100, 0); }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { dict.write(1).try_emplace(100, 0); }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { dict.write(1).emplace(100, 0); }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { dict.write(1)[100] = 0; }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.write(1).add(100); }), words));
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.reserve(65); }), "keyed container reserve(count)"));
    REQUIRE(begins(thrown_text<std::length_error>([&] { set.write(1).reserve(65); }), "keyed container reserve(count)"));
    REQUIRE(dict.snapshot() == before);
    REQUIRE(set.size() == 64);
    REQUIRE((dict.check_invariants() && set.check_invariants()));
}

TEST_CASE("what asks a series for an element that is not there throws out_of_range, which says what to do", "[promises]") {
    Prices dict;
    dict.write(1).set(1, 10);
    dict.write(2).remove(1);
    Listener listener("a");
    REQUIRE(
        begins(thrown_text<std::out_of_range>([&] { static_cast<void>(dict.at(1)); }), "map at(key): no element has this key"));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { dict.write(2).modify(1); }),
                   "series modify(key): no element has this key; create(key) or set(key, value)"));
    REQUIRE(begins(thrown_text<std::out_of_range>([&] { static_cast<void>(dict.subscribe_slot(0, listener)); }),
                   "series subscribe_slot(slot): the slot is not live; subscribe to a key"));
    REQUIRE(dict.check_invariants());
}

TEST_CASE("iterators of a series stay with their element over writes, windows and growth", "[promises]") {
    Prices dict;
    Numbers set;
    for (int i = 0; i != 10; ++i) {
        dict.write(1).set(i, 10 * i);
        set.write(1).add(i);
    }
    const auto it = dict.find(5);
    const auto key = set.find(5);
    for (int time = 2; time != 20; ++time) {
        auto w = dict.write(time);
        auto v = set.write(time);
        for (int i = 0; i != 500; ++i) w.set(1000 * time + i, i), v.add(1000 * time + i);
        for (int i = 0; i != 400; ++i) w.remove(1000 * (time - 1) + i), v.remove(1000 * (time - 1) + i);
        w.set(5, time);
        REQUIRE(it->key == 5);
        REQUIRE(it->value == time);
        REQUIRE(*key == 5);
        REQUIRE(std::next(it)->key == 6);
        REQUIRE(*std::next(key) == 6);
    }
    dict.write(20).remove(6);
    set.write(20).remove(6);
    REQUIRE(std::next(it)->key == 7);
    REQUIRE(*std::next(key) == 7);
}

TEST_CASE("what ranges read is in its place until the tracker moves, and a range made after a move reads the same",
          "[promises]") {
    Prices dict;
    fill(dict);
    const auto& words = dict.tracker().words();
    const auto added = dict.added_keys(2);
    const std::vector<int> before(added.begin(), added.end());
    REQUIRE(before.size() == 5);
    dict.write(2).set(6, 66); // a write that neither grows nor happens during the walk
    REQUIRE(std::vector<int>(added.begin(), added.end()) == before);
    dict.reserve(100'000);
    REQUIRE(&dict.tracker().words() == &words);
    const auto again = dict.added_keys(2);
    REQUIRE(std::vector<int>(again.begin(), again.end()) == before);
    const Prices moved(std::move(dict));
    REQUIRE(&moved.tracker().words() != &words);
    const auto there = moved.added_keys(2);
    REQUIRE(std::vector<int>(there.begin(), there.end()) == before);
}
#endif
