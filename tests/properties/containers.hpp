// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every class of fwd.hpp, by name, for tests that must hold for all containers. CMake writes the list of names from fwd.hpp
// itself:
//     for_each_container<MyTest>();    // MyTest::run<Entry, C>(), for each container and each set of its options
// A class that has no entry here is a compile error, so a new container enters every property test, or says here why it is
// none. A test that does not fit a container says so beside itself: it is then an entry of that test's own, and not a hole of
// this file.
#ifndef SLOTWISE_TESTS_PROPERTIES_CONTAINERS_HPP
#define SLOTWISE_TESTS_PROPERTIES_CONTAINERS_HPP

#include <slotwise/slotwise.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace test::every {

using namespace slotwise;

//=== verbs: elements are made of a number n, each number at most once; `name` finds the element again ===//

/// The container makes the key.
struct SlotMapVerbs {
    static constexpr bool is_container = true, names_slots = true;
    static constexpr std::size_t most_bytes = 96; ///< an element takes, while the container grows; a series dictionary's does
    template <class C>
    static auto insert(C& c, int n) {
        if constexpr (requires { c.emplace(n, n); })
            return c.emplace(n, n);
        else
            return c.emplace(n);
    }
    template <class C, class Name>
    static bool erase(C& c, Name name) {
        return c.erase(name);
    }
    template <class C, class Name>
    static bool contains(const C& c, Name name) {
        return c.contains(name);
    }
    template <class C>
    static void clear(C& c) {
        c.clear();
    }
};

/// There are no elements: the handle is all.
struct PoolVerbs : SlotMapVerbs {
    template <class C>
    static auto insert(C& c, int) {
        return c.create();
    }
};

/// The user brings the key, which is n. A name is a handle.
struct KeyedVerbs : SlotMapVerbs {
    template <class C>
    static auto insert(C& c, int n) {
        if constexpr (requires { c.insert(n, n); })
            return c.insert(n, n).it.handle();
        else
            return c.insert(n).it.handle();
    }
};

/// Keys and values are described at run time.
struct DescribedVerbs : SlotMapVerbs {
    template <class C>
    static auto insert(C& c, int n) {
        if constexpr (requires { c.insert(&n, &n); })
            c.insert(&n, &n);
        else
            c.insert(&n);
        return c.handle_at(c.slot_of(&n));
    }
    template <class C>
    static bool erase(C& c, typename C::handle_type name) {
        return c.contains(name) && c.erase(c.key(name.index()));
    }
};

/// Elements are described, and the container makes the key.
struct DescribedSlotMapVerbs : DescribedVerbs {
    template <class C>
    static auto insert(C& c, int n) {
        return c.insert(&n);
    }
    template <class C>
    static bool erase(C& c, typename C::handle_type name) {
        return c.erase(name);
    }
};

/// Keyed storage over time: everything happens in the open window.
struct SeriesVerbs : SlotMapVerbs {
    template <class C>
    static auto writer(C& c) {
        return c.write(c.window() == C::never ? 1 : c.window());
    }
    template <class C>
    static auto insert(C& c, int n) {
        auto w = writer(c);
        if constexpr (requires { w.set(n, n); })
            w.set(n, n);
        else
            w.add(n);
        return c.handle_of(n);
    }
    template <class C>
    static bool erase(C& c, typename C::handle_type name) {
        if (!c.contains(name)) return false;
        const auto key = c.key(name.index());
        return static_cast<bool>(writer(c).remove(key));
    }
    template <class C>
    static void clear(C& c) {
        writer(c).clear();
    }
};

/// The same of described types.
struct DescribedSeriesVerbs : SeriesVerbs {
    template <class C>
    static auto insert(C& c, int n) {
        auto w = writer(c);
        if constexpr (requires { c.value_type(); })
            w.set(&n, &n);
        else
            w.add(&n);
        return c.handle_of(&n);
    }
};

/// The user brings a handle: here one of slot n.
struct SecondaryVerbs : SlotMapVerbs {
    template <class C>
    static auto insert(C& c, int n) {
        const typename C::handle_type name(static_cast<slot_t>(n), 1);
        c.try_emplace(name, n);
        return name;
    }
};

/// Public ids outside, handles inside: the id is n, the handle one of slot n.
struct IdentityVerbs : SlotMapVerbs {
    template <class C>
    static auto insert(C& c, int n) {
        const typename C::handle_type name(static_cast<slot_t>(n), 1);
        c.insert(n, name);
        return name;
    }
};

/// The user brings an id, a handle or a number: n. Values, where there are any, are made of n too.
struct IdVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    template <class C>
    static auto insert(C& c, int n) {
        const auto id = id_of<typename C::id_type>(n);
        if constexpr (requires { c.try_emplace(id, n); })
            c.try_emplace(id, n);
        else if constexpr (requires { c.set(id, n); })
            c.set(id, n % 16); // each value has several ids
        else
            c.insert(id);
        return id;
    }
    template <class Id>
    static Id id_of(int n) {
        if constexpr (AnyHandle<Id>)
            return Id(static_cast<slot_t>(n), 1);
        else
            return static_cast<Id>(n);
    }
};

/// The container makes the id, which lives somewhere.
struct EntityVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    template <class C>
    static auto insert(C& c, int n) {
        const auto id = c.create();
        *c.location(id) = n;
        return id;
    }
    template <class C>
    static bool erase(C& c, typename C::id_type name) {
        return c.destroy(name);
    }
    template <class C>
    static bool contains(const C& c, typename C::id_type name) {
        return c.is_alive(name);
    }
};

/// Rows change places, so that a row is no name. What is asked for is the number itself, by a walk.
struct RowVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    template <class C>
    static int insert(C& c, int n) {
        if constexpr (requires { c.push_back(n, n); })
            c.push_back(n, n);
        else
            c.push_back({AnyValue::of(n), AnyValue::of(n)});
        return n;
    }
    template <class C>
    static std::size_t find(const C& c, int n) {
        std::size_t row = 0;
        while (row != c.size() && number(c, row) != n) ++row;
        return row;
    }
    template <class C>
    static int number(const C& c, std::size_t row) {
        if constexpr (requires { c.template column<0>(); })
            return c.template column<0>()[row];
        else
            return c.column(0).template as<int>()[row];
    }
    template <class C>
    static bool erase(C& c, int n) {
        const std::size_t row = find(c, n);
        if (row == c.size()) return false;
        c.swap_erase(row);
        return true;
    }
    template <class C>
    static bool contains(const C& c, int n) {
        return find(c, n) != c.size();
    }
};

/// The user brings a source and a target: n, and one of 16, in one of three relations.
struct RelationVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    template <class C>
    static int insert(C& c, int n) {
        c.insert(n, n % 3, n % 16);
        return n;
    }
    template <class C>
    static bool erase(C& c, int n) {
        return c.erase(n, n % 3, n % 16);
    }
    template <class C>
    static bool contains(const C& c, int n) {
        return c.contains(n, n % 3, n % 16);
    }
};

/// The user brings a set of ids: n, and some of four more.
struct GraphVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    static constexpr std::size_t most_bytes = 256; // a node with its ids, its edges and its place in a pool
    template <class C>
    static auto insert(C& c, int n) {
        return c.insert(std::array{n, -1 - n % 2, -3 - n % 4}, [&](auto, auto) { return n; });
    }
};

/// Rows of entities, which the user brings. What is asked for is the entity, by a walk.
struct TableVerbs : RowVerbs {
    template <class C>
    static Entity insert(C& c, int n) {
        const Entity entity(static_cast<slot_t>(n), 1);
        c.push_back(entity, 1, [&](std::size_t, void* to) { ::new (to) int(n); });
        return entity;
    }
    template <class C>
    static std::size_t find(const C& c, Entity entity) {
        std::size_t row = 0;
        while (row != c.size() && c.entities()[row] != entity) ++row;
        return row;
    }
    template <class C>
    static bool erase(C& c, Entity entity) {
        const std::size_t row = find(c, entity);
        return row != c.size() && (c.swap_erase(row), true);
    }
    template <class C>
    static bool contains(const C& c, Entity entity) {
        return find(c, entity) != c.size();
    }
};

/// The user brings a table, which is named by n, and its ids.
struct IndexVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    static constexpr std::size_t most_bytes = 512; // a table and three ids, each of which has a list of tables
    template <class C>
    static int insert(C& c, int n) {
        c.insert(n, std::array{n % 7, 7 + n % 64}, [](slot_t place) { return static_cast<std::int32_t>(place); });
        return n;
    }
};

/// The store makes the entity, which gets a component, and every second one another.
struct StoreVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    template <class C>
    static Entity insert(C& c, int n) {
        return n % 2 == 0 ? c.spawn(n) : c.spawn(n, static_cast<std::uint8_t>(n));
    }
    template <class C>
    static bool erase(C& c, Entity entity) {
        return c.despawn(entity);
    }
    template <class C>
    static bool contains(const C& c, Entity entity) {
        return c.is_alive(entity);
    }
};

/// The graph makes the handle of a node, which is n, and reads the node before it, if there is one.
struct DataflowVerbs : SlotMapVerbs {
    static constexpr bool names_slots = false;
    static constexpr std::size_t most_bytes = 512; // a node of two inputs and an output, each with its value and marks
    template <class C>
    static auto insert(C& c, int n) {
        const auto node = c.add(n, 2, 1);
        if (const auto before = c.handle_at(node.index() == 0 ? 0 : node.index() - 1); before != node && !before.is_null())
            static_cast<void>(c.connect(before, 0, node, 0));
        return node;
    }
};

//=== what is no container says why ===//

/// A part of containers, which the tests of its own header know.
struct Part {
    static constexpr bool is_container = false;
};
/// A column that follows a container; see columns() and the tests of observers.
struct ColumnPart : Part {};
/// Reads a container, and owns nothing.
struct View : Part {};

//=== the entries: one a class of fwd.hpp. C is a container of int; made() is one that is empty. ===//

template <class C>
C made() {
    if constexpr (requires(C& c) { c.column_count(); } && !std::is_base_of_v<Table, C>)
        return C{&TypeDescriptor::of<int>(), &TypeDescriptor::of<int>()};
    else if constexpr (std::is_same_v<C, slotwise::ArchetypeStore>) {
        ComponentRegistry components; // those of StoreVerbs: a snapshot names them
        components.id<int>();
        components.id<std::uint8_t>();
        return C(std::move(components));
    } else if constexpr (std::is_default_constructible_v<C>)
        return C();
    else if constexpr (requires { C(TypeDescriptor::of<int>(), TypeDescriptor::of<int>()); })
        return C(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    else
        return C(TypeDescriptor::of<int>());
}

namespace inner {
/// Calls f.template operator()<C>() for each of Cs.
template <class... Cs>
struct List {
    template <class F>
    static void each(F&& f) {
        (f.template operator()<Cs>(), ...);
    }
    /// The first, third, fifth, or the others.
    template <bool First, class F>
    static void each_second(F&& f) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            const auto one = [&]<std::size_t Number, class C>() {
                if constexpr ((Number % 2 == 0) == First) f.template operator()<C>();
            };
            (one.template operator()<I, Cs>(), ...);
        }(std::index_sequence_for<Cs...>());
    }
};

// Default; the shortest versions there are, wrapping and retiring; the other policies, no slot 0, null of ones; another way to
// grow; small pages whose vacant slots are zero; versions that other threads read, of a pool the last one.
inline constexpr SlotMapOptions slot_map_options[] = {
    {},
    {.handle = {12, 4, 0}},
    {.handle = {12, 4, 0}, .exhaustion = Exhaustion::wrap},
    {.reuse = Reuse::lifo, .first_slot = 1},
    {.handle = {12, 3, 1, true, true}, .reuse = Reuse::fifo},
    {.growth = SLOTWISE_VIRTUAL_MEMORY ? Growth::reserve : Growth::pages, .max_slots = 4096},
    {.page_slots = 64, .zero_vacant = true, .atomic_versions = true},
    {.handle = {12, 4, 0}, .reuse = Reuse::fifo, .atomic_versions = true},
};
template <class T>
using EachSlotMap = List<
    slotwise::SlotMap<T, slotwise::Options<slot_map_options[0]>>, slotwise::SlotMap<T, slotwise::Options<slot_map_options[1]>>,
    slotwise::SlotMap<T, slotwise::Options<slot_map_options[2]>>, slotwise::SlotMap<T, slotwise::Options<slot_map_options[3]>>,
    slotwise::SlotMap<T, slotwise::Options<slot_map_options[4]>>, slotwise::SlotMap<T, slotwise::Options<slot_map_options[5]>>,
    slotwise::SlotMap<T, slotwise::Options<slot_map_options[6]>>>;
template <class T> // packed: there is one way to grow
using EachDense = List<slotwise::DenseSlotMap<T, slotwise::Options<slot_map_options[0]>>,
                       slotwise::DenseSlotMap<T, slotwise::Options<slot_map_options[1]>>,
                       slotwise::DenseSlotMap<T, slotwise::Options<slot_map_options[2]>>,
                       slotwise::DenseSlotMap<T, slotwise::Options<slot_map_options[3]>>,
                       slotwise::DenseSlotMap<T, slotwise::Options<slot_map_options[4]>>>;
template <class T>
using EachSoa = List<
    BasicSoaSlotMap<Members<T, T>, Options<slot_map_options[0]>>, BasicSoaSlotMap<Members<T, T>, Options<slot_map_options[1]>>,
    BasicSoaSlotMap<Members<T, T>, Options<slot_map_options[2]>>, BasicSoaSlotMap<Members<T, T>, Options<slot_map_options[3]>>,
    BasicSoaSlotMap<Members<T, T>, Options<slot_map_options[4]>>>;

template <class T>
using EachPool = List<slotwise::HandlePool<T, slotwise::Options<slot_map_options[0]>>,
                      slotwise::HandlePool<T, slotwise::Options<slot_map_options[1]>>,
                      slotwise::HandlePool<T, slotwise::Options<slot_map_options[2]>>,
                      slotwise::HandlePool<T, slotwise::Options<slot_map_options[3]>>,
                      slotwise::HandlePool<T, slotwise::Options<slot_map_options[4]>>,
                      slotwise::HandlePool<T, slotwise::Options<slot_map_options[7]>>>;

inline constexpr KeySetOptions key_set_options[] = {
    {},
    {.deferred_erase = true},
    {.handle = {12, 4, 0}, .growth = SLOTWISE_VIRTUAL_MEMORY ? Growth::reserve : Growth::pages},
    {.deferred_erase = true, .exhaustion = Exhaustion::wrap, .handle = {12, 4, 0}},
    {.deferred_erase = true, .reuse = Reuse::fifo, .page_slots = 64, .handle = {12, 3, 1, true, true}},
};
template <template <class...> class Set>
using EachSet =
    List<Set<int, Options<key_set_options[0]>>, Set<int, Options<key_set_options[1]>>, Set<int, Options<key_set_options[2]>>,
         Set<int, Options<key_set_options[3]>>, Set<int, Options<key_set_options[4]>>>;
template <KeySetOptions O>
using MapOf = MapStorage<int, int, Options<O>>;
template <template <class...> class Any>
using EachAny = List<Any<Options<key_set_options[0]>>, Any<Options<key_set_options[1]>>, Any<Options<key_set_options[4]>>>;

inline constexpr SeriesOptions series_options[] = {
    {},
    {.delta = DeltaRepresentation::bitmap, .handle = {12, 4, 0}},
    {.delta = DeltaRepresentation::dirty_list, .exhaustion = Exhaustion::wrap, .handle = {12, 3, 1, true, true}},
    {.handle = {12, 4, 0}, .growth = SLOTWISE_VIRTUAL_MEMORY ? Growth::reserve : Growth::pages},
};
using NarrowHandle = slotwise::Handle<struct SomeElement, HandleLayout{12, 4, 0}>;
using DenseHandle = slotwise::Handle<struct SomeElement, HandleLayout{12, 4, 0, true, true}>;
template <SeriesOptions O>
using TimeSetOf = TSSStorage<int, Options<O>>;
template <SeriesOptions O>
using TimeDictOf = TSDStorage<int, int, Options<O>>;

template <template <class...> class Any>
using EachAnySeries = List<Any<Options<series_options[0]>>, Any<Options<series_options[1]>>, Any<Options<series_options[2]>>>;

/// A table of a component that has all that a row can have beside its value.
class TableOfInts : public Table {
public:
    TableOfInts() : TableOfInts(ComponentRegistry()) {}

private:
    explicit TableOfInts(ComponentRegistry&& registry)
        : Table(registry, std::array{registry.add<int>({.toggle = true, .tracked = true})}) {}
};
} // namespace inner

namespace entry {

struct SlotMap : SlotMapVerbs, inner::EachSlotMap<int> {};
struct DenseSlotMap : SlotMapVerbs, inner::EachDense<int> {};
struct BasicSoaSlotMap : SlotMapVerbs, inner::EachSoa<int> {};
struct HandlePool : PoolVerbs, inner::EachPool<struct Pooled> {};
struct BasicAnySlotMap
    : DescribedSlotMapVerbs,
      inner::List<slotwise::BasicAnySlotMap<slotwise::Options<inner::slot_map_options[0]>>,
                  slotwise::BasicAnySlotMap<slotwise::Options<SlotMapOptions{.handle = {12, 4, 0}, .reuse = Reuse::fifo}>>> {};
struct SetStorage : KeyedVerbs, inner::EachSet<slotwise::SetStorage> {};
struct MapStorage : KeyedVerbs,
                    inner::List<inner::MapOf<inner::key_set_options[0]>, inner::MapOf<inner::key_set_options[1]>,
                                inner::MapOf<inner::key_set_options[2]>, inner::MapOf<inner::key_set_options[3]>,
                                inner::MapOf<inner::key_set_options[4]>> {};
struct BasicAnySetStorage : DescribedVerbs, inner::EachAny<slotwise::BasicAnySetStorage> {};
struct BasicAnyMapStorage : DescribedVerbs, inner::EachAny<slotwise::BasicAnyMapStorage> {};
struct TSSStorage : SeriesVerbs,
                    inner::List<inner::TimeSetOf<inner::series_options[0]>, inner::TimeSetOf<inner::series_options[1]>,
                                inner::TimeSetOf<inner::series_options[2]>, inner::TimeSetOf<inner::series_options[3]>> {};
struct TSDStorage : SeriesVerbs,
                    inner::List<inner::TimeDictOf<inner::series_options[0]>, inner::TimeDictOf<inner::series_options[1]>,
                                inner::TimeDictOf<inner::series_options[2]>, inner::TimeDictOf<inner::series_options[3]>> {};
struct BasicAnyTSSStorage : DescribedSeriesVerbs, inner::EachAnySeries<slotwise::BasicAnyTSSStorage> {};
struct BasicAnyTSDStorage : DescribedSeriesVerbs, inner::EachAnySeries<slotwise::BasicAnyTSDStorage> {};
// Names of slots 0 to 4095, as the containers above give them.
using SomeHandle = slotwise::Handle<struct SomeElement>;
struct SecondaryMap : SecondaryVerbs,
                      inner::List<slotwise::SecondaryMap<SomeHandle, int>, slotwise::SecondaryMap<inner::DenseHandle, int>> {
    static constexpr bool names_slots = false;
};
struct SparseSecondaryMap
    : SecondaryVerbs,
      inner::List<slotwise::SparseSecondaryMap<SomeHandle, int>, slotwise::SparseSecondaryMap<inner::DenseHandle, int>> {
    static constexpr bool names_slots = false;
};
struct IndexMap : IdVerbs, inner::List<slotwise::IndexMap<int>> {};
struct IdentityMap : IdentityVerbs,
                     inner::List<slotwise::IdentityMap<int, SomeHandle>, slotwise::IdentityMap<int, inner::DenseHandle>> {
    static constexpr bool names_slots = false;
};

struct EntityIndex : EntityVerbs,
                     inner::List<slotwise::EntityIndex<SomeHandle, int>, slotwise::EntityIndex<inner::NarrowHandle, int>,
                                 slotwise::EntityIndex<inner::DenseHandle, int>> {};

struct SparseSet : IdVerbs,
                   inner::List<slotwise::SparseSet<SomeHandle>, slotwise::SparseSet<inner::DenseHandle>,
                               slotwise::SparseSet<std::uint32_t>> {};
struct SparseMap : IdVerbs, inner::List<slotwise::SparseMap<SomeHandle, int>, slotwise::SparseMap<std::uint32_t, int>> {};

struct SwitchMap : IdVerbs, inner::List<slotwise::SwitchMap<SomeHandle, int>, slotwise::SwitchMap<std::uint32_t, int>> {};

struct BasicSoaVector : RowVerbs, inner::List<slotwise::SoaVector<int, int>> {};
struct BasicAnyRows : RowVerbs, inner::List<slotwise::AnyRows> {};

struct RelationMap
    : RelationVerbs,
      inner::List<slotwise::RelationMap<int, int, int>,
                  slotwise::RelationMap<int, int, int, slotwise::Options<RelationMapOptions{.exclusive = true}>>> {};
struct Table : TableVerbs, inner::List<inner::TableOfInts> {};
struct ArchetypeGraph : GraphVerbs, inner::List<slotwise::ArchetypeGraph<int, int>> {};
struct ComponentIndex : IndexVerbs, inner::List<slotwise::ComponentIndex<int, int>> {};
struct ArchetypeStore : StoreVerbs, inner::List<slotwise::ArchetypeStore> {};

struct DataflowGraph : DataflowVerbs, inner::List<slotwise::DataflowGraph<int, int>> {};

struct Handle : Part {};
struct Versioned : Part {};
struct Occupancy : Part {};
struct SlotObserver : Part {};
struct SlotRange : Part {};
struct RowObserver : Part {};
struct SparseGroup : View {};
struct BasicObserverToken : Part {};
struct HashIndex : Part {};
struct PortableHashIndex : Part {};
struct GroupIndex : Part {};
struct SeriesSubscriber : Part {};
struct RowRef : Part {};
struct BasicSoaStruct : Part {}; // is a SoaVector; see tests/rows
// A column a row of other containers, without elements that have names; see tests/rows.
struct BasicBitColumn : Part {};
struct BasicTickColumn : Part {};
struct AnyValue : Part {};
struct DescribedValue : Part {};
struct AnyCodec : Part {};
struct BasicAnySpan : View {};
struct BasicAnyColumnView : View {};
// Components are never erased: their ids are for ever.
struct ComponentId : Part {};
struct ComponentRegistry : Part {};
struct ColumnMapping : Part {};
struct EntityLocation : Part {};
struct EntityBuilder : Part {};
struct ExtractedEntity : Part {};
struct ComponentAccessor : View {};
struct HookId : Part {};
struct HookToken : Part {};
struct QueryAccess : Part {};
struct ComponentSelection : Part {};
struct InsertedEntities : Part {};
// Commands for a store: nobody asks for one of them again.
struct CommandBuffer : Part {};
struct Query : View {};
struct BasicPairMatch : View {};
// Its elements have no names, and go by age.
struct EventQueue : Part {};
// Nodes of a graph; see tests/graph.
struct LinkResult : Part {};
struct SharedNodeInfo : Part {};
struct NodeName : Part {};
struct OutputSubscriber : Part {};
struct ChangedInputs : View {};
struct DataflowContext : View {};
struct ValueArray : ColumnPart {};
struct TimeArray : ColumnPart {};
struct DeltaTracker : ColumnPart {};
struct ObserverArray : ColumnPart {};
struct ColumnView : View {};
struct SetView : View {};
struct MapView : View {};
struct TSSView : View {};
struct TSDView : View {};

} // namespace entry

/// Of the sets of options of each container: all, the first, third and so on, or the others.
enum class Share { all, first, second };

/// Test::template run<Entry, C>() for each container C of Entry, one with each set of options; Test::run of one kind only may
/// be constrained by a `requires` that says why. Answers how many containers there were.
template <class Test, Share S = Share::all>
std::size_t for_each_container() {
    std::size_t containers = 0;
    const auto each = [&]<class Entry>() {
        const auto run = [&]<class C>() {
            Test::template run<Entry, C>();
            ++containers;
        };
        if constexpr (Entry::is_container && S == Share::all)
            Entry::each(run);
        else if constexpr (Entry::is_container)
            Entry::template each_second<S == Share::first>(run);
    };
#define SLOTWISE_PUBLIC_CLASS(name) each.template operator()<entry::name>();
#include "slotwise_public_classes.inc" // written by CMake: one such line for each class of fwd.hpp
#undef SLOTWISE_PUBLIC_CLASS
    return containers;
}
/// The same with half of the sets of options; the others are in the program slotwise_test_properties_rest (support/bounds.hpp). For tests that
/// cost seconds to compile.
template <class Test>
std::size_t for_each_container_here() {
#if defined(SLOTWISE_TEST_REST)
    return for_each_container<Test, Share::second>();
#else
    return for_each_container<Test, Share::first>();
#endif
}
/// What can be expected of them when all containers give so much.
constexpr std::size_t here(std::size_t of_all) {
#if defined(SLOTWISE_TEST_REST)
    return of_all / 4;
#else
    return of_all / 2;
#endif
}

} // namespace test::every

#endif
