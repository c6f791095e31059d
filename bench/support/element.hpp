// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The element types of every bench: 4, 16 and 64 bytes, one field of which the loops add up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bench {

struct Element4 {
    std::uint32_t field;
};

struct Element16 {
    std::uint64_t field;
    std::uint64_t rest;
};

struct Element64 {
    std::uint64_t field;
    std::array<std::uint64_t, 7> rest;
};

static_assert(sizeof(Element4) == 4 && sizeof(Element16) == 16 && sizeof(Element64) == 64);

template <class T>
using field_t = decltype(T::field);

// Calls function(std::type_identity<T>{}) for each of them.
template <class Function>
void for_each_element_type(Function function) {
    function(std::type_identity<Element4>{});
    function(std::type_identity<Element16>{});
    function(std::type_identity<Element64>{});
}

// Values are copied from this table. A value built in a temporary and then copied pays 3-4 ns of failed store forwarding,
// which hides the container.
template <class T>
class ValueTable {
public:
    ValueTable() {
        std::uint32_t state = 1;
        for (T& value : values_) {
            value = T{};
            state = state * 1664525u + 1013904223u;
            value.field = state >> 8;
            if constexpr (requires { value.rest.fill(state); }) {
                value.rest.fill(state);
            } else if constexpr (requires { value.rest; }) {
                value.rest = state;
            }
        }
    }

    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return values_[i & 255u]; }

private:
    std::array<T, 256> values_;
};

template <class T>
[[nodiscard]] const ValueTable<T>& values() {
    static const ValueTable<T> table;
    return table;
}

} // namespace bench
