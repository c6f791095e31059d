// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SoaSlotMap: like DenseSlotMap with an array per member, here the summed field and the rest; a lookup reads one of them.
#pragma once

#include "element.hpp"

#include <slotwise/map/soa_slot_map.hpp>

#include <cstddef>
#include <cstdint>

namespace bench {

// How an element falls into columns.
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

template <class T, class How>
class BasicSoaSlotMap {
public:
    using value_type = T;
    using Map = typename How::Map;
    using Handle = typename Map::handle_type;
    static constexpr bool sees_stale = true;

    void reserve(std::size_t n) { map_.reserve(n); }
    Handle insert(const T& value) { return How::insert(map_, value); }
    [[nodiscard]] const field_t<T>* field(Handle handle) const {
        const auto row = map_.get(handle);
        return row ? &row->template get<0>() : nullptr;
    }
    void erase(Handle handle) { map_.erase(handle); }
    void clear() noexcept { map_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const field_t<T>& field : map_.template column<0>()) sum += field;
        return sum;
    }

protected:
    Map map_;
};

template <class T>
using SoaSlotMap = BasicSoaSlotMap<T, Split<T>>;

} // namespace bench
