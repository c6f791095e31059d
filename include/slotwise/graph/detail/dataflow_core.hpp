// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowCore: the engine of a DataflowGraph, and its parts: pins, written outputs, dirty nodes.
#ifndef SLOTWISE_GRAPH_DETAIL_DATAFLOW_CORE_HPP
#define SLOTWISE_GRAPH_DETAIL_DATAFLOW_CORE_HPP

#include "../../core/detail/bits.hpp"
#include "../../core/hash.hpp"
#include "../../core/versioned.hpp"
#include "../../map/identity_map.hpp"
#include "../../map/slot_map.hpp"
#include "../../memory/allocator.hpp"
#include "../../memory/paged_array.hpp"
#include "../../memory/plain_vector.hpp"
#include "../node_info.hpp"
#include "../output_subscriber.hpp"
#include "topological_order.hpp"

#include <bit>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

//=== when a value is another ===//

/// Whether == of T may say that a value differs from itself: T is a floating-point number, or a type below with such parts.
template <class T>
struct HasFloats : std::is_floating_point<T> {};
template <class T>
concept FloatRange = requires(const T& range) {
    typename T::value_type;
    range.begin() != range.end();
    range.size();
} && HasFloats<typename T::value_type>::value;
template <FloatRange T>
struct HasFloats<T> : std::true_type {};
template <class T>
concept FloatOptional = requires(const T& value) {
    typename T::value_type;
    value.has_value();
    *value;
} && HasFloats<typename T::value_type>::value;
template <FloatOptional T>
struct HasFloats<T> : std::true_type {};
template <template <class...> class V, class... Ts>
    requires(requires(const V<Ts...>& value) { value.valueless_by_exception(); } && (HasFloats<Ts>::value || ...))
struct HasFloats<V<Ts...>> : std::true_type {
    static constexpr std::size_t alternatives = sizeof...(Ts);
};

/// Whether the sign bit is set.
template <class T>
constexpr bool is_negative(T number) noexcept {
    if constexpr (sizeof(T) == sizeof(std::uint32_t))
        return std::bit_cast<std::uint32_t>(number) >> 31 != 0;
    else if constexpr (sizeof(T) == sizeof(std::uint64_t))
        return std::bit_cast<std::uint64_t>(number) >> 63 != 0;
    else
        return number < 0; // of a long double: both zeros are equal
}

template <class T>
constexpr bool is_no_number(const T& number) noexcept {
    return !(number <= T(0) || number > T(0));
}

/// Whether a and b are equal. A NaN equals any NaN, so that a node that yields NaN again has not changed. A float of another
/// sign is a change, also if both are zero, because 1 / x differs. Ranges, optionals and variants of floats are compared by
/// their parts. In any other type == decides. A NaN inside of it counts as a change: a needless run does less harm than a
/// missed one.
template <class T>
constexpr bool same_value(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) {
        // Without ==, because strict users have -Wfloat-equal.
        if (!(a <= b && a >= b)) return is_no_number(a) && is_no_number(b);
        return a < T(0) || a > T(0) || is_negative(a) == is_negative(b);
    } else if constexpr (requires { HasFloats<T>::alternatives; }) {
        if (a.index() != b.index()) return false;
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            bool same = true; // two without a value are equal
            (..., (Nth == a.index() ? static_cast<void>(same = same_value(get<Nth>(a), get<Nth>(b))) : static_cast<void>(0)));
            return same;
        }(std::make_index_sequence<HasFloats<T>::alternatives>());
    } else if constexpr (FloatRange<T>) {
        if (a.size() != b.size()) return false;
        auto other = b.begin();
        for (const auto& each : a)
            if (!same_value<typename T::value_type>(each, *other++)) return false;
        return true;
    } else if constexpr (FloatOptional<T>) {
        return a.has_value() == b.has_value() && (!a.has_value() || same_value<typename T::value_type>(*a, *b));
    } else
        return EqualTo()(a, b);
}

/// Compares values of pins by Equal.
template <class Equal, class T>
constexpr bool pin_equal(const Equal& equal, const T& a, const T& b) {
    if constexpr (std::is_same_v<Equal, EqualTo>)
        return same_value(a, b);
    else
        return static_cast<bool>(equal(a, b));
}

//=== nodes ===//

/// A flag that is not public: the node runs whatever its marks say, because it never ran, or got pins.
inline constexpr NodeFlags node_is_due{1u << 7};
/// The flags that a program may set.
inline constexpr NodeFlags settable_flags{0xFFFF'FF07u};
/// A node with one of these runs whatever its marks say.
inline constexpr NodeFlags runs_anyway = NodeFlags::always | NodeFlags::manual | node_is_due;

/// What is known of a node beside what the user keeps in it.
struct DataflowState {
    slot_t first = 0, inputs = 0, outputs = 0; // its run of pins
    NodeFlags flags = node_is_due;

    SharedNodeInfo info{};
    change_t edits = 0, ran = 0, changed = 0;
};
/// All that is known of a node.
template <class Node, class Allocator, bool = std::uses_allocator_v<Node, Allocator> && !always_equal<Allocator>>
struct DataflowRecord : DataflowState {
    template <class... Args>
    explicit DataflowRecord(std::in_place_t, Args&&... args) : node(std::forward<Args>(args)...) {}

    Node node;
};
/// The same of a Node that is built with the allocator, as with std::pmr::polymorphic_allocator.
template <class Node, class Allocator>
struct DataflowRecord<Node, Allocator, true> : DataflowState {
    using allocator_type = Allocator;
    template <class... Args>
    explicit DataflowRecord(std::in_place_t, Args&&... args) : node(std::forward<Args>(args)...) {}
    template <class... Args>
    DataflowRecord(std::allocator_arg_t, const Allocator& alloc, std::in_place_t, Args&&... args) {
        build(alloc, std::forward<Args>(args)...);
    }
    DataflowRecord(const DataflowRecord& other) : DataflowState(other), node(other.node) {}
    DataflowRecord(std::allocator_arg_t, const Allocator& alloc, const DataflowRecord& other) : DataflowState(other) {
        build(alloc, other.node);
    }
    DataflowRecord(DataflowRecord&& other) noexcept(std::is_nothrow_move_constructible_v<Node>)
        : DataflowState(other), node(std::move(other.node)) {}
    DataflowRecord(std::allocator_arg_t, const Allocator& alloc, DataflowRecord&& other) : DataflowState(other) {
        build(alloc, std::move(other.node));
    }
    DataflowRecord& operator=(const DataflowRecord&) = delete;
    ~DataflowRecord() { std::destroy_at(std::addressof(node)); }

    union {
        Node node;
    };

private:
    template <class... Args>
    void build(const Allocator& alloc, Args&&... args) {
        rebind_t<Allocator, Node> nodes(alloc);
        std::allocator_traits<decltype(nodes)>::construct(nodes, std::addressof(node), std::forward<Args>(args)...);
    }
};

//=== pins ===//

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
    /// Undoes unlink(), of the last one first. @param was the links of the input before it @pre the input has a constant
    void relink(slot_t input, const PinLink& was) noexcept {
        PinLink& from = links[was.source];
        (was.prev == no_slot ? from.next : links[was.prev].next) = input;
        (was.next == no_slot ? from.prev : links[was.next].prev) = input;
        links[input] = was;
        reads[input] = values_.ptr(was.source);
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

//=== what the running node has written, so that it can be taken back ===//

/// An output that the running node has written.
template <class Value>
struct WrittenOutput {
    slot_t pin;
    bool kept;        // `before` is the value of before the run; otherwise it was edited in place
    change_t counter; // of before the run
    Value before;
};

/// A list of them. Room for the node with the most outputs is there before it runs: a std::vector, which asks each time whether
/// it must grow, took 4 of 17 ns a node.
template <class Value, class Allocator>
class WrittenOutputs {
    using Entry = WrittenOutput<Value>;

public:
    explicit WrittenOutputs(const Allocator& alloc) noexcept : allocator_(alloc), places_(alloc) {}
    WrittenOutputs(const WrittenOutputs&) = delete;
    WrittenOutputs& operator=(const WrittenOutputs&) = delete;
    ~WrittenOutputs() { free(); }
    void swap(WrittenOutputs& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        std::swap(placed_, other.placed_);
        std::swap(capacity_, other.capacity_);
        places_.swap(other.places_);
    }
    /// @pre this is empty Throws what the allocator throws; strong
    void reserve(std::size_t count) {
        if (count <= capacity_) return;
        const std::size_t room = count < 4 ? 4 : count;
        places_.resize(room);
        Entry* const fresh = allocate_raw(allocator_, room);
        free();
        data_ = fresh;
        capacity_ = room;
    }
    bool empty() const noexcept { return count_ == 0; }
    std::size_t size() const noexcept { return count_; }
    Entry* begin() noexcept { return data_; }
    Entry* end() noexcept { return data_ + count_; }
    /// The entry of a pin. Entries are listed by pin when they are asked for first, so that only a node that writes an output
    /// twice pays for it. @param first the pin of output 0 of the running node @pre the pin is in the list
    Entry& at_pin(slot_t pin, slot_t first) noexcept {
        for (; placed_ != count_; ++placed_) places_[data_[placed_].pin - first] = static_cast<slot_t>(placed_);
        return data_[places_[pin - first]];
    }
    /// @pre there is room
    SLOTWISE_ALWAYS_INLINE void push(slot_t pin, bool kept, change_t counter, Value&& before) noexcept {
        std::construct_at(data_ + count_, Entry{pin, kept, counter, std::move(before)});
        ++count_;
    }
    SLOTWISE_ALWAYS_INLINE void clear() noexcept {
        if constexpr (!std::is_trivially_destructible_v<Value>)
            for (Entry& each : *this) std::destroy_at(std::addressof(each));
        count_ = placed_ = 0;
    }
    std::size_t memory_usage() const noexcept { return capacity_ * sizeof(Entry) + places_.memory_usage(); }

private:
    void free() noexcept {
        clear();
        if (data_ != nullptr) deallocate_raw(allocator_, data_, capacity_);
        data_ = nullptr;
        capacity_ = 0;
    }

    SLOTWISE_NO_UNIQUE_ADDRESS rebind_t<Allocator, Entry> allocator_;
    Entry* data_ = nullptr;
    std::size_t count_ = 0, placed_ = 0, capacity_ = 0;
    PlainVector<slot_t, Allocator> places_; // by output: the place of its entry, of the first placed_ entries
};

//=== dirty nodes ===//

/// A set of positions that is walked in ascending order while it changes. It has a bit for each position, and above them a bit
/// for each word that is not zero, or in which a walk is. To walk an empty set reads n / 4096 words.
/// @tparam Allocator of bytes
template <class Allocator = std::allocator<std::byte>>
class DirtySet {
public:
    explicit DirtySet(const Allocator& alloc = Allocator()) noexcept : words_(alloc), summary_(alloc) {}
    DirtySet(const DirtySet& other, const Allocator& alloc) : words_(other.words_, alloc), summary_(other.summary_, alloc) {}

    /// The result of next() when there is none.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Room for positions below `count`. Throws what the allocator throws; the set is as before
    void reserve(std::size_t count) {
        const std::size_t words = bits::word_count(count);
        if (words <= words_.size()) return;
        const std::size_t summary = bits::word_count(words);
        if (summary > summary_.size()) summary_.resize(summary, 0);
        words_.resize(words, 0);
    }
    /// @pre position is below what was reserved
    bool test(std::size_t position) const noexcept { return (words_[bits::word_of(position)] & bits::bit_of(position)) != 0; }
    SLOTWISE_ALWAYS_INLINE void set(std::size_t position) noexcept {
        const std::size_t word = bits::word_of(position);
        words_[word] |= bits::bit_of(position);
        summary_[bits::word_of(word)] |= bits::bit_of(word);
    }
    SLOTWISE_ALWAYS_INLINE void reset(std::size_t position) noexcept {
        const std::size_t word = bits::word_of(position);
        words_[word] &= ~bits::bit_of(position);
        if (words_[word] == 0) summary_[bits::word_of(word)] &= ~bits::bit_of(word);
    }
    void clear() noexcept {
        for (bits::word_t& word : words_) word = 0;
        for (bits::word_t& word : summary_) word = 0;
    }
    /// The first position from `from` on, or none. The set may change between two calls.
    SLOTWISE_ALWAYS_INLINE std::size_t next(std::size_t from) const noexcept {
        const std::size_t word = bits::word_of(from);
        if (word < words_.size())
            if (const bits::word_t rest = words_[word] >> from % bits::word_bits; rest != 0) return from + bits::lowest(rest);
        return next_word(word + 1);
    }
    /// Takes the positions out in ascending order, and calls f(position) for each. The set may change meanwhile: what f adds
    /// behind its position is taken too, what it adds before stays.
    template <class F>
    SLOTWISE_ALWAYS_INLINE void pop_each(F&& f) {
        for (std::size_t at = pop_word(0); at != none; at = pop_after(at)) {
            const std::size_t word = bits::word_of(at);
            // Whether the next position follows is a branch, which is predicted: found by pop_after() it would wait for what f
            // has just stored. Nodes of a chain took 1.6 times as long.
            for (bits::word_t bit = bits::bit_of(at);; words_[word] ^= bit, ++at) {
                f(at);
                bit <<= 1;
                if ((words_[word] & bit) == 0) break;
            }
        }
    }
    bool empty() const noexcept { return next(0) == none; }
    /// Bytes of memory.
    std::size_t memory_usage() const noexcept { return memory_of(words_, summary_); }
    void swap(DirtySet& other) noexcept {
        words_.swap(other.words_);
        summary_.swap(other.summary_);
    }
    /// Whether both levels agree; for tests.
    bool check_invariants() const noexcept {
        if (summary_.size() < bits::word_count(words_.size())) return false;
        for (std::size_t i = 0; i != summary_.size() * bits::word_bits; ++i) {
            const bool above = (summary_[bits::word_of(i)] & bits::bit_of(i)) != 0;
            if (!above && i < words_.size() && words_[i] != 0) return false;
            if (above && i >= words_.size()) return false;
        }
        return true;
    }

private:
    /// Calls f(word) for each word from `word` on that may not be zero, until it answers true. Whether it did.
    template <class F>
    bool find_word(std::size_t word, F&& f) const noexcept {
        std::size_t above = bits::word_of(word);
        if (above >= summary_.size()) return false;
        for (bits::word_t rest = summary_[above] & (bits::full_word << word % bits::word_bits);;) {
            for (; rest != 0; rest &= rest - 1)
                if (f(above * bits::word_bits + bits::lowest(rest))) return true;
            if (++above == summary_.size()) return false;
            rest = summary_[above];
        }
    }
    std::size_t next_word(std::size_t word) const noexcept {
        std::size_t found = none;
        find_word(word, [&](std::size_t at) {
            if (words_[at] != 0) found = at * bits::word_bits + bits::lowest(words_[at]);
            return found != none;
        });
        return found;
    }
    /// Takes the first position behind `at`, which was taken out before; none if there is none.
    SLOTWISE_ALWAYS_INLINE std::size_t pop_after(std::size_t at) noexcept {
        const std::size_t word = bits::word_of(at);
        const bits::word_t here = words_[word], rest = here & (bits::full_word << at % bits::word_bits << 1);
        if (rest == 0) return leave(word);
        words_[word] = here ^ (rest & (bits::word_t{0} - rest)); // the bit above is left for leave()
        return word * bits::word_bits + bits::lowest(rest);
    }
    SLOTWISE_NEVER_INLINE std::size_t leave(std::size_t word) noexcept {
        if (words_[word] == 0) summary_[bits::word_of(word)] &= ~bits::bit_of(word);
        return pop_word(word + 1);
    }
    std::size_t pop_word(std::size_t word) noexcept {
        std::size_t found = none;
        find_word(word, [&](std::size_t at) {
            if (words_[at] == 0) { // a walk ended in it, by an exception
                summary_[bits::word_of(at)] &= ~bits::bit_of(at);
                return false;
            }
            found = at * bits::word_bits + bits::lowest(words_[at]);
            words_[at] &= words_[at] - 1;
            return true;
        });
        return found;
    }

    PlainVector<bits::word_t, Allocator> words_;
    PlainVector<bits::word_t, Allocator> summary_;
};

//=== ids, and the rule of links ===//

/// The type of ids of a graph without them.
struct NoId {};
/// The ids of the nodes of a graph, and how each verb is told a node.
template <class Id, class Handle, class Allocator>
struct NodeIds {
    using map = IdentityMap<Id, Handle, AllocBy<Allocator>>;
    using name = NodeName<Handle, Id>;
};
template <class Handle, class Allocator>
struct NodeIds<NoId, Handle, Allocator> {
    struct map {
        explicit map(const Allocator&) noexcept {}
        map(const map&, const Allocator&) noexcept {}
    };
    using name = Handle;
};
/// The rule of a graph in which any output may be linked to any input.
struct NoRule {};

/// A link by pins, of link_all().
struct PinPair {
    slot_t output, input;
    PinLink was; // of the input, before
    bool linked; // it was not linked to this output before
};

//=== the engine ===//

/// The engine of a DataflowGraph: nodes, pins, order and dirty nodes side by side, and the steps by which they change together.
/// It does not know the interface, nor how a node is run.
/// @tparam X the graph, by whose handles nodes are named @tparam Allocator of bytes @tparam Id of nodes, or NoId
/// @tparam Rule which links are allowed, or NoRule
template <class Node, class Value, class Equal, class X, class Allocator, class Id, class Rule>
struct DataflowCore {
    using Record = DataflowRecord<Node, Allocator>;
    using Records = SlotMap<Record, Tag<X>, AllocBy<rebind_t<Allocator, Record>>>;
    template <class T>
    using List = PlainVector<T, Allocator>;
    using Handle = HandleOf<X>;
    using Ids = typename NodeIds<Id, Handle, Allocator>::map;
    using Edge = typename TopologicalOrder<Allocator>::Edge;
    static constexpr bool has_ids = !std::is_same_v<Id, NoId>;
    static constexpr bool has_rule = !std::is_same_v<Rule, NoRule>;
    /// What a run needs first of the node at a position: found by one load, where the slot and its record would be two.
    struct Place {
        Record* record;
        slot_t first, inputs;
    };

    explicit DataflowCore(const Allocator& alloc, const Equal& by = Equal(), const Rule& ruled_by = Rule())
        : records(rebind_t<Allocator, Record>(alloc)), pins(alloc), order(alloc), dirty(alloc), stateful(alloc), by_slot(alloc),
          places(alloc), written(alloc), subscribers(alloc), changed(alloc), equal(by), rule(ruled_by), ids(alloc), cone(alloc),
          cone_slots(alloc), pairs(alloc) {}
    DataflowCore(const DataflowCore& other, const Allocator& alloc)
        : records(other.idle().records, rebind_t<Allocator, Record>(alloc)),
          pins(other.pins, alloc, [](Value& value) -> const Value& { return value; }), order(other.order, alloc),
          dirty(other.dirty, alloc), stateful(other.stateful, alloc), by_slot(alloc), places(alloc), written(alloc),
          subscribers(alloc), changed(alloc), clock(other.clock), evaluations(other.evaluations), links(other.links),
          equal(other.equal), rule(other.rule), ids(other.ids, alloc), cone(alloc), cone_slots(alloc), pairs(alloc) {
        list_all(other.by_slot.size());
    }
    /// Moves nodes and values one by one. @pre Node has a move
    DataflowCore(DataflowCore&& other, const Allocator& alloc)
        : records(std::move(other.records), rebind_t<Allocator, Record>(alloc)),
          pins(other.pins, alloc, [](Value& value) -> Value&& { return std::move(value); }), order(other.order, alloc),
          dirty(other.dirty, alloc), stateful(other.stateful, alloc), by_slot(alloc), places(alloc), written(alloc),
          subscribers(other.subscribers, alloc), changed(alloc), clock(other.clock), evaluations(other.evaluations),
          links(other.links), equal(other.equal), rule(other.rule), ids(std::move(other.ids), alloc), cone(alloc),
          cone_slots(alloc), pairs(alloc) {
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
        exchange_by_moving(records, other.records); // its own swap would move nodes, if allocators differ
        swap_all_but_records(other);
    }
    /// Takes the contents of `other`; observers that are attached to this stay. Throws what an observer throws; this is empty
    /// then
    void adopt(DataflowCore& other) {
        const Running observed(*this);
        ScopeGuard undo([&]() noexcept { clear(); });
        SlotMapSteps::adopt(records, other.records, [&]() noexcept { swap_all_but_records(other); });
        undo.dismiss();
    }
    void swap_all_but_records(DataflowCore& other) noexcept {
        std::swap(equal, other.equal);
        std::swap(rule, other.rule);
        if constexpr (has_ids) exchange_by_moving(ids, other.ids);
        pins.swap(other.pins);
        order.swap(other.order);
        dirty.swap(other.dirty);
        stateful.swap(other.stateful);
        cone.swap(other.cone);
        by_slot.swap(other.by_slot);
        places.swap(other.places);
        cone_slots.swap(other.cone_slots);
        pairs.swap(other.pairs);
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
    SLOTWISE_ALWAYS_INLINE void mark_dirty(slot_t slot) noexcept { dirty.set(order.position(slot)); }

    //=== nodes ===//

    /// Throws what the allocator, the constructors and `enter` throw; strong @return the handle of its record
    /// @param enter enter(handle) gives the node its id
    template <class Enter, class... Args>
    auto add(const SharedNodeInfo& info, std::size_t inputs, std::size_t outputs, Enter&& enter, Args&&... args) {
        return add_record(info, inputs, outputs, [&] {
            const auto handle = records.emplace(std::in_place, std::forward<Args>(args)...);
            if constexpr (has_ids) {
                ScopeGuard undo([&]() noexcept { records.erase(handle); });
                enter(Handle::from_bits(handle.to_bits()));
                undo.dismiss();
            }
            return handle;
        });
    }
    /// The same under a reserved handle. @pre it is reserved
    template <class... Args>
    void fulfill(Handle node, const SharedNodeInfo& info, std::size_t inputs, std::size_t outputs, Args&&... args) {
        add_record(info, inputs, outputs, [&] {
            static_cast<void>(records.fulfill(inner(node), std::in_place, std::forward<Args>(args)...));
            return inner(node);
        });
    }
    /// @param emplace builds the record and returns its handle
    template <class Emplace>
    auto add_record(const SharedNodeInfo& info, std::size_t inputs, std::size_t outputs, Emplace&& emplace) {
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
        if (info) record.info = info;
        own_pins(record, slot);
        by_slot[slot] = std::addressof(record);
        order.append(slot);
        place(slot);
        dirty.set(order.positions() - 1);
        set_flags(record, slot, node_is_due | (info ? info->flags & settable_flags : NodeFlags::none));
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
        record.first = first;
        record.inputs = static_cast<slot_t>(inputs);
        record.outputs = static_cast<slot_t>(outputs);
        own_pins(record, slot);
        place(slot);
        set_flags(record, slot, record.flags | node_is_due);
        ++record.edits;
        pins.release(old, std::size_t{old_inputs} + old_outputs); // last: destructors of values may read the graph
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
        if constexpr (has_ids) ids.clear();
        records.clear();
    }
    void set_flags(Record& record, slot_t slot, NodeFlags flags) noexcept {
        record.flags = flags;
        if (has_any(flags, runs_anyway)) mark_dirty(slot);
        if (has_any(flags, NodeFlags::stateful))
            stateful.set(slot);
        else
            stateful.reset(slot);
    }

    //=== links ===//

    /// Links an input to an output that it does not read yet; false, and no change, if that would close a cycle: order.path()
    /// then says which. Throws what the allocator throws; strong
    bool connect(slot_t from, slot_t output, slot_t to, slot_t input) {
        const Edge needs = search(from, to);
        if (needs == Edge::cycle) return false;
        if (needs == Edge::reorder) reorder();
        if (pins.linked(input)) cut(input);
        pins.link(output, input);
        ++links;
        mark_dirty(to);
        return true;
    }
    /// What a link from one node to another needs; nothing changes yet. Throws what the allocator throws
    Edge search(slot_t from, slot_t to) { return order.find(from, to, successors(), predecessors()); }
    /// The place of the first pair whose input an earlier one has; their number if there is none. Throws what the allocator
    /// throws
    std::size_t find_twice() {
        slot_t most = 0;
        for (const PinPair& pair : pairs) most = most < pair.input ? pair.input : most;
        cone.reserve(std::size_t{most} + 1); // here it is a set of pins
        std::size_t n = 0;
        for (; n != pairs.size() && !cone.test(pairs[n].input); ++n) cone.set(pairs[n].input);
        for (std::size_t i = 0; i != n; ++i) cone.reset(pairs[i].input);
        return n;
    }
    /// Makes the links in `pairs`, which name each input once; false, and no change, if they close a cycle: order.path() then
    /// says which. Throws what the allocator throws; strong
    bool connect_pairs() {
        // Links forward need no other order. All cycles, and all nodes that must move, lie between the ends of the others.
        std::size_t low = static_cast<std::size_t>(-1), high = 0;
        for (PinPair& pair : pairs) {
            const std::size_t from = order.position(pins.links[pair.output].owner);
            const std::size_t to = order.position(pins.links[pair.input].owner);
            pair.linked = pins.links[pair.input].source != pair.output;
            if (from < to || !pair.linked) continue;
            low = low < to ? low : to;
            high = high > from ? high : from;
        }
        if (low <= high) order.reserve_range(low, high);
        for (PinPair& pair : pairs) {
            if (!pair.linked) continue;
            pair.was = pins.links[pair.input]; // with the neighbours of now
            if (pins.linked(pair.input)) pins.unlink(pair.input);
            pins.link(pair.output, pair.input);
        }
        if (low <= high) {
            if (order.sort_range(low, high, successors(), predecessors()) == Edge::cycle) {
                for (std::size_t n = pairs.size(); n-- != 0;) {
                    const PinPair& pair = pairs[n];
                    if (!pair.linked) continue;
                    pins.unlink(pair.input);
                    if (pair.was.source != pair.input) pins.relink(pair.input, pair.was);
                }
                return false;
            }
            reorder();
        }
        for (const PinPair& pair : pairs) {
            if (!pair.linked) continue;
            links += pair.was.source == pair.input;
            const slot_t slot = pins.links[pair.input].owner;
            ++by_slot[slot]->edits;
            mark_dirty(slot);
        }
        return true;
    }
    auto successors() const noexcept {
        return [this](slot_t slot, auto&& visit) {
            const Record& record = *by_slot[slot];
            for (slot_t o = 0; o != record.outputs; ++o)
                for (slot_t at = pins.links[output_pin(record, o)].next; at != no_slot; at = pins.links[at].next)
                    if (!visit(pins.links[at].owner)) return;
        };
    }
    auto predecessors() const noexcept {
        return [this](slot_t slot, auto&& visit) {
            const Record& record = *by_slot[slot];
            for (slot_t i = 0; i != record.inputs; ++i)
                if (pins.linked(record.first + i) && !visit(pins.links[pins.links[record.first + i].source].owner)) return;
        };
    }
    /// Whether the rule allows a link of these. Throws what it throws
    bool fit(const Record& from, std::size_t output, const Record& to, std::size_t input) {
        if constexpr (has_rule) {
            const bool before = std::exchange(running, true); // would_connect() may be asked while it is
            const ScopeGuard after([&]() noexcept { running = before; });
            return static_cast<bool>(rule(NodePin<Node>{from.node, from.info.get(), static_cast<slot_t>(output)},
                                          NodePin<Node>{to.node, to.info.get(), static_cast<slot_t>(input)}));
        } else
            return true;
    }
    /// The input reads its constant again. @pre it is linked
    void cut(slot_t input) noexcept {
        pins.unlink(input);
        --links;
        mark_dirty(pins.links[input].owner);
    }
    void constant_changed(Record& record, slot_t pin) noexcept {
        pins.counters[pin] = ++clock;
        ++record.edits;
        if (!pins.linked(pin)) mark_dirty(pins.links[pin].owner);
    }

    //=== runs ===//

    /// Whether evaluate() calls the node for a reason of its own: its flags, or a value that it reads now.
    bool must_run(const Record& record) const noexcept {
        if (has_any(record.flags, runs_anyway)) return true;
        for (slot_t pin = record.first; pin != record.first + record.inputs; ++pin)
            if (pins.counters[pins.links[pin].source] != pins.seen[pin]) return true;
        return false;
    }
    /// Puts the node, and all that it depends on, into `cone` and `cone_slots`. The caller clears the cone.
    /// Throws what the allocator throws; the cone is empty then
    void find_cone(slot_t slot) {
        cone.reserve(order.positions());
        cone_slots.clear();
        ScopeGuard undo([&]() noexcept { cone.clear(); });
        const auto enter = [this](slot_t next) {
            if (cone.test(order.position(next))) return true;
            cone_slots.push_back(next);
            cone.set(order.position(next));
            return true;
        };
        enter(slot);
        const auto sources = predecessors();
        for (std::size_t i = 0; i != cone_slots.size(); ++i) sources(cone_slots[i], enter);
        undo.dismiss();
    }
    /// Whether neither this node nor any that it depends on would run. It leaves the cone alone, which an evaluation may be in.
    /// Throws what the allocator throws
    bool up_to_date(slot_t slot) {
        return order.all_of(slot, predecessors(), [this](slot_t each) { return !must_run(*by_slot[each]); });
    }
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
        for (slot_t to = pins.links[pin].next; to != no_slot; to = pins.links[to].next) mark_dirty(pins.links[to].owner);
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
        if (!(mine.node == its.node) || !(mine.info == its.info) || mine.inputs != its.inputs || mine.outputs != its.outputs ||
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
        std::size_t of_ids = 0;
        if constexpr (has_ids) of_ids = ids.memory_usage();
        return of_ids + memory_of(records, pins, order, dirty, stateful, cone, by_slot, places, cone_slots, pairs, written,
                                  subscribers, changed);
    }
    bool check_invariants() const {
        if (!records.check_invariants() || !pins.check_invariants() || !order.check_invariants() || !dirty.check_invariants() ||
            !stateful.check_invariants() || !written.empty() || !cone.check_invariants() || !cone.empty() || !ids_are_sound())
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
    SLOTWISE_NO_UNIQUE_ADDRESS Rule rule;
    SLOTWISE_NO_UNIQUE_ADDRESS Ids ids; // of nodes, and of reserved handles
    // Behind what each run reads.
    DirtySet<Allocator> cone; // by position: what the node that is asked for depends on; empty between calls
    List<slot_t> cone_slots;  // of the last cone
    List<PinPair> pairs;      // of link_all()

    /// Whether each node has an id, and each id a node or a reserved handle.
    bool ids_are_sound() const {
        if constexpr (has_ids) {
            if (!ids.check_invariants()) return false;
            std::size_t named = 0;
            for (const Handle handle : ids.handles()) {
                const HandleStatus is = records.explain(inner(handle));
                if (is != HandleStatus::live && is != HandleStatus::reserved) return false;
                named += is == HandleStatus::live;
            }
            return named == records.size();
        } else
            return true;
    }

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
            if (order.noted(slot)) mark_dirty(slot);
        });
        if (order.sparse()) compact();
    }
};

} // namespace detail
#ifdef SLOTWISE_COMPILED
extern template class detail::DirtySet<>;
extern template class detail::TopologicalOrder<>;
#endif

SLOTWISE_END

#endif
