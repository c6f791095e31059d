// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowRecord: what a DataflowGraph knows of a node.
#ifndef SLOTWISE_GRAPH_DATAFLOW_RECORD_HPP
#define SLOTWISE_GRAPH_DATAFLOW_RECORD_HPP

#include "../core/versioned.hpp"
#include "../memory/allocator.hpp"
#include "node_info.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A flag that is not public: the node runs whatever its marks say, because it never ran, or got pins.
inline constexpr NodeFlags node_is_due{1u << 7};
/// The flags that a program may set.
inline constexpr NodeFlags settable_flags{0xFFFF'FF07u};
/// A node with one of these runs whatever its marks say.
inline constexpr NodeFlags runs_anyway = NodeFlags::always | NodeFlags::manual | node_is_due;

/// What is known of a node beside what the user keeps in it.
struct DataflowState {
    slot_t first = 0, inputs = 0, outputs = 0; // its run of pins
    NodeFlags flags = node_is_due;

    const NodeInfo* info = nullptr;
    change_t edits = 0, ran = 0, changed = 0;
};
/// All that is known of a node.
template <class Node, class Allocator, bool = std::uses_allocator_v<Node, Allocator> && !always_equal<Allocator>>
struct DataflowRecord : DataflowState {
    template <class... Args>
    explicit DataflowRecord(std::in_place_t, Args&&... args) : node(std::forward<Args>(args)...) {}

    Node node;
};
/// Of a node that an allocator passes itself on to, as std::pmr::polymorphic_allocator does.
template <class Node, class Allocator>
struct DataflowRecord<Node, Allocator, true> : DataflowState {
    using allocator_type = Allocator;
    template <class... Args>
    explicit DataflowRecord(std::in_place_t, Args&&... args) : node(std::forward<Args>(args)...) {}
    template <class... Args>
    DataflowRecord(std::allocator_arg_t, const Allocator& alloc, std::in_place_t, Args&&... args) {
        build(alloc, std::forward<Args>(args)...);
    }
    DataflowRecord(const DataflowRecord& other) : DataflowState(other), node(other.node) {}
    DataflowRecord(std::allocator_arg_t, const Allocator& alloc, const DataflowRecord& other) : DataflowState(other) {
        build(alloc, other.node);
    }
    DataflowRecord(DataflowRecord&& other) noexcept(std::is_nothrow_move_constructible_v<Node>)
        : DataflowState(other), node(std::move(other.node)) {}
    DataflowRecord(std::allocator_arg_t, const Allocator& alloc, DataflowRecord&& other) : DataflowState(other) {
        build(alloc, std::move(other.node));
    }
    DataflowRecord& operator=(const DataflowRecord&) = delete;
    ~DataflowRecord() { std::destroy_at(std::addressof(node)); }

    union {
        Node node;
    };

private:
    template <class... Args>
    void build(const Allocator& alloc, Args&&... args) {
        rebind_t<Allocator, Node> nodes(alloc);
        std::allocator_traits<decltype(nodes)>::construct(nodes, std::addressof(node), std::forward<Args>(args)...);
    }
};

} // namespace detail
SLOTWISE_END

#endif
