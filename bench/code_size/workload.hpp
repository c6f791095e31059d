// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: how many bytes of instructions does a program get for a container: insert, get, erase and iterate, for one element
// type?
//
// A contender is a file that instantiates Functions (or KeyedFunctions) for its container; bench/tools/compiling.py compiles it
// to an object file and adds up the sections of code. What the functions call is part of them unless it lies in a library;
// constructor and destructor are not asked for. A first comment of a contender says its role: "limit", "rival" or "ours".
#pragma once

#include "../support/element.hpp"

#include <cstdint>
#include <utility>

namespace bench::code_size {

template <class C>
struct Functions {
    using T = typename C::value_type;
    using Handle = decltype(std::declval<C&>().insert(std::declval<const T&>()));

    static Handle insert(C& container, const T& value) { return container.insert(value); }
    static std::uint64_t get(const C& container, const Handle& handle) {
        if constexpr (requires { container.field(handle); }) {
            const auto* field = container.field(handle);
            return field != nullptr ? *field : 0;
        } else {
            const auto* element = container.get(handle);
            return element != nullptr ? element->field : 0;
        }
    }
    static void erase(C& container, const Handle& handle) { container.erase(handle); }
    static std::uint64_t iterate(const C& container) { return container.sum(); }
};

// Keys and values are 64-bit integers. The interface of std::unordered_map, which all keyed contenders have.
template <class Map>
struct KeyedFunctions {
    using Key = std::uint64_t;

    static void insert(Map& map, Key key, std::uint64_t value) { map.try_emplace(key, value); }
    static std::uint64_t get(const Map& map, Key key) {
        const auto position = map.find(key);
        if (position == map.end()) return 0;
        const auto& [found, value] = *position;
        return value;
    }
    static void erase(Map& map, Key key) { map.erase(key); }
    static std::uint64_t iterate(const Map& map) {
        std::uint64_t sum = 0;
        for (const auto& [key, value] : map) sum += value;
        return sum;
    }
};

} // namespace bench::code_size
