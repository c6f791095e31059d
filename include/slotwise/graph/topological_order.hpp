// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TopologicalOrder: an order of the nodes of a graph in which each edge leads forward, kept while edges come and go.
#ifndef SLOTWISE_GRAPH_TOPOLOGICAL_ORDER_HPP
#define SLOTWISE_GRAPH_TOPOLOGICAL_ORDER_HPP

#include "../fwd.hpp"
#include "../memory/plain_vector.hpp"

#include <algorithm>
#include <span>

SLOTWISE_BEGIN
namespace detail {

/// The algorithm of Pearce and Kelly (A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, 2006). An edge that
/// leads forward already costs O(1). Any other edge costs the nodes between its ends that are connected with it, and their
/// edges, and a sort of these nodes. It knows no edges: the caller lists the neighbours of a node.
///
/// A node is a slot. Its position is a number; an erased node leaves a gap. A new edge is added in two steps, so that what is
/// kept by position can follow:
///     switch (order.find(from, to, successors, predecessors)) ...
///     order.apply();      // if the answer was `reorder`
/// @tparam Allocator of bytes
template <class Allocator = std::allocator<std::byte>>
class TopologicalOrder {
    using Slots = PlainVector<slot_t, Allocator>;

public:
    /// What a new edge needs.
    enum class Edge : std::uint8_t {
        ordered, ///< nothing: it leads forward
        reorder, ///< apply()
        cycle    ///< it is refused; see path()
    };

    explicit TopologicalOrder(const Allocator& alloc = Allocator()) noexcept
        : slots_(alloc), positions_(alloc), parents_(alloc), stamps_(alloc), forward_(alloc), backward_(alloc), pool_(alloc) {}
    /// Copies the order, and not the last search. Throws what the allocator throws
    TopologicalOrder(const TopologicalOrder& other, const Allocator& alloc)
        : slots_(other.slots_, alloc), positions_(other.positions_, alloc), parents_(other.parents_, alloc),
          stamps_(other.stamps_, alloc), forward_(alloc), backward_(alloc), pool_(alloc), stamp_(other.stamp_),
          gaps_(other.gaps_) {}

    /// Positions in use, gaps included.
    std::size_t positions() const noexcept { return slots_.size(); }
    /// The node at a position, no_slot in a gap. @pre position < positions()
    slot_t slot_at(std::size_t position) const noexcept { return slots_[position]; }
    /// @pre the node is in the order
    slot_t position(slot_t slot) const noexcept { return positions_[slot]; }

    /// Room for `nodes` more nodes, in slots up to `slot`. Throws what the allocator throws; strong
    void reserve(slot_t slot, std::size_t nodes = 1) {
        if (nodes > slots_.capacity() - slots_.size()) slots_.reserve(2 * slots_.size() + 3 + nodes);
        while (positions_.size() <= slot) positions_.push_back(no_slot);
        while (parents_.size() <= slot) parents_.push_back(no_slot);
        while (stamps_.size() <= slot) stamps_.push_back(0);
    }
    /// Adds a node without edges, at the end. @pre reserve(slot)
    void append(slot_t slot) noexcept {
        positions_[slot] = static_cast<slot_t>(slots_.size());
        slots_.push_back(slot);
    }
    /// Removes a node; its edges are gone.
    void erase(slot_t slot) noexcept {
        slots_[positions_[slot]] = no_slot;
        positions_[slot] = no_slot;
        ++gaps_;
        while (!slots_.empty() && slots_.back() == no_slot) {
            slots_.pop_back();
            --gaps_;
        }
    }
    /// Whether gaps outnumber nodes, so that compact() is due.
    bool sparse() const noexcept { return gaps_ > slots_.size() / 2 + 32; }
    /// Closes the gaps. Calls moved(from, to) for each node that gets another position, in ascending order; to < from.
    template <class Moved>
    void compact(Moved&& moved) noexcept {
        std::size_t to = 0;
        for (std::size_t from = 0; from != slots_.size(); ++from) {
            const slot_t slot = slots_[from];
            if (slot == no_slot) continue;
            if (from != to) {
                slots_[to] = slot;
                positions_[slot] = static_cast<slot_t>(to);
                moved(from, to);
            }
            ++to;
        }
        slots_.truncate(to);
        gaps_ = 0;
    }
    void clear() noexcept {
        slots_.clear();
        positions_.clear();
        parents_.clear();
        stamps_.clear();
        gaps_ = 0;
    }
    bool contains(slot_t slot) const noexcept { return slot < positions_.size() && positions_[slot] != no_slot; }

    /// What the edge needs. Nothing changes yet.
    /// @param successors successors(slot, visit) calls visit(next) for the target of each edge of the node
    /// @param predecessors the same for the sources
    /// Throws what the allocator throws; strong
    /// Costs O(1) if position(from) < position(to)
    template <class Successors, class Predecessors>
    Edge find(slot_t from, slot_t to, Successors&& successors, Predecessors&& predecessors) {
        const slot_t upper = positions_[from], lower = positions_[to];
        if (upper < lower) return Edge::ordered;
        forward_.clear();
        backward_.clear();
        pool_.clear();
        next_stamp();
        enter(forward_, to, no_slot);
        bool cycle = from == to;
        for (std::size_t i = 0; i != forward_.size() && !cycle; ++i)
            successors(forward_[i], [&](slot_t next) {
                if (cycle || positions_[next] > upper || stamps_[next] == stamp_) return;
                enter(forward_, next, forward_[i]);
                cycle = next == from;
            });
        if (cycle) {
            forward_.clear();
            for (slot_t slot = from; slot != no_slot; slot = parents_[slot]) forward_.push_back(slot);
            std::reverse(forward_.begin(), forward_.end());
            return Edge::cycle;
        }
        enter(backward_, from, no_slot);
        for (std::size_t i = 0; i != backward_.size(); ++i)
            predecessors(backward_[i], [&](slot_t next) {
                if (positions_[next] > lower && stamps_[next] != stamp_) enter(backward_, next, no_slot);
            });
        sort(forward_);
        sort(backward_);
        pool_.reserve(forward_.size() + backward_.size());
        for (const slot_t slot : backward_) pool_.push_back(positions_[slot]);
        for (const slot_t slot : forward_) pool_.push_back(positions_[slot]);
        std::sort(pool_.begin(), pool_.end());
        return Edge::reorder;
    }
    /// After `cycle`: the nodes from `to` to `from`, a shortest path of edges that are there.
    std::span<const slot_t> path() const noexcept { return forward_.span(); }
    /// After `reorder`: calls f(slot, from, to) for each node that gets another position.
    template <class F>
    void for_each_move(F&& f) const {
        std::size_t place = 0;
        for (const Slots* const nodes : {&backward_, &forward_})
            for (const slot_t slot : *nodes) f(slot, positions_[slot], pool_[place++]);
    }
    /// A bit of a node that for_each_move() visits, until the next find().
    void note(slot_t slot, bool bit) noexcept { parents_[slot] = bit ? 1 : 0; }
    bool noted(slot_t slot) const noexcept { return parents_[slot] == 1; }
    /// After `reorder`: gives them these positions.
    void apply() noexcept {
        std::size_t place = 0;
        for (const Slots* const nodes : {&backward_, &forward_})
            for (const slot_t slot : *nodes) {
                const slot_t position = pool_[place++];
                positions_[slot] = position;
                slots_[position] = slot;
            }
    }

    void swap(TopologicalOrder& other) noexcept {
        for (Slots TopologicalOrder::*const member :
             {&TopologicalOrder::slots_, &TopologicalOrder::positions_, &TopologicalOrder::parents_, &TopologicalOrder::stamps_,
              &TopologicalOrder::forward_, &TopologicalOrder::backward_, &TopologicalOrder::pool_})
            (this->*member).swap(other.*member);
        std::swap(stamp_, other.stamp_);
        std::swap(gaps_, other.gaps_);
    }
    /// Bytes of memory.
    std::size_t memory_usage() const noexcept {
        return memory_of(slots_, positions_, parents_, stamps_, forward_, backward_, pool_);
    }
    /// Whether nodes and positions agree; for tests.
    bool check_invariants() const noexcept {
        std::size_t gaps = 0;
        for (std::size_t at = 0; at != slots_.size(); ++at)
            if (slots_[at] == no_slot)
                ++gaps;
            else if (slots_[at] >= positions_.size() || positions_[slots_[at]] != at)
                return false;
        return gaps == gaps_ && (slots_.empty() || slots_.back() != no_slot || gaps == slots_.size());
    }

private:
    void enter(Slots& nodes, slot_t slot, slot_t parent) {
        nodes.push_back(slot);
        stamps_[slot] = stamp_;
        parents_[slot] = parent;
    }
    void sort(Slots& nodes) const noexcept {
        std::sort(nodes.begin(), nodes.end(), [this](slot_t a, slot_t b) { return positions_[a] < positions_[b]; });
    }
    void next_stamp() noexcept {
        if (++stamp_ != 0) return;
        for (slot_t& stamp : stamps_) stamp = 0;
        stamp_ = 1;
    }

    Slots slots_;                     // by position
    Slots positions_;                 // by slot
    Slots parents_, stamps_;          // by slot, of a search
    Slots forward_, backward_, pool_; // of the last search: nodes behind and before the edge, their positions
    slot_t stamp_ = 0;                // of the last search
    std::size_t gaps_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
