// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// LinkResult: what DataflowGraph::connect() answers.
#ifndef SLOTWISE_GRAPH_LINK_RESULT_HPP
#define SLOTWISE_GRAPH_LINK_RESULT_HPP

#include "../fwd.hpp"

#include <span>
#include <utility>
#include <vector>

SLOTWISE_BEGIN

/// Whether a link was made, and why not.
///     if (const auto linked = graph.connect(a, 0, b, 0); !linked) report(linked.what(), linked.path());
template <class Handle>
class LinkResult {
public:
    /// The answer `status`, without a path.
    explicit LinkResult(LinkStatus status) noexcept : status_(status) {}
    /// The answer LinkStatus::cycle.
    explicit LinkResult(std::vector<Handle>&& path) noexcept : status_(LinkStatus::cycle), path_(std::move(path)) {}

    /// Whether the input is linked to the output now.
    explicit operator bool() const noexcept { return status_ == LinkStatus::linked; }
    /// Which.
    LinkStatus status() const noexcept { return status_; }
    /// Of a cycle: the nodes from `to` to `from` that are linked already, each to the next; the link would close them to a
    /// ring. Empty otherwise.
    std::span<const Handle> path() const noexcept { return path_; }
    /// The answer in words.
    const char* what() const noexcept {
        switch (status_) {
        case LinkStatus::linked:
            return "connect: the input is linked to the output";
        case LinkStatus::cycle:
            return "connect(from, output, to, input): `to` already leads to `from` by the nodes of path(), so that the link "
                   "would "
                   "close a cycle; disconnect one of these, or link another node";
        case LinkStatus::no_source:
            return "connect(from, ...): no node has this handle; ask contains(from)";
        case LinkStatus::no_output:
            return "connect(from, output, ...): the node has fewer outputs; ask outputs(from)";
        case LinkStatus::no_target:
            return "connect(from, output, to, ...): no node has this handle; ask contains(to)";
        case LinkStatus::no_input:
            return "connect(from, output, to, input): the node has fewer inputs; ask inputs(to)";
        }
        return "";
    }

private:
    LinkStatus status_;
    std::vector<Handle> path_{};
};

SLOTWISE_END

#endif
