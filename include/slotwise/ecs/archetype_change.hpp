// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ChangedSet: the set of ids that a change of another one gives, by the rules of an ArchetypeGraph.
#ifndef SLOTWISE_ECS_ARCHETYPE_CHANGE_HPP
#define SLOTWISE_ECS_ARCHETYPE_CHANGE_HPP

#include "id_set.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Memory that is used again for each set.
template <class Id>
class ChangedSet {
public:
    using Ids = std::span<const Id>;

    /// The ids, in order, each once.
    Ids ids() const noexcept { return set_.span(); }
    void assign(Ids ids) { IdSets::assign(set_, ids); }

    /// Whether the change names an id that is to come, or one that is to go. Companions alone have no effect.
    static bool has_effect(Ids before, Ids added, Ids removed) noexcept {
        for (const Id& id : added)
            if (!IdSets::contains(before, id)) return true;
        for (const Id& id : removed)
            if (IdSets::contains(before, id) && !names(added, id)) return true;
        return false;
    }
    /// The set `before` without `removed`, with `added` and their companions, and without what these replace. An id in both is
    /// added. Companions come before the ids that are named, which therefore stay.
    template <class Rules>
    void apply(Ids before, Ids added, Ids removed, const Rules& rules) {
        set_.assign(before);
        for (const Id& id : removed)
            if (!names(added, id)) take_out(id);
        coming_.clear();
        for (const Id& id : added)
            if (!IdSets::contains(before, id)) coming_.push_back(id);
        const std::size_t named = coming_.size();
        for (std::size_t i = 0; i != coming_.size(); ++i) {
            const Id id = coming_[i]; // a copy, because the array grows
            rules.with(id, [&](const Id& companion) {
                if (!IdSets::contains(ids(), companion) && !names(coming_.span(), companion)) coming_.push_back(companion);
            });
        }
        for (std::size_t i = named; i != coming_.size(); ++i) put_in(coming_[i], rules);
        for (const Id& id : added) put_in(id, rules);
    }

    std::size_t memory_usage() const noexcept { return memory_of(set_, coming_); }

private:
    static bool names(Ids ids, const Id& id) noexcept { return IdSets::names(ids, id); }
    void take_out(const Id& id) {
        const std::size_t place = IdSets::lower_bound(ids(), id);
        if (place != set_.size() && set_[place] == id) set_.erase(place);
    }
    template <class Rules>
    void put_in(const Id& id, const Rules& rules) {
        if (!IdSets::insert(set_, id)) return;
        std::size_t kept = 0;
        for (const Id each : set_)
            if (each == id || !rules.replaces(id, each)) set_[kept++] = each;
        set_.truncate(kept);
    }

    PlainVector<Id> set_{}, coming_{};
};

} // namespace detail
SLOTWISE_END

#endif
