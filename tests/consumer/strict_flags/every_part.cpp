// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Templates warn when they are instantiated, so this file uses one container of each folder.
#include <slotwise/slotwise.hpp>

#include <cstdint>
#include <functional>

namespace {

struct Position {
    int x = 0;
};
struct Velocity {
    int x = 1;
};

int walk_store() {
    slotwise::ArchetypeStore store;
    const slotwise::Entity first = store.spawn(Position{}, Velocity{});
    slotwise::CommandBuffer commands(store);
    commands.set(first, Position{2});
    store.apply(commands);
    store.query<Position, const Velocity>().for_each([](Position& p, const Velocity& v) { p.x += v.x; });
    int sum = 0;
    for (auto [entity, p] : store.query<const Position>().changed<Position>(0)) sum += entity == first ? p.x : 0;
    return sum;
}

std::int64_t walk_arrow() {
    slotwise::Exportable<slotwise::MapStorage<std::uint64_t, std::string, slotwise::Column<bool>>> map;
    map.write()->insert(1u, "one");
    slotwise::ArchetypeStore store;
    store.spawn(1u, 2);
    ArrowArrayStream first, second;
    slotwise::export_stream(map.pin(), &first, {.rows = slotwise::Rows::slots, .handles = true});
    slotwise::export_stream(store.query<const unsigned, slotwise::Optional<const int>>(), &second);
    std::int64_t rows = 0;
    for (ArrowArrayStream* const raw : {&first, &second}) {
        slotwise::OwnedStream stream(raw);
        for (slotwise::OwnedArray batch = stream.next(); batch; batch = stream.next()) rows += batch->length;
    }
    return rows;
}

int walk_containers() {
    slotwise::DenseSlotMap<int> dense;
    dense.insert(1);
    slotwise::SoaSlotMap<int, double> soa;
    soa.insert(2, 0.5);
    slotwise::MapStorage<std::uint64_t, int> map;
    map.insert(3u, 3);
    slotwise::HandlePool<int> pool;
    pool.create();
    slotwise::IndexMap<int> numbers;
    for (const auto [id, value] : numbers) numbers.insert_or_assign(id, value);
    static_cast<void>(numbers.lower_bound(1) == numbers.find(1));
    slotwise::SparseMap<std::uint32_t, int> sparse;
    sparse.insert(4u, 4);
    slotwise::RelationMap<std::uint32_t, std::uint32_t, std::uint32_t> relations;
    relations.insert(1u, 2u, 3u);
    slotwise::DataflowGraph<int, double> graph;
    const auto node = graph.add(1, 2, 1);
    graph.set_input(node, 0, 1.5);
    graph.evaluate([](int, auto& context) { context.set_output(0, context.input(0) + context.input(1)); });
    int sum = static_cast<int>(dense.size() + soa.size() + pool.size() + relations.size() + graph.pins());
    sum += static_cast<int>(slotwise::encode_metadata({{"key", "value"}}).size()) + *slotwise::format_of<double>;
    for (const int value : map.values()) sum += value;
    for (const auto [id, value] : sparse.items()) sum += value;
    return sum;
}

} // namespace

int walk_every_part(); // main() does not call it: what counts is that it compiles
int walk_every_part() { return walk_store() + walk_containers() + static_cast<int>(walk_arrow()); }
