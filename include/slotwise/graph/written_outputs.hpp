// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// WrittenOutputs: what the running node has written, so that it can be taken back.
#ifndef SLOTWISE_GRAPH_WRITTEN_OUTPUTS_HPP
#define SLOTWISE_GRAPH_WRITTEN_OUTPUTS_HPP

#include "../core/versioned.hpp"
#include "../memory/plain_vector.hpp"

SLOTWISE_BEGIN
namespace detail {

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

} // namespace detail
SLOTWISE_END

#endif
