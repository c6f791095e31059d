// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Where a standard container converts what it is given to its own type, it does so in silence; so do ours. Classes that users derive, keys and
// values of floating point are here for the same reason. tools/check_headers.py warnings compiles it with every warning, each of them an error.
#include <slotwise/slotwise.hpp>

#include <cstdint>
#include <string>

namespace {

struct Counter : slotwise::SlotObserver { // neither final nor with a destructor of its own
    void on_insert(slotwise::slot_t, slotwise::InsertKind) override { ++count; }
    int count = 0;
};
struct Rows : slotwise::RowObserver {
    void on_insert(std::size_t) override { ++count; }
    int count = 0;
};
struct Ticks : slotwise::SeriesSubscriber<> {
    void on_tick(const slotwise::SeriesTick<>&) noexcept override { ++count; }
    int count = 0;
};
using Graph = slotwise::DataflowGraph<int, double>;
struct Outputs : slotwise::OutputSubscriber<Graph::handle_type, double> {
    void on_output(Graph::handle_type, slotwise::slot_t, const double&) noexcept override { ++count; }
    int count = 0;
};

int slot_maps(int number, double real) {
    slotwise::SlotMap<short> shorts;
    shorts.emplace(number);
    slotwise::SlotMap<std::string> texts;
    texts.emplace(number, 'x'); // int to size_type, as std::vector's emplace_back takes it
    slotwise::DenseSlotMap<float> floats;
    floats.emplace(real);
    slotwise::SlotMap<double> reals{real};
    const slotwise::SlotMap<double> same = reals;
    Counter counter;
    const auto attached = shorts.attach(counter);
    shorts.emplace(number);
    slotwise::SecondaryMap<slotwise::SlotMap<short>::handle_type, float> notes;
    slotwise::SparseSecondaryMap<slotwise::SlotMap<short>::handle_type, float> few;
    for (const auto [handle, value] : shorts.items()) {
        notes.insert_or_assign(handle, real);
        notes.insert_or_assign(handle, real);
        few.insert_or_assign(handle, real);
        few.try_emplace(handle, value);
    }
    return counter.count + (same == reals ? 1 : 0);
}

int keyed(int number, double real) {
    slotwise::MapStorage<double, float> map;
    map.try_emplace(real, real);
    map.emplace(real, number);
    const slotwise::MapStorage<double, float> same = map;
    slotwise::SetStorage<std::string> set;
    set.emplace(number, 'x');
    slotwise::TSSStorage<std::string> members;
    members.write(1).emplace(number, 'x');
    slotwise::TSDStorage<double, float> prices;
    prices.write(1).try_emplace(real, number);
    prices.write(2).set(real, real);
    map.insert_or_assign(real, real);
    map.insert(real, real);
    Ticks ticks;
    const auto subscription = prices.subscribe(ticks);
    return ticks.count + (same == map ? 1 : 0);
}

int sparse(int number, double real) {
    slotwise::SparseMap<std::uint32_t, float> map;
    map.try_emplace(1u, real);
    Rows rows;
    const auto attached = map.attach(rows);
    map.try_emplace(2u, number);
    map.insert_or_assign(2u, real);
    slotwise::SoaVector<float, short> soa;
    soa.push_back(real, number);
    soa.insert(0, real, number);
    slotwise::Versioned<float> versioned;
    static_cast<void>(versioned.set(static_cast<float>(real)));
    return rows.count;
}

int graph(double real) {
    Graph graph;
    const auto node = graph.add(1, 1, 1);
    Outputs outputs;
    const auto subscription = graph.subscribe(node, 0, outputs);
    graph.set_input(node, 0, real);
    graph.evaluate([](int, auto& context) { context.set_output(0, context.input(0)); });
    return outputs.count;
}

} // namespace

int main() { return slot_maps(1, 1.5) + keyed(2, 2.5) + sparse(3, 3.5) + graph(4.5) != 0 ? 0 : 1; }
