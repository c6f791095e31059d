// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The limit of storage without names: push_back, an unchecked index, no erase. Stored is the element, or its summed field
// alone.
#pragma once

#include "element.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace bench {

template <class T, class Stored>
class BasicVector {
public:
    using value_type = T;
    static constexpr bool sees_stale = false;

    void reserve(std::size_t n) { vector_.reserve(n); }
    std::uint32_t insert(const T& value) {
        if constexpr (std::is_same_v<Stored, T>) {
            vector_.push_back(value);
        } else {
            vector_.push_back(value.field);
        }
        return static_cast<std::uint32_t>(vector_.size() - 1);
    }
    [[nodiscard]] const T* get(std::uint32_t i) const noexcept
        requires std::is_same_v<Stored, T>
    {
        return vector_.data() + i;
    }
    void clear() noexcept { vector_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return vector_.size(); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const Stored& stored : vector_) {
            if constexpr (std::is_same_v<Stored, T>) {
                sum += stored.field;
            } else {
                sum += stored;
            }
        }
        return sum;
    }

protected:
    std::vector<Stored> vector_;
};

template <class T>
using Vector = BasicVector<T, T>;
template <class T>
using FieldVector = BasicVector<T, field_t<T>>;

} // namespace bench
