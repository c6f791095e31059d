// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowPins: the pins of all nodes of a graph, flat by number, with their values, change counters and links.
#ifndef SLOTWISE_GRAPH_DATAFLOW_PINS_HPP
#define SLOTWISE_GRAPH_DATAFLOW_PINS_HPP

#include "../core/versioned.hpp"
#include "../memory/paged_array.hpp"
#include "../memory/plain_vector.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Whether f(value), which edits a value in place, says if that was a change: it returns bool. A result that converts to bool
/// is no answer: [&](int& value) { return value = 0; } has changed the value.
template <class F, class Value>
inline constexpr bool answers_change = [] {
    using result = std::invoke_result_t<F&, Value&>;
    static_assert(
        std::is_void_v<result> || std::is_same_v<result, bool>,
        "DataflowGraph edit_input, DataflowContext edit_output: f(value) returns nothing, or a bool that says whether "
        "it has changed the value; cast what converts to bool");
    return std::is_same_v<result, bool>;
}();

/// What a pin is linked to. The consumers of an output are a list through its inputs, in the order of their links.
struct PinLink {
    slot_t source; ///< of an input: the pin whose value it reads, itself if it has a constant; of an output: itself
    slot_t next;   ///< of an input: the next consumer of its source; of an output: its first consumer; or no_slot
    slot_t prev;   ///< of an input: the consumer before it, or no_slot; of an output: its last consumer, or no_slot
    slot_t owner;  ///< the slot of its node
};

/// Each node has a run of pins, inputs first. Each pin has a value: an input's is its constant. It does not know nodes, nor
/// when a value differs. @tparam Allocator of bytes
template <class Value, class Allocator>
class DataflowPins {
    using traits = std::allocator_traits<rebind_t<Allocator, Value>>;
    template <class T>
    using Column = PlainVector<T, Allocator>;

public:
    explicit DataflowPins(const Allocator& alloc) noexcept
        : links(alloc), reads(alloc), counters(alloc), seen(alloc), values_(alloc), free_(alloc) {}
    /// @param take take(Value&) answers what a value is built from: a copy, or the value itself
    template <class Take>
    DataflowPins(const DataflowPins& other, const Allocator& alloc, Take take)
        : links(other.links, alloc), reads(other.reads, alloc), counters(other.counters, alloc), seen(other.seen, alloc),
          values_(alloc), free_(other.free_, alloc), used_(other.used_) {
        values_.reserve(links.size());
        slot_t built = 0;
        ScopeGuard undo([&]() noexcept { destroy_used(built); });
        for (; built != links.size(); ++built)
            if (used(built)) build(built, take(*other.values_.ptr(built)));
        undo.dismiss();
        for (slot_t pin = 0; pin != built; ++pin)
            if (used(pin)) reads[pin] = values_.ptr(links[pin].source);
    }
    DataflowPins(const DataflowPins&) = delete;
    DataflowPins& operator=(const DataflowPins&) = delete;
    ~DataflowPins() { destroy_used(static_cast<slot_t>(links.size())); }
    void swap(DataflowPins& other) noexcept {
        links.swap(other.links);
        reads.swap(other.reads);
        counters.swap(other.counters);
        seen.swap(other.seen);
        values_.swap(other.values_);
        free_.swap(other.free_);
        std::swap(used_, other.used_);
    }

    /// The pin's own value: of an input the constant.
    const Value& value(slot_t pin) const noexcept { return *values_.ptr(pin); }
    Value& value(slot_t pin) noexcept { return *values_.ptr(pin); }
    /// How many pins there are.
    std::size_t size() const noexcept { return used_; }
    bool used(slot_t pin) const noexcept { return links[pin].owner != no_slot; }

    /// Room for `count` pins in all. Throws what the allocator throws; strong
    void reserve(std::size_t count) {
        make_room(links, count);
        make_room(reads, count);
        make_room(counters, count);
        make_room(seen, count);
        values_.reserve(count);
    }
    /// A run of `count` pins with values Value() and no links; their counters are for the caller to set.
    /// Throws what the allocator and Value's constructor throw; strong
    slot_t make_run(std::size_t count, slot_t owner) {
        if (count == 0) return 0;
        if (free_.size() <= count) free_.resize(count + 1, no_slot);
        const bool reused = free_[count] != no_slot;
        const std::size_t first = reused ? free_[count] : links.size();
        const std::size_t end = first + count;
        if (!reused) {
            if (end >= no_slot) throw_length_error("DataflowGraph: it has more than 2^32 - 2 pins; make another graph");
            make_room(links, end);
            make_room(reads, end);
            make_room(counters, end);
            make_room(seen, end);
            if (end > values_.capacity()) values_.reserve(end > values_.grown_capacity() ? end : values_.grown_capacity());
        }
        std::size_t built = first;
        ScopeGuard undo([&]() noexcept {
            while (built != first) destroy(--built);
        });
        for (; built != end; ++built) build(built);
        undo.dismiss();
        if (reused)
            free_[count] = links[first].next;
        else {
            links.resize(end);
            reads.resize(end);
            counters.resize(end);
            seen.resize(end);
        }
        for (std::size_t pin = first; pin != end; ++pin) {
            links[pin] = {static_cast<slot_t>(pin), no_slot, no_slot, owner};
            reads[pin] = values_.ptr(static_cast<slot_t>(pin));
            counters[pin] = seen[pin] = 0;
        }
        used_ += count;
        return static_cast<slot_t>(first);
    }
    /// Destroys the values. @pre nothing is linked to the run
    void release(slot_t first, std::size_t count) noexcept {
        if (count == 0) return;
        for (std::size_t pin = first; pin != first + count; ++pin) {
            destroy(pin);
            links[pin].owner = no_slot;
        }
        links[first].next = free_[count];
        free_[count] = first;
        used_ -= count;
    }

    /// @pre the input has a constant
    void link(slot_t output, slot_t input) noexcept {
        PinLink& from = links[output];
        PinLink& to = links[input];
        to.source = output;
        reads[input] = values_.ptr(output);
        to.prev = from.prev;
        to.next = no_slot;
        (from.prev == no_slot ? from.next : links[from.prev].next) = input;
        from.prev = input;
    }
    /// The input reads its constant again. @pre it has a source
    void unlink(slot_t input) noexcept {
        PinLink& to = links[input];
        PinLink& from = links[to.source];
        (to.prev == no_slot ? from.next : links[to.prev].next) = to.next;
        (to.next == no_slot ? from.prev : links[to.next].prev) = to.prev;
        to = {input, no_slot, no_slot, to.owner};
        reads[input] = values_.ptr(input);
    }
    bool linked(slot_t input) const noexcept { return links[input].source != input; }
    /// Moves an input, with its constant, mark and link, to a pin of a new run. @pre Value's move does not throw
    void move_input(slot_t from, slot_t to) noexcept {
        move_state(from, to);
        if (!linked(from)) return;
        const PinLink link = links[from];
        links[to].source = link.source;
        reads[to] = reads[from];
        links[to].next = link.next;
        links[to].prev = link.prev;
        (link.prev == no_slot ? links[link.source].next : links[link.prev].next) = to;
        (link.next == no_slot ? links[link.source].prev : links[link.next].prev) = to;
        links[from] = {from, no_slot, no_slot, link.owner};
    }
    /// Moves an output, with its value, counter and consumers.
    void move_output(slot_t from, slot_t to) noexcept {
        move_state(from, to);
        links[to].next = links[from].next;
        links[to].prev = links[from].prev;
        for (slot_t input = links[to].next; input != no_slot; input = links[input].next) {
            links[input].source = to;
            reads[input] = reads[to];
        }
        links[from].next = links[from].prev = no_slot;
    }

    std::size_t memory_usage() const noexcept { return memory_of(links, reads, counters, seen, values_, free_); }
    /// Whether links agree from both sides; for tests.
    bool check_invariants() const noexcept {
        std::size_t count = 0;
        for (slot_t pin = 0; pin != links.size(); ++pin) {
            if (!used(pin)) continue;
            ++count;
            if (reads[pin] != values_.ptr(links[pin].source)) return false;
        }
        return count == used_ && counters.size() == links.size() && seen.size() == links.size() &&
               links.size() <= values_.capacity();
    }

    // By pin.
    Column<PinLink> links;
    Column<Value*> reads;      // where the value of its source lies, so that a read is one load and no search for a page
    Column<change_t> counters; // of its own value
    // Of an input: the counter of what it read when its node last ran, 0 before. Of an output: the evaluation that wrote it.
    Column<change_t> seen;

private:
    template <class T>
    static void make_room(Column<T>& column, std::size_t count) {
        if (count > column.capacity()) column.reserve(count > 2 * column.capacity() ? count : 2 * column.capacity());
    }
    void move_state(slot_t from, slot_t to) noexcept {
        value(to) = std::move(value(from));
        counters[to] = counters[from];
        seen[to] = seen[from];
    }
    template <class... Args>
    void build(std::size_t pin, Args&&... args) {
        auto alloc = values_.get_allocator();
        traits::construct(alloc, values_.ptr(static_cast<slot_t>(pin)), std::forward<Args>(args)...);
    }
    void destroy(std::size_t pin) noexcept {
        auto alloc = values_.get_allocator();
        traits::destroy(alloc, values_.ptr(static_cast<slot_t>(pin)));
    }
    void destroy_used(slot_t end) noexcept {
        for (slot_t pin = 0; pin != end; ++pin)
            if (used(pin)) destroy(pin);
    }

    PagedArray<Value, rebind_t<Allocator, Value>> values_;
    Column<slot_t> free_; // by length: the first free run of it; the rest through links
    std::size_t used_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
