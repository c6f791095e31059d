// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// memory_usage() of every container, against the operator new of this program: the same bytes after each operation.
#include "properties/containers.hpp"

#include "support/catch.hpp"
#include "support/heap_cap.hpp" // capped_new.hpp is in memory_exhausted.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
using namespace test::every;

/// Bytes of the system that a container may hold beside those of the heap.
template <class C>
constexpr bool commits() {
#if SLOTWISE_VIRTUAL_MEMORY
    if constexpr (requires { C::options.growth; }) return C::options.growth == Growth::reserve;
#endif
    return false;
}

/// Notes what is wrong in memory of its own: an assertion would take some of the heap.
class Books {
public:
    /// Whether these containers hold all that was taken since.
    template <class... Cs>
    void balance(const char* after, const Cs&... containers) {
        const std::size_t out = test::HeapCap::out() - before_, said = (std::size_t{0} + ... + containers.memory_usage());
        bool right = said == out;
#if SLOTWISE_VIRTUAL_MEMORY
        if constexpr ((commits<Cs>() || ...)) {
            const std::size_t grain = std::size_t{1} << 16; // what the library commits at a time
            right = said >= out && (said - out) % grain == 0;
            const bool any = ((containers.capacity() != 0) || ...);
            right = right && (said != out) == any;
        }
#endif
        ++balances;
        if (right || wrong_[0] != 0) return;
        std::snprintf(wrong_, sizeof wrong_, "after %s: %zu bytes said, %zu bytes out", after, said, out);
    }
    const char* wrong() const noexcept { return wrong_; }
    static inline std::size_t balances = 0;

private:
    std::size_t before_ = test::HeapCap::out();
    char wrong_[200] = {};
};

struct SaysWhatItHolds {
    template <class Entry, class C>
    static void run() {
        using Name = decltype(Entry::insert(std::declval<C&>(), 0));
        std::vector<Name> names;
        names.reserve(3000);
        {
            C warm = made<C>(); // what is made once in a program
            static_cast<void>(Entry::insert(warm, 0));
        }
        Books books;
        {
            C c = made<C>();
            books.balance("construction", c);
            for (int n = 0; n != 3000; ++n) {
                names.push_back(Entry::insert(c, n));
                if (n < 70 || n % 500 == 0) books.balance("an insert", c);
            }
            if constexpr (requires { Entry::erase(c, names[0]); }) {
                for (std::size_t n = 0; n < 3000; n += 3) static_cast<void>(Entry::erase(c, names[n]));
                books.balance("erasing a third", c);
                for (std::size_t n = 2000; n != 3000; ++n)
                    if (n % 3 != 0) static_cast<void>(Entry::erase(c, names[n]));
                books.balance("erasing the last third", c);
            }
            shrinks(books, c);
            copies(books, c);
            moves(books, c);
            for (int n = 3000; n != 3200; ++n) static_cast<void>(Entry::insert(c, n));
            books.balance("inserts into what was moved from", c);
            if constexpr (requires { Entry::clear(c); }) {
                Entry::clear(c);
                books.balance("clear", c);
                shrinks(books, c);
                static_cast<void>(Entry::insert(c, 1));
                books.balance("an insert after clear", c);
            }
        }
        books.balance("destruction");
        INFO(std::source_location::current().function_name());
        CHECK(std::string(books.wrong()) == "");
    }
    template <class C>
    static void shrinks(Books& books, C& c) {
        if constexpr (requires { c.shrink_to_fit(); }) {
            c.shrink_to_fit();
            books.balance("shrink_to_fit", c);
        }
    }
    template <class C>
    static void copies(Books& books, C& c) {
        if constexpr (std::is_copy_constructible_v<C>) {
            C copy(c);
            books.balance("a copy", c, copy);
            if constexpr (std::is_copy_assignable_v<C>) {
                C assigned = made<C>();
                assigned = c;
                books.balance("copy assignment", c, copy, assigned);
            }
        }
    }
    template <class C>
    static void moves(Books& books, C& c) {
        if constexpr (std::is_move_constructible_v<C> && std::is_move_assignable_v<C>) {
            C moved(std::move(c));
            books.balance("a move", c, moved); // NOLINT(bugprone-use-after-move): it says what it still has
            c = made<C>();
            books.balance("an assignment to what was moved from", c, moved);
        }
    }
};

struct Wide {
    std::byte bytes[20'001]; // a page is one of them, and no whole number of cache lines
};
struct alignas(128) Aligned {
    int number = 0;
};

struct Nobody final : SlotObserver {};
struct NoRow final : RowObserver {};
/// A static observer that does not say what it holds, and holds nothing.
struct Silent {
    void on_erase(slot_t) noexcept {}
};
using Graph = slotwise::DataflowGraph<int, int>;
struct NoOutput final : Graph::subscriber {
    void on_output(Graph::handle_type, slot_t, const int&) noexcept override {}
};
struct Unheard final : SeriesSubscriber<std::int64_t> {
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
};

} // namespace

TEST_CASE("every container says by memory_usage() exactly the bytes that it holds", "[properties][sizes]") {
    CHECK(for_each_container<SaysWhatItHolds>() >= 40);
    CHECK(Books::balances > 40 * 80);
}

TEST_CASE("memory_usage() counts the lists of attached observers and subscribers", "[properties][sizes]") {
    Nobody observers[9];
    Unheard subscribers[9];
    std::vector<ObserverToken> tokens;
    std::vector<Subscription<>> subscriptions;
    tokens.reserve(9);
    subscriptions.reserve(27);
    Books books;
    {
        slotwise::SlotMap<int> map;
        for (Nobody& each : observers) {
            tokens.push_back(map.attach(each));
            books.balance("attach", map);
        }
        tokens.clear();
        books.balance("detach", map);
        slotwise::TSDStorage<int, int> dict;
        dict.write(1).set(1, 1);
        for (Unheard& each : subscribers) {
            subscriptions.push_back(dict.subscribe(each));
            subscriptions.push_back(dict.subscribe(2, each));
            subscriptions.push_back(dict.subscribe_slot(0, each));
            books.balance("subscribe", map, dict);
        }
        books.balance("subscriptions", map, dict);
        subscriptions.clear();
        books.balance("their end", map, dict);
    }
    CHECK(std::string(books.wrong()) == "");
}

TEST_CASE("memory_usage() counts who follows rows and outputs, and ranges of entities", "[properties][sizes]") {
    NoRow rows[9];
    NoOutput outputs[9];
    std::vector<RowToken> tokens;
    std::vector<Graph::subscription> subscriptions;
    tokens.reserve(18);
    subscriptions.reserve(9);
    Books books;
    {
        slotwise::SparseMap<std::uint32_t, Silent> tags; // of an empty type: no memory for values
        slotwise::EntityIndex<Entity, EntityLocation> entities;
        slotwise::SlotMap<int, Silent> map;
        Graph graph;
        const auto node = graph.add(1, 0, 20);
        for (std::uint32_t n = 0; n != 9; ++n) {
            tags.try_emplace(n);
            map.insert(1);
            const auto range = entities.add_range(1000 * n + 1000, 1000 * n + 1500);
            entities.create(range);
            tokens.push_back(tags.attach(rows[n]));
            tokens.push_back(entities.attach(rows[n], range));
            subscriptions.push_back(graph.subscribe(node, n / 2, outputs[n]));
            books.balance("attach", tags, entities, map, graph);
        }
        tokens.clear();
        subscriptions.clear();
        books.balance("detach", tags, entities, map, graph);
    }
    CHECK(std::string(books.wrong()) == "");
}

TEST_CASE("memory_usage() of elements larger than a page, or of an alignment of their own", "[properties][sizes]") {
    Books books;
    {
        slotwise::SlotMap<Wide> wide;
        slotwise::SlotMap<Aligned> aligned;
        slotwise::DenseSlotMap<Aligned> dense;
        slotwise::BasicAnySlotMap<> described(TypeDescriptor::of<Aligned>());
        slotwise::SecondaryMap<entry::SomeHandle, Aligned> far;
        slotwise::SparseSet<std::uint32_t> ids;
        const Aligned value;
        for (std::uint32_t n = 0; n != 150; ++n) {
            wide.emplace();
            aligned.emplace();
            dense.emplace();
            described.insert(&value);
            far.try_emplace(entry::SomeHandle(n << 20, 1));
            ids.insert(n << 20);
            books.balance("an insert", wide, aligned, dense, described, far, ids);
        }
        wide.erase_if([](const Wide&) { return true; });
        wide.shrink_to_fit();
        far.clear();
        ids.clear();
        ids.shrink_to_fit();
        books.balance("erasing", wide, aligned, dense, described, far, ids);
    }
    CHECK(std::string(books.wrong()) == "");
}

TEST_CASE("memory_usage() of indexes, columns and queues is what they hold", "[properties][sizes]") {
    Books books;
    {
        HashIndex<std::allocator<std::byte>> index;
        slotwise::ValueArray<std::string> values;
        slotwise::TimeArray<std::int64_t> times;
        slotwise::ObserverArray<int> observers;
        BitColumn bits;
        TickColumn ticks;
        SoaStruct<&std::pair<int, char>::first, &std::pair<int, char>::second> members;
        slotwise::EventQueue<int> events;
        slotwise::ComponentRegistry components;
        books.balance("construction", index, values, times, observers, bits, ticks, members, events, components);
        index.reserve(100, [](auto&&) {});
        values.on_capacity(0, 1000);
        times.on_capacity(0, 1000);
        observers.cover(1000);
        for (std::uint32_t n = 0; n != 200; ++n) {
            bits.push_back(true);
            ticks.push_back(1);
            members.push_back({1, 'a'});
            events.push(1);
            if (n % 50 == 0) events.update();
            components.add_tag(std::string(n, 'x') + "a component");
            books.balance("an insert", index, values, times, observers, bits, ticks, members, events, components);
        }
        events.clear();
        events.shrink_to_fit();
        ticks.clear();
        ticks.shrink_to_fit();
        books.balance("shrinking", index, values, times, observers, bits, ticks, members, events, components);
    }
    CHECK(std::string(books.wrong()) == "");
}

TEST_CASE("memory_usage() of a store counts relations, what is outside tables, hooks, queries and what commands left",
          "[properties][sizes]") {
    struct Seen {
        int weight = 0;
    };
    struct Apart {
        double value = 0;
    };
    Books books;
    {
        slotwise::ArchetypeStore store;
        store.registry().add<Seen>({.toggle = true, .tracked = true});
        store.registry().add<Apart>({.sparse = true});
        const ComponentId likes = store.registry().add_relation("likes"),
                          state = store.registry().add_relation("state", {.exclusive = true, .switched = true}),
                          apart = store.registry().add_relation("apart", {.sparse = true}),
                          owes = store.registry().add_relation("owes", slotwise::TypeDescriptor::of<int>(), {.sparse = true});
        slotwise::CommandBuffer buffer(store), unused(store);
        books.balance("construction", store, buffer, unused);
        std::array<Entity, 300> entities{};
        for (std::size_t n = 0; n != entities.size(); ++n) {
            entities[n] = store.spawn(Seen{1});
            if (n % 3 == 0) store.add(entities[n], Apart{2});
            if (n % 5 == 0) store.relate(entities[n], likes, entities[n / 2]);
            if (n % 7 == 0) store.relate(entities[n], state, entities[n / 2]);
            if (n % 4 == 0) store.relate(entities[n], apart, entities[n / 2]);
            if (n % 6 == 0) store.relate(entities[n], owes, entities[n / 3]);
            if (n % 11 == 0) store.disable<Seen>(entities[n]);
            books.balance("a change", store, buffer, unused);
        }
        const auto hook = store.on_add<Apart>([big = std::array<char, 100>()](auto&&...) { static_cast<void>(big); });
        books.balance("a hook", store, buffer, unused);
        store.query<const Seen>().warm();
        books.balance("a query", store, buffer, unused);
        for (std::size_t n = 0; n != entities.size(); n += 2) {
            static_cast<void>(buffer.spawn());
            buffer.add(entities[n], Apart{3});
            buffer.set(entities[n], Seen{4});
            if (n % 4 == 0) buffer.despawn(entities[n + 1]);
            books.balance("a command", store, buffer, unused);
        }
        static_cast<void>(store.apply(buffer));
        books.balance("apply", store, buffer, unused);
        static_cast<void>(unused.spawn());
        unused.clear();
        books.balance("ids that were given back", store, buffer, unused);
        store.off(hook);
        store.clear();
        books.balance("clear", store, buffer, unused);
    }
    CHECK(std::string(books.wrong()) == "");
}
