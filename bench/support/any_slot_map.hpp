// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// AnySlotMap, whose elements a TypeDescriptor describes, and what stands in for it elsewhere: std::any in a std::vector, without
// names and without erase.
#pragma once

#include "element.hpp"

#include <slotwise/map/any_slot_map.hpp>

#include <any>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

template <class T>
class AnySlotMap : public slotwise::AnySlotMap {
    using Base = slotwise::AnySlotMap;

public:
    using value_type = T;
    static constexpr bool sees_stale = true;

    AnySlotMap() : Base(slotwise::TypeDescriptor::of<T>()) {}
    handle_type insert(const T& value) { return Base::insert(&value); }
    [[nodiscard]] const T* get(handle_type handle) const noexcept { return static_cast<const T*>(Base::get(handle)); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        this->for_each([&sum](const void* value) { sum += static_cast<const T*>(value)->field; });
        return sum;
    }
};

template <class T>
class VectorOfAny {
public:
    using value_type = T;
    static constexpr bool sees_stale = false;

    void reserve(std::size_t n) { vector_.reserve(n); }
    std::uint32_t insert(const T& value) {
        vector_.emplace_back(value);
        return static_cast<std::uint32_t>(vector_.size() - 1);
    }
    [[nodiscard]] const T* get(std::uint32_t i) const noexcept { return std::any_cast<T>(vector_.data() + i); }
    void clear() noexcept { vector_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return vector_.size(); }

private:
    std::vector<std::any> vector_;
};

} // namespace bench
