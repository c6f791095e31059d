// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series in a dictionary: they share its clock, and what ticks inside ticks outside.
#include "replica.hpp"
#include "support/thrown.hpp"

#include <stdexcept>

namespace {

using namespace test;

using Keys = std::vector<int>;

template <class Range>
Keys listed(const Range& range) {
    Keys keys(range.begin(), range.end());
    std::sort(keys.begin(), keys.end());
    return keys;
}

template <class R>
struct Sets {
    typename R::template dict<std::string, typename R::template set<int>> dict;
    Sets() {
        auto w = dict.write(1);
        for (const auto* const name : {"a", "b"}) {
            w.create(name);
            auto inner = w.modify(name);
            for (const int key : {1, 2, 3}) inner.add(key);
        }
    }
    const auto& at(const char* name) const { return dict.at(name); }
};

/// What `apply` says when it refuses; no byte of the state is another one then.
template <class Series>
std::string refusal(Series& series, const typename Series::delta_type& delta, Strictness mode = Strictness::strict) {
    (void)series.write(delta.time);
    const auto before = state_of(series);
    const std::string what = thrown_text<std::invalid_argument>([&] { series.write(delta.time).apply(delta, mode); });
    CHECK(state_of(series) == before);
    CHECK(all_sound(series));
    return what;
}

} // namespace

TEMPLATE_TEST_CASE("a nested series is written in the window of its dictionary and ticks it", "[series][nested]",
                   ALL_REPRESENTATIONS) {
    Sets<TestType> scene;
    auto& dict = scene.dict;
    {
        auto w = dict.write(5);
        auto inner = w.modify("a");
        REQUIRE(inner.time() == 5);
        inner.add(9);
        inner.remove(1);
        REQUIRE(listed(scene.at("a").added(5)) == Keys{9}); // readable at once
    }
    REQUIRE(dict.last_modified() == 5);
    REQUIRE(dict.keys().last_modified() == 1); // no key came or went
    REQUIRE(dict.last_modified("a") == 5);
    REQUIRE(dict.last_modified("b") == 1);
    REQUIRE(scene.at("a").last_modified() == 5);
    REQUIRE(listed(scene.at("a").removed(5)) == Keys{1});
    REQUIRE(dict.modified_keys(5).size() == 1);
    REQUIRE(dict.added_keys(5).empty());
    // An older time joins, for the nested one too.
    auto w = dict.write_late(2);
    REQUIRE(w.modify("b").time() == 5);
    w.modify("b").touch();
    w.close();
    REQUIRE(scene.at("b").last_modified() == 5);
    REQUIRE(dict.modified_keys(5).size() == 2);
    REQUIRE(all_sound(dict));
}

TEMPLATE_TEST_CASE("a nested series rolls when it is first touched in a window, and not before", "[series][nested]",
                   ALL_REPRESENTATIONS) {
    Sets<TestType> scene;
    {
        auto w = scene.dict.write(2);
        w.modify("a").remove(1);
        w.modify("b").remove(1);
    }
    {
        auto w = scene.dict.write(3);
        w.modify("a").remove(2);
    }
    REQUIRE(scene.at("a").window() == 3);
    REQUIRE(scene.at("b").window() == 2); // was not touched
    REQUIRE(listed(scene.at("a").removed(3)) == Keys{2});
    REQUIRE(scene.at("a").removed(2).empty());
    REQUIRE(scene.at("b").removed(3).empty()); // whatever it keeps, it says nothing of this window
    REQUIRE(listed(scene.at("b").removed(2)) == Keys{1});
    REQUIRE(scene.at("b").pending() == 1);
    REQUIRE(capture(scene.at("b"), 3).empty());
    REQUIRE(capture(scene.dict, 3).modified.size() == 1);
    {
        auto w = scene.dict.write(4);
        auto nothing = w.modify("b"); // rolls it, and writes nothing
    }
    REQUIRE(scene.at("b").window() == 4);
    REQUIRE(scene.at("b").pending() == 0);
    REQUIRE(scene.at("b").last_modified() == 2);
    REQUIRE(all_sound(scene.dict));
}

TEMPLATE_TEST_CASE("a nested writer that writes nothing stamps nothing", "[series][nested]", ALL_REPRESENTATIONS) {
    Sets<TestType> scene;
    {
        auto w = scene.dict.write(2);
        auto inner = w.modify("a");
        inner.add(1);     // is there
        inner.remove(99); // is not
    }
    REQUIRE(scene.dict.last_modified() == 1);
    REQUIRE(scene.dict.last_modified("a") == 1);
    REQUIRE(scene.dict.modified_keys(2).empty());
    REQUIRE_FALSE(capture(scene.dict, 2).ticked);
    {
        auto w = scene.dict.write(3);
        w.create("new");
        (void)w.modify("new");
    }
    REQUIRE_FALSE(scene.dict.valid("new"));
    REQUIRE_FALSE(scene.at("new").valid());
    REQUIRE(scene.dict.modified_keys(3).empty());
    REQUIRE(scene.dict.added_keys(3).size() == 1);
    {
        auto w = scene.dict.write(4);
        auto inner = w.modify("a");
        inner.add(50); // to no effect, but written
        inner.remove(50);
    }
    REQUIRE(scene.dict.modified("a", 4));
    REQUIRE(capture(scene.dict, 4).modified.size() == 1);
}

TEMPLATE_TEST_CASE("a removed element's nested series, and what was removed there, are readable until the window rolls",
                   "[series][nested]", ALL_REPRESENTATIONS) {
    Sets<TestType> scene;
    auto& dict = scene.dict;
    {
        auto w = dict.write(2);
        w.modify("a").remove(1);
        w.modify("a").add(4);
        w.remove("a");
    }
    REQUIRE(dict.get("a") == nullptr);
    REQUIRE(dict.removed_items(2).size() == 1);
    for (const auto [key, inner] : dict.removed_items(2)) {
        REQUIRE(key == "a");
        REQUIRE(listed(inner) == Keys{2, 3, 4});
        REQUIRE(listed(inner.removed(2)) == Keys{1});
        REQUIRE(listed(inner.added(2)) == Keys{4});
    }
    REQUIRE(capture(dict, 2).modified.empty()); // it is gone
    (void)dict.write(3);
    REQUIRE(dict.removed_items(3).empty());
    REQUIRE(dict.pending() == 0);
    REQUIRE(all_sound(dict));
}

TEMPLATE_TEST_CASE("an element that is removed and created in one window is an empty one, and reset", "[series][nested]",
                   ALL_REPRESENTATIONS) {
    Sets<TestType> scene;
    auto& dict = scene.dict;
    const auto handle = dict.handle_of("a");
    auto w = dict.write(2);
    w.modify("a").add(4);
    w.remove("a");
    const auto created = w.create("a");
    REQUIRE(created.inserted);
    REQUIRE(created.it.slot() == handle.index());
    REQUIRE_FALSE(dict.contains(handle));
    REQUIRE(dict.get("a")->empty());
    REQUIRE_FALSE(dict.valid("a"));
    REQUIRE(dict.reset_keys(2).size() == 1);
    REQUIRE(dict.modified_keys(2).empty());
    w.modify("a").add(7);
    REQUIRE(dict.valid("a"));
    REQUIRE(dict.reset_keys(2).size() == 1); // nested: what it was before does not go on
    REQUIRE(listed(dict.get("a")->added(2)) == Keys{7});
    REQUIRE(dict.get("a")->removed(2).empty());
    REQUIRE(dict.added_keys(2).empty());
    REQUIRE(dict.removed_keys(2).empty());
    w.close();
    Sets<TestType> replica;
    replica.dict.write(2).apply(capture(dict, 2));
    REQUIRE(difference(dict, replica.dict) == "");
    REQUIRE(all_sound(dict));
}

TEST_CASE("a writer of a removed element still writes it, and stamps nothing", "[series][nested]") {
    Sets<Adaptive> scene;
    {
        auto w = scene.dict.write(2);
        auto inner = w.modify("a");
        w.remove("a");
        inner.add(77);
        inner.close();
        for (const auto [key, value] : scene.dict.removed_items(2)) REQUIRE(value.contains(77));
        REQUIRE(scene.dict.modified_keys(2).empty());
    }
    REQUIRE(scene.dict.write(3).time() == 3); // nobody is left that keeps the window open
    REQUIRE(all_sound(scene.dict));
}

#if defined(__cpp_exceptions) // nothing leaves a scope otherwise than by its end without them
TEST_CASE("a nested writer keeps the window of its dictionary open", "[series][nested]") {
    Sets<Adaptive> scene;
    auto inner = scene.dict.write(2).modify("a");
    inner.add(9); // the outer writer has closed
    REQUIRE_THROWS_AS(scene.dict.write(3), std::invalid_argument);
    auto beside = scene.dict.write(2).modify("a");
    beside.add(10);
    beside.close();
    REQUIRE_THROWS_AS(scene.dict.write(3), std::invalid_argument);
    inner.close();
    REQUIRE_THROWS_AS(inner.add(1), std::invalid_argument);
    REQUIRE(scene.dict.last_modified("a") == 2);
    REQUIRE(scene.dict.write(3).time() == 3);
    // Abandoned by an exception: what was written stays.
    try {
        auto w = scene.dict.write(4);
        auto deep = w.modify("b");
        deep.add(40);
        throw 1;
    } catch (int) {}
    REQUIRE(scene.dict.modified("b", 4));
    REQUIRE(scene.dict.write(5).time() == 5);
}
#endif

TEST_CASE("modify of an absent element throws, and opens nothing", "[series][nested]") {
    Sets<Adaptive> scene;
    const auto stale = scene.dict.handle_of("b");
    {
        auto w = scene.dict.write(2);
        w.remove("b");
        REQUIRE_THROWS_AS(w.modify("b"), std::out_of_range);
        REQUIRE_THROWS_AS(w.modify("c"), std::out_of_range);
        REQUIRE_THROWS_AS(w.modify(stale), std::out_of_range);
        w.modify(scene.dict.handle_of("a")).add(5);
    }
    REQUIRE(scene.at("a").contains(5));
    REQUIRE(scene.dict.write(3).time() == 3);
}

TEMPLATE_TEST_CASE("three levels share one clock", "[series][nested]", ALL_REPRESENTATIONS) {
    using Leaf = typename TestType::template set<int>;
    using Middle = typename TestType::template dict<int, Leaf>;
    typename TestType::template dict<int, Middle> root;
    {
        auto w = root.write(7);
        w.create(1);
        auto middle = w.modify(1);
        middle.create(2);
        auto leaf = middle.modify(2);
        leaf.add(3);
        leaf.close();
        REQUIRE(root.get(1)->modified(2, 7));
        REQUIRE_FALSE(root.valid(1)); // its writer is open
        middle.close();
        REQUIRE(root.modified(1, 7));
    }
    REQUIRE(root.get(1)->get(2)->modified(7));
    root.write(8).modify(1).modify(2).remove(3); // writers that die inside out
    REQUIRE(root.last_modified() == 8);
    REQUIRE(root.last_modified(1) == 8);
    REQUIRE(root.get(1)->keys().last_modified() == 7);
    REQUIRE(listed(root.get(1)->get(2)->removed(8)) == Keys{3});
    REQUIRE(all_sound(root));
}

TEMPLATE_TEST_CASE("nested errors of a delta are found before anything changes", "[series][nested]", ALL_REPRESENTATIONS) {
    Sets<TestType> scene;
    using Delta = DictDelta<std::string, typename TestType::template set<int>>;
    using Inner = SetDelta<int>;
    auto& dict = scene.dict;
    const Inner good{2, true, {7}, {1}}, member{2, true, {8, 2}, {}}, absent{2, true, {}, {1, 9}}, twice{2, true, {8, 8}, {}};
    REQUIRE(refusal(dict, Delta{2, true, true, {"c"}, {}, {}, {{"a", good}, {"c", {2, true, {1}, {}}}, {"b", member}}})
                .find("added[1] is a member already") != std::string::npos);
    REQUIRE(refusal(dict, Delta{2, true, false, {}, {}, {}, {{"a", good}, {"b", absent}}}).find("removed[1] is not a member") !=
            std::string::npos);
    // A new element, or a replaced one, has no members to remove, and none that are there already.
    REQUIRE(refusal(dict, Delta{2, true, true, {"c"}, {}, {}, {{"a", good}, {"c", good}}}).find("removed[0] is not a member") !=
            std::string::npos);
    REQUIRE(refusal(dict, Delta{2, true, true, {}, {}, {"b"}, {{"a", good}, {"b", good}}}).find("removed[0] is not a member") !=
            std::string::npos);
    for (const auto mode : {Strictness::strict, Strictness::lenient})
        REQUIRE(
            refusal(dict, Delta{2, true, false, {}, {}, {}, {{"a", good}, {"b", twice}}}, mode).find("added[1] occurs twice") !=
            std::string::npos);
    dict.write(2).apply(Delta{2, true, true, {}, {}, {"b"}, {{"a", good}, {"b", {2, true, {1, 2}, {}}}}});
    REQUIRE(listed(scene.at("a")) == Keys{2, 3, 7});
    REQUIRE(listed(scene.at("b")) == Keys{1, 2});
}

TEST_CASE("nested errors are found at every depth", "[series][nested]") {
    using Middle = Adaptive::dict<int, Adaptive::set<int>>;
    Adaptive::dict<int, Middle> root;
    {
        auto w = root.write(1);
        w.create(1);
        auto middle = w.modify(1);
        middle.create(2);
        middle.modify(2).add(3);
    }
    using MiddleDelta = DictDelta<int, Adaptive::set<int>>;
    const MiddleDelta bad{2, true, true, {9}, {}, {}, {{9, {2, true, {1}, {}}}, {2, {2, true, {5, 3}, {}}}}};
    DictDelta<int, Middle> delta{2, true, true, {7}, {}, {}, {{7, {2, true, true, {1}, {}, {}, {}}}, {1, bad}}};
    REQUIRE(refusal(root, delta).find("added[1] is a member already") != std::string::npos);
    root.write(2).apply(delta, Strictness::lenient);
    REQUIRE(root.contains(7));
    REQUIRE(listed(*root.get(1)->get(2)) == Keys{3, 5});
    REQUIRE(all_sound(root));
}

TEST_CASE("lenient application creates what is written, and leaves inside what is done", "[series][nested]") {
    Sets<Adaptive> scene;
    using Delta = DictDelta<std::string, Adaptive::set<int>>;
    scene.dict.write(2).apply(
        Delta{2, true, true, {"a"}, {"z"}, {"y"}, {{"a", {2, true, {1, 9}, {2, 99}}}, {"new", {2, true, {5}, {6}}}}},
        Strictness::lenient);
    REQUIRE(listed(scene.at("a")) == Keys{1, 3, 9});
    REQUIRE(listed(scene.at("new")) == Keys{5});
    REQUIRE_FALSE(scene.dict.contains("y"));
    REQUIRE(all_sound(scene.dict));
}

TEST_CASE("what is written to a nested series after its element was removed makes no other member valid", "[series]") {
    TSDStorage<int, TSSStorage<int>> dict;
    auto writer = dict.write(1);
    writer.create(1);
    writer.create(2);
    auto nested = writer.modify(1);
    writer.remove(1);
    nested.add(7);
    nested.close();
    writer.close();
    CHECK(dict.size() == 1);
    CHECK(dict.count_valid() == 0);
    CHECK(dict.check_invariants());
}
