// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what opens windows, captures, composes and applies.
#include "subjects.hpp"
#include "throwing_series.hpp"

#include "support/maps.hpp"
#include "support/thrown.hpp" // with promises_series.cpp, whose global operator new can fail

#include <slotwise/series/apply_delta.hpp>

using namespace test;

namespace {

template <class Subject>
using failing = typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;
using Sets = TimeSets<Throwing, FailingHash<Throwing>, FailingEqual, DeltaRepresentation::dirty_list>;
using Dicts = TimeDicts<Throwing, ThrowingCopy, FailingHash<Throwing>, FailingEqual, DeltaRepresentation::bitmap>;

/// act(series) either has no effect, or (where `part` says so) some; the series is sound, and the next window opens.
template <class Subject, class Act>
void sweep(const Swept& what, bool part, Act act) {
    using Series = failing<Subject>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(what, [&](auto&& attempt) {
        Series series = sample<Subject, Series>(1, 0, 40);
        const Contents before = Subject::contents(series);
        const bool threw = attempt([&] { act(series); });
        demand(series.check_invariants(), "it is not sound");
        if (threw && !part) demand(Subject::contents(series) == before, "it has other contents although it threw");
        Subject::fill(series, 500, 10);
        demand(series.check_invariants(), "it is not sound in the next window");
    });
    demand(failures != 0, "nothing threw");
}

/// Keys and values as their numbers. Each step may fail.
struct FailingCodec {
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        Budget::spend();
        if constexpr (requires { value.value(); })
            DefaultCodec::write(value.value(), out);
        else
            DefaultCodec::write(value, out);
    }
    template <class T>
    static T read(ByteReader& in) {
        Budget::spend();
        if constexpr (requires(const T& value) { value.value(); })
            return T(DefaultCodec::read<int>(in));
        else
            return DefaultCodec::read<T>(in);
    }
};

} // namespace

TEMPLATE_TEST_CASE("opening and joining windows, closing, touching and clearing call nothing that throws", "[throwing][throws]",
                   Sets, Dicts) {
    using Series = failing<TestType>;
    Series series = sample<TestType, Series>(1, 0, 40);
    const auto window = series.window();
    calls_nothing_that_throws(swept<Series>("write"), [&] {
        series.write(window).close();
        series.write(window + 1).close();
    });
    calls_nothing_that_throws(swept<Series>("write_late"), [&] { series.write_late(window).close(); });
    calls_nothing_that_throws(swept<typename Series::writer>("touch"), [&] { series.write(window + 1).touch(); });
    REQUIRE(series.last_modified() == window + 1);
    calls_nothing_that_throws(swept<typename Series::writer>("clear"), [&] { series.write(window + 2).clear(); });
    REQUIRE(series.empty());
    calls_nothing_that_throws(swept<typename Series::writer>("invalidate"), [&] { series.write(window + 3).invalidate(); });
    REQUIRE_FALSE(series.valid());
    never_throws<std::is_nothrow_default_constructible_v<SeriesTick<>>>(swept<SeriesTick<>>("()"));
    REQUIRE(series.check_invariants());
}

TEST_CASE("an apply to a dictionary that throws: what was done stays, and the delta is true", "[throwing][throws]") {
    using Series = failing<Dicts>;
    typename Series::delta_type delta;
    for (const int key : {300, 301}) {
        delta.added.emplace_back(key);
        delta.modified.emplace_back(Throwing(key), ThrowingCopy(key));
    }
    delta.modified.emplace_back(Throwing(0), ThrowingCopy(7));
    for (const int key : {1, 2}) delta.removed.emplace_back(key);
    delta.reset.emplace_back(3);
    sweep<Dicts>(swept<typename Series::writer>("apply"), true,
                 [&](Series& series) { series.write(series.window()).apply(delta); });
}

TEST_CASE("a delta that throws on its way to a replica: the window opens only after all that may run out of memory",
          "[throwing][throws]") {
    const auto run = []<class Subject>(std::type_identity<Subject>) {
        using Series = failing<Subject>;
        using Delta = typename Series::delta_type;
        NothingLeaks objects;
        EveryByteReturned all_bytes;
        Series original = sample<Subject, Series>(1, 0, 40);
        const auto from = original.window();
        {
            auto w = original.write(from + 1);
            for (int key = 500; key != 510; ++key)
                if constexpr (std::is_same_v<Subject, Sets>)
                    w.add(Throwing(key));
                else
                    w.set(Throwing(key % 2 == 0 ? key : key - 490), ThrowingCopy(key));
            for (const int key : {0, 1, 2}) w.remove(Throwing(key));
        }
        const auto delta = capture(original, original.window());
        const auto bytes = delta.to_bytes(from, FailingCodec());
        const auto count = [&](const char* function, auto&& act) {
            const auto failures = fail_at_every_step(swept<Delta>(function), [&](auto&& attempt) { attempt([&] { act(); }); });
            REQUIRE(failures > 3);
        };
        count("to_bytes", [&] { static_cast<void>(delta.to_bytes(from, FailingCodec())); });
        count("from_bytes", [&] { static_cast<void>(Delta::from_bytes(bytes, FailingCodec())); });
        count("try_from_bytes", [&] { static_cast<void>(Delta::try_from_bytes(bytes, FailingCodec())); });
        const auto apply = [&](const char* function, auto&& act) {
            std::size_t before_window = 0;
            const auto failures = fail_at_every_step(swept(function), [&](auto&& attempt) {
                Series replica = sample<Subject, Series>(1, 0, 40);
                const Contents before = Subject::contents(replica);
                const bool threw = attempt([&] { act(replica); });
                demand(replica.check_invariants(), "it is not sound");
                if (threw && replica.window() == from) {
                    ++before_window;
                    demand(Subject::contents(replica) == before, "it has other contents and no new window");
                }
                if (!threw) demand(Subject::contents(replica) == Subject::contents(original), "it differs");
            });
            REQUIRE((failures > before_window && before_window > 10));
        };
        apply("apply_delta", [&](Series& replica) { apply_delta(replica, delta, from); });
        apply("apply_delta", [&](Series& replica) { apply_delta(replica, Delta(delta), from); });
        apply("apply_delta", [&](Series& replica) { apply_delta(replica, bytes, Strictness::strict, FailingCodec()); });
        apply("try_apply_delta", [&](Series& replica) {
            static_cast<void>(try_apply_delta(replica, bytes, Strictness::lenient, FailingCodec()));
        });
    };
    run(std::type_identity<Sets>());
    run(std::type_identity<Dicts>());
}

#if defined(__cpp_exceptions)
TEST_CASE("bytes of a delta that is applied without memory change nothing", "[throwing][throws]") {
    const auto run = []<DeltaRepresentation R>(std::integral_constant<DeltaRepresentation, R>) {
        using Dict = TSDStorage<std::string, std::string, Options<SeriesOptions{.delta = R}>>;
        const auto text = [](int number) { return "a text that lives on the heap, number " + std::to_string(number); };
        Dict original;
        {
            auto w = original.write(1);
            for (int i = 0; i != 30; ++i) w.set(text(i), text(i));
        }
        const Dict before = original;
        {
            auto w = original.write(2);
            for (int i = 20; i != 90; ++i) w.set(text(i), text(-i));
            for (int i = 0; i != 10; ++i) w.remove(text(i));
        }
        const auto bytes = capture(original).to_bytes(1);
        const auto failures = run_out_of_memory([&](auto&& attempt) {
            Dict replica = before;
            const bool threw = attempt([&] { apply_delta(replica, bytes); });
            REQUIRE(replica.window() == (threw ? 1 : 2));
            REQUIRE((replica == (threw ? before : original) && replica.check_invariants()));
        });
        REQUIRE(failures > 20);
    };
    run(std::integral_constant<DeltaRepresentation, DeltaRepresentation::adaptive>());
    run(std::integral_constant<DeltaRepresentation, DeltaRepresentation::dirty_list>());
    run(std::integral_constant<DeltaRepresentation, DeltaRepresentation::bitmap>());
}

namespace {

using Numbers = TSDStorage<int, int>;
using NumberSet = TSSStorage<int>;
using Texts = TSDStorage<std::string, std::string>;

/// How a replica gets a delta.
enum class Form : std::uint8_t { bytes, lvalue, rvalue, lenient_bytes, lenient_lvalue, lenient_rvalue, writer };
constexpr Form all_forms[] = {Form::bytes,          Form::lvalue,         Form::rvalue, Form::lenient_bytes,
                              Form::lenient_lvalue, Form::lenient_rvalue, Form::writer};

template <class Series>
void apply_by(Form form, Series& replica, const typename Series::delta_type& delta, const std::vector<std::byte>& bytes) {
    using Delta = typename Series::delta_type;
    constexpr auto lenient = Strictness::lenient;
    switch (form) {
    case Form::bytes:
        return static_cast<void>(apply_delta(replica, bytes));
    case Form::lvalue:
        return static_cast<void>(apply_delta(replica, delta, 1));
    case Form::rvalue:
        return static_cast<void>(apply_delta(replica, Delta(delta), 1));
    case Form::lenient_bytes:
        return static_cast<void>(try_apply_delta(replica, bytes, lenient));
    case Form::lenient_lvalue:
        return static_cast<void>(try_apply_delta(replica, delta, 1, lenient));
    case Form::lenient_rvalue:
        return static_cast<void>(try_apply_delta(replica, Delta(delta), 1, lenient));
    case Form::writer:
        return replica.write(2).apply(delta);
    }
}
template <class Key>
Key key_of(int number) {
    if constexpr (std::is_same_v<Key, int>)
        return number;
    else
        return "a text that lives on the heap, number " + std::to_string(number);
}
template <class Writer, class Series>
void make_member(Writer& w, std::type_identity<Series>, int number) {
    const auto key = key_of<typename Series::key_type>(number);
    if constexpr (std::is_same_v<Series, NumberSet>)
        w.add(key);
    else
        w.set(key, key);
}

/// Listener takes memory for its log.
struct Counting final : SeriesSubscriber<> {
    int told = 0;
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override { ++told; }
};

/// Fails each allocation of an apply to `had` members that adds `more` and, if so, removes the first half of them.
template <class Series>
void apply_without_memory(int had, int more, Form form, bool removes, bool subscribed) {
    CAPTURE(had, more, static_cast<int>(form), removes, subscribed);
    using Key = typename Series::key_type;
    constexpr std::type_identity<Series> type;
    Series original;
    {
        auto w = original.write(1);
        for (int i = 0; i != had; ++i) make_member(w, type, i);
    }
    const Series before = original;
    {
        auto w = original.write(2);
        for (int i = had; i != had + more; ++i) make_member(w, type, i);
        for (int i = 0; removes && i != had / 2; ++i) w.remove(key_of<Key>(i));
    }
    const auto delta = capture(original);
    const auto bytes = delta.to_bytes(1);
    const auto failures = run_out_of_memory([&](auto&& attempt) {
        Series replica = before;
        Counting listener;
        Subscription<> token;
        if (subscribed) token = replica.subscribe(key_of<Key>(had), listener);
        const bool threw = attempt([&] { apply_by(form, replica, delta, bytes); });
        demand(replica.check_invariants(), "it is not sound");
        // A writer has opened its window before.
        if (threw) demand(replica == before && replica.window() == (form == Form::writer ? 2 : 1), "it threw and has changed");
        if (threw) apply_by(form, replica, delta, bytes);
        demand(replica == original, "it is not the original");
    });
    REQUIRE(failures > 0);
}

} // namespace

TEMPLATE_TEST_CASE("a delta of any size that is applied without memory changes nothing, in every form", "[throwing][throws]",
                   NumberSet, Numbers, Texts) {
    for (const Form form : all_forms) {
        if (form == Form::writer && std::is_same_v<TestType, Texts>) continue; // copies of its keys throw in the open window
        for (const bool removes : {false, true})
            for (const int had : {1, 10, 22, 37, 58, 130})
                for (const int more : {1, 30, 57, 64, 120})
                    apply_without_memory<TestType>(had, more, form, removes, more % 2 == 0);
    }
}
TEST_CASE("a delta whose values throw when they are copied changes nothing", "[throwing][throws]") {
    using Dict = TSDStorage<int, ThrowingCopy>;
    Dict original;
    for (auto w = original.write(1); const int i : {1, 2, 3}) w.set(i, ThrowingCopy(i));
    const Dict before = original;
    for (auto w = original.write(2); const int i : {1, 2, 7, 8, 9}) w.set(i, ThrowingCopy(10 * i));
    const auto delta = capture(original);
    const auto failures = fail_at_every_step([&](auto&& attempt) {
        Dict replica = before;
        const bool threw = attempt([&] { apply_delta(replica, delta, 1); });
        REQUIRE(replica.window() == (threw ? 1 : 2));
        REQUIRE(replica == (threw ? before : original));
        REQUIRE(apply_delta(replica, delta, 1) == (threw ? Applied::done : Applied::already));
        REQUIRE(replica == original);
    });
    REQUIRE(failures >= 5);
}
#endif

TEST_CASE("a pop or an invalidate that throws has no effect", "[throwing][throws]") {
    using Series = failing<Dicts>;
    sweep<Dicts>(swept<typename Series::writer>("pop"), false,
                 [](Series& series) { static_cast<void>(series.write(series.window()).pop(Throwing(3))); });
    sweep<Dicts>(swept<typename Series::writer>("invalidate"), false,
                 [](Series& series) { static_cast<void>(series.write(series.window()).invalidate(Throwing(3))); });
}

TEST_CASE("an assign, reconcile or apply by key that throws: what was done stays, and the series is sound",
          "[throwing][throws]") {
    using Set = failing<Sets>;
    using Dict = failing<Dicts>;
    sweep<Sets>(swept("capture_state"), false, [](Set& set) { static_cast<void>(capture_state(set)); });
    sweep<Dicts>(swept("capture_state"), false, [](Dict& dict) { static_cast<void>(capture_state(dict)); });
    const auto members = capture_state(sample<Sets, Set>(1, 20, 40));
    const auto items = capture_state(sample<Dicts, Dict>(1, 20, 40));
    sweep<Sets>(swept<typename Set::writer>("reconcile"), true, [&](Set& set) { set.write(set.window()).reconcile(members); });
    sweep<Dicts>(swept<typename Dict::writer>("reconcile"), true,
                 [&](Dict& dict) { dict.write(dict.window()).reconcile(items); });
    sweep<Sets>(swept<typename Set::writer>("assign"), true, [&](Set& set) { set.write(set.window()).assign(members.added); });
    sweep<Dicts>(swept<typename Dict::writer>("assign"), true,
                 [&](Dict& dict) { dict.write(dict.window()).assign(items.modified); });
    const auto mode_of = [](const Throwing& key) {
        Budget::spend();
        return static_cast<void>(key), Strictness::lenient;
    };
    sweep<Sets>(swept<typename Set::writer>("apply"), true, [&](Set& set) { set.write(set.window()).apply(members, mode_of); });
    sweep<Dicts>(swept<typename Dict::writer>("apply"), true,
                 [&](Dict& dict) { dict.write(dict.window()).apply(items, mode_of); });
}

TEST_CASE("a capture that throws leaves the series, and composing leaves the deltas", "[throwing][throws]") {
    using Set = failing<Sets>;
    using Dict = failing<Dicts>;
    sweep<Sets>(swept("capture"), false, [](Set& set) { static_cast<void>(capture(set)); });
    sweep<Dicts>(swept("capture"), false, [](Dict& dict) { static_cast<void>(capture(dict, dict.window())); });

    NothingLeaks objects;
    const auto run = []<class Series>(Series& series, auto fill) {
        const auto first = capture(series, series.window());
        fill(series);
        const auto second = capture(series, series.window());
        const auto failures = fail_at_every_step(swept("compose"), [&](auto&& attempt) {
            attempt([&] { static_cast<void>(compose(first, second, FailingHash<Throwing>(), FailingEqual())); });
        });
        REQUIRE(failures > 20);
        const auto comparisons = fail_at_every_step(swept("equal_deltas"), [&](auto&& attempt) {
            bool same = false;
            const bool threw = attempt([&] { same = equal_deltas(first, first, FailingHash<Throwing>(), FailingEqual()); });
            REQUIRE(same == !threw);
        });
        REQUIRE(comparisons > 20);
    };
    Set set = sample<Sets, Set>(1, 0, 40);
    Dict dict = sample<Dicts, Dict>(1, 0, 40);
    run(set, [](Set& series) { Sets::fill(series, 20, 30); });
    run(dict, [](Dict& series) { Dicts::fill(series, 20, 30); });
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("a subscription to a series that throws is none", "[throwing][throws]", Sets, Dicts) {
    using Series = failing<TestType>;
    const auto run = [](const char* function, auto&& subscribe) {
        const auto one = [&](auto&& attempt) {
            TickLog::take();
            Series series = sample<TestType, Series>(1, 0, 40);
            Listener listener("a");
            Subscription<> token;
            const bool threw = attempt([&] { token = subscribe(series, listener); });
            REQUIRE(token.attached() == !threw);
            {
                auto w = series.write(series.window() + 1);
                w.remove(Throwing(0));
                if constexpr (std::is_same_v<TestType, Sets>)
                    w.add(Throwing(4));
                else
                    w.create(Throwing(4));
            }
            REQUIRE((listener.told != 0) == !threw);
            REQUIRE(series.check_invariants());
        };
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(one) + run_out_of_memory(one);
        REQUIRE(failures > 0);
        report_sweep(swept<Series>(function), failures);
    };
    run("subscribe", [](Series& series, Listener& listener) { return series.subscribe(listener); });
    run("subscribe", [](Series& series, Listener& listener) { return series.subscribe(Throwing(0), listener); });
    run("subscribe", [](Series& series, Listener& listener) { return series.subscribe(Throwing(4), listener); });
    run("subscribe_slot", [](Series& series, Listener& listener) { return series.subscribe_slot(0, listener); });
    if constexpr (std::is_same_v<TestType, Dicts>)
        run("subscribe_keys", [](Series& series, Listener& listener) { return series.subscribe_keys(listener); });
    TickLog::take();
}
#endif

TEST_CASE("an array of subscribers whose memory, hash, equality or key throws has the subscribers it had",
          "[throwing][throws]") {
    using Array =
        ObserverArray<Throwing, HashBy<FailingHash<Throwing>>, EqualBy<FailingEqual>, AllocBy<ThrowingAllocator<Throwing>>>;
    const FailingHash<Throwing> hash;
    const FailingEqual equal;
    const auto run = [&](const char* function, auto&& act) {
        NothingLeaks objects;
        EveryByteReturned bytes;
        const auto failures = fail_at_every_step(swept<Array>(function), [&](auto&& attempt) {
            Array array;
            Listener there("there"), late("late");
            const auto token = array.subscribe(Throwing(10), 1, there, hash, equal);
            const auto of_slot = array.subscribe_slot(2, there, hash, equal);
            Subscription<> other;
            const bool threw = attempt([&] { act(array, late, other); });
            const bool slots_go = !threw && std::string(function) == "rewatch";
            REQUIRE(token.attached());
            REQUIRE(of_slot.attached() == !slots_go);
            REQUIRE(array.mark_always(1));
            REQUIRE((slots_go || array.mark_always(2)));
            const Throwing key(10);
            array.notify(
                1, 1, [](slot_t) {}, [&](slot_t) -> const Throwing& { return key; });
            REQUIRE(there.told == (slots_go ? 1u : 2u));
        });
        REQUIRE(failures > 0);
        TickLog::take();
    };
    run("subscribe", [&](Array& array, Listener& late, Subscription<>& token) {
        token = array.subscribe(Throwing(900), 5000, late, hash, equal);
    });
    run("subscribe_slot",
        [&](Array& array, Listener& late, Subscription<>& token) { token = array.subscribe_slot(5000, late, hash, equal); });
    run("cover", [&](Array& array, Listener&, Subscription<>&) { array.cover(20'000, hash, equal); });
    run("rewatch", [&](Array& array, Listener&, Subscription<>&) {
        array.rewatch([](const Throwing& key) {
            Budget::spend();
            return key.value() == 10 ? slot_t{1} : no_slot;
        });
    });
}

TEST_CASE("subscribers that move to another allocator and throw leak nothing, and the array lives on", "[throwing][throws]") {
    using Allocator = StatefulAllocator<Throwing, Propagation{.throws = true}>;
    using Array = ObserverArray<Throwing, HashBy<FailingHash<Throwing>>, EqualBy<FailingEqual>, AllocBy<Allocator>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<Array>("(move, allocator)"), [](auto&& attempt) {
        Array array{Allocator(1)};
        Listener there("there");
        const auto token = array.subscribe(Throwing(10), 1, there);
        const auto of_slot = array.subscribe_slot(2, there);
        attempt([&] { const Array moved(std::move(array), Allocator(2)); });
        const auto late = array.subscribe(Throwing(20), 3, there); // NOLINT(bugprone-use-after-move)
        REQUIRE(late.attached());
        REQUIRE(array.mark_always(3));
    });
    REQUIRE(failures > 0);
}

TEST_CASE("a delta tracker's window opens without a call that throws; its copy that throws leaves it", "[throwing][throws]") {
    using Set = SetStorage<int, Options<KeySetOptions{.deferred_erase = true}>, AllocBy<ThrowingAllocator<int>>,
                           DeltaTracker<std::int64_t, DeltaRepresentation::dirty_list, ThrowingAllocator<std::byte>>>;
    using Tracker = DeltaTracker<std::int64_t, DeltaRepresentation::dirty_list, ThrowingAllocator<std::byte>>;
    EveryByteReturned bytes;
    Set set;
    auto& tracker = set.observer<0>();
    for (int i = 0; i != 100; ++i) set.insert(i);
    calls_nothing_that_throws(swept<Tracker>("open"), [&] { tracker.open(1); });
    set.remove(4);
    set.insert(100);
    for (const bool with_allocator : {false, true}) {
        const auto failures =
            fail_at_every_step(swept<Tracker>(with_allocator ? "(copy, allocator)" : "(copy)"), [&](auto&& attempt) {
                attempt([&] {
                    if (with_allocator) {
                        const Tracker copy(tracker, set.occupancy(), ThrowingAllocator<std::byte>());
                    } else {
                        const Tracker copy(tracker);
                    }
                });
                REQUIRE(tracker.added(1).size() == 1);
                REQUIRE(tracker.removed(1).size() == 1);
                REQUIRE(tracker.check_invariants(set.occupancy()));
            });
        REQUIRE(failures > 0);
    }
    calls_nothing_that_throws(swept<Tracker>("()"), [] { const Tracker none{}; });
    using Times = TimeArray<std::int64_t, ThrowingAllocator<std::int64_t>>;
    calls_nothing_that_throws(swept<Times>("()"), [] { const Times none{}; });
}
