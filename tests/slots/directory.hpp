// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the tests of SlotDirectory share: growing and shrinking as a container does it, and narrow versions.
#ifndef SLOTWISE_TESTS_SLOTS_DIRECTORY_HPP
#define SLOTWISE_TESTS_SLOTS_DIRECTORY_HPP

#include <slotwise/slots/slot_directory.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace test {

using slotwise::Exhaustion;
using slotwise::HandleLayout;
using slotwise::Reuse;
using slotwise::slot_t;
using slotwise::SlotState;

/// Versions of this many bits.
template <unsigned Bits, bool Dense = false>
inline constexpr HandleLayout narrow{Bits <= 8 ? 16 - Bits : 32 - Bits, Bits, 0, Dense};

template <unsigned Bits, Exhaustion E, Reuse R, class Allocator = std::allocator<std::byte>>
using Narrow = slotwise::SlotDirectory<narrow<Bits>, E, R, Allocator>;
template <unsigned Bits, Exhaustion E, Reuse R, bool Dense>
using NarrowOrDense = slotwise::SlotDirectory<narrow<Bits, Dense>, E, R, std::allocator<std::byte>>;

template <Reuse R>
using Full = slotwise::SlotDirectory<HandleLayout{}, Exhaustion::retire, R>;
template <Reuse R>
using Three = Narrow<3, Exhaustion::retire, R>;

/// first, first + 1, ... up to, not including, last.
inline std::vector<slot_t> numbers(slot_t first, slot_t last) {
    std::vector<slot_t> all(last - first);
    std::iota(all.begin(), all.end(), first);
    return all;
}

template <class Directory>
constexpr void grow(Directory& directory, std::size_t slots) {
    auto more = directory.prepare(slots, {});
    directory.adopt(more);
    directory.set_capacity(slots);
}

/// Gives back all that lies above the slots in use, as shrink_to_fit of a container does.
template <class Directory>
constexpr void shrink(Directory& directory) {
    const std::size_t end = directory.lower_cursor();
    const std::size_t from = directory.first_forgotten(end);
    auto less = directory.prepare_shrink(end, from, {});
    directory.commit_shrink(less, from);
    directory.set_capacity(end);
}

/// A slot made live in one step; its handle is {slot, version(slot)}.
template <class Directory>
slot_t insert(Directory& directory) {
    REQUIRE(directory.has_room());
    return directory.acquire_live();
}

/// The slots that would come next, in order.
template <class Directory>
std::vector<slot_t> upcoming(const Directory& directory) {
    Directory copy(directory, {});
    std::vector<slot_t> order;
    while (copy.has_room()) order.push_back(copy.acquire_live());
    return order;
}

} // namespace test

#endif
