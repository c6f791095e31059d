// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PairMatch: a pair of an entity, and its value. QueryPairs: the pairs that a wildcard stands for, row by row.
#ifndef SLOTWISE_ECS_QUERY_PAIRS_HPP
#define SLOTWISE_ECS_QUERY_PAIRS_HPP

#include "query_plan.hpp"

SLOTWISE_BEGIN

/// A pair that an entity has: what Query::for_each_pair delivers.
/// @tparam Void void, or const void of a const store @invalidates itself when f returns
template <class Void>
class BasicPairMatch {
    template <class T>
    using like = std::conditional_t<std::is_const_v<Void>, const T, T>;

public:
    /// A pair with a value of this type at `value`; null if it has none.
    BasicPairMatch(ComponentId id, const TypeDescriptor* type, Void* value) noexcept : id_(id), type_(type), value_(value) {}

    /// The pair.
    ComponentId id() const noexcept { return id_; }
    /// Its target; null if that is a component.
    Entity target() const noexcept { return id_.target(); }
    /// The value of the pair; null if it has none.
    Void* value() const noexcept { return value_; }
    /// The value of the pair. @throws std::invalid_argument when it has none, or one of another type
    template <class T>
    like<T>& get() const {
        if (value_ == nullptr || type_->id != TypeDescriptor::id_of<std::remove_const_t<T>>()) [[unlikely]]
            detail::throw_invalid_argument("PairMatch::get<T>(): the pair has no value of this type");
        return *static_cast<like<T>*>(value_);
    }

private:
    ComponentId id_;
    const TypeDescriptor* type_;
    Void* value_;
};
using PairMatch = BasicPairMatch<void>;
using ConstPairMatch = BasicPairMatch<const void>;

namespace detail {

/// The pairs of the rows of a walk.
template <class Core>
class QueryPairs {
    using Void = std::conditional_t<std::is_const_v<Core>, const void, void>;
    using Match = BasicPairMatch<Void>;
    using Run = typename QueryWalk<Core>::Run;

public:
    /// What to walk, one after the other: the pairs in tables, and those of each switched relation that has any.
    /// @throws std::invalid_argument when it is no pair, or its relation is unknown; what the allocator throws
    static PlainVector<ComponentId> parts(const StoreCore& core, ComponentId asked) {
        core.registry.expect_term(asked, "Query::for_each_pair");
        if (!asked.is_pair())
            throw_invalid_argument("Query::for_each_pair: the component is no pair; name pair(relation, target) or a wildcard");
        PlainVector<ComponentId> parts;
        parts.push_back(asked);
        if (asked.has_any_relation())
            for (const std::uint32_t number : core.outside.numbers())
                if (core.outside.targets(number) != nullptr) parts.push_back(of_relation(core.registry.id(number), asked));
        return parts;
    }
    static bool is_switched(const StoreCore& core, ComponentId part) {
        return !part.has_any_relation() && core.registry.traits(part).switched;
    }
    /// Calls f(row, match) for the pairs of switched relation `part` in the rows of a run.
    template <class F>
    static void for_each_switched(Core& core, ComponentId part, const Run& run, F&& f) {
        const auto entities = run.table->entities();
        const ComponentId relation = core.registry.id(part.relation_number());
        for (std::size_t row = run.first; row != run.last; ++row)
            if (const Entity target = core.outside.target(entities[row], part.relation_number()))
                f(row, Match(pair(relation, target), nullptr, nullptr));
    }
    /// Calls f(row, match) for the pairs of the table that `part` stands for, in the rows of a run where they are enabled.
    template <class F>
    static void for_each_in_table(Core& core, ComponentId part, const Run& run, F&& f) {
        find_place(*run.table, part, [&](std::size_t place) {
            const ComponentId id = run.table->ids()[place];
            const std::int32_t column = run.table->column_at(place);
            const TypeDescriptor* const type = column < 0 ? nullptr : core.registry.type(id);
            const BitColumn* const bits = run.table->bits(place);
            for (std::size_t row = run.first; row != run.last; ++row) {
                if (bits != nullptr && !bits->test(row)) continue;
                Void* const value = column < 0 ? nullptr : run.table->value(static_cast<std::size_t>(column), row);
                if constexpr (!std::is_const_v<Core>)
                    if (TickColumn* const ticks = column < 0 ? nullptr : run.table->ticks(place)) ticks->mark(row, core.tick);
                f(row, Match(id, type, value));
            }
            return false;
        });
    }

private:
    static ComponentId of_relation(ComponentId relation, ComponentId asked) {
        constexpr std::uint64_t target = 0xFFFF'FFFF'FFFFu;
        return ComponentId::from_bits((pair(relation, any).bits() & ~target) | (asked.bits() & target));
    }
};

} // namespace detail
SLOTWISE_END

#endif
