// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Named template arguments: in any order, only what differs, and handles that are types of their own.
#include <slotwise/slotwise.hpp>

#include "support/catch.hpp"

#include <string>

using namespace slotwise;

namespace {

struct Hash {
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key) % 7; }
};
struct Equal {
    bool operator()(int a, int b) const noexcept { return a == b; }
};
struct Counter {
    int inserted = 0;
    void on_insert(slot_t, InsertKind) noexcept { ++inserted; }
};
constexpr KeySetOptions deferring{.deferred_erase = true, .handle = {20, 12, 0}};

template <class... Ts>
constexpr bool all_different() {
    constexpr std::size_t same = [] {
        std::size_t count = 0;
        const auto with_all = [&]<class T>() { count += (std::size_t{std::is_same_v<T, Ts>} + ...); };
        (with_all.template operator()<Ts>(), ...);
        return count;
    }();
    return same == sizeof...(Ts);
}

struct Node;
using Nodes = SlotMap<Node, Options<SlotMapOptions{.handle = {16, 16, 0}}>>;
struct Node {
    HandleOf<Nodes> parent; // Node is incomplete here
    HandleOf<MapStorage<int, Node>> named;
    friend bool operator==(const Node&, const Node&) = default;
};

struct Unknown; // never complete
/// Comparing handles must not instantiate a container whose element is incomplete.
bool same(HandleOf<SlotMap<Unknown>> a, HandleOf<SlotMap<Unknown>> b) { return a == b; }

} // namespace

TEST_CASE("named arguments of a slot map stand in any order", "[arguments]") {
    constexpr SlotMapOptions lifo{.reuse = Reuse::lifo};
    using A = SlotMap<int, Column<float>, Options<lifo>, AllocBy<std::allocator<std::byte>>, Counter>;
    using B = SlotMap<int, AllocBy<std::allocator<std::byte>>, Column<float>, Counter, Options<lifo>>;
    STATIC_REQUIRE(A::options == lifo);
    STATIC_REQUIRE(B::options == lifo);
    STATIC_REQUIRE(std::is_same_v<A::allocator_type, B::allocator_type>);
    STATIC_REQUIRE(std::is_same_v<decltype(std::declval<A&>().observer<0>()), ValueArray<float>&>);
    STATIC_REQUIRE(std::is_same_v<decltype(std::declval<B&>().observer<0>()), ValueArray<float>&>);
    STATIC_REQUIRE(std::is_same_v<decltype(std::declval<B&>().observer<1>()), Counter&>);
    B map;
    const auto handle = map.insert(1);
    map.observer<0>()[handle.index()] = 2.5F;
    REQUIRE(map.observer<1>().inserted == 1);
    REQUIRE(map.column<0>()[handle.index()] == 2.5F);
    BasicSoaSlotMap<Members<int, float>, Counter, Options<lifo>> rows;
    rows.insert(1, 2.0F);
    REQUIRE(rows.observer<0>().inserted == 1);
}

TEST_CASE("named arguments of keyed containers stand in any order", "[arguments]") {
    using A = MapStorage<int, int, HashBy<Hash>, Options<deferring>, EqualBy<Equal>, Column<float>, IndexBy<PortableHashIndex>>;
    using B = MapStorage<int, int, IndexBy<PortableHashIndex>, Column<float>, EqualBy<Equal>, HashBy<Hash>, Options<deferring>>;
    STATIC_REQUIRE(A::options == deferring);
    STATIC_REQUIRE(B::options == deferring);
    STATIC_REQUIRE(std::is_same_v<A::hasher, Hash>);
    STATIC_REQUIRE(std::is_same_v<B::hasher, Hash>);
    STATIC_REQUIRE(std::is_same_v<B::key_equal, Equal>);
    STATIC_REQUIRE(std::is_same_v<SetStorage<int>::hasher, DefaultHash<int>>);
    B map;
    map.insert(1, 2);
    map.observer<0>()[0] = 0.5F;
    REQUIRE(map.column<0>()[0] == 0.5F);
    TSSStorage<int, Counter, HashBy<Hash>, TimeBy<double>> set;
    STATIC_REQUIRE(std::is_same_v<decltype(set)::time_type, double>);
    STATIC_REQUIRE(std::is_same_v<decltype(set)::hasher, Hash>);
    set.write(0.5).add(1);
    REQUIRE(set.observer<0>().inserted == 1);
}

TEST_CASE("a column takes the allocator of its container", "[arguments]") {
    using Set = SetStorage<int, Column<float>, AllocBy<std::pmr::polymorphic_allocator<int>>>;
    STATIC_REQUIRE(std::is_same_v<decltype(std::declval<Set&>().observer<0>()),
                                  ValueArray<float, std::pmr::polymorphic_allocator<float>>&>);
    STATIC_REQUIRE(std::is_same_v<pmr::SetStorage<int, Column<float>>::allocator_type, Set::allocator_type>);
}

TEST_CASE("handles of two container types are two types, and so they are by a tag", "[arguments]") {
    STATIC_REQUIRE(all_different<SlotMap<int>::handle_type, DenseSlotMap<int>::handle_type, SoaSlotMap<int>::handle_type,
                                 SlotMap<int, Tag<struct A>>::handle_type, SlotMap<int, Tag<struct B>>::handle_type,
                                 SetStorage<int>::handle_type, MapStorage<int, int>::handle_type,
                                 MapStorage<int, float>::handle_type, SetStorage<int, Tag<struct A>>::handle_type,
                                 TSSStorage<int>::handle_type, TSDStorage<int, int>::handle_type, AnySetStorage::handle_type,
                                 AnyMapStorage::handle_type, BasicAnySetStorage<Tag<struct A>>::handle_type>());
}

TEST_CASE("the parts of a container share its handles", "[arguments]") {
    using Map = MapStorage<int, int>;
    STATIC_REQUIRE(std::is_same_v<Map::handle_type, Map::set_type::handle_type>);
    using Dict = TSDStorage<int, int>;
    STATIC_REQUIRE(std::is_same_v<Dict::handle_type, Dict::map_type::handle_type>);
    STATIC_REQUIRE(std::is_same_v<Dict::handle_type, Dict::set_type::handle_type>);
    Map map;
    map.insert(1, 2);
    REQUIRE(map.as_set().contains(map.handle_of(1)));
}

TEST_CASE("HandleOf names the handle type of a container that is not complete", "[arguments]") {
    STATIC_REQUIRE(std::is_same_v<Nodes::handle_type, HandleOf<Nodes>>);
    STATIC_REQUIRE(sizeof(HandleOf<Nodes>) == 4);
    STATIC_REQUIRE(std::is_same_v<HandleOf<TSSStorage<int>>, TSSStorage<int>::handle_type>);
    STATIC_REQUIRE(std::is_same_v<HandleOf<SoaSlotMap<int>>, SoaSlotMap<int>::handle_type>);
    STATIC_REQUIRE(std::is_same_v<HandleOf<AnyMapStorage>, AnyMapStorage::handle_type>);
    Nodes nodes;
    const auto root = nodes.insert(Node{});
    const auto child = nodes.insert(Node{root, {}});
    REQUIRE(nodes[child].parent == root);
    REQUIRE(nodes[root] == Node{});
    REQUIRE(same({}, {}));
}
