// expect: is_constructible
// covers: keyed/map_storage.hpp requires "std::is_constructible_v<T, Args...>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

#include <string>

using namespace slotwise;

int main() {
    MapStorage<int, std::string> map;
    map.try_emplace(1, std::size_t{3}, 'x');
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.try_emplace(2, map);
#endif
    return static_cast<int>(map.size());
}
