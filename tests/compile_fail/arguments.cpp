// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <memory>

using namespace slotwise;

struct Hash {
    std::size_t operator()(int key) const { return static_cast<std::size_t>(key); }
};
struct Equal {
    bool operator()(int a, int b) const { return a == b; }
};
struct Plain {};

//=== an_allocator_without_its_name ===//
// expect: write AllocBy<A>
SlotMap<int, AllocBy<std::allocator<int>>> map;
SlotMap<int, std::allocator<int>> other; // faulty

//=== options_as_a_type ===//
// expect: write Options<SlotMapOptions{...}>
SlotMap<int, Options<SlotMapOptions{}>> map;
SlotMap<int, SlotMapOptions> other; // faulty

//=== a_hash_without_its_name ===//
// expect: CheckArgument<Hash
// expect: write HashBy<H>
MapStorage<int, int, HashBy<Hash>> map;
MapStorage<int, int, Hash> other; // faulty

//=== an_equality_without_its_name ===//
// expect: write EqualBy<E>
MapStorage<int, int, EqualBy<Equal>> map;
MapStorage<int, int, Equal> other; // faulty

//=== a_type_that_is_nothing ===//
// expect: CheckArgument<Plain
// expect: for a column of values write Column<T>
SlotMap<int, Column<Plain>> map;
SlotMap<int, Plain> other; // faulty

//=== options_of_another_container ===//
// expect: the options of a slot map are Options<SlotMapOptions{...}>
SlotMap<int, Options<SlotMapOptions{}>> map;
SlotMap<int, Options<KeySetOptions{}>> other; // faulty

//=== slot_map_options_for_a_set ===//
// expect: Options<KeySetOptions{...}>
SetStorage<int, Options<KeySetOptions{}>> set;
SetStorage<int, Options<SlotMapOptions{}>> other; // faulty

//=== key_set_options_for_a_series ===//
// expect: Options<SeriesOptions{...}>
TSSStorage<int, Options<SeriesOptions{}>> set;
TSSStorage<int, Options<KeySetOptions{}>> other; // faulty

//=== options_for_what_has_none ===//
// expect: this container has no options
SecondaryMap<Handle<Plain>, int> map;
SecondaryMap<Handle<Plain>, int, Options<SlotMapOptions{}>> other; // faulty

//=== a_tag_for_what_makes_no_handles ===//
// expect: this container makes no handles
SecondaryMap<Handle<Plain>, int> map;
SecondaryMap<Handle<Plain>, int, Tag<Plain>> other; // faulty

//=== a_handle_type_for_a_set ===//
// expect: the handles of this container have a type of its own
SetStorage<int, Tag<Plain>> set;
SetStorage<int, HandleBy<Handle<Plain>>> other; // faulty

//=== a_handle_type_that_is_none ===//
// expect: H is no handle type
SlotMap<int, HandleBy<Handle<Plain>>> map;
SlotMap<int, HandleBy<Plain>> other; // faulty

//=== a_handle_type_twice ===//
// expect: HandleBy<H> occurs twice
SlotMap<int, HandleBy<Handle<Plain>>> map;
SlotMap<int, HandleBy<Handle<Plain>>, HandleBy<Handle<Plain>>> other; // faulty

//=== a_handle_type_and_a_tag ===//
// expect: so that Tag<X> has no meaning
SlotMap<int, HandleBy<Handle<Plain>>> map;
SlotMap<int, HandleBy<Handle<Plain>>, Tag<Plain>> other; // faulty

//=== a_handle_type_of_another_layout ===//
// expect: say different layouts of handles
using Short = Handle<Plain, HandleLayout{.index_bits = 16, .version_bits = 16}>;
SlotMap<int, HandleBy<Short>> map;
SlotMap<int, HandleBy<Short>, Options<SlotMapOptions{.handle = {.index_bits = 20, .version_bits = 12}}>> other; // faulty

//=== a_hash_for_a_slot_map ===//
// expect: this container does not hash
SlotMap<int> map;
SlotMap<int, HashBy<Hash>> other; // faulty

//=== an_equality_for_a_slot_map ===//
// expect: this container compares no keys
SlotMap<int> map;
SlotMap<int, EqualBy<Equal>> other; // faulty

//=== an_index_for_an_identity_map ===//
// expect: this container has no index of keys
IdentityMap<int, Handle<Plain>> map;
IdentityMap<int, Handle<Plain>, IndexBy<HashIndex>> other; // faulty

//=== a_time_for_a_set ===//
// expect: this container has no time
SetStorage<int> set;
SetStorage<int, TimeBy<double>> other; // faulty

//=== a_column_for_a_secondary_map ===//
// expect: this container has no columns
SecondaryMap<Handle<Plain>, int> map;
SecondaryMap<Handle<Plain>, int, Column<int>> other; // faulty

//=== an_observer_for_a_secondary_map ===//
// expect: this container notifies no static observers
struct Observer {
    void on_erase(slot_t) noexcept {}
};

SecondaryMap<Handle<Plain>, int> map;
SecondaryMap<Handle<Plain>, int, Observer> other; // faulty

//=== options_twice ===//
// expect: Options<O> occurs twice
SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>> map;
SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>, Options<SlotMapOptions{.page_slots = 64}>> other; // faulty

//=== a_tag_twice ===//
// expect: Tag<X> occurs twice
SlotMap<int, Tag<Plain>> map;
SlotMap<int, Tag<Plain>, Tag<Hash>> other; // faulty

//=== a_hash_twice ===//
// expect: HashBy<H> occurs twice
SetStorage<int, HashBy<Hash>> set;
SetStorage<int, HashBy<Hash>, HashBy<Hash>> other; // faulty

//=== an_equality_twice ===//
// expect: EqualBy<E> occurs twice
SetStorage<int, EqualBy<Equal>> set;
SetStorage<int, EqualBy<Equal>, EqualBy<EqualTo>> other; // faulty

//=== an_index_twice ===//
// expect: IndexBy<I> occurs twice
SetStorage<int, IndexBy<HashIndex>> set;
SetStorage<int, IndexBy<HashIndex>, IndexBy<PortableHashIndex>> other; // faulty

//=== a_time_twice ===//
// expect: TimeBy<T> occurs twice
TSSStorage<int, TimeBy<int>> set;
TSSStorage<int, TimeBy<int>, TimeBy<long>> other; // faulty

//=== an_allocator_twice ===//
// expect: AllocBy<A> occurs twice
SlotMap<int, AllocBy<std::allocator<int>>> map;
SlotMap<int, AllocBy<std::allocator<int>>, AllocBy<std::allocator<char>>> other; // faulty

//=== ids_twice ===//
// expect: IdBy<Id> occurs twice
DataflowGraph<int, int, EqualTo, IdBy<int>> graph;
DataflowGraph<int, int, EqualTo, IdBy<int>, IdBy<long>> other; // faulty

//=== a_rule_twice ===//
// expect: LinkIf<P> occurs twice
struct Rule {
    bool operator()(NodePin<int>, NodePin<int>) const { return true; }
};

DataflowGraph<int, int, EqualTo, LinkIf<Rule>> graph;
DataflowGraph<int, int, EqualTo, LinkIf<Rule>, LinkIf<Rule>> other; // faulty

//=== ids_for_a_slot_map ===//
// expect: only a DataflowGraph finds its elements by ids too
SlotMap<int> map;
SlotMap<int, IdBy<int>> other; // faulty

//=== a_rule_for_a_slot_map ===//
// expect: this container has no links
SlotMap<int> map;
SlotMap<int, LinkIf<Plain>> other; // faulty

//=== members_elsewhere ===//
// expect: the members stand first
BasicSoaSlotMap<Members<int>> map;
BasicSoaSlotMap<int> other; // faulty

//=== a_handle_of_a_container ===//
// expect: write HandleOf<Container>
HandleOf<SlotMap<int>> handle;
Handle<SlotMap<int>> other; // faulty
return handle.is_null() ? 0 : 1;
