// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A dataflow graph beside the recomputation of all its nodes. Each decision of an input is one operation; bytes gone bad are refused,
// or are those of a state; a file brings the same state into other slots.
#ifndef SLOTWISE_TESTS_FUZZ_GRAPH_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_GRAPH_BODY_HPP

#include "world.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

#include <algorithm>
#include <map>

namespace {

using namespace test;

class Dataflow {
    using Graph = DataflowGraph<Counted, Counted>;
    using H = Graph::handle_type;
    using Ids = IdentityMap<PublicId, H>;

public:
    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        for (; !in.done(); ++operations) {
            step(in);
            FUZZ_CHECK(graph_.check_invariants() && graph_.size() == nodes_.size() && ids_.size() == nodes_.size());
        }
        return operations;
    }

private:
    /// Some arithmetic with many equal results.
    static int result(int node, const std::vector<int>& inputs, std::size_t output) {
        int sum = node;
        for (const int each : inputs) sum = (sum * 5 + each) % 11;
        return (sum + static_cast<int>(output)) / 3;
    }
    H any(Input& in) {
        if (nodes_.empty() || in.below(32) == 0) return H::from_bits(in.number());
        return nodes_[in.below(nodes_.size())];
    }
    void step(Input& in) {
        switch (in.below(20)) {
        case 0:
        case 1: {
            const int number = static_cast<int>(in.below(7));
            const std::size_t inputs = in.below(5), outputs = in.below(4);
            enter(graph_.add(Counted(number), inputs, outputs));
            return;
        }
        case 2: {
            const H node = any(in);
            const bool there = graph_.contains(node);
            FUZZ_CHECK(graph_.erase(node) == there);
            if (!there) return;
            ids_.erase(node);
            std::erase(nodes_, node);
            return;
        }
        case 3:
        case 4:
        case 5:
        case 6:
            return link(in);
        case 7: {
            const H node = any(in);
            const std::size_t input = in.below(5);
            const bool linked = static_cast<bool>(graph_.source(node, input));
            FUZZ_CHECK(graph_.disconnect(node, input) == linked && !graph_.source(node, input));
            return;
        }
        case 8:
        case 9: {
            const H node = any(in);
            if (const std::size_t inputs = graph_.inputs(node); inputs != 0)
                graph_.set_input(node, in.below(inputs), static_cast<int>(in.below(4)));
            return;
        }
        case 10:
            graph_.set_flags(any(in), static_cast<NodeFlags>(in.number(4)), in.flip());
            return;
        case 11:
            graph_.set_pins(any(in), in.below(70), in.below(5));
            return;
        case 12:
            return bytes(in);
        case 13:
            return file(in);
        case 14:
            if (in.below(8) != 0) return graph_.shrink_to_fit();
            graph_.clear();
            ids_.clear();
            nodes_.clear();
            return;
        case 15:
            return link_all(in);
        case 16:
            return evaluate_one(in);
        default:
            return evaluate(in);
        }
    }
    /// As links one by one into a copy, where these are accepted; refused, nothing changes.
    void link_all(Input& in) {
        std::vector<Graph::Link> links;
        for (std::uint64_t n = in.below(6); n != 0; --n) {
            const H from = any(in), to = any(in);
            links.push_back({from, static_cast<slot_t>(in.below(4)), to, static_cast<slot_t>(in.below(5))});
        }
        Graph one_by_one(graph_);
        const Graph before(graph_);
        const auto made = graph_.link_all(links);
        FUZZ_CHECK(made.which() == links.size() || !made);
        if (!made) return FUZZ_CHECK(graph_ == before && made.which() < links.size());
        for (const auto& link : links) one_by_one.disconnect(link.to, link.input); // what is replaced is in the way of none
        for (const auto& link : links) FUZZ_CHECK(one_by_one.connect(link.from, link.output, link.to, link.input));
        for (const auto& link : graph_.all_links()) {
            FUZZ_CHECK(one_by_one.source(link.to, link.input) == (Graph::Source{link.from, link.output}));
            FUZZ_CHECK(graph_.source(link.to, link.input) == (Graph::Source{link.from, link.output}));
        }
        FUZZ_CHECK(one_by_one.links() == graph_.links());
    }
    /// One node alone: it has the outputs of its inputs then, and all that it depends on is up to date.
    void evaluate_one(Input& in) {
        const H node = any(in);
        const bool current = graph_.up_to_date(node), would = graph_.would_run(node);
        const auto did = graph_.evaluate(node, [&](Counted& each, Graph::context_type& context) {
            std::vector<int> inputs;
            for (slot_t i = 0; i != context.inputs(); ++i) inputs.push_back(context.input(i).value());
            for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, result(each.value(), inputs, o));
        });
        FUZZ_CHECK(current == (did.ran == 0) && (!would || graph_.last_run(node) == graph_.evaluations()));
        FUZZ_CHECK(graph_.would_run(node) == has_any(graph_.flags(node), NodeFlags::always));
    }
    void enter(H node) {
        nodes_.push_back(node);
        FUZZ_CHECK(ids_.insert(PublicId{next_ * 0x9E37'79B9'7F4A'7C15u, next_}, node));
        ++next_;
    }
    bool reaches(H from, H to) const {
        std::vector<H> open{from}, seen{from};
        while (!open.empty()) {
            const H node = open.back();
            open.pop_back();
            if (node == to) return true;
            for (std::size_t o = 0; o != graph_.outputs(node); ++o)
                graph_.for_each_consumer(node, o, [&](H next, slot_t) {
                    if (std::find(seen.begin(), seen.end(), next) != seen.end()) return;
                    seen.push_back(next);
                    open.push_back(next);
                });
        }
        return false;
    }
    void link(Input& in) {
        const H from = any(in), to = any(in);
        const std::size_t output = in.below(4), input = in.below(5);
        const bool there = output < graph_.outputs(from) && input < graph_.inputs(to);
        const bool closes = there && reaches(to, from);
        const auto linked = graph_.connect(from, output, to, input);
        FUZZ_CHECK(static_cast<bool>(linked) == (there && !closes));
        FUZZ_CHECK((linked.status() == LinkStatus::cycle) == closes && linked.path().empty() != closes);
        if (linked) FUZZ_CHECK((graph_.source(to, input) == Graph::Source{from, static_cast<slot_t>(output)}));
    }
    void evaluate(Input& in) {
        const unsigned fails = in.byte();
        graph_.evaluate([&](Counted& node, Graph::context_type& context) {
            std::vector<int> inputs;
            for (slot_t i = 0; i != context.inputs(); ++i) inputs.push_back(context.input(i).value());
            for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, result(node.value(), inputs, o));
            if (fails % 8 == 0 && node.value() == static_cast<int>(fails / 8 % 7)) context.fail();
        });
        FUZZ_CHECK(graph_.check_invariants());
        // Each node that did not fail has the outputs of its inputs, whether it ran now or is up to date.
        graph_.for_each([&](H handle, const Counted& node) {
            if (has_any(graph_.flags(handle), NodeFlags::errored)) return;
            std::vector<int> inputs;
            for (std::size_t i = 0; i != graph_.inputs(handle); ++i) inputs.push_back(graph_.input(handle, i).value());
            for (std::size_t o = 0; o != graph_.outputs(handle); ++o)
                FUZZ_CHECK(graph_.output(handle, o).value() == result(node.value(), inputs, o));
        });
    }
    /// Through a snapshot into this graph or another one, or bytes gone bad.
    void bytes(Input& in) {
        const bool bad = in.below(4) != 0;
        auto bytes = graph_.snapshot();
        Graph other;
        if (bad) {
            corrupt_snapshot(bytes, in);
            if (other.try_restore(bytes) != nullptr) return FUZZ_CHECK(other.empty());
            FUZZ_CHECK(other.check_invariants() && other.snapshot() == bytes);
            other.evaluate([](Counted&, Graph::context_type& context) {
                for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, 1);
            });
            FUZZ_CHECK(other.check_invariants());
            return;
        }
        FUZZ_CHECK(other.try_restore(bytes) == nullptr);
        FUZZ_CHECK(other == graph_ && other.check_invariants() && other.snapshot() == bytes);
        graph_ = std::move(other);
    }
    void file(Input& in) {
        const bool bad = in.below(4) != 0;
        auto bytes = graph_.save(ids_);
        Graph other;
        Ids ids;
        if (bad) {
            corrupt_snapshot(bytes, in);
            if (other.try_load(bytes, ids) != nullptr) return FUZZ_CHECK(other.empty() && ids.empty());
            FUZZ_CHECK(other.check_invariants() && other.save(ids) == bytes);
            return;
        }
        FUZZ_CHECK(other.try_load(bytes, ids) == nullptr);
        FUZZ_CHECK(other.check_invariants() && other.save(ids) == bytes && ids.check_invariants());
        graph_.swap(other);
        ids_.swap(ids);
        nodes_.clear();
        graph_.for_each([&](H node, const Counted&) { nodes_.push_back(node); });
    }

    Graph graph_{};
    Ids ids_{};
    std::vector<H> nodes_{};
    std::uint64_t next_ = 1;
};

} // namespace

#endif
