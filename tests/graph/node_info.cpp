// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// NodeInfo that nodes share: it lives as long as one of them, with all its texts.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/graph/dot.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace slotwise;

namespace {

/// Texts that are gone when this is.
struct Texts {
    explicit Texts(const std::string& name)
        : texts{name, name + "'s first input, which is a long text", "", name + "'s output"}, inputs{texts[1], texts[2]},
          outputs{texts[3]} {}
    ~Texts() {
        for (std::string& text : texts) text.assign(text.size(), '?');
    }
    Texts(const Texts&) = delete;
    Texts& operator=(const Texts&) = delete;
    NodeInfo info() const { return {texts[0], inputs, outputs, NodeFlags::always}; }

    std::string texts[4];
    std::vector<std::string_view> inputs, outputs;
};
SharedNodeInfo kind(const std::string& name) {
    const Texts texts(name);
    return SharedNodeInfo(texts.info());
}

using Graph = DataflowGraph<int, int>;

} // namespace

TEST_CASE("SharedNodeInfo: it has texts of its own, and the size of a pointer", "[graph]") {
    const SharedNodeInfo info = kind("spring");
    CHECK((info && info.counted() && info->name == "spring" && (*info).flags == NodeFlags::always));
    CHECK((info->inputs.size() == 2 && info->inputs[0] == "spring's first input, which is a long text"));
    CHECK((info->inputs[1].empty() && info->output("spring's output") == 0 && info->input("else") == no_slot));
    const SharedNodeInfo none, empty{NodeInfo{}};
    CHECK((!none && none.get() == nullptr && !none.counted() && empty && empty->name.empty() && empty->inputs.empty()));
    CHECK((!SharedNodeInfo::refer_to(nullptr) && sizeof(SharedNodeInfo) == sizeof(void*)));
    static constexpr NodeInfo lasting{"lasting"};
    const auto refers = SharedNodeInfo::refer_to(&lasting);
    CHECK((refers.get() == &lasting && !refers.counted() && refers == SharedNodeInfo::refer_to(&lasting)));
}

TEST_CASE("SharedNodeInfo: it goes with the last that has it", "[graph]") {
    const test::NothingLeaks leaks;
    SharedNodeInfo one = kind("one"), copy(one), moved(std::move(one));
    CHECK((!one && copy == moved && copy.get() == moved.get()));
    copy = kind("other");
    CHECK((copy->name == "other" && moved->name == "one" && !(copy == moved)));
    const SharedNodeInfo& itself = copy;
    copy = itself;
    moved = std::move(copy);
    CHECK((moved->name == "other" && !copy));
}

TEST_CASE("DataflowGraph: the info of a node outlives what it was made of, and the graph if it is kept", "[graph]") {
    SharedNodeInfo kept;
    std::optional<Graph> graph(std::in_place), copy;
    const auto node = graph->add(1, kind("spring")), other = graph->add(2, SharedNodeInfo(*graph->info(node)));
    CHECK((graph->info(node) != graph->info(other) && graph->info(other)->name == "spring"));
    CHECK((graph->inputs(node) == 2 && graph->outputs(node) == 1 && has_any(graph->flags(node), NodeFlags::always)));
    CHECK(to_dot(*graph).find("spring's output") == std::string::npos); // there is no link
    copy.emplace(*graph);
    CHECK((*copy == *graph && copy->info(node) == graph->info(node)));
    graph->erase(node);
    CHECK((!graph->shared_info(node) && graph->info(node) == nullptr && copy->info(node)->name == "spring"));
    graph.reset();
    kept = copy->shared_info(node);
    CHECK(copy->erase_reserved(node));
    CHECK(copy->fulfill(node, 3, kept));
    CHECK((copy->info(node) == kept.get() && copy->fulfill(node, 3, kept) == false));
    copy.reset();
    CHECK((kept->name == "spring" && kept->inputs[0].ends_with("a long text")));
}

TEST_CASE("DataflowGraph: kinds that are made at run time come back from bytes", "[graph]") {
    Graph graph, other;
    const auto node = graph.add(1, kind("spring"));
    const auto bytes = graph.snapshot();
    other.restore(bytes, DefaultCodec(), [](std::string_view name) { return kind(std::string(name)); });
    CHECK((other.info(node)->name == "spring" && other.inputs(node) == 2 && other.shared_info(node).counted()));
    CHECK(other.snapshot() == bytes);
    CHECK(Graph().try_restore(bytes) != nullptr);
    CHECK(Graph().try_restore(bytes, DefaultCodec(), [](std::string_view) { return kind("else"); }) != nullptr);
}

TEST_CASE("SharedNodeInfo: threads may copy and drop it", "[graph]") {
    const SharedNodeInfo info = kind("shared");
    Graph graph;
    const auto node = graph.add(1, info);
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
        threads.emplace_back([&graph, info] {
            for (int n = 0; n != 200; ++n) {
                const Graph copy(graph);
                SharedNodeInfo mine(info);
                mine = SharedNodeInfo();
            }
        });
    for (std::thread& each : threads) each.join();
    CHECK(graph.info(node)->name == "shared");
}

TEST_CASE("SharedNodeInfo: memory that runs out leaves nothing", "[graph][throws]") {
    const test::NothingLeaks leaks;
    const std::size_t exhausted = test::run_out_of_memory([](auto&& attempt) {
        const Texts texts("kind");
        const NodeInfo info = texts.info();
        std::optional<SharedNodeInfo> made;
        const bool failed = attempt([&] { made.emplace(info); });
        CHECK(made.has_value() != failed);
    });
    test::report_sweep({"SharedNodeInfo::(...)"}, exhausted);
    CHECK(exhausted != 0);
}
