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
        if (removed.empty()) return false;
        const bool sorted = IdSets::is_set(added);
        for (const Id& id : removed)
            if (IdSets::contains(before, id) && !(sorted ? IdSets::contains(added, id) : IdSets::names(added, id))) return true;
        return false;
    }
    /// The set `before` without `removed`, with `added` and their companions, and without what these replace. An id in both is
    /// added. Companions come before the ids that are named, which therefore stay.
    /// It takes O(n log n) steps for n ids, plus for each id that may replace another one O(n).
    template <class Rules>
    void apply(Ids before, Ids added, Ids removed, const Rules& rules) {
        IdSets::assign(named_, added);
        IdSets::assign(removed_, removed);
        set_.clear();
        set_.reserve(before.size() + added.size());
        auto named = named_.begin(), gone = removed_.begin();
        for (const Id& id : before) {
            while (named != named_.end() && *named < id) ++named;
            while (gone != removed_.end() && *gone < id) ++gone;
            const bool stays = gone == removed_.end() || id < *gone || (named != named_.end() && !(id < *named));
            if (stays) set_.push_back(id);
        }
        find_coming(added, before, rules);
        // Those that replace nothing come in one pass, the others one by one, in their order.
        merged_.clear();
        for (const Id& id : coming_)
            if (!may_replace(rules, id)) merged_.push_back(id);
        IdSets::sort_set(merged_);
        merge();
        for (std::size_t i = named_coming_; i != coming_.size(); ++i)
            if (may_replace(rules, coming_[i])) put_in(coming_[i], rules);
        for (const Id& id : added)
            if (may_replace(rules, id)) put_in(id, rules);
    }

    std::size_t memory_usage() const noexcept { return memory_of(set_, coming_, named_, removed_, companions_, merged_); }

private:
    // Rules may leave this out: then each id is taken for one that replaces others.
    template <class Rules>
    static bool may_replace(const Rules& rules, const Id& id) {
        if constexpr (requires { rules.may_replace(id); })
            return rules.may_replace(id);
        else
            return true;
    }
    // Into coming_: the ids that are named and not there, and behind them their companions, and so on.
    template <class Rules>
    void find_coming(Ids added, Ids before, const Rules& rules) {
        coming_.clear();
        companions_.clear();
        for (const Id& id : added)
            if (!IdSets::contains(before, id)) coming_.push_back(id);
        named_coming_ = coming_.size();
        for (std::size_t i = 0; i != coming_.size(); ++i) {
            const Id from = coming_[i]; // a copy, because the array grows
            rules.with(from, [&](const Id& companion) {
                if (!IdSets::contains(ids(), companion) && !IdSets::contains(named_.span(), companion) &&
                    IdSets::insert(companions_, companion))
                    coming_.push_back(companion);
            });
        }
    }
    // Puts merged_ into set_: from behind, so that no id moves twice.
    void merge() {
        std::size_t old = set_.size(), fresh = merged_.size();
        set_.append(merged_.span()); // room
        for (std::size_t to = set_.size(); fresh != 0;) {
            const bool last = old == 0 || set_[old - 1] < merged_[fresh - 1];
            --to;
            set_[to] = last ? merged_[--fresh] : set_[--old];
        }
    }
    template <class Rules>
    void put_in(const Id& id, const Rules& rules) {
        if (!IdSets::insert(set_, id)) return;
        std::size_t kept = 0;
        for (const Id each : set_)
            if (each == id || !rules.replaces(id, each)) set_[kept++] = each;
        set_.truncate(kept);
    }

    PlainVector<Id> set_{}, coming_{}, named_{}, removed_{}, companions_{}, merged_{};
    std::size_t named_coming_ = 0; // so many of coming_ are named, the others companions
};

} // namespace detail
SLOTWISE_END

#endif
