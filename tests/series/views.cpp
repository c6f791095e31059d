// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSSView and TSDView: functions that are no templates read sets and dictionaries over time of every kind.
#include "semantics.hpp"
#include "support/allocators.hpp"

#include <type_traits>

using namespace test;

namespace {

//=== what a user writes: no templates ===//

std::string news_of(TSSView<std::string> set, std::int64_t now) {
    std::string text;
    for (const std::string& key : sorted(set.added(now))) text += "+" + key;
    for (const std::string& key : sorted(set.removed(now))) text += "-" + key;
    return text;
}
int written(TSDView<std::string, int> dict, std::int64_t now) {
    int sum = 0;
    for (const auto [key, value] : dict.modified_items(now)) sum += value;
    return sum;
}
std::size_t letters(SetView<std::string> names) {
    std::size_t count = 0;
    for (const std::string& name : names) count += name.size();
    return count;
}

struct ConstantHash {
    std::size_t operator()(const std::string&) const noexcept { return 1; }
};
constexpr SeriesOptions listing{
    .delta = DeltaRepresentation::dirty_list, .reuse = Reuse::fifo, .handle = {.index_bits = 16, .version_bits = 16}};
constexpr SeriesOptions bits{.delta = DeltaRepresentation::bitmap, .page_slots = 64};

struct Plain {
    using set = TSSStorage<std::string>;
    using dict = TSDStorage<std::string, int>;
};
struct Listing {
    using set = TSSStorage<std::string, HashBy<ConstantHash>, Options<listing>>;
    using dict = TSDStorage<std::string, int, HashBy<ConstantHash>, Options<listing>>;
};
struct Elsewhere {
    using set = TSSStorage<std::string, Options<bits>, AllocBy<StatefulAllocator<std::string>>, IndexBy<PortableHashIndex>,
                           ValueArray<double>>;
    using dict = TSDStorage<std::string, int, Options<bits>, AllocBy<StatefulAllocator<std::string>>,
                            IndexBy<PortableHashIndex>, ValueArray<double>, ValueArray<char>>;
};
#define ALL_KINDS Plain, Listing, Elsewhere

/// At time 1: nails, screws, glue (without a value), gone. At time 2: nails written, gone removed, paint added, dust came and
/// went.
template <class Kind>
typename Kind::dict stock() {
    typename Kind::dict dict;
    {
        auto w = dict.write(1);
        w.set("nails", 100), w.set("screws", 20), w.create("glue"), w.set("gone", 1000);
    }
    auto w = dict.write(2);
    w.set("nails", 99), w.remove("gone"), w.set("paint", 5), w.set("dust", 1), w.remove("dust");
    return dict;
}
template <class Kind>
typename Kind::set names() {
    typename Kind::set set;
    {
        auto w = set.write(1);
        w.add("ada"), w.add("alan"), w.add("grace");
    }
    auto w = set.write(2);
    w.remove("alan"), w.add("barbara");
    return set;
}

template <class Series>
concept writable = requires(Series& series) { series.write(1); };

struct Counter final : SeriesSubscriber<> {
    int told = 0;
    SeriesLevel level{};
    void on_tick(const SeriesTick<std::int64_t>& tick) noexcept override { ++told, level = tick.level; }
};

} // namespace

TEST_CASE("views of series are two words, copied as such", "[series][views]") {
    STATIC_REQUIRE(sizeof(TSSView<std::string>) == 2 * sizeof(void*));
    STATIC_REQUIRE(sizeof(TSDView<std::string, int>) == 2 * sizeof(void*));
    STATIC_REQUIRE(std::is_trivially_copyable_v<TSSView<std::string>>);
    STATIC_REQUIRE(std::is_trivially_copyable_v<TSDView<std::string, int>>);
    STATIC_REQUIRE_FALSE(std::is_default_constructible_v<TSSView<int>>);
    STATIC_REQUIRE_FALSE(std::is_default_constructible_v<TSDView<int, int>>);
    STATIC_REQUIRE(std::is_convertible_v<const TSSStorage<int>&, TSSView<int>>);
    STATIC_REQUIRE(std::is_convertible_v<const TSDStorage<int, char>&, TSDView<int, char>>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<const TSSStorage<int>&, TSSView<long>>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<const TSSStorage<int>&, TSSView<int, int>>); // another time
    STATIC_REQUIRE(writable<TSSStorage<int>>);
    STATIC_REQUIRE(writable<TSDStorage<int, int>>);
    STATIC_REQUIRE_FALSE(writable<const TSSStorage<int>>);
    STATIC_REQUIRE_FALSE(writable<const TSDStorage<int, int>>);
    STATIC_REQUIRE_FALSE(writable<TSSView<int>>);
    STATIC_REQUIRE_FALSE(writable<TSDView<int, int>>);
}

TEMPLATE_TEST_CASE("one function reads series of any options, index, allocator and columns", "[series][views]", ALL_KINDS) {
    const auto set = names<TestType>();
    const auto dict = stock<TestType>();
    CHECK(news_of(set, 2) == "+barbara-alan");
    CHECK(news_of(set, 1).empty());
    CHECK(news_of(set.view(), 2) == "+barbara-alan");
    CHECK(news_of(dict.keys(), 2) == "+paint-gone");
    CHECK(news_of(dict.view().keys(), 2) == "+paint-gone");
    CHECK(written(dict, 2) == 104);
    CHECK(written(dict.view(), 2) == 104);
    CHECK(written(dict, 1) == 0);
    CHECK(letters(set) == 3 + 5 + 7);
    CHECK(letters(set.view()) == 15);
    CHECK(letters(dict) == 5 + 6 + 4 + 5);
    CHECK(letters(dict.keys()) == 20);
}

TEMPLATE_TEST_CASE("a view of a set answers as the set does", "[series][views]", ALL_KINDS) {
    const auto set = names<TestType>();
    const TSSView view(set); // deduced
    STATIC_REQUIRE(std::is_same_v<decltype(view), const TSSView<std::string, std::int64_t>>);
    CHECK(view.size() == 3);
    CHECK_FALSE(view.empty());
    CHECK(view.window() == 2);
    CHECK(view.valid());
    CHECK(view.last_modified() == 2);
    CHECK(view.modified(2));
    CHECK_FALSE(view.modified(1));
    CHECK_FALSE(view.modified(never));
    CHECK(sorted(view) == keys{"ada", "barbara", "grace"});
    CHECK(sorted(view.added(2)) == sorted(set.added(2)));
    CHECK(sorted(view.removed(2)) == sorted(set.removed(2)));
    for (const std::string name : {"ada", "alan", "barbara", "grace", "nobody"}) {
        CAPTURE(name);
        CHECK(view.contains(name) == set.contains(name));
        CHECK(view.slot_of(name) == set.slot_of(name));
        for (const std::int64_t time : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, never}) {
            CHECK(view.was_added(name, time) == set.was_added(name, time));
            CHECK(view.was_removed(name, time) == set.was_removed(name, time));
        }
        CHECK(view.valid(name) == set.contains(name));
        CHECK(view.last_modified(name) == set.last_modified(name));
        CHECK(view.modified(name, 2) == set.modified(name, 2));
        if (set.contains(name)) CHECK(&view.key(set.slot_of(name)) == &set.key(set.slot_of(name)));
    }
    std::vector<std::int64_t> times;
    for (slot_t slot = 0; slot != 6; ++slot) {
        CAPTURE(slot);
        CHECK(view.valid_at(slot) == set.valid_at(slot));
        CHECK(view.last_modified_at(slot) == set.last_modified_at(slot));
        for (const std::int64_t time : {std::int64_t{1}, std::int64_t{2}, never})
            CHECK(view.modified_at(slot, time) == set.modified_at(slot, time));
        times.push_back(view.last_modified_at(slot));
    }
    CHECK(sorted(times) == std::vector<std::int64_t>{never, never, 1, 1, 1, 2}); // alan is pending
    CHECK(view.was_added("barbara", 2));
    CHECK(view.was_removed("alan", 2));
    CHECK(view.key(view.removed(2).begin().slot()) == "alan");
    CHECK(capture(view, 2) == capture(set, 2));
}

TEMPLATE_TEST_CASE("a view of a dictionary answers as the dictionary does", "[series][views]", ALL_KINDS) {
    const auto dict = stock<TestType>();
    const TSDView view(dict); // deduced
    STATIC_REQUIRE(std::is_same_v<decltype(view), const TSDView<std::string, int, std::int64_t>>);
    CHECK(view.size() == 4);
    CHECK_FALSE(view.empty());
    CHECK(view.window() == 2);
    CHECK(view.valid());
    CHECK(view.last_modified() == 2);
    CHECK(view.modified(2));
    CHECK_FALSE(view.modified(3));
    CHECK(view.count_valid() == 3);
    CHECK(dict.count_valid() == 3);
    CHECK(sorted(view) == items{{"glue", 0}, {"nails", 99}, {"paint", 5}, {"screws", 20}});
    CHECK(sorted(view) == sorted(dict));
    CHECK(sorted(view.added_keys(2)) == keys{"paint"});
    CHECK(sorted(view.removed_keys(2)) == keys{"gone"});
    CHECK(sorted(view.removed_items(2)) == items{{"gone", 1000}});
    CHECK(sorted(view.modified_keys(2)) == keys{"nails", "paint"});
    CHECK(sorted(view.modified_items(2)) == items{{"nails", 99}, {"paint", 5}});
    CHECK(view.reset_keys(2).empty());
    CHECK(view.touched() >= 3);
    for (const std::string name : {"nails", "screws", "glue", "gone", "paint", "dust", "unheard of"}) {
        CAPTURE(name);
        CHECK(view.contains(name) == dict.contains(name));
        CHECK(view.slot_of(name) == dict.slot_of(name));
        CHECK(view.get(name) == dict.get(name));
        CHECK(view.valid(name) == dict.valid(name));
        CHECK(view.last_modified(name) == dict.last_modified(name));
        for (const std::int64_t time : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, never}) {
            CHECK(view.modified(name, time) == dict.modified(name, time));
            CHECK(view.was_added(name, time) == dict.was_added(name, time));
            CHECK(view.was_removed(name, time) == dict.was_removed(name, time));
        }
        if (!dict.contains(name)) continue;
        const slot_t slot = dict.slot_of(name);
        CHECK(&view.at(name) == dict.get(name));
        CHECK(&view.key(slot) == &dict.key(slot));
        CHECK(&view.value(slot) == &dict.value(slot));
    }
    CHECK_THROWS_AS(view.at("gone"), std::out_of_range);
    CHECK_FALSE(view.valid("glue"));
    CHECK(capture(view, 2) == capture(dict, 2));
}

TEMPLATE_TEST_CASE("the keys of a dictionary are a set over time with its own time and deltas", "[series][views]", ALL_KINDS) {
    auto dict = stock<TestType>();
    const TSSView<std::string> view = dict.keys();
    CHECK(view.size() == 4);
    CHECK(view.last_modified() == 2);
    CHECK(sorted(view.added(2)) == keys{"paint"});
    CHECK(sorted(view.removed(2)) == keys{"gone"});
    CHECK(view.was_removed("gone", 2));
    CHECK_FALSE(view.was_added("dust", 2));
    CHECK(sorted(view) == keys{"glue", "nails", "paint", "screws"});
    CHECK((view.last_modified("nails") == 2 && view.last_modified("screws") == 1)); // of their values
    CHECK((view.modified_at(view.slot_of("nails"), 2) && !view.valid("glue") && !view.valid_at(view.slot_of("glue"))));
    dict.write(3).set("nails", 1);
    CHECK(view.window() == 3);
    CHECK(view.last_modified() == 2);
    CHECK_FALSE(view.modified(3));
    CHECK(view.added(2).empty());
    dict.write(4).create("new");
    CHECK(view.modified(4));
    CHECK(sorted(view.added(4)) == keys{"new"});
    typename TestType::dict empty;
    CHECK_FALSE(empty.keys().valid());
    empty.write(1).touch();
    CHECK(empty.valid());
    CHECK_FALSE(empty.keys().valid());
}

TEMPLATE_TEST_CASE("one subscribes through views, to the whole and to the keys", "[series][views]", ALL_KINDS) {
    auto dict = stock<TestType>();
    auto set = names<TestType>();
    Counter whole, membership, members;
    const auto a = dict.view().subscribe(whole);
    const auto b = dict.view().keys().subscribe(membership);
    const auto c = set.view().subscribe(members);
    dict.write(3).set("nails", 1);
    CHECK(whole.told == 1);
    CHECK(membership.told == 0);
    dict.write(4).remove("nails");
    CHECK(whole.told == 2);
    CHECK(membership.told == 1);
    CHECK(whole.level == SeriesLevel::whole);
    CHECK(membership.level == SeriesLevel::keys);
    dict.write(5).touch();
    CHECK(whole.told == 3);
    CHECK(membership.told == 1);
    set.write(3).add("x");
    set.write(3).add("y");
    CHECK(members.told == 2); // each close that changed something is news
    set.write(3).add("y");
    CHECK(members.told == 2);
    CHECK(members.level == SeriesLevel::whole);
}

TEST_CASE("a view stays good while its series changes, and can be another's", "[series][views]") {
    TSDStorage<int, int> dict, other;
    TSDView<int, int> view = dict;
    const TSSView<int> members = dict.keys();
    CHECK(view.empty());
    CHECK_FALSE(view.valid());
    CHECK(view.window() == never);
    CHECK(view.begin() == view.end());
    CHECK(members.begin() == members.end());
    CHECK(view.count_valid() == 0);
    CHECK(view.get(1) == nullptr);
    {
        auto w = dict.write(1);
        for (int i = 0; i != 5'000; ++i) w.set(i, -i);
    }
    CHECK(view.size() == 5'000);
    CHECK(members.size() == 5'000);
    CHECK(view.at(4'321) == -4'321);
    CHECK(members.added(1).size() == 5'000);
    int sum = 0;
    for (const auto [key, value] : view) sum += key + value;
    CHECK(sum == 0);
    dict.write(2).clear();
    CHECK(view.empty());
    CHECK(view.removed_items(2).size() == 5'000);
    dict.write(3).close();
    dict.shrink_to_fit();
    CHECK(view.removed_items(2).empty());
    CHECK(view.begin() == view.end());
    other.write(7).set(1, 2);
    view = other;
    CHECK(view.window() == 7);
    CHECK(view.at(1) == 2);
}

TEST_CASE("a view of a dictionary of sets gives the sets", "[series][views]") {
    using Sets = TSDStorage<std::string, TSSStorage<int>>;
    Sets dict;
    {
        auto w = dict.write(1);
        w.create("odd"), w.create("even"), w.create("none");
        w.modify("odd").add(1), w.modify("even").add(2);
    }
    {
        auto w = dict.write(2);
        auto odd = w.modify("odd");
        odd.add(3), odd.remove(1);
    }
    const auto count = [](TSDView<std::string, TSSStorage<int>> view, std::int64_t now) {
        std::size_t changes = 0;
        for (const auto [key, set] : view.modified_items(now)) {
            const TSSView<int> inner = set;
            changes += inner.added(now).size() + inner.removed(now).size();
        }
        return changes;
    };
    CHECK(count(dict, 2) == 2);
    const TSDView view(dict);
    CHECK(sorted(view.modified_keys(2)) == keys{"odd"});
    CHECK(view.at("odd").view().contains(3));
    CHECK(view.at("odd").window() == 2);
    CHECK(view.at("even").window() == 1);
    CHECK(&view.at("odd") == dict.get("odd"));
    CHECK(view.valid("even"));
    CHECK_FALSE(view.valid("none"));
    CHECK(view.count_valid() == 2);
    CHECK_FALSE(view.keys().modified(2));
    CHECK(capture(view, 2) == capture(dict, 2));
    CHECK(capture(view, 2).modified.at(0).second.added == std::vector{3});
    std::size_t walked = 0;
    for (const auto [key, set] : view) walked += set.size();
    CHECK(walked == 2);
}

TEST_CASE("a delta without a time is that of the open window, of series and views alike", "[views]") {
    TSDStorage<std::string, int> dict;
    {
        auto w = dict.write(1);
        w.set("kept", 1);
        w.set("gone", 2);
    }
    CHECK((dict.added_items().size() == 2 && dict.updated_items().empty() && dict.reset_keys().empty()));
    {
        auto w = dict.write(2);
        w.set("kept", 3);
        w.set("new", 4);
        w.erase("gone");
        w.create("bare");
    }
    const auto same = [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
    const auto agree = [&](const auto& series) {
        CHECK((same(series.added_keys(), series.added_keys(2)) && series.added_keys().size() == 2));
        CHECK((same(series.removed_keys(), series.removed_keys(2)) && series.removed_keys().size() == 1));
        CHECK((same(series.modified_keys(), series.modified_keys(2)) && series.modified_keys().size() == 2));
        CHECK((same(series.updated_keys(), series.updated_keys(2)) && series.updated_keys().size() == 1));
        CHECK(series.reset_keys().empty());
        CHECK((series.added_items().size() == 1 && (*series.added_items().begin()).value == 4));
        CHECK((series.removed_items().size() == 1 && (*series.removed_items().begin()).value == 2));
        CHECK((series.updated_items().size() == 1 && (*series.updated_items().begin()).value == 3));
        CHECK(series.modified_items().size() == 2);
        CHECK((series.count("kept") == 1 && series.count("gone") == 0));
        CHECK((series.value_or("kept", 7) == 3 && series.value_or("gone", 7) == 7));
        CHECK(std::distance(series.items().begin(), series.items().end()) == 3);
        CHECK((same(series.keys().added(), series.added_keys()) && same(series.keys().removed_keys(), series.removed_keys())));
    };
    agree(dict);
    agree(dict.view());
    CHECK(*dict.find(dict.handle_of("new")) == *dict.find("new"));
    CHECK(*dict.handles().begin() == dict.begin().handle());
    dict.write(3).touch();
    CHECK((dict.added_keys().empty() && dict.view().removed_items().empty()));
}

TEST_CASE("a set over time has the names of a dictionary over time", "[views]") {
    TSSStorage<int> set;
    CHECK((set.added().empty() && set.removed_keys().empty())); // before the first window
    set.write(1).assign({1, 2});
    set.write(2).assign({2, 3});
    const auto agree = [](const auto& series) {
        CHECK((series.added().size() == 1 && *series.added().begin() == 3 && *series.added_keys(2).begin() == 3));
        CHECK((series.removed().size() == 1 && *series.removed().begin() == 1 && *series.removed_keys(2).begin() == 1));
        CHECK((*series.added_keys().begin() == 3 && *series.removed_keys().begin() == 1));
        CHECK((series.added_keys(1).empty() && series.removed_keys(1).empty()));
        CHECK((series.count(2) == 1 && series.count(1) == 0));
        int sum = 0;
        for (const int key : series.values()) sum += key;
        CHECK(sum == 5);
    };
    agree(set);
    agree(set.view());
    for (const auto [handle, key] : set.items()) CHECK((set.handle_of(key) == handle && *set.find(handle) == key));
    CHECK(std::distance(set.handles().begin(), set.handles().end()) == 2);
}
