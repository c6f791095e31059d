// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The guide's recipes of undo and redo, from the sources that it quotes, on random histories. The model is what was there after
// each edit: undone and redone, all of it is there again, under the same handles.
#include "../../../examples/undo/graph_history.hpp"
#include "../../../examples/undo/history.hpp"
#include "../../../examples/undo/world_history.hpp"

#include "support/catch.hpp"
#include "support/maps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace slotwise;
using test::Random;

namespace {

/// What was there after each edit that can be redone or undone, and where we are.
template <class State>
class States {
public:
    explicit States(State first, std::size_t most) : most_(most) { states_.push_back(std::move(first)); }
    void edited(State now) {
        states_.resize(at_ + 1);
        states_.push_back(std::move(now));
        if (states_.size() > most_ + 1) states_.erase(states_.begin());
        at_ = states_.size() - 1;
    }
    void undone() { at_ -= at_ != 0; }
    void redone() { at_ += at_ + 1 != states_.size(); }
    const State& now() const { return states_[at_]; }

private:
    std::vector<State> states_;
    std::size_t at_ = 0, most_;
};

template <class Map>
typename Map::value_type element(std::uint32_t n) {
    const std::string text = "element number " + std::to_string(n);
    if constexpr (std::is_same_v<typename Map::value_type, std::string>)
        return text;
    else
        return {text, static_cast<int>(n)};
}
template <class Map>
auto contents(const Map& map) {
    std::map<typename Map::handle_type, typename Map::value_type> all;
    for (auto&& [id, value] : map.items()) all.emplace(id, typename Map::value_type(value));
    return all;
}

template <class Map>
void random_edits(std::uint64_t seed, std::size_t most) {
    Random random(seed);
    Map map;
    History<Map> history(map, most);
    States states(contents(map), most);
    std::set<typename Map::handle_type> issued;
    std::uint32_t next = 0;
    std::size_t undos = 0, wanted_again = 0;
    for (int i = 0; i != 3000; ++i) {
        const auto some = [&] {
            return states.now().empty() ? typename Map::handle_type()
                                        : std::next(states.now().begin(), random.below(states.now().size()))->first;
        };
        const auto dice = random.below(100);
        if (dice < 20 || states.now().empty()) {
            if (dice >= 20 && dice < 60) continue;
            const auto id = history.insert(element<Map>(next++));
            REQUIRE(issued.insert(id).second); // no handle of an element that may come back is given to another
            wanted_again += id.version() != 1;
            states.edited(contents(map));
        } else if (dice < 40) {
            history.erase(some());
            states.edited(contents(map));
        } else if (dice < 50) {
            history.change(some(), element<Map>(next++));
            states.edited(contents(map));
        } else if (dice < 52 && !issued.empty()) {
            const auto stale = *std::next(issued.begin(), random.below(issued.size()));
            if (map.contains(stale)) continue;
            history.erase(stale), history.change(stale, element<Map>(0)); // no edits
        } else
            for (std::uint32_t n = random.below(8); n != 0; --n, ++undos)
                if (dice < 78)
                    history.undo(), states.undone();
                else
                    history.redo(), states.redone();
        REQUIRE(contents(map) == states.now());
        if (i % 10 == 0) {
            REQUIRE(map.check_invariants());
            for (const auto id : issued) REQUIRE(map.contains(id) == states.now().contains(id));
        }
    }
    REQUIRE(undos > 1000);
    REQUIRE(wanted_again > 50); // slots of elements that come back no more are free
    REQUIRE(map.capacity() < 2048);
}

struct Place {
    float x = 0;
};
struct Name {
    std::string text{};
};
struct Note {
    std::string text{};
};
struct Visible {};

/// All of a world, as texts.
using World = std::map<Entity, std::set<std::string>>;
World contents(const ArchetypeStore& store) {
    World all;
    for (const Entity entity : store.entities()) {
        auto& of = all[entity];
        store.for_each_component(entity, [&](ComponentId id, const void* value) {
            std::string text = store.registry().name(id) + (store.is_enabled(entity, id) ? " " : " off ");
            if (id == store.registry().find<Place>()) text += std::to_string(static_cast<const Place*>(value)->x);
            if (id == store.registry().find<Name>()) text += static_cast<const Name*>(value)->text;
            if (id == store.registry().find<Note>()) text += static_cast<const Note*>(value)->text;
            of.insert(text);
        });
    }
    return all;
}

/// An editor of a scene, which is a tree, with links across it.
class Editor {
public:
    Editor(std::uint64_t seed, std::size_t most)
        : random_(seed), most_(most), history_(store_, child_of_, {child_of_, likes_, state_}, most),
          states_(contents(store_), most) {}
    std::size_t undos = 0, came_back = 0;

    void step() {
        const auto dice = random_.below(100);
        const Entity entity = some(), other = some();
        if (dice < 12 || !entity) {
            const Entity made = dice % 2 == 0 ? history_.spawn(Place{number()}, Name{text()})
                                              : history_.spawn(Name{text()}, Note{text()}, Visible{});
            REQUIRE(issued_.insert(made).second);
        } else if (dice < 20)
            history_.despawn(entity);
        else if (dice < 26)
            history_.set(entity, Name{text()});
        else if (dice < 31)
            history_.set(entity, Note{text()});
        else if (dice < 34)
            history_.set(entity, Place{number()});
        else if (dice < 40) {
            if (is_below(other, entity)) return;
            relate_exclusively(entity, child_of_, other);
        } else if (dice < 45)
            relate_exclusively(entity, state_, other);
        else if (dice < 52) {
            const bool there = store_.has(entity, pair(likes_, other));
            const auto link = [=, this](ArchetypeStore& store) { store.relate(entity, likes_, other); };
            const auto cut = [=, this](ArchetypeStore& store) { store.unrelate(entity, likes_, other); };
            if (there)
                history_.change(cut, link);
            else
                history_.change(link, cut);
        } else if (dice < 56) {
            const bool on = store_.is_enabled<Name>(entity);
            if (!store_.has<Name>(entity)) return;
            const auto turn = [=](bool to) { return [=](ArchetypeStore& store) { store.enable<Name>(entity, to); }; };
            history_.change(turn(!on), turn(on));
        } else {
            const std::size_t before = store_.size();
            for (std::uint32_t n = random_.below(7); n != 0; --n, ++undos)
                if (dice < 80)
                    history_.undo(), states_.undone();
                else
                    history_.redo(), states_.redone();
            came_back += store_.size() > before;
            return check();
        }
        states_.edited(contents(store_));
        check();
    }
    void end() const {
        for (const Entity entity : issued_) REQUIRE(store_.is_alive(entity) == states_.now().contains(entity));
    }

private:
    Entity some() {
        const auto all = store_.entities();
        return all.empty() ? Entity() : all[random_.below(all.size())];
    }
    std::string text() { return "a text that is on the heap " + std::to_string(next_++); }
    float number() { return static_cast<float>(next_++); }
    bool is_below(Entity entity, Entity root) const {
        bool found = entity == root;
        store_.for_each_descendant(root, child_of_, [&](Entity each, std::size_t) { found = found || each == entity; });
        return found;
    }
    void relate_exclusively(Entity entity, ComponentId relation, Entity target) {
        const auto give = [=](Entity to) {
            return [=](ArchetypeStore& store) {
                if (to)
                    store.relate(entity, relation, to);
                else
                    store.unrelate(entity, relation);
            };
        };
        history_.change(give(target), give(store_.target(entity, relation)));
    }
    void check() {
        REQUIRE(contents(store_) == states_.now());
        if (++checks_ % 16 == 0) REQUIRE(store_.check_invariants());
    }

    static ArchetypeStore made() {
        ArchetypeStore store;
        store.registry().add<Name>({.toggle = true});
        store.registry().add<Note>({.sparse = true});
        return store;
    }
    Random random_;
    std::size_t most_;
    ArchetypeStore store_ = made();
    ComponentId child_of_ =
        store_.registry().add_relation("child_of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
    ComponentId likes_ = store_.registry().add_relation("likes");
    ComponentId state_ = store_.registry().add_relation("state", {.exclusive = true, .switched = true});
    WorldHistory history_;
    States<World> states_;
    std::set<Entity> issued_{};
    std::uint32_t next_ = 0;
    std::size_t checks_ = 0;
};

} // namespace

TEST_CASE("the recipe of undo and redo brings every element back under its handle, in any history", "[recipes][undo]") {
    constexpr SlotMapOptions last_first{.reuse = Reuse::lifo, .first_slot = 1}, oldest_first{.reuse = Reuse::fifo};
    for (const std::size_t most : {3u, 40u, 100000u})
        for (std::uint64_t seed = 1; seed != 3; ++seed) {
            CAPTURE(most, seed);
            random_edits<SlotMap<std::string>>(seed, most);
            random_edits<SlotMap<std::string, Options<last_first>>>(seed, most);
            random_edits<SlotMap<std::string, Options<oldest_first>>>(seed, most);
            random_edits<DenseSlotMap<std::string>>(seed, most);
            random_edits<SoaSlotMap<std::string, int>>(seed, most);
        }
}

TEST_CASE("the recipe of undo for a world brings entities back with components, children and links, in any history",
          "[recipes][undo]") {
    std::size_t undos = 0, came_back = 0;
    for (const std::size_t most : {3u, 40u, 100000u})
        for (std::uint64_t seed = 1; seed != 5; ++seed) {
            CAPTURE(most, seed);
            Editor editor(seed, most);
            for (int i = 0; i != 1200; ++i) editor.step();
            editor.end();
            undos += editor.undos;
            came_back += editor.came_back;
        }
    REQUIRE(undos > 10000);
    REQUIRE(came_back > 300);
}

namespace {

/// All of a graph that has just run, as texts.
template <class Graph>
std::map<typename Graph::handle_type, std::string> contents(Graph& graph, int) {
    graph.evaluate([](const std::string& name, auto& context) {
        double sum = static_cast<double>(name.size());
        for (slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i) / 2;
        for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, sum + o);
    });
    std::map<typename Graph::handle_type, std::string> all;
    for (auto [node, name] : graph.items()) {
        std::string text = name + ' ' + std::to_string(static_cast<std::uint32_t>(graph.flags(node)));
        if (const NodeInfo* const info = graph.info(node)) text += info->name;
        for (std::size_t i = 0; i != graph.inputs(node); ++i) {
            const auto source = graph.source(node, i);
            text += " in " + std::to_string(graph.constant(node, i)) + ' ' + to_string(source.node) + ' ' +
                    std::to_string(source.output);
        }
        for (std::size_t o = 0; o != graph.outputs(node); ++o) text += " out " + std::to_string(graph.output(node, o));
        if constexpr (requires { *graph.id_of(node); }) text += " id " + std::to_string(*graph.id_of(node));
        all.emplace(node, text);
    }
    return all;
}

template <class Graph>
void random_edits_of_a_graph(std::uint64_t seed, std::size_t most) {
    using Node = typename Graph::handle_type;
    static constexpr std::string_view in[] = {"a", "b"}, out[] = {"c"};
    static constexpr NodeInfo mix{"mix", in, out, NodeFlags::always};
    Random random(seed);
    Graph graph;
    GraphHistory<Graph> history(graph, most);
    States states(contents(graph, 0), most);
    std::set<Node> issued;
    std::size_t undos = 0, linked = 0, erased_linked = 0;
    int next = 0;
    for (int i = 0; i != 3000; ++i) {
        const auto some = [&] { return std::next(states.now().begin(), random.below(states.now().size()))->first; };
        const auto input_of = [&](Node node) { return random.below(static_cast<std::uint32_t>(graph.inputs(node))); };
        const auto dice = random.below(100);
        if (dice < 14 || states.now().empty()) {
            if (dice >= 14 && dice < 70) continue;
            const std::string name(random.below(9), 'x');
            const auto add = [&](auto&&... id) {
                return random.chance(30) ? history.add(id..., name, mix)
                                         : history.add(id..., name, random.below(4), random.below(3));
            };
            Node node;
            if constexpr (requires { graph.find(next); })
                node = add(++next);
            else
                node = add();
            REQUIRE(issued.insert(node).second);
            if (random.chance(20)) graph.set_pins(node, 3, 2);
            if (random.chance(30)) graph.set_flags(node, user_flag(random.below(24)) | NodeFlags::stateful);
            if (random.chance(20)) graph.set_flags(node, NodeFlags::always, false);
        } else if (dice < 20) {
            const Node node = some();
            erased_linked += !graph.links_into(node).empty() && !graph.links_from(node).empty();
            history.erase(node);
        } else if (dice < 45) {
            const Node from = some(), to = some();
            if (graph.outputs(from) == 0 || graph.inputs(to) == 0) continue;
            if (!history.connect(from, random.below(static_cast<std::uint32_t>(graph.outputs(from))), to, input_of(to)))
                continue;
            ++linked;
        } else if (dice < 55) {
            const Node node = some();
            if (graph.inputs(node) == 0) continue;
            if (dice < 48)
                history.disconnect(node, input_of(node));
            else
                history.set_input(node, input_of(node), random.below(100));
        } else {
            for (std::uint32_t n = random.below(8); n != 0; --n, ++undos)
                if (dice < 79)
                    history.undo(), states.undone();
                else
                    history.redo(), states.redone();
            REQUIRE(contents(graph, 0) == states.now());
            if (i % 10 == 0) REQUIRE(graph.check_invariants());
            continue;
        }
        states.edited(contents(graph, 0));
    }
    CAPTURE(undos, linked, erased_linked);
    REQUIRE((undos > 1000 && linked > 50 && erased_linked > 0));
}

} // namespace

TEST_CASE("the recipe of undo for graphs brings back nodes, pins, flags, constants and links, under the same handles",
          "[recipes]") {
    for (const std::size_t most : {7u, 1000u})
        for (std::uint64_t seed = 1; seed != 4; ++seed) {
            random_edits_of_a_graph<DataflowGraph<std::string, double>>(seed, most);
            random_edits_of_a_graph<DataflowGraph<std::string, double, EqualTo, IdBy<int>>>(seed, most);
        }
}
