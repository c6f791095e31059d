// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every public type offers as a value, as one table: a row a type, checked when this is compiled. That no class of
// fwd.hpp is missing is checked by tests/tools/faults_test.py.
#include "config/sizes.hpp"
#include "support/catch.hpp"

#include <slotwise/graph/pmr.hpp>
#include <slotwise/keyed/pmr.hpp>
#include <slotwise/map/pmr.hpp>
#include <slotwise/rows/pmr.hpp>
#include <slotwise/slotwise.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using namespace slotwise;

struct Element;
struct MoveOnly {
    std::unique_ptr<int> owner{};
};
struct Pinned {
    int number = 0;
    Pinned() = default;
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
};
struct ThrowingMove {
    ThrowingMove() = default;
    ThrowingMove(const ThrowingMove&) {}
    ThrowingMove& operator=(const ThrowingMove&) { return *this; }
};
struct AnyHash {
    template <class K>
    std::size_t operator()(const K&) const noexcept {
        return 0;
    }
};
struct Undo {
    void operator()() noexcept {}
};

/// One letter for an operation: t trivial, n does not throw, y there, - not there.
constexpr char grade(bool there, bool nothrow, bool trivial) { return !there ? '-' : trivial ? 't' : nothrow ? 'n' : 'y'; }

/// Default constructor, copy, move, copy assignment, move assignment, swap, destructor.
template <class T>
constexpr std::array<char, 7> grades() {
    return {grade(std::is_default_constructible_v<T>, std::is_nothrow_default_constructible_v<T>,
                  std::is_trivially_default_constructible_v<T>),
            grade(std::is_copy_constructible_v<T>, std::is_nothrow_copy_constructible_v<T>,
                  std::is_trivially_copy_constructible_v<T>),
            grade(std::is_move_constructible_v<T>, std::is_nothrow_move_constructible_v<T>,
                  std::is_trivially_move_constructible_v<T>),
            grade(std::is_copy_assignable_v<T>, std::is_nothrow_copy_assignable_v<T>, std::is_trivially_copy_assignable_v<T>),
            grade(std::is_move_assignable_v<T>, std::is_nothrow_move_assignable_v<T>, std::is_trivially_move_assignable_v<T>),
            grade(std::is_swappable_v<T>, std::is_nothrow_swappable_v<T>, false),
            grade(std::is_destructible_v<T>, std::is_nothrow_destructible_v<T>, std::is_trivially_destructible_v<T>)};
}

/// Whether T keeps the promise: '-' must not be there; the others may be better than promised (tuples of another standard
/// library). In Microsoft's a tuple is never copied as its bytes, and an empty std::map, which sparse pages have, has memory.
template <class T>
constexpr bool keeps(const char (&promise)[8]) {
#if defined(_MSVC_STL_VERSION)
    constexpr bool by_microsoft = true;
#else
    constexpr bool by_microsoft = false;
#endif
    constexpr auto offered = grades<T>();
    const auto rank = [](char letter) { return letter == 't' ? 3 : letter == 'n' ? 2 : letter == 'y' ? 1 : 0; };
    for (std::size_t i = 0; i != offered.size(); ++i) {
        const int less = by_microsoft && (promise[i] == 't' || i == 0) ? 1 : 0;
        if ((offered[i] == '-') != (promise[i] == '-') || rank(offered[i]) < rank(promise[i]) - less) return false;
    }
    return true;
}

#define ROW(promise, ...) static_assert(keeps<__VA_ARGS__>(promise), #__VA_ARGS__ " is not " promise);

// default, copy, move, copy =, move =, swap, ~
// clang-format off

// core
ROW("nttttnt", Handle<Element>)
ROW("nttttnt", Handle<Element, HandleLayout{8, 4, 4}>)
ROW("nttttnt", PublicId)
ROW("tttttnt", DefaultHash<int>)
ROW("tttttnt", DefaultHash<std::string>)
ROW("nttttnt", SipHash13)
ROW("nttttnt", SeededHash<int>)
ROW("nttttnt", SeededHash<std::string>)
ROW("tttttnt", EqualTo)
ROW("nttttnt", HandleLayout)
ROW("nttttnt", SlotMapOptions)
ROW("nttttnt", KeySetOptions)
ROW("nttttnt", SeriesOptions)
ROW("nttttnt", InsertResult<SetStorage<int>::iterator>)
ROW("nttnnnt", Versioned<int>)
ROW("nynynnn", Versioned<std::string>)
ROW("------n", ScopeGuard<Undo>)

// memory and slots
ROW("nttttnt", Occupancy)
ROW("nttttnt", SlotRange)
ROW("nttttnt", SlotRange::iterator)
ROW("-------", SlotObserver)
ROW("n-n-nnn", ObserverToken)
ROW("tttttnt", CodecFor<Pinned>)
ROW("tttttnt", MemberCodec<&Pinned::number>)
ROW("tttttnt", EnumCodec<Exhaustion::retire, Exhaustion::wrap>)
ROW("tttttnt", RawCodec<int>)
ROW("nttttnt", DroppingCodec<DefaultCodec, ValueArray<int>>)
ROW("nttttnt", ColumnView<int>)
ROW("nttttnt", ColumnView<const int>)
ROW("nttttnt", ColumnView<int>::iterator)
ROW("nttttnt", ColumnChunk<int>)
ROW("ntnnnnt", ZippedChunk<int, float>)
ROW("tttttnt", SlotRun<int>)
ROW("n-n---n", AlignedArray<int>)
ROW("n-n---n", PagedArray<int>)
#if SLOTWISE_VIRTUAL_MEMORY
ROW("n-n---n", ReservedArray<int>)
ROW("nynynnn", SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>>)
#endif
ROW("n-n-nnn", ValueArray<int>)
ROW("n-n-nnn", ValueArray<std::string>)
ROW("n-n-nnn", DynamicColumn<ValueArray<int>>)
ROW("n-n---n", SlotDirectory<>)
ROW("nynynnn", ByteWriter)
ROW("-ttttnt", ByteReader)
ROW("tttttnt", DefaultCodec)

// slot maps
ROW("nynynnn", SlotMap<int>)
ROW("nttttnt", SlotMap<int>::iterator)
ROW("nttttnt", SlotMap<int>::const_iterator)
ROW("nynynnn", SlotMap<MoveOnly>)
ROW("nynynnn", SlotMap<Pinned>)
ROW("nynynnn", SlotMap<ThrowingMove>)
ROW("nynyyyn", pmr::SlotMap<int>)
ROW("-tt---t", SlotMapItem<SlotMap<int>::handle_type, int&>)
ROW("nynynnn", DenseSlotMap<int>)
ROW("nttttnt", DenseSlotMap<int>::iterator)
ROW("nynynnn", DenseSlotMap<MoveOnly>)
ROW("nynynnn", DenseSlotMap<ThrowingMove>)
ROW("nynynnn", SoaSlotMap<int, float>)
ROW("nttttnt", SoaSlotMap<int, float>::iterator)
ROW("nynynnn", SoaSlotMap<ThrowingMove>)
ROW("nynyyyn", pmr::SoaSlotMap<int>)
ROW("ntnnnnt", SoaPointer<int, float>)
ROW("-ttnnnt", SoaRow<int&, float&>)
ROW("nynynnn", SecondaryMap<Handle<Element>, int>)
ROW("nynynnn", SecondaryMap<Handle<Element>, MoveOnly>)
ROW("nynynnn", SparseSecondaryMap<Handle<Element>, int>)
ROW("nynynnn", IndexMap<MoveOnly>)
ROW("nttttnt", IndexMap<MoveOnly>::iterator)
ROW("nynyyyn", pmr::IndexMap<int>)
ROW("nynynnn", IdentityMap<PublicId, Handle<Element>>)
ROW("nynynnn", IdentityMap<std::string, Handle<Element>>)

// rows
ROW("nynynnn", AnyCodec)
ROW("nynynnn", AnyRows)
ROW("-ttttnt", AnySpan)
ROW("-ttttnt", ConstAnySpan)
ROW("nttttnt", AnyValue)
ROW("nynynnn", DescribedValue)
ROW("tttttnt", RowMove)
ROW("nynynnn", BitColumn)
ROW("nttttnt", BitSource)
ROW("nttttnt", BitTerms<true, std::array<BitSource, 2>>)
ROW("nynynnn", TickColumn)
ROW("nynynnn", SoaVector<int, float>)
ROW("ntnnnnt", SoaVector<int, float>::iterator)
ROW("nynynnn", SoaVector<MoveOnly>)
ROW("nynynnn", SoaVector<ThrowingMove>)
ROW("nynyyyn", pmr::SoaVector<int>)
ROW("-ttyyyt", RowRef<int&, float&>)
ROW("nynynnn", SoaStruct<&Pinned::number>)
ROW("-ttyyyt", StructRef<SoaVector<int>::reference, &Pinned::number>)

// sparse
ROW("tttttnt", IdTraits<std::uint32_t>)
ROW("tttttnt", IdTraits<Handle<Element>>)
ROW("-tt---t", IdItem<std::uint32_t, int&>)
ROW("-------", RowObserver)
ROW("n-n-nnn", RowToken)
ROW("nynynnn", SparseSet<std::uint32_t>)
ROW("nttttnt", SparseSet<std::uint32_t>::iterator)
ROW("nynynnn", SparseMap<Handle<Element>, int>)
ROW("nynynnn", SparseMap<Handle<Element>, MoveOnly>)
ROW("nynynnn", SparseMap<std::uint32_t, Pinned>)
ROW("nttttnt", SparseChunk<std::uint32_t, int>)
ROW("------n", SparseGroup<SparseSet<std::uint32_t>, SparseMap<std::uint32_t, int>>)
ROW("yynynnn", SwitchMap<Handle<Element>, int>)
ROW("yynynnn", EntityIndex<Handle<Element>, int>)

// ecs
ROW("nttttnt", Entity)
ROW("tttttnt", Any)
ROW("nttttnt", ComponentId)
ROW("nynynnn", ComponentTraits)
ROW("n-n-nnn", ComponentRegistry)
ROW("y-n-nnn", Table)
ROW("nynynnn", ColumnMapping)
ROW("-ttttnt", NoEdgeData)
ROW("tttttnt", NoRules)
ROW("y-n-nnn", ArchetypeGraph<int, int>)
ROW("tttttnt", PairTraits<ComponentId>)
ROW("y-n-nnn", ComponentIndex<int>)
ROW("y-n-nnn", ArchetypeStore)
ROW("nttttnt", EntityLocation)
ROW("--n---n", EntityBuilder)
ROW("--n-nnn", ExtractedEntity)
ROW("-ttttnt", ComponentAccessor<int>)
ROW("nttttnt", HookId)
ROW("n-n-nnn", HookToken)
ROW("nynynnn", ComponentSelection)
ROW("nynynnn", InsertedEntities)
ROW("--n-nnn", CommandBuffer)
ROW("-nnnnnn", Query<ArchetypeStore, int, const float>)
ROW("-nnnnnn", Query<const ArchetypeStore, const int>)
ROW("nynynnn", QueryAccess)
ROW("tttttnt", Optional<int>)
ROW("-ttttnt", PairMatch)
ROW("-ttttnt", ConstPairMatch)
ROW("nttttnt", RelationMapOptions)
ROW("yynynnn", RelationMap<int, int, int>)
ROW("nynynnn", EventQueue<int>)
ROW("n-n-nnn", EventQueue<Pinned>)
ROW("nttttnt", EventQueue<int>::Reader)

// graph
ROW("nttttnt", NodeInfo)
ROW("nnnnnnn", SharedNodeInfo)
ROW("-tt---t", NodePin<int>)
ROW("nttttnt", NodeLink<Entity>)
ROW("------t", NodeName<Entity, int>)
ROW("-ynynnn", LinkResult<Entity>)
ROW("-ttttnt", ChangedInputs)
ROW("------n", DataflowContext<DataflowGraph<int, int>>)
ROW("nynynnn", DataflowGraph<int, int>)
ROW("nynynnn", DataflowGraph<MoveOnly, std::string>)
ROW("nynyyyn", pmr::DataflowGraph<int, int>)
ROW("-------", OutputSubscriber<Entity, int>)

// keyed
ROW("n-n---n", HashIndex<std::allocator<int>>)
ROW("n-n---n", PortableHashIndex<std::allocator<int>>)
ROW("nynynnn", KeySet<int>)
ROW("nttttnt", KeySet<int>::iterator)
ROW("nynynnn", KeySet<MoveOnly, HashBy<AnyHash>>)
ROW("nynynnn", KeySet<Pinned, HashBy<AnyHash>>)
ROW("nynynnn", SetStorage<int>)
ROW("nynynnn", SetStorage<std::string>)
ROW("nynynnn", MapStorage<int, int>)
ROW("nttttnt", MapStorage<int, int>::iterator)
ROW("nttttnt", MapStorage<int, int>::const_iterator)
ROW("nynynnn", MapStorage<int, MoveOnly>)
ROW("nynynnn", MapStorage<int, Pinned>)
ROW("-tt---t", MapItem<int, int>)
ROW("-ttttnt", SetView<int>)
ROW("nttttnt", SetView<int>::iterator)
ROW("-ttttnt", MapView<int, int>)
ROW("nttttnt", MapView<int, int>::iterator)
ROW("nttttnt", TypeDescriptor)
ROW("nynynnn", HandlePool<MoveOnly>)
ROW("nttttnt", HandlePool<MoveOnly>::iterator)
ROW("nynyyyn", pmr::HandlePool<int>)
ROW("-ynynnn", AnySlotMap)
ROW("-ynynnn", AnySetStorage)
ROW("-ynynnn", AnyMapStorage)
ROW("-ttttnt", AnyColumnView)
ROW("-ttttnt", AnyColumnChunk<void>)
ROW("-ttttnt", ConstAnyColumnView)

// series
ROW("-------", SeriesSubscriber<>)
ROW("tttttnt", SeriesTick<std::int64_t>)
ROW("n-n-nnn", Subscription<>)
ROW("tttttnt", TimeTraits<std::int64_t>)
ROW("n-n-nnn", TimeArray<>)
ROW("nynynnn", DeltaTracker<>)
ROW("n-n---n", ObserverArray<int>)
ROW("nynynnn", TSSStorage<int>)
ROW("--n-nnn", TSSWriter<TSSStorage<int>>)
ROW("nynynnn", TSDStorage<int, int>)
ROW("nynynnn", TSDStorage<int, MoveOnly>)
ROW("nynynnn", TSDStorage<int, TSSStorage<int>>)
ROW("--n-nnn", TSDWriter<TSDStorage<int, int>>)
ROW("tttttnt", SetOps)
ROW("tttttnt", MapOps)
ROW("tttttnt", BasicSeriesOps<>)
ROW("tttttnt", TSSOps)
ROW("tttttnt", TSDOps)
ROW("-ynynnn", AnyTSSStorage)
ROW("-ynynnn", AnyTSDStorage)
ROW("--n-nnn", AnyTSSWriter<AnyTSSStorage>)
ROW("--n-nnn", AnyTSDWriter<AnyTSDStorage>)
ROW("nttttnt", AnyDeltaRange<std::int64_t, true>)
ROW("-ttttnt", TSSView<int>)
ROW("-ttttnt", TSDView<int, int>)
ROW("ntnnnnt", DeltaRange<std::int64_t, int>)
ROW("nynynnn", SetDelta<int>)
ROW("nynynnn", DictDelta<int, int>)
ROW("nynynnn", ReceivedDelta<SetDelta<std::string>>)
ROW("nynynnn", ReceivedDelta<DictDelta<int, std::string>>)
ROW("nynynnn", AppliedDelta)

// arrow
ROW("n-n-nnn", OwnedArray)
ROW("n-n-nnn", OwnedSchema)
ROW("n-n-nnn", OwnedStream)
ROW("ntnnnnt", ArrowField<Pinned, int Pinned::*>)
ROW("nttttnt", ExportOptions)
ROW("y-n-nnn", Exportable<SlotMap<int>>)
ROW("nynynnn", ImportResult)
ROW("nynynnn", ImportedDelta<SetDelta<std::string>>)
ROW("nynynnn", ImportedDelta<DictDelta<int, std::string>>)
ROW("nynynnn", RestorePoint)
// clang-format on

//=== what is passed by value ===//

template <class... Ts>
constexpr bool trivially_copyable = (std::is_trivially_copyable_v<Ts> && ...);

static_assert(trivially_copyable<Handle<Element>, Handle<Element, HandleLayout{8, 4, 4}>, PublicId,
                                 InsertResult<SetStorage<int>::iterator>, Occupancy, SlotRange>);
static_assert(trivially_copyable<SlotRange::iterator, SlotMap<int>::iterator, SlotMap<int>::const_iterator,
                                 DenseSlotMap<int>::iterator, SoaSlotMap<int, float>::iterator, KeySet<int>::iterator,
                                 MapStorage<int, int>::iterator, MapStorage<int, int>::const_iterator,
                                 ColumnView<int>::iterator, SetView<int>::iterator, MapView<int, int>::iterator>);
static_assert(trivially_copyable<ColumnView<int>, ColumnView<const int>, ColumnChunk<int>, SetView<int>, MapView<int, int>,
                                 TSSView<int>, TSDView<int, int>>);

//=== swap ===//

/// The std::swap of Microsoft's library: beside its second parameter a constrained template of ours is no better, but ambiguous.
namespace microsoft {
template <class T, std::enable_if_t<std::is_move_constructible_v<T> && std::is_move_assignable_v<T>, int> = 0>
void swap(T&, T&);
template <class T>
concept Swappable = requires(T& a, T& b) { swap(a, b); };
template <Swappable... Ts>
constexpr bool swappable = true;
} // namespace microsoft
static_assert(microsoft::swappable<SlotMap<int>, DenseSlotMap<int>, SoaSlotMap<int, float>, AnySlotMap, HandlePool<Element>,
                                   SecondaryMap<Handle<Element>, int>, SparseSecondaryMap<Handle<Element>, int>, IndexMap<int>,
                                   IdentityMap<int, Handle<Element>>>);
static_assert(microsoft::swappable<KeySet<int>, MapStorage<int, int>, AnySetStorage, AnyMapStorage, TSSStorage<int>,
                                   TSDStorage<int, int>, AnyTSSStorage, AnyTSDStorage, SparseSet<unsigned>,
                                   SparseMap<unsigned, int>, SwitchMap<unsigned, int>, EntityIndex<Handle<Element>, int>>);
static_assert(microsoft::swappable<SoaVector<int, int>, AnyRows, BitColumn, TickColumn, ValueArray<int>,
                                   RelationMap<int, int, int>, ArchetypeStore, ComponentIndex<int, int>,
                                   ArchetypeGraph<int, int>, EventQueue<int>, DataflowGraph<int, int>>);

//=== members that never throw ===//

/// Whether all of these are so; says the place in the list of one that is not.
bool all_of(std::initializer_list<bool> promises) {
    int place = 0;
    for (const bool kept : promises) {
        ++place;
        if (!kept) UNSCOPED_INFO("number " << place << " in a list of " << promises.size() << " is not kept");
    }
    return std::find(promises.begin(), promises.end(), false) == promises.end();
}

/// What handles and slots are asked for, and the walk, of every container.
template <class C>
bool looks_without_throwing(C& c, const C& reader, typename C::handle_type handle) {
    return all_of({noexcept(reader.size()), noexcept(reader.empty()), noexcept(reader.capacity()), noexcept(C::max_size()),
                   noexcept(reader.get_allocator()), noexcept(reader.contains(handle)), noexcept(reader.state(slot_t{})),
                   noexcept(reader.explain(handle)), noexcept(reader.retired()), noexcept(reader.slots()),
                   noexcept(reader.occupancy()), noexcept(reader.begin()), noexcept(reader.end()), noexcept(c.begin()),
                   noexcept(c.end()), noexcept(c.begin() == c.end())});
}
/// What a container does without memory: erasing and giving back.
template <class C>
bool erases_without_throwing(C& c, typename C::handle_type handle) {
    return all_of({noexcept(c.erase(handle)), noexcept(c.erase(c.begin())), noexcept(c.clear()), noexcept(c.recycle_retired()),
                   noexcept(c.swap(c))});
}
template <class M>
bool slot_map(M m = M()) {
    const typename M::handle_type handle{};
    const M& reader = m;
    return looks_without_throwing(m, reader, handle) && erases_without_throwing(m, handle) &&
           all_of({noexcept(m.get(handle)), noexcept(reader.get(handle)), noexcept(m[handle]), noexcept(reader[handle]),
                   noexcept(m.get_many(handle, handle)), noexcept(m.cancel(handle)), noexcept(reader.handle_at(slot_t{})),
                   noexcept(reader.handle_of(reader.begin())), noexcept(reader.handles()), noexcept(m.items()),
                   noexcept(reader.items()), !noexcept(m.reserve(1)), !noexcept(reader.at(handle))});
}
template <class C>
bool keyed(C c = C()) {
    const typename C::handle_type handle{};
    const C& reader = c;
    return looks_without_throwing(c, reader, handle) && erases_without_throwing(c, handle) &&
           all_of({noexcept(c.reset()), noexcept(reader.key(slot_t{})), noexcept(reader.handle_at(slot_t{})),
                   noexcept(reader.keys()), !noexcept(c.reserve(1))});
}
template <class C>
bool deferring(C c = C()) {
    const typename C::handle_type handle{};
    return keyed<C>() &&
           all_of({noexcept(c.remove(handle)), noexcept(c.flush_removed()), noexcept(std::as_const(c).pending())});
}
template <class M>
bool secondary(M m = M()) {
    const Handle<Element> handle;
    return all_of({noexcept(m.size()), noexcept(m.contains(handle)), noexcept(m.get(handle)), noexcept(m[handle]),
                   noexcept(m.erase(handle)), noexcept(m.clear()), noexcept(m.detach()), noexcept(m.attached()),
                   noexcept(m.swap(m))});
}
template <class S>
bool series(S s = S()) {
    const typename S::handle_type handle{};
    const S& reader = s;
    return all_of({noexcept(reader.size()), noexcept(reader.empty()), noexcept(reader.capacity()),
                   noexcept(reader.contains(handle)), noexcept(reader.state(slot_t{})), noexcept(reader.explain(handle)),
                   noexcept(reader.key(slot_t{})), noexcept(reader.slots()), noexcept(reader.pending()),
                   noexcept(reader.begin()), noexcept(reader.end()), noexcept(reader.window()), noexcept(reader.valid()),
                   noexcept(reader.last_modified()), noexcept(reader.modified(1)), noexcept(reader.stamps()),
                   noexcept(reader.as_set()), !noexcept(s.write(1))});
}
constexpr KeySetOptions defer{.deferred_erase = true};

} // namespace

TEST_CASE("members that are documented not to throw are noexcept", "[traits]") {
    CHECK(slot_map<SlotMap<int>>());
    CHECK(slot_map<SlotMap<std::string>>());
    CHECK(slot_map<SlotMap<ThrowingMove>>());
    CHECK(slot_map<SlotMap<Pinned>>());
    CHECK(slot_map<DenseSlotMap<std::string>>());
    CHECK(slot_map<SoaSlotMap<int, std::string>>());
    CHECK(keyed<KeySet<int>>());
    CHECK(keyed<SetStorage<std::string>>());
    CHECK(keyed<MapStorage<int, std::string>>());
    CHECK(keyed<MapStorage<int, ThrowingMove>>());
    CHECK(deferring<KeySet<int, Options<defer>>>());
    CHECK(deferring<MapStorage<int, std::string, Options<defer>>>());
    CHECK(secondary<SecondaryMap<Handle<Element>, std::string>>());
    CHECK(secondary<SparseSecondaryMap<Handle<Element>, std::string>>());
    CHECK(series<TSSStorage<std::string>>());
    CHECK(series<TSDStorage<int, std::string>>());
}

TEST_CASE("erasing from a packed map is noexcept only if moves of its elements are", "[traits]") {
    DenseSlotMap<ThrowingMove> map;
    CHECK_FALSE(noexcept(map.erase(map.begin())));
    CHECK(noexcept(map.clear()));
}
