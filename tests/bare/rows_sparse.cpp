// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Without exceptions and RTTI: rows and sparse containers do what they do with them, and say in the hook what they refuse.
#include "bare.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace slotwise;
using bare::check;

namespace {

using Entity = Handle<struct World>;
struct Particle {
    float x = 0;
    int life = 0;
};

/// Restored, copied, moved and swapped, it is the same.
template <class C>
void travels(const C& c, const char* name) {
    C restored, copied, moved(c);
    restored.restore(c.snapshot());
    copied = c;
    const C taken(std::move(moved));
    check(restored == c && copied == c && taken == c && c.check_invariants(), name);
    auto bytes = c.snapshot();
    bytes.pop_back();
    check(restored.try_restore(bytes) != nullptr && restored == c, name);
}

void run_rows() {
    SoaVector<int, std::string> rows;
    for (int i = 0; i != 100; ++i) rows.push_back(i, std::to_string(i));
    rows.erase_if([](const auto& row) { return row.template get<0>() % 2 == 0; });
    rows.sort<0>([](int a, int b) { return a > b; });
    check(rows.size() == 50 && rows[0].get<1>() == "99" && rows.column<0>()[49] == 1, "SoaVector");
    travels(rows, "SoaVector travels");
    SoaVector<std::unique_ptr<int>> owners;
    owners.push_back(std::make_unique<int>(7));
    owners.reserve(100);
    check(*owners[0].get<0>() == 7, "rows that can only be moved");

    SoaStruct<&Particle::x, &Particle::life> particles;
    particles.push_back(Particle{1, 2});
    particles.column<&Particle::x>()[0] += 1;
    check(static_cast<Particle>(particles[0]).x == 2, "SoaStruct");

    AnyRows described{&TypeDescriptor::of<int>(), &TypeDescriptor::of<std::string>()},
        other{&TypeDescriptor::of<std::string>()};
    described.push_back({AnyValue::of(5), AnyValue::of(std::string("five"))});
    const std::int32_t map[] = {1};
    AnyRows::move_row(described, 0, other, map);
    check(described.empty() && other.column(0).as<std::string>()[0] == "five", "AnyRows");

    BitColumn bits(200, true), not_these(200);
    not_these.set(70);
    std::size_t seen = 0;
    for_each_run(200, include(bits), exclude(not_these), [&](std::size_t first, std::size_t last) { seen += last - first; });
    check(seen == 199, "BitColumn");
    travels(bits, "BitColumn travels");
    TickColumn ticks(500, 1);
    ticks.mark(77, 9);
    ticks.for_each_changed(5, [&](std::size_t row) { seen += row; });
    check(seen == 199 + 77, "TickColumn");
    travels(ticks, "TickColumn travels");
}

struct Counter final : RowObserver {
    std::size_t rows = 0;
    void on_insert(std::size_t) override { ++rows; }
    void on_erase(std::size_t) noexcept override { --rows; }
    void on_clear() noexcept override { rows = 0; }
};

void run_sparse() {
    EntityIndex<Entity, Particle> entities;
    const auto squad = entities.create_n(100);
    const std::vector<Entity> ids(squad.begin(), squad.end());
    entities.location(ids[7])->life = 3;
    entities.destroy(ids[3]);
    check(entities.size() == 99 && !entities.is_alive(ids[3]) && entities.create() != ids[3], "EntityIndex");

    SparseMap<Entity, std::string> names;
    SparseSet<Entity> chosen;
    Counter counter;
    const auto token = names.attach(counter);
    SparseGroup both(names, chosen);
    for (const Entity id : ids) names.try_emplace(id, std::to_string(id.index()));
    for (std::size_t i = 0; i != 100; i += 10) chosen.insert(ids[i]);
    chosen.insert(Entity(2'000'000'000, 1));
    names.erase(ids[10]);
    check(both.size() == 9 && counter.rows == 99 && names[ids[20]] == "20" && !names.contains(Entity(20, 7)),
          "SparseMap, SparseGroup");
    travels(names, "SparseMap travels");
    travels(chosen, "SparseSet travels");

    SwitchMap<Entity, int> states;
    for (const Entity id : ids) states.set(id, static_cast<int>(id.index() % 3));
    states.set(ids[0], 2);
    check(states.of(0).size() == 33 && states.erase_value(1) == 33 && *states.get(ids[0]) == 2, "SwitchMap");
    travels(states, "SwitchMap travels");
}

constexpr bare::Case cases[] = {
    {"sparse_at", "SparseMap at(id)", [] { SparseMap<Entity, int>().at(Entity(1, 1)); }},
    {"switch_at", "SwitchMap at(id)", [] { SwitchMap<Entity, int>().at(Entity(1, 1)); }},
    {"entity_at", "EntityIndex at(id)", [] { EntityIndex<Entity, int>().at(Entity(1, 1)); }},
    {"no_snapshot", "snapshot", [] { SparseSet<Entity>().restore({}); }},
    {"another_type", "AnySpan::as<T>()",
     [] {
         AnyRows rows{&TypeDescriptor::of<int>()};
         static_cast<void>(rows.column(0).as<float>());
     }},
    {"two_groups", "a group owns this container already",
     [] {
         SparseSet<Entity> a, b;
         const SparseGroup first(a, b), second(a, b);
     }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] {
        run_rows();
        run_sparse();
    });
}
