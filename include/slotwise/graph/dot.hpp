// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// to_dot: a DataflowGraph as text that Graphviz draws.
#ifndef SLOTWISE_GRAPH_DOT_HPP
#define SLOTWISE_GRAPH_DOT_HPP

#include "dataflow_graph.hpp"

#include <string>

SLOTWISE_BEGIN
namespace detail {

/// Labels a node with the name of its kind, if it has an info, and its handle.
struct DotLabel {
    template <class Graph>
    std::string operator()(const Graph& graph, typename Graph::handle_type node) const {
        const NodeInfo* const info = graph.info(node);
        return (info == nullptr ? std::string() : std::string(info->name) + "\n") + to_string(node);
    }
};

inline void append_dot_text(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    out += '"';
}
inline void append_dot_pin(std::string& out, std::span<const std::string_view> names, std::size_t pin) {
    append_dot_text(out, pin < names.size() ? std::string(names[pin]) : std::to_string(pin));
}

} // namespace detail

/// The graph in the DOT language: `dot -Tsvg` draws it. Nodes in slot order; a link is labelled with its pins, by their names
/// where the node has an info. Errored nodes are red, those that run in each evaluation bold, stateful ones dashed.
/// @param label label(graph, handle) answers the text of a node @throws what the allocator and `label` throw
template <class Node, class Value, class Equal, class... With, class Label = detail::DotLabel>
std::string to_dot(const DataflowGraph<Node, Value, Equal, With...>& graph, Label label = {}) {
    using Graph = DataflowGraph<Node, Value, Equal, With...>;
    using Handle = typename Graph::handle_type;
    std::string out = "digraph {\n    node [shape=box];\n";
    const auto name = [](Handle node) { return "n" + std::to_string(node.index()); };
    graph.for_each([&](Handle node, const Node&) {
        out += "    " + name(node) + " [label=";
        detail::append_dot_text(out, std::string_view(label(graph, node)));
        const NodeFlags flags = graph.flags(node);
        if (has_any(flags, NodeFlags::errored)) out += ", color=red";
        if (has_any(flags, NodeFlags::always))
            out += ", style=bold";
        else if (has_any(flags, NodeFlags::stateful))
            out += ", style=dashed";
        out += "];\n";
    });
    const auto pins = [&](Handle node, bool outputs) -> std::span<const std::string_view> {
        const NodeInfo* const info = graph.info(node);
        if (info == nullptr) return {};
        return outputs ? info->outputs : info->inputs;
    };
    graph.for_each([&](Handle node, const Node&) {
        for (std::size_t i = 0; i != graph.inputs(node); ++i) {
            const auto source = graph.source(node, i);
            if (!source) continue;
            out += "    " + name(source.node) + " -> " + name(node) + " [taillabel=";
            detail::append_dot_pin(out, pins(source.node, true), source.output);
            out += ", headlabel=";
            detail::append_dot_pin(out, pins(node, false), i);
            out += "];\n";
        }
    });
    out += "}\n";
    return out;
}

SLOTWISE_END

#endif
