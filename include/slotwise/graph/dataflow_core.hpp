// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowCore: nodes, pins, order and dirty nodes of a DataflowGraph side by side, and the places where they change together.
#ifndef SLOTWISE_GRAPH_DATAFLOW_CORE_HPP
#define SLOTWISE_GRAPH_DATAFLOW_CORE_HPP

#include "../map/slot_map.hpp"
#include "dataflow_pins.hpp"
#include "dataflow_record.hpp"
#include "dirty_set.hpp"
#include "output_subscribers.hpp"
#include "same_value.hpp"
#include "topological_order.hpp"
#include "written_outputs.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The arguments With... of a graph.
template <class... With>
using DataflowArguments = Arguments<with_tag | with_alloc, NoOptions, std::byte, NoKey, With...>;

/// @tparam X the graph, by whose handles nodes are named @tparam Allocator of bytes
template <class Node, class Value, class Equal, class X, class Allocator>
struct DataflowCore {
    using Record = DataflowRecord<Node, Allocator>;
    using Records = SlotMap<Record, Tag<X>, AllocBy<rebind_t<Allocator, Record>>>;
    template <class T>
    using List = PlainVector<T, Allocator>;
    using Handle = HandleOf<X>;
    /// What a run needs first of the node at a position: found by one load, where the slot and its record would be two.
    struct Place {
        Record* record;
        slot_t first, inputs;
    };

    explicit DataflowCore(const Allocator& alloc, const Equal& by = Equal())
        : records(rebind_t<Allocator, Record>(alloc)), pins(alloc), order(alloc), dirty(alloc), stateful(alloc), by_slot(alloc),
          places(alloc), written(alloc), subscribers(alloc), changed(alloc), equal(by) {}
    DataflowCore(const DataflowCore& other, const Allocator& alloc)
        : records(other.idle().records, rebind_t<Allocator, Record>(alloc)),
          pins(other.pins, alloc, [](Value& value) -> const Value& { return value; }), order(other.order, alloc),
          dirty(other.dirty, alloc), stateful(other.stateful, alloc), by_slot(alloc), places(alloc), written(alloc),
          subscribers(alloc), changed(alloc), clock(other.clock), evaluations(other.evaluations), links(other.links),
          equal(other.equal) {
        list_all(other.by_slot.size());
    }
    /// Moves nodes and values one by one. @pre Node has a move
    DataflowCore(DataflowCore&& other, const Allocator& alloc)
        : records(std::move(other.records), rebind_t<Allocator, Record>(alloc)),
          pins(other.pins, alloc, [](Value& value) -> Value&& { return std::move(value); }), order(other.order, alloc),
          dirty(other.dirty, alloc), stateful(other.stateful, alloc), by_slot(alloc), places(alloc), written(alloc),
          subscribers(other.subscribers, alloc), changed(alloc), clock(other.clock), evaluations(other.evaluations),
          links(other.links), equal(other.equal) {
        list_all(other.by_slot.size());
    }
    DataflowCore(const DataflowCore&) = delete;
    DataflowCore& operator=(const DataflowCore&) = delete;
    ~DataflowCore() = default;
    Allocator get_allocator() const noexcept { return Allocator(records.get_allocator()); }
    /// Takes the contents of another graph. @pre this is empty
    void take(DataflowCore& other) {
        other.expect_idle();
        if (get_allocator() == other.get_allocator()) return swap(other);
        if constexpr (!always_equal<Allocator> && std::is_move_constructible_v<Node>) {
            const ScopeGuard emptied([&]() noexcept { other.clear(); }); // also when a move throws
            DataflowCore moved(std::move(other), get_allocator());
            swap(moved);
        }
    }
    void swap(DataflowCore& other) noexcept {
        expect_idle();
        other.expect_idle();
        std::swap(equal, other.equal);
        exchange_by_moving(records, other.records); // its own swap would move nodes, if allocators differ
        pins.swap(other.pins);
        order.swap(other.order);
        dirty.swap(other.dirty);
        stateful.swap(other.stateful);
        by_slot.swap(other.by_slot);
        places.swap(other.places);
        written.swap(other.written);
        changed.swap(other.changed);
        subscribers.swap(other.subscribers);
        std::swap(clock, other.clock);
        std::swap(evaluations, other.evaluations);
        std::swap(links, other.links);
    }

    static auto inner(Handle node) noexcept { return Records::handle_type::from_bits(node.to_bits()); }
    Handle handle_at(slot_t slot) const noexcept { return Handle::from_bits(records.handle_at(slot).to_bits()); }
    bool equals(const Value& a, const Value& b) const { return pin_equal(equal, a, b); }
    static slot_t input_pin(const Record& record, std::size_t input) noexcept {
        return record.first + static_cast<slot_t>(input);
    }
    static slot_t output_pin(const Record& record, std::size_t output) noexcept {
        return record.first + record.inputs + static_cast<slot_t>(output);
    }
    void expect_idle() const noexcept {
        SLOTWISE_EXPECT(!running, "DataflowGraph: evaluate() is running, or a node is built or destroyed, and nodes and links "
                                  "cannot change meanwhile; note the change, and make it when that has returned");
    }
    const DataflowCore& idle() const noexcept {
        expect_idle();
        return *this;
    }
    /// User code runs as long as this lives, and must not change nodes and links.
    class Running {
    public:
        explicit Running(DataflowCore& core) noexcept : core_(core) {
            core.expect_idle();
            core.running = true;
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        ~Running() { core_.running = false; }

    private:
        DataflowCore& core_;
    };
    SLOTWISE_ALWAYS_INLINE void soil(slot_t slot) noexcept { dirty.set(order.position(slot)); }

    //=== nodes ===//

    /// Throws what the allocator and the constructors throw; strong @return the handle of its record
    template <class... Args>
    auto add(const NodeInfo* info, std::size_t inputs, std::size_t outputs, Args&&... args) {
        return add_record(info, inputs, outputs, [&] { return records.emplace(std::in_place, std::forward<Args>(args)...); });
    }
    /// The same under a reserved handle. @pre it is reserved
    template <class... Args>
    void fulfill(Handle node, const NodeInfo* info, std::size_t inputs, std::size_t outputs, Args&&... args) {
        add_record(info, inputs, outputs, [&] {
            static_cast<void>(records.fulfill(inner(node), std::in_place, std::forward<Args>(args)...));
            return inner(node);
        });
    }
    /// @param emplace builds the record and returns its handle
    template <class Emplace>
    auto add_record(const NodeInfo* info, std::size_t inputs, std::size_t outputs, Emplace&& emplace) {
        const std::size_t most = records.capacity(); // the highest slot that the node can get
        if (most >= no_slot) throw_length_error("DataflowGraph add(node, ...): there are 2^32 - 1 nodes; make another graph");
        order.reserve(static_cast<slot_t>(most));
        dirty.reserve(order.positions() + 1);
        stateful.reserve(most + 1);
        while (by_slot.size() <= most) by_slot.push_back(nullptr);
        while (places.size() <= order.positions()) places.push_back({nullptr, 0, 0});
        reserve_scratch(inputs, outputs);
        const slot_t first = new_pins(inputs, outputs);
        ScopeGuard undo([&]() noexcept { pins.release(first, inputs + outputs); });
        const auto handle = emplace();
        undo.dismiss();
        const slot_t slot = handle.index();
        Record& record = records[handle];
        record.first = first;
        record.inputs = static_cast<slot_t>(inputs);
        record.outputs = static_cast<slot_t>(outputs);
        record.info = info;
        own_pins(record, slot);
        by_slot[slot] = std::addressof(record);
        order.append(slot);
        place(slot);
        dirty.set(order.positions() - 1);
        set_flags(record, slot, node_is_due | (info == nullptr ? NodeFlags::none : info->flags & settable_flags));
        return handle;
    }
    /// Cuts the node's links and removes its pins. Its record is then to be erased, as the last step.
    void take_out(Record& record, slot_t slot) noexcept {
        for (slot_t o = 0; o != record.outputs; ++o) subscribers.end(output_pin(record, o));
        for (slot_t i = 0; i != record.inputs; ++i)
            if (pins.linked(record.first + i)) cut(record.first + i);
        for (slot_t o = 0; o != record.outputs; ++o) cut_consumers(output_pin(record, o));
        pins.release(record.first, std::size_t{record.inputs} + record.outputs);
        dirty.reset(order.position(slot));
        stateful.reset(slot);
        order.erase(slot);
        by_slot[slot] = nullptr;
        if (order.sparse()) compact();
    }
    /// Closes the gaps in the order. Dirty bits follow.
    void compact() noexcept {
        order.compact([this](std::size_t from, std::size_t to) { follow(from, to); });
    }
    /// Throws what the allocator throws; the graph is as before
    void reserve(std::size_t nodes, std::size_t more_pins) {
        records.reserve(nodes);
        const std::size_t most = records.capacity();
        if (nodes > records.size()) order.reserve(static_cast<slot_t>(most), nodes - records.size());
        dirty.reserve(order.positions() + nodes);
        stateful.reserve(most + 1);
        by_slot.reserve(most + 1);
        places.reserve(order.positions() + nodes);
        pins.reserve(more_pins);
    }
    /// Throws what the allocator and Value's constructor throw; strong
    void set_pins(Record& record, slot_t slot, std::size_t inputs, std::size_t outputs) {
        reserve_scratch(inputs, outputs);
        const slot_t first = new_pins(inputs, outputs);
        ScopeGuard undo([&]() noexcept { pins.release(first, inputs + outputs); });
        if (outputs != 0) subscribers.reserve(first + static_cast<slot_t>(inputs + outputs - 1));
        undo.dismiss();
        for (std::size_t i = inputs; i < record.inputs; ++i)
            if (pins.linked(input_pin(record, i))) cut(input_pin(record, i));
        for (std::size_t o = outputs; o < record.outputs; ++o) {
            cut_consumers(output_pin(record, o));
            subscribers.end(output_pin(record, o));
        }
        const slot_t old = record.first, old_inputs = record.inputs, old_outputs = record.outputs;
        for (slot_t i = 0; i != old_inputs && i != inputs; ++i) pins.move_input(old + i, first + i);
        for (slot_t o = 0; o != old_outputs && o != outputs; ++o) {
            pins.move_output(old + old_inputs + o, first + static_cast<slot_t>(inputs) + o);
            subscribers.move(old + old_inputs + o, first + static_cast<slot_t>(inputs) + o);
        }
        pins.release(old, std::size_t{old_inputs} + old_outputs);
        record.first = first;
        record.inputs = static_cast<slot_t>(inputs);
        record.outputs = static_cast<slot_t>(outputs);
        own_pins(record, slot);
        place(slot);
        set_flags(record, slot, record.flags | node_is_due);
        ++record.edits;
    }
    void clear() noexcept {
        subscribers.clear();
        by_slot.clear();
        places.clear();
        dirty.clear();
        stateful.clear();
        order.clear();
        DataflowPins<Value, Allocator> gone(get_allocator());
        gone.swap(pins);
        links = 0;
        records.clear();
    }
    void set_flags(Record& record, slot_t slot, NodeFlags flags) noexcept {
        record.flags = flags;
        if (has_any(flags, runs_anyway)) soil(slot);
        if (has_any(flags, NodeFlags::stateful))
            stateful.set(slot);
        else
            stateful.reset(slot);
    }

    //=== links ===//

    /// Links an input to an output that it does not read yet; false, and no change, if that would close a cycle: order.path()
    /// then says which. Throws what the allocator throws; strong
    bool connect(slot_t from, slot_t output, slot_t to, slot_t input) {
        using Edge = typename TopologicalOrder<Allocator>::Edge;
        const Edge needs = order.find(
            from, to,
            [this](slot_t slot, auto&& visit) {
                const Record& record = *by_slot[slot];
                for (slot_t o = 0; o != record.outputs; ++o)
                    for (slot_t at = pins.links[output_pin(record, o)].next; at != no_slot; at = pins.links[at].next)
                        if (!visit(pins.links[at].owner)) return;
            },
            [this](slot_t slot, auto&& visit) {
                const Record& record = *by_slot[slot];
                for (slot_t i = 0; i != record.inputs; ++i)
                    if (pins.linked(record.first + i) && !visit(pins.links[pins.links[record.first + i].source].owner)) return;
            });
        if (needs == Edge::cycle) return false;
        if (needs == Edge::reorder) reorder();
        if (pins.linked(input)) cut(input);
        pins.link(output, input);
        ++links;
        soil(to);
        return true;
    }
    /// The input reads its constant again. @pre it is linked
    void cut(slot_t input) noexcept {
        pins.unlink(input);
        --links;
        soil(pins.links[input].owner);
    }
    void constant_changed(Record& record, slot_t pin) noexcept {
        pins.counters[pin] = ++clock;
        ++record.edits;
        if (!pins.linked(pin)) soil(pins.links[pin].owner);
    }

    //=== runs ===//

    /// Records what the node reads now, and notes which of it changed. Whether any did.
    SLOTWISE_ALWAYS_INLINE bool read_inputs(const Place& at) noexcept {
        const PinLink* link = pins.links.data() + at.first;
        const PinLink* const end = link + at.inputs;
        change_t* seen = pins.seen.data() + at.first;
        const change_t* const counters = pins.counters.data();
        bits::word_t* words = changed.data();
        bits::word_t any = 0, word = 0, bit = 1;
        for (; link != end; ++link, ++seen) {
            const change_t now = counters[link->source];
            word |= now != *seen ? bit : 0;
            *seen = now;
            bit += bit;
            if (bit == 0) [[unlikely]] {
                any |= word;
                *words++ = word;
                word = 0;
                bit = 1;
            }
        }
        *words = word;
        return (any | word) != 0;
    }
    /// The running node has changed this output. Consumers are dirty then, and stay so if the change is taken back: their marks
    /// decide whether they run.
    SLOTWISE_ALWAYS_INLINE void publish(slot_t pin) noexcept {
        pins.counters[pin] = ++clock;
        for (slot_t to = pins.links[pin].next; to != no_slot; to = pins.links[to].next) soil(pins.links[to].owner);
        if (subscribers.has(pin)) [[unlikely]] {
            const slot_t slot = pins.links[pin].owner;
            subscribers.note(pin, handle_at(slot), pin - by_slot[slot]->first - by_slot[slot]->inputs);
        }
    }
    /// After an evaluation. @pre nothing runs
    void notify() noexcept {
        subscribers.notify(
            [this](Handle node, slot_t output) {
                const Record* const record = records.get(inner(node));
                return record == nullptr || output >= record->outputs ? no_slot : output_pin(*record, output);
            },
            [this](slot_t pin) -> const Value& { return pins.value(pin); }, [this](slot_t pin) { return pins.counters[pin]; });
    }
    /// Outputs and counters are as before the run, but for those that were edited in place.
    void roll_back() noexcept {
        for (WrittenOutput<Value>& each : written)
            if (each.kept) {
                pins.value(each.pin) = std::move(each.before);
                pins.counters[each.pin] = each.counter;
            }
    }
    /// Whether an output is another than before the run.
    bool wrote() noexcept {
        for (const WrittenOutput<Value>& each : written)
            if (pins.counters[each.pin] != each.counter) return true;
        return false;
    }
    /// After a run. @param took_back whether what was written may be as before
    SLOTWISE_ALWAYS_INLINE void finish(Record& record, bool took_back) noexcept {
        if (written.empty()) return;
        if (!took_back || wrote()) record.changed = evaluations;
        written.clear();
    }

    //=== whole ===//

    /// Whether two nodes have equal pins, links, marks and flags.
    bool same(const Record& mine, const DataflowCore& other, const Record& its) const {
        if (!(mine.node == its.node) || mine.info != its.info || mine.inputs != its.inputs || mine.outputs != its.outputs ||
            mine.flags != its.flags || mine.ran != its.ran || mine.changed != its.changed)
            return false;
        for (slot_t i = 0; i != mine.inputs + mine.outputs; ++i) {
            const slot_t a = mine.first + i, b = its.first + i;
            if (pins.counters[a] != other.pins.counters[b] || (i < mine.inputs && pins.seen[a] != other.pins.seen[b]) ||
                pins.linked(a) != other.pins.linked(b) || !equals(pins.value(a), other.pins.value(b)))
                return false;
            if (!pins.linked(a)) continue;
            const slot_t from = pins.links[a].source, its_from = other.pins.links[b].source;
            const slot_t slot = pins.links[from].owner;
            if (slot != other.pins.links[its_from].owner ||
                from - by_slot[slot]->first != its_from - other.by_slot[slot]->first)
                return false;
        }
        return true;
    }
    std::size_t memory_usage() const noexcept {
        return memory_of(records, pins, order, dirty, stateful, by_slot, places, written, subscribers, changed);
    }
    bool check_invariants() const {
        if (!records.check_invariants() || !pins.check_invariants() || !order.check_invariants() || !dirty.check_invariants() ||
            !stateful.check_invariants() || !written.empty())
            return false;
        std::size_t count = 0, linked = 0, consumers = 0, nodes = 0;
        for (std::size_t at = 0; at != order.positions(); ++at) nodes += order.slot_at(at) != no_slot;
        for (const slot_t slot : records.live_slots()) {
            const Record* const record = by_slot[slot];
            if (record != std::addressof(*records.get(records.handle_at(slot))) ||
                order.slot_at(order.position(slot)) != slot ||
                stateful.test(slot) != has_any(record->flags, NodeFlags::stateful))
                return false;
            const bool waits = dirty.test(order.position(slot));
            const Place& here = places[order.position(slot)];
            if (here.record != record || here.first != record->first || here.inputs != record->inputs) return false;
            if (has_any(record->flags, runs_anyway) && !waits) return false;
            for (slot_t i = 0; i != record->inputs + record->outputs; ++i) {
                const slot_t pin = record->first + i;
                ++count;
                if (pins.links[pin].owner != slot || pins.counters[pin] == 0 || pins.counters[pin] > clock) return false;
                const slot_t source = pins.links[pin].source;
                if (i < record->inputs) {
                    if (pins.counters[source] != pins.seen[pin] && !waits) return false;
                    if (source == pin) continue;
                    ++linked;
                    if (order.position(pins.links[source].owner) >= order.position(slot)) return false;
                } else {
                    if (source != pin || pins.seen[pin] > evaluations) return false;
                    slot_t before = no_slot;
                    for (slot_t to = pins.links[pin].next; to != no_slot; before = to, to = pins.links[to].next, ++consumers)
                        if (pins.links[to].source != pin || pins.links[to].prev != before) return false;
                    if (pins.links[pin].prev != before) return false;
                }
            }
        }
        return count == pins.size() && linked == links && consumers == links && nodes == records.size();
    }

    /// Room for the run of a node with this many pins. Throws what the allocator throws; strong
    void reserve_scratch(std::size_t inputs, std::size_t outputs) {
        const std::size_t words = inputs / bits::word_bits + 1;
        if (changed.size() < words) changed.resize(words);
        written.reserve(outputs);
    }
    void list_records(std::size_t slot_count) {
        by_slot.assign(slot_count, nullptr);
        for (auto [handle, record] : records.items()) by_slot[handle.index()] = std::addressof(record);
    }
    void list_all(std::size_t slot_count) {
        list_records(slot_count);
        list_places();
        for (const Record& record : records) reserve_scratch(record.inputs, record.outputs);
    }
    /// What is kept by position, of all nodes. Throws what the allocator throws; strong
    void list_places() {
        places.resize(order.positions(), {nullptr, 0, 0});
        for (const slot_t slot : records.live_slots()) place(slot);
    }
    void place(slot_t slot) noexcept {
        Record* const record = by_slot[slot];
        places[order.position(slot)] = {record, record->first, record->inputs};
    }

    Records records;
    DataflowPins<Value, Allocator> pins;
    TopologicalOrder<Allocator> order;
    DirtySet<Allocator> dirty;    // by position: nodes that may have to run; their marks decide
    DirtySet<Allocator> stateful; // by slot
    List<Record*> by_slot;
    List<Place> places;                       // by position
    WrittenOutputs<Value, Allocator> written; // by the running node
    OutputSubscribers<Handle, Value, Allocator> subscribers;
    List<bits::word_t> changed; // of its inputs, a bit each
    change_t clock = 0;         // the last counter given
    change_t evaluations = 0;
    std::size_t links = 0;
    bool running = false;
    SLOTWISE_NO_UNIQUE_ADDRESS Equal equal;

private:
    slot_t new_pins(std::size_t inputs, std::size_t outputs) {
        if (inputs >= no_slot || outputs >= no_slot - inputs)
            throw_length_error("DataflowGraph: a node cannot have 2^32 - 1 pins; give it fewer");
        return pins.make_run(inputs + outputs, 0);
    }
    void own_pins(const Record& record, slot_t slot) noexcept {
        for (slot_t pin = record.first; pin != record.first + record.inputs + record.outputs; ++pin) {
            pins.links[pin].owner = slot;
            if (pins.counters[pin] == 0) pins.counters[pin] = ++clock;
        }
    }
    void cut_consumers(slot_t output) noexcept {
        while (pins.links[output].next != no_slot) {
            const slot_t input = pins.links[output].next;
            ++by_slot[pins.links[input].owner]->edits;
            cut(input);
        }
    }
    /// What is kept by position follows a node.
    void follow(std::size_t from, std::size_t to) noexcept {
        places[to] = places[from];
        if (!dirty.test(from)) return;
        dirty.reset(from);
        dirty.set(to);
    }
    /// Throws what the allocator throws; strong
    void reorder() {
        const std::size_t end = order.end_after_reorder();
        dirty.reserve(end);
        if (places.size() < end) places.resize(end, {nullptr, 0, 0});
        order.make_way([this](std::size_t from, std::size_t to) { follow(from, to); });
        order.for_each_move([this](slot_t slot, slot_t from, slot_t) {
            order.note(slot, dirty.test(from));
            dirty.reset(from);
        });
        order.apply();
        order.for_each_move([this](slot_t slot, slot_t, slot_t) {
            place(slot);
            if (order.noted(slot)) soil(slot);
        });
        if (order.sparse()) compact();
    }
};

} // namespace detail
SLOTWISE_END

#endif
