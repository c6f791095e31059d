// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// OutputSubscriber: is notified that an output of a DataflowGraph has another value.
#ifndef SLOTWISE_GRAPH_OUTPUT_SUBSCRIBER_HPP
#define SLOTWISE_GRAPH_OUTPUT_SUBSCRIBER_HPP

#include "../core/versioned.hpp"
#include "../memory/plain_vector.hpp"
#include "../slots/observer_token.hpp"

#include <algorithm>
#include <utility>

SLOTWISE_BEGIN

/// Base of subscribers to an output. A subscriber is notified at most once in an evaluation, at its end, when the value differs
/// from the one that it was last notified of. It may change the graph in any way and subscribe or detach others; what it makes
/// dirty runs in the next evaluation.
/// @tparam Handle the graph's handle_type @tparam Value the graph's value_type
template <class Handle, class Value>
class OutputSubscriber : detail::AttachmentCount {
public:
    /// The output has this value now.
    virtual void on_output(Handle node, slot_t output, const Value& value) noexcept = 0;
    /// For graphs: counts to how many outputs this is subscribed.
    detail::AttachmentCount& attachments() noexcept { return *this; }

protected:
    OutputSubscriber() = default;
    OutputSubscriber(const OutputSubscriber&) = default;
    OutputSubscriber& operator=(const OutputSubscriber&) = default;
    virtual ~OutputSubscriber() = default; // for -Wnon-virtual-dtor in derived classes
};

namespace detail {

/// The subscribers of each pin. It allocates nothing before the first subscription. Cells are on the heap, because tokens share
/// them, and may outlive the graph and its allocator.
template <class Handle, class Value, class Allocator>
class OutputSubscribers {
    using Subscriber = OutputSubscriber<Handle, Value>;
    using Cell = BasicObserverCell<Subscriber>;
    struct Pin {
        Cell* cell;
        change_t counter;   // that they were last notified of
        std::size_t queued; // the place in the queue, from 1; or 0
    };
    struct Change {
        Handle node;
        slot_t output, pin; // no_slot: the output is gone
    };

public:
    explicit OutputSubscribers(const Allocator& alloc) noexcept : pins_(alloc), queue_(alloc) {}
    /// Takes the subscribers into other memory. Throws what the allocator throws; strong
    OutputSubscribers(OutputSubscribers& other, const Allocator& alloc) : pins_(other.pins_, alloc), queue_(alloc) {
        queue_.reserve(room_for(other.count_));
        for (const Change& change : other.queue_)
            if (change.pin != no_slot) append(change);
        count_ = std::exchange(other.count_, 0);
        other.pins_.clear();
        other.queue_.clear();
    }
    OutputSubscribers(const OutputSubscribers&) = delete;
    OutputSubscribers& operator=(const OutputSubscribers&) = delete;
    ~OutputSubscribers() { clear(); }
    void swap(OutputSubscribers& other) noexcept {
        pins_.swap(other.pins_);
        queue_.swap(other.queue_);
        std::swap(count_, other.count_);
    }
    void clear() noexcept {
        for (slot_t pin = 0; pin != pins_.size(); ++pin) end(pin);
        pins_.clear();
        queue_.clear();
    }

    /// Throws std::bad_alloc; strong
    BasicObserverToken<Subscriber> add(slot_t pin, change_t counter, Subscriber& subscriber) {
        if (pins_.size() <= pin) pins_.resize(std::size_t{pin} + 1, Pin{nullptr, 0, 0});
        if (pins_[pin].cell == nullptr) {
            if (queue_.capacity() < 2 * (count_ + 1)) queue_.reserve(room_for(count_ + 1)); // no evaluation allocates
            pins_[pin] = {new Cell, counter, 0};
            ++count_;
        }
        return {*pins_[pin].cell, subscriber};
    }
    SLOTWISE_ALWAYS_INLINE bool has(slot_t pin) const noexcept { return pin < pins_.size() && pins_[pin].cell != nullptr; }
    /// An output has changed, perhaps only for the moment. @pre has(pin)
    SLOTWISE_NEVER_INLINE void note(slot_t pin, Handle node, slot_t output) noexcept {
        if (pins_[pin].queued != 0) return;
        if (queue_.size() == queue_.capacity()) drop_gone();
        append({node, output, pin}); // there is room
    }
    /// Notifies the subscribers of the outputs that were noted. @param resolve resolve(node, output) answers the number of the
    /// pin, or no_slot if there is none any more @param value value(pin) @param counter counter(pin)
    template <class Resolve, class ValueOf, class CounterOf>
    void notify(Resolve&& resolve, ValueOf&& value, CounterOf&& counter) noexcept {
        if (queue_.empty() || notifying_) return; // one that evaluates is inside of the loop below
        notifying_ = true;
        std::reverse(queue_.begin(), queue_.end());
        drop_gone();
        while (!queue_.empty()) {
            const Change change = queue_.back();
            queue_.pop_back();
            if (change.pin == no_slot) continue;
            Pin& pin = pins_[change.pin];
            pin.queued = 0;
            if (pin.counter == counter(change.pin)) continue;
            pin.counter = counter(change.pin);
            Cell* const cell = pin.cell;
            ++cell->owners; // a subscriber may erase the node
            cell->forward([&](Subscriber& subscriber, std::size_t) {
                const slot_t now = resolve(change.node, change.output); // or give it other pins
                if (now != no_slot) subscriber.on_output(change.node, change.output, value(now));
            });
            Cell::release(cell);
        }
        notifying_ = false;
    }
    /// The output goes; its subscribers are detached.
    void end(slot_t pin) noexcept {
        if (!has(pin)) return;
        drop_queued(pin);
        pins_[pin].cell->detach_all();
        Cell::release(std::exchange(pins_[pin].cell, nullptr));
        --count_;
    }
    /// The output gets another number. @pre reserve(to)
    void move(slot_t from, slot_t to) noexcept {
        if (!has(from)) return;
        std::swap(pins_[from], pins_[to]);
        if (pins_[to].queued != 0) queue_[pins_[to].queued - 1].pin = to;
    }
    /// Room for pins up to `pin`, if there are subscribers. Throws std::bad_alloc; strong
    void reserve(slot_t pin) {
        if (count_ != 0 && pins_.size() <= pin) pins_.resize(std::size_t{pin} + 1, Pin{nullptr, 0, 0});
    }
    std::size_t memory_usage() const noexcept {
        std::size_t cells = 0;
        if (count_ != 0)
            for (const Pin& pin : pins_) cells += pin.cell == nullptr ? 0 : pin.cell->memory_usage();
        return cells + memory_of(pins_, queue_);
    }

private:
    // Twice what waits at most, so that drop_gone() has much to drop when the queue is full.
    static std::size_t room_for(std::size_t count) noexcept { return 4 * count; }
    void append(const Change& change) noexcept {
        queue_.push_back(change);
        pins_[change.pin].queued = queue_.size();
    }
    void drop_queued(slot_t pin) noexcept {
        if (const std::size_t place = std::exchange(pins_[pin].queued, 0); place != 0) queue_[place - 1].pin = no_slot;
    }
    /// Closes the gaps in the queue, and gives pins their new places. Linear in the queue
    void drop_gone() noexcept {
        std::size_t left = 0;
        for (std::size_t i = 0; i != queue_.size(); ++i) {
            const Change change = queue_[i];
            if (change.pin == no_slot) continue;
            queue_[left++] = change;
            pins_[change.pin].queued = left;
        }
        queue_.truncate(left);
    }

    PlainVector<Pin, Allocator> pins_;
    PlainVector<Change, Allocator> queue_; // its capacity is twice the number of pins with subscribers, at least
    std::size_t count_ = 0;
    bool notifying_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
