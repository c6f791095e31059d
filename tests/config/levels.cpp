// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every check of the library in one table, with what breaks it: it fires at its level and above, and not below. What is done
// here does little harm where it is not checked. tools/verify/levels.py compiles this source at every level and asks that each
// check of the headers, by file and line, has fired.
#include "ecs/inside.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"

#include <slotwise/slotwise.hpp>

#include <array>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

using namespace slotwise;

enum class Level { fast = 1, debug = 2 };

/// One object of each kind that the checks are about, with element 1 erased of 0, 1, 2. Made in the child process that misuses
/// it, and never destroyed: where nothing is checked, little is left to be relied on.
template <class C>
C& holed() {
    C& c = *new C;
    if constexpr (requires { c.occupancy(), c.slot_of(0); }) {
        for (int i = 0; i != 3; ++i)
            if constexpr (requires { typename C::mapped_type; })
                c.try_emplace(i, i);
            else
                c.insert(i);
        c.erase(1);
    } else {
        c.insert(0);
        const auto gone = c.insert(1);
        c.insert(2);
        c.erase(gone);
    }
    return c;
}
using Graph = ArchetypeGraph<int, int>;
constexpr std::array unordered_ids{ComponentId::from_bits(2), ComponentId::from_bits(1)};
constexpr auto no_column = [](slot_t) { return -1; };
SoaVector<int>& three_rows() {
    auto& rows = *new SoaVector<int>;
    rows.resize(3);
    return rows;
}
template <class C>
auto last_of(C& c) {
    auto it = c.begin();
    return ++it;
}

struct Fixed {
    int number = 0;
    Fixed(int n = 0) : number(n) {}
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
    friend bool operator==(const Fixed& a, const Fixed& b) { return a.number == b.number; }
};
struct FixedHash {
    using is_transparent = void;
    std::size_t operator()(int number) const noexcept { return static_cast<std::size_t>(number); }
    std::size_t operator()(const Fixed& fixed) const noexcept { return static_cast<std::size_t>(fixed.number); }
};
template <class T>
using Memory = test::StatefulAllocator<T>;

/// Moves a container with an element to memory that is not its own.
template <class C>
void move_away(C& c) {
    new C(std::move(c), typename C::allocator_type(2));
}

/// An element whose destructor does something to its container, once.
struct Calls {
    std::function<void()>* act = nullptr;
    explicit Calls(std::function<void()>* what = nullptr) noexcept : act(what) {}
    Calls(const Calls&) = default;
    Calls& operator=(const Calls&) = default;
    ~Calls() {
        if (act == nullptr) return;
        const auto once = std::exchange(*act, nullptr);
        if (once) once();
    }
};
void during_reset(void (*act)(MapStorage<int, Calls>&)) {
    auto& map = *new MapStorage<int, Calls>;
    auto& once = *new std::function<void()>([&map, act] { act(map); });
    map.try_emplace(1, &once);
    map.reset();
}

/// Does something to the container that tells it of an element, once.
struct Meddler final : SlotObserver {
    std::function<void()> act{};
    void on_insert(slot_t, InsertKind) override {
        const auto once = std::exchange(act, nullptr);
        if (once) once();
    }
};
template <class C>
void during_insert() {
    C& c = holed<C>();
    auto& meddler = *new Meddler;
    new auto(c.attach(meddler));
    meddler.act = [&c] { c.clear(); };
    c.insert(3);
}

/// Does something to the sparse set that tells it of a row.
using Ids = SparseSet<unsigned>;
struct Row final : RowObserver {
    Ids set{1};
    void (*act)(Ids&, Row&) = nullptr;
    void on_insert(std::size_t) override {
        if (act != nullptr) act(set, *new Row);
    }
};
void during_row(void (*act)(Ids&, Row&)) {
    auto& row = *new Row;
    new auto(row.set.attach(row));
    row.act = act;
    row.set.insert(2);
}

int described[] = {0, 1, 2};
AnyMapStorage& described_map() {
    const TypeDescriptor& type = TypeDescriptor::of<int>();
    auto& map = *new AnyMapStorage(type, type);
    for (int& i : described) map.insert(&i, &i);
    map.erase(&described[1]);
    return map;
}

using Small = Handle<int, HandleLayout{8, 4, 4}>;
using Follower = SecondaryMap<SlotMap<int>::handle_type, int>;
using FixedFollower = SecondaryMap<SlotMap<int>::handle_type, Fixed, AllocBy<Memory<Fixed>>>;
enum class Digit { nought, nine = 9 };
/// A value whose move does something, once.
struct CallsOnMove {
    std::function<void()> act{};
    explicit CallsOnMove(std::function<void()> what) : act(std::move(what)) {}
    CallsOnMove(CallsOnMove&& other) noexcept {
        const auto once = std::exchange(other.act, nullptr);
        if (once) once();
    }
    CallsOnMove& operator=(CallsOnMove&&) noexcept = default;
};
/// An element whose copy does something, once.
struct CallsOnCopy {
    std::function<void()>* act = nullptr;
    explicit CallsOnCopy(std::function<void()>* what = nullptr) noexcept : act(what) {}
    CallsOnCopy(const CallsOnCopy& other) : act(other.act) {
        const auto once = act == nullptr ? nullptr : std::exchange(*act, nullptr);
        if (once) once();
    }
    CallsOnCopy& operator=(const CallsOnCopy&) = default;
    ~CallsOnCopy() {} // not trivial: what is copied as bytes calls nothing
};
/// Copies a map of elements 0 and 1, whose first copy does something to the map that is copied.
template <class M>
void during_copy(void (*act)(M&)) {
    M& map = *new M;
    auto& once = *new std::function<void()>;
    for (int i = 0; i != 2; ++i)
        if constexpr (requires { map.try_emplace(i, &once); })
            map.try_emplace(i, &once);
        else
            map.emplace(&once);
    once = [&map, act] { act(map); };
    new M(map);
}
/// Equality that does something, once.
struct CallsOnEqual {
    std::function<void()>* act = nullptr;
    bool operator()(int a, int b) const {
        const auto once = act == nullptr ? nullptr : std::exchange(*act, nullptr);
        if (once) once();
        return a == b;
    }
};
template <class M>
void erase_last(M& map) {
    auto last = map.begin();
    map.erase(++last);
}
/// A map of two elements is transformed by what changes it at the first one.
template <class F>
void during_transform(F change) {
    auto& map = *new SlotMap<int>{1, 2};
    static_cast<void>(map.transform([&](int value) {
        if (value == 1) change(map);
        return value;
    }));
}
using ColumnMap = SlotMap<int, Column<std::string>>;

/// A row of an int moves to a table of an unsigned.
void move_described(const std::vector<std::int32_t>& map) {
    auto& from = *new AnyRows{&TypeDescriptor::of<int>()};
    auto& to = *new AnyRows{&TypeDescriptor::of<unsigned>()};
    from.push_back_default();
    AnyRows::move_row(from, 0, to, map);
}

struct Check {
    Level level;
    const char* words;
    void (*misuse)();
};

const Check checks[] = {
    // core
    {Level::fast, "Handle: index does not fit index_bits", [] { static_cast<void>(Small(256, 1)); }},
    {Level::fast, "Handle: version does not fit version_bits", [] { static_cast<void>(Small(1, 16)); }},
    {Level::fast, "Handle: generation does not fit version_bits", [] { static_cast<void>(Small::from_generation(1, 9)); }},
    {Level::fast, "Handle: user bits do not fit user_bits", [] { static_cast<void>(Small(1, 1, 16)); }},
    // memory
    {Level::debug, "Occupancy: the container has grown, shrunk, moved or died since; ask it for a new one",
     [] {
         auto& map = holed<SlotMap<int>>();
         const Occupancy live = map.occupancy();
         (new SlotMap<int>)->swap(map);
         static_cast<void>(live.test(0));
     }},
    // slots
    {Level::debug, "observer: it is destroyed while it is attached; destroy or detach() its token before",
     [] {
         auto& dead = *new Meddler;
         new auto(holed<SlotMap<int>>().attach(dead));
         dead.~Meddler();
     }},
    {Level::fast, "a map that follows handles: the constructor or destructor of an entry, hash or equality moves, swaps",
     [] {
         using Map = SecondaryMap<SlotMap<int>::handle_type, Calls>;
         auto &map = *new Map, &other = *new Map;
         auto& once = *new std::function<void()>([&] { map.swap(other); });
         map.try_emplace(SlotMap<int>::handle_type(1, 1), &once);
         map.erase(SlotMap<int>::handle_type(1, 1));
     }},
    {Level::fast, "EnumCodec: the value to be written is not in the range First to Last",
     [] {
         ByteWriter out;
         EnumCodec<Digit::nought, Digit::nine>::write(static_cast<Digit>(10), out);
     }},
    {Level::debug, "ColumnView::for_each: f erased an element ahead of the one it was given",
     [] {
         auto& map = holed<SlotMap<int>>();
         map.values().for_each([&](int&) { map.erase_if([](int value) { return value == 2; }); });
     }},
    {Level::debug, "for_each_in_chunk: f erased an element ahead of the one it was given",
     [] {
         auto& map = holed<SlotMap<int>>();
         const auto f = [&](int&) { map.erase_if([](int value) { return value == 2; }); };
         for (const auto& chunk : map.chunks()) ColumnView<int>::for_each_in_chunk(chunk, f);
     }},
    {Level::fast, "ColumnView[slot]: the slot is not live; ask contains(slot) first",
     [] { static_cast<void>(holed<SlotMap<int>>().values()[1] + 1); }},
    {Level::fast, "zip_columns: the views belong to different containers",
     [] { zip_columns([](slot_t, int&, int&) {}, holed<SlotMap<int>>().values(), holed<SlotMap<int>>().values()); }},
    {Level::fast, "zip_chunks: the views belong to different containers",
     [] { static_cast<void>(zip_chunks(holed<SlotMap<int>>().values(), holed<SlotMap<int>>().values()).size()); }},
    {Level::debug, "zip_columns: f erased an element ahead of the one it was given",
     [] {
         auto& map = holed<SlotMap<int>>();
         zip_columns([&](slot_t, int&) { map.erase_if([](int value) { return value == 2; }); }, map.values());
     }},
    {Level::fast, "ValueArray: values that cannot move cannot be moved to an unequal allocator",
     [] {
         using Map = MapStorage<int, Fixed, AllocBy<Memory<int>>>;
         auto& map = *new Map(Memory<int>(1));
         map.try_emplace(1, 1);
         move_away(map);
     }},
    {Level::fast,
     "ValueArray(ValueArray&&, alloc): the allocators differ, and only the container knows which slots have a value; move the "
     "container",
     [] {
         struct Plain { // has no destructor, and is not copied as bytes
             Plain() = default;
             Plain(const Plain&) {}
         };
         ValueArray<Plain, Memory<Plain>> column(Memory<Plain>(1));
         column.on_capacity(0, 64);
         const ValueArray<Plain, Memory<Plain>> moved(std::move(column), Memory<Plain>(2));
     }},
    {Level::fast, "ValueArray copy: the copy of a value changes what is copied",
     [] {
         using Map = SlotMap<int, Column<CallsOnCopy>>;
         auto& map = *new Map;
         auto& once = *new std::function<void()>([&] { erase_last(map); });
         for (int i = 0; i != 2; ++i) map.observer<0>()[map.insert(i).index()].act = &once;
         new Map(map);
     }},
    {Level::fast, "ColumnView[handle]: the element is gone; ask get(handle)",
     [] { static_cast<void>(&holed<SlotMap<int>>().values()[SlotMap<int>::handle_type(1, 1)]); }},
    {Level::debug, "ValueArray[slot]: no value lives there",
     [] { static_cast<void>(holed<ColumnMap>().observer<0>()[1].size()); }},
    // map
    {Level::fast, "AnySlotMap [handle]: no element has this handle; ask get(handle) or explain(handle)",
     [] {
         auto& map = *new AnySlotMap(TypeDescriptor::of<int>());
         static_cast<void>(map[AnySlotMap::handle_type(1, 1)]);
     }},
    {Level::fast, "slot map [handle]: no element has this handle; ask get(handle) or explain(handle)",
     [] {
         auto& map = holed<SlotMap<int>>();
         static_cast<void>(map[SlotMap<int>::handle_type(1, 1)]);
     }},
    {Level::fast, "container copy: the source is inside an operation; its elements and observers must not copy it",
     [] {
         using Map = SlotMap<Calls>;
         auto& map = *new Map;
         auto& once = *new std::function<void()>([&] { new Map(map); });
         map.erase(map.emplace(&once));
     }},
    {Level::fast, "slot map transform(f): f changes the map that it is called for; it must not",
     [] { during_transform([](auto& map) { erase_last(map); }); }},
    {Level::fast, "slot map transform(f): f changes the map that it is called for; it must not",
     [] { during_transform([](auto& map) { map.insert(3); }); }},
    {Level::fast, "container copy: the copy of an element changes the source; it must not",
     [] { during_copy<SlotMap<CallsOnCopy>>([](auto& map) { map.emplace(); }); }},
    {Level::fast, "container copy: the copy of an element changes the source; it must not",
     [] { during_copy<SlotMap<CallsOnCopy>>([](auto& map) { erase_last(map); }); }},
    {Level::fast, "container copy: the copy of an element changes the source; it must not",
     [] { during_copy<DenseSlotMap<CallsOnCopy>>([](auto& map) { erase_last(map); }); }},
    {Level::debug, "container: an observer changes the container that is notifying it; change it after the notification",
     [] { during_insert<SlotMap<int>>(); }},
    {Level::debug, "container: an observer changes the container that is notifying it; change it after the notification",
     [] {
         auto& map = holed<SlotMap<int>>();
         const auto promised = map.reserve_handle();
         auto& meddler = *new Meddler;
         new auto(map.attach(meddler));
         meddler.act = [&map, promised] { map.fulfill(promised, 4); };
         map.insert(3);
     }},
    {Level::debug, "SlotMap::for_each: f erased an element ahead of the one it was given; walk with iterators",
     [] {
         auto& map = holed<SlotMap<int>>();
         map.for_each([&](int&) { map.erase_if([](int value) { return value == 2; }); });
     }},
    {Level::debug, "HandlePool::for_each: f erased a handle ahead of the one it was given; walk with iterators",
     [] {
         auto& pool = *new HandlePool<int>;
         pool.create();
         pool.create();
         pool.for_each([&](auto handle) { pool.erase(pool.handle_at(handle.index() + 1)); });
     }},
    {Level::debug, "DenseSlotMap::for_each: f has inserted, erased or sorted; the rows have moved",
     [] {
         auto& map = holed<DenseSlotMap<int>>();
         map.for_each([&](int&) { map.clear(); });
     }},
    {Level::debug, "SoaSlotMap::for_each: f has inserted, erased or sorted; the rows have moved",
     [] {
         auto& map = holed<SoaSlotMap<int>>();
         map.for_each([&](int&) { map.clear(); });
     }},
    {Level::debug, "slot map iterator: it is the end, or the rows from here on were erased",
     [] { static_cast<void>(*holed<SoaSlotMap<int>>().end()); }},
    {Level::debug, "SecondaryMap iterator: the entry here was erased",
     [] {
         auto& map = *new Follower;
         for (const slot_t slot : {1u, 2u}) map.try_emplace(SlotMap<int>::handle_type(slot, 1), 1);
         const auto it = map.begin();
         map.erase(SlotMap<int>::handle_type(1, 1));
         static_cast<void>((*it).value + 1);
     }},
    {Level::debug, "SparseSecondaryMap iterator: it is the end, or entries were erased",
     [] {
         auto& map = *new SparseSecondaryMap<SlotMap<int>::handle_type, int>;
         const auto it = map.try_emplace(SlotMap<int>::handle_type(1, 1), 1).it;
         map.clear();
         static_cast<void>(it.handle());
     }},
    {Level::debug, "SparseSecondaryMap::for_each: f changed the map, so the rows have moved; collect the handles first",
     [] {
         auto& map = *new SparseSecondaryMap<SlotMap<int>::handle_type, int>;
         for (const slot_t slot : {1u, 2u}) map.try_emplace(SlotMap<int>::handle_type(slot, 1), 1);
         map.for_each([&](auto, int&) { map.clear(); });
     }},
    {Level::fast, "SparseSecondaryMap: a move of T, or the destructor of a moved-from T, changes the map that moves it",
     [] {
         auto& map = *new SparseSecondaryMap<SlotMap<int>::handle_type, CallsOnMove>;
         map.try_emplace(SlotMap<int>::handle_type(1, 1), [&] { map.clear(); });
         for (slot_t slot = 2; slot != 40; ++slot) map.try_emplace(SlotMap<int>::handle_type(slot, 1), nullptr);
     }},
    {Level::debug, "slot map iterator: the element here was erased",
     [] {
         auto& map = holed<SlotMap<int>>();
         const auto it = last_of(map);
         map.erase(it);
         static_cast<void>(*it + 1);
     }},
    {Level::fast, "SlotMap::erase(it): the element here was erased, or it is the end",
     [] {
         auto& map = holed<SlotMap<int>>();
         const auto it = last_of(map);
         map.erase(it);
         map.erase(it);
     }},
    {Level::fast, "SlotMap: elements that cannot move cannot be moved to an unequal allocator",
     [] {
         auto& map = *new SlotMap<Fixed, AllocBy<Memory<Fixed>>>(Memory<Fixed>(1));
         map.emplace(1);
         move_away(map);
     }},
    {Level::fast, "DenseSlotMap::index_of(handle): no element has this handle; ask contains(handle)",
     [] { static_cast<void>(holed<DenseSlotMap<int>>().index_of(DenseSlotMap<int>::handle_type(1, 1))); }},
    {Level::fast, "DenseSlotMap::handle_of_row(row): row is not below size()",
     [] { static_cast<void>(holed<DenseSlotMap<int>>().handle_of_row(2)); }},
    {Level::fast, "DenseSlotMap::erase(it): the iterator is not of this map, or the end",
     [] {
         auto& map = holed<DenseSlotMap<int>>();
         map.erase(map.end());
     }},
    {Level::fast, "SoaSlotMap::index_of(handle): no element has this handle; ask contains(handle)",
     [] { static_cast<void>(holed<SoaSlotMap<int>>().index_of(SoaSlotMap<int>::handle_type(1, 1))); }},
    {Level::fast, "SoaSlotMap::handle_of_row(row): row is not below size()",
     [] { static_cast<void>(holed<SoaSlotMap<int>>().handle_of_row(2)); }},
    {Level::fast, "SoaSlotMap::erase(it): the iterator is the end",
     [] {
         auto& map = holed<SoaSlotMap<int>>();
         map.erase(map.end());
     }},
    {Level::fast, "secondary map [handle]: the handle has no value here; ask get(handle)",
     [] { static_cast<void>(&Follower()[SlotMap<int>::handle_type(1, 1)]); }},
    {Level::fast, "IndexMap [id]: the id has no value here; ask get(id)", [] { static_cast<void>(&IndexMap<int>()[1]); }},
    {Level::fast, "SecondaryMap(SecondaryMap&&, alloc): T cannot move, and the allocators differ; use an equal allocator",
     [] {
         auto& map = *new FixedFollower(Memory<Fixed>(1));
         map.try_emplace(SlotMap<int>::handle_type(1, 1), 1);
         move_away(map);
     }},
    // keyed
    {Level::fast, "keyed container insert(key): the number does not fit the key type; convert it before",
     [] { static_cast<void>(SetStorage<unsigned char>().insert(300)); }},
    {Level::debug, "keyed container for_each: f erased an element ahead of the one it was given; walk with iterators",
     [] {
         auto& set = holed<SetStorage<int>>();
         set.for_each([&](int) { set.erase(2); });
     }},
    {Level::fast, "keyed container key(slot): no key is there; ask state(slot)",
     [] { static_cast<void>(holed<SetStorage<int>>().key(slot_t{1})); }},
    {Level::fast, "set [handle]: no element has this handle; ask key(handle) or explain(handle)",
     [] { static_cast<void>(&holed<SetStorage<int>>()[SetStorage<int>::handle_type(1, 1)]); }},
    {Level::fast, "keyed container erase(it): the element here was erased, or it is the end",
     [] {
         auto& set = holed<SetStorage<int>>();
         const auto it = last_of(set);
         set.erase(it);
         set.erase(it);
     }},
    {Level::debug, "keyed iterator: the element here was erased, or it is the end",
     [] {
         auto& set = holed<SetStorage<int>>();
         const auto it = last_of(set);
         set.erase(it);
         static_cast<void>(*it + 1);
     }},
    {Level::debug, "items_present() iterator: the element here was erased, or it is the end",
     [] {
         auto& map = holed<SlotMap<int>>();
         auto present = map.items_present();
         const auto it = present.begin();
         map.erase(map.handle_at(it.slot()));
         static_cast<void>((*it).value + 1);
     }},
    {Level::debug, "container: an observer changes the container that is notifying it; change it after the notification",
     [] { during_insert<SetStorage<int>>(); }},
    {Level::fast, "container copy: the source is inside an operation; its elements and observers must not copy it",
     [] {
         using Map = MapStorage<int, Calls>;
         auto& map = *new Map;
         auto& once = *new std::function<void()>([&] { new Map(map); });
         map.try_emplace(1, &once);
         map.erase(1);
     }},
    {Level::fast, "container copy: the copy of an element changes the source; it must not",
     [] { during_copy<MapStorage<int, CallsOnCopy>>([](auto& map) { map.try_emplace(2); }); }},
    {Level::debug, "keyed container: equality changes the container that calls it; it must only read",
     [] {
         using Set = SetStorage<int, EqualBy<CallsOnEqual>>;
         auto& once = *new std::function<void()>;
         auto& set = *new Set(DefaultHash<int>(), CallsOnEqual{&once});
         set.insert(1);
         once = [&] { set.insert(2); };
         static_cast<void>(set.contains(1));
     }},
    {Level::fast, "keyed container reset(): an element calls it while it is built or destroyed; it must not",
     [] {
         using Map = MapStorage<int, Calls>;
         auto& map = *new Map;
         auto& once = *new std::function<void()>([&] { map.reset(); });
         map.try_emplace(1, &once);
         map.erase(1);
     }},
    {Level::fast, "container reset(): a destructor inserts meanwhile; it must not",
     [] { during_reset([](MapStorage<int, Calls>& map) { map.try_emplace(2); }); }},
    {Level::fast, "keyed container reset(): a destructor calls it during clear() or reset(); it must not",
     [] { during_reset([](MapStorage<int, Calls>& map) { map.reset(); }); }},
    {Level::fast, "keyed container: keys that cannot move cannot be moved to an unequal allocator",
     [] {
         auto& set = *new SetStorage<Fixed, HashBy<FixedHash>, AllocBy<Memory<Fixed>>>(Memory<Fixed>(1));
         set.insert(1);
         move_away(set);
     }},
    {Level::fast, "map value(slot): no value is there; ask state(slot)",
     [] { static_cast<void>(holed<MapStorage<int, int>>().value(1) + 1); }},
    {Level::fast, "map value(slot): no value is there; ask state(slot)",
     [] { static_cast<void>(std::as_const(holed<MapStorage<int, int>>()).value(1) + 1); }},
    {Level::fast, "map [handle]: no element has this handle; ask get(handle) or explain(handle)",
     [] { static_cast<void>(&holed<MapStorage<int, int>>()[MapStorage<int, int>::handle_type(1, 1)]); }},
    {Level::fast, "map [handle]: no element has this handle; ask get(handle) or explain(handle)",
     [] { static_cast<void>(&std::as_const(holed<MapStorage<int, int>>())[MapStorage<int, int>::handle_type(1, 1)]); }},
    {Level::fast, "map erase(it): the element here was erased, or it is the end",
     [] {
         auto& map = holed<MapStorage<int, int>>();
         const auto it = last_of(map);
         map.erase(it);
         map.erase(it);
     }},
    {Level::fast, "type-erased container key(slot): no key is there; ask state(slot)",
     [] { static_cast<void>(described_map().key(slot_t{1})); }},
    {Level::fast, "type-erased map value(slot): no value is there; ask state(slot)",
     [] { static_cast<void>(described_map().value(slot_t{1})); }},
    {Level::fast, "type-erased container slots_of(keys, slot_numbers): give as many places as keys",
     [] {
         described_map().slots_of({TypeDescriptor::of<int>(), nullptr, 1}, {});
     }},
    {Level::fast, "AnyColumnView[slot]: the slot is not live; ask contains(slot) first",
     [] { static_cast<void>(described_map().values()[slot_t{1}]); }},
    {Level::fast, "type-erased container erase(it): the element here was erased, or it is the end",
     [] { described_map().erase(described_map().end()); }},
    {Level::fast, "type-erased container erase(it): the element here was erased, or it is the end",
     [] {
         AnySetStorage& set = *new AnySetStorage(TypeDescriptor::of<int>());
         set.erase(set.end());
     }},
    {Level::fast, "type-erased map value(slot): no value is there; ask state(slot)",
     [] { static_cast<void>(std::as_const(described_map()).value(slot_t{1})); }},
    // rows of members
    {Level::fast, "SoaVector: there is no such row; ask size()", [] { static_cast<void>(three_rows()[3]); }},
    {Level::fast, "SoaVector::insert(row, values...): row is beyond size()", [] { three_rows().insert(5, 1); }},
    {Level::fast, "SoaVector::pop_back: there is no row",
     [] {
         auto& rows = three_rows();
         rows.clear();
         rows.pop_back();
     }},
    {Level::fast, "SoaVector::erase(row): row is not below size()", [] { three_rows().erase(3); }},
    {Level::fast, "SoaVector::swap_erase(row): row is not below size()", [] { three_rows().swap_erase(3); }},
    {Level::fast, "SoaVector::swap_rows(a, b): a row is not below size()", [] { three_rows().swap_rows(0, 3); }},
    // bits, ticks, described rows
    {Level::fast, "for_each_run: a column has fewer bits than there are rows; keep it in step with the others",
     [] { for_each_run(4, include(BitColumn(3, true)), exclude(), [](std::size_t, std::size_t) {}); }},
    {Level::fast, "BitColumn(words, rows): the words have fewer bits than that",
     [] {
         const bits::word_t words[2] = {};
         const BitColumn column(std::span(words, 1), 65);
     }},
    {Level::fast, "BitColumn::insert(row, value): row is beyond size()", [] { BitColumn(3, true).insert(5, true); }},
    {Level::fast, "BitColumn::pop_back(): there is no row", [] { BitColumn().pop_back(); }},
    {Level::fast, "BitColumn: row is not below size()", [] { BitColumn(3, true).flip(3); }},
    {Level::fast, "TickColumn::pop_back(): there is no row", [] { TickColumn().pop_back(); }},
    {Level::fast, "TickColumn: row is not below size()", [] { TickColumn(3, 1).mark(3, 1); }},
    {Level::fast, "AnySpan[i]: i is not below size()",
     [] { static_cast<void>(AnySpan(TypeDescriptor::of<int>(), described, 1)[1]); }},
    {Level::fast, "TickColumn::mark(first, last, tick): the range is not there", [] { TickColumn().mark(0, 1, 1); }},
    {Level::fast, "AnyRows::pop_back(): there is no row", [] { AnyRows().pop_back(); }},
    {Level::fast, "AnyRows: row is not below size()", [] { AnyRows().swap_rows(0, 0); }},
    {Level::fast, "AnyRows: there is no such column", [] { static_cast<void>(AnyRows().column(0)); }},
    {Level::fast, "AnyRows::move_row: map, and values if there are some, have an entry for each column of the destination",
     [] {
         move_described({0, 0});
     }},
    {Level::debug, "AnyRows::move_row: map names a column that is not there, or of another type", [] { move_described({0}); }},
    // sparse
    {Level::fast, "EntityIndex attach(observer): it swaps rows, but their order decides future ids; attach it to a SparseSet",
     [] {
         struct Swaps final : RowObserver {
             Swaps() : RowObserver(true) {}
         };
         new auto((new EntityIndex<Handle<int>, int>)->attach(*new Swaps));
     }},
    {Level::fast, "EntityIndex: an observer changes the index that notifies it; change it afterwards",
     [] {
         struct Intruder final : RowObserver {
             void on_insert(std::size_t) override {
                 if (armed) index->destroy(index->alive()[0]);
             }
             EntityIndex<Handle<int>, int>* index = new EntityIndex<Handle<int>, int>;
             bool armed = false;
         };
         auto& intruder = *new Intruder;
         intruder.index->create_n(2);
         new auto(intruder.index->attach(intruder));
         intruder.armed = true;
         intruder.index->create();
     }},
    {Level::fast, "EntityIndex: the range is one of another index",
     [] {
         using Index = EntityIndex<Handle<int>, int>;
         auto &index = *new Index, &other = *new Index;
         index.add_range(1, 2);
         other.add_range(1, 2);
         static_cast<void>(index.alive(other.add_range(2, 3)).size());
     }},
    {Level::fast, "attach(observer): the container is notifying its observers; attach it afterwards",
     [] { during_row([](Ids& set, Row& row) { static_cast<void>(set.attach(row)); }); }},
    {Level::fast, "sparse container: an observer changes the container that notifies it; change it later",
     [] { during_row([](Ids& set, Row&) { set.erase(1); }); }},
    {Level::fast, "sparse container: a group owns it and keeps its rows in order; sort the group instead",
     [] {
         Ids a{1, 2}, b{1, 2};
         const SparseGroup group(a, b);
         a.sort();
     }},
    {Level::fast, "align_prefix(a, b, ...): a group owns one of them and keeps its rows in order",
     [] {
         Ids a{1, 2}, b{1, 2};
         const SparseGroup group(a, b);
         align_prefix(a, b);
     }},
    {Level::fast, "SparseGroup id_at(row): the group has no such row; rows are less than size()",
     [] {
         Ids a{1}, b{2};
         static_cast<void>(SparseGroup(a, b).id_at(0));
     }},
    {Level::fast, "id_at(row): the container has no such row; rows are less than size()",
     [] { static_cast<void>(Ids().id_at(0)); }},
    {Level::fast, "swap_rows(a, b): the container has no such row; rows are less than size()", [] { Ids{1}.swap_rows(0, 1); }},
    {Level::fast, "SparseMap value_at(row): the map has no such row; rows are less than size()",
     [] { static_cast<void>(SparseMap<unsigned, int>().value_at(0)); }},
    {Level::fast, "SparseMap [id]: the id has no value here; ask get(id)",
     [] { static_cast<void>(SparseMap<unsigned, int>()[0]); }},
    {Level::fast,
     "SparseMap: the constructor or destructor of a value whose moves may throw, or that has none, inserts into the map; "
     "declare "
     "the moves noexcept, then it may",
     [] {
         struct Unmovable {
             Unmovable(SparseMap<unsigned, Unmovable>& map, unsigned depth) {
                 if (depth != 0) map.try_emplace(depth, map, depth - 1);
             }
             Unmovable(const Unmovable&) = delete;
         };
         auto& map = *new SparseMap<unsigned, Unmovable>;
         map.try_emplace(9, map, 1u);
     }},
    {Level::debug, "sparse container iterator: it is the end, or entries before it in the walk were erased",
     [] {
         auto& set = *new Ids{1, 2};
         const auto last = set.begin();
         set.erase(1);
         static_cast<void>(*last);
     }},
    {Level::debug, "EntityIndex[id]: the id does not live",
     [] {
         auto& index = *new EntityIndex<Entity, int>;
         const Entity gone = index.create();
         index.destroy(gone);
         static_cast<void>(index[gone]);
     }},
    {Level::fast, "EntityIndex take_back(count): not so many ids live", [] { (new EntityIndex<Entity, int>)->take_back(1); }},
    // series
    {Level::fast, "series: it is moved, copied, restored or destroyed while a writer of it is open; close it first",
     [] {
         auto& set = *new TSSStorage<int>;
         new auto(set.write(1));
         set.restore(TSSStorage<int>().snapshot());
     }},
    {Level::fast, "series erase(it): the element here was removed, or it is the end",
     [] {
         auto& writer = *new auto((new TSSStorage<int>)->write(1));
         const auto it = writer.insert(1).it;
         writer.erase(it);
         writer.erase(it);
     }},
    // ecs
    {Level::fast, "AnyValue::assign: there is no value to be assigned; build it",
     [] {
         int to = 1;
         AnyValue().assign(TypeDescriptor::of<int>(), &to);
     }},
    {Level::fast, "Table: row is not below size()", [] { Table().swap_erase(0); }},
    {Level::fast, "Table: there is no such column; tags have none", [] { static_cast<void>(Table().column(0)); }},
    {Level::fast, "Table::enable: there is no component at this place",
     [] {
         auto& table = *new Table;
         table.push_back(Entity(1, 1), 1, [](std::size_t, void*) {});
         table.enable(0, 0);
     }},
    {Level::debug, "Table::move_row: the map was made for other tables",
     [] {
         auto& registry = *new ComponentRegistry;
         const ComponentId id = registry.id<int>();
         auto &from = *new Table(registry, std::span(&id, 1)), &to = *new Table;
         from.push_back(Entity(1, 1), 1, [](std::size_t, void* place) { ::new (place) int(1); });
         Table::move_row(from, 0, to, ColumnMapping(to, to), 1, [](std::size_t, void*) {});
     }},
    {Level::debug, "Table::move_all: the map was made for other tables",
     [] {
         auto& registry = *new ComponentRegistry;
         const ComponentId id = registry.id<int>();
         auto &from = *new Table(registry, std::span(&id, 1)), &to = *new Table;
         from.push_back(Entity(1, 1), 1, [](std::size_t, void* place) { ::new (place) int(1); });
         const ColumnMapping other(to, to);
         Table::reserve_move_all(from, to, other, false);
         Table::move_all(from, to, other, 1);
     }},
    {Level::fast, "ArchetypeGraph: this node was erased, or is another graph's", [] { static_cast<void>(Graph()[{}]); }},
    {Level::debug, "ArchetypeGraph: no node is in this slot", [] { static_cast<void>((new Graph)->at_slot(0)); }},
    {Level::debug, "ArchetypeGraph: no node is in this slot",
     [] { (new Graph)->change(slot_t{0}, std::array{1}, {}, [](auto, auto) { return 0; }); }},
    {Level::fast, "ArchetypeGraph: make(handle, ids) must not add nodes",
     [] {
         auto& graph = *new Graph;
         graph.insert(std::array{1}, [&](auto, auto) { return graph.insert(std::array{2}, [](auto, auto) { return 0; }), 0; });
     }},
    {Level::fast, "ComponentIndex insert(table, ids, column_of): the ids are in order, each once",
     [] {
         ComponentIndex<int, int>().insert(0, std::array{2, 1}, no_column);
     }},
    {Level::fast, "ComponentIndex insert(table, ids, column_of): this table is here; erase(table) first",
     [] {
         ComponentIndex<int, int> index;
         index.insert(0, {}, no_column);
         index.insert(0, {}, no_column);
     }},
    {Level::fast, "ComponentIndex insert(table, ids, column_of): a table has no wildcards",
     [] { ComponentIndex<int>().insert(0, std::array{pair(any, any)}, no_column); }},
    {Level::debug, "ComponentIndex reorder(order): it has each table once",
     [] {
         ComponentIndex<int, int> index;
         index.insert(0, {}, no_column);
         index.reorder({});
     }},
    {Level::fast, "EventQueue: the event was dropped; end walks before update() and clear()",
     [] {
         auto& events = *new EventQueue<int>;
         events.push(1);
         auto reader = events.reader();
         const auto read = reader.read(events);
         events.clear();
         static_cast<void>(*read.begin());
     }},
    {Level::fast, "EventQueue::Reader: it has read events of another queue; take queue.reader()",
     [] {
         EventQueue<int> events;
         events.push(1);
         auto reader = events.reader();
         reader.skip(events);
         reader.skip(EventQueue<int>());
     }},
    {Level::fast, "EventQueue: the constructor of an event pushes another one; push it afterwards",
     [] {
         struct Event {
             explicit Event(EventQueue<Event>* events) {
                 if (events != nullptr) events->emplace(nullptr);
             }
         };
         auto& events = *new EventQueue<Event>;
         events.emplace(&events);
     }},
    {Level::fast,
     "ArchetypeStore::spawn (float): a query is walking; record the change in a CommandBuffer and apply it afterwards",
     [] {
         auto& store = *new ArchetypeStore;
         store.spawn(1);
         store.query<int>().for_each([&](int&) { store.spawn(1.0F); });
     }},
    {Level::fast, "changes the store that calls it; record the change in a CommandBuffer and apply it afterwards",
     [] {
         auto& store = *new ArchetypeStore;
         store.on_add<int>([&](Entity) { store.spawn(1.0F); });
         store.spawn(1);
     }},
    {Level::fast, "ArchetypeStore: a hook adds or removes hooks; do it after the change that called it",
     [] {
         auto& store = *new ArchetypeStore;
         store.on_add<int>([&](Entity) { store.on_add<int>([](Entity) {}); });
         store.spawn(1);
     }},
    {Level::fast, "Query::Chunks[i]: i is not below size()",
     [] { static_cast<void>((new ArchetypeStore)->query<int>().chunks()[0]); }},
    {Level::fast, "CommandBuffer: a hook or a value changes the buffer that is being applied",
     [] {
         auto& store = *new ArchetypeStore;
         auto& commands = *new CommandBuffer(store);
         store.on_add<int>([&](Entity) { commands.clear(); });
         commands.spawn(1);
         store.apply(commands);
     }},
    {Level::fast, "CommandBuffer: the store has ended before commands that were recorded for it",
     [] {
         auto* const store = new ArchetypeStore;
         auto& commands = *new CommandBuffer(*store);
         commands.spawn(1);
         delete store;
         commands.clear();
     }},
    {Level::fast, "CommandBuffer: the store that it was made for has ended",
     [] {
         auto* const store = new ArchetypeStore;
         auto& commands = *new CommandBuffer(*store);
         delete store;
         commands.despawn(Entity(0, 1));
     }},
    {Level::fast, "user_flag(n): there are 24 of them", [] { static_cast<void>(user_flag(24)); }},
    {Level::fast, "DataflowGraph [node]: no node has this handle", [] { static_cast<void>(DataflowGraph<int, int>()[{}]); }},
    {Level::fast, "DataflowGraph: evaluate() is running, or a node is built or destroyed",
     [] {
         auto& graph = *new DataflowGraph<int, int>;
         graph.add(1, 1, 1);
         graph.evaluate([&](int, auto&) { graph.clear(); });
     }},
    {Level::fast, "DataflowGraph: evaluate() is running, or a node is built or destroyed",
     [] {
         auto& graph = *new DataflowGraph<int, int>;
         graph.add(1, 1, 1);
         graph.evaluate([&](int, auto&) { auto copy = graph; });
     }},
    {Level::fast, "ArchetypeTables erase(table): it has rows, or is the empty one",
     [] {
         auto& tables = test::tables_of(*new ArchetypeStore);
         tables.erase(tables.root());
     }},
    {Level::debug, "QueryCache find(include): the ids are in order, each once",
     [] {
         const auto& tables = test::tables_of(*new ArchetypeStore);
         static_cast<void>(tables.cache().find(unordered_ids));
     }},
    {Level::fast, "QueryCache make(include, index): the ids are in order, each once",
     [] { static_cast<void>(test::tables_of(*new ArchetypeStore).query(unordered_ids)); }},
    {Level::fast, "shard_of(hash, n): n is 0", [] { static_cast<void>(shard_of(stable_hash(1), 0)); }},
};

} // namespace

TEST_CASE("every check fires at its level and above, and not below", "[levels]") {
    for (const Check& check : checks) {
        CAPTURE(check.words);
        const std::string said = test::death_of([&] {
#if !defined(_WIN32)     // there the default level alone is asked, at which everything is checked
            ::alarm(20); // what is not checked may never end
#endif
            check.misuse();
            std::_Exit(0);
        });
        CAPTURE(said);
        const bool fired = said.find("slotwise: ") != std::string::npos && said.find(check.words) != std::string::npos;
        CHECK(fired == (SLOTWISE_CHECK_LEVEL >= static_cast<int>(check.level)));
    }
}
