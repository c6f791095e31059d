// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowWhole: what a DataflowGraph says of itself as a whole, and its way to bytes and back.
#ifndef SLOTWISE_GRAPH_DATAFLOW_WHOLE_HPP
#define SLOTWISE_GRAPH_DATAFLOW_WHOLE_HPP

#include "dataflow_bytes.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The base of a DataflowGraph. @tparam Core its parts
template <class Core>
class DataflowWhole {
    using Bytes = DataflowBytes<Core>;

public:
    using size_type = std::size_t;

    /// How many nodes there are.
    size_type size() const noexcept { return core_.records.size(); }
    bool empty() const noexcept { return core_.records.empty(); }
    /// How many pins all nodes have.
    size_type pins() const noexcept { return core_.pins.size(); }
    /// How many inputs are linked.
    size_type links() const noexcept { return core_.links; }

    /// Room for `nodes` nodes in all, and `pins` pins. @throws std::length_error when there can be no so many nodes, what the
    /// allocator throws; the graph is as before
    void reserve(size_type nodes, size_type pins = 0) {
        core_.expect_idle();
        core_.reserve(nodes, pins);
    }
    /// Frees memory above the highest slot in use, and gaps in the order. @throws what the allocator throws; the graph is as
    /// before @complexity linear
    void shrink_to_fit() {
        core_.expect_idle();
        core_.compact();
        core_.records.shrink_to_fit();
    }
    /// The handle of the node in `slot`, null when none lives there.
    typename Core::Handle handle_at(slot_t slot) const noexcept { return core_.handle_at(slot); }
    /// Calls f(handle, node) for each node, in slot order. f must not add or erase.
    template <class F>
    void for_each(F&& f) {
        for (auto [handle, record] : core_.records.items()) f(core_.handle_at(handle.index()), record.node);
    }
    template <class F>
    void for_each(F&& f) const {
        for (auto [handle, record] : core_.records.items()) f(core_.handle_at(handle.index()), record.node);
    }
    /// Calls f(handle, node) for each node, sources before their consumers. f must not add, erase or link.
    template <class F>
    void for_each_in_order(F&& f) const {
        for (size_type at = 0; at != core_.order.positions(); ++at)
            if (const slot_t slot = core_.order.slot_at(at); slot != no_slot)
                f(core_.handle_at(slot), std::as_const(core_.by_slot[slot]->node));
    }
    /// How many evaluations there were.
    change_t evaluations() const noexcept { return core_.evaluations; }

    /// Whether evaluate() may call f: a node is dirty, or flagged `always`.
    bool dirty() const noexcept { return !core_.dirty.empty(); }

    /// The exact state as bytes: restored anywhere, the same handles name the same nodes, with values, counters, marks, flags
    /// and order. Subscribers, and the order of the links of an output, are not part of it. An info is written as its name.
    /// @param codec how nodes and values become bytes; see DefaultCodec for the types that need none
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return Bytes::snapshot(core_, codec);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes.
    /// @param kinds kinds(name) answers the NodeInfo of this name, or null; only asked for nodes that had one
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator and the codec throw;
    /// strong
    template <class Codec = DefaultCodec, class Kinds = NoKinds>
    void restore(std::span<const std::byte> bytes, Codec codec = {}, Kinds kinds = {}) {
        if (const char* const error = try_restore(bytes, codec, kinds)) throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what allocator and codec throw
    template <class Codec = DefaultCodec, class Kinds = NoKinds>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}, Kinds kinds = {}) {
        Core fresh(core_.get_allocator(), core_.equal);
        const char* const error = Bytes::restore(fresh, bytes, codec, kinds);
        if (error == nullptr) core_.swap(fresh);
        return error;
    }
    /// The state as bytes of a file: nodes are named by public ids, and slots, versions and the order are not seen in it. The
    /// same state gives the same bytes. @param ids an IdentityMap<PublicId, handle_type> with an id for each node
    /// @throws std::invalid_argument when a node has no id; what the allocator and the codec throw
    template <class Ids, class Codec = DefaultCodec>
    std::vector<std::byte> save(const Ids& ids, Codec codec = {}) const {
        return Bytes::save(core_, ids, codec);
    }
    /// Replaces the contents by those of a file, and `ids` by the ids of its nodes, whose handles are new ones.
    /// @throws as restore()
    template <class Ids, class Codec = DefaultCodec, class Kinds = NoKinds>
    void load(std::span<const std::byte> bytes, Ids& ids, Codec codec = {}, Kinds kinds = {}) {
        if (const char* const error = try_load(bytes, ids, codec, kinds)) throw_invalid_argument(error);
    }
    /// As load, but returns the error instead of throwing it; null on success. @throws what the allocator and the codec throw
    template <class Ids, class Codec = DefaultCodec, class Kinds = NoKinds>
    const char* try_load(std::span<const std::byte> bytes, Ids& ids, Codec codec = {}, Kinds kinds = {}) {
        Core fresh(core_.get_allocator(), core_.equal);
        Ids fresh_ids;
        const char* const error = Bytes::load(fresh, fresh_ids, bytes, codec, kinds);
        if (error != nullptr) return error;
        ids.swap(fresh_ids);
        core_.swap(fresh);
        return nullptr;
    }
    /// Bytes held on the heap, without what nodes and values hold themselves. @complexity O(1); linear in pins if
    /// outputs have subscribers
    size_type memory_usage() const noexcept { return core_.memory_usage(); }
    /// Whether all parts agree, and each link leads forward; for tests. @complexity linear
    bool check_invariants() const { return core_.check_invariants(); }

protected:
    template <class... Args>
    explicit DataflowWhole(std::in_place_t, Args&&... args) : core_(std::forward<Args>(args)...) {}
    ~DataflowWhole() = default;
    DataflowWhole(const DataflowWhole&) = delete;
    DataflowWhole& operator=(const DataflowWhole&) = delete;

    Core core_;
};

} // namespace detail
SLOTWISE_END

#endif
