// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// How an element of the benches falls into columns: its summed field and the rest.
#pragma once

#include "element.hpp"

#include <slotwise/map/soa_slot_map.hpp>

#include <cstdint>

namespace bench {

template <class T>
struct Split {
    using Rest = decltype(T::rest);
    using Map = slotwise::SoaSlotMap<field_t<T>, Rest>;
    static auto insert(Map& map, const T& value) { return map.insert(value.field, value.rest); }
};

template <>
struct Split<Element4> {
    using Map = slotwise::SoaSlotMap<std::uint32_t>;
    static auto insert(Map& map, const Element4& value) { return map.insert(value.field); }
};

} // namespace bench
