// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdSets: what is asked of sorted arrays of different ids.
#ifndef SLOTWISE_ECS_DETAIL_ID_SET_HPP
#define SLOTWISE_ECS_DETAIL_ID_SET_HPP

#include "../../core/hash.hpp"
#include "../../memory/plain_vector.hpp"

#include <span>

SLOTWISE_BEGIN
namespace detail {

struct IdSets {
    /// The first of `count` places for which is_before(place) does not hold: a binary search without branches.
    template <class IsBefore>
    static constexpr std::size_t partition_point(std::size_t count, IsBefore&& is_before) noexcept {
        std::size_t first = 0;
        while (count != 0) {
            const std::size_t half = count / 2;
            const bool behind = is_before(first + half);
            first = behind ? first + half + 1 : first;
            count = behind ? count - half - 1 : half;
        }
        return first;
    }
    /// The place of the first id that is not less.
    template <class Id>
    static constexpr std::size_t lower_bound(std::span<const Id> set, const Id& id) noexcept {
        return partition_point(set.size(), [&](std::size_t place) { return set[place] < id; });
    }
    template <class Id>
    static constexpr bool contains(std::span<const Id> set, const Id& id) noexcept {
        const std::size_t place = lower_bound(set, id);
        return place != set.size() && set[place] == id;
    }
    /// Whether the id is there, in whatever order they are.
    template <class Id>
    static constexpr bool names(std::span<const Id> ids, const Id& id) noexcept {
        for (const Id& each : ids)
            if (each == id) return true;
        return false;
    }
    /// Heap sort (Williams 1964): small to compile, and no input is bad for it.
    template <class T, class Less>
    static void sort(T* values, std::size_t count, Less less) {
        for (std::size_t end = count, start = count / 2; end > 1;) {
            if (start != 0)
                --start;
            else
                std::swap(values[0], values[--end]);
            for (std::size_t root = start, child; (child = 2 * root + 1) < end; root = child) {
                if (child + 1 < end && less(values[child], values[child + 1])) ++child;
                if (!less(values[root], values[child])) break;
                std::swap(values[root], values[child]);
            }
        }
    }
    /// Whether the ids are in order, and each occurs once.
    template <class Id>
    static constexpr bool is_set(std::span<const Id> ids) noexcept {
        for (std::size_t i = 1; i < ids.size(); ++i)
            if (!(ids[i - 1] < ids[i])) return false;
        return true;
    }
    /// `set` has the ids in order then, each once.
    template <class Id>
    static void assign(PlainVector<Id>& set, std::span<const Id> ids) {
        set.assign(ids);
        sort_set(set);
    }
    /// The same with the ids that are there.
    template <class Id>
    static void sort_set(PlainVector<Id>& set) {
        if (is_set(set.span())) return;
        sort(set.data(), set.size(), [](const Id& a, const Id& b) { return a < b; });
        std::size_t kept = 1;
        for (std::size_t i = 1; i != set.size(); ++i)
            if (!(set[i] == set[kept - 1])) set[kept++] = set[i];
        set.truncate(kept);
    }
    /// Adds an id; false when the set has it.
    template <class Id>
    static bool insert(PlainVector<Id>& set, const Id& id) {
        const std::size_t place = lower_bound(set.span(), id);
        if (place != set.size() && set[place] == id) return false;
        set.insert(place, id);
        return true;
    }
    template <class Id>
    static bool equal(std::span<const Id> a, std::span<const Id> b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i != a.size(); ++i)
            if (!(a[i] == b[i])) return false;
        return true;
    }
    /// A hash of ids in this order, and of `seed`.
    template <class Id, class Hash>
    static std::uint32_t tag(std::span<const Id> ids, const Hash& hash, std::uint64_t seed = 0) {
        std::uint64_t all = seed + ids.size();
        for (const Id& id : ids) all = mix_bits(all ^ static_cast<std::uint64_t>(hash(id)));
        return static_cast<std::uint32_t>(mix_bits(all));
    }
};

} // namespace detail

SLOTWISE_END

#endif
