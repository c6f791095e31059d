// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does a container cost a program that has a hundred of them, each of another type: seconds to compile, bytes of
// instructions? A contender is a file with a struct Contender, whose run<T>() makes a container of T and uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace bench::small {

template <std::size_t N>
struct Element {
    std::uint64_t field = N;
    std::uint64_t more[1 + N % 4] = {};
};

using Function = std::uint64_t (*)(std::uint64_t);

template <class Contender, std::size_t... N>
std::uint64_t run_all(std::uint64_t key, std::index_sequence<N...>) {
    constexpr Function functions[] = {&Contender::template run<Element<N>>...};
    std::uint64_t sum = 0;
    for (const Function function : functions) sum += function(key);
    return sum;
}

// For containers that make the key.
template <class Map, class T>
std::uint64_t use(std::uint64_t field) {
    Map map;
    const auto handle = map.insert(T{field, {}});
    std::uint64_t sum = 0;
    if (const T* found = map.get(handle)) sum += found->field;
    if constexpr (requires { map.begin(); })
        for (const T& each : map) sum += each.field;
    map.erase(handle);
    return sum;
}
// For containers that are given one.
template <class Map, class T>
std::uint64_t use_keyed(std::uint64_t key) {
    Map map;
    map.try_emplace(key, T{});
    std::uint64_t sum = 0;
    if (const auto found = map.find(key); found != map.end()) sum += (*found).second.field;
    for (const auto& [name, each] : map) sum += name + each.field;
    map.erase(key);
    return sum;
}

inline constexpr std::make_index_sequence<100> types{};

} // namespace bench::small
