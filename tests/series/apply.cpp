// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// apply(delta): strict refuses what does not fit before anything has happened, lenient does what is left.
#include "replica.hpp"
#include "support/thrown.hpp"

#include <stdexcept>

namespace {

using namespace test;

using Keys = std::vector<int>;

/// Refused by std::invalid_argument with `words`, and no byte of the state is another one.
template <class Series>
void refuses(Series& series, const typename Series::delta_type& delta, const std::string& words,
             Strictness mode = Strictness::strict) {
    series.write(delta.time).touch(); // the window is open, and what was removed before is erased
    const auto before = state_of(series);
    const std::string what = thrown_text<std::invalid_argument>([&] { series.write(delta.time).apply(delta, mode); });
    INFO(what);
    CHECK(what.find("apply(delta): " + words) == 0);
    CHECK(state_of(series) == before);
    CHECK(all_sound(series));
}

template <class R>
typename R::template set<int> some_set() {
    typename R::template set<int> set;
    auto w = set.write(1);
    for (const int key : {1, 2, 3}) w.add(key);
    return (w.close(), std::move(set));
}
template <class R>
typename R::template dict<int, double> some_dict() {
    typename R::template dict<int, double> dict;
    auto w = dict.write(1);
    for (const int key : {1, 2, 3}) w.set(key, key * 10.0);
    w.create(4);
    return (w.close(), std::move(dict));
}

template <class Series>
Keys keys_of(const Series& series) {
    Keys keys;
    for (const slot_t slot : series.slots()) keys.push_back(series.key(slot));
    std::sort(keys.begin(), keys.end());
    return keys;
}

/// Owns what a key or value may be, and notices when it is read after it has moved.
struct TrackedHash {
    std::size_t operator()(const Tracked& key) const noexcept { return static_cast<std::size_t>(key.value()); }
};

struct Given {
    explicit Given(int n) : number(n) {}
    int number;
    bool operator==(const Given&) const = default;
};

} // namespace

template <>
struct slotwise::CodecFor<Given> : slotwise::RawCodec<Given> {};

TEST_CASE("strict application to a set refuses what does not fit, names the place, and changes nothing", "[series][apply]") {
    auto set = some_set<Bitmap>();
    const auto strict = [&](Keys added, Keys removed, const std::string& words) {
        refuses(set, {2, true, added, removed}, words);
    };
    strict({7, 8, 2}, {}, "added[2] is a member already");
    strict({7}, {1, 9}, "removed[1] is not a member");
    strict({7, 8, 7}, {}, "added[2] occurs twice");
    strict({}, {1, 2, 1}, "removed[2] occurs twice");
    strict({7, 8}, {1, 8}, "removed[1] is in `added` too");
    refuses(set, {2, true, {7, 7}, {}}, "added[1] occurs twice", Strictness::lenient);
    refuses(set, {2, true, {}, {9, 9}}, "removed[1] occurs twice", Strictness::lenient);
    refuses(set, {2, true, {1}, {1}}, "removed[0] is in `added` too", Strictness::lenient);
    REQUIRE(keys_of(set) == Keys{1, 2, 3});
}

TEMPLATE_TEST_CASE("strict application to a dictionary refuses what does not fit, names the place, and changes nothing",
                   "[series][apply]", ALL_REPRESENTATIONS) {
    using Delta = DictDelta<int, double>;
    auto dict = some_dict<TestType>();
    refuses(dict, Delta{2, true, true, {7, 1}, {}, {}, {}}, "added[1] is a member already");
    refuses(dict, Delta{2, true, true, {7}, {1, 8}, {}, {}}, "removed[1] is not a member");
    refuses(dict, Delta{2, true, true, {}, {}, {2, 9}, {}}, "reset[1] is not a member");
    refuses(dict, Delta{2, true, true, {}, {2}, {2}, {}}, "reset[0] is not a member");
    refuses(dict, Delta{2, true, true, {7}, {}, {}, {{1, 1.0}, {7, 7.0}, {9, 9.0}}}, "modified[2] is neither a member");
    refuses(dict, Delta{2, true, true, {}, {2}, {}, {{1, 1.0}, {2, 7.0}}}, "modified[1] is neither a member");
    for (const auto mode : {Strictness::strict, Strictness::lenient}) {
        refuses(dict, Delta{2, true, true, {7, 7}, {}, {}, {}}, "added[1] occurs twice", mode);
        refuses(dict, Delta{2, true, true, {}, {1, 1}, {}, {}}, "removed[1] occurs twice", mode);
        refuses(dict, Delta{2, true, true, {7, 8}, {1, 7}, {}, {}}, "removed[1] is in `added` too", mode);
    }
    REQUIRE(keys_of(dict) == Keys{1, 2, 3, 4});
    REQUIRE(dict.at(1) == 10.0);
}

TEST_CASE("a key that a delta writes or resets twice is refused, strict and lenient", "[series][apply]") {
    using Delta = DictDelta<int, double>;
    auto dict = some_dict<Adaptive>();
    for (const auto mode : {Strictness::strict, Strictness::lenient}) {
        refuses(dict, Delta{2, true, false, {}, {}, {}, {{1, 1.0}, {2, 2.0}, {1, 3.0}}}, "modified[2] occurs twice", mode);
        refuses(dict, Delta{2, true, true, {}, {}, {1, 2, 1}, {}}, "reset[2] occurs twice", mode);
    }
    Adaptive::dict<int, Adaptive::set<int>> nested;
    nested.write(1).create(3);
    const SetDelta<int> inner{2, true, {4}, {}};
    refuses(nested, {2, true, true, {1}, {}, {}, {{1, inner}, {1, inner}}}, "modified[1] occurs twice");
    refuses(nested, {2, true, true, {}, {}, {}, {{3, inner}, {3, inner}}}, "modified[1] occurs twice");
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("a refused delta has opened the window and nothing more", "[series][apply]") {
    auto set = some_set<Adaptive>();
    set.write(2).remove(1);
    REQUIRE_THROWS_AS(set.write(3).apply({3, true, {2}, {}}), std::invalid_argument);
    REQUIRE(set.window() == 3);
    REQUIRE(set.last_modified() == 2);
    REQUIRE(capture(set, 3).empty());
    // In the middle of a writing: what was written stays.
    auto w = set.write(3);
    w.add(7);
    REQUIRE_THROWS_AS(w.apply({3, true, {8}, {99}}), std::invalid_argument);
    w.add(9);
    w.close();
    REQUIRE(capture(set, 3) == SetDelta<int>{3, true, {7, 9}, {}});
}
#endif

TEST_CASE("lenient application does what is left to be done", "[series][apply]") {
    auto set = some_set<Bitmap>();
    set.write(2).apply({2, true, {1, 7}, {2, 9}}, Strictness::lenient);
    REQUIRE(keys_of(set) == Keys{1, 3, 7});
    REQUIRE(capture(set, 2) == SetDelta<int>{2, true, {7}, {2}});

    auto dict = some_dict<Bitmap>();
    dict.write(2).apply({2, true, true, {1, 7, 8}, {2, 9}, {3, 99}, {{1, 11.0}, {7, 7.0}, {5, 5.0}}}, Strictness::lenient);
    REQUIRE(keys_of(dict) == Keys{1, 3, 4, 5, 7, 8});
    REQUIRE(dict.at(1) == 11.0);
    REQUIRE(dict.at(5) == 5.0); // written, so created
    REQUIRE(dict.at(7) == 7.0);
    REQUIRE_FALSE(dict.valid(8));
    REQUIRE_FALSE(dict.valid(3));
    REQUIRE(dict.contains(3));
    REQUIRE(all_sound(dict));
    REQUIRE(capture(dict, 2) == DictDelta<int, double>{2, true, true, {5, 7, 8}, {2}, {3}, {{1, 11.0}, {5, 5.0}, {7, 7.0}}});
}

TEST_CASE("lenient: what is removed and written is written", "[series][apply]") {
    auto dict = some_dict<Adaptive>();
    dict.write(2).apply({2, true, true, {}, {1}, {}, {{1, 12.0}}}, Strictness::lenient);
    REQUIRE(dict.at(1) == 12.0);
    REQUIRE(capture(dict, 2).modified == std::vector<std::pair<int, double>>{{1, 12.0}});
}

TEST_CASE("applying a delta that only ticked ticks the same levels", "[series][apply]") {
    auto dict = some_dict<Adaptive>(), replica = some_dict<Adaptive>();
    {
        auto w = dict.write(2);
        w.set(9, 1.0);
        w.remove(9);
    }
    replica.write(2).apply(capture(dict, 2));
    REQUIRE(replica.last_modified() == 2);
    REQUIRE(replica.keys().last_modified() == 2);
    dict.write(3).touch();
    replica.write(3).apply(capture(dict, 3));
    REQUIRE(replica.last_modified() == 3);
    REQUIRE(replica.keys().last_modified() == 2);
    replica.write(4).apply(capture(dict, 4)); // nothing
    REQUIRE(replica.window() == 4);
    REQUIRE(replica.last_modified() == 3);
}

TEST_CASE("a delta is applied to the open window, whatever its time", "[series][apply]") {
    auto set = some_set<Adaptive>();
    set.write(50).apply({7, true, {9}, {}});
    REQUIRE(set.last_modified() == 50);
    REQUIRE(set.last_modified(9) == 50);
    REQUIRE(set.was_added(9, 50));
}

TEMPLATE_TEST_CASE("a delta applied to the series it came from changes no member and no value", "[series][apply]",
                   ALL_REPRESENTATIONS) {
    using Dict = typename TestType::template dict<int, double>;
    typename TestType::template set<int> set;
    Dict dict;
    typename TestType::template dict<int, typename TestType::template set<int>> nested;
    Random random(21);
    for (Time time = 1; time != 600; ++time) {
        INFO("window " << time);
        random_tick(set, time, random, 10);
        random_tick(dict, time, random, 10);
        random_tick(nested, time, random, 4);
        const auto set_delta = capture(set, time);
        const auto dict_delta = capture(dict, time);
        const auto nested_delta = capture(nested, time);
        const auto set_before = set.as_set();
        const auto dict_before = dict.as_map();
        const auto nested_before = nested;
        for (const Time when : {time, time + 1}) {
            if (when != time && time % 3 != 0) continue; // in its window, and at times in the next one
            set.write(when).apply(set_delta, Strictness::lenient);
            dict.write(when).apply(dict_delta, Strictness::lenient);
            nested.write(when).apply(nested_delta, Strictness::lenient);
            if (!(set.as_set() == set_before && dict.as_map() == dict_before && nested == nested_before)) FAIL("changed");
            if (!(all_sound(set) && all_sound(dict) && all_sound(nested))) FAIL("not sound");
            if (when == time && !(capture(set, time) == set_delta && capture(dict, time) == dict_delta)) FAIL("another delta");
        }
        if (time % 3 == 0) ++time;
    }
}

TEST_CASE("deltas of a series' own keys, and writers given its own keys and values", "[series][apply]") {
    NothingLeaks scope;
    using Set = TSSStorage<Tracked, TimeBy<Time>, HashBy<TrackedHash>>;
    Set set;
    {
        auto w = set.write(1);
        for (int i = 0; i != 40; ++i) w.add(Tracked(i));
        w.assign(set); // itself: nothing
    }
    REQUIRE(set.size() == 40);
    {
        auto w = set.write(2);
        SetDelta<Tracked> all{2, true, {}, {set.begin(), set.end()}};
        w.apply(all);
        REQUIRE(set.empty());
        // Keys that are pending, by reference into the set: their slots live again.
        for (slot_t slot = 0; slot != 40; ++slot) REQUIRE(w.add(set.key(slot)));
        for (slot_t slot = 0; slot != 40; slot += 2) REQUIRE(w.remove(set.key(slot)));
        w.assign(set); // what is left
    }
    REQUIRE(set.size() == 20);
    REQUIRE(all_sound(set));

    Adaptive::dict<std::string, std::string> dict;
    const auto text = [](std::uint32_t n) { return made_of<std::string>(n); };
    {
        auto w = dict.write(1);
        for (std::uint32_t i = 0; i != 40; ++i) w.set(text(i), text(100 + i));
    }
    {
        auto w = dict.write(2);
        const slot_t first = dict.slot_of(text(0)), second = dict.slot_of(text(1));
        w.set(dict.key(first), dict.value(second));
        w.remove(dict.key(first));
        w.set(dict.key(first), dict.value(first)); // a pending key and value
        w.remove(dict.key(second));
        w.set(dict.key(first), dict.value(second));                                                    // a pending value
        for (std::uint32_t i = 0; i != 100; ++i) w.set("new " + std::to_string(i), dict.value(first)); // grows
        w.set(dict.key(second), dict.value(first));
    }
    REQUIRE(dict.at(text(0)) == text(101));
    REQUIRE(dict.at(text(1)) == text(101));
    REQUIRE(dict.at("new 99") == text(101));
    REQUIRE(all_sound(dict));
}

TEST_CASE("values that cannot be made of nothing: a delta that would need one is refused", "[series][apply]") {
    TSDStorage<int, Given> dict, replica;
    {
        auto w = dict.write(1);
        w.set(1, Given(10));
        w.set(2, Given(20));
    }
    replica.write(1).apply(capture(dict, 1));
    {
        auto w = dict.write(2);
        w.remove(1);
        w.set(1, Given(11));
        w.remove(2);
    }
    replica.write(2).apply(capture(dict, 2));
    REQUIRE(replica == dict);
    using Delta = DictDelta<int, Given>;
    for (const auto mode : {Strictness::strict, Strictness::lenient}) {
        refuses(replica, Delta{3, true, true, {7, 8}, {}, {}, {{7, Given(7)}}}, "added[1] has no value", mode);
        refuses(replica, Delta{3, true, true, {}, {}, {1}, {}}, "reset[0] needs a default-constructible T", mode);
    }
    REQUIRE(replica == dict);
}

TEST_CASE("lenient: a nested element that is removed and written begins again", "[series][apply]") {
    using Nested = TSDStorage<int, TSSStorage<int>>;
    Nested dict;
    dict.write(1).create(1);
    dict.write(1).modify(1).add(5);
    Nested::delta_type delta{2, true, true, {}, {1}, {}, {}};
    delta.modified.emplace_back(1, SetDelta<int>{2, true, {7}, {}});
    dict.write(2).apply(delta, Strictness::lenient);
    REQUIRE(dict.get(1) != nullptr);
    CHECK(keys_of(*dict.get(1)) == Keys{7});
    CHECK(all_sound(dict));
}
