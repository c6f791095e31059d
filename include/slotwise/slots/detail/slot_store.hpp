// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotStore: the requirements of a SlotContainer on a store of values or keys by slot.
#ifndef SLOTWISE_SLOTS_DETAIL_SLOT_STORE_HPP
#define SLOTWISE_SLOTS_DETAIL_SLOT_STORE_HPP

#include "../../core/detail/bits.hpp"
#include "../../fwd.hpp"

#include <concepts>

SLOTWISE_BEGIN
namespace detail {

/// The requirements of a SlotContainer on a store of values or keys by slot. The store knows where elements lie. The directory
/// knows which slots have one. All operations but construction, reserve() and the moves of a packed store are noexcept. Copied
/// with Store(other, live, slots, alloc, expect_there), filled from a store of another allocator by take_from(other, live).
///   trivial        neither construction nor destruction of an element runs user code
///   indexed        elements are found by key: the store also has hash, equality and an index of its slots, see IndexedKeys
///   trivial_destroy  destroy() and destroy_all() do nothing; a store need not have it
///   slot_bytes     memory for an element; max_slots: the most there can be
///   nothrow_destroy  if not, it has move_to_last_row(slot): the throwing part of an erase, before observers are notified
template <class S>
concept SlotStore = requires(S& store, const S& other, slot_t slot, std::size_t slot_count) {
    { S::trivial } -> std::convertible_to<bool>;
    { S::indexed } -> std::convertible_to<bool>;
    { S::nothrow_destroy } -> std::convertible_to<bool>;
    { S::slot_bytes } -> std::convertible_to<std::size_t>;
    { S::max_slots } -> std::convertible_to<std::size_t>;
    { other.capacity() } noexcept -> std::same_as<std::size_t>;
    { other.grown_capacity() } noexcept -> std::same_as<std::size_t>;
    { other.shrunk_capacity(slot_count) } noexcept -> std::same_as<std::size_t>;
    store.reserve(slot_count);
    store.shrink(slot_count);
    { store.destroy(slot) } noexcept;
    store.swap(store);
};

/// The destroy_all() of a store whose elements do not move: destroys them slot by slot. Each is marked in the directory first,
/// because a clear inside a destructor must not destroy it again.
template <class Directory, class Destroy>
constexpr void destroy_each(Directory& directory, slot_t end, Destroy&& destroy) noexcept {
    for (std::size_t first = 0; first < end; first += bits::word_bits) {
        const bits::word_t here = directory.occupancy().word(bits::word_of(first)) &
                                  bits::low_mask(end - first < 64 ? end - static_cast<unsigned>(first) : 64);
        bits::for_each(here, [&](unsigned bit) {
            const auto slot = static_cast<slot_t>(first + bit);
            directory.mark_destroyed(slot);
            destroy(slot);
        });
    }
}

} // namespace detail

SLOTWISE_END

#endif
