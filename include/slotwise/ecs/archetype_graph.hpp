// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeGraph: a node for each set of ids, and cached edges from a set to the set that a change of it gives.
#ifndef SLOTWISE_ECS_ARCHETYPE_GRAPH_HPP
#define SLOTWISE_ECS_ARCHETYPE_GRAPH_HPP

#include "../core/handle.hpp"
#include "../core/scope_guard.hpp"
#include "detail/id_set.hpp"
#include "detail/object_pool.hpp"

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

/// The edges of all nodes, found by where they begin and the ids of the change. It does not know nodes, rules and sets.
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

    /// Where in EdgeEnds::low_edges an edge for the id of this number is.
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

/// The set of ids that a change of another one gives, by the rules of an ArchetypeGraph. Its memory is used again for each set.
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

/// What the edges of an ArchetypeGraph have when they need nothing: any two nodes make one.
struct NoEdgeData {
    template <class Node>
    constexpr NoEdgeData(const Node&, const Node&) noexcept {}
};

/// The rules of an ArchetypeGraph without rules. Others have these members, of which the last one may be left out; they must
/// not use the graph.
struct NoRules {
    /// The number of an id, for arrays instead of hashing: any number that no other id has. Those from 256 on are hashed, as
    /// are ids that have none: return std::size_t(-1). This one numbers integers by their value.
    template <class Id>
    static constexpr std::size_t number(const Id& id) noexcept {
        if constexpr (std::is_integral_v<Id> || std::is_enum_v<Id>)
            return static_cast<std::size_t>(id);
        else
            return static_cast<std::size_t>(-1);
    }
    /// Calls f(companion) for each id that is added along with `id`. Companions have companions: the graph follows them.
    template <class Id, class F>
    static constexpr void with(const Id&, F&&) {}
    /// Whether `present` leaves a set when `added` comes: both are pairs of an exclusive relation. @pre they differ
    template <class Id>
    static constexpr bool replaces(const Id& /*added*/, const Id& /*present*/) noexcept {
        return false;
    }
    /// Whether there may be ids that `id` replaces, or that replace it. It saves a look at all ids of a set for each that
    /// comes.
    template <class Id>
    static bool may_replace(const Id&) noexcept {
        return false;
    }
};

/// A node for each set of ids that was asked for. The change of a set leads along an edge to another node. Edges are found
/// once, from the set that results, and cached: adding or removing one id of a small number then reads an array, other ids and
/// several at a time are compared with the last ones or hashed. An edge leads one way. Where a change goes back to is found
/// when it is asked for, because `with` and `replaces` make adding and removing no inverses (flecs stores what differs in its
/// edges; see its table_graph.c).
///
/// A change that leaves the set as it is has no effect: no destination is sought, no node made. Erased nodes lose their edges
/// on both sides, and their handles resolve no more. Nodes never move, so a node may be made while another one is in use.
/// Making and destroying nodes, edge data, Hash and the rules must not change the graph. Rules must not change while the graph
/// has edges.
///     ArchetypeGraph<std::vector<Row>, int> tables;
///     const auto make = [](auto /*handle*/, std::span<const int> /*ids*/) { return std::vector<Row>(); };
///     auto empty = tables.insert({}, make);
///     auto moving = tables.add(empty, velocity, make).node;
/// @tparam Node any object type, also one that can neither be copied nor moved
/// @tparam Id trivially copyable; ordered by <, compared and hashed without throwing
/// @tparam EdgeData built from (const Node& from, const Node& to) for each edge: what a move needs
/// @tparam Rules see NoRules @tparam With HashBy<H>
template <class Node, class Id, class EdgeData, class Rules, class... With>
class ArchetypeGraph {
    static_assert(std::is_trivially_copyable_v<Id>, "ArchetypeGraph<Node, Id>: Id is trivially copyable");
    using Hash = detail::pick<detail::with_hash, DefaultHash<Id>, With...>;
    static_assert(std::is_nothrow_copy_constructible_v<Hash> && std::is_nothrow_copy_constructible_v<Rules>,
                  "ArchetypeGraph: the copy constructors of HashBy<H> and of the rules must not throw");

    struct Record;
    using Handle_ = Handle<typename detail::HandleTag<ArchetypeGraph>::element>;
    using Edges = detail::ArchetypeEdges<Record, Handle_, Id, EdgeData>;
    using Edge = typename Edges::Edge;
    using Change = detail::IdChange<Id>;
    using IdSets = detail::IdSets;

public:
    /// What a set of ids has: a table of a store.
    using node_type = Node;
    using id_type = Id;
    /// What an edge has.
    using edge_type = EdgeData;
    /// Says which ids come along with others, and which replace others.
    using rules_type = Rules;
    using size_type = std::size_t;
    /// Names a node until it is erased; its index() is the node's slot.
    using handle_type = Handle_;
    /// Several ids. Those of a node are in ascending order, each once; those that are passed may be in any order.
    using Ids = std::span<const Id>;

    /// Where a change leads. @invalidates `edge`: erase() of one of its nodes
    struct Step {
        handle_type node{};       ///< the node it leads to; the one it began at when it has no effect
        EdgeData* edge = nullptr; ///< what the edge to it has; null when the change has no effect
        /// Whether the change has an effect.
        explicit operator bool() const noexcept { return edge != nullptr; }
    };

    //=== construction ===//

    /// No node.
    explicit ArchetypeGraph(const Rules& rules = Rules(), const Hash& hash = Hash()) : rules_(rules), hash_(hash) {}
    ArchetypeGraph(const ArchetypeGraph&) = delete;
    ArchetypeGraph& operator=(const ArchetypeGraph&) = delete;
    /// Handles and addresses stay valid; `other` is empty then, with the same rules.
    ArchetypeGraph(ArchetypeGraph&& other) noexcept : ArchetypeGraph(other.rules_, other.hash_) { swap(other); }
    ArchetypeGraph& operator=(ArchetypeGraph&& other) noexcept {
        ArchetypeGraph taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~ArchetypeGraph() = default;
    void swap(ArchetypeGraph& other) noexcept {
        std::swap(rules_, other.rules_);
        std::swap(hash_, other.hash_);
        records_.swap(other.records_);
        by_slot_.swap(other.by_slot_);
        edges_.swap(other.edges_);
        std::swap(root_, other.root_);
    }
    friend void swap(ArchetypeGraph& a, ArchetypeGraph& b) noexcept { a.swap(b); }

    //=== nodes ===//

    /// The number of nodes.
    size_type size() const noexcept { return records_.size(); }
    bool empty() const noexcept { return records_.empty(); }
    /// The number of edges that are cached.
    size_type edges() const noexcept { return edges_.size(); }
    /// The rules. @pre assigning: the graph has no edges, or the new rules say the same
    Rules& rules() noexcept { return rules_; }
    const Rules& rules() const noexcept { return rules_; }

    /// Whether the handle's node is here. Any bit pattern is allowed.
    bool contains(handle_type node) const noexcept { return find_record(node) != nullptr; }
    /// The node, or null when it was erased.
    Node* get(handle_type node) noexcept { return node_of(find_record(node)); }
    const Node* get(handle_type node) const noexcept { return node_of(find_record(node)); }
    /// The node. @pre contains(node) (checked at level fast)
    Node& operator[](handle_type node) noexcept { return record(node).node; }
    const Node& operator[](handle_type node) const noexcept { return record(node).node; }
    /// The node in this slot. @pre one is there (checked at level debug)
    SLOTWISE_ALWAYS_INLINE Node& at_slot(slot_t slot) noexcept { return in_slot(slot).node; }
    SLOTWISE_ALWAYS_INLINE const Node& at_slot(slot_t slot) const noexcept { return in_slot(slot).node; }
    /// The handle of the node in this slot; null when none is there.
    SLOTWISE_ALWAYS_INLINE handle_type handle_at(slot_t slot) const noexcept {
        return slot < by_slot_.size() ? by_slot_[slot].handle : handle_type();
    }
    /// The ids of a node, in order. @pre contains(node) @invalidates erase() of the node
    Ids ids(handle_type node) const noexcept { return record(node).ids.span(); }
    /// The node of the empty set, null when there is none.
    handle_type root() const noexcept { return root_; }
    /// The node of these ids, null when there is none. Their order does not matter, nor does an id that occurs twice.
    /// @throws what the allocator throws if they are in disorder @complexity O(ids)
    handle_type find(Ids ids) const {
        if (IdSets::is_set(ids)) return handle_of(find_set(ids, IdSets::tag(ids, hash_)));
        detail::PlainVector<Id> set;
        IdSets::assign(set, ids);
        return handle_of(find_set(set.span(), IdSets::tag(set.span(), hash_)));
    }
    /// The node of these ids, as in find(); if there is none, the node make(handle, ids in order) -> Node is added. The rules
    /// do not change the ids.
    /// @throws what make and the allocator throw; strong, but for the handle that make has seen, which stays stale
    /// @complexity O(ids), amortised
    template <class Make>
    handle_type insert(Ids ids, Make&& make) {
        set_.assign(ids);
        return find_or_make(make).record->handle;
    }
    /// Removes a node and the edges from it and to it; false when there is none. @complexity O(edges of the node)
    bool erase(handle_type node) noexcept {
        Record* const gone = find_record(node);
        if (gone == nullptr) return false;
        edges_.drop(*gone);
        Head& head = by_slot_[node.index()];
        head = Head{nullptr, nullptr, handle_type(), head.version};
        if (root_ == node) root_ = handle_type();
        records_.erase(*gone, head.version != 0); // 0: the slot has used its last version
        return true;
    }
    /// Removes all nodes.
    void clear() noexcept {
        ArchetypeGraph empty(rules_, hash_);
        swap(empty);
    }
    /// Calls f(handle, node, ids) for each node, by slot. f may erase the node it is given, and add nodes.
    template <class F>
    void for_each(F&& f) {
        walk(*this, f);
    }
    template <class F>
    void for_each(F&& f) const {
        walk(*this, f);
    }

    //=== changes of a set ===//

    /// From the set of `node` to the one with `id`, the ids that come with it, and without those that it replaces. A set that
    /// has the id stays as it is. @param make makes a node as in insert() @pre contains(node)
    /// @throws what make, EdgeData and the allocator throw; strong, as in insert()
    /// @complexity O(1) expected once the edge is cached, O(log ids) without effect, else O(ids)
    template <class Make>
    SLOTWISE_ALWAYS_INLINE Step add(handle_type node, const Id& id, Make&& make) {
        return add(slot_of(node), id, make);
    }
    /// The same for the node in this slot. @pre one is there (checked at level debug)
    template <class Make>
    SLOTWISE_ALWAYS_INLINE Step add(slot_t slot, const Id& id, Make&& make) {
        return single(slot, {Ids(std::addressof(id), 1), Ids()}, make);
    }
    /// From the set of `node` to the one without `id`; as add(). The ids that came with it stay.
    template <class Make>
    SLOTWISE_ALWAYS_INLINE Step remove(handle_type node, const Id& id, Make&& make) {
        return remove(slot_of(node), id, make);
    }
    /// The same for the node in this slot. @pre one is there (checked at level debug)
    template <class Make>
    SLOTWISE_ALWAYS_INLINE Step remove(slot_t slot, const Id& id, Make&& make) {
        return single(slot, {Ids(), Ids(std::addressof(id), 1)}, make);
    }
    /// Removes `from` and adds `to`, in one step; as add(). A set without `from` gets `to` all the same.
    template <class Make>
    Step replace(handle_type node, const Id& from, const Id& to, Make&& make) {
        return change(node, Ids(std::addressof(to), 1), Ids(std::addressof(from), 1), make);
    }
    /// Adds several ids in one step, without nodes between; as add(). Of several ids that replace each other the last one
    /// stays. Ids that the set has are without effect, as if they were not named.
    /// @complexity O(log ids) for each id, O(1) if it is the change that was last asked for at this node
    template <class Make>
    Step add_all(handle_type node, Ids ids, Make&& make) {
        return change(node, ids, Ids(), make);
    }
    /// Removes several ids in one step, without nodes between; as add_all().
    template <class Make>
    Step remove_all(handle_type node, Ids ids, Make&& make) {
        return change(node, Ids(), ids, make);
    }
    /// Removes ids and adds others, in one step; as add_all(). An id that is in both is added.
    template <class Make>
    Step change(handle_type node, Ids added, Ids removed, Make&& make) {
        return change(slot_of(node), added, removed, make);
    }
    /// The same for the node in this slot. @pre one is there (checked at level debug)
    template <class Make>
    SLOTWISE_ALWAYS_INLINE Step change(slot_t slot, Ids added, Ids removed, Make&& make) {
        const Change change{added, removed};
        return change.is_single() ? single(slot, change, make) : any_change(slot, change, make);
    }

    /// Bytes held on the heap, without what nodes and data of edges hold themselves. @complexity linear in nodes and edges
    size_type memory_usage() const noexcept {
        return memory_usage([](const Node&) { return 0u; }, [](const EdgeData&) { return 0u; });
    }
    /// The same with what they hold, as of_node(node) and of_data(data) say. @complexity linear in nodes and edges
    template <class OfNode, class OfData>
    size_type memory_usage(OfNode&& of_node, OfData&& of_data) const noexcept {
        const auto own = [&](const Record& each) {
            return each.ends.low_edges.memory_usage() + each.ids.memory_usage() + of_node(each.node);
        };
        return by_slot_.memory_usage() + records_.memory_usage(own) + edges_.memory_usage(of_data) + set_.memory_usage();
    }
    /// Whether nodes, edges and the tables that find them agree; for tests.
    bool check_invariants() const;

private:
    struct Record {
        template <class Make>
        Record(handle_type own, Ids set, Make& make) : handle(own), ids(set), node(make(own, ids.span())) {}

        handle_type handle;
        slot_t slot = no_slot;
        std::uint32_t tag = 0;
        typename Edges::Ends ends{};
        detail::PlainVector<Id> ids;
        Node node;
    };
    /// What a step reads of a node, next to each other.
    struct Head {
        Record* record = nullptr;
        Edge* const* low_edges = nullptr; // EdgeEnds::low_edges
        handle_type handle{};             // null where no node is
        std::uint32_t version = 0;        // the next node here has the one behind it
        std::uint32_t places = 0; // of low_edges. In 32 bits: the object has 32 bytes, and its place is found by a shift
    };
    struct Found {
        Record* record;
        bool made;
    };

    template <class R>
    static auto node_of(R* found) noexcept -> decltype(std::addressof(found->node)) {
        return found == nullptr ? nullptr : std::addressof(found->node);
    }
    SLOTWISE_ALWAYS_INLINE Record* find_record(handle_type node) const noexcept {
        return !node.is_null() && handle_at(node.index()) == node ? by_slot_[node.index()].record : nullptr;
    }
    template <class Self, class F>
    static void walk(Self& self, F& f) {
        for (std::size_t slot = 0; slot != self.by_slot_.size(); ++slot) {
            Record* const each = self.by_slot_[slot].record;
            if (each == nullptr) continue;
            if constexpr (std::is_const_v<Self>)
                f(each->handle, std::as_const(each->node), each->ids.span());
            else
                f(each->handle, each->node, each->ids.span());
        }
    }
    SLOTWISE_ALWAYS_INLINE Record& in_slot(slot_t slot) const noexcept {
        SLOTWISE_EXPECT_DEBUG(!handle_at(slot).is_null(), "ArchetypeGraph: no node is in this slot");
        return *by_slot_[slot].record;
    }
    SLOTWISE_ALWAYS_INLINE slot_t slot_of(handle_type node) const noexcept {
        SLOTWISE_EXPECT(handle_at(node.index()) == node && !node.is_null(),
                        "ArchetypeGraph: this node was erased, or is another graph's");
        return node.index();
    }
    SLOTWISE_ALWAYS_INLINE Record& record(handle_type node) const noexcept { return *by_slot_[slot_of(node)].record; }

    //=== nodes ===//

    Record* find_set(Ids set, std::uint32_t tag) const {
        return records_.find(tag, [&](const Record& each) { return IdSets::equal(each.ids.span(), set); });
    }
    static handle_type handle_of(const Record* found) noexcept { return found == nullptr ? handle_type() : found->handle; }
    // The node of the ids in set_.
    template <class Make>
    Found find_or_make(Make& make) {
        const Ids ids = set_.ids();
        const std::uint32_t tag = IdSets::tag(ids, hash_);
        if (Record* const found = find_set(ids, tag)) return {found, false};
        SLOTWISE_EXPECT(!making_, "ArchetypeGraph: make(handle, ids) must not add nodes");
        const slot_t slot = records_.reserve_one(tag);
        if (slot >= by_slot_.size()) by_slot_.resize(slot + std::size_t{1});
        making_ = true;
        const ScopeGuard made([&]() noexcept { making_ = false; });
        const handle_type node(slot, by_slot_[slot].version + 1);
        by_slot_[slot].version += 2; // even if make throws, because it has seen the handle
        Record& record = records_.add(tag, [&] { return new Record(node, ids, make); });
        by_slot_[slot] = {std::addressof(record), nullptr, node, by_slot_[slot].version};
        if (ids.empty()) root_ = node;
        return {std::addressof(record), true};
    }

    //=== edges ===//

    std::size_t place_of(Change change) const noexcept {
        return change.is_single() ? Edges::place_of(rules_.number(change.single()), change.added.empty()) : Edges::not_small;
    }
    static Step step_of(const Edge& edge) noexcept { return {edge.node, const_cast<EdgeData*>(std::addressof(edge.data))}; }
    // @pre change.is_single()
    template <class Make>
    SLOTWISE_ALWAYS_INLINE Step single(slot_t slot, Change change, Make& make) {
        SLOTWISE_EXPECT_DEBUG(!handle_at(slot).is_null(), "ArchetypeGraph: no node is in this slot");
        const Head& head = by_slot_[slot];
        const std::size_t place = Edges::place_of(rules_.number(change.single()), change.added.empty());
        const Edge* edge = nullptr;
        if (place < head.places) [[likely]]
            edge = head.low_edges[place];
        else if (place == Edges::not_small)
            edge = head.record->ends.last;
        if (edge != nullptr && edge->leads(change)) [[likely]] // ids of two registries may have one number
            return step_of(*edge);
        return any_change(slot, change, make);
    }
    template <class Make>
    SLOTWISE_NEVER_INLINE Step any_change(slot_t slot, Change change, Make& make) {
        Record& from = in_slot(slot);
        if (from.ends.last != nullptr && from.ends.last->has_key(change)) return step_of(*from.ends.last);
        if (!Set::has_effect(from.ids.span(), change.added, change.removed)) return {from.handle, nullptr};
        std::size_t place = place_of(change);
        if (place < from.ends.low_edges.size() && from.ends.low_edges[place] != nullptr)
            place = Edges::not_small; // an id of the same number has it
        std::uint32_t tag = 0;
        if (place == Edges::not_small) {
            tag = Edges::tag_of(from, change, hash_);
            if (Edge* const edge = edges_.find(from, change, tag)) {
                from.ends.last = edge;
                return step_of(*edge);
            }
        }
        return first_time(from, change, place, tag, make);
    }
    // The first such change at this node: finds the set that it gives.
    template <class Make>
    Step first_time(Record& from, Change change, std::size_t place, std::uint32_t tag, Make& make) {
        detail::PlainVector<Id> key;
        key.reserve(change.added.size() + change.removed.size());
        key.append(change.added);
        key.append(change.removed);
        set_.apply(from.ids.span(), change.added, change.removed, rules_);
        if (IdSets::equal(set_.ids(), from.ids.span())) return {from.handle, nullptr};
        edges_.reserve_one(from, place, tag);
        by_slot_[from.handle.index()].low_edges = from.ends.low_edges.data();
        by_slot_[from.handle.index()].places = static_cast<std::uint32_t>(from.ends.low_edges.size());
        const Found to = find_or_make(make);
        ScopeGuard undo([&]() noexcept {
            if (to.made) erase(to.record->handle);
        });
        Edge& edge = edges_.emplace(from, *to.record, std::move(key), change.added.size(), place, tag);
        undo.dismiss();
        return step_of(edge);
    }

    using Set = detail::ChangedSet<Id>;
    SLOTWISE_NO_UNIQUE_ADDRESS Rules rules_;
    SLOTWISE_NO_UNIQUE_ADDRESS Hash hash_;
    detail::PlainVector<Head> by_slot_{}; // without a record where no node is
    detail::ObjectTable<Record> records_{};
    Edges edges_{};
    handle_type root_{};
    Set set_{}; // work space
    bool making_ = false;
};

template <class Node, class Id, class EdgeData, class Rules, class... With>
bool ArchetypeGraph<Node, Id, EdgeData, Rules, With...>::check_invariants() const {
    std::size_t nodes = 0, edges = 0;
    for (const Head& head : by_slot_) {
        if (head.record == nullptr) {
            if (!head.handle.is_null() || head.places != 0) return false;
            continue;
        }
        ++nodes;
        const Record& each = *head.record;
        const Ids ids = each.ids.span();
        if (head.handle != each.handle || each.handle.index() != each.slot || !IdSets::is_set(ids)) return false;
        if (each.tag != IdSets::tag(ids, hash_) || find_set(ids, each.tag) != head.record) return false;
        if (ids.empty() != (each.handle == root_)) return false;
        if (head.low_edges != each.ends.low_edges.data() || head.places != each.ends.low_edges.size()) return false;
        const std::size_t begins = edges_.is_sound(each);
        if (begins == no_slot) return false;
        edges += begins;
    }
    return nodes == size() && edges == edges_.size() && records_.check_invariants() && edges_.check_invariants();
}

SLOTWISE_END

#endif
