// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The tables of a store, beside a model that searches through all of them: steps of the graph under `with` and `exclusive`, the
// index with its wildcards, queries that are kept while tables come and go, and ids that nobody gave out. Each decision of an
// input is one operation.
#ifndef SLOTWISE_TESTS_FUZZ_ARCHETYPES_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_ARCHETYPES_BODY_HPP

#include "ecs/inside.hpp"
#include "input.hpp"

#include <slotwise/ecs/detail/archetype_tables.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace test;
using namespace slotwise;

class Archetypes {
    using Tables = std::remove_cvref_t<decltype(tables_of(std::declval<ArchetypeStore&>()))>;
    using Set = std::set<ComponentId>;
    using Ids = std::vector<ComponentId>;
    struct Known {
        Set ids;
        slot_t number;
        const Table* address;
        bool has_row = false;
    };
    struct Asked {
        Ids include;
        const Tables::Query* query;
    };

public:
    Archetypes() {
        const auto value = registry_.add("value", TypeDescriptor::of<int>()), tag = registry_.add_tag("tag");
        const auto far = registry_.add("far", TypeDescriptor::of<char>(), {.sparse = true});
        const auto body = registry_.add_tag("body", {.with = {value, far}}), mind = registry_.add_tag("mind", {.with = {body}});
        for (int i = 0; i != 260; ++i) static_cast<void>(registry_.add_tag("unused " + std::to_string(i)));
        const auto late = registry_.add_tag("late"); // its number is no small one
        likes_ = registry_.add_relation("likes");
        owns_ = registry_.add_relation("owns", {.exclusive = true});
        known_ = {value, tag, body, mind, late, pair(likes_, tag)};
        for (slot_t target = 0; target != targets; ++target)
            for (const ComponentId relation : {likes_, owns_}) known_.push_back(pair(relation, entity(target)));
        model_.push_back({{}, 0, &tables_[0]});
    }

    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        for (; !in.done() && operations != 2000; ++operations) {
            step(in);
            check();
        }
        FUZZ_CHECK(tables_.check_invariants());
        return operations;
    }

private:
    static constexpr slot_t targets = 4;
    static Entity entity(slot_t index) { return Entity(index, 1); }

    ComponentId id(Input& in) { return known_[in.below(known_.size())]; }
    ComponentId asked(Input& in) {
        switch (in.below(6)) {
        case 0:
            return pair(in.flip() ? likes_ : owns_, any);
        case 1:
            return pair(any, entity(static_cast<slot_t>(in.below(targets))));
        case 2:
            return pair(any, any);
        default:
            return id(in);
        }
    }
    Ids some(Input& in, std::size_t most) {
        Ids ids(in.below(most + 1));
        for (ComponentId& each : ids) each = id(in);
        return ids;
    }

    void step(Input& in) {
        Known& at = model_[in.below(model_.size())];
        switch (in.below(16)) {
        case 0:
            return found(at, tables_.add(at.number, known_[0]), {known_[0]}, {});
        case 1: {
            const Asked query = made_query(in);
            return queries_.push_back(query);
        }
        case 2: {
            if (at.has_row || at.number == 0) return toggle_row(at);
            tables_.erase(at.number);
            return forget(at.number);
        }
        case 3: {
            const ComponentId gone = asked(in);
            std::size_t count = 0;
            for (std::size_t i = 0; i != model_.size();)
                if (!model_[i].has_row && matches(model_[i], gone)) {
                    forget(model_[i].number);
                    ++count;
                } else
                    ++i;
            return FUZZ_CHECK(tables_.erase_tables_with(gone) == count);
        }
        case 4:
            return toggle_row(at);
        case 5: {
            if (in.below(8) != 0) return;
            std::erase_if(model_, [](const Known& each) { return !each.has_row && each.number != 0; });
            return static_cast<void>(tables_.erase_empty());
        }
        case 6: {
            const Ids ids = some(in, 5);
            const Known* const known = find(Set(ids.begin(), ids.end()));
            return FUZZ_CHECK(tables_.find(ids) == (known == nullptr ? no_slot : known->number));
        }
        case 7:
            return hostile(at, ComponentId::from_bits(in.number()));
        case 8:
        case 9: {
            const ComponentId added = id(in);
            return found(at, tables_.add(at.number, added), {added}, {});
        }
        case 10:
        case 11: {
            const ComponentId removed = id(in);
            return found(at, tables_.remove(at.number, removed), {}, {removed});
        }
        default: {
            const Ids added = some(in, 4), removed = some(in, 3);
            return found(at, tables_.change(at.number, added, removed), added, removed);
        }
        }
    }
    Asked made_query(Input& in) {
        Ids include(in.below(4));
        for (ComponentId& each : include) each = asked(in);
        std::sort(include.begin(), include.end());
        include.erase(std::unique(include.begin(), include.end()), include.end());
        const Tables::Query& query = tables_.query(include);
        FUZZ_CHECK(tables_.find_query(include) == &query);
        return {include, &query};
    }
    void toggle_row(Known& at) {
        Table& table = tables_[at.number];
        if (at.has_row)
            static_cast<void>(table.swap_erase(0));
        else
            static_cast<void>(table.push_back(entity(9), 1, [](std::size_t, void* to) { *static_cast<int*>(to) = 1; }));
        at.has_row = !at.has_row;
    }
    // Nothing but errors in words, and nothing changes; but a pattern may be an id that somebody gave out.
    void hostile(const Known& at, ComponentId id) {
        if (registry_.contains(id)) return;
        const std::size_t before = tables_.size();
        FUZZ_CHECK(refuses<std::invalid_argument>([&] { static_cast<void>(tables_.add(at.number, id)); }));
        FUZZ_CHECK(tables_.size() == before);
        FUZZ_CHECK(!tables_.remove(at.number, id));
        FUZZ_CHECK(tables_.index().count(id) == 0 || id.is_wildcard());
    }

    //--- the model ---//

    bool exclusive(ComponentId id) const { return id.is_pair() && id.relation_number() == owns_.number(); }
    void put(Set& set, ComponentId id) const {
        if (exclusive(id)) std::erase_if(set, [&](ComponentId each) { return exclusive(each); });
        set.insert(id);
    }
    Set changed(const Set& before, const Ids& added, const Ids& removed) const {
        Set set = before;
        for (const ComponentId id : removed)
            if (std::find(added.begin(), added.end(), id) == added.end()) set.erase(id);
        for (const ComponentId id : added)
            if (before.count(id) == 0)
                for (const ComponentId each : registry_.with_closure(id))
                    if (!registry_.traits(each).sparse) set.insert(each);
        for (const ComponentId id : added) put(set, id);
        return set;
    }
    void found(const Known& at, Tables::Step step, const Ids& added, const Ids& removed) {
        const Set expected = changed(at.ids, added, removed);
        FUZZ_CHECK(static_cast<bool>(step) == (expected != at.ids));
        FUZZ_CHECK(step || step.table == at.number);
        const Known* known = find(expected);
        if (known == nullptr) {
            model_.push_back({expected, step.table, &tables_[step.table]});
            known = &model_.back();
        }
        FUZZ_CHECK(known->number == step.table);
        const auto ids = tables_[step.table].ids();
        FUZZ_CHECK(std::equal(ids.begin(), ids.end(), expected.begin(), expected.end()));
    }
    const Known* find(const Set& ids) const {
        for (const Known& each : model_)
            if (each.ids == ids) return &each;
        return nullptr;
    }
    void forget(slot_t number) {
        std::erase_if(model_, [&](const Known& each) { return each.number == number; });
    }
    static bool matches(const Known& table, ComponentId id) {
        return std::any_of(table.ids.begin(), table.ids.end(), [&](ComponentId each) { return test::matches_id(id, each); });
    }

    void check() const {
        FUZZ_CHECK(tables_.size() == model_.size());
        for (const Known& each : model_) FUZZ_CHECK(&tables_[each.number] == each.address);
        for (const Asked& each : queries_) {
            auto match = each.query->begin();
            for (const Known& table : model_) { // in the order in which they were made
                const auto has = [&](ComponentId id) { return matches(table, id); };
                if (!std::all_of(each.include.begin(), each.include.end(), has)) continue;
                FUZZ_CHECK(match != each.query->end() && (*match).table == table.address);
                ++match;
            }
            FUZZ_CHECK(match == each.query->end());
        }
    }

    ComponentRegistry registry_{};
    ComponentId likes_{}, owns_{};
    Ids known_{};
    Tables tables_{registry_};
    std::vector<Known> model_{};
    std::vector<Asked> queries_{};
};

} // namespace

#endif
