// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A store and two command buffers beside maps: what each entity has, and what is recorded about it. Each decision of an input is one
// operation. Bytes gone bad are refused, or are those of a state.
#ifndef SLOTWISE_TESTS_FUZZ_ECS_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_ECS_BODY_HPP

#include "ecs/inside.hpp"
#include "world.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

namespace {

using namespace test;

struct Tag {};
/// Hides its entities from queries that do not name it.
struct Hidden {};
/// Outside the tables.
struct Aside : Counted {
    using Counted::Counted;
};
/// Brings a Tag along.
struct Brings : Counted {
    using Counted::Counted;
};
/// A relation with values.
struct Owes : Counted {
    using Counted::Counted;
};
/// One whose pairs are outside the tables.
struct Knows : Counted {
    using Counted::Counted;
};

} // namespace

template <class T>
    requires(std::is_base_of_v<test::Counted, T> && !std::is_same_v<test::Counted, T>)
struct slotwise::CodecFor<T> {
    template <class Writer>
    static void write(const T& value, Writer& out) {
        CodecFor<test::Counted>::write(value, out);
    }
    template <class Reader>
    static T read(Reader& in) {
        return T(CodecFor<test::Counted>::read(in).value());
    }
};

namespace {

/// The components of a store, which are the same in each.
struct Ids {
    ComponentId counted, number, aside, tag, brings, described, mark, hidden;
    ComponentId likes, child_of, holds, state, owes, knows, inside, above, under;

    explicit Ids(ComponentRegistry& registry) {
        counted = registry.id<Counted>();
        number = registry.add<int>({.toggle = true, .tracked = true});
        aside = registry.add<Aside>({.sparse = true});
        tag = registry.id<Tag>();
        brings = registry.add<Brings>({.with = {tag}});
        described = registry.add("described", TypeDescriptor::of<Counted>());
        mark = registry.add_tag("mark", {.sparse = true});
        hidden = registry.add<Hidden>({.hides = true});
        likes = registry.add_relation("likes");
        child_of = registry.add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
        holds = registry.add_relation("holds", {.on_target_despawn = OnTargetDespawn::refuse});
        state = registry.add_relation("state", {.switched = true});
        owes = registry.relation<Owes>();
        knows = registry.relation<Knows>({.sparse = true});
        inside = registry.add_relation(
            "inside", {.sparse = true, .exclusive = true, .on_target_despawn = OnTargetDespawn::despawn}); // in order
        above = registry.add_relation("above", {.acyclic = true});
        under = registry.add_relation("under", {.sparse = true, .acyclic = true});
    }
    std::vector<ComponentId> plain() const { return {counted, number, aside, tag, brings, described, mark, hidden}; }
    std::vector<ComponentId> relations() const { return {likes, child_of, holds, state, owes, knows, inside, above, under}; }
};

/// Entities, and what each of them has: a value, or -1 if the component has none.
class Model {
public:
    struct Thing {
        std::map<ComponentId, int> parts{};
        bool disabled = false; // the number
    };

    explicit Model(const Ids& ids) : ids_(ids) {}

    std::map<Entity, Thing> things{};

    bool has_values(ComponentId id) const {
        return id == ids_.counted || id == ids_.number || id == ids_.aside || id == ids_.brings || id == ids_.described ||
               id.relation_number() == ids_.owes.number() || id.relation_number() == ids_.knows.number();
    }
    void add(Entity entity, ComponentId id, int value) {
        Thing& thing = things.at(entity);
        if (thing.parts.contains(id)) return;
        if (id.relation_number() == ids_.child_of.number() || id.relation_number() == ids_.state.number() ||
            id.relation_number() == ids_.inside.number())
            unrelate(entity, id.relation_number());
        if (id.relation_number() == ids_.inside.number()) put_before(entity, Entity());
        thing.parts[id] = has_values(id) ? value : -1;
        if (id == ids_.brings) add(entity, ids_.tag, -1);
    }
    void set(Entity entity, ComponentId id, int value) {
        Thing& thing = things.at(entity);
        if (!thing.parts.contains(id)) return add(entity, id, value);
        thing.parts[id] = has_values(id) ? value : -1;
    }
    void remove(Entity entity, ComponentId id) {
        Thing& thing = things.at(entity);
        thing.parts.erase(id);
        if (id == ids_.number) thing.disabled = false;
    }
    void unrelate(Entity entity, std::uint32_t relation) {
        std::erase_if(things.at(entity).parts, [&](const auto& part) { return part.first.relation_number() == relation; });
    }
    /// In the order of all that are inside of something; null: at the end.
    void put_before(Entity entity, Entity sibling) {
        if (entity == sibling) return;
        std::erase(order_, entity);
        order_.insert(std::find(order_.begin(), order_.end(), sibling), entity);
    }
    std::vector<Entity> in_order() const { return order_; }
    std::vector<Entity> inside(Entity target) const {
        std::vector<Entity> found;
        for (const Entity each : order_)
            if (const auto at = things.find(each); at != things.end() && at->second.parts.contains(pair(ids_.inside, target)))
                found.push_back(each);
        return found;
    }
    /// Whether the entity would be related to itself.
    bool closes_cycle(Entity entity, ComponentId relation, Entity target) const {
        if (relation != ids_.above && relation != ids_.under) return false;
        std::vector<Entity> reached{target};
        for (std::size_t i = 0; i != reached.size(); ++i)
            for (const auto& [id, value] : things.at(reached[i]).parts)
                if (id.relation_number() == relation.number() &&
                    std::find(reached.begin(), reached.end(), id.target()) == reached.end())
                    reached.push_back(id.target());
        return std::find(reached.begin(), reached.end(), entity) != reached.end();
    }
    /// False, and no effect, when a relation refuses it.
    bool despawn(Entity entity, bool refusable = true) { return despawn(std::vector{entity}, refusable); }
    bool despawn(std::vector<Entity> dead, bool refusable = true) {
        const auto dies = [&](Entity each) { return std::find(dead.begin(), dead.end(), each) != dead.end(); };
        std::vector<Entity> refusing;
        for (std::size_t i = 0; i != dead.size(); ++i)
            for (const auto& [source, thing] : things) {
                if ((thing.parts.contains(pair(ids_.child_of, dead[i])) || thing.parts.contains(pair(ids_.inside, dead[i]))) &&
                    !dies(source))
                    dead.push_back(source);
                if (thing.parts.contains(pair(ids_.holds, dead[i]))) refusing.push_back(source);
            }
        if (refusable && !std::all_of(refusing.begin(), refusing.end(), dies)) return false;
        for (const Entity each : dead) things.erase(each);
        for (auto& [source, thing] : things)
            std::erase_if(thing.parts, [&](const auto& part) { return part.first.target() && dies(part.first.target()); });
        return true;
    }

private:
    const Ids& ids_;
    std::vector<Entity> order_{};
};

/// What a buffer has, in words of the model.
struct Recorded {
    enum class Kind : std::uint8_t { add, set, remove, unrelate };
    struct Step {
        Kind kind;
        ComponentId id;
        int value;
        bool counts = true; // a command of its own, not one more component of the one before
    };
    struct Group {
        Entity entity;
        std::vector<Step> steps{};
        std::size_t commands = 0;
        bool spawned = false, despawned = false, is_void = false;
    };
    struct End {
        std::size_t group, until; // so many groups there were
    };
    /// A call sets a value. It is told what is there before.
    struct Call {
        std::size_t until;
        Entity entity;
        int value;
        std::shared_ptr<std::optional<int>> before;
    };
    std::vector<Group> groups{};
    std::vector<End> despawns{};
    std::vector<Call> calls{};
    std::set<Entity> targets{};
    std::size_t dropped = 0, section = 0;

    /// What comes after a despawn has groups of its own.
    Group& group(Entity entity) {
        for (std::size_t i = groups.size(); i-- != 0;)
            if (Group& each = groups[i]; each.entity == entity && !each.is_void && (i >= section || each.despawned))
                return each;
        groups.push_back({entity});
        return groups.back();
    }
    void set_void(Entity entity) {
        for (Group& each : groups) each.is_void = each.is_void || each.entity == entity;
    }
    bool spawns(Entity entity) const {
        return std::any_of(groups.begin(), groups.end(),
                           [&](const Group& each) { return each.entity == entity && !each.is_void && each.spawned; });
    }
    bool despawns_it(Entity entity) const {
        return std::any_of(groups.begin(), groups.end(),
                           [&](const Group& each) { return each.entity == entity && !each.is_void && each.despawned; });
    }
};

class World {
public:
    explicit World(Input& in) {
        if (in.flip()) count_hooks();
        store_.keep_removed<Counted>();
    }
    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        for (; !in.done(); ++operations) {
            step(in);
            check();
        }
        return operations;
    }

private:
    using Kind = Recorded::Kind;

    //=== choices ===//

    Entity any_entity(Input& in) {
        if (issued_.empty() || in.below(16) == 0) return hostile_handle<Entity>(in, 8);
        return issued_[in.below(issued_.size())];
    }
    ComponentId any_plain(Input& in) {
        const auto all = ids_.plain();
        return all[in.below(all.size())];
    }
    ComponentId any_relation(Input& in) {
        const auto all = ids_.relations();
        return all[in.below(all.size())];
    }
    /// Whether it may be one some day. Others are components, or refused when they are recorded.
    bool is_entity(ComponentId relation, Entity target) const {
        return store_.registry().contains(pair(relation, target)) && pair(relation, target).target();
    }
    bool lives(Entity entity) const { return model_.things.contains(entity); }
    bool is_pending(Entity entity) const { return pending_.contains(entity); }

    //=== operations ===//

    void step(Input& in) {
        switch (in.below(18)) {
        case 0:
            return spawn(in);
        case 1:
            return despawn(any_entity(in));
        case 2:
        case 3:
            return change(any_entity(in), in);
        case 4:
            return relate(any_entity(in), in);
        case 5:
            return toggle(any_entity(in), in);
        case 6:
            return whole(in);
        case 7:
            return bytes(in);
        case 8:
            return static_cast<void>(in.flip() ? apply(0) : apply(1));
        case 9:
            return in.below(4) == 0 ? clear_buffer(in.below(2)) : read(in);
        case 10:
        case 11:
            return record_spawn(in.below(2), in);
        default:
            return record(in.below(2), in);
        case 16:
            return many(in);
        case 17:
            return one(any_entity(in), in);
        }
    }
    /// A list of entities, side by side or not, dead ones and twins among them.
    void many(Input& in) {
        std::vector<Entity> list;
        const std::size_t first = in.below(8), step = in.below(3);
        for (std::size_t i = 0, n = in.below(24); i != n && !issued_.empty(); ++i)
            list.push_back(step == 0 ? any_entity(in) : issued_[(first + i * step) % issued_.size()]);
        const int value = static_cast<int>(in.below(100));
        std::vector<int> numbers;
        std::vector<Brings> brings;
        std::size_t living = 0;
        for (const Entity each : list) {
            numbers.push_back(value + static_cast<int>(numbers.size()));
            brings.emplace_back(numbers.back());
            living += lives(each.with_user_bits(0));
        }
        const auto add = [&](std::initializer_list<ComponentId> parts, bool same) {
            for (std::size_t i = 0; i != list.size(); ++i)
                if (const Entity entity = list[i].with_user_bits(0); lives(entity))
                    for (const ComponentId id : parts) model_.add(entity, id, same ? value : numbers[i]);
        };
        switch (in.below(5)) {
        case 0: {
            const auto before = model_.things;
            for (const Entity each : list)
                if (lives(each.with_user_bits(0)) && !model_.despawn(each.with_user_bits(0))) {
                    model_.things = before;
                    return;
                }
            FUZZ_CHECK(store_.despawn(list) == before.size() - model_.things.size());
            return;
        }
        case 1:
            FUZZ_CHECK(store_.add(list, Aside(value), Counted(value)) == living);
            return add({ids_.aside, ids_.counted}, true);
        case 2:
            FUZZ_CHECK(store_.add_each(list, numbers, brings) == living);
            return add({ids_.number, ids_.brings}, false);
        default:
            FUZZ_CHECK(store_.add(list, Counted(value), Tag(), value) == living);
            return add({ids_.counted, ids_.tag, ids_.number}, true);
        }
    }
    /// Clones, and what adds or assigns only.
    void one(Entity given, Input& in) {
        const Entity entity = given.with_user_bits(0);
        const int value = static_cast<int>(in.below(100));
        const bool lived = lives(entity), had = lived && model_.things.at(entity).parts.contains(ids_.counted);
        switch (in.below(4)) {
        case 0: {
            FUZZ_CHECK(refuses<std::out_of_range>(
                !lived, [&] { FUZZ_CHECK(had || store_.get_or_add<Counted>(given, value).value() == value); }));
            if (lived) model_.add(entity, ids_.counted, value);
            return;
        }
        case 1:
            FUZZ_CHECK(store_.replace(given, Counted(value)) == had);
            if (had) model_.set(entity, ids_.counted, value);
            return;
        default:
            break;
        }
        if (model_.things.size() > 40) return;
        const std::size_t count = in.below(6);
        const auto made = copy(store_.clone_n(given, count));
        FUZZ_CHECK(made.size() == (lived ? count : 0));
        for (const Entity each : made) {
            FUZZ_CHECK(!lives(each) && !is_pending(each));
            model_.things[each] = model_.things.at(entity);
            model_.remove(each, ids_.hidden);
            model_.put_before(each, Entity());
            issued_.push_back(each);
        }
    }
    void spawn(Input& in) {
        if (model_.things.size() > 40) return;
        const int value = static_cast<int>(in.below(100));
        const auto made = [&](Entity entity, std::initializer_list<ComponentId> parts) {
            FUZZ_CHECK(!lives(entity) && !is_pending(entity) && store_.is_alive(entity));
            model_.things[entity];
            for (const ComponentId id : parts) model_.add(entity, id, value);
            issued_.push_back(entity);
        };
        switch (in.below(8)) {
        case 0:
            return made(store_.spawn(), {});
        case 1:
            return made(store_.spawn(Counted(value), value), {ids_.counted, ids_.number});
        case 2:
            return made(store_.spawn(Aside(value), Tag()), {ids_.aside, ids_.tag});
        case 3:
            return made(store_.spawn(Brings(value)), {ids_.brings});
        case 4:
            for (const Entity entity : copy(store_.spawn_n(in.below(4), Counted(value), Tag())))
                made(entity, {ids_.counted, ids_.tag});
            return;
        case 5:
            return made(store_.builder().with(Counted(value)).with(ids_.mark).with(value).spawn(),
                        {ids_.counted, ids_.mark, ids_.number});
        default:
            break;
        }
        const Entity entity = any_entity(in);
        const bool known = lives(entity) || is_pending(entity);
        if (entity.index() > 1000) return; // each takes a page
        if (store_.spawn_at(entity, value)) {
            FUZZ_CHECK(!known);
            made(entity.with_user_bits(0), {ids_.number});
        }
    }
    static std::vector<Entity> copy(std::span<const Entity> entities) { return {entities.begin(), entities.end()}; }
    void despawn(Entity entity) {
        const bool lived = lives(entity.with_user_bits(0));
        bool result = false;
        const bool refused = lived && !model_.despawn(entity.with_user_bits(0));
        FUZZ_CHECK(refuses<std::invalid_argument>(refused, [&] { result = store_.despawn(entity); }));
        FUZZ_CHECK(refused || result == lived);
    }
    void change(Entity given, Input& in) {
        const Entity entity = given.with_user_bits(0);
        const ComponentId id = any_plain(in);
        const int value = static_cast<int>(in.below(100));
        const bool lived = lives(entity);
        bool result = false;
        const auto with_value = [&](auto&& give) {
            Counted counted(value);
            Aside aside(value);
            Brings brings(value);
            int number = value;
            if (id == ids_.number)
                result = give(AnyValue::of(number));
            else if (id == ids_.aside)
                result = give(AnyValue::of(std::move(aside)));
            else if (id == ids_.brings)
                result = give(AnyValue::of(std::move(brings)));
            else
                result = give(AnyValue::of(std::move(counted)));
        };
        const bool had = lived && model_.things.at(entity).parts.contains(ids_.aside);
        switch (in.below(10)) {
        case 6: {
            const bool counted = lived && model_.things.at(entity).parts.contains(ids_.counted);
            FUZZ_CHECK(store_.patch<Counted>(given, [&](Counted& of) { of = Counted(value); }) == counted);
            if (counted) model_.set(entity, ids_.counted, value);
            return;
        }
        case 7: {
            const std::optional<Aside> taken = store_.take<Aside>(given);
            FUZZ_CHECK(taken.has_value() == had);
            if (!had) return;
            FUZZ_CHECK(taken->value() == model_.things.at(entity).parts.at(ids_.aside));
            return model_.remove(entity, ids_.aside);
        }
        case 8: {
            const Aside* const built = store_.emplace<Aside>(given, value);
            FUZZ_CHECK((built != nullptr) == lived);
            if (lived) model_.add(entity, ids_.aside, value);
            return;
        }
        case 9:
            FUZZ_CHECK(store_.modified(given, ids_.aside) == had);
            return;
        case 0:
            result = store_.add(given, id);
            if (lived) model_.add(entity, id, 0);
            break;
        case 1:
            if (!model_.has_values(id)) return;
            with_value([&](const AnyValue& of) { return store_.add(given, id, of); });
            if (lived) model_.add(entity, id, value);
            break;
        case 2:
            if (!model_.has_values(id)) return;
            with_value([&](const AnyValue& of) { return store_.set(given, id, of); });
            if (lived) model_.set(entity, id, value);
            break;
        case 3:
            result = store_.set(given, Counted(value), value, Tag());
            if (lived)
                for (const ComponentId each : {ids_.counted, ids_.number, ids_.tag}) model_.set(entity, each, value);
            break;
        case 4:
            result = store_.remove<Counted, Tag, Aside>(given);
            if (lived)
                for (const ComponentId each : {ids_.counted, ids_.tag, ids_.aside}) model_.remove(entity, each);
            break;
        default:
            result = store_.remove(given, id);
            if (lived) model_.remove(entity, id);
        }
        FUZZ_CHECK(result == lived);
    }
    void relate(Entity entity, Input& in) {
        entity = entity.with_user_bits(0);
        const ComponentId relation = any_relation(in);
        const Entity target = any_entity(in).with_user_bits(0);
        const int value = static_cast<int>(in.below(100));
        if (!is_entity(relation, target)) return;
        const bool lived = lives(entity);
        bool result = false;
        if (in.below(4) == 0) {
            if (in.flip()) {
                if (lives(target)) FUZZ_CHECK(store_.unrelate(entity, relation, target) == lived);
                if (lives(target) && lived) model_.remove(entity, pair(relation, target));
            } else {
                FUZZ_CHECK(store_.unrelate(entity, relation) == lived);
                if (lived) model_.unrelate(entity, relation.number());
            }
            return;
        }
        if (relation == ids_.inside && in.flip()) return relate_before(entity, target, in);
        const bool refused = !lives(target) || (lived && model_.closes_cycle(entity, relation, target));
        FUZZ_CHECK(refuses<std::invalid_argument>(refused, [&] {
            if (relation == ids_.owes)
                result = store_.relate(entity, target, Owes(value));
            else if (relation == ids_.knows)
                result = store_.relate(entity, target, Knows(value));
            else
                result = store_.relate(entity, relation, target);
        }));
        FUZZ_CHECK(refused || result == lived);
        if (!refused && lived) model_.set(entity, pair(relation, target), value);
    }
    void relate_before(Entity entity, Entity target, Input& in) {
        const std::vector<Entity> siblings = model_.inside(target);
        const Entity sibling = siblings.empty() || in.below(4) == 0 ? Entity() : siblings[in.below(siblings.size())];
        bool result = false;
        FUZZ_CHECK(refuses<std::invalid_argument>(
            !lives(target), [&] { result = store_.relate_before(entity, ids_.inside, target, sibling); }));
        if (!lives(target)) return;
        FUZZ_CHECK(result == lives(entity));
        if (!result) return;
        model_.add(entity, pair(ids_.inside, target), 0);
        model_.put_before(entity, sibling);
    }
    void toggle(Entity entity, Input& in) {
        entity = entity.with_user_bits(0);
        const bool on = in.flip(), can = lives(entity) && model_.things.at(entity).parts.contains(ids_.number);
        FUZZ_CHECK(store_.enable<int>(entity, on) == can);
        if (can) model_.things.at(entity).disabled = !on;
    }
    void whole(Input& in) {
        switch (in.below(8)) {
        case 0:
            store_.clear();
            model_.things.clear();
            make_void();
            return;
        case 1:
            return store_.shrink_to_fit();
        case 2: {
            ArchetypeStore moved(std::move(store_));
            store_ = std::move(moved);
            return;
        }
        case 3:
            return bulk(in);
        case 4:
            return order(in);
        default:
            static_cast<void>(store_.advance());
        }
    }
    /// Many entities end, or lose a component, at once.
    void bulk(Input& in) {
        const ComponentId id = any_plain(in), other = any_plain(in);
        const unsigned kind = static_cast<unsigned>(in.below(4));
        auto query = store_.query<>().with(id);
        if (in.flip()) query = query.exclude(other);
        const std::vector<Entity> matched = walked(query);
        std::size_t lost = 0, result = 0;
        if (kind == 0) {
            const bool refused = !model_.despawn(matched);
            FUZZ_CHECK(refuses<std::invalid_argument>(refused, [&] { result = store_.despawn(query); }));
            FUZZ_CHECK(refused || result == matched.size());
            return;
        }
        const ComponentId removed = kind == 1 ? id : any_plain(in);
        const auto remove = [&](Entity entity) {
            lost += model_.things.at(entity).parts.contains(removed);
            model_.remove(entity, removed);
        };
        if (kind == 3) {
            for (const auto& [entity, thing] : std::map(model_.things)) remove(entity);
            result = store_.remove_all(removed);
        } else {
            for (const Entity entity : matched) remove(entity);
            result = store_.remove(query, removed);
        }
        FUZZ_CHECK(result == lost);
    }
    template <class Query>
    static std::vector<Entity> walked(const Query& query) {
        std::vector<Entity> entities;
        query.for_each([&](Entity entity) { entities.push_back(entity); });
        return entities;
    }
    void order(Input& in) {
        if (in.flip())
            store_.sort<Counted>([](const Counted& a, const Counted& b) { return a.value() < b.value(); });
        else
            store_.sort<int>([](Entity a, Entity b) { return b.index() < a.index(); });
        std::pair<int, slot_t> last(-1, 0);
        std::size_t met = 0;
        store_.query<const Counted>().for_each_sorted([](const Counted& each) { return each.value(); },
                                                      [&](Entity entity, const Counted& each) {
                                                          const std::pair now(each.value(), entity.index());
                                                          FUZZ_CHECK(last < now);
                                                          last = now;
                                                          ++met;
                                                      });
        FUZZ_CHECK(met == store_.query<const Counted>().size());
    }
    /// Ids that buffers have taken will not be spawned.
    void make_void() {
        for (Recorded& each : recorded_)
            for (const Recorded::Group& group : std::vector(each.groups))
                if (group.spawned && !group.is_void) each.set_void(group.entity);
        pending_.clear();
    }
    /// Through bytes into this store or another one, or bytes gone bad.
    void bytes(Input& in) {
        const unsigned kind = in.byte();
        if (kind % 3 == 0) return part(in);
        auto bytes = store_.snapshot(codec_);
        ArchetypeStore other;
        const Ids same(other.registry());
        if (kind % 4 != 0) {
            corrupt_snapshot(bytes, in);
            if (other.try_restore(bytes, codec_) != nullptr) FUZZ_CHECK(other.empty());
            FUZZ_CHECK(other.check_invariants());
            return;
        }
        FUZZ_CHECK(other.try_restore(bytes, codec_) == nullptr);
        FUZZ_CHECK(other.check_invariants() && other.size() == store_.size());
        for (const auto& [entity, thing] : model_.things) FUZZ_CHECK(other.is_alive(entity));
        if (kind % 8 != 0) return;
        store_.restore(bytes, codec_);
        make_void();
        std::erase_if(issued_, [&](Entity entity) { return !lives(entity); }); // they may be issued again
    }
    /// Some entities through bytes into this store or another one, as new ones, or bytes gone bad.
    void part(Input& in) {
        std::vector<Entity> some;
        for (const auto& [entity, thing] : model_.things)
            if (in.flip()) some.push_back(entity);
        const bool keeps_outside = in.flip(), all = in.flip();
        const ComponentId left_out[] = {ids_.likes, ids_.state, ids_.aside, ids_.brings};
        const auto selection = all ? ComponentSelection() : ComponentSelection::all_but(left_out);
        auto bytes = store_.snapshot_of(some, codec_, selection);
        if (in.flip()) {
            ArchetypeStore other;
            const Ids same(other.registry());
            if (in.flip()) corrupt_snapshot(bytes, in);
            InsertedEntities made;
            if (other.try_insert_snapshot(bytes, made, codec_) != nullptr) FUZZ_CHECK(other.empty() && made.empty());
            FUZZ_CHECK(other.check_invariants() && other.size() == made.size());
            return;
        }
        if (model_.things.size() + some.size() > 40) return;
        const auto outside = [&](Entity entity) { return keeps_outside ? entity : Entity(); };
        const InsertedEntities made = store_.insert_snapshot(bytes, codec_, outside);
        FUZZ_CHECK(made.size() == some.size() && made.cleared_entities() == 0);
        std::size_t dropped = 0;
        for (const auto [old, now] : made) {
            FUZZ_CHECK(!lives(now) && !is_pending(now) && store_.is_alive(now));
            const Model::Thing thing = model_.things.at(old);
            Model::Thing& fresh = model_.things[now];
            fresh.disabled = thing.disabled;
            for (const auto& [id, value] : thing.parts) {
                if (!selection.has(id)) continue;
                const Entity target = id.target();
                const Entity here = made.find(target);
                if (!target)
                    fresh.parts[id] = value;
                else if (here || keeps_outside)
                    fresh.parts[pair(store_.registry().id(id.relation_number()), here ? here : target)] = value;
                else
                    ++dropped;
            }
            issued_.push_back(now);
        }
        for (const Entity old : model_.in_order()) // siblings come behind those that are there, in their order
            if (const Entity now = made.find(old)) model_.put_before(now, Entity());
        FUZZ_CHECK(made.dropped_pairs() == dropped);
    }
    /// Queries agree with the model.
    void read(Input& in) {
        const Entity target = any_entity(in).with_user_bits(0);
        std::size_t numbers = 0, hidden = 0, both = 0, likes = 0, aside = 0, states = 0, known = 0, knowing = 0, related = 0,
                    pairs = 0;
        for (const auto& [entity, thing] : model_.things) {
            const auto& parts = thing.parts;
            hidden += parts.contains(ids_.hidden);
            if (parts.contains(ids_.hidden)) continue;
            const bool number = parts.contains(ids_.number) && !thing.disabled;
            numbers += number;
            both += number && parts.contains(ids_.counted) && !parts.contains(ids_.tag);
            likes += parts.contains(pair(ids_.likes, target));
            aside += parts.contains(ids_.aside);
            states += parts.contains(pair(ids_.state, target));
            known += parts.contains(pair(ids_.knows, target));
            const auto knows = std::count_if(parts.begin(), parts.end(), [&](const auto& part) {
                return part.first.relation_number() == ids_.knows.number();
            });
            knowing += knows != 0;
            const auto to_target = std::count_if(parts.begin(), parts.end(), [&](const auto& part) {
                return part.first.is_pair() && part.first.target() == target;
            });
            related += to_target != 0;
            pairs += static_cast<std::size_t>(to_target);
        }
        std::size_t found = 0;
        store_.query<const int>().for_each([&](Entity entity, const int& value) {
            FUZZ_CHECK(model_.things.at(entity).parts.at(ids_.number) == value);
            ++found;
        });
        FUZZ_CHECK(found == numbers);
        FUZZ_CHECK((store_.query<const int, const Counted>().exclude<Tag>().size()) == both);
        FUZZ_CHECK(store_.query<const Aside>().size() == aside);
        read_one(any_entity(in));
        read_ancestors(any_relation(in));
        const std::size_t shown = model_.things.size() - hidden;
        FUZZ_CHECK(store_.query<Hidden>().size() == hidden && store_.query<>().size() == shown);
        if (!lives(target)) return;
        FUZZ_CHECK(store_.query<>().with(ids_.likes, target).size() == likes);
        FUZZ_CHECK(store_.query<>().with(ids_.state, target).size() == states);
        FUZZ_CHECK(store_.query<>().with(ids_.knows, target).size() == known);
        FUZZ_CHECK(store_.query<>().with(ids_.knows, any).size() == knowing);
        FUZZ_CHECK(store_.query<>().exclude(ids_.knows, any).size() == shown - knowing);
        FUZZ_CHECK(store_.query<>().exclude(ids_.knows, target).size() == shown - known);
        FUZZ_CHECK(store_.query<>().with(any, target).size() == related);
        FUZZ_CHECK(store_.query<>().exclude(any, target).size() == shown - related);
        std::vector<Entity> children;
        for (auto [entity] : store_.query<>().with(ids_.inside, target)) children.push_back(entity);
        std::vector<Entity> inside = model_.inside(target);
        std::erase_if(inside, [&](Entity each) { return model_.things.at(each).parts.contains(ids_.hidden); });
        FUZZ_CHECK(std::is_permutation(children.begin(), children.end(), inside.begin(), inside.end()));
        store_.query<>().for_each_pair(pair(any, target), [&](Entity entity, auto match) {
            FUZZ_CHECK(model_.things.at(entity).parts.contains(match.id()));
            --pairs;
        });
        FUZZ_CHECK(pairs == 0);
        store_.query<>().for_each_pair(pair(ids_.knows, any), [&](Entity entity, auto match) {
            FUZZ_CHECK(model_.things.at(entity).parts.at(match.id()) == match.template get<Knows>().value());
        });
    }

    /// A query answers for one entity.
    void read_one(Entity given) {
        const auto thing = model_.things.find(given.with_user_bits(0));
        const auto has = [&](ComponentId id) { return thing->second.parts.contains(id); };
        const bool matches = thing != model_.things.end() && has(ids_.number) && !thing->second.disabled &&
                             (has(ids_.tag) || has(ids_.aside)) && !has(ids_.mark) && !has(ids_.hidden);
        const auto query = store_.query<const int>().either<Tag, Aside>().exclude(ids_.mark).optional<const Counted>();
        FUZZ_CHECK(query.contains(given) == matches);
        const auto row = query.get(given);
        FUZZ_CHECK(row.has_value() == matches);
        if (!row) return;
        FUZZ_CHECK(std::get<0>(*row) == thing->second.parts.at(ids_.number));
        const Counted* const counted = std::get<1>(*row);
        FUZZ_CHECK((counted != nullptr) == has(ids_.counted));
        FUZZ_CHECK(counted == nullptr || counted->value() == thing->second.parts.at(ids_.counted));
    }
    Entity parent(Entity entity, ComponentId relation) const {
        if (relation == ids_.knows || relation == ids_.under) { // of several, the one that it was related to first
            const Entity first = store_.target(entity, relation);
            FUZZ_CHECK(!first || model_.things.at(entity).parts.contains(pair(relation, first)));
            return first;
        }
        for (const auto& [id, value] : model_.things.at(entity).parts)
            if (id.relation_number() == relation.number() && id.target()) return lives(id.target()) ? id.target() : Entity();
        return {};
    }
    /// Parents come before children, with what the nearest ancestor has.
    void read_ancestors(ComponentId relation) {
        std::map<Entity, std::size_t> met;
        store_.query<>().up<const Counted>(relation).for_each([&](Entity entity, const Counted* up) {
            FUZZ_CHECK(met.emplace(entity, met.size()).second);
            Entity each = parent(entity, relation);
            for (std::size_t i = 0; i != model_.things.size() && each; ++i) {
                if (model_.things.at(each).parts.contains(ids_.counted)) break;
                each = parent(each, relation);
            }
            const bool has = each && model_.things.at(each).parts.contains(ids_.counted);
            FUZZ_CHECK(has == (up != nullptr));
            if (has) FUZZ_CHECK(up->value() == model_.things.at(each).parts.at(ids_.counted));
        });
        for (const auto& [entity, thing] : model_.things)
            FUZZ_CHECK(met.contains(entity) == !thing.parts.contains(ids_.hidden));
        for (const auto& [entity, place] : met) {
            const Entity before = parent(entity, relation);
            Entity each = before;
            for (std::size_t i = 0; i != met.size() && each; ++i)
                if ((each = parent(each, relation)) == before) break; // in a circle, there is no order
            FUZZ_CHECK(!before || each == before || !met.contains(before) || met.at(before) < place);
        }
    }

    //=== commands ===//

    void record_spawn(std::size_t which, Input& in) {
        if (pending_.size() > 20) return;
        CommandBuffer& buffer = buffers_[which];
        const int value = static_cast<int>(in.below(100));
        const auto made = [&](Entity entity, std::initializer_list<ComponentId> parts) {
            FUZZ_CHECK(!lives(entity) && !store_.is_alive(entity));
            FUZZ_CHECK(pending_.insert(entity).second);
            issued_.push_back(entity);
            recorded_[which].set_void(entity); // about another entity, from before a snapshot was restored
            Recorded::Group& group = recorded_[which].group(entity);
            group.spawned = true;
            ++group.commands;
            for (const ComponentId id : parts) group.steps.push_back({Kind::add, id, value});
        };
        switch (in.below(6)) {
        case 0:
            return made(buffer.spawn(), {});
        case 1:
            return made(buffer.spawn(Aside(value), Tag()), {ids_.aside, ids_.tag});
        case 2:
            return made(buffer.spawn(Brings(value), value), {ids_.brings, ids_.number});
        case 3:
            return buffer.reserve(in.below(8));
        default:
            return made(buffer.spawn(Counted(value), value), {ids_.counted, ids_.number});
        }
    }
    void record(std::size_t which, Input& in) {
        CommandBuffer& buffer = buffers_[which];
        Recorded& to = recorded_[which];
        const Entity given = any_entity(in), entity = given.with_user_bits(0);
        const int value = static_cast<int>(in.below(100));
        const auto keep = [&](Kind kind, std::initializer_list<ComponentId> parts) {
            Recorded::Group& group = to.group(entity);
            if (group.despawned) {
                ++to.dropped;
                return;
            }
            ++group.commands;
            for (const ComponentId id : parts) group.steps.push_back({kind, id, value});
        };
        switch (in.below(12)) {
        case 10:
            buffer.emplace<Aside>(given, value);
            return keep(Kind::add, {ids_.aside});
        case 11: {
            const Recorded::Call call{to.groups.size(), entity, value, std::make_shared<std::optional<int>>()};
            to.calls.push_back(call);
            to.section = to.groups.size();
            buffer.call([this, call](ArchetypeStore& store) {
                FUZZ_CHECK(&store == &store_);
                const Counted* const found = std::as_const(store).get<Counted>(call.entity);
                FUZZ_CHECK(call.before->has_value() ? found != nullptr && found->value() == **call.before : found == nullptr);
                store.set(call.entity, Counted(call.value));
            });
            return;
        }
        case 0: {
            buffer.despawn(given);
            Recorded::Group& group = to.group(entity);
            if (group.despawned) {
                ++to.dropped;
                return;
            }
            ++group.commands;
            group.despawned = true;
            to.despawns.push_back({static_cast<std::size_t>(&group - to.groups.data()), to.groups.size()});
            to.section = to.groups.size();
            return;
        }
        case 1:
            buffer.set(given, Counted(value), value);
            return keep(Kind::set, {ids_.counted, ids_.number});
        case 2:
            buffer.add(given, Aside(value), Counted(value), Tag());
            return keep(Kind::add, {ids_.aside, ids_.counted, ids_.tag});
        case 3:
            buffer.remove<Counted, Aside, Tag>(given);
            return keep(Kind::remove, {ids_.counted, ids_.aside, ids_.tag});
        case 4:
            buffer.set(given, ids_.described, AnyValue::of(Counted(value)));
            return keep(Kind::set, {ids_.described});
        case 5:
            buffer.add(given, ids_.mark);
            return keep(Kind::add, {ids_.mark});
        case 6:
            buffer.add(given, Brings(value));
            return keep(Kind::add, {ids_.brings});
        default:
            break;
        }
        const ComponentId relation = any_relation(in);
        const Entity target = any_entity(in).with_user_bits(0);
        if (!is_entity(relation, target) || relation == ids_.above || relation == ids_.under) return; // apply() may refuse them
        if (in.below(4) == 0) {
            if (in.flip()) {
                buffer.unrelate(given, relation);
                return keep(Kind::unrelate, {relation});
            }
            buffer.unrelate(given, relation, target);
            return keep(Kind::remove, {pair(relation, target)});
        }
        if (relation == ids_.owes)
            buffer.relate(given, target, Owes(value));
        else if (relation == ids_.knows)
            buffer.relate(given, target, Knows(value));
        else
            buffer.relate(given, relation, target);
        to.targets.insert(target);
        if (to.despawns_it(target))
            ++to.dropped;
        else
            keep(relation == ids_.owes || relation == ids_.knows ? Kind::set : Kind::add, {pair(relation, target)});
    }
    void apply(std::size_t which) {
        Recorded& from = recorded_[which];
        std::size_t dropped = from.dropped, refused = 0, next = 0, next_end = 0;
        const auto before = model_.things;
        const auto& core = test::inside(store_);
        bool any_pairs = core.tables.index().count(pair(any, any)) != 0;
        for (const auto& [entity, thing] : model_.things)
            for (const auto& [id, value] : thing.parts) any_pairs = any_pairs || id.is_pair();
        const auto is_barrier = [&](const Recorded::Group& group) {
            const EntityLocation* const at = core.entities.location(group.entity);
            return (from.targets.contains(group.entity) && !group.is_void) || (any_pairs && at != nullptr && at->is_target());
        };
        std::vector<bool> barriers;
        for (const Recorded::End& each : from.despawns) barriers.push_back(is_barrier(from.groups[each.group]));
        std::size_t next_call = 0;
        // Barriers that relations make are found again after a call. They decide whether what comes before an end is counted.
        const bool counts = from.calls.empty() || from.despawns.empty();
        while (next != from.groups.size() || next_end != from.despawns.size() || next_call != from.calls.size()) {
            const bool calls = next_call != from.calls.size();
            const std::size_t before_call = calls ? from.calls[next_call].until : from.groups.size();
            if (calls && next == before_call &&
                (next_end == from.despawns.size() || from.despawns[next_end].until > before_call)) {
                const Recorded::Call& call = from.calls[next_call++];
                if (!lives(call.entity)) continue;
                const auto& parts = model_.things.at(call.entity).parts;
                if (const auto at = parts.find(ids_.counted); at != parts.end()) *call.before = at->second;
                model_.set(call.entity, ids_.counted, call.value);
                continue;
            }
            std::size_t limit = before_call;
            for (std::size_t i = from.despawns.size(); i-- != next_end;)
                if (barriers[i] && from.despawns[i].until <= before_call) limit = from.despawns[i].until;
            std::set<Entity> ends; // in this phase: nothing else happens to them
            for (std::size_t i = next; i != limit; ++i)
                if (const Recorded::Group& each = from.groups[i]; each.despawned && !each.is_void) ends.insert(each.entity);
            std::set<Entity> unborn;
            for (; next != limit; ++next) {
                const Recorded::Group& group = from.groups[next];
                const bool alive = !group.is_void && (group.spawned || unborn.contains(group.entity) || lives(group.entity));
                if (group.spawned && !group.is_void && ends.contains(group.entity)) unborn.insert(group.entity);
                if (!group.despawned && !(alive && ends.contains(group.entity))) dropped += carry_out(group, from);
            }
            for (; next_end != from.despawns.size() && from.despawns[next_end].until <= limit; ++next_end) {
                const Recorded::Group& group = from.groups[from.despawns[next_end].group];
                if (!group.is_void && lives(group.entity))
                    refused += !model_.despawn(group.entity, !from.spawns(group.entity));
                else if (!group.is_void && unborn.contains(group.entity))
                    static_cast<void>(model_.despawn(group.entity, false));
                else
                    dropped += group.commands;
            }
        }
        if (!SLOTWISE_EXCEPTIONS && refused != 0) { // it would end the program
            model_.things = before;
            return clear_buffer(which);
        }
        for (const Recorded::Group& group : from.groups)
            if (group.spawned && !group.is_void) pending_.erase(group.entity);
        from = Recorded();
        std::size_t result = 0;
        while (refused-- != 0) FUZZ_CHECK(refuses<std::invalid_argument>([&] { result = store_.apply(buffers_[which]); }));
        result = store_.apply(buffers_[which]);
        FUZZ_CHECK((result == dropped || !counts) && buffers_[which].empty());
    }
    /// Returns how many commands are dropped.
    std::size_t carry_out(const Recorded::Group& group, const Recorded& from) {
        if (group.is_void || !(group.spawned || lives(group.entity))) return group.commands;
        if (group.spawned) model_.things[group.entity];
        std::size_t dropped = 0;
        for (const Recorded::Step& step : group.steps) {
            const Entity target = step.id.target();
            const bool gives = step.kind == Kind::add || step.kind == Kind::set;
            if (gives && target && !lives(target) && !from.spawns(target))
                ++dropped;
            else if (step.kind == Kind::add)
                model_.add(group.entity, step.id, step.value);
            else if (step.kind == Kind::set)
                model_.set(group.entity, step.id, step.value);
            else if (step.kind == Kind::remove)
                model_.remove(group.entity, step.id);
            else
                model_.unrelate(group.entity, step.id.number());
        }
        return dropped;
    }
    void clear_buffer(std::size_t which) {
        buffers_[which].clear();
        store_.shrink_to_fit(); // which ends the ids that were given back
        for (const Recorded::Group& group : recorded_[which].groups)
            if (group.spawned && !group.is_void) {
                static_cast<void>(model_.despawn(group.entity, false));
                pending_.erase(group.entity);
            }
        recorded_[which] = Recorded();
    }

    //=== comparison ===//

    /// As many components are added and removed as the store says.
    void count_hooks() {
        store_.on_add<Counted>([this](Entity) { ++counted_; });
        store_.on_remove<Counted>([this](Entity) {
            --counted_;
            ++removed_;
        });
        const auto insert = [this](Entity entity, const Counted& of) { index_[entity] = of.value(); };
        const auto erase = [this](Entity entity, const Counted& of) {
            const auto at = index_.find(entity);
            FUZZ_CHECK(at != index_.end() && at->second == of.value());
            index_.erase(at);
        };
        store_.on_add<Counted>(insert);
        store_.on_set<Counted>(insert);
        store_.on_remove<Counted>(erase);
        store_.on_replace<Counted>(erase);
        hooked_ = true;
    }
    void check() {
        FUZZ_CHECK(store_.check_invariants());
        FUZZ_CHECK(store_.size() == model_.things.size());
        for (const Entity entity : issued_) FUZZ_CHECK(store_.is_alive(entity) == lives(entity));
        for (std::size_t which = 0; which != 2; ++which) {
            std::size_t commands = 0;
            for (const Recorded::Group& group : recorded_[which].groups) commands += group.commands;
            FUZZ_CHECK(buffers_[which].size() == commands + recorded_[which].calls.size());
        }
        const ArchetypeStore& store = store_;
        const auto counted = std::count_if(model_.things.begin(), model_.things.end(),
                                           [&](const auto& each) { return each.second.parts.contains(ids_.counted); });
        FUZZ_CHECK(!hooked_ || counted_ == counted);
        FUZZ_CHECK(!hooked_ || index_.size() == static_cast<std::size_t>(counted));
        for (const auto& [entity, key] : index_) FUZZ_CHECK(model_.things.at(entity).parts.at(ids_.counted) == key);
        std::set<Entity> lost, has;
        for (const Entity entity : store.removed<Counted>(0)) lost.insert(entity);
        FUZZ_CHECK(!hooked_ || removed_ == store.removed<Counted>(0).size());
        for (const auto& [entity, thing] : model_.things)
            if (thing.parts.contains(ids_.counted)) has.insert(entity);
        for (const Entity entity : had_) FUZZ_CHECK(has.contains(entity) || lost.contains(entity));
        had_ = std::move(has);
        removed_ = 0;
        store_.forget_removed(store.tick());
        for (const auto& [entity, thing] : model_.things) {
            for (const ComponentId id : ids_.plain()) {
                const auto part = thing.parts.find(id);
                FUZZ_CHECK(store.has(entity, id) == (part != thing.parts.end()));
                if (part != thing.parts.end()) FUZZ_CHECK(value(store, entity, id) == part->second);
            }
            FUZZ_CHECK(store.is_enabled<int>(entity) == (thing.parts.contains(ids_.number) && !thing.disabled));
            std::size_t pairs = 0, expected = 0;
            for (const ComponentId relation : ids_.relations())
                for (const Entity target : store.targets(entity, relation)) {
                    const auto part = thing.parts.find(pair(relation, target));
                    FUZZ_CHECK(part != thing.parts.end() && value(store, entity, part->first) == part->second);
                    ++pairs;
                }
            for (const auto& part : thing.parts) expected += part.first.is_pair();
            FUZZ_CHECK(pairs == expected);
            const auto children = store.sources(ids_.inside, entity);
            const std::vector<Entity> inside = model_.inside(entity);
            FUZZ_CHECK(std::equal(children.begin(), children.end(), inside.begin(), inside.end()));
            Entity above = entity;
            std::set<Entity> met{entity};
            for (const Entity each : store.ancestors(entity, ids_.inside)) {
                FUZZ_CHECK(model_.things.at(above).parts.contains(pair(ids_.inside, each)) && met.insert(each).second);
                above = each;
            }
            const Entity next = store.target(above, ids_.inside);
            FUZZ_CHECK(!next || met.contains(next));
        }
        if (issued_.size() > 120) issued_.erase(issued_.begin(), issued_.begin() + 40);
        for (const Entity entity : pending_)
            if (std::find(issued_.begin(), issued_.end(), entity) == issued_.end()) issued_.push_back(entity);
    }
    int value(const ArchetypeStore& store, Entity entity, ComponentId id) const {
        const void* const found = store.get(entity, id);
        FUZZ_CHECK((found != nullptr) == model_.has_values(id));
        if (found == nullptr) return -1;
        return id == ids_.number ? *static_cast<const int*>(found) : static_cast<const Counted*>(found)->value();
    }

    ArchetypeStore store_{};
    Ids ids_{store_.registry()};
    AnyCodec codec_ = AnyCodec().add<Counted>().add<Aside>().add<Brings>().add<Owes>().add<Knows>().add<int>();
    CommandBuffer buffers_[2]{CommandBuffer(store_), CommandBuffer(store_)};
    Model model_{ids_};
    Recorded recorded_[2]{};
    std::set<Entity> pending_{}; // buffers will spawn them
    std::vector<Entity> issued_{};
    long counted_ = 0;
    std::map<Entity, int> index_{}; // values of Counted, which hooks keep
    std::size_t removed_ = 0;       // in this step
    std::set<Entity> had_{};        // a Counted, before
    bool hooked_ = false;
};

} // namespace

#endif
