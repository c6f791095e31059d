// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A DataflowGraph whose nodes have ids: each verb finds a node by either, and both change together or not at all.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/graph/dot.hpp>

#include <algorithm>
#include <map>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;

namespace {

using Graph = DataflowGraph<int, int, EqualTo, IdBy<PublicId>>;
using H = Graph::handle_type;
using Texts = DataflowGraph<int, int, EqualTo, IdBy<std::string>>;

template <class Context>
void forward(int node, Context& context) {
    int sum = node;
    for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i);
    for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, sum);
}
constexpr auto run = [](int node, auto& context) { forward(node, context); };

constexpr PublicId id(std::uint64_t n) { return {n * 0x9E37'79B9'7F4A'7C15u, n}; }

/// An id whose copies may throw.
struct Named {
    test::ThrowingCopy name{0};
    friend bool operator==(const Named& a, const Named& b) { return a.name.value() == b.name.value(); }
};

} // namespace

template <>
struct std::hash<Named> {
    std::size_t operator()(const Named& named) const noexcept { return static_cast<std::size_t>(named.name.value()); }
};

TEST_CASE("DataflowGraph by ids: each verb takes an id or a handle", "[graph]") {
    static constexpr std::string_view in[] = {"in"}, out[] = {"out"};
    static constexpr NodeInfo kind{"kind", in, out};
    Texts graph;
    const auto a = graph.add("a", 1, 1, 1);
    CHECK((a == graph.find("a") && *graph.id_of(a) == "a" && graph.contains("a") && graph.contains(a) && !graph.contains("b")));
    CHECK((graph.add("a", 2, 1, 1).is_null() && graph.size() == 1)); // it is taken
    CHECK((!graph.add("b", 2, kind).is_null() && !graph.add("c", 3, SharedNodeInfo(kind)).is_null()));
    CHECK(!graph.emplace("d", 2, 2, 4).is_null());
    CHECK((graph["b"] == 2 && graph.at("c") == 3 && *graph.get("d") == 4 && graph.get("e") == nullptr));
    CHECK((graph.inputs("d") == 2 && graph.outputs("d") == 2 && graph.info("b") == &kind && graph.info("c")->name == "kind"));
    CHECK((graph.connect("a", 0, "b", 0) && graph.connect(a, 0, "c", 0) && graph.connect("b", 0, "d", 1)));
    CHECK((!graph.connect("d", 0, "a", 0) && !graph.would_connect("d", 0, "a", 0) && graph.would_connect("c", 0, "d", 0)));
    CHECK(graph.connect("nobody", 0, "a", 0).status() == LinkStatus::no_source);
    const NodeLink<std::string> links[] = {{"c", 0, "d", 0}, {"b", 0, "d", 1}};
    CHECK((graph.link_all(links) && graph.links() == 4));
    const NodeLink<std::string> wrong[] = {{"c", 0, "d", 1}, {"d", 0, "a", 0}};
    CHECK((graph.link_all(wrong).status() == LinkStatus::cycle && graph.source("d", 1).node == graph.find("b")));
    CHECK((graph.set_input("a", 0, 5) && graph.input("a", 0) == 5 && graph.would_run("a") && !graph.up_to_date("d")));
    CHECK((graph.evaluate("b", run).ran == 2 && graph.output("b", 0) == 8 && graph.evaluate(run).ran == 2));
    CHECK((graph.output("d", 1) == 4 + 8 + 9 && graph.last_run("d") == 2 && graph.last_change("d") == 2));
    CHECK((graph.counter("d", 0) != graph.counter("d", 1) && graph.edits("d") == 2));
    CHECK((graph.mark("d") && has_any(graph.flags("d"), NodeFlags::manual) && graph.set_flags("d", NodeFlags::always)));
    std::size_t consumers = 0;
    graph.for_each_consumer("a", 0, [&](auto, slot_t) { ++consumers; });
    for (const auto& link : graph.links_from("a")) consumers += link.from == a;
    for (const auto& link : graph.links_into("d")) consumers += link.to == graph.find("d");
    CHECK(consumers == 6);
    CHECK((graph.edit_input("a", 0, [](int& value) { ++value; }) && graph.set_pins("d", 3, 1) && graph.disconnect("d", 1)));
    CHECK((graph.explain("d") == HandleStatus::live && graph.explain("e") == HandleStatus::null));
    CHECK((graph.erase("d") && !graph.erase("d") && !graph.contains("d") && graph.find("d").is_null()));
    CHECK((!graph.set_pins("d", 1, 1) && !graph.mark("d") && graph.evaluate("d", run).ran == 0 && graph.check_invariants()));
    const std::string text = "b";
    const Texts& read = graph;
    CHECK((read.output(text, 0) == 8 && read[text] == 2 && read.shared_info(text).get() == &kind));
    CHECK(to_dot(graph, [](const Texts& of, Texts::handle_type node) { return *of.id_of(node); }).find("\"b\"") !=
          std::string::npos);
}

TEST_CASE("DataflowGraph by ids: a stale id or handle never names another node", "[graph]") {
    Graph graph;
    const H first = graph.add(id(1), 1, 1, 1);
    CHECK(graph.erase(first)); // by its handle; the id goes too
    CHECK((!graph.contains(id(1)) && graph.id_of(first) == nullptr));
    const H second = graph.add(id(2), 2, 1, 1);
    CHECK((second.index() == first.index() && !graph.contains(first) && !graph.contains(id(1))));
    const H again = graph.add(id(1), 3, 1, 1);
    CHECK((again != first && graph.find(id(1)) == again && graph.check_invariants()));
    graph.clear();
    CHECK((!graph.contains(id(1)) && !graph.contains(id(2)) && graph.id_of(again) == nullptr && graph.check_invariants()));
    CHECK(!graph.add(id(2), 4, 1, 1).is_null());
}

TEST_CASE("DataflowGraph by ids: an id stays with a reserved handle, for an undo", "[graph]") {
    Graph graph;
    const H node = graph.add(id(1), 1, 1, 1);
    CHECK(graph.extract_reserved(id(1)) == 1);
    CHECK((!graph.contains(id(1)) && graph.find(id(1)).is_null() && graph.explain(id(1)) == HandleStatus::reserved));
    CHECK((graph.add(id(1), 9, 1, 1).is_null() && *graph.id_of(node) == id(1) && graph.check_invariants()));
    CHECK((graph.fulfill(id(1), 5, 2, 1) && graph.find(id(1)) == node && graph[id(1)] == 5 && !graph.fulfill(id(1), 5, 2, 1)));
    CHECK((graph.erase_reserved(id(1)) && graph.cancel(id(1)) && !graph.cancel(id(1)) && graph.check_invariants()));
    CHECK((graph.explain(node) == HandleStatus::stale && !graph.add(id(1), 9, 1, 1).is_null()));
    CHECK(graph.erase_reserved(id(1)));
    Graph copy(graph), restored;
    restored.restore(graph.snapshot());
    for (Graph* const each : {&copy, &restored}) CHECK((each->fulfill(id(1), 7, 0, 0) && each->check_invariants()));
}

TEST_CASE("DataflowGraph by ids: copies, moves, swaps and bytes keep the ids", "[graph]") {
    Graph graph;
    for (std::uint64_t n = 0; n != 20; ++n) {
        graph.add(id(n), static_cast<int>(n), 2, 1);
        if (n != 0) static_cast<void>(graph.connect(id(n), 0, id(n - 1), 0)); // against the order
    }
    for (std::uint64_t n = 0; n < 20; n += 6) graph.erase(id(n));
    graph.evaluate(run);
    const auto same = [&](const Graph& other) {
        CHECK(other.check_invariants());
        for (std::uint64_t n = 0; n != 20; ++n) {
            REQUIRE(other.contains(id(n)) == graph.contains(id(n)));
            if (!other.contains(id(n))) continue;
            REQUIRE(other[id(n)] == graph[id(n)]);
            REQUIRE(other.output(id(n), 0) == graph.output(id(n), 0));
            REQUIRE(*other.id_of(other.find(id(n))) == id(n));
        }
        return true;
    };
    Graph copy(graph), assigned;
    CHECK((copy == graph && same(copy)));
    assigned.add(id(90), 1, 1, 1);
    CHECK(!(assigned == graph));
    assigned = copy;
    CHECK((assigned == graph && same(assigned) && !assigned.contains(id(90))));
    Graph moved(std::move(copy));
    CHECK((moved == graph && same(moved) && copy.empty() && !copy.contains(id(1)) && copy.check_invariants()));
    swap(moved, copy);
    CHECK((same(copy) && moved.empty() && !moved.add(id(1), 1, 1, 1).is_null()));
    moved = std::move(copy);
    CHECK((same(moved) && copy.check_invariants()));
    Graph restored;
    restored.restore(graph.snapshot());
    CHECK((restored == graph && restored.snapshot() == graph.snapshot() && same(restored)));
    Graph loaded;
    loaded.add(id(1), 99, 1, 1);
    loaded.load(graph.save());
    CHECK((same(loaded) && loaded.save() == graph.save() && loaded.evaluate(run).ran == 0));
    // A graph with an IdentityMap beside it writes the same file.
    DataflowGraph<int, int> plain;
    IdentityMap<PublicId, DataflowGraph<int, int>::handle_type> ids;
    plain.load(graph.save(), ids);
    CHECK((plain.size() == graph.size() && plain.save(ids) == graph.save()));
    // Bytes in which nodes and ids do not belong together.
    CHECK(Graph().try_restore(plain.snapshot()) != nullptr);
    CHECK(DataflowGraph<int, int>().try_restore(graph.snapshot()) != nullptr);
}

TEST_CASE("DataflowGraph: ids of any type that has an order and that the codec writes are in a file", "[graph]") {
    Texts graph;
    for (const char* const name : {"width", "", "a name that is too long for a short string", "area"}) graph.add(name, 1, 2, 1);
    graph.connect("width", 0, "area", 0);
    graph.connect("", 0, "area", 1);
    graph.set_input("width", 1, 7);
    graph.evaluate(run);
    const auto file = graph.save();
    Texts loaded;
    loaded.add("replaced", 1, 1, 1);
    loaded.load(file);
    REQUIRE((loaded.size() == 4 && loaded.check_invariants() && !loaded.contains("replaced")));
    REQUIRE((loaded.save() == file && loaded.evaluate(run).ran == 0 && loaded.output("area", 0) == graph.output("area", 0)));
    REQUIRE(loaded.source("area", 1).node == loaded.find(""));
    Texts restored;
    restored.restore(graph.snapshot());
    REQUIRE((restored == graph && restored.save() == file));
    // An IdentityMap beside a graph, of texts and of numbers.
    DataflowGraph<int, int> plain;
    IdentityMap<std::string, DataflowGraph<int, int>::handle_type> names;
    plain.load(file, names);
    REQUIRE((plain.save(names) == file && names.size() == 4));
    IdentityMap<std::uint16_t, DataflowGraph<int, int>::handle_type> numbers, read;
    std::uint16_t number = 9;
    for (const auto node : plain.handles()) numbers.insert(number--, node);
    const auto numbered = plain.save(numbers);
    DataflowGraph<int, int> other;
    other.load(numbered, read);
    REQUIRE((other.save(read) == numbered && read.contains(std::uint16_t{6}) && other.links() == 2));
    // Ids of another type, and damaged ones, are refused, and nothing has changed.
    const auto before = loaded.save(); // the evaluation is counted
    REQUIRE(std::string(loaded.try_load(numbered)).find("ids are uint16") != std::string::npos);
    REQUIRE(Graph().try_load(file) != nullptr);
    REQUIRE(Texts().try_load(Graph().save()) != nullptr);
    for (std::size_t size = 0; size != file.size(); ++size) REQUIRE(loaded.try_load(std::span(file).first(size)) != nullptr);
    REQUIRE(loaded.save() == before);
}

TEST_CASE("DataflowGraph by ids: memory of other allocators", "[graph][allocators]") {
    using Elsewhere = DataflowGraph<int, int, EqualTo, IdBy<PublicId>, AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
    std::pmr::monotonic_buffer_resource one, two;
    Elsewhere graph(&one), other(&two);
    for (std::uint64_t n = 0; n != 10; ++n) graph.add(id(n), static_cast<int>(n), 1, 1);
    other.add(id(50), 50, 1, 1);
    Elsewhere copy(graph, &two), moved(std::move(graph), &two);
    CHECK((copy == moved && moved.find(id(3)) == copy.find(id(3)) && moved.check_invariants() && copy.check_invariants()));
    swap(copy, other);
    CHECK((other.contains(id(9)) && copy.contains(id(50)) && other.check_invariants() && copy.check_invariants()));
    Elsewhere third(&one);
    swap(third, other);
    CHECK((third.contains(id(9)) && !other.contains(id(9)) && third.check_invariants() && other.check_invariants()));
    third.load(third.save());
    third.restore(third.snapshot());
    CHECK((third.contains(id(9)) && third.size() == 10 && third.check_invariants()));
    // An IdentityMap beside a graph keeps its allocator when both are loaded.
    using Plain = DataflowGraph<int, int>;
    IdentityMap<PublicId, Plain::handle_type, AllocBy<std::pmr::polymorphic_allocator<std::byte>>> ids(&one);
    Plain plain;
    plain.load(third.save(), ids);
    CHECK((ids.get_allocator().resource() == &one && ids.size() == 10 && ids.check_invariants()));
}

TEST_CASE("DataflowGraph by ids: random edits against a map of ids", "[graph]") {
    std::mt19937 random(5);
    Graph graph;
    std::map<std::uint64_t, H> there, reserved;
    std::vector<std::pair<std::uint64_t, H>> gone;
    for (int step = 0; step != 4000; ++step) {
        const std::uint64_t n = random() % 40;
        const PublicId name = id(n);
        const bool by_handle = random() % 2 == 0;
        switch (random() % 8) {
        case 0:
        case 1: {
            const H node = graph.add(name, static_cast<int>(n), random() % 3, 1);
            REQUIRE(node.is_null() == (there.count(n) + reserved.count(n) != 0));
            if (!node.is_null()) there[n] = node;
            break;
        }
        case 2: {
            const bool lives = there.count(n) != 0;
            REQUIRE((by_handle && lives ? graph.erase(there[n]) : graph.erase(name)) == lives);
            if (lives) gone.emplace_back(n, there[n]), there.erase(n);
            break;
        }
        case 3: {
            const bool lives = there.count(n) != 0;
            REQUIRE(graph.erase_reserved(name) == lives);
            if (lives) reserved[n] = there[n], there.erase(n);
            break;
        }
        case 4: {
            const bool waits = reserved.count(n) != 0;
            REQUIRE((by_handle && waits ? graph.fulfill(reserved[n], 1, 1, 1) : graph.fulfill(name, 1, 1, 1)) == waits);
            if (waits) there[n] = reserved[n], reserved.erase(n);
            break;
        }
        case 5: {
            const bool waits = reserved.count(n) != 0;
            REQUIRE(graph.cancel(name) == waits);
            if (waits) gone.emplace_back(n, reserved[n]), reserved.erase(n);
            break;
        }
        case 6: {
            const std::uint64_t m = random() % 40;
            const auto linked = graph.connect(name, 0, id(m), 0);
            if (there.count(n) == 0) REQUIRE(linked.status() == LinkStatus::no_source);
            if (linked) REQUIRE(graph.source(id(m), 0).node == there.at(n));
            break;
        }
        default:
            if (random() % 16 == 0) {
                Graph copy(graph);
                REQUIRE(copy == graph);
                graph = std::move(copy);
            } else if (random() % 16 == 0)
                graph.restore(graph.snapshot());
            else if (random() % 16 == 0)
                graph.evaluate(run);
        }
        REQUIRE(graph.check_invariants());
        REQUIRE(graph.size() == there.size());
        for (const auto& [number, node] : there) REQUIRE((graph.find(id(number)) == node && *graph.id_of(node) == id(number)));
        for (const auto& [number, node] : gone) REQUIRE((!graph.contains(node) && graph.find(id(number)) != node));
    }
    CHECK(gone.size() > 100);
}

TEST_CASE("DataflowGraph by ids: what fails adds neither a node nor an id", "[graph][throws]") {
    using Fragile = DataflowGraph<test::ThrowingCopy, test::ThrowingCopy, EqualTo, IdBy<Named>>;
    const test::NothingLeaks leaks;
    const auto scenario = [](auto&& attempt) {
        Fragile graph;
        graph.emplace(Named{test::ThrowingCopy(1)}, 1, 1, 1);
        const Fragile before(graph);
        const Named two{test::ThrowingCopy(2)};
        const bool failed = attempt([&] { graph.emplace(two, 3, 3, 2); });
        CHECK((graph.check_invariants() && graph.contains(two) != failed && graph.size() == (failed ? 1u : 2u)));
        if (failed) CHECK(graph == before);
        if (failed) CHECK(!graph.emplace(two, 1, 1, 2).is_null());
        CHECK(graph.check_invariants());
    };
    const std::size_t failures = test::fail_at_every_step(scenario), exhausted = test::run_out_of_memory(scenario);
    CHECK((failures != 0 && exhausted != 0));
}

TEST_CASE("DataflowGraph by ids: a graph without them has none of their bytes", "[graph]") {
    CHECK(sizeof(DataflowGraph<int, int>) < sizeof(Graph));
    CHECK(sizeof(Texts::node_name) != sizeof(Texts::handle_type));
    static_assert(std::is_same_v<DataflowGraph<int, int>::node_name, DataflowGraph<int, int>::handle_type>);
}
