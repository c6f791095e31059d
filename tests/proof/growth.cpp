// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// How the cost of what users do in a row grows with its length, in every container of properties/containers.hpp and for
// adversarial orders, and in stores of entities: executed basic blocks (see counted.hpp) at three sizes, four times as many
// elements each. What is said to be amortised O(1) must not take more than 5.5 times as much: a term that is quadratic and
// still small would. tools/dev complexity builds and runs it.
#include "properties/containers.hpp"
#include "support/snapshots.hpp"

#include "counted.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace test::every;
using counted::Cost;

constexpr int sizes[] = {2'000, 8'000, 32'000};
std::size_t failures = 0, measured = 0, controls = 0;

template <class C>
std::string_view name_of() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("C = ") + 4);
    return name.substr(0, name.find(';'));
}

/// cost(n) at each size; `most` times as much at four times the size. Prints what is not so as `verdict`.
template <class F>
bool grows(std::string_view container, const char* what, double most, F&& cost, const char* verdict = "FAIL") {
    double at[3];
    for (std::size_t i = 0; i != 3; ++i) at[i] = cost(sizes[i]).blocks;
    const bool right = at[2] >= 1 && at[1] <= most * at[0] + 1000 && at[2] <= most * at[1] + 1000;
    ++measured;
    if (!right)
        std::printf("%s %-24s %12.0f %12.0f %12.0f  %.*s\n", verdict, what, at[0], at[1], at[2],
                    static_cast<int>(container.size()), container.data());
    return right;
}

template <class Entry, class C>
struct Scene {
    C c = made<C>();
    std::vector<decltype(Entry::insert(c, 1))> names{};
    explicit Scene(int n) {
        names.reserve(static_cast<std::size_t>(n));
        fill(n);
    }
    void fill(int n) {
        for (int i = 0; i != n; ++i) names.push_back(Entry::insert(c, i));
    }
    void erase_every(std::size_t step) {
        for (std::size_t i = 0; i < names.size(); i += step) Entry::erase(c, names[i]);
    }
};

struct Orders {
    template <class Entry, class C>
    static void run() {
        // Short handles and few slots: the same code.
        if constexpr (requires { C::options.max_slots; })
            if (C::options.max_slots != 0) return;
        // Rows are found by a walk there, so that each erase would be linear; complexity.cpp counts their operations.
        if constexpr (!std::is_base_of_v<RowVerbs, Entry>)
            if constexpr (index_bits(static_cast<Name<Entry, C>*>(nullptr)) >= 20) grow<Entry, C>();
    }
    template <class Entry, class C>
    using Name = decltype(Entry::insert(std::declval<C&>(), 0));
    static constexpr unsigned index_bits(const std::uint32_t*) { return 32; }
    static constexpr unsigned index_bits(const int*) { return 32; } // the number itself is the name
    template <class Tag, HandleLayout L>
    static constexpr unsigned index_bits(const Handle<Tag, L>*) {
        return L.index_bits;
    }
    template <class Entry, class C>
    static void grow() {
        constexpr double linear = 5.5;
        const auto check = [](const char* what, double most, auto&& act) {
            failures += !grows(name_of<C>(), what, most, [&](int n) {
                Scene<Entry, C> scene(n);
                return counted::once([&] { act(scene, n); });
            });
        };
        failures +=
            !grows(name_of<C>(), "filled", linear, [](int n) { return counted::once([&] { Scene<Entry, C> scene(n); }); });
        check("erased from the front", linear, [](auto& s, int) { s.erase_every(1); });
        check("erased from the back", linear, [](auto& s, int n) {
            for (int i = n; i-- != 0;) Entry::erase(s.c, s.names[static_cast<std::size_t>(i)]);
        });
        check("every other one erased", linear, [](auto& s, int) { s.erase_every(2); });
        check("erased and filled again", linear, [](auto& s, int n) {
            s.erase_every(1);
            s.names.clear();
            s.fill(n);
        });
        check("cleared and filled again", linear, [](auto& s, int n) {
            Entry::clear(s.c);
            s.names.clear();
            s.fill(n);
        });
        check("one in, one out", linear, [](auto& s, int n) {
            for (int i = 0; i != n; ++i) {
                Entry::erase(s.c, s.names[static_cast<std::size_t>(i)]);
                s.names[static_cast<std::size_t>(i)] = Entry::insert(s.c, i);
            }
        });
        if constexpr (requires(C& c) { c.handle_at(c.begin().slot()); })
            check("while not empty, the first", linear, [](auto& s, int) {
                while (!s.c.empty()) Entry::erase(s.c, s.c.handle_at(s.c.begin().slot()));
            });
        else if constexpr (requires(C& c) { c.begin().handle(); })
            check("while not empty, the first", linear, [](auto& s, int) {
                while (!s.c.empty()) Entry::erase(s.c, s.c.begin().handle());
            });
        else if constexpr (requires(C& c) { c.begin().id(); })
            check("while not empty, the first", linear, [](auto& s, int) {
                while (!s.c.empty()) Entry::erase(s.c, s.c.begin().id());
            });
        if constexpr (requires(C& c) { c.begin() != c.end(); }) {
            const auto walk = [](C& c) {
                std::size_t live = 0;
                for (auto it = c.begin(); it != c.end(); ++it) ++live;
                counted::keep(live);
            };
            failures += !grows(name_of<C>(), "a walk over 10 left", 1.5, [&](int n) {
                Scene<Entry, C> scene(n);
                for (int i = 0; i != n; ++i)
                    if (i % (n / 10) != n / 10 - 1) Entry::erase(scene.c, scene.names[static_cast<std::size_t>(i)]);
                return counted::once([&] { walk(scene.c); });
            });
        }
        if constexpr (requires(C& c) { c.reserve(c.size() + 1); })
            failures += !grows(name_of<C>(), "room for one more before each", linear, [](int n) {
                C c = made<C>();
                return counted::once([&] {
                    for (int i = 0; i != n; ++i) {
                        c.reserve(c.size() + 1);
                        static_cast<void>(Entry::insert(c, i));
                    }
                });
            });
        if constexpr (std::is_copy_constructible_v<C>)
            check("copied half empty, then filled", linear, [](auto& s, int n) {
                s.erase_every(2);
                C copy(s.c);
                for (int i = 0; i != n; ++i) static_cast<void>(Entry::insert(copy, n + i));
            });
        if constexpr (requires(C& c) { c.restore(c.snapshot()); })
            check("restored half empty, then filled", linear, [](auto& s, int n) {
                s.erase_every(2);
                s.c.restore(s.c.snapshot());
                for (int i = 0; i != n; ++i) static_cast<void>(Entry::insert(s.c, n + i));
            });
        if constexpr (requires(C& c) { c.sort(std::less<>()); })
            check("sorted, rotated", 7, [](auto& s, int n) {
                Entry::erase(s.c, s.names[0]); // the last one comes first
                static_cast<void>(n);
                s.c.sort(std::less<>());
            });
    }
};

/// What has no names, or is no container of properties/containers.hpp.
void columns() {
    const auto reserved = [](std::string_view name, auto&& make, auto&& add) {
        failures += !grows(name, "room for one more before each", 5.5, [&](int n) {
            auto column = make();
            return counted::once([&] {
                for (int i = 0; i != n; ++i) {
                    column.reserve(column.size() + 1);
                    add(column);
                }
            });
        });
    };
    reserved(
        "SoaStruct", [] { return SoaStruct<&std::pair<int, char>::first>(); },
        [](auto& c) {
            c.push_back({1, 'a'});
        });
    reserved(
        "AnyRows", [] { return AnyRows{&TypeDescriptor::of<int>()}; }, [](auto& c) { c.push_back({AnyValue::of(1)}); });
    reserved(
        "BitColumn", [] { return BitColumn(); }, [](auto& c) { c.push_back(true); });
    reserved(
        "TickColumn", [] { return TickColumn(); }, [](auto& c) { c.push_back(7); });
    reserved(
        "EventQueue", [] { return EventQueue<int>(); }, [](auto& c) { c.push(1); });
    // Words are copied 64 at a time, so that n bits are too few to see a square.
    failures += !grows("BitColumn", "room for a word more before each", 5.5, [](int n) {
        BitColumn column;
        return counted::once([&] {
            for (int i = 0; i != n; ++i) {
                column.reserve(column.size() + 64);
                column.append(64, true);
            }
        });
    });
}

/// Places 0 to n - 1 in some order.
std::vector<std::size_t> ordered(int n, std::string_view order) {
    std::vector<std::size_t> places(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i != places.size(); ++i) places[i] = order == "last first" ? places.size() - 1 - i : i;
    if (order == "shuffled")
        for (std::size_t i = places.size(), seed = 1; i > 1; --i, seed = seed * 6364136223846793005u + 1442695040888963407u)
            std::swap(places[i - 1], places[(seed >> 33) % i]);
    return places;
}
constexpr std::string_view orders[] = {"first first", "last first", "shuffled"};

void graphs() {
    using Graph = DataflowGraph<int, int>;
    using Handles = std::vector<Graph::handle_type>;
    const auto nodes = [](Graph& graph, int n, std::size_t inputs) {
        Handles made;
        for (int i = 0; i != n; ++i) made.push_back(graph.add(i, inputs, 1));
        return made;
    };
    for (const std::string_view order : orders) {
        // Links as a file may list them: along the order of the nodes and against it, from either end and from any.
        const bool any = order == "shuffled"; // of a chain in pieces, each of which is walked when two become one
        const auto linked = [&](const char* what, std::size_t inputs, auto&& link) {
            failures += !grows(order, what, any ? 8 : 5.5, [&](int n) {
                Graph graph;
                const Handles made = nodes(graph, n, inputs);
                const auto places = ordered(n, order);
                const auto cost = counted::once([&] {
                    for (const std::size_t i : places) link(graph, made, i);
                });
                if (!graph.check_invariants()) ++failures;
                return cost;
            });
        };
        linked("links forward", 1, [](Graph& graph, const Handles& made, std::size_t i) {
            if (i != 0) static_cast<void>(graph.connect(made[i - 1], 0, made[i], 0));
        });
        linked("links backward", 1, [](Graph& graph, const Handles& made, std::size_t i) {
            if (i != 0) static_cast<void>(graph.connect(made[i], 0, made[i - 1], 0));
        });
        linked("a tree of links backward", 2, [](Graph& graph, const Handles& made, std::size_t i) {
            if (i != 0) static_cast<void>(graph.connect(made[i], 0, made[(i - 1) / 2], i % 2));
        });
        linked("links backward of nodes with a leaf", 1, [](Graph& graph, const Handles& made, std::size_t i) {
            if (i % 2 != 0 || i + 3 >= made.size()) return;
            static_cast<void>(graph.connect(made[i], 0, made[i + 1], 0));
            static_cast<void>(graph.connect(made[i + 2], 0, made[i], 0));
        });
        failures += !grows(order, "outputs of one node set three times", 5.5, [&](int n) {
            Graph graph;
            graph.add(0, 0, static_cast<std::size_t>(n));
            const auto places = ordered(n, order);
            return counted::once([&] {
                graph.evaluate([&](int, auto& context) {
                    for (int value = 1; value != 4; ++value)
                        for (const std::size_t o : places) context.set_output(static_cast<slot_t>(o), value);
                });
            });
        });
        // The first subscriber to hear of a change removes all nodes, whose subscribers wait.
        struct Remover final : Graph::subscriber {
            Graph* graph = nullptr;
            Handles* all = nullptr;
            std::vector<std::size_t>* places = nullptr;
            bool pins = false, done = false;
            void on_output(Graph::handle_type, slot_t, const int&) noexcept override {
                if (std::exchange(done, true)) return;
                for (const std::size_t i : *places)
                    if (pins)
                        graph->set_pins((*all)[i], 0, 2); // the output moves
                    else
                        graph->erase((*all)[i]);
            }
        };
        for (const bool pins : {false, true})
            failures += !grows(
                order, pins ? "outputs moved while subscribers wait" : "nodes erased while subscribers wait", 5.5, [&](int n) {
                    Graph graph;
                    Handles all = nodes(graph, n, 0);
                    auto places = ordered(n, order);
                    Remover remover;
                    remover.graph = &graph, remover.all = &all, remover.places = &places, remover.pins = pins;
                    std::vector<Graph::subscription> tokens;
                    for (const auto node : all) tokens.push_back(graph.subscribe(node, 0, remover));
                    return counted::once([&] { graph.evaluate([](int, auto& context) { context.set_output(0, 1); }); });
                });
    }
    failures += !grows("graph", "room for one more node and pin before each", 5.5, [](int n) {
        Graph graph;
        return counted::once([&] {
            for (int i = 0; i != n; ++i) {
                graph.reserve(graph.size() + 1, graph.pins() + 2);
                static_cast<void>(graph.add(i, 1, 1));
            }
        });
    });
}

//=== stores ===//

/// What is done with n entities, in the order in which they came, in the other one, and in none.
enum class Order { ascending, descending, shuffled };
constexpr const char* name_of(Order order) {
    return order == Order::ascending ? "ascending" : order == Order::descending ? "descending" : "shuffled";
}

struct StoreScene {
    ArchetypeStore store{};
    ComponentId many = store.registry().add_relation("many"), one = store.registry().add_relation("one", {.exclusive = true});
    ComponentId mode = store.registry().add_relation("mode", {.switched = true});
    ComponentId child = store.registry().add_relation("child", {.on_target_despawn = OnTargetDespawn::despawn});
    ComponentId apart = store.registry().add_relation("apart", {.sparse = true});
    ComponentId under = store.registry().add_relation("under", {.sparse = true, .exclusive = true, .acyclic = true});
    ComponentId brings = store.registry().add_relation("brings", {.with = {store.registry().id<char>()}});
    Entity root = store.spawn(1);
    std::vector<Entity> all{};
    CommandBuffer buffer{store};

    StoreScene(int n, Order order) {
        const auto made = store.spawn_n(static_cast<std::size_t>(n), 2);
        all.assign(made.begin(), made.end());
        if (order == Order::descending) std::reverse(all.begin(), all.end());
        if (order == Order::shuffled)
            for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[bits::to_size(mix_bits(i) % i)]);
    }
    std::vector<ComponentId> pairs(ComponentId relation) const {
        std::vector<ComponentId> ids;
        for (const Entity each : all) ids.push_back(pair(relation, each));
        return ids;
    }
    Cost apply() {
        return counted::once([&] { counted::keep(store.apply(buffer)); });
    }
};

void grow_stores() {
    const auto grow = [](const char* what, auto&& cost) {
        for (const Order order : {Order::ascending, Order::descending, Order::shuffled})
            failures += !grows(name_of(order), what, 5.5, [&](int n) {
                StoreScene scene(n, order);
                return cost(scene);
            });
    };
    const auto directly = [&](const char* what, auto&& act) {
        grow(what, [&](StoreScene& s) {
            return counted::once([&] {
                for (const Entity each : s.all) act(s, each);
            });
        });
    };
    const auto applied = [&](const char* what, auto&& act) {
        grow(what, [&](StoreScene& s) {
            for (const Entity each : s.all) act(s, each);
            return s.apply();
        });
    };
    directly("store: spawn", [](StoreScene& s, Entity) { s.store.spawn(1, 1.5); });
    directly("store: add", [](StoreScene& s, Entity e) { s.store.add(e, 1.5); });
    directly("store: remove", [](StoreScene& s, Entity e) { s.store.remove<int>(e); });
    directly("store: despawn", [](StoreScene& s, Entity e) { s.store.despawn(e); });
    for (ComponentId StoreScene::*relation :
         {&StoreScene::many, &StoreScene::one, &StoreScene::mode, &StoreScene::child, &StoreScene::apart, &StoreScene::under}) {
        directly("store: relate n to one", [=](StoreScene& s, Entity e) { s.store.relate(e, s.*relation, s.root); });
        directly("store: relate n to others",
                 [=](StoreScene& s, Entity e) { s.store.relate(e, s.*relation, s.store.spawn()); });
        applied("apply: relate n to one", [=](StoreScene& s, Entity e) { s.buffer.relate(e, s.*relation, s.root); });
        applied("apply: relate one to n", [=](StoreScene& s, Entity e) { s.buffer.relate(s.root, s.*relation, e); });
        applied("apply: relate, unrelate", [=](StoreScene& s, Entity e) {
            s.buffer.relate(s.root, s.*relation, e);
            s.buffer.unrelate(s.root, s.*relation, e);
        });
        grow("store: despawn of n sources' target", [=](StoreScene& s) {
            for (const Entity each : s.all) s.store.relate(each, s.*relation, s.root);
            return counted::once([&] { counted::keep(s.store.despawn(s.root)); });
        });
    }
    for (ComponentId StoreScene::*relation : {&StoreScene::one, &StoreScene::mode, &StoreScene::apart, &StoreScene::under})
        directly("store: relate one to n", [=](StoreScene& s, Entity e) { s.store.relate(s.root, s.*relation, e); });
    for (ComponentId StoreScene::*relation : {&StoreScene::apart, &StoreScene::under}) {
        directly("store: relate_before the first one", [=](StoreScene& s, Entity e) {
            const auto others = s.store.sources(s.*relation, s.root);
            s.store.relate_before(e, s.*relation, s.root, others.empty() ? Entity() : *others.begin());
        });
        grow("store: unrelate n, one after the other", [=](StoreScene& s) {
            for (const Entity each : s.all) s.store.relate(each, s.*relation, s.root);
            return counted::once([&] {
                for (const Entity each : s.all) s.store.unrelate(each, s.*relation, s.root);
            });
        });
    }
    for (ComponentId StoreScene::*relation : {&StoreScene::many, &StoreScene::one, &StoreScene::mode, &StoreScene::brings,
                                              &StoreScene::apart, &StoreScene::under}) {
        grow("store: add(span of n pairs)", [=](StoreScene& s) {
            const std::vector<ComponentId> ids = s.pairs(s.*relation);
            return counted::once([&] { counted::keep(s.store.add(s.root, ids)); });
        });
        grow("builder: with n pairs", [=](StoreScene& s) {
            return counted::once([&] {
                EntityBuilder builder = s.store.builder();
                for (const Entity each : s.all) builder.relate(s.*relation, each);
                counted::keep(builder.spawn().index());
            });
        });
        grow("store: remove(span of n pairs)", [=](StoreScene& s) {
            const std::vector<ComponentId> ids = s.pairs(s.*relation);
            s.store.add(s.root, ids);
            return counted::once([&] { counted::keep(s.store.remove(s.root, ids)); });
        });
        grow("apply: add(span of n pairs)", [=](StoreScene& s) {
            const std::vector<ComponentId> ids = s.pairs(s.*relation);
            return counted::once([&] {
                s.buffer.add(s.root, ids);
                counted::keep(s.store.apply(s.buffer));
            });
        });
    }
    applied("apply: add to n", [](StoreScene& s, Entity e) { s.buffer.add(e, 1.5); });
    applied("apply: remove from n", [](StoreScene& s, Entity e) { s.buffer.remove<int>(e); });
    applied("apply: set n", [](StoreScene& s, Entity e) { s.buffer.set(e, 5); });
    applied("apply: despawn n", [](StoreScene& s, Entity e) { s.buffer.despawn(e); });
    applied("apply: set one n times", [](StoreScene& s, Entity) { s.buffer.set(s.root, 5); });
    applied("apply: remove and add n times", [](StoreScene& s, Entity) {
        s.buffer.remove<int>(s.root);
        s.buffer.add(s.root, 1);
    });
    applied("apply: set one, despawn n", [](StoreScene& s, Entity e) {
        s.buffer.set(s.root, 5);
        s.buffer.despawn(e);
    });
    applied("apply: relate one, despawn n", [](StoreScene& s, Entity e) {
        s.buffer.relate(s.root, s.one, e);
        s.buffer.despawn(e);
    });
    grow("buffer: n versions of an index", [](StoreScene& s) {
        return counted::once([&] {
            for (int twice = 0; twice != 2; ++twice)
                for (const Entity each : s.all) s.buffer.add(Entity(5, 1 + 2 * (each.index() % 32'000)), 1.5);
            counted::keep(s.store.apply(s.buffer));
        });
    });
}

/// Snapshots with n ranges, which a file may have in any order.
void ranges() {
    using Index = EntityIndex<slotwise::Entity, int>;
    for (const std::string_view order : orders)
        for (const bool used : {false, true})
            failures += !grows(order, used ? "ranges with an id each restored" : "empty ranges restored", 6.5, [&](int n) {
                const auto count = static_cast<slot_t>(n);
                const auto places = ordered(n, order);
                const auto bytes = test::forged(Index().snapshot(), [&](std::vector<std::byte>& state) {
                    const auto put = [&](auto number) {
                        const auto* const first = reinterpret_cast<const std::byte*>(&number);
                        state.insert(state.end(), first, first + sizeof number);
                    };
                    std::memcpy(state.data() + 12, &count, sizeof count);
                    state.resize(16); // behind them stand the ids of each range
                    const auto first_of = [](std::size_t place) { return static_cast<slot_t>(10 + 300 * place); };
                    for (const std::size_t place : places) put(first_of(place)), put(first_of(place) + 1);
                    put(slot_t{0}), put(slot_t{0});
                    for (const std::size_t place : places) {
                        put(slot_t{used}), put(slot_t{used});
                        if (used) put(slotwise::Entity(first_of(place), 1).to_bits()), put(int{5});
                    }
                    put(slot_t{0}); // none is retired
                });
                Index index;
                const auto cost = counted::once([&] { index.restore(bytes); });
                if (index.snapshot() != bytes || !index.check_invariants()) ++failures;
                return cost;
            });
}

} // namespace

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
    grow_stores();
    const std::size_t containers = for_each_container<Orders>();
    columns();
    graphs();
    ranges();
    controls += !grows(
        "control", "quadratic, but little of it", 5.5,
        [](int n) {
            std::vector<char> words(static_cast<std::size_t>(n) / 64, 0);
            return counted::once([&] {
                for (int i = 0; i != n; ++i) {
                    std::size_t w = 0;
                    while (w < static_cast<std::size_t>(i) / 64 && words[w] == 0) ++w;
                    counted::keep(w);
                }
            });
        },
        "ok   refused:");
    std::printf("growth: %zu containers, %zu costs, %zu control refused, %zu failures\n", containers, measured, controls,
                failures);
    return failures != 0 || controls != 1 || containers < 30 || measured < 60 ? 1 : 0;
}
