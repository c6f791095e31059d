// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EmptyStore: slots without values. Behind HandlePool.
#ifndef SLOTWISE_MAP_EMPTY_STORE_HPP
#define SLOTWISE_MAP_EMPTY_STORE_HPP

#include "../slots/slot_range.hpp"
#include "../slots/slot_store.hpp"
#include "../slots/snapshot.hpp"

#include <tuple>

SLOTWISE_BEGIN
namespace detail {

/// Knows how many slots there may be, and holds nothing for them: the directory of the container is all there is.
class EmptyStore {
public:
    using value_type = std::tuple<>;
    using Cursor = LiveCursor;
    static constexpr bool stable = true;
    static constexpr bool indexed = false;
    static constexpr bool nothrow_destroy = true;
    static constexpr bool trivial = true;
    static constexpr std::size_t slot_bytes = 0;
    static constexpr std::size_t max_slots = no_slot;
    template <class... Args>
    static constexpr bool builds_nothrow = sizeof...(Args) == 0;

    constexpr EmptyStore() = default;
    template <class Allocator>
    constexpr explicit EmptyStore(const Allocator&) noexcept {}
    template <class Allocator, class ExpectThere>
    constexpr EmptyStore(const EmptyStore&, Occupancy, std::size_t slot_count, const Allocator&, ExpectThere&&) noexcept {
        reserve(slot_count);
    }
    constexpr void take_from(EmptyStore&, Occupancy) noexcept {}
    constexpr EmptyStore(EmptyStore&& other) noexcept : slots_(std::exchange(other.slots_, 0)) {}
    EmptyStore(const EmptyStore&) = delete;
    EmptyStore& operator=(const EmptyStore&) = delete;
    EmptyStore& operator=(EmptyStore&&) = delete;
    ~EmptyStore() = default;
    constexpr void swap(EmptyStore& other) noexcept { std::swap(slots_, other.slots_); }

    constexpr std::size_t capacity() const noexcept { return slots_; }
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    /// Doubled. Half as many again, as the directory grows by itself, took 8-20 % longer for n creates without reserve().
    constexpr std::size_t grown_capacity() const noexcept { return whole_words(slots_ == 0 ? 1 : slots_ * 2); }
    constexpr void reserve(std::size_t slot_count) noexcept { slots_ = slot_count < slots_ ? slots_ : whole_words(slot_count); }
    constexpr std::size_t shrunk_capacity(std::size_t end) const noexcept { return whole_words(end); }
    constexpr void shrink(std::size_t end) noexcept { slots_ = whole_words(end); }

    static constexpr void construct(slot_t) noexcept {}
    static constexpr void destroy(slot_t) noexcept {}
    template <class Directory>
    static constexpr void destroy_all(Directory&, slot_t) noexcept {}

    template <class Directory>
    static constexpr Cursor first(const Directory& directory) noexcept {
        return Cursor(directory.occupancy().find_next(0));
    }
    template <class Directory>
    static constexpr Cursor last(const Directory&) noexcept {
        return {};
    }
    template <class Directory>
    static constexpr void advance(const Directory& directory, Cursor& c) noexcept {
        c.advance_in([&]() noexcept { return directory.occupancy(); });
    }
    template <class Directory>
    static constexpr void step_back(const Directory& directory, Cursor& c) noexcept {
        c.step_back(directory.occupancy());
    }
    static constexpr slot_t slot(const Cursor& c) noexcept { return c.slot(); }

    /// There are no values.
    template <class Codec>
    static consteval std::array<ElementTag, 0> tags() noexcept {
        return {};
    }
    /// A snapshot has no bytes of values.
    template <class Directory, class Codec>
    static void write(const Directory&, ByteWriter&, Codec&) noexcept {}
    template <class Directory, class Codec>
    static bool read(Directory&, ByteReader&, Codec&) noexcept {
        return true;
    }

    template <class Directory>
    constexpr bool is_sound(const Directory& directory) const noexcept {
        return directory.capacity() <= slots_;
    }

private:
    static constexpr std::size_t whole_words(std::size_t slot_count) noexcept {
        return bits::round_up(slot_count, bits::word_bits);
    }

    std::size_t slots_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
