// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A node patch, as one draws with: time and mouse are its sources, springs follow the mouse, and nodes work on spreads of 10,000
// numbers, which links share by pointer. It is edited while it runs, and one of its nodes fails for a while. In each frame only
// those nodes run whose inputs really changed; the program prints which ran, and why, and compares with plain functions.

#include <slotwise/graph/dataflow_graph.hpp>

#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace slotwise;

int failures = 0;
void check(bool ok, const char* what) {
    if (!ok) ++failures;
    std::cout << (ok ? "" : "WRONG: ") << what << '\n';
}

//=== values and nodes ===//

/// Shared by all that read it.
using Spread = std::shared_ptr<const std::vector<double>>;
/// A number or a spread. Two spreads are equal if they are the same object: one comparison, however long they are.
struct Value {
    Value() = default;
    Value(double that) : number(that) {}
    Value(Spread that) : spread(std::move(that)) {}
    bool operator==(const Value&) const = default;
    double number = 0;
    Spread spread{};
};

struct Node;
using Graph = DataflowGraph<Node, Value>;
using Context = DataflowContext<Graph>; // so that a function of a node can be named before Node is known

/// What nodes of one kind share.
struct Kind {
    NodeInfo info;
    void (*run)(Node&, Context&);
};
struct Node {
    const Kind* kind;
    std::string name;
    double position = 0, velocity = 0; // of a spring; the position of `time` is the time
};

using NodeHandle = Graph::handle_type;

double number(const Value& value) { return value.number; }
const std::vector<double>& numbers(const Value& value) { return *value.spread; }
template <class F>
Spread mapped(const std::vector<double>& from, F f) {
    auto to = std::make_shared<std::vector<double>>(from.size());
    for (std::size_t i = 0; i != from.size(); ++i) (*to)[i] = f(from[i]);
    return to;
}
double total(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

/// One step towards the target; at rest when it is close and slow.
void step(double target, double& position, double& velocity) {
    velocity = (velocity + (target - position) / 8) / 2;
    position += velocity;
    if (std::abs(target - position) < 1e-3 && std::abs(velocity) < 1e-3) {
        position = target;
        velocity = 0;
    }
}

namespace pins {
constexpr std::string_view seconds[] = {"seconds"}, point[] = {"x", "y"}, spring[] = {"target", "time"}, result[] = {"result"},
                           count[] = {"count"}, spread_number[] = {"spread", "number"}, spread[] = {"spread"},
                           fraction[] = {"above", "below"};
} // namespace pins

const Kind time_kind{{"time", {}, pins::seconds, NodeFlags::always},
                     [](Node& node, Context& context) { context.set_output(0, node.position += 0.5); }};
const Kind mouse_kind{{"mouse", pins::point, pins::point}, [](Node&, Context& context) {
                          for (const slot_t i : context.changed_inputs()) context.set_output(i, context.input(i));
                      }};
const Kind spring_kind{{"spring", pins::spring, pins::result}, [](Node& node, Context& context) {
                           step(number(context.input(0)), node.position, node.velocity);
                           context.set_output(0, node.position);
                       }};
const Kind ramp_kind{{"ramp", pins::count, pins::spread}, [](Node&, Context& context) {
                         std::vector<double> all(static_cast<std::size_t>(number(context.input(0))));
                         std::iota(all.begin(), all.end(), 0.0);
                         context.set_output(0, Spread(std::make_shared<std::vector<double>>(std::move(all))));
                     }};
const Kind scale_kind{{"scale", pins::spread_number, pins::spread}, [](Node&, Context& context) {
                          const double by = number(context.input(1));
                          context.set_output(0, mapped(numbers(context.input(0)), [by](double each) { return each * by; }));
                      }};
const Kind shift_kind{{"shift", pins::spread_number, pins::spread}, [](Node&, Context& context) {
                          const double by = number(context.input(1));
                          context.set_output(0, mapped(numbers(context.input(0)), [by](double each) { return each + by; }));
                      }};
const Kind sum_kind{{"sum", pins::spread, pins::result},
                    [](Node&, Context& context) { context.set_output(0, total(numbers(context.input(0)))); }};
const Kind divide_kind{{"divide", pins::fraction, pins::result}, [](Node&, Context& context) {
                           if (number(context.input(1)) == 0) throw std::runtime_error("division by zero");
                           context.set_output(0, number(context.input(0)) / number(context.input(1)));
                       }};

//=== the patch ===//

class Patch {
public:
    Graph graph{};
    std::size_t ran = 0, frames = 0;

    NodeHandle add(const Kind& kind, std::string name) { return graph.add(Node{&kind, std::move(name)}, kind.info); }
    /// Pins by their names, which are looked up once: links are numbers.
    bool link(NodeHandle from, std::string_view output, NodeHandle to, std::string_view input) {
        const auto linked = graph.connect(from, graph.info(from)->output(output), to, graph.info(to)->input(input));
        if (!linked) {
            std::cout << "  refused: it would close the cycle";
            for (const NodeHandle node : linked.path()) std::cout << ' ' << graph[node].name << " ->";
            std::cout << ' ' << graph[to].name << '\n';
        }
        return static_cast<bool>(linked);
    }
    void set(NodeHandle node, std::string_view input, double value) {
        graph.set_input(node, graph.info(node)->input(input), Value(value));
    }

    /// One frame. Prints which nodes ran and which of their inputs had changed, unless that is as in the frame before.
    Graph::Evaluation frame() {
        std::string told;
        const auto done = graph.evaluate(
            [&](Node& node, Context& context) {
                told += "  " + node.name;
                std::string why;
                for (const slot_t i : context.changed_inputs())
                    why.append(why.empty() ? "" : ", ").append(node.kind->info.inputs[i]);
                told += why.empty() ? " (always)" : " (" + why + ")";
                node.kind->run(node, context);
            },
            {}, [&](Node&, Context&) { told += " FAILED: its result stays"; });
        if (told != told_) std::cout << "frame " << frames << ':' << told << '\n';
        told_ = told;
        ran += done.ran;
        ++frames;
        return done;
    }

private:
    std::string told_{};
};

} // namespace

int main() {
    constexpr double count = 10'000;
    Patch patch;
    Graph& graph = patch.graph;
    const NodeHandle time = patch.add(time_kind, "time"), mouse = patch.add(mouse_kind, "mouse");
    const NodeHandle spring = patch.add(spring_kind, "spring"), ramp = patch.add(ramp_kind, "ramp");
    const NodeHandle scale = patch.add(scale_kind, "scale"), shift = patch.add(shift_kind, "shift");
    const NodeHandle sum = patch.add(sum_kind, "sum"), ratio = patch.add(divide_kind, "ratio");
    patch.link(time, "seconds", spring, "time");
    patch.link(mouse, "x", spring, "target");
    patch.link(ramp, "spread", scale, "spread");
    patch.link(spring, "result", scale, "number");
    patch.link(scale, "spread", shift, "spread");
    patch.link(mouse, "y", shift, "number");
    patch.link(shift, "spread", sum, "spread");
    patch.link(sum, "result", ratio, "above");
    patch.link(mouse, "y", ratio, "below");
    patch.set(ramp, "count", count);
    patch.set(mouse, "y", 2);

    const auto result = [&](NodeHandle node) { return number(graph.output(node, 0)); };
    const auto expected = [&](double x, double y) { return count * (count - 1) / 2 * x + count * y; };
    const auto run = [&](int frames) {
        std::size_t ran = 0;
        for (int i = 0; i != frames; ++i) ran += patch.frame().ran;
        return ran;
    };

    std::cout << "the first frame, and one in which nothing moves\n";
    check(patch.frame().ran == graph.size(), "each node runs once");
    check(run(1) == 2, "then the time runs on, the spring rests, and no other node runs");
    const Spread first = graph.output(ramp, 0).spread;
    const change_t ramped = graph.counter(ramp, 0);

    std::cout << "the mouse moves right: the spring follows until it rests\n";
    patch.set(mouse, "x", 4);
    run(100);
    check(result(spring) == 4 && result(sum) == expected(4, 2), "the sum is that of plain functions");
    check(run(10) == 20, "at rest only the time and the spring run: its position is the same");
    check(graph.counter(ramp, 0) == ramped && graph.output(ramp, 0).spread == first,
          "the ramp ran once: its spread of 10,000 is shared, and was never compared or copied");

    std::cout << "the mouse moves up to zero, by which nothing can be divided\n";
    const double before = result(ratio);
    patch.set(mouse, "y", 0);
    check(patch.frame().errored == 1, "the node fails, and the frame goes on");
    check(has_any(graph.flags(ratio), NodeFlags::errored) && result(ratio) == before, "it is errored and keeps its result");
    check(result(sum) == expected(4, 0), "all others are right");
    check(run(5) == 10, "it is not tried again while its inputs stay");
    patch.set(mouse, "y", 5);
    run(1);
    check(!has_any(graph.flags(ratio), NodeFlags::errored) && result(ratio) == expected(4, 5) / 5, "then it works again");

    std::cout << "edits while it runs: a second spring between mouse and shift\n";
    const NodeHandle soft = patch.add(spring_kind, "soft spring");
    patch.link(time, "seconds", soft, "time");
    patch.link(mouse, "y", soft, "target");
    patch.link(soft, "result", shift, "number"); // takes the place of the link to the mouse
    run(3);
    check(result(sum) < expected(4, 5), "the sum follows slowly");
    run(100);
    check(result(sum) == expected(4, 5), "and is there when the spring rests");
    check(!patch.link(ratio, "result", spring, "target"), "a cycle is refused");
    check(result(spring) == 4 && run(10) == 30, "which changes nothing");

    std::cout << "and it is taken out again\n";
    graph.erase(soft);
    patch.set(shift, "number", 1);
    run(1);
    check(result(sum) == expected(4, 1), "its consumer reads its constant");
    check(!graph.contains(soft) && graph.check_invariants(), "the handle is stale, the graph sound");

    std::cout << patch.ran << " runs in " << patch.frames << " frames of up to 9 nodes\n";
    check(patch.ran * 2 < patch.frames * 9, "that is less than half of all");
    return failures == 0 ? 0 : 1;
}
