// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the debugger tests look at: one variable of every public class, with known content. It stops in stop_here().
#include <slotwise/slotwise.hpp>

#if __has_include(<boost/unordered/unordered_flat_set.hpp>)
#include <slotwise/keyed/boost_index.hpp>
#define HAS_BOOST 1
#endif
#if __has_include(<tsl/robin_set.h>)
#include <slotwise/keyed/robin_index.hpp>
#define HAS_ROBIN 1
#endif
#if __has_include(<ankerl/unordered_dense.h>)
#include <slotwise/keyed/ankerl_index.hpp>
#define HAS_ANKERL 1
#endif

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

using namespace slotwise;

namespace {

template <class Allocator, class Fingerprints>
Fingerprints fingerprints_of(const GroupIndex<Allocator, Fingerprints>&);

struct Body {
    int id;
    int mass;
};

struct Other;
struct Dense; // apart: LLDB tells layouts of one tag and one size apart only where clang has compiled
struct Ones;

/// The bytes of a T that was never one: what a debugger finds before a constructor has run, or after a stray write.
template <class T>
struct Wreck {
    alignas(T) unsigned char bytes[sizeof(T)];
    explicit Wreck(unsigned char fill) { std::memset(bytes, fill, sizeof(T)); }
    T& object() { return *std::launder(reinterpret_cast<T*>(bytes)); }
};

struct Listener final : SlotObserver {};
struct Subscriber final : SeriesSubscriber<std::int64_t> {
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
};

using Graph = DataflowGraph<Body, double>;
constexpr std::string_view terms[] = {"a", "b"}, sums[] = {"sum"};
constexpr NodeInfo sum_info{"sum", terms, sums, NodeFlags::always};
void build(Graph& graph) {
    const auto source = graph.add(Body{1, 10}, 1, 1), gone = graph.add(Body{2, 20}, 1, 0),
               sum = graph.add(Body{3, 30}, sum_info);
    static_cast<void>(graph.connect(source, 0, sum, 1));
    graph.set_input(source, 0, 2.5);
    graph.erase(gone);
    graph.evaluate([](Body& body, auto& context) {
        context.set_output(0, context.input(0) + body.mass);
        if (body.id == 3) context.fail();
    });
    graph.add(Body{4, 40}, 0, 0);
    graph.set_flags(sum, user_flag(3));
}

volatile int stops = 0;

template <class... T>
void mention(const T&...) {}

} // namespace

// The debugger stops here and goes one frame up.
#if defined(__GNUC__)
__attribute__((noinline))
#endif
void stop_here() {
    stops = stops + 1;
}

int main() {
    //=== values ===//
    using Bodies = SlotMap<Body>;
    const Bodies::handle_type null_handle{}, some_handle(12, 5);
    const Handle<Other, HandleLayout{20, 12, 32}> user_handle(7, 3, 9);
    const Handle<Other, HandleLayout{8, 8, 0}> small_handle(255, 3);
    const Handle<Dense, HandleLayout{8, 4, 4, true}> dense_handle(255, 27, 9), dense_plain(254, 29);
    const Handle<Ones, HandleLayout{20, 12, 0, false, true}> ones_null{}, ones_zero(0, 0), ones_handle(7, 3);
    Versioned<int> versioned(7);
    versioned.set(8);
    const PublicId nil_id, public_id{0x0123456789ABCDEFu, 0x8899AABBCCDDEEFFu};

    //=== slot maps: four elements, the second erased ===//
    Bodies map;
    const auto first = map.insert(Body{1, 10}), stale = map.insert(Body{2, 20});
    map.insert(Body{3, 30});
    const auto last = map.insert(Body{4, 40});
    map.erase(stale);
    const auto reserved_handle = SlotMap<Body>::handle_type(5, 1);
    const Bodies empty;
    Bodies moved_from(map);
    const Bodies moved_to(std::move(moved_from));
    SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>> run;
    SlotMap<std::string, Options<SlotMapOptions{.handle = {20, 12, 0}, .reuse = Reuse::lifo}>> narrow;
    SlotMap<int, Options<SlotMapOptions{.page_slots = 64}>> paged;
    SlotMap<int, Column<std::string>, Column<int>> with_columns;
    DenseSlotMap<int> dense;
    SoaSlotMap<int, std::string> soa;
    for (int i = 0; i != 4; ++i) {
        run.insert(i);
        narrow.insert(std::string(1, static_cast<char>('a' + i)));
        with_columns.observer<0>()[with_columns.insert(i).index()] = std::to_string(i);
        dense.insert(i * 100);
        soa.emplace(i, std::string(2, static_cast<char>('a' + i)));
    }
    run.erase(run.handle_at(1));
    narrow.erase(narrow.handle_at(1));
    narrow.insert("new");
    with_columns.erase(with_columns.handle_at(1));
    dense.erase(dense.handle_at(slot_t{1}));
    soa.erase(soa.handle_at(slot_t{1}));
    for (int i = 0; i != 130; ++i) paged.insert(i);
    paged.erase_if([](int i) { return i % 64 != 1; });
    SlotMap<int, Options<SlotMapOptions{.handle = {15, 1, 0}}>> once; // a slot lives once
    const auto retired_handle = once.insert(1);
    once.erase(retired_handle);
    const auto promised_handle = once.reserve_handle();
    const auto row = *soa.get(soa.handle_at(slot_t{2}));
    const auto row_pointer = soa.get(soa.handle_at(slot_t{2}));
    const auto column_view = map.values();
    const auto occupancy = map.occupancy();
    const SlotRange slot_range(occupancy);
    const auto& value_array = with_columns.observer<0>();
    const auto& plain_array = with_columns.observer<1>();
    Listener listener;
    const auto token = map.attach(listener);
    const ObserverToken no_token;
    DynamicColumn<ValueArray<std::string>> dynamic_column;
    SlotDirectory<> directory;
    SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::fifo> fifo_directory;
    auto growth = fifo_directory.prepare_exactly(64, std::allocator<std::byte>());
    fifo_directory.adopt(growth);
    fifo_directory.set_capacity(64);
    fifo_directory.acquire_live();
    PagedArray<int> paged_array;
    paged_array.reserve(10);
    ReservedArray<int> reserved_array;
    AlignedArray<int> aligned_array;
    aligned_array.resize(16, 0);

    //=== maps that follow ===//
    SecondaryMap<Bodies::handle_type, int> secondary;
    SparseSecondaryMap<Bodies::handle_type, int> sparse;
    IdentityMap<int, Bodies::handle_type> identity;
    const Bodies::handle_type far_handle(1000000, 1);
    for (const auto handle : {first, stale, last, far_handle}) {
        const int value = static_cast<int>(handle.index()) + 100;
        secondary.insert(handle, value);
        sparse.insert(handle, value);
        identity.insert(value, handle);
    }
    SecondaryMap<Bodies::handle_type, int> far; // its pages are in a tree
    for (const slot_t i : {9u, 4u, 7u, 1u, 8u, 2u, 6u, 3u, 5u, 10u}) far.insert({i * 1'000'000, 1}, static_cast<int>(i));
    const SecondaryMap<Bodies::handle_type, int> no_secondary;
    IndexMap<std::string> numbers{{1'000'000, "far"}, {7, "seven"}, {70, "seventy"}};

    //=== keyed ===//
    constexpr KeySetOptions deferred{.deferred_erase = true};
    KeySet<int> key_set{10, 20, 30};
    key_set.erase(20);
    SetStorage<std::string> set_storage{"one", "two"};
    SetStorage<int, Options<deferred>> pending_set{1, 2, 3};
    const auto pending_handle = pending_set.handle_of(2);
    pending_set.erase(2);
    MapStorage<std::string, int> map_storage{{"bund", 131}, {"bobl", 117}, {"schatz", 105}};
    map_storage.erase("bobl");
    const MapStorage<std::string, int> no_storage;
    MapStorage<int, SetStorage<int>> nested;
    nested[5].insert(55);
    AnySlotMap any_slots(TypeDescriptor::of<int>());
    for (const int n : {4, 5, 6}) any_slots.insert(&n);
    any_slots.erase(any_slots.handle_at(1));
    HandlePool<Other> pool;
    for (int i = 0; i != 3; ++i) pool.create();
    pool.erase(pool.handle_at(1));
    AnySetStorage any_set(TypeDescriptor::of<int>());
    AnyMapStorage any_map(TypeDescriptor::of<int>(), TypeDescriptor::of<std::string>());
    for (int i = 1; i != 4; ++i) {
        const std::string text = std::to_string(i);
        any_set.insert(&i);
        any_map.insert(&i, &text);
    }
    const int two = 2, one_more = 9;
    any_set.erase(&two);
    any_map.erase(&two);
    HashIndex<std::allocator<std::byte>> hash_index;
    hash_index.make_room([](auto&&) {});
    hash_index.place(0x1234'5678'9ABC'DEF0u, 3);
    const PortableHashIndex<std::allocator<std::byte>> portable_index;
    const GroupIndex<std::allocator<std::byte>, decltype(fingerprints_of(portable_index))> group_index;
    const SetView<int> set_view(key_set);
    const MapView<std::string, int> map_view(map_storage);
#ifdef HAS_BOOST
    const BoostIndex<std::allocator<std::byte>> boost_index;
#endif
#ifdef HAS_ROBIN
    const RobinIndex<std::allocator<std::byte>> robin_index;
#endif
#ifdef HAS_ANKERL
    const AnkerlIndex<std::allocator<std::byte>> ankerl_index;
#endif

    //=== series ===//
    TSSStorage<int> tss;
    TSDStorage<std::string, double> tsd;
    TSDStorage<int, TSSStorage<int>> tsd_of_sets;
    Subscriber subscriber;
    const auto subscription = tss.subscribe(subscriber);
    {
        auto writer = tss.write(1);
        writer.add(1), writer.add(2), writer.add(3);
        auto prices = tsd.write(1);
        prices.set("bund", 131.5), prices.set("bobl", 117.25), prices.create("schatz");
    }
    {
        auto writer = tss.write(2);
        writer.remove(2), writer.add(4);
        auto prices = tsd.write(2);
        prices.remove("bobl"), prices.set("bund", 132.5);
        auto sets = tsd_of_sets.write(2);
        sets.create(7);
        sets.modify(7).add(77);
    }
    const TSSStorage<int> no_tss;
    const TSSView<int> tss_view(tss);
    const TSDView<std::string, double> tsd_view(tsd);
    const auto& tracker = tss.tracker();
    const auto& times = tss.times();
    const auto delta_range = tss.added(2);
    const ObserverArray<int> no_observers;
    ObserverArray<int> observers;
    const auto key_subscription = observers.subscribe(5, 1, subscriber);
    Listener unused;
    auto tss_writer = tss.write(2);
    auto tsd_writer = tsd.write(2);

    //=== rows ===//
    SoaVector<int, std::string> soa_vector;
    SoaStruct<&Body::id, &Body::mass> soa_struct;
    AnyRows any_rows{&TypeDescriptor::of<int>(), &TypeDescriptor::of<std::string>()};
    BitColumn bit_column;
    TickColumn tick_column;
    for (int i = 0; i != 3; ++i) {
        const std::string text = std::to_string(i);
        soa_vector.push_back(i, text);
        soa_struct.push_back(Body{i, i * 10});
        any_rows.push_back({AnyValue::of(i), AnyValue::of(text)});
        bit_column.push_back(i != 1);
        tick_column.push_back(static_cast<tick_t>(100 + i));
    }
    const AnyRows no_rows;
    const auto soa_row = soa_vector[1];
    const auto struct_row = soa_struct[1];
    const auto any_span = any_rows.column(1);
    const auto described_value = DescribedValue::of(std::string("owned"));
    const DescribedValue no_value;
    const AnyColumnView any_column = any_map.values();
    AnyTSSStorage any_tss(TypeDescriptor::of<int>());
    AnyTSDStorage any_tsd(TypeDescriptor::of<int>(), TypeDescriptor::of<std::string>());
    for (int i = 1; i != 4; ++i) {
        const std::string text = std::to_string(i);
        any_tss.write(i).add(&i);
        any_tsd.write(i).set(&i, &text);
    }
    any_tss.write(4).remove(&two);
    any_tsd.write(4).create(&one_more);
    const auto any_delta = any_tsd.modified_items(3);
    const auto any_tss_writer = any_tss.write(4);
    const auto any_tsd_writer = any_tsd.write(4);

    //=== sparse ===//
    SparseSet<Bodies::handle_type> sparse_set{Bodies::handle_type(3, 1), far_handle};
    SparseMap<std::uint32_t, std::string> sparse_map;
    SparseMap<std::uint32_t, Tag<Other>> sparse_tags;
    SwitchMap<Bodies::handle_type, int> switch_map;
    EntityIndex<Bodies::handle_type, Body> entity_index;
    for (const std::uint32_t id : {5u, 1'000'000u, 7u}) {
        sparse_map.insert(id, std::to_string(id));
        sparse_tags.try_emplace(id);
        switch_map.set(Bodies::handle_type(id, 1), id < 10 ? 1 : 2);
        *entity_index.location(entity_index.create()) = Body{static_cast<int>(id), 1};
    }
    sparse_map.erase(5u);
    entity_index.destroy(entity_index.alive()[0]);
    SparseMap<std::uint32_t, int> sparse_other;
    sparse_other.insert(7, 77);
    SparseGroup sparse_group(sparse_map, sparse_other);

    //=== ecs ===//
    ArchetypeStore store;
    const Entity whale = store.spawn(Body{1, 2}, 2.5), krill = store.spawn(Body{3, 4});
    const ComponentId component = store.registry().id<Body>();
    const ComponentId related = pair(store.registry().add_relation("eats"), krill), all_related = pair(any, whale);
    Table table(store.registry(), std::span(&component, 1));
    table.push_back(whale, 1, [](std::size_t, void* to) { ::new (to) Body{5, 6}; });
    EventQueue<int> events;
    events.push(7);
    events.update();
    events.push(8);
    events.push(9);

    //=== graph ===//
    Graph graph;
    build(graph);
    const Graph no_graph;

    //=== damaged ===//
    Wreck<Bodies> filled(0xA5), zeroed(0);
    Wreck<MapStorage<std::string, int>> filled_keyed(0xA5);
    Wreck<DenseSlotMap<int>> filled_dense(0xA5);
    Wreck<SecondaryMap<Bodies::handle_type, int>> filled_secondary(0xA5);
    Wreck<SparseSecondaryMap<Bodies::handle_type, int>> filled_sparse(0xA5);
    Wreck<TSSStorage<int>> filled_tss(0xA5);
    Wreck<AnySetStorage> filled_any(0xA5);
    Wreck<SoaVector<int, std::string>> filled_rows(0xA5);
    Wreck<AnyRows> filled_any_rows(0xA5);
    Wreck<SparseMap<std::uint32_t, std::string>> filled_sparse_map(0xA5);
    Wreck<EntityIndex<Bodies::handle_type, Body>> filled_entities(0xA5);
    Wreck<SwitchMap<Bodies::handle_type, int>> filled_switch(0xA5);
    Wreck<Graph> filled_graph(0xA5);
    auto& graph_wreck = filled_graph.object();
    Bodies& wreck = filled.object();
    Bodies& zero_wreck = zeroed.object();
    auto& keyed_wreck = filled_keyed.object();
    auto& dense_wreck = filled_dense.object();
    auto& secondary_wreck = filled_secondary.object();
    auto& sparse_wreck = filled_sparse.object();
    auto& tss_wreck = filled_tss.object();
    auto& any_wreck = filled_any.object();
    auto& soa_wreck = filled_rows.object();
    auto& rows_wreck = filled_any_rows.object();
    auto& map_wreck = filled_sparse_map.object();
    auto& entity_wreck = filled_entities.object();
    auto& switch_wreck = filled_switch.object();
    // All numbers are sound, but the arrays lie where nothing is mapped.
    Wreck<Bodies> torn_bytes(0);
    std::memcpy(torn_bytes.bytes, static_cast<const void*>(&map), sizeof(Bodies));
    std::memset(torn_bytes.bytes, 0x11, sizeof(void*));
    Bodies& torn = torn_bytes.object();

    mention(null_handle, promised_handle, pending_handle, some_handle, user_handle, small_handle, nil_id, public_id,
            reserved_handle, empty, moved_to, row, row_pointer, column_view, slot_range, value_array, plain_array, no_token,
            no_secondary, no_storage, set_view, map_view, no_tss, no_observers, tss_view, tsd_view, tracker, times, delta_range,
            unused, wreck, zero_wreck, keyed_wreck, dense_wreck, secondary_wreck, sparse_wreck, tss_wreck, any_wreck, torn,
            no_rows, soa_row, struct_row, any_span, described_value, no_value, any_column, any_delta, any_tss_writer,
            any_tsd_writer, soa_wreck, rows_wreck, map_wreck, entity_wreck, switch_wreck, graph_wreck, no_graph, related,
            all_related);
    stop_here();
    std::printf("%d\n", stops + static_cast<int>(map.size()));
}
