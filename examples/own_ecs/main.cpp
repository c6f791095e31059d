// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// An ECS of one's own, out of the parts of slotwise/ecs: ids are an enum, tables are written here, and there is no store and no
// registry. An ArchetypeGraph finds the table of each change, a ComponentIndex the tables of each walk, an EntityIndex the place
// of each entity. A farm is simulated twice, by this ECS and by a struct for each entity, and both must agree.

#include <slotwise/ecs/archetype_graph.hpp>
#include <slotwise/ecs/component_index.hpp>
#include <slotwise/ecs/entity_location.hpp>
#include <slotwise/sparse/entity_index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace slotwise;

/// What an entity may have: a number of each. Whatever burns has health, and nothing is on land and in water.
enum class Trait : std::uint8_t { health, burning, on_land, in_water };
constexpr std::size_t trait_count = 4;

/// A table: the entities that have the same traits, and an array for each trait. Its id in the graph is its set of traits.
struct Table {
    std::vector<Trait> traits{};
    std::vector<Entity> entities{};
    std::vector<std::vector<int>> columns{}; // in the order of the traits

    Table(std::span<const Trait> ids) : traits(ids.begin(), ids.end()), columns(ids.size()) {}
    std::size_t column_of(Trait trait) const {
        std::size_t column = 0;
        while (column != traits.size() && traits[column] != trait) ++column;
        return column; // traits.size(): it has none
    }
};

/// What an edge between two tables has: where each value of a row that comes is found. The graph makes it once for each edge.
struct Route {
    std::vector<std::size_t> from{}; // the column of the source, for each of the destination

    Route(const Table& source, const Table& destination) {
        for (const Trait trait : destination.traits) from.push_back(source.column_of(trait));
    }
};

/// What comes along with a trait, and what leaves when it comes.
struct TraitRules {
    static constexpr std::size_t number(Trait trait) noexcept { return static_cast<std::size_t>(trait); }
    template <class F>
    static void with(Trait trait, F&& f) {
        if (trait == Trait::burning) f(Trait::health);
    }
    static constexpr bool is_ground(Trait trait) noexcept { return trait == Trait::on_land || trait == Trait::in_water; }
    static constexpr bool replaces(Trait added, Trait present) noexcept { return is_ground(added) && is_ground(present); }
    static constexpr bool may_replace(Trait trait) noexcept { return is_ground(trait); }
};

class Ecs {
    using Graph = ArchetypeGraph<Table, Trait, Route, TraitRules>;
    using Index = ComponentIndex<Table*, Trait>;

public:
    std::size_t size() const noexcept { return places_.size(); }
    std::size_t tables() const noexcept { return graph_.size(); }
    std::size_t edges() const noexcept { return graph_.edges(); }
    bool is_alive(Entity entity) const noexcept { return places_.is_alive(entity); }

    Entity spawn() {
        const Entity entity = places_.create();
        const auto root = graph_.insert({}, make());
        register_made();
        places_[entity].set(root.index(), append(graph_[root], entity));
        return entity;
    }
    void despawn(Entity entity) {
        EntityLocation* const at = places_.location(entity);
        if (at == nullptr) return;
        erase_row(graph_.at_slot(at->table()), at->row());
        places_.destroy(entity);
    }
    /// Gives the entity the trait with this value, and what comes with it with 0. Nothing if it has the trait, or does not live.
    void add(Entity entity, Trait trait, int value) {
        EntityLocation* const at = places_.location(entity);
        if (at == nullptr) return;
        const auto step = graph_.add(at->table(), trait, make());
        register_made();
        if (!step) return;
        move(*at, step);
        Table& table = graph_[step.node];
        table.columns[table.column_of(trait)][at->row()] = value;
    }
    void remove(Entity entity, Trait trait) {
        EntityLocation* const at = places_.location(entity);
        if (at == nullptr) return;
        const auto step = graph_.remove(at->table(), trait, make());
        register_made();
        if (step) move(*at, step);
    }
    /// The value of a trait; null if the entity does not have it, or does not live.
    int* get(Entity entity, Trait trait) {
        const EntityLocation* const at = places_.location(entity);
        if (at == nullptr) return nullptr;
        Table& table = graph_.at_slot(at->table());
        const Index::Entry* const found = index_.find(trait, &table);
        return found == nullptr ? nullptr : &table.columns[static_cast<std::size_t>(found->column)][at->row()];
    }
    /// Calls f(entity, values...) for each entity with these traits. Of the two lists of tables the shorter one is walked.
    template <class F>
    void for_each(Trait a, Trait b, F&& f) {
        const bool a_is_rarer = index_.count(a) < index_.count(b);
        for (const Index::Entry entry : index_.tables(a_is_rarer ? a : b)) {
            Table& table = *entry.table;
            const Index::Entry* const other = index_.find(a_is_rarer ? b : a, entry.table);
            if (other == nullptr) continue;
            const auto first = static_cast<std::size_t>(a_is_rarer ? entry.column : other->column);
            const auto second = static_cast<std::size_t>(a_is_rarer ? other->column : entry.column);
            for (std::size_t row = 0; row != table.entities.size(); ++row)
                f(table.entities[row], table.columns[first][row], table.columns[second][row]);
        }
    }
    bool check() const { return graph_.check_invariants() && index_.check_invariants() && index_.size() == graph_.size(); }

private:
    struct MakeTable {
        std::optional<Graph::handle_type>* made;
        Table operator()(Graph::handle_type node, std::span<const Trait> traits) const {
            *made = node;
            return Table(traits);
        }
    };
    MakeTable make() noexcept { return {&made_}; }
    /// A table that the graph has made is found by its traits from now on. Nodes never move, so its address names it.
    void register_made() {
        if (!made_) return;
        Table& table = graph_[*std::exchange(made_, std::nullopt)];
        index_.insert(&table, table.traits, [](slot_t place) { return static_cast<int>(place); });
    }
    static slot_t append(Table& table, Entity entity) {
        table.entities.push_back(entity);
        for (std::vector<int>& column : table.columns) column.push_back(0);
        return static_cast<slot_t>(table.entities.size() - 1);
    }
    void move(EntityLocation& at, const Graph::Step& step) {
        Table &from = graph_.at_slot(at.table()), &to = graph_[step.node];
        const slot_t row = append(to, from.entities[at.row()]);
        for (std::size_t column = 0; column != to.columns.size(); ++column)
            if (const std::size_t source = step.edge->from[column]; source != from.columns.size())
                to.columns[column][row] = from.columns[source][at.row()];
        erase_row(from, at.row());
        at.set(step.node.index(), row);
    }
    /// The last row comes in its place.
    void erase_row(Table& table, slot_t row) {
        const Entity last = table.entities.back();
        table.entities[row] = last;
        table.entities.pop_back();
        for (std::vector<int>& column : table.columns) {
            column[row] = column.back();
            column.pop_back();
        }
        places_[last].set_row(row);
    }

    EntityIndex<Entity, EntityLocation> places_{};
    Graph graph_{};
    Index index_{};
    std::optional<Graph::handle_type> made_{}; // the table that the change which is running has made
};

/// The same for one entity, without tables: what it has of each trait.
struct Plain {
    std::array<std::optional<int>, trait_count> values{};

    std::optional<int>& operator[](Trait trait) { return values[static_cast<std::size_t>(trait)]; }
    void add(Trait trait, int value) {
        if ((*this)[trait]) return;
        (*this)[trait] = value;
        if (trait == Trait::burning && !(*this)[Trait::health]) (*this)[Trait::health] = 0;
        if (trait == Trait::on_land) (*this)[Trait::in_water].reset();
        if (trait == Trait::in_water) (*this)[Trait::on_land].reset();
    }
};

int failures = 0;
void check(bool holds, std::string_view what) {
    if (!holds) ++failures;
    std::cout << (holds ? "  ok      " : "  FAILED  ") << what << '\n';
}

} // namespace

int main() {
    Ecs ecs;
    std::vector<std::pair<Entity, Plain>> all;
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    std::size_t burnt = 0, burnt_plain = 0;
    for (int day = 0; day != 20'000; ++day) {
        if (all.size() < 500) all.emplace_back(ecs.spawn(), Plain());
        auto& [entity, plain] = all[below(all.size())];
        const auto trait = static_cast<Trait>(below(trait_count));
        if (random() % 3 != 0) {
            const int value = 1 + static_cast<int>(below(9));
            ecs.add(entity, trait, value);
            plain.add(trait, value);
        } else {
            ecs.remove(entity, trait);
            plain[trait].reset();
        }
        if (day % 100 != 0) continue;
        ecs.for_each(Trait::health, Trait::burning, [&](Entity, int& health, int burning) { health -= burning; });
        std::vector<Entity> dead; // rows do not move in a walk
        ecs.for_each(Trait::burning, Trait::health, [&](Entity each, int, int health) {
            if (health < 0) dead.push_back(each);
        });
        for (const Entity each : dead) ecs.despawn(each);
        burnt += dead.size();
        for (std::size_t i = all.size(); i-- != 0;) {
            Plain& each = all[i].second;
            if (!each[Trait::burning] || !each[Trait::health]) continue;
            *each[Trait::health] -= *each[Trait::burning];
            if (*each[Trait::health] >= 0) continue;
            ++burnt_plain;
            if (ecs.is_alive(all[i].first)) check(false, "an entity that burnt down has not been despawned");
            all[i] = all.back();
            all.pop_back();
        }
    }
    bool same = true;
    for (auto& [entity, plain] : all)
        for (const Trait trait : {Trait::health, Trait::burning, Trait::on_land, Trait::in_water}) {
            const int* const value = ecs.get(entity, trait);
            same = same && (value != nullptr) == plain[trait].has_value() && (value == nullptr || *value == *plain[trait]);
        }
    std::cout << ecs.size() << " entities in " << ecs.tables() << " tables, which " << ecs.edges() << " edges connect; "
              << burnt << " have burnt down\n";
    check(ecs.check(), "graph and index agree");
    check(same, "each entity has the traits and values of its twin");
    check(ecs.size() == all.size() && burnt == burnt_plain && burnt > 100, "as many live, and as many have burnt down");
    check(ecs.tables() <= 12, "no table has both grounds: 12 of the 16 sets of traits are left");
    std::cout << "\ncheck: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
