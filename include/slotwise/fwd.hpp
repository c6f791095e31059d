// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// All public names of the library, every enumeration and option struct, and each default template argument, once. Costs next to
// nothing to include: enough to declare a member pointer, a handle or a function on containers.
#ifndef SLOTWISE_FWD_HPP
#define SLOTWISE_FWD_HPP

#include "config/abi.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd> // declares std::allocator
#if defined(_MSVC_STL_VERSION)
#include <string> // which other libraries declare in <iosfwd>, too
#endif

SLOTWISE_BEGIN

//=== names of template arguments ===//

// What a container has that differs from the default is named, in any order:
//     MapStorage<std::string, int, HashBy<MyHash>, Column<float>, Options<KeySetOptions{.deferred_erase = true}>>
// Any static observer is named as it is. `Members` and what follows a container's own types (T, Key ...) are the only places.

/// A column: a value of type U for each element. It is a `ValueArray<U>` over the container's allocator. Any number of them.
template <class U>
struct Column {};
/// The options of the container: Options<SlotMapOptions{.reuse = Reuse::lifo}>.
template <auto O>
struct Options {};
/// Makes two containers with otherwise equal arguments different types, so that their handles are different types too.
template <class X>
struct Tag {};
/// Gives the container this handle type, which has a name of its own and may be declared before it:
///     using NodeId = Handle<struct NodeTag>;
///     SlotMap<Node, HandleBy<NodeId>> nodes;
template <class H>
struct HandleBy {};
/// Hashes keys with H.
template <class H>
struct HashBy {};
/// Compares keys with E.
template <class E>
struct EqualBy {};
/// Finds keys by the index I: HashIndex, BoostIndex ...
template <template <class> class Nth>
struct IndexBy {
    template <class Allocator>
    using type = Nth<Allocator>;
};
/// The type of a time.
template <class T>
struct TimeBy {};
/// Takes memory from A, an allocator of any type of value.
template <class A>
struct AllocBy {};
/// Names the nodes of a DataflowGraph by ids of type Id too.
template <class Id>
struct IdBy {};
/// Asks P which outputs of a DataflowGraph may be linked to which inputs.
template <class P>
struct LinkIf {};
/// The members of the rows of a BasicSoaSlotMap or a BasicSoaVector.
template <class... Ts>
struct Members {};
/// The members of a struct that a BasicSoaStruct keeps: Fields<&P::x, &P::y>.
template <auto... Ms>
struct Fields {};

//=== states of slots and handles ===//

/// What a slot is at the moment.
enum class SlotState : std::uint8_t {
    free,     ///< vacant, may be handed out
    live,     ///< holds an element
    pending,  ///< removed, but key and columns are still readable (deferred erase)
    reserved, ///< a handle was handed out, the element comes later
    retired   ///< its versions are used up; never handed out again
};

/// How an element came into its slot.
enum class InsertKind : std::uint8_t {
    fresh,      ///< as a new element
    resurrected ///< it was pending under the same key, and lives again
};

/// Why a handle does or does not resolve, for diagnostics.
enum class HandleStatus : std::uint8_t {
    null,         ///< it names nothing
    out_of_range, ///< there never was such a slot, or its memory was freed
    live,         ///< its element is there
    stale,        ///< its element was erased, or never existed
    pending,      ///< its element was removed, but is still readable (deferred erase)
    reserved,     ///< its element comes later
    retired       ///< the slot has used up its versions
};

//=== slots and handles ===//

/// A place in a container, numbered from 0; columns are indexed by it.
using slot_t = std::uint32_t;

/// No slot: the result of a lookup that finds nothing.
inline constexpr slot_t no_slot = 0xFFFF'FFFFu;

/// What happens to a slot that has used its last version.
enum class Exhaustion : std::uint8_t {
    retire, ///< it is never issued again: no stale handle ever resolves
    wrap    ///< versions start again; a handle kept through all versions of a slot resolves wrongly
};

/// Which vacant slot the next element gets.
enum class Reuse : std::uint8_t {
    lifo,  ///< the slot vacated last; 8 bytes a slot for the links
    fifo,  ///< the slot vacated first, spreads versions evenly; 8 bytes a slot for the links
    lowest ///< the lowest: the next handle is a pure function of occupancy and versions; no links
};

/// How value storage grows without moving an element.
enum class Growth : std::uint8_t {
    pages,  ///< pages from the allocator; portable
    reserve ///< one run of reserved address space, memory committed as it is used; one span over every slot for ever. Needs
            ///< virtual memory: with SLOTWISE_VIRTUAL_MEMORY 0, as for WebAssembly, it does not compile
};

/// How a handle's bits are divided. The sum is 16, 32 or 64; index_bits and version_bits are 1 to 32.
struct HandleLayout {
    /// Of the slot number, the lowest bits; limits how many slots there can be.
    unsigned index_bits = 32;
    unsigned version_bits = 32; ///< of the version; limits how often a slot can be used
    unsigned user_bits = 0;     ///< of the caller: carried along, ignored by lookups
    /// The version's bits hold the generation: 1, 2, 3 instead of 1, 3, 5. So each slot can be used twice as often. A container
    /// stores one more bit a slot, and version() is odd nevertheless. version_bits is at most 31.
    bool dense_versions = false;
    bool null_is_ones = false; ///< null has all bits set instead of none; the highest index is never issued
    friend constexpr bool operator==(const HandleLayout&, const HandleLayout&) = default;
};

/// The options of a slot map. Designated initialisers name them: SlotMapOptions{.reuse = Reuse::lifo}.
struct SlotMapOptions {
    HandleLayout handle{};
    Reuse reuse = Reuse::lowest; ///< measured default, see memory/free_slots.hpp
    Exhaustion exhaustion = Exhaustion::retire;
    Growth growth = Growth::pages;
    std::size_t page_slots = 0; ///< slots in a page, a power of two of at least 64; 0 chooses by sizeof(T)
    std::size_t max_slots = 0; ///< most slots; 0: what the handle indexes (Growth::reserve: 64 GiB, of 32-bit pointers 256 MiB)
    slot_t first_slot = 0;     ///< 1: slot 0 is never issued, it counts as retired; needs Exhaustion::retire
    /// Of SlotMap: every slot below capacity() in which no element lives reads as zero bytes, for C code that walks the slots.
    bool zero_vacant = false;
    /// Of SlotMap and HandlePool: get() and contains() may be asked of stale handles too while one thread inserts and erases.
    bool atomic_versions = false;
    friend constexpr bool operator==(const SlotMapOptions&, const SlotMapOptions&) = default;
};

/// The options of a keyed container. Designated initialisers name them: KeySetOptions{.deferred_erase = true}.
struct KeySetOptions {
    bool deferred_erase = false; ///< erased elements stay readable, and their slots unused, until flush_removed()
    Exhaustion exhaustion = Exhaustion::retire;
    Reuse reuse = Reuse::lowest;
    std::size_t page_slots = 0; ///< of the keys: slots in a page, a power of two of at least 64; 0 chooses by sizeof(Key)
    HandleLayout handle{};
    std::size_t max_slots = 0; ///< upper limit of slots; 0 = what the handle can index (Growth::reserve: as in SlotMapOptions)
    Growth growth = Growth::pages; ///< of keys, values and columns
    friend constexpr bool operator==(const KeySetOptions&, const KeySetOptions&) = default;
};

template <class Tag, HandleLayout L = HandleLayout{}>
class Handle;

//=== keys ===//

struct EqualTo;
struct PublicId;

template <class Id>
struct IdTraits;

template <class K>
struct DefaultHash;

struct SipHash13;
template <class K>
struct SeededHash;

template <class T, class Equal = EqualTo>
class Versioned;

//=== memory and slots ===//

class Occupancy;
class SlotObserver;
class SlotRange;

template <class Observer, class Entry = Observer*>
class BasicObserverToken;
/// Keeps a SlotObserver attached.
using ObserverToken = BasicObserverToken<SlotObserver>;

template <class T>
class ColumnView;

template <class T, class Allocator = std::allocator<T>, Growth G = Growth::pages, std::size_t MaxSlots = 0>
class ValueArray;

//=== slot maps ===//

template <class T, class... With>
class SlotMap;

template <class T, class... With>
class DenseSlotMap;

template <class Row, class... With>
class BasicSoaSlotMap;

/// Rows of members Ts..., each packed in an array of its own; see BasicSoaSlotMap.
template <class... Ts>
using SoaSlotMap = BasicSoaSlotMap<Members<Ts...>>;

template <class... With>
class BasicAnySlotMap;

/// A type-erased SlotMap: the type of its elements is known at run time; see BasicAnySlotMap.
using AnySlotMap = BasicAnySlotMap<>;

template <class T, class... With>
class HandlePool;

template <class Handle, class T, class... With>
class SecondaryMap;

template <class T, class... With>
class IndexMap;

template <class Handle, class T, class... With>
class SparseSecondaryMap;

template <class Id, class Handle, class... With>
class IdentityMap;

//=== rows ===//

template <class... Refs>
class RowRef;

template <class Row, class... With>
class BasicSoaVector;

/// Rows of members Ts..., each packed in an array of its own; see BasicSoaVector.
template <class... Ts>
using SoaVector = BasicSoaVector<Members<Ts...>>;

template <class Fields, class... With>
class BasicSoaStruct;

/// Rows of an existing struct, split into the members &P::x ...; see BasicSoaStruct.
template <auto... Ms>
using SoaStruct = BasicSoaStruct<Fields<Ms...>>;

template <class... With>
class BasicBitColumn;

/// A bit a row; see BasicBitColumn.
using BitColumn = BasicBitColumn<>;

/// A logical time: a number that counts up and wraps. is_newer compares two.
using tick_t = std::uint32_t;

template <class... With>
class BasicTickColumn;

/// When each row was added and last changed; see BasicTickColumn.
using TickColumn = BasicTickColumn<>;

struct TypeDescriptor;
class AnyValue;
class AnyCodec;

template <class Void>
class BasicAnySpan;

/// The values of a type-erased column; see BasicAnySpan.
using AnySpan = BasicAnySpan<void>;
/// The same, read-only.
using ConstAnySpan = BasicAnySpan<const void>;

class DescribedValue;

template <class... With>
class BasicAnyRows;

/// Rows of columns whose types are known only at run time; see BasicAnyRows.
using AnyRows = BasicAnyRows<>;

//=== sparse ===//

class RowObserver;
/// Keeps a RowObserver attached.
using RowToken = BasicObserverToken<RowObserver>;

template <class Entity, class Location, class... With>
class EntityIndex;

template <class Id, class... With>
class SparseSet;

template <class Id, class T, class... With>
class SparseMap;

template <class Id, class Value, class... With>
class SwitchMap;

template <class... Sets>
class SparseGroup;

//=== keyed storage ===//

template <class Allocator>
class HashIndex;

template <class Allocator>
class PortableHashIndex;

template <class Allocator, class Fingerprints>
class GroupIndex;

template <class Iterator>
struct InsertResult;

template <class Key, class... With>
class SetStorage;

/// Another name for SetStorage: a set of keys.
template <class Key, class... With>
using KeySet = SetStorage<Key, With...>;

template <class Key, class T, class... With>
class MapStorage;

template <class Key>
class SetView;

template <class Key, class T>
class MapView;

template <class Void>
class BasicAnyColumnView;

/// A view of a type-erased column: its type is known at run time; see BasicAnyColumnView.
using AnyColumnView = BasicAnyColumnView<void>;
/// The same, read-only.
using ConstAnyColumnView = BasicAnyColumnView<const void>;

template <class... With>
class BasicAnySetStorage;

template <class... With>
class BasicAnyMapStorage;

/// A set of keys of a type that is known only at run time; see BasicAnySetStorage.
using AnySetStorage = BasicAnySetStorage<>;
/// A map between types that are known only at run time; see BasicAnyMapStorage.
using AnyMapStorage = BasicAnyMapStorage<>;

struct SetOps;
struct MapOps;

//=== series ===//

/// How a DeltaTracker records the slots that were touched since the window opened. Deltas are the same; their order and the
/// time of a window are not. Times are of bench/series, a TSDStorage of 1e6 keys unless said.
enum class DeltaRepresentation : std::uint8_t {
    /// A list: deltas come in the order in which slots were first touched, and a slot takes 4 bytes more. Choose it for
    /// that order. Writing to a series takes 0.9 to 1.4 times as long as with adaptive, by its size; a DeltaTracker alone,
    /// of which a fifth of 1e5 slots is touched, 0.8 times.
    dirty_list,
    /// A bit a slot: deltas come in slot order, and opening and reading look at every word. Choose it for that order. It is
    /// never faster than adaptive: level when 18 % of the keys are written, 1.2x at 2 %, 7x at 10 keys.
    bitmap,
    /// A list until one slot in 32 was touched (64 at least), then the bits, each with its order.
    adaptive
};

/// What of a series a subscriber is notified of.
enum class SeriesLevel : std::uint8_t {
    whole,  ///< anything about the set or dictionary
    keys,   ///< which keys a dictionary has
    element ///< one key, or the element in one slot
};

enum class TickKind : std::uint8_t;

/// What apply() does with a part of a delta that does not fit.
enum class Strictness : std::uint8_t {
    strict, ///< refuses the whole delta and changes nothing
    lenient ///< applies the rest: adds what is missing, removes what is there
};

/// The options of a series. Designated initialisers name them: SeriesOptions{.delta = DeltaRepresentation::bitmap}.
struct SeriesOptions {
    DeltaRepresentation delta = DeltaRepresentation::adaptive;
    Exhaustion exhaustion = Exhaustion::retire;
    Reuse reuse = Reuse::lowest;
    std::size_t page_slots = 0; ///< of the keys, as in KeySetOptions
    HandleLayout handle{};
    std::size_t max_slots = 0;     ///< upper limit of slots, readable removed ones included; 0 = what the handle can index
    Growth growth = Growth::pages; ///< of keys, values, columns and times
    friend constexpr bool operator==(const SeriesOptions&, const SeriesOptions&) = default;

    /// The options of the keyed container inside. Its erase is always deferred: removed elements are readable until the window
    /// rolls.
    constexpr KeySetOptions key_set() const noexcept {
        return {true, exhaustion, reuse, page_slots, handle, max_slots, growth};
    }
};

template <class Time>
struct TimeTraits;

template <class Time = std::int64_t>
class SeriesSubscriber;

template <class Time = std::int64_t, class Allocator = std::allocator<Time>, Growth G = Growth::pages, std::size_t MaxSlots = 0>
class TimeArray;

template <class Time = std::int64_t, DeltaRepresentation R = DeltaRepresentation::adaptive,
          class Allocator = std::allocator<std::byte>>
class DeltaTracker;

template <class Key, class... With>
class ObserverArray;

template <class Key, class... With>
class TSSStorage;

template <class Key, class T, class... With>
class TSDStorage;

template <class... With>
class BasicAnyTSSStorage;
/// A type-erased set over time; see BasicAnyTSSStorage.
using AnyTSSStorage = BasicAnyTSSStorage<>;

template <class... With>
class BasicAnyTSDStorage;
/// A type-erased dictionary over time; see BasicAnyTSDStorage.
using AnyTSDStorage = BasicAnyTSDStorage<>;

template <class Time = std::int64_t>
struct BasicTSSOps;
/// The operations of a set over time over void*; see BasicTSSOps.
using TSSOps = BasicTSSOps<>;

template <class Time = std::int64_t>
struct BasicTSDOps;
/// The operations of a dictionary over time over void*; see BasicTSDOps.
using TSDOps = BasicTSDOps<>;

template <class Key, class Time = std::int64_t>
class TSSView;

template <class Key, class T, class Time = std::int64_t>
class TSDView;

template <class Key, class Time = std::int64_t>
struct SetDelta;

template <class Delta>
struct ReceivedDelta;

template <class Key, class T, class Time = std::int64_t>
struct DictDelta;

//=== ecs ===//

/// What Entity refers to.
struct EntityTag;
/// What components belong to. Index and version are 48 bits, so that a pair has room for the whole of its target.
using Entity = Handle<EntityTag, HandleLayout{.index_bits = 32, .version_bits = 16, .user_bits = 16}>;

/// What happens to those that relate to an entity when it is despawned.
enum class OnTargetDespawn : std::uint8_t {
    remove,  ///< their pairs with it are removed
    despawn, ///< they are despawned too, as children with their parent
    refuse,  ///< the entity is not despawned as long as there are any
};

struct Any;
class ComponentId;
struct ComponentTraits;
class ComponentRegistry;

class Table;
class ColumnMapping;

struct NoEdgeData;
struct NoRules;
template <class Node, class Id, class EdgeData = NoEdgeData, class Rules = NoRules, class... With>
class ArchetypeGraph;

/// The options of a RelationMap. Designated initialisers name them: RelationMapOptions{.exclusive = true}.
struct RelationMapOptions {
    bool exclusive = false; ///< each source has at most one target of a relation
    friend constexpr bool operator==(const RelationMapOptions&, const RelationMapOptions&) = default;
};

template <class Source, class Relation, class Target, class... With>
class RelationMap;

template <class Id>
struct PairTraits;
template <class TableRef, class Id = ComponentId, class... With>
class ComponentIndex;

class EntityLocation;
class EntityBuilder;
class ExtractedEntity;
template <class T>
class ComponentAccessor;
class HookId;
class HookToken;
class ComponentSelection;
class InsertedEntities;
class ArchetypeStore;
class CommandBuffer;

template <class X>
struct Optional;
template <class X>
struct Up;
class QueryAccess;
template <class Store, class... Ts>
class Query;
template <class Void>
class BasicPairMatch;
/// A pair that an entity has; see Query::for_each_pair.
using PairMatch = BasicPairMatch<void>;
/// The same of a const store.
using ConstPairMatch = BasicPairMatch<const void>;

template <class E, class... With>
class EventQueue;

//=== graph ===//

/// What a node of a DataflowGraph is marked with, in one word. The upper 24 bits are the program's; see user_flag().
enum class NodeFlags : std::uint32_t {
    none = 0,
    manual = 1u << 0,   ///< it runs in the next evaluation, which clears the flag
    always = 1u << 1,   ///< it runs in each evaluation; consumers run only if an output changed
    stateful = 1u << 2, ///< it holds what must be marked as in use in each evaluation, also when it does not run
    errored = 1u << 3   ///< its last run failed
};

/// What DataflowGraph::connect(), would_connect() and link_all() answer.
enum class LinkStatus : std::uint8_t {
    linked,    ///< the input is linked to the output; of would_connect(): it may be
    cycle,     ///< the link would close a cycle
    no_source, ///< there is no node `from`
    no_output, ///< it has no such output
    no_target, ///< there is no node `to`
    no_input,  ///< it has no such input
    unfit,     ///< the rule of the graph, LinkIf<P>, says that they do not fit
    twice      ///< another link of link_all() has the same input
};

struct NodeInfo;
class SharedNodeInfo;
template <class Node>
struct NodePin;
template <class Name>
struct NodeLink;
template <class Handle, class Id>
class NodeName;
template <class Handle>
class LinkResult;
template <class Handle, class Value>
class OutputSubscriber;
class ChangedInputs;
template <class Graph>
class DataflowContext;
template <class Node, class Value, class Equal = EqualTo, class... With>
class DataflowGraph;

SLOTWISE_END

#endif
