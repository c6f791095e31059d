// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SecondaryMap, SparseSecondaryMap and IdentityMap attached to an EntityIndex, an ArchetypeStore and a DataflowGraph: what
// belongs to an entity or a node goes when it does, whatever ends it.
#include <slotwise/core/public_id.hpp>
#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/sparse/entity_index.hpp>

#include "support/catch.hpp"
#include "support/death.hpp"

#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace slotwise;

namespace {

struct Row {
    std::uint32_t at = 0;
};
struct Number {
    int value = 0;
};
struct Aside {
    int value = 0;
};

/// One of each kind of map, in step with a model.
template <class H>
class Followers {
public:
    template <class Owner>
    void attach_to(Owner& owner) {
        dense_.attach_to(owner);
        sparse_.attach_to(owner);
        ids_.attach_to(owner);
    }
    void put(H handle, int value) {
        dense_.insert_or_assign(handle, value);
        sparse_.insert_or_assign(handle, value);
        if (!ids_.contains(handle)) ids_.insert(PublicId(++last_), handle);
        model_[handle.to_bits()] = value;
    }
    /// What of is_alive(handle) is false is gone.
    template <class IsAlive>
    void check(IsAlive&& is_alive) {
        std::erase_if(model_, [&](const auto& entry) { return !is_alive(H::from_bits(entry.first)); });
        REQUIRE((dense_.size() == model_.size() && sparse_.size() == model_.size() && ids_.size() == model_.size()));
        for (const auto& [bits, value] : model_) {
            const H handle = H::from_bits(bits);
            REQUIRE((dense_.at(handle) == value && sparse_.at(handle) == value && ids_.contains(handle)));
        }
        REQUIRE((dense_.attached() && sparse_.attached() && ids_.attached()));
    }
    void forget() { model_.clear(); }
    bool attached() const { return dense_.attached() || sparse_.attached() || ids_.attached(); }
    bool empty() const { return dense_.empty() && sparse_.empty() && ids_.empty(); }

private:
    SecondaryMap<H, int> dense_{};
    SparseSecondaryMap<H, int> sparse_{};
    IdentityMap<PublicId, H> ids_{};
    std::map<typename H::bits_type, int> model_{};
    std::uint64_t last_ = 0;
};

} // namespace

TEST_CASE("maps follow an EntityIndex through random histories", "[map]") {
    using Id = Handle<struct Thing, HandleLayout{.index_bits = 27, .version_bits = 5, .user_bits = 0}>;
    using Index = EntityIndex<Id, Row>;
    std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u, 6u));
    Index index;
    std::vector<Index::Range> ranges{Index::Range(), index.add_range(1000, 9000)};
    Followers<Id> followers;
    followers.attach_to(index);
    std::vector<Id> made;
    const auto some = [&] { return made.empty() ? Id() : made[random() % made.size()]; };
    for (int step = 0; step != 3000; ++step) {
        switch (random() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
            made.push_back(index.create(ranges[random() % ranges.size()]));
            break;
        case 4:
            for (const Id id : index.create_n(random() % 5)) made.push_back(id);
            break;
        case 5:
        case 6:
            index.destroy(some());
            break;
        case 7:
            index.erase_reserved(some());
            break;
        case 8:
            index.fulfill(some());
            break;
        case 9:
            index.cancel(some());
            break;
        case 10: {
            const auto fresh = index.create_n(2);
            followers.put(fresh[0], step);
            followers.put(fresh[1], step);
            index.take_back(2);
            break;
        }
        case 11:
            index.make_alive(Id(static_cast<slot_t>(random() % 40), 1 + 2 * (random() % 4)));
            break;
        case 12:
            if (random() % 40 == 0) index.clear();
            break;
        case 13:
            if (random() % 40 == 0) {
                Index copy(index);
                index = copy; // the same ids, and yet all entries go
                followers.forget();
            }
            break;
        case 14:
            if (random() % 40 == 0) {
                index.restore(index.snapshot());
                followers.forget();
            } else if (random() % 40 == 0) {
                Index moved(std::move(index)), other;
                other.swap(moved);
                index = std::move(other);
            }
            break;
        default:
            if (step != 0 && random() % 100 == 0)
                ranges.push_back(
                    index.add_range(static_cast<slot_t>(10'000 * step), static_cast<slot_t>(10'000 * step + 9'000)));
        }
        if (const Id id = some(); index.is_alive(id)) followers.put(id, step);
        followers.check([&](Id id) { return index.is_alive(id); });
        if (step % 100 == 0) REQUIRE(index.check_invariants());
    }
    { const Index end(std::move(index)); }
    CHECK((followers.empty() && !followers.attached()));
}

TEST_CASE("maps that follow an EntityIndex follow it through allocators that differ", "[map]") {
    using Id = Handle<struct Thing>;
    std::pmr::monotonic_buffer_resource here, there;
    using Index = EntityIndex<Id, Row, AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
    Index a(&here), b(&there);
    static_cast<void>(a.add_range(100, 200));
    Followers<Id> of_a, of_b;
    of_a.attach_to(a);
    of_b.attach_to(b);
    const Id in_a = a.create(), in_b = b.create();
    of_a.put(in_a, 1);
    of_b.put(in_b, 2);
    a.swap(b);
    b.destroy(in_a);
    of_a.check([&](Id id) { return b.is_alive(id); });
    of_b.check([&](Id id) { return a.is_alive(id); });
    Index taken(&there);
    taken = std::move(a);
    taken.destroy(in_b);
    of_b.check([&](Id id) { return taken.is_alive(id); });
    b = std::move(taken); // the maps of b's old contents are emptied and detached
    CHECK((of_a.empty() && !of_a.attached() && of_b.attached()));
}

TEST_CASE("maps follow an ArchetypeStore through random histories", "[map][ecs]") {
    std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u, 6u));
    ArchetypeStore store;
    store.registry().add<Aside>({.sparse = true});
    const auto child_of = store.registry().add_relation("child of", {.on_target_despawn = OnTargetDespawn::despawn});
    const auto range = store.add_range(10'000, 20'000);
    CommandBuffer commands(store);
    Followers<Entity> followers;
    followers.attach_to(store);
    std::vector<Entity> made;
    const auto some = [&] { return made.empty() ? Entity() : made[random() % made.size()]; };
    int last_removed = 0;
    SecondaryMap<Entity, int> seen_by_hooks;
    seen_by_hooks.attach_to(store);
    store.on_remove<Number>([&](Entity entity, Number&) { last_removed += seen_by_hooks.value_or(entity, 0); });
    for (int step = 0; step != 2000; ++step) {
        switch (random() % 14) {
        case 0:
        case 1:
            made.push_back(store.spawn(Number{step}));
            break;
        case 2:
            made.push_back(store.spawn_in(range, Aside{step}));
            break;
        case 3:
            for (const Entity entity : store.spawn_n(3, Number{step}, Aside{})) made.push_back(entity);
            break;
        case 4:
        case 5:
            store.despawn(some());
            break;
        case 6:
            if (const Entity parent = some(); store.is_alive(parent)) store.relate(some(), child_of, parent);
            break;
        case 7:
            store.erase_reserved(some());
            break;
        case 8:
            store.fulfill(some(), Number{1});
            break;
        case 9:
            made.push_back(commands.spawn(Number{step}));
            break;
        case 10:
            commands.despawn(some());
            break;
        case 11:
            random() % 4 == 0 ? commands.clear() : static_cast<void>(store.apply(commands));
            break;
        case 12:
            if (random() % 60 == 0) store.clear();
            break;
        default:
            if (random() % 60 == 0) {
                commands.clear();
                store.restore(store.snapshot());
                followers.forget();
            } else if (random() % 60 == 0) {
                ArchetypeStore other(std::move(store));
                store = std::move(other);
            }
        }
        if (const Entity entity = some(); store.is_alive(entity)) {
            followers.put(entity, step);
            seen_by_hooks.insert_or_assign(entity, 1);
        }
        followers.check([&](Entity entity) { return store.is_alive(entity); });
    }
    CHECK((last_removed > 0 && store.check_invariants()));
    commands.clear();
    { const ArchetypeStore end(std::move(store)); }
    CHECK((followers.empty() && !followers.attached()));
}

TEST_CASE("an entry of an entity whose spawn fails goes with it", "[map][ecs]") {
    ArchetypeStore store;
    SecondaryMap<Entity, int> notes;
    notes.attach_to(store);
    const HookId hook = store.on_add<Number>([&](Entity entity, Number&) { notes.insert_or_assign(entity, 1); });
    const Entity kept = store.spawn(Number{});
    CHECK((notes.size() == 1 && notes.contains(kept)));
    store.off(hook);
    struct Throws {
        explicit Throws(SecondaryMap<Entity, int>& map, ArchetypeStore& of) : notes(&map), store(&of) {}
        Throws(Throws&& other) : notes(other.notes), store(other.store) {
            notes->insert_or_assign(store->entities().back(), 2);
            throw std::runtime_error("no");
        }
        SecondaryMap<Entity, int>* notes;
        ArchetypeStore* store;
    };
    CHECK_THROWS(store.spawn(Throws(notes, store)));
    CHECK((notes.size() == 1 && store.size() == 1));
    const Entity next = store.spawn(); // the id that was taken back
    CHECK(!notes.contains(next));
}

TEST_CASE("an entry of an id that a buffer gives back is not that of another entity", "[map][ecs]") {
    ArchetypeStore store;
    SecondaryMap<Entity, int> notes;
    notes.attach_to(store);
    for (int i = 0; i != 3; ++i) {
        CommandBuffer commands(store);
        const Entity taken = commands.spawn();
        notes.insert_or_assign(taken, i);
        if (i == 2) store.apply(commands);
        commands.clear();
        CHECK(notes.contains(store.spawn()) == false);
        CHECK(notes.contains(taken) == (i == 2));
    }
}

TEST_CASE("maps and columns follow a DataflowGraph through random histories", "[map][graph]") {
    using Graph = DataflowGraph<int, double>;
    using H = Graph::handle_type;
    std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u, 6u));
    Graph graph;
    Followers<H> followers;
    followers.attach_to(graph);
    struct Places : SlotObserver { // a column that is attached at run time
        void on_capacity(slot_t, slot_t slots) override { values.resize(slots); }
        void on_insert(slot_t slot, InsertKind) override { values[slot] = 0; }
        void on_erase(slot_t slot) noexcept override { values[slot] = -1; }
        void on_reset() noexcept override { values.clear(); }
        std::vector<int> values{};
    } places;
    const ObserverToken follows = graph.attach(places);
    std::vector<H> made;
    const auto some = [&] { return made.empty() ? H() : made[random() % made.size()]; };
    for (int step = 0; step != 2000; ++step) {
        switch (random() % 12) {
        case 0:
        case 1:
        case 2:
        case 3: {
            const H node = graph.add(step, 2, 1);
            CHECK(places.values.at(node.index()) == 0);
            made.push_back(node);
            break;
        }
        case 4:
        case 5:
            if (graph.contains(some()) && made.size() > 1) graph.connect(made[0], 0, made[1], 0);
            break;
        case 6:
        case 7:
            graph.erase(some());
            break;
        case 8:
            graph.erase_reserved(some());
            break;
        case 9:
            graph.fulfill(some(), step, 1, 1);
            break;
        case 10:
            if (random() % 40 == 0) graph.clear();
            break;
        default:
            if (random() % 20 == 0) {
                const Graph copy(graph);
                graph = copy;
                followers.forget();
            } else if (random() % 20 == 0) {
                graph.restore(graph.snapshot());
                followers.forget();
            } else if (random() % 20 == 0) {
                Graph moved(std::move(graph)), other;
                other.swap(moved);
                graph = std::move(other);
            }
        }
        if (const H node = some(); graph.contains(node)) {
            followers.put(node, step);
            places.values.at(node.index()) = step;
        }
        followers.check([&](H node) { return graph.contains(node); });
        if (step % 100 == 0) REQUIRE(graph.check_invariants());
    }
    { const Graph end(std::move(graph)); }
    CHECK((followers.empty() && !followers.attached()));
}

TEST_CASE("an observer that throws at a graph's new contents leaves an empty graph", "[map][graph]") {
    struct Refuses : SlotObserver {
        void on_insert(slot_t slot, InsertKind) override {
            if (slot == 1 && refuses) throw std::runtime_error("no");
        }
        bool refuses = false;
    };
    using Graph = DataflowGraph<int, double>;
    Graph graph;
    SecondaryMap<Graph::handle_type, int> notes;
    notes.attach_to(graph);
    Refuses observer;
    const auto a = graph.add(1, 0, 1), b = graph.add(2, 1, 1);
    graph.connect(a, 0, b, 0);
    notes.emplace(a, 1);
    const ObserverToken token = graph.attach(observer);
    observer.refuses = true;
    const auto bytes = graph.snapshot();
    CHECK_THROWS(graph.restore(bytes));
    CHECK((graph.empty() && graph.links() == 0 && graph.pins() == 0 && notes.empty() && graph.check_invariants()));
    observer.refuses = false;
    graph.restore(bytes);
    CHECK((graph.size() == 2 && graph.links() == 1 && notes.attached() && graph.check_invariants()));
}

TEST_CASE("attach_to: an entry's destructor may read the owner, and must not change it", "[map][ecs][death]") {
    ArchetypeStore store;
    struct Reads {
        const ArchetypeStore* store;
        std::size_t* seen;
        ~Reads() {
            if (store != nullptr) *seen = store->size();
        }
        Reads(const ArchetypeStore& of, std::size_t& to) : store(&of), seen(&to) {}
        Reads(Reads&& other) noexcept : store(std::exchange(other.store, nullptr)), seen(other.seen) {}
        Reads& operator=(Reads&&) = delete;
    };
    std::size_t seen = 99;
    SparseSecondaryMap<Entity, std::unique_ptr<Reads>> notes;
    notes.attach_to(store);
    const Entity entity = store.spawn(Number{});
    notes.emplace(entity, std::make_unique<Reads>(store, seen));
    store.despawn(entity);
    CHECK(seen <= 1);
    struct Spawns {
        ArchetypeStore* store;
        ~Spawns() {
            if (store != nullptr) store->spawn(Number{});
        }
    };
    SparseSecondaryMap<Entity, std::unique_ptr<Spawns>> bad;
    bad.attach_to(store);
    const Entity other = store.spawn(Number{});
    bad.emplace(other, new Spawns{&store});
    CHECK(test::dies_saying("changes the", [&] { store.despawn(other); }));
    bad.at(other)->store = nullptr;
}
