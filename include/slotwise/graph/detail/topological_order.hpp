// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TopologicalOrder: an order of the nodes of a graph in which each edge leads forward, kept while edges come and go.
#ifndef SLOTWISE_GRAPH_DETAIL_TOPOLOGICAL_ORDER_HPP
#define SLOTWISE_GRAPH_DETAIL_TOPOLOGICAL_ORDER_HPP

#include "../../fwd.hpp"
#include "../../memory/plain_vector.hpp"

#include <algorithm>
#include <span>

SLOTWISE_BEGIN
namespace detail {

/// The algorithm of Pearce and Kelly (A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, 2006). An edge that
/// leads forward already costs O(1). Any other edge costs the nodes between its ends that are connected with it, and their
/// edges, and a sort of these nodes. It knows no edges: the caller lists the neighbours of a node.
///
/// Where one end of the edge leads to a few nodes only, these can lie anywhere behind (or before) all others, and go to the end
/// (or the front) instead. Links that are read in the reverse of their order would cost the whole chain so far each otherwise:
/// 8,000 of them took 2.4 s, and take 0.0005 s so.
///
/// A node is a slot. Its position is a number; an erased or moved node leaves a gap. A new edge is added in steps, so that what
/// is kept by position can follow:
///     switch (order.find(from, to, successors, predecessors)) ...
///     // if the answer was `reorder`: room for end_after_reorder() positions
///     order.make_way(moved);
///     order.apply();
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
          gaps_(other.gaps_), front_(other.front_) {}

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
        trim();
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
        gaps_ = front_ = 0;
    }
    void clear() noexcept {
        slots_.clear();
        positions_.clear();
        parents_.clear();
        stamps_.clear();
        gaps_ = front_ = 0;
    }
    bool contains(slot_t slot) const noexcept { return slot < positions_.size() && positions_[slot] != no_slot; }

    /// What the edge needs. Nothing changes yet.
    /// @param successors successors(slot, visit) calls visit(next) for the target of each edge of the node, and may stop when
    /// that answers false
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
        target_ = Target::between;
        if (upper - lower > near_by) {
            if (leads_to_few(forward_, to, from, successors)) return go_to(Target::end, forward_);
            forward_.clear();
            if (leads_to_few(backward_, from, to, predecessors)) return go_to(Target::front, backward_);
            backward_.clear();
        }
        next_stamp();
        enter(forward_, to, no_slot);
        bool cycle = from == to;
        for (std::size_t i = 0; i != forward_.size() && !cycle; ++i)
            successors(forward_[i], [&](slot_t next) {
                if (cycle || positions_[next] > upper || stamps_[next] == stamp_) return !cycle;
                enter(forward_, next, forward_[i]);
                cycle = next == from;
                return !cycle;
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
                return true;
            });
        sort(forward_);
        sort(backward_);
        pool_.reserve(forward_.size() + backward_.size());
        for (const slot_t slot : backward_) pool_.push_back(positions_[slot]);
        for (const slot_t slot : forward_) pool_.push_back(positions_[slot]);
        std::sort(pool_.begin(), pool_.end());
        return Edge::reorder;
    }
    /// Whether test(slot) is true of the node and of all that edges lead to from it, as `next` says. Stops where it is not.
    /// Throws what the allocator throws; no effect
    template <class Next, class Test>
    bool all_of(slot_t slot, Next&& next, Test&& test) {
        forward_.clear();
        next_stamp();
        enter(forward_, slot, no_slot);
        for (std::size_t i = 0; i != forward_.size(); ++i) {
            if (!test(forward_[i])) return false;
            next(forward_[i], [&](slot_t other) {
                if (stamps_[other] != stamp_) enter(forward_, other, no_slot);
                return true;
            });
        }
        return true;
    }
    /// Room for sort_range(low, high). Throws what the allocator throws; strong
    void reserve_range(std::size_t low, std::size_t high) {
        forward_.reserve(high - low + 1);
        backward_.reserve(high - low + 1);
        pool_.reserve(high - low + 1);
    }
    /// Whether the nodes at the positions from `low` to `high` have an order in which all edges lead forward (Kahn 1962), and
    /// which: the answer is `reorder`, or `cycle`. The edges are there already. @pre each edge that does not lead forward has
    /// both ends there; reserve_range(low, high)
    /// Costs these nodes and their edges
    template <class Successors, class Predecessors>
    Edge sort_range(std::size_t low, std::size_t high, Successors&& successors, Predecessors&& predecessors) noexcept {
        forward_.clear();
        backward_.clear();
        pool_.clear();
        target_ = Target::between;
        const auto inside = [&](slot_t slot) { return positions_[slot] >= low && positions_[slot] <= high; };
        Slots& waits = parents_; // for how many edges
        for (std::size_t at = low; at <= high; ++at)
            if (const slot_t slot = slots_[at]; slot != no_slot) {
                pool_.push_back(static_cast<slot_t>(at));
                waits[slot] = 0;
            }
        for (const slot_t at : pool_)
            successors(slots_[at], [&](slot_t next) {
                if (inside(next)) ++waits[next];
                return true;
            });
        for (const slot_t at : pool_)
            if (waits[slots_[at]] == 0) forward_.push_back(slots_[at]);
        for (std::size_t i = 0; i != forward_.size(); ++i)
            successors(forward_[i], [&](slot_t next) {
                if (inside(next) && --waits[next] == 0) forward_.push_back(next);
                return true;
            });
        if (forward_.size() == pool_.size()) return Edge::reorder;
        // A node that still waits has a source that does. Back from one to the next a walk gets into a cycle.
        next_stamp();
        slot_t at = no_slot;
        for (std::size_t i = 0; at == no_slot; ++i)
            if (waits[slots_[pool_[i]]] != 0) at = slots_[pool_[i]];
        for (; stamps_[at] != stamp_; at = backward_.back()) {
            stamps_[at] = stamp_;
            slot_t before = no_slot;
            predecessors(at, [&](slot_t next) {
                if (inside(next) && waits[next] != 0) before = next;
                return before == no_slot;
            });
            backward_.push_back(before);
        }
        // `at` is on the cycle; its last occurrence ends the list of sources, an earlier one begins the cycle.
        forward_.clear();
        std::size_t n = backward_.size();
        do forward_.push_back(backward_[--n]);
        while (n != 0 && backward_[n - 1] != at);
        next_stamp();
        for (std::size_t i = 0; i != forward_.size(); ++i) {
            stamps_[forward_[i]] = stamp_;
            parents_[forward_[i]] = static_cast<slot_t>(i);
        }
        return Edge::cycle;
    }
    /// After `cycle` of sort_range(): whether an edge of the cycle leads from one node to the other. path() then begins with
    /// `to` and ends with `from`. O(1) when not
    bool close_path(slot_t from, slot_t to) noexcept {
        if (stamps_[from] != stamp_ || stamps_[to] != stamp_) return false;
        const std::size_t first = parents_[to];
        if ((parents_[from] + std::size_t{1}) % forward_.size() != first) return false;
        std::rotate(forward_.begin(), forward_.begin() + static_cast<std::ptrdiff_t>(first), forward_.end());
        return true;
    }
    /// After `cycle`: the nodes from `to` to `from`, a shortest path of edges that are there. Of sort_range(): a cycle.
    std::span<const slot_t> path() const noexcept { return forward_.span(); }
    /// After `reorder`: an upper bound of positions() from here to the end of apply().
    std::size_t end_after_reorder() const noexcept {
        if (target_ == Target::between) return slots_.size();
        return slots_.size() + (target_ == Target::end ? forward_.size() : new_front());
    }
    /// After `reorder`, and before what follows: makes room at the front, if the nodes go there. Calls moved(from, to) for each
    /// node that gets another position, in an order in which nothing else lies at `to`.
    template <class Moved>
    void make_way(Moved&& moved) noexcept {
        if (target_ == Target::end)
            for (std::size_t i = 0; i != forward_.size(); ++i) pool_.push_back(static_cast<slot_t>(slots_.size() + i));
        if (target_ != Target::front) return;
        if (front_ < backward_.size()) {
            compact(moved);
            const std::size_t more = new_front();
            std::size_t from = slots_.size();
            for (std::size_t i = 0; i != more; ++i) slots_.push_back(no_slot); // there is room
            while (from-- != 0) {
                const slot_t slot = slots_[from];
                slots_[from + more] = slot;
                slots_[from] = no_slot;
                positions_[slot] = static_cast<slot_t>(from + more);
                moved(from, from + more);
            }
            gaps_ = front_ = more;
        }
        for (std::size_t i = backward_.size(); i != 0; --i) pool_.push_back(static_cast<slot_t>(front_ - i));
    }
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
        if (target_ != Target::between) { // the old positions become gaps
            const Slots& nodes = target_ == Target::end ? forward_ : backward_;
            for (const slot_t slot : nodes) slots_[positions_[slot]] = no_slot;
            if (target_ == Target::end) {
                gaps_ += nodes.size();
                for (std::size_t i = 0; i != nodes.size(); ++i) slots_.push_back(no_slot); // there is room
            } else
                front_ -= nodes.size();
        }
        std::size_t place = 0;
        for (const Slots* const nodes : {&backward_, &forward_})
            for (const slot_t slot : *nodes) {
                const slot_t position = pool_[place++];
                positions_[slot] = position;
                slots_[position] = slot;
            }
        trim();
    }

    void swap(TopologicalOrder& other) noexcept {
        for (Slots TopologicalOrder::*const member :
             {&TopologicalOrder::slots_, &TopologicalOrder::positions_, &TopologicalOrder::parents_, &TopologicalOrder::stamps_,
              &TopologicalOrder::forward_, &TopologicalOrder::backward_, &TopologicalOrder::pool_})
            (this->*member).swap(other.*member);
        std::swap(stamp_, other.stamp_);
        std::swap(gaps_, other.gaps_);
        std::swap(front_, other.front_);
    }
    /// Bytes of memory.
    std::size_t memory_usage() const noexcept {
        return memory_of(slots_, positions_, parents_, stamps_, forward_, backward_, pool_);
    }
    /// Whether nodes and positions agree; for tests.
    bool check_invariants() const noexcept {
        std::size_t gaps = 0;
        for (std::size_t at = 0; at != front_; ++at)
            if (at >= slots_.size() || slots_[at] != no_slot) return false;
        for (std::size_t at = 0; at != slots_.size(); ++at)
            if (slots_[at] == no_slot)
                ++gaps;
            else if (slots_[at] >= positions_.size() || positions_[slots_[at]] != at)
                return false;
        return gaps == gaps_ && (slots_.empty() || slots_.back() != no_slot || gaps == slots_.size());
    }

private:
    /// Where the nodes go that get other positions.
    enum class Target : std::uint8_t { between, end, front };
    static constexpr std::size_t few = 8;
    static constexpr slot_t near_by = 32; // between ends that are so close there is little to search

    /// Finds all nodes that `start` leads to. Whether these are a few, and `other` is none of them.
    template <class Next>
    bool leads_to_few(Slots& nodes, slot_t start, slot_t other, Next& neighbours) {
        bool stopped = start == other;
        next_stamp();
        enter(nodes, start, no_slot);
        for (std::size_t i = 0; i != nodes.size() && !stopped; ++i)
            neighbours(nodes[i], [&](slot_t next) {
                if (stopped || stamps_[next] == stamp_) return !stopped;
                stopped = next == other || nodes.size() == few;
                if (!stopped) enter(nodes, next, no_slot);
                return !stopped;
            });
        return !stopped && slots_.size() + slots_.size() / 2 + 64 < no_slot;
    }
    /// The last position has a node.
    void trim() noexcept {
        while (!slots_.empty() && slots_.back() == no_slot) {
            slots_.pop_back();
            --gaps_;
        }
        if (front_ > slots_.size()) front_ = slots_.size();
    }
    Edge go_to(Target target, Slots& nodes) {
        target_ = target;
        sort(nodes);
        pool_.reserve(few);
        const std::size_t end = end_after_reorder();
        if (end > slots_.capacity()) slots_.reserve(end > 2 * slots_.capacity() ? end : 2 * slots_.capacity());
        return Edge::reorder;
    }
    /// How many positions become free at the front when the nodes do not fit there: a share of all, so that making room costs
    /// O(1) a node in the mean.
    std::size_t new_front() const noexcept { return front_ >= backward_.size() ? 0 : (slots_.size() - gaps_) / 2 + 32; }
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

    Slots slots_;                      // by position
    Slots positions_;                  // by slot
    Slots parents_, stamps_;           // by slot, of a search
    Slots forward_, backward_, pool_;  // of the last search: nodes behind and before the edge, their positions
    slot_t stamp_ = 0;                 // of the last search
    std::size_t gaps_ = 0, front_ = 0; // the first front_ positions are gaps
    Target target_ = Target::between;  // of the last search
};

} // namespace detail
SLOTWISE_END

#endif
