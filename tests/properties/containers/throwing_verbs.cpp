// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What adds a range, value_or and erase_if(container, pred) leave when what they call throws.
#include "support/catch.hpp"
#include "support/sweep.hpp"
#include "support/tracked.hpp"

#include <slotwise/slotwise.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

using namespace test;
using namespace slotwise;

namespace {

using Value = ThrowingCopy;
struct ValueHash {
    std::size_t operator()(const Value& value) const noexcept { return static_cast<std::size_t>(value.value()); }
};
using Set = SetStorage<Value, HashBy<ValueHash>>;
using Map = MapStorage<int, Value>;
using Dict = TSDStorage<int, Value>;
using H = SlotMap<int>::handle_type;

const std::vector<Value>& five() {
    static const std::vector<Value> values = [] {
        std::vector<Value> made;
        for (int n = 0; n != 5; ++n) made.emplace_back(n);
        return made;
    }();
    return values;
}
/// act(c), which calls `function`, fails at each step in turn; c is sound then, and not larger than when nothing fails.
template <class C, class Fill, class Act>
void sweep(const Swept& function, Fill fill, Act act) {
    const auto failures = fail_at_every_step(function, [&](auto&& attempt) {
        C c;
        fill(c);
        attempt([&] { act(c); });
        REQUIRE(c.check_invariants());
        REQUIRE(c.size() <= 5);
    });
    REQUIRE(failures > 0);
}
/// The same for a function of C.
template <class C, class Fill, class Act>
void sweep(const char* function, Fill fill, Act act) {
    sweep<C>(swept<C>(function), fill, act);
}
constexpr auto nothing = [](auto&) {};
void is_seven(const Value& value) { // CHECK would keep what is thrown
    if (value.value() != 7) FAIL("another value");
}

} // namespace

TEST_CASE("a range whose element throws on its way in leaves those before it", "[properties][throws]") {
    static_cast<void>(five()); // they live on
    const NothingLeaks objects;
    const auto slot_map = [&]<class C>(C) {
        sweep<C>("insert_range", nothing, [](C& c) { c.insert_range(five()); });
        sweep<C>("(...)", nothing, [](C&) { const C made(five().begin(), five().end()); });
    };
    slot_map(SlotMap<Value>());
    slot_map(DenseSlotMap<Value>());
    using Rows = SoaSlotMap<Value, int>;
    sweep<Rows>("insert_range", nothing, [](Rows& c) { c.insert_range(std::vector<std::tuple<Value, int>>{{Value(1), 2}}); });
    const auto secondary = [&]<class C, class Name>(C, Name first, Name next) {
        using Entries = std::initializer_list<std::pair<Name, Value>>;
        sweep<C>("emplace", nothing, [=](C& c) { c.emplace(first, 1); });
        sweep<C>("insert_range", nothing, [=](C& c) { c.insert_range(Entries{{first, Value(1)}, {next, Value(2)}}); });
        sweep<C>("(...)", nothing, [=](C&) { const C made{{first, Value(1)}, {next, Value(2)}}; });
    };
    secondary(SecondaryMap<H, Value>(), H(1, 1), H(2, 1));
    secondary(SparseSecondaryMap<H, Value>(), H(1, 1), H(2, 1));
    secondary(IndexMap<Value>(), slot_t{1}, slot_t{2});
    sweep<Set>("insert", nothing, [](Set& c) { c.insert(five().begin(), five().end()); });
    sweep<Set>("insert_range", nothing, [](Set& c) { c.insert_range(five()); });
    using Series = TSSStorage<Value, HashBy<ValueHash>>;
    sweep<Series>(swept<Series::writer>("insert_range"), nothing, [](Series& c) { c.write(1).insert_range(five()); });
    sweep<Map>("insert", nothing, [](Map& c) { c.insert({{1, Value(1)}, {2, Value(2)}}); });
    sweep<Map>("insert_range", nothing, [](Map& c) { c.insert_range(std::vector<std::pair<int, Value>>{{1, Value(1)}}); });
}

TEST_CASE("value_or whose copy throws leaves the container as it was", "[properties][throws]") {
    const NothingLeaks objects;
    const auto slot_map = [&]<class C>(C) {
        sweep<C>(
            "value_or", [](C& c) { c.emplace(7); }, [](C& c) { is_seven(c.value_or(*c.handles().begin(), 1)); });
    };
    slot_map(SlotMap<Value>());
    slot_map(DenseSlotMap<Value>());
    const auto secondary = [&]<class C, class Name>(C, Name name) {
        sweep<C>(
            "value_or", [=](C& c) { c.try_emplace(name, 7); }, [=](C& c) { is_seven(c.value_or(name, 1)); });
    };
    secondary(SecondaryMap<H, Value>(), H(3, 1));
    secondary(SparseSecondaryMap<H, Value>(), H(3, 1));
    secondary(IndexMap<Value>(), slot_t{3});
    const auto keyed = [](const auto& c) { is_seven(c.value_or(3, 1)); };
    const auto fill = [](Map& c) { c.try_emplace(3, 7); };
    sweep<Map>("value_or", fill, keyed);
    sweep<Map>("value_or", fill, [&](Map& c) { keyed(MapView(c)); });
    const auto write = [](Dict& c) { c.write(1).modify((c.write(1).create(3), 3)) = Value(7); };
    sweep<Dict>("value_or", write, keyed);
    sweep<Dict>("value_or", write, [&](Dict& c) { keyed(c.view()); });
    sweep<Dict>("value_or", write, [&](Dict& c) { keyed(c.write(1)); });
}

TEST_CASE("erase_if whose predicate throws has erased what it said before", "[properties][throws]") {
    const NothingLeaks objects;
    const auto run = [&]<class C>(C, auto fill) {
        sweep<C>(swept("erase_if"), fill, [](C& c) {
            erase_if(c, [](const auto&...) {
                Budget::spend();
                return true;
            });
        });
    };
    run(SlotMap<int>(), [](auto& c) { c.insert_range(std::vector<int>{1, 2, 3}); });
    run(MapStorage<int, int>(), [](auto& c) { c.insert({{1, 1}, {2, 2}}); });
}

TEST_CASE("at(handle) of no key throws out_of_range", "[properties][throws]") {
    SetStorage<int> set{1};
    const auto handle = set.handle_of(1);
    CHECK(set.at(handle) == 1);
    set.erase(handle);
    CHECK_THROWS_AS(set.at(handle), std::out_of_range);
    TSSStorage<int> series;
    series.write(1).add(1);
    const auto key = series.handle_of(1);
    CHECK(series.at(key) == 1);
    series.write(1).remove(1);
    CHECK_THROWS_AS(series.at(key), std::out_of_range);
}
