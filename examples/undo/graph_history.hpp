// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Undo and redo for the nodes, links and constants of a DataflowGraph. The guide quotes it.
#ifndef SLOTWISE_EXAMPLES_UNDO_GRAPH_HISTORY_HPP
#define SLOTWISE_EXAMPLES_UNDO_GRAPH_HISTORY_HPP

// [readme]
#include <deque>
#include <optional>
#include <slotwise/graph/dataflow_graph.hpp>
#include <utility>
#include <vector>

template <class Graph>
struct GraphHistory { // make all edits by it
    using Node = typename Graph::handle_type;
    using Value = typename Graph::value_type;
    using Pin = slotwise::slot_t;
    explicit GraphHistory(Graph& graph, std::size_t most = 1000) : graph_(graph), most_(most) {}
    template <class... Args>
    Node add(Args&&... args) { // as graph.add(args...)
        Edit& edit = next();
        edit.node = graph_.add(std::forward<Args>(args)...);
        return done(edit.node);
    }
    void erase(Node node) {
        if (!graph_.contains(node)) return;
        Edit& edit = next();
        edit.node = node;
        flip(edit);
        done(node);
    }
    bool connect(Node from, Pin output, Node to, Pin input) {
        if (!graph_.would_connect(from, output, to, input)) return false;
        change(to, {input, {from, output}, graph_.constant(to, input)});
        return true;
    }
    void disconnect(Node node, Pin input) { change(node, {input, {}, graph_.constant(node, input)}); }
    void set_input(Node node, Pin input, Value value) { change(node, {input, graph_.source(node, input), std::move(value)}); }
    void undo() {
        if (done_ != 0) flip(edits_[--done_]);
    }
    void redo() {
        if (done_ != edits_.size()) flip(edits_[done_++]);
    }
    struct Input {
        Pin number;
        typename Graph::Source source;
        Value constant;
    };
    struct Away { // all that goes with a node
        slotwise::SharedNodeInfo info;
        slotwise::NodeFlags flags;
        std::size_t inputs, outputs;
        std::vector<Value> constants{};
        std::vector<typename Graph::Link> links{};
        std::optional<typename Graph::node_type> node{};
    };
    struct Edit {
        Node node{};
        std::optional<Input> input{}; // the other state of an input
        std::optional<Away> away{};
    };
    void change(Node node, Input input) {
        Edit& edit = next();
        edit.node = node;
        edit.input = std::move(input);
        flip(edit);
        done(node);
    }
    void flip(Edit& edit) {
        if (edit.input)
            exchange(edit.node, *edit.input);
        else if (edit.away)
            bring_back(edit);
        else if (graph_.contains(edit.node))
            take_out(edit);
    }
    void exchange(Node node, Input& input) {
        Input before{input.number, graph_.source(node, input.number), graph_.constant(node, input.number)};
        graph_.set_input(node, input.number, std::move(input.constant));
        if (input.source)
            graph_.connect(input.source.node, input.source.output, node, input.number);
        else
            graph_.disconnect(node, input.number);
        input = std::move(before);
    }
    void take_out(Edit& edit) {
        const Node node = edit.node;
        Away away{graph_.shared_info(node), graph_.flags(node), graph_.inputs(node), graph_.outputs(node)};
        for (std::size_t i = 0; i != away.inputs; ++i) away.constants.push_back(graph_.constant(node, i));
        for (const auto& link : graph_.links_into(node)) away.links.push_back(link);
        for (const auto& link : graph_.links_from(node)) away.links.push_back(link);
        away.node = graph_.extract_reserved(node);
        edit.away = std::move(away);
    }
    void bring_back(Edit& edit) {
        Away& away = *edit.away;
        if (away.info)
            graph_.fulfill(edit.node, std::move(*away.node), away.info);
        else
            graph_.fulfill(edit.node, std::move(*away.node), 0, 0);
        graph_.set_pins(edit.node, away.inputs, away.outputs);
        for (std::size_t i = 0; i != away.inputs; ++i) graph_.set_input(edit.node, i, std::move(away.constants[i]));
        graph_.set_flags(edit.node, ~away.flags, false);
        graph_.set_flags(edit.node, away.flags);
        graph_.link_all(away.links);
        edit.away.reset();
    }
    void forget(const Edit& edit) {
        if (edit.away) graph_.cancel(edit.node); // it comes back no more: its slot, and its id, are free
    }
    Edit& next() {
        for (; edits_.size() != done_; edits_.pop_back()) forget(edits_.back());
        return edits_.emplace_back(); // first, because it may throw
    }
    Node done(Node node) {
        if (edits_.size() > most_) forget(edits_.front()), edits_.pop_front();
        done_ = edits_.size();
        return node;
    }
    Graph& graph_;
    std::size_t most_, done_ = 0; // edits from done_ on are undone
    std::deque<Edit> edits_{};
};
// [/readme]

#endif
