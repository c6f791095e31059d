// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeEdges: the edges of an ArchetypeGraph, found by the node they begin at and the ids that come and go.
#ifndef SLOTWISE_ECS_ARCHETYPE_EDGES_HPP
#define SLOTWISE_ECS_ARCHETYPE_EDGES_HPP

#include "id_set.hpp"
#include "object_pool.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The change of a set of ids.
template <class Id>
struct IdChange {
    std::span<const Id> added, removed;
    bool is_single() const noexcept { return added.size() + removed.size() == 1; }
    /// @pre is_single()
    const Id& single() const noexcept { return added.empty() ? removed.front() : added.front(); }
};

/// Where a change leads from a node. What each step reads comes first.
template <class Record, class Handle, class Id, class Data>
struct ArchetypeEdge {
    ArchetypeEdge(Record& start, Record& end, PlainVector<Id>&& ids, std::size_t adds, std::uint32_t hash, std::size_t at)
        : first(ids[0]), node(end.handle), data(std::as_const(start.node), std::as_const(end.node)), added(adds),
          removed(ids.size() - adds), key(std::move(ids)), tag(hash), place(at), from(std::addressof(start)),
          to(std::addressof(end)) {}
    /// As has_key(). @pre change.is_single()
    bool leads(IdChange<Id> change) const noexcept {
        return first == change.single() && added == change.added.size() && removed == change.removed.size();
    }
    bool has_key(IdChange<Id> change) const noexcept {
        const std::span<const Id> ids = key.span();
        return added == change.added.size() && IdSets::equal(ids.first(added), change.added) &&
               IdSets::equal(ids.subspan(added), change.removed);
    }

    Id first; // key[0]
    Handle node;
    Data data;
    std::size_t added, removed;
    PlainVector<Id> key; // ids added, then ids removed
    std::uint32_t tag;
    slot_t slot = no_slot;
    std::size_t place;
    Record *from, *to;
    ArchetypeEdge *next_out = nullptr, *previous_out = nullptr, *next_in = nullptr, *previous_in = nullptr;
};

/// What a node has of its edges.
template <class Edge>
struct EdgeEnds {
    /// At 2 * number the edge that adds the id of that number, behind it the one that removes it.
    FlatArray<Edge*, std::allocator<std::byte>> low_edges{};
    Edge* last = nullptr; ///< of a change that was hashed last
    Edge* out = nullptr;  ///< lists
    Edge* in = nullptr;
};

/// The edges of all nodes. It does not know nodes, rules and sets.
/// @tparam Record a node: with the members `ends`, of type EdgeEnds, `handle` and `node`
template <class Record, class Handle, class Id, class Data>
class ArchetypeEdges {
public:
    using Edge = ArchetypeEdge<Record, Handle, Id, Data>;
    using Ends = EdgeEnds<Edge>;
    using Change = IdChange<Id>;
    static constexpr std::size_t small_numbers = 256;
    static constexpr std::size_t not_small = static_cast<std::size_t>(-1);

    void swap(ArchetypeEdges& other) noexcept {
        edges_.swap(other.edges_);
        by_key_.swap(other.by_key_);
    }
    std::size_t size() const noexcept { return edges_.size(); }

    /// Where in EdgeEnds::small an edge for the id of this number is.
    static constexpr std::size_t place_of(std::size_t number, bool removed) noexcept {
        return number < small_numbers ? 2 * number + removed : not_small;
    }
    /// A hash of a change at a node.
    template <class Hash>
    static std::uint32_t tag_of(const Record& from, Change change, const Hash& hash) {
        const std::uint32_t added = IdSets::tag(change.added, hash, std::uint64_t{from.handle.index()} << 32);
        return change.removed.empty() ? added : IdSets::tag(change.removed, hash, added);
    }
    /// The edge of a change that has no small place; null if there is none.
    Edge* find(const Record& from, Change change, std::uint32_t tag) const noexcept {
        const slot_t slot = by_key_.find(
            tag, [&](slot_t each) { return edges_[each]->from == std::addressof(from) && edges_[each]->has_key(change); });
        return slot == no_slot ? nullptr : edges_[slot];
    }
    /// Room for an edge with this place or tag, or no change.
    void reserve_one(Record& from, std::size_t place, std::uint32_t tag) {
        static_cast<void>(edges_.reserve_one());
        if (place == not_small)
            by_key_.make_room(tag, size() + 1);
        else if (place >= from.ends.low_edges.size())
            from.ends.low_edges.resized((place | 1) + 1, nullptr).swap(from.ends.low_edges);
    }
    /// Adds an edge. @pre there is room, the change has no edge, and `place` is vacant or not_small
    /// If Data or the allocator throws, nothing has changed.
    Edge& emplace(Record& from, Record& to, PlainVector<Id>&& key, std::size_t added, std::size_t place, std::uint32_t tag) {
        Edge& edge = edges_.add([&] { return new Edge(from, to, std::move(key), added, tag, place); });
        if (place == not_small) {
            by_key_.insert(tag, edge.slot);
            from.ends.last = std::addressof(edge);
        } else
            from.ends.low_edges[place] = std::addressof(edge);
        edge.next_out = from.ends.out;
        if (edge.next_out != nullptr) edge.next_out->previous_out = std::addressof(edge);
        from.ends.out = std::addressof(edge);
        edge.next_in = to.ends.in;
        if (edge.next_in != nullptr) edge.next_in->previous_in = std::addressof(edge);
        to.ends.in = std::addressof(edge);
        return edge;
    }
    /// Removes the edges from this node and to it.
    void drop(Record& node) noexcept {
        while (node.ends.out != nullptr) drop(*node.ends.out);
        while (node.ends.in != nullptr) drop(*node.ends.in);
    }

    /// How many edges begin at the node; no_slot when something about them is wrong. For tests.
    std::size_t is_sound(const Record& node) const {
        std::size_t count = 0, low_edges = 0;
        bool last = node.ends.last == nullptr;
        const Edge* before = nullptr;
        for (const Edge* edge = node.ends.out; edge != nullptr; before = edge, edge = edge->next_out, ++count) {
            const bool own = edge->from == std::addressof(node) && edge->to != edge->from && edge->node == edge->to->handle;
            if (!own || edge->previous_out != before || edges_[edge->slot] != edge) return no_slot;
            if (!(edge->first == edge->key[0])) return no_slot;
            if (edge->place != not_small && node.ends.low_edges[edge->place] != edge) return no_slot;
            low_edges += edge->place != not_small;
            last = last || edge == node.ends.last;
        }
        before = nullptr;
        for (const Edge* edge = node.ends.in; edge != nullptr; before = edge, edge = edge->next_in)
            if (edge->to != std::addressof(node) || edge->previous_in != before) return no_slot;
        for (std::size_t place = 0; place != node.ends.low_edges.size(); ++place)
            low_edges -= node.ends.low_edges[place] != nullptr;
        return last && low_edges == 0 ? count : no_slot;
    }
    template <class OfData>
    std::size_t memory_usage(OfData& of_data) const noexcept {
        const auto own = [&](const Edge& edge) { return edge.key.memory_usage() + of_data(edge.data); };
        return edges_.memory_usage(own) + by_key_.memory_usage();
    }
    bool check_invariants() const {
        std::size_t hashed = 0;
        edges_.for_each([&](const Edge& edge) { hashed += edge.place == not_small; });
        return edges_.check_invariants() && by_key_.is_sound(hashed, [&](slot_t slot) { return edges_[slot]->tag; });
    }

private:
    void drop(Edge& edge) noexcept {
        Ends &from = edge.from->ends, &to = edge.to->ends;
        if (from.last == std::addressof(edge)) from.last = nullptr;
        if (edge.place == not_small)
            by_key_.erase(edge.tag, edge.slot);
        else
            from.low_edges[edge.place] = nullptr;
        (edge.previous_out == nullptr ? from.out : edge.previous_out->next_out) = edge.next_out;
        if (edge.next_out != nullptr) edge.next_out->previous_out = edge.previous_out;
        (edge.previous_in == nullptr ? to.in : edge.previous_in->next_in) = edge.next_in;
        if (edge.next_in != nullptr) edge.next_in->previous_in = edge.previous_in;
        edges_.erase(edge);
    }

    ObjectPool<Edge> edges_{};
    ValueTable<false, std::allocator<std::byte>> by_key_{std::allocator<std::byte>()}; // those that have no small place
};

} // namespace detail
SLOTWISE_END

#endif
