// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Relations of a store: targets of an entity, sources of a target, walks over hierarchies, and the death of a target.
#ifndef SLOTWISE_ECS_DETAIL_STORE_RELATIONS_HPP
#define SLOTWISE_ECS_DETAIL_STORE_RELATIONS_HPP

#include "../../core/detail/iterators.hpp"
#include "store_change.hpp"

SLOTWISE_BEGIN
namespace detail {

//=== reading ===//

/// At a target of an entity: an id of its table, or the one target of a switched relation.
class TargetIterator : public IteratorFacade<TargetIterator, Entity, Entity> {
public:
    TargetIterator() noexcept = default;
    TargetIterator(const ComponentId* ids, std::size_t at, Entity one) noexcept : ids_(ids), at_(at), one_(one) {}
    friend bool operator==(const TargetIterator& a, const TargetIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<TargetIterator, Entity, Entity>;
    Entity dereference() const noexcept { return ids_ != nullptr ? ids_[at_].target() : one_; }
    void increment() noexcept { ++at_; }

    const ComponentId* ids_ = nullptr;
    std::size_t at_ = 0;
    Entity one_{};
};

/// At a source of a target: a row of one of the tables that have the pair, or one of the sources of a switched relation.
class SourceIterator : public IteratorFacade<SourceIterator, Entity, Entity> {
    using Tables = ArchetypeTables::Index::Tables;
    using TableIterator = decltype(std::declval<const Tables&>().begin());

public:
    SourceIterator() noexcept = default;
    /// The first row of these tables.
    SourceIterator(TableIterator at, TableIterator end) noexcept : at_(at), end_(end) { enter(); }
    /// At one of the entities side by side.
    explicit SourceIterator(const Entity* row) noexcept : row_(row) {}
    friend bool operator==(const SourceIterator& a, const SourceIterator& b) noexcept {
        return a.row_ == b.row_ && a.at_ == b.at_;
    }

private:
    friend IteratorFacade<SourceIterator, Entity, Entity>;
    Entity dereference() const noexcept { return *row_; }
    void increment() noexcept {
        if (++row_ != last_ || at_ == end_) return;
        ++at_;
        enter();
    }
    // To the first row of the first table that has one.
    void enter() noexcept {
        for (row_ = last_ = nullptr; at_ != end_; ++at_) {
            const auto entities = (*at_).table->entities();
            if (entities.empty()) continue;
            row_ = entities.data();
            last_ = row_ + entities.size();
            return;
        }
    }

    TableIterator at_{}, end_{};
    const Entity* row_ = nullptr;
    const Entity* last_ = nullptr;
};

using TargetRange = IteratorRange<TargetIterator>;
using SourceRange = IteratorRange<SourceIterator>;

/// Whether it is a relation of this store. @throws std::invalid_argument in words when it is none
inline const ComponentTraits& expect_relation(const StoreCore& core, ComponentId relation) {
    if (!core.registry.is_relation(relation)) [[unlikely]]
        throw_invalid_argument("ArchetypeStore: this is no relation of the store's registry; register it by add_relation or "
                               "relation<T>");
    return core.registry.traits(relation);
}

/// The targets of an entity, in the order of their ids. Empty if it does not live.
inline TargetRange targets(const StoreCore& core, Entity entity, ComponentId relation) {
    const EntityLocation* const at = core.location(entity);
    const ComponentTraits& traits = expect_relation(core, relation);
    if (at == nullptr) return TargetRange(TargetIterator(), TargetIterator(), 0);
    if (traits.switched) {
        const Entity found = at->has_outside() ? core.outside.target(entity, relation.number()) : Entity();
        const Entity one = ComponentIdParts::entity_of(found); // as below, a component is none of the targets
        const std::size_t count = one ? 1 : 0;
        return TargetRange(TargetIterator(nullptr, 0, one), TargetIterator(nullptr, count, one), count);
    }
    // The pairs of a relation are neighbours, those with components as targets first, those with any are in no table.
    const auto ids = core.table(*at).ids();
    const auto place = [&](ComponentId from) {
        std::size_t first = 0;
        for (std::size_t count = ids.size(); count != 0;) {
            const std::size_t half = count / 2;
            const bool behind = ids[first + half] < from;
            first = behind ? first + half + 1 : first;
            count = behind ? count - half - 1 : half;
        }
        return first;
    };
    const std::size_t first = place(pair(relation, Entity(0, 1))), last = place(pair(relation, any));
    return TargetRange(TargetIterator(ids.data(), first, Entity()), TargetIterator(ids.data(), last, Entity()), last - first);
}
/// The first target; null if there is none.
inline Entity target(const StoreCore& core, Entity entity, ComponentId relation) {
    const TargetRange all = targets(core, entity, relation);
    return all.empty() ? Entity() : *all.begin();
}
/// The entities that are related to a target, table by table.
inline SourceRange sources(const StoreCore& core, ComponentId relation, Entity target) {
    if (expect_relation(core, relation).switched) {
        const SparseComponents::Targets* const all = core.outside.targets(relation.number());
        const auto of = all == nullptr ? std::span<const Entity>() : all->of(without_user_bits(target));
        return SourceRange(SourceIterator(of.data()), SourceIterator(of.data() + of.size()), of.size());
    }
    const auto tables = core.tables.index().tables(pair(relation, target));
    std::size_t count = 0;
    for (const auto entry : tables) count += entry.table->size();
    return SourceRange(SourceIterator(tables.begin(), tables.end()), SourceIterator(tables.end(), tables.end()), count);
}

/// Entities in the order in which they were found, each once.
class FoundEntities {
public:
    /// Adds an entity that is not there. @throws what the allocator throws; strong
    void add(Entity entity) {
        if (list_.size() == list_.capacity()) list_.reserve(2 * list_.size() + 16);
        if (marks_.emplace(entity, [](void*) {})) list_.push_back(entity);
    }
    bool contains(Entity entity) const noexcept { return marks_.contains(entity); }
    std::size_t size() const noexcept { return list_.size(); }
    Entity operator[](std::size_t i) const noexcept { return list_[i]; }

private:
    PlainVector<Entity> list_{};
    SparseColumn marks_{nullptr};
};

/// Calls f(entity, depth) for what is related to `root`, then for what is related to these, and so on: breadth first, each
/// entity once, so that cycles end. The depth of the first ones is 1; `root` is left out.
template <class F>
void for_each_descendant(const StoreCore& core, Entity root, ComponentId relation, F&& f) {
    static_cast<void>(expect_relation(core, relation));
    if (!core.is_alive(root)) return;
    core.begin_walk();
    ScopeGuard end([&]() noexcept { core.end_walk(); });
    FoundEntities found;
    found.add(without_user_bits(root));
    std::size_t depth = 1, level_end = 1;
    for (std::size_t i = 0; i != found.size(); ++i) {
        if (i == level_end) {
            ++depth;
            level_end = found.size();
        }
        std::size_t before = found.size();
        if (!core.location(found[i])->is_target()) continue;
        for (const Entity source : sources(core, relation, found[i])) found.add(source);
        for (; before != found.size(); ++before) f(found[before], depth);
    }
}

//=== changing ===//

/// Whether only the target of a switched relation is another one, which no hook hears and no companion comes with.
inline bool only_retargets(const StoreCore& core, Entity entity, ComponentId pair) {
    return core.registry.traits(pair).switched && core.outside.target(entity, pair.relation_number()) &&
           !core.hooks.any(HookKind::add) && !core.hooks.any(HookKind::remove) && core.registry.with_closure(pair).empty();
}
/// Adds a pair. False if the entity does not live. @throws as change; std::invalid_argument when the target does not live
inline bool relate(StoreCore& core, Entity entity, ComponentId relation, Entity target) {
    static_cast<void>(expect_relation(core, relation));
    const ComponentId id = pair(relation, target);
    if (!only_retargets(core, entity, id)) return change(core, entity, {{&id, 1}, {}, {}});
    core.expect_idle();
    expect_ids(core, {&id, 1});
    core.outside.targets(relation.number())->set(entity, id.target());
    return true;
}
/// Removes a pair. False if the entity does not live.
inline bool unrelate(StoreCore& core, Entity entity, ComponentId relation, Entity target) {
    static_cast<void>(expect_relation(core, relation));
    const ComponentId id = pair(relation, target);
    return change(core, entity, {{}, {&id, 1}, {}});
}
/// Removes all pairs of a relation, in one move. False if the entity does not live.
inline bool unrelate(StoreCore& core, Entity entity, ComponentId relation) {
    static_cast<void>(expect_relation(core, relation));
    PlainVector<ComponentId> ids;
    append_pairs(core, entity, relation.number(), ids);
    return change(core, entity, {{}, ids.span(), {}});
}

/// What happens when an entity dies that others relate to. First the entities that go with it are collected, breadth first and
/// without recursion; then it is checked that no relation refuses; then the others lose their pairs, each in one move; then
/// all that dies dies, the last one found first, so that children die before their parents; at last the tables that were there
/// for pairs with the dead are erased.
class TargetDeath {
public:
    /// @param refusable whether a relation may refuse it; else it is treated as OnTargetDespawn::remove
    /// @throws what the allocator throws; std::invalid_argument when a relation refuses; nothing has changed then
    TargetDeath(StoreCore& core, Entity dying, bool refusable = true) : core_(core), refusable_(refusable) {
        dead_.add(dying);
        for (std::size_t i = 0; i != dead_.size(); ++i) collect(dead_[i]);
        for (const Refusal& each : refusals_)
            if (!dead_.contains(each.source)) refuse(each);
    }
    /// @throws what changes of the others throw: some have lost their pairs then, and nothing has died
    void apply() {
        apply([this](Entity entity, EntityLocation& at) { erase_entity(core_, entity, at); });
    }
    /// The same, but the one whose death it is, which dies last, is ended by end_first(entity, its place).
    template <class End>
    void apply(End&& end_first) {
        for (Table* const table : tables_) leave(*table);
        for (const Entity source : sources_)
            if (!dead_.contains(source)) leave(source);
        PlainVector<slot_t> gone; // made here: nothing throws for lack of memory when some have ended
        for (std::size_t i = 0; i != dead_.size(); ++i)
            if (const std::size_t count = core_.tables.index().count(pair(any, dead_[i])); count > gone.capacity())
                gone.reserve(count);
        for (std::size_t i = dead_.size(); i-- != 1;) erase_entity(core_, dead_[i], place_of(dead_[i]));
        end_first(dead_[0], place_of(dead_[0]));
        for (std::size_t i = 0; i != dead_.size(); ++i)
            if (core_.tables.index().count(pair(any, dead_[i])) != 0) core_.tables.erase_tables_with(pair(any, dead_[i]), gone);
    }

private:
    struct Refusal {
        Entity source;
        ComponentId id;
    };

    // Of an entity that may have no row, because a command buffer has taken its id.
    EntityLocation& place_of(Entity entity) noexcept { return *core_.entities.location(entity); }
    // What relates to an entity that dies.
    void collect(Entity dead) {
        if (!place_of(dead).is_target()) return;
        for (const auto entry : core_.tables.index().tables(pair(any, dead))) {
            const OnTargetDespawn rule = rule_of(*entry.table, dead);
            if (rule == OnTargetDespawn::remove) tables_.push_back(entry.table);
            for (const Entity source : entry.table->entities()) treat(rule, source, refused_);
        }
        for (const std::uint32_t number : core_.outside.numbers()) {
            const SparseComponents::Targets* const targets = core_.outside.targets(number);
            if (targets == nullptr) continue;
            const ComponentId id = pair(core_.registry.id(number), dead);
            for (const Entity source : targets->of(dead)) {
                if (rule_of(id) == OnTargetDespawn::remove) sources_.push_back(source);
                treat(rule_of(id), source, id);
            }
        }
    }
    OnTargetDespawn rule_of(ComponentId pair) const {
        const OnTargetDespawn rule = core_.registry.traits(pair).on_target_despawn;
        return rule == OnTargetDespawn::refuse && !refusable_ ? OnTargetDespawn::remove : rule;
    }
    // The strictest rule of a table's pairs with an entity that dies: who goes along needs no move.
    OnTargetDespawn rule_of(const Table& table, Entity dead) {
        OnTargetDespawn rule = OnTargetDespawn::remove;
        core_.tables.index().for_each_match(pair(any, dead), const_cast<Table*>(&table), [&](ComponentId id, const auto&) {
            const OnTargetDespawn each = rule_of(id);
            if (each == OnTargetDespawn::refuse) refused_ = id;
            if (each != OnTargetDespawn::remove && rule != OnTargetDespawn::despawn) rule = each;
        });
        return rule;
    }
    void treat(OnTargetDespawn rule, Entity source, ComponentId id) {
        if (rule == OnTargetDespawn::despawn)
            dead_.add(source);
        else if (rule == OnTargetDespawn::refuse)
            refusals_.push_back({source, id});
    }
    [[noreturn]] SLOTWISE_COLD void refuse(const Refusal& by) const {
        const std::string text = "ArchetypeStore::despawn: " + to_string(by.source) + " has " + core_.registry.name(by.id) +
                                 ", and the relation refuses that its target goes; unrelate them, or despawn the source first";
        throw_invalid_argument(text.c_str());
    }
    // All survivors of a table lose their pairs with the dead. From the last row to the first, because their rows go.
    void leave(Table& table) {
        for (slot_t row = static_cast<slot_t>(table.size()); row-- != 0;)
            if (const Entity entity = table.entities()[row]; !dead_.contains(entity)) leave(entity);
    }
    void leave(Entity entity) {
        ids_.clear();
        const EntityLocation at = *core_.location(entity);
        for (const ComponentId id : core_.table(at).ids()) add(id);
        if (at.has_outside()) core_.outside.for_each(entity, [&](ComponentId id, void*) { add(id); });
        if (!ids_.empty()) change_only(core_, entity, {{}, ids_.span(), {}});
    }
    void add(ComponentId id) {
        if (const Entity target = id.target(); target && dead_.contains(target)) insert_sorted(ids_, id);
    }

    StoreCore& core_;
    bool refusable_;
    FoundEntities dead_{};
    PlainVector<Refusal> refusals_{};
    PlainVector<Table*> tables_{};   // some of whose rows survive
    PlainVector<Entity> sources_{};  // of switched relations
    PlainVector<ComponentId> ids_{}; // that an entity loses
    ComponentId refused_{};
};

/// Ends an entity and does to what relates to it as the relations ask for. False if it does not live.
/// @param refusable whether a relation may refuse it
/// Throws std::invalid_argument when a relation refuses it; what moves that may throw do
inline bool despawn(StoreCore& core, Entity entity, bool refusable = true) {
    EntityLocation* at = core.location(entity);
    if (at == nullptr) return false;
    core.expect_idle();
    core.flush_reserved();
    if (at->is_target()) [[unlikely]] {
        TargetDeath(core, entity, refusable).apply();
        at = core.location(entity);
        if (at == nullptr) return true; // it was among those that went along
    }
    erase_entity(core, entity, *at);
    return true;
}

/// Ends an id that a command buffer took and has not spawned, and the pairs of which it is the target.
/// Throws as despawn, but nothing refuses it.
inline void end_unused(StoreCore& core, Entity entity) {
    EntityLocation* at = core.entities.location(entity);
    if (at == nullptr || at->has_row()) return;
    if (at->is_target()) {
        TargetDeath(core, entity, false).apply();
        if (core.entities.location(entity) == nullptr) return;
    }
    --core.without_row;
    core.entities.destroy(entity);
}
inline void StoreCore::make_reserved() {
    expect_idle();
    without_row += reserved.make(entities);
    reserved.end_returned([this](Entity entity) { end_unused(*this, entity); });
}

} // namespace detail

SLOTWISE_END

#endif
