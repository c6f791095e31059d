// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Const members of rows and sparse containers, read by eight threads at once.
#include "support/readers.hpp"

#include <slotwise/slotwise.hpp>

namespace {

using namespace slotwise;
using test::eight_readers;
using test::Sum;
using Unit = Handle<struct Read>;

template <class C>
void read_sizes(const C& c, Sum& sum) {
    sum += c.size();
    sum += c.empty();
    sum += c.check_invariants();
    sum += c.snapshot().size();
    sum += c == C(c);
}

} // namespace

TEST_CASE("const members of rows may be called by many threads", "[readers]") {
    SoaVector<int, float> rows;
    AnyRows described{&TypeDescriptor::of<int>()};
    BitColumn bits;
    TickColumn ticks;
    for (int i = 0; i != 300; ++i) {
        rows.push_back(i, 0.5f);
        described.push_back({AnyValue::of(i)});
        bits.push_back(i % 3 == 0);
        ticks.push_back(static_cast<tick_t>(i));
    }
    eight_readers(rows, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        for (const auto [number, weight] : c) sum += number;
        for (const int number : c.template column<0>()) sum += number;
        sum += c[7].template get<0>();
        c.template for_each_block<64, 0>([&](auto numbers) { sum += numbers[0]; });
    });
    eight_readers(described, [](const auto& c, Sum& sum) {
        sum += c.size();
        sum += c.check_invariants();
        for (const int number : c.column(0).template as<int>()) sum += number;
    });
    eight_readers(bits, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        sum += c.count();
        sum += c.test(3);
        c.for_each_run([&](std::size_t first, std::size_t last) { sum += first, sum += last; });
    });
    eight_readers(ticks, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        c.for_each_changed(200, [&](std::size_t row) { sum += row; });
        sum += c.any_added(299);
        sum += c.changed_since(7, 3);
    });
}

TEST_CASE("const members of sparse containers may be called by many threads", "[readers]") {
    EntityIndex<Unit, int> entities;
    SparseMap<Unit, int> map;
    SparseSet<Unit> set;
    SwitchMap<Unit, int> states;
    SparseGroup group(map, set);
    for (int i = 0; i != 300; ++i) {
        const Unit id = entities.create();
        map.try_emplace(id, i);
        if (i % 2 == 0) set.insert(id);
        states.set(id, i % 5);
    }
    entities.destroy(entities.alive()[7]);
    eight_readers(entities, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        for (const Unit id : c.alive()) sum += *c.location(id), sum += c.row_of(id), sum += c.explain(id);
        for (const Unit id : c.dead()) sum += c.is_alive(id);
        sum += c.retired();
    });
    eight_readers(map, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        for (const auto& [id, value] : c) sum += id, sum += value, sum += c.at(id), sum += c.count(id);
        for (const auto& chunk : c.chunks()) sum += chunk.size();
        for (const int value : c.values()) sum += value;
        sum += c.find(Unit(7, 3)) == c.end();
    });
    eight_readers(set, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        for (const Unit id : c) sum += id, sum += c.row_of(id);
        sum += c.owned();
    });
    eight_readers(states, [](const auto& c, Sum& sum) {
        read_sizes(c, sum);
        for (const auto& [value, ids] : c) sum += value, sum += ids.size(), sum += c.of(value).size();
        for (const Unit id : c.ids()) sum += c.at(id);
    });
    eight_readers(group, [](const auto& c, Sum& sum) {
        sum += c.size();
        c.for_each([&](Unit id, int value) { sum += id, sum += value; });
        for (const auto& [id, value] : c) sum += c.row_of(id), sum += value;
    });
}
