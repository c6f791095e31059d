// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Tables by hand: a vector a component, a set of vectors for each kind of entity, written where the entities are made. Entities
// are numbers of rows; they do not die, and get no further components.

#include "special.hpp"
#include "swarm.hpp"

#include <cstring>
#include <map>
#include <tuple>

namespace {

using namespace bench;
using namespace bench::ecs;

class Arrays {
    struct Table {
        std::tuple<std::vector<Vec<0>>, std::vector<Vec<1>>, std::vector<Vec<2>>, std::vector<Vec<3>>, std::vector<Vec<4>>,
                   std::vector<Vec<5>>, std::vector<Vec<6>>, std::vector<Vec<7>>, std::vector<sw::Position>,
                   std::vector<sw::Velocity>, std::vector<sw::Data>, std::vector<sw::Health>, std::vector<sw::Damage>,
                   std::vector<sw::Player>, std::vector<sw::Sprite>>
            columns;
        std::size_t size = 0;

        template <class C>
        auto& column() {
            return std::get<std::vector<std::remove_const_t<C>>>(columns);
        }
    };

public:
    using Entity = std::uint32_t;

    template <class... C>
    SLOTWISE_BENCH_STEP Entity spawn(const C&... c) {
        return append(tables_[kind_of<C...>], c...);
    }
    template <class... C>
    Entity spawn_in(std::uint32_t kinds_too, const C&... c) {
        const auto [it, made] = numbers_.try_emplace(kinds_too, tables_.size());
        if (made) tables_.emplace_back();
        return append(tables_[it->second], c...);
    }
    template <class... Others>
    void spawn_lacking(unsigned lacks, const sw::Position& p, const sw::Velocity& v, const sw::Data& d,
                       const Others&... others) {
        spawn_in(lacks, others...);
        Table& table = tables_[numbers_[lacks]];
        if (!(lacks & sw::lacks_position)) table.template column<sw::Position>().push_back(p);
        if (!(lacks & sw::lacks_velocity)) table.template column<sw::Velocity>().push_back(v);
        if (!(lacks & sw::lacks_data)) table.template column<sw::Data>().push_back(d);
    }
    template <class... C>
    void spawn_n(std::size_t n, const C&... c) {
        Table& table = tables_[0];
        (table.template column<C>().resize(table.size + n, c), ...);
        table.size += n;
    }
    template <class C>
    SLOTWISE_BENCH_STEP const C* get(Entity entity) {
        return &tables_[0].template column<C>()[entity];
    }
    // Of P and V.
    std::vector<std::byte> save() {
        std::vector<std::byte> bytes(tables_[0].size * (sizeof(P) + sizeof(V)));
        std::memcpy(bytes.data(), tables_[0].column<P>().data(), tables_[0].size * sizeof(P));
        std::memcpy(bytes.data() + tables_[0].size * sizeof(P), tables_[0].column<V>().data(), tables_[0].size * sizeof(V));
        return bytes;
    }
    void load(const std::vector<std::byte>& bytes) {
        tables_[0].size = bytes.size() / (sizeof(P) + sizeof(V));
        tables_[0].column<P>().resize(tables_[0].size);
        tables_[0].column<V>().resize(tables_[0].size);
        std::memcpy(tables_[0].column<P>().data(), bytes.data(), tables_[0].size * sizeof(P));
        std::memcpy(tables_[0].column<V>().data(), bytes.data() + tables_[0].size * sizeof(P), tables_[0].size * sizeof(V));
    }
    template <class... C, class F>
    SLOTWISE_BENCH_STEP void each(F f) {
        for (Table& table : tables_) {
            const std::size_t size = table.size;
            if (!((table.template column<C>().size() == size) && ...)) continue;
            [&](C*... columns) {
                for (std::size_t i = 0; i != size; ++i) f(columns[i]...);
            }(table.template column<C>().data()...);
        }
    }

private:
    // The tables of entities that have all components of a walk, and of those that have Vec<7> instead of the last one.
    template <class... C>
    static constexpr std::uint32_t kind_of = (std::is_same_v<C, Vec<7>> || ...) ? 1 : 0;

    template <class... C>
    SLOTWISE_BENCH_STEP static Entity append(Table& table, const C&... c) {
        (table.template column<C>().push_back(c), ...);
        return static_cast<Entity>(table.size++);
    }

    std::vector<Table> tables_ = std::vector<Table>(2);
    std::map<std::uint32_t, std::size_t> numbers_;
};

// An array a component, a byte an entity that tells whether it is there, a version and a stack of free numbers: no tables. A
// walk asks each entity.
class Flags {
    template <class C>
    struct Column {
        std::vector<C> values;
        std::vector<std::uint8_t> there;
    };
    using Columns = std::tuple<Column<Vec<0>>, Column<Vec<1>>, Column<Vec<2>>, Column<Vec<3>>, Column<Vec<4>>, Column<Vec<5>>,
                               Column<Vec<6>>, Column<Vec<7>>, Column<Small>, Column<Big>, Column<Tag>>;

public:
    struct Entity {
        std::uint32_t index, version;
    };
    template <class... C>
    SLOTWISE_BENCH_STEP Entity spawn(const C&... c) {
        Entity entity{};
        if (free_.empty()) {
            entity = {static_cast<std::uint32_t>(versions_.size()), 1};
            versions_.push_back(1);
            grow<C...>();
        } else {
            entity = {free_.back(), ++versions_[free_.back()]};
            free_.pop_back();
        }
        (add<C>(entity, c), ...);
        return entity;
    }
    SLOTWISE_BENCH_STEP void despawn(Entity entity) {
        if (!is_alive(entity)) return;
        ++versions_[entity.index];
        free_.push_back(entity.index);
        std::apply(
            [&](auto&... column) {
                ((entity.index < column.there.size() ? static_cast<void>(column.there[entity.index] = 0) : void()), ...);
            },
            columns_);
    }
    template <class C>
    SLOTWISE_BENCH_STEP void add(Entity entity, const C& value) {
        if (!is_alive(entity)) return;
        auto& [values, there] = column<C>();
        if (values.size() < versions_.size()) values.resize(versions_.size()), there.resize(versions_.size());
        values[entity.index] = value;
        there[entity.index] = 1;
    }
    template <class C>
    SLOTWISE_BENCH_STEP void remove(Entity entity) {
        if (is_alive(entity)) column<C>().there[entity.index] = 0;
    }
    template <class C>
    SLOTWISE_BENCH_STEP const C* get(Entity entity) {
        auto& [values, there] = column<C>();
        return is_alive(entity) && there[entity.index] ? &values[entity.index] : nullptr;
    }
    // A row in the list of its state for each entity.
    void make_states(std::uint32_t count) { lists_.resize(count); }
    SLOTWISE_BENCH_STEP void set_state(Entity entity, std::uint32_t k) {
        if (places_.size() < versions_.size()) places_.resize(versions_.size(), {none, 0});
        auto& [state, row] = places_[entity.index];
        if (state != none) {
            const std::uint32_t last = lists_[state].back();
            lists_[state][row] = last;
            places_[last].second = row;
            lists_[state].pop_back();
        }
        state = k;
        row = static_cast<std::uint32_t>(lists_[k].size());
        lists_[k].push_back(entity.index);
    }
    std::uint64_t count_in(std::uint32_t k) {
        std::uint64_t count = 0;
        for (const std::uint32_t index : lists_[k]) count += index != none;
        return count;
    }
    template <class... C, class F>
    SLOTWISE_BENCH_STEP void each(F f) {
        const std::size_t size = std::min({column<C>().values.size()...});
        [&]<std::size_t... k>(std::index_sequence<k...>, const auto& there, const auto& values) {
            for (std::size_t i = 0; i != size; ++i)
                if ((there[k][i] & ...)) f(std::get<k>(values)[i]...);
        }(std::index_sequence_for<C...>(), std::array{column<C>().there.data()...},
          std::tuple<C*...>(column<C>().values.data()...));
    }

private:
    template <class C>
    Column<std::remove_const_t<C>>& column() {
        return std::get<Column<std::remove_const_t<C>>>(columns_);
    }
    template <class... C>
    void grow() {
        ((column<C>().values.resize(versions_.size()), column<C>().there.resize(versions_.size())), ...);
    }
    bool is_alive(Entity entity) const { return versions_[entity.index] == entity.version; }

    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    std::vector<std::uint32_t> versions_, free_;
    std::vector<std::vector<std::uint32_t>> lists_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;
    Columns columns_;
};

const Registered registered([] {
    add_walks<Arrays>("arrays", Role::limit);
    add_spawns<Arrays>("arrays", Role::limit);
    add_saves<Arrays>("arrays", Role::limit);
    add_swarm<Arrays>("arrays", Role::limit);
    add_spawns<Flags>("flags", Role::limit);
    add_states<Flags>("flags", Role::limit);
    add_changes<Flags>("flags", Role::limit);
});

} // namespace
