// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// capture(): what a delta holds for every kind of change, and that it is a value of its own.
#include "replica.hpp"

#include <memory>

namespace {

using namespace test;

using Keys = std::vector<int>;
using Items = std::vector<std::pair<int, double>>;

/// The order of keys does not count in a delta, and is another one for a dirty list.
template <class List>
List sorted(List list) {
    std::sort(list.begin(), list.end());
    return list;
}

template <class R>
struct SetScene {
    typename R::template set<int> set;
    SetScene() {
        auto w = set.write(1);
        for (const int key : {1, 2, 3, 4}) w.add(key);
    }
};

template <class R>
struct DictScene {
    typename R::template dict<int, double> dict;
    DictScene() {
        auto w = dict.write(1);
        for (const int key : {1, 2, 3, 4}) w.set(key, key * 10.0);
        w.create(5); // never valid
    }
};

} // namespace

TEMPLATE_TEST_CASE("the delta of a set holds the added and removed keys, net", "[series][capture]", ALL_REPRESENTATIONS) {
    SetScene<TestType> scene;
    {
        const auto first = capture(scene.set, 1);
        REQUIRE(first.time == 1);
        REQUIRE(first.ticked);
        REQUIRE(sorted(first.added) == Keys{1, 2, 3, 4});
        REQUIRE(first.removed.empty());
        REQUIRE_FALSE(first.empty());
    }
    auto w = scene.set.write(2);
    w.add(9);
    w.add(8);
    w.remove(1);
    w.remove(2);
    w.add(2);    // was there, is there
    w.add(7);    // was not there,
    w.remove(7); // is not there
    w.add(3);    // nothing
    w.remove(99);
    const auto delta = capture(scene.set, 2);
    REQUIRE(delta.time == 2);
    REQUIRE(delta.ticked);
    REQUIRE(sorted(delta.added) == Keys{8, 9});
    REQUIRE(delta.removed == Keys{1});
}

TEST_CASE("the delta of a set that was written to no effect says that it ticked", "[series][capture]") {
    SetScene<Adaptive> scene;
    SECTION("touched") { scene.set.write(2).touch(); }
    SECTION("added and removed") {
        auto w = scene.set.write(2);
        w.add(9);
        w.remove(9);
    }
    SECTION("removed and added") {
        auto w = scene.set.write(2);
        w.remove(1);
        w.add(1);
    }
    const auto delta = capture(scene.set, 2);
    REQUIRE(delta.ticked);
    REQUIRE(delta.empty());
}

TEST_CASE("without a time the delta is that of the window that was opened last", "[series][capture]") {
    TSSStorage<int> set;
    REQUIRE(capture(set) == capture(set, set.window()));
    set.write(1).add(1);
    set.write(2).add(2);
    REQUIRE(capture(set) == capture(set, 2));
    REQUIRE(capture(set.view()).added == Keys{2});
    TSDStorage<int, double> dict;
    dict.write(3).set(1, 1.5);
    REQUIRE(capture(dict) == capture(dict, 3));
    REQUIRE(capture(dict.view()).added == Keys{1});
}

TEST_CASE("the delta of a window in which nothing was written says so", "[series][capture]") {
    SetScene<Adaptive> scene;
    DictScene<Adaptive> other;
    {
        auto w = scene.set.write(2);
        w.add(1);
        w.remove(99);
        auto v = other.dict.write(2);
        v.create(1);
        v.remove(99);
    }
    const auto delta = capture(scene.set, 2);
    REQUIRE_FALSE(delta.ticked);
    REQUIRE(delta.empty());
    REQUIRE(delta.time == 2);
    const auto items = capture(other.dict, 2);
    REQUIRE_FALSE(items.ticked);
    REQUIRE_FALSE(items.keys_ticked);
    REQUIRE(items.empty());
    REQUIRE(items.time == 2);
}

TEMPLATE_TEST_CASE("the delta of a cleared series cancels what was added and keeps what was removed", "[series][capture]",
                   ALL_REPRESENTATIONS) {
    SetScene<TestType> scene;
    auto w = scene.set.write(2);
    w.add(9);
    w.remove(1);
    w.clear();
    w.add(2);
    w.add(10);
    const auto delta = capture(scene.set, 2);
    REQUIRE(delta.added == Keys{10});
    REQUIRE(sorted(delta.removed) == Keys{1, 3, 4});

    DictScene<TestType> other;
    auto v = other.dict.write(2);
    v.set(9, 1.0);
    v.remove(1);
    v.clear();
    v.set(2, 21.0);
    v.create(3);
    const auto items = capture(other.dict, 2);
    REQUIRE(items.added.empty());
    REQUIRE(sorted(items.removed) == Keys{1, 4, 5});
    REQUIRE(items.reset == Keys{3});
    REQUIRE(items.modified == Items{{2, 21.0}});
    REQUIRE(items.keys_ticked);
}

TEMPLATE_TEST_CASE("the delta of a dictionary holds every kind of change", "[series][capture]", ALL_REPRESENTATIONS) {
    DictScene<TestType> scene;
    auto w = scene.dict.write(2);
    w.set(1, 11.0); // written
    w.modify(2) = 21.0;
    w.remove(3); // gone
    w.remove(4); // replaced by an empty one
    w.create(4);
    w.remove(5);    // was never valid
    w.set(6, 60.0); // new
    w.create(7);    // new without a value
    w.set(8, 80.0); // came and went
    w.remove(8);
    const auto delta = capture(scene.dict, 2);
    REQUIRE(delta.time == 2);
    REQUIRE(delta.ticked);
    REQUIRE(delta.keys_ticked);
    REQUIRE(sorted(delta.added) == Keys{6, 7});
    REQUIRE(sorted(delta.removed) == Keys{3, 5});
    REQUIRE(delta.reset == Keys{4});
    REQUIRE(sorted(delta.modified) == Items{{1, 11.0}, {2, 21.0}, {6, 60.0}});
}

TEMPLATE_TEST_CASE("the delta of a key that was removed and set is its last value, and no change of keys", "[series][capture]",
                   ALL_REPRESENTATIONS) {
    DictScene<TestType> scene;
    auto w = scene.dict.write(2);
    w.remove(1);
    w.set(1, 12.0);
    w.set(9, 1.0);
    w.remove(9);
    w.set(9, 2.0);
    w.remove(2);
    w.create(2);
    w.set(2, 22.0); // no longer reset
    w.remove(5);    // was invalid, is invalid: an empty one was replaced by an empty one
    w.create(5);
    w.set(3, 31.0);
    w.set(3, 32.0);
    const auto delta = capture(scene.dict, 2);
    REQUIRE(delta.added == Keys{9});
    REQUIRE(delta.removed.empty());
    REQUIRE(delta.reset == Keys{5});
    REQUIRE(sorted(delta.modified) == Items{{1, 12.0}, {2, 22.0}, {3, 32.0}, {9, 2.0}});
}

TEST_CASE("the delta of written values does not say that keys have ticked", "[series][capture]") {
    DictScene<Adaptive> scene;
    scene.dict.write(2).set(1, 10.0); // an equal value is a write too
    auto delta = capture(scene.dict, 2);
    REQUIRE(delta.ticked);
    REQUIRE_FALSE(delta.keys_ticked);
    REQUIRE(delta.modified == Items{{1, 10.0}});
    REQUIRE(delta.added.empty());

    scene.dict.write(3).touch();
    delta = capture(scene.dict, 3);
    REQUIRE(delta.ticked);
    REQUIRE_FALSE(delta.keys_ticked);
    REQUIRE(delta.empty());

    {
        auto w = scene.dict.write(4);
        w.create(8);
        w.remove(8);
    }
    delta = capture(scene.dict, 4);
    REQUIRE(delta.ticked);
    REQUIRE(delta.keys_ticked);
    REQUIRE(delta.empty());
}

TEST_CASE("a delta for a time that is not the open window says nothing", "[series][capture]") {
    SetScene<Adaptive> scene;
    DictScene<Adaptive> other;
    const Adaptive::set<int> unwritten;
    const Adaptive::dict<int, double> unwritten_dict;
    {
        auto w = scene.set.write(5);
        w.add(7);
        w.remove(1);
        auto v = other.dict.write(5);
        v.set(7, 1.0);
        v.remove(1);
    }
    for (const Time time : {never, Time{0}, Time{1}, Time{4}, Time{6}}) {
        CAPTURE(time);
        for (const auto* const set : {&unwritten, static_cast<const decltype(unwritten)*>(&scene.set)}) {
            const auto delta = capture(*set, time);
            REQUIRE(delta.time == time);
            REQUIRE_FALSE(delta.ticked);
            REQUIRE(delta.empty());
        }
        for (const auto* const dict : {&unwritten_dict, static_cast<const decltype(unwritten_dict)*>(&other.dict)}) {
            const auto delta = capture(*dict, time);
            REQUIRE(delta.time == time);
            REQUIRE_FALSE(delta.ticked);
            REQUIRE_FALSE(delta.keys_ticked);
            REQUIRE(delta.empty());
        }
    }
    // Asking has changed nothing.
    REQUIRE(scene.set.window() == 5);
    REQUIRE(capture(scene.set, 5).removed == Keys{1});
    REQUIRE(capture(other.dict, 5).removed == Keys{1});
}

TEST_CASE("a view is captured as what it views is, and the keys of a dictionary as a set", "[series][capture]") {
    DictScene<Adaptive> scene;
    auto w = scene.dict.write(2);
    w.set(1, 11.0);
    w.remove(2);
    w.set(6, 1.0);
    REQUIRE(capture(scene.dict.view(), 2) == capture(scene.dict, 2));
    const SetDelta<int> keys = capture(scene.dict.keys(), 2);
    REQUIRE(keys.added == Keys{6});
    REQUIRE(keys.removed == Keys{2});
    REQUIRE(keys.ticked);
    w.close();
    scene.dict.write(3).set(1, 12.0);
    REQUIRE_FALSE(capture(scene.dict.keys(), 3).ticked);
    REQUIRE(capture(scene.dict.keys(), 3).empty());

    SetScene<Adaptive> other;
    REQUIRE(capture(other.set.view(), 1) == capture(other.set, 1));
}

TEST_CASE("deltas outlive the window, the keys and the series", "[series][capture]") {
    using Dict = Adaptive::dict<std::string, std::string>;
    auto dict = std::make_unique<Dict>();
    const auto text = [](int number) { return made_of<std::string>(static_cast<std::uint32_t>(number)); };
    {
        auto w = dict->write(1);
        w.set(text(1), text(10));
        w.set(text(2), text(20));
    }
    dict->write(2).remove(text(1));
    const auto removal = capture(*dict, 2);
    dict->write(3).set(text(2), text(21));
    const auto change = capture(*dict, 3);
    dict->write(4).clear();
    auto copy = removal;
    dict.reset();
    REQUIRE(removal.removed == std::vector<std::string>{text(1)});
    REQUIRE(change.modified == std::vector<std::pair<std::string, std::string>>{{text(2), text(21)}});
    REQUIRE(copy == removal);
    const auto moved = std::move(copy);
    REQUIRE(moved == removal);
    REQUIRE_FALSE(moved == change);
}

TEST_CASE("a delta holds what nested series say of the window, and of new ones everything", "[series][capture]") {
    using Set = Adaptive::set<int>;
    Adaptive::dict<std::string, Set> dict;
    {
        auto w = dict.write(1);
        w.create("old");
        auto old = w.modify("old");
        old.add(1);
        old.add(2);
        w.create("still");
        w.modify("still").add(5);
        w.create("empty");
    }
    auto w = dict.write(2);
    w.modify("old").remove(1);
    w.modify("old").add(3);
    w.create("new");
    w.modify("new").add(7);
    w.modify("empty").touch();
    w.create("unwritten");
    const auto delta = capture(dict, 2);
    REQUIRE(sorted(delta.added) == std::vector<std::string>{"new", "unwritten"});
    REQUIRE(delta.removed.empty());
    REQUIRE(delta.reset.empty());
    REQUIRE(delta.modified.size() == 3);
    std::map<std::string, SetDelta<int>> inner(delta.modified.begin(), delta.modified.end());
    REQUIRE(inner.at("old") == SetDelta<int>{2, true, {3}, {1}});
    REQUIRE(inner.at("new") == SetDelta<int>{2, true, {7}, {}});
    REQUIRE(inner.at("empty") == SetDelta<int>{2, true, {}, {}});
}

TEST_CASE("a nested series that was replaced is reset, and its delta is that of the new one", "[series][capture]") {
    using Inner = Adaptive::dict<int, double>;
    Adaptive::dict<int, Inner> dict;
    {
        auto w = dict.write(1);
        for (const int key : {1, 2, 3}) {
            w.create(key);
            w.modify(key).set(key, 1.0);
        }
    }
    auto w = dict.write(2);
    w.modify(1).set(9, 9.0); // lost with the element
    for (const int key : {1, 2}) {
        w.remove(key);
        w.create(key);
    }
    w.modify(1).set(8, 8.0);
    w.modify(3).remove(3);
    const auto delta = capture(dict, 2);
    REQUIRE(delta.added.empty());
    REQUIRE(delta.removed.empty());
    REQUIRE(sorted(delta.reset) == Keys{1, 2});
    REQUIRE(delta.modified.size() == 2);
    const std::map<int, DictDelta<int, double>> inner(delta.modified.begin(), delta.modified.end());
    REQUIRE(inner.at(1) == DictDelta<int, double>{2, true, true, {8}, {}, {}, {{8, 8.0}}});
    REQUIRE(inner.at(3) == DictDelta<int, double>{2, true, true, {}, {3}, {}, {}});
}
